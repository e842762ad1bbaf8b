//! The registers of a thread that matrix products need beside their accumulators, for a number of warps.

use tilewright_irs::core::{Body, OpData, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::element::ElementType;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::ProductAtom;
use tilewright_irs::tileas::atoms::WarpGrid;
use tilewright_layouts::{Dim, LinearLayout};

use super::{ACCESS_BYTES, threads_of};

/// Elements along K that a thread reads at once for `fma`: a vector of 16 bytes of f32.
const FMA_DEPTH: u32 = 4;
/// Steps along K whose operands a thread holds at a time for `mma.sync`: one is multiplied while the next is read.
const STEPS_HELD: u64 = 2;
/// 32-bit registers of an address.
const ADDRESS: u64 = 2;

/// An upper bound of the registers of a thread for the operands of one product, and for the addresses of what is gathered
/// for them.
pub(super) fn operand_registers(body: &Body<TileAa>, target: Target, num_warps: u32) -> u64 {
    let ops = body.walk();
    let grid = match is_chain(body, &ops) {
        true => WarpGrid::Rows,
        false => WarpGrid::Square,
    };
    let products = ops.iter();
    let products = products.filter_map(|&id| of_product(body, body.op(id), target, grid, num_warps));
    products.max().unwrap_or(0) + of_gathers(body, &ops, num_warps)
}

/// Whether a product's left operand is computed from another product, as attention's is: the warps of both are along M then.
fn is_chain(body: &Body<TileAa>, ops: &[OpId]) -> bool {
    let mut computed = body.value_table::<()>();
    ops.iter().any(|&id| {
        let op = body.op(id);
        let has = |value: &Value| computed.get(*value).is_some();
        let (product, link) = match &op.kind {
            TileAaOp::TileAa(TileAaDialect::Dot { a, .. }) => (true, has(a)),
            _ => (false, false),
        };
        if product || (op.kind.is_pure() && op.kind.operand_list().iter().any(has)) {
            for result in op.results() {
                computed.set(result, ());
            }
        }
        link
    })
}

/// The registers of a thread for the slices of a product's operands that it holds at a time, from the layouts that the product's
/// atom takes; `None` if the op is no product.
fn of_product(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    target: Target,
    grid: WarpGrid,
    num_warps: u32,
) -> Option<u64> {
    let TileAaOp::TileAa(TileAaDialect::Dot { a, b, acc, .. }) = &op.kind else {
        return None;
    };
    let shape = |value: Value| body.ty(value).shape();
    let extents = extents(shape(*a)?, shape(*b)?, shape(*acc)?).ok()?;
    let scalar = |value: Value| body.ty(value).element().and_then(ElementType::scalar);
    let elements = [scalar(*a)?, scalar(*b)?, scalar(*acc)?];
    let atom = ProductAtom::in_registers(elements, &extents, target);
    let layouts = atom.layouts_in(grid, &extents, num_warps).ok()?;
    let (step, held) = match atom.depth() {
        Some(depth) => (depth, STEPS_HELD),
        None => (FMA_DEPTH, 1),
    };
    let [_, _, depth] = extents.matrix;
    let slice = |layout: Option<LinearLayout>, bits: u32| -> Option<u64> {
        let elements = u64::from(layout?.in_size(Dim::Register)) * u64::from(step.min(depth));
        Some(elements * u64::from(bits) / (32 * u64::from(depth)))
    };
    let [of_a, of_b, _] = elements.map(|element| element.bits().next_power_of_two());
    Some(held * (slice(layouts.a, of_a)? + slice(layouts.b, of_b)?))
}

/// The registers of a thread for the addresses of the largest tile that is gathered.
fn of_gathers(body: &Body<TileAa>, ops: &[OpId], num_warps: u32) -> u64 {
    let threads = threads_of(num_warps);
    let gathers = ops.iter().filter_map(|&id| MemoryOp::of(body.op(id)));
    let gathers = gathers.filter(|op| op.loads && matches!(op.place, MemoryPlace::Pointers { .. }));
    let accesses = gathers.filter_map(|op| {
        let (shape, element) = (body.ty(op.data).shape()?, body.ty(op.data).element()?);
        let elements = shape.iter().map(|&n| u64::from(n)).product::<u64>();
        Some((elements * u64::from(element.bits())).div_ceil(8 * ACCESS_BYTES * threads))
    });
    accesses.max().unwrap_or(0) * ADDRESS
}
