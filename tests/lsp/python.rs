//! Python files: their modules come from bytecode beside them or from a command, and what is said lands on their lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// A folder with a copy of an example in Python: the folder, the file's address, and its text.
fn example(name: &str) -> (TempDir, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{name}.py"));
    fs::copy(examples().join(format!("kernels/{name}.py")), &file).expect("it is copied");
    let text = fs::read_to_string(&file).expect("a text");
    (folder, format!("file://{}", file.display()), text)
}

fn bytecode(name: &str) -> PathBuf {
    examples().join(format!("bytecode/{name}.13.5.tileirbc"))
}

pub(crate) fn open(client: &mut Client, uri: &str, text: &str) {
    let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
}

/// The position of a word in a text.
fn position(text: &str, word: &str) -> Value {
    let at = text.find(word).expect("the word is there");
    let before = &text[..at];
    let column = at - before.rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": before.matches('\n').count(), "character": column })
}

fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    lenses.as_array().expect("a list").clone()
}

/// Waits until the modules are there.
fn made(client: &mut Client) {
    client.wait(|message| message["method"] == "workspace/codeLens/refresh");
}

#[test]
fn bytecode_beside_a_file_lands_on_its_lines() {
    let (folder, uri, text) = example("saxpy");
    // An older version of the same module, of which nothing is said.
    for version in ["13.1", "13.5"] {
        let module = format!("saxpy.{version}.tileirbc");
        let from = examples().join("bytecode").join(&module);
        fs::copy(from, folder.path().join(&module)).expect("it is copied");
    }
    // Another file's module is not this one's.
    fs::copy(bytecode("transpose"), folder.path().join("transpose.tileirbc")).expect("it is copied");
    let mut client = Client::start(json!({ "target": "sm_90a", "ptxas": false }));
    open(&mut client, &uri, &text);
    made(&mut client);
    let found = lenses(&mut client, &uri);
    assert_eq!(found.len(), 1, "{found:?}");
    let title = found[0]["command"]["title"].as_str().expect("text");
    assert!(
        title.starts_with("sm_90a · ") && title.contains("memory: "),
        "{title}"
    );
    assert_eq!(found[0]["range"]["start"], position(&text, "def saxpy"));

    let mut at = |word: &str, method: &str, more: Value| {
        let mut params = json!({ "textDocument": { "uri": uri }, "position": position(&text, word) });
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        client.request(method, params)
    };
    let hover = at("ct.load(x", "textDocument/hover", json!({}));
    let said = hover["contents"]["value"].as_str().expect("text");
    for part in [
        "load_view_tko: tile<512xf32>",
        "by `ld<128b>`",
        "| lane | 32 | ",
        "PTX: ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let load_line = position(&text, "ct.load(x")["line"].clone();
    assert_eq!(hover["range"]["start"]["line"], load_line);
    let stage = at("ct.load(x", "tilewright/stage", json!({ "stage": "ptx" }));
    assert!(
        stage["text"]
            .as_str()
            .expect("text")
            .contains(".visible .entry saxpy")
    );
    assert!(stage["lines"].as_array().expect("a list").contains(&load_line));
    let hints = client.request(
        "textDocument/inlayHint",
        json!({
            "textDocument": { "uri": uri },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
        }),
    );
    let labels: Vec<_> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| &hint["label"])
        .collect();
    assert!(
        labels
            .iter()
            .any(|label| label.as_str().is_some_and(|label| label.contains("ld<128b>"))),
        "{labels:?}"
    );
    // What other servers say of Python is not this one's.
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": uri } }),
    );
    assert_eq!(symbols, Value::Null);

    // Lines that move take what is said of them along; one that is edited has nothing until it is made again.
    client.edit(&uri, 2, [0, 0, 0, 0], "# one\n# two\n");
    let moved = lenses(&mut client, &uri);
    let line = |value: &Value| value["range"]["start"]["line"].as_u64().expect("a number");
    assert_eq!(line(&moved[0]), line(&found[0]) + 2);
    let at = u32::try_from(line(&moved[0])).expect("small");
    client.edit(&uri, 3, [at, 0, at, 0], " ");
    assert_eq!(lenses(&mut client, &uri), Vec::<Value>::new());
    assert!(client.stop().success());
}

