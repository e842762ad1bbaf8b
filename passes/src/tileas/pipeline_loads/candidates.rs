//! The tiles of a loop's body that can be loaded for a later iteration, and how.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{
    Block, Body, Effects, OpId, Operation, Region, SideTable, Undefined, Value, ValueType,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::{Ordering, Padding, TileAccess};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::dialects::tile_rules::ShapedType;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::Target;
use tilewright_irs::isa::rules::forms;
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::LANES;
use tilewright_irs::tileas::atoms::{CopyUse, CpAsync, Place};
use tilewright_irs::tileas::{
    Buffer, CopyAtom, Space, TileAs, TileAsDialect, TileAsOp, TileAsType, shape_operand_layout,
};
use tilewright_layouts::{Blocked, Dim, LinearLayout};

/// The widths of `cp.async`, in bits, the widest first.
const WIDTHS: [u32; 3] = [128, 64, 32];
/// Limit of 32-bit registers of a thread for a tile that is loaded to registers one iteration ahead.
const MAX_REGISTERS: u64 = 64;
/// 32-bit registers of a thread for accumulators of products and two such tiles: of all, the rest is for slices of the
/// operands, and addresses.
const REGISTERS: u64 = 144;

/// A tile that each iteration stores to a buffer, and that can be loaded before its iteration.
pub(super) struct Candidate {
    /// The copy of the tile to the buffer.
    pub(super) copy: OpId,
    /// The allocation of the buffer, in the loop's body.
    pub(super) alloc: OpId,
    /// The type of a stage of the ring. The body's buffer is a view of the same bytes: a tile may have another shape
    /// when it is loaded.
    pub(super) buffer: Buffer,
    /// The ops of the body that compute the tile, or of an asynchronous copy the index, from the counter, in order.
    pub(super) slice: Vec<OpId>,
    /// The way to load the tile.
    pub(super) way: Way,
    /// The `latency` hint of its loads, the largest.
    pub(super) latency: Option<u32>,
    /// The ops that the body no longer needs.
    pub(super) replaced: Vec<OpId>,
    /// The tokens that loads in the slice yield, and the tokens that they are ordered after.
    pub(super) tokens: Vec<(Value, Option<Value>)>,
}

/// The way to load a tile ahead of its iteration.
pub(super) enum Way {
    /// From global to shared memory, asynchronously: this load, with this atom.
    Async(OpId, CpAsync),
    /// To registers, one iteration ahead: this value.
    Registers(Value),
}

/// The reads of rings that the first product of a loop's body needs, if other products follow it.
#[derive(Default)]
pub(super) struct Leading {
    /// The reads and the views that they take, in order.
    pub(super) ops: Vec<OpId>,
    /// Of these, the reads.
    pub(super) reads: Vec<OpId>,
    /// The last product, unless an iteration may end before it.
    pub(super) last: Option<OpId>,
}

/// A body with the definitions and the uses of its values.
pub(super) struct Uses<'a> {
    pub(super) body: &'a Body<TileAs>,
    pub(super) definitions: SideTable<Value, OpId>,
    users: SideTable<Value, Vec<OpId>>,
    homes: SideTable<OpId, Block>,
}

impl<'a> Uses<'a> {
    pub(super) fn of(body: &'a Body<TileAs>) -> Self {
        let mut uses = Self {
            body,
            definitions: body.definitions(),
            users: body.value_table(),
            homes: SideTable::new(body.op_count()),
        };
        uses.region(body.root());
        uses
    }

    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for &id in &self.body.block(block).ops {
                self.homes.set(id, block);
                let op = &self.body.op(id).kind;
                op.operands(&mut |value| match self.users.get_mut(value) {
                    Some(users) => users.push(id),
                    None => self.users.set(value, vec![id]),
                });
                op.regions(&mut |inner| self.region(inner));
            }
        }
    }

    pub(super) fn users(&self, value: Value) -> &[OpId] {
        self.users.get(value).map_or(&[], Vec::as_slice)
    }

    fn op(&self, id: OpId) -> &'a TileAsOp {
        &self.body.op(id).kind
    }
}

