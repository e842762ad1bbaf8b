//! The modifiers of instructions, one type each.

use super::types::{Type, word_attribute, words};
use super::words::{Modifier, ReadError, Words};
use crate::core::{
    AttributeField, Effects, Family, Keyword, NamedTerm, Reader, Resource, Resources, Term, TermCodec,
    TermError, TermKind,
};
use std::fmt;

/// Declares a modifier with several cases; each is printed with a leading dot.
///
/// `effects` gives the effects that the modifier may add to an instruction in which it is optional, and the function that narrows
/// these by the modifier's presence and value. A mandatory modifier needs none: the effects are those of the instruction's
/// declaration.
macro_rules! modifier {
    ($(#[$meta:meta])* $name:ident $(in $family:ident)? { $($body:tt)* } $(effects $effects:expr, $refine:expr)?) => {
        words! { $(#[$meta])* $name $(in $family)? { $($body)* } }

        impl Modifier for $name {
            const KEYWORDS: &'static [Keyword] = Self::KEYWORDS;
            const FAMILY: Family = Self::FAMILY;

            fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, ".{}", self.word())
            }

            fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
                words.require($name::from_word)
            }
        }

        impl Modifier for Option<$name> {
            const KEYWORDS: &'static [Keyword] = $name::KEYWORDS;
            const FAMILY: Family = $name::FAMILY;

            fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Some(modifier) => modifier.print(f),
                    None => Ok(()),
                }
            }

            fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
                Ok(words.accept($name::from_word))
            }

            $(
                const EFFECTS: Effects = $effects;
                fn refine(&self, effects: Effects) -> Effects {
                    $refine(*self, effects)
                }
            )?
        }

        word_attribute!($name);
    };
}

/// Declares an optional modifier without a value.
macro_rules! flag {
    ($(#[doc = $doc:literal])* $name:ident $(in $family:ident)? = $word:literal) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub bool);

        impl Modifier for $name {
            const KEYWORDS: &'static [Keyword] = &[Keyword { word: $word, doc: concat!($($doc),*) }];
            $(const FAMILY: Family = Family::$family;)?

            fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.0 { f.write_str(concat!(".", $word)) } else { Ok(()) }
            }

            fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
                Ok(Self(words.accept(|word| (word == $word).then_some(())).is_some()))
            }
        }

        impl AttributeField for $name {
            fn write_attr(&self, name: &'static str, attrs: &mut Vec<NamedTerm>) {
                if self.0 {
                    attrs.push(NamedTerm::flag(name));
                }
            }
            fn read_attr(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
                reader.flag(name).map(Self)
            }
        }
    };
}

/// Declares a fixed word that every instruction of the form has. In PTX it follows optional modifiers, so that it is not part of
/// the mnemonic; in `nvvm` the name of the op implies it.
macro_rules! fixed {
    ($(#[doc = $doc:literal])* $name:ident = $word:literal) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name;

        impl Modifier for $name {
            const KEYWORDS: &'static [Keyword] = &[Keyword { word: $word, doc: concat!($($doc),*) }];

            fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(".", $word))
            }

            fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
                words.require(|word| (word == $word).then_some(Self))
            }
        }

        impl AttributeField for $name {
            fn write_attr(&self, _: &'static str, _: &mut Vec<NamedTerm>) {}
            fn read_attr(_: &'static str, _: &mut Reader<'_>) -> Option<Self> {
                Some(Self)
            }
        }
    };
}

impl Modifier for Type {
    const KEYWORDS: &'static [Keyword] = Self::KEYWORDS;

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.word())
    }

    fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
        words.require(Self::from_word)
    }
}

modifier! {
    /// Rounding: to a value of the type, or (the second four) to an integral value.
    Rounding in FastMath {
        /// To nearest, ties to even.
        Rn = "rn",
        /// Towards zero.
        Rz = "rz",
        /// Towards negative infinity.
        Rm = "rm",
        /// Towards positive infinity.
        Rp = "rp",
        /// To nearest, ties away from zero.
        Rna = "rna",
        /// To the nearest integer, ties to even.
        Rni = "rni",
        /// To an integer, towards zero.
        Rzi = "rzi",
        /// To an integer, towards negative infinity.
        Rmi = "rmi",
        /// To an integer, towards positive infinity.
        Rpi = "rpi",
    }
}

