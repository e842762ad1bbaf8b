//! `mma_sync`: warp-wide products of fragments in registers.

use tilewright_diagnostics::Code;
use tilewright_layouts::distributed::{Encoding, MmaOperand, MmaSync, MmaTile};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use super::product::{
    WarpGrid, along, check_held, cost_of, count_of, is_along_one_axis_each, operand_type, same, unlike,
};
use super::{Allowed, Multiplying, OperandLayouts, ProductUse, Refusal, needs};
use crate::core::{Args, Term, TermCodec, TermError, TermKind};
use crate::dialects::arith::Signedness;
use crate::dialects::product_rules::{Extents, mma_sync};
use crate::element::ScalarType;
use crate::isa::{Need, Target};
use crate::machine::{Cost, Cycles, Machine};

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
    /// Checks that registers consist of whole fragments of the instruction, in any order. Along an axis that is shorter
    /// than the fragment, the remaining threads hold replicas.
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

    /// The requirements of the instruction for elements of these types; `None` if it does not multiply them.
    fn need(self, elements: [ScalarType; 3], signedness: [Signedness; 2]) -> Option<Need> {
        let shape = self.instruction.shape();
        mma_sync([shape.m, shape.n, shape.k], elements, signedness).filter(|_| self.has_width(elements))
    }

    /// Whether elements of A are as wide as those of the instruction's fragments.
    fn has_width(self, [a, ..]: [ScalarType; 3]) -> bool {
        let bits = a.bytes().map_or(a.bits(), |bytes| 8 * bytes);
        ElementWidth::of_bits(bits) == Some(self.instruction.width())
    }

    fn check_elements(self, elements: [ScalarType; 3], product: &ProductUse<'_>) -> Allowed {
        if let Some(need) = self.need(elements, product.signedness) {
            return needs("mma_sync", product.target, Some(need));
        }
        let mut others = MmaSync::ALL.into_iter();
        if !others.any(|instruction| Self { instruction }.need(elements, product.signedness).is_some()) {
            return Err(unlike("mma_sync", elements));
        }
        let [a, ..] = elements;
        let (shape, width) = (self.instruction.shape(), self.instruction.width());
        let message = match self.has_width(elements) {
            true => format!("`mma_sync` of {shape} does not multiply `{a}`, other shapes do"),
            false => format!(
                "`mma_sync` of {shape} multiplies elements of {} bits, not `{a}`",
                width.bits()
            ),
        };
        Err(Refusal::new(Code::BadElementType, message))
    }

    /// The instruction with the largest K for a product of these types and extents, but not larger than the product's,
    /// whose elements are whole bytes. It has 16 rows; for `f64` only if the product has as many.
    pub fn of(elements: [ScalarType; 3], [m, _, k]: [u32; 3], target: Target) -> Option<Self> {
        let [a, b, _] = elements;
        if [a, b].iter().any(|element| element.bytes().is_none()) {
            return None;
        }
        let atoms = MmaSync::ALL.into_iter().map(|instruction| Self { instruction });
        let fitting = atoms.filter(|atom| {
            let need = atom.need(elements, [Signedness::Signed; 2]);
            atom.instruction.shape().k <= k && need.is_some_and(|need| target.provides(need))
        });
        let is_short = a == ScalarType::F64 && m < 16;
        fitting.max_by_key(|atom| {
            let shape = atom.instruction.shape();
            ((shape.m < 16) == is_short, shape.k)
        })
    }
}

impl Multiplying for MmaSyncAtom {
    fn check(&self, product: &ProductUse<'_>) -> Allowed {
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

    fn layouts_in(
        &self,
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

    fn cost(&self, elements: [ScalarType; 3], extents: [u32; 3], target: Target) -> Cost {
        let machine = Machine::of(target);
        let Some(ty) = operand_type(elements) else {
            return Cost::NEVER;
        };
        let shape = self.instruction.shape();
        let shape = [shape.m, shape.n, shape.k];
        Cost {
            latency: machine.costs.mma_sync,
            ..cost_of(
                count_of(extents, shape),
                shape,
                machine.rates.mma_sync.of(ty),
                Cycles(1),
            )
        }
    }

    fn depth(&self) -> Option<u32> {
        Some(self.instruction.shape().k)
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
