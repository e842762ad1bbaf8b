//! Each pass on kernels written by hand, and what it refuses.

use tilewright_diagnostics::Code;
use tilewright_irs::mlir::shared_bytes;
use tilewright_passes::cute::{
    drop_static_arguments, expand_comparisons, expand_copies, expand_fragments, expand_prints,
    expand_products, expand_vectors, place_shared_memory,
};

use super::{after, kernel, refusal};

#[test]
fn parameters_that_their_types_say_are_dropped() {
    let kernel = kernel(
        "(%a: !cute.memref<f32, gmem, \"4:1\">, %b: !cute.layout<\"4:1\">, %c: i32 {cute_nvgpu.grid_constant}, %d: !cute.shape<\"(?,4)\">)",
        "      %s = cute.get_shape(%b) : (!cute.layout<\"4:1\">) -> !cute.shape<\"4\">
      %t = cute.size(%d) : (!cute.shape<\"(?,4)\">) -> !cute.int_tuple<\"?{div=4}\">",
    );
    insta::assert_snapshot!(after(drop_static_arguments, &kernel));
}

/// A kernel that allocates shared memory: numbers of partitions, and views.
fn allocates(allocations: &[(&str, &str)]) -> String {
    let line = |(nth, (partition, view)): (usize, &(&str, &str))| {
        format!("      %a{nth} = cute.memref.alloca() {partition} : !cute.memref<{view}>\n")
    };
    allocations.iter().enumerate().map(line).collect()
}

const FIRST: &str = "{smem.partition_id = 1 : i32}";
const SECOND: &str = "{smem.partition_id = 2 : i32}";

#[test]
fn shared_memory_is_placed_partition_by_partition() {
    let text = allocates(&[
        (FIRST, "i8, smem, align<4>, \"20:1\""),
        (SECOND, "f16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\""),
        (FIRST, "f32, smem, align<16>, \"7:2\""),
        ("", "f32, rmem, \"4:1\""),
    ]);
    let more = "      %p = cute_nvgpu.arch.alloc_smem(3) : !cute.ptr<f32, smem, align<16>>
      %v = cute.memref.alloc_smem() : !cute.memref<i8, smem, align<2>, \"S<1,2,1> o 0 o 5:1\">";
    let kernel = kernel("()", &format!("{text}{more}"));
    // 20 bytes, 13 floats from 32 on, 512 halves from 128 on, 3 floats from 1152 on, 8 bytes (a period) from 1164 on.
    assert_eq!(shared_bytes(&kernel), Ok(1164 + 16));
    let placed = place_shared_memory(&kernel).expect("a place for all");
    assert_eq!(shared_bytes(&placed), Ok(1164 + 16));
    insta::assert_snapshot!(after(place_shared_memory, &kernel));
}

#[test]
fn shared_memory_that_cannot_be_placed_is_refused() {
    let huge = format!("f64, smem, \"{0}:{0}\"", 1u64 << 31);
    for (view, code, part) in [
        ("i8, smem, align<2048>, \"4:1\"", Code::HardwareLimit, "2048"),
        ("i8, smem, align<48>, \"4:1\"", Code::HardwareLimit, "48"),
        (huge.as_str(), Code::SharedMemory, "more than any"),
    ] {
        let kernel = kernel("()", &allocates(&[(FIRST, view)]));
        let (found, message) = refusal(place_shared_memory, &kernel);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

const MMA: &str = "!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >";

#[test]
fn fragments_are_registers() {
    let tiled = format!("!cute.tiled_mma<{MMA}, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">>");
    let tensor = "!cute.memref<f16, smem, align<16>, \"((2,2,2),2,1):((1,8,64),16,0)\">";
    let fragment = "!cute.memref<f16, rmem, align<16>, \"((2,2,2),2,1):((1,2,4),8,0)\">";
    let kernel = kernel(
        &format!("(%m: {tiled}, %a: {tensor})"),
        &format!("      %f = cute.mma.make_fragment A (%m, %a) : ({tiled}, {tensor}) -> {fragment}"),
    );
    insta::assert_snapshot!(after(expand_fragments, &kernel));
}

#[test]
fn fragments_of_warpgroups_are_refused() {
    let mma =
        "!cute_nvgpu.sm90.mma<64x64x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>";
    let tiled = format!("!cute.tiled_mma<{mma}, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">>");
    let tensor = "!cute.memref<f16, smem, align<128>, S<3,4,3>, \"((64,16),1,4):((64,1),0,16)\">";
    let fragment = "!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"(1,1,4):(0,0,2)\">";
    let kernel = kernel(
        &format!("(%m: {tiled}, %a: {tensor})"),
        &format!("      %f = cute.mma.make_fragment A (%m, %a) : ({tiled}, {tensor}) -> {fragment}"),
    );
    let (code, message) = refusal(expand_fragments, &kernel);
    assert_eq!(code, Code::UnsupportedFeature);
    assert!(message.contains("sm90.mma"), "{message}");
}

/// A kernel that copies: the atom, the layouts of source and destination with their elements and spaces, and that of a
/// predicate.
fn copies(
    atom: &str,
    source: &str,
    destination: &str,
    predicate: Option<&str>,
) -> tilewright_irs::core::Func<tilewright_irs::mlir::Mlir> {
    let (source, destination) = (
        format!("!cute.memref<{source}>"),
        format!("!cute.memref<{destination}>"),
    );
    let (predicate, name, ty) = match predicate {
        Some(layout) => {
            let ty = format!("!cute.memref<i8, rmem, align<32>, \"{layout}\">");
            (format!(", %p: {ty}"), ", %p", format!(", {ty}"))
        }
        None => Default::default(),
    };
    kernel(
        &format!("(%s: {source}, %d: {destination}{predicate})"),
        &format!(
            "      %atom = cute.make_atom() : () -> {atom}
      cute.copy(%atom, %s, %d{name}) : ({atom}, {source}, {destination}{ty})"
        ),
    )
}

const UNIVERSAL: &str = "!cute_nvgpu.atom.universal_copy<f32>";
const WIDE: &str = "!cute_nvgpu.atom.universal_copy<f32, 128 b>";
const ASYNC: &str = "!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>";
const MATRICES: &str =
    "!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 2, n>";

#[test]
fn copies_are_loops_of_instructions() {
    let [asynchronous, predicated, several, matrices] = [
        copies(
            ASYNC,
            "f16, gmem, align<16>, \"((8,1),4,2):((1,0),?{i64 div=64},8)\"",
            "f16, smem, align<16>, S<2,4,3>, \"((8,1),4,2):((1,0),512,8)\"",
            None,
        ),
        copies(
            ASYNC,
            "f16, gmem, align<16>, \"((8,1),4):((1,0),64)\"",
            "f16, smem, align<16>, \"((8,1),4):((1,0),512)\"",
            Some("(1,4):(0,1)"),
        ),
        copies(
            WIDE,
            "f32, smem, align<16>, \"((4,2),1):((1,8),0)\"",
            "f32, rmem, align<32>, \"((4,2),1):((1,4),0)\"",
            Some("(2,1):(1,0)"),
        ),
        copies(
            MATRICES,
            "f16, smem, align<16>, \"S<3,3,3> o 0 o (8,(2,3)):(1,(64,128))\"",
            "f16, rmem, align<16>, \"(4,(2,3)):(1,(4,8))\"",
            None,
        ),
    ];
    insta::assert_snapshot!("copy_asynchronous", after(expand_copies, &asynchronous));
    insta::assert_snapshot!("copy_predicated", after(expand_copies, &predicated));
    insta::assert_snapshot!("copy_several", after(expand_copies, &several));
    insta::assert_snapshot!("copy_matrices", after(expand_copies, &matrices));
}

/// The text of the atom of the only call, and the loops around it.
fn shape(text: &str) -> (String, usize) {
    let call = text
        .lines()
        .find(|line| line.contains("copy_atom_call"))
        .expect("a call");
    let types = call.split(" : (").nth(1).expect("types");
    let atom = types.split('>').next().expect("an atom");
    (
        atom.replace("!cute_nvgpu.atom.universal_copy<", ""),
        text.matches("scf.for").count(),
    )
}

#[test]
fn universal_copies_without_a_width_are_as_wide_as_both_tensors_allow() {
    for (source, destination, predicate, atom, loops) in [
        ("align<16>, \"4:1\"", "align<16>, \"4:1\"", None, "f32, 128 b", 0),
        (
            "align<16>, \"(4,1):(1,0)\"",
            "align<16>, \"(4,1):(1,0)\"",
            None,
            "f32, 128 b",
            0,
        ),
        (
            "align<16>, \"((4,2),3):((1,8),16)\"",
            "align<16>, \"(8,3):(1,8)\"",
            None,
            "f32, 128 b",
            2,
        ),
        (
            "align<8>, \"(8,3):(1,8)\"",
            "align<16>, \"(8,3):(1,8)\"",
            None,
            "f32, 64 b",
            2,
        ),
        (
            "align<16>, \"(8,3):(1,10)\"",
            "align<16>, \"(8,3):(1,8)\"",
            None,
            "f32, 64 b",
            2,
        ),
        (
            "align<16>, \"(8,3):(1,8)\"",
            "align<16>, \"((4,2),3):((1,6),12)\"",
            None,
            "f32, 64 b",
            2,
        ),
        ("align<16>, \"6:1\"", "align<16>, \"6:1\"", None, "f32, 64 b", 1),
        ("align<16>, \"3:1\"", "align<16>, \"3:1\"", None, "f32", 1),
        ("align<16>, \"4:2\"", "align<16>, \"4:1\"", None, "f32", 1),
        ("align<16>, \"4:1\"", "align<16>, \"4:1\"", Some("4:1"), "f32", 1),
    ] {
        let kernel = copies(
            UNIVERSAL,
            &format!("f32, gmem, {source}"),
            &format!("f32, rmem, {destination}"),
            predicate,
        );
        let text = after(expand_copies, &kernel);
        assert_eq!(
            shape(&text),
            (atom.to_owned(), loops),
            "{source} to {destination}\n{text}"
        );
    }
}

#[test]
fn copies_of_modes_counted_at_run_time_are_loops() {
    let ty = |space| format!("!cute.memref<f32, {space}, align<16>, \"(4,?):(1,4)\">");
    let (source, destination) = (ty("gmem"), ty("smem"));
    let kernel = kernel(
        &format!("(%s: {source}, %d: {destination})"),
        &format!(
            "      %atom = cute.make_atom() : () -> {WIDE}
      cute.copy(%atom, %s, %d) : ({WIDE}, {source}, {destination})"
        ),
    );
    insta::assert_snapshot!(after(expand_copies, &kernel));
}

#[test]
fn copies_that_do_not_fit_are_refused() {
    let bulk = "!cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 1024>";
    for (atom, source, destination, predicate, code, part) in [
        (
            WIDE,
            "f32, gmem, \"(4,2):(1,4)\"",
            "f32, rmem, \"4:1\"",
            None,
            Code::RankMismatch,
            "2 modes",
        ),
        (
            WIDE,
            "f32, gmem, \"(4,2):(1,4)\"",
            "f32, rmem, \"(4,2):(1,4)\"",
            Some("2:1"),
            Code::RankMismatch,
            "1",
        ),
        (
            WIDE,
            "f32, gmem, \"(4,2):(1,4)\"",
            "f32, rmem, \"(4,3):(1,4)\"",
            None,
            Code::LayoutsDiffer,
            "3",
        ),
        (
            WIDE,
            "f32, gmem, \"(6,2):(1,6)\"",
            "f32, rmem, \"(6,2):(1,6)\"",
            None,
            Code::OperandType,
            "4 elements each",
        ),
        (
            WIDE,
            "f32, gmem, \"(8,2):(1,8)\"",
            "f32, rmem, \"(4,2):(1,4)\"",
            None,
            Code::OperandType,
            "2 instructions",
        ),
        (
            WIDE,
            "f32, gmem, \"(8,2):(1,8)\"",
            "f32, rmem, \"(8,2):(1,8)\"",
            Some("(8,2):(1,8)"),
            Code::OperandType,
            "2 instructions",
        ),
        (
            WIDE,
            "f32, gmem, \"(4,2):(1,4)\"",
            "f16, rmem, \"(4,2):(1,4)\"",
            None,
            Code::OperandType,
            "32 bits",
        ),
        (
            bulk,
            "f16, smem, \"64:1\"",
            "f16, gmem, \"64:1\"",
            None,
            Code::UnsupportedFeature,
            "bulk_copy_s2g",
        ),
    ] {
        let (found, message) = refusal(expand_copies, &copies(atom, source, destination, predicate));
        assert_eq!(found, code, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

/// A kernel that multiplies: the atom, and the layouts of C, A and B with their elements.
fn multiplies(
    atom: &str,
    c: &str,
    a: &str,
    b: &str,
) -> tilewright_irs::core::Func<tilewright_irs::mlir::Mlir> {
    let [c, a, b] = [c, a, b].map(|view| format!("!cute.memref<{view}>"));
    kernel(
        &format!("(%c: {c}, %a: {a}, %b: {b})"),
        &format!(
            "      %atom = cute.make_atom() : () -> {atom}
      cute.gemm(%atom, %c, %a, %b, %c) : ({atom}, {c}, {a}, {b}, {c})"
        ),
    )
}

const FMA: &str = "!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >";

#[test]
fn products_are_loops_of_instructions() {
    let [matrices, flat, one] = [
        multiplies(
            MMA,
            "f32, rmem, align<16>, \"((2,2),4,8):((1,2),4,16)\"",
            "f16, rmem, align<16>, \"((2,2,2),4,2):((1,2,4),8,32)\"",
            "f16, rmem, align<8>, \"((2,2),8,2):((1,2),4,32)\"",
        ),
        multiplies(
            FMA,
            "f32, rmem, align<16>, \"((4,2),2):((1,8),4)\"",
            "f32, rmem, align<16>, \"(4,2):(1,4)\"",
            "f32, rmem, align<8>, \"2:1\"",
        ),
        multiplies(
            MMA,
            "f32, rmem, align<16>, \"((2,2),1,1):((1,2),0,0)\"",
            "f16, rmem, align<16>, \"((2,2,2),1):((1,2,4),0)\"",
            "f16, rmem, align<8>, \"((2,2),1):((1,2),0)\"",
        ),
    ];
    insta::assert_snapshot!("product_of_matrices", after(expand_products, &matrices));
    insta::assert_snapshot!("product_of_one_instruction", after(expand_products, &one));
    let (code, message) = refusal(expand_products, &flat);
    assert_eq!(code, Code::RankMismatch, "{message}");
}

#[test]
fn multiply_adds_may_lack_the_mode_of_values() {
    let kernel = multiplies(
        FMA,
        "f32, rmem, align<16>, \"(4,2):(1,4)\"",
        "f32, rmem, align<16>, \"4:1\"",
        "f32, rmem, align<8>, \"2:1\"",
    );
    insta::assert_snapshot!(after(expand_products, &kernel));
}

#[test]
fn products_that_do_not_fit_are_refused() {
    let warpgroup =
        "!cute_nvgpu.sm90.mma<64x64x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>";
    let (c, a, b) = (
        "f32, rmem, \"((2,2),4,8):((1,2),4,16)\"",
        "f16, rmem, \"((2,2,2),4,2):((1,2,4),8,32)\"",
        "f16, rmem, \"((2,2),8,2):((1,2),4,32)\"",
    );
    for (atom, c, a, b, code, part) in [
        (warpgroup, c, a, b, Code::UnsupportedFeature, "sm_90a"),
        (
            MMA,
            "f32, rmem, \"((2,2),3,8):((1,2),4,16)\"",
            a,
            b,
            Code::LayoutsDiffer,
            "3",
        ),
        (
            MMA,
            "f32, rmem, \"((2,2),4,7):((1,2),4,16)\"",
            a,
            b,
            Code::LayoutsDiffer,
            "7",
        ),
        (
            MMA,
            c,
            "f16, rmem, \"((2,2,2),4,3):((1,2,4),8,32)\"",
            b,
            Code::LayoutsDiffer,
            "3",
        ),
        (
            MMA,
            c,
            "f16, rmem, \"((2,2),4,2):((1,2),8,32)\"",
            b,
            Code::OperandType,
            "8 elements",
        ),
        (
            MMA,
            c,
            "f16, rmem, \"((2,2,2),4):((1,2,4),8)\"",
            b,
            Code::RankMismatch,
            "3, 2, 3 and 3",
        ),
    ] {
        let (found, message) = refusal(expand_products, &multiplies(atom, c, a, b));
        assert_eq!(found, code, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

/// A kernel that loads a view as a vector and stores it again.
fn moves(view: &str, elements: &str, masked: bool) -> tilewright_irs::core::Func<tilewright_irs::mlir::Mlir> {
    let view = format!("!cute.memref<{view}>");
    let vector = format!("vector<{elements}>");
    let mask = format!("vector<{}xi1>", elements.split('x').next().expect("a number"));
    let (params, load, store) = match masked {
        true => (
            format!(", %k: {mask}, %o: {vector}"),
            format!("%v, %k, %o) : ({view}, {mask}, {vector}"),
            format!("%w, %v, %k) : ({vector}, {view}, {mask}"),
        ),
        false => (
            String::new(),
            format!("%v) : ({view}"),
            format!("%w, %v) : ({vector}, {view}"),
        ),
    };
    kernel(
        &format!("(%v: {view}{params})"),
        &format!(
            "      %w = cute.memref.load_vec({load}) -> {vector}
      cute.memref.store_vec({store}) -> ()"
        ),
    )
}

#[test]
fn vectors_are_accesses_of_adjacent_elements() {
    let [whole, runs, single, swizzled, masked] = [
        moves("f32, rmem, align<32>, \"(4,2):(1,4)\"", "8xf32", false),
        moves(
            "f16, gmem, align<8>, \"((2,2),2):((1,2),?{i64 div=4})\"",
            "8xf16",
            false,
        ),
        moves("f32, rmem, \"(2,2):(2,1)\"", "4xf32", false),
        moves("f16, smem, align<128>, S<2,4,3>, \"16:1\"", "16xf16", false),
        moves("i32, gmem, align<16>, \"2:1\"", "2xi32", true),
    ];
    insta::assert_snapshot!("vector_whole", after(expand_vectors, &whole));
    insta::assert_snapshot!("vector_runs", after(expand_vectors, &runs));
    insta::assert_snapshot!("vector_single", after(expand_vectors, &single));
    insta::assert_snapshot!("vector_swizzled", after(expand_vectors, &swizzled));
    insta::assert_snapshot!("vector_masked", after(expand_vectors, &masked));
}

#[test]
fn accesses_of_memory_are_aligned() {
    for (view, elements, vector, accesses) in [
        ("f32, gmem, align<16>, \"8:1\"", "8xf32", "vector<4xf32>", 2),
        ("f32, gmem, align<8>, \"8:1\"", "8xf32", "vector<2xf32>", 4),
        (
            "f32, gmem, align<16>, \"(4,2):(1,6)\"",
            "8xf32",
            "vector<2xf32>",
            4,
        ),
        ("f32, rmem, align<8>, \"8:1\"", "8xf32", "vector<8xf32>", 1),
        (
            "f32, rmem, align<8>, \"(4,2):(1,6)\"",
            "8xf32",
            "vector<4xf32>",
            2,
        ),
        (
            "f16, smem, align<128>, \"S<2,3,3> o 0 o 16:1\"",
            "16xf16",
            "vector<8xf16>",
            2,
        ),
        (
            "f16, smem, align<128>, \"S<2,3,3> o 4 o 16:1\"",
            "16xf16",
            "vector<4xf16>",
            4,
        ),
        (
            "f16, smem, align<8>, S<2,4,3>, \"16:1\"",
            "16xf16",
            "vector<4xf16>",
            4,
        ),
    ] {
        let text = after(expand_vectors, &moves(view, elements, false));
        let loads = text.lines().filter(|line| line.contains("ptr.load"));
        let loads: Vec<&str> = loads.collect();
        assert_eq!(loads.len(), accesses, "{text}");
        assert!(loads.iter().all(|load| load.contains(vector)), "{text}");
    }
}

#[test]
fn views_without_vectors_are_refused() {
    let kernel = moves("f4E2M1FN, rmem, align<1>, \"3:2\"", "3xf4E2M1FN", false);
    let (code, message) = refusal(expand_vectors, &kernel);
    assert_eq!(code, Code::UnsupportedType, "{message}");
}

#[test]
fn prints_of_tensors_are_loops() {
    let line = |view: &str, own: &str| {
        let view = format!("!cute.{view}");
        kernel(
            &format!("(%v: {view})"),
            &format!(
                "      \"cute.print_view\"(%v) <{{operandSegmentSizes = array<i32: 1, 0>{own}}}> : ({view}) -> ()"
            ),
        )
    };
    let [floats, narrow, unsigned, coordinates] = [
        line("memref<f32, gmem, \"(2,?):(?,1)\">", ""),
        line("memref<f8E4M3FN, rmem, \"(2,2):(2,1)\">", ""),
        line("memref<i32, smem, \"4:1\">", ", is_signed = false"),
        line("coord_tensor<\"(0,?)\", \"(2,2):(1@1,1@0)\">", ""),
    ];
    insta::assert_snapshot!("print_floats", after(expand_prints, &floats));
    insta::assert_snapshot!("print_narrow", after(expand_prints, &narrow));
    insta::assert_snapshot!("print_unsigned", after(expand_prints, &unsigned));
    insta::assert_snapshot!("print_coordinates", after(expand_prints, &coordinates));
    let (code, _) = refusal(
        expand_prints,
        &line("memref<f32, gmem, \"4:1\">", ", verbose = false"),
    );
    assert_eq!(code, Code::UnsupportedFeature);
}

#[test]
fn layouts_are_equal_if_shapes_and_strides_are() {
    let compare = |lhs: &str, rhs: &str| {
        kernel(
            &format!("(%a: !cute.{lhs}, %b: !cute.{rhs})"),
            &format!("      %e = cute.equal(%a, %b) : !cute.{lhs}, !cute.{rhs}"),
        )
    };
    let layouts = compare("layout<\"(?,4):(1,?)\">", "memref<f32, gmem, \"(8,?):(1,8)\">");
    insta::assert_snapshot!(after(expand_comparisons, &layouts));
    let tuples = compare("shape<\"(?,4)\">", "shape<\"(8,4)\">");
    assert_eq!(expand_comparisons(&tuples), Ok(tuples.clone()));
    let (code, _) = refusal(
        expand_comparisons,
        &compare("layout<\"4:1\">", "composed_layout<\"S<1,2,1> o 0 o 4:1\">"),
    );
    assert_eq!(code, Code::UnsupportedFeature);
}
