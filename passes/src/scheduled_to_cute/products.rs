//! Lowers matrix products to `mma.sync`, one instruction for each fragment of the accumulator and each step along K;
//! or to multiply-adds of each thread's elements.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Signedness};
use tilewright_irs::dialects::cute_nvgpu::MmaSync;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileas::atoms::MmaSyncAtom;
use tilewright_layouts::distributed::MmaOperand;
use tilewright_layouts::{Dim, LinearLayout};

use super::emit::{Cx, at, bug, gathered, unsupported};

/// The place of an element in a tile: its number among the batches, its row and its column.
type Place = [u32; 3];

/// The place of a register's element, in lane 0 of the first warp.
fn place(layout: &LinearLayout, shape: &[u32], register: u32) -> Place {
    let at = layout.at(register, 0, 0, 0);
    let batches = shape.len().saturating_sub(2);
    let batch = at.iter().zip(shape).take(batches);
    let batch = batch.fold(0, |number, (at, extent)| number * extent + at);
    let [row, column] = [0, 1].map(|axis| at.get(batches + axis).copied().unwrap_or(0));
    [batch, row, column]
}

/// The registers of a tile by the places of their elements. Of several with the same element, the first.
struct Registers {
    /// Rows and columns.
    extents: [u32; 2],
    /// The place of each register.
    places: Vec<Place>,
    first: FxHashMap<Place, u32>,
}

impl Registers {
    fn of(layout: &LinearLayout) -> Self {
        let shape = layout.shape();
        let registers = 0..layout.in_size(Dim::Register);
        let places: Vec<Place> = registers
            .map(|register| place(layout, &shape, register))
            .collect();
        let mut first = FxHashMap::default();
        for (&place, register) in places.iter().zip(0..) {
            first.entry(place).or_insert(register);
        }
        let extents = match shape.as_slice() {
            [.., rows, columns] => [*rows, *columns],
            _ => [1, 1],
        };
        Self {
            extents,
            places,
            first,
        }
    }

    /// The registers with the elements at these places.
    fn all(&self, places: impl Iterator<Item = Place>) -> Option<Vec<u32>> {
        places.map(|place| self.first.get(&place).copied()).collect()
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

/// A product to be lowered.
pub(super) struct Product {
    /// The left multiplicand, the right one and the accumulator.
    pub(super) operands: [Value; 3],
    /// Signedness of the integers of the left and the right multiplicand.
    pub(super) signedness: [Signedness; 2],
}

impl Product {
    fn layouts<'a>(&self, cx: &Cx<'a>) -> Result<[&'a LinearLayout; 3], Diagnostic<Origin>> {
        let tiles = self.operands.map(|operand| cx.from.ty(operand).layout());
        match tiles {
            [Some(a), Some(b), Some(acc)] => Ok([a, b, acc]),
            _ => Err(bug(cx.origin(), "a product of something that is no tile")),
        }
    }

    fn scalars(&self, cx: &Cx<'_>) -> Result<[ScalarType; 3], Diagnostic<Origin>> {
        let scalars = self
            .operands
            .map(|operand| cx.from.ty(operand).element().and_then(ElementType::scalar));
        match scalars {
            [Some(a), Some(b), Some(acc)] => Ok([a, b, acc]),
            _ => Err(bug(cx.origin(), "a product of pointers")),
        }
    }

    /// Lowers the product to instructions of a warp.
    pub(super) fn by_warps(&self, cx: &mut Cx<'_>, id: OpId, atom: MmaSyncAtom) -> Translated {
        let (origin, result) = (cx.origin(), cx.old(id).result(0));
        let [a, b, acc] = self.layouts(cx)?;
        let shape = atom.instruction.shape();
        let [of_a, of_b, accumulator] = self.scalars(cx)?;
        let Some(mma) = MmaSync::new([shape.m, shape.n, shape.k], [of_a, of_b], accumulator) else {
            let message = format!(
                "a product of `{of_a}` by `{of_b}` into `{accumulator}` by {} is not supported yet",
                atom.instruction
            );
            return Err(unsupported(origin, message));
        };
        let mma = mma.with_signedness(self.signedness);
        let left = Fragments::of(a, atom, MmaOperand::A, origin)?;
        let right = Fragments::of(b, atom, MmaOperand::B, origin)?;
        let sums = Fragments::of(acc, atom, MmaOperand::Accumulator, origin)?;
        let [_, depth] = left.tile.extents;
        let mut origins: Vec<Place> = sums.tile.first.keys().copied().collect();
        origins.retain(|[_, row, column]| row.is_multiple_of(shape.m) && column.is_multiple_of(shape.n));
        origins.sort_unstable();
        let missing = || bug(origin, "a product whose fragments are not in its tiles");
        let [a_value, b_value, acc_value] = self.operands.map(|operand| cx.one(operand));
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

    /// Lowers the product to multiply-adds of whole fragments, one for each element along K.
    pub(super) fn by_threads(&self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let (origin, result) = (cx.origin(), cx.old(id).result(0));
        let layouts = self.layouts(cx)?;
        let [left, right, sums] = layouts.map(Registers::of);
        let [_, _, accumulator] = self.scalars(cx)?;
        let missing = || bug(origin, "a product whose elements are not in its tiles");
        let [a, b, mut acc] = self.operands.map(|operand| cx.one(operand));
        let [_, depth] = left.extents;
        let ty = cx.ty(acc).clone();
        for k in 0..depth {
            let rows = sums.places.iter().map(|&[batch, row, _]| [batch, row, k]);
            let columns = sums.places.iter().map(|&[batch, _, column]| [batch, k, column]);
            let (rows, columns) = (left.all(rows), right.all(columns));
            let mut emit = at(cx);
            let lhs = emit.rearrange(a, rows.ok_or_else(missing)?);
            let rhs = emit.rearrange(b, columns.ok_or_else(missing)?);
            acc = if accumulator.is_int() {
                let overflow = Overflow::Wraps;
                let product = emit.0.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
                emit.add(acc, product)
            } else {
                let fma = ArithOp::Fma {
                    lhs,
                    rhs,
                    acc,
                    rounding: FloatRounding::NearestEven,
                    flush_to_zero: Flag(false),
                };
                emit.0.value(fma, ty.clone())
            };
        }
        cx.bind(result, [acc]);
        Ok(())
    }
}
