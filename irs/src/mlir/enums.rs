//! Properties that are one of several words.

use crate::core::{Term, TermCodec, TermError, TermKind};

use super::attribute::Attribute;
use super::property::Property;
use super::reader::TextReader;
use super::scan::Read;
use super::types::{Signedness, Type};

crate::keywords! {
    /// How integers are compared.
    pub enum IntPredicate {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Signed, less.
        Slt = "slt",
        /// Signed, less or equal.
        Sle = "sle",
        /// Signed, greater.
        Sgt = "sgt",
        /// Signed, greater or equal.
        Sge = "sge",
        /// Unsigned, less.
        Ult = "ult",
        /// Unsigned, less or equal.
        Ule = "ule",
        /// Unsigned, greater.
        Ugt = "ugt",
        /// Unsigned, greater or equal.
        Uge = "uge",
    }
}

crate::keywords! {
    /// How floats are compared; `o` is false and `u` is true if one is a NaN.
    pub enum FloatPredicate {
        /// Never.
        False = "false",
        /// Equal.
        Oeq = "oeq",
        /// Greater.
        Ogt = "ogt",
        /// Greater or equal.
        Oge = "oge",
        /// Less.
        Olt = "olt",
        /// Less or equal.
        Ole = "ole",
        /// Not equal.
        One = "one",
        /// No NaN.
        Ord = "ord",
        /// Equal, or a NaN.
        Ueq = "ueq",
        /// Greater, or a NaN.
        Ugt = "ugt",
        /// Greater or equal, or a NaN.
        Uge = "uge",
        /// Less, or a NaN.
        Ult = "ult",
        /// Less or equal, or a NaN.
        Ule = "ule",
        /// Not equal, or a NaN.
        Une = "une",
        /// A NaN.
        Uno = "uno",
        /// Always.
        True = "true",
    }
}

crate::keywords! {
    /// An operand of a matrix product.
    pub enum MmaOperand {
        /// The left factor.
        A = "A",
        /// The right factor.
        B = "B",
        /// The accumulator.
        C = "C",
    }
}

crate::keywords! {
    /// A side of a copy.
    pub enum CopyOperand {
        /// The source.
        Source = "S",
        /// The destination.
        Destination = "D",
    }
}

crate::keywords! {
    /// The syntax of inline assembly.
    pub enum AsmDialect {
        /// With sigils, as PTX has it.
        Att = "att",
        /// Intel's.
        Intel = "intel",
    }
}

crate::keywords! {
    /// What becomes of floats beyond bounds.
    pub enum Saturation {
        /// Nothing.
        None = "none",
        /// The greatest finite one.
        Finite = "satfinite",
        /// Zero or one.
        Unit = "sat",
    }
}

crate::keywords! {
    /// A cache.
    pub enum CacheLevel {
        /// That of a multiprocessor.
        L1 = "L1",
        /// That of the GPU.
        L2 = "L2",
    }
}

crate::keywords! {
    /// When a line that is brought into a cache leaves it.
    pub enum CachePriority {
        /// As any other.
        Normal = "evict_normal",
        /// Before others.
        First = "evict_first",
        /// After others.
        Last = "evict_last",
        /// As was said before.
        Unchanged = "evict_unchanged",
        /// It does not come there.
        NoAllocate = "no_allocate",
    }
}

crate::keywords! {
    /// When a line leaves the cache of a multiprocessor.
    pub enum EvictKind {
        /// As any other.
        Normal = "evict_normal",
        /// Before others.
        First = "evict_first",
        /// After others.
        Last = "evict_last",
        /// As was said before.
        Unchanged = "evict_unchanged",
        /// It does not come there.
        NoAllocate = "evict_no_allocate",
        /// Nothing is said.
        None = "none",
    }
}

crate::keywords! {
    /// How much the GPU's cache fetches with a line.
    pub enum L2Prefetch {
        /// Nothing is said.
        None = "none",
        /// Nothing that is known.
        Reserved = "reserved",
        /// 64 bytes.
        Bytes64 = "size_64b",
        /// 128 bytes.
        Bytes128 = "size_128b",
        /// 256 bytes.
        Bytes256 = "size_256b",
    }
}

