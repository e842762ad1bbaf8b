//! What the pass remembers on its way through a kernel, and what most ops need.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Language, OpId, Origin, SideTable, Translated, Translation, Value};
use tilewright_irs::cuda_tile::{CudaTile, Global, MemoryOrdering, MemoryScope};
use tilewright_irs::dialects::memory::Ordering;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaType};

use super::frame::Frame;
use super::types;

/// A kernel on its way from `cuda_tile` to `tileaa`.
pub(super) type Lowering<'a> = Translation<'a, CudaTile, TileAa>;
/// What is wrong with it.
pub(super) type Problem = Diagnostic<Origin>;

/// What a memref was made of, in the new body.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) base: Value,
    /// The extents that the type leaves open.
    pub(super) extents: Vec<Value>,
    /// The strides that the type leaves open.
    pub(super) strides: Vec<Value>,
}

/// The pass's state.
pub(super) struct Pass<'a> {
    pub(super) target: Target,
    /// The globals of the module.
    pub(super) globals: &'a [Global],
    /// What each memref of the new body was made of.
    pub(super) parts: FxHashMap<Value, Parts>,
    /// The scalar that each splat of the new body spreads.
    pub(super) splats: FxHashMap<Value, Value>,
    /// From this value of the new body on, whatever is defined is followed by what comes next, without a way out.
    pub(super) dominated_from: usize,
    /// Assumed values on which no address depends.
    pub(super) idle: FxHashSet<Value>,
    /// How often each value of the old body is used.
    pub(super) uses: SideTable<Value, usize>,
    /// The ops that end the body of a reduction or a scan.
    pub(super) fold_ends: FxHashSet<OpId>,
    /// The block's temporary memory, if it has any.
    pub(super) frame: Option<Frame>,
    pub(super) problems: Vec<Problem>,
}

impl Pass<'_> {
    /// The error for an op that no later stage compiles.
    pub(super) fn unsupported_op(name: &str) -> Translated {
        Err(types::unsupported(Code::UnsupportedOp, format!("`{name}`")))
    }

    /// What the type of the only result becomes.
    pub(super) fn result_type(cx: &Lowering<'_>, id: OpId) -> Result<TileAaType, Problem> {
        types::value(cx.from.ty(cx.old(id).result(0)))
    }

    /// The order of an access that is not atomic.
    pub(super) fn ordering(
        cx: &Lowering<'_>,
        token: Option<Value>,
        order: MemoryOrdering,
        scope: Option<MemoryScope>,
        name: &str,
    ) -> Result<Ordering, Problem> {
        Ok(Ordering {
            after: token.map(|v| cx.one(v)),
            order: types::order(order, name)?,
            scope: scope.map(types::scope),
        })
    }

    /// One op for one op, with the same results.
    pub(super) fn replace(
        cx: &mut Lowering<'_>,
        id: OpId,
        op: impl Into<<TileAa as Language>::Op>,
    ) -> Translated {
        let old = cx.old(id);
        let mut results = Vec::new();
        for result in old.results() {
            results.push(types::value(cx.from.ty(result))?);
        }
        let new = cx.build().op(op, results);
        let new: Vec<Value> = cx.new_body().op(new).results().collect();
        for (old, new) in old.results().zip(new) {
            cx.bind(old, vec![new]);
        }
        Ok(())
    }
}
