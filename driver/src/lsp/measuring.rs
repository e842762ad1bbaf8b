//! Runs ptxas on a thread of its own, for the registers and memory in the code lenses. An edit kills a running ptxas.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};
use rustc_hash::FxHashMap;

use crate::ide::cost::KernelText;
use crate::ptxas;
use crate::usage::Usage;

/// For how many kernels results are kept: more than an editor shows at once.
const MOST: usize = 4096;

/// The results of ptxas, by the fingerprint of the PTX.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured(Arc<Mutex<FxHashMap<u64, Option<Usage>>>>);

impl Measured {
    /// What a kernel uses; `None` if ptxas has not assembled it.
    pub(super) fn usage(&self, kernel: &KernelText) -> Option<Usage> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&kernel.fingerprint).cloned().flatten()
    }

    fn knows(&self, kernel: &KernelText) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(&kernel.fingerprint)
    }

    fn learn(&self, kernel: &KernelText, usage: Option<Usage>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(kernel.fingerprint, usage);
    }
}

/// Kernels to measure, and the flag that cancels the job.
type Job = (Vec<Arc<KernelText>>, Arc<AtomicBool>);

/// The thread that runs ptxas.
#[derive(Debug)]
pub(super) struct Measuring {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// The flag that cancels the running job and those in the queue.
    stop: Arc<AtomicBool>,
    measured: Measured,
}

impl Measuring {
    /// Starts the thread, which calls `done` after it has measured kernels.
    ///
    /// # Errors
    /// The system's error, if no thread can be started.
    pub(super) fn start(program: PathBuf, done: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (sender, jobs) = unbounded::<Job>();
        let measured = Measured::default();
        let results = measured.clone();
        let thread = thread::Builder::new().name("ptxas".to_owned()).spawn(move || {
            for (kernels, stop) in jobs {
                let mut learnt = false;
                for kernel in kernels.iter().filter(|kernel| !results.knows(kernel)) {
                    let KernelText {
                        text,
                        target,
                        opt_level,
                        ..
                    } = &**kernel;
                    let made = ptxas::assemble_and_measure_unless(&program, text, *target, *opt_level, &stop);
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let usage = made.ok().and_then(|made| made.usage.into_iter().next());
                    results.learn(kernel, usage);
                    learnt = true;
                }
                if learnt {
                    done();
                }
            }
        })?;
        Ok(Self {
            jobs: Some(sender),
            thread: Some(thread),
            stop: Arc::default(),
            measured,
        })
    }

    /// The results so far.
    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// A function that a worker calls to queue kernels for measuring.
    pub(super) fn job(&self) -> Option<impl FnOnce(Vec<Arc<KernelText>>) + Send + 'static> {
        let (jobs, stop) = (self.jobs.clone()?, Arc::clone(&self.stop));
        Some(move |kernels| {
            // The thread lives as long as the sender.
            let _ = jobs.send((kernels, stop));
        })
    }

    /// Cancels all jobs, since the text has changed.
    pub(super) fn stop(&mut self) {
        std::mem::take(&mut self.stop).store(true, Ordering::Relaxed);
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.stop();
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It has nobody to tell a panic.
            let _ = thread.join();
        }
    }
}
