//! Launches: a kernel, a grid, arguments, and the memory behind them.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{CudaTile, Element, Global, TileModule};
use tilewright_irs::literal::Dense;

use crate::fault::{Fault, Outcome};
use crate::frame::{Flow, Frame, Place};
use crate::machine::Machine;
use crate::memory::{BufferId, Init, Memory, Owner, bytes_of};
use crate::ops;
use crate::tile::{Runtime, TileValue};

/// What a kernel's parameter is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A number, by its bits.
    Scalar(u64),
    /// The address of a buffer.
    Pointer(BufferId),
}

/// Steps that a launch may take unless [`Device::limit_steps`] says otherwise.
const STEPS: u64 = 500_000_000;

/// The device: memory that lives as long as it does, and the globals of one module.
#[derive(Debug)]
pub struct Device {
    machine: Machine,
    steps: u64,
}

impl Device {
    /// A device that has loaded a module, so that its globals hold their first values.
    ///
    /// # Errors
    /// A global that has no place in memory.
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
            warnings: Vec::new(),
        };
        Ok(Self {
            machine,
            steps: STEPS,
        })
    }

    /// Makes a buffer. The name is what messages call it.
    pub fn allocate(&mut self, name: &str, init: Init) -> BufferId {
        self.machine.memory.buffers.allocate_argument(name, init)
    }

    /// Where a buffer of this device begins.
    pub fn address(&self, buffer: BufferId) -> Option<u64> {
        self.machine.memory.buffers.base(buffer)
    }

    /// The bytes of a buffer.
    pub fn read(&self, buffer: BufferId) -> &[u8] {
        self.machine.memory.buffers.data(buffer).unwrap_or_default()
    }

    /// For each byte of a buffer, whether it holds something of which the language says nothing; no entries where it
    /// holds nothing of the kind.
    pub fn unspecified(&self, buffer: BufferId) -> Vec<bool> {
        self.machine.memory.buffers.unspecified(buffer)
    }

    /// The buffer of a global.
    pub fn global(&self, name: &str) -> Option<BufferId> {
        let found = self.machine.globals.iter().find(|(known, _)| known == name);
        found.map(|(_, buffer)| *buffer)
    }

    /// What kernels have printed so far.
    pub fn printed(&self) -> &str {
        &self.machine.printed
    }

    /// What the last launch should tell the user although it went on: accesses to tiles that lie outside of their view,
    /// and results of which the language says nothing.
    pub fn warnings(&self) -> &[Diagnostic<Origin>] {
        &self.machine.warnings
    }

    /// Makes of a buffer so many replicas of one, equal parts of it one after the other: what a multicast address leads
    /// to when so many devices share it. Only `multimem` ops can access them.
    ///
    /// # Errors
    /// The buffer cannot be divided into so many parts.
    pub fn replicate(&mut self, buffer: BufferId, replicas: usize) -> Result<(), Diagnostic<Origin>> {
        if self.machine.memory.buffers.replicate(buffer, replicas) {
            return Ok(());
        }
        let message = format!(
            "{} bytes cannot be divided into {replicas} replicas",
            self.read(buffer).len()
        );
        Err(Diagnostic::error(Code::BadArgument, message))
    }

    /// How many steps a launch may take: an op is one, and one more for every 1024 elements.
    pub fn limit_steps(&mut self, steps: u64) {
        self.steps = steps;
    }

    /// Runs a kernel of the module: its tile blocks one after the other, x first, each to its end.
    ///
    /// Kernels that wait for a later block to do something never end here. The result does not depend on the order
    /// otherwise, unless the kernel has a race, which is an error.
    ///
    /// # Errors
    /// The first thing that the language calls undefined, a failed assertion, an op that is not executed, or too many
    /// steps; with the op that did it.
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
                "the kernel has {} parameters, and {} are given",
                params.len(),
                args.len()
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
