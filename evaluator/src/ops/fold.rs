//! `reduce` and `scan`: the body is executed on pairs of elements.
//!
//! The language leaves the order of a reduction open; here it is a tree: neighbours are combined in pairs, then the
//! results of neighbouring pairs, until one is left. Extents are powers of two, so the tree is complete, and earlier
//! elements always stand left of later ones, for bodies that do not commute. A scan goes element by element from the
//! identity, as its definition says.
//!
//! A body without control flow is executed once for all lines, with a scalar standing for one element of each.

use tilewright_irs::core::{Block, Body, Operation, Region, Value};
use tilewright_irs::cuda_tile::{Attr, ControlOp, CudaTile, Element, Shape, ShapeOp, TileOp};

use crate::exec::{Flow, Frame, Op};
use crate::fault::{Fault, Outcome};
use crate::tile::{Runtime, TileValue};

/// A tile seen as lines along a dimension: `outer` times `inner` of them, each of `length` elements.
struct Lines {
    outer: usize,
    length: usize,
    inner: usize,
}

impl Lines {
    fn of(shape: &Shape, dim: i32) -> Outcome<Self> {
        let wrong = || Fault::broken(format_args!("a fold of {shape} elements along dimension {dim}"));
        let along = usize::try_from(dim).map_err(|_| wrong())?;
        let size = |extents: &mut dyn Iterator<Item = &u64>| usize::try_from(extents.product::<u64>()).ok();
        Ok(Self {
            outer: size(&mut shape.iter().take(along)).ok_or_else(wrong)?,
            length: size(&mut shape.iter().skip(along).take(1)).ok_or_else(wrong)?,
            inner: size(&mut shape.iter().skip(along + 1)).ok_or_else(wrong)?,
        })
    }

    fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// The elements at a position of every line: those of a tile of rank less by one, in row-major order.
    fn slice(&self, bits: &[u64], at: usize) -> Vec<u64> {
        let mut slice = Vec::with_capacity(self.count());
        for block in bits.chunks(self.length * self.inner) {
            slice.extend(block.iter().skip(at * self.inner).take(self.inner));
        }
        slice
    }

    /// The elements of all lines, position by position.
    fn by_position(&self, bits: &[u64]) -> Vec<u64> {
        if self.outer == 1 {
            return bits.to_vec();
        }
        let rows: Vec<&[u64]> = bits.chunks(self.inner.max(1)).collect();
        let row = |at: usize, outer: usize| rows.get(outer * self.length + at).copied().unwrap_or_default();
        let order = (0..self.length).flat_map(|at| (0..self.outer).map(move |outer| (at, outer)));
        let mut found = Vec::with_capacity(bits.len());
        for (at, outer) in order {
            found.extend_from_slice(row(at, outer));
        }
        found
    }
}

/// The body, and how it is executed.
struct Combine {
    block: Block,
    at_once: bool,
}

impl Combine {
    fn new(frame: &Frame<'_>, region: Region) -> Outcome<Self> {
        let block = frame.only_block(region)?;
        Ok(Self {
            block,
            at_once: is_straight(frame.body, block),
        })
    }

    /// Combines what is left of each pair with what is right of it, for each operand of the fold.
    fn combine(
        &self,
        frame: &mut Frame<'_>,
        elements: &[Element],
        left: &[Vec<u64>],
        right: &[Vec<u64>],
    ) -> Outcome<Vec<Vec<u64>>> {
        let pairs = left.first().map_or(0, Vec::len);
        if self.at_once {
            let results = self.call(frame, elements, left, right, pairs)?;
            return Ok(results);
        }
        let mut results = vec![Vec::with_capacity(pairs); elements.len()];
        for at in 0..pairs {
            let pick = |side: &[Vec<u64>]| -> Vec<Vec<u64>> {
                side.iter()
                    .map(|bits| bits.get(at).copied().into_iter().collect())
                    .collect()
            };
            let one = self.call(frame, elements, &pick(left), &pick(right), 1)?;
            for (list, bits) in results.iter_mut().zip(one) {
                list.extend(bits);
            }
        }
        Ok(results)
    }

    /// Executes the body once. Its arguments are, for each operand, the element and then what was folded before it.
    fn call(
        &self,
        frame: &mut Frame<'_>,
        elements: &[Element],
        left: &[Vec<u64>],
        right: &[Vec<u64>],
        lanes: usize,
    ) -> Outcome<Vec<Vec<u64>>> {
        let mut arguments = Vec::with_capacity(2 * elements.len());
        for ((&element, left), right) in elements.iter().zip(left).zip(right) {
            for bits in [right, left] {
                arguments.push(Runtime::from(TileValue {
                    element,
                    shape: Shape::SCALAR,
                    bits: bits.clone(),
                }));
            }
        }
        frame.machine.spend(lanes)?;
        let outer = frame.lanes.replace(lanes);
        let flow = frame.run(self.block, arguments);
        frame.lanes = outer;
        let Flow::Yield(values) = flow? else {
            return Err(Fault::broken("a fold whose body does not end in `yield`"));
        };
        let bits = values.into_iter().map(|value| match value {
            Runtime::Tile(tile) if tile.bits.len() == lanes => Ok(tile.bits.clone()),
            // A value from around the fold is the same for every line.
            Runtime::Tile(tile) => Ok(vec![tile.single()?; lanes]),
            Runtime::Tensor(_) | Runtime::Token(_) => Err(Fault::broken("a fold that yields no tile")),
        });
        bits.collect()
    }
}

