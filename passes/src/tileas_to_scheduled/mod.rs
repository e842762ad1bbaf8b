//! From `tileas` to `scheduled`: when, and by whom.
//!
//! In order: [`schedule_serially()`], [`insert_barriers()`].

pub mod insert_barriers;
pub mod schedule_serially;

pub use insert_barriers::insert_barriers;
pub use schedule_serially::schedule_serially;
