//! The table of the notes on lowering CuTe that this project grew from: what each of their items is here.

use tilewright::Language::{Cute, CuteDesugared, Llvm};

use crate::check_page;
use crate::seed::By::{self, Code, Later};
use crate::seed::Test::{self, Golden, Run};
use crate::seed::{Part, row, tables};

const DESUGAR: &str = "passes/src/cute_to_cute_desugared/algebra.rs";
const ALGEBRA: By = Code("passes/src/cute_to_llvm/bank/algebra.rs", "convert");
const FLAT: By = Code("passes/src/cute_to_llvm/bank/leaves.rs", "flat");
const HOPPER: By = Later("atoms of Hopper");
const BLACKWELL: By = Later("atoms of Blackwell");

const LAYOUTS: Test = Golden("cute_to_cute_desugared.desugar/algebra_of_layouts");
const VIEWS: Test = Golden("cute_to_cute_desugared.desugar/parts_of_tensors");
const SIZE: Test = Run(
    "passes/tests/kernels.rs",
    "a_size_that_is_known_at_run_time_is_computed",
);
const COMPUTED: Test = Run(
    "irs/tests/cute_computation/main.rs",
    "what_is_computed_is_what_operands_with_numbers_give",
);
const ROUND_TRIP: Test = Run(
    "tests/round_trip.rs",
    "the_text_of_every_stage_compiles_to_the_same_ptx",
);
const VALUES: Test = Golden("cute_desugared_to_llvm.scalarize_fragments/values_of_algebra");
const VALUES_RUN: Test = Run("passes/tests/bank.rs", "values_are_their_leaves");
const POINTERS: Test = Golden("cute_desugared_to_llvm.scalarize_fragments/pointers");
const POINTERS_RUN: Test = Run("passes/tests/bank.rs", "pointers_move_and_are_addresses");
const ITERATOR: Test = Golden("cute_desugared_to_llvm.scalarize_fragments/descriptor_iterator");
const ITERATOR_RUN: Test = Run(
    "passes/tests/bank.rs",
    "an_iterator_over_tiles_advances_and_rewinds",
);

const DIVISION: Test = Golden("cute_desugared_to_llvm.scalarize_fragments/quotient_and_remainder");
const DIVISION_RUN: Test = Run("passes/tests/bank.rs", "a_prepared_divisor_divides");
const ASSEMBLED: Test = Run("tests/ptxas.rs", "every_example_assembles_for_every_target");

