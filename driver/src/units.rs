//! The languages as the driver sees them: the type of a kernel in each, and how it is printed and verified.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{self, Attributes, Declared, Found, Func, Operation, Origin, Part, Problem};
use tilewright_irs::cuda_tile::{CudaTile, ModuleProblem, TileModule, verify_module};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::fast_math::{FastMath, allow};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::llvm::Llvm;
use tilewright_irs::mlir::{Mlir, MlirModule};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

/// A kernel in one language.
pub trait Unit: Clone + fmt::Debug + Eq + Send + Sync + 'static {
    /// The language.
    const LANGUAGE: Language;
    /// The attributes that the language declares.
    const DECLARED: Declared;
    /// The GPU that the kernel is for; `None` in a language in which that is not decided yet.
    fn target(&self) -> Option<ptx::Target>;
    /// The types of the kernel's parameters, as far as the language records them.
    fn parameters(&self) -> Vec<Option<ElementType>>;
    /// The kernel's attribute of this name, as a place for diagnostics; the whole kernel if it has no such attribute.
    fn attribute(&self, _: &str) -> Part {
        Part::Op
    }
    /// The kernel, with these flags on each op that can have them; as it is in a language without such ops.
    fn allowing(self: &Arc<Self>, _: FastMath) -> Arc<Self> {
        Arc::clone(self)
    }
    /// The attributes that the kernel and its ops have; none in PTX, whose text says them.
    fn attributes(&self) -> Vec<Found> {
        Vec::new()
    }
    /// The origin and the name of each op; none in PTX.
    fn op_names(&self) -> Vec<(Origin, &'static str)> {
        Vec::new()
    }
    /// The verifier's errors.
    fn verify(&self) -> Vec<Problem>;
    /// The unit of a stage, when the stage is of this language.
    fn of(stage: &Stage) -> Option<Arc<Self>>;
    /// The unit as a stage.
    fn into_stage(self: Arc<Self>) -> Stage;
}

