//! The generic SSA container: regions of blocks of ops, in arenas, equal and hashed by content.

use super::carriers::Carriers;
use super::entity::{Arena, Block, Entity, OpId, Origin, Region, SideTable, Value};
use super::interrupt::poll;
use super::language::{Language, Operation, Remap};
use super::part::Part;

/// An op in its body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpData<L: Language> {
    /// The op, with its operands and attributes.
    pub kind: L::Op,
    /// The first result and the number of results; results are numbered consecutively.
    results: (Value, u32),
    /// The source op that this one was lowered from.
    pub origin: Origin,
    /// The language's data for every op (`()` for most).
    pub tag: L::Tag,
}

impl<L: Language> OpData<L> {
    /// The results, in order.
    pub fn results(&self) -> impl ExactSizeIterator<Item = Value> + Clone + use<L> {
        let first = self.results.0.index();
        (first..first + self.results.1 as usize).map(Value::new)
    }

    /// The `n`-th result. Panics if there are fewer: arity is checked when an op is built.
    pub fn result(&self, n: usize) -> Value {
        assert!(
            n < self.results.1 as usize,
            "{} has no result {n}",
            self.kind.name()
        );
        Value::new(self.results.0.index() + n)
    }
}

impl<L: Language> OpData<L> {
    /// The field of this name; the op as a whole if it has none.
    pub fn part(&self, field: &str) -> Part {
        let fields = self.kind.spec().fields;
        let field = fields.iter().position(|spec| spec.name == field);
        field.map_or(Part::Op, Part::field)
    }

    /// The first operand that is this value; the op as a whole if none is.
    pub fn operand(&self, value: Value) -> Part {
        let mut found = Part::Op;
        self.kind.operand_parts(&mut |part, operand| {
            if operand == value && found == Part::Op {
                found = part;
            }
        });
        found
    }
}

/// A block: its arguments and its ops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockData {
    /// The block's arguments.
    pub args: Vec<Value>,
    /// The block's ops, the last one a terminator.
    pub ops: Vec<OpId>,
}

/// A region's blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegionData {
    /// The blocks; the first one is the entry.
    pub blocks: Vec<Block>,
}

/// A function body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body<L: Language> {
    values: Arena<Value, L::Type>,
    ops: Arena<OpId, OpData<L>>,
    blocks: Arena<Block, BlockData>,
    regions: Arena<Region, RegionData>,
    root: Region,
    /// Which values hold those of the kernel's source; empty if that is not followed.
    carriers: Carriers,
}

impl<L: Language> Default for Body<L> {
    fn default() -> Self {
        let mut regions = Arena::new();
        let root = regions.push(RegionData::default());
        Self {
            values: Arena::new(),
            ops: Arena::new(),
            blocks: Arena::new(),
            regions,
            root,
            carriers: Carriers::default(),
        }
    }
}

impl<L: Language> Body<L> {
    /// An empty body with capacity for this many ops and values.
    pub fn with_capacity(ops: usize, values: usize) -> Self {
        Self {
            ops: Arena::with_capacity(ops),
            values: Arena::with_capacity(values),
            ..Self::default()
        }
    }

    /// The root region.
    pub fn root(&self) -> Region {
        self.root
    }

    /// The root region's first block, whose arguments are the function's parameters.
    pub fn entry(&self) -> Option<Block> {
        self.regions[self.root].blocks.first().copied()
    }

