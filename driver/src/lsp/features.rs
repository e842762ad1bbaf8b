//! Answers to requests about one document: from the structs of [`crate::ide`] to the protocol's.

use lsp_types as lsp;
use serde::{Deserialize, Serialize};
use tilewright_diagnostics::Code;

use super::convert::Text;
use crate::database::Compiler;
use crate::ide::functions::{function_at, functions};
use crate::ide::lines::{Encoding, Lines};
use crate::ide::stage_view::StageView;
use crate::ide::{cost, hover, names, outline, problems};
use crate::inputs::{Options, Source};
use crate::units::Language;

/// A document as a worker reads it.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) db: Compiler,
    pub(super) uri: lsp::Uri,
    pub(super) source: Source,
    pub(super) options: Options,
    pub(super) encoding: Encoding,
}

/// What the client asks of a stage: `tilewright/stage`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StageParams {
    pub(super) text_document: lsp::TextDocumentIdentifier,
    /// The language, such as `tileas` or `ptx`.
    pub(super) stage: String,
    /// A position in the kernel; the first one without it.
    pub(super) position: Option<lsp::Position>,
}

/// A stage of a kernel, and the lines of the source that its lines stem from.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StageResult {
    /// The text.
    pub(super) text: String,
    /// For each line of the text, the line of the document, both from 0.
    pub(super) lines: Vec<Option<u32>>,
}

impl View {
    fn text(&self) -> &str {
        std::str::from_utf8(self.source.bytes(&self.db)).unwrap_or_default()
    }

