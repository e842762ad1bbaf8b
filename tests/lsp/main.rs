//! The language server, driven by a client of the protocol.

mod client;
mod completion;
mod cute;
mod editors;
mod endings;
mod explanations;
mod folders;
mod hovering;
mod language;
mod measuring;
mod naming;
mod outlines;
mod pulling;
mod python;
mod recorded;
mod robustness;
mod tokens;

use serde_json::{Value, json};

use client::Client;

const URI: &str = "file:///k.mlir";

const TEXT: &str = "\
cuda_tile.module @m {
  entry @first(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %count = constant <i32: 8> : tile<i32>
    %sum = addi %count, %n : tile<i32>
    %shape = make_tensor_view %p, shape = [%sum], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %view = make_partition_view %shape : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %t = make_token : token
    %x, %y, %z = get_tile_block_id : tile<i32>
    %tile, %done = load_view_tko weak %view[%x] token = %t : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %twice = addf %tile, %tile : tile<128xf32>
    %end = store_view_tko weak %twice, %view[%x] token = %done : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @second(%n: tile<i32>) {
    return
  }
}
";

/// The position of the `nth` occurrence of a word.
fn position(text: &str, word: &str, nth: usize) -> Value {
    let (at, _) = text.match_indices(word).nth(nth).expect("the word is there");
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": line, "character": column + 1 })
}

fn at(word: &str, nth: usize) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position(TEXT, word, nth) })
}

#[test]
fn errors_of_the_front_end_and_of_the_back_end_are_published() {
    let mut client = Client::start(json!({ "target": "sm_80" }));
    client.open(URI, TEXT);
    assert_eq!(client.diagnostics(URI, 1, 0), json!([]));
    // A misspelt value, with a suggestion.
    client.edit(URI, 2, [3, 16, 3, 22], "%cuont");
    let said = client.diagnostics(URI, 2, 1);
    assert_eq!(said[0]["code"], "E0301");
    assert_eq!(said[0]["range"]["start"], json!({ "line": 3, "character": 16 }));
    assert!(
        said[0]["message"]
            .as_str()
            .expect("text")
            .contains("did you mean `%count`?")
    );
    client.edit(URI, 3, [3, 16, 3, 22], "%count");
    assert_eq!(client.diagnostics(URI, 3, 0), json!([]));
    // What the target lacks is no error of the program, and is said at its line.
    client.edit(
        URI,
        4,
        [2, 4, 2, 4],
        "%f8 = constant <f8E4M3FN: 1.0> : tile<f8E4M3FN>\n    ",
    );
    let said = client.diagnostics(URI, 4, 1);
    assert_eq!(
        (&said[0]["code"], &said[0]["range"]["start"]["line"]),
        (&json!("E0706"), &json!(2))
    );
    // The same program for another target.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "tilewright": { "target": "sm_90a" } } }),
    );
    assert_eq!(client.diagnostics(URI, 4, 0), json!([]));
    assert!(client.stop().success());
}

