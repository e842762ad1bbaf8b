//! The pipeline: every pass in order, from language to language.
//!
//! The table at the end of this file is the only list of passes. It expands to one tracked function for each pass
//! ([`queries`]), to the list that `tilewright passes` prints ([`PASSES`]), and to the dispatch of `tilewright pass`
//! ([`run_alone`]). A kernel enters at the first pass that reads its own language, so that the text of every language is an
//! input; a pass whose output did not change stops recompilation there.
//!
//! A row is `name: from => to = function;`, or `name: from => to where Condition = function;` for a pass within a language
//! that hands on its input unless the condition, of [`When`], holds. A pass that is asked for by name runs in any case.
//! Brackets after that have what the pass does to attributes: see [`changes`](mod@crate::changes).
//! A pass follows the one above it in the table, unless it says after which ones: a language that can be entered through
//! two doors has a pass after both, and a kernel goes through the one on the way from its own language.

use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Interrupted, Origin, Problem};
use tilewright_irs::ptx::Target;

use tilewright_irs::core::Func;
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag, allow};
use tilewright_irs::dialects::route::ForcedRoute;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;
use tilewright_passes as passes;
use tilewright_passes::hints::{self, AskedHint, HintUse, Unmet, Warned};
use tilewright_passes::llvm::promote_locals::Promoted;

use crate::changes::{self, Change, changes};
use crate::database::{Db, Execution};
use crate::discard::discard;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::units::{CuteKernel, Language, PtxKernel, Stage, TileKernel, Unit};

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, as `tilewright pass` takes it.
    pub name: &'static str,
    /// The language that it reads.
    pub from: Language,
    /// The language that it writes.
    pub to: Language,
    /// The passes before it: several where routes join, none where a route begins.
    pub after: &'static [&'static str],
    /// When the pipeline runs it.
    pub when: When,
    /// What it does, in one line.
    pub doc: &'static str,
    /// The attributes that it does not keep as they are.
    pub changes: &'static [Change],
}

impl Pass {
    /// The pass of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }
}

/// The result of a pass on a kernel: its output, unless there was an error, and its diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged<U: Unit> {
    /// The output; `None` after an error, in this pass or before it.
    pub unit: Option<Arc<U>>,
    /// The diagnostics of this pass.
    pub diagnostics: Vec<Problem>,
    /// What it made of hints, for the warnings of the kernel.
    pub hints: Vec<HintUse>,
}

impl<U: Unit> Default for Staged<U> {
    fn default() -> Self {
        Self {
            unit: None,
            diagnostics: Vec::new(),
            hints: Vec::new(),
        }
    }
}

impl<U: Unit> Drop for Staged<U> {
    fn drop(&mut self) {
        // After a change of the target, an edit would otherwise free every stage of every kernel.
        if let Some(unit) = self.unit.take().and_then(Arc::into_inner) {
            discard(unit);
        }
    }
}

/// What a pass returns.
struct Made<U> {
    result: Result<U, Vec<Diagnostic<Origin>>>,
    /// Warnings, reported whether the pass succeeds or not.
    warnings: Vec<Problem>,
    /// What it made of hints.
    hints: Vec<HintUse>,
}

impl<U> From<Result<U, Vec<Diagnostic<Origin>>>> for Made<U> {
    fn from(result: Result<U, Vec<Diagnostic<Origin>>>) -> Self {
        Self {
            result,
            warnings: Vec::new(),
            hints: Vec::new(),
        }
    }
}

impl<F> From<Result<Warned<F>, Vec<Diagnostic<Origin>>>> for Made<F> {
    fn from(result: Result<Warned<F>, Vec<Diagnostic<Origin>>>) -> Self {
        match result {
            Ok(warned) => warned.into(),
            Err(problems) => Err::<F, _>(problems).into(),
        }
    }
}

impl From<Result<Promoted, Vec<Diagnostic<Origin>>>> for Made<Func<Llvm>> {
    fn from(result: Result<Promoted, Vec<Diagnostic<Origin>>>) -> Self {
        let (result, notes) = match result {
            Ok(Promoted { func, notes }) => (Ok(func), notes),
            Err(problems) => (Err(problems), Vec::new()),
        };
        Self {
            result,
            warnings: notes.into_iter().map(Problem::from).collect(),
            hints: Vec::new(),
        }
    }
}

impl<F> From<Warned<F>> for Made<F> {
    fn from(Warned { func, hints }: Warned<F>) -> Self {
        Self {
            result: Ok(func),
            warnings: Vec::new(),
            hints,
        }
    }
}

/// The options that a pass may read. A pass that does not read one is not run again when it changes.
#[derive(Clone, Copy)]
pub struct Settings<'db> {
    db: &'db dyn Db,
    options: Options,
    /// The kernel on its way through the pipeline; `None` for a pass that was asked for by name.
    kernel: Option<Kernel<'db>>,
}

impl fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Settings")
    }
}

impl Settings<'_> {
    /// The GPU.
    pub fn target(&self) -> Target {
        self.options.target(self.db).unwrap_or(crate::targets::DEFAULT)
    }

    /// The optimisation level, 0 to 3.
    pub fn opt_level(&self) -> u8 {
        self.options.opt_level(self.db)
    }

    /// Hints that replace those of the program: those that were tuned for the kernel, as it was read, and those of the command
    /// line.
    pub fn hints(&self) -> HintOverrides {
        let of = |kernel: Kernel<'_>| match kernel.body(self.db) {
            Stage::CudaTile(program) => self.db.tuned()?.hints(program, self.target()),
            _ => None,
        };
        let tuned = self.kernel.and_then(of).unwrap_or_default();
        tuned.replaced_by(self.options.hints(self.db))
    }

    /// A route that all accesses take that can.
    pub fn route(&self) -> Option<ForcedRoute> {
        self.options.route(self.db)
    }

    /// In what results may differ, beside what the program allows.
    fn fast_math(&self) -> FastMath {
        self.options.fast_math(self.db)
    }

    /// A kernel as it enters a pass that is its first, with the flags of the options.
    fn entering(&self, stage: &Stage) -> Stage {
        match self.fast_math() {
            FastMath::NONE => stage.clone(),
            flags => stage.allowing(flags),
        }
    }

    /// Whether a kernel of `cute` checks what it asserts.
    fn checks(&self) -> bool {
        self.options.checks(self.db)
    }

    fn verify_each(&self) -> bool {
        self.options.verify_each(self.db)
    }
}

