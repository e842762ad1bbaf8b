//! The names of values: each op may suggest some, the rest are numbers.
//!
//! A region names the arguments of its blocks first, then all results of its own ops, and only then do the regions
//! nested in it, each with the counters as they stand then and without the names of its siblings.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::number::{FloatValue, value};
use super::splat;
use crate::core::{Body, Entity, OpId, Region, SideTable, Value};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, MemoryOp, ShapeOp, TileOp, ViewOp};
use crate::element::ScalarType;
use crate::literal::Dense;

/// A suggested name is cut here, so that a chain of assumptions does not make names of quadratic length.
const MAX_BASE: usize = 1 << 12;

/// How a value is called: the name of its group, and its place in a group of several.
#[derive(Clone, Debug)]
struct Called {
    group: String,
    place: Option<usize>,
}

/// The names of a body's values.
#[derive(Debug)]
pub(super) struct Names {
    values: SideTable<Value, Called>,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    value: usize,
    argument: usize,
    conflict: usize,
}

/// What the op that defines a value suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    /// The value is an argument, or its op suggests nothing for any result.
    Silent,
    /// A name; empty for the result without one of an op that suggests others.
    Name(String),
}

struct Namer<'a> {
    body: &'a Body<CudaTile>,
    names: Names,
    bases: SideTable<Value, Base>,
    used: FxHashSet<String>,
    log: Vec<String>,
}

impl Names {
    /// Names every value of a body.
    pub(super) fn new(body: &Body<CudaTile>) -> Self {
        let mut namer = Namer {
            body,
            names: Self {
                values: body.value_table(),
            },
            bases: body.value_table(),
            used: FxHashSet::default(),
            log: Vec::new(),
        };
        namer.region(body.root(), Counters::default(), &mut |_| None);
        namer.names
    }

    /// The name of a value, without its `%`.
    pub(super) fn value(&self, value: Value) -> String {
        match self.values.get(value) {
            Some(Called { group, place: None }) => group.clone(),
            Some(Called {
                group,
                place: Some(place),
            }) => format!("{group}#{place}"),
            // No op and no block has the value; the verifier says so.
            None => format!("undefined{}", value.index()),
        }
    }

    /// The names of an op's results as they are defined: `%a, %b:2`.
    pub(super) fn results(&self, results: impl Iterator<Item = Value>) -> String {
        let mut text = String::new();
        let mut groups: Vec<(&str, usize)> = Vec::new();
        for value in results {
            let Some(called) = self.values.get(value) else {
                continue;
            };
            match (called.place, groups.last_mut()) {
                (Some(1..), Some((_, count))) => *count += 1,
                _ => groups.push((&called.group, 1)),
            }
        }
        for (i, (group, count)) in groups.into_iter().enumerate() {
            let _ = write!(text, "{}%{group}", if i > 0 { ", " } else { "" });
            if count > 1 {
                let _ = write!(text, ":{count}");
            }
        }
        text
    }
}

