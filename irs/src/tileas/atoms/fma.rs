//! `fma`: multiply-adds of scalars, by the threads that hold the elements of the accumulator.

use tilewright_layouts::{Blocked, Dim, LinearLayout};

use super::product::{along, is_float, same, unlike};
use super::{Allowed, OperandLayouts, ProductUse, Refusal};
use crate::core::{Term, TermCodec, TermError};

/// Scalar multiply-adds of one multiprocessor per cycle. (CUDA C++ Programming Guide, throughput of native arithmetic
/// instructions, 32-bit floating-point multiply-add.)
const PER_CYCLE: u64 = 128;

/// Scalar multiply-adds: `fma`. A thread holds whole rows of A and whole columns of B for its elements of the
/// accumulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fma;

impl TermCodec for Fma {
    fn write(&self) -> Term {
        Term::word("fma")
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("fma", [])) => Ok(Self),
            _ => Err(term.wrong("`fma`")),
        }
    }
}

impl Fma {
    pub(super) fn check(self, product: &ProductUse<'_>) -> Allowed {
        let [a, b, acc] = product.all_in_registers("fma")?;
        if let Some(elements @ [of_a, of_b, of_acc]) = product.elements() {
            let alike = is_float(of_a.into()) == is_float(of_acc.into());
            if of_a != of_b || !alike {
                return Err(unlike("fma", elements));
            }
        }
        for (name, layout, own, all) in [("A", a, 0, 1), ("B", b, 1, 0)] {
            for dim in [Dim::Lane, Dim::Warp] {
                if along(layout, dim, all).iter().any(|&step| step != 0) {
                    let message = format!(
                        "`fma` needs all of K of {name} in each thread; `{layout}` spreads it over {dim}s"
                    );
                    return Err(Refusal::layout(message));
                }
                if !same(&along(layout, dim, own), &along(acc, dim, own)) {
                    let message = format!(
                        "`fma` needs {name} in the {dim}s of the accumulator: `{layout}` and `{acc}` differ"
                    );
                    return Err(Refusal::layout(message));
                }
            }
            let span =
                |layout: &LinearLayout| along(layout, Dim::Register, own).iter().fold(0, |all, n| all | n);
            if span(acc) & !span(layout) != 0 {
                let message = format!("`fma` lacks elements of {name} in `{layout}` that `{acc}` multiplies");
                return Err(Refusal::layout(message));
            }
        }
        Ok(())
    }

    pub(super) fn layouts(self, [m, n, k]: [u32; 3], warps: u32) -> Result<OperandLayouts, Refusal> {
        let refuse = |error: tilewright_layouts::LayoutError| Refusal::layout(format!("`fma`: {error}"));
        let acc = Blocked::coalesced(&[m, n], 4, &[1, 0], warps)
            .and_then(|blocked| blocked.to_linear(&[m, n]))
            .map_err(refuse)?;
        let part = |own: usize| -> Result<LinearLayout, Refusal> {
            let place = |step: u32, depth: u32| match own {
                0 => vec![u64::from(step), u64::from(depth)],
                _ => vec![u64::from(depth), u64::from(step)],
            };
            let mut registers: Vec<Vec<u64>> = (0..k.ilog2()).map(|bit| place(0, 1 << bit)).collect();
            let steps = along(&acc, Dim::Register, own);
            registers.extend(
                steps
                    .iter()
                    .filter(|&&step| step != 0)
                    .map(|&step| place(step, 0)),
            );
            let threads = |dim: Dim| along(&acc, dim, own).iter().map(|&step| place(step, 0)).collect();
            let shape = match own {
                0 => [u64::from(m), u64::from(k)],
                _ => [u64::from(k), u64::from(n)],
            };
            let bases = [
                (Dim::Register, registers),
                (Dim::Lane, threads(Dim::Lane)),
                (Dim::Warp, threads(Dim::Warp)),
            ];
            LinearLayout::from_parts(&bases, &shape).map_err(refuse)
        };
        if !k.is_power_of_two() {
            return Err(Refusal::layout(format!(
                "`fma`: K is {k}, which is no power of two"
            )));
        }
        Ok(OperandLayouts {
            a: Some(part(0)?),
            b: Some(part(1)?),
            acc: Some(acc),
        })
    }

    pub(super) fn cost(self, extents: [u32; 3]) -> u64 {
        let products: u64 = extents.into_iter().map(u64::from).product();
        (products / PER_CYCLE).max(1)
    }
}
