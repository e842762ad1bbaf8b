//! Ops on floats and integers, and conversions.

use tilewright_irs::cuda_tile::{
    CastOp, ComparisonOrdering, ComparisonPredicate, Element, FloatOp, IntOp, IntegerOverflow, RoundingMode,
    Signedness,
};
use tilewright_irs::element::ScalarType as S;

use crate::values::{Build, OFF, ON, constant, tile};

pub(crate) fn floats(b: &mut Build<'_>) {
    let ty = tile(&[8], S::F32);
    let x = constant(b, &[8], S::F32);
    let (lhs, rhs, source) = (x, x, x);
    let (rounding_mode, flush_to_zero) = (RoundingMode::NegativeInf, ON);
    let ops = [
        FloatOp::AbsF { source },
        FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode: RoundingMode::NearestEven,
            flush_to_zero: OFF,
        },
        FloatOp::DivF {
            lhs,
            rhs,
            rounding_mode: RoundingMode::Approx,
            flush_to_zero,
        },
        FloatOp::RemF { lhs, rhs },
        FloatOp::Fma {
            lhs,
            rhs,
            acc: x,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::NegF { source },
        FloatOp::MaxF {
            lhs,
            rhs,
            propagate_nan: ON,
            flush_to_zero: OFF,
        },
        FloatOp::MinF {
            lhs,
            rhs,
            propagate_nan: OFF,
            flush_to_zero: ON,
        },
        FloatOp::Ceil { source },
        FloatOp::Floor { source },
        FloatOp::Sqrt {
            source,
            rounding_mode: RoundingMode::Approx,
            flush_to_zero,
        },
        FloatOp::Rsqrt {
            source,
            flush_to_zero,
        },
        FloatOp::Exp {
            source,
            rounding_mode: RoundingMode::Approx,
        },
        FloatOp::Exp2 {
            source,
            flush_to_zero,
        },
        FloatOp::Log { source },
        FloatOp::Log2 { source },
        FloatOp::PowF { source, exponent: x },
        FloatOp::Sin { source },
        FloatOp::Cos { source },
        FloatOp::Tan { source },
        FloatOp::Sinh { source },
        FloatOp::Cosh { source },
        FloatOp::Tanh {
            source,
            rounding_mode: RoundingMode::Approx,
        },
        FloatOp::Atan2 { x, y: x },
    ];
    for op in ops {
        b.value(op, ty.clone());
    }
    let exponent = constant(b, &[8], S::I32);
    b.value(FloatOp::PowI { source, exponent }, ty);
    let (predicate, ordering) = (ComparisonPredicate::LessThan, ComparisonOrdering::Unordered);
    b.value(
        FloatOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering,
        },
        tile(&[8], S::I1),
    );
}

pub(crate) fn ints(b: &mut Build<'_>) {
    let ty = tile(&[8], S::I32);
    let x = constant(b, &[8], S::I32);
    let (lhs, rhs, source) = (x, x, x);
    let (overflow, signedness) = (IntegerOverflow::NoSignedWrap, Signedness::Signed);
    let ops = [
        IntOp::AbsI { source },
        IntOp::AddI { lhs, rhs, overflow },
        IntOp::SubI { lhs, rhs, overflow },
        IntOp::MulI {
            lhs,
            rhs,
            overflow: IntegerOverflow::None,
        },
        IntOp::MulHiI { x, y: x },
        IntOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding: RoundingMode::NegativeInf,
        },
        IntOp::RemI { lhs, rhs, signedness },
        IntOp::NegI { source, overflow },
        IntOp::MaxI { lhs, rhs, signedness },
        IntOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        IntOp::AndI { lhs, rhs },
        IntOp::OrI { lhs, rhs },
        IntOp::XorI { lhs, rhs },
        IntOp::ShlI {
            lhs,
            rhs,
            overflow: IntegerOverflow::NoWrap,
        },
        IntOp::ShrI { lhs, rhs, signedness },
    ];
    for op in ops {
        b.value(op, ty.clone());
    }
    let predicate = ComparisonPredicate::GreaterThanOrEqual;
    b.value(
        IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        },
        tile(&[8], S::I1),
    );
}

pub(crate) fn casts(b: &mut Build<'_>) {
    let (i, f) = (constant(b, &[8], S::I32), constant(b, &[8], S::F32));
    let signedness = Signedness::Unsigned;
    b.value(CastOp::Bitcast { source: i }, tile(&[8], S::F32));
    let wide = b.value(CastOp::ExtI { from: i, signedness }, tile(&[8], S::I64));
    b.value(
        CastOp::TruncI {
            from: i,
            overflow: IntegerOverflow::NoWrap,
        },
        tile(&[8], S::I8),
    );
    b.value(
        CastOp::FToF {
            from: f,
            rounding_mode: RoundingMode::NearestAway,
        },
        tile(&[8], S::F64),
    );
    let rounding_mode = RoundingMode::NearestIntToZero;
    b.value(
        CastOp::FToI {
            from: f,
            signedness,
            rounding_mode,
            saturating: ON,
        },
        tile(&[8], S::I16),
    );
    let rounding_mode = RoundingMode::NearestEven;
    b.value(
        CastOp::IToF {
            from: i,
            signedness,
            rounding_mode,
        },
        tile(&[8], S::BF16),
    );
    let pointers = b.value(
        CastOp::IntToPtr { source: wide },
        tile(&[8], Element::ptr(S::F32)),
    );
    b.value(CastOp::PtrToInt { source: pointers }, tile(&[8], S::I64));
    b.value(
        CastOp::PtrToPtr { source: pointers },
        tile(&[8], Element::ptr(S::I8)),
    );
    let bytes = b.value(CastOp::Pack { source: f }, tile(&[32], S::I8));
    b.value(CastOp::Unpack { source: bytes }, tile(&[64], S::F4E2M1FN));
}
