//! Parses messages of the protocol.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Map, Value, json};

/// Reads a message.
///
/// # Errors
/// The error response to an invalid message, with the message's `id` if it has one.
pub(super) fn parse(bytes: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| fault(&Value::Null, ErrorCode::ParseError, &error.to_string()))?;
    let Value::Object(mut fields) = value else {
        return Err(fault(
            &Value::Null,
            ErrorCode::InvalidRequest,
            "a message is an object",
        ));
    };
    let id = fields.remove("id").unwrap_or_default();
    let known: Option<RequestId> = serde_json::from_value(id.clone()).ok();
    let method = fields.remove("method");
    let params = fields.remove("params").unwrap_or_default();
    match (method, known) {
        (Some(Value::String(method)), Some(id)) => Ok(Request { id, method, params }.into()),
        (Some(Value::String(method)), None) if id.is_null() => Ok(Notification { method, params }.into()),
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => Ok(Response {
            id,
            response_result: result(fields),
        }
        .into()),
        _ => Err(fault(
            &id,
            ErrorCode::InvalidRequest,
            "a message is a request, a notification or an answer",
        )),
    }
}

/// The result or the error of a response from the editor.
fn result(mut fields: Map<String, Value>) -> Result<Value, ResponseError> {
    match fields.remove("error").filter(|error| !error.is_null()) {
        None => Ok(fields.remove("result").unwrap_or_default()),
        Some(error) => Err(
            serde_json::from_value(error.clone()).unwrap_or_else(|_| ResponseError {
                code: ErrorCode::UnknownErrorCode as i32,
                message: error.to_string(),
                data: None,
            }),
        ),
    }
}

/// The error response to an invalid message.
pub(super) fn fault(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_by_their_fields() {
        let kind = |text: &str| match parse(text.as_bytes()) {
            Ok(Message::Request(asked)) => format!("{} {}", asked.id, asked.method),
            Ok(Message::Notification(told)) => format!("{} {}", told.method, told.params),
            Ok(Message::Response(answer)) => format!("{} {:?}", answer.id, answer.response_result.ok()),
            Err(fault) => format!("{} {}", fault["id"], fault["error"]["code"]),
        };
        let cases = [
            (r#"{"id": 1, "method": "m"}"#, "1 m"),
            (r#"{"method": "m", "params": [2]}"#, "m [2]"),
            (r#"{"id": "a", "result": null}"#, "\"a\" Some(Null)"),
            (r#"{"id": 1, "error": {"code": 3, "message": ""}}"#, "1 None"),
            (r#"{"id": 1, "error": "no"}"#, "1 None"),
            (r#"{"json": "#, "null -32700"),
            ("[]", "null -32600"),
            (r#"{"id": 7, "method": 3}"#, "7 -32600"),
            (r#"{"id": 1.5, "method": "m"}"#, "1.5 -32600"),
        ];
        for (text, want) in cases {
            assert_eq!(kind(text), want, "{text}");
        }
    }
}