impl Rounding {
    /// Whether the mode rounds to an integral value.
    pub const fn is_integral(self) -> bool {
        matches!(self, Self::Rni | Self::Rzi | Self::Rmi | Self::Rpi)
    }
}

flag! {
    /// Subnormal `f32` inputs and results become zero of the same sign.
    Ftz in FastMath = "ftz"
}
flag! {
    /// Clamps: integers to their range, floats to `[0, 1]` (NaN to zero).
    Sat = "sat"
}
flag! {
    /// The number of places by which the bit is shifted to the top.
    ShiftAmount = "shiftamt"
}
flag! {
    /// Clamps to the largest finite value instead of overflowing to infinity.
    Satfinite = "satfinite"
}
flag! {
    /// Negative results become zero, NaN a canonical NaN.
    Relu = "relu"
}
flag! {
    /// Subnormals are kept regardless of the module's default.
    Noftz in FastMath = "noftz"
}
flag! {
    /// A NaN operand gives a NaN result, instead of the other operand.
    Nan = "NaN"
}
flag! {
    /// All threads of the warp execute it together.
    Aligned = "aligned"
}
flag! {
    /// The branch is uniform over the warp.
    Uni = "uni"
}
fixed! {
    /// The non-coherent (read-only) path.
    NcWord = "nc"
}
flag! {
    /// The conversion goes from a generic address to one in a state space.
    To = "to"
}

modifier! {
    /// The part of a product that an integer multiplication returns.
    Part {
        /// The low half.
        Lo = "lo",
        /// The high half.
        Hi = "hi",
        /// All of it, in a register twice as wide.
        Wide = "wide",
    }
}

modifier! {
    /// A fast approximation.
    Approximation in FastMath {
        /// The fastest form.
        Approx = "approx",
        /// An approximation over the full range (`div` only).
        Full = "full",
    }
}

modifier! {
    /// A comparison. The `u` forms of floats are true if an operand is NaN.
    Comparison {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less.
        Lt = "lt",
        /// Less or equal.
        Le = "le",
        /// Greater.
        Gt = "gt",
        /// Greater or equal.
        Ge = "ge",
        /// Unsigned less.
        Lo = "lo",
        /// Unsigned less or equal.
        Ls = "ls",
        /// Unsigned greater.
        Hi = "hi",
        /// Unsigned greater or equal.
        Hs = "hs",
        /// Equal or unordered.
        Equ = "equ",
        /// Not equal or unordered.
        Neu = "neu",
        /// Less or unordered.
        Ltu = "ltu",
        /// Less, equal or unordered.
        Leu = "leu",
        /// Greater or unordered.
        Gtu = "gtu",
        /// Greater, equal or unordered.
        Geu = "geu",
        /// Neither is NaN.
        Num = "num",
        /// One is NaN.
        Nan = "nan",
    }
}

modifier! {
    /// The combination of a comparison's result with a predicate.
    Boolean {
        /// Both.
        And = "and",
        /// Either.
        Or = "or",
        /// Exactly one.
        Xor = "xor",
    }
}

modifier! {
    /// The property that `testp` tests.
    Property {
        /// Neither infinite nor NaN.
        Finite = "finite",
        /// Infinite.
        Infinite = "infinite",
        /// Not NaN.
        Number = "number",
        /// NaN.
        NotANumber = "notanumber",
        /// Neither zero, subnormal, infinite nor NaN.
        Normal = "normal",
        /// Subnormal.
        Subnormal = "subnormal",
    }
}