/// Whether a body holds nothing but ops that work on each element alone and use nothing from around it.
fn is_straight(body: &Body<CudaTile>, block: Block) -> bool {
    let data = body.block(block);
    let mut own: Vec<Value> = data.args.clone();
    data.ops.iter().all(|&id| {
        let op = body.op(id);
        let straight = match &op.kind {
            TileOp::Float(_) | TileOp::Int(_) => true,
            TileOp::Cast(_) => op.kind.operand_list().iter().all(|&value| is_scalar(body, value)),
            TileOp::Shape(kind) => matches!(kind, ShapeOp::Constant { .. } | ShapeOp::Select { .. }),
            TileOp::Control(kind) => matches!(kind, ControlOp::Yield { .. }),
            TileOp::Memory(_) | TileOp::View(_) => false,
        };
        let known = op.kind.operand_list().iter().all(|value| own.contains(value));
        let scalars = op.results().all(|value| is_scalar(body, value));
        own.extend(op.results());
        straight && known && scalars
    })
}

fn is_scalar(body: &Body<CudaTile>, value: Value) -> bool {
    body.ty(value).as_tile().is_some_and(|tile| tile.shape.is_empty())
}

/// `reduce`
pub(crate) fn reduce(
    frame: &mut Frame<'_>,
    op: &Op,
    operands: &[Value],
    dim: i32,
    body: Region,
) -> Outcome<Vec<Runtime>> {
    let tiles = operands
        .iter()
        .map(|&value| frame.tile(value))
        .collect::<Outcome<Vec<_>>>()?;
    let Some(first) = tiles.first() else {
        return Err(Fault::broken("a fold of nothing"));
    };
    let lines = Lines::of(&first.shape, dim)?;
    let elements: Vec<Element> = tiles.iter().map(|tile| tile.element).collect();
    let combine = Combine::new(frame, body)?;
    // For each operand, position by position along the dimension, so that neighbours are paired in one go.
    let size = lines.count().max(1);
    let mut level: Vec<Vec<u64>> = tiles.iter().map(|tile| lines.by_position(&tile.bits)).collect();
    while level.first().is_some_and(|bits| bits.len() > size) {
        let side = |parity: usize| -> Vec<Vec<u64>> {
            let pick = |bits: &Vec<u64>| {
                bits.chunks(size)
                    .skip(parity)
                    .step_by(2)
                    .flatten()
                    .copied()
                    .collect()
            };
            level.iter().map(pick).collect()
        };
        level = combine.combine(frame, &elements, &side(0), &side(1))?;
    }
    let mut results = Vec::new();
    for ((bits, element), value) in level.into_iter().zip(elements).zip(op.results()) {
        let Some(tile) = frame.body.ty(value).as_tile() else {
            return Err(Fault::broken("a fold that gives no tile"));
        };
        results.push(Runtime::from(TileValue {
            element,
            shape: tile.shape.clone(),
            bits,
        }));
    }
    Ok(results)
}

/// `scan`
pub(crate) fn scan(
    frame: &mut Frame<'_>,
    operands: &[Value],
    dim: i32,
    reverse: bool,
    identities: &[Attr],
    body: Region,
) -> Outcome<Vec<Runtime>> {
    let tiles = operands
        .iter()
        .map(|&value| frame.tile(value))
        .collect::<Outcome<Vec<_>>>()?;
    let Some(first) = tiles.first() else {
        return Err(Fault::broken("a fold of nothing"));
    };
    let lines = Lines::of(&first.shape, dim)?;
    let elements: Vec<Element> = tiles.iter().map(|tile| tile.element).collect();
    let combine = Combine::new(frame, body)?;
    let mut folded = Vec::new();
    for identity in identities {
        let bits = match identity {
            Attr::Number(literal) => literal.bits,
            Attr::Bool(value) => u64::from(*value),
            Attr::Type(_)
            | Attr::String(_)
            | Attr::Array(_)
            | Attr::Dense(..)
            | Attr::Predicate(_)
            | Attr::Dict(_)
            | Attr::Hints(_)
            | Attr::Reduction(_) => return Err(Fault::broken("an identity that is no number")),
        };
        folded.push(vec![bits; lines.count()]);
    }
    let mut outputs: Vec<Vec<u64>> = tiles.iter().map(|tile| vec![0; tile.bits.len()]).collect();
    for turn in 0..lines.length {
        let at = if reverse { lines.length - 1 - turn } else { turn };
        let here: Vec<_> = tiles.iter().map(|tile| lines.slice(&tile.bits, at)).collect();
        folded = combine.combine(frame, &elements, &folded, &here)?;
        for (output, bits) in outputs.iter_mut().zip(&folded) {
            let blocks = output.chunks_mut(lines.length * lines.inner);
            for (block, line) in blocks.zip(bits.chunks(lines.inner.max(1))) {
                for (slot, &bits) in block.iter_mut().skip(at * lines.inner).zip(line) {
                    *slot = bits;
                }
            }
        }
    }
    let results = tiles.iter().zip(outputs);
    Ok(results
        .map(|(tile, bits)| tile.like(tile.element, bits).into())
        .collect())
}
