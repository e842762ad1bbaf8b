//! The instruction set: one declaration for each form.
//!
//! A declaration gives the variant, the mnemonic with its fixed words, the modifiers in the order PTX wants them, the
//! operands in theirs with their roles and what each must be, the effect, and the rule that says which combinations
//! exist and what they need of the target.

use std::fmt;

use super::declare::{
    Declaration, Modifier, RawInstruction, ReadError, finish, instructions, no_more_words, read_any,
    result_count, start,
};
use super::modifiers::*;
use super::naming::{Naming, Remapped, Renaming, Uses, Visitor};
use super::roles::{
    Addr, Def, DefAndPredicate, Defs, FieldName, OptSrc, Pred, Role, SpecialRegister, Src, Srcs, Target, Use,
    Variable, VectorDef, VectorSrc,
};
use super::rules;
use super::target::Need;
use super::types::{Register, Type};
use super::want::{self, Want};
use crate::core;

instructions! {
    /// Copies a register or a constant.
    Mov "mov" [ty: Type] (d: Def = ty, a: Src = ty)
        Pure [free], rules::mov(ty);
    /// Copies a register that the hardware sets.
    ReadSpecial "mov" as "read.ptx.sreg" [ty: Type] (d: Def = ty, register: SpecialRegister = Want::Name)
        Pure, rules::read_special(ty, *register);
    /// The address of a variable in its state space.
    AddressOf "mov" as "address_of" [ty: Type] (d: Def = ty, a: Variable = Want::Name)
        Pure, rules::address_of(ty);
    /// Packs two or four narrow registers into a wide one, the first in the low bits.
    Pack "mov" as "pack" [ty: Type] (d: Def = ty, a: VectorSrc = want::part_of(ty, a.0.len()))
        Pure [free], rules::pack(ty, a.0.len());
    /// Unpacks a wide register into two or four narrow ones, the first from the low bits.
    Unpack "mov" as "unpack" [ty: Type] (d: VectorDef = want::part_of(ty, d.0.len()), a: Use = ty)
        Pure [free], rules::pack(ty, d.0.len());

    /// Adds.
    Add "add" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::add(ty, rounding, ftz, sat);
    /// Subtracts `b` from `a`.
    Sub "sub" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure, rules::add(ty, rounding, ftz, sat);
    /// Multiplies; integers keep a `part` of the product.
    Mul "mul" [part: Option<Part>, rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Def = want::product(part, ty), a: Src = ty, b: Src = ty)
        Pure [commutative], rules::mul(ty, part, rounding, ftz, sat);
    /// Integer multiply and add: `a * b + c`.
    Mad "mad" [part: Part, sat: Sat, ty: Type] (d: Def = want::product(Some(part), ty), a: Src = ty, b: Src = ty, c: Src = want::product(Some(part), ty))
        Pure [commutative], rules::mad(ty, part, sat);
    /// Float multiply and add with one rounding: `a * b + c`.
    Fma "fma" [rounding: Rounding, ftz: Ftz, sat: Sat, relu: Relu, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty)
        Pure [commutative], rules::fma(ty, rounding, ftz, sat, relu);
    /// Divides; integers towards zero.
    Div "div" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [expensive], rules::div(ty, approximation, rounding, ftz);
    /// Integer remainder, with the sign of the dividend.
    Rem "rem" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [expensive], rules::integer(ty);
    /// Negates.
    Neg "neg" [ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::neg(ty, ftz);
    /// Absolute value.
    Abs "abs" [ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::abs(ty, ftz);
    /// The smaller; of a float and NaN the float, unless `nan`.
    Min "min" [ftz: Ftz, nan: Nan, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::min_max(ty, ftz, nan);
    /// The larger; of a float and NaN the float, unless `nan`.
    Max "max" [ftz: Ftz, nan: Nan, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::min_max(ty, ftz, nan);

    /// Square root.
    Sqrt "sqrt" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::root(ty, approximation, rounding, ftz);
    /// Reciprocal square root.
    Rsqrt "rsqrt" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::rsqrt(ty, approximation);
    /// Reciprocal.
    Rcp "rcp" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::rcp(ty, approximation, rounding, ftz);
    /// Two to the power of `a`.
    Ex2 "ex2" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::ex2(ty, approximation, ftz);
    /// Logarithm to base two.
    Lg2 "lg2" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::f32_approximation(ty, approximation);
    /// Sine.
    Sin "sin" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::f32_approximation(ty, approximation);
    /// Cosine.
    Cos "cos" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::f32_approximation(ty, approximation);
    /// Hyperbolic tangent.
    Tanh "tanh" [approximation: Approximation, ty: Type] (d: Def = ty, a: Src = ty)
        Pure [expensive], rules::tanh(ty, approximation);
    /// The magnitude of `b` with the sign of `a`.
    Copysign "copysign" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure, rules::f32_or_f64(ty);
    /// Asks a float what it is.
    Testp "testp" [property: Property, ty: Type] (d: Def = Type::Pred, a: Src = ty)
        Pure, rules::f32_or_f64(ty);

    /// Bitwise and.
    And "and" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::logic(ty);
    /// Bitwise or.
    Or "or" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::logic(ty);
    /// Bitwise exclusive or.
    Xor "xor" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::logic(ty);
    /// Bitwise complement.
    Not "not" [ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::logic(ty);
    /// Shifts left; amounts beyond the width give zero. The amount is 32 bits wide.
    Shl "shl" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = Type::B32)
        Pure, rules::shl(ty);
    /// Shifts right, filling with the sign of signed types. The amount is 32 bits wide.
    Shr "shr" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = Type::B32)
        Pure, rules::shr(ty);
    /// Any function of three bits, by its truth table.
    Lop3 "lop3" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty, table: Src = Want::Constant { least: 0, most: 255 })
        Pure, rules::only(ty, Type::B32);
    /// Funnel shift of the pair `b:a`.
    Shf "shf" [direction: Direction, mode: ShiftMode, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty)
        Pure, rules::only(ty, Type::B32);
    /// Picks four of the eight bytes of `b:a`.
    Prmt "prmt" [ty: Type, mode: Option<PermuteMode>] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty)
        Pure, rules::only(ty, Type::B32);
    /// Extracts the `c` bits from bit `b` on.
    Bfe "bfe" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = Type::B32, c: Src = Type::B32)
        Pure, rules::bit_field(ty);
    /// Inserts the low `e` bits of `a` into `b` from bit `c` on.
    Bfi "bfi" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = Type::B32, e: Src = Type::B32)
        Pure, rules::wide_bits(ty);
    /// The number of ones.
    Popc "popc" [ty: Type] (d: Def = Type::B32, a: Src = ty)
        Pure, rules::wide_bits(ty);
    /// The number of leading zeros.
    Clz "clz" [ty: Type] (d: Def = Type::B32, a: Src = ty)
        Pure, rules::wide_bits(ty);
    /// Reverses the bits.
    Brev "brev" [ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::wide_bits(ty);

    /// Compares into a predicate.
    Setp "setp" [comparison: Comparison, ftz: Ftz, ty: Type] (d: Def = Type::Pred, a: Src = ty, b: Src = ty)
        Pure, rules::setp(ty, comparison, ftz);
    /// Compares, and combines the result with a predicate.
    SetpCombine "setp" as "setp.combine" [comparison: Comparison, boolean: Boolean, ftz: Ftz, ty: Type] (d: Def = Type::Pred, a: Src = ty, b: Src = ty, c: Pred = Type::Pred)
        Pure, rules::setp(ty, comparison, ftz);
    /// Compares into a number: all ones or zero, 1.0 or 0.0.
    Set "set" [comparison: Comparison, ftz: Ftz, to: Type, ty: Type] (d: Def = to, a: Src = ty, b: Src = ty)
        Pure, rules::set(to, ty, comparison, ftz);
    /// `a` where `c` holds, else `b`.
    Selp "selp" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Pred = Type::Pred)
        Pure, rules::selp(ty);
    /// Bitwise and of predicates, with negation.
    AndPred "and.pred" [] (d: Def = Type::Pred, a: Pred = Type::Pred, b: Pred = Type::Pred)
        Pure [commutative], Some(Need::BASE);
    /// Bitwise or of predicates, with negation.
    OrPred "or.pred" [] (d: Def = Type::Pred, a: Pred = Type::Pred, b: Pred = Type::Pred)
        Pure [commutative], Some(Need::BASE);
    /// Exclusive or of predicates, with negation.
    XorPred "xor.pred" [] (d: Def = Type::Pred, a: Pred = Type::Pred, b: Pred = Type::Pred)
        Pure [commutative], Some(Need::BASE);
    /// Negation of a predicate.
    NotPred "not.pred" [] (d: Def = Type::Pred, a: Pred = Type::Pred)
        Pure, Some(Need::BASE);

    /// Converts between types.
    Cvt "cvt" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from))
        Pure, rules::cvt(to, from, rounding, ftz, sat);
    /// Narrows a float and clamps it: `relu` at zero, `satfinite` at the largest finite value.
    CvtClamp "cvt" as "cvt.clamp" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from))
        Pure, rules::cvt_clamp(to, from, rounding, relu, satfinite);
    /// Narrows two `f32` into one packed half register: `a` in the high half, `b` in the low.
    CvtPack "cvt" as "cvt.pack" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from), b: Src = Want::AtLeast(from))
        Pure, rules::cvt_pack(to, from, rounding, relu, satfinite);
    /// Narrows two `f32` into two eight-bit floats: `a` in the high byte, `b` in the low.
    CvtPackFp8 "cvt.rn.satfinite" as "cvt.pack.fp8" [relu: Relu, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from), b: Src = Want::AtLeast(from))
        Pure, rules::cvt_pack_fp8(to, from);
    /// Narrows two `f16` into two eight-bit floats.
    CvtToFp8 "cvt.rn.satfinite" as "cvt.to.fp8" [relu: Relu, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from))
        Pure, rules::cvt_to_fp8(to, from);
    /// Widens two eight-bit floats into two `f16`.
    CvtFromFp8 "cvt.rn" as "cvt.from.fp8" [relu: Relu, to: Type, from: Type] (d: Def = Want::AtLeast(to), a: Src = Want::AtLeast(from))
        Pure, rules::cvt_from_fp8(to, from);
    /// Converts an address in a state space to a generic one, or back.
    Cvta "cvta" [to: To, space: Space, ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::cvta(space, ty);
    /// The generic address of a variable.
    CvtaVariable "cvta" as "cvta.variable" [space: Space, ty: Type] (d: Def = ty, a: Variable = Want::Name)
        Pure, rules::cvta(space, ty);

    /// Loads.
    Ld "ld" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<LoadCache>, eviction: Option<Eviction>, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Defs = want::moved(ty, d.0.len()), a: Addr = space)
        Reads(Global, Shared, Local), rules::ld(&rules::Load { order, scope, space, cache, eviction, prefetch, width, ty }, d.0.len());
    /// Loads global memory that the kernel does not write, through the non-coherent path.
    LdNc "ld.global" as "ld.nc" [cache: Option<LoadCache>, nc: Nc, eviction: Option<Eviction>, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Defs = want::moved(ty, d.0.len()), a: Addr = Space::Global)
        Reads(Global), rules::ld_nc(nc, &rules::Load { order: None, scope: None, space: Some(Space::Global), cache, eviction, prefetch, width, ty }, d.0.len());
    /// Stores.
    St "st" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<StoreCache>, eviction: Option<Eviction>, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = want::moved(ty, b.0.len()))
        Writes(Global, Shared, Local), rules::st(&rules::Store { order, scope, space, cache, eviction, width, ty }, b.0.len());
    /// Reads, modifies and writes memory; `d` is what was there.
    Atom "atom" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, ty: Type] (d: Def = ty, a: Addr = space, b: Src = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::atom(order, scope, space, op, noftz, ty);
    /// Stores `c` if memory holds `b`; `d` is what was there.
    AtomCas "atom" as "atom.cas" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: Cas, ty: Type] (d: Def = ty, a: Addr = space, b: Src = ty, c: Src = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::atom_cas(order, scope, space, op, ty);
    /// Reads, modifies and writes memory, with no result.
    Red "red" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, ty: Type] (a: Addr = space, b: Src = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::red(order, scope, space, op, noftz, ty);
    /// Orders memory accesses, in the old model.
    Membar "membar" [scope: BarScope] ()
        Updates(Global, Shared, Barrier), Some(Need::BASE);
    /// Orders memory accesses.
    Fence "fence" [order: Option<FenceOrder>, scope: Scope] ()
        Updates(Global, Shared, Barrier), rules::fence(order, scope);

    /// Branches; `uni` promises that the warp does so together.
    Bra "bra" [uni: Uni] (target: Target = Want::Name)
        Terminator, Some(Need::BASE);
    /// Ends the thread (an entry has no caller).
    Ret "ret" [uni: Uni] ()
        LeavesFunction, Some(Need::BASE);
    /// Ends the thread.
    Exit "exit" [] ()
        LeavesFunction, Some(Need::BASE);
    /// Ends the whole grid with an error.
    Trap "trap" [] ()
        Writes(Control), Some(Need::BASE);

    /// Waits until all threads, or `b` threads, of the block are at barrier `a`.
    BarSync "bar.sync" [] (a: Src = want::BARRIER, b: OptSrc = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::BASE);
    /// Arrives at barrier `a` without waiting; `b` threads take part.
    BarArrive "bar.arrive" [] (a: Src = want::BARRIER, b: Src = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::BASE);
    /// As `bar.sync`; without `aligned`, the threads of a warp may come one by one.
    BarrierCtaSync "barrier.cta.sync" [aligned: Aligned] (a: Src = want::BARRIER, b: OptSrc = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::new(7, 8, 70));
    /// As `bar.arrive`; without `aligned`, the threads of a warp may come one by one.
    BarrierCtaArrive "barrier.cta.arrive" [aligned: Aligned] (a: Src = want::BARRIER, b: Src = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::new(7, 8, 70));
    /// As `barrier.cta.sync`, in its older spelling.
    BarrierSync "barrier.sync" [aligned: Aligned] (a: Src = want::BARRIER, b: OptSrc = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::BASE);
    /// Waits for the lanes of the mask; orders their memory accesses.
    BarWarpSync "bar.warp.sync" [] (mask: Src = Type::B32)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::BASE);

    /// Exchanges values between the lanes of a warp; the predicate says whether the source lane was in range.
    ShflSync "shfl.sync" [mode: Shuffle, ty: Type] (d: DefAndPredicate = Type::B32, a: Src = Type::B32, b: Src = Type::B32, c: Src = Type::B32, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::B32);
    /// Asks the lanes of the mask about a predicate.
    VoteSync "vote.sync" [mode: Vote, ty: Type] (d: Def = Type::Pred, a: Pred = Type::Pred, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::Pred);
    /// The predicates of the lanes of the mask, one bit each.
    VoteBallot "vote.sync.ballot" [ty: Type] (d: Def = Type::B32, a: Pred = Type::Pred, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::B32);
    /// Combines the values of the lanes of the mask.
    ReduxSync "redux.sync" [op: Redux, ty: Type] (d: Def = Type::B32, a: Src = Type::B32, mask: Src = Type::B32)
        Pure [convergent], rules::redux(op, ty);
    /// The lanes that execute this together.
    Activemask "activemask" [ty: Type] (d: Def = Type::B32)
        Pure [convergent], rules::activemask(ty);
    /// Elects one lane of the mask: its number, and a predicate true in that lane only.
    ElectSync "elect.sync" [] (d: DefAndPredicate = Type::B32, mask: Src = Type::B32)
        Pure [convergent], rules::elect(d.predicate.is_some());
    /// Waits for about `a` nanoseconds.
    Nanosleep "nanosleep" [ty: Type] (a: Src = Type::B32)
        Writes(Barrier), rules::only(ty, Type::U32);
}
