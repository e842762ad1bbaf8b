//! The instruction set: one declaration for each form.
//!
//! A declaration gives the variant, the mnemonic with its fixed words, the modifiers in the order of PTX, the
//! operands in their order with roles and required types, the effects, and the rule for valid combinations and their
//! target requirements.

use std::fmt;

use super::declare::{chosen, instructions, no_more_words, result_count, start, true_ones};
use super::modifiers::*;
use super::naming::Naming;
use super::raw::{Operands, RawInstruction};
use super::roles::{
    Accs, Addr, CallParameters, Def, DefAndPredicate, Defs, FieldName, Function, If, Number, OptNumbers,
    OptSrc, Pred, Role, Sign, Sink, SpecialRegister, Src, Srcs, Target, TensorAddr, Use, Variable, VectorDef,
    VectorSrc,
};
use super::rules;
use super::target::Need;
use super::types::{Register, Type};
use super::visit::{Remapped, Renaming, SsaOperand, SsaOperands, Visitor};
use super::want::{self, Want};
use super::words::{Modifier, ReadError, Words};
use crate::core;

/// What the declaration of one form of instruction says, as data.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The variant's name.
    pub name: &'static str,
    /// The mnemonic, with its fixed words.
    pub mnemonic: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The names of its modifiers, in order.
    pub modifiers: &'static [&'static str],
    /// The words of each modifier, with their meanings.
    pub keywords: &'static [&'static [core::Keyword]],
    /// The names of its operands, in order.
    pub operands: &'static [&'static str],
    pub(crate) read: fn(&RawInstruction) -> Result<Instruction<Register>, ReadError>,
}

/// Checks that no word or operand is left over, and that PTX has the instruction.
fn finish(
    words: &Words<'_>,
    operands: &Operands<'_>,
    instruction: Instruction<Register>,
) -> Result<Instruction<Register>, ReadError> {
    if operands.at < operands.operands.len() {
        return Err(ReadError::Operand(operands.at, "nothing"));
    }
    debug_assert_eq!(
        words.at,
        words.words.len(),
        "modifiers are checked before operands"
    );
    if instruction.need().is_some() {
        Ok(instruction)
    } else {
        Err(ReadError::NoSuchForm)
    }
}

/// Tries every declaration with this mnemonic. Returns the first success, or else the failure that got furthest.
fn read_any(declarations: &[Declaration], raw: &RawInstruction) -> Result<Instruction<Register>, ReadError> {
    let mut furthest = ReadError::UnknownMnemonic;
    for declaration in declarations {
        match (declaration.read)(raw) {
            Ok(instruction) => return Ok(instruction),
            Err(error) if error.progress() >= furthest.progress() => furthest = error,
            Err(_) => {}
        }
    }
    Err(furthest)
}

