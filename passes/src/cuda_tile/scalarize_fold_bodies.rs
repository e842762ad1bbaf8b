//! Computes with scalars where the body of a reduction or a scan computes with tiles.
//!
//! In and out: `cuda_tile`. The body of a `reduce` or `scan` combines two elements in one thread. Later languages
//! have no tiles there: those would be distributed over threads that each combine other elements. In a body that has
//! any,
//!
//! - an op that depends on none of the body's arguments is moved before the reduction (one that is undefined for some
//!   operands only if the axis has several elements, so that the body certainly runs);
//! - a tile from outside of the body is taken apart before the reduction, by an `extract` for each element;
//! - each tile of the body becomes one scalar for each element: elementwise ops are repeated, shape ops rearrange the
//!   scalars, `extract` and `insert` at an index that is not constant select, matrix products become sums of products
//!   in the order of K, `pack` and `unpack` become shifts, reductions and scans are unrolled, and branches and loops
//!   carry the scalars.
//!
//! All other ops are copied. Refused (E0503): a body that needs more than 16,384 scalars, one that yields several
//! elements where one is accumulated, and tiles of `f4E2M1FN`, of which the language has no scalars.

mod elements;
mod packing;
mod products;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Region, Remap, SideTable, Translate, Translated, Translation,
    Value, ValueType, WholeEffects, translate_func,
};
use tilewright_irs::cuda_tile::{CastOp, CudaTile, ShapeOp, Tile, TileOp, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use elements::Extents;

type Cx<'a> = Translation<'a, CudaTile, CudaTile>;
type Problem = Diagnostic<Origin>;

/// The most scalars that the tiles of one body become. More would take ptxas minutes.
const MOST_SCALARS: u64 = 16_384;

/// Rewrites the bodies of reductions and scans that compute with tiles.
///
/// # Errors
/// See [the module](self).
pub fn scalarize_fold_bodies(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Problem>> {
    let folds = func.body.walk().into_iter().filter_map(|id| {
        let (_, body) = fold(&func.body.op(id).kind)?;
        Some((id, body))
    });
    let with_tiles: FxHashSet<OpId> = folds
        .filter(|&(_, region)| computes_with_tiles(&func.body, region))
        .map(|(id, _)| id)
        .collect();
    if with_tiles.is_empty() {
        return Ok(func.clone());
    }
    let mut pass = Scalarize {
        with_tiles,
        definitions: func.body.definitions(),
        scalars: None,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Scalarize {
    /// The reductions and scans to rewrite.
    with_tiles: FxHashSet<OpId>,
    /// The op that defines each value.
    definitions: SideTable<Value, OpId>,
    /// In the body of one of them: how many scalars its tiles have become. Tiles stay whole outside.
    scalars: Option<u64>,
}

impl Translate<CudaTile, CudaTile> for Scalarize {
    fn types(&mut self, ty: &TileType) -> Result<Vec<TileType>, Problem> {
        Ok(match (self.scalars, ty) {
            (Some(_), TileType::Tile(tile)) => vec![TileType::scalar(tile.element); count(tile)],
            _ => vec![ty.clone()],
        })
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        match (self.scalars, fold(&old.kind)) {
            (None, Some((dim, body))) if self.with_tiles.contains(&id) => self.take_apart(cx, id, dim, body),
            (None, _) => cx.carry(id, &old.kind, self),
            (Some(_), _) => self.scalar_op(cx, id),
        }
    }
}

/// The axis and the body of a reduction or a scan.
fn fold(op: &TileOp) -> Option<(i32, Region)> {
    match op {
        TileOp::Shape(ShapeOp::Reduce { dim, body, .. } | ShapeOp::Scan { dim, body, .. }) => {
            Some((*dim, *body))
        }
        _ => None,
    }
}

/// Whether an op of a region has a tile of rank above 0, or something else than a tile, as operand or result.
fn computes_with_tiles(body: &Body<CudaTile>, region: Region) -> bool {
    body.region(region).blocks.iter().any(|&block| {
        body.block(block).ops.iter().any(|&id| {
            let op = body.op(id);
            let mut values = op.kind.operand_list().into_iter().chain(op.results());
            let inner = || op.kind.region_list().into_iter();
            values.any(|value| !body.ty(value).is_single())
                || inner().any(|region| computes_with_tiles(body, region))
        })
    })
}

/// The number of elements of a tile.
fn count(tile: &Tile) -> usize {
    let elements = tile.shape.elements().unwrap_or(u64::MAX);
    usize::try_from(elements).unwrap_or(usize::MAX)
}

/// The values that an op and the ops within it use, and those that they define.
fn uses(body: &Body<CudaTile>, id: OpId, used: &mut Vec<Value>, defined: &mut FxHashSet<Value>) {
    let op = body.op(id);
    used.extend(op.kind.operand_list());
    defined.extend(op.results());
    for region in op.kind.region_list() {
        for &block in &body.region(region).blocks {
            let data = body.block(block);
            defined.extend(&data.args);
            for &inner in &data.ops {
                uses(body, inner, used, defined);
            }
        }
    }
}

impl Scalarize {
    /// Counts the scalars that a tile of a body is about to become.
    fn spend(&mut self, cx: &Cx<'_>, tile: &Tile) -> Translated {
        if tile.element.scalar() == Some(ScalarType::F4E2M1FN) {
            let message = format!(
                "the body of a reduction or a scan computes with `{tile}`: there are no scalars of f4E2M1FN to compute with in one thread"
            );
            return Err(Diagnostic::error(Code::UnsupportedFeature, message).at(cx.origin(), ""));
        }
        self.spend_scalars(cx, tile.shape.elements().unwrap_or(u64::MAX))
    }

    /// Counts scalars that a body is about to get.
    fn spend_scalars(&mut self, cx: &Cx<'_>, scalars: u64) -> Translated {
        let sum = self.scalars.unwrap_or_default().saturating_add(scalars);
        if sum > MOST_SCALARS {
            let message = format!(
                "the body of a reduction or a scan computes with tiles of {sum} elements or more, which one thread has to hold; at most {MOST_SCALARS} are supported"
            );
            return Err(Diagnostic::error(Code::UnsupportedFeature, message).at(cx.origin(), ""));
        }
        self.scalars = Some(sum);
        Ok(())
    }

    /// Rewrites a reduction or a scan whose body computes with tiles.
    fn take_apart(&mut self, cx: &mut Cx<'_>, id: OpId, dim: i32, region: Region) -> Translated {
        let from = cx.from;
        let Some(block) = from.only_block(region) else {
            return cx.carry(id, &cx.old(id).kind, self);
        };
        let origin = cx.origin();
        let runs = certainly_runs(from, id, dim);
        let (rest, outer) = self.hoist(cx, block, runs)?;
        cx.set_origin(origin);
        self.scalars = Some(0);
        let taken = self.with_elements(cx, &outer, |pass, cx| {
            let types: Vec<TileType> = from
                .block(block)
                .args
                .iter()
                .map(|&arg| from.ty(arg).clone())
                .collect();
            let (new_region, new_block, new_args) = cx.build().region(types);
            for (&arg, new) in from.block(block).args.iter().zip(new_args) {
                cx.bind(arg, [new]);
            }
            cx.within(new_block, |cx| {
                rest.iter().try_for_each(|&inner| {
                    cx.set_origin(from.op(inner).origin);
                    pass.op(cx, inner)
                })
            })?;
            Ok(new_region)
        });
        self.scalars = None;
        cx.set_origin(origin);
        let body = taken?;
        let mut kind = cx.old(id).kind.clone();
        kind.remap(&mut Rebuilt { cx, body });
        let results: Vec<TileType> = from
            .op(id)
            .results()
            .map(|result| from.ty(result).clone())
            .collect();
        let new = cx.build().op(kind, results);
        let results: Vec<Value> = cx.new_body().op(new).results().collect();
        cx.bind_results(id, results);
        Ok(())
    }

    /// Moves what depends on none of the body's arguments before the reduction. Gives the ops that stay, and the tiles
    /// from outside that they use.
    fn hoist(
        &mut self,
        cx: &mut Cx<'_>,
        block: Block,
        runs: bool,
    ) -> Result<(Vec<OpId>, Vec<Value>), Problem> {
        let from = cx.from;
        let mut inside: FxHashSet<Value> = from.block(block).args.iter().copied().collect();
        let (mut rest, mut outer) = (Vec::new(), Vec::new());
        for &id in &from.block(block).ops {
            let (mut used, mut defined) = (Vec::new(), FxHashSet::default());
            uses(from, id, &mut used, &mut defined);
            used.retain(|value| !defined.contains(value));
            let effects = WholeEffects::of_op(from, id);
            let can_move = effects.is_speculatable() || (runs && effects.is_pure());
            if can_move && !effects.is_terminator() && used.iter().all(|value| !inside.contains(value)) {
                cx.set_origin(from.op(id).origin);
                self.op(cx, id)?;
                continue;
            }
            for value in used {
                let is_tile = from
                    .ty(value)
                    .as_tile()
                    .is_some_and(|tile| !tile.shape.is_empty());
                if is_tile && !inside.contains(&value) && !outer.contains(&value) {
                    outer.push(value);
                }
            }
            inside.extend(defined);
            rest.push(id);
        }
        Ok((rest, outer))
    }

    /// Takes tiles apart for the time of `build`.
    fn with_elements<T>(
        &mut self,
        cx: &mut Cx<'_>,
        tiles: &[Value],
        build: impl FnOnce(&mut Self, &mut Cx<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let mut whole = Vec::new();
        let mut numbers = FxHashMap::default();
        for &old in tiles {
            let Some(tile) = cx.from.ty(old).as_tile() else {
                continue;
            };
            self.spend(cx, tile)?;
            let value = cx.one(old);
            let elements = elements_of(cx, value, tile, &mut numbers);
            whole.push((old, value));
            cx.bind(old, elements);
        }
        let built = build(self, cx)?;
        for (old, value) in whole {
            cx.bind(old, [value]);
        }
        Ok(built)
    }

    /// An op of a body, on scalars.
    fn scalar_op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        for result in old.results() {
            if let Some(tile) = cx.from.ty(result).as_tile() {
                self.spend(cx, tile)?;
            }
        }
        match &old.kind {
            TileOp::Shape(op) => self.shape(cx, id, op),
            TileOp::Cast(CastOp::Pack { source }) => Self::pack(cx, id, *source),
            TileOp::Cast(CastOp::Unpack { source }) => Self::unpack(cx, id, *source),
            kind if kind.spec().properties.elementwise => self.elementwise(cx, id),
            kind => cx.carry(id, kind, self),
        }
    }

    /// An elementwise op, once for each element.
    fn elementwise(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let mut made: Vec<Vec<Value>> = Vec::new();
        let elements = old
            .results()
            .next()
            .and_then(|result| cx.from.ty(result).as_tile());
        for element in 0..elements.map_or(1, count) {
            let mut kind = old.kind.clone();
            kind.remap(&mut Elementwise { cx, element });
            let mut types = Vec::new();
            for result in old.results() {
                types.extend(self.types(cx.from.ty(result))?.into_iter().take(1));
            }
            let new = cx.build().op(kind, types);
            made.push(cx.new_body().op(new).results().collect());
        }
        for (number, result) in old.results().enumerate() {
            let values: Vec<Value> = made.iter().filter_map(|row| row.get(number).copied()).collect();
            cx.bind(result, values);
        }
        Ok(())
    }

    /// The constant that a scalar is, if known.
    fn constant(&self, cx: &Cx<'_>, value: Value) -> Option<u64> {
        let &id = self.definitions.get(value)?;
        match &cx.from.op(id).kind {
            TileOp::Shape(ShapeOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(literal.bits),
            _ => None,
        }
    }
}

/// Whether the body of a reduction or a scan runs at least once: there are two elements to combine.
fn certainly_runs(from: &Body<CudaTile>, id: OpId, dim: i32) -> bool {
    let first = from.op(id).kind.operand_list().into_iter().next();
    let tile = first.and_then(|first| from.ty(first).as_tile());
    let extent = tile.and_then(|tile| tile.shape.get(usize::try_from(dim).ok()?));
    extent.is_some_and(|&extent| extent > 1)
}

/// A number.
fn number(cx: &mut Cx<'_>, ty: ScalarType, bits: u64) -> Value {
    let value = Dense::Splat(Literal::new(ty, bits));
    cx.value(ShapeOp::Constant { value }, TileType::scalar(ty))
}

/// The elements of a tile, in row-major order. `numbers` are the constants for the indices.
fn elements_of(cx: &mut Cx<'_>, tile: Value, ty: &Tile, numbers: &mut FxHashMap<u64, Value>) -> Vec<Value> {
    let extents = Extents::of(ty);
    let single = TileType::tile(vec![1; ty.shape.len()], ty.element);
    let scalar = TileType::scalar(ty.element);
    (0..extents.count())
        .map(|element| {
            let mut indices = Vec::with_capacity(ty.shape.len());
            for coordinate in extents.coordinates(element) {
                let coordinate = coordinate as u64;
                let index = match numbers.get(&coordinate) {
                    Some(&index) => index,
                    None => number(cx, ScalarType::I32, coordinate),
                };
                numbers.insert(coordinate, index);
                indices.push(index);
            }
            let source = cx.value(
                ShapeOp::Extract {
                    source: tile,
                    indices,
                },
                single.clone(),
            );
            cx.value(ShapeOp::Reshape { source }, scalar.clone())
        })
        .collect()
}

/// An op with its operands translated and another body.
struct Rebuilt<'c, 'a> {
    cx: &'c Cx<'a>,
    body: Region,
}

impl Remap for Rebuilt<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        self.cx.one(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        values.iter_mut().for_each(|value| *value = self.value(*value));
    }
    fn region(&mut self, _: Region) -> Region {
        self.body
    }
}

/// An elementwise op for one element; a scalar operand is the same for all.
struct Elementwise<'c, 'a> {
    cx: &'c Cx<'a>,
    element: usize,
}

impl Remap for Elementwise<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        match self.cx.all(value) {
            [one] => *one,
            all => all.get(self.element).copied().unwrap_or(value),
        }
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        values.iter_mut().for_each(|value| *value = self.value(*value));
    }
}
