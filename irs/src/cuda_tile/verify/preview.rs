//! Verifies calls of external functions.

use tilewright_diagnostics::{Code, counted};

use super::check::Check;
use crate::core::{Func, OpData, Origin, Part};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{PreviewOp, TileOp};
use crate::cuda_tile::preview::{Expr, ExternFunc, ParamKind, PreviewType, SymbolicTile, TileElement};
use crate::cuda_tile::types::{AnyType, Element, Tile, TileType};
use crate::cuda_tile::verify::external::Externs;
use crate::cuda_tile::verify::unknown::Unknown;

/// Checks a call by itself: its operands and results are tiles and tokens, and its attributes are dictionaries.
pub(in crate::cuda_tile) fn call(check: &mut Check<'_>) {
    let TileOp::Preview(PreviewOp::Call {
        operands,
        arg_attrs,
        res_attrs,
        ..
    }) = &check.op.kind
    else {
        return;
    };
    for (i, &value) in operands.iter().enumerate() {
        if check.ty(value).is_view() {
            let message = format!(
                "operand #{i} is `{}`, expected a tile or a token",
                check.ty(value)
            );
            check.error_at(check.entry("operands", i), Code::OperandType, message);
        }
    }
    for (i, ty) in check.result_types().enumerate() {
        if ty.is_view() {
            let message = format!("result #{i} is `{ty}`, expected a tile or a token");
            check.error_at(Part::result(i), Code::OperandType, message);
        }
    }
    for (name, list) in [("arg_attrs", arg_attrs), ("res_attrs", res_attrs)] {
        let entry = |attr: &Attr| !matches!(attr, Attr::Dict(_));
        if let Some(i) = list.as_ref().and_then(|list| list.iter().position(entry)) {
            let message = format!("entry {i} of `{name}` is not a dictionary");
            check.error_at(check.entry(name, i), Code::AttributeKind, message);
        }
    }
}

/// Checks an op of a function against the external function that it calls, if it is a call.
pub(super) fn check_call(
    func: &Func<CudaTile>,
    op: &OpData<CudaTile>,
    externs: &Externs<'_>,
    unknown: Option<&Unknown>,
    report: &mut impl FnMut(Origin, Part, Code, String),
) {
    let TileOp::Preview(PreviewOp::Call {
        operands,
        callee,
        const_args,
        ..
    }) = &op.kind
    else {
        return;
    };
    let found = externs.get(callee.0.as_str());
    if unknown.is_some_and(|unknown| found.is_none() && unknown.symbol(&callee.0)) {
        return;
    }
    let Some(Some(called)) = found else {
        let what = match found {
            Some(_) => "is no extern preview$func",
            None => "the module does not declare: expected an extern preview$func of this name",
        };
        let message = format!("'cuda_tile.preview$call' op calls `@{}`, which {what}", callee.0);
        return report(op.origin, CALLEE, Code::UnknownSymbol, message);
    };
    let mut values = operands.iter().copied().chain(op.results());
    if unknown.is_some_and(|unknown| values.any(|value| unknown.values.contains(&value))) {
        return;
    }
    let arguments: Vec<_> = operands.iter().map(|&value| func.body.ty(value)).collect();
    let results: Vec<_> = op.results().map(|value| func.body.ty(value)).collect();
    if let Err((part, code, message)) = fits(called, &arguments, &results, const_args) {
        let message = format!("'cuda_tile.preview$call' op {message}");
        report(op.origin, part, code, message);
    }
}

/// The index of the field `callee` in the declaration.
const CALLEE: Part = Part::Field(1);
/// The index of the field `const_args` in the declaration.
const CONST_ARGS: Part = Part::Field(2);

type Fits = Result<(), (Part, Code, String)>;