#[test]
fn a_value_is_hovered_found_and_renamed() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    let hover = client.request("textDocument/hover", at("%tile", 1));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("%tile: tile<128xf32>"), "{text}");
    for part in [
        "tileas: `tileas.load` by `ld<32b>`",
        "512 bytes in all, ",
        "| lane | 32 | ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("PTX: ") && text.contains("ld.global"), "{text}");
    let hover = client.request("textDocument/hover", at("%x", 1));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("known: from 0 to 16777214"), "{text}");
    let place = client.request("textDocument/definition", at("%tile", 1));
    assert_eq!(place["range"]["start"], json!({ "line": 8, "character": 4 }));
    let references = client.request(
        "textDocument/references",
        json!({
            "textDocument": { "uri": URI },
            "position": position(TEXT, "%tile", 0),
            "context": { "includeDeclaration": false },
        }),
    );
    assert_eq!(references.as_array().map(Vec::len), Some(2));
    let highlights = client.request("textDocument/documentHighlight", at("%tile", 0));
    assert_eq!(highlights.as_array().map(Vec::len), Some(3));
    let rename = |position: Value, name: &str| json!({ "textDocument": { "uri": URI }, "position": position, "newName": name });
    let edit = client.request("textDocument/rename", rename(position(TEXT, "%tile", 0), "data"));
    let edits = edit["changes"][URI].as_array().expect("edits");
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "%data"));
    // `%n` of the first kernel is not that of the second.
    let edit = client.request("textDocument/rename", rename(position(TEXT, "%n:", 1), "m"));
    assert_eq!(edit["changes"][URI].as_array().map(Vec::len), Some(1));
    let id = client.ask("textDocument/rename", rename(position(TEXT, "%tile", 0), "%sum"));
    let refused = client.answer(id);
    assert_eq!(refused["error"]["message"], "`%sum` is defined already");
}

