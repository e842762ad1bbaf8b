//! How a tile gets from one placement to another.
//!
//! Cheapest first: nothing to do, other registers of the same thread, or a round trip through shared
//! memory. (arXiv 2505.23819, §5: layout conversions.)

use crate::bank::{BankCost, MAX_ACCESS_BYTES, check_bytes, layout_cost};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};

/// Bits of a bank number: a swizzle of more than these bits has nothing to gain.
const BANK_BITS: u32 = 5;

/// How a tile gets from one placement to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Every value is already in its place.
    Noop,
    /// Every thread has the values it needs, in other registers.
    RegisterPermutation(RegisterMap),
    /// Values are stored to shared memory, and loaded after a barrier.
    SharedRoundTrip(Box<SharedRoundTrip>),
}

/// A conversion through a buffer in shared memory that holds the whole tile once.
///
/// A swizzle or the order of axes is chosen such that the exact count of bank cycles is the smallest
/// of all that were tried; it is not proven to be the smallest possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRoundTrip {
    /// The offset of each element in the buffer, in elements: from the tensor's axes to
    /// [`Dim::Offset`]. A bijection.
    pub memory: LinearLayout,
    /// The offset that each position of the source stores to: to [`Dim::Offset`], in elements.
    pub store: LinearLayout,
    /// The offset that each position of the destination loads from, likewise.
    pub load: LinearLayout,
    /// Elements of one store: registers `n*k` to `n*k + n - 1` go to consecutive, aligned offsets.
    pub store_vector: u32,
    /// Elements of one load, likewise.
    pub load_vector: u32,
    /// Register bits of the source that only select copies of what the thread holds anyway: registers
    /// with any of these bits set need no store.
    pub store_skip: u32,
    /// Size of the buffer in bytes.
    pub bytes: u64,
    /// Cost of one warp's stores.
    pub store_cost: BankCost,
    /// Cost of one warp's loads.
    pub load_cost: BankCost,
}

impl Conversion {
    /// Plans the conversion of a tile of elements of `element_bytes` bytes from placement `source` to
    /// placement `wanted`.
    ///
    /// # Errors
    /// The two place different tensors, `source` does not hold everything `wanted` does, a value would
    /// have to change blocks, or `element_bytes` is not a power of two from 1 to 16.
    ///
    /// ```
    /// use tilewright_layouts::{Blocked, Conversion};
    /// let rows = Blocked::coalesced(&[32, 32], 4, &[1, 0], 1)?.to_linear(&[32, 32])?;
    /// let columns = Blocked::coalesced(&[32, 32], 4, &[0, 1], 1)?.to_linear(&[32, 32])?;
    /// assert_eq!(Conversion::plan(&rows, &rows, 4)?, Conversion::Noop);
    /// let Conversion::SharedRoundTrip(trip) = Conversion::plan(&rows, &columns, 4)? else { panic!() };
    /// assert_eq!(trip.bytes, 4096);
    /// assert_eq!(trip.store_cost.conflicts() + trip.load_cost.conflicts(), 0);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
    ) -> Result<Conversion, LayoutError> {
        check_bytes(element_bytes)?;
        source.check_same_outs(wanted)?;
        match wanted.registers_from(source) {
            Some(map) if map.is_identity() => Ok(Conversion::Noop),
            Some(map) => Ok(Conversion::RegisterPermutation(map)),
            None => {
                let trip = SharedRoundTrip::plan(source, wanted, element_bytes)?;
                Ok(Conversion::SharedRoundTrip(Box::new(trip)))
            }
        }
    }
}

impl SharedRoundTrip {
    /// Plans the round trip, whether or not a cheaper conversion would do.
    ///
    /// Tries each axis as the fastest of the buffer, the others row major, each with exclusive-or
    /// swizzles of up to five bits that leave whole vectors together, and takes the cheapest; of
    /// equally cheap ones the first: row major before others, unswizzled before swizzled.
    ///
    /// # Errors
    /// As [`Conversion::plan`].
    pub fn plan(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
    ) -> Result<SharedRoundTrip, LayoutError> {
        check_bytes(element_bytes)?;
        source.check_same_outs(wanted)?;
        source.require_tensor()?;
        check_blocks(source, wanted)?;
        let rank = source.shape().len();
        let mut best: Option<SharedRoundTrip> = None;
        for fastest in (0..rank.max(1)).rev() {
            // Slowest first, as the offsets of the plain row-major order are.
            let mut order: Vec<usize> = (0..rank).filter(|axis| *axis != fastest).collect();
            order.extend((fastest < rank).then_some(fastest));
            let plain = Self::through(source, wanted, element_bytes, &order, Swizzle::NONE)?;
            let low = plain.store_vector.max(plain.load_vector).ilog2();
            let total = source.total_out_bits();
            let conflicts = plain.conflicts();
            keep_cheaper(&mut best, plain);
            if conflicts == 0 {
                continue;
            }
            for bits in 1..=BANK_BITS {
                for from in low + bits..(total + 1).saturating_sub(bits) {
                    let swizzle = Swizzle { bits, to: low, from };
                    keep_cheaper(
                        &mut best,
                        Self::through(source, wanted, element_bytes, &order, swizzle)?,
                    );
                }
            }
        }
        best.ok_or(LayoutError::NotTensor)
    }

