//! The PTX instruction that an op stands for.
//!
//! One mapping serves the verifier, which asks whether the form exists on the target, and the emitter.

use super::ops::NvvmDialect as N;
use crate::core::Value;
use crate::element::ScalarType;
use crate::literal::Literal;
use crate::llvm::SpecialRegister;
use crate::ptx::{
    Address, Base, Ftz, Immediate, Instruction as I, MoveSource, Nan, Order, PackedResults, PackedSources,
    Predicate, Register, Relu, Results, Sat, Sources, Special, Type, Value as Operand, Width,
};

/// Where the operands of an instruction come from.
pub trait OperandSource {
    /// The value as an operand that may be a constant.
    fn value(&mut self, value: Value) -> Operand;
    /// The value in a register.
    fn register(&mut self, value: Value) -> Register;
}

impl Special {
    /// The PTX name of a special register.
    pub const fn of(register: SpecialRegister) -> Self {
        match register {
            SpecialRegister::TidX => Self::TidX,
            SpecialRegister::CtaidX => Self::CtaidX,
            SpecialRegister::CtaidY => Self::CtaidY,
            SpecialRegister::CtaidZ => Self::CtaidZ,
            SpecialRegister::NctaidX => Self::NctaidX,
            SpecialRegister::NctaidY => Self::NctaidY,
            SpecialRegister::NctaidZ => Self::NctaidZ,
        }
    }
}

impl Immediate {
    /// A constant operand; `None` for numbers that PTX has no constant for.
    pub fn of(literal: Literal) -> Option<Self> {
        match literal.ty {
            ScalarType::I1
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::F16
            | ScalarType::BF16 => {
                let signed = match literal.ty {
                    // Halves are bits, and a predicate is 0 or 1.
                    ScalarType::F16 | ScalarType::BF16 | ScalarType::I1 => literal.bits.cast_signed(),
                    _ => literal.signed(),
                };
                Some(Self::Int(signed))
            }
            ScalarType::F32 => u32::try_from(literal.bits).ok().map(Self::F32),
            ScalarType::F64 => Some(Self::F64(literal.bits)),
            ScalarType::I4
            | ScalarType::TF32
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F4E2M1FN
            | ScalarType::F8E5M3FNU => None,
        }
    }
}

/// The type with which a constant is moved into its register.
fn move_type(ty: ScalarType) -> Option<Type> {
    super::NvvmType::of_scalar(ty).map(|ty| ty.class().declared())
}

/// Whether an operand of this type may be a constant: halves have no constants in PTX.
const fn takes_constant(ty: Type) -> bool {
    !matches!(ty, Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2)
}

