//! Memory: buffers with addresses of their own, what of them is written, and who accessed what.

mod buffers;
mod order;
mod shadow;

use tilewright_diagnostics::Code;
use tilewright_irs::element::ScalarType;

use buffers::Place;
pub(crate) use buffers::{ABSENT, Buffers, HIGH_HALF, Owner, bytes_of};
pub use buffers::{BufferId, Init};
pub(crate) use order::{Event, Order};
pub(crate) use shadow::{Access, Shadow, Touch};

use crate::fault::{Fault, Outcome};

/// The most memory ops and joins of tokens of a launch.
const MOST_EVENTS: usize = 1 << 24;
/// The memory of a device.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) buffers: Buffers,
    pub(crate) order: Order,
    pub(crate) shadow: Shadow,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            buffers: Buffers::default(),
            order: Order::new(),
            shadow: Shadow::new(),
        }
    }

    /// Forgets who accessed what: everything of the last launch comes before everything of the next one.
    pub(crate) fn begin_launch(&mut self) {
        self.order = Order::new();
        self.shadow = Shadow::new();
    }

    /// Ends the life of a buffer.
    pub(crate) fn free(&mut self, buffer: BufferId) {
        self.buffers.free(buffer);
        self.shadow.forget(buffer.index());
    }

    /// Starts an access that nothing but a token orders. Returns its event.
    pub(crate) fn begin(&mut self, after: Event, access: Access) -> Outcome<Event> {
        let event = self.event([after])?;
        self.shadow.begin(event, access);
        Ok(event)
    }

    /// A new event after these. Launches remember all of theirs, so there are only so many.
    pub(crate) fn event(&mut self, after: impl IntoIterator<Item = Event>) -> Outcome<Event> {
        if self.order.len() > MOST_EVENTS {
            let message = format!("the kernel has not ended after {MOST_EVENTS} memory ops");
            return Err(Fault::new(Code::StepLimit, message));
        }
        Ok(self.order.add(after))
    }

    /// Ends an access: what it acquired comes before what waits for it.
    pub(crate) fn end(&mut self, event: Event) {
        let saw = self.shadow.end();
        if !saw.is_empty() {
            self.order.add_before(event, &saw);
        }
    }

    /// Reads an element at an address that is not [`ABSENT`].
    pub(crate) fn read(&mut self, address: u64, ty: ScalarType, access: &Access) -> Outcome<u64> {
        let place = self.buffers.find(address, ty, access)?;
        if let Touch::Race(other) = self.touch(place) {
            return Err(self.race(place, access, other));
        }
        self.buffers.peek(place, ty)
    }

    fn touch(&mut self, place: Place) -> Touch {
        let Place {
            buffer,
            offset,
            bytes,
            ..
        } = place;
        self.shadow.touch(&mut self.order, buffer, offset, bytes)
    }

    /// Writes an element at an address that is not [`ABSENT`].
    pub(crate) fn write(&mut self, address: u64, ty: ScalarType, bits: u64, access: &Access) -> Outcome<()> {
        let place = self.buffers.find(address, ty, access)?;
        match self.touch(place) {
            Touch::Fine => {}
            // Two elements of four bits share a byte.
            Touch::Again if ty.bytes().is_none() => {}
            Touch::Again => {
                let before = self.buffers.peek(place, ty)?;
                if before != bits {
                    let message = format!(
                        "two elements of one store write different values to {}",
                        self.buffers.describe(address)
                    );
                    return Err(
                        Fault::new(Code::Race, message).note("which of the elements stays is not defined")
                    );
                }
            }
            Touch::Race(other) => return Err(self.race(place, access, other)),
        }
        self.buffers.poke(place, ty, bits)
    }

    /// Replaces an element by what is made of it, and returns what was there. Elements of one op may meet.
    pub(crate) fn update(
        &mut self,
        address: u64,
        ty: ScalarType,
        access: &Access,
        new: impl FnOnce(u64) -> u64,
    ) -> Outcome<u64> {
        let place = self.buffers.find(address, ty, access)?;
        if let Touch::Race(other) = self.touch(place) {
            return Err(self.race(place, access, other));
        }
        let old = self.buffers.peek(place, ty)?;
        self.buffers.poke(place, ty, new(old))?;
        Ok(old)
    }

    fn race(&self, place: Place, access: &Access, other: Event) -> Box<Fault> {
        let what = |access: &Access| match (access.writes, access.scope) {
            (false, None) => "read",
            (true, None) => "write",
            (false, Some(_)) => "atomic read",
            (true, Some(_)) => "atomic write",
        };
        let name = self.buffers.name(place.buffer);
        let place = format!("byte {} of {name}", place.offset);
        let Some(earlier) = self.shadow.access(other) else {
            return Fault::new(Code::Race, format!("a race for {place}"));
        };
        let same = earlier.block == access.block;
        let message = format!(
            "a {} of {place} is not ordered after a {} of it{}",
            what(access),
            what(earlier),
            if same { "" } else { " by another tile block" },
        );
        let fault = Fault::new(Code::Race, message).also(earlier.origin, "the other access");
        if same {
            fault.help(
                "give this op a token that comes from the other one: only tokens order memory ops of a block",
            )
        } else {
            fault.note(format!("the other tile block has the number {}", earlier.block)).help(
                "tile blocks run at the same time: let them access different elements, or use atomic ops with a \
                 scope that both are in",
            )
        }
    }
}
