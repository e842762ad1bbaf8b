//! Which instructions of a block must keep their order.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, Effects, OpId, Operation, Resource, Resources, Value};
use tilewright_irs::nvvm::Nvvm;

/// For each instruction of a block, by position, those that must come before it, and how many must come after it.
pub(super) struct Dependences {
    before: Vec<Vec<usize>>,
    after: Vec<usize>,
}

impl Dependences {
    /// The dependences of a block's instructions: uses of values, accesses of a resource that one of the two writes,
    /// and all before the terminator.
    pub(super) fn of(body: &Body<Nvvm>, ops: &[OpId]) -> Self {
        let mut found = Self {
            before: vec![Vec::new(); ops.len()],
            after: vec![0; ops.len()],
        };
        let mut made: FxHashMap<Value, usize> = FxHashMap::default();
        let mut accesses = [const { Accesses::NONE }; Resource::ALL.len()];
        for (at, &id) in ops.iter().enumerate() {
            let op = body.op(id);
            let mut needed = Vec::new();
            op.kind.operands(&mut |value| needed.extend(made.get(&value)));
            let effects = op.kind.effects();
            if effects.is_terminator() {
                needed.extend(0..at);
            }
            let (reads, writes) = ordered(effects);
            for (&resource, accesses) in Resource::ALL.iter().zip(&mut accesses) {
                if writes.contains(resource) {
                    accesses.write(at, &mut needed);
                } else if reads.contains(resource) {
                    accesses.read(at, &mut needed);
                }
            }
            needed.sort_unstable();
            needed.dedup();
            for &earlier in &needed {
                found.after[earlier] += 1;
            }
            found.before[at] = needed;
            made.extend(op.results().map(|result| (result, at)));
        }
        found
    }

    /// The instructions that must come before the one at a position.
    pub(super) fn before(&self, at: usize) -> &[usize] {
        &self.before[at]
    }

    /// The number of instructions that must come after each.
    pub(super) fn after(&self) -> Vec<usize> {
        self.after.clone()
    }
}

/// The resources that an instruction reads and writes. Nothing that accesses a resource is moved across one that may end
/// the program, or that yields something new each time, such as the clock.
fn ordered(effects: Effects) -> (Resources, Resources) {
    if effects.allocates || effects.writes.contains(Resource::Control) {
        (Resources::ALL, Resources::ALL)
    } else {
        (effects.reads, effects.writes)
    }
}

/// The accesses of one resource so far that later ones depend on.
struct Accesses {
    last_write: Option<usize>,
    reads_since: Vec<usize>,
}

impl Accesses {
    const NONE: Self = Self {
        last_write: None,
        reads_since: Vec::new(),
    };

    fn read(&mut self, at: usize, needed: &mut Vec<usize>) {
        needed.extend(self.last_write);
        self.reads_since.push(at);
    }

    fn write(&mut self, at: usize, needed: &mut Vec<usize>) {
        needed.extend(self.last_write.replace(at));
        needed.append(&mut self.reads_since);
    }
}
