//! What an editor shows of a file: problems, names, outlines, costs, and the stages beside the source.
//!
//! Everything is in byte offsets and plain structs. This module depends on the database, but on no protocol and not on JSON.

pub mod assume;
pub mod became;
pub mod compiled;
pub mod completion;
pub mod conflicts;
pub mod cost;
mod counts;
pub mod facts;
pub mod format;
pub mod functions;
pub mod hints;
pub mod hover;
pub mod layouts;
pub mod lines;
pub mod moved_lines;
pub mod names;
pub mod ops;
pub mod outline;
pub mod problems;
pub mod python;
pub mod signature;
pub mod snippets;
pub mod stage_view;
pub mod statements;
pub mod tokens;
pub mod workspace;
