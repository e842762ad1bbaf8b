//! The rules of each op: well-formed ones are accepted, and one mistake is one error.

use std::collections::BTreeMap;

use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_grammar::mlir::{ReadMlir, read_mlir};
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::MlirOp;
use tilewright_irs::mlir::print::{Form, print_module};

use crate::forms::{TEXTS, module};

fn problems(text: &str) -> Vec<Diagnostic<Span>> {
    let checked = read_mlir(text, FileId(0)).and_then(ReadMlir::verified);
    checked.err().unwrap_or_default()
}

/// Lines in a kernel with arguments of many types.
fn kernel(lines: &str) -> String {
    let arguments = "%i: i32, %l: i64, %s: i16, %b: i1, %f: f32, %h: f16, %v: vector<4xf32>, %x: index, \
                     %p: !llvm.ptr<3>, %g: !llvm.ptr<1>, \
                     %shape: !cute.shape<\"(8,4)\">, %stride: !cute.stride<\"(1,8)\">, \
                     %layout: !cute.layout<\"(8,4):(1,8)\">, %open: !cute.layout<\"(8,?):(1,8)\">, \
                     %tile: !cute.tile<\"[4:1;2:1]\">, %coord: !cute.coord<\"(0,?)\">, %at: !cute.coord<\"?\">, \
                     %tuple: !cute.int_tuple<\"(?,4)\">, %even: !cute.i32<divby 2>, \
                     %global: !cute.ptr<f32, gmem, align<16>>, %shared: !cute.ptr<f32, smem, align<16>>, \
                     %tensor: !cute.ptr<f32, tmem, align<16>>, \
                     %view: !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, \
                     %registers: !cute.memref<f32, rmem, \"(8,4):(1,8)\">, \
                     %row: !cute.memref<f32, rmem, \"(8):(1)\">, \
                     %halves: !cute.memref<f16, rmem, \"(8,4):(1,8)\">, \
                     %columns: !cute.memref<f32, tmem, \"(8,4):(1,8)\">, \
                     %bits: !cute.memref<i1, rmem, \"(8,4):(1,8)\">, \
                     %few: !cute.memref<i1, rmem, \"(8,2):(1,8)\">, \
                     %copy: !cute_nvgpu.atom.universal_copy<f32>, %wide: !cute_nvgpu.atom.universal_copy<f32, 128 b>, \
                     %async: !cute_nvgpu.atom.simt_async_copy<f32, cache = global, 128 b>, \
                     %fma: !cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, \
                     %wgmma: !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, \
                     %divisor: !cute.fast_divmod_divisor<32>";
    format!("module {{ gpu.module @g {{ cuda.kernel @k({arguments}) {{\n{lines}\nreturn\n}} }} }}\n")
}

#[test]
fn the_ops_of_the_texts_are_well_formed() {
    for (name, text) in TEXTS {
        assert_eq!(problems(text), [], "{name}");
    }
    assert_eq!(problems(&kernel("")), []);
}

