//! Decides which thread holds which element of every tile.
//!
//! Tiles made of scalars alone (splats, iotas, constants, and what is computed from them) *float*: they are made
//! where and how their users want them, in several layouts if need be. All others have a home: values that meet in an
//! elementwise op, in a gather or scatter, or in carrying values through control flow share one layout and form a
//! group. Groups are settled one after the other, the largest first, those next to a settled one (through a
//! broadcast, a reshape, a permutation) before others. A group's candidates are the layouts that its memory ops
//! prefer and those that its settled neighbours suggest; the cheapest wins, counting memory traffic and conversions.
//!
//! A tiled load or store may use another layout than its group when that and the conversion are cheaper.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Entity, OpData, OpId, Operation, Origin, Region, SideTable, Value, ValueType,
};
use tilewright_irs::dialects::arith::is_pure;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp};
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

use super::select_atoms::Access;

/// What a round trip through shared memory costs beside its accesses: two barriers.
const BARRIERS_COST: u64 = 40;
/// What one access of a warp to shared memory costs, on the scale of [`Access::cost`].
const SHARED_ACCESS_COST: u64 = 12;
/// Bytes of a vector where no memory op says more.
const VECTOR_BYTES: u32 = 16;
/// In more layouts than this a floating tile is not computed but converted.
const MAX_FLOATING_LAYOUTS: usize = 8;

/// Where the tiles of a function live.
#[derive(Clone, Debug)]
pub struct Layouts {
    /// The layout in which a tile with a home is computed. Floating tiles have none.
    home: SideTable<Value, LinearLayout>,
    /// The layouts in which a tile is used.
    wanted: SideTable<Value, Vec<LinearLayout>>,
    /// The layout of the data of a memory op.
    access: SideTable<OpId, LinearLayout>,
    /// For the ops that carry values through control flow: which value each operand of the list becomes.
    passed: SideTable<OpId, Vec<Value>>,
}

impl Layouts {
    /// The layout in which a tile is computed, unless it floats or is no tile.
    pub fn home(&self, value: Value) -> Option<&LinearLayout> {
        self.home.get(value)
    }

    /// The layouts in which a tile is used, in order of first use.
    pub fn wanted(&self, value: Value) -> &[LinearLayout] {
        self.wanted.get(value).map_or(&[], Vec::as_slice)
    }

    /// The layout of the data of a memory op; none for a single element.
    pub fn access(&self, op: OpId) -> Option<&LinearLayout> {
        self.access.get(op)
    }

    /// For an op that carries values through control flow, the value of the function that each of them becomes.
    pub fn passed(&self, op: OpId) -> &[Value] {
        self.passed.get(op).map_or(&[], Vec::as_slice)
    }
}

/// The layout that the tile operands of a pure op must have so that its result has the layout `result`, without
/// any element leaving its thread. All tile operands of one op have the same.
///
/// # Errors
/// A limit of the layouts is passed.
pub fn operand_layout(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    result: &LinearLayout,
) -> Result<LinearLayout, LayoutError> {
    let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
    match &op.kind {
        TileAaOp::Tile(TileOp::Broadcast { source }) => {
            let mut layout = result.clone();
            for (axis, (&from, &to)) in shape(*source).iter().zip(&result.shape()).enumerate() {
                if from < to {
                    layout = layout.slice(axis)?;
                }
            }
            Ok(layout.drop_copies(Dim::Register))
        }
        TileAaOp::Tile(TileOp::Reshape { source }) => result.reshape_outs(shape(*source)),
        TileAaOp::Tile(TileOp::Permute { permutation, .. }) => {
            let mut inverse = vec![0; permutation.len()];
            for (to, &from) in permutation.iter().enumerate() {
                if let Some(slot) = inverse.get_mut(from as usize) {
                    *slot = to;
                }
            }
            result.permute_axes(&inverse)
        }
        TileAaOp::Tile(TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. })
        | TileAaOp::Arith(_)
        | TileAaOp::Scf(_)
        | TileAaOp::TileAa(_) => Ok(result.clone()),
    }
}

