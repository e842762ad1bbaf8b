//! The recipes of `CONTRIBUTING.md`: the files that one lists are those that name its example.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tilewright_tests::repository;

/// The kinds of files that are searched.
const SEARCHED: &[&str] = &["c", "json", "lua", "md", "py", "rs", "txt"];

/// The folders of programs: one that is named after the example is found, what uses it is not.
const PROGRAMS: &[&str] = &["golden/", "examples/"];

/// The folders that are searched besides those of the crates.
const BESIDES: &[&str] = &["docs", "editors", "examples", "golden"];

/// Where the generated part of a page begins.
const GENERATED: &str = "<!-- From here on generated";

/// A section of the page that has an example.
struct Recipe {
    title: String,
    /// What names the example.
    names: Vec<String>,
    /// The files and folders that are listed.
    listed: BTreeSet<String>,
}

fn page() -> String {
    fs::read_to_string(repository().join("CONTRIBUTING.md")).expect("the page")
}

/// What stands between backticks.
fn quoted(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

fn recipes() -> Vec<Recipe> {
    let page = page();
    let sections = page.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (title, text) = section.split_once('\n').expect("a text");
            let (_, names) = text.split_once("found by").expect("the names of the example");
            let (names, rest) = names.split_once(".\n").expect("the end of the sentence");
            let rows = rest.lines().filter(|line| line.starts_with("| `"));
            Recipe {
                title: title.to_owned(),
                names: quoted(names),
                listed: rows.map(|row| quoted(row).swap_remove(0)).collect(),
            }
        })
        .collect()
}

/// The folders that are searched.
fn folders() -> BTreeSet<String> {
    let text = fs::read_to_string(repository().join("Cargo.toml")).expect("the workspace");
    let (_, members) = text.split_once("members = [").expect("its members");
    let (members, _) = members.split_once(']').expect("their end");
    let crates = members.split('"').skip(1).step_by(2);
    let top = crates.filter_map(|path| path.split('/').next());
    top.chain(BESIDES.iter().copied()).map(str::to_owned).collect()
}

/// The files below a folder with their paths in the repository, except this one.
fn files(folder: &Path, path: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{path}{name}");
        if entry.path().is_dir() {
            // What an editor's tools have installed.
            if name != "node_modules" {
                files(&entry.path(), &format!("{path}/"), found);
            }
        } else if path != "tests/contributing.rs" {
            found.push(path);
        }
    }
}

/// The files that name an example, and the folders of programs that are named after it.
fn naming(names: &[String], all: &[(String, String)]) -> BTreeSet<String> {
    let has = |text: &str| names.iter().any(|name| text.contains(name.as_str()));
    all.iter()
        .filter_map(|(path, text)| {
            let programs = PROGRAMS.iter().any(|folder| path.starts_with(folder));
            match path.rsplit_once('/') {
                Some((folder, _)) if programs => has(folder).then(|| format!("{folder}/")),
                _ => (has(path) || has(text)).then(|| path.clone()),
            }
        })
        .collect()
}

#[test]
fn the_files_of_a_recipe_are_those_that_name_its_example() {
    let mut paths = Vec::new();
    for folder in folders() {
        files(&repository().join(&folder), &format!("{folder}/"), &mut paths);
    }
    let read = |path: String| {
        let is_searched = Path::new(&path)
            .extension()
            .is_some_and(|end| SEARCHED.iter().any(|one| end == *one));
        let text = match is_searched {
            true => fs::read_to_string(repository().join(&path)).unwrap_or_default(),
            false => String::new(),
        };
        let own = text.split(GENERATED).next().unwrap_or_default().to_owned();
        (path, own)
    };
    let all: Vec<_> = paths.into_iter().map(read).collect();
    let recipes = recipes();
    assert_eq!(recipes.len(), 5);
    for Recipe { title, names, listed } in recipes {
        assert!(!names.is_empty() && listed.len() >= 5, "{title}");
        let found = naming(&names, &all);
        let missing: Vec<_> = found.difference(&listed).collect();
        let idle: Vec<_> = listed.difference(&found).collect();
        assert!(
            missing.is_empty() && idle.is_empty(),
            "CONTRIBUTING.md, \"{title}\": {missing:?} name the example and are not listed; {idle:?} are listed and do not"
        );
        // A name that is found nowhere says that the example is gone.
        for name in &names {
            let alone = naming(std::slice::from_ref(name), &all);
            assert!(!alone.is_empty(), "\"{title}\": nothing names `{name}`");
        }
    }
}

#[test]
fn the_page_is_short_and_its_paths_exist() {
    let page = page();
    assert!(page.lines().count() < 150);
    for path in quoted(&page.replace("```", "")) {
        let roots = [
            "capi/",
            "docs/",
            "driver/",
            "irs/",
            "simulator/",
            "tests/",
            ".ci/",
            "diagnostics/",
        ];
        if roots.iter().any(|root| path.starts_with(root)) {
            assert!(repository().join(&path).exists(), "{path}");
        }
    }
    let readme = fs::read_to_string(repository().join("README.md")).expect("the page");
    assert!(readme.contains("(CONTRIBUTING.md)"));
}
