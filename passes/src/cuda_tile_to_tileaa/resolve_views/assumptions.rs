//! Assumptions become facts in the types of values.
//!
//! An assumption holds from its place on. Where it is reached whenever its value is defined, the fact is the value's
//! own; elsewhere (in a branch, after a loop that may not end) a copy of the value carries it.

use tilewright_irs::core::{Entity, OpId, Translated, Value};
use tilewright_irs::cuda_tile::Predicate;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAaKind, TileAaType};

use super::views::Parts;
use super::{Lowering, Pass};
use crate::tileaa::lattice::{Axis, Kind, Known};

impl Pass {
    pub(super) fn assume(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        old: Value,
        predicate: &Predicate,
    ) -> Translated {
        let result = cx.old(id).result(0);
        let value = cx.one(old);
        let new = match Kind::of(cx.ty(value)) {
            Some(kind) => self.refined(cx, value, &kind, predicate),
            None => self.aligned(cx, value, predicate),
        };
        cx.bind(result, vec![new]);
        Ok(())
    }

    fn refined(&self, cx: &mut Lowering<'_>, value: Value, kind: &Kind, predicate: &Predicate) -> Value {
        let ty = cx.ty(value).clone();
        let assumed = assumed(kind, predicate);
        let facts = Known::from_type(kind, &ty.facts)
            .both(&assumed, kind)
            .to_facts(kind);
        if facts == ty.facts {
            return value;
        }
        let refined = TileAaType { kind: ty.kind, facts };
        if value.index() >= self.dominated_from {
            cx.body_mut().set_ty(value, refined);
            return value;
        }
        cx.value(TileOp::Reshape { source: value }, refined)
    }

    /// An array whose address is assumed to be divisible.
    fn aligned(&mut self, cx: &mut Lowering<'_>, value: Value, predicate: &Predicate) -> Value {
        let (Predicate::DivBy { divisor, .. }, Some(memref)) = (predicate, cx.ty(value).memref()) else {
            return value;
        };
        let Some(parts) = self.parts.get(&value).filter(|_| *divisor > memref.align) else {
            return value;
        };
        let mut memref = memref.clone();
        memref.align = *divisor;
        let Parts {
            base,
            extents,
            strides,
        } = parts.clone();
        let ty = TileAaType::new(TileAaKind::Memref(memref));
        self.memref(
            cx,
            Parts {
                base,
                extents,
                strides,
            },
            ty,
        )
    }
}

/// What an assumption says.
fn assumed(kind: &Kind, predicate: &Predicate) -> Known {
    let mut known = Known::nothing(kind);
    let unit = kind.unit();
    match predicate {
        Predicate::DivBy {
            divisor,
            every,
            along,
        } => {
            let group = every.and_then(|n| u64::try_from(n).ok()).unwrap_or(1);
            let axis = along.and_then(|n| usize::try_from(n).ok());
            match axis.and_then(|n| known.axes.get_mut(n)) {
                // A group of no elements says nothing; one whose length is no power of two is cut into some that are.
                Some(_) if group == 0 => {}
                Some(axis) => {
                    let run = Axis {
                        div: *divisor,
                        contig: group,
                        same: 1,
                    };
                    *axis = run.with_contig(1 << group.trailing_zeros(), unit);
                }
                None => {
                    for axis in &mut known.axes {
                        axis.div = *divisor;
                    }
                }
            }
        }
        Predicate::SameElements(groups) => {
            for (axis, &group) in known.axes.iter_mut().zip(groups) {
                if group > 0 {
                    axis.same = 1 << group.trailing_zeros();
                }
            }
        }
        Predicate::Bounded { lower, upper } => {
            known.low = known.low.max(lower.unwrap_or(i64::MIN));
            known.high = known.high.min(upper.unwrap_or(i64::MAX));
        }
    }
    known.normal(kind)
}