/// The body of a counted loop.
pub(super) struct Loop<'a> {
    uses: &'a Uses<'a>,
    block: Block,
    counter: Value,
    /// The values that the body defines, its arguments included.
    inside: FxHashSet<Value>,
    target: Target,
    warps: u32,
}

impl<'a> Loop<'a> {
    pub(super) fn new(uses: &'a Uses<'a>, block: Block, target: Target, warps: u32) -> Option<Self> {
        let counter = *uses.body.block(block).args.first()?;
        let mut inside = FxHashSet::default();
        values_of(uses.body, block, &mut inside);
        Some(Self {
            uses,
            block,
            counter,
            inside,
            target,
            warps,
        })
    }

    /// The tiles that can be loaded ahead, in the order of their copies to buffers.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for &id in &self.uses.body.block(self.block).ops {
            let op = self.uses.op(id);
            // What follows is executed by some iterations only.
            if leaves(self.uses.body, op) {
                break;
            }
            if let TileAsOp::TileAs(TileAsDialect::Copy {
                source,
                to: Some(to),
                atom: CopyAtom::St(_),
            }) = op
            {
                found.extend(self.candidate(id, *source, *to));
            }
        }
        found
    }

    fn candidate(&self, copy: OpId, source: Value, to: Value) -> Option<Candidate> {
        let alloc = self.own_definition(to)?;
        let TileAsOp::TileAs(TileAsDialect::Alloc { offset: None, .. }) = self.uses.op(alloc) else {
            return None;
        };
        let buffer = self.uses.body.ty(to).buffer()?;
        if buffer.space != Space::Shared || buffer.stages != 1 || !self.is_filled_by(copy, to) {
            return None;
        }
        let candidate = self
            .asynchronous(source, buffer)
            .or_else(|| self.in_registers(source, buffer))?;
        Some(Candidate {
            copy,
            alloc,
            buffer: candidate.buffer,
            replaced: [candidate.replaced, vec![copy, alloc]].concat(),
            slice: candidate.slice,
            way: candidate.way,
            latency: candidate.latency,
            tokens: candidate.tokens,
        })
    }

    /// The op of the loop's own block that defines a value.
    fn own_definition(&self, value: Value) -> Option<OpId> {
        let id = *self.uses.definitions.get(value)?;
        (self.uses.homes.get(id) == Some(&self.block)).then_some(id)
    }

    /// Whether a buffer is written by this copy only, and read by copies and products within the loop only.
    fn is_filled_by(&self, copy: OpId, buffer: Value) -> bool {
        self.uses
            .users(buffer)
            .iter()
            .all(|&user| match self.uses.op(user) {
                _ if user == copy => true,
                TileAsOp::TileAs(own) => match own {
                    TileAsDialect::Copy { source, to, .. } => *source == buffer && *to != Some(buffer),
                    TileAsDialect::Subview { .. }
                    | TileAsDialect::Transpose { .. }
                    | TileAsDialect::Reinterpret { .. } => {
                        self.is_filled_by(copy, self.uses.body.op(user).result(0))
                    }
                    _ => false,
                },
                _ => false,
            })
    }

    /// The tile is a load that `cp.async` can do, possibly in another shape.
    fn asynchronous(&self, tile: Value, buffer: &Buffer) -> Option<Tile> {
        if self.uses.users(tile).len() != 1 {
            return None;
        }
        let load = self.own_definition(tile)?;
        if let TileAsOp::Tile(op @ (TileOp::Reshape { source } | TileOp::Permute { source, .. })) =
            self.uses.op(load)
        {
            let shape = self.uses.body.ty(*source).extents()?;
            let layout = shape_operand_layout(op, shape, buffer.linear()?).ok()?;
            let mut tile = self.asynchronous(*source, &Buffer::shared(buffer.element, layout))?;
            tile.replaced.push(load);
            return Some(tile);
        }
        let [widest, ..] = WIDTHS;
        let need = forms::cp_async(widest / 8)?;
        if !self.target.provides(need) {
            return None;
        }
        let mut slice = FxHashSet::default();
        let TileAsOp::TileAs(own) = self.uses.op(load) else {
            return None;
        };
        let ordering = own.field::<Ordering>()?;
        if !ordering.is_weak() || !self.is_outside(ordering.after) {
            return None;
        }
        let (atom, latency) = match own {
            TileAsDialect::Load {
                at,
                latency,
                atom: CopyAtom::Ld(ld),
                ..
            } => {
                let pads = at.inbounds.iter().any(|inside| !inside);
                if pads && !matches!(at.padding, None | Some(Padding::Zero)) {
                    return None;
                }
                for &value in at.index.iter().chain([&at.memref]) {
                    self.trace(value, false, &mut slice)?;
                }
                let atom = self.copy_atom(tile, at, ld.bits, buffer)?;
                (atom, latency)
            }
            TileAsDialect::GatherLoad {
                pointers,
                mask,
                other,
                latency,
                atom: CopyAtom::Ld(ld),
                ..
            } => {
                if mask.is_some() && other.is_some_and(|other| !self.is_zero(other)) {
                    return None;
                }
                for &value in [pointers].into_iter().chain(mask) {
                    self.trace(value, false, &mut slice)?;
                }
                (self.gather_atom(tile, ld.bits, buffer)?, latency)
            }
            _ => return None,
        };
        let token = self.uses.body.op(load).result(1);
        Some(Tile {
            buffer: buffer.clone(),
            slice: self.in_order(&slice),
            way: Way::Async(load, atom),
            latency: *latency,
            replaced: vec![load],
            tokens: vec![(token, ordering.after)],
        })
    }

    /// Whether a tile is the constant whose bits are all 0.
    fn is_zero(&self, tile: Value) -> bool {
        let definition = self.uses.definitions.get(tile).map(|&id| self.uses.op(id));
        matches!(
            definition,
            Some(TileAsOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            })) if literal.bits == 0
        )
    }

    /// The widest `cp.async` of a tile that is loaded through pointers, of at most `bits`: in the layout of the
    /// pointers, of which consecutive ones point to consecutive elements.
    fn gather_atom(&self, tile: Value, most: u32, buffer: &Buffer) -> Option<CpAsync> {
        let threads = self.uses.body.ty(tile).layout()?;
        let bits = buffer.element_bits();
        let first = threads.bases(Dim::Register).next()?;
        let along = first.iter().position(|&step| step == 1)?;
        let mut widths = WIDTHS.into_iter().filter(|&width| width <= most && width >= bits);
        widths.find_map(|width| {
            let vector = width / bits;
            let contiguous = has_vectors(threads, Dim::Register, along, vector)
                && has_vectors(buffer.linear()?, Dim::Offset, along, vector);
            let atom = CpAsync {
                bits: width,
                threads: Box::new(threads.clone()),
            };
            (contiguous && self.is_once(threads)).then_some(atom)
        })
    }

    /// Whether each element is in one thread.
    fn is_once(&self, threads: &LinearLayout) -> bool {
        threads.is_injective()
            && threads.in_size(Dim::Lane) == LANES
            && threads.in_size(Dim::Warp) == self.warps
    }

    /// The widest `cp.async` of a tile to a buffer, of at most `bits`: every element is copied once, and vectors are
    /// contiguous in the array and in the buffer.
    fn copy_atom(&self, tile: Value, at: &TileAccess, most: u32, buffer: &Buffer) -> Option<CpAsync> {
        let TileAsType::Memref(array) = self.uses.body.ty(at.memref) else {
            return None;
        };
        let bits = buffer.element_bits();
        let unit = at
            .dim_map
            .iter()
            .position(|&axis| array.strides.get(axis as usize) == Some(&Some(1)))?;
        let own = self.uses.body.ty(tile).layout()?.drop_copies(Dim::Register);
        let mut order: Vec<usize> = (0..buffer.shape.len())
            .rev()
            .filter(|&axis| axis != unit)
            .collect();
        order.insert(0, unit);
        WIDTHS
            .into_iter()
            .filter(|&width| width <= most && width >= bits)
            .filter(|&width| at.has_vectors(array, unit, (width / bits).into()))
            .find_map(|width| {
                let vector = width / bits;
                let spread = Blocked::coalesced(&buffer.shape, vector, &order, self.warps);
                let spread = spread.and_then(|blocked| blocked.to_linear(&buffer.shape)).ok();
                [Some(own.clone()), spread]
                    .into_iter()
                    .flatten()
                    .find_map(|threads| {
                        let contiguous = has_vectors(&threads, Dim::Register, unit, vector)
                            && has_vectors(buffer.linear()?, Dim::Offset, unit, vector);
                        if !contiguous || !self.is_once(&threads) {
                            return None;
                        }
                        let atom = CpAsync {
                            bits: width,
                            threads: Box::new(threads),
                        };
                        let copy = CopyUse {
                            target: self.target,
                            warps: self.warps,
                            from: Place::Global(array),
                            to: Place::Buffer(buffer),
                            dim_map: &at.dim_map,
                        };
                        let allowed = CopyAtom::from(atom.clone()).check(&copy).is_ok();
                        allowed.then_some(atom)
                    })
            })
    }

    /// The tile is computed from the counter by ops that can be executed one iteration ahead.
    fn in_registers(&self, tile: Value, buffer: &Buffer) -> Option<Tile> {
        if self.uses.users(tile).len() != 1 {
            return None;
        }
        let ty = self.uses.body.ty(tile);
        let bits = match ty.element()? {
            ElementType::Scalar(scalar) => scalar.bits().max(8),
            ElementType::Ptr(_) => return None,
        };
        let registers = ty.layout()?.drop_copies(Dim::Register).in_size(Dim::Register);
        // Bytes that a loop carries are in a register each.
        let bits = if bits < 16 { 32 } else { bits };
        let room = REGISTERS.saturating_sub(self.accumulator_registers()) / 2;
        if u64::from(registers) * u64::from(bits) > 32 * room.min(MAX_REGISTERS) {
            return None;
        }
        let mut slice = FxHashSet::default();
        self.trace(tile, true, &mut slice)?;
        let slice = self.in_order(&slice);
        let mut loads = Vec::new();
        for &id in &slice {
            loads_of(self.uses.body, id, &mut loads);
        }
        if loads.is_empty() {
            return None;
        }
        let mut replaced: FxHashSet<OpId> = FxHashSet::default();
        let mut tokens = Vec::new();
        for &id in slice.iter().rev() {
            let op = self.uses.body.op(id);
            let mut needed = false;
            for result in op.results() {
                let users = self.uses.users(result).iter();
                let remain = users.filter(|user| !replaced.contains(user)).count();
                match self.uses.body.ty(result) {
                    TileAsType::Token => tokens.push((result, after_of(&op.kind))),
                    _ => needed |= result != tile && remain > 0,
                }
            }
            let mut own = Vec::new();
            loads_of(self.uses.body, id, &mut own);
            // A load is not repeated.
            if needed && !own.is_empty() {
                return None;
            }
            if !needed {
                replaced.insert(id);
            }
        }
        let latency = loads.iter().filter_map(|&id| latency_of(self.uses.op(id))).max();
        let mut replaced: Vec<OpId> = replaced.into_iter().collect();
        replaced.sort_unstable();
        Some(Tile {
            buffer: buffer.clone(),
            slice,
            way: Way::Registers(tile),
            latency,
            replaced,
            tokens,
        })
    }

    /// Adds the ops of the body that compute a value from the counter; `None` if one cannot be executed in another
    /// iteration.
    fn trace(&self, value: Value, loads: bool, slice: &mut FxHashSet<OpId>) -> Option<()> {
        if value == self.counter || !self.inside.contains(&value) {
            return Some(());
        }
        let id = self.own_definition(value)?;
        if slice.contains(&id) {
            return Some(());
        }
        if !self.is_movable(id, loads) {
            return None;
        }
        let mut own = FxHashSet::default();
        for region in self.uses.op(id).region_list() {
            for &block in &self.uses.body.region(region).blocks {
                values_of(self.uses.body, block, &mut own);
            }
        }
        let mut operands = Vec::new();
        operands_of(self.uses.body, id, &mut operands);
        for operand in operands.into_iter().filter(|operand| !own.contains(operand)) {
            self.trace(operand, loads, slice)?;
        }
        slice.insert(id);
        Some(())
    }

    /// Whether an op may be executed for another iteration, before the current one is finished, and for an iteration
    /// that does not exist if nothing uses its result.
    fn is_movable(&self, id: OpId, loads: bool) -> bool {
        let op = self.uses.op(id);
        match op {
            TileAsOp::TileAs(
                TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. },
            ) if ordering.is_weak() => loads && self.is_outside(ordering.after),
            TileAsOp::Scf(ScfOp::If { then, otherwise, .. }) => {
                loads
                    && [then, otherwise].into_iter().all(|&region| {
                        let block = self.uses.body.only_block(region);
                        block.is_some_and(|block| {
                            let ops = self.uses.body.block(block).ops.iter();
                            ops.clone().all(|&id| {
                                matches!(self.uses.op(id), TileAsOp::Scf(ScfOp::Yield { .. }))
                                    || self.is_movable(id, loads)
                            })
                        })
                    })
            }
            _ => {
                let effects = op.effects();
                // A broken promise makes a value that nothing uses.
                op.region_list().is_empty() && is_plain(&effects)
            }
        }
    }

    /// The reads of rings that the first of several products needs, and where the last product is.
    pub(super) fn leading(&self, rings: &[Candidate]) -> Leading {
        let ops = &self.uses.body.block(self.block).ops;
        let is_product =
            |id: &&OpId| matches!(self.uses.op(**id), TileAsOp::TileAs(TileAsDialect::Dot { .. }));
        let mut leading = Leading::default();
        let (Some(&first), Some(&last)) = (ops.iter().find(is_product), ops.iter().rfind(is_product)) else {
            return leading;
        };
        let TileAsOp::TileAs(TileAsDialect::Dot { a, b, .. }) = self.uses.op(first) else {
            return leading;
        };
        if first == last {
            return leading;
        }
        let mut before = ops.iter().take_while(|&&id| id != last);
        if !before.any(|&id| leaves(self.uses.body, self.uses.op(id))) {
            leading.last = Some(last);
        }
        for &operand in [a, b] {
            if let Some((read, views)) = self.read_of(operand, rings) {
                leading.reads.push(read);
                leading.ops.push(read);
                leading.ops.extend(views);
            }
        }
        let slice: FxHashSet<OpId> = leading.ops.drain(..).collect();
        leading.ops = self.in_order(&slice);
        leading
    }

    /// 32-bit registers of a thread for the largest accumulator of the loop's products.
    fn accumulator_registers(&self) -> u64 {
        let ops = self.uses.body.block(self.block).ops.iter();
        let accumulators = ops.filter_map(|&id| match self.uses.op(id) {
            TileAsOp::TileAs(TileAsDialect::Dot { acc, .. }) => {
                let ty = self.uses.body.ty(*acc);
                let words = if ty.element()?.stored_bytes() > 4 { 2 } else { 1 };
                Some(words * u64::from(ty.layout()?.in_size(Dim::Register)))
            }
            _ => None,
        });
        accumulators.max().unwrap_or(0)
    }

    /// The op that reads a tile, which only one op uses, from a ring, and the views that it takes.
    fn read_of(&self, tile: Value, rings: &[Candidate]) -> Option<(OpId, Vec<OpId>)> {
        let read = self.own_definition(tile)?;
        let TileAsOp::TileAs(TileAsDialect::Copy { source, to: None, .. }) = self.uses.op(read) else {
            return None;
        };
        // Bytes that a loop carries are in a register each.
        if self.uses.body.ty(tile).element()?.stored_bytes() < 2 {
            return None;
        }
        if self.uses.users(tile).len() != 1 {
            return None;
        }
        let (mut views, mut source) = (Vec::new(), *source);
        loop {
            let id = self.own_definition(source)?;
            if rings.iter().any(|ring| ring.alloc == id) {
                return Some((read, views));
            }
            let TileAsOp::TileAs(
                TileAsDialect::Subview {
                    buffer, stage: None, ..
                }
                | TileAsDialect::Transpose { buffer, .. },
            ) = self.uses.op(id)
            else {
                return None;
            };
            views.push(id);
            source = *buffer;
        }
    }

    fn is_outside(&self, token: Option<Value>) -> bool {
        token.is_none_or(|token| !self.inside.contains(&token))
    }

    fn in_order(&self, slice: &FxHashSet<OpId>) -> Vec<OpId> {
        let ops = self.uses.body.block(self.block).ops.iter();
        ops.copied().filter(|id| slice.contains(id)).collect()
    }
}

