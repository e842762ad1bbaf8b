//! Arithmetic: the ops of MLIR's `arith` as those of the compiler.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{
    ArithOp, FloatRounding, Ordering, Overflow, Precision, Predicate, QuotientRounding, Signedness,
};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag, FastMathOf, FastMathOfSum};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::mlir::dialects::ArithOp as Mlir;
use tilewright_irs::mlir::enums::{self, FloatPredicate, IntPredicate};
use tilewright_irs::mlir::{Attribute, Type};

use super::state::{Cx, not_lowered};
use super::types::number;

/// The flags of a float op, as far as an op of the compiler can have them.
pub(super) fn flags<const CAN: u8>(written: enums::FastMath) -> FastMathOf<CAN> {
    let all = FastMathFlag::ALL.iter().filter(|flag| written.has(flag.word()));
    FastMathOf::of(all.fold(FastMath::NONE, |set, flag| set.with(*flag, true)))
}

/// The flags of a sum or a product. Both may be rounded once, whatever the flags: in the library's PTX they say no rounding, which
/// leaves that to ptxas. (PTX ISA, `mul`: without a rounding modifier, it may be contracted.)
fn contractible(written: enums::FastMath) -> FastMathOfSum {
    let flags: FastMathOfSum = flags(written);
    FastMathOf::of(flags.get().with(FastMathFlag::Contract, true))
}

fn overflow(written: enums::Overflow) -> Overflow {
    match (written.has("nsw"), written.has("nuw")) {
        (false, false) => Overflow::Wraps,
        (true, false) => Overflow::NoSigned,
        (false, true) => Overflow::NoUnsigned,
        (true, true) => Overflow::None,
    }
}

const NEAREST: FloatRounding = FloatRounding::NearestEven;
const KEPT: Flag = Flag(false);

