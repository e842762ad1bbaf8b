//! Annotates a stage's text with the source: the location of each op, and the text of that line.

use std::collections::BTreeMap;
use std::fmt::Write;

use tilewright_diagnostics::{FileId, Location};
use tilewright_grammar::cuda_tile::{TextOptions, parse_tile_text_with};
use tilewright_irs::core::{Origin, print_func};
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::cuda_tile::{join_tile_entries, print_tile_entry};
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::ptx;

use crate::lines::{Line, LineStarts};
use crate::source_map::Places;
use crate::units::{PtxKernel, Stage, TileKernel};

/// Placed before each comment that is appended to a line, for `aligned` to find. No language prints this character.
const MARK: &str = "  // \u{1}";
/// The rightmost column at which aligned comments begin.
const WIDEST: usize = 96;
/// Characters of a source line that are shown.
const SHOWN: usize = 60;

/// A stage with a comment after each op: file, line and column of its source, and the text of that line where `line_of`, given
/// the file's path and a line counted from 1, finds it. `name` and `bytes` are the compiled file.
pub(crate) fn with_places(
    stage: &Stage,
    places: Places<'_>,
    (name, bytes): (&str, &[u8]),
    line_of: &mut dyn FnMut(&str, u32) -> Option<String>,
) -> String {
    let starts = LineStarts::of(bytes);
    let mut remarks = BTreeMap::new();
    for origin in (0..).map(Origin).take(places.op_count()) {
        let location = places.op(origin);
        let found = location.as_ref().and_then(|location| starts.line(name, location));
        if let Some(Line { path, line, column }) = found {
            let file = path.rsplit('/').next().unwrap_or(path);
            let mut words = format!("{}:{line}:{column}", printable(file));
            if let Some(text) = line_of(path, line) {
                let text = printable(text.trim());
                let mut shown: String = text.chars().take(SHOWN).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                // Writing to a string does not fail.
                let _ = write!(words, " | {shown}");
            }
            remarks.insert(origin, words);
        }
    }
    let remark = |origin: Origin| remarks.get(&origin).map(|words| format!("\u{1}{words}"));
    aligned(&marked(stage, &remark))
}

/// The text of a stage, and for each of its lines the source op that it was compiled from, if any.
pub(crate) fn with_origins(stage: &Stage) -> (String, Vec<Option<Origin>>) {
    let remark = |origin: Origin| (origin != Origin::FUNCTION).then(|| format!("\u{1}{}", origin.0));
    let marked = marked(stage, &remark);
    let mut text = String::with_capacity(marked.len());
    let mut origins = Vec::new();
    for line in marked.lines() {
        let (line, origin) = match line.split_once(MARK) {
            Some((line, origin)) => (line, origin.parse().ok().map(Origin)),
            None => (line, None),
        };
        text.push_str(line);
        text.push('\n');
        origins.push(origin);
    }
    (text, origins)
}

/// A stage with a comment after each op.
fn marked(stage: &Stage, remark: &dyn Fn(Origin) -> Option<String>) -> String {
    match stage {
        Stage::CudaTile(kernel) => tile_with_places(kernel, remark),
        Stage::TileAa(func) => print_func(func, remark),
        Stage::TileAs(func) => print_func(func, remark),
        Stage::Scheduled(func) => print_func(func, remark),
        Stage::Cute(kernel) => print_module(&kernel.module.with_kernel(kernel.func.clone()), Form::Custom),
        Stage::CuteDesugared(func) => print_func(func, remark),
        Stage::Llvm(func) => print_func(func, remark),
        Stage::Nvvm(func) => print_func(func, remark),
        Stage::Ptx(kernel) => ptx_with_places(kernel, remark),
    }
}

/// Escapes control characters, so that file contents cannot control the terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// PTX with a comment after each instruction. The text is parsed to find the line of each.
fn ptx_with_places(kernel: &PtxKernel, remark: &dyn Fn(Origin) -> Option<String>) -> String {
    let text = kernel.module().to_string();
    let parsed = tilewright_grammar::ptx::parse(FileId(0), &text);
    let lines = parsed.lines(&text, 0);
    let mut remarks = BTreeMap::new();
    for (statement, line) in kernel.entry.body.iter().zip(lines) {
        if let ptx::Statement::Instruction(instruction) = statement
            && let Some(words) = instruction.origin.and_then(|origin| remark(Origin(origin)))
        {
            remarks.insert(line, words);
        }
    }
    with_remarks(&text, &remarks)
}

/// `cuda_tile` with a comment after each op. The printed text is parsed to find the line of each.
fn tile_with_places(kernel: &TileKernel, remark: &dyn Fn(Origin) -> Option<String>) -> String {
    let text = join_tile_entries(&kernel.module, [print_tile_entry(&kernel.func).as_str()]);
    // The printed program was read, so all of its preview content was enabled.
    let options = TextOptions {
        preview: Features::ALL,
        ..TextOptions::default()
    };
    let parsed = parse_tile_text_with(&text, FileId(0), options);
    let starts = LineStarts::of(text.as_bytes());
    let mut remarks = BTreeMap::new();
    let spans = parsed
        .spans
        .first()
        .map(|spans| spans.ops.as_slice())
        .unwrap_or_default();
    for (origin, &span) in (0..).map(Origin).zip(spans) {
        if let Some(Line { line, .. }) = starts.line("", &Location::Span(span))
            && let Some(words) = remark(origin)
        {
            remarks.entry(line).or_insert(words);
        }
    }
    with_remarks(&text, &remarks)
}

/// A text with comments at the ends of lines, which are numbered from 1.
fn with_remarks(text: &str, remarks: &BTreeMap<u32, String>) -> String {
    let mut said = String::with_capacity(text.len() * 2);
    for (line, number) in text.lines().zip(1u32..) {
        said.push_str(line);
        if let Some(words) = remarks.get(&number) {
            said.push_str("  // ");
            said.push_str(words);
        }
        said.push('\n');
    }
    said
}

/// Aligns marked comments in one column, after the longest line of at most [`WIDEST`] columns. On a longer line the comment
/// follows after two blanks.
fn aligned(text: &str) -> String {
    let width = |line: &str| line.chars().count() + line.matches('\t').count() * 7;
    let column = text
        .lines()
        .filter_map(|line| line.split_once(MARK))
        .map(|(line, _)| width(line))
        .filter(|&width| width <= WIDEST)
        .max()
        .unwrap_or(0);
    let mut said = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        match line.split_once(MARK) {
            Some((line, words)) => {
                said.push_str(line);
                said.push_str(&" ".repeat(column.saturating_sub(width(line))));
                said.push_str("  // ");
                said.push_str(words);
            }
            None => said.push_str(line),
        }
        said.push('\n');
    }
    said
}
