//! Names of values: suggested by some ops, numbers otherwise.
//!
//! A region names the arguments of its blocks first, then all results of its own ops, and then its nested regions,
//! each with the counters at that point and without the names of its siblings.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::number::{FloatValue, value};
use super::words::{Word, Words};
use super::{push_number, splat};
use crate::core::{Body, Entity, OpId, Operation, Region, Value};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, MemoryOp, ShapeOp, TileOp, ViewOp};
use crate::element::ScalarType;
use crate::literal::{Dense, Literal};

/// Length limit of a suggested name, so that a chain of assumptions does not make names of quadratic length.
const MAX_BASE: usize = 1 << 8;

/// The name of a value: the position of its group's name among all names, and its index in a group of several.
#[derive(Clone, Copy, Debug)]
struct Called {
    from: usize,
    to: usize,
    place: Option<u32>,
}

/// The names of a body's values. The allocation is reused for the next body.
#[derive(Debug, Default)]
pub(super) struct Names {
    words: Words,
    values: Vec<Option<Called>>,
    /// The names of all groups as they are written, one after the other: `%3`, `%arg3`, `%tile`, and `%tile_3` where
    /// `tile` is taken. No suggestion ends so, and no number is given twice where both are seen.
    texts: String,
    /// The suggestion of the op that defines a value: `None` for an argument, or if the op suggests nothing for any
    /// result; an empty name for the result without one of an op that suggests others.
    bases: Vec<Option<Word>>,
    /// The names in scope, the outermost first.
    log: Vec<Word>,
    /// The names of splat constants.
    constants: FxHashMap<Literal, Word>,
    scratch: String,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    value: u64,
    argument: u64,
    conflict: u64,
}

/// The names suggested by an op for its first results.
#[derive(Clone, Copy)]
enum Suggested {
    /// None for any result.
    Nothing,
    /// These.
    Words(&'static [Word]),
    /// One, for the first.
    One(Word),
}

impl Names {
    /// Names every value of a body.
    pub(super) fn name(&mut self, body: &Body<CudaTile>) {
        self.texts.clear();
        self.values.clear();
        self.values.resize(body.value_count(), None);
        self.bases.clear();
        self.bases.resize(body.value_count(), None);
        self.region(body, body.root(), Counters::default(), None);
    }

    /// Writes the name of a value.
    pub(super) fn write(&self, value: Value, out: &mut String) {
        match self.values.get(value.index()) {
            Some(Some(called)) => {
                out.push_str(self.group(called));
                if let Some(place) = called.place {
                    out.push('#');
                    push_number(out, place.into());
                }
            }
            // A value that is not defined; reported by the verifier.
            Some(None) | None => {
                out.push_str("%undefined");
                push_number(out, value.index() as u64);
            }
        }
    }

    /// The name of a value's group.
    fn group(&self, called: &Called) -> &str {
        self.texts.get(called.from..called.to).unwrap_or_default()
    }

    /// Writes the names of an op's results at their definition: `%a, %b:2`.
    pub(super) fn write_results(&self, results: impl Iterator<Item = Value>, out: &mut String) {
        let mut count = 0;
        let finish = |count: u64, out: &mut String| {
            if count > 1 {
                out.push(':');
                push_number(out, count);
            }
        };
        for value in results {
            let Some(Some(called)) = self.values.get(value.index()) else {
                continue;
            };
            if count > 0 && matches!(called.place, Some(1..)) {
                count += 1;
                continue;
            }
            if count > 0 {
                finish(count, out);
                out.push_str(", ");
            }
            out.push_str(self.group(called));
            count = 1;
        }
        finish(count, out);
    }

    fn set(&mut self, value: Value, called: Called) {
        if let Some(place) = self.values.get_mut(value.index()) {
            *place = Some(called);
        }
    }

    /// A group with this name, of one value.
    fn called(&mut self, name: &str, number: Option<u64>) -> Called {
        let from = self.texts.len();
        self.texts.push('%');
        self.texts.push_str(name);
        if let Some(number) = number {
            push_number(&mut self.texts, number);
        }
        Called {
            from,
            to: self.texts.len(),
            place: None,
        }
    }