/// Checks the operands, results and constant arguments of a call against the function.
fn fits(called: &ExternFunc, arguments: &[&TileType], results: &[&TileType], constants: &[Expr]) -> Fits {
    let name = &called.name;
    let params = &called.const_params;
    if constants.len() != params.len() {
        let message = format!(
            "has {}, but `@{name}` has {}",
            counted(constants.len(), "constant argument"),
            counted(params.len(), "constant parameter")
        );
        return Err((CONST_ARGS, Code::OperandCount, message));
    }
    for (i, (constant, param)) in constants.iter().zip(params).enumerate() {
        check_constant(constant, param.kind).map_err(|what| {
            let message = format!(
                "constant argument {i}, for `{}` of `@{name}`, must be {}: {what}",
                param.name,
                param.kind.describe()
            );
            (CONST_ARGS.entry(i), Code::AttributeValue, message)
        })?;
    }
    let places = [
        (arguments, &called.inputs, "operand", "input", Code::OperandCount),
        (results, &called.results, "result", "result", Code::ResultCount),
    ];
    for (given, wanted, own, its, code) in places {
        // Tokens order the call, and the function knows nothing of them.
        let tiles = given
            .iter()
            .enumerate()
            .filter(|(_, ty)| ***ty != TileType::Token);
        let tiles: Vec<_> = tiles.collect();
        let part = |i| {
            if own == "operand" {
                Part::Field(0).entry(i)
            } else {
                Part::result(i)
            }
        };
        if tiles.len() != wanted.len() {
            let message = format!(
                "has {} besides tokens, but `@{name}` has {}",
                counted(tiles.len(), own),
                counted(wanted.len(), its)
            );
            // The first excess one, if there is one.
            let excess = tiles.get(wanted.len()).map(|&(i, _)| part(i));
            return Err((excess.unwrap_or(Part::Op), code, message));
        }
        for (&(i, given), wanted) in tiles.iter().zip(wanted) {
            if !admits(wanted, given) {
                let message = format!("{own} #{i} is `{given}`, but `@{name}` has `{wanted}` there");
                return Err((part(i), Code::TypeMismatch, message));
            }
        }
    }
    Ok(())
}

/// Checks a constant argument.
fn check_constant(constant: &Expr, kind: ParamKind) -> Result<(), String> {
    let mut var = None;
    constant.vars(&mut |name| var = var.or(Some(name)));
    if let Some(name) = var {
        return Err(format!(
            "it depends on the variable `{name}`, and a call has none"
        ));
    }
    match (kind, constant) {
        (ParamKind::Index, number) => number.check_integer(),
        (ParamKind::Shape, Expr::Tuple(items)) if items.is_empty() => Err("it is empty".to_owned()),
        (ParamKind::Shape, Expr::Tuple(items)) => items.iter().try_for_each(check_extent),
        (ParamKind::Datatype, Expr::Type(_)) | (ParamKind::String, Expr::Str(_)) => Ok(()),
        (ParamKind::Shape | ParamKind::Datatype | ParamKind::String, _) => Err("it is none".to_owned()),
    }
}

/// Checks an entry of a shape: an integer, or a tuple of entries.
fn check_extent(extent: &Expr) -> Result<(), String> {
    match extent {
        Expr::Tuple(items) => items.iter().try_for_each(check_extent),
        other => other.check_integer(),
    }
}

/// Whether a parameter or result that is declared with one type may have the other. Parts of a declared tile type that
/// depend on constant parameters admit anything: they are known only when the call is compiled, and NVIDIA's tools do
/// not check them earlier either.
fn admits(declared: &AnyType, given: &TileType) -> bool {
    match declared {
        AnyType::Value(declared) => declared == given,
        AnyType::Preview(ty) => match (ty.as_ref(), given) {
            (PreviewType::Tile(declared), TileType::Tile(given)) => admits_tile(declared, given),
            _ => false,
        },
        AnyType::Scalar(_) | AnyType::Ptr(_) | AnyType::Func(_) => false,
    }
}

fn admits_tile(declared: &SymbolicTile, given: &Tile) -> bool {
    let element: Option<Element> = match &declared.element {
        TileElement::Known(element) => Some(*element),
        TileElement::Symbol(_) => None,
    };
    let extents = declared.shape.iter().zip(given.shape.iter());
    let same = |(declared, given): (&Expr, &u64)| match declared {
        Expr::Int(number) => u64::try_from(*number) == Ok(*given),
        _ => true,
    };
    declared.shape.len() == given.shape.len()
        && element.is_none_or(|element| element == given.element)
        && extents.into_iter().all(same)
}
