//! The language server's latency: how long after an edit its diagnostics are there, the lens with the cost of all kernels, and
//! what ran for it.
//!
//! `cargo bench -p tilewright --bench keystrokes [-- FILE…]`: the kernels are those of the files, as often as needed to make a
//! hundred; by default, the programs in `tests/data/disasm`. With `--edits-only`, no lenses are asked for: for a profile.

#![expect(clippy::print_stdout, reason = "a report for a person")]

use std::io;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const URI: &str = "file:///kernels.mlir";
const KERNELS: usize = 100;
const EDITS: usize = 1000;

/// The module of this many kernels.
fn program(files: &[PathBuf], count: usize) -> String {
    let mut kernels = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let cut = tilewright_grammar::cut("cuda_tile", &text).unwrap_or_else(|| panic!("{}", file.display()));
        let bare = cut.functions.iter().filter(|piece| {
            let function = &text[piece.at.clone()];
            !function.contains("get_global") && !function.contains("loc(#")
        });
        kernels.extend(bare.map(|piece| text[piece.at.clone()].to_owned()));
    }
    let kernels = kernels.iter().cycle().take(count).enumerate();
    let kernels = kernels.map(|(at, kernel)| kernel.replacen("entry @", &format!("entry @k{at}_"), 1));
    format!(
        "cuda_tile.module @m {{\n{}\n}}\n",
        kernels.collect::<Vec<_>>().join("\n\n")
    )
}

/// An editor at the other end of the server.
struct Editor {
    connection: Connection,
    text: String,
    version: i32,
    requests: i32,
}

impl Editor {
    fn notify(&self, method: &str, params: Value) {
        let told = Notification::new(method.to_owned(), params);
        self.connection
            .sender
            .send(told.into())
            .expect("the server takes it");
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let asked = Request::new(id.clone(), method.to_owned(), params);
        self.connection
            .sender
            .send(asked.into())
            .expect("the server takes it");
        loop {
            match self.connection.receiver.recv().expect("the server answers") {
                Message::Response(answer) if answer.id == id => {
                    return answer.response_result.unwrap_or_default();
                }
                _ => {}
            }
        }
    }

    /// Waits for the diagnostics of the text as it is. Returns their number.
    fn diagnosed(&self) -> usize {
        loop {
            if let Message::Notification(told) = self.connection.receiver.recv().expect("the server answers")
                && told.method == "textDocument/publishDiagnostics"
                && told.params["version"] == self.version
            {
                return told.params["diagnostics"].as_array().map_or(0, Vec::len);
            }
        }
    }

    /// What replaces bytes, which are on one line.
    fn change(&self, at: usize, length: usize, new: &str) -> Value {
        let before = &self.text[..at];
        let line = before.matches('\n').count();
        let column = at - before.rfind('\n').map_or(0, |at| at + 1);
        let start = json!({"line": line, "character": column});
        let end = json!({"line": line, "character": column + length});
        json!([{"range": {"start": start, "end": end}, "text": new}])
    }

    /// Replaces bytes, which are on one line, and waits for the diagnostics. Returns how long that takes.
    fn edit(&mut self, at: usize, length: usize, new: &str) -> Duration {
        let change = self.change(at, length, new);
        self.text.replace_range(at..at + length, new);
        self.version += 1;
        let params = json!({
            "textDocument": {"uri": URI, "version": self.version},
            "contentChanges": change,
        });
        let start = Instant::now();
        self.notify("textDocument/didChange", params);
        self.diagnosed();
        start.elapsed()
    }
}

