//! Limits of bulk copies of tensor boxes: `cp.async.bulk.tensor`.

use crate::shared::SwizzleMode;

use super::bulk_copy::{BulkCopyField, Direction, check_barrier, check_target};
use super::target::Target;
use super::tensor_map::{BoxMode, DataType, Im2colWideMode, Interleave, TensorMap};
use super::violation::{Checker, Limit, Source, Violations};

/// The alignment of the tile in shared memory, in bytes.
const SHARED_ALIGNMENT: i128 = 128;
/// The number of rows of a gather or a scatter.
const ROWS: usize = 4;

const TARGET: Source = Source::ptx("cp.async.bulk.tensor", "target ISA notes");
const RESTRICTION: Source = Source::ptx("cp.async.bulk.tensor", "restrictions on tensor copy instructions");
const COORDINATES: Source = Source::ptx("cp.async.bulk.tensor", "tensorCoords");
const INFO: Source = Source::ptx("cp.async.bulk.tensor", "im2colInfo");
const OFFSETS: Source = Source::ptx("tensors", "im2col mode, bounding box");
const ROWS_MODE: Source = Source::ptx("tensors", ".tile::scatter4 and .tile::gather4 modes");
const MODE: Source = Source::ptx("cp.async.bulk.tensor", ".load_mode");
const SYNTAX: Source = Source::ptx("cp.async.bulk.tensor", "syntax");
const SHARED: Source = Source::guide("tensor memory access", "alignment requirements");

/// The load mode of a tensor copy, which selects its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LoadMode {
    /// `.tile`: a box.
    Tile,
    /// `.tile::gather4`: four rows, gathered into one box of shared memory.
    Gather4,
    /// `.tile::scatter4`: the four rows of a box of shared memory, scattered to separate rows.
    Scatter4,
    /// `.im2col`, and `.im2col_no_offs` for copies from shared memory.
    Im2col {
        /// Offsets along W, H, D; empty without offsets.
        offsets: Vec<u16>,
    },
    /// `.im2col::w` and `.im2col::w::128`.
    Im2colWide {
        /// The number of filter halo pixels.
        halo: u16,
        /// Offset along W.
        offset: u16,
    },
}

impl LoadMode {
    /// The qualifier in PTX.
    pub const fn name(&self) -> &'static str {
        match self {
            LoadMode::Tile => ".tile",
            LoadMode::Gather4 => ".tile::gather4",
            LoadMode::Scatter4 => ".tile::scatter4",
            LoadMode::Im2col { .. } => ".im2col",
            LoadMode::Im2colWide { .. } => ".im2col::w",
        }
    }
}

/// A copy of the elements that a tensor map and coordinates select: `cp.async.bulk.tensor`.
///
/// ```
/// use tilewright_layouts::{SwizzleMode, legality::*};
/// let tile = TiledTensor::new(DataType::F16, 0, &[512, 256], &[256, 1], &[128, 64], SwizzleMode::B128)?;
/// let mut copy = TensorCopy {
///     target: Target::Sm90a,
///     direction: Direction::GlobalToShared,
///     mode: LoadMode::Tile,
///     map: &tile.map,
///     coordinates: vec![64, 128],
///     shared_address: 1024,
///     barrier: 0,
/// };
/// assert!(copy.check().is_ok());
/// copy.target = Target::Sm80;
/// copy.shared_address = 64;
/// assert_eq!(copy.check().unwrap_err().len(), 2);
/// # Ok::<(), Violations<TensorMapField>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorCopy<'a> {
    /// The target.
    pub target: Target,
    /// The direction.
    pub direction: Direction,
    /// The load mode.
    pub mode: LoadMode,
    /// The tensor map, which has to pass [`TensorMap::check`].
    pub map: &'a TensorMap,
    /// The start coordinates of the copy, dimension 0 first. For a gather or a scatter: the column,
    /// then four rows.
    pub coordinates: Vec<i32>,
    /// The address of the tile in shared memory, in bytes.
    pub shared_address: u32,
    /// The address of the barrier in shared memory, if the direction uses one.
    pub barrier: u32,
}

