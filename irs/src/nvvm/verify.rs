//! Rules of `nvvm` beyond the declarations.
//!
//! Operands and results are in the class of register that the type slots say; the form exists on the function's
//! target; parameters are neither predicates, which have no form in memory, nor addresses of a block's own memory.

use tilewright_diagnostics::Code;

use super::form::{OperandSource, form};
use super::ops::{NvvmDialect as N, NvvmOp};
use super::{Nvvm, NvvmType};
use crate::core::{Body, Func, OpData, Origin, Problems, Value};
use crate::llvm::AddressSpace;
use crate::ptx::{Class, Part, Register, Space, Type, Value as Operand};

pub(super) fn verify(func: &Func<Nvvm>, problems: &mut Problems) {
    let body = &func.body;
    if func.attrs.cute_kernel.0 || !func.attrs.nvvm_kernel.0 {
        let message = "a function of `nvvm` is marked `nvvm.kernel`, and not `cute.kernel`";
        problems.error(Origin::FUNCTION, Code::AttributeValue, message);
    }
    if body
        .params()
        .iter()
        .any(|&param| body.ty(param).class() == Class::Pred)
    {
        let message = "a predicate has no form in memory and cannot be a parameter";
        problems.error(Origin::FUNCTION, Code::OperandType, message);
    }
    let shared = NvvmType::Ptr(AddressSpace::Shared);
    if body.params().iter().any(|&param| *body.ty(param) == shared) {
        let message = "shared memory begins with the block: no parameter points there";
        problems.error(Origin::FUNCTION, Code::OperandType, message);
    }
    for id in body.walk() {
        let op = body.op(id);
        let NvvmOp::Nvvm(own) = &op.kind;
        if let Err((code, message)) = check(func, op, own) {
            problems.error(op.origin, code, message);
        }
    }
}

type Checked = Result<(), (Code, String)>;

/// What an operand or a result must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Class(Class),
    Pointer(Space),
}

impl Want {
    fn admits(self, ty: NvvmType) -> bool {
        match self {
            Self::Class(class) => ty.class() == class,
            Self::Pointer(Space::Global) => ty.class() == Class::B64,
            Self::Pointer(_) => ty == NvvmType::Ptr(AddressSpace::Shared) || ty.class() == Class::B32,
        }
    }
}

fn ty(ty: Type) -> Want {
    Want::Class(ty.class())
}

/// The operands in textual order, and the results.
fn signature(own: &N, body: &Body<Nvvm>, op: &OpData<Nvvm>) -> (Vec<Want>, Vec<Want>) {
    let predicate = Want::Class(Class::Pred);
    let shift = Want::Class(Class::B32);
    let same = |t: Type, operands: usize| (vec![ty(t); operands], vec![ty(t)]);
    match own {
        N::Mov { value } => {
            let result = NvvmType::of_scalar(value.ty).map(|t| Want::Class(t.class()));
            (vec![], result.into_iter().collect())
        }
        N::MovBits { ty: t, source } => {
            // One side is of the type's own class, the other of a class of the same size.
            let sides = [*body.ty(*source), *body.ty(op.result(0))].map(|side| Want::Class(side.class()));
            let bits = |want: Want| match want {
                Want::Class(class) => class.bits(),
                Want::Pointer(_) => 64,
            };
            if sides.iter().all(|&side| bits(side) == t.bits()) {
                (vec![sides[0]], vec![sides[1]])
            } else {
                same(*t, 1)
            }
        }
        N::Pack { ty: t, parts } => {
            let part = narrow(*t, parts.len());
            (vec![part; parts.len()], vec![ty(*t)])
        }
        N::Unpack { ty: t, .. } => {
            let count = op.results().len();
            (vec![ty(*t)], vec![narrow(*t, count); count])
        }
        N::Mul {
            part: Some(Part::Wide),
            ty: t,
            ..
        } => (vec![ty(*t); 2], vec![wide(*t)]),
        N::Mad {
            part: Part::Wide,
            ty: t,
            ..
        } => (vec![ty(*t), ty(*t), wide(*t)], vec![wide(*t)]),
        N::Add { ty: t, .. }
        | N::Sub { ty: t, .. }
        | N::Mul { ty: t, .. }
        | N::Div { ty: t, .. }
        | N::Rem { ty: t, .. }
        | N::Min { ty: t, .. }
        | N::Max { ty: t, .. }
        | N::And { ty: t, .. }
        | N::Or { ty: t, .. }
        | N::Xor { ty: t, .. } => same(*t, 2),
        N::Mad { ty: t, .. } | N::Fma { ty: t, .. } => same(*t, 3),
        N::Neg { ty: t, .. }
        | N::Abs { ty: t, .. }
        | N::Sqrt { ty: t, .. }
        | N::Rsqrt { ty: t, .. }
        | N::Rcp { ty: t, .. }
        | N::Ex2 { ty: t, .. }
        | N::Lg2 { ty: t, .. }
        | N::Sin { ty: t, .. }
        | N::Cos { ty: t, .. }
        | N::Tanh { ty: t, .. }
        | N::Not { ty: t, .. } => same(*t, 1),
        N::Shl { ty: t, .. } | N::Shr { ty: t, .. } => (vec![ty(*t), shift], vec![ty(*t)]),
        N::Setp { ty: t, .. } => (vec![ty(*t); 2], vec![predicate]),
        N::Selp { ty: t, .. } => (vec![ty(*t), ty(*t), predicate], vec![ty(*t)]),
        N::Cvt { to, from, .. } => (vec![ty(*from)], vec![ty(*to)]),
        N::Ld {
            space,
            ty: t,
            predicate: p,
            others,
            ..
        } => {
            let mut operands = vec![Want::Pointer(*space)];
            operands.extend(p.map(|_| predicate));
            operands.extend(vec![ty(*t); others.len()]);
            (operands, vec![ty(*t); op.results().len()])
        }
        N::St {
            space,
            ty: t,
            values,
            predicate: p,
            ..
        } => {
            let mut operands = vec![Want::Pointer(*space)];
            operands.extend(vec![ty(*t); values.len()]);
            operands.extend(p.map(|_| predicate));
            (operands, vec![])
        }
        N::ReadSreg { .. } => (vec![], vec![shift]),
        N::SharedBase {} => (vec![], vec![Want::Pointer(Space::Shared)]),
        N::Barrier { .. } | N::Ret {} => (vec![], vec![]),
        N::Cbra { yes, no, .. } => {
            let mut operands = vec![predicate];
            for successor in [yes, no] {
                operands.extend(
                    successor
                        .args
                        .iter()
                        .map(|&arg| Want::Class(body.ty(arg).class())),
                );
            }
            (operands, vec![])
        }
        N::Bra { target } => {
            let operands = target.args.iter().map(|&arg| Want::Class(body.ty(arg).class()));
            (operands.collect(), vec![])
        }
    }
}