modifier! {
    /// A state space. Without one, an address is generic.
    Space {
        /// Device memory.
        Global = "global",
        /// The block's memory.
        Shared = "shared",
        /// The block's memory, said explicitly.
        SharedCta = "shared::cta",
        /// The cluster's shared memory.
        SharedCluster = "shared::cluster",
        /// The thread's memory.
        Local = "local",
        /// Kernel parameters.
        Param = "param",
        /// Constant memory.
        Const = "const",
    }
    effects Effects::PURE, in_space
}

/// Restricts the effects on memory to that of the address's space. A generic address may be in any.
fn in_space(space: Option<Space>, effects: Effects) -> Effects {
    let resource = match space {
        None => return effects,
        Some(Space::Global | Space::Const) => Resource::Global,
        Some(Space::Shared | Space::SharedCta | Space::SharedCluster) => Resource::Shared,
        Some(Space::Local | Space::Param) => Resource::Local,
    };
    effects.only_in(Resources::NONE.with(resource))
}

modifier! {
    /// The memory order of a load or store.
    Order in Order {
        /// No order; the compiler may assume no race.
        Weak = "weak",
        /// Never merged or elided.
        Volatile = "volatile",
        /// Atomic, without order.
        Relaxed = "relaxed",
        /// Later accesses stay later (loads).
        Acquire = "acquire",
        /// Earlier accesses stay earlier (stores).
        Release = "release",
    }
    effects Effects::writes(Resource::Barrier), ordered
}

/// Weak accesses do not synchronise.
fn ordered(order: Option<Order>, effects: Effects) -> Effects {
    match order {
        None | Some(Order::Weak) => effects.without(Resource::Barrier),
        Some(Order::Volatile | Order::Relaxed | Order::Acquire | Order::Release) => effects,
    }
}

modifier! {
    /// The memory order of a read-modify-write operation.
    AtomicOrder in Order {
        /// Atomic, without order.
        Relaxed = "relaxed",
        /// Later accesses stay later.
        Acquire = "acquire",
        /// Earlier accesses stay earlier.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
    }
}

modifier! {
    /// The memory order of a fence.
    FenceOrder in Order {
        /// Sequential consistency.
        Sc = "sc",
        /// Acquire and release.
        AcqRel = "acq_rel",
        /// Acquire.
        Acquire = "acquire",
        /// Release.
        Release = "release",
    }
}

modifier! {
    /// The scope of an ordered access.
    Scope in Order {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
        /// The GPU.
        Gpu = "gpu",
        /// The whole system.
        Sys = "sys",
    }
}

modifier! {
    /// The scope of a `membar`.
    BarScope {
        /// The block.
        Cta = "cta",
        /// The GPU.
        Gl = "gl",
        /// The whole system.
        Sys = "sys",
    }
}

modifier! {
    /// The cache operation of a load.
    LoadCache in Cache {
        /// Cache at all levels.
        Ca = "ca",
        /// Cache in L2 and below.
        Cg = "cg",
        /// Cache as streaming data.
        Cs = "cs",
        /// Last use.
        Lu = "lu",
        /// Do not cache; fetch again.
        Cv = "cv",
    }
}

modifier! {
    /// The cache operation of a store.
    StoreCache in Cache {
        /// Write back at all coherent levels.
        Wb = "wb",
        /// Cache in L2 and below.
        Cg = "cg",
        /// Cache as streaming data.
        Cs = "cs",
        /// Write through.
        Wt = "wt",
    }
}

modifier! {
    /// The eviction priority of a line in the L1 cache.
    Eviction in Cache {
        /// Default.
        Normal = "L1::evict_normal",
        /// Unchanged.
        Unchanged = "L1::evict_unchanged",
        /// First.
        First = "L1::evict_first",
        /// Last.
        Last = "L1::evict_last",
        /// Not allocated.
        NoAllocate = "L1::no_allocate",
    }
}

modifier! {
    /// The prefetch size of the L2 cache.
    Prefetch in Cache {
        /// 64 bytes.
        B64 = "L2::64B",
        /// 128 bytes.
        B128 = "L2::128B",
        /// 256 bytes.
        B256 = "L2::256B",
    }
}

