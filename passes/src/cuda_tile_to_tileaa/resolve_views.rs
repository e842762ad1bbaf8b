//! Lowers views to memrefs, assumptions to facts, and hints to attributes.
//!
//! In: a verified `cuda_tile` kernel. Out: `tileaa`.
//! - A tile of rank 0 becomes a scalar. Scalars that are reshaped and broadcast become one `tile.splat`.
//! - A tensor view becomes a memref. A partition or strided view becomes the `dim_map`, the `steps` and the padding
//!   of each load and store through it. The language makes no promises about overlap, so all memrefs are in one alias
//!   class.
//! - An assumption becomes facts in its value's type.
//! - An atomic access whose old values nobody uses becomes one without them.
//! - A gather-scatter view becomes the pointers and the mask of each load and store through it.
//! - An access to elements of four bits becomes one to bytes, of which each holds two.
//! - `alloca` becomes a place in a frame, which the block takes from an array of frames when it starts and frees when it
//!   ends.
//! - Tokens stay edges between memory operations.
//! - Of hints, those for the target are kept, or the default ones: warps, cluster size and occupancy on the function,
//!   latency and the use of the tensor memory accelerator on memory operations. Hints that the target cannot honour
//!   are dropped; [`check_hints`] warns about them.
//!
//! Ops and element types without a lowering are errors (E0501 to E0503), all reported in one run. An input that its
//! verifier refuses may cause a panic.

mod arithmetic;
mod assumptions;
mod atomics;
mod control_flow;
mod elements;
mod folds;
mod frame;
mod gather_views;
mod hints;
mod ignored;
mod memory;
mod multimem;
mod packed_views;
mod packing;
mod pass;
mod products;
mod shapes;
mod temporary_memory;
mod types;
mod views;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Code;
use tilewright_irs::core::{Func, OpId, Translate, Translated, translate_func};
use tilewright_irs::cuda_tile::{CudaTile, Global, PreviewOp, TileOp, TileType};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaType};

pub(super) use hints::{architecture, lookup};
pub use hints::{asked_hints, check_hints, gather_hints, idle_hints};
pub use ignored::ignored_attributes;
use pass::{Lowering, Pass, Problem};

use crate::cuda_tile::as_arith;
use crate::uses::use_counts;

/// Lowers a kernel to `tileaa` for a target. `globals` are those of its module.
pub fn resolve_views(
    func: &Func<CudaTile>,
    globals: &[Global],
    target: Target,
) -> Result<Func<TileAa>, Vec<Problem>> {
    let frame = frame::Frame::of(func).map_err(|problem| vec![problem])?;
    let mut pass = Pass {
        target,
        globals,
        parts: FxHashMap::default(),
        splats: FxHashMap::default(),
        dominated_from: 0,
        idle: assumptions::idle_strides(&func.body),
        uses: use_counts(&func.body),
        fold_ends: FxHashSet::default(),
        frame,
        problems: Vec::new(),
    };
    let lowered = translate_func(func, hints::kernel(func, target), &mut pass);
    match lowered {
        Ok(lowered) if pass.problems.is_empty() => Ok(lowered),
        Ok(_) => Err(pass.problems),
        Err(last) => {
            pass.problems.extend(last);
            Err(pass.problems)
        }
    }
}

impl Translate<CudaTile, TileAa> for Pass<'_> {
    fn types(&mut self, ty: &TileType) -> Result<Vec<TileAaType>, Problem> {
        Ok(vec![types::value(ty)?])
    }

    fn op(&mut self, cx: &mut Lowering<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        self.take_frame(cx);
        let name = op.kind.tile_spec().name;
        let lowered = match &op.kind {
            TileOp::Float(op) => self.float(cx, id, op, name),
            TileOp::Int(op) => self.arith(cx, id, as_arith::int(op), name),
            TileOp::Cast(op) => self.cast(cx, id, op, name),
            TileOp::Shape(op) => self.shape(cx, id, op, name),
            TileOp::Memory(op) => self.memory(cx, id, op, name),
            TileOp::View(op) => self.view(cx, id, op, name),
            TileOp::Control(op) => self.control(cx, id, op),
            TileOp::Preview(PreviewOp::Call { callee, .. }) => {
                let message = format!(
                    "`{name}` calls `@{}`, whose body is machine code of a tile library that this compiler does not have",
                    callee.0
                );
                Err(Problem::error(Code::UnsupportedOp, message))
            }
        };
        if let Err(problem) = lowered {
            self.problems.push(match problem.primary {
                Some(_) => problem,
                None => problem.at(op.origin, ""),
            });
            Self::stand_in(cx, id);
        }
        Ok(())
    }
}

impl Pass<'_> {
    /// Gives the results of an op that was refused some value, so that the rest of the kernel can be looked at. The
    /// body is thrown away in the end.
    fn stand_in(cx: &mut Lowering<'_>, id: OpId) {
        for result in cx.old(id).results() {
            let ty = types::value(cx.from.ty(result)).unwrap_or(TileAaType::new(TileAaKind::Token));
            let new = cx.value(TileAaDialect::CreateMemToken {}, ty);
            cx.bind(result, vec![new]);
        }
    }
}
