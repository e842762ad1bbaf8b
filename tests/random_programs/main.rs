//! Random programs write the same memory in the reference evaluator and compiled in the simulator.
//!
//! `TILEWRIGHT_PROGRAMS=N` sets the number of programs of each kind, `TILEWRIGHT_FIRST=N` the first of them.
//! `TILEWRIGHT_SCHEDULED=FOLDER` writes the scheduled ones there, for `tests/gpu/random_scheduled.py`.

mod accesses;
mod arithmetic;
mod atomics;
mod fold_bodies;
mod folds;
mod gathered_products;
mod loops;
mod multimem;
mod products;
mod program;
mod routed_products;
mod scheduled;

use std::ops::Range;

/// A number that the environment sets.
fn setting(name: &str, otherwise: u64) -> u64 {
    let number = std::env::var(name).ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// The number of programs of a kind, unless the environment sets it.
fn programs(few: u64) -> u64 {
    setting("TILEWRIGHT_PROGRAMS", few)
}

/// The seeds of so many programs.
fn seeds(few: u64) -> Range<u64> {
    let first = setting("TILEWRIGHT_FIRST", 0);
    first..first + programs(few)
}
