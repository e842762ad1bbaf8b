//! Launches: what a host function says of one before it, and what it checks.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::{Func, Value};
use tilewright_irs::mlir::dialects::CudaOp;
use tilewright_irs::mlir::{Attribute, Item, Mlir, MlirModule, SymbolRef, Type};

use super::frame::{Frame, Op};
use super::packing::packed;
use super::value::{Config, Integer, Runtime};
use super::{HostLaunch, MostShared, unsupported};
use crate::fault::{Fault, Outcome};

/// What an op of launches does.
pub(super) enum Done {
    Values(Vec<Runtime>),
    Return,
}

pub(super) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &CudaOp) -> Outcome<Done> {
    Ok(Done::Values(match kind {
        CudaOp::Cast { src } => vec![cast(frame, op, *src)?],
        CudaOp::LaunchCfgCreate {
            block_x,
            block_y,
            block_z,
            shared,
            grid_x,
            grid_y,
            grid_z,
            stream,
            max_attributes: _,
        } => {
            if !matches!(frame.value(*stream)?, Runtime::Stream) {
                return Err(unsupported(format_args!("the stream `{}`", frame.ty(*stream))));
            }
            let config = Config {
                grid: three(frame, [*grid_x, *grid_y, *grid_z])?,
                block: three(frame, [*block_x, *block_y, *block_z])?,
                shared: frame.integer(*shared)?,
                cluster: None,
                cooperative: false,
                programmatic: false,
            };
            frame.configs.push(config);
            vec![Runtime::Config(frame.configs.len() - 1)]
        }
        CudaOp::LaunchCfgClusterDim { launch_cfg, x, y, z } => {
            let shape = three(frame, [*x, *y, *z])?;
            config(frame, *launch_cfg)?.cluster = Some(shape);
            Vec::new()
        }
        CudaOp::LaunchCfgCooperative { launch_cfg, value } => {
            let value = frame.integer(*value)?.unsigned() != 0;
            config(frame, *launch_cfg)?.cooperative = value;
            Vec::new()
        }
        CudaOp::LaunchCfgProgrammatic { launch_cfg, value } => {
            let value = frame.integer(*value)?.unsigned() != 0;
            config(frame, *launch_cfg)?.programmatic = value;
            Vec::new()
        }
        CudaOp::LaunchEx {
            launch_cfg,
            inputs,
            callee,
            ..
        } => {
            let config = config(frame, *launch_cfg)?.clone();
            let launch = launch(frame, op, &config, callee, inputs)?;
            frame.launches.push(launch);
            vec![Runtime::Launched]
        }
        // A launch that this function makes has no error.
        CudaOp::ReturnIfError { inputs } => {
            for &input in inputs {
                if frame.integer(input)?.unsigned() != 0 {
                    return Ok(Done::Return);
                }
            }
            Vec::new()
        }
        CudaOp::Return { .. } => return Err(super::unknown(op)),
    }))
}

fn cast(frame: &Frame<'_>, op: &Op, source: Value) -> Outcome<Runtime> {
    match (frame.value(source)?, frame.result(op)?) {
        (Runtime::Fields(_), Type::Stream) => Ok(Runtime::Stream),
        (Runtime::Launched, Type::Integer(_, width)) => Ok(Integer::new(*width, 0).into()),
        (_, to) => {
            let from = frame.ty(source);
            Err(unsupported(format_args!("a cast of `{from}` to `{to}`")))
        }
    }
}

fn three(frame: &Frame<'_>, [x, y, z]: [Value; 3]) -> Outcome<[Integer; 3]> {
    Ok([frame.integer(x)?, frame.integer(y)?, frame.integer(z)?])
}

fn config<'f>(frame: &'f mut Frame<'_>, value: Value) -> Outcome<&'f mut Config> {
    let number = match frame.value(value)? {
        Runtime::Config(number) => Some(*number),
        Runtime::Fields(_) | Runtime::Stream | Runtime::Launched => None,
    };
    let config = number.and_then(|number| frame.configs.get_mut(number));
    config.ok_or_else(|| Fault::broken("a launch without a configuration"))
}

/// The kernel of this symbol.
///
/// # Errors
/// The module has none.
pub(super) fn kernel<'m>(module: &'m MlirModule, symbol: &SymbolRef) -> Outcome<&'m Func<Mlir>> {
    let found = module
        .items
        .iter()
        .find_map(|item| match (item, symbol.0.as_slice()) {
            (Item::Gpu(gpu), [parent, name]) if gpu.name == *parent => {
                gpu.kernels.iter().find(|kernel| kernel.name == *name)
            }
            _ => None,
        });
    found.ok_or_else(|| {
        let names: Vec<_> = module
            .kernels()
            .map(|kernel| format!("`{}`", kernel.name))
            .collect();
        let fault = Fault::new(
            Code::UnknownSymbol,
            format!("the module has no kernel `{symbol}`"),
        );
        match names.is_empty() {
            true => fault,
            false => fault.note(format!("its kernels: {}", names.join(", "))),
        }
    })
}

fn refused(message: String) -> Box<Fault> {
    Fault::new(Code::LaunchShape, message)
}

