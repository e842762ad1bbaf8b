//! What the editors are told of files: each language's extension, those that the documentation uses, and the scopes of grammars.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use tilewright::Language;
use tilewright_tests::repository;

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn package() -> Value {
    serde_json::from_str(&read("editors/vscode/package.json")).expect("JSON")
}

/// The names in a text.
fn words(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c: char| !is_name(c));
    words.map(str::to_owned).collect()
}

#[test]
fn every_editor_knows_the_extension_of_every_language() {
    let languages = package()["contributes"]["languages"].take();
    let listed = languages.as_array().into_iter().flatten();
    let in_vscode: Vec<_> = listed
        .flat_map(|one| one["extensions"].as_array().into_iter().flatten())
        .map(|extension| extension.as_str().expect("text").to_owned())
        .collect();
    let page = read("docs/ide.md");
    let in_helix = page
        .lines()
        .find(|line| line.starts_with("file-types = "))
        .map(words);
    let in_helix = in_helix.expect("the types of files for Helix");
    let in_neovim = words(&read("editors/nvim/plugin/tilewright.lua"));
    for language in Language::ALL {
        let name = language.name().to_owned();
        assert!(in_vscode.contains(&format!(".{name}")), "VS Code: {name}");
        assert!(in_helix.contains(&name), "Helix: {name}");
        assert!(in_neovim.contains(&name), "Neovim: {name}");
    }
}

#[test]
fn the_commands_in_the_documentation_write_files_that_the_editors_know() {
    let mut pages = vec![
        repository().join("README.md"),
        repository().join("examples/README.md"),
    ];
    for entry in fs::read_dir(repository().join("docs")).expect("the pages") {
        pages.push(entry.expect("a page").path());
    }
    let mut seen = 0;
    for page in pages
        .iter()
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
    {
        let text = fs::read_to_string(page).expect("the page");
        let commands = text
            .lines()
            .filter(|line| line.starts_with("tilewright ") || line.starts_with("cargo run "));
        for command in commands {
            let texts = command.split_whitespace().filter(|word| word.ends_with(".mlir"));
            // Other dialects have such files; the editors take only these for `cuda_tile`.
            let unknown: Vec<_> = texts.filter(|word| !word.ends_with(".tile.mlir")).collect();
            assert!(unknown.is_empty(), "{}: {command}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} commands are found");
}

#[test]
fn each_grammar_has_the_scope_that_the_extension_names() {
    let grammars = package()["contributes"]["grammars"].take();
    let grammars = grammars.as_array().expect("a list");
    assert!(!grammars.is_empty());
    for grammar in grammars {
        let path = grammar["path"].as_str().expect("a path");
        let file: Value = serde_json::from_str(&read(&format!("editors/vscode/{path}"))).expect("JSON");
        assert_eq!(file["scopeName"], grammar["scopeName"], "{path}");
    }
}
