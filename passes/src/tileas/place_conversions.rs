//! Hoists and merges layout conversions, and rematerialises cheap tiles. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where
//!
//! - a tile is converted to a layout once, right after its definition (outside of loops if it is defined outside),
//!   from the layout of its definition;
//! - a tile computed from scalars alone (a splat, an iota, a constant, and ops on them) is rematerialised in the
//!   other layout instead, with its operands, in up to [`MAX_COMPUTED`] layouts.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Body, Func, OpData, OpId, Operation, Origin, Region, Remap, SideTable, Translate, Translated,
    Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::tile_rules::ShapedType;
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp, TileAsType, shape_operand_layout};
use tilewright_layouts::LinearLayout;

/// Limit of additional layouts in which a tile is rematerialised; it is converted to further ones.
pub const MAX_COMPUTED: usize = 7;

/// Places the conversions of a function.
///
/// # Errors
/// A layout exceeds a limit of the layouts (E0408), with the origin of the op.
pub fn place_conversions(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let wishes = Wishes::of(&func.body).map_err(|problem| vec![problem])?;
    let mut pass = Place {
        wishes: &wishes,
        made: FxHashMap::default(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// The layouts in which tiles are used.
struct Wishes<'a> {
    body: &'a Body<TileAs>,
    /// The source of each chain of conversions, in the layout of its definition.
    roots: SideTable<Value, Value>,
    /// The ops whose results are computed from scalars alone.
    cheap: SideTable<Value, OpId>,
    /// The additional layouts in which a tile is used, in order of first use.
    wanted: SideTable<Value, Vec<LinearLayout>>,
    /// The block whose first op this is.
    first_of: SideTable<OpId, Block>,
}

impl<'a> Wishes<'a> {
    fn of(body: &'a Body<TileAs>) -> Result<Self, Diagnostic<Origin>> {
        let mut wishes = Self {
            body,
            roots: body.value_table(),
            cheap: body.value_table(),
            wanted: body.value_table(),
            first_of: SideTable::new(body.op_count()),
        };
        wishes.region(body.root())?;
        Ok(wishes)
    }

    fn region(&mut self, region: Region) -> Result<(), Diagnostic<Origin>> {
        for &block in &self.body.region(region).blocks {
            if let Some(&first) = self.body.block(block).ops.first() {
                self.first_of.set(first, block);
            }
            for &id in &self.body.block(block).ops {
                self.op(id)?;
                for inner in self.body.op(id).kind.region_list() {
                    self.region(inner)?;
                }
            }
        }
        Ok(())
    }

    fn root(&self, value: Value) -> Value {
        self.roots.get(value).copied().unwrap_or(value)
    }

    fn op(&mut self, id: OpId) -> Result<(), Diagnostic<Origin>> {
        let body = self.body;
        let op = body.op(id);
        match &op.kind {
            TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) => {
                let (root, result) = (self.root(*source), op.result(0));
                self.roots.set(result, root);
                if let Some(layout) = body.ty(result).layout() {
                    self.want(root, layout)?;
                }
            }
            TileAsOp::Arith(_) | TileAsOp::Math(_) | TileAsOp::Tile(_) if op.kind.effects().is_pure() => {
                let of_scalars = op.kind.operand_list().into_iter().all(|value| {
                    body.ty(value).layout().is_none() || self.cheap.get(self.root(value)).is_some()
                });
                if of_scalars {
                    op.results().for_each(|result| self.cheap.set(result, id));
                }
            }
            TileAsOp::Arith(_)
            | TileAsOp::Math(_)
            | TileAsOp::Tile(_)
            | TileAsOp::Scf(_)
            | TileAsOp::TileAs(_) => {}
        }
        Ok(())
    }

    fn want(&mut self, value: Value, layout: &LinearLayout) -> Result<(), Diagnostic<Origin>> {
        let body = self.body;
        let mut wanted = self.wanted.get(value).cloned().unwrap_or_default();
        if body.ty(value).layout() == Some(layout) || wanted.contains(layout) {
            return Ok(());
        }
        let computed = self.computed(value, wanted.len());
        wanted.push(layout.clone());
        self.wanted.set(value, wanted);
        let Some(op) = computed else { return Ok(()) };
        let needed = operands_for(body, op, layout)?;
        for operand in op.kind.operand_list() {
            if body.ty(operand).layout().is_some() {
                let root = self.root(operand);
                self.want(root, &needed)?;
            }
        }
        Ok(())
    }

    /// The op that rematerialises a tile in its additional layout `n`, unless the tile is converted to it.
    fn computed(&self, value: Value, n: usize) -> Option<&'a OpData<TileAs>> {
        let op = self.cheap.get(value).filter(|_| n < MAX_COMPUTED)?;
        Some(self.body.op(*op))
    }
}

