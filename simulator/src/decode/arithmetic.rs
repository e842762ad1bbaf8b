//! Arithmetic, comparisons and predicates: one row function or bit function each.

use super::Decoder;
use crate::program::{Bit, BitFn, Op, RowFn, Source, row2};
use tilewright_irs::ptx::{Boolean, Immediate, Predicate, Register, Type, Value, WithPredicate};

impl Decoder<'_> {
    /// An instruction whose sources are all of type `ty`.
    pub(super) fn pure(&self, ty: Type, f: RowFn, d: Register, sources: &[Value]) -> Op {
        let sources = sources.iter().map(|value| self.source(ty, *value)).collect();
        Op::Pure {
            f,
            d: self.target(d),
            sources,
        }
    }

    /// A multiply-add. The addend of the wide form is twice as wide as `ty`.
    pub(super) fn mad(&self, ty: Type, f: RowFn, d: Register, [a, b, c]: [Value; 3]) -> Op {
        let c = match c {
            Value::Immediate(Immediate::Int(c)) => Source::Constant(c.cast_unsigned()),
            c => self.source(ty, c),
        };
        Op::Pure {
            f,
            d: self.target(d),
            sources: vec![self.source(ty, a), self.source(ty, b), c],
        }
    }

    /// A shift: the amount has 32 bits for any type.
    pub(super) fn shift(
        &self,
        ty: Type,
        shift: fn(Type, u64, u64) -> u64,
        d: Register,
        a: Value,
        b: Value,
    ) -> Op {
        Op::Pure {
            f: row2(move |a, b| shift(ty, a, b)),
            d: self.target(d),
            sources: vec![self.source(ty, a), self.source(Type::U32, b)],
        }
    }

    /// A comparison, and the combination of its result with another predicate.
    pub(super) fn compare(
        &self,
        ty: Type,
        f: BitFn,
        d: Register,
        [a, b]: [Value; 2],
        combine: Option<(Boolean, Bit)>,
    ) -> Op {
        Op::Compare {
            results: vec![(f, d.index)],
            sources: vec![self.source(ty, a), self.source(ty, b)],
            combine,
        }
    }

    /// A comparison of packed halves, with a predicate for each.
    pub(super) fn compare_halves(
        &self,
        ty: Type,
        [low, high]: [BitFn; 2],
        d: &WithPredicate,
        [a, b]: [Value; 2],
        combine: Option<(Boolean, Bit)>,
    ) -> Op {
        let high = d.predicate.map(|predicate| (high, predicate.index));
        Op::Compare {
            results: std::iter::once((low, d.register.index)).chain(high).collect(),
            sources: vec![self.source(ty, a), self.source(ty, b)],
            combine,
        }
    }

    pub(super) fn logic(&self, boolean: Boolean, d: Register, a: Predicate, b: Predicate) -> Op {
        Op::Logic {
            boolean,
            d: d.index,
            a: self.bit(a),
            b: self.bit(b),
        }
    }

    pub(super) fn not(&self, d: Register, a: Predicate) -> Op {
        let a = self.bit(a);
        Op::CopyBit {
            d: d.index,
            a: Bit {
                negated: !a.negated,
                ..a
            },
        }
    }
}
