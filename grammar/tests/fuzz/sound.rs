//! Properties of a valid module: its texts and its bytecode of each version round-trip; the passes within `cuda_tile`
//! preserve validity; it can be evaluated, and the passes preserve its results.

use crate::preview::{self, parse_tile_text};
use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_evaluator::{Arg, Device, Init};
use tilewright_grammar::bytecode::{self, Arrangement};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{
    CudaTile, DebugAttr, DebugInfo, Element, Tile, TileModule, Version, print_tile_module,
    print_tile_module_generic, verify_debug, verify_module,
};
use tilewright_passes::{cleanup, cuda_tile as passes};

type Pass = fn(&Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>>;

/// The passes, and whether they preserve results bit for bit.
const PASSES: &[(&str, Pass, bool)] = &[
    ("hoist_tile_invariants", passes::hoist_tile_invariants, true),
    ("split_loops", passes::split_loops, true),
    ("canonicalize", passes::canonicalize, true),
    ("fuse_multiply_add", passes::fuse_multiply_add, false),
    (
        "merge_common_cuda_tile_subexpressions",
        cleanup::merge_common_subexpressions,
        true,
    ),
    (
        "eliminate_dead_cuda_tile_code",
        cleanup::eliminate_dead_code,
        true,
    ),
];

/// Prints a module that may be invalid.
pub(crate) fn print(module: &TileModule, debug: &DebugInfo) {
    print_tile_module(module, None);
    print_tile_module(module, Some(debug));
}

/// Checks the properties of a valid module; `Err` describes the violated one.
pub(crate) fn follow(
    module: &TileModule,
    debug: &DebugInfo,
    arrangement: Option<&Arrangement>,
) -> Result<(), String> {
    survives_printing(module, debug)?;
    survives_generic_form(module)?;
    for &version in Version::ALL {
        survives_writing(module, debug, version)?;
    }
    if let Some(arrangement) = arrangement {
        stays_arranged(module, debug, arrangement)?;
    }
    survives_passes(module, debug)
}

/// Checks that a module is valid and equal to another.
fn same(what: &str, found: &TileModule, wanted: &TileModule) -> Result<(), String> {
    if let Some(problem) = verify_module(found)
        .err()
        .and_then(|list| list.into_iter().next())
    {
        return Err(format!(
            "{what} what is not sound: {}",
            problem.diagnostic.message
        ));
    }
    // Dictionaries are unordered, so that the modules themselves may differ; the generic form of the text determines
    // the rest.
    if print_tile_module_generic(found) != print_tile_module_generic(wanted) {
        return Err(format!("{what} another module"));
    }
    Ok(())
}

/// Parses a text, which has to be valid.
fn parsed(what: &str, text: &str) -> Result<(TileModule, DebugInfo), String> {
    let parsed = parse_tile_text(text, FileId(0));
    let Some(problem) = parsed.diagnostics.first() else {
        return Ok((parsed.module, parsed.debug));
    };
    let at = problem.primary.as_ref().map(|label| label.at);
    let line = at
        .and_then(|at| text.get(..at.start as usize))
        .map_or(0, |text| text.lines().count());
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    Err(format!("{what} what is not read: {}\n{line}", problem.message))
}

fn survives_printing(module: &TileModule, debug: &DebugInfo) -> Result<(), String> {
    for debug in [Some(debug), None] {
        let text = print_tile_module(module, debug);
        let (found, found_debug) = parsed("prints", &text)?;
        let again = print_tile_module(&found, debug.map(|_| &found_debug));
        if again != text {
            let differs = text.lines().zip(again.lines()).find(|(a, b)| a != b);
            return Err(format!("prints otherwise when it is read again\n{differs:?}"));
        }
        same("prints", &found, module)?;
    }
    Ok(())
}

fn survives_generic_form(module: &TileModule) -> Result<(), String> {
    let text = print_tile_module_generic(module);
    let (found, _) = parsed("prints generically", &text)?;
    same("prints generically", &found, module)
}

fn survives_writing(module: &TileModule, debug: &DebugInfo, version: Version) -> Result<(), String> {
    // Some content has no bytecode encoding: that is a writer error and not an invalid file.
    let Ok(bytes) = bytecode::write(module, debug, version) else {
        return Ok(());
    };
    let read = reread(&bytes)?;
    same("writes", &read.module, module)?;
    let mut wanted = module.clone();
    wanted.version = version;
    if read.module != wanted {
        return Err("writes a module that differs".to_owned());
    }
    let debug = in_bytecode(debug);
    let [found, wanted] = [(&read.module, &read.debug), (module, &debug)].map(|(module, debug)| {
        let text = print_tile_module(module, Some(debug));
        // No older version can represent it.
        if version < Version::V13_5 {
            text.replace(", flags = declaration", "")
        } else {
            text
        }
    });
    if found != wanted {
        return Err("writes other places".to_owned());
    }
    Ok(())
}

/// Debug information as represented in bytecode: a location outside of functions is unknown, and a module has none.
fn in_bytecode(debug: &DebugInfo) -> DebugInfo {
    let mut debug = debug.clone();
    debug.module = None;
    for attr in &mut debug.attrs {
        if let DebugAttr::Place { .. } = attr {
            *attr = DebugAttr::Unknown;
        }
    }
    debug
}

fn reread(bytes: &[u8]) -> Result<bytecode::Bytecode, String> {
    preview::read(bytes, FileId(0)).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone());
        format!("writes what is not read: {}", first.unwrap_or_default())
    })
}

