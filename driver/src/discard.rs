//! Frees large values on a separate thread, so that an edit does not wait until the values that it replaces are freed.

use std::sync::OnceLock;
use std::thread;

use crossbeam_channel::{Sender, unbounded};

/// The queue of the thread. Without a thread, values are freed where they are discarded.
static DISCARDED: OnceLock<Option<Sender<Box<dyn Send>>>> = OnceLock::new();

/// Starts the thread, once per process. A process that exits soon need not start it: `discard` then frees values
/// itself.
pub(crate) fn start() {
    DISCARDED.get_or_init(|| {
        let (sender, values) = unbounded::<Box<dyn Send>>();
        let name = "discard".to_owned();
        let thread = thread::Builder::new().name(name);
        thread.spawn(move || values.into_iter().for_each(drop)).ok()?;
        Some(sender)
    });
}

/// Frees a value, on the thread if there is one.
pub(crate) fn discard(value: impl Send + 'static) {
    if let Some(Some(discarded)) = DISCARDED.get() {
        // The thread ends with the process.
        let _ = discarded.send(Box::new(value));
    }
}
