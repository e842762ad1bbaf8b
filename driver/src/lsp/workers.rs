//! Threads that answer requests, with stacks that suffice for the deepest text.

use std::io;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};

/// What a worker does.
type Task = Box<dyn FnOnce() + Send>;

/// Threads that take tasks from one queue.
#[derive(Debug)]
pub(super) struct Workers {
    tasks: Option<Sender<Task>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts this many threads.
    ///
    /// # Errors
    /// The system's error, if it gives no thread.
    pub(super) fn start(count: usize) -> io::Result<Self> {
        let (sender, tasks) = unbounded::<Task>();
        let threads = (0..count.max(1)).map(|at| {
            let tasks = tasks.clone();
            let builder = thread::Builder::new().name(format!("worker {at}"));
            builder.stack_size(crate::STACK).spawn(move || {
                for task in tasks {
                    task();
                }
            })
        });
        Ok(Self {
            threads: threads.collect::<Result<_, _>>()?,
            tasks: Some(sender),
        })
    }

    /// Adds a task.
    pub(super) fn add(&self, task: impl FnOnce() + Send + 'static) {
        if let Some(tasks) = &self.tasks {
            // The threads live as long as this.
            let _ = tasks.send(Box::new(task));
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.tasks = None;
        for thread in self.threads.drain(..) {
            // A task's panic has been answered.
            let _ = thread.join();
        }
    }
}
