//! The copies of tiles between registers and buffers in shared memory that take the fewest cycles.

use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::{CopyAtom, Ld, LdMatrix, St, StMatrix};
use tilewright_layouts::bank::Access;
use tilewright_layouts::conversion::{LoadKind, SharedAccess, SliceLoad};
use tilewright_layouts::distributed::{MatrixCount, MatrixMove};
use tilewright_layouts::{LayoutError, LinearLayout};

/// The loads of a buffer, or of a slice of one, to registers of this layout: of matrices if one form moves them, else of vectors.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub(crate) fn load(layout: &LinearLayout, buffer: &Buffer) -> Result<CopyAtom, LayoutError> {
    let memory = buffer.linear().ok_or(LayoutError::NotTensor)?;
    let bytes = buffer.element_bits() / 8;
    let load = SliceLoad::plan(layout, memory, bytes, &MatrixMove::LOADS)?;
    Ok(match load.by {
        LoadKind::Matrices(form) => LdMatrix::of(form).ok_or(LayoutError::NotTensor)?.into(),
        LoadKind::Vectors(vector) => Ld::new(8 * vector * bytes).into(),
    })
}

/// The stores of a tile to a buffer that take the fewest cycles: of matrices, or of vectors.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub(crate) fn store(layout: &LinearLayout, buffer: &Buffer) -> Result<CopyAtom, LayoutError> {
    let bytes = buffer.element_bits() / 8;
    let memory = buffer.linear().ok_or(LayoutError::NotTensor)?;
    let vectors = SharedAccess::plan(Access::Store, layout, memory, bytes, None)?;
    let mut best = (
        vectors.cost.cycles + vectors.accesses(),
        CopyAtom::from(St::new(8 * bytes * vectors.vector)),
    );
    for count in [MatrixCount::X4, MatrixCount::X2, MatrixCount::X1] {
        for trans in [false, true] {
            let atom = StMatrix { count, trans };
            let Ok(plan) = atom.plan(layout, buffer) else {
                continue;
            };
            let instructions = u64::from(plan.instructions());
            let atom = CopyAtom::from(atom);
            let cost = atom.bank_cost(Some(layout), buffer);
            let cost = cost.map(|cost| cost.cycles + instructions);
            if let Some(cost) = cost.filter(|&cost| cost < best.0) {
                best = (cost, atom);
            }
        }
    }
    Ok(best.1)
}
