//! `tileas`: layouts, atoms and buffers.
//!
//! Every tile has a distributed layout; tiles in shared or tensor memory are buffers with a layout of their own;
//! every memory op, product and reduction has an atom, which selects its implementation; asynchronous ops yield a
//! `pending` value, which only a wait converts to a tile or a buffer; the function has its kernel spec.
//!
//! Not representable: tiles without a layout, memory ops without an atom, facts.

pub mod atoms;
mod buffer;
mod depth;
mod map_parameter;
mod movement;
mod ops;
mod spec;
mod types;
pub(crate) mod verify;

use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use crate::core::{Attributes, Func, Language, Origin, Part, Problem, Problems, ValueType};
use crate::isa::Target;
use crate::isa::rules::forms;
use tilewright_diagnostics::{Code, Diagnostic};

pub use atoms::{CopyAtom, ProductAtom, ReduceAtom};
pub use buffer::{Buffer, BufferLayout, Space};
pub use depth::Depth;
pub use map_parameter::MapParameter;
pub use movement::{
    concat_registers, lane_shuffles, replicated_lanes, shape_operand_layout, shape_registers, slice_layout,
    slice_registers,
};
pub use ops::{TileAsDialect, TileAsOp};
pub use spec::KernelSpec;
pub use types::{Pending, TileAsType};

/// The language `tileas`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TileAs;

crate::attributes! {
    /// Function attributes of `tileas` and `scheduled`.
    pub struct TileAsAttrs {
        /// The target GPU.
        target in Capability: Target,
        /// The number of warps and blocks, and of blocks to fit on one multiprocessor.
        kernel_spec in KernelSpec: KernelSpec,
        /// Bytes of shared memory that the body uses.
        shared_bytes in LaunchShape: u32,
        /// Alignment of shared memory in bytes: a power of two up to 65536; 16 if absent.
        shared_align in LaunchShape: Option<crate::SharedAlign>,
    }
}

impl TileAsAttrs {
    /// Checks that the target has clusters if the kernel has.
    pub(crate) fn verify(&self, problems: &mut Problems) {
        verify_clusters(
            self.target,
            self.kernel_spec.num_ctas,
            Self::part("kernel_spec"),
            problems,
        );
    }
}

/// Checks that the target has clusters if a kernel's have several blocks, as its attribute `part` says.
pub(crate) fn verify_clusters(target: Target, num_ctas: u32, part: Part, problems: &mut Problems) {
    let Some(need) = forms::clusters().filter(|&need| num_ctas > 1 && !target.provides(need)) else {
        return;
    };
    let message = format!("`num_ctas = {num_ctas}` needs {need}, the target is {target}");
    problems.list.push(Problem {
        diagnostic: Diagnostic::error(Code::TargetLacksFeature, message)
            .at(Origin::FUNCTION, format!("{target} has no clusters")),
        part,
    });
}

impl Language for TileAs {
    const NAME: &'static str = "tileas";
    type Type = TileAsType;
    type Op = TileAsOp;
    type Tag = ();
    type FuncAttrs = TileAsAttrs;
    const FOLLOWS_VALUES: bool = true;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        let warps = func.attrs.kernel_spec.num_warps;
        if !warps.is_power_of_two() {
            let message = format!("tiles are spread over a power of two of warps, not over {warps}");
            problems.error(Origin::FUNCTION, Code::AttributeValue, message);
        }
        verify::verify(
            &func.body,
            &func.attrs,
            |op| match op {
                TileAsOp::Arith(op) => verify::Part::Arith(op),
                TileAsOp::Math(_) => verify::Part::Own,
                TileAsOp::Scf(op) => verify::Part::Scf(op),
                TileAsOp::Tile(op) => verify::Part::Tile(op),
                TileAsOp::TileAs(op) => verify::Part::TileAs(op),
            },
            &|_| func.attrs.kernel_spec.num_warps,
            problems,
        );
    }
}

/// The type of a tile after a reduction along an axis: each element is held by the threads that held the row reduced to
/// it. A scalar if the axis was the only one; `None` if the type is not a tile or has no such axis.
pub fn reduced_type(ty: &TileAsType, axis: usize) -> Option<TileAsType> {
    let (layout, element) = (ty.layout()?, ty.element()?);
    if layout.shape().len() == 1 {
        return (axis == 0).then_some(TileAsType::Scalar(element));
    }
    Some(TileAsType::tile(element, reduced_layout(layout, axis).ok()?))
}

/// The layout of a tile after a reduction along one of several axes: each element is held by the threads that held the
/// row reduced to it.
///
/// # Errors
/// There is no such axis.
pub fn reduced_layout(layout: &LinearLayout, axis: usize) -> Result<LinearLayout, LayoutError> {
    Ok(layout.slice(axis)?.remove_axis(axis)?.drop_copies(Dim::Register))
}
