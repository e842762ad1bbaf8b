//! Numeric programs: arithmetic, conversions, matrix products, ops on whole tiles.

use super::programs::{FLOATS, INTS, LINE, NUMBERS};
use super::writer::{Of, Program, Writer, one, tile};

pub(super) fn arithmetic(list: &mut Vec<Program>) {
    let unary = [
        "absf", "negf", "ceil", "floor", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan",
        "sinh", "cosh", "tanh",
    ];
    let binary = [
        "addf", "subf", "mulf", "divf", "remf", "maxf", "minf", "fpowf", "atan2",
    ];
    for element in FLOATS {
        let (of, ty): (Of<'_>, _) = ((LINE, element), tile(LINE, element));
        for op in unary {
            list.push(one(
                &format!("{op} {element}"),
                &format!("{op} %a0 : {ty}"),
                &[of],
                of,
            ));
        }
        for op in binary {
            let text = format!("{op} %a0, %a1 : {ty}");
            list.push(one(&format!("{op} {element}"), &text, &[of, of], of));
        }
        let text = format!("fma %a0, %a1, %a2 : {ty}");
        list.push(one(&format!("fma {element}"), &text, &[of; 3], of));
        let text = format!("cmpf less_than ordered %a0, %a1 : {ty} -> {}", tile(LINE, "i1"));
        list.push(one(&format!("cmpf {element}"), &text, &[of; 2], (LINE, "i1")));
        let text = format!("fpowi %a0, %a1 : {ty}, {}", tile(LINE, "i32"));
        list.push(one(&format!("fpowi {element}"), &text, &[of, (LINE, "i32")], of));
    }
    for element in INTS {
        let (of, ty): (Of<'_>, _) = ((LINE, element), tile(LINE, element));
        for op in ["absi", "negi"] {
            list.push(one(
                &format!("{op} {element}"),
                &format!("{op} %a0 : {ty}"),
                &[of],
                of,
            ));
        }
        for op in [
            "addi",
            "subi",
            "muli",
            "mulhii",
            "andi",
            "ori",
            "xori",
            "shli",
            "divi signed",
            "divi unsigned",
            "remi signed",
            "maxi signed",
            "mini unsigned",
            "shri signed",
        ] {
            let (name, sign) = op.split_once(' ').unwrap_or((op, ""));
            let text = format!("{name} %a0, %a1 {sign} : {ty}");
            list.push(one(&format!("{op} {element}"), &text, &[of; 2], of));
        }
        let text = format!("cmpi less_than %a0, %a1, signed : {ty} -> {}", tile(LINE, "i1"));
        list.push(one(&format!("cmpi {element}"), &text, &[of; 2], (LINE, "i1")));
    }
}

pub(super) fn conversions(list: &mut Vec<Program>) {
    for from in NUMBERS {
        for to in NUMBERS {
            let of: Of<'_> = (LINE, from);
            let types = format!("{} -> {}", tile(LINE, from), tile(LINE, to));
            for (op, sign) in [
                ("bitcast", ""),
                ("exti", "signed"),
                ("exti", "unsigned"),
                ("trunci", ""),
                ("ftoi", "signed"),
                ("ftoi", "unsigned"),
                ("itof", "signed"),
                ("itof", "unsigned"),
                ("ftof", ""),
                ("ftof", "rounding<zero>"),
                ("ftof", "rounding<positive_inf>"),
            ] {
                let what = format!("{op} {sign} {from} to {to}");
                list.push(one(
                    &what,
                    &format!("{op} %a0 {sign} : {types}"),
                    &[of],
                    (LINE, to),
                ));
            }
        }
        let bytes = match *from {
            "i1" => 16,
            "i4" | "f4E2M1FN" => 64,
            "i16" | "f16" | "bf16" => 256,
            "i32" | "f32" | "tf32" => 512,
            _ => 1024,
        };
        let (numbers, packed) = (tile(LINE, from), tile(&[bytes], "i8"));
        let text = format!("pack %a0 : {numbers} -> {packed}");
        list.push(one(
            &format!("pack {from}"),
            &text,
            &[(LINE, from)],
            (&[bytes], "i8"),
        ));
        let text = format!("unpack %a0 : {packed} -> {numbers}");
        list.push(one(
            &format!("unpack {from}"),
            &text,
            &[(&[bytes], "i8")],
            (LINE, from),
        ));
    }
}

pub(super) fn products(list: &mut Vec<Program>) {
    let (m, n, k) = (64, 64, 64);
    for element in NUMBERS {
        for acc in NUMBERS {
            for fast in ["", " fast_acc"] {
                let (lhs, rhs, out): (Of<'_>, Of<'_>, Of<'_>) =
                    ((&[m, k], element), (&[k, n], element), (&[m, n], acc));
                let types = format!(
                    "{}, {}, {}",
                    tile(lhs.0, element),
                    tile(rhs.0, element),
                    tile(out.0, acc)
                );
                let text = format!("mmaf %a0, %a1, %a2{fast} : {types}");
                let what = format!("mmaf{fast} {element} to {acc}");
                list.push(one(&what, &text, &[lhs, rhs, out], out));
            }
        }
        for scale in NUMBERS {
            for block in [16, 32] {
                let (m, n, k) = (128, 128, 128);
                let types = [
                    tile(&[m, k], element),
                    tile(&[k, n], element),
                    tile(&[m, n], "f32"),
                    tile(&[m, k / block], scale),
                    tile(&[k / block, n], scale),
                ];
                let text = format!("mmaf_scaled %a0, %a1, %a2, %a3, %a4 : {}", types.join(", "));
                let operands: [Of<'_>; 5] = [
                    (&[m, k], element),
                    (&[k, n], element),
                    (&[m, n], "f32"),
                    (&[m, k / block], scale),
                    (&[k / block, n], scale),
                ];
                let what = format!("mmaf_scaled {element} by {scale} in blocks of {block}");
                list.push(one(&what, &text, &operands, (&[m, n], "f32")));
            }
        }
    }
    for signs in ["signed signed", "signed unsigned", "unsigned unsigned"] {
        let types = "tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>";
        let text = format!("mmai %a0, %a1, %a2 {signs} : {types}");
        let operands: [Of<'_>; 3] = [(&[64, 64], "i8"), (&[64, 64], "i8"), (&[64, 64], "i32")];
        list.push(one(
            &format!("mmai {signs}"),
            &text,
            &operands,
            (&[64, 64], "i32"),
        ));
    }
}

pub(super) fn tiles(list: &mut Vec<Program>) {
    let pair: &[u64] = &[16, 32];
    for element in NUMBERS {
        let of: Of<'_> = (pair, element);
        let ty = tile(pair, element);
        let number = if element.starts_with('i') { "1" } else { "1.0" };
        let number = if *element == "i1" { "true" } else { number };
        list.push(one(
            &format!("constant {element}"),
            &format!("constant <{element}: {number}> : {ty}"),
            &[],
            of,
        ));
        let flat: &[u64] = &[512];
        let text = format!("reshape %a0 : {ty} -> {}", tile(flat, element));
        list.push(one(&format!("reshape {element}"), &text, &[of], (flat, element)));
        let turned: &[u64] = &[32, 16];
        let text = format!("permute %a0 [1, 0] : {ty} -> {}", tile(turned, element));
        list.push(one(
            &format!("permute {element}"),
            &text,
            &[of],
            (turned, element),
        ));
        let row: &[u64] = &[1, 32];
        let text = format!("broadcast %a0 : {} -> {ty}", tile(row, element));
        list.push(one(&format!("broadcast {element}"), &text, &[(row, element)], of));
        let tall: &[u64] = &[32, 32];
        let text = format!("cat %a0, %a1 dim = 0 : {ty}, {ty} -> {}", tile(tall, element));
        list.push(one(&format!("cat {element}"), &text, &[of, of], (tall, element)));
        let part: &[u64] = &[8, 32];
        let text = format!("extract %a0[%z, %z] : {ty} -> {}", tile(part, element));
        list.push(one(&format!("extract {element}"), &text, &[of], (part, element)));
        let text = format!("insert %a0, %a1[%z, %z] : {}, {ty}", tile(part, element));
        list.push(one(
            &format!("insert {element}"),
            &text,
            &[(part, element), of],
            of,
        ));
        let text = format!("select %a0, %a1, %a2 : {}, {ty}", tile(pair, "i1"));
        list.push(one(
            &format!("select {element}"),
            &text,
            &[(pair, "i1"), of, of],
            of,
        ));
        let line = tile(LINE, element);
        list.push(one(
            &format!("iota {element}"),
            &format!("iota : {line}"),
            &[],
            (LINE, element),
        ));
        let identity = if *element == "i1" {
            "false".to_owned()
        } else if element.starts_with('i') {
            format!("0 : {element}")
        } else {
            format!("0.0 : {element}")
        };
        let scalar = tile(&[], element);
        for (op, attrs, out) in [
            ("reduce", "dim=1", &[16][..]),
            ("scan", "dim=1 reverse=false", pair),
        ] {
            let to = tile(out, element);
            let body = format!("(%x: {scalar}, %y: {scalar}) {{\n      yield %x : {scalar}\n    }}");
            let text = format!("{op} %a0 {attrs} identities=[{identity}] : {ty} -> {to} {body}");
            list.push(one(&format!("{op} {element}"), &text, &[of], (out, element)));
        }
        let mut writer = Writer::new();
        writer.load("a", LINE, element);
        writer.line(&format!("%r = print_tko \"%d\", %a : {line} -> token"));
        list.push(writer.done(format!("print_tko {element}")));
    }
}
