//! Conversions through a buffer in shared memory.

use super::optimal_swizzle::{Choice, Holder, Machine, choose, construct, placement};
use super::subspace::{extend, span};
use crate::bank::{Access, BankCost, BankModel};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use crate::span::Span;
use crate::units::Bytes;

/// A conversion through a buffer in shared memory: store, barrier, load.
///
/// Over all linear layouts of the buffer and all numberings of registers, the bank cycles of a warp's
/// stores and loads together are minimal, and the number of accesses is minimal among those, if both
/// layouts contain the whole tensor. (arXiv 2505.23819, §5.4; the proof is outlined in
/// `optimal_swizzle.rs` and checked by exhaustion on small machines.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRoundTrip {
    /// The offset of each element in the buffer, in elements: from the tensor's axes to
    /// [`Dim::Offset`]. A bijection.
    pub memory: LinearLayout,
    /// The offset of each stored register, in elements: from stored registers, lanes, warps and
    /// blocks to [`Dim::Offset`].
    pub store: LinearLayout,
    /// The register of the source for each stored register. Replicas in a thread, or in all lanes and
    /// warps, are left out.
    pub store_registers: RegisterMap,
    /// The offset of each loaded register, like `store`.
    pub load: LinearLayout,
    /// The loaded register for each register of the destination.
    pub load_registers: RegisterMap,
    /// Elements of one store: stored registers `n*k` to `n*k + n - 1` go to consecutive, aligned offsets.
    pub store_vector: u32,
    /// Elements of one load, likewise.
    pub load_vector: u32,
    /// The number of iterations of store, barrier, load and barrier: 1, or the number of parts into
    /// which the tile is split to fit a smaller buffer. Part `p` consists of the stored and the
    /// loaded registers `p * n / pieces` to `(p + 1) * n / pieces - 1` of `n`; its offsets differ
    /// from those given by a multiple of the elements of the buffer.
    pub pieces: u32,
    /// Size of the buffer in bytes.
    pub bytes: u64,
    /// Cost of one warp's stores.
    pub store_cost: BankCost,
    /// Cost of one warp's loads.
    pub load_cost: BankCost,
}

