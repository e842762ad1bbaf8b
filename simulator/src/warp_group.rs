//! The state of the matrix products of a warp group, and of the registers that they use.

use crate::fault::FaultKind;
use crate::program::Program;
use std::collections::VecDeque;

/// Warps of a warp group.
pub(crate) const WARPS: usize = 4;

/// A product that the first of the warps has issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    /// The instruction.
    pub(crate) step: u32,
    /// The descriptors of A, if it has one, and of B.
    pub(crate) descriptors: [Option<u64>; 2],
    pub(crate) accumulates: bool,
}

/// The products of a warp group.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarpGroup {
    pub(crate) issued: Vec<Issued>,
    /// How many of these are complete.
    pub(crate) complete: usize,
    /// How many each warp has issued.
    pub(crate) by_warp: [usize; WARPS],
    /// How many each warp had issued at each of its commits.
    pub(crate) commits: [Vec<usize>; WARPS],
}

impl WarpGroup {
    /// The warps that have committed the first `count` products.
    pub(crate) fn committed(&self, count: usize) -> usize {
        let commits = self
            .commits
            .iter()
            .map(|commits| commits.last().copied().unwrap_or(0));
        commits.filter(|committed| *committed >= count).count()
    }

    /// Whether there are products that nobody has waited for.
    pub(crate) fn is_busy(&self) -> bool {
        self.complete < self.issued.len()
    }
}

/// What products do with a register of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    /// Whether an ordinary instruction has accessed it since the last `wgmma.fence`.
    accessed: bool,
    /// Pending products that read it as part of A.
    reads: u32,
    /// Pending products that accumulate in it.
    accumulates: u32,
    /// The first register of their D, and its length.
    accumulator: (u32, u32),
}

/// The registers of a warp that products use.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupRegisters {
    uses: Vec<Use>,
    fenced: bool,
    /// The registers of D and A of each pending product.
    pub(crate) pending: VecDeque<[Vec<u32>; 2]>,
}

fn pending(program: &Program, slot: u32, by_product: bool) -> FaultKind {
    FaultKind::PendingRegister {
        register: program.register_name(slot),
        by_product,
    }
}

impl GroupRegisters {
    pub(crate) fn reset(&mut self, slots: usize) {
        self.uses.clear();
        self.uses.resize(slots, Use::default());
        self.fenced = false;
        self.pending.clear();
    }

    /// An ordinary instruction accesses registers.
    pub(crate) fn access(&mut self, program: &Program, slots: &[u32]) -> Result<(), FaultKind> {
        for slot in slots {
            let Some(state) = self.uses.get_mut(*slot as usize) else {
                continue;
            };
            if state.reads + state.accumulates > 0 {
                return Err(pending(program, *slot, false));
            }
            state.accessed = true;
        }
        Ok(())
    }

    pub(crate) fn fence(&mut self) {
        self.fenced = true;
        for state in &mut self.uses {
            state.accessed = false;
        }
    }

    /// A product begins to use registers.
    pub(crate) fn begin(&mut self, program: &Program, [d, a]: [Vec<u32>; 2]) -> Result<(), FaultKind> {
        for slot in d.iter().chain(&a) {
            if !self.fenced || self.uses[*slot as usize].accessed {
                return Err(pending(program, *slot, true));
            }
        }
        for slot in &a {
            let state = &mut self.uses[*slot as usize];
            if state.accumulates > 0 {
                return Err(pending(program, *slot, false));
            }
            state.reads += 1;
        }
        // Products of one shape into the same registers are in order.
        let accumulator = (d.first().copied().unwrap_or(0), d.len() as u32);
        for slot in &d {
            let state = &mut self.uses[*slot as usize];
            if state.reads > 0 || (state.accumulates > 0 && state.accumulator != accumulator) {
                return Err(pending(program, *slot, false));
            }
            state.accumulates += 1;
            state.accumulator = accumulator;
        }
        self.pending.push_back([d, a]);
        Ok(())
    }

    /// The oldest pending product is complete.
    pub(crate) fn finish(&mut self) {
        let [d, a] = self.pending.pop_front().unwrap_or_default();
        for slot in d {
            self.uses[slot as usize].accumulates -= 1;
        }
        for slot in a {
            self.uses[slot as usize].reads -= 1;
        }
    }
}
