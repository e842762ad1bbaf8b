//! Locations in every form, and the rules of their scopes.

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::{DebugInfo, Version, print_tile_module, verify_debug};

use crate::corpus::good;

const SCOPES: &str = r#"
#file = #cuda_tile.di_file<"f.py" in "/d">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 2>
#other = #cuda_tile.di_subprogram<file = #file, line = 9, name = "o", linkageName = "o", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 3, column = 4>
#in_k = #cuda_tile.di_loc<loc("f.py":5:6) in #k>
#in_block = #cuda_tile.di_loc<loc("f.py":7:8) in #block>
#in_other = #cuda_tile.di_loc<loc("f.py":9:1) in #other>
"#;

/// A kernel with these locations of its op and of itself.
fn kernel(op: &str, func: &str) -> String {
    format!("{SCOPES}entry @k(%a: tile<f32>) {{\n  %b = negf %a : tile<f32> {op}\n  return\n}} {func}\n")
}

#[test]
fn named_and_fused_locations_give_their_inner_location() {
    for place in [
        "loc(#in_block)",
        "loc(\"a name\"(#in_block))",
        "loc(fused[#in_block, \"x.py\":1:2])",
        "loc(fused<\"why\">[\"x.py\":1:2 to :5, #in_block])",
        "loc(\"outer\"(fused[\"inner\"(#in_block)]))",
        "loc(callsite(#in_block at #in_k))",
    ] {
        let parsed = good(&kernel(place, "loc(#in_k)"));
        let at = parsed.debug.location(0, tilewright_irs::core::Origin(0));
        assert_eq!(at.map(|at| (at.line, at.column)), Some((7, 8)), "{place}");
        assert!(verify_debug(&parsed.module, &parsed.debug).is_empty(), "{place}");
    }
    for (place, wanted) in [
        ("loc(unknown)", None),
        ("loc(\"x.py\":1:2)", Some((1, 2))),
        ("loc(\"x.py\":1:2 to 3:4)", Some((1, 2))),
        ("loc(\"only a name\")", None),
        ("loc(\"a name\"(\"x.py\":5:6))", Some((5, 6))),
        ("loc(fused[])", None),
        ("loc(fused[unknown, \"x.py\":1:2])", Some((1, 2))),
        ("loc(callsite(unknown at \"x.py\":1:2))", Some((1, 2))),
    ] {
        let parsed = good(&kernel(place, ""));
        let at = parsed.debug.location(0, tilewright_irs::core::Origin(0));
        assert_eq!(at.map(|at| (at.line, at.column)), wanted, "{place}");
    }
}

/// The text with locations.
fn printed(text: &str) -> String {
    let parsed = good(text);
    print_tile_module(&parsed.module, Some(&parsed.debug))
}

#[test]
fn every_location_is_printed_as_it_was_read() {
    for (place, wanted) in [
        ("loc(\"x.py\":1:2)", "loc(\"x.py\":1:2)"),
        ("loc(\"x.py\":1:2 to :5)", "loc(\"x.py\":1:2 to :5)"),
        ("loc(\"x.py\":1:2 to 3:4)", "loc(\"x.py\":1:2 to 3:4)"),
        ("loc(\"x.py\":1:2 to 1:2)", "loc(\"x.py\":1:2)"),
        ("loc(\"a \\22name\")", "loc(\"a \\22name\")"),
        ("loc(\"a name\"(\"x.py\":1:2))", "loc(\"a name\"(#loc1))"),
        (
            "loc(fused[\"x.py\":1:2, \"x.py\":3:4])",
            "loc(fused[#loc1, #loc2])",
        ),
        ("loc(fused<\"why\">[\"x.py\":1:2])", "loc(fused<\"why\">[#loc1])"),
        ("loc(fused<7 : i32>[])", "loc(fused<7 : i32>[#loc])"),
        // A single location is not a list, nor is one in a list of the same kind.
        (
            "loc(fused[\"x.py\":1:2, unknown, \"x.py\":1:2])",
            "loc(\"x.py\":1:2)",
        ),
        (
            "loc(fused[fused[\"x.py\":1:2, \"x.py\":3:4], \"x.py\":5:6])",
            "loc(fused[#loc1, #loc2, #loc3])",
        ),
        (
            "loc(callsite(\"x.py\":1:2 at unknown))",
            "loc(callsite(#loc1 at #loc))",
        ),
    ] {
        let text = printed(&kernel(place, ""));
        let last = text.lines().rfind(|line| line.starts_with("#loc"));
        let definition = last.and_then(|line| line.split_once(" = ")).map(|(_, text)| text);
        assert_eq!(definition, Some(wanted), "{place}\n{text}");
        assert_eq!(printed(&text), text, "{place}");
    }
}

