//! Bank conflicts of tiles that change their layouts through shared memory.

use tilewright_irs::core::{Origin, ValueType};
use tilewright_irs::tileas::{TileAsDialect, TileAsOp};
use tilewright_layouts::Conversion;

use crate::database::Db;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline::{self, Pass};
use crate::units::{Language, Stage};

/// A tile that changes its layout through shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The op of the source that needs it.
    pub origin: Origin,
    /// Cycles that a warp loses to bank conflicts.
    pub cycles: u64,
}

/// The exchanges of a kernel, as far as it can be compiled.
pub fn of(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Vec<Exchange> {
    let route = pipeline::route(kernel.language(db), Language::Ptx);
    let lowering = route.iter().position(|pass| pass.name == "lower_conversions");
    let before: Option<&'static Pass> = lowering.and_then(|at| route.get(at.checked_sub(1)?).copied());
    let stage = before.and_then(|pass| pipeline::stage_after(db, kernel, options, pass));
    let Some(Stage::TileAs(func)) = stage else {
        return Vec::new();
    };
    let conversions = func.body.ops().filter_map(|(_, op)| match &op.kind {
        TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) => {
            Some((op.origin, *source, op.results().next()?))
        }
        _ => None,
    });
    let exchanges = conversions.filter_map(|(origin, source, result)| {
        let (source, result) = (func.body.ty(source), func.body.ty(result));
        let bytes = source.element()?.stored_bytes();
        match Conversion::plan(source.layout()?, result.layout()?, bytes).ok()? {
            Conversion::SharedRoundTrip(trip) => Some(Exchange {
                origin,
                cycles: trip.conflicts(),
            }),
            Conversion::Noop | Conversion::RegisterPermutation(_) | Conversion::LaneShuffles(_) => None,
        }
    });
    exchanges.collect()
}
