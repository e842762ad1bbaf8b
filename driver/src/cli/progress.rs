//! A line on the terminal while something takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Work that takes less time than this is not shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time between two updates of the line.
const STEP: Duration = Duration::from_millis(500);

/// Shows on the terminal what is being done, and for how long, until it is dropped. Shows nothing if standard error is
/// no terminal.
#[derive(Debug)]
pub(super) struct Progress {
    ticker: Option<(Sender<String>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins work, which is named by a word such as "running".
    pub(super) fn begin(what: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { ticker: None };
        }
        let (sender, news) = mpsc::channel::<String>();
        let mut what = what.to_owned();
        let ticker = thread::spawn(move || {
            let start = Instant::now();
            let mut wait = PATIENCE;
            let mut shown = false;
            loop {
                match news.recv_timeout(wait) {
                    Ok(now) => what = now,
                    Err(RecvTimeoutError::Timeout) => {
                        // If standard error is closed, there is nowhere to show it.
                        let _ = write!(io::stderr(), "\r\x1b[K{what}: {} s", start.elapsed().as_secs());
                        let _ = io::stderr().flush();
                        shown = true;
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                wait = if shown {
                    STEP
                } else {
                    PATIENCE.saturating_sub(start.elapsed())
                };
            }
            if shown {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        Self {
            ticker: Some((sender, ticker)),
        }
    }

    /// Replaces the description of the work.
    pub(super) fn now(&self, what: String) {
        if let Some((sender, _)) = &self.ticker {
            // The thread lives as long as this.
            let _ = sender.send(what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, ticker)) = self.ticker.take() {
            drop(sender);
            let _ = ticker.join();
        }
    }
}
