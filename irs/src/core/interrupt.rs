//! Ends work on a program early: whoever builds or walks one looks now and then whether it is still wanted.
//!
//! The work is unwound, with [`Interrupted`] as the payload; an editor's edit does not wait for a pass to end by itself.

use std::cell::{Cell, RefCell};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often it is looked, in ops that are built or walked over.
const PERIOD: u32 = 256;

/// What unwinds work that is not wanted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Tells whether work is still wanted: as long as a counter has the value that it had.
#[derive(Clone, Debug)]
pub struct Watch {
    counter: Arc<AtomicU64>,
    value: u64,
}

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(PERIOD) };
    static WATCHED: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

impl Watch {
    /// Work that is wanted as long as `counter` is `value`.
    pub fn new(counter: Arc<AtomicU64>, value: u64) -> Self {
        Self { counter, value }
    }

    /// Does work on this thread. If it is not wanted any more, this unwinds with [`Interrupted`].
    pub fn over<T>(self, work: impl FnOnce() -> T) -> T {
        struct Before(Option<Watch>);
        impl Drop for Before {
            fn drop(&mut self) {
                WATCHED.set(self.0.take());
            }
        }
        let _before = Before(WATCHED.replace(Some(self)));
        work()
    }

    fn is_over(&self) -> bool {
        self.counter.load(Ordering::Relaxed) != self.value
    }
}

/// Unwinds if the work of this thread is not wanted any more. Cheap enough for each op.
pub(super) fn poll() {
    let left = LEFT.get();
    if left > 0 {
        return LEFT.set(left - 1);
    }
    LEFT.set(PERIOD);
    if WATCHED.with_borrow(|watched| watched.as_ref().is_some_and(Watch::is_over)) {
        panic::resume_unwind(Box::new(Interrupted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_soon_after_it_is_not_wanted() {
        let counter = Arc::new(AtomicU64::new(7));
        let watch = Watch::new(Arc::clone(&counter), 7);
        let mut steps = 0;
        let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            watch.over(|| {
                for step in 0..10 * PERIOD {
                    if step == 2 * PERIOD {
                        counter.store(8, Ordering::Relaxed);
                    }
                    steps = step;
                    poll();
                }
            });
        }));
        assert!(outcome.expect_err("it is ended").is::<Interrupted>());
        assert!((2 * PERIOD..=3 * PERIOD).contains(&steps), "{steps}");
        // What follows on this thread is not watched.
        for _ in 0..3 * PERIOD {
            poll();
        }
    }
}
