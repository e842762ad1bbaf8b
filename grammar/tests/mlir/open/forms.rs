//! Every op of the open dialect, as its assembly has it.

use std::collections::BTreeSet;

use tilewright_irs::core::Operation as _;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::mlir::{MlirModule, MlirOp};
use tilewright_passes::cute::fold_static;

use super::read;

/// Functions without a module around them, one for each op.
pub(crate) const TEXT: &str = include_str!("../texts/open.mlir");

fn module(text: &str) -> MlirModule {
    read(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

#[test]
fn every_op_of_the_dialect_is_in_the_text() {
    let mut missing: BTreeSet<_> = MlirOp::mlir_specs()
        .filter(|spec| spec.open.is_some())
        .map(|spec| spec.name)
        .collect();
    for function in module(TEXT).functions() {
        for (_, op) in function.body.ops() {
            missing.remove(op.kind.name());
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn what_is_printed_is_what_was_read() {
    assert_eq!(print_module(&module(TEXT), Form::Custom), TEXT);
}

#[test]
fn the_generic_form_says_the_same() {
    let first = module(TEXT);
    let generic = print_module(&first, Form::Generic);
    assert!(generic.contains("\"cute.layout_eval\"(%0, %1) :"), "{generic}");
    assert!(generic.contains("\"cute.dice\"(%0, %1) :"), "{generic}");
    assert_eq!(module(&generic), first);
}

#[test]
fn a_module_says_that_it_is_of_the_dialect() {
    let marked = format!("module attributes {{cute.open, a.b = 1 : i32}} {{\n{TEXT}}}\n");
    let marked = module(&marked);
    assert_eq!(marked.dialect(), Dialect::Open);
    for form in [Form::Custom, Form::Generic] {
        let printed = print_module(&marked, form);
        assert_eq!(module(&printed), marked, "{printed}");
    }
    // Of a type of which the library knows a divisor, the open dialect does not.
    let product = "func.func @f(%a: !cute.shape<\"(4,?)\">) {\n  %r = \"cute.NAME\"(%a) : (!cute.shape<\"(4,?)\">) -> !cute.shape<\"RESULT\">\n  return\n}\n";
    let text = |name: &str, result: &str| product.replace("NAME", name).replace("RESULT", result);
    assert!(read(&text("tuple_product", "?")).is_ok());
    assert!(read(&text("tuple_product", "?{div=4}")).is_err());
    let library = |name: &str, result: &str| read(&format!("module {{\n{}}}\n", text(name, result)));
    assert!(library("tuple.product", "?{div=4}").is_ok());
    assert!(library("tuple.product", "?").is_err());
    assert!(library("tuple_product", "?").is_err());
}

#[test]
fn static_values_are_folded() {
    let text = "func.func @folded(%0: !cute.shape<\"(4,8)\">, %1: !cute.shape<\"(?,8)\">) -> (!cute.int_tuple<\"32\">, i1, !cute.int_tuple<\"?\">) {
  %2 = cute.size (%0) : (!cute.shape<\"(4,8)\">) -> !cute.int_tuple<\"32\">
  %3 = cute.make_shape() : () -> !cute.shape<\"(5,9)\">
  %4 = cute.elem_less(%0, %3) : (!cute.shape<\"(4,8)\">, !cute.shape<\"(5,9)\">) -> i1
  %5 = cute.size (%1) : (!cute.shape<\"(?,8)\">) -> !cute.int_tuple<\"?\">
  return %2, %4, %5 : !cute.int_tuple<\"32\">, i1, !cute.int_tuple<\"?\">
}
";
    let folded = "func.func @folded(%0: !cute.shape<\"(4,8)\">, %1: !cute.shape<\"(?,8)\">) -> (!cute.int_tuple<\"32\">, i1, !cute.int_tuple<\"?\">) {
  %2 = cute.static : !cute.int_tuple<\"32\">
  %3 = arith.constant true
  %4 = cute.size (%1) : (!cute.shape<\"(?,8)\">) -> !cute.int_tuple<\"?\">
  return %2, %3, %4 : !cute.int_tuple<\"32\">, i1, !cute.int_tuple<\"?\">
}
";
    assert_eq!(
        print_module(&super::published::folded(&module(text)), Form::Custom),
        folded
    );
    let function = module(text).functions().next().cloned().expect("a function");
    assert_eq!(fold_static(&function).expect("no errors").name, "folded");
}
