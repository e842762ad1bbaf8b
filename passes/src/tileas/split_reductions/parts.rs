//! The steps that splitting a reduction or a scan consists of.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, Origin, Region, Translate, Translation, Value, ValueType};
use tilewright_irs::dialects::fold_rules::Fold;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::dialects::tile_rules::ShapedType;
use tilewright_irs::tileas::{ReduceAtom, TileAs, TileAsDialect, TileAsType, reduced_type};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

pub(super) type Cx<'a> = Translation<'a, TileAs, TileAs>;
/// An error of a step.
pub(super) type Problem = Diagnostic<Origin>;

/// A bug: the verifier checks that the op's types and layouts fit.
pub(super) fn bug(cx: &Cx<'_>, message: impl Into<String>) -> Problem {
    let command = "tilewright pass split_reductions FILE";
    Diagnostic::bug("tileas", "split_reductions", message, command).at(cx.origin(), "")
}

/// The error for a layout that exceeds a limit.
pub(super) fn no_layout(cx: &Cx<'_>, error: &LayoutError) -> Problem {
    let message = format!("no layout for a part of a reduction: {error}");
    Diagnostic::error(Code::BadLayout, message).at(cx.origin(), "")
}

/// The operands of a reduction or scan, whose axes before and after the axis are merged to at most one each.
pub(super) struct Parts {
    pub(super) operands: Vec<Value>,
    /// The position bits along the axis, the smallest step first.
    pub(super) bits: Vec<(Dim, u32)>,
    /// The extents before the axis, if any: their product.
    before: Option<u32>,
    after: Option<u32>,
    /// The number of the axis, or of the first that replaces it.
    pub(super) first: usize,
}

impl Parts {
    pub(super) fn of(cx: &Cx<'_>, fold: &Fold<'_>) -> Result<Self, Problem> {
        let operands: Vec<Value> = fold.operands.iter().map(|&value| cx.one(value)).collect();
        let axis = fold.axis as usize;
        let layout = operands.first().and_then(|&first| cx.ty(first).layout());
        let bits = layout.and_then(|layout| layout.bits_along(axis));
        let (Some(layout), Some(bits)) = (layout, bits) else {
            return Err(bug(cx, "a reduction of something that is no tile"));
        };
        let shape = layout.shape();
        let merged = |extents: Option<&[u32]>| {
            let extents = extents.filter(|extents| !extents.is_empty())?;
            Some(extents.iter().product())
        };
        let before: Option<u32> = merged(shape.get(..axis));
        Ok(Self {
            operands,
            bits,
            before,
            after: merged(shape.get(axis + 1..)),
            first: usize::from(before.is_some()),
        })
    }

    /// The shape with the axis replaced by axes of these extents.
    pub(super) fn shape(&self, axes: &[u32]) -> Vec<u32> {
        let before = self.before.iter().chain(axes);
        before.chain(&self.after).copied().collect()
    }
}

/// The layout of a tile.
pub(super) fn layout_of(cx: &Cx<'_>, value: Value) -> Result<LinearLayout, Problem> {
    let layout = cx.ty(value).layout().cloned();
    layout.ok_or_else(|| bug(cx, "a part of a reduction is no tile"))
}

/// A tile of the same elements in another layout, by an op.
pub(super) fn made(
    cx: &mut Cx<'_>,
    value: Value,
    op: impl Into<tilewright_irs::tileas::TileAsOp>,
    layout: &LinearLayout,
) -> Result<Value, Problem> {
    let element = cx.ty(value).element();
    let element = element.ok_or_else(|| bug(cx, "a part of a reduction has no elements"))?;
    Ok(cx.value(op, TileAsType::tile(element, layout.clone())))
}

/// Tiles under another shape.
pub(super) fn reshaped(cx: &mut Cx<'_>, values: &[Value], shape: &[u32]) -> Result<Vec<Value>, Problem> {
    let mut new = Vec::with_capacity(values.len());
    for &source in values {
        let same = cx.ty(source).extents() == Some(shape);
        new.push(if same {
            source
        } else {
            let layout = layout_of(cx, source)?.reshape_outs(shape);
            let layout = layout.map_err(|error| no_layout(cx, &error))?;
            made(cx, source, TileOp::Reshape { source }, &layout)?
        });
    }
    Ok(new)
}

