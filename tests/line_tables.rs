//! Line tables: the user's lines stand beside the instructions in PTX and in the cubin, and change none of them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use object::{Object, ObjectSection};
use tilewright::library::{Artifact, CompileOptions, Emit, compile};
use tilewright_tests::{corpus, needed, repository};

/// What is compiled with these options.
fn made(program: &[u8], emit: Emit, lineinfo: bool) -> Vec<u8> {
    let options = CompileOptions {
        emit,
        lineinfo,
        ptxas: ptxas(),
        ..CompileOptions::default()
    };
    let result = compile(program, &options);
    let artifact = result
        .artifact
        .unwrap_or_else(|| panic!("{:#?}", result.diagnostics));
    artifact.as_bytes().to_vec()
}

fn ptx(program: &[u8], lineinfo: bool) -> String {
    String::from_utf8(made(program, Emit::Ptx, lineinfo)).expect("UTF-8")
}

fn ptxas() -> Option<PathBuf> {
    needed("TILEWRIGHT_PTXAS")
}

/// A text as bytecode, whose locations are those of its debug information.
fn bytecode(text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, file) = (folder.path().join("k.mlir"), folder.path().join("k.bc"));
    fs::write(&source, text).expect("written");
    let words = ["tilewright", "compile", "--emit", "bytecode", "-o"].map(OsString::from);
    let args = [words.as_slice(), &[file.clone().into(), source.into()]].concat();
    assert_eq!(tilewright::cli::main_with(&args), tilewright::cli::Exit::Ok);
    fs::read(&file).expect("the bytecode")
}

/// A kernel that stores what an inlined function of an inlined function has computed.
fn inlined() -> Vec<u8> {
    bytecode(&fs::read_to_string(repository().join("tests/data/inlined.mlir")).expect("the text"))
}

/// The PTX without directives of lines.
fn without_lines(text: &str) -> Vec<&str> {
    let code = text.split("\n.section .debug_str").next().unwrap_or_default();
    let is_code = |line: &&str| {
        let line = line.trim_start();
        // Positions of inlined functions need a newer PTX.
        ![".loc ", ".file ", ".version "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    code.trim_end().lines().filter(is_code).collect()
}

#[test]
fn an_inlined_op_has_its_function_and_the_calls_that_led_there() {
    let text = ptx(&inlined(), true);
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(".loc"))
        .collect();
    let wanted = [
        ".loc 1 15 4",
        ".loc 2 3 9, function_name $L__info_string0, inlined_at 1 15 4",
        ".loc 2 21 5, function_name $L__info_string1, inlined_at 2 3 9",
    ];
    assert!(lines.windows(3).any(|three| three == wanted), "{text}");
    // Once is enough for a call.
    assert_eq!(
        lines.iter().filter(|line| line.contains("string0")).count(),
        1,
        "{text}"
    );
    assert!(
        text.contains(".file 1 \"/home/user/kernel.py\"\n.file 2 \"/home/user/library.py\"\n"),
        "{text}"
    );
    let names = "\n.section .debug_str\n{\n$L__info_string0:\n.b8 104, 101, 108, 112, 101, 114, 0\n\
                 $L__info_string1:\n.b8 105, 110, 110, 101, 114, 0\n}\n";
    assert!(text.ends_with(names), "{text}");
    // It is a legal input.
    let again = ptx(text.as_bytes(), false);
    assert_eq!(again, text);
}

#[test]
fn ops_without_a_location_have_the_kernels_line_and_merged_ops_the_first_ones() {
    let text = ptx(&inlined(), true);
    let lines: BTreeSet<u32> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".loc 1 "))
        .filter_map(|line| line.split(' ').next()?.parse().ok())
        .collect();
    // 10 is the kernel, 13 has an op that is merged with one of line 12, and no op is on line 14.
    assert_eq!(lines, BTreeSet::from([10, 11, 12, 15, 16]), "{text}");
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(".loc") || line.contains("ld.param"));
    assert_eq!(first, Some(".loc 1 10 1"), "{text}");
}