/// The layout of the tile operands of an op for a result in this layout.
fn operands_for(
    body: &Body<TileAs>,
    op: &OpData<TileAs>,
    layout: &LinearLayout,
) -> Result<LinearLayout, Diagnostic<Origin>> {
    let TileAsOp::Tile(tile) = &op.kind else {
        return Ok(layout.clone());
    };
    let source = op.kind.operand_list().first().map(|&value| body.ty(value));
    let shape = source.and_then(ShapedType::extents).unwrap_or_default();
    shape_operand_layout(tile, shape, layout).map_err(|error| {
        let message = format!("no layout for the operand of `{}`: {error}", op.kind.name());
        Diagnostic::error(Code::BadLayout, message).at(op.origin, "")
    })
}

struct Place<'a> {
    wishes: &'a Wishes<'a>,
    /// Each tile in its additional layouts.
    made: FxHashMap<Value, Vec<(LinearLayout, Value)>>,
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

impl Place<'_> {
    /// A tile in a layout in which it is available.
    fn in_layout(&self, cx: &Cx<'_>, root: Value, layout: &LinearLayout) -> Value {
        let own = cx.one(root);
        if cx.from.ty(root).layout() == Some(layout) {
            return own;
        }
        let made = self.made.get(&root).map_or(&[][..], Vec::as_slice);
        made.iter()
            .find(|(have, _)| have == layout)
            .map_or(own, |(_, value)| *value)
    }

    /// Converts or rematerialises a tile in its additional layouts.
    fn make(&mut self, cx: &mut Cx<'_>, value: Value) -> Translated {
        let wishes = self.wishes;
        let Some(element) = cx.from.ty(value).element() else {
            return Ok(());
        };
        for (n, layout) in wishes.wanted.get(value).into_iter().flatten().enumerate() {
            let ty = TileAsType::tile(element, layout.clone());
            let new = match wishes.computed(value, n) {
                Some(op) => {
                    let needed = operands_for(cx.from, op, layout)?;
                    let mut kind = op.kind.clone();
                    kind.remap(&mut Operands {
                        place: self,
                        cx,
                        layout: &needed,
                    });
                    cx.value(kind, ty)
                }
                None => {
                    let source = cx.one(value);
                    cx.value(TileAsDialect::ConvertLayout { source }, ty)
                }
            };
            self.made.entry(value).or_default().push((layout.clone(), new));
        }
        Ok(())
    }
}

impl Translate<TileAs, TileAs> for Place<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let from = cx.from;
        if let Some(&block) = self.wishes.first_of.get(id) {
            let origin = cx.origin();
            cx.set_origin(Origin::FUNCTION);
            for &arg in &from.block(block).args {
                self.make(cx, arg)?;
            }
            cx.set_origin(origin);
        }
        let op = cx.old(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) = &op.kind {
            let result = op.result(0);
            let new = match from.ty(result).layout() {
                Some(layout) => self.in_layout(cx, self.wishes.root(result), layout),
                None => cx.one(self.wishes.root(result)),
            };
            cx.bind(result, [new]);
            return Ok(());
        }
        cx.carry(id, &op.kind, self)?;
        op.results().try_for_each(|result| self.make(cx, result))
    }
}

/// Replaces the operands of a rematerialised op by those in its layout.
struct Operands<'a, 'b> {
    place: &'a Place<'a>,
    cx: &'a Cx<'b>,
    layout: &'a LinearLayout,
}

impl Remap for Operands<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        if self.cx.from.ty(value).layout().is_none() {
            return self.cx.one(value);
        }
        self.place
            .in_layout(self.cx, self.place.wishes.root(value), self.layout)
    }
}
