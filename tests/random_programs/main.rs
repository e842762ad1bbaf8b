//! Random programs write the same memory in the reference evaluator and compiled in the simulator.
//!
//! `TILEWRIGHT_PROGRAMS=N` sets the number of programs of each kind. `TILEWRIGHT_SCHEDULED=FOLDER` writes the scheduled
//! ones there, for `tests/gpu/random_scheduled.py`.

mod accesses;
mod arithmetic;
mod atomics;
mod fold_bodies;
mod folds;
mod loops;
mod multimem;
mod products;
mod program;
mod routed_products;
mod scheduled;

/// The number of programs of a kind, unless the environment sets it.
fn programs(few: u64) -> u64 {
    let count = std::env::var("TILEWRIGHT_PROGRAMS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(few)
}
