//! What each instruction is, made ready to run.

use super::{Decoded, Decoder, access, bytes};
use crate::convert;
use crate::float::Float;
use crate::integer;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::program::{Atomic, Bit, Op, RowFn, Source, each, row1, row2, row3, row4};
use crate::pure;
use crate::shared::Access;
use crate::soft::F32;
use tilewright_irs::ptx::{Boolean, Immediate, Instruction as I, MoveSource, Predicate, Space, Type, Value};

impl Decoder<'_> {
    /// The operation of one instruction.
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    pub(super) fn op(&self, instruction: &I) -> Decoded<Op> {
        Ok(match instruction {
            I::Mov { ty: Type::Pred, d, a } => match a {
                MoveSource::Value(Value::Register(a)) => Op::CopyBit {
                    d: d.index,
                    a: self.bit(Predicate::from(*a)),
                },
                MoveSource::Value(Value::Immediate(value)) => Op::ConstantBit {
                    d: d.index,
                    value: *value != Immediate::Int(0),
                },
                MoveSource::Special(_) | MoveSource::Symbol(..) => {
                    return Err("a predicate holds no address".to_owned());
                }
            },
            I::Mov { ty, d, a } => match a {
                MoveSource::Value(value) => self.pure(*ty, row1(|a| a), *d, &[*value]),
                MoveSource::Special(register) => Op::Special {
                    d: self.target(*d),
                    register: *register,
                },
                MoveSource::Symbol(symbol, offset) => {
                    let address = self
                        .symbol(symbol)?
                        .address
                        .wrapping_add_signed(i64::from(*offset));
                    Op::Pure {
                        f: row1(|a| a),
                        d: self.target(*d),
                        sources: vec![Source::Constant(address)],
                    }
                }
            },
            I::Pack { ty, d, a } => {
                let bits = ty.bits() / u32::try_from(a.0.len()).unwrap_or(1);
                let part = if bits == 32 {
                    Type::B32
                } else if bits == 16 {
                    Type::B16
                } else {
                    Type::B8
                };
                let parts = a.0.iter().map(|value| self.source(part, *value)).collect();
                Op::Pack {
                    d: self.target(*d),
                    parts,
                    bits,
                }
            }
            I::Unpack { ty, d, a } => {
                let bits = ty.bits() / u32::try_from(d.0.len()).unwrap_or(1);
                let d = d.0.iter().map(|register| self.target(*register)).collect();
                Op::Unpack {
                    d,
                    a: Source::Slot(self.slot(*a)),
                    bits,
                }
            }
            I::Add {
                rounding,
                ftz,
                sat,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::add(*ty, *rounding, ftz.0, sat.0), *d, &[*a, *b]),
            I::Sub {
                rounding,
                ftz,
                sat,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::sub(*ty, *rounding, ftz.0, sat.0), *d, &[*a, *b]),
            I::Mul {
                part,
                rounding,
                ftz,
                sat,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::mul(*ty, *part, *rounding, ftz.0, sat.0), *d, &[*a, *b]),
            I::Mad {
                part,
                sat,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let f = pure::mad(*ty, *part, sat.0);
                let mut sources = vec![self.source(*ty, *a), self.source(*ty, *b)];
                sources.push(match c {
                    // The addend of the wide form is twice as wide.
                    Value::Immediate(Immediate::Int(c)) => Source::Constant(c.cast_unsigned()),
                    c => self.source(*ty, *c),
                });
                Op::Pure {
                    f,
                    d: self.target(*d),
                    sources,
                }
            }
            I::Fma {
                rounding,
                ftz,
                sat,
                relu,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let float = pure::arithmetic(*ty, Some(*rounding), ftz.0, sat.0).ok_or("fma of integers")?;
                let float = Float {
                    relu: relu.0,
                    ..float
                };
                self.pure(*ty, pure::fma(*ty, float), *d, &[*a, *b, *c])
            }
            I::Div {
                approximation: _,
                rounding,
                ftz,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::div(*ty, *rounding, ftz.0), *d, &[*a, *b]),
            I::Rem { ty, d, a, b } => {
                let ty = *ty;
                self.pure(ty, row2(move |a, b| integer::remainder(ty, a, b)), *d, &[*a, *b])
            }
            I::Neg { ftz, ty, d, a } => self.pure(*ty, pure::neg(*ty, ftz.0), *d, &[*a]),
            I::Abs { ftz, ty, d, a } => self.pure(*ty, pure::abs(*ty, ftz.0), *d, &[*a]),
            I::Min {
                ftz,
                nan,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::min_max(*ty, false, ftz.0, nan.0), *d, &[*a, *b]),
            I::Max {
                ftz,
                nan,
                ty,
                d,
                a,
                b,
            } => self.pure(*ty, pure::min_max(*ty, true, ftz.0, nan.0), *d, &[*a, *b]),
            I::Sqrt {
                approximation: _,
                rounding,
                ftz,
                ty,
                d,
                a,
            } => {
                let float = pure::arithmetic(*ty, *rounding, ftz.0, false).ok_or("sqrt of integers")?;
                self.pure(*ty, row1(move |a| float.sqrt(a)), *d, &[*a])
            }
            I::Rcp {
                approximation: _,
                rounding,
                ftz,
                ty,
                d,
                a,
            } => {
                let float = pure::arithmetic(*ty, *rounding, ftz.0, false).ok_or("rcp of integers")?;
                self.pure(*ty, row1(move |a| float.rcp(a)), *d, &[*a])
            }
            I::Rsqrt {
                approximation: _,
                ftz,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, ftz.0, |x| 1.0 / x.sqrt()), *d, &[*a]),
            I::Ex2 {
                approximation: _,
                ftz,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, ftz.0, f64::exp2), *d, &[*a]),
            I::Lg2 {
                approximation: _,
                ftz,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, ftz.0, f64::log2), *d, &[*a]),
            I::Sin {
                approximation: _,
                ftz,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, ftz.0, f64::sin), *d, &[*a]),
            I::Cos {
                approximation: _,
                ftz,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, ftz.0, f64::cos), *d, &[*a]),
            I::Tanh {
                approximation: _,
                ty,
                d,
                a,
            } => self.pure(*ty, pure::approximate(*ty, false, f64::tanh), *d, &[*a]),
            I::Copysign { ty, d, a, b } => {
                let sign = if *ty == Type::F64 { 1 << 63 } else { F32.sign_bit() };
                self.pure(*ty, row2(move |a, b| (a & sign) | (b & !sign)), *d, &[*a, *b])
            }
            I::Testp { property, ty, d, a } => {
                let a = self.source(*ty, *a);
                Op::Compare {
                    f: pure::test(*ty, *property),
                    d: d.index,
                    sources: vec![a, a],
                    combine: None,
                }
            }
            I::And { ty, d, a, b } => self.pure(*ty, row2(|a, b| a & b), *d, &[*a, *b]),
            I::Or { ty, d, a, b } => self.pure(*ty, row2(|a, b| a | b), *d, &[*a, *b]),
            I::Xor { ty, d, a, b } => self.pure(*ty, row2(|a, b| a ^ b), *d, &[*a, *b]),
            I::Not { ty, d, a } => self.pure(*ty, row1(|a| !a), *d, &[*a]),
            I::Shl { ty, d, a, b } => {
                let sources = vec![self.source(*ty, *a), self.source(Type::U32, *b)];
                let ty = *ty;
                let f = row2(move |a, b| integer::shift_left(ty, a, b));
                Op::Pure {
                    f,
                    d: self.target(*d),
                    sources,
                }
            }
            I::Shr { ty, d, a, b } => {
                let sources = vec![self.source(*ty, *a), self.source(Type::U32, *b)];
                let ty = *ty;
                let f = row2(move |a, b| integer::shift_right(ty, a, b));
                Op::Pure {
                    f,
                    d: self.target(*d),
                    sources,
                }
            }
            I::Lop3 {
                ty,
                d,
                a,
                b,
                c,
                table,
            } => self.pure(*ty, row4(integer::lop3), *d, &[*a, *b, *c, *table]),
            I::Shf {
                direction,
                mode,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let (direction, mode) = (*direction, *mode);
                let f = row3(move |a, b, c| integer::funnel(direction, mode, a, b, c));
                self.pure(*ty, f, *d, &[*a, *b, *c])
            }
            I::Prmt { ty, mode, d, a, b, c } => {
                let mode = *mode;
                self.pure(
                    *ty,
                    row3(move |a, b, c| integer::permute(mode, a, b, c)),
                    *d,
                    &[*a, *b, *c],
                )
            }
            I::Bfe { ty, d, a, b, c } => {
                let ty = *ty;
                self.pure(
                    ty,
                    row3(move |a, b, c| integer::extract(ty, a, b, c)),
                    *d,
                    &[*a, *b, *c],
                )
            }
            I::Bfi { ty, d, a, b, c, e } => {
                let ty = *ty;
                self.pure(
                    ty,
                    row4(move |a, b, c, e| integer::insert(ty, a, b, c, e)),
                    *d,
                    &[*a, *b, *c, *e],
                )
            }
            I::Popc { ty, d, a } => self.pure(*ty, row1(|a| u64::from(a.count_ones())), *d, &[*a]),
            I::Clz { ty, d, a } => {
                let ty = *ty;
                self.pure(ty, row1(move |a| integer::leading_zeros(ty, a)), *d, &[*a])
            }
            I::Brev { ty, d, a } => {
                let ty = *ty;
                self.pure(ty, row1(move |a| integer::reverse(ty, a)), *d, &[*a])
            }
            I::Setp {
                comparison,
                ftz,
                ty,
                d,
                a,
                b,
            } => Op::Compare {
                f: pure::compare(*ty, *comparison, ftz.0),
                d: d.index,
                sources: vec![self.source(*ty, *a), self.source(*ty, *b)],
                combine: None,
            },
            I::SetpCombine {
                comparison,
                boolean,
                ftz,
                ty,
                d,
                a,
                b,
                c,
            } => Op::Compare {
                f: pure::compare(*ty, *comparison, ftz.0),
                d: d.index,
                sources: vec![self.source(*ty, *a), self.source(*ty, *b)],
                combine: Some((*boolean, self.bit(*c))),
            },
            I::Set {
                comparison,
                ftz,
                to,
                ty,
                d,
                a,
                b,
            } => {
                let compare = pure::compare(*ty, *comparison, ftz.0);
                let yes = if *to == Type::F32 {
                    u64::from(1f32.to_bits())
                } else {
                    u64::MAX
                };
                let f: RowFn = Box::new(move |rows, mask, out| {
                    let bits = compare(rows, mask);
                    each(mask, |lane| {
                        out[lane] = if bits >> lane & 1 == 1 { yes } else { 0 }
                    });
                });
                self.pure(*ty, f, *d, &[*a, *b])
            }
            I::Selp { ty, d, a, b, c } => Op::Select {
                d: self.target(*d),
                a: self.source(*ty, *a),
                b: self.source(*ty, *b),
                c: self.bit(*c),
            },
            I::AndPred { d, a, b } => self.logic(Boolean::And, *d, *a, *b),
            I::OrPred { d, a, b } => self.logic(Boolean::Or, *d, *a, *b),
            I::XorPred { d, a, b } => self.logic(Boolean::Xor, *d, *a, *b),
            I::NotPred { d, a } => {
                let a = self.bit(*a);
                Op::CopyBit {
                    d: d.index,
                    a: Bit {
                        negated: !a.negated,
                        ..a
                    },
                }
            }
            I::Cvt {
                rounding,
                ftz,
                sat,
                to,
                from,
                d,
                a,
            } => {
                let f = convert::convert(*to, *from, *rounding, ftz.0, sat.0);
                Op::Pure {
                    f: row1(f),
                    d: self.target(*d),
                    sources: vec![self.source(*from, *a)],
                }
            }
            I::CvtClamp {
                rounding,
                relu,
                satfinite,
                to,
                from,
                d,
                a,
            } => self.pure(
                *from,
                row1(convert::clamped(*to, *rounding, relu.0, satfinite.0)),
                *d,
                &[*a],
            ),
            I::CvtPack {
                rounding,
                relu,
                satfinite,
                to,
                from,
                d,
                a,
                b,
            } => self.pure(
                *from,
                pure::pack_halves(*to, *rounding, relu.0, satfinite.0),
                *d,
                &[*a, *b],
            ),
            I::CvtPackFp8 {
                relu,
                to,
                from,
                d,
                a,
                b,
            } => self.pure(*from, pure::singles_to_eight(*to, relu.0), *d, &[*a, *b]),
            I::CvtToFp8 { relu, to, from, d, a } => {
                self.pure(*from, pure::halves_to_eight(*to, relu.0), *d, &[*a])
            }
            I::CvtFromFp8 {
                relu,
                to: _,
                from,
                d,
                a,
            } => self.pure(*from, pure::eight_to_halves(*from, relu.0), *d, &[*a]),
            I::Cvta { to, space, ty, d, a } => {
                let window = match space {
                    Space::Global | Space::Const => 0,
                    Space::Shared | Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
                    Space::Local => LOCAL_WINDOW,
                    Space::Param => PARAM_WINDOW,
                };
                let f = if to.0 {
                    row1(move |a: u64| a.wrapping_sub(window))
                } else {
                    row1(move |a: u64| a.wrapping_add(window))
                };
                let source = match a {
                    MoveSource::Value(value) => self.source(*ty, *value),
                    MoveSource::Symbol(symbol, offset) => Source::Constant(
                        self.symbol(symbol)?
                            .address
                            .wrapping_add_signed(i64::from(*offset)),
                    ),
                    MoveSource::Special(_) => return Err("a special register is no address".to_owned()),
                };
                Op::Pure {
                    f,
                    d: self.target(*d),
                    sources: vec![source],
                }
            }
            I::Ld {
                order,
                space,
                ty,
                d,
                a,
                ..
            } => Op::Load {
                ty: *ty,
                bytes: bytes(*ty)?,
                d: d.0.iter().map(|register| self.target(*register)).collect(),
                pointer: self.pointer(*space, a)?,
                access: access(*order),
            },
            I::LdNc { ty, d, a, .. } => Op::Load {
                ty: *ty,
                bytes: bytes(*ty)?,
                d: d.0.iter().map(|register| self.target(*register)).collect(),
                pointer: self.pointer(Some(Space::Global), a)?,
                access: Access::Plain,
            },
            I::St {
                order,
                space,
                ty,
                a,
                b,
                ..
            } => Op::Store {
                bytes: bytes(*ty)?,
                pointer: self.pointer(*space, a)?,
                values: b.0.iter().map(|value| self.source(*ty, *value)).collect(),
                access: access(*order),
            },
            I::Atom {
                space,
                op,
                ty,
                d,
                a,
                b,
                ..
            } => Op::Atomic {
                op: Atomic::Op(*op),
                ty: *ty,
                bytes: bytes(*ty)?,
                d: Some(self.target(*d)),
                pointer: self.pointer(*space, a)?,
                b: self.source(*ty, *b),
                c: Source::Constant(0),
            },
            I::AtomCas {
                space,
                ty,
                d,
                a,
                b,
                c,
                ..
            } => Op::Atomic {
                op: Atomic::Cas,
                ty: *ty,
                bytes: bytes(*ty)?,
                d: Some(self.target(*d)),
                pointer: self.pointer(*space, a)?,
                b: self.source(*ty, *b),
                c: self.source(*ty, *c),
            },
            I::Red {
                space, op, ty, a, b, ..
            } => Op::Atomic {
                op: Atomic::Op(*op),
                ty: *ty,
                bytes: bytes(*ty)?,
                d: None,
                pointer: self.pointer(*space, a)?,
                b: self.source(*ty, *b),
                c: Source::Constant(0),
            },
            // Memory here is sequentially consistent, and time does not matter.
            I::Membar { .. } | I::Fence { .. } | I::Nanosleep { .. } => Op::Nothing,
            I::Bra { uni, target } => {
                let target = self
                    .labels
                    .get(target)
                    .copied()
                    .ok_or_else(|| format!("no label {target}"))?;
                Op::Branch {
                    target,
                    uniform: uni.0,
                }
            }
            I::Ret { .. } | I::Exit {} => Op::Exit,
            I::Trap {} => Op::Trap,
            I::BarSync { a, b } => self.barrier(*a, *b, true, true),
            I::BarArrive { a, b } => self.barrier(*a, Some(*b), false, true),
            I::BarrierCtaSync { aligned, a, b } | I::BarrierSync { aligned, a, b } => {
                self.barrier(*a, *b, true, aligned.0)
            }
            I::BarrierCtaArrive { aligned, a, b } => self.barrier(*a, Some(*b), false, aligned.0),
            I::BarWarpSync { mask } => Op::WarpBarrier {
                mask: self.source(Type::U32, *mask),
            },
            I::ShflSync {
                mode,
                ty: _,
                d,
                a,
                b,
                c,
                mask,
            } => Op::Shuffle {
                mode: *mode,
                d: self.target(d.register),
                valid: d.predicate.map(|predicate| predicate.index),
                a: self.source(Type::B32, *a),
                b: self.source(Type::U32, *b),
                c: self.source(Type::U32, *c),
                mask: self.source(Type::U32, *mask),
            },
            I::VoteSync {
                mode,
                ty: _,
                d,
                a,
                mask,
            } => Op::Vote {
                mode: *mode,
                d: d.index,
                a: self.bit(*a),
                mask: self.source(Type::U32, *mask),
            },
            I::VoteBallot { ty: _, d, a, mask } => Op::Ballot {
                d: self.target(*d),
                a: self.bit(*a),
                mask: self.source(Type::U32, *mask),
            },
            I::ReduxSync { op, ty, d, a, mask } => Op::Redux {
                op: *op,
                ty: *ty,
                d: self.target(*d),
                a: self.source(*ty, *a),
                mask: self.source(Type::U32, *mask),
            },
            I::Activemask { ty: _, d } => Op::Activemask { d: self.target(*d) },
            I::ElectSync { d, mask } => Op::Elect {
                d: self.target(d.register),
                leader: d.predicate.map(|predicate| predicate.index),
                mask: self.source(Type::U32, *mask),
            },
        })
    }
}
