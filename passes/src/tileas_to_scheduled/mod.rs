//! From `tileas` to `scheduled`: when, and by whom.
//!
//! In order: [`schedule_serially`], [`insert_barriers`].

pub mod insert_barriers;
pub mod schedule_serially;
