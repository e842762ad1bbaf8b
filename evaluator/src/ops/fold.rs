//! `reduce` and `scan`: the body is executed on pairs of elements.
//!
//! The language does not specify the order of a reduction; here it is a tree: adjacent elements are combined in
//! pairs, then adjacent results, until one is left. Extents are powers of two, so the tree is complete, and earlier
//! elements are always the left operands, for bodies that do not commute. A scan goes element by element from the
//! first one; identities are not used.
//!
//! A body without control flow is executed once for all lines; a scalar there represents one element of each line.

use tilewright_irs::core::{Block, Body, Operation, Region, Value};
use tilewright_irs::cuda_tile::{Attr, ControlOp, CudaTile, Element, FloatOp, Shape, ShapeOp, TileOp};

use super::run;
use crate::fault::{Fault, Outcome};
use crate::frame::{Flow, Frame, Op};
use crate::number::nudge::{Nudge, Summands, fold_slack, unit_roundoff};
use crate::number::{Format, product};
use crate::tile::{Runtime, TileValue};
use crate::unspecified::{Mark, Marks};

/// A tile as lines along a dimension: `outer` times `inner` of them, each of `length` elements.
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

    /// The elements at a position of every line, as a tile of rank less one, in row-major order.
    fn slice<T: Copy>(&self, elements: &[T], at: usize) -> Vec<T> {
        let mut slice = Vec::with_capacity(self.count());
        for block in elements.chunks(self.length * self.inner) {
            slice.extend(block.iter().skip(at * self.inner).take(self.inner));
        }
        slice
    }

    /// Sets the elements at a position of every line.
    fn put<T: Copy>(&self, elements: &mut [T], at: usize, slice: &[T]) {
        let blocks = elements.chunks_mut(self.length * self.inner);
        for (block, line) in blocks.zip(slice.chunks(self.inner.max(1))) {
            for (slot, &element) in block.iter_mut().skip(at * self.inner).zip(line) {
                *slot = element;
            }
        }
    }

    /// The elements of all lines, position by position.
    fn by_position<T: Copy>(&self, elements: &[T]) -> Vec<T> {
        if self.outer == 1 {
            return elements.to_vec();
        }
        let rows: Vec<&[T]> = elements.chunks(self.inner.max(1)).collect();
        let row = |at: usize, outer: usize| rows.get(outer * self.length + at).copied().unwrap_or_default();
        let order = (0..self.length).flat_map(|at| (0..self.outer).map(move |outer| (at, outer)));
        let mut found = Vec::with_capacity(elements.len());
        for (at, outer) in order {
            found.extend_from_slice(row(at, outer));
        }
        found
    }
}

/// The elements at one position of all lines, with their marks.
#[derive(Clone, Default)]
struct Slice {
    bits: Vec<u64>,
    marks: Marks,
}

impl Slice {
    /// Selects elements and their marks.
    fn of(tile: &TileValue, bits: Vec<u64>, marks: impl FnOnce(&[Mark]) -> Vec<Mark>) -> Self {
        let marks = if tile.marks.is_none() {
            Marks::NONE
        } else {
            Marks::of(marks(&tile.marks.to_vec(tile.bits.len())).into_iter())
        };
        Self { bits, marks }
    }

    /// Every second run of `size` elements, starting with the first or the second one.
    fn every_second(&self, size: usize, parity: usize) -> Self {
        fn pick<T: Copy>(list: &[T], size: usize, parity: usize) -> Vec<T> {
            let runs = list.chunks(size).skip(parity).step_by(2);
            runs.flatten().copied().collect()
        }
        let marks = if self.marks.is_none() {
            Marks::NONE
        } else {
            Marks::of(pick(&self.marks.to_vec(self.bits.len()), size, parity).into_iter())
        };
        Self {
            bits: pick(&self.bits, size, parity),
            marks,
        }
    }
}

/// The body, and how it is executed.
struct Combine {
    block: Block,
    at_once: bool,
    /// The format of the numbers that it adds, if it does nothing else.
    sum: Option<Format>,
    /// By how many units of its rounding an op in it is moved in a launch with a nudge, if it is no sum.
    slack: f64,
}

impl Combine {
    fn new(frame: &Frame<'_>, region: Region, lines: &Lines) -> Outcome<Self> {
        let block = frame.only_block(region)?;
        let sum = sum_of(frame.body, block);
        Ok(Self {
            block,
            at_once: is_straight(frame.body, block),
            sum,
            slack: match sum {
                Some(_) => 0.0,
                None => fold_slack(lines.length),
            },
        })
    }

