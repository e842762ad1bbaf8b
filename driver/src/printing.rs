//! Prints kernels, each by its own query, and joins the texts of a file.

use std::sync::Arc;
use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::{FuncText, func_text, join_texts};
use tilewright_irs::cuda_tile::{Global, TileModule, Version, join_tile_entries, print_tile_entry};
use tilewright_irs::mlir::MlirModule;
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::ptx::{self, IsaVersion};
use tilewright_passes::nvvm_to_ptx::variable_of;

use crate::database::Db;
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::line_table::{self, Names};
use crate::pipeline;
use crate::targets;
use crate::units::{CuteKernel, Language, PtxKernel, Stage, TileKernel};

/// The text of one kernel as a part of its file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Printed {
    /// An entry of `cuda_tile`.
    Tile(String),
    /// A kernel of `cute`, whose text is that of its module.
    Cute(Arc<CuteKernel>),
    /// A function of the regular syntax.
    Regular(FuncText),
    /// An entry of PTX.
    Ptx(PrintedPtx),
}

/// The text of an entry of PTX, and what its file's header must declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedPtx {
    name: String,
    target: ptx::Target,
    version: IsaVersion,
    functions: Vec<ptx::Function>,
    variables: Vec<ptx::Variable>,
    /// The files that `.loc` directives of a PTX input name; empty if the directives have been replaced.
    files: Vec<ptx::SourceFile>,
    inlined_functions: Vec<String>,
    text: String,
}

impl Printed {
    /// The text of a kernel, without line directives.
    fn of(stage: &Stage) -> Self {
        match stage {
            Stage::CudaTile(kernel) => Self::Tile(print_tile_entry(&kernel.func)),
            Stage::TileAa(func) => Self::Regular(func_text(func)),
            Stage::TileAs(func) => Self::Regular(func_text(func)),
            Stage::Scheduled(func) => Self::Regular(func_text(func)),
            Stage::Cute(kernel) => Self::Cute(Arc::clone(kernel)),
            Stage::CuteDesugared(func) => Self::Regular(func_text(func)),
            Stage::Llvm(func) => Self::Regular(func_text(func)),
            Stage::Nvvm(func) => Self::Regular(func_text(func)),
            Stage::Ptx(kernel) => {
                Self::of_ptx(kernel, &kernel.entry, &kernel.files, &kernel.inlined_functions)
            }
        }
    }

    /// A kernel of PTX, as `entry`, with line directives that name these.
    fn of_ptx(
        kernel: &PtxKernel,
        entry: &ptx::Entry,
        files: &[ptx::SourceFile],
        functions: &[String],
    ) -> Self {
        Self::Ptx(PrintedPtx {
            name: entry.name.to_string(),
            target: kernel.target,
            version: kernel.least_version().max(entry.least_version(kernel.target)),
            functions: kernel.functions.clone(),
            variables: kernel.variables.clone(),
            files: files.to_vec(),
            inlined_functions: functions.to_vec(),
            text: entry.to_string(),
        })
    }
}

/// The text of one kernel in a language; `None` after an error.
#[salsa::tracked]
pub fn printed<'db>(
    db: &'db dyn Db,
    source: Source,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Option<Printed> {
    let stage = pipeline::stage(db, kernel, options, language)?;
    let with = line_table::has_lines(db, options, language).then(|| {
        let lines = line_table::lines(db, source, kernel, options);
        (lines, line_table::line_names(db, source, options))
    });
    let start = Instant::now();
    let printed = match (&stage, with) {
        (Stage::Ptx(ptx), Some((lines, names))) => {
            let entry = line_table::with_lines(&ptx.entry, lines, names);
            Printed::of_ptx(ptx, &entry, &[], &[])
        }
        (stage, _) => Printed::of(stage),
    };
    db.record("print", kernel.name(db), start.elapsed());
    Some(printed)
}