impl Namer<'_> {
    fn region(
        &mut self,
        region: Region,
        mut counters: Counters,
        argument: &mut dyn FnMut(usize) -> Option<String>,
    ) {
        let outer = self.log.len();
        let body = self.body;
        let blocks = &body.region(region).blocks;
        for &block in blocks {
            for (i, &value) in body.block(block).args.iter().enumerate() {
                let base = argument(i).unwrap_or_else(|| {
                    counters.argument += 1;
                    format!("arg{}", counters.argument - 1)
                });
                let group = self.unique(base, &mut counters);
                self.names.values.set(value, Called { group, place: None });
            }
        }
        for &block in blocks {
            for &op in &body.block(block).ops {
                self.op(op, &mut counters);
            }
        }
        for &block in blocks {
            for &op in &body.block(block).ops {
                let kind = &body.op(op).kind;
                crate::core::Operation::regions(kind, &mut |region| {
                    self.region(region, counters, &mut |i| argument_base(kind, i));
                });
            }
        }
        for name in self.log.drain(outer..) {
            self.used.remove(&name);
        }
    }

    fn unique(&mut self, base: String, counters: &mut Counters) -> String {
        let mut name = base.clone();
        while self.used.contains(&name) {
            name = format!("{base}_{}", counters.conflict);
            counters.conflict += 1;
        }
        self.used.insert(name.clone());
        self.log.push(name.clone());
        name
    }

    fn op(&mut self, op: OpId, counters: &mut Counters) {
        let data = self.body.op(op);
        let bases = self.result_bases(&data.kind);
        let results: Vec<Value> = data.results().collect();
        let base = |i: usize| bases.as_ref().and_then(|bases| bases.get(i).cloned());
        let mut start = 0;
        while start < results.len() {
            // Results that the op has no name for belong to the one before them.
            let mut end = start + 1;
            while end < results.len() && base(end).is_none() {
                end += 1;
            }
            let group = match base(start) {
                Some(base) => self.unique(base, counters),
                None => {
                    counters.value += 1;
                    (counters.value - 1).to_string()
                }
            };
            let many = end - start > 1;
            for (place, &value) in results[start..end].iter().enumerate() {
                let place = many.then_some(place);
                let group = group.clone();
                self.names.values.set(value, Called { group, place });
            }
            start = end;
        }
        for (i, &value) in results.iter().enumerate() {
            let base = match &bases {
                None => Base::Silent,
                Some(_) => Base::Name(base(i).unwrap_or_default()),
            };
            self.bases.set(value, base);
        }
    }

    /// The names that an op suggests for its first results; `None` for an op that suggests nothing.
    fn result_bases(&self, kind: &TileOp) -> Option<Vec<String>> {
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        match kind {
            TileOp::Float(_) | TileOp::Int(_) | TileOp::Cast(_) => None,
            TileOp::Shape(op) => match op {
                ShapeOp::Constant { value } => Some(vec![constant_base(value)]),
                ShapeOp::Assume { value, .. } => {
                    let mut name = "assume".to_owned();
                    if let Some(Base::Name(base)) = self.bases.get(*value) {
                        name.push('_');
                        name.push_str(base.get(..MAX_BASE).unwrap_or(base));
                    }
                    Some(vec![name])
                }
                ShapeOp::Reshape { .. } => names(&["reshape"]),
                ShapeOp::Broadcast { .. } => names(&["bcast"]),
                ShapeOp::Reduce { .. } => names(&["reduce"]),
                ShapeOp::Iota {}
                | ShapeOp::Permute { .. }
                | ShapeOp::Cat { .. }
                | ShapeOp::Extract { .. }
                | ShapeOp::Insert { .. }
                | ShapeOp::Select { .. }
                | ShapeOp::Scan { .. }
                | ShapeOp::MmaF { .. }
                | ShapeOp::MmaI { .. }
                | ShapeOp::MmaFScaled { .. } => None,
            },
            TileOp::Memory(op) => match op {
                MemoryOp::LoadPtrTko { .. }
                | MemoryOp::AtomicCasTko { .. }
                | MemoryOp::AtomicRmwTko { .. } => names(&["result", "result_token"]),
                MemoryOp::StorePtrTko { .. }
                | MemoryOp::Offset { .. }
                | MemoryOp::GetGlobal { .. }
                | MemoryOp::Alloca { .. }
                | MemoryOp::MakeToken {}
                | MemoryOp::JoinTokens { .. }
                | MemoryOp::MemoryFenceAliasTko { .. }
                | MemoryOp::GdcLaunchDependentsTko { .. }
                | MemoryOp::GdcWaitTko { .. } => None,
            },
            TileOp::View(op) => match op {
                ViewOp::MakeTensorView { .. } => names(&["tview"]),
                ViewOp::MakePartitionView { .. } => names(&["pview"]),
                ViewOp::MakeStridedView { .. } => names(&["sview"]),
                ViewOp::MakeGatherScatterView { .. } => names(&["gsview"]),
                ViewOp::LoadViewTko { .. } => names(&["tile", "result_token"]),
                ViewOp::MultimemLoadReduceViewTko { .. } => names(&["reduced_values", "result_token"]),
                ViewOp::GetTensorShape { .. }
                | ViewOp::GetIndexSpaceShape { .. }
                | ViewOp::StoreViewTko { .. }
                | ViewOp::AtomicRedViewTko { .. }
                | ViewOp::MultimemReduceViewTko { .. }
                | ViewOp::MultimemStoreViewTko { .. } => None,
            },
            TileOp::Control(op) => match op {
                ControlOp::For { .. } => names(&["for"]),
                // They could suggest names and do not.
                ControlOp::If { .. } | ControlOp::Loop { .. } => Some(Vec::new()),
                ControlOp::GetTileBlockId {} => names(&["blockId_x", "blockId_y", "blockId_z"]),
                ControlOp::GetNumTileBlocks {} => names(&["gridSize_x", "gridSize_y", "gridSize_z"]),
                ControlOp::Break { .. }
                | ControlOp::Continue { .. }
                | ControlOp::Yield { .. }
                | ControlOp::Return { .. }
                | ControlOp::Assert { .. }
                | ControlOp::PrintTko { .. } => None,
            },
        }
    }
}

/// The name that an op suggests for an argument of its region.
fn argument_base(kind: &TileOp, index: usize) -> Option<String> {
    match kind {
        TileOp::Control(ControlOp::For { .. }) => Some(match index.checked_sub(1) {
            None => "loopIdx".to_owned(),
            Some(carried) => format!("iterArg{carried}"),
        }),
        TileOp::Shape(ShapeOp::Reduce { operands, .. }) => {
            let side = if index.is_multiple_of(2) { "lhs" } else { "rhs" };
            Some(match operands.len() {
                1 => format!("reduce_{side}"),
                _ => format!("reduce_{side}{}", index / 2),
            })
        }
        TileOp::Float(_)
        | TileOp::Int(_)
        | TileOp::Cast(_)
        | TileOp::Shape(_)
        | TileOp::Memory(_)
        | TileOp::View(_)
        | TileOp::Control(_) => None,
    }
}

/// `cst_5_i32`, `cst_f32`, `true`.
fn constant_base(dense: &Dense) -> String {
    let ty = dense.ty();
    let Some(literal) = splat(dense) else {
        return format!("cst_{ty}");
    };
    if ty == ScalarType::I1 {
        return (literal.bits != 0).to_string();
    }
    if ty.is_int() {
        return format!("cst_{}_{ty}", literal.signed());
    }
    /// Larger whole numbers are not written out.
    const LIMIT: f64 = (1u128 << 64) as f64;
    match value(literal) {
        FloatValue::Nan => format!("cst_NaN_{ty}"),
        FloatValue::Finite(number)
            if number.fract() == 0.0 && !number.is_sign_negative() && number < LIMIT =>
        {
            format!("cst_{number:.0}_{ty}")
        }
        FloatValue::Finite(_) | FloatValue::Infinite => format!("cst_{ty}"),
    }
}
