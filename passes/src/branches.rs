//! Branches.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Language, Origin, Translated, Translation, Value};
use tilewright_irs::dialects::scf::ScfOp;

/// Writes a branch, and binds what it gives to these values of the old function. `write` writes both of its regions, that where
/// the condition holds first, and says what each yields.
pub(crate) fn branch<'a, L: Language<Op: From<ScfOp>>>(
    cx: &mut Translation<'a, L, L>,
    olds: &[Value],
    condition: Value,
    mut write: impl FnMut(&mut Translation<'a, L, L>, bool) -> Result<Vec<Value>, Diagnostic<Origin>>,
) -> Translated {
    let origin = cx.origin();
    let mut arm = |cx: &mut Translation<'a, L, L>, holds: bool| {
        let region = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(region);
        cx.within(block, |cx| -> Translated {
            let values = write(cx, holds)?;
            cx.set_origin(origin);
            cx.build().effect(ScfOp::Yield { values });
            Ok(())
        })?;
        Ok(region)
    };
    let then = arm(cx, true)?;
    let otherwise = arm(cx, false)?;
    let types: Vec<L::Type> = olds.iter().map(|&old| cx.from.ty(old).clone()).collect();
    let op = ScfOp::If {
        condition,
        then,
        otherwise,
    };
    let op = cx.build().op(op, types);
    let news: Vec<Value> = cx.new_body().op(op).results().collect();
    for (&old, new) in olds.iter().zip(news) {
        cx.bind(old, [new]);
    }
    Ok(())
}

/// Emits code that is executed where the condition holds.
pub(crate) fn when<'a, A: Language, B: Language<Op: From<ScfOp>>>(
    cx: &mut Translation<'a, A, B>,
    condition: Value,
    emit_body: impl FnOnce(&mut Translation<'a, A, B>) -> Translated,
) -> Translated {
    let (then, then_block, _) = cx.build().region([]);
    let (otherwise, otherwise_block, _) = cx.build().region([]);
    let emitted: Translated = cx.within(then_block, |cx| {
        emit_body(cx)?;
        cx.build().effect(ScfOp::Yield { values: Vec::new() });
        Ok(())
    });
    emitted?;
    cx.within(otherwise_block, |cx| {
        cx.build().effect(ScfOp::Yield { values: Vec::new() });
    });
    cx.build().effect(ScfOp::If {
        condition,
        then,
        otherwise,
    });
    Ok(())
}
