//! An editor without a window: starts the server, and speaks the protocol with it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an answer may take in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    /// Messages that came while another one was waited for.
    kept: VecDeque<Value>,
    next: i64,
}

impl Client {
    /// A client without a connection, for messages of its own.
    pub(crate) fn raw() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let input = child.stdin.take();
        let mut stream = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, output) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut stream) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            output,
            kept: VecDeque::new(),
            next: 0,
        }
    }

    /// A client that has shaken hands, with these settings.
    pub(crate) fn start(settings: Value) -> Self {
        Self::that_can(
            json!({
                "general": { "positionEncodings": ["utf-16"] },
                "workspace": { "codeLens": { "refreshSupport": true } },
            }),
            settings,
        )
    }

    /// A client with these capabilities that has shaken hands, with these settings.
    pub(crate) fn that_can(capabilities: Value, settings: Value) -> Self {
        let mut client = Self::raw();
        let answer = client.request(
            "initialize",
            json!({
                "processId": null,
                "rootUri": null,
                "initializationOptions": settings,
                "capabilities": capabilities,
            }),
        );
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        // A server that has ended is noticed when it is waited for.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting; returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The result of a request.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The next message that fits.
    pub(crate) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at).expect("it is there");
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let rest = end.saturating_duration_since(Instant::now());
            let message = self.output.recv_timeout(rest).expect("an answer in time");
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// The messages of a method that have come and that nothing has waited for.
    pub(crate) fn unread(&mut self, method: &str) -> usize {
        self.kept.extend(self.output.try_iter());
        self.kept
            .iter()
            .filter(|message| message["method"] == method)
            .count()
    }

    /// Drops the messages that nothing has waited for.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
    }

    /// The number of the server's process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "cuda-tile", text);
    }

    /// Opens a document of a type that the editor names.
    pub(crate) fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range of a document, given by lines and columns from 0.
    pub(crate) fn edit(&mut self, uri: &str, version: i32, range: [u32; 4], text: &str) {
        let [line, column, last_line, last_column] = range;
        let change = json!({
            "range": {
                "start": { "line": line, "character": column },
                "end": { "line": last_line, "character": last_column },
            },
            "text": text,
        });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [change] }),
        );
    }

    /// The diagnostics that are published for a version of a document, when this many come.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32, count: usize) -> Value {
        let mut message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
                && message["params"]["diagnostics"]
                    .as_array()
                    .is_some_and(|all| all.len() == count)
        });
        message["params"]["diagnostics"].take()
    }

    /// What the server, which has ended, has written to its standard error.
    pub(crate) fn complaint(&mut self) -> String {
        let mut said = String::new();
        if let Some(mut stream) = self.child.stderr.take() {
            stream.read_to_string(&mut said).expect("text");
        }
        said
    }

    /// Closes the input, and waits for the end of the server.
    pub(crate) fn hang_up(mut self) -> ExitStatus {
        self.input = None;
        self.ended()
    }

    /// Says goodbye, and waits for the end of the server.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let result = self.request("shutdown", Value::Null);
        assert_eq!(result, Value::Null);
        self.notify("exit", Value::Null);
        self.ended()
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length?];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
