//! Replays the traffic of editors, as `tests/tools/record_lsp.py` has recorded it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;

/// What kind of value an answer is: the names of its fields, and the kinds in them; of a list, those of its first entry. Texts and
/// numbers change with the compiler.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => json!("bool"),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("text"),
        Value::Array(list) => json!([list.iter().find(|entry| !entry.is_null()).map(shape)]),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect(),
    }
}

/// The version, the codes and the places of published diagnostics.
fn published(message: &Value) -> Value {
    let list = message["params"]["diagnostics"].as_array().into_iter().flatten();
    let list: Vec<_> = list
        .map(|one| json!([one["code"], one["range"], one["severity"]]))
        .collect();
    json!([message["params"]["uri"], message["params"]["version"], list])
}

fn is_published(message: &Value) -> bool {
    message["method"] == "textDocument/publishDiagnostics"
}

/// Says what the editor said, and expects what the server said then.
fn replay(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/lsp/recorded")
        .join(name);
    let text = fs::read_to_string(path).expect("the record");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert!(lines.len() > 10, "{name}");
    let mut client = Client::raw();
    for line in &lines {
        if let Some(said) = line.get("client") {
            client.send(said);
            continue;
        }
        let wanted = &line["server"];
        if is_published(wanted) {
            client.wait(|message| is_published(message) && published(message) == published(wanted));
            continue;
        }
        let answer = client.wait(|message| message["id"] == wanted["id"] && message.get("method").is_none());
        assert_eq!(answer.get("error"), wanted.get("error"), "{name}: {answer}");
        // What the server can do may grow.
        let grows = wanted["result"].get("capabilities").is_some();
        if !grows {
            assert_eq!(
                shape(&answer["result"]),
                shape(&wanted["result"]),
                "{name}: {answer}"
            );
        }
    }
    assert!(client.ended().success(), "{name}");
}

#[test]
fn what_neovim_said_is_answered_as_it_was() {
    replay("neovim.jsonl");
}

#[test]
fn what_the_library_of_vs_code_said_is_answered_as_it_was() {
    replay("vscode.jsonl");
}
