//! What attributes are about, and where they stand.
//!
//! An attribute is a field of an op that is no operand, region or branch target, an attribute of a function or of a module, a part
//! of the tag that a language records for every op, or a parameter of a type that has a name. Its family is that of its type or, where a number or a flag tells nothing, the one that
//! its declaration gives (`latency in Staging: Option<u32>`).

crate::keywords! {
    /// What an attribute is about.
    pub enum Family {
        /// The shape of a launch: threads, clusters, and the limits that follow from it.
        LaunchShape = "launch shape",
        /// The GPU that the code is for.
        Capability = "compute capability",
        /// How many warps and blocks compute a tile block.
        KernelSpec = "kernel spec",
        /// How exact floating-point results must be.
        FastMath = "fast math",
        /// Memory order and scope.
        Order = "memory order",
        /// What caches are told.
        Cache = "cache policy",
        /// Layouts, shapes, and the instructions chosen for them.
        Layout = "layout and shape",
        /// Pipelines, and what is asked of them.
        Staging = "pipeline staging",
        /// What is assumed or proven of values.
        Assumption = "assumption",
        /// What the op computes: it lives as long as the op.
        Meaning = "meaning",
    }
}

/// Where an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carrier {
    /// On a function.
    Function,
    /// On an op: a field of its declaration.
    Op,
    /// On any op: a part of the language's tag.
    Tag,
    /// In the type of a value: a parameter that has a name.
    Type,
    /// On a module, or on what it has besides kernels.
    Module,
}

impl Carrier {
    /// Every carrier.
    pub const ALL: &[Self] = &[Self::Function, Self::Op, Self::Tag, Self::Type, Self::Module];
}

impl std::fmt::Display for Carrier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Function => "function",
            Self::Op => "op",
            Self::Tag => "tag",
            Self::Type => "type",
            Self::Module => "module",
        })
    }
}

/// An entry of an attribute that is a dictionary of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name; in a record, after that of the record and a point (`kernel_spec.num_warps`).
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Where the dictionary stands that may have it.
    pub carrier: Carrier,
}

impl Key {
    /// The name of the entry in the dictionary.
    pub fn entry(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}
