//! `ldmatrix` and `stmatrix`: warp-wide moves of matrices between a buffer and fragments.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::cute_nvgpu::MatrixOrder;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::tileas::atoms::{LdMatrix, Refusal, StMatrix};
use tilewright_irs::tileas::{Buffer, TileAsDialect, TileAsType};
use tilewright_layouts::distributed::MatrixPlan;
use tilewright_layouts::{Dim, LinearLayout};

use super::super::address_tiles::owner;
use super::super::agent::Agent;
use super::super::emit::{Cx, at, bug, gathered};
use super::super::function::LowerFragments;
use super::super::shared_offsets::SharedOffsets;
use super::{LowerAtom, Site};

impl LowerAtom for LdMatrix {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        _: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        match op {
            TileAsDialect::Copy { source, to: None, .. } => Some(load(cx, id, *source, *self, agent)),
            _ => None,
        }
    }
}

impl LowerAtom for StMatrix {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { op, agent, .. }: &Site<'_>,
        _: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        match op {
            TileAsDialect::Copy {
                source, to: Some(to), ..
            } => Some(store(cx, *source, *to, *self, agent)),
            _ => None,
        }
    }
}

/// Loads a tile from a buffer.
fn load(cx: &mut Cx<'_>, id: OpId, source: Value, atom: LdMatrix, agent: Agent) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let (tile, buffer) = (cx.from.ty(result), buffer_of(cx, source)?);
    let plan = planned(origin, tile, |layout| atom.plan(layout, buffer))?;
    let (base, registers) = (cx.one(source), registers_of(tile));
    let mut places: Vec<Option<(Value, u32)>> = vec![None; registers as usize];
    let addresses = SharedOffsets::new(&plan.addresses, begin_of(origin, tile, buffer)?);
    for instruction in 0..plan.instructions() {
        // Each thread supplies the address of a row.
        let (flipped, offset) = addresses.of_register(instruction);
        let pointer = addresses.pointer(cx, base, flipped, agent);
        let loaded = cx.value(
            FragmentOp::LoadMatrix {
                pointer,
                offsets: vec![offset],
                count: atom.count.get(),
                order: order(atom.trans),
            },
            DesugaredType::Fragment(plan.elements(), buffer.element.into()),
        );
        for element in 0..plan.elements() {
            if let Some(place) = places.get_mut(plan.register(instruction, element) as usize) {
                *place = Some((loaded, element));
            }
        }
    }
    // Replicated registers.
    let found: Option<Vec<(Value, u32)>> = (0..registers)
        .map(|register| {
            places
                .get((register & !plan.copies()) as usize)
                .copied()
                .flatten()
        })
        .collect();
    let value = found
        .and_then(|found| gathered(cx, &found))
        .ok_or_else(|| bug(origin, "`ldmatrix` leaves out a register"))?;
    cx.bind(result, [value]);
    Ok(())
}

/// Stores a tile to a buffer. If several warps hold the same elements, one of them stores.
fn store(cx: &mut Cx<'_>, source: Value, to: Value, atom: StMatrix, agent: Agent) -> Translated {
    let (tile, buffer) = (cx.from.ty(source), buffer_of(cx, to)?);
    let origin = cx.origin();
    let plan = planned(origin, tile, |layout| atom.plan(layout, buffer))?;
    let (value, base) = (cx.one(source), cx.one(to));
    let pred = owner(cx, tile.layout(), agent);
    let addresses = SharedOffsets::new(&plan.addresses, begin_of(origin, tile, buffer)?);
    for instruction in 0..plan.instructions() {
        // Each thread supplies the address of a row.
        let (flipped, offset) = addresses.of_register(instruction);
        let pointer = addresses.pointer(cx, base, flipped, agent);
        let elements = (0..plan.elements()).map(|element| plan.register(instruction, element));
        let mut emit = at(cx);
        let value = emit.rearrange(value, elements.collect());
        emit.0.effect(FragmentOp::StoreMatrix {
            pointer,
            value,
            pred,
            offsets: vec![offset],
            count: atom.count.get(),
            order: order(atom.trans),
        });
    }
    Ok(())
}

fn buffer_of<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a Buffer, Diagnostic<Origin>> {
    let buffer = cx.from.ty(value).buffer();
    buffer.ok_or_else(|| {
        bug(
            cx.origin(),
            "matrices are moved from or to something that is no buffer",
        )
    })
}

/// Where a slice begins in its buffer, in elements.
fn begin_of(origin: Origin, tile: &TileAsType, buffer: &Buffer) -> Result<u32, Diagnostic<Origin>> {
    let offsets = tile.layout().map(|layout| buffer.offsets_of(layout));
    match offsets {
        Some(Ok(Some((_, begin)))) => Ok(begin),
        Some(Err(error)) => Err(bug(origin, format!("the places of a tile in a buffer: {error}"))),
        Some(Ok(None)) | None => Err(bug(origin, "matrices are moved between tiles and linear buffers")),
    }
}

fn registers_of(tile: &TileAsType) -> u32 {
    tile.layout().map_or(1, |layout| layout.in_size(Dim::Register))
}

fn order(trans: bool) -> MatrixOrder {
    match trans {
        true => MatrixOrder::Transposed,
        false => MatrixOrder::Normal,
    }
}

/// The instructions that move the tile, which the atom has checked before.
fn planned(
    origin: Origin,
    tile: &TileAsType,
    plan: impl FnOnce(&LinearLayout) -> Result<MatrixPlan, Refusal>,
) -> Result<MatrixPlan, Diagnostic<Origin>> {
    let layout = tile
        .layout()
        .ok_or_else(|| bug(origin, "matrices are moved to or from a single element"))?;
    plan(layout).map_err(|refusal| bug(origin, refusal.message))
}