modifier! {
    /// The number of elements of a vector access.
    Width {
        /// Two.
        V2 = "v2",
        /// Four.
        V4 = "v4",
        /// Eight.
        V8 = "v8",
    }
}

impl Width {
    /// The number of elements.
    pub const fn lanes(self) -> usize {
        match self {
            Self::V2 => 2,
            Self::V4 => 4,
            Self::V8 => 8,
        }
    }

    /// The width of a vector of `lanes` elements: `Some(None)` for one, `None` if there is no such vector.
    pub const fn of(lanes: usize) -> Option<Option<Self>> {
        match lanes {
            1 => Some(None),
            2 => Some(Some(Self::V2)),
            4 => Some(Some(Self::V4)),
            8 => Some(Some(Self::V8)),
            _ => None,
        }
    }
}

modifier! {
    /// The source lane of a shuffle.
    Shuffle {
        /// A lower lane.
        Up = "up",
        /// A higher lane.
        Down = "down",
        /// The lane whose index differs by an exclusive or with a mask.
        Bfly = "bfly",
        /// The lane with this index.
        Idx = "idx",
    }
}

modifier! {
    /// The kind of a vote.
    Vote {
        /// Whether all predicates are true.
        All = "all",
        /// Whether one predicate is true.
        Any = "any",
        /// Whether all predicates are equal.
        Uni = "uni",
    }
}

modifier! {
    /// The operation of an atomic instruction.
    AtomicOp {
        /// Adds.
        Add = "add",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Minimum.
        Min = "min",
        /// Maximum.
        Max = "max",
        /// Exchange.
        Exch = "exch",
        /// Increments, wrapping to zero above the operand.
        Inc = "inc",
        /// Decrements, wrapping to the operand.
        Dec = "dec",
    }
}

fixed! {
    /// Compare and swap, which has one more operand than the other atomics.
    CasWord = "cas"
}

modifier! {
    /// The operation of `redux`.
    Redux {
        /// The sum.
        Add = "add",
        /// The smallest.
        Min = "min",
        /// The largest.
        Max = "max",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
    }
}

modifier! {
    /// The direction of a funnel shift.
    Direction {
        /// Left.
        Left = "l",
        /// Right.
        Right = "r",
    }
}

modifier! {
    /// The treatment of funnel shift amounts above 31.
    ShiftMode {
        /// Clamped to 32.
        Clamp = "clamp",
        /// Modulo 32.
        Wrap = "wrap",
    }
}

modifier! {
    /// A fixed byte selection of `prmt`.
    PermuteMode {
        /// Four bytes forward from the selected one.
        F4e = "f4e",
        /// Four bytes backward.
        B4e = "b4e",
        /// One byte, four times.
        Rc8 = "rc8",
        /// Edge clamp to the left.
        Ecl = "ecl",
        /// Edge clamp to the right.
        Ecr = "ecr",
        /// One half word, twice.
        Rc16 = "rc16",
    }
}

modifier! {
    /// The reduction of the threads' predicates by a barrier.
    BarrierLogic {
        /// Conjunction.
        And = "and",
        /// Disjunction.
        Or = "or",
    }
}

flag! {
    /// Applied to the magnitude.
    Abs = "abs"
}
flag! {
    /// Transposed.
    Trans = "trans"
}
flag! {
    /// Population count.
    Popc = "popc"
}
fixed! {
    /// The number of threads whose predicate is true.
    PopcWord = "popc"
}
fixed! {
    /// Block-scaled operands.
    BlockScaleWord = "block_scale"
}
flag! {
    /// Barriers of the block; the default.
    Cta = "cta"
}
fixed! {
    /// Waits for the other threads.
    SyncWord = "sync"
}
fixed! {
    /// Arrives without waiting.
    ArriveWord = "arrive"
}
fixed! {
    /// Waits for the other threads, and reduces their predicates.
    RedWord = "red"
}
fixed! {
    /// All threads of the warp execute it together.
    AlignedWord = "aligned"
}
flag! {
    /// The number of pending arrivals is not incremented.
    Noinc = "noinc"
}
flag! {
    /// An operand is a cache policy for the L2 cache.
    CacheHint in Cache = "L2::cache_hint"
}
flag! {
    /// An operand says which bytes are copied.
    CopyMask = "cp_mask"
}

