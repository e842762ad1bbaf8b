//! What is done with an input, and what must hold then.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use rustc_hash::FxHasher;
use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::{
    DebugInfo, TileModule, Version, print_tile_module, verify_debug, verify_module, warnings,
};

/// Memory that any input may take, in bytes.
const BASE_MEMORY: usize = 4 << 20;
/// Memory that an input may take for each of its bytes.
const MEMORY_PER_BYTE: usize = 2 << 10;
/// No input may take longer, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// What reads the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The reader of bytecode.
    Bytecode,
    /// The parser of texts.
    Text,
}

impl Target {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytecode => "bytecode",
            Self::Text => "text",
        }
    }
}

/// What an input showed.
pub(crate) struct Tried {
    /// Whether it is a sound module.
    pub(crate) accepted: bool,
    /// What it made the compiler do, as numbers.
    pub(crate) features: Vec<u64>,
}

pub(crate) fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Reads an input and does what follows from it; `Err` says what must not happen.
pub(crate) fn try_input(target: Target, input: &[u8], memory: &PeakAlloc) -> Result<Tried, String> {
    let before = memory.current_usage();
    memory.reset_peak_usage();
    let start = Instant::now();
    let run = catch_unwind(AssertUnwindSafe(|| match target {
        Target::Bytecode => try_bytecode(input),
        Target::Text => try_text(&String::from_utf8_lossy(input)),
    }));
    let tried = run.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panics: {}", words.unwrap_or_default()))
    })?;
    let time = start.elapsed();
    if time > PATIENCE {
        return Err(format!("takes {time:?} for {} bytes", input.len()));
    }
    let taken = memory.peak_usage().saturating_sub(before);
    if taken > BASE_MEMORY + input.len() * MEMORY_PER_BYTE {
        return Err(format!(
            "takes {taken} bytes of memory for {} of input",
            input.len()
        ));
    }
    Ok(tried)
}

/// A message without what differs from program to program.
fn skeleton(message: &str) -> u64 {
    hash(super::shrink::kind(message))
}

fn try_bytecode(input: &[u8]) -> Result<Tried, String> {
    match bytecode::read(input, FileId(0)) {
        Ok(read) => try_module(&read.module, &read.debug, Vec::new()),
        Err(problems) => {
            if problems.is_empty() {
                return Err("is refused, and nothing is said".to_owned());
            }
            let features = problems
                .iter()
                .map(|problem| skeleton(&problem.message))
                .collect();
            Ok(Tried {
                accepted: false,
                features,
            })
        }
    }
}

fn try_text(text: &str) -> Result<Tried, String> {
    let parsed = parse_tile_text(text, FileId(0));
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut features = Vec::new();
    for problem in &parsed.diagnostics {
        features.push(skeleton(&problem.message));
        let Some(label) = &problem.primary else {
            return Err(format!("has no place for `{}`", problem.message));
        };
        if label.at.start > label.at.end || label.at.end > length {
            return Err(format!("has a place outside of the text: {}", problem.message));
        }
    }
    if parsed.spans.len() != parsed.module.funcs.len() || parsed.globals.len() != parsed.module.globals.len()
    {
        return Err("has functions or globals without a place".to_owned());
    }
    if parsed.diagnostics.is_empty() {
        return try_module(&parsed.module, &parsed.debug, features);
    }
    let _ = verify_module(&parsed.module);
    Ok(Tried {
        accepted: false,
        features,
    })
}

fn try_module(module: &TileModule, debug: &DebugInfo, mut features: Vec<u64>) -> Result<Tried, String> {
    let mut problems = verify_module(module).err().unwrap_or_default();
    problems.extend(verify_debug(module, debug));
    features.extend(
        problems
            .iter()
            .map(|problem| skeleton(&problem.diagnostic.message)),
    );
    features.extend(
        warnings(module)
            .iter()
            .map(|problem| skeleton(&problem.diagnostic.message)),
    );
    if !problems.is_empty() {
        return Ok(Tried {
            accepted: false,
            features,
        });
    }
    for func in &module.funcs {
        let ops = func
            .body
            .walk()
            .into_iter()
            .map(|id| func.body.op(id).kind.spec().name);
        features.extend(ops.map(|name| hash(("op", name))));
    }
    // A text says neither its version nor a producer of several lines: what depends on them is another module there.
    let private = module.funcs.iter().any(|func| func.attrs.private.0);
    let lines = module
        .producer
        .iter()
        .any(|producer| producer.contains(['\n', '\r']));
    for with_debug in [true, false] {
        if !private && !lines {
            survives_printing(module, debug, with_debug)?;
        }
    }
    survives_writing(module, debug)?;
    Ok(Tried {
        accepted: true,
        features,
    })
}

/// The text of a sound module is read without a complaint, is sound, and prints alike.
fn survives_printing(module: &TileModule, debug: &DebugInfo, with_debug: bool) -> Result<(), String> {
    let print =
        |module: &TileModule, debug: &DebugInfo| print_tile_module(module, with_debug.then_some(debug));
    let text = print(module, debug);
    let parsed = parse_tile_text(&text, FileId(0));
    if let Some(problem) = parsed.diagnostics.first() {
        let at = problem.primary.as_ref().map(|label| label.at);
        let line = at
            .and_then(|at| text.get(..at.start as usize))
            .map_or(0, |text| text.lines().count());
        let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        return Err(format!("prints what is not read: {}\n{line}", problem.message));
    }
    if let Some(problem) = verify_module(&parsed.module)
        .err()
        .and_then(|list| list.into_iter().next())
    {
        return Err(format!(
            "prints what is not sound: {}",
            problem.diagnostic.message
        ));
    }
    let again = print(&parsed.module, &parsed.debug);
    if again == text {
        return Ok(());
    }
    let differs = text.lines().zip(again.lines()).find(|(a, b)| a != b);
    Err(format!("prints otherwise when it is read again\n{differs:?}"))
}

/// A sound module is read again as it was written.
fn survives_writing(module: &TileModule, debug: &DebugInfo) -> Result<(), String> {
    // Bytecode may lack a way to say something: that is an error of the writer, not a wrong file.
    let Ok(bytes) = bytecode::write(module, debug, Version::LATEST) else {
        return Ok(());
    };
    let read = bytecode::read(&bytes, FileId(0)).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone());
        format!("writes what is not read: {}", first.unwrap_or_default())
    })?;
    let mut wanted = module.clone();
    wanted.version = Version::LATEST;
    if read.module != wanted {
        return Err("is another module after writing and reading".to_owned());
    }
    Ok(())
}
