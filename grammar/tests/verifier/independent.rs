//! Independent mistakes: each is reported once, in the order of the text, without follow-up errors.

use proptest::prelude::*;
use tilewright_diagnostics::FileId;
use tilewright_irs::cuda_tile::verify_module;

use super::{Case, Said, cases, said};
use crate::preview::parse_tile_text;

/// The cases of one kernel without references from elsewhere, so that several of them form a module.
fn kernels() -> Vec<Case> {
    let alone = |case: &Case| {
        let words = |word: &str| case.text.matches(word).count();
        let others = ["global ", "#loc", "loc(", "preview$"];
        words("entry @") == 1 && others.iter().all(|word| words(word) == 0)
    };
    cases().into_iter().filter(alone).collect()
}

/// A module of several cases and its expected diagnostics.
fn together(cases: &[&Case]) -> (String, Vec<Said>) {
    let (mut text, mut wanted) = (String::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        let before = text.lines().count();
        text.push_str(&case.text.replacen("entry @", &format!("entry @kernel{i}_"), 1));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        wanted.extend(case.announced().into_iter().map(|said| Said {
            line: said.line + before,
            at: said.at.replacen('@', &format!("@kernel{i}_"), 1),
            ..said
        }));
    }
    (text, wanted)
}

/// The difference between actual and expected diagnostics.
fn difference(text: &str, wanted: &[Said]) -> Option<String> {
    let found = said(text);
    let same = |found: &Said, wanted: &Said| {
        (found.line, &found.code, &found.at) == (wanted.line, &wanted.code, &wanted.at)
    };
    let more = found
        .iter()
        .find(|found| !wanted.iter().any(|wanted| same(found, wanted)));
    let less = wanted
        .iter()
        .find(|wanted| !found.iter().any(|found| same(found, wanted)));
    if more.is_none() && less.is_none() && found.len() == wanted.len() {
        return None;
    }
    Some(format!(
        "{} problems, expected {}: more {more:?}, less {less:?}",
        found.len(),
        wanted.len()
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn mistakes_of_several_kernels_are_reported_once_and_in_order(
        picks in prop::collection::vec(any::<prop::sample::Index>(), 2..6)
    ) {
        let all = kernels();
        let chosen: Vec<_> = picks.iter().map(|pick| pick.get(&all)).collect();
        let (text, wanted) = together(&chosen);
        prop_assert_eq!(difference(&text, &wanted), None);
        let parsed = parse_tile_text(&text, FileId(0));
        let problems = verify_module(&parsed.module).err().unwrap_or_default();
        let places: Vec<_> = problems
            .iter()
            .map(|problem| {
                let func = problem.func.expect("a function");
                let at = problem.diagnostic.primary.as_ref().expect("a place").at;
                parsed.spans[func].get(at).start
            })
            .collect();
        prop_assert!(places.is_sorted(), "{:?}", places);
    }
}

/// The tile types that a line names.
fn tile_types(line: &str) -> Vec<&str> {
    let mut types = Vec::new();
    for (start, _) in line.match_indices("tile<") {
        let rest = line.get(start..).unwrap_or_default();
        let mut depth = 0i32;
        let end = rest.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            c == '>' && depth == 0
        });
        types.extend(end.and_then(|end| rest.get(..=end)));
    }
    types
}

#[test]
fn users_of_an_invalid_op_are_not_reported() {
    let (mut checked, mut wrong) = (0usize, Vec::new());
    for case in kernels() {
        let announced = case.announced();
        let mut lines: Vec<_> = announced.iter().map(|said| said.line).collect();
        lines.dedup();
        for line in lines {
            let text = if announced.iter().all(|said| said.line == line) {
                case.text.clone()
            } else {
                case.with_only(Some(line))
            };
            let source = text.lines().nth(line).unwrap_or_default();
            let source = source.split(" // ").next().unwrap_or_default();
            let Some((names, _)) = source.trim().split_once(" = ") else {
                continue;
            };
            let name = names.split([',', ':']).next().unwrap_or_default();
            // No single op accepts every tensor and view.
            let makes = [" = make_", "cuda_tile.make_", ": tensor_view<"];
            if makes.iter().any(|word| source.contains(word)) {
                continue;
            }
            let wanted: Vec<_> = announced
                .iter()
                .filter(|said| said.line == line)
                .cloned()
                .collect();
            // Its users would become the invalid terminator.
            if wanted.iter().any(|said| said.message.contains("no terminator")) {
                continue;
            }
            // A region follows on the next lines; a user would be inside it.
            if source.trim_end().ends_with('{')
                || text
                    .lines()
                    .nth(line + 1)
                    .is_some_and(|next| next.trim_start().starts_with('('))
            {
                continue;
            }
            let with_user = |user: String| {
                let mut lines: Vec<_> = text.lines().collect();
                lines.insert(line + 1, &user);
                difference(&(lines.join("\n") + "\n"), &wanted)
            };
            let types = tile_types(source).into_iter();
            let users = types.map(|ty| format!("  %used = reshape {name} : {ty} -> {ty}"));
            let users = users.chain([format!("  %used = join_tokens {name}, {name} : token")]);
            let differences: Option<Vec<_>> = users.map(with_user).collect();
            match differences.as_deref() {
                // One of these uses the result, so that there is no second mistake.
                Some([first, ..]) => wrong.push(format!("{}: {source}\n    {first}", case.name(line))),
                Some([]) => {}
                None => checked += 1,
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {checked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked > 300, "{checked} lines");
}

#[test]
fn a_wrong_type_is_reported_once_and_regions_of_an_invalid_op_are_checked() {
    let lines = |text: &str| -> Vec<usize> { said(text).iter().map(|said| said.line).collect() };
    let twice = "entry @twice(%x: tile<f32>) {
  %a = constant <f32: 1.0> : tile<3xf32>
  %b = constant <f32: 2.0> : tile<3xf32>
  %c = addf %a, %b : tile<3xf32>
  return
}
";
    assert_eq!(lines(twice), [1]);
    // The reduction is along an invalid dimension, and an op in its body extends to a narrower type.
    let within = "entry @within() {
  %a = iota : tile<8xi32>
  %r = reduce %a dim=5 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%i: tile<i32>, %j: tile<i32>) {
    %w = exti %i signed : tile<i32> -> tile<i8>
    yield %i : tile<i32>
  }
  return
}
";
    assert_eq!(lines(within), [2, 4]); // A wrong type before it hides nothing of an op that has nothing to do with it.
    let after = "entry @after() {
  %a = iota : tile<8xi32>
  %w = constant <f32: 1.0> : tile<3xf32>
  %r = reduce %a dim=5 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%i: tile<i32>, %j: tile<i32>) {
    yield %i : tile<i32>
  }
  return
}
";
    assert_eq!(lines(after), [2, 3]);
    // An argument of a region has its own type.
    let argument = "entry @argument() {
  %a = iota : tile<8xi32>
  %r = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%i: tile<3xi32>, %j: tile<i32>) {
    yield %j : tile<i32>
  }
  return
}
";
    assert!(
        said(argument).iter().any(|said| said.code == "E0401"),
        "{:?}",
        said(argument)
    );
}
