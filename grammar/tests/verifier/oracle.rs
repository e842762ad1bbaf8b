//! Acceptance and refusal by NVIDIA's tool, compared with our verifier.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::Version;

use super::{Case, cases, said};
use crate::preview::parse_tile_text;

/// The verdict on a module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    /// The errors of each refused kernel, or of the file.
    Refused(Vec<String>),
    /// Refused by the parser or the bytecode writer, and therefore not tested.
    NotWritten,
}

/// The path of the tool, if set in the environment.
pub(crate) fn tool() -> Option<OsString> {
    std::env::var_os("TILEWRIGHT_TILEIRDISASM")
}

/// Runs the tool on a bytecode file.
pub(crate) fn ask(tool: &Path, bytes: &[u8]) -> Verdict {
    match printed(tool, bytes) {
        Ok(_) => Verdict::Accepted,
        Err(said) => Verdict::Refused(said),
    }
}

/// The text that the tool prints for a bytecode file, or its errors for each refused kernel, or for the file.
pub(crate) fn printed(tool: &Path, bytes: &[u8]) -> Result<String, Vec<String>> {
    let thread = format!("{:?}", std::thread::current().id());
    let name: String = thread.chars().filter(char::is_ascii_digit).collect();
    let name = format!("tilewright-oracle-{}-{name}.tileirbc", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, bytes).expect("a file");
    let output = Command::new(tool)
        .arg("--preview=simt")
        .arg(&file)
        .output()
        .expect("the tool runs");
    let _ = std::fs::remove_file(&file);
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    // The last lines only state that the file is refused.
    let said = text.lines().filter(|line| line.contains("error:"));
    let said = said.filter(|line| {
        !line.contains("verification failed for") && !line.contains("failed to read provided")
    });
    Err(said.map(|line| line.chars().take(200).collect()).collect())
}

fn verdict(tool: &Path, text: &str) -> Verdict {
    let parsed = parse_tile_text(text, FileId(0));
    if !parsed.diagnostics.is_empty() {
        return Verdict::NotWritten;
    }
    match bytecode::write(&parsed.module, &parsed.debug, Version::LATEST) {
        Ok(bytes) => ask(tool, &bytes),
        Err(_) => Verdict::NotWritten,
    }
}

fn compare(tool: &Path, case: &Case, line: Option<usize>, text: &str) -> Option<Result<(), String>> {
    let mut ours = said(text);
    ours.retain(|said| !said.code.starts_with("warning"));
    let theirs = verdict(tool, text);
    // Bytecode contains the bytes of a constant's elements without their type. The disassembler does not look up
    // called functions.
    if ours.iter().any(|said| {
        said.message.contains("the constant holds") || said.message.contains("the module does not declare")
    }) {
        return None;
    }
    let agree = match &theirs {
        Verdict::NotWritten => return None,
        Verdict::Accepted => ours.is_empty(),
        Verdict::Refused(_) => !ours.is_empty(),
    };
    let source = line.and_then(|line| text.lines().nth(line)).unwrap_or_default();
    Some(agree.then_some(()).ok_or_else(|| {
        format!(
            "{}: {source}\n    tool: {theirs:?}\n    ours: {ours:?}",
            case.name(line.unwrap_or(0))
        )
    }))
}

/// `TILEWRIGHT_TILEIRDISASM=/…/tileirdisasm cargo test -p tilewright-grammar --test verifier oracle -- --nocapture`
#[test]
fn oracle_agrees() {
    let Some(tool) = tool() else {
        return;
    };
    let tool = Path::new(&tool);
    let (mut asked, mut unasked, mut wrong) = (0usize, 0usize, Vec::new());
    for case in cases() {
        for (line, text) in case.variants() {
            match compare(tool, &case, line, &text) {
                Some(result) => {
                    asked += 1;
                    wrong.extend(result.err());
                }
                None => unasked += 1,
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{asked} modules compared, {unasked} could not be written, {} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(asked > unasked);
}
