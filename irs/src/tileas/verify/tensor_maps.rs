//! Rules of tensor maps and of the copies that use them: a map has memory of its own, and a copy uses a map that was made for its
//! array and its boxes.

use tilewright_diagnostics::Code;

use super::Part;
use crate::core::{self, Body, Language, OpId, Origin, Problems, SideTable, Value};
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::TileAccess;
use crate::tileas::atoms::MAP_BYTES;
use crate::tileas::map_parameter::MapParameter;
use crate::tileas::ops::TileAsDialect;
use crate::tileas::types::TileAsType;

type Checked = Result<(), (Code, String)>;

/// Checks the tensor maps of a body, and the copies that use them.
pub(super) fn verify<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    part: fn(&L::Op) -> Part<'_>,
    problems: &mut Problems,
) {
    for (position, &param) in body.params().iter().enumerate() {
        if let TileAsType::MapParameter(parameter) = body.ty(param)
            && let Err(refusal) = parameter.check()
        {
            let part = core::Part::argument(position);
            problems.error_at(Origin::FUNCTION, part, refusal.code, refusal.message);
        }
    }
    let mut definitions: Option<SideTable<Value, OpId>> = None;
    for (_, op) in body.ops() {
        let Part::TileAs(own) = part(&op.kind) else {
            continue;
        };
        let mut definition = |value: Value| {
            let id = *definitions.get_or_insert_with(|| body.definitions()).get(value)?;
            match part(&body.op(id).kind) {
                Part::TileAs(own) => Some(own),
                Part::Arith(_) | Part::Scf(_) | Part::Tile(_) | Part::Own => None,
            }
        };
        let checked = match own {
            TileAsDialect::TensorMap { scratch, .. } => check_scratch(definition(*scratch)),
            TileAsDialect::CopyIn {
                at,
                map: Some(map),
                atom,
                ..
            }
            | TileAsDialect::CopyOut {
                at,
                map: Some(map),
                atom,
                ..
            } => match (atom.boxes(), body.ty(*map)) {
                // An error of the copy.
                (None, _) => Ok(()),
                (Some(boxes), TileAsType::MapParameter(parameter)) if body.params().contains(map) => {
                    check_parameter(parameter, body.ty(at.memref), at, boxes)
                }
                // An error of the parameter.
                (Some(_), TileAsType::TensorMap) if body.params().contains(map) => Ok(()),
                (Some(boxes), _) => check_map(definition(*map), at, boxes),
            },
            _ => Ok(()),
        };
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
    }
}

/// Checks the memory that a map is made in.
fn check_scratch(scratch: Option<&TileAsDialect>) -> Checked {
    let align = match scratch {
        Some(TileAsDialect::Alloc { align, .. }) => *align,
        _ => 0,
    };
    if align.is_multiple_of(MAP_BYTES) && align > 0 {
        return Ok(());
    }
    let message = format!(
        "a tensor map is made in a buffer of its own, aligned to {MAP_BYTES} bytes (PTX ISA, \
         `tensormap.cp_fenceproxy`); this one has {align}"
    );
    Err((Code::HardwareLimit, message))
}

/// Checks a copy by a map that is a parameter of the kernel.
fn check_parameter(parameter: &MapParameter, array: &TileAsType, at: &TileAccess, boxes: &Boxes) -> Checked {
    let Some(memref) = array.memref().filter(|_| parameter.check().is_ok()) else {
        // An error of the copy, or of the parameter.
        return Ok(());
    };
    let wanted = boxes.tensor_map(memref, &at.dim_map);
    wanted
        .and_then(|wanted| parameter.check_use(&wanted))
        .map_err(|refusal| (refusal.code, refusal.message))
}

/// Checks the map of a copy that the kernel made.
fn check_map(map: Option<&TileAsDialect>, at: &TileAccess, boxes: &Boxes) -> Checked {
    let Some(TileAsDialect::TensorMap {
        memref,
        dim_map,
        atom,
        ..
    }) = map
    else {
        let message = "a tensor map is a parameter, or used where `tileas.tensor_map` made it, not passed on"
            .to_owned();
        return Err((Code::OperandType, message));
    };
    if at.memref != *memref || at.dim_map != *dim_map {
        let message = "the tensor map is that of another array, or of other axes of it".to_owned();
        return Err((Code::TypeMismatch, message));
    }
    // Without boxes, an error of the map.
    let Some(of) = atom.boxes().filter(|&of| of != boxes) else {
        return Ok(());
    };
    let rounded = |boxes: &Boxes| if boxes.rounded { ", rounded" } else { "" };
    let message = format!(
        "the tensor map has boxes of {:?} with swizzle {}{}, the copy has {:?} with {}{}",
        of.extents,
        of.swizzle.driver_name(),
        rounded(of),
        boxes.extents,
        boxes.swizzle.driver_name(),
        rounded(boxes)
    );
    Err((Code::TypeMismatch, message))
}
