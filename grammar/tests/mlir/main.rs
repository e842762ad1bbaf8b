//! MLIR text: both forms of every op, errors, damaged texts, and what CUTLASS's library prints.

#[path = "../support/checks.rs"]
mod checks;
mod corpus;
#[path = "../support/damage.rs"]
mod damage;
mod errors;
mod forms;
mod mutate;
mod open;
mod places;
mod verify;
