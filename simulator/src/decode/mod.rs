//! Decodes an entry to a [`Program`].

mod arithmetic;
mod asynchronous;
mod bulk;
mod control;
mod group;
mod instructions;
mod matrix;
mod memory;
mod movement;

use crate::integer;
use crate::program::{Bit, Op, Place, Program, Source, Step, Target};
use rustc_hash::FxHashMap;
use tilewright_irs::ptx::{Class, Entry, Immediate, Predicate, Register, Statement, Symbol, Type, Value};

/// The locations of a kernel's symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) address: u64,
}

/// Decodes statements to steps.
pub(crate) struct Decoder<'a> {
    symbols: &'a FxHashMap<Symbol, Located>,
    /// The first slot of each class; predicates have their own.
    first: [u32; Class::ALL.len()],
    labels: FxHashMap<tilewright_irs::ptx::Label, u32>,
}

type Decoded<T> = Result<T, String>;

/// Decodes an entry.
pub(crate) fn decode(entry: &Entry, symbols: &FxHashMap<Symbol, Located>) -> Decoded<Program> {
    let mut first = [0; Class::ALL.len()];
    let mut classes = Vec::new();
    let mut slots = 0u32;
    for class in Class::ALL {
        if class != Class::Pred {
            first[class.index()] = slots;
            classes.push((slots, class));
            slots = entry
                .registers
                .of(class)
                .checked_mul(words(class))
                .and_then(|count| slots.checked_add(count))
                .ok_or("too many registers")?;
        }
    }
    let mut labels = FxHashMap::default();
    let mut count = 0u32;
    for statement in &entry.body {
        match statement {
            Statement::Label(label) => {
                labels.insert(*label, count);
            }
            Statement::Instruction(_) => count += 1,
            Statement::Location { .. } => {}
        }
    }
    let decoder = Decoder {
        symbols,
        first,
        labels,
    };
    let mut steps = Vec::new();
    let mut accesses = Vec::new();
    for (statement, line) in entry.body.iter().enumerate() {
        if let Statement::Instruction(line) = line {
            let guard = line.guard.map(|guard| decoder.bit(guard));
            let op = decoder.op(&line.instruction)?;
            accesses.push(match op {
                Op::GroupProduct(_) => Box::default(),
                _ => decoder.accessed(&line.instruction),
            });
            steps.push(Step { guard, op, statement });
        }
    }
    let groups = steps.iter().any(|step| matches!(step.op, Op::GroupProduct(_)));
    Ok(Program {
        accesses: groups.then_some(accesses),
        steps,
        slots: slots as usize,
        bits: entry.registers.of(Class::Pred) as usize,
        classes,
        shared_bytes: 0,
        local_bytes: 0,
    })
}

/// Slots of a register: one for each 64 bits.
fn words(class: Class) -> u32 {
    class.bits().div_ceil(64)
}

impl Decoder<'_> {
    /// The slot of a register, or of its low word.
    fn slot(&self, register: Register) -> u32 {
        self.first[register.class.index()] + register.index * words(register.class)
    }

    /// The words of registers, the low one of each first.
    fn targets(&self, registers: &[Register]) -> Vec<Target> {
        let words_of = |register: &Register| {
            let Target { slot, mask } = self.target(*register);
            (0..words(register.class)).map(move |word| Target {
                slot: slot + word,
                mask,
            })
        };
        registers.iter().flat_map(words_of).collect()
    }

    /// The words of sources read as `ty`, the low one of each first.
    fn sources(&self, ty: Type, values: &[Value]) -> Vec<Source> {
        let words_of = |value: &Value| match value {
            Value::Register(register) => {
                let slot = self.slot(*register);
                (slot..slot + words(register.class)).map(Source::Slot).collect()
            }
            Value::Immediate(_) => vec![self.source(ty, *value)],
        };
        values.iter().flat_map(words_of).collect()
    }

    fn target(&self, register: Register) -> Target {
        Target {
            slot: self.slot(register),
            mask: integer::mask(register.class.bits()),
        }
    }

    fn bit(&self, predicate: Predicate) -> Bit {
        Bit {
            slot: predicate.register.index,
            negated: predicate.negated,
        }
    }

    /// A source read as `ty`: constants are truncated to its width.
    fn source(&self, ty: Type, value: Value) -> Source {
        match value {
            Value::Register(register) => Source::Slot(self.slot(register)),
            Value::Immediate(Immediate::Int(value)) => {
                Source::Constant(value.cast_unsigned() & integer::mask(ty.bits()))
            }
            Value::Immediate(Immediate::F32(bits)) if ty == Type::F64 => {
                Source::Constant(f64::from(f32::from_bits(bits)).to_bits())
            }
            Value::Immediate(Immediate::F64(bits)) if ty.bits() == 32 => {
                Source::Constant(u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Value::Immediate(Immediate::F32(bits)) => Source::Constant(u64::from(bits)),
            Value::Immediate(Immediate::F64(bits)) => Source::Constant(bits),
        }
    }

    fn symbol(&self, symbol: &Symbol) -> Decoded<Located> {
        self.symbols
            .get(symbol)
            .copied()
            .ok_or_else(|| format!("unknown name {symbol}"))
    }
}
