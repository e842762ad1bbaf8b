//! The compiler: as a library, with [`compile`] as its stable interface, and the driver: the salsa database, the command line,
//! and kernel launch.
//!
//! This crate depends on all others below it, and it alone does I/O. The pipeline is one table, [`pipeline::PASSES`]; every pass is a
//! plain function of `tilewright-passes` that does not see the database.
//!
//! ```
//! use tilewright::{Compiler, Language, Request};
//!
//! let mut compiler = Compiler::new();
//! let source = compiler.add_source("empty.tileaa", "tileaa.func @f() {target = sm_90a} body {\n  scf.return\n}\n");
//! let options = compiler.options(Request::default());
//! let parsed = tilewright::reading::parse(&compiler, source);
//! assert_eq!(parsed.language, Some(Language::TileAa));
//! # let _ = options;
//! ```

use std::ffi::OsString;
use std::process::ExitCode;

mod annotate;
pub mod changes;
mod child;
pub mod cli;
mod database;
mod disassembly;
mod discard;
mod exit;
pub mod explain;
pub mod explore;
mod files;
pub mod ide;
pub mod inputs;
pub mod joins;
mod kernel;
pub mod launch;
pub mod library;
mod line_table;
mod lines;
mod locations;
pub mod lsp;
pub mod panics;
mod pip;
pub mod pipeline;
pub mod policy;
pub mod printing;
pub mod ptxas;
pub mod reading;
mod remarks;
mod schedule;
mod source_map;
pub mod targets;
pub mod tileiras;
pub mod trace;
mod tuned;
mod units;
mod usage;

pub use database::{Compiler, Db, Execution};
pub use inputs::{Options, Request, Source};
pub use kernel::Kernel;
pub use library::{Artifact, CompileOptions, CompileResult, Emit, KernelLaunch, Message, compile};
pub use locations::located;
pub use source_map::Places;
pub use units::{Language, PtxKernel, Stage, TileKernel, Unit};
pub use usage::Usage;

/// Stack size of a compiling thread, in bytes: the readers bound nesting depth so that it suffices.
const STACK: usize = 256 << 20;

/// The readers' nesting limit needs at most this much stack, in bytes.
const ENOUGH: usize = 4 << 20;

/// Runs the program that this process was started as: `tileiras` or `tileirdisasm` if that is its name, or else `tilewright`.
pub fn main() -> ExitCode {
    panics::install_hook();
    let args: Vec<OsString> = std::env::args_os().collect();
    let program = args.first().and_then(|name| tileiras::Program::named(name));
    // A separate thread would do as well, but joining one can take longer than compiling a kernel.
    let exit = stacker::maybe_grow(ENOUGH, STACK, || match program {
        Some(program) => program.run(args.get(1..).unwrap_or_default()),
        None => cli::main_with(&args),
    });
    exit.into()
}
