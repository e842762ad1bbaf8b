//! Comparisons of integers: those that bounds decide, and those of extended integers.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding;
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::LlvmType;

use super::super::rewrite::Rewrite;
use super::Simplify;

/// The least and the greatest value that an integer can have, as far as it is known.
#[derive(Clone, Copy)]
struct Bounds {
    least: Option<i128>,
    most: Option<i128>,
}

impl Simplify<'_> {
    /// A comparison of 32-bit integers in place of one of their extensions, or of an extension and a constant. A sign extension
    /// keeps the signed order and the unsigned one; of zero extensions, both are the unsigned order of the sources.
    pub(super) fn narrowed(&mut self, cx: &mut Rewrite<'_>, op: &ArithOp) -> Option<Value> {
        let &ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } = op
        else {
            return None;
        };
        let extended = |value| match self.definitions.get(value) {
            Some(&ArithOp::ExtI { source, signedness })
                if cx.ty(source) == LlvmType::Scalar(ScalarType::I32) =>
            {
                Some((source, signedness))
            }
            _ => None,
        };
        let (left, right) = (extended(lhs), extended(rhs));
        let (_, extension) = left.or(right)?;
        let constant = |value| {
            let wide = folding::number(self.literal(value)?, extension);
            folding::is_in_range(ScalarType::I32, extension, wide)
                .then(|| folding::wrapped(ScalarType::I32, wide))
        };
        let narrow = |value, extended: Option<(Value, Signedness)>| match extended {
            Some((source, first)) => (first == extension).then_some(Ok(source)),
            None => constant(value).map(Err),
        };
        let (left, right) = (narrow(lhs, left)?, narrow(rhs, right)?);
        let mut operand =
            |narrow: Result<Value, Literal>| narrow.unwrap_or_else(|literal| self.constant(cx, literal));
        let op = ArithOp::CmpI {
            lhs: operand(left),
            rhs: operand(right),
            predicate,
            signedness: match extension {
                Signedness::Signed => signedness,
                Signedness::Unsigned => extension,
            },
        };
        Some(self.arith(cx, op, LlvmType::Scalar(ScalarType::I1)))
    }

    /// The bounds of an integer that is a constant, or a minimum or maximum with one.
    fn bounds(&self, value: Value, wanted: Signedness) -> Bounds {
        let constant = |value| Some(folding::number(self.literal(value)?, wanted));
        let (mut least, mut most) = (constant(value), constant(value));
        match self.definitions.get(value) {
            Some(ArithOp::MaxI { rhs, signedness, .. }) if *signedness == wanted => least = constant(*rhs),
            Some(ArithOp::MinI { rhs, signedness, .. }) if *signedness == wanted => most = constant(*rhs),
            _ => {}
        }
        Bounds { least, most }
    }

    /// The result of a comparison that follows from bounds of its operands.
    pub(super) fn decided(&self, op: &ArithOp) -> Option<bool> {
        let ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } = op
        else {
            return None;
        };
        let (left, right) = (self.bounds(*lhs, *signedness), self.bounds(*rhs, *signedness));
        let less = |a: Bounds, b: Bounds| {
            let always = a.most.zip(b.least).is_some_and(|(a, b)| a < b);
            let never = a.least.zip(b.most).is_some_and(|(a, b)| a >= b);
            (always || never).then_some(always)
        };
        match predicate {
            Predicate::Less => less(left, right),
            Predicate::Greater => less(right, left),
            Predicate::LessEqual => less(right, left).map(|greater| !greater),
            Predicate::GreaterEqual => less(left, right).map(|less| !less),
            Predicate::Equal | Predicate::NotEqual => None,
        }
    }
}