/// When the pipeline runs a pass. Elsewhere it hands on the kernel as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// From -O1 on: the pass only makes code better.
    Optimising,
    /// From -O1 on, and for a kernel with an op that has no lowering.
    CleaningUp,
    /// With the flag `contract` of `--fast-math`: the pass changes results.
    Fusing,
    /// With `--checks`.
    Checking,
    /// Without `--checks`.
    Unchecked,
    /// Never: the pass is asked for by name.
    Asked,
}

impl When {
    fn holds<'db>(self, settings: Settings<'db>, kernel: Kernel<'db>) -> bool {
        match self {
            Self::Always => true,
            Self::Optimising => settings.opt_level() > 0,
            Self::CleaningUp => !stays_as_written(settings.db, kernel, settings.options),
            Self::Fusing => settings.fast_math().has(FastMathFlag::Contract),
            Self::Checking => settings.checks(),
            Self::Unchecked => !settings.checks(),
            Self::Asked => false,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Always => "always",
            Self::Optimising => "from -O1",
            Self::CleaningUp => "from -O1, or an op has no lowering",
            Self::Fusing => "--fast-math=contract",
            Self::Checking => "--checks",
            Self::Unchecked => "without --checks",
            Self::Asked => "by its name only",
        })
    }
}

/// Whether a kernel skips the optional passes within `cuda_tile`: at -O0, if each of its ops can be lowered. An op without a
/// lowering may be folded or turn out dead, and a program that compiles at one level compiles at all.
///
/// A query of its own, since finding out takes a lowering of the whole kernel.
#[salsa::tracked]
fn stays_as_written<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> bool {
    options.may_change(db);
    if options.opt_level(db) > 0 {
        return false;
    }
    let Some(program) = <TileKernel as Unit>::of(kernel.body(db)) else {
        return false;
    };
    let start = Instant::now();
    let target = options.target(db).unwrap_or(crate::targets::DEFAULT);
    let lowered = passes::cuda_tile_to_tileaa::resolve_views(&program.func, &program.module.globals, target);
    db.record("stays_as_written", kernel.name(db), start.elapsed());
    lowered.is_ok()
}

/// The output of a pass. If it equals the input, and both are kept, it is the input's `Arc`, so that the two share memory.
fn shared<A: Unit, B: Unit>(db: &dyn Db, input: &Arc<A>, made: B) -> Arc<B> {
    let input: &dyn Any = input;
    match input.downcast_ref::<Arc<B>>() {
        Some(input) if db.keeps_stages() && **input == made => Arc::clone(input),
        Some(_) | None => Arc::new(made),
    }
}

/// Runs work, and catches its panics. If an edit is waiting for it, it ends like a cancelled query.
fn watched<T>(db: &dyn Db, subject: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    let Some(watch) = db.watch() else {
        return crate::panics::caught(work);
    };
    let run = AssertUnwindSafe(|| watch.over(|| crate::panics::caught(work)));
    panic::catch_unwind(run).unwrap_or_else(|payload| {
        if payload.is::<Interrupted>() {
            db.record("interrupted", subject, Duration::ZERO);
            // The edit cancels the query as soon as it has told its passes.
            let start = Instant::now();
            while start.elapsed() < EDITED_WITHIN {
                db.unwind_if_revision_cancelled();
                thread::yield_now();
            }
        }
        panic::resume_unwind(payload)
    })
}

/// The time within which an edit has to cancel the queries whose passes it has interrupted.
const EDITED_WITHIN: Duration = Duration::from_secs(10);

/// Runs a pass on a unit: times it, catches its panics, verifies its output. `handed_on` is the output of a pass that is
/// skipped.
fn execute<A: Unit, B: Unit, M: Into<Made<B>>>(
    settings: Settings<'_>,
    pass: &Pass,
    subject: &str,
    unit: &Arc<A>,
    handed_on: Option<Arc<B>>,
    run: impl FnOnce(&A, Settings<'_>) -> M,
) -> Staged<B> {
    if handed_on.is_some() {
        let mut staged = Staged::default();
        staged.unit = handed_on;
        return staged;
    }
    let start = Instant::now();
    let command = format!("tilewright pass {} <the kernel's {} text>", pass.name, pass.from);
    let outcome = watched(settings.db, subject, || {
        let made: Made<B> = run(unit, settings).into();
        let wrong = match &made.result {
            Ok(made) if settings.verify_each() => made.verify(),
            Ok(_) | Err(_) => Vec::new(),
        };
        (made, wrong)
    });
    let mut staged = Staged::default();
    match outcome {
        Ok((made, wrong)) => {
            staged.diagnostics = made.warnings;
            staged.hints = made.hints;
            match made.result {
                Ok(made) if wrong.is_empty() => staged.unit = Some(shared(settings.db, unit, made)),
                Ok(_) => {
                    let wrong = wrong.into_iter().map(|problem| invalid(problem, pass, &command));
                    staged.diagnostics.extend(wrong);
                }
                Err(problems) => staged.diagnostics.extend(problems.into_iter().map(Problem::from)),
            }
        }
        Err(message) => {
            let bug = Diagnostic::bug(pass.from.name(), pass.name, message, &command);
            staged.diagnostics = vec![bug.at(Origin::FUNCTION, "").into()];
        }
    }
    settings.db.record(pass.name, subject, start.elapsed());
    staged
}

/// Reports a verifier error in a pass's output as a bug of that pass.
fn invalid(
    Problem {
        diagnostic: problem, ..
    }: Problem,
    pass: &Pass,
    command: &str,
) -> Problem {
    let mut bug = Diagnostic::bug(pass.to.name(), pass.name, problem.message, command);
    bug.code = Code::InvalidStage;
    bug.notes.push(format!("the verifier's code: {}", problem.code));
    bug.primary = problem.primary;
    bug.secondary = problem.secondary;
    // The parts of a made op stand nowhere.
    bug.into()
}

/// Whether a kernel written in `language` enters the pipeline at the pass `name`.
fn enters_at(language: Language, name: &str) -> bool {
    let first = PASSES.iter().find(|pass| pass.from == language);
    first.is_some_and(|pass| pass.name == name)
}

/// The passes from the language `from` to the end of the language `to`; empty if there is no route.
///
/// The passes within `cuda_tile` are part of the lowering only: a program that is printed in its own language is not changed.
pub fn route(from: Language, to: Language) -> Vec<&'static Pass> {
    if (from, to) == (Language::CudaTile, Language::CudaTile) {
        return Vec::new();
    }
    let mut ends = PASSES
        .iter()
        .rev()
        .filter(|pass| pass.to == to && pass.when != When::Asked);
    ends.find_map(|last| way(from, last)).unwrap_or_default()
}

