//! Atomic accesses.

use tilewright_irs::core::{OpId, Value};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, MemoryScope};
use tilewright_irs::isa::{self, CasWord, OpResult, Results, Sources, Type, Width};
use tilewright_irs::llvm::LlvmType;
use tilewright_irs::nvvm::{Instruction as I, TargetOp, atomic_form, memory_scope};

use super::selector::{Bound, Problem, Selector};

fn order(order: AtomicOrder) -> isa::AtomicOrder {
    match order {
        AtomicOrder::Relaxed => isa::AtomicOrder::Relaxed,
        AtomicOrder::Acquire => isa::AtomicOrder::Acquire,
        AtomicOrder::Release => isa::AtomicOrder::Release,
        AtomicOrder::AcqRel => isa::AtomicOrder::AcqRel,
    }
}

/// The operands of an atomic access in the old function.
#[derive(Clone, Copy)]
pub(super) struct Atomic {
    pub(super) pointer: Value,
    pub(super) value: Value,
    pub(super) mask: Option<Value>,
    pub(super) order: AtomicOrder,
    pub(super) scope: MemoryScope,
}

impl Selector<'_> {
    /// A read-modify-write: `red` if nobody wants to know what was there, and there is such a form, else `atom`.
    pub(super) fn atomic(&mut self, id: OpId, access: Atomic, op: AtomicOp) -> Result<(), Problem> {
        let result = self.from.op(id).result(0);
        let scalar = match self.old_type(access.value) {
            LlvmType::Vector(_, scalar) => scalar,
            _ => self.scalar(access.value)?,
        };
        let b = self.registers(access.value)?;
        let count = b.len();
        let (Some((op, noftz, ty)), Some(width)) = (atomic_form(op, scalar), Width::of(count)) else {
            return Err(self.bug("an atomic operation on numbers that have none"));
        };
        let (space, base, offset) = self.address(access.pointer)?;
        let guard = self.predicate(access.mask)?;
        let b = Sources(b);
        let (order, scope, space) = (
            Some(order(access.order)),
            Some(memory_scope(access.scope)),
            Some(space),
        );
        let acquires = access.order.acquires();
        if !self.is_used(result) && !acquires && op != isa::AtomicOp::Exch {
            let instruction = I::Red {
                order,
                scope,
                space,
                op,
                noftz,
                width,
                ty,
                a: (base, offset).into(),
                b,
            };
            self.effect(TargetOp {
                instruction,
                guard,
                otherwise: Vec::new(),
            });
            return Ok(());
        }
        let instruction = I::Atom {
            order,
            scope,
            space,
            op,
            noftz,
            width,
            ty,
            d: Results(vec![OpResult; count]),
            a: (base, offset).into(),
            b,
        };
        self.accessed(result, instruction, guard, Vec::new())
    }

    /// A compare-and-swap.
    pub(super) fn swap(&mut self, id: OpId, access: Atomic, compare: Value) -> Result<(), Problem> {
        let result = self.from.op(id).result(0);
        let ty = match self.scalar(access.value)?.bits() {
            16 => Type::B16,
            32 => Type::B32,
            64 => Type::B64,
            bits => return Err(self.bug(format!("no compare-and-swap of {bits} bits"))),
        };
        let (space, base, offset) = self.address(access.pointer)?;
        let guard = self.predicate(access.mask)?;
        let b = self.register(compare)?;
        let instruction = I::AtomCas {
            order: Some(order(access.order)),
            scope: Some(memory_scope(access.scope)),
            space: Some(space),
            cas: CasWord,
            ty,
            d: OpResult,
            a: (base, offset).into(),
            b,
            c: self.register(access.value)?,
        };
        let otherwise = guard.map(|_| b).into_iter().collect();
        self.accessed(result, instruction, guard, otherwise)
    }

    /// Emits an access, whose result is what was there.
    fn accessed(
        &mut self,
        result: Value,
        instruction: I,
        guard: Option<Value>,
        otherwise: Vec<Value>,
    ) -> Result<(), Problem> {
        let ty: LlvmType = self.old_type(result);
        let types = self.register_types(ty)?;
        let access = TargetOp {
            instruction,
            guard,
            otherwise,
        };
        let registers = self.emit_many(access, types);
        self.bind(result, Bound::Registers(registers));
        Ok(())
    }
}
