//! The op tables in `docs/` say what the declarations say.
//!
//! `UPDATE_DOCS=1 cargo test -p tilewright-tests --test docs` writes them anew.

use std::fmt::Write;
use std::path::PathBuf;

use tilewright_irs::core::{Attributes, Effect, FieldSpec, Language, Operation, ResultCount};
use tilewright_irs::cuda_tile::CudaTile;
use tilewright_irs::cute::Cute;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

const MARK: &str =
    "<!-- From here on generated: UPDATE_DOCS=1 cargo test -p tilewright-tests --test docs -->\n";

#[test]
fn cuda_tile_page_is_current() {
    check::<CudaTile>();
}

#[test]
fn tileaa_page_is_current() {
    check::<TileAa>();
}

#[test]
fn tileas_page_is_current() {
    check::<TileAs>();
}

#[test]
fn scheduled_page_is_current() {
    check::<Scheduled>();
}

#[test]
fn cute_page_is_current() {
    check::<Cute>();
}

#[test]
fn llvm_page_is_current() {
    check::<Llvm>();
}

#[test]
fn nvvm_page_is_current() {
    check::<Nvvm>();
}

fn check<L: Language>() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/{}.md", L::NAME));
    let page = std::fs::read_to_string(&path).expect("every language has a page");
    let (prose, tables) = page
        .split_once(MARK)
        .expect("every page has the mark that its tables follow");
    let wanted = tables_of::<L>();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{prose}{MARK}{wanted}")).expect("the page can be written");
    } else {
        assert_eq!(
            tables,
            wanted,
            "docs/{}.md is out of date: run with UPDATE_DOCS=1",
            L::NAME
        );
    }
}

fn tables_of<L: Language>() -> String {
    let mut text = String::from("\n## Function attributes\n\n");
    attributes(&mut text, L::FuncAttrs::specs());
    text.push_str("\n## Ops\n");
    let mut dialect = "";
    for spec in L::Op::specs() {
        let (prefix, _) = spec.name.split_once('.').unwrap_or((spec.name, ""));
        if prefix != dialect {
            dialect = prefix;
            let _ = writeln!(
                text,
                "\n### `{dialect}`\n\n| op | fields | results | effect | meaning |\n|---|---|---|---|---|"
            );
        }
        let fields: Vec<_> = spec
            .fields
            .iter()
            .map(|f| format!("`{}: {}`", f.name, type_name(f.ty)))
            .collect();
        let results = match spec.results {
            ResultCount::Exactly(n) => n.to_string(),
            ResultCount::Any => "any".to_owned(),
        };
        let effect = match spec.effect {
            Effect::Pure => "pure",
            Effect::Read => "reads memory",
            Effect::Write => "writes memory",
            Effect::ReadWrite => "reads and writes memory",
            Effect::Terminator => "ends its block",
            Effect::Regions => "that of its regions",
        };
        let (name, doc) = (spec.name, one_line(spec.doc));
        let _ = writeln!(
            text,
            "| `{name}` | {} | {results} | {effect} | {doc} |",
            fields.join(", ")
        );
    }
    text
}

fn attributes(text: &mut String, specs: &[FieldSpec]) {
    text.push_str("| attribute | type | meaning |\n|---|---|---|\n");
    for field in specs {
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {} |",
            field.name,
            type_name(field.ty),
            one_line(field.doc)
        );
    }
}

/// A type as a reader of the tables wants it: without paths and blanks.
fn type_name(ty: &str) -> String {
    let ty = ty.replace(' ', "");
    ty.split('<')
        .map(|part| part.rsplit("::").next().unwrap_or(part))
        .collect::<Vec<_>>()
        .join("<")
}

/// A doc comment as one line that is safe in a table.
fn one_line(doc: &str) -> String {
    doc.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
