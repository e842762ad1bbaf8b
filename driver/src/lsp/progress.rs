//! Reports progress of slow requests: a work-done progress for each that takes longer than half a second.

use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types as lsp;
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use serde_json::{Value, json};

/// A request that takes longer than this has its progress reported.
const LONG: Duration = Duration::from_millis(500);

/// How much of the progress the editor has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// The editor has been asked to create a progress with this number.
    Asked(u32),
    Begun(u32),
}

/// A request that is being worked on.
#[derive(Debug)]
struct Running {
    id: RequestId,
    since: Instant,
    title: &'static str,
    told: Told,
}

/// The requests that are being worked on.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Whether the editor supports work-done progress.
    wanted: bool,
    running: Vec<Running>,
    next: u32,
}

impl Progress {
    pub(super) fn new(params: &lsp::InitializeParams) -> Self {
        let window = params.capabilities.window.as_ref();
        Self {
            wanted: window
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            ..Self::default()
        }
    }

    /// Work on a request begins; its title follows from its method.
    pub(super) fn start_request(&mut self, id: RequestId, method: &str) {
        let title = match method {
            request::CodeLensRequest::METHOD => "computing the costs of kernels",
            request::HoverRequest::METHOD | request::InlayHintRequest::METHOD => "compiling what is shown",
            request::DocumentDiagnosticRequest::METHOD => "compiling for diagnostics",
            "tilewright/stage" => "compiling the stage",
            _ => "working",
        };
        self.start(id, title);
    }

    /// Work on a request begins, which is shown with this title.
    pub(super) fn start(&mut self, id: RequestId, title: &'static str) {
        if !self.wanted {
            return;
        }
        self.running.push(Running {
            id,
            since: Instant::now(),
            title,
            told: Told::Nothing,
        });
    }

    /// The time until progress has to be reported for a request.
    pub(super) fn due(&self) -> Option<Duration> {
        let waiting = self.running.iter().filter(|one| one.told == Told::Nothing);
        waiting.map(|one| LONG.saturating_sub(one.since.elapsed())).min()
    }

    /// The messages that report progress for requests that have become slow.
    pub(super) fn ask(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        for one in &mut self.running {
            if one.told == Told::Nothing && one.since.elapsed() >= LONG {
                let number = self.next;
                self.next += 1;
                one.told = Told::Asked(number);
                let method = request::WorkDoneProgressCreate::METHOD.to_owned();
                let params = json!({ "token": token(number) });
                messages.push(Request::new(token(number).into(), method, params).into());
            }
        }
        messages
    }

    /// Takes the editor's answer to a request of the server. If it created a progress, returns the message that begins
    /// it.
    pub(super) fn answered(&mut self, id: &RequestId, accepted: bool) -> Option<Message> {
        let one = self
            .running
            .iter_mut()
            .find(|one| matches!(one.told, Told::Asked(number) if RequestId::from(token(number)) == *id))?;
        let Told::Asked(number) = one.told else {
            return None;
        };
        if !accepted {
            return None;
        }
        one.told = Told::Begun(number);
        Some(message(number, &json!({ "kind": "begin", "title": one.title })))
    }

    /// Work on a request has ended. Returns the message that ends its progress, if it had begun.
    pub(super) fn end(&mut self, id: &RequestId) -> Option<Message> {
        let at = self.running.iter().position(|one| one.id == *id)?;
        match self.running.swap_remove(at).told {
            Told::Begun(number) => Some(message(number, &json!({ "kind": "end" }))),
            Told::Nothing | Told::Asked(_) => None,
        }
    }
}

fn token(number: u32) -> String {
    format!("progress-{number}")
}

fn message(number: u32, value: &Value) -> Message {
    let method = notification::Progress::METHOD.to_owned();
    Notification::new(method, json!({ "token": token(number), "value": value })).into()
}
