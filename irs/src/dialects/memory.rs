//! Attributes of memory accesses, and the memref: an array in global memory.

use std::fmt;

use tilewright_diagnostics::{Code, counted};

use crate::core::{Arg, Args, Effects, FieldEffects, Resource, Term, TermCodec, TermError, TermKind, Value};
use crate::element::ScalarType;
use crate::isa::Target;
use crate::isa::orders::AccessOrder;
use crate::isa::rules::forms;
use crate::machine::COPY_UNIT;

crate::field_group! {
    /// A tile at a place in an array: its first element, along the array's axis `dim_map[i]`, is at `index[i] * steps[i]`.
    pub struct TileAccess {
        /// The array.
        memref: Value,
        /// The index of the tile along each of its axes.
        index: Vec<Value>,
        /// The array's axis for each axis of the tile.
        dim_map in Layout: Vec<u32>,
        /// The distance between the starts of adjacent tiles, in elements, along each axis of the tile.
        steps in Layout: Vec<u32>,
        /// What a load gives outside of the array; unspecified without it.
        padding: Option<Padding>,
        /// Whether the tile is known to be in bounds along each of its axes.
        inbounds in Assumption: Vec<bool>,
    }
}

crate::field_group! {
    /// The place of an access in the order of memory.
    pub struct Ordering {
        /// The token of what it comes after.
        after: Option<Value>,
        /// Its memory order.
        order: MemoryOrder,
        /// Among which threads the order holds.
        scope: Option<MemoryScope>,
    }
}

impl Ordering {
    /// Whether no concurrent access is allowed.
    pub const fn is_weak(&self) -> bool {
        matches!(self.order, MemoryOrder::Weak)
    }
}

crate::field_group! {
    /// The place of an atomic access in the order of memory.
    pub struct AtomicOrdering {
        /// The token of what it comes after.
        after: Option<Value>,
        /// Its memory order.
        order: AtomicOrder,
        /// Among which threads the order holds.
        scope: MemoryScope,
    }
}

