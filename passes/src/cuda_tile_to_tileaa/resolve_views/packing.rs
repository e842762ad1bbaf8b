//! `pack` and `unpack`: the bytes of numbers, and numbers of bytes, by shifts.
//!
//! The bytes of a number are columns of a tile of two axes, and so are the numbers in a byte; row-major order makes one
//! axis of them. Little-endian; numbers narrower than a byte start at its low bits.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaType};

use super::pass::{Lowering, Pass};

const I8: ScalarType = ScalarType::I8;
const UNSIGNED: Signedness = Signedness::Unsigned;

/// The integer type of a packed number.
fn packed(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::I1 => ScalarType::I1,
        ScalarType::I4 | ScalarType::F4E2M1FN => ScalarType::I4,
        ScalarType::I8 | ScalarType::F8E4M3FN | ScalarType::F8E5M2 => I8,
        ScalarType::F8E8M0FNU | ScalarType::F8E5M3FNU => I8,
        ScalarType::I16 | ScalarType::F16 | ScalarType::BF16 => ScalarType::I16,
        ScalarType::I32 | ScalarType::F32 | ScalarType::TF32 => ScalarType::I32,
        ScalarType::I64 | ScalarType::F64 => ScalarType::I64,
    }
}

/// Emits ops on tiles of one element type each.
struct Tiles<'a, 'b>(&'a mut Lowering<'b>);

impl Tiles<'_, '_> {
    fn op(&mut self, op: ArithOp, shape: &[u32], ty: ScalarType) -> Value {
        self.0.value(op, TileAaType::tile(shape, ElementType::Scalar(ty)))
    }

    fn constant(&mut self, shape: &[u32], ty: ScalarType, number: u32) -> Value {
        let value = Dense::Splat(Literal::new(ty, u64::from(number)));
        self.op(ArithOp::Constant { value }, shape, ty)
    }

    fn reshape(&mut self, source: Value, shape: &[u32], ty: ScalarType) -> Value {
        let ty = TileAaType::tile(shape, ElementType::Scalar(ty));
        self.0.value(TileOp::Reshape { source }, ty)
    }

    /// Tiles with one axis as the columns of a tile, in row-major order.
    fn interleaved(&mut self, columns: Vec<Value>, rows: u32, ty: ScalarType) -> Value {
        let count = u32::try_from(columns.len()).unwrap_or(u32::MAX);
        let parts = columns
            .into_iter()
            .map(|column| self.reshape(column, &[rows, 1], ty))
            .collect();
        let whole = TileAaType::tile(&[rows, count], ElementType::Scalar(ty));
        let whole = self.0.value(TileAaDialect::Cat { parts, axis: 1 }, whole);
        self.reshape(whole, &[rows * count], ty)
    }

    /// The columns of a tile with one axis, in row-major order.
    fn columns(&mut self, source: Value, rows: u32, count: u32, ty: ScalarType) -> Vec<Value> {
        let source = self.reshape(source, &[rows, count], ty);
        let number = |tiles: &mut Self, i: u32| {
            let value = Dense::Splat(Literal::new(ScalarType::I32, u64::from(i)));
            let scalar = TileAaType::tile(&[], ElementType::I32);
            tiles.0.value(ArithOp::Constant { value }, scalar)
        };
        let columns = (0..count).map(|i| {
            let index = vec![number(self, 0), number(self, i)];
            let column = TileAaType::tile(&[rows, 1], ElementType::Scalar(ty));
            let column = self.0.value(TileAaDialect::Extract { source, index }, column);
            self.reshape(column, &[rows], ty)
        });
        columns.collect()
    }

    fn shifted_right(&mut self, lhs: Value, by: u32, shape: &[u32], ty: ScalarType) -> Value {
        if by == 0 {
            return lhs;
        }
        let rhs = self.constant(shape, ty, by);
        let signedness = UNSIGNED;
        self.op(ArithOp::ShrI { lhs, rhs, signedness }, shape, ty)
    }

    fn shifted_left(&mut self, lhs: Value, by: u32, shape: &[u32], ty: ScalarType) -> Value {
        if by == 0 {
            return lhs;
        }
        let rhs = self.constant(shape, ty, by);
        let overflow = Overflow::Wraps;
        self.op(ArithOp::ShlI { lhs, rhs, overflow }, shape, ty)
    }

    /// The disjunction of shifted numbers, the first one in the low bits.
    fn joined(&mut self, numbers: Vec<Value>, step: u32, shape: &[u32], ty: ScalarType) -> Option<Value> {
        let mut joined = None;
        for (i, number) in (0..).zip(numbers) {
            let shifted = self.shifted_left(number, i * step, shape, ty);
            joined = Some(match joined {
                None => shifted,
                Some(lhs) => self.op(ArithOp::OrI { lhs, rhs: shifted }, shape, ty),
            });
        }
        joined
    }

