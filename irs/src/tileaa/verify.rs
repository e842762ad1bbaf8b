//! Rules of `tileaa` beyond the declarations.

use tilewright_diagnostics::Code;

use super::TileAa;
use super::ops::{TileAaDialect, TileAaOp};
use super::types::{TileAaKind, TileAaType};
use crate::core::{Body, Func, OpData, Origin, Problems, ValueType};
use crate::dialects::arith::{self, ArithOp};
use crate::dialects::memory::Memref;
use crate::dialects::memory_rules::{MemoryRules, MemoryType};
use crate::dialects::scf;
use crate::dialects::tile_rules::{ShapedType, verify_shape};
use crate::element::ElementType;

pub(super) fn verify(func: &Func<TileAa>, problems: &mut Problems) {
    let body = &func.body;
    if !body.params().iter().all(|&param| body.ty(param).is_single()) {
        let message = "a parameter is a number or a pointer";
        problems.error(Origin::FUNCTION, Code::OperandType, message);
    }
    scf::verify(
        body,
        problems,
        &|op| {
            if let TileAaOp::Scf(op) = op {
                Some(op)
            } else {
                None
            }
        },
        &is_integer,
    );
    for id in body.walk() {
        let op = body.op(id);
        match &op.kind {
            TileAaOp::Arith(arith) => verify_arith(body, op, arith, problems),
            TileAaOp::Tile(tile) => {
                verify_shape(body, op, tile, problems);
            }
            TileAaOp::TileAa(own) => verify_own(body, op, own, problems),
            TileAaOp::Scf(_) => {}
        }
    }
}

fn is_integer(ty: &TileAaType) -> bool {
    matches!(&ty.kind, TileAaKind::Scalar(ElementType::Scalar(s)) if s.is_int())
}

fn verify_arith(body: &Body<TileAa>, op: &OpData<TileAa>, arith: &ArithOp, problems: &mut Problems) {
    if let ArithOp::Constant { value } = arith {
        let ty = body.ty(op.result(0));
        let elements = ty
            .shape()
            .map(|shape| shape.iter().map(|&n| u64::from(n)).product());
        arith::verify_constant::<TileAa>(value, ty, elements, op.origin, problems);
    }
}

impl ShapedType for TileAaType {
    fn extents(&self) -> Option<&[u32]> {
        self.shape()
    }
}

impl MemoryType for TileAaType {
    fn memref(&self) -> Option<&Memref> {
        Self::memref(self)
    }
    fn is_token(&self) -> bool {
        self.kind == TileAaKind::Token
    }
}

fn verify_own(body: &Body<TileAa>, op: &OpData<TileAa>, own: &TileAaDialect, problems: &mut Problems) {
    let mut rules = MemoryRules { body, op, problems };
    match own {
        TileAaDialect::Memref {
            base,
            extents,
            strides,
        } => rules.memref(*base, extents, strides),
        TileAaDialect::Load {
            after,
            padding,
            access,
            ..
        } => {
            if let Some(at) = own.tile_at() {
                rules.load(at, *after, *padding);
            }
            rules.widest(access.as_ref(), op.result(0));
        }
        TileAaDialect::Store {
            value, after, access, ..
        } => {
            if let Some(at) = own.tile_at() {
                rules.store(at, *value, *after);
            }
            rules.widest(access.as_ref(), *value);
        }
        TileAaDialect::GatherLoad {
            pointers,
            mask,
            other,
            after,
            access,
            ..
        } => {
            rules.gather(*pointers, *mask, *other, *after);
            rules.widest(access.as_ref(), op.result(0));
        }
        TileAaDialect::ScatterStore {
            pointers,
            value,
            mask,
            after,
            access,
            ..
        } => {
            rules.scatter(*pointers, *value, *mask, *after, 0);
            rules.widest(access.as_ref(), *value);
        }
        TileAaDialect::CreateMemToken {} => rules.result_token(0),
        TileAaDialect::JoinMemTokens { tokens } => rules.join(tokens),
        TileAaDialect::ProgramId { axis } | TileAaDialect::NumPrograms { axis } => rules.grid_axis(*axis),
    }
}
