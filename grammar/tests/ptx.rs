//! PTX text to modules and back, and the diagnostics for mistakes.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::ptx::{Parsed, parse};
use tilewright_irs::ptx::*;

fn read(text: &str) -> Parsed {
    parse(FileId(0), text)
}

fn accept(text: &str) -> Module {
    let parsed = read(text);
    assert_eq!(parsed.diagnostics, [], "in\n{text}");
    parsed.module
}

fn body(statements: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n\
         {statements}\n}}\n"
    )
}

/// The codes of the diagnostics, each with the text of its span.
fn mistakes(text: &str) -> Vec<(Code, String)> {
    read(text)
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let span = diagnostic.primary.as_ref().expect("a place").at;
            (
                diagnostic.code,
                text[span.start as usize..span.end as usize].to_owned(),
            )
        })
        .collect()
}

#[test]
fn an_entry_keeps_its_linkage() {
    for (linkage, words) in [
        (EntryLinkage::Visible, ".visible "),
        (EntryLinkage::Weak, ".weak "),
        (EntryLinkage::Internal, ""),
    ] {
        let text = format!(
            ".version 8.0\n.target sm_90a\n.address_size 64\n\n{words}.entry k()\n{{\n    ret;\n}}\n"
        );
        let module = accept(&text);
        assert_eq!(module.entries[0].linkage, linkage);
        assert_eq!(module.to_string(), text);
    }
    for words in [".visible .weak", ".weak .visible", ".weak .weak"] {
        let text = body("ret;").replace(".visible", words);
        let second = words.split(' ').nth(1).expect("two words").to_owned();
        assert_eq!(mistakes(&text), [(Code::UnexpectedToken, second)], "{text}");
    }
}

#[test]
fn a_module_of_every_part_prints_and_reads_back() {
    let mut b = Builder::new("k");
    let pointer = b.parameter(ParameterType::Pointer {
        space: Some(Space::Global),
        align: 16,
    });
    b.parameter(ParameterType::Pointer {
        space: None,
        align: 1,
    });
    b.parameter(ParameterType::Bytes {
        align: 64,
        bytes: 128,
    });
    let number = b.parameter(ParameterType::Scalar(Type::S8));
    let launch = &mut b.entry().launch;
    launch.required_threads = Some([128, 2, 1]);
    launch.min_blocks_per_sm = Some(2);
    launch.max_registers = Some(64);
    launch.explicit_cluster = true;
    launch.required_cluster = Some([2, 1, 1]);
    launch.blocks_are_clusters = true;
    let shared = b.shared("tile", 16, 256);
    let base = b.load_parameter(&pointer, Type::U64);
    let base = b.to_space(Space::Global, base);
    let n = b.register(Class::B16);
    b.emit(Instruction::load(Some(Space::Param), Type::S8, vec![n], number));
    let address = b.mov(
        Type::U32,
        VariableAddress {
            symbol: shared.clone(),
            offset: 8,
        },
    );
    let lane = b.mov(Type::U32, Special::Laneid);
    let low = b.setp(Comparison::Lt, Type::U32, lane, 16);
    let done = b.label();
    b.bra_if(Predicate::not(low), done);
    let x = b.load(Space::Global, Type::F32, 4, (base, -16));
    let sum = b.fma(Type::F32, x[0], 1.5f32, x[1]);
    let small = b.cvt(Type::F16, Type::F32, Some(Rounding::Rn), sum);
    let half = b.pack(Type::B32, &[small, n]);
    b.store(
        Space::Shared,
        Type::B32,
        (shared, 4),
        &[half.into(), Value::from(-7)],
    );
    b.store(
        Space::Shared,
        Type::B64,
        address,
        &[Immediate::Int(i64::MIN).into()],
    );
    let wide = b.mov(Type::F64, f64::NAN);
    b.unpack(Type::B64, Class::B32, 2, base);
    b.emit(Instruction::Neg {
        ftz: Ftz(false),
        ty: Type::F64,
        d: wide,
        a: wide.into(),
    });
    b.bar_sync(0);
    let got = b.register(Class::B32);
    let valid = b.register(Class::Pred);
    b.emit(Instruction::ShflSync {
        mode: Shuffle::Idx,
        ty: Type::B32,
        d: WithPredicate {
            register: got,
            predicate: Some(valid),
        },
        a: half.into(),
        b: 0.into(),
        c: 31.into(),
        mask: (-1).into(),
    });
    b.place(done);
    let called_from = Position {
        file: 1,
        line: 12,
        column: 3,
    };
    b.entry().body.push(Statement::Location {
        at: called_from,
        inlined: None,
    });
    b.entry().body.push(Statement::Location {
        at: Position {
            line: 4,
            ..called_from
        },
        inlined: Some(Inlined {
            function: 1,
            called_from,
        }),
    });
    b.ret();
    let mut module = Module::new(Target::sm_a(90));
    module.files.push(SourceFile {
        index: 1,
        name: "a \"quoted\" \\ päth.py".to_owned(),
    });
    module.inlined_functions = vec!["unused".to_owned(), "größer".to_owned()];
    module.variables.push(Variable {
        linkage: Linkage::Visible,
        space: Space::Global,
        align: 4,
        name: "table".into(),
        bytes: Some(8),
        initial: vec![1, 2, 255],
    });
    module.variables.push(Variable {
        linkage: Linkage::Extern,
        space: Space::Shared,
        align: 16,
        name: "dynamic".into(),
        bytes: None,
        initial: Vec::new(),
    });
    module.entries.push(b.finish());
    let module = module.with_lowest_version();
    assert_eq!(verify(&module), []);
    assert_eq!(module.version, IsaVersion::new(9, 0));
    let text = module.to_string();
    assert_eq!(accept(&text), module, "in\n{text}");
    insta::assert_snapshot!(text);
}

