//! The compiler put together: the salsa database, the command line, and running a kernel.
//!
//! This crate knows all others, and it alone reads and writes files. The pipeline is one table, [`pipeline::PASSES`];
//! every pass is a plain function of `tilewright-passes`, and nothing of the database is visible to it.
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

mod annotate;
pub mod cli;
mod database;
pub mod inputs;
pub mod joins;
mod kernel;
pub mod launch;
mod lines;
mod locations;
pub mod panics;
pub mod pipeline;
pub mod printing;
pub mod ptxas;
pub mod reading;
mod source_map;
pub mod targets;
mod units;

pub use database::{Compiler, Db, Execution};
pub use inputs::{Options, Request, Source};
pub use kernel::Kernel;
pub use locations::located;
pub use source_map::SourceMap;
pub use units::{Language, PtxKernel, Stage, TileKernel, Unit};

/// The stack of a thread that compiles, in bytes: the readers bound how deep a program nests, and what they admit fits.
const STACK: usize = 256 << 20;
