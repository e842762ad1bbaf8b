//! Queries on instructions whose operands are registers.

use super::instructions::Instruction;
use super::types::{Label, Register, Symbol, Value};
use super::visit::{Access, Registers, Visitor};
use super::want::Want;

impl Instruction<Register> {
    /// Visits every register, in textual order, with its required type.
    pub fn registers(&self, visit: &mut dyn FnMut(Register, Access, Want)) {
        self.visit(&mut Registers(visit));
    }

    /// Visits every variable, parameter or function name.
    pub fn symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
        struct Symbols<'a>(&'a mut dyn FnMut(&Symbol));
        impl Visitor<Register> for Symbols<'_> {
            fn symbol(&mut self, symbol: &Symbol) {
                (self.0)(symbol);
            }
            fn parameter(&mut self, symbol: &Symbol) {
                (self.0)(symbol);
            }
        }
        self.visit(&mut Symbols(visit));
    }

    /// The label that the instruction branches to.
    pub fn target(&self) -> Option<Label> {
        struct Target(Option<Label>);
        impl Visitor<Register> for Target {
            fn label(&mut self, label: &Label) {
                self.0 = Some(*label);
            }
        }
        let mut target = Target(None);
        self.visit(&mut target);
        target.0
    }

    /// The registers and constants of a wrong type, each with the required type.
    pub fn misfits(&self) -> Vec<(Value, Want)> {
        struct Misfits(Vec<(Value, Want)>);
        impl Misfits {
            fn register(&mut self, register: Register, want: Want) {
                if !want.admits(register.class) {
                    self.0.push((register.into(), want));
                }
            }
        }
        impl Visitor<Register> for Misfits {
            fn write(&mut self, register: &Register, want: Want) {
                self.register(*register, want);
            }
            fn read(&mut self, register: &Register, want: Want) {
                self.register(*register, want);
            }
            fn update(&mut self, register: &Register, want: Want) {
                self.register(*register, want);
            }
            fn operand(&mut self, value: &Value, want: Want) {
                match *value {
                    Value::Register(register) => self.register(register, want),
                    Value::Immediate(constant) => {
                        let number = matches!(want, Want::Exactly(_) | Want::AtLeast(_) | Want::Register(_));
                        if number && !want.takes_constants() || !want.admits_constant(constant) {
                            self.0.push((*value, want));
                        }
                    }
                }
            }
            fn predicate(&mut self, predicate: &super::types::Predicate) {
                self.register(predicate.register, Want::Exactly(super::types::Type::Pred));
            }
        }
        let mut misfits = Misfits(Vec::new());
        self.visit(&mut misfits);
        misfits.0
    }
}
