//! Copies between registers, and addresses.

use super::{Decoded, Decoder};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};
use crate::program::{Op, Source, bit2, row1};
use crate::shared_address::names_block;
use tilewright_irs::ptx::{Immediate, Predicate, Register, Space, Type, Value, VariableAddress};

/// The first generic address of a state space.
fn window(space: Space) -> u64 {
    match space {
        Space::Global | Space::Const => 0,
        Space::Shared | Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
    }
}

impl Decoder<'_> {
    pub(super) fn mov(&self, ty: Type, d: Register, a: Value) -> Op {
        match a {
            Value::Register(a) if ty == Type::Pred => Op::CopyBit {
                d: d.index,
                a: self.bit(Predicate::from(a)),
            },
            Value::Immediate(value) if ty == Type::Pred => Op::ConstantBit {
                d: d.index,
                value: value != Immediate::Int(0),
            },
            a if ty.bits() > 64 => self.words(&[d], &[a]),
            a => self.pure(ty, row1(|a| a), d, &[a]),
        }
    }

    /// The address of a variable in its state space.
    pub(super) fn address_of(&self, d: Register, a: &VariableAddress) -> Decoded<Op> {
        Ok(Op::Pure {
            f: row1(|a| a),
            d: self.target(d),
            sources: vec![self.variable(a)?],
        })
    }

    fn variable(&self, a: &VariableAddress) -> Decoded<Source> {
        let located = self.symbol(&a.symbol)?;
        Ok(Source::Constant(
            located.address.wrapping_add_signed(i64::from(a.offset)),
        ))
    }

    /// Copies registers wider than a word.
    fn words(&self, d: &[Register], a: &[Value]) -> Op {
        Op::Words {
            d: self.targets(d),
            a: self.sources(Type::B64, a),
        }
    }

    pub(super) fn pack(&self, ty: Type, d: Register, parts: &[Value]) -> Op {
        if ty.bits() > 64 {
            return self.words(&[d], parts);
        }
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
        if ty.bits() > 64 {
            return self.words(d, &[Value::Register(a)]);
        }
        let bits = ty.bits() / u32::try_from(d.len()).unwrap_or(1);
        let d = d.iter().map(|register| self.target(*register)).collect();
        Op::Unpack {
            d,
            a: Source::Slot(self.slot(a)),
            bits,
        }
    }

    /// To a generic address, or with `to` from one to one of `space`.
    pub(super) fn cvta(&self, to: bool, space: Space, ty: Type, d: Register, a: Value) -> Op {
        self.in_space(to, space, d, self.source(ty, a))
    }

    /// Like [`Self::cvta`], for a variable's address.
    pub(super) fn cvta_variable(&self, space: Space, d: Register, a: &VariableAddress) -> Decoded<Op> {
        Ok(self.in_space(false, space, d, self.variable(a)?))
    }

    fn in_space(&self, to: bool, space: Space, d: Register, source: Source) -> Op {
        let window = window(space);
        let f = if to {
            row1(move |a: u64| a.wrapping_sub(window))
        } else {
            row1(move |a: u64| a.wrapping_add(window))
        };
        Op::Pure {
            f,
            d: self.target(d),
            sources: vec![source],
        }
    }

    /// Whether a generic address is in `space`.
    pub(super) fn is_space(&self, space: Space, d: Register, a: Value) -> Op {
        let window = window(space);
        let whole_cluster = space == Space::SharedCluster;
        // Global addresses are those outside of all windows.
        let f = bit2(move |a, _| match window {
            SHARED_WINDOW => {
                let offset = a.wrapping_sub(SHARED_WINDOW);
                offset < WINDOW && (whole_cluster || !names_block(offset))
            }
            0 => [SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW]
                .iter()
                .all(|window| a.wrapping_sub(*window) >= WINDOW),
            window => a.wrapping_sub(window) < WINDOW,
        });
        self.compare(Type::B64, f, d, [a, a], None)
    }
}
