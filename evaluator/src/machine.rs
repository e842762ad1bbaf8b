//! State and limits shared by all tile blocks of a launch.

use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::Origin;

use crate::fault::{Fault, Outcome};
use crate::memory::{BufferId, Memory};
use crate::number::nudge::Nudge;

/// State shared by all tile blocks of a launch.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The memory.
    pub(crate) memory: Memory,
    /// The buffers of the globals, by name.
    pub(crate) globals: Vec<(String, BufferId)>,
    /// The output of `print_tko`.
    pub(crate) printed: String,
    /// The remaining steps, and the limit.
    pub(crate) steps: (u64, u64),
    /// Whether results that the language leaves open are moved.
    pub(crate) nudge: Option<Nudge>,
    /// When the launch is stopped.
    pub(crate) deadline: Option<Instant>,
    /// Warnings of the last launch: at most one of each code for each op.
    pub(crate) warnings: Vec<Diagnostic<Origin>>,
}

/// Elements of one op that count as one step.
const ELEMENTS_PER_STEP: usize = 1024;

/// Limit of printed text, in bytes.
const MOST_PRINTED: usize = 1 << 26;

impl Machine {
    /// Prints.
    pub(crate) fn print(&mut self, text: &str) -> Outcome<()> {
        if self.printed.len().saturating_add(text.len()) > MOST_PRINTED {
            let message = format!("the kernel has printed {MOST_PRINTED} bytes and goes on");
            return Err(Fault::new(Code::StepLimit, message));
        }
        self.printed.push_str(text);
        Ok(())
    }

    /// Adds a warning at an op, unless it is there already.
    pub(crate) fn warn(&mut self, code: Code, origin: Origin, message: impl FnOnce() -> Diagnostic<Origin>) {
        let said = self.warnings.iter().any(|warning| {
            warning.code == code && warning.primary.as_ref().is_some_and(|label| label.at == origin)
        });
        if !said {
            self.warnings.push(message());
        }
    }

    /// Warns of unspecified values in memory that the caller can read.
    pub(crate) fn warn_of_unspecified_memory(&mut self) {
        let buffers: Vec<_> = self.memory.buffers.visible().collect();
        for buffer in buffers {
            let Some((first, count, mark)) = self.memory.buffers.first_unspecified(buffer) else {
                continue;
            };
            let name = self.memory.buffers.name(buffer.index()).to_owned();
            let Some(cause) = self.memory.causes.get(mark).cloned() else {
                continue;
            };
            let hold = if count == 1 { "holds" } else { "hold" };
            let message = format!(
                "{} of {name}, byte {first} the first, {hold} numbers of which the language says nothing",
                counted(count, "byte")
            );
            let source = format!("the first comes from here: {}", cause.what);
            self.warnings.push(
                Diagnostic::warning(Code::Unspecified, message)
                    .at(cause.stored.unwrap_or(cause.origin), "the first is stored here")
                    .also(cause.origin, source)
                    .help("what is expected of them holds for this evaluator alone: leave them out of comparisons"),
            );
        }
    }

    /// Counts the steps of an op on this many elements.
    pub(crate) fn spend(&mut self, elements: usize) -> Outcome<()> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = "the kernel has not ended in the time that it has";
            return Err(Fault::new(Code::StepLimit, message));
        }
        let cost = u64::try_from(1 + elements / ELEMENTS_PER_STEP).unwrap_or(u64::MAX);
        match self.steps.0.checked_sub(cost) {
            Some(left) => {
                self.steps.0 = left;
                Ok(())
            }
            None => {
                let message = format!("the kernel has not ended after {}", counted(self.steps.1, "step"));
                Err(Fault::new(Code::StepLimit, message).note(format!(
                    "an op is a step, and one more for every {ELEMENTS_PER_STEP} elements"
                )))
            }
        }
    }
}
