//! Copies to and from tensor memory.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact, LayoutOf, TypeLayout};

use super::layouts::{mode, modes};
use crate::cute_types::element::Element;
use crate::cute_types::reader::{part, words};

words! {
    /// The reduction of a load.
    pub enum TensorReduction {
        /// The largest.
        Max = "max",
        /// The largest magnitude.
        MaxAbs = "maxabs",
        /// The smallest.
        Min = "min",
        /// The smallest magnitude.
        MinAbs = "minabs",
    }

    /// Which warps get which rows.
    pub enum SpreadRows {
        /// Warps 0 and 2, then 1 and 3.
        Pairs02 = "lw_0213",
        /// Warps 0 and 1, then 2 and 3.
        Pairs01 = "lw_0123",
        /// All four.
        All = "x4",
    }
}

part! {
    /// `tcgen05.ld`: `!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>`.
    pub struct TensorLoad {
        /// The elements.
        value: Element,
        /// The lanes of tensor memory.
        lanes: NonZeroU32,
        /// The bits of a lane.
        bits: NonZeroU32,
        /// How often that.
        times: NonZeroU32,
        /// Whether two columns become one register.
        pack: bool,
    }
    value ", " lanes " DP, " bits " bit, " {'x'} times [", pack16b" if pack]
}

part! {
    /// `tcgen05.st`: `!cute_nvgpu.atom.tmem_store<f32, 32 DP, 32 bit, x128>`.
    pub struct TensorStore {
        /// The elements.
        value: Element,
        /// The lanes of tensor memory.
        lanes: NonZeroU32,
        /// The bits of a lane.
        bits: NonZeroU32,
        /// How often that.
        times: NonZeroU32,
        /// Whether a register becomes two columns.
        expand: bool,
    }
    value ", " lanes " DP, " bits " bit, " {'x'} times [", expand16b" if expand]
}

part! {
    /// Where the second half of the columns begins.
    pub struct HalfOffset {
        /// The column.
        columns: u32,
    }
    columns " : i64"
}

part! {
    /// `tcgen05.ld.red`: `!cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x128, max>`.
    pub struct TensorLoadReduce {
        /// The elements.
        value: Element,
        /// The lanes of tensor memory.
        lanes: NonZeroU32,
        /// The bits of a lane.
        bits: NonZeroU32,
        /// How often that.
        times: NonZeroU32,
        /// What is reduced.
        reduction: TensorReduction,
        /// Whether a NaN is the result.
        nan: bool,
        /// Where the second half begins.
        half: Option<HalfOffset>,
    }
    value ", " lanes " DP, " bits " bit, " {'x'} times ", " reduction [", nan" if nan] [", half_split_off=" half]
}

part! {
    /// `tcgen05.ld` that compresses: `!cute_nvgpu.atom.tmem_load_spcompress<f32, 32 DP, 32 bit, x128, max>`.
    pub struct TensorLoadCompress {
        /// The elements.
        value: Element,
        /// The lanes of tensor memory.
        lanes: NonZeroU32,
        /// The bits of a lane.
        bits: NonZeroU32,
        /// How often that.
        times: NonZeroU32,
        /// What is reduced.
        reduction: TensorReduction,
        /// Whether the reduction is a result too.
        reduce: bool,
        /// Whether a NaN is the result.
        nan: bool,
    }
    value ", " lanes " DP, " bits " bit, " {'x'} times ", " reduction [", red" if reduce] [", nan" if nan]
}

part! {
    /// `tcgen05.cp`: `!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>`.
    pub struct SharedToTensor {
        /// The elements.
        value: Element,
        /// The lanes of tensor memory.
        lanes: NonZeroU32,
        /// The bits of a lane.
        bits: NonZeroU32,
        /// The blocks that take part.
        blocks: NonZeroU32,
        /// Which warps get which rows.
        spread: Option<SpreadRows>,
    }
    value ", " lanes " DP, " bits " bit, " blocks " cta" [", " spread]
}

/// Loads and stores of 32 lanes: each thread of a warp has one lane.
fn lanes(
    value: &Element,
    lanes: NonZeroU32,
    bits: NonZeroU32,
    times: NonZeroU32,
) -> Option<Result<[TypeLayout; 2], CuteError>> {
    if (lanes.get(), bits.get()) != (32, 32) {
        return None;
    }
    let values = 32 * u64::from(times.get()) / u64::from(value.bits().max(1));
    let both = || {
        let memory = LayoutOf::from_modes([mode(32, 0)?, mode(32 * values, 1)?]);
        let registers = LayoutOf::from_modes([mode(32, values)?, mode(values, 1)?]);
        Ok([memory, registers])
    };
    Some(both())
}

impl TensorLoad {
    pub(super) fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        let both = lanes(&self.value, self.lanes, self.bits, self.times)?;
        Some(both.and_then(|[memory, registers]| CopyAtomOf::new(memory.clone(), registers, memory)))
    }
}

impl TensorStore {
    pub(super) fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        let both = lanes(&self.value, self.lanes, self.bits, self.times)?;
        Some(both.and_then(|[memory, registers]| CopyAtomOf::new(registers, memory.clone(), memory)))
    }
}

impl SharedToTensor {
    /// What is spread over all four warps; one thread copies all.
    pub(super) fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        if self.spread != Some(SpreadRows::All) || self.blocks.get() != 1 {
            return None;
        }
        let bits = self.value.bits().max(1);
        let rows = u64::from(self.lanes.get().saturating_mul(self.bits.get()) / bits);
        let word = u64::from(32 / bits).max(1);
        let both = || {
            let values = modes(&[(word, 1), (rows / word, word), (4, 0)])?;
            let shared = LayoutOf::from_modes([LayoutOf::unit(), values]);
            let memory = LayoutOf::from_modes([LayoutOf::unit(), mode(4 * rows, 1)?]);
            CopyAtomOf::new(shared, memory.clone(), memory)
        };
        Some(both())
    }
}
