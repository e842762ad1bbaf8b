//! The layout of an operand in shared memory, and the atoms of the copies to and from it.
//!
//! A tile is stored row by row along its contiguous axis: the one along which a thread of the source holds whole
//! vectors of 16 bytes, so that a copy from global memory (`cp.async`) can write the buffer as well. Within each row of
//! the banks (128 bytes) the vectors are permuted by exclusive or with three bits of the offset above; the bits are
//! chosen so that stores of the tile and loads of its slices take the fewest cycles. Ties go to the plain order, then to
//! the lowest bits.

use tilewright_irs::element::ScalarType;
use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::{CopyAtom, Ld, LdMatrix, St};
use tilewright_layouts::bank::{Access, BankCost};
use tilewright_layouts::conversion::SharedAccess;
use tilewright_layouts::distributed::MatrixCount;
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

/// Bytes of a vector that stays contiguous.
const VECTOR_BYTES: u32 = 16;
/// Bytes of a row of all banks.
const ROW_BYTES: u32 = 128;
/// Vectors of a row of the banks, as a power of two.
const VECTOR_BITS: usize = 3;

/// Where an operand is kept, and how it gets there.
#[derive(Clone)]
pub(super) struct OperandMemory {
    /// The whole operand.
    pub(super) buffer: Buffer,
    /// The copy of the tile to the buffer.
    pub(super) store: St,
}

/// The copy of a slice to registers.
pub(super) struct SliceLoad {
    pub(super) atom: CopyAtom,
    /// The cost for a warp.
    cost: BankCost,
    /// The instructions of a warp.
    instructions: u64,
}

/// A plan with its cost.
struct Plan {
    memory: OperandMemory,
    /// Cycles lost to bank conflicts.
    conflicts: u64,
    /// Cycles and instructions of a warp.
    cost: u64,
}

impl OperandMemory {
    /// Plans the buffer of an operand that is stored from the layout `source` and read in slices of the layout
    /// `slice`, of the same rank. `None` if its elements do not fill bytes.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn plan(
        source: &LinearLayout,
        slice: &LinearLayout,
        scalar: ScalarType,
    ) -> Result<Option<Self>, LayoutError> {
        let Some(bytes) = scalar.bytes().filter(|&bytes| bytes <= VECTOR_BYTES) else {
            return Ok(None);
        };
        let mut best: Option<Plan> = None;
        for order in orders(source, bytes) {
            for memory in swizzles(&source.shape(), &order, bytes)? {
                let plan = Plan::of(source, slice, Buffer::shared(scalar, memory), bytes)?;
                let free = plan.conflicts == 0;
                if best.as_ref().is_none_or(|best| plan.cost < best.cost) {
                    best = Some(plan);
                }
                // The order of an axis fixes the instructions: no swizzle is better than one without conflicts.
                if free {
                    break;
                }
            }
        }
        Ok(best.map(|best| best.memory))
    }
}

/// The orders of axes to try, fastest first: the last two in either order, before the batch axes.
fn orders(source: &LinearLayout, bytes: u32) -> Vec<Vec<usize>> {
    let rank = source.shape().len();
    let order = |fastest: usize| -> Vec<usize> {
        let others = (0..rank).rev().filter(|&axis| axis != fastest);
        std::iter::once(fastest).chain(others).collect()
    };
    let run = |axis: usize| {
        let held: Vec<Vec<u32>> = source.bases(Dim::Register).map(|basis| basis.to_vec()).collect();
        let mut length = 1;
        let has = |step: u32| {
            let mut basis = vec![0; rank];
            if let Some(slot) = basis.get_mut(axis) {
                *slot = step;
            }
            held.contains(&basis)
        };
        while has(length) {
            length *= 2;
        }
        length
    };
    let axes = || (rank.saturating_sub(2)..rank).rev();
    match axes().find(|&axis| run(axis) * bytes >= VECTOR_BYTES) {
        Some(axis) => vec![order(axis)],
        None => axes().map(order).collect(),
    }
}

