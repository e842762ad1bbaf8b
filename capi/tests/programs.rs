//! The examples in C and in Python use the library as a stranger's program does: they are compiled by `cc` and run by `python3`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n";

fn capi() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A library that cargo has built for this test.
fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let folder = test.parent().expect("its folder");
    let places = [Some(folder), folder.parent()].into_iter().flatten();
    let mut found = places.map(|place| place.join(name)).filter(|path| path.is_file());
    found
        .next()
        .unwrap_or_else(|| panic!("no {name} in {}", folder.display()))
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// Compiles a C program against a library, with every warning an error.
fn compiled(folder: &Path, source: &Path, library: &Path) -> PathBuf {
    let program = folder.join("program");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    cc.arg(capi()).arg(source).arg("-o").arg(&program).arg(library);
    cc.arg(format!(
        "-Wl,-rpath,{}",
        library.parent().expect("a folder").display()
    ));
    let output = run(cc.args(["-lpthread", "-ldl", "-lm"]));
    assert!(output.status.success(), "{}", words(&output));
    program
}

/// Whether an example compiles a program to what the compiler makes of it, and reports a mistake with its place.
fn check_example(folder: &Path, start: &[&OsStr], options: &[&str], bad_option: &[&str]) {
    let (good, bad, output) = (
        folder.join("k.mlir"),
        folder.join("bad.mlir"),
        folder.join("k.ptx"),
    );
    fs::write(&good, PROGRAM).expect("written");
    fs::write(&bad, PROGRAM.replace("return", "retrun")).expect("written");
    let example = |input: &Path, more: &[&str]| {
        let mut command = Command::new(start[0]);
        command
            .args(&start[1..])
            .arg(input)
            .arg(&output)
            .args(options)
            .args(more);
        run(&mut command)
    };
    let ended = example(&good, &[]);
    assert!(
        ended.status.success() && ended.stderr.is_empty(),
        "{}",
        words(&ended)
    );
    let mut asked = tilewright::CompileOptions::default();
    asked.set("target", "sm_80").expect("a target");
    let wanted = tilewright::compile(PROGRAM.as_bytes(), &asked)
        .artifact
        .expect("PTX");
    assert_eq!(fs::read(&output).expect("the output"), wanted.as_bytes());
    fs::remove_file(&output).expect("removed");

    let ended = example(&bad, &[]);
    let place = format!("{}:3:5: error[E", bad.display());
    assert_eq!(ended.status.code(), Some(1), "{}", words(&ended));
    assert!(words(&ended).starts_with(&place), "{}", words(&ended));
    let ended = example(&good, bad_option);
    assert_eq!(ended.status.code(), Some(1), "{}", words(&ended));
    assert!(
        words(&ended).starts_with("error[E0801]: there is no option 'colour'"),
        "{}",
        words(&ended)
    );
    assert!(!output.exists());
}

#[test]
fn the_example_in_c_compiles_with_either_library() {
    for name in ["libtilewright_c.so", "libtilewright_c.a"] {
        let folder = tempfile::tempdir().expect("a folder");
        let program = compiled(folder.path(), &capi().join("examples/compile.c"), &library(name));
        let options = ["target", "sm_80"];
        check_example(
            folder.path(),
            &[program.as_os_str()],
            &options,
            &["colour", "red"],
        );
    }
}

#[test]
fn the_example_in_python_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = capi().join("examples/tilewright.py");
    let library = library("libtilewright_c.so");
    let start = [OsStr::new("python3"), script.as_os_str(), library.as_os_str()];
    check_example(folder.path(), &start, &["target=sm_80"], &["colour=red"]);
}

/// Null pointers, indices out of range, text that is not UTF-8, and many threads with options of their own.
#[test]
fn misuse_is_answered_and_threads_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = capi().join("tests/misuse.c");
    let ended = run(&mut Command::new(compiled(
        folder.path(),
        &source,
        &library("libtilewright_c.so"),
    )));
    assert!(
        ended.status.success() && words(&ended).is_empty(),
        "{:?}: {}",
        ended.status,
        words(&ended)
    );
}
