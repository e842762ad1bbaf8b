//! Programs in which a type or an address occurs without any access to its elements: pointer arithmetic, unused
//! views, globals, block and loop arguments. Also target-specific hints.

use super::programs::{LINE, NUMBERS};
use super::writer::{Program, Writer, tile};

/// Pointers and views without loads.
pub(super) fn unread(list: &mut Vec<Program>) {
    for element in NUMBERS {
        for attr in ["", ", <unicast>", ", <multicast>"] {
            let pointer = format!("tile<ptr<{element}{attr}>>");
            let other = "tile<ptr<i32>>";
            for (name, lines) in [
                (
                    "ptr_to_int",
                    format!("%n = ptr_to_int %p : {pointer} -> tile<i64>"),
                ),
                (
                    "int_to_ptr",
                    format!(
                        "%n = constant <i64: 256> : tile<i64>\n    %q = int_to_ptr %n : tile<i64> -> {pointer}"
                    ),
                ),
                (
                    "within a branch",
                    format!(
                        "%c = constant <i1: true> : tile<i1>\n    if %c {{\n      %n = constant <i64: 256> : tile<i64>\n      \
                         %q = int_to_ptr %n : tile<i64> -> {pointer}\n    }}"
                    ),
                ),
                (
                    "ptr_to_ptr from",
                    format!("%q = ptr_to_ptr %p : {pointer} -> {other}"),
                ),
                (
                    "ptr_to_ptr to",
                    format!(
                        "%n = constant <i64: 256> : tile<i64>\n    %o = int_to_ptr %n : tile<i64> -> {other}\n    %q = ptr_to_ptr %o : {other} -> {pointer}"
                    ),
                ),
                (
                    "offset",
                    format!("%q = offset %p, %z : {pointer}, tile<i32> -> {pointer}"),
                ),
                ("assume", format!("%q = assume div_by<16>, %p : {pointer}")),
                (
                    "reshape",
                    format!("%q = reshape %p : {pointer} -> tile<1xptr<{element}{attr}>>"),
                ),
                (
                    "select",
                    format!(
                        "%c = constant <i1: true> : tile<i1>\n    %q = select %c, %p, %p : tile<i1>, {pointer}"
                    ),
                ),
                (
                    "if",
                    format!(
                        "%c = constant <i1: true> : tile<i1>\n    %q = if %c -> ({pointer}) {{\n      yield %p : {pointer}\n    }} else {{\n      yield %p : {pointer}\n    }}"
                    ),
                ),
                (
                    "for",
                    format!(
                        "%i = constant <i32: 1> : tile<i32>\n    %q = for %k in (%z to %i, step %i) : tile<i32> iter_values(%r = %p) -> ({pointer}) {{\n      continue %r : {pointer}\n    }}"
                    ),
                ),
            ] {
                let mut writer = Writer::new();
                if lines.contains("%p") {
                    writer.params.push(format!("%p: {pointer}"));
                }
                writer.line(&lines);
                list.push(writer.done(format!("unread {name} {element}{attr}")));
            }
            let quoted = attr.trim_start_matches(", <").trim_end_matches('>');
            let noted = if attr.is_empty() {
                String::new()
            } else {
                format!(", #cuda_tile.ptr_attr<{quoted}>")
            };
            let tensor = format!("tensor_view<64x64x{element}, strides=[64,1]{noted}>");
            let make = if attr.is_empty() {
                tensor.clone()
            } else {
                format!("{pointer} -> {tensor}")
            };
            let view = format!("partition_view<tile=(16x32), {tensor}>");
            let mut writer = Writer::new();
            writer.params.push(format!("%p: {pointer}"));
            writer.line(&format!(
                "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {make}"
            ));
            writer.line(&format!("%x, %y = get_tensor_shape %t : {tensor} -> tile<i32>"));
            writer.line(&format!("%v = make_partition_view %t : {view}"));
            writer.line(&format!(
                "%n, %m = get_index_space_shape %v : {view} -> tile<i32>"
            ));
            list.push(writer.done(format!("unread views {element}{attr}")));
        }
        let zero = if element.starts_with('i') { "0" } else { "0.0" };
        let zero = if *element == "i1" { "false" } else { zero };
        let global = format!("global @global <{element} : [{zero}, {zero}]> : tile<2x{element}>");
        for touched in [false, true] {
            let mut writer = Writer::new();
            writer.global = format!("  {global}\n");
            if touched {
                writer.line(&format!("%g = get_global @global : tile<ptr<{element}>>"));
            }
            let how = if touched { "touched" } else { "untouched" };
            list.push(writer.done(format!("global {how} {element}")));
        }
        // Carried through control flow and discarded.
        let value = tile(LINE, element);
        let mut writer = Writer::new();
        writer.load("a", LINE, element);
        writer.line("%i = constant <i32: 1> : tile<i32>");
        writer.line(&format!(
            "%q = for %k in (%z to %i, step %i) : tile<i32> iter_values(%r = %a) -> ({value}) {{\n      continue %r : {value}\n    }}"
        ));
        list.push(writer.done(format!("carried {element}")));
    }
}

