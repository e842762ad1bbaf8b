//! The integers of layouts and tuples, computed at run time.
//!
//! The rules of layout algebra say how the leaves of a result follow from those of the operands ([`Traced`]). Here these computations
//! become ops of `arith`, in any language that has them.

use tilewright_irs::core::{Language, Translation, Value, ValueType};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::dialects::cute::machine_integer;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmType};
use tilewright_layouts::cute::{Bits, Emit, Emitted, Fact, Leaf, RunTime, Traced};

/// A language with integers and arithmetic on them.
pub(crate) trait Integers: Language<Op: From<ArithOp>> {
    /// The type of an integer.
    fn integer(scalar: ScalarType) -> Self::Type;
}

impl Integers for CuteDesugared {
    fn integer(scalar: ScalarType) -> DesugaredType {
        DesugaredType::Scalar(scalar.into())
    }
}

impl Integers for Llvm {
    fn integer(scalar: ScalarType) -> LlvmType {
        LlvmType::Scalar(scalar)
    }
}

/// A constant.
pub(crate) fn constant<A: Language, B: Integers>(
    cx: &mut Translation<'_, A, B>,
    scalar: ScalarType,
    value: i64,
) -> Value {
    let value = Dense::Splat(Literal::new(scalar, value.cast_unsigned()));
    cx.value(ArithOp::Constant { value }, B::integer(scalar))
}

/// An integer of a type as one of another: signed.
pub(crate) fn resized<A: Language, B: Integers>(
    cx: &mut Translation<'_, A, B>,
    source: Value,
    to: ScalarType,
) -> Value {
    let Some(ElementType::Scalar(from)) = cx.ty(source).element() else {
        return source;
    };
    match from.bits().cmp(&to.bits()) {
        std::cmp::Ordering::Equal => source,
        std::cmp::Ordering::Less => {
            let signedness = Signedness::Signed;
            cx.value(ArithOp::ExtI { source, signedness }, B::integer(to))
        }
        std::cmp::Ordering::Greater => cx.value(ArithOp::TruncI { source }, B::integer(to)),
    }
}

/// An integer on the way: a number takes the width of what it is used with.
#[derive(Clone, Copy)]
enum Integer {
    Number(i64),
    Value(Value),
}

struct Arithmetic<'a, 'b, A: Language, B: Language> {
    cx: &'a mut Translation<'b, A, B>,
    inputs: &'a [Value],
}

const fn scalar_of(width: Bits) -> ScalarType {
    match width {
        Bits::B64 => ScalarType::I64,
        Bits::B8 | Bits::B16 | Bits::B32 => ScalarType::I32,
    }
}

impl<A: Language, B: Integers> Arithmetic<'_, '_, A, B> {
    fn value(&mut self, integer: Integer, scalar: ScalarType) -> Value {
        match integer {
            Integer::Number(number) => constant(self.cx, scalar, number),
            Integer::Value(value) => resized(self.cx, value, scalar),
        }
    }
}

impl<A: Language, B: Integers> Emit for Arithmetic<'_, '_, A, B> {
    type Value = Integer;

    fn number(&mut self, value: i64) -> Integer {
        Integer::Number(value)
    }

    fn input(&mut self, input: u32, _: Fact) -> Integer {
        let found = usize::try_from(input)
            .ok()
            .and_then(|input| self.inputs.get(input));
        // The inputs are the leaves of the operands, so there is one.
        found.map_or(Integer::Number(0), |value| Integer::Value(*value))
    }

    fn apply(&mut self, op: RunTime, width: Bits, a: Integer, b: Integer) -> Integer {
        let scalar = scalar_of(width);
        let (lhs, rhs) = (self.value(a, scalar), self.value(b, scalar));
        let ty = B::integer(scalar);
        // Extents, strides and indices do not overflow the width that their types say.
        let (overflow, signedness) = (Overflow::NoSigned, Signedness::Signed);
        let quotient = |rounding| ArithOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        };
        let op = match op {
            RunTime::Sum => ArithOp::AddI { lhs, rhs, overflow },
            RunTime::Difference => ArithOp::SubI { lhs, rhs, overflow },
            RunTime::Product => ArithOp::MulI { lhs, rhs, overflow },
            RunTime::Quotient => quotient(QuotientRounding::Zero),
            RunTime::CeilQuotient => quotient(QuotientRounding::Up),
            RunTime::Remainder => ArithOp::RemI { lhs, rhs, signedness },
            RunTime::Lesser => ArithOp::MinI { lhs, rhs, signedness },
            RunTime::And => ArithOp::AndI { lhs, rhs },
            RunTime::ExclusiveOr => ArithOp::XorI { lhs, rhs },
            RunTime::ShiftRight => ArithOp::ShrI { lhs, rhs, signedness },
            RunTime::Less => {
                let predicate = Predicate::Less;
                let source = self.cx.value(
                    ArithOp::CmpI {
                        lhs,
                        rhs,
                        predicate,
                        signedness,
                    },
                    B::integer(ScalarType::I1),
                );
                let signedness = Signedness::Unsigned;
                ArithOp::ExtI { source, signedness }
            }
        };
        Integer::Value(self.cx.value(op, ty))
    }
}

/// Emits integers of which a type says these facts, from the leaves of the operands.
pub(crate) fn emit<A: Language, B: Integers>(
    cx: &mut Translation<'_, A, B>,
    traced: &[Traced],
    facts: &[Fact],
    inputs: &[Value],
) -> Vec<Value> {
    let mut emitted = Emitted::default();
    let mut form = Arithmetic { cx, inputs };
    let all = traced.iter().zip(facts).map(|(traced, fact)| {
        let integer = traced.emit(&mut form, &mut emitted);
        form.value(integer, machine_integer(*fact))
    });
    all.collect()
}

/// What is known of an integer that is computed.
pub(crate) fn known(traced: &Traced) -> Fact {
    match traced.known().and_then(|known| i64::try_from(known).ok()) {
        Some(number) => Fact::Static(number),
        None => traced.fact(),
    }
}
