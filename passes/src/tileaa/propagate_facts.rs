//! Infers facts about every value and adds them to its type.
//!
//! In: any `tileaa` function; facts in its types are assumed true. Out: the same ops; types of integers, pointers and
//! Booleans have the divisors, runs and bounds of their elements; memrefs have the alignment of their base and the
//! divisors of their extents and strides. Facts in the input are kept, so the pass may run again. An ill-formed input
//! gives an ill-formed output, which the verifier reports; the pass itself has no errors.
//!
//! This is the analysis of Triton's `AxisInfo`, with two differences. Divisors belong to the first elements of runs,
//! and are lowered whenever runs are split. And integers wrap: a run is contiguous modulo the type's size, until an
//! op that depends on it (extension, comparison) splits it at multiples of its own length.
//!
//! Loop-carried values start with the facts of their initial values and lose those that the back edge does not
//! confirm, until a fixed point; bounds that keep changing are dropped after some sweeps, and finally all facts are.

mod bounds;
mod integers;
pub(crate) mod lattice;
mod shapes;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Entity, Func, OpId, Origin, Region, Value};
use tilewright_irs::cuda_tile::MAX_GRID_EXTENT;
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::isa::limits::{MOST_BLOCKS, MOST_CLUSTER};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use lattice::{Axis, Kind, Known, low_bit};

/// After so many sweeps over the function, bounds that still move are given up.
const SWEEPS_WITH_BOUNDS: u32 = 2;
/// After this number of sweeps, all facts of loop-carried values are dropped.
const SWEEPS: u32 = 12;

/// Infers facts and adds them to the types of the function's values.
///
/// Never fails; the result's type is that of every pass.
pub fn propagate_facts(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut analysis = Analysis {
        body: &func.body,
        known: vec![None; func.body.value_count()],
        frames: Vec::new(),
        sweep: 0,
        changed: true,
    };
    analysis.params();
    while analysis.changed {
        analysis.changed = false;
        analysis.region(func.body.root());
        analysis.sweep += 1;
    }
    let mut out = func.clone();
    for (value, ty) in func.body.values() {
        if let Some(new) = analysis.typed(value, ty) {
            out.body.set_ty(value, new);
        }
    }
    for id in func.body.walk() {
        let op = func.body.op(id);
        if let TileAaOp::TileAa(TileAaDialect::Memref {
            base,
            extents,
            strides,
        }) = &op.kind
            && let Some(memref) = func.body.ty(op.result(0)).memref()
        {
            let memref = analysis.memref(memref, *base, extents, strides);
            out.body
                .set_ty(op.result(0), TileAaType::new(TileAaKind::Memref(memref)));
        }
    }
    Ok(out)
}

/// The most tile blocks of a grid along an axis: each is at least one block.
fn most_programs(axis: u32) -> i64 {
    let blocks = MOST_BLOCKS.get(axis as usize).copied().unwrap_or(MAX_GRID_EXTENT);
    blocks.min(MAX_GRID_EXTENT).into()
}

/// The values that reach the ends of a structured op's regions.
#[derive(Debug)]
struct Frame {
    op: OpId,
    /// The join of each result; `None` until the end of a region is reached.
    results: Vec<Option<Known>>,
    /// The join of each value carried to the next iteration.
    carried: Vec<Option<Known>>,
}

struct Analysis<'a> {
    body: &'a Body<TileAa>,
    /// `None` for values that have not been reached, and for those without elements.
    known: Vec<Option<Known>>,
    frames: Vec<Frame>,
    sweep: u32,
    /// Whether a loop-carried value changed in this sweep.
    changed: bool,
}

