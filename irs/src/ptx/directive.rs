//! The directives of PTX.

use crate::core::{Declared, Family, FieldSpec, Operation, Part, Value};
use crate::isa::Instruction;

crate::keywords! {
    /// The word that a directive begins with, or that says what it declares. State spaces and types are other words.
    pub enum Directive {
        /// The version of the PTX ISA.
        Version = "version",
        /// The GPU that the text is for.
        Target = "target",
        /// The bits of an address.
        AddressSize = "address_size",
        /// The number of a source file, for `.loc`.
        File = "file",
        /// What is declared can be seen from other files.
        Visible = "visible",
        /// What is declared is defined in another file.
        Extern = "extern",
        /// What is declared can be seen from other files, of which another may define it too.
        Weak = "weak",
        /// A kernel.
        Entry = "entry",
        /// A function that kernels call.
        Func = "func",
        /// Registers of a type: one of this name, or as many as the number in angle brackets says.
        Reg = "reg",
        /// The line of the source that what follows stems from.
        Loc = "loc",
        /// A section of debug information.
        Section = "section",
        /// The alignment of what is declared, in bytes.
        Align = "align",
        /// The parameter is an address: of a state space, and aligned.
        Ptr = "ptr",
        /// The most threads that a block may have, in each dimension.
        MaxThreads = "maxntid",
        /// The threads that a block must have, in each dimension.
        RequiredThreads = "reqntid",
        /// The blocks that a multiprocessor should have room for, at least.
        MinBlocks = "minnctapersm",
        /// The most registers that a thread may have.
        MaxRegisters = "maxnreg",
        /// The launch must say the size of the clusters.
        ExplicitCluster = "explicitcluster",
        /// The blocks that a cluster must have, in each dimension.
        RequiredCluster = "reqnctapercluster",
        /// The most blocks that a cluster may have.
        MaxCluster = "maxclusterrank",
        /// The grid of a launch counts clusters, and not blocks.
        BlocksAreClusters = "blocksareclusters",
    }
}

impl Directive {
    /// The directives of a kernel's launch, as attributes of the kernel.
    const LAUNCH: &'static [FieldSpec] = &[
        Self::MaxThreads.spec(),
        Self::RequiredThreads.spec(),
        Self::MinBlocks.spec(),
        Self::MaxRegisters.spec(),
        Self::ExplicitCluster.spec(),
        Self::RequiredCluster.spec(),
        Self::MaxCluster.spec(),
        Self::BlocksAreClusters.spec(),
    ];

    /// The attributes of PTX: launch directives, and the modifiers of instructions.
    pub const DECLARED: Declared = Declared {
        function: Self::LAUNCH,
        tag: &[],
        ops: <Instruction<Value>>::SPECS,
        types: &[],
        module: &[],
    };

    const fn spec(self) -> FieldSpec {
        FieldSpec::of::<u32>(self.word(), "u32", self.doc(), Family::LaunchShape)
    }

    /// The launch directive as a part of its kernel.
    pub fn part(self) -> Part {
        Part::field(self as usize)
    }
}