    /// The function's parameters.
    pub fn params(&self) -> &[Value] {
        self.entry().map_or(&[], |b| &self.blocks[b].args)
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &L::Type {
        &self.values[value]
    }

    /// The type of a value of this body; `None` for a handle of another one.
    pub fn type_of(&self, value: Value) -> Option<&L::Type> {
        self.values.get(value)
    }

    /// Replaces the type of a value.
    pub fn set_ty(&mut self, value: Value, ty: L::Type) {
        self.values[value] = ty;
    }

    /// An op.
    pub fn op(&self, op: OpId) -> &OpData<L> {
        &self.ops[op]
    }

    /// An op, mutable.
    pub fn op_mut(&mut self, op: OpId) -> &mut OpData<L> {
        &mut self.ops[op]
    }

    /// A block.
    pub fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block]
    }

    /// A region.
    pub fn region(&self, region: Region) -> &RegionData {
        &self.regions[region]
    }

    /// The only block of a region of structured control flow.
    pub fn only_block(&self, region: Region) -> Option<Block> {
        match self.regions[region].blocks.as_slice() {
            [block] => Some(*block),
            _ => None,
        }
    }

    /// The last op of a block.
    pub fn terminator(&self, block: Block) -> Option<OpId> {
        self.blocks[block].ops.last().copied()
    }

    /// The number of values; handles run from 0.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Every op with its handle, in the order of the arena.
    pub fn ops(&self) -> impl Iterator<Item = (OpId, &OpData<L>)> {
        self.ops.iter()
    }

    /// The number of ops.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Every value with its type.
    pub fn values(&self) -> impl Iterator<Item = (Value, &L::Type)> {
        self.values.iter()
    }

    /// Every op in textual order (an op before the ops of its regions).
    pub fn walk(&self) -> Vec<OpId> {
        let mut order = Vec::with_capacity(self.ops.len());
        self.collect_ops(self.root, &mut order);
        order
    }

    /// Every op of a region in textual order, with the ops of inner regions.
    pub fn walk_region(&self, region: Region) -> Vec<OpId> {
        let mut order = Vec::new();
        self.collect_ops(region, &mut order);
        order
    }

    fn collect_ops(&self, region: Region, order: &mut Vec<OpId>) {
        for &block in &self.regions[region].blocks {
            for &op in &self.blocks[block].ops {
                poll();
                order.push(op);
                self.ops[op].kind.regions(&mut |r| self.collect_ops(r, order));
            }
        }
    }

    /// A side table sized for this body's values.
    pub fn value_table<T: Clone>(&self) -> SideTable<Value, T> {
        SideTable::new(self.values.len())
    }

    /// The op that defines each value; block arguments have none.
    pub fn definitions(&self) -> SideTable<Value, OpId> {
        let mut table = self.value_table();
        for (id, op) in self.ops.iter() {
            for result in op.results() {
                table.set(result, id);
            }
        }
        table
    }

    /// Which values hold those of the kernel's source; empty if that is not followed.
    pub fn carriers(&self) -> &Carriers {
        &self.carriers
    }

    /// From here on, passes say which values hold those of this body, up to the last language that
    /// [follows them](Language::FOLLOWS_VALUES).
    pub fn follow_values(&mut self) {
        if L::FOLLOWS_VALUES {
            self.carriers = Carriers::own(self.values.iter().map(|(value, _)| value));
        }
    }

    /// Says what the values of an earlier body have become in this one: a pair for each new value, with `None` for a value
    /// that has become several. A value without a pair has become none.
    pub fn follow<A: Language>(
        &mut self,
        from: &Body<A>,
        became: impl IntoIterator<Item = (Value, Option<Value>)>,
    ) {
        if L::FOLLOWS_VALUES && !from.carriers.is_empty() {
            self.carriers = from.carriers.through(became.into_iter().collect());
        }
    }

    /// Says that values were replaced by others, which hold from now on what they held.
    pub fn follow_replaced(&mut self, replaced: impl Fn(Value) -> Option<Value>) {
        if !self.carriers.is_empty() {
            self.carriers = self
                .carriers
                .renamed(|value| Some(replaced(value).unwrap_or(value)));
        }
    }

    /// Adds a region without blocks.
    pub fn add_region(&mut self) -> Region {
        self.regions.push(RegionData::default())
    }

    /// Appends a block to a region.
    pub fn add_block(&mut self, region: Region) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.regions[region].blocks.push(block);
        block
    }

    /// Reserves capacity in a block.
    pub fn reserve(&mut self, block: Block, ops: usize) {
        self.blocks[block].ops.reserve(ops);
    }

    /// Reorders a region's blocks, the first one its entry; blocks that are left out are dropped by
    /// [`renumbered`](Self::renumbered).
    pub fn arrange_blocks(&mut self, region: Region, order: Vec<Block>) {
        self.regions[region].blocks = order;
    }

    /// Replaces the ops of a block, in this order; those that are in no block any more are dropped by
    /// [`renumbered`](Self::renumbered).
    pub fn arrange_ops(&mut self, block: Block, order: Vec<OpId>) {
        self.blocks[block].ops = order;
    }

    /// Replaces the arguments of a block, in this order; those left out are dropped by
    /// [`renumbered`](Self::renumbered).
    pub fn arrange_args(&mut self, block: Block, order: Vec<Value>) {
        self.blocks[block].args = order;
    }

    /// Appends an argument to a block.
    pub fn add_arg(&mut self, block: Block, ty: L::Type) -> Value {
        let value = self.values.push(ty);
        self.blocks[block].args.push(value);
        value
    }

    /// Appends an op to a block.
    pub fn add_op(
        &mut self,
        block: Block,
        kind: L::Op,
        types: impl IntoIterator<Item = L::Type>,
        origin: Origin,
        tag: L::Tag,
    ) -> OpId {
        let before = self.values.len();
        for ty in types {
            self.add_result(ty);
        }
        self.add_op_of(block, kind, self.values.len() - before, origin, tag)
    }

    /// Adds a value that becomes a result of the op that is appended next by [`add_op_of`](Self::add_op_of), for a
    /// reader that parses the results before the op.
    pub fn add_result(&mut self, ty: L::Type) -> Value {
        self.values.push(ty)
    }

    /// Appends an op whose results are the last `count` values.
    pub fn add_op_of(
        &mut self,
        block: Block,
        kind: L::Op,
        count: usize,
        origin: Origin,
        tag: L::Tag,
    ) -> OpId {
        let first = Value::new(self.values.len().saturating_sub(count));
        poll();
        let op = self.ops.push(OpData {
            kind,
            results: (first, u32::try_from(count).unwrap_or(u32::MAX)),
            origin,
            tag,
        });
        self.blocks[block].ops.push(op);
        op
    }

    /// Renumbers the body in textual order and drops unreachable entries.
    ///
    /// Two bodies that print alike are equal after this, so every pass ends with it.
    pub fn renumbered(self) -> Self {
        let order = TextualOrder::of(&self);
        if order.is_kept_by(&self) {
            self
        } else {
            order.apply(self)
        }
    }

    /// The body in textual order, and the new handle of each value.
    pub fn renumbered_with_values(self) -> (Self, impl Fn(Value) -> Value) {
        let order = TextualOrder::of(&self);
        let new = (!order.is_kept_by(&self)).then(|| order.values.new.clone());
        let body = match new {
            Some(_) => order.apply(self),
            None => self,
        };
        let renamed = move |value| match &new {
            Some(new) => new.get(value).copied().unwrap_or(value),
            None => value,
        };
        (body, renamed)
    }

    /// Makes every op its own origin, as a parser of the body's text would number them.
    pub fn with_own_origins(self) -> Self {
        let mut body = self.renumbered();
        body.carriers = Carriers::default();
        for (index, op) in body.walk().into_iter().enumerate() {
            body.ops[op].origin = Origin(u32::try_from(index).unwrap_or(u32::MAX - 1));
        }
        body
    }
}

