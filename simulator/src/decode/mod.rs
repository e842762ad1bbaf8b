//! An entry to a [`Program`].

mod instructions;

use crate::integer;
use crate::program::{Bit, Op, Place, Pointer, Program, RowFn, Source, Step, Target};
use crate::shared::Access;
use rustc_hash::FxHashMap;
use tilewright_irs::ptx::{
    Address, Base, Boolean, Class, Entry, Immediate, Order, Predicate, Register, Space, Statement, Symbol,
    Type, Value,
};

/// Where the names of a kernel are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) address: u64,
}

/// Turns statements into steps.
pub(crate) struct Decoder<'a> {
    symbols: &'a FxHashMap<Symbol, Located>,
    /// The first slot of each class; predicates have their own.
    first: [u32; 6],
    labels: FxHashMap<tilewright_irs::ptx::Label, u32>,
}

type Decoded<T> = Result<T, String>;

/// Makes an entry ready to run.
pub(crate) fn decode(entry: &Entry, symbols: &FxHashMap<Symbol, Located>) -> Decoded<Program> {
    let mut first = [0; 6];
    let mut classes = Vec::new();
    let mut slots = 0u32;
    for class in Class::ALL {
        if class != Class::Pred {
            first[class.index()] = slots;
            classes.push((slots, class.prefix()));
            slots = slots
                .checked_add(entry.registers.of(class))
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
    for (statement, line) in entry.body.iter().enumerate() {
        if let Statement::Instruction(line) = line {
            let guard = line.guard.map(|guard| decoder.bit(guard));
            let op = decoder.op(&line.instruction)?;
            steps.push(Step { guard, op, statement });
        }
    }
    Ok(Program {
        steps,
        slots: slots as usize,
        bits: entry.registers.of(Class::Pred) as usize,
        classes,
        shared_bytes: 0,
        local_bytes: 0,
    })
}

impl Decoder<'_> {
    fn slot(&self, register: Register) -> u32 {
        self.first[register.class.index()] + register.index
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

    /// A source read as `ty`: constants are cut to its width.
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

    fn pure(&self, ty: Type, f: RowFn, d: Register, sources: &[Value]) -> Op {
        let sources = sources.iter().map(|value| self.source(ty, *value)).collect();
        Op::Pure {
            f,
            d: self.target(d),
            sources,
        }
    }

    fn symbol(&self, symbol: &Symbol) -> Decoded<Located> {
        self.symbols
            .get(symbol)
            .copied()
            .ok_or_else(|| format!("unknown name {symbol}"))
    }

    fn pointer(&self, space: Option<Space>, address: &Address) -> Decoded<Pointer> {
        let offset = i64::from(address.offset).cast_unsigned();
        let asked = match space {
            None => Place::Generic,
            Some(Space::Global | Space::Const) => Place::Global,
            Some(Space::Shared | Space::SharedCta | Space::SharedCluster) => Place::Shared,
            Some(Space::Local) => Place::Local,
            Some(Space::Param) => Place::Param,
        };
        match &address.base {
            Base::Register(register) => Ok(Pointer {
                place: asked,
                base: Source::Slot(self.slot(*register)),
                offset,
                narrow: register.class.bits() == 32,
            }),
            Base::Symbol(symbol) => {
                let Located { place, address } = self.symbol(symbol)?;
                Ok(Pointer {
                    place,
                    base: Source::Constant(address),
                    offset,
                    narrow: false,
                })
            }
        }
    }

    fn logic(&self, boolean: Boolean, d: Register, a: Predicate, b: Predicate) -> Op {
        Op::Logic {
            boolean,
            d: d.index,
            a: self.bit(a),
            b: self.bit(b),
        }
    }

    fn barrier(&self, number: Value, count: Option<Value>, waits: bool, aligned: bool) -> Op {
        let number = self.source(Type::U32, number);
        let count = count.map(|count| self.source(Type::U32, count));
        Op::Barrier {
            number,
            count,
            waits,
            aligned,
        }
    }
}

fn bytes(ty: Type) -> Decoded<u64> {
    ty.bytes()
        .map(u64::from)
        .ok_or_else(|| "predicates are not in memory".to_owned())
}

fn access(order: Option<Order>) -> Access {
    match order {
        None | Some(Order::Weak) => Access::Plain,
        Some(Order::Volatile | Order::Relaxed | Order::Acquire | Order::Release) => Access::Synchronising,
    }
}
