//! An op with the handles of the body that is being built.

use tilewright_irs::core::{Block, Language, Operation, Region, Remap, Translation, Value};

/// The op with each operand replaced by the one value that it became, and its regions by these, in order.
pub(crate) fn substituted<L: Language>(
    cx: &Translation<'_, L, L>,
    op: &L::Op,
    regions: Vec<Region>,
) -> L::Op {
    let mut op = op.clone();
    op.remap(&mut Substitute {
        cx,
        regions: regions.into_iter(),
    });
    op
}

struct Substitute<'a, 'f, L: Language> {
    cx: &'a Translation<'f, L, L>,
    regions: std::vec::IntoIter<Region>,
}

impl<L: Language> Remap for Substitute<'_, '_, L> {
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
    fn block(&mut self, block: Block) -> Block {
        block
    }
}
