//! The attributes of the kernel: its block, its shared memory.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::Extents;
use tilewright_irs::SharedAlign;
use tilewright_irs::core::{Flag, Func, Origin};
use tilewright_irs::cute_desugared::CuteDesugaredAttrs;
use tilewright_irs::isa::Target;
use tilewright_irs::isa::limits::MOST_THREADS;
use tilewright_irs::machine::LANES;
use tilewright_irs::mlir::dialects::CuteNvgpuOp;
use tilewright_irs::mlir::{Attribute, Dictionary, Mlir, MlirOp};
use tilewright_irs::tileas::KernelSpec;

/// The alignment of dynamic shared memory: that of the widest swizzle.
const DYNAMIC_ALIGN: u32 = 1024;

/// The attributes of a kernel.
///
/// # Errors
/// It does not say its block, or more threads than a block has.
pub(super) fn attributes(
    func: &Func<Mlir>,
    target: Target,
) -> Result<CuteDesugaredAttrs, Diagnostic<Origin>> {
    let block = required_threads(&func.attrs.attributes)?;
    let uses = |op: &MlirOp| matches!(op, MlirOp::CuteNvgpu(CuteNvgpuOp::ArchGetDynSmem {}));
    let dynamic = func.body.ops().any(|(_, op)| uses(&op.kind));
    let along_one = block.0[1..] == [1, 1] && block.count().is_multiple_of(LANES);
    Ok(CuteDesugaredAttrs {
        target,
        kernel_spec: KernelSpec {
            num_warps: block.count().div_ceil(LANES),
            num_ctas: 1,
            occupancy: None,
        },
        block: (!along_one).then_some(block),
        min_blocks: Some(min_blocks(&func.attrs.attributes)?),
        shared_bytes: 0,
        shared_align: if dynamic {
            SharedAlign::new(DYNAMIC_ALIGN)
        } else {
            None
        },
        shared_dynamic: Flag(dynamic),
    })
}

/// `nvvm.minctasm`: the blocks for which the registers of a multiprocessor must suffice; 0 if the kernel does not say it.
fn min_blocks(attributes: &Dictionary) -> Result<u32, Diagnostic<Origin>> {
    let Some(attribute) = attributes.get("nvvm.minctasm") else {
        return Ok(0);
    };
    let number = integer(attribute).and_then(|number| u32::try_from(number).ok());
    number.filter(|&number| number > 0).ok_or_else(|| {
        let message = format!("`nvvm.minctasm` is `{attribute}`: at least one block");
        Diagnostic::error(Code::AttributeValue, message).at(Origin::FUNCTION, "")
    })
}

/// `nvvm.reqntid`: the threads of a block along each axis.
fn required_threads(attributes: &Dictionary) -> Result<Extents, Diagnostic<Origin>> {
    let numbers: Vec<i64> = match attributes.get("nvvm.reqntid") {
        Some(Attribute::Numbers(_, numbers)) => numbers.to_vec(),
        Some(Attribute::Array(items)) => items.iter().filter_map(integer).collect(),
        Some(Attribute::Integer(number, _)) => vec![*number],
        Some(_) => Vec::new(),
        None => {
            let message = "the kernel does not say its block: it has no attribute `nvvm.reqntid`";
            return Err(Diagnostic::error(Code::MissingAttribute, message).at(Origin::FUNCTION, ""));
        }
    };
    let mut extents = [1; 3];
    let fits = (1..=3).contains(&numbers.len());
    for (extent, number) in extents.iter_mut().zip(&numbers) {
        *extent = u32::try_from(*number).unwrap_or(0);
    }
    let block = Extents(extents);
    if fits && (1..=MOST_THREADS).contains(&block.count()) {
        return Ok(block);
    }
    let message =
        format!("`nvvm.reqntid` is {numbers:?}: a block has 1 to {MOST_THREADS} threads along up to 3 axes");
    Err(Diagnostic::error(Code::AttributeValue, message).at(Origin::FUNCTION, ""))
}

fn integer(attribute: &Attribute) -> Option<i64> {
    match attribute {
        Attribute::Integer(number, _) => Some(*number),
        _ => None,
    }
}
