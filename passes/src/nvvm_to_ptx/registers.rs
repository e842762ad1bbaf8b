//! Register assignment.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Value};
use tilewright_irs::isa::{Class, Immediate, Register, Value as Operand, Visitor, Want};
use tilewright_irs::nvvm::{Nvvm, NvvmDialect as N, NvvmOp};
use tilewright_irs::ptx::Builder;

use super::coalescing;
use crate::nvvm::liveness::Liveness;

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
    pub(super) fn assign(body: &Body<Nvvm>, liveness: &Liveness, b: &mut Builder) -> Self {
        let constants = constants(body);
        let needed = needed(body, &constants);
        let has_register = |value: Value| !constants.contains_key(&value) || needed.contains(&value);
        let shared = coalescing::shared(body, liveness, |value| !constants.contains_key(&value));
        let mut registers = FxHashMap::default();
        for (value, ty) in body.values() {
            let represented = shared.get(&value).is_some_and(|&first| first != value);
            if has_register(value) && !represented {
                registers.insert(value, b.register(ty.class()));
            }
        }
        for (value, first) in shared {
            if let Some(&register) = registers.get(&first) {
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