/// Accesses of every order and scope through a multicast address.
pub(super) fn multimem(list: &mut Vec<Program>) {
    let value = tile(&[16, 32], "f32");
    let pointer = "tile<ptr<f32, <multicast>>>";
    let tensor = "tensor_view<64x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>";
    let view = format!("partition_view<tile=(16x32), {tensor}>");
    let kind = "attributes {reduction = #cuda_tile.multimem_reduction_kind<add>}";
    for scope in ["tl_blk", "device", "sys"] {
        for order in ["weak", "relaxed", "acquire", "release", "acq_rel"] {
            let order = if order == "weak" {
                order.to_owned()
            } else {
                format!("{order} {scope}")
            };
            if order == "weak" && scope != "device" {
                continue;
            }
            for op in ["load_reduce", "reduce", "store"] {
                let mut writer = Writer::new();
                writer.params.push(format!("%p: {pointer}"));
                writer.line(&format!(
                    "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {pointer} -> {tensor}"
                ));
                writer.line(&format!("%v = make_partition_view %t : {view}"));
                match op {
                    "load_reduce" => {
                        writer.line(&format!(
                            "%r, %rt = multimem_load_reduce_view_tko {order} %v[%z, %z] {kind} : {view}, tile<i32> -> {value}, token"
                        ));
                        writer.store("r", &[16, 32], "f32");
                    }
                    "reduce" => {
                        writer.load("a", &[16, 32], "f32");
                        writer.line(&format!(
                            "%rt = multimem_reduce_view_tko {order} %v, %a[%z, %z] {kind} : {view}, {value}, tile<i32> -> token"
                        ));
                    }
                    _ => {
                        writer.load("a", &[16, 32], "f32");
                        writer.line(&format!(
                            "%rt = multimem_store_view_tko {order} %v, %a[%z, %z] : {view}, {value}, tile<i32> -> token"
                        ));
                    }
                }
                list.push(writer.done(format!("multimem {op} {order}")));
            }
        }
    }
}

/// Hints that a target supports, and hints that it does not.
pub(super) fn hints(list: &mut Vec<Program>) {
    let mut push = |what: String, hints: &str, access: &str| {
        let mut writer = Writer::new();
        writer.hints = hints.to_owned();
        writer.params.push("%p: tile<ptr<f32>>".to_owned());
        let tensor = "tensor_view<64x64xf32, strides=[64,1]>";
        let view = format!("partition_view<tile=(16x32), {tensor}>");
        writer.line(&format!(
            "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {tensor}"
        ));
        writer.line(&format!("%v = make_partition_view %t : {view}"));
        writer.line(&format!(
            "%r, %rt = load_view_tko weak %v[%z, %z]{access} : {view}, tile<i32> -> tile<16x32xf32>, token"
        ));
        writer.store("r", &[16, 32], "f32");
        list.push(writer.done(what));
    };
    for key in ["default", "sm_80", "sm_89", "sm_90", "sm_100", "sm_107", "sm_120"] {
        for (name, values) in [
            ("num_cta_in_cga", &["1", "2", "4", "16", "3", "32"][..]),
            ("num_worker_warps_per_cta", &["1", "4", "8", "32", "3", "64"]),
            ("occupancy", &["1", "2", "32", "0", "33"]),
        ] {
            for value in values {
                let hint = format!(" optimization_hints=<{key} = {{{name} = {value}}}>");
                push(format!("hint {key} {name} {value}"), &hint, "");
            }
        }
        for (name, values) in [
            ("allow_tma", &["true", "false"][..]),
            ("latency", &["1", "10", "11"]),
        ] {
            for value in values {
                let hint = format!(" optimization_hints = <{key} = {{{name} = {value}}}>");
                push(format!("hint {key} {name} {value}"), "", &hint);
            }
        }
    }
}
