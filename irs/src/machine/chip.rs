//! The usual GPU of a target.

use tilewright_layouts::Bytes;

/// A GPU, by its data sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its name.
    pub name: &'static str,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Its clock in MHz: with it, the data sheet's rate of 16-bit products comes out.
    pub megahertz: u32,
    /// Its clock in MHz when the tensor cores are always busy and power limits it; if that is not known, the same.
    pub products_megahertz: u32,
    /// Bytes of memory a second.
    pub memory: Bytes,
}

impl Chip {
    /// Whether a word is its name, or the first word of it, in letters of any size.
    pub fn is_called(&self, word: &str) -> bool {
        let first = self.name.split(' ').next().unwrap_or_default();
        [self.name, first]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(word))
    }

    /// Nanoseconds that a launch takes beside the work of its blocks. (Measured on an H200, in CUDA graphs: the shortest kernels of
    /// `tests/gpu/suite_benchmarks.py`, which transpose 2 MiB, take 2140, of which the bytes take 960.)
    pub const LAUNCH_NANOSECONDS: u32 = 1200;
    /// Percent of the bytes of memory a second that kernels reach. (Measured on an H200: the sum of two arrays of 2^27 `f32`, 1.61 GB,
    /// takes 370 µs, and half as many bytes half the time.)
    pub const REACHED_PERCENT: u32 = 91;

    /// The clock in MHz when the tensor cores are busy for this part of the time.
    pub fn clock(&self, products: f64) -> f64 {
        let (idle, busy) = (f64::from(self.megahertz), f64::from(self.products_megahertz));
        idle + (busy - idle) * products.clamp(0.0, 1.0)
    }

    /// Cycles of all multiprocessors in a second.
    pub fn cycles_per_second(&self) -> f64 {
        f64::from(self.multiprocessors) * f64::from(self.megahertz) * 1e6
    }

    /// Bytes of memory a second that kernels reach.
    pub fn reached(&self) -> f64 {
        self.memory.0 as f64 * f64::from(Self::REACHED_PERCENT) / 100.0
    }

    /// Bytes of memory for each cycle of each multiprocessor.
    pub fn memory_bytes_per_cycle(&self) -> f64 {
        self.memory.0 as f64 / self.cycles_per_second()
    }
}
