//! The programs `tileiras` and `tileirdisasm`, in place of NVIDIA's: what front ends such as cuTile Python start, with the
//! options, the outputs and the exit codes that they expect. `docs/tileiras.md` describes them.
//!
//! Both are `tilewright` itself, started through links with these names. They compile through the same queries as
//! `tilewright compile`.
//!
//! | module | contents |
//! |---|---|
//! | `command_line` | command lines in LLVM's style |
//! | `help`, `version` | what `--help` and `--version` print |
//! | `assembler` | `tileiras` |
//! | `disassembler` | `tileirdisasm` |
//! | `dump` | `--mlir-print-ir-after-all` |
//! | `requests` | which remarks are requested |

mod assembler;
mod command_line;
mod disassembler;
mod dump;
mod help;
mod report;
mod requests;
mod version;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use tilewright_diagnostics::Diagnostic;

use crate::exit::Exit;

/// A program that front ends start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `tileiras`: bytecode to a cubin.
    Tileiras,
    /// `tileirdisasm`: bytecode to text.
    Tileirdisasm,
}

impl Program {
    /// Every program.
    pub const ALL: &'static [Self] = &[Self::Tileiras, Self::Tileirdisasm];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tileiras => assembler::NAME,
            Self::Tileirdisasm => disassembler::NAME,
        }
    }

    /// The program that a process was started as: by its path, with or without `.exe`.
    pub fn named(path: &OsStr) -> Option<Self> {
        let name = Path::new(path).file_name()?.to_str()?;
        let stem = match name.rsplit_once('.') {
            Some((stem, extension)) if extension.eq_ignore_ascii_case("exe") => stem,
            _ => name,
        };
        Self::ALL.iter().copied().find(|program| program.name() == stem)
    }

    /// Runs the program with these arguments, without its name.
    pub fn run(self, args: &[OsString]) -> Exit {
        let outcome = crate::panics::caught(|| match self {
            Self::Tileiras => assembler::run(args),
            Self::Tileirdisasm => disassembler::run(args),
        });
        outcome.unwrap_or_else(|message| {
            let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
            let command = format!("{} {}", self.name(), words.join(" "));
            report::one(Diagnostic::bug("driver", self.name(), message, &command));
            Exit::Failed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_the_last_part_of_its_path() {
        for (path, wanted) in [
            ("tileiras", Some(Program::Tileiras)),
            ("/opt/bin/tileiras", Some(Program::Tileiras)),
            ("./tileiras.exe", Some(Program::Tileiras)),
            ("bin/tileirdisasm.EXE", Some(Program::Tileirdisasm)),
            ("tilewright", None),
            ("tileiras/tilewright", None),
            ("tileiras.old", None),
            ("", None),
        ] {
            assert_eq!(Program::named(OsStr::new(path)), wanted, "{path}");
        }
    }
}