/// The layout that the result of a shape op has when its operand has `source` and nothing moves.
fn result_layout(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    source: &LinearLayout,
) -> Result<LinearLayout, LayoutError> {
    let shape = body.ty(op.result(0)).shape().unwrap_or_default();
    match &op.kind {
        TileAaOp::Tile(TileOp::Broadcast { .. }) => {
            let mut layout = source.clone();
            for (axis, (&from, &to)) in source.shape().iter().zip(shape).enumerate() {
                if from < to {
                    layout = layout.broadcast(axis, to, tilewright_layouts::linear::Spread::CopiesFirst)?;
                }
            }
            Ok(layout)
        }
        TileAaOp::Tile(TileOp::Reshape { .. }) => source.reshape_outs(shape),
        TileAaOp::Tile(TileOp::Permute { permutation, .. }) => {
            let axes: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
            source.permute_axes(&axes)
        }
        TileAaOp::Tile(TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. })
        | TileAaOp::Arith(_)
        | TileAaOp::Scf(_)
        | TileAaOp::TileAa(_) => Ok(source.clone()),
    }
}

/// Assigns a layout to every tile of a body.
///
/// # Errors
/// A layout passes a limit of the layouts (E0408), with the origin of the op.
pub fn assign_layouts(
    body: &Body<TileAa>,
    accesses: &SideTable<OpId, Access>,
    num_warps: u32,
) -> Result<Layouts, Diagnostic<Origin>> {
    let mut groups = Groups::new(body, accesses);
    if let Some(entry) = body.entry() {
        groups.block_args(entry);
    }
    groups.region(body.root(), &mut Vec::new());
    let settled = settle(&groups, num_warps)?;
    Wants::new(&groups, settled, num_warps).run()
}

fn is_tile(body: &Body<TileAa>, value: Value) -> bool {
    matches!(body.ty(value).kind, TileAaKind::Tile { .. })
}

fn elements(shape: &[u32]) -> u64 {
    shape.iter().map(|&n| u64::from(n)).product()
}

fn wrong(origin: Origin, error: &LayoutError) -> Diagnostic<Origin> {
    Diagnostic::error(Code::BadLayout, format!("no layout for this tile: {error}")).at(origin, "")
}

/// The tile that a memory op moves, or that stands for its shape.
fn data_of(op: &OpData<TileAa>) -> Option<Value> {
    match &op.kind {
        TileAaOp::TileAa(TileAaDialect::Load { .. } | TileAaDialect::GatherLoad { .. }) => Some(op.result(0)),
        TileAaOp::TileAa(TileAaDialect::Store { value, .. } | TileAaDialect::ScatterStore { value, .. }) => {
            Some(*value)
        }
        TileAaOp::TileAa(
            TileAaDialect::Memref { .. }
            | TileAaDialect::CreateMemToken {}
            | TileAaDialect::JoinMemTokens { .. }
            | TileAaDialect::ProgramId { .. }
            | TileAaDialect::NumPrograms { .. },
        )
        | TileAaOp::Arith(_)
        | TileAaOp::Scf(_)
        | TileAaOp::Tile(_) => None,
    }
}

/// Bytes of an element in registers' exchange: at least one.
fn exchange_bytes(body: &Body<TileAa>, value: Value) -> u32 {
    body.ty(value).element().map_or(8, |e| e.bits().div_ceil(8))
}

/// What it costs a warp to bring a tile from one layout to another.
fn conversion_cost(from: &LinearLayout, to: &LinearLayout, bytes: u32) -> u64 {
    if from == to {
        return 0;
    }
    if to.registers_from(from).is_some() {
        return 1;
    }
    let accesses = |layout: &LinearLayout| {
        let bytes = u64::from(layout.in_size(Dim::Register)) * u64::from(bytes);
        bytes.div_ceil(16).max(1)
    };
    BARRIERS_COST + SHARED_ACCESS_COST * (accesses(from) + accesses(to))
}

