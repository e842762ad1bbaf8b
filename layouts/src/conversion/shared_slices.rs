//! A tile that is stored in shared memory as a whole and loaded from there in slices.
//!
//! Unlike in a [`SharedRoundTrip`](super::SharedRoundTrip), each aligned vector of 16 bytes is one of the tile along
//! one axis, so that a copy from global memory (`cp.async`) can write the buffer as well, and a row of a matrix
//! (`ldmatrix`) can be read from it. Only the places of whole vectors are free.
//!
//! Let `W` be the space of vectors of the tile: the elements whose place in their vector is 0. The first basis vectors of
//! a layout are fixed, so the possible lengths of accesses are, too, and whether matrices serve a slice, and which rows
//! they have. What remains is `S`, the span of the basis vectors above a row of all banks, a subspace of `W`. An access has
//! `2^dim(S ∩ P)` times the cycles that it needs, where `P` is the span of the elements of one phase
//! (`optimal_swizzle.rs`). That dimension is at least `dim(P ∩ W) + dim(S) - dim(W)`, and [`segments`] reaches the bound
//! for the stores and the loads at once: it takes vectors outside of both phases first, then sums of one vector of each,
//! then vectors of the larger phase, then of both. So each side has the cost that it would have alone, and the lengths of
//! both are chosen independently.
//!
//! The result is compared with the minimum over all subspaces in `tests/conversion_slices.rs`.

use super::optimal_swizzle::{Holder, Machine};
use super::shared_access::SharedAccess;
use super::shared_round_trip::{Side, row_major};
use super::subspace::{extend, intersection, span};
use crate::bank::{Access, BankCost, BankModel};
use crate::dim::Dim;
use crate::distributed::{MatrixMove, MatrixPlan};
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::span::multiply;
use crate::units::ElementWidth;

/// A buffer for a tile that is loaded in slices.
///
/// With the vectors along the chosen axis, no linear layout of whole vectors takes fewer cycles of the banks for the
/// stores, nor for the loads, and none with as few cycles takes fewer accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSlices {
    /// From [`Dim::Offset`], in elements, to the axes of the tile. A bijection.
    pub memory: LinearLayout,
    /// Elements of one store.
    pub store_vector: u32,
    /// Cost of one warp's stores.
    pub store_cost: BankCost,
    /// The number of stores of a thread.
    pub stores: u64,
    /// The loads of one slice.
    pub load: SliceLoad,
    /// The number of slices.
    pub slices: u64,
}

/// The loads of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLoad {
    /// The kind of load.
    pub by: LoadKind,
    /// Cost of one warp's loads.
    pub cost: BankCost,
    /// The number of instructions of a warp.
    pub instructions: u64,
}

/// A kind of load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// `ldmatrix` in this form.
    Matrices(MatrixMove),
    /// Vectors of this many elements.
    Vectors(u32),
}

