//! Runs a kernel in the simulator: the printed PTX is parsed again, so that the simulator and ptxas read the same text.

use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_irs::core::Origin;
use tilewright_irs::ptx::{Module, Statement};
use tilewright_simulator::{Arg, Buffer, Device, Fault, FaultKind, Init};

use super::Launch;
use crate::units::PtxKernel;

/// Runs the kernel once and copies the buffers back, then runs it `repeat` times more.
///
/// `text` is the emitted PTX, `kernel` its program, whose origins map an instruction to the source line of a fault. Returns the
/// times of the further launches, in milliseconds, or the first fault, as a diagnostic at the source op.
pub fn run(text: &str, kernel: &PtxKernel, launch: &mut Launch, repeat: usize) -> Ran {
    let mut device = Device::new();
    let times = run_on(&mut device, text, kernel, launch, repeat);
    Ran {
        printed: device.printed,
        times,
    }
}

/// The result of running a kernel.
#[derive(Debug)]
pub struct Ran {
    /// What it printed.
    pub printed: Vec<u8>,
    /// The times of the further launches in milliseconds, or the first fault.
    pub times: Result<Vec<f32>, Diagnostic<Origin>>,
}

fn run_on(
    device: &mut Device,
    text: &str,
    kernel: &PtxKernel,
    launch: &mut Launch,
    repeat: usize,
) -> Result<Vec<f32>, Diagnostic<Origin>> {
    let (module, lines) = read_back(text, kernel)?;
    device.lines = lines;
    if let Some(steps) = launch.max_steps {
        device.step_limit = steps;
    }
    device.deadline = launch.deadline;
    device.cluster = launch.cluster;
    let mut buffers: Vec<Buffer> = Vec::new();
    for (at, array) in launch.buffers.iter().enumerate() {
        let init = if launch.empty.contains(&at) {
            Init::Poison
        } else {
            let address_of = |at: usize| Some(device.address(*buffers.get(at)?));
            Init::Data(launch.bytes_on(at, address_of))
        };
        let name = launch.names.get(at).map_or("a buffer", String::as_str);
        buffers.push(device.alloc(name, array.data.len(), init));
    }
    let args: Vec<_> = launch
        .parameters
        .iter()
        .filter_map(|parameter| {
            let bytes = parameter.bytes_on(|at| Some(device.address(*buffers.get(at)?)));
            bytes.map(Arg::Scalar)
        })
        .collect();
    let (kernel, grid) = (launch.kernel.clone(), launch.grid);
    let block = launch.block.unwrap_or([1; 3]);
    let dynamic_shared = launch.dynamic_shared.unwrap_or_default();
    let once = |device: &mut Device| {
        device
            .launch(&module, &kernel, grid, block, dynamic_shared, &args)
            .map_err(|fault| diagnostic(&fault))
    };
    once(device)?;
    for (at, &buffer) in buffers.iter().enumerate() {
        let data = device.read(buffer).to_vec();
        launch.take(at, data, |at| Some(device.address(*buffers.get(at)?)));
    }
    let mut times = Vec::new();
    for _ in 0..repeat {
        let start = Instant::now();
        once(device)?;
        times.push(start.elapsed().as_secs_f32() * 1e3);
    }
    Ok(times)
}

/// Parses the text into a module, with the origins of the kernel's instructions and the text line of each statement of the
/// kernel.
fn read_back(text: &str, kernel: &PtxKernel) -> Result<(Module, Vec<u32>), Diagnostic<Origin>> {
    let parsed = tilewright_grammar::ptx::parse(FileId(0), text);
    if let Some(problem) = parsed.diagnostics.first() {
        let message = format!("the emitted PTX does not read back: {}", problem.message);
        return Err(Diagnostic::bug(
            "ptx",
            "emit",
            message,
            "tilewright compile <the input> --emit ptx",
        ));
    }
    let at = parsed
        .module
        .entries
        .iter()
        .position(|entry| entry.name == kernel.entry.name);
    let lines = at.map(|at| parsed.lines(text, at)).unwrap_or_default();
    let mut module = parsed.module;
    let mut origins = kernel.entry.lines().map(|line| line.origin);
    if let Some(entry) = at.and_then(|at| module.entries.get_mut(at)) {
        for statement in &mut entry.body {
            if let Statement::Instruction(line) = statement {
                line.origin = origins.next().flatten();
            }
        }
    }
    Ok((module, lines))
}

/// A fault as a diagnostic: thread, instruction, and the source op.
fn diagnostic(fault: &Fault) -> Diagnostic<Origin> {
    let code = match fault.kind {
        FaultKind::OutOfBounds { .. }
        | FaultKind::Multicast { .. }
        | FaultKind::NoSuchBlock { .. }
        | FaultKind::AbsentBlock { .. }
        | FaultKind::EarlyEnd { .. } => Code::OutOfBounds,
        FaultKind::Misaligned { .. } => Code::Misaligned,
        FaultKind::Uninitialised { .. } | FaultKind::UnwrittenRegister { .. } => Code::Uninitialised,
        FaultKind::Race { .. }
        | FaultKind::NarrowScope { .. }
        | FaultKind::ProxyFence { .. }
        | FaultKind::PendingRegister { .. } => Code::Race,
        FaultKind::DivergentBarrier { .. } | FaultKind::NotUniform | FaultKind::WarpGroupMisuse { .. } => {
            Code::DivergentBarrier
        }
        FaultKind::BarrierMisuse { .. } | FaultKind::CopyMisuse { .. } => Code::BarrierMisuse,
        FaultKind::Deadlock { .. } => Code::Deadlock,
        FaultKind::Trap => Code::KernelTrap,
        FaultKind::StepLimit { .. } | FaultKind::Late => Code::StepLimit,
        FaultKind::Launch { .. } => Code::LaunchShape,
        FaultKind::Unsupported { .. } => Code::SimulatorUnsupported,
    };
    let who = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
    let mut place = format!("in kernel `{}`, block {}", fault.kernel, who(fault.block));
    if let Some(thread) = fault.thread {
        place += &format!(", thread {}", who(thread));
    }
    let origin = fault.origin.map_or(Origin::FUNCTION, Origin);
    let mut problem = Diagnostic::error(code, fault.kind.to_string())
        .at(origin, "while doing this")
        .note(place);
    if !fault.instruction.is_empty() {
        let line = fault.line.map(|line| format!(" (line {line} of the PTX)"));
        problem = problem.note(format!(
            "instruction: {}{}",
            fault.instruction,
            line.unwrap_or_default()
        ));
    }
    problem
}
