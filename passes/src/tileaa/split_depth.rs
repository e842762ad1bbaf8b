//! Computes products whose operands take much shared memory in steps along their depth. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where a product in a counted loop becomes two of half the depth, one after the other,
//! and these again, as long as shared memory has no room for [`GOOD_STAGES`] pairs of its tiles.
//!
//! ```text
//! %a = tileaa.load %A, [%x, %k] {steps = [256, 64]}     %a0 = tileaa.load %A, [%x, 2 * %k] {steps = [256, 32]}
//! %b = tileaa.load %B, [%k, %y] {steps = [64, 128]}     %b0 = tileaa.load %B, [2 * %k, %y] {steps = [32, 128]}
//! %p = tileaa.dot %a, %b, %acc                          %p0 = tileaa.dot %a0, %b0, %acc
//!                                                       %a1 = tileaa.load %A, [%x, 2 * %k + 1] {steps = [256, 32]}
//!                                                       %b1 = tileaa.load %B, [2 * %k + 1, %y] {steps = [32, 128]}
//!                                                       %p = tileaa.dot %a1, %b1, %p0
//! ```
//!
//! The tiles of the first step can then be loaded for the next iteration while the second step is under way: with two large
//! stages, that load begins when the whole product is done, and takes longer than the next product. Sums are those of before, since
//! products are added in the order of the depth.
//!
//! The operands are loaded for that product only, in its block, and may be converted element by element. What is ordered after a load
//! comes after the product, and is ordered after both of its halves. Half of a tile still has whole rows of [`ROW_BYTES`] along the depth, a multiple of what an instruction multiplies. A
//! product of 8-bit floats that is summed on two levels stays: it would have twice as many sums. So do products of clusters, whose
//! blocks wait for each other at each stage. (On an H200, persistent f32 products of 256 x 256 x 64 tiles in clusters of two blocks
//! take 4 % more time in two steps; of a block alone, 20 % less.)

use std::rc::Rc;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Translate, Translated, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::product_rules::matrix_type;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::machine::Machine;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::choose_routes::{ROWS, is_of_one_tile};
use super::own_sums::adds_with_few_bits;
use super::tile_parts::{Cx, Part, TileParts};
use crate::scheduled::schedule_loops::GOOD_STAGES;

/// Steps of a product.
const STEPS: u32 = 2;
/// Bytes of a row of the widest swizzle.
const ROW_BYTES: u32 = 128;

/// Splits products along their depth.
///
/// # Errors
/// None; the type is that of all passes.
pub fn split_depth(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    if func.attrs.num_ctas.is_some_and(|blocks| blocks > 1) {
        return Ok(func);
    }
    while let Some(product) = Product::find(&func) {
        func = translate_func(&func, func.attrs.clone(), &mut Split(Rc::new(product)))?;
    }
    Ok(func)
}

/// A product that is split.
struct Product {
    id: OpId,
    acc: Value,
    /// The loads and the conversions of its operands, in order.
    operands: Vec<OpId>,
    /// The ops before it that join the tokens of those loads, in order.
    joins: Vec<OpId>,
    /// The halves of their tiles.
    parts: TileParts,
}

impl Product {
    /// The first product of a function that is to be split.
    fn find(func: &Func<TileAa>) -> Option<Self> {
        let body = &func.body;
        let loops = body.walk().into_iter().filter_map(|id| match &body.op(id).kind {
            TileAaOp::Scf(ScfOp::For { body: inner, .. }) => body.only_block(*inner),
            _ => None,
        });
        let mut products = loops.flat_map(|block| body.block(block).ops.iter().map(move |&id| (block, id)));
        products.find_map(|(block, id)| Self::of(func, block, id))
    }

    fn of(func: &Func<TileAa>, block: Block, id: OpId) -> Option<Self> {
        let body = &func.body;
        let TileAaOp::TileAa(
            dot @ TileAaDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                route: None,
                ..
            },
        ) = &body.op(id).kind
        else {
            return None;
        };
        let machine = Machine::of(func.attrs.target);
        let element = body.ty(*a).element().and_then(ElementType::scalar)?;
        let has_instruction =
            matrix_type(element, *signedness_a).is_some_and(|ty| machine.rates.wgmma.of(ty) > 0);
        let has_rows = body.ty(*acc).shape()?.first().is_some_and(|&rows| rows >= ROWS);
        if !has_instruction || !has_rows || adds_with_few_bits(body, dot) {
            return None;
        }
        let mut axes = body.value_table();
        let (mut operands, mut bytes) = (Vec::new(), 0);
        for (operand, depth) in [(*a, 1), (*b, 0)] {
            let (load, conversion) = loaded(body, block, operand)?;
            let ty = body.ty(operand);
            let &[rows, columns] = ty.shape()? else {
                return None;
            };
            let half = if depth == 0 { rows } else { columns } / STEPS;
            let row = half * ty.element()?.stored_bytes();
            if row == 0 || !row.is_multiple_of(ROW_BYTES) {
                return None;
            }
            let tile = body.op(load).result(0);
            bytes += bytes_of(body.ty(tile))?;
            axes.set(tile, depth);
            axes.set(operand, depth);
            operands.extend([load].into_iter().chain(conversion));
        }
        let joins = joins(body, block, id, &operands)?;
        let room = machine.multiprocessor.shared_of(1).0;
        let parts = TileParts::of(body, axes, STEPS);
        let is_divided = |&id: &OpId| match &body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Load { at, .. }) => {
                parts.divide(body, body.op(id).result(0), &at.steps)
            }
            _ => true,
        };
        let gains = u64::from(GOOD_STAGES) * bytes > room;
        (gains && operands.iter().all(is_divided)).then_some(Self {
            id,
            acc: *acc,
            operands,
            joins,
            parts,
        })
    }
}

