//! Rules of reductions and scans.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use crate::core::{OpId, Operation, Part, Region, Resource, Value};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::ops::{ControlOp, ShapeOp, TileOp};
use crate::cuda_tile::types::{Tile, TileType};
use crate::element::ScalarType as S;

/// The common parts of `reduce` and `scan`.
struct Fold<'a> {
    operands: &'a [Value],
    dim: i32,
    identities: &'a [Attr],
    body: Region,
}

/// The tiles that are folded, as far as they are known.
type Tiles<'a> = Vec<Option<&'a Tile>>;

/// `reduce`: each result is its operand without the dimension.
pub(in crate::cuda_tile) fn reduce(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Shape(ShapeOp::Reduce {
        operands,
        dim,
        identities,
        body,
    }) = &op.kind
    else {
        return;
    };
    let fold = Fold {
        operands,
        dim: *dim,
        identities,
        body: *body,
    };
    let Some(along) = check_fold(check, &fold) else {
        return;
    };
    for (i, (&operand, result)) in operands.iter().zip(op.results()).enumerate() {
        let (Some(tile), Some(result)) = (check.known_tile(operand), check.known(result)) else {
            continue;
        };
        let rest = tile.shape.iter().enumerate().filter(|(i, _)| *i != along);
        let wanted = TileType::tile(rest.map(|(_, &n)| n).collect::<Vec<_>>(), tile.element);
        if *result != wanted {
            let part = Part::result(i);
            let message = format!(
                "{} is `{result}`, expected `{wanted}`: operand {i} without dimension {along}",
                check.noun(part)
            );
            check.error_at(part, Code::TypeMismatch, message);
        }
    }
}

/// `scan`: each result has the type of its operand.
pub(in crate::cuda_tile) fn scan(check: &mut Check<'_>) {
    let op = check.op;
    let TileOp::Shape(ShapeOp::Scan {
        operands,
        dim,
        identities,
        body,
        ..
    }) = &op.kind
    else {
        return;
    };
    let fold = Fold {
        operands,
        dim: *dim,
        identities,
        body: *body,
    };
    if check_fold(check, &fold).is_none() {
        return;
    }
    for (i, (&operand, result)) in operands.iter().zip(op.results()).enumerate() {
        let from = check.entry("operands", i);
        check.same_known(Part::result(i), check.known(result), from, check.known(operand));
    }
}

/// Checks the common rules; returns the dimension, if the other rules may rely on it.
fn check_fold(check: &mut Check<'_>, fold: &Fold<'_>) -> Option<usize> {
    let count = fold.operands.len();
    if count == 0 {
        check.error(Code::OperandCount, "has no operand, expected at least 1");
        return None;
    }
    if check.op.results().len() != count {
        let message = format!(
            "has {} for {}, expected the same number",
            counted(check.op.results().len(), "result"),
            counted(count, "operand")
        );
        // The first that has no counterpart.
        let part = if check.op.results().len() > count {
            Part::result(count)
        } else {
            check.entry("operands", check.op.results().len())
        };
        check.error_at(part, Code::ResultCount, message);
        return None;
    }
    let tiles: Tiles<'_> = fold.operands.iter().map(|&v| check.known_tile(v)).collect();
    let known = tiles.iter().enumerate().find_map(|(i, tile)| Some((i, (*tile)?)));
    if let Some((of, first)) = known {
        for (i, tile) in tiles.iter().enumerate().skip(of.saturating_add(1)) {
            if let Some(tile) = tile {
                check.same_shape(
                    check.entry("operands", i),
                    tile,
                    check.entry("operands", of),
                    first,
                );
            }
        }
    }
    if fold.identities.len() != count {
        let message = format!(
            "attribute `identities` has {} for {}",
            counted(fold.identities.len(), "entry"),
            counted(count, "operand")
        );
        check.error_at(check.part("identities"), Code::AttributeValue, message);
        return None;
    }
    for (i, (identity, tile)) in fold.identities.iter().zip(&tiles).enumerate() {
        if let Some(tile) = tile {
            check_identity(check, i, identity, tile);
        }
    }
    check_fold_body(check, fold.body, &tiles);
    let (_, first) = known?;
    let along = usize::try_from(fold.dim)
        .ok()
        .filter(|&along| along < first.shape.len());
    if along.is_none() {
        let message = format!(
            "attribute `dim` is {}, out of bounds: `{first}` has {}, from 0 on",
            fold.dim,
            counted(first.shape.len(), "dimension")
        );
        check.error_at(check.part("dim"), Code::AttributeValue, message);
    }
    along
}

