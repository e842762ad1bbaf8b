//! The mathematics of layouts, in one program: one for each file would take longer to link than to run.

mod bank_cost;
mod bridge;
mod conversion_choice;
mod conversion_exhaustive;
mod conversion_minimal;
mod conversion_round_trip;
mod conversion_shuffle;
mod conversion_slices;
mod cute_laws;
mod cute_model;
#[path = "support/cute_questions.rs"]
mod cute_questions;
mod cute_swizzle;
mod cute_symbols;
mod cute_tiled;
mod cute_tiles;
mod cute_types;
mod cute_unknowns;
mod descriptors;
mod encodings;
mod instruction_descriptor;
mod legality_copies;
mod legality_descriptors;
mod legality_im2col;
mod legality_products;
mod legality_tensor_maps;
mod limits;
mod linear_actions;
mod linear_dims;
mod linear_division;
mod linear_laws;
mod linear_text;
#[path = "support/matrix_forms.rs"]
mod matrix_forms;
mod matrix_moves;
mod matrix_plans;
mod mma_sync_fragments;
mod placement;
mod pycute_differential;
#[path = "support/questions.rs"]
mod questions;
#[path = "support/random.rs"]
mod random;
#[path = "support/records.rs"]
mod records;
mod shared_encodings;
#[path = "support/side_cost.rs"]
mod side_cost;
mod tcgen05;
mod tensor_map_differential;
#[path = "support/tensor_map_questions.rs"]
mod tensor_map_questions;
#[path = "support/tensor_maps.rs"]
mod tensor_maps;
mod triton_differential;
#[path = "support/violations.rs"]
mod violations;
mod wgmma_fragments;
