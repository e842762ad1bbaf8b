//! What the evaluator does, in one program: one for each file would take longer to link than to run.

mod elementwise;
mod encoding;
mod int;
mod litmus;
mod memory;
mod multimem;
mod promises;
mod races;
mod recorded_ops;
mod shape;
mod speed;
mod support;
mod undefined;
mod unspecified;
