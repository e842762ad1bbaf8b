//! How the editor gets diagnostics: either the server sends them, or the editor requests them. Doing both would show each problem
//! twice.

use std::hash::{DefaultHasher, Hash, Hasher};

use lsp_types as lsp;
use serde_json::{Value, json};

use super::documents::Content;

/// How the editor gets diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The server sends them.
    Pushed,
    /// The editor requests them after each edit, and only then.
    Pulled,
    /// The editor requests them after each edit, and again when the server tells it to.
    Refreshed,
}

impl Delivery {
    /// What the editor declares in the parameters of `initialize`.
    pub(super) fn of(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let pulls = capability("textDocument/diagnostic").is_some_and(Value::is_object);
        // The protocol's name; the crate of its types has another one.
        let refreshes = capability("workspace/diagnostics/refreshSupport") == Some(&Value::Bool(true));
        match (pulls, refreshes) {
            (false, _) => Self::Pushed,
            (true, false) => Self::Pulled,
            (true, true) => Self::Refreshed,
        }
    }

    /// Whether the server sends the diagnostics of a document. The modules of a Python file are made in the background, so it
    /// also sends them to an editor that it cannot tell to request them again.
    pub(super) fn pushes(self, content: &Content) -> bool {
        match (self, content) {
            (Self::Pushed, _) | (Self::Pulled, Content::Python(_)) => true,
            (Self::Refreshed, _) | (Self::Pulled, Content::Text(_)) => false,
        }
    }
}

/// The answer to a request for diagnostics; a short one if the editor has the same diagnostics already (`has` is their hash).
pub(super) fn report(items: &[lsp::Diagnostic], has: Option<&str>) -> Value {
    let items = json!(items);
    let mut hasher = DefaultHasher::new();
    items.to_string().hash(&mut hasher);
    let id = format!("{:016x}", hasher.finish());
    match has == Some(id.as_str()) {
        true => json!({ "kind": "unchanged", "resultId": id }),
        false => json!({ "kind": "full", "resultId": id, "items": items }),
    }
}
