//! The instruction set: one declaration for each form.
//!
//! A line gives the variant, the mnemonic with its fixed words, the modifiers in the order PTX wants them, the
//! operands in theirs, and the rule that says which combinations exist and since when. A plain `Register`
//! operand is a result; sources are `Value`s.

use super::declare::{
    Access, Declaration, Modifier, Operand, RawInstruction, ReadError, finish, instructions, no_more_words,
    read_any, start,
};
use super::modifiers::*;
use super::operands::{MoveSource, PackedResults, PackedSources, Results, Sources, WithPredicate};
use super::rules;
use super::target::Need;
use super::types::{Address, Label, Predicate, Register, Symbol, Type, Value};
use std::fmt;

instructions! {
    /// Copies a register, a constant, a special register or a variable's address.
    Mov "mov" [ty: Type] (d: Register, a: MoveSource)
        needs rules::mov(*ty);
    /// Packs two or four narrow registers into a wide one, the first in the low bits.
    Pack "mov" [ty: Type] (d: Register, a: PackedSources)
        needs rules::pack(*ty, a.0.len());
    /// Unpacks a wide register into two or four narrow ones, the first from the low bits.
    Unpack "mov" [ty: Type] (d: PackedResults, a: Register)
        needs rules::pack(*ty, d.0.len());

    /// Adds.
    Add "add" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::add(*ty, *rounding, *ftz, *sat);
    /// Subtracts `b` from `a`.
    Sub "sub" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::add(*ty, *rounding, *ftz, *sat);
    /// Multiplies; integers keep a `part` of the product.
    Mul "mul" [part: Option<Part>, rounding: Option<Rounding>, ftz: Ftz, sat: Sat, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::mul(*ty, *part, *rounding, *ftz, *sat);
    /// Integer multiply and add: `a * b + c`.
    Mad "mad" [part: Part, sat: Sat, ty: Type] (d: Register, a: Value, b: Value, c: Value)
        needs rules::mad(*ty, *part, *sat);
    /// Float multiply and add with one rounding: `a * b + c`.
    Fma "fma" [rounding: Rounding, ftz: Ftz, sat: Sat, relu: Relu, ty: Type] (d: Register, a: Value, b: Value, c: Value)
        needs rules::fma(*ty, *rounding, *ftz, *sat, *relu);
    /// Divides; integers towards zero.
    Div "div" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::div(*ty, *approximation, *rounding, *ftz);
    /// Integer remainder, with the sign of the dividend.
    Rem "rem" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::integer(*ty);
    /// Negates.
    Neg "neg" [ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::neg(*ty, *ftz);
    /// Absolute value.
    Abs "abs" [ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::abs(*ty, *ftz);
    /// The smaller; of a float and NaN the float, unless `nan`.
    Min "min" [ftz: Ftz, nan: Nan, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::min_max(*ty, *ftz, *nan);
    /// The larger; of a float and NaN the float, unless `nan`.
    Max "max" [ftz: Ftz, nan: Nan, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::min_max(*ty, *ftz, *nan);

    /// Square root.
    Sqrt "sqrt" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::root(*ty, *approximation, *rounding, *ftz);
    /// Reciprocal square root.
    Rsqrt "rsqrt" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::rsqrt(*ty, *approximation);
    /// Reciprocal.
    Rcp "rcp" [approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::rcp(*ty, *approximation, *rounding, *ftz);
    /// Two to the power of `a`.
    Ex2 "ex2" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::ex2(*ty, *approximation, *ftz);
    /// Logarithm to base two.
    Lg2 "lg2" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::f32_approximation(*ty, *approximation);
    /// Sine.
    Sin "sin" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::f32_approximation(*ty, *approximation);
    /// Cosine.
    Cos "cos" [approximation: Approximation, ftz: Ftz, ty: Type] (d: Register, a: Value)
        needs rules::f32_approximation(*ty, *approximation);
    /// Hyperbolic tangent.
    Tanh "tanh" [approximation: Approximation, ty: Type] (d: Register, a: Value)
        needs rules::tanh(*ty, *approximation);
    /// The magnitude of `b` with the sign of `a`.
    Copysign "copysign" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::f32_or_f64(*ty);
    /// Asks a float what it is.
    Testp "testp" [property: Property, ty: Type] (d: Register, a: Value)
        needs rules::f32_or_f64(*ty);

    /// Bitwise and.
    And "and" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::logic(*ty);
    /// Bitwise or.
    Or "or" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::logic(*ty);
    /// Bitwise exclusive or.
    Xor "xor" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::logic(*ty);
    /// Bitwise complement.
    Not "not" [ty: Type] (d: Register, a: Value)
        needs rules::logic(*ty);
    /// Shifts left; amounts beyond the width give zero. The amount is 32 bits wide.
    Shl "shl" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::shl(*ty);
    /// Shifts right, filling with the sign of signed types. The amount is 32 bits wide.
    Shr "shr" [ty: Type] (d: Register, a: Value, b: Value)
        needs rules::shr(*ty);
    /// Any function of three bits, by its truth table.
    Lop3 "lop3" [ty: Type] (d: Register, a: Value, b: Value, c: Value, table: Value)
        needs rules::only(*ty, Type::B32);
    /// Funnel shift of the pair `b:a`.
    Shf "shf" [direction: Direction, mode: ShiftMode, ty: Type] (d: Register, a: Value, b: Value, c: Value)
        needs rules::only(*ty, Type::B32);
    /// Picks four of the eight bytes of `b:a`.
    Prmt "prmt" [ty: Type, mode: Option<PermuteMode>] (d: Register, a: Value, b: Value, c: Value)
        needs rules::only(*ty, Type::B32);
    /// Extracts the `c` bits from bit `b` on.
    Bfe "bfe" [ty: Type] (d: Register, a: Value, b: Value, c: Value)
        needs rules::bit_field(*ty);
    /// Inserts the low `e` bits of `a` into `b` from bit `c` on.
    Bfi "bfi" [ty: Type] (d: Register, a: Value, b: Value, c: Value, e: Value)
        needs rules::wide_bits(*ty);
    /// The number of ones.
    Popc "popc" [ty: Type] (d: Register, a: Value)
        needs rules::wide_bits(*ty);
    /// The number of leading zeros.
    Clz "clz" [ty: Type] (d: Register, a: Value)
        needs rules::wide_bits(*ty);
    /// Reverses the bits.
    Brev "brev" [ty: Type] (d: Register, a: Value)
        needs rules::wide_bits(*ty);

    /// Compares into a predicate.
    Setp "setp" [comparison: Comparison, ftz: Ftz, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::setp(*ty, *comparison, *ftz);
    /// Compares, and combines the result with a predicate.
    SetpCombine "setp" [comparison: Comparison, boolean: Boolean, ftz: Ftz, ty: Type] (d: Register, a: Value, b: Value, c: Predicate)
        needs rules::setp(*ty, *comparison, *ftz);
    /// Compares into a number: all ones or zero, 1.0 or 0.0.
    Set "set" [comparison: Comparison, ftz: Ftz, to: Type, ty: Type] (d: Register, a: Value, b: Value)
        needs rules::set(*to, *ty, *comparison, *ftz);
    /// `a` where `c` holds, else `b`.
    Selp "selp" [ty: Type] (d: Register, a: Value, b: Value, c: Predicate)
        needs rules::selp(*ty);
    /// Bitwise and of predicates, with negation.
    AndPred "and.pred" [] (d: Register, a: Predicate, b: Predicate)
        needs Some(Need::BASE);
    /// Bitwise or of predicates, with negation.
    OrPred "or.pred" [] (d: Register, a: Predicate, b: Predicate)
        needs Some(Need::BASE);
    /// Exclusive or of predicates, with negation.
    XorPred "xor.pred" [] (d: Register, a: Predicate, b: Predicate)
        needs Some(Need::BASE);
    /// Negation of a predicate.
    NotPred "not.pred" [] (d: Register, a: Predicate)
        needs Some(Need::BASE);

    /// Converts between types.
    Cvt "cvt" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, to: Type, from: Type] (d: Register, a: Value)
        needs rules::cvt(*to, *from, *rounding, *ftz, *sat);
    /// Narrows a float and clamps it: `relu` at zero, `satfinite` at the largest finite value.
    CvtClamp "cvt" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Register, a: Value)
        needs rules::cvt_clamp(*to, *from, *rounding, *relu, *satfinite);
    /// Narrows two `f32` into one packed half register: `a` in the high half, `b` in the low.
    CvtPack "cvt" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Register, a: Value, b: Value)
        needs rules::cvt_pack(*to, *from, *rounding, *relu, *satfinite);
    /// Narrows two `f32` into two eight-bit floats: `a` in the high byte, `b` in the low.
    CvtPackFp8 "cvt.rn.satfinite" [relu: Relu, to: Type, from: Type] (d: Register, a: Value, b: Value)
        needs rules::cvt_pack_fp8(*to, *from);
    /// Narrows two `f16` into two eight-bit floats.
    CvtToFp8 "cvt.rn.satfinite" [relu: Relu, to: Type, from: Type] (d: Register, a: Value)
        needs rules::cvt_to_fp8(*to, *from);
    /// Widens two eight-bit floats into two `f16`.
    CvtFromFp8 "cvt.rn" [relu: Relu, to: Type, from: Type] (d: Register, a: Value)
        needs rules::cvt_from_fp8(*to, *from);
    /// Converts an address in a state space to a generic one, or back.
    Cvta "cvta" [to: To, space: Space, ty: Type] (d: Register, a: MoveSource)
        needs rules::cvta(*space, *ty);

    /// Loads.
    Ld "ld" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<LoadCache>, eviction: Option<Eviction>, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Results, a: Address)
        needs rules::ld(&rules::Load { order: *order, scope: *scope, space: *space, cache: *cache, eviction: *eviction, prefetch: *prefetch, width: *width, ty: *ty }, d.0.len());
    /// Loads global memory that the kernel does not write, through the non-coherent path.
    LdNc "ld.global" [cache: Option<LoadCache>, nc: Nc, eviction: Option<Eviction>, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Results, a: Address)
        needs rules::ld_nc(*nc, &rules::Load { order: None, scope: None, space: Some(Space::Global), cache: *cache, eviction: *eviction, prefetch: *prefetch, width: *width, ty: *ty }, d.0.len());
    /// Stores.
    St "st" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<StoreCache>, eviction: Option<Eviction>, width: Option<Width>, ty: Type] (a: Address, b: Sources)
        needs rules::st(&rules::Store { order: *order, scope: *scope, space: *space, cache: *cache, eviction: *eviction, width: *width, ty: *ty }, b.0.len());
    /// Reads, modifies and writes memory; `d` is what was there.
    Atom "atom" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, ty: Type] (d: Register, a: Address, b: Value)
        needs rules::atom(*order, *scope, *space, *op, *noftz, *ty);
    /// Stores `c` if memory holds `b`; `d` is what was there.
    AtomCas "atom" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: Cas, ty: Type] (d: Register, a: Address, b: Value, c: Value)
        needs rules::atom_cas(*order, *scope, *space, *op, *ty);
    /// Reads, modifies and writes memory, with no result.
    Red "red" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, ty: Type] (a: Address, b: Value)
        needs rules::red(*order, *scope, *space, *op, *noftz, *ty);
    /// Orders memory accesses, in the old model.
    Membar "membar" [scope: BarScope] ()
        needs Some(Need::BASE);
    /// Orders memory accesses.
    Fence "fence" [order: Option<FenceOrder>, scope: Scope] ()
        needs rules::fence(*order, *scope);

    /// Branches; `uni` promises that the warp does so together.
    Bra "bra" [uni: Uni] (target: Label)
        needs Some(Need::BASE);
    /// Ends the thread (an entry has no caller).
    Ret "ret" [uni: Uni] ()
        needs Some(Need::BASE);
    /// Ends the thread.
    Exit "exit" [] ()
        needs Some(Need::BASE);
    /// Ends the whole grid with an error.
    Trap "trap" [] ()
        needs Some(Need::BASE);

    /// Waits until all threads, or `b` threads, of the block are at barrier `a`.
    BarSync "bar.sync" [] (a: Value, b: Option<Value>)
        needs Some(Need::BASE);
    /// Arrives at barrier `a` without waiting; `b` threads take part.
    BarArrive "bar.arrive" [] (a: Value, b: Value)
        needs Some(Need::BASE);
    /// As `bar.sync`; without `aligned`, the threads of a warp may come one by one.
    BarrierCtaSync "barrier.cta.sync" [aligned: Aligned] (a: Value, b: Option<Value>)
        needs Some(Need::new(7, 8, 70));
    /// As `bar.arrive`; without `aligned`, the threads of a warp may come one by one.
    BarrierCtaArrive "barrier.cta.arrive" [aligned: Aligned] (a: Value, b: Value)
        needs Some(Need::new(7, 8, 70));
    /// As `barrier.cta.sync`, in its older spelling.
    BarrierSync "barrier.sync" [aligned: Aligned] (a: Value, b: Option<Value>)
        needs Some(Need::BASE);
    /// Waits for the lanes of the mask; orders their memory accesses.
    BarWarpSync "bar.warp.sync" [] (mask: Value)
        needs Some(Need::BASE);

    /// Exchanges values between the lanes of a warp; the predicate says whether the source lane was in range.
    ShflSync "shfl.sync" [mode: Shuffle, ty: Type] (d: WithPredicate, a: Value, b: Value, c: Value, mask: Value)
        needs rules::only(*ty, Type::B32);
    /// Asks the lanes of the mask about a predicate.
    VoteSync "vote.sync" [mode: Vote, ty: Type] (d: Register, a: Predicate, mask: Value)
        needs rules::only(*ty, Type::Pred);
    /// The predicates of the lanes of the mask, one bit each.
    VoteBallot "vote.sync.ballot" [ty: Type] (d: Register, a: Predicate, mask: Value)
        needs rules::only(*ty, Type::B32);
    /// Combines the values of the lanes of the mask.
    ReduxSync "redux.sync" [op: Redux, ty: Type] (d: Register, a: Value, mask: Value)
        needs rules::redux(*op, *ty);
    /// The lanes that execute this together.
    Activemask "activemask" [ty: Type] (d: Register)
        needs rules::activemask(*ty);
    /// Elects one lane of the mask: its number, and a predicate true in that lane only.
    ElectSync "elect.sync" [] (d: WithPredicate, mask: Value)
        needs rules::elect(d.predicate);
    /// Waits for about `a` nanoseconds.
    Nanosleep "nanosleep" [ty: Type] (a: Value)
        needs rules::only(*ty, Type::U32);
}
