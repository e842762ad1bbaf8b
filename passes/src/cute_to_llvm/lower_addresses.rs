//! Lowers layouts of the thread index and pointer offsets to integer arithmetic.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Instruction, OpResult, Space, To, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::emit::{Cx, I64, constant};

/// Consecutive bits of a coordinate that map to consecutive bits of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The first bit in the coordinate.
    from: u32,
    /// The number of bits.
    bits: u32,
    /// The basis of the first bit.
    basis: i64,
}

/// Groups the bases into runs, without zero bases.
fn runs(bases: &[i64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (bit, &basis) in (0..).zip(bases) {
        if basis == 0 {
            continue;
        }
        match runs.last_mut() {
            Some(run)
                if run.from + run.bits == bit
                    && run.basis > 0
                    && run.basis.checked_shl(run.bits) == Some(basis)
                    && run.basis.leading_zeros() > run.bits =>
            {
                run.bits += 1;
            }
            _ => runs.push(Run {
                from: bit,
                bits: 1,
                basis,
            }),
        }
    }
    runs
}

impl Run {
    /// The number of instructions of the run's contribution.
    fn cost(self) -> u32 {
        match self.basis.cast_unsigned().is_power_of_two() {
            true => 2,
            false => 3 * self.bits,
        }
    }
}

/// Bits of a coordinate that move by the same distance to bits of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// The bits.
    mask: u64,
    /// The distance, to the left.
    by: i32,
}

/// Groups the bits of the bases by distance, in order of first use: a swizzle moves the same bits by two. `None` if a
/// basis is negative.
fn shifts(bases: &[i64]) -> Option<Vec<Shift>> {
    let mut shifts: Vec<Shift> = Vec::new();
    for (from, &basis) in (0i32..).zip(bases) {
        let basis = u64::try_from(basis).ok()?;
        for to in (0i32..64).filter(|to| basis >> to & 1 == 1) {
            let (mask, by) = (1 << from, to - from);
            match shifts.iter_mut().find(|shift| shift.by == by) {
                Some(shift) => shift.mask |= mask,
                None => shifts.push(Shift { mask, by }),
            }
        }
    }
    Some(shifts)
}

/// The index of a coordinate, an i32 below `limit`; an i64 if `wide`.
pub(super) fn index(cx: &mut Cx<'_>, coord: Value, bases: &[i64], wide: bool, limit: u32) -> Value {
    let small = bases.iter().all(|&basis| (0..1 << 31).contains(&basis));
    if wide && small {
        // Computed in 32 bits and zero-extended.
        let narrow = index(cx, coord, bases, false, limit);
        let (source, signedness) = (narrow, Signedness::Unsigned);
        return cx.value(ArithOp::ExtI { source, signedness }, I64);
    }
    let scalar = if wide { ScalarType::I64 } else { ScalarType::I32 };
    let coord = if wide {
        let signedness = Signedness::Unsigned;
        cx.value(
            ArithOp::ExtI {
                source: coord,
                signedness,
            },
            I64,
        )
    } else {
        coord
    };
    let mut word = Words { cx, scalar };
    let mut seen = 0i64;
    let mut sum: Option<Value> = None;
    let mut add = |word: &mut Words<'_, '_>, part, reach| {
        sum = Some(match sum {
            None => part,
            Some(sum) if seen & reach == 0 => word.binary(|lhs, rhs| ArithOp::OrI { lhs, rhs }, sum, part),
            Some(sum) => word.binary(|lhs, rhs| ArithOp::XorI { lhs, rhs }, sum, part),
        });
        seen |= reach;
    };
    let runs = runs(bases);
    let by_runs: u32 = runs.iter().map(|run| run.cost()).sum();
    match shifts(bases).filter(|shifts| 2 * shifts.len() < by_runs as usize) {
        Some(shifts) => {
            for shift in shifts {
                let part = word.shifted(coord, shift, limit);
                let reach = match shift.by {
                    by @ 0.. => shift.mask << by,
                    by => shift.mask >> by.unsigned_abs(),
                };
                add(&mut word, part, reach.cast_signed());
            }
        }
        None => {
            for run in runs {
                let part = word.part(coord, run, limit);
                let reach = (0..run.bits).fold(0, |reach, bit| reach | run.basis.wrapping_shl(bit));
                add(&mut word, part, reach);
            }
        }
    }
    match sum {
        Some(sum) => sum,
        None => word.literal(0),
    }
}

