//! `tilewright explore`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic};

use super::input::CompileOptions;
use super::report::{Exit, Outcome};
use crate::explore::Explorer;
use crate::files::{open_program, print};

/// The arguments of `explore`.
#[derive(Debug, Args)]
pub(super) struct Explore {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// The port on the loopback address [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address, and do not open it
    #[arg(long)]
    no_open: bool,
}

impl Explore {
    pub(super) fn execute(&self) -> Outcome {
        let bytes = open_program(Path::new(&self.input))?;
        let listening = Explorer::listen(self.port, self.input.clone(), bytes, self.options.request()?);
        let broken = |error: std::io::Error| {
            Diagnostic::error(Code::BadArgument, format!("the page cannot be served: {error}"))
        };
        let explorer = listening.map_err(broken)?;
        let address = explorer.address();
        print(format!("{address}\n").as_bytes())?;
        if !self.no_open {
            open(&address);
        }
        explorer.serve().map_err(broken)?;
        Ok(Exit::Ok)
    }
}

/// Opens an address in the user's browser. Failure is ignored, since the address has been printed.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _ = command.spawn();
}