    /// Calls a function with the text and its lines.
    fn with<T>(&self, answer: impl FnOnce(Text<'_>) -> T) -> T {
        let text = self.text();
        let lines = Lines::of(text);
        answer(Text {
            text,
            lines: &lines,
            encoding: self.encoding,
        })
    }

    /// The diagnostics of the front end, and those of the back end if asked for.
    pub(super) fn diagnostics(&self, back_end: bool) -> Vec<lsp::Diagnostic> {
        let mut said = problems::front_end(&self.db, self.source);
        if back_end {
            said.extend(problems::back_end(&self.db, self.source, self.options));
        }
        self.with(|text| {
            said.iter()
                .map(|problem| text.diagnostic(&self.uri, problem))
                .collect()
        })
    }

    pub(super) fn hover(&self, position: lsp::Position) -> Option<lsp::Hover> {
        self.with(|text| {
            let found = hover::hover(&self.db, self.source, self.options, text.offset(position))?;
            Some(lsp::Hover {
                range: found.at.map(|at| text.span(at)),
                contents: lsp::HoverContents::Markup(lsp::MarkupContent {
                    kind: lsp::MarkupKind::Markdown,
                    value: found.markdown,
                }),
            })
        })
    }

    fn name(&self, text: Text<'_>, position: lsp::Position) -> Option<names::Name> {
        names::name_at(&self.db, self.source, text.offset(position))
    }

    pub(super) fn definition(&self, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
        self.with(|text| {
            let at = self.name(text, position)?.definition()?;
            Some(lsp::GotoDefinitionResponse::Scalar(lsp::Location::new(
                self.uri.clone(),
                text.span(at),
            )))
        })
    }

    pub(super) fn references(
        &self,
        position: lsp::Position,
        declaration: bool,
    ) -> Option<Vec<lsp::Location>> {
        self.with(|text| {
            let name = self.name(text, position)?;
            let wanted = name.occurrences.iter().filter(|one| declaration || !one.defines);
            Some(
                wanted
                    .map(|one| lsp::Location::new(self.uri.clone(), text.span(one.at)))
                    .collect(),
            )
        })
    }

    pub(super) fn highlights(&self, position: lsp::Position) -> Option<Vec<lsp::DocumentHighlight>> {
        self.with(|text| {
            let name = self.name(text, position)?;
            let highlight = |one: &names::Occurrence| lsp::DocumentHighlight {
                range: text.span(one.at),
                kind: Some(if one.defines {
                    lsp::DocumentHighlightKind::WRITE
                } else {
                    lsp::DocumentHighlightKind::READ
                }),
            };
            Some(name.occurrences.iter().map(highlight).collect())
        })
    }

    pub(super) fn prepare_rename(&self, position: lsp::Position) -> Option<lsp::PrepareRenameResponse> {
        self.with(|text| {
            let name = self.name(text, position)?;
            Some(lsp::PrepareRenameResponse::RangeWithPlaceholder {
                range: text.span(name.at),
                placeholder: name.text,
            })
        })
    }

    /// # Errors
    /// Why the name cannot be changed to that.
    pub(super) fn rename(&self, position: lsp::Position, new: &str) -> Result<lsp::WorkspaceEdit, String> {
        self.with(|text| {
            let edits = names::rename(&self.db, self.source, text.offset(position), new)?;
            let edits = edits
                .into_iter()
                .map(|(at, new)| lsp::TextEdit::new(text.span(at), new))
                .collect();
            #[expect(
                clippy::mutable_key_type,
                reason = "the protocol's own type; the address is not changed"
            )]
            let changes = [(self.uri.clone(), edits)].into();
            Ok(lsp::WorkspaceEdit::new(changes))
        })
    }

    pub(super) fn symbols(&self) -> lsp::DocumentSymbolResponse {
        let symbols = outline::symbols(&self.db, self.source);
        self.with(|text| {
            let symbol = |symbol: outline::Symbol| {
                #[expect(deprecated, reason = "the field must be given")]
                lsp::DocumentSymbol {
                    name: symbol.name,
                    detail: Some(symbol.language.name().to_owned()),
                    kind: lsp::SymbolKind::FUNCTION,
                    tags: None,
                    deprecated: None,
                    range: text.span(symbol.whole),
                    selection_range: text.span(symbol.at),
                    children: None,
                }
            };
            lsp::DocumentSymbolResponse::Nested(symbols.into_iter().map(symbol).collect())
        })
    }

    pub(super) fn folding(&self) -> Vec<lsp::FoldingRange> {
        self.with(|text| {
            let pairs = outline::brackets(text.text).into_iter();
            let folds = pairs.filter_map(|pair| {
                let (start, end) = (text.position(pair.start), text.position(pair.end));
                // The closing bracket stays in view.
                let end_line = end.line.checked_sub(1)?;
                (end_line > start.line).then_some(lsp::FoldingRange {
                    start_line: start.line,
                    end_line,
                    ..lsp::FoldingRange::default()
                })
            });
            folds.collect()
        })
    }

    pub(super) fn selections(&self, positions: &[lsp::Position]) -> Vec<lsp::SelectionRange> {
        self.with(|text| {
            let grown = |position: &lsp::Position| {
                let mut parent = None;
                for range in outline::selections(text.text, text.offset(*position))
                    .into_iter()
                    .rev()
                {
                    parent = Some(Box::new(lsp::SelectionRange {
                        range: text.range(range.start, range.end),
                        parent,
                    }));
                }
                parent.map_or_else(
                    || lsp::SelectionRange {
                        range: lsp::Range::new(*position, *position),
                        parent: None,
                    },
                    |range| *range,
                )
            };
            positions.iter().map(grown).collect()
        })
    }

    /// A line above each kernel that can be compiled, with its cost.
    pub(super) fn lenses(&self) -> Vec<lsp::CodeLens> {
        self.with(|text| {
            let lens = |function: &crate::ide::functions::Function<'_>| {
                let cost = cost::cost(&self.db, function, self.options)?;
                let range = text.span(function.name_span()?);
                Some(lsp::CodeLens {
                    range,
                    command: Some(lsp::Command {
                        title: cost.line(),
                        command: "tilewright.showStage".to_owned(),
                        arguments: Some(vec![
                            self.uri.as_str().into(),
                            "ptx".into(),
                            serde_json::to_value(range.start).unwrap_or_default(),
                        ]),
                    }),
                    data: None,
                })
            };
            functions(&self.db, self.source).iter().filter_map(lens).collect()
        })
    }

    /// # Errors
    /// Why there is no such text.
    pub(super) fn stage(&self, params: &StageParams) -> Result<StageResult, String> {
        let language: Language = params.stage.parse()?;
        self.with(|text| {
            let all = functions(&self.db, self.source);
            let function = match params.position {
                Some(position) => function_at(&self.db, self.source, text.offset(position)),
                None => all.first().copied(),
            };
            let function = function.ok_or("there is no kernel here")?;
            let view = StageView::of(&self.db, &function, self.options, language)
                .ok_or_else(|| format!("`{}` cannot be compiled to `{language}`", function.name))?;
            let line = |origin: &Option<tilewright_irs::core::Origin>| match function.map.op((*origin)?)? {
                tilewright_diagnostics::Location::Span(span) => Some(text.span(*span).start.line),
                tilewright_diagnostics::Location::Source { .. }
                | tilewright_diagnostics::Location::Offset { .. } => None,
            };
            Ok(StageResult {
                lines: view.origins.iter().map(line).collect(),
                text: view.text,
            })
        })
    }
}

/// The explanation of a code, in Markdown.
///
/// # Errors
/// That there is no such code.
pub(super) fn explain(code: &str) -> Result<String, String> {
    let code = Code::parse(code).map_err(|unknown| unknown.to_string())?;
    Ok(format!("# {code}: {}\n\n{}\n", code.title(), code.explanation()))
}
