//! Memory programs, through pointers and through views.

use super::programs::{LINE, NUMBERS};
use super::writer::{Program, Writer, tile};

pub(super) fn memory(list: &mut Vec<Program>) {
    for element in NUMBERS {
        let value = tile(LINE, element);
        let pointers = tile(LINE, &format!("ptr<{element}>"));
        let setup = |writer: &mut Writer| {
            let scalar = format!("tile<ptr<{element}>>");
            writer.params.push(format!("%p: {scalar}"));
            writer.line(&format!("%p1 = reshape %p : {scalar} -> tile<1xptr<{element}>>"));
            writer.line(&format!(
                "%pb = broadcast %p1 : tile<1xptr<{element}>> -> {pointers}"
            ));
            writer.line(&format!("%off = iota : {}", tile(LINE, "i32")));
            writer.line(&format!(
                "%ps = offset %pb, %off : {pointers}, {} -> {pointers}",
                tile(LINE, "i32")
            ));
        };
        for order in ["weak", "relaxed device", "acquire sys"] {
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.line(&format!(
                "%r, %rt = load_ptr_tko {order} %ps : {pointers} -> {value}, token"
            ));
            writer.store("r", LINE, element);
            list.push(writer.done(format!("load_ptr_tko {order} {element}")));
        }
        for order in ["weak", "release tl_blk"] {
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.load("a", LINE, element);
            writer.line(&format!(
                "%rt = store_ptr_tko {order} %ps, %a : {pointers}, {value} -> token"
            ));
            list.push(writer.done(format!("store_ptr_tko {order} {element}")));
        }
        let mut writer = Writer::new();
        setup(&mut writer);
        writer.load("a", LINE, element);
        writer.line(&format!(
            "%r, %rt = atomic_cas_tko relaxed device %ps, %a, %a : {pointers}, {value} -> {value}, token"
        ));
        writer.store("r", LINE, element);
        list.push(writer.done(format!("atomic_cas_tko {element}")));
        for mode in [
            "and", "or", "xor", "add", "max", "min", "umax", "umin", "addf", "xchg",
        ] {
            for scope in ["relaxed tl_blk", "relaxed device", "acq_rel sys"] {
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.load("a", LINE, element);
                writer.line(&format!(
                    "%r, %rt = atomic_rmw_tko {scope} %ps, {mode}, %a : {pointers}, {value} -> {value}, token"
                ));
                writer.store("r", LINE, element);
                list.push(writer.done(format!("atomic_rmw_tko {scope} {mode} {element}")));
            }
            let mut writer = Writer::new();
            writer.load("a", LINE, element);
            let (view, ty) = writer.view("v", LINE, element);
            writer.line(&format!(
                "%rt = atomic_red_view_tko relaxed device {view}[%z], {mode}, %a : {value}, {ty}, tile<i32> -> token"
            ));
            list.push(writer.done(format!("atomic_red_view_tko {mode} {element}")));
        }
        let mut writer = Writer::new();
        writer.line(&format!(
            "%p = alloca num_elem = 128, alignment = 16 : tile<ptr<{element}>>"
        ));
        writer.line(&format!(
            "%r, %rt = load_ptr_tko weak %p : tile<ptr<{element}>> -> tile<{element}>, token"
        ));
        writer.store("r", &[], element);
        list.push(writer.done(format!("alloca {element}")));
        for unused in [
            "%q: tile<ptr<ELEM>>",
            "%q: tile<ELEM>",
            "%q: tile<ptr<ELEM, <unicast>>>",
            "%q: tile<ptr<ELEM, <multicast>>>",
        ] {
            let mut writer = Writer::new();
            writer.params.push(unused.replace("ELEM", element));
            list.push(writer.done(format!("parameter {}", unused.replace("ELEM", element))));
        }
    }
}

