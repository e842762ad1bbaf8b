//! A running tile block: its coordinates in the grid, its values, and control flow.

use std::rc::Rc;

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, Body, Entity, OpData, Operation, Region, Value};
use tilewright_irs::cuda_tile::{CudaTile, Tile};

use crate::fault::{Fault, Outcome};
use crate::machine::Machine;
use crate::memory::{BufferId, Event};
use crate::tile::{Runtime, Tensor, TileValue};
use crate::unspecified::Mark;

/// Control flow after a region.
#[derive(Debug)]
pub(crate) enum Flow {
    /// To the op around it, with these results.
    Yield(Vec<Runtime>),
    /// To the next iteration of the enclosing loop.
    Continue(Vec<Runtime>),
    /// Out of the enclosing loop.
    Break(Vec<Runtime>),
    /// Out of the kernel.
    Return,
}

/// The current tile block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its coordinates.
    pub(crate) id: [u32; 3],
    /// The size of the grid.
    pub(crate) grid: [u32; 3],
    /// Its index in the order of execution.
    pub(crate) number: u32,
}

/// A running tile block.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// The shared state.
    pub(crate) machine: &'a mut Machine,
    /// The kernel.
    pub(crate) body: &'a Body<CudaTile>,
    /// The current block.
    pub(crate) place: Place,
    /// In the body of a reduction or a scan, the number of lines that are reduced at once: a scalar there has one
    /// element for each.
    pub(crate) lanes: Option<usize>,
    /// In the body of a fold: by how many units of its rounding an op is moved in a launch with a nudge.
    pub(crate) slack: f64,
    /// Allocations of `alloca` in the current region, freed at its end.
    pub(crate) temporaries: Vec<BufferId>,
    values: Vec<Option<Runtime>>,
}

/// An op with its results.
pub(crate) type Op = OpData<CudaTile>;

impl<'a> Frame<'a> {
    /// A block that has not started.
    pub(crate) fn new(machine: &'a mut Machine, body: &'a Body<CudaTile>, place: Place) -> Self {
        Self {
            machine,
            body,
            place,
            lanes: None,
            slack: 0.0,
            temporaries: Vec::new(),
            values: vec![None; body.value_count()],
        }
    }

    /// The value of an operand.
    pub(crate) fn value(&self, value: Value) -> Outcome<&Runtime> {
        let found = self.values.get(value.index()).and_then(Option::as_ref);
        found.ok_or_else(|| Fault::broken(format_args!("a use of {value:?} before its definition")))
    }

    /// The tile value of an operand.
    pub(crate) fn tile(&self, value: Value) -> Outcome<Rc<TileValue>> {
        match self.value(value)? {
            Runtime::Tile(tile) => Ok(Rc::clone(tile)),
            Runtime::Tensor(_) | Runtime::Token(_) => {
                Err(Fault::broken(format_args!("{value:?} where a tile belongs")))
            }
        }
    }

    /// The element of a scalar operand that control flow or an address depends on; `what` names it in messages.
    pub(crate) fn scalar(&self, value: Value, what: &str) -> Outcome<u64> {
        let tile = self.tile(value)?;
        self.decides(&tile, what)?;
        tile.single()
    }

    /// Fails if an element that control flow or an address depends on is unspecified.
    pub(crate) fn decides(&self, tile: &TileValue, what: &str) -> Outcome<()> {
        match tile.marks.first() {
            None => Ok(()),
            Some((at, mark)) => Err(self.unspecified(&format!("{what}{}", tile.place(at)), mark)),
        }
    }

    /// A fault: control flow or an address depends on an unspecified value.
    pub(crate) fn unspecified(&self, what: &str, mark: Mark) -> Box<Fault> {
        let message = format!("{what} is not specified, and decides what the program does");
        let fault = Fault::new(Code::Unspecified, message);
        match self.machine.memory.causes.get(mark) {
            Some(cause) => fault.also(cause.origin, format!("it comes from here: {}", cause.what)),
            None => fault,
        }
    }

    /// A mark for an unspecified result of an op.
    pub(crate) fn mark(&mut self, op: &Op, what: &'static str) -> Mark {
        self.machine.memory.causes.mark(op.origin, what)
    }

    /// The tensor of an operand.
    pub(crate) fn tensor(&self, value: Value) -> Outcome<Rc<Tensor>> {
        match self.value(value)? {
            Runtime::Tensor(tensor) => Ok(Rc::clone(tensor)),
            Runtime::Tile(_) | Runtime::Token(_) => {
                Err(Fault::broken(format_args!("{value:?} where a tensor belongs")))
            }
        }
    }

    /// The event that an op is ordered after.
    pub(crate) fn token(&self, value: Option<Value>) -> Outcome<Event> {
        match value.map(|value| self.value(value)).transpose()? {
            None => Ok(Event::NONE),
            Some(Runtime::Token(event)) => Ok(*event),
            Some(Runtime::Tile(_) | Runtime::Tensor(_)) => {
                Err(Fault::broken(format_args!("{value:?} where a token belongs")))
            }
        }
    }

    /// The type of a result, which must be a tile.
    pub(crate) fn result_tile(&self, op: &Op) -> Outcome<&'a Tile> {
        let body = self.body;
        let first = op.results().next().and_then(|value| body.ty(value).as_tile());
        first.ok_or_else(|| Fault::broken(format_args!("`{}` without a tile as its result", op.kind.name())))
    }

    /// Defines values.
    pub(crate) fn define(
        &mut self,
        values: impl IntoIterator<Item = Value>,
        runtime: Vec<Runtime>,
    ) -> Outcome<()> {
        let mut values = values.into_iter();
        for item in runtime {
            let slot = values.next().and_then(|value| self.values.get_mut(value.index()));
            match slot {
                Some(slot) => *slot = Some(item),
                None => return Err(Fault::broken("more values than names for them")),
            }
        }
        match values.next() {
            None => Ok(()),
            Some(value) => Err(Fault::broken(format_args!("no value for {value:?}"))),
        }
    }

    /// The only block of a region.
    pub(crate) fn only_block(&self, region: Region) -> Outcome<Block> {
        let block = self.body.only_block(region);
        block.ok_or_else(|| Fault::broken("a region that has not one block"))
    }
}
