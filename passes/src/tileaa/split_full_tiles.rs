//! Versions tile accesses for full and for partial tiles. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same program, where a tiled load or store that would have
//! wider vectors if it were in bounds is duplicated in an `scf.if`: in bounds along all axes, and unchanged. The
//! condition is uniform and scalar: along every axis that may be out of bounds, the index is not negative and at most
//! `(extent - tile) / step`, rounded down.
//!
//! An access that is already versioned is not changed, so the pass is idempotent.
//!
//! Most tiles of an array are full; without this, an unknown extent limits all of them to accesses of one element.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Body, Func, OpId, Origin, SideTable, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::select_atoms::widest_accesses;
use super::tiled::{Extent, TiledAxis, tiled_axes};
use tilewright_irs::dialects::access::Widest;

/// Versions the accesses that gain from it.
///
/// # Errors
/// Elements do not fill whole bytes in memory (E0502), with the op's origin.
pub fn split_full_tiles(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Split {
        accesses: widest_accesses(&func.body).map_err(|problem| vec![problem])?,
        definitions: func.body.definitions(),
        edges: edges(&func.body),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Split {
    accesses: SideTable<OpId, Widest>,
    definitions: SideTable<Value, OpId>,
    /// The accesses to partial tiles in earlier versionings.
    edges: SideTable<OpId, ()>,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

impl Translate<TileAa, TileAa> for Split {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let gains = self
            .accesses
            .get(id)
            .is_some_and(|access| access.vector < access.inside)
            && self.edges.get(id).is_none();
        let condition = if gains { self.inside(cx, id) } else { None };
        match condition {
            Some(condition) => self.twice(cx, id, condition),
            None => cx.carry(id, &old.kind, self),
        }
    }
}

impl Split {
    /// The op under the condition with all of its tile in bounds, and otherwise unchanged.
    fn twice(&mut self, cx: &mut Cx<'_>, id: OpId, condition: Value) -> Translated {
        let old = cx.old(id);
        let mut regions = Vec::with_capacity(2);
        for inside in [true, false] {
            let region = cx.body_mut().add_region();
            let block = cx.body_mut().add_block(region);
            cx.within(block, |cx| -> Translated {
                let mut op = old.kind.clone();
                if inside {
                    in_bounds(&mut op);
                }
                cx.carry(id, &op, self)?;
                let values = old.results().map(|result| cx.one(result)).collect();
                cx.build().effect(ScfOp::Yield { values });
                Ok(())
            })?;
            regions.push(region);
        }
        let &[then, otherwise] = regions.as_slice() else {
            return Ok(());
        };
        let types: Vec<TileAaType> = old.results().map(|value| cx.from.ty(value).clone()).collect();
        let op = cx.build().op(
            ScfOp::If {
                condition,
                then,
                otherwise,
            },
            types,
        );
        let new: Vec<Value> = cx.new_body().op(op).results().collect();
        for (old, new) in old.results().zip(new) {
            cx.bind(old, vec![new]);
        }
        Ok(())
    }

    /// Whether the tile of an access is in bounds, as a scalar i1. `None` if the array's extents are not available,
    /// or no axis may be out of bounds.
    fn inside(&self, cx: &mut Cx<'_>, id: OpId) -> Option<Value> {
        let axes = tiled_axes(cx.from, &self.definitions, id)?;
        let open = axes.iter().filter(|axis| !axis.inbounds);
        let parts: Vec<Value> = open.flat_map(|axis| inside(cx, axis)).collect();
        parts
            .into_iter()
            .reduce(|lhs, rhs| cx.value(ArithOp::AndI { lhs, rhs }, ScalarType::I1.into()))
    }
}

/// The conditions, as scalars of type i1, under which a tile is in bounds along an axis.
fn inside(cx: &mut Cx<'_>, axis: &TiledAxis) -> Vec<Value> {
    let ty = width(cx, axis);
    let index = widened(cx, axis.index, ty);
    let room = match axis.extent {
        Extent::Known(extent) => {
            let room = (extent - i64::from(axis.tile)).div_euclid(i64::from(axis.step.max(1)));
            integer(cx, ty, room)
        }
        Extent::Value(value) => {
            let extent = widened(cx, value, ty);
            let tile = integer(cx, ty, i64::from(axis.tile));
            let lhs = cx.value(
                ArithOp::SubI {
                    lhs: extent,
                    rhs: tile,
                    overflow: Overflow::Wraps,
                },
                ty.into(),
            );
            divided(cx, lhs, axis.step, ty)
        }
    };
    let mut parts = vec![compared(cx, index, Predicate::LessEqual, room)];
    if cx.from.ty(axis.index).facts.min.is_none_or(|min| min < 0) {
        let zero = integer(cx, ty, 0);
        parts.push(compared(cx, index, Predicate::GreaterEqual, zero));
    }
    parts
}

/// 32 bits if all operands fit and no difference overflows, else 64.
fn width(cx: &Cx<'_>, axis: &TiledAxis) -> ScalarType {
    let narrow = |value: Value| {
        let element = cx.from.ty(value).element().and_then(ElementType::scalar);
        element.is_some_and(|ty| ty.bits() <= 32)
    };
    let extent = match axis.extent {
        Extent::Known(extent) => i32::try_from(extent).is_ok(),
        Extent::Value(value) => narrow(value) && cx.from.ty(value).facts.min.is_some_and(|min| min >= 0),
    };
    // The largest tile has 2^24 elements, so 0 minus a tile does not overflow.
    if extent && narrow(axis.index) {
        ScalarType::I32
    } else {
        ScalarType::I64
    }
}

fn integer(cx: &mut Cx<'_>, ty: ScalarType, number: i64) -> Value {
    let value = Dense::Splat(Literal::new(ty, number.cast_unsigned()));
    cx.value(ArithOp::Constant { value }, ty.into())
}

/// An integer of the old function, sign-extended to `ty`.
fn widened(cx: &mut Cx<'_>, old: Value, ty: ScalarType) -> Value {
    let source = cx.one(old);
    let from = cx.from.ty(old).element().and_then(ElementType::scalar);
    if from.is_some_and(|from| from.bits() < ty.bits()) {
        let signedness = Signedness::Signed;
        cx.value(ArithOp::ExtI { source, signedness }, ty.into())
    } else {
        source
    }
}

/// `lhs / step`, rounded down.
fn divided(cx: &mut Cx<'_>, lhs: Value, step: u32, ty: ScalarType) -> Value {
    if step <= 1 {
        return lhs;
    }
    let signedness = Signedness::Signed;
    if step.is_power_of_two() {
        let rhs = integer(cx, ty, i64::from(step.ilog2()));
        cx.value(ArithOp::ShrI { lhs, rhs, signedness }, ty.into())
    } else {
        let rhs = integer(cx, ty, i64::from(step));
        let rounding = QuotientRounding::Down;
        cx.value(
            ArithOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding,
            },
            ty.into(),
        )
    }
}

fn compared(cx: &mut Cx<'_>, lhs: Value, predicate: Predicate, rhs: Value) -> Value {
    let signedness = Signedness::Signed;
    cx.value(
        ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        },
        ScalarType::I1.into(),
    )
}

