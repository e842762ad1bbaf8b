//! The numbers of ptxas in the lenses, with programs in its place.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::{TEXT, URI};

/// A program in the place of ptxas.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("ptxas");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may run");
    path
}

fn titles(client: &mut Client) -> Vec<String> {
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let lenses = lenses.as_array().expect("a list").clone();
    let title = |lens: &serde_json::Value| lens["command"]["title"].as_str().expect("text").to_owned();
    lenses.iter().map(title).collect()
}

#[test]
fn lenses_show_what_ptxas_says_when_it_has_said_it() {
    let folder = tempfile::tempdir().expect("a folder");
    // The last two arguments but one are `-o` and the cubin.
    let script = r#"
while [ "$1" != "-o" ]; do shift; done
printf '\177ELF' > "$2"
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
echo "    0 bytes stack frame, 96 bytes spill stores, 8 bytes spill loads"
echo "ptxas info    : Used 77 registers, used 1 barriers"
"#;
    let mut client = Client::start(json!({ "ptxas": program(folder.path(), script) }));
    client.open(URI, TEXT);
    let first = titles(&mut client);
    assert!(first[0].contains(" · about "), "{first:?}");
    client.wait(|message| message["method"] == "workspace/codeLens/refresh");
    for title in titles(&mut client) {
        assert!(title.contains(" · 77 registers · 96 bytes spilled"), "{title}");
        assert!(title.contains("occupancy "), "{title}");
    }
    // Another constant is another kernel, of which nothing is known yet.
    client.edit(URI, 2, [2, 28, 2, 29], "9");
    client.diagnostics(URI, 2, 0);
    assert!(titles(&mut client)[0].contains(" · about "));
}

#[test]
fn an_edit_ends_a_ptxas_that_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = folder.path().join("started");
    let script = format!("echo $$ > {}\nexec sleep 600", started.display());
    let mut client = Client::start(json!({ "ptxas": program(folder.path(), &script) }));
    client.open(URI, TEXT);
    client.diagnostics(URI, 1, 0);
    let end = Instant::now() + Duration::from_secs(60);
    let process = loop {
        let text = fs::read_to_string(&started).unwrap_or_default();
        if let Ok(id) = text.trim().parse::<u32>() {
            break PathBuf::from(format!("/proc/{id}"));
        }
        assert!(Instant::now() < end, "ptxas is not started");
        thread::sleep(Duration::from_millis(5));
    };
    assert!(process.exists() || !Path::new("/proc/self").exists());
    client.edit(URI, 2, [2, 28, 2, 29], "x");
    client.diagnostics(URI, 2, 1);
    while process.exists() {
        assert!(Instant::now() < end, "ptxas still runs");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(client.stop().success());
}
