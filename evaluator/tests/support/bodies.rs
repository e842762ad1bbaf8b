//! Kernel bodies with defined and with undefined behaviour.
#![allow(dead_code, reason = "each test uses a part of it")]

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_evaluator::Init;
use tilewright_irs::core::Origin;
use tilewright_irs::element::ScalarType as S;

use super::{Launched, bytes, launch_on};

/// Runs a body with `%p`, a pointer to 16 i32 from 0 on, and `%q`, one to 16 i32 that nothing has written.
pub(crate) fn run_on(grid: [u32; 3], body: &str) -> Result<Vec<Vec<u8>>, Diagnostic<Origin>> {
    run_all(grid, body).map(|(contents, _)| contents)
}

fn run_all(grid: [u32; 3], body: &str) -> Result<Launched, Diagnostic<Origin>> {
    let text = format!("entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{\n{POINTERS}{body}\nreturn\n}}");
    let counted: Vec<u64> = (0..16).collect();
    let buffers = vec![Init::Data(bytes(S::I32, &counted)), Init::Empty(64)];
    launch_on(&text, grid, buffers, 1)
}

/// `%ps` and `%qs`: a pointer to each element; `%i`: their numbers.
pub(crate) const POINTERS: &str = "
    %i = iota : tile<16xi32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %ps = offset %pb, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
    %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %qb = broadcast %q1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
    %qs = offset %qb, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
";

/// The body must run, with nothing to be said about it.
pub(crate) fn legal(body: &str) {
    legal_on([1, 1, 1], body);
}

pub(crate) fn legal_on(grid: [u32; 3], body: &str) {
    match run_all(grid, body) {
        Ok((_, warnings)) => assert!(warnings.is_empty(), "{body}\n{warnings:#?}"),
        Err(problem) => panic!("{body}\n{problem:#?}"),
    }
}

/// The body must run, with one warning; returns the op that it is about.
pub(crate) fn warned(code: Code, message: &str, body: &str) -> Diagnostic<Origin> {
    let (_, warnings) = run_all([1, 1, 1], body).unwrap_or_else(|problem| panic!("{body}\n{problem:#?}"));
    let [warning] = warnings.as_slice() else {
        panic!("{body}\n{warnings:#?}");
    };
    assert_eq!(warning.code, code, "{body}\n{warning:#?}");
    assert!(warning.message.contains(message), "{body}\n{warning:#?}");
    warning.clone()
}

/// The op of a body that is to blame, counted from 0 in its text, must have the mnemonic.
pub(crate) fn undefined(code: Code, message: &str, body: &str) -> Diagnostic<Origin> {
    undefined_on([1, 1, 1], code, message, body)
}

pub(crate) fn undefined_on(grid: [u32; 3], code: Code, message: &str, body: &str) -> Diagnostic<Origin> {
    let problem = run_on(grid, body).expect_err(body);
    assert_eq!(problem.code, code, "{body}\n{problem:#?}");
    assert!(problem.message.contains(message), "{body}\n{problem:#?}");
    assert!(problem.primary.is_some());
    problem
}