/// The instruction of an op with its results in `d`. A guard is not part of it.
///
/// `None` for control flow and for the base of shared memory, which need names that only the entry has, and for
/// constants and result counts that PTX does not have.
pub fn form(op: &N, d: &[Register], source: &mut dyn OperandSource) -> Option<I> {
    let one = || d.first().copied();
    let ftz = |flag: &crate::core::Flag| Ftz(flag.0);
    let sat = |flag: &crate::core::Flag| Sat(flag.0);
    let nan = |flag: &crate::core::Flag| Nan(flag.0);
    let any = |source: &mut dyn OperandSource, ty: Type, value: Value| {
        if takes_constant(ty) {
            source.value(value)
        } else {
            source.register(value).into()
        }
    };
    let reg = |source: &mut dyn OperandSource, value: Value| Operand::from(source.register(value));
    let pred = |source: &mut dyn OperandSource, value: Value| Predicate::from(source.register(value));
    Some(match *op {
        N::Mov { value } => {
            let constant = Immediate::of(value)?;
            I::Mov {
                ty: move_type(value.ty)?,
                d: one()?,
                a: MoveSource::Value(constant.into()),
            }
        }
        N::MovBits { ty, source: a } => {
            let a = source.register(a);
            I::Mov {
                ty,
                d: one()?,
                a: a.into(),
            }
        }
        N::Pack { ty, ref parts } => {
            let parts = parts.iter().map(|&part| reg(source, part)).collect();
            I::Pack {
                ty,
                d: one()?,
                a: PackedSources(parts),
            }
        }
        N::Unpack { ty, source: a } => I::Unpack {
            ty,
            d: PackedResults(d.to_vec()),
            a: source.register(a),
        },
        N::Add {
            rounding,
            ftz: f,
            sat: s,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Add {
                rounding,
                ftz: ftz(&f),
                sat: sat(&s),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Sub {
            rounding,
            ftz: f,
            sat: s,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Sub {
                rounding,
                ftz: ftz(&f),
                sat: sat(&s),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Mul {
            part,
            rounding,
            ftz: f,
            sat: s,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Mul {
                part,
                rounding,
                ftz: ftz(&f),
                sat: sat(&s),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Mad {
            part,
            ty,
            lhs,
            rhs,
            acc,
        } => {
            let (a, b, c) = (any(source, ty, lhs), any(source, ty, rhs), any(source, ty, acc));
            I::Mad {
                part,
                sat: Sat(false),
                ty,
                d: one()?,
                a,
                b,
                c,
            }
        }
        N::Fma {
            rounding,
            ftz: f,
            sat: s,
            ty,
            lhs,
            rhs,
            acc,
        } => {
            let (a, b, c) = (any(source, ty, lhs), any(source, ty, rhs), any(source, ty, acc));
            I::Fma {
                rounding,
                ftz: ftz(&f),
                sat: sat(&s),
                relu: Relu(false),
                ty,
                d: one()?,
                a,
                b,
                c,
            }
        }
        N::Div {
            approximation,
            rounding,
            ftz: f,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Div {
                approximation,
                rounding,
                ftz: ftz(&f),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Rem { ty, lhs, rhs } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Rem { ty, d: one()?, a, b }
        }
        N::Neg {
            ftz: f,
            ty,
            source: a,
        } => I::Neg {
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Abs {
            ftz: f,
            ty,
            source: a,
        } => I::Abs {
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Min {
            ftz: f,
            nan: n,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Min {
                ftz: ftz(&f),
                nan: nan(&n),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Max {
            ftz: f,
            nan: n,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Max {
                ftz: ftz(&f),
                nan: nan(&n),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Sqrt {
            approximation,
            rounding,
            ftz: f,
            ty,
            source: a,
        } => I::Sqrt {
            approximation,
            rounding,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Rsqrt {
            approximation,
            ftz: f,
            ty,
            source: a,
        } => I::Rsqrt {
            approximation,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Rcp {
            approximation,
            rounding,
            ftz: f,
            ty,
            source: a,
        } => I::Rcp {
            approximation,
            rounding,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Ex2 {
            approximation,
            ftz: f,
            ty,
            source: a,
        } => I::Ex2 {
            approximation,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Lg2 {
            approximation,
            ftz: f,
            ty,
            source: a,
        } => I::Lg2 {
            approximation,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Sin {
            approximation,
            ftz: f,
            ty,
            source: a,
        } => I::Sin {
            approximation,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Cos {
            approximation,
            ftz: f,
            ty,
            source: a,
        } => I::Cos {
            approximation,
            ftz: ftz(&f),
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Tanh {
            approximation,
            ty,
            source: a,
        } => I::Tanh {
            approximation,
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::And {
            ty: Type::Pred,
            lhs,
            rhs,
        } => {
            let (a, b) = (pred(source, lhs), pred(source, rhs));
            I::AndPred { d: one()?, a, b }
        }
        N::Or {
            ty: Type::Pred,
            lhs,
            rhs,
        } => {
            let (a, b) = (pred(source, lhs), pred(source, rhs));
            I::OrPred { d: one()?, a, b }
        }
        N::Xor {
            ty: Type::Pred,
            lhs,
            rhs,
        } => {
            let (a, b) = (pred(source, lhs), pred(source, rhs));
            I::XorPred { d: one()?, a, b }
        }
        N::Not {
            ty: Type::Pred,
            source: a,
        } => I::NotPred {
            d: one()?,
            a: pred(source, a),
        },
        N::And { ty, lhs, rhs } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::And { ty, d: one()?, a, b }
        }
        N::Or { ty, lhs, rhs } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Or { ty, d: one()?, a, b }
        }
        N::Xor { ty, lhs, rhs } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Xor { ty, d: one()?, a, b }
        }
        N::Not { ty, source: a } => I::Not {
            ty,
            d: one()?,
            a: reg(source, a),
        },
        N::Shl { ty, lhs, amount } => {
            let (a, b) = (any(source, ty, lhs), source.value(amount));
            I::Shl { ty, d: one()?, a, b }
        }
        N::Shr { ty, lhs, amount } => {
            let (a, b) = (any(source, ty, lhs), source.value(amount));
            I::Shr { ty, d: one()?, a, b }
        }
        N::Setp {
            comparison,
            ftz: f,
            ty,
            lhs,
            rhs,
        } => {
            let (a, b) = (any(source, ty, lhs), any(source, ty, rhs));
            I::Setp {
                comparison,
                ftz: ftz(&f),
                ty,
                d: one()?,
                a,
                b,
            }
        }
        N::Selp {
            ty,
            yes,
            no,
            condition,
        } => {
            let (a, b) = (any(source, ty, yes), any(source, ty, no));
            I::Selp {
                ty,
                d: one()?,
                a,
                b,
                c: pred(source, condition),
            }
        }
        N::Cvt {
            rounding,
            ftz: f,
            sat: s,
            to,
            from,
            source: a,
        } => I::Cvt {
            rounding,
            ftz: ftz(&f),
            sat: sat(&s),
            to,
            from,
            d: one()?,
            a: reg(source, a),
        },
        N::Ld {
            order,
            scope,
            space,
            cache,
            eviction,
            prefetch,
            ty,
            pointer,
            offset,
            ..
        } => I::Ld {
            order: explicit(order),
            scope,
            space: Some(space),
            cache,
            eviction,
            prefetch,
            width: Width::of(d.len())?,
            ty,
            d: Results(d.to_vec()),
            a: address(source, pointer, offset),
        },
        N::St {
            order,
            scope,
            space,
            cache,
            eviction,
            ty,
            pointer,
            offset,
            ref values,
            ..
        } => I::St {
            order: explicit(order),
            scope,
            space: Some(space),
            cache,
            eviction,
            width: Width::of(values.len())?,
            ty,
            a: address(source, pointer, offset),
            b: Sources(values.iter().map(|&value| reg(source, value)).collect()),
        },
        N::ReadSreg { register } => I::Mov {
            ty: Type::U32,
            d: one()?,
            a: MoveSource::Special(Special::of(register)),
        },
        N::Barrier { id, threads } => I::BarSync {
            a: id.into(),
            b: Some(threads.into()),
        },
        N::SharedBase {} | N::Bra { .. } | N::Cbra { .. } | N::Ret {} => return None,
    })
}

/// `weak` is what PTX means when nothing is said.
fn explicit(order: Order) -> Option<Order> {
    (order != Order::Weak).then_some(order)
}

fn address(source: &mut dyn OperandSource, pointer: Value, offset: i32) -> Address {
    Address {
        base: Base::Register(source.register(pointer)),
        offset,
    }
}