/// A kind of edits: its name, and a place for it in the text from an offset on.
type Kind = (&'static str, Find);

/// Finds a place in a text, and what replaces how many bytes there.
type Find = fn(&str) -> Option<(usize, usize, String)>;

/// The constants that replace others: those that loops and branches go by make the most of a kernel anew.
const CONSTANTS: [&str; 6] = ["3", "0", "1", "1000", "7", "64"];

/// The bytes of the long text.
const LONG: usize = 5_000_000;

const KINDS: [Kind; 6] = [
    ("a comment", |rest| {
        Some((rest.find("\n    ")?, 0, " // x".to_owned()))
    }),
    ("a space", |rest| Some((rest.find(" = ")?, 0, " ".to_owned()))),
    ("a constant", |rest| {
        let at = rest.find("constant <i32: ")? + "constant <i32: ".len();
        let digits = rest[at..].bytes().take_while(u8::is_ascii_digit).count();
        let new = CONSTANTS[at % CONSTANTS.len()];
        (digits > 0).then(|| (at, digits, new.to_owned()))
    }),
    ("half an op", |rest| {
        Some((rest.find(" = ")? + 3, 0, "ad".to_owned()))
    }),
    ("an open bracket", |rest| {
        Some((rest.find(" : ")?, 0, "(".to_owned()))
    }),
    ("a deleted brace", |rest| {
        Some((rest.find('{')?, 1, String::new()))
    }),
];

fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

fn report(what: &str, times: &mut [Duration], more: &str) {
    let (half, most) = (percentile(times, 50), percentile(times, 99));
    println!("{what:<36} median {half:>8.3} ms, 99th percentile {most:>8.3} ms{more}");
}

/// A server that has a text open, and its editor.
fn opened(text: String) -> (Editor, JoinHandle<io::Result<()>>) {
    let (server, connection) = Connection::memory();
    let serving = thread::Builder::new().stack_size(64 << 20);
    let serving = serving.spawn(move || tilewright::lsp::serve_on(&server));
    let serving = serving.expect("a thread");
    let mut editor = Editor {
        connection,
        text,
        version: 1,
        requests: 0,
    };
    let settings = json!({"logExecutions": true, "ptxas": false});
    editor.request(
        "initialize",
        json!({"capabilities": {}, "initializationOptions": settings}),
    );
    editor.notify("initialized", json!({}));
    let text = &editor.text;
    let document = json!({"uri": URI, "languageId": "cuda_tile", "version": 1, "text": text});
    let start = Instant::now();
    editor.notify("textDocument/didOpen", json!({"textDocument": document}));
    let wrong = editor.diagnosed();
    println!(
        "{} bytes, opened in {:.1} ms, {wrong} diagnostics",
        text.len(),
        start.elapsed().as_secs_f64() * 1e3
    );
    (editor, serving)
}

/// Ends a server.
fn ended(mut editor: Editor, serving: JoinHandle<io::Result<()>>) {
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    serving
        .join()
        .expect("the server ends")
        .expect("without an error");
}

/// Asks for the lenses of all kernels. Returns how long that takes.
fn lenses(editor: &mut Editor) -> Duration {
    let start = Instant::now();
    editor.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    start.elapsed()
}

/// A place for an edit of a kind: the bytes, and what replaces them.
fn place(editor: &Editor, find: Find, random: &mut ChaCha8Rng) -> Option<(usize, usize, String)> {
    let functions: Vec<_> = editor.text.match_indices("entry @k").map(|(at, _)| at).collect();
    (0..100).find_map(|_| {
        let start = *functions.choose(random)? + random.random_range(0..1000);
        let start = start.min(editor.text.len());
        let (at, length, new) = find(&editor.text[start..])?;
        Some((start + at, length, new))
    })
}

/// Edits of each kind, one by one, each undone.
fn one_by_one(editor: &mut Editor, edits_only: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let mut all = Vec::new();
    for (name, find) in KINDS {
        let (mut times, mut lens_times) = (Vec::new(), Vec::new());
        let (mut read, mut passes) = (0, 0);
        for _ in 0..EDITS / KINDS.len() {
            let Some((at, length, new)) = place(editor, find, &mut random) else {
                continue;
            };
            let old = editor.text[at..at + length].to_owned();
            editor.request("tilewright/executions", json!({}));
            // A person does not type faster.
            thread::sleep(Duration::from_millis(2));
            times.push(editor.edit(at, length, &new));
            if !edits_only {
                lens_times.push(lenses(editor));
            }
            let ran = editor.request("tilewright/executions", json!({}));
            for one in ran.as_array().into_iter().flatten() {
                let count = one["count"].as_u64().unwrap_or(0);
                match one["query"].as_str() {
                    Some("read") => read += count,
                    Some("parse" | "print" | "join" | "locate") | None => {}
                    Some(_) => passes += count,
                }
            }
            editor.edit(at, new.len(), &old);
            if !edits_only {
                // What the undoing costs is not the next edit's.
                lenses(editor);
            }
        }
        let edits = times.len().max(1);
        all.extend(times.iter().copied());
        let each = |count: u64| count as f64 / edits as f64;
        let ran = format!("; {:.2} parts read, {:.1} passes", each(read), each(passes));
        report(name, &mut times, &ran);
        if !edits_only {
            report("  the lens after it", &mut lens_times, "");
        }
    }
    report("all edits", &mut all, "");
}

/// Edits after the target has changed, while the lenses of all kernels are made: at once, when passes run, or when these are done.
fn during_requests(editor: &mut Editor, passes_are_done: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let mut times = Vec::new();
    for round in 0..20 {
        let target = ["sm_80", "sm_90a"][round % 2];
        editor.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": {"target": target, "logExecutions": true, "ptxas": false}}),
        );
        if passes_are_done {
            editor.diagnosed();
        }
        let asked = Request::new(
            RequestId::from(-1),
            "textDocument/codeLens".to_owned(),
            json!({"textDocument": {"uri": URI}}),
        );
        editor
            .connection
            .sender
            .send(asked.into())
            .expect("the server takes it");
        thread::sleep(Duration::from_millis(random.random_range(1..40)));
        if let Some((at, length, new)) = place(editor, KINDS[0].1, &mut random) {
            times.push(editor.edit(at, length, &new));
        }
    }
    let what = if passes_are_done {
        "an edit while costs are computed"
    } else {
        "an edit while passes run"
    };
    report(what, &mut times, "");
}

fn main() {
    let edits_only = std::env::args().any(|arg| arg == "--edits-only");
    let mut files: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .map(PathBuf::from)
        .collect();
    if files.is_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/disasm");
        let entries = std::fs::read_dir(folder).expect("the folder").flatten();
        files = entries
            .map(|entry| entry.path())
            .filter(|path| path.to_string_lossy().ends_with(".13.5.mlir"))
            .collect();
        files.sort();
    }
    println!("{KERNELS} kernels");
    let (mut editor, serving) = opened(program(&files, KERNELS));
    if !edits_only {
        println!("all lenses in {:.1} ms", lenses(&mut editor).as_secs_f64() * 1e3);
    }
    one_by_one(&mut editor, edits_only);
    if !edits_only {
        during_requests(&mut editor, false);
        during_requests(&mut editor, true);
    }
    ended(editor, serving);

    let mut kernels = KERNELS;
    let mut text = program(&files, kernels);
    while text.len() < LONG {
        kernels += KERNELS * 2;
        text = program(&files, kernels);
    }
    println!("{kernels} kernels");
    let (mut editor, serving) = opened(text);
    one_by_one(&mut editor, true);
    ended(editor, serving);
}
