//! Passes within `tileas`: placement and lowering of layout conversions, reductions between warps, copies of what is
//! printed, and products whose operands are in shared memory.
//!
//! In order: [`lower_routes()`], [`place_conversions()`], [`split_reductions()`], [`stage_prints()`], [`slice_products()`],
//! [`lower_conversions()`].

pub mod lower_conversions;
pub mod lower_routes;
pub mod place_conversions;
pub mod slice_products;
pub mod split_reductions;
pub mod stage_prints;

pub use lower_conversions::lower_conversions;
pub use lower_routes::lower_routes;
pub use place_conversions::place_conversions;
pub use slice_products::slice_products;
pub use split_reductions::split_reductions;
pub use stage_prints::stage_prints;
