//! Removes the erroneous lines of a text.

use crate::preview::parse_tile_text;
use tilewright_diagnostics::{FileId, Span};
use tilewright_grammar::bytecode;
use tilewright_grammar::cuda_tile::TileParsed;
use tilewright_irs::cuda_tile::{DebugInfo, ModuleProblem, Version, verify_module};

/// The position of a problem in the text.
fn place(parsed: &TileParsed, problem: &ModuleProblem) -> Option<usize> {
    let at = problem.diagnostic.primary.as_ref().map(|label| label.at)?;
    let span = match (problem.func, problem.global) {
        (Some(func), _) => parsed.spans.get(func)?.get(at),
        (None, Some(global)) => *parsed.globals.get(global)?,
        (None, None) => *parsed.externals.get(problem.external?)?,
    };
    usize::try_from(span.start).ok()
}

/// Removes lines until the text is valid: the line of each problem, with the region that it opens.
fn salvage(mut text: String, problems: impl Fn(&TileParsed) -> Vec<Option<usize>>) -> Option<String> {
    for _ in 0..100 {
        let parsed = parse_tile_text(&text, FileId(0));
        let start = |span: Span| usize::try_from(span.start).ok();
        let mut wrong: Vec<Option<usize>> = parsed
            .diagnostics
            .iter()
            .map(|problem| problem.primary.as_ref().and_then(|label| start(label.at)))
            .collect();
        if wrong.is_empty() {
            wrong = problems(&parsed);
        }
        if wrong.is_empty() {
            return (!parsed.module.funcs.is_empty() || !parsed.module.globals.is_empty()).then_some(text);
        }
        let mut lines: Vec<Option<&str>> = text.lines().map(Some).collect();
        for at in wrong {
            let line = text.get(..at?)?.matches('\n').count();
            let mut depth = 0i64;
            for line in lines.get_mut(line..)? {
                let braces = |c: char| line.unwrap_or_default().matches(c).count() as i64;
                depth += braces('{') - braces('}');
                *line = None;
                if depth <= 0 {
                    break;
                }
            }
        }
        let kept = lines.into_iter().flatten();
        text = kept.map(|line| format!("{line}\n")).collect();
    }
    None
}

/// The part of a text that the verifier accepts.
pub(crate) fn sound(text: String) -> Option<String> {
    salvage(text, |parsed| {
        let problems = verify_module(&parsed.module).err().unwrap_or_default();
        problems.iter().map(|problem| place(parsed, problem)).collect()
    })
}

/// The part of a text that a bytecode version can represent.
pub(crate) fn of_version(text: String, version: Version) -> Option<String> {
    salvage(text, |parsed| {
        let problems = bytecode::write(&parsed.module, &DebugInfo::default(), version)
            .err()
            .unwrap_or_default();
        problems.iter().map(|problem| place(parsed, problem)).collect()
    })
}
