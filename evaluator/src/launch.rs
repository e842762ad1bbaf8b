//! Launches: a kernel, a grid, arguments, and memory.

use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{CudaTile, Element, Global, TileModule};
use tilewright_irs::literal::Dense;

use crate::fault::{Fault, Outcome};
use crate::frame::{Flow, Frame, Place};
use crate::machine::Machine;
use crate::memory::{BufferId, Init, Memory, Owner, bytes_of};
use crate::number::nudge::Nudge;
use crate::ops;
use crate::tile::{Runtime, TileValue};

/// A kernel's argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A number, as bits.
    Scalar(u64),
    /// The address of a buffer.
    Pointer(BufferId),
}

/// Default step limit of a launch; see [`Device::limit_steps`].
const STEPS: u64 = 500_000_000;

/// The device: its memory, and the globals of one module.
#[derive(Debug)]
pub struct Device {
    machine: Machine,
    steps: u64,
}

impl Device {
    /// A device with a loaded module, whose globals have their initial values.
    ///
    /// # Errors
    /// A global that does not fit in memory.
    pub fn new(module: &TileModule) -> Result<Self, Diagnostic<Origin>> {
        let mut memory = Memory::new();
        let mut globals = Vec::new();
        for global in &module.globals {
            let buffer = load_global(&mut memory, global).map_err(|fault| fault.into_diagnostic())?;
            globals.push((global.name.clone(), buffer));
        }
        let machine = Machine {
            memory,
            globals,
            printed: String::new(),
            steps: (0, 0),
            nudge: None,
            deadline: None,
            warnings: Vec::new(),
        };
        Ok(Self {
            machine,
            steps: STEPS,
        })
    }

    /// Allocates a buffer, with a name for messages.
    pub fn allocate(&mut self, name: &str, init: Init) -> BufferId {
        self.machine.memory.buffers.allocate_argument(name, init)
    }

    /// The address of a buffer of this device.
    pub fn address(&self, buffer: BufferId) -> Option<u64> {
        self.machine.memory.buffers.base(buffer)
    }

    /// The bytes of a buffer.
    pub fn read(&self, buffer: BufferId) -> &[u8] {
        self.machine.memory.buffers.data(buffer).unwrap_or_default()
    }

    /// For each byte of a buffer, whether it is unspecified; empty if none is.
    pub fn unspecified(&self, buffer: BufferId) -> Vec<bool> {
        self.machine.memory.buffers.unspecified(buffer)
    }

    /// The buffer of a global.
    pub fn global(&self, name: &str) -> Option<BufferId> {
        let found = self.machine.globals.iter().find(|(known, _)| known == name);
        found.map(|(_, buffer)| *buffer)
    }

    /// The output of kernels so far.
    pub fn printed(&self) -> &str {
        &self.machine.printed
    }

    /// Warnings of the last launch: accesses to tiles outside of their view, and unspecified results.
    pub fn warnings(&self) -> &[Diagnostic<Origin>] {
        &self.machine.warnings
    }

    /// Divides a buffer into this many replicas, equal parts of it one after the other: the target of a multicast
    /// address that several devices share. Only `multimem` ops can access them.
    ///
    /// # Errors
    /// The size of the buffer is not a multiple of this number.
    pub fn replicate(&mut self, buffer: BufferId, replicas: usize) -> Result<(), Diagnostic<Origin>> {
        if self.machine.memory.buffers.replicate(buffer, replicas) {
            return Ok(());
        }
        let message = format!(
            "{} cannot be divided into {}",
            counted(self.read(buffer).len(), "byte"),
            counted(replicas, "replica")
        );
        Err(Diagnostic::error(Code::BadArgument, message))
    }

    /// Sets the step limit of a launch: an op is one step, plus one for every 1024 elements.
    pub fn limit_steps(&mut self, steps: u64) {
        self.steps = steps;
    }

    /// Moves the results of launches that the language leaves open; see [`nudge`](crate::number::nudge).
    pub fn nudge(&mut self, nudge: Nudge) {
        self.machine.nudge = Some(nudge);
    }

    /// Sets when launches are stopped that have not ended.
    pub fn stop_at(&mut self, deadline: Instant) {
        self.machine.deadline = Some(deadline);
    }

