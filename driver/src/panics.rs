//! Turns panics of the compiler into diagnostics.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics from printing; [`caught`] reports them instead. Call once, when the program starts.
pub fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        LAST.with_borrow_mut(|last| *last = place);
    }));
}

/// Runs `work`, and returns the message of a panic with its location in the compiler's source, if known.
///
/// The unwinding of a query that salsa has cancelled is passed on.
///
/// # Errors
/// The message of the panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    LAST.with_borrow_mut(|last| *last = None);
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        if payload.is::<salsa::Cancelled>() {
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