/// The map from old handles to new ones.
struct Numbering<K> {
    order: Vec<K>,
    new: SideTable<K, K>,
}

impl<K: Entity> Numbering<K> {
    fn new(count: usize) -> Self {
        Self {
            order: Vec::with_capacity(count),
            new: SideTable::new(count),
        }
    }

    fn assign(&mut self, old: K) {
        self.new.set(old, K::new(self.order.len()));
        self.order.push(old);
    }

    /// The new handle. Only an ill-formed body uses one that is not defined; the verifier reports it.
    fn renamed(&self, old: K) -> K {
        self.new.get(old).copied().unwrap_or(old)
    }

    fn is_kept(&self, count: usize) -> bool {
        self.order.len() == count && self.order.iter().enumerate().all(|(i, old)| old.index() == i)
    }
}

/// The order in which a body's text names its entries: a region before its blocks, all blocks of a region before
/// their contents, an op's results before the contents of its regions.
struct TextualOrder {
    values: Numbering<Value>,
    ops: Numbering<OpId>,
    blocks: Numbering<Block>,
    regions: Numbering<Region>,
    /// The number of values before each op's results, by the op's position in the order.
    starts: Vec<Value>,
}

impl TextualOrder {
    fn of<L: Language>(body: &Body<L>) -> Self {
        let mut order = Self {
            values: Numbering::new(body.values.len()),
            ops: Numbering::new(body.ops.len()),
            blocks: Numbering::new(body.blocks.len()),
            regions: Numbering::new(body.regions.len()),
            starts: Vec::with_capacity(body.ops.len()),
        };
        order.region(body, body.root);
        order
    }

