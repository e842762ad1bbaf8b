//! The database: salsa's storage, the files, and the log of what was executed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tilewright_diagnostics::{FileId, Files};
use tilewright_irs::core::Watch;
use tilewright_irs::cuda_tile::preview::Features;

use crate::inputs::{Options, Request, Source, is_bytecode};
use crate::tuned::Tuned;
use crate::units::Language;

/// Executions of one query for one subject, without cache hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The query: `parse`, `read`, the name of a pass, `interrupted` for a pass that an edit has stopped, `print`, `locate`, or
    /// `join`.
    pub query: &'static str,
    /// What it was executed for: the file of `parse`, the function or other part of a text of `read`, the language of `join`, the
    /// kernel of everything else.
    pub subject: String,
    /// The number of executions.
    pub count: u64,
    /// Total time, without that of nested queries.
    pub time: Duration,
}

/// The executions of each query for each subject: how many, and how long.
type Log = BTreeMap<(&'static str, String), (u64, Duration)>;

/// What queries need from the database besides salsa's own services.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Notes an execution, if executions are logged.
    fn record(&self, query: &'static str, subject: &str, time: Duration);

    /// Whether the output of every pass is cached, so that an edit runs only the passes that it affects.
    fn keeps_stages(&self) -> bool;

    /// Tuned hints, which replace those of the kernels that they are for.
    fn tuned(&self) -> Option<&Tuned>;

    /// For work on this snapshot: tells whether an edit is waiting for it to end; `None` if files are compiled once and never
    /// edited.
    fn watch(&self) -> Option<Watch>;
}

/// The compiler: every file and option, and everything computed from them.
///
/// Cloning is cheap and gives a handle for another thread to the same storage. Inputs can only be changed while
/// there is one handle.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Compiler {
    storage: salsa::Storage<Self>,
    once: bool,
    /// The number of edits so far through any handle, and the number when this handle was made.
    edits: Arc<AtomicU64>,
    edits_seen: u64,
    log: Option<Arc<Mutex<Log>>>,
    sources: Vec<Source>,
    tuned: Option<Arc<Tuned>>,
}

#[salsa::db]
impl salsa::Database for Compiler {}

#[salsa::db]
impl Db for Compiler {
    fn record(&self, query: &'static str, subject: &str, time: Duration) {
        if let Some(log) = &self.log {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let (count, sum) = log.entry((query, subject.to_owned())).or_default();
            *count += 1;
            *sum += time;
        }
    }

    fn keeps_stages(&self) -> bool {
        !self.once
    }

    fn tuned(&self) -> Option<&Tuned> {
        self.tuned.as_deref()
    }

    fn watch(&self) -> Option<Watch> {
        (!self.once).then(|| Watch::new(Arc::clone(&self.edits), self.edits_seen))
    }
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Compiler with {} sources", self.sources.len())
    }
}

impl Compiler {
    /// A compiler without files, for files that are edited and compiled again: it caches every kernel in every language on its
    /// route.
    pub fn new() -> Self {
        crate::discard::start();
        Self::default()
    }

    /// A compiler for files that are compiled once: it caches each kernel as read and as requested, and nothing in between.
    pub fn once() -> Self {
        Self {
            once: true,
            ..Self::default()
        }
    }

    /// The compiler with tuned hints, before it has compiled anything.
    #[must_use]
    pub fn with_tuned(self, tuned: Option<Tuned>) -> Self {
        Self {
            tuned: tuned.map(Arc::new),
            ..self
        }
    }

    /// Logs executions from now on, for [`take_executions`](Self::take_executions).
    pub fn log_executions(&mut self) {
        self.log.get_or_insert_default();
    }

    /// Adds a file under the name that diagnostics show.
    pub fn add_source(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Source {
        self.add_source_with(name, bytes, Features::NONE)
    }

    /// Adds a file that may have preview content.
    pub fn add_source_with(
        &mut self,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        preview: Features,
    ) -> Source {
        let file = FileId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        let name = name.into();
        let named = Language::of_file_name(&name);
        let source = Source::new(self, name, file, bytes.into(), preview, named);
        self.sources.push(source);
        source
    }

    /// Replaces the contents of a file.
    pub fn edit(&mut self, source: Source, bytes: impl Into<Vec<u8>>) {
        use salsa::Setter;
        self.interrupt();
        source.set_bytes(self).to(bytes.into());
    }

    /// Sets the language of a file, for a text whose beginning is not that of any language.
    pub fn name_language(&mut self, source: Source, language: Option<Language>) {
        use salsa::Setter;
        // An edit that changes nothing would cancel nothing that it has interrupted.
        if source.named(self) != language {
            self.interrupt();
            source.set_named(self).to(language);
        }
    }

    /// Interrupts the passes that run on other handles: an edit has to wait until they end.
    fn interrupt(&mut self) {
        self.edits_seen = self.edits.fetch_add(1, Ordering::Relaxed) + 1;
    }

    /// Makes options an input.
    pub fn options(&self, request: Request) -> Options {
        Options::new(
            self,
            request.target,
            request.opt_level,
            request.lineinfo,
            request.fast_math,
            request.hints,
            request.route,
            request.checks,
            request.verify_each,
        )
    }

    /// Replaces options. Only those that differ count as changed.
    pub fn change_options(&mut self, options: Options, request: Request) {
        use salsa::Setter;
        let before = self.request(options);
        // An edit that changes nothing would cancel nothing that it has interrupted.
        if (Request {
            preview: before.preview,
            ..request
        }) == before
        {
            return;
        }
        self.interrupt();
        if before.target != request.target {
            options.set_target(self).to(request.target);
        }
        if before.opt_level != request.opt_level {
            options.set_opt_level(self).to(request.opt_level);
        }
        if before.lineinfo != request.lineinfo {
            options.set_lineinfo(self).to(request.lineinfo);
        }
        if before.fast_math != request.fast_math {
            options.set_fast_math(self).to(request.fast_math);
        }
        if before.hints != request.hints {
            options.set_hints(self).to(request.hints);
        }
        if before.route != request.route {
            options.set_route(self).to(request.route);
        }
        if before.checks != request.checks {
            options.set_checks(self).to(request.checks);
        }
        if before.verify_each != request.verify_each {
            options.set_verify_each(self).to(request.verify_each);
        }
    }

    /// Options as plain data; preview content is an option of files.
    fn request(&self, options: Options) -> Request {
        Request {
            target: options.target(self),
            opt_level: options.opt_level(self),
            lineinfo: options.lineinfo(self),
            fast_math: options.fast_math(self),
            hints: options.hints(self),
            route: options.route(self),
            checks: options.checks(self),
            verify_each: options.verify_each(self),
            preview: Features::NONE,
        }
    }

    /// The files, for a renderer: texts as they are, bytecode by its name.
    pub fn files(&self) -> Files {
        let mut files = Files::new();
        for source in &self.sources {
            match std::str::from_utf8(source.bytes(self)) {
                Ok(text) if !is_bytecode(source.bytes(self)) => {
                    files.add_text(source.name(self), text);
                }
                Ok(_) | Err(_) => {
                    files.add_binary(source.name(self));
                }
            }
        }
        files
    }

    /// What was executed since the last call, sorted by query and subject; nothing unless executions are logged.
    pub fn take_executions(&self) -> Vec<Execution> {
        let Some(log) = &self.log else { return Vec::new() };
        let log = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
        log.into_iter()
            .map(|((query, subject), (count, time))| Execution {
                query,
                subject,
                count,
                time,
            })
            .collect()
    }
}
