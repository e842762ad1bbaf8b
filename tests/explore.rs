//! The explorer's server: what the page gets, and who is refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

struct Explorer {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Explorer {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Explorer {
    fn start(file: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .arg("explore")
            .arg(file)
            .arg("--no-open")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut address = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        output.read_line(&mut address).expect("an address");
        let rest = address
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .expect("the loopback address");
        let (port, token) = rest.split_once("/?token=").expect("a token");
        assert_eq!(token.len(), 32);
        Self {
            port: port.parse().expect("a port"),
            token: token.to_owned(),
            child,
        }
    }

    /// Sends a request as it stands; returns the status and the body.
    fn raw(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let request = format!(
            "{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.raw(
            &format!("GET {path}?token={} HTTP/1.1\r\n{}", self.token, self.host()),
            "",
        )
    }

    fn ask(&self, what: &str, body: &Value) -> Value {
        let head = format!(
            "POST /api/{what} HTTP/1.1\r\n{}\r\nX-Tilewright-Token: {}",
            self.host(),
            self.token
        );
        let (status, body) = self.raw(&head, &body.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }
}

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/bytecode")
        .join(name)
}

#[test]
fn requests_of_others_are_refused() {
    let explorer = Explorer::start(&example("saxpy.13.5.tileirbc"));
    let (host, token, port) = (explorer.host(), explorer.token.clone(), explorer.port);
    assert_eq!(explorer.get("/").0, 200);
    for path in ["/", "/app.js", "/style.css"] {
        let (status, body) = explorer.get(path);
        assert!(status == 200 && !body.contains("{{token}}"), "{path}");
        // What a script imports is there.
        for imported in body.split("from \"./").skip(1) {
            let (name, _) = imported.split_once('?').expect("a token");
            assert_eq!(explorer.get(&format!("/{name}")).0, 200, "{name}");
        }
    }
    let other = token.replace('0', "1").chars().rev().collect::<String>();
    for (head, why) in [
        (format!("GET / HTTP/1.1\r\n{host}"), "without a token"),
        (format!("GET /?token= HTTP/1.1\r\n{host}"), "with an empty token"),
        (
            format!("GET /?token={other} HTTP/1.1\r\n{host}"),
            "with another token",
        ),
        (
            format!("GET /?token={token} HTTP/1.1\r\nHost: example.com:{port}"),
            "of another host",
        ),
        (
            format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1"),
            "of another port",
        ),
        (
            format!("GET /?token={token} HTTP/1.1\r\n{host}\r\nOrigin: http://example.com"),
            "of another origin",
        ),
        (
            format!("GET /?token={token} HTTP/1.1\r\n{host}\r\nOrigin: null"),
            "of a sandbox",
        ),
        (
            format!("POST /api/file HTTP/1.1\r\n{host}\r\nOrigin: https://127.0.0.1:{port}"),
            "of another scheme, without a token",
        ),
    ] {
        assert_eq!(explorer.raw(&head, "").0, 403, "{why}");
    }
    for path in [
        "/../Cargo.toml",
        "/etc/passwd",
        "//etc/passwd",
        "/page/app.js",
        "/%2e%2e/Cargo.toml",
        "/api/file",
    ] {
        assert_eq!(explorer.get(path).0, 404, "{path}");
    }
    let head = format!("POST /api/nothing HTTP/1.1\r\n{host}\r\nX-Tilewright-Token: {token}");
    assert_eq!(explorer.raw(&head, "{}").0, 404);
    assert_eq!(explorer.raw(&head, "{ no JSON").0, 400);
    // It still answers.
    assert_eq!(explorer.get("/").0, 200);
}

#[test]
fn a_compilation_is_shown_in_stages_passes_and_layouts() {
    let explorer = Explorer::start(&example("saxpy.13.5.tileirbc"));
    let file = explorer.ask("file", &json!({ "since": 0 }));
    assert_eq!(
        (&file["version"], &file["text"]),
        (&json!(1), &Value::Null),
        "bytecode has no text"
    );
    let answer = explorer.ask(
        "compile",
        &json!({ "panes": [{ "stage": "tileas", "target": "sm_80" }, { "stage": "ptx", "target": "sm_90a" }] }),
    );
    assert_eq!(answer["kernels"], json!(["saxpy"]));
    assert_eq!(answer["problems"], json!([]));
    for (pane, target) in [(0, "sm_80 · "), (1, "sm_90a · ")] {
        let cost = answer["panes"][pane]["cost"].as_str().expect("text");
        assert!(cost.starts_with(target), "{cost}");
    }
    let origins: Vec<_> = answer["source"]["origins"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| !one.is_null())
        .collect();
    assert!(origins.len() > 10);
    for pane in answer["panes"].as_array().expect("a list") {
        let text = pane["text"].as_str().expect("text");
        let own = pane["origins"].as_array().expect("a list");
        assert_eq!(text.lines().count(), own.len());
        assert_eq!(pane["lines"].as_array().map(Vec::len), Some(own.len()));
        // What stems from an op stems from one of the source.
        assert!(own.iter().any(|one| origins.contains(&one)), "{}", pane["stage"]);
    }
    let passes = answer["passes"].as_array().expect("a list");
    assert!(
        passes
            .iter()
            .any(|pass| pass["name"] == "assign_layouts" && pass["changed"] == true)
    );
    let changed = explorer.ask(
        "pass",
        &json!({ "pass": "canonicalize", "panes": [{ "target": "sm_80" }] }),
    );
    let lines = changed["lines"].as_array().expect("a list");
    assert!(
        lines.iter().any(|line| line[0] == "-") && lines.iter().any(|line| line[0] == " "),
        "{changed}"
    );
    let attributes = answer["attributes"].as_array().expect("a list");
    let order = json!({ "family": "memory order", "name": "ordering" });
    assert!(attributes.contains(&order), "{attributes:?}");
    for (attribute, part) in [
        (json!("ordering"), "load_view_tko ordering = weak"),
        (json!(null), "# kernel spec"),
    ] {
        let life = explorer.ask("attribute", &json!({ "attribute": attribute }));
        let mut lines = life["lines"].as_array().expect("a list").iter();
        assert!(
            lines.any(|line| line.as_str().is_some_and(|line| line.contains(part))),
            "{life}"
        );
    }
    let tileas = answer["panes"][0]["text"].as_str().expect("text");
    let layout = tileas
        .lines()
        .find_map(|line| line.strip_prefix("#linear0 = "))
        .expect("a layout");
    let drawn = explorer.ask("layout", &json!({ "layout": layout }));
    assert!(drawn["svg"].as_str().expect("a drawing").contains("<svg"));
    assert!(explorer.ask("layout", &json!({ "layout": "no layout" }))["error"].is_string());
    let drawn = explorer.ask("schedule", &json!({ "panes": [{ "target": "sm_80" }] }));
    let svg = drawn["svg"].as_str().expect("a drawing");
    assert!(
        svg.contains("on sm_80: A100") && svg.contains("tileas.load"),
        "{svg}"
    );
    assert!(explorer.ask("compile", &json!({ "panes": [{ "target": "sm_1" }] }))["error"].is_string());
    assert!(explorer.ask("explain", &json!({ "code": "E0401" }))["text"].is_string());
}

#[test]
fn edits_and_changes_of_the_file_are_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.mlir");
    let text = "entry @k(%n: tile<i32>) {\n  %x = addi %n, %n : tile<i32>\n  return\n}\n";
    std::fs::write(&path, text).expect("it is written");
    let explorer = Explorer::start(&path);
    assert_eq!(explorer.ask("file", &json!({ "since": 0 }))["text"], text);
    assert_eq!(
        explorer.ask("file", &json!({ "since": 1 })),
        json!({ "version": 1 })
    );
    let answer = explorer.ask(
        "compile",
        &json!({ "text": text, "panes": [{ "stage": "llvm" }] }),
    );
    assert_eq!(answer["source"]["origins"], json!([null, 0, 1]));
    let broken = explorer.ask(
        "compile",
        &json!({ "text": text.replace("addi", "add"), "panes": [{ "stage": "llvm" }] }),
    );
    assert_eq!(broken["problems"][0]["code"], "E0204");
    assert_eq!(
        (
            &broken["problems"][0]["at"]["line"],
            &broken["problems"][0]["help"][0]
        ),
        (&json!(1), &json!("did you mean `addi`?"))
    );
    assert_eq!(broken["kernels"], json!(["k"]));
    // The stages are those of the last text without errors, at the lines of this one.
    assert_eq!(
        (&answer["stale"], &broken["stale"]),
        (&json!(false), &json!(true))
    );
    for part in ["panes", "source"] {
        assert_eq!(broken[part], answer[part]);
    }
    let moved = explorer.ask(
        "compile",
        &json!({ "text": format!("}}\n{text}"), "panes": [{ "stage": "llvm" }] }),
    );
    assert_eq!(moved["source"]["origins"], json!([null, null, 0, 1]));
    let about = json!({ "text": format!("}}\n{text}"), "origin": 0, "stale": true });
    assert_eq!(
        explorer.ask("about", &about)["lines"][0],
        "`cuda_tile.addi`: `tile<i32>`"
    );
    // The page's text stays in the page.
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
    let other = text.replace("@k", "@other");
    std::fs::write(&path, &other).expect("it is written");
    let file = std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("it opens");
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5))
        .expect("a time");
    let file = explorer.ask("file", &json!({ "since": 1 }));
    assert_eq!((&file["version"], &file["text"]), (&json!(2), &json!(other)));
}
