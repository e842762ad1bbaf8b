//! Operands of a matrix product, and the checks that all its atoms share.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::descriptor::{Instruction, MatrixDescriptor, Operand};
use tilewright_layouts::legality::OperandPlace;
use tilewright_layouts::span::Span;
use tilewright_layouts::{Bytes, Dim, ElementWidth, LinearLayout};

use super::{Place, Refusal};
use crate::dialects::arith::Signedness;
use crate::dialects::product_rules::matrix_type;
use crate::element::{ElementType, ScalarType};
use crate::isa::{MatrixType, Target};
use crate::machine::{Cost, Cycles};
use crate::tileas::buffer::Buffer;

/// A product of `m x k` by `k x n`, added to an accumulator of `m x n`.
#[derive(Clone, Copy, Debug)]
pub struct ProductUse<'a> {
    /// The GPU.
    pub target: Target,
    /// The number of participating warps.
    pub warps: u32,
    /// The left multiplicand, `m x k`.
    pub a: Place<'a>,
    /// The right multiplicand, `k x n`.
    pub b: Place<'a>,
    /// The accumulator, `m x n`, and the result.
    pub acc: Place<'a>,
    /// Signedness of the integers of the left and the right multiplicand.
    pub signedness: [Signedness; 2],
}

/// The register layouts of the operands of a product; `None` for operands that are not in registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandLayouts {
    /// The left multiplicand.
    pub a: Option<LinearLayout>,
    /// The right multiplicand.
    pub b: Option<LinearLayout>,
    /// The accumulator and the result.
    pub acc: Option<LinearLayout>,
}

/// The arrangement of the warps of a product over its accumulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarpGrid {
    /// As close to a square as possible for each warp's part of the accumulator, which needs the least traffic for operands.
    #[default]
    Square,
    /// Along M, as long as each warp has rows for a fragment. The accumulator is then in the registers in which a second product
    /// takes it as its left multiplicand, and its rows are reduced within a warp.
    Rows,
}

impl<'a> Place<'a> {
    pub(super) fn scalar(self) -> Option<ScalarType> {
        match self {
            Self::Buffer(buffer) => Some(buffer.element),
            Self::Registers(_) => self.registers().and_then(|(element, _)| element.scalar()),
            Self::Global(_) | Self::Pointers => None,
        }
    }

    /// The last two extents.
    pub(super) fn matrix(self) -> Option<[u32; 2]> {
        let shape = match self {
            Self::Buffer(buffer) => buffer.shape.clone(),
            Self::Registers(_) => self.registers()?.1?.shape(),
            Self::Global(_) | Self::Pointers => return None,
        };
        match shape.as_slice() {
            [.., rows, columns] => Some([*rows, *columns]),
            _ => None,
        }
    }
}

impl<'a> ProductUse<'a> {
    /// M, N and K.
    pub fn extents(&self) -> Option<[u32; 3]> {
        let ([m, k], [_, n]) = (self.a.matrix()?, self.b.matrix()?);
        Some([m, n, k])
    }

    /// The element types of the multiplicands and the accumulator.
    pub(super) fn elements(&self) -> Option<[ScalarType; 3]> {
        Some([self.a.scalar()?, self.b.scalar()?, self.acc.scalar()?])
    }

    /// The layouts of the operands; an error unless all are in registers.
    pub(super) fn all_in_registers(&self, atom: &str) -> Result<[&'a LinearLayout; 3], Refusal> {
        let of = |name: &str, place: Place<'a>| {
            place.registers().and_then(|(_, layout)| layout).ok_or_else(|| {
                let message = format!("`{atom}` takes {name} in registers, not from {}", place.noun());
                Refusal::new(Code::OperandType, message)
            })
        };
        Ok([of("A", self.a)?, of("B", self.b)?, of("C", self.acc)?])
    }
}

/// The alignment of a buffer that is read through matrix descriptors, in bytes: the length of the longest swizzle pattern.
pub const DESCRIBED_ALIGN: u32 = 1024;

/// The axes of an operand's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// M or N, then K.
    MnK,
    /// K, then N.
    KN,
}

/// Finds the place of an operand in shared memory.
///
/// # Errors
/// Those of [`operand`].
pub(super) fn described<D: MatrixDescriptor>(
    atom: &str,
    name: &str,
    buffer: &Buffer,
    axes: Axes,
    instruction: Instruction,
) -> Result<OperandPlace, Refusal> {
    let operand = operand::<D>(atom, name, buffer, axes, instruction)?;
    Ok(OperandPlace::Shared {
        major: operand.major,
        swizzle: operand.mode,
    })
}

/// Finds the matrix descriptors of the kind `D` for an operand in shared memory.
///
/// # Errors
/// No descriptor can express the buffer's layout (E0408), with the reason.
pub(super) fn operand<D: MatrixDescriptor>(
    atom: &str,
    name: &str,
    buffer: &Buffer,
    axes: Axes,
    instruction: Instruction,
) -> Result<Operand<D>, Refusal> {
    let refuse = |why: String| Refusal::layout(format!("`{atom}` finds no descriptor for {name}: {why}"));
    let memory = buffer
        .linear()
        .ok_or_else(|| refuse("its layout is not linear".to_owned()))?;
    if buffer.is_slice() {
        return Err(refuse("it is a slice of a buffer".to_owned()));
    }
    let memory = match axes {
        Axes::MnK => memory.clone(),
        Axes::KN => memory
            .permute_axes(&[1, 0])
            .map_err(|error| refuse(error.to_string()))?,
    };
    let width = ElementWidth::of_bits(buffer.element_bits())
        .ok_or_else(|| refuse(format!("elements of {}", counted(buffer.element_bits(), "bit"))))?;
    Operand::<D>::derive(&memory, width, instruction, Bytes(DESCRIBED_ALIGN.into()))
        .map_err(|refusal| refuse(refusal.to_string()))
}

