//! What the integration tests share.

mod cases;
mod files;

pub use cases::{Argument, Case, cases};
pub use files::{corpus, repository};
