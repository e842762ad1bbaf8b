//! The passes: plain functions from one language to the next.
//!
//! A pass must not know a database, a file or a span.

pub mod tileaa;
