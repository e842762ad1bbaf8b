//! Splits matrix products along K into steps whose operands are read from shared memory. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where an operand of a synchronous product (`mma_sync`, `fma`) that had to be
//! converted between threads stays in a buffer, and the product reads it slice by slice:
//!
//! ```text
//! %b = tileas.alloc {align = 128} : buffer<128x64xf16, shared, #swizzled>
//! tileas.copy %tile, to %b {atom = st<128b>}
//! %s0 = tileas.subview %b {offsets = [0, 0]} : buffer<128x16xf16, shared, #swizzled, at = [0, 0]>
//! %a0 = tileas.copy %s0 {atom = ldmatrix<x4>} : tile<128x16xf16, #fragment>
//! %r0 = tileas.dot %a0, %b0, %acc {atom = mma_sync<m16n8k16, b16>}
//! ```
//!
//! so that a thread holds one or two slices of the operands, not all of them. The buffer is where the conversion was:
//! after the load in a loop, or before the loop for an operand that stays the same. Slices are as deep along K as the
//! instruction, those of `fma` as registers allow. With `double_buffered`, the slices of a step are read before the
//! product of the step before it, so that their latency is hidden. An operand that is in the right threads already is
//! sliced in registers.
//!
//! The layout of the buffer, with its swizzle, and the atoms of the copies are those with the fewest cycles of shared
//! memory (`memory.rs`): `ldmatrix`, transposing where the operand is contiguous along the other axis, or vectors.
//!
//! Unchanged: operands whose elements do not fill bytes, and operands for which shared memory does not suffice
//! (`budget.rs`). [`lower_conversions`](mod@super::lower_conversions) converts those as a whole.

mod budget;
mod memory;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::element::ElementType;
use tilewright_irs::tileas::atoms::{Completion, CopyAtom, ProductAtom};
use tilewright_irs::tileas::{Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, slice_layout};
use tilewright_layouts::{Dim, LayoutError};

use budget::Budget;
use memory::OperandMemory;

/// Alignment of buffers, in bytes: a row of all banks.
const ALIGN: u32 = 128;
/// Registers of a thread for the operands of one step of an `fma` product.
const FMA_REGISTERS: u32 = 32;
/// The most elements along K of one step of an `fma` product: a vector of 16 bytes.
const FMA_DEPTH: u32 = 4;

/// Splits products whose operands come through shared memory.
///
/// # Errors
/// A layout exceeds a limit of the layouts (E0408), with the origin of the op.
pub fn slice_products(
    func: &Func<TileAs>,
    double_buffered: bool,
) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let mut operands = find_operands(&func.body).map_err(|problem| vec![problem])?;
    let limit = u64::from(func.attrs.target.static_shared_bytes());
    Budget::of(&func.body, limit).restrict(&mut operands);
    let mut pass = Slice {
        operands,
        buffers: func.body.value_table(),
        double_buffered,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

/// An operand that is kept in a buffer: the result of a conversion between threads.
#[derive(Clone)]
struct Operand {
    memory: OperandMemory,
    /// Whether the tile has uses other than products.
    used_whole: bool,
}

/// A product that is split along K.
struct Product<'a> {
    operands: [Value; 2],
    acc: Value,
    atom: &'a ProductAtom,
    /// K, and that of a step.
    depth: u32,
    step: u32,
}

