//! Hides bits that `ptxas` would multiply wrongly.
//!
//! In and out: `nvvm`. ptxas 13.5, from -O1 on, takes the low bits of a 32-bit product for zeros where it knows those of both
//! factors: it computes `(2 * x + 1) * (2 * x + 1) & 1` as 0, on `sm_80` to `sm_120a`. A factor that is a constant is
//! multiplied as it should be, and so are products of 16 and of 64 bits. ptxas 12.8 is right.
//!
//! Out: where both factors have a bit that is known to be set, with all bits below it known, one is combined by `xor` with a
//! zero of which ptxas knows no bit: the sign of the number of blocks along x, which is below 2^31.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Operation, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::isa::{OpResult, Part, Type};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmDialect, NvvmOp, NvvmType, TargetOp};

use super::unknown_zero::{hide, unknown_zero};

/// Hides known bits from ptxas in products; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn hide_known_bits(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let mut products = func.body.ops().filter_map(|(_, op)| factors(&op.kind));
    let Some(entry) = func.body.entry().filter(|_| products.next().is_some()) else {
        return Ok(func.clone());
    };
    let (known, definitions) = (known_bits(&func.body), func.body.definitions());
    let is_constant = |value: Value| {
        let kind = definitions.get(value).map(|&id| &func.body.op(id).kind);
        matches!(kind, Some(NvvmOp::Nvvm(NvvmDialect::Constant { .. })))
    };
    let shows = |value: Value| known.get(value).is_some_and(|low| low.bits != 0) && !is_constant(value);
    let endangered = |op: &NvvmOp| factors(op).and_then(|(a, b)| (shows(a) && shows(b)).then_some(a));
    if !func.body.ops().any(|(_, op)| endangered(&op.kind).is_some()) {
        return Ok(func.clone());
    }
    let mut body = func.body.clone();
    let zero = unknown_zero(&mut body, entry, Type::S32);
    hide(
        &mut body,
        NvvmType::B32,
        &|_, op| endangered(op).into_iter().collect(),
        &|a| Instruction::Xor {
            ty: Type::B32,
            d: OpResult,
            a,
            b: zero,
        },
        &|instruction, _, new| {
            if let Instruction::Mul { a, .. } | Instruction::Mad { a, .. } = instruction {
                *a = new;
            }
        },
    );
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// The factors of a 32-bit product of integers.
fn factors(op: &NvvmOp) -> Option<(Value, Value)> {
    let NvvmOp::Target(op) = op else { return None };
    match op.instruction {
        Instruction::Mul {
            part: Some(Part::Lo),
            ty: Type::U32 | Type::S32,
            a,
            b,
            ..
        }
        | Instruction::Mad {
            part: Part::Lo,
            ty: Type::U32 | Type::S32,
            a,
            b,
            ..
        } => Some((a, b)),
        _ => None,
    }
}

/// The low bits of a value that are known, without a gap: so many, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Low {
    count: u32,
    bits: u64,
}

impl Low {
    const NONE: Self = Self { count: 0, bits: 0 };

    fn new(count: u32, bits: u64) -> Self {
        let count = count.min(u64::BITS);
        let mask = u64::MAX.checked_shr(u64::BITS - count).unwrap_or(0);
        Self {
            count,
            bits: bits & mask,
        }
    }

    /// What is known of a value that is one of two.
    fn either(self, other: Self) -> Self {
        let differ = (self.bits ^ other.bits).trailing_zeros();
        Self::new(self.count.min(other.count).min(differ), self.bits)
    }

    /// The low bits that are known of what a bitwise op computes, one of whose operands decides it where its bit is `deciding`.
    fn bitwise(self, other: Self, deciding: bool, op: fn(u64, u64) -> u64) -> Self {
        let known = |at: u32| {
            let decides = |low: Self| at < low.count && (low.bits >> at & 1 == 1) == deciding;
            (at < self.count && at < other.count) || decides(self) || decides(other)
        };
        let count = (0..u64::BITS).take_while(|&at| known(at)).count();
        Self::new(u32::try_from(count).unwrap_or(0), op(self.bits, other.bits))
    }

    /// The known bits of a product: those of a factor are of use as far as the other one has zeros below.
    fn product(self, other: Self) -> Self {
        let zeros = |low: Self| low.bits.trailing_zeros().min(low.count);
        let count = (self.count + zeros(other)).min(other.count + zeros(self));
        Self::new(count, self.bits.wrapping_mul(other.bits))
    }

