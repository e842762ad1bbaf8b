//! Shape ops, selections, reductions and scans of tiles that have become scalars.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cuda_tile::{ComparisonPredicate, IntOp, ShapeOp, Signedness, Tile, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::{Cx, Scalarize, number};

/// The extents of a tile whose elements are numbered in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extents(Vec<usize>);

impl Extents {
    pub(super) fn of(tile: &Tile) -> Self {
        let extents = tile.shape.iter();
        Self(
            extents
                .map(|&extent| usize::try_from(extent).unwrap_or(usize::MAX))
                .collect(),
        )
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().product()
    }

    pub(super) fn rank(&self) -> usize {
        self.0.len()
    }

    pub(super) fn extent(&self, axis: usize) -> usize {
        self.0.get(axis).copied().unwrap_or(1)
    }

    pub(super) fn coordinates(&self, element: usize) -> Vec<usize> {
        let mut rest = element;
        let mut coordinates: Vec<usize> = self
            .0
            .iter()
            .rev()
            .map(|&extent| {
                let coordinate = rest % extent;
                rest /= extent;
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    pub(super) fn element(&self, coordinates: &[usize]) -> usize {
        let pairs = self.0.iter().zip(coordinates);
        pairs.fold(0, |element, (&extent, &coordinate)| element * extent + coordinate)
    }

    /// The elements in lines along an axis.
    fn lines(&self, axis: usize) -> Vec<Vec<usize>> {
        let mut starts: Vec<usize> = (0..self.count()).collect();
        starts.retain(|&element| self.coordinates(element).get(axis) == Some(&0));
        let extent = self.extent(axis);
        let step: usize = self.0.iter().skip(axis + 1).product();
        let line = |start| (0..extent).map(|at| start + at * step).collect();
        starts.into_iter().map(line).collect()
    }
}

/// Whether an index has a value.
#[derive(Clone, Copy)]
enum Holds {
    Known(bool),
    If(Value),
}

impl Scalarize {
    pub(super) fn shape(&mut self, cx: &mut Cx<'_>, id: OpId, op: &ShapeOp) -> Translated {
        let result = |cx: &Cx<'_>| cx.old(id).results().next();
        let ty = result(cx).and_then(|result| cx.from.ty(result).as_tile());
        let to = ty.map_or(Extents(Vec::new()), Extents::of);
        let values = match op {
            ShapeOp::Constant { value } => constants(cx, value, to.count()),
            ShapeOp::Iota {} => {
                let element = ty.and_then(|ty| ty.element.scalar()).unwrap_or(ScalarType::I32);
                (0..to.count() as u64).map(|at| number(cx, element, at)).collect()
            }
            ShapeOp::Reshape { source } => cx.all(*source).to_vec(),
            ShapeOp::Broadcast { source } => {
                let extents = extents(cx, *source);
                picked(cx, *source, to.count(), |at| {
                    let mut place = to.coordinates(at);
                    for (coordinate, &extent) in place.iter_mut().zip(&extents.0) {
                        *coordinate %= extent;
                    }
                    extents.element(&place)
                })
            }
            ShapeOp::Permute { source, permutation } => {
                let extents = extents(cx, *source);
                picked(cx, *source, to.count(), |at| {
                    let mut place = vec![0; extents.0.len()];
                    for (coordinate, &axis) in to.coordinates(at).into_iter().zip(permutation) {
                        if let Some(slot) = usize::try_from(axis).ok().and_then(|axis| place.get_mut(axis)) {
                            *slot = coordinate;
                        }
                    }
                    extents.element(&place)
                })
            }
            ShapeOp::Cat { lhs, rhs, dim } => {
                let axis = usize::try_from(*dim).unwrap_or_default();
                let parts = [extents(cx, *lhs), extents(cx, *rhs)];
                let (low, high) = (cx.all(*lhs), cx.all(*rhs));
                let first = parts[0].extent(axis);
                (0..to.count())
                    .filter_map(|at| {
                        let mut place = to.coordinates(at);
                        let along = place.get_mut(axis)?;
                        if *along < first {
                            return low.get(parts[0].element(&place)).copied();
                        }
                        *along -= first;
                        high.get(parts[1].element(&place)).copied()
                    })
                    .collect()
            }
            ShapeOp::Extract { source, indices } => self.extract(cx, *source, indices, &to),
            ShapeOp::Insert {
                source,
                destination,
                indices,
            } => self.insert(cx, *source, *destination, indices),
            ShapeOp::Select { .. } => return self.elementwise(cx, id),
            ShapeOp::Assume { value, .. } => match to.0.is_empty() {
                true => return cx.carry(id, &cx.old(id).kind, self),
                false => cx.all(*value).to_vec(),
            },
            ShapeOp::Reduce { operands, dim, .. } => return self.unrolled(cx, id, operands, *dim, None),
            ShapeOp::Scan {
                operands,
                dim,
                reverse,
                ..
            } => return self.unrolled(cx, id, operands, *dim, Some(*reverse)),
            ShapeOp::MmaF { lhs, rhs, acc, .. } => self.product(cx, [*lhs, *rhs, *acc], None)?,
            ShapeOp::MmaI {
                lhs,
                rhs,
                acc,
                signedness_lhs,
                signedness_rhs,
            } => self.integer_product(cx, [*lhs, *rhs, *acc], [*signedness_lhs, *signedness_rhs])?,
            ShapeOp::MmaFScaled {
                lhs,
                rhs,
                acc,
                lhs_scale,
                rhs_scale,
            } => self.product(cx, [*lhs, *rhs, *acc], Some([*lhs_scale, *rhs_scale]))?,
        };
        if let Some(result) = result(cx) {
            cx.bind(result, values);
        }
        Ok(())
    }

    /// A part of a tile. Along each axis in turn, the part is known or selected from all parts.
    fn extract(&self, cx: &mut Cx<'_>, source: Value, indices: &[Value], to: &Extents) -> Vec<Value> {
        let (mut elements, mut extents) = (cx.all(source).to_vec(), extents(cx, source));
        for (axis, (&index, &extent)) in indices.iter().zip(&to.0).enumerate() {
            let parts = extents.extent(axis) / extent.max(1);
            let mut narrow = extents.clone();
            if let Some(slot) = narrow.0.get_mut(axis) {
                *slot = extent;
            }
            let part = |number: usize| -> Vec<Value> {
                let element = |at| {
                    let mut place = narrow.coordinates(at);
                    if let Some(slot) = place.get_mut(axis) {
                        *slot += number * extent;
                    }
                    elements.get(extents.element(&place)).copied()
                };
                (0..narrow.count()).filter_map(element).collect()
            };
            let known = (0..parts).find(|&part| matches!(self.is(cx, index, part), Holds::Known(true)));
            let mut chosen = part(known.unwrap_or_default());
            if known.is_none() {
                for number in 1..parts {
                    if let Holds::If(condition) = self.compared(cx, index, number) {
                        chosen = selected(cx, condition, &part(number), &chosen);
                    }
                }
            }
            (elements, extents) = (chosen, narrow);
        }
        elements
    }

    /// A tile with a part replaced.
    fn insert(&self, cx: &mut Cx<'_>, source: Value, destination: Value, indices: &[Value]) -> Vec<Value> {
        let (small, large) = (extents(cx, source), extents(cx, destination));
        let (new, mut elements) = (cx.all(source).to_vec(), cx.all(destination).to_vec());
        let parts: Vec<usize> = large
            .0
            .iter()
            .zip(&small.0)
            .map(|(large, small)| large / small.max(&1))
            .collect();
        let parts = Extents(parts);
        for part in 0..parts.count() {
            let place = parts.coordinates(part);
            let mut condition = Holds::Known(true);
            for (&index, &number) in indices.iter().zip(&place) {
                let next = self.compared(cx, index, number);
                condition = both(cx, condition, next);
            }
            for (at, &value) in new.iter().enumerate() {
                let inner = small.coordinates(at);
                let whole = place.iter().zip(&small.0).zip(inner);
                let whole: Vec<usize> = whole.map(|((part, extent), at)| part * extent + at).collect();
                let Some(slot) = elements.get_mut(large.element(&whole)) else {
                    continue;
                };
                match condition {
                    Holds::Known(true) => *slot = value,
                    Holds::Known(false) => {}
                    Holds::If(condition) => {
                        for one in selected(cx, condition, &[value], &[*slot]) {
                            *slot = one;
                        }
                    }
                }
            }
        }
        elements
    }

    /// Whether an index is known to be a number.
    fn is(&self, cx: &Cx<'_>, index: Value, number: usize) -> Holds {
        match self.constant(cx, index) {
            Some(known) => Holds::Known(known == number as u64),
            None => Holds::If(index),
        }
    }

    /// Whether an index is a number: known, or compared at run time.
    fn compared(&self, cx: &mut Cx<'_>, index: Value, number: usize) -> Holds {
        let known = self.is(cx, index, number);
        if matches!(known, Holds::Known(_)) {
            return known;
        }
        let lhs = cx.one(index);
        let rhs = super::number(cx, ScalarType::I32, number as u64);
        let equal = IntOp::CmpI {
            lhs,
            rhs,
            predicate: ComparisonPredicate::Equal,
            signedness: Signedness::Signed,
        };
        Holds::If(cx.value(equal, TileType::scalar(ScalarType::I1)))
    }

    /// A reduction, or a scan in a direction, in the order of its elements. Each step is a copy of its body.
    fn unrolled(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        operands: &[Value],
        dim: i32,
        scan: Option<bool>,
    ) -> Translated {
        let from = cx.from;
        let body = super::fold(&cx.old(id).kind).and_then(|(_, body)| from.only_block(body));
        let broken = |cx: &Cx<'_>| {
            let message = "what a reduction in the body of another one yields is no scalar";
            Diagnostic::error(Code::UnsupportedFeature, message).at(cx.origin(), "")
        };
        let (Some(body), Some(&first)) = (body, operands.first()) else {
            return Err(broken(cx));
        };
        let extents = extents(cx, first);
        let tiles: Vec<Vec<Value>> = operands.iter().map(|&operand| cx.all(operand).to_vec()).collect();
        let row = |element: usize| -> Vec<Value> {
            tiles
                .iter()
                .filter_map(|tile| tile.get(element).copied())
                .collect()
        };
        let mut rows: Vec<(usize, Vec<Value>)> = Vec::new();
        for mut line in extents.lines(usize::try_from(dim).unwrap_or_default()) {
            if scan == Some(true) {
                line.reverse();
            }
            let mut so_far: Vec<Value> = Vec::new();
            for (at, &element) in line.iter().enumerate() {
                if at == 0 {
                    so_far = row(element);
                } else {
                    let pairs = row(element).into_iter().zip(so_far);
                    let args: Vec<Value> = pairs.flat_map(|(element, so_far)| [so_far, element]).collect();
                    let origin = cx.origin();
                    let yielded = cx.inline(id, body, args, self)?;
                    cx.set_origin(origin);
                    so_far = yielded.ok_or_else(|| broken(cx))?;
                }
                if scan.is_some() || at + 1 == line.len() {
                    rows.push((element, so_far.clone()));
                }
            }
        }
        rows.sort_by_key(|&(element, _)| element);
        for (number, result) in cx.old(id).results().enumerate() {
            let values: Vec<Value> = rows
                .iter()
                .filter_map(|(_, row)| row.get(number).copied())
                .collect();
            cx.bind(result, values);
        }
        Ok(())
    }
}

/// The extents of an old value.
pub(super) fn extents(cx: &Cx<'_>, old: Value) -> Extents {
    cx.from.ty(old).as_tile().map_or(Extents(Vec::new()), Extents::of)
}

/// So many elements, each one of a source's.
fn picked(cx: &Cx<'_>, source: Value, count: usize, which: impl Fn(usize) -> usize) -> Vec<Value> {
    let elements = cx.all(source);
    (0..count)
        .filter_map(|at| elements.get(which(at)).copied())
        .collect()
}

/// The elements of a constant.
fn constants(cx: &mut Cx<'_>, value: &Dense, count: usize) -> Vec<Value> {
    match value {
        Dense::Splat(literal) => vec![number(cx, literal.ty, literal.bits); count],
        Dense::Elements(ty, bits) => bits.iter().map(|&bits| number(cx, *ty, bits)).collect(),
    }
}

/// The elements `yes` where the condition holds, else the elements `no`.
fn selected(cx: &mut Cx<'_>, cond: Value, yes: &[Value], no: &[Value]) -> Vec<Value> {
    let pairs = yes.iter().zip(no);
    pairs
        .map(|(&val_if_true, &val_if_false)| {
            let ty = cx.ty(val_if_true).clone();
            let select = ShapeOp::Select {
                cond,
                val_if_true,
                val_if_false,
            };
            cx.value(select, ty)
        })
        .collect()
}

fn both(cx: &mut Cx<'_>, first: Holds, second: Holds) -> Holds {
    match (first, second) {
        (Holds::Known(true), other) | (other, Holds::Known(true)) => other,
        (Holds::Known(false), _) | (_, Holds::Known(false)) => Holds::Known(false),
        (Holds::If(lhs), Holds::If(rhs)) => {
            Holds::If(cx.value(IntOp::AndI { lhs, rhs }, TileType::scalar(ScalarType::I1)))
        }
    }
}