struct Words<'a, 'b> {
    cx: &'a mut Cx<'b>,
    scalar: ScalarType,
}

impl Words<'_, '_> {
    fn literal(&mut self, bits: u64) -> Value {
        constant(self.cx, Literal::new(self.scalar, bits))
    }

    fn binary(&mut self, op: impl FnOnce(Value, Value) -> ArithOp, lhs: Value, rhs: Value) -> Value {
        self.cx.value(op(lhs, rhs), LlvmType::Scalar(self.scalar))
    }

    fn with(&mut self, op: impl FnOnce(Value, Value) -> ArithOp, lhs: Value, rhs: u64) -> Value {
        let rhs = self.literal(rhs);
        self.binary(op, lhs, rhs)
    }

    /// The contribution of bits that move by the same distance.
    fn shifted(&mut self, coord: Value, shift: Shift, limit: u32) -> Value {
        let overflow = Overflow::Wraps;
        let signedness = Signedness::Unsigned;
        // The bits that a coordinate below the limit may have and a shift to the right keeps.
        let dropped = (1 << shift.by.min(0).unsigned_abs()) - 1;
        let all = (u64::from(limit).next_power_of_two() - 1) & !dropped;
        let bits = match shift.mask == all {
            true => coord,
            false => self.with(|lhs, rhs| ArithOp::AndI { lhs, rhs }, coord, shift.mask),
        };
        let distance = u64::from(shift.by.unsigned_abs());
        match shift.by {
            0 => bits,
            1.. => self.with(|lhs, rhs| ArithOp::ShlI { lhs, rhs, overflow }, bits, distance),
            _ => self.with(|lhs, rhs| ArithOp::ShrI { lhs, rhs, signedness }, bits, distance),
        }
    }

    /// The contribution of one run.
    fn part(&mut self, coord: Value, run: Run, limit: u32) -> Value {
        let overflow = Overflow::Wraps;
        let signedness = Signedness::Unsigned;
        let shl = |lhs, rhs| ArithOp::ShlI { lhs, rhs, overflow };
        let shr = |lhs, rhs| ArithOp::ShrI { lhs, rhs, signedness };
        let and = |lhs, rhs| ArithOp::AndI { lhs, rhs };
        let count = (1u64 << run.bits) - 1;
        // No bit above the run can be set in a coordinate below the limit.
        let to_the_top = u64::from(limit) <= 1u64 << (run.from + run.bits);
        if run.basis > 0 && run.basis.cast_unsigned().is_power_of_two() {
            let to = run.basis.trailing_zeros();
            // Bits below the run must be cleared unless it begins at bit 0; a right shift drops them if the run moves
            // to bit 0.
            if to == 0 && run.from > 0 {
                let down = self.with(shr, coord, u64::from(run.from));
                return if to_the_top {
                    down
                } else {
                    self.with(and, down, count)
                };
            }
            let masked = if run.from == 0 && to_the_top {
                coord
            } else {
                self.with(and, coord, count << run.from)
            };
            return match to.cmp(&run.from) {
                std::cmp::Ordering::Equal => masked,
                std::cmp::Ordering::Greater => self.with(shl, masked, u64::from(to - run.from)),
                std::cmp::Ordering::Less => self.with(shr, masked, u64::from(run.from - to)),
            };
        }
        // A basis with several bits: the run's number times the basis, which is exact for a run of one bit.
        if run.bits == 1 {
            let bit = self.with(shr, coord, u64::from(run.from));
            let bit = if to_the_top { bit } else { self.with(and, bit, 1) };
            let basis = run.basis.cast_unsigned();
            return self.with(|lhs, rhs| ArithOp::MulI { lhs, rhs, overflow }, bit, basis);
        }
        let mut sum: Option<Value> = None;
        for bit in 0..run.bits {
            let single = Run {
                from: run.from + bit,
                bits: 1,
                basis: run.basis.wrapping_shl(bit),
            };
            let part = self.part(coord, single, limit);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.binary(|lhs, rhs| ArithOp::XorI { lhs, rhs }, sum, part),
            });
        }
        sum.unwrap_or(coord)
    }
}