/// The cost of `count` instructions, each a product of these extents, at a rate of multiply-adds per cycle. An instruction takes
/// at least `least` cycles; its latency is the time that it takes.
pub(super) fn cost_of(count: u64, instruction: [u32; 3], rate: u32, least: Cycles) -> Cost {
    let products: u64 = instruction.into_iter().map(u64::from).product();
    let each = Cycles::of(products, rate);
    let all = Cycles::of(products.saturating_mul(count), rate);
    Cost {
        busy: all.max(least.times(count)),
        instructions: count,
        latency: each.max(least),
    }
}

/// How many instructions of these extents compute a product.
pub(super) fn count_of(extents: [u32; 3], instruction: [u32; 3]) -> u64 {
    let along = extents.into_iter().zip(instruction);
    along
        .map(|(extent, of_one)| u64::from(extent.div_ceil(of_one.max(1))))
        .product()
}

/// The multiplicands' type as instructions name it. Speed depends on the type of A.
pub(super) fn operand_type([a, ..]: [ScalarType; 3]) -> Option<MatrixType> {
    matrix_type(a, Signedness::Signed)
}

/// The refusal of element types that the atom does not support.
pub(super) fn unlike(atom: &str, [a, b, acc]: [ScalarType; 3]) -> Refusal {
    let message = format!("`{atom}` does not multiply `{a}` by `{b}` into `{acc}`");
    Refusal::new(Code::BadElementType, message)
}

/// The components along one of the last two axes (`0` for rows, `1` for columns) of the basis vectors of a dimension.
pub(super) fn along(layout: &LinearLayout, dim: Dim, axis: usize) -> Vec<u32> {
    let first = layout.shape().len().saturating_sub(2);
    steps(layout, dim, first + axis)
}

/// The components along an axis of the basis vectors of a dimension.
fn steps(layout: &LinearLayout, dim: Dim, axis: usize) -> Vec<u32> {
    let bases = layout.bases(dim);
    bases.map(|basis| basis.get(axis).copied().unwrap_or(0)).collect()
}

/// Whether each basis vector has only one non-zero component, so that properties can be checked for each axis by itself.
pub(super) fn is_along_one_axis_each(layout: &LinearLayout) -> bool {
    let mut bases = [Dim::Register, Dim::Lane, Dim::Warp]
        .into_iter()
        .flat_map(|dim| layout.bases(dim));
    bases.all(|basis| basis.iter().filter(|&&step| step != 0).count() <= 1)
}

/// Checks that each thread holds the elements of A (with `own` 0) or B (1) from which its elements of the accumulator are
/// computed: along the axis `own`, in steps of `unit`, and along the batch axes.
///
/// # Errors
/// The layouts of the operand and of the accumulator do not fit each other (E0408).
pub(super) fn check_held(
    atom: &str,
    own: usize,
    operand: &LinearLayout,
    acc: &LinearLayout,
    unit: u32,
) -> Result<(), Refusal> {
    let name = if own == 0 { "A" } else { "B" };
    let refuse = || {
        let message = format!("`{atom}` lacks elements of {name} in `{operand}` that `{acc}` multiplies");
        Refusal::layout(message)
    };
    let registers = along(operand, Dim::Register, own);
    let wanted = along(acc, Dim::Register, own);
    if wanted
        .iter()
        .any(|&step| step >= unit && !is_in_span(&registers, step))
    {
        return Err(refuse());
    }
    let axes = acc.shape().len().saturating_sub(2);
    for axis in 0..axes {
        let distributed = [Dim::Lane, Dim::Warp]
            .into_iter()
            .all(|dim| same(&steps(operand, dim, axis), &steps(acc, dim, axis)));
        let registers = steps(operand, Dim::Register, axis);
        let held = steps(acc, Dim::Register, axis)
            .into_iter()
            .all(|step| is_in_span(&registers, step));
        if !distributed || !held {
            return Err(refuse());
        }
    }
    Ok(())
}

/// Whether `step` is the exclusive or of some of the vectors in `among`.
fn is_in_span(among: &[u32], step: u32) -> bool {
    let span = Span::of(among.iter().map(|&step| u64::from(step)));
    span.solve(step.into()).is_some()
}

/// Whether two lists of basis vectors are equal up to trailing zeros.
pub(super) fn same(a: &[u32], b: &[u32]) -> bool {
    let common = a.len().min(b.len());
    a.iter().zip(b).all(|(a, b)| a == b)
        && [a, b]
            .iter()
            .all(|list| list.iter().skip(common).all(|&n| n == 0))
}

/// Whether the elements are floats.
pub(super) fn is_float(element: ElementType) -> bool {
    element.scalar().is_some_and(ScalarType::is_float)
}
