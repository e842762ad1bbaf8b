//! The pipeline: every pass in order, from language to language.
//!
//! The table at the end of this file is the only list of passes. It expands to one tracked function a pass
//! ([`queries`]), to the list that `tilewright passes` prints ([`PASSES`]), and to what `tilewright pass` runs
//! ([`run_alone`]). A kernel enters at the first pass that reads its own language, so that the text of every
//! language is an input; a pass whose output did not change stops the chain there.
//!
//! A row is `name: from => to = function;`, or `name: from => to where condition = function;` for a pass within a
//! language that hands on its input unless the condition holds of the [`Settings`].
//! A pass follows the one above it in the table, unless it says after which ones: a language that can be entered through
//! two doors has a pass after both, and a kernel goes through the one on the way from its own language.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::ptx::Target;

use tilewright_irs::core::Func;
use tilewright_irs::cute::Cute;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;
use tilewright_passes as passes;

use crate::database::{Db, Execution};
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::units::{Language, PtxKernel, Stage, TileKernel, Unit};

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, as `tilewright pass` takes it.
    pub name: &'static str,
    /// The language that it reads.
    pub from: Language,
    /// The language that it writes.
    pub to: Language,
    /// The passes before it: several where ways meet, none where one begins.
    pub after: &'static [&'static str],
    /// What it does, in one line.
    pub doc: &'static str,
}

impl Pass {
    /// The pass of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }
}

/// What a pass made of a kernel: its output, unless there was an error, and what it has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged<U> {
    /// The output; `None` after an error, in this pass or before it.
    pub unit: Option<Arc<U>>,
    /// What this pass has to say.
    pub diagnostics: Vec<Diagnostic<Origin>>,
}

/// What a pass returns.
struct Made<U> {
    result: Result<U, Vec<Diagnostic<Origin>>>,
    /// What there is to say whether it succeeds or not.
    warnings: Vec<Diagnostic<Origin>>,
}

impl<U> From<Result<U, Vec<Diagnostic<Origin>>>> for Made<U> {
    fn from(result: Result<U, Vec<Diagnostic<Origin>>>) -> Self {
        Self {
            result,
            warnings: Vec::new(),
        }
    }
}

/// The options that a pass may read. A pass that does not read one is not run again when it changes.
#[derive(Clone, Copy)]
pub struct Settings<'db> {
    db: &'db dyn Db,
    options: Options,
    /// Whether the pass was asked for by name.
    alone: bool,
}

impl std::fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Settings")
    }
}

impl Settings<'_> {
    /// The GPU.
    pub fn target(&self) -> Target {
        self.options.target(self.db).unwrap_or(crate::targets::DEFAULT)
    }

    /// How hard to try: 0 to 3.
    pub fn opt_level(&self) -> u8 {
        self.options.opt_level(self.db)
    }

    /// Whether products may be fused with sums. A pass that is asked for by name does what it is for.
    pub fn fmad(&self) -> bool {
        self.alone || self.options.fmad(self.db)
    }

    /// Whether a program stays as it is written: at -O0, if every op of it can be lowered. An op that has no lowering
    /// may yet be folded away, or be used by nobody, and no level refuses what another one compiles.
    fn keeps(&self, kernel: &TileKernel) -> bool {
        let lowered = || passes::cuda_tile_to_tileaa::resolve_views(&kernel.func, self.target());
        self.opt_level() == 0 && lowered().is_ok()
    }

    fn verify_each(&self) -> bool {
        self.options.verify_each(self.db)
    }
}

/// Whether passes run that only make code better.
fn optimising<U>(settings: Settings<'_>, _: &U) -> bool {
    settings.opt_level() > 0
}

/// Whether the clean-up of `cuda_tile` runs: at -O0 a program stays as it is written, if every op of it can be lowered.
fn cleaning_up(settings: Settings<'_>, kernel: &TileKernel) -> bool {
    !settings.keeps(kernel)
}

