//! Threads that answer requests, with stacks large enough for the most deeply nested text.

use std::io;
use std::thread;

use crossbeam_channel::{Sender, unbounded};

/// What a worker does.
type Task = Box<dyn FnOnce() + Send>;

/// Threads that take tasks from one queue. They end when this handle is dropped and the queue is empty.
#[derive(Debug)]
pub(super) struct Workers(Sender<Task>);

impl Workers {
    /// Starts this many threads.
    ///
    /// # Errors
    /// The system's error, if no thread can be started.
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
