//! The rows.

use tilewright_layouts::Bytes;
use tilewright_layouts::legality::TMEM_COLUMNS;

use super::Machine;
use super::chip::Chip;
use super::costs::Costs;
use super::multiprocessor::Multiprocessor;
use super::rates::{FmaRates, ProductRates, Rates};
use crate::isa::{Features, Target};

/// The row of the GPUs of a compute capability.
struct Row {
    sm: u16,
    /// Resident warps and blocks.
    residents: (u32, u32),
    /// KiB of shared memory: of a multiprocessor, and the most of a block.
    shared: (u64, u64),
    tensor_columns: u32,
    /// Multiply-adds of `f16`, `f32` and `f64`.
    fma: (u32, u32, u32),
    mma_sync: ProductRates,
    wgmma: ProductRates,
    tcgen05: ProductRates,
    chip: Option<Chip>,
    remark: &'static str,
}

const fn chip(
    name: &'static str,
    multiprocessors: u32,
    megahertz: u32,
    gigabytes_a_second: u64,
) -> Option<Chip> {
    Some(Chip {
        name,
        multiprocessors,
        megahertz,
        products_megahertz: megahertz,
        memory: Bytes(gigabytes_a_second * 1_000_000_000),
    })
}

/// H100. (Power: cuBLAS multiplies 4096 by 4096 matrices of `f16` at 768 TFLOP/s on an H200. Measured.)
const H100: Option<Chip> = match chip("H100 SXM", 132, 1830, 3350) {
    Some(chip) => Some(Chip {
        products_megahertz: 1420,
        ..chip
    }),
    None => None,
};

/// H200: an H100 with other memory.
const H200: Option<Chip> = match H100 {
    Some(chip) => Some(Chip {
        name: "H200 SXM",
        memory: Bytes(4_800_000_000_000),
        ..chip
    }),
    None => None,
};

/// Other GPUs than the usual one, each with its compute capability.
pub(super) const OTHERS: &[(u16, Option<Chip>)] = &[(90, H200)];

/// V100. (Its white paper: eight tensor cores with 64 multiply-adds.)
const VOLTA: ProductRates = ProductRates {
    f16: 512,
    ..ProductRates::NONE
};
/// T4. (Data sheet.)
const TURING: ProductRates = ProductRates {
    f16: 512,
    i8: 1024,
    i4: 2048,
    ..ProductRates::NONE
};
/// A100. (Data sheet.)
const A100: ProductRates = ProductRates {
    f64: 64,
    tf32: 512,
    f16: 1024,
    i8: 2048,
    i4: 4096,
    f8: 0,
};
/// RTX 3090. (Data sheet; `f16` with sums of 32 bits.)
const GA102: ProductRates = ProductRates {
    f64: 2,
    tf32: 128,
    f16: 256,
    i8: 1024,
    i4: 2048,
    f8: 0,
};
/// L40S. (Data sheet.)
const ADA: ProductRates = ProductRates {
    f64: 2,
    tf32: 256,
    f16: 512,
    f8: 1024,
    i8: 1024,
    i4: 2048,
};
/// H200, `mma.sync`. (Measured: a product of 16 by 8 by 16 every 6.5 cycles in each partition; other types in proportion to
/// their width. `f64`: data sheet. Products of `i4` are emulated.)
const HOPPER_WARPS: ProductRates = ProductRates {
    f64: 128,
    tf32: 630,
    f16: 1260,
    f8: 2520,
    i8: 2520,
    i4: 0,
};
/// B200, `mma.sync`. (As an H200. `f64`: data sheet.)
const BLACKWELL_WARPS: ProductRates = ProductRates {
    f64: 64,
    ..HOPPER_WARPS
};
/// B300, `mma.sync`. (As an H200. `f64`: data sheet.)
const BLACKWELL_ULTRA_WARPS: ProductRates = ProductRates {
    f64: 2,
    ..HOPPER_WARPS
};
/// H200, `wgmma`. (Measured: 129.7 cycles for 64 by 256 by 16 with `f16`, 33 for 64 columns; others by the data sheet.)
const HOPPER_GROUPS: ProductRates = ProductRates {
    tf32: 1024,
    f16: 2048,
    f8: 4096,
    i8: 4096,
    ..ProductRates::NONE
};
/// B200, `tcgen05.mma`. (Data sheet.)
const BLACKWELL: ProductRates = ProductRates {
    tf32: 2048,
    f16: 4096,
    f8: 8192,
    i8: 8192,
    ..ProductRates::NONE
};
/// B300, `tcgen05.mma`. (Data sheet: few integers.)
const BLACKWELL_ULTRA: ProductRates = ProductRates { i8: 256, ..BLACKWELL };
/// RTX 5090. (White paper; floats with sums of 32 bits.)
const GB202: ProductRates = ProductRates {
    f64: 2,
    tf32: 128,
    f16: 256,
    f8: 512,
    i8: 1024,
    i4: 0,
};