#[test]
fn the_module_has_a_place_of_its_own() {
    for (place, wanted) in [
        ("loc(\"x.py\":1:2)", Some(("x.py", 1))),
        ("loc(\"a name\"(\"x.py\":1:2))", Some(("x.py", 1))),
        ("loc(#alias)", Some(("y.py", 3))),
        ("loc(unknown)", None),
        ("", None),
    ] {
        let kernel = "entry @k() {\n return loc(\"x.py\":7:8)\n} loc(\"x.py\":5:6)";
        let own = format!("cuda_tile.module @m {{\n{kernel}\n}} {place}\n");
        let around = format!("module {{\n{own}\n}} loc(\"around.mlir\":1:1)\n");
        for text in [own, around] {
            let text = format!("{text}#alias = loc(\"y.py\":3:4)\n");
            let parsed = good(&text);
            let at = parsed.debug.module.and_then(|id| parsed.debug.position(id));
            let found = at.as_ref().map(|at| (at.file.as_str(), at.line));
            assert_eq!(found, wanted, "{text}");
            let again = printed(&text);
            assert_eq!(again.contains("cuda_tile.module"), wanted.is_some(), "{again}");
            assert_eq!(printed(&again), again, "{text}");
            // Bytecode has none: it is written without.
            let bytes = bytecode::write(&parsed.module, &parsed.debug, Version::LATEST).expect("written");
            let read = bytecode::read(&bytes, FileId(0)).expect("read");
            assert_eq!(read.debug.module, None);
        }
    }
    let parsed =
        good("cuda_tile.module @m {\n} loc(#file)\n#file = #cuda_tile.di_file<\"f.py\" in \"/d\">\n");
    assert_eq!(verify_debug(&parsed.module, &parsed.debug).len(), 1);
}

#[test]
fn bytecode_refuses_what_it_has_no_place_for() {
    let write = |place: &str| {
        let parsed = good(&kernel(place, "loc(#in_k)"));
        bytecode::write(&parsed.module, &parsed.debug, Version::LATEST)
    };
    for (place, kind) in [
        ("loc(\"a name\"(#in_block))", "NameLoc"),
        ("loc(fused[#in_block, #in_k])", "FusedLoc"),
        ("loc(callsite(fused[#in_block, #in_k] at #in_k))", "FusedLoc"),
        ("loc(callsite(callsite(#in_k at \"a name\") at #in_k))", "NameLoc"),
    ] {
        let problems = write(place).expect_err(place);
        assert_eq!(problems.len(), 1, "{problems:?}");
        let problem = &problems[0];
        assert!(problem.diagnostic.message.contains(kind), "{place}: {problem:?}");
        assert_eq!(problem.func, Some(0));
        assert_eq!(
            problem.diagnostic.primary.as_ref().map(|label| label.at),
            Some(tilewright_irs::core::Origin(0))
        );
    }
    // A location outside of functions is unknown in bytecode, also in a call site.
    for (place, wanted) in [
        ("loc(\"x.py\":1:2)", "loc(unknown)"),
        (
            "loc(callsite(\"x.py\":1:2 at #in_k))",
            "loc(callsite(#loc1 at #loc2))",
        ),
    ] {
        let bytes = write(place).expect(place);
        let read = bytecode::read(&bytes, FileId(0)).expect(place);
        let text = print_tile_module(&read.module, Some(&read.debug));
        assert!(text.lines().any(|line| line.ends_with(wanted)), "{place}\n{text}");
        let again = bytecode::write_arranged(&read.module, &read.debug, Version::LATEST, &read.arrangement);
        assert_eq!(again.as_ref(), Ok(&bytes), "{place}");
    }
}