/// A layout of these bases.
pub(super) fn of_bases(
    cx: &Cx<'_>,
    bases: &[(Dim, Vec<Vec<u32>>)],
    shape: &[u32],
) -> Result<LinearLayout, Problem> {
    let axes: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
    LinearLayout::from_bases(bases, &axes).map_err(|error| no_layout(cx, &error))
}

/// The bases of each kind of unit (registers, lanes, warps) of a layout: their steps along the axes of a tile.
pub(super) type UnitBases = Vec<(Dim, Vec<Vec<u32>>)>;

/// The bases of a layout, by unit.
pub(super) fn bases(layout: &LinearLayout) -> UnitBases {
    let units = layout.in_dims().map(|(dim, _)| dim);
    units
        .map(|dim| (dim, layout.bases(dim).map(|basis| basis.to_vec()).collect()))
        .collect()
}

/// How tiles whose warps lie along an axis are distributed by an exchange.
pub(super) struct Exchange<'a> {
    /// The axis, of which every thread then holds all.
    pub(super) axis: usize,
    /// Axes that are reduced later: what a thread holds along them is distributed over lanes that would hold copies.
    pub(super) later: Vec<usize>,
    /// The layout that the program wants for the tiles without the axis, if it is not the one they have.
    pub(super) wanted: Option<&'a LinearLayout>,
}

/// Tiles whose warps lie along an axis, converted so that every thread holds all of the axis.
pub(super) fn exchanged(
    cx: &mut Cx<'_>,
    values: &[Value],
    exchange: &Exchange<'_>,
) -> Result<Vec<Value>, Problem> {
    let axis = exchange.axis;
    let mut new = Vec::with_capacity(values.len());
    for &source in values {
        let layout = layout_of(cx, source)?;
        let shape = layout.shape();
        let mut units = match exchange.wanted {
            Some(wanted) => with_axis(cx, wanted, axis, &shape)?,
            None => without_warps(&layout, exchange),
        };
        let extent = shape.get(axis).copied().unwrap_or(1);
        let steps = (0..extent.ilog2()).map(|bit| {
            let mut basis = vec![0; shape.len()];
            if let Some(slot) = basis.get_mut(axis) {
                *slot = 1 << bit;
            }
            basis
        });
        match units.iter_mut().find(|(dim, _)| *dim == Dim::Register) {
            Some((_, bases)) => bases.extend(steps),
            None => units.push((Dim::Register, steps.collect())),
        }
        let layout = of_bases(cx, &units, &shape)?;
        new.push(made(
            cx,
            source,
            TileAsDialect::ConvertLayout { source },
            &layout,
        )?);
    }
    Ok(new)
}

/// The bases of a layout, with zero for the warps along the axis of an exchange, and with the registers along axes that
/// are reduced later moved to lanes that hold copies.
fn without_warps(layout: &LinearLayout, exchange: &Exchange<'_>) -> UnitBases {
    let mut units = bases(layout);
    let along = |basis: &[u32], axis: usize| basis.get(axis).is_some_and(|&step| step != 0);
    let mut moving = Vec::new();
    for (dim, bases) in &mut units {
        match dim {
            Dim::Warp => {
                let warps = bases.iter_mut().filter(|basis| along(basis, exchange.axis));
                warps.for_each(|basis| basis.fill(0));
            }
            Dim::Register => {
                let free = (0u32..)
                    .zip(layout.bases(Dim::Lane))
                    .filter(|(_, basis)| basis.iter().all(|&step| step == 0));
                let mut room = free.count();
                // The largest steps, so that what stays is contiguous.
                for at in (0..bases.len()).rev() {
                    let later = exchange.later.iter().any(|&axis| along(&bases[at], axis));
                    if later && room > 0 {
                        moving.push(bases.remove(at));
                        room -= 1;
                    }
                }
            }
            _ => {}
        }
    }
    for (dim, bases) in &mut units {
        if *dim == Dim::Lane {
            let free = bases
                .iter_mut()
                .filter(|basis| basis.iter().all(|&step| step == 0));
            for (lane, basis) in free.zip(moving.drain(..)) {
                *lane = basis;
            }
        }
    }
    units
}

