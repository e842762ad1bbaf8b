//! Answers to requests about one document: converts the structs of [`crate::ide`] to those of the protocol.

use lsp_types as lsp;
use tilewright_diagnostics::Location;

use super::convert::{Text, completion_item};
use super::snapshot::{Snapshot, StageParams, StageResult, inlay_hint};
use super::tokens::semantic_tokens;
use crate::explain::Topic;
use crate::ide::functions::{Function, function_at, functions};
use crate::ide::{assume, completion, format, hints, hover, names, outline, problems, signature};
use crate::inputs::Source;

/// A text in one of the compiler's languages, as a worker reads it.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) at: Snapshot,
    pub(super) source: Source,
}

impl View {
    fn text(&self) -> &str {
        std::str::from_utf8(self.source.bytes(&self.at.db)).unwrap_or_default()
    }

    /// Calls a function with the text and its lines.
    fn with<T>(&self, answer: impl FnOnce(Text<'_>) -> T) -> T {
        answer(Text {
            text: self.text(),
            lines: &self.at.lines,
            encoding: self.at.encoding,
        })
    }

    /// The diagnostics of the front end, and those of the back end if asked for.
    pub(super) fn diagnostics(&self, back_end: bool) -> Vec<lsp::Diagnostic> {
        let mut said = problems::front_end(&self.at.db, self.source);
        if back_end {
            said.extend_from_slice(problems::back_end(&self.at.db, self.source, self.at.options));
        }
        self.with(|text| {
            // A file that is new has nothing wrong in it yet.
            if text.text.trim().is_empty() {
                return Vec::new();
            }
            said.iter()
                .map(|problem| text.diagnostic(&self.at.uri, problem))
                .collect()
        })
    }

    pub(super) fn hover(&self, position: lsp::Position) -> Option<lsp::Hover> {
        self.with(|text| {
            let (db, options) = (&self.at.db, self.at.options);
            let costs = |function: &Function<'_>| self.at.cost(function);
            let found = hover::hover_with(db, self.source, options, text.offset(position), &costs)?;
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
        names::name_at(&self.at.db, self.source, text.offset(position))
    }

    pub(super) fn definition(&self, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
        self.with(|text| {
            let at = self.name(text, position)?.definition()?;
            Some(lsp::GotoDefinitionResponse::Scalar(lsp::Location::new(
                self.at.uri.clone(),
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
                    .map(|one| lsp::Location::new(self.at.uri.clone(), text.span(one.at)))
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

    /// # Errors
    /// Why the name at the position cannot be changed.
    pub(super) fn prepare_rename(
        &self,
        position: lsp::Position,
    ) -> Result<Option<lsp::PrepareRenameResponse>, String> {
        self.with(|text| {
            let Some(name) = self.name(text, position) else {
                return Ok(None);
            };
            name.can_change()?;
            Ok(Some(lsp::PrepareRenameResponse::RangeWithPlaceholder {
                range: text.span(name.at),
                placeholder: name.text,
            }))
        })
    }

    /// # Errors
    /// Why the name cannot be changed to that.
    pub(super) fn rename(&self, position: lsp::Position, new: &str) -> Result<lsp::WorkspaceEdit, String> {
        self.with(|text| {
            let edits = names::rename(&self.at.db, self.source, text.offset(position), new)?;
            let edits = edits
                .into_iter()
                .map(|(at, new)| lsp::TextEdit::new(text.span(at), new))
                .collect();
            #[expect(
                clippy::mutable_key_type,
                reason = "the protocol's own type; the address is not changed"
            )]
            let changes = [(self.at.uri.clone(), edits)].into();
            Ok(lsp::WorkspaceEdit::new(changes))
        })
    }

    pub(super) fn symbols(&self) -> lsp::DocumentSymbolResponse {
        let symbols = outline::symbols(&self.at.db, self.source);
        self.with(|text| {
            let symbols = symbols.into_iter().map(|one| document_symbol(text, one));
            lsp::DocumentSymbolResponse::Nested(symbols.collect())
        })
    }

    pub(super) fn flat_symbols(&self) -> Vec<lsp::WorkspaceSymbol> {
        let symbols = outline::function_symbols(&self.at.db, self.source);
        self.with(|text| {
            let symbol = |symbol: outline::Symbol| lsp::WorkspaceSymbol {
                name: symbol.name,
                kind: lsp::SymbolKind::FUNCTION,
                tags: None,
                container_name: None,
                location: lsp::OneOf::Left(lsp::Location::new(self.at.uri.clone(), text.span(symbol.at))),
                data: None,
            };
            symbols.into_iter().map(symbol).collect()
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

    /// A code lens with the cost above each kernel that can be compiled.
    pub(super) fn lenses(&self) -> Vec<lsp::CodeLens> {
        self.at.compute_costs(self.source);
        self.with(|text| {
            let lens = |function: &Function<'_>| {
                let range = text.span(function.name_span()?);
                self.at.lens(function, range)
            };
            let all = functions(&self.at.db, self.source);
            all.iter().filter_map(lens).collect()
        })
    }

    pub(super) fn completions(&self, position: lsp::Position) -> lsp::CompletionResponse {
        self.with(|text| {
            let (range, items) = completion::completions(&self.at.db, self.source, text.offset(position));
            let range = text.range(range.start, range.end);
            let item = |(rank, item): (usize, completion::Item)| {
                completion_item(item, rank, range, self.at.snippets)
            };
            lsp::CompletionResponse::Array(items.into_iter().enumerate().map(item).collect())
        })
    }

    pub(super) fn signature(&self, position: lsp::Position) -> Option<lsp::SignatureHelp> {
        self.with(|text| {
            let signature = signature::signature(&self.at.db, self.source, text.offset(position))?;
            let part = |(at, doc): &(std::ops::Range<usize>, String)| {
                let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
                lsp::ParameterInformation {
                    // The forms of ops are ASCII.
                    label: lsp::ParameterLabel::LabelOffsets([offset(at.start), offset(at.end)]),
                    documentation: (!doc.is_empty()).then(|| lsp::Documentation::String(doc.clone())),
                }
            };
            let active = signature.active.and_then(|active| u32::try_from(active).ok());
            Some(lsp::SignatureHelp {
                signatures: vec![lsp::SignatureInformation {
                    parameters: Some(signature.parts.iter().map(part).collect()),
                    label: signature.form,
                    documentation: Some(lsp::Documentation::String(signature.op.doc.to_owned())),
                    active_parameter: active,
                }],
                active_signature: Some(0),
                active_parameter: active,
            })
        })
    }

    /// The code actions in a range: fixes of diagnostics, and the assumption that an array is aligned.
    pub(super) fn actions(&self, range: lsp::Range) -> Vec<lsp::CodeActionOrCommand> {
        let mut said = problems::front_end(&self.at.db, self.source);
        said.extend_from_slice(problems::back_end(&self.at.db, self.source, self.at.options));
        self.with(|text| {
            let mut actions = Vec::new();
            for problem in &said {
                let diagnostic = text.diagnostic(&self.at.uri, problem);
                if diagnostic.range.end < range.start || range.end < diagnostic.range.start {
                    continue;
                }
                for fix in &problem.fixes {
                    let Location::Span(at) = fix.at else {
                        continue;
                    };
                    let edit = lsp::TextEdit::new(text.span(at), fix.replacement.clone());
                    actions.push(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                        kind: Some(lsp::CodeActionKind::QUICKFIX),
                        diagnostics: Some(vec![diagnostic.clone()]),
                        is_preferred: Some(problem.fixes.len() == 1),
                        ..self.action(fix.title.clone(), vec![edit])
                    }));
                }
            }
            let offset = text.offset(range.start);
            if let Some(found) = assume::assumption(&self.at.db, self.source, self.at.options, offset) {
                let edits = found.edits.into_iter();
                let edits = edits.map(|(at, new)| lsp::TextEdit::new(text.span(at), new));
                actions.push(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                    kind: Some(lsp::CodeActionKind::REFACTOR_REWRITE),
                    ..self.action(found.title, edits.collect())
                }));
            }
            actions
        })
    }

    /// An action that edits the document.
    fn action(&self, title: String, edits: Vec<lsp::TextEdit>) -> lsp::CodeAction {
        #[expect(
            clippy::mutable_key_type,
            reason = "the protocol's own type; the address is not changed"
        )]
        let changes = [(self.at.uri.clone(), edits)].into();
        lsp::CodeAction {
            title,
            edit: Some(lsp::WorkspaceEdit::new(changes)),
            ..lsp::CodeAction::default()
        }
    }

    /// The edits that format the lines from one to another.
    pub(super) fn format(&self, options: &lsp::FormattingOptions, lines: [u32; 2]) -> Vec<lsp::TextEdit> {
        let language = crate::reading::language(&self.at.db, self.source);
        let [first, last] = lines.map(|line| usize::try_from(line).unwrap_or(usize::MAX));
        self.with(|text| {
            let edits = format::format(text.text, language, usize::try_from(options.tab_size).ok());
            let edits = edits.into_iter();
            edits
                .filter(|edit| first <= edit.line && edit.line <= last)
                .map(|edit| lsp::TextEdit::new(text.range(edit.at.start, edit.at.end), edit.new))
                .collect()
        })
    }

    pub(super) fn hints(&self, range: lsp::Range) -> Vec<lsp::InlayHint> {
        self.with(|text| {
            let mut shown = Vec::new();
            for function in functions(&self.at.db, self.source) {
                for hint in hints::hints(&self.at.db, &function, self.at.options) {
                    let Some(Location::Span(span)) = function.places.op(hint.origin) else {
                        continue;
                    };
                    // At the end of the op's line.
                    let line = usize::try_from(text.span(span).start.line).unwrap_or(usize::MAX);
                    let position = text.position(text.lines.range(text.text, line).end);
                    if range.start <= position && position <= range.end {
                        shown.push(inlay_hint(hint, position));
                    }
                }
            }
            shown
        })
    }

    /// The semantic tokens of a range of lines, or of the whole text.
    pub(super) fn semantic_tokens(&self, range: Option<lsp::Range>) -> Vec<lsp::SemanticToken> {
        // Colours do not wait for the reader.
        let language = crate::reading::language(&self.at.db, self.source);
        self.with(|text| {
            let line = |position: lsp::Position| {
                let line = usize::try_from(position.line).unwrap_or(usize::MAX);
                text.lines.range(text.text, line)
            };
            let part = range.map_or(0..text.text.len(), |range| {
                let start = line(range.start).start;
                start..line(range.end).end.max(start)
            });
            semantic_tokens(text, part, language)
        })
    }

    /// # Errors
    /// Why there is no such text.
    pub(super) fn stage(&self, params: &StageParams) -> Result<StageResult, String> {
        self.with(|text| {
            let all = functions(&self.at.db, self.source);
            let function = match params.position {
                Some(position) => function_at(&self.at.db, self.source, text.offset(position)),
                None => all.first().copied(),
            };
            let function = function.ok_or("there is no kernel here")?;
            let view = self.at.stage(&function, &params.stage)?;
            let line = |origin: &Option<tilewright_irs::core::Origin>| match function.places.op((*origin)?)? {
                Location::Span(span) => Some(text.span(span).start.line),
                Location::Source { .. } | Location::Offset { .. } => None,
            };
            Ok(StageResult {
                lines: view.origins.iter().map(line).collect(),
                text: view.text,
            })
        })
    }
}

/// An entry of the outline, with those in it.
fn document_symbol(text: Text<'_>, symbol: outline::Symbol) -> lsp::DocumentSymbol {
    use outline::SymbolKind;
    let kind = match symbol.kind {
        SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        SymbolKind::Value | SymbolKind::Variable => lsp::SymbolKind::VARIABLE,
        SymbolKind::Op => lsp::SymbolKind::OPERATOR,
        SymbolKind::Type => lsp::SymbolKind::STRUCT,
        SymbolKind::Attribute => lsp::SymbolKind::CONSTANT,
        SymbolKind::Label => lsp::SymbolKind::KEY,
    };
    let children = symbol.children.into_iter();
    let children: Vec<_> = children.map(|child| document_symbol(text, child)).collect();
    #[expect(deprecated, reason = "the field must be given")]
    lsp::DocumentSymbol {
        name: symbol.name,
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind,
        tags: None,
        deprecated: None,
        range: text.span(symbol.whole),
        selection_range: text.span(symbol.at),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The explanation of a code or of another topic, in Markdown.
///
/// # Errors
/// There is no such topic.
pub(super) fn explain(topic: &str) -> Result<String, String> {
    let topic = Topic::named(topic).map_err(|unknown| unknown.to_string())?;
    Ok(topic.markdown())
}
