//! Additions, subtractions and multiplications of inline PTX that hand a carry on in the condition code: `add.cc`, `addc`, `sub.cc`,
//! `subc`, `mad.cc`, `madc`.
//!
//! No value is in the condition code, which an op cannot name: it becomes a truth value, which the next such instruction of the
//! kernel reads, whatever op that is in. (PTX ISA, "Extended-Precision Integer Arithmetic Instructions".)

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::element::ScalarType;

use super::super::instructions::of;
use super::super::state::Cx;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// The sum of two numbers.
    Add,
    /// The difference of two numbers.
    Subtract,
    /// A half of the product of two numbers, and a third.
    MultiplyAdd,
}

/// An instruction that reads or writes the condition code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Carrying {
    pub(super) operation: Operation,
    /// Whether it takes the carry of the instruction before.
    pub(super) reads: bool,
    /// Whether it hands a carry on.
    pub(super) writes: bool,
    /// The modifiers of the multiplication, `hi.u32`; of others the type alone.
    pub(super) words: Vec<String>,
}

impl Carrying {
    /// The instruction of these words; `None` for all that leave the condition code alone.
    pub(super) fn of(words: &[String]) -> Option<Self> {
        let (name, rest) = words.split_first()?;
        let (operation, reads) = match name.as_str() {
            "add" => (Operation::Add, false),
            "addc" => (Operation::Add, true),
            "sub" => (Operation::Subtract, false),
            "subc" => (Operation::Subtract, true),
            "mad" => (Operation::MultiplyAdd, false),
            "madc" => (Operation::MultiplyAdd, true),
            _ => return None,
        };
        let writes = rest.iter().any(|word| word == "cc");
        let words = rest.iter().filter(|word| *word != "cc").cloned().collect();
        let carrying = Self {
            operation,
            reads,
            writes,
            words,
        };
        (reads || writes).then_some(carrying)
    }

    /// The integers that it computes with; `None` for others.
    pub(super) fn scalar(&self) -> Option<ScalarType> {
        match (self.operation, self.words.as_slice()) {
            (Operation::Add | Operation::Subtract, [ty]) => integer(ty),
            (Operation::MultiplyAdd, [half, ty]) if half == "lo" || half == "hi" => integer(ty),
            _ => None,
        }
    }
}

/// The integer type of these names.
fn integer(name: &str) -> Option<ScalarType> {
    match name {
        "u32" | "s32" => Some(ScalarType::I32),
        "u64" | "s64" => Some(ScalarType::I64),
        _ => None,
    }
}

/// The sum of two numbers, or their difference, and whether it wraps around.
fn step(cx: &mut Cx<'_>, subtracts: bool, [lhs, rhs]: [Value; 2], scalar: ScalarType) -> [Value; 2] {
    let overflow = Overflow::Wraps;
    let result = match subtracts {
        true => cx.value(ArithOp::SubI { lhs, rhs, overflow }, of(scalar)),
        false => cx.value(ArithOp::AddI { lhs, rhs, overflow }, of(scalar)),
    };
    let [lhs, rhs] = match subtracts {
        true => [lhs, rhs],
        false => [result, lhs],
    };
    let wraps = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Less,
        signedness: Signedness::Unsigned,
    };
    [result, cx.value(wraps, of(ScalarType::I1))]
}

/// The sum of two numbers and a carry, or their difference less it, and the carry out.
pub(super) fn sum(
    cx: &mut Cx<'_>,
    subtracts: bool,
    operands: [Value; 2],
    carry: Option<Value>,
    scalar: ScalarType,
) -> [Value; 2] {
    let [first, out] = step(cx, subtracts, operands, scalar);
    let Some(source) = carry else {
        return [first, out];
    };
    let signedness = Signedness::Unsigned;
    let one = cx.value(ArithOp::ExtI { source, signedness }, of(scalar));
    let [result, again] = step(cx, subtracts, [first, one], scalar);
    // At most one of the two wraps around.
    let (lhs, rhs) = (out, again);
    [result, cx.value(ArithOp::OrI { lhs, rhs }, of(ScalarType::I1))]
}
