//! Whole files: all kernels compiled, and their texts put together.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::ptx::Target;

use crate::database::{Compiler, Db};
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::line_table::{self, Names};
use crate::locations::located;
use crate::pipeline;
use crate::printing;
use crate::reading;
use crate::source_map::place;
use crate::targets;
use crate::units::{Language, Stage};

/// The result of compiling a file to one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text; `None` after an error.
    pub text: Option<Arc<str>>,
    /// Diagnostics that concern the file as a whole.
    pub diagnostics: Vec<Diagnostic<Location>>,
}

/// A file's text in a language: all kernels, in the file's order.
#[salsa::tracked]
pub fn text(db: &dyn Db, source: Source, options: Options, language: Language) -> Output {
    let parsed = reading::parse(db, source);
    if let Some(problem) = parsed.lacks_kernels() {
        return Output {
            text: None,
            diagnostics: vec![problem],
        };
    }
    let mut kernels = Vec::with_capacity(parsed.kernels.len());
    for &kernel in &parsed.kernels {
        let Some(printed) = printing::printed(db, source, kernel, options, language) else {
            return Output {
                text: None,
                diagnostics: Vec::new(),
            };
        };
        kernels.push(printed);
    }
    let none = Names::default();
    let names = match line_table::has_lines(db, options, language) {
        true => line_table::line_names(db, source, options),
        false => &none,
    };
    let start = Instant::now();
    // Only PTX without kernels has the target of the options; what has kernels does not depend on it.
    let target = match kernels.is_empty() {
        true => options.target(db).unwrap_or(targets::DEFAULT),
        false => targets::DEFAULT,
    };
    let module = parsed.module.as_deref();
    let joined = printing::join(language, kernels.into_iter(), module, names, target);
    db.record("join", language.name(), start.elapsed());
    match joined {
        Ok(text) => Output {
            text: Some(text.into()),
            diagnostics: Vec::new(),
        },
        Err(problem) => Output {
            text: None,
            diagnostics: vec![problem],
        },
    }
}

/// With fewer kernels than this, starting threads costs more than it saves.
const SIDE_BY_SIDE_FROM: usize = 8;

