//! Decoding of instructions: one arm each. Longer ones are in the family's file.

use super::bulk;
use super::group::{self, Left};
use super::memory::{access, atomic};
use super::{Decoded, Decoder, control, matrix};
use crate::convert;
use crate::float::Float;
use crate::integer;
use crate::matrix::Unpacking;
use crate::program::{
    Atomic, BulkInstruction, Direction, Multimem, Op, ReductionKind, Source, row1, row2, row3, row4,
};
use crate::pure;
use crate::shared::Access;
use crate::soft::F32;
use crate::tensor_map;
use tilewright_irs::ptx::{
    BlockScaleWord, Boolean, CopyMask, Instruction as I, Order, Proxy, Space, Type, Value,
};

impl Decoder<'_> {
    /// The operation of one instruction.
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    pub(super) fn op(&self, instruction: &I) -> Decoded<Op> {
        Ok(match instruction {
            I::Mov { ty, d, a } => self.mov(*ty, *d, *a),
            I::ReadSpecial { ty: _, d, register } => Op::Special {
                d: self.target(*d),
                register: *register,
            },
            I::AddressOf { ty: _, d, a } => self.address_of(*d, a)?,
            I::Pack { ty, d, a } => self.pack(*ty, *d, &a.0),
            I::Unpack { ty, d, a } => self.unpack(*ty, &d.0, *a),
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
            } => self.mad(*ty, pure::mad(*ty, *part, sat.0), *d, [*a, *b, *c]),
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
                self.compare(*ty, pure::test(*ty, *property), *d, [*a, *a], None)
            }
            I::And { ty, d, a, b } => self.pure(*ty, row2(|a, b| a & b), *d, &[*a, *b]),
            I::Or { ty, d, a, b } => self.pure(*ty, row2(|a, b| a | b), *d, &[*a, *b]),
            I::Xor { ty, d, a, b } => self.pure(*ty, row2(|a, b| a ^ b), *d, &[*a, *b]),
            I::Not { ty, d, a } => self.pure(*ty, row1(|a| !a), *d, &[*a]),
            I::Shl { ty, d, a, b } => self.shift(*ty, integer::shift_left, *d, *a, *b),
            I::Shr { ty, d, a, b } => self.shift(*ty, integer::shift_right, *d, *a, *b),
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
            I::Bfind { shift, ty, d, a } => {
                let (shift, ty) = (shift.0, *ty);
                self.pure(ty, row1(move |a| integer::highest(ty, shift, a)), *d, &[*a])
            }
            I::Mul24 { part, ty, d, a, b } => {
                let (part, ty) = (*part, *ty);
                self.pure(
                    ty,
                    row2(move |a, b| integer::product24(ty, part, a, b)),
                    *d,
                    &[*a, *b],
                )
            }
            I::Mad24 {
                part,
                sat,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let (part, sat, ty) = (*part, sat.0, *ty);
                let f = row3(move |a, b, c| integer::sum24(ty, part, sat, a, b, c));
                self.pure(ty, f, *d, &[*a, *b, *c])
            }
            I::Dp4a {
                left,
                right,
                d,
                a,
                b,
                c,
            } => {
                let signed = (*left == Type::S32, *right == Type::S32);
                let f = row3(move |a, b, c| integer::dot4(signed, a, b, c));
                self.pure(Type::B32, f, *d, &[*a, *b, *c])
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
            } => self.compare(*ty, pure::compare(*ty, *comparison, ftz.0), *d, [*a, *b], None),
            I::SetpCombine {
                comparison,
                boolean,
                ftz,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let f = pure::compare(*ty, *comparison, ftz.0);
                self.compare(*ty, f, *d, [*a, *b], Some((*boolean, self.bit(*c))))
            }
            I::SetpPacked {
                comparison,
                ftz,
                ty,
                d,
                a,
                b,
            } => {
                let f = pure::compare_halves(*ty, *comparison, ftz.0);
                self.compare_halves(*ty, f, d, [*a, *b], None)
            }
            I::SetpPackedCombine {
                comparison,
                boolean,
                ftz,
                ty,
                d,
                a,
                b,
                c,
            } => {
                let f = pure::compare_halves(*ty, *comparison, ftz.0);
                self.compare_halves(*ty, f, d, [*a, *b], Some((*boolean, self.bit(*c))))
            }
            I::Set {
                comparison,
                ftz,
                to,
                ty,
                d,
                a,
                b,
            } => self.pure(
                *ty,
                pure::set(*to, pure::compare(*ty, *comparison, ftz.0)),
                *d,
                &[*a, *b],
            ),
            I::Selp { ty, d, a, b, c } => Op::Select {
                d: self.target(*d),
                a: self.source(*ty, *a),
                b: self.source(*ty, *b),
                c: self.bit(*c),
            },
            I::AndPred { d, a, b } => self.logic(Boolean::And, *d, *a, *b),
            I::OrPred { d, a, b } => self.logic(Boolean::Or, *d, *a, *b),
            I::XorPred { d, a, b } => self.logic(Boolean::Xor, *d, *a, *b),
            I::NotPred { d, a } => self.not(*d, *a),
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
            I::Cvta { to, space, ty, d, a } => self.cvta(to.0, *space, *ty, *d, *a),
            I::CvtaVariable { space, ty: _, d, a } => self.cvta_variable(*space, *d, a)?,
            I::Ld {
                order,
                scope,
                space,
                ty,
                d,
                a,
                ..
            } => self.load(*ty, &d.0, *space, a, access(*order, *scope))?,
            I::LdNc { ty, d, a, .. } => self.load(*ty, &d.0, Some(Space::Global), a, Access::Plain)?,
            I::St {
                order,
                scope,
                space,
                ty,
                a,
                b,
                ..
            } => self.store(*ty, *space, a, &b.0, access(*order, *scope))?,
            I::Atom {
                scope,
                space,
                op,
                ty,
                d,
                a,
                b,
                ..
            } => self.atomic(
                (Atomic::Op(*op), atomic(*scope)),
                *ty,
                &d.0,
                *space,
                a,
                (&b.0, &[]),
            )?,
            I::AtomCas {
                scope,
                space,
                ty,
                d,
                a,
                b,
                c,
                ..
            } => self.atomic(
                (Atomic::Cas, atomic(*scope)),
                *ty,
                &[*d],
                *space,
                a,
                (&[*b], &[*c]),
            )?,
            I::Red {
                scope,
                space,
                op,
                ty,
                a,
                b,
                ..
            } => self.atomic(
                (Atomic::Op(*op), atomic(*scope)),
                *ty,
                &[],
                *space,
                a,
                (&b.0, &[]),
            )?,
            I::MultimemLoad {
                order,
                scope,
                space,
                op,
                acc: None,
                ty,
                d,
                a,
                ..
            } => self.multimem(
                (Multimem::Load(*op), access(*order, *scope)),
                *ty,
                &d.0,
                *space,
                a,
                &[],
            )?,
            // The wider sum of halves is not modelled.
            I::MultimemLoad { acc: Some(_), .. } => return Err(format!("`{instruction}`")),
            I::MultimemStore {
                order,
                scope,
                space,
                ty,
                a,
                b,
                ..
            } => self.multimem(
                (Multimem::Store, access(*order, *scope)),
                *ty,
                &[],
                *space,
                a,
                &b.0,
            )?,
            I::MultimemRed {
                space, op, ty, a, b, ..
            } => {
                let what = (Multimem::Reduce(*op), Access::Synchronising);
                self.multimem(what, *ty, &[], *space, a, &b.0)?
            }
            // Memory here is sequentially consistent, and time does not matter.
            I::Membar { .. }
            | I::Fence { .. }
            | I::FenceProxy {
                proxy: Proxy::Alias, ..
            }
            | I::FenceTensormapRelease { .. }
            | I::FenceSyncRestrict { .. }
            | I::Nanosleep { .. }
            | I::PrefetchLine { .. }
            | I::TensormapPrefetch { .. }
            | I::LaunchDependents {}
            | I::WaitForGrids {} => Op::Nothing,
            I::FenceProxy {
                proxy: Proxy::Async, ..
            }
            | I::FenceProxyRestrict { .. } => Op::FenceAsync,
            I::FenceMbarrierInit {} => Op::FenceMbarriers,
            I::SetMaxRegisters { change, count, .. } => Op::SetRegisters {
                change: *change,
                count: *count,
            },
            I::ClusterArrive { order, aligned } => Op::ClusterArrive {
                aligned: aligned.0,
                releases: *order != Some(Order::Relaxed),
            },
            I::ClusterWait { order: _, aligned } => Op::ClusterWait { aligned: aligned.0 },
            I::Mapa {
                space,
                ty,
                d,
                a,
                rank,
            } => Op::Mapa {
                d: self.target(*d),
                a: self.source(*ty, *a),
                rank: self.source(Type::B32, *rank),
                generic: space.is_none(),
            },
            I::GetCtaRank { space, ty, d, a } => Op::RankOfAddress {
                d: self.target(*d),
                a: self.source(*ty, *a),
                generic: space.is_none(),
            },
            I::Bra { uni, target } => self.branch(*target, uni.0)?,
            I::Ret { .. } | I::Exit {} => Op::Exit,
            I::Trap {} => Op::Trap,
            I::BarSync { a, b, .. } => self.barrier(*a, *b, true, true),
            I::BarArrive { a, b, .. } => self.barrier(*a, Some(*b), false, true),
            I::BarrierSync { aligned, a, b, .. } => self.barrier(*a, *b, true, aligned.0),
            I::BarrierArrive { aligned, a, b, .. } => self.barrier(*a, Some(*b), false, aligned.0),
            I::BarRedPopc { d, a, b, c, .. } => {
                self.barrier_reduction(ReductionKind::Count(self.target(*d)), *a, *b, *c, true)
            }
            I::BarRedLogic { op, d, a, b, c, .. } => {
                self.barrier_reduction(control::all_or_any(*op, *d), *a, *b, *c, true)
            }
            I::BarrierRedPopc {
                aligned, d, a, b, c, ..
            } => self.barrier_reduction(ReductionKind::Count(self.target(*d)), *a, *b, *c, aligned.0),
            I::BarrierRedLogic {
                op,
                aligned,
                d,
                a,
                b,
                c,
                ..
            } => self.barrier_reduction(control::all_or_any(*op, *d), *a, *b, *c, aligned.0),
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
                combine: pure::redux(*op, *ty, false, false),
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
            I::ReduxFloat {
                op,
                abs,
                nan,
                ty,
                d,
                a,
                mask,
            } => Op::Redux {
                combine: pure::redux(*op, *ty, abs.0, nan.0),
                d: self.target(*d),
                a: self.source(*ty, *a),
                mask: self.source(Type::U32, *mask),
            },
            I::MatchAny { ty, d, a, mask } => Op::Match {
                d: self.target(*d),
                all: None,
                a: self.source(*ty, *a),
                mask: self.source(Type::U32, *mask),
            },
            I::MatchAll { ty, d, a, mask } => Op::Match {
                d: self.target(d.register),
                all: Some(d.predicate.map(|predicate| predicate.index)),
                a: self.source(*ty, *a),
                mask: self.source(Type::U32, *mask),
            },
            I::LdMatrix {
                shape,
                count: _,
                trans,
                space,
                ty: _,
                d,
                a,
            } => self.load_matrix(matrix::load(*shape, trans.0, Unpacking::None)?, &d.0, *space, a)?,
            I::LdMatrixWiden {
                shape,
                count: _,
                trans,
                space,
                to: _,
                from,
                d,
                a,
            } => {
                let form = matrix::load(*shape, trans.0, matrix::unpacking(*from))?;
                self.load_matrix(form, &d.0, *space, a)?
            }
            I::StMatrix {
                shape,
                count: _,
                trans,
                space,
                ty: _,
                a,
                b,
            } => self.store_matrix(matrix::store(*shape, trans.0)?, *space, a, &b.0)?,
            I::MovMatrix { ty: _, d, a } => Op::Transpose {
                d: self.target(*d),
                a: self.source(Type::B32, *a),
            },
            I::Mma {
                shape,
                a_layout,
                b_layout,
                kind: _,
                satfinite,
                d_type,
                a_type,
                b_type,
                c_type,
                bits,
                popc: _,
                d,
                a,
                b,
                c,
            } => {
                let types = [*d_type, *a_type, *b_type, *c_type];
                let product = matrix::product(*shape, [*a_layout, *b_layout], satfinite.0, types, *bits)?;
                self.product(product, &d.0, [&a.0, &b.0, &c.0], None)?
            }
            I::MmaBlockScaled {
                shape,
                a_layout: _,
                b_layout: _,
                kind,
                block_scale: BlockScaleWord,
                scale_vector,
                d_type,
                a_type,
                b_type,
                c_type,
                scale_type,
                d,
                a,
                b,
                c,
                scale_a,
                selector_a,
                scale_b,
                selector_b,
            } => {
                let types = [*d_type, *a_type, *b_type, *c_type];
                let selectors = [&selector_a.0[..], &selector_b.0];
                let scaling = matrix::scaling(*kind, *scale_vector, *scale_type, selectors)?;
                let product = matrix::scaled_product(*shape, *kind, types, scaling)?;
                self.product(product, &d.0, [&a.0, &b.0, &c.0], Some([*scale_a, *scale_b]))?
            }
            I::CpAsync {
                target,
                source,
                size,
                source_size,
                ..
            } => self.copy((target, source), *size, *source_size, None)?,
            I::CpAsyncIgnore {
                target,
                source,
                size,
                ignore,
                ..
            } => self.copy((target, source), *size, None, Some(*ignore))?,
            I::CpAsyncCommit {} => Op::CommitCopies,
            I::CpAsyncWait { groups } => Op::WaitForCopies {
                left: Some(*groups as usize),
            },
            I::CpAsyncWaitAll {} => Op::WaitForCopies { left: None },
            I::CpAsyncArrive {
                noinc,
                space,
                ty: _,
                a,
            } => self.track_copies(*space, a, !noinc.0)?,
            I::MbarrierInit {
                space,
                ty: _,
                a,
                count,
            } => self.mbarrier_init(*space, a, *count)?,
            I::MbarrierInval { space, ty: _, a } => self.mbarrier_inval(*space, a)?,
            I::MbarrierArrive {
                arrival,
                mode,
                space,
                d,
                a,
                count,
                ..
            } => self.mbarrier_arrive(*space, a, (*arrival, *mode), *count, Some(*d))?,
            I::MbarrierArriveRemote {
                arrival,
                mode,
                space,
                d: (),
                a,
                count,
                ..
            } => self.mbarrier_arrive(*space, a, (*arrival, *mode), *count, None)?,
            I::MbarrierExpectTx { space, a, bytes, .. } => self.mbarrier_bytes(*space, a, *bytes, false)?,
            I::MbarrierCompleteTx { space, a, bytes, .. } => self.mbarrier_bytes(*space, a, *bytes, true)?,
            I::MbarrierTestWait {
                space, d, a, state, ..
            }
            | I::MbarrierTryWait {
                space, d, a, state, ..
            } => self.mbarrier_test(*space, *d, a, *state, false)?,
            I::MbarrierTestWaitParity {
                space, d, a, parity, ..
            }
            | I::MbarrierTryWaitParity {
                space, d, a, parity, ..
            } => self.mbarrier_test(*space, *d, a, *parity, true)?,
            I::MbarrierPendingCount { ty: _, d, state } => self.mbarrier_pending(*d, *state),
            I::IsSpace { space, d, a } => self.is_space(*space, *d, *a),
            // Cache policies have no effect.
            I::CreatePolicy { d, .. } => self.pure(Type::B64, row1(|_| 0), *d, &[Value::from(0)]),
            I::Call {
                uni: _,
                results,
                function,
                arguments,
            } => self.call(function, results, arguments)?,
            I::WgmmaFence {} => Op::GroupFence,
            I::WgmmaCommit {} => Op::GroupCommit,
            I::WgmmaWait { groups } => Op::GroupWait {
                left: *groups as usize,
            },
            I::Wgmma {
                shape,
                d_type,
                a_type,
                b_type,
                d,
                a,
                b,
                accumulate,
                scale_a,
                scale_b,
                transposed,
            } => {
                let product = group::floats(*shape, [*d_type, *a_type, *b_type], [*scale_a, *scale_b])?;
                self.group_product(product, d, (Left::Descriptor(*a), *b), *accumulate, transposed)
            }
            I::WgmmaRegisters {
                shape,
                d_type,
                a_type,
                b_type,
                d,
                a,
                b,
                accumulate,
                scale_a,
                scale_b,
                transposed,
            } => {
                let product = group::floats(*shape, [*d_type, *a_type, *b_type], [*scale_a, *scale_b])?;
                self.group_product(product, d, (Left::Registers(&a.0), *b), *accumulate, transposed)
            }
            I::WgmmaInteger {
                shape,
                satfinite,
                d_type: _,
                a_type,
                b_type,
                bits,
                popc: _,
                d,
                a,
                b,
                accumulate,
            } => {
                let product = group::integers(*shape, [*a_type, *b_type], satfinite.0, *bits)?;
                self.group_product(product, d, (Left::Descriptor(*a), *b), *accumulate, &[])
            }
            I::WgmmaIntegerRegisters {
                shape,
                satfinite,
                d_type: _,
                a_type,
                b_type,
                bits,
                popc: _,
                d,
                a,
                b,
                accumulate,
            } => {
                let product = group::integers(*shape, [*a_type, *b_type], satfinite.0, *bits)?;
                self.group_product(product, d, (Left::Registers(&a.0), *b), *accumulate, &[])
            }
            I::BulkLoad {
                to,
                from,
                target,
                source,
                size,
                barrier,
                blocks,
                ..
            } => self.bulk_load((*to, target), (*from, source), *size, barrier, *blocks)?,
            I::BulkStore {
                masked: CopyMask(false),
                target,
                source,
                size,
                ..
            } => self.bulk_store(target, source, *size, None)?,
            I::BulkReduce {
                op,
                ty,
                target,
                source,
                size,
                ..
            } => self.bulk_store(target, source, *size, Some((bulk::reduction(*op), *ty)))?,
            I::BulkCommit {} => Op::Bulk(BulkInstruction::Commit),
            I::BulkWait { read, groups } => Op::Bulk(BulkInstruction::Wait {
                left: *groups as usize,
                read: read.0,
            }),
            I::StAsync {
                ty, a, b, barrier, ..
            } => self.store_async(*ty, a, &b.0, barrier)?,
            I::TensorLoad {
                to,
                mode,
                target,
                source,
                barrier,
                offsets,
                blocks,
                ..
            } => {
                let direction = self.tensor_load((*to, target), barrier, *blocks)?;
                let offsets = offsets.as_ref().map(|offsets| offsets.0.as_slice());
                self.tensor_copy(source, *mode, offsets, direction)?
            }
            I::TensorStore {
                from,
                mode,
                target,
                source,
                ..
            } => {
                let direction = self.tensor_store((*from, source), None)?;
                self.tensor_copy(target, *mode, None, direction)?
            }
            I::TensorReduce {
                op,
                from,
                mode,
                target,
                source,
                ..
            } => {
                let direction = self.tensor_store((*from, source), Some(bulk::reduction(*op)))?;
                self.tensor_copy(target, *mode, None, direction)?
            }
            I::TensorPrefetch {
                mode,
                source,
                offsets,
                ..
            } => {
                let offsets = offsets.as_ref().map(|offsets| offsets.0.as_slice());
                self.tensor_copy(source, *mode, offsets, Direction::Prefetch)?
            }
            I::BulkPrefetch {
                from, source, size, ..
            } => self.bulk_prefetch((*from, source), *size)?,
            I::TensormapReplace {
                field,
                space,
                ty,
                a,
                value,
                ..
            } => {
                let value = self.source(*ty, *value);
                self.replace_field((*space, a), tensor_map::field(*field), value)?
            }
            I::TensormapReplaceExtent {
                field,
                space,
                ty,
                a,
                dimension,
                value,
                ..
            } => {
                let place = tensor_map::extent(*field, *dimension).ok_or("a stride of no dimension")?;
                self.replace_field((*space, a), place, self.source(*ty, *value))?
            }
            I::TensormapReplaceChoice {
                field,
                space,
                a,
                choice,
                ..
            } => {
                let place = (tensor_map::choice(*field), 1);
                self.replace_field((*space, a), place, Source::Constant(u64::from(*choice)))?
            }
            I::TensormapPublish { target, source, .. } => Op::PublishMap {
                target: self.pointer(Some(Space::Global), target)?,
                source: self.pointer(Some(Space::SharedCta), source)?,
            },
            I::FenceTensormapAcquire { a, .. } => Op::AcquireMap {
                pointer: self.pointer(None, a)?,
            },
            // Sparse products, reductions in other blocks, and what later GPUs have.
            I::BulkStore {
                masked: CopyMask(true),
                ..
            }
            | I::MmaSparse { .. }
            | I::MmaSparseBlockScaled { .. }
            | I::BulkReduceCluster { .. }
            | I::WgmmaSparse { .. }
            | I::WgmmaSparseRegisters { .. }
            | I::WgmmaSparseInteger { .. }
            | I::WgmmaSparseIntegerRegisters { .. }
            | I::TryCancel { .. }
            | I::IsCanceled { .. }
            | I::FirstCtaid { .. }
            | I::FirstCtaidAxis { .. }
            | I::RedAsync { .. } => return Err(format!("`{instruction}`")),
        })
    }
}
