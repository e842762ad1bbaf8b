//! Integer arithmetic. An i1 is a predicate, and its arithmetic is logic.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Comparison, Ftz, Nan, OpResult, Part, Sat, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::nvvm::{Instruction as I, NvvmType};

use super::selector::{Problem, Selector};

/// Integer ops of two operands and a result of one type.
#[derive(Clone, Copy)]
pub(super) enum IntOp {
    Add,
    Sub,
    MulLo,
    MulHiU,
    Div(Signedness),
    Rem(Signedness),
    Min(Signedness),
    Max(Signedness),
    And,
    Or,
    Xor,
}

/// The PTX type of an integer with this signedness; never called for i1.
pub(super) fn int_type(scalar: ScalarType, signedness: Signedness) -> Option<Type> {
    let signed = signedness == Signedness::Signed;
    Some(match scalar {
        ScalarType::I8 => {
            if signed {
                Type::S8
            } else {
                Type::U8
            }
        }
        ScalarType::I16 => {
            if signed {
                Type::S16
            } else {
                Type::U16
            }
        }
        ScalarType::I32 => {
            if signed {
                Type::S32
            } else {
                Type::U32
            }
        }
        ScalarType::I64 => {
            if signed {
                Type::S64
            } else {
                Type::U64
            }
        }
        _ => return None,
    })
}

fn bits_type(ty: Type) -> Type {
    ty.class().declared()
}