fn check_identity(check: &mut Check<'_>, i: usize, identity: &Attr, tile: &Tile) {
    let wanted = tile.element.scalar();
    let fits = match identity {
        Attr::Bool(_) => wanted == Some(S::I1),
        Attr::Number(number) => {
            let halves = |ty| matches!(ty, S::F16 | S::BF16);
            wanted.is_some_and(|wanted| number.ty == wanted || (halves(number.ty) && halves(wanted)))
        }
        Attr::Type(_)
        | Attr::String(_)
        | Attr::Array(_)
        | Attr::Dense(..)
        | Attr::Predicate(_)
        | Attr::Dict(_)
        | Attr::Hints(_)
        | Attr::Reduction(_)
        | Attr::Preview(_) => false,
    };
    if !fits {
        let given = if let Attr::Number(number) = identity {
            format!("of type {}", number.ty)
        } else {
            "no number".to_owned()
        };
        let message = format!("identity {i} is {given}, expected the element type of operand {i}, `{tile}`");
        check.error_at(check.entry("identities", i), Code::AttributeKind, message);
    }
}

fn check_fold_body(check: &mut Check<'_>, body: Region, tiles: &[Option<&Tile>]) {
    let Some(block) = check.block(body) else {
        check.error(Code::RegionCount, "needs a body of one block");
        return;
    };
    let args = &check.body.block(block).args;
    if args.len() != 2 * tiles.len() {
        let message = format!(
            "the body takes {}, expected {}",
            counted(args.len(), "argument"),
            2 * tiles.len()
        );
        // The first excess argument, if there is one.
        let part = if args.len() > 2 * tiles.len() {
            Part::argument(2 * tiles.len())
        } else {
            Part::Op
        };
        check.error_at(part, Code::BlockArguments, message);
        return;
    }
    for (i, (&arg, tile)) in args
        .iter()
        .zip(tiles.iter().flat_map(|tile| [tile, tile]))
        .enumerate()
    {
        let Some(tile) = tile else { continue };
        let wanted = TileType::scalar(tile.element);
        if let Some(ty) = check.known(arg)
            && *ty != wanted
        {
            check.error_at(
                Part::argument(i),
                Code::BlockArguments,
                format!(
                    "argument {i} of the body is `{ty}`, expected `{wanted}` (rank 0) for arguments {} and {} by operand {}",
                    i - i % 2,
                    i - i % 2 + 1,
                    i / 2
                ),
            );
        }
    }
    if let Some(last) = check.body.terminator(block) {
        check_yield(check, last, tiles);
    }
    no_effects(check, body);
}

/// The order of reduction is unspecified, so the body must not have side effects.
fn no_effects(check: &mut Check<'_>, body: Region) {
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        let ops = |&block| check.body.block(block).ops.iter().copied();
        let ops: Vec<OpId> = check.body.region(region).blocks.iter().flat_map(ops).collect();
        for id in ops {
            let op = check.body.op(id);
            op.kind.regions(&mut |region| regions.push(region));
            // A loop that may not terminate accesses no memory.
            if !op.kind.effects().without(Resource::Control).touches().is_empty() {
                let name = op.kind.spec().name;
                let message = format!(
                    "'{name}' op has an effect on memory, in the body of `cuda_tile.{}`",
                    check.spec.name
                );
                check
                    .problems
                    .error_at(op.origin, Part::Op, Code::MisplacedOp, message);
            }
        }
    }
}

const AROUND: &str = "to this";

fn check_yield(check: &mut Check<'_>, last: OpId, tiles: &[Option<&Tile>]) {
    // `break`, `continue` and `return` are reported by their own rules.
    let TileOp::Control(ControlOp::Yield { operands }) = &check.body.op(last).kind else {
        return;
    };
    if operands.len() != tiles.len() {
        let message = format!(
            "the body yields {}, expected {}: one for each operand",
            counted(operands.len(), "value"),
            tiles.len()
        );
        // The first excess value, if there is one.
        let part = if operands.len() > tiles.len() {
            Part::Field(0).entry(tiles.len())
        } else {
            Part::Op
        };
        check.error_in(last, part, AROUND, Code::BlockArguments, message);
        return;
    }
    for (i, (&value, tile)) in operands.iter().zip(tiles).enumerate() {
        let (Some(ty), Some(tile)) = (check.known(value), tile) else {
            continue;
        };
        if ty.as_tile().map(|t| t.element) != Some(tile.element) {
            let message = format!(
                "value {i} of `yield` is `{ty}`, expected elements of {}, as operand {i} has",
                tile.element
            );
            let value = Part::Field(0).entry(i);
            check.error_in(last, value, AROUND, Code::BlockArguments, message);
        }
    }
}
