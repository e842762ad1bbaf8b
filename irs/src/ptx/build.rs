//! A builder of entries: fresh registers and labels, and one method for each common instruction.
//!
//! A method that computes a value returns its new register. Instructions without a method go through
//! [`Builder::emit`].

use super::Instruction as I;
use super::module::{Entry, Line, Parameter, ParameterType, Statement, Variable};
use crate::isa::*;

/// The source of [`Builder::mov`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MoveSource {
    /// A register or a constant.
    Value(Value),
    /// A special register.
    Special(Special),
    /// The address of a variable in its state space.
    Variable(VariableAddress),
}

impl<T: Into<Value>> From<T> for MoveSource {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl From<Special> for MoveSource {
    fn from(special: Special) -> Self {
        Self::Special(special)
    }
}

impl From<Symbol> for MoveSource {
    fn from(symbol: Symbol) -> Self {
        Self::Variable(symbol.into())
    }
}

impl From<VariableAddress> for MoveSource {
    fn from(address: VariableAddress) -> Self {
        Self::Variable(address)
    }
}

/// Builds one entry, statement by statement.
#[derive(Clone, Debug)]
pub struct Builder {
    entry: Entry,
    labels: u32,
    origin: Option<u32>,
}

impl Builder {
    /// Starts an entry.
    pub fn new(name: impl Into<Symbol>) -> Self {
        Self {
            entry: Entry::new(name),
            labels: 0,
            origin: None,
        }
    }

    /// Ends the entry.
    pub fn finish(self) -> Entry {
        self.entry
    }

    /// The entry so far, to set launch directives.
    pub fn entry(&mut self) -> &mut Entry {
        &mut self.entry
    }

    /// Adds a parameter after the others and returns its name.
    pub fn parameter(&mut self, ty: ParameterType) -> Symbol {
        let name = self.entry.parameter_name(self.entry.parameters.len());
        self.entry.parameters.push(Parameter {
            name: name.clone(),
            ty,
        });
        name
    }

    /// Adds a shared array and returns its name.
    pub fn shared(&mut self, name: impl Into<Symbol>, align: u32, bytes: u64) -> Symbol {
        let variable = Variable::shared(name, align, bytes);
        let name = variable.name.clone();
        self.entry.variables.push(variable);
        name
    }

    /// Sets the origin of the following instructions.
    pub fn set_origin(&mut self, origin: Option<u32>) {
        self.origin = origin;
    }

    /// A new register of `class`.
    pub fn register(&mut self, class: Class) -> Register {
        self.entry.registers.fresh(class)
    }

    /// A new register for a value of type `ty`.
    pub fn register_for(&mut self, ty: Type) -> Register {
        self.register(ty.class())
    }

    /// A new label, not yet placed.
    pub fn label(&mut self) -> Label {
        let label = Label(self.labels);
        self.labels += 1;
        label
    }

    /// Places `label` at the current position.
    pub fn place(&mut self, label: Label) {
        self.entry.body.push(Statement::Label(label));
    }

    /// Adds an instruction, with the current origin.
    pub fn emit(&mut self, instruction: I) {
        let line = Line {
            guard: None,
            instruction,
            origin: self.origin,
        };
        self.entry.body.push(Statement::Instruction(line));
    }

    /// Adds an instruction with the guard `guard`.
    pub fn emit_if(&mut self, guard: impl Into<Predicate>, instruction: I) {
        let line = Line {
            guard: Some(guard.into()),
            instruction,
            origin: self.origin,
        };
        self.entry.body.push(Statement::Instruction(line));
    }

    /// Copies into a new register of type `ty`: a constant, a register, a special register, an address.
    pub fn mov(&mut self, ty: Type, a: impl Into<MoveSource>) -> Register {
        let d = self.register_for(ty);
        self.assign(ty, d, a);
        d
    }

