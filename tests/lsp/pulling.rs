//! Diagnostics that the client asks for: each problem is told once, and what the back end says comes after a pause.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::{TEXT, URI, python};

/// Longer than the server waits after the last edit.
const PAUSE: Duration = Duration::from_millis(600);

const PUSH: &str = "textDocument/publishDiagnostics";
const REFRESH: &str = "workspace/diagnostic/refresh";

/// A text with an error of the back end for `sm_80`, which has no numbers of this type.
fn with_what_sm_80_lacks() -> String {
    let op = "    %f8 = constant <f8E4M3FN: 1.0> : tile<f8E4M3FN>\n";
    TEXT.replacen("    %count", &format!("{op}    %count"), 1)
}

/// A client that asks for diagnostics, and may be told to ask again.
fn asking(refreshes: bool) -> Client {
    let capabilities = json!({
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": { "diagnostic": { "dynamicRegistration": false } },
        "workspace": { "diagnostics": { "refreshSupport": refreshes }, "codeLens": { "refreshSupport": true } },
    });
    Client::that_can(capabilities, json!({ "target": "sm_80", "ptxas": false }))
}

fn pull(client: &mut Client, uri: &str, has: Option<&Value>) -> Value {
    let document = json!({ "uri": uri });
    client.request(
        "textDocument/diagnostic",
        json!({ "textDocument": document, "previousResultId": has }),
    )
}

fn codes(report: &Value) -> Vec<&str> {
    let items = report["items"].as_array().expect("a full report");
    items.iter().filter_map(|one| one["code"].as_str()).collect()
}

#[test]
fn a_client_that_asks_for_diagnostics_is_sent_none() {
    for refreshes in [false, true] {
        let mut client = asking(refreshes);
        client.open(URI, TEXT);
        client.open("tilewright-bytecode:/k", TEXT);
        client.edit(URI, 2, [3, 16, 3, 22], "%cuont");
        let said = pull(&mut client, URI, None);
        assert_eq!(codes(&said), ["E0301"], "{said}");
        thread::sleep(PAUSE);
        let document = json!({ "textDocument": { "uri": URI } });
        client.notify("textDocument/didClose", document);
        assert_eq!(codes(&pull(&mut client, "tilewright-bytecode:/k", None)), [""; 0]);
        assert_eq!(client.unread(PUSH), 0);
        assert!(client.stop().success());
    }
}

#[test]
fn what_is_as_it_was_is_not_told_again() {
    let mut client = asking(false);
    client.open(URI, &with_what_sm_80_lacks());
    let first = pull(&mut client, URI, None);
    // A client that cannot be told to ask again has all at once.
    assert_eq!(codes(&first), ["E0706"]);
    let id = &first["resultId"];
    let again = pull(&mut client, URI, Some(id));
    assert_eq!(again, json!({ "kind": "unchanged", "resultId": id }));
    client.edit(URI, 2, [0, 0, 0, 0], "\n");
    let moved = pull(&mut client, URI, Some(id));
    assert_eq!((&moved["kind"], codes(&moved)), (&json!("full"), vec!["E0706"]));
    assert_ne!(moved["resultId"], *id);
}

#[test]
fn the_client_is_told_to_ask_again_for_what_the_back_end_says() {
    let mut client = asking(true);
    client.open(URI, &with_what_sm_80_lacks());
    // The front end's, at once: there are none.
    let first = pull(&mut client, URI, None);
    client.wait(|message| message["method"] == REFRESH);
    let said = pull(&mut client, URI, Some(&first["resultId"]));
    assert_eq!(codes(&said), ["E0706"]);
    // Another target.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "target": "sm_90a", "ptxas": false } }),
    );
    client.wait(|message| message["method"] == REFRESH);
    assert_eq!(codes(&pull(&mut client, URI, Some(&said["resultId"]))), [""; 0]);
    // There is nothing more to tell.
    client.edit(URI, 2, [0, 0, 0, 0], "\n");
    thread::sleep(PAUSE);
    pull(&mut client, URI, None);
    assert_eq!((client.unread(REFRESH), client.unread(PUSH)), (0, 0));
}

#[test]
fn the_problems_of_a_python_file_are_told_once() {
    let (_folder, uri, text) = python::with_lines();
    // A client that can be told to ask again is told when the modules are there.
    let mut client = asking(true);
    python::open(&mut client, &uri, text);
    client.wait(|message| message["method"] == REFRESH);
    assert_eq!(codes(&pull(&mut client, &uri, None)), ["E0805", "E0706"]);
    assert_eq!(client.unread(PUSH), 0);
    // Any other is sent them, and has no answer with the same.
    let mut client = asking(false);
    python::open(&mut client, &uri, text);
    client.wait(|message| {
        message["method"] == PUSH && message["params"]["diagnostics"].as_array().map(Vec::len) == Some(2)
    });
    assert_eq!(codes(&pull(&mut client, &uri, None)), [""; 0]);
}

#[test]
fn an_answer_that_an_edit_prevents_is_to_be_asked_for_again() {
    let op = |at: usize| format!("  %v{at} = addi %v{}, %n : tile<i32>\n", at - 1);
    let ops: String = (1..4000).map(op).collect();
    let kernel = format!("entry @k(%n: tile<i32>, %v0: tile<i32>) {{\n{ops}  return\n}}\n");
    let mut client = asking(false);
    client.open(URI, &kernel);
    client.open("file:///other.mlir", TEXT);
    let id = client.ask(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": URI } }),
    );
    client.edit("file:///other.mlir", 2, [0, 0, 0, 0], "\n");
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32802, "{answer}");
    assert_eq!(answer["error"]["data"], json!({ "retriggerRequest": true }));
    assert_eq!(codes(&pull(&mut client, URI, None)), [""; 0]);
}
