//! Scans between warps. With the axis reshaped to warps and elements of a warp, the totals of the warps (a reduction
//! along the elements) are exchanged and scanned; each warp takes the total of the warps before it, and combines it with
//! the scan of its own elements. The first warp's elements are not combined with anything.

use tilewright_irs::core::{Flag, OpId, Translate, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::dialects::fold_rules::Fold;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsType, reduced_layout, slice_layout};
use tilewright_layouts::{Dim, LinearLayout};

use super::parts::{
    Cx, Exchange, Parts, Problem, bases, bug, exchanged, finish, layout_of, made, no_layout, of_bases,
    reduce, reshaped, scan,
};

/// Splits a scan between warps.
pub(super) fn split(
    pass: &mut impl Translate<TileAs, TileAs>,
    cx: &mut Cx<'_>,
    id: OpId,
    fold: &Fold<'_>,
    reverse: Flag,
) -> Translated {
    let parts = Parts::of(cx, fold)?;
    // The warps have the largest steps.
    let of_warps = parts.bits.iter().filter(|(dim, _)| *dim == Dim::Warp).count();
    let (warps, own) = (1 << of_warps, 1 << (parts.bits.len() - of_warps));
    let shape = parts.shape(&[warps, own]);
    let elements = reshaped(cx, &parts.operands, &shape)?;
    let Some(&first) = elements.first() else {
        return Err(bug(cx, "a scan of nothing"));
    };
    let layout = layout_of(cx, first)?;
    let along = parts.first + 1;
    // In reverse, what was combined so far comes after the elements.
    let totals = reduce(pass, cx, fold, &elements, along, reverse.0)?;
    let totals = exchanged(
        cx,
        &totals,
        &Exchange {
            axis: parts.first,
            later: Vec::new(),
            wanted: None,
        },
    )?;
    let totals = scan(pass, cx, fold, &totals, parts.first, reverse)?;
    let within = scan(pass, cx, fold, &elements, along, reverse)?;
    let alone = first_warp(cx, &layout, parts.first, if reverse.0 { warps - 1 } else { 0 })?;
    let mut pairs = Vec::with_capacity(within.len());
    for (&total, &own) in totals.iter().zip(&within) {
        let before = before_warps(cx, total, &layout, parts.first, reverse.0)?;
        pairs.push(paired(cx, before, own)?);
    }
    let combined = reduce(pass, cx, fold, &pairs, 0, false)?;
    let results = cx.old(id).results().zip(within.into_iter().zip(combined));
    for (result, (own, combined)) in results {
        let combined = match cx.ty(combined).layout() == Some(&layout) {
            true => combined,
            false => made(
                cx,
                combined,
                TileAsDialect::ConvertLayout { source: combined },
                &layout,
            )?,
        };
        let select = ArithOp::Select {
            condition: alone,
            yes: own,
            no: combined,
        };
        let value = made(cx, own, select, &layout)?;
        finish(cx, result, value, None)?;
    }
    Ok(())
}

/// Whether an element of a tile of this layout is in warp `number` along axis `axis`.
fn first_warp(cx: &mut Cx<'_>, layout: &LinearLayout, axis: usize, number: u32) -> Result<Value, Problem> {
    let shape = layout.shape();
    let warps = shape.get(axis).copied().unwrap_or(1);
    // What `tile.broadcast` along all other axes takes, and that as a line of warps.
    let mut others = (0..shape.len()).filter(|&other| other != axis);
    let repeated = others.try_fold(layout.clone(), |layout, other| layout.slice(other));
    let repeated = repeated
        .map_err(|error| no_layout(cx, &error))?
        .drop_copies(Dim::Register);
    let line = repeated
        .reshape_outs(&[warps])
        .map_err(|error| no_layout(cx, &error))?;
    let of = |element: ElementType, layout: &LinearLayout| TileAsType::tile(element, layout.clone());
    let lhs = cx.value(TileOp::Iota {}, of(ElementType::I32, &line));
    let value = Dense::Splat(Literal::new(ScalarType::I32, u64::from(number)));
    let rhs = cx.value(ArithOp::Constant { value }, of(ElementType::I32, &line));
    let compare = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Equal,
        signedness: Signedness::Unsigned,
    };
    let source = cx.value(compare, of(ElementType::I1, &line));
    let source = cx.value(TileOp::Reshape { source }, of(ElementType::I1, &repeated));
    Ok(cx.value(TileOp::Broadcast { source }, of(ElementType::I1, layout)))
}

/// For each element of a tile of this layout the scanned total of the warp before its own, along axis `axis`, from the
/// totals of all warps, which every thread holds; the first warp takes any.
fn before_warps(
    cx: &mut Cx<'_>,
    totals: Value,
    layout: &LinearLayout,
    axis: usize,
    reverse: bool,
) -> Result<Value, Problem> {
    let held = layout_of(cx, totals)?;
    let mut extents = held.shape();
    let warps = extents.get(axis).copied().unwrap_or(1);
    if let Some(extent) = extents.get_mut(axis) {
        *extent = 1;
    }
    let part = slice_layout(&held, &extents).map_err(|error| no_layout(cx, &error))?;
    let mut slices = Vec::new();
    for number in 0..warps {
        let mut offsets = vec![0; extents.len()];
        if let Some(offset) = offsets.get_mut(axis) {
            *offset = number;
        }
        let slice = TileAsDialect::ExtractSlice {
            source: totals,
            offsets,
        };
        slices.push(made(cx, totals, slice, &part)?);
    }
    if reverse {
        slices.rotate_left(1);
    } else {
        slices.rotate_right(1);
    }
    let of_warps = reduced_layout(layout, axis + 1).map_err(|error| no_layout(cx, &error))?;
    let concat = TileAsDialect::Concat {
        parts: slices,
        axis: u32::try_from(axis).unwrap_or(u32::MAX),
    };
    let joined = made(cx, totals, concat, &of_warps)?;
    let mut narrow = layout.shape();
    if let Some(extent) = narrow.get_mut(axis + 1) {
        *extent = 1;
    }
    let joined = reshaped(cx, &[joined], &narrow)?;
    let Some(&source) = joined.first() else {
        return Err(bug(cx, "a scan has no totals"));
    };
    made(cx, source, TileOp::Broadcast { source }, layout)
}

/// Two tiles of one layout as a tile with a new first axis, along which every thread holds both.
fn paired(cx: &mut Cx<'_>, first: Value, second: Value) -> Result<Value, Problem> {
    let mut shape = layout_of(cx, first)?.shape();
    shape.insert(0, 1);
    let parts = reshaped(cx, &[first, second], &shape)?;
    let part = parts.first().map(|&part| layout_of(cx, part)).transpose()?;
    let part = part.ok_or_else(|| bug(cx, "a pair of nothing"))?;
    if let Some(extent) = shape.first_mut() {
        *extent = 2;
    }
    let mut step = vec![0; shape.len()];
    if let Some(slot) = step.first_mut() {
        *slot = 1;
    }
    let mut units = bases(&part);
    match units.iter_mut().find(|(dim, _)| *dim == Dim::Register) {
        Some((_, bases)) => bases.push(step),
        None => units.push((Dim::Register, vec![step])),
    }
    let whole = of_bases(cx, &units, &shape)?;
    made(cx, first, TileAsDialect::Concat { parts, axis: 0 }, &whole)
}
