//! `ldmatrix`: a warp loads matrices from a buffer into the fragments that products take.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::cute_nvgpu::MatrixOrder;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::tileas::atoms::LdMatrix;
use tilewright_layouts::distributed::MatrixPlan;
use tilewright_layouts::{Dim, ElementWidth};

use super::agent::Agent;
use super::emit::{Cx, I32, at, bug, gathered};
use super::placement::{register_coordinate, span_mask, thread_bases};

/// Loads a tile from a buffer.
pub(super) fn load(cx: &mut Cx<'_>, id: OpId, source: Value, atom: LdMatrix, agent: Agent) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let (Some(layout), Some(buffer)) = (cx.from.ty(result).layout(), cx.from.ty(source).buffer()) else {
        return Err(bug(origin, "`ldmatrix` of something that is no buffer"));
    };
    let width = ElementWidth::of_bits(buffer.element_bits());
    let plan = buffer
        .linear()
        .zip(width)
        .and_then(|(memory, width)| {
            let inverse = memory.pseudo_inverse().ok()?;
            MatrixPlan::new(atom.form(), &layout.compose(&inverse).ok()?, width).ok()
        })
        .ok_or_else(|| bug(origin, "`ldmatrix` does not move this tile"))?;
    let (base, count) = (cx.one(source), atom.count.get());
    let order = if atom.trans {
        MatrixOrder::Transposed
    } else {
        MatrixOrder::Normal
    };
    let bases = thread_bases(&plan.addresses, 0);
    let mask = u32::try_from(span_mask(&bases)).unwrap_or(0);
    let registers = layout.in_size(Dim::Register);
    let mut places: Vec<Option<(Value, u32)>> = vec![None; registers as usize];
    for instruction in 0..plan.instructions() {
        let offset = register_coordinate(&plan.addresses, instruction, 0);
        let mut emit = at(cx);
        let part = emit.linear_index(agent.thread, bases.clone(), I32);
        let part = match offset & mask {
            0 => part,
            flipped => {
                let flipped = emit.i32(flipped);
                emit.xor(part, flipped)
            }
        };
        let pointer = emit.add_offset(base, part);
        let loaded = emit.0.value(
            FragmentOp::LoadMatrix {
                pointer,
                offsets: vec![i64::from(offset & !mask)],
                count,
                order,
            },
            DesugaredType::Fragment(plan.elements(), buffer.element.into()),
        );
        for element in 0..plan.elements() {
            if let Some(place) = places.get_mut(plan.register(instruction, element) as usize) {
                *place = Some((loaded, element));
            }
        }
    }
    // Registers that are copies of others.
    let found: Option<Vec<(Value, u32)>> = (0..registers)
        .map(|register| {
            places
                .get((register & !plan.copies()) as usize)
                .copied()
                .flatten()
        })
        .collect();
    let value = found
        .and_then(|found| gathered(cx, &found))
        .ok_or_else(|| bug(origin, "`ldmatrix` leaves out a register"))?;
    cx.bind(result, [value]);
    Ok(())
}