/// The rows, by compute capability.
const ROWS: &[Row] = &[
    Row {
        sm: 70,
        residents: (64, 32),
        shared: (96, 96),
        tensor_columns: 0,
        fma: (128, 64, 32),
        mma_sync: VOLTA,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("V100", 80, 1530, 900),
        remark: "cycles of an H200",
    },
    Row {
        sm: 72,
        residents: (64, 32),
        shared: (96, 96),
        tensor_columns: 0,
        fma: (128, 64, 32),
        mma_sync: VOLTA,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("Jetson AGX Xavier", 8, 1377, 137),
        remark: "rates of sm_70, cycles of an H200",
    },
    Row {
        sm: 75,
        residents: (32, 16),
        shared: (64, 64),
        tensor_columns: 0,
        fma: (128, 64, 2),
        mma_sync: TURING,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("T4", 40, 1590, 320),
        remark: "cycles of an H200",
    },
    Row {
        sm: 80,
        residents: (64, 32),
        shared: (164, 163),
        tensor_columns: 0,
        fma: (256, 64, 32),
        mma_sync: A100,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("A100 80GB", 108, 1410, 2039),
        remark: "cycles of an H200",
    },
    Row {
        sm: 86,
        residents: (48, 16),
        shared: (100, 99),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: GA102,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("RTX 3090", 82, 1695, 936),
        remark: "cycles of an H200",
    },
    Row {
        sm: 87,
        residents: (48, 16),
        shared: (164, 163),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: GA102,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("Jetson AGX Orin", 16, 1300, 205),
        remark: "rates of sm_86, cycles of an H200",
    },
    Row {
        sm: 88,
        residents: (48, 16),
        shared: (100, 99),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: GA102,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: None,
        remark: "rates of sm_86, cycles of an H200",
    },
    Row {
        sm: 89,
        residents: (48, 24),
        shared: (100, 99),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: ADA,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("L40S", 142, 2520, 864),
        remark: "cycles of an H200",
    },
    Row {
        sm: 90,
        residents: (64, 32),
        shared: (228, 227),
        tensor_columns: 0,
        fma: (256, 128, 64),
        mma_sync: HOPPER_WARPS,
        wgmma: HOPPER_GROUPS,
        tcgen05: ProductRates::NONE,
        chip: H100,
        remark: "",
    },
    Row {
        sm: 100,
        residents: (64, 32),
        shared: (228, 227),
        tensor_columns: TMEM_COLUMNS,
        fma: (256, 128, 64),
        mma_sync: BLACKWELL_WARPS,
        wgmma: ProductRates::NONE,
        tcgen05: BLACKWELL,
        chip: chip("B200", 148, 1855, 8000),
        remark: "`mma.sync` and cycles of an H200",
    },
    Row {
        sm: 101,
        residents: (48, 24),
        shared: (228, 227),
        tensor_columns: TMEM_COLUMNS,
        fma: (256, 128, 2),
        mma_sync: BLACKWELL_ULTRA_WARPS,
        wgmma: ProductRates::NONE,
        tcgen05: BLACKWELL,
        chip: chip("Jetson AGX Thor", 20, 1575, 273),
        remark: "rates of sm_100, of `f64` sm_103, `mma.sync` and cycles of an H200",
    },
    Row {
        sm: 103,
        residents: (64, 32),
        shared: (228, 227),
        tensor_columns: TMEM_COLUMNS,
        fma: (256, 128, 2),
        mma_sync: BLACKWELL_ULTRA_WARPS,
        wgmma: ProductRates::NONE,
        tcgen05: BLACKWELL_ULTRA,
        chip: chip("B300", 160, 1905, 8000),
        remark: "`mma.sync` and cycles of an H200",
    },
    Row {
        sm: 107,
        residents: (64, 16),
        shared: (328, 227),
        tensor_columns: TMEM_COLUMNS,
        fma: (256, 128, 2),
        mma_sync: BLACKWELL_ULTRA_WARPS,
        wgmma: ProductRates::NONE,
        tcgen05: BLACKWELL_ULTRA,
        chip: None,
        remark: "warps and rates of sm_103, `mma.sync` and cycles of an H200",
    },
    Row {
        sm: 110,
        residents: (48, 24),
        shared: (228, 227),
        tensor_columns: TMEM_COLUMNS,
        fma: (256, 128, 2),
        mma_sync: BLACKWELL_ULTRA_WARPS,
        wgmma: ProductRates::NONE,
        tcgen05: BLACKWELL,
        chip: chip("Jetson AGX Thor", 20, 1575, 273),
        remark: "rates of sm_100, of `f64` sm_103, `mma.sync` and cycles of an H200",
    },
    Row {
        sm: 120,
        residents: (48, 24),
        shared: (100, 99),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: GB202,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("RTX 5090", 170, 2407, 1792),
        remark: "cycles of an H200",
    },
    Row {
        sm: 121,
        residents: (48, 24),
        shared: (100, 99),
        tensor_columns: 0,
        fma: (128, 128, 2),
        mma_sync: GB202,
        wgmma: ProductRates::NONE,
        tcgen05: ProductRates::NONE,
        chip: chip("GB10", 48, 2500, 273),
        remark: "rates of sm_120, cycles of an H200",
    },
];