/// One of `count` equal parts of a register. Where there is no such class, the form does not exist either.
fn narrow(t: Type, count: usize) -> Want {
    let part = t.bits().checked_div(u32::try_from(count).unwrap_or(u32::MAX));
    Want::Class(if part == Some(32) { Class::B32 } else { Class::B16 })
}

fn wide(t: Type) -> Want {
    Want::Class(if t.bits() == 16 { Class::B32 } else { Class::B64 })
}

fn check(func: &Func<Nvvm>, op: &OpData<Nvvm>, own: &N) -> Checked {
    use crate::core::Operation;
    let body = &func.body;
    let name = own.name();
    let (operands, results) = signature(own, body, op);
    let given = own.operand_list();
    for (i, (want, value)) in operands.iter().zip(&given).enumerate() {
        if !want.admits(*body.ty(*value)) {
            return Err((
                Code::OperandType,
                format!("operand {i} of `{name}` is in a register of the wrong class"),
            ));
        }
    }
    for (want, value) in results.iter().zip(op.results()) {
        if !want.admits(*body.ty(value)) {
            return Err((
                Code::TypeMismatch,
                format!("a result of `{name}` is in a register of the wrong class"),
            ));
        }
    }
    if let N::Ld {
        predicate, others, ..
    } = own
        && !others.is_empty()
        && (predicate.is_none() || others.len() != op.results().len())
    {
        let message = "`others` are as many as the results, and need a predicate";
        return Err((Code::OperandCount, message.to_owned()));
    }
    if let N::Barrier { id, threads } = own
        && (*id >= 16 || threads % 32 != 0 || *threads == 0)
    {
        let message = "there are barriers 0 to 15, and whole warps meet at one (PTX ISA, `barrier`)";
        return Err((Code::AttributeValue, message.to_owned()));
    }
    if matches!(own, N::SharedBase {} | N::Bra { .. } | N::Cbra { .. } | N::Ret {}) {
        return Ok(());
    }
    let registers: Vec<Register> = op.results().map(|value| dummy(*body.ty(value))).collect();
    let need = form(own, &registers, &mut Dummies(body)).and_then(|instruction| instruction.need());
    match need {
        None => Err((Code::AttributeValue, format!("PTX has no such form of `{name}`"))),
        Some(need) if !func.attrs.target.provides(need) => Err((
            Code::TargetLacksFeature,
            format!(
                "this form of `{name}` needs sm_{}, the target is {}",
                need.sm, func.attrs.target
            ),
        )),
        Some(_) => Ok(()),
    }
}

fn dummy(ty: NvvmType) -> Register {
    Register {
        class: ty.class(),
        index: 0,
    }
}

/// Registers of the right class, to ask what a form needs.
struct Dummies<'a>(&'a Body<Nvvm>);

impl OperandSource for Dummies<'_> {
    fn value(&mut self, value: Value) -> Operand {
        self.register(value).into()
    }
    fn register(&mut self, value: Value) -> Register {
        dummy(*self.0.ty(value))
    }
}