crate::keywords! {
    /// How a float is rounded.
    pub enum FloatRounding {
        /// The instruction's own way.
        None = "none",
        /// To nearest, ties to even.
        Nearest = "rn",
        /// Down.
        Down = "rm",
        /// Up.
        Up = "rp",
        /// To zero.
        Zero = "rz",
        /// To nearest, ties away from zero.
        Away = "rna",
        /// At random.
        Stochastic = "rs",
    }
}

crate::keywords! {
    /// The threads between which memory is ordered.
    pub enum MemScope {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
        /// The GPU.
        Gpu = "gpu",
        /// The system.
        Sys = "sys",
    }
}

crate::keywords! {
    /// The threads that an mbarrier orders.
    pub enum MbarrierScope {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
    }
}

crate::keywords! {
    /// How an mbarrier is waited for.
    pub enum MbarrierWait {
        /// Suspended for a while.
        Try = "try",
        /// Without suspension.
        Test = "test",
    }
}

crate::keywords! {
    /// The layout of an mbarrier in memory.
    pub enum MbarrierLayout {
        /// The one of all targets.
        V0 = "v0",
    }
}

crate::keywords! {
    /// The proxies between which a fence orders accesses.
    pub enum ProxyKind {
        /// Other addresses of the same memory.
        Alias = "alias",
        /// Asynchronous copies.
        Async = "async",
        /// Asynchronous copies of global memory.
        AsyncGlobal = "async.global",
        /// Asynchronous copies of shared memory.
        AsyncShared = "async.shared",
        /// Tensor maps.
        Tensormap = "tensormap",
        /// Ordinary accesses.
        Generic = "generic",
    }
}

crate::keywords! {
    /// Whose shared memory.
    pub enum SharedSpace {
        /// The block's.
        Cta = "cta",
        /// The cluster's.
        Cluster = "cluster",
    }
}

crate::keywords! {
    /// How many blocks use tensor memory together.
    pub enum CtaGroup {
        /// One.
        Cta1 = "cta_1",
        /// Two.
        Cta2 = "cta_2",
    }
}

crate::keywords! {
    /// The accesses of tensor memory that are waited for.
    pub enum TensorWait {
        /// Loads.
        Load = "load",
        /// Stores.
        Store = "store",
    }
}

crate::keywords! {
    /// How the number of registers of a warp changes.
    pub enum RegisterChange {
        /// More.
        Increase = "increase",
        /// Fewer.
        Decrease = "decrease",
    }
}

crate::keywords! {
    /// From which lane a value comes.
    pub enum ShuffleKind {
        /// The lane whose number differs in these bits.
        Bfly = "bfly",
        /// A lower one.
        Up = "up",
        /// A higher one.
        Down = "down",
        /// The one of this number.
        Idx = "idx",
    }
}

crate::keywords! {
    /// What a vote of a warp asks.
    pub enum VoteKind {
        /// Whether any lane's condition holds.
        Any = "any",
        /// Whether all do.
        All = "all",
        /// Which do.
        Ballot = "ballot",
        /// Whether all are equal.
        Uni = "uni",
    }
}

crate::keywords! {
    /// How the elements of a vector are combined.
    pub enum CombiningKind {
        /// The sum.
        Add = "add",
        /// The product.
        Mul = "mul",
        /// The least unsigned integer.
        Minui = "minui",
        /// The least signed integer.
        Minsi = "minsi",
        /// The least number that is no NaN.
        Minnumf = "minnumf",
        /// The greatest unsigned integer.
        Maxui = "maxui",
        /// The greatest signed integer.
        Maxsi = "maxsi",
        /// The greatest number that is no NaN.
        Maxnumf = "maxnumf",
        /// All bits.
        And = "and",
        /// Any bits.
        Or = "or",
        /// Odd bits.
        Xor = "xor",
        /// The least float, or a NaN.
        Minimumf = "minimumf",
        /// The greatest float, or a NaN.
        Maximumf = "maximumf",
    }
}

crate::keywords! {
    /// Whether a call is in tail position.
    pub enum TailCallKind {
        /// Not said.
        None = "none",
        /// It may be.
        Tail = "tail",
        /// It must be.
        MustTail = "musttail",
        /// It must not be.
        NoTail = "notail",
    }
}