    /// Combines the left and right elements of each pair, for each operand.
    fn combine(
        &self,
        frame: &mut Frame<'_>,
        elements: &[Element],
        left: &[Slice],
        right: &[Slice],
    ) -> Outcome<Vec<Slice>> {
        let pairs = left.first().map_or(0, |slice| slice.bits.len());
        if self.at_once {
            let results = self.call(frame, elements, left, right, pairs)?;
            return Ok(results);
        }
        let mut results = vec![Slice::default(); elements.len()];
        let mut marks = vec![Vec::new(); elements.len()];
        for at in 0..pairs {
            let pick = |side: &[Slice]| -> Vec<Slice> {
                let one = |slice: &Slice| Slice {
                    bits: slice.bits.get(at).copied().into_iter().collect(),
                    marks: slice.marks.pick(std::iter::once(at)),
                };
                side.iter().map(one).collect()
            };
            let one = self.call(frame, elements, &pick(left), &pick(right), 1)?;
            for ((list, marks), slice) in results.iter_mut().zip(&mut marks).zip(one) {
                list.bits.extend(slice.bits);
                marks.push(slice.marks.get(0));
            }
        }
        for (list, marks) in results.iter_mut().zip(marks) {
            list.marks = Marks::of(marks.into_iter());
        }
        Ok(results)
    }

    /// Executes the body once. Its arguments are, for each operand, what earlier and what later elements were combined to.
    fn call(
        &self,
        frame: &mut Frame<'_>,
        elements: &[Element],
        left: &[Slice],
        right: &[Slice],
        lanes: usize,
    ) -> Outcome<Vec<Slice>> {
        let mut arguments = Vec::with_capacity(2 * elements.len());
        for ((&element, left), right) in elements.iter().zip(left).zip(right) {
            for slice in [left, right] {
                let tile = TileValue::new(element, Shape::SCALAR, slice.bits.clone());
                arguments.push(tile.marked(slice.marks.clone()).into());
            }
        }
        frame.machine.spend(lanes)?;
        let outer = (
            frame.lanes.replace(lanes),
            std::mem::replace(&mut frame.slack, self.slack),
        );
        let flow = run(frame, self.block, arguments);
        (frame.lanes, frame.slack) = outer;
        let Flow::Yield(values) = flow? else {
            return Err(Fault::broken("a fold whose body does not end in `yield`"));
        };
        let slices = values.into_iter().map(|value| match value {
            Runtime::Tile(tile) if tile.bits.len() == lanes => Ok(Slice {
                bits: tile.bits.clone(),
                marks: tile.marks.clone(),
            }),
            // A value from outside the body is the same for every line.
            Runtime::Tile(tile) => Ok(Slice {
                bits: vec![tile.single()?; lanes],
                marks: Marks::all(tile.marks.get(0), lanes),
            }),
            Runtime::Tensor(_) | Runtime::Token(_) => Err(Fault::broken("a fold that yields no tile")),
        });
        slices.collect()
    }
}

/// Whether a body contains only elementwise ops that use nothing from outside.
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
            TileOp::Memory(_) | TileOp::View(_) | TileOp::Preview(_) => false,
        };
        let known = op.kind.operand_list().iter().all(|value| own.contains(value));
        let scalars = op.results().all(|value| is_scalar(body, value));
        own.extend(op.results());
        straight && known && scalars
    })
}

/// The format of the numbers that a body adds, if it does nothing else.
fn sum_of(body: &Body<CudaTile>, block: Block) -> Option<Format> {
    let data = body.block(block);
    let (&[left, right], &[sum, _]) = (&data.args[..], &data.ops[..]) else {
        return None;
    };
    let TileOp::Float(FloatOp::AddF { lhs, rhs, .. }) = &body.op(sum).kind else {
        return None;
    };
    let adds_both = [*lhs, *rhs] == [left, right] || [*lhs, *rhs] == [right, left];
    let format = Format::of(body.ty(left).as_tile()?.element.scalar()?);
    format.filter(|_| adds_both)
}

fn is_scalar(body: &Body<CudaTile>, value: Value) -> bool {
    body.ty(value).as_tile().is_some_and(|tile| tile.shape.is_empty())
}