macro_rules! languages {
    ($( $(#[doc = $doc:literal])+ $language:ident = $name:literal / $title:literal : $unit:ty; )+) => {
        /// A language of the pipeline, in its order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language {
            $( $(#[doc = $doc])+ $language, )+
        }

        impl Language {
            /// Every language, in lowering order.
            pub const ALL: &'static [Self] = &[$(Self::$language),+];

            /// The name, as in texts and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$language => $name),+ }
            }

            /// The full name, which the command line accepts as well.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$language => $title),+ }
            }

            /// Its purpose, in one line.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$language => concat!($($doc),+)),+ }
            }

            /// The attributes that it declares.
            pub const fn declared(self) -> Declared {
                match self { $(Self::$language => <$unit as Unit>::DECLARED),+ }
            }
        }

        /// One kernel in some language.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Stage {
            $( $(#[doc = $doc])+ $language(Arc<$unit>), )+
        }

        impl Stage {
            /// The language.
            pub fn language(&self) -> Language {
                match self { $(Self::$language(_) => Language::$language),+ }
            }

            /// The types of the kernel's parameters, as far as the language records them.
            pub fn parameters(&self) -> Vec<Option<ElementType>> {
                match self { $(Self::$language(unit) => Unit::parameters(unit.as_ref())),+ }
            }

            /// The GPU that the kernel is for; `None` in a language in which that is not decided yet.
            pub fn target(&self) -> Option<ptx::Target> {
                match self { $(Self::$language(unit) => Unit::target(unit.as_ref())),+ }
            }

            /// The kernel's attribute of this name, as a place for diagnostics; the whole kernel if it has no such attribute.
            pub fn attribute(&self, name: &str) -> Part {
                match self { $(Self::$language(unit) => Unit::attribute(unit.as_ref(), name)),+ }
            }

            /// The kernel, with these flags on each op that can have them.
            pub fn allowing(&self, flags: FastMath) -> Self {
                match self { $(Self::$language(unit) => Self::$language(Unit::allowing(unit, flags))),+ }
            }

            /// The attributes that the kernel and its ops have; none in PTX, whose text says them.
            pub fn attributes(&self) -> Vec<Found> {
                match self { $(Self::$language(unit) => Unit::attributes(unit.as_ref())),+ }
            }

            /// The origin and the name of each op; none in PTX.
            pub fn op_names(&self) -> Vec<(Origin, &'static str)> {
                match self { $(Self::$language(unit) => Unit::op_names(unit.as_ref())),+ }
            }

            /// The errors of its language's verifier.
            pub fn verify(&self) -> Vec<Problem> {
                match self { $(Self::$language(unit) => Unit::verify(unit.as_ref())),+ }
            }
        }

        $(
            impl From<Arc<$unit>> for Stage {
                fn from(unit: Arc<$unit>) -> Self {
                    Self::$language(unit)
                }
            }
        )+
    };
}

languages! {
    /// The input program: tiles, views, tokens, structured control flow, hints.
    CudaTile = "cuda_tile" / "cuda_tile": TileKernel;
    /// Facts and aliasing: views lowered to memrefs, assumptions to facts, order to token edges.
    TileAa = "tileaa" / "tileaa": Func<TileAa>;
    /// Distributed layouts of tiles, and atoms of memory ops.
    TileAs = "tileas" / "tileas": Func<TileAs>;
    /// The schedule: agents, pipes, barriers.
    Scheduled = "scheduled" / "scheduled": Func<Scheduled>;
    /// Per-thread code on tensors and layouts, as CuTe DSL prints it: the second input language.
    Cute = "cute" / "cute": CuteKernel;
    /// Per-thread code on fragments, with structured control flow.
    CuteDesugared = "cute_desugared" / "cute_desugared": Func<CuteDesugared>;
    /// Scalars, pointers and a control-flow graph.
    Llvm = "llvm" / "llvm_like": Func<Llvm>;
    /// Target instructions.
    Nvvm = "nvvm" / "nvvm": Func<Nvvm>;
    /// PTX text.
    Ptx = "ptx" / "ptx": PtxKernel;
}

impl Language {
    /// The language that a file name implies: `k.cuda_tile`, `k.tile.mlir`, `k.ptx`, or a stage's name as the extension.
    pub fn of_file_name(name: &str) -> Option<Self> {
        if name.ends_with(".tile.mlir") {
            return Some(Self::CudaTile);
        }
        let extension = Path::new(name).extension()?.to_str()?;
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.name() == extension)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Language {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL
            .iter()
            .find(|language| language.name() == text || language.title() == text);
        found
            .copied()
            .ok_or_else(|| format!("there is no language '{text}'"))
    }
}

fn op_names<L: core::Language>(func: &Func<L>) -> Vec<(Origin, &'static str)> {
    let ops = func.body.ops();
    ops.map(|(_, op)| (op.origin, op.kind.spec().name)).collect()
}

fn parameters<L: core::Language>(func: &Func<L>) -> Vec<Option<ElementType>> {
    let types = func.body.params().iter().map(|&value| func.body.ty(value));
    types.map(core::ValueType::element).collect()
}

macro_rules! regular_units {
    ($($language:ident $($floats:ident)?),+) => {
        $(
            impl Unit for Func<$language> {
                const LANGUAGE: Language = Language::$language;
                const DECLARED: Declared = Declared::of::<$language>();
                fn target(&self) -> Option<ptx::Target> {
                    Some(self.attrs.target)
                }
                fn parameters(&self) -> Vec<Option<ElementType>> {
                    parameters(self)
                }
                fn attribute(&self, name: &str) -> Part {
                    <$language as core::Language>::FuncAttrs::part(name)
                }
                $(fn allowing(self: &Arc<Self>, flags: FastMath) -> Arc<Self> {
                    Arc::new($floats(Func::clone(self), flags))
                })?
                fn attributes(&self) -> Vec<Found> {
                    core::attributes_in(self)
                }
                fn op_names(&self) -> Vec<(Origin, &'static str)> {
                    op_names(self)
                }
                fn verify(&self) -> Vec<Problem> {
                    core::verify_parts(self).err().unwrap_or_default()
                }
                fn of(stage: &Stage) -> Option<Arc<Self>> {
                    match stage {
                        Stage::$language(unit) => Some(Arc::clone(unit)),
                        _ => None,
                    }
                }
                fn into_stage(self: Arc<Self>) -> Stage {
                    self.into()
                }
            }
        )+
    };
}

regular_units!(TileAa allow, TileAs allow, Scheduled allow, CuteDesugared allow, Llvm allow, Nvvm);

/// A kernel with the rest of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InModule<L: core::Language, M> {
    /// The kernel.
    pub func: Func<L>,
    /// The parts shared by all kernels of the module. It contains no kernels.
    pub module: Arc<M>,
}

