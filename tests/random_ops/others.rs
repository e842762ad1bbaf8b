//! More families of ops: what is said of programs and memory rather than computed.

use rand::RngExt;

use super::generate::{Known, Program, tile};

/// A scalar `i32` as a tile of many.
fn spread(p: &mut Program<'_>, scalar: &str) {
    let one = p.name();
    p.line(&format!("{one} = reshape {scalar} : tile<i32> -> tile<1xi32>"));
    p.define(
        &[64],
        "i32",
        &format!("broadcast {one} : tile<1xi32> -> tile<64xi32>"),
    );
}

/// Addresses as numbers and as other pointers, of which only differences are kept: where memory lies is left open.
pub(super) fn addresses(p: &mut Program<'_>) {
    let step = p.pick(&[64], "i32").name;
    let most = p.number(&[64], "i32", 63).name;
    let low = p
        .define(&[64], "i32", &format!("andi {step}, {most} : tile<64xi32>"))
        .name;
    let [one, all, moved, from, to, bytes] = [(); 6].map(|()| p.name());
    let (ptr, many) = ("tile<1xptr<i32>>", "tile<64xptr<i32>>");
    p.line(&format!("{one} = reshape %a : tile<ptr<i32>> -> {ptr}"));
    p.line(&format!("{all} = broadcast {one} : {ptr} -> {many}"));
    p.line(&format!(
        "{moved} = offset {all}, {low} : {many}, tile<64xi32> -> {many}"
    ));
    p.line(&format!("{from} = ptr_to_int {all} : {many} -> tile<64xi64>"));
    p.line(&format!("{to} = ptr_to_int {moved} : {many} -> tile<64xi64>"));
    p.line(&format!("{bytes} = subi {to}, {from} : tile<64xi64>"));
    p.values.push(Known {
        name: bytes,
        shape: &[64],
        ty: "i64",
    });
    // There and back, and read as something else.
    let [again, other, mask, found, token] = [(); 5].map(|()| p.name());
    p.line(&format!("{again} = int_to_ptr {to} : tile<64xi64> -> {many}"));
    p.line(&format!(
        "{other} = ptr_to_ptr {again} : {many} -> tile<64xptr<i16>>"
    ));
    p.line(&format!("{mask} = constant <i16: 7> : tile<64xi16>"));
    let truth = p.pick(&[64], "i1").name;
    p.line(&format!(
        "{found}, {token} = load_ptr_tko weak {other}, {truth}, {mask} : tile<64xptr<i16>>, tile<64xi1>, tile<64xi16> -> tile<64xi16>, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty: "i16",
    });
}

/// Numbers as bytes, in another order, as numbers again.
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

/// Products of small numbers, each block of which has a scale.
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

/// The global, behind ops that only hand on a token.
pub(super) fn tokens(p: &mut Program<'_>) {
    let [fresh, handed, base, tensor, view, found, token] = [(); 7].map(|()| p.name());
    p.line(&format!("{fresh} = make_token : token"));
    let op = p.choose(&[
        "memory_fence_alias_tko T",
        "gdc_launch_dependents_tko token = T -> token",
        "gdc_wait_tko token = T -> token",
    ]);
    p.line(&format!("{handed} = {}", op.replace('T', &fresh)));
    let (of, part) = (
        "tensor_view<64xi32, strides=[1]>",
        "partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>",
    );
    p.line(&format!("{base} = get_global @table : tile<ptr<i32>>"));
    p.line(&format!(
        "{tensor} = make_tensor_view {base}, shape = [64], strides = [1] : {of}"
    ));
    p.line(&format!("{view} = make_partition_view {tensor} : {part}"));
    p.line(&format!(
        "{found}, {token} = load_view_tko weak {view}[%zero] token = {handed} : {part}, tile<i32> -> tile<64xi32>, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty: "i32",
    });
}

/// Extents of tensors and grids, and what is asserted of them.
pub(super) fn extents(p: &mut Program<'_>) {
    let [rows, tensor, view, first, second, third] = [(); 6].map(|()| p.name());
    let known: bool = p.rng.random();
    let number = p.choose(&["15", "3", "1"]);
    let of = if known { number } else { "?" };
    let of = format!("tensor_view<{of}x17xi32, strides=[17,1]>");
    p.line(&format!("{rows} = constant <i32: {number}> : tile<i32>"));
    p.line(&if known {
        format!("{tensor} = make_tensor_view %a, shape = [{number}, 17], strides = [17, 1] : {of}")
    } else {
        format!("{tensor} = make_tensor_view %a, shape = [{rows}, 17], strides = [17, 1] : tile<i32> -> {of}")
    });
    match p.below(3) {
        0 => p.line(&format!(
            "{first}, {second} = get_tensor_shape {tensor} : {of} -> tile<i32>"
        )),
        1 => {
            let part = format!("partition_view<tile=(4x8), {of}>");
            p.line(&format!("{view} = make_partition_view {tensor} : {part}"));
            p.line(&format!(
                "{first}, {second} = get_index_space_shape {view} : {part} -> tile<i32>"
            ));
        }
        _ => p.line(&format!(
            "{first}, {second}, {third} = get_num_tile_blocks : tile<i32>"
        )),
    }
    let (positive, sum) = (p.name(), p.name());
    p.line(&format!(
        "{positive} = cmpi greater_than {first}, %zero, signed : tile<i32> -> tile<i1>"
    ));
    p.line(&format!("assert {positive}, \"an extent\" : tile<i1>"));
    p.line(&format!("{sum} = muli {first}, {second} : tile<i32>"));
    spread(p, &sum);
}

/// Counters through a view.
pub(super) fn counters(p: &mut Program<'_>) {
    let value = p.pick(&[64], "i32").name;
    let mode = p.choose(&["and", "or", "xor", "add", "max", "min", "umax", "umin"]);
    let [tensor, view, token] = [(); 3].map(|()| p.name());
    let (of, part) = (
        "tensor_view<64xi32, strides=[1]>",
        "partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>",
    );
    p.line(&format!(
        "{tensor} = make_tensor_view %n, shape = [64], strides = [1] : {of}"
    ));
    p.line(&format!("{view} = make_partition_view {tensor} : {part}"));
    p.line(&format!(
        "{token} = atomic_red_view_tko relaxed device {view}[%zero], {mode}, {value} : tile<64xi32>, {part}, tile<i32> -> token"
    ));
}