/// Declares how accesses of a kind use the caches: the priorities that all kinds have, and operations of their own. An
/// instruction has one or the other.
macro_rules! cache_policy {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $vdoc:literal])+ $variant:ident = $word:literal),+ $(,)? }) => {
        crate::keywords! {
            $(#[doc = $doc])+
            pub enum $name in Cache {
                /// Priority: evicted from the L1 cache first, used once.
                EvictFirst = "evict_first",
                /// Priority: evicted last, reused often.
                EvictLast = "evict_last",
                /// Priority: evicted in the order that the lines have.
                EvictUnchanged = "evict_unchanged",
                /// Priority: evicted like lines without a priority.
                EvictNormal = "evict_normal",
                /// Not allocated in the L1 cache.
                NoAllocate = "no_allocate",
                $($(#[doc = $vdoc])+ $variant = $word),+
            }
        }

        impl $name {
            /// Whether it is an operation, which only weak accesses have, rather than a priority.
            pub const fn is_operation(self) -> bool {
                matches!(self, $(Self::$variant)|+)
            }
        }
    };
}

cache_policy! {
    /// How a load from global memory uses the caches. (PTX ISA, "Cache operators", "Cache eviction priority hints".)
    LoadPolicy {
        /// Operation: cached at all levels.
        All = "ca",
        /// Operation: cached in L2 and below.
        Global = "cg",
        /// Operation: cached as data that is read once.
        Streaming = "cs",
        /// Operation: the last use of the line.
        LastUse = "lu",
        /// Operation: fetched again.
        Volatile = "cv",
    }
}

cache_policy! {
    /// How a store to global memory uses the caches. (PTX ISA, "Cache operators", "Cache eviction priority hints".)
    StorePolicy {
        /// Operation: written back at all coherent levels.
        WriteBack = "wb",
        /// Operation: cached in L2 and below.
        Global = "cg",
        /// Operation: cached as data that is written once.
        Streaming = "cs",
        /// Operation: written through the L2 cache.
        WriteThrough = "wt",
    }
}

crate::keywords! {
    /// How much of the memory around a load from global memory the L2 cache fetches as well. (PTX ISA, `ld`, `cp.async`.)
    pub enum PrefetchSize in Cache {
        /// 64 bytes.
        B64 = "64B",
        /// 128 bytes.
        B128 = "128B",
        /// 256 bytes.
        B256 = "256B",
    }
}

crate::keywords! {
    /// Memory order of an access.
    pub enum MemoryOrder: FieldEffects in Order {
        /// No concurrent access is allowed.
        Weak = "weak",
        /// Concurrent access is allowed, without ordering.
        Relaxed = "relaxed",
        /// Accesses before the release that it reads from are visible.
        Acquire = "acquire",
        /// Accesses before it are visible to an acquire that reads from it.
        Release = "release",
    }
}

impl FieldEffects for MemoryOrder {
    const EFFECTS: Effects = Effects::writes(Resource::Barrier);
    fn refine(&self, effects: Effects) -> Effects {
        match self {
            Self::Weak => effects.without(Resource::Barrier),
            Self::Relaxed | Self::Acquire | Self::Release => effects,
        }
    }
}

impl From<MemoryOrder> for AccessOrder {
    fn from(order: MemoryOrder) -> Self {
        match order {
            MemoryOrder::Weak => Self::Weak,
            MemoryOrder::Relaxed => Self::Relaxed,
            MemoryOrder::Acquire => Self::Acquire,
            MemoryOrder::Release => Self::Release,
        }
    }
}

crate::keywords! {
    /// Scope of a memory order.
    pub enum MemoryScope in Order {
        /// The threads of the block.
        Block = "block",
        /// The threads of the blocks of a cluster.
        Cluster = "cluster",
        /// The threads of the GPU.
        Device = "device",
        /// All threads of the system.
        System = "system",
    }
}

impl MemoryScope {
    /// Checks that a target has such groups of threads.
    ///
    /// # Errors
    /// What the scope needs, and the target.
    pub fn check(self, target: Target) -> Result<(), (Code, String)> {
        match forms::clusters().filter(|&need| self == Self::Cluster && !target.provides(need)) {
            None => Ok(()),
            Some(need) => Err((
                Code::TargetLacksFeature,
                format!("the scope `{self}` needs {need}; the target is {target}"),
            )),
        }
    }
}

crate::keywords! {
    /// Memory order of an atomic access, which reads and writes.
    pub enum AtomicOrder in Order {
        /// Without ordering.
        Relaxed = "relaxed",
        /// Accesses before the release that it reads from are visible.
        Acquire = "acquire",
        /// Accesses before it are visible to an acquire that reads from it.
        Release = "release",
        /// Acquire and release.
        AcqRel = "acq_rel",
    }
}

impl AtomicOrder {
    /// Whether it sees what came before the release that it reads from.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel)
    }

    /// Whether what came before is seen by the acquire that reads from it.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel)
    }
}

crate::keywords! {
    /// Operation of an atomic access on the old contents and a value.
    pub enum AtomicOp {
        /// Replaces the old contents.
        Exchange = "exchange",
        /// Sum of integers.
        Add = "add",
        /// Sum of floats.
        AddF = "addf",
        /// Minimum of two floats; that of a number and a NaN is the number.
        MinF = "minf",
        /// Maximum of two floats; that of a number and a NaN is the number.
        MaxF = "maxf",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Minimum of two signed integers.
        MinSigned = "min_signed",
        /// Maximum of two signed integers.
        MaxSigned = "max_signed",
        /// Minimum of two unsigned integers.
        MinUnsigned = "min_unsigned",
        /// Maximum of two unsigned integers.
        MaxUnsigned = "max_unsigned",
    }
}