/// The bases of a layout of tiles without an axis, for tiles of the shape that has it.
fn with_axis(cx: &Cx<'_>, layout: &LinearLayout, axis: usize, shape: &[u32]) -> Result<UnitBases, Problem> {
    let mut rest = shape.to_vec();
    if axis < rest.len() {
        rest.remove(axis);
    }
    let layout = layout
        .reshape_outs(&rest)
        .map_err(|error| no_layout(cx, &error))?;
    let mut units = bases(&layout);
    for (_, bases) in &mut units {
        bases
            .iter_mut()
            .for_each(|basis| basis.insert(axis.min(basis.len()), 0));
    }
    Ok(units)
}

/// A copy of the body; with `swapped` arguments it combines the elements with what comes after them.
fn body(
    pass: &mut impl Translate<TileAs, TileAs>,
    cx: &mut Cx<'_>,
    fold: &Fold<'_>,
    swapped: bool,
) -> Result<Region, Problem> {
    let from = cx.from;
    let block = from
        .only_block(fold.body)
        .ok_or_else(|| bug(cx, "a reduction has no body"))?;
    let mut args = from.block(block).args.clone();
    if swapped {
        args.rotate_left(fold.operands.len());
    }
    let types: Vec<TileAsType> = args.iter().map(|&arg| from.ty(arg).clone()).collect();
    let (region, new, new_args) = cx.build().region(types);
    for (arg, new) in args.into_iter().zip(new_args) {
        cx.bind(arg, [new]);
    }
    let origin = cx.origin();
    cx.within(new, |cx| cx.block_ops(block, pass))?;
    cx.set_origin(origin);
    Ok(region)
}

/// The scope of a reduction or scan within a warp of tiles with this layout.
fn scope(layout: &LinearLayout, axis: usize) -> ReduceAtom {
    ReduceAtom::least(layout, axis)
}

fn number(axis: usize) -> u32 {
    u32::try_from(axis).unwrap_or(u32::MAX)
}

/// Reduces tiles along an axis.
pub(super) fn reduce(
    pass: &mut impl Translate<TileAs, TileAs>,
    cx: &mut Cx<'_>,
    fold: &Fold<'_>,
    values: &[Value],
    axis: usize,
    swapped: bool,
) -> Result<Vec<Value>, Problem> {
    let Some(&first) = values.first() else {
        return Ok(Vec::new());
    };
    let atom = scope(&layout_of(cx, first)?, axis);
    let types: Option<Vec<TileAsType>> = values
        .iter()
        .map(|&value| reduced_type(cx.ty(value), axis))
        .collect();
    let types = types.ok_or_else(|| bug(cx, "a part of a reduction has no such axis"))?;
    let op = TileAsDialect::Reduce {
        operands: values.to_vec(),
        axis: number(axis),
        identities: fold.identities.to_vec(),
        atom,
        body: body(pass, cx, fold, swapped)?,
    };
    let op = cx.build().op(op, types);
    Ok(cx.new_body().op(op).results().collect())
}

/// Scans tiles along an axis.
pub(super) fn scan(
    pass: &mut impl Translate<TileAs, TileAs>,
    cx: &mut Cx<'_>,
    fold: &Fold<'_>,
    values: &[Value],
    axis: usize,
    reverse: Flag,
) -> Result<Vec<Value>, Problem> {
    let Some(&first) = values.first() else {
        return Ok(Vec::new());
    };
    let op = TileAsDialect::Scan {
        operands: values.to_vec(),
        axis: number(axis),
        reverse,
        identities: fold.identities.to_vec(),
        atom: scope(&layout_of(cx, first)?, axis),
        body: body(pass, cx, fold, false)?,
    };
    let types: Vec<TileAsType> = values.iter().map(|&value| cx.ty(value).clone()).collect();
    let op = cx.build().op(op, types);
    Ok(cx.new_body().op(op).results().collect())
}

/// Binds a result of the old op to a value of the same elements: reshaped, and with the result's layout or another one
/// that all its uses want.
pub(super) fn finish(
    cx: &mut Cx<'_>,
    result: Value,
    value: Value,
    wanted: Option<&LinearLayout>,
) -> Result<(), Problem> {
    let mut value = value;
    if let TileAsType::Tile { layout, .. } = cx.from.ty(result) {
        let layout = wanted.unwrap_or(layout);
        for new in reshaped(cx, &[value], &layout.shape())? {
            value = new;
        }
        if cx.ty(value).layout() != Some(layout) {
            value = made(cx, value, TileAsDialect::ConvertLayout { source: value }, layout)?;
        }
    }
    cx.bind(result, [value]);
    Ok(())
}
