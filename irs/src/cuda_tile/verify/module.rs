//! Rules of a module: symbols, globals, kernels.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};

use super::external::{Externs, externs, verify_externals};
use super::module_problem::ModuleProblem;
use super::preview::check_call;
use super::unknown::{PartialFunc, Unknown};
use crate::core::{
    Attributes, Func, Origin, Part, Problem, Problems, in_pieces, verify_parts, verify_structure,
};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::module::{CudaTile, EntryAttrs, Global, TileModule};
use crate::cuda_tile::ops::{MemoryOp, TileOp};
use crate::cuda_tile::type_rules::{check_dense, check_type};
use crate::cuda_tile::types::{Element, TileType};

/// What the symbols of a module stand for.
struct Symbols<'a> {
    globals: FxHashMap<&'a str, &'a Global>,
    externs: Externs<'a>,
}

/// Checks a module with all its functions.
///
/// # Errors
/// All errors: first of the globals, then of each function in turn, in the order of its ops.
pub fn verify_module(module: &TileModule) -> Result<(), Vec<ModuleProblem>> {
    let mut problems = Vec::new();
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut globals: FxHashMap<&str, &Global> = FxHashMap::default();
    for (index, global) in module.globals.iter().enumerate() {
        let mut report = |code: Code, message: String| {
            let diagnostic = Diagnostic::error(code, message).at(Origin::FUNCTION, "");
            problems.push(ModuleProblem {
                global: Some(index),
                ..ModuleProblem::new(None, diagnostic)
            });
        };
        if !names.insert(&global.name) {
            let message = format!("the symbol `@{}` is defined twice", global.name);
            report(Code::DuplicateSymbol, message);
        }
        if let Err((code, message)) = check_global(global) {
            report(code, format!("global `@{}`: {message}", global.name));
        }
        globals.entry(&global.name).or_insert(global);
    }
    let externs = externs(module);
    problems.extend(verify_externals(module, &externs, &mut names));
    let funcs = module.funcs.iter();
    let again: Vec<bool> = funcs.map(|func| !names.insert(&func.name)).collect();
    let symbols = Symbols { globals, externs };
    let ops = module.funcs.iter().map(|func| func.body.op_count()).sum();
    let found = in_pieces(&module.funcs, ops, |first, funcs| {
        let mut problems = Vec::new();
        for (index, func) in (first..).zip(funcs) {
            let again = again.get(index) == Some(&true);
            verify_entry(index, func, again, &symbols, &mut problems);
        }
        problems
    });
    problems.extend(found.into_iter().flatten());
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort_by_key(order);
    Err(problems)
}

/// Checks partially read functions, except for their unknown parts. The errors name each function by its index in the
/// list; the module, which has the other parts, is not checked.
pub fn verify_rest(module: &TileModule, funcs: &[PartialFunc]) -> Vec<ModuleProblem> {
    let globals = module.globals.iter();
    let symbols = Symbols {
        globals: globals.map(|global| (global.name.as_str(), global)).collect(),
        externs: externs(module),
    };
    let mut problems = Vec::new();
    for (index, PartialFunc { func, unknown }) in funcs.iter().enumerate() {
        report_entry(index, func, &symbols, Some(unknown), &mut problems);
        let lost: FxHashSet<_> = unknown.ops.iter().map(|&op| func.body.op(op).origin).collect();
        let mut found = verify_structure(func).list;
        found.retain(|problem| {
            let at = problem.diagnostic.primary.as_ref().map(|label| label.at);
            at.is_none_or(|at| !lost.contains(&at))
        });
        let mut found = Problems { list: found };
        super::walk(func, Some(unknown), &mut found);
        problems.extend(found.list.into_iter().map(|problem| in_func(index, problem)));
    }
    problems.sort_by_key(order);
    problems
}

/// Sort key of errors: outside of functions first, then each function, itself before its ops.
fn order(problem: &ModuleProblem) -> (Option<usize>, Option<u32>) {
    let origin = problem.diagnostic.primary.as_ref().map(|label| label.at);
    let op = origin.filter(|&origin| origin != Origin::FUNCTION);
    (problem.func, op.map(|Origin(op)| op))
}

/// Checks a kernel. `again` tells that its symbol is defined twice.
fn verify_entry(
    index: usize,
    func: &Func<CudaTile>,
    again: bool,
    symbols: &Symbols<'_>,
    problems: &mut Vec<ModuleProblem>,
) {
    if again {
        let message = format!("the symbol `@{}` is defined twice", func.name);
        let diagnostic = Diagnostic::error(Code::DuplicateSymbol, message).at(Origin::FUNCTION, "");
        problems.push(ModuleProblem::new(Some(index), diagnostic));
    }
    report_entry(index, func, symbols, None, problems);
    if let Err(list) = verify_parts(func) {
        problems.extend(list.into_iter().map(|problem| in_func(index, problem)));
    }
}

