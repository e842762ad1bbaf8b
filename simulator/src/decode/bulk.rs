//! Bulk copies, copies of tensors, and tensor maps.

use super::{Decoded, Decoder};
use crate::program::{BulkInstruction, Direction, Op, Place, Pointer, Source, TensorInstruction};
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

    pub(super) fn tensor_load(
        &self,
        (to, target): (Space, &Address),
        source: &TensorAddress,
        mode: Option<TensorMode>,
        barrier: &Address,
        blocks: Option<Value>,
    ) -> Decoded<Op> {
        let direction = Direction::Load {
            mbarrier: self.cluster_pointer(barrier)?,
            blocks: blocks.map(|blocks| self.source(Type::B16, blocks)),
        };
        self.tensor_copy(source, (to, target), mode, direction)
    }

    /// A copy of a box in tiled mode. Others exist on later GPUs.
    pub(super) fn tensor_copy(
        &self,
        tensor: &TensorAddress,
        (space, shared): (Space, &Address),
        mode: Option<TensorMode>,
        direction: Direction,
    ) -> Decoded<Op> {
        if !matches!(mode, None | Some(TensorMode::Tile)) {
            return Err("a copy of rows that are gathered or scattered".to_owned());
        }
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
            shared: self.pointer(Some(space), shared)?,
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