impl AtomicOp {
    /// Whether the operation exists for elements of this type.
    pub const fn takes(self, element: ScalarType) -> bool {
        match self {
            Self::Exchange => matches!(element.bits(), 32 | 64),
            Self::AddF | Self::MinF | Self::MaxF => matches!(
                element,
                ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 | ScalarType::F64
            ),
            Self::Add
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::MinSigned
            | Self::MaxSigned
            | Self::MinUnsigned
            | Self::MaxUnsigned => matches!(element, ScalarType::I32 | ScalarType::I64),
        }
    }

    /// Whether accesses through a multicast address have elements of this type.
    pub const fn has_replicas(element: ScalarType) -> bool {
        Self::Add.takes(element) || Self::AddF.takes(element)
    }

    /// Whether the operation combines the replicas behind a multicast address when they are loaded. (PTX ISA,
    /// `multimem.ld_reduce`.)
    pub const fn loads_replicas(self, element: ScalarType) -> bool {
        match self {
            Self::Exchange => false,
            Self::MinF | Self::MaxF => matches!(element, ScalarType::F16 | ScalarType::BF16),
            _ => self.takes(element),
        }
    }

    /// Whether the operation combines a value with the replicas behind a multicast address. (PTX ISA, `multimem.red`.)
    pub const fn updates_replicas(self, element: ScalarType) -> bool {
        !matches!(self, Self::MinF | Self::MaxF) && self.loads_replicas(element)
    }
}

crate::keywords! {
    /// Synchronisation of memory accesses beyond what their addresses and orders tell.
    pub enum FenceKind {
        /// Orders accesses through different virtual addresses of the same memory. (PTX ISA, `fence.proxy.alias`.)
        Alias = "alias",
        /// Allows the grids that depend on this one to start when all blocks have executed this or ended; orders no
        /// accesses. (PTX ISA, `griddepcontrol.launch_dependents`, for `sm_90` and later.)
        LaunchDependents = "launch_dependents",
        /// Waits until the grids that this one depends on have ended and their writes are visible. (PTX ISA,
        /// `griddepcontrol.wait`, for `sm_90` and later.)
        WaitForGrids = "wait_for_grids",
    }
}

crate::keywords! {
    /// Memory order of a fence of a thread. (PTX ISA, `fence`.)
    pub enum FenceOrder {
        /// Accesses before it are visible to who sees an access after it, and this thread sees what was before those that it
        /// has seen.
        AcqRel = "acq_rel",
        /// The same, and all threads agree on one order of such fences: of two threads that each store, fence and load what the
        /// other one stores, one sees the other's.
        Sc = "sc",
    }
}

crate::keywords! {
    /// The result of a load outside of the array.
    pub enum Padding {
        /// Zero.
        Zero = "zero",
        /// Negative zero.
        NegZero = "neg_zero",
        /// Not a number.
        Nan = "nan",
        /// Infinity.
        PosInf = "pos_inf",
        /// Negative infinity.
        NegInf = "neg_inf",
    }
}

impl Padding {
    /// The bits of this padding value, if the type can represent it.
    pub fn bits(self, ty: ScalarType) -> Option<u64> {
        let (sign, inf, nan) = match ty {
            ScalarType::F16 => (1 << 15, 0x7C00, 0x7E00),
            ScalarType::BF16 => (1 << 15, 0x7F80, 0x7FC0),
            ScalarType::F32 => (1 << 31, 0x7F80_0000, 0x7FC0_0000),
            // Its 19 significant bits.
            ScalarType::TF32 => (1 << 18, 0xFF << 10, 0x1FF << 9),
            ScalarType::F64 => (1 << 63, 0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0000),
            ScalarType::F8E5M2 => (1 << 7, 0x7C, 0x7E),
            ScalarType::F8E4M3FN => {
                return match self {
                    Self::Zero => Some(0),
                    Self::NegZero => Some(0x80),
                    Self::Nan => Some(0x7F),
                    Self::PosInf | Self::NegInf => None,
                };
            }
            _ => return (self == Self::Zero).then_some(0),
        };
        Some(match self {
            Self::Zero => 0,
            Self::NegZero => sign,
            Self::Nan => nan,
            Self::PosInf => inf,
            Self::NegInf => sign | inf,
        })
    }
}

