//! Writes a module to bytecode.

mod attrs;
mod body;
mod debug;
mod external;
mod pools;
mod preview;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{
    CudaTile, DebugInfo, Global, ModuleProblem, Signature, TileModule, TileType, Version,
};

use super::MAGIC;
use super::arrangement::Arrangement;
use super::container::{Section, attr_tag};
use super::sink::Sink;
use body::BodyWriter;
use debug::DebugWriter;
use pools::{Pools, Written};

/// Writes a module with its debug information as a file of the given version.
///
/// [`read`](super::read) returns the same module, except for its version, if
/// [`verify_module`](tilewright_irs::cuda_tile::verify_module) accepts it.
///
/// # Errors
/// Every op, field and type that the version does not have, and everything else that bytecode cannot represent.
pub fn write(
    module: &TileModule,
    debug: &DebugInfo,
    version: Version,
) -> Result<Vec<u8>, Vec<ModuleProblem>> {
    write_file(module, debug, version, None)
}

/// Writes a module as [`write()`] does, with the arrangement of the file that it was read from: the result of
/// [`read`](super::read) is reproduced byte for byte, except for other freedoms of the encoding.
///
/// In another version than the file's, types are encoded differently; the tables are then in the order of first use.
///
/// # Errors
/// Those of [`write()`].
pub fn write_arranged(
    module: &TileModule,
    debug: &DebugInfo,
    version: Version,
    arrangement: &Arrangement,
) -> Result<Vec<u8>, Vec<ModuleProblem>> {
    write_file(module, debug, version, Some(arrangement))
}

fn write_file(
    module: &TileModule,
    debug: &DebugInfo,
    version: Version,
    arrangement: Option<&Arrangement>,
) -> Result<Vec<u8>, Vec<ModuleProblem>> {
    let mut problems = Vec::new();
    let mut report = |func: Option<usize>, (code, message): (Code, String)| {
        let diagnostic = Diagnostic::error(code, message).at(Origin::FUNCTION, "");
        problems.push(ModuleProblem::new(func, diagnostic));
    };
    let mut pools = match Pools::new(version, arrangement) {
        Ok(pools) => pools,
        Err(error) => {
            report(None, error);
            return Err(problems);
        }
    };
    let mut debug = DebugWriter::new(debug);
    let mut globals = Sink::default();
    globals.len(module.globals.len());
    for global in &module.globals {
        if let Err(error) = write_global(&mut globals, global, &mut pools) {
            report(None, error);
        }
    }
    let mut functions = Sink::default();
    functions.len(module.funcs.len().saturating_add(module.externals.len()));
    for (index, func) in module.funcs.iter().enumerate() {
        write_externals(
            &mut functions,
            module,
            index,
            &mut pools,
            &mut debug,
            &mut problems,
        );
        match write_func(&mut functions, index, func, &mut pools, &mut debug) {
            Ok(()) => {}
            Err(list) => {
                problems.extend(
                    list.into_iter()
                        .map(|diagnostic| ModuleProblem::new(Some(index), diagnostic)),
                );
            }
        }
    }
    let last = module.funcs.len();
    write_externals(
        &mut functions,
        module,
        last,
        &mut pools,
        &mut debug,
        &mut problems,
    );
    if let Some(known) = arrangement {
        functions.extend(&known.after_functions);
    }
    let producer = module.producer.as_ref().map(|text| {
        let mut sink = Sink::default();
        sink.varint(pools.string(text));
        sink
    });
    if !problems.is_empty() {
        return Err(problems);
    }
    let (has_debug, debug) = debug.finish(&mut pools);
    let mut file = Sink::default();
    file.extend(&MAGIC);
    let (major, minor) = version.numbers();
    file.extend(&[major, minor, u8::from(pools.preview), 0]);
    let sections = [
        (Section::Function, true, functions),
        (Section::Global, !module.globals.is_empty(), globals),
        (Section::Constant, pools.has_constants(), pools.constants()),
        (Section::Debug, has_debug, debug),
        (Section::Type, true, pools.types()),
        (
            Section::Producer,
            producer.is_some(),
            producer.unwrap_or_default(),
        ),
        (Section::String, true, pools.strings()),
    ];
    let known = arrangement.map_or(&[][..], |arrangement| &arrangement.sections);
    for &(section, alignment) in known {
        if let Some((_, _, payload)) = sections.iter().find(|(id, ..)| *id == section) {
            write_section(&mut file, section, alignment, payload);
        }
    }
    for (section, needed, payload) in &sections {
        if *needed && !known.iter().any(|(id, _)| id == section) {
            let alignment = section.alignment();
            write_section(&mut file, *section, (alignment > 1).then_some(alignment), payload);
        }
    }
    file.u8(0);
    Ok(file.bytes)
}

