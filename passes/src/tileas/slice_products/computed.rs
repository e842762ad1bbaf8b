//! Operands whose buffers keep the tile that they are computed from, element by element: their slices are computed after they are
//! read.
//!
//! - An operand that is rounded to a type of the same size (f32 to tf32).
//! - One that is computed from a tile, of elements of any size, that `cp.async` copies, such as weights of 8 bits (`copies.rs`),
//!   if each of its elements is in one thread: it is then computed once, as before. Operands of such ops may be constants. Between
//!   them may be views (`tile.reshape`, `tile.permute`): the buffer is seen so instead.

use tilewright_irs::core::{Body, OpId, Operation, Remap, SideTable, Translation, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;
use tilewright_irs::tileas::{TileAs, TileAsOp, TileAsType};
use tilewright_layouts::LinearLayout;

use super::copies::Loads;

/// How an operand is computed from the tile in its buffer.
#[derive(Clone)]
pub(super) struct Computed {
    /// The tile in the buffer, and the type of its elements.
    pub(super) source: Value,
    pub(super) stored: ScalarType,
    /// The ops that compute the operand from it, in order.
    steps: Vec<Step>,
}

/// An op that computes a tile from one other tile.
#[derive(Clone)]
struct Step {
    op: OpId,
    /// That tile.
    source: Value,
    /// The constants that it computes with, and the ops that define them.
    constants: Vec<(Value, OpId)>,
}

type Definitions = SideTable<Value, OpId>;

/// How a tile is rounded from another one whose elements have the same size in memory.
pub(super) fn rounded(body: &Body<TileAs>, definitions: &Definitions, tile: Value) -> Option<Computed> {
    let op = *definitions.get(tile)?;
    let TileAsOp::Arith(ArithOp::FToF { source, .. }) = body.op(op).kind else {
        return None;
    };
    let [of_source, of_tile] = [source, tile].map(|value| body.ty(value).element()?.scalar());
    let stored = of_source?;
    (stored.bytes()? == of_tile?.bytes()?).then(|| Computed {
        source,
        stored,
        steps: vec![Step {
            op,
            source,
            constants: Vec::new(),
        }],
    })
}

/// How a tile that a product reads in this layout is computed from one that `cp.async` can copy.
pub(super) fn computed(
    loads: &Loads<'_>,
    definitions: &Definitions,
    tile: Value,
    to: &LinearLayout,
) -> Option<Computed> {
    let step = |tile| Step::of(loads, definitions, loads.root_of(tile));
    let mut steps: Vec<Step> = std::iter::successors(step(tile), |later| step(later.source)).collect();
    steps.reverse();
    let source = steps.first()?.source;
    let stored = loads.body().ty(source).element()?.scalar()?;
    let is_copied = matches!(loads.route(source), Some(ThreadRoute::CpAsync { .. }));
    (is_copied && to.is_injective()).then_some(Computed {
        source,
        stored,
        steps,
    })
}

impl Step {
    /// The op that computes a tile, if that has no other use.
    fn of(loads: &Loads<'_>, definitions: &Definitions, tile: Value) -> Option<Self> {
        let body = loads.body();
        let id = *definitions.get(tile)?;
        let op = &body.op(id).kind;
        if !op.spec().properties.elementwise || !loads.is_used_once(tile) {
            return None;
        }
        let mut constants = Vec::new();
        let mut tiles = op.operand_list();
        tiles.retain(|&mut operand| {
            let constant = definitions
                .get(operand)
                .filter(|&&id| is_constant(&body.op(id).kind));
            constants.extend(constant.map(|&id| (operand, id)));
            constant.is_none()
        });
        let [source] = tiles.as_slice() else {
            return None;
        };
        body.ty(*source).layout()?;
        Some(Self {
            op: id,
            source: *source,
            constants,
        })
    }
}

fn is_constant(op: &TileAsOp) -> bool {
    matches!(
        op,
        TileAsOp::Arith(ArithOp::Constant {
            value: Dense::Splat(_)
        })
    )
}

impl Computed {
    /// The tile that one of the ops that compute the operand takes.
    pub(super) fn source_of(&self, id: OpId) -> Option<Value> {
        let step = self.steps.iter().find(|step| step.op == id);
        step.map(|step| step.source)
    }

    /// The ops that compute the operand.
    pub(super) fn ops(&self) -> impl DoubleEndedIterator<Item = OpId> {
        self.steps.iter().map(|step| step.op)
    }

    /// Computes a slice of the operand, of this layout, from one of the tile in the buffer.
    pub(super) fn slice(
        &self,
        cx: &mut Translation<'_, TileAs, TileAs>,
        from: Value,
        layout: &LinearLayout,
    ) -> Value {
        let mut slice = from;
        for step in &self.steps {
            let mut slices = vec![(step.source, slice)];
            for &(constant, id) in &step.constants {
                let ty = in_layout(cx.from.ty(constant), layout);
                slices.push((constant, cx.value(cx.old(id).kind.clone(), ty)));
            }
            let op = cx.old(step.op);
            let mut kind = op.kind.clone();
            kind.remap(&mut Instead(&slices));
            let ty = in_layout(cx.from.ty(op.result(0)), layout);
            slice = cx.value(kind, ty);
        }
        slice
    }
}

/// The type of a tile of the same elements in another layout.
fn in_layout(ty: &TileAsType, layout: &LinearLayout) -> TileAsType {
    match ty.element() {
        Some(element) if ty.layout().is_some() => TileAsType::tile(element, layout.clone()),
        _ => ty.clone(),
    }
}

/// Slices in the place of tiles.
struct Instead<'a>(&'a [(Value, Value)]);

impl Remap for Instead<'_> {
    fn value(&mut self, value: Value) -> Value {
        let found = self.0.iter().find(|(tile, _)| *tile == value);
        found.map_or(value, |(_, slice)| *slice)
    }
}
