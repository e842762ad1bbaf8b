//! The source and the stages as the page shows them, with the source op of each line.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tilewright_irs::core::Origin;

use crate::database::Compiler;
use crate::ide::cost::OpCost;
use crate::ide::functions::Function;
use crate::ide::lines::Lines;
use crate::ide::stage_view::StageView;
use crate::inputs::{Options, is_bytecode};
use crate::units::Language;

use super::texts::Shown;

/// The source of a function: its text, if it is not the page's, and the lines of its ops.
pub(super) struct SourceView {
    language: Language,
    text: Option<String>,
    /// The first op of each line.
    origins: Vec<Option<Origin>>,
    /// The line of each op.
    lines: BTreeMap<Origin, u32>,
}

impl SourceView {
    /// The source of a function of the text that is shown, in the lines of the page's text.
    pub(super) fn of(db: &Compiler, function: &Function<'_>, options: Options, shown: &Shown) -> Self {
        let language = function.body.language();
        let bytes = shown.source.bytes(db);
        let mut lines = BTreeMap::new();
        if is_bytecode(bytes) {
            // The text that stands for it has been made of the ops.
            let view = StageView::of(db, function, options, language);
            let view = view.unwrap_or_else(|| StageView {
                text: String::new(),
                origins: Vec::new(),
            });
            for (line, origin) in (0..).zip(&view.origins) {
                if let Some(origin) = origin {
                    lines.entry(*origin).or_insert(line);
                }
            }
            return Self {
                language,
                text: Some(view.text),
                origins: view.origins,
                lines,
            };
        }
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let starts = Lines::of(text);
        let mut origins = Vec::new();
        for (origin, span) in function.places.op_spans() {
            let line = starts.line(usize::try_from(span.start).unwrap_or(usize::MAX));
            let line = u32::try_from(line).ok().and_then(|line| shown.line(line));
            let Some(line) = line else { continue };
            lines.insert(origin, line);
            let at = usize::try_from(line).unwrap_or(usize::MAX);
            if origins.len() <= at {
                origins.resize(at + 1, None);
            }
            if let Some(slot) = origins.get_mut(at).filter(|slot| slot.is_none()) {
                *slot = Some(origin);
            }
        }
        Self {
            language,
            text: None,
            origins,
            lines,
        }
    }

    /// As JSON for the page, with the costs of each line. The list of origins ends with the line of the last op.
    pub(super) fn json(&self, costs: &BTreeMap<Origin, OpCost>) -> Value {
        let mut by_line: BTreeMap<u32, OpCost> = BTreeMap::new();
        for (origin, cost) in costs {
            if let Some(&line) = self.lines.get(origin) {
                let sum = by_line.entry(line).or_default();
                sum.registers += cost.registers;
                sum.bytes += cost.bytes;
                sum.conflicts += cost.conflicts;
            }
        }
        let costs = by_line
            .iter()
            .map(|(line, cost)| json!({ "line": line, "registers": cost.registers, "bytes": cost.bytes, "conflicts": cost.conflicts }));
        json!({
            "stage": self.language.name(),
            "text": self.text,
            "origins": numbers(&self.origins),
            "costs": costs.collect::<Vec<_>>(),
        })
    }

    /// A stage as JSON for the page: its text, and for each line the source op that it was compiled from, with that
    /// op's line.
    pub(super) fn stage_json(&self, language: Language, view: &StageView) -> Value {
        let lines = view.origins.iter();
        let lines: Vec<_> = lines
            .map(|origin| origin.and_then(|origin| self.lines.get(&origin)))
            .collect();
        json!({
            "stage": language.name(),
            "text": view.text,
            "origins": numbers(&view.origins),
            "lines": lines,
        })
    }
}

fn numbers(origins: &[Option<Origin>]) -> Vec<Option<u32>> {
    let numbers = origins.iter();
    numbers
        .map(|origin| origin.map(|Origin(number)| number))
        .collect()
}
