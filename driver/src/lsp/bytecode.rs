//! Shows bytecode in the editor as its disassembly.

use serde::Deserialize;

use super::uri::file_of;
use crate::database::Compiler;
use crate::disassembly;
use crate::inputs::is_bytecode;

/// The parameters of the request `tilewright/disassembly`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DisassemblyParams {
    text_document: lsp_types::TextDocumentIdentifier,
}

/// The `cuda_tile` text of a file of bytecode.
///
/// # Errors
/// The file cannot be read, is not bytecode, or has errors.
pub(super) fn disassemble(params: &DisassemblyParams) -> Result<String, String> {
    let uri = &params.text_document.uri;
    let file = file_of(uri).ok_or_else(|| format!("`{}` is no file", uri.as_str()))?;
    let bytes = crate::files::open_program(&file).map_err(|problem| problem.message)?;
    if !is_bytecode(&bytes) {
        return Err(format!("{} is no bytecode", file.display()));
    }
    let mut compiler = Compiler::once();
    let source = compiler.add_source(file.display().to_string(), bytes);
    let (text, said) = disassembly::disassembled(&compiler, source, false);
    text.ok_or_else(|| {
        let first = said.iter().find(|problem| problem.is_error());
        first.map_or_else(
            || "the file cannot be shown".to_owned(),
            |problem| format!("{} [{}]", problem.message, problem.code),
        )
    })
}
