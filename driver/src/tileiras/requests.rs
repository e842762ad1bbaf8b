//! The options that request remarks.

use super::command_line::CommandLine;
use crate::remarks::{Kind, Wanted};

/// The names of the options: remarks of every kind, and of one kind each.
pub(super) const ASK: &str = "remarks";
pub(super) const ASK_PASSED: &str = "remarks-passed";
pub(super) const ASK_MISSED: &str = "remarks-missed";
pub(super) const ASK_FAILED: &str = "remarks-failed";
pub(super) const ASK_ANALYSIS: &str = "remarks-analysis";

/// The remarks that a command line requests.
pub(super) fn wanted(line: &CommandLine) -> Wanted {
    let mut wanted = Wanted::default();
    for (name, kind) in [
        (ASK, None),
        (ASK_PASSED, Some(Kind::Passed)),
        (ASK_MISSED, Some(Kind::Missed)),
        (ASK_FAILED, Some(Kind::Failed)),
        (ASK_ANALYSIS, Some(Kind::Analysis)),
    ] {
        if let Some(word) = line.word(name) {
            wanted.ask(kind, word);
        }
    }
    wanted
}
