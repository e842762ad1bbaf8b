//! The mbarrier object: counts, phases, and clocks.
//!
//! (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".) A phase is complete when no
//! arrivals and no transaction bytes are pending; the next one then begins with the expected number of arrivals.
//! Phases are counted without wrapping, where hardware keeps their parity, so that an ambiguous wait is detected.

use crate::clock::{Clock, Who};
use crate::fault::FaultKind;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::counted;

/// The largest count of an mbarrier.
const MOST: u32 = (1 << 20) - 1;

/// The violation of the protocol.
pub(crate) type Misuse = String;

/// The phase of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// That of the state returned by an arrival.
    State(u64),
    /// The current one or the one before it, by its parity.
    Parity(bool),
}

/// An initialised mbarrier.
#[derive(Clone, Debug)]
pub(crate) struct Mbarrier {
    /// The initialising warp, and its time.
    pub(crate) made: (Who, u32),
    /// Whether that warp has executed `fence.mbarrier_init` since.
    pub(crate) announced: bool,
    /// The party of the bulk copies that complete here, and its time before the first phase.
    transfers: (Who, u32),
    /// Expected arrivals of later phases.
    expected: u32,
    /// Pending arrivals of the current phase.
    pending: u32,
    /// Pending bytes of the current phase.
    bytes: i64,
    /// The number of complete phases, which is the index of the current one.
    phase: u64,
    /// The join of the clocks of arrivals in the current phase.
    arriving: Clock,
    /// The join of the clocks of arrivals in complete phases.
    complete: Clock,
    /// The last phase that each thread observed as complete by its parity.
    seen: FxHashMap<u32, u64>,
}

impl Mbarrier {
    pub(crate) fn new(count: u32, made: (Who, u32), transfers: (Who, u32)) -> Result<Self, Misuse> {
        if count == 0 || count > MOST {
            return Err(format!("an mbarrier for {count} arrivals, of 1 to {MOST}"));
        }
        Ok(Self {
            made,
            announced: false,
            transfers,
            expected: count,
            pending: count,
            bytes: 0,
            phase: 0,
            arriving: Clock::default(),
            complete: Clock::default(),
            seen: FxHashMap::default(),
        })
    }

    /// Whether a copy through the async proxy may complete at this mbarrier, at an address, for a thread with this clock: a
    /// fence must follow the initialisation.
    pub(crate) fn check_fence(&self, clock: &Clock, address: u64) -> Result<(), FaultKind> {
        let (maker, time) = self.made;
        if self.announced || clock.fenced(maker) >= time {
            return Ok(());
        }
        let reason = format!(
            "a bulk copy counts its bytes at the mbarrier at {address:#x} with no `fence.mbarrier_init` since its \
             initialisation"
        );
        Err(FaultKind::BarrierMisuse { reason })
    }

    /// The index of the current phase.
    pub(crate) fn phase(&self) -> u64 {
        self.phase
    }

    /// Pending arrivals and bytes of the current phase.
    pub(crate) fn missing(&self) -> (u32, i64) {
        (self.pending, self.bytes)
    }

    /// The party of the bulk copies that complete here, and its time in the current phase.
    pub(crate) fn transfers(&self) -> (Who, u32) {
        let (who, before) = self.transfers;
        (who, before + self.phase as u32 + 1)
    }

    /// Completes `bytes` of a bulk copy in the current phase; returns whether the phase is now complete.
    pub(crate) fn complete_bytes(&mut self, bytes: i64) -> Result<bool, Misuse> {
        self.expect_bytes(-bytes)
    }

    /// The opaque state: the phase, and its pending arrivals.
    pub(crate) fn state(&self) -> u64 {
        self.phase << 20 | u64::from(self.pending)
    }

    /// The pending arrivals in a state.
    pub(crate) fn pending_of(state: u64) -> u64 {
        state & u64::from(MOST)
    }

    /// `count` arrivals of a warp with this clock; returns whether the phase is now complete.
    pub(crate) fn arrive(&mut self, count: u32, clock: &Clock) -> Result<bool, Misuse> {
        if count == 0 || count > MOST {
            return Err(format!("{count} arrivals at an mbarrier, of 1 to {MOST}"));
        }
        if count > self.pending {
            return Err(format!(
                "{} in phase {} of an mbarrier for {}, with only {} still to come",
                counted(count, "arrival"),
                self.phase,
                self.expected,
                self.pending
            ));
        }
        self.pending -= count;
        self.arriving.join(clock);
        Ok(self.complete_phase())
    }