fn text([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// Extents, which are positive; `what` names them.
fn extents(of: [Integer; 3], what: &str) -> Outcome<[u32; 3]> {
    let mut extents = [1; 3];
    for (slot, (number, axis)) in extents.iter_mut().zip(of.into_iter().zip(["x", "y", "z"])) {
        let number = number.signed();
        *slot = match u32::try_from(number) {
            Ok(number @ 1..) => number,
            _ => {
                return Err(refused(format!(
                    "{what} along {axis}: {number}, which is not from 1 to {}",
                    u32::MAX
                )));
            }
        };
    }
    Ok(extents)
}

/// Numbers that a kernel's attribute says of its launches.
fn stated(attribute: Option<&Attribute>) -> Option<[u32; 3]> {
    let Some(Attribute::Numbers(_, numbers)) = attribute else {
        return None;
    };
    let mut stated = [1; 3];
    for (slot, number) in stated.iter_mut().zip(numbers.iter()) {
        *slot = u32::try_from(*number).ok()?;
    }
    Some(stated)
}

fn launch(
    frame: &Frame<'_>,
    op: &Op,
    config: &Config,
    callee: &SymbolRef,
    inputs: &[Value],
) -> Outcome<HostLaunch> {
    let kernel = kernel(frame.module, callee)?;
    let grid = extents(config.grid, "blocks of the grid")?;
    let block = extents(config.block, "threads of a block")?;
    let cluster = config
        .cluster
        .map(|shape| extents(shape, "blocks of a cluster"))
        .transpose()?;
    let attributes = &kernel.attrs.attributes;
    let facts = match attributes.get("cutlass_launch_facts") {
        Some(Attribute::Dictionary(facts)) => Some(facts),
        _ => None,
    };
    let fact = |name: &str| facts.and_then(|facts| stated(facts.get(name)));
    let agreed = [
        (
            "nvvm.reqntid",
            stated(attributes.get("nvvm.reqntid")),
            Some(block),
            "a block of threads",
        ),
        (
            "exact_block_dim",
            fact("exact_block_dim"),
            Some(block),
            "a block of threads",
        ),
        (
            "exact_grid_dim",
            fact("exact_grid_dim"),
            Some(grid),
            "a grid of blocks",
        ),
        (
            "exact_cluster_dim",
            fact("exact_cluster_dim"),
            Some(cluster.unwrap_or([1; 3])),
            "a cluster of blocks",
        ),
    ];
    for (name, stated, launched, what) in agreed {
        if let Some((stated, launched)) = stated.zip(launched)
            && stated != launched
        {
            return Err(refused(format!(
                "the launch has {what} {}, and kernel `{}` says {} (`{name}`)",
                text(launched),
                kernel.name,
                text(stated)
            )));
        }
    }
    if let Some(cluster) = cluster
        && grid
            .iter()
            .zip(cluster)
            .any(|(blocks, extent)| blocks % extent != 0)
    {
        return Err(refused(format!(
            "a grid of blocks {} is not made of whole clusters {}",
            text(grid),
            text(cluster)
        )));
    }
    let shared = config.shared.signed();
    let dynamic_shared = u32::try_from(shared).map_err(|_| {
        Fault::new(
            Code::SharedMemory,
            format!("{shared} bytes of dynamic shared memory are asked for"),
        )
    })?;
    let params = kernel.body.params();
    if params.len() != inputs.len() {
        return Err(Fault::new(
            Code::OperandCount,
            format!(
                "kernel `{}` has {}, and the launch passes {}",
                kernel.name,
                counted(params.len(), "parameter"),
                counted(inputs.len(), "argument")
            ),
        ));
    }
    let mut arguments = Vec::new();
    for (at, (&param, &input)) in params.iter().zip(inputs).enumerate() {
        let (wanted, given) = (kernel.body.ty(param), frame.ty(input));
        if wanted != given {
            return Err(Fault::new(
                Code::TypeMismatch,
                format!(
                    "argument {at} is `{given}`, and kernel `{}` takes `{wanted}`",
                    kernel.name
                ),
            ));
        }
        let packed = packed(given, frame.fields(input)?);
        if !packed.bytes.is_empty() {
            arguments.push(packed);
        }
    }
    let allowed = match attributes.get("cu_attrs") {
        Some(Attribute::Dictionary(allowed)) => Some(allowed),
        _ => None,
    };
    let allowed = |name: &str| allowed.and_then(|allowed| allowed.get(name));
    Ok(HostLaunch {
        origin: op.origin,
        kernel: kernel.name.clone(),
        grid,
        block,
        cluster,
        dynamic_shared,
        cooperative: config.cooperative,
        programmatic: config.programmatic,
        non_portable_cluster: matches!(
            allowed("non_portable_cluster_size_allowed"),
            Some(Attribute::Integer(1.., _) | Attribute::Bool(true))
        ),
        most_shared: match allowed("max_dynamic_shared_size_bytes") {
            Some(Attribute::Integer(bytes, _)) => u32::try_from(*bytes).ok().map(MostShared::Bytes),
            Some(_) => Some(MostShared::OfDevice),
            None => None,
        },
        arguments,
    })
}
