//! Programs, run.

use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_evaluator::host::{HostArgument, Number, evaluate_host};
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::core::{Func, Origin, verify};
use tilewright_irs::isa::Target;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::mlir::MlirModule;
use tilewright_passes::cute_to_cute_desugared::desugar;
use tilewright_passes::cute_to_llvm::scalarize_fragments;

use super::machine::{self, GLOBAL};
use super::writer::{MOST_RESULTS, Program};

/// A module, or why its text is none.
pub(crate) fn read(text: &str) -> Result<MlirModule, String> {
    let read = read_mlir(text, FileId(0)).map_err(|problems| {
        let messages = problems.into_iter().map(|problem| problem.message);
        messages.collect::<Vec<_>>().join("; ")
    });
    read.map(|read| read.module)
}

/// What the function of a module returns, or why it has no result.
pub(crate) fn evaluated(module: &MlirModule, numbers: &[i64]) -> Result<Vec<i64>, Diagnostic<Origin>> {
    let function = module.functions().next().expect("a function");
    let arguments: Vec<HostArgument> = numbers
        .iter()
        .map(|&number| HostArgument::Value {
            address: false,
            numbers: vec![Number::Integer(number)],
        })
        .collect();
    let evaluated = evaluate_host(module, function, &arguments, 100_000);
    evaluated.launches?;
    let integer = |number: Option<Number>| match number {
        Some(Number::Integer(number)) => number,
        other => panic!("{other:?} is no integer"),
    };
    Ok(evaluated.returned.into_iter().map(integer).collect())
}

/// Compares what the library has made of a program with the result. `false` says that it computes more than the result, as the
/// size of a layout, and that this is too large.
pub(crate) fn agrees(made: &MlirModule, numbers: &[i64], result: &[i64]) -> Result<bool, String> {
    match evaluated(made, numbers) {
        Ok(found) if found == result => Ok(true),
        Ok(found) => Err(format!("{found:?} of {numbers:?}, not {result:?}")),
        Err(problem) if problem.code == Code::BrokenPromise => Ok(false),
        Err(problem) => Err(problem.message),
    }
}

/// The kernel of a program after our passes, or why there is none.
pub(crate) fn lowered(program: &Program) -> Result<Func<Llvm>, String> {
    let module = read(&program.kernel())?;
    let kernel = module.kernels().next().ok_or("no kernel")?;
    let first = |problems: Vec<Diagnostic<Origin>>| {
        let messages = problems.into_iter().map(|problem| problem.message);
        messages.collect::<Vec<_>>().join("; ")
    };
    let desugared = desugar(kernel, Target::sm(80)).map_err(first)?;
    verify(&desugared).map_err(first)?;
    let plain = scalarize_fragments(&desugared).map_err(first)?;
    verify(&plain).map_err(first)?;
    Ok(plain)
}

/// What a lowered kernel stores.
pub(crate) fn stored(program: &Program, kernel: &Func<Llvm>, numbers: &[i64]) -> Vec<i64> {
    let mut parameters = vec![GLOBAL];
    parameters.extend(program.widths().zip(numbers).map(|(width, number)| match width {
        32 => number.cast_unsigned() & u64::from(u32::MAX),
        _ => number.cast_unsigned(),
    }));
    let mut bytes = vec![0; 8 * MOST_RESULTS];
    machine::run(kernel, 1, &parameters, &mut bytes);
    let words = bytes.chunks(8).take(program.results());
    words
        .map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes")))
        .collect()
}

/// Numbers for which the op has a result, with it. Fewer than `count` if they are rare.
pub(crate) fn cases(
    program: &Program,
    module: &MlirModule,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut cases = Vec::new();
    for _ in 0..4 * count {
        if cases.len() == count {
            break;
        }
        let numbers = program.assignment(rng);
        if let Ok(result) = evaluated(module, &numbers) {
            cases.push((numbers, result));
        }
    }
    cases
}