#[test]
fn a_text_without_places_in_functions_has_no_debug_section() {
    for place in ["", "loc(unknown)", "loc(\"x.py\":1:2)"] {
        let text = format!("entry @k(%a: tile<f32>) {{\n  %b = negf %a : tile<f32> {place}\n}}\n");
        let parsed = good(&text);
        let bytes =
            bytecode::write(&parsed.module, &parsed.debug, Version::LATEST).expect("all can be written");
        let read = bytecode::read(&bytes, FileId(0)).expect("what was written");
        assert_eq!(read.debug, DebugInfo::default(), "{place}");
    }
}

#[test]
fn scopes_are_those_of_the_function() {
    let said = |op: &str, func: &str| -> Vec<String> {
        let parsed = good(&kernel(op, func));
        let problems = verify_debug(&parsed.module, &parsed.debug);
        problems
            .into_iter()
            .map(|problem| problem.diagnostic.message)
            .collect()
    };
    assert_eq!(said("loc(#in_block)", "loc(#in_k)"), [""; 0]);
    let only = |op: &str, func: &str, part: &str| {
        let messages = said(op, func);
        assert!(
            messages.len() == 1 && messages[0].contains(part),
            "{op} {func}: {messages:?}"
        );
    };
    only(
        "loc(#in_other)",
        "loc(#in_k)",
        "in `o`, but the scope of its function is `k`",
    );
    only("loc(#in_block)", "", "has no scope");
    only("", "loc(#in_block)", "must be a cuda_tile.di_subprogram");
    only("", "loc(#in_other)", "linkage name of its subprogram is \"o\"");
    only("", "loc(callsite(#in_k at #in_k))", "is a call site");
}

#[test]
fn errors_in_unused_location_aliases_are_reported() {
    let first = |line: &str| {
        let text = format!("{SCOPES}{line}\nentry @k() {{\n}}\n");
        parse_tile_text(&text, FileId(0))
            .diagnostics
            .first()
            .map(|problem| problem.message.clone())
    };
    assert_eq!(first("#x = loc(#in_k)"), None);
    assert!(first("#x = #cuda_tile.di_compile_unit<>").is_some_and(|message| message.contains("`file`")));
    let kind = |line| first(line).is_some_and(|message| message.contains("wrong kind"));
    assert!(kind("#x = loc(callsite(#block at #in_k))"));
    assert!(kind("#x = #cuda_tile.di_compile_unit<file = #block>"));
    assert!(first("#x = loc(#nowhere)").is_some_and(|message| message.contains("`#nowhere`")));
}

#[test]
fn named_locations_have_a_depth_limit() {
    let text = |depth: usize| {
        let chain = (0..depth).map(|n| format!("#c{} = loc(callsite(#c{n} at #in_k))\n", n + 1));
        let chain: String = chain.collect();
        format!("{SCOPES}#c0 = loc(#in_k)\n{chain}entry @k() {{\n}}\n")
    };
    assert_eq!(parse_tile_text(&text(250), FileId(0)).diagnostics, []);
    let said = parse_tile_text(&text(5_000), FileId(0)).diagnostics;
    assert!(
        said.first()
            .is_some_and(|problem| problem.message.contains("nested too deep"))
    );
}
