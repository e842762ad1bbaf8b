//! Lowers shuffles of fragments to shuffles of 32-bit registers: elements of less than 32 bits are packed in words, as
//! bytes if they are narrower, and those of 64 bits are moved in halves. A single one is extended.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Instruction, OpResult, Results, Shuffle, Sources, Type, WithPredicate};
use tilewright_irs::llvm::LlvmType;

use super::emit::{Cx, I32, WARP, i32, unsupported};
use super::lower_warp::Packed;

/// The clamp of a shuffle among all lanes of a warp. (PTX ISA, `shfl.sync`, operand `c`.)
const WHOLE_WARP: u32 = 31;

/// The elements of another lane: of the one whose index differs by a mask (`Shuffle::Bfly`), or of the one with an
/// index (`Shuffle::Idx`).
pub(super) fn shuffle(
    words: &mut Packed,
    cx: &mut Cx<'_>,
    id: OpId,
    value: Value,
    mode: Shuffle,
    lane: Value,
) -> Translated {
    let elements = cx.all(value).to_vec();
    let Some(ty) = elements.first().map(|&element| *cx.ty(element)) else {
        return Err(unsupported(cx.origin(), "a shuffle of nothing"));
    };
    let moved = match ty {
        LlvmType::Scalar(scalar)
            if scalar == ScalarType::TF32 || elements.len() > 1 && scalar.bits() < 32 =>
        {
            in_words(words, cx, &elements, scalar, mode, lane)
        }
        _ => {
            let moved = elements.iter().map(|&element| one(cx, element, ty, mode, lane));
            moved.collect::<Result<_, _>>()?
        }
    };
    cx.bind(cx.old(id).result(0), moved);
    Ok(())
}

/// A 32-bit register of another lane.
fn register(cx: &mut Cx<'_>, a: Value, ty: LlvmType, mode: Shuffle, b: Value) -> Value {
    let (c, mask) = (i32(cx, WHOLE_WARP), i32(cx, WARP));
    let d = WithPredicate {
        register: OpResult,
        predicate: None,
    };
    let ty_of_bits = Type::B32;
    cx.value(
        Instruction::ShflSync {
            mode,
            ty: ty_of_bits,
            d,
            a,
            b,
            c,
            mask,
        },
        ty,
    )
}

fn unpacked(cx: &mut Cx<'_>, ty: Type, a: Value, part: LlvmType) -> Vec<Value> {
    let d = Results(vec![OpResult; 2]);
    let op = cx.build().op(Instruction::Unpack { ty, d, a }, [part, part]);
    cx.new_body().op(op).results().collect()
}

fn packed(cx: &mut Cx<'_>, ty: Type, parts: Vec<Value>, whole: LlvmType) -> Value {
    let a = Sources(parts);
    cx.value(Instruction::Pack { ty, d: OpResult, a }, whole)
}

/// Several elements of less than 32 bits.
fn in_words(
    words: &mut Packed,
    cx: &mut Cx<'_>,
    elements: &[Value],
    scalar: ScalarType,
    mode: Shuffle,
    lane: Value,
) -> Vec<Value> {
    // What is narrower than a byte is moved as one.
    let stored = match scalar.bits() {
        0..8 => ScalarType::I8,
        _ => scalar,
    };
    let (narrow, wide) = (integer_of(scalar), LlvmType::Scalar(stored));
    let mut numbers: Vec<Value> = elements
        .iter()
        .map(|&element| match stored == scalar {
            true => element,
            false => {
                let source = bits_as(cx, element, scalar, narrow);
                let signedness = Signedness::Unsigned;
                cx.value(ArithOp::ExtI { source, signedness }, wide)
            }
        })
        .collect();
    let each = 4 / stored.bytes().unwrap_or(4) as usize;
    if let Some(&filler) = numbers.first() {
        numbers.resize(numbers.len().next_multiple_of(each), filler);
    }
    let sent = words.pack(cx, &numbers, stored);
    let moved = sent.into_iter().map(|word| register(cx, word, I32, mode, lane));
    let moved: Vec<Value> = moved.collect();
    let mut moved = words.loaded(cx, &moved, stored);
    moved.truncate(elements.len());
    if stored != scalar {
        for number in &mut moved {
            let source = cx.value(ArithOp::TruncI { source: *number }, LlvmType::Scalar(narrow));
            *number = bits_as(cx, source, narrow, scalar);
        }
    }
    moved
}

/// A number as the one of another type with the same bits.
fn bits_as(cx: &mut Cx<'_>, source: Value, from: ScalarType, to: ScalarType) -> Value {
    match from == to {
        true => source,
        false => cx.value(ArithOp::Bitcast { source }, LlvmType::Scalar(to)),
    }
}

/// One element.
fn one(
    cx: &mut Cx<'_>,
    element: Value,
    ty: LlvmType,
    mode: Shuffle,
    lane: Value,
) -> Result<Value, Diagnostic<tilewright_irs::core::Origin>> {
    let bits = match ty {
        LlvmType::Scalar(scalar) => scalar.bits(),
        LlvmType::Ptr(_) => 64,
        _ => {
            return Err(unsupported(
                cx.origin(),
                "a shuffle of something that is no element",
            ));
        }
    };
    Ok(match (bits, ty) {
        (32, _) => register(cx, element, ty, mode, lane),
        (64, _) => {
            let halves = unpacked(cx, Type::B64, element, I32);
            let halves = halves.into_iter().map(|half| register(cx, half, I32, mode, lane));
            let halves = halves.collect();
            packed(cx, Type::B64, halves, ty)
        }
        (_, LlvmType::Scalar(scalar)) => {
            let integer = integer_of(scalar);
            let (narrow, signedness) = (LlvmType::Scalar(integer), Signedness::Unsigned);
            let source = bits_as(cx, element, scalar, integer);
            let source = cx.value(ArithOp::ExtI { source, signedness }, I32);
            let source = register(cx, source, I32, mode, lane);
            let source = cx.value(ArithOp::TruncI { source }, narrow);
            bits_as(cx, source, integer, scalar)
        }
        _ => {
            return Err(unsupported(
                cx.origin(),
                "a shuffle of something that is no element",
            ));
        }
    })
}

/// The integer type of the size of a type below 32 bits.
fn integer_of(scalar: ScalarType) -> ScalarType {
    match scalar.bits() {
        1 => ScalarType::I1,
        4 => ScalarType::I4,
        8 => ScalarType::I8,
        _ => ScalarType::I16,
    }
}
