//! Substitution of operands.

use tilewright_irs::core::{Few, Language, Operation, Region, Remap, SideTable, Translation, Value};

/// Replaces values by those of the table.
pub(crate) struct Substitute<'a>(pub(crate) &'a SideTable<Value, Value>);

impl Remap for Substitute<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.get(value).copied().unwrap_or(value)
    }
}

/// What a value is in the end, where what replaces a value may be replaced itself.
pub(crate) fn resolved(replaced: &SideTable<Value, Value>, mut value: Value) -> Value {
    while let Some(&other) = replaced.get(value) {
        value = other;
    }
    value
}

/// Replaces values by what they are in the end; see [`resolved`].
pub(crate) struct Resolve<'a>(pub(crate) &'a SideTable<Value, Value>);

impl Remap for Resolve<'_> {
    fn value(&mut self, value: Value) -> Value {
        resolved(self.0, value)
    }
}

/// The op with its first two operands exchanged.
pub(crate) fn commuted<O: Operation>(op: &O) -> O {
    let mut operands = op.operand_list();
    if let [lhs, rhs, ..] = operands.as_mut_slice() {
        std::mem::swap(lhs, rhs);
    }
    with_operands(op, operands)
}

/// The op with these operands, in textual order.
pub(crate) fn with_operands<O: Operation>(op: &O, operands: Few<Value>) -> O {
    let mut op = op.clone();
    op.remap(&mut InOrder(operands.into_iter()));
    op
}

/// Replaces the operands, in textual order.
struct InOrder(<Few<Value> as IntoIterator>::IntoIter);

impl Remap for InOrder {
    fn value(&mut self, value: Value) -> Value {
        self.0.next().unwrap_or(value)
    }
}

/// The op with its operands replaced by single values, and its regions replaced in order.
pub(crate) fn substituted<L: Language>(
    cx: &Translation<'_, L, L>,
    op: &L::Op,
    regions: Vec<Region>,
) -> L::Op {
    let mut op = op.clone();
    op.remap(&mut Translate {
        cx,
        regions: regions.into_iter(),
    });
    op
}

struct Translate<'a, 'f, L: Language> {
    cx: &'a Translation<'f, L, L>,
    regions: std::vec::IntoIter<Region>,
}

impl<L: Language> Remap for Translate<'_, '_, L> {
    fn value(&mut self, value: Value) -> Value {
        self.cx.one(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        for value in values {
            *value = self.cx.one(*value);
        }
    }
    fn region(&mut self, region: Region) -> Region {
        self.regions.next().unwrap_or(region)
    }
}
