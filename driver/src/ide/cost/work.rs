//! The bytes that a block moves to and from global memory, and the operations on them, counted in the tiles of the program.

use std::collections::BTreeMap;

use tilewright_irs::core::{Func, Operation, Origin, Region, Value, ValueType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp};

/// The iterations that every loop is assumed to have where only the ratio of operations to bytes matters.
const ROUNDS: f64 = 32.0;

/// The work of a block. Every loop counts as [`ROUNDS`] iterations, except in the fields that say otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Bytes moved outside of all loops.
    pub(super) bytes: u64,
    /// Bytes moved in loops, in one iteration of each.
    pub(super) bytes_each_round: u64,
    /// Bytes that each op of the source moves when it runs once.
    pub(super) by_op: BTreeMap<Origin, u64>,
    /// Bytes moved.
    pub(super) moved: f64,
    /// Multiplications and additions in matrix products, scaled to operands of 16 bits.
    pub(super) products: f64,
    /// Other operations on floats.
    pub(super) others: f64,
}

impl Work {
    /// The work of a function.
    pub(super) fn of(func: &Func<TileAa>) -> Self {
        let mut counter = Counter {
            func,
            work: Self::default(),
        };
        counter.region(func.body.root(), 1.0);
        counter.work
    }

    /// Operations of all kinds.
    pub(super) fn operations(&self) -> f64 {
        self.products + self.others
    }
}

struct Counter<'a> {
    func: &'a Func<TileAa>,
    work: Work,
}

impl Counter<'_> {
    /// The elements of a value, and the bits of one.
    fn size(&self, value: Value) -> Option<(u64, u32)> {
        match &self.func.body.ty(value).kind {
            TileAaKind::Scalar(element) => Some((1, element.bits())),
            TileAaKind::Tile { shape, element } => {
                let count = shape.iter().map(|&extent| u64::from(extent)).product();
                Some((count, element.bits()))
            }
            TileAaKind::Memref(_) | TileAaKind::Token => None,
        }
    }

    fn moves(&mut self, origin: Origin, value: Option<Value>, rounds: f64) {
        let Some((count, bits)) = value.and_then(|value| self.size(value)) else {
            return;
        };
        let bytes = (count * u64::from(bits)).div_ceil(8);
        match rounds > 1.0 {
            true => self.work.bytes_each_round += bytes,
            false => self.work.bytes += bytes,
        }
        *self.work.by_op.entry(origin).or_default() += bytes;
        self.work.moved += rounds * bytes as f64;
    }

    fn elementwise(&mut self, value: Option<Value>, rounds: f64) {
        let float = |value: Value| {
            let element = self.func.body.ty(value).element();
            let scalar = element.and_then(|element| element.scalar());
            scalar.is_some_and(|scalar| scalar.is_float())
        };
        if let Some((count, _)) = value
            .filter(|value| float(*value))
            .and_then(|value| self.size(value))
        {
            self.work.others += rounds * count as f64;
        }
    }

    fn region(&mut self, region: Region, rounds: f64) {
        let body = &self.func.body;
        for &block in &body.region(region).blocks {
            for &op in &body.block(block).ops {
                let data = body.op(op);
                let result = data.results().next();
                match &data.kind {
                    TileAaOp::TileAa(op) => self.dialect(op, data.origin, result, rounds),
                    TileAaOp::Scf(op) => {
                        let inner = match op {
                            ScfOp::For { .. } | ScfOp::Loop { .. } => rounds * ROUNDS,
                            _ => rounds,
                        };
                        op.regions(&mut |region| self.region(region, inner));
                    }
                    other if other.spec().properties.elementwise => self.elementwise(result, rounds),
                    _ => {}
                }
            }
        }
    }

    fn dialect(&mut self, op: &TileAaDialect, origin: Origin, result: Option<Value>, rounds: f64) {
        match op {
            TileAaDialect::Load { .. }
            | TileAaDialect::GatherLoad { .. }
            | TileAaDialect::MultimemLoad { .. }
            | TileAaDialect::AtomicRmw { .. }
            | TileAaDialect::AtomicCas { .. } => self.moves(origin, result, rounds),
            TileAaDialect::Store { value, .. }
            | TileAaDialect::ScatterStore { value, .. }
            | TileAaDialect::AtomicScatter { value, .. }
            | TileAaDialect::AtomicTile { value, .. }
            | TileAaDialect::MultimemStore { value, .. }
            | TileAaDialect::MultimemReduce { value, .. } => self.moves(origin, Some(*value), rounds),
            TileAaDialect::Reduce { operands, .. } | TileAaDialect::Scan { operands, .. } => {
                self.elementwise(operands.first().copied(), rounds);
            }
            TileAaDialect::Dot { a, acc, .. } => {
                let depth = self
                    .func
                    .body
                    .ty(*a)
                    .shape()
                    .and_then(|shape| shape.last().copied());
                if let (Some((count, _)), Some((_, bits)), Some(depth)) =
                    (self.size(*acc), self.size(*a), depth)
                {
                    let operations = 2.0 * count as f64 * f64::from(depth);
                    // The units take half as many elements that are twice as wide.
                    self.work.products += rounds * operations * f64::from(bits.next_power_of_two()) / 16.0;
                }
            }
            _ => {}
        }
    }
}