    fn sum(self, other: Self) -> Self {
        Self::new(self.count.min(other.count), self.bits.wrapping_add(other.bits))
    }
}

/// What is known of each value's low bits.
fn known_bits(body: &Body<Nvvm>) -> SideTable<Value, Low> {
    let mut known: SideTable<Value, Low> = body.value_table();
    for &param in body.params() {
        known.set(param, Low::NONE);
    }
    let blocks = reverse_postorder(body, body.root());
    // What comes to a block by a later branch is met with in the next round; bits only become unknown.
    loop {
        let mut changed = false;
        for &block in &blocks {
            for &id in &body.block(block).ops {
                let op = body.op(id);
                let found = of_op(&op.kind, &known);
                for result in op.results() {
                    changed |= known.get(result) != Some(&found);
                    known.set(result, found);
                }
                op.kind.successors(&mut |to| {
                    for (&arg, &value) in body.block(to.block).args.iter().zip(&to.args) {
                        let Some(&come) = known.get(value) else { continue };
                        let now = known.get(arg).map_or(come, |&before| before.either(come));
                        changed |= known.get(arg) != Some(&now);
                        known.set(arg, now);
                    }
                });
            }
        }
        if !changed {
            return known;
        }
    }
}

/// What is known of the low bits of an op's results.
fn of_op(op: &NvvmOp, known: &SideTable<Value, Low>) -> Low {
    let instruction = match op {
        NvvmOp::Nvvm(NvvmDialect::Constant { value }) => return Low::new(value.ty.bits(), value.bits),
        NvvmOp::Target(TargetOp {
            instruction,
            guard: None,
            ..
        }) => instruction,
        NvvmOp::Nvvm(_) | NvvmOp::Target(_) => return Low::NONE,
    };
    let of = |value: Value| known.get(value).copied().unwrap_or(Low::NONE);
    // How far a constant shifts.
    let by = |value: Value| {
        let low = Some(of(value)).filter(|low| low.count >= 32)?;
        u32::try_from(low.bits).ok().filter(|&by| by < u64::BITS)
    };
    let (ty, low) = match *instruction {
        Instruction::Mov { ty, a, .. } => (ty, of(a)),
        Instruction::Add { ty, a, b, .. } => (ty, of(a).sum(of(b))),
        Instruction::Sub { ty, a, b, .. } => {
            let b = of(b);
            (ty, of(a).sum(Low::new(b.count, b.bits.wrapping_neg())))
        }
        Instruction::Mul {
            part: Some(Part::Lo),
            ty,
            a,
            b,
            ..
        } => (ty, of(a).product(of(b))),
        Instruction::Mad {
            part: Part::Lo,
            ty,
            a,
            b,
            c,
            ..
        } => (ty, of(a).product(of(b)).sum(of(c))),
        Instruction::And { ty, a, b, .. } => (ty, of(a).bitwise(of(b), false, |a, b| a & b)),
        Instruction::Or { ty, a, b, .. } => (ty, of(a).bitwise(of(b), true, |a, b| a | b)),
        Instruction::Xor { ty, a, b, .. } => {
            let (a, b) = (of(a), of(b));
            (ty, Low::new(a.count.min(b.count), a.bits ^ b.bits))
        }
        Instruction::Not { ty, a, .. } => (ty, Low::new(of(a).count, !of(a).bits)),
        Instruction::Shl { ty, a, b, .. } => match by(b) {
            Some(by) => (ty, Low::new(of(a).count + by, of(a).bits << by)),
            None => return Low::NONE,
        },
        Instruction::Shr { ty, a, b, .. } => match by(b) {
            Some(by) => (ty, Low::new(of(a).count.saturating_sub(by), of(a).bits >> by)),
            None => return Low::NONE,
        },
        Instruction::Selp { ty, a, b, .. }
        | Instruction::Min { ty, a, b, .. }
        | Instruction::Max { ty, a, b, .. } => (ty, of(a).either(of(b))),
        Instruction::Cvt { to, from, a, .. } if is_integer(from) => (to, of(a)),
        _ => return Low::NONE,
    };
    match is_integer(ty) {
        true => Low::new(low.count.min(ty.bits()), low.bits),
        false => Low::NONE,
    }
}

fn is_integer(ty: Type) -> bool {
    use Type::*;
    matches!(
        ty,
        B8 | B16 | B32 | B64 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64
    )
}
