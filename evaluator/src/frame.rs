//! One tile block that runs: its place in the grid, its values, and where control goes after a region.

use std::rc::Rc;

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, Body, Entity, OpData, Operation, Region, Value};
use tilewright_irs::cuda_tile::{CudaTile, Tile};

use crate::fault::{Fault, Outcome};
use crate::machine::Machine;
use crate::memory::{BufferId, Event};
use crate::tile::{Runtime, Tensor, TileValue};
use crate::unspecified::Mark;

/// Where control goes after a region.
#[derive(Debug)]
pub(crate) enum Flow {
    /// To the op around it, with these values.
    Yield(Vec<Runtime>),
    /// To the next turn of the loop around it.
    Continue(Vec<Runtime>),
    /// Out of the loop around it.
    Break(Vec<Runtime>),
    /// Out of the kernel.
    Return,
}

/// Which tile block runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its coordinates.
    pub(crate) id: [u32; 3],
    /// The size of the grid.
    pub(crate) grid: [u32; 3],
    /// Its number in the order in which blocks run.
    pub(crate) number: u32,
}

/// A tile block that runs.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// What all blocks share.
    pub(crate) machine: &'a mut Machine,
    /// The kernel.
    pub(crate) body: &'a Body<CudaTile>,
    /// Which block it is.
    pub(crate) place: Place,
    /// In the body of a reduction or a scan, how many lines are folded at once: a scalar there has an element for each.
    pub(crate) lanes: Option<usize>,
    /// What `alloca` made in the region that runs, to be freed at its end.
    pub(crate) temporaries: Vec<BufferId>,
    values: Vec<Option<Runtime>>,
}

/// An op as executed.
pub(crate) type Op = OpData<CudaTile>;

impl<'a> Frame<'a> {
    /// A block that has not begun.
    pub(crate) fn new(machine: &'a mut Machine, body: &'a Body<CudaTile>, place: Place) -> Self {
        Self {
            machine,
            body,
            place,
            lanes: None,
            temporaries: Vec::new(),
            values: vec![None; body.value_count()],
        }
    }

    /// The value of an operand.
    pub(crate) fn value(&self, value: Value) -> Outcome<&Runtime> {
        let found = self.values.get(value.index()).and_then(Option::as_ref);
        found.ok_or_else(|| Fault::broken(format_args!("a use of {value:?} before its definition")))
    }

    /// The tile that an operand is.
    pub(crate) fn tile(&self, value: Value) -> Outcome<Rc<TileValue>> {
        match self.value(value)? {
            Runtime::Tile(tile) => Ok(Rc::clone(tile)),
            Runtime::Tensor(_) | Runtime::Token(_) => {
                Err(Fault::broken(format_args!("{value:?} where a tile belongs")))
            }
        }
    }

    /// The only element of a scalar operand, on which it depends what the program does; `what` names it.
    pub(crate) fn scalar(&self, value: Value, what: &str) -> Outcome<u64> {
        let tile = self.tile(value)?;
        self.decides(&tile, what)?;
        tile.single()
    }

    /// Fails if the language says nothing of an element on which it depends what the program does.
    pub(crate) fn decides(&self, tile: &TileValue, what: &str) -> Outcome<()> {
        match tile.marks.first() {
            None => Ok(()),
            Some((at, mark)) => Err(self.unspecified(&format!("{what}{}", tile.place(at)), mark)),
        }
    }

    /// What is not specified, and decides.
    pub(crate) fn unspecified(&self, what: &str, mark: Mark) -> Box<Fault> {
        let message = format!("{what} is not specified, and decides what the program does");
        let fault = Fault::new(Code::Unspecified, message);
        match self.machine.memory.causes.get(mark) {
            Some(cause) => fault.also(cause.origin, format!("it comes from here: {}", cause.what)),
            None => fault,
        }
    }

    /// The mark of something that an op gives and of which the language says nothing.
    pub(crate) fn mark(&mut self, op: &Op, what: &'static str) -> Mark {
        self.machine.memory.causes.mark(op.origin, what)
    }

    /// The tensor that an operand is, or views.
    pub(crate) fn tensor(&self, value: Value) -> Outcome<Rc<Tensor>> {
        match self.value(value)? {
            Runtime::Tensor(tensor) => Ok(Rc::clone(tensor)),
            Runtime::Tile(_) | Runtime::Token(_) => {
                Err(Fault::broken(format_args!("{value:?} where a tensor belongs")))
            }
        }
    }

    /// What an op waits for.
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