    fn region<L: Language>(&mut self, body: &Body<L>, region: Region) {
        self.regions.assign(region);
        let blocks = &body.regions[region].blocks;
        blocks.iter().for_each(|&block| self.blocks.assign(block));
        for &block in blocks {
            let block = &body.blocks[block];
            block.args.iter().for_each(|&arg| self.values.assign(arg));
            for &op in &block.ops {
                self.ops.assign(op);
                self.starts.push(Value::new(self.values.order.len()));
                let op = &body.ops[op];
                op.results().for_each(|result| self.values.assign(result));
                op.kind.regions(&mut |region| self.region(body, region));
            }
        }
    }

    fn is_kept_by<L: Language>(&self, body: &Body<L>) -> bool {
        self.values.is_kept(body.values.len())
            && self.ops.is_kept(body.ops.len())
            && self.blocks.is_kept(body.blocks.len())
            && self.regions.is_kept(body.regions.len())
            && body
                .ops
                .iter()
                .zip(&self.starts)
                .all(|((_, op), start)| op.results.0 == *start)
    }

    fn apply<L: Language>(mut self, body: Body<L>) -> Body<L> {
        let mut ops = body.ops.in_order(&self.ops.order);
        let starts = std::mem::take(&mut self.starts);
        for (op, start) in ops.items_mut().zip(starts) {
            op.kind.remap(&mut self);
            op.results.0 = start;
        }
        let mut blocks = body.blocks.in_order(&self.blocks.order);
        for block in blocks.items_mut() {
            block
                .args
                .iter_mut()
                .for_each(|arg| *arg = self.values.renamed(*arg));
            block.ops.iter_mut().for_each(|op| *op = self.ops.renamed(*op));
        }
        let mut regions = body.regions.in_order(&self.regions.order);
        for region in regions.items_mut() {
            region
                .blocks
                .iter_mut()
                .for_each(|block| *block = self.blocks.renamed(*block));
        }
        let root = self.regions.renamed(body.root);
        let carriers = body.carriers.renamed(|value| self.values.new.get(value).copied());
        Body {
            values: body.values.in_order(&self.values.order),
            ops,
            blocks,
            regions,
            root,
            carriers,
        }
    }
}

impl Remap for TextualOrder {
    fn value(&mut self, value: Value) -> Value {
        self.values.renamed(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        values
            .iter_mut()
            .for_each(|value| *value = self.values.renamed(*value));
    }
    fn region(&mut self, region: Region) -> Region {
        self.regions.renamed(region)
    }
    fn block(&mut self, block: Block) -> Block {
        self.blocks.renamed(block)
    }
}

/// A function of a language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Func<L: Language> {
    /// The symbol.
    pub name: String,
    /// The language's attributes of a function.
    pub attrs: L::FuncAttrs,
    /// The body; its entry block's arguments are the parameters.
    pub body: Body<L>,
}

/// A module of a language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module<L: Language> {
    /// The functions, with distinct names.
    pub funcs: Vec<Func<L>>,
}
