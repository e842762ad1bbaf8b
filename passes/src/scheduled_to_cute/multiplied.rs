//! The buffers that asynchronous products read, where threads bring them there.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Body, OpId, Region, Value};
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_irs::tileas::atoms::Completion;

/// The buffers that asynchronous products read: their operands, what these are views of and what loops hand on as these, and the
/// stages that are acquired of the pipes of which they are stages.
pub(super) fn multiplied(body: &Body<Scheduled>) -> FxHashSet<Value> {
    let ops = body.walk();
    let mut found = FxHashSet::default();
    let mut pipes: FxHashSet<Value> = FxHashSet::default();
    loop {
        let before = (found.len(), pipes.len());
        for &id in ops.iter().rev() {
            let op = body.op(id);
            match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::Dot { a, b, atom, .. })
                    if atom.completion() == Completion::Asynchronous =>
                {
                    let operands = [*a, *b].into_iter();
                    found.extend(operands.filter(|&value| body.ty(value).buffer().is_some()));
                }
                ScheduledOp::TileAs(
                    TileAsDialect::Subview { buffer, .. }
                    | TileAsDialect::Transpose { buffer, .. }
                    | TileAsDialect::Reinterpret { buffer },
                ) if op.results().any(|view| found.contains(&view)) => {
                    found.insert(*buffer);
                }
                ScheduledOp::Scf(ScfOp::For {
                    inits, body: inner, ..
                }) => hand_on(body, id, inits, *inner, &mut found),
                ScheduledOp::Pipe(PipeOp::Wait { pipe, .. })
                    if op.results().any(|result| found.contains(&result)) =>
                {
                    pipes.insert(*pipe);
                }
                ScheduledOp::Pipe(PipeOp::Acquire { pipe, .. }) if pipes.contains(pipe) => {
                    found.extend(op.results());
                }
                _ => {}
            }
        }
        if (found.len(), pipes.len()) == before {
            return found;
        }
    }
}

/// Adds the values that a loop hands on as those found.
pub(super) fn hand_on(
    body: &Body<Scheduled>,
    id: OpId,
    inits: &[Value],
    inner: Region,
    found: &mut FxHashSet<Value>,
) {
    let Some(block) = body.only_block(inner) else {
        return;
    };
    let last = body.terminator(block).map(|last| &body.op(last).kind);
    let Some(ScheduledOp::Scf(ScfOp::Continue { values })) = last else {
        return;
    };
    let args = body.block(block).args.iter().skip(1);
    let results = body.op(id).results();
    for (((&arg, &init), &next), result) in args.zip(inits).zip(values).zip(results) {
        if found.contains(&arg) || found.contains(&result) {
            found.extend([init, next]);
        }
    }
}