#[test]
fn assumptions_and_bank_conflicts_are_told_of_the_values_that_they_are_about() {
    let text = include_str!("../data/disasm/transpose.13.5.mlir");
    let mut client = Client::start(json!({ "target": "sm_90a" }));
    client.open(URI, text);
    let mut hover = |word: &str, nth: usize| {
        let at = json!({ "textDocument": { "uri": URI }, "position": position(text, word, nth) });
        let hover = client.request("textDocument/hover", at);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    // A parameter that is assumed to be aligned, by its own name and by that of the assumption.
    for (word, nth) in [("%arg0", 0), ("%assume", 0)] {
        let said = hover(word, nth);
        assert!(said.contains("known: a multiple of 16 bytes"), "{word}: {said}");
    }
    // Both kernels exchange elements between threads, so that these store whole sectors.
    for nth in [0, 1] {
        let said = hover("load_view_tko", nth);
        assert!(said.contains("its copies through shared memory "), "{said}");
    }
    // The operands of a product of warps are copied to shared memory and from there, without conflicts.
    let text = include_str!("../data/product.mlir");
    let mut client = Client::start(json!({ "target": "sm_80" }));
    client.open("file:///product.mlir", text);
    for word in ["load_view_tko", "mmaf"] {
        let at =
            json!({ "textDocument": { "uri": "file:///product.mlir" }, "position": position(text, word, 0) });
        let hover = client.request("textDocument/hover", at);
        let said = hover["contents"]["value"].as_str().unwrap_or_default();
        let found = said.contains("its copies through shared memory have no bank conflicts");
        assert!(found, "{word}: {said}");
    }
}

#[test]
fn what_is_said_of_a_value_is_its_own_and_what_was_made_for_it_stands_apart() {
    let uri = "file:///chained_products.mlir";
    let text = include_str!("../data/chained_products.mlir");
    let mut client = Client::start(json!({ "target": "sm_80" }));
    client.open(uri, text);
    // Each word, what is said of it, and what is not.
    let cases: [(&str, &[&str], &[&str]); 7] = [
        (
            "%r = for",
            &[
                "16384 bytes in all, 32 elements in 32 registers",
                "tileas: `scf.for`",
            ],
            &["known: ", "made for it: ", "8192 bytes", "32768 bytes"],
        ),
        // The slices that the parts of the product take are read from shared memory for it.
        ("mmaf", &["tileas: 4 × `tileas.dot`", "made for it: "], &[]),
        (
            "for %i in",
            &["`%r: tile<64x64xf32>`", "16384 bytes in all"],
            &["known: "],
        ),
        (
            "%i in",
            &["%i: tile<i32>"],
            &["bytes in all", "tileas: ", "always"],
        ),
        (
            "%t0",
            &["%t0: token", "tileas: `tileas.load` by `ld<128b>`"],
            &["bytes in all", "| lane"],
        ),
        (
            "%sh:2",
            &["%sh#0: tile<i32>", "%sh#1: tile<i32>", "known: always 1"],
            &["bytes in all"],
        ),
        ("%lo = ", &["known: always 0"], &["a multiple of", "from 0"]),
    ];
    for (word, told, untold) in cases {
        let at = json!({ "textDocument": { "uri": uri }, "position": position(text, word, 0) });
        let hover = client.request("textDocument/hover", at);
        let said = hover["contents"]["value"].as_str().unwrap_or_default();
        for part in told {
            assert!(said.contains(part), "{word}: {part}: {said}");
        }
        for part in untold {
            assert!(!said.contains(part), "{word}: {part}: {said}");
        }
    }
}

#[test]
fn a_tile_in_shared_memory_is_told_with_its_place_and_what_reads_it() {
    let uri = "file:///chained_products.mlir";
    let text = include_str!("../data/chained_products.mlir");
    let mut client = Client::start(json!({ "target": "sm_90a" }));
    client.open(uri, text);
    // Each word, what is said of it once, and what is not.
    let cases: [(&str, &[&str], &[&str]); 6] = [
        (
            "%la, ",
            &[
                "8192 bytes in all, `f16` in shared memory, read by `tileas.dot` by `wgmma<n = 128>`",
                "| offset | 4096 | (0, 1) (0, 2) (0, 4) (0, 8) (0, 16) (0, 32) (1, 8) (2, 16) (4, 32) (8, 0) ",
                "tileas: `tileas.copy_in`, `tileas.copy_wait` by `tma<box = [64, 64], swizzle = \"128B\">`",
                "made for it: `tileas.alloc`",
            ],
            &["| register |", "known: "],
        ),
        (
            "%lc, ",
            &["16384 bytes in all, `f16` in shared memory, read by `tileas.dot` by `wgmma<n = 64>`"],
            &["| register |"],
        ),
        // The left operand of the second product is in registers.
        (
            "%h = ",
            &["16384 bytes in all, 64 elements in 32 registers of each thread"],
            &["shared memory"],
        ),
        // Both agents compute these.
        (
            "%x, ",
            &["%x: tile<i32>", "known: from 0 to 16777214"],
            &["bytes in all"],
        ),
        (
            "%i in",
            &["%i: tile<i32>"],
            &["bytes in all", "tileas: ", "always"],
        ),
        (
            "%r = for",
            &[
                "16384 bytes in all, 32 elements in 32 registers",
                "tileas: `scf.for`",
            ],
            &["known: ", "shared memory"],
        ),
    ];
    for (word, told, untold) in cases {
        let at = json!({ "textDocument": { "uri": uri }, "position": position(text, word, 0) });
        let hover = client.request("textDocument/hover", at);
        let said = hover["contents"]["value"].as_str().unwrap_or_default();
        for part in told {
            assert_eq!(said.matches(part).count(), 1, "{word}: {part}: {said}");
        }
        for part in untold {
            assert!(!said.contains(part), "{word}: {part}: {said}");
        }
    }
}

#[test]
fn a_broken_kernel_keeps_its_outline_and_its_names() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    client.edit(URI, 2, [9, 4, 9, 4], "%bad = frobnicate %tile\n    ");
    assert_eq!(client.diagnostics(URI, 2, 1)[0]["code"], "E0204");
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    let names: Vec<_> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["first", "second"]);
    let hover = client.request("textDocument/hover", at("%sum", 1));
    assert!(
        hover["contents"]["value"]
            .as_str()
            .expect("text")
            .contains("%sum: tile<i32>")
    );
}

