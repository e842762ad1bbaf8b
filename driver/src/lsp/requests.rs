//! The editor's requests, by method: prepares the work that answers each, on a snapshot of the database.

use lsp_server::ErrorCode;
use lsp_types as lsp;
use lsp_types::request::{self, Request as _};
use rustc_hash::FxHashSet;
use serde_json::Value;

use super::answers::{Answer, Refused, Work, json, wanted};
use super::bytecode::{DisassemblyParams, disassemble};
use super::convert::Text;
use super::delivery::{Delivery, report};
use super::features::{View, explain};
use super::snapshot::StageParams;
use super::state::{State, Viewed};
use super::uri::{file_of, of_file};
use crate::ide::lines::{Encoding, Lines};
use crate::ide::workspace;

/// The work that answers a request, on a snapshot of the database.
pub(super) fn prepare(state: &State, method: &str, params: Value) -> Result<Work, Refused> {
    match method {
        request::HoverRequest::METHOD => {
            let params: lsp::HoverParams = wanted(params)?;
            let at = params.text_document_position_params;
            for_any(state, &at.text_document.uri, move |viewed| match viewed {
                Viewed::Text(view) => json(view.hover(at.position)),
                Viewed::Python(view) => json(view.hover(at.position)),
            })
        }
        request::GotoDefinition::METHOD => {
            let params: lsp::GotoDefinitionParams = wanted(params)?;
            let at = params.text_document_position_params;
            work(state, &at.text_document.uri, move |view| {
                json(view.definition(at.position))
            })
        }
        request::References::METHOD => {
            let params: lsp::ReferenceParams = wanted(params)?;
            let at = params.text_document_position;
            let declaration = params.context.include_declaration;
            work(state, &at.text_document.uri, move |view| {
                json(view.references(at.position, declaration))
            })
        }
        request::DocumentHighlightRequest::METHOD => {
            let params: lsp::DocumentHighlightParams = wanted(params)?;
            let at = params.text_document_position_params;
            work(state, &at.text_document.uri, move |view| {
                json(view.highlights(at.position))
            })
        }
        request::PrepareRenameRequest::METHOD => {
            let at: lsp::TextDocumentPositionParams = wanted(params)?;
            work(state, &at.text_document.uri, move |view| {
                let range = view.prepare_rename(at.position);
                range.map_err(Refused::failed).and_then(json)
            })
        }
        request::Rename::METHOD => {
            let params: lsp::RenameParams = wanted(params)?;
            let at = params.text_document_position;
            work(state, &at.text_document.uri, move |view| {
                let edit = view.rename(at.position, &params.new_name);
                edit.map_err(Refused::failed).and_then(json)
            })
        }
        request::DocumentSymbolRequest::METHOD => {
            let params: lsp::DocumentSymbolParams = wanted(params)?;
            work(state, &params.text_document.uri, |view| json(view.symbols()))
        }
        request::FoldingRangeRequest::METHOD => {
            let params: lsp::FoldingRangeParams = wanted(params)?;
            work(state, &params.text_document.uri, |view| json(view.folding()))
        }
        request::SelectionRangeRequest::METHOD => {
            let params: lsp::SelectionRangeParams = wanted(params)?;
            work(state, &params.text_document.uri, move |view| {
                json(view.selections(&params.positions))
            })
        }
        request::CodeLensRequest::METHOD => {
            let params: lsp::CodeLensParams = wanted(params)?;
            for_any(state, &params.text_document.uri, |viewed| match viewed {
                Viewed::Text(view) => json(view.lenses()),
                Viewed::Python(view) => json(view.lenses()),
            })
        }
        request::DocumentDiagnosticRequest::METHOD => {
            let params: lsp::DocumentDiagnosticParams = wanted(params)?;
            let uri = params.text_document.uri;
            let (has, back_end) = (params.previous_result_id, state.answers_with_back_end());
            // An editor that is sent them would show each twice.
            let sent = state.delivery != Delivery::Pushed && state.pushes(&uri);
            for_any(state, &uri, move |viewed| {
                let items = match sent {
                    true => Vec::new(),
                    false => viewed.diagnostics(back_end),
                };
                json(report(&items, has.as_deref()))
            })
        }
        request::Completion::METHOD => {
            let params: lsp::CompletionParams = wanted(params)?;
            let at = params.text_document_position;
            work(state, &at.text_document.uri, move |view| {
                json(view.completions(at.position))
            })
        }
        request::SignatureHelpRequest::METHOD => {
            let params: lsp::SignatureHelpParams = wanted(params)?;
            let at = params.text_document_position_params;
            work(state, &at.text_document.uri, move |view| {
                json(view.signature(at.position))
            })
        }
        request::CodeActionRequest::METHOD => {
            let params: lsp::CodeActionParams = wanted(params)?;
            work(state, &params.text_document.uri, move |view| {
                json(view.actions(params.range))
            })
        }
        request::Formatting::METHOD => {
            let params: lsp::DocumentFormattingParams = wanted(params)?;
            work(state, &params.text_document.uri, move |view| {
                json(view.format(&params.options, [0, u32::MAX]))
            })
        }
        request::RangeFormatting::METHOD => {
            let params: lsp::DocumentRangeFormattingParams = wanted(params)?;
            let (start, end) = (params.range.start, params.range.end);
            // A range that ends at the head of a line does not have it.
            let last = if end.character == 0 {
                end.line.saturating_sub(1)
            } else {
                end.line
            };
            let lines = [start.line, last.max(start.line)];
            work(state, &params.text_document.uri, move |view| {
                json(view.format(&params.options, lines))
            })
        }
        request::OnTypeFormatting::METHOD => {
            let params: lsp::DocumentOnTypeFormattingParams = wanted(params)?;
            let at = params.text_document_position;
            work(state, &at.text_document.uri, move |view| {
                json(view.format(&params.options, [at.position.line; 2]))
            })
        }
        request::InlayHintRequest::METHOD => {
            let params: lsp::InlayHintParams = wanted(params)?;
            let uri = params.text_document.uri;
            if !state.folders.of(&uri).settings.shows_hints() {
                return Ok(Box::new(|| Ok(Value::Array(Vec::new()))));
            }
            for_any(state, &uri, move |viewed| match viewed {
                Viewed::Text(view) => json(view.hints(params.range)),
                Viewed::Python(view) => json(view.hints(params.range)),
            })
        }
        request::SemanticTokensFullRequest::METHOD => {
            let params: lsp::SemanticTokensParams = wanted(params)?;
            let coloured = state.coloured.clone();
            work(state, &params.text_document.uri, move |view| {
                json(coloured.full(&view.at.uri, view.semantic_tokens(None)))
            })
        }
        request::SemanticTokensFullDeltaRequest::METHOD => {
            let params: lsp::SemanticTokensDeltaParams = wanted(params)?;
            let coloured = state.coloured.clone();
            work(state, &params.text_document.uri, move |view| {
                let data = view.semantic_tokens(None);
                json(coloured.delta(&view.at.uri, data, &params.previous_result_id))
            })
        }
        request::SemanticTokensRangeRequest::METHOD => {
            let params: lsp::SemanticTokensRangeParams = wanted(params)?;
            work(state, &params.text_document.uri, move |view| {
                json(lsp::SemanticTokens {
                    result_id: None,
                    data: view.semantic_tokens(Some(params.range)),
                })
            })
        }
        request::WorkspaceSymbolRequest::METHOD => {
            let params: lsp::WorkspaceSymbolParams = wanted(params)?;
            Ok(workspace_symbols(state, &params.query))
        }
        "tilewright/stage" => {
            let params: StageParams = wanted(params)?;
            let uri = params.text_document.uri.clone();
            for_any(state, &uri, move |viewed| {
                let stage = match viewed {
                    Viewed::Text(view) => view.stage(&params),
                    Viewed::Python(view) => view.stage(&params),
                };
                stage.map_err(Refused::failed).and_then(json)
            })
        }
        "tilewright/disassembly" => {
            let params: DisassemblyParams = wanted(params)?;
            Ok(Box::new(move || {
                disassemble(&params).map_err(Refused::failed).and_then(json)
            }))
        }
        "tilewright/executions" => {
            let executions = state.db.take_executions().into_iter().map(|one| {
                serde_json::json!({
                    "query": one.query,
                    "subject": one.subject,
                    "count": one.count,
                    "milliseconds": one.time.as_secs_f64() * 1e3,
                })
            });
            let executions: Vec<_> = executions.collect();
            Ok(Box::new(|| json(executions)))
        }
        "tilewright/explain" => {
            let code = params
                .get("code")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            Ok(Box::new(move || {
                let text = explain(&code);
                text.map_err(Refused::failed).and_then(json)
            }))
        }
        _ => {
            let message = format!("the server does not know `{method}`");
            Err(Refused::new(ErrorCode::MethodNotFound, message))
        }
    }
}

