//! Sequentialises parallel moves.

use tilewright_irs::ptx::{Builder, MoveSource, Register, Value};

/// Emits moves as if each read its source before any wrote: a move waits until its destination is not read any more,
/// and a cycle is broken with a temporary register.
pub(super) fn parallel_moves(b: &mut Builder, moves: Vec<(Register, Value)>) {
    let mut left: Vec<(Register, Value)> = moves
        .into_iter()
        .filter(|(to, from)| Value::from(*to) != *from)
        .collect();
    while !left.is_empty() {
        let free = left
            .iter()
            .position(|(to, _)| !left.iter().any(|(_, from)| *from == Value::from(*to)));
        let next = free.unwrap_or_else(|| {
            let (to, _) = left[0];
            let ty = to.class.declared();
            let saved = Value::from(b.mov(ty, to));
            for (_, from) in &mut left {
                if *from == Value::from(to) {
                    *from = saved;
                }
            }
            0
        });
        let (to, from) = left.remove(next);
        b.assign(to.class.declared(), to, MoveSource::Value(from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tilewright_irs::ptx::{Class, Instruction};

    /// The contents of the registers after the emitted moves, if register `i` contained `i` before.
    fn run(moves: &[(u32, Value)]) -> BTreeMap<Register, i64> {
        let mut b = Builder::new("k");
        let registers: Vec<Register> = (0..6).map(|_| b.register(Class::B32)).collect();
        let moves = moves
            .iter()
            .map(|(to, from)| (registers[*to as usize], *from))
            .collect();
        parallel_moves(&mut b, moves);
        let mut held: BTreeMap<Register, i64> = registers.iter().map(|r| (*r, i64::from(r.index))).collect();
        for line in b.finish().lines() {
            let Instruction::Mov { d, a, .. } = &line.instruction else {
                panic!("{line:?}")
            };
            let value = match a {
                Value::Register(r) => held[r],
                Value::Immediate(tilewright_irs::ptx::Immediate::Int(value)) => *value,
                Value::Immediate(other) => panic!("{other:?}"),
            };
            held.insert(*d, value);
        }
        held
    }

    #[test]
    fn all_sources_are_read_first() {
        let r = |index| {
            Value::from(Register {
                class: Class::B32,
                index,
            })
        };
        // Every function from four registers to five sources: the four registers and a constant.
        for choice in 0..5u32.pow(4) {
            let moves: Vec<(u32, Value)> = (0..4)
                .map(|to| match choice / 5u32.pow(to) % 5 {
                    4 => (to, Value::from(77)),
                    from => (to, r(from)),
                })
                .collect();
            let after = run(&moves);
            for (to, from) in &moves {
                let want = match from {
                    Value::Register(from) => i64::from(from.index),
                    Value::Immediate(_) => 77,
                };
                assert_eq!(
                    after[&Register {
                        class: Class::B32,
                        index: *to
                    }],
                    want,
                    "{moves:?}"
                );
            }
        }
    }
}
