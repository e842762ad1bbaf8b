//! Assigns a distributed layout to every tile.
//!
//! Tiles computed from scalars alone (splats, iotas, constants, and ops on them) are *floating*: they take the layout
//! of their first use. All others share a layout with their group (`groups.rs`), which is chosen for the whole group
//! (`settle.rs`). A tiled load or store may use another layout than its group if that layout and the conversion are
//! cheaper.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, OpId, Operation, Origin, SideTable, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};
use tilewright_layouts::{LayoutError, LinearLayout};

use super::accesses::Access;
use super::folds::FoldLayouts;
use super::groups::Groups;
use super::parts::Parts;
use super::products::ProductLayouts;
use super::settle::{cheapest_access, settle};
use super::shared::Shared;
use super::tiles::{default_layout, is_tile, operand_layout, wrong};

/// The layouts of a function.
#[derive(Clone, Debug)]
pub(super) struct Layouts {
    /// The layout of each tile. `None` for a floating tile without uses.
    tiles: SideTable<Value, LinearLayout>,
    /// The layout of the data of a memory op.
    access: SideTable<OpId, LinearLayout>,
    /// The layouts of reductions and scans.
    folds: SideTable<OpId, FoldLayouts>,
    /// The layouts of products.
    products: SideTable<OpId, ProductLayouts>,
    /// For ops that pass values through control flow: the value to which each operand is passed.
    passed: SideTable<OpId, Vec<Value>>,
}

impl Layouts {
    /// The layout of a tile.
    pub(super) fn of(&self, value: Value) -> Option<&LinearLayout> {
        self.tiles.get(value)
    }

    /// The layout of the data of a memory op; `None` for a single element.
    pub(super) fn access(&self, op: OpId) -> Option<&LinearLayout> {
        self.access.get(op)
    }

    /// The layouts of a reduction or scan.
    pub(super) fn fold(&self, op: OpId) -> Option<&FoldLayouts> {
        self.folds.get(op)
    }

    /// The layouts of a product.
    pub(super) fn product(&self, op: OpId) -> Option<&ProductLayouts> {
        self.products.get(op)
    }

    /// For an op that passes values through control flow, the value to which each of them is passed.
    pub(super) fn passed(&self, op: OpId) -> &[Value] {
        self.passed.get(op).map_or(&[], Vec::as_slice)
    }
}

/// Assigns a layout to every tile of a body.
///
/// # Errors
/// A layout exceeds a limit of the layouts (E0408), with the origin of the op.
pub(super) fn find_layouts(
    body: &Body<TileAa>,
    accesses: &SideTable<OpId, Access>,
    shared: &Shared,
    target: Target,
    num_warps: u32,
) -> Result<Layouts, Diagnostic<Origin>> {
    let groups = Groups::find(body, accesses, shared);
    let products = ProductLayouts::find(&groups, target, num_warps)?;
    let settled = settle(&groups, &products, num_warps)?;
    Wants::new(&groups, settled, products, num_warps).run()
}

/// Collects the layout of the first use of each floating tile.
struct Wants<'a> {
    groups: &'a Groups<'a>,
    layouts: Layouts,
    definitions: SideTable<Value, OpId>,
    /// Worklist of uses.
    open: Vec<(Value, LinearLayout)>,
    num_warps: u32,
}

