//! Copies between registers, and addresses.

use super::{Decoded, Decoder};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::program::{Op, Source, row1};
use tilewright_irs::ptx::{Immediate, MoveSource, Predicate, Register, Space, Type, Value};

impl Decoder<'_> {
    pub(super) fn mov(&self, ty: Type, d: Register, a: &MoveSource) -> Decoded<Op> {
        Ok(match a {
            MoveSource::Value(Value::Register(a)) if ty == Type::Pred => Op::CopyBit {
                d: d.index,
                a: self.bit(Predicate::from(*a)),
            },
            MoveSource::Value(Value::Immediate(value)) if ty == Type::Pred => Op::ConstantBit {
                d: d.index,
                value: *value != Immediate::Int(0),
            },
            MoveSource::Special(_) | MoveSource::Symbol(..) if ty == Type::Pred => {
                return Err("a predicate holds no address".to_owned());
            }
            MoveSource::Value(value) => self.pure(ty, row1(|a| a), d, &[*value]),
            MoveSource::Special(register) => Op::Special {
                d: self.target(d),
                register: *register,
            },
            MoveSource::Symbol(symbol, offset) => {
                let address = self
                    .symbol(symbol)?
                    .address
                    .wrapping_add_signed(i64::from(*offset));
                Op::Pure {
                    f: row1(|a| a),
                    d: self.target(d),
                    sources: vec![Source::Constant(address)],
                }
            }
        })
    }

    pub(super) fn pack(&self, ty: Type, d: Register, parts: &[Value]) -> Op {
        let bits = ty.bits() / u32::try_from(parts.len()).unwrap_or(1);
        let part = if bits == 32 {
            Type::B32
        } else if bits == 16 {
            Type::B16
        } else {
            Type::B8
        };
        let parts = parts.iter().map(|value| self.source(part, *value)).collect();
        Op::Pack {
            d: self.target(d),
            parts,
            bits,
        }
    }

    pub(super) fn unpack(&self, ty: Type, d: &[Register], a: Register) -> Op {
        let bits = ty.bits() / u32::try_from(d.len()).unwrap_or(1);
        let d = d.iter().map(|register| self.target(*register)).collect();
        Op::Unpack {
            d,
            a: Source::Slot(self.slot(a)),
            bits,
        }
    }

    /// To a generic address, or with `to` from one to one of `space`.
    pub(super) fn cvta(&self, to: bool, space: Space, ty: Type, d: Register, a: &MoveSource) -> Decoded<Op> {
        let window = match space {
            Space::Global | Space::Const => 0,
            Space::Shared | Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
        };
        let f = if to {
            row1(move |a: u64| a.wrapping_sub(window))
        } else {
            row1(move |a: u64| a.wrapping_add(window))
        };
        let source = match a {
            MoveSource::Value(value) => self.source(ty, *value),
            MoveSource::Symbol(symbol, offset) => Source::Constant(
                self.symbol(symbol)?
                    .address
                    .wrapping_add_signed(i64::from(*offset)),
            ),
            MoveSource::Special(_) => return Err("a special register is no address".to_owned()),
        };
        Ok(Op::Pure {
            f,
            d: self.target(d),
            sources: vec![source],
        })
    }
}
