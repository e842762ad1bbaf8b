//! Measures the memory use of a step.

use std::cell::Cell;

use peak_alloc::PeakAlloc;

/// A step's share: so many bytes for any input, and so many for each of its bytes.
pub(crate) struct Allowed {
    pub(crate) base: usize,
    pub(crate) per_byte: usize,
    /// Whether what it takes is told at the end.
    pub(crate) told: bool,
}

/// Measures the steps of one input.
pub(crate) struct Meter<'a> {
    pub(crate) memory: &'a PeakAlloc,
    /// The input's length.
    pub(crate) length: usize,
    /// The most bytes of memory that a byte of input has taken so far in a step that is told, over inputs of some length.
    pub(crate) most: &'a Cell<usize>,
}

/// Shorter inputs say little about what a byte takes.
const TELLING: usize = 1_000;

impl Meter<'_> {
    /// Runs a step; `Err` says that it took more than its share.
    pub(crate) fn step<T>(
        &self,
        what: &str,
        allowed: &Allowed,
        run: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let before = self.memory.current_usage();
        self.memory.reset_peak_usage();
        let result = run()?;
        let taken = self.memory.peak_usage().saturating_sub(before);
        if taken > allowed.base + self.length * allowed.per_byte {
            return Err(format!(
                "{what} takes {taken} bytes of memory for {} of input",
                self.length
            ));
        }
        if allowed.told && self.length >= TELLING {
            self.most.set(self.most.get().max(taken / self.length));
        }
        Ok(result)
    }
}
