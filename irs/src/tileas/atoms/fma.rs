//! `fma`: multiply-adds of scalars, by the threads that hold the elements of the accumulator.

use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

use super::product::{WarpGrid, along, check_held, is_along_one_axis_each, is_float, same, unlike};
use super::{Allowed, Multiplying, OperandLayouts, ProductUse, Refusal};
use crate::core::{Term, TermCodec, TermError};
use crate::dialects::product_rules::Extents;
use crate::element::ScalarType;
use crate::isa::Target;
use crate::machine::{Cost, Cycles, LANES, Machine, Rates};

/// The number of adjacent columns of the accumulator that a thread holds as a vector.
const VECTOR: u32 = 4;
/// The number of lanes of a warp along M; the others are along N.
const LANES_ALONG_M: u32 = 4;
const LANES_ALONG_N: u32 = 8;

/// Scalar multiply-adds: `fma`. For its elements of the accumulator a thread holds whole rows of A and whole columns of
/// B.
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

impl Multiplying for Fma {
    fn check(&self, product: &ProductUse<'_>) -> Allowed {
        let [a, b, acc] = product.all_in_registers("fma")?;
        if let Some(elements @ [of_a, of_b, of_acc]) = product.elements() {
            let alike = is_float(of_a.into()) == is_float(of_acc.into());
            if of_a != of_b || !alike {
                return Err(unlike("fma", elements));
            }
        }
        for layout in [a, b, acc] {
            if !is_along_one_axis_each(layout) {
                let message =
                    format!("`fma` takes no layout with steps along several axes at once: `{layout}`");
                return Err(Refusal::layout(message));
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
            check_held("fma", own, layout, acc, 1)?;
        }
        Ok(())
    }

    fn layouts_in(&self, _: WarpGrid, extents: &Extents, warps: u32) -> Result<OperandLayouts, Refusal> {
        let refuse = |error: LayoutError| Refusal::layout(format!("`fma`: {error}"));
        let [m, n, k] = extents.matrix;
        let shape_of =
            |matrix: [u32; 2]| -> Vec<u32> { extents.batch.iter().copied().chain(matrix).collect() };
        let shape = shape_of([m, n]);
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let acc = blocks(&shape, order, warps)
            .and_then(|blocked| blocked.to_linear(&shape))
            .map_err(refuse)?;
        let rows = extents.batch.len();
        // The accumulator's layout with K in place of the axis `of`, along which no thread differs from another.
        let part = |of: usize, matrix: [u32; 2]| -> Result<LinearLayout, Refusal> {
            let without = |dim: Dim| -> Vec<Vec<u64>> {
                let bases = acc.bases(dim).map(|basis| {
                    let steps = basis.iter().enumerate();
                    steps
                        .map(|(axis, &step)| if axis == of { 0 } else { u64::from(step) })
                        .collect()
                });
                bases.collect()
            };
            let mut registers: Vec<Vec<u64>> = (0..k.ilog2())
                .map(|bit| {
                    (0..shape.len())
                        .map(|axis| if axis == of { 1 << bit } else { 0 })
                        .collect()
                })
                .collect();
            let own = without(Dim::Register).into_iter();
            registers.extend(own.filter(|basis| basis.iter().any(|&step| step != 0)));
            let extents: Vec<u64> = shape_of(matrix).into_iter().map(u64::from).collect();
            let bases = [
                (Dim::Register, registers),
                (Dim::Lane, without(Dim::Lane)),
                (Dim::Warp, without(Dim::Warp)),
            ];
            LinearLayout::from_parts(&bases, &extents).map_err(refuse)
        };
        if !k.is_power_of_two() {
            return Err(Refusal::layout(format!(
                "`fma`: K is {k}, which is no power of two"
            )));
        }
        Ok(OperandLayouts {
            a: Some(part(rows + 1, [m, k])?),
            b: Some(part(rows, [k, n])?),
            acc: Some(acc),
        })
    }

    fn cost(&self, [.., sum]: [ScalarType; 3], extents: [u32; 3], target: Target) -> Cost {
        let machine = Machine::of(target);
        let rate = match sum {
            ScalarType::F16 => machine.rates.fma.f16,
            ScalarType::F64 => machine.rates.fma.f64,
            ScalarType::I32 => Rates::INTEGER_FMA,
            _ => machine.rates.fma.f32,
        };
        let products: u64 = extents.into_iter().map(u64::from).product();
        Cost {
            busy: Cycles::of(products, rate),
            instructions: products.div_ceil(u64::from(LANES)),
            latency: machine.costs.fma.latency,
        }
    }

    fn is_on_tensor_cores(&self) -> bool {
        false
    }
}

/// How an accumulator is divided among the threads. In a large one a thread has about as many rows as columns, in steps
/// of vectors along the columns, so that it needs the fewest elements of A and B for each step of K.
fn blocks(shape: &[u32], order: Vec<usize>, warps: u32) -> Result<Blocked, LayoutError> {
    let [batch @ .., m, n] = shape else {
        return Blocked::coalesced(shape, VECTOR, &order, warps);
    };
    let batches: u32 = batch.iter().product();
    let (mut rows, mut columns) = (m / LANES_ALONG_M, n / (LANES_ALONG_N * VECTOR));
    if batches > 1 || u64::from(rows) * u64::from(columns) < u64::from(warps) {
        return Blocked::coalesced(shape, VECTOR, &order, warps);
    }
    let (mut along_m, mut along_n) = (1, 1);
    while along_m * along_n < warps {
        if rows > 1 && (rows >= columns * VECTOR || columns == 1) {
            (along_m, rows) = (along_m * 2, rows / 2);
        } else {
            (along_n, columns) = (along_n * 2, columns / 2);
        }
    }
    let with = |matrix: [u32; 2]| batch.iter().map(|_| 1).chain(matrix).collect();
    Ok(Blocked {
        size_per_thread: with([1, VECTOR]),
        threads_per_warp: with([LANES_ALONG_M, LANES_ALONG_N]),
        warps_per_cta: with([along_m, along_n]),
        order,
    })
}
