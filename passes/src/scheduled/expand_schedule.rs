//! Expands a schedule to agents and pipes. `scheduled` to `scheduled`.
//!
//! In: a function of one agent, some of whose copies are placed on the agent `load` (see
//! [`schedule_loops`](mod@super::schedule_loops)). Out: the same program by two agents,
//!
//! ```text
//! %ring = tileas.alloc : buffer<…, stages = n>
//! %pipe = pipe.create [%ring, …], barriers %barriers {producer = "load", consumers = ["compute"], …}
//! scheduled.agent {name = "compute"} body {
//!   scf.for … [..., %state] body {
//!     %stage, %token = pipe.wait %pipe, %state
//!     (the uses of the tile)
//!     pipe.release %token
//!     %next = pipe.advance %state
//!     scf.continue [..., %next]
//!   }
//! }
//! scheduled.agent {name = "load"} body {
//!   scf.for … [%state] body {
//!     %stage, %token = pipe.acquire %pipe, %state
//!     %copy, %done = tileas.copy_in %array, [%x, %i], %stage, map %map
//!     pipe.commit %token, [%copy]
//!     …
//!   }
//!   pipe.drain %pipe, %last
//! }
//! ```
//!
//! `compute` executes everything but the copies. `load`, another warp group or a single warp, executes the copies and whatever they need: the
//! loops and branches around them, and the computation of their operands, which is duplicated there (`program_slice`). Copies in
//! one block that nothing separates fill a stage of one pipe together; loops that follow each other, with stages of the same
//! types, share a pipe. Copies to buffers whose `depth` is `shared<…>` take the stages of one pipe in turn, in the order in which they
//! are read: where the ops of a loop have stages and an order, `load` executes its copies in the stages and the order of their
//! waits. A stage is released after the last op of the copy's block that reads it, or that waits for a product that
//! reads it.

mod agents;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Origin, Value, translate_func};
use tilewright_irs::dialects::gpu::GridOp;
use tilewright_irs::scheduled::{Role, Scheduled, ScheduledOp, Slot};
use tilewright_irs::tileas::{CopyAtom, KernelSpec, TileAsDialect, TileAsType};
use tilewright_layouts::LinearLayout;

use super::access_hints::access_hints;
use super::copy_groups::{Group, Ring, groups, is_by_threads, out_of_turn, own_copies};
use crate::cleanup::without_dead_code;
use crate::hints::Warned;
use crate::program_slice::{Places, ProgramSlice, Repeats, is_after_loads, program_slice};
use crate::register_division::loading_warps;
use crate::uses::users_of;
use agents::Expansion;

/// Expands the schedule of a function. Says what was made of hints for accesses that no schedule has followed.
///
/// # Errors
/// The copies of the agent `load` need a value that only the other agent can compute (E0503); a buffer that becomes a stage is used
/// before the copy into it is complete, with the origin of the use.
pub fn expand_schedule(func: &Func<Scheduled>) -> Result<Warned<Func<Scheduled>>, Vec<Diagnostic<Origin>>> {
    let hints = access_hints(func);
    Ok(Warned {
        func: expanded(func)?,
        hints,
    })
}

fn expanded(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let is_loading = |id: &OpId| {
        let tag = func.body.op(*id).tag;
        matches!(
            tag,
            Some(Slot {
                agent: Some(Role::Load),
                ..
            })
        )
    };
    let loading: Vec<OpId> = func.body.walk().into_iter().filter(is_loading).collect();
    let places = Places::of(&func.body);
    let own = own_copies(func, &places);
    if loading.is_empty() && own.is_empty() {
        return Ok(func.clone());
    }
    let Some(slice) = producer_slice(func, &places, &loading) else {
        let message = "another agent cannot compute the operands of this copy";
        let origin = loading
            .first()
            .map_or(Origin::FUNCTION, |&id| func.body.op(id).origin);
        return Err(vec![
            Diagnostic::error(Code::UnsupportedFeature, message).at(origin, ""),
        ]);
    };
    let (groups, rings) = groups(func, &places, &loading, &own);
    if let Some(id) = early_use(func, &groups) {
        let message = "this op uses a buffer before a copy into it is complete: the wait gives the buffer that may be read";
        let origin = func.body.op(id).origin;
        return Err(vec![Diagnostic::error(Code::MisplacedOp, message).at(origin, "")]);
    }
    if let Some(problem) = wrong_turn(func, &groups, &rings) {
        return Err(vec![problem]);
    }
    let computing = func.attrs.kernel_spec.num_warps;
    let warps = match loading.iter().any(|&id| is_by_threads(&func.body.op(id).kind)) {
        true => computing,
        false => loading_warps(func.attrs.target, computing, func.attrs.kernel_spec.blocks()),
    };
    let mut attrs = func.attrs.clone();
    if !loading.is_empty() {
        attrs.kernel_spec = KernelSpec {
            num_warps: computing + warps,
            ..func.attrs.kernel_spec
        };
    }
    let warps = [computing, warps];
    let mut pass = Expansion::new(func, (&groups, &rings), slice, warps, &places);
    let expanded = translate_func(func, attrs, &mut pass)?;
    Ok(Func {
        body: without_unread(expanded.body),
        ..expanded
    })
}

