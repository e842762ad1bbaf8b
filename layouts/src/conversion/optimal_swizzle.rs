//! The optimal shared-memory layout of a tile for a given store and load.
//!
//! A layout is a basis `m_0, m_1, …` of the space of elements, where `m_i` is the element at offset
//! `2^i`. The cost depends on few of its properties. Let `R` be the span of the registers of a thread
//! and `D` that of all other hardware bits (lanes, warps, blocks), for the store and for the load.
//!
//! **Vectors.** Accesses of `2^v` elements require `m_i` in `R` for `i < v`, and that the offset bits
//! below `v` vanish on `D`, so that a thread's address is aligned. Such `m_i` are independent modulo
//! `D`, and conversely any `m_i` in `R` independent modulo `D` can be completed to a basis. Store and
//! load share the offsets, so the shorter of their two vectors must be in the registers of both,
//! independent modulo the sum of both `D`.
//!
//! **Banks.** Let `S` be the subspace spanned by the basis vectors of the offset bits above a row of
//! all banks. An access has conflicts if the span `P` of the lanes of one phase and of the vector (or
//! of the word if that is longer) intersects `S`: each dimension of the intersection doubles the
//! cycles ([`layout_cost`](crate::bank::layout_cost)). A phase accesses no more words than there are
//! banks, so `S` is small enough to intersect the `P` of one access trivially, and over any field two
//! subspaces have a common complement within each other's codimension. The only obstacle is
//! alignment: the offset bits of the longer vector beyond both a word and the shorter vector must
//! vanish on the `D` of the one access, and therefore each of them that the *other* access does not
//! have in the lanes of its phase (modulo that `D`) costs the other access a factor of two.
//!
//! So the minimum cost for every pair of vector lengths is determined by ranks ([`choose`]), and the
//! proof is a construction ([`construct`]): a basis of the whole space adapted to both phases, whose
//! `S` takes vectors outside of both phases first, then sums of one vector of each, then vectors of
//! the phase where conflicts are unavoidable. The vectorisation, the bank and the segment bits and
//! the sums are those of arXiv 2505.23819, §5.4 and its appendix; the paper fixes the vectors first
//! and compares bases as sets, while here spans are compared and every pair of lengths is considered.
//!
//! Proven: for layouts that contain the whole tensor, no linear layout and no numbering of registers
//! takes fewer cycles, and none with the same number of cycles takes fewer accesses. This is also
//! checked by exhaustion over all layouts of 16 elements on small machines
//! (`tests/conversion_minimal.rs`). For a target layout that leaves out elements the result is
//! correct, but may not be optimal.

use super::subspace::{Split, extend, intersection, span};
use crate::bank::{Access, BankModel};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// One side of a round trip: the columns of a layout, by their use.
pub(super) struct Holder {
    access: Access,
    registers: Vec<u64>,
    lanes: Vec<u64>,
    /// All columns but those of registers.
    threads: Vec<u64>,
}

impl Holder {
    pub(super) fn new(access: Access, layout: &LinearLayout) -> Holder {
        let others = layout.grouped_words().into_iter();
        Holder {
            access,
            registers: layout.words(Dim::Register).to_vec(),
            lanes: layout.words(Dim::Lane).to_vec(),
            threads: others
                .filter(|(dim, _)| *dim != Dim::Register)
                .flat_map(|(_, words)| words)
                .collect(),
        }
    }

    /// The number of accessed registers, as a power of two: a load fills all registers, a store
    /// leaves out those that other threads store.
    pub(super) fn kept_bits(&self) -> u32 {
        let mut known = match self.access {
            Access::Load => span([]),
            Access::Store => span(self.threads.iter().copied()),
        };
        extend(&mut known, self.registers.iter().copied()).len() as u32
    }

    /// The maximum number of consecutive elements in a thread, as a power of two.
    fn vector_bits(&self) -> u32 {
        let mut known = span(self.threads.iter().copied());
        extend(&mut known, self.registers.iter().copied()).len() as u32
    }

    /// Lanes of a phase and number of phases, as powers of two, for vectors of `2^vector_bits`.
    pub(super) fn phases(&self, machine: Machine, vector_bits: u32) -> (u32, u32) {
        let lane = |bit: usize| self.lanes.get(bit).copied().unwrap_or(0);
        let paired =
            machine.model.lane_bits > 0 && lane(0) == 0 || machine.model.lane_bits > 1 && lane(1) == 0;
        let width_bits = vector_bits + machine.element_bits;
        machine.model.phases(self.access, width_bits, paired)
    }

    pub(super) fn phase_lanes(&self, machine: Machine, vector_bits: u32) -> &[u64] {
        let bits = self.phases(machine, vector_bits).0 as usize;
        self.lanes.get(..bits).unwrap_or(&self.lanes)
    }

