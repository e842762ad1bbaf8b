//! Passes within `cute`.

mod corpus;
mod expansions;

use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::mlir::{GpuModule, Item, Mlir, MlirModule};

/// A pass within `cute`.
type Pass = fn(&Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>>;

/// A module of one kernel.
fn alone(kernel: Func<Mlir>) -> MlirModule {
    let gpu = GpuModule {
        name: "kernels".to_owned(),
        attributes: Default::default(),
        kernels: vec![kernel],
    };
    MlirModule {
        attributes: Default::default(),
        items: vec![Item::Gpu(gpu)],
    }
}

fn read(text: &str) -> MlirModule {
    let read = read_mlir(text, FileId(0)).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    read.module
}

/// The kernel with these parameters, attributes and ops.
fn kernel(head: &str, body: &str) -> Func<Mlir> {
    let module = read(&format!(
        "module {{\n  gpu.module @kernels {{\n    cuda.kernel @kernel{head} {{\n{body}\n      return\n    }}\n  }}\n}}\n"
    ));
    module.kernels().next().cloned().expect("a kernel")
}

/// The kernel after a pass, as text that is read back to the same.
fn after(pass: Pass, kernel: &Func<Mlir>) -> String {
    let kernel = pass(kernel).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let module = alone(kernel);
    let text = print_module(&module, Form::Custom);
    assert_eq!(print_module(&read(&text), Form::Custom), text);
    assert_eq!(
        print_module(&read(&print_module(&module, Form::Generic)), Form::Custom),
        text
    );
    text
}

/// What a pass refuses, and how.
fn refusal(pass: Pass, kernel: &Func<Mlir>) -> (Code, String) {
    let problems = pass(kernel).expect_err("a refusal");
    let [problem] = problems.as_slice() else {
        panic!("one refusal: {problems:#?}");
    };
    let place = problem.primary.as_ref().expect("a place");
    assert_ne!(place.at, Origin::FUNCTION, "the op that is refused");
    (problem.code, problem.message.clone())
}
