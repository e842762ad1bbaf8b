//! Rules of `tileas` beyond the declarations; `scheduled` has the same.

use tilewright_diagnostics::Code;
use tilewright_layouts::Dim;

use super::TileAsAttrs;
use super::atoms::{CopyAtom, CopyKind, Exchange};
use super::movement::shape_registers;
use super::ops::TileAsDialect;
use super::types::TileAsType;
use crate::core::{Body, Language, OpData, Origin, Problems, Value, ValueType};
use crate::dialects::arith::{self, ArithOp};
use crate::dialects::memory_rules::MemoryRules;
use crate::dialects::scf::{self, ScfOp};
use crate::dialects::tile::TileOp;
use crate::dialects::tile_rules::{ShapedType, verify_shape};
use crate::element::ElementType;

/// An op, by the dialect that declares it.
pub(crate) enum Part<'a> {
    Arith(&'a ArithOp),
    Scf(&'a ScfOp),
    Tile(&'a TileOp),
    TileAs(&'a TileAsDialect),
    /// Checked by the language itself.
    Own,
}

pub(crate) fn verify<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    attrs: &TileAsAttrs,
    part: fn(&L::Op) -> Part<'_>,
    problems: &mut Problems,
) {
    scf_verify(body, part, problems);
    if !body
        .params()
        .iter()
        .all(|&param| matches!(body.ty(param), TileAsType::Scalar(_)))
    {
        let message = "a parameter is a number or a pointer";
        problems.error(Origin::FUNCTION, Code::OperandType, message);
    }
    let warps = attrs.kernel_spec.num_warps;
    for (_, ty) in body.values() {
        if let TileAsType::Tile { layout, .. } = ty {
            let (lanes, have) = (layout.in_size(Dim::Lane), layout.in_size(Dim::Warp));
            if lanes > 32 || have > warps {
                let message =
                    format!("a layout over {have} warps of {lanes} lanes in a kernel of {warps} warps of 32");
                problems.error(Origin::FUNCTION, Code::BadLayout, message);
            }
            if !layout.is_surjective() {
                let message = "a layout leaves elements of its tile out";
                problems.error(Origin::FUNCTION, Code::BadLayout, message);
            }
        }
    }
    for id in body.walk() {
        let op = body.op(id);
        match part(&op.kind) {
            Part::Arith(ArithOp::Constant { value }) => {
                let ty = body.ty(op.result(0));
                let elements = ty
                    .extents()
                    .map(|shape| shape.iter().map(|&n| u64::from(n)).product());
                arith::verify_constant::<L>(value, ty, elements, op.origin, problems);
            }
            Part::Tile(tile) => {
                if verify_shape(body, op, tile, problems) {
                    verify_movement(body, op, tile, problems);
                }
            }
            Part::TileAs(own) => verify_own(body, op, own, attrs.shared_bytes, problems),
            Part::Arith(_) | Part::Scf(_) | Part::Own => {}
        }
    }
}

/// A shape op leaves every element in its thread.
fn verify_movement<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    op: &OpData<L>,
    tile: &TileOp,
    problems: &mut Problems,
) {
    let source = match tile {
        TileOp::Splat { source }
        | TileOp::Broadcast { source }
        | TileOp::Reshape { source }
        | TileOp::Permute { source, .. } => *source,
        TileOp::PtrAdd { .. } | TileOp::Iota {} => return,
    };
    if let Err(message) = shape_registers(tile, body.ty(source), body.ty(op.result(0))) {
        problems.error(op.origin, Code::BadLayout, message);
    }
}

fn scf_verify<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    part: fn(&L::Op) -> Part<'_>,
    problems: &mut Problems,
) {
    let integer = |ty: &TileAsType| matches!(ty, TileAsType::Scalar(ElementType::Scalar(s)) if s.is_int());
    scf::verify(
        body,
        problems,
        &|op| {
            if let Part::Scf(op) = part(op) {
                Some(op)
            } else {
                None
            }
        },
        &integer,
    );
}

