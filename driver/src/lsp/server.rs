//! The server's loop: takes messages, keeps the documents and the database, and hands requests to workers.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, never, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::documents::Documents;
use super::features::{StageParams, TOKEN_TYPES, View, explain};
use super::measuring::Measuring;
use super::progress::Progress;
use super::workers::Workers;
use crate::database::Compiler;
use crate::ide::lines::Encoding;
use crate::inputs::{Options, Request as CompileRequest};
use crate::{ptxas, targets};

/// The pause after the last edit before the back end's diagnostics are made.
const DEBOUNCE: Duration = Duration::from_millis(150);

/// What the editor may set: `tilewright.*`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    /// The GPU, such as `sm_90a`.
    target: Option<String>,
    /// The optimisation level, 0 to 3.
    opt_level: Option<u8>,
    /// Whether products are fused with sums.
    fmad: bool,
    /// Whether hints are shown at the ends of lines.
    inlay_hints: Option<bool>,
    /// The ptxas whose numbers the lenses show: a path, `true` for the one that is found, `false` for none.
    ptxas: Ptxas,
    /// Whether what is executed is kept for `tilewright/executions`.
    log_executions: bool,
}

/// Which ptxas is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Ptxas {
    Wanted(bool),
    At(PathBuf),
}

impl Default for Ptxas {
    fn default() -> Self {
        Self::Wanted(true)
    }
}

impl Ptxas {
    fn find(&self) -> Option<PathBuf> {
        match self {
            Self::Wanted(false) => None,
            Self::Wanted(true) => ptxas::find(None).ok(),
            Self::At(path) => ptxas::find(Some(path)).ok(),
        }
    }
}

/// What a request could not be answered for.
#[derive(Debug)]
struct Refused {
    code: ErrorCode,
    message: String,
}

