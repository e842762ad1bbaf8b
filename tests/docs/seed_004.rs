//! The table of the attribute-system notes that this project grew from: what each of their items is here.

use tilewright::Language::{CudaTile, Cute, CuteDesugared, Llvm, Nvvm, Ptx, Scheduled, TileAa, TileAs};
use tilewright::explain::HAZARDS;

use crate::check_page;
use crate::seed::By::{self, Attribute, Code, Flag, Page, Word};
use crate::seed::Test::{self, Golden, Run};
use crate::seed::{Part, row, tables};

const WALK: Test = Run("tests/attributes/walk.rs", "passes_change_what_they_declare");
const TABLE: Test = Run(
    "tests/attributes/table.rs",
    "every_attribute_has_one_cell_at_every_stage",
);
const PROGRAMS: Test = Run("tests/attributes/explained.rs", "what_stops_each_hazard_is_seen");
const LIFE: Test = Run(
    "golden/ladders.rs",
    "the_warps_of_a_hint_become_the_threads_of_a_block",
);
const LIMITS: Test = Run(
    "tests/errors.rs",
    "kernels_beyond_launch_limits_are_refused_with_the_numbers",
);
const LAUNCH: Test = Run(
    "tests/carets.rs",
    "a_launch_that_no_kernel_can_have_is_refused_at_its_attribute",
);
const ORDERS: Test = Run(
    "tests/carets.rs",
    "an_order_that_an_access_does_not_have_is_refused_at_the_order",
);
const CACHES: Test = Run(
    "tests/errors.rs",
    "uses_of_caches_that_an_access_cannot_have_are_refused_at_their_attribute",
);
const FORMS: Test = Run(
    "grammar/tests/ptx_assembles.rs",
    "every_form_reads_and_prints_back",
);
const FLAGS: Test = Run(
    "tests/fast_math.rs",
    "every_pass_up_to_instructions_hands_flags_on",
);
const LINES: Test = Run(
    "tests/line_tables.rs",
    "an_inlined_op_has_its_function_and_the_calls_that_led_there",
);
const FLAG: By = Attribute(Llvm, "arith.addf", "fast_math");
const DEBUG: By = Code("irs/src/cuda_tile/debug.rs", "DebugAttr");

