//! Rules of control flow and debugging ops.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use crate::core::{Block, OpData, OpId, Origin, Part, Region, Value};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, ShapeOp, TileOp};
use crate::cuda_tile::types::TileType;

/// An enclosing op, as seen from inside.
enum Around<'a> {
    If,
    For,
    Loop(&'a [Value]),
    Fold,
    Other,
    /// An unreadable op.
    Unknown,
}

fn kind_of<'a>(check: &Check<'a>, id: OpId) -> Around<'a> {
    if check.is_unknown(id) {
        return Around::Unknown;
    }
    let body = check.body;
    match &body.op(id).kind {
        TileOp::Control(ControlOp::If { .. }) => Around::If,
        TileOp::Control(ControlOp::For { .. }) => Around::For,
        TileOp::Control(ControlOp::Loop { init_values, .. }) => Around::Loop(init_values),
        TileOp::Shape(ShapeOp::Reduce { .. } | ShapeOp::Scan { .. }) => Around::Fold,
        _ => Around::Other,
    }
}

/// The type of each value, if known.
type Types<'a> = Vec<Option<&'a TileType>>;

fn types<'a>(check: &Check<'a>, values: &[Value]) -> Types<'a> {
    values.iter().map(|&v| check.known(v)).collect()
}

fn result_types<'a>(check: &Check<'a>, op: &OpData<CudaTile>) -> Types<'a> {
    op.results().map(|v| check.known(v)).collect()
}

/// The types in parentheses, if there are any.
fn listed(types: &[Option<&TileType>]) -> String {
    if types.is_empty() {
        return String::new();
    }
    let word = |ty: &Option<&TileType>| ty.map_or_else(|| "?".to_owned(), |ty| format!("`{ty}`"));
    let types: Vec<_> = types.iter().map(word).collect();
    format!(" ({})", types.join(", "))
}

/// Values whose types must match a list, with their description and parts.
struct Given<'a> {
    what: &'a str,
    types: &'a [Option<&'a TileType>],
    part: &'a dyn Fn(usize) -> Part,
}

/// Reports unless the two lists of types are equal.
fn same_list(check: &mut Check<'_>, have: &Given<'_>, other: &str, wanted: &[Option<&TileType>]) {
    for (part, message) in differences(have, other, wanted) {
        check.error_at(part, Code::BlockArguments, message);
    }
}

/// The differences of two lists of types.
fn differences(have: &Given<'_>, other: &str, wanted: &[Option<&TileType>]) -> Vec<(Part, String)> {
    let what = have.what;
    if have.types.len() != wanted.len() {
        let message = format!(
            "{what}: {}{}, but {other} has {}{}",
            counted(have.types.len(), "value"),
            listed(have.types),
            wanted.len(),
            listed(wanted)
        );
        // The first excess value, if there is one.
        let part = if have.types.len() > wanted.len() {
            (have.part)(wanted.len())
        } else {
            Part::Op
        };
        return vec![(part, message)];
    }
    let pairs = have.types.iter().zip(wanted).enumerate();
    pairs
        .filter_map(|(i, (ty, wanted))| {
            let (ty, wanted) = ((*ty)?, (*wanted)?);
            if ty == wanted {
                return None;
            }
            let message = format!("{what}: value {i} is `{ty}`, but {other} has `{wanted}`");
            Some(((have.part)(i), message))
        })
        .collect()
}

/// Checks that no tensor or view is carried by a loop or yielded by a branch.
fn no_views(check: &mut Check<'_>, what: &str, list: &[Option<&TileType>], part: impl Fn(usize) -> Part) {
    for (i, ty) in list.iter().enumerate() {
        if let Some(ty) = ty
            && ty.is_view()
        {
            let message = format!("{what} {i} is `{ty}`, expected a tile or a token");
            check.error_at(part(i), Code::OperandType, message);
        }
    }
}

fn result_part(i: usize) -> Part {
    Part::result(i)
}

fn only_block(check: &mut Check<'_>, what: &str, region: Region) -> Option<Block> {
    let block = check.block(region);
    if block.is_none() {
        let blocks = check.body.region(region).blocks.len();
        check.error(
            Code::RegionCount,
            format!("{what} has {blocks} blocks, expected one"),
        );
    }
    block
}

