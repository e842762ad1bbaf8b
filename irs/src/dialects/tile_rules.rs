//! Rules of the shape ops, independent of layouts and facts.

use tilewright_diagnostics::{Code, counted};

use super::tile::TileOp;
use crate::core::{Body, Language, OpData, Part, Problems, ValueType};
use crate::element::ElementType;

/// A value type that may have extents; a scalar has an empty list of them.
pub trait ShapedType: ValueType {
    /// The extents; `None` if values of this type are neither tiles nor scalars.
    fn extents(&self) -> Option<&[u32]>;
}

/// Checks a shape op's extents and element types; returns whether they are valid.
pub fn verify_shape<L: Language<Type: ShapedType>>(
    body: &Body<L>,
    op: &OpData<L>,
    tile: &TileOp,
    problems: &mut Problems,
) -> bool {
    let checked = check(body, op, tile);
    if let Err((part, code, message)) = &checked {
        problems.error_at(op.origin, *part, *code, message);
    }
    checked.is_ok()
}

fn check<L: Language<Type: ShapedType>>(
    body: &Body<L>,
    op: &OpData<L>,
    tile: &TileOp,
) -> Result<(), (Part, Code, String)> {
    const RESULT: Part = Part::Result(0);
    let result = body.ty(op.result(0));
    let Some(to) = result.extents() else {
        return Err((RESULT, Code::TypeMismatch, "a shape op gives a tile".to_owned()));
    };
    let source = match tile {
        TileOp::Splat { source }
        | TileOp::Broadcast { source }
        | TileOp::Reshape { source }
        | TileOp::Permute { source, .. } => Some(*source),
        TileOp::PtrAdd { pointer, .. } => Some(*pointer),
        TileOp::Iota {} => None,
    };
    let Some(source) = source else {
        let integer = result
            .element()
            .and_then(ElementType::scalar)
            .filter(|s| s.is_int());
        return match (to, integer) {
            ([_], Some(_)) => Ok(()),
            _ => Err((
                RESULT,
                Code::TypeMismatch,
                "`tile.iota` gives a tile of integers with one axis".to_owned(),
            )),
        };
    };
    let ty = body.ty(source);
    let from_is = op.operand(source);
    let Some(from) = ty.extents() else {
        return Err((from_is, Code::OperandType, "a shape op takes a tile".to_owned()));
    };
    if ty.element() != result.element() {
        return Err((
            RESULT,
            Code::TypeMismatch,
            "a shape op keeps the element type".to_owned(),
        ));
    }
    match tile {
        TileOp::Splat { .. } => {
            if !from.is_empty() || to.is_empty() {
                return Err((
                    if from.is_empty() { RESULT } else { from_is },
                    Code::RankMismatch,
                    "`tile.splat` makes a tile of a scalar".to_owned(),
                ));
            }
        }
        TileOp::Broadcast { .. } => {
            let fits = from.len() == to.len() && from.iter().zip(to).all(|(&a, &b)| a == b || a == 1);
            if !fits {
                return Err((
                    from_is,
                    Code::RankMismatch,
                    format!("{from:?} does not broadcast to {to:?}"),
                ));
            }
        }
        TileOp::Reshape { .. } => {
            let count = |shape: &[u32]| shape.iter().map(|&n| u64::from(n)).product::<u64>();
            if count(from) != count(to) {
                let message = format!(
                    "{from:?} has {}, {to:?} {}",
                    counted(count(from), "element"),
                    count(to)
                );
                return Err((RESULT, Code::TypeMismatch, message));
            }
        }
        TileOp::Permute { permutation, .. } => {
            let mut seen = vec![false; from.len()];
            let mut fits = permutation.len() == from.len() && to.len() == from.len();
            for (i, &axis) in permutation.iter().enumerate() {
                let axis = axis as usize;
                fits = fits && seen.get(axis).is_some_and(|seen| !seen) && to.get(i) == from.get(axis);
                if let Some(seen) = seen.get_mut(axis) {
                    *seen = true;
                }
            }
            if !fits {
                return Err((
                    op.part("permutation"),
                    Code::BadDimMap,
                    format!("{permutation:?} does not take {from:?} to {to:?}"),
                ));
            }
        }
        TileOp::PtrAdd { offset, .. } => {
            let offset_is = op.part("offset");
            let offset = body.ty(*offset);
            let integer = offset
                .element()
                .and_then(ElementType::scalar)
                .filter(|s| s.is_int());
            let Some(integer) = integer else {
                return Err((
                    offset_is,
                    Code::OperandType,
                    "pointers move by integers".to_owned(),
                ));
            };
            if offset.bare() != ty.with_element(ElementType::Scalar(integer)) || ty.bare() != result.bare() {
                let wrong = if ty.bare() == result.bare() {
                    offset_is
                } else {
                    RESULT
                };
                return Err((
                    wrong,
                    Code::TypeMismatch,
                    "pointers, offsets and result have one shape".to_owned(),
                ));
            }
            if !matches!(ty.element(), Some(ElementType::Ptr(_))) {
                return Err((
                    from_is,
                    Code::OperandType,
                    "`tile.ptradd` moves pointers".to_owned(),
                ));
            }
        }
        TileOp::Iota {} => {}
    }
    Ok(())
}
