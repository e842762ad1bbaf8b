//! Definitions, references and new names of aliases, and of what PTX declares.

use serde_json::{Value, json};

use crate::client::Client;
use crate::{URI, position};

const ALIASES: &str = "\
!t = tile<4x8xf16>
!u = tile<i32>
#loc = loc(\"a\":1:2)
entry @k(%n: !u) {
  %g:2 = if %c -> (!t, !t) { // !t
    yield %g#1, %g#1 : !t, !t
  }
  return loc(#loc)
}
";

/// Two kernels of PTX that have names in common.
pub(crate) const PTX: &str = "\
.version 8.0
.target sm_90a
.address_size 64

.global .align 4 .b8 table[64];

.visible .entry first(
    .param .u64 .ptr .global .align 16 source,
    .param .u32 count
)
.reqntid 128, 1, 1
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .f32 total;
    .shared .align 16 .b8 cache[512];
    ld.param.u64 %rd0, [source];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p0, %r1, %r0;
    @%p0 bra $L_done;
    ld.global.f32 total, [%rd0+4];
    add.rn.ftz.f32 total, total, total;
    mov.u64 %rd1, table;
    st.global.f32 [%rd0], total;
$L_done:
    ret;
}
.visible .entry second(
    .param .u32 count
)
{
    .reg .b32 %r<2>;
    ld.param.u32 %r0, [count];
    mov.u64 %rd9, table;
$L_done:
    ret;
}
";

struct Document<'t> {
    client: Client,
    uri: &'static str,
    text: &'t str,
}

impl<'t> Document<'t> {
    fn of(uri: &'static str, text: &'t str) -> Self {
        let mut client = Client::start(json!({ "ptxas": false }));
        client.open(uri, text);
        Self { client, uri, text }
    }

    fn ask(&mut self, method: &str, word: &str, nth: usize, more: Value) -> Value {
        let mut params =
            json!({ "textDocument": { "uri": self.uri }, "position": position(self.text, word, nth) });
        if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
            params.extend(more);
        }
        let id = self.client.ask(method, params);
        self.client.answer(id)
    }

    /// The lines, from one, at which the name at a word stands, where it is defined, and the lines that are lit up as its definition.
    fn places(&mut self, word: &str, nth: usize) -> (Option<u64>, Vec<u64>) {
        let line = |range: &Value| range["start"]["line"].as_u64().map(|line| line + 1);
        let place = self.ask("textDocument/definition", word, nth, Value::Null);
        let all = json!({ "context": { "includeDeclaration": true } });
        let all = self.ask("textDocument/references", word, nth, all);
        let all = all["result"].as_array().expect("a list");
        let lit = self.ask("textDocument/documentHighlight", word, nth, Value::Null);
        let lit = lit["result"].as_array().expect("a list");
        assert_eq!(lit.len(), all.len(), "{word}");
        let written = lit.iter().find(|one| one["kind"] == 3);
        let defined = line(&place["result"]["range"]);
        assert_eq!(written.and_then(|one| line(&one["range"])), defined, "{word}");
        (
            defined,
            all.iter().filter_map(|one| line(&one["range"])).collect(),
        )
    }

    /// The text after a name has been changed, or why it is not.
    fn renamed(&mut self, word: &str, nth: usize, new: &str) -> Result<String, String> {
        let prepared = self.ask("textDocument/prepareRename", word, nth, Value::Null);
        let answer = self.ask("textDocument/rename", word, nth, json!({ "newName": new }));
        if let Some(error) = answer["error"]["message"].as_str() {
            return Err(error.to_owned());
        }
        assert!(prepared["result"]["placeholder"].is_string(), "{prepared}");
        let edits = answer["result"]["changes"][self.uri].as_array().expect("edits");
        let mut text = self.text.to_owned();
        let offset = |at: &Value| {
            let line = at["line"].as_u64().expect("a line") as usize;
            let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
            start + at["character"].as_u64().expect("a column") as usize
        };
        for edit in edits.iter().rev() {
            let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
            text.replace_range(start..end, edit["newText"].as_str().expect("text"));
        }
        Ok(text)
    }
}

