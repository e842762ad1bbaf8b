//! Detects hangs with a second thread.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time limit of an input, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The current input and its start time.
static CURRENT: Mutex<Option<(Instant, String, Vec<u8>)>> = Mutex::new(None);

fn set(current: Option<(Instant, String, Vec<u8>)>) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = current;
}

/// Runs with the time limit.
pub(crate) fn watched<T>(target: &str, input: &[u8], run: impl FnOnce() -> T) -> T {
    set(Some((Instant::now(), target.to_owned(), input.to_vec())));
    let result = run();
    set(None);
    result
}

/// Starts the thread that ends the process when an input exceeds the time limit, and saves or prints the input.
pub(crate) fn start(keep: Option<PathBuf>) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(PATIENCE / 20);
            let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
            let Some((since, target, input)) = current.as_ref() else {
                continue;
            };
            if since.elapsed() < PATIENCE {
                continue;
            }
            eprintln!("{target}: an input of {} bytes takes {PATIENCE:?}", input.len());
            if let Some(keep) = &keep {
                let _ = std::fs::write(keep.join(format!("{target}-hangs-{}", std::process::id())), input);
            }
            match std::str::from_utf8(input) {
                Ok(text) => eprintln!("{text}"),
                Err(_) => eprintln!("{input:02x?}"),
            }
            std::process::abort();
        }
    });
}