    /// `count` arrivals that must not complete the phase.
    pub(crate) fn arrive_no_complete(&mut self, count: u32, clock: &Clock) -> Result<(), Misuse> {
        match self.arrive(count, clock)? {
            false => Ok(()),
            true => Err("an arrival with .noComplete completes its phase".to_owned()),
        }
    }

    /// Reduces the expected arrivals from the next phase on.
    pub(crate) fn drop_expected(&mut self, count: u32) -> Result<(), Misuse> {
        self.expected = self.expected.checked_sub(count).ok_or_else(|| {
            format!(
                "{} dropped from an mbarrier that expects {}",
                counted(count, "arrival"),
                self.expected
            )
        })?;
        Ok(())
    }

    /// Adds a pending arrival to the current phase.
    pub(crate) fn add_pending(&mut self) -> Result<(), Misuse> {
        if self.pending == MOST {
            return Err(format!("more than {MOST} arrivals pending at an mbarrier"));
        }
        self.pending += 1;
        Ok(())
    }

    /// Adds `bytes`, possibly negative, to the pending bytes; returns whether the phase is now complete.
    pub(crate) fn expect_bytes(&mut self, bytes: i64) -> Result<bool, Misuse> {
        self.bytes += bytes;
        if self.bytes.abs() > i64::from(MOST) {
            return Err(format!(
                "{} bytes expected at an mbarrier, of at most {MOST}",
                self.bytes
            ));
        }
        Ok(self.complete_phase())
    }

    fn complete_phase(&mut self) -> bool {
        let complete = self.pending == 0 && self.bytes == 0;
        if complete {
            let (who, now) = self.transfers();
            self.arriving.learn(who, now);
            self.phase += 1;
            self.pending = self.expected;
            self.complete.join(&self.arriving);
        }
        complete
    }

    /// The last phase that a thread with this clock knows to be complete: that it observed itself, or that another one did
    /// which it is ordered after.
    fn last_known(&self, thread: u32, clock: &Clock) -> Option<u64> {
        let (who, before) = self.transfers;
        let told = u64::from(clock.time(who).saturating_sub(before)).checked_sub(1);
        self.seen.get(&thread).copied().max(told)
    }

