//! Passes within `scheduled`: the schedule of loops, shared memory, barriers and registers.
//!
//! In order: [`schedule_loops()`], [`expand_schedule()`], [`pipeline_loops()`], [`overlap_products()`], [`assign_registers()`],
//! [`allocate_shared()`], [`insert_barriers()`], [`assign_barriers()`].

mod access_hints;
pub mod allocate_shared;
pub mod assign_barriers;
pub mod assign_registers;
mod buffers;
mod copy_groups;
pub mod expand_schedule;
pub mod insert_barriers;
mod loop_parts;
pub mod overlap_products;
pub mod pipeline_loops;
pub mod predict;
mod products;
pub mod schedule_loops;
mod speculation;
mod work;

pub use allocate_shared::allocate_shared;
pub use assign_barriers::assign_barriers;
pub use assign_registers::assign_registers;
pub use expand_schedule::expand_schedule;
pub use insert_barriers::insert_barriers;
pub use overlap_products::overlap_products;
pub use pipeline_loops::pipeline_loops;
pub use predict::predict;
pub use schedule_loops::schedule_loops;
