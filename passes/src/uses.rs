//! The uses of values as operands.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, Language, OpId, Operation, SideTable, Value};

/// The number of uses of each value.
pub(crate) fn use_counts<L: Language>(body: &Body<L>) -> SideTable<Value, usize> {
    let mut uses: SideTable<Value, usize> = body.value_table();
    for id in body.walk() {
        body.op(id).kind.operands(&mut |value| {
            let count = uses.get(value).copied().unwrap_or(0);
            uses.set(value, count + 1);
        });
    }
    uses
}

/// The ops that use each value, in textual order; one that uses it twice is there twice.
pub(crate) fn users_of<L: Language>(body: &Body<L>) -> FxHashMap<Value, Vec<OpId>> {
    let mut users: FxHashMap<Value, Vec<OpId>> = FxHashMap::default();
    for id in body.walk() {
        let op = &body.op(id).kind;
        op.operands(&mut |value| users.entry(value).or_default().push(id));
    }
    users
}