/// Joins the texts of kernels to that of a file. `module` holds the parts of a `cuda_tile` module besides kernels, `names` the
/// names in line directives, `target` the target of PTX without kernels.
///
/// # Errors
/// A diagnostic if the kernels cannot be in one file.
pub(crate) fn join<'a>(
    language: Language,
    kernels: impl Iterator<Item = &'a Printed> + Clone,
    module: Option<&TileModule>,
    names: &Names,
    target: ptx::Target,
) -> Result<String, Diagnostic<Location>> {
    match language {
        Language::CudaTile => {
            let entries = kernels.filter_map(|kernel| match kernel {
                Printed::Tile(text) => Some(text.as_str()),
                Printed::Cute(_) | Printed::Regular(_) | Printed::Ptx(_) => None,
            });
            let empty = TileModule::new(Version::LATEST);
            Ok(join_tile_entries(module.unwrap_or(&empty), entries))
        }
        Language::Cute => {
            let mut kernels = kernels.filter_map(|kernel| match kernel {
                Printed::Cute(kernel) => Some(kernel),
                Printed::Tile(_) | Printed::Regular(_) | Printed::Ptx(_) => None,
            });
            let mut module = match kernels.next() {
                Some(first) => first.module.with_kernel(first.func.clone()),
                None => MlirModule::default(),
            };
            kernels.for_each(|kernel| module.place(kernel.func.clone()));
            Ok(print_module(&module, Form::Custom))
        }
        Language::TileAa
        | Language::TileAs
        | Language::Scheduled
        | Language::CuteDesugared
        | Language::Llvm
        | Language::Nvvm => Ok(join_texts(kernels.filter_map(|kernel| match kernel {
            Printed::Regular(text) => Some(text),
            Printed::Tile(_) | Printed::Cute(_) | Printed::Ptx(_) => None,
        }))),
        Language::Ptx => {
            let entries = kernels.filter_map(|kernel| match kernel {
                Printed::Ptx(entry) => Some(entry),
                Printed::Tile(_) | Printed::Cute(_) | Printed::Regular(_) => None,
            });
            let globals = module.map_or(&[][..], |module| &module.globals);
            join_ptx(entries, globals, names, target)
        }
    }
}

/// The text of a PTX file. The host can find public `globals`, whether kernels name them or not.
fn join_ptx<'a>(
    entries: impl Iterator<Item = &'a PrintedPtx> + Clone,
    globals: &[Global],
    names: &Names,
    target: ptx::Target,
) -> Result<String, Diagnostic<Location>> {
    let target = entries.clone().next().map_or(target, |entry| entry.target);
    let mut head = ptx::Module::new(target);
    let mut version = IsaVersion::new(6, 0).max(head.lowest_version());
    for entry in entries.clone() {
        if entry.target != target {
            let message = format!(
                "kernel `{}` is for {}, and the one before it for {target}: one PTX file has one target",
                entry.name, entry.target
            );
            return Err(Diagnostic::error(Code::ConflictingAttributes, message));
        }
        version = version.max(entry.version);
        for function in &entry.functions {
            if !head.functions.contains(function) {
                head.functions.push(function.clone());
            }
        }
        for variable in &entry.variables {
            if !head.variables.iter().any(|known| known.name == variable.name) {
                head.variables.push(variable.clone());
            }
        }
    }
    for global in globals.iter().filter(|global| !global.private) {
        if !head.variables.iter().any(|known| known.name.0 == global.name) {
            let variable = variable_of(global).map_err(|problem| problem.map_location(|_| None))?;
            head.variables.push(variable);
        }
    }
    head.version = version;
    let numbered = (1..).zip(&names.files).map(|(index, name)| ptx::SourceFile {
        index,
        name: name.clone(),
    });
    head.files = numbered.collect();
    let mut functions = names.functions.as_slice();
    if let Some(read) = entries.clone().next().filter(|_| names.files.is_empty()) {
        head.files.clone_from(&read.files);
        functions = &read.inlined_functions;
    }
    let mut text = head.to_string();
    for entry in entries {
        text.push('\n');
        text.push_str(&entry.text);
    }
    text.push_str(&ptx::function_names(functions));
    Ok(text)
}

/// The text of some stages of one language, without line directives. `module` holds the parts of their `cuda_tile` module
/// besides kernels; without it, the globals that they use are printed.
///
/// # Errors
/// A diagnostic if they cannot be in one file.
pub fn print_stages(stages: &[Stage], module: Option<&TileModule>) -> Result<String, Diagnostic<Location>> {
    let tiles = stages.iter().filter_map(|stage| match stage {
        Stage::CudaTile(kernel) => Some(kernel.as_ref()),
        _ => None,
    });
    let used = module.is_none().then(|| tile_module(tiles)).flatten();
    let module = module.or(used.as_ref());
    let Some(language) = stages.first().map(Stage::language) else {
        let language = module.map(|_| Language::CudaTile);
        return language.map_or(Ok(String::new()), |language| {
            join(language, [].iter(), module, &Names::default(), targets::DEFAULT)
        });
    };
    let printed: Vec<_> = stages.iter().map(Printed::of).collect();
    join(
        language,
        printed.iter(),
        module,
        &Names::default(),
        targets::DEFAULT,
    )
}

/// The parts, besides kernels, of the module that these kernels belong to.
fn tile_module<'a>(mut kernels: impl Iterator<Item = &'a TileKernel>) -> Option<TileModule> {
    let mut module = TileModule::clone(&kernels.next()?.module);
    for kernel in kernels {
        for global in &kernel.module.globals {
            if module.global(&global.name).is_none() {
                module.globals.push(global.clone());
            }
        }
    }
    Some(module)
}
