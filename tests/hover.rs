//! What is said of the values of every kernel of the corpus: that it fits their types, and does not contradict itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use tilewright::ide::compiled::Compiled;
use tilewright::ide::functions::{Function, functions};
use tilewright::ide::{became::Became, hints, hover};
use tilewright::{Compiler, Options, Request, Source, Stage};
use tilewright_irs::core::{Entity, Value};
use tilewright_tests::corpus;

/// The bytes of a type's elements side by side, read from its text; `None` for a type without elements.
fn bytes_of(ty: &str) -> Option<u64> {
    let (inner, scalar) = match ty.strip_prefix("known<") {
        Some(known) => (known.split(", div").next()?.split(", contig").next()?, false),
        None => (ty, false),
    };
    let inner = inner.split([' ', ',']).next()?;
    let dims = match inner.strip_prefix("tile<") {
        Some(rest) => rest.strip_suffix('>').unwrap_or(rest),
        None if scalar => return None,
        None => inner,
    };
    let (mut count, mut rest) = (1, dims);
    while let Some((extent, after)) = rest
        .split_once('x')
        .filter(|(extent, _)| extent.parse::<u64>().is_ok())
    {
        count *= extent.parse::<u64>().ok()?;
        rest = after;
    }
    let bits = match rest {
        "i1" => 1,
        "i4" | "f4E2M1FN" => 4,
        "i8" | "f8E4M3FN" | "f8E5M2" | "f8E8M0FNU" | "fnv8E5M3FNU" => 8,
        "i16" | "f16" | "bf16" => 16,
        "i32" | "f32" | "tf32" => 32,
        "i64" | "f64" => 64,
        pointer if pointer.starts_with("ptr<") => 64,
        _ => return None,
    };
    Some((count * bits as u64).div_ceil(8))
}

/// The extents of a tile type, read from its text.
fn shape_of(ty: &str) -> Vec<u32> {
    let at = ty.find("tile<").map_or(ty, |at| &ty[at + 5..]);
    let extents = at.split('x').map_while(|extent| extent.parse().ok());
    extents.collect()
}