impl<L: core::Language, M> InModule<L, M> {
    /// The kernel that a pass makes of this one, in the same module.
    ///
    /// # Errors
    /// Those of the pass.
    pub fn mapped<E>(&self, pass: impl FnOnce(&Func<L>) -> Result<Func<L>, E>) -> Result<Self, E> {
        let module = Arc::clone(&self.module);
        pass(&self.func).map(|func| Self { func, module })
    }
}

/// A kernel of `cuda_tile`; its module has the version, the producer and the globals.
pub type TileKernel = InModule<CudaTile, TileModule>;

/// A kernel of `cute`; its module has the functions of the host and the attributes.
pub(crate) type CuteKernel = InModule<Mlir, MlirModule>;

impl Unit for TileKernel {
    const LANGUAGE: Language = Language::CudaTile;
    const DECLARED: Declared = Declared::of::<CudaTile>();

    fn target(&self) -> Option<ptx::Target> {
        None
    }

    fn parameters(&self) -> Vec<Option<ElementType>> {
        parameters(&self.func)
    }

    fn attributes(&self) -> Vec<Found> {
        core::attributes_in(&self.func)
    }

    fn op_names(&self) -> Vec<(Origin, &'static str)> {
        op_names(&self.func)
    }

    fn verify(&self) -> Vec<Problem> {
        let mut module = TileModule::clone(&self.module);
        module.funcs.push(self.func.clone());
        let problems = verify_module(&module).err().unwrap_or_default();
        let problem = |ModuleProblem { diagnostic, part, .. }| Problem { diagnostic, part };
        problems.into_iter().map(problem).collect()
    }

    fn of(stage: &Stage) -> Option<Arc<Self>> {
        match stage {
            Stage::CudaTile(unit) => Some(Arc::clone(unit)),
            _ => None,
        }
    }

    fn into_stage(self: Arc<Self>) -> Stage {
        self.into()
    }
}

impl Unit for CuteKernel {
    const LANGUAGE: Language = Language::Cute;
    const DECLARED: Declared = Declared::of::<Mlir>();

    fn target(&self) -> Option<ptx::Target> {
        None
    }

    fn parameters(&self) -> Vec<Option<ElementType>> {
        parameters(&self.func)
    }

    fn attributes(&self) -> Vec<Found> {
        core::attributes_in(&self.func)
    }

    fn op_names(&self) -> Vec<(Origin, &'static str)> {
        op_names(&self.func)
    }

    fn verify(&self) -> Vec<Problem> {
        core::verify_parts(&self.func).err().unwrap_or_default()
    }

    fn of(stage: &Stage) -> Option<Arc<Self>> {
        match stage {
            Stage::Cute(unit) => Some(Arc::clone(unit)),
            _ => None,
        }
    }

    fn into_stage(self: Arc<Self>) -> Stage {
        self.into()
    }
}

/// A kernel in PTX with the module-level parts that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxKernel {
    /// The GPU.
    pub target: ptx::Target,
    /// The lowest `.version` of the text that was read; the lowest known one for generated PTX.
    pub version: ptx::IsaVersion,
    /// The kernel.
    pub entry: ptx::Entry,
    /// Functions that it calls, which are defined elsewhere.
    pub functions: Vec<ptx::Function>,
    /// Variables of the module.
    pub variables: Vec<ptx::Variable>,
    /// Source files that `.loc` directives of a text name.
    pub files: Vec<ptx::SourceFile>,
    /// Inlined functions that `.loc` directives of a text name.
    pub inlined_functions: Vec<String>,
}

impl PtxKernel {
    /// The kernel of a module with one entry. A module without an entry gives an empty kernel, which the verifier refuses.
    pub fn of_module(module: ptx::Module) -> Self {
        let entry = module.entries.into_iter().next();
        Self {
            target: module.target,
            version: module.version,
            entry: entry.unwrap_or_else(|| ptx::Entry::new("")),
            functions: module.functions,
            variables: module.variables,
            files: module.files,
            inlined_functions: module.inlined_functions,
        }
    }

