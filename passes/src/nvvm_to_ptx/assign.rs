//! Replaces the values of an instruction in SSA form by registers.

use std::convert::Infallible;

use tilewright_irs::core::Value;
use tilewright_irs::isa::{Label, OpResult, Predicate, Register, Renaming, Symbol, Value as Operand, Want};
use tilewright_irs::nvvm::Instruction;

use super::registers::Registers;

/// An instruction, and the moves that come before it.
pub(super) struct Assigned {
    /// The instruction with registers.
    pub(super) instruction: tilewright_irs::ptx::Instruction,
    /// Tied operands (read and written), moved into the registers of the results.
    pub(super) moves: Vec<(Register, Operand)>,
}

/// Assigns registers to the operands of an instruction. `results` are those of the op.
pub(super) fn assign(registers: &Registers, instruction: &Instruction, results: Vec<Register>) -> Assigned {
    let mut renaming = Assign {
        registers,
        results: results.into_iter(),
        moves: Vec::new(),
    };
    let instruction = instruction.rename(&mut renaming);
    Assigned {
        instruction,
        moves: renaming.moves,
    }
}

struct Assign<'a> {
    registers: &'a Registers,
    results: std::vec::IntoIter<Register>,
    moves: Vec<(Register, Operand)>,
}

impl Assign<'_> {
    fn result(&mut self) -> Register {
        // The verifier has checked their number.
        self.results.next().unwrap_or(Registers::MISSING)
    }
}

impl Renaming<Value, Register> for Assign<'_> {
    fn write(&mut self, _: &OpResult) -> Register {
        self.result()
    }
    fn read(&mut self, old: &Value, _: Want) -> Register {
        self.registers.known(*old)
    }
    fn update(&mut self, old: &Value, _: Want) -> Register {
        let register = self.result();
        self.moves.push((register, self.registers.moved(*old)));
        register
    }
    fn operand(&mut self, old: &Value, want: Want) -> Operand {
        self.registers.operand(*old, want)
    }
    fn predicate(&mut self, old: &Value) -> Predicate {
        self.registers.known(*old).into()
    }
    fn label(&mut self, old: &Infallible) -> Label {
        match *old {}
    }
    fn parameter(&mut self, old: &Infallible) -> Symbol {
        match *old {}
    }
}
