//! `cuda_tile` text: what NVIDIA's disassembler prints reads back and prints the same.

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
