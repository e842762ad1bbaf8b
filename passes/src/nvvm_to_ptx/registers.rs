//! Register assignment.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, Entity, OpId, Operation, Value};
use tilewright_irs::isa::{Class, Immediate, Register, Value as Operand, Visitor, Want};
use tilewright_irs::nvvm::{Nvvm, NvvmDialect as N, NvvmOp};
use tilewright_irs::ptx::Builder;

use super::in_place;

/// The registers of a function's values, and the constants that need none.
pub(super) struct Registers {
    registers: FxHashMap<Value, Register>,
    constants: FxHashMap<Value, Immediate>,
}

impl Registers {
    /// Placeholder for a missing register, which the verifier of `ptx` reports.
    pub(super) const MISSING: Register = Register {
        class: Class::B32,
        index: u32::MAX,
    };

    /// Assigns a register to every value of `body`.
    pub(super) fn assign(body: &Body<Nvvm>, b: &mut Builder) -> Self {
        let constants = constants(body);
        let needed = needed(body, &constants);
        let has_register = |value: Value| !constants.contains_key(&value) || needed.contains(&value);
        let in_place = in_place::shared(body, |value| !constants.contains_key(&value));
        let coalesced = coalesced(body, &constants, &in_place);
        let mut registers = FxHashMap::default();
        for (value, ty) in body.values() {
            let represented = in_place.get(&value).is_some_and(|&first| first != value);
            if has_register(value) && !represented && !coalesced.contains_key(&value) {
                registers.insert(value, b.register(ty.class()));
            }
        }
        for (value, other) in in_place.into_iter().chain(coalesced) {
            if let Some(&register) = registers.get(&other) {
                registers.insert(value, register);
            }
        }
        Self { registers, constants }
    }

    /// The register of a value; `None` for a constant that is an immediate in all its uses.
    pub(super) fn get(&self, value: Value) -> Option<Register> {
        self.registers.get(&value).copied()
    }

    /// The value as an operand: an immediate if it is a constant and the operand accepts one.
    pub(super) fn operand(&self, value: Value, want: Want) -> Operand {
        match self.constants.get(&value) {
            Some(&constant) if want.takes_constants() => constant.into(),
            _ => self.known(value).into(),
        }
    }

    /// The value as a source of a move.
    pub(super) fn moved(&self, value: Value) -> Operand {
        match self.constants.get(&value) {
            Some(&constant) => constant.into(),
            None => self.known(value).into(),
        }
    }

    /// The register of a value that has one.
    pub(super) fn known(&self, value: Value) -> Register {
        // Every non-constant value has been assigned a register.
        self.get(value).unwrap_or(Self::MISSING)
    }
}

/// Values that are constants.
fn constants(body: &Body<Nvvm>) -> FxHashMap<Value, Immediate> {
    let mut constants = FxHashMap::default();
    for id in body.walk() {
        let op = body.op(id);
        if let NvvmOp::Nvvm(N::Constant { value }) = &op.kind
            && let Some(constant) = Immediate::of(*value)
        {
            constants.insert(op.result(0), constant);
        }
    }
    constants
}

/// The constants that need registers: those used as operands where PTX accepts no immediate.
fn needed(body: &Body<Nvvm>, constants: &FxHashMap<Value, Immediate>) -> FxHashSet<Value> {
    struct Needed<'a> {
        constants: &'a FxHashMap<Value, Immediate>,
        found: FxHashSet<Value>,
    }
    impl Visitor<Value> for Needed<'_> {
        fn read(&mut self, value: &Value, _: Want) {
            self.found.insert(*value);
        }
        fn update(&mut self, _: &Value, _: Want) {
            // It is first moved into the register of the result.
        }
        fn operand(&mut self, value: &Value, want: Want) {
            if !(want.takes_constants() && self.constants.contains_key(value)) {
                self.found.insert(*value);
            }
        }
        fn predicate(&mut self, value: &Value) {
            self.found.insert(*value);
        }
    }
    let mut needed = Needed {
        constants,
        found: FxHashSet::default(),
    };
    for id in body.walk() {
        match &body.op(id).kind {
            NvvmOp::Target(op) => {
                op.instruction.visit(&mut needed);
                needed.found.extend(op.guard);
            }
            NvvmOp::Nvvm(N::Cbra { condition, .. }) => {
                needed.found.insert(*condition);
            }
            NvvmOp::Nvvm(N::Printf { values, .. }) => needed.found.extend(values),
            // What is held is first moved into the register of the result.
            NvvmOp::Nvvm(
                N::Hold { .. }
                | N::Bra { .. }
                | N::Constant { .. }
                | N::Global { .. }
                | N::SharedBase {}
                | N::ReadParameter { .. }
                | N::Alloca { .. },
            ) => {}
        }
    }
    needed.found
}

/// Values that share the register of the block argument that they become: those defined in a block with one
/// successor, used for the argument only, and defined after the argument's last use there. Those that are updated
/// in place are left to [`in_place`].
fn coalesced(
    body: &Body<Nvvm>,
    constants: &FxHashMap<Value, Immediate>,
    in_place: &FxHashMap<Value, Value>,
) -> FxHashMap<Value, Value> {
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
                && !in_place.contains_key(&value)
                && !in_place.contains_key(&arg)
            {
                shared.insert(value, arg);
            }
        }
    }
    shared
}

/// The position of each op's result in its block. Guarded instructions are excluded, since they write their results
/// twice and read operands in between. So are those with tied operands, which are moved into the result's register
/// before the others are read.
fn made_in(body: &Body<Nvvm>, block: Block) -> FxHashMap<Value, usize> {
    let mut made = FxHashMap::default();
    for (at, &id) in body.block(block).ops.iter().enumerate() {
        let op = body.op(id);
        let once = match &op.kind {
            NvvmOp::Target(target) => target.guard.is_none() && in_place::updates(&op.kind).is_empty(),
            NvvmOp::Nvvm(_) => true,
        };
        if once {
            made.extend(op.results().map(|value| (value, at)));
        }
    }
    made
}

/// The position of each value's last use in the block.
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