/// What nvcc writes: labels with other names, offsets, sections of other kinds, a section before its use.
#[test]
fn inlined_functions_are_named_by_labels_of_the_string_section() {
    let text = body(
        ".loc 1 10 5\nmov.u32 %r1, 1;\n.loc 2 3 7, function_name $names, inlined_at 1 10 5\nmov.u32 %r1, 2;\n\
         .loc 2 4 7, function_name $names + 5, inlined_at 2 3 7\nret;",
    );
    let text = format!(
        ".version 9.0\n.target sm_90a\n.section .debug_abbrev\n{{\n.b8 1\n.b8 17,1\n}}\n{}\t.section\t.debug_str\n\t{{\n$names:\n\
         .b8 104,101\n.b8 108,112,0\n.b8 105,110,0\n\t}}\n",
        text.replace(".version 9.0\n.target sm_90a\n", "")
    );
    let module = accept(&text);
    assert_eq!(module.inlined_functions, ["help", "in"]);
    assert_eq!(verify(&module), []);
    let entry = &module.entries[0];
    let inlined = entry
        .body
        .iter()
        .filter(|statement| statement.is_inlined_location());
    let lines: Vec<_> = inlined.map(|statement| statement.to_string()).collect();
    assert_eq!(
        lines,
        [
            "    .loc 2 3 7, function_name $L__info_string0, inlined_at 1 10 5",
            "    .loc 2 4 7, function_name $L__info_string1, inlined_at 2 3 7",
        ]
    );
    let again = accept(&module.to_string());
    assert_eq!(again, module);
}

#[test]
fn mistakes_in_locations_are_named() {
    let text = body(
        ".loc 1 10\n.loc 1 10 5, function_name $no, inlined_at 1 2 3\n.loc 1 10 5, inlined_at 1 2 3\n\
         .loc 1 10 5, function_name $a\n.loc 1 10 5, function_name $a+9, inlined_at 1 2 3\nret;",
    );
    let text = format!(
        "{text}.section .debug_str\n{{\n$a:\n.b8 97, 300, 0\n$a:\n.b32 1\nret;\n}}\n.section .text\n{{\n}}\n"
    );
    assert_eq!(
        mistakes(&text),
        [
            (Code::UnexpectedToken, "0".to_owned()),
            (Code::UnknownSymbol, "$no".to_owned()),
            (Code::UnexpectedToken, "inlined_at".to_owned()),
            (Code::UnexpectedToken, "a".to_owned()),
            (Code::UnknownSymbol, "$a".to_owned()),
            (Code::UnexpectedToken, "300".to_owned()),
            (Code::DuplicateSymbol, "$a".to_owned()),
            (Code::UnexpectedToken, ".b32".to_owned()),
            (Code::UnexpectedToken, "ret".to_owned()),
            (Code::UnexpectedToken, ".section".to_owned()),
        ]
    );
}