/// A body without what only the other agent needs: dead code, and exchanges through shared memory whose results nothing uses.
fn without_unread(body: Body<Scheduled>) -> Body<Scheduled> {
    let mut body = without_dead_code(body);
    let users = users_of(&body);
    let is_unread = |&id: &OpId| {
        let ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) = body.op(id).kind else {
            return false;
        };
        let is_unused = |value: Value| users.get(&value).is_none_or(Vec::is_empty);
        let users = users.get(&body.op(id).result(0)).map_or(&[][..], Vec::as_slice);
        users.iter().all(|&user| {
            is_store(&body, user) || is_read(&body, user) && body.op(user).results().all(is_unused)
        })
    };
    let unread: Vec<OpId> = body.walk().into_iter().filter(is_unread).collect();
    let copies = unread.iter().filter_map(|&id| users.get(&body.op(id).result(0)));
    let copies: FxHashSet<OpId> = copies.flatten().copied().collect();
    if copies.is_empty() {
        return body;
    }
    let places = Places::of(&body);
    let blocks: FxHashSet<Block> = copies.iter().filter_map(|&id| places.block(id)).collect();
    for block in blocks {
        let mut ops = body.block(block).ops.clone();
        ops.retain(|id| !copies.contains(id));
        body.arrange_ops(block, ops);
    }
    without_dead_code(body)
}

/// Whether an op reads a tile from a buffer to registers.
fn is_read(body: &Body<Scheduled>, id: OpId) -> bool {
    matches!(
        body.op(id).kind,
        ScheduledOp::TileAs(TileAsDialect::Copy { to: None, .. })
    )
}

/// Whether an op stores a tile from registers to a buffer.
fn is_store(body: &Body<Scheduled>, id: OpId) -> bool {
    matches!(
        body.op(id).kind,
        ScheduledOp::TileAs(TileAsDialect::Copy {
            to: Some(_),
            atom: CopyAtom::St(_),
            ..
        })
    )
}

/// An error if copies cannot take the stages of a shared ring in turn.
fn wrong_turn(func: &Func<Scheduled>, groups: &[Group], rings: &[Ring]) -> Option<Diagnostic<Origin>> {
    let body = &func.body;
    let shared = rings.iter().enumerate().filter(|(_, ring)| ring.is_shared());
    for (at, ring) in shared {
        let sharing = || groups.iter().filter(|group| group.ring == at);
        let (id, message) = if ring.kind.has_barriers() {
            let late = out_of_turn(body, sharing());
            (
                late,
                "this copy is waited for before an earlier one to the same ring: its stages are filled in the order in which \
                 they are read",
            )
        } else {
            let own = sharing().find_map(|group| group.copies.first());
            (
                own.map(|copy| copy.op),
                "the agent that reads this buffer fills it by itself: such buffers have a ring each",
            )
        };
        if let Some(id) = id {
            let origin = body.op(id).origin;
            return Some(Diagnostic::error(Code::MisplacedOp, message).at(origin, ""));
        }
    }
    None
}

/// An op that uses a buffer, of those that become stages, other than through the wait of its copy.
fn early_use(func: &Func<Scheduled>, groups: &[Group]) -> Option<OpId> {
    let body = &func.body;
    let copies = || groups.iter().flat_map(|group| &group.copies);
    let allocated: FxHashMap<Value, (OpId, bool)> = copies()
        .map(|copy| {
            let to = body.op(copy.alloc).result(0);
            (to, (copy.op, copy.op == copy.wait))
        })
        .collect();
    let mut filled: FxHashSet<Value> = FxHashSet::default();
    for id in body.walk() {
        let mut is_early = false;
        body.op(id)
            .kind
            .operands(&mut |value| match allocated.get(&value) {
                Some(&(fill, _)) if fill == id => drop(filled.insert(value)),
                Some(&(_, is_stored)) => is_early |= !is_stored || !filled.contains(&value),
                None => {}
            });
        if is_early {
            return Some(id);
        }
    }
    None
}

