//! Groups tiles that must share a layout (union-find).
//!
//! The tiles of an elementwise op, of an access through pointers, the operands of a reduction or scan, its results, the
//! accumulator and the result of a product, and those that control flow passes to each other form a
//! group. Tiles computed from scalars alone are in no group: they are floating.

use tilewright_irs::core::{Block, Body, Entity, OpId, Operation, Region, SideTable, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};

use tilewright_irs::tileas::Buffer;
use tilewright_layouts::LinearLayout;

use super::accesses::Access;
use super::parts::Parts;
use super::shared::Shared;
use super::tiles::is_tile;

/// The innermost enclosing constructs of an op, for values that leave them.
enum Frame {
    Loop {
        carried: Vec<Value>,
        results: Vec<Value>,
    },
    If {
        results: Vec<Value>,
    },
}

/// The groups of values that share a layout.
pub(super) struct Groups<'a> {
    pub(super) body: &'a Body<TileAa>,
    pub(super) accesses: &'a SideTable<OpId, Access>,
    shared: &'a Shared,
    /// Union-find: the parent of each value.
    parent: Vec<Value>,
    /// Tiles that are not floating.
    anchored: SideTable<Value, ()>,
    /// Memory ops on tiles, in textual order.
    pub(super) memory: Vec<OpId>,
    /// Shape ops whose operand is not floating, in textual order.
    pub(super) relations: Vec<OpId>,
    /// Ops about parts of tiles, in textual order.
    pub(super) parts: Vec<OpId>,
    /// Reductions and scans, in textual order.
    pub(super) folds: Vec<OpId>,
    /// Matrix products, in textual order.
    pub(super) products: Vec<OpId>,
    pub(super) passed: SideTable<OpId, Vec<Value>>,
}

impl<'a> Groups<'a> {
    /// Groups the tiles of a body.
    pub(super) fn find(
        body: &'a Body<TileAa>,
        accesses: &'a SideTable<OpId, Access>,
        shared: &'a Shared,
    ) -> Self {
        let mut groups = Self::new(body, accesses, shared);
        if let Some(entry) = body.entry() {
            groups.block_args(entry);
        }
        groups.region(body.root(), &mut Vec::new());
        groups
    }

    fn new(body: &'a Body<TileAa>, accesses: &'a SideTable<OpId, Access>, shared: &'a Shared) -> Self {
        Self {
            body,
            accesses,
            shared,
            parent: (0..body.value_count()).map(Value::new).collect(),
            anchored: body.value_table(),
            memory: Vec::new(),
            relations: Vec::new(),
            parts: Vec::new(),
            folds: Vec::new(),
            products: Vec::new(),
            passed: SideTable::new(body.op_count()),
        }
    }

    pub(super) fn is_anchored(&self, value: Value) -> bool {
        self.anchored.get(value).is_some()
    }

    /// Whether a value is a tile in registers.
    pub(super) fn is_tile(&self, value: Value) -> bool {
        is_tile(self.body, value) && self.shared.buffer(value).is_none()
    }

    /// The buffer of a tile in shared memory.
    pub(super) fn in_shared(&self, value: Value) -> Option<&Buffer> {
        self.shared.buffer(value)
    }

    /// Whether a value shares a layout with the result of a product.
    pub(super) fn is_product(&self, value: Value) -> bool {
        let root = self.root(value);
        let mut results = self
            .products
            .iter()
            .map(|&id| self.root(self.body.op(id).result(0)));
        self.is_anchored(value) && results.any(|result| result == root)
    }

    /// The tile whose layout a memory op is to have: that of its pointers, if it stores what may have another one.
    pub(super) fn home(&self, memory: &MemoryOp<'_>) -> Option<Value> {
        let own = match memory.place {
            MemoryPlace::Pointers { pointers, .. } if !memory.loads => Some(pointers),
            MemoryPlace::Pointers { .. } | MemoryPlace::Tile(_) => None,
        };
        let anchored = |value: &Value| self.is_anchored(*value);
        own.filter(anchored).or_else(|| memory.tiles().find(anchored))
    }