/// What a candidate is made of, without the copy to its buffer.
struct Tile {
    buffer: Buffer,
    slice: Vec<OpId>,
    way: Way,
    latency: Option<u32>,
    replaced: Vec<OpId>,
    tokens: Vec<(Value, Option<Value>)>,
}

fn is_plain(effects: &Effects) -> bool {
    effects.is_pure()
        && !effects.allocates
        && !effects.convergent
        && matches!(effects.undefined, Undefined::Never | Undefined::BrokenPromise)
}

/// Whether the first `vector` places of a layout are side by side along an axis.
fn has_vectors(layout: &LinearLayout, places: Dim, axis: usize, vector: u32) -> bool {
    let wanted = vector.trailing_zeros();
    let bases = layout.bases(places).take(wanted as usize);
    layout.in_bits(places) >= wanted
        && bases.zip(0..).all(|(basis, bit)| {
            let mut along = basis.iter().enumerate();
            along.all(|(i, &step)| step == if i == axis { 1 << bit } else { 0 })
        })
}

/// Whether an op may leave the loop's body early or end the kernel.
pub(super) fn leaves(body: &Body<TileAs>, op: &TileAsOp) -> bool {
    let ends = |op: &TileAsOp| {
        matches!(
            op,
            TileAsOp::Scf(ScfOp::Continue { .. } | ScfOp::Break { .. } | ScfOp::Return {})
        )
    };
    op.region_list().into_iter().any(|region| {
        let blocks = body.region(region).blocks.iter();
        blocks
            .flat_map(|&block| &body.block(block).ops)
            .any(|&id| ends(&body.op(id).kind) || leaves(body, &body.op(id).kind))
    })
}