impl Refused {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

type Answer = Result<Value, Refused>;

/// The server's state, which one thread owns.
pub(super) struct Server<'a> {
    connection: &'a Connection,
    db: Compiler,
    options: Options,
    documents: Documents,
    encoding: Encoding,
    workers: Workers,
    /// Messages from workers to the editor.
    outbox: Sender<Message>,
    /// Requests that the editor has given up, and that have not been answered.
    cancelled: Vec<RequestId>,
    shut_down: bool,
    inlay_hints: bool,
    /// Runs ptxas, if there is one.
    measuring: Option<Measuring>,
    /// Whether the editor asks again for lenses when it is told that they have changed.
    refreshes_lenses: bool,
    /// The requests that workers have.
    progress: Progress,
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
        let (id, params) = connection.initialize_start().map_err(io::Error::other)?;
        let params: lsp::InitializeParams = serde_json::from_value(params).unwrap_or_default();
        let encoding = encoding(&params);
        let answer = serde_json::json!({
            "capabilities": capabilities(encoding),
            "serverInfo": { "name": "tilewright", "version": env!("CARGO_PKG_VERSION") },
        });
        connection
            .initialize_finish(id, answer)
            .map_err(io::Error::other)?;
        let (outbox, results) = unbounded();
        let db = Compiler::new();
        let options = db.options(CompileRequest::default());
        let count = thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
        let mut server = Server {
            connection,
            db,
            options,
            documents: Documents::default(),
            encoding,
            workers: Workers::start(count)?,
            outbox,
            cancelled: Vec::new(),
            shut_down: false,
            inlay_hints: true,
            measuring: None,
            refreshes_lenses: refreshes_lenses(&params),
            progress: Progress::new(&params),
        };
        server.configure(params.initialization_options.unwrap_or_default());
        server.serve(&results);
        Ok(())
    }

    fn serve(&mut self, results: &Receiver<Message>) {
        let mut quiet = never();
        loop {
            let long = self.progress.due().map_or_else(never, after);
            let next = select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(message) => {
                        let (next, edited) = self.drain(message);
                        if edited {
                            if let Some(measuring) = &mut self.measuring {
                                measuring.stop();
                            }
                            self.publish_at_once();
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
                    self.documents.flush(&mut self.db);
                    self.asked(request);
                }
                Message::Response(answer) => {
                    let accepted = answer.response_result.is_ok();
                    if let Some(message) = self.progress.answered(&answer.id, accepted) {
                        self.send(message);
                    }
                }
            }
            message = self.connection.receiver.try_recv().ok();
        }
        self.documents.flush(&mut self.db);
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

    /// Takes a notification. Returns whether a text or an option has changed.
    fn notified(&mut self, told: Notification) -> bool {
        match told.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Some(params) = params::<lsp::DidOpenTextDocumentParams>(told.params) else {
                    return false;
                };
                let lsp::TextDocumentItem {
                    uri, version, text, ..
                } = params.text_document;
                self.documents.open(&mut self.db, &uri, text, version);
                true
            }
            notification::DidChangeTextDocument::METHOD => {
                let Some(params) = params::<lsp::DidChangeTextDocumentParams>(told.params) else {
                    return false;
                };
                let lsp::VersionedTextDocumentIdentifier { uri, version } = params.text_document;
                self.documents
                    .change(&uri, version, params.content_changes, self.encoding);
                true
            }
            notification::DidCloseTextDocument::METHOD => {
                let Some(params) = params::<lsp::DidCloseTextDocumentParams>(told.params) else {
                    return false;
                };
                let uri = params.text_document.uri;
                self.documents.close(&mut self.db, &uri);
                // What was said of it no longer holds.
                self.send(published(uri, Vec::new(), None));
                false
            }
            notification::DidChangeConfiguration::METHOD => {
                let Some(params) = params::<lsp::DidChangeConfigurationParams>(told.params) else {
                    return false;
                };
                self.configure(params.settings);
                true
            }
            notification::Cancel::METHOD => {
                let Some(params) = params::<lsp::CancelParams>(told.params) else {
                    return false;
                };
                let id = match params.id {
                    lsp::NumberOrString::Number(id) => id.into(),
                    lsp::NumberOrString::String(id) => id.into(),
                };
                self.cancelled.push(id);
                false
            }
            _ => false,
        }
    }

    /// Takes the editor's settings: those of `tilewright`, or these themselves.
    fn configure(&mut self, settings: Value) {
        let own = settings.get("tilewright").cloned().unwrap_or(settings);
        let settings: Settings = serde_json::from_value(own).unwrap_or_default();
        let default = CompileRequest::default();
        let target = settings.target.as_deref().map(targets::parse::<()>);
        let request = CompileRequest {
            target: target.and_then(Result::ok),
            opt_level: settings.opt_level.unwrap_or(default.opt_level).min(3),
            fmad: settings.fmad,
            ..default
        };
        self.db.change_options(self.options, request);
        self.inlay_hints = settings.inlay_hints.unwrap_or(true);
        self.measuring = settings
            .ptxas
            .find()
            .and_then(|program| self.measuring_with(program));
        if settings.log_executions {
            self.db.log_executions();
        }
    }

    /// Starts the thread for ptxas; it tells the editor to ask for the lenses again.
    fn measuring_with(&self, program: PathBuf) -> Option<Measuring> {
        let (editor, refreshes) = (self.connection.sender.clone(), self.refreshes_lenses);
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

    /// Has ptxas say what the kernels of all open documents use.
    fn measure(&self) {
        for (uri, _) in self.documents.all() {
            let view = lsp::Uri::from_str(uri).ok().and_then(|uri| self.view(&uri));
            let job = self.measuring.as_ref().and_then(Measuring::job);
            if let (Some(view), Some(job)) = (view, job) {
                self.workers.add(move || {
                    let texts = guarded(|| view.kernel_texts());
                    // The thread for ptxas must not hold up edits.
                    drop(view);
                    job(texts.unwrap_or_default());
                });
            }
        }
    }

    fn view(&self, uri: &lsp::Uri) -> Option<View> {
        let document = self.documents.get(uri)?;
        Some(View {
            db: self.db.clone(),
            uri: uri.clone(),
            source: document.source,
            lines: Arc::clone(&document.lines),
            options: self.options,
            encoding: self.encoding,
            measured: self
                .measuring
                .as_ref()
                .map(|measuring| measuring.measured().clone()),
        })
    }

    /// Makes and sends the diagnostics of the front end for the documents that have changed. An edit reads one function, for which
    /// no other thread is woken up: one that reads all of a large text would hold up the next edit on any thread.
    fn publish_at_once(&mut self) {
        for uri in self.documents.untold() {
            let Ok(uri) = lsp::Uri::from_str(&uri) else {
                continue;
            };
            let version = self.documents.get(&uri).map(|document| document.version);
            let Some(view) = self.view(&uri) else { continue };
            if let Ok(said) = guarded(|| view.diagnostics(false)) {
                let _ = self.connection.sender.send(published(uri, said, version));
            }
        }
    }

    /// Sends all diagnostics of all open documents, when a worker has made them.
    fn publish(&self) {
        for (uri, document) in self.documents.all() {
            let Ok(uri) = lsp::Uri::from_str(uri) else {
                continue;
            };
            let Some(view) = self.view(&uri) else { continue };
            let (editor, version) = (self.connection.sender.clone(), document.version);
            self.workers.add(move || {
                // What an edit has cancelled is made again after it.
                if let Ok(said) = guarded(|| view.diagnostics(true)) {
                    let _ = editor.send(published(uri, said, Some(version)));
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
        match self.prepare(&method, params) {
            Ok(work) => {
                self.progress.start(id.clone(), &method);
                let outbox = self.outbox.clone();
                self.workers.add(move || {
                    let answer = guarded(work).and_then(|answer| answer);
                    let _ = outbox.send(response(id, answer));
                });
            }
            Err(refused) => self.send(response(id, Err(refused))),
        }
    }

    /// The work that answers a request, on a snapshot of the database.
    fn prepare(&self, method: &str, params: Value) -> Result<Box<dyn FnOnce() -> Answer + Send>, Refused> {
        match method {
            request::HoverRequest::METHOD => {
                let params: lsp::HoverParams = wanted(params)?;
                let at = params.text_document_position_params;
                self.work(&at.text_document.uri, move |view| json(view.hover(at.position)))
            }
            request::GotoDefinition::METHOD => {
                let params: lsp::GotoDefinitionParams = wanted(params)?;
                let at = params.text_document_position_params;
                self.work(&at.text_document.uri, move |view| {
                    json(view.definition(at.position))
                })
            }
            request::References::METHOD => {
                let params: lsp::ReferenceParams = wanted(params)?;
                let at = params.text_document_position;
                let declaration = params.context.include_declaration;
                self.work(&at.text_document.uri, move |view| {
                    json(view.references(at.position, declaration))
                })
            }
            request::DocumentHighlightRequest::METHOD => {
                let params: lsp::DocumentHighlightParams = wanted(params)?;
                let at = params.text_document_position_params;
                self.work(&at.text_document.uri, move |view| {
                    json(view.highlights(at.position))
                })
            }
            request::PrepareRenameRequest::METHOD => {
                let at: lsp::TextDocumentPositionParams = wanted(params)?;
                self.work(&at.text_document.uri, move |view| {
                    json(view.prepare_rename(at.position))
                })
            }
            request::Rename::METHOD => {
                let params: lsp::RenameParams = wanted(params)?;
                let at = params.text_document_position;
                self.work(&at.text_document.uri, move |view| {
                    let edit = view.rename(at.position, &params.new_name);
                    edit.map_err(|why| Refused::new(ErrorCode::RequestFailed, why))
                        .and_then(json)
                })
            }
            request::DocumentSymbolRequest::METHOD => {
                let params: lsp::DocumentSymbolParams = wanted(params)?;
                self.work(&params.text_document.uri, |view| json(view.symbols()))
            }
            request::FoldingRangeRequest::METHOD => {
                let params: lsp::FoldingRangeParams = wanted(params)?;
                self.work(&params.text_document.uri, |view| json(view.folding()))
            }
            request::SelectionRangeRequest::METHOD => {
                let params: lsp::SelectionRangeParams = wanted(params)?;
                self.work(&params.text_document.uri, move |view| {
                    json(view.selections(&params.positions))
                })
            }
            request::CodeLensRequest::METHOD => {
                let params: lsp::CodeLensParams = wanted(params)?;
                self.work(&params.text_document.uri, |view| json(view.lenses()))
            }
            request::DocumentDiagnosticRequest::METHOD => {
                let params: lsp::DocumentDiagnosticParams = wanted(params)?;
                self.work(&params.text_document.uri, |view| {
                    let items = view.diagnostics(true);
                    json(serde_json::json!({ "kind": "full", "items": items }))
                })
            }
            request::Completion::METHOD => {
                let params: lsp::CompletionParams = wanted(params)?;
                let at = params.text_document_position;
                self.work(&at.text_document.uri, move |view| {
                    json(view.completions(at.position))
                })
            }
            request::SignatureHelpRequest::METHOD => {
                let params: lsp::SignatureHelpParams = wanted(params)?;
                let at = params.text_document_position_params;
                self.work(&at.text_document.uri, move |view| {
                    json(view.signature(at.position))
                })
            }
            request::CodeActionRequest::METHOD => {
                let params: lsp::CodeActionParams = wanted(params)?;
                self.work(&params.text_document.uri, move |view| {
                    json(view.actions(params.range))
                })
            }
            request::Formatting::METHOD => {
                let params: lsp::DocumentFormattingParams = wanted(params)?;
                self.work(&params.text_document.uri, move |view| {
                    json(view.format(&params.options))
                })
            }
            request::InlayHintRequest::METHOD => {
                let params: lsp::InlayHintParams = wanted(params)?;
                if !self.inlay_hints {
                    return Ok(Box::new(|| Ok(Value::Array(Vec::new()))));
                }
                self.work(&params.text_document.uri, move |view| {
                    json(view.hints(params.range))
                })
            }
            request::SemanticTokensFullRequest::METHOD => {
                let params: lsp::SemanticTokensParams = wanted(params)?;
                self.work(&params.text_document.uri, |view| json(view.semantic_tokens()))
            }
            request::WorkspaceSymbolRequest::METHOD => {
                let params: lsp::WorkspaceSymbolParams = wanted(params)?;
                Ok(self.workspace_symbols(params.query))
            }
            "tilewright/stage" => {
                let params: StageParams = wanted(params)?;
                let uri = params.text_document.uri.clone();
                self.work(&uri, move |view| {
                    let stage = view.stage(&params);
                    stage
                        .map_err(|why| Refused::new(ErrorCode::RequestFailed, why))
                        .and_then(json)
                })
            }
            "tilewright/executions" => {
                let executions = self.db.take_executions().into_iter().map(|one| {
                    serde_json::json!({
                        "query": one.query,
                        "subject": one.subject,
                        "count": one.count,
                        "milliseconds": one.time.as_secs_f64() * 1e3,
                    })
                });
                let executions: Vec<_> = executions.collect();
                Ok(Box::new(|| json(executions)))
            }
            "tilewright/explain" => {
                let code = params
                    .get("code")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                Ok(Box::new(move || {
                    let text = explain(&code);
                    text.map_err(|why| Refused::new(ErrorCode::RequestFailed, why))
                        .and_then(json)
                }))
            }
            _ => {
                let message = format!("the server does not know `{method}`");
                Err(Refused::new(ErrorCode::MethodNotFound, message))
            }
        }
    }

    /// The functions of all open documents whose name contains a text.
    fn workspace_symbols(&self, query: String) -> Box<dyn FnOnce() -> Answer + Send> {
        let uris = self
            .documents
            .all()
            .filter_map(|(uri, _)| lsp::Uri::from_str(uri).ok());
        let views: Vec<_> = uris.filter_map(|uri| self.view(&uri)).collect();
        Box::new(move || {
            let query = query.to_lowercase();
            let mut found: Vec<_> = views.iter().flat_map(View::flat_symbols).collect();
            found.retain(|symbol| symbol.name.to_lowercase().contains(&query));
            json(found)
        })
    }

    /// Work on an open document.
    fn work(
        &self,
        uri: &lsp::Uri,
        answer: impl FnOnce(&View) -> Answer + Send + 'static,
    ) -> Result<Box<dyn FnOnce() -> Answer + Send>, Refused> {
        let view = self.view(uri).ok_or_else(|| {
            let message = format!("`{}` is not open", uri.as_str());
            Refused::new(ErrorCode::InvalidParams, message)
        })?;
        Ok(Box::new(move || answer(&view)))
    }
}

/// Runs a worker's work. An edit that cancels it, or a panic, is an error.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Refused> {
    let outcome = salsa::Cancelled::catch(AssertUnwindSafe(|| crate::panics::caught(work)));
    match outcome {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(message)) => Err(Refused::new(ErrorCode::InternalError, message)),
        Err(_) => Err(Refused::new(
            ErrorCode::ContentModified,
            "the text was changed meanwhile",
        )),
    }
}

fn json(answer: impl serde::Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| Refused::new(ErrorCode::InternalError, error.to_string()))
}

/// The parameters of a notification; one that is malformed is ignored, since it has no answer.
fn params<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// The parameters of a request.
fn wanted<T: DeserializeOwned>(params: Value) -> Result<T, Refused> {
    serde_json::from_value(params).map_err(|error| Refused::new(ErrorCode::InvalidParams, error.to_string()))
}

fn response(id: RequestId, answer: Answer) -> Message {
    Message::Response(match answer {
        Ok(result) => Response::new_ok(id, result),
        Err(Refused { code, message }) => Response::new_err(id, code as i32, message),
    })
}

fn published(uri: lsp::Uri, diagnostics: Vec<lsp::Diagnostic>, version: Option<i32>) -> Message {
    let params = lsp::PublishDiagnosticsParams::new(uri, diagnostics, version);
    Message::Notification(Notification::new(
        notification::PublishDiagnostics::METHOD.to_owned(),
        params,
    ))
}

/// Whether the editor can be told that lenses have changed.
fn refreshes_lenses(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let lens = workspace.and_then(|workspace| workspace.code_lens.as_ref());
    lens.and_then(|lens| lens.refresh_support).unwrap_or(false)
}

/// The encoding of columns: bytes if the editor can, else what every editor can.
fn encoding(params: &lsp::InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_ref());
    match offered {
        Some(offered) if offered.contains(&lsp::PositionEncodingKind::UTF8) => Encoding::Utf8,
        Some(_) | None => Encoding::Utf16,
    }
}