#[test]
fn a_program_without_debug_information_has_no_line_tables() {
    let text = fs::read_to_string(repository().join("tests/data/inlined.mlir")).expect("the text");
    let program = text.split("\n#").next().expect("the program");
    let bare: String = program
        .lines()
        .map(|line| line.split(" loc(").next().unwrap_or_default().to_owned() + "\n")
        .collect();
    let program = bytecode(&bare);
    assert_eq!(ptx(&program, true), ptx(&program, false));
}

#[test]
fn lines_change_no_instruction() {
    let (mut compared, mut with_lines) = (0, 0);
    let examples = corpus()
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().ends_with(".13.5.tileirbc"));
    for (name, program) in examples.chain([(PathBuf::from("inlined"), inlined())]) {
        let (plain, lines) = (ptx(&program, false), ptx(&program, true));
        assert_eq!(without_lines(&plain), without_lines(&lines), "{}", name.display());
        with_lines += usize::from(lines.contains(".loc"));
        if ptxas().is_some() {
            let code = |lineinfo| machine_code(&made(&program, Emit::Cubin, lineinfo));
            assert!(code(false) == code(true), "{}", name.display());
        }
        compared += 1;
    }
    assert!(compared > 16 && with_lines > 10, "{compared} {with_lines}");
}

/// The sections of machine code of a cubin.
fn machine_code(cubin: &[u8]) -> Vec<(String, Vec<u8>)> {
    let file = object::File::parse(cubin).expect("ELF");
    let code = file.sections().filter_map(|section| {
        let name = section.name().ok()?.to_owned();
        let data = section.data().ok()?.to_vec();
        name.starts_with(".text.").then_some((name, data))
    });
    let code: Vec<_> = code.collect();
    assert!(!code.is_empty());
    code
}

/// The files and lines in a cubin's line table.
fn line_table(cubin: &[u8]) -> BTreeSet<(String, u64)> {
    let file = object::File::parse(cubin).expect("ELF");
    let section = file.section_by_name(".debug_line").expect("a line table");
    let data = section.data().expect("its bytes");
    let table = gimli::DebugLine::new(data, gimli::LittleEndian);
    let program = table
        .program(gimli::DebugLineOffset(0), 8, None, None)
        .expect("a program");
    let mut rows = program.rows();
    let mut found = BTreeSet::new();
    while let Some((header, row)) = rows.next_row().expect("a row") {
        let entry = row.file(header).expect("a file");
        let gimli::AttributeValue::String(name) = entry.path_name() else {
            panic!("{entry:?}");
        };
        let name = String::from_utf8(name.slice().to_vec()).expect("UTF-8");
        found.insert((name, row.line().map_or(0, u64::from)));
    }
    found
}

#[test]
fn lines_survive_to_the_cubin() {
    if ptxas().is_none() {
        return;
    }
    let cubin = made(&inlined(), Emit::Cubin, true);
    let lines = line_table(&cubin);
    let wanted = [
        ("kernel.py", 10),
        ("kernel.py", 12),
        ("kernel.py", 16),
        ("library.py", 21),
    ];
    for (file, line) in wanted {
        assert!(
            lines.contains(&(file.to_owned(), line)),
            "{file}:{line}: {lines:?}"
        );
    }
    let file = object::File::parse(&*cubin).expect("ELF");
    let names = file.section_by_name(".debug_str").expect("names of functions");
    assert_eq!(names.data().expect("bytes"), b"helper\0inner\0");
    // The PTX is there too, where profilers show it.
    assert!(file.section_by_name(".nv_debug_ptx_txt").is_some());
    let plain = made(&inlined(), Emit::Cubin, false);
    assert!(
        object::File::parse(&*plain)
            .expect("ELF")
            .section_by_name(".debug_line")
            .is_none()
    );
}

#[test]
fn artifacts_are_what_was_asked_for() {
    assert!(made(&inlined(), Emit::Ptx, false).starts_with(b".version"));
    let result = compile(b"", &CompileOptions::default());
    assert_eq!(result.artifact, None::<Artifact>);
}