crate::keywords! {
    /// The form of a tensor load.
    pub enum TiledTmaLoad {
        /// Of Hopper.
        Sm90 = "sm_90",
        /// Of Hopper, to several blocks.
        Sm90Multicast = "sm_90_multicast",
        /// Of Blackwell, for a pair of blocks.
        Sm100TwoSm = "sm_100_2sm",
        /// Of Blackwell, for a pair of blocks, to several.
        Sm100TwoSmMulticast = "sm_100_2sm_multicast",
    }
}

crate::keywords! {
    /// Which index of a matrix is the fastest.
    pub enum Major {
        /// That of the sum.
        K = "k",
        /// That of the result.
        Mn = "mn",
    }
}

crate::keywords! {
    /// What a tensor load takes.
    pub enum TmaLoadMode {
        /// A box.
        Tiled = "tiled",
        /// Pixels of an image.
        Im2col = "im2col",
        /// Pixels of an image, 128 at a time.
        W128 = "w128",
        /// Pixels of a row of an image.
        W = "w",
        /// Four rows.
        Gather4 = "gather4",
    }
}

crate::keywords! {
    /// What a tensor store writes.
    pub enum TmaStoreMode {
        /// A box.
        Tiled = "tiled",
        /// Pixels of an image.
        Im2col = "im2col",
        /// Four rows.
        Scatter4 = "scatter4",
    }
}

crate::keywords! {
    /// How a box is combined with memory.
    pub enum TmaReduceKind {
        /// The sum.
        Add = "ADD",
        /// The lesser one.
        Min = "MIN",
        /// The greater one.
        Max = "MAX",
        /// One more, up to a limit.
        Inc = "INC",
        /// One less, down to 0.
        Dec = "DEC",
        /// Bits of both.
        And = "AND",
        /// Bits of either.
        Or = "OR",
        /// Bits of one.
        Xor = "XOR",
    }
}

crate::keywords! {
    /// How elements are combined.
    pub enum ReductionOp {
        /// The sum.
        Add = "ADD",
        /// The product.
        Mul = "MUL",
        /// The least one.
        Min = "MIN",
        /// The greatest one.
        Max = "MAX",
    }
}

crate::keywords! {
    /// What becomes of a factor that is kept for the next product.
    pub enum CollectorOp {
        /// It is dropped.
        Discard = "discard",
        /// It is used for the last time.
        LastUse = "lastuse",
        /// It is kept.
        Fill = "fill",
        /// It is used.
        Use = "use",
    }
}

crate::keywords! {
    /// The form of a load of four rows.
    pub enum GatherTmaLoad {
        /// To a block.
        Sm100 = "sm_100",
        /// To several blocks.
        Sm100Multicast = "sm_100_multicast",
        /// For a pair of blocks.
        Sm100TwoSm = "sm_100_2sm",
        /// For a pair of blocks, to several.
        Sm100TwoSmMulticast = "sm_100_2sm_multicast",
    }
}

crate::keywords! {
    /// The form of a load of pixels.
    pub enum Im2colTmaLoad {
        /// Of Hopper.
        Sm90 = "sm_90",
        /// Of Hopper, to several blocks.
        Sm90Multicast = "sm_90_multicast",
        /// Of Blackwell, for a pair of blocks.
        Sm100TwoSm = "sm_100_2sm",
        /// Of Blackwell, for a pair of blocks, to several.
        Sm100TwoSmMulticast = "sm_100_2sm_multicast",
    }
}

crate::keywords! {
    /// The order of an access or a fence, as LLVM has it.
    pub enum AtomicOrdering {
        /// No concurrent access is allowed.
        NotAtomic = "not_atomic",
        /// Concurrent accesses do not tear.
        Unordered = "unordered",
        /// Concurrent accesses of one address have an order.
        Monotonic = "monotonic",
        /// Accesses before the release that it reads from are visible.
        Acquire = "acquire",
        /// Accesses before it are visible to an acquire that reads from it.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, in one order for all threads.
        SeqCst = "seq_cst",
    }
}

