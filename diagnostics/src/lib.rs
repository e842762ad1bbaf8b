//! Diagnostics as data, and the renderers that print them.
//!
//! This crate knows nothing of the compiler: no language, no pass, no database.