/// An array in global memory, with its static properties.
///
/// `memref<4x?xf32, strides = [?, 1], align = 16, class = 0>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memref {
    /// The element type.
    pub element: ScalarType,
    /// The extents in elements; `None` if dynamic.
    pub extents: Vec<Option<u64>>,
    /// The strides in elements; `None` if dynamic.
    pub strides: Vec<Option<u64>>,
    /// The base address is a multiple of this many bytes.
    pub align: u64,
    /// Each extent is a multiple of this.
    pub extent_div: Vec<u64>,
    /// Each stride is a multiple of this many elements.
    pub stride_div: Vec<u64>,
    /// Arrays of different alias classes do not overlap.
    pub class: u32,
}

impl Memref {
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The number of dynamic extents.
    pub fn dynamic_extents(&self) -> usize {
        self.extents.iter().filter(|e| e.is_none()).count()
    }

    /// The number of dynamic strides.
    pub fn dynamic_strides(&self) -> usize {
        self.strides.iter().filter(|s| s.is_none()).count()
    }

    /// The axes from the innermost on: by their strides, as far as these are static, and the others from the last one on.
    /// No two elements have the same address if each stride in this order is at least the product of the stride and the
    /// extent before it, and the first one is at least 1.
    pub fn axes_from_innermost(&self) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..self.rank()).rev().collect();
        let order = |&axis: &usize| {
            let stride = self.strides.get(axis).copied().flatten();
            let extent = self.extents.get(axis).copied().flatten();
            (stride.is_none(), stride, extent.filter(|_| stride.is_some()))
        };
        axes.sort_by_key(order);
        axes
    }

    /// Whether no two elements have the same address; `None` if it depends on dynamic extents or strides.
    pub fn has_distinct_addresses(&self) -> Option<bool> {
        let mut span: Option<u64> = Some(1);
        let mut known = true;
        for axis in self.axes_from_innermost() {
            let (stride, extent) = (*self.strides.get(axis)?, *self.extents.get(axis)?);
            match (stride, span) {
                (Some(stride), Some(span)) if stride < span => return Some(false),
                (Some(_), Some(_)) => {}
                _ => known = false,
            }
            span = stride
                .zip(extent)
                .and_then(|(stride, extent)| stride.checked_mul(extent));
        }
        known.then_some(true)
    }
}

impl TileAccess {
    /// Sets the axes along which the tile is in bounds. A tile that is in bounds along all axes loses its padding.
    pub fn set_inbounds(&mut self, proven: Vec<bool>) {
        if !proven.contains(&false) {
            self.padding = None;
        }
        self.inbounds = proven;
    }

    /// Whether vectors of `n` adjacent elements along the tile axis `unit`, which has stride 1, are aligned to their size, and
    /// each is either in bounds or out of bounds as a whole, according to the array's type. A vector that begins at a multiple of
    /// `n` in the tile then begins at one in the array.
    pub fn has_vectors(&self, array: &Memref, unit: usize, n: u64) -> bool {
        self.check_vectors(array, unit, n).is_ok()
    }

    /// Checks that tensor copies can access the tile: its rows begin at units of what they access, and those of a store end at one.
    ///
    /// # Errors
    /// The code, and the fact that is not enough.
    pub(crate) fn check_copy_units(&self, array: &Memref, loads: bool) -> Result<(), (Code, String)> {
        let units = match loads {
            true => self.check_loaded_units(array),
            false => self.check_stored_units(array),
        };
        units.map_err(|limit| {
            let message = format!("a tensor copy accesses whole units of {COPY_UNIT} bytes: {limit}");
            (Code::AttributeValue, message)
        })
    }