#[test]
fn kernels_have_their_cost_above_them_and_their_stages_beside() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let title = lenses[0]["command"]["title"].as_str().expect("text");
    assert!(
        title.starts_with("sm_90a · ") && title.contains("memory: "),
        "{title}"
    );
    // Loads and stores 128 elements of 4 bytes, and adds each to itself.
    for part in [
        " · about ",
        "1 KiB a block",
        "limited by memory, 0.1 operations a byte",
    ] {
        assert!(title.contains(part), "{part}: {title}");
    }
    assert_eq!(lenses.as_array().map(Vec::len), Some(2));
    for stage in ["tileaa", "tileas", "scheduled", "llvm", "nvvm", "ptx"] {
        let view = client.request(
            "tilewright/stage",
            json!({ "textDocument": { "uri": URI }, "stage": stage, "position": position(TEXT, "%tile", 0) }),
        );
        let text = view["text"].as_str().expect("text");
        let lines = view["lines"].as_array().expect("a list");
        assert_eq!(text.lines().count(), lines.len(), "{stage}");
        // Some line stems from the load.
        assert!(lines.contains(&json!(8)), "{stage}: {view}");
    }
    let folds = client.request(
        "textDocument/foldingRange",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert!(
        folds
            .as_array()
            .expect("a list")
            .contains(&json!({ "startLine": 1, "endLine": 11 })),
        "{folds}"
    );
    let grown = client.request(
        "textDocument/selectionRange",
        json!({ "textDocument": { "uri": URI }, "positions": [position(TEXT, "%sum", 0)] }),
    );
    assert_eq!(grown[0]["range"]["end"], json!({ "line": 3, "character": 8 }));
    let explained = client.request("tilewright/explain", json!({ "code": "E0401" }));
    assert!(explained.as_str().expect("text").contains("power of two"));
    let explained = client.request("tilewright/explain", json!({ "code": "lost-order" }));
    assert!(explained.as_str().expect("text").starts_with("# lost-order: "));
}

#[test]
fn nonsense_is_answered_with_an_error() {
    let mut client = Client::start(Value::Null);
    let id = client.ask("textDocument/hover", json!({ "position": 3 }));
    assert_eq!(client.answer(id)["error"]["code"], -32602);
    let id = client.ask("textDocument/hover", at("%sum", 0));
    assert_eq!(
        client.answer(id)["error"]["code"],
        -32602,
        "the document is not open"
    );
    let id = client.ask("no/such", Value::Null);
    assert_eq!(client.answer(id)["error"]["code"], -32601);
    client.notify("textDocument/didChange", json!({ "textDocument": 1 }));
    client.open(URI, "\u{0}\u{1}no text");
    client.edit(URI, 2, [9, 9, 2, 2], "ß𝄞");
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(symbols, json!([]));
    assert!(client.stop().success());
}

#[test]
fn a_client_that_hangs_up_ends_the_server() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    client.hang_up();
    Client::raw().hang_up();
}

#[test]
fn what_is_typed_is_completed_and_corrected() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    client.edit(URI, 2, [4, 4, 4, 4], "%more = add %c, %n : tile<i32>\n    ");
    client.diagnostics(URI, 2, 1);
    let place = |line: u32, column: u32| json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": column } });
    // After `%c`: the values before this line, and none of the other kernel.
    let items = client.request("textDocument/completion", place(4, 18));
    let labels: Vec<_> = items
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| &item["label"])
        .collect();
    assert_eq!(labels, ["%sum", "%count", "%n", "%p"]);
    assert_eq!(items[1]["detail"], "tile<i32>");
    let items = client.request("textDocument/completion", place(4, 15));
    let items = items.as_array().expect("a list");
    assert!(items.len() > 80, "{} ops", items.len());
    let addi = items
        .iter()
        .find(|item| item["label"] == "addi")
        .expect("there is one");
    assert_eq!(
        addi["detail"],
        "addi lhs, rhs [overflow:overflow] : type of result"
    );
    let help = client.request("textDocument/signatureHelp", place(3, 24));
    let signature = &help["signatures"][0];
    assert_eq!(
        signature["label"],
        "addi %lhs, %rhs [overflow<overflow>] : type of result"
    );
    // In the second operand.
    assert_eq!(
        (&help["activeParameter"], &signature["parameters"][1]["label"]),
        (&json!(1), &json!([11, 15]))
    );
    let line = json!({ "start": { "line": 4, "character": 12 }, "end": { "line": 4, "character": 12 } });
    let actions = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": line, "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["title"], "change to `addi`");
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "addi");
    client.edit(URI, 3, [4, 12, 4, 15], "addi");
    client.edit(URI, 4, [4, 17, 4, 19], "%count");
    client.diagnostics(URI, 4, 0);
}