/// The functions whose name contains `query`: those of open documents, and of the workspace's files that are not open.
fn workspace_symbols(state: &State, query: &str) -> Work {
    let views: Vec<_> = state.views().map(|(_, viewed)| viewed).collect();
    let folders: Vec<_> = state.folders.roots().filter_map(file_of).collect();
    let encoding = state.encoding;
    let query = query.to_lowercase();
    Box::new(move || {
        let texts = views.iter().filter_map(|viewed| match viewed {
            Viewed::Text(view) => Some(view),
            // The editor has another server for those.
            Viewed::Python(_) => None,
        });
        let mut found: Vec<_> = texts.flat_map(View::flat_symbols).collect();
        found.retain(|symbol| symbol.name.to_lowercase().contains(&query));
        let open: Vec<_> = views.iter().filter_map(|viewed| file_of(viewed.uri())).collect();
        // A search of the disk does not hold up edits.
        drop(views);
        let mut seen = FxHashSet::from_iter(open);
        for folder in folders {
            for file in workspace::files(&folder, &query) {
                if seen.insert(file.path.clone()) {
                    found.extend(symbols_of(&file, encoding));
                }
            }
        }
        json(found)
    })
}

/// The functions of a file that is not open.
fn symbols_of(file: &workspace::File, encoding: Encoding) -> Vec<lsp::WorkspaceSymbol> {
    let Some(uri) = of_file(&file.path) else {
        return Vec::new();
    };
    let lines = Lines::of(&file.text);
    let text = Text {
        text: &file.text,
        lines: &lines,
        encoding,
    };
    let symbol = |(name, at): &(String, std::ops::Range<usize>)| lsp::WorkspaceSymbol {
        name: name.clone(),
        kind: lsp::SymbolKind::FUNCTION,
        tags: None,
        container_name: None,
        location: lsp::OneOf::Left(lsp::Location::new(uri.clone(), text.range(at.start, at.end))),
        data: None,
    };
    file.functions.iter().map(symbol).collect()
}

/// Work on an open document.
fn for_any(
    state: &State,
    uri: &lsp::Uri,
    answer: impl FnOnce(&Viewed) -> Answer + Send + 'static,
) -> Result<Work, Refused> {
    let viewed = state.view(uri).ok_or_else(|| {
        let message = format!("`{}` is not open", uri.as_str());
        Refused::new(ErrorCode::InvalidParams, message)
    })?;
    Ok(Box::new(move || answer(&viewed)))
}

/// Work on an open document in one of the compiler's languages; any other document gets an empty answer.
fn work(
    state: &State,
    uri: &lsp::Uri,
    answer: impl FnOnce(&View) -> Answer + Send + 'static,
) -> Result<Work, Refused> {
    for_any(state, uri, move |viewed| match viewed {
        Viewed::Text(view) => answer(view),
        Viewed::Python(_) => Ok(Value::Null),
    })
}