    /// Checks that the rows of the tile begin at units of what a tensor copy accesses.
    ///
    /// # Errors
    /// The fact that is not enough.
    pub fn check_loaded_units(&self, array: &Memref) -> Result<(), VectorLimit> {
        let Some((axis, needed)) = self.copy_unit(array) else {
            return Ok(());
        };
        let known = self.steps.get(axis).copied().map_or(1, u64::from);
        match known.is_multiple_of(needed) {
            true => Ok(()),
            false => Err(VectorLimit {
                fact: VectorFact::Step { axis },
                known,
                needed,
            }),
        }
    }

    /// Checks that the rows of the tile begin and end at units of what a tensor copy writes to global memory.
    ///
    /// # Errors
    /// The fact that is not enough.
    pub fn check_stored_units(&self, array: &Memref) -> Result<(), VectorLimit> {
        self.check_loaded_units(array)?;
        let Some((axis, elements)) = self.copy_unit(array) else {
            return Ok(());
        };
        match self.check_vectors(array, axis, elements) {
            Err(limit) if matches!(limit.fact, VectorFact::Extent { .. }) => Err(limit),
            // The rules of tensor maps are about the base and the strides.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The tile's axis along which elements are adjacent, and the elements of a unit of what tensor copies access.
    fn copy_unit(&self, array: &Memref) -> Option<(usize, u64)> {
        let bytes = array.element.bytes().map_or(1, u64::from);
        Some((self.unit_axis(array)?, (COPY_UNIT / bytes).max(1)))
    }

    /// The tile's axis along which the array's stride is known to be 1.
    pub fn unit_axis(&self, array: &Memref) -> Option<usize> {
        let is_unit = |&axis: &u32| array.strides.get(axis as usize) == Some(&Some(1));
        self.dim_map.iter().position(is_unit)
    }

    /// Like [`has_vectors`](Self::has_vectors).
    ///
    /// # Errors
    /// The fact that is not enough.
    pub fn check_vectors(&self, array: &Memref, unit: usize, n: u64) -> Result<(), VectorLimit> {
        self.check_cut_vectors(array, unit, n)?;
        let (Some(&axis), false) = (self.dim_map.get(unit), self.inbounds.get(unit) == Some(&true)) else {
            return Ok(());
        };
        let known = divisor(&array.extents, &array.extent_div, axis);
        match known.is_multiple_of(n) {
            true => Ok(()),
            false => Err(VectorLimit {
                fact: VectorFact::Extent { axis },
                known,
                needed: n,
            }),
        }
    }

    /// The same for vectors that the end of a row may cut.
    ///
    /// # Errors
    /// The fact that is not enough.
    pub fn check_cut_vectors(&self, array: &Memref, unit: usize, n: u64) -> Result<(), VectorLimit> {
        let bytes = array.element.bytes().map_or(1, u64::from);
        let limit = |fact, known| VectorLimit {
            fact,
            known,
            needed: n,
        };
        if !array.align.is_multiple_of(n * bytes) {
            return Err(VectorLimit {
                needed: n * bytes,
                ..limit(VectorFact::Base, array.align)
            });
        }
        let step = self.steps.get(unit).copied().map_or(1, u64::from);
        if !step.is_multiple_of(n) {
            return Err(limit(VectorFact::Step { axis: unit }, step));
        }
        for (i, &axis) in self.dim_map.iter().enumerate() {
            if i != unit {
                let stride = divisor(&array.strides, &array.stride_div, axis);
                if !stride.is_multiple_of(n) {
                    return Err(limit(VectorFact::Stride { axis }, stride));
                }
            }
        }
        Ok(())
    }
}

/// What the size of an axis is known to be a multiple of.
fn divisor(sizes: &[Option<u64>], divisors: &[u64], axis: u32) -> u64 {
    let axis = axis as usize;
    let known = sizes.get(axis).copied().flatten();
    known.or(divisors.get(axis).copied()).unwrap_or(1)
}

/// A number of which too little is known for accesses by vectors: it is known to be a multiple of `known`, and has to be one of
/// `needed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorLimit {
    /// The number.
    pub fact: VectorFact,
    /// What it is known to be a multiple of: elements, for the base bytes.
    pub known: u64,
    /// What it has to be a multiple of, in the same unit.
    pub needed: u64,
}

/// A number on which the width of an access depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorFact {
    /// The address of the array.
    Base,
    /// The first element of the tile along one of its axes.
    Step {
        /// The axis of the tile.
        axis: usize,
    },
    /// The array's stride along one of its axes.
    Stride {
        /// The axis of the array.
        axis: u32,
    },
    /// The array's extent along one of its axes.
    Extent {
        /// The axis of the array.
        axis: u32,
    },
}