    /// Copies into `d`: assignment to a mutable register, at block ends.
    pub fn assign(&mut self, ty: Type, d: Register, a: impl Into<MoveSource>) {
        self.emit(match a.into() {
            MoveSource::Value(a) => I::Mov { ty, d, a },
            MoveSource::Special(register) => I::ReadSpecial { ty, d, register },
            MoveSource::Variable(a) => I::AddressOf { ty, d, a },
        });
    }

    /// Packs narrow registers, low first, into one of type `ty`.
    pub fn pack(&mut self, ty: Type, parts: &[Register]) -> Register {
        let d = self.register_for(ty);
        let parts = parts.iter().map(|part| Value::from(*part)).collect();
        self.emit(I::Pack {
            ty,
            d,
            a: Sources(parts),
        });
        d
    }

    /// Unpacks a register of type `ty` into `count` registers of `class`, low first.
    pub fn unpack(&mut self, ty: Type, class: Class, count: usize, a: Register) -> Vec<Register> {
        let parts: Vec<_> = (0..count).map(|_| self.register(class)).collect();
        self.emit(I::Unpack {
            ty,
            d: Results(parts.clone()),
            a,
        });
        parts
    }

    /// Adds. Floats round to nearest even, explicitly, so that ptxas does not contract them.
    pub fn add(&mut self, ty: Type, a: impl Into<Value>, b: impl Into<Value>) -> Register {
        let (a, b, d) = (a.into(), b.into(), self.register_for(ty));
        self.emit(I::Add {
            rounding: nearest(ty),
            ftz: Ftz(false),
            sat: Sat(false),
            ty,
            d,
            a,
            b,
        });
        d
    }

    /// Multiplies: the low half for integers; floats round to nearest even.
    pub fn mul(&mut self, ty: Type, a: impl Into<Value>, b: impl Into<Value>) -> Register {
        let (a, b, d) = (a.into(), b.into(), self.register_for(ty));
        let part = nearest(ty).is_none().then_some(Part::Lo);
        self.emit(I::Mul {
            part,
            rounding: nearest(ty),
            ftz: Ftz(false),
            sat: Sat(false),
            ty,
            d,
            a,
            b,
        });
        d
    }

    /// The full product of two integers of type `ty`, in a register twice as wide.
    pub fn mul_wide(&mut self, ty: Type, a: impl Into<Value>, b: impl Into<Value>) -> Register {
        let d = self.register(if ty.bits() == 16 { Class::B32 } else { Class::B64 });
        let (a, b) = (a.into(), b.into());
        let part = Some(Part::Wide);
        self.emit(I::Mul {
            part,
            rounding: None,
            ftz: Ftz(false),
            sat: Sat(false),
            ty,
            d,
            a,
            b,
        });
        d
    }

    /// Float `a * b + c`, rounded once to nearest even.
    pub fn fma(
        &mut self,
        ty: Type,
        a: impl Into<Value>,
        b: impl Into<Value>,
        c: impl Into<Value>,
    ) -> Register {
        let (a, b, c, d) = (a.into(), b.into(), c.into(), self.register_for(ty));
        let rounding = Rounding::Rn;
        self.emit(I::Fma {
            rounding,
            ftz: Ftz(false),
            sat: Sat(false),
            relu: Relu(false),
            ty,
            d,
            a,
            b,
            c,
        });
        d
    }

    /// Shifts left.
    pub fn shl(&mut self, ty: Type, a: impl Into<Value>, b: impl Into<Value>) -> Register {
        let (a, b, d) = (a.into(), b.into(), self.register_for(ty));
        self.emit(I::Shl { ty, d, a, b });
        d
    }

    /// Compares into a predicate.
    pub fn setp(
        &mut self,
        comparison: Comparison,
        ty: Type,
        a: impl Into<Value>,
        b: impl Into<Value>,
    ) -> Register {
        let (a, b, d) = (a.into(), b.into(), self.register(Class::Pred));
        self.emit(I::Setp {
            comparison,
            ftz: Ftz(false),
            ty,
            d,
            a,
            b,
        });
        d
    }