#[test]
fn registers_labels_and_types_of_other_names_are_renumbered() {
    let module = accept(
        "// a comment\n.version 8.0\n.target sm_90\n.address_size 64\n/* another\n comment */\n\
         .entry k()\n{\n.reg .u32 count, %a1<12>;\n.reg .f32 x;\n.shared .align 8 .f64 tile[4];\n\
         loop: add.u32 count, count, %a13;\n@p bra loop;\n.reg .pred p;\nmov.u32 %a10,\n  tile+8;\nbra $L_4; $L_4:\nret;}",
    );
    let entry = module.entry("k").expect("the entry");
    assert_eq!(entry.registers.of(Class::B32), 13);
    assert_eq!(entry.variables, [Variable::shared("tile", 8, 32)]);
    let lines: Vec<String> = entry
        .body
        .iter()
        .map(|statement| statement.to_string().trim().to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            "$L_5:",
            "add.u32 %r0, %r0, %r4;",
            "@%p0 bra $L_5;",
            "mov.u32 %r1, tile+8;",
            "bra $L_4;",
            "$L_4:",
            "ret;"
        ]
    );
}

#[test]
fn statements_know_their_lines() {
    let text = body("mov.u32 %r1, 1;\n\n$L_0:\n  ret;");
    assert_eq!(read(&text).lines(&text, 0), [7, 9, 10]);
    assert!(read(&text).lines(&text, 1).is_empty());
}

#[test]
fn each_mistake_is_one_diagnostic_and_the_rest_is_read() {
    let text = body(
        "mov.u32 %r1, 1;\nadd.s32 %r1, %r2 %r3;\nadd.s32 %r1, %r2, %r3\nmul.lo.s32 %r1, %r1, %r2;\n\
         ` ;\nfrob.u32 %r1;\nadd.f99 %r1, %r1, %r1;\nret;",
    );
    assert_eq!(
        mistakes(&text),
        [
            (Code::UnexpectedToken, "%r3".to_owned()),
            (Code::UnexpectedToken, String::new()),
            (Code::BadToken, "`".to_owned()),
            (Code::UnknownOp, "frob".to_owned()),
            (Code::UnknownAttribute, ".f99".to_owned()),
        ]
    );
    let entry = read(&text).module.entries[0].clone();
    assert_eq!(entry.lines().count(), 3, "mov, mul and ret remain");
}

#[test]
fn names_types_and_counts_are_checked() {
    let text = body(
        "mov.u32 %r9, 1;\nbra nowhere;\nadd.s32 %r1, %r2;\nadd.s32 %r1, %r2, %r3, %r4;\nadd.u32.sat %r1, %r2, %r3;\n\
         add.sat.u32 %r1, %r2, %r3;\nld.global.f32 %f1, %rd1;\n@%r1 ret;\nld.param.u64 %rd1, [nope];\n\
         add.s64 %rd1, %rd2, 99999999999999999999;\nbar.sync;\nmov.u32 %r1, %tid.w;\nsetp.lt %p1, %r1, %r2;",
    );
    assert_eq!(
        mistakes(&text),
        [
            (Code::UndefinedValue, "%r9".to_owned()),
            (Code::UnknownSymbol, "nowhere".to_owned()),
            (Code::OperandCount, "add.s32 %r1, %r2".to_owned()),
            (Code::OperandCount, "add.s32 %r1, %r2, %r3, %r4".to_owned()),
            (Code::UnknownAttribute, ".sat".to_owned()),
            (Code::AttributeValue, ".sat".to_owned()),
            (Code::OperandType, "%rd1".to_owned()),
            (Code::OperandType, "%r1".to_owned()),
            (Code::UnknownSymbol, "nope".to_owned()),
            (Code::BadLiteral, "99999999999999999999".to_owned()),
            (Code::OperandCount, "bar.sync".to_owned()),
            (Code::UnknownSymbol, "%tid.w".to_owned()),
            (Code::MissingAttribute, "setp.lt %p1, %r1, %r2".to_owned()),
        ]
    );
}

