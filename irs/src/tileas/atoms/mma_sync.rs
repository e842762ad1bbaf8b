//! `mma_sync`: warp-wide products of fragments in registers.

use tilewright_layouts::distributed::{Encoding, MmaOperand, MmaSync, MmaTile};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use super::product::{WarpGrid, along, check_held, is_along_one_axis_each, same, unlike};
use super::{Allowed, OperandLayouts, ProductUse, Refusal, needs};
use crate::core::{Args, Term, TermCodec, TermError, TermKind};
use crate::dialects::product_rules::Extents;
use crate::element::ScalarType;
use crate::ptx::Target;

/// Throughput of a multiprocessor's tensor cores per cycle, M times N times K times the width in bits: 512 products
/// of 16 bits per cycle and warp on sm_80. (CUDA C++ Programming Guide and the A100 white paper.)
const BITS_PER_CYCLE: u64 = 1024 * 16;

/// `mma.sync` on fragments of this shape: `mma_sync<m16n8k16, b16>`. (PTX ISA, `mma`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaSyncAtom {
    /// Shape of the fragments and width of the elements of A and B.
    pub instruction: MmaSync,
}

impl TermCodec for MmaSyncAtom {
    fn write(&self) -> Term {
        let shape = Term::word(&self.instruction.shape().to_string());
        let width = Term::word(&self.instruction.width().to_string());
        Term::call("mma_sync", vec![shape.into(), width.into()])
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("mma_sync", args)) = term.as_call() else {
            return Err(term.wrong("`mma_sync<shape, width>`"));
        };
        let mut args = Args::new(term, args);
        let (shape, width) = (
            args.next("a shape such as `m16n8k16`")?,
            args.next("a width such as `b16`")?,
        );
        args.finish()?;
        let word = |term: &Term| match &term.kind {
            TermKind::Word(word) => word.clone(),
            _ => String::new(),
        };
        let (shape_word, width_word) = (word(shape), word(width));
        let found = MmaSync::ALL.into_iter().find(|instruction| {
            instruction.shape().to_string() == shape_word && instruction.width().to_string() == width_word
        });
        match found {
            Some(instruction) => Ok(Self { instruction }),
            None => {
                let all: Vec<String> = MmaSync::ALL
                    .iter()
                    .map(|i| format!("`{}, {}`", i.shape(), i.width()))
                    .collect();
                Err(shape.wrong(format!("one of {}", all.join(", "))))
            }
        }
    }
}

impl MmaSyncAtom {
    pub(super) fn check(self, product: &ProductUse<'_>) -> Allowed {
        let layouts = product.all_in_registers("mma_sync")?;
        if let Some(elements) = product.elements() {
            self.check_elements(elements, product)?;
        }
        for (layout, operand) in layouts.into_iter().zip(MmaOperand::ALL) {
            self.check_fragment(layout, operand)?;
        }
        let [a, b, acc] = layouts;
        for (name, layout, own, all) in [("A", a, 0, 1), ("B", b, 1, 0)] {
            let warps = along(layout, Dim::Warp, own);
            if !same(&warps, &along(acc, Dim::Warp, own))
                || along(layout, Dim::Warp, all).iter().any(|&n| n != 0)
            {
                let message = format!(
                    "`mma_sync` needs {name} in the warps of the accumulator, each with all of K: `{layout}` and \
                     `{acc}`"
                );
                return Err(Refusal::layout(message));
            }
            let shape = self.instruction.shape();
            let unit = if own == 0 { shape.m } else { shape.n };
            check_held("mma_sync", own, layout, acc, unit)?;
        }
        Ok(())
    }

