//! Ops on whole tiles: slices, reductions, products, bytes.

use rand::RngExt;

use super::generate::{INTS, Program, tile};

const SIGNS: [&str; 2] = ["signed", "unsigned"];

pub(super) fn moves(p: &mut Program<'_>) {
    let ty = p.any_type();
    match p.below(4) {
        0 => {
            let a = p.pick(&[8, 8], ty);
            p.define(
                &[8, 8],
                ty,
                &format!("permute {} [1, 0] : {} -> {}", a.name, a.text(), a.text()),
            );
        }
        1 => {
            let shape = p.shape();
            let a = p.pick(shape, ty);
            let to = p.shape();
            p.define(
                to,
                ty,
                &format!("reshape {} : {} -> {}", a.name, a.text(), tile(to, ty)),
            );
        }
        2 => {
            // One row for all blocks.
            let (a, at) = (p.pick(&[8, 8], ty), p.below(8));
            let (row, index) = (p.name(), p.name());
            p.line(&format!("{index} = constant <i32: {at}> : tile<i32>"));
            p.line(&format!(
                "{row} = extract {}[{index}, %zero] : {} -> {}",
                a.name,
                a.text(),
                tile(&[1, 8], ty)
            ));
            p.define(
                &[8, 8],
                ty,
                &format!("broadcast {row} : {} -> {}", tile(&[1, 8], ty), tile(&[8, 8], ty)),
            );
        }
        _ => {
            let wide = p.choose(&INTS[2..]);
            let count = p.define(&[64], wide, &format!("iota : {}", tile(&[64], wide)));
            let assumed = format!("assume bounded<0, 63>, {} : {}", count.name, count.text());
            p.define(&[64], wide, &assumed);
        }
    }
}

pub(super) fn parts(p: &mut Program<'_>) {
    let ty = p.any_type();
    let (a, b) = (p.pick(&[64], ty), p.pick(&[64], ty));
    let (first, second) = (p.name(), p.name());
    let half = tile(&[32], ty);
    let index = p.choose(&["%zero", "%one"]);
    p.line(&format!(
        "{first} = extract {}[{index}] : {} -> {half}",
        a.name,
        a.text()
    ));
    p.line(&format!(
        "{second} = extract {}[%one] : {} -> {half}",
        b.name,
        b.text()
    ));
    let text = if p.rng.random() {
        format!("cat {first}, {second} dim = 0 : {half}, {half} -> {}", a.text())
    } else {
        format!("insert {second}, {}[{index}] : {half}, {}", a.name, a.text())
    };
    p.define(&[64], ty, &text);
}

/// Generates reductions and scans with bodies of one op.
pub(super) fn folds(p: &mut Program<'_>) {
    let ty = p.any_type();
    let a = p.pick(&[8, 8], ty);
    let (op, zero) = if ty.starts_with('i') {
        let op = p.choose(&[
            "addi X, Y",
            "muli X, Y",
            "xori X, Y",
            "maxi X, Y signed",
            "mini X, Y unsigned",
        ]);
        (op, "0")
    } else {
        (
            p.choose(&["addf X, Y", "mulf X, Y", "maxf X, Y", "minf X, Y propagate_nan"]),
            "0.0",
        )
    };
    let scalar = tile(&[], ty);
    let body = format!(
        "(%x: {scalar}, %y: {scalar}) {{\n%w = {} : {scalar}\nyield %w : {scalar}\n}}",
        op.replace('X', "%x").replace('Y', "%y")
    );
    let dim = p.below(2);
    if p.rng.random() {
        let reverse: bool = p.rng.random();
        let head = format!(
            "scan {} dim={dim} reverse={reverse} identities=[{zero} : {ty}]",
            a.name
        );
        p.define(
            &[8, 8],
            ty,
            &format!("{head} : {} -> {}\n{body}", a.text(), a.text()),
        );
        return;
    }
    let line = tile(&[8], ty);
    let (folded, wide) = (p.name(), p.name());
    p.line(&format!(
        "{folded} = reduce {} dim={dim} identities=[{zero} : {ty}] : {} -> {line}\n{body}",
        a.name,
        a.text()
    ));
    let column = tile(&[8, 1], ty);
    p.line(&format!("{wide} = reshape {folded} : {line} -> {column}"));
    p.define(
        &[8, 8],
        ty,
        &format!("broadcast {wide} : {column} -> {}", a.text()),
    );
}