pub(super) fn views(list: &mut Vec<Program>) {
    let pair: &[u64] = &[16, 32];
    for element in NUMBERS {
        let tensor = format!("tensor_view<64x64x{element}, strides=[64,1]>");
        for (name, view, index) in [
            (
                "partition",
                format!("partition_view<tile=(16x32), {tensor}>"),
                "%z, %z",
            ),
            (
                "partition dim_map",
                format!("partition_view<tile=(16x32), {tensor}, dim_map=[1, 0]>"),
                "%z, %z",
            ),
            (
                "strided",
                format!("strided_view<tile=(16x32), traversal_strides=[3,5], {tensor}>"),
                "%z, %z",
            ),
            (
                "gather_scatter",
                format!("gather_scatter_view<tile=(16x32), {tensor}, sparse_dim=0>"),
                "%rows, %z",
            ),
        ] {
            let make = name.split(' ').next().unwrap_or(name);
            let types = if make == "gather_scatter" {
                "tile<16xi32>, tile<i32>"
            } else {
                "tile<i32>"
            };
            for inbounds in ["", " inbounds = [true, true]"] {
                for order in ["weak", "acquire device"] {
                    let mut writer = Writer::new();
                    writer.params.push(format!("%p: tile<ptr<{element}>>"));
                    writer.line("%rows = iota : tile<16xi32>");
                    writer.line(&format!(
                        "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {tensor}"
                    ));
                    writer.line(&format!("%v = make_{make}_view %t : {view}"));
                    let value = tile(pair, element);
                    writer.line(&format!(
                        "%r, %rt = load_view_tko {order} %v[{index}]{inbounds} : {view}, {types} -> {value}, token"
                    ));
                    let order = order.replace("acquire", "release");
                    writer.line(&format!(
                        "%d = store_view_tko {order} %r, %v[{index}]{inbounds} : {value}, {view}, {types} -> token"
                    ));
                    list.push(writer.done(format!("{name} view {order}{inbounds} {element}")));
                }
            }
        }
        for attr in ["unicast", "multicast"] {
            let tensor = format!("tensor_view<64x64x{element}, strides=[64,1], #cuda_tile.ptr_attr<{attr}>>");
            let view = format!("partition_view<tile=(16x32), {tensor}>");
            let value = tile(pair, element);
            let setup = |writer: &mut Writer| {
                let ptr = format!("tile<ptr<{element}, <{attr}>>>");
                writer.params.push(format!("%p: {ptr}"));
                writer.line(&format!(
                    "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {ptr} -> {tensor}"
                ));
                writer.line(&format!("%v = make_partition_view %t : {view}"));
            };
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.line(&format!(
                "%r, %rt = load_view_tko weak %v[%z, %z] : {view}, tile<i32> -> {value}, token"
            ));
            writer.store("r", pair, element);
            list.push(writer.done(format!("{attr} load_view_tko {element}")));
            for reduction in ["add", "min", "max", "and", "or", "xor", "umin", "umax"] {
                let kind =
                    format!("attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}");
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.line(&format!(
                    "%r, %rt = multimem_load_reduce_view_tko weak %v[%z, %z] {kind} : {view}, tile<i32> -> {value}, token"
                ));
                writer.store("r", pair, element);
                list.push(writer.done(format!(
                    "multimem_load_reduce_view_tko {reduction} {attr} {element}"
                )));
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.load("a", pair, element);
                writer.line(&format!(
                    "%rt = multimem_reduce_view_tko relaxed device %v, %a[%z, %z] {kind} : {view}, {value}, tile<i32> -> token"
                ));
                list.push(writer.done(format!("multimem_reduce_view_tko {reduction} {attr} {element}")));
            }
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.load("a", pair, element);
            writer.line(&format!(
                "%rt = multimem_store_view_tko weak %v, %a[%z, %z] : {view}, {value}, tile<i32> -> token"
            ));
            list.push(writer.done(format!("multimem_store_view_tko {attr} {element}")));
        }
    }
}