    /// Runs a kernel of the module: its tile blocks one after the other, x first, each to completion.
    ///
    /// Kernels that wait for a later block do not terminate here. Otherwise the result does not depend on the order,
    /// unless the kernel has a data race, which is an error.
    ///
    /// # Errors
    /// The first undefined behaviour, a failed assertion, an unsupported op, or the limit of steps or time; with the op.
    pub fn launch(
        &mut self,
        kernel: &Func<CudaTile>,
        grid: [u32; 3],
        args: &[Arg],
    ) -> Result<(), Diagnostic<Origin>> {
        self.machine.memory.begin_launch();
        self.machine.warnings.clear();
        self.machine.steps = (self.steps, self.steps);
        let arguments = self
            .arguments(kernel, args)
            .map_err(|fault| fault.into_diagnostic())?;
        let mut number = 0u32;
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..grid[0] {
                    let place = Place {
                        id: [x, y, z],
                        grid,
                        number,
                    };
                    self.block(kernel, place, &arguments).map_err(|fault| {
                        let note = format!("in kernel `{}`, tile block ({x}, {y}, {z})", kernel.name);
                        fault.note(note).into_diagnostic()
                    })?;
                    number = number.saturating_add(1);
                }
            }
        }
        self.machine.warn_of_unspecified_memory();
        Ok(())
    }

    fn block(&mut self, kernel: &Func<CudaTile>, place: Place, arguments: &[Runtime]) -> Outcome<()> {
        let entry = kernel
            .body
            .entry()
            .ok_or_else(|| Fault::broken("a kernel without a body"))?;
        let mut frame = Frame::new(&mut self.machine, &kernel.body, place);
        match ops::run(&mut frame, entry, arguments.to_vec())? {
            Flow::Return | Flow::Yield(_) => Ok(()),
            Flow::Continue(_) | Flow::Break(_) => Err(Fault::broken("a jump out of a kernel")),
        }
    }

    fn arguments(&self, kernel: &Func<CudaTile>, args: &[Arg]) -> Outcome<Vec<Runtime>> {
        let params = kernel.body.params();
        if params.len() != args.len() {
            let message = format!(
                "the kernel has {}, and is given {}",
                counted(params.len(), "parameter"),
                counted(args.len(), "argument")
            );
            return Err(Fault::new(Code::ArgumentCount, message));
        }
        let mut arguments = Vec::with_capacity(args.len());
        for (i, (&param, arg)) in params.iter().zip(args).enumerate() {
            let tile = kernel
                .body
                .ty(param)
                .as_tile()
                .filter(|tile| tile.shape.is_empty());
            let tile =
                tile.ok_or_else(|| Fault::broken(format_args!("parameter {i}, which is no scalar")))?;
            let bits = match (tile.element, arg) {
                (Element::Scalar(ty), Arg::Scalar(bits)) => bits & ty.mask(),
                (Element::Ptr(_), Arg::Scalar(bits)) => *bits,
                (Element::Ptr(_), Arg::Pointer(buffer)) => {
                    let base = self.machine.memory.buffers.base(*buffer);
                    base.ok_or_else(|| Fault::broken("an argument of another device"))?
                }
                (Element::Scalar(ty), Arg::Pointer(_)) => {
                    let message = format!("parameter {i} is {ty}, and a buffer is given");
                    return Err(Fault::new(Code::BadArgument, message));
                }
            };
            arguments.push(TileValue::scalar(tile.element, bits).into());
        }
        Ok(arguments)
    }
}

fn load_global(memory: &mut Memory, global: &Global) -> Outcome<BufferId> {
    let ty = global.ty.element.scalar();
    let ty = ty.ok_or_else(|| Fault::broken(format_args!("a global of {}", global.ty)))?;
    let count = crate::tile::count(&global.ty.shape)?;
    let elements: Vec<u64> = match &global.value {
        Dense::Splat(literal) => vec![literal.bits; count],
        Dense::Elements(_, bits) => bits.clone(),
    };
    let mut data = Vec::new();
    match ty.bytes() {
        Some(bytes) => {
            // A tf32 is the upper part of four bytes.
            let unused = (bytes * 8).saturating_sub(ty.bits());
            let shift = if ty.is_float() { unused } else { 0 };
            for bits in elements {
                data.extend((bits << shift).to_le_bytes().into_iter().take(bytes as usize));
            }
        }
        None => {
            for pair in elements.chunks(2) {
                let byte = pair.iter().rev().fold(0, |byte, half| (byte << 4) | (half & 0xf));
                data.push(u8::try_from(byte).unwrap_or(0));
            }
        }
    }
    let alignment = global.alignment.max(u64::from(bytes_of(ty)));
    let owner = Owner::Module {
        constant: global.constant,
    };
    Ok(memory.buffers.allocate(
        format!("global `{}`", global.name),
        Init::Data(data),
        alignment,
        owner,
    ))
}
