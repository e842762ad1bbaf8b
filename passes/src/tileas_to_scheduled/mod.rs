//! The lowering from `tileas` to `scheduled`: agents, shared memory, barriers.
//!
//! In order: [`schedule_serially()`], [`allocate_shared()`], [`insert_barriers()`], [`assign_barriers()`].

pub mod allocate_shared;
pub mod assign_barriers;
mod buffers;
pub mod insert_barriers;
pub mod schedule_serially;

pub use allocate_shared::allocate_shared;
pub use assign_barriers::assign_barriers;
pub use insert_barriers::insert_barriers;
pub use schedule_serially::schedule_serially;
