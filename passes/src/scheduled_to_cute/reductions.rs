//! Lowers reductions within a thread: its registers along the axis are combined one after the other.

use tilewright_irs::core::{OpId, Region, Translate, Translated, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::scheduled::Scheduled;
use tilewright_layouts::{Dim, LinearLayout};

use super::emit::{Cx, at, bug};

/// The registers of a tile without replicas, grouped by their coordinates along the other axes.
fn groups(layout: &LinearLayout, axis: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let copies = layout.free_mask(Dim::Register);
    let mut groups: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    for register in (0..layout.in_size(Dim::Register)).filter(|register| register & copies == 0) {
        let mut place = layout.at(register, 0, 0, 0).to_vec();
        if axis < place.len() {
            place.remove(axis);
        }
        match groups.iter_mut().find(|(other, _)| *other == place) {
            Some((_, registers)) => registers.push(register),
            None => groups.push((place, vec![register])),
        }
    }
    groups
}

/// Lowers a reduction whose threads hold all of the axis. The body is emitted once for each element but the first.
pub(super) fn in_thread(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    id: OpId,
    operands: &[Value],
    axis: u32,
    body: Region,
) -> Translated {
    let (origin, from) = (cx.origin(), cx.from);
    let wrong = || bug(origin, "a reduction of something that is no tile");
    let first = *operands.first().ok_or_else(wrong)?;
    let layout = from.ty(first).layout().ok_or_else(wrong)?;
    let block = from.only_block(body).ok_or_else(wrong)?;
    let results: Vec<Value> = cx.old(id).results().collect();
    let groups = groups(layout, axis as usize);
    let fragments: Vec<Value> = operands.iter().map(|&operand| cx.one(operand)).collect();
    let mut made: Vec<(Vec<u32>, Vec<Value>)> = Vec::new();
    for (place, registers) in groups {
        let mut combined: Option<Vec<Value>> = None;
        for register in registers {
            let elements: Vec<Value> = fragments
                .iter()
                .map(|&fragment| at(cx).extract(fragment, register))
                .collect();
            combined = Some(match combined {
                None => elements,
                Some(so_far) => {
                    let values = cx.inline(id, block, so_far.into_iter().chain(elements), pass)?;
                    cx.set_origin(origin);
                    values.ok_or_else(|| bug(origin, "the body of a reduction has no end"))?
                }
            });
        }
        made.push((place, combined.ok_or_else(wrong)?));
    }
    for (number, result) in results.into_iter().enumerate() {
        let element = |values: &Vec<Value>| values.get(number).copied();
        let value = match from.ty(result).layout() {
            None => made.first().and_then(|(_, values)| element(values)),
            Some(layout) => {
                let registers = 0..layout.in_size(Dim::Register);
                let elements: Option<Vec<Value>> = registers
                    .map(|register| {
                        let place = layout.at(register, 0, 0, 0);
                        let found = made.iter().find(|(other, _)| **other == *place);
                        found.and_then(|(_, values)| element(values))
                    })
                    .collect();
                elements.and_then(|elements| at(cx).fragment(elements))
            }
        };
        let value = value.ok_or_else(|| bug(origin, "a reduction leaves out a register"))?;
        cx.bind(result, [value]);
    }
    Ok(())
}
