//! What the server and the editor can do.

use lsp_types as lsp;

use super::tokens::TOKEN_TYPES;
use crate::ide::lines::Encoding;

/// Whether the editor has settings for each folder and answers requests for them.
pub(super) fn tells_settings(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    workspace
        .and_then(|workspace| workspace.configuration)
        .unwrap_or(false)
}

/// Whether the editor can be asked to watch files.
pub(super) fn watches_files(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let watching = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
    watching
        .and_then(|watching| watching.dynamic_registration)
        .unwrap_or(false)
}

/// Whether the editor can be told to refresh code lenses.
pub(super) fn refreshes_lenses(params: &lsp::InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let lens = workspace.and_then(|workspace| workspace.code_lens.as_ref());
    lens.and_then(|lens| lens.refresh_support).unwrap_or(false)
}

/// Whether the editor supports snippets, which have placeholders, in completions.
pub(super) fn has_snippets(params: &lsp::InitializeParams) -> bool {
    let document = params.capabilities.text_document.as_ref();
    let completion = document.and_then(|document| document.completion.as_ref());
    let item = completion.and_then(|completion| completion.completion_item.as_ref());
    item.and_then(|item| item.snippet_support).unwrap_or(false)
}

/// The encoding of columns: bytes if the editor supports them, else UTF-16, which every editor supports.
pub(super) fn encoding(params: &lsp::InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_ref());
    match offered {
        Some(offered) if offered.contains(&lsp::PositionEncodingKind::UTF8) => Encoding::Utf8,
        Some(_) | None => Encoding::Utf16,
    }
}

pub(super) fn capabilities(encoding: Encoding) -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => lsp::PositionEncodingKind::UTF8,
            Encoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(
            lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
                ..lsp::TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(true.into()),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(["%", ".", "<"].map(str::to_owned).to_vec()),
            ..lsp::CompletionOptions::default()
        }),
        signature_help_provider: Some(lsp::SignatureHelpOptions {
            trigger_characters: Some(vec![" ".to_owned(), ",".to_owned()]),
            ..lsp::SignatureHelpOptions::default()
        }),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![
                    lsp::CodeActionKind::QUICKFIX,
                    lsp::CodeActionKind::REFACTOR_REWRITE,
                ]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        document_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_range_formatting_provider: Some(lsp::OneOf::Left(true)),
        document_on_type_formatting_provider: Some(lsp::DocumentOnTypeFormattingOptions {
            first_trigger_character: "}".to_owned(),
            more_trigger_character: None,
        }),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        workspace: Some(lsp::WorkspaceServerCapabilities {
            workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(lsp::OneOf::Left(true)),
            }),
            ..lsp::WorkspaceServerCapabilities::default()
        }),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        semantic_tokens_provider: Some(lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(
            lsp::SemanticTokensOptions {
                legend: lsp::SemanticTokensLegend {
                    token_types: TOKEN_TYPES.to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(lsp::SemanticTokensFullOptions::Delta { delta: Some(true) }),
                range: Some(true),
                ..lsp::SemanticTokensOptions::default()
            },
        )),
        code_lens_provider: Some(lsp::CodeLensOptions {
            resolve_provider: Some(false),
        }),
        diagnostic_provider: Some(lsp::DiagnosticServerCapabilities::Options(
            lsp::DiagnosticOptions {
                identifier: Some("tilewright".to_owned()),
                inter_file_dependencies: false,
                workspace_diagnostics: false,
                ..lsp::DiagnosticOptions::default()
            },
        )),
        ..lsp::ServerCapabilities::default()
    }
}
