//! Texts of `tileas` with buffers, asynchronous copies, products and reductions: legal ones are read, verified and
//! round-tripped; each mistake is reported with its code and its numbers.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Module, TermCodec, print_module, term_text, verify};
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::dialects::product_rules::Extents;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::ptx::Target;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileas::atoms::{
    CopyAtom, CopyUse, Fma, Ld, MmaSyncAtom, Place, ProductAtom, ReduceAtom, St, WgmmaAtom,
};
use tilewright_irs::tileas::{Buffer, TileAs, TileAsType};
use tilewright_layouts::distributed::tcgen05::{Repeat, TmemAccess, TmemAccumulator, TmemShape, TmemValues};
use tilewright_layouts::distributed::{Encoding, MmaOperand, MmaSync, MmaTile};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, Swizzled, TileOrder};
use tilewright_layouts::{Blocked, Dim, LinearLayout, SwizzleMode};

/// A function with these lines as its body, for four warps.
fn func(target: &str, shared_bytes: u32, lines: &str) -> String {
    format!(
        "tileas.func @f(%p: ptr<f16>, %q: ptr<f32>, %n: i32, %x: f32, %h: f16) {{target = {target}, kernel_spec = \
         {{num_warps = 4, num_ctas = 1}}, shared_bytes = {shared_bytes}}} body {{\n{lines}  scf.return\n}}\n"
    )
}

/// The diagnostics of a text: codes with messages.
fn problems(text: &str) -> Vec<(Code, String)> {
    let parsed = parse_stage::<TileAs>(text, FileId(0));
    let mut list: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|d| (d.code, d.message.clone()))
        .collect();
    for func in &parsed.module.funcs {
        if let Err(found) = verify(func) {
            list.extend(found.into_iter().map(|d| (d.code, d.message)));
        }
    }
    list
}

/// Reads, verifies and prints a text twice.
fn legal(name: &str, text: &str) {
    assert_eq!(problems(text), [], "{name}\n{text}");
    let printed = |text: &str| {
        let module: Module<TileAs> = parse_stage(text, FileId(0)).module;
        print_module(&module)
    };
    let once = printed(text);
    assert_eq!(problems(&once), [], "{name}\n{once}");
    assert_eq!(printed(&once), once, "{name}");
}

