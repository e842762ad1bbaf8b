//! One tile block: its values, and the regions that it goes through.

use std::rc::Rc;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Body, Entity, OpData, OpId, Operation, Origin, Region, Value};
use tilewright_irs::cuda_tile::{CudaTile, PreviewOp, Tile, TileOp};

use crate::fault::{Fault, Outcome};
use crate::memory::{BufferId, Event, Memory};
use crate::ops;
use crate::tile::{Runtime, Tensor, TileValue};
use crate::unspecified::Mark;

/// What all tile blocks of a launch share.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The memory.
    pub(crate) memory: Memory,
    /// The buffers of the globals, by name.
    pub(crate) globals: Vec<(String, BufferId)>,
    /// What was printed.
    pub(crate) printed: String,
    /// How many more steps may be taken, and how many there were at first.
    pub(crate) steps: (u64, u64),
    /// What the last launch should tell the user although it went on: at most one of a code for each op.
    pub(crate) warnings: Vec<Diagnostic<Origin>>,
}

/// Elements of one op that count as one step.
const ELEMENTS_PER_STEP: usize = 1024;

/// The most text that is printed, in bytes.
const MOST_PRINTED: usize = 1 << 26;

impl Machine {
    /// Prints.
    pub(crate) fn print(&mut self, text: &str) -> Outcome<()> {
        if self.printed.len().saturating_add(text.len()) > MOST_PRINTED {
            let message = format!("the kernel has printed {MOST_PRINTED} bytes and goes on");
            return Err(Fault::new(Code::StepLimit, message));
        }
        self.printed.push_str(text);
        Ok(())
    }

    /// Warns of an op, unless it has been said.
    pub(crate) fn warn(&mut self, code: Code, origin: Origin, message: impl FnOnce() -> Diagnostic<Origin>) {
        let said = self.warnings.iter().any(|warning| {
            warning.code == code && warning.primary.as_ref().is_some_and(|label| label.at == origin)
        });
        if !said {
            self.warnings.push(message());
        }
    }

    /// Warns of what the caller can read and the language does not specify.
    pub(crate) fn warn_of_unspecified_memory(&mut self) {
        let buffers: Vec<_> = self.memory.buffers.visible().collect();
        for buffer in buffers {
            let Some((first, count, mark)) = self.memory.buffers.first_unspecified(buffer) else {
                continue;
            };
            let name = self.memory.buffers.name(buffer.index()).to_owned();
            let Some(cause) = self.memory.causes.get(mark).cloned() else {
                continue;
            };
            let message = format!(
                "{count} bytes of {name}, byte {first} the first, hold numbers of which the language says nothing"
            );
            let source = format!("the first comes from here: {}", cause.what);
            self.warnings.push(
                Diagnostic::warning(Code::Unspecified, message)
                    .at(cause.stored.unwrap_or(cause.origin), "the first is stored here")
                    .also(cause.origin, source)
                    .help("what is expected of them holds for this evaluator alone: leave them out of comparisons"),
            );
        }
    }

    /// Takes the steps of an op on this many elements.
    pub(crate) fn spend(&mut self, elements: usize) -> Outcome<()> {
        let cost = u64::try_from(1 + elements / ELEMENTS_PER_STEP).unwrap_or(u64::MAX);
        match self.steps.0.checked_sub(cost) {
            Some(left) => {
                self.steps.0 = left;
                Ok(())
            }
            None => {
                let message = format!("the kernel has not ended after {} steps", self.steps.1);
                Err(Fault::new(Code::StepLimit, message).note(format!(
                    "an op is a step, and one more for every {ELEMENTS_PER_STEP} elements"
                )))
            }
        }
    }
}

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

    /// Runs a block with values for its arguments.
    pub(crate) fn run(&mut self, block: Block, arguments: Vec<Runtime>) -> Outcome<Flow> {
        let data = self.body.block(block);
        self.define(data.args.iter().copied(), arguments)?;
        let outer = std::mem::take(&mut self.temporaries);
        let flow = self.run_ops(&data.ops);
        for buffer in std::mem::replace(&mut self.temporaries, outer) {
            self.machine.memory.free(buffer);
        }
        flow
    }

    fn run_ops(&mut self, ops: &[OpId]) -> Outcome<Flow> {
        for &id in ops {
            let op = self.body.op(id);
            let flow = self.step(op).map_err(|fault| fault.at(op.origin))?;
            if let Some(flow) = flow {
                return Ok(flow);
            }
        }
        Ok(Flow::Yield(Vec::new()))
    }

    /// Executes an op. What ends its block says where control goes.
    fn step(&mut self, op: &Op) -> Outcome<Option<Flow>> {
        let elements = op
            .results()
            .next()
            .and_then(|value| self.body.ty(value).as_tile());
        let elements = elements.and_then(|tile| tile.shape.elements());
        self.machine
            .spend(elements.and_then(|n| usize::try_from(n).ok()).unwrap_or(0))?;
        let results = match &op.kind {
            TileOp::Float(kind) => ops::float::evaluate(self, kind)?,
            TileOp::Int(kind) => ops::int::evaluate(self, op, kind)?,
            TileOp::Cast(kind) => ops::cast::evaluate(self, op, kind)?,
            TileOp::Shape(kind) => ops::shape::evaluate(self, op, kind)?,
            TileOp::Memory(kind) => ops::memory::evaluate(self, op, kind)?,
            TileOp::View(kind) => ops::view::evaluate(self, op, kind)?,
            TileOp::Control(kind) => match ops::control::evaluate(self, op, kind)? {
                ops::control::Next::Values(values) => values,
                ops::control::Next::Leave(flow) => return Ok(Some(flow)),
            },
            TileOp::Preview(PreviewOp::Call { callee, .. }) => {
                let message = format!(
                    "`preview$call` calls `@{}`, whose body is machine code of a tile library: the evaluator does not have \
                     it",
                    callee.0
                );
                return Err(Fault::new(Code::UnsupportedOp, message));
            }
        };
        self.define(op.results(), results)?;
        Ok(None)
    }
}
