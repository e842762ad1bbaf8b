//! Layout mathematics: where each element of a tile lives.
//!
//! This crate knows nothing of the compiler: no types, no ops, no diagnostics.