pub(super) fn products(p: &mut Program<'_>) {
    if p.rng.random() {
        let (from, to) = p.choose(&[
            ("f16", "f16"),
            ("f16", "f32"),
            ("bf16", "f32"),
            ("f32", "f32"),
            ("f64", "f64"),
        ]);
        let (a, b, c) = (p.pick(&[8, 8], from), p.pick(&[8, 8], from), p.pick(&[8, 8], to));
        let types = format!("{}, {}, {}", a.text(), b.text(), c.text());
        p.define(
            &[8, 8],
            to,
            &format!("mmaf {}, {}, {} : {types}", a.name, b.name, c.name),
        );
    } else {
        let (a, b, c) = (
            p.pick(&[8, 8], "i8"),
            p.pick(&[8, 8], "i8"),
            p.pick(&[8, 8], "i32"),
        );
        let (left, right) = (p.choose(&SIGNS), p.choose(&SIGNS));
        let types = format!("{}, {}, {}", a.text(), b.text(), c.text());
        p.define(
            &[8, 8],
            "i32",
            &format!("mmai {}, {}, {} {left} {right} : {types}", a.name, b.name, c.name),
        );
    }
}

/// Generates products of small numbers, each block of which has a scale.
pub(super) fn scaled(p: &mut Program<'_>) {
    let (a, b, acc) = (
        p.pick(&[8, 8], "f32"),
        p.pick(&[8, 8], "f32"),
        p.pick(&[8, 8], "f32"),
    );
    let ty = p.choose(&["f8E4M3FN", "f8E5M2"]);
    let [left, right, wide, tall, scales, others] = [(); 6].map(|()| p.name());
    for (from, narrow, both, shape, dim) in [(&a, &left, &wide, [8, 32], 1), (&b, &right, &tall, [32, 8], 0)]
    {
        let half = [shape[0].min(16), shape[1].min(16)];
        let [once, twice] = [(); 2].map(|()| p.name());
        let (eight, sixteen, all) = (tile(&[8, 8], ty), tile(&half, ty), tile(&shape, ty));
        p.line(&format!(
            "{narrow} = ftof {} : {} -> {eight}",
            from.name,
            from.text()
        ));
        p.line(&format!(
            "{once} = cat {narrow}, {narrow} dim = {dim} : {eight}, {eight} -> {sixteen}"
        ));
        p.line(&format!("{twice} = reshape {once} : {sixteen} -> {sixteen}"));
        p.line(&format!(
            "{both} = cat {once}, {twice} dim = {dim} : {sixteen}, {sixteen} -> {all}"
        ));
    }
    let (left_scales, right_scales) = (tile(&[8, 1], "f8E8M0FNU"), tile(&[1, 8], "f8E8M0FNU"));
    let scale = p.choose(&["1.0", "0.5", "4.0"]);
    p.line(&format!(
        "{scales} = constant <f8E8M0FNU: {scale}> : {left_scales}"
    ));
    p.line(&format!("{others} = constant <f8E8M0FNU: 2.0> : {right_scales}"));
    let types = [
        tile(&[8, 32], ty),
        tile(&[32, 8], ty),
        acc.text(),
        left_scales,
        right_scales,
    ];
    let text = format!(
        "mmaf_scaled {wide}, {tall}, {}, {scales}, {others} : {}",
        acc.name,
        types.join(", ")
    );
    p.define(&[8, 8], "f32", &text);
}

/// Reinterprets numbers as bytes, permuted, and as numbers again.
pub(super) fn bytes(p: &mut Program<'_>) {
    let (from, size, to) = p.choose(&[
        ("i32", 256, "i32"),
        ("i16", 128, "i16"),
        ("f32", 256, "i32"),
        ("i64", 512, "i64"),
    ]);
    let a = p.pick(&[64], from);
    let [packed, square, turned, flat] = [(); 4].map(|()| p.name());
    let (all, rows, columns) = (
        format!("tile<{size}xi8>"),
        format!("tile<{}x4xi8>", size / 4),
        format!("tile<4x{}xi8>", size / 4),
    );
    p.line(&format!("{packed} = pack {} : {} -> {all}", a.name, a.text()));
    p.line(&format!("{square} = reshape {packed} : {all} -> {rows}"));
    p.line(&format!(
        "{turned} = permute {square} [1, 0] : {rows} -> {columns}"
    ));
    p.line(&format!("{flat} = reshape {turned} : {columns} -> {all}"));
    p.define(
        &[64],
        to,
        &format!("unpack {flat} : {all} -> {}", tile(&[64], to)),
    );
}
