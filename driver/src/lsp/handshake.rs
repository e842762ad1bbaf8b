//! The beginning of a conversation: `initialize` and its answer.

use lsp_server::{Connection, ErrorCode, Message, RequestId};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use serde_json::Value;

use super::answers::{Refused, response};

/// Waits for the request that begins the conversation. Returns its number and its parameters; `None` if the editor goes away first.
pub(super) fn initialize(connection: &Connection) -> Option<(RequestId, Value)> {
    for message in &connection.receiver {
        match message {
            Message::Request(asked) if asked.method == request::Initialize::METHOD => {
                return Some((asked.id, asked.params));
            }
            Message::Request(asked) => {
                let why = format!("`{}` before `initialize`", asked.method);
                let refused = Refused::new(ErrorCode::ServerNotInitialized, why);
                // An editor that is gone ends the loop.
                let _ = connection.sender.send(response(asked.id, Err(refused)));
            }
            Message::Notification(told) if told.method == notification::Exit::METHOD => return None,
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    None
}