crate::keywords! {
    /// The order of an access, as PTX has it.
    pub enum MemOrder {
        /// No concurrent access is allowed.
        Weak = "weak",
        /// Concurrent access is allowed, without ordering.
        Relaxed = "relaxed",
        /// Accesses before the release that it reads from are visible.
        Acquire = "acquire",
        /// Accesses before it are visible to an acquire that reads from it.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, in one order for all threads.
        Sc = "sc",
        /// An access of a device.
        Mmio = "mmio",
        /// Each access happens as written.
        Volatile = "volatile",
        /// Of what no thread writes.
        Constant = "constant",
    }
}

crate::keywords! {
    /// The threads for which an access is atomic.
    pub enum AtomicScope {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
        /// The GPU.
        Gpu = "gpu",
        /// The system.
        Sys = "sys",
    }
}

crate::keywords! {
    /// What an atomic access does with what is there.
    pub enum AtomicKind {
        /// Bits of both.
        And = "and",
        /// Bits of either.
        Or = "or",
        /// Bits of one.
        Xor = "xor",
        /// The second value, where the first is there.
        Cas = "cas",
        /// The value.
        Exch = "exch",
        /// The sum.
        Add = "add",
        /// One more, up to the value, and 0 after it.
        Inc = "inc",
        /// One less, down to 0, and the value after it.
        Dec = "dec",
        /// The lesser signed one.
        Min = "min",
        /// The greater signed one.
        Max = "max",
        /// The lesser unsigned one.
        Umin = "umin",
        /// The greater unsigned one.
        Umax = "umax",
        /// The sum of floats.
        Fadd = "fadd",
        /// The difference.
        Sub = "sub",
    }
}

crate::keywords! {
    /// What an atomic access without a result does with what is there.
    pub enum RedKind {
        /// Bits of both.
        And = "and",
        /// Bits of either.
        Or = "or",
        /// Bits of one.
        Xor = "xor",
        /// The sum.
        Add = "add",
        /// One more, up to the value, and 0 after it.
        Inc = "inc",
        /// One less, down to 0, and the value after it.
        Dec = "dec",
        /// The lesser one.
        Min = "min",
        /// The greater one.
        Max = "max",
    }
}

crate::keywords! {
    /// Of what such an access is.
    pub enum RedType {
        /// Bits.
        B32 = "b32",
        /// 64 bits.
        B64 = "b64",
        /// An unsigned integer.
        U32 = "u32",
        /// An unsigned integer of 64 bits.
        U64 = "u64",
        /// A signed integer.
        S32 = "s32",
        /// A signed integer of 64 bits.
        S64 = "s64",
        /// A float.
        F32 = "f32",
        /// A float of 64 bits.
        F64 = "f64",
        /// A float of 16 bits.
        F16 = "f16",
        /// Two floats of 16 bits.
        F16x2 = "f16x2",
        /// A bfloat16.
        Bf16 = "bf16",
        /// Two of bfloat16.
        Bf16x2 = "bf16x2",
    }
}

crate::keywords! {
    /// How the values of a warp are combined.
    pub enum ReductionKind {
        /// The sum.
        Add = "add",
        /// All bits.
        And = "and",
        /// The greatest signed one.
        Max = "max",
        /// The least signed one.
        Min = "min",
        /// Any bits.
        Or = "or",
        /// The greatest unsigned one.
        Umax = "umax",
        /// The least unsigned one.
        Umin = "umin",
        /// Odd bits.
        Xor = "xor",
        /// The least float.
        Fmin = "fmin",
        /// The greatest float.
        Fmax = "fmax",
    }
}

crate::keywords! {
    /// How the conditions of threads are combined.
    pub enum BarrierReduction {
        /// Whether all hold.
        And = "and",
        /// Whether any holds.
        Or = "or",
        /// How many hold.
        Popc = "popc",
    }
}

crate::keywords! {
    /// What a comparison of the lanes of a warp asks.
    pub enum MatchKind {
        /// Which lanes have this lane's value.
        Any = "any",
        /// Whether all have it.
        All = "all",
    }
}

