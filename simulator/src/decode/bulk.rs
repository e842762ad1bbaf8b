//! Bulk copies, copies of tensors, and tensor maps.

use super::{Decoded, Decoder};
use crate::program::{BulkInstruction, Direction, Elements, Op, Place, Pointer, Source, TensorInstruction};
use tilewright_irs::ptx::{Address, AtomicOp, BulkReduction, Space, TensorAddress, TensorMode, Type, Value};

/// The atomic operation of a reduction.
pub(super) const fn reduction(op: BulkReduction) -> AtomicOp {
    match op {
        BulkReduction::Add => AtomicOp::Add,
        BulkReduction::Min => AtomicOp::Min,
        BulkReduction::Max => AtomicOp::Max,
        BulkReduction::Inc => AtomicOp::Inc,
        BulkReduction::Dec => AtomicOp::Dec,
        BulkReduction::And => AtomicOp::And,
        BulkReduction::Or => AtomicOp::Or,
        BulkReduction::Xor => AtomicOp::Xor,
    }
}

impl Decoder<'_> {
    fn cluster_pointer(&self, address: &Address) -> Decoded<Pointer> {
        self.pointer(Some(Space::SharedCluster), address)
    }

    pub(super) fn bulk_load(
        &self,
        (to, target): (Space, &Address),
        (from, source): (Space, &Address),
        size: Value,
        barrier: &Address,
        blocks: Option<Value>,
    ) -> Decoded<Op> {
        Ok(Op::Bulk(BulkInstruction::Load {
            to: self.pointer(Some(to), target)?,
            from: self.pointer(Some(from), source)?,
            bytes: self.source(Type::U32, size),
            mbarrier: self.cluster_pointer(barrier)?,
            blocks: blocks.map(|blocks| self.source(Type::B16, blocks)),
        }))
    }

    pub(super) fn bulk_store(
        &self,
        target: &Address,
        source: &Address,
        size: Value,
        reduction: Option<(AtomicOp, Type)>,
    ) -> Decoded<Op> {
        Ok(Op::Bulk(BulkInstruction::Store {
            to: self.pointer(Some(Space::Global), target)?,
            from: self.pointer(Some(Space::SharedCta), source)?,
            bytes: self.source(Type::U32, size),
            reduction,
        }))
    }

    pub(super) fn store_async(
        &self,
        ty: Type,
        target: &Address,
        values: &[Value],
        barrier: &Address,
    ) -> Decoded<Op> {
        Ok(Op::Bulk(BulkInstruction::StoreWords {
            to: self.cluster_pointer(target)?,
            values: self.sources(ty, values),
            bytes: u64::from(ty.bytes().ok_or("predicates are not in memory")?),
            mbarrier: self.cluster_pointer(barrier)?,
        }))
    }

    pub(super) fn bulk_prefetch(&self, (from, source): (Space, &Address), size: Value) -> Decoded<Op> {
        Ok(Op::Bulk(BulkInstruction::Prefetch {
            from: self.pointer(Some(from), source)?,
            bytes: self.source(Type::U32, size),
        }))
    }

    /// The direction of a load of a tensor.
    pub(super) fn tensor_load(
        &self,
        (to, target): (Space, &Address),
        barrier: &Address,
        blocks: Option<Value>,
    ) -> Decoded<Direction> {
        Ok(Direction::Load {
            to: self.pointer(Some(to), target)?,
            mbarrier: self.cluster_pointer(barrier)?,
            blocks: blocks.map(|blocks| self.source(Type::B16, blocks)),
        })
    }

    /// The direction of a store to a tensor.
    pub(super) fn tensor_store(
        &self,
        (from, source): (Space, &Address),
        reduction: Option<AtomicOp>,
    ) -> Decoded<Direction> {
        let from = self.pointer(Some(from), source)?;
        Ok(Direction::Store { from, reduction })
    }

    /// A copy of a box, of pixels, whose loads have offsets, or of rows.
    pub(super) fn tensor_copy(
        &self,
        tensor: &TensorAddress,
        mode: Option<TensorMode>,
        offsets: Option<&[Value]>,
        direction: Direction,
    ) -> Decoded<Op> {
        let elements = match mode {
            None | Some(TensorMode::Tile) if offsets.is_none() => Elements::Box,
            None | Some(TensorMode::Tile | TensorMode::Im2colNoOffs) => Elements::Pixels,
            Some(TensorMode::Gather4 | TensorMode::Scatter4) => Elements::Rows,
        };
        Ok(Op::TensorCopy(Box::new(TensorInstruction {
            map: Pointer {
                place: Place::Generic,
                base: Source::Slot(self.slot(tensor.map)),
                offset: 0,
                narrow: false,
            },
            coordinates: (tensor.coordinates.iter())
                .map(|value| self.source(Type::S32, *value))
                .collect(),
            elements,
            offsets: self.sources(Type::U16, offsets.unwrap_or_default()),
            direction,
        })))
    }

    /// `tensormap.replace`: the field has an offset and so many bytes.
    pub(super) fn replace_field(
        &self,
        (space, a): (Option<Space>, &Address),
        (offset, bytes): (usize, u64),
        value: Source,
    ) -> Decoded<Op> {
        Ok(Op::ReplaceField {
            map: self.pointer(space, a)?,
            offset: offset as u64,
            bytes,
            value,
        })
    }
}
