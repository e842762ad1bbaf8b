//! What would go wrong without an attribute: programs that would assemble, run, and be wrong or slow, each with what stops it.

use std::fmt::Write as _;

use tilewright_diagnostics::Code;

use crate::policy::quoted;

/// Something that would go wrong without a word.
#[derive(Debug)]
pub struct Hazard {
    /// The name of its page.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// What would go wrong, and why nothing else would tell.
    pub harm: &'static str,
    /// What stops it here.
    pub guard: &'static str,
    /// Programs that would go wrong.
    pub programs: &'static [Program],
}

/// A program that would go wrong.
#[derive(Debug)]
pub struct Program {
    /// The name of its file.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What is seen when it is compiled.
    pub checks: &'static [Check],
}

/// What is seen when a program is compiled.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// It is refused.
    Refused(Code),
    /// It is compiled, and a note says what has no effect.
    Noted(Code),
    /// The PTX has these.
    Made(&'static [&'static str]),
}

macro_rules! program {
    ($file:literal, $($check:ident $what:expr),+) => {
        Program {
            file: $file,
            text: include_str!(concat!("programs/", $file)),
            checks: &[$(Check::$check($what)),+],
        }
    };
}

/// All that is known to go wrong without a word.
pub static HAZARDS: &[Hazard] = &[
    Hazard {
        name: "lost-order",
        title: "an access without the order that it was given",
        harm: "A load that acquires sees what was written before the store that released. As a plain load it reads the\n\
               same address, `ptxas` has nothing to say, and now and then it reads old data.",
        guard: "Order and scope are fields of the ops of each language, checked by one rule, and slots of the\n\
                instruction. A copy that runs by itself has no order: an access with one that is given such a copy is\n\
                refused at its order, and a pass that chooses one is stopped (E0604).",
        programs: &[
            program!(
                "lost_order.mlir",
                Made & ["ld.acquire.gpu.global", "st.release.gpu.global"]
            ),
            program!("lost_order.tileas", Refused Code::ConflictingAttributes),
        ],
    },
    Hazard {
        name: "narrowed-scope",
        title: "an atomic access whose scope leaves out a block of the cluster",
        harm: "The blocks of a cluster share a tile block. An atomic access that is atomic among the threads of the tile\n\
               block has to be so for the cluster. With the scope of one block it is as valid an instruction, and\n\
               additions of the other blocks are lost.",
        guard: "`distribute_tiles` widens the scope when it gives a tile block to a cluster, a scope of `cluster` exists\n\
                from there on, and targets without clusters refuse it instead of taking the nearest one. The simulator\n\
                reports atomic accesses that meet with too narrow a scope (E0816).",
        programs: &[
            program!(
                "narrowed_scope.mlir",
                Made & ["red.relaxed.cluster.global", ".reqnctapercluster 2, 1, 1"]
            ),
            program!("narrowed_scope.nvvm", Refused Code::TargetLacksFeature),
        ],
    },
    Hazard {
        name: "lost-target",
        title: "a kernel that is compiled for a GPU that nobody asked for",
        harm: "Where a pass takes a default for a target that was lost, the code is valid, and for another GPU: it does\n\
               without instructions that the real one has, or has some that the real one lacks.",
        guard: "The target is an attribute of each function from `tileaa` on, of a type that is never absent, and becomes\n\
                `.target`. A text without one is refused, and so is one for a target other than that of `--target`\n\
                (E0603).",
        programs: &[
            program!("lost_target.tileas", Refused Code::MissingAttribute),
            program!("kept_target.tileas", Made & [".target sm_100a"]),
        ],
    },
    Hazard {
        name: "lost-kernel-spec",
        title: "a kernel without its launch bounds, or no kernel at all",
        harm: "Without the number of its threads a kernel has no `.reqntid`, and is launched with whatever the host likes.\n\
               Without the marker it is a `.func`, the module has no kernel, and only the launch fails.",
        guard: "The record is an attribute that is never absent, from which the directives are made. The marker is one\n\
                that each function of `llvm` and `nvvm` must have, and the emitter makes nothing but entries.",
        programs: &[
            program!("lost_kernel_spec.tileas", Refused Code::MissingAttribute),
            program!("lost_kernel_marker.nvvm", Refused Code::AttributeValue),
            program!(
                "kept_target.tileas",
                Made & [".visible .entry k(", ".reqntid 128, 1, 1"]
            ),
        ],
    },
    Hazard {
        name: "lost-grid-constant",
        title: "a tensor map that each thread copies",
        harm: "A GPU reads a tensor map where the host has put it, among the parameters. A parameter that a thread might\n\
               change is copied to memory of its own first, and copied again at each launch; it runs, slower.",
        guard: "A tensor map has a type of its own, and the type says that no thread changes it. The attribute\n\
                `nvvm.grid_constant` is compared with the types, and has to name all of them and nothing else.",
        programs: &[
            program!("lost_grid_constant.nvvm", Refused Code::AttributeValue),
            program!(
                "kept_grid_constant.nvvm",
                Made & [
                    ".param .align 64 .b8 prefetch_param_0[128]",
                    "mov.u64 %rd0, prefetch_param_0;"
                ]
            ),
        ],
    },
    Hazard {
        name: "lost-contract",
        title: "products that are rounded before they are added",
        harm: "A flag that lets a product and a sum be rounded once gets lost, and two instructions are made in place of\n\
               one. The results are as good as before, so no test of results tells.",
        guard: "A product of tiles is fused in any case: `mmaf` says so, no flag is needed, and one that is written is\n\
                noted. Flags of `arith` and `math` are fields of the ops down to `llvm`, where `contract_products` uses\n\
                them.",
        programs: &[
            program!("lost_contract.mlir", Noted Code::UnknownHint, Made &["fma.rn.f32"]),
            program!("kept_contract.cute", Made & ["fma.rn.f32"]),
        ],
    },
];

impl Hazard {
    /// The page.
    pub(super) fn body(&self) -> String {
        let mut text = format!("{}\n\n{}\n", self.harm, self.guard);
        for program in self.programs {
            let _ = write!(text, "\n`{}`:\n\n", program.file);
            for line in program.text.lines() {
                let _ = writeln!(text, "    {line}");
            }
            for check in program.checks {
                let _ = match check {
                    Check::Refused(code) => writeln!(text, "\nIt is refused by {code}: {}.", code.title()),
                    Check::Noted(code) => writeln!(text, "\nA note, {code}, says what has no effect in it."),
                    Check::Made(lines) => writeln!(text, "\nThe PTX has {}.", quoted(lines)),
                };
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}