crate::keywords! {
    /// How a load uses the caches.
    pub enum LoadModifier {
        /// Cached at all levels.
        Ca = "ca",
        /// Cached in L2 and below.
        Cg = "cg",
        /// Cached as data that is read once.
        Cs = "cs",
        /// The last use of the line.
        Lu = "lu",
        /// Fetched again.
        Cv = "cv",
        /// Not said.
        None = "none",
    }
}

crate::keywords! {
    /// How an asynchronous copy uses the caches.
    pub enum CopyModifier {
        /// Cached at all levels.
        Ca = "ca",
        /// Cached in L2 and below.
        Cg = "cg",
        /// Cached as data that is read once.
        Cs = "cs",
        /// The last use of the line.
        Lu = "lu",
        /// Fetched again.
        Cv = "cv",
    }
}

crate::keywords! {
    /// How a store uses the caches.
    pub enum StoreModifier {
        /// Written back at all coherent levels.
        Wb = "wb",
        /// Cached in L2 and below.
        Cg = "cg",
        /// Cached as data that is written once.
        Cs = "cs",
        /// Written through the L2 cache.
        Wt = "wt",
        /// Not said.
        None = "none",
    }
}

crate::keywords! {
    /// Whether matrices are transposed.
    pub enum MatrixLayout {
        /// As they are in memory.
        Row = "row",
        /// Transposed.
        Col = "col",
    }
}

crate::keywords! {
    /// The extents of a matrix that is loaded.
    pub enum LoadShape {
        /// 8 by 8.
        M8n8 = "m8n8",
        /// 8 by 16.
        M8n16 = "m8n16",
        /// 16 by 16.
        M16n16 = "m16n16",
    }
}

crate::keywords! {
    /// The extents of a matrix that is stored.
    pub enum StoreShape {
        /// 8 by 8.
        M8n8 = "m8n8",
        /// 16 by 8.
        M16n8 = "m16n8",
    }
}

crate::keywords! {
    /// How the elements of a matrix are packed in memory.
    pub enum LoadFormat {
        /// 16 of 6 bits, and 4 bytes of nothing.
        B6x16P32 = "b6x16_p32",
        /// 16 of 4 bits, and 8 bytes of nothing.
        B4x16P64 = "b4x16_p64",
        /// As bytes.
        B8 = "b8",
    }
}