/// Whether products are fused with sums.
fn fusing<U>(settings: Settings<'_>, _: &U) -> bool {
    settings.fmad()
}

/// What a pass made of its input: the input itself where they are equal, which then is kept once.
fn shared<A: Unit, B: Unit>(input: &Arc<A>, made: B) -> Arc<B> {
    let input: &dyn Any = input;
    match input.downcast_ref::<Arc<B>>() {
        Some(input) if **input == made => Arc::clone(input),
        Some(_) | None => Arc::new(made),
    }
}

/// Runs a pass on a unit: times it, catches its panics, verifies its output. `handed_on` is what stands for the output
/// of a pass that does nothing.
fn execute<A: Unit, B: Unit, M: Into<Made<B>>>(
    settings: Settings<'_>,
    pass: &Pass,
    subject: &str,
    unit: &Arc<A>,
    handed_on: Option<Arc<B>>,
    run: impl FnOnce(&A, Settings<'_>) -> M,
) -> Staged<B> {
    if handed_on.is_some() {
        return Staged {
            unit: handed_on,
            diagnostics: Vec::new(),
        };
    }
    let start = Instant::now();
    let command = format!("tilewright pass {} <the kernel's {} text>", pass.name, pass.from);
    let outcome = crate::panics::caught(|| {
        let Made { result, warnings } = run(unit, settings).into();
        let wrong = match &result {
            Ok(made) if settings.verify_each() => made.verify(),
            Ok(_) | Err(_) => Vec::new(),
        };
        (result, warnings, wrong)
    });
    let staged = match outcome {
        Ok((Ok(made), diagnostics, wrong)) if wrong.is_empty() => Staged {
            unit: Some(shared(unit, made)),
            diagnostics,
        },
        Ok((Ok(_), mut diagnostics, wrong)) => {
            diagnostics.extend(wrong.into_iter().map(|problem| invalid(problem, pass, &command)));
            Staged {
                unit: None,
                diagnostics,
            }
        }
        Ok((Err(problems), mut diagnostics, _)) => {
            diagnostics.extend(problems);
            Staged {
                unit: None,
                diagnostics,
            }
        }
        Err(message) => {
            let bug = Diagnostic::bug(pass.from.name(), pass.name, message, &command);
            Staged {
                unit: None,
                diagnostics: vec![bug.at(Origin::FUNCTION, "")],
            }
        }
    };
    settings.db.record(pass.name, subject, start.elapsed());
    staged
}

/// What the verifier says of a pass's own output, as a bug of that pass.
fn invalid(problem: Diagnostic<Origin>, pass: &Pass, command: &str) -> Diagnostic<Origin> {
    let mut bug = Diagnostic::bug(pass.to.name(), pass.name, problem.message, command);
    bug.code = Code::InvalidStage;
    bug.notes.push(format!("the verifier's code: {}", problem.code));
    bug.primary = problem.primary;
    bug.secondary = problem.secondary;
    bug
}

/// Whether a kernel written in `language` enters the pipeline at the pass `name`.
fn enters_at(language: Language, name: &str) -> bool {
    let first = PASSES.iter().find(|pass| pass.from == language);
    first.is_some_and(|pass| pass.name == name)
}

/// The passes that a kernel written in `from` takes until it is finished in `to`; none where no way leads there.
///
/// A user's program in the user's own language is what the user wrote: the passes within `cuda_tile` belong to the way
/// down alone.
pub fn route(from: Language, to: Language) -> Vec<&'static Pass> {
    if (from, to) == (Language::CudaTile, Language::CudaTile) {
        return Vec::new();
    }
    let mut ends = PASSES.iter().rev().filter(|pass| pass.to == to);
    ends.find_map(|last| way(from, last)).unwrap_or_default()
}

/// Whether a kernel written in `from` can become one in `to`.
pub fn leads(from: Language, to: Language) -> bool {
    from == to || !route(from, to).is_empty()
}