    /// The lanes of a phase of `narrow` that are registers here: for independent lanes modulo the own
    /// threads, the registers that differ from them by a thread.
    fn registers_in_lanes(&self, narrow: &[u64]) -> Vec<u64> {
        let own = self.threads.len();
        let all = crate::span::Span::of(self.threads.iter().chain(&self.registers).copied());
        let mut known = span(self.threads.iter().copied());
        let fresh = extend(&mut known, narrow.iter().copied()).into_iter();
        let register = |lane: u64| {
            let combination = all.solve(lane)?;
            Some(crate::span::multiply(&self.registers, combination >> own))
        };
        fresh.filter_map(register).collect()
    }
}

/// The machine and the width of an element, as a power of two of bytes.
#[derive(Clone, Copy)]
pub(super) struct Machine {
    pub(super) model: BankModel,
    pub(super) element_bits: u32,
}

impl Machine {
    /// Elements of a word, as a power of two.
    pub(super) fn word(self) -> u32 {
        self.model.word_bits.saturating_sub(self.element_bits)
    }

    /// Elements of a row of all banks, as a power of two.
    pub(super) fn row(self) -> u32 {
        (self.model.word_bits + self.model.bank_bits).saturating_sub(self.element_bits)
    }

    /// Elements of the widest access, as a power of two.
    pub(super) fn widest(self) -> u32 {
        self.model.access_bits.saturating_sub(self.element_bits)
    }
}

/// Vector lengths of the store and of the load as powers of two, and their combined cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) store: u32,
    pub(super) load: u32,
    pub(super) cycles: u64,
    pub(super) accesses: u64,
}

/// The vector lengths of minimum cycles, and of minimum accesses among those, for `2^total` elements;
/// of equal ones those of the widest stores.
pub(super) fn choose(store: &Holder, load: &Holder, machine: Machine, total: u32) -> Choice {
    let common = shared_registers(load, store).len() as u32;
    let most = |holder: &Holder| machine.widest().min(holder.vector_bits());
    let (most_store, most_load) = (most(store), most(load));
    let (kept_store, kept_load) = (store.kept_bits(), load.kept_bits());
    let mut best: Option<Choice> = None;
    for store_bits in 0..=most_store {
        for load_bits in 0..=most_load {
            if store_bits.min(load_bits) > common {
                continue;
            }
            let (store_factor, load_factor) = if store_bits >= load_bits {
                (
                    0,
                    conflict_bits(store, load, store_bits, load_bits, machine, total),
                )
            } else {
                (
                    conflict_bits(load, store, load_bits, store_bits, machine, total),
                    0,
                )
            };
            let (store_accesses, load_accesses) = (kept_store - store_bits, kept_load - load_bits);
            let store_cycles = store_accesses + store.phases(machine, store_bits).1 + store_factor;
            let load_cycles = load_accesses + load.phases(machine, load_bits).1 + load_factor;
            let choice = Choice {
                store: store_bits,
                load: load_bits,
                cycles: (1 << store_cycles) + (1 << load_cycles),
                accesses: (1 << store_accesses) + (1 << load_accesses),
            };
            let key = |choice: &Choice| (choice.cycles, choice.accesses);
            if best.as_ref().is_none_or(|best| key(&choice) <= key(best)) {
                best = Some(choice);
            }
        }
    }
    best.unwrap_or(Choice {
        store: 0,
        load: 0,
        cycles: 0,
        accesses: 0,
    })
}

/// Registers of both sides that are independent of the threads of both.
fn shared_registers(narrow: &Holder, wide: &Holder) -> Vec<u64> {
    let mut threads = span(wide.threads.iter().chain(&narrow.threads).copied());
    extend(&mut threads, intersection(&wide.registers, &narrow.registers))
}

/// The logarithm of the factor by which the longer vectors of `wide` slow down `narrow`.
fn conflict_bits(
    wide: &Holder,
    narrow: &Holder,
    wide_bits: u32,
    narrow_bits: u32,
    machine: Machine,
    total: u32,
) -> u32 {
    if wide_bits <= machine.word() || total <= machine.row() {
        return 0;
    }
    let lanes = narrow.phase_lanes(machine, narrow_bits);
    let past_word = wide_bits - narrow_bits.max(machine.word());
    let absorbed = past_word.min(wide.registers_in_lanes(lanes).len() as u32);
    let room = machine.row().saturating_sub(wide_bits);
    (span(lanes.iter().copied()).rank() as u32).saturating_sub(absorbed + room)
}

