//! The names of values: each op may suggest some, the rest are numbers.
//!
//! A region names the arguments of its blocks first, then all results of its own ops, and only then do the regions
//! nested in it, each with the counters as they stand then and without the names of its siblings.

use std::fmt::Write;

use super::number::{FloatValue, value};
use super::words::{Word, Words};
use super::{push_number, splat};
use crate::core::{Body, Entity, OpId, Operation, Region, Value};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, MemoryOp, ShapeOp, TileOp, ViewOp};
use crate::element::ScalarType;
use crate::literal::Dense;

/// A suggested name is cut here, so that a chain of assumptions does not make names of quadratic length.
const MAX_BASE: usize = 1 << 12;

/// How a value is called: the name of its group, and its place in a group of several.
#[derive(Clone, Copy, Debug)]
struct Called {
    group: Group,
    place: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Group {
    Number(usize),
    Word(Word),
}

/// The names of a body's values. What was made for one body is used again for the next.
#[derive(Debug, Default)]
pub(super) struct Names {
    words: Words,
    values: Vec<Option<Called>>,
    /// What the op that defines a value suggests: nothing for an argument, or where it suggests nothing for any result;
    /// an empty name for the result without one of an op that suggests others.
    bases: Vec<Option<Word>>,
    /// The names in use, the outermost first.
    log: Vec<Word>,
    scratch: String,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    value: usize,
    argument: usize,
    conflict: usize,
}

/// The names that an op suggests for its first results.
#[derive(Clone, Copy)]
enum Suggested {
    /// None for any result.
    Nothing,
    /// These.
    Words(&'static [&'static str]),
    /// One, for the first.
    One(Word),
}

impl Names {
    /// Names every value of a body.
    pub(super) fn name(&mut self, body: &Body<CudaTile>) {
        self.values.clear();
        self.values.resize(body.value_count(), None);
        self.bases.clear();
        self.bases.resize(body.value_count(), None);
        self.region(body, body.root(), Counters::default(), None);
    }

    /// Writes the name of a value.
    pub(super) fn write(&self, value: Value, out: &mut String) {
        out.push('%');
        match self.values.get(value.index()).copied().flatten() {
            Some(Called { group, place }) => {
                self.write_group(group, out);
                if let Some(place) = place {
                    out.push('#');
                    push_number(out, place);
                }
            }
            // No op and no block has the value; the verifier says so.
            None => {
                out.push_str("undefined");
                push_number(out, value.index());
            }
        }
    }

    fn write_group(&self, group: Group, out: &mut String) {
        match group {
            Group::Number(number) => push_number(out, number),
            Group::Word(word) => out.push_str(self.words.text(word)),
        }
    }