impl SharedSlices {
    /// Plans the buffer of a tile that is stored from the layout `source` and loaded in slices, boxes with the layout
    /// `slice`, each by one of the forms `matrices` of `ldmatrix` if one serves it, else by vectors.
    ///
    /// Vectors are those along the axis `along`; without one, along the one of the last two axes along which a thread of
    /// the source holds whole vectors of 16 bytes, or else along the one that takes fewer cycles and instructions. Of
    /// equally cheap layouts those without a swizzle are preferred, then those with an exclusive or of three bits of the
    /// offset above a row of the banks with the place of the vector in that row, the lowest bits first.
    ///
    /// # Errors
    /// The layouts are not of tensors of one rank, `source` or `slice` is not that of the buffer's elements, or
    /// `element_bytes` is not a power of two from 1 to 16.
    ///
    /// ```
    /// use tilewright_layouts::Blocked;
    /// use tilewright_layouts::conversion::{LoadKind, SharedSlices};
    /// use tilewright_layouts::distributed::{MatrixCount, MatrixMove, MmaOperand, MmaSync};
    /// // The left operand of 16 x 64 halves, for steps of 16 along K.
    /// let source = Blocked::coalesced(&[16, 64], 8, &[1, 0], 1)?.to_linear(&[16, 64])?;
    /// let slice = MmaSync::M16N8K16B16.fragment(MmaOperand::A)?;
    /// let plan = SharedSlices::plan(&source, &slice, 2, &MatrixMove::LOADS, None)?;
    /// assert_eq!(plan.load.by, LoadKind::Matrices(MatrixMove::LoadM8N8(MatrixCount::X4)));
    /// assert_eq!((plan.store_vector, plan.conflicts()), (8, 0));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan(
        source: &LinearLayout,
        slice: &LinearLayout,
        element_bytes: u32,
        matrices: &[MatrixMove],
        along: Option<usize>,
    ) -> Result<Self, LayoutError> {
        source.require_tensor()?;
        let model = BankModel::NVIDIA;
        let machine = Machine {
            model,
            element_bits: model.width_bits(element_bytes)?,
        };
        let tile = Staged {
            source,
            slice,
            element_bytes,
            matrices,
            machine,
        };
        let axes = match along {
            Some(axis) => vec![axis],
            None => tile.axes(),
        };
        let mut best: Option<Bound> = None;
        for axis in axes {
            let bound = tile.bound(axis)?;
            if best.as_ref().is_none_or(|best| bound.total() < best.total()) {
                best = Some(bound);
            }
        }
        let best = best.ok_or(LayoutError::NotTensor)?;
        for basis in best.simple(machine) {
            let simple = tile.through(&basis)?;
            if best.is_reached(&simple) {
                return Ok(simple);
            }
        }
        tile.through(&best.optimal())
    }

    /// Cycles lost to bank conflicts by one warp, for the stores and the loads of all slices.
    pub fn conflicts(&self) -> u64 {
        self.store_cost.conflicts() + self.slices * self.load.cost.conflicts()
    }
}

impl SliceLoad {
    /// Plans the load of the first slice with the layout `slice` from a buffer; see [`SharedSlices::plan`]. Others of the
    /// same extents are equal.
    ///
    /// # Errors
    /// As there.
    pub fn plan(
        slice: &LinearLayout,
        memory: &LinearLayout,
        element_bytes: u32,
        matrices: &[MatrixMove],
    ) -> Result<Self, LayoutError> {
        let tile = in_whole(slice, memory)?;
        if let Some(plan) = matrix_plan(&tile, memory, element_bytes, matrices)? {
            return Ok(Self {
                by: LoadKind::Matrices(plan.instruction),
                cost: plan.bank_cost(element_bytes)?,
                instructions: u64::from(plan.instructions()),
            });
        }
        let access = SharedAccess::plan(Access::Load, &tile, memory, element_bytes, None)?;
        Ok(Self {
            by: LoadKind::Vectors(access.vector),
            cost: access.cost,
            instructions: access.accesses(),
        })
    }
}

/// The slice as the first box of the tile that a buffer holds.
fn in_whole(slice: &LinearLayout, whole: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let mut outs = whole.out_dims();
    outs.try_fold(slice.clone(), |slice, (axis, extent)| {
        slice.resize_out(axis, extent)
    })
}

/// The plan with the fewest instructions, if matrices serve the tile.
fn matrix_plan(
    tile: &LinearLayout,
    memory: &LinearLayout,
    element_bytes: u32,
    matrices: &[MatrixMove],
) -> Result<Option<MatrixPlan>, LayoutError> {
    let offsets = tile.invert_and_compose(memory)?;
    let width = ElementWidth::of_bits(8 * element_bytes);
    Ok(width.and_then(|width| MatrixPlan::best(matrices.iter().copied(), &offsets, width)))
}

/// The tile that is staged.
struct Staged<'a> {
    source: &'a LinearLayout,
    slice: &'a LinearLayout,
    element_bytes: u32,
    matrices: &'a [MatrixMove],
    machine: Machine,
}