modifier! {
    /// The shape of the matrices that `ldmatrix` and `stmatrix` move.
    MatrixShape {
        /// 8x8 elements of 16 bits.
        M8n8 = "m8n8",
        /// 16x16 elements of 8 bits or less.
        M16n16 = "m16n16",
        /// 8x16 elements of 8 bits or less.
        M8n16 = "m8n16",
        /// 16x8 elements of 8 bits.
        M16n8 = "m16n8",
    }
}

modifier! {
    /// The number of matrices.
    MatrixCount {
        /// One.
        X1 = "x1",
        /// Two.
        X2 = "x2",
        /// Four.
        X4 = "x4",
    }
}

impl MatrixCount {
    /// The modifier for this number of matrices; `None` if no instruction moves as many.
    pub const fn of(count: u32) -> Option<Self> {
        match count {
            1 => Some(Self::X1),
            2 => Some(Self::X2),
            4 => Some(Self::X4),
            _ => None,
        }
    }

    /// The number of matrices.
    pub const fn count(self) -> usize {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
        }
    }
}

modifier! {
    /// The unpacking of elements of less than 8 bits by `ldmatrix`.
    MatrixFormat {
        /// Sixteen elements of 8 bits in registers.
        B8x16 = "b8x16",
        /// Sixteen elements of 6 bits and 32 bits of padding in memory.
        B6x16P32 = "b6x16_p32",
        /// Sixteen elements of 4 bits and 64 bits of padding in memory.
        B4x16P64 = "b4x16_p64",
    }
}

modifier! {
    /// How a matrix operand is stored.
    MatrixLayout {
        /// By rows.
        Row = "row",
        /// By columns.
        Col = "col",
    }
}

modifier! {
    /// The shape of a warp's matrix product: D (m x n) = A (m x k) * B (k x n) + C.
    MmaShape {
        /// 8x8x4.
        M8n8k4 = "m8n8k4",
        /// 8x8x16.
        M8n8k16 = "m8n8k16",
        /// 8x8x32.
        M8n8k32 = "m8n8k32",
        /// 8x8x128.
        M8n8k128 = "m8n8k128",
        /// 16x8x4.
        M16n8k4 = "m16n8k4",
        /// 16x8x8.
        M16n8k8 = "m16n8k8",
        /// 16x8x16.
        M16n8k16 = "m16n8k16",
        /// 16x8x32.
        M16n8k32 = "m16n8k32",
        /// 16x8x64.
        M16n8k64 = "m16n8k64",
        /// 16x8x128.
        M16n8k128 = "m16n8k128",
        /// 16x8x256.
        M16n8k256 = "m16n8k256",
    }
}

impl MmaShape {
    /// m, n and k.
    pub const fn extents(self) -> [usize; 3] {
        match self {
            Self::M8n8k4 => [8, 8, 4],
            Self::M8n8k16 => [8, 8, 16],
            Self::M8n8k32 => [8, 8, 32],
            Self::M8n8k128 => [8, 8, 128],
            Self::M16n8k4 => [16, 8, 4],
            Self::M16n8k8 => [16, 8, 8],
            Self::M16n8k16 => [16, 8, 16],
            Self::M16n8k32 => [16, 8, 32],
            Self::M16n8k64 => [16, 8, 64],
            Self::M16n8k128 => [16, 8, 128],
            Self::M16n8k256 => [16, 8, 256],
        }
    }
}

impl MmaShape {
    /// The shape of these extents.
    pub fn of(extents: [u32; 3]) -> Option<Self> {
        let wanted = extents.map(|extent| extent as usize);
        Self::ALL.iter().copied().find(|shape| shape.extents() == wanted)
    }

