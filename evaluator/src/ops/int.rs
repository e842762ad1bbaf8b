//! Elementwise integer arithmetic.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{IntOp, IntegerOverflow, Signedness};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::number::int::{self, Wrapped};
use crate::tile::{Failed, Runtime, TileValue};
use crate::unspecified::{Mark, Marks};

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &IntOp) -> Outcome<Vec<Runtime>> {
    let tile = match kind {
        IntOp::AbsI { source } => {
            let source = frame.tile(*source)?;
            let ty = source.scalar_type()?;
            source.map(ty, |a| int::abs(ty, a))
        }
        IntOp::NegI { source, overflow } => {
            let source = frame.tile(*source)?;
            let ty = source.scalar_type()?;
            let result = source.try_map(ty, |a| {
                let negated = int::neg(ty, a);
                if negated.keeps(*overflow) {
                    Ok(negated.bits)
                } else {
                    Err(a)
                }
            });
            result.map_err(|Failed { at, why }| {
                let number = int::value(ty, Signedness::Signed, why);
                broken(*overflow, ty, &format!("-({number}){}", source.place(at)))
            })?
        }
        IntOp::AddI { lhs, rhs, overflow } => wrapping(frame, *lhs, *rhs, *overflow, "+", int::add)?,
        IntOp::SubI { lhs, rhs, overflow } => wrapping(frame, *lhs, *rhs, *overflow, "-", int::sub)?,
        IntOp::MulI { lhs, rhs, overflow } => wrapping(frame, *lhs, *rhs, *overflow, "*", int::mul)?,
        IntOp::ShlI { lhs, rhs, overflow } => {
            let tile = wrapping(frame, *lhs, *rhs, *overflow, "<<", shift_left)?;
            shifted_too_far(frame, op, *rhs, tile)?
        }
        IntOp::MulHiI { x, y } => zip(frame, *x, *y, int::mul_high)?,
        IntOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        } => {
            let (lhs, rhs) = (frame.tile(*lhs)?, frame.tile(*rhs)?);
            let ty = lhs.scalar_type()?;
            let result = lhs.try_zip(&rhs, |a, b| int::div(ty, *signedness, *rounding, a, b));
            result.map_err(|failed| undefined(&lhs, &rhs, *signedness, "divi", &failed))?
        }
        IntOp::RemI { lhs, rhs, signedness } => {
            let (lhs, rhs) = (frame.tile(*lhs)?, frame.tile(*rhs)?);
            let ty = lhs.scalar_type()?;
            let result = lhs.try_zip(&rhs, |a, b| int::rem(ty, *signedness, a, b));
            result.map_err(|failed| undefined(&lhs, &rhs, *signedness, "remi", &failed))?
        }
        IntOp::MaxI { lhs, rhs, signedness } => {
            zip(frame, *lhs, *rhs, |ty, a, b| int::max(ty, *signedness, a, b))?
        }
        IntOp::MinI { lhs, rhs, signedness } => {
            zip(frame, *lhs, *rhs, |ty, a, b| int::min(ty, *signedness, a, b))?
        }
        IntOp::AndI { lhs, rhs } => {
            let tile = zip(frame, *lhs, *rhs, |_, a, b| a & b)?;
            decided(frame, [*lhs, *rhs], tile, |_| 0)?
        }
        IntOp::OrI { lhs, rhs } => {
            let tile = zip(frame, *lhs, *rhs, |_, a, b| a | b)?;
            decided(frame, [*lhs, *rhs], tile, ScalarType::mask)?
        }
        IntOp::XorI { lhs, rhs } => zip(frame, *lhs, *rhs, |_, a, b| a ^ b)?,
        IntOp::ShrI { lhs, rhs, signedness } => {
            let tile = zip(frame, *lhs, *rhs, |ty, a, b| shift_right(ty, *signedness, a, b))?;
            shifted_too_far(frame, op, *rhs, tile)?
        }
        IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } => {
            let (lhs, rhs) = (frame.tile(*lhs)?, frame.tile(*rhs)?);
            let ty = lhs.scalar_type()?;
            lhs.zip(&rhs, ScalarType::I1, |a, b| {
                u64::from(int::compare(ty, *signedness, *predicate, a, b))
            })
        }
    };
    Ok(vec![tile.into()])
}

fn zip(
    frame: &Frame<'_>,
    lhs: Value,
    rhs: Value,
    f: impl Fn(ScalarType, u64, u64) -> u64,
) -> Outcome<TileValue> {
    let (lhs, rhs) = (frame.tile(lhs)?, frame.tile(rhs)?);
    let ty = lhs.scalar_type()?;
    Ok(lhs.zip(&rhs, ty, |a, b| f(ty, a, b)))
}

