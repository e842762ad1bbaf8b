//! Classes of tile axes that must have one extent.
//!
//! The axes of the operands and results of elementwise ops, of the values that loops carry, and so on, are in one class.
//! A class knows how many of its elements are used, and whether ops combine them.

use tilewright_irs::core::{Block, Body, OpId, Operation, Region, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::literal::Dense;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

/// Rows of the smallest matrix instructions (PTX ISA, `mma`: shapes `m16n8k*`).
pub(super) const ROWS: u32 = 16;
/// Columns of the smallest matrix instructions.
const COLUMNS: u32 = 8;

/// The place of a store of a tile to an array, and the tile.
pub(super) const fn stored(op: &TileAaDialect) -> Option<(&TileAccess, Value)> {
    match op {
        TileAaDialect::Store { at, value, .. } | TileAaDialect::AtomicTile { at, value, .. } => {
            Some((at, *value))
        }
        _ => None,
    }
}

/// The number of elements along each axis that a store of a tile may write. Of tiles that do not overlap, only the first
/// one is in bounds of an array that is smaller than a tile.
pub(super) fn needs(body: &Body<TileAa>, at: &TileAccess, shape: &[u32]) -> Vec<u32> {
    let memref = body.ty(at.memref).memref();
    let need = |axis: usize, tile: u32| -> Option<u32> {
        let array = *at.dim_map.get(axis)? as usize;
        let extent = u32::try_from((*memref?.extents.get(array)?)?).ok()?;
        let apart = *at.steps.get(axis)? >= tile.max(extent);
        let promised = *at.inbounds.get(axis)?;
        (apart && !promised).then(|| tile.min(extent))
    };
    let axes = shape.iter().enumerate();
    axes.map(|(axis, &tile)| need(axis, tile).unwrap_or(tile))
        .collect()
}

/// Classes of axes that have one extent: a union-find structure over the axes of all tiles.
pub(super) struct Classes {
    /// The number of the first axis of each tile.
    first: SideTable<Value, usize>,
    parents: Vec<usize>,
    /// The number of elements that a class needs; 0 if nothing was found to need any.
    needs: Vec<u32>,
    /// Whether an op combines the elements along a class, or takes them in another way than one by one.
    whole: Vec<bool>,
}

/// A loop or a branch around an op, whose results or carried values its terminators pass.
#[derive(Clone)]
struct Frame {
    /// Whether `scf.continue` and `scf.break` belong to it.
    is_loop: bool,
    /// What `scf.yield` or `scf.break` passes.
    results: Vec<Value>,
    /// What `scf.continue` passes.
    carried: Vec<Value>,
}

impl Classes {
    /// The classes of the axes of a body's tiles.
    pub(super) fn of(body: &Body<TileAa>) -> Self {
        let mut classes = Self {
            first: body.value_table(),
            parents: Vec::new(),
            needs: Vec::new(),
            whole: Vec::new(),
        };
        for (value, ty) in body.values() {
            let shape = ty.shape().unwrap_or_default();
            classes.first.set(value, classes.parents.len());
            for _ in shape {
                classes.parents.push(classes.parents.len());
                classes.needs.push(0);
                classes.whole.push(false);
            }
        }
        classes.region(body, body.root(), &[]);
        classes
    }

    /// The class of an axis of a tile.
    pub(super) fn class_of(&mut self, value: Value, axis: usize) -> Option<usize> {
        let number = self.axis(value, axis)?;
        self.class(number)
    }

    /// The number of elements that a class needs; `None` if nothing was found to need any.
    pub(super) fn needed(&self, class: usize) -> Option<u32> {
        self.needs.get(class).copied().filter(|&need| need > 0)
    }

    /// Whether the elements along a class are used one by one only, so that tiles may be split along it.
    pub(super) fn is_separable(&self, class: usize) -> bool {
        self.whole.get(class) == Some(&false)
    }

    /// The class of an axis.
    fn class(&mut self, mut axis: usize) -> Option<usize> {
        loop {
            let parent = *self.parents.get(axis)?;
            if parent == axis {
                return Some(axis);
            }
            let above = *self.parents.get(parent)?;
            if let Some(slot) = self.parents.get_mut(axis) {
                *slot = above;
            }
            axis = above;
        }
    }

    fn axis(&self, value: Value, axis: usize) -> Option<usize> {
        Some(self.first.get(value)? + axis)
    }

    fn unite(&mut self, (a, a_axis): (Value, usize), (b, b_axis): (Value, usize)) -> Option<()> {
        let (a, b) = (self.axis(a, a_axis)?, self.axis(b, b_axis)?);
        let (a, b) = (self.class(a)?, self.class(b)?);
        if a != b {
            let need = (*self.needs.get(a)?).max(*self.needs.get(b)?);
            let whole = *self.whole.get(a)? || *self.whole.get(b)?;
            *self.parents.get_mut(b)? = a;
            *self.needs.get_mut(a)? = need;
            *self.whole.get_mut(a)? = whole;
        }
        Some(())
    }

    /// Gives all axes of two tiles of one shape the same extents.
    fn unite_all(&mut self, body: &Body<TileAa>, a: Value, b: Value) {
        let rank = body.ty(a).shape().unwrap_or_default().len();
        if rank == body.ty(b).shape().unwrap_or_default().len() {
            for axis in 0..rank {
                self.unite((a, axis), (b, axis));
            }
        }
    }

    fn unite_lists(&mut self, body: &Body<TileAa>, a: &[Value], b: &[Value]) {
        for (&a, &b) in a.iter().zip(b) {
            self.unite_all(body, a, b);
        }
    }

    /// Gives tiles of one rank the same extents.
    fn unite_group(&mut self, body: &Body<TileAa>, values: &[Value]) {
        let tiles: Vec<Value> = values
            .iter()
            .copied()
            .filter(|&value| !body.ty(value).shape().unwrap_or_default().is_empty())
            .collect();
        for pair in tiles.windows(2) {
            if let &[a, b] = pair {
                self.unite_all(body, a, b);
            }
        }
    }

    fn need(&mut self, value: Value, axis: usize, elements: u32) -> Option<()> {
        let axis = self.axis(value, axis)?;
        let class = self.class(axis)?;
        let need = self.needs.get_mut(class)?;
        *need = (*need).max(elements);
        Some(())
    }

    /// Every element of a tile along an axis is used.
    fn whole_axis(&mut self, body: &Body<TileAa>, value: Value, axis: usize) {
        let shape = body.ty(value).shape().unwrap_or_default();
        if let Some(&extent) = shape.get(axis) {
            self.need(value, axis, extent);
            if let Some(class) = self.class_of(value, axis)
                && let Some(whole) = self.whole.get_mut(class)
            {
                *whole = true;
            }
        }
    }

    /// Every element of a tile is used.
    fn whole(&mut self, body: &Body<TileAa>, value: Value) {
        for axis in 0..body.ty(value).shape().unwrap_or_default().len() {
            self.whole_axis(body, value, axis);
        }
    }

    fn region(&mut self, body: &Body<TileAa>, region: Region, frames: &[Frame]) {
        for &block in &body.region(region).blocks {
            for &id in &body.block(block).ops {
                self.op(body, id, frames);
            }
        }
    }

    /// The body of a loop or a branch.
    fn framed(&mut self, body: &Body<TileAa>, region: Region, frames: &[Frame], frame: Frame) {
        self.region(body, region, &[frames, &[frame]].concat());
    }

    fn op(&mut self, body: &Body<TileAa>, id: OpId, frames: &[Frame]) {
        let op = body.op(id);
        let results: Vec<Value> = op.results().collect();
        match &op.kind {
            TileAaOp::TileAa(own) => self.own(body, own, &results),
            TileAaOp::Tile(tile) => self.tile(body, tile, &results),
            TileAaOp::Scf(scf) => self.control(body, scf, results, frames),
            TileAaOp::Arith(ArithOp::Constant {
                value: Dense::Splat(_),
            }) => {}
            kind if kind.spec().properties.elementwise => {
                let values = [kind.operand_list().to_vec(), results].concat();
                self.unite_group(body, &values);
            }
            kind => self.all(body, kind, &results),
        }
    }

    /// An op that uses all elements of its operands and yields whole tiles.
    fn all(&mut self, body: &Body<TileAa>, kind: &TileAaOp, results: &[Value]) {
        for value in kind.operand_list().into_iter().chain(results.iter().copied()) {
            self.whole(body, value);
        }
        for region in kind.region_list() {
            self.inside(body, region);
        }
    }

    /// The body of a reduction: tiles in it keep their extents.
    fn inside(&mut self, body: &Body<TileAa>, region: Region) {
        for &block in &body.region(region).blocks {
            for &value in &body.block(block).args {
                self.whole(body, value);
            }
            for &id in &body.block(block).ops {
                let op = body.op(id);
                let results: Vec<Value> = op.results().collect();
                self.all(body, &op.kind, &results);
            }
        }
    }

    fn own(&mut self, body: &Body<TileAa>, op: &TileAaDialect, results: &[Value]) {
        if let Some((at, tile)) = stored(op) {
            let shape = body.ty(tile).shape().unwrap_or_default();
            for (axis, need) in needs(body, at, shape).into_iter().enumerate() {
                self.need(tile, axis, need);
            }
            return;
        }
        match op {
            TileAaDialect::Load { ordering, .. } if ordering.is_weak() => {}
            TileAaDialect::Memref { .. } => {}
            TileAaDialect::GatherLoad {
                pointers,
                mask,
                other,
                ordering,
                ..
            } if ordering.is_weak() => {
                let mut values = vec![*pointers];
                values.extend(mask);
                values.extend(other);
                values.extend(results.first());
                self.unite_group(body, &values);
            }
            TileAaDialect::ScatterStore {
                pointers,
                value,
                mask,
                ordering,
                ..
            } if ordering.is_weak() => {
                let mut values = vec![*pointers, *value];
                values.extend(mask);
                self.unite_group(body, &values);
                for (axis, &extent) in body.ty(*value).shape().unwrap_or_default().iter().enumerate() {
                    self.need(*value, axis, extent);
                }
            }
            TileAaDialect::Reduce {
                operands,
                axis,
                body: combine,
                ..
            } => {
                let axis = *axis as usize;
                for (&operand, &result) in operands.iter().zip(results) {
                    let rank = body.ty(operand).shape().unwrap_or_default().len();
                    for kept in (0..rank).filter(|&kept| kept != axis) {
                        self.unite((operand, kept), (result, kept - usize::from(kept > axis)));
                    }
                    self.whole_axis(body, operand, axis);
                }
                self.unite_group(body, operands);
                self.inside(body, *combine);
            }
            TileAaDialect::Scan {
                operands,
                axis,
                body: combine,
                ..
            } => {
                for &operand in operands {
                    self.whole_axis(body, operand, *axis as usize);
                }
                self.unite_group(body, &[operands.clone(), results.to_vec()].concat());
                self.inside(body, *combine);
            }
            TileAaDialect::Dot { a, b, acc, .. } => {
                let Some(&result) = results.first() else { return };
                let rank = body.ty(*acc).shape().unwrap_or_default().len();
                let Some(batch) = rank.checked_sub(2) else { return };
                self.unite_all(body, *acc, result);
                for axis in 0..batch {
                    self.unite((*a, axis), (*acc, axis));
                    self.unite((*b, axis), (*acc, axis));
                }
                self.unite((*a, batch), (*acc, batch));
                self.unite((*b, batch + 1), (*acc, batch + 1));
                self.whole_axis(body, *a, batch + 1);
                self.whole_axis(body, *b, batch);
                self.need(*acc, batch, ROWS);
                self.need(*acc, batch + 1, COLUMNS);
            }
            _ => self.all(body, &TileAaOp::TileAa(op.clone()), results),
        }
    }

    fn tile(&mut self, body: &Body<TileAa>, op: &TileOp, results: &[Value]) {
        let Some(&result) = results.first() else { return };
        let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
        match op {
            TileOp::Splat { .. } | TileOp::Iota {} => {}
            TileOp::Broadcast { source } => {
                let pairs = shape(*source).iter().zip(shape(result));
                for (axis, _) in pairs.enumerate().filter(|(_, (from, to))| from == to) {
                    self.unite((*source, axis), (result, axis));
                }
            }
            TileOp::Reshape { source } => {
                let long = |value: Value| -> Vec<(usize, u32)> {
                    let axes = shape(value).iter().copied().enumerate();
                    axes.filter(|&(_, extent)| extent > 1).collect()
                };
                let (from, to) = (long(*source), long(result));
                let same = from.iter().map(|axis| axis.1).eq(to.iter().map(|axis| axis.1));
                if same {
                    for (from, to) in from.into_iter().zip(to) {
                        self.unite((*source, from.0), (result, to.0));
                    }
                } else {
                    self.whole(body, *source);
                    self.whole(body, result);
                }
            }
            TileOp::Permute { source, permutation } => {
                for (axis, &from) in permutation.iter().enumerate() {
                    self.unite((*source, from as usize), (result, axis));
                }
            }
            TileOp::PtrAdd { pointer, offset } => self.unite_group(body, &[*pointer, *offset, result]),
        }
    }

    fn control(&mut self, body: &Body<TileAa>, op: &ScfOp, results: Vec<Value>, frames: &[Frame]) {
        let innermost_loop = frames.iter().rev().find(|frame| frame.is_loop);
        match op {
            ScfOp::For {
                inits, body: inner, ..
            } => {
                let args = args_of(body, *inner);
                let carried = args.get(1..).unwrap_or_default().to_vec();
                self.unite_lists(body, inits, &carried);
                self.unite_lists(body, &results, &carried);
                let frame = Frame {
                    is_loop: true,
                    results: Vec::new(),
                    carried,
                };
                self.framed(body, *inner, frames, frame);
            }
            ScfOp::Loop { inits, body: inner } => {
                let carried = args_of(body, *inner);
                self.unite_lists(body, inits, &carried);
                let frame = Frame {
                    is_loop: true,
                    results,
                    carried,
                };
                self.framed(body, *inner, frames, frame);
            }
            ScfOp::If { then, otherwise, .. } => {
                for &branch in [then, otherwise] {
                    let frame = Frame {
                        is_loop: false,
                        results: results.clone(),
                        carried: Vec::new(),
                    };
                    self.framed(body, branch, frames, frame);
                }
            }
            ScfOp::Yield { values } => {
                if let Some(frame) = frames.last() {
                    self.unite_lists(body, values, &frame.results);
                }
            }
            ScfOp::Continue { values } => {
                if let Some(frame) = innermost_loop {
                    self.unite_lists(body, values, &frame.carried);
                }
            }
            ScfOp::Break { values } => {
                if let Some(frame) = innermost_loop {
                    self.unite_lists(body, values, &frame.results);
                }
            }
            ScfOp::Return {} => {}
        }
    }
}

/// A type of tiles with other extents, which are not larger, and with what its facts still say.
pub(super) fn with_extents(ty: &TileAaType, extents: Vec<u32>) -> TileAaType {
    let TileAaKind::Tile { element, .. } = &ty.kind else {
        return ty.clone();
    };
    let mut facts = ty.facts.clone();
    for runs in [&mut facts.contiguity, &mut facts.constancy] {
        for (run, &extent) in runs.iter_mut().zip(&extents) {
            *run = (*run).min(u64::from(extent));
        }
    }
    TileAaType {
        kind: TileAaKind::Tile {
            shape: extents,
            element: *element,
        },
        facts,
    }
}

/// The arguments of a region's only block.
fn args_of(body: &Body<TileAa>, region: Region) -> Vec<Value> {
    let block: Option<Block> = body.only_block(region);
    block.map_or_else(Vec::new, |block| body.block(block).args.clone())
}
