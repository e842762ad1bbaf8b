//! A file of `cuda_tile` as text.

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::cuda_tile::{print_tile_module, verify_debug, verify_module, warnings};

use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading::{self, TileFile};
use crate::units::Language;

/// The file's module with its debug information and arrangement.
///
/// # Errors
/// A diagnostic when the file is in another language.
pub(crate) fn tile_file(compiler: &Compiler, source: Source) -> Result<TileFile, Diagnostic<Location>> {
    reading::tile_file(compiler, source).ok_or_else(|| {
        let parsed = reading::parse(compiler, source);
        let language = parsed.language.map_or("no language", Language::name);
        let message = format!("bytecode holds cuda_tile only, and the file is in {language}");
        Diagnostic::error(Code::BadArgument, message)
    })
}

/// The text of a file, with locations if `debug`, and its diagnostics. No text if there is an error among them.
pub(crate) fn disassembled(
    compiler: &Compiler,
    source: Source,
    debug: bool,
) -> (Option<String>, Vec<Diagnostic<Location>>) {
    let text = |file: &TileFile| print_tile_module(&file.module, debug.then_some(&file.debug));
    // A valid file is read once; an invalid one is read again for the locations of its errors.
    if let Some(file) = reading::tile_file(compiler, source).filter(nothing_to_say) {
        return (Some(text(&file)), Vec::new());
    }
    let parsed = reading::parse(compiler, source);
    let mut said = parsed.diagnostics.clone();
    if !parsed.is_sound() {
        return (None, said);
    }
    match tile_file(compiler, source) {
        Ok(file) => (Some(text(&file)), said),
        Err(problem) => {
            said.push(problem);
            (None, said)
        }
    }
}

fn nothing_to_say(file: &TileFile) -> bool {
    verify_module(&file.module).is_ok()
        && verify_debug(&file.module, &file.debug).is_empty()
        && warnings(&file.module).is_empty()
}
