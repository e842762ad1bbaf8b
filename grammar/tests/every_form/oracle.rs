//! Reads a module's text and bytecode with our own reader and prints it with NVIDIA's disassembler.

use std::path::{Path, PathBuf};
use std::process::Command;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{TileModule, Version, print_tile_module, verify_module};

use super::{Case, made, salvage};
use crate::preview::{self, parse_tile_text};

/// The counts of comparisons.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// The files given to the disassembler, of all versions.
    files: usize,
    /// The ops in them.
    ops: usize,
    /// The files printed identically, with and without locations.
    equal: usize,
    /// The files refused by the disassembler.
    refused: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.ops += other.ops;
        self.equal += other.equal;
        self.refused += other.refused;
    }
}

/// The disassembler.
pub(crate) struct Tool {
    path: PathBuf,
    scratch: PathBuf,
}

impl Tool {
    pub(crate) fn from_environment() -> Option<Self> {
        let path = PathBuf::from(std::env::var_os("TILEWRIGHT_TILEIRDISASM")?);
        let scratch = std::env::temp_dir().join(format!("tilewright-forms-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).expect("scratch");
        Some(Self { path, scratch })
    }

    /// The text of a file, or its error.
    fn run(&self, file: &Path, debug: bool) -> Result<String, String> {
        let flags: &[&str] = if debug {
            &["--preview=simt", "-g"]
        } else {
            &["--preview=simt"]
        };
        let output = Command::new(&self.path)
            .args(flags)
            .arg(file)
            .output()
            .expect("the tool runs");
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(errors
            .lines()
            .next()
            .unwrap_or("nothing")
            .chars()
            .take(300)
            .collect())
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

fn difference(ours: &str, theirs: &str) -> String {
    let lines = ours.lines().zip(theirs.lines()).enumerate();
    let cut = |line: &str| line.chars().take(400).collect::<String>();
    match lines.into_iter().find(|(_, (a, b))| a != b) {
        Some((n, (a, b))) => format!("line {}:\n  ours   {}\n  theirs {}", n + 1, cut(a), cut(b)),
        None => format!("{} bytes, theirs {}", ours.len(), theirs.len()),
    }
}

/// Tests one module; returns the counts and the differences.
pub(crate) fn compare(case: &Case, tool: Option<&Tool>) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    let mut problems = Vec::new();
    if let Err(list) = verify_module(&case.module) {
        problems.push(format!("{}: not sound: {:?}", case.name, list.first()));
        return (counts, problems);
    }
    problems.extend(
        survives_printing(case)
            .err()
            .map(|problem| format!("{}: {problem}", case.name)),
    );
    let text = print_tile_module(&case.module, None);
    for &version in Version::ALL {
        let result = match bytecode::write(&case.module, &case.debug, version) {
            Ok(bytes) => one(case, version, &bytes, tool, &mut counts),
            Err(_) if version == Version::LATEST => Err("is not written".to_owned()),
            // Content that an older version lacks is removed.
            Err(_) => match tool.and_then(|_| salvage::of_version(text.clone(), version)) {
                Some(text) => {
                    let module = parse_tile_text(&text, FileId(0)).module;
                    let debug = made::debug(&module, text.len());
                    let case = Case {
                        name: case.name.clone(),
                        module,
                        debug,
                    };
                    match bytecode::write(&case.module, &case.debug, version) {
                        Ok(bytes) => one(&case, version, &bytes, tool, &mut counts),
                        Err(problems) => Err(format!("is not written: {:?}", problems.first())),
                    }
                }
                None => Ok(()),
            },
        };
        problems.extend(
            result
                .err()
                .map(|problem| format!("{} as {version}: {problem}", case.name)),
        );
    }
    (counts, problems)
}

/// Tests one file: read, printed, and printed by the disassembler.
fn one(
    case: &Case,
    version: Version,
    bytes: &[u8],
    tool: Option<&Tool>,
    counts: &mut Counts,
) -> Result<(), String> {
    let read =
        preview::read(bytes, FileId(0)).map_err(|problems| format!("is not read: {:?}", problems.first()))?;
    let mut module = read.module.clone();
    module.version = case.module.version;
    if module != case.module {
        let (ours, read) = (
            print_tile_module(&case.module, None),
            print_tile_module(&module, None),
        );
        return Err(format!(
            "is another module after writing and reading: {}",
            difference(&ours, &read)
        ));
    }
    match bytecode::write_arranged(&read.module, &read.debug, version, &read.arrangement) {
        Ok(again) if again == bytes => {}
        Ok(_) => return Err("is other bytes when written again".to_owned()),
        Err(problems) => return Err(format!("is not written again: {:?}", problems.first())),
    }
    let Some(tool) = tool else { return Ok(()) };
    let thread: String = format!("{:?}", std::thread::current().id())
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let file = tool.scratch.join(format!("{thread}.tileirbc"));
    std::fs::write(&file, bytes).expect("scratch");
    counts.files += 1;
    counts.ops += module
        .funcs
        .iter()
        .map(|func| func.body.op_count())
        .sum::<usize>();
    for debug in [false, true] {
        let ours = print_tile_module(&read.module, debug.then_some(&read.debug));
        match tool.run(&file, debug) {
            Ok(theirs) if theirs == ours => {}
            Ok(theirs) => return Err(difference(&ours, &theirs)),
            Err(error) => {
                counts.refused += 1;
                return Err(format!("is refused: {error}"));
            }
        }
    }
    counts.equal += 1;
    Ok(())
}

/// Checks that the printed text round-trips.
fn survives_printing(case: &Case) -> Result<(), String> {
    for debug in [None, Some(&case.debug)] {
        let text = print_tile_module(&case.module, debug);
        let parsed = parse_tile_text(&text, FileId(0));
        if let Some(problem) = parsed.diagnostics.first() {
            let at = problem
                .primary
                .as_ref()
                .map_or(0, |label| label.at.start as usize);
            let line = text.get(..at).unwrap_or_default().matches('\n').count();
            let line = text.lines().nth(line).unwrap_or_default();
            return Err(format!("prints what is not read: {}\n  {line}", problem.message));
        }
        if parsed.module.funcs != case.module.funcs || parsed.module.globals != case.module.globals {
            let show = |module: &TileModule| format!("{:#?}", (&module.globals, &module.funcs));
            let (ours, again) = (show(&case.module), show(&parsed.module));
            return Err(format!(
                "reads its text as another module: {}",
                difference(&ours, &again)
            ));
        }
        let again = print_tile_module(&parsed.module, debug.map(|_| &parsed.debug));
        if again != text {
            return Err(format!(
                "prints otherwise when read: {}",
                difference(&text, &again)
            ));
        }
    }
    Ok(())
}