impl TensorCopy<'_> {
    /// The number of bytes of shared memory that the copy covers: the bytes that its barrier counts
    /// and the gaps of packed types. Saturates.
    pub fn shared_bytes(&self) -> u64 {
        let steps = |extent: u32, stride: Option<&u32>| {
            u64::from(extent.div_ceil(stride.copied().unwrap_or(1).max(1)))
        };
        let inner = match self.map.interleave {
            Interleave::None => u64::from(self.map.box_row()),
            Interleave::B16 | Interleave::B32 => steps(self.map.box_row(), self.map.element_strides.first()),
        };
        let outer = match (&self.map.mode, &self.mode) {
            (BoxMode::Tiled { .. }, LoadMode::Gather4 | LoadMode::Scatter4) => ROWS as u64,
            (BoxMode::Tiled { box_dim }, _) => box_dim
                .iter()
                .enumerate()
                .skip(1)
                .map(|(index, extent)| steps(*extent, self.map.element_strides.get(index)))
                .fold(1, u64::saturating_mul),
            (
                BoxMode::Im2col {
                    pixels_per_column, ..
                },
                _,
            ) => u64::from(*pixels_per_column),
            (
                BoxMode::Im2colWide {
                    pixels_per_column,
                    mode,
                    ..
                },
                load,
            ) => {
                let halo = match load {
                    LoadMode::Im2colWide { halo, .. } => u64::from(*halo),
                    LoadMode::Tile | LoadMode::Gather4 | LoadMode::Scatter4 | LoadMode::Im2col { .. } => 0,
                };
                match mode {
                    Im2colWideMode::W => u64::from(*pixels_per_column) + halo,
                    // Each 32 of the 128 pixels have a halo.
                    Im2colWideMode::W128 => 128 + 4 * halo,
                }
            }
        };
        let bits = inner
            .saturating_mul(outer)
            .saturating_mul(u64::from(self.map.data_type.shared_bits()));
        bits.div_ceil(8)
    }

    /// Checks every rule of the instruction. The rules of the tensor map are in [`TensorMap::check`].
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<BulkCopyField>> {
        let mut check = Checker::new();
        check_target(&mut check, self.target, TARGET);
        check.multiple_of(
            BulkCopyField::SharedAddress,
            self.shared_address,
            SHARED_ALIGNMENT,
            SHARED,
        );
        if self.direction.uses_barrier() {
            check_barrier(&mut check, self.barrier, self.shared_bytes());
        }
        check.require(
            self.direction != Direction::SharedToCluster,
            BulkCopyField::Direction,
            self.direction.name(),
            Limit::Choice(".shared::cta.global, .shared::cluster.global or .global.shared::cta"),
            SYNTAX,
        );
        self.check_mode(&mut check);
        self.check_coordinates(&mut check);
        self.check_packed(&mut check);
        self.check_store(&mut check);
        check.finish()
    }

    fn stores(&self) -> bool {
        self.direction == Direction::SharedToGlobal
    }

    fn check_mode(&self, check: &mut Checker<BulkCopyField>) {
        let mode = |check: &mut Checker<_>, holds, limit, source| {
            check.require(holds, BulkCopyField::LoadMode, self.mode.name(), limit, source);
        };
        let tcgen05 = self.target.has_tcgen05();
        match &self.mode {
            LoadMode::Tile => {}
            LoadMode::Gather4 => {
                // Every target from sm_100 on supports gathers to the block's own shared memory.
                let own = self.direction == Direction::GlobalToShared && self.target == Target::Sm120a;
                mode(
                    check,
                    tcgen05 || own,
                    Limit::Rule("needs sm_100 or later"),
                    TARGET,
                );
                mode(check, !self.stores(), Limit::Rule("is a load"), SYNTAX);
                self.check_rows(check);
            }
            LoadMode::Scatter4 => {
                mode(
                    check,
                    tcgen05,
                    Limit::Rule("needs sm_100a, sm_103a or sm_110a"),
                    TARGET,
                );
                mode(check, self.stores(), Limit::Rule("is a store"), SYNTAX);
                self.check_rows(check);
            }
            LoadMode::Im2col { offsets } => {
                let spatial = self.map.rank().saturating_sub(2);
                let wanted = if self.stores() { 0 } else { spatial };
                check.length(BulkCopyField::OffsetCount, offsets.len(), wanted, INFO);
                let max = match spatial {
                    0 | 1 => (1 << 16) - 1,
                    2 => (1 << 8) - 1,
                    _ => (1 << 5) - 1,
                };
                for (index, offset) in offsets.iter().enumerate() {
                    check.range(BulkCopyField::Offset(index), *offset, 0, max, OFFSETS);
                }
            }
            LoadMode::Im2colWide { halo, offset } => {
                let narrow = match self.map.mode {
                    BoxMode::Im2colWide { mode, .. } => mode == Im2colWideMode::W128,
                    BoxMode::Tiled { .. } | BoxMode::Im2col { .. } => false,
                };
                let own = self.direction == Direction::GlobalToShared && self.target == Target::Sm120a;
                mode(
                    check,
                    tcgen05 || own && !narrow,
                    Limit::Rule("needs sm_100 or later"),
                    TARGET,
                );
                mode(check, !self.stores(), Limit::Rule("is a load"), SYNTAX);
                let end = if narrow { 32 } else { 512 };
                check.below(BulkCopyField::Halo, *halo, end, INFO);
                check.below(BulkCopyField::Offset(0), *offset, 32, INFO);
            }
        }
        let fits = match (&self.mode, &self.map.mode) {
            (LoadMode::Tile | LoadMode::Gather4 | LoadMode::Scatter4, BoxMode::Tiled { .. })
            | (LoadMode::Im2col { .. }, BoxMode::Im2col { .. })
            | (LoadMode::Im2colWide { .. }, BoxMode::Im2colWide { .. }) => true,
            (LoadMode::Tile | LoadMode::Gather4 | LoadMode::Scatter4, _)
            | (LoadMode::Im2col { .. }, _)
            | (LoadMode::Im2colWide { .. }, _) => false,
        };
        mode(check, fits, Limit::Rule("has to be that of the tensor map"), MODE);
    }

    /// Gather and scatter: two dimensions, boxes of one row, no interleaving.
    fn check_rows(&self, check: &mut Checker<BulkCopyField>) {
        check.exactly(BulkCopyField::Rank, self.map.rank() as u64, 2, ROWS_MODE);
        if let BoxMode::Tiled { box_dim } = &self.map.mode
            && let Some(rows) = box_dim.get(1)
        {
            check.exactly(BulkCopyField::BoxRows, *rows, 1, ROWS_MODE);
        }
        check.require(
            self.map.interleave == Interleave::None,
            BulkCopyField::Interleave,
            self.map.interleave.name(),
            Limit::Choice("INTERLEAVE_NONE"),
            ROWS_MODE,
        );
    }

    fn check_coordinates(&self, check: &mut Checker<BulkCopyField>) {
        let wanted = match self.mode {
            LoadMode::Gather4 | LoadMode::Scatter4 => 1 + ROWS,
            LoadMode::Tile | LoadMode::Im2col { .. } | LoadMode::Im2colWide { .. } => self.map.rank(),
        };
        check.length(
            BulkCopyField::CoordinateCount,
            self.coordinates.len(),
            wanted,
            COORDINATES,
        );
    }

    /// Checks the rules of packed types and of swizzles whose chunks are not 16 bytes.
    fn check_packed(&self, check: &mut Checker<BulkCopyField>) {
        let data_type = self.map.data_type;
        let named = |check: &mut Checker<_>, holds, limit| {
            check.require(
                holds,
                BulkCopyField::DataType,
                data_type.name(),
                limit,
                RESTRICTION,
            );
        };
        if data_type == DataType::U4x16Align16 {
            named(check, !self.stores(), Limit::Rule("can only be loaded"));
        }
        let blackwell_consumer =
            self.target == Target::Sm120a && self.direction == Direction::GlobalToCluster;
        if blackwell_consumer {
            named(
                check,
                !data_type.is_packed(),
                Limit::Rule("has to be of whole bytes on sm_120a"),
            );
        }
        if data_type.is_packed() && self.target.has_bulk_copy() {
            named(
                check,
                self.target != Target::Sm90a,
                Limit::Rule("needs sm_100 or later"),
            );
        }
        if data_type.has_gaps()
            && let Some(first) = self.coordinates.first()
        {
            let six = data_type == DataType::U6x16Align16;
            let unit = if six && self.stores() && self.target == Target::Sm103a {
                64
            } else {
                128
            };
            check.multiple_of(BulkCopyField::Coordinate(0), *first, unit, RESTRICTION);
        }
        self.check_swizzle(check, blackwell_consumer);
    }

    fn check_swizzle(&self, check: &mut Checker<BulkCopyField>, blackwell_consumer: bool) {
        use SwizzleMode::{B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64, None};
        let name = self.map.swizzle.driver_name();
        let chunks_of_16 = match self.map.swizzle {
            None | B32 | B64 | B128 => true,
            B128Atom32 | B128Atom32Flip8 | B128Atom64 => false,
        };
        if blackwell_consumer || self.target == Target::Sm90a {
            let limit = Limit::Choice("a swizzle of 16-byte chunks on this target");
            check.require(chunks_of_16, BulkCopyField::Swizzle, name, limit, RESTRICTION);
        }
        if self.map.swizzle == B128Atom32Flip8 {
            let limit = Limit::Rule("can only be loaded");
            check.require(!self.stores(), BulkCopyField::Swizzle, name, limit, RESTRICTION);
        }
        if self.map.data_type == DataType::U6x16Align16 {
            let store_only = match (self.map.swizzle, &self.map.mode) {
                (B128Atom64, _) | (B64, BoxMode::Im2colWide { .. }) => true,
                (None | B32 | B64 | B128 | B128Atom32 | B128Atom32Flip8, _) => false,
            };
            let source = Source::driver("cuTensorMapEncode", "swizzle");
            let limit = Limit::Rule("can only be stored from for 16U6_ALIGN16B");
            check.require(
                self.stores() || !store_only,
                BulkCopyField::Swizzle,
                name,
                limit,
                source,
            );
        }
    }

    /// Checks that copies from shared memory have no negative coordinates, and that pixel boxes are
    /// within the tensor.
    fn check_store(&self, check: &mut Checker<BulkCopyField>) {
        if !self.stores() {
            return;
        }
        for (index, coordinate) in self.coordinates.iter().enumerate() {
            check.at_least(BulkCopyField::Coordinate(index), *coordinate, 0, RESTRICTION);
        }
        let (lower, upper): (&[i32], &[i32]) = match &self.map.mode {
            BoxMode::Tiled { .. } => (&[], &[]),
            BoxMode::Im2col {
                lower_corner,
                upper_corner,
                ..
            } => (lower_corner, upper_corner),
            BoxMode::Im2colWide {
                lower_corner_width,
                upper_corner_width,
                ..
            } => (
                std::slice::from_ref(lower_corner_width),
                std::slice::from_ref(upper_corner_width),
            ),
        };
        for (index, corner) in lower.iter().enumerate() {
            check.at_least(BulkCopyField::LowerCorner(index), *corner, 0, RESTRICTION);
        }
        for (index, corner) in upper.iter().enumerate() {
            check.at_most(BulkCopyField::UpperCorner(index), *corner, 0, RESTRICTION);
        }
    }
}
