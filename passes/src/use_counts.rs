//! How often values are used.

use tilewright_irs::core::{Body, Language, Operation, SideTable, Value};

/// The number of uses of each value as an operand.
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
