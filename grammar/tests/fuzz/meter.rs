//! Measures the memory use of a step.

use std::cell::Cell;

use peak_alloc::PeakAlloc;

/// The memory limit of a step: a constant, and bytes per input byte.
pub(crate) struct Allowed {
    pub(crate) base: usize,
    pub(crate) per_byte: usize,
    /// Whether its use is reported at the end.
    pub(crate) told: bool,
}

/// Measures the steps of one input.
pub(crate) struct Meter<'a> {
    pub(crate) memory: &'a PeakAlloc,
    /// The length of the input.
    pub(crate) length: usize,
    /// The peak memory in bytes per input byte so far in a reported step, over inputs of sufficient length.
    pub(crate) most: &'a Cell<usize>,
}

/// The minimum length of an input for a meaningful ratio.
const TELLING: usize = 1_000;

impl Meter<'_> {
    /// Runs a step; `Err` if it exceeds its limit.
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
