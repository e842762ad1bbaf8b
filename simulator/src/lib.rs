//! Runs PTX on the CPU, thread by thread.
//!
//! This crate knows `irs::ptx` and nothing of how that PTX was made.