impl<'a> Wants<'a> {
    fn new(
        groups: &'a Groups<'a>,
        settled: FxHashMap<Value, LinearLayout>,
        products: SideTable<OpId, ProductLayouts>,
        num_warps: u32,
    ) -> Self {
        let body = groups.body;
        let mut tiles = body.value_table();
        for (value, _) in body.values() {
            if groups.is_anchored(value)
                && let Some(layout) = settled.get(&groups.root(value))
            {
                tiles.set(value, layout.clone());
            }
        }
        Self {
            groups,
            layouts: Layouts {
                tiles,
                access: SideTable::new(body.op_count()),
                folds: SideTable::new(body.op_count()),
                products,
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
            // In order of first use, so that the ops are emitted in that order.
            self.open.reverse();
            while let Some((value, layout)) = self.open.pop() {
                self.note(value, layout)?;
            }
        }
        Ok(self.layouts)
    }

    fn want(&mut self, value: Value, layout: &LinearLayout) {
        if self.groups.is_tile(value) {
            self.open.push((value, layout.clone()));
        }
    }

    /// A tile without a layout is floating: it takes the layout of its first use.
    fn note(&mut self, value: Value, layout: LinearLayout) -> Result<(), Diagnostic<Origin>> {
        if self.layouts.of(value).is_some() {
            return Ok(());
        }
        self.layouts.tiles.set(value, layout.clone());
        match self.definitions.get(value) {
            Some(&id) => self.operands(id, &layout),
            None => Ok(()),
        }
    }

    /// Propagates the layout of a pure op's result to its operands.
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
            TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Tile(_) => {
                let result = op.result(0);
                if let Some(layout) = self.layouts.of(result).cloned() {
                    self.operands(id, &layout)?;
                } else if !is_tile(body, result) {
                    // A tile of one element becomes a scalar: every thread holds it in any layout.
                    self.want_in_any_layout(id)?;
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
                    if let Some(layout) = self.layouts.of(target).cloned() {
                        self.want(value, &layout);
                    }
                }
            }
            TileAaOp::TileAa(TileAaDialect::Dot { a, b, acc, .. }) => {
                if let Some(product) = self.layouts.product(id).cloned() {
                    for (&operand, layout) in [(a, &product.a), (b, &product.b)] {
                        if let Some(layout) = layout {
                            self.want(operand, layout);
                        }
                    }
                    self.want(*acc, &product.acc);
                }
            }
            TileAaOp::TileAa(TileAaDialect::Print { .. } | TileAaDialect::Assert { .. }) => {
                self.want_in_any_layout(id)?;
            }
            TileAaOp::TileAa(own) => {
                if own.fold().is_some() {
                    return self.fold(id);
                }
                if let Some(parts) = Parts::of(own) {
                    let own = |value| self.layouts.of(value).cloned();
                    let layouts = parts
                        .layouts(body, op.result(0), own, self.num_warps)
                        .map_err(|error| wrong(op.origin, &error))?;
                    for (value, is_part) in parts.operands() {
                        self.want(value, if is_part { &layouts.part } else { &layouts.whole });
                    }
                    return Ok(());
                }
                let (Some(access), Some(memory)) = (self.groups.accesses.get(id), MemoryOp::of(op)) else {
                    return Ok(());
                };
                if let Some(threads) = self.groups.copied_by(id) {
                    if let MemoryPlace::Pointers { pointers, mask } = memory.place {
                        [Some(pointers), mask]
                            .into_iter()
                            .flatten()
                            .for_each(|value| self.want(value, threads));
                    }
                    self.layouts.access.set(id, threads.clone());
                    return Ok(());
                }
                if !self.groups.is_tile(memory.data) {
                    return Ok(());
                }
                let shape = body.ty(memory.data).shape().unwrap_or_default();
                let home = self.groups.home(&memory);
                let layout = match home.and_then(|v| self.layouts.of(v)) {
                    // It is stored from shared memory.
                    Some(home) if memory.boxes.is_some() => home.clone(),
                    Some(home) => cheapest_access(self.groups, op, access, &memory, home, self.num_warps)?.0,
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

    /// A reduction or scan uses the layout of its operands, or one that it takes.
    fn fold(&mut self, id: OpId) -> Result<(), Diagnostic<Origin>> {
        let body = self.groups.body;
        let op = body.op(id);
        let mut operands = op.kind.operand_list().into_iter();
        let home = operands
            .find(|&v| self.groups.is_anchored(v))
            .and_then(|v| self.layouts.of(v));
        let folded = FoldLayouts::of(body, op, home, self.num_warps).map_err(|e| wrong(op.origin, &e))?;
        if let Some(folded) = folded {
            for value in op.kind.operand_list() {
                self.want(value, &folded.operands);
            }
            self.layouts.folds.set(id, folded);
        }
        Ok(())
    }

    /// Wants the tile operands of an op that takes them in any layout.
    fn want_in_any_layout(&mut self, id: OpId) -> Result<(), Diagnostic<Origin>> {
        let op = self.groups.body.op(id);
        for value in op.kind.operand_list() {
            if self.groups.is_tile(value) {
                let layout = self.any_layout(value).map_err(|e| wrong(op.origin, &e))?;
                self.want(value, &layout);
            }
        }
        Ok(())
    }

    /// The layout of a tile, or that of a tile without constraints.
    fn any_layout(&self, value: Value) -> Result<LinearLayout, LayoutError> {
        match self.layouts.of(value) {
            Some(layout) => Ok(layout.clone()),
            None => default_layout(self.groups.body, value, self.num_warps),
        }
    }
}
