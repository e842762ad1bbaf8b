//! Computes nothing twice. Any language of structured control flow, to itself.
//!
//! In: any function whose regions are of one block each. Out: the same function, where a pure op that repeats an
//! earlier one, visible where it stands, is gone and its users take the earlier one's results. Two ops repeat each
//! other when they are equal in operands, attributes and result types. The earlier one's origin stays.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Func, Language, OpId, Operation, Origin, Translate, Translated, Translation, Value, translate_func,
};

use super::substitute::substituted;

/// Merges pure ops that compute the same.
///
/// # Errors
/// None; the type is that of all passes.
pub fn merge_common_subexpressions<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let mut pass = Merge::<L> {
        scopes: vec![FxHashMap::default()],
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Ops with their result types, and the results.
type Known<L> = FxHashMap<(<L as Language>::Op, Vec<<L as Language>::Type>), Vec<Value>>;

struct Merge<L: Language> {
    /// What has been computed in the regions around, the innermost last.
    scopes: Vec<Known<L>>,
}

impl<L: Language> Translate<L, L> for Merge<L> {
    fn types(&mut self, ty: &L::Type) -> Result<Vec<L::Type>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Translation<'_, L, L>, id: OpId) -> Translated {
        let old = cx.old(id);
        let mut regions = Vec::new();
        for region in old.kind.region_list() {
            self.scopes.push(FxHashMap::default());
            let new = cx.region(region, self);
            self.scopes.pop();
            regions.push(new?);
        }
        let kind = substituted(cx, &old.kind, regions);
        let types: Vec<L::Type> = old.results().map(|value| cx.from.ty(value).clone()).collect();
        let key = (kind, types);
        let mergeable = old.kind.is_pure();
        let known = mergeable.then(|| self.scopes.iter().find_map(|scope| scope.get(&key)));
        let new: Vec<Value> = match known.flatten() {
            Some(known) => known.clone(),
            None => {
                cx.set_tag(old.tag.clone());
                let op = cx.build().op(key.0.clone(), key.1.clone());
                let results: Vec<Value> = cx.new_body().op(op).results().collect();
                if let (true, Some(scope)) = (mergeable, self.scopes.last_mut()) {
                    scope.insert(key, results.clone());
                }
                results
            }
        };
        for (old, new) in old.results().zip(new) {
            cx.bind(old, vec![new]);
        }
        Ok(())
    }
}