/// The layouts of a buffer, from offsets to coordinates, in an order of axes: the plain one, then swizzled ones.
fn swizzles(shape: &[u32], order: &[usize], bytes: u32) -> Result<Vec<LinearLayout>, LayoutError> {
    let mut plain: Vec<Vec<u32>> = Vec::new();
    for &axis in order {
        let extent = shape.get(axis).copied().unwrap_or(1);
        for bit in 0..extent.ilog2() {
            let mut basis = vec![0; shape.len()];
            if let Some(slot) = basis.get_mut(axis) {
                *slot = 1 << bit;
            }
            plain.push(basis);
        }
    }
    let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
    let layout = |bases: &[Vec<u32>]| LinearLayout::from_bases(&[(Dim::Offset, bases.to_vec())], &outs);
    let (vector, row) = (
        (VECTOR_BYTES / bytes).ilog2() as usize,
        (ROW_BYTES / bytes).ilog2() as usize,
    );
    let mut layouts = vec![layout(&plain)?];
    for from in row..plain.len() {
        for turn in 0..VECTOR_BITS {
            let mut bases = plain.clone();
            for bit in 0..VECTOR_BITS {
                let moved = plain.get(vector + (bit + turn) % VECTOR_BITS);
                if let (Some(basis), Some(moved)) = (bases.get_mut(from + bit), moved) {
                    for (slot, step) in basis.iter_mut().zip(moved) {
                        *slot ^= step;
                    }
                }
            }
            layouts.push(layout(&bases)?);
        }
    }
    Ok(layouts)
}

impl Plan {
    fn of(
        source: &LinearLayout,
        slice: &LinearLayout,
        buffer: Buffer,
        bytes: u32,
    ) -> Result<Self, LayoutError> {
        let offsets = vec![0; buffer.shape.len()];
        let part = buffer
            .slice(&offsets, &slice.shape())
            .map_err(|_| LayoutError::NotTensor)?;
        let steps = (u64::from(count(&buffer.shape)) / u64::from(count(&part.shape)).max(1)).max(1);
        let (Some(memory), width) = (buffer.linear(), 8 * bytes) else {
            return Err(LayoutError::NotTensor);
        };
        let store = SharedAccess::plan(Access::Store, source, memory, bytes, None)?;
        let stores = instructions(&store.offsets, store.vector);
        let load = SliceLoad::plan(slice, &part)?;
        Ok(Self {
            conflicts: store.cost.conflicts() + steps * load.cost.conflicts(),
            cost: store.cost.cycles + stores + steps * (load.cost.cycles + load.instructions),
            memory: OperandMemory {
                store: St::new(store.vector * width),
                buffer,
            },
        })
    }
}

impl SliceLoad {
    /// Plans the copy of the slice `part` of a buffer to registers of this layout: matrices, or else vectors.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn plan(slice: &LinearLayout, part: &Buffer) -> Result<Self, LayoutError> {
        if let Some(matrices) = Self::by_matrices(slice, part) {
            return Ok(matrices);
        }
        let (Some(memory), bytes) = (part.linear(), part.element_bits() / 8) else {
            return Err(LayoutError::NotTensor);
        };
        let tile = part.in_whole(slice)?;
        let access = SharedAccess::plan(Access::Load, &tile, memory, bytes, None)?;
        Ok(Self {
            atom: Ld::new(8 * access.vector * bytes).into(),
            cost: access.cost,
            instructions: instructions(&access.offsets, access.vector),
        })
    }

    /// The form of `ldmatrix` with the fewest instructions; `None` if none loads the slice.
    fn by_matrices(slice: &LinearLayout, part: &Buffer) -> Option<Self> {
        let forms = [MatrixCount::X4, MatrixCount::X2, MatrixCount::X1]
            .into_iter()
            .flat_map(|count| [false, true].map(|trans| LdMatrix { count, trans }));
        let plans = forms.filter_map(|atom| Some((atom, atom.plan(slice, part).ok()?)));
        let (atom, plan) = plans.min_by_key(|(_, plan)| plan.instructions())?;
        Some(Self {
            atom: atom.into(),
            cost: atom.conflicts(&plan, part)?,
            instructions: u64::from(plan.instructions()),
        })
    }
}

