//! The modules of a crate use each other one way: no two siblings need one another, be it through others. And what one
//! module says, no other says again.
//!
//! A module uses another when a path in its text leads there: `use` declarations and paths that begin with `crate`,
//! `super`, `self` or a child's name. What a parent has of its children is the children's. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path as FilePath, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use tilewright_tests::repository;

/// The circles that stay: the crate, the module around them, their members, and why.
const KEPT: &[(&str, &str, &[&str], &str)] = &[
    (
        "grammar",
        "cuda_tile::preview",
        &["expr", "types"],
        "a preview type has expressions as its arguments, and an expression may be a type",
    ),
    (
        "irs",
        "core",
        &["body", "language"],
        "a body holds the ops of a language, and a language checks functions",
    ),
    (
        "irs",
        "cuda_tile",
        &["attrs", "preview", "types"],
        "types and attributes may be preview content, which is made of types and attributes",
    ),
    (
        "irs",
        "cuda_tile",
        &["declare", "hints", "module", "ops", "verify"],
        "the declaration of an op names its check, and checks tell ops apart",
    ),
    (
        "irs",
        "mlir",
        &["declare", "dialects", "ops"],
        "the declaration of an op builds it, and the ops are the sum of what is declared",
    ),
    (
        "irs",
        "mlir",
        &["module", "verify"],
        "the language names its check of functions, which are of the language",
    ),
    (
        "layouts",
        "cute",
        &["error", "int", "leaf", "tuple"],
        "an error says which integers and tuples it is about, whose operations return it",
    ),
];

/// A path in a text, or the path of a module.
type Path = Vec<String>;

/// The modules of a crate, each with the paths in its text.
type Modules = BTreeMap<Path, BTreeSet<Path>>;

/// Which module uses which, with a path that leads there.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let kept = KEPT.iter().map(|(crate_name, around, members, _)| {
        (crate_name.to_string(), around.to_string(), members.join(", "))
    });
    let kept: BTreeSet<_> = kept.collect();
    let mut found = BTreeSet::new();
    let mut problems = String::new();
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = "));
    for name in members.unwrap().split('"').skip(1).step_by(2) {
        let source = repository().join(name).join("src");
        if !source.exists() {
            continue;
        }
        for (around, uses) in uses_between_siblings(&modules(&source)) {
            for circle in circles(&uses) {
                let circle_of = (name.to_owned(), around.join("::"), circle.join(", "));
                if !kept.contains(&circle_of) {
                    problems += &described(name, &around, &uses, &circle);
                }
                found.insert(circle_of);
            }
        }
    }
    for (crate_name, around, members) in kept.difference(&found) {
        problems +=
            &format!("{crate_name}: no circle of {members} in `{around}` any more: take it off the list\n");
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// The numbers of the machine that mean nothing else: registers of a multiprocessor, and sizes of shared memory in KiB and
/// in bytes.
const OF_THE_MACHINE: &[u64] = &[
    65_536, 163, 164, 227, 228, 49_152, 101_376, 102_400, 166_912, 167_936, 232_448, 233_472,
];

/// Other limits that happen to be such a number.
const ELSEWHERE: &[(&str, u64)] = &[
    ("irs/src/cute_desugared/types.rs", 65_536),
    ("irs/src/tileas/buffer.rs", 65_536),
];

#[test]
fn every_file_of_tests_is_in_a_program() {
    for crate_name in ["layouts", "simulator", "evaluator", "tests"] {
        let root = repository().join(crate_name);
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let folder = match crate_name {
            "tests" => root.clone(),
            _ => root.join("tests"),
        };
        let programs = ["Cargo.toml", "../driver/Cargo.toml"].map(|path| read(root.join(path)));
        let modules = read(folder.join("main.rs"));
        for entry in fs::read_dir(&folder).expect("a folder").filter_map(Result::ok) {
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = file.strip_suffix(".rs") else {
                continue;
            };
            let is_program = programs
                .iter()
                .any(|text| text.contains(&format!("/{file}\"")) || text.contains(&format!("\"{file}\"")));
            let is_module = modules.contains(&format!("mod {name};"));
            assert!(is_program || is_module, "{crate_name}: no program has {file}");
        }
    }
}

#[test]
fn numbers_of_the_machine_are_in_its_module_alone() {
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["irs/src", "passes/src", "driver/src"] {
        for file in sources(&repository().join(folder)) {
            let name = file.strip_prefix(repository()).unwrap().to_str().unwrap();
            let own = name.starts_with("irs/src/machine/") || name == "irs/src/isa/limits.rs";
            if own {
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&file).unwrap();
            // Tests have numbers of their own.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (line, number) in code.lines().zip(1..) {
                for what in repeated(line) {
                    if !ELSEWHERE
                        .iter()
                        .any(|&(file, other)| (file, other.to_string()) == (name, what.clone()))
                    {
                        found.push(format!("{name}:{number}: {what}"));
                    }
                }
            }
        }
    }
    assert!(files > 300, "{files}");
    assert!(
        found.is_empty(),
        "these are in `irs::machine`:\n{}",
        found.join("\n")
    );
}

/// What a line says of the machine: its numbers, and constants for the lanes of a warp.
fn repeated(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let numbers = words.iter().filter_map(|word| word.replace('_', "").parse().ok());
    let numbers = numbers.filter(|number: &u64| OF_THE_MACHINE.contains(number));
    let lanes = words.windows(2).filter(|pair| pair == &["const", "LANES"]);
    let threads = code.matches("saturating_mul(32)");
    numbers
        .map(|number| number.to_string())
        .chain(lanes.map(|_| "LANES".to_owned()))
        .chain(threads.map(str::to_owned))
        .collect()
}