/// A pointer plus a number of elements of `bytes` bytes.
pub(super) fn moved(cx: &mut Cx<'_>, base: Value, offset: Value, bytes: u32) -> Value {
    let ty = *cx.ty(base);
    let index = match *cx.ty(offset) {
        LlvmType::Scalar(ScalarType::I64) => offset,
        LlvmType::Scalar(_)
        | LlvmType::Ptr(_)
        | LlvmType::Vector(..)
        | LlvmType::TensorMap
        | LlvmType::Passed(_)
        | LlvmType::Struct(_) => {
            let (source, signedness) = (offset, Signedness::Signed);
            cx.value(ArithOp::ExtI { source, signedness }, I64)
        }
    };
    cx.value(
        LlvmDialect::GetElementPtr {
            base,
            index: Some(index),
            scale: bytes,
            offset: 0,
        },
        ty,
    )
}

/// A pointer plus a constant number of bytes.
pub(super) fn at_byte(cx: &mut Cx<'_>, base: Value, offset: i64) -> Value {
    if offset == 0 {
        return base;
    }
    let ty = *cx.ty(base);
    cx.value(
        LlvmDialect::GetElementPtr {
            base,
            index: None,
            scale: 1,
            offset,
        },
        ty,
    )
}

/// The generic address of a pointer to global memory, or of a tensor map among the parameters.
pub(super) fn generic(cx: &mut Cx<'_>, pointer: Value) -> Value {
    let space = match cx.ty(pointer) {
        LlvmType::TensorMap | LlvmType::Passed(_) => Space::Param,
        LlvmType::Scalar(_) | LlvmType::Ptr(_) | LlvmType::Vector(..) | LlvmType::Struct(_) => Space::Global,
    };
    let (to, ty) = (To(false), Type::U64);
    let (d, a) = (OpResult, pointer);
    cx.value(Instruction::Cvta { to, space, ty, d, a }, I64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_bases_are_one_run() {
        let run = |from, bits, basis| Run { from, bits, basis };
        assert_eq!(runs(&[4, 8, 16, 32, 64, 128, 256]), [run(0, 7, 4)]);
        assert_eq!(runs(&[1, 2, 0, 0, 4, 8]), [run(0, 2, 1), run(4, 2, 4)]);
        assert_eq!(runs(&[2, 1]), [run(0, 1, 2), run(1, 1, 1)]);
        assert_eq!(runs(&[3, 6]), [run(0, 2, 3)]);
        assert_eq!(runs(&[-1, -2]), [run(0, 1, -1), run(1, 1, -2)]);
        assert_eq!(runs(&[0, 0]), []);
    }

    #[test]
    fn bits_that_move_by_the_same_distance_are_one_shift() {
        let shift = |mask, by| Shift { mask, by };
        // Rows of 64 elements, whose vectors of 8 are permuted by the row.
        assert_eq!(
            shifts(&[72, 144, 288, 512, 8]),
            Some(vec![shift(0b111, 3), shift(0b1111, 6), shift(0b10000, -1)])
        );
        assert_eq!(shifts(&[1, 0, 4]), Some(vec![shift(0b101, 0)]));
        assert_eq!(shifts(&[1, -2]), None);
        assert_eq!(shifts(&[0, 0]), Some(vec![]));
    }
}
