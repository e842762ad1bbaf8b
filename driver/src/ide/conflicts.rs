//! Bank conflicts of accesses to shared memory.

use tilewright_irs::core::{Func, OpId, Origin};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};
use tilewright_layouts::bank::BankCost;

use crate::database::Db;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::{Language, Stage};

/// A copy to or from shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedCopy {
    /// The source op that the copy was made for.
    pub origin: Origin,
    /// Cycles that a warp loses to bank conflicts.
    pub cycles: u64,
}

/// The copies of a kernel to and from shared memory, as far as it can be compiled.
pub fn of(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Vec<SharedCopy> {
    let Some(Stage::TileAs(func)) = pipeline::stage(db, kernel, options, Language::TileAs) else {
        return Vec::new();
    };
    let copies = func.body.ops().filter_map(|(id, op)| {
        Some(SharedCopy {
            origin: op.origin,
            cycles: cost(&func, id)?.conflicts(),
        })
    });
    copies.collect()
}

/// The cost of a copy to or from shared memory; `None` for other ops.
fn cost(func: &Func<TileAs>, id: OpId) -> Option<BankCost> {
    let op = func.body.op(id);
    let ty = |value| func.body.ty(value);
    let TileAsOp::TileAs(own) = &op.kind else {
        return None;
    };
    match own {
        TileAsDialect::Copy {
            source,
            to: Some(to),
            atom,
        } => atom.bank_cost(ty(*source).layout(), ty(*to).buffer()?),
        TileAsDialect::Copy {
            source,
            to: None,
            atom,
        } => atom.bank_cost(ty(op.results().next()?).layout(), ty(*source).buffer()?),
        TileAsDialect::CopyIn { to, atom, .. } | TileAsDialect::GatherIn { to, atom, .. } => {
            atom.bank_cost(None, ty(*to).buffer()?)
        }
        _ => None,
    }
}
