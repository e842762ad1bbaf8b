//! Warnings about valid programs.

use tilewright_diagnostics::{Code, Diagnostic, counted};

use super::ModuleProblem;
use crate::core::{Func, OpData, Part, SideTable, Value};
use crate::cuda_tile::module::{CudaTile, TileModule};
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::literal::Dense;

/// Warnings about a valid module: constant indices outside of a tile.
pub fn warnings(module: &TileModule) -> Vec<ModuleProblem> {
    let mut found = Vec::new();
    for (index, func) in module.funcs.iter().enumerate() {
        // Few functions have `extract` or `insert` at all.
        if !func.body.ops().any(|(_, op)| has_parts(&op.kind)) {
            continue;
        }
        let definitions = func.body.definitions();
        for id in func.body.walk() {
            let op = func.body.op(id);
            for (part, message) in indices(func, &definitions, op) {
                let diagnostic = Diagnostic::warning(Code::IndexOutOfBounds, message).at(op.origin, "");
                found.push(ModuleProblem {
                    part,
                    ..ModuleProblem::new(Some(index), diagnostic)
                });
            }
        }
    }
    found
}

fn has_parts(op: &TileOp) -> bool {
    matches!(
        op,
        TileOp::Shape(ShapeOp::Extract { .. } | ShapeOp::Insert { .. })
    )
}

type Definitions = SideTable<Value, crate::core::OpId>;

/// The constant indices of `extract` and `insert` that are out of range.
fn indices(func: &Func<CudaTile>, definitions: &Definitions, op: &OpData<CudaTile>) -> Vec<(Part, String)> {
    let (whole, part, indices) = if let TileOp::Shape(ShapeOp::Extract { source, indices }) = &op.kind {
        (Some(*source), op.results().next(), indices)
    } else if let TileOp::Shape(ShapeOp::Insert {
        source,
        destination,
        indices,
    }) = &op.kind
    {
        (Some(*destination), Some(*source), indices)
    } else {
        return Vec::new();
    };
    let tile = |value: Option<Value>| value.and_then(|value| func.body.ty(value).as_tile());
    let (Some(whole), Some(part)) = (tile(whole), tile(part)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let extents = whole.shape.iter().zip(part.shape.iter());
    for (i, (&index, (&large, &small))) in indices.iter().zip(extents).enumerate() {
        let Some(number) = constant(func, definitions, index) else {
            continue;
        };
        // Validity of the op is not checked here.
        let Some(parts) = large.checked_div(small).filter(|&parts| parts > 0) else {
            continue;
        };
        if !u64::try_from(number).is_ok_and(|number| number < parts) {
            let message = format!(
                "'cuda_tile.{}' op index {i} is {number}, but `{whole}` has {} of `{part}` along dimension {i}",
                op.kind.tile_spec().name,
                counted(parts, "part")
            );
            found.push((op.part("indices").entry(i), message));
        }
    }
    found
}

/// The value of an i32 that a `constant` defines.
fn constant(func: &Func<CudaTile>, definitions: &Definitions, value: Value) -> Option<i64> {
    let id = *definitions.get(value)?;
    let TileOp::Shape(ShapeOp::Constant { value }) = &func.body.op(id).kind else {
        return None;
    };
    let bits = match value {
        Dense::Splat(literal) => literal.bits,
        Dense::Elements(_, bits) => *bits.first()?,
    };
    // The low 32 bits are the number.
    u32::try_from(bits & u64::from(u32::MAX))
        .ok()
        .map(|bits| i64::from(bits.cast_signed()))
}
