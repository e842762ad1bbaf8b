//! The registers of a thread that are live at once, estimated for the instructions of `nvvm` in the given order.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Body, Func, OpId, Operation, SideTable, Value};
use tilewright_irs::isa::Class;
use tilewright_irs::llvm::KernelAttrs;
use tilewright_irs::machine::{Machine, Multiprocessor, Registers};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmOp, NvvmType};
use tilewright_layouts::Bytes;

use super::liveness::Liveness;

/// The share of a thread's registers that values may take, in percent. The others are for what ptxas adds, such as the
/// predicates of accesses and the halves of addresses.
pub(super) const SHARE: u32 = 80;

/// Register pressure, in quarters of a 32-bit register: a predicate takes one quarter, since ptxas keeps those that do
/// not fit the predicate registers as bits of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pressure(pub(super) u32);

impl Pressure {
    /// The pressure of this many 32-bit registers.
    pub(super) const fn of_registers(count: u32) -> Self {
        Self(4 * count)
    }

    /// The pressure of a value of this type.
    const fn of_type(ty: NvvmType) -> Self {
        match ty.class() {
            Class::Pred => Self(1),
            Class::B16 | Class::B32 | Class::F32 => Self::of_registers(1),
            Class::B64 | Class::F64 => Self::of_registers(2),
            Class::B128 => Self::of_registers(4),
        }
    }

    /// A share of the pressure.
    pub(super) fn percent(self, share: u32) -> Self {
        let part = u64::from(self.0) * u64::from(share) / 100;
        Self(u32::try_from(part).unwrap_or(u32::MAX))
    }
}

/// The pressure of each value that needs a register throughout its life; none for constants and addresses of variables,
/// which are operands of their uses or rematerialised before them.
pub(super) fn sizes(body: &Body<Nvvm>) -> SideTable<Value, Pressure> {
    let mut sizes = body.value_table();
    for (value, &ty) in body.values() {
        sizes.set(value, Pressure::of_type(ty));
    }
    for (_, op) in body.ops() {
        if let NvvmOp::Nvvm(_) = op.kind {
            op.results()
                .for_each(|result| sizes.set(result, Pressure::default()));
        }
    }
    sizes
}

/// The registers that ptxas may give each thread.
pub(super) fn registers(attrs: &KernelAttrs) -> u32 {
    registers_with(attrs, attrs.minctasm.unwrap_or(1)).min(limit(attrs))
}

/// The same, whatever the number of blocks that are to share a multiprocessor.
pub(super) fn limit(attrs: &KernelAttrs) -> u32 {
    registers_with(attrs, 1).min(attrs.maxnreg.unwrap_or(u32::MAX))
}

/// The registers of a thread of the agents that have the most.
pub(super) fn most_registers(func: &Func<Nvvm>, otherwise: u32) -> u32 {
    let given = func.body.ops().filter_map(|(_, op)| match &op.kind {
        NvvmOp::Target(op) => match &op.instruction {
            Instruction::SetMaxRegisters { count, .. } => Some(*count),
            _ => None,
        },
        NvvmOp::Nvvm(_) => None,
    });
    given.max().unwrap_or(otherwise)
}

/// The registers of a thread if a multiprocessor has this many blocks.
pub(super) fn registers_with(attrs: &KernelAttrs, blocks: u32) -> u32 {
    Multiprocessor::thread_registers(attrs.threads().max(1), blocks.max(1)).0
}

/// The number of blocks of a multiprocessor if each thread takes this many registers; at least 1.
pub(super) fn blocks_with(attrs: &KernelAttrs, registers: u32) -> u32 {
    Multiprocessor::blocks_by_registers(attrs.threads(), Registers(registers)).max(1)
}

/// The number of blocks that fit in the shared memory of a multiprocessor.
pub(super) fn blocks_in_shared_memory(attrs: &KernelAttrs) -> u32 {
    let multiprocessor = Machine::of(attrs.target).multiprocessor;
    multiprocessor.blocks_by_shared(Bytes(attrs.shared_bytes.into()))
}

/// Whether a function has matrix products.
pub(super) fn has_products(body: &Body<Nvvm>) -> bool {
    body.ops().any(|(_, op)| is_product(&op.kind))
}

/// Whether a function has matrix products of warp groups.
pub(super) fn has_group_products(body: &Body<Nvvm>) -> bool {
    body.ops().any(|(_, op)| is_group_product(&op.kind))
}