    /// Checks that the registers consist of whole fragments of the instruction, in any order. Along an axis that is
    /// shorter than the fragment, the threads beyond it hold copies.
    fn check_fragment(self, layout: &LinearLayout, operand: MmaOperand) -> Allowed {
        let refuse = |why: &str| {
            let message = format!(
                "`mma_sync` of {} takes no {operand:?} with {why}: `{layout}`",
                self.instruction
            );
            Err(Refusal::layout(message))
        };
        let Ok(fragment) = self.instruction.fragment(operand) else {
            return refuse("such elements");
        };
        if !is_along_one_axis_each(layout) {
            return refuse("steps along several axes at once");
        }
        let shape = layout.shape();
        let first = shape.len().saturating_sub(2);
        let mut lanes = layout.bases(Dim::Lane);
        if lanes.any(|basis| basis.iter().take(first).any(|&step| step != 0)) {
            return refuse("batches spread over lanes");
        }
        for (axis, &extent) in fragment.shape().iter().enumerate() {
            let have = shape.get(first + axis).copied().unwrap_or(1);
            if have < extent && is_depth(operand, axis) {
                return refuse("less than the instruction's K");
            }
            let cut = |dim| -> Vec<u32> {
                let bases = along(&fragment, dim, axis).into_iter();
                bases.map(|step| if step < have { step } else { 0 }).collect()
            };
            if !same(&along(layout, Dim::Lane, axis), &cut(Dim::Lane)) {
                return refuse("these lanes");
            }
            let registers = along(layout, Dim::Register, axis);
            let inside: Vec<u32> = cut(Dim::Register).into_iter().filter(|&n| n != 0).collect();
            if inside.iter().any(|step| !registers.contains(step)) {
                return refuse("these registers");
            }
            let outer = registers.iter().filter(|step| !inside.contains(step));
            let mut outer = outer
                .chain(along(layout, Dim::Warp, axis).iter())
                .copied()
                .collect::<Vec<_>>()
                .into_iter();
            if outer.any(|step| !step.is_multiple_of(extent)) {
                return refuse("parts of fragments");
            }
        }
        Ok(())
    }