fn terminator<'a>(check: &Check<'a>, block: Block) -> Option<(OpId, &'a TileOp)> {
    let body = check.body;
    body.terminator(block).map(|id| (id, &body.op(id).kind))
}

/// An entry of a terminator's only list.
fn first_field(i: usize) -> Part {
    Part::Field(0).entry(i)
}

const INITIAL: &str = "the list of initial values";

/// `for`. Terminators that cannot end the body are reported themselves.
pub(in crate::cuda_tile) fn for_loop(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::For {
        lower_bound,
        upper_bound,
        step,
        init_values,
        body,
        ..
    }) = &op.kind
    else {
        return;
    };
    let (first, bound) = (check.part("lower_bound"), check.known(*lower_bound));
    check.same_known(check.part("upper_bound"), check.known(*upper_bound), first, bound);
    check.same_known(check.part("step"), check.known(*step), first, bound);
    let Some(block) = only_block(check, "the body", *body) else {
        return;
    };
    let inits = types(check, init_values);
    let parts: Vec<_> = (0..inits.len()).map(|i| check.entry("init_values", i)).collect();
    no_views(check, "loop-carried value", &inits, |i| {
        parts.get(i).copied().unwrap_or(Part::Op)
    });
    let results = result_types(check, op);
    let given = Given {
        what: "the results",
        types: &results,
        part: &result_part,
    };
    same_list(check, &given, INITIAL, &inits);
    let args = types(check, &check.body.block(block).args);
    let Some((counter, carried)) = args.split_first() else {
        check.error(
            Code::BlockArguments,
            "the body takes no argument, expected at least the counter",
        );
        return;
    };
    check.same_known(Part::Argument(0), *counter, first, bound);
    let given = Given {
        what: "the arguments of the body",
        types: carried,
        part: &|i| Part::argument(i.saturating_add(1)),
    };
    same_list(check, &given, INITIAL, &inits);
}

/// `loop`. Terminators that cannot end the body are reported themselves.
pub(in crate::cuda_tile) fn endless_loop(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::Loop { init_values, body }) = &op.kind else {
        return;
    };
    let Some(block) = only_block(check, "the body", *body) else {
        return;
    };
    let inits = types(check, init_values);
    let parts: Vec<_> = (0..inits.len()).map(|i| check.entry("init_values", i)).collect();
    no_views(check, "loop-carried value", &inits, |i| {
        parts.get(i).copied().unwrap_or(Part::Op)
    });
    let results = result_types(check, op);
    no_views(check, "result", &results, result_part);
    let args = types(check, &check.body.block(block).args);
    let given = Given {
        what: "the arguments of the body",
        types: &args,
        part: &|i| Part::argument(i),
    };
    same_list(check, &given, INITIAL, &inits);
}

/// `if`
pub(in crate::cuda_tile) fn branch(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::If {
        then_region,
        else_region,
        ..
    }) = &op.kind
    else {
        return;
    };
    let results = result_types(check, op);
    no_views(check, "result", &results, result_part);
    let then_block = only_block(check, "the then region", *then_region);
    let no_else = check.body.region(*else_region).blocks.is_empty();
    if no_else && !results.is_empty() {
        let message = format!(
            "has {}, so it needs an else region",
            counted(results.len(), "result")
        );
        check.error(Code::RegionCount, message);
    }
    let else_block = if no_else {
        None
    } else {
        only_block(check, "the else region", *else_region)
    };
    for (what, block) in [("the then region", then_block), ("the else region", else_block)] {
        let Some(block) = block else { continue };
        let args = check.body.block(block).args.len();
        if args > 0 {
            check.error(
                Code::BlockArguments,
                format!("{what} takes {}, expected none", counted(args, "argument")),
            );
        }
        if let Some((id, TileOp::Control(ControlOp::Yield { operands }))) = terminator(check, block) {
            let given = Given {
                what: &format!("`yield` of {what}"),
                types: &types(check, operands),
                part: &first_field,
            };
            for (part, message) in differences(&given, "the list of results", &results) {
                check.error_in(id, part, "to the results of this", Code::BlockArguments, message);
            }
        }
    }
}