/// A layout of `2^total` elements with the cost computed by [`choose`], for vectors of `2^wide_bits
/// >= 2^narrow_bits` elements: the elements at offsets 1, 2, 4, …
pub(super) fn construct(
    wide: &Holder,
    narrow: &Holder,
    wide_bits: u32,
    narrow_bits: u32,
    machine: Machine,
    total: u32,
) -> Vec<u64> {
    let units = || (0..total).map(|bit| 1u64 << bit);
    let (word, row) = (machine.word().min(total), machine.row().min(total));
    let (long, short) = (wide_bits as usize, narrow_bits as usize);
    let both_threads = || wide.threads.iter().chain(&narrow.threads).copied();

    // The common vector, and a complement of it that contains all threads.
    let mut vector = shared_registers(narrow, wide);
    vector.truncate(short);
    let mut aligned = extend(&mut span([]), both_threads());
    let mut known = span(aligned.iter().chain(&vector).copied());
    let registers = wide.registers.iter().chain(&narrow.registers).copied();
    aligned.extend(extend(&mut known, registers.chain(units())));

    // The rest of the long vector: past the word, first elements of the other side's lanes.
    let mut past_word = Vec::new();
    if wide_bits > machine.word() {
        past_word = wide.registers_in_lanes(narrow.phase_lanes(machine, narrow_bits));
        past_word.truncate(long - short.max(word as usize));
    }
    let split = Split::new(&vector, &aligned);
    let candidates: Vec<u64> = wide.registers.iter().map(|r| split.second_part(*r)).collect();
    let mut known = span(wide.threads.iter().chain(&vector).chain(&past_word).copied());
    let mut rest = extend(&mut known, candidates);
    rest.truncate(long.saturating_sub(short + past_word.len()));
    vector.extend(rest);
    vector.extend(past_word);

    // A complement of the long vector that contains the threads of its side; everything else is
    // chosen there.
    let mut above = extend(&mut span([]), wide.threads.iter().copied());
    let mut known = span(vector.iter().chain(&above).copied());
    above.extend(extend(&mut known, aligned));
    let split = Split::new(&vector, &above);
    let project = |vectors: &[u64]| -> Vec<u64> { vectors.iter().map(|v| split.second_part(*v)).collect() };
    let narrow_lanes = project(&narrow.lanes);
    let lanes = || wide.lanes.iter().chain(&narrow_lanes).copied();

    // The part of a word that the vector does not fill.
    let mut filler = extend(&mut span([]), lanes().chain(above.iter().copied()));
    filler.truncate((word as usize).saturating_sub(vector.len()));

    // The elements of one phase of each side, in that complement.
    let phase = wide.phase_lanes(machine, wide_bits);
    let mut wide_phase = extend(&mut span([]), phase.iter().chain(&filler).copied());
    let mut narrow_phase = narrow.phase_lanes(machine, narrow_bits).to_vec();
    let own = vector.iter().chain(&filler).take(short.max(word as usize));
    narrow_phase.extend(own);
    let narrow_phase = intersection(&narrow_phase, &above);
    let in_both = intersection(&wide_phase, &narrow_phase);
    let mut known = span(in_both.iter().copied());
    wide_phase = extend(&mut known.clone(), wide_phase);
    let narrow_phase = extend(&mut known, narrow_phase);

    // Registers of both sides go last, where they are constant address offsets.
    let mut known = span(both_threads().chain(vector.iter().chain(&filler).copied()));
    let registers = intersection(&wide.registers, &narrow.registers).into_iter();
    let registers = registers.chain(wide.registers.iter().copied()).chain(units());
    let last = project(&extend(&mut known, registers));

    // Bits above the banks: outside of both phases, then sums of both, then of the one with
    // unavoidable conflicts.
    let above_row = ((total - row) as usize).saturating_sub(last.len());
    let phases = || in_both.iter().chain(&wide_phase).chain(&narrow_phase).copied();
    let mut known = span(phases().chain(last.iter().copied()));
    let threads: Vec<u64> = both_threads().map(|v| split.second_part(v)).collect();
    let mut segments = extend(&mut known, threads.iter().copied());
    segments.extend(narrow_phase.iter().zip(&wide_phase).map(|(a, b)| a ^ b));
    segments.extend(narrow_phase.iter().skip(wide_phase.len()));
    segments.truncate(above_row);

    // All others are banks.
    let mut basis = vector;
    basis.extend(filler);
    let mut known = span(basis.iter().chain(&segments).chain(&last).copied());
    let rest = lanes().chain(threads.iter().copied()).chain(units());
    basis.extend(extend(&mut known, rest));
    basis.extend(segments);
    basis.extend(last);
    basis
}

/// The map from the axes of `tensor` to the offsets of a layout.
///
/// # Errors
/// More elements than one dimension can number.
pub(super) fn placement(tensor: &LinearLayout, basis: &[u64]) -> Result<LinearLayout, LayoutError> {
    let offsets = crate::span::Span::of(basis.iter().copied());
    let mut low = tensor.total_out_bits();
    let mut ins = Vec::new();
    for (dim, size) in tensor.out_dims() {
        low -= size.ilog2();
        let bits = low..low + size.ilog2();
        ins.push((dim, bits.map(|bit| offsets.project(1 << bit)).collect()));
    }
    LinearLayout::from_words(ins, &[(Dim::Offset, 1 << basis.len())])
}
