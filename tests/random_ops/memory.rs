//! Ops on memory: views, pointers, atomics, tokens.

use rand::RngExt;

use super::generate::{Known, Program, tile};

/// Generates loads through views over the first input as 15 rows of 17, with boundary tiles.
pub(super) fn views(p: &mut Program<'_>) {
    let tensor = "tensor_view<15x17xi32, strides=[17,1]>";
    let (kind, last, index, types) = match p.below(3) {
        0 => (
            "partition_view<tile=(8x8), padding_value = zero",
            "",
            "%one, %bx".to_owned(),
            "tile<i32>",
        ),
        1 => (
            "strided_view<tile=(8x8), traversal_strides=[3,5], padding_value = zero",
            ", dim_map=[1, 0]",
            "%bx, %one".to_owned(),
            "tile<i32>",
        ),
        _ => {
            let rows = p.choose(&["[0, 3, 14, 3, 20, 1, 2, 15]", "[7, 6, 5, 4, 3, 2, 1, 0]"]);
            let name = p.name();
            p.line(&format!("{name} = constant <i32: {rows}> : tile<8xi32>"));
            (
                "gather_scatter_view<tile=(8x8), padding_value = zero",
                ", sparse_dim=0",
                format!("{name}, %bx"),
                "tile<8xi32>, tile<i32>",
            )
        }
    };
    let view = format!("{kind}, {tensor}{last}>");
    let make = kind.split('<').next().expect("a name");
    let (t, v, token, found) = (p.name(), p.name(), p.name(), p.name());
    p.line(&format!(
        "{t} = make_tensor_view %a, shape = [15, 17], strides = [17, 1] : {tensor}"
    ));
    p.line(&format!("{v} = make_{make} {t} : {view}"));
    p.line(&format!(
        "{found}, {token} = load_view_tko weak {v}[{index}] : {view}, {types} -> tile<8x8xi32>, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[8, 8],
        ty: "i32",
    });
}

/// 64 pointers, each offset by an index below 64.
fn spread(p: &mut Program<'_>, base: &str, ty: &str) -> String {
    let index = p.pick(&[64], "i32").name;
    let most = p.number(&[64], "i32", 63).name;
    let low = p
        .define(&[64], "i32", &format!("andi {index}, {most} : tile<64xi32>"))
        .name;
    moved(p, base, ty, &low)
}

fn moved(p: &mut Program<'_>, base: &str, ty: &str, index: &str) -> String {
    let ptr = format!("ptr<{ty}>");
    let (one, all, found) = (p.name(), p.name(), p.name());
    p.line(&format!("{one} = reshape {base} : tile<{ptr}> -> tile<1x{ptr}>"));
    p.line(&format!(
        "{all} = broadcast {one} : tile<1x{ptr}> -> tile<64x{ptr}>"
    ));
    p.line(&format!(
        "{found} = offset {all}, {index} : tile<64x{ptr}>, tile<64xi32> -> tile<64x{ptr}>"
    ));
    found
}

pub(super) fn pointers(p: &mut Program<'_>) {
    let (base, ty) = p.choose(&[("%a", "i32"), ("%b", "f32"), ("%c", "f16"), ("%d", "i64")]);
    let at = spread(p, base, ty);
    let (mask, padding) = (p.pick(&[64], "i1").name, p.pick(&[64], ty).name);
    let (found, token) = (p.name(), p.name());
    p.line(&format!(
        "{found}, {token} = load_ptr_tko weak {at}, {mask}, {padding} : tile<64xptr<{ty}>>, tile<64xi1>, {} -> {}, token",
        tile(&[64], ty),
        tile(&[64], ty)
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty,
    });
}

/// Generates atomics on counters, some of which each block and each element modifies.
pub(super) fn atomics(p: &mut Program<'_>) {
    let at = spread(p, "%n", "i32");
    let argument = p.pick(&[64], "i32").name;
    let (found, token) = (p.name(), p.name());
    let text = if p.rng.random() {
        let mode = p.choose(&["and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg"]);
        format!("atomic_rmw_tko relaxed device {at}, {mode}, {argument} : tile<64xptr<i32>>, tile<64xi32>")
    } else {
        let other = p.pick(&[64], "i32").name;
        format!("atomic_cas_tko acq_rel device {at}, {argument}, {other} : tile<64xptr<i32>>, tile<64xi32>")
    };
    p.line(&format!("{found}, {token} = {text} -> tile<64xi32>, token"));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty: "i32",
    });
}

/// Generates stores to the kernel's own memory, and loads through other pointers.
pub(super) fn own_memory(p: &mut Program<'_>) {
    let ty = p.any_type();
    let value = p.pick(&[64], ty).name;
    let (base, stored, joined, found, token) = (p.name(), p.name(), p.name(), p.name(), p.name());
    p.line(&format!(
        "{base} = alloca num_elem = 64, alignment = 16 : tile<ptr<{ty}>>"
    ));
    let all = p.define(&[64], "i32", "iota : tile<64xi32>").name;
    let at = moved(p, &base, ty, &all);
    let (ptrs, values) = (format!("tile<64xptr<{ty}>>"), tile(&[64], ty));
    p.line(&format!(
        "{stored} = store_ptr_tko weak {at}, {value} : {ptrs}, {values} -> token"
    ));
    let from = spread(p, &base, ty);
    p.line(&format!("{joined} = join_tokens {stored}, {stored} : token"));
    p.line(&format!(
        "{found}, {token} = load_ptr_tko weak {from} token={joined} : {ptrs} -> {values}, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty,
    });
}

/// Generates pointer casts and conversions to integers; only differences of addresses are stored, because addresses
/// are unspecified.
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
    // Converted and back, and loaded with another type.
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

/// Generates loads of the global behind ops that only forward a token.
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
