//! Large files, files that go away, several servers, and many edits.

use std::fs;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::Client;
use crate::{TEXT, URI};

/// Edits of the test of memory; `TILEWRIGHT_EDITS` sets another number.
const EDITS: i32 = 3000;

#[test]
fn a_file_of_fifty_megabytes_is_answered() {
    let mut client = Client::start(Value::Null);
    // Mostly comments, and a kernel at the end.
    let line = format!("// {}\n", "x".repeat(4000));
    let comments = line.repeat((50 << 20) / line.len());
    client.open(URI, &format!("{comments}{TEXT}"));
    assert_eq!(client.diagnostics(URI, 1, 0), json!([]));
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(symbols.as_array().map(Vec::len), Some(2));
    // More than the readers take is one error.
    client.open(
        "file:///large.mlir",
        &format!("cuda_tile.module @m {{\n{}", line.repeat((65 << 20) / line.len())),
    );
    let said = client.diagnostics("file:///large.mlir", 1, 1);
    assert_eq!(said[0]["code"], "E0208");
    assert!(client.stop().success());
}

#[test]
fn a_file_that_is_deleted_stays_as_the_editor_has_it_until_it_is_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.mlir");
    fs::write(&path, TEXT).expect("it is written");
    let uri = format!("file://{}", path.display());
    let mut client = Client::start(Value::Null);
    client.open(&uri, TEXT);
    client.diagnostics(&uri, 1, 0);
    fs::remove_file(&path).expect("it is removed");
    let changed = json!({ "changes": [{ "uri": uri, "type": 3 }] });
    client.notify("workspace/didChangeWatchedFiles", changed);
    client.edit(&uri, 2, [3, 16, 3, 22], "%cuont");
    assert_eq!(client.diagnostics(&uri, 2, 1)[0]["code"], "E0301");
    let document = json!({ "textDocument": { "uri": uri } });
    client.notify("textDocument/didClose", document.clone());
    let id = client.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } }),
    );
    assert!(
        client.answer(id)["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("not open"))
    );
    assert!(client.stop().success());
}

#[test]
fn two_servers_on_one_folder_do_not_disturb_each_other() {
    let (mut one, mut other) = (
        Client::start(Value::Null),
        Client::start(json!({ "target": "sm_80" })),
    );
    one.open(URI, TEXT);
    other.open(URI, TEXT);
    one.edit(URI, 2, [3, 16, 3, 22], "%cuont");
    one.diagnostics(URI, 2, 1);
    let title = |client: &mut Client| {
        let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
        lenses[0]["command"]["title"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(title(&mut other).starts_with("sm_80"), "{}", title(&mut other));
    assert!(one.stop().success());
    assert!(title(&mut other).starts_with("sm_80"));
    assert!(other.stop().success());
}

/// The memory of a process, in kilobytes; `None` where the system does not tell.
fn memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[test]
fn memory_stays_bounded_over_many_edits() {
    let edits = std::env::var("TILEWRIGHT_EDITS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(EDITS);
    let mut client = Client::start(json!({ "ptxas": false }));
    client.open(URI, TEXT);
    client.diagnostics(URI, 1, 0);
    let lens = json!({ "textDocument": { "uri": URI } });
    let mut first = None;
    for version in 2..edits + 2 {
        // Names, constants, and broken text, with all passes now and then.
        let text = match version % 4 {
            0 => format!("{}", version % 1000),
            1 => "8".to_owned(),
            2 => format!("%v{version}"),
            _ => format!("{version}"),
        };
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [{ "text": TEXT.replace("i32: 8", &format!("i32: {text}")) }],
            }),
        );
        if version % 50 == 0 {
            client.request("textDocument/codeLens", lens.clone());
            client.forget();
        }
        if version == edits / 10 {
            first = memory(client.process());
        }
    }
    client.request("textDocument/codeLens", lens);
    if let (Some(first), Some(last)) = (first, memory(client.process())) {
        assert!(
            last < 2 * first,
            "{first} kB after a tenth of {edits} edits, {last} kB after all"
        );
    }
    assert!(client.stop().success());
}

#[test]
fn an_edit_ends_a_pass_in_the_middle_of_its_work() {
    // One kernel whose passes take most of the time.
    let kernel = |first: i32| {
        let op = |at: usize| if at.is_multiple_of(2) { "addi" } else { "muli" };
        let lines = (1..6000).map(|at| format!("  %v{at} = {} %v{}, %n : tile<i32>\n", op(at), at - 1));
        format!(
            "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{\n  %v0 = constant <i32: {first}> : tile<i32>\n{}  \
             %t = store_ptr_tko weak %p, %v5999 : tile<ptr<i32>>, tile<i32> -> token\n  return\n}}\n",
            lines.collect::<String>()
        )
    };
    let mut client = Client::start(json!({ "ptxas": false, "logExecutions": true }));
    let other = "file:///other.mlir";
    client.open(other, TEXT);
    client.open(URI, &kernel(1));
    client.diagnostics(URI, 1, 0);
    let lenses = json!({ "textDocument": { "uri": URI } });
    let start = Instant::now();
    client.request("textDocument/codeLens", lenses.clone());
    let all = start.elapsed();
    let mut interrupted = 0;
    for version in 2..12 {
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [{ "text": kernel(version) }],
            }),
        );
        client.diagnostics(URI, version, 0);
        client.request("tilewright/executions", json!({}));
        let id = client.ask("textDocument/codeLens", lenses.clone());
        thread::sleep(all * u32::try_from(version).expect("small") / 20);
        client.edit(other, version, [0, 0, 0, 0], "// c\n");
        client.diagnostics(other, version, 0);
        let answer = client.answer(id);
        let code = &answer["error"]["code"];
        // Content modified, unless it was done.
        assert!(*code == Value::Null || *code == -32801, "{answer}");
        let ran = client.request("tilewright/executions", json!({}));
        let ran = ran.as_array().expect("a list").iter();
        interrupted += ran.filter(|one| one["query"] == "interrupted").count();
    }
    assert!(interrupted >= 3, "{interrupted} of 10");
    // What was interrupted is done again.
    let lenses = client.request("textDocument/codeLens", lenses);
    assert_eq!(lenses.as_array().map(Vec::len), Some(1));
}