    fn check_elements(self, elements: [ScalarType; 3], product: &ProductUse<'_>) -> Allowed {
        use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I4, I8, I32, TF32};
        let least = match elements {
            [F16, F16, F16 | F32] | [BF16, BF16, F32] | [TF32, TF32, F32] => 80,
            [F64, F64, F64] if self.instruction == MmaSync::M8N8K4B64 => 80,
            [F64, F64, F64] => 90,
            [I8, I8, I32] | [I4, I4, I32] => 80,
            [F8E4M3FN | F8E5M2, F8E4M3FN | F8E5M2, F32 | F16] => 89,
            _ => return Err(unlike("mma_sync", elements)),
        };
        let [a, ..] = elements;
        let bits = if a == TF32 { 32 } else { a.bits() };
        if ElementWidth::of_bits(bits) != Some(self.instruction.width()) {
            let message = format!(
                "`mma_sync` of {} multiplies elements of {} bits, not `{a}`",
                self.instruction.shape(),
                self.instruction.width().bits()
            );
            return Err(Refusal::new(
                tilewright_diagnostics::Code::BadElementType,
                message,
            ));
        }
        let wanted = match least {
            90 => "sm_90 or later",
            89 => "sm_89 or later",
            _ => "sm_80 or later",
        };
        needs("mma_sync", product.target, product.target.sm >= least, wanted)
    }

    /// The longest instruction along K for a product of these types and extents, at most as long as the product. Of
    /// `f64` it has 16 rows from sm_90 on, if the product has.
    pub fn of(elements: [ScalarType; 3], [m, _, k]: [u32; 3], target: Target) -> Option<Self> {
        use MmaSync as I;
        use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I32, TF32};
        let (least, instructions): (u16, &[MmaSync]) = match elements {
            [F16, F16, F16 | F32] | [BF16, BF16, F32] => (80, &[I::M16N8K16B16, I::M16N8K8B16]),
            [TF32, TF32, F32] => (80, &[I::M16N8K8B32, I::M16N8K4B32]),
            [F64, F64, F64] if target.sm >= 90 && m >= 16 => {
                (90, &[I::M16N8K16B64, I::M16N8K8B64, I::M16N8K4B64])
            }
            [F64, F64, F64] => (80, &[I::M8N8K4B64]),
            [I8, I8, I32] => (80, &[I::M16N8K32B8, I::M16N8K16B8]),
            [F8E4M3FN, F8E4M3FN, F32] | [F8E5M2, F8E5M2, F32] => (89, &[I::M16N8K32B8]),
            _ => return None,
        };
        let fits = |instruction: &&MmaSync| instruction.shape().k <= k && target.sm >= least;
        let instruction = *instructions.iter().find(fits)?;
        Some(Self { instruction })
    }

    pub(super) fn layouts(
        self,
        warp_grid: WarpGrid,
        extents: &Extents,
        warps: u32,
    ) -> Result<OperandLayouts, Refusal> {
        let shape = self.instruction.shape();
        let [m, n, k] = extents.matrix;
        // Distributes warps over the batches, which share no operand; then along the rows, or the longer axis of a
        // warp's part of the accumulator, as long as each has a fragment.
        let mut grid: Vec<u32> = Vec::new();
        let mut left = warps;
        for &batch in &extents.batch {
            let along_batch = batch.min(left);
            left /= along_batch;
            grid.push(along_batch);
        }
        let (mut along_m, mut along_n) = (1, 1);
        while along_m * along_n < left {
            let (rows, columns) = (m / along_m, n / along_n);
            let (split_m, split_n) = (rows > shape.m, columns > shape.n);
            let by_rows = match warp_grid {
                WarpGrid::Square => rows >= columns,
                WarpGrid::Rows => true,
            };
            if (split_m && by_rows) || !split_n {
                along_m *= 2;
            } else {
                along_n *= 2;
            }
        }
        grid.extend([along_m, along_n]);
        let tile = MmaTile {
            instruction: self.instruction,
            operand: MmaOperand::Accumulator,
            order: (0..grid.len()).rev().collect(),
            warps_per_cta: grid,
        };
        let layout = |operand, matrix: [u32; 2]| {
            let shape: Vec<u32> = extents.batch.iter().copied().chain(matrix).collect();
            let layout = tile.with_operand(operand).to_linear(&shape);
            layout
                .map(Some)
                .map_err(|error| Refusal::layout(format!("`mma_sync`: {error}")))
        };
        Ok(OperandLayouts {
            a: layout(MmaOperand::A, [m, k])?,
            b: layout(MmaOperand::B, [k, n])?,
            acc: layout(MmaOperand::Accumulator, [m, n])?,
        })
    }

    pub(super) fn cost(self, extents: [u32; 3]) -> u64 {
        let products: u64 = extents.into_iter().map(u64::from).product();
        (products * u64::from(self.instruction.width().bits()) / BITS_PER_CYCLE).max(1)
    }
}

/// Whether an axis of an operand is K.
fn is_depth(operand: MmaOperand, axis: usize) -> bool {
    match operand {
        MmaOperand::A => axis == 1,
        MmaOperand::B => axis == 0,
        MmaOperand::Accumulator => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f64_has_sixteen_rows_from_sm_90_on() {
        let of = |extents, sm| {
            let atom = MmaSyncAtom::of([ScalarType::F64; 3], extents, Target::sm(sm));
            atom.map(|atom| atom.instruction)
        };
        assert_eq!(of([64, 64, 16], 80), Some(MmaSync::M8N8K4B64));
        assert_eq!(of([64, 64, 16], 90), Some(MmaSync::M16N8K16B64));
        assert_eq!(of([16, 8, 8], 90), Some(MmaSync::M16N8K8B64));
        assert_eq!(of([16, 8, 4], 120), Some(MmaSync::M16N8K4B64));
        assert_eq!(of([8, 64, 64], 90), Some(MmaSync::M8N8K4B64));
        assert_eq!(of([16, 8, 2], 90), None);
    }
}
