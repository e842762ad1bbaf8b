//! Whether what products need has room: their sums in registers, their operands in shared memory.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, OpId, Operation};
use tilewright_irs::machine::{Machine, threads};
use tilewright_irs::tileaa::{TileAaDialect, TileAaOp};
use tilewright_irs::tileas::Buffer;

use super::{ACCUMULATOR_REGISTERS, Chooser, Chosen, LEAST_STAGES, Loads, Products};
use crate::tileaa::reason::Reason;

/// 32-bit registers of a thread for accumulators and the sum of one product beside its accumulator, which lives as long as the
/// product takes.
pub(super) const SUM_REGISTERS: u64 = 192;

impl Chooser<'_> {
    /// 32-bit registers of all threads for the accumulators of the products of a block, and for those and the sum of one product
    /// beside them: the products that its operands are computed from are complete then.
    fn registers_at(&self, id: OpId, products: &Products) -> (u64, u64) {
        let block = self.places.block(id);
        let of_block = || {
            let others = products
                .iter()
                .filter(|(other, _)| self.places.block(**other) == block);
            others.filter_map(|(other, chosen)| Some((*other, chosen.as_ref().ok()?)))
        };
        let all: u64 = of_block().map(|(_, chosen)| chosen.registers).sum();
        let Some(Ok(chosen)) = products.get(&id) else {
            return (all, 0);
        };
        let needed = self.needed_by(id);
        let is_live = |&(other, _): &(OpId, &Chosen)| other == id || !needed.contains(&other);
        let live: u64 = of_block()
            .filter(is_live)
            .map(|(_, chosen)| chosen.registers)
            .sum();
        (all, if chosen.own > 0 { live + chosen.own } else { 0 })
    }

    /// The ops of its block from which the operands of a product are computed.
    fn needed_by(&self, id: OpId) -> FxHashSet<OpId> {
        let block = self.places.block(id);
        let mut needed = FxHashSet::default();
        let mut open = match self.op(id) {
            TileAaOp::TileAa(TileAaDialect::Dot { a, b, .. }) => vec![*a, *b],
            _ => Vec::new(),
        };
        while let Some(value) = open.pop() {
            if let Some(id) = self.places.definition(value)
                && self.places.block(id) == block
                && needed.insert(id)
            {
                open.extend(self.op(id).operand_list());
            }
        }
        needed
    }

    /// Checks that the accumulators fit into registers and two stages of each buffer into shared memory. Those of loops that
    /// follow each other take the same registers, and the same memory for stages of the same types.
    pub(super) fn fits(&self, loads: &Loads, products: &Products) -> Result<(), Reason> {
        let threads = u64::from(threads(self.warps));
        let registers = products.keys().map(|&id| self.registers_at(id, products));
        let (all, with_sums): (Vec<u64>, Vec<u64>) = registers.unzip();
        let mut stages: FxHashMap<Option<Block>, Vec<&Buffer>> = FxHashMap::default();
        let going = loads.iter().filter(|(_, chosen)| chosen.is_ok());
        let mut ids: Vec<OpId> = going.map(|(&id, _)| id).collect();
        ids.sort_unstable();
        for id in ids {
            let buffers = stages.entry(self.places.block(id)).or_default();
            buffers.extend(loads.get(&id).into_iter().flatten().map(|(_, buffer)| buffer));
        }
        let mut different: Vec<Vec<&Buffer>> = Vec::new();
        for stage in stages.into_values() {
            if !different.contains(&stage) {
                different.push(stage);
            }
        }
        let bytes: u64 = different.iter().flatten().map(|buffer| buffer.bytes()).sum();
        let mut stored: FxHashMap<Option<Block>, u64> = FxHashMap::default();
        for (id, chosen) in products {
            *stored.entry(self.places.block(*id)).or_default() +=
                chosen.as_ref().map_or(0, |chosen| chosen.stored);
        }
        let stored = stored.into_values().max().unwrap_or(0);
        let limit = Machine::of(self.func.attrs.target).multiprocessor.shared_static;
        for (needed, most) in [(all, ACCUMULATOR_REGISTERS), (with_sums, SUM_REGISTERS)] {
            let needed = needed.into_iter().max().unwrap_or(0) / threads;
            if needed > most {
                return Err(Reason::Registers { needed, most });
            }
        }
        match LEAST_STAGES * bytes + stored {
            needed if needed > limit.0 => Err(Reason::SharedMemory {
                stages: LEAST_STAGES,
                needed,
                most: limit.0,
            }),
            _ => Ok(()),
        }
    }
}
