//! Removes ops whose results nobody uses. Any language of structured control flow, to itself.
//!
//! In: any function whose root region is one block. Out: the same function without removable ops that lead to no
//! effect. Pure ops are removable; a language may add ops with regions, which then go with all that is in them. Loads
//! stay, whether or not what they load is used.

use std::marker::PhantomData;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Body, Func, Language, OpId, Operation, Origin, Region, SideTable, Translate, Translated, Translation,
    translate_func,
};

/// Removes pure ops that have no effect.
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_code<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    eliminate_dead_ops(func, &|_, _| false)
}

/// Removes pure ops that have no effect, and other ops that `removable` admits when nobody uses their results.
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_ops<L: Language>(
    func: &Func<L>,
    removable: &dyn Fn(&Body<L>, OpId) -> bool,
) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let mut mark = Mark {
        body,
        removable,
        live: SideTable::new(body.op_count()),
        open: Vec::new(),
    };
    mark.run();
    let mut pass = Sweep::<L> {
        live: mark.live,
        language: PhantomData,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Finds what is live.
struct Mark<'a, L: Language> {
    body: &'a Body<L>,
    removable: &'a dyn Fn(&Body<L>, OpId) -> bool,
    live: SideTable<OpId, ()>,
    /// Ops that are live and whose operands and regions are still to be looked at.
    open: Vec<OpId>,
}

impl<L: Language> Mark<'_, L> {
    fn run(&mut self) {
        let definitions = self.body.definitions();
        self.region(self.body.root());
        while let Some(id) = self.open.pop() {
            if self.live.get(id).is_some() {
                continue;
            }
            self.live.set(id, ());
            let kind = &self.body.op(id).kind;
            kind.operands(&mut |value| self.open.extend(definitions.get(value)));
            for region in kind.region_list() {
                self.region(region);
            }
        }
    }

    /// What a region that runs does for its own sake is live.
    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for &id in &self.body.block(block).ops {
                if !self.body.op(id).kind.is_pure() && !(self.removable)(self.body, id) {
                    self.open.push(id);
                }
            }
        }
    }
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