/// The innermost constructs around an op, for the values that leave them.
enum Frame {
    Loop {
        carried: Vec<Value>,
        results: Vec<Value>,
    },
    If {
        results: Vec<Value>,
    },
}

/// Which values share a layout.
struct Groups<'a> {
    body: &'a Body<TileAa>,
    accesses: &'a SideTable<OpId, Access>,
    /// Union-find: the parent of each value.
    parent: Vec<Value>,
    /// Tiles with a home.
    anchored: SideTable<Value, ()>,
    /// Memory ops on tiles, in textual order.
    memory: Vec<OpId>,
    /// Shape ops whose operand has a home, in textual order.
    relations: Vec<OpId>,
    passed: SideTable<OpId, Vec<Value>>,
}

impl<'a> Groups<'a> {
    fn new(body: &'a Body<TileAa>, accesses: &'a SideTable<OpId, Access>) -> Self {
        Self {
            body,
            accesses,
            parent: (0..body.value_count()).map(Value::new).collect(),
            anchored: body.value_table(),
            memory: Vec::new(),
            relations: Vec::new(),
            passed: SideTable::new(body.op_count()),
        }
    }

    fn is_anchored(&self, value: Value) -> bool {
        self.anchored.get(value).is_some()
    }

    fn anchor(&mut self, value: Value) {
        if is_tile(self.body, value) {
            self.anchored.set(value, ());
        }
    }