fn verify_own<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &TileAsDialect,
    shared_bytes: u32,
    problems: &mut Problems,
) {
    let mut rules = MemoryRules { body, op, problems };
    match own {
        TileAsDialect::Memref {
            base,
            extents,
            strides,
        } => rules.memref(*base, extents, strides),
        TileAsDialect::Load {
            memref,
            index,
            after,
            dim_map,
            steps,
            padding,
            inbounds,
            atom,
            ..
        } => {
            rules.after(*after);
            rules.result_token(1);
            rules.tiled(*memref, index, op.result(0), dim_map, steps, inbounds);
            rules.padding(*padding, op.result(0));
            verify_atom(body, op, *atom, CopyKind::LdGlobal, op.result(0), problems);
        }
        TileAsDialect::Store {
            memref,
            index,
            value,
            after,
            dim_map,
            steps,
            inbounds,
            atom,
            ..
        } => {
            rules.after(*after);
            rules.result_token(0);
            rules.tiled(*memref, index, *value, dim_map, steps, inbounds);
            verify_atom(body, op, *atom, CopyKind::StGlobal, *value, problems);
        }
        TileAsDialect::GatherLoad {
            pointers,
            mask,
            other,
            after,
            atom,
            ..
        } => {
            rules.after(*after);
            rules.result_token(1);
            rules.pointers(*pointers, op.result(0), *mask);
            rules.other(*other, op.result(0));
            verify_atom(body, op, *atom, CopyKind::LdGlobal, op.result(0), problems);
        }
        TileAsDialect::ScatterStore {
            pointers,
            value,
            mask,
            after,
            atom,
            ..
        } => {
            rules.after(*after);
            rules.result_token(0);
            rules.pointers(*pointers, *value, *mask);
            verify_atom(body, op, *atom, CopyKind::StGlobal, *value, problems);
        }
        TileAsDialect::ConvertLayout {
            source,
            through,
            offset,
        } => {
            verify_conversion(body, op, *source, (*through, *offset), shared_bytes, problems);
        }
        TileAsDialect::CreateMemToken {} => rules.result_token(0),
        TileAsDialect::JoinMemTokens { tokens } => {
            rules.result_token(0);
            tokens.iter().for_each(|&token| rules.after(Some(token)));
        }
        TileAsDialect::ProgramId { axis } | TileAsDialect::NumPrograms { axis } => rules.grid_axis(*axis),
    }
}

fn verify_atom<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    op: &OpData<L>,
    atom: CopyAtom,
    kind: CopyKind,
    data: Value,
    problems: &mut Problems,
) {
    if atom.kind != kind {
        let message = format!("the atom is `{}`, the op moves data the other way", atom.kind);
        problems.error(op.origin, Code::AttributeValue, message);
    }
    let ty = body.ty(data);
    let bytes = ty
        .element()
        .and_then(ElementType::scalar)
        .and_then(crate::element::ScalarType::bytes);
    let Some(bytes) = bytes else {
        problems.error(
            op.origin,
            Code::BadElementType,
            "data in memory has elements of whole bytes",
        );
        return;
    };
    let elements = atom.bits / (8 * bytes);
    let registers = ty.layout().map_or(1, |layout| layout.in_size(Dim::Register));
    if elements == 0 || elements > registers {
        let message = format!(
            "the atom moves {} bits at a time; a thread holds {registers} elements of {} bits",
            atom.bits,
            8 * bytes
        );
        problems.error(op.origin, Code::AttributeValue, message);
    }
}

fn verify_conversion<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    op: &OpData<L>,
    source: Value,
    (through, offset): (Exchange, Option<u32>),
    shared_bytes: u32,
    problems: &mut Problems,
) {
    let (from, to) = (body.ty(source), body.ty(op.result(0)));
    let (Some(source_layout), Some(layout)) = (from.layout(), to.layout()) else {
        problems.error(op.origin, Code::OperandType, "a layout conversion is about tiles");
        return;
    };
    if from.extents() != to.extents() || from.element() != to.element() {
        problems.error(
            op.origin,
            Code::TypeMismatch,
            "a layout conversion changes nothing but the layout",
        );
        return;
    }
    match (through, offset) {
        (Exchange::Registers, None) => {
            if layout.registers_from(source_layout).is_none() {
                let message = format!(
                    "an exchange in registers would move elements between threads: from `{source_layout}` to \
                     `{layout}`"
                );
                problems.error(op.origin, Code::BadLayout, message);
            }
        }
        (Exchange::Registers, Some(_)) => {
            problems.error(
                op.origin,
                Code::AttributeValue,
                "an exchange in registers has no `offset`",
            );
        }
        (Exchange::Shared, None) => {
            problems.error(
                op.origin,
                Code::MissingAttribute,
                "an exchange through shared memory has an `offset`",
            );
        }
        (Exchange::Shared, Some(offset)) => {
            let bits = from.element().map_or(64, ElementType::bits);
            let elements = 1u64 << source_layout.total_out_bits();
            let bytes = elements * u64::from(bits.div_ceil(8));
            if u64::from(offset) + bytes > u64::from(shared_bytes) {
                let message = format!(
                    "the exchange needs {bytes} bytes of shared memory from {offset} on, the kernel has {shared_bytes}"
                );
                problems.error(op.origin, Code::AttributeValue, message);
            }
        }
    }
}
