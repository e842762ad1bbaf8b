//! The lowering from `tileas` to `scheduled`: one agent that executes all ops in program order.

pub mod schedule_serially;

pub use schedule_serially::schedule_serially;
