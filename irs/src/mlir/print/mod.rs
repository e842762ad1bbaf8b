//! Prints modules: in MLIR's generic form, or with each op's own text.

mod body;
mod by_hand;
mod values;

pub use body::{Form, print_module};