#[test]
fn a_syntax_error_in_a_header_leaves_its_body_checked() {
    let text = ".version 8.0\n.target sm_90\n.visible .entry k(.param @ .u64 x)\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, 1;\nret;\n}\n";
    let found = mistakes(text);
    assert_eq!(found.first().map(|(code, _)| *code), Some(Code::UnexpectedToken));
    assert!(found.len() <= 2, "{found:?}");
}

#[test]
fn a_slip_in_a_declaration_is_one_error() {
    let right = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(\n    .param .u32 a,\n    .param .u32 b\n)\n{\n\
                 .reg .b32 %r<9>;\nld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\nadd.s32 %r3, %r1, %r2;\n\
                 bra $end;\n$end:\nret;\n}\n";
    assert_eq!(mistakes(right), []);
    for (old, new, at) in [
        (".reg .b32 %r<9>;", ".reg .b32 %r<9;", "9"),
        (".reg .b32 %r<9>;", ".reg .b32 %r9>;", ">"),
        (".reg .b32 %r<9>;", ".reg .b23 %r<9>;", ".b23"),
        (".reg .b32 %r<9>;", ".reg .b32 <9>;", "<"),
        (".reg .b32 %r<9>;", ".erg .b32 %r<9>;", ".erg"),
        (".reg .b32 %r<9>;", ".reg .b32 %q<9>;", "%r1"),
        (".param .u32 a,", ".param .u32 a", "a"),
        ("$end:", "$end;", "$end"),
    ] {
        let wrong = right.replace(old, new);
        let found = mistakes(&wrong);
        let found: Vec<_> = found.iter().map(|(_, at)| at.as_str()).collect();
        assert_eq!(found, [at], "{new}");
    }
}

#[test]
fn versions_and_targets_are_known() {
    let head =
        |version: &str, target: &str| format!(".version {version}\n.target {target}\n.address_size 64\n");
    for (version, target) in [
        ("9.5", "sm_121f"),
        ("6.0", "sm_70"),
        ("8.0", "sm_90a"),
        ("7.8", "sm_89"),
    ] {
        assert_eq!(mistakes(&head(version, target)), [], "{version} {target}");
    }
    for version in ["31.0", "5.0", "6.6", "7.9", "8.9", "9.6", "10.0"] {
        let found = mistakes(&head(version, "sm_90a"));
        assert_eq!(found, [(Code::AttributeValue, version.to_owned())]);
    }
    for target in ["sm_999", "sm_91", "sm_80a", "sm_90f", "compute_90"] {
        let found = mistakes(&head("8.0", target));
        assert_eq!(found, [(Code::UnknownTarget, target.to_owned())]);
    }
    // The first name is the target, so that instructions are checked against it.
    let twice = head("8.0", "sm_90a sm_80");
    assert_eq!(mistakes(&twice), [(Code::UnexpectedToken, "sm_80".to_owned())]);
    assert_eq!(read(&twice).module.target.to_string(), "sm_90a");
}

#[test]
fn declarations_are_checked() {
    let text = body(
        ".reg .b32 %r<2>;\n.shared .align 3 .b8 a[4];\n.shared .b8 b[4];\n.shared .b8 b[4];\n$L_1:\n$L_1:\n.frob 1;\nret;",
    );
    let codes: Vec<_> = mistakes(&text).into_iter().map(|(code, _)| code).collect();
    assert_eq!(
        codes,
        [
            Code::DuplicateSymbol,
            Code::UnexpectedToken,
            Code::DuplicateSymbol,
            Code::DuplicateSymbol,
            Code::UnknownAttribute,
        ]
    );
}

#[test]
fn mutated_texts_never_panic_or_hang() {
    let text = body(
        "$L_0: @!%p1 add.s32 %r1, {%r2, %r3}, [%rd1+4];\nmov.b64 {%r1, %r2}, %rd1;\nst.v2.f32 [%rd1], {%f1, 0f3F800000};",
    );
    for end in 0..=text.len() {
        let prefix = text.get(..end).unwrap_or_default();
        read(prefix);
        for noise in [
            "{",
            "}",
            "(",
            ";",
            "@",
            "\"",
            "%",
            "/*",
            "\n",
            "é",
            "]",
            "<",
            "99999999999999999999999",
        ] {
            let suffix = text.get(end..).unwrap_or_default();
            read(&format!("{prefix}{noise}{suffix}"));
        }
    }
    read(&"{".repeat(100_000));
    read(&"[".repeat(100_000));
}
