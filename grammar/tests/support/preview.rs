//! Readers that accept all preview content.

use tilewright_diagnostics::{Diagnostic, FileId, Location};
use tilewright_grammar::bytecode::{Bytecode, read_with};
use tilewright_grammar::cuda_tile::{TextOptions, TileParsed, parse_tile_text_with};
use tilewright_irs::cuda_tile::preview::Features;

/// Parses a text that may have preview content.
pub(crate) fn parse_tile_text(text: &str, file: FileId) -> TileParsed {
    let options = TextOptions {
        preview: Features::ALL,
        ..TextOptions::default()
    };
    parse_tile_text_with(text, file, options)
}

/// Reads bytecode that may have preview content.
pub(crate) fn read(bytes: &[u8], file: FileId) -> Result<Bytecode, Vec<Diagnostic<Location>>> {
    read_with(bytes, file, Features::ALL)
}