    fn resized(&mut self, source: Value, shape: &[u32], from: ScalarType, to: ScalarType) -> Value {
        let signedness = UNSIGNED;
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.op(ArithOp::ExtI { source, signedness }, shape, to),
            std::cmp::Ordering::Equal => source,
            std::cmp::Ordering::Greater => self.op(ArithOp::TruncI { source }, shape, to),
        }
    }

    /// A number as the integer that memory holds: a tf32 as the f32 of its value.
    fn packed_bits(&mut self, source: Value, shape: &[u32], ty: ScalarType) -> Value {
        let rounding = FloatRounding::NearestEven;
        let source = match ty {
            ScalarType::TF32 => self.op(ArithOp::FToF { source, rounding }, shape, ScalarType::F32),
            _ => source,
        };
        if ty == packed(ty) {
            return source;
        }
        self.op(ArithOp::Bitcast { source }, shape, packed(ty))
    }

    /// The number that memory holds as this integer; the low bits of a tf32 are dropped.
    fn of_bits(&mut self, source: Value, shape: &[u32], ty: ScalarType) -> Value {
        if ty == packed(ty) {
            return source;
        }
        if ty != ScalarType::TF32 {
            return self.op(ArithOp::Bitcast { source }, shape, ty);
        }
        let source = self.op(ArithOp::Bitcast { source }, shape, ScalarType::F32);
        let rounding = FloatRounding::Zero;
        self.op(ArithOp::FToF { source, rounding }, shape, ty)
    }
}

/// The extent and the element type of a tile with one axis.
fn line(ty: &TileAaType) -> Option<(u32, ScalarType)> {
    use tilewright_irs::core::ValueType;
    let extent = ty.shape()?.first().copied()?;
    Some((extent, ty.element()?.scalar()?))
}

impl Pass<'_> {
    /// The bytes of numbers.
    pub(super) fn pack(cx: &mut Lowering<'_>, id: OpId, source: Value) -> Translated {
        let source = cx.one(source);
        let Some((extent, ty)) = line(cx.ty(source)) else {
            return Self::unsupported_op("pack");
        };
        let (bits, tiles) = (packed(ty), &mut Tiles(cx));
        let shape = [extent];
        let numbers = tiles.packed_bits(source, &shape, ty);
        let bytes = if bits.bits() >= 8 {
            let columns = (0..bits.bits() / 8).map(|i| {
                let byte = tiles.shifted_right(numbers, 8 * i, &shape, bits);
                tiles.resized(byte, &shape, bits, I8)
            });
            let columns = columns.collect();
            tiles.interleaved(columns, extent, I8)
        } else {
            let count = 8 / bits.bits();
            let rows = extent / count;
            let columns = tiles.columns(numbers, rows, count, bits);
            let columns = columns
                .into_iter()
                .map(|column| tiles.resized(column, &[rows], bits, I8));
            let columns = columns.collect();
            match tiles.joined(columns, bits.bits(), &[rows], I8) {
                Some(bytes) => bytes,
                None => return Self::unsupported_op("pack"),
            }
        };
        cx.bind(cx.old(id).result(0), vec![bytes]);
        Ok(())
    }

    /// The numbers of bytes.
    pub(super) fn unpack(cx: &mut Lowering<'_>, id: OpId, source: Value) -> Translated {
        let source = cx.one(source);
        let Some((extent, ty)) = line(&Self::result_type(cx, id)?) else {
            return Self::unsupported_op("unpack");
        };
        let (bits, tiles) = (packed(ty), &mut Tiles(cx));
        let shape = [extent];
        let numbers = if bits.bits() >= 8 {
            let columns = tiles.columns(source, extent, bits.bits() / 8, I8);
            let columns = columns
                .into_iter()
                .map(|column| tiles.resized(column, &shape, I8, bits));
            let columns = columns.collect();
            match tiles.joined(columns, 8, &shape, bits) {
                Some(numbers) => numbers,
                None => return Self::unsupported_op("unpack"),
            }
        } else {
            let count = 8 / bits.bits();
            let rows = extent / count;
            let columns = (0..count).map(|i| {
                let number = tiles.shifted_right(source, i * bits.bits(), &[rows], I8);
                tiles.resized(number, &[rows], I8, bits)
            });
            let columns = columns.collect();
            tiles.interleaved(columns, rows, bits)
        };
        let numbers = tiles.of_bits(numbers, &shape, ty);
        cx.bind(cx.old(id).result(0), vec![numbers]);
        Ok(())
    }
}