/// The enclosing op that control goes to, and its results; `if`s are skipped.
fn target<'a>(check: &Check<'a>) -> Option<(Around<'a>, Types<'a>)> {
    let mut around = check.around.iter().rev().copied();
    let id = around.find(|&id| !matches!(kind_of(check, id), Around::If))?;
    Some((kind_of(check, id), result_types(check, check.body.op(id))))
}

/// Reports an op without an enclosing loop, and shows the enclosing ops.
fn outside(check: &mut Check<'_>, message: &str) {
    check.error(Code::MisplacedOp, message);
    let mut around = check.around.iter().rev().copied();
    let around = around.find(|&id| !matches!(kind_of(check, id), Around::If));
    let origin = around.map_or(Origin::FUNCTION, |id| check.body.op(id).origin);
    check.show(origin, "this is around it");
}

/// `break`: out of the innermost `loop`.
pub(in crate::cuda_tile) fn break_out(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::Break { operands }) = &op.kind else {
        return;
    };
    let given = Given {
        what: "the operands",
        types: &types(check, operands),
        part: &first_field,
    };
    match target(check) {
        Some((Around::Unknown, _)) => {}
        Some((Around::Loop(_), results)) => {
            same_list(check, &given, "the list of the loop's results", &results);
        }
        Some((Around::For, _)) => {
            outside(
                check,
                "leaves a `for`, expected the innermost op around, but for `if`, to be a `loop`",
            );
        }
        Some((Around::If | Around::Fold | Around::Other, _)) | None => {
            outside(
                check,
                "stands outside of a `loop`, where only an `if` may be between",
            );
        }
    }
}

/// `continue`: to the next iteration of the innermost loop.
pub(in crate::cuda_tile) fn continue_on(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::Continue { operands }) = &op.kind else {
        return;
    };
    let given = Given {
        what: "the operands",
        types: &types(check, operands),
        part: &first_field,
    };
    match target(check) {
        Some((Around::Unknown, _)) => {}
        Some((Around::Loop(inits), _)) => {
            let inits = types(check, inits);
            same_list(check, &given, "the list of the loop's initial values", &inits);
        }
        Some((Around::For, results)) => {
            same_list(check, &given, "the list of the results of the `for`", &results);
        }
        Some((Around::If | Around::Fold | Around::Other, _)) | None => {
            outside(
                check,
                "stands outside of a `for` or `loop`, where only an `if` may be between",
            );
            if let Some(Around::If | Around::Fold) = check.around.last().map(|&id| kind_of(check, id)) {
                check.meant("yield");
            }
        }
    }
}

/// `yield`: to the enclosing op, which checks the values.
pub(in crate::cuda_tile) fn yield_up(check: &mut Check<'_>) {
    let around = check.around.last().map(|&id| kind_of(check, id));
    match around {
        Some(Around::If | Around::Fold | Around::Unknown) => {}
        Some(Around::For | Around::Loop(_)) => {
            check.error(
                Code::MisplacedOp,
                "stands outside of an `if`, `reduce` or `scan`: the body of a loop ends with `continue`",
            );
            check.meant("continue");
        }
        Some(Around::Other) | None => {
            check.error(Code::MisplacedOp, "stands outside of an `if`, `reduce` or `scan`");
        }
    }
}

/// `return`: out of the kernel, from inside `if` and `loop` only.
pub(in crate::cuda_tile) fn return_from(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Control(ControlOp::Return { operands }) = &op.kind else {
        return;
    };
    if !operands.is_empty() && !check.unknown.is_some_and(|unknown| unknown.signature) {
        let message = format!(
            "has {}, but a kernel returns nothing",
            counted(operands.len(), "operand")
        );
        check.error_at(check.part("operands"), Code::OperandCount, message);
    }
    for &id in check.around {
        match kind_of(check, id) {
            Around::If | Around::Loop(_) | Around::Unknown => {}
            Around::For | Around::Fold | Around::Other => {
                let name = check.body.op(id).kind.tile_spec().name;
                check.error(
                    Code::MisplacedOp,
                    format!("stands in a `{name}`, expected `if` and `loop` alone"),
                );
                return;
            }
        }
    }
}
