//! Memory: buffers, initialised bytes, and race detection.

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
use crate::unspecified::{Causes, Mark};

/// Limit of memory ops and joins of tokens in a launch.
const MOST_EVENTS: usize = 1 << 24;

/// The memory of a device.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) buffers: Buffers,
    pub(crate) order: Order,
    pub(crate) shadow: Shadow,
    /// The origins of marks in memory and in tiles.
    pub(crate) causes: Causes,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            buffers: Buffers::default(),
            order: Order::new(),
            shadow: Shadow::new(),
            causes: Causes::default(),
        }
    }

    /// Resets race detection: the last launch happens before the next one.
    pub(crate) fn begin_launch(&mut self) {
        self.order = Order::new();
        self.shadow = Shadow::new();
    }

    /// Frees a buffer.
    pub(crate) fn free(&mut self, buffer: BufferId) {
        self.buffers.free(buffer);
        self.shadow.forget(buffer.index());
    }

    /// Starts an access that is ordered by its token only, and returns its event.
    pub(crate) fn begin(&mut self, after: Event, access: Access) -> Outcome<Event> {
        let event = self.event([after])?;
        self.shadow.begin(event, access);
        Ok(event)
    }

    /// A new event after these. All events of a launch are kept, so their number is limited.
    pub(crate) fn event(&mut self, after: impl IntoIterator<Item = Event>) -> Outcome<Event> {
        if self.order.len() > MOST_EVENTS {
            let message = format!("the kernel has not ended after {MOST_EVENTS} memory ops");
            return Err(Fault::new(Code::StepLimit, message));
        }
        Ok(self.order.add(after))
    }

    /// Ends an access: releases that it acquired happen before its successors.
    pub(crate) fn end(&mut self, event: Event) {
        let saw = self.shadow.end();
        if !saw.is_empty() {
            self.order.add_before(event, &saw);
        }
    }

    /// Reads an element at an address that is not [`ABSENT`].
    pub(crate) fn read(&mut self, address: u64, ty: ScalarType, access: &Access) -> Outcome<(u64, Mark)> {
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
    pub(crate) fn write(
        &mut self,
        address: u64,
        ty: ScalarType,
        element: (u64, Mark),
        access: &Access,
    ) -> Outcome<()> {
        let place = self.buffers.find(address, ty, access)?;
        self.write_at(place, ty, element, access)
    }

    /// Writes an element to every replica.
    pub(crate) fn write_all(
        &mut self,
        address: u64,
        ty: ScalarType,
        element: (u64, Mark),
        access: &Access,
    ) -> Outcome<()> {
        for place in self.buffers.find_all(address, ty, access)? {
            self.write_at(place, ty, element, access)?;
        }
        Ok(())
    }

    /// Reads an element from every replica.
    pub(crate) fn read_all(
        &mut self,
        address: u64,
        ty: ScalarType,
        access: &Access,
    ) -> Outcome<Vec<(u64, Mark)>> {
        let mut found = Vec::new();
        for place in self.buffers.find_all(address, ty, access)? {
            if let Touch::Race(other) = self.touch(place) {
                return Err(self.race(place, access, other));
            }
            found.push(self.buffers.peek(place, ty)?);
        }
        Ok(found)
    }

    /// Updates an element in every replica.
    pub(crate) fn update_all(
        &mut self,
        address: u64,
        ty: ScalarType,
        access: &Access,
        new: impl Fn((u64, Mark)) -> (u64, Mark),
    ) -> Outcome<()> {
        for place in self.buffers.find_all(address, ty, access)? {
            self.update_at(place, ty, access, &new)?;
        }
        Ok(())
    }

    fn write_at(
        &mut self,
        place: Place,
        ty: ScalarType,
        (bits, mark): (u64, Mark),
        access: &Access,
    ) -> Outcome<()> {
        match self.touch(place) {
            Touch::Fine => {}
            // Two elements of four bits share a byte.
            Touch::Again if ty.bytes().is_none() => {}
            Touch::Again => {
                let (before, _) = self.buffers.peek(place, ty)?;
                if before != bits {
                    let message = format!(
                        "two elements of one store write different values to byte {} of {}",
                        place.offset,
                        self.buffers.name(place.buffer)
                    );
                    return Err(
                        Fault::new(Code::Race, message).note("which of the elements stays is not defined")
                    );
                }
            }
            Touch::Race(other) => return Err(self.race(place, access, other)),
        }
        let mark = self.causes.stored(mark, access.origin);
        self.buffers.poke(place, ty, bits, mark)
    }

    /// Updates an element, and returns the old value. Several elements of one op may have the same address.
    pub(crate) fn update(
        &mut self,
        address: u64,
        ty: ScalarType,
        access: &Access,
        new: impl FnOnce((u64, Mark)) -> (u64, Mark),
    ) -> Outcome<(u64, Mark)> {
        let place = self.buffers.find(address, ty, access)?;
        self.update_at(place, ty, access, new)
    }

    fn update_at(
        &mut self,
        place: Place,
        ty: ScalarType,
        access: &Access,
        new: impl FnOnce((u64, Mark)) -> (u64, Mark),
    ) -> Outcome<(u64, Mark)> {
        if let Touch::Race(other) = self.touch(place) {
            return Err(self.race(place, access, other));
        }
        let old = self.buffers.peek(place, ty)?;
        let (bits, mark) = new(old);
        let mark = self.causes.stored(mark, access.origin);
        self.buffers.poke(place, ty, bits, mark)?;
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