/// Marks shifts by the width or more, whose results are unspecified.
fn shifted_too_far(frame: &mut Frame<'_>, op: &Op, amount: Value, mut tile: TileValue) -> Outcome<TileValue> {
    let (amount, ty) = (frame.tile(amount)?, tile.scalar_type()?);
    let too_far = |at: usize| amount.bits.get(at).is_some_and(|&by| by >= u64::from(ty.bits()));
    if (0..amount.bits.len()).any(too_far) {
        let mark = frame.mark(op, "a shift by the width of the type or more");
        let marked = |at| if too_far(at) { mark } else { Mark::NONE };
        tile.marks.add(amount.bits.len(), marked);
    }
    Ok(tile)
}

/// Clears marks where one operand determines the result: `and` with 0, `or` with all ones.
fn decided(
    frame: &Frame<'_>,
    operands: [Value; 2],
    tile: TileValue,
    decider: impl Fn(ScalarType) -> u64,
) -> Outcome<TileValue> {
    if tile.marks.is_none() {
        return Ok(tile);
    }
    let decider = decider(tile.scalar_type()?);
    let operands = [frame.tile(operands[0])?, frame.tile(operands[1])?];
    let is_decided = |at: usize| {
        let by = |side: &TileValue| !side.marks.get(at).is_set() && side.bits.get(at) == Some(&decider);
        operands.iter().any(|side| by(side))
    };
    let mark = |at| {
        if is_decided(at) {
            Mark::NONE
        } else {
            tile.marks.get(at)
        }
    };
    let marks = Marks::of((0..tile.bits.len()).map(mark));
    Ok(tile.marked(marks))
}

/// An op that wraps, or has a promise about overflow.
fn wrapping(
    frame: &Frame<'_>,
    lhs: Value,
    rhs: Value,
    promise: IntegerOverflow,
    sign: &str,
    f: impl Fn(ScalarType, u64, u64) -> Wrapped,
) -> Outcome<TileValue> {
    let (lhs, rhs) = (frame.tile(lhs)?, frame.tile(rhs)?);
    let ty = lhs.scalar_type()?;
    if promise == IntegerOverflow::None {
        return Ok(lhs.zip(&rhs, ty, |a, b| f(ty, a, b).bits));
    }
    let result = lhs.try_zip(&rhs, |a, b| {
        let result = f(ty, a, b);
        if result.keeps(promise) {
            Ok(result.bits)
        } else {
            Err((a, b))
        }
    });
    result.map_err(|Failed { at, why: (a, b) }| {
        let signedness = match promise {
            IntegerOverflow::NoUnsignedWrap => Signedness::Unsigned,
            IntegerOverflow::None | IntegerOverflow::NoSignedWrap | IntegerOverflow::NoWrap => {
                Signedness::Signed
            }
        };
        let (a, b) = (int::value(ty, signedness, a), int::value(ty, signedness, b));
        broken(promise, ty, &format!("{a} {sign} {b}{}", lhs.place(at)))
    })
}

fn broken(promise: IntegerOverflow, ty: ScalarType, what: &str) -> Box<Fault> {
    let message = format!("{what} overflows {ty}, and the op promises `{promise}`");
    Fault::new(Code::BrokenPromise, message)
        .help("without the overflow flag the result wraps around and is defined")
}

fn undefined(
    lhs: &TileValue,
    rhs: &TileValue,
    signedness: Signedness,
    name: &str,
    failed: &Failed<impl std::fmt::Display>,
) -> Box<Fault> {
    let number = |tile: &TileValue| {
        let bits = tile.bits.get(failed.at).copied().unwrap_or(0);
        tile.scalar_type()
            .map_or(0, |ty| int::value(ty, signedness, bits))
    };
    let message = format!(
        "`{name}` of {} and {}{}: {}",
        number(lhs),
        number(rhs),
        lhs.place(failed.at),
        failed.why
    );
    Fault::new(Code::UndefinedResult, message)
}

/// A shift by the width or more shifts out all bits, as in PTX; the result is unspecified in the language, and so
/// marked.
fn shift_left(ty: ScalarType, a: u64, b: u64) -> Wrapped {
    int::shl(ty, a, b).unwrap_or(Wrapped {
        bits: 0,
        signed_overflow: a != 0,
        unsigned_overflow: a != 0,
    })
}

/// A shift by the width or more gives copies of the sign, as in PTX; unspecified in the language.
fn shift_right(ty: ScalarType, signedness: Signedness, a: u64, b: u64) -> u64 {
    let negative = signedness == Signedness::Signed && int::value(ty, signedness, a) < 0;
    int::shr(ty, signedness, a, b).unwrap_or(if negative { ty.mask() } else { 0 })
}