/// Adds a number to the summands of each line.
fn add_to(summands: &mut [Summands], numbers: &[f64]) {
    for (summands, &number) in summands.iter_mut().zip(numbers) {
        summands.add(number);
    }
}

/// Sums moved by what another order of their summands can make.
fn spread(nudge: Nudge, format: Format, sums: &[u64], summands: &[Summands]) -> Vec<u64> {
    let roundoff = unit_roundoff(format);
    let pairs = sums.iter().zip(summands);
    pairs
        .map(|(&bits, summands)| nudge.moved(format, bits, summands.spread(roundoff)))
        .collect()
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
    let combine = Combine::new(frame, body, &lines)?;
    // For each operand, position by position along the dimension, so that adjacent elements can be paired at once.
    let size = lines.count().max(1);
    let whole = |tile: &TileValue| Slice::of(tile, lines.by_position(&tile.bits), |m| lines.by_position(m));
    let mut level: Vec<Slice> = tiles.iter().map(|tile| whole(tile)).collect();
    let spreads = match (frame.machine.nudge, combine.sum, level.first()) {
        (Some(nudge), Some(format), Some(numbers)) => {
            let mut summands = vec![Summands::default(); size];
            for numbers in numbers.bits.chunks(size) {
                add_to(&mut summands, &product::doubles(format, numbers));
            }
            Some((nudge, format, summands))
        }
        _ => None,
    };
    while level.first().is_some_and(|slice| slice.bits.len() > size) {
        let side = |parity| -> Vec<Slice> {
            let half = level.iter().map(|slice| slice.every_second(size, parity));
            half.collect()
        };
        level = combine.combine(frame, &elements, &side(0), &side(1))?;
    }
    if let (Some((nudge, format, summands)), Some(sums)) = (spreads, level.first_mut()) {
        sums.bits = spread(nudge, format, &sums.bits, &summands);
    }
    let mut results = Vec::new();
    for ((slice, element), value) in level.into_iter().zip(elements).zip(op.results()) {
        let Some(tile) = frame.body.ty(value).as_tile() else {
            return Err(Fault::broken("a fold that gives no tile"));
        };
        let result = TileValue::new(element, tile.shape.clone(), slice.bits);
        results.push(result.marked(slice.marks).into());
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
    let combine = Combine::new(frame, body, &lines)?;
    let mut summands = vec![Summands::default(); lines.count()];
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
            | Attr::Reduction(_)
            | Attr::Preview(_) => return Err(Fault::broken("an identity that is no number")),
        };
        folded.push(Slice {
            bits: vec![bits; lines.count()],
            marks: Marks::NONE,
        });
    }
    let mut outputs: Vec<Vec<u64>> = tiles.iter().map(|tile| vec![0; tile.bits.len()]).collect();
    let mut marks: Vec<Vec<Mark>> = tiles
        .iter()
        .map(|tile| tile.marks.to_vec(tile.bits.len()))
        .collect();
    for turn in 0..lines.length {
        let at = if reverse { lines.length - 1 - turn } else { turn };
        let slice = |tile: &TileValue| Slice::of(tile, lines.slice(&tile.bits, at), |m| lines.slice(m, at));
        let here: Vec<_> = tiles.iter().map(|tile| slice(tile)).collect();
        if let (Some(_), Some(format), Some(numbers)) = (frame.machine.nudge, combine.sum, here.first()) {
            add_to(&mut summands, &product::doubles(format, &numbers.bits));
        }
        // The first element is returned unchanged: the program promises that the identity is neutral.
        folded = if turn == 0 {
            here
        } else {
            combine.combine(frame, &elements, &folded, &here)?
        };
        for ((output, marks), slice) in outputs.iter_mut().zip(&mut marks).zip(&folded) {
            match (frame.machine.nudge, combine.sum) {
                (Some(nudge), Some(format)) => {
                    lines.put(output, at, &spread(nudge, format, &slice.bits, &summands));
                }
                _ => lines.put(output, at, &slice.bits),
            }
            lines.put(marks, at, &slice.marks.to_vec(slice.bits.len()));
        }
    }
    let results = tiles.iter().zip(outputs).zip(marks);
    Ok(results
        .map(|((tile, bits), marks)| {
            let marks = Marks::of(marks.into_iter());
            tile.like(tile.element, bits).marked(marks).into()
        })
        .collect())
}