/// The weak load of an operand in a block, and the op that converts it, if there is one. `None` if anything else uses them.
fn loaded(body: &Body<TileAa>, block: Block, operand: Value) -> Option<(OpId, Option<OpId>)> {
    let ops = &body.block(block).ops;
    let definition = |value: Value| {
        ops.iter()
            .copied()
            .find(|&id| body.op(id).results().any(|result| result == value))
    };
    let uses = |value: Value| {
        let operands = body.ops().flat_map(|(_, op)| op.kind.operand_list());
        operands.filter(|&operand| operand == value).count()
    };
    let found = definition(operand)?;
    let (load, conversion) = match &body.op(found).kind {
        TileAaOp::Arith(op) if is_of_one_tile(op) => (definition(*op.operand_list().first()?)?, Some(found)),
        _ => (found, None),
    };
    let TileAaOp::TileAa(TileAaDialect::Load {
        ordering,
        route: None,
        ..
    }) = &body.op(load).kind
    else {
        return None;
    };
    let is_alone = uses(operand) == 1 && uses(body.op(load).result(0)) == 1;
    (ordering.is_weak() && is_alone).then_some((load, conversion))
}

/// The ops of a block that join the tokens of these loads before the product, directly or not. `None` if anything else before it uses
/// the tokens.
fn joins(body: &Body<TileAa>, block: Block, product: OpId, loads: &[OpId]) -> Option<Vec<OpId>> {
    let tokens = |id: &OpId| body.op(*id).results().nth(1);
    let mut ordered: Vec<Value> = loads.iter().filter_map(tokens).collect();
    let mut joins = Vec::new();
    for &id in body.block(block).ops.iter().take_while(|id| **id != product) {
        let op = body.op(id);
        let uses = |op: &TileAaOp| op.operand_list().iter().any(|value| ordered.contains(value));
        let is_inside = |region| {
            body.walk_region(region)
                .iter()
                .any(|&inner| uses(&body.op(inner).kind))
        };
        match &op.kind {
            kind if !uses(kind) && !kind.region_list().into_iter().any(is_inside) => {}
            TileAaOp::TileAa(TileAaDialect::JoinMemTokens { .. }) => {
                ordered.push(op.result(0));
                joins.push(id);
            }
            _ => return None,
        }
    }
    Some(joins)
}

/// The bytes of a tile in shared memory.
fn bytes_of(ty: &TileAaType) -> Option<u64> {
    let elements: u64 = ty.shape()?.iter().map(|&extent| u64::from(extent)).product();
    Some(elements * u64::from(ty.element()?.stored_bytes()))
}

struct Split(Rc<Product>);

impl Translate<TileAa, TileAa> for Split {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.0.id == id {
            return self.steps(cx);
        }
        if self.0.operands.contains(&id) || self.0.joins.contains(&id) {
            return Ok(());
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

impl Split {
    /// The steps of the product, each with its operands.
    fn steps(&mut self, cx: &mut Cx<'_>) -> Translated {
        let product = Rc::clone(&self.0);
        let acc = cx.one(product.acc);
        let mut tokens: Vec<(Value, Vec<Value>)> = Vec::new();
        for part in 0..product.parts.count() {
            for &id in product.operands.iter().chain([&product.id]) {
                cx.set_origin(cx.old(id).origin);
                let begun = product.parts.begin(cx, id, Part::Number(part));
                cx.carry(id, &begun.kind, self)?;
                product.parts.end(cx, id, &begun, Part::Number(part));
                if let Some(token) = cx.old(id).results().nth(1) {
                    let new = cx.one(token);
                    match tokens.iter_mut().find(|(old, _)| *old == token) {
                        Some((_, all)) => all.push(new),
                        None => tokens.push((token, vec![new])),
                    }
                }
            }
            let sum = cx.one(cx.old(product.id).result(0));
            cx.bind(product.acc, [sum]);
        }
        cx.bind(product.acc, [acc]);
        let is_used = |token: &Value| {
            let mut ops = cx.from.ops();
            ops.any(|(_, op)| op.kind.operand_list().contains(token))
        };
        tokens.retain(|(old, _)| is_used(old));
        for (old, tokens) in tokens {
            let ty = cx.from.ty(old).clone();
            let both = cx.value(TileAaDialect::JoinMemTokens { tokens }, ty);
            cx.bind(old, [both]);
        }
        for &id in &product.joins {
            cx.set_origin(cx.old(id).origin);
            cx.carry(id, &cx.old(id).kind, self)?;
        }
        Ok(())
    }
}
