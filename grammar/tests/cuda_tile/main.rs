//! `cuda_tile` text: output of NVIDIA's disassembler is read and printed identically.

mod aliases;
mod corpus;
#[path = "../support/damage.rs"]
mod damage;
mod dense;
mod errors;
mod forms;
mod generic;
mod locations;
mod mutate;
