//! Ops of `nvvm`.

use crate::core::{Flag, Successor, Value};
use crate::literal::Literal;
use crate::llvm::SpecialRegister;
use crate::ptx::{
    Approximation, Comparison, Eviction, LoadCache, Order, Part, Prefetch, Rounding, Scope, Space,
    StoreCache, Type,
};

crate::dialect! {
    /// Target instructions. The order of the slots is fixed.
    pub enum NvvmDialect: "nvvm" {
        /// A constant.
        Mov "mov" { value: Literal } -> 1, Pure, Free;
        /// The same bits in another kind of register.
        MovBits "mov.bits" { ty: Type, source: Value } -> 1, Pure, Free;
        /// Narrow registers in a wide one, the first in the low bits.
        Pack "pack" { ty: Type, parts: Vec<Value> } -> 1, Pure, Free;
        /// A wide register in narrow ones, the first from the low bits.
        Unpack "unpack" { ty: Type, source: Value } -> *, Pure, Free;
        /// Sum.
        Add "add" {
            rounding: Option<Rounding>, ftz: Flag, sat: Flag, ty: Type, lhs: Value, rhs: Value
        } -> 1, Pure, Free;
        /// Difference.
        Sub "sub" {
            rounding: Option<Rounding>, ftz: Flag, sat: Flag, ty: Type, lhs: Value, rhs: Value
        } -> 1, Pure, Free;
        /// Product, of integers the part that is asked for.
        Mul "mul" {
            part: Option<Part>, rounding: Option<Rounding>, ftz: Flag, sat: Flag, ty: Type, lhs: Value, rhs: Value
        } -> 1, Pure, Free;
        /// Integer product and sum.
        Mad "mad" { part: Part, ty: Type, lhs: Value, rhs: Value, acc: Value } -> 1, Pure, Free;
        /// Float product and sum with one rounding.
        Fma "fma" {
            rounding: Rounding, ftz: Flag, sat: Flag, ty: Type, lhs: Value, rhs: Value, acc: Value
        } -> 1, Pure, Free;
        /// Quotient; of integers toward zero.
        Div "div" {
            approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Flag, ty: Type,
            lhs: Value, rhs: Value
        } -> 1, Pure, Free;
        /// Integer remainder, with the sign of the dividend.
        Rem "rem" { ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Negation.
        Neg "neg" { ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Magnitude.
        Abs "abs" { ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Smaller of two; -0 is smaller than +0; a NaN loses unless `nan`.
        Min "min" { ftz: Flag, nan: Flag, ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Larger of two; +0 is larger than -0; a NaN loses unless `nan`.
        Max "max" { ftz: Flag, nan: Flag, ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Square root.
        Sqrt "sqrt" {
            approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Flag, ty: Type, source: Value
        } -> 1, Pure, Free;
        /// Reciprocal of the square root.
        Rsqrt "rsqrt" { approximation: Approximation, ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Reciprocal.
        Rcp "rcp" {
            approximation: Option<Approximation>, rounding: Option<Rounding>, ftz: Flag, ty: Type, source: Value
        } -> 1, Pure, Free;
        /// Two to a power.
        Ex2 "ex2" { approximation: Approximation, ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Logarithm to base two.
        Lg2 "lg2" { approximation: Approximation, ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Sine.
        Sin "sin" { approximation: Approximation, ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Cosine.
        Cos "cos" { approximation: Approximation, ftz: Flag, ty: Type, source: Value } -> 1, Pure, Free;
        /// Hyperbolic tangent.
        Tanh "tanh" { approximation: Approximation, ty: Type, source: Value } -> 1, Pure, Free;
        /// Bitwise and, of predicates too.
        And "and" { ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Bitwise or, of predicates too.
        Or "or" { ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Bitwise exclusive or, of predicates too.
        Xor "xor" { ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Bitwise complement, of predicates too.
        Not "not" { ty: Type, source: Value } -> 1, Pure, Free;
        /// Left shift by 32 bits read as unsigned; the width or more gives zero.
        Shl "shl" { ty: Type, lhs: Value, amount: Value } -> 1, Pure, Free;
        /// Right shift by 32 bits read as unsigned; the width or more gives zero, or all sign bits.
        Shr "shr" { ty: Type, lhs: Value, amount: Value } -> 1, Pure, Free;
        /// Comparison. The forms of floats that end in `u` hold when an operand is NaN.
        Setp "setp" { comparison: Comparison, ftz: Flag, ty: Type, lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// `yes` where the condition holds, else `no`.
        Selp "selp" { ty: Type, yes: Value, no: Value, condition: Value } -> 1, Pure, Free;
        /// Conversion. Floats become integers by clamping.
        Cvt "cvt" {
            rounding: Option<Rounding>, ftz: Flag, sat: Flag, to: Type, from: Type, source: Value
        } -> 1, Pure, Free;
        /// Loads as many values as there are results. Where the predicate does not hold nothing is read, and the
        /// results are `others`, or zero without any.
        Ld "ld" {
            order: Order, scope: Option<Scope>, space: Space, cache: Option<LoadCache>, eviction: Option<Eviction>,
            prefetch: Option<Prefetch>, ty: Type, pointer: Value, offset: i32, predicate: Option<Value>,
            others: Vec<Value>
        } -> *, Read, Free;
        /// Stores as many values as are given, unless the predicate does not hold.
        St "st" {
            order: Order, scope: Option<Scope>, space: Space, cache: Option<StoreCache>, eviction: Option<Eviction>,
            ty: Type, pointer: Value, offset: i32, values: Vec<Value>, predicate: Option<Value>
        } -> 0, Write, Free;
        /// A register that the hardware sets.
        ReadSreg "read.ptx.sreg" { register: SpecialRegister } -> 1, Pure, Free;
        /// Where the block's shared memory begins.
        SharedBase "shared.base" {} -> 1, Pure, Free;
        /// `threads` threads of the block meet at barrier `id`.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, ReadWrite, Free;
        /// Goes on in a block.
        Bra "bra" { target: Successor } -> 0, Terminator, Free;
        /// Goes on in one of two blocks.
        Cbra "cbra" { condition: Value, yes: Successor, no: Successor } -> 0, Terminator, Free;
        /// Ends the kernel for this thread.
        Ret "ret" {} -> 0, Terminator, Free;
    }
}

crate::language_ops! {
    /// The ops of `nvvm`.
    pub enum NvvmOp {
        /// Target instructions.
        Nvvm(NvvmDialect),
    }
}
