//! Attributes by which other compilers' programs constrain a schedule, and what serves their purpose here.

/// What serves the purpose of an attribute of another compiler, or why nothing does; `None` for one that is not known.
pub fn instead_of(attribute: &str) -> Option<&'static str> {
    let name = attribute.rsplit('.').next().unwrap_or(attribute);
    Some(match name {
        "num_stages" | "persistent" => {
            "loops of tileaa have it: `scf.for`; `--hint num_stages=N` gives it to all of them"
        }
        "force_serial_execution" => {
            "nothing is issued ahead in a loop with the attribute `serial`, of `scf.for`"
        }
        "max_depth" => {
            "`latency` says how far ahead a copy is issued, `num_stages` of a loop how many stages its rings have"
        }
        "gid" | "leader_gid" | "pipeline_stage" => {
            "which agent executes an op of scheduled, and in which stage, say its `agent`, `stage` and `slot`"
        }
        "preferred_atom_size" => "`access` of a memory op of tileaa is the widest that it may have",
        "max_num_slices_for_non_reduce_axis" => {
            "products are sliced along their depth only, by the instruction that computes a slice"
        }
        "recomputable" | "max_num_of_recomputations" => {
            "`place_conversions` computes again what follows from scalars alone, in up to 7 other layouts"
        }
        "enable_defusion_if_fusion_extending_liveness" => {
            "no pass fuses ops: elementwise ops are computed where their operands are, in registers"
        }
        "workspace_global_offset" => {
            "temporaries of a kernel are in a variable of its module, which has an address when it is loaded"
        }
        _ => return None,
    })
}
