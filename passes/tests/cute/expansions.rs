//! What each pass refuses, and what tables say best. Its outputs for whole kernels are in `golden/cute.*`.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Func;
use tilewright_irs::mlir::{Mlir, shared_bytes};
use tilewright_passes::cute::{
    check_compositions, expand_comparisons, expand_copies, expand_fragments, expand_prints, expand_products,
    expand_vectors, place_shared_memory,
};

use super::{after, kernel, refusal};

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
fn copies(atom: &str, source: &str, destination: &str, predicate: Option<&str>) -> Func<Mlir> {
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
fn multiplies(atom: &str, c: &str, a: &str, b: &str) -> Func<Mlir> {
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
fn moves(view: &str, elements: &str) -> Func<Mlir> {
    let (view, vector) = (format!("!cute.memref<{view}>"), format!("vector<{elements}>"));
    kernel(
        &format!("(%v: {view})"),
        &format!(
            "      %w = cute.memref.load_vec(%v) : ({view}) -> {vector}
      cute.memref.store_vec(%w, %v) : ({vector}, {view}) -> ()"
        ),
    )
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
        let text = after(expand_vectors, &moves(view, elements));
        let loads = text.lines().filter(|line| line.contains("ptr.load"));
        let loads: Vec<&str> = loads.collect();
        assert_eq!(loads.len(), accesses, "{text}");
        assert!(loads.iter().all(|load| load.contains(vector)), "{text}");
    }
}

#[test]
fn views_without_vectors_are_refused() {
    let kernel = moves("f4E2M1FN, rmem, align<1>, \"3:2\"", "3xf4E2M1FN");
    let (code, message) = refusal(expand_vectors, &kernel);
    assert_eq!(code, Code::UnsupportedType, "{message}");
}

#[test]
fn products_without_values_are_of_multiply_adds() {
    let kernel = multiplies(
        FMA,
        "f32, rmem, align<16>, \"((4,2),2):((1,8),4)\"",
        "f32, rmem, align<16>, \"(4,2):(1,4)\"",
        "f32, rmem, align<8>, \"2:1\"",
    );
    let (code, message) = refusal(expand_products, &kernel);
    assert_eq!(code, Code::RankMismatch, "{message}");
}

#[test]
fn texts_with_tensors_of_dynamic_sizes_are_refused() {
    let view = "!cute.memref<f32, gmem, \"?:1\">";
    let kernel = kernel(
        &format!("(%v: {view})"),
        &format!("      cute.print(\"{{}}\", %v) : {view}"),
    );
    assert_eq!(refusal(expand_prints, &kernel).0, Code::UnsupportedFeature);
}

#[test]
fn comparisons_with_swizzled_layouts_are_refused() {
    let (lhs, rhs) = (
        "!cute.layout<\"4:1\">",
        "!cute.composed_layout<\"S<1,2,1> o 0 o 4:1\">",
    );
    let kernel = kernel(
        &format!("(%a: {lhs}, %b: {rhs})"),
        &format!("      %e = cute.equal(%a, %b) : {lhs}, {rhs}"),
    );
    assert_eq!(refusal(expand_comparisons, &kernel).0, Code::UnsupportedFeature);
}

#[test]
fn compositions_that_do_not_fit_are_refused() {
    let (lhs, rhs) = ("!cute.layout<\"4:1\">", "!cute.layout<\"8:1\">");
    let kernel = kernel(
        &format!("(%a: {lhs}, %b: {rhs})"),
        &format!("      %c = cute.composition(%a, %b) : ({lhs}, {rhs}) -> {rhs}"),
    );
    assert_eq!(refusal(check_compositions, &kernel).0, Code::OperandType);
}