impl Analysis<'_> {
    fn kind(&self, value: Value) -> Option<Kind> {
        Kind::of(self.body.ty(value))
    }

    /// The current facts; those of the type where nothing was inferred.
    fn get(&self, value: Value) -> Option<(Kind, Known)> {
        let kind = self.kind(value)?;
        let known = match self.known.get(value.index()).and_then(Option::as_ref) {
            Some(known) => known.clone(),
            None => Known::from_type(&kind, &self.body.ty(value).facts),
        };
        Some((kind, known))
    }

    /// Sets the facts, combined with those of the type.
    fn set(&mut self, value: Value, known: Option<Known>) {
        let Some(kind) = self.kind(value) else { return };
        let stated = Known::from_type(&kind, &self.body.ty(value).facts);
        let known = match known {
            Some(known) => known.normal(&kind).both(&stated, &kind),
            None => stated,
        };
        if let Some(place) = self.known.get_mut(value.index()) {
            *place = Some(known);
        }
    }

    fn params(&mut self) {
        for &param in self.body.params() {
            self.set(param, None);
        }
    }

    fn region(&mut self, region: Region) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            for &op in &body.block(block).ops {
                self.op(op);
            }
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.body.op(id);
        let operand = |value: Value| {
            self.get(value).unwrap_or_else(|| {
                // Not a value with elements, which only an ill-formed op uses as one.
                let kind = Kind {
                    extents: vec![1],
                    element: tilewright_irs::element::ElementType::I1,
                };
                let known = Known::nothing(&kind);
                (kind, known)
            })
        };
        match &op.kind {
            TileAaOp::Arith(arith) => {
                let known = op.results().next().and_then(|r| self.kind(r));
                let known = known.map(|kind| integers::arith(arith, &kind, &operand));
                op.results().for_each(|r| self.set(r, known.clone()));
            }
            // Floats have no facts.
            TileAaOp::Math(_) => op.results().for_each(|r| self.set(r, None)),
            TileAaOp::Tile(tile) => {
                let known = op.results().next().and_then(|r| self.kind(r));
                let known = known.map(|kind| shapes::shape(tile, &kind, &operand));
                op.results().for_each(|r| self.set(r, known.clone()));
            }
            TileAaOp::TileAa(own) => {
                let limits = match own {
                    TileAaDialect::ProgramId { axis } => Some((0, most_programs(*axis) - 1)),
                    TileAaDialect::NumPrograms { axis } => Some((1, most_programs(*axis))),
                    TileAaDialect::BlockRank {} => Some((0, i64::from(MOST_CLUSTER) - 1)),
                    _ => None,
                };
                let known = limits.map(|(low, high)| Known {
                    axes: vec![Axis::UNKNOWN],
                    low,
                    high,
                });
                op.results().for_each(|r| self.set(r, known.clone()));
            }
            TileAaOp::Scf(scf) => self.structured(id, scf),
        }
    }

    fn structured(&mut self, id: OpId, scf: &ScfOp) {
        let body = self.body;
        match scf {
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                plan: _,
                body: region,
            } => {
                let Some(block) = body.only_block(*region) else {
                    return;
                };
                let Some((&counter, args)) = body.block(block).args.split_first() else {
                    return;
                };
                let counted = self.counter(*lower, *upper, *step, unsigned.0);
                self.set(counter, counted);
                let carried = self.iterate(id, *region, inits, args);
                let inits: Vec<_> = inits.iter().map(|&v| self.get(v)).collect();
                let results: Vec<_> = body.op(id).results().collect();
                for (result, (init, carried)) in
                    results.into_iter().zip(inits.into_iter().zip(carried.carried))
                {
                    let known = init.map(|(kind, init)| match carried {
                        Some(carried) => init.either(&carried, kind.unit()),
                        None => init,
                    });
                    self.set(result, known);
                }
            }
            ScfOp::Loop { inits, body: region } => {
                let Some(block) = body.only_block(*region) else {
                    return;
                };
                let frame = self.iterate(id, *region, inits, &body.block(block).args);
                self.finish(id, frame);
            }
            ScfOp::If { then, otherwise, .. } => {
                self.enter(id, 0);
                self.region(*then);
                self.region(*otherwise);
                if let Some(frame) = self.frames.pop() {
                    self.finish(id, frame);
                }
            }
            ScfOp::Yield { values } => {
                let top = self.frames.len().checked_sub(1);
                self.flow(top, values, |frame| &mut frame.results);
            }
            ScfOp::Continue { values } => {
                let frame = self.innermost_loop();
                self.flow(frame, values, |frame| &mut frame.carried);
            }
            ScfOp::Break { values } => {
                let frame = self.innermost_loop();
                self.flow(frame, values, |frame| &mut frame.results);
            }
            ScfOp::Return {} => {}
        }
    }

    fn enter(&mut self, op: OpId, carried: usize) {
        let results = self.body.op(op).results().len();
        self.frames.push(Frame {
            op,
            results: vec![None; results],
            carried: vec![None; carried],
        });
    }

    /// One sweep over a loop's body; returns the values at its ends.
    fn iterate(&mut self, op: OpId, region: Region, inits: &[Value], args: &[Value]) -> Frame {
        for (&arg, &init) in args.iter().zip(inits) {
            if self.known.get(arg.index()).is_some_and(Option::is_none) {
                let init = self.get(init).map(|(_, known)| known);
                self.set(arg, init);
            }
        }
        self.enter(op, args.len());
        self.region(region);
        let frame = self.frames.pop().unwrap_or(Frame {
            op,
            results: Vec::new(),
            carried: Vec::new(),
        });
        for ((&arg, &init), carried) in args.iter().zip(inits).zip(&frame.carried) {
            self.confirm(arg, init, carried.as_ref());
        }
        frame
    }

    /// Removes the facts of a loop-carried value that its initial value or the back edge do not confirm.
    fn confirm(&mut self, arg: Value, init: Value, carried: Option<&Known>) {
        let (Some((kind, old)), Some((_, init))) = (self.get(arg), self.get(init)) else {
            return;
        };
        let unit = kind.unit();
        let mut new = old.either(&init, unit);
        if let Some(carried) = carried {
            new = new.either(carried, unit);
        }
        if new == old {
            return;
        }
        let (low, high) = kind.range();
        if self.sweep >= SWEEPS_WITH_BOUNDS {
            if new.low != old.low {
                new.low = low;
            }
            if new.high != old.high {
                new.high = high;
            }
        }
        if self.sweep >= SWEEPS {
            new = Known::nothing(&kind);
        }
        self.set(arg, Some(new));
        if self.get(arg).is_some_and(|(_, now)| now != old) {
            self.changed = true;
        }
    }

    fn finish(&mut self, id: OpId, frame: Frame) {
        let results: Vec<_> = self.body.op(id).results().collect();
        for (result, known) in results.into_iter().zip(frame.results) {
            self.set(result, known);
        }
    }

    fn innermost_loop(&self) -> Option<usize> {
        self.frames
            .iter()
            .rposition(|frame| match &self.body.op(frame.op).kind {
                TileAaOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }) => true,
                TileAaOp::Scf(_)
                | TileAaOp::Arith(_)
                | TileAaOp::Math(_)
                | TileAaOp::Tile(_)
                | TileAaOp::TileAa(_) => false,
            })
    }

    fn flow(
        &mut self,
        frame: Option<usize>,
        values: &[Value],
        places: impl Fn(&mut Frame) -> &mut Vec<Option<Known>>,
    ) {
        for (i, &value) in values.iter().enumerate() {
            let Some((kind, known)) = self.get(value) else {
                continue;
            };
            let place = frame
                .and_then(|n| self.frames.get_mut(n))
                .and_then(|frame| places(frame).get_mut(i));
            if let Some(place) = place {
                *place = Some(match place.take() {
                    Some(before) => before.either(&known, kind.unit()),
                    None => known,
                });
            }
        }
    }

    /// A loop's counter. The step is positive and the counter does not wrap; otherwise the behaviour is undefined.
    fn counter(&self, lower: Value, upper: Value, step: Value, unsigned: bool) -> Option<Known> {
        let ((kind, lower), (_, upper), (_, step)) = (self.get(lower)?, self.get(upper)?, self.get(step)?);
        let div = lower.every_div(1).min(step.every_div(1));
        let mut counter = Known::nothing(&kind);
        for axis in &mut counter.axes {
            axis.div = div;
        }
        if !unsigned || (lower.low >= 0 && upper.low >= 0) {
            counter.low = lower.low;
            counter.high = upper.high.saturating_sub(1).max(lower.low);
        }
        Some(counter)
    }

    /// The type with the inferred facts; `None` if there are none to add.
    fn typed(&self, value: Value, ty: &TileAaType) -> Option<TileAaType> {
        let kind = Kind::of(ty)?;
        let known = self.known.get(value.index())?.as_ref()?;
        let mut facts = known.to_facts(&kind);
        // Larger divisors than those inferred are kept if they were stated for the same runs.
        let stated = facts
            .contiguity
            .iter()
            .zip(&ty.facts.contiguity)
            .zip(&ty.facts.divisibility);
        let divisors: Vec<u64> = facts
            .divisibility
            .iter()
            .zip(stated)
            .map(|(&div, ((new, old), &stated))| {
                let recorded = div.min(lattice::RECORDED_DIVISOR);
                if new == old {
                    recorded.max(stated)
                } else {
                    recorded
                }
            })
            .collect();
        facts.divisibility = divisors;
        Some(TileAaType {
            kind: ty.kind.clone(),
            facts,
        })
    }

    fn divisor(&self, value: Value) -> u64 {
        self.get(value)
            .map_or(1, |(kind, known)| known.every_div(kind.unit()))
            .min(lattice::RECORDED_DIVISOR)
    }

    fn memref(&self, memref: &Memref, base: Value, extents: &[Value], strides: &[Value]) -> Memref {
        let divisors = |numbers: &[Option<u64>], stated: &[u64], open: &[Value]| -> Vec<u64> {
            let mut open = open.iter();
            numbers
                .iter()
                .zip(stated)
                .map(|(number, &stated)| {
                    let found = match number {
                        Some(n) => low_bit(i64::try_from(*n).unwrap_or(1)).min(lattice::RECORDED_DIVISOR),
                        None => open.next().map_or(1, |&value| self.divisor(value)),
                    };
                    found.max(stated)
                })
                .collect()
        };
        Memref {
            align: self.divisor(base).max(memref.align),
            extent_div: divisors(&memref.extents, &memref.extent_div, extents),
            stride_div: divisors(&memref.strides, &memref.stride_div, strides),
            ..memref.clone()
        }
    }
}