/// Evaluates a query for each kernel of a file on several threads, if there are many kernels; results go to the shared storage.
fn side_by_side(compiler: &Compiler, source: Source, ask: impl Fn(&Compiler, Kernel<'_>) + Send + Sync) {
    let count = reading::parse(compiler, source).kernels.len();
    if count >= SIDE_BY_SIDE_FROM
        && let Ok(pool) = rayon::ThreadPoolBuilder::new().stack_size(crate::STACK).build()
    {
        // Each thread has its own handle.
        let handle = compiler.clone();
        pool.install(move || {
            (0..count).into_par_iter().for_each_with(handle, |compiler, at| {
                if let Some(&kernel) = reading::parse(compiler, source).kernels.get(at) {
                    crate::panics::quiet(|| ask(compiler, kernel));
                }
            });
        });
    }
}

/// Compiles a file to a language, many kernels in parallel, and returns its text and all diagnostics.
pub fn compile(
    compiler: &Compiler,
    source: Source,
    options: Options,
    language: Language,
) -> (Option<Arc<str>>, Vec<Diagnostic<Location>>) {
    let parsed = reading::parse(compiler, source);
    let mut said = parsed.diagnostics.clone();
    if !parsed.is_sound() {
        return (None, said);
    }
    if let Some(own) = parsed.language
        && own > language
    {
        let message = format!("the file is in `{own}`, which comes after `{language}`");
        said.push(Diagnostic::error(Code::BadArgument, message));
        return (None, said);
    }
    if let Some(own) = parsed.language
        && !pipeline::leads(own, language)
    {
        let way = pipeline::route(own, Language::Ptx).into_iter();
        let mut stages: Vec<String> = way.map(|pass| format!("`{}`", pass.to)).collect();
        stages.dedup();
        let message = format!(
            "`{language}` is not on the way from `{own}` to `ptx`, which goes through {}",
            stages.join(", ")
        );
        said.push(Diagnostic::error(Code::BadArgument, message));
        return (None, said);
    }
    // The language itself has no target, but its lowering has.
    if language != Language::CudaTile {
        let target = options.target(compiler).unwrap_or(targets::DEFAULT);
        said.extend(other_hints(options.hints(compiler), parsed.language, target));
        let kernels = parsed.kernels.iter();
        said.extend(kernels.flat_map(|&kernel| targets::lacking(compiler, kernel, target)));
        if said.iter().any(Diagnostic::is_error) {
            return (None, said);
        }
    }
    side_by_side(compiler, source, |db, kernel| {
        if line_table::has_lines(db, options, language) {
            // The numbers of files depend on the lines of all kernels.
            let _ = line_table::lines(db, source, kernel, options);
        } else {
            let _ = printing::printed(db, source, kernel, options, language);
        }
    });
    for &kernel in &parsed.kernels {
        said.extend(located(compiler, kernel, options, language).iter().cloned());
        said.extend(other_target(compiler, kernel, options));
    }
    for problem in &mut said {
        name_the_command(problem, compiler, source, options, language);
    }
    if said.iter().any(Diagnostic::is_error) {
        return (None, said);
    }
    side_by_side(compiler, source, |db, kernel| {
        let _ = printing::printed(db, source, kernel, options, language);
    });
    let output = text(compiler, source, options, language);
    said.extend(output.diagnostics.iter().cloned());
    (output.text.clone(), said)
}

/// Refuses hint overrides that the target does not admit, or for a file in a language without hints.
fn other_hints(
    hints: HintOverrides,
    language: Option<Language>,
    target: Target,
) -> Option<Diagnostic<Location>> {
    let own = language.filter(|own| *own != Language::CudaTile && !hints.is_empty());
    let problem = match own {
        Some(own) => format!("hints are those of `cuda_tile`, and the file is in `{own}`"),
        None => hints.check(target.sm).err()?,
    };
    Some(Diagnostic::error(Code::BadArgument, problem))
}

/// The target of a file's PTX: that of its kernels, or the one asked for.
pub fn target(compiler: &Compiler, source: Source, options: Options) -> Target {
    let kernel = reading::parse(compiler, source).kernels.first();
    let stage = kernel.and_then(|&kernel| pipeline::stage(compiler, kernel, options, Language::Ptx));
    let target = stage.as_ref().and_then(Stage::target);
    target
        .or_else(|| options.target(compiler))
        .unwrap_or(targets::DEFAULT)
}

/// Adds the file name to the command that reproduces a bug, which the pass does not know.
fn name_the_command(
    problem: &mut Diagnostic<Location>,
    db: &dyn Db,
    source: Source,
    options: Options,
    language: Language,
) {
    if !matches!(problem.code, Code::Internal | Code::InvalidStage) {
        return;
    }
    let mut command = format!(
        "tilewright compile {} --emit {language} --verify-each",
        source.name(db)
    );
    if let Some(target) = options.target(db) {
        command += &format!(" --target {target}");
    }
    command += &format!(" -O{}", options.opt_level(db));
    problem.notes.retain(|note| !note.starts_with("reproduce with: "));
    problem.notes.push(format!("reproduce with: {command}"));
}

/// Refuses to compile a text that names its target for another one.
fn other_target(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Option<Diagnostic<Location>> {
    let asked = options.target(db)?;
    let own = kernel.body(db).target()?;
    (own != asked).then(|| {
        let message = format!(
            "kernel `{}` is for {own} already, and {asked} is asked for",
            kernel.name(db)
        );
        place(
            Diagnostic::error(Code::ConflictingAttributes, message)
                .at(Origin::FUNCTION, "")
                .help("compile from a language before the choice of a target, or leave out --target"),
            kernel.places(db),
            kernel.name(db),
        )
    })
}
