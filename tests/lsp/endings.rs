//! How a conversation ends: by `exit`, by the end of the input, and by what is no message.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::{TEXT, URI};

/// The answer to what is no message.
fn fault(client: &mut Client) -> Value {
    client.wait(|message| message.get("id") == Some(&Value::Null))["error"]["code"].take()
}

#[test]
fn exit_and_the_end_of_the_input_are_failures_unless_the_server_was_shut_down() {
    let started: fn() -> Client = || Client::start(Value::Null);
    for (client, begins) in [(started, true), (Client::raw, false)] {
        for shuts_down in [false, true] {
            for exits in [false, true] {
                let mut client = client();
                // Before `initialize`, nothing else is answered.
                let id = shuts_down.then(|| client.ask("shutdown", Value::Null));
                if let Some(id) = id {
                    let code = if begins { Value::Null } else { json!(-32002) };
                    assert_eq!(client.answer(id)["error"]["code"], code);
                }
                let status = if exits {
                    client.notify("exit", Value::Null);
                    client.ended()
                } else {
                    client.hang_up()
                };
                let in_order = shuts_down;
                assert_eq!(
                    status.code(),
                    Some(i32::from(!in_order)),
                    "begins: {begins}, shuts down: {shuts_down}, exits: {exits}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_frame_ends_the_server_with_a_message() {
    let cases = [
        ("Content-Length: 99999999999\r\n\r\n{", "99999999999 bytes"),
        ("Content-Length: many\r\n\r\n{", "no header"),
        ("hello\r\n\r\n", "no header"),
    ];
    for (bytes, said) in cases {
        for mut client in [Client::raw(), Client::start(Value::Null)] {
            client.write(bytes.as_bytes());
            assert_eq!(fault(&mut client), -32700, "{bytes}");
            assert_eq!(client.ended().code(), Some(1), "{bytes}");
            let complaint = client.complaint();
            assert!(complaint.contains(said), "{complaint}");
        }
    }
}

#[test]
fn what_is_no_message_is_answered_with_an_error() {
    let mut client = Client::start(Value::Null);
    for (body, code) in [
        (r#"{"json": "#, -32700),
        ("[]", -32600),
        (r#"{"id": null, "method": 3}"#, -32600),
    ] {
        client.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        assert_eq!(fault(&mut client), code, "{body}");
    }
    let id = client.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.answer(id)["error"]["code"], -32600);
    client.open(URI, TEXT);
    assert_eq!(client.diagnostics(URI, 1, 0), json!([]));
    assert!(client.stop().success());
}

#[test]
fn a_server_that_reads_a_large_text_ends_at_once() {
    let kernel = TEXT.split_once('\n').map_or(TEXT, |(_, rest)| rest);
    let (kernel, _) = kernel.split_once("  entry @second").expect("another kernel");
    let kernels = (0..8000).map(|at| kernel.replace("@first", &format!("@k{at}")));
    let text = format!("cuda_tile.module @m {{\n{}}}\n", kernels.collect::<String>());
    for shuts_down in [false, true] {
        let mut client = Client::start(json!({ "ptxas": false }));
        client.open(URI, &text);
        let start = Instant::now();
        let status = if shuts_down {
            client.stop()
        } else {
            client.hang_up()
        };
        assert_eq!(status.success(), shuts_down);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