/// Writes the external functions before a kernel.
fn write_externals(
    sink: &mut Sink,
    module: &TileModule,
    kernel: usize,
    pools: &mut Pools,
    debug: &mut DebugWriter<'_>,
    problems: &mut Vec<ModuleProblem>,
) {
    for (index, external) in module.externals_before(kernel) {
        let written = debug
            .external(index)
            .and_then(|row| external::write_external(sink, external, row, pools));
        if let Err((code, message)) = written {
            let diagnostic = Diagnostic::error(code, message).at(Origin::FUNCTION, "");
            problems.push(ModuleProblem {
                external: Some(index),
                ..ModuleProblem::new(None, diagnostic)
            });
        }
    }
}

fn write_section(file: &mut Sink, section: Section, alignment: Option<usize>, payload: &Sink) {
    match alignment {
        None => {
            file.u8(section.id());
            file.len(payload.bytes.len());
        }
        Some(alignment) => {
            file.u8(section.id() | 0x80);
            file.len(payload.bytes.len());
            file.len(alignment);
            file.align(alignment);
        }
    }
    file.extend(&payload.bytes);
}

fn write_global(sink: &mut Sink, global: &Global, pools: &mut Pools) -> Written<()> {
    sink.varint(pools.string(&global.name));
    sink.varint(pools.value_type(&TileType::Tile(global.ty.clone()))?);
    sink.varint(pools.dense(&global.value));
    sink.varint(global.alignment);
    if global.private || global.constant {
        pools.since(
            || {
                let what = if global.constant {
                    "the attribute `constant`"
                } else {
                    "the private symbol visibility"
                };
                format!("{what} of global `@{}`", global.name)
            },
            Version::V13_3,
        )?;
    }
    if pools.version >= Version::V13_3 {
        sink.varint(u64::from(global.private));
        sink.varint(u64::from(global.constant));
    }
    Ok(())
}

fn write_func(
    sink: &mut Sink,
    index: usize,
    func: &Func<CudaTile>,
    pools: &mut Pools,
    debug: &mut DebugWriter<'_>,
) -> Result<(), Vec<Diagnostic<Origin>>> {
    let mut problems = Vec::new();
    let mut or_report = |written: Written<u64>| {
        written.unwrap_or_else(|(code, message)| {
            problems.push(Diagnostic::error(code, message).at(Origin::FUNCTION, ""));
            0
        })
    };
    let newest = pools.version >= Version::V13_5;
    let hints = &func.attrs.optimization_hints;
    let inputs = func
        .body
        .params()
        .iter()
        .map(|&param| func.body.ty(param).clone().into());
    let signature = Signature {
        inputs: inputs.collect(),
        results: Vec::new(),
    };
    sink.varint(pools.string(&func.name));
    sink.varint(or_report(pools.signature(&signature)));
    let private = u8::from(func.attrs.private.0);
    let with_hints = u8::from(!newest && hints.is_some()) << 2;
    sink.u8(private | 0b10 | with_hints);
    let mut attrs = Sink::default();
    if newest || hints.is_some() {
        attrs.varint(attr_tag::HINTS);
        match hints {
            Some(hints) => _ = or_report(pools.hints(&mut attrs, hints).map(|()| 0)),
            None => attrs.len(0),
        }
    }
    let arg_attrs = func.attrs.arg_attrs.as_deref().unwrap_or_default();
    if newest {
        attrs.varint(attr_tag::ARRAY);
        or_report(pools.attrs(&mut attrs, arg_attrs).map(|()| 0));
    } else if !arg_attrs.is_empty() {
        let what = || format!("the argument attributes of `@{}`", func.name);
        or_report(pools.since(what, Version::V13_5).map(|()| 0));
    }
    match BodyWriter::new(pools, &func.body).write() {
        Ok((body, origins)) if problems.is_empty() => {
            sink.varint(debug.row(index, &origins)?);
            sink.extend(&attrs.bytes);
            sink.len(body.bytes.len());
            sink.extend(&body.bytes);
            Ok(())
        }
        Ok(_) => Err(problems),
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}
