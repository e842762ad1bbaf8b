//! Adjacent elements of views, in the order of their coordinates.

use tilewright_irs::cute_types::{View, ViewLayout};
use tilewright_layouts::cute::{LastOf, Nested, Stride};

/// The greatest number that divides both; 0 is divided by every number.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Runs of adjacent elements.
struct Runs {
    /// The elements of a run.
    length: u64,
    /// A number that divides the distances between the beginnings of runs, in elements.
    apart: u64,
}

impl Runs {
    fn of(view: &View) -> Self {
        let layout = view.layout.layout().coalesce();
        let (shape, stride) = (layout.shape(), layout.stride());
        let mut leaves = shape.leaves().zip(stride.leaves()).peekable();
        let first = leaves.next_if(|(_, stride)| stride.is(1));
        let length = first
            .and_then(|(extent, _)| extent.value())
            .map_or(1, i64::unsigned_abs);
        let apart = leaves.fold(0, |apart, (_, stride)| gcd(apart, stride.factor().divisor()));
        Self { length, apart }
    }
}

/// How many elements from the first on are adjacent, then as many again, and so on: what a swizzle keeps together.
pub(super) fn run(view: &View) -> u64 {
    let runs = Runs::of(view);
    let mut kept = 0;
    if let ViewLayout::Composed(composed) = &view.layout {
        let together = match composed.last() {
            LastOf::Swizzle(swizzle) => 1 << swizzle.base().min(63),
            LastOf::Layout(_) => 1,
        };
        let begins = match composed.offset() {
            Nested::Leaf(offset) => offset.divisor(),
            Nested::Tuple(_) => 1,
        };
        kept = gcd(together, begins);
    }
    if let Some(swizzle) = view.pointer.swizzle() {
        let bytes = gcd(1 << swizzle.base().min(63), view.pointer.align().get());
        let elements = bytes.saturating_mul(8) / u64::from(view.pointer.element_bits()).max(1);
        kept = gcd(kept, elements.max(1));
    }
    match kept {
        0 => runs.length,
        kept => gcd(runs.length, gcd(kept, runs.apart)),
    }
}

/// The bits of the widest access of which so many, each aligned, take the elements in order.
pub(super) fn together(view: &View) -> u64 {
    let bits = u64::from(view.pointer.element_bits());
    let aligned = gcd(
        Runs::of(view).apart.saturating_mul(bits),
        view.pointer.align().get().saturating_mul(8),
    );
    gcd(run(view).saturating_mul(bits), aligned)
}
