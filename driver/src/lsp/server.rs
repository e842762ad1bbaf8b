//! The server's loop: takes messages, tells the database of edits, and hands requests to workers.

use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, never, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answers::{Refused, guarded, response};
use super::capabilities::{
    capabilities, encoding, has_snippets, refreshes_lenses, tells_settings, watches_files,
};
use super::delivery::Delivery;
use super::documents::Content;
use super::handshake::initialize;
use super::measuring::Measuring;
use super::progress::Progress;
use super::python::{EXTENSIONS, Finished, Making, Recipe};
use super::requests::prepare;
use super::settings::Settings;
use super::state::State;
use super::uri::file_of;
use super::workers::Workers;

/// The time without edits after which the diagnostics of the back end are computed.
const DEBOUNCE: Duration = Duration::from_millis(150);

/// The server's state, which one thread owns.
pub(super) struct Server<'a> {
    connection: &'a Connection,
    state: State,
    workers: Workers,
    /// Computes the diagnostics of large texts, in order.
    large: Workers,
    /// Messages from workers to the editor.
    outbox: Sender<Message>,
    /// Requests that the editor has cancelled and that have not been answered yet.
    cancelled: Vec<RequestId>,
    shut_down: bool,
    editor: Editor,
    /// The requests for the settings of folders that the editor has not answered, each with its folders.
    asked_settings: FxHashMap<RequestId, Vec<lsp::Uri>>,
    /// The number of the next request to the editor.
    next: u32,
    /// The requests that workers are working on.
    progress: Progress,
    /// The runs that make modules of Python files.
    making: Making,
    /// Whether the user trusts the workspace: only then are its commands run.
    trusted: bool,
    /// Whether anything but a text has changed since the editor was last told to request diagnostics.
    outdated: bool,
}

/// The editor's capabilities.
#[derive(Clone, Copy, Debug)]
struct Editor {
    /// It refreshes code lenses when it is told to.
    refreshes_lenses: bool,
    /// It has settings for each folder.
    tells_settings: bool,
    /// It can be asked to watch files.
    watches_files: bool,
}

/// Why modules of Python files are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Because {
    /// Settings or the trust in the workspace have changed.
    Settings,
    /// Bytecode files have changed.
    Bytecode,
}

/// Whether the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Continue,
    Exit,
}

impl<'a> Server<'a> {
    /// Serves one editor.
    pub(super) fn run(connection: &'a Connection) -> io::Result<()> {
        let Some((id, params)) = initialize(connection) else {
            return Ok(());
        };
        let delivery = Delivery::of(&params);
        let params: lsp::InitializeParams = serde_json::from_value(params).unwrap_or_default();
        let encoding = encoding(&params);
        let answer = json!({
            "capabilities": capabilities(encoding),
            "serverInfo": { "name": "tilewright", "version": env!("CARGO_PKG_VERSION") },
        });
        // An editor that is gone ends the loop.
        let _ = connection.sender.send(response(id, Ok(answer)));
        let (outbox, results) = unbounded();
        let (making, finished) = Making::new();
        let count = thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
        let mut server = Server {
            connection,
            state: State::new(encoding, delivery, has_snippets(&params)),
            workers: Workers::start(count)?,
            large: Workers::start(1)?,
            outbox,
            cancelled: Vec::new(),
            shut_down: false,
            editor: Editor {
                refreshes_lenses: refreshes_lenses(&params),
                tells_settings: tells_settings(&params),
                watches_files: watches_files(&params),
            },
            asked_settings: FxHashMap::default(),
            next: 0,
            progress: Progress::new(&params),
            making,
            trusted: false,
            outdated: false,
        };
        for root in roots(&params) {
            server.state.folders.add(&server.state.db, root);
        }
        let options = params.initialization_options.unwrap_or_default();
        // Settings may come from the workspace itself, which cannot say that it is trusted.
        server.trusted = options.get("trusted").and_then(Value::as_bool).unwrap_or(false);
        let explanations = options.get("explanations").and_then(Value::as_str);
        server.state.explanations = explanations.map(Into::into);
        server.configure(options);
        server.serve(&results, &finished);
        server.leave();
        Ok(())
    }

    /// Kills the programs that run. The database is not freed before the process ends: that takes seconds for a large text, and
    /// workers may still read it.
    fn leave(self) {
        let Self {
            mut state, making, ..
        } = self;
        drop((state.measuring.take(), making));
        mem::forget(state);
    }

