//! Answers to requests: a value, or an error.

use std::panic::AssertUnwindSafe;

use lsp_server::{ErrorCode, Message, RequestId, Response, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Why a request cannot be answered.
#[derive(Debug)]
pub(super) struct Refused {
    code: ErrorCode,
    message: String,
    data: Option<Value>,
}

impl Refused {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// For a request that the editor repeats only when the server tells it to: if an edit has cancelled the request, the error
    /// tells it to. (Editors take another error for an empty answer.)
    pub(super) fn asked_again_when_told(self) -> Self {
        match self.code {
            ErrorCode::ContentModified => Self {
                code: ErrorCode::ServerCancelled,
                data: Some(json!({ "retriggerRequest": true })),
                ..self
            },
            _ => self,
        }
    }

    /// An error for a valid request that cannot be satisfied; `why` is the reason.
    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, why)
    }
}

pub(super) type Answer = Result<Value, Refused>;

/// Work that ends with an answer.
pub(super) type Work = Box<dyn FnOnce() -> Answer + Send>;

/// Runs a worker's work. An edit that cancels it, or a panic, is an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Refused> {
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

pub(super) fn json(answer: impl serde::Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| Refused::new(ErrorCode::InternalError, error.to_string()))
}

/// The parameters of a request.
pub(super) fn wanted<T: DeserializeOwned>(params: Value) -> Result<T, Refused> {
    serde_json::from_value(params).map_err(|error| Refused::new(ErrorCode::InvalidParams, error.to_string()))
}

pub(super) fn response(id: RequestId, answer: Answer) -> Message {
    let refused = |Refused { code, message, data }| ResponseError {
        code: code as i32,
        message,
        data,
    };
    Message::Response(Response {
        id,
        response_result: answer.map_err(refused),
    })
}
