//! The stages that tensor copies fill and threads read.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Operation, Value};
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_irs::tileas::atoms::Completion;

use super::multiplied::hand_on;

/// The tokens at whose release a proxy fence orders the next tensor copy to the stage after reads by threads. (PTX ISA, "Memory
/// Consistency Model", proxies. On an H200, `ldmatrix` without one reads what the next copy has written.) A token that the
/// iteration before has passed on may be that of any stage.
pub(super) fn read_stages(body: &Body<Scheduled>) -> FxHashSet<Value> {
    let is_copied_to = |token: Value| {
        let kind = body.ty(token).pipe().and_then(PipeType::kind);
        kind.is_some_and(PipeKind::counts_bytes)
    };
    let read = read_buffers(body);
    let (mut waits, mut released) = (FxHashMap::default(), Vec::new());
    for id in body.walk() {
        let op = body.op(id);
        match op.kind {
            ScheduledOp::Pipe(PipeOp::Wait { .. }) => {
                let token = op.results().last().filter(|token| is_copied_to(*token));
                waits.extend(token.map(|token| (token, op.results().any(|result| read.contains(&result)))));
            }
            ScheduledOp::Pipe(PipeOp::Release { token }) if is_copied_to(token) => released.push(token),
            _ => {}
        }
    }
    let any = waits.values().any(|is_read| *is_read);
    let is_read = |token: &Value| waits.get(token).copied().unwrap_or(any);
    released.into_iter().filter(is_read).collect()
}

/// The buffers with another use than as operands of asynchronous products, directly, through views or handed on by loops.
fn read_buffers(body: &Body<Scheduled>) -> FxHashSet<Value> {
    let ops = body.walk();
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for &id in ops.iter().rev() {
            let op = body.op(id);
            match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. })
                    if atom.completion() == Completion::Asynchronous => {}
                ScheduledOp::Scf(ScfOp::For {
                    inits, body: inner, ..
                }) => hand_on(body, id, inits, *inner, &mut found),
                ScheduledOp::Scf(ScfOp::Continue { .. }) => {}
                kind => {
                    let is_buffer = |value: &Value| body.ty(*value).buffer().is_some();
                    let mut views = op.results().filter(is_buffer).peekable();
                    if views.peek().is_none() || views.any(|view| found.contains(&view)) {
                        found.extend(kind.operand_list().into_iter().filter(is_buffer));
                    }
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