/// Checks for one diagnostic of this code, whose message contains all of these words.
#[track_caller]
fn refused(text: &str, code: Code, words: &[&str]) {
    let found = problems(text);
    let [(have, message)] = found.as_slice() else {
        panic!("{} problems: {found:#?}\n{text}", found.len());
    };
    assert_eq!(*have, code, "{message}\n{text}");
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

fn text(layout: &LinearLayout) -> String {
    term_text(&layout.write())
}

fn dims(shape: &[u32]) -> String {
    shape.iter().map(|n| format!("{n}x")).collect()
}

fn tile(element: &str, layout: &LinearLayout) -> String {
    format!("tile<{}{element}, {}>", dims(&layout.shape()), text(layout))
}

fn buffer(element: &str, memory: &LinearLayout, stages: u32) -> String {
    let rest = if stages == 1 {
        String::new()
    } else {
        format!(", stages = {stages}")
    };
    format!(
        "buffer<{}{element}, shared, {}{rest}>",
        dims(&memory.shape()),
        text(memory)
    )
}

fn rows(shape: &[u32], vector: u32) -> LinearLayout {
    let blocked = Blocked::coalesced(shape, vector, &[1, 0], 4).expect("a layout");
    blocked.to_linear(shape).expect("a layout")
}

fn plain(shape: &[u32]) -> LinearLayout {
    Swizzled::plain(&[1, 0]).to_linear(shape).expect("a layout")
}

fn swizzled(shape: &[u32], order: TileOrder) -> LinearLayout {
    let nvmma = Nvmma {
        swizzle: SwizzleMode::B128,
        element: NvmmaElement::B16,
        order,
    };
    nvmma.to_linear(shape).expect("a layout")
}

const MMA: MmaSyncAtom = MmaSyncAtom {
    instruction: MmaSync::M16N8K16B16,
};

#[test]
fn buffers_have_stages_slices_and_other_views() {
    let memory = plain(&[64, 32]);
    let across = memory.permute_axes(&[1, 0]).expect("a layout");
    let slice = |at: &str, shape: [u32; 2]| {
        let whole = buffer("f16", &memory, 1);
        let part = whole.replacen("64x32x", &dims(&shape), 1);
        let part = part.strip_suffix('>').expect("a type ends");
        format!("{part}, at = {at}>")
    };
    let lines = |align: &str, slice: &str, at: &str| {
        format!(
            "  %a = tileas.alloc {{align = {align}}} : {}\n  %s = tileas.subview %a, stage %n {{offsets = []}} : {}\n  \
             %c = tileas.subview %s {{offsets = {at}}} : {slice}\n  \
             %t = tileas.transpose %s {{permutation = [1, 0]}} : {}\n  \
             %r = tileas.reinterpret %a : {}\n",
            buffer("f16", &memory, 4),
            buffer("f16", &memory, 1),
            buffer("f16", &across, 1),
            buffer("i8", &plain(&[64, 64]), 4),
        )
    };
    let rows = slice("[48, 0]", [16, 32]);
    legal("views", &func("sm_80", 0, &lines("16", &rows, "[48, 0]")));
    refused(
        &func("sm_80", 0, &lines("24", &rows, "[48, 0]")),
        Code::AttributeValue,
        &["24"],
    );
    refused(
        &func("sm_80", 0, &lines("16", &rows, "[40, 0]")),
        Code::BadLayout,
        &["[16, 32]", "[40, 0]", "[64, 32]"],
    );
    refused(
        &func("sm_80", 0, &lines("16", &slice("[0, 16]", [16, 16]), "[0, 0]")),
        Code::TypeMismatch,
        &["buffer<16x16xf16", "at = [0, 16]"],
    );
    let outside = problems(&func(
        "sm_80",
        0,
        &lines("16", &slice("[56, 0]", [16, 32]), "[48, 0]"),
    ));
    assert!(
        outside
            .iter()
            .any(|(_, message)| message.contains("lies in [64, 32]")),
        "{outside:#?}"
    );
    let of_all = lines("16", &rows, "[48, 0]").replace(
        "tileas.subview %s {offsets = [48",
        "tileas.subview %a {offsets = [48",
    );
    refused(&func("sm_80", 0, &of_all), Code::BadLayout, &["one stage", "4"]);
    let padded = "  %a = tileas.alloc {align = 16} : buffer<60x32xf16, shared, cute<\"(60,32):(36,1)\">, stages = 2>\n";
    legal("padded", &func("sm_80", 0, padded));
    let wrong = padded.replace("(60,32):(36,1)", "(60,16):(36,1)");
    let found = problems(&func("sm_80", 0, &wrong));
    assert!(
        found.iter().any(|(_, message)| message.contains("1920")),
        "{found:#?}"
    );
}

#[test]
fn a_buffer_beyond_the_shared_memory_of_its_target_is_refused() {
    let alloc = |stages| {
        let ty = buffer("f32", &plain(&[64, 64]), stages);
        format!("  %a = tileas.alloc {{align = 16}} : {ty}\n")
    };
    for (target, stages, limit) in [
        ("sm_80", 3, "49152"),
        ("sm_120a", 6, "101376"),
        ("sm_90a", 14, "232448"),
    ] {
        legal(target, &func(target, 0, &alloc(stages)));
        let bytes = (64 * 64 * 4 * (stages + 1)).to_string();
        refused(
            &func(target, 0, &alloc(stages + 1)),
            Code::SharedMemory,
            &[&bytes, limit, target],
        );
    }
    let placed = alloc(1).replace("align = 16", "align = 16, offset = 1024");
    legal("placed", &func("sm_80", 1024 + 16384, &placed));
    refused(
        &func("sm_80", 1024 + 16383, &placed),
        Code::AttributeValue,
        &["16384", "1024", "17407"],
    );
    let aligned = alloc(1).replace("align = 16", "align = 256, offset = 1024");
    let source = func("sm_80", 1024 + 16384, &aligned);
    refused(&source, Code::AttributeValue, &["256", "16"]);
    let with = |align: u32| {
        let bytes = "shared_bytes = 17408";
        source.replace(bytes, &format!("{bytes}, shared_align = {align}"))
    };
    legal("aligned", &with(256));
    refused(&with(128), Code::AttributeValue, &["256", "128"]);
    let columns = |stages: u32| {
        let layout = TmemAccumulator::M128.to_linear(256).expect("a layout");
        format!(
            "  %a = tileas.alloc {{align = 16}} : buffer<128x256xf32, tensor, {}, stages = {stages}>\n",
            text(&layout)
        )
    };
    legal("columns", &func("sm_100a", 0, &columns(2)));
    refused(
        &func("sm_100a", 0, &columns(4)),
        Code::TensorMemory,
        &["1024", "512"],
    );
    refused(
        &func("sm_90a", 0, &columns(2)),
        Code::TargetLacksFeature,
        &["sm_90a"],
    );
    let from = |column: u32| columns(1).replace("align = 16", &format!("align = 16, offset = {column}"));
    legal("the last columns", &func("sm_100a", 0, &from(256)));
    refused(
        &func("sm_100a", 0, &from(288)),
        Code::TensorMemory,
        &["256 columns of tensor memory from 288 on", "544", "at most 512"],
    );
}

#[test]
fn cache_policies_are_of_global_memory() {
    let (memory, threads) = (plain(&[64, 32]), rows(&[64, 32], 8));
    let lines = |atom: &str| {
        format!(
            "  %a = tileas.alloc {{align = 16}} : {}\n  %v = tileas.copy %a {{atom = {atom}}} : {}\n",
            buffer("f16", &memory, 1),
            tile("f16", &threads)
        )
    };
    legal("ld", &func("sm_80", 0, &lines("ld<16b>")));
    refused(
        &func("sm_80", 0, &lines("ld<16b, cache = evict_first>")),
        Code::AttributeValue,
        &["global memory", "evict_first"],
    );
    for (atom, said) in [
        ("ld<16b, prefetch = 64B>", "fetches more into the L2 cache"),
        ("ld<16b, l2 = \"L2::evict_last\">", "a policy of the L2 cache"),
    ] {
        refused(
            &func("sm_80", 0, &lines(atom)),
            Code::AttributeValue,
            &[said, "global memory"],
        );
    }
    refused(
        &func("sm_80", 0, &lines("ld<16b, cache = cs>")),
        Code::AttributeValue,
        &["global memory", "cs"],
    );
}

/// A warp can access the lanes of tensor memory that its number in the block gives it.
#[test]
fn agents_access_the_lanes_of_their_warps() {
    let acc = TmemAccumulator::M128.to_linear(64).expect("a layout");
    let lanes = TmemAccess {
        shape: TmemShape::Lanes32x32b(Repeat::of(32).expect("a count")),
        values: TmemValues::Whole,
    };
    let held = tile("f32", &lanes.of_tile(&acc, 1).expect("a layout"));
    let tensor = format!("buffer<128x64xf32, tensor, {}>", text(&acc));
    let agent = |first_warp: u32, copy: &str| {
        let body = format!(
            "  scheduled.agent {{name = \"all\", first_warp = {first_warp}, warps = 4}} body {{\n  \
             %t = tileas.alloc {{align = 16}} : {tensor}\n  %v = tile.splat %x : {held}\n  {copy}\n  scheduled.end\n  }}\n"
        );
        func("sm_100a", 0, &body)
            .replace("tileas.func", "scheduled.func")
            .replace("num_warps = 4", "num_warps = 16")
    };
    let said = |text: &str| -> Vec<(Code, String)> {
        let parsed = parse_stage::<Scheduled>(text, FileId(0));
        let found = parsed.module.funcs.iter().filter_map(|func| verify(func).err());
        let found = parsed
            .diagnostics
            .iter()
            .cloned()
            .map(|d| (d.code, d.message))
            .chain(found.flatten().map(|d| (d.code, d.message)));
        found.collect()
    };
    for (atom, copy) in [
        (
            "tcgen05_ld",
            format!(
                "%y = tileas.copy %t {{atom = tcgen05_ld<s32x32b, x32>}} : pending<{held}>\n  \
                 %z = tileas.copy_wait %y {{in_flight = 0}} : {held}"
            ),
        ),
        (
            "tcgen05_st",
            format!(
                "%y = tileas.copy %v, to %t {{atom = tcgen05_st<s32x32b, x32>}} : pending<{tensor}>\n  \
                 %z = tileas.copy_wait %y {{in_flight = 0}} : {tensor}"
            ),
        ),
    ] {
        assert_eq!(said(&agent(4, &copy)), []);
        let found = said(&agent(6, &copy));
        let [(Code::TensorMemory, message)] = found.as_slice() else {
            panic!("{found:#?}");
        };
        for words in [atom, "first warp is 6", "lane is 0", "64"] {
            assert!(message.contains(words), "`{words}` is not in: {message}");
        }
    }
}

#[test]
fn what_is_pending_is_used_through_its_wait_alone() {
    let (memory, threads) = (plain(&[64, 32]), rows(&[64, 32], 8));
    let lines = |width: &str, read: &str| {
        let ty = buffer("f16", &memory, 1);
        format!(
            "  %k = tileas.create_mem_token : token\n  \
             %m = tileas.memref %p, [%n, %n], [%n] : memref<?x?xf16, strides = [?, 1], align = 16, class = 0>\n  \
             %a = tileas.alloc {{align = 16}} : {ty}\n  \
             %c, %t = tileas.copy_in %m, [%n, %n], %a, after %k {{dim_map = [0, 1], steps = [64, 32], \
             inbounds = [true, true], atom = cp_async<{width}, {threads}>}} : pending<{ty}>, token\n  \
             %b = tileas.copy_wait %c {{in_flight = 0}} : {ty}\n  tileas.barrier\n  \
             %v = tileas.copy {read} {{atom = ld<128b>}} : {}\n",
            tile("f16", &threads),
            threads = text(&threads),
        )
    };
    legal("cp_async", &func("sm_80", 0, &lines("128b", "%b")));
    refused(
        &func("sm_80", 0, &lines("128b", "%c")),
        Code::TypeMismatch,
        &["extents"],
    );
    refused(
        &func("sm_75", 0, &lines("128b", "%b")),
        Code::TargetLacksFeature,
        &["cp_async", "sm_75"],
    );
    let short = lines("128b", "%b").replace("align = 16, class", "align = 8, class");
    refused(&func("sm_80", 0, &short), Code::HardwareLimit, &["16", "8"]);
    let ty = buffer("f16", &memory, 1);
    let at_once = lines("128b", "%b").replace(&format!("pending<{ty}>"), &ty);
    let (code, message) = problems(&func("sm_80", 0, &at_once)).swap_remove(0);
    assert!(
        code == Code::TypeMismatch && message.contains("pending"),
        "{message}"
    );
    let narrow = lines("128b", "%b").replace("ld<128b>", "ld<256b>");
    assert!(problems(&func("sm_80", 0, &narrow))[0].1.contains("`128b`"));
}

#[test]
fn masks_and_pointers_of_asynchronous_copies_fit_their_buffers() {
    let (memory, threads) = (plain(&[64, 32]), rows(&[64, 32], 8));
    let ty = buffer("f16", &memory, 1);
    let copy = |mask: &str| {
        format!(
            "  %m = tileas.memref %p, [%n, %n], [%n] : memref<?x?xf16, strides = [?, 1], align = 16, class = 0>\n  \
             %a = tileas.alloc {{align = 16}} : {ty}\n  \
             %c, %t = tileas.copy_in %m, [%n, %n], %a, mask {mask} {{dim_map = [0, 1], steps = [64, 32], \
             inbounds = [true, true], atom = cp_async<128b, {}>}} : pending<{ty}>, token\n",
            text(&threads),
        )
    };
    let yes = "  %yes = arith.constant {value = i1<true>} : i1\n";
    legal("a mask", &func("sm_80", 0, &format!("{yes}{}", copy("%yes"))));
    refused(&func("sm_80", 0, &copy("%n")), Code::OperandType, &["one i1"]);
    let gather = |pointers: &LinearLayout, mask: &LinearLayout, atom: &str| {
        format!(
            "{yes}  %a = tileas.alloc {{align = 16}} : {ty}\n  %e = tile.splat %p : {}\n  \
             %all = tile.splat %yes : {}\n  \
             %c, %t = tileas.gather_in %e, %a, mask %all {{atom = {atom}}} : pending<{ty}>, token\n",
            tile("ptr<f16>", pointers),
            tile("i1", mask),
        )
    };
    let (atom, other) = (format!("cp_async<128b, {}>", text(&threads)), rows(&[64, 32], 4));
    legal("pointers", &func("sm_80", 0, &gather(&threads, &threads, &atom)));
    refused(
        &func("sm_80", 0, &gather(&threads, &other, &atom)),
        Code::TypeMismatch,
        &["mask", "layout of the pointers"],
    );
    refused(
        &func("sm_80", 0, &gather(&other, &other, &atom)),
        Code::BadLayout,
        &["whose pointers it holds"],
    );
    refused(
        &func(
            "sm_80",
            0,
            &gather(&rows(&[32, 64], 8), &rows(&[32, 64], 8), &atom),
        ),
        Code::TypeMismatch,
        &["has a pointer"],
    );
    refused(
        &func("sm_80", 0, &gather(&threads, &threads, "tma<box = [64, 32]>")),
        Code::AttributeValue,
        &["`tma`", "cp_async"],
    );
    refused(
        &func("sm_75", 0, &gather(&threads, &threads, &atom)),
        Code::TargetLacksFeature,
        &["cp_async", "sm_75"],
    );
    // The same as a load, which `lower_routes` lowers to that copy.
    let load = |other: &str, atom: &str| {
        format!(
            "  %e = tile.splat %p : {}\n  %z = arith.constant {{value = f16<0.0>}} : {}\n  \
             %b, %t = tileas.gather_load %e{other} {{order = weak, atom = {atom}}} : {ty}, token\n",
            tile("ptr<f16>", &threads),
            tile("f16", &threads),
        )
    };
    legal("a load", &func("sm_80", 0, &load("", &atom)));
    refused(
        &func("sm_80", 0, &load(", other %z", &atom)),
        Code::OperandType,
        &["zeros", "`other`"],
    );
    refused(
        &func("sm_80", 0, &load("", "ld<128b>")),
        Code::AttributeValue,
        &["`ld`", "cp_async"],
    );
}

#[test]
fn a_bulk_copy_keeps_the_limits_of_tensor_maps() {
    let lines = |extents: &str, swizzle: &str, align: u32, memory: &LinearLayout| {
        let ty = buffer("f16", memory, 1);
        format!(
            "  %k = tileas.create_mem_token : token\n  \
             %m = tileas.memref %p, [%n, %n], [%n] : memref<?x?xf16, strides = [?, 1], align = {align}, class = 0, \
             stride_div = [8, 1]>\n  \
             %a = tileas.alloc {{align = 1024}} : {ty}\n  \
             %s = tileas.alloc {{align = 128}} : buffer<128xi8, shared, linear<offset = [[1], [2], [4], [8], [16], [32], \
             [64]], shape = [128]>>\n  \
             %z = tileas.tensor_map %m, %s {{dim_map = [0, 1], atom = tma<box = {extents}, swizzle = \"{swizzle}\">}} : \
             tensor_map\n  \
             %c, %t = tileas.copy_in %m, [%n, %n], %a, map %z, after %k {{dim_map = [0, 1], steps = [64, 64], \
             inbounds = [true, true], atom = tma<box = {extents}, swizzle = \"{swizzle}\">}} : pending<{ty}>, token\n  \
             %b = tileas.copy_wait %c {{in_flight = 0}} : {ty}\n  \
             %o, %u = tileas.copy_out %m, [%n, %n], %b, map %z, after %t {{dim_map = [0, 1], steps = [64, 64], \
             inbounds = [true, true], atom = tma<box = {extents}, swizzle = \"{swizzle}\">}} : pending, token\n  \
             tileas.copy_wait %o {{in_flight = 0}}\n"
        )
    };
    let memory = swizzled(&[64, 64], TileOrder::RowMajor);
    legal("tma", &func("sm_90a", 0, &lines("[64, 64]", "128B", 16, &memory)));
    let first = |text: &str| problems(text).into_iter().next().expect("a problem");
    let (code, message) = first(&func("sm_80", 0, &lines("[64, 64]", "128B", 16, &memory)));
    assert_eq!(code, Code::TargetLacksFeature, "{message}");
    let (code, message) = first(&func("sm_90a", 0, &lines("[64, 64]", "64B", 16, &memory)));
    assert!(code == Code::HardwareLimit && message.contains("64"), "{message}");
    let (code, message) = first(&func("sm_90a", 0, &lines("[64, 64]", "128B", 8, &memory)));
    assert!(
        code == Code::HardwareLimit && message.contains("is 8") && message.contains("16"),
        "{message}"
    );
    let (code, message) = first(&func(
        "sm_90a",
        0,
        &lines("[64, 64]", "128B", 16, &plain(&[64, 64])),
    ));
    assert!(code == Code::BadLayout && message.contains("offset"), "{message}");
    let large = swizzled(&[512, 64], TileOrder::RowMajor);
    let (code, message) = first(&func("sm_90a", 0, &lines("[512, 64]", "128B", 16, &large)));
    assert!(
        code == Code::HardwareLimit && message.contains("512") && message.contains("256"),
        "{message}"
    );
}

/// A product of tiles in registers.
fn product(atom: &str, element: &str, [a, b, acc]: [&LinearLayout; 3]) -> String {
    format!(
        "  %a = tile.splat %h : {}\n  %b = tile.splat %h : {}\n  %c = tile.splat %x : {c}\n  \
         %d = tileas.dot %a, %b, %c {{signedness_a = signed, signedness_b = signed, atom = {atom}}} : {c}\n",
        tile(element, a),
        tile(element, b),
        c = tile("f32", acc)
    )
}

#[test]
fn products_take_the_layouts_of_their_atoms() {
    for (name, atom) in [
        ("mma_sync<m16n8k16, b16>", ProductAtom::from(MMA)),
        ("fma", Fma.into()),
    ] {
        let layouts = atom.layouts(&[64, 64, 32].into(), 4).expect("layouts");
        let (a, b, acc) = (layouts.a.unwrap(), layouts.b.unwrap(), layouts.acc.unwrap());
        legal(name, &func("sm_80", 0, &product(name, "f16", [&a, &b, &acc])));
        let other = rows(&[64, 32], 4);
        refused(
            &func("sm_80", 0, &product(name, "f16", [&other, &b, &acc])),
            Code::BadLayout,
            &["A", &text(&other)],
        );
        let short = atom.layouts(&[64, 64, 16].into(), 4).expect("layouts").b.unwrap();
        refused(
            &func("sm_80", 0, &product(name, "f16", [&a, &short, &acc])),
            Code::TypeMismatch,
            &["[64, 32]", "[16, 64]"],
        );
    }
    let layouts = ProductAtom::from(MMA)
        .layouts(&[64, 64, 32].into(), 4)
        .expect("layouts");
    let (a, b, acc) = (layouts.a.unwrap(), layouts.b.unwrap(), layouts.acc.unwrap());
    let of = |atom: &str| func("sm_80", 0, &product(atom, "f16", [&a, &b, &acc]));
    refused(
        &of("mma_sync<m16n8k8, b32>"),
        Code::BadElementType,
        &["32", "f16"],
    );
    refused(
        &func(
            "sm_75",
            0,
            &product("mma_sync<m16n8k16, b16>", "f16", [&a, &b, &acc]),
        ),
        Code::TargetLacksFeature,
        &["sm_75", "sm_80"],
    );
    let sums = text(&acc);
    let elsewhere = of("mma_sync<m16n8k16, b16>").replace(&sums, &sums.replace("[0, 16]", "[0, 56]"));
    refused(&elsewhere, Code::BadLayout, &["lacks elements of B"]);
    let integers = of("mma_sync<m16n8k16, b16>").replace("%h : tile<64x32xf16", "%h : tile<64x32xbf16");
    assert!(!problems(&integers).is_empty());
}

#[test]
fn threads_hold_all_elements_that_their_sums_need() {
    let atom = ProductAtom::from(Fma);
    let layouts = atom.layouts(&[64, 64, 32].into(), 4).expect("layouts");
    let (a, b, acc) = (layouts.a.unwrap(), layouts.b.unwrap(), layouts.acc.unwrap());
    let fma = func("sm_80", 0, &product("fma", "f16", [&a, &b, &acc]));
    let sums = text(&acc);
    for (from, to, word) in [
        ("register = [[0, 1]", "register = [[1, 1]", "several axes"),
        ("register = [[0, 1]", "register = [[0, 9]", "lacks elements of B"),
    ] {
        let changed = fma.replace(&sums, &sums.replace(from, to));
        refused(&changed, Code::BadLayout, &[word]);
    }
    let batches = Extents {
        batch: vec![2],
        matrix: [64, 64, 32],
    };
    for (name, atom) in [
        ("mma_sync<m16n8k16, b16>", ProductAtom::from(MMA)),
        ("fma", Fma.into()),
    ] {
        let of = |warps| atom.layouts(&batches, warps).expect("layouts");
        let (two, one) = (of(2), of(1));
        let (a, b, acc) = (two.a.unwrap(), two.b.unwrap(), two.acc.unwrap());
        legal(name, &func("sm_80", 0, &product(name, "f16", [&a, &b, &acc])));
        let all = one.a.unwrap();
        refused(
            &func("sm_80", 0, &product(name, "f16", [&all, &b, &acc])),
            Code::BadLayout,
            &["A"],
        );
    }
}

#[test]
fn warp_groups_multiply_what_descriptors_can_find() {
    let acc = ProductAtom::from(WgmmaAtom::of(64))
        .layouts(&[64, 64, 64].into(), 4)
        .expect("layouts")
        .acc
        .unwrap();
    let lines = |n: u32, a: &LinearLayout, b: &LinearLayout, result: &str| {
        format!(
            "  %a = tileas.alloc {{align = 1024}} : {}\n  %b = tileas.alloc {{align = 1024}} : {}\n  \
             %c = tile.splat %x : {c}\n  \
             %d = tileas.dot %a, %b, %c {{signedness_a = signed, signedness_b = signed, atom = wgmma<n = {n}>}} : {result}\n  \
             %e = tileas.dot_wait %d {{in_flight = 0}} : {c}\n  %g = arith.negf %e : {c}\n",
            buffer("f16", a, 1),
            buffer("f16", b, 1),
            c = tile("f32", &acc)
        )
    };
    let a = swizzled(&[64, 64], TileOrder::RowMajor);
    let b = swizzled(&[64, 64], TileOrder::ColumnMajor);
    let pending = format!("pending<{}>", tile("f32", &acc));
    legal("wgmma", &func("sm_90a", 0, &lines(64, &a, &b, &pending)));
    let all = |text: &str| {
        let list: Vec<String> = problems(text)
            .into_iter()
            .map(|(code, m)| format!("{code} {m}"))
            .collect();
        list.join("\n")
    };
    let said = all(&func("sm_100a", 0, &lines(64, &a, &b, &pending)));
    assert!(said.contains("sm_100a") && said.contains("sm_90a"), "{said}");
    let said = all(&func("sm_90a", 0, &lines(64, &plain(&[64, 64]), &b, &pending)));
    assert!(said.contains("no descriptor for A"), "{said}");
    let said = all(&func("sm_90a", 0, &lines(20, &a, &b, &pending)));
    assert!(said.contains("20") || said.contains("descriptor"), "{said}");
    // Without the wait in between, the result of a pending product cannot be used.
    let early = lines(64, &a, &b, &pending).replace("arith.negf %e", "arith.negf %d");
    let said = all(&func("sm_90a", 0, &early));
    assert!(said.contains("pending"), "{said}");
    let at_once = lines(64, &a, &b, &tile("f32", &acc));
    let said = all(&func("sm_90a", 0, &at_once));
    assert!(said.contains("waited for"), "{said}");
}

#[test]
fn tensor_memory_holds_accumulators() {
    let acc = TmemAccumulator::M128.to_linear(64).expect("a layout");
    let a = swizzled(&[128, 64], TileOrder::RowMajor);
    let b = swizzled(&[64, 64], TileOrder::ColumnMajor);
    let lines = |m: u32| {
        let c = format!("buffer<128x64xf32, tensor, {}>", text(&acc));
        format!(
            "  %a = tileas.alloc {{align = 1024}} : {}\n  %b = tileas.alloc {{align = 1024}} : {}\n  \
             %c = tileas.alloc {{align = 16}} : {c}\n  \
             %d = tileas.dot %a, %b, %c {{signedness_a = signed, signedness_b = signed, \
             atom = tcgen05<m = {m}, n = 64, blocks = one>}} : pending<{c}>\n  \
             %e = tileas.dot_wait %d {{in_flight = 0}} : {c}\n",
            buffer("f16", &a, 1),
            buffer("f16", &b, 1),
        )
    };
    legal("tcgen05", &func("sm_100a", 0, &lines(128)));
    let found = problems(&func("sm_100a", 0, &lines(32)));
    assert!(
        found
            .iter()
            .any(|(code, m)| *code == Code::HardwareLimit && m.contains("32") && m.contains("128")),
        "{found:#?}"
    );
    let found = problems(&func("sm_90a", 0, &lines(128)));
    assert!(
        found.iter().any(|(code, _)| *code == Code::TargetLacksFeature),
        "{found:#?}"
    );
}

#[test]
fn matrices_are_loaded_where_rows_are() {
    let fragment = MmaTile {
        instruction: MmaSync::M16N8K16B16,
        operand: MmaOperand::A,
        warps_per_cta: vec![4, 1],
        order: vec![1, 0],
    };
    let layout = fragment.to_linear(&[64, 32]).expect("a layout");
    let lines = |atom: &str, memory: &LinearLayout| {
        format!(
            "  %a = tileas.alloc {{align = 16}} : {}\n  %v = tileas.copy %a {{atom = {atom}}} : {}\n",
            buffer("f16", memory, 1),
            tile("f16", &layout)
        )
    };
    let memory = plain(&[64, 32]);
    legal("ldmatrix", &func("sm_80", 0, &lines("ldmatrix<x4>", &memory)));
    refused(
        &func("sm_80", 0, &lines("ldmatrix<x4, trans>", &memory)),
        Code::BadLayout,
        &["ldmatrix"],
    );
    let across = plain(&[32, 64]).permute_axes(&[1, 0]).expect("a layout");
    legal("trans", &func("sm_80", 0, &lines("ldmatrix<x4, trans>", &across)));
    refused(
        &func("sm_80", 0, &lines("stmatrix<x4>", &memory)),
        Code::TargetLacksFeature,
        &["sm_90", "sm_80"],
    );
    refused(
        &func("sm_80", 0, &lines("ld<128b>", &memory)),
        Code::BadLayout,
        &["8", "2"],
    );
}

#[test]
fn reductions_reach_all_elements_of_their_axis() {
    let lines = |axis: u32, atom: &str, result: &str| {
        format!(
            "  %v = tile.splat %x : {}\n  \
             %r = tileas.reduce [%v] {{axis = {axis}, identities = [f32<0x00000000>], atom = {atom}}} : {result} body {{\n  \
             ^(%a: f32, %b: f32):\n    %s = arith.addf %a, %b {{rounding = nearest_even}} : f32\n    \
             tileas.yield [%s]\n  }}\n",
            tile("f32", &rows(&[64, 32], 4)),
        )
    };
    let layout = rows(&[64, 32], 4);
    let without = |axis| layout.slice(axis).unwrap().remove_axis(axis).unwrap();
    let kept = |axis| {
        let layout = without(axis).drop_copies(Dim::Register);
        tile("f32", &layout)
    };
    legal("rows", &func("sm_80", 0, &lines(1, "shuffle", &kept(1))));
    legal("columns", &func("sm_80", 0, &lines(0, "shared", &kept(0))));
    refused(
        &func("sm_80", 0, &lines(1, "thread", &kept(1))),
        Code::BadLayout,
        &["shuffle"],
    );
    refused(
        &func("sm_80", 0, &lines(0, "shuffle", &kept(0))),
        Code::BadLayout,
        &["shared"],
    );
    refused(
        &func("sm_80", 0, &lines(2, "shared", &kept(0))),
        Code::AttributeValue,
        &["2 axes", "axis 2"],
    );
    refused(
        &func("sm_80", 0, &lines(1, "shuffle", &kept(0))),
        Code::TypeMismatch,
        &["without the axis"],
    );
    let scan = lines(1, "shuffle", &tile("f32", &layout)).replace("tileas.reduce", "tileas.scan");
    legal("scan", &func("sm_80", 0, &scan));
}

#[test]
fn atomics_prints_and_assertions_are_checked() {
    let layout = rows(&[64, 32], 1);
    let lines = |op: &str, atom: &str| {
        let ty = tile("f32", &layout);
        format!(
            "  %k = tileas.create_mem_token : token\n  %b = tile.splat %q : {}\n  %v = tile.splat %x : {ty}\n  \
             %w, %t = tileas.atomic_rmw %b, %v, after %k {{op = {op}, order = acq_rel, scope = device}} : {ty}, token\n  \
             %m = tileas.memref %q, [%n, %n], [%n] : memref<?x?xf32, strides = [?, 1], align = 16, class = 0>\n  \
             %u = tileas.atomic_tile %m, [%n, %n], %v, after %t {{dim_map = [0, 1], steps = [64, 32], \
             inbounds = [false, false], op = addf, order = relaxed, scope = system, atom = {atom}}} : token\n  \
             %s = tileas.atomic_scatter %b, %v, after %u {{op = addf, order = relaxed, scope = system, atom = st<32b>}} : token\n  \
             %o, %z = tileas.atomic_cas %b, %v, %w, after %s {{order = relaxed, scope = block}} : {ty}, token\n  \
             tileas.print [%x, %v] {{format = \"%f %f\\n\"}}\n  \
             %g = arith.cmpf %v, %w {{predicate = lt, ordering = ordered}} : {}\n  \
             tileas.assert %g {{message = \"small\"}}\n  tileas.barrier\n",
            tile("ptr<f32>", &layout),
            tile("i1", &layout),
        )
    };
    legal("atomics", &func("sm_80", 0, &lines("addf", "st<32b>")));
    legal("vectors", &func("sm_90a", 0, &lines("addf", "st<64b>")));
    refused(
        &func("sm_80", 0, &lines("xor", "st<32b>")),
        Code::BadElementType,
        &["xor", "f32"],
    );
    refused(
        &func("sm_80", 0, &lines("addf", "st<32b, cache = cg>")),
        Code::AttributeValue,
        &["atomic", "cache policy"],
    );
    refused(
        &func("sm_80", 0, &lines("addf", "st<16b>")),
        Code::AttributeValue,
        &["16 bits", "32"],
    );
}

#[test]
fn slices_and_joins_keep_elements_in_their_threads() {
    let whole = rows(&[64, 32], 4);
    let part = |extents: [u32; 2]| tilewright_irs::tileas::slice_layout(&whole, &extents).expect("a layout");
    let lines = |extents: [u32; 2], at: &str| {
        format!(
            "  %v = tile.splat %x : {w}\n  %s = tileas.extract_slice %v {{offsets = {at}}} : {p}\n  \
             %c = tileas.concat [%s, %s] {{axis = 0}} : {w}\n",
            w = tile("f32", &whole),
            p = tile("f32", &part(extents))
        )
    };
    legal("halves", &func("sm_80", 0, &lines([32, 32], "[32, 0]")));
    refused(
        &func("sm_80", 0, &lines([32, 32], "[16, 0]")),
        Code::BadLayout,
        &["[16, 0]", "[64, 32]"],
    );
    let found = problems(&func("sm_80", 0, &lines([64, 16], "[0, 16]")));
    assert!(
        found.iter().any(|(_, m)| m.contains("between threads")),
        "{found:#?}"
    );
    let found = problems(&func("sm_80", 0, &lines([16, 32], "[16, 0]")));
    assert!(
        found.iter().any(|(_, m)| m.contains("32") && m.contains("64")),
        "{found:#?}"
    );
}

#[test]
fn atoms_cost_what_they_take() {
    let extents = [128, 128, 64];
    let hopper = Target::parse("sm_90a").expect("a target");
    let of = |atom: ProductAtom, extents| {
        let types = [ScalarType::F16, ScalarType::F16, ScalarType::F32];
        atom.cost(types, extents, hopper).busy.0
    };
    let products = [
        of(Fma.into(), extents),
        of(MMA.into(), extents),
        of(WgmmaAtom::of(128).into(), extents),
    ];
    assert!(products.is_sorted_by(|a, b| a > b), "{products:?}");
    assert_eq!(of(WgmmaAtom::of(128).into(), [256, 128, 64]), 2 * products[2]);

    let target = Target::parse("sm_80").expect("a target");
    let memref = Memref {
        element: ScalarType::F32,
        extents: vec![None, None],
        strides: vec![None, Some(1)],
        align: 16,
        extent_div: vec![1, 1],
        stride_div: vec![1, 1],
        class: 0,
    };
    let along = TileAsType::tile(ElementType::Scalar(ScalarType::F32), rows(&[128, 32], 4));
    let across = TileAsType::tile(
        ElementType::Scalar(ScalarType::F32),
        rows(&[32, 128], 4).permute_axes(&[1, 0]).expect("a layout"),
    );
    let cost = |atom: CopyAtom, from: Place<'_>, to: Place<'_>| {
        atom.cost(&CopyUse {
            target,
            warps: 4,
            from,
            to,
            dim_map: &[0, 1],
        })
        .busy
        .0
    };
    let global = |ty, bits| cost(Ld::new(bits).into(), Place::Global(&memref), Place::Registers(ty));
    // Four registers at once along rows; along columns every lane accesses separate sectors.
    assert!(global(&along, 128) < global(&along, 32));
    assert!(global(&along, 32) < global(&across, 32));
    let plain = Buffer::shared(ScalarType::F32, plain(&[128, 32]));
    let shared = |ty, bits| cost(St::new(bits).into(), Place::Registers(ty), Place::Buffer(&plain));
    // 32 elements of each of 32 lanes fill the banks 32 times; along columns all lanes conflict in one bank.
    assert_eq!(shared(&along, 128), 32);
    assert!(shared(&across, 32) > shared(&along, 32));

    let layout = rows(&[64, 32], 4);
    assert_eq!(ReduceAtom::least(&layout, 1), ReduceAtom::Shuffle);
    assert_eq!(ReduceAtom::least(&layout, 0), ReduceAtom::Shared);
    let costs: Vec<u64> = ReduceAtom::ALL
        .iter()
        .map(|atom| atom.weight(&layout, 1))
        .collect();
    assert!(costs.is_sorted_by(|a, b| a < b), "{costs:?}");
}

/// Problems, one of which has these words.
#[track_caller]
fn says(lines: &str, words: &str) {
    let found = problems(&func("sm_80", 0, lines));
    assert!(
        found.iter().any(|(_, message)| message.contains(words)),
        "`{words}`\n{lines}\n{found:#?}"
    );
}

#[test]
fn types_say_what_there_can_be() {
    let place = "linear<offset = [[1], [2], [4]], shape = [8]>";
    let alloc = |ty: &str| format!("  %a = tileas.alloc {{align = 16}} : {ty}\n");
    legal(
        "a stage",
        &func("sm_80", 0, &alloc(&format!("buffer<8xf16, shared, {place}>"))),
    );
    for (ty, words) in [
        (
            format!("buffer<8xf16, shared, {place}, stages = 0>"),
            "0 stages; there are 1 to 65536",
        ),
        (
            format!("buffer<8xf16, shared, {place}, stages = 65537>"),
            "65537 stages; there are 1 to 65536",
        ),
        // As many stages as there can be, which no block has the memory for.
        (
            format!("buffer<8xf16, shared, {place}, stages = 65536>"),
            "of shared memory",
        ),
        (
            format!("buffer<16xf16, shared, {place}>"),
            "a layout of shape [16]",
        ),
        (
            "buffer<8xf16, shared, linear<offset = [[1], [2]], shape = [8]>>".to_owned(),
            "a place for every element",
        ),
        (
            "buffer<8xf16, shared, linear<lane = [[1], [2], [4]], shape = [8]>>".to_owned(),
            "a layout from `offset`",
        ),
        (
            "tile<16xf16, linear<lane = [[1], [2], [4]], shape = [8]>>".to_owned(),
            "a layout of shape [16]",
        ),
        (
            format!("tile<8xf16, {place}>"),
            "a layout from `register`, `lane`, `warp` and `block`",
        ),
    ] {
        says(&alloc(&ty), words);
    }
    let largest = alloc(&format!("buffer<8xf16, shared, {place}>")).replace("align = 16", "align = 65536");
    legal("the largest alignment", &func("sm_80", 0, &largest));
    says(
        "  %v = tile.splat %x : tile<8xf32, linear<register = [[1], [2]], shape = [8]>>\n",
        "leaves elements of its tile out",
    );
    for (align, words) in [("131072", "not of 131072"), ("24", "not of 24")] {
        says(
            &alloc(&format!("buffer<8xf16, shared, {place}>"))
                .replace("align = 16", &format!("align = {align}")),
            words,
        );
    }
    let columns = |bits: u32| {
        let bases: Vec<String> = (0..bits).map(|bit| format!("[0, {}]", 1 << bit)).collect();
        let (bases, count) = (bases.join(", "), 1 << bits);
        alloc(&format!(
            "buffer<1x{count}xf32, tensor, linear<tmem_lane = [], tmem_column = [{bases}], shape = [1, {count}]>>"
        ))
    };
    legal("columns", &func("sm_100a", 0, &columns(9)));
    says(&columns(10), "512 columns, not 1 and 1024");
    for (warps, fits) in [(32, true), (3, false), (64, false)] {
        let text = func("sm_80", 0, "").replace("num_warps = 4", &format!("num_warps = {warps}"));
        let found = problems(&text);
        let refused = found.iter().any(|(_, message)| {
            message.contains("a power of two of warps") || message.contains("from 1 to 32")
        });
        assert_eq!(refused, !fits, "{warps} warps: {found:#?}");
    }
    // Layouts over more warps or lanes than there are.
    for layout in [
        "linear<warp = [[1], [2], [4]], shape = [8]>",
        "linear<lane = [[1], [2], [4], [8], [16], [32]], shape = [64]>",
    ] {
        let extent = if layout.contains("warp") { 8 } else { 64 };
        says(
            &format!("  %v = tile.splat %x : tile<{extent}xf32, {layout}>\n"),
            "in a kernel of 4 warps of 32",
        );
    }
}

#[test]
fn copies_within_a_block_keep_extents_and_say_what_they_make() {
    let memory = plain(&[64, 32]);
    let given = format!(
        "  %x1 = tile.splat %h : {t}\n  %a = tileas.alloc {{align = 16}} : {}\n  %s = tileas.alloc {{align = 16}} : {}\n",
        buffer("f16", &memory, 1),
        buffer("f16", &memory, 4),
        t = tile("f16", &rows(&[64, 32], 8)),
    );
    let (whole, part) = (tile("f16", &rows(&[64, 32], 8)), tile("f16", &rows(&[32, 32], 8)));
    let other = tile("bf16", &rows(&[64, 32], 8));
    legal(
        "there and back",
        &func(
            "sm_80",
            0,
            &format!(
                "{given}  tileas.copy %x1, to %a {{atom = st<128b>}}\n  %y = tileas.copy %a {{atom = ld<128b>}} : {whole}\n"
            ),
        ),
    );
    for (line, words) in [
        (
            format!("%y = tileas.copy %x1, to %a {{atom = st<128b>}} : {whole}"),
            "a copy into a buffer has no result",
        ),
        (
            "tileas.copy %a {atom = ld<128b>}".to_owned(),
            "a copy to registers makes a tile",
        ),
        (
            format!("%y = tileas.copy %a {{atom = ld<128b>}} : {part}"),
            "a copy keeps extents and element type",
        ),
        (
            format!("%y = tileas.copy %a {{atom = ld<128b>}} : {other}"),
            "a copy keeps extents and element type",
        ),
        (
            format!("%y = tileas.copy %s {{atom = ld<128b>}} : {whole}"),
            "a copy is about one stage, the buffer has 4",
        ),
        (
            format!(
                "%y = tileas.copy_wait %a {{in_flight = 0}} : {}",
                buffer("f16", &memory, 1)
            ),
            "only what is pending is waited for",
        ),
        (
            format!(
                "%y = tileas.reinterpret %s : {}",
                buffer("f16", &plain(&[128, 32]), 2)
            ),
            "4 stages of 16384 bytes in all cannot be read as 2 stages of 16384",
        ),
        (
            format!(
                "%y = tileas.reinterpret %s : {}",
                buffer("f16", &plain(&[32, 32]), 4)
            ),
            "4 stages of 16384 bytes in all cannot be read as 4 stages of 8192",
        ),
        (
            "%y = tileas.reinterpret %a : buffer<64x32xf16, shared, cute<\"(64,32):(32,1)\">>".to_owned(),
            "with linear layouts can be read otherwise",
        ),
    ] {
        says(&format!("{given}  {line}\n"), words);
    }
}

#[test]
fn tiles_are_converted_cut_and_joined_as_wholes() {
    let (whole, half) = (rows(&[64, 32], 4), rows(&[32, 32], 4));
    let turned = whole.permute_bits(Dim::Warp, &[1, 0]).expect("two bits");
    let given = format!(
        "  %v = tile.splat %x : {}\n  %s = tile.splat %x : {}\n",
        tile("f32", &whole),
        tile("f32", &half)
    );
    let (whole, half) = (tile("f32", &whole), tile("f32", &half));
    for (line, words) in [
        (
            "%y = tileas.convert_layout %x : f32".to_owned(),
            "a layout conversion is about tiles",
        ),
        (
            "%y = tileas.convert_layout %v : f32".to_owned(),
            "a layout conversion is about tiles",
        ),
        (
            format!("%y = tileas.convert_layout %v : {half}"),
            "changes nothing but the layout",
        ),
        (
            format!(
                "%y = tileas.convert_layout %v : {}",
                tile("f16", &rows(&[64, 32], 4))
            ),
            "changes nothing but the layout",
        ),
        (
            "%y = tileas.exchange %v : f32".to_owned(),
            "a layout conversion is about tiles",
        ),
        (
            format!("%y = tileas.exchange %v : {}", tile("f32", &turned)),
            "an exchange would move elements to another warp",
        ),
        (
            "%y = tileas.extract_slice %v {offsets = [0, 0]} : f32".to_owned(),
            "a slice of a tile is a tile",
        ),
        (
            format!(
                "%y = tileas.extract_slice %v {{offsets = [0, 0]}} : {}",
                tile("f16", &rows(&[32, 32], 4))
            ),
            "a slice keeps the element type",
        ),
        (
            format!("%y = tileas.extract_slice %v {{offsets = [0]}} : {half}"),
            "does not lie in a tile",
        ),
        (
            format!("%y = tileas.extract_slice %v {{offsets = [64, 0]}} : {half}"),
            "does not lie in a tile",
        ),
        (
            format!("%y = tileas.concat [] {{axis = 0}} : {whole}"),
            "parts of a tile are tiles, at least one",
        ),
        (
            format!("%y = tileas.concat [%x, %x] {{axis = 0}} : {whole}"),
            "parts of a tile are tiles",
        ),
        (
            format!("%y = tileas.concat [%s, %v] {{axis = 0}} : {whole}"),
            "the parts of a tile have one type",
        ),
        (
            format!("%y = tileas.concat [%s] {{axis = 0}} : {whole}"),
            "the tile has 64 elements along axis 0, the sum over 1 part is 32",
        ),
        (
            format!("%y = tileas.concat [%s, %s] {{axis = 2}} : {whole}"),
            "along axis 2",
        ),
        (
            format!("%y = tileas.concat [%s, %s] {{axis = 1}} : {whole}"),
            "along axis 1",
        ),
        (
            format!("%y = tileas.concat [%v] {{axis = 2}} : {whole}"),
            "the tile has 0 elements along axis 2, the sum over 1 part is 0",
        ),
    ] {
        says(&format!("{given}  {line}\n"), words);
    }
    let reduce = |operands: &str, identities: &str| {
        format!(
            "{given}  %r = tileas.reduce [{operands}] {{axis = 1, identities = [{identities}], atom = shuffle}} : f32 body {{\n  \
             ^(%a: f32, %b: f32):\n    tileas.yield [%a]\n  }}\n"
        )
    };
    for (text, words) in [
        (reduce("%x", "f32<0.0>"), "tiles are combined along an axis"),
        (reduce("%v", "f16<0.0>"), "one identity for each operand"),
        (reduce("%v", ""), "one identity for each operand"),
        (reduce("", ""), "at least one tile is combined"),
        (
            reduce("%v, %s", "f32<0.0>, f32<0.0>"),
            "tiles that are combined together have one layout",
        ),
    ] {
        says(&text, words);
    }
}

#[test]
fn asynchronous_copies_within_a_block_are_waited_for() {
    let acc = TmemAccumulator::M128.to_linear(64).expect("a layout");
    let other = TmemAccumulator::M128.to_linear(32).expect("a layout");
    let tensor =
        |layout: &LinearLayout| format!("buffer<{}f32, tensor, {}>", dims(&layout.shape()), text(layout));
    let lanes = TmemAccess {
        shape: TmemShape::Lanes32x32b(Repeat::of(32).expect("a count")),
        values: TmemValues::Whole,
    };
    let held = tile("f32", &lanes.of_tile(&acc, 1).expect("a layout"));
    let (from, to, smaller) = (buffer("f32", &plain(&[128, 64]), 1), tensor(&acc), tensor(&other));
    let given = format!(
        "  %a = tileas.alloc {{align = 1024}} : {from}\n  %t = tileas.alloc {{align = 16}} : {to}\n  \
         %v = tile.splat %x : {held}\n"
    );
    let lines = |line: &str| func("sm_100a", 0, &format!("{given}  {line}\n"));
    for line in [
        format!(
            "%y = tileas.copy %a, to %t {{atom = tcgen05_cp<s128x256b>}} : pending<{to}>\n  \
             %z = tileas.copy_wait %y {{in_flight = 0}} : {to}"
        ),
        format!(
            "%y = tileas.copy %t {{atom = tcgen05_ld<s32x32b, x32>}} : pending<{held}>\n  \
             %z = tileas.copy_wait %y {{in_flight = 0}} : {held}"
        ),
        format!(
            "%y = tileas.copy %v, to %t {{atom = tcgen05_st<s32x32b, x32>}} : pending<{to}>\n  \
             %z = tileas.copy_wait %y {{in_flight = 0}} : {to}"
        ),
    ] {
        legal(&line, &lines(&line));
    }
    let waited = "is waited for; a copy into a buffer has the pending buffer as result, a copy to registers makes a \
                  pending tile";
    let at_once = "is done at once; a copy into a buffer has no result, a copy to registers makes a tile";
    for (line, words) in [
        (
            "tileas.copy %a, to %t {atom = tcgen05_cp<s128x256b>}".to_owned(),
            waited,
        ),
        (
            format!("%y = tileas.copy %a, to %t {{atom = tcgen05_cp<s128x256b>}} : {to}"),
            waited,
        ),
        (
            format!("%y = tileas.copy %t {{atom = tcgen05_ld<s32x32b, x32>}} : {held}"),
            waited,
        ),
        (
            format!("%y = tileas.copy %a, to %t {{atom = tcgen05_cp<s128x256b>}} : pending<{smaller}>"),
            "a copy into a buffer gives that buffer, pending",
        ),
        (
            format!("%y = tileas.copy %a {{atom = tcgen05_cp<s128x256b>}} : pending<{to}>"),
            "a copy without a destination makes a tile",
        ),
        (
            format!("%y = tileas.copy %v, to %a {{atom = st<32b>}} : pending<{from}>"),
            at_once,
        ),
        (
            format!("%y = tileas.copy %a {{atom = ld<32b>}} : pending<{held}>"),
            at_once,
        ),
    ] {
        let found = problems(&lines(&line));
        assert!(
            found.iter().any(|(_, message)| message.contains(words)),
            "`{words}`\n{line}\n{found:#?}"
        );
    }
}

#[test]
fn products_and_accesses_name_what_they_cannot_take() {
    let layouts = ProductAtom::from(Fma)
        .layouts(&[64, 64, 32].into(), 4)
        .expect("layouts");
    let [a, b, acc] = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
    let row = Blocked::coalesced(&[32], 1, &[0], 4).expect("a layout");
    let given = format!(
        "  %k = tileas.create_mem_token : token\n  %a = tile.splat %h : {}\n  %b = tile.splat %h : {}\n  \
         %c = tile.splat %x : {}\n  %row = tile.splat %h : {}\n  \
         %m = tileas.memref %q, [%n, %n], [%n] : memref<?x?xf32, strides = [?, 1], align = 16, class = 0>\n",
        tile("f16", &a),
        tile("f16", &b),
        tile("f32", &acc),
        tile("f16", &row.to_linear(&[32]).expect("a layout")),
    );
    let c = tile("f32", &acc);
    let dot = |operands: &str| {
        format!(
            "%d = tileas.dot {operands} {{signedness_a = signed, signedness_b = signed, atom = fma}} : {c}"
        )
    };
    legal(
        "a product",
        &func("sm_80", 0, &format!("{given}  {}\n", dot("%a, %b, %c"))),
    );
    let from_buffer = |line: &str| {
        let bases = "[[1], [2], [4], [8], [16], [32]]";
        format!(
            "%s = tileas.alloc {{align = 16}} : buffer<64xf32, shared, linear<offset = {bases}, shape = [64]>>\n  {line}"
        )
    };
    let one = tile("f32", &rows(&[64, 32], 1));
    let pointers = tile("ptr<f32>", &rows(&[64, 32], 1));
    for (line, words) in [
        (dot("%k, %b, %c"), "a product is about tiles and buffers"),
        (dot("%a, %k, %c"), "a product is about tiles and buffers"),
        (dot("%row, %b, %c"), "[32] times [32, 64] is not [64, 64]"),
        (dot("%a, %row, %c"), "[64, 32] times [32] is not [64, 64]"),
        (
            "tileas.print [%x, %k] {format = \"%f %f\\n\"}".to_owned(),
            "elements are printed",
        ),
        (
            "tileas.print [%k, %x] {format = \"%f %f\\n\"}".to_owned(),
            "elements are printed",
        ),
        (
            "tileas.print [%x] {format = \"%f %f\"}".to_owned(),
            "the format has 2 conversions for 1 value",
        ),
        (
            "tileas.print [%x] {format = \"100 %\"}".to_owned(),
            "the `%` at byte 4 of the format begins no conversion",
        ),
        (
            from_buffer("tileas.print [%s] {format = \"%f\"}"),
            "prints at most 32 elements from buffers, not 64",
        ),
        (
            "tileas.print_elements %x {form = \"%f\", shape = [64], first = 0}".to_owned(),
            "the elements of a buffer of one stage in shared memory are printed",
        ),
        (
            from_buffer("tileas.print_elements %s {form = \"%f, %f\", shape = [64], first = 0}"),
            "the format has 2 conversions",
        ),
        (
            from_buffer("tileas.print_elements %s {form = \"%f\", shape = [8, 4], first = 0}"),
            "a tile of 32 elements has no aligned part of 64 elements from 0 on",
        ),
        (
            from_buffer("tileas.print_elements %s {form = \"%f\", shape = [4, 64], first = 32}"),
            "a tile of 256 elements has no aligned part of 64 elements from 32 on",
        ),
        (
            "%z = tileas.first_zero %c : tile<4xi32, linear<warp = [[1], [2]], shape = [4]>>".to_owned(),
            "a condition is a tile of i1",
        ),
        (
            from_buffer("tileas.trap_at %s {shape = [64], message = \"small\"}"),
            "a buffer of i32 in shared memory",
        ),
        (
            "%z = tileas.fence after %x {kind = alias} : token".to_owned(),
            "memory operations wait for tokens only",
        ),
        // Two registers side by side are loaded by no more than 64 bits.
        (
            format!(
                "%l, %t = tileas.load %m, [%n, %n], after %k {{dim_map = [0, 1], steps = [2, 32], inbounds = [false, \
                 false], order = weak, atom = ld<128b>}} : {}, token",
                tile("f32", &rows(&[2, 32], 1))
            ),
            "the atom moves 128 bits at a time; a thread holds 1 element of 32 bits",
        ),
        (
            format!(
                "%e = tile.splat %q : {pointers}\n  %l, %t = tileas.gather_load %e, after %k {{order = weak, atom = \
                 st<32b>}} : {one}, token"
            ),
            "`st` copies",
        ),
        (
            format!(
                "%y, %t = tileas.copy_in %m, [%n, %n], %c, after %k {{dim_map = [0, 1], steps = [64, 64], inbounds = \
                 [false, false], atom = tma<box = [64, 64]>}} : pending<{c}>, token"
            ),
            "`tma` copies by the tensor map of the array",
        ),
        (
            format!(
                "%y, %t = tileas.copy_in %m, [%n, %n], %c, after %k {{dim_map = [0, 1], steps = [64, 64], inbounds = \
                 [false, false], atom = cp_async<128b, {}>}} : pending<{c}>, token",
                text(&rows(&[64, 64], 4))
            ),
            "the tile of this copy is in a buffer",
        ),
    ] {
        says(&format!("{given}  {line}\n"), words);
    }
}

#[test]
fn a_barrier_for_overlaps_names_an_array() {
    let memref = "  %m = tileas.memref %q, [%n, %n], [%n] : memref<?x?xf32, strides = [?, 1], align = 16, class = 0>\n";
    legal(
        "of an array",
        &func("sm_90a", 0, &format!("{memref}  tileas.overlap_barrier %m\n")),
    );
    refused(
        &func("sm_90a", 0, "  tileas.overlap_barrier %q\n"),
        Code::OperandType,
        &["memref"],
    );
}
