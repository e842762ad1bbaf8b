//! Threads that answer requests, with stacks that suffice for the deepest text.

use std::io;
use std::thread;

use crossbeam_channel::{Sender, unbounded};

/// What a worker does.
type Task = Box<dyn FnOnce() + Send>;

/// Threads that take tasks from one queue, and end when it is empty and this is gone.
#[derive(Debug)]
pub(super) struct Workers(Sender<Task>);

impl Workers {
    /// Starts this many threads.
    ///
    /// # Errors
    /// The system's error, if it gives no thread.
    pub(super) fn start(count: usize) -> io::Result<Self> {
        let (sender, tasks) = unbounded::<Task>();
        for at in 0..count.max(1) {
            let tasks = tasks.clone();
            let builder = thread::Builder::new().name(format!("worker {at}"));
            builder.stack_size(crate::STACK).spawn(move || {
                for task in tasks {
                    task();
                }
            })?;
        }
        Ok(Self(sender))
    }

    /// Adds a task.
    pub(super) fn add(&self, task: impl FnOnce() + Send + 'static) {
        // The threads live as long as this.
        let _ = self.0.send(Box::new(task));
    }
}