fn in_func(index: usize, Problem { diagnostic, part }: Problem) -> ModuleProblem {
    ModuleProblem {
        part,
        ..ModuleProblem::new(Some(index), diagnostic)
    }
}

/// Checks a kernel except for its body.
fn report_entry(
    index: usize,
    func: &Func<CudaTile>,
    symbols: &Symbols<'_>,
    unknown: Option<&Unknown>,
    problems: &mut Vec<ModuleProblem>,
) {
    let mut report = |origin: Origin, part: Part, code: Code, message: String| {
        let diagnostic = Diagnostic::error(code, message).at(origin, "");
        problems.push(ModuleProblem {
            part,
            ..ModuleProblem::new(Some(index), diagnostic)
        });
    };
    for (part, code, message) in check_entry(func) {
        report(Origin::FUNCTION, part, code, message);
    }
    check_uses(func, symbols, unknown, &mut report);
}

/// Errors of a kernel besides those of its body.
fn check_entry(func: &Func<CudaTile>) -> Vec<(Part, Code, String)> {
    let mut problems = Vec::new();
    if func.name.is_empty() {
        problems.push((Part::Op, Code::AttributeValue, "a kernel has no name".to_owned()));
    }
    // For files of any version, as NVIDIA's tools do since 13.5.
    if func.attrs.private.0 {
        let message = format!("the kernel `@{}` is private, expected a public one", func.name);
        problems.push((EntryAttrs::part("private"), Code::AttributeValue, message));
    }
    for (i, attr) in func.attrs.arg_attrs.iter().flatten().enumerate() {
        let Attr::Dict(dict) = attr else {
            let message = format!(
                "entry {i} of the argument attributes of `@{}` is not a dictionary",
                func.name
            );
            problems.push((
                EntryAttrs::part("arg_attrs").entry(i),
                Code::AttributeKind,
                message,
            ));
            continue;
        };
        for (j, (key, _)) in dict.0.iter().enumerate() {
            // A dialect, a dot, a name.
            if key.split_once('.').is_none_or(|(dialect, _)| dialect.is_empty()) {
                let message = format!(
                    "the attribute `{key}` of argument {i} of `@{}` names no dialect, expected `dialect.{key}`",
                    func.name
                );
                let part = EntryAttrs::part("arg_attrs").entry(i).key(j);
                problems.push((part, Code::AttributeValue, message));
            }
        }
    }
    problems
}

/// Reports references to undefined symbols, or to symbols of another type.
fn check_uses(
    func: &Func<CudaTile>,
    symbols: &Symbols<'_>,
    unknown: Option<&Unknown>,
    report: &mut impl FnMut(Origin, Part, Code, String),
) {
    for (_, op) in func.body.ops() {
        let TileOp::Memory(MemoryOp::GetGlobal { name }) = &op.kind else {
            check_call(func, op, &symbols.externs, unknown, report);
            continue;
        };
        if unknown.is_some_and(|unknown| unknown.symbol(&name.0)) {
            continue;
        }
        let Some(global) = symbols.globals.get(name.0.as_str()) else {
            let message = format!(
                "'cuda_tile.get_global' op names `@{}`, which is no global",
                name.0
            );
            report(op.origin, Part::Field(0), Code::UnknownSymbol, message);
            continue;
        };
        let pointee = op.results().next().and_then(|v| func.body.ty(v).as_tile());
        let pointee = pointee
            .and_then(|tile| tile.element.pointer())
            .map(|pointer| pointer.pointee);
        if let Some(pointee) = pointee
            && Element::Scalar(pointee) != global.ty.element
        {
            let message = format!(
                "'cuda_tile.get_global' op the result is a `ptr<{pointee}>`, but `@{}` is `{}`: expected the pointee {}",
                name.0, global.ty, global.ty.element
            );
            report(op.origin, Part::Result(0), Code::TypeMismatch, message);
        }
    }
}

fn check_global(global: &Global) -> Result<(), (Code, String)> {
    if global.name.is_empty() {
        return Err((Code::AttributeValue, "the name is empty".to_owned()));
    }
    check_type(&TileType::Tile(global.ty.clone()))?;
    if global.ty.shape.len() != 1 || global.ty.element.scalar().is_none() {
        let message = format!(
            "the type is `{}`, expected a tile of numbers with one dimension",
            global.ty
        );
        return Err((Code::OperandType, message));
    }
    check_dense(&global.ty, &global.value)
}