/// Lines of a kernel with one mistake: the code of the error, and the op that it is about.
const MISTAKES: &[(&str, Code, &str)] = &[
    // Numbers.
    ("%a = arith.addi %f, %f : f32", Code::OperandType, "arith.addi"),
    (
        "%a = \"arith.addi\"(%i, %l) : (i32, i64) -> i32",
        Code::OperandType,
        "arith.addi",
    ),
    (
        "%a = \"arith.addi\"(%i, %i) : (i32, i32) -> i64",
        Code::TypeMismatch,
        "arith.addi",
    ),
    ("%a = arith.addf %i, %i : i32", Code::OperandType, "arith.addf"),
    (
        "%a = \"arith.cmpi\"(%i, %i) <{predicate = 0 : i64}> : (i32, i32) -> i32",
        Code::TypeMismatch,
        "arith.cmpi",
    ),
    (
        "%a = \"arith.constant\"() <{value = 1 : i32}> : () -> i64",
        Code::TypeMismatch,
        "arith.constant",
    ),
    (
        "%a = arith.extsi %l : i64 to i32",
        Code::TypeMismatch,
        "arith.extsi",
    ),
    (
        "%a = arith.truncf %h : f16 to f16",
        Code::TypeMismatch,
        "arith.truncf",
    ),
    (
        "%a = arith.bitcast %f : f32 to i64",
        Code::TypeMismatch,
        "arith.bitcast",
    ),
    (
        "%a = arith.index_cast %i : i32 to i64",
        Code::TypeMismatch,
        "arith.index_cast",
    ),
    (
        "%a = arith.sitofp %f : f32 to f32",
        Code::OperandType,
        "arith.sitofp",
    ),
    (
        "%a = \"arith.select\"(%i, %f, %f) : (i32, f32, f32) -> f32",
        Code::OperandType,
        "arith.select",
    ),
    ("%a = math.absi %f : f32", Code::OperandType, "math.absi"),
    (
        "%a = \"vector.extract\"(%v) <{static_position = array<i64: 4>}> : (vector<4xf32>) -> f32",
        Code::IndexOutOfBounds,
        "vector.extract",
    ),
    (
        "%a = \"vector.extract\"(%v) <{static_position = array<i64: 1>}> : (vector<4xf32>) -> f16",
        Code::TypeMismatch,
        "vector.extract",
    ),
    (
        "%a = vector.from_elements %f, %f : vector<3xf32>",
        Code::OperandCount,
        "vector.from_elements",
    ),
    (
        "%a = vector.broadcast %f : f32 to vector<4xf16>",
        Code::TypeMismatch,
        "vector.broadcast",
    ),
    (
        "%a = vector.extract_strided_slice %v {offsets = [2], sizes = [3], strides = [1]} : vector<4xf32> to vector<3xf32>",
        Code::IndexOutOfBounds,
        "vector.extract_strided_slice",
    ),
    (
        "%a = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [2]} : vector<4xf32> to vector<2xf32>",
        Code::AttributeValue,
        "vector.extract_strided_slice",
    ),
    (
        "%a = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<3xf32>",
        Code::TypeMismatch,
        "vector.extract_strided_slice",
    ),
    (
        "%a = vector.insert_strided_slice %v, %v {offsets = [1], strides = [1]} : vector<4xf32> into vector<4xf32>",
        Code::IndexOutOfBounds,
        "vector.insert_strided_slice",
    ),
    (
        "%a = vector.reduction <minsi>, %v : vector<4xf32> into f32",
        Code::OperandType,
        "vector.reduction",
    ),
    // Control flow.
    (
        "\"scf.if\"(%i) ({ \"scf.yield\"() : () -> () }, {}) : (i32) -> ()",
        Code::OperandType,
        "scf.if",
    ),
    (
        "%a = \"scf.if\"(%b) ({ \"scf.yield\"(%i) : (i32) -> () }, {}) : (i1) -> i32",
        Code::RegionCount,
        "scf.if",
    ),
    (
        "%a = scf.if %b -> (i32) { scf.yield %f : f32 } else { scf.yield %i : i32 }",
        Code::TypeMismatch,
        "scf.if",
    ),
    (
        "%a = scf.if %b -> (i32) { scf.yield %i, %i : i32, i32 } else { scf.yield %i : i32 }",
        Code::TypeMismatch,
        "scf.if",
    ),
    (
        "scf.if %b { scf.condition(%b) }",
        Code::MissingTerminator,
        "scf.if",
    ),
    (
        "%a = scf.for %n = %i to %i step %i iter_args(%c = %f) -> (f32) : i32 { scf.yield %n : i32 }",
        Code::TypeMismatch,
        "scf.for",
    ),
    (
        "\"scf.for\"(%i, %i, %i) ({ ^bb0(%n: i64): \"scf.yield\"() : () -> () }) : (i32, i32, i32) -> ()",
        Code::BlockArguments,
        "scf.for",
    ),
    (
        "\"scf.for\"(%f, %f, %f) ({ ^bb0(%n: f32): \"scf.yield\"() : () -> () }) : (f32, f32, f32) -> ()",
        Code::OperandType,
        "scf.for",
    ),
    (
        "%a = scf.while (%c = %i) : (i32) -> f32 { scf.condition(%b) %c : i32 } do { ^bb0(%d: f32): scf.yield %i : i32 }",
        Code::TypeMismatch,
        "scf.while",
    ),
    ("cf.assert %i, \"a\"", Code::OperandType, "cf.assert"),
    // Instructions.
    (
        "%a = nvvm.read.ptx.sreg.tid.x : i64",
        Code::TypeMismatch,
        "nvvm.read.ptx.sreg.tid.x",
    ),
    (
        "%a = nvvm.mapa %g, %i : !llvm.ptr<1> -> !llvm.ptr<7>",
        Code::OperandType,
        "nvvm.mapa",
    ),
    (
        "nvvm.mbarrier.init %p, %l : !llvm.ptr<3>, i64",
        Code::OperandType,
        "nvvm.mbarrier.init",
    ),
    (
        "nvvm.setmaxregister increase 33",
        Code::AttributeValue,
        "nvvm.setmaxregister",
    ),
    (
        "\"nvvm.barrier\"(%i) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (i32) -> ()",
        Code::OperandCount,
        "nvvm.barrier",
    ),
    (
        "\"nvvm.fence.proxy\"() <{kind = #nvvm.proxy_kind<async.shared>}> : () -> ()",
        Code::MissingAttribute,
        "nvvm.fence.proxy",
    ),
    (
        "%a = nvvm.shfl.sync bfly %i, %f, %i, %i : f32 -> i32",
        Code::TypeMismatch,
        "nvvm.shfl.sync",
    ),
    // Tuples and layouts of leaves.
    (
        "%a = cute.make_shape() : () -> !cute.shape<\"(?,4)\">",
        Code::OperandCount,
        "cute.make_shape",
    ),
    (
        "%a = cute.make_shape(%l) : (i64) -> !cute.shape<\"(?,4)\">",
        Code::OperandType,
        "cute.make_shape",
    ),
    (
        "%a = cute.make_shape(%i) : (i32) -> !cute.shape<\"(?{div=2},4)\">",
        Code::OperandType,
        "cute.make_shape",
    ),
    (
        "%a = cute.make_shape(%f) : (f32) -> !cute.shape<\"(?,4)\">",
        Code::OperandType,
        "cute.make_shape",
    ),
    (
        "%a = cute.make_shape(%i) : (i32) -> !cute.int_tuple<\"(?,4)\">",
        Code::TypeMismatch,
        "cute.make_shape",
    ),
    (
        "%a = cute.make_tile() : () -> !cute.tile<\"[4:1;?:1]\">",
        Code::OperandCount,
        "cute.make_tile",
    ),
    (
        "%a = cute.make_layout(%shape, %stride) : !cute.layout<\"(8,4):(1,4)\">",
        Code::OperandType,
        "cute.make_layout",
    ),
    (
        "%a = cute.make_layout(%shape) : !cute.layout<\"(4,8):(1,4)\">",
        Code::OperandType,
        "cute.make_layout",
    ),
    (
        "%a = cute.make_layout() : !cute.layout<\"(8,?):(1,8)\">",
        Code::OperandCount,
        "cute.make_layout",
    ),
    (
        "%a = cute.make_layout(%shape) : !cute.layout<\"(8,4):(1,?)\">",
        Code::OperandCount,
        "cute.make_layout",
    ),
    (
        "%a = cute.static : !cute.layout<\"(8,?):(1,8)\">",
        Code::TypeMismatch,
        "cute.static",
    ),
    (
        "%a = cute.static : !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>",
        Code::TypeMismatch,
        "cute.static",
    ),
    // Types that follow.
    (
        "%a = cute.size(%layout) : (!cute.layout<\"(8,4):(1,8)\">) -> !cute.int_tuple<\"31\">",
        Code::TypeMismatch,
        "cute.size",
    ),
    (
        "%a = \"cute.slice\"(%layout, %coord) : (!cute.layout<\"(8,4):(1,8)\">, !cute.coord<\"(0,?)\">) -> !cute.layout<\"8:1\">",
        Code::TypeMismatch,
        "cute.slice",
    ),
    (
        "%a = cute.crd2idx(%tuple, %layout) : (!cute.int_tuple<\"(?,4)\">, !cute.layout<\"(8,4):(1,8)\">) -> !cute.int_tuple<\"?\">",
        Code::OperandType,
        "cute.crd2idx",
    ),
    (
        "%a = cute.tuple_add(%tuple, %layout) : (!cute.int_tuple<\"(?,4)\">, !cute.layout<\"(8,4):(1,8)\">) -> !cute.int_tuple<\"?\">",
        Code::OperandType,
        "cute.tuple_add",
    ),
    (
        "%a = cute.composition(%layout, %shape) : (!cute.layout<\"(8,4):(1,8)\">, !cute.shape<\"(8,4)\">) -> !cute.layout<\"(8,4):(1,9)\">",
        Code::TypeMismatch,
        "cute.composition",
    ),
    (
        "%a:2 = \"cute.get_leaves\"(%tuple) : (!cute.int_tuple<\"(?,4)\">) -> (!cute.int_tuple<\"?\">, !cute.int_tuple<\"5\">)",
        Code::TypeMismatch,
        "cute.get_leaves",
    ),
    (
        "%a:3 = \"cute.get_leaves\"(%tuple) : (!cute.int_tuple<\"(?,4)\">) -> (!cute.int_tuple<\"?\">, !cute.int_tuple<\"4\">, !cute.int_tuple<\"4\">)",
        Code::TypeMismatch,
        "cute.get_leaves",
    ),
    // Pointers and views.
    (
        "%a = cute.make_view(%global, %layout) : !cute.memref<f32, gmem, \"(8,4):(1,8)\">",
        Code::OperandType,
        "cute.make_view",
    ),
    (
        "%a = cute.make_view(%global, %layout) : !cute.memref<f32, gmem, align<16>, \"(8,4):(1,9)\">",
        Code::OperandType,
        "cute.make_view",
    ),
    (
        "%a = cute.make_view(%global) : !cute.memref<f32, gmem, align<16>, \"(8,?):(1,8)\">",
        Code::OperandCount,
        "cute.make_view",
    ),
    (
        "%a = cute.recast_iter(%global) : !cute.ptr<f32, gmem, align<16>> to !cute.ptr<i8, smem, align<16>>",
        Code::TypeMismatch,
        "cute.recast_iter",
    ),
    (
        "%a = cute.recast_iter(%global) : !cute.ptr<f32, gmem, align<16>> to !cute.ptr<i8, gmem>",
        Code::TypeMismatch,
        "cute.recast_iter",
    ),
    (
        "%a = cute.assume(%l) : (i64) -> !cute.i32<divby 4>",
        Code::TypeMismatch,
        "cute.assume",
    ),
    (
        "%a = cute.inttoptr(%l) : i64 to !cute.ptr<f32, gmem>",
        Code::OperandType,
        "cute.inttoptr",
    ),
    (
        "%a = cute.ptrtoint(%l) : i64 to i64",
        Code::OperandType,
        "cute.ptrtoint",
    ),
    (
        "%a = cute.derefine(%tuple) : !cute.int_tuple<\"(?,4)\"> to !cute.shape<\"(?,4)\">",
        Code::TypeMismatch,
        "cute.derefine",
    ),
    (
        "%a = cute.make_atom() : () -> i32",
        Code::TypeMismatch,
        "cute.make_atom",
    ),
    (
        "%a = cute.make_tiled_copy(%fma) : !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"(4,1):(1,0)\">, tiler_mn = <\"[4:1]\">>",
        Code::OperandType,
        "cute.make_tiled_copy",
    ),
    (
        "%a = cute.fast_divmod.divide(%l, %divisor) : i64, !cute.fast_divmod_divisor<32> -> i64",
        Code::OperandType,
        "cute.fast_divmod.divide",
    ),
    (
        "%a = cute.make_tuple(%i) : !cute.tuple<i64>",
        Code::TypeMismatch,
        "cute.make_tuple",
    ),
    // Accesses.
    (
        "%a = cute.memref.load(%columns, %coord) : (!cute.memref<f32, tmem, \"(8,4):(1,8)\">, !cute.coord<\"(0,?)\">) -> f32",
        Code::OperandType,
        "cute.memref.load",
    ),
    (
        "%a = cute.memref.load(%registers, %coord) : (!cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.coord<\"(0,?)\">) -> f16",
        Code::TypeMismatch,
        "cute.memref.load",
    ),
    (
        "cute.memref.store(%registers, %coord, %h) : (!cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.coord<\"(0,?)\">, f16) -> ()",
        Code::OperandType,
        "cute.memref.store",
    ),
    (
        "cute.memref.store(%row, %coord, %f) : (!cute.memref<f32, rmem, \"(8):(1)\">, !cute.coord<\"(0,?)\">, f32) -> ()",
        Code::OperandType,
        "cute.memref.store",
    ),
    (
        "cute.memref.store_vec(%v, %registers) : (vector<4xf32>, !cute.memref<f32, rmem, \"(8,4):(1,8)\">) -> ()",
        Code::OperandType,
        "cute.memref.store_vec",
    ),
    (
        "%a = cute.memref.alloca() : !cute.memref<f32, gmem, \"(8,4):(1,8)\">",
        Code::TypeMismatch,
        "cute.memref.alloca",
    ),
    (
        "%a = cute.memref.alloca() : !cute.memref<f32, rmem, \"(8,?):(1,8)\">",
        Code::OperandCount,
        "cute.memref.alloca",
    ),
    (
        "cute.ptr.store %h, %global : <f32, gmem, align<16>>",
        Code::OperandType,
        "cute.ptr.store",
    ),
    (
        "cute.print(\"{}\", %v) : vector<4xf32>",
        Code::OperandType,
        "cute.print",
    ),
    // Copies and products.
    (
        "cute.copy(%copy, %view, %row) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8):(1)\">)",
        Code::RankMismatch,
        "cute.copy",
    ),
    (
        "cute.copy(%copy, %view, %halves) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f16, rmem, \"(8,4):(1,8)\">)",
        Code::OperandType,
        "cute.copy",
    ),
    (
        "cute.copy(%copy, %columns, %registers) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, tmem, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">)",
        Code::OperandType,
        "cute.copy",
    ),
    (
        "cute.copy(%copy, %view, %registers, %few) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.memref<i1, rmem, \"(8,2):(1,8)\">)",
        Code::OperandType,
        "cute.copy",
    ),
    (
        "cute.copy(%async, %view, %registers) : (!cute_nvgpu.atom.simt_async_copy<f32, cache = global, 128 b>, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">)",
        Code::OperandType,
        "cute.copy",
    ),
    (
        "cute.copy(%fma, %view, %registers) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">)",
        Code::OperandType,
        "cute.copy",
    ),
    (
        "cute.gemm(%fma, %view, %registers, %registers, %registers) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">)",
        Code::OperandType,
        "cute.gemm",
    ),
    (
        "cute.mma_atom_call(%fma, %row, %registers, %row, %row) : (!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, !cute.memref<f32, rmem, \"(8):(1)\">, !cute.memref<f32, rmem, \"(8,4):(1,8)\">, !cute.memref<f32, rmem, \"(8):(1)\">, !cute.memref<f32, rmem, \"(8):(1)\">) -> ()",
        Code::OperandType,
        "cute.mma_atom_call",
    ),
    // Instructions of `cute`.
    (
        "%a = cute_nvgpu.arch.make_warp_uniform(%l) : i64",
        Code::OperandType,
        "cute_nvgpu.arch.make_warp_uniform",
    ),
    (
        "%a = cute_nvgpu.atom.set_value<accum_c>(%wgmma, %i) : (!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, i32)",
        Code::OperandType,
        "cute_nvgpu.atom.set_value",
    ),
    (
        "cute_nvgpu.arch.sm100.dealloc_tmem(%shared, %i) [ cta_1] : !cute.ptr<f32, smem, align<16>>, i32",
        Code::OperandType,
        "cute_nvgpu.arch.sm100.dealloc_tmem",
    ),
    (
        "%a = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, gmem>",
        Code::TypeMismatch,
        "cute_nvgpu.arch.get_dyn_smem",
    ),
    (
        "cute_nvgpu.prefetch_tma_desc(%copy) : (!cute_nvgpu.atom.universal_copy<f32>) -> ()",
        Code::OperandType,
        "cute_nvgpu.prefetch_tma_desc",
    ),
];

