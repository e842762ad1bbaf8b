//! What all views of a document share: the database, the options, and the encoding of positions.

use std::str::FromStr;
use std::sync::Arc;

use lsp_types as lsp;
use serde::{Deserialize, Serialize};

use super::measuring::Measured;
use crate::database::Compiler;
use crate::ide::cost::{self, Cost, KernelText};
use crate::ide::functions::{Function, functions};
use crate::ide::hints;
use crate::ide::lines::{Encoding, Lines};
use crate::ide::stage_view::StageView;
use crate::inputs::{Options, Source};
use crate::units::Language;

/// What is shown in place of a stage: the lives of a kernel's attributes.
const ATTRIBUTES: &str = "attributes";

/// A version of a document, as a worker reads it.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) db: Compiler,
    pub(super) uri: lsp::Uri,
    pub(super) lines: Arc<Lines>,
    pub(super) options: Options,
    pub(super) encoding: Encoding,
    /// Whether the editor supports snippets in completions.
    pub(super) snippets: bool,
    /// The results of ptxas, if there is one.
    pub(super) measured: Option<Measured>,
    /// The URI scheme under which the editor shows explanations of error codes, if it does.
    pub(super) explanations: Option<Arc<str>>,
}

/// The parameters of the request `tilewright/stage`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StageParams {
    pub(super) text_document: lsp::TextDocumentIdentifier,
    /// The language, such as `tileas` or `ptx`, or `attributes`.
    pub(super) stage: String,
    /// A position in the kernel; without it, the first kernel is taken.
    pub(super) position: Option<lsp::Position>,
}

/// A stage of a kernel, and the source lines that its lines were compiled from.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StageResult {
    /// The text.
    pub(super) text: String,
    /// For each line of the text, the line of the document that it was compiled from, both from 0.
    pub(super) lines: Vec<Option<u32>>,
}

impl Snapshot {
    /// The URI under which the editor shows the explanation of a diagnostic's code.
    pub(super) fn explanation(&self, problem: &lsp::Diagnostic) -> Option<lsp::CodeDescription> {
        let (scheme, lsp::NumberOrString::String(code)) =
            (self.explanations.as_ref()?, problem.code.as_ref()?)
        else {
            return None;
        };
        let href = lsp::Uri::from_str(&format!("{scheme}:/{code}.md")).ok()?;
        Some(lsp::CodeDescription { href })
    }

    /// Computes the costs in the code lenses of a file's kernels.
    pub(super) fn compute_costs(&self, source: Source) {
        cost::compute_costs(&self.db, source, self.options);
        if self.measured.is_some() {
            cost::write_texts(&self.db, source, self.options);
        }
    }

    /// The cost of a kernel that can be compiled, with the results of ptxas, if any.
    pub(super) fn cost(&self, function: &Function<'_>) -> Option<Cost> {
        let cost = cost::cost(&self.db, function, self.options)?;
        let usage = self.measured.as_ref().and_then(|measured| {
            let kernel = cost::kernel_text(&self.db, function, self.options)?;
            measured.usage(&kernel)
        });
        Some(match usage {
            Some(usage) => cost.measured(&usage),
            None => cost,
        })
    }

    /// The lens of a kernel that can be compiled.
    pub(super) fn lens(&self, function: &Function<'_>, range: lsp::Range) -> Option<lsp::CodeLens> {
        Some(lsp::CodeLens {
            range,
            command: Some(lsp::Command {
                title: self.cost(function)?.line(),
                command: "tilewright.showStage".to_owned(),
                arguments: Some(vec![
                    self.uri.as_str().into(),
                    "ptx".into(),
                    serde_json::to_value(range.start).unwrap_or_default(),
                ]),
            }),
            data: None,
        })
    }

    /// The PTX of the kernels of a file that can be compiled.
    pub(super) fn kernel_texts(&self, source: Source) -> Vec<Arc<KernelText>> {
        cost::write_texts(&self.db, source, self.options);
        let all = functions(&self.db, source);
        let texts = all
            .iter()
            .map(|function| cost::kernel_text(&self.db, function, self.options));
        texts.flatten().collect()
    }

    /// A kernel in a stage, or the lives of its attributes.
    ///
    /// # Errors
    /// There is no such stage, or the kernel cannot be compiled to it.
    pub(super) fn stage(&self, function: &Function<'_>, stage: &str) -> Result<StageView, String> {
        if stage == ATTRIBUTES {
            let view = StageView::of_attributes(&self.db, function, self.options);
            return view.ok_or_else(|| format!("`{}` has errors", function.name));
        }
        let language: Language = stage.parse()?;
        StageView::of(&self.db, function, self.options, language)
            .ok_or_else(|| format!("`{}` cannot be compiled to `{language}`", function.name))
    }
}

/// A hint at a position.
pub(super) fn inlay_hint(hint: hints::Hint, position: lsp::Position) -> lsp::InlayHint {
    lsp::InlayHint {
        position,
        label: lsp::InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: Some(lsp::InlayHintTooltip::String(hint.tooltip)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