    /// Whether the phase that `thread` tests is complete; `clock` is then joined with its arrivals.
    pub(crate) fn test(&mut self, thread: u32, asked: Asked, clock: &mut Clock) -> Result<bool, Misuse> {
        let complete = match asked {
            Asked::State(state) => {
                let phase = state >> 20;
                if phase > self.phase || phase + 1 < self.phase {
                    return Err(format!(
                        "a wait for phase {phase} of an mbarrier whose current phase is {}",
                        self.phase
                    ));
                }
                phase < self.phase
            }
            Asked::Parity(parity) => {
                let odd = self.phase % 2 == 1;
                let last = self.last_known(thread, clock);
                // The parity of a phase that the thread knows to be complete, of the one before the first if it knows none:
                // this one may still be the last, and is complete; the thread learns nothing.
                if last.is_none_or(|last| last % 2 == 1) == parity {
                    return Ok(true);
                }
                if let Some(seen) = last
                    && self.phase >= seen + 3
                {
                    return Err(format!(
                        "a wait for phase {} of an mbarrier whose current phase is {}: its parity stands for another",
                        seen + 1,
                        self.phase
                    ));
                }
                if odd != parity && self.phase > 0 {
                    self.seen.insert(thread, self.phase - 1);
                }
                odd != parity
            }
        };
        if complete {
            clock.join(&self.complete);
        }
        Ok(complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowing(party: Who, time: u32) -> Clock {
        let mut clock = Clock::default();
        clock.learn(party, time);
        clock
    }

    fn new(count: u32) -> Result<Mbarrier, Misuse> {
        Mbarrier::new(count, (0, 1), (9, 0))
    }

    #[test]
    fn a_phase_is_complete_when_all_have_arrived() {
        let mut mbarrier = new(3).expect("a count");
        let before = mbarrier.state();
        assert_eq!(mbarrier.arrive(2, &knowing(1, 7)), Ok(false));
        assert_eq!(Mbarrier::pending_of(mbarrier.state()), 1);
        let mut clock = Clock::default();
        assert_eq!(mbarrier.test(0, Asked::State(before), &mut clock), Ok(false));
        assert_eq!(
            clock,
            Clock::default(),
            "nothing is learnt from an incomplete phase"
        );
        assert_eq!(mbarrier.arrive(1, &knowing(2, 5)), Ok(true));
        assert_eq!((mbarrier.phase(), mbarrier.missing()), (1, (3, 0)));
        assert_eq!(mbarrier.test(0, Asked::State(before), &mut clock), Ok(true));
        assert_eq!((clock.time(1), clock.time(2)), (7, 5));
    }

    #[test]
    fn transactions_hold_a_phase_back() {
        let mut mbarrier = new(1).expect("a count");
        assert_eq!(mbarrier.expect_bytes(64), Ok(false));
        assert_eq!(mbarrier.arrive(1, &Clock::default()), Ok(false));
        assert_eq!(mbarrier.expect_bytes(-48), Ok(false));
        assert_eq!(mbarrier.missing(), (0, 16));
        assert_eq!(mbarrier.expect_bytes(-16), Ok(true));
        assert!(mbarrier.expect_bytes(1 << 20).is_err());
    }

    #[test]
    fn a_wait_learns_of_the_copies_of_its_phase() {
        let mut mbarrier = new(1).expect("a count");
        assert_eq!(mbarrier.complete_bytes(16), Ok(false), "before they are expected");
        assert_eq!(mbarrier.expect_bytes(16), Ok(false));
        assert_eq!(mbarrier.arrive(1, &Clock::default()), Ok(true));
        let mut clock = Clock::default();
        assert_eq!(mbarrier.test(0, Asked::Parity(false), &mut clock), Ok(true));
        assert_eq!((clock.time(9), mbarrier.transfers()), (1, (9, 2)));
    }

    #[test]
    fn counts_are_kept_within_bounds() {
        assert!(new(0).is_err());
        assert!(new(1 << 20).is_err());
        let mut mbarrier = new(2).expect("a count");
        assert!(mbarrier.arrive(3, &Clock::default()).is_err());
        assert!(mbarrier.arrive(0, &Clock::default()).is_err());
        assert_eq!(mbarrier.arrive_no_complete(1, &Clock::default()), Ok(()));
        assert!(mbarrier.arrive_no_complete(1, &Clock::default()).is_err());
        let mut mbarrier = new(2).expect("a count");
        assert_eq!(mbarrier.drop_expected(1), Ok(()));
        assert_eq!(mbarrier.arrive(2, &Clock::default()), Ok(true));
        assert_eq!(mbarrier.missing(), (1, 0), "the next phase expects one fewer");
        assert!(mbarrier.drop_expected(2).is_err());
    }

    #[test]
    fn parities_tell_neighbouring_phases_apart_and_no_others() {
        let mut mbarrier = new(1).expect("a count");
        let mut clock = Clock::default();
        let mut ask = |mbarrier: &mut Mbarrier, parity| mbarrier.test(9, Asked::Parity(parity), &mut clock);
        assert_eq!(ask(&mut mbarrier, false), Ok(false));
        assert_eq!(
            ask(&mut mbarrier, true),
            Ok(true),
            "the phase before the first is complete"
        );
        let advance = |mbarrier: &mut Mbarrier| assert_eq!(mbarrier.arrive(1, &Clock::default()), Ok(true));
        advance(&mut mbarrier);
        assert_eq!(ask(&mut mbarrier, false), Ok(true));
        assert_eq!(ask(&mut mbarrier, false), Ok(true), "and again");
        assert_eq!(ask(&mut mbarrier, true), Ok(false));
        advance(&mut mbarrier);
        advance(&mut mbarrier);
        // Phases 1 and 2 are complete: a wait for 1 by its parity would wait for 3.
        assert!(ask(&mut mbarrier, true).is_err());
        // A thread without earlier tests tests the current phase.
        let mut other = Clock::default();
        assert_eq!(mbarrier.test(8, Asked::Parity(false), &mut other), Ok(true));
        // What it has observed, the thread knows that is ordered after it.
        advance(&mut mbarrier);
        assert_eq!(mbarrier.test(9, Asked::Parity(true), &mut other), Ok(true));
    }
}