const PARTS: &[Part] = &[
    Part {
        title: "Sugar",
        rows: &[
            row(
                "make_layout",
                "a loop over grouped modes of shape and stride",
                "`cute.flat` of the dynamic leaves, in the order of the type; strides that no operand gives are products.",
                &[Code(DESUGAR, "compact"), Code(DESUGAR, "from_parts")],
                &[LAYOUTS, SIZE],
            ),
            row(
                "make_shape",
                "a loop over leaves",
                "`cute.flat`: the nesting is the type's.",
                &[Code(DESUGAR, "from_parts")],
                &[LAYOUTS, SIZE],
            ),
            row(
                "make_stride",
                "a loop over leaves",
                "`cute.flat`; the basis of a stride is the type's.",
                &[Code(DESUGAR, "from_parts")],
                &[LAYOUTS, SIZE],
            ),
            row(
                "make_tile",
                "a primitive tile, and dice",
                "`cute.flat`; of a static tile `cute.static`.",
                &[Code(DESUGAR, "from_parts")],
                &[LAYOUTS, SIZE],
            ),
            row(
                "make_coord",
                "extraction of flat coordinates",
                "`cute.flat` of its numbers; `_` is the type's.",
                &[Code(DESUGAR, "from_parts")],
                &[VIEWS, ROUND_TRIP],
            ),
            row(
                "equal",
                "reads of shape and stride, and a conjunction",
                "The same, within `cute`, and then comparisons of leaves.",
                &[
                    By::Pass("expand_comparisons"),
                    Code("passes/src/cute_to_cute_desugared/leaves.rs", "all_equal"),
                ],
                &[
                    Golden("cute.expand_comparisons/layout_and_view"),
                    Run("passes/tests/cute/corpus.rs", "kernels_of_ampere_are_expanded"),
                ],
            ),
            row(
                "print",
                "a loop over elements with coordinates, and a scalar print",
                "The same, within `cute`.",
                &[By::Pass("expand_prints")],
                &[
                    Golden("cute.expand_prints/numbers"),
                    Run(
                        "passes/tests/cute/expansions.rs",
                        "texts_with_tensors_of_dynamic_sizes_are_refused",
                    ),
                ],
            ),
            row(
                "make_atom",
                "what the atom's interface says",
                "An atom without fields is its type: no value is left of it.",
                &[Code(DESUGAR, "nothing")],
                &[
                    Golden("cute.expand_copies/instruction"),
                    Run("passes/tests/cute/corpus.rs", "kernels_of_ampere_are_expanded"),
                ],
            ),
        ],
    },
    Part {
        title: "Anchors",
        rows: &[
            row(
                "MakeDescriptorIteratorOpLowering",
                "`get_iter` of four operands: a quotient, a slot, undef and three inserts",
                "`cute.make_tile_iterator`, so too; it has the number of tiles as a second result. The slot is dead code.",
                &[Code("passes/src/cute_to_llvm/bank/iterator.rs", "make")],
                &[ITERATOR, ITERATOR_RUN],
            ),
            row(
                "DescriptorAdvanceOpLowering",
                "extract, add, insert",
                "`cute.advance`.",
                &[Code("passes/src/cute_to_llvm/bank/iterator.rs", "advance")],
                &[ITERATOR, ITERATOR_RUN],
            ),
            row(
                "DescriptorRewindOpLowering",
                "extract, sub, insert",
                "`cute.rewind`.",
                &[Code("passes/src/cute_to_llvm/bank/iterator.rs", "rewind")],
                &[ITERATOR, ITERATOR_RUN],
            ),
            row(
                "MakeLayoutOpLowering",
                "undef, and an insert of each leaf of shape and stride",
                "`cute.flat` of a layout; a static one is one constant. Extent and stride of a mode are side by side, and nested \
                 modes are structs.",
                &[FLAT, Code("passes/src/cute_to_llvm/bank/structs.rs", "Packing")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "MakeCoordOpLowering",
                "a flat tuple",
                "`cute.flat` of a coordinate.",
                &[FLAT],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/index_of_coordinate"),
                    Run(
                        "passes/tests/bank.rs",
                        "an_index_is_the_inner_product_of_coordinate_and_strides",
                    ),
                ],
            ),
            row(
                "CrdToIdxOpLowering",
                "the dot product of coordinate and stride",
                "`cute.crd2idx`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/coord.rs", "crd2idx")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/index_of_coordinate"),
                    Run(
                        "passes/tests/bank.rs",
                        "an_index_is_the_inner_product_of_coordinate_and_strides",
                    ),
                ],
            ),
            row(
                "TiledDivOpLowering",
                "a quotient of each mode",
                "`cute.tiled_divide`: extents are quotients rounded up, as the public op has them.",
                &[
                    ALGEBRA,
                    Code("irs/src/cute_types/infer/algebra.rs", "tiled_divide"),
                ],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/tiled_divide"),
                    Run(
                        "passes/tests/bank.rs",
                        "tiles_of_a_layout_are_quotients_of_extents_and_multiples_of_strides",
                    ),
                ],
            ),
            row(
                "TiledModOpLowering",
                "a remainder of each mode",
                "`cute.tiled_remainder`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/tuple.rs", "tuple_mod")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/tiled_remainder"),
                    Run("passes/tests/bank.rs", "the_last_tile_has_the_remainders"),
                ],
            ),
            row(
                "ShapeDivOpLowering",
                "a layout made anew after the division of its shape",
                "`cute.shape_div`, of shapes.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/tuple.rs", "shape_div")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/shape_divided"),
                    Run(
                        "passes/tests/bank.rs",
                        "a_shape_is_divided_from_its_first_mode_on",
                    ),
                ],
            ),
            row(
                "CeilDivOpLowering",
                "a quotient rounded up",
                "`cute.ceil_div`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/tuple.rs", "ceil_div")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/tiles_that_cover"),
                    Run("passes/tests/bank.rs", "tiles_cover_a_shape"),
                ],
            ),
            row(
                "FilterZerosOpLowering",
                "a layout without modes of extent 0",
                "`cute.filter_zeros`: modes of stride 0 have extent 1, as the public op has them.",
                &[
                    ALGEBRA,
                    Code("irs/src/cute_types/infer/algebra.rs", "filter_zeros"),
                ],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/zeros_filtered"),
                    Run("passes/tests/bank.rs", "a_mode_of_stride_zero_is_one_element"),
                ],
            ),
            row(
                "GroupModesOpLowering",
                "a layout with grouped modes",
                "`cute.group_modes`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/modes.rs", "group_modes")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/modes_grouped"),
                    Run("passes/tests/bank.rs", "modes_that_are_grouped_keep_their_leaves"),
                ],
            ),
            row(
                "CoalesceOpLowering",
                "a layout with adjacent modes merged",
                "`cute.coalesce`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/algebra.rs", "coalesce")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/layout_coalesced"),
                    Run("passes/tests/bank.rs", "adjacent_modes_are_one"),
                ],
            ),
            row(
                "ComplementOpLowering",
                "the complement of a layout",
                "`cute.complement`.",
                &[ALGEBRA, Code("irs/src/cute_types/infer/algebra.rs", "complement")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/complement_of_layout"),
                    Run("passes/tests/bank.rs", "a_complement_covers_the_rest"),
                ],
            ),
            row(
                "PartitionOpLowering",
                "a pointer moved, and the layout of a part",
                "`cute.local_partition`.",
                &[
                    ALGEBRA,
                    Code("irs/src/cute_types/infer/tiles.rs", "local_partition"),
                ],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/part_of_a_thread"),
                    Run("passes/tests/bank.rs", "threads_part_a_tensor_in_their_layout"),
                ],
            ),
            row(
                "TilePartitionOpLowering",
                "the part of a tiled copy's thread",
                "`cute.tiled.copy.partition_S` and `cute.tiled.copy.partition_D`, with the tiled copy as an attribute.",
                &[
                    ALGEBRA,
                    Code("irs/src/cute_types/infer/tiled.rs", "partition_source"),
                ],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/what_a_thread_has_read"),
                    Golden("cute_desugared_to_llvm.scalarize_fragments/what_a_thread_has_written"),
                    Run(
                        "passes/tests/bank.rs",
                        "threads_of_a_tiled_copy_have_their_elements",
                    ),
                ],
            ),
        ],
    },
    Part {
        title: "Second registrar",
        rows: &[
            row(
                "DerefineOpLowering, of coordinates",
                "a projection of a layout to coordinates",
                "`cute.derefine` of a tuple: static leaves become dynamic ones.",
                &[Code(DESUGAR, "derefine")],
                &[VIEWS, COMPUTED],
            ),
            row(
                "DerefineOpLowering, of layouts",
                "a layout, flattened",
                "`cute.derefine` of a layout.",
                &[Code(DESUGAR, "derefine")],
                &[VIEWS, COMPUTED],
            ),
            row(
                "ConvertGPUFuncSignature",
                "the signature of a kernel in the types of LLVM",
                "The one place that knows how NVIDIA's library passes parameters.",
                &[Code("passes/src/cute_to_llvm/bank/signature.rs", "parameters")],
                &[
                    Golden("llvm.dissolve_structs/passed_layout"),
                    Run(
                        "passes/src/cute_to_llvm/bank/signature.rs",
                        "structs_nest_and_those_of_one_member_are_that_member",
                    ),
                ],
            ),
        ],
    },
    Part {
        title: "Further patterns",
        rows: &[
            row(
                "Static",
                "",
                "`cute.static`: one constant.",
                &[Code("passes/src/cute_to_llvm/bank/leaves.rs", "static_value")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "Flat",
                "",
                "`cute.flat` of tuples and tiles.",
                &[FLAT],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "GetScalars",
                "",
                "`cute.get_scalars`: an extract of each leaf.",
                &[Code("passes/src/cute_to_llvm/bank/leaves.rs", "get_scalars")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "MakeView",
                "",
                "`cute.make_view`: address and layout in one struct.",
                &[Code("passes/src/cute_to_llvm/bank/views.rs", "make_view")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "GetIter",
                "",
                "`cute.get_iter`: the address.",
                &[Code("passes/src/cute_to_llvm/bank/views.rs", "get_iter")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "GetLayout",
                "",
                "`cute.get_layout`: the leaves of the layout.",
                &[Code("passes/src/cute_to_llvm/bank/views.rs", "get_layout")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "AddOffset",
                "",
                "`cute.add_offset`: one `getelementptr`, forward or back.",
                &[Code("passes/src/cute_to_llvm/bank/pointers.rs", "add_offset")],
                &[POINTERS, POINTERS_RUN],
            ),
            row(
                "RecastIter",
                "pointer-cast bridges",
                "`cute.recast_iter`: the same address.",
                &[Code("passes/src/cute_to_llvm/bank/pointers.rs", "same")],
                &[POINTERS, POINTERS_RUN],
            ),
            row(
                "IntToPtr",
                "pointer-cast bridges",
                "`cute.inttoptr`.",
                &[Code("passes/src/cute_to_llvm/bank/pointers.rs", "int_to_ptr")],
                &[POINTERS, POINTERS_RUN],
            ),
            row(
                "PtrToInt",
                "pointer-cast bridges",
                "`cute.ptrtoint`.",
                &[Code("passes/src/cute_to_llvm/bank/pointers.rs", "ptr_to_int")],
                &[POINTERS, POINTERS_RUN],
            ),
            row(
                "DerefTile",
                "`deref_desc_iter`",
                "`cute.deref_tile`: base, number and distance of tiles.",
                &[Code("passes/src/cute_to_llvm/bank/iterator.rs", "deref")],
                &[ITERATOR, ITERATOR_RUN],
            ),
            row(
                "Alloca",
                "copy helpers",
                "`cute.memref.alloca`: an array of the thread.",
                &[Code("passes/src/cute_to_llvm/bank/memory.rs", "alloca")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "PtrLoad",
                "copy helpers",
                "`cute.ptr.load`: one access of up to 128 bits, or several.",
                &[Code("passes/src/cute_to_llvm/bank/memory.rs", "load")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "PtrStore",
                "copy helpers",
                "`cute.ptr.store`.",
                &[Code("passes/src/cute_to_llvm/bank/memory.rs", "store")],
                &[VALUES, VALUES_RUN],
            ),
            row(
                "ApplySwizzle",
                "",
                "`cute.apply_swizzle`: bits of the address exchanged.",
                &[Code("passes/src/cute_to_llvm/bank/swizzle.rs", "apply")],
                &[Golden("cute_desugared.hoist_swizzles/known_divisors"), ROUND_TRIP],
            ),
            row(
                "FastDivmod",
                "fast-division specialisations",
                "`cute.fast_divmod.compute`: a multiplication and two shifts.",
                &[Code("passes/src/cute_to_llvm/bank/division.rs", "divide")],
                &[DIVISION, DIVISION_RUN],
            ),
            row(
                "MakeDivisor",
                "fast-division specialisations",
                "`cute.fast_divmod.make_divisor`: a struct of the number, the multiplier and the shifts.",
                &[Code("passes/src/cute_to_llvm/bank/division.rs", "make")],
                &[DIVISION, DIVISION_RUN],
            ),
            row(
                "GetDivisor",
                "fast-division specialisations",
                "`cute.fast_divmod.get_divisor`.",
                &[Code("passes/src/cute_to_llvm/bank/division.rs", "convert")],
                &[DIVISION, DIVISION_RUN],
            ),
            row(
                "CopyAsync",
                "copy helpers",
                "`fragment.copy_async`: `cp.async`.",
                &[Code("passes/src/cute_to_llvm/lower_warp.rs", "copy_async")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/caching"),
                    ASSEMBLED,
                ],
            ),
            row(
                "LoadMatrix",
                "copy helpers",
                "`fragment.load_matrix`: `ldmatrix`.",
                &[Code("passes/src/cute_to_llvm/lower_warp.rs", "load_matrix")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/warp_product"),
                    ASSEMBLED,
                ],
            ),
            row(
                "StoreMatrix",
                "copy helpers",
                "`fragment.store_matrix`: `stmatrix`.",
                &[Code("passes/src/cute_to_llvm/lower_warp.rs", "store_matrix")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/matrix_store"),
                    ASSEMBLED,
                ],
            ),
            row(
                "Mma",
                "`cute_nvgpu` helpers",
                "`fragment.mma`: `mma.sync`.",
                &[Code("passes/src/cute_to_llvm/lower_warp.rs", "mma")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/warp_product"),
                    ASSEMBLED,
                ],
            ),
            row(
                "MakeGmmaSmemDesc",
                "`cute_nvgpu` helpers",
                "`copies.make_gmma_smem_desc`: the bits of a matrix descriptor.",
                &[Code(
                    "passes/src/cute_to_llvm/lower_tensor_copies.rs",
                    "matrix_descriptor",
                )],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/warp_group_product"),
                    ASSEMBLED,
                ],
            ),
            row(
                "BulkCopy",
                "copy helpers",
                "`copies.bulk_copy_g2s` and those of its family.",
                &[Code("passes/src/cute_to_llvm/lower_tensor_copies.rs", "lower")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/bulk_copies"),
                    ASSEMBLED,
                ],
            ),
            row(
                "Address",
                "pointer-cast bridges",
                "`cute.address`: the same address, for ops on addresses.",
                &[Code("passes/src/cute_to_llvm/bank/pointers.rs", "same")],
                &[Golden("cute_to_cute_desugared.desugar/instructions"), ROUND_TRIP],
            ),
            row(
                "WarpgroupProduct",
                "`cute_nvgpu` helpers",
                "`fragment.wgmma`.",
                &[Code("passes/src/cute_to_llvm/lower_warpgroups.rs", "product")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/warp_group_product"),
                    ASSEMBLED,
                ],
            ),
            row(
                "Atomic",
                "copy helpers",
                "Atomic accesses of fragments.",
                &[Code("passes/src/cute_to_llvm/lower_memory.rs", "atomic")],
                &[
                    Golden("cute_desugared_to_llvm.scalarize_fragments/atomics"),
                    ASSEMBLED,
                ],
            ),
            row(
                "Architecture",
                "`cute_nvgpu` helpers",
                "The beginning of dynamic shared memory, and values that are uniform over a warp.",
                &[Code(
                    "passes/src/cute_to_llvm/bank/architecture.rs",
                    "architecture",
                )],
                &[Golden("cute_to_cute_desugared.desugar/instructions"), ROUND_TRIP],
            ),
        ],
    },
    Part {
        title: "Semantic classes",
        rows: &[
            row(
                "Pure algebra",
                "",
                "A class of each op's declaration.",
                &[Code("irs/src/mlir/declare.rs", "Class")],
                &[Run("grammar/tests/mlir/forms.rs", "every_op_is_in_a_text")],
            ),
            row(
                "Memory",
                "loads, stores, prints",
                "The same.",
                &[Code("irs/src/mlir/declare.rs", "Class")],
                &[Run(
                    "passes/tests/cute/expansions.rs",
                    "accesses_of_memory_are_aligned",
                )],
            ),
            row(
                "Type inference",
                "casts and atoms",
                "The same; rules by the names of ops.",
                &[Code("irs/src/cute_types/infer/mod.rs", "infer")],
                &[Run("irs/tests/cute_computation/main.rs", "each_op_has_a_case")],
            ),
            row(
                "Verifier-heavy",
                "layouts with malformed or non-positive leaves are refused",
                "The same, before anything is built.",
                &[Code("irs/src/mlir/declare.rs", "Class")],
                &[Run(
                    "grammar/tests/mlir/verify.rs",
                    "extents_that_are_not_positive_are_refused",
                )],
            ),
            row(
                "Helper",
                "ops without interface",
                "The same.",
                &[Code("irs/src/mlir/declare.rs", "Class")],
                &[Run(
                    "grammar/tests/mlir/forms.rs",
                    "every_op_is_read_back_in_both_forms",
                )],
            ),
        ],
    },
    Part {
        title: "Invariants",
        rows: &[
            row(
                "Desugaring before conversion",
                "",
                "The types say so: the bank takes `cute_desugared`, which has no sugar.",
                &[By::Stage(Cute, CuteDesugared), By::Stage(CuteDesugared, Llvm)],
                &[ROUND_TRIP],
            ),
            row(
                "Desugaring is target neutral",
                "",
                "Layout algebra asks no target; the same text for each is tested.",
                &[By::Pass("desugar")],
                &[Run("passes/tests/bank.rs", "desugaring_is_target_neutral")],
            ),
            row(
                "Iterators are a stable aggregate",
                "",
                "A struct of a pointer and two i32.",
                &[Code("passes/src/cute_to_llvm/bank/iterator.rs", "iterator_type")],
                &[ITERATOR, ITERATOR_RUN],
            ),
            row(
                "Malformed leaves are refused first",
                "",
                "By the verifier of `cute`.",
                &[Code("irs/src/mlir/declare.rs", "Class")],
                &[Run(
                    "grammar/tests/mlir/verify.rs",
                    "extents_that_are_not_positive_are_refused",
                )],
            ),
            row(
                "No op of `cute` below the conversion",
                "",
                "`llvm` has none.",
                &[By::Stage(CuteDesugared, Llvm)],
                &[ROUND_TRIP],
            ),
            row(
                "Surviving ops are diagnosed",
                "",
                "By name, at their line.",
                &[Code("passes/src/cute_to_cute_desugared/state.rs", "not_lowered")],
                &[Run(
                    "passes/tests/cute/expansions.rs",
                    "fragments_of_warpgroups_are_refused",
                )],
            ),
            row(
                "Accumulators of Hopper in registers, of Blackwell in tensor memory",
                "",
                "",
                &[HOPPER],
                &[],
            ),
        ],
    },
    Part {
        title: "Atoms",
        rows: &[
            row("Sm90WgmmaAtom", "", "", &[HOPPER], &[]),
            row("Sm100ImmaAtom", "", "", &[BLACKWELL], &[]),
            row("Sm100S2tCopyAtom", "", "", &[BLACKWELL], &[]),
            row(
                "retrieve_tmem_ptr",
                "a pointer to tensor memory, cached by its handle",
                "",
                &[BLACKWELL],
                &[],
            ),
            row("Fifteen patterns of SM100", "", "", &[BLACKWELL], &[]),
        ],
    },
];

#[test]
fn page_of_the_notes_on_cute_is_current() {
    let (text, wrong) = tables(PARTS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_page("seed_000", &text);
}