/// Every access that is the first op of an `otherwise`, if the `then` begins with the same access in bounds.
fn edges(body: &Body<TileAa>) -> SideTable<OpId, ()> {
    let mut edges = SideTable::new(body.op_count());
    let first = |region| body.block(body.only_block(region)?).ops.first().copied();
    for id in body.walk() {
        if let TileAaOp::Scf(ScfOp::If { then, otherwise, .. }) = &body.op(id).kind
            && let (Some(inside), Some(edge)) = (first(*then), first(*otherwise))
        {
            let mut kind = body.op(edge).kind.clone();
            in_bounds(&mut kind);
            if kind == body.op(inside).kind {
                edges.set(edge, ());
            }
        }
    }
    edges
}

/// Marks all of an access as in bounds.
fn in_bounds(op: &mut TileAaOp) {
    match op {
        TileAaOp::TileAa(TileAaDialect::Load {
            inbounds,
            padding,
            access,
            ..
        }) => {
            inbounds.fill(true);
            *padding = None;
            whole(access);
        }
        TileAaOp::TileAa(TileAaDialect::Store { inbounds, access, .. }) => {
            inbounds.fill(true);
            whole(access);
        }
        TileAaOp::TileAa(_)
        | TileAaOp::Arith(_)
        | TileAaOp::Math(_)
        | TileAaOp::Scf(_)
        | TileAaOp::Tile(_) => {}
    }
}

/// Widens an access to its vector width for tiles in bounds.
fn whole(access: &mut Option<Widest>) {
    if let Some(widest) = access {
        widest.vector = widest.inside;
    }
}
