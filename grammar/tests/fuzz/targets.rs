//! The fuzz targets and the properties they check.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use peak_alloc::PeakAlloc;
use rustc_hash::FxHasher;
use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, verify_debug, verify_module, warnings};

use super::meter::{Allowed, Meter};
use super::sound;
use super::watchdog::watched;
use crate::preview::{self, parse_tile_text};

/// The memory limit of reading, checking and printing.
const READING: Allowed = Allowed {
    base: 6 << 20,
    per_byte: 256,
    told: true,
};
/// The memory limit of all checks of a valid module: a text is much longer than its bytecode.
const FOLLOWING: Allowed = Allowed {
    base: 64 << 20,
    per_byte: 2 << 10,
    told: false,
};

/// The reader of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The bytecode reader.
    Bytecode,
    /// The text parser.
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

/// The result of an input.
#[derive(Default)]
pub(crate) struct Tried {
    /// Whether it was read without an error.
    pub(crate) read: bool,
    /// Whether it is a valid module.
    pub(crate) accepted: bool,
    /// The covered behaviour, as numbers.
    pub(crate) features: Vec<u64>,
}

/// A module that was read.
struct Module {
    module: TileModule,
    debug: DebugInfo,
    arrangement: Option<bytecode::Arrangement>,
}

pub(crate) fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Reads an input and checks its properties; `Err` describes the violated one. `most` is the peak memory in bytes per
/// input byte for reading and checking.
pub(crate) fn try_input(
    target: Target,
    input: &[u8],
    memory: &PeakAlloc,
    most: &Cell<usize>,
) -> Result<Tried, String> {
    let meter = Meter {
        memory,
        length: input.len(),
        most,
    };
    let run = || {
        let mut tried = Tried::default();
        let found = meter.step("reading", &READING, || {
            let found = match target {
                Target::Bytecode => read_bytecode(input, &mut tried)?,
                Target::Text => read_text(&String::from_utf8_lossy(input), &mut tried)?,
            };
            if let Some(found) = &found {
                tried.read = true;
                tried.accepted = check(found, &mut tried.features);
                if tried.accepted {
                    sound::print(&found.module, &found.debug);
                }
            }
            Ok(found)
        })?;
        if let Some(found) = found.filter(|_| tried.accepted) {
            meter.step("what follows", &FOLLOWING, || {
                sound::follow(&found.module, &found.debug, found.arrangement.as_ref())
            })?;
        }
        Ok(tried)
    };
    let run = watched(target.name(), input, || catch_unwind(AssertUnwindSafe(run)));
    run.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panics: {}", words.unwrap_or_default()))
    })
}

/// A hash of a message without its program-specific parts.
fn skeleton(message: &str) -> u64 {
    hash(super::shrink::kind(message))
}

fn read_bytecode(input: &[u8], tried: &mut Tried) -> Result<Option<Module>, String> {
    match preview::read(input, FileId(0)) {
        Ok(read) => Ok(Some(Module {
            module: read.module,
            debug: read.debug,
            arrangement: Some(read.arrangement),
        })),
        Err(problems) => {
            if problems.is_empty() {
                return Err("is refused, and nothing is said".to_owned());
            }
            let said = problems.iter().map(|problem| skeleton(&problem.message));
            tried.features.extend(said);
            Ok(None)
        }
    }
}

fn read_text(text: &str, tried: &mut Tried) -> Result<Option<Module>, String> {
    let parsed = parse_tile_text(text, FileId(0));
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    for problem in &parsed.diagnostics {
        tried.features.push(skeleton(&problem.message));
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
        return Ok(Some(Module {
            module: parsed.module,
            debug: parsed.debug,
            arrangement: None,
        }));
    }
    let _ = verify_module(&parsed.module);
    Ok(None)
}

/// Whether a module is valid; in either case, its text can be printed.
fn check(found: &Module, features: &mut Vec<u64>) -> bool {
    let Module { module, debug, .. } = found;
    let mut problems = verify_module(module).err().unwrap_or_default();
    problems.extend(verify_debug(module, debug));
    for problem in problems.iter().chain(&warnings(module)) {
        features.push(skeleton(&problem.diagnostic.message));
    }
    if !problems.is_empty() {
        sound::print(module, debug);
        return false;
    }
    for func in &module.funcs {
        let ops = func
            .body
            .walk()
            .into_iter()
            .map(|id| func.body.op(id).kind.spec().name);
        features.extend(ops.map(|name| hash(("op", name))));
    }
    true
}
