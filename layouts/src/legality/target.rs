//! Targets, as far as the limits differ between them.

use std::fmt;

/// An architecture-specific target of PTX (`sm_…a`), as far as the rules distinguish targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// `sm_80` and other targets before `sm_90`, without bulk copies.
    Sm80,
    /// `sm_90a`.
    Sm90a,
    /// `sm_100a`.
    Sm100a,
    /// `sm_103a`.
    Sm103a,
    /// `sm_110a` (formerly `sm_101a`).
    Sm110a,
    /// `sm_120a`.
    Sm120a,
}

impl Target {
    /// Every target, oldest first.
    pub const ALL: [Target; 6] = [
        Target::Sm80,
        Target::Sm90a,
        Target::Sm100a,
        Target::Sm103a,
        Target::Sm110a,
        Target::Sm120a,
    ];

    /// The name in PTX's `.target`.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Sm80 => "sm_80",
            Target::Sm90a => "sm_90a",
            Target::Sm100a => "sm_100a",
            Target::Sm103a => "sm_103a",
            Target::Sm110a => "sm_110a",
            Target::Sm120a => "sm_120a",
        }
    }

    /// Whether the target has bulk asynchronous copies.
    pub const fn has_bulk_copy(self) -> bool {
        !matches!(self, Target::Sm80)
    }

    /// Whether the target has fifth-generation tensor cores (`tcgen05`) and the associated features.
    pub const fn has_tcgen05(self) -> bool {
        match self {
            Target::Sm100a | Target::Sm103a | Target::Sm110a => true,
            Target::Sm80 | Target::Sm90a | Target::Sm120a => false,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
