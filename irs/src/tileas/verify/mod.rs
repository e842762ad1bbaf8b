//! Rules of `tileas` beyond the declarations, shared with `scheduled`.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::Dim;

mod buffers;
mod compute;
mod global;
mod output;
mod tensor_maps;

use super::TileAsAttrs;
use super::atoms::{CopyUse, Place, Refusal};
use super::movement::shape_registers;
use super::ops::TileAsDialect;
use super::types::TileAsType;
use crate::core::{self, Body, Language, OpData, OpId, Origin, Problems, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::arith_rules;
use crate::dialects::fold_rules::verify_ends;
use crate::dialects::memory_rules::{MemoryRules, check_scope, scope_of};
use crate::dialects::scf::{self, ScfOp};
use crate::dialects::tile::TileOp;
use crate::dialects::tile_rules::{ShapedType, verify_shape};
use crate::element::ElementType;

/// An op, sorted by the dialect that declares it.
pub(crate) enum Part<'a> {
    Arith(&'a ArithOp),
    Scf(&'a ScfOp),
    Tile(&'a TileOp),
    TileAs(&'a TileAsDialect),
    /// An op that the language's own verifier checks.
    Own,
}

pub(crate) fn verify<L: Language<Type = TileAsType>>(
    body: &Body<L>,
    attrs: &TileAsAttrs,
    part: fn(&L::Op) -> Part<'_>,
    warps_of: &dyn Fn(OpId) -> u32,
    problems: &mut Problems,
) {
    attrs.verify(problems);
    scf_verify(body, part, problems);
    let passes = |&param: &Value| {
        matches!(
            body.ty(param),
            TileAsType::Scalar(_) | TileAsType::MapParameter(_)
        )
    };
    if let Some(wrong) = body.params().iter().position(|param| !passes(param)) {
        let message = "a parameter is a number, a pointer, or a tensor map with its elements and boxes";
        let part = core::Part::argument(wrong);
        problems.error_at(Origin::FUNCTION, part, Code::OperandType, message);
    }
    let warps = attrs.kernel_spec.num_warps;
    for (_, ty) in body.values() {
        if let TileAsType::Tile { layout, .. } = ty {
            let (lanes, have) = (layout.in_size(Dim::Lane), layout.in_size(Dim::Warp));
            if lanes > 32 || have > warps {
                let message = format!(
                    "a layout over {} of {} in a kernel of {} of 32",
                    counted(have, "warp"),
                    counted(lanes, "lane"),
                    counted(warps, "warp")
                );
                problems.error(Origin::FUNCTION, Code::BadLayout, message);
            }
            if !layout.is_surjective() {
                let message = "a layout leaves elements of its tile out";
                problems.error(Origin::FUNCTION, Code::BadLayout, message);
            }
        }
    }
    verify_ends(body, problems, "tileas.yield", |op| match part(op) {
        Part::TileAs(own) => own.fold().map(|fold| fold.body),
        _ => None,
    });
    for id in body.walk() {
        let op = body.op(id);
        match part(&op.kind) {
            Part::Arith(arith) => {
                let ty = body.ty(op.result(0));
                let elements = ty
                    .extents()
                    .map(|shape| shape.iter().map(|&n| u64::from(n)).product());
                arith_rules::verify(body, op, arith, elements, problems);
            }
            Part::Tile(tile) => {
                if verify_shape(body, op, tile, problems) {
                    verify_movement(body, op, tile, problems);
                }
            }
            Part::TileAs(own) => {
                let warps = warps_of(id);
                check_scope(op, scope_of(own.field(), own.field()), attrs.target, problems);
                Rules {
                    body,
                    op,
                    attrs,
                    warps,
                    problems,
                }
                .check(own);
            }
            Part::Scf(_) | Part::Own => {}
        }
    }
    tensor_maps::verify(body, part, problems);
}

/// Checks that a shape op moves no elements between threads.
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
        scf::Planning::Schedules,
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

/// The rules of one op.
struct Rules<'a, L: Language> {
    body: &'a Body<L>,
    op: &'a OpData<L>,
    attrs: &'a TileAsAttrs,
    /// The number of warps that execute the op.
    warps: u32,
    problems: &'a mut Problems,
}

type Checked = Result<(), Refusal>;

/// An error with this code and message unless `holds`.
fn want(holds: bool, code: Code, message: impl Into<String>) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(Refusal {
            code,
            message: message.into(),
        })
    }
}

impl<'a, L: Language<Type = TileAsType>> Rules<'a, L> {
    fn ty(&self, value: Value) -> &'a TileAsType {
        self.body.ty(value)
    }

    fn result(&self, n: usize) -> &'a TileAsType {
        self.body.ty(self.op.result(n))
    }

    fn error(&mut self, code: Code, message: impl Into<String>) {
        self.problems.error(self.op.origin, code, message);
    }

    fn memory(&mut self) -> MemoryRules<'_, L> {
        MemoryRules {
            body: self.body,
            op: self.op,
            problems: self.problems,
        }
    }

    /// A copy between these places, as the check of its atom takes it.
    fn copy<'b>(&self, from: Place<'b>, to: Place<'b>, dim_map: &'b [u32]) -> CopyUse<'b> {
        CopyUse {
            target: self.attrs.target,
            warps: self.warps,
            from,
            to,
            dim_map,
        }
    }

    fn check(&mut self, own: &TileAsDialect) {
        let checked = match own {
            TileAsDialect::Memref { .. }
            | TileAsDialect::Load { .. }
            | TileAsDialect::Store { .. }
            | TileAsDialect::GatherLoad { .. }
            | TileAsDialect::ScatterStore { .. }
            | TileAsDialect::TensorMap { .. }
            | TileAsDialect::CopyIn { .. }
            | TileAsDialect::GatherIn { .. }
            | TileAsDialect::CopyOut { .. }
            | TileAsDialect::AtomicRmw { .. }
            | TileAsDialect::AtomicCas { .. }
            | TileAsDialect::AtomicScatter { .. }
            | TileAsDialect::AtomicTile { .. }
            | TileAsDialect::MultimemLoad { .. }
            | TileAsDialect::MultimemStore { .. }
            | TileAsDialect::MultimemReduce { .. }
            | TileAsDialect::Fence { .. }
            | TileAsDialect::CreateMemToken {}
            | TileAsDialect::JoinMemTokens { .. }
            | TileAsDialect::ProgramId { .. }
            | TileAsDialect::NumPrograms { .. }
            | TileAsDialect::BlockRank {} => self.global(own),
            TileAsDialect::Alloc { align, offset, .. } => self.alloc(*align, *offset),
            TileAsDialect::Subview {
                buffer,
                stage,
                offsets,
            } => self.subview(*buffer, *stage, offsets),
            TileAsDialect::Transpose { buffer, permutation } => self.transpose(*buffer, permutation),
            TileAsDialect::Reinterpret { buffer } => self.reinterpret(*buffer),
            TileAsDialect::Copy { source, to, atom } => self.local_copy(*source, *to, atom),
            TileAsDialect::CopyWait { copy, .. } => self.copy_wait(*copy),
            TileAsDialect::ConvertLayout { source } => self.conversion(*source),
            TileAsDialect::Exchange { source } => self.exchange(*source),
            TileAsDialect::ExtractSlice { source, offsets } => self.extract_slice(*source, offsets),
            TileAsDialect::Concat { parts, axis } => self.concat(parts, *axis),
            TileAsDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                signedness_b,
                atom,
            } => self.dot([*a, *b, *acc], [*signedness_a, *signedness_b], atom),
            TileAsDialect::DotWait { product, .. } => self.dot_wait(*product),
            TileAsDialect::Reduce { atom, .. } => {
                own.fold().map_or(Ok(()), |fold| self.reduced(&fold, *atom))
            }
            TileAsDialect::Scan { atom, .. } => own.fold().map_or(Ok(()), |fold| self.scanned(&fold, *atom)),
            TileAsDialect::Assert { condition, .. } => self.assertion(*condition),
            TileAsDialect::Agree { source } => want(
                matches!(self.ty(*source), TileAsType::Tile { .. } | TileAsType::Scalar(_)),
                Code::OperandType,
                "threads agree on a tile or a scalar",
            ),
            TileAsDialect::Print { format, values } => self.printed(format, values),
            TileAsDialect::PrintElements {
                buffer,
                form,
                shape,
                first,
            } => self.printed_elements(*buffer, form, shape, *first),
            TileAsDialect::FirstZero { source } => self.first_zero(*source),
            TileAsDialect::TrapAt { places, .. } => self.trap_at(*places),
            TileAsDialect::OverlapBarrier { memref } => want(
                self.ty(*memref).memref().is_some(),
                Code::OperandType,
                "the barrier is for the elements of a memref",
            ),
            TileAsDialect::Barrier {} | TileAsDialect::Yield { .. } => Ok(()),
        };
        if let Err(refusal) = checked {
            self.error(refusal.code, refusal.message);
        }
    }
}