    /// Cycles lost to bank conflicts by one warp, storing and loading.
    pub fn conflicts(&self) -> u64 {
        self.store_cost.conflicts() + self.load_cost.conflicts()
    }

    fn cycles(&self) -> u64 {
        self.store_cost.cycles + self.load_cost.cycles
    }

    /// The round trip through a buffer with these axes, slowest first, and this swizzle.
    fn through(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
        order: &[usize],
        swizzle: Swizzle,
    ) -> Result<SharedRoundTrip, LayoutError> {
        let memory = buffer(&source.shape(), order, swizzle)?;
        let (store, load) = (source.compose(&memory)?, wanted.compose(&memory)?);
        let widest = MAX_ACCESS_BYTES / element_bytes;
        let store_vector = store.num_consecutive_in_out(Dim::Offset).min(widest);
        let load_vector = load.num_consecutive_in_out(Dim::Offset).min(widest);
        let store_skip = source
            .sublayout(&[Dim::Register], &axes(source))
            .free_mask(Dim::Register);
        let all_stores = layout_cost(&store, store_vector, element_bytes)?;
        let copies = 1 << store_skip.count_ones();
        let store_cost = BankCost {
            cycles: all_stores.cycles / copies,
            minimum: all_stores.minimum / copies,
        };
        Ok(SharedRoundTrip {
            load_cost: layout_cost(&load, load_vector, element_bytes)?,
            store_cost,
            store_skip,
            bytes: u64::from(element_bytes) << source.total_out_bits().min(u64::BITS - BANK_BITS),
            memory,
            store,
            load,
            store_vector,
            load_vector,
        })
    }
}

/// Offset bits `from` and up are added (exclusive or) to the bits `to` and up, `bits` of them. The two
/// ranges are apart, and `to` is the lower, so the map is a bijection.
#[derive(Clone, Copy)]
struct Swizzle {
    bits: u32,
    to: u32,
    from: u32,
}

impl Swizzle {
    const NONE: Swizzle = Swizzle {
        bits: 0,
        to: 0,
        from: 0,
    };

    fn apply(self, offset: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        offset ^ ((offset >> self.from & mask) << self.to)
    }
}

/// The layout from tensor axes to offsets of a buffer with these axes, slowest first.
fn buffer(shape: &[u32], order: &[usize], swizzle: Swizzle) -> Result<LinearLayout, LayoutError> {
    let mut bases = Vec::with_capacity(order.len());
    let mut low = 0;
    for axis in order.iter().rev() {
        let bits = shape.get(*axis).map_or(0, |size| size.ilog2());
        let dim = Dim::Axis(u8::try_from(*axis).map_err(|_| LayoutError::RankTooLarge { rank: *axis })?);
        bases.push((
            dim,
            (low..low + bits)
                .map(|bit| vec![swizzle.apply(1 << bit)])
                .collect(),
        ));
        low += bits;
    }
    LinearLayout::checked(&bases, &[(Dim::Offset, 1 << low)])
}

fn axes(layout: &LinearLayout) -> Vec<Dim> {
    layout.out_dims().map(|(dim, _)| dim).collect()
}

fn keep_cheaper(best: &mut Option<SharedRoundTrip>, candidate: SharedRoundTrip) {
    if best
        .as_ref()
        .is_none_or(|best| candidate.cycles() < best.cycles())
    {
        *best = Some(candidate);
    }
}

/// Checks that each block can serve itself: equal block parts, and within a block the source holds
/// everything that is wanted.
fn check_blocks(source: &LinearLayout, wanted: &LinearLayout) -> Result<(), LayoutError> {
    let axes = axes(source);
    let block = |layout: &LinearLayout| layout.sublayout(&[Dim::Block], &axes);
    if !block(source).equal_up_to_registers(&block(wanted)) {
        return Err(LayoutError::CrossesBlocks);
    }
    let within = |layout: &LinearLayout| layout.sublayout(&[Dim::Register, Dim::Lane, Dim::Warp], &axes);
    within(wanted).invert_and_compose(&within(source)).map(|_| ())
}
