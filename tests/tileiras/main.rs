//! The programs `tileiras` and `tileirdisasm`, as front ends start them: options, outputs, exit codes, and what happens when
//! something goes wrong.
//!
//! Most tests put a script in the place of ptxas. Those that need the real one use `TILEWRIGHT_PTXAS`, and pass without it. With
//! `TILEWRIGHT_TILEIRAS`, the path of NVIDIA's tileiras, both programs are started with the same command lines.
#![cfg(unix)]

mod bad_luck;
mod command_lines;
mod disassembler;
mod errors;
mod install;
mod nvidia;
mod place;
mod probing;
mod remarks;
mod surroundings;
mod tuned;