/// Whether an instruction is a matrix product.
pub(super) fn is_product(op: &NvvmOp) -> bool {
    let is_warp_product = matches!(
        op,
        NvvmOp::Target(op) if matches!(op.instruction, Instruction::Mma { .. } | Instruction::MmaBlockScaled { .. })
    );
    is_warp_product || is_group_product(op)
}

fn is_group_product(op: &NvvmOp) -> bool {
    matches!(
        op,
        NvvmOp::Target(op) if matches!(
            op.instruction,
            Instruction::Wgmma { .. }
                | Instruction::WgmmaRegisters { .. }
                | Instruction::WgmmaInteger { .. }
                | Instruction::WgmmaIntegerRegisters { .. }
        )
    )
}

/// The maximum pressure in a function.
pub(super) fn peak(body: &Body<Nvvm>) -> Pressure {
    let (sizes, liveness) = (sizes(body), Liveness::of(body));
    let blocks = body.region(body.root()).blocks.iter();
    let peaks = blocks.map(|&block| {
        let ops = &body.block(block).ops;
        let order: Vec<usize> = (0..ops.len()).collect();
        Instructions::new(body, ops, liveness.after(block), &sizes).peak(&order)
    });
    peaks.max().unwrap_or_default()
}

/// The instructions of a block by the values that they define and use.
pub(super) struct Instructions<'a> {
    /// The results of each instruction.
    pub(super) made: Vec<Vec<Value>>,
    /// The operands of each instruction, without repetition.
    pub(super) used: Vec<Vec<Value>>,
    /// The values that are live at the end of the block.
    live_after: &'a [Value],
    sizes: &'a SideTable<Value, Pressure>,
}

impl<'a> Instructions<'a> {
    /// The instructions of a block.
    pub(super) fn new(
        body: &Body<Nvvm>,
        ops: &[OpId],
        live_after: &'a [Value],
        sizes: &'a SideTable<Value, Pressure>,
    ) -> Self {
        let operands = |id: &OpId| {
            let mut used = Vec::new();
            body.op(*id).kind.operands(&mut |value| used.push(value));
            used.sort_unstable();
            used.dedup();
            used
        };
        Self {
            made: ops.iter().map(|&id| body.op(id).results().collect()).collect(),
            used: ops.iter().map(operands).collect(),
            live_after,
            sizes,
        }
    }

    /// The maximum pressure in an order of the instructions.
    pub(super) fn peak(&self, order: &[usize]) -> Pressure {
        let mut live = Live::at_end(self);
        let mut peak = live.pressure;
        for &at in order.iter().rev() {
            // Results that are never used take registers for a moment.
            let made = self.made[at].iter();
            let idle: u32 = made
                .filter(|v| !live.values.contains(v))
                .map(|&v| self.size(v).0)
                .sum();
            peak = peak.max(Pressure(live.pressure.0 + idle));
            live.step_before(self, at, |_| {});
            peak = peak.max(live.pressure);
        }
        peak
    }

    /// The pressure of a value.
    pub(super) fn size(&self, value: Value) -> Pressure {
        self.sizes.get(value).copied().unwrap_or_default()
    }
}

/// The values that are live at a place of the block.
pub(super) struct Live {
    values: FxHashSet<Value>,
    pub(super) pressure: Pressure,
}

impl Live {
    pub(super) fn at_end(instructions: &Instructions<'_>) -> Self {
        let values: FxHashSet<Value> = instructions.live_after.iter().copied().collect();
        let pressure = Pressure(values.iter().map(|&value| instructions.size(value).0).sum());
        Self { values, pressure }
    }

    /// By how much the pressure before an instruction exceeds that after it.
    pub(super) fn growth(&self, instructions: &Instructions<'_>, at: usize) -> i64 {
        let sum = |values: &[Value], live: bool| -> i64 {
            let counted = values.iter().filter(|value| self.values.contains(value) == live);
            counted.map(|&value| i64::from(instructions.size(value).0)).sum()
        };
        sum(&instructions.used[at], false) - sum(&instructions.made[at], true)
    }

    /// Goes from after an instruction to before it, with a visit of each value that becomes live.
    pub(super) fn step_before(
        &mut self,
        instructions: &Instructions<'_>,
        at: usize,
        mut begins: impl FnMut(Value),
    ) {
        for value in &instructions.made[at] {
            if self.values.remove(value) {
                self.pressure.0 -= instructions.size(*value).0;
            }
        }
        for &value in &instructions.used[at] {
            if self.values.insert(value) {
                self.pressure.0 += instructions.size(value).0;
                begins(value);
            }
        }
    }
}