/// Declares how an enumeration is written as an attribute: `#dialect.name<word>`, `#dialect<name word>`, or its number.
macro_rules! word_property {
    ($($ty:ident: $form:ident($($arg:tt)*) $(or $default:ident)?;)+) => {$(
        impl Property for $ty {
            const WHAT: &'static str = word_property!(@what $form $ty ($($arg)*));
            fn from_attribute(attribute: &Attribute) -> Option<Self> {
                word_property!(@from $form attribute ($($arg)*))
            }
            fn attribute(&self) -> Attribute {
                word_property!(@to $form self ($($arg)*))
            }
            $(fn missing() -> Option<Self> {
                Some(Self::$default)
            })?
            fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
                match Self::from_word(reader.scan.peek_word()) {
                    Some(own) => {
                        reader.expect_word(own.word())?;
                        Ok(own.attribute())
                    }
                    None => reader.scan.wrong(format!("one of `{}`", Self::WORDS.join("`, `"))),
                }
            }
            fn write(attribute: &Attribute, out: &mut String) -> std::fmt::Result {
                out.push_str(Self::from_attribute(attribute).map_or("", Self::word));
                Ok(())
            }
        }
    )+};
    (@what dialect $ty:ident ($name:literal)) => { concat!("`#", $name, "<…>` with a known word") };
    (@from dialect $attribute:ident ($name:literal)) => { Self::from_word($attribute.body_of($name)?) };
    (@to dialect $self:ident ($name:literal)) => { Attribute::dialect($name, $self.word()) };
    (@what older $ty:ident ($dialect:literal, $name:literal)) => {
        concat!("`#", $dialect, "<", $name, " …>` with a known word")
    };
    (@from older $attribute:ident ($dialect:literal, $name:literal)) => {
        Self::from_word($attribute.body_of($dialect)?.strip_prefix($name)?.strip_prefix(' ')?)
    };
    (@to older $self:ident ($dialect:literal, $name:literal)) => {
        Attribute::dialect($dialect, format_args!("{} {}", $name, $self.word()))
    };
    (@what numbered $ty:ident ($width:literal, $numbers:expr)) => { "the number of a known case" };
    (@from numbered $attribute:ident ($width:literal, $numbers:expr)) => {
        match $attribute {
            Attribute::Integer(value, Type::Integer(Signedness::Signless, $width)) => {
                let mut cases = $numbers.iter().zip(Self::ALL);
                cases.find(|(number, _)| *number == value).map(|(_, own)| *own)
            }
            _ => None,
        }
    };
    (@to numbered $self:ident ($width:literal, $numbers:expr)) => {{
        let mut cases = $numbers.iter().zip(Self::ALL);
        let number: i64 = cases.find(|(_, own)| *own == $self).map_or(0, |(number, _)| *number);
        Attribute::Integer(number, Type::signless($width))
    }};
    (@what number $ty:ident ($width:literal)) => { "the number of a known case" };
    (@from number $attribute:ident ($width:literal)) => {
        match $attribute {
            Attribute::Integer(value, Type::Integer(Signedness::Signless, $width)) => {
                Self::ALL.get(usize::try_from(*value).ok()?).copied()
            }
            _ => None,
        }
    };
    (@to number $self:ident ($width:literal)) => {{
        let number = Self::ALL.iter().position(|own| own == $self);
        let number = number.and_then(|number| i64::try_from(number).ok()).unwrap_or(0);
        Attribute::Integer(number, Type::signless($width))
    }};
}
word_property! {
    IntPredicate: number(64);
    FloatPredicate: number(64);
    MmaOperand: number(32);
    CopyOperand: number(32);
    AsmDialect: number(64) or Att;
    FloatRounding: dialect("nvvm.fp_rnd_mode") or None;
    Saturation: dialect("nvvm.sat_mode") or None;
    CacheLevel: older("nvvm", "prefetch_cache_level");
    CachePriority: older("nvvm", "cache_eviction_priority");
    EvictKind: dialect("nvvm.evict_kind");
    L2Prefetch: dialect("nvvm.l2_prefetch");
    MemScope: dialect("nvvm.mem_scope") or Cta;
    MbarrierScope: dialect("nvvm.mbar_scope") or Cta;
    MbarrierWait: dialect("nvvm.mbar_wait");
    MbarrierLayout: dialect("nvvm.mbarrier_layout") or V0;
    ProxyKind: dialect("nvvm.proxy_kind");
    SharedSpace: dialect("nvvm.shared_space");
    CtaGroup: dialect("nvvm.cta_group") or Cta1;
    TensorWait: dialect("nvvm.tcgen05_wait");
    RegisterChange: older("nvvm", "action");
    ShuffleKind: older("nvvm", "shfl_kind");
    VoteKind: older("nvvm", "vote_sync_kind");
    CombiningKind: dialect("vector.kind") or Add;
    TailCallKind: dialect("llvm.tailcallkind") or None;
    TiledTmaLoad: dialect("cute_nvgpu.tiled_tma_load");
    Major: dialect("cute_nvgpu.major");
    TmaLoadMode: dialect("cute_nvgpu.tma_load_mode");
    TmaStoreMode: dialect("cute_nvgpu.tma_store_mode");
    TmaReduceKind: dialect("cute_nvgpu.tma_reduce_kind");
    ReductionOp: dialect("cute.reduction_op");
    CollectorOp: dialect("cute_nvgpu.mma_collector_op");
    AtomicOrdering: numbered(64, [0, 1, 2, 4, 5, 6, 7]) or NotAtomic;
    MemOrder: dialect("nvvm.mem_order") or Relaxed;
    AtomicScope: dialect("nvvm.mem_scope") or Gpu;
    AtomicKind: older("nvvm", "atomic_op");
    RedKind: dialect("nvvm.red_op");
    RedType: dialect("nvvm.red_type");
    ReductionKind: older("nvvm", "reduction_kind");
    BarrierReduction: dialect("nvvm.barrier_redux_kind");
    MatchKind: older("nvvm", "match_sync_kind");
    LoadModifier: dialect("nvvm.load_cache_modifier_ext");
    CopyModifier: older("nvvm", "load_cache_modifier");
    StoreModifier: dialect("nvvm.store_cache_modifier");
    MatrixLayout: dialect("nvvm.mma_layout");
    LoadShape: dialect("nvvm.load_shape") or M8n8;
    LoadFormat: dialect("nvvm.load_src_format") or B8;
    StoreShape: dialect("nvvm.store_shape") or M8n8;
    GatherTmaLoad: dialect("cute_nvgpu.gather_scatter_tma_load");
    Im2colTmaLoad: dialect("cute_nvgpu.im2col_tma_load");
}