/// The number after a word.
fn number_after<T: std::str::FromStr>(text: &str, word: &str) -> Option<T> {
    let rest = text.split_once(word)?.1;
    let end = rest
        .find(|c: char| c != '-' && !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// What is wrong with the facts of a value.
fn contradictions(facts: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let starting = |word: &str| facts.iter().filter(|fact| fact.starts_with(word)).count();
    for word in ["always ", "a multiple of ", "from ", "at least ", "at most "] {
        if starting(word) > 1 {
            wrong.push(format!("several facts begin with `{word}`"));
        }
    }
    if starting("always ") == 1 && facts.len() > 1 {
        wrong.push("something is said beside a constant".to_owned());
    }
    let said = |word: &str| {
        facts
            .iter()
            .find_map(|fact| number_after::<i64>(&format!(" {fact}"), word))
    };
    let divisor = said(" a multiple of ");
    if let Some((min, max)) = said(" from ").zip(said(" to ")) {
        if min > max {
            wrong.push(format!("from {min} to {max}"));
        }
        let holds_multiple = divisor.is_none_or(|of| max.div_euclid(of) * of >= min);
        if !holds_multiple {
            wrong.push(format!("no multiple of {divisor:?} is from {min} to {max}"));
        }
    }
    wrong
}

/// Everything that is wrong with what is said of a function's values and ops.
fn problems(db: &Compiler, source: Source, options: Options, function: Function<'_>) -> (usize, Vec<String>) {
    let compiled = Compiled::of(db, function, options);
    let mut wrong = Vec::new();
    let values = (0..).map(Value::new);
    let mut said = 0;
    for (value, held) in values.map_while(|value| Some((value, compiled.held(value)?))) {
        said += usize::from(!held.facts.is_empty()) + usize::from(held.tile.is_some());
        let mut add = |what: String| wrong.push(format!("{}: {value:?}: {}: {what}", function.name, held.ty));
        let has_tiles = matches!(
            function.body,
            Stage::CudaTile(_) | Stage::TileAa(_) | Stage::TileAs(_) | Stage::Scheduled(_)
        );
        if has_tiles && held.bytes != bytes_of(&held.ty) {
            add(format!("{:?} bytes", held.bytes));
        }
        if held.ty.contains("token")
            && (held.bytes.is_some() || held.tile.is_some() || !held.facts.is_empty())
        {
            add("a token has elements or facts".to_owned());
        }
        if let Some(tile) = &held.tile
            && tile.layout.shape() != shape_of(&held.ty)
        {
            add(format!("the layout's shape is {:?}", tile.layout.shape()));
        }
        contradictions(&held.facts).into_iter().for_each(add);
    }
    // The explorer and the hints say the same.
    let hints = hints::hints(db, &function, options);
    for (origin, op) in function.ops() {
        let Some(became) = Became::in_compiled(db, &compiled, &function, options, origin) else {
            wrong.push(format!("{}: {}: there is no such op", function.name, op.name));
            continue;
        };
        let own: Vec<_> = op
            .results
            .iter()
            .filter_map(|&result| compiled.held(result))
            .collect();
        if became.results != own {
            wrong.push(format!("{}: {}: the results differ", function.name, op.name));
        }
        let hint = hints.iter().find(|hint| hint.origin == origin);
        let layout = own.iter().find_map(|held| {
            let tile = held.tile.as_ref().map(|tile| &tile.layout);
            tile.or(held.shared.as_ref().map(|shared| &shared.layout))
        });
        let layout = layout.map(ToString::to_string).unwrap_or_default();
        // Why it is not done in a faster way comes before.
        if hint.is_some_and(|hint| !hint.tooltip.ends_with(&layout)) {
            wrong.push(format!(
                "{}: {}: the hint's layout differs",
                function.name, op.name
            ));
        }
    }
    // The hover of a name tells of its own value alone, or of the group of results that has the name.
    let mut places: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    for name in function.places.names() {
        places.entry(name.at.start).or_default().push(name.value);
    }
    for (at, values) in places {
        let held: Vec<_> = values.iter().filter_map(|&value| compiled.held(value)).collect();
        let hover = hover::of_function(db, source, options, &function, &compiled, at as usize);
        let Some(hover) = hover else {
            wrong.push(format!("{}: {values:?} have no hover", function.name));
            continue;
        };
        let lines = || hover.markdown.lines();
        let sizes: Vec<u64> = lines()
            .filter_map(|line| line.split_once(" in all, ")?.0.split(' ').next()?.parse().ok())
            .collect();
        let own = held
            .iter()
            .filter(|held| held.tile.is_some() || held.shared.is_some());
        if own.map(|held| held.bytes).ne(sizes.iter().copied().map(Some)) {
            wrong.push(format!("{}: {values:?}: {sizes:?}", function.name));
        }
        let known = lines()
            .filter(|line| line.starts_with("known: "))
            .map(str::to_owned);
        let facts = held.iter().filter(|held| !held.facts.is_empty());
        if known.ne(facts.map(|held| format!("known: {}", held.facts.join("; ")))) {
            wrong.push(format!(
                "{}: {values:?}: other facts than their own",
                function.name
            ));
        }
    }
    (said, wrong)
}

/// The kernel that a file of bytecode or of its disassembly has, whose versions are alike.
fn kernel_of(path: &Path) -> Option<String> {
    let folder = path.parent()?.file_name()?.to_str()?;
    let name = path.file_name()?.to_str()?.split('.').next()?;
    matches!(folder, "bytecode" | "disasm").then(|| format!("{folder}/{name}"))
}

/// What is said of the kernels of a file, and what is wrong with it.
fn problems_in_file(path: &Path, bytes: Vec<u8>) -> (usize, Vec<String>) {
    let mut db = Compiler::new();
    let source = db.add_source(path.display().to_string(), bytes);
    let options = db.options(Request::default());
    let (mut count, mut wrong) = (0, Vec::new());
    for function in functions(&db, source) {
        if function.kernel.is_none() {
            continue;
        }
        let (said, problems) = problems(&db, source, options, function);
        count += said;
        let problems = problems.into_iter();
        wrong.extend(problems.map(|what| format!("{}: {what}", path.display())));
    }
    (count, wrong)
}

#[test]
fn what_is_said_of_a_value_fits_its_type_and_does_not_contradict_itself() {
    let mut seen = BTreeSet::new();
    // The newest version of each comes last.
    let mut files: Vec<_> = corpus().into_iter().rev().collect();
    files.retain(|(path, _)| kernel_of(path).is_none_or(|kernel| seen.insert(kernel)));
    // One of three, since all take minutes.
    let found = files
        .into_par_iter()
        .step_by(3)
        .map(|(path, bytes)| problems_in_file(&path, bytes));
    let (count, wrong) = found.reduce(Default::default, |(count, mut wrong), (more, others)| {
        wrong.extend(others);
        (count + more, wrong)
    });
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 3_000, "{count} values have a layout or facts");
}
