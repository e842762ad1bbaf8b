//! `ld` and `st`: per-thread accesses, between registers and global or shared memory.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::bank::{Access, BankCost};
use tilewright_layouts::conversion::SharedAccess;
use tilewright_layouts::{Dim, LinearLayout};

use super::{Allowed, CopyUse, Copying, Place, Refusal, distinct_registers};
use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::dialects::memory::{LoadPolicy, MemoryOrder, PrefetchSize, StorePolicy};
use crate::dialects::memory_rules::Caching;
use crate::element::{ElementType, ScalarType};
use crate::isa::L2Eviction;
use crate::machine::{Cost, Cycles, LANES, Machine, Rates, weights};
use crate::tileas::buffer::{Buffer, Space};

/// Per-thread loads of `bits` each: `ld<128b, cache = evict_first, prefetch = 128B>`. (PTX ISA, `ld`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ld {
    /// Bits per thread and instruction: 8, 16, 32, 64 or 128.
    pub bits: u32,
    /// The cache policy; the hardware's default if absent.
    pub cache: Option<LoadPolicy>,
    /// What the L2 cache fetches as well; nothing if absent.
    pub prefetch: Option<PrefetchSize>,
    /// How soon the L2 cache evicts the lines; like others if absent.
    pub l2: Option<L2Eviction>,
}

impl Ld {
    /// A load of this number of bits, with the default use of caches.
    pub const fn new(bits: u32) -> Self {
        Self {
            bits,
            cache: None,
            prefetch: None,
            l2: None,
        }
    }

    pub(in crate::tileas) fn caching(self) -> Caching {
        Caching::of_load(self.cache, self.prefetch, self.l2.is_some())
    }
}

impl TermCodec for Ld {
    fn write(&self) -> Term {
        let mut args: Vec<Arg> = vec![write_width(self.bits).into()];
        args.extend(self.cache.map(|policy| Arg::named("cache", policy.write())));
        args.extend(self.prefetch.map(|size| Arg::named("prefetch", size.write())));
        args.extend(self.l2.map(|eviction| Arg::named("l2", eviction.write())));
        Term::call("ld", args)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("ld", args)) = term.as_call() else {
            return Err(term.wrong("`ld<width>`"));
        };
        let mut args = Args::new(term, args);
        let bits = read_width(args.next("a width such as `128b`")?)?;
        let cache = args.named("cache").map(LoadPolicy::read).transpose()?;
        let prefetch = args.named("prefetch").map(PrefetchSize::read).transpose()?;
        let l2 = args.named("l2").map(L2Eviction::read).transpose()?;
        args.finish()?;
        Ok(Self {
            bits,
            cache,
            prefetch,
            l2,
        })
    }
}

/// Per-thread stores of `bits` each: `st<128b>`. (PTX ISA, `st`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct St {
    /// Bits per thread and instruction: 8, 16, 32, 64 or 128.
    pub bits: u32,
    /// The cache policy; the hardware's default if absent.
    pub cache: Option<StorePolicy>,
    /// How soon the L2 cache evicts the lines; like others if absent.
    pub l2: Option<L2Eviction>,
}

impl St {
    /// A store of this number of bits, with the default cache policy.
    pub const fn new(bits: u32) -> Self {
        Self {
            bits,
            cache: None,
            l2: None,
        }
    }

    pub(in crate::tileas) fn caching(self) -> Caching {
        Caching::of_store(self.cache, self.l2.is_some())
    }
}

impl TermCodec for St {
    fn write(&self) -> Term {
        let mut args: Vec<Arg> = vec![write_width(self.bits).into()];
        args.extend(self.cache.map(|policy| Arg::named("cache", policy.write())));
        args.extend(self.l2.map(|eviction| Arg::named("l2", eviction.write())));
        Term::call("st", args)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("st", args)) = term.as_call() else {
            return Err(term.wrong("`st<width>`"));
        };
        let mut args = Args::new(term, args);
        let bits = read_width(args.next("a width such as `128b`")?)?;
        let cache = args.named("cache").map(StorePolicy::read).transpose()?;
        let l2 = args.named("l2").map(L2Eviction::read).transpose()?;
        args.finish()?;
        Ok(Self { bits, cache, l2 })
    }
}