/// KiB of shared memory that a kernel for a portable target or a family declares at most. (ptxas.)
const PORTABLE_STATIC: u64 = 48;

/// Whether a target has a row of its own.
#[cfg(test)]
pub(super) fn has(target: Target) -> bool {
    ROWS.iter().any(|row| row.sm == target.sm)
}

/// The row of a target: the last one that is not after it.
pub(super) const fn of(target: Target) -> Machine {
    let mut at = 0;
    while at + 1 < ROWS.len() && ROWS[at + 1].sm <= target.sm {
        at += 1;
    }
    let row = &ROWS[at];
    let (warps, blocks) = row.residents;
    let (shared, shared_opt_in) = row.shared;
    let shared_static = match target.features {
        Features::Architecture if target.sm >= 90 => shared_opt_in,
        Features::Architecture | Features::Family | Features::Portable => PORTABLE_STATIC,
    };
    let later = target.sm >= 80;
    let (f16, f32, f64) = row.fma;
    Machine {
        target,
        multiprocessor: Multiprocessor {
            warps,
            blocks,
            shared: Bytes(shared << 10),
            shared_opt_in: Bytes(shared_opt_in << 10),
            shared_static: Bytes(shared_static << 10),
            shared_reserved: Bytes(if later { 1024 } else { 0 }),
            shared_unit: Bytes(if later { 128 } else { 256 }),
            tensor_columns: row.tensor_columns,
        },
        rates: Rates {
            fma: FmaRates { f16, f32, f64 },
            mma_sync: row.mma_sync,
            wgmma: row.wgmma,
            tcgen05: row.tcgen05,
        },
        costs: Costs::H200,
        chip: row.chip,
        remark: row.remark,
    }
}
