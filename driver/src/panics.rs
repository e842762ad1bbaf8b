//! Turns panics of the compiler into diagnostics.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use tilewright_irs::core::Interrupted;

thread_local! {
    /// The location in the compiler's source of the last panic on this thread.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The number of nested calls of [`quiet`] on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Keeps panics of the compiler from printing; [`caught`] reports them instead. Panics elsewhere in a program that uses the
/// compiler are not affected. Calls after the first do nothing.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 {
                return before(info);
            }
            let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
            LAST.with_borrow_mut(|last| *last = place);
        }));
    });
}

/// Runs compiler code, perhaps on a thread of its own, whose panics are not printed.
pub fn quiet<T>(work: impl FnOnce() -> T) -> T {
    struct Within;
    impl Drop for Within {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    DEPTH.set(DEPTH.get() + 1);
    let _within = Within;
    work()
}

/// Runs `work`, and returns the message of a panic with its location in the compiler's source, if known.
///
/// Unwinding is passed on if salsa has cancelled a query or an edit has interrupted the work.
///
/// # Errors
/// The message of the panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    LAST.with_borrow_mut(|last| *last = None);
    panic::catch_unwind(AssertUnwindSafe(|| quiet(work))).map_err(|payload| {
        if payload.is::<salsa::Cancelled>() || payload.is::<Interrupted>() {
            panic::resume_unwind(payload);
        }
        let message = words(payload.as_ref());
        match LAST.with_borrow_mut(Option::take) {
            Some(place) => format!("panicked at {place}: {message}"),
            None => format!("panicked: {message}"),
        }
    })
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(caught(|| 5), Ok(5));
        let message = caught(|| -> u32 { panic!("value {} is odd", 3) }).expect_err("a panic");
        assert!(
            message.starts_with("panicked") && message.ends_with("value 3 is odd"),
            "{message}"
        );
    }
}