instructions! {
    /// Copies a register or a constant.
    Mov "mov" [ty: Type] (d: Def = ty, a: Src = ty)
        Pure [free], rules::mov(ty);
    /// Reads a special register.
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
    /// Bits of the product of the low 24 bits of two integers: the lowest 32, or those from 16 on.
    Mul24 "mul24" [part: Part, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::mul24(ty, part, Sat(false));
    /// The same and a sum.
    Mad24 "mad24" [part: Part, sat: Sat, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty)
        Pure [commutative], rules::mul24(ty, part, sat);
    /// The sum of the products of four bytes each and of `c`.
    Dp4a "dp4a" [left: Type, right: Type] (d: Def = Type::B32, a: Src = Type::B32, b: Src = Type::B32, c: Src = Type::B32)
        Pure, rules::dp4a(left, right);
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
    /// Minimum; with one NaN operand the result is the other operand, unless `nan`.
    Min "min" [ftz: Ftz, nan: Nan, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty)
        Pure [commutative], rules::min_max(ty, ftz, nan);
    /// Maximum; with one NaN operand the result is the other operand, unless `nan`.
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
    /// Tests a property of a float.
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
    /// Any bitwise function of three operands, by its truth table.
    Lop3 "lop3" [ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty, table: Src = Want::Constant { least: 0, most: 255 })
        Pure, rules::only(ty, Type::B32);
    /// Funnel shift of the pair `b:a`.
    Shf "shf" [direction: Direction, mode: ShiftMode, ty: Type] (d: Def = ty, a: Src = ty, b: Src = ty, c: Src = ty)
        Pure, rules::only(ty, Type::B32);
    /// Selects four of the eight bytes of `b:a`.
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
    /// The number of the highest one, of signed types of the highest bit that is not the sign; -1 if there is none. Or the number of
    /// places by which it is shifted to the top.
    Bfind "bfind" [shift: ShiftAmount, ty: Type] (d: Def = Type::B32, a: Src = ty)
        Pure, rules::bit_field(ty);
    /// Reverses the bits.
    Brev "brev" [ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::wide_bits(ty);

    /// Compares into a predicate.
    Setp "setp" [comparison: Comparison, ftz: Ftz, ty: Type] (d: Def = Type::Pred, a: Src = ty, b: Src = ty)
        Pure, rules::setp(ty, comparison, ftz);
    /// Compares, and combines the result with a predicate.
    SetpCombine "setp" as "setp.combine" [comparison: Comparison, boolean: Boolean, ftz: Ftz, ty: Type] (d: Def = Type::Pred, a: Src = ty, b: Src = ty, c: Pred = Type::Pred)
        Pure, rules::setp(ty, comparison, ftz);
    /// Compares packed floats: `d` is the result of the low halves and the second predicate that of the high halves.
    SetpPacked "setp" as "setp.packed" [comparison: Comparison, ftz: Ftz, ty: Type] (d: DefAndPredicate = Type::Pred, a: Src = ty, b: Src = ty)
        Pure, rules::setp_packed(ty, comparison, ftz).filter(|_| d.predicate.is_some());
    /// Compares packed floats and combines both results with a predicate.
    SetpPackedCombine "setp" as "setp.packed.combine" [comparison: Comparison, boolean: Boolean, ftz: Ftz, ty: Type] (d: DefAndPredicate = Type::Pred, a: Src = ty, b: Src = ty, c: Pred = Type::Pred)
        Pure, rules::setp_packed(ty, comparison, ftz).filter(|_| d.predicate.is_some());
    /// Compares into a number: all ones or zero, 1.0 or 0.0.
    Set "set" [comparison: Comparison, ftz: Ftz, to: Type, ty: Type] (d: Def = to, a: Src = ty, b: Src = ty)
        Pure, rules::set(to, ty, comparison, ftz);
    /// `a` if `c` is true, else `b`.
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
    Cvt "cvt" [rounding: Option<Rounding>, ftz: Ftz, sat: Sat, to: Type, from: Type] (d: Def = want::converted(to, from), a: Src = want::converted(from, to))
        Pure, rules::cvt(to, from, rounding, ftz, sat);
    /// Narrows a float and clamps it: `relu` at zero, `satfinite` at the largest finite value.
    CvtClamp "cvt" as "cvt.clamp" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Def = want::converted(to, from), a: Src = want::converted(from, to))
        Pure, rules::cvt_clamp(to, from, rounding, relu, satfinite);
    /// Narrows two `f32` into one packed half register: `a` in the high half, `b` in the low.
    CvtPack "cvt" as "cvt.pack" [rounding: Rounding, relu: Relu, satfinite: Satfinite, to: Type, from: Type] (d: Def = want::converted(to, from), a: Src = want::converted(from, to), b: Src = want::converted(from, to))
        Pure, rules::cvt_pack(to, from, rounding, relu, satfinite);
    /// Narrows two `f32` into two eight-bit floats: `a` in the high byte, `b` in the low.
    CvtPackFp8 "cvt.rn.satfinite" as "cvt.pack.fp8" [relu: Relu, to: Type, from: Type] (d: Def = to, a: Src = from, b: Src = from)
        Pure, rules::cvt_pack_fp8(to, from);
    /// Narrows two `f16` into two eight-bit floats.
    CvtToFp8 "cvt.rn.satfinite" as "cvt.to.fp8" [relu: Relu, to: Type, from: Type] (d: Def = to, a: Src = from)
        Pure, rules::cvt_to_fp8(to, from);
    /// Widens two eight-bit floats into two `f16`.
    CvtFromFp8 "cvt.rn" as "cvt.from.fp8" [relu: Relu, to: Type, from: Type] (d: Def = to, a: Src = from)
        Pure, rules::cvt_from_fp8(to, from);
    /// Converts an address in a state space to a generic one, or back.
    Cvta "cvta" [to: To, space: Space, ty: Type] (d: Def = ty, a: Src = ty)
        Pure, rules::cvta(space, ty);
    /// The generic address of a variable.
    CvtaVariable "cvta" as "cvta.variable" [space: Space, ty: Type] (d: Def = ty, a: Variable = Want::Name)
        Pure, rules::cvta(space, ty);

    /// Loads.
    Ld "ld" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<LoadCache>, eviction: Option<Eviction>, hint: CacheHint, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Defs = want::moved(ty, d.0.len()), a: Addr = space, policy if hint: If<Src> = Type::B64)
        Reads(Global, Shared, Local), rules::ld(&rules::Load { order, scope, space, cache, eviction, hint, prefetch, width, ty }, d.0.len());
    /// Loads global memory that the kernel does not write, through the non-coherent path.
    LdNc "ld.global" as "ld.nc" [cache: Option<LoadCache>, nc: NcWord, eviction: Option<Eviction>, hint: CacheHint, prefetch: Option<Prefetch>, width: Option<Width>, ty: Type] (d: Defs = want::moved(ty, d.0.len()), a: Addr = Space::Global, policy if hint: If<Src> = Type::B64)
        Reads(Global), rules::ld_nc(&rules::Load { order: None, scope: None, space: Some(Space::Global), cache, eviction, hint, prefetch, width, ty }, d.0.len());
    /// Stores.
    St "st" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, cache: Option<StoreCache>, eviction: Option<Eviction>, hint: CacheHint, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = want::moved(ty, b.0.len()), policy if hint: If<Src> = Type::B64)
        Writes(Global, Shared, Local), rules::st(&rules::Store { order, scope, space, cache, eviction, hint, width, ty }, b.0.len());
    /// Reads, modifies and writes memory; `d` is what was there. Of a vector, each element is atomic by itself.
    Atom "atom" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, width: Option<Width>, ty: Type] (d: Defs = ty, a: Addr = space, b: Srcs = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::atom(&rules::Atomic { scope, space, op, noftz, width, ty, elements: b.0.len() }).filter(|_| d.0.len() == b.0.len());
    /// Stores `c` if memory holds `b`; `d` is what was there.
    AtomCas "atom" as "atom.cas" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, cas: CasWord, ty: Type] (d: Def = ty, a: Addr = space, b: Src = ty, c: Src = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::atom_cas(scope, space, ty);
    /// Reads, modifies and writes memory, with no result.
    Red "red" [order: Option<AtomicOrder>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, noftz: Noftz, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = ty)
        Updates(Global, Shared) + Writes(Barrier), rules::red(order, &rules::Atomic { scope, space, op, noftz, width, ty, elements: b.0.len() });
    /// Orders memory accesses, in the old model.
    Membar "membar" [scope: BarScope] ()
        Updates(Global, Shared, Barrier), Some(Need::BASE);
    /// Memory fence.
    Fence "fence" [order: Option<FenceOrder>, scope: Scope] ()
        Updates(Global, Shared, Barrier), rules::fence(order, scope);

    /// Branches; `uni` promises that it is uniform over the warp.
    Bra "bra" [uni: Uni] (target: Target = Want::Name)
        Terminator, Some(Need::BASE);
    /// Ends the thread (an entry has no caller).
    Ret "ret" [uni: Uni] ()
        LeavesFunction, Some(Need::BASE);
    /// Ends the thread.
    Exit "exit" [] ()
        LeavesFunction, Some(Need::BASE);
    /// Aborts the grid with an error.
    Trap "trap" [] ()
        Writes(Control), Some(Need::BASE);

    /// Barrier `a` of all threads of the block, or of `b` threads.
    BarSync "bar" as "bar.sync" [cta: Cta, sync: SyncWord] (a: Src = want::BARRIER, b: OptSrc = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta);
    /// Arrives at barrier `a` of `b` threads without waiting.
    BarArrive "bar" as "bar.arrive" [cta: Cta, arrive: ArriveWord] (a: Src = want::BARRIER, b: Src = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta);
    /// Like `bar.sync`; the result is the number of threads whose predicate is true.
    BarRedPopc "bar" as "bar.red.popc" [cta: Cta, red: RedWord, popc: PopcWord, ty: Type] (d: Def = ty, a: Src = want::BARRIER, b: OptSrc = want::THREADS, c: Pred = Type::Pred)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta).filter(|_| ty == Type::U32);
    /// Like `bar.sync`; the result is the conjunction or disjunction of the threads' predicates.
    BarRedLogic "bar" as "bar.red" [cta: Cta, red: RedWord, op: BarrierLogic, ty: Type] (d: Def = ty, a: Src = want::BARRIER, b: OptSrc = want::THREADS, c: Pred = Type::Pred)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta).filter(|_| ty == Type::Pred);
    /// Like `bar.sync`; without `aligned`, the threads of a warp may arrive separately.
    BarrierSync "barrier" as "barrier.sync" [cta: Cta, sync: SyncWord, aligned: Aligned] (a: Src = want::BARRIER, b: OptSrc = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta);
    /// Like `bar.arrive`; without `aligned`, the threads of a warp may arrive separately.
    BarrierArrive "barrier" as "barrier.arrive" [cta: Cta, arrive: ArriveWord, aligned: Aligned] (a: Src = want::BARRIER, b: Src = want::THREADS)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta);
    /// Like `bar.red.popc`; without `aligned`, the threads of a warp may arrive separately.
    BarrierRedPopc "barrier" as "barrier.red.popc" [cta: Cta, red: RedWord, popc: PopcWord, aligned: Aligned, ty: Type] (d: Def = ty, a: Src = want::BARRIER, b: OptSrc = want::THREADS, c: Pred = Type::Pred)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta).filter(|_| ty == Type::U32);
    /// Like `bar.red`; without `aligned`, the threads of a warp may arrive separately.
    BarrierRedLogic "barrier" as "barrier.red" [cta: Cta, red: RedWord, op: BarrierLogic, aligned: Aligned, ty: Type] (d: Def = ty, a: Src = want::BARRIER, b: OptSrc = want::THREADS, c: Pred = Type::Pred)
        Updates(Global, Shared, Barrier) [convergent], rules::barrier(cta).filter(|_| ty == Type::Pred);
    /// Barrier of the lanes of the mask, with memory ordering among them.
    BarWarpSync "bar.warp.sync" [] (mask: Src = Type::B32)
        Updates(Global, Shared, Barrier) [convergent], Some(Need::BASE);

    /// Exchanges values between the lanes of a warp; the predicate tells whether the source lane was in range.
    ShflSync "shfl.sync" [mode: Shuffle, ty: Type] (d: DefAndPredicate = Type::B32, a: Src = Type::B32, b: Src = Type::B32, c: Src = Type::B32, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::B32);
    /// Votes on a predicate among the lanes of the mask.
    VoteSync "vote.sync" [mode: Vote, ty: Type] (d: Def = Type::Pred, a: Pred = Type::Pred, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::Pred);
    /// The predicates of the lanes of the mask, one bit each.
    VoteBallot "vote.sync.ballot" [ty: Type] (d: Def = Type::B32, a: Pred = Type::Pred, mask: Src = Type::B32)
        Pure [convergent], rules::only(ty, Type::B32);
    /// Reduces the values of the lanes of the mask.
    ReduxSync "redux.sync" [op: Redux, ty: Type] (d: Def = Type::U32, a: Src = Type::U32, mask: Src = Type::B32)
        Pure [convergent], rules::redux(op, ty);
    /// Reduces the floats of the lanes of the mask; of a float and NaN the float, unless `nan`.
    ReduxFloat "redux.sync" as "redux.sync.float" [op: Redux, abs: Abs, nan: Nan, ty: Type] (d: Def = ty, a: Src = ty, mask: Src = Type::B32)
        Pure [convergent], rules::redux_float(op, ty);
    /// The lanes of the mask with the same value as this one.
    MatchAny "match.any.sync" [ty: Type] (d: Def = Type::B32, a: Src = ty, mask: Src = Type::B32)
        Pure [convergent], rules::wide_bits(ty);
    /// The mask if all its lanes have the same value, else zero; the predicate tells which.
    MatchAll "match.all.sync" [ty: Type] (d: DefAndPredicate = Type::B32, a: Src = ty, mask: Src = Type::B32)
        Pure [convergent], rules::wide_bits(ty);
    /// The active lanes.
    Activemask "activemask" [ty: Type] (d: Def = Type::B32)
        Pure [convergent], rules::activemask(ty);
    /// Elects one lane of the mask: its index, and a predicate that is true in that lane only.
    ElectSync "elect.sync" [] (d: DefAndPredicate = Type::B32, mask: Src = Type::B32)
        Pure [convergent], rules::elect(d.predicate.is_some());
    /// Suspends the thread for about `a` nanoseconds.
    Nanosleep "nanosleep" [ty: Type] (a: Src = Type::B32)
        Writes(Barrier), rules::only(ty, Type::U32);

    /// Loads 8x8 matrices of 16 bits, or 16x16 of 8 bits, from rows at the lanes' addresses.
    LdMatrix "ldmatrix.sync.aligned" [shape: MatrixShape, count: MatrixCount, trans: Trans, space: Option<Space>, ty: Type] (d: VectorDef = Type::B32, a: Addr = space)
        Reads(Shared) [convergent], rules::ldmatrix(shape, count, trans, space, ty, d.0.len());
    /// Loads matrices of 6-bit or 4-bit elements, each unpacked to 8 bits.
    LdMatrixWiden "ldmatrix.sync.aligned" as "ldmatrix.widen" [shape: MatrixShape, count: MatrixCount, trans: Trans, space: Option<Space>, to: MatrixFormat, from: MatrixFormat] (d: VectorDef = Type::B32, a: Addr = space)
        Reads(Shared) [convergent], rules::ldmatrix_widen(shape, count, trans, space, to, from, d.0.len());
    /// Stores matrices to rows at the lanes' addresses.
    StMatrix "stmatrix.sync.aligned" [shape: MatrixShape, count: MatrixCount, trans: Trans, space: Option<Space>, ty: Type] (a: Addr = space, b: VectorSrc = Type::B32)
        Writes(Shared) [convergent], rules::stmatrix(shape, count, trans, space, ty, b.0.len());
    /// Transposes an 8x8 matrix in the registers of a warp.
    MovMatrix "movmatrix.sync.aligned.m8n8.trans" [ty: Type] (d: Def = Type::B32, a: Src = Type::B32)
        Pure [convergent], rules::movmatrix(ty);
    /// Matrix product of a warp: `a * b + c`.
    Mma "mma.sync.aligned" [shape: MmaShape, a_layout: MatrixLayout, b_layout: MatrixLayout, kind: Option<MmaKind>, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, c_type: MatrixType, bits: Option<BitProduct>, popc: Popc]
        (d: VectorDef = want::elements(d_type), a: VectorSrc = want::elements(a_type), b: VectorSrc = want::elements(b_type), c: VectorSrc = want::elements(c_type))
        Pure [convergent, expensive], rules::mma(&rules::Product { shape, layouts: [a_layout, b_layout], kind, satfinite, types: [d_type, a_type, b_type, c_type], bits, popc }, [d.0.len(), a.0.len(), b.0.len(), c.0.len()]);
    /// Block-scaled matrix product of a warp: `(a * scale_a) * (b * scale_b) + c`. A selector is the byte in the
    /// scale register, and the thread of a group of four (or two) whose registers contain the scales.
    MmaBlockScaled "mma.sync.aligned" as "mma.block_scaled" [shape: MmaShape, a_layout: MatrixLayout, b_layout: MatrixLayout, kind: MmaKind, block_scale: BlockScaleWord, scale_vector: Option<ScaleVector>, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, c_type: MatrixType, scale_type: ScaleType]
        (d: VectorDef = want::elements(d_type), a: VectorSrc = want::elements(a_type), b: VectorSrc = want::elements(b_type), c: VectorSrc = want::elements(c_type), scale_a: Src = Type::B32, selector_a: VectorSrc = Type::U16, scale_b: Src = Type::B32, selector_b: VectorSrc = Type::U16)
        Pure [convergent, expensive], rules::mma_block_scaled(&rules::ScaledProduct { shape, layouts: [a_layout, b_layout], kind, scale_vector, types: [d_type, a_type, b_type, c_type], scale_type }, [d.0.len(), a.0.len(), b.0.len(), c.0.len()], [selector_a.0.len(), selector_b.0.len()]);
    /// Matrix product of a warp with structured sparsity: A holds half of its columns, and `metadata` says which. The
    /// selector says which lanes hold the metadata.
    MmaSparse "mma" as "mma.sp" [sparsity: Sparsity, sync: SyncWord, aligned: AlignedWord, shape: MmaShape, a_layout: MatrixLayout, b_layout: MatrixLayout, kind: Option<MmaKind>, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, c_type: MatrixType]
        (d: VectorDef = want::elements(d_type), a: VectorSrc = want::elements(a_type), b: VectorSrc = want::elements(b_type), c: VectorSrc = want::elements(c_type), metadata: Use = Type::B32, selector: Number = Want::Name)
        Pure [convergent, expensive], rules::mma_sparse(&rules::Product { shape, layouts: [a_layout, b_layout], kind, satfinite, types: [d_type, a_type, b_type, c_type], bits: None, popc: Popc(false) }, [d.0.len(), a.0.len(), b.0.len(), c.0.len()], sparsity, *selector);
    /// Block-scaled matrix product of a warp, with a sparse A.
    MmaSparseBlockScaled "mma" as "mma.sp.block_scaled" [sparsity: Sparsity, sync: SyncWord, aligned: AlignedWord, shape: MmaShape, a_layout: MatrixLayout, b_layout: MatrixLayout, kind: MmaKind, block_scale: BlockScaleWord, scale_vector: Option<ScaleVector>, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, c_type: MatrixType, scale_type: ScaleType]
        (d: VectorDef = want::elements(d_type), a: VectorSrc = want::elements(a_type), b: VectorSrc = want::elements(b_type), c: VectorSrc = want::elements(c_type), metadata: Use = Type::B32, selector: Number = Want::Name, scale_a: Src = Type::B32, selector_a: VectorSrc = Type::U16, scale_b: Src = Type::B32, selector_b: VectorSrc = Type::U16)
        Pure [convergent, expensive], rules::mma_sparse_block_scaled(&rules::ScaledProduct { shape, layouts: [a_layout, b_layout], kind, scale_vector, types: [d_type, a_type, b_type, c_type], scale_type }, [d.0.len(), a.0.len(), b.0.len(), c.0.len()], [selector_a.0.len(), selector_b.0.len()], sparsity, *selector);

    /// Copies 4, 8 or 16 bytes from global to shared memory asynchronously. Of these, the first `source_size` are
    /// read and the others are zero. The policy is one for the L2 cache, here and in the copies below.
    CpAsync "cp.async" [cache: CopyCache, to: Space, from: Space, hint: CacheHint, prefetch: Option<Prefetch>] (target: Addr = to, source: Addr = from, size: Number = Want::Name, source_size: OptSrc = Type::B32, policy if hint: If<Src> = Type::B64)
        Reads(Global) + Writes(Shared, Barrier), rules::cp_async(cache, to, from, hint, prefetch, *size);
    /// As `cp.async`; where the predicate holds nothing is read and the bytes are zero.
    CpAsyncIgnore "cp.async" as "cp.async.ignore" [cache: CopyCache, to: Space, from: Space, hint: CacheHint, prefetch: Option<Prefetch>] (target: Addr = to, source: Addr = from, size: Number = Want::Name, ignore: Pred = Type::Pred, policy if hint: If<Src> = Type::B64)
        Reads(Global) + Writes(Shared, Barrier), rules::cp_async(cache, to, from, hint, prefetch, *size).map(|need| need.and(rules::CP_ASYNC_IGNORE));
    /// Makes a group of this thread's asynchronous copies since the last one.
    CpAsyncCommit "cp.async.commit_group" [] ()
        Writes(Barrier), rules::CP_ASYNC;
    /// Waits until at most `groups` of this thread's latest groups of copies are pending.
    CpAsyncWait "cp.async.wait_group" [] (groups: Number = Want::Name)
        Updates(Shared, Barrier), rules::CP_ASYNC;
    /// Waits for all of this thread's asynchronous copies.
    CpAsyncWaitAll "cp.async.wait_all" [] ()
        Updates(Shared, Barrier), rules::CP_ASYNC;
    /// Arrives at an mbarrier when this thread's earlier asynchronous copies are complete.
    CpAsyncArrive "cp.async.mbarrier.arrive" [noinc: Noinc, space: Option<Space>, ty: Type] (a: Addr = space)
        Updates(Shared, Barrier), rules::mbarrier(ty, space, Need::new(7, 0, 80));

    /// Initialises an mbarrier with a number of expected arrivals.
    MbarrierInit "mbarrier.init" [space: Option<Space>, ty: Type] (a: Addr = space, count: Src = want::ARRIVALS)
        Updates(Shared, Barrier), rules::mbarrier(ty, space, Need::new(7, 0, 80));
    /// Invalidates an mbarrier, so that its memory may be reused.
    MbarrierInval "mbarrier.inval" [space: Option<Space>, ty: Type] (a: Addr = space)
        Updates(Shared, Barrier), rules::mbarrier(ty, space, Need::new(7, 0, 80));
    /// Arrives at an mbarrier; the result is the previous state, for a wait. `count` is the number of arrivals, or
    /// with `expect_tx` the number of additional expected bytes.
    MbarrierArrive "mbarrier" as "mbarrier.arrive" [arrival: Arrival, mode: Option<ArrivalMode>, order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Def = Type::B64, a: Addr = space, count: OptSrc = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_arrive(&rules::Arrive { mode, order, scope, space, ty, counted: count.is_some(), with_state: true });
    /// Like the other form, without a result: the only one for mbarriers of other blocks of the cluster.
    MbarrierArriveRemote "mbarrier" as "mbarrier.arrive.remote" [arrival: Arrival, mode: Option<ArrivalMode>, order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Sink = Want::Name, a: Addr = space, count: OptSrc = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_arrive(&rules::Arrive { mode, order, scope, space, ty, counted: count.is_some(), with_state: false });
    /// Adds to the expected bytes of the current phase.
    MbarrierExpectTx "mbarrier.expect_tx" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (a: Addr = space, bytes: Src = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_tx(order, scope, space, ty);
    /// Adds to the completed bytes, as an asynchronous copy does.
    MbarrierCompleteTx "mbarrier.complete_tx" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (a: Addr = space, bytes: Src = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_tx(order, scope, space, ty);
    /// Tests whether the phase of a state is complete.
    MbarrierTestWait "mbarrier.test_wait" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Def = Type::Pred, a: Addr = space, state: Src = Type::B64)
        Updates(Shared, Barrier), rules::mbarrier_wait(order, scope, space, ty, Need::new(7, 0, 80));
    /// Tests whether the phase of this parity is complete.
    MbarrierTestWaitParity "mbarrier.test_wait.parity" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Def = Type::Pred, a: Addr = space, parity: Src = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_wait(order, scope, space, ty, Need::new(7, 1, 80));
    /// Waits a limited time for the phase of a state, and tests whether it is complete.
    MbarrierTryWait "mbarrier.try_wait" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Def = Type::Pred, a: Addr = space, state: Src = Type::B64, nanoseconds: OptSrc = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_wait(order, scope, space, ty, Need::new(7, 8, 90));
    /// Waits a limited time for the phase of this parity, and tests whether it is complete.
    MbarrierTryWaitParity "mbarrier.try_wait.parity" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, ty: Type] (d: Def = Type::Pred, a: Addr = space, parity: Src = Type::B32, nanoseconds: OptSrc = Type::B32)
        Updates(Shared, Barrier), rules::mbarrier_wait(order, scope, space, ty, Need::new(7, 8, 90));
    /// The pending arrivals of a state.
    MbarrierPendingCount "mbarrier.pending_count" [ty: Type] (d: Def = Type::B32, state: Src = Type::B64)
        Pure, rules::mbarrier(ty, None, Need::new(7, 0, 80));

    /// Copies bytes between global and shared memory, or to another block of the cluster, and counts them at an mbarrier.
    /// With a mask, to the same place in the blocks of the cluster that it names.
    BulkLoad "cp.async.bulk" as "cp.async.bulk.load" [to: Space, from: Space, completion: Completion, multicast: Multicast, hint: CacheHint] (target: Addr = to, source: Addr = from, size: Src = Type::B32, barrier: Addr = Space::Shared, blocks if multicast: If<Src> = Type::B16, policy if hint: If<Src> = Type::B64)
        Reads(Global, Shared) + Writes(Shared, Barrier), rules::bulk_load(to, from, completion, multicast, hint);
    /// Copies bytes from shared to global memory, in a group. With a mask, of each 16 bytes those that it names.
    BulkStore "cp.async.bulk" as "cp.async.bulk.store" [to: Space, from: Space, completion: Completion, hint: CacheHint, masked: CopyMask] (target: Addr = to, source: Addr = from, size: Src = Type::B32, policy if hint: If<Src> = Type::B64, mask if masked: If<Src> = Type::B16)
        Reads(Shared) + Writes(Global, Barrier), rules::bulk_store(to, from, completion, masked);
    /// Combines an array in shared memory with one in global memory.
    BulkReduce "cp.reduce.async.bulk" [to: Space, from: Space, completion: Completion, hint: CacheHint, op: BulkReduction, noftz: Noftz, ty: Type] (target: Addr = to, source: Addr = from, size: Src = Type::B32, policy if hint: If<Src> = Type::B64)
        Reads(Shared) + Updates(Global) + Writes(Barrier), rules::bulk_reduce(to, from, completion, op, noftz, ty);
    /// Combines an array in shared memory with one of another block of the cluster.
    BulkReduceCluster "cp.reduce.async.bulk" as "cp.reduce.async.bulk.cluster" [to: Space, from: Space, completion: Completion, op: BulkReduction, ty: Type] (target: Addr = to, source: Addr = from, size: Src = Type::B32, barrier: Addr = Space::Shared)
        Updates(Shared) + Writes(Barrier), rules::bulk_reduce_cluster(to, from, completion, op, ty);
    /// Fetches bytes into the L2 cache.
    BulkPrefetch "cp.async.bulk.prefetch.L2" [from: Space, hint: CacheHint] (source: Addr = from, size: Src = Type::B32, policy if hint: If<Src> = Type::B64)
        Writes(Barrier), rules::bulk_prefetch(from);
    /// Makes a group of this thread's bulk copies since the last one.
    BulkCommit "cp.async.bulk.commit_group" [] ()
        Writes(Barrier), rules::HOPPER;
    /// Waits until at most `groups` of this thread's latest groups of bulk copies are pending.
    BulkWait "cp.async.bulk.wait_group" [read: ReadOnly] (groups: Number = Want::Name)
        Updates(Global, Shared, Barrier), rules::HOPPER;

    /// Copies a box of a tensor to shared memory, and counts its bytes at an mbarrier. With a mask, to the same place in
    /// the blocks of the cluster that it names.
    TensorLoad "cp.async.bulk.tensor" as "cp.async.bulk.tensor.load" [rank: TensorRank, to: Space, from: Space, mode: Option<TensorMode>, im2col: Im2col, completion: Completion, multicast: Multicast, hint: CacheHint] (target: Addr = to, source: TensorAddr = Want::Name, barrier: Addr = Space::Shared, offsets if im2col: If<VectorSrc> = Type::B16, blocks if multicast: If<Src> = Type::B16, policy if hint: If<Src> = Type::B64)
        Reads(Global) + Writes(Shared, Barrier), rules::tensor_load(rules::Elements { rank, mode, coordinates: source.coordinates.len(), offsets: offsets.as_ref().map(|offsets| offsets.0.len()) }, to, from, completion, multicast);
    /// Copies a box of a tensor from shared memory, in a group.
    TensorStore "cp.async.bulk.tensor" as "cp.async.bulk.tensor.store" [rank: TensorRank, to: Space, from: Space, mode: Option<TensorMode>, completion: Completion, hint: CacheHint] (target: TensorAddr = Want::Name, source: Addr = from, policy if hint: If<Src> = Type::B64)
        Reads(Shared) + Writes(Global, Barrier), rules::tensor_store(rules::Elements { rank, mode, coordinates: target.coordinates.len(), offsets: None }, to, from, completion);
    /// Combines a box in shared memory with one of a tensor.
    TensorReduce "cp.reduce.async.bulk.tensor" [rank: TensorRank, to: Space, from: Space, op: BulkReduction, mode: Option<TensorMode>, completion: Completion, hint: CacheHint] (target: TensorAddr = Want::Name, source: Addr = from, policy if hint: If<Src> = Type::B64)
        Reads(Shared) + Updates(Global) + Writes(Barrier), rules::tensor_reduce(rules::Elements { rank, mode, coordinates: target.coordinates.len(), offsets: None }, to, from, completion);
    /// Fetches a box of a tensor into the L2 cache.
    TensorPrefetch "cp.async.bulk.prefetch.tensor" [rank: TensorRank, level: PrefetchLevel, from: Space, mode: Option<TensorMode>, im2col: Im2col, hint: CacheHint] (source: TensorAddr = Want::Name, offsets if im2col: If<VectorSrc> = Type::B16, policy if hint: If<Src> = Type::B64)
        Writes(Barrier), rules::tensor_prefetch(rules::Elements { rank, mode, coordinates: source.coordinates.len(), offsets: offsets.as_ref().map(|offsets| offsets.0.len()) }, level, from);
    /// Replaces the address or the rank in a tensor map.
    TensormapReplace "tensormap.replace.tile" [field: MapField, space: Option<Space>, object: MapObjectWord, ty: Type] (a: Addr = space, value: Src = ty)
        Updates(Global, Shared), rules::tensormap_field(field, space, ty);
    /// Replaces the value of a dimension in a tensor map.
    TensormapReplaceExtent "tensormap.replace.tile" as "tensormap.replace.tile.extent" [field: MapExtent, space: Option<Space>, object: MapObjectWord, ty: Type] (a: Addr = space, dimension: Number = Want::Name, value: Src = ty)
        Updates(Global, Shared), rules::tensormap_extent(field, space, ty, *dimension);
    /// Replaces an enumeration field in a tensor map.
    TensormapReplaceChoice "tensormap.replace.tile" as "tensormap.replace.tile.choice" [field: MapChoice, space: Option<Space>, object: MapObjectWord, ty: Type] (a: Addr = space, choice: Number = Want::Name)
        Updates(Global, Shared), rules::tensormap_choice(field, space, ty, *choice);
    /// Copies a tensor map from shared to global memory and publishes it.
    TensormapPublish "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release" as "tensormap.cp_fenceproxy" [scope: Scope, sync: SyncWord, aligned: AlignedWord] (target: Addr = Space::Global, source: Addr = Space::SharedCta, size: Number = Want::Name)
        Reads(Shared) + Updates(Global, Barrier) [convergent], rules::tensormap_publish(scope, *size);
    /// Prefetches a tensor map into the cache.
    TensormapPrefetch "prefetch.tensormap" [] (a: Addr = None::<Space>)
        Writes(Barrier), rules::HOPPER;
    /// Prefetches a line into a cache.
    PrefetchLine "prefetch" [space: Option<Space>, level: PrefetchLevel] (a: Addr = space)
        Writes(Barrier), rules::prefetch(space, level);
    /// A policy for the L2 cache: a fraction of the accesses has the first priority, the others the default or the
    /// second.
    CreatePolicy "createpolicy.fractional" [first: L2Eviction, second: Option<L2Eviction>, ty: Type] (d: Def = Type::B64, fraction: OptSrc = Type::F32)
        Pure, rules::create_policy(second, ty);

    /// Orders accesses through a proxy with those through the generic proxy.
    FenceProxy "fence.proxy" [proxy: Proxy, space: Option<Space>] ()
        Updates(Global, Shared, Barrier), rules::fence_proxy(proxy, space);
    /// Releases earlier changes of tensor maps to the tensormap proxy.
    FenceTensormapRelease "fence.proxy.tensormap::generic" as "fence.proxy.tensormap.release" [order: FenceOrder, scope: Scope] ()
        Updates(Global, Shared, Barrier), rules::fence_tensormap(order, FenceOrder::Release, scope);
    /// Acquires released changes of a tensor map, for uses through the tensormap proxy.
    FenceTensormapAcquire "fence.proxy.tensormap::generic" as "fence.proxy.tensormap.acquire" [order: FenceOrder, scope: Scope] (a: Addr = None::<Space>, size: Number = Want::Name)
        Updates(Global, Shared, Barrier), rules::fence_tensormap(order, FenceOrder::Acquire, scope).filter(|_| *size == 128);
    /// Makes the initialisation of mbarriers visible to the cluster.
    FenceMbarrierInit "fence.mbarrier_init.release.cluster" [] ()
        Updates(Shared, Barrier), rules::HOPPER;
    /// Orders accesses of the block's own and of other blocks' shared memory in a cluster.
    FenceSyncRestrict "fence" as "fence.sync_restrict" [order: FenceOrder, restrict: SyncRestrict, scope: Scope] ()
        Updates(Shared, Barrier), rules::fence_restrict(order, restrict, scope);
    /// As `fence.sync_restrict`, of accesses through the asynchronous proxy with ordinary ones.
    FenceProxyRestrict "fence.proxy.async::generic" as "fence.proxy.sync_restrict" [order: FenceOrder, restrict: SyncRestrict, scope: Scope] ()
        Updates(Shared, Barrier), rules::fence_restrict(order, restrict, scope);

    /// Orders accesses to registers and shared memory before the warp group's matrix products.
    WgmmaFence "wgmma.fence.sync.aligned" [] ()
        Updates(Shared, Barrier) [convergent], rules::WGMMA;
    /// Commits the pending matrix products to a group.
    WgmmaCommit "wgmma.commit_group.sync.aligned" [] ()
        Writes(Barrier) [convergent], rules::WGMMA;
    /// Waits until at most `groups` of the latest groups of matrix products are pending.
    WgmmaWait "wgmma.wait_group.sync.aligned" [] (groups: Number = Want::Name)
        Updates(Shared, Barrier) [convergent], rules::WGMMA;
    /// Matrix product of a warp group, with operands in shared memory: `d = a * b`, plus `d` if `accumulate` is true.
    /// The numbers are the signs of A and B (1 or -1), and whether they are transposed (16-bit types only).
    Wgmma "wgmma.mma_async.sync.aligned" [shape: WgmmaShape, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: Use = Type::B64, b: Use = Type::B64, accumulate: Pred = Type::Pred, scale_a: Sign = Want::Name, scale_b: Sign = Want::Name, transposed: OptNumbers = Want::Name)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma(shape, [d_type, a_type, b_type], d.0.len(), rules::Transposed { given: transposed, operands: 2 });
    /// Like the form with A in shared memory, with A in registers.
    WgmmaRegisters "wgmma.mma_async.sync.aligned" as "wgmma.mma_async.registers" [shape: WgmmaShape, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: VectorSrc = Type::B32, b: Use = Type::B64, accumulate: Pred = Type::Pred, scale_a: Sign = Want::Name, scale_b: Sign = Want::Name, transposed: OptNumbers = Want::Name)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma(shape, [d_type, a_type, b_type], d.0.len(), rules::Transposed { given: transposed, operands: 1 }).filter(|_| a.0.len() == 4);
    /// Matrix product of a warp group, of integers or bits in shared memory.
    WgmmaInteger "wgmma.mma_async.sync.aligned" as "wgmma.mma_async.integer" [shape: WgmmaShape, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, bits: Option<BitProduct>, popc: Popc]
        (d: Accs = want::elements(d_type), a: Use = Type::B64, b: Use = Type::B64, accumulate: Pred = Type::Pred)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_integer(&rules::IntegerProduct { shape, satfinite, types: [d_type, a_type, b_type], bits, popc }, d.0.len());
    /// Like the form with A in shared memory, with A in registers.
    WgmmaIntegerRegisters "wgmma.mma_async.sync.aligned" as "wgmma.mma_async.integer.registers" [shape: WgmmaShape, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType, bits: Option<BitProduct>, popc: Popc]
        (d: Accs = want::elements(d_type), a: VectorSrc = Type::B32, b: Use = Type::B64, accumulate: Pred = Type::Pred)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_integer(&rules::IntegerProduct { shape, satfinite, types: [d_type, a_type, b_type], bits, popc }, d.0.len()).filter(|_| a.0.len() == 4);
    /// Matrix product of a warp group, of which A is sparse: of its columns half are given, and `metadata` names them.
    /// The selector says which lanes hold it.
    WgmmaSparse "wgmma.mma_async.sp.sync.aligned" [shape: WgmmaShape, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: Use = Type::B64, b: Use = Type::B64, metadata: Use = Type::B32, selector: Number = Want::Name, accumulate: Pred = Type::Pred, scale_a: Sign = Want::Name, scale_b: Sign = Want::Name, transposed: OptNumbers = Want::Name)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_sparse(shape, [d_type, a_type, b_type], d.0.len(), *selector, rules::Transposed { given: transposed, operands: 2 });
    /// Like the form with A in shared memory, with A in registers.
    WgmmaSparseRegisters "wgmma.mma_async.sp.sync.aligned" as "wgmma.mma_async.sp.registers" [shape: WgmmaShape, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: VectorSrc = Type::B32, b: Use = Type::B64, metadata: Use = Type::B32, selector: Number = Want::Name, accumulate: Pred = Type::Pred, scale_a: Sign = Want::Name, scale_b: Sign = Want::Name, transposed: OptNumbers = Want::Name)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_sparse(shape, [d_type, a_type, b_type], d.0.len(), *selector, rules::Transposed { given: transposed, operands: 1 }).filter(|_| a.0.len() == 4);
    /// Matrix product of a warp group, of integers in shared memory, of which A is sparse.
    WgmmaSparseInteger "wgmma.mma_async.sp.sync.aligned" as "wgmma.mma_async.sp.integer" [shape: WgmmaShape, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: Use = Type::B64, b: Use = Type::B64, metadata: Use = Type::B32, selector: Number = Want::Name, accumulate: Pred = Type::Pred)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_sparse_integer(shape, satfinite, [d_type, a_type, b_type], d.0.len(), *selector);
    /// Like the form with A in shared memory, with A in registers.
    WgmmaSparseIntegerRegisters "wgmma.mma_async.sp.sync.aligned" as "wgmma.mma_async.sp.integer.registers" [shape: WgmmaShape, satfinite: Satfinite, d_type: MatrixType, a_type: MatrixType, b_type: MatrixType]
        (d: Accs = want::elements(d_type), a: VectorSrc = Type::B32, b: Use = Type::B64, metadata: Use = Type::B32, selector: Number = Want::Name, accumulate: Pred = Type::Pred)
        Reads(Shared) + Writes(Barrier) [convergent, expensive], rules::wgmma_sparse_integer(shape, satfinite, [d_type, a_type, b_type], d.0.len(), *selector).filter(|_| a.0.len() == 4);
    /// Changes the number of registers of each thread of the warp group.
    SetMaxRegisters "setmaxnreg" [change: RegisterChange, sync: SyncWord, aligned: AlignedWord, ty: Type] (count: Number = Want::Name)
        Writes(Barrier) [convergent], rules::setmaxnreg(ty, *count);

    /// Maps an address of this block's shared memory to another block of the cluster.
    Mapa "mapa" [space: Option<Space>, ty: Type] (d: Def = ty, a: Src = ty, rank: Src = Type::B32)
        Pure, rules::mapa(space, ty);
    /// The rank of the block that owns a shared-memory address.
    GetCtaRank "getctarank" [space: Option<Space>, ty: Type] (d: Def = Type::B32, a: Src = ty)
        Pure, rules::mapa(space, ty);
    /// Whether a generic address is in a state space.
    IsSpace "isspacep" [space: Space] (d: Def = Type::Pred, a: Src = Type::B64)
        Pure, rules::is_space(space);
    /// Arrives at the cluster's barrier.
    ClusterArrive "barrier.cluster.arrive" [order: Option<Order>, aligned: Aligned] ()
        Updates(Global, Shared, Barrier) [convergent], rules::cluster_arrive(order);
    /// Waits at the cluster's barrier.
    ClusterWait "barrier.cluster.wait" [order: Option<Order>, aligned: Aligned] ()
        Updates(Global, Shared, Barrier) [convergent], rules::cluster_wait(order);
    /// Allows the dependent grids to start when all blocks have executed this or ended.
    LaunchDependents "griddepcontrol.launch_dependents" [] ()
        Writes(Barrier), rules::GRID_DEPENDENCE;
    /// Waits until the grids that this one depends on have ended and their writes are visible.
    WaitForGrids "griddepcontrol.wait" [] ()
        Updates(Global, Barrier), rules::GRID_DEPENDENCE;
    /// Requests the cancellation of a block that has not been launched; the response of 16 bytes is written to shared
    /// memory.
    TryCancel "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" as "clusterlaunchcontrol.try_cancel" [multicast: MulticastAll, ty: Type] (target: Addr = Space::SharedCta, barrier: Addr = Space::SharedCta)
        Writes(Shared, Barrier), rules::try_cancel(multicast, ty);
    /// Whether a block was cancelled.
    IsCanceled "clusterlaunchcontrol.query_cancel.is_canceled.pred" [ty: Type] (d: Def = Type::Pred, answer: Use = Type::B128)
        Pure, rules::query_cancel(ty);
    /// The index of the cancelled block; the fourth result is not used.
    FirstCtaid "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32" [ty: Type] (d: VectorDef = Type::B32, answer: Use = Type::B128)
        Pure, rules::query_cancel(ty).filter(|_| d.0.len() == 4);
    /// One coordinate of the index of the cancelled block.
    FirstCtaidAxis "clusterlaunchcontrol.query_cancel" as "clusterlaunchcontrol.query_cancel.axis" [axis: CtaidAxis, to: Type, ty: Type] (d: Def = Type::B32, answer: Use = Type::B128)
        Pure, rules::query_cancel(ty).filter(|_| to == Type::B32);
    /// Stores to another block of the cluster, with completion at its mbarrier.
    StAsync "st.async" [order: Option<Order>, space: Space, completion: Completion, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = want::moved(ty, b.0.len()), barrier: Addr = space)
        Writes(Shared, Barrier), rules::st_async(order, space, completion, width, ty, b.0.len());
    /// Atomic reduction in another block of the cluster, with completion at its mbarrier.
    RedAsync "red.async" [order: Option<Order>, scope: Option<Scope>, space: Space, completion: Completion, op: BulkReduction, ty: Type] (a: Addr = space, b: Src = ty, barrier: Addr = space)
        Updates(Shared) + Writes(Barrier), rules::red_async(order, scope, space, completion, op, ty);

    /// Reads the replicas behind a multimem address and combines them.
    MultimemLoad "multimem.ld_reduce" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, acc: Option<SumPrecision>, width: Option<Width>, ty: Type] (d: Defs = ty, a: Addr = space)
        Reads(Global), rules::multimem_load(&rules::Multimem { order, scope, space, op, width, ty, count: d.0.len() }, acc);
    /// Stores to all replicas of a multimem address.
    MultimemStore "multimem.st" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = ty)
        Writes(Global), rules::multimem_store(&rules::Multimem { order, scope, space, op: AtomicOp::Exch, width, ty, count: b.0.len() });
    /// Atomic reduction in all replicas of a multimem address.
    MultimemRed "multimem.red" [order: Option<Order>, scope: Option<Scope>, space: Option<Space>, op: AtomicOp, width: Option<Width>, ty: Type] (a: Addr = space, b: Srcs = ty)
        Updates(Global) + Writes(Barrier), rules::multimem_red(&rules::Multimem { order, scope, space, op, width, ty, count: b.0.len() });

    /// Calls a function with variables of parameter space.
    Call "call" [uni: Uni] (results: CallParameters = Want::Name, function: Function = Want::Name, arguments: CallParameters = Want::Name)
        Anything, Some(Need::BASE);
}
