//! Asynchronous copies and mbarriers.

use super::{Decoded, Decoder};
use crate::mbarrier::Mbarrier;
use crate::program::{MbarrierOp, Op, Source, row1};
use tilewright_irs::ptx::{Address, Arrival, ArrivalMode, Predicate, Register, Space, Type, Value};

impl Decoder<'_> {
    /// `cp.async` of `bytes` bytes, of which at most `read` come from memory.
    pub(super) fn copy(
        &self,
        (to, from): (&Address, &Address),
        bytes: u32,
        read: Option<Value>,
        ignore: Option<Predicate>,
    ) -> Decoded<Op> {
        Ok(Op::Copy {
            to: self.pointer(Some(Space::Shared), to)?,
            from: self.pointer(Some(Space::Global), from)?,
            bytes: u64::from(bytes),
            read: read.map(|read| self.source(Type::U32, read)),
            ignore: ignore.map(|ignore| self.bit(ignore)),
        })
    }

    /// `cp.async.mbarrier.arrive`; `counted` without `.noinc`.
    pub(super) fn track_copies(&self, space: Option<Space>, a: &Address, counted: bool) -> Decoded<Op> {
        Ok(Op::TrackCopies {
            pointer: self.pointer(space, a)?,
            counted,
        })
    }

    fn mbarrier(&self, space: Option<Space>, a: &Address, op: MbarrierOp) -> Decoded<Op> {
        Ok(Op::Mbarrier {
            pointer: self.pointer(space, a)?,
            op,
        })
    }

    pub(super) fn mbarrier_init(&self, space: Option<Space>, a: &Address, count: Value) -> Decoded<Op> {
        let count = self.source(Type::U32, count);
        self.mbarrier(space, a, MbarrierOp::Init { count })
    }

    pub(super) fn mbarrier_inval(&self, space: Option<Space>, a: &Address) -> Decoded<Op> {
        self.mbarrier(space, a, MbarrierOp::Inval)
    }

    /// `arrive` and `arrive_drop`. `count` is the number of arrivals, one if absent, or with `.expect_tx` the number
    /// of bytes that are expected first.
    pub(super) fn mbarrier_arrive(
        &self,
        space: Option<Space>,
        a: &Address,
        (arrival, mode): (Arrival, Option<ArrivalMode>),
        count: Option<Value>,
        state: Option<Register>,
    ) -> Decoded<Op> {
        let count = count.map(|count| self.source(Type::U32, count));
        let (count, bytes) = match mode {
            None | Some(ArrivalMode::NoComplete) => (count, None),
            Some(ArrivalMode::ExpectTx) => (None, count),
        };
        let op = MbarrierOp::Arrive {
            count: count.unwrap_or(Source::Constant(1)),
            bytes,
            drops: arrival == Arrival::ArriveDrop,
            may_complete: mode != Some(ArrivalMode::NoComplete),
            state: state.map(|state| self.target(state)),
        };
        self.mbarrier(space, a, op)
    }

    /// `mbarrier.expect_tx`, or with `complete`, `mbarrier.complete_tx`.
    pub(super) fn mbarrier_bytes(
        &self,
        space: Option<Space>,
        a: &Address,
        bytes: Value,
        complete: bool,
    ) -> Decoded<Op> {
        let bytes = self.source(Type::U32, bytes);
        self.mbarrier(space, a, MbarrierOp::Bytes { bytes, complete })
    }

    /// `test_wait` and `try_wait`, of a state or with `parity` of a phase's parity.
    pub(super) fn mbarrier_test(
        &self,
        space: Option<Space>,
        d: Register,
        a: &Address,
        asked: Value,
        parity: bool,
    ) -> Decoded<Op> {
        let asked = self.source(if parity { Type::U32 } else { Type::B64 }, asked);
        self.mbarrier(
            space,
            a,
            MbarrierOp::Test {
                d: d.index,
                asked,
                parity,
            },
        )
    }

    pub(super) fn mbarrier_pending(&self, d: Register, state: Value) -> Op {
        Op::Pure {
            f: row1(Mbarrier::pending_of),
            d: self.target(d),
            sources: vec![self.source(Type::B64, state)],
        }
    }
}