    fn root(&self, mut value: Value) -> Value {
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
        // The earlier value leads, and the path of the later one is cut short.
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

    fn block_args(&mut self, block: tilewright_irs::core::Block) {
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
            TileAaOp::Arith(_) | TileAaOp::Tile(_) => {
                let operands = op.kind.operand_list();
                let anchored = operands.iter().any(|&v| self.is_anchored(v));
                if !anchored || !is_pure(op) {
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
            TileAaOp::TileAa(own) => self.memory_op(id, own),
        }
    }

    fn memory_op(&mut self, id: OpId, own: &TileAaDialect) {
        let body = self.body;
        let op = body.op(id);
        op.results().for_each(|v| self.anchor(v));
        if data_of(op).is_some_and(|data| is_tile(body, data)) {
            self.memory.push(id);
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
            }
            TileAaDialect::ScatterStore {
                pointers,
                value,
                mask,
                ..
            } => {
                let values = [Some(*pointers), Some(*value), *mask];
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
            TileAaDialect::Memref { .. }
            | TileAaDialect::Load { .. }
            | TileAaDialect::Store { .. }
            | TileAaDialect::CreateMemToken {}
            | TileAaDialect::JoinMemTokens { .. }
            | TileAaDialect::ProgramId { .. }
            | TileAaDialect::NumPrograms { .. } => {}
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

/// Picks a layout for every group, by its leading value.
fn settle(groups: &Groups<'_>, num_warps: u32) -> Result<FxHashMap<Value, LinearLayout>, Diagnostic<Origin>> {
    let body = groups.body;
    let mut members: FxHashMap<Value, Group> = FxHashMap::default();
    for (value, ty) in body.values() {
        if groups.is_anchored(value) {
            let root = groups.root(value);
            members.entry(root).or_insert_with(|| Group {
                shape: ty.shape().unwrap_or_default().to_vec(),
                memory: Vec::new(),
                relations: Vec::new(),
                near: false,
            });
        }
    }
    for &id in &groups.memory {
        let op = body.op(id);
        // A scatter's data may float while its pointers do not; what it wants concerns them alike.
        let mut anchor = data_of(op).filter(|&v| groups.is_anchored(v));
        if let TileAaOp::TileAa(TileAaDialect::ScatterStore { pointers, mask, .. }) = &op.kind {
            anchor = anchor.or_else(|| {
                [Some(*pointers), *mask]
                    .into_iter()
                    .flatten()
                    .find(|&v| groups.is_anchored(v))
            });
        }
        if let Some(group) = anchor.and_then(|v| members.get_mut(&groups.root(v))) {
            group.memory.push(id);
        }
    }
    for &id in &groups.relations {
        let op = body.op(id);
        let ends = op.kind.operand_list().into_iter().chain(op.results());
        for value in ends.filter(|&v| groups.is_anchored(v)) {
            if let Some(group) = members.get_mut(&groups.root(value)) {
                group.relations.push(id);
            }
        }
    }
    let mut open: Vec<Value> = members.keys().copied().collect();
    open.sort_unstable();
    let mut settled: FxHashMap<Value, LinearLayout> = FxHashMap::default();
    loop {
        let rank = |root: &Value| members.get(root).map(|g| (elements(&g.shape), g.near));
        // Of equals the first: `max_by_key` would take the last.
        let Some(next) = open.iter().rev().copied().max_by_key(rank) else {
            return Ok(settled);
        };
        open.retain(|&root| root != next);
        let Some(group) = members.get(&next) else {
            continue;
        };
        let layout = Settling {
            groups,
            settled: &settled,
            root: next,
            num_warps,
        }
        .choose(group)?;
        let relations = group.relations.clone();
        settled.insert(next, layout);
        for id in relations {
            let op = body.op(id);
            for value in op.kind.operand_list().into_iter().chain(op.results()) {
                if let Some(group) = members.get_mut(&groups.root(value)) {
                    group.near = true;
                }
            }
        }
    }
}

/// Values that share a layout.
struct Group {
    shape: Vec<u32>,
    memory: Vec<OpId>,
    relations: Vec<OpId>,
    /// Whether a group at the other end of a relation is settled.
    near: bool,
}

/// The choice of one group's layout.
struct Settling<'a> {
    groups: &'a Groups<'a>,
    settled: &'a FxHashMap<Value, LinearLayout>,
    root: Value,
    num_warps: u32,
}

impl Settling<'_> {
    fn choose(&self, group: &Group) -> Result<LinearLayout, Diagnostic<Origin>> {
        let body = self.groups.body;
        let mut candidates: Vec<LinearLayout> = Vec::new();
        let mut add = |layout: LinearLayout| {
            if !candidates.contains(&layout) {
                candidates.push(layout);
            }
        };
        for &id in &group.memory {
            if let Some(access) = self.groups.accesses.get(id) {
                let layout = access.preferred(&group.shape, self.num_warps);
                add(layout.map_err(|e| wrong(body.op(id).origin, &e))?);
            }
        }
        for &id in &group.relations {
            let op = body.op(id);
            let suggestion = match self.ends(op) {
                (_, Some(result)) => operand_layout(body, op, result),
                (Some(source), None) => result_layout(body, op, source),
                (None, None) => continue,
            };
            add(suggestion.map_err(|e| wrong(op.origin, &e))?);
        }
        if candidates.is_empty() {
            return default_layout(body, self.root, self.num_warps).map_err(|e| wrong(Origin::FUNCTION, &e));
        }
        let mut best: Option<(u64, LinearLayout)> = None;
        for candidate in candidates {
            let cost = self.cost(group, &candidate)?;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, candidate));
            }
        }
        match best {
            Some((_, layout)) => Ok(layout),
            None => default_layout(body, self.root, self.num_warps).map_err(|e| wrong(Origin::FUNCTION, &e)),
        }
    }

    /// The settled layouts of a shape op's operand and result, this group's own left out.
    fn ends(&self, op: &OpData<TileAa>) -> (Option<&LinearLayout>, Option<&LinearLayout>) {
        let find = |value: Option<Value>| {
            let root = self.groups.root(value?);
            (root != self.root).then(|| self.settled.get(&root)).flatten()
        };
        (
            find(op.kind.operand_list().first().copied()),
            find(op.results().next()),
        )
    }