impl fmt::Display for VectorLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known;
        match self.fact {
            VectorFact::Base => write!(f, "the array begins at a multiple of {known}"),
            VectorFact::Step { axis } => {
                write!(
                    f,
                    "the tile begins at a multiple of {known} elements along axis {axis}"
                )
            }
            VectorFact::Stride { axis } => {
                write!(
                    f,
                    "the array's stride along axis {axis} is a multiple of {known} elements"
                )
            }
            VectorFact::Extent { axis } => {
                write!(f, "the array's extent along axis {axis} is a multiple of {known}")
            }
        }
    }
}

impl TermCodec for Memref {
    fn write(&self) -> Term {
        let unknown = |n: &Option<u64>| n.map_or_else(|| TermKind::Unknown.into(), Term::int);
        let element = self.element.write();
        let dims = if self.extents.is_empty() {
            element
        } else {
            TermKind::Dims(self.extents.clone(), Box::new(element)).into()
        };
        let mut args = vec![
            Arg::from(dims),
            Arg::named("strides", Term::list(self.strides.iter().map(unknown))),
            Arg::named("align", Term::int(self.align)),
            Arg::named("class", Term::int(self.class)),
        ];
        if self.extent_div.iter().any(|&d| d != 1) {
            args.push(Arg::named("extent_div", Term::ints(&self.extent_div)));
        }
        if self.stride_div.iter().any(|&d| d != 1) {
            args.push(Arg::named("stride_div", Term::ints(&self.stride_div)));
        }
        Term::call("memref", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("memref", args)) = term.as_call() else {
            return Err(term.wrong("`memref<…>`"));
        };
        let mut args = Args::new(term, args);
        let dims = args.next("extents and an element type")?;
        let (extents, element) = match &dims.kind {
            TermKind::Dims(extents, element) => (extents.clone(), ScalarType::read(element)?),
            _ => (Vec::new(), ScalarType::read(dims)?),
        };
        let strides_term = args.required("strides")?;
        let strides: Vec<Option<u64>> = strides_term
            .items("a list of strides")?
            .iter()
            .map(|item| match item.kind {
                TermKind::Unknown => Ok(None),
                _ => item.to_int("a stride or `?`").map(Some),
            })
            .collect::<Result<_, _>>()?;
        let align_term = args.required("align")?;
        let align: u64 = align_term.to_int("a power of two")?;
        let class = args.required("class")?.to_int("the number of an alias class")?;
        let rank = extents.len();
        let mut divisors = |name: &str| -> Result<Vec<u64>, TermError> {
            match args.named(name) {
                Some(list) => {
                    let items: Vec<u64> = list.to_ints("positive divisors")?;
                    if items.len() == rank && items.iter().all(|&d| d > 0) {
                        Ok(items)
                    } else {
                        Err(list.wrong(counted(rank, "positive divisor").to_string()))
                    }
                }
                None => Ok(vec![1; rank]),
            }
        };
        let extent_div = divisors("extent_div")?;
        let stride_div = divisors("stride_div")?;
        args.finish()?;
        if strides.len() != rank {
            return Err(strides_term.wrong(format!("{}, one a dimension", counted(rank, "stride"))));
        }
        if !align.is_power_of_two() {
            return Err(align_term.wrong("a power of two"));
        }
        Ok(Self {
            element,
            extents,
            strides,
            align,
            extent_div,
            stride_div,
            class,
        })
    }
}
