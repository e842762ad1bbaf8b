//! `wgmma`: the asynchronous matrix products of warp groups.
//!
//! (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".) The results are computed when a
//! warp issues the product, since until the wait for it nobody may write what it reads, nor access its registers. It is
//! complete at the first wait for it by one of the four warps, all of which must have committed it.

use crate::block::{Block, Stop};
use crate::execute::write;
use crate::fault::FaultKind;
use crate::holds::{Hold, Holder};
use crate::matrix::{CHUNK, Contiguous, Descriptor, ROWS};
use crate::program::{GroupInstruction, GroupOperand, Source};
use crate::row::Row;
use crate::warp::{Blocked, Warp};
use crate::warp_group::{Issued, WARPS};

fn misuse(reason: String) -> FaultKind {
    FaultKind::WarpGroupMisuse { reason }
}

impl Block<'_> {
    /// Requires that a whole warp of a whole warp group executes this.
    fn whole_group(&self, warp: &Warp, active: u32) -> Result<(), Stop> {
        Self::whole_warp(warp, active)?;
        if warp.index / WARPS * WARPS + WARPS > self.parties.warps {
            let reason = format!("warp {} is in no group of four warps", warp.index);
            return Err(misuse(reason).into());
        }
        Ok(())
    }

    pub(crate) fn group_fence(&mut self, warp: &mut Warp, active: u32) -> Result<(), Stop> {
        self.whole_group(warp, active)?;
        if let Some(products) = &mut warp.products {
            products.fence();
        }
        Ok(())
    }

    pub(crate) fn group_commit(&mut self, warp: &Warp, active: u32) -> Result<(), Stop> {
        self.whole_group(warp, active)?;
        let group = &mut self.here.groups[warp.index / WARPS];
        let at = warp.index % WARPS;
        group.commits[at].push(group.by_warp[at]);
        self.wakes = true;
        Ok(())
    }

    /// Waits until at most `left` of the warp's groups of products are pending.
    pub(crate) fn group_wait(&mut self, warp: &mut Warp, left: usize, active: u32) -> Result<(), Stop> {
        self.whole_group(warp, active)?;
        let number = warp.index / WARPS;
        let group = &mut self.here.groups[number];
        let commits = &group.commits[warp.index % WARPS];
        let Some(last) = commits.len().checked_sub(left + 1) else {
            return Ok(());
        };
        let count = commits[last];
        let committed = group.committed(count);
        if committed < WARPS {
            return Err(Stop::Block(Blocked::Products {
                committed: committed as u32,
            }));
        }
        let clock = &mut self.clocks[usize::from(warp.party)];
        let reader = self.parties.products(self.here.rank, number);
        while group.complete < count {
            group.complete += 1;
            let id = (u64::from(reader) << 32) + group.complete as u64;
            self.here
                .shared
                .release(id, (reader, group.complete as u32), clock);
        }
        clock.learn(reader, count as u32);
        if let Some(products) = &mut warp.products {
            let finished = group.by_warp[warp.index % WARPS] - products.pending.len();
            (finished..count).for_each(|_| products.finish());
        }
        Ok(())
    }

    /// Issues a product.
    pub(crate) fn group_product(
        &mut self,
        warp: &mut Warp,
        step: u32,
        instruction: &GroupInstruction,
        active: u32,
    ) -> Result<(), Stop> {
        self.whole_group(warp, active)?;
        let GroupInstruction {
            product,
            d,
            a,
            b: (b, b_major),
            accumulate,
        } = instruction;
        let accumulates = crate::block::read_bit(warp, accumulate.slot, accumulate.negated, active)?;
        if accumulates != 0 && accumulates != active {
            return Err(misuse("the lanes do not agree whether to accumulate".to_owned()).into());
        }
        let accumulates = accumulates != 0;
        let slots: Vec<u32> = d.iter().map(|d| d.slot).collect();
        let a_slots = match a {
            GroupOperand::Shared(..) => Vec::new(),
            GroupOperand::Registers(sources) => slots_of(sources),
        };
        if let Some(products) = &mut warp.products {
            products.begin(self.program, [slots, a_slots])?;
        }
        let a_word = match a {
            GroupOperand::Shared(word, _) => Some(self.same_descriptor(warp, *word, active)?),
            GroupOperand::Registers(_) => None,
        };
        let b_word = self.same_descriptor(warp, *b, active)?;
        let issued = Issued {
            step,
            descriptors: [a_word, Some(b_word)],
            accumulates,
        };
        let decode = |word: u64| {
            Descriptor::decode(word).ok_or_else(|| {
                misuse(format!(
                    "{word:#x} is no matrix descriptor: a bit outside its fields is set"
                ))
            })
        };
        let first = warp.index % WARPS * ROWS;
        let right = operand(
            &decode(b_word)?,
            *b_major,
            product.b.bits(),
            0..product.n,
            product.k,
        );
        let left = match (a, a_word) {
            (GroupOperand::Shared(_, major), Some(word)) => {
                let descriptor = decode(word)?;
                let all = operand(&descriptor, *major, product.a.bits(), 0..WARPS * ROWS, product.k);
                self.begin_product(warp, issued, [&all, &right])?;
                let own = operand(
                    &descriptor,
                    *major,
                    product.a.bits(),
                    first..first + ROWS,
                    product.k,
                );
                self.read_operand(warp, &own, product.a.bits(), (ROWS, product.k))?
            }
            (GroupOperand::Registers(sources), _) => {
                self.begin_product(warp, issued, [&Chunks::default(), &right])?;
                product.gather(&self.read_rows(warp, sources, active)?)
            }
            (GroupOperand::Shared(..), None) => Vec::new(),
        };
        let right = self.read_operand(warp, &right, product.b.bits(), (product.n, product.k))?;
        let sources: Vec<Source> = d.iter().map(|d| Source::Slot(d.slot)).collect();
        let addend: Option<Vec<Row>> = accumulates
            .then(|| self.read_rows(warp, &sources, active))
            .transpose()?;
        let rows = product.compute(&left, &right, addend.as_deref());
        for (d, row) in d.iter().zip(&rows) {
            write(warp, *d, active, |lane| row[lane]);
        }
        Ok(())
    }

    /// A descriptor, which must be the same in all lanes.
    fn same_descriptor(&self, warp: &Warp, source: Source, active: u32) -> Result<u64, Stop> {
        let row = self.read_row(warp, source, active)?;
        if row.iter().any(|word| *word != row[0]) {
            return Err(misuse("the lanes have different matrix descriptors".to_owned()).into());
        }
        Ok(row[0])
    }

    /// A warp issues its next product: the first of the four begins to read the operands, and the others must issue the
    /// same.
    fn begin_product(
        &mut self,
        warp: &Warp,
        issued: Issued,
        operands: [&Chunks; 2],
    ) -> Result<(), FaultKind> {
        let number = warp.index / WARPS;
        let group = &mut self.here.groups[number];
        let index = group.by_warp[warp.index % WARPS];
        group.by_warp[warp.index % WARPS] += 1;
        if let Some(first) = group.issued.get(index) {
            if *first == issued {
                return Ok(());
            }
            let reason = format!("the warps of warp group {number} issue different matrix products");
            return Err(misuse(reason));
        }
        group.issued.push(issued);
        let shared = &mut self.here.shared;
        let mut ranges = Vec::new();
        for address in operands.iter().flat_map(|chunks| &chunks.0) {
            ranges.push(shared.range(address.at, CHUNK)?);
        }
        let reader = self.parties.products(self.here.rank, number);
        let by = Holder::Product { group: number as u32 };
        let id = (u64::from(reader) << 32) + index as u64 + 1;
        shared.hold(id, Hold { by, ranges });
        Ok(())
    }

    /// The bits of an operand's elements, one row or column after the other.
    fn read_operand(
        &self,
        warp: &Warp,
        chunks: &Chunks,
        bits: u32,
        (outer, k): (usize, usize),
    ) -> Result<Vec<u64>, FaultKind> {
        let who = (warp.party, &self.clocks[usize::from(warp.party)]);
        let mut elements = vec![0; outer * k];
        for chunk in &chunks.0 {
            let bytes = self.here.shared.read_async(who, chunk.at, CHUNK)?;
            for element in 0..(CHUNK * 8) as usize / bits as usize {
                let bit = element * bits as usize;
                let width = (bits as usize).div_ceil(8);
                let word = crate::memory::little_endian(&bytes[bit / 8..bit / 8 + width]);
                let place = chunk.first + element * chunk.step;
                if let Some(slot) = elements.get_mut(place) {
                    *slot = word >> (bit % 8) & ((1 << bits) - 1);
                }
            }
        }
        Ok(elements)
    }
}