    fn cost(&self, group: &Group, layout: &LinearLayout) -> Result<u64, Diagnostic<Origin>> {
        let body = self.groups.body;
        let mut cost = u64::from(layout.in_size(Dim::Register));
        for &id in &group.memory {
            let op = body.op(id);
            if let (Some(access), Some(data)) = (self.groups.accesses.get(id), data_of(op)) {
                let (_, least) = cheapest_access(body, op, access, data, layout, self.num_warps)?;
                cost = cost.saturating_add(least);
            }
        }
        for &id in &group.relations {
            let op = body.op(id);
            let wanted =
                |result: &LinearLayout| operand_layout(body, op, result).map_err(|e| wrong(op.origin, &e));
            let Some(&source) = op.kind.operand_list().first() else {
                continue;
            };
            let bytes = exchange_bytes(body, source);
            cost = cost.saturating_add(match self.ends(op) {
                (_, Some(result)) => conversion_cost(layout, &wanted(result)?, bytes),
                (Some(source), None) => conversion_cost(source, &wanted(layout)?, bytes),
                (None, None) => 0,
            });
        }
        Ok(cost)
    }
}

/// The layout in which a memory op works when its data is at home in `home`, and what that costs with the conversion.
fn cheapest_access(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    access: &Access,
    data: Value,
    home: &LinearLayout,
    num_warps: u32,
) -> Result<(LinearLayout, u64), Diagnostic<Origin>> {
    let here = access.cost(home);
    match &op.kind {
        TileAaOp::TileAa(TileAaDialect::Load { .. } | TileAaDialect::Store { .. }) => {
            let preferred = access
                .preferred(&home.shape(), num_warps)
                .map_err(|e| wrong(op.origin, &e))?;
            let bytes = exchange_bytes(body, data);
            let there = access.cost(&preferred) + conversion_cost(&preferred, home, bytes);
            Ok(if there < here {
                (preferred, there)
            } else {
                (home.clone(), here)
            })
        }
        TileAaOp::TileAa(_) | TileAaOp::Arith(_) | TileAaOp::Scf(_) | TileAaOp::Tile(_) => {
            Ok((home.clone(), here))
        }
    }
}

/// A layout for a tile that nothing says anything about.
fn default_layout(body: &Body<TileAa>, value: Value, num_warps: u32) -> Result<LinearLayout, LayoutError> {
    let shape = body.ty(value).shape().unwrap_or_default();
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    let bytes = exchange_bytes(body, value).next_power_of_two();
    Blocked::coalesced(shape, (VECTOR_BYTES / bytes).max(1), &order, num_warps)?.to_linear(shape)
}

/// Collects in which layouts each tile is used.
struct Wants<'a> {
    groups: &'a Groups<'a>,
    layouts: Layouts,
    definitions: SideTable<Value, OpId>,
    /// Wishes that are not noted yet.
    open: Vec<(Value, LinearLayout)>,
    num_warps: u32,
}

impl<'a> Wants<'a> {
    fn new(groups: &'a Groups<'a>, settled: FxHashMap<Value, LinearLayout>, num_warps: u32) -> Self {
        let body = groups.body;
        let mut home = body.value_table();
        for (value, _) in body.values() {
            if groups.is_anchored(value)
                && let Some(layout) = settled.get(&groups.root(value))
            {
                home.set(value, layout.clone());
            }
        }
        Self {
            groups,
            layouts: Layouts {
                home,
                wanted: body.value_table(),
                access: SideTable::new(body.op_count()),
                passed: groups.passed.clone(),
            },
            definitions: body.definitions(),
            open: Vec::new(),
            num_warps,
        }
    }

    fn run(mut self) -> Result<Layouts, Diagnostic<Origin>> {
        for id in self.groups.body.walk() {
            self.op(id)?;
            // In order of first use, so that the ops come out in that order.
            self.open.reverse();
            while let Some((value, layout)) = self.open.pop() {
                self.note(value, layout)?;
            }
        }
        Ok(self.layouts)
    }

    fn want(&mut self, value: Value, layout: &LinearLayout) {
        if is_tile(self.groups.body, value) {
            self.open.push((value, layout.clone()));
        }
    }

