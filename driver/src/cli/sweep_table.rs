//! The result of a sweep as a table: one line for each kernel of each configuration, as text or as JSON.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};
use tilewright_diagnostics::{Diagnostic, Files, Location, SourcePosition};
use tilewright_irs::ptx::Target;

use crate::usage::Usage;

/// A configuration and its outcome.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) target: Target,
    /// The swept options besides the target, with their values.
    pub(super) values: Vec<(String, String)>,
    /// Whether it was compiled and, if there is a ptxas, assembled without an error.
    pub(super) compiled: bool,
    /// The registers and memory that its kernels use; empty without a ptxas.
    pub(super) usage: Vec<Usage>,
    /// The file written.
    pub(super) output: Option<PathBuf>,
    pub(super) diagnostics: Vec<Diagnostic<Location>>,
}

impl Row {
    /// A configuration that has not been compiled yet.
    pub(super) fn new(target: Target, values: Vec<(String, String)>) -> Self {
        Self {
            target,
            values,
            compiled: false,
            usage: Vec::new(),
            output: None,
            diagnostics: Vec::new(),
        }
    }

    /// The first error.
    pub(super) fn error(&self) -> Option<&Diagnostic<Location>> {
        self.diagnostics.iter().find(|one| one.is_error())
    }
}

/// All configurations, in their order.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// The files of the diagnostics.
    pub(super) files: Files,
}

impl Table {
    /// The table as aligned columns.
    pub(super) fn text(&self) -> String {
        let axes = self
            .rows
            .first()
            .map(|row| row.values.as_slice())
            .unwrap_or_default();
        let mut head = vec!["target".to_owned()];
        head.extend(axes.iter().map(|(name, _)| name.clone()));
        let measures = [
            "kernel",
            "registers",
            "spill stores",
            "spill loads",
            "shared",
            "result",
        ];
        head.extend(measures.map(str::to_owned));
        let mut lines = vec![head];
        for row in &self.rows {
            let mut start = vec![row.target.to_string()];
            start.extend(row.values.iter().map(|(_, value)| value.clone()));
            let result = match (row.error(), &row.output) {
                (Some(error), _) => format!("{}: {}", error.code.name(), error.message.replace('\n', " ")),
                (None, Some(output)) => output.display().to_string(),
                (None, None) => "compiled".to_owned(),
            };
            if row.usage.is_empty() {
                let unknown = ["-"; 5].map(str::to_owned);
                lines.push([start, unknown.to_vec(), vec![result]].concat());
                continue;
            }
            for usage in &row.usage {
                let numbers = [
                    usage.registers,
                    usage.spill_stores,
                    usage.spill_loads,
                    usage.shared,
                ];
                let mut line = start.clone();
                line.push(usage.kernel.clone());
                line.extend(numbers.map(|number| number.to_string()));
                line.push(result.clone());
                lines.push(line);
            }
        }
        aligned(&lines)
    }

    /// The table as a JSON array of configurations.
    pub(super) fn json(&self) -> String {
        let rows: Vec<Value> = self.rows.iter().map(|row| object(row, &self.files)).collect();
        format!("{:#}\n", Value::Array(rows))
    }
}

/// Lines of cells as text, in columns.
pub(super) fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let widths = lines
            .iter()
            .filter_map(|line| line.get(column))
            .map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            // Writing to a string does not fail.
            let _ = write!(row, "{cell:width$}  ");
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn object(row: &Row, files: &Files) -> Value {
    let usage = |usage: &Usage| {
        json!({
            "kernel": usage.kernel,
            "registers": usage.registers,
            "spill_stores": usage.spill_stores,
            "spill_loads": usage.spill_loads,
            "stack": usage.stack,
            "shared": usage.shared,
        })
    };
    let diagnostic = |one: &Diagnostic<Location>| {
        let primary = one.primary.as_ref();
        let place = primary.map(|label| SourcePosition::of(&label.at, files));
        let at = place.as_ref().and_then(|place| place.at);
        json!({
            "severity": one.severity.word(),
            "code": one.code.name(),
            "message": one.message,
            "file": place.map(|place| place.file),
            "line": at.map(|(line, _)| line),
            "column": at.map(|(_, column)| column),
            "help": one.help,
            "notes": one.notes,
        })
    };
    let values: serde_json::Map<_, _> = row
        .values
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    json!({
        "target": row.target.to_string(),
        "options": values,
        "compiled": row.compiled,
        "output": row.output.as_ref().map(|path| path.display().to_string()),
        "kernels": row.usage.iter().map(usage).collect::<Vec<_>>(),
        "diagnostics": row.diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
    })
}