/// The values that a block defines, with those of its regions.
fn values_of(body: &Body<TileAs>, block: Block, into: &mut FxHashSet<Value>) {
    into.extend(&body.block(block).args);
    for &id in &body.block(block).ops {
        into.extend(body.op(id).results());
        for region in body.op(id).kind.region_list() {
            for &inner in &body.region(region).blocks {
                values_of(body, inner, into);
            }
        }
    }
}

/// The operands of an op and of the ops in its regions.
fn operands_of(body: &Body<TileAs>, id: OpId, into: &mut Vec<Value>) {
    let op = &body.op(id).kind;
    op.operands(&mut |value| into.push(value));
    for region in op.region_list() {
        for &block in &body.region(region).blocks {
            for &inner in &body.block(block).ops {
                operands_of(body, inner, into);
            }
        }
    }
}

/// The loads among an op and the ops in its regions.
fn loads_of(body: &Body<TileAs>, id: OpId, into: &mut Vec<OpId>) {
    let op = &body.op(id).kind;
    if let TileAsOp::TileAs(TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. }) = op {
        into.push(id);
    }
    for region in op.region_list() {
        for &block in &body.region(region).blocks {
            for &inner in &body.block(block).ops {
                loads_of(body, inner, into);
            }
        }
    }
}

fn after_of(op: &TileAsOp) -> Option<Value> {
    match op {
        TileAsOp::TileAs(
            TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. },
        ) => ordering.after,
        _ => None,
    }
}

fn latency_of(op: &TileAsOp) -> Option<u32> {
    match op {
        TileAsOp::TileAs(TileAsDialect::Load { latency, .. } | TileAsDialect::GatherLoad { latency, .. }) => {
            *latency
        }
        _ => None,
    }
}