    fn note(&mut self, value: Value, layout: LinearLayout) -> Result<(), Diagnostic<Origin>> {
        let mut wanted = self.layouts.wanted(value).to_vec();
        let floats = self.layouts.home(value).is_none();
        if wanted.contains(&layout) || (floats && wanted.len() >= MAX_FLOATING_LAYOUTS) {
            return Ok(());
        }
        wanted.push(layout.clone());
        self.layouts.wanted.set(value, wanted);
        if let (true, Some(&id)) = (floats, self.definitions.get(value)) {
            self.operands(id, &layout)?;
        }
        Ok(())
    }

    /// Wants the operands of a pure op for a result in this layout.
    fn operands(&mut self, id: OpId, layout: &LinearLayout) -> Result<(), Diagnostic<Origin>> {
        let body = self.groups.body;
        let op = body.op(id);
        let needed = operand_layout(body, op, layout).map_err(|e| wrong(op.origin, &e))?;
        for value in op.kind.operand_list() {
            self.want(value, &needed);
        }
        Ok(())
    }

    fn op(&mut self, id: OpId) -> Result<(), Diagnostic<Origin>> {
        let body = self.groups.body;
        let op = body.op(id);
        match &op.kind {
            TileAaOp::Arith(_) | TileAaOp::Tile(_) => {
                let result = op.result(0);
                if let Some(home) = self.layouts.home(result).cloned() {
                    self.operands(id, &home)?;
                } else if !is_tile(body, result) {
                    // A tile of one element becomes a scalar: every thread holds it in any layout.
                    for value in op.kind.operand_list() {
                        if is_tile(body, value) {
                            let layout = self.any_layout(value).map_err(|e| wrong(op.origin, &e))?;
                            self.want(value, &layout);
                        }
                    }
                }
            }
            TileAaOp::Scf(scf) => {
                let values = match scf {
                    ScfOp::For { inits, .. } | ScfOp::Loop { inits, .. } => inits.as_slice(),
                    ScfOp::Yield { values } | ScfOp::Continue { values } | ScfOp::Break { values } => values,
                    ScfOp::If { .. } | ScfOp::Return {} => &[],
                };
                let targets = self.layouts.passed(id).to_vec();
                for (&value, target) in values.iter().zip(targets) {
                    if let Some(home) = self.layouts.home(target).cloned() {
                        self.want(value, &home);
                    }
                }
            }
            TileAaOp::TileAa(own) => {
                let (Some(access), Some(data)) = (self.groups.accesses.get(id), data_of(op)) else {
                    return Ok(());
                };
                if !is_tile(body, data) {
                    return Ok(());
                }
                let shape = body.ty(data).shape().unwrap_or_default();
                let anchor = match own {
                    TileAaDialect::ScatterStore {
                        pointers,
                        value,
                        mask,
                        ..
                    } => [Some(*value), Some(*pointers), *mask]
                        .into_iter()
                        .flatten()
                        .find(|&v| self.layouts.home(v).is_some()),
                    TileAaDialect::Load { .. }
                    | TileAaDialect::Store { .. }
                    | TileAaDialect::GatherLoad { .. }
                    | TileAaDialect::Memref { .. }
                    | TileAaDialect::CreateMemToken {}
                    | TileAaDialect::JoinMemTokens { .. }
                    | TileAaDialect::ProgramId { .. }
                    | TileAaDialect::NumPrograms { .. } => Some(data),
                };
                let layout = match anchor.and_then(|v| self.layouts.home(v)) {
                    Some(home) => cheapest_access(body, op, access, data, home, self.num_warps)?.0,
                    None => access
                        .preferred(shape, self.num_warps)
                        .map_err(|e| wrong(op.origin, &e))?,
                };
                for value in op.kind.operand_list() {
                    self.want(value, &layout);
                }
                self.layouts.access.set(id, layout);
            }
        }
        Ok(())
    }

    /// The layout in which a tile of one element is at hand.
    fn any_layout(&self, value: Value) -> Result<LinearLayout, LayoutError> {
        match (self.layouts.home(value), self.layouts.wanted(value).first()) {
            (Some(layout), _) | (None, Some(layout)) => Ok(layout.clone()),
            (None, None) => default_layout(self.groups.body, value, self.num_warps),
        }
    }
}
