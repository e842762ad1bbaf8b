//! The outline: functions, the values in them, aliases, and what PTX declares.

use serde_json::{Value, json};

use crate::client::Client;
use crate::naming::PTX;
use crate::{TEXT, URI};

const NESTED: &str = "\
!t = tile<i32>
#loc = loc(\"a\":1:2)
entry @k(%n: !t) {
  %c = constant <i1: 1> : tile<i1>
  %s = for %i in (%n to %n, step %n) : !t iter_values(%a = %n) -> (!t) {
    %b = addi %a, %i : !t
    continue %b : !t
  }
  if %c {
    %x, %y, %z = get_tile_block_id : !t
  }
  return
}
";

/// The outline as lines, indented by depth; each range must be within that around it, and have the name.
fn lines(text: &str, symbols: &Value, depth: usize, out: &mut Vec<String>) {
    let place = |at: &Value| (at["line"].as_u64(), at["character"].as_u64());
    for symbol in symbols.as_array().expect("a list") {
        let (range, own) = (&symbol["range"], &symbol["selectionRange"]);
        assert!(place(&range["start"]) <= place(&own["start"]), "{symbol}");
        assert!(place(&own["end"]) <= place(&range["end"]), "{symbol}");
        let (name, detail) = (symbol["name"].as_str(), symbol["detail"].as_str());
        let name = name.expect("a name");
        let line = text
            .lines()
            .nth(own["start"]["line"].as_u64().expect("a line") as usize);
        assert!(line.is_some_and(|line| line.contains(name)), "{symbol}");
        let last = range["end"]["line"].as_u64().expect("a line") + 1;
        out.push(format!(
            "{}{name}: {} ({last})",
            "  ".repeat(depth),
            detail.unwrap_or("-")
        ));
        if symbol["children"].is_array() {
            for child in symbol["children"].as_array().expect("a list") {
                assert!(place(&child["range"]["end"]) <= place(&range["end"]), "{child}");
            }
            lines(text, &symbol["children"], depth + 1, out);
        }
    }
}

fn outline(uri: &str, text: &str) -> Vec<String> {
    let mut client = Client::start(Value::Null);
    client.open(uri, text);
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": uri } }),
    );
    let mut out = Vec::new();
    lines(text, &symbols, 0, &mut out);
    out
}

#[test]
fn values_stand_in_their_kernel_with_their_types_as_regions_nest() {
    assert_eq!(
        outline(URI, NESTED),
        [
            "!t: tile<i32> (1)",
            "k: cuda_tile (13)",
            "  %n: tile<i32> (3)",
            "  %c: tile<i1> (4)",
            "  %s: tile<i32> (8)",
            "    %i: tile<i32> (5)",
            "    %a: tile<i32> (5)",
            "    %b: tile<i32> (6)",
            "  if: - (11)",
            "    %x: tile<i32> (10)",
            "    %y: tile<i32> (10)",
            "    %z: tile<i32> (10)",
        ]
    );
    // A kernel that is wrong has those that could be read.
    let broken = TEXT.replace("addf %tile, %tile", "addf %tile, %missing");
    let all = outline(URI, &broken);
    assert!(all.contains(&"  %sum: tile<i32> (4)".to_owned()), "{all:?}");
    assert!(all.contains(&"second: cuda_tile (16)".to_owned()), "{all:?}");
}

#[test]
fn the_outline_of_ptx_has_what_is_declared() {
    assert_eq!(
        outline("file:///k.ptx", PTX),
        [
            "table: .global .align 4 .b8 table[64] (5)",
            "first: ptx (29)",
            "  source: .param .u64 .ptr .global .align 16 source (8)",
            "  count: .param .u32 count (9)",
            "  cache: .shared .align 16 .b8 cache[512] (17)",
            "  $L_done: - (27)",
            "second: ptx (39)",
            "  count: .param .u32 count (31)",
            "  $L_done: - (37)",
        ]
    );
}
