//! The language of a document whose text does not tell it: that of its file's name, or that of the type that the editor names.

use serde_json::{Value, json};

use crate::client::Client;

/// A kernel whose first word is misspelt, and one without a mistake.
const MISSPELT: &str = "entyr @first(%n: tile<i32>) {
  return
}
entry @second(%n: tile<i32>) {
  %sum = addi %n, %n : tile<i32>
  return
}
";

/// The codes of a document's problems.
fn codes(client: &mut Client, uri: &str) -> Vec<String> {
    let said = client.request(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": uri } }),
    );
    let items = said["items"].as_array().expect("a list");
    items
        .iter()
        .map(|one| one["code"].as_str().expect("a code").to_owned())
        .collect()
}

#[test]
fn an_unknown_first_word_leaves_the_rest_of_the_text_its_language() {
    let mut client = Client::start(Value::Null);
    for (uri, language) in [
        ("file:///k.cuda_tile", "plaintext"),
        ("file:///k.tile.mlir", "mlir"),
        ("file:///k.mlir", "cuda-tile"),
        ("file:///k.txt", "cuda_tile"),
        ("untitled:Untitled-1", "cuda-tile"),
    ] {
        client.open_as(uri, language, MISSPELT);
        let found = codes(&mut client, uri);
        assert!(
            !found.is_empty() && !found.contains(&"E0201".to_owned()),
            "{uri}: {found:?}"
        );
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 3 } });
        let hover = client.request("textDocument/hover", at);
        let text = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("%sum: tile<i32>"), "{uri}: {hover}");
    }
}

#[test]
fn a_text_that_tells_its_language_is_read_in_it() {
    let mut client = Client::start(Value::Null);
    let uri = "file:///k.ptx";
    client.open_as(uri, "ptx", "entry @k(%n: tile<i32>) {\n  return\n}\n");
    assert_eq!(codes(&mut client, uri), [""; 0]);
}

#[test]
fn a_document_that_is_opened_again_as_another_type_is_read_in_it() {
    let mut client = Client::start(Value::Null);
    let uri = "file:///k.txt";
    client.open_as(uri, "plaintext", MISSPELT);
    assert_eq!(codes(&mut client, uri), ["E0201"]);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    client.open_as(uri, "cuda-tile", MISSPELT);
    assert_ne!(codes(&mut client, uri), ["E0201"]);
}

#[test]
fn an_empty_document_has_no_problem() {
    let mut client = Client::start(Value::Null);
    for uri in [
        "file:///k.cuda_tile",
        "file:///k.tileas",
        "file:///k.ptx",
        "untitled:Untitled-1",
    ] {
        client.open_as(uri, "cuda-tile", "\n");
        assert_eq!(codes(&mut client, uri), [""; 0], "{uri}");
    }
}