/// Applies the edits of an action to a text of ASCII.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let number = |name: &str| usize::try_from(position[name].as_u64().expect("a number")).expect("small");
        let before: usize = text
            .split_inclusive('\n')
            .take(number("line"))
            .map(str::len)
            .sum();
        before + number("character")
    };
    let mut edits: Vec<_> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| {
            (
                offset(&edit["range"]["start"]),
                offset(&edit["range"]["end"]),
                edit["newText"].as_str(),
            )
        })
        .collect();
    edits.sort();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new.expect("text"));
    }
    text
}

#[test]
fn the_next_power_of_two_and_a_missing_assumption_are_offered() {
    let mut client = Client::start(json!({ "ptxas": false }));
    let mut actions = |text: &str, position: Value, version: i32| {
        match version {
            1 => client.open(URI, text),
            version => client.notify(
                "textDocument/didChange",
                json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [{ "text": text }] }),
            ),
        }
        let at = json!({ "start": position, "end": position });
        client.request(
            "textDocument/codeAction",
            json!({ "textDocument": { "uri": URI }, "range": at, "context": { "diagnostics": [] } }),
        )
    };
    let wrong = "entry @k() {\n  %c = constant <f32: 1.0> : tile<100x4xf32>\n  return\n}\n";
    let found = actions(wrong, position(wrong, "tile<100", 0), 1);
    assert_eq!(found[0]["title"], "change to `tile<128x4xf32>`");
    let fixed = applied(wrong, &found[0]["edit"]["changes"][URI]);
    assert!(fixed.contains(": tile<128x4xf32>"), "{fixed}");

    let at = |text: &str| position(text, "%p", 0);
    let found = actions(TEXT, at(TEXT), 2);
    assert_eq!(found[0]["title"], "assume that `%p` is a multiple of 16 bytes");
    let assumed = applied(TEXT, &found[0]["edit"]["changes"][URI]);
    assert!(
        assumed.contains("\n    %p_aligned = assume div_by<16>, %p : tile<ptr<f32>>\n    %count"),
        "{assumed}"
    );
    assert!(assumed.contains("make_tensor_view %p_aligned, "), "{assumed}");
    // What is assumed need not be assumed again.
    assert_eq!(actions(&assumed, at(&assumed), 3), json!([]));
    assert_eq!(client.diagnostics(URI, 3, 0), json!([]));
    // On one line with its function.
    let short = "entry @k(%p: tile<ptr<f32>>) { %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n return }\n";
    let mut client = Client::start(json!({ "ptxas": false }));
    client.open(URI, short);
    let place = json!({ "start": at(short), "end": at(short) });
    let found = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": place, "context": { "diagnostics": [] } }),
    );
    let assumed = applied(short, &found[0]["edit"]["changes"][URI]);
    client.open("file:///other.mlir", &assumed);
    assert_eq!(
        client.diagnostics("file:///other.mlir", 1, 0),
        json!([]),
        "{assumed}"
    );
}

