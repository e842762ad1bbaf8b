//! Passes within `tileas`: placement and lowering of layout conversions, reductions between warps, copies of what is
//! printed, products whose operands are in shared memory, and pipelined loads.
//!
//! In order: [`place_conversions()`], [`split_reductions()`], [`stage_prints()`], [`slice_products()`],
//! [`lower_conversions()`], [`pipeline_loads()`].

pub mod lower_conversions;
pub mod lower_routes;
pub mod pipeline_loads;
pub mod place_conversions;
pub mod slice_products;
pub mod split_reductions;
pub mod stage_prints;

pub use lower_conversions::lower_conversions;
pub use lower_routes::lower_routes;
pub use pipeline_loads::pipeline_loads;
pub use place_conversions::place_conversions;
pub use slice_products::slice_products;
pub use split_reductions::split_reductions;
pub use stage_prints::stage_prints;