fn capabilities(encoding: Encoding) -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => lsp::PositionEncodingKind::UTF8,
            Encoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(
            lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                ..lsp::TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(true.into()),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(vec!["%".to_owned(), ".".to_owned()]),
            ..lsp::CompletionOptions::default()
        }),
        signature_help_provider: Some(lsp::SignatureHelpOptions {
            trigger_characters: Some(vec![" ".to_owned(), ",".to_owned()]),
            ..lsp::SignatureHelpOptions::default()
        }),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![lsp::CodeActionKind::QUICKFIX]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        document_formatting_provider: Some(lsp::OneOf::Left(true)),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        semantic_tokens_provider: Some(lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(
            lsp::SemanticTokensOptions {
                legend: lsp::SemanticTokensLegend {
                    token_types: TOKEN_TYPES.to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(lsp::SemanticTokensFullOptions::Bool(true)),
                ..lsp::SemanticTokensOptions::default()
            },
        )),
        code_lens_provider: Some(lsp::CodeLensOptions {
            resolve_provider: Some(false),
        }),
        diagnostic_provider: Some(lsp::DiagnosticServerCapabilities::Options(
            lsp::DiagnosticOptions {
                identifier: Some("tilewright".to_owned()),
                inter_file_dependencies: false,
                workspace_diagnostics: false,
                ..lsp::DiagnosticOptions::default()
            },
        )),
        ..lsp::ServerCapabilities::default()
    }
}