/// Writes a width such as `128b`.
pub(super) fn write_width(bits: u32) -> Term {
    Term::word(&format!("{bits}b"))
}

/// Parses a width such as `128b`, in bits.
pub(super) fn read_width(term: &Term) -> Result<u32, TermError> {
    let bits = match &term.kind {
        TermKind::Word(word) => word.strip_suffix('b').and_then(|digits| digits.parse().ok()),
        _ => None,
    };
    bits.filter(|bits: &u32| bits.is_power_of_two() && (8..=128).contains(bits))
        .ok_or_else(|| term.wrong("a width: `8b`, `16b`, `32b`, `64b` or `128b`"))
}

/// The number of elements in an access of this many bits.
pub(super) fn elements_of(atom: &str, bits: u32, element: ElementType) -> Result<u32, Refusal> {
    let bytes = element
        .scalar()
        .and_then(ScalarType::bytes)
        .ok_or_else(|| Refusal::new(Code::BadElementType, "data in memory has elements of whole bytes"))?;
    match bits / (8 * bytes) {
        0 => Err(Refusal::new(
            Code::AttributeValue,
            format!(
                "`{atom}` moves {bits} bits at a time, an element has {}",
                8 * bytes
            ),
        )),
        elements => Ok(elements),
    }
}

fn check_registers(
    atom: &str,
    bits: u32,
    (element, layout): (ElementType, Option<&LinearLayout>),
    other: Place<'_>,
    caching: Caching,
) -> Allowed {
    // Whether the order allows it is checked where the order is known.
    caching
        .check(MemoryOrder::Weak, !matches!(other, Place::Buffer(_)))
        .map_err(|(_, message)| Refusal::new(Code::AttributeValue, message))?;
    let elements = elements_of(atom, bits, element)?;
    let registers = layout.map_or(1, |layout| layout.in_size(Dim::Register));
    if elements > registers {
        let message = format!(
            "the atom moves {bits} bits at a time; a thread holds {} of {} bits",
            counted(registers, "element"),
            bits / elements
        );
        return Err(Refusal::new(Code::AttributeValue, message));
    }
    if let (Some(buffer), Some(layout)) = (other.buffer_in(Space::Shared), layout) {
        let longest = access(Access::Load, layout, buffer, None)?.map_or(elements, |access| access.longest);
        if elements > longest {
            let message = format!(
                "`{atom}` of {bits} bits moves {elements} elements at a time; the layouts of tile and buffer have \
                 {longest} side by side"
            );
            return Err(Refusal::layout(message));
        }
        let offsets = buffer.offsets_of(layout).ok().flatten();
        let begin = offsets.map_or(0, |(_, begin)| begin);
        if !begin.is_multiple_of(elements) {
            let message = format!(
                "`{atom}` of {bits} bits moves {elements} elements at a time; the slice begins at element {begin} of the \
                 buffer"
            );
            return Err(Refusal::layout(message));
        }
    }
    Ok(())
}

/// The map from a tile's registers to a buffer's offsets; `None` for a buffer with a CuTe layout.
pub(super) fn access(
    access: Access,
    layout: &LinearLayout,
    buffer: &Buffer,
    vector: Option<u32>,
) -> Result<Option<SharedAccess>, Refusal> {
    let (Some(memory), Some(bytes)) = (buffer.linear(), buffer.element.bytes()) else {
        return Ok(None);
    };
    let refuse = |error| Refusal::layout(format!("the layouts of tile and buffer: {error}"));
    let tile = buffer.in_whole(layout).map_err(refuse)?;
    SharedAccess::plan(access, &tile, memory, bytes, vector)
        .map(Some)
        .map_err(refuse)
}