#[test]
fn texts_are_coloured_formatted_and_annotated() {
    let mut client = Client::start(Value::Null);
    client.open(URI, TEXT);
    let document = json!({ "textDocument": { "uri": URI } });
    let tokens = client.request("textDocument/semanticTokens/full", document);
    assert!(tokens["data"].as_array().expect("numbers").len() > 200);
    let format = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    assert_eq!(
        client.request("textDocument/formatting", format.clone()),
        json!([])
    );
    client.edit(URI, 2, [2, 0, 2, 4], "");
    client.edit(URI, 3, [3, 8, 3, 11], "=");
    // Only what differs is replaced.
    let whole = client.request("textDocument/formatting", format.clone());
    let at = |line: u32, start: u32, end: u32| json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
    let indent = json!({ "newText": "    ", "range": at(2, 0, 0) });
    let blanks = json!({ "newText": " = ", "range": at(3, 8, 9) });
    assert_eq!(whole, json!([indent, blanks]));
    // And of some lines.
    let mut some = format.clone();
    some["range"] = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let some = client.request("textDocument/rangeFormatting", some);
    assert_eq!(some, json!([indent]));
    client.edit(URI, 4, [12, 0, 12, 2], "");
    let mut typed = format;
    typed["position"] = json!({ "line": 12, "character": 1 });
    typed["ch"] = json!("}");
    let typed = client.request("textDocument/onTypeFormatting", typed);
    assert_eq!(typed, json!([{ "newText": "  ", "range": at(12, 0, 0) }]));
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let wanted = json!({ "textDocument": { "uri": URI }, "range": all });
    let hints = client.request("textDocument/inlayHint", wanted.clone());
    let load = hints
        .as_array()
        .expect("a list")
        .iter()
        .find(|hint| hint["position"]["line"] == 8);
    let label = load.expect("a hint")["label"].as_str().expect("text");
    assert!(label.contains("ld<") && label.contains("32 lanes"), "{label}");
    assert!(label.contains("not 16-byte accesses"), "{label}");
    let tooltip = load.expect("a hint")["tooltip"].as_str().expect("text");
    let advice = "load not by 16-byte accesses: the address of the array is not known to be a multiple of 16 bytes, only of";
    assert!(tooltip.starts_with(advice), "{tooltip}");
    assert!(
        tooltip.contains("; add `assume div_by<16>` to the pointer\n"),
        "{tooltip}"
    );
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "inlayHints": false } }),
    );
    assert_eq!(client.request("textDocument/inlayHint", wanted), json!([]));
    let symbols = client.request("workspace/symbol", json!({ "query": "SEC" }));
    assert_eq!(symbols[0]["name"], "second");
}

#[test]
fn long_work_shows_its_progress() {
    let mut client = Client::raw();
    let capabilities = json!({ "window": { "workDoneProgress": true } });
    let settings = json!({ "ptxas": false });
    client.request(
        "initialize",
        json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": settings }),
    );
    client.notify("initialized", json!({}));
    // So many different kernels that no machine compiles them in half a second.
    let (_, kernel) = TEXT.split_once('\n').expect("a head");
    let (kernel, _) = kernel.split_once("  entry @second").expect("another kernel");
    let kernels: Vec<_> = (0..2000)
        .map(|at| {
            kernel
                .replace("@first", &format!("@k{at}"))
                .replace("i32: 8", &format!("i32: {at}"))
        })
        .collect();
    client.open(URI, &format!("cuda_tile.module @m {{\n{}}}\n", kernels.concat()));
    let id = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let create = client.wait(|message| message["method"] == "window/workDoneProgress/create");
    let token = create["params"]["token"].clone();
    client.send(&json!({ "jsonrpc": "2.0", "id": create["id"], "result": null }));
    let of_it = |kind: &'static str, token: Value| {
        move |message: &Value| {
            message["method"] == "$/progress"
                && message["params"]["token"] == token
                && message["params"]["value"]["kind"] == kind
        }
    };
    let begin = client.wait(of_it("begin", token.clone()));
    assert_eq!(
        begin["params"]["value"]["title"],
        "computing the costs of kernels"
    );
    // An edit ends the work, or it is done by now.
    client.edit(URI, 2, [0, 0, 0, 0], "// c\n");
    client.answer(id);
    client.wait(of_it("end", token));
}