impl<'a> Product<'a> {
    /// The product of an op, if its atom is synchronous.
    fn of(body: &Body<TileAs>, op: &'a TileAsOp) -> Option<Self> {
        let TileAsOp::TileAs(TileAsDialect::Dot { a, b, acc, atom, .. }) = op else {
            return None;
        };
        if atom.completion() == Completion::Asynchronous {
            return None;
        }
        let [of_a, of_b] = [*a, *b].map(|operand| body.ty(operand).layout());
        let (of_a, of_b) = (of_a?, of_b?);
        let depth = *of_a.shape().last()?;
        let step = match atom {
            ProductAtom::MmaSync(atom) => atom.instruction.shape().k,
            ProductAtom::Fma(_) => {
                let held = of_a.in_size(Dim::Register) + of_b.in_size(Dim::Register);
                let each = (held / depth).max(1);
                (FMA_REGISTERS / each).clamp(1, FMA_DEPTH)
            }
            ProductAtom::Wgmma(_) | ProductAtom::Tcgen05(_) => return None,
        };
        let step = (1 << step.max(1).ilog2()).min(depth);
        let (operands, acc) = ([*a, *b], *acc);
        Some(Self {
            operands,
            acc,
            atom,
            depth,
            step,
        })
    }

    /// The extents of a slice of the left (0) or right (1) operand of these extents.
    fn extents(&self, operand: usize, shape: &[u32]) -> Vec<u32> {
        let mut extents = shape.to_vec();
        if let Some(slot) = extents.get_mut(depth_axis(operand, shape.len())) {
            *slot = self.step;
        }
        extents
    }
}

/// The axis of the left (0) or right (1) operand that is K.
fn depth_axis(operand: usize, rank: usize) -> usize {
    rank - if operand == 0 { 1 } else { 2 }
}

fn wrong(origin: Origin, error: &LayoutError) -> Diagnostic<Origin> {
    let message = format!("no layout for a slice of a product's operand: {error}");
    Diagnostic::error(Code::BadLayout, message).at(origin, "")
}

/// The operands that are converted between threads, by the results of the conversions.
type Operands = FxHashMap<Value, Operand>;

fn find_operands(body: &Body<TileAs>) -> Result<Operands, Diagnostic<Origin>> {
    let definitions = body.definitions();
    let mut operands = Operands::default();
    for id in body.walk() {
        let op = body.op(id);
        let Some(product) = Product::of(body, &op.kind) else {
            continue;
        };
        for (n, value) in product.operands.into_iter().enumerate() {
            if operands.contains_key(&value) {
                continue;
            }
            let definition = definitions.get(value).map(|&id| &body.op(id).kind);
            let (
                Some(TileAsOp::TileAs(TileAsDialect::ConvertLayout { source })),
                Some(ElementType::Scalar(scalar)),
            ) = (definition, body.ty(value).element())
            else {
                continue;
            };
            let (Some(from), Some(to)) = (body.ty(*source).layout(), body.ty(value).layout()) else {
                continue;
            };
            if to.registers_from(from).is_some() {
                continue;
            }
            let extents = product.extents(n, &to.shape());
            let slice = slice_layout(to, &extents).map_err(|error| wrong(op.origin, &error))?;
            let memory =
                OperandMemory::plan(from, &slice, scalar).map_err(|error| wrong(op.origin, &error))?;
            if let Some(memory) = memory {
                let used_whole = false;
                operands.insert(value, Operand { memory, used_whole });
            }
        }
    }
    for id in body.walk() {
        let op = &body.op(id).kind;
        let is_product = Product::of(body, op).is_some();
        op.operands(&mut |value| {
            if let Some(operand) = operands.get_mut(&value).filter(|_| !is_product) {
                operand.used_whole = true;
            }
        });
        if let Some(product) = Product::of(body, op)
            && let Some(operand) = operands.get_mut(&product.acc)
        {
            operand.used_whole = true;
        }
    }
    Ok(operands)
}

struct Slice {
    operands: Operands,
    /// The buffer of each operand, in the new body.
    buffers: SideTable<Value, Value>,
    double_buffered: bool,
}