/// The bank conflicts of one warp's accesses of `bits` bits to a buffer; `None` if the accesses do not fit the layouts.
pub(super) fn bank_cost(way: Access, bits: u32, layout: &LinearLayout, buffer: &Buffer) -> Option<BankCost> {
    let elements = elements_of("ld", bits, ElementType::Scalar(buffer.element)).ok()?;
    Some(access(way, layout, buffer, Some(elements)).ok()??.cost)
}

/// The accesses of a warp to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traffic {
    /// The number of instructions.
    instructions: u64,
    /// The number of sectors that each instruction touches.
    sectors: u64,
}

impl Traffic {
    fn weight(self) -> u64 {
        self.instructions
            .saturating_mul(self.sectors + weights::GLOBAL_INSTRUCTION)
    }

    /// The cost of the traffic at the rate of the L2 cache.
    pub(super) fn cost(self, latency: Cycles) -> Cost {
        let bytes = self.instructions * self.sectors * u64::from(Rates::SECTOR_BYTES);
        Cost {
            busy: Cycles::of(bytes, Rates::L2_BYTES),
            instructions: self.instructions,
            latency,
        }
    }
}

/// One warp's accesses to a tile in global memory, in vectors of `elements` elements, along `axis` if the contiguous axis is
/// known.
pub(super) fn traffic(layout: &LinearLayout, bytes: u32, elements: u32, axis: Option<u8>) -> Traffic {
    Traffic {
        instructions: u64::from((layout.in_size(Dim::Register) / elements.max(1)).max(1)),
        sectors: match axis {
            Some(axis) => sectors(layout, bytes, axis),
            None => u64::from(LANES),
        },
    }
}

/// The weight, in the choice of layouts, of one warp's load from global memory: the sectors moved, plus a constant for each
/// instruction. Vectors have `elements` elements, along `axis` if the contiguous axis is known.
pub fn load_weight(layout: &LinearLayout, bytes: u32, elements: u32, axis: Option<u8>) -> u64 {
    traffic(layout, bytes, elements, axis).weight()
}

/// The weight of one warp's store. Sectors that an instruction fills in part are moved once more, with their other part: the L1
/// cache does not combine stores. (On an H200, stores of half sectors take twice the time of whole ones.)
pub fn store_weight(layout: &LinearLayout, bytes: u32, elements: u32, axis: Option<u8>) -> u64 {
    let Traffic {
        instructions,
        sectors,
    } = traffic(layout, bytes, elements, axis);
    let lanes = u64::from(LANES >> layout.free_mask(Dim::Lane).count_ones());
    let filled = lanes * u64::from(elements) * u64::from(bytes) >= sectors * u64::from(Rates::SECTOR_BYTES);
    let sectors = if filled { sectors } else { 2 * sectors };
    Traffic {
        instructions,
        sectors,
    }
    .weight()
}

/// The weight of one warp's atomic access that orders others: each instruction waits for those before, wherever its elements are.
pub fn ordering_weight(layout: &LinearLayout, bytes: u32, elements: u32, axis: Option<u8>) -> u64 {
    traffic(layout, bytes, elements, axis).instructions * weights::ORDERING_INSTRUCTION
}

/// The number of sectors that one instruction of a warp touches. Elements in different rows, across `axis`, count as being in
/// different sectors.
fn sectors(layout: &LinearLayout, bytes: u32, axis: u8) -> u64 {
    let per_sector = (Rates::SECTOR_BYTES / bytes.max(1)).max(1);
    // Elements of a sector differ in the low bits of their place along the axis only.
    let (mut extent, mut stride) = (1, 1);
    for &next in layout.shape().iter().skip(usize::from(axis)).rev() {
        stride *= u64::from(extent);
        extent = next;
    }
    let within = u64::from(per_sector.min(extent) - 1) * stride;
    let mut touched: Vec<u64> = (0..LANES)
        .map(|lane| layout.word_at(0, lane, 0, 0) & !within)
        .collect();
    touched.sort_unstable();
    touched.dedup();
    touched.len() as u64
}

