//! Loads, stores and atomics.

use super::{Decoded, Decoder, Located};
use crate::program::{Atomic, Multimem, Op, Place, Pointer, Source};
use crate::shared::Access;
use tilewright_irs::ptx::{Address, Base, Order, Register, Scope, Space, Type, Value};

impl Decoder<'_> {
    pub(super) fn load(
        &self,
        ty: Type,
        d: &[Register],
        space: Option<Space>,
        a: &Address,
        access: Access,
    ) -> Decoded<Op> {
        let (ty, bytes) = in_memory(ty)?;
        Ok(Op::Load {
            ty,
            bytes,
            d: self.targets(d),
            pointer: self.pointer(space, a)?,
            access,
        })
    }

    pub(super) fn store(
        &self,
        ty: Type,
        space: Option<Space>,
        a: &Address,
        values: &[Value],
        access: Access,
    ) -> Decoded<Op> {
        let (ty, bytes) = in_memory(ty)?;
        Ok(Op::Store {
            bytes,
            pointer: self.pointer(space, a)?,
            values: self.sources(ty, values),
            access,
        })
    }

    /// Atomics on one element or, with several of `b`, on consecutive ones.
    pub(super) fn atomic(
        &self,
        (op, access): (Atomic, Access),
        ty: Type,
        d: &[Register],
        space: Option<Space>,
        a: &Address,
        (b, c): (&[Value], &[Value]),
    ) -> Decoded<Op> {
        let (ty, bytes) = in_memory(ty)?;
        Ok(Op::Atomic {
            op,
            ty,
            bytes,
            d: self.targets(d),
            pointer: self.pointer(space, a)?,
            b: self.sources(ty, b),
            c: self.sources(ty, c),
            access,
        })
    }

    /// An access through a multicast address.
    pub(super) fn multimem(
        &self,
        (what, access): (Multimem, Access),
        ty: Type,
        d: &[Register],
        space: Option<Space>,
        a: &Address,
        b: &[Value],
    ) -> Decoded<Op> {
        let (ty, bytes) = in_memory(ty)?;
        Ok(Op::Multimem {
            what,
            ty,
            bytes,
            d: self.targets(d),
            pointer: self.pointer(space, a)?,
            b: self.sources(ty, b),
            access,
        })
    }

    pub(super) fn pointer(&self, space: Option<Space>, address: &Address) -> Decoded<Pointer> {
        let offset = i64::from(address.offset).cast_unsigned();
        let asked = match space {
            None => Place::Generic,
            Some(Space::Global | Space::Const) => Place::Global,
            Some(Space::Shared | Space::SharedCta) => Place::Shared,
            Some(Space::SharedCluster) => Place::Cluster,
            Some(Space::Local) => Place::Local,
            Some(Space::Param) => Place::Param,
        };
        match &address.base {
            Base::Register(register) => Ok(Pointer {
                place: asked,
                base: Source::Slot(self.slot(*register)),
                offset,
                narrow: register.class.bits() == 32,
            }),
            Base::Symbol(symbol) => {
                let Located { place, address } = self.symbol(symbol)?;
                Ok(Pointer {
                    place,
                    base: Source::Constant(address),
                    offset,
                    narrow: false,
                })
            }
        }
    }
}

/// The type and size of each word of a value of type `ty` in memory.
fn in_memory(ty: Type) -> Decoded<(Type, u64)> {
    match ty.bytes() {
        None => Err("predicates are not in memory".to_owned()),
        Some(16) => Ok((Type::B64, 8)),
        Some(bytes) => Ok((ty, u64::from(bytes))),
    }
}

/// The synchronisation of an access of this order, in this scope.
pub(super) fn access(order: Option<Order>, scope: Option<Scope>) -> Access {
    match order {
        None | Some(Order::Weak) => Access::Plain,
        Some(Order::Volatile | Order::Relaxed | Order::Acquire | Order::Release) => atomic(scope),
    }
}

/// The synchronisation of an atomic access in this scope; without one, that of the GPU.
pub(super) fn atomic(scope: Option<Scope>) -> Access {
    match scope {
        Some(Scope::Cta) => Access::InBlock,
        None | Some(Scope::Cluster | Scope::Gpu | Scope::Sys) => Access::Synchronising,
    }
}
