//! Lowers accesses through multicast addresses to `multimem` instructions. (PTX ISA, `multimem.ld_reduce`, `multimem.st` and
//! `multimem.red`.)
//!
//! Vectors exist for floats of 16 and 32 bits, the former in pairs. Other elements are accessed one by one. There is no
//! access to a single half, so that one alone is accessed by the aligned pair that it is in:
//!
//! - loaded, in an order that allows another thread to store the other half, which is dropped;
//! - for a sum, with -0 for the other half, which leaves any number as it is;
//! - stored by two operations on bits, of which the first clears the half and the second sets it. Neither changes the other
//!   half, whoever writes that; a thread that reads the stored half meanwhile may find 0.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::AtomicOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{
    Address, AtomicOp as IsaOp, Instruction, OpResult, Order, Results, Scope, Sources, Space, Target,
    TargetOp, Type, Width,
};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::LlvmType;
use tilewright_irs::nvvm::{atomic_form, memory_order, memory_scope};

use super::emit::{Cx, I32, I64, constant, equal, i32};
use super::lower_addresses::{at_byte, moved};
use super::lower_memory::{Access, data_scalar};

/// The bits of -0 in a float of 16 bits.
const NEGATIVE_ZERO: u64 = 0x8000;

/// What is done at a multicast address.
#[derive(Clone, Copy)]
enum Multimem {
    /// Each element of the result is `op` of all replicas; where nothing is loaded, of these.
    Load(AtomicOp, Option<Value>),
    /// The value is stored to all replicas.
    Store(Value),
    /// All replicas are replaced by `op` of them and the value.
    Reduce(AtomicOp, Value),
}

/// How registers hold some consecutive elements.
struct Form {
    width: Option<Width>,
    ty: Type,
    /// The type of a register.
    register: LlvmType,
    /// Elements of a register: 1, or 2 halves.
    each: usize,
}

/// The modifiers of an instruction that do not depend on its elements.
#[derive(Clone, Copy)]
struct Modifiers {
    order: Option<Order>,
    scope: Option<Scope>,
}

/// One instruction: where, and under which condition.
#[derive(Clone, Copy)]
struct At {
    pointer: Value,
    offset: i32,
    guard: Option<Value>,
}

/// Whether elements have the size of half a word.
fn is_half(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F16 | ScalarType::BF16)
}

/// The widest form that begins a run of so many elements, with `op` for the type of numbers.
fn form(op: Option<AtomicOp>, scalar: ScalarType, count: usize) -> Option<Form> {
    let (registers, each) = if is_half(scalar) {
        (count / 2, 2)
    } else if scalar == ScalarType::F32 {
        (count, 1)
    } else {
        (1, 1)
    };
    let width = match registers {
        0 => return None,
        1 => None,
        2 | 3 => Some(Width::V2),
        _ => Some(Width::V4),
    };
    let bits = || if scalar.bits() == 64 { Type::B64 } else { Type::B32 };
    let ty = match scalar {
        ScalarType::F16 => Type::F16x2,
        ScalarType::BF16 => Type::Bf16x2,
        ScalarType::F32 => Type::F32,
        ScalarType::F64 => Type::F64,
        _ => op.map_or_else(|| Some(bits()), |op| Some(atomic_form(op, scalar)?.2))?,
    };
    Some(Form {
        width,
        ty,
        register: if each == 2 { I32 } else { LlvmType::Scalar(scalar) },
        each,
    })
}

impl Form {
    /// The number of registers.
    fn registers(&self) -> usize {
        self.width.map_or(1, Width::lanes)
    }

    /// The number of elements.
    fn elements(&self) -> usize {
        self.registers() * self.each
    }

    /// The elements in registers.
    fn pack(&self, cx: &mut Cx<'_>, elements: &[Value]) -> Vec<Value> {
        let registers = elements.chunks(self.each);
        registers
            .map(|own| match own {
                [one] => *one,
                halves => pack(cx, halves),
            })
            .collect()
    }

    /// The elements of registers.
    fn unpack(&self, cx: &mut Cx<'_>, registers: Vec<Value>, scalar: ScalarType) -> Vec<Value> {
        if self.each == 1 {
            return registers;
        }
        let halves = registers
            .into_iter()
            .flat_map(|register| unpack(cx, register, scalar));
        halves.collect()
    }
}

/// Two halves in a register, the first in the low bits.
fn pack(cx: &mut Cx<'_>, halves: &[Value]) -> Value {
    let a = Sources(halves.to_vec());
    let ty = Type::B32;
    cx.value(Instruction::Pack { ty, d: OpResult, a }, I32)
}

/// The two halves of a register.
fn unpack(cx: &mut Cx<'_>, a: Value, scalar: ScalarType) -> Vec<Value> {
    let d = Results(vec![OpResult; 2]);
    let op = Instruction::Unpack { ty: Type::B32, d, a };
    let op = cx.build().op(op, vec![LlvmType::Scalar(scalar); 2]);
    cx.new_body().op(op).results().collect()
}

