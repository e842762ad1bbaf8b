//! The buffer of an operand in shared memory, and the atoms of the copies to and from it, as `layouts` plans them
//! ([`SharedSlices`]): a tile is stored in vectors of 16 bytes along an axis, so that a copy from global memory (`cp.async`)
//! can write the buffer as well, with the swizzle of the fewest cycles for the stores and for the loads of slices.

use tilewright_irs::element::ScalarType;
use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::St;
use tilewright_layouts::conversion::SharedSlices;
use tilewright_layouts::distributed::MatrixMove;
use tilewright_layouts::{LayoutError, LinearLayout};

/// The most bytes of an element.
const MAX_BYTES: u32 = 16;

/// Where an operand is kept, and how it gets there.
#[derive(Clone)]
pub(super) struct OperandMemory {
    /// The whole operand.
    pub(super) buffer: Buffer,
    /// The copy of the tile to the buffer.
    pub(super) store: St,
}

impl OperandMemory {
    /// Plans the buffer of an operand that is stored from the layout `source` and read in slices of the layout
    /// `slice`, of the same rank, with vectors along an axis. `None` if its elements do not fill bytes.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn plan(
        source: &LinearLayout,
        slice: &LinearLayout,
        scalar: ScalarType,
        along: Option<usize>,
    ) -> Result<Option<Self>, LayoutError> {
        let Some(bytes) = scalar.bytes().filter(|&bytes| bytes <= MAX_BYTES) else {
            return Ok(None);
        };
        let plan = SharedSlices::plan(source, slice, bytes, &MatrixMove::LOADS, along)?;
        Ok(Some(Self {
            store: St::new(8 * bytes * plan.store_vector),
            buffer: Buffer::shared(scalar, plan.memory),
        }))
    }
}

#[cfg(test)]
mod tests {
    use tilewright_irs::ptx::Target;
    use tilewright_irs::tileas::ProductAtom;
    use tilewright_irs::tileas::atoms::{CopyAtom, Ld, LdMatrix};
    use tilewright_irs::tileas::slice_layout;
    use tilewright_layouts::Blocked;
    use tilewright_layouts::distributed::MatrixCount;

    use super::*;
    use crate::shared_copies;

    /// The copies of the operands of a product of 128 x 128 x 64 by four warps, stored row by row, or both transposed.
    fn plans(scalar: ScalarType, acc: ScalarType, across: bool) -> [(u64, St, CopyAtom); 2] {
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
            let plan = SharedSlices::plan(&source, &part, bytes, &MatrixMove::LOADS, None).unwrap();
            let memory = OperandMemory::plan(&source, &part, scalar, None)
                .unwrap()
                .unwrap();
            let load = shared_copies::load(&part, &memory.buffer.slice(&[0, 0], &slice).unwrap());
            (plan.conflicts(), memory.store, load.unwrap())
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
                for (conflicts, store, _) in plans(scalar, acc, across) {
                    assert_eq!(conflicts, 0, "{scalar}, transposed: {across}");
                    assert_eq!(store, St::new(128), "{scalar}");
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
        let loads = |scalar, acc, across| plans(scalar, acc, across).map(|(_, _, load)| load);
        assert_eq!(loads(F16, F32, false), [four(false), four(true)]);
        assert_eq!(loads(F16, F32, true), [four(true), four(false)]);
        assert_eq!(loads(I8, I32, true)[1], four(false));
        assert_eq!(loads(TF32, F32, false)[0], four(false));
        assert_eq!(loads(TF32, F32, false)[1], Ld::new(32).into());
    }
}
