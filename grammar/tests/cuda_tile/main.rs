//! `cuda_tile` text: what NVIDIA's disassembler prints reads back and prints the same.

mod corpus;
mod errors;
mod forms;
mod mutate;