fn described(crate_name: &str, around: &[String], uses: &Uses, members: &[String]) -> String {
    let mut text = format!(
        "{crate_name}: a circle in `{}`:\n",
        [&["crate".to_owned()], around].concat().join("::")
    );
    for from in members {
        for to in members {
            if let Some(path) = uses.get(from).and_then(|uses| uses.get(to)) {
                text += &format!("    {from} uses {to}: {path}\n");
            }
        }
    }
    text
}

/// Reads the modules of the crate whose sources are in a folder.
fn modules(source: &FilePath) -> Modules {
    let mut modules = BTreeMap::new();
    for file in sources(source) {
        let inside = file.strip_prefix(source).unwrap().with_extension("");
        let mut module: Path = inside
            .iter()
            .map(|part| part.to_str().unwrap().to_owned())
            .collect();
        module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
        let text: TokenStream = fs::read_to_string(&file).unwrap().parse().unwrap();
        let mut paths = BTreeSet::new();
        collect_paths(text, &[], &mut paths);
        modules.entry(module).or_insert_with(BTreeSet::new).extend(paths);
    }
    modules
}

/// The Rust files in a folder and the folders in it.
fn sources(folder: &FilePath) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                folders.push(file);
            } else if file.extension().is_some_and(|extension| extension == "rs") {
                files.push(file);
            }
        }
    }
    files
}

/// Adds every path among tokens that stand behind `prefix::`.
fn collect_paths(tokens: TokenStream, prefix: &[String], paths: &mut BTreeSet<Path>) {
    let mut path = prefix.to_vec();
    let mut colons = 0;
    let mut is_test = false;
    for token in tokens {
        match token {
            // What is for tests alone ends with its body or at a semicolon.
            TokenTree::Group(body) if is_test && body.delimiter() == Delimiter::Brace => is_test = false,
            TokenTree::Punct(end) if is_test && end.as_char() == ';' => is_test = false,
            _ if is_test => {}
            TokenTree::Punct(colon) if colon.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Ident(name) => {
                if colons != 2 {
                    paths.insert(std::mem::replace(&mut path, prefix.to_vec()));
                }
                path.push(name.to_string());
            }
            TokenTree::Group(group) if colons == 2 && group.delimiter() == Delimiter::Brace => {
                collect_paths(group.stream(), &path, paths);
            }
            TokenTree::Group(group) if is_cfg_test(&group) => is_test = true,
            TokenTree::Group(group) => collect_paths(group.stream(), &[], paths),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        colons = 0;
    }
    paths.insert(path);
}

/// Whether brackets hold `cfg(test)`.
fn is_cfg_test(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// For each module with children, which of them uses which.
fn uses_between_siblings(modules: &Modules) -> BTreeMap<Path, Uses> {
    let mut levels: BTreeMap<Path, Uses> = BTreeMap::new();
    for (from, paths) in modules {
        for path in paths {
            let Some(to) = used(path, from, modules) else {
                continue;
            };
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(own), Some(other)) = (from.get(common), to.get(common)) {
                let uses = levels.entry(from[..common].to_vec()).or_default();
                let uses = uses.entry(own.clone()).or_default();
                uses.insert(
                    other.clone(),
                    format!("`{}` in {}", path.join("::"), from.join("::")),
                );
            }
        }
    }
    levels
}

/// The module of this crate to which a path in the text of `from` leads, through what a parent has of its children.
fn used(path: &Path, from: &Path, modules: &Modules) -> Option<Path> {
    let up = path.iter().take_while(|part| *part == "super").count();
    let whole = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [&from[..], &path[1..]].concat(),
        "super" => [&from[..from.len().checked_sub(up)?], &path[up..]].concat(),
        child if has_child(modules, from, child) => [&from[..], path].concat(),
        _ => return None,
    };
    let module = innermost(modules, &whole);
    let of_child = |path: &&Path| path.len() > 1 && has_child(modules, &module, &path[0]);
    let named = whole.get(module.len()).filter(|_| module != *from);
    let through = named.and_then(|name| {
        modules[&module]
            .iter()
            .filter(of_child)
            .find(|path| path.last() == Some(name))
    });
    Some(match through {
        Some(path) => innermost(modules, &[&module[..], path].concat()),
        None => module,
    })
}

fn has_child(modules: &Modules, module: &Path, name: &str) -> bool {
    modules.contains_key(&[&module[..], &[name.to_owned()]].concat())
}

/// The module that holds what a path from the root of its crate names.
fn innermost(modules: &Modules, path: &[String]) -> Path {
    let mut lengths = (0..=path.len()).rev();
    let length = lengths.find(|&length| modules.contains_key(&path[..length]));
    path[..length.unwrap_or(0)].to_vec()
}

/// The sets of modules each of which needs all others of its set.
fn circles(uses: &Uses) -> BTreeSet<Vec<String>> {
    let needed: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|from| (from, needed(uses, from))).collect();
    let members = |from: &String| {
        let members = needed[from].iter().copied();
        let members = members.filter(|&other| needed.get(other).is_some_and(|back| back.contains(from)));
        members.cloned().collect::<Vec<_>>()
    };
    uses.keys()
        .map(members)
        .filter(|circle| circle.len() > 1)
        .collect()
}

/// The modules that a module needs, be it through others.
fn needed<'a>(uses: &'a Uses, from: &'a String) -> BTreeSet<&'a String> {
    let mut needed = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        let used = uses.get(module).into_iter().flat_map(BTreeMap::keys);
        open.extend(used.filter(|&module| needed.insert(module)));
    }
    needed
}
