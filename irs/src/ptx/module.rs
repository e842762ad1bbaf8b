//! Modules, entries and statements: PTX as plain data.

use std::collections::BTreeSet;

use super::Instruction;
use crate::isa::{Class, IsaVersion, Label, Need, Predicate, Register, Space, Symbol, Target, Type};

/// A PTX module. Addresses are always 64 bits wide.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// `.version`; [`Module::lowest_version`] computes the one to write.
    pub version: IsaVersion,
    /// `.target`.
    pub target: Target,
    /// Source files that `.loc` lines name.
    pub files: Vec<SourceFile>,
    /// The names of inlined functions, which `.loc` lines name by their index.
    pub inlined_functions: Vec<String>,
    /// Functions that are called and defined elsewhere.
    pub functions: Vec<Function>,
    /// Variables outside entries: global, constant, and dynamic shared memory.
    pub variables: Vec<Variable>,
    /// The kernels.
    pub entries: Vec<Entry>,
}

/// A function that is called and defined elsewhere, `.extern .func`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Its result.
    pub result: Option<Parameter>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

impl Function {
    /// `vprintf`, which prints from the device: the generic addresses of a format and of its arguments in a buffer.
    /// The result is not meaningful. (CUDA Programming Guide, "Formatted Output"; PTX Interoperability, "System
    /// Calls".)
    pub fn vprintf() -> Self {
        let parameter = |name: &str, ty| Parameter {
            name: name.into(),
            ty: ParameterType::Scalar(ty),
        };
        Self {
            name: "vprintf".into(),
            result: Some(parameter("vprintf_result", Type::B32)),
            parameters: vec![
                parameter("vprintf_format", Type::B64),
                parameter("vprintf_arguments", Type::B64),
            ],
        }
    }
}

/// A `.file` directive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// The number that `.loc` uses, from one.
    pub index: u32,
    /// The file's name.
    pub name: String,
}

/// Linkage of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// This module only.
    #[default]
    Internal,
    /// `.visible`.
    Visible,
    /// `.extern`: declared here, allocated by the launch (dynamic shared memory).
    Extern,
}

/// A variable: an array of bytes in a state space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its linkage.
    pub linkage: Linkage,
    /// Global, constant, shared or local.
    pub space: Space,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Its name.
    pub name: Symbol,
    /// Its size in bytes; `None` for dynamic shared memory.
    pub bytes: Option<u64>,
    /// Its initial contents; empty means zero, or undefined for shared and local memory.
    pub initial: Vec<u8>,
}

impl Variable {
    /// A shared array of `bytes` bytes.
    pub fn shared(name: impl Into<Symbol>, align: u32, bytes: u64) -> Self {
        Self {
            linkage: Linkage::Internal,
            space: Space::Shared,
            align,
            name: name.into(),
            bytes: Some(bytes),
            initial: Vec::new(),
        }
    }
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterType {
    /// A number.
    Scalar(Type),
    /// A 64-bit pointer to `space`, aligned to `align` bytes.
    Pointer {
        /// The state space of its target; `None` is generic.
        space: Option<Space>,
        /// Alignment of its target, in bytes.
        align: u32,
    },
    /// An array of bytes, such as a tensor map.
    Bytes {
        /// Alignment in bytes.
        align: u32,
        /// Size in bytes.
        bytes: u32,
    },
}

impl ParameterType {
    /// Size in bytes in parameter space.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Scalar(ty) => match ty.bytes() {
                Some(bytes) => bytes,
                None => 1,
            },
            Self::Pointer { .. } => 8,
            Self::Bytes { bytes, .. } => bytes,
        }
    }

    /// Alignment in bytes in parameter space.
    pub const fn align(self) -> u32 {
        match self {
            Self::Scalar(_) | Self::Pointer { .. } => self.bytes(),
            Self::Bytes { align, .. } => align,
        }
    }
}

/// The number of elements of a shape.
pub(crate) fn volume(shape: [u32; 3]) -> u64 {
    let extents = shape.into_iter().map(u64::from);
    extents.fold(1, u64::saturating_mul)
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name in parameter space.
    pub name: Symbol,
    /// Its type.
    pub ty: ParameterType,
}

/// Launch directives, in the order in which they are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// `.maxntid`: the maximum number of threads of a block. Excludes `.reqntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: the number of threads of every block.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`: the number of blocks to fit on a multiprocessor.
    pub min_blocks_per_sm: Option<u32>,
    /// `.maxnreg`: register limit of a thread.
    pub max_registers: Option<u32>,
    /// `.explicitcluster`: launched in clusters.
    pub explicit_cluster: bool,
    /// `.reqnctapercluster`: the shape of a cluster in blocks.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the maximum number of blocks in a cluster.
    pub max_cluster_rank: Option<u32>,
    /// `.blocksareclusters`: the grid is given in clusters.
    pub blocks_are_clusters: bool,
}

/// The number of registers declared in each class, numbered from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegisterCounts([u32; Class::ALL.len()]);

impl RegisterCounts {
    /// The number of declared registers of `class`.
    pub fn of(&self, class: Class) -> u32 {
        self.0[class.index()]
    }

    /// Declares `count` registers of `class`.
    pub fn set(&mut self, class: Class, count: u32) {
        self.0[class.index()] = count;
    }

    /// Declares one more register of `class` and returns it.
    pub fn fresh(&mut self, class: Class) -> Register {
        let index = self.0[class.index()];
        self.0[class.index()] += 1;
        Register { class, index }
    }