/// The PTX operation on numbers of this type.
fn operation(op: AtomicOp, scalar: ScalarType) -> IsaOp {
    // The verifier has checked that there is one.
    atomic_form(op, scalar).map_or(IsaOp::Add, |(op, ..)| op)
}

/// Lowers an access of a fragment.
///
/// # Errors
/// The target has no such instruction (E0706).
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &FragmentOp, target: Target) -> Translated {
    let Some(access) = Access::of(op) else {
        return Ok(());
    };
    let (what, result) = match op {
        FragmentOp::MultimemLoad { op, other, .. } => {
            (Multimem::Load(*op, *other), Some(cx.old(id).result(0)))
        }
        FragmentOp::MultimemStore { value, .. } => (Multimem::Store(*value), None),
        FragmentOp::MultimemReduce { op, value, .. } => (Multimem::Reduce(*op, *value), None),
        _ => return Ok(()),
    };
    accesses(cx, &access, what, result, target)
}

/// Emits the accesses of a fragment, and binds the loaded elements to `result`.
fn accesses(
    cx: &mut Cx<'_>,
    access: &Access<'_>,
    what: Multimem,
    result: Option<Value>,
    target: Target,
) -> Translated {
    let (data, others) = match what {
        Multimem::Load(_, other) => (result, other),
        Multimem::Store(value) | Multimem::Reduce(_, value) => (Some(value), Some(value)),
    };
    let Some(scalar) = data.and_then(|data| data_scalar(cx.from.ty(data))) else {
        return Ok(());
    };
    let operands = others.map(|other| cx.all(other).to_vec());
    let modifiers = Modifiers {
        order: memory_order(access.order),
        scope: access.scope.map(memory_scope),
    };
    let bytes = scalar.bytes().unwrap_or(1);
    let vector = access.vector.max(1) as usize;
    let mut loaded = Vec::new();
    for (group, &offset) in access.offsets.iter().enumerate() {
        let Some((pointer, guard)) = access.place(cx, group, offset) else {
            continue;
        };
        let mut done = 0;
        while done < vector {
            let op = match what {
                Multimem::Load(op, _) | Multimem::Reduce(op, _) => Some(op),
                Multimem::Store(_) => None,
            };
            let form = form(op, scalar, vector - done);
            let count = form.as_ref().map_or(1, Form::elements);
            let first = group * vector + done;
            let own = operands.as_deref().and_then(|all| all.get(first..first + count));
            let own = own.unwrap_or_default();
            let at = At {
                pointer,
                // A vector has at most 16 bytes.
                offset: i32::try_from(done).unwrap_or(0) * i32::try_from(bytes).unwrap_or(1),
                guard,
            };
            match form {
                Some(form) => loaded.extend(whole(cx, &form, (at, modifiers), what, own, scalar, target)?),
                None => loaded.extend(half(cx, (at, modifiers), what, own, scalar, target)?),
            }
            done += count;
        }
    }
    if let Some(result) = result {
        cx.bind(result, loaded);
    }
    Ok(())
}

/// An access to whole registers. The elements are those to store, or those of a load where nothing is loaded.
fn whole(
    cx: &mut Cx<'_>,
    form: &Form,
    place: (At, Modifiers),
    what: Multimem,
    elements: &[Value],
    scalar: ScalarType,
    target: Target,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let registers = form.pack(cx, elements);
    match what {
        Multimem::Load(op, _) => {
            let op = operation(op, scalar);
            let loaded = load(cx, form, place, op, registers, target)?;
            Ok(form.unpack(cx, loaded, scalar))
        }
        Multimem::Store(_) => {
            let (at, Modifiers { order, scope }) = place;
            let instruction = Instruction::MultimemStore {
                order,
                scope,
                space: Some(Space::Global),
                width: form.width,
                ty: form.ty,
                a: Address::from((at.pointer, at.offset)),
                b: Sources(registers),
            };
            effect(cx, instruction, at, target)
        }
        Multimem::Reduce(op, _) => {
            let instruction = red(place, operation(op, scalar), (form.width, form.ty), registers);
            effect(cx, instruction, place.0, target)
        }
    }
}