/// The passes from where a kernel of a language enters up to `last`.
fn way(from: Language, last: &'static Pass) -> Option<Vec<&'static Pass>> {
    if enters_at(from, last.name) {
        return Some(vec![last]);
    }
    let mut before = last.after.iter().filter_map(|name| Pass::named(name));
    let mut way = before.find_map(|pass| way(from, pass))?;
    way.push(last);
    Some(way)
}

/// The pass of this name, if a kernel of the language goes through it.
fn is_on_way(language: Language, name: &str) -> bool {
    Pass::named(name).is_some_and(|pass| way(language, pass).is_some())
}

/// What the pass before a pass has made, where several are before it, the one that the kernel goes through; nothing
/// before a first one.
macro_rules! unit_before {
    ($db:ident, $kernel:ident, $options:ident,) => {
        None
    };
    ($db:ident, $kernel:ident, $options:ident, $before:ident) => {
        $before($db, $kernel, $options).unit.clone()
    };
    ($db:ident, $kernel:ident, $options:ident, $before:ident $($others:ident)+) => {
        if is_on_way($kernel.language($db), stringify!($before)) {
            $before($db, $kernel, $options).unit.clone()
        } else {
            unit_before!($db, $kernel, $options, $($others)+)
        }
    };
}

/// Goes through the table and puts, behind the name of each pass, those before it: the ones that it names, or the one
/// above it.
macro_rules! with_passes_before {
    ([$($above:ident)?] [$($done:tt)*]) => {
        passes! { $($done)* }
    };
    (
        [$($above:ident)?] [$($done:tt)*]
        $(#[doc = $doc:literal])+ $name:ident after ($($before:ident),*):
            $from:ty => $to:ty $(where $condition:ident)? = $run:expr; $($rest:tt)*
    ) => {
        with_passes_before! {
            [$name] [$($done)* $(#[doc = $doc])+ $name ($($before)*): $from => $to $(where $condition)? = $run;] $($rest)*
        }
    };
    (
        [$($above:ident)?] [$($done:tt)*]
        $(#[doc = $doc:literal])+ $name:ident: $from:ty => $to:ty $(where $condition:ident)? = $run:expr; $($rest:tt)*
    ) => {
        with_passes_before! {
            [$name] [$($done)* $(#[doc = $doc])+ $name ($($above)?): $from => $to $(where $condition)? = $run;] $($rest)*
        }
    };
}

/// What stands for the output of a pass whose condition, if it has one, does not hold.
macro_rules! handed_on {
    ($settings:ident, $input:ident,) => {
        None
    };
    ($settings:ident, $input:ident, $condition:ident) => {
        (!$condition($settings, &*$input)).then(|| Arc::clone(&$input))
    };
}

/// The tracked functions: what the table says.
macro_rules! tracked_passes {
    ($( $(#[doc = $doc:literal])+ $name:ident ($($before:ident)*): $from:ty => $to:ty $(where $condition:ident)? = $run:expr; )*) => {$(
        $(#[doc = $doc])+
        #[salsa::tracked]
        pub fn $name<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> Staged<$to> {
            let input = if enters_at(kernel.language(db), stringify!($name)) {
                <$from as Unit>::of(kernel.body(db))
            } else {
                unit_before!(db, kernel, options, $($before)*)
            };
            let (Some(input), Some(pass)) = (input, Pass::named(stringify!($name))) else {
                return Staged { unit: None, diagnostics: Vec::new() };
            };
            let settings = Settings { db, options, alone: false };
            let handed_on = handed_on!(settings, input, $($condition)?);
            execute(settings, pass, kernel.name(db), &input, handed_on, $run)
        }
    )*};
}

macro_rules! pipeline {
    ($($table:tt)*) => {
        with_passes_before! { [] [] $($table)* }
    };
}

macro_rules! passes {
    ($( $(#[doc = $doc:literal])+ $name:ident ($($before:ident)*): $from:ty => $to:ty $(where $condition:ident)? = $run:expr; )*) => {
        /// Every pass, in order.
        pub static PASSES: &[Pass] = &[$(
            Pass {
                name: stringify!($name),
                from: <$from as Unit>::LANGUAGE,
                to: <$to as Unit>::LANGUAGE,
                after: &[$(stringify!($before)),*],
                doc: concat!($($doc),+),
            }
        ),*];

        /// One tracked function for each pass.
        pub mod queries {
            use super::*;

            tracked_passes! { $( $(#[doc = $doc])+ $name ($($before)*): $from => $to $(where $condition)? = $run; )* }
        }

        /// What the pass `name` made of the kernel, the passes before it included.
        fn after<'db>(
            db: &'db dyn Db,
            kernel: Kernel<'db>,
            options: Options,
            name: &str,
        ) -> (Option<Stage>, Vec<Diagnostic<Origin>>) {
            match name {
                $(
                    stringify!($name) => {
                        let staged = queries::$name(db, kernel, options);
                        let stage = staged.unit.clone().map(Unit::into_stage);
                        (stage, staged.diagnostics.clone())
                    }
                )*
                _ => (None, Vec::new()),
            }
        }

        /// Runs one pass on one kernel, whose name is `subject`. `None` when the kernel is not in the pass's language.
        fn run(settings: Settings<'_>, pass: &Pass, subject: &str, stage: &Stage) -> Option<Lowered> {
            match pass.name {
                $(
                    stringify!($name) => {
                        let input = <$from as Unit>::of(stage)?;
                        let handed_on = handed_on!(settings, input, $($condition)?);
                        let staged: Staged<$to> = execute(settings, pass, subject, &input, handed_on, $run);
                        Some(Lowered {
                            stage: staged.unit.map(Unit::into_stage),
                            diagnostics: staged.diagnostics,
                        })
                    }
                )*
                _ => None,
            }
        }
    };
}

/// What passes made of a kernel, and what they have to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The kernel; `None` after an error.
    pub stage: Option<Stage>,
    /// What the passes have to say.
    pub diagnostics: Vec<Diagnostic<Origin>>,
}

/// Runs one pass, asked for by name, on one kernel. `None` when the kernel is not in the pass's language.
pub fn run_alone(
    db: &dyn Db,
    options: Options,
    pass: &Pass,
    subject: &str,
    stage: &Stage,
) -> Option<Lowered> {
    let alone = true;
    run(Settings { db, options, alone }, pass, subject, stage)
}

/// The kernel in a later language, by all passes in one query, so that nothing between is kept.
#[salsa::tracked]
fn lowered<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options, language: Language) -> Lowered {
    let alone = false;
    let settings = Settings { db, options, alone };
    let mut lowered = Lowered {
        stage: Some(kernel.body(db).clone()),
        diagnostics: Vec::new(),
    };
    for pass in route(kernel.language(db), language) {
        let Some(stage) = lowered.stage.take() else { break };
        if let Some(made) = run(settings, pass, kernel.name(db), &stage) {
            lowered.stage = made.stage;
            lowered.diagnostics.extend(made.diagnostics);
        }
    }
    lowered
}

/// The kernel in a language: its own text's, or what the passes make of it. `None` after an error, and for a
/// language that lies before the kernel's own.
pub fn stage<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Option<Stage> {
    let own = kernel.language(db);
    match route(own, language).last() {
        Some(pass) if db.keeps_stages() => after(db, kernel, options, pass.name).0,
        Some(_) => lowered(db, kernel, options, language).stage.clone(),
        None if own == language => Some(kernel.body(db).clone()),
        None => None,
    }
}

/// What the passes up to a language have to say about a kernel.
pub fn diagnostics<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Vec<Diagnostic<Origin>> {
    if !db.keeps_stages() {
        return lowered(db, kernel, options, language).diagnostics.clone();
    }
    let passes = route(kernel.language(db), language);
    passes
        .into_iter()
        .flat_map(|pass| after(db, kernel, options, pass.name).1)
        .collect()
}

/// The time that each pass took, summed over kernels, in the order of the pipeline.
pub fn times(executions: &[Execution]) -> Vec<(&'static str, Duration)> {
    let mut sums: Vec<(&'static str, Duration)> = Vec::new();
    for execution in executions {
        match sums.iter_mut().find(|(query, _)| *query == execution.query) {
            Some((_, time)) => *time += execution.time,
            None => sums.push((execution.query, execution.time)),
        }
    }
    let place = |query: &str| match query {
        "parse" => 0,
        _ => PASSES
            .iter()
            .position(|pass| pass.name == query)
            .map_or(usize::MAX, |at| at + 1),
    };
    sums.sort_by_key(|(query, _)| place(query));
    sums
}

pipeline! {
    /// Moves loop invariants of cuda_tile out of loops.
    hoist_tile_invariants: TileKernel => TileKernel where cleaning_up =
        |kernel, _| passes::cuda_tile::hoist_tile_invariants(&kernel.func).map(|func| kernel.with(func));

    /// Splits counted loops where a condition on the counter changes.
    split_loops: TileKernel => TileKernel where cleaning_up =
        |kernel, _| passes::cuda_tile::split_loops(&kernel.func).map(|func| kernel.with(func));

    /// Folds what is known, drops what does nothing, and puts the rest into one form.
    canonicalize: TileKernel => TileKernel where cleaning_up =
        |kernel, _| passes::cuda_tile::canonicalize(&kernel.func).map(|func| kernel.with(func));

    /// Fuses products with sums, which rounds once instead of twice: only when asked for.
    fuse_multiply_add: TileKernel => TileKernel where fusing =
        |kernel, _| passes::cuda_tile::fuse_multiply_add(&kernel.func).map(|func| kernel.with(func));

    /// Merges common subexpressions of cuda_tile.
    merge_common_tile_ops: TileKernel => TileKernel where cleaning_up =
        |kernel, _| passes::cleanup::merge_common_subexpressions(&kernel.func).map(|func| kernel.with(func));

    /// Removes dead code from cuda_tile.
    eliminate_dead_tile_ops: TileKernel => TileKernel where cleaning_up =
        |kernel, _| passes::cleanup::eliminate_dead_code(&kernel.func).map(|func| kernel.with(func));

    /// Resolves views, assumptions and hints: what is left speaks of arrays, facts and tokens.
    resolve_views: TileKernel => Func<TileAa> =
        |kernel, settings| {
            let target = settings.target();
            Made {
                warnings: passes::cuda_tile_to_tileaa::check_hints(&kernel.func, target),
                ..passes::cuda_tile_to_tileaa::resolve_views(&kernel.func, target).into()
            }
        };

    /// Merges common subexpressions of tileaa.
    merge_common_subexpressions: Func<TileAa> => Func<TileAa> where optimising =
        |func, _| passes::cleanup::merge_common_subexpressions(func);

    /// Removes dead code from tileaa.
    eliminate_dead_code: Func<TileAa> => Func<TileAa> where optimising =
        |func, _| passes::cleanup::eliminate_dead_code(func);

    /// Infers the divisibility, contiguity and bounds of values.
    propagate_facts: Func<TileAa> => Func<TileAa> =
        |func, _| passes::tileaa::propagate_facts(func);

    /// Marks tiled accesses that facts show to be inside of their array.
    prove_in_bounds: Func<TileAa> => Func<TileAa> =
        |func, settings| match settings.opt_level() {
            0 => Ok(func.clone()),
            _ => passes::tileaa::prove_in_bounds(func),
        };

    /// Decides the number of warps and blocks that run the kernel together.
    attach_kernel_spec: Func<TileAa> => Func<TileAa> =
        |func, _| passes::tileaa_to_tileas::attach_kernel_spec::attach_kernel_spec(func);

    /// Takes tiles that are wholly inside of their array apart from those at its edge.
    split_full_tiles: Func<TileAa> => Func<TileAa> where optimising =
        |func, _| passes::tileaa::split_full_tiles(func);

    /// Finds the widest vectors that each memory op can move.
    select_atoms: Func<TileAa> => Func<TileAa> =
        |func, _| passes::tileaa::select_atoms(func);

    /// Gives every tile a layout and every memory op an atom.
    assign_layouts: Func<TileAa> => Func<TileAs> =
        |func, _| passes::tileaa_to_tileas::assign_layouts(func);

    /// Moves layout conversions to where the fewest are needed, and computes cheap tiles again instead.
    place_conversions: Func<TileAs> => Func<TileAs> =
        |func, _| passes::tileas::place_conversions(func);

    /// Makes layout conversions between threads copies through buffers in shared memory.
    lower_conversions: Func<TileAs> => Func<TileAs> =
        |func, _| passes::tileas::lower_conversions(func);

    /// Has one agent do all ops, in order.
    schedule_serially: Func<TileAs> => Func<Scheduled> =
        |func, _| passes::tileas_to_scheduled::schedule_serially::schedule_serially(func);

    /// Places buffers in shared memory.
    allocate_shared: Func<Scheduled> => Func<Scheduled> =
        |func, _| passes::tileas_to_scheduled::allocate_shared(func);

    /// Puts barriers between accesses to the same memory.
    insert_barriers: Func<Scheduled> => Func<Scheduled> =
        |func, _| passes::tileas_to_scheduled::insert_barriers::insert_barriers(func);

    /// Assigns the named barriers of agents and mutexes.
    assign_barriers: Func<Scheduled> => Func<Scheduled> =
        |func, _| passes::tileas_to_scheduled::assign_barriers(func);

    /// Gives each thread its fragment of every tile, and addresses to copies.
    lower_fragments: Func<Scheduled> => Func<CuteDesugared> =
        |func, _| passes::scheduled_to_cute::lower_fragments(func);

    /// Computes operations on whole layouts and tensors.
    desugar after (): Func<Cute> => Func<CuteDesugared> =
        |func, _| passes::cute_to_cute_desugared::desugar(func);

    /// Expands pipes to barriers in shared memory and groups of asynchronous copies.
    expand_pipes after (lower_fragments, desugar): Func<CuteDesugared> => Func<CuteDesugared> =
        |func, _| passes::cute_desugared::expand_pipes(func);

    /// Takes fragments apart into scalars, and structured control flow into blocks.
    scalarize_fragments: Func<CuteDesugared> => Func<Llvm> =
        |func, _| passes::cute_to_llvm::scalarize_fragments(func);

    /// Makes float remainders loops of exact subtractions.
    expand_float_remainder: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::expand_float_remainder(func);

    /// Corrects quotients toward zero into those rounded up or down.
    expand_integer_division: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::expand_integer_division(func);

    /// Does arithmetic of f16 and bf16 that the target lacks in f32.
    legalize_small_floats: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::legalize_small_floats(func);

    /// Computes integers of 8 bits in 32.
    legalize_small_integers: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::legalize_small_integers(func);

    /// Folds constants, merges common subexpressions and removes dead code.
    simplify: Func<Llvm> => Func<Llvm> where optimising =
        |func, _| passes::llvm::simplify(func);

    /// Marks kernels the way nvvm does.
    rename_kernel_marker: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm_to_nvvm::rename_kernel_marker(func);

    /// Selects the instructions of the target.
    select_instructions: Func<Llvm> => Func<Nvvm> =
        |func, _| passes::llvm_to_nvvm::select_instructions(func);

    /// Removes dead code and unreached blocks from nvvm.
    remove_dead_code: Func<Nvvm> => Func<Nvvm> where optimising =
        |func, _| passes::cleanup::eliminate_dead_code(func);

    /// Writes PTX: registers, parameters, launch directives.
    emit_ptx: Func<Nvvm> => PtxKernel =
        |func, _| passes::nvvm_to_ptx::emit_ptx(func).map(PtxKernel::of_module);
}
