//! Runs a kernel in the reference evaluator: interprets the `cuda_tile` program op by op.

use std::time::Instant;

use tilewright_diagnostics::Diagnostic;
use tilewright_evaluator::number::nudge::Nudge;
use tilewright_evaluator::{Arg, BufferId, Device, Init};
use tilewright_irs::core::{Origin, ValueType};
use tilewright_irs::cuda_tile::PtrAttr;
use tilewright_irs::element::{ElementType, ScalarType};

use super::arguments::Wanted;
use super::{Launch, Parameter};
use crate::units::TileKernel;

/// The kernel's parameters.
pub fn wanted(kernel: &TileKernel) -> Vec<Wanted> {
    let body = &kernel.func.body;
    let types = body.params().iter().map(|&param| body.ty(param).element());
    types
        .map(|ty| Wanted {
            bytes: match ty {
                Some(ElementType::Scalar(scalar)) => size(scalar),
                Some(ElementType::Ptr(_)) | None => 8,
            },
            ty,
        })
        .collect()
}

fn size(scalar: ScalarType) -> usize {
    scalar
        .bytes()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(1)
}

/// Runs the kernel once and copies the buffers back, then runs it `repeat` times more on the resulting data.
///
/// Memory behind a multicast pointer is divided into `replicas` replicas. With a `nudge`, results that the language leaves open
/// are perturbed.
pub fn run(
    kernel: &TileKernel,
    launch: &mut Launch,
    repeat: usize,
    replicas: usize,
    nudge: Option<Nudge>,
) -> Ran {
    match Device::new(&kernel.module) {
        Ok(mut device) => {
            if let Some(nudge) = nudge {
                device.nudge(nudge);
            }
            let times = run_on(&mut device, kernel, launch, repeat, replicas);
            Ran {
                printed: device.printed().to_owned(),
                warnings: device.warnings().to_vec(),
                times,
            }
        }
        Err(problem) => Ran {
            printed: String::new(),
            warnings: Vec::new(),
            times: Err(problem),
        },
    }
}

/// The result of running a kernel.
#[derive(Debug)]
pub struct Ran {
    /// What it printed.
    pub printed: String,
    /// Warnings.
    pub warnings: Vec<Diagnostic<Origin>>,
    /// The times of the further launches in milliseconds, or the first undefined behaviour, as a diagnostic at the op.
    pub times: Result<Vec<f32>, Diagnostic<Origin>>,
}

fn run_on(
    device: &mut Device,
    kernel: &TileKernel,
    launch: &mut Launch,
    repeat: usize,
    replicas: usize,
) -> Result<Vec<f32>, Diagnostic<Origin>> {
    let mut buffers: Vec<BufferId> = Vec::new();
    for (at, array) in launch.buffers.iter().enumerate() {
        let init = if launch.empty.contains(&at) {
            Init::Empty(array.data.len())
        } else {
            let address_of = |at: usize| device.address(*buffers.get(at)?);
            Init::Data(launch.bytes_on(at, address_of))
        };
        let name = launch.names.get(at).map_or("a buffer", String::as_str);
        buffers.push(device.allocate(name, init));
    }
    let types = wanted(kernel);
    let args: Vec<_> = launch
        .parameters
        .iter()
        .zip(&types)
        .filter_map(|(parameter, wanted)| match parameter {
            Parameter::Scalar(bytes) => Some(Arg::Scalar(bits(bytes, wanted.ty))),
            Parameter::Pointer { buffer, offset } => {
                let base = buffers.get(*buffer).and_then(|&buffer| device.address(buffer));
                base.map(|base| Arg::Scalar(base.wrapping_add(*offset)))
            }
            // No kernel of `cuda_tile` takes structs.
            Parameter::Struct { .. } => None,
        })
        .collect();
    for (&param, parameter) in kernel.func.body.params().iter().zip(&launch.parameters) {
        let tile = kernel.func.body.ty(param).as_tile();
        let pointer = tile.and_then(|tile| tile.element.pointer());
        if pointer.and_then(|pointer| pointer.attr) == Some(PtrAttr::Multicast)
            && let Parameter::Pointer { buffer, .. } = parameter
            && let Some(&buffer) = buffers.get(*buffer)
        {
            device.replicate(buffer, replicas)?;
        }
    }
    if let Some(steps) = launch.max_steps {
        device.limit_steps(steps);
    }
    if let Some(deadline) = launch.deadline {
        device.stop_at(deadline);
    }
    device.launch(&kernel.func, launch.grid, &args)?;
    launch.unspecified = buffers.iter().map(|&buffer| device.unspecified(buffer)).collect();
    for (at, &buffer) in buffers.iter().enumerate() {
        let data = device.read(buffer).to_vec();
        launch.take(at, data, |at| device.address(*buffers.get(at)?));
    }
    let mut times = Vec::new();
    for _ in 0..repeat {
        let start = Instant::now();
        device.launch(&kernel.func, launch.grid, &args)?;
        times.push(start.elapsed().as_secs_f32() * 1e3);
    }
    Ok(times)
}

/// The bits of a scalar from its bytes in memory, little-endian.
fn bits(bytes: &[u8], ty: Option<ElementType>) -> u64 {
    let low = bytes
        .iter()
        .rev()
        .fold(0u64, |bits, &byte| (bits << 8) | u64::from(byte));
    match ty {
        // A tf32 is the upper part of an f32.
        Some(ElementType::Scalar(ScalarType::TF32)) => low >> 13,
        Some(ElementType::Scalar(_) | ElementType::Ptr(_)) | None => low,
    }
}
