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
    /// Bytes of memory a second.
    pub memory: Bytes,
}

impl Chip {
    /// Cycles of all multiprocessors in a second.
    pub fn cycles_per_second(&self) -> f64 {
        f64::from(self.multiprocessors) * f64::from(self.megahertz) * 1e6
    }

    /// Bytes of memory for each cycle of each multiprocessor.
    pub fn memory_bytes_per_cycle(&self) -> f64 {
        self.memory.0 as f64 / self.cycles_per_second()
    }
}
