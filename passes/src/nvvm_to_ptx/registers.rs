//! Which register each value lives in.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, Entity, OpId, Operation, Value};
use tilewright_irs::nvvm::{Nvvm, NvvmDialect as N, NvvmOp, OperandSource, form};
use tilewright_irs::ptx::{Builder, Class, Immediate, Register, Value as Operand};

/// The registers of a function's values, and the constants that need none.
pub(super) struct Registers {
    registers: FxHashMap<Value, Register>,
    constants: FxHashMap<Value, Immediate>,
}

impl Registers {
    /// Gives every value of `body` its register.
    pub(super) fn assign(body: &Body<Nvvm>, b: &mut Builder) -> Self {
        let constants = constants(body);
        let mut needed = Needed {
            body,
            constants: &constants,
            registers: FxHashSet::default(),
        };
        for id in body.walk() {
            let op = body.op(id);
            let NvvmOp::Nvvm(own) = &op.kind;
            let results: Vec<Register> = op.results().map(|value| stand_in(body, value)).collect();
            // Asked only for the operands it visits.
            let _ = form(own, &results, &mut needed);
            let predicate = match own {
                N::Ld { predicate, .. } | N::St { predicate, .. } => *predicate,
                N::Cbra { condition, .. } => Some(*condition),
                N::Mov { .. }
                | N::MovBits { .. }
                | N::Pack { .. }
                | N::Unpack { .. }
                | N::Add { .. }
                | N::Sub { .. }
                | N::Mul { .. }
                | N::Mad { .. }
                | N::Fma { .. }
                | N::Div { .. }
                | N::Rem { .. }
                | N::Neg { .. }
                | N::Abs { .. }
                | N::Min { .. }
                | N::Max { .. }
                | N::Sqrt { .. }
                | N::Rsqrt { .. }
                | N::Rcp { .. }
                | N::Ex2 { .. }
                | N::Lg2 { .. }
                | N::Sin { .. }
                | N::Cos { .. }
                | N::Tanh { .. }
                | N::And { .. }
                | N::Or { .. }
                | N::Xor { .. }
                | N::Not { .. }
                | N::Shl { .. }
                | N::Shr { .. }
                | N::Setp { .. }
                | N::Selp { .. }
                | N::Cvt { .. }
                | N::ReadSreg { .. }
                | N::SharedBase { .. }
                | N::Barrier { .. }
                | N::Bra { .. }
                | N::Ret { .. } => None,
            };
            needed.registers.extend(predicate);
        }
        let needed = needed.registers;
        let shared = coalesced(body, &constants);
        let mut registers = FxHashMap::default();
        for (value, ty) in body.values() {
            if constants.contains_key(&value) && !needed.contains(&value) {
                continue;
            }
            if !shared.contains_key(&value) {
                registers.insert(value, b.register(ty.class()));
            }
        }
        for (value, arg) in shared {
            if let Some(&register) = registers.get(&arg) {
                registers.insert(value, register);
            }
        }
        Self { registers, constants }
    }

    /// The register of a value; a constant that is an operand everywhere has none.
    pub(super) fn get(&self, value: Value) -> Option<Register> {
        self.registers.get(&value).copied()
    }

    /// The value as an operand: a constant where it is one.
    pub(super) fn operand(&self, value: Value) -> Operand {
        match self.constants.get(&value) {
            Some(&constant) => constant.into(),
            None => self.known(value).into(),
        }
    }

    fn known(&self, value: Value) -> Register {
        // Every value that is no constant got a register above.
        self.get(value).unwrap_or(Register {
            class: Class::B32,
            index: u32::MAX,
        })
    }
}

impl OperandSource for &Registers {
    fn value(&mut self, value: Value) -> Operand {
        self.operand(value)
    }
    fn register(&mut self, value: Value) -> Register {
        self.known(value)
    }
}

fn stand_in(body: &Body<Nvvm>, value: Value) -> Register {
    Register {
        class: body.ty(value).class(),
        index: 0,
    }
}

/// Values that are constants.
fn constants(body: &Body<Nvvm>) -> FxHashMap<Value, Immediate> {
    let mut constants = FxHashMap::default();
    for id in body.walk() {
        let op = body.op(id);
        if let NvvmOp::Nvvm(N::Mov { value }) = &op.kind
            && let Some(constant) = Immediate::of(*value)
        {
            constants.insert(op.result(0), constant);
        }
    }
    constants
}

/// Collects the constants that must be in registers all the same.
struct Needed<'a> {
    body: &'a Body<Nvvm>,
    constants: &'a FxHashMap<Value, Immediate>,
    registers: FxHashSet<Value>,
}

impl OperandSource for Needed<'_> {
    fn value(&mut self, value: Value) -> Operand {
        match self.constants.get(&value) {
            Some(&constant) => constant.into(),
            None => stand_in(self.body, value).into(),
        }
    }
    fn register(&mut self, value: Value) -> Register {
        self.registers.insert(value);
        stand_in(self.body, value)
    }
}

/// Values that live in the register of the block argument they become: those that are made in a block that goes on
/// unconditionally, used for the argument alone, and made after the argument's last use there.
fn coalesced(body: &Body<Nvvm>, constants: &FxHashMap<Value, Immediate>) -> FxHashMap<Value, Value> {
    let mut uses = vec![0u32; body.value_count()];
    for id in body.walk() {
        body.op(id).kind.operands(&mut |value| {
            if let Some(count) = uses.get_mut(value.index()) {
                *count += 1;
            }
        });
    }
    let mut shared = FxHashMap::default();
    for &block in &body.region(body.root()).blocks {
        let Some(last) = body.terminator(block) else {
            continue;
        };
        let NvvmOp::Nvvm(N::Bra { target }) = &body.op(last).kind else {
            continue;
        };
        let made = made_in(body, block);
        let last_use = last_uses(body, block);
        for (&arg, &value) in body.block(target.block).args.iter().zip(&target.args) {
            let Some(&at) = made.get(&value) else { continue };
            let free = last_use.get(&arg).is_none_or(|&used| used <= at);
            if free
                && uses.get(value.index()) == Some(&1)
                && body.ty(value).class() == body.ty(arg).class()
                && !constants.contains_key(&value)
            {
                shared.insert(value, arg);
            }
        }
    }
    shared
}

/// The place in its block of each op's result. Predicated loads are left out: they write their results twice, and
/// read operands in between.
fn made_in(body: &Body<Nvvm>, block: Block) -> FxHashMap<Value, usize> {
    let mut made = FxHashMap::default();
    for (at, &id) in body.block(block).ops.iter().enumerate() {
        let op = body.op(id);
        if !matches!(
            &op.kind,
            NvvmOp::Nvvm(N::Ld {
                predicate: Some(_),
                ..
            })
        ) {
            made.extend(op.results().map(|value| (value, at)));
        }
    }
    made
}

/// The place in the block of each value's last use.
fn last_uses(body: &Body<Nvvm>, block: Block) -> FxHashMap<Value, usize> {
    let mut last = FxHashMap::default();
    for (at, &id) in body.block(block).ops.iter().enumerate() {
        let id: OpId = id;
        body.op(id).kind.operands(&mut |value| {
            last.insert(value, at);
        });
    }
    last
}