/// Lowers an op.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &Mlir) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return select_whole(cx, id, op);
    };
    let one = |value: &Value| cx.one(*value);
    let quotient = |lhs: &Value, rhs: &Value, signedness, rounding| ArithOp::DivI {
        lhs: one(lhs),
        rhs: one(rhs),
        signedness,
        rounding,
    };
    use Signedness::{Signed, Unsigned};
    let lowered = match op {
        Mlir::Constant { value } => match constant(value, &ty) {
            Some(value) => ArithOp::Constant { value },
            None => return Err(not_lowered(cx, id)),
        },
        Mlir::CmpI { lhs, rhs, predicate } => {
            let (predicate, signedness) = integers(*predicate);
            let (lhs, rhs) = (one(lhs), one(rhs));
            ArithOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            }
        }
        Mlir::CmpF {
            lhs,
            rhs,
            fastmath,
            predicate,
        } => {
            let (lhs, rhs, fast_math) = (one(lhs), one(rhs), flags(*fastmath));
            match floats(*predicate) {
                Compared::By(predicate, ordering) => ArithOp::CmpF {
                    lhs,
                    rhs,
                    predicate,
                    ordering,
                    fast_math,
                },
                Compared::Always(always) => {
                    let value = Dense::Splat(Literal::new(ScalarType::I1, u64::from(always)));
                    ArithOp::Constant { value }
                }
                Compared::Numbers(are) => return nans(cx, id, (lhs, rhs), are),
            }
        }
        Mlir::Select {
            condition,
            on_true,
            on_false,
        } => ArithOp::Select {
            condition: one(condition),
            yes: one(on_true),
            no: one(on_false),
        },
        Mlir::AddF { lhs, rhs, fastmath } => ArithOp::AddF {
            lhs: one(lhs),
            rhs: one(rhs),
            rounding: NEAREST,
            flush_to_zero: KEPT,
            fast_math: contractible(*fastmath),
        },
        Mlir::SubF { lhs, rhs, fastmath } => ArithOp::SubF {
            lhs: one(lhs),
            rhs: one(rhs),
            rounding: NEAREST,
            flush_to_zero: KEPT,
            fast_math: contractible(*fastmath),
        },
        Mlir::MulF { lhs, rhs, fastmath } => ArithOp::MulF {
            lhs: one(lhs),
            rhs: one(rhs),
            rounding: NEAREST,
            flush_to_zero: KEPT,
            fast_math: contractible(*fastmath),
        },
        Mlir::DivF { lhs, rhs, fastmath } => ArithOp::DivF {
            lhs: one(lhs),
            rhs: one(rhs),
            precision: Precision::NearestEven,
            flush_to_zero: KEPT,
            fast_math: flags(*fastmath),
        },
        Mlir::RemF { lhs, rhs, fastmath } => {
            let (lhs, rhs, fast_math) = (one(lhs), one(rhs), flags(*fastmath));
            ArithOp::RemF { lhs, rhs, fast_math }
        }
        Mlir::MaximumF { lhs, rhs, fastmath } | Mlir::MaxNumF { lhs, rhs, fastmath } => ArithOp::MaxF {
            lhs: one(lhs),
            rhs: one(rhs),
            propagate_nan: Flag(matches!(op, Mlir::MaximumF { .. })),
            flush_to_zero: KEPT,
            fast_math: flags(*fastmath),
        },
        Mlir::MinimumF { lhs, rhs, fastmath } | Mlir::MinNumF { lhs, rhs, fastmath } => ArithOp::MinF {
            lhs: one(lhs),
            rhs: one(rhs),
            propagate_nan: Flag(matches!(op, Mlir::MinimumF { .. })),
            flush_to_zero: KEPT,
            fast_math: flags(*fastmath),
        },
        Mlir::NegF { operand, fastmath } => {
            let (source, fast_math) = (one(operand), flags(*fastmath));
            ArithOp::NegF { source, fast_math }
        }
        Mlir::AddI {
            lhs,
            rhs,
            overflow: promise,
        } => {
            let (lhs, rhs, overflow) = (one(lhs), one(rhs), overflow(*promise));
            ArithOp::AddI { lhs, rhs, overflow }
        }
        Mlir::SubI {
            lhs,
            rhs,
            overflow: promise,
        } => {
            let (lhs, rhs, overflow) = (one(lhs), one(rhs), overflow(*promise));
            ArithOp::SubI { lhs, rhs, overflow }
        }
        Mlir::MulI {
            lhs,
            rhs,
            overflow: promise,
        } => {
            let (lhs, rhs, overflow) = (one(lhs), one(rhs), overflow(*promise));
            ArithOp::MulI { lhs, rhs, overflow }
        }
        Mlir::MulUiExtended { lhs, rhs } => {
            let (lhs, rhs, overflow) = (one(lhs), one(rhs), Overflow::Wraps);
            let low = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
            let high = cx.value(ArithOp::MulHiU { lhs, rhs }, ty);
            cx.bind_results(id, [low, high]);
            return Ok(());
        }
        Mlir::ShlI {
            lhs,
            rhs,
            overflow: promise,
        } => {
            let (lhs, rhs, overflow) = (one(lhs), one(rhs), overflow(*promise));
            ArithOp::ShlI { lhs, rhs, overflow }
        }
        Mlir::ShrSI { lhs, rhs } => ArithOp::ShrI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Signed,
        },
        Mlir::ShrUI { lhs, rhs } => ArithOp::ShrI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Unsigned,
        },
        Mlir::AndI { lhs, rhs } => ArithOp::AndI {
            lhs: one(lhs),
            rhs: one(rhs),
        },
        Mlir::OrI { lhs, rhs } => ArithOp::OrI {
            lhs: one(lhs),
            rhs: one(rhs),
        },
        Mlir::XorI { lhs, rhs } => ArithOp::XorI {
            lhs: one(lhs),
            rhs: one(rhs),
        },
        Mlir::DivSI { lhs, rhs } => quotient(lhs, rhs, Signed, QuotientRounding::Zero),
        Mlir::DivUI { lhs, rhs } => quotient(lhs, rhs, Unsigned, QuotientRounding::Zero),
        Mlir::FloorDivSI { lhs, rhs } => quotient(lhs, rhs, Signed, QuotientRounding::Down),
        Mlir::CeilDivSI { lhs, rhs } => quotient(lhs, rhs, Signed, QuotientRounding::Up),
        Mlir::CeilDivUI { lhs, rhs } => quotient(lhs, rhs, Unsigned, QuotientRounding::Up),
        Mlir::RemSI { lhs, rhs } => ArithOp::RemI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Signed,
        },
        Mlir::RemUI { lhs, rhs } => ArithOp::RemI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Unsigned,
        },
        Mlir::MaxSI { lhs, rhs } => ArithOp::MaxI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Signed,
        },
        Mlir::MaxUI { lhs, rhs } => ArithOp::MaxI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Unsigned,
        },
        Mlir::MinSI { lhs, rhs } => ArithOp::MinI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Signed,
        },
        Mlir::MinUI { lhs, rhs } => ArithOp::MinI {
            lhs: one(lhs),
            rhs: one(rhs),
            signedness: Unsigned,
        },
        Mlir::ExtUI { source } => ArithOp::ExtI {
            source: one(source),
            signedness: Unsigned,
        },
        Mlir::ExtSI { source } => ArithOp::ExtI {
            source: one(source),
            signedness: Signed,
        },
        Mlir::IndexCast { source } => {
            let source = one(source);
            let from = cx.ty(source).clone();
            match bits(&from).cmp(&bits(&ty)) {
                std::cmp::Ordering::Less => ArithOp::ExtI {
                    source,
                    signedness: Signed,
                },
                std::cmp::Ordering::Greater => ArithOp::TruncI { source },
                std::cmp::Ordering::Equal => {
                    cx.bind(result, [source]);
                    return Ok(());
                }
            }
        }
        Mlir::SiToFp { source } => ArithOp::IToF {
            source: one(source),
            signedness: Signed,
            rounding: NEAREST,
        },
        Mlir::UiToFp { source } => ArithOp::IToF {
            source: one(source),
            signedness: Unsigned,
            rounding: NEAREST,
        },
        Mlir::FpToSi { source } => ArithOp::FToI {
            source: one(source),
            signedness: Signed,
            saturating: Flag(false),
        },
        Mlir::FpToUi { source } => ArithOp::FToI {
            source: one(source),
            signedness: Unsigned,
            saturating: Flag(false),
        },
        Mlir::Bitcast { source } => ArithOp::Bitcast { source: one(source) },
        Mlir::TruncI { source, .. } => ArithOp::TruncI { source: one(source) },
        Mlir::ExtF { source, .. } | Mlir::TruncF { source, .. } => ArithOp::FToF {
            source: one(source),
            rounding: NEAREST,
        },
    };
    let value = cx.value(lowered, ty);
    cx.bind(result, [value]);
    Ok(())
}

