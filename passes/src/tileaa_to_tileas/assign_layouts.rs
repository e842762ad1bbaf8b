//! Decides which thread holds which element of every tile.
//!
//! Tiles made of scalars alone (splats, iotas, constants, and what is computed from them) *float*: they are made
//! where and how their users want them, in several layouts if need be. All others have a home, which they share with
//! the tiles that they meet (`group_tiles.rs`) and which is chosen for all of them at once (`settle_groups.rs`).
//! A tiled load or store may use another layout than its group when that and the conversion are cheaper.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpData, OpId, Operation, Origin, SideTable, Value, ValueType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::group_tiles::Groups;
use super::select_atoms::Access;
use super::settle_groups::{cheapest_access, default_layout, settle};

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

/// Assigns a layout to every tile of a body.
///
/// # Errors
/// A layout passes a limit of the layouts (E0408), with the origin of the op.
pub fn assign_layouts(
    body: &Body<TileAa>,
    accesses: &SideTable<OpId, Access>,
    num_warps: u32,
) -> Result<Layouts, Diagnostic<Origin>> {
    let groups = Groups::find(body, accesses);
    let settled = settle(&groups, num_warps)?;
    Wants::new(&groups, settled, num_warps).run()
}

pub(super) fn is_tile(body: &Body<TileAa>, value: Value) -> bool {
    matches!(body.ty(value).kind, TileAaKind::Tile { .. })
}

pub(super) fn wrong(origin: Origin, error: &LayoutError) -> Diagnostic<Origin> {
    Diagnostic::error(Code::BadLayout, format!("no layout for this tile: {error}")).at(origin, "")
}

/// The tile that a memory op moves, or that stands for its shape.
pub(super) fn data_of(op: &OpData<TileAa>) -> Option<Value> {
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
pub(super) fn exchange_bytes(body: &Body<TileAa>, value: Value) -> u32 {
    body.ty(value).element().map_or(8, |e| e.bits().div_ceil(8))
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
