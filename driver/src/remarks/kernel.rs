//! Remarks on a kernel as a whole: what limits it, how long it is predicted to take, and the hints that were not followed.

use tilewright_irs::core::Origin;
use tilewright_passes::scheduled::predict::Launch;

use super::{Category, Kind, Remark, remark};
use crate::database::{Compiler, Db};
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline::{self, Pass};
use crate::schedule::Chart;
use crate::targets;
use crate::tuned::in_words;
use crate::units::{Language, Stage};

/// The remarks on a kernel.
pub(super) fn remarks(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Vec<(Origin, Remark)> {
    let said = [
        on_tuned_hints(compiler, kernel, options),
        on_clusters(compiler, kernel, options),
        on_time(compiler, kernel, options),
    ];
    said.into_iter()
        .flatten()
        .map(|remark| (Origin::FUNCTION, remark))
        .collect()
}

/// A remark on the hints that replace those of the program.
fn on_tuned_hints(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Option<Remark> {
    let Stage::CudaTile(program) = kernel.body(compiler) else {
        return None;
    };
    let target = options.target(compiler).unwrap_or(targets::DEFAULT);
    let hints = compiler.tuned()?.hints(program, target)?;
    let text = format!("Tuned hints replace those of the program: {}", in_words(&hints));
    Some(remark(Kind::Passed, Category::Schedule, "RemarkTunedHints", text))
}

/// A remark on the blocks that share a tile block.
fn on_clusters(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Option<Remark> {
    let after = |pass: &str| match pipeline::stage_after(compiler, kernel, options, Pass::named(pass)?)? {
        Stage::TileAa(func) => Some(func.attrs.clone()),
        _ => None,
    };
    let asked = after("resolve_views")?.cluster_hint.filter(|&count| count > 1)?;
    let (kind, name, text) = match after("distribute_tiles")?.num_ctas? {
        1 => (
            Kind::Missed,
            "RemarkClusterSizeIgnored",
            format!("The hint num_cta_in_cga = {asked} is ignored, and each block is a cluster of its own"),
        ),
        used => (
            Kind::Passed,
            "RemarkCluster",
            format!("The {used} blocks of a cluster compute a tile block, each a part of its tiles"),
        ),
    };
    Some(remark(kind, Category::Schedule, name, text))
}

/// A remark on the predicted time, with what is assumed of the launch.
fn on_time(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Option<Remark> {
    let stage = pipeline::stage(compiler, kernel, options, Language::Scheduled);
    let Some(Stage::Scheduled(func)) = stage else {
        return None;
    };
    let chart = Chart::of(&func, kernel.name(compiler), &Launch::default());
    let prediction = &chart.prediction;
    let known = chart.facts().into_iter();
    let named = |(name, words)| {
        let name = match name {
            "time" => "Time",
            "blocks" => "Blocks",
            "agent" => "Agent",
            "limit" => "Limiter",
            _ => return None,
        };
        Some((name, words))
    };
    let text = format!(
        "The predicted limit of the kernel is: {}",
        prediction.limit.name()
    );
    let registers = ("Registers", prediction.registers.to_string());
    Some(Remark {
        facts: known.filter_map(named).chain([registers]).collect(),
        ..remark(
            Kind::Analysis,
            Category::Schedule,
            "RemarkSchedulePrediction",
            text,
        )
    })
}
