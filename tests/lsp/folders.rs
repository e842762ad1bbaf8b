//! Several folders in one workspace, each with its own settings.

use serde_json::{Value, json};

use crate::client::Client;

/// A kernel that only newer GPUs can run.
const TEXT: &str = "entry @k() {\n  %0 = constant <f8E4M3FN: 1.0> : tile<f8E4M3FN>\n  return\n}\n";

fn handshake(client: &mut Client) {
    client.request(
        "initialize",
        json!({
            "processId": null,
            "rootUri": "file:///work",
            "workspaceFolders": [
                { "uri": "file:///work/old", "name": "old" },
                { "uri": "file:///work/new", "name": "new" },
            ],
            "initializationOptions": { "target": "sm_90a", "ptxas": false },
            "capabilities": {
                "workspace": {
                    "configuration": true,
                    "didChangeWatchedFiles": { "dynamicRegistration": true },
                },
            },
        }),
    );
    client.notify("initialized", json!({}));
}

/// Answers the server's question for settings: each folder's by its address.
fn answer_settings(client: &mut Client, settings: impl Fn(&str) -> Value) -> usize {
    let asked = client.wait(|message| message["method"] == "workspace/configuration");
    let items = asked["params"]["items"].as_array().expect("a list");
    let answers: Vec<_> = items
        .iter()
        .map(|item| {
            assert_eq!(item["section"], "tilewright");
            settings(item["scopeUri"].as_str().expect("an address"))
        })
        .collect();
    let count = answers.len();
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answers }));
    count
}

#[test]
fn each_folder_is_compiled_for_its_own_target() {
    let mut client = Client::raw();
    handshake(&mut client);
    let target = |folder: &str| match folder {
        "file:///work/old" => json!({ "target": "sm_80", "ptxas": false }),
        // Nothing is set: as at the start.
        _ => Value::Null,
    };
    assert_eq!(answer_settings(&mut client, target), 2);
    let watch = client.wait(|message| message["method"] == "client/registerCapability");
    let registration = &watch["params"]["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    for (uri, count) in [
        ("file:///work/old/k.mlir", 1),
        ("file:///work/new/k.mlir", 0),
        ("file:///work/older/k.mlir", 0),
    ] {
        client.open(uri, TEXT);
        client.diagnostics(uri, 1, 0);
        let found = client.request(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": uri } }),
        );
        assert_eq!(
            found["items"].as_array().map(Vec::len),
            Some(count),
            "{uri}: {found}"
        );
    }
    // A folder goes, and another one comes.
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": {
            "removed": [{ "uri": "file:///work/old", "name": "old" }],
            "added": [{ "uri": "file:///work/older", "name": "older" }],
        } }),
    );
    let settings = |folder: &str| {
        assert_ne!(folder, "file:///work/old");
        json!({ "target": "sm_86", "ptxas": false })
    };
    assert_eq!(answer_settings(&mut client, settings), 2);
    client.diagnostics("file:///work/new/k.mlir", 1, 1);
    client.diagnostics("file:///work/older/k.mlir", 1, 1);
    let found = client.request(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": "file:///work/old/k.mlir" } }),
    );
    assert_eq!(found["items"], json!([]));
    // What is wrong with settings is told, and they are not taken.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "target": "sm_1" } }),
    );
    let told = client.wait(|message| message["method"] == "window/showMessage");
    let words = told["params"]["message"].as_str().expect("text");
    assert!(words.contains("there is no target 'sm_1'"), "{words}");
    assert!(client.stop().success());
}

#[test]
fn functions_are_found_in_all_folders_whether_they_are_open_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["a.cuda_tile", "b.cuda_tile"] {
        std::fs::write(path(name), TEXT).expect("it is written");
    }
    let uri = |name: &str| format!("file://{}", path(name).display());
    let mut client = Client::raw();
    let folders = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "all" }]);
    client.request(
        "initialize",
        json!({ "processId": null, "rootUri": null, "workspaceFolders": folders, "capabilities": {} }),
    );
    client.notify("initialized", json!({}));
    // The open one as the editor has it.
    client.open(&uri("a.cuda_tile"), &TEXT.replace("@k", "@kept"));
    let found = client.request("workspace/symbol", json!({ "query": "K" }));
    let found: Vec<_> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["name"].as_str(), one["location"]["uri"].as_str()))
        .collect();
    let (a, b) = (uri("a.cuda_tile"), uri("b.cuda_tile"));
    assert_eq!(
        found,
        [(Some("kept"), Some(a.as_str())), (Some("k"), Some(b.as_str()))]
    );
}
