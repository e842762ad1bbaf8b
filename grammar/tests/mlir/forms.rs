//! Every op, in both forms.

use std::collections::BTreeSet;

use tilewright_diagnostics::FileId;
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::core::Operation as _;
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::mlir::{MlirModule, MlirOp};

/// Texts in the generic form that have every op.
pub(crate) const TEXTS: [(&str, &str); 6] = [
    ("arith", include_str!("texts/arith.generic.mlir")),
    ("control", include_str!("texts/control.generic.mlir")),
    ("cute", include_str!("texts/cute.generic.mlir")),
    ("cute_nvgpu", include_str!("texts/cute_nvgpu.generic.mlir")),
    (
        "math_and_vector",
        include_str!("texts/math_and_vector.generic.mlir"),
    ),
    ("nvvm", include_str!("texts/nvvm.generic.mlir")),
];

/// Reads a text without errors.
pub(crate) fn module(text: &str) -> MlirModule {
    match read_mlir(text, FileId(0)) {
        Ok(read) => read.module,
        Err(problems) => panic!("{problems:#?}\n{text}"),
    }
}

fn ops(module: &MlirModule) -> BTreeSet<&'static str> {
    let functions = module.kernels().chain(module.functions());
    let ops = functions.flat_map(|function| function.body.ops().map(|(_, op)| op.kind.name()));
    ops.collect()
}

#[test]
fn every_op_is_in_a_text() {
    let mut missing: BTreeSet<_> = MlirOp::mlir_specs().map(|spec| spec.name).collect();
    let texts = TEXTS.iter().map(|(_, text)| *text);
    for text in texts.chain([crate::open::forms::TEXT]) {
        let found = ops(&module(text));
        missing.retain(|name| !found.contains(name));
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn every_op_is_read_back_in_both_forms() {
    for (name, text) in TEXTS {
        let first = module(text);
        for form in [Form::Generic, Form::Custom] {
            let printed = print_module(&first, form);
            assert_eq!(module(&printed), first, "{name} in {form:?}\n{printed}");
            assert_eq!(print_module(&module(&printed), form), printed);
        }
    }
}

/// The lines of a text in an op's own form.
fn own(text: &str) -> Vec<String> {
    let printed = print_module(&module(text), Form::Custom);
    printed.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn own_forms_are_those_of_the_library() {
    let all: Vec<String> = TEXTS.iter().flat_map(|(_, text)| own(text)).collect();
    let mut missing = Vec::new();
    for line in [
        // A constant, casts, comparisons, flags.
        "%75 = arith.constant 0 : i32",
        "%77 = arith.constant true",
        "%79 = arith.constant 0xFF800000 : f32",
        "%73 = arith.select %47, %5, %5 : vector<4xf32>",
        "%6 = arith.addf %2, %3 : f32",
        "%7 = arith.subf %2, %3 fastmath<fast> : f32",
        "%8 = arith.mulf %2, %3 fastmath<nnan,contract> : f32",
        "%17 = arith.subi %0, %1 overflow<nsw> : i32",
        "%36 = arith.trunci %0 overflow<nsw> : i32 to i8",
        // Control flow.
        "scf.for %4 = %2 to %0 step %3 : i32 {",
        "} {loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<full = true>>}",
        "} do {",
        "cf.assert %18, \"a \\22bound\\22\\0A\"",
        // Vectors.
        "%18 = vector.extract %2[3] : f32 from vector<16xf32>",
        "%19 = vector.extract %2[%3] : f32 from vector<16xf32>",
        "%22 = vector.reduction <add>, %2, %0 : vector<16xf32> into f32",
        // Layouts.
        "%13 = cute.make_layout(%11, %12) : !cute.layout<\"(8,4):(1,8)\">",
        "cute.print(\"{} and {}\\0A\", %0, %1) : i32, i64",
        // Instructions.
        "nvvm.barrier id = %0 number_of_threads = %0",
        "nvvm.cp.async.bulk.wait_group 2 {read}",
        "nvvm.tcgen05.commit %4, multicast_mask = %1 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i16",
        "nvvm.mbarrier.arrive %38 {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>",
        "nvvm.setmaxregister decrease 32",
    ] {
        if !all.iter().any(|own| own == line) {
            missing.push(line);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}\n{}", all.join("\n"));
}