/// The number of accesses of a thread.
fn instructions(offsets: &LinearLayout, vector: u32) -> u64 {
    u64::from(offsets.in_size(Dim::Register) / vector.max(1))
}

fn count(shape: &[u32]) -> u32 {
    shape.iter().product()
}

#[cfg(test)]
mod tests {
    use tilewright_irs::ptx::Target;
    use tilewright_irs::tileas::ProductAtom;
    use tilewright_irs::tileas::slice_layout;
    use tilewright_layouts::Blocked;

    use super::*;

    /// The copies of the operands of a product of 128 x 128 x 64 by four warps, stored row by row, or both transposed.
    fn plans(scalar: ScalarType, acc: ScalarType, across: bool) -> [(Plan, CopyAtom); 2] {
        let target = Target::parse("sm_89").unwrap();
        let extents = [128, 128, 64].into();
        let atom = ProductAtom::in_registers([scalar, scalar, acc], &extents, target);
        let layouts = atom.layouts(&extents, 4).unwrap();
        let ProductAtom::MmaSync(mma) = atom else {
            panic!("no instruction")
        };
        let (step, bytes) = (mma.instruction.shape().k, scalar.bytes().unwrap());
        let plan = |layout: LinearLayout, slice: [u32; 2]| {
            let order = if across { [0, 1] } else { [1, 0] };
            let source = Blocked::coalesced(&layout.shape(), 16 / bytes, &order, 4).unwrap();
            let source = source.to_linear(&layout.shape()).unwrap();
            let part = slice_layout(&layout, &slice).unwrap();
            let memory = OperandMemory::plan(&source, &part, scalar).unwrap().unwrap();
            let load = SliceLoad::plan(&part, &memory.buffer.slice(&[0, 0], &slice).unwrap());
            let plan = Plan::of(&source, &part, memory.buffer, bytes).unwrap();
            (plan, load.unwrap().atom)
        };
        [
            plan(layouts.a.unwrap(), [128, step]),
            plan(layouts.b.unwrap(), [step, 128]),
        ]
    }

    #[test]
    fn operands_are_stored_and_read_without_bank_conflicts() {
        use ScalarType::{BF16, F8E4M3FN, F16, F32, F64, I8, I32, TF32};
        for (scalar, acc) in [
            (F16, F32),
            (BF16, F32),
            (TF32, F32),
            (F64, F64),
            (I8, I32),
            (F8E4M3FN, F32),
        ] {
            for across in [false, true] {
                for (plan, _) in plans(scalar, acc, across) {
                    assert_eq!(plan.conflicts, 0, "{scalar}, transposed: {across}");
                    assert_eq!(plan.memory.store, St::new(128), "{scalar}");
                }
            }
        }
    }

    #[test]
    fn operands_along_k_and_halves_along_the_other_axis_are_moved_as_matrices() {
        use ScalarType::{F16, F32, I8, I32, TF32};
        let four = |trans| {
            let count = MatrixCount::X4;
            CopyAtom::from(LdMatrix { count, trans })
        };
        let loads = |scalar, acc, across| plans(scalar, acc, across).map(|(_, load)| load);
        assert_eq!(loads(F16, F32, false), [four(false), four(true)]);
        assert_eq!(loads(F16, F32, true), [four(true), four(false)]);
        assert_eq!(loads(I8, I32, true)[1], four(false));
        assert_eq!(loads(TF32, F32, false)[0], four(false));
        assert_eq!(loads(TF32, F32, false)[1], Ld::new(32).into());
    }
}
