//! What each family is for, and why what ends of it ends where it does.

use tilewright_irs::core::Family;

/// The words of a family's page, above its part of the table.
pub(super) fn words(family: Family) -> &'static str {
    match family {
        Family::LaunchShape => {
            "A launch that does not fit these is an error of the driver, and a kernel that was compiled for other\n\
             numbers of threads or blocks computes something else. They become directives of the entry. That a\n\
             parameter is a grid constant is said by its type as well, a tensor map, and PTX has no directive for it:\n\
             there the attribute ends, after verifiers have compared the two."
        }
        Family::Capability => {
            "The target is an attribute of each function from `tileaa` on, and never absent, so no stage has to take a\n\
             default in its place."
        }
        Family::KernelSpec => {
            "Hints of the entry, and what the passes make of them, come together in one record, `kernel_spec`, from\n\
             which the threads, the registers and the clusters of the launch follow. The marker `cute.kernel` ends\n\
             where `nvvm.kernel` takes its place: nothing but the name differs, and `nvvm` has one name only."
        }
        Family::FastMath => {
            "Roundings and approximations are modifiers of instructions. The flags of `--fast-math` are not: PTX has\n\
             none. They end at the selection of instructions, since whatever they allow has been done by then: a\n\
             product and a sum that one flag joins are one `fma`, a quotient is a product by a reciprocal, and the\n\
             approximations are chosen. The form of the code says what the flags said."
        }
        Family::Order => {
            "Nothing of this family may end: an access without its order or scope assembles, and is wrong. An order\n\
             and a scope are fields of the ops of each language, and in `nvvm` they are the first two slots of the\n\
             instruction, which PTX writes in the same place."
        }
        Family::Cache => {
            "What caches are told changes no results, only time. It goes from the atom of an access to the modifiers of\n\
             its instruction."
        }
        Family::Layout => {
            "A layout or an atom is what a pass decided; the pass below makes addresses and instructions of it, and it\n\
             ends there. What is left of it is in those."
        }
        Family::Staging => {
            "Hints, and what the scheduler notes from one of its passes to the next. They end when the schedule is\n\
             executed: `expand_schedule` and `pipeline_loops` put each op into the agent and the iteration that the tag\n\
             names, and the stages into buffers; what they said is then the order of the ops. A copy of it would only\n\
             become stale."
        }
        Family::Assumption => {
            "Facts that hold without the attribute as well. They end where no pass below asks for them; to lose one\n\
             early makes code slower, and to invent one makes it wrong, so passes that make one prove it."
        }
        Family::Meaning => {
            "These stay with their op, and its lowering consumes them. The table names the few that end before that."
        }
    }
}