/// The ops that the agent `load` executes for these copies; `None` if it cannot.
pub(super) fn producer_slice(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    copies: &[OpId],
) -> Option<ProgramSlice> {
    let apart = Apart {
        func,
        places,
        copies,
        with_tiles: copies.iter().any(|&id| is_by_threads(&func.body.op(id).kind)),
    };
    let is_free = copies.iter().all(|&id| match &func.body.op(id).kind {
        ScheduledOp::TileAs(TileAsDialect::CopyIn { after, .. } | TileAsDialect::GatherIn { after, .. }) => {
            is_after_loads(places, &apart, *after)
        }
        _ => true,
    });
    let roots: Vec<OpId> = func
        .body
        .walk()
        .into_iter()
        .filter(|id| copies.contains(id) || waits_for_grids(func, *id))
        .collect();
    is_free
        .then(|| program_slice(places, &roots, &apart).ok())
        .flatten()
}

/// Whether an op waits for what other grids have written: both agents wait.
fn waits_for_grids(func: &Func<Scheduled>, id: OpId) -> bool {
    matches!(func.body.op(id).kind, ScheduledOp::Grid(GridOp::WaitForGrids {}))
}

/// Whether a tile of this layout has several elements: all threads have the only one.
pub(super) fn is_large(layout: &LinearLayout) -> bool {
    layout.shape().iter().any(|&extent| extent > 1)
}

/// Tells which ops the loading agent may execute as well as the computing one.
struct Apart<'a> {
    func: &'a Func<Scheduled>,
    places: &'a Places<'a, Scheduled>,
    copies: &'a [OpId],
    /// Whether the loading agent may have tiles of several elements: it has as many threads as the computing one.
    with_tiles: bool,
}

impl Repeats<Scheduled> for Apart<'_> {
    fn may_repeat(&self, id: OpId) -> bool {
        let op = self.func.body.op(id);
        if self.copies.contains(&id) || waits_for_grids(self.func, id) {
            return true;
        }
        let is_small = |result| !self.func.body.ty(result).layout().is_some_and(is_large);
        (self.with_tiles || op.results().all(is_small))
            && match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => true,
                ScheduledOp::TileAs(TileAsDialect::Copy { to: None, .. }) => self.fills(id).is_some(),
                ScheduledOp::TileAs(
                    TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. },
                ) => ordering.is_weak() && is_after_loads(self.places, self, ordering.after),
                kind => kind.is_pure(),
            }
    }

    fn needs(&self, value: Value) -> bool {
        *self.func.body.ty(value) != TileAsType::Token
    }

    /// An exchange between threads through a buffer of its own: each agent has such a buffer.
    fn fills(&self, id: OpId) -> Option<OpId> {
        let body = &self.func.body;
        let ScheduledOp::TileAs(TileAsDialect::Copy { source, to: None, .. }) = body.op(id).kind else {
            return None;
        };
        let alloc = self.places.definition(source)?;
        let ScheduledOp::TileAs(TileAsDialect::Alloc { depth: None, .. }) = body.op(alloc).kind else {
            return None;
        };
        let mut users = body.walk().into_iter().filter(|&user| {
            let mut operands = body.op(user).kind.operand_list().into_iter();
            operands.any(|operand| operand == source)
        });
        let fill = users.next().filter(|&user| is_store(body, user))?;
        users.all(|user| is_read(body, user)).then_some(fill)
    }

    fn loads_after(&self, id: OpId) -> Option<Vec<Value>> {
        let ScheduledOp::TileAs(own) = &self.func.body.op(id).kind else {
            return None;
        };
        match own {
            TileAsDialect::CreateMemToken {} => Some(Vec::new()),
            TileAsDialect::JoinMemTokens { tokens } => Some(tokens.clone()),
            TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. } => {
                ordering.is_weak().then(|| ordering.after.into_iter().collect())
            }
            TileAsDialect::CopyIn { after, .. } | TileAsDialect::GatherIn { after, .. } => {
                Some(after.iter().copied().collect())
            }
            _ => None,
        }
    }
}
