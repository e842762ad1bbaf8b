//! The preview content of 13.5: bytecode and text, both ways; what is refused, and when.

mod malformed;
#[path = "../support/preview.rs"]
mod preview;

use tilewright_diagnostics::{Code, FileId, Location};
use tilewright_grammar::bytecode::{self, write, write_arranged};
use tilewright_grammar::cuda_tile;
use tilewright_irs::cuda_tile::preview::External;
use tilewright_irs::cuda_tile::{
    DebugInfo, TileModule, Version, print_tile_module, print_tile_module_generic, verify_debug, verify_module,
};

use preview::{parse_tile_text, read};

/// The lines of the rule file that follow all rules.
fn sound() -> String {
    let text = include_str!("../verifier/rules/preview.mlir");
    let text = text.split("// -----\n").next().expect("a module");
    let lines = text.lines().filter(|line| !line.contains(" // E0"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn parsed(text: &str) -> (TileModule, DebugInfo) {
    let parsed = parse_tile_text(text, FileId(0));
    assert_eq!(parsed.diagnostics, Vec::new());
    (parsed.module, parsed.debug)
}

/// The bytes of the header that say whether there is preview content.
fn tag(bytes: &[u8]) -> [u8; 2] {
    [bytes[10], bytes[11]]
}

fn module() -> TileModule {
    parsed(&sound()).0
}

#[test]
fn text_and_bytecode_give_the_same_module() {
    let module = module();
    assert_eq!(verify_module(&module), Ok(()));
    assert_eq!((module.externals.len(), module.funcs.len()), (9, 1));
    let bytes = write(&module, &DebugInfo::default(), Version::LATEST).expect("13.5 has it");
    assert_eq!(tag(&bytes), [1, 0]);
    let found = read(&bytes, FileId(0)).expect("what was written");
    assert_eq!(found.module, module);
    assert_eq!(found.externals.len(), module.externals.len());
    let again = write_arranged(&module, &found.debug, Version::LATEST, &found.arrangement);
    assert_eq!(again.as_ref(), Ok(&bytes));
    for text in [
        print_tile_module(&module, None),
        print_tile_module_generic(&module),
    ] {
        let (read, _) = parsed(&text);
        assert_eq!(print_tile_module(&read, None), print_tile_module(&module, None));
    }
}

#[test]
fn a_text_is_printed_as_it_was_written() {
    // The lines of the rule file are as NVIDIA's disassembler prints them, but for spaces at the end of some.
    let kept = |line: &&str| line.starts_with("preview$") || line.contains("preview$call");
    let source = sound();
    let printed = print_tile_module(&module(), None);
    let wanted: Vec<_> = source
        .lines()
        .filter(kept)
        .filter(|line| !line.contains("(1+3)*1"))
        .collect();
    for line in wanted {
        let line = line
            .trim_start()
            .split_once(" = preview$call")
            .map_or(line.trim(), |(_, rest)| rest);
        assert!(
            printed.contains(line.split("(%").next().expect("a part")),
            "{line}\n{printed}"
        );
        if line.starts_with("preview$extern_impl") {
            assert!(
                printed.lines().any(|printed| printed.trim_end() == line),
                "{line}"
            );
        }
    }
}

#[test]
fn functions_and_kernels_keep_their_order() {
    let func = |name: &str| {
        format!(
            "preview$func extern @{name}(%arg0: tile<i32> {{cuda_tile.preview$access = #cuda_tile<preview$access<in>>}}) \n"
        )
    };
    let kernel = |name: &str| format!("entry @{name}() {{\n  return\n}}\n");
    let text = [
        func("a"),
        kernel("k"),
        func("b"),
        func("c"),
        kernel("l"),
        func("d"),
    ]
    .concat();
    let (module, debug) = parsed(&text);
    let before: Vec<_> = module
        .externals
        .iter()
        .map(|External { before, .. }| *before)
        .collect();
    assert_eq!(before, [0, 1, 1, 2]);
    assert_eq!(print_tile_module(&module, None), text);
    let bytes = write(&module, &debug, Version::LATEST).expect("13.5 has it");
    assert_eq!(read(&bytes, FileId(0)).expect("what was written").module, module);
}

#[test]
fn functions_have_debug_locations() {
    let text = "\
        preview$func extern @f(%arg0: tile<i32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>})  loc(#loc1)\n\
        entry @k() {\n  return loc(#loc2)\n} loc(#loc2)\n\
        #di_file = #cuda_tile.di_file<\"a.py\" in \"\">\n\
        #loc = loc(unknown)\n";
    let scope = |name: &str| {
        format!(
            "#di_subprogram_{name} = #cuda_tile.di_subprogram<file = #di_file, line = 2, name = \"{name}\", linkageName = \
             \"{name}\", compileUnit = #di_compile_unit, scopeLine = 2>\n"
        )
    };
    let text = text.to_owned()
        + "#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>\n"
        + "#at = loc(\"a.py\":3:4)\n"
        + &scope("f")
        + &scope("k")
        + "#loc1 = #cuda_tile.di_loc<#at in #di_subprogram_f>\n#loc2 = #cuda_tile.di_loc<#at in #di_subprogram_k>\n";
    let (module, debug) = parsed(&text);
    assert_eq!(verify_debug(&module, &debug), Vec::new());
    let place = debug.externals[0].expect("a place");
    assert_eq!(
        debug.position(place).map(|place| (place.line, place.column)),
        Some((3, 4))
    );
    let bytes = write(&module, &debug, Version::LATEST).expect("13.5 has it");
    let found = read(&bytes, FileId(0)).expect("what was written");
    assert_eq!(
        print_tile_module(&module, Some(&debug)),
        print_tile_module(&found.module, Some(&found.debug))
    );
    let again = write_arranged(&found.module, &found.debug, Version::LATEST, &found.arrangement);
    assert_eq!(again, Ok(bytes));
    // The place of a function is in the function.
    let wrong = text.replace("linkageName = \"f\"", "linkageName = \"g\"");
    let (module, debug) = parsed(&wrong);
    let problems = verify_debug(&module, &debug);
    assert_eq!(problems[0].diagnostic.code, Code::MalformedDebugInfo);
    assert_eq!(problems[0].external, Some(0));
}

#[test]
fn the_header_says_whether_there_is_preview_content() {
    let (plain, debug) = parsed("entry @k() {\n  return\n}\n");
    let bytes = write(&plain, &debug, Version::LATEST).expect("any version");
    assert_eq!(tag(&bytes), [0, 0]);
    // A file may say so without having any, and is written as it was.
    let mut said = bytes.clone();
    said[10] = 1;
    let found = read(&said, FileId(0)).expect("it may say so");
    assert_eq!(found.module, plain);
    let again = write_arranged(&found.module, &found.debug, Version::LATEST, &found.arrangement);
    assert_eq!(again, Ok(said));
    let mut unknown = bytes;
    unknown[10] = 2;
    let problems = read(&unknown, FileId(0)).expect_err("an unknown bit");
    assert_eq!(problems[0].code, Code::UnsupportedVersion);
    // One value of an attribute is enough.
    let text = "entry @k(%arg0: tile<i32> {a.b = #cuda_tile<preview$expr_int<3>>}) {\n  return\n}\n";
    let (module, debug) = parsed(text);
    assert_eq!(
        tag(&write(&module, &debug, Version::LATEST).expect("13.5 has it")),
        [1, 0]
    );
    let problems = write(&module, &debug, Version::V13_4).expect_err("13.4 lacks it");
    assert_eq!(problems[0].diagnostic.code, Code::OpcodeTooNew);
}

#[test]
fn an_older_version_reports_every_feature_that_it_lacks() {
    let module = module();
    for &version in Version::ALL.iter().filter(|version| **version < Version::LATEST) {
        let problems = write(&module, &DebugInfo::default(), version).expect_err("it lacks them");
        assert!(
            problems
                .iter()
                .all(|problem| problem.diagnostic.code == Code::OpcodeTooNew)
        );
        let messages: Vec<_> = problems
            .iter()
            .map(|problem| problem.diagnostic.message.as_str())
            .collect();
        for (index, external) in module.externals.iter().enumerate() {
            let wanted = format!("`cuda_tile.{}`, the op of `@{}`,", external.op(), external.name());
            let problem = problems
                .iter()
                .find(|problem| problem.external == Some(index))
                .expect("a problem");
            assert!(
                problem.diagnostic.message.starts_with(&wanted),
                "{}",
                problem.diagnostic.message
            );
        }
        let calls = messages
            .iter()
            .filter(|text| text.starts_with("`cuda_tile.preview$call`: the op needs"));
        assert_eq!(calls.count(), 5, "{messages:#?}");
    }
}

#[test]
fn preview_content_is_read_only_with_the_option() {
    let bytes = write(&module(), &DebugInfo::default(), Version::LATEST).expect("13.5 has it");
    let problems = bytecode::read(&bytes, FileId(0)).expect_err("nobody asked");
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}")
    };
    assert_eq!(problem.code, Code::UnsupportedFeature);
    let at = problem.primary.as_ref().map(|label| label.at.clone());
    assert_eq!(
        at,
        Some(Location::Offset {
            file: FileId(0),
            offset: 10
        })
    );
    let texts = [
        sound(),
        "entry @k(%arg0: tile<i32> {a.b = #cuda_tile<preview$expr_int<3>>}) {\n  return\n}\n".to_owned(),
        "entry @k(%arg0: tile<i32> {a.b = index}) {\n  return\n}\n".to_owned(),
        "entry @k(%arg0: tile<i32> {a.b = !cuda_tile<preview$shape>}) {\n  return\n}\n".to_owned(),
        "entry @k(%arg0: tile<i32> {a.b = !cuda_tile.tile<[N]xf32>}) {\n  return\n}\n".to_owned(),
    ];
    for text in texts {
        let parsed = cuda_tile::parse_tile_text(&text, FileId(0));
        let codes: Vec<_> = parsed.diagnostics.iter().map(|problem| problem.code).collect();
        assert!(
            !codes.is_empty() && codes.iter().all(|code| *code == Code::UnsupportedFeature),
            "{codes:?}\n{text}"
        );
    }
}

#[test]
fn values_without_a_short_form_round_trip() {
    let expressions = [
        ("-(-7)", "-(-7)"),
        ("--7", "--7"),
        ("N-4-(M-2)*3", "N-4-(M-2)*3"),
        ("((N)+(1))", "N+1"),
        ("N /+ 2 / 3", "N/+2/3"),
        ("\"a b\"", "\"a b\""),
        ("\"1\"", "\"1\""),
        (
            "#cuda_tile<preview$expr_mul<#cuda_tile<preview$expr_var<\"N\">>, #cuda_tile<preview$expr_int<-3>>>>",
            "N*-3",
        ),
    ];
    for (written, printed) in expressions {
        let line = |expr: &str| {
            format!(
                "entry @k(%arg0: tile<i32> {{a.b = #cuda_tile<preview$layout<(8):({expr})>>}}) {{\n  return\n}}\n"
            )
        };
        let (module, _) = parsed(&line(written));
        let spaced = print_tile_module(&module, None);
        let plain = spaced.replace(' ', "");
        assert!(
            plain.contains(&format!("(8):({})", printed.replace(' ', ""))),
            "{plain}"
        );
        assert_eq!(print_tile_module(&parsed(&spaced).0, None), spaced);
    }
    let long = format!(
        "entry @k(%arg0: tile<i32> {{a.b = #cuda_tile<preview$layout<(8):(N{})>>}}) {{\n  return\n}}\n",
        " + 1".repeat(40)
    );
    let codes: Vec<_> = parse_tile_text(&long, FileId(0))
        .diagnostics
        .iter()
        .map(|problem| problem.code)
        .collect();
    assert_eq!(codes, [Code::NestingTooDeep]);
}