    /// Whether the pointers and the mask of a store can have any layout.
    pub(super) fn is_free(&self, memory: &MemoryOp<'_>) -> bool {
        match memory.place {
            MemoryPlace::Tile(_) => true,
            MemoryPlace::Pointers { pointers, mask } => {
                let mut tiles = [Some(pointers), mask].into_iter().flatten();
                !memory.loads && !tiles.any(|value| self.is_anchored(value))
            }
        }
    }

    /// The threads that copy the tile of a load to shared memory, each its own elements.
    pub(super) fn copied_by(&self, load: OpId) -> Option<&'a LinearLayout> {
        self.shared.copy(load)?.threads()
    }

    fn anchor(&mut self, value: Value) {
        if self.is_tile(value) {
            self.anchored.set(value, ());
        }
    }

    pub(super) fn root(&self, mut value: Value) -> Value {
        while let Some(&parent) = self.parent.get(value.index()) {
            if parent == value {
                break;
            }
            value = parent;
        }
        value
    }

    fn unite(&mut self, a: Value, b: Value) {
        if !self.is_anchored(a) || !self.is_anchored(b) {
            return;
        }
        let (a, b) = (self.root(a), self.root(b));
        // The earlier value is the representative; paths are compressed.
        let (lead, follow) = if a.index() <= b.index() { (a, b) } else { (b, a) };
        if let Some(slot) = self.parent.get_mut(follow.index()) {
            *slot = lead;
        }
    }

    fn unite_lists(&mut self, a: &[Value], b: &[Value]) {
        for (&a, &b) in a.iter().zip(b) {
            self.unite(a, b);
        }
    }

    fn block_args(&mut self, block: Block) {
        let body = self.body;
        for &arg in &body.block(block).args {
            self.anchor(arg);
        }
    }

    fn region(&mut self, region: Region, frames: &mut Vec<Frame>) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            for &op in &body.block(block).ops {
                self.op(op, frames);
            }
        }
    }

    fn args(&self, region: Region) -> Vec<Value> {
        let block = self.body.only_block(region);
        block.map_or_else(Vec::new, |block| self.body.block(block).args.clone())
    }

    fn op(&mut self, id: OpId, frames: &mut Vec<Frame>) {
        let body = self.body;
        let op = body.op(id);
        match &op.kind {
            TileAaOp::Scf(scf) => self.control(id, scf, frames),
            TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Tile(_) => {
                let operands = op.kind.operand_list();
                let anchored = operands.iter().any(|&v| self.is_anchored(v));
                if !anchored || !op.kind.is_pure() {
                    return;
                }
                let result = op.result(0);
                self.anchor(result);
                match &op.kind {
                    TileAaOp::Tile(
                        TileOp::Broadcast { .. } | TileOp::Reshape { .. } | TileOp::Permute { .. },
                    ) => self.relations.push(id),
                    _ => operands.iter().for_each(|&v| self.unite(v, result)),
                }
            }
            TileAaOp::TileAa(own) => {
                self.memory_op(id, own);
                if let Some(fold) = own.fold() {
                    self.region(fold.body, &mut Vec::new());
                }
            }
        }
    }

    fn memory_op(&mut self, id: OpId, own: &TileAaDialect) {
        let body = self.body;
        let op = body.op(id);
        op.results().for_each(|v| self.anchor(v));
        // A tile that is copied to shared memory has none, but the pointers to its elements have.
        let is_tile = |memory: &MemoryOp<'_>| match memory.place {
            MemoryPlace::Pointers { pointers, .. } => self.is_tile(memory.data) || self.is_tile(pointers),
            MemoryPlace::Tile(_) => self.is_tile(memory.data),
        };
        let has_layout = |memory: MemoryOp<'_>| (memory.boxes.is_none() || memory.loads) && is_tile(&memory);
        if MemoryOp::of(op).is_some_and(has_layout) {
            self.memory.push(id);
        }
        if Parts::of(own).is_some() {
            self.parts.push(id);
        }
        match own {
            TileAaDialect::GatherLoad {
                pointers,
                mask,
                other,
                ..
            } => {
                let result = op.result(0);
                for value in [Some(*pointers), *mask, *other].into_iter().flatten() {
                    self.unite(value, result);
                }
                if let Some(mask) = mask {
                    self.unite(*mask, *pointers);
                }
            }
            TileAaDialect::AtomicRmw {
                pointers,
                value,
                mask,
                ..
            } => {
                let result = op.result(0);
                for value in [Some(*pointers), Some(*value), *mask].into_iter().flatten() {
                    self.unite(value, result);
                }
            }
            TileAaDialect::AtomicCas {
                pointers,
                compare,
                value,
                mask,
                ..
            } => {
                let result = op.result(0);
                for value in [Some(*pointers), Some(*compare), Some(*value), *mask]
                    .into_iter()
                    .flatten()
                {
                    self.unite(value, result);
                }
            }
            TileAaDialect::ScatterStore {
                pointers,
                value,
                mask,
                ..
            }
            | TileAaDialect::AtomicScatter {
                pointers,
                value,
                mask,
                ..
            } => {
                // The sums of a product have a layout of their own, and are converted if that is cheaper.
                let value = (!self.is_product(*value)).then_some(*value);
                let values = [Some(*pointers), value, *mask];
                let anchored: Vec<Value> = values
                    .into_iter()
                    .flatten()
                    .filter(|&v| self.is_anchored(v))
                    .collect();
                for pair in anchored.windows(2) {
                    if let [a, b] = pair {
                        self.unite(*a, *b);
                    }
                }
            }
            TileAaDialect::Reduce { operands, .. } | TileAaDialect::Scan { operands, .. } => {
                let anchored: Vec<Value> = operands
                    .iter()
                    .copied()
                    .filter(|&v| self.is_anchored(v))
                    .collect();
                let results: Vec<Value> = op.results().collect();
                for list in [anchored, results] {
                    self.unite_lists(&list, list.get(1..).unwrap_or_default());
                }
                self.folds.push(id);
            }
            TileAaDialect::Dot { acc, .. } => {
                self.unite(*acc, op.result(0));
                self.products.push(id);
            }
            _ => {}
        }
    }

    fn control(&mut self, id: OpId, scf: &ScfOp, frames: &mut Vec<Frame>) {
        let body = self.body;
        let results: Vec<Value> = body.op(id).results().collect();
        results.iter().for_each(|&v| self.anchor(v));
        let innermost = frames.iter().rev().find_map(|frame| match frame {
            Frame::Loop { carried, results } => Some((carried.clone(), results.clone())),
            Frame::If { .. } => None,
        });
        match scf {
            ScfOp::For {
                inits, body: region, ..
            } => {
                let mut carried = self.args(*region);
                carried.iter().for_each(|&v| self.anchor(v));
                carried = carried.split_off(carried.len().min(1));
                self.unite_lists(&carried, &results);
                self.pass(id, inits, &carried);
                frames.push(Frame::Loop { carried, results });
                self.region(*region, frames);
                frames.pop();
            }
            ScfOp::Loop { inits, body: region } => {
                let carried = self.args(*region);
                carried.iter().for_each(|&v| self.anchor(v));
                self.pass(id, inits, &carried);
                frames.push(Frame::Loop { carried, results });
                self.region(*region, frames);
                frames.pop();
            }
            ScfOp::If { then, otherwise, .. } => {
                frames.push(Frame::If { results });
                self.region(*then, frames);
                self.region(*otherwise, frames);
                frames.pop();
            }
            ScfOp::Yield { values } => {
                if let Some(Frame::If { results }) = frames.last() {
                    let results = results.clone();
                    self.pass(id, values, &results);
                }
            }
            ScfOp::Continue { values } => {
                if let Some((carried, _)) = innermost {
                    self.pass(id, values, &carried);
                }
            }
            ScfOp::Break { values } => {
                if let Some((_, results)) = innermost {
                    self.pass(id, values, &results);
                }
            }
            ScfOp::Return {} => {}
        }
    }

    fn pass(&mut self, id: OpId, values: &[Value], targets: &[Value]) {
        self.unite_lists(values, targets);
        self.passed.set(id, targets.to_vec());
    }
}
