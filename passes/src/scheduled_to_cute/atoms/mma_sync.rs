//! `mma_sync`: one instruction for each fragment of the accumulator and each step along K.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::cute_nvgpu::MmaSync;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::tileas::atoms::MmaSyncAtom;
use tilewright_layouts::distributed::MmaOperand;
use tilewright_layouts::{Dim, LinearLayout};

use super::super::emit::{Cx, at, bug, gathered, unsupported};
use super::super::function::LowerFragments;
use super::product::{Place, Product, Registers, place};
use super::{LowerAtom, Site};

impl LowerAtom for MmaSyncAtom {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, .. }: &Site<'_>,
        _: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        Some(multiply(cx, id, &Product::of(op)?, *self))
    }
}

/// The registers of a tile for an instruction's fragment, by the position of the fragment.
struct Fragments {
    tile: Registers,
    /// The row and the column of each of the fragment's registers in lane 0.
    inside: Vec<[u32; 2]>,
}

impl Fragments {
    fn of(
        tile: &LinearLayout,
        atom: MmaSyncAtom,
        operand: MmaOperand,
        origin: Origin,
    ) -> Result<Self, Diagnostic<Origin>> {
        let fragment = atom.instruction.fragment(operand);
        let fragment = fragment.map_err(|error| bug(origin, format!("a fragment of a product: {error}")))?;
        let tile = Registers::of(tile);
        // A tile that is smaller than the fragment is repeated in it.
        let [rows, columns] = tile.extents;
        let inside = (0..fragment.in_size(Dim::Register)).map(|register| {
            let [_, row, column] = place(&fragment, &fragment.shape(), register);
            [row & (rows - 1), column & (columns - 1)]
        });
        Ok(Self {
            inside: inside.collect(),
            tile,
        })
    }

    /// The registers of the fragment that begins at this place.
    fn at(&self, [batch, row, column]: Place) -> Option<Vec<u32>> {
        let inside = self.inside.iter();
        self.tile.all(inside.map(|[r, c]| [batch, row + r, column + c]))
    }
}

/// Lowers a product to instructions of a warp.
fn multiply(cx: &mut Cx<'_>, id: OpId, product: &Product, atom: MmaSyncAtom) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let [a, b, acc] = product.layouts(cx)?;
    let shape = atom.instruction.shape();
    let [of_a, of_b, accumulator] = product.scalars(cx)?;
    let Some(mma) = MmaSync::new([shape.m, shape.n, shape.k], [of_a, of_b], accumulator) else {
        let message = format!(
            "a product of `{of_a}` by `{of_b}` into `{accumulator}` by {} is not supported yet",
            atom.instruction
        );
        return Err(unsupported(origin, message));
    };
    let mma = mma.with_signedness(product.signedness);
    let left = Fragments::of(a, atom, MmaOperand::A, origin)?;
    let right = Fragments::of(b, atom, MmaOperand::B, origin)?;
    let sums = Fragments::of(acc, atom, MmaOperand::Accumulator, origin)?;
    let [_, depth] = left.tile.extents;
    let mut origins: Vec<Place> = sums.tile.first.keys().copied().collect();
    origins.retain(|[_, row, column]| row.is_multiple_of(shape.m) && column.is_multiple_of(shape.n));
    origins.sort_unstable();
    let missing = || bug(origin, "a product whose fragments are not in its tiles");
    let [a_value, b_value, acc_value] = product.operands.map(|operand| cx.one(operand));
    let [_, _, count] = mma.elements();
    let ty = DesugaredType::Fragment(count, accumulator.into());
    let mut registers = Vec::with_capacity(origins.len());
    let mut products = Vec::with_capacity(origins.len());
    for &origin in &origins {
        let own = sums.at(origin).ok_or_else(missing)?;
        products.push(at(cx).rearrange(acc_value, own.clone()));
        registers.push(own);
    }
    // All fragments of the accumulator for a step along K before the next step: neighbours do not wait for each
    // other, and the operands of a step are needed together.
    for k in (0..depth).step_by(shape.k as usize) {
        for (&[batch, row, column], c) in origins.iter().zip(&mut products) {
            let mut emit = at(cx);
            let a = emit.rearrange(a_value, left.at([batch, row, k]).ok_or_else(missing)?);
            let b = emit.rearrange(b_value, right.at([batch, k, column]).ok_or_else(missing)?);
            *c = emit.0.value(
                FragmentOp::Mma {
                    a,
                    b,
                    c: *c,
                    atom: mma,
                },
                ty.clone(),
            );
        }
    }
    let mut done: FxHashMap<u32, (Value, u32)> = FxHashMap::default();
    for (registers, product) in registers.into_iter().zip(products) {
        for (register, element) in registers.into_iter().zip(0..) {
            done.entry(register).or_insert((product, element));
        }
    }
    // Replicated registers have the same values.
    let all = sums.tile.all(sums.tile.places.iter().copied());
    let value = all
        .and_then(|all| {
            all.iter()
                .map(|register| done.get(register).copied())
                .collect::<Option<Vec<_>>>()
        })
        .and_then(|places| gathered(cx, &places))
        .ok_or_else(missing)?;
    cx.bind(result, [value]);
    Ok(())
}
