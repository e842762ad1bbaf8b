//! Lowers matrix products to `mma.sync`: one instruction for each fragment of the accumulator and each step along K.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::cute_nvgpu::MmaSync;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::tileas::atoms::MmaSyncAtom;
use tilewright_layouts::distributed::MmaOperand;
use tilewright_layouts::{Dim, LinearLayout};

use super::emit::{Cx, at, bug, gathered, unsupported};

/// The registers of a tile for an instruction's fragment, by the position of the fragment.
struct Fragments {
    /// The coordinates of each of the fragment's registers in lane 0.
    inside: Vec<[u32; 2]>,
    /// The register at these coordinates, in lane 0 of the first warp.
    registers: FxHashMap<[u32; 2], u32>,
}

fn coordinates(layout: &LinearLayout, register: u32) -> [u32; 2] {
    let at = layout.at(register, 0, 0, 0);
    [0, 1].map(|axis| at.get(axis).copied().unwrap_or(0))
}

impl Fragments {
    fn new(tile: &LinearLayout, fragment: &LinearLayout) -> Self {
        let all = 0..fragment.in_size(Dim::Register);
        let mut registers = FxHashMap::default();
        for register in 0..tile.in_size(Dim::Register) {
            registers.entry(coordinates(tile, register)).or_insert(register);
        }
        Self {
            inside: all.map(|register| coordinates(fragment, register)).collect(),
            registers,
        }
    }

    /// The registers of the fragment that begins at `[row, column]`.
    fn at(&self, [row, column]: [u32; 2]) -> Option<Vec<u32>> {
        let place = |[r, c]: &[u32; 2]| self.registers.get(&[row + r, column + c]).copied();
        self.inside.iter().map(place).collect()
    }
}

/// Lowers a product.
pub(super) fn dot(cx: &mut Cx<'_>, id: OpId, operands: [Value; 3], atom: MmaSyncAtom) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let tiles = operands.map(|operand| cx.from.ty(operand));
    let [Some(a), Some(b), Some(acc)] = tiles.map(|tile| tile.layout()) else {
        return Err(bug(origin, "a product of something that is no tile"));
    };
    let shape = atom.instruction.shape();
    let scalars = tiles.map(|tile| tile.element().and_then(ElementType::scalar));
    let [Some(operand), _, Some(accumulator)] = scalars else {
        return Err(bug(origin, "a product of pointers"));
    };
    let Some(mma) = MmaSync::new([shape.m, shape.n, shape.k], operand, accumulator) else {
        let message = format!(
            "a product of `{operand}` into `{accumulator}` by {} is not supported yet",
            atom.instruction
        );
        return Err(unsupported(origin, message));
    };
    if acc.shape().len() != 2 {
        return Err(unsupported(
            origin,
            "a product of several matrices is not supported yet",
        ));
    }
    let of = |tile: &LinearLayout, operand: MmaOperand| -> Result<Fragments, Diagnostic<Origin>> {
        let fragment = atom.instruction.fragment(operand);
        let fragment = fragment.map_err(|error| bug(origin, format!("a fragment of a product: {error}")))?;
        Ok(Fragments::new(tile, &fragment))
    };
    let (left, right) = (of(a, MmaOperand::A)?, of(b, MmaOperand::B)?);
    let sums = of(acc, MmaOperand::Accumulator)?;
    let depth = a.shape().get(1).copied().unwrap_or(0);
    let mut origins: Vec<[u32; 2]> = sums.registers.keys().copied().collect();
    origins.retain(|[row, column]| row.is_multiple_of(shape.m) && column.is_multiple_of(shape.n));
    origins.sort_unstable();
    let missing = || bug(origin, "a product whose fragments are not in its tiles");
    let [a_value, b_value, acc_value] = operands.map(|operand| cx.one(operand));
    let mut done: FxHashMap<u32, (Value, u32)> = FxHashMap::default();
    for [row, column] in origins {
        let registers = sums.at([row, column]).ok_or_else(missing)?;
        let mut emit = at(cx);
        let mut c = emit.rearrange(acc_value, registers.clone());
        for k in (0..depth).step_by(shape.k as usize) {
            let a = emit.rearrange(a_value, left.at([row, k]).ok_or_else(missing)?);
            let b = emit.rearrange(b_value, right.at([k, column]).ok_or_else(missing)?);
            let [_, _, count] = mma.elements();
            let ty = DesugaredType::Fragment(count, accumulator.into());
            c = emit.0.value(FragmentOp::Mma { a, b, c, atom: mma }, ty);
        }
        done.extend(
            registers
                .into_iter()
                .zip(0..)
                .map(|(register, element)| (register, (c, element))),
        );
    }
    // Replicated registers have the same values.
    let places: Option<Vec<(Value, u32)>> = (0..acc.in_size(Dim::Register))
        .map(|register| {
            let first = sums.registers.get(&coordinates(acc, register))?;
            done.get(first).copied()
        })
        .collect();
    let value = places
        .and_then(|places| gathered(cx, &places))
        .ok_or_else(missing)?;
    cx.bind(result, [value]);
    Ok(())
}