/// A selection of values that are no numbers.
fn select_whole(cx: &mut Cx<'_>, id: OpId, op: &Mlir) -> Translated {
    let Mlir::Select { .. } = op else {
        return Err(not_lowered(cx, id));
    };
    Err(not_lowered(cx, id))
}

fn bits(ty: &DesugaredType) -> u32 {
    match ty {
        DesugaredType::Scalar(ElementType::Scalar(scalar))
        | DesugaredType::Fragment(_, ElementType::Scalar(scalar)) => scalar.bits(),
        _ => 0,
    }
}

/// The numbers of a constant.
fn constant(value: &Attribute, ty: &DesugaredType) -> Option<Dense> {
    let (DesugaredType::Scalar(ElementType::Scalar(scalar))
    | DesugaredType::Fragment(_, ElementType::Scalar(scalar))) = ty
    else {
        return None;
    };
    let number = |value: &Attribute| {
        Some(match value {
            Attribute::Bool(value) => u64::from(*value),
            Attribute::Integer(value, _) => Literal::new(*scalar, value.cast_unsigned()).bits,
            Attribute::Float(bits, _) => *bits,
            _ => return None,
        })
    };
    match value {
        Attribute::Dense(items, Type::Vector(_)) => match &**items {
            [one] => Some(Dense::Splat(Literal::new(*scalar, number(one)?))),
            all => {
                let bits = all.iter().map(number).collect::<Option<_>>()?;
                Some(Dense::of_elements(*scalar, bits))
            }
        },
        value => Some(Dense::Splat(Literal::new(*scalar, number(value)?))),
    }
}