    fn region(
        &mut self,
        body: &Body<CudaTile>,
        region: Region,
        mut counters: Counters,
        around: Option<&TileOp>,
    ) {
        let outer = self.log.len();
        let blocks = &body.region(region).blocks;
        for &block in blocks {
            for (i, &value) in body.block(block).args.iter().enumerate() {
                self.scratch.clear();
                let called = if around.is_some_and(|op| argument_base(op, i, &mut self.scratch)) {
                    let base = self.words.word(&self.scratch);
                    self.unique(base, &mut counters)
                } else {
                    counters.argument += 1;
                    self.called("arg", Some(counters.argument - 1))
                };
                self.set(value, called);
            }
        }
        for &block in blocks {
            for &op in &body.block(block).ops {
                self.op(body, op, &mut counters);
            }
        }
        for &block in blocks {
            for &op in &body.block(block).ops {
                let kind = &body.op(op).kind;
                kind.regions(&mut |region| self.region(body, region, counters, Some(kind)));
            }
        }
        for word in self.log.drain(outer..) {
            self.words.release(word);
        }
    }

    fn unique(&mut self, base: Word, counters: &mut Counters) -> Called {
        let from = self.texts.len();
        self.texts.push('%');
        self.texts.push_str(self.words.text(base));
        if self.words.take(base) {
            self.log.push(base);
        } else {
            self.texts.push('_');
            push_number(&mut self.texts, counters.conflict);
            counters.conflict += 1;
        }
        Called {
            from,
            to: self.texts.len(),
            place: None,
        }
    }

    fn op(&mut self, body: &Body<CudaTile>, op: OpId, counters: &mut Counters) {
        let data = body.op(op);
        let count = data.results().len();
        if count == 0 {
            return;
        }
        let suggested = self.suggested(&data.kind);
        let mut called = None;
        for (i, value) in data.results().enumerate() {
            // Results without a name of their own belong to the group of the previous one.
            let name = suggested.name(i);
            let next = match (called, name) {
                (Some(Called { from, to, place }), None) => Called {
                    from,
                    to,
                    place: place.map(|place| place + 1),
                },
                (_, name) => {
                    let called = match name {
                        Some(base) => self.unique(base, counters),
                        None => {
                            counters.value += 1;
                            self.called("", Some(counters.value - 1))
                        }
                    };
                    let alone = i + 1 == count || suggested.name(i + 1).is_some();
                    Called {
                        place: (!alone).then_some(0),
                        ..called
                    }
                }
            };
            self.set(value, next);
            called = Some(next);
            if let (Some(base), Some(place)) = (suggested.base(i), self.bases.get_mut(value.index())) {
                *place = Some(base);
            }
        }
    }

