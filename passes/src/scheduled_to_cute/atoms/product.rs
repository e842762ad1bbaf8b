//! What products of tiles in registers share.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value, ValueType};
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_layouts::{Dim, LinearLayout};

use super::super::emit::{Cx, bug};

/// The place of an element in a tile: its number among the batches, its row and its column.
pub(super) type Place = [u32; 3];

/// The place of a register's element, in lane 0 of the first warp.
pub(super) fn place(layout: &LinearLayout, shape: &[u32], register: u32) -> Place {
    let at = layout.at(register, 0, 0, 0);
    let batches = shape.len().saturating_sub(2);
    let batch = at.iter().zip(shape).take(batches);
    let batch = batch.fold(0, |number, (at, extent)| number * extent + at);
    let [row, column] = [0, 1].map(|axis| at.get(batches + axis).copied().unwrap_or(0));
    [batch, row, column]
}

/// The registers of a tile by the places of their elements. Of several with the same element, the first.
pub(super) struct Registers {
    /// Rows and columns.
    pub(super) extents: [u32; 2],
    /// The place of each register.
    pub(super) places: Vec<Place>,
    pub(super) first: FxHashMap<Place, u32>,
}

impl Registers {
    pub(super) fn of(layout: &LinearLayout) -> Self {
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
    pub(super) fn all(&self, places: impl Iterator<Item = Place>) -> Option<Vec<u32>> {
        places.map(|place| self.first.get(&place).copied()).collect()
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
    /// That of an op.
    pub(super) fn of(op: &TileAsDialect) -> Option<Self> {
        match op {
            &TileAsDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                signedness_b,
                ..
            } => Some(Self {
                operands: [a, b, acc],
                signedness: [signedness_a, signedness_b],
            }),
            _ => None,
        }
    }

    pub(super) fn layouts<'a>(&self, cx: &Cx<'a>) -> Result<[&'a LinearLayout; 3], Diagnostic<Origin>> {
        let tiles = self.operands.map(|operand| cx.from.ty(operand).layout());
        match tiles {
            [Some(a), Some(b), Some(acc)] => Ok([a, b, acc]),
            _ => Err(bug(cx.origin(), "a product of something that is no tile")),
        }
    }

    pub(super) fn scalars(&self, cx: &Cx<'_>) -> Result<[ScalarType; 3], Diagnostic<Origin>> {
        let scalars = self
            .operands
            .map(|operand| cx.from.ty(operand).element().and_then(ElementType::scalar));
        match scalars {
            [Some(a), Some(b), Some(acc)] => Ok([a, b, acc]),
            _ => Err(bug(cx.origin(), "a product of pointers")),
        }
    }
}
