//! The happens-before order of memory ops: token order, and synchronisation between tile blocks.
//!
//! Every op with a token is an event; its predecessors are the event of its token operand, and, for an acquire, the
//! releases that it observed. Nothing else orders events: neither program order nor data dependence (memory model of
//! Tile IR, "token order").

/// One execution of a memory op; also a token, which orders after it. The first one happens before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Event(pub(crate) u32);

impl Event {
    /// The predecessor of a fresh token: none.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
struct Node {
    /// The direct predecessors of this event, without [`Event::NONE`].
    before: Vec<Event>,
    /// The first event of this event's chain: a chain is a sequence of events each with the previous one as its only
    /// predecessor.
    line: Event,
    /// Whether the chain continues after this event.
    goes_on: bool,
}

/// The events of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    nodes: Vec<Node>,
    /// For each event, the last search that visited it.
    seen: Vec<u32>,
    search: u32,
}

impl Order {
    /// No event but [`Event::NONE`].
    pub(crate) fn new() -> Self {
        let none = Node {
            before: Vec::new(),
            line: Event::NONE,
            goes_on: false,
        };
        Self {
            nodes: vec![none],
            seen: vec![0],
            search: 0,
        }
    }

    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A new event after these.
    pub(crate) fn add(&mut self, before: impl IntoIterator<Item = Event>) -> Event {
        // The memory limits the number of events to less than this.
        let event = Event(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let mut before: Vec<_> = before.into_iter().filter(|event| *event != Event::NONE).collect();
        before.sort_unstable();
        before.dedup();
        let line = self.line(event, &before);
        self.nodes.push(Node {
            before,
            line,
            goes_on: false,
        });
        self.seen.push(0);
        event
    }

    /// Adds predecessors to an event without successors.
    pub(crate) fn add_before(&mut self, event: Event, more: &[Event]) {
        let Some(node) = self.nodes.get_mut(event.index()) else {
            return;
        };
        node.before.extend(more.iter().filter(|other| **other < event));
        node.before.sort_unstable();
        node.before.dedup();
        let before = node.before.clone();
        let line = self.line(event, &before);
        if let Some(node) = self.nodes.get_mut(event.index()) {
            node.line = line;
        }
    }

    fn line(&mut self, event: Event, before: &[Event]) -> Event {
        let [only] = before else { return event };
        match self.nodes.get_mut(only.index()) {
            Some(node) if !node.goes_on => {
                node.goes_on = true;
                node.line
            }
            Some(_) | None => event,
        }
    }

    /// Whether `first` happens before `then`.
    pub(crate) fn is_before(&mut self, first: Event, then: Event) -> bool {
        if first == Event::NONE {
            return true;
        }
        self.search = self.search.wrapping_add(1);
        let mut open = vec![then];
        while let Some(event) = open.pop() {
            let Some(node) = self.nodes.get(event.index()) else {
                continue;
            };
            let start = node.line;
            // Within a chain, index order is happens-before order.
            let on_line = self
                .nodes
                .get(first.index())
                .is_some_and(|node| node.line == start);
            if on_line && first < then && first <= event {
                return true;
            }
            let Some(seen) = self.seen.get_mut(start.index()) else {
                continue;
            };
            if *seen == self.search {
                continue;
            }
            *seen = self.search;
            let before = self.nodes.get(start.index()).map(|node| node.before.as_slice());
            // Predecessors are older, so events older than `first` never lead to it.
            open.extend(before.unwrap_or_default().iter().filter(|event| **event >= first));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_joins_and_forks_are_told_apart() {
        let mut order = Order::new();
        let a = order.add([Event::NONE]);
        let b = order.add([a]);
        let c = order.add([a]);
        let d = order.add([b]);
        let e = order.add([c, d]);
        let f = order.add([e]);
        let lone = order.add([]);
        for (first, then, want) in [
            (a, b, true),
            (a, f, true),
            (b, c, false),
            (c, b, false),
            (b, d, true),
            (c, d, false),
            (d, c, false),
            (c, e, true),
            (d, f, true),
            (f, a, false),
            (b, b, false),
            (lone, f, false),
            (a, lone, false),
            (Event::NONE, lone, true),
        ] {
            assert_eq!(order.is_before(first, then), want, "{first:?} {then:?}");
        }
    }

    #[test]
    fn every_random_graph_is_searched_as_by_hand() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..50 {
            let mut order = Order::new();
            let mut reach: Vec<Vec<bool>> = vec![vec![false; 40]];
            for at in 1..40u64 {
                let mut row = vec![false; 40];
                let mut before = Vec::new();
                for _ in 0..random(3) {
                    let other = random(at);
                    before.push(Event(u32::try_from(other).expect("small")));
                    let index = usize::try_from(other).expect("small");
                    for (to, from) in row.iter_mut().zip(&reach[index]) {
                        *to |= from;
                    }
                    row[index] = true;
                }
                assert_eq!(u64::from(order.add(before).0), at);
                reach.push(row);
            }
            for then in 1..40u32 {
                for first in 1..40u32 {
                    assert_eq!(
                        order.is_before(Event(first), Event(then)),
                        reach[then as usize][first as usize]
                    );
                }
            }
        }
    }
}