    fn suggested(&mut self, kind: &TileOp) -> Suggested {
        match kind {
            TileOp::Float(_) | TileOp::Int(_) | TileOp::Cast(_) | TileOp::Preview(_) => Suggested::Nothing,
            TileOp::Shape(op) => match op {
                ShapeOp::Constant { value } => {
                    let splat = splat(value);
                    if let Some(word) = splat.and_then(|literal| self.constants.get(&literal)) {
                        return Suggested::One(*word);
                    }
                    self.scratch.clear();
                    constant_base(value, &mut self.scratch);
                    let word = self.words.word(&self.scratch);
                    if let Some(literal) = splat {
                        self.constants.insert(literal, word);
                    }
                    Suggested::One(word)
                }
                ShapeOp::Assume { value, .. } => {
                    self.scratch.clear();
                    self.scratch.push_str("assume");
                    if let Some(base) = self.bases.get(value.index()).copied().flatten() {
                        let base = self.words.text(base);
                        self.scratch.push('_');
                        self.scratch.push_str(base.get(..MAX_BASE).unwrap_or(base));
                    }
                    Suggested::One(self.words.word(&self.scratch))
                }
                ShapeOp::Reshape { .. } => Suggested::Words(&[Word::RESHAPE]),
                ShapeOp::Broadcast { .. } => Suggested::Words(&[Word::BCAST]),
                ShapeOp::Reduce { .. } => Suggested::Words(&[Word::REDUCE]),
                _ => Suggested::Nothing,
            },
            TileOp::Memory(op) => match op {
                MemoryOp::LoadPtrTko { .. }
                | MemoryOp::AtomicCasTko { .. }
                | MemoryOp::AtomicRmwTko { .. } => Suggested::Words(&[Word::RESULT, Word::RESULT_TOKEN]),
                _ => Suggested::Nothing,
            },
            TileOp::View(op) => match op {
                ViewOp::MakeTensorView { .. } => Suggested::Words(&[Word::TVIEW]),
                ViewOp::MakePartitionView { .. } => Suggested::Words(&[Word::PVIEW]),
                ViewOp::MakeStridedView { .. } => Suggested::Words(&[Word::SVIEW]),
                ViewOp::MakeGatherScatterView { .. } => Suggested::Words(&[Word::GSVIEW]),
                ViewOp::LoadViewTko { .. } => Suggested::Words(&[Word::TILE, Word::RESULT_TOKEN]),
                ViewOp::MultimemLoadReduceViewTko { .. } => {
                    Suggested::Words(&[Word::REDUCED_VALUES, Word::RESULT_TOKEN])
                }
                _ => Suggested::Nothing,
            },
            TileOp::Control(op) => match op {
                ControlOp::For { .. } => Suggested::Words(&[Word::FOR]),
                // These could suggest names but do not.
                ControlOp::If { .. } | ControlOp::Loop { .. } => Suggested::Words(&[]),
                ControlOp::GetTileBlockId {} => {
                    Suggested::Words(&[Word::BLOCK_ID_X, Word::BLOCK_ID_Y, Word::BLOCK_ID_Z])
                }
                ControlOp::GetNumTileBlocks {} => {
                    Suggested::Words(&[Word::GRID_SIZE_X, Word::GRID_SIZE_Y, Word::GRID_SIZE_Z])
                }
                _ => Suggested::Nothing,
            },
        }
    }
}

impl Suggested {
    /// The base of the name of an assumption about this result.
    fn base(self, result: usize) -> Option<Word> {
        match self {
            Self::Nothing => None,
            Self::Words(_) | Self::One(_) => Some(self.name(result).unwrap_or(Word::EMPTY)),
        }
    }

    /// The name for this result.
    fn name(self, result: usize) -> Option<Word> {
        match self {
            Self::Nothing => None,
            Self::Words(list) => list.get(result).copied(),
            Self::One(word) => (result == 0).then_some(word),
        }
    }
}

/// Writes the name that an op suggests for an argument of its region, if any.
fn argument_base(kind: &TileOp, index: usize, out: &mut String) -> bool {
    match kind {
        TileOp::Control(ControlOp::For { .. }) => match index.checked_sub(1) {
            None => out.push_str("loopIdx"),
            Some(carried) => {
                out.push_str("iterArg");
                push_number(out, carried as u64);
            }
        },
        TileOp::Shape(ShapeOp::Reduce { operands, .. }) => {
            out.push_str(if index.is_multiple_of(2) {
                "reduce_lhs"
            } else {
                "reduce_rhs"
            });
            if operands.len() != 1 {
                push_number(out, index as u64 / 2);
            }
        }
        _ => return false,
    }
    true
}

/// Writes `cst_5_i32`, `cst_f32`, `true`.
fn constant_base(dense: &Dense, out: &mut String) {
    /// Larger whole numbers are not written out.
    const LIMIT: f64 = (1u128 << 64) as f64;
    let ty = dense.ty();
    // Writing to a string does not fail.
    let _ = match splat(dense) {
        None => write!(out, "cst_{ty}"),
        Some(literal) if ty == ScalarType::I1 => write!(out, "{}", literal.bits != 0),
        Some(literal) if ty.is_int() => write!(out, "cst_{}_{ty}", literal.signed()),
        Some(literal) => match value(literal) {
            FloatValue::Nan => write!(out, "cst_NaN_{ty}"),
            FloatValue::Finite(number)
                if number.fract() == 0.0 && !number.is_sign_negative() && number < LIMIT =>
            {
                write!(out, "cst_{number:.0}_{ty}")
            }
            FloatValue::Finite(_) | FloatValue::Infinite => write!(out, "cst_{ty}"),
        },
    };
}