    /// Converts without saturation; `rounding` as PTX demands for the pair of types.
    pub fn cvt(&mut self, to: Type, from: Type, rounding: Option<Rounding>, a: impl Into<Value>) -> Register {
        let (a, d) = (a.into(), self.register_for(to));
        self.emit(I::Cvt {
            rounding,
            ftz: Ftz(false),
            sat: Sat(false),
            to,
            from,
            d,
            a,
        });
        d
    }

    /// Loads a parameter; pointers are 64-bit integers.
    pub fn load_parameter(&mut self, name: &Symbol, ty: Type) -> Register {
        let d = self.register_for(ty);
        self.emit(I::load(Some(Space::Param), ty, vec![d], name.clone()));
        d
    }

    /// Converts a generic pointer to an address in `space`.
    pub fn to_space(&mut self, space: Space, a: impl Into<Value>) -> Register {
        let (a, d) = (a.into(), self.register(Class::B64));
        self.emit(I::Cvta {
            to: To(true),
            space,
            ty: Type::U64,
            d,
            a,
        });
        d
    }

    /// Loads `count` (1, 2 or 4) values of type `ty`.
    pub fn load(&mut self, space: Space, ty: Type, count: usize, a: impl Into<Address>) -> Vec<Register> {
        let d: Vec<_> = (0..count).map(|_| self.register_for(ty)).collect();
        self.emit(I::load(Some(space), ty, d.clone(), a));
        d
    }

    /// Stores 1, 2 or 4 values of type `ty`.
    pub fn store(&mut self, space: Space, ty: Type, a: impl Into<Address>, values: &[Value]) {
        self.emit(I::store(Some(space), ty, a, values.to_vec()));
    }

    /// Branches.
    pub fn bra(&mut self, target: Label) {
        self.emit(I::Bra {
            uni: Uni(false),
            target,
        });
    }

    /// Branches if `guard` is true.
    pub fn bra_if(&mut self, guard: impl Into<Predicate>, target: Label) {
        self.emit_if(
            guard,
            I::Bra {
                uni: Uni(false),
                target,
            },
        );
    }

    /// Barrier `number` of the whole block.
    pub fn bar_sync(&mut self, number: u32) {
        self.emit(I::BarSync {
            cta: Cta(false),
            sync: SyncWord,
            a: number.into(),
            b: None,
        });
    }

    /// Ends the thread.
    pub fn ret(&mut self) {
        self.emit(I::Ret { uni: Uni(false) });
    }
}

/// Round to nearest even for floats, none for integers.
fn nearest(ty: Type) -> Option<Rounding> {
    match ty.kind() {
        Kind::Float | Kind::PackedFloat => Some(Rounding::Rn),
        Kind::Predicate | Kind::Bits | Kind::Unsigned | Kind::Signed => None,
    }
}

impl I {
    /// A weak load of one value for each register in `d`.
    pub fn load(space: Option<Space>, ty: Type, d: Vec<Register>, a: impl Into<Address>) -> Self {
        Self::Ld {
            order: None,
            scope: None,
            space,
            cache: None,
            eviction: None,
            hint: CacheHint(false),
            prefetch: None,
            width: Width::of(d.len()).flatten(),
            ty,
            d: Results(d),
            a: a.into(),
            policy: None,
        }
    }

    /// A weak store of the values in `b`.
    pub fn store(space: Option<Space>, ty: Type, a: impl Into<Address>, b: Vec<Value>) -> Self {
        Self::St {
            order: None,
            scope: None,
            space,
            cache: None,
            eviction: None,
            hint: CacheHint(false),
            width: Width::of(b.len()).flatten(),
            ty,
            a: a.into(),
            b: Sources(b),
            policy: None,
        }
    }
}
