//! Modules of `cute`: kernels beside functions of the host.

use serde_json::{Value, json};

use crate::client::Client;
use crate::position;

const URI: &str = "file:///k.mlir";

const TEXT: &str = r#"!row = !cute.layout<"(4,2):(2,1)">
module {
  gpu.module @kernels {
    cuda.kernel @scale(%view: !cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">) attributes {nvvm.reqntid = array<i32: 32, 1, 1>} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %coord = cute.make_coord(%thread) : (i32) -> !cute.coord<"?">
      %old = cute.memref.load(%view, %coord) : (!cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">, !cute.coord<"?">) -> f32
      %new = arith.addf %old, %old : f32
      "cute.memref.store"(%view, %coord, %new) : (!cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">, !cute.coord<"?">, f32) -> ()
      return
    }
  }
  func.func @host(%count: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %sum = arith.addi %count, %zero : i32
    return %sum : i32
  }
  func.func @launch(%view: !cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">, %stream: !cuda.stream) -> i32 {
    %one = arith.constant 1 : i32
    %warp = arith.constant 32 : i32
    %bytes = cute.kernel_smem_size @kernels::@scale : i64
    %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%warp, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@scale<%cfg> (%view) : !cuda.launch_cfg<max_attrs = 17>, (!cute.memref<f32, gmem, align<16>, "(8,4):(1,8)">) -> !cuda.result
    %result = cuda.cast %launched : !cuda.result -> i32
    return %result : i32
  }
}
"#;

fn opened() -> Client {
    let mut client = Client::start(json!({ "target": "sm_90a", "ptxas": false }));
    client.open(URI, TEXT);
    assert_eq!(client.diagnostics(URI, 1, 0), json!([]));
    client
}

fn at(word: &str, nth: usize) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position(TEXT, word, nth) })
}

fn hovered(client: &mut Client, word: &str, nth: usize) -> String {
    let hover = client.request("textDocument/hover", at(word, nth));
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn values_and_ops_are_hovered_with_types_layouts_and_instructions() {
    let mut client = opened();
    for (word, nth, parts) in [
        (
            "%view",
            1,
            &[
                "%view: !cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">",
                "layout `(8,4):(1,8)`: 32 elements, 128 bytes",
                "     7   7  15  23  31",
            ][..],
        ),
        ("%old", 1, &["%old: f32", "PTX: ", "`ld.global.f32`"]),
        (
            "memref.load",
            0,
            &["**cute.memref.load**: Loads an element", "`%old: f32`"],
        ),
        ("memref.store", 0, &["**cute.memref.store**: ", "`st.global.f32`"]),
        ("@scale", 0, &["cuda.kernel @scale(", "sm_90a · "]),
        ("%sum", 0, &["%sum: i32"]),
        ("arith.addi", 0, &["**arith.addi**: The sum."]),
        ("@host", 0, &["func.func @host(%count: i32) -> i32"]),
        ("@scale<", 0, &["cuda.kernel @scale(", "sm_90a · "]),
        (
            "!cute.memref",
            1,
            &[
                "layout `(8,4):(1,8)`: 32 elements, 128 bytes",
                "     7   7  15  23  31",
            ],
        ),
        (
            "!row",
            0,
            &[
                "!row = !cute.layout<\"(4,2):(2,1)\">",
                "layout `(4,2):(2,1)`: 8 elements",
            ],
        ),
    ] {
        let said = hovered(&mut client, word, nth);
        for part in parts {
            assert!(said.contains(part), "{word}: no `{part}` in:\n{said}");
        }
    }
}

#[test]
fn names_are_found_and_renamed_in_kernels_and_host_functions() {
    let mut client = opened();
    let definition = client.request("textDocument/definition", at("%old", 2));
    assert_eq!(definition["range"]["start"], json!({ "line": 6, "character": 6 }));
    let mut asked = at("%count", 1);
    asked["context"] = json!({ "includeDeclaration": true });
    let references = client.request("textDocument/references", asked);
    let lines: Vec<_> = references
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["range"]["start"]["line"].clone())
        .collect();
    assert_eq!(lines, [12, 14]);
    let mut asked = at("@scale", 2);
    let definition = client.request("textDocument/definition", asked.clone());
    assert_eq!(
        definition["range"]["start"],
        json!({ "line": 3, "character": 16 })
    );
    asked["newName"] = json!("half");
    let edits = client.request("textDocument/rename", asked);
    let edits = edits["changes"][URI].as_array().expect("a list").clone();
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "@half"), "{edits:?}");
    let mut asked = at("%old", 0);
    asked["newName"] = json!("was");
    let edits = client.request("textDocument/rename", asked);
    let edits = edits["changes"][URI].as_array().expect("a list").clone();
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "%was"), "{edits:?}");
}

