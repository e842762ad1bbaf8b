//! The exit status of the programs.

use std::process::ExitCode;

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Success.
    Ok,
    /// The command line is invalid, or names files that cannot be read or written, or a result differs from what was
    /// expected.
    Usage,
    /// The input was refused.
    Rejected,
    /// A bug of the compiler; as `tileiras`, also whatever the back end or the machine cannot do.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Usage => 1,
            Exit::Rejected => 3,
            Exit::Failed => 5,
        })
    }
}
