//! Shared parts of the integration tests.

mod cases;
mod files;

pub use cases::{Argument, Case, cases};
pub use files::{corpus, repository};
