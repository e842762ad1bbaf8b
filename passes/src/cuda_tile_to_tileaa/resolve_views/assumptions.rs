//! Lowers assumptions to facts in the types of values.
//!
//! An assumption is valid from its position on. If it is executed whenever its value is defined, the fact is added to
//! the value itself; otherwise (in a branch, after a loop that may not terminate) to a copy of the value.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Entity, OpId, Operation, Translated, Value};
use tilewright_irs::cuda_tile::{CudaTile, Predicate, ShapeOp, TileOp as SourceOp, ViewOp};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAaKind, TileAaType};

use super::pass::{Lowering, Parts, Pass};
use crate::tileaa::lattice::{Axis, Kind, Known};

impl Pass<'_> {
    pub(super) fn assume(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        old: Value,
        predicate: &Predicate,
    ) -> Translated {
        let result = cx.old(id).result(0);
        let value = cx.one(old);
        if self.idle.contains(&result) {
            cx.bind(result, vec![value]);
            return Ok(());
        }
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

    /// Alignment of a memref's base address.
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

/// Values that are used only as strides of dimensions with static extent 1, possibly through assumptions. No address
/// depends on such a stride, and a front end's promise about it may be false: it must not become a fact of the
/// assumed value, which may have other uses.
pub(super) fn idle_strides(body: &Body<CudaTile>) -> FxHashSet<Value> {
    let mut uses: FxHashMap<Value, i64> = FxHashMap::default();
    for (_, op) in body.ops() {
        for value in op.kind.operand_list() {
            *uses.entry(value).or_default() += 1;
        }
        if let SourceOp::View(ViewOp::MakeTensorView { dynamic_strides, .. }) = &op.kind
            && let Some(view) = op
                .results()
                .next()
                .and_then(|view| body.ty(view).as_tensor_view())
        {
            let open = view.shape.iter().zip(view.strides.iter());
            let open = open.filter(|(_, stride)| stride.is_none());
            for ((extent, _), stride) in open.zip(dynamic_strides) {
                if *extent == Some(1) {
                    *uses.entry(*stride).or_default() -= 1;
                }
            }
        }
    }
    // Definitions precede uses, so in reverse order all uses of a result have been visited.
    let mut idle = FxHashSet::default();
    for id in body.walk().into_iter().rev() {
        let op = body.op(id);
        if let SourceOp::Shape(ShapeOp::Assume { value, .. }) = &op.kind {
            for result in op.results() {
                if uses.get(&result) == Some(&0) {
                    idle.insert(result);
                    *uses.entry(*value).or_default() -= 1;
                }
            }
        }
    }
    idle
}

/// The facts of an assumption.
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
                // A group of no elements is vacuous; one whose length is not a power of two is split into groups that
                // are.
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
