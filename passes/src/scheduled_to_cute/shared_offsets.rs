//! Offsets in shared memory: a part of a thread and a part of a register, combined by exclusive or.

use tilewright_irs::core::Value;
use tilewright_layouts::LinearLayout;

use super::agent::Agent;
use super::emit::{Cx, I32, at};
use super::placement::{register_coordinate, span_mask, thread_bases};

/// The offsets of a layout from registers and threads to the elements of a buffer.
pub(super) struct SharedOffsets<'a> {
    layout: &'a LinearLayout,
    /// The contribution (exclusive or) of each bit of the thread index.
    bases: Vec<i64>,
    /// The bits that depend on the thread.
    mask: u32,
    /// The contribution (exclusive or) of the start of a slice.
    begin: u32,
}

impl<'a> SharedOffsets<'a> {
    /// The offsets of a layout of one axis, from `begin` on.
    pub(super) fn new(layout: &'a LinearLayout, begin: u32) -> Self {
        let bases = thread_bases(layout, 0);
        let mask = u32::try_from(span_mask(&bases)).unwrap_or(0);
        Self {
            layout,
            bases,
            mask,
            begin,
        }
    }

    /// The contribution of a register: what it flips of the bits that depend on the thread, and the constant rest in
    /// elements.
    pub(super) fn of_register(&self, register: u32) -> (u32, i64) {
        let offset = register_coordinate(self.layout, register, 0) ^ self.begin;
        (offset & self.mask, i64::from(offset & !self.mask))
    }

    /// A thread's pointer with these bits of its offset flipped; the rest of a register's offset is added to it.
    pub(super) fn pointer(&self, cx: &mut Cx<'_>, base: Value, flipped: u32, agent: Agent) -> Value {
        let mut emit = at(cx);
        let part = emit.linear_index(agent.thread, self.bases.clone(), I32);
        let part = match flipped {
            0 => part,
            flipped => {
                let flipped = emit.i32(flipped);
                emit.xor(part, flipped)
            }
        };
        emit.add_offset(base, part)
    }
}
