//! Diagnostics, hovers, lenses and stages for the lines of a Python file, from its modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use lsp_types as lsp;
use tilewright_diagnostics::{Diagnostic, Location};

use super::Python;
use crate::ide::became::Became;
use crate::ide::cost::KernelText;
use crate::ide::functions::Function;
use crate::ide::moved_lines::MovedLines;
use crate::ide::python::{Place, Site, current_modules, kernels, place_in, sites};
use crate::ide::{hints, hover, problems};
use crate::lsp::convert::Text;
use crate::lsp::snapshot::{Snapshot, StageParams, StageResult, inlay_hint};

/// How many kernels a hover describes; one Python function may be compiled many times.
const SHOWN: usize = 3;

/// A document in Python, as a worker reads it.
#[derive(Clone, Debug)]
pub(in crate::lsp) struct PythonView {
    pub(in crate::lsp) at: Snapshot,
    /// The text as the editor has it.
    pub(in crate::lsp) text: Arc<String>,
    pub(in crate::lsp) python: Arc<Python>,
}

impl PythonView {
    fn text(&self) -> Text<'_> {
        Text {
            text: &self.text,
            lines: &self.at.lines,
            encoding: self.at.encoding,
        }
    }

    fn moved(&self) -> MovedLines {
        MovedLines::between(&self.python.made_of, &self.text)
    }

    fn kernels(&self) -> Vec<(Function<'_>, Place)> {
        kernels(&self.at.db, &self.python.modules, &self.python.file)
    }

    /// The range from a place to the end of its line; `None` if the line has been edited since the modules were made.
    fn range(&self, moved: &MovedLines, place: Place) -> Option<lsp::Range> {
        let line = moved.new_line(place.line)?;
        let text = self.text();
        let bytes = text.lines.range(text.text, usize::try_from(line).ok()?);
        let content = text.text.get(bytes.clone())?;
        let column = usize::try_from(place.column).ok()?.min(content.len());
        let indent = content.len() - content.trim_start().len();
        Some(text.range(
            bytes.start + column.max(indent),
            bytes.start + content.trim_end().len().max(column),
        ))
    }

    /// The line of a position when the modules were made, and the column in bytes.
    fn place(&self, moved: &MovedLines, position: lsp::Position) -> Option<Place> {
        let text = self.text();
        let offset = text.offset(position);
        let line = text.lines.line(offset);
        let start = text.lines.range(text.text, line).start;
        Some(Place {
            line: moved.old_line(u32::try_from(line).ok()?)?,
            column: u32::try_from(offset - start).ok()?,
        })
    }

    /// The diagnostics of the run, of the front end and, if asked for, of the back end. Those of lines that have been edited
    /// since the modules were made are left out.
    pub(in crate::lsp) fn diagnostics(&self, back_end: bool) -> Vec<lsp::Diagnostic> {
        let mut said: Vec<Diagnostic<Location>> = self.python.said.iter().cloned().collect();
        for module in current_modules(&self.at.db, &self.python.modules, &self.python.file) {
            said.extend(problems::front_end(&self.at.db, module));
            if back_end {
                said.extend_from_slice(problems::back_end(&self.at.db, module, self.at.options));
            }
        }
        let moved = self.moved();
        let mut shown: Vec<lsp::Diagnostic> = Vec::new();
        for problem in said {
            let range = |location: &Location| self.range(&moved, place_in(location, &self.python.file)?);
            if let Some(one) = self.text().diagnostic_of(&self.at.uri, &problem, &range)
                && !shown.contains(&one)
            {
                shown.push(one);
            }
        }
        shown
    }

    pub(in crate::lsp) fn hover(&self, position: lsp::Position) -> Option<lsp::Hover> {
        let moved = self.moved();
        let at = self.place(&moved, position)?;
        let mut shown = Vec::new();
        let mut range = None;
        let mut others = 0;
        for (function, _) in self.kernels() {
            let here: Vec<Site> = sites(&function, &self.python.file)
                .into_iter()
                .filter(|site| site.place.line == at.line)
                .collect();
            // The innermost expression that begins before the cursor, or else the first one of the line.
            let columns = here.iter().map(|site| site.place.column);
            let before = columns.clone().filter(|&column| column <= at.column).max();
            let Some(column) = before.or_else(|| columns.min()) else {
                continue;
            };
            if shown.len() == SHOWN {
                others += 1;
                continue;
            }
            let here = here.into_iter().filter(|site| site.place.column == column);
            shown.push((function, here.collect::<Vec<_>>()));
            range = self.range(&moved, Place { column, ..at });
        }
        let mut markdown = Vec::new();
        for (function, sites) in &shown {
            if shown.len() > 1 {
                markdown.push(format!("**{}**", function.name));
            }
            markdown.extend(sites.iter().map(|site| self.told_of(function, *site)));
        }
        if others > 0 {
            markdown.push(format!("and in {others} more"));
        }
        (!markdown.is_empty()).then(|| lsp::Hover {
            range,
            contents: lsp::HoverContents::Markup(lsp::MarkupContent {
                kind: lsp::MarkupKind::Markdown,
                value: markdown.join("\n\n"),
            }),
        })
    }

    /// An op with the types of its results, and what it was compiled to.
    fn told_of(&self, function: &Function<'_>, Site { origin, .. }: Site) -> String {
        let mut parts = Vec::new();
        if let Some(op) = function.op(origin) {
            let types = op.results.iter().filter_map(|&value| function.type_of(value));
            let types: Vec<_> = types.collect();
            parts.push(match types.is_empty() {
                true => format!("```\n{}\n```", op.name),
                false => format!("```\n{}: {}\n```", op.name, types.join(", ")),
            });
        }
        if let Some(became) = Became::of(&self.at.db, function, self.at.options, origin) {
            parts.push(hover::text(&became));
        }
        parts.join("\n")
    }

    /// A code lens above each Python function for each kernel compiled from it.
    pub(in crate::lsp) fn lenses(&self) -> Vec<lsp::CodeLens> {
        for &module in &self.python.modules {
            self.at.compute_costs(module);
        }
        let (moved, kernels) = (self.moved(), self.kernels());
        let mut count: BTreeMap<Place, usize> = BTreeMap::new();
        for (_, place) in &kernels {
            *count.entry(*place).or_default() += 1;
        }
        let lens = |(function, place): &(Function<'_>, Place)| {
            let mut lens = self.at.lens(function, self.range(&moved, *place)?)?;
            if count.get(place).is_some_and(|&count| count > 1)
                && let Some(command) = &mut lens.command
            {
                command.title = format!("{} · {}", function.name, command.title);
            }
            Some(lens)
        };
        kernels.iter().filter_map(lens).collect()
    }

    /// The PTX of the kernels, for ptxas.
    pub(in crate::lsp) fn kernel_texts(&self) -> Vec<Arc<KernelText>> {
        let modules = self.python.modules.iter();
        modules.flat_map(|&module| self.at.kernel_texts(module)).collect()
    }

    pub(in crate::lsp) fn hints(&self, range: lsp::Range) -> Vec<lsp::InlayHint> {
        let moved = self.moved();
        let text = self.text();
        // Of the kernels of one Python function, the newest one's.
        let mut shown: BTreeMap<u32, lsp::InlayHint> = BTreeMap::new();
        for (function, _) in self.kernels() {
            let sites: BTreeMap<_, _> = sites(&function, &self.python.file)
                .into_iter()
                .map(|site| (site.origin, site.place))
                .collect();
            for hint in hints::hints(&self.at.db, &function, self.at.options) {
                let line = sites
                    .get(&hint.origin)
                    .and_then(|place| moved.new_line(place.line));
                let Some(line) = line else { continue };
                let end = text
                    .lines
                    .range(text.text, usize::try_from(line).unwrap_or(usize::MAX))
                    .end;
                let position = text.position(end);
                if range.start <= position && position <= range.end {
                    shown.entry(line).or_insert_with(|| inlay_hint(hint, position));
                }
            }
        }
        shown.into_values().collect()
    }

    /// # Errors
    /// Why there is no such text.
    pub(in crate::lsp) fn stage(&self, params: &StageParams) -> Result<StageResult, String> {
        let moved = self.moved();
        let kernels = self.kernels();
        let function = match params.position {
            Some(position) => {
                let line = self.place(&moved, position).map(|place| place.line);
                let has_line = |(function, own): &&(Function<'_>, Place)| {
                    let sites = sites(function, &self.python.file).into_iter();
                    let mut lines = sites.map(|site| site.place.line).chain([own.line]);
                    lines.any(|own| Some(own) == line)
                };
                kernels.iter().find(has_line)
            }
            None => kernels.first(),
        };
        let (function, _) = function.ok_or("there is no kernel here")?;
        let view = self.at.stage(function, &params.stage)?;
        let lines: BTreeMap<_, _> = sites(function, &self.python.file)
            .into_iter()
            .filter_map(|site| Some((site.origin, moved.new_line(site.place.line)?)))
            .collect();
        Ok(StageResult {
            lines: view
                .origins
                .iter()
                .map(|origin| lines.get(&(*origin)?).copied())
                .collect(),
            text: view.text,
        })
    }
}