/// A kernel with debug information, as cuTile Python writes it for three lines of `k.py`.
const WITH_LINES: &str = "\
entry @k() {
  %0 = constant <f8E4M3FN: 1.0> : tile<f8E4M3FN> loc(#loc4)
  return loc(#loc4)
} loc(#loc3)
#di_file = #cuda_tile.di_file<\"k.py\" in \"\">
#loc1 = loc(\"k.py\":2:0)
#loc2 = loc(\"k.py\":3:8)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = \"k\", linkageName = \"k\", compileUnit = #di_compile_unit, scopeLine = 1>
#loc3 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc4 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
";

/// A folder with a file in Python and its bytecode, which is an hour older and has what some targets lack: the folder, the file's
/// address, and its text.
pub(crate) fn with_lines() -> (TempDir, String, &'static str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, module) = (folder.path().join("k.mlir"), folder.path().join("k.tileirbc"));
    fs::write(&text, WITH_LINES).expect("it is written");
    let compiled = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(["compile", "--emit", "bytecode", "-o"])
        .args([&module, &text])
        .status();
    assert!(compiled.expect("it runs").success());
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let opened = fs::File::options()
        .write(true)
        .open(&module)
        .expect("it is there");
    opened.set_modified(an_hour_ago).expect("it is older");
    let file = folder.path().join("k.py");
    let python = "@ct.kernel\ndef k():\n    x = ct.full((), 1.0, ct.float8_e4m3fn)\n";
    fs::write(&file, python).expect("it is written");
    let uri = format!("file://{}", file.display());
    (folder, uri, python)
}

#[test]
fn what_the_target_lacks_is_said_at_the_line_of_python() {
    let (_folder, uri, python) = with_lines();
    let mut client = Client::start(json!({ "target": "sm_80", "ptxas": false }));
    open(&mut client, &uri, python);
    let message = client.wait(|message| {
        let all = message["params"]["diagnostics"].as_array();
        all.is_some_and(|all| all.iter().any(|one| one["code"] == "E0706"))
    });
    // The bytecode is older than the file, which is told too.
    let all = message["params"]["diagnostics"].as_array().expect("a list");
    let codes: Vec<_> = all.iter().map(|one| (&one["code"], &one["severity"])).collect();
    assert_eq!(
        codes,
        [(&json!("E0805"), &json!(3)), (&json!("E0706"), &json!(1))]
    );
    let place = json!({ "start": { "line": 2, "character": 8 }, "end": { "line": 2, "character": 42 } });
    assert_eq!(all[1]["range"], place, "{message}");
}

/// The settings of a client whose workspace has a command.
fn with_command(command: &[&str], timeout: f64, trusted: bool) -> Value {
    let python = json!({ "command": command, "timeout": timeout });
    json!({ "trusted": trusted, "tilewright": { "target": "sm_90a", "ptxas": false, "python": python } })
}

/// The problem that is told of the making.
fn problem(client: &mut Client) -> Value {
    let is_it = |one: &Value| one["code"] == "E0805";
    let message = client.wait(|message| {
        let all = message["params"]["diagnostics"].as_array();
        all.is_some_and(|all| all.iter().any(is_it))
    });
    let all = message["params"]["diagnostics"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    all.into_iter().find(is_it).expect("it is there")
}

#[test]
fn a_command_makes_the_modules_when_a_file_is_opened_and_saved() {
    let (_folder, uri, text) = example("saxpy");
    let module = bytecode("saxpy").display().to_string();
    let mut client = Client::start(with_command(&["cp", &module, "${out}"], 30.0, true));
    open(&mut client, &uri, &text);
    made(&mut client);
    assert_eq!(lenses(&mut client, &uri).len(), 1);
    client.edit(&uri, 2, [6, 0, 6, 0], "# new\n");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    made(&mut client);
    assert_eq!(lenses(&mut client, &uri).len(), 1);
}

#[test]
fn a_command_is_not_run_for_what_it_does_not_depend_on() {
    let (folder, uri, text) = example("saxpy");
    let runs = folder.path().join("runs");
    // It leaves bytecode in the workspace, which the editor tells of.
    let module = bytecode("saxpy").display().to_string();
    let script = format!(
        "echo run >> {}; cp {module} {}",
        runs.display(),
        folder.path().display()
    );
    let script = format!("{script}; cp {module} ${{out}}");
    let settings = with_command(&["sh", "-c", &script], 30.0, true);
    let mut client = Client::start(settings.clone());
    open(&mut client, &uri, &text);
    made(&mut client);
    let count = || fs::read_to_string(&runs).expect("it has run").lines().count();
    let changed = json!({ "changes": [{ "uri": format!("{uri}.tileirbc"), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", changed);
    // Another setting than the command.
    let mut other = settings;
    other["tilewright"]["optLevel"] = json!(1);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": other }));
    assert_eq!(lenses(&mut client, &uri).len(), 1);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(count(), 1);
    // Without a command, new bytecode is looked for.
    other["tilewright"]["python"] = json!({});
    client.notify("workspace/didChangeConfiguration", json!({ "settings": other }));
    made(&mut client);
    let changed = json!({ "changes": [{ "uri": format!("{uri}.tileirbc"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changed);
    made(&mut client);
    assert_eq!((count(), lenses(&mut client, &uri).len()), (1, 1));
}

#[test]
fn a_module_may_come_on_standard_output() {
    let (_folder, uri, text) = example("saxpy");
    let module = bytecode("saxpy").display().to_string();
    let mut client = Client::start(with_command(&["cat", &module], 30.0, true));
    open(&mut client, &uri, &text);
    made(&mut client);
    assert_eq!(lenses(&mut client, &uri).len(), 1);
}

#[test]
fn the_command_of_a_workspace_that_is_not_trusted_is_not_run() {
    let (folder, uri, text) = example("saxpy");
    let mark = folder.path().join("mark");
    let command = ["touch", mark.to_str().expect("a path")];
    let mut settings = with_command(&command, 30.0, false);
    // The settings may come from the workspace, and do not say whether it is trusted.
    settings["tilewright"]["trusted"] = json!(true);
    let mut client = Client::start(settings.clone());
    open(&mut client, &uri, &text);
    made(&mut client);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": settings }),
    );
    lenses(&mut client, &uri);
    assert!(!mark.exists());
    client.notify("tilewright/trust", json!({ "trusted": true }));
    assert_eq!(problem(&mut client)["severity"], 1);
    assert!(mark.exists());
}

#[test]
fn a_command_that_fails_or_hangs_is_told_at_a_line() {
    let (folder, uri, text) = example("saxpy");
    let script =
        r#"printf 'Traceback:\n  File "%s", line 9, in <module>\nTypeError: no tile\n' "$0" >&2; exit 3"#;
    let mut client = Client::start(with_command(&["sh", "-c", script, "${file}"], 30.0, true));
    open(&mut client, &uri, &text);
    let said = problem(&mut client);
    assert_eq!(said["range"]["start"]["line"], 8);
    assert!(
        said["message"]
            .as_str()
            .expect("text")
            .ends_with("TypeError: no tile"),
        "{said}"
    );
    drop(client);

    // What the command has started is ended with it.
    let mark = folder.path().join("mark");
    let script = format!("(sleep 1; touch {}) & wait", mark.display());
    let mut client = Client::start(with_command(&["sh", "-c", &script], 0.2, true));
    open(&mut client, &uri, &text);
    let said = problem(&mut client);
    assert!(
        said["message"]
            .as_str()
            .expect("text")
            .contains("took more than 0.2 seconds"),
        "{said}"
    );
    thread::sleep(Duration::from_millis(1500));
    assert!(!mark.exists());
    drop(client);

    // One that runs does not outlive the server.
    let script = format!("sleep 2; touch {}", mark.display());
    let mut client = Client::start(with_command(&["sh", "-c", &script], 30.0, true));
    open(&mut client, &uri, &text);
    lenses(&mut client, &uri);
    assert!(client.stop().success());
    thread::sleep(Duration::from_millis(2500));
    assert!(!mark.exists());

    let mut client = Client::start(with_command(&["/no/such/program"], 30.0, true));
    open(&mut client, &uri, &text);
    let said = problem(&mut client);
    assert!(
        said["message"].as_str().expect("text").contains("cannot be run"),
        "{said}"
    );
}

#[test]
fn bytecode_is_shown_as_its_disassembly() {
    let mut client = Client::start(Value::Null);
    let of = |path: &Path| json!({ "textDocument": { "uri": format!("file://{}", path.display()) } });
    let text = client.request("tilewright/disassembly", of(&bytecode("saxpy")));
    let text = text.as_str().expect("text");
    assert!(text.starts_with("entry @saxpy("), "{text}");
    // A document like any other.
    client.open("tilewright-bytecode:/saxpy", text);
    assert_eq!(client.diagnostics("tilewright-bytecode:/saxpy", 1, 0), json!([]));
    let id = client.ask("tilewright/disassembly", of(&examples().join("kernels/saxpy.py")));
    let refused = client.answer(id);
    assert!(
        refused["error"]["message"]
            .as_str()
            .expect("text")
            .ends_with("is no bytecode"),
        "{refused}"
    );
}
