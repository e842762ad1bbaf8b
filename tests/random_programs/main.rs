//! Random programs leave the same in memory when the reference evaluator runs them and when they are compiled and run in
//! the simulator.
//!
//! `TILEWRIGHT_PROGRAMS=N` tries N programs of each kind instead of a few.

mod accesses;
mod arithmetic;

/// How many programs of a kind are tried, unless the environment says otherwise.
fn programs(few: u64) -> u64 {
    let count = std::env::var("TILEWRIGHT_PROGRAMS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(few)
}