impl SharedRoundTrip {
    /// Plans the round trip, even if a cheaper conversion exists.
    ///
    /// Of equally cheap layouts row-major ones are preferred, the last axis fastest before others,
    /// and of these the ones without a swizzle, then those with a swizzle of whole vectors. Time:
    /// below 50 µs for a tile of 128 by 256.
    ///
    /// # Errors
    /// The layouts are of different tensors, `source` lacks elements of `wanted`, a value would have
    /// to change blocks, or `element_bytes` is not a power of two from 1 to 16.
    ///
    /// ```
    /// use tilewright_layouts::{Blocked, SharedRoundTrip};
    /// // Rows of 2-byte elements, eight to a thread, to columns.
    /// let rows = Blocked::coalesced(&[64, 64], 8, &[1, 0], 4)?.to_linear(&[64, 64])?;
    /// let columns = Blocked::coalesced(&[64, 64], 8, &[0, 1], 4)?.to_linear(&[64, 64])?;
    /// let trip = SharedRoundTrip::plan(&rows, &columns, 2)?;
    /// assert_eq!(trip.conflicts(), 0);
    /// assert_eq!(trip.bytes, 64 * 64 * 2);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
    ) -> Result<SharedRoundTrip, LayoutError> {
        Self::plan_on(BankModel::NVIDIA, source, wanted, element_bytes)
    }

    /// Like [`SharedRoundTrip::plan`], through a buffer of at most `limit` bytes: the tile is split
    /// into the fewest equal parts that fit and that consist of whole registers on both sides, and
    /// the buffer is reused for each. Bank cycles are the same as for a whole buffer; there are more
    /// barriers.
    ///
    /// Such a split is possible along elements that are in the registers of both layouts, past the
    /// vector, and in the lanes and warps of neither.
    ///
    /// # Errors
    /// As there, or not even the smallest such part fits.
    ///
    /// ```
    /// use tilewright_layouts::{Blocked, Bytes, SharedRoundTrip};
    /// let rows = Blocked::coalesced(&[128, 128], 4, &[1, 0], 1)?.to_linear(&[128, 128])?;
    /// let columns = Blocked::coalesced(&[128, 128], 4, &[0, 1], 1)?.to_linear(&[128, 128])?;
    /// let trip = SharedRoundTrip::plan_within(&rows, &columns, 4, Bytes(48 << 10))?;
    /// assert_eq!((trip.pieces, trip.bytes), (2, 32 << 10));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan_within(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
        limit: Bytes,
    ) -> Result<SharedRoundTrip, LayoutError> {
        Self::within(BankModel::NVIDIA, source, wanted, element_bytes, Some(limit))
    }

    /// [`SharedRoundTrip::plan`] for another machine. Warps have the machine's number of lanes;
    /// further bits of [`Dim::Lane`] count as threads that access at another time.
    ///
    /// # Errors
    /// As there, and an element may not be wider than the machine's widest access.
    pub fn plan_on(
        model: BankModel,
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
    ) -> Result<SharedRoundTrip, LayoutError> {
        Self::within(model, source, wanted, element_bytes, None)
    }

    fn within(
        model: BankModel,
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
        limit: Option<Bytes>,
    ) -> Result<SharedRoundTrip, LayoutError> {
        let element_bits = model.width_bits(element_bytes)?;
        source.check_same_outs(wanted)?;
        source.require_tensor()?;
        check_blocks(source, wanted)?;
        let total = source.total_out_bits();
        let bytes = u64::from(element_bytes) << total;
        let piece_bits = match limit {
            Some(limit) => {
                (0..=total)
                    .find(|bits| bytes >> bits <= limit.0)
                    .ok_or(LayoutError::BufferTooSmall {
                        bytes,
                        limit: limit.0,
                    })?
            }
            None => 0,
        };
        let machine = Machine { model, element_bits };
        let (store, load) = (
            Holder::new(Access::Store, source),
            Holder::new(Access::Load, wanted),
        );
        let choice = choose(&store, &load, machine, total);
        let through = |memory| Self::through(source, wanted, machine, memory, piece_bits);
        let orders = || row_major_orders(source.shape().len()).map(|order| row_major(source, &order));
        let swizzled = orders().flat_map(|plain| swizzled(plain, choice, machine));
        for simple in orders().chain(swizzled) {
            let simple = through(placement(source, &simple)?)?;
            if let Some(trip) = simple.filter(|trip| trip.is(choice)) {
                return Ok(trip);
            }
        }
        let basis = if choice.store >= choice.load {
            construct(&store, &load, choice.store, choice.load, machine, total)
        } else {
            construct(&load, &store, choice.load, choice.store, machine, total)
        };
        let memory = placement(source, &basis)?;
        for cut in (0..=piece_bits).rev() {
            match Self::through(source, wanted, machine, memory.clone(), cut)? {
                Some(trip) if cut == piece_bits => return Ok(trip),
                Some(SharedRoundTrip { bytes, .. }) => {
                    let limit = limit.map_or(bytes, |limit| limit.0);
                    return Err(LayoutError::BufferTooSmall { bytes, limit });
                }
                None => {}
            }
        }
        Err(LayoutError::NotTensor)
    }

    /// Cycles lost to bank conflicts by one warp, for stores and loads.
    pub fn conflicts(&self) -> u64 {
        (self.store_cost + self.load_cost).conflicts()
    }

    /// Bank cycles of one warp, for stores and loads.
    pub fn cycles(&self) -> u64 {
        (self.store_cost + self.load_cost).cycles
    }

    /// The number of stores and loads of one thread.
    pub fn accesses(&self) -> u64 {
        let stores = self.store.in_size(Dim::Register) / self.store_vector.max(1);
        let loads = self.load.in_size(Dim::Register) / self.load_vector.max(1);
        u64::from(stores) + u64::from(loads)
    }

    fn is(&self, choice: Choice) -> bool {
        (self.cycles(), self.accesses()) == (choice.cycles, choice.accesses)
    }

    /// The round trip through this layout, if it can be split into `2^piece_bits` pieces.
    fn through(
        source: &LinearLayout,
        wanted: &LinearLayout,
        machine: Machine,
        memory: LinearLayout,
        piece_bits: u32,
    ) -> Result<Option<SharedRoundTrip>, LayoutError> {
        let total = source.total_out_bits();
        let (from, to) = (source.compose(&memory)?, wanted.compose(&memory)?);
        let stored = Side::new(Access::Store, &from, machine)?.cut(total, piece_bits);
        let loaded = Side::new(Access::Load, &to, machine)?.cut(total, piece_bits);
        let (Some(stored), Some(loaded)) = (stored, loaded) else {
            return Ok(None);
        };
        let held = Span::of(from.words(Dim::Register).iter().copied());
        let taken = Span::of(loaded.registers.iter().copied());
        Ok(Some(SharedRoundTrip {
            store_registers: RegisterMap::new(map(&held, &stored.registers), source.in_bits(Dim::Register)),
            load_registers: RegisterMap::new(
                map(&taken, to.words(Dim::Register)),
                loaded.registers.len() as u32,
            ),
            store_vector: 1 << stored.vector_bits,
            load_vector: 1 << loaded.vector_bits,
            store_cost: stored.cost,
            load_cost: loaded.cost,
            store: stored.layout(total)?,
            load: loaded.layout(total)?,
            pieces: 1 << piece_bits,
            bytes: 1 << (total + machine.element_bits - piece_bits),
            memory,
        }))
    }
}