/// The least cost with vectors along an axis.
struct Bound {
    /// The element at each power of two of the offset, without a swizzle.
    plain: Vec<u64>,
    /// Bits of a vector, and of a row of all banks.
    vector: usize,
    row: usize,
    store: Least,
    load: Least,
    slices: u64,
}

/// The least cost of the accesses of one side.
struct Least {
    cycles: u64,
    instructions: u64,
    /// Vectors of one phase.
    phase: Vec<u64>,
}

impl Staged<'_> {
    /// The axes to try for vectors.
    fn axes(&self) -> Vec<usize> {
        let rank = self.source.shape().len();
        let run = |axis: usize| {
            let held: Vec<Vec<u32>> = self
                .source
                .bases(Dim::Register)
                .map(|basis| basis.to_vec())
                .collect();
            let unit = |step: u32| {
                (0..rank)
                    .map(|other| if other == axis { step } else { 0 })
                    .collect::<Vec<_>>()
            };
            let steps = (0..u32::BITS).map(|bit| 1u32 << bit);
            steps.take_while(|&step| held.contains(&unit(step))).count() as u32
        };
        let axes = || (rank.saturating_sub(2)..rank).rev();
        match axes().find(|&axis| run(axis) >= self.machine.widest()) {
            Some(axis) => vec![axis],
            None => axes().collect(),
        }
    }

    fn memory(&self, basis: &[u64]) -> Result<LinearLayout, LayoutError> {
        let outs: Vec<(Dim, u64)> = self
            .source
            .out_dims()
            .map(|(dim, size)| (dim, u64::from(size)))
            .collect();
        LinearLayout::from_words(vec![(Dim::Offset, basis.to_vec())], &outs)
    }

    /// The buffer in which these are the elements at offsets 1, 2, 4, …
    fn through(&self, basis: &[u64]) -> Result<SharedSlices, LayoutError> {
        let memory = self.memory(basis)?;
        let store = SharedAccess::plan(Access::Store, self.source, &memory, self.element_bytes, None)?;
        let load = SliceLoad::plan(self.slice, &memory, self.element_bytes, self.matrices)?;
        Ok(SharedSlices {
            store_vector: store.vector,
            store_cost: store.cost,
            stores: store.accesses(),
            load,
            slices: 1
                << memory
                    .total_out_bits()
                    .saturating_sub(self.slice.total_out_bits()),
            memory,
        })
    }

    /// The least cost with vectors along an axis.
    fn bound(&self, axis: usize) -> Result<Bound, LayoutError> {
        let rank = self.source.shape().len();
        let others = (0..rank).filter(|&other| other != axis);
        let plain = row_major(self.source, &others.chain([axis]).collect::<Vec<_>>());
        let memory = self.memory(&plain)?;
        let total = plain.len();
        let (vector, row) = (
            (self.machine.widest() as usize).min(total),
            (self.machine.row() as usize).min(total),
        );
        let tile = in_whole(self.slice, &memory)?;
        let vectors = plain.get(vector..).unwrap_or(&[]);
        let side = |access, layout: &LinearLayout| -> Result<Least, LayoutError> {
            let offsets = layout.invert_and_compose(&memory)?;
            let longest = Side::longest(&offsets, self.machine);
            let holder = Holder::new(access, layout);
            let of_length = |bits: u32| {
                let mut phase = holder.phase_lanes(self.machine, bits).to_vec();
                let own = bits.max(self.machine.word()) as usize;
                phase.extend(plain.iter().take(own));
                let phase = intersection(&phase, vectors);
                let conflicts = (phase.len() + vector).saturating_sub(row);
                let conflicts = if total > row { conflicts } else { 0 };
                let accesses = holder.kept_bits() - bits;
                Least {
                    cycles: 1 << (accesses + holder.phases(self.machine, bits).1 + conflicts as u32),
                    instructions: 1 << accesses,
                    phase,
                }
            };
            let lengths = (0..=longest).map(of_length);
            let least = lengths.min_by_key(|least| (least.cycles, least.instructions));
            least.ok_or(LayoutError::NotTensor)
        };
        let load = match matrix_plan(&tile, &memory, self.element_bytes, self.matrices)? {
            None => side(Access::Load, &tile)?,
            // A row is a vector, and the rows of a matrix are those of a row of the banks.
            Some(plan) => Least {
                cycles: plan.bank_cost(self.element_bytes)?.minimum,
                instructions: u64::from(plan.instructions()),
                phase: {
                    let rows = plan.addresses.words(Dim::Lane).iter();
                    let rows = rows.take(row - vector).map(|&offset| multiply(&plain, offset));
                    extend(&mut span([]), rows)
                },
            },
        };
        Ok(Bound {
            store: side(Access::Store, self.source)?,
            load,
            slices: 1
                << memory
                    .total_out_bits()
                    .saturating_sub(self.slice.total_out_bits()),
            plain,
            vector,
            row,
        })
    }
}