    /// The shape with half as large a k, for 16 rows.
    pub const fn halved(self) -> Option<Self> {
        match self {
            Self::M16n8k8 => Some(Self::M16n8k4),
            Self::M16n8k16 => Some(Self::M16n8k8),
            Self::M16n8k32 => Some(Self::M16n8k16),
            Self::M16n8k64 => Some(Self::M16n8k32),
            Self::M16n8k128 => Some(Self::M16n8k64),
            Self::M16n8k256 => Some(Self::M16n8k128),
            Self::M8n8k4 | Self::M8n8k16 | Self::M8n8k32 | Self::M8n8k128 | Self::M16n8k4 => None,
        }
    }
}

modifier! {
    /// The order of the indices in the metadata of a sparse matrix.
    Sparsity {
        /// In any order.
        Any = "sp",
        /// Increasing; required by later GPUs.
        Ordered = "sp::ordered_metadata",
    }
}

modifier! {
    /// The type of a matrix's elements.
    MatrixType {
        /// IEEE binary16.
        F16 = "f16",
        /// bfloat16.
        Bf16 = "bf16",
        /// TensorFloat-32.
        Tf32 = "tf32",
        /// IEEE binary32.
        F32 = "f32",
        /// IEEE binary64.
        F64 = "f64",
        /// Signed, 8 bits.
        S8 = "s8",
        /// Unsigned, 8 bits.
        U8 = "u8",
        /// Signed, 4 bits.
        S4 = "s4",
        /// Unsigned, 4 bits.
        U4 = "u4",
        /// One bit.
        B1 = "b1",
        /// Signed, 32 bits.
        S32 = "s32",
        /// Eight-bit float, four bits of exponent.
        E4m3 = "e4m3",
        /// Eight-bit float, five bits of exponent.
        E5m2 = "e5m2",
        /// Six-bit float, three bits of exponent.
        E3m2 = "e3m2",
        /// Six-bit float, two bits of exponent.
        E2m3 = "e2m3",
        /// Four-bit float, two bits of exponent.
        E2m1 = "e2m1",
    }
}

impl MatrixType {
    /// The type of the register that holds elements: packed if they are narrower.
    pub const fn register(self) -> Type {
        match self {
            Self::F32 => Type::F32,
            Self::F64 => Type::F64,
            _ => Type::B32,
        }
    }
}

modifier! {
    /// The kind of a matrix product of narrow floats.
    MmaKind {
        /// Floats of 8, 6 and 4 bits, each in 8.
        F8f6f4 = "kind::f8f6f4",
        /// The same, with a scale for each 32.
        Mxf8f6f4 = "kind::mxf8f6f4",
        /// Floats of 4 bits, with a scale for each 32.
        Mxf4 = "kind::mxf4",
        /// Floats of 4 bits, with a scale for each 16 or 32.
        Mxf4nvf4 = "kind::mxf4nvf4",
    }
}

modifier! {
    /// The number of scales of a row of A or a column of B.
    ScaleVector {
        /// One.
        X1 = "scale_vec::1X",
        /// Two.
        X2 = "scale_vec::2X",
        /// Four.
        X4 = "scale_vec::4X",
    }
}

modifier! {
    /// The type of scales.
    ScaleType {
        /// A power of two, 8 bits of exponent.
        Ue8m0 = "ue8m0",
        /// An unsigned float, four bits of exponent.
        Ue4m3 = "ue4m3",
    }
}

modifier! {
    /// The operation of a binary matrix product on pairs of bits before the population count.
    BitProduct {
        /// Exclusive or.
        Xor = "xor",
        /// And.
        And = "and",
    }
}

modifier! {
    /// The caches that a `cp.async` uses.
    CopyCache in Cache {
        /// All of them; 4, 8 or 16 bytes.
        Ca = "ca",
        /// L2 alone; 16 bytes.
        Cg = "cg",
    }
}

