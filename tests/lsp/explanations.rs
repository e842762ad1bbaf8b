//! Where a code leads: to a document of the editor, if it says that it has such.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///k.cuda_tile";

/// The address that the code of a misspelt op leads to.
fn href(options: Value) -> Value {
    let mut client = Client::start(options);
    client.open(
        URI,
        "entry @k(%n: tile<i32>) {\n  %sum = add %n, %n : tile<i32>\n  return\n}\n",
    );
    let mut said = client.request(
        "textDocument/diagnostic",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(said["items"][0]["code"], "E0204");
    said["items"][0]["codeDescription"]["href"].take()
}

#[test]
fn a_code_leads_to_where_the_editor_says_that_it_shows_explanations() {
    for (options, wanted) in [
        (Value::Null, Value::Null),
        (json!({ "target": "sm_90a" }), Value::Null),
        (
            json!({ "explanations": "tilewright-explain" }),
            json!("tilewright-explain:/E0204.md"),
        ),
        (json!({ "explanations": "no scheme at all" }), Value::Null),
    ] {
        assert_eq!(href(options.clone()), wanted, "{options}");
    }
}