impl Translate<TileAs, TileAs> for Slice {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind
            && let Some(operand) = self.operands.get(&op.result(0)).cloned()
        {
            let tile = cx.one(*source);
            let buffer = cx.value(
                TileAsDialect::Alloc {
                    align: ALIGN,
                    offset: None,
                },
                TileAsType::Buffer(operand.memory.buffer.clone()),
            );
            cx.build().effect(TileAsDialect::Copy {
                source: tile,
                to: Some(buffer),
                atom: operand.memory.store.into(),
            });
            self.buffers.set(op.result(0), buffer);
            if !operand.used_whole {
                return Ok(());
            }
        }
        if let Some(product) = Product::of(cx.from, &op.kind)
            && product
                .operands
                .iter()
                .any(|&operand| self.buffers.get(operand).is_some())
        {
            return self.product(cx, id, &product);
        }
        cx.carry(id, &op.kind, self)
    }
}

impl Slice {
    /// Emits a product step by step.
    fn product(&self, cx: &mut Cx<'_>, id: OpId, product: &Product<'_>) -> Translated {
        let op = cx.old(id);
        let TileAsOp::TileAs(TileAsDialect::Dot {
            signedness_a,
            signedness_b,
            ..
        }) = &op.kind
        else {
            return Ok(());
        };
        let ty = cx.from.ty(op.result(0)).clone();
        let mut acc = cx.one(product.acc);
        let mut next = None;
        for begin in (0..product.depth).step_by(product.step as usize) {
            let [a, b] = match next.take() {
                Some(slices) => slices,
                None => self.slices(cx, product, begin)?,
            };
            let after = begin + product.step;
            if self.double_buffered && after < product.depth {
                next = Some(self.slices(cx, product, after)?);
            }
            let dot = TileAsDialect::Dot {
                a,
                b,
                acc,
                signedness_a: *signedness_a,
                signedness_b: *signedness_b,
                atom: product.atom.clone(),
            };
            acc = cx.value(dot, ty.clone());
        }
        cx.bind(op.result(0), [acc]);
        Ok(())
    }

    /// The operands of the step that begins here along K.
    fn slices(
        &self,
        cx: &mut Cx<'_>,
        product: &Product<'_>,
        begin: u32,
    ) -> Result<[Value; 2], Diagnostic<Origin>> {
        let [a, b] = product.operands;
        Ok([
            self.slice(cx, product, 0, a, begin)?,
            self.slice(cx, product, 1, b, begin)?,
        ])
    }

    fn slice(
        &self,
        cx: &mut Cx<'_>,
        product: &Product<'_>,
        operand: usize,
        old: Value,
        begin: u32,
    ) -> Result<Value, Diagnostic<Origin>> {
        let origin = cx.origin();
        let TileAsType::Tile {
            element,
            layout,
            shape,
        } = cx.from.ty(old)
        else {
            return Ok(cx.one(old));
        };
        let extents = product.extents(operand, shape);
        let layout = slice_layout(layout, &extents).map_err(|error| wrong(origin, &error))?;
        let mut offsets = vec![0; shape.len()];
        if let Some(slot) = offsets.get_mut(depth_axis(operand, shape.len())) {
            *slot = begin;
        }
        let ty = TileAsType::tile(*element, layout);
        let (Some(&buffer), Some(kept)) = (self.buffers.get(old), self.operands.get(&old)) else {
            let source = cx.one(old);
            if extents == *shape {
                return Ok(source);
            }
            return Ok(cx.value(TileAsDialect::ExtractSlice { source, offsets }, ty));
        };
        let slice = slice_of(&kept.memory.buffer, &offsets, &extents);
        let slice = slice.map_err(|message| Diagnostic::error(Code::BadLayout, message).at(origin, ""))?;
        let stage = None;
        let source = match extents == *shape {
            true => buffer,
            false => cx.value(
                TileAsDialect::Subview {
                    buffer,
                    stage,
                    offsets,
                },
                slice,
            ),
        };
        let atom: CopyAtom = kept.memory.load.clone();
        Ok(cx.value(
            TileAsDialect::Copy {
                source,
                to: None,
                atom,
            },
            ty,
        ))
    }
}

fn slice_of(buffer: &Buffer, offsets: &[u32], extents: &[u32]) -> Result<TileAsType, String> {
    buffer.slice(offsets, extents).map(TileAsType::Buffer)
}