    /// Whether `register` is declared.
    pub fn contains(&self, register: Register) -> bool {
        register.index < self.of(register.class)
    }
}

/// Which files see a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EntryLinkage {
    /// All: `.visible`.
    #[default]
    Visible,
    /// All, and another one may have a kernel of this name in its place: `.weak`.
    Weak,
    /// Its own.
    Internal,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Its linkage.
    pub linkage: EntryLinkage,
    /// Its name.
    pub name: Symbol,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its launch directives.
    pub launch: Launch,
    /// Its registers.
    pub registers: RegisterCounts,
    /// Its shared and local variables.
    pub variables: Vec<Variable>,
    /// Variables of parameter space, through which calls pass arguments.
    pub call_parameters: Vec<Parameter>,
    /// Its statements.
    pub body: Vec<Statement>,
}

/// A line of an entry's body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// A branch target.
    Label(Label),
    /// An instruction.
    Instruction(Line),
    /// `.loc`: the source position of the following instructions.
    Location {
        /// The position.
        at: Position,
        /// The function that the position is in, if it was inlined into the kernel or into another inlined function.
        inlined: Option<Inlined>,
    },
}

/// A position in a source file. (PTX ISA, "Debugging Directives: .loc".)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The number of a [`SourceFile`].
    pub file: u32,
    /// Line, from one.
    pub line: u32,
    /// Column, from one; zero when unknown.
    pub column: u32,
}

/// The function of an inlined position: `function_name` and `inlined_at` of `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inlined {
    /// The index of its name in [`Module::inlined_functions`].
    pub function: u32,
    /// The position of the call, for which ptxas wants a `.loc` of its own before this one.
    pub called_from: Position,
}

impl Inlined {
    /// `function_name` and `inlined_at` exist from PTX ISA 7.2 on, for every target.
    pub const NEED: Need = Need::new(7, 2, 70);
}

impl Statement {
    /// Whether this is the position of an inlined function.
    pub const fn is_inlined_location(&self) -> bool {
        matches!(self, Self::Location { inlined: Some(_), .. })
    }
}

/// An instruction with its guard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// Its guard predicate.
    pub guard: Option<Predicate>,
    /// The instruction.
    pub instruction: Instruction,
    /// The index of the source op that it was lowered from. Not part of the text.
    pub origin: Option<u32>,
}

impl Entry {
    /// An empty entry.
    pub fn new(name: impl Into<Symbol>) -> Self {
        Self {
            linkage: EntryLinkage::default(),
            name: name.into(),
            parameters: Vec::new(),
            launch: Launch::default(),
            registers: RegisterCounts::default(),
            variables: Vec::new(),
            call_parameters: Vec::new(),
            body: Vec::new(),
        }
    }

    /// The instructions of the body, without labels and locations.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.body.iter().filter_map(|statement| match statement {
            Statement::Instruction(line) => Some(line),
            Statement::Label(_) | Statement::Location { .. } => None,
        })
    }

    /// The name of parameter `index` in parameter space, made from the entry's name.
    pub fn parameter_name(&self, index: usize) -> Symbol {
        Symbol(format!("{}_param_{index}", self.name))
    }

    /// The lowest `.version` with which ptxas accepts the entry for a target. Forms that PTX or the target does not
    /// have are ignored; `verify` reports them.
    pub fn least_version(&self, target: Target) -> IsaVersion {
        let inlined = self.body.iter().any(Statement::is_inlined_location);
        self.lines()
            .filter_map(|line| line.instruction.need())
            .chain([self.launch.need()])
            .chain(inlined.then_some(Inlined::NEED))
            .filter_map(|need| need.version_on(target))
            .fold(target.least_version(), IsaVersion::max)
    }
}

impl Module {
    /// An empty module for `target`, at the lowest version that supports it.
    pub fn new(target: Target) -> Self {
        Self {
            version: target.least_version(),
            target,
            files: Vec::new(),
            inlined_functions: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// The entry named `name`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.0 == name)
    }

    /// The variables that an entry declares, or uses of the module's.
    pub fn variables_of<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Variable> {
        let mut named = BTreeSet::new();
        for line in entry.lines() {
            line.instruction.symbols(&mut |name| {
                named.insert(name.clone());
            });
        }
        let outside = self.variables.iter();
        outside
            .filter(move |variable| named.contains(&variable.name))
            .chain(&entry.variables)
    }

    /// The shared memory that an entry declares, or uses of the module's, in bytes, without dynamic shared memory.
    pub fn shared_bytes(&self, entry: &Entry) -> u64 {
        self.variables_of(entry)
            .filter(|variable| variable.space == Space::Shared)
            .filter_map(|variable| variable.bytes)
            .fold(0, u64::saturating_add)
    }

    /// The variables of an entry whose size its launch says. All begin at the same address.
    pub fn dynamic_shared<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Variable> {
        self.variables_of(entry)
            .filter(|variable| variable.bytes.is_none())
    }

    /// The lowest `.version` with which ptxas accepts the module, so that old drivers load it.
    pub fn lowest_version(&self) -> IsaVersion {
        self.entries
            .iter()
            .map(|entry| entry.least_version(self.target))
            .fold(self.target.least_version(), IsaVersion::max)
    }

    /// The module with `.version` set to the lowest sufficient one.
    #[must_use]
    pub fn with_lowest_version(mut self) -> Self {
        self.version = self.lowest_version();
        self
    }
}