modifier! {
    /// The kind of arrival at an mbarrier.
    Arrival {
        /// In this phase.
        Arrive = "arrive",
        /// In this phase, removed from the expected arrivals of later ones.
        ArriveDrop = "arrive_drop",
    }
}

modifier! {
    /// An additional effect of an arrival at an mbarrier.
    ArrivalMode {
        /// Adds to the expected bytes first.
        ExpectTx = "expect_tx",
        /// Does not complete the phase.
        NoComplete = "noComplete",
    }
}

flag! {
    /// The data is written at the same offset in several blocks of the cluster.
    Multicast = "multicast::cluster"
}
flag! {
    /// The response is written in all blocks of the cluster.
    MulticastAll = "multicast::cluster::all"
}
flag! {
    /// Waits only until the sources have been read.
    ReadOnly = "read"
}
modifier! {
    /// The type in which sums of narrower floats are computed.
    SumPrecision in FastMath {
        /// `f16`.
        F16 = "acc::f16",
        /// `f32`.
        F32 = "acc::f32",
    }
}

modifier! {
    /// The completion mechanism of a bulk copy.
    Completion {
        /// Transaction bytes at an mbarrier.
        Mbarrier = "mbarrier::complete_tx::bytes",
        /// A group that the thread waits for.
        Group = "bulk_group",
    }
}

modifier! {
    /// The operation of an asynchronous reduction.
    BulkReduction {
        /// Adds.
        Add = "add",
        /// Minimum.
        Min = "min",
        /// Maximum.
        Max = "max",
        /// Increments, wrapping to zero above the operand.
        Inc = "inc",
        /// Decrements, wrapping to the operand.
        Dec = "dec",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
    }
}

modifier! {
    /// The rank of a tensor.
    TensorRank {
        /// One dimension.
        D1 = "1d",
        /// Two.
        D2 = "2d",
        /// Three.
        D3 = "3d",
        /// Four.
        D4 = "4d",
        /// Five.
        D5 = "5d",
    }
}

impl TensorRank {
    /// The rank with so many dimensions, if tensors have it.
    pub const fn of(dimensions: usize) -> Option<Self> {
        Some(match dimensions {
            1 => Self::D1,
            2 => Self::D2,
            3 => Self::D3,
            4 => Self::D4,
            5 => Self::D5,
            _ => return None,
        })
    }

    /// The number of dimensions.
    pub const fn dimensions(self) -> usize {
        match self {
            Self::D1 => 1,
            Self::D2 => 2,
            Self::D3 => 3,
            Self::D4 => 4,
            Self::D5 => 5,
        }
    }
}

modifier! {
    /// The elements of a tensor that are copied.
    TensorMode {
        /// A box.
        Tile = "tile",
        /// Four rows.
        Gather4 = "tile::gather4",
        /// Four rows, stored.
        Scatter4 = "tile::scatter4",
        /// Pixels, each of so many channels, stored.
        Im2colNoOffs = "im2col_no_offs",
    }
}

flag! {
    /// Pixels, each of so many channels, at offsets from where a filter begins.
    Im2col = "im2col"
}

modifier! {
    /// A field of a tensor map with one value.
    MapField {
        /// The address of the tensor.
        GlobalAddress = "global_address",
        /// The number of dimensions, less one.
        Rank = "rank",
    }
}

modifier! {
    /// A field of a tensor map with a value for each dimension.
    MapExtent {
        /// The extent of the box.
        BoxDim = "box_dim",
        /// The extent of the tensor.
        GlobalDim = "global_dim",
        /// The stride in bytes.
        GlobalStride = "global_stride",
        /// The stride of the elements that are copied.
        ElementStride = "element_stride",
    }
}

modifier! {
    /// An enumeration field of a tensor map.
    MapChoice {
        /// The type of elements.
        ElementType = "elemtype",
        /// How elements are interleaved.
        InterleaveLayout = "interleave_layout",
        /// The swizzle in shared memory.
        SwizzleMode = "swizzle_mode",
        /// The atom of the swizzle.
        SwizzleAtomicity = "swizzle_atomicity",
        /// The value of elements out of bounds.
        FillMode = "fill_mode",
    }
}

