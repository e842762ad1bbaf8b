//! What the units of a multiprocessor do in a cycle.

use crate::isa::MatrixType;

/// The rates of a multiprocessor, for each cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Multiply-adds of threads. (Guide.)
    pub fma: FmaRates,
    /// Multiply-adds of `mma.sync`.
    pub mma_sync: ProductRates,
    /// Multiply-adds of `wgmma`.
    pub wgmma: ProductRates,
    /// Multiply-adds of `tcgen05.mma`.
    pub tcgen05: ProductRates,
}

/// Multiply-adds of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FmaRates {
    /// Of `f16`, in pairs.
    pub f16: u32,
    /// Of `f32`.
    pub f32: u32,
    /// Of `f64`.
    pub f64: u32,
}

/// Multiply-adds of matrix products by the type of their operands, with sums of 32 bits or more; 0 where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProductRates {
    /// `f64`.
    pub f64: u32,
    /// `tf32`.
    pub tf32: u32,
    /// `f16` and `bf16`.
    pub f16: u32,
    /// Floats of 8 bits, and narrower ones that are multiplied as such.
    pub f8: u32,
    /// Integers of 8 bits.
    pub i8: u32,
    /// Integers of 4 bits.
    pub i4: u32,
}

impl Rates {
    /// Multiply-adds of 32-bit integers. (Guide.)
    pub const INTEGER_FMA: u32 = 64;
    /// Approximations of special functions, such as `ex2`. (Guide: of `f32`. Measured: one warp every 8 cycles in each
    /// partition.)
    pub const SPECIAL: u32 = 16;
    /// Values exchanged by `shfl`. (Guide.)
    pub const SHUFFLE: u32 = 32;
    /// Selections of one of two values, and permutations of bytes. (Guide.)
    pub const SELECT: u32 = 64;
    /// Comparisons, minima and maxima. (Guide.)
    pub const COMPARE: u32 = 64;
    /// Conversions between types of up to 32 bits. (Guide.)
    pub const CONVERT: u32 = 64;
    /// Bytes of shared memory: a word of four bytes in each of 32 banks. (Guide, "Shared Memory".)
    pub const SHARED_BYTES: u32 = 128;
    /// Bytes from the second cache, if all multiprocessors read at a time. (Measured.)
    pub const L2_BYTES: u32 = 35;
    /// Bytes from the second cache of tiles that several blocks read at about the same time. (Fitted to measured times of
    /// products of `f16`, 4096 by 4096 by 4096, whose tiles have 64 to 256 rows and columns.)
    pub const SHARED_L2_BYTES: u32 = 50;
    /// Bytes of a sector, in which caches are read and written. (Guide, "Device Memory Accesses".)
    pub const SECTOR_BYTES: u32 = 32;

    /// The rates of the fastest unit for products.
    pub const fn fastest_products(&self) -> ProductRates {
        if self.tcgen05.f16 > 0 {
            self.tcgen05
        } else if self.wgmma.f16 > 0 {
            self.wgmma
        } else {
            self.mma_sync
        }
    }
}

impl ProductRates {
    /// No products.
    pub const NONE: Self = Self {
        f64: 0,
        tf32: 0,
        f16: 0,
        f8: 0,
        i8: 0,
        i4: 0,
    };

    /// The rate for operands of this type.
    pub const fn of(&self, operand: MatrixType) -> u32 {
        match operand {
            MatrixType::F64 => self.f64,
            MatrixType::Tf32 => self.tf32,
            MatrixType::F16 | MatrixType::Bf16 => self.f16,
            MatrixType::E4m3 | MatrixType::E5m2 | MatrixType::E3m2 | MatrixType::E2m3 | MatrixType::E2m1 => {
                self.f8
            }
            MatrixType::S8 | MatrixType::U8 => self.i8,
            MatrixType::S4 | MatrixType::U4 => self.i4,
            MatrixType::B1 | MatrixType::F32 | MatrixType::S32 => 0,
        }
    }
}