/// Checks that the arrangement of a file round-trips.
fn stays_arranged(module: &TileModule, debug: &DebugInfo, arrangement: &Arrangement) -> Result<(), String> {
    let write = |module: &TileModule, debug: &DebugInfo, arrangement: &Arrangement| {
        bytecode::write_arranged(module, debug, module.version, arrangement).map_err(|problems| {
            let first = problems.first().map(|problem| problem.diagnostic.message.clone());
            format!("is not written in its own version: {}", first.unwrap_or_default())
        })
    };
    let bytes = write(module, debug, arrangement)?;
    let read = reread(&bytes)?;
    same("writes", &read.module, module)?;
    if write(&read.module, &read.debug, &read.arrangement)? != bytes {
        return Err("is arranged otherwise when it is written again".to_owned());
    }
    Ok(())
}

fn survives_passes(module: &TileModule, debug: &DebugInfo) -> Result<(), String> {
    let before = results(module, STEPS);
    for &(name, pass, exact) in PASSES {
        let mut after = module.clone();
        for func in &mut after.funcs {
            // A pass may refuse unsupported content.
            if let Ok(passed) = pass(func) {
                *func = passed;
            }
        }
        if let Some(problem) = verify_module(&after)
            .err()
            .and_then(|list| list.into_iter().next())
        {
            return Err(format!(
                "{name} makes what is not sound: {}",
                problem.diagnostic.message
            ));
        }
        if !exact || after == *module {
            continue;
        }
        for ((func, before), after) in module.funcs.iter().zip(&before).zip(results(&after, 8 * STEPS)) {
            // Undefined behaviour may become anything.
            if before.is_some() && *before != after {
                return Err(format!("{name} changes what `{}` computes", func.name));
            }
        }
    }
    let scoped = passes::synthesize_debug_scopes(module, debug);
    if let Some(problem) = verify_debug(module, &scoped).first() {
        return Err(format!(
            "synthesize_debug_scopes makes what is not sound: {}",
            problem.diagnostic.message
        ));
    }
    Ok(())
}

/// The largest number of elements of a tile, or of a global, in an evaluated program.
const SMALL: u64 = 1 << 10;
/// The step limit of a run before the passes, which may increase the number of steps.
const STEPS: u64 = 400;
/// The bytes of each pointer's buffer.
const BUFFER: usize = 4 << 10;

/// The memory and the output of each kernel of a module; `None` for those that are too large, fail or exceed the
/// limit.
fn results(module: &TileModule, steps: u64) -> Vec<Option<(Vec<u8>, String)>> {
    module
        .funcs
        .iter()
        .map(|func| result(module, func, steps))
        .collect()
}

fn result(module: &TileModule, func: &Func<CudaTile>, steps: u64) -> Option<(Vec<u8>, String)> {
    let small = |tile: &Tile| tile.shape.elements().is_some_and(|n| n <= SMALL);
    let mut tiles = func.body.values().filter_map(|(_, ty)| ty.as_tile());
    if !tiles.all(small) || !module.globals.iter().all(|global| small(&global.ty)) {
        return None;
    }
    let mut device = Device::new(module).ok()?;
    device.limit_steps(steps);
    let mut buffers = Vec::new();
    let mut arguments = Vec::new();
    for (i, &param) in func.body.params().iter().enumerate() {
        arguments.push(match func.body.ty(param).as_tile()?.element {
            Element::Ptr(_) => {
                let bytes = (0..BUFFER).map(|at| u8::try_from(at % 64).unwrap_or(0));
                let buffer = device.allocate("it", Init::Data(bytes.collect()));
                buffers.push(buffer);
                Arg::Pointer(buffer)
            }
            Element::Scalar(_) => Arg::Scalar(u64::try_from(i % 4).unwrap_or(0) * 8),
        });
    }
    device.launch(func, [2, 1, 1], &arguments).ok()?;
    let bytes = buffers.iter().flat_map(|&buffer| device.read(buffer).to_vec());
    Some((bytes.collect(), device.printed().to_owned()))
}