/// Declares a set of words: `#arith.fastmath<nnan,contract>`, one word for none of them, and perhaps one for all.
macro_rules! flags_property {
    ($($(#[doc = $doc:literal])* $ty:ident = $name:literal, [$($word:literal),+], $between:literal, all $all:expr;)+) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $ty(u8);

        impl $ty {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: Option<&'static str> = $all;

            /// Whether the set has this word.
            pub fn has(self, word: &str) -> bool {
                Self::WORDS.iter().position(|own| *own == word).is_some_and(|bit| self.0 >> bit & 1 == 1)
            }

            fn parse(text: &str) -> Option<Self> {
                let all = (1u8 << Self::WORDS.len()).wrapping_sub(1);
                match text.trim() {
                    "none" => return Some(Self(0)),
                    text if Some(text) == Self::ALL => return Some(Self(all)),
                    _ => {}
                }
                let mut bits = 0;
                for word in text.split(',') {
                    bits |= 1 << Self::WORDS.iter().position(|own| *own == word.trim())?;
                }
                Some(Self(bits))
            }

            fn text(self) -> String {
                let all = (1u8 << Self::WORDS.len()).wrapping_sub(1);
                match (self.0, Self::ALL) {
                    (0, _) => "none".to_owned(),
                    (bits, Some(word)) if bits == all => word.to_owned(),
                    _ => {
                        let words = Self::WORDS.iter().copied();
                        words.filter(|word| self.has(word)).collect::<Vec<_>>().join($between)
                    }
                }
            }
        }

        impl TermCodec for $ty {
            fn write(&self) -> Term {
                TermKind::Str(self.text()).into()
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                let set = match &term.kind {
                    TermKind::Str(text) => Self::parse(text),
                    _ => None,
                };
                set.ok_or_else(|| term.wrong(concat!("a set of", $(" `", $word, "`"),+, ", in quotes")))
            }
        }
        crate::attribute_field!($ty);

        impl Property for $ty {
            const WHAT: &'static str = concat!("`#", $name, "<…>` with known words");
            fn from_attribute(attribute: &Attribute) -> Option<Self> {
                Self::parse(attribute.body_of($name)?)
            }
            fn attribute(&self) -> Attribute {
                Attribute::dialect($name, self.text())
            }
            fn missing() -> Option<Self> {
                Some(Self(0))
            }
            fn read(reader: &mut TextReader<'_>) -> Read<Attribute> {
                reader.scan.skip();
                let start = reader.scan.at();
                reader.scan.word("`none`")?;
                while reader.scan.eat(",") {
                    reader.scan.word("a word")?;
                }
                match Self::parse(reader.scan.since(start)) {
                    Some(own) => Ok(own.attribute()),
                    None => {
                        reader.scan.move_to(start);
                        reader.scan.wrong(format!("words of `{}`", Self::WORDS.join("`, `")))
                    }
                }
            }
            fn write(attribute: &Attribute, out: &mut String) -> std::fmt::Result {
                out.push_str(&Self::from_attribute(attribute).unwrap_or_default().text());
                Ok(())
            }
        }
    )+};
}
flags_property! {
    /// How exact a float op must be.
    FastMath = "arith.fastmath", ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"], ",", all Some("fast");
    /// How exact a float op of LLVM's must be.
    LlvmFastMath = "llvm.fastmath", ["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"], ", ", all Some("fast");
    /// Which overflows of an integer op do not happen.
    Overflow = "arith.overflow", ["nsw", "nuw"], ", ", all None;
}
