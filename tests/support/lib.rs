//! Shared parts of the integration tests.

mod cases;
mod files;
mod tools;

pub use cases::{Argument, Case, cases};
pub use files::{corpus, repository};
pub use tools::needed;
