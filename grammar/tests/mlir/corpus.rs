//! Texts that CUTLASS's library for Python has printed, in a folder that `TILEWRIGHT_CUTE_CORPUS` names: files
//! `NAME.generic.mlir`, `NAME.clean.mlir` and `NAME.mlir`, the second the own form of the first. Without it the tests pass
//! and check nothing.

use std::path::PathBuf;

use tilewright_diagnostics::{Diagnostic, FileId, Span};
use tilewright_grammar::mlir::{ReadMlir, read_mlir};
use tilewright_irs::mlir::MlirModule;
use tilewright_irs::mlir::print::{Form, print_module};

/// The files of the corpus with this ending after a name without dots: paths and texts.
fn files(ending: &str) -> Vec<(String, String)> {
    let Some(folder) = std::env::var_os("TILEWRIGHT_CUTE_CORPUS").map(PathBuf::from) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the corpus") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let stem = name.strip_suffix(ending);
        if stem.is_some_and(|stem| !stem.contains('.')) {
            files.push((name, std::fs::read_to_string(&path).expect("a text")));
        }
    }
    files.sort();
    files
}

/// The first error as `file:line: message`.
fn shown(name: &str, text: &str, problems: &[Diagnostic<Span>]) -> String {
    let problem = problems.first().expect("an error");
    let start = problem.primary.as_ref().expect("a place").at.start as usize;
    let line = text[..start].matches('\n').count() + 1;
    format!("{name}:{line}: {} ({} errors)", problem.message, problems.len())
}

fn read(name: &str, text: &str) -> Result<MlirModule, String> {
    let read = read_mlir(text, FileId(0)).and_then(ReadMlir::verified);
    read.map(|read| read.module)
        .map_err(|problems| shown(name, text, &problems))
}

/// Reads each file, prints it in a form, and reads that again; returns what differs.
fn round_trips(ending: &str, form: Form) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, text) in files(ending) {
        let checked = read(&name, &text).and_then(|first| {
            let again = read(&format!("{name}, printed"), &print_module(&first, form))?;
            let same = again == first;
            same.then_some(())
                .ok_or_else(|| format!("{name} differs when it is printed and read"))
        });
        wrong.extend(checked.err());
    }
    wrong
}

#[test]
fn generic_texts_are_read_back() {
    assert_eq!(round_trips(".generic.mlir", Form::Generic), [""; 0]);
}

#[test]
fn clean_texts_are_read_back() {
    assert_eq!(round_trips(".clean.mlir", Form::Custom), [""; 0]);
}

#[test]
fn traced_texts_are_read_back() {
    assert_eq!(round_trips(".mlir", Form::Custom), [""; 0]);
}

#[test]
fn both_forms_say_the_same() {
    let mut wrong = Vec::new();
    for ((name, generic), (own_name, own)) in files(".generic.mlir").into_iter().zip(files(".clean.mlir")) {
        match (read(&name, &generic), read(&own_name, &own)) {
            (Ok(generic), Ok(own)) if generic == own => {}
            (Ok(_), Ok(_)) => wrong.push(format!("{name} and {own_name} differ")),
            (generic, own) => wrong.extend(generic.err().into_iter().chain(own.err())),
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// CUTLASS's library reads what is printed here and says the same of it as of the file; `TILEWRIGHT_CUTE_PYTHON` names a Python
/// that has the library. Values have other names here, and there are no aliases.
#[test]
fn the_library_reads_what_is_printed() {
    let Some(python) = std::env::var_os("TILEWRIGHT_CUTE_PYTHON") else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("tilewright-prints-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut compared = std::process::Command::new(python);
    compared.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mlir/canonical.py"));
    let corpus = std::env::var_os("TILEWRIGHT_CUTE_CORPUS").map(PathBuf::from);
    let corpus = corpus.expect("the folder of the corpus");
    for (ending, form) in [
        (".generic.mlir", Form::Generic),
        (".clean.mlir", Form::Custom),
        (".mlir", Form::Custom),
    ] {
        for (name, text) in files(ending) {
            let module = read(&name, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            let printed = folder.join(&name);
            std::fs::write(&printed, print_module(&module, form)).expect("a file");
            compared.args([corpus.join(&name), printed]);
        }
    }
    let output = compared.output().expect("the library's Python");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}{errors}");
}