impl Selector<'_> {
    /// The PTX type of an old integer value.
    pub(super) fn int_type_of(&self, value: Value, signedness: Signedness) -> Result<Type, Problem> {
        let scalar = self.scalar(value)?;
        int_type(scalar, signedness)
            .ok_or_else(|| self.bug(format!("`{scalar}` is no integer in a register")))
    }

    /// A sum; a product without other uses is fused into a multiply-add.
    pub(super) fn sum_of_integers(&mut self, lhs: Value, rhs: Value) -> Result<Value, Problem> {
        if self.scalar(lhs)? != ScalarType::I1 {
            for (product, other) in [(lhs, rhs), (rhs, lhs)] {
                if let Some(&ArithOp::MulI { lhs: a, rhs: b, .. }) = self.arith_definition(product)
                    && self.used_once(product)
                {
                    if let Some((ty, lhs, rhs)) = self.narrow_factors(a, b)? {
                        let acc = self.register(other)?;
                        let part = Part::Wide;
                        return Ok(self.emit(
                            I::Mad {
                                part,
                                sat: Sat(false),
                                ty,
                                d: OpResult,
                                a: lhs,
                                b: rhs,
                                c: acc,
                            },
                            NvvmType::B64,
                        ));
                    }
                    let ty = self.int_type_of(lhs, Signedness::Signed)?;
                    let (lhs, rhs, acc) = (self.register(a)?, self.register(b)?, self.register(other)?);
                    let result = NvvmType::of_class(ty.class());
                    return Ok(self.emit(
                        I::Mad {
                            part: Part::Lo,
                            sat: Sat(false),
                            ty,
                            d: OpResult,
                            a: lhs,
                            b: rhs,
                            c: acc,
                        },
                        result,
                    ));
                }
            }
        }
        self.int(IntOp::Add, lhs, rhs)
    }

    /// The low half of a product; a wide product if both factors were extended from 32 bits.
    pub(super) fn product(&mut self, lhs: Value, rhs: Value) -> Result<Value, Problem> {
        let Some((ty, lhs, rhs)) = self.narrow_factors(lhs, rhs)? else {
            return self.int(IntOp::MulLo, lhs, rhs);
        };
        let part = Some(Part::Wide);
        let op = I::Mul {
            part,
            rounding: None,
            ftz: Ftz(false),
            sat: Sat(false),
            ty,
            d: OpResult,
            a: lhs,
            b: rhs,
        };
        Ok(self.emit(op, NvvmType::B64))
    }

    /// The factors of a 64-bit product as 32 bits, if they were extended from 32 bits or are constants of that range.
    fn narrow_factors(&mut self, lhs: Value, rhs: Value) -> Result<Option<(Type, Value, Value)>, Problem> {
        if self.scalar(lhs)? != ScalarType::I64 {
            return Ok(None);
        }
        let extended = |selector: &Self, value| match selector.arith_definition(value) {
            Some(&ArithOp::ExtI { source, signedness })
                if selector.from.ty(source).scalar() == Some(ScalarType::I32) =>
            {
                Some((source, signedness))
            }
            _ => None,
        };
        for (one, other) in [(lhs, rhs), (rhs, lhs)] {
            let Some((source, signedness)) = extended(self, one) else {
                continue;
            };
            let ty = match signedness {
                Signedness::Signed => Type::S32,
                Signedness::Unsigned => Type::U32,
            };
            if let Some(literal) = self.constant(other) {
                let Ok(constant) = i32::try_from(literal.signed()) else {
                    continue;
                };
                if constant < 0 && signedness == Signedness::Unsigned {
                    continue;
                }
                let rhs = self.literal(Literal::i32(constant))?;
                return Ok(Some((ty, self.register(source)?, rhs)));
            }
            if let Some((second, same)) = extended(self, other)
                && same == signedness
            {
                return Ok(Some((ty, self.register(source)?, self.register(second)?)));
            }
        }
        Ok(None)
    }

    /// An op of two integers.
    pub(super) fn int(&mut self, op: IntOp, lhs: Value, rhs: Value) -> Result<Value, Problem> {
        if self.scalar(lhs)? == ScalarType::I1 {
            let (lhs, rhs) = (self.register(lhs)?, self.register(rhs)?);
            return self.logic(op, lhs, rhs);
        }
        let (signed, unsigned) = (
            self.int_type_of(lhs, Signedness::Signed)?,
            self.int_type_of(lhs, Signedness::Unsigned)?,
        );
        let by = |signedness| {
            if signedness == Signedness::Signed {
                signed
            } else {
                unsigned
            }
        };
        let (lhs, rhs) = (self.register(lhs)?, self.register(rhs)?);
        let op = match op {
            IntOp::Add => I::Add {
                rounding: None,
                ftz: Ftz(false),
                sat: Sat(false),
                ty: signed,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Sub => I::Sub {
                rounding: None,
                ftz: Ftz(false),
                sat: Sat(false),
                ty: signed,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::MulLo => I::Mul {
                part: Some(Part::Lo),
                rounding: None,
                ftz: Ftz(false),
                sat: Sat(false),
                ty: signed,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::MulHiU => I::Mul {
                part: Some(Part::Hi),
                rounding: None,
                ftz: Ftz(false),
                sat: Sat(false),
                ty: unsigned,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Div(s) => I::Div {
                approximation: None,
                rounding: None,
                ftz: Ftz(false),
                ty: by(s),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Rem(s) => I::Rem {
                ty: by(s),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Min(s) => I::Min {
                ftz: Ftz(false),
                nan: Nan(false),
                ty: by(s),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Max(s) => I::Max {
                ftz: Ftz(false),
                nan: Nan(false),
                ty: by(s),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::And => I::And {
                ty: bits_type(signed),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Or => I::Or {
                ty: bits_type(signed),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            IntOp::Xor => I::Xor {
                ty: bits_type(signed),
                d: OpResult,
                a: lhs,
                b: rhs,
            },
        };
        Ok(self.emit(op, NvvmType::of_class(signed.class())))
    }

    /// An op on two predicates. Signed true is -1.
    fn logic(&mut self, op: IntOp, lhs: Value, rhs: Value) -> Result<Value, Problem> {
        Ok(match op {
            IntOp::Add | IntOp::Sub | IntOp::Xor => self.one_of(lhs, rhs),
            IntOp::MulLo | IntOp::And | IntOp::Min(Signedness::Unsigned) | IntOp::Max(Signedness::Signed) => {
                self.both(lhs, rhs)
            }
            IntOp::Or | IntOp::Max(Signedness::Unsigned) | IntOp::Min(Signedness::Signed) => {
                self.either(lhs, rhs)
            }
            // The divisor is not zero, so it is one, and -1 / -1 overflows.
            IntOp::Div(_) => lhs,
            IntOp::Rem(_) | IntOp::MulHiU => return self.literal(Literal::i1(false)),
        })
    }

    /// The conjunction of two predicates.
    pub(super) fn both(&mut self, a: Value, b: Value) -> Value {
        self.emit(I::AndPred { d: OpResult, a, b }, NvvmType::Pred)
    }

    /// The disjunction of two predicates.
    pub(super) fn either(&mut self, a: Value, b: Value) -> Value {
        self.emit(I::OrPred { d: OpResult, a, b }, NvvmType::Pred)
    }

    /// The exclusive or of two predicates.
    pub(super) fn one_of(&mut self, a: Value, b: Value) -> Value {
        self.emit(I::XorPred { d: OpResult, a, b }, NvvmType::Pred)
    }

    /// The negation of a predicate.
    pub(super) fn not(&mut self, a: Value) -> Value {
        self.emit(I::NotPred { d: OpResult, a }, NvvmType::Pred)
    }

    pub(super) fn negated_integer(&mut self, source: Value) -> Result<Value, Problem> {
        let value = self.register(source)?;
        if self.scalar(source)? == ScalarType::I1 {
            return Ok(value);
        }
        let ty = self.int_type_of(source, Signedness::Signed)?;
        Ok(self.emit(
            I::Neg {
                ftz: Ftz(false),
                ty,
                d: OpResult,
                a: value,
            },
            NvvmType::of_class(ty.class()),
        ))
    }

    pub(super) fn absolute_integer(&mut self, source: Value) -> Result<Value, Problem> {
        let value = self.register(source)?;
        if self.scalar(source)? == ScalarType::I1 {
            return Ok(value);
        }
        let ty = self.int_type_of(source, Signedness::Signed)?;
        Ok(self.emit(
            I::Abs {
                ftz: Ftz(false),
                ty,
                d: OpResult,
                a: value,
            },
            NvvmType::of_class(ty.class()),
        ))
    }

    /// A shift: left without a signedness, else right. PTX clamps the amount to the width, as `arith` requires.
    pub(super) fn shift(
        &mut self,
        lhs: Value,
        amount: Value,
        right: Option<Signedness>,
    ) -> Result<Value, Problem> {
        if self.scalar(lhs)? == ScalarType::I1 {
            let (lhs, amount) = (self.register(lhs)?, self.register(amount)?);
            if right == Some(Signedness::Signed) {
                // The only bit is the sign bit.
                return Ok(lhs);
            }
            let stays = self.not(amount);
            return Ok(self.both(lhs, stays));
        }
        let ty = self.int_type_of(lhs, right.unwrap_or(Signedness::Unsigned))?;
        let amount = self.shift_amount(amount)?;
        let lhs = self.register(lhs)?;
        let result = NvvmType::of_class(ty.class());
        Ok(match right {
            None => self.emit(
                I::Shl {
                    ty: bits_type(ty),
                    d: OpResult,
                    a: lhs,
                    b: amount,
                },
                result,
            ),
            Some(_) => self.emit(
                I::Shr {
                    ty,
                    d: OpResult,
                    a: lhs,
                    b: amount,
                },
                result,
            ),
        })
    }

    /// A shift amount as 32 bits; amounts from 64 on are equivalent.
    fn shift_amount(&mut self, amount: Value) -> Result<Value, Problem> {
        if let Some(literal) = self.constant(amount) {
            return self.literal(Literal::new(ScalarType::I32, literal.bits.min(64)));
        }
        let value = self.register(amount)?;
        let from = self.int_type_of(amount, Signedness::Unsigned)?;
        let narrow = |selector: &mut Self, source| {
            let to = Type::U32;
            selector.emit(
                I::Cvt {
                    rounding: None,
                    ftz: Ftz(false),
                    sat: Sat(false),
                    to,
                    from,
                    d: OpResult,
                    a: source,
                },
                NvvmType::B32,
            )
        };
        match from {
            Type::U32 => Ok(value),
            Type::U64 => {
                let most = self.literal(Literal::i64(64))?;
                let min = I::Min {
                    ftz: Ftz(false),
                    nan: Nan(false),
                    ty: Type::U64,
                    d: OpResult,
                    a: value,
                    b: most,
                };
                let clamped = self.emit(min, NvvmType::B64);
                Ok(narrow(self, clamped))
            }
            _ => Ok(narrow(self, value)),
        }
    }

    pub(super) fn compare_integers(
        &mut self,
        lhs: Value,
        rhs: Value,
        predicate: Predicate,
        signedness: Signedness,
    ) -> Result<Value, Problem> {
        if self.scalar(lhs)? == ScalarType::I1 {
            let (lhs, rhs) = (self.register(lhs)?, self.register(rhs)?);
            return Ok(self.compare_predicates(lhs, rhs, predicate, signedness));
        }
        let ty = self.int_type_of(lhs, signedness)?;
        let (lhs, rhs) = (self.register(lhs)?, self.register(rhs)?);
        let comparison = match predicate {
            Predicate::Equal => Comparison::Eq,
            Predicate::NotEqual => Comparison::Ne,
            Predicate::Less => Comparison::Lt,
            Predicate::LessEqual => Comparison::Le,
            Predicate::Greater => Comparison::Gt,
            Predicate::GreaterEqual => Comparison::Ge,
        };
        Ok(self.setp(comparison, ty, lhs, rhs))
    }

    pub(super) fn setp(&mut self, comparison: Comparison, ty: Type, lhs: Value, rhs: Value) -> Value {
        self.emit(
            I::Setp {
                comparison,
                ftz: Ftz(false),
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            NvvmType::Pred,
        )
    }

    fn compare_predicates(
        &mut self,
        lhs: Value,
        rhs: Value,
        predicate: Predicate,
        signedness: Signedness,
    ) -> Value {
        // Signed true is -1, the smaller value.
        let (low, high) = match signedness {
            Signedness::Unsigned => (lhs, rhs),
            Signedness::Signed => (rhs, lhs),
        };
        match predicate {
            Predicate::NotEqual => self.one_of(lhs, rhs),
            Predicate::Equal => {
                let differ = self.one_of(lhs, rhs);
                self.not(differ)
            }
            Predicate::Less | Predicate::GreaterEqual => {
                let low = self.not(low);
                let less = self.both(low, high);
                if predicate == Predicate::Less {
                    less
                } else {
                    self.not(less)
                }
            }
            Predicate::Greater | Predicate::LessEqual => {
                let high = self.not(high);
                let greater = self.both(low, high);
                if predicate == Predicate::Greater {
                    greater
                } else {
                    self.not(greater)
                }
            }
        }
    }
}