fn slots_of(sources: &[Source]) -> Vec<u32> {
    let slot = |source: &Source| match source {
        Source::Slot(slot) => Some(*slot),
        Source::Constant(_) => None,
    };
    sources.iter().filter_map(slot).collect()
}

/// The chunks of an operand.
#[derive(Clone, Debug, Default)]
struct Chunks(Vec<Chunk>);

/// A chunk: its address, the place of its first element among all, and the distance to the next.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    at: u64,
    first: usize,
    step: usize,
}

/// The chunks of some rows of A, or columns of B.
fn operand(
    descriptor: &Descriptor,
    major: Contiguous,
    bits: u32,
    outer: std::ops::Range<usize>,
    k: usize,
) -> Chunks {
    let packed = (CHUNK * 8) as usize / bits as usize;
    let begin = outer.start;
    let chunks = match major {
        Contiguous::K => outer
            .flat_map(|row| (0..k / packed).map(move |chunk| (row, chunk)))
            .map(|(row, chunk)| Chunk {
                at: descriptor.chunk(major, row as u64, chunk as u64),
                first: (row - begin) * k + chunk * packed,
                step: 1,
            })
            .collect(),
        Contiguous::Outer => (0..k)
            .flat_map(|k| (outer.start / packed..outer.end / packed).map(move |chunk| (chunk, k)))
            .map(|(chunk, at)| Chunk {
                at: descriptor.chunk(major, chunk as u64, at as u64),
                first: (chunk * packed - begin) * k + at,
                step: k,
            })
            .collect(),
    };
    Chunks(chunks)
}