    /// Writes the names of an op's results as they are defined: `%a, %b:2`.
    pub(super) fn write_results(&self, results: impl Iterator<Item = Value>, out: &mut String) {
        let mut count = 0;
        let finish = |count: usize, out: &mut String| {
            if count > 1 {
                out.push(':');
                push_number(out, count);
            }
        };
        for value in results {
            let Some(called) = self.values.get(value.index()).copied().flatten() else {
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
            out.push('%');
            self.write_group(called.group, out);
            count = 1;
        }
        finish(count, out);
    }

    fn set(&mut self, value: Value, called: Called) {
        if let Some(place) = self.values.get_mut(value.index()) {
            *place = Some(called);
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
                if !around.is_some_and(|op| argument_base(op, i, &mut self.scratch)) {
                    self.scratch.push_str("arg");
                    push_number(&mut self.scratch, counters.argument);
                    counters.argument += 1;
                }
                let base = self.words.word(&self.scratch);
                let group = Group::Word(self.unique(base, &mut counters));
                self.set(value, Called { group, place: None });
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

    fn unique(&mut self, base: Word, counters: &mut Counters) -> Word {
        let mut word = base;
        while !self.words.take(word) {
            self.scratch.clear();
            self.scratch.push_str(self.words.text(base));
            self.scratch.push('_');
            push_number(&mut self.scratch, counters.conflict);
            counters.conflict += 1;
            word = self.words.word(&self.scratch);
        }
        self.log.push(word);
        word
    }

    fn op(&mut self, body: &Body<CudaTile>, op: OpId, counters: &mut Counters) {
        let data = body.op(op);
        let count = data.results().len();
        if count == 0 {
            return;
        }
        let suggested = self.suggested(&data.kind);
        let mut start = 0;
        while start < count {
            // Results that the op has no name for belong to the one before them.
            let mut end = start + 1;
            while end < count && !suggested.names(end) {
                end += 1;
            }
            let group = match self.base(suggested, start) {
                Some(base) => Group::Word(self.unique(base, counters)),
                None => {
                    counters.value += 1;
                    Group::Number(counters.value - 1)
                }
            };
            let many = end - start > 1;
            for (place, value) in data.results().skip(start).take(end - start).enumerate() {
                let place = many.then_some(place);
                self.set(value, Called { group, place });
            }
            start = end;
        }
        if matches!(suggested, Suggested::Nothing) {
            return;
        }
        for (i, value) in data.results().enumerate() {
            let base = match self.base(suggested, i) {
                Some(base) => base,
                None => self.words.word(""),
            };
            if let Some(place) = self.bases.get_mut(value.index()) {
                *place = Some(base);
            }
        }
    }

    fn base(&mut self, suggested: Suggested, result: usize) -> Option<Word> {
        match suggested {
            Suggested::Nothing => None,
            Suggested::Words(list) => list.get(result).map(|name| self.words.word(name)),
            Suggested::One(word) => (result == 0).then_some(word),
        }
    }

    fn suggested(&mut self, kind: &TileOp) -> Suggested {
        match kind {
            TileOp::Float(_) | TileOp::Int(_) | TileOp::Cast(_) => Suggested::Nothing,
            TileOp::Shape(op) => match op {
                ShapeOp::Constant { value } => {
                    self.scratch.clear();
                    constant_base(value, &mut self.scratch);
                    Suggested::One(self.words.word(&self.scratch))
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
                ShapeOp::Reshape { .. } => Suggested::Words(&["reshape"]),
                ShapeOp::Broadcast { .. } => Suggested::Words(&["bcast"]),
                ShapeOp::Reduce { .. } => Suggested::Words(&["reduce"]),
                ShapeOp::Iota {}
                | ShapeOp::Permute { .. }
                | ShapeOp::Cat { .. }
                | ShapeOp::Extract { .. }
                | ShapeOp::Insert { .. }
                | ShapeOp::Select { .. }
                | ShapeOp::Scan { .. }
                | ShapeOp::MmaF { .. }
                | ShapeOp::MmaI { .. }
                | ShapeOp::MmaFScaled { .. } => Suggested::Nothing,
            },
            TileOp::Memory(op) => match op {
                MemoryOp::LoadPtrTko { .. }
                | MemoryOp::AtomicCasTko { .. }
                | MemoryOp::AtomicRmwTko { .. } => Suggested::Words(&["result", "result_token"]),
                MemoryOp::StorePtrTko { .. }
                | MemoryOp::Offset { .. }
                | MemoryOp::GetGlobal { .. }
                | MemoryOp::Alloca { .. }
                | MemoryOp::MakeToken {}
                | MemoryOp::JoinTokens { .. }
                | MemoryOp::MemoryFenceAliasTko { .. }
                | MemoryOp::GdcLaunchDependentsTko { .. }
                | MemoryOp::GdcWaitTko { .. } => Suggested::Nothing,
            },
            TileOp::View(op) => match op {
                ViewOp::MakeTensorView { .. } => Suggested::Words(&["tview"]),
                ViewOp::MakePartitionView { .. } => Suggested::Words(&["pview"]),
                ViewOp::MakeStridedView { .. } => Suggested::Words(&["sview"]),
                ViewOp::MakeGatherScatterView { .. } => Suggested::Words(&["gsview"]),
                ViewOp::LoadViewTko { .. } => Suggested::Words(&["tile", "result_token"]),
                ViewOp::MultimemLoadReduceViewTko { .. } => {
                    Suggested::Words(&["reduced_values", "result_token"])
                }
                ViewOp::GetTensorShape { .. }
                | ViewOp::GetIndexSpaceShape { .. }
                | ViewOp::StoreViewTko { .. }
                | ViewOp::AtomicRedViewTko { .. }
                | ViewOp::MultimemReduceViewTko { .. }
                | ViewOp::MultimemStoreViewTko { .. } => Suggested::Nothing,
            },
            TileOp::Control(op) => match op {
                ControlOp::For { .. } => Suggested::Words(&["for"]),
                // They could suggest names and do not.
                ControlOp::If { .. } | ControlOp::Loop { .. } => Suggested::Words(&[]),
                ControlOp::GetTileBlockId {} => Suggested::Words(&["blockId_x", "blockId_y", "blockId_z"]),
                ControlOp::GetNumTileBlocks {} => {
                    Suggested::Words(&["gridSize_x", "gridSize_y", "gridSize_z"])
                }
                ControlOp::Break { .. }
                | ControlOp::Continue { .. }
                | ControlOp::Yield { .. }
                | ControlOp::Return { .. }
                | ControlOp::Assert { .. }
                | ControlOp::PrintTko { .. } => Suggested::Nothing,
            },
        }
    }
}

impl Suggested {
    /// Whether there is a name for this result.
    fn names(self, result: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Words(list) => result < list.len(),
            Self::One(_) => result == 0,
        }
    }
}

/// Writes the name that an op suggests for an argument of its region, if it suggests one.
fn argument_base(kind: &TileOp, index: usize, out: &mut String) -> bool {
    match kind {
        TileOp::Control(ControlOp::For { .. }) => match index.checked_sub(1) {
            None => out.push_str("loopIdx"),
            Some(carried) => {
                out.push_str("iterArg");
                push_number(out, carried);
            }
        },
        TileOp::Shape(ShapeOp::Reduce { operands, .. }) => {
            out.push_str(if index.is_multiple_of(2) {
                "reduce_lhs"
            } else {
                "reduce_rhs"
            });
            if operands.len() != 1 {
                push_number(out, index / 2);
            }
        }
        TileOp::Float(_)
        | TileOp::Int(_)
        | TileOp::Cast(_)
        | TileOp::Shape(_)
        | TileOp::Memory(_)
        | TileOp::View(_)
        | TileOp::Control(_) => return false,
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
