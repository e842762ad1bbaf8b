//! Hides coefficients that `ptxas` would truncate.
//!
//! In and out: `nvvm`. ptxas 13.0, from -O1 on, reads 64-bit values as sums of other values with constant coefficients,
//! and computes one from another where the coefficients are equal modulo 2^32: of `b = 65536 * x + x` and
//! `c = 65536 * b + x` it stores `b` twice, since the coefficient 2^32 of `x` in `c` counts as 0. SASS shows it for
//! `mad`, and for `mul` or `shl` with an `add` or a `sub`. A product by one constant is right, whatever the constant, and
//! so are products of 32 bits and `mul.wide`. ptxas 13.5 is right.
//!
//! Out: where a coefficient that several instructions make together may reach 2^31, the values that come into the last
//! of them with coefficients of their own are combined by `xor` with a zero of which ptxas knows no bit.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::isa::{OpResult, Part, Type};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmDialect, NvvmOp, NvvmType};

use super::unknown_zero::{hide, unknown_zero_64};

/// Sums of coefficients below this are left to ptxas: it is right below 2^32, and their signs may differ.
const LIMIT: u64 = 1 << 31;

/// Hides large coefficients from ptxas in 64-bit sums; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn hide_large_coefficients(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let endangered = endangered(&func.body);
    let Some(entry) = func.body.entry().filter(|_| !endangered.is_empty()) else {
        return Ok(func.clone());
    };
    let mut body = func.body.clone();
    let zero = unknown_zero_64(&mut body, entry);
    hide(
        &mut body,
        NvvmType::B64,
        &|id, _| endangered.get(&id).cloned().unwrap_or_default(),
        &|a| Instruction::Xor {
            ty: Type::B64,
            d: OpResult,
            a,
            b: zero,
        },
        &replace,
    );
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// The 64-bit values whose sum an instruction computes, each with its factor.
fn terms(op: &NvvmOp, constant: impl Fn(Value) -> Option<u64>) -> Vec<(Value, u64)> {
    let NvvmOp::Target(op) = op else {
        return Vec::new();
    };
    let product = |a: Value, b: Value| match (constant(a), constant(b)) {
        (_, Some(factor)) => Some((a, factor)),
        (Some(factor), None) => Some((b, factor)),
        (None, None) => None,
    };
    let wide = |ty: Type| matches!(ty, Type::B64 | Type::U64 | Type::S64);
    match op.instruction {
        Instruction::Mul {
            part: Some(Part::Lo),
            ty,
            a,
            b,
            ..
        } if wide(ty) => product(a, b).into_iter().collect(),
        Instruction::Mad {
            part: Part::Lo,
            ty,
            a,
            b,
            c,
            ..
        } if wide(ty) => product(a, b).into_iter().chain([(c, 1)]).collect(),
        Instruction::Shl { ty, a, b, .. } if wide(ty) => {
            let factor = constant(b).and_then(|by| 1u64.checked_shl(u32::try_from(by).ok()?));
            factor.map(|factor| (a, factor)).into_iter().collect()
        }
        Instruction::Add { ty, a, b, .. } | Instruction::Sub { ty, a, b, .. } if wide(ty) => {
            vec![(a, 1), (b, 1)]
        }
        _ => Vec::new(),
    }
}

/// The operands to hide of each instruction that has any.
fn endangered(body: &Body<Nvvm>) -> FxHashMap<OpId, Vec<Value>> {
    let definitions = body.definitions();
    let constant = |value: Value| match definitions.get(value).map(|&id| &body.op(id).kind) {
        Some(NvvmOp::Nvvm(NvvmDialect::Constant { value })) => Some(value.signed().unsigned_abs()),
        _ => None,
    };
    // The sum of the magnitudes of a value's coefficients, where that is not 1.
    let mut sums: SideTable<Value, u64> = body.value_table();
    let mut found = FxHashMap::default();
    for block in reverse_postorder(body, body.root()) {
        for &id in &body.block(block).ops {
            let op = body.op(id);
            let terms = terms(&op.kind, constant);
            if terms.is_empty() {
                continue;
            }
            let of = |value: Value| sums.get(value).copied().unwrap_or(1);
            let total = |of: &dyn Fn(Value) -> u64| {
                let each = terms
                    .iter()
                    .map(|&(value, factor)| of(value).saturating_mul(factor));
                each.fold(0, u64::saturating_add)
            };
            let hidden: Vec<Value> = match total(&of) >= LIMIT {
                true => {
                    let values = terms.iter().map(|&(value, _)| value);
                    values.filter(|&value| of(value) > 1).collect()
                }
                false => Vec::new(),
            };
            let sum = total(&|value| if hidden.contains(&value) { 1 } else { of(value) });
            if !hidden.is_empty() {
                found.insert(id, hidden);
            }
            for result in op.results() {
                sums.set(result, sum);
            }
        }
    }
    found
}

/// Replaces an operand of an instruction that has [`terms`].
fn replace(instruction: &mut Instruction, old: Value, new: Value) {
    let operands = match instruction {
        Instruction::Mad { a, b, c, .. } => vec![a, b, c],
        Instruction::Mul { a, b, .. } | Instruction::Add { a, b, .. } | Instruction::Sub { a, b, .. } => {
            vec![a, b]
        }
        Instruction::Shl { a, .. } => vec![a],
        _ => Vec::new(),
    };
    for operand in operands {
        if *operand == old {
            *operand = new;
        }
    }
}