/// An access to one half, by the pair that it is in.
fn half(
    cx: &mut Cx<'_>,
    (at, modifiers): (At, Modifiers),
    what: Multimem,
    elements: &[Value],
    scalar: ScalarType,
    target: Target,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let Some(form) = form(None, scalar, 2) else {
        return Ok(Vec::new());
    };
    let half = LlvmType::Scalar(scalar);
    let (two, zero) = (i32(cx, 2), i32(cx, 0));
    // The bytes of the address beyond the pair: 0, or 2.
    let pointer = at_byte(cx, at.pointer, i64::from(at.offset));
    let address = cx.value(ArithOp::PtrToInt { source: pointer }, I64);
    let address = cx.value(ArithOp::TruncI { source: address }, I32);
    let beyond = cx.value(
        ArithOp::AndI {
            lhs: address,
            rhs: two,
        },
        I32,
    );
    let overflow = Overflow::Wraps;
    let back = ArithOp::SubI {
        lhs: zero,
        rhs: beyond,
        overflow,
    };
    let back = cx.value(back, I32);
    let at = At {
        pointer: moved(cx, pointer, back, 1),
        offset: 0,
        ..at
    };
    let condition = equal(cx, beyond, zero);
    let chosen =
        |cx: &mut Cx<'_>, [yes, no]: [Value; 2]| cx.value(ArithOp::Select { condition, yes, no }, half);
    // Other threads may access the other half.
    let relaxed = Modifiers {
        order: Some(Order::Relaxed),
        scope: modifiers.scope.or(Some(Scope::Sys)),
    };
    let ordered = Modifiers {
        order: modifiers.order.or(relaxed.order),
        ..relaxed
    };
    match (what, elements) {
        (Multimem::Load(op, _), _) => {
            let others = match elements {
                [other] => vec![pack(cx, &[*other, *other])],
                _ => Vec::new(),
            };
            let loaded = load(cx, &form, (at, ordered), operation(op, scalar), others, target)?;
            match form.unpack(cx, loaded, scalar).as_slice() {
                [low, high] => Ok(vec![chosen(cx, [*low, *high])]),
                _ => Ok(Vec::new()),
            }
        }
        (Multimem::Reduce(op, _), [value]) => {
            let nothing = constant(cx, Literal::new(scalar, NEGATIVE_ZERO));
            let low = chosen(cx, [*value, nothing]);
            let high = chosen(cx, [nothing, *value]);
            let pair = vec![pack(cx, &[low, high])];
            let instruction = red((at, ordered), operation(op, scalar), (None, form.ty), pair);
            effect(cx, instruction, at, target)
        }
        (Multimem::Store(_), [value]) => {
            let zero = constant(cx, Literal::new(scalar, 0));
            let low = chosen(cx, [*value, zero]);
            let high = chosen(cx, [zero, *value]);
            let set = pack(cx, &[low, high]);
            let (lower, upper) = (i32(cx, 0x0000_ffff), i32(cx, 0xffff_0000));
            let keep = ArithOp::Select {
                condition,
                yes: upper,
                no: lower,
            };
            let keep = cx.value(keep, I32);
            // The first of the two has nothing to tell other threads yet.
            let bits = (None, Type::B32);
            effect(cx, red((at, relaxed), IsaOp::And, bits, vec![keep]), at, target)?;
            effect(cx, red((at, ordered), IsaOp::Or, bits, vec![set]), at, target)
        }
        (Multimem::Reduce(..) | Multimem::Store(_), _) => Ok(Vec::new()),
    }
}

fn load(
    cx: &mut Cx<'_>,
    form: &Form,
    (at, Modifiers { order, scope }): (At, Modifiers),
    op: IsaOp,
    otherwise: Vec<Value>,
    target: Target,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let instruction = Instruction::MultimemLoad {
        order,
        scope,
        space: Some(Space::Global),
        op,
        acc: None,
        width: form.width,
        ty: form.ty,
        d: Results(vec![OpResult; form.registers()]),
        a: Address::from((at.pointer, at.offset)),
    };
    provided(cx, &instruction, target)?;
    let op = TargetOp {
        instruction,
        guard: at.guard,
        otherwise: if at.guard.is_some() { otherwise } else { Vec::new() },
    };
    let op = cx.build().op(op, vec![form.register; form.registers()]);
    Ok(cx.new_body().op(op).results().collect())
}

fn red(
    (at, Modifiers { order, scope }): (At, Modifiers),
    op: IsaOp,
    (width, ty): (Option<Width>, Type),
    registers: Vec<Value>,
) -> Instruction<Value> {
    Instruction::MultimemRed {
        order,
        scope,
        space: Some(Space::Global),
        op,
        width,
        ty,
        a: Address::from((at.pointer, at.offset)),
        b: Sources(registers),
    }
}

/// Emits an instruction without results.
fn effect(
    cx: &mut Cx<'_>,
    instruction: Instruction<Value>,
    at: At,
    target: Target,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    provided(cx, &instruction, target)?;
    cx.build().effect(TargetOp {
        instruction,
        guard: at.guard,
        otherwise: Vec::new(),
    });
    Ok(Vec::new())
}

/// Checks that the target has the instruction.
fn provided(cx: &Cx<'_>, instruction: &Instruction<Value>, target: Target) -> Translated {
    match instruction.need() {
        Some(need) if !target.provides(need) => {
            let message =
                format!("an access through a multicast address needs {need}, but the target is {target}");
            Err(Diagnostic::error(Code::TargetLacksFeature, message).at(cx.origin(), ""))
        }
        Some(_) | None => Ok(()),
    }
}
