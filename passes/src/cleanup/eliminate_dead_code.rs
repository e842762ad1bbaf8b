//! Removes pure ops whose results nobody uses. Any language of structured control flow, to itself.
//!
//! In: any function whose root region is one block. Out: the same function without pure ops that lead to no effect.
//! Ops with regions stay, and so do loads, whether or not what they load is used.

use std::marker::PhantomData;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Body, Func, Language, OpId, Operation, Origin, SideTable, Translate, Translated, Translation,
    translate_func,
};

/// Removes what has no effect.
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_code<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let mut pass = Sweep::<L> {
        live: live_ops(&func.body),
        language: PhantomData,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

fn live_ops<L: Language>(body: &Body<L>) -> SideTable<OpId, ()> {
    let definitions = body.definitions();
    let mut live = SideTable::new(body.op_count());
    let is_pure = |id: OpId| body.op(id).kind.is_pure();
    let mut open: Vec<OpId> = body.walk().into_iter().filter(|&id| !is_pure(id)).collect();
    while let Some(id) = open.pop() {
        if live.get(id).is_some() {
            continue;
        }
        live.set(id, ());
        body.op(id)
            .kind
            .operands(&mut |value| open.extend(definitions.get(value)));
    }
    live
}

struct Sweep<L> {
    live: SideTable<OpId, ()>,
    language: PhantomData<L>,
}

impl<L: Language> Translate<L, L> for Sweep<L> {
    fn types(&mut self, ty: &L::Type) -> Result<Vec<L::Type>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Translation<'_, L, L>, id: OpId) -> Translated {
        if self.live.get(id).is_none() {
            return Ok(());
        }
        let old = cx.old(id);
        cx.set_tag(old.tag.clone());
        cx.carry(id, &old.kind, self)
    }
}