impl Bound {
    /// Cycles and instructions for all slices.
    fn total(&self) -> u64 {
        let side = |least: &Least| least.cycles + least.instructions;
        side(&self.store) + self.slices * side(&self.load)
    }

    fn is_reached(&self, plan: &SharedSlices) -> bool {
        (plan.store_cost.cycles, plan.stores) == (self.store.cycles, self.store.instructions)
            && (plan.load.cost.cycles, plan.load.instructions) == (self.load.cycles, self.load.instructions)
    }

    /// The layout without a swizzle, and those in which vectors are permuted within each row of the banks by exclusive or
    /// with bits of the offset above the row.
    fn simple(&self, machine: Machine) -> impl Iterator<Item = Vec<u64>> + '_ {
        let bits = (machine.row() - machine.widest()) as usize;
        let swizzles =
            (self.row..self.plain.len()).flat_map(move |from| (0..bits).map(move |turn| (from, turn)));
        let swizzled = swizzles.map(move |(from, turn)| {
            let mut basis = self.plain.clone();
            for (bit, above) in basis.iter_mut().skip(from).take(bits).enumerate() {
                *above ^= self
                    .plain
                    .get(self.vector + (bit + turn) % bits)
                    .copied()
                    .unwrap_or(0);
            }
            basis
        });
        std::iter::once(self.plain.clone()).chain(swizzled)
    }

    /// A layout with the least cost for both sides.
    fn optimal(&self) -> Vec<u64> {
        let (inside, vectors) = self.plain.split_at(self.vector);
        let above = segments(
            &self.store.phase,
            &self.load.phase,
            vectors,
            self.plain.len() - self.row,
        );
        let mut basis = inside.to_vec();
        basis.extend(extend(&mut span(above.iter().copied()), vectors.iter().copied()));
        basis.extend(above);
        basis
    }
}

/// `count` independent vectors of the space spanned by `all` whose span intersects that of `a` and that of `b` in as few
/// dimensions as possible.
fn segments(a: &[u64], b: &[u64], all: &[u64], count: usize) -> Vec<u64> {
    let both = intersection(a, b);
    let alone = |side: &[u64]| extend(&mut span(both.iter().copied()), side.iter().copied());
    let (a, b) = (alone(a), alone(b));
    let phases = || both.iter().chain(&a).chain(&b).copied();
    let mut chosen = extend(&mut span(phases()), all.iter().copied());
    chosen.extend(a.iter().zip(&b).map(|(a, b)| a ^ b));
    let longer = if a.len() > b.len() { &a } else { &b };
    chosen.extend(longer.iter().skip(a.len().min(b.len())));
    let rest = extend(&mut span(chosen.iter().copied()), phases());
    chosen.extend(rest);
    chosen.truncate(count);
    chosen
}