const fn integers(predicate: IntPredicate) -> (Predicate, Signedness) {
    use Signedness::{Signed, Unsigned};
    match predicate {
        IntPredicate::Eq => (Predicate::Equal, Unsigned),
        IntPredicate::Ne => (Predicate::NotEqual, Unsigned),
        IntPredicate::Slt => (Predicate::Less, Signed),
        IntPredicate::Sle => (Predicate::LessEqual, Signed),
        IntPredicate::Sgt => (Predicate::Greater, Signed),
        IntPredicate::Sge => (Predicate::GreaterEqual, Signed),
        IntPredicate::Ult => (Predicate::Less, Unsigned),
        IntPredicate::Ule => (Predicate::LessEqual, Unsigned),
        IntPredicate::Ugt => (Predicate::Greater, Unsigned),
        IntPredicate::Uge => (Predicate::GreaterEqual, Unsigned),
    }
}

/// How floats are compared.
enum Compared {
    By(Predicate, Ordering),
    /// The result is known.
    Always(bool),
    /// Whether none is a NaN, or one is.
    Numbers(bool),
}

const fn floats(predicate: FloatPredicate) -> Compared {
    use Ordering::{Ordered, Unordered};
    match predicate {
        FloatPredicate::False => Compared::Always(false),
        FloatPredicate::True => Compared::Always(true),
        FloatPredicate::Ord => Compared::Numbers(true),
        FloatPredicate::Uno => Compared::Numbers(false),
        FloatPredicate::Oeq => Compared::By(Predicate::Equal, Ordered),
        FloatPredicate::Ogt => Compared::By(Predicate::Greater, Ordered),
        FloatPredicate::Oge => Compared::By(Predicate::GreaterEqual, Ordered),
        FloatPredicate::Olt => Compared::By(Predicate::Less, Ordered),
        FloatPredicate::Ole => Compared::By(Predicate::LessEqual, Ordered),
        FloatPredicate::One => Compared::By(Predicate::NotEqual, Ordered),
        FloatPredicate::Ueq => Compared::By(Predicate::Equal, Unordered),
        FloatPredicate::Ugt => Compared::By(Predicate::Greater, Unordered),
        FloatPredicate::Uge => Compared::By(Predicate::GreaterEqual, Unordered),
        FloatPredicate::Ult => Compared::By(Predicate::Less, Unordered),
        FloatPredicate::Ule => Compared::By(Predicate::LessEqual, Unordered),
        FloatPredicate::Une => Compared::By(Predicate::NotEqual, Unordered),
    }
}

/// Whether neither of two floats is a NaN, or one is: a NaN differs from itself.
fn nans(cx: &mut Cx<'_>, id: OpId, (lhs, rhs): (Value, Value), are_numbers: bool) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let (predicate, ordering) = match are_numbers {
        true => (Predicate::Equal, Ordering::Ordered),
        false => (Predicate::NotEqual, Ordering::Unordered),
    };
    let mut itself = |value| {
        let (lhs, rhs, fast_math) = (value, value, FastMathOf::NONE);
        cx.value(
            ArithOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering,
                fast_math,
            },
            ty.clone(),
        )
    };
    let (lhs, rhs) = (itself(lhs), itself(rhs));
    let both = match are_numbers {
        true => ArithOp::AndI { lhs, rhs },
        false => ArithOp::OrI { lhs, rhs },
    };
    let value = cx.value(both, ty);
    cx.bind(result, [value]);
    Ok(())
}