    /// The lowest `.version` of a file with this kernel.
    pub fn least_version(&self) -> ptx::IsaVersion {
        let lowest = self
            .target
            .least_version()
            .max(self.entry.least_version(self.target));
        lowest.max(self.version)
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &ptx::Line> {
        self.entry.body.iter().filter_map(|statement| match statement {
            ptx::Statement::Instruction(line) => Some(line),
            ptx::Statement::Label(_) | ptx::Statement::Location { .. } => None,
        })
    }

    /// The kernel as a module of its own.
    pub fn module(&self) -> ptx::Module {
        let mut module = ptx::Module::new(self.target);
        module.functions.clone_from(&self.functions);
        module.variables.clone_from(&self.variables);
        module.files.clone_from(&self.files);
        module.inlined_functions.clone_from(&self.inlined_functions);
        module.entries.push(self.entry.clone());
        module.version = self.least_version();
        module
    }
}

impl Unit for PtxKernel {
    const LANGUAGE: Language = Language::Ptx;
    const DECLARED: Declared = ptx::Directive::DECLARED;

    fn target(&self) -> Option<ptx::Target> {
        Some(self.target)
    }

    fn parameters(&self) -> Vec<Option<ElementType>> {
        let scalar = |ty| {
            Some(match ty {
                ptx::Type::F16 => ScalarType::F16,
                ptx::Type::Bf16 => ScalarType::BF16,
                ptx::Type::F32 => ScalarType::F32,
                ptx::Type::F64 => ScalarType::F64,
                _ => return None,
            })
        };
        let parameters = self.entry.parameters.iter();
        parameters
            .map(|parameter| match parameter.ty {
                ptx::ParameterType::Scalar(ty) => scalar(ty).map(ElementType::Scalar),
                ptx::ParameterType::Pointer { .. } | ptx::ParameterType::Bytes { .. } => None,
            })
            .collect()
    }

    fn verify(&self) -> Vec<Problem> {
        // The version is kept as written; the printer of a module raises one that is too low.
        let module = ptx::Module {
            version: self.version,
            ..self.module()
        };
        let findings = ptx::verify(&module);
        let problem = |finding: ptx::Finding| {
            let line = finding.statement.and_then(|at| self.entry.body.get(at));
            let origin = line.and_then(|statement| match statement {
                ptx::Statement::Instruction(line) => line.origin,
                ptx::Statement::Label(_) | ptx::Statement::Location { .. } => None,
            });
            let code = match finding.violation {
                ptx::Violation::Target(..) => Code::TargetLacksFeature,
                ptx::Violation::Launch(ref problem) => problem.code(),
                ptx::Violation::SharedMemory(..) => Code::SharedMemory,
                ptx::Violation::TargetVersion(..) => Code::AttributeValue,
                ptx::Violation::DuplicateName(_) | ptx::Violation::PlacedTwice(_) => Code::DuplicateSymbol,
                ptx::Violation::UnknownName(_)
                | ptx::Violation::Unplaced(_)
                | ptx::Violation::NoFunctionName(_)
                | ptx::Violation::CallNotLocated(_) => Code::UnknownSymbol,
                ptx::Violation::Undeclared(_) => Code::UndefinedValue,
                ptx::Violation::NoSuchForm(_)
                | ptx::Violation::Version(..)
                | ptx::Violation::Operand(..)
                | ptx::Violation::Guard(_) => Code::OperandType,
            };
            let (part, label) = match &finding.violation {
                ptx::Violation::Launch(problem) => (problem.directive.part(), problem.label()),
                _ => (Part::Op, String::new()),
            };
            let diagnostic = Diagnostic::error(code, finding.violation.to_string())
                .at(origin.map_or(Origin::FUNCTION, Origin), label);
            Problem { diagnostic, part }
        };
        findings.into_iter().map(problem).collect()
    }

    fn of(stage: &Stage) -> Option<Arc<Self>> {
        match stage {
            Stage::Ptx(unit) => Some(Arc::clone(unit)),
            _ => None,
        }
    }

    fn into_stage(self: Arc<Self>) -> Stage {
        self.into()
    }
}
