//! Makes the modules of Python files, each on a thread of its own. A new run for a document stops the one before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_types::Uri;
use rustc_hash::FxHashMap;

use super::{Made, Recipe};

/// The result of a run.
#[derive(Debug)]
pub(in crate::lsp) struct Finished {
    /// The document.
    pub(in crate::lsp) uri: Uri,
    /// The text that the modules were made from.
    pub(in crate::lsp) text: Arc<String>,
    /// The modules; `None` if the run was stopped.
    pub(in crate::lsp) made: Option<Made>,
    /// The number of the run.
    pub(in crate::lsp) number: u32,
}

/// The runs in progress.
#[derive(Debug)]
pub(in crate::lsp) struct Making {
    finished: Sender<Finished>,
    running: FxHashMap<String, Run>,
    /// For each document the command that last made its modules; `None` where bytecode beside it was read.
    commands: FxHashMap<String, Option<Vec<String>>>,
    next: u32,
}

#[derive(Debug)]
struct Run {
    number: u32,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Making {
    /// No runs, and the receiver of their results.
    pub(in crate::lsp) fn new() -> (Self, Receiver<Finished>) {
        let (finished, results) = unbounded();
        let making = Self {
            finished,
            running: FxHashMap::default(),
            commands: FxHashMap::default(),
            next: 0,
        };
        (making, results)
    }

    /// Starts a run for a document, and returns its number.
    pub(in crate::lsp) fn start(
        &mut self,
        uri: &Uri,
        text: Arc<String>,
        recipe: impl FnOnce(Arc<AtomicBool>) -> Recipe,
    ) -> u32 {
        let stop = Arc::<AtomicBool>::default();
        let recipe = recipe(Arc::clone(&stop));
        self.commands
            .insert(uri.as_str().to_owned(), recipe.command.clone());
        let number = self.next;
        self.next += 1;
        let (finished, document) = (self.finished.clone(), uri.clone());
        let make = move || {
            let made = recipe.make();
            // A server that is gone needs no modules.
            let _ = finished.send(Finished {
                uri: document,
                text,
                made,
                number,
            });
        };
        // Without a thread, the document has no modules.
        let thread = thread::Builder::new().name("python".to_owned()).spawn(make).ok();
        let run = Run { number, stop, thread };
        if let Some(mut before) = self.running.insert(uri.as_str().to_owned(), run) {
            before.end();
        }
        number
    }

    /// Whether a result is that of its document's latest run.
    pub(in crate::lsp) fn is_last(&mut self, finished: &Finished) -> bool {
        let key = finished.uri.as_str();
        let last = self
            .running
            .get(key)
            .is_some_and(|run| run.number == finished.number);
        if last {
            self.running.remove(key);
        }
        last
    }

    /// Whether a document was last made by this command, or without one.
    pub(in crate::lsp) fn was_made_by(&self, uri: &Uri, command: Option<&[String]>) -> bool {
        self.commands
            .get(uri.as_str())
            .is_some_and(|last| last.as_deref() == command)
    }

    /// Stops the run for a document.
    pub(in crate::lsp) fn stop(&mut self, uri: &Uri) {
        self.commands.remove(uri.as_str());
        if let Some(mut run) = self.running.remove(uri.as_str()) {
            run.end();
        }
    }
}

impl Run {
    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // It ends its program within milliseconds.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        for run in self.running.values() {
            run.stop.store(true, Ordering::Relaxed);
        }
        for run in self.running.values_mut() {
            run.end();
        }
    }
}