    fn serve(&mut self, results: &Receiver<Message>, finished: &Receiver<Finished>) {
        let mut quiet = never();
        loop {
            let long = self.progress.due().map_or_else(never, after);
            let next = select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(message) => {
                        let (next, edited) = self.drain(message);
                        if edited {
                            self.edited();
                            quiet = after(DEBOUNCE);
                        }
                        next
                    }
                    // The editor is gone.
                    Err(_) => Next::Exit,
                },
                recv(results) -> message => {
                    if let Ok(message) = message {
                        self.send(message);
                    }
                    Next::Continue
                },
                recv(finished) -> finished => {
                    if finished.is_ok_and(|finished| self.made(finished)) {
                        self.edited();
                        quiet = after(DEBOUNCE);
                    }
                    Next::Continue
                },
                recv(long) -> _ => {
                    for message in self.progress.ask() {
                        self.send(message);
                    }
                    Next::Continue
                },
                recv(quiet) -> _ => {
                    quiet = never();
                    self.publish();
                    self.measure();
                    Next::Continue
                },
            };
            if next == Next::Exit {
                return;
            }
        }
    }

    /// Takes a message and all that wait behind it. Edits are handed to the database together, before the next request. Returns
    /// whether the loop goes on, and whether a text has changed.
    fn drain(&mut self, first: Message) -> (Next, bool) {
        let mut edited = false;
        let mut message = Some(first);
        while let Some(now) = message.take() {
            match now {
                Message::Notification(notification) => {
                    if notification.method == notification::Exit::METHOD {
                        return (Next::Exit, edited);
                    }
                    edited |= self.notified(notification);
                }
                Message::Request(request) => {
                    self.state.flush();
                    self.asked(request);
                }
                Message::Response(answer) => {
                    edited |= self.answered(answer);
                }
            }
            message = self.connection.receiver.try_recv().ok();
        }
        self.state.flush();
        (Next::Continue, edited)
    }

    fn send(&mut self, message: Message) {
        if let Message::Response(response) = &message {
            self.cancelled.retain(|id| *id != response.id);
            if let Some(end) = self.progress.end(&response.id) {
                let _ = self.connection.sender.send(end);
            }
        }
        // An editor that is gone ends the loop with the next message.
        let _ = self.connection.sender.send(message);
    }

    /// A text or an option has changed.
    fn edited(&mut self) {
        self.state.at_rest = false;
        if let Some(measuring) = &mut self.state.measuring {
            measuring.stop();
        }
        self.publish_at_once();
    }

    /// Takes a notification. Returns whether a text or an option has changed.
    fn notified(&mut self, told: Notification) -> bool {
        self.take(told).unwrap_or(false)
    }

    /// As [`notified`](Self::notified); `None` for one that is malformed, which has no answer.
    fn take(&mut self, told: Notification) -> Option<bool> {
        let changed = match told.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let params: lsp::DidOpenTextDocumentParams = params(told.params)?;
                let uri = params.text_document.uri.clone();
                self.state
                    .documents
                    .open(&mut self.state.db, params.text_document);
                self.make(&uri);
                true
            }
            notification::DidChangeTextDocument::METHOD => {
                let params: lsp::DidChangeTextDocumentParams = params(told.params)?;
                let lsp::VersionedTextDocumentIdentifier { uri, version } = params.text_document;
                let encoding = self.state.encoding;
                self.state
                    .documents
                    .change(&uri, version, params.content_changes, encoding);
                true
            }
            notification::DidSaveTextDocument::METHOD => {
                let params: lsp::DidSaveTextDocumentParams = params(told.params)?;
                self.make(&params.text_document.uri);
                false
            }
            notification::DidCloseTextDocument::METHOD => {
                let params: lsp::DidCloseTextDocumentParams = params(told.params)?;
                let uri = params.text_document.uri;
                let told = self.state.pushes(&uri);
                self.making.stop(&uri);
                self.state.coloured.forget(&uri);
                self.state.documents.close(&mut self.state.db, &uri);
                if told {
                    // What was said of it no longer holds.
                    self.send(published(uri, Vec::new(), None));
                }
                false
            }
            notification::DidChangeConfiguration::METHOD => {
                let params: lsp::DidChangeConfigurationParams = params(told.params)?;
                if !params.settings.is_null() {
                    self.configure(params.settings);
                }
                self.ask_for_settings();
                self.outdated = true;
                true
            }
            notification::DidChangeWorkspaceFolders::METHOD => {
                let params: lsp::DidChangeWorkspaceFoldersParams = params(told.params)?;
                for folder in &params.event.removed {
                    self.state.folders.remove(&folder.uri);
                }
                for folder in params.event.added {
                    self.state.folders.add(&self.state.db, folder.uri);
                }
                self.ask_for_settings();
                self.outdated = true;
                true
            }
            notification::DidChangeWatchedFiles::METHOD => {
                self.make_those(Because::Bytecode);
                false
            }
            notification::Initialized::METHOD => {
                self.ask_for_settings();
                self.watch();
                false
            }
            "tilewright/trust" => {
                self.trusted = told.params.get("trusted").and_then(Value::as_bool)?;
                self.make_those(Because::Settings);
                false
            }
            notification::Cancel::METHOD => {
                let params: lsp::CancelParams = params(told.params)?;
                let id = match params.id {
                    lsp::NumberOrString::Number(id) => id.into(),
                    lsp::NumberOrString::String(id) => id.into(),
                };
                self.cancelled.push(id);
                false
            }
            _ => false,
        };
        // Before the next request is answered.
        self.state.at_rest &= !changed;
        Some(changed)
    }

    /// Takes the editor's answer to a request. Returns whether an option has changed.
    fn answered(&mut self, answer: Response) -> bool {
        let accepted = answer.response_result.is_ok();
        if let Some(message) = self.progress.answered(&answer.id, accepted) {
            self.send(message);
        }
        let Some(folders) = self.asked_settings.remove(&answer.id) else {
            return false;
        };
        let Ok(Value::Array(settings)) = answer.response_result else {
            return false;
        };
        for (folder, settings) in folders.iter().zip(settings) {
            if settings.is_null() {
                continue;
            }
            if let Some(settings) = self.read_settings(settings) {
                let State { db, folders, .. } = &mut self.state;
                folders.configure_one(db, folder, settings);
            }
        }
        self.make_those(Because::Settings);
        self.outdated = true;
        true
    }

    /// Reads settings, and tells the editor what is wrong with them, if anything.
    fn read_settings(&mut self, settings: Value) -> Option<Settings> {
        match Settings::read(settings) {
            Ok(settings) => Some(settings),
            Err(message) => {
                let params = lsp::ShowMessageParams {
                    typ: lsp::MessageType::WARNING,
                    message,
                };
                let method = notification::ShowMessage::METHOD.to_owned();
                self.send(Notification::new(method, params).into());
                None
            }
        }
    }

    /// Applies settings to all folders.
    fn configure(&mut self, settings: Value) {
        let Some(settings) = self.read_settings(settings) else {
            return;
        };
        let State { db, folders, .. } = &mut self.state;
        folders.configure(db, &settings);
        let ptxas = settings.ptxas();
        self.state.measuring = ptxas.and_then(|program| self.measuring_with(program));
        if settings.log_executions {
            self.state.db.log_executions();
        }
        self.make_those(Because::Settings);
    }

    /// Requests the settings of each folder from the editor.
    fn ask_for_settings(&mut self) {
        let roots: Vec<_> = self.state.folders.roots().cloned().collect();
        if !self.editor.tells_settings || roots.is_empty() {
            return;
        }
        let items = roots.iter().map(|root| lsp::ConfigurationItem {
            scope_uri: Some(root.clone()),
            section: Some("tilewright".to_owned()),
        });
        let params = lsp::ConfigurationParams {
            items: items.collect(),
        };
        let id = self.ask::<request::WorkspaceConfiguration>("settings", &params);
        self.asked_settings.insert(id, roots);
    }

    /// Asks the editor to watch bytecode files.
    fn watch(&mut self) {
        if !self.editor.watches_files {
            return;
        }
        let options = json!({
            "watchers": [{ "globPattern": format!("**/*.{{{}}}", EXTENSIONS.join(",")) }],
        });
        let params = lsp::RegistrationParams {
            registrations: vec![lsp::Registration {
                id: "bytecode".to_owned(),
                method: notification::DidChangeWatchedFiles::METHOD.to_owned(),
                register_options: Some(options),
            }],
        };
        self.ask::<request::RegisterCapability>("watch", &params);
    }

    /// Sends a request to the editor.
    fn ask<R: request::Request>(&mut self, name: &str, params: &R::Params) -> RequestId {
        let request = self.request::<R>(name, params);
        let id = request.id.clone();
        self.send(request.into());
        id
    }

    /// A request to the editor, with a number of its own.
    fn request<R: request::Request>(&mut self, name: &str, params: &R::Params) -> Request {
        let id = RequestId::from(format!("{name}-{}", self.next));
        self.next += 1;
        Request::new(id, R::METHOD.to_owned(), params)
    }

    /// Makes the modules of the open Python documents that a change affects again.
    fn make_those(&mut self, because: Because) {
        let views = self.state.views();
        let uris: Vec<_> = views.map(|(_, viewed)| viewed.uri().clone()).collect();
        for uri in uris {
            let command = self.command(&uri);
            let about = match because {
                Because::Settings => !self.making.was_made_by(&uri, command),
                // A command that leaves bytecode in the workspace would otherwise run for ever.
                Because::Bytecode => command.is_none(),
            };
            if about {
                self.make(&uri);
            }
        }
    }

    /// The command that makes the modules of a document, if one is configured and may be run.
    fn command(&self, uri: &lsp::Uri) -> Option<&[String]> {
        let settings = &self.state.folders.of(uri).settings;
        settings.python.command().filter(|_| self.trusted)
    }

    /// Starts to make the modules of a document, if it is in Python.
    fn make(&mut self, uri: &lsp::Uri) {
        let Some(document) = self.state.documents.get(uri) else {
            return;
        };
        let Content::Python(python) = &document.content else {
            return;
        };
        let folder = self.state.folders.of(uri);
        let settings = &folder.settings.python;
        let command = self.command(uri).map(<[String]>::to_vec);
        let root = folder.root().and_then(file_of);
        let here = python.file.path().parent().map(PathBuf::from);
        let recipe = |stop| Recipe {
            file: python.file.path().to_path_buf(),
            command,
            folder: root.or(here).unwrap_or_default(),
            limit: settings.limit(),
            stop,
        };
        let number = self.making.start(uri, Arc::clone(&document.text), recipe);
        self.progress
            .start(making_id(number), "making the modules of a Python file");
    }

    /// Takes the result of such a run. Returns whether anything has changed.
    fn made(&mut self, finished: Finished) -> bool {
        if let Some(end) = self.progress.end(&making_id(finished.number)) {
            self.send(end);
        }
        if !self.making.is_last(&finished) {
            return false;
        }
        let Finished { uri, text, made, .. } = finished;
        let Some(made) = made else { return false };
        let State { db, documents, .. } = &mut self.state;
        let is_open = documents.take_modules(db, &uri, text, made);
        self.outdated |= is_open;
        if is_open && self.editor.refreshes_lenses {
            self.ask::<request::CodeLensRefresh>("lenses-of-python", &());
        }
        is_open
    }

    /// Starts the thread that runs ptxas; when it has results, it tells the editor to refresh code lenses.
    fn measuring_with(&self, program: PathBuf) -> Option<Measuring> {
        let (editor, refreshes) = (self.connection.sender.clone(), self.editor.refreshes_lenses);
        let number = AtomicU32::new(0);
        let done = move || {
            if refreshes {
                let id = RequestId::from(format!("lenses-{}", number.fetch_add(1, Ordering::Relaxed)));
                let method = request::CodeLensRefresh::METHOD.to_owned();
                // An editor that is gone ends the loop.
                let _ = editor.send(Message::Request(Request::new(id, method, Value::Null)));
            }
        };
        Measuring::start(program, done).ok()
    }

    /// Measures the kernels of all open documents with ptxas.
    fn measure(&self) {
        for (_, view) in self.state.views() {
            if let Some(job) = self.state.measuring.as_ref().and_then(Measuring::job) {
                self.workers.add(move || {
                    let texts = guarded(|| view.kernel_texts());
                    // The thread for ptxas must not hold up edits.
                    drop(view);
                    job(texts.unwrap_or_default());
                });
            }
        }
    }

    /// Computes and sends the diagnostics of the front end for the documents that have changed. After an edit only one function
    /// is read, which is done on this thread; a large text may have to be read as a whole, so that a worker does it, and this
    /// thread can still take `exit`.
    fn publish_at_once(&mut self) {
        for (uri, version) in self.state.documents.untold() {
            let Some(view) = self.state.view(&uri).filter(|_| self.state.pushes(&uri)) else {
                continue;
            };
            let editor = self.connection.sender.clone();
            let is_large = view.is_large();
            let publish = move || {
                if let Ok(said) = guarded(|| view.diagnostics(false)) {
                    let _ = editor.send(published(uri, said, Some(version)));
                }
            };
            match is_large {
                true => self.large.add(publish),
                false => publish(),
            }
        }
    }

    /// Has a worker compute and send all diagnostics of all open documents. An editor that requests diagnostics is told to do so
    /// again if the back end has any.
    fn publish(&mut self) {
        self.state.at_rest = true;
        let refresh = match self.state.delivery {
            Delivery::Pushed | Delivery::Pulled => None,
            Delivery::Refreshed => {
                Some(self.request::<request::WorkspaceDiagnosticRefresh>("diagnostics", &()))
            }
        };
        if self.outdated
            && let Some(refresh) = refresh.clone()
        {
            self.outdated = false;
            return self.send(refresh.into());
        }
        // One request is about all documents.
        let told = Arc::new(AtomicBool::new(false));
        for (version, view) in self.state.views() {
            let editor = self.connection.sender.clone();
            let pushes = self.state.pushes(view.uri());
            let (refresh, told) = (refresh.clone(), Arc::clone(&told));
            if !pushes && refresh.is_none() {
                continue;
            }
            let workers = match view.is_large() {
                true => &self.large,
                false => &self.workers,
            };
            workers.add(move || {
                // What an edit has cancelled is made again after it.
                let Ok(said) = guarded(|| view.diagnostics(true)) else {
                    return;
                };
                if pushes {
                    let _ = editor.send(published(view.uri().clone(), said, Some(version)));
                } else if let Some(refresh) = refresh
                    && guarded(|| view.diagnostics(false)).is_ok_and(|front_end| front_end != said)
                    && !told.swap(true, Ordering::Relaxed)
                {
                    let _ = editor.send(refresh.into());
                }
            });
        }
    }

    /// Hands a request to a worker.
    fn asked(&mut self, asked: Request) {
        let Request { id, method, params } = asked;
        if method == request::Shutdown::METHOD {
            self.shut_down = true;
            return self.send(Message::Response(Response::new_ok(id, Value::Null)));
        }
        if self.shut_down {
            let refused = Refused::new(ErrorCode::InvalidRequest, "the server is shut down");
            return self.send(response(id, Err(refused)));
        }
        if self.cancelled.contains(&id) {
            let refused = Refused::new(ErrorCode::RequestCanceled, "cancelled");
            return self.send(response(id, Err(refused)));
        }
        if method == request::Initialize::METHOD {
            let refused = Refused::new(ErrorCode::InvalidRequest, "the server is initialized already");
            return self.send(response(id, Err(refused)));
        }
        match prepare(&self.state, &method, params) {
            Ok(work) => {
                self.progress.start_request(id.clone(), &method);
                let outbox = self.outbox.clone();
                let pulled = method == request::DocumentDiagnosticRequest::METHOD;
                self.workers.add(move || {
                    let answer = guarded(work).and_then(|answer| answer);
                    let answer = match pulled {
                        true => answer.map_err(Refused::asked_again_when_told),
                        false => answer,
                    };
                    let _ = outbox.send(response(id, answer));
                });
            }
            Err(refused) => self.send(response(id, Err(refused))),
        }
    }
}

/// The folders that the editor has open.
fn roots(params: &lsp::InitializeParams) -> Vec<lsp::Uri> {
    if let Some(folders) = &params.workspace_folders {
        return folders.iter().map(|folder| folder.uri.clone()).collect();
    }
    #[expect(deprecated, reason = "what older editors send instead of folders")]
    params.root_uri.iter().cloned().collect()
}

/// The identifier of a run that makes modules, among the requests whose progress is reported.
fn making_id(number: u32) -> RequestId {
    RequestId::from(format!("making-{number}"))
}

/// The parameters of a notification.
fn params<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

fn published(uri: lsp::Uri, diagnostics: Vec<lsp::Diagnostic>, version: Option<i32>) -> Message {
    let params = lsp::PublishDiagnosticsParams::new(uri, diagnostics, version);
    Message::Notification(Notification::new(
        notification::PublishDiagnostics::METHOD.to_owned(),
        params,
    ))
}