#[test]
fn kernels_and_host_functions_are_in_the_outline() {
    let mut client = opened();
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names(&symbols), ["!row", "scale", "host", "launch"]);
    assert_eq!(
        names(&symbols[1]["children"]),
        ["%view", "%thread", "%coord", "%old", "%new"]
    );
    assert_eq!(symbols[1]["children"][3]["detail"], "f32");
    assert_eq!(names(&symbols[2]["children"]), ["%count", "%zero", "%sum"]);
}

#[test]
fn a_stage_shows_the_lines_of_the_source() {
    let mut client = opened();
    let mut asked = at("%old", 0);
    asked["stage"] = json!("ptx");
    let view = client.request("tilewright/stage", asked);
    let text = view["text"].as_str().expect("a text");
    let line = text
        .lines()
        .position(|line| line.contains("ld.global.f32"))
        .expect("a load");
    assert_eq!(view["lines"][line], 6);
}

#[test]
fn an_error_in_one_function_leaves_the_others_as_they_are() {
    let mut client = opened();
    // A misspelt name in the kernel, while it is typed.
    client.edit(URI, 2, [7, 24, 7, 28], "%odl");
    let said = client.diagnostics(URI, 2, 1);
    assert_eq!(said[0]["code"], "E0301");
    assert_eq!(said[0]["range"]["start"], json!({ "line": 7, "character": 24 }));
    assert!(
        said[0]["message"]
            .as_str()
            .expect("text")
            .contains("did you mean `%old`?"),
        "{said}"
    );
    for (word, part) in [("%coord", "%coord: !cute.coord<\"?\">"), ("%sum", "%sum: i32")] {
        let text = hovered(&mut client, word, 0);
        assert!(text.contains(part), "{word}: {text}");
    }
    // A launch that names nothing, or a text that ends early, is one problem too.
    client.edit(URI, 3, [7, 24, 7, 28], "%old");
    assert_eq!(client.diagnostics(URI, 3, 0), json!([]));
    client.edit(URI, 4, [15, 0, 26, 1], "");
    client.diagnostics(URI, 4, 1);
    let text = hovered(&mut client, "%coord", 0);
    assert!(text.contains("%coord: !cute.coord"), "{text}");
}

#[test]
fn ops_and_values_are_completed_and_ops_are_coloured() {
    let mut client = opened();
    let labels = |completions: &Value| -> Vec<String> {
        let items = completions["items"]
            .as_array()
            .or(completions.as_array())
            .expect("a list")
            .iter();
        items
            .map(|item| item["label"].as_str().expect("a label").to_owned())
            .collect()
    };
    let head = json!({ "textDocument": { "uri": URI }, "position": { "line": 7, "character": 13 } });
    let ops = labels(&client.request("textDocument/completion", head));
    assert!(ops.contains(&"cute.memref.load".to_owned()), "{ops:?}");
    // Those of the open dialect alone are unknown here.
    assert!(
        !ops.iter()
            .any(|op| op == "cute.layout_eval" || op.starts_with("cute_open")),
        "{ops:?}"
    );
    let value = json!({ "textDocument": { "uri": URI }, "position": { "line": 7, "character": 25 } });
    let values = labels(&client.request("textDocument/completion", value));
    assert_eq!(values, ["%old", "%coord", "%thread", "%view"]);
    let signature = client.request("textDocument/signatureHelp", at("%old, %old", 0));
    let label = signature["signatures"][0]["label"].as_str().expect("a form");
    assert!(
        label.starts_with("arith.addf %lhs, %rhs") && label.ends_with(" : types of results"),
        "{label}"
    );
    let tokens = client.request(
        "textDocument/semanticTokens/full",
        json!({ "textDocument": { "uri": URI } }),
    );
    let data: Vec<u64> = tokens["data"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|one| one.as_u64().expect("a number"))
        .collect();
    let mut line = 0;
    let mut keywords = Vec::new();
    for token in data.chunks(5) {
        line += token[0];
        if token[3] == 6 {
            keywords.push((line, token[2]));
        }
    }
    // The module, the kernel, and the op in quotes.
    let of = |word: &str| u64::try_from(word.len()).expect("short");
    for expected in [
        (1, of("module")),
        (3, of("cuda.kernel")),
        (6, of("cute.memref.load")),
        (8, of("\"cute.memref.store\"")),
    ] {
        assert!(keywords.contains(&expected), "{expected:?}: {keywords:?}");
    }
}