/// Whether a kernel in `from` can be lowered to `to`.
pub fn leads(from: Language, to: Language) -> bool {
    from == to || !route(from, to).is_empty()
}

/// The passes from a language's entry up to `last`.
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

/// The output of the pass before a pass; of several, the one on the kernel's route. The first pass of a route has none.
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

/// Traverses the table and adds to the name of each pass its predecessors: the ones that it names, or the row above.
macro_rules! with_passes_before {
    ([$($above:ident)?] [$($done:tt)*]) => {
        passes! { $($done)* }
    };
    (
        [$($above:ident)?] [$($done:tt)*]
        $(#[doc = $doc:literal])+ $name:ident after ($($before:ident),*):
            $from:ty => $to:ty $(where $condition:ident)? $([$($changes:tt)*])? = $run:expr; $($rest:tt)*
    ) => {
        with_passes_before! {
            [$name]
            [$($done)* $(#[doc = $doc])+ $name ($($before)*): $from => $to $(where $condition)? $([$($changes)*])? = $run;]
            $($rest)*
        }
    };
    (
        [$($above:ident)?] [$($done:tt)*]
        $(#[doc = $doc:literal])+ $name:ident:
            $from:ty => $to:ty $(where $condition:ident)? $([$($changes:tt)*])? = $run:expr; $($rest:tt)*
    ) => {
        with_passes_before! {
            [$name]
            [$($done)* $(#[doc = $doc])+ $name ($($above)?): $from => $to $(where $condition)? $([$($changes)*])? = $run;]
            $($rest)*
        }
    };
}

/// The condition of a row.
macro_rules! condition {
    () => {
        When::Always
    };
    ($condition:ident) => {
        When::$condition
    };
}

/// The output of a pass whose condition is false.
macro_rules! handed_on {
    ($settings:ident, $input:ident,) => {
        None
    };
    ($settings:ident, $input:ident, $condition:ident) => {
        match $settings.kernel {
            Some(kernel) if !When::$condition.holds($settings, kernel) => Some(Arc::clone(&$input)),
            Some(_) | None => None,
        }
    };
}

/// The tracked functions, one for each row.
macro_rules! tracked_passes {
    ($( $(#[doc = $doc:literal])+ $name:ident ($($before:ident)*): $from:ty => $to:ty $(where $condition:ident)? = $run:expr; )*) => {$(
        $(#[doc = $doc])+
        #[salsa::tracked]
        pub fn $name<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> Staged<$to> {
            options.may_change(db);
            let settings = Settings { db, options, kernel: Some(kernel) };
            let input = if enters_at(kernel.language(db), stringify!($name)) {
                <$from as Unit>::of(&settings.entering(kernel.body(db)))
            } else {
                unit_before!(db, kernel, options, $($before)*)
            };
            let (Some(input), Some(pass)) = (input, Pass::named(stringify!($name))) else {
                return Staged::default();
            };
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
    ($(
        $(#[doc = $doc:literal])+ $name:ident ($($before:ident)*):
            $from:ty => $to:ty $(where $condition:ident)? $([$($changes:tt)*])? = $run:expr;
    )*) => {
        /// Every pass, in order.
        pub static PASSES: &[Pass] = &[$(
            Pass {
                name: stringify!($name),
                from: <$from as Unit>::LANGUAGE,
                to: <$to as Unit>::LANGUAGE,
                after: &[$(stringify!($before)),*],
                when: condition!($($condition)?),
                doc: concat!($($doc),+),
                changes: changes!($($($changes)*)?),
            }
        ),*];

        $(const _: () = assert!(
            changes::exist(
                changes!($($($changes)*)?),
                &<$from as Unit>::DECLARED,
                &<$to as Unit>::DECLARED,
            ),
            concat!("`", stringify!($name), "` changes an attribute that its languages do not have"),
        );)*

        /// One tracked function for each pass.
        pub mod queries {
            use super::*;

            tracked_passes! { $( $(#[doc = $doc])+ $name ($($before)*): $from => $to $(where $condition)? = $run; )* }
        }

        /// The output of the pass `name` for the kernel, including the passes before it.
        fn after<'db>(
            db: &'db dyn Db,
            kernel: Kernel<'db>,
            options: Options,
            name: &str,
        ) -> Lowered {
            match name {
                $(
                    stringify!($name) => {
                        Lowered::of(queries::$name(db, kernel, options))
                    }
                )*
                _ => Lowered::default(),
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
                        Some(Lowered::of(&staged))
                    }
                )*
                _ => None,
            }
        }
    };
}

/// The lowered form of a kernel, and the diagnostics of its passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lowered {
    /// The kernel; `None` after an error.
    pub stage: Option<Stage>,
    /// The diagnostics of the passes.
    pub diagnostics: Vec<Problem>,
    /// What the passes made of hints.
    hints: Vec<HintUse>,
}

impl Lowered {
    fn of<U: Unit>(staged: &Staged<U>) -> Self {
        Self {
            stage: staged.unit.clone().map(Unit::into_stage),
            diagnostics: staged.diagnostics.clone(),
            hints: staged.hints.clone(),
        }
    }

    /// The hints that the passes have not followed, of those `asked` for by accesses, if all passes that read hints have run.
    fn unmet(&self, asked: Option<&[AskedHint]>) -> Vec<Unmet> {
        hints::unmet(&self.hints, asked.filter(|_| self.stage.is_some()))
    }

    /// The diagnostics of the passes, with those about hints that they have not followed.
    fn said(&self, unmet: &[Unmet]) -> Vec<Problem> {
        let of_hints = unmet.iter().map(|unmet| unmet.diagnostic().into());
        self.diagnostics.iter().cloned().chain(of_hints).collect()
    }
}

/// Runs one pass, asked for by name, on one kernel. `None` when the kernel is not in the pass's language.
pub fn run_alone(
    db: &dyn Db,
    options: Options,
    pass: &Pass,
    subject: &str,
    stage: &Stage,
) -> Option<Lowered> {
    let kernel = None;
    let settings = Settings { db, options, kernel };
    let mut lowered = run(settings, pass, subject, &settings.entering(stage))?;
    lowered.diagnostics = lowered.said(&lowered.unmet(None));
    Some(lowered)
}

/// The kernel in a later language, by all passes in one query, so that intermediate forms are not cached.
#[salsa::tracked]
fn lowered<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options, language: Language) -> Lowered {
    let settings = Settings {
        db,
        options,
        kernel: Some(kernel),
    };
    let mut lowered = Lowered {
        stage: Some(settings.entering(kernel.body(db))),
        ..Lowered::default()
    };
    for pass in route(kernel.language(db), language) {
        let Some(stage) = lowered.stage.take() else { break };
        if let Some(made) = run(settings, pass, kernel.name(db), &stage) {
            lowered.stage = made.stage;
            lowered.diagnostics.extend(made.diagnostics);
            lowered.hints.extend(made.hints);
        }
    }
    lowered
}

/// The kernel in a language: as read, or as lowered by the passes. `None` after an error, and for a language before the
/// kernel's own.
pub fn stage<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Option<Stage> {
    let own = kernel.language(db);
    match route(own, language).last() {
        Some(pass) if db.keeps_stages() => after(db, kernel, options, pass.name).stage,
        Some(_) => lowered(db, kernel, options, language).stage.clone(),
        None if own == language => Some(kernel.body(db).clone()),
        None => None,
    }
}

/// The output of a pass for the kernel, including the passes before it. `None` after an error, and for a pass that is not on
/// the kernel's way.
pub fn stage_after<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    pass: &'static Pass,
) -> Option<Stage> {
    let is_on_way = is_on_way(kernel.language(db), pass.name);
    is_on_way
        .then(|| after(db, kernel, options, pass.name).stage)
        .flatten()
}

/// What a pass made of the hints of a kernel.
pub(crate) fn hint_uses<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    pass: &Pass,
) -> Vec<HintUse> {
    after(db, kernel, options, pass.name).hints
}

/// A kernel before a pass, with what the options make of it there: before the first pass it gets fast-math flags; where hints
/// are lowered, it has those of the options and of the program for the target only.
pub(crate) fn with_options(
    db: &dyn Db,
    kernel: Kernel<'_>,
    options: Options,
    pass: &Pass,
    before: &Stage,
) -> Stage {
    let settings = Settings {
        db,
        options,
        kernel: Some(kernel),
    };
    match before {
        Stage::CudaTile(program) if pass.to != Language::CudaTile => {
            let (all, target) = (settings.hints(), settings.target());
            let func = passes::cuda_tile_to_tileaa::override_hints(&program.func, &all, target);
            Arc::new(TileKernel {
                func: passes::cuda_tile_to_tileaa::hints_for(&func, target),
                module: Arc::clone(&program.module),
            })
            .into()
        }
        _ if enters_at(kernel.language(db), pass.name) => settings.entering(before),
        _ => before.clone(),
    }
}

/// The diagnostics of the passes up to a language for a kernel.
pub fn diagnostics<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Vec<Problem> {
    let of = |all: &Lowered| all.said(&all.unmet(asked_hints(db, kernel, options, language).as_deref()));
    match db.keeps_stages() {
        true => of(&all_stages(db, kernel, options, language)),
        false => of(lowered(db, kernel, options, language)),
    }
}

/// The hints of a kernel that the passes up to a language have not followed.
pub fn unmet_hints<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Vec<Unmet> {
    let asked = asked_hints(db, kernel, options, language);
    all_stages(db, kernel, options, language).unmet(asked.as_deref())
}

/// The kernel in a later language, by passes whose outputs are kept, and what they all said.
fn all_stages<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options, language: Language) -> Lowered {
    let mut all = Lowered::default();
    for pass in route(kernel.language(db), language) {
        let after = after(db, kernel, options, pass.name);
        all.stage = after.stage;
        all.diagnostics.extend(after.diagnostics);
        all.hints.extend(after.hints);
    }
    all
}

/// The hints that a kernel has for its accesses, if the way to a language goes past all passes that read them.
fn asked_hints<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Option<Vec<AskedHint>> {
    let Stage::CudaTile(program) = kernel.body(db) else {
        return None;
    };
    let kernel = Some(kernel);
    let settings = Settings { db, options, kernel };
    let (all, target) = (settings.hints(), settings.target());
    let func = passes::cuda_tile_to_tileaa::override_hints(&program.func, &all, target);
    (language > Language::Scheduled).then(|| passes::cuda_tile_to_tileaa::asked_hints(&func, target, &all))
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
    /// Hoists loop-invariant ops of cuda_tile out of loops.
    hoist_tile_invariants: TileKernel => TileKernel where CleaningUp =
        |kernel, _| kernel.mapped(passes::cuda_tile::hoist_tile_invariants);

    /// Splits counted loops where a condition on the counter changes.
    split_loops: TileKernel => TileKernel where CleaningUp [makes op "cuda_tile.divi rounding"] =
        |kernel, _| kernel.mapped(passes::cuda_tile::split_loops);

    /// Folds constants, simplifies branches and loops, and canonicalises ops.
    canonicalize: TileKernel => TileKernel where CleaningUp =
        |kernel, _| kernel.mapped(passes::cuda_tile::canonicalize);

    /// Fuses multiplications and additions into FMAs, which round once instead of twice.
    fuse_multiply_add: TileKernel => TileKernel where Fusing =
        |kernel, _| kernel.mapped(passes::cuda_tile::fuse_multiply_add);

    /// Merges common subexpressions of cuda_tile.
    merge_common_cuda_tile_subexpressions: TileKernel => TileKernel where CleaningUp =
        |kernel, _| kernel.mapped(passes::cleanup::merge_common_subexpressions);

    /// Removes dead code from cuda_tile.
    eliminate_dead_cuda_tile_code: TileKernel => TileKernel where CleaningUp =
        |kernel, _| kernel.mapped(passes::cleanup::eliminate_dead_code);

    /// Computes with scalars where the body of a reduction or a scan computes with tiles.
    scalarize_fold_bodies: TileKernel => TileKernel [drops op "fast_acc"] =
        |kernel, _| kernel.mapped(passes::cuda_tile::scalarize_fold_bodies);

    /// Lowers views to memrefs, assumptions to facts, and hints to attributes.
    resolve_views: TileKernel => Func<TileAa> [
        makes op "tileaa.atomic_cas scope",
        makes op "tileaa.atomic_scatter scope",
        makes type "contig",
        renames function "num_cta_in_cga" to function "cluster_hint",
        renames function "num_worker_warps_per_cta" to function "num_warps",
        makes function "target",
        renames op "rounding_mode" to op "rounding",
        renames op "rounding_mode" to op "precision",
        renames op "fast_acc" to op "fast",
        renames op "ordering" to op "order",
        makes op "dim_map",
        makes op "steps",
        makes op "fast_math",
        makes op "num_stages",
        consumes op "predicate",
        drops op "cuda_tile.load_ptr_tko allow_tma",
        drops op "cuda_tile.store_ptr_tko allow_tma",
        drops op "cuda_tile.trunci overflow",
        drops op "global",
        renames type "dim_map" to op "dim_map",
        renames type "traversal_strides" to op "steps",
        consumes type "sparse_dim",
        renames type "padding_value" to op "padding",
        drops type "ptr_attr",
        makes type "div",
        makes type "min",
        makes type "max",
        makes type "align",
        makes type "class",
        drops module "version",
        drops module "producer",
        renames module "alignment" to op "align",
        renames module "private" to op "visible",
        drops module "constant",
    ] =
        |kernel, settings| {
            let target = settings.target();
            let globals = &kernel.module.globals;
            let all = settings.hints();
            let func = passes::cuda_tile_to_tileaa::override_hints(&kernel.func, &all, target);
            let mut warnings = passes::cuda_tile_to_tileaa::check_hints(&func, target);
            warnings.extend(passes::cuda_tile_to_tileaa::idle_hints(&func, &all));
            warnings.extend(passes::cuda_tile_to_tileaa::ignored_attributes(&func, globals));
            Made {
                warnings,
                hints: passes::cuda_tile_to_tileaa::gather_hints(&func, target),
                ..passes::cuda_tile_to_tileaa::resolve_views(&func, globals, target)
                    .map(|func| allow(func, settings.fast_math()))
                    .map(|func| passes::cuda_tile_to_tileaa::override_stages(func, &all))
                    .into()
            }
        };

    /// Gives every iteration of a counted loop, and a kernel with products, one end.
    structure_ends: Func<TileAa> => Func<TileAa> where Optimising =
        |func, _| passes::tileaa::structure_ends(func);

    /// Makes one loop of nested loops around a product.
    coalesce_loops: Func<TileAa> => Func<TileAa> where Optimising [makes op "overflow"] =
        |func, _| passes::tileaa::coalesce_loops(func);

    /// Transposes products whose results are multiplied as transposed matrices.
    turn_products: Func<TileAa> => Func<TileAa> where Optimising =
        |func, _| passes::tileaa::turn_products(func);

    /// Merges common subexpressions of tileaa.
    merge_common_tileaa_subexpressions: Func<TileAa> => Func<TileAa> where Optimising =
        |func, _| passes::cleanup::merge_common_subexpressions(func);

    /// Removes dead code from tileaa.
    eliminate_dead_tileaa_code: Func<TileAa> => Func<TileAa> where Optimising =
        |func, _| passes::cleanup::eliminate_dead_code(func);

    /// Narrows tiles to the elements that can reach memory.
    narrow_tiles: Func<TileAa> => Func<TileAa> where Optimising [
        drops type "contig",
        drops type "same",
        makes type "contig",
        makes type "same",
    ] =
        |func, _| passes::tileaa::narrow_tiles(func);

    /// Distributes the tiles of a tile block over the blocks of a cluster.
    distribute_tiles: Func<TileAa> => Func<TileAa> [
        renames function "cluster_hint" to function "num_ctas",
        makes op "steps",
        makes op "scope",
    ] =
        |func, _| passes::tileaa::distribute_tiles(func);

    /// Computes tiles whose accumulators do not fit in registers in parts.
    split_accumulators: Func<TileAa> => Func<TileAa> where Optimising [makes op "steps"] =
        |func, _| passes::tileaa::split_accumulators(func);

    /// Computes products whose operands take much shared memory in steps along their depth.
    split_depth: Func<TileAa> => Func<TileAa> where Optimising [makes op "steps"] =
        |func, _| passes::tileaa::split_depth(func);

    /// Infers divisibility, contiguity and bounds of values.
    propagate_facts: Func<TileAa> => Func<TileAa> [
        makes type "div",
        makes type "contig",
        makes type "same",
        makes type "min",
        makes type "max",
        makes type "align",
        makes type "extent_div",
        makes type "stride_div",
    ] =
        |func, _| passes::tileaa::propagate_facts(func);

    /// Marks tiled accesses that facts show to be inside of their array.
    prove_in_bounds: Func<TileAa> => Func<TileAa> where Optimising [makes op "inbounds", drops op "padding"] =
        |func, _| passes::tileaa::prove_in_bounds(func);

    /// Marks integer arithmetic that facts show not to overflow.
    prove_no_overflow: Func<TileAa> => Func<TileAa> where Optimising [makes op "overflow"] =
        |func, _| passes::tileaa::prove_no_overflow(func);

    /// Divides numbers that are not negative as unsigned ones.
    unsigned_divisions: Func<TileAa> => Func<TileAa> where Optimising [
        makes op "arith.divi signedness",
        makes op "arith.divi rounding",
        makes op "arith.remi signedness",
    ] =
        |func, _| passes::tileaa::unsigned_divisions(func);

    /// Chooses the instructions of matrix products, and how the tiles of their operands travel.
    choose_routes: Func<TileAa> => Func<TileAa> where Optimising [
        makes op "route",
        consumes op "persistent",
        consumes op "serial",
    ] =
        |func, settings| passes::tileaa::choose_routes(func, settings.route());

    /// Makes matrix products those that instructions of the target compute.
    legalize_products: Func<TileAa> => Func<TileAa> [
        makes op "fast",
        makes op "route",
        makes function "num_warps",
    ] =
        |func, _| passes::tileaa::legalize_products(func);

    /// Chooses the number of warps and blocks of the kernel.
    attach_kernel_spec: Func<TileAa> => Func<TileAa> [
        makes function "num_warps",
        makes function "num_ctas",
        makes function "occupancy",
        consumes op "persistent",
    ] =
        |func, _| passes::tileaa_to_tileas::attach_kernel_spec::attach_kernel_spec(func);

    /// Versions loops that read the same tiles for the case of a single iteration.
    specialize_single_iterations: Func<TileAa> => Func<TileAa> where Optimising [consumes op "serial"] =
        |func, _| passes::tileaa::specialize_single_iterations(func);

    /// Unrolls loops over memory, with the loads of several iterations first.
    unroll_loops: Func<TileAa> => Func<TileAa> where Optimising [
        makes op "loads_ahead",
        consumes op "serial",
        makes op "overflow",
        makes type "min",
        makes type "max",
    ] =
        |func, _| passes::tileaa::unroll_loops(func);

    /// Merges loads of the same tile.
    merge_repeated_loads: Func<TileAa> => Func<TileAa> where Optimising [makes op "tileaa.load allow_tma"] =
        |func, _| passes::tileaa::merge_repeated_loads(func);

    /// Issues the loads of a loop ahead of their iterations, into registers.
    prefetch_loads: Func<TileAa> => Func<TileAa> where Optimising [
        makes op "loads_ahead",
        consumes op "serial",
        makes op "overflow",
        makes type "min",
        makes type "max",
    ] =
        |func, _| passes::tileaa::prefetch_loads(func);

    /// Issues loads before the reductions that precede them.
    hoist_loads: Func<TileAa> => Func<TileAa> where Optimising =
        |func, _| passes::tileaa::hoist_loads(func);

    /// Versions tile accesses: full tiles without masks, partial tiles with masks.
    split_full_tiles: Func<TileAa> => Func<TileAa> where Optimising [makes op "inbounds", makes type "extent_div"] =
        |func, _| passes::tileaa::split_full_tiles(func);

    /// Computes the widest vector access of each memory op from facts.
    select_atoms: Func<TileAa> => Func<TileAa> [
        makes op "access",
        consumes type "extent_div",
        consumes type "stride_div",
    ] =
        |func, _| passes::tileaa::select_atoms(func);

    /// Chooses how the threads copy what matrix products read.
    choose_copies: Func<TileAa> => Func<TileAa> where Optimising [makes op "route"] =
        |func, settings| passes::tileaa::choose_copies(func, settings.route());

    /// Assigns a distributed layout to every tile and an atom to every memory op.
    assign_layouts: Func<TileAa> => Func<TileAs> [
        makes op "in_flight",
        renames function "num_warps" to function "kernel_spec.num_warps",
        renames function "num_ctas" to function "kernel_spec.num_ctas",
        renames function "occupancy" to function "kernel_spec.occupancy",
        makes function "shared_bytes",
        drops op "fast",
        drops type "div",
        drops type "contig",
        drops type "same",
        drops type "min",
        drops type "max",
        drops op "persistent",
        renames op "access" to op "atom",
        consumes op "route",
        makes op "atom",
    ] =
        |func, _| passes::tileaa_to_tileas::assign_layouts(func);

    /// Lowers loads to shared memory to copies and waits.
    lower_routes: Func<TileAs> => Func<TileAs> [
        makes op "tileas.copy_out steps",
        makes op "tileas.tensor_map dim_map",
        drops op "allow_tma",
        drops op "tileas.store latency",
        drops op "tileas.load route",
        makes op "in_flight",
        makes op "atom",
    ] =
        |func, _| passes::tileas::lower_routes(func);

    /// Hoists and merges layout conversions, and rematerialises cheap tiles.
    place_conversions: Func<TileAs> => Func<TileAs> =
        |func, _| passes::tileas::place_conversions(func);

    /// Splits reductions and scans between warps into ones within warps and exchanges.
    split_reductions: Func<TileAs> => Func<TileAs> [makes op "atom"] =
        |func, _| passes::tileas::split_reductions(func);

    /// Copies tiles that are printed or asserted to shared memory, where one thread reads them.
    stage_prints: Func<TileAs> => Func<TileAs> [makes op "atom"] =
        |func, _| passes::tileas::stage_prints(func);

    /// Splits matrix products along K into steps whose operands are read from shared memory.
    slice_products: Func<TileAs> => Func<TileAs> [
        makes op "in_flight",
        drops op "allow_tma",
        consumes op "route",
        makes op "atom",
    ] =
        |func, settings| passes::tileas::slice_products(func, settings.opt_level() > 0);

    /// Lowers layout conversions that cross threads to shuffles or copies through shared memory.
    lower_conversions: Func<TileAs> => Func<TileAs> [makes op "atom"] =
        |func, _| passes::tileas::lower_conversions(func);

    /// Schedules all ops on one agent, in program order.
    schedule_serially: Func<TileAs> => Func<Scheduled> [
        makes op "name",
        makes op "first_warp",
        makes op "warps",
    ] =
        |func, _| passes::tileas_to_scheduled::schedule_serially::schedule_serially(func);

    /// Chooses what is loaded ahead of a loop's iterations, by whom, and how far.
    schedule_loops: Func<Scheduled> => Func<Scheduled> where Optimising [
        consumes op "latency",
        consumes op "num_stages",
        consumes op "serial",
        makes function "kernel_spec.occupancy",
        makes op "atom",
        makes op "depth",
        makes op "in_flight",
        makes tag "stage",
        makes tag "slot",
        makes tag "agent",
    ] =
        |func, _| passes::scheduled::schedule_loops(func);

    /// Expands the schedule to agents and pipes.
    expand_schedule: Func<Scheduled> => Func<Scheduled> [
        makes tag "stage",
        makes tag "slot",
        makes function "kernel_spec.num_warps",
        makes op "name",
        makes op "first_warp",
        makes op "warps",
        makes op "producer",
        makes op "consumers",
        makes op "full",
        makes op "empty",
        makes op "bytes",
        drops op "tileas.copy_wait in_flight",
        drops op "registers",
        drops op "scheduled.agent barrier",
        consumes tag "agent",
        drops tag "stage",
        drops tag "slot",
    ] =
        |func, _| passes::scheduled::expand_schedule(func);

    /// Software-pipelines loops by the stages of their ops.
    pipeline_loops: Func<Scheduled> => Func<Scheduled> [
        makes op "in_flight",
        drops op "loads_ahead",
        makes op "scf.for loads_ahead",
    ] =
        |func, _| passes::scheduled::pipeline_loops(func);

    /// Keeps the products of a loop in flight until the next ones have begun.
    overlap_products: Func<Scheduled> => Func<Scheduled> where Optimising [makes op "in_flight"] =
        |func, _| passes::scheduled::overlap_products(func);

    /// Divides the registers of a block among its agents.
    assign_registers: Func<Scheduled> => Func<Scheduled> [makes op "registers"] =
        |func, _| passes::scheduled::assign_registers(func);

    /// Allocates buffers in shared memory, by liveness.
    allocate_shared: Func<Scheduled> => Func<Scheduled> [
        makes function "shared_bytes",
        makes function "shared_align",
        makes op "offset",
    ] =
        |func, _| passes::scheduled::allocate_shared(func);

    /// Inserts barriers between conflicting accesses to shared memory.
    insert_barriers: Func<Scheduled> => Func<Scheduled> =
        |func, _| passes::scheduled::insert_barriers(func);

    /// Assigns the named barriers of agents and mutexes.
    assign_barriers: Func<Scheduled> => Func<Scheduled> [makes op "barrier"] =
        |func, _| passes::scheduled::assign_barriers(func);

    /// Lowers tiles to the fragments of one thread, and computes the addresses of its accesses.
    lower_fragments: Func<Scheduled> => Func<CuteDesugared> [
        makes op "arith.addi overflow",
        makes op "swizzle",
        consumes op "registers",
        consumes op "first_warp",
        consumes op "warps",
        makes op "cache",
        makes op "prefetch",
        makes op "eviction",
        consumes op "atom",
        consumes op "dim_map",
        consumes op "steps",
        consumes op "offset",
        drops op "route",
        makes op "vector",
        drops op "latency",
        drops op "num_stages",
        drops op "serial",
        drops op "allow_tma",
        drops op "depth",
        drops op "name",
        drops tag "stage",
        drops tag "slot",
        drops tag "agent",
        consumes op "inbounds",
        drops op "tileas.copy_in inbounds",
        drops op "align",
        drops op "agents",
        drops op "tileas.reduce identities",
        drops op "tileas.scan identities",
        consumes op "barrier",
        drops type "align",
        drops type "class",
        drops type "extent_div",
        drops type "stride_div",
    ] =
        |func, _| passes::scheduled_to_cute::lower_fragments(func);

    /// Drops the parameters of which a type says everything.
    drop_static_arguments after (): CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::drop_static_arguments);

    /// Places tensors in the block's shared memory.
    place_shared_memory: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::place_shared_memory);

    /// Asserts that layouts that are composed fit.
    check_compositions: CuteKernel => CuteKernel where Checking =
        |kernel, _| kernel.mapped(passes::cute::check_compositions);

    /// Drops assertions.
    drop_assertions: CuteKernel => CuteKernel where Unchecked =
        |kernel, _| kernel.mapped(passes::cute::drop_assertions);

    /// Gives fragments registers.
    expand_fragments: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_fragments);

    /// Expands copies to loops of one instruction of their atom.
    expand_copies: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_copies);

    /// Expands products to loops of one instruction of their atom.
    expand_products: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_products);

    /// Expands accesses of whole tensors to accesses of adjacent elements.
    expand_vectors: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_vectors);

    /// Expands comparisons of tensors and layouts to those of shapes and strides.
    expand_comparisons: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_comparisons);

    /// Expands prints of tensors to loops of prints of their elements.
    expand_prints: CuteKernel => CuteKernel =
        |kernel, _| kernel.mapped(passes::cute::expand_prints);

    /// Lowers layouts and tensors to the primitives of their algebra, and atoms to instructions.
    desugar: CuteKernel => Func<CuteDesugared> =
        |kernel, settings| {
            passes::cute_to_cute_desugared::desugar(&kernel.func, settings.target())
                .map(|func| allow(func, settings.fast_math()))
        };

    /// Applies swizzles of addresses before offsets that do not change them.
    hoist_swizzles: Func<CuteDesugared> => Func<CuteDesugared> where Optimising =
        |func, _| passes::cute_desugared::hoist_swizzles(func);

    /// Expands pipes to mbarriers in shared memory and groups of asynchronous copies.
    expand_pipes after (lower_fragments, hoist_swizzles): Func<CuteDesugared> => Func<CuteDesugared> [
        makes op "gpu.async_wait in_flight",
        consumes op "full",
        consumes op "empty",
        drops op "consumers",
        drops op "producer",
        drops op "in_turns",
        drops op "bytes",
    ] =
        |func, _| passes::cute_desugared::expand_pipes(func);

    /// Merges consecutive branches on one condition.
    merge_branches: Func<CuteDesugared> => Func<CuteDesugared> where Optimising =
        |func, _| passes::cute_desugared::merge_branches(func);

    /// Lowers fragments to scalars, and structured control flow to a control-flow graph.
    scalarize_fragments: Func<CuteDesugared> => Func<Llvm> [
        makes op "hint",
        makes op "nvvm.cp.async cache",
        makes op "nvvm.cp.async.bulk.prefetch.tensor level",
        renames function "block" to function "nvvm.reqntid",
        consumes function "min_blocks",
        renames function "kernel_spec.num_warps" to function "nvvm.reqntid",
        renames function "kernel_spec.num_warps" to function "nvvm.maxnreg",
        renames function "kernel_spec.occupancy" to function "nvvm.maxnreg",
        renames function "kernel_spec.num_ctas" to function "nvvm.cluster_dim",
        renames function "kernel_spec.num_ctas" to function "nvvm.blocksareclusters",
        makes function "nvvm.minctasm",
        makes function "nvvm.grid_constant",
        makes function "cute.kernel",
        renames op "eviction" to op "first",
        renames op "otherwise" to op "second",
        consumes op "atom",
        consumes op "vector",
        consumes op "swizzle",
        consumes op "in_flight",
        drops op "loads_ahead",
        makes op "align",
        makes op "arith.addi overflow",
        makes op "arith.subi overflow",
        makes op "arith.muli overflow",
    ] =
        |func, _| passes::cute_to_llvm::scalarize_fragments(func);

    /// Dissolves structs to the numbers and pointers in them.
    dissolve_structs: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::dissolve_structs(func);

    /// Replaces arguments of blocks by the array of a thread that all branches pass.
    forward_arguments: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::forward_arguments(func);

    /// Unrolls loops that ask for it, or whose counters say which elements of a thread's arrays are accessed.
    unroll_thread_loops: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::unroll_thread_loops(func);

    /// Promotes a thread's arrays to values in registers.
    promote_locals: Func<Llvm> => Func<Llvm> where Optimising [drops op "align"] =
        |func, _| passes::llvm::promote_locals(func);

    /// Simplifies float ops as far as their fast-math flags allow.
    simplify_floats: Func<Llvm> => Func<Llvm> where Optimising [
        makes op "fast_math",
        consumes op "fast_math",
        drops op "propagate_nan",
        drops op "arith.subf rounding",
    ] =
        |func, _| passes::llvm::simplify_floats(func);

    /// Multiplies by the reciprocals of constants and of repeated divisors, where fast-math flags allow it.
    divide_by_reciprocals: Func<Llvm> => Func<Llvm> where Optimising [
        consumes op "fast_math",
        makes op "fast_math",
    ] =
        |func, _| passes::llvm::divide_by_reciprocals(func);

    /// Rounds products and the sums that they are part of once, where fast-math flags allow it.
    contract_products: Func<Llvm> => Func<Llvm> where Optimising [
        consumes op "fast_math",
        makes op "fast_math",
    ] =
        |func, _| passes::llvm::contract_products(func);

    /// Combines the terms of sums and products in pairs, where fast-math flags allow it.
    balance_sums: Func<Llvm> => Func<Llvm> where Optimising [
        consumes op "fast_math",
        makes op "fast_math",
    ] =
        |func, _| passes::llvm::balance_sums(func);

    /// Expands atomic operations that the target lacks to those of elements, and to loops of compare-and-swap.
    expand_atomics: Func<Llvm> => Func<Llvm> [makes op "llvm.load align", makes op "llvm.load order"] =
        |func, _| passes::llvm::expand_atomics(func);

    /// Represents fp8 and 4-bit numbers as bytes and tf32 as f32, and expands their conversions.
    expand_storage_types: Func<Llvm> => Func<Llvm> [
        makes op "arith.ftof rounding",
        makes op "arith.itof rounding",
        makes op "nvvm.cvt rounding",
    ] =
        |func, _| passes::llvm::expand_storage_types(func);

    /// Expands elementary functions to arithmetic and the hardware's approximations.
    expand_math: Func<Llvm> => Func<Llvm> [
        makes op "arith.fma rounding",
        consumes op "approximate",
        consumes op "fast_math",
        drops op "arith.rsqrtf flush_to_zero",
        makes op "approximation",
        makes op "precision",
        makes op "ftz",
    ] =
        |func, _| passes::llvm::expand_math(func);

    /// Expands float remainders to loops of exact subtractions.
    expand_float_remainder: Func<Llvm> => Func<Llvm> [drops op "arith.remf fast_math"] =
        |func, _| passes::llvm::expand_float_remainder(func);

    /// Expands integer divisions that round up or down to truncating ones with a correction.
    expand_integer_division: Func<Llvm> => Func<Llvm> =
        |func, _| passes::llvm::expand_integer_division(func);

    /// Promotes f16 and bf16 arithmetic that the target lacks to f32.
    legalize_small_floats: Func<Llvm> => Func<Llvm> [makes op "arith.ftof rounding"] =
        |func, _| passes::llvm::legalize_small_floats(func);

    /// Promotes 8-bit integer arithmetic to 32 bits.
    legalize_small_integers: Func<Llvm> => Func<Llvm> [drops op "overflow"] =
        |func, _| passes::llvm::legalize_small_integers(func);

    /// Replaces integer divisions by shifts, masks and quotients that are there.
    reduce_divisions: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::reduce_divisions(func);

    /// Folds constants, eliminates common subexpressions and dead code.
    simplify: Func<Llvm> => Func<Llvm> where Optimising [
        drops op "unroll",
        makes op "overflow",
        makes op "offset",
    ] =
        |func, _| passes::llvm::simplify(func);

    /// Guards asynchronous copies in loops by the condition of their branch, which it removes.
    predicate_copies: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::predicate_copies(func);

    /// Moves invariant parts of addresses out of loops, and computes each address of a row from the one before.
    reduce_addresses: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::reduce_addresses(func);

    /// Orders the operands of conjunctions, so that masks share their common conditions.
    order_conditions: Func<Llvm> => Func<Llvm> where Optimising =
        |func, _| passes::llvm::order_conditions(func);

    /// Renames the kernel marker to nvvm's.
    rename_kernel_marker: Func<Llvm> => Func<Llvm> [
        renames function "cute.kernel" to function "nvvm.kernel",
        makes function "nvvm.kernel",
    ] =
        |func, _| passes::llvm_to_nvvm::rename_kernel_marker(func);

    /// Selects target instructions.
    select_instructions: Func<Llvm> => Func<Nvvm> [
        makes op "hint",
        makes op "noftz",
        renames op "flush_to_zero" to op "ftz",
        renames op "precision" to op "approximation",
        renames op "precision" to op "rounding",
        renames op "llvm.load cache" to op "cache",
        renames op "llvm.load cache" to op "eviction",
        renames op "llvm.store cache" to op "cache",
        renames op "llvm.store cache" to op "eviction",
        drops op "align",
        drops op "overflow",
        drops op "fast_math",
        drops op "unroll",
    ] =
        |func, _| passes::llvm_to_nvvm::select_instructions(func);

    /// Removes dead code and unreached blocks from nvvm.
    eliminate_dead_nvvm_code: Func<Nvvm> => Func<Nvvm> where Optimising =
        |func, _| passes::cleanup::eliminate_dead_code(func);

    /// Hides constants that ptxas would negate wrongly in matrix products.
    hide_product_constants: Func<Nvvm> => Func<Nvvm> =
        |func, _| passes::nvvm::hide_product_constants(func);

    /// Hides bits that ptxas would multiply wrongly.
    hide_known_bits: Func<Nvvm> => Func<Nvvm> =
        |func, _| passes::nvvm::hide_known_bits(func);

    /// Hides coefficients that ptxas would truncate to 32 bits.
    hide_large_coefficients: Func<Nvvm> => Func<Nvvm> =
        |func, _| passes::nvvm::hide_large_coefficients(func);

    /// Keeps waits for products behind the work that runs under them.
    keep_waits: Func<Nvvm> => Func<Nvvm> where Optimising =
        |func, _| passes::nvvm::keep_waits(func);

    /// Reorders instructions where more values are live than a thread has registers.
    reduce_register_pressure: Func<Nvvm> => Func<Nvvm> where Optimising =
        |func, _| passes::nvvm::reduce_register_pressure(func);

    /// Raises the register limit of a thread where a hint for the occupancy cannot be met.
    raise_register_limit: Func<Nvvm> => Func<Nvvm> where Optimising [makes function "nvvm.maxnreg"] =
        |func, _| passes::nvvm::raise_register_limit(func);

    /// Limits the registers of a thread so that more blocks share a multiprocessor.
    limit_registers: Func<Nvvm> => Func<Nvvm> where Optimising [makes function "nvvm.minctasm"] =
        |func, _| passes::nvvm::limit_registers(func);

    /// Emits PTX: registers, parameters, launch directives.
    emit_ptx: Func<Nvvm> => PtxKernel [
        renames function "nvvm.maxntid" to function "maxntid",
        renames function "nvvm.explicitcluster" to function "explicitcluster",
        renames function "nvvm.maxclusterrank" to function "maxclusterrank",
        drops function "nvvm.grid_constant",
        renames function "nvvm.reqntid" to function "reqntid",
        renames function "nvvm.minctasm" to function "minnctapersm",
        renames function "nvvm.maxnreg" to function "maxnreg",
        renames function "nvvm.cluster_dim" to function "reqnctapercluster",
        renames function "nvvm.blocksareclusters" to function "blocksareclusters",
        consumes function "target",
        consumes function "nvvm.kernel",
        consumes function "shared_bytes",
        consumes function "shared_align",
        consumes function "shared_dynamic",
    ] =
        |func, _| passes::nvvm_to_ptx::emit_ptx(func).map(PtxKernel::of_module);

    /// Records when each warp does what, for schedules that are measured.
    mark_schedule: PtxKernel => PtxKernel where Asked =
        |kernel, _| Ok(PtxKernel::of_module(passes::ptx::mark_schedule(&kernel.module()).module));
}
