//! Semantic tokens: of all lines, of some, and what has changed.

use serde_json::{Value, json};

use crate::client::Client;
use crate::{TEXT, URI};

/// The numbers of five each.
fn data(answer: &Value) -> Vec<u64> {
    let all = answer["data"].as_array().expect("numbers");
    all.iter().map(|one| one.as_u64().expect("a number")).collect()
}

/// The tokens by line and column, each with its length and its type.
fn placed(data: &[u64]) -> Vec<[u64; 4]> {
    let (mut line, mut column) = (0, 0);
    let one = |token: &[u64]| {
        column = if token[0] == 0 {
            column + token[1]
        } else {
            token[1]
        };
        line += token[0];
        [line, column, token[2], token[3]]
    };
    data.chunks(5).map(one).collect()
}

fn full(client: &mut Client) -> Value {
    let document = json!({ "textDocument": { "uri": URI } });
    client.request("textDocument/semanticTokens/full", document)
}

#[test]
fn the_tokens_of_a_range_are_those_of_its_lines() {
    let mut client = Client::start(Value::Null);
    // Columns are counted in units of UTF-16.
    let text = TEXT.replacen("    %t = ", "    // ß𝄞\n    /* 𝄞 */ %t = ", 1);
    client.open(URI, &text);
    let all = placed(&data(&full(&mut client)));
    let comment = all.iter().find(|token| token[3] == 0).expect("a comment");
    assert_eq!(comment, &[6, 4, 6, 0]);
    let lines = u64::try_from(text.lines().count()).expect("small");
    for (first, last) in [(0, lines + 9), (3, 3), (4, 8), (6, 7), (lines, lines + 1), (8, 4)] {
        let range = json!({
            "start": { "line": first, "character": 3 },
            "end": { "line": last, "character": 0 },
        });
        let some = client.request(
            "textDocument/semanticTokens/range",
            json!({ "textDocument": { "uri": URI }, "range": range }),
        );
        let of_lines = all.iter().copied();
        let of_lines: Vec<_> = of_lines
            .filter(|token| (first..=last.max(first)).contains(&token[0]))
            .filter(|_| first <= last)
            .collect();
        assert_eq!(placed(&data(&some)), of_lines, "{first}..{last}");
    }
}

#[test]
fn what_changes_from_the_last_tokens_gives_the_next() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    let mut answer = full(&mut client);
    let mut known = data(&answer);
    let edits = [
        ([0, 0, 0, 0], "// c\n"),
        ([4, 4, 4, 8], "%total"),
        ([9, 0, 10, 0], ""),
        ([1, 0, 1, 0], ""),
        ([0, 0, 1, 0], ""),
    ];
    for (version, (range, new)) in (2..).zip(edits) {
        client.edit(URI, version, range, new);
        let since = &answer["resultId"];
        answer = client.request(
            "textDocument/semanticTokens/full/delta",
            json!({ "textDocument": { "uri": URI }, "previousResultId": since }),
        );
        let changes = answer["edits"].as_array().expect("edits").clone();
        for change in &changes {
            let number =
                |name: &str| usize::try_from(change[name].as_u64().expect("a number")).expect("small");
            let start = number("start");
            known.splice(start..start + number("deleteCount"), data(change));
            assert!(data(change).len() < known.len() / 4, "{change}");
        }
        let mut fresh = full(&mut client);
        assert_eq!(known, data(&fresh));
        // The editor says which tokens it has.
        answer = fresh.take();
    }
    let unknown = client.request(
        "textDocument/semanticTokens/full/delta",
        json!({ "textDocument": { "uri": URI }, "previousResultId": "no such" }),
    );
    assert_eq!(data(&unknown), known);
}