/// The registers whose sum each vector is.
pub(super) fn map(registers: &Span, vectors: &[u64]) -> Vec<u32> {
    // A layout has at most 31 register bits.
    let sources = vectors
        .iter()
        .map(|vector| registers.solve(*vector).unwrap_or(0) as u32);
    sources.collect()
}

/// Stores or loads: registers in the order they are accessed in.
pub(super) struct Side {
    /// The offset of register 1, 2, 4, …
    registers: Vec<u64>,
    others: Vec<(Dim, Vec<u64>)>,
    vector_bits: u32,
    cost: BankCost,
}

impl Side {
    /// The accesses at these offsets with vectors of `vector` elements, or the cheapest ones, and the
    /// maximum vector length.
    ///
    /// # Errors
    /// The elements are too wide, or this vector length is not possible.
    pub(super) fn with_vector(
        access: Access,
        offsets: &LinearLayout,
        model: BankModel,
        element_bytes: u32,
        vector: Option<u32>,
    ) -> Result<(Side, u32), LayoutError> {
        let element_bits = model.width_bits(element_bytes)?;
        let machine = Machine { model, element_bits };
        let longest = Side::longest(offsets, machine);
        let lengths = match vector {
            None => 0..=longest,
            Some(vector) if vector.is_power_of_two() && vector.ilog2() <= longest => {
                vector.ilog2()..=vector.ilog2()
            }
            Some(vector) => {
                return Err(LayoutError::Parameter {
                    name: "vector",
                    value: u64::from(vector),
                    allowed: "the length of aligned runs of a thread's elements in the buffer",
                });
            }
        };
        let side = Side::cheapest(access, offsets, machine, lengths)?;
        Ok((side, 1 << longest))
    }

    /// The offset of register 1, 2, 4, …
    pub(super) fn registers(&self) -> &[u64] {
        &self.registers
    }

    /// Elements of one access.
    pub(super) fn vector(&self) -> u32 {
        1 << self.vector_bits
    }

    /// Cost of one warp's accesses.
    pub(super) fn cost(&self) -> BankCost {
        self.cost
    }

    /// The cheapest accesses at these offsets.
    fn new(access: Access, offsets: &LinearLayout, machine: Machine) -> Result<Side, LayoutError> {
        Side::cheapest(access, offsets, machine, 0..=Side::longest(offsets, machine))
    }

    /// The longest vector at these offsets, as a power of two.
    pub(super) fn longest(offsets: &LinearLayout, machine: Machine) -> u32 {
        let threads = offsets.grouped_words().into_iter();
        let threads = threads.filter(|(dim, _)| *dim != Dim::Register);
        let all = threads
            .flat_map(|(_, words)| words)
            .fold(0, |all, word| all | word);
        let known = span(offsets.words(Dim::Register).iter().copied());
        (0..machine.widest().min(all.trailing_zeros()))
            .take_while(|bit| known.solve(1 << bit).is_some())
            .count() as u32
    }

