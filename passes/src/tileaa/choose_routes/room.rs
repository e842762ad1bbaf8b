//! Whether what products need has room: their sums in registers, their operands in shared memory.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, OpId, Operation};
use tilewright_irs::machine::{Machine, threads};
use tilewright_irs::tileaa::{TileAaDialect, TileAaOp};
use tilewright_irs::tileas::Buffer;

use super::{ACCUMULATOR_REGISTERS, Chooser, Chosen, Loads, Products};
use crate::tileaa::reason::Reason;

/// Bytes of shared memory for what is not counted: exchanges between threads, barriers and maps.
const OTHER_BYTES: u64 = 32 << 10;

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

    /// Checks that the accumulators fit into registers and `least` stages of each buffer into shared memory, or one less, beside
    /// [`OTHER_BYTES`], where a loop has several products of different tiles: the copies for one are under way during the others. The
    /// accumulators of loops that follow each other take the same registers, and their stages, if they have the same types, the
    /// same memory.
    pub(super) fn fits(&self, loads: &Loads, products: &Products, least: u64) -> Result<(), Reason> {
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
        // Bytes with as few stages as possible, and with all of each buffer.
        let (mut fewest, mut most) = (0, 0);
        let mut different: Vec<Vec<&Buffer>> = Vec::new();
        for (block, stage) in stages {
            if !different.contains(&stage) {
                let each: u64 = stage.iter().map(|buffer| buffer.bytes()).sum();
                let takes_turns = self.takes_turns(block, loads, products);
                fewest += each * (least - u64::from(takes_turns));
                most += each * least;
                different.push(stage);
            }
        }
        let mut stored: FxHashMap<Option<Block>, u64> = FxHashMap::default();
        for (id, chosen) in products {
            *stored.entry(self.places.block(*id)).or_default() +=
                chosen.as_ref().map_or(0, |chosen| chosen.stored);
        }
        let stored = stored.into_values().max().unwrap_or(0);
        let limit = Machine::of(self.func.attrs.target).multiprocessor.shared_static;
        for needed in [all, with_sums] {
            let needed = needed.into_iter().max().unwrap_or(0) / threads;
            if needed > ACCUMULATOR_REGISTERS {
                let most = ACCUMULATOR_REGISTERS;
                return Err(Reason::Registers { needed, most });
            }
        }
        match fewest + stored + OTHER_BYTES <= limit.0 || most + stored <= limit.0 {
            true => Ok(()),
            false => Err(Reason::SharedMemory {
                stages: least,
                needed: most + stored,
                most: limit.0,
            }),
        }
    }

    /// Whether the products of a block read different tiles, none of them more than half of all that is loaded in the block.
    fn takes_turns(&self, block: Option<Block>, loads: &Loads, products: &Products) -> bool {
        // The loads of products that have one in common.
        let mut apart: Vec<FxHashSet<OpId>> = Vec::new();
        let of_block = products.iter().filter(|(id, _)| self.places.block(**id) == block);
        for chosen in of_block.filter_map(|(_, chosen)| chosen.as_ref().ok()) {
            let own = chosen.loads.iter().copied();
            let mut own: FxHashSet<OpId> = own.filter(|load| self.places.block(*load) == block).collect();
            apart.retain(|other| {
                let is_apart = other.is_disjoint(&own);
                if !is_apart {
                    own.extend(other);
                }
                is_apart
            });
            apart.push(own);
        }
        let bytes = |id: &OpId| match loads.get(id) {
            Some(Ok((_, buffer))) => buffer.bytes(),
            _ => 0,
        };
        let sizes: Vec<u64> = apart.iter().map(|own| own.iter().map(bytes).sum()).collect();
        let all: u64 = sizes.iter().sum();
        sizes.iter().all(|size| 2 * size <= all)
    }
}