fixed! {
    /// The object that `tensormap.replace` changes: a tensor map of 1024 bits.
    MapObjectWord = "b1024"
}

modifier! {
    /// A proxy whose accesses a fence orders with those of the generic proxy.
    Proxy {
        /// Accesses through other virtual addresses.
        Alias = "alias",
        /// Asynchronous copies and matrix products.
        Async = "async",
    }
}

modifier! {
    /// The half of a fence between blocks of a cluster, and its memory.
    SyncRestrict {
        /// For the cluster's shared memory.
        Cluster = "sync_restrict::shared::cluster",
        /// For the block's own.
        Cta = "sync_restrict::shared::cta",
    }
}

modifier! {
    /// The target of a prefetch.
    PrefetchLevel in Cache {
        /// Into the L1 cache.
        L1 = "L1",
        /// Into the L2 cache.
        L2 = "L2",
        /// Into the L2 cache, evicted last.
        L2EvictLast = "L2::evict_last",
        /// Into the L2 cache, with default eviction priority.
        L2EvictNormal = "L2::evict_normal",
    }
}

modifier! {
    /// The eviction priority of a line in the L2 cache.
    L2Eviction in Cache {
        /// Default.
        Normal = "L2::evict_normal",
        /// First.
        First = "L2::evict_first",
        /// Last.
        Last = "L2::evict_last",
        /// Unchanged.
        Unchanged = "L2::evict_unchanged",
    }
}

modifier! {
    /// Whether a warp requests or releases registers.
    RegisterChange {
        /// Requests, and waits until there are enough.
        Inc = "inc",
        /// Releases.
        Dec = "dec",
    }
}

modifier! {
    /// A coordinate of a block.
    CtaidAxis {
        /// x.
        X = "get_first_ctaid::x",
        /// y.
        Y = "get_first_ctaid::y",
        /// z.
        Z = "get_first_ctaid::z",
    }
}

/// The shape of a warp group's matrix product: 64 x n x k, where k depends on the elements' size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WgmmaShape {
    /// Columns of B and D.
    pub n: u16,
    /// Columns of A, rows of B.
    pub k: u16,
}

impl WgmmaShape {
    /// Rows of A and D.
    pub const ROWS: u32 = 64;
    /// The fewest columns of B and D; others are multiples of it.
    pub const LEAST_COLUMNS: u32 = 8;

    /// The multiply-adds of an instruction.
    pub fn multiplications(self) -> u64 {
        u64::from(Self::ROWS) * u64::from(self.n) * u64::from(self.k)
    }
}

impl fmt::Display for WgmmaShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", Self::ROWS, self.n, self.k)
    }
}

impl WgmmaShape {
    /// The shape with half as large a k.
    pub(super) fn halved(self) -> Option<Self> {
        let k = self.k.is_multiple_of(2).then_some(self.k / 2)?;
        Some(Self { k, ..self })
    }

    /// The shape written `m64n<n>k<k>`.
    pub fn from_word(word: &str) -> Option<Self> {
        let (n, k) = word.strip_prefix("m64n")?.split_once('k')?;
        let shape = Self {
            n: n.parse().ok()?,
            k: k.parse().ok()?,
        };
        // No signs or leading zeros.
        (shape.to_string() == word).then_some(shape)
    }
}

impl Modifier for WgmmaShape {
    const KEYWORDS: &'static [Keyword] = &[];

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{self}")
    }

    fn read(words: &mut Words<'_>) -> Result<Self, ReadError> {
        words.require(Self::from_word)
    }
}

impl TermCodec for WgmmaShape {
    fn write(&self) -> Term {
        Term::word(&self.to_string())
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Word(word) => Self::from_word(word),
            _ => None,
        }
        .ok_or_else(|| term.wrong("a shape such as `m64n256k16`"))
    }
}
crate::attribute_field!(WgmmaShape);