    /// The cheapest accesses at these offsets with one of these vector lengths.
    fn cheapest(
        access: Access,
        offsets: &LinearLayout,
        machine: Machine,
        lengths: std::ops::RangeInclusive<u32>,
    ) -> Result<Side, LayoutError> {
        let mut others = offsets.grouped_words();
        others.retain(|(dim, _)| *dim != Dim::Register);
        let threads = || others.iter().flat_map(|(_, words)| words).copied();
        let held = offsets.words(Dim::Register);
        let mut best: Option<Side> = None;
        for vector_bits in lengths {
            let mut registers: Vec<u64> = (0..vector_bits).map(|bit| 1 << bit).collect();
            let mut known = match access {
                Access::Load => span([]),
                Access::Store => span(threads()),
            };
            extend(&mut known, registers.iter().copied());
            let rest = extend(&mut known, held.iter().copied());
            registers.extend(rest.iter().map(|word| word & !((1 << vector_bits) - 1)));
            let model = machine.model;
            let once = model.one_access(
                access,
                offsets.words(Dim::Lane),
                vector_bits,
                machine.element_bits,
            )?;
            let cost = once.times(1 << (registers.len() as u32 - vector_bits));
            if best.as_ref().is_none_or(|best| cost.cycles <= best.cost.cycles) {
                best = Some(Side {
                    registers,
                    others: Vec::new(),
                    vector_bits,
                    cost,
                });
            }
        }
        best.map(|best| Side { others, ..best })
            .ok_or(LayoutError::NotTensor)
    }

    /// The same accesses, in an order such that the highest `piece_bits` bits of the register alone
    /// determine those of the offset; `None` if threads do, too.
    fn cut(mut self, total: u32, piece_bits: u32) -> Option<Side> {
        let low = total.checked_sub(piece_bits)?;
        if self
            .others
            .iter()
            .flat_map(|(_, words)| words)
            .any(|word| word >> low != 0)
        {
            return None;
        }
        for (done, bit) in (low..total).enumerate() {
            // Past the registers of a vector, before those with a bit of their own.
            let free = self.vector_bits as usize..self.registers.len().checked_sub(done)?;
            let mut free = self.registers.get(free)?.iter();
            let index = free.position(|word| word >> bit & 1 == 1)? + self.vector_bits as usize;
            let pivot = self.registers.remove(index);
            for word in self.registers.iter_mut().filter(|word| **word >> bit & 1 == 1) {
                *word ^= pivot;
            }
            self.registers.push(pivot);
        }
        Some(self)
    }

    pub(super) fn layout(self, total: u32) -> Result<LinearLayout, LayoutError> {
        let mut ins = self.others;
        ins.push((Dim::Register, self.registers));
        LinearLayout::from_words(ins, &[(Dim::Offset, 1 << total)])
    }
}

/// The orders of axes, slowest first, that make one axis the fastest and leave the others row major.
fn row_major_orders(rank: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..rank.max(1)).rev().map(move |fastest| {
        let mut order: Vec<usize> = (0..rank).filter(|axis| *axis != fastest).collect();
        order.extend((fastest < rank).then_some(fastest));
        order
    })
}

/// The element at each power of two of the offset in a buffer with these axes, slowest first.
pub(super) fn row_major(tensor: &LinearLayout, order: &[usize]) -> Vec<u64> {
    let shape = tensor.shape();
    let bits = |axis: usize| shape.get(axis).map_or(0, |size| size.ilog2());
    let low = |axis: usize| (axis + 1..shape.len()).map(bits).sum::<u32>();
    let axes = order.iter().rev();
    axes.flat_map(|&axis| (low(axis)..low(axis) + bits(axis)).map(|bit| 1 << bit))
        .collect()
}

/// Layouts in which whole vectors are permuted within each row of the banks by the bits of the offset
/// above the row (exclusive or), including the hardware's swizzles.
fn swizzled(plain: Vec<u64>, choice: Choice, machine: Machine) -> impl Iterator<Item = Vec<u64>> {
    let (to, row) = (choice.store.max(choice.load) as usize, machine.row() as usize);
    let bits = row.saturating_sub(to);
    let from = row..(plain.len() + 1).saturating_sub(bits);
    from.map(move |from| {
        let mut basis = plain.clone();
        for (vector, added) in basis.iter_mut().skip(from).zip(plain.iter().skip(to)).take(bits) {
            *vector ^= added;
        }
        basis
    })
}

/// Checks that blocks are independent: equal block parts, and within a block the source contains all
/// wanted elements.
pub(super) fn check_blocks(source: &LinearLayout, wanted: &LinearLayout) -> Result<(), LayoutError> {
    let axes: Vec<Dim> = source.out_dims().map(|(dim, _)| dim).collect();
    let block = |layout: &LinearLayout| layout.sublayout(&[Dim::Block], &axes);
    if !block(source).equal_up_to_registers(&block(wanted)) {
        return Err(LayoutError::CrossesBlocks);
    }
    let within = |layout: &LinearLayout| layout.sublayout(&[Dim::Register, Dim::Lane, Dim::Warp], &axes);
    within(wanted).invert_and_compose(&within(source)).map(|_| ())
}