/// The tile's axis along which elements are adjacent in memory, if there is one. What is behind pointers is taken to be adjacent
/// along the vectors of a thread, of so many elements.
pub(super) fn contiguous_axis(
    (place, dim_map): (Place<'_>, &[u32]),
    (layout, elements): (&LinearLayout, u32),
) -> Option<u8> {
    let axis = match place {
        Place::Global(memref) => {
            let unit = memref.strides.iter().position(|stride| *stride == Some(1))?;
            dim_map.iter().position(|&axis| axis as usize == unit)?
        }
        Place::Pointers if elements > 1 => {
            let first = layout.bases(Dim::Register).next()?;
            first.iter().position(|&step| step == 1)?
        }
        _ => return None,
    };
    u8::try_from(axis).ok()
}

/// The cost for one warp of an access to shared or global memory.
fn cost(way: Access, bits: u32, registers: Place<'_>, other: Place<'_>, copy: &CopyUse<'_>) -> Cost {
    let Some((element, layout)) = registers.registers() else {
        return Cost::NEVER;
    };
    let Ok(elements) = elements_of("ld", bits, element) else {
        return Cost::NEVER;
    };
    let costs = Machine::of(copy.target).costs;
    let latency = match (way, other) {
        (Access::Store, _) => Cycles(0),
        (Access::Load, Place::Buffer(_)) => costs.load_shared(bits).latency,
        (Access::Load, _) => costs.loads.memory,
    };
    let Some(layout) = layout else {
        let one = Traffic {
            instructions: 1,
            sectors: 1,
        };
        return one.cost(latency);
    };
    let Place::Buffer(buffer) = other else {
        let axis = contiguous_axis((other, copy.dim_map), (layout, elements));
        return traffic(layout, element.stored_bytes(), elements, axis).cost(latency);
    };
    match access(way, layout, buffer, Some(elements)) {
        Ok(Some(access)) => Cost {
            busy: Cycles(access.cost.cycles),
            instructions: u64::from(access.offsets.in_size(Dim::Register) / access.vector.max(1)),
            latency,
        },
        // One element at a time, without conflicts.
        Ok(None) => {
            let held = u64::from(distinct_registers(layout));
            Cost {
                busy: Cycles(held),
                instructions: held,
                latency,
            }
        }
        Err(_) => Cost::NEVER,
    }
}

impl Copying for Ld {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        let readable = matches!(copy.from, Place::Global(_) | Place::Pointers)
            || copy.from.buffer_in(Space::Shared).is_some();
        match copy.to.registers().filter(|_| readable) {
            Some(to) => check_registers("ld", self.bits, to, copy.from, self.caching()),
            None => Err(copy.wrong_way("ld", "from global or shared memory to registers")),
        }
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        cost(Access::Load, self.bits, copy.to, copy.from, copy)
    }

    fn bits(&self) -> Option<u32> {
        Some(self.bits)
    }

    fn bank_cost(&self, registers: Option<&LinearLayout>, buffer: &Buffer) -> Option<BankCost> {
        bank_cost(Access::Load, self.bits, registers?, buffer)
    }
}

impl Copying for St {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        let writable = matches!(copy.to, Place::Global(_) | Place::Pointers)
            || copy.to.buffer_in(Space::Shared).is_some();
        match copy.from.registers().filter(|_| writable) {
            Some(from) => check_registers("st", self.bits, from, copy.to, self.caching()),
            None => Err(copy.wrong_way("st", "from registers to global or shared memory")),
        }
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        cost(Access::Store, self.bits, copy.from, copy.to, copy)
    }

    fn bits(&self) -> Option<u32> {
        Some(self.bits)
    }

    fn bank_cost(&self, registers: Option<&LinearLayout>, buffer: &Buffer) -> Option<BankCost> {
        bank_cost(Access::Store, self.bits, registers?, buffer)
    }
}
