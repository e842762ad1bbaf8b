//! Matrix fragments: the element in each register of each lane.

/// The lanes of a group: a row of the accumulator is distributed over four lanes.
const QUAD: usize = 4;
/// The lanes of a warp.
pub(super) const LANES: usize = 32;

/// The position (row, column) of element `element` of register `register` of `lane`, in an A fragment with `packed`
/// elements per register and `m` rows.
///
/// (PTX ISA, "Matrix Fragments for mma.m16n8k…": `groupID` is `lane / 4`, `threadID_in_group` is `lane % 4`. With 16
/// rows, registers alternate between the upper and lower eight; then come the columns of the second half of k.)
pub(super) fn a(m: usize, packed: usize, lane: usize, register: usize, element: usize) -> (usize, usize) {
    let halves = m / 8;
    let row = lane / QUAD + 8 * (register % halves);
    let column = (lane % QUAD) * packed + element + register / halves * QUAD * packed;
    (row, column)
}

/// Like [`a`], for a B fragment: (row, column), where rows are along k.
pub(super) fn b(packed: usize, lane: usize, register: usize, element: usize) -> (usize, usize) {
    let row = (lane % QUAD) * packed + element + register * QUAD * packed;
    (row, lane / QUAD)
}

/// The position (row, column) of element `index` of the accumulator fragment of `lane`.
pub(super) fn accumulator(lane: usize, index: usize) -> (usize, usize) {
    (lane / QUAD + 8 * (index / 2), lane % QUAD * 2 + index % 2)
}

/// The fragments of `mma.m8n8k4` with `f16`, which computes four products, each by the lanes of a quad and of the one
/// sixteen lanes above it. (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type".)
pub(super) mod quad_pair {
    /// The product that a lane participates in.
    pub(crate) fn product(lane: usize) -> usize {
        lane % 16 / 4
    }

    /// The index along the rows of A, or the columns of B, for a lane whose elements are along k.
    fn own(lane: usize) -> usize {
        lane % 4 + lane / 16 * 4
    }

    /// For A by rows or B by columns: (index along m or n, index along k).
    pub(crate) fn along_k(lane: usize, element: usize) -> (usize, usize) {
        (own(lane), element)
    }

    /// For A by columns or B by rows: (index along m or n, index along k).
    pub(crate) fn across_k(lane: usize, element: usize) -> (usize, usize) {
        (element + lane / 16 * 4, lane % 4)
    }

    /// For an accumulator of `f16`: (row, column).
    pub(crate) fn half_accumulator(lane: usize, index: usize) -> (usize, usize) {
        (own(lane), index)
    }

    /// For an accumulator of `f32`: (row, column).
    pub(crate) fn single_accumulator(lane: usize, index: usize) -> (usize, usize) {
        let row = (lane & 1) + (index & 2) + lane / 16 * 4;
        (row, (index & 4) + (lane & 2) + (index & 1))
    }
}
