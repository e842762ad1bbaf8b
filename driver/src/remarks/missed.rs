//! Why products and accesses do not take a faster way, and which fact would allow it.

use std::fmt;

use tilewright_irs::core::{Func, Origin};
use tilewright_irs::dialects::route::ForcedRoute;
use tilewright_irs::tileaa::TileAa;
use tilewright_passes::tileaa::reason::{Explanation, FasterRoute, Reason, Subject};
use tilewright_passes::tileaa::{explain_accesses, explain_copies, explain_routes};

use super::{Category, Kind, Remark, remark};
use crate::database::{Compiler, Db};
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline::{self, Pass};
use crate::units::Stage;

/// A faster way that an op does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The op.
    pub(crate) origin: Origin,
    /// What it is.
    pub(crate) subject: Subject,
    /// The faster way.
    pub(crate) route: FasterRoute,
    /// Why it is not taken.
    pub(crate) reason: Reason,
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            subject,
            route,
            reason,
            ..
        } = self;
        write!(f, "{} not by {}: {reason}", subject.name(), route.name())?;
        match reason.remedy() {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// The explanations of a function.
type Explain = fn(&Func<TileAa>, Option<ForcedRoute>) -> Vec<Explanation>;

/// The faster ways that the ops of a kernel do not take. What the target lacks is nobody's mistake, and not among them.
pub(crate) fn missed_by(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Vec<Missed> {
    // The passes that decide are part of the pipeline from -O1 on, and explained by what is before them.
    let optimises = options.opt_level(db) > 0;
    let forced = options.route(db);
    let explainers: [(&str, bool, Explain); 3] = [
        ("prove_in_bounds", optimises, explain_routes),
        ("select_atoms", optimises, explain_copies),
        ("select_atoms", true, |func, _| explain_accesses(func)),
    ];
    let mut missed = Vec::new();
    for (pass, _, explain) in explainers.into_iter().filter(|(_, runs, _)| *runs) {
        let stage = Pass::named(pass).and_then(|pass| pipeline::stage_after(db, kernel, options, pass));
        let Some(Stage::TileAa(func)) = stage else {
            continue;
        };
        missed.extend(explain(&func, forced).into_iter().filter_map(|explanation| {
            let reason = explanation.outcome.err()?;
            (!reason.is_of_target()).then_some(Missed {
                origin: explanation.origin,
                subject: explanation.subject,
                route: explanation.route,
                reason,
            })
        }));
    }
    missed
}

/// The remarks on what a kernel misses.
pub(super) fn remarks(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Vec<(Origin, Remark)> {
    let missed = missed_by(compiler, kernel, options).into_iter();
    missed.map(|missed| (missed.origin, on(&missed))).collect()
}

fn on(missed: &Missed) -> Remark {
    let (category, name) = named(missed.subject, missed.route);
    let noun = match missed.subject {
        Subject::Product => "MMA",
        Subject::Load => "Load",
        Subject::Store => "Store",
    };
    let way = match missed.route {
        FasterRoute::Wgmma => "wgmma",
        FasterRoute::Tma => "TMA",
        FasterRoute::Rounding => "TMA that rounds",
        FasterRoute::CpAsync => "asynchronous copies",
        FasterRoute::Vectors => "accesses of 16 bytes in each thread",
    };
    let text = format!("{noun} operation not optimized to use {way}");
    let advice = missed.reason.remedy().map(|advice| ("Advice", advice));
    let facts = [("Reason", missed.reason.to_string())].into_iter().chain(advice);
    Remark {
        facts: facts.collect(),
        ..remark(Kind::Missed, category, name, text)
    }
}

const fn named(subject: Subject, route: FasterRoute) -> (Category, &'static str) {
    match (subject, route) {
        (Subject::Product, _) => (Category::TensorCore, "RemarkTensorCoreWarpGroupMMA"),
        (Subject::Load, FasterRoute::Rounding) => (Category::Memory, "RemarkMemoryLoadRounded"),
        (Subject::Load, FasterRoute::CpAsync) => (Category::Memory, "RemarkMemoryLoadAsynchronous"),
        (Subject::Load, FasterRoute::Vectors) => (Category::Memory, "RemarkMemoryLoadVectorized"),
        (Subject::Load, _) => (Category::Memory, "RemarkMemoryLoadOptimized"),
        (Subject::Store, FasterRoute::Vectors) => (Category::Memory, "RemarkMemoryStoreVectorized"),
        (Subject::Store, _) => (Category::Memory, "RemarkMemoryStoreOptimized"),
    }
}