#[test]
fn aliases_are_found_and_renamed() {
    let mut document = Document::of(URI, ALIASES);
    assert_eq!(document.places("!t", 1), (Some(1), vec![1, 5, 5, 6, 6]));
    assert_eq!(document.places("!u", 1), (Some(2), vec![2, 4]));
    assert_eq!(document.places("#loc", 1), (Some(3), vec![3, 8]));
    let renamed = document.renamed("!t", 1, "pair").expect("a text");
    // Not in the comment.
    let wanted = ALIASES.replace("!t", "!pair").replace("// !pair", "// !t");
    assert_eq!(renamed, wanted);
    assert_eq!(document.renamed("!t", 0, "!pair").expect("a text"), wanted);
    let refused = |document: &mut Document<'_>, new: &str| document.renamed("!t", 0, new).expect_err(new);
    assert_eq!(refused(&mut document, "u"), "`!u` is defined already");
    assert!(refused(&mut document, "a.b").starts_with("`a.b` is no name of an alias"));
    let mut layouts = Document::of(
        "file:///k.tileas",
        "#l = linear<shape = []>\n\ntileas.func @f() {} body {\n  %0 = f.g {a = #l, b = #m} : tile<f32, #l>\n}\n",
    );
    assert_eq!(layouts.places("#l", 2), (Some(1), vec![1, 4, 4]));
    let why = layouts.renamed("#m", 0, "n").expect_err("nothing to change");
    assert_eq!(why, "`#m` is not defined in this file");
}

#[test]
fn names_of_ptx_are_found() {
    let mut document = Document::of("file:///k.ptx", PTX);
    // A register of a family: its own uses, and the declaration of all.
    assert_eq!(document.places("%r1", 0), (Some(14), vec![14, 20, 21]));
    // The declaration itself: all of them.
    assert_eq!(document.places("%r<4>", 0), (Some(14), vec![14, 19, 20, 21, 21]));
    // A label, a parameter: each kernel has its own.
    assert_eq!(document.places("$L_done", 0), (Some(27), vec![22, 27]));
    assert_eq!(document.places("$L_done", 2), (Some(37), vec![37]));
    assert_eq!(document.places("count]", 1), (Some(31), vec![31, 35]));
    // What the file declares is one for all, also in a line with an error.
    assert_eq!(document.places("table", 0), (Some(5), vec![5, 25, 36]));
    assert_eq!(document.places("first", 0), (Some(7), vec![7]));
    assert_eq!(document.places("cache", 0), (Some(17), vec![17]));
}

#[test]
fn names_of_ptx_are_changed_unless_they_are_declared_with_others() {
    let mut document = Document::of("file:///k.ptx", PTX);
    let renamed = document.renamed("total", 1, "%sum").expect("a text");
    assert_eq!(renamed, PTX.replace("total", "%sum"));
    let renamed = document.renamed("table", 1, "numbers").expect("a text");
    assert_eq!(renamed, PTX.replace("table", "numbers"));
    let renamed = document.renamed("$L_done", 0, "$end").expect("a text");
    assert_eq!(renamed, PTX.replacen("$L_done", "$end", 2));
    let renamed = document.renamed("first", 0, "other").expect("a text");
    assert_eq!(renamed, PTX.replace("first", "other"));
    let why = document.renamed("%r1", 0, "%x").expect_err("a family");
    assert_eq!(
        why,
        "`%r1` is one of 4 registers that are declared together, whose names end with their numbers"
    );
    let prepared = document.ask("textDocument/prepareRename", "%r1", 0, Value::Null);
    assert_eq!(prepared["error"]["message"], json!(why));
    for (word, new, why) in [
        // Of the kernel, of the file, of a family.
        ("total", "count", "`count` is declared already"),
        ("total", "table", "`table` is declared already"),
        ("total", "%r3", "`%r3` is declared already"),
        ("table", "cache", "`cache` is declared already"),
        ("first", "second", "`second` is declared already"),
        ("total", "%tid", "`%tid` is a name of the language"),
    ] {
        assert_eq!(document.renamed(word, 0, new).expect_err(new), why, "{word}");
    }
    let why = document.renamed("total", 0, "a.b").expect_err("no name");
    assert!(why.starts_with("`a.b` is no name of PTX"), "{why}");
    // No register of the family has this number.
    assert!(document.renamed("total", 0, "%r4").is_ok());
}