#[test]
fn a_mistake_is_one_error_of_its_op() {
    let mut wrong = Vec::new();
    for (line, code, op) in MISTAKES {
        let text = kernel(&format!("{line}\n%z = arith.constant 0 : i32"));
        let found = problems(&text);
        let about = found
            .first()
            .and_then(|problem| problem.primary.as_ref())
            .map(|label| label.at);
        let about = about.and_then(|at| text.get(at.start as usize..at.end as usize));
        if found.len() != 1 || found.iter().any(|problem| problem.code != *code) || about != Some(op) {
            let found: Vec<_> = found
                .iter()
                .map(|problem| (problem.code, &problem.message))
                .collect();
            wrong.push(format!("{line}\n  {about:?} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An error of an op is not repeated by those that use its results.
#[test]
fn what_follows_from_an_error_is_not_reported() {
    let text = kernel(
        "%a = cute.size(%layout) : (!cute.layout<\"(8,4):(1,8)\">) -> !cute.shape<\"31\">\n\
         %sum = cute.tuple_add(%a, %a) : (!cute.shape<\"31\">, !cute.shape<\"31\">) -> !cute.int_tuple<\"1\">\n\
         %c = arith.addf %i, %i : i32",
    );
    let codes: Vec<Code> = problems(&text).iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [Code::TypeMismatch, Code::OperandType]);
}

#[test]
fn modules_agree_with_themselves() {
    let launch = |callee: &str, arguments: &str, types: &str| {
        format!(
            "module {{ gpu.module @g {{ cuda.kernel @k(%n: i32) {{ return }} }}\n\
             func.func @f(%c: !cuda.launch_cfg<max_attrs = 17>, %i: i32, %l: i64) -> i32 {{\n\
             %r = cuda.launch_ex {callee}<%c> ({arguments}) : !cuda.launch_cfg<max_attrs = 17>, ({types}) -> !cuda.result\n\
             %e = cuda.cast %r : !cuda.result -> i32\nreturn %e : i32 }} }}"
        )
    };
    let codes = |text: &str| {
        problems(text)
            .iter()
            .map(|problem| problem.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&launch("@g::@k", "%i", "i32")), []);
    assert_eq!(codes(&launch("@g::@other", "%i", "i32")), [Code::UnknownSymbol]);
    assert_eq!(codes(&launch("@k", "%i", "i32")), [Code::UnknownSymbol]);
    assert_eq!(codes(&launch("@g::@k", "%l", "i64")), [Code::TypeMismatch]);
    assert_eq!(codes(&launch("@g::@k", "", "")), [Code::OperandCount]);
    for (text, code) in [
        (
            "module { func.func @f(%i: i32) -> i32 { return } }",
            Code::TypeMismatch,
        ),
        (
            "module { func.func @f(%f: f32) -> i32 { return %f : f32 } }",
            Code::TypeMismatch,
        ),
        (
            "module { func.func @f() { \"cuda.return\"() : () -> () } }",
            Code::MisplacedOp,
        ),
        (
            "module { gpu.module @g { cuda.kernel @k() { \"func.return\"() : () -> () } } }",
            Code::MisplacedOp,
        ),
        (
            "module { func.func @f() { \"scf.yield\"() : () -> () } }",
            Code::MissingTerminator,
        ),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
}

/// An op in the generic form: its name, its properties, and the types of its operands and results.
struct Line {
    name: &'static str,
    properties: String,
    operands: Vec<String>,
    results: Vec<String>,
}

/// The parts of a list, separated by commas outside of brackets and quotes.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quoted, mut before) = (vec![String::new()], 0usize, false, ' ');
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '<' | '(' | '[' | '{' if !quoted => depth += 1,
            '>' | ')' | ']' | '}' if !quoted && before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
        match (c, depth, quoted) {
            (',', 0, false) => parts.push(String::new()),
            _ => parts.last_mut().expect("a part").push(c),
        }
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.split_once('"')?.1.split_once("\"(")?;
        let name = MlirOp::by_mlir_name(name, Dialect::Library)?.name;
        let own = name.starts_with("cute.") || name.starts_with("cute_nvgpu.");
        let (head, types) = rest.rsplit_once(") -> ").filter(|_| own)?;
        let (head, operands) = head.rsplit_once(" : (")?;
        let properties = head.split_once(')')?.1.trim().to_owned();
        let types = types
            .strip_prefix('(')
            .and_then(|types| types.strip_suffix(')'))
            .unwrap_or(types);
        Some(Self {
            name,
            properties,
            operands: parts(operands),
            results: parts(types),
        })
    }

    /// A function with the types of the operands as arguments and this op.
    fn text(&self) -> String {
        let list = |part: &dyn Fn(usize, &String) -> String| {
            let parts = self
                .operands
                .iter()
                .enumerate()
                .map(|(number, ty)| part(number, ty));
            parts.collect::<Vec<_>>().join(", ")
        };
        let arguments = list(&|number, ty| format!("%{number}: {ty}"));
        let (values, types) = (list(&|number, _| format!("%{number}")), self.operands.join(", "));
        let (name, properties, results) = (self.name, &self.properties, self.results.join(", "));
        format!(
            "module {{ gpu.module @kernels {{ cuda.kernel @k() {{ return }} }}\nfunc.func @f({arguments}) {{\n\
             \"{name}\"({values}) {properties} : ({types}) -> ({results})\nreturn }} }}\n"
        )
    }

    /// The same op with another first extent in one of its types or properties, for each of these.
    fn with_extent(&self, extent: &str) -> Vec<Self> {
        let texts = self
            .operands
            .iter()
            .chain(&self.results)
            .chain([&self.properties]);
        let mut changed = Vec::new();
        for (number, text) in texts.enumerate() {
            for range in extents(text) {
                let text = format!("{}{extent}{}", &text[..range.start], &text[range.end..]);
                let mut own = Self {
                    name: self.name,
                    properties: self.properties.clone(),
                    operands: self.operands.clone(),
                    results: self.results.clone(),
                };
                match number.checked_sub(own.operands.len()) {
                    None => own.operands[number] = text,
                    Some(number) if number < own.results.len() => own.results[number] = text,
                    Some(_) => own.properties = text,
                }
                changed.push(own);
            }
        }
        changed
    }
}

/// The byte ranges of the first extents in the layouts, shapes and tiles of a type or a dictionary.
fn extents(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut quotes = line.match_indices('"').map(|(at, _)| at);
    while let (Some(open), Some(close)) = (quotes.next(), quotes.next()) {
        let (before, inside) = (&line[..open], &line[open + 1..close]);
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '(' | '[' | '?' | 'S');
        if !(before.ends_with("cute.shape<") || inside.contains(':') && inside.starts_with(begins)) {
            continue;
        }
        let skip = inside.rfind(" o ").map_or(0, |at| at + 3);
        let digits = inside[skip..]
            .find(|c: char| c.is_ascii_digit())
            .map(|at| skip + at);
        let is_fact = |start: usize| inside[..start].ends_with("div=") || inside[..start].ends_with("{i");
        if let Some(start) = digits.filter(|&start| !is_fact(start)) {
            let rest = &inside[start..];
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            found.push(open + 1 + start..open + 1 + start + length);
        }
    }
    found
}

/// Ops whose operands, results and properties have no extents: their leaves may be 0 and less.
const WITHOUT_EXTENTS: &[&str] = &[
    "cute.add_offset",
    "cute.apply_swizzle",
    "cute.assume",
    "cute.deref_arith_tuple_iter",
    "cute.deref_desc_iter",
    "cute.derefine",
    "cute.elem_less",
    "cute.fast_divmod.compute",
    "cute.fast_divmod.create_divisor",
    "cute.fast_divmod.divide",
    "cute.fast_divmod.get_aux",
    "cute.fast_divmod.get_divisor",
    "cute.fast_divmod.make_divisor",
    "cute.get_leaves",
    "cute.get_scalars",
    "cute.inttoptr",
    "cute.kernel_smem_size",
    "cute.load_scaled_index",
    "cute.make_arith_tuple_iter",
    "cute.make_coord",
    "cute.make_desc_iter",
    "cute.make_int_tuple",
    "cute.make_sparse_elem",
    "cute.make_stride",
    "cute.print",
    "cute.print_tma_desc_im2col",
    "cute.print_tma_desc_tiled",
    "cute.ptr.load",
    "cute.ptr.store",
    "cute.ptrtoint",
    "cute.random_delay",
    "cute.recast_iter",
    "cute.smem_partition_size",
    "cute.symbolic",
    "cute.tuple.product",
    "cute.tuple.product_each",
    "cute.tuple_add",
    "cute.tuple_div",
    "cute.tuple_mod",
    "cute.tuple_mul",
    "cute.tuple_sub",
    "cute_nvgpu.arch.alloc_rmem",
    "cute_nvgpu.arch.alloc_smem",
    "cute_nvgpu.arch.copy.SM100.copy_s2t",
    "cute_nvgpu.arch.copy.SM100.tma_load",
    "cute_nvgpu.arch.copy.SM100.tma_reduce",
    "cute_nvgpu.arch.copy.SM100.tma_store",
    "cute_nvgpu.arch.copy.SM100.tmem_load",
    "cute_nvgpu.arch.copy.SM100.tmem_store",
    "cute_nvgpu.arch.copy.SM107.tma_load_override",
    "cute_nvgpu.arch.copy.SM107.tma_store_override",
    "cute_nvgpu.arch.copy.SM90.bulk_copy_g2s",
    "cute_nvgpu.arch.copy.SM90.bulk_copy_s2g",
    "cute_nvgpu.arch.copy.SM90.bulk_copy_s2s",
    "cute_nvgpu.arch.get_dyn_smem",
    "cute_nvgpu.arch.get_dyn_smem_size",
    "cute_nvgpu.arch.make_warp_uniform",
    "cute_nvgpu.arch.mma.SM107.umma",
    "cute_nvgpu.arch.mma.SM107.umma_block_scaled",
    "cute_nvgpu.arch.mma.SM107.umma_block_scaled_sparse",
    "cute_nvgpu.arch.mma.SM107.umma_sparse",
    "cute_nvgpu.arch.prefetch_tma_desc",
    "cute_nvgpu.arch.sm100.alloc_tmem",
    "cute_nvgpu.arch.sm100.dealloc_tmem",
    "cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit",
    "cute_nvgpu.arch.sm100.retrieve_tmem_ptr",
    "cute_nvgpu.cast_tma_desc_to_integer",
    "cute_nvgpu.get_grid_constant_pointer",
];

/// Extents of 0 and of -1 are refused by a code, with one error, in every type of every op.
#[test]
fn extents_that_are_not_positive_are_refused() {
    let names = MlirOp::mlir_specs().map(|spec| spec.name);
    let own = names.filter(|name| name.starts_with("cute.") || name.starts_with("cute_nvgpu."));
    let mut cases: BTreeMap<&str, usize> = own.map(|name| (name, 0)).collect();
    let mut wrong = Vec::new();
    for (_, text) in TEXTS {
        let printed = print_module(&module(text), Form::Generic);
        for line in printed.lines().filter_map(Line::read) {
            assert_eq!(problems(&line.text()), [], "{}", line.text());
            for changed in ["0", "-1"]
                .into_iter()
                .flat_map(|extent| line.with_extent(extent))
            {
                *cases.entry(line.name).or_default() += 1;
                let text = changed.text();
                let found = problems(&text);
                let codes: Vec<Code> = found.iter().map(|problem| problem.code).collect();
                // Paddings are shapes of which an extent may be 0.
                let padding = line.name == "cute.stencil_divide";
                let refused = [Code::UnknownType, Code::AttributeKind, Code::BadStride];
                if !padding && !matches!(codes.as_slice(), [code] if refused.contains(code)) {
                    wrong.push(format!("{text}  {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} {}", wrong.len(), wrong.join("\n"));
    let without: Vec<&str> = cases
        .into_iter()
        .filter(|(_, count)| *count == 0)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(without, WITHOUT_EXTENTS);
}