const PARTS: &[Part] = &[
    Part {
        title: "Carriers",
        rows: &[
            row(
                "C1",
                "a dictionary on the op, or inherent attributes",
                "Fields of the op's declaration, of a Rust type each. There is no dictionary beside them: what a text has \
                 and no op declares is an error, or, if it is of another dialect, a note.",
                &[
                    Code("irs/src/core/declare.rs", "dialect"),
                    Code("irs/src/core/language.rs", "FieldSpec"),
                ],
                &[
                    Run("tests/attributes/declared.rs", "attributes_have_families"),
                    Run(
                        "grammar/tests/cuda_tile/forms.rs",
                        "attributes_of_the_generic_form_that_nothing_reads_are_noted",
                    ),
                ],
            ),
            row(
                "C2",
                "parameters of types",
                "The same: views in `cuda_tile`, facts and memrefs in `tileaa`, layouts and buffers in `tileas`, layouts of \
                 CuTe in `cute`. Those with names are in the policy.",
                &[
                    Attribute(CudaTile, "partition_view", "dim_map"),
                    Attribute(TileAa, "known", "div"),
                    Attribute(TileAs, "memref", "align"),
                    Code("irs/src/cute_types/types.rs", "CuteType"),
                ],
                &[WALK, Run("passes/tests/facts/main.rs", "facts_hold_in_every_run")],
            ),
            row(
                "C3",
                "a dictionary on the function",
                "A record of each language, whose attributes are declared like those of ops.",
                &[
                    Code("irs/src/core/declare.rs", "attributes"),
                    Code("irs/src/tileas/mod.rs", "TileAsAttrs"),
                    Code("irs/src/llvm/mod.rs", "KernelAttrs"),
                ],
                &[
                    TABLE,
                    Run(
                        "tests/round_trip.rs",
                        "the_text_of_every_stage_compiles_to_the_same_ptx",
                    ),
                ],
            ),
            row(
                "C4",
                "a dictionary on the module",
                "The module of `cuda_tile` has its version, its producer and its globals. A kernel is compiled by itself, so \
                 what the notes keep on the module is on each function.",
                &[
                    Attribute(CudaTile, "module", "producer"),
                    Attribute(CudaTile, "global", "alignment"),
                    Code("irs/src/cuda_tile/module.rs", "TileModule"),
                ],
                &[
                    WALK,
                    Run(
                        "grammar/tests/cuda_tile/aliases.rs",
                        "mlir_s_own_module_may_stand_around",
                    ),
                ],
            ),
            row(
                "C5",
                "slots of an instruction of `nvvm`, without names",
                "The attributes of an instruction are numbered by the order of its declaration. The text has names, and \
                 [attributes.md](attributes.md) the numbers.",
                &[Code("irs/src/core/attribute.rs", "AttributeSpec")],
                &[
                    Run(
                        "tests/attributes/declared.rs",
                        "slots_are_positions_in_the_declaration",
                    ),
                    Run("tests/docs/main.rs", "attributes_page_is_current"),
                ],
            ),
        ],
    },
    Part {
        title: "Life of the number of warps",
        rows: &[
            row(
                "L0",
                "`tt.num_warps` on the module",
                "A hint of the entry, or of the command line. `golden/ladder/num_warps` shows this life, pass by pass.",
                &[
                    Attribute(CudaTile, "func", "num_worker_warps_per_cta"),
                    Code("irs/src/cuda_tile/hints.rs", "Hint"),
                ],
                &[
                    LIFE,
                    Run(
                        "tests/attributes/declared.rs",
                        "hints_in_dictionaries_are_attributes",
                    ),
                ],
            ),
            row(
                "L1",
                "kept on the way to `tileaa`",
                "Taken for the target, and renamed.",
                &[Attribute(TileAa, "func", "num_warps"), By::Pass("resolve_views")],
                &[
                    LIFE,
                    Run(
                        "passes/tests/resolve_views.rs",
                        "hints_for_the_target_win_over_default_ones",
                    ),
                ],
            ),
            row(
                "L2",
                "becomes `kernel_spec` of the function",
                "Decided first, since a kernel may have no hint or one that cannot be followed, and then put into the record.",
                &[
                    By::Pass("attach_kernel_spec"),
                    By::Pass("assign_layouts"),
                    Attribute(TileAs, "func", "kernel_spec.num_warps"),
                ],
                &[
                    LIFE,
                    Golden("tileaa.attach_kernel_spec/hint"),
                    Golden("tileaa.attach_kernel_spec/hint_rounded"),
                ],
            ),
            row(
                "L3",
                "read by the scheduler, with a copy on each agent",
                "Each agent has its first warp and its warps; with agents that load the record counts theirs as well.",
                &[
                    Attribute(Scheduled, "scheduled.agent", "warps"),
                    Attribute(Scheduled, "scheduled.agent", "first_warp"),
                    By::Pass("schedule_serially"),
                    By::Pass("expand_schedule"),
                ],
                &[LIFE, Golden("scheduled.expand_schedule/product")],
            ),
            row(
                "L4",
                "`nvvm.reqntid`, 32 times as many",
                "The same, of the warps of all agents.",
                &[
                    Code(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "lower_kernel_attributes",
                    ),
                    Attribute(Llvm, "func", "nvvm.reqntid"),
                ],
                &[
                    LIFE,
                    Run(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "threads_follow_warps",
                    ),
                ],
            ),
            row(
                "L5",
                "`.reqntid 128, 1, 1`",
                "The same.",
                &[By::Pass("emit_ptx"), Attribute(Ptx, "func", "reqntid")],
                &[LIFE, Golden("nvvm_to_ptx.emit_ptx/launch_exactly")],
            ),
        ],
    },
    Part {
        title: "Families",
        rows: &[
            row(
                "F1 reqntid",
                "launch shape",
                "From the kernel spec, or in a text, along one axis or three.",
                &[Attribute(Llvm, "func", "nvvm.reqntid")],
                &[LAUNCH, Golden("nvvm_to_ptx.emit_ptx/launch_exactly")],
            ),
            row(
                "F1 maxntid",
                "launch shape",
                "In texts of `llvm` and `nvvm`; excludes `nvvm.reqntid`, as in PTX.",
                &[Attribute(Llvm, "func", "nvvm.maxntid")],
                &[LIMITS, Golden("nvvm_to_ptx.emit_ptx/launch_at_most")],
            ),
            row(
                "F1 cluster_dim",
                "launch shape",
                "From the kernel spec where tiles are distributed over blocks, or in a text, along one axis or three.",
                &[
                    Attribute(Llvm, "func", "nvvm.cluster_dim"),
                    By::Pass("distribute_tiles"),
                ],
                &[
                    LAUNCH,
                    Run(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "blocks_of_a_cluster_are_counted_from_two_on",
                    ),
                    Golden("nvvm_to_ptx.emit_ptx/single_block_cluster"),
                ],
            ),
            row(
                "F1 maxclusterrank",
                "launch shape",
                "In texts; excludes `nvvm.cluster_dim`, as in PTX.",
                &[Attribute(Llvm, "func", "nvvm.maxclusterrank")],
                &[LAUNCH, Golden("nvvm_to_ptx.emit_ptx/launch_at_most")],
            ),
            row(
                "F1 minctasm",
                "launch shape",
                "1 with every kernel spec, or in a text; more where the values of a thread fit in the registers that more blocks leave.",
                &[
                    Attribute(Llvm, "func", "nvvm.minctasm"),
                    By::Pass("limit_registers"),
                ],
                &[
                    LAUNCH,
                    Golden("nvvm_to_ptx.emit_ptx/launch_at_most"),
                    Golden("nvvm.limit_registers/eight_blocks"),
                ],
            ),
            row(
                "F1 maxnreg",
                "launch shape",
                "The registers of a multiprocessor divided by the hint for its occupancy; raised where a kernel would spill.",
                &[
                    Attribute(Llvm, "func", "nvvm.maxnreg"),
                    By::Pass("raise_register_limit"),
                ],
                &[
                    LAUNCH,
                    Run(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "registers_are_limited_by_occupancy_alone",
                    ),
                ],
            ),
            row(
                "F1 blocksareclusters",
                "launch shape",
                "With every cluster that a hint asks for: a launch counts tile blocks.",
                &[Attribute(Llvm, "func", "nvvm.blocksareclusters")],
                &[
                    LAUNCH,
                    Run("irs/tests/ptx.rs", "directives_of_clusters_go_together"),
                ],
            ),
            row(
                "F1 explicitcluster",
                "launch shape",
                "In texts of `llvm` and `nvvm`.",
                &[Attribute(Llvm, "func", "nvvm.explicitcluster")],
                &[LAUNCH, Golden("nvvm_to_ptx.emit_ptx/launch_at_most")],
            ),
            row(
                "F1 grid_constant",
                "launch shape",
                "The parameters that are tensor maps, whose type says the same. PTX has no directive for it.",
                &[
                    Attribute(Llvm, "func", "nvvm.grid_constant"),
                    Code("irs/src/llvm/mod.rs", "verify_grid_constants"),
                ],
                &[LIMITS, PROGRAMS],
            ),
            row(
                "F2 compute_capability",
                "compute capability, on the module",
                "On each function from `tileaa` on, and never absent.",
                &[Attribute(TileAa, "func", "target"), Page("compute-capability")],
                &[
                    TABLE,
                    Run(
                        "tests/incremental.rs",
                        "another_target_is_refused_by_text_that_names_its_own_and_runs_no_pass",
                    ),
                ],
            ),
            row(
                "F2 target_spec",
                "features of the target",
                "A part of the same attribute: `sm_90a` has features that `sm_90` lacks.",
                &[Code("irs/src/isa/target.rs", "Target")],
                &[Run(
                    "irs/tests/ptx.rs",
                    "targets_provide_what_is_portable_and_their_own",
                )],
            ),
            row(
                "F2 nvvm.target",
                "the target of the last stage, as a parameter of a type",
                "The same attribute, still, which becomes `.target`.",
                &[Attribute(Nvvm, "func", "target")],
                &[PROGRAMS],
            ),
            row(
                "F3 kernel_spec",
                "kernel spec",
                "Warps, blocks of a cluster, and blocks on a multiprocessor.",
                &[
                    Attribute(TileAs, "func", "kernel_spec.num_warps"),
                    Code("irs/src/tileas/spec.rs", "KernelSpec"),
                ],
                &[
                    Run("irs/src/tileas/spec.rs", "occupancy_may_be_left_out"),
                    Run(
                        "irs/src/tileas/spec.rs",
                        "numbers_that_no_multiprocessor_has_are_refused",
                    ),
                ],
            ),
            row(
                "F3 num_warps",
                "the number of warps of an agent",
                "The same.",
                &[Attribute(Scheduled, "scheduled.agent", "warps")],
                &[
                    LIFE,
                    Run(
                        "passes/tests/tileas_rules.rs",
                        "agents_access_the_lanes_of_their_warps",
                    ),
                ],
            ),
            row(
                "F3 workspace_global_offset",
                "where the workspace of a kernel begins in global memory",
                "There is none to begin anywhere: the temporary memory of a kernel is a variable of its module. A program with \
                 the attribute is told so.",
                &[
                    Code(
                        "passes/src/cuda_tile_to_tileaa/resolve_views/temporary_memory.rs",
                        "alloca",
                    ),
                    Code("irs/src/core/foreign.rs", "instead_of"),
                ],
                &[
                    Run(
                        "tests/rewritten_ops.rs",
                        "blocks_have_temporary_memory_of_their_own",
                    ),
                    Run(
                        "tests/warnings.rs",
                        "what_serves_the_purpose_of_another_attribute_is_said",
                    ),
                ],
            ),
            row(
                "F4 nnan",
                "fast math",
                "A flag of the op. It ends when instructions are selected, after everything that it allows is done.",
                &[Flag("nnan"), FLAG, By::Pass("simplify_floats")],
                &[
                    FLAGS,
                    Golden("llvm.simplify_floats/numbers"),
                    Run(
                        "passes/tests/fast_math.rs",
                        "flags_about_special_numbers_allow_what_they_say_and_no_more",
                    ),
                ],
            ),
            row(
                "F4 ninf",
                "fast math",
                "The same.",
                &[Flag("ninf"), By::Pass("simplify_floats")],
                &[FLAGS, Golden("llvm.simplify_floats/infinities")],
            ),
            row(
                "F4 nsz",
                "fast math",
                "The same.",
                &[Flag("nsz"), By::Pass("simplify_floats")],
                &[FLAGS, Golden("llvm.simplify_floats/zeros")],
            ),
            row(
                "F4 arcp",
                "fast math",
                "The same.",
                &[Flag("arcp"), By::Pass("divide_by_reciprocals")],
                &[
                    FLAGS,
                    Golden("llvm.divide_by_reciprocals/repeated"),
                    Run(
                        "passes/tests/fast_math.rs",
                        "other_flags_allow_errors_of_rounding",
                    ),
                ],
            ),
            row(
                "F4 contract",
                "fast math",
                "The same. In `cuda_tile`, whose ops have no flags, `--fast-math=contract` fuses before tiles are lowered.",
                &[
                    Flag("contract"),
                    By::Pass("contract_products"),
                    By::Pass("fuse_multiply_add"),
                ],
                &[FLAGS, Golden("llvm.contract_products/sum"), PROGRAMS],
            ),
            row(
                "F4 afn",
                "fast math",
                "The same.",
                &[Flag("afn"), By::Pass("expand_math")],
                &[
                    FLAGS,
                    Golden("llvm.expand_math/approximated"),
                    Run(
                        "tests/math_accuracy.rs",
                        "the_flag_afn_allows_instructions_and_their_errors",
                    ),
                ],
            ),
            row(
                "F4 reassoc",
                "fast math",
                "The same.",
                &[Flag("reassoc"), By::Pass("balance_sums")],
                &[FLAGS, Golden("llvm.balance_sums/seven_terms")],
            ),
            row(
                "F5 relaxed",
                "memory order",
                "An order of each access that is not weak, which always has a scope.",
                &[
                    Word(CudaTile, "cuda_tile.load_ptr_tko", "ordering", "relaxed"),
                    Word(Nvvm, "nvvm.ld", "order", "relaxed"),
                ],
                &[ORDERS, Golden("llvm_to_nvvm.select_instructions/ordered")],
            ),
            row(
                "F5 acquire",
                "memory order",
                "An order of loads and atomic accesses.",
                &[
                    Word(CudaTile, "cuda_tile.load_ptr_tko", "ordering", "acquire"),
                    Word(Nvvm, "nvvm.ld", "order", "acquire"),
                ],
                &[
                    ORDERS,
                    PROGRAMS,
                    Golden("tileaa_to_tileas.assign_layouts/acquire"),
                ],
            ),
            row(
                "F5 release",
                "memory order",
                "An order of stores and atomic accesses.",
                &[
                    Word(CudaTile, "cuda_tile.store_ptr_tko", "ordering", "release"),
                    Word(Nvvm, "nvvm.st", "order", "release"),
                ],
                &[ORDERS, PROGRAMS],
            ),
            row(
                "F5 acq_rel",
                "memory order",
                "An order of atomic accesses and fences; PTX has no loads and stores with it.",
                &[
                    Word(TileAa, "tileaa.atomic_rmw", "order", "acq_rel"),
                    Word(CuteDesugared, "gpu.thread_fence", "order", "acq_rel"),
                    Word(Nvvm, "nvvm.atom", "order", "acq_rel"),
                ],
                &[ORDERS, Golden("llvm_to_nvvm.select_instructions/atomics")],
            ),
            row(
                "F5 sc",
                "memory order",
                "An order of fences: PTX has no access with it, and a fence before an access makes it so.",
                &[
                    Word(CuteDesugared, "gpu.thread_fence", "order", "sc"),
                    Word(Nvvm, "nvvm.fence", "order", "sc"),
                ],
                &[
                    Run(
                        "tests/errors.rs",
                        "fences_have_an_order_and_a_scope_that_the_target_has",
                    ),
                    Golden("cute_desugared_to_llvm.scalarize_fragments/thread_fences"),
                ],
            ),
            row(
                "F5 cta",
                "memory scope",
                "The threads of a block; of a tile block in `cuda_tile`.",
                &[
                    Word(CudaTile, "cuda_tile.load_ptr_tko", "scope", "tl_blk"),
                    Word(Nvvm, "nvvm.ld", "scope", "cta"),
                ],
                &[ORDERS, Golden("llvm_to_nvvm.select_instructions/ordered")],
            ),
            row(
                "F5 cluster",
                "memory scope",
                "From `tileaa` on: what the scope of a tile block becomes where a cluster computes it.",
                &[
                    Word(TileAa, "tileaa.atomic_rmw", "scope", "cluster"),
                    Word(Nvvm, "nvvm.ld", "scope", "cluster"),
                    By::Pass("distribute_tiles"),
                ],
                &[
                    PROGRAMS,
                    Run(
                        "passes/tests/atomic_rules.rs",
                        "the_scope_of_clusters_needs_a_target_that_has_them",
                    ),
                    Golden("llvm_to_nvvm.select_instructions/scope_of_clusters"),
                ],
            ),
            row(
                "F5 gpu",
                "memory scope",
                "`device` down to `llvm`.",
                &[
                    Word(CudaTile, "cuda_tile.load_ptr_tko", "scope", "device"),
                    Word(Nvvm, "nvvm.ld", "scope", "gpu"),
                ],
                &[ORDERS, PROGRAMS],
            ),
            row(
                "F5 sys",
                "memory scope",
                "`system` down to `llvm`.",
                &[
                    Word(TileAa, "tileaa.load", "scope", "system"),
                    Word(Nvvm, "nvvm.ld", "scope", "sys"),
                ],
                &[ORDERS, Golden("llvm_to_nvvm.select_instructions/ordered")],
            ),
            row(
                "F5 mbar_scope",
                "scope of an mbarrier's arrivals and waits",
                "Chosen where pipes become mbarriers; a modifier of the instructions.",
                &[
                    Attribute(Nvvm, "nvvm.mbarrier.arrive", "scope"),
                    By::Pass("expand_pipes"),
                ],
                &[FORMS, WALK],
            ),
            row(
                "F5 mbar_space",
                "space of an mbarrier",
                "The same.",
                &[Attribute(Nvvm, "nvvm.mbarrier.arrive", "space")],
                &[FORMS, WALK],
            ),
            row(
                "F6 cache_modifier",
                "`ca`, `cg`, `cs`, `cv`",
                "These and `lu` for loads; `wb`, `cg`, `cs`, `wt` for stores. From the atom of an access.",
                &[
                    Word(Nvvm, "nvvm.ld", "cache", "ca"),
                    Word(Nvvm, "nvvm.ld", "cache", "cg"),
                    Word(Nvvm, "nvvm.ld", "cache", "cs"),
                    Word(Nvvm, "nvvm.ld", "cache", "cv"),
                    Word(Nvvm, "nvvm.st", "cache", "wt"),
                    Attribute(CuteDesugared, "cute.ptr.load", "cache"),
                ],
                &[CACHES, Golden("llvm_to_nvvm.select_instructions/caching")],
            ),
            row(
                "F6 eviction_policy",
                "eviction priority of the first cache",
                "One attribute with the modifier down to `llvm`, since PTX has one or the other.",
                &[
                    Attribute(Nvvm, "nvvm.ld", "eviction"),
                    Attribute(Llvm, "llvm.load", "cache"),
                ],
                &[
                    CACHES,
                    Run("tests/pipelines/main.rs", "loads_and_stores_have_cache_policies"),
                ],
            ),
            row(
                "F6 l2_prefetch",
                "bytes that the second cache loads with the access",
                "The same.",
                &[
                    Attribute(Nvvm, "nvvm.ld", "prefetch"),
                    Attribute(Llvm, "llvm.load", "prefetch"),
                ],
                &[
                    CACHES,
                    Golden("cute_desugared_to_llvm.scalarize_fragments/caching"),
                ],
            ),
            row(
                "F6 cache_eviction_priority",
                "a policy for the second cache, as an operand",
                "A value that an op makes, from one priority or two, and copies and accesses take.",
                &[
                    Attribute(CuteDesugared, "fragment.load", "cache"),
                    Attribute(Nvvm, "nvvm.createpolicy.fractional", "first"),
                    Attribute(Nvvm, "nvvm.ld", "hint"),
                ],
                &[
                    Run("tests/tensor_copies.rs", "copies_have_cache_policies"),
                    Golden("cute_desugared_to_llvm.scalarize_fragments/cache_policies"),
                ],
            ),
            row(
                "F7 layout descriptors",
                "layouts of CuTe, in types",
                "The same, in `cute`; there is none below `cute_desugared`.",
                &[
                    Code("irs/src/cute_types/types.rs", "CuteType"),
                    By::Pass("desugar"),
                ],
                &[Run(
                    "irs/tests/cute_inference.rs",
                    "results_follow_from_operands_and_attributes",
                )],
            ),
            row(
                "F7 tile shape",
                "the tile of a partition view, in its type",
                "The same; from `tileaa` on, attributes of the access.",
                &[
                    Code("irs/src/cuda_tile/types.rs", "PartitionView"),
                    Attribute(TileAa, "tileaa.load", "dim_map"),
                    Attribute(TileAa, "tileaa.load", "steps"),
                ],
                &[WALK, Golden("cuda_tile_to_tileaa.resolve_views/rotate_axes")],
            ),
            row(
                "F7 mma_layout",
                "the layout of a product's operands, on the op",
                "The atom of the product says which layouts it takes, and the types of its operands have them.",
                &[
                    Attribute(TileAs, "tileas.dot", "atom"),
                    Code("irs/src/tileas/atoms/mma_sync.rs", "MmaSyncAtom"),
                ],
                &[Run(
                    "passes/tests/tileas_rules.rs",
                    "products_take_the_layouts_of_their_atoms",
                )],
            ),
            row(
                "F7 wgmma_layout",
                "the same for warp groups",
                "The same; of operands in shared memory the descriptor is checked as well.",
                &[
                    Attribute(TileAs, "tileas.dot", "atom"),
                    Code("irs/src/tileas/atoms/wgmma.rs", "WgmmaAtom"),
                ],
                &[Run(
                    "passes/tests/tileas_rules.rs",
                    "warp_groups_multiply_what_descriptors_can_find",
                )],
            ),
            row(
                "F8 pipeline_stage",
                "the stage of a pipeline's op",
                "A part of the tag that each op of `scheduled` has, with the position in the stage and the agent.",
                &[
                    Attribute(Scheduled, "tag", "stage"),
                    Attribute(Scheduled, "tag", "slot"),
                    Attribute(Scheduled, "tag", "agent"),
                    By::Pass("schedule_loops"),
                ],
                &[
                    Run("tests/attributes/declared.rs", "tags_are_attributes_of_their_ops"),
                    Run("grammar/tests/staged_loops.rs", "stages_follow_the_values"),
                ],
            ),
            row(
                "F8 num_stages",
                "the stages of a pipeline",
                "Asked for by a loop, or by `--hint` for all of them; the ring has as many stages, if there is room.",
                &[
                    Attribute(TileAa, "scf.for", "num_stages"),
                    Attribute(Scheduled, "tileas.alloc", "depth"),
                    By::Pass("schedule_loops"),
                ],
                &[
                    Golden("scheduled.schedule_loops/num_stages"),
                    Golden("scheduled.schedule_loops/num_stages_beside_latency"),
                ],
            ),
            row(
                "F8 persistent",
                "a kernel whose blocks stay, and share tiles out among them",
                "Said of a loop, or found out: its counter begins at the index of a block.",
                &[
                    Attribute(TileAa, "scf.for", "persistent"),
                    Code("passes/src/tileaa/persistent_loops.rs", "is_persistent"),
                ],
                &[
                    Golden("tileaa.attach_kernel_spec/not_persistent"),
                    Run("tests/warnings.rs", "loops_that_share_nothing_out_are_named"),
                ],
            ),
            row(
                "F8 schedule.constraint.*",
                "nine constraints of the scheduler",
                "[schedule.md](schedule.md) has what can be asked instead, name by name, and a program with one of them is \
                 told: loops that nothing is issued ahead in, how far ahead copies are issued, how wide accesses are, and in \
                 `scheduled` the agent, the stage and the position of each op.",
                &[
                    Attribute(TileAa, "scf.for", "serial"),
                    Attribute(TileAa, "tileaa.load", "latency"),
                    Attribute(TileAa, "tileaa.load", "access"),
                    Attribute(Scheduled, "tag", "agent"),
                    Code("irs/src/core/foreign.rs", "instead_of"),
                ],
                &[
                    Golden("scheduled.schedule_loops/serial_stays"),
                    Golden("tileaa.select_atoms/narrow"),
                    Run(
                        "tests/warnings.rs",
                        "what_serves_the_purpose_of_another_attribute_is_said",
                    ),
                ],
            ),
            row(
                "F9 div_by",
                "an assumption",
                "It becomes a fact in the type of the value.",
                &[
                    Attribute(CudaTile, "cuda_tile.assume", "predicate"),
                    Code("irs/src/tileaa/facts.rs", "Facts"),
                ],
                &[
                    Golden("cuda_tile_to_tileaa.resolve_views/assumptions"),
                    Run(
                        "passes/tests/resolve_views.rs",
                        "an_assumption_in_a_branch_holds_only_inside",
                    ),
                ],
            ),
            row(
                "F9 bounded",
                "an assumption",
                "The same.",
                &[
                    Attribute(CudaTile, "cuda_tile.assume", "predicate"),
                    Code("irs/src/cuda_tile/attrs.rs", "Bounded"),
                ],
                &[Golden("cuda_tile_to_tileaa.resolve_views/assumptions")],
            ),
            row(
                "F9 same_elements",
                "an assumption",
                "The same, for groups of a power of two.",
                &[
                    Attribute(CudaTile, "cuda_tile.assume", "predicate"),
                    Code("irs/src/cuda_tile/attrs.rs", "SameElements"),
                ],
                &[Run(
                    "passes/tests/resolve_views.rs",
                    "groups_of_an_assumption_are_cut_to_powers_of_two",
                )],
            ),
            row(
                "F9 di_loc",
                "debug information on the op",
                "Beside the program: an op has the number of the op that it stems from, in every language, and that has a \
                 place. Lines of PTX get it as `.loc`.",
                &[DEBUG, Code("irs/src/core/entity.rs", "Origin")],
                &[LINES, Run("tests/line_tables.rs", "lines_survive_to_the_cubin")],
            ),
            row(
                "F9 di_compile_unit",
                "debug information",
                "Read, written and printed; nothing of it goes to PTX.",
                &[Code("irs/src/cuda_tile/debug.rs", "CompileUnit")],
                &[Run(
                    "passes/src/cuda_tile/synthesize_debug_scopes.rs",
                    "the_compile_unit_is_of_the_modules_file",
                )],
            ),
            row(
                "F9 di_file",
                "debug information",
                "It becomes `.file`.",
                &[Code("irs/src/cuda_tile/debug.rs", "File")],
                &[LINES],
            ),
            row(
                "F9 di_lexical_block",
                "debug information",
                "Followed to the function that it is in.",
                &[Code("irs/src/cuda_tile/debug.rs", "LexicalBlock")],
                &[Run(
                    "grammar/tests/cuda_tile/locations.rs",
                    "scopes_are_those_of_the_function",
                )],
            ),
            row(
                "F9 di_subprogram",
                "debug information",
                "The name of the function of an inlined op.",
                &[Code("irs/src/cuda_tile/debug.rs", "Subprogram")],
                &[LINES],
            ),
        ],
    },
    Part {
        title: "Stages",
        rows: &[
            row(
                "S1",
                "front end to `cuda_tile`: nothing is dropped",
                "Readers keep what the language declares, and note what nothing reads.",
                &[Code(
                    "passes/src/cuda_tile_to_tileaa/resolve_views/ignored.rs",
                    "ignored_attributes",
                )],
                &[
                    Run(
                        "tests/warnings.rs",
                        "what_stages_below_do_not_have_is_noted_where_it_stands",
                    ),
                    Run(
                        "grammar/tests/cuda_tile/forms.rs",
                        "attributes_of_the_generic_form_that_nothing_reads_are_noted",
                    ),
                ],
            ),
            row(
                "S2",
                "`cuda_tile` to `tileaa`: everything is carried",
                "Hints are taken for the target here, and assumptions become facts.",
                &[By::Stage(CudaTile, TileAa), By::Pass("resolve_views")],
                &[TABLE, WALK],
            ),
            row(
                "S3",
                "`tileaa` to `tileas`: the kernel spec is made, atoms ride along",
                "The same, after the passes within `tileaa`.",
                &[
                    By::Stage(TileAa, TileAa),
                    By::Stage(TileAa, TileAs),
                    By::Pass("attach_kernel_spec"),
                    By::Pass("assign_layouts"),
                ],
                &[TABLE, WALK],
            ),
            row(
                "S4",
                "scheduling and layout: what the scheduler notes ends with it",
                "The same.",
                &[
                    By::Stage(TileAs, TileAs),
                    By::Stage(TileAs, Scheduled),
                    By::Stage(Scheduled, Scheduled),
                ],
                &[TABLE, WALK],
            ),
            row(
                "S5",
                "functions to LLVM: launch attributes from the kernel spec",
                "The same, a step of `scalarize_fragments`.",
                &[Code(
                    "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                    "lower_kernel_attributes",
                )],
                &[
                    Run(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "threads_follow_warps",
                    ),
                    Run(
                        "passes/src/cute_to_llvm/lower_kernel_attributes.rs",
                        "shared_memory_keeps_its_alignment",
                    ),
                ],
            ),
            row(
                "S6",
                "bodies of `tileas` to LLVM: tokens vanish, orders become slots",
                "Through `cute_desugared`: fragments of a thread first, then scalars.",
                &[
                    By::Stage(Scheduled, CuteDesugared),
                    By::Stage(CuteDesugared, CuteDesugared),
                    By::Stage(CuteDesugared, Llvm),
                ],
                &[TABLE, WALK],
            ),
            row(
                "S7",
                "`cute` to LLVM, beside it",
                "`cute` is desugared to the same language and takes the same way from there.",
                &[By::Stage(Cute, CuteDesugared), By::Pass("desugar")],
                &[TABLE, WALK],
            ),
            row(
                "S8",
                "to NVVM: the marker of kernels is renamed",
                "The same, and instructions are selected.",
                &[
                    By::Stage(Llvm, Llvm),
                    By::Stage(Llvm, Nvvm),
                    By::Pass("rename_kernel_marker"),
                    By::Pass("select_instructions"),
                ],
                &[TABLE, WALK],
            ),
            row(
                "S9",
                "the target is attached",
                "There is no such stage: the target is there from `tileaa` on.",
                &[Attribute(Nvvm, "func", "target"), Page("lost-target")],
                &[PROGRAMS],
            ),
            row(
                "S10",
                "translation to LLVM: attributes become those of its functions",
                "There is no LLVM: `nvvm` is printed as PTX.",
                &[By::Stage(Nvvm, Nvvm)],
                &[TABLE],
            ),
            row(
                "S11",
                "machine code of NVPTX: entries and functions are told apart",
                "There is none. What is not a kernel is refused in `llvm` and `nvvm`.",
                &[Page("lost-kernel-spec")],
                &[PROGRAMS],
            ),
            row(
                "S12",
                "the printer of PTX: nothing is dropped, directives in a fixed order",
                "The same, in the order of the declaration of directives.",
                &[
                    By::Stage(Nvvm, Ptx),
                    By::Pass("emit_ptx"),
                    Code("irs/src/ptx/directive.rs", "Directive"),
                ],
                &[
                    TABLE,
                    Golden("nvvm_to_ptx.emit_ptx/launch_exactly"),
                    Run("grammar/tests/ptx.rs", "an_entry_keeps_its_linkage"),
                ],
            ),
        ],
    },
    Part {
        title: "Intentional drops",
        rows: &[
            row(
                "D1",
                "what scheduling passes tell each other",
                "The tag ends when the schedule is executed.",
                &[Page("pipeline-staging"), Page("drops")],
                &[
                    Run("tests/attributes/explained.rs", "each_drop_is_explained"),
                    WALK,
                ],
            ),
            row(
                "D2",
                "fast-math flags, which intrinsics have again",
                "They end when everything that they allow is done: the form of the code says it.",
                &[Page("fast-math")],
                &[
                    FLAGS,
                    Run("tests/attributes/explained.rs", "each_drop_is_explained"),
                ],
            ),
            row(
                "D3",
                "`cute.kernel`, which becomes `nvvm.kernel`",
                "The same. `nvvm.grid_constant` is made with the parameters, a pass earlier.",
                &[Page("kernel-spec"), By::Pass("rename_kernel_marker")],
                &[Golden("llvm.rename_kernel_marker/saxpy"), WALK],
            ),
            row(
                "D4",
                "order and scope on the op, which become slots",
                "They are fields of the op in each language, and of the instruction.",
                &[Page("memory-order"), By::Pass("select_instructions")],
                &[Golden("llvm_to_nvvm.select_instructions/ordered"), WALK],
            ),
        ],
    },
    Part {
        title: "Silent miscompiles",
        rows: &[
            row(
                "A",
                "an order is dropped: the access is weaker than asked for",
                "Refused, or an order of the instruction.",
                &[Page("lost-order")],
                &[
                    PROGRAMS,
                    ORDERS,
                    Run("passes/tests/copy_routes.rs", "an_order_is_not_lost_in_a_copy"),
                ],
            ),
            row(
                "B",
                "a scope of the cluster is dropped: that of a block remains",
                "Widened where tiles are distributed, and refused where the target has no clusters.",
                &[Page("narrowed-scope")],
                &[PROGRAMS, Golden("tileaa.distribute_tiles/overlapping")],
            ),
            row(
                "C",
                "the compute capability is dropped: a default takes its place",
                "Impossible: no type of a function is without it.",
                &[Page("lost-target")],
                &[
                    PROGRAMS,
                    Run("tests/errors.rs", "kernels_for_two_targets_make_no_ptx_file"),
                ],
            ),
            row(
                "D",
                "the kernel spec is dropped: no launch bounds, and no entry",
                "Impossible: no type of a function is without it, and every function is an entry.",
                &[Page("lost-kernel-spec")],
                &[
                    PROGRAMS,
                    Run(
                        "passes/tests/tileas_contract.rs",
                        "a_function_without_warps_is_refused",
                    ),
                ],
            ),
            row(
                "E",
                "`grid_constant` is dropped: a descriptor is copied",
                "Impossible: the type of the parameter says it.",
                &[Page("lost-grid-constant")],
                &[PROGRAMS, LIMITS],
            ),
            row(
                "F",
                "`contract` is dropped on a product of tiles: it is not fused",
                "Products of tiles are fused in any case; the flag is noted, and that of `arith` is kept.",
                &[Page("lost-contract")],
                &[
                    PROGRAMS,
                    Run("passes/tests/fast_math.rs", "without_flags_nothing_changes"),
                ],
            ),
        ],
    },
    Part {
        title: "Slots of `nvvm`",
        rows: &[
            row(
                "B1",
                "the last carrier of orders and caches",
                "The modifiers of the instruction, which PTX prints.",
                &[
                    Attribute(Nvvm, "nvvm.ld", "order"),
                    Attribute(Nvvm, "nvvm.ld", "cache"),
                ],
                &[WALK, FORMS],
            ),
            row(
                "B2",
                "inherent: a copy of the op has the same values",
                "A copied op is the same Rust value.",
                &[
                    By::Stage(Nvvm, Nvvm),
                    Code("irs/src/isa/target_op.rs", "TargetOp"),
                ],
                &[
                    WALK,
                    Run(
                        "grammar/tests/ptx_operands.rs",
                        "every_form_reads_back_as_an_op_of_nvvm",
                    ),
                ],
            ),
            row(
                "B3",
                "the order of slots is canonical",
                "It is that of the declaration and of PTX; a change of it changes the page of attributes.",
                &[Code("irs/src/core/attribute.rs", "AttributeSpec")],
                &[
                    Run(
                        "tests/attributes/declared.rs",
                        "slots_are_positions_in_the_declaration",
                    ),
                    Run("tests/docs/main.rs", "attributes_page_is_current"),
                ],
            ),
            row(
                "B4",
                "five kinds of slots: cases, optional cases, flags, numbers, lists",
                "Types of fields; each has one reader and one printer.",
                &[
                    Code("irs/src/core/field.rs", "attribute_field"),
                    Code("irs/src/core/term.rs", "TermCodec"),
                ],
                &[
                    Run("grammar/tests/stages/round_trip.rs", "every_form_reads_back"),
                    Run("tests/errors.rs", "each_mistake_in_a_text_has_its_code_and_place"),
                ],
            ),
        ],
    },
];

#[test]
fn page_of_the_notes_on_attributes_is_current() {
    let (text, mut wrong) = tables(PARTS);
    for hazard in HAZARDS {
        let is_named = |by: &By| matches!(by, Page(name) if *name == hazard.name);
        let mut rows = PARTS.iter().flat_map(|part| part.rows);
        if !rows.any(|row| row.by.iter().any(is_named)) {
            wrong.push(format!("no row names the page {}", hazard.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_page("seed_004", &text);
}
