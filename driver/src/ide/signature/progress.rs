//! Matches the typed part of an op against its form, to tell which part is being typed or comes next.

use rustc_hash::FxHashMap;

use super::form::{Form, Step, Takes};
use super::words::spelled;
use crate::ide::tokens::Kind;

/// A position in a form that the typed text may have reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place {
    /// Before a step.
    At(usize),
    /// Within the part of a step, inside this many open brackets.
    In(usize, usize),
}

/// The positions that may have been reached. Each has the least number of words that had to be taken as continuing a
/// part, and the number of the last part begun.
type Places = FxHashMap<Place, (usize, Option<usize>)>;

/// The number of the part that is being typed at the end of a text.
pub(super) fn active(form: &Form, typed: &str) -> Option<usize> {
    let mut places = Places::default();
    reach(form, &mut places, 0, (0, None));
    for (kind, word) in spelled(typed) {
        let next = step(form, &places, kind, word);
        // What does not fit is not followed.
        if next.is_empty() {
            break;
        }
        places = next;
    }
    let touches = typed.ends_with(|c: char| !c.is_whitespace());
    let best = places.iter().map(|(place, (cost, last))| {
        let (next, part) = match *place {
            Place::At(at) => match form.steps.get(at) {
                Some(Step::Part { part, .. }) => (0, Some(*part)),
                _ => (2, *last),
            },
            // A part that is complete is followed by the next one, if nothing stands between them.
            Place::In(at, 0) if !touches => match follows(form, at) {
                Some(part) => (1, Some(part)),
                None => (1, *last),
            },
            Place::In(..) => (1, *last),
        };
        (*cost, next, part)
    });
    best.min().and_then(|(_, _, part)| part)
}

/// The next part after that of a step, if no word has to come before it. Optional parts are skipped.
fn follows(form: &Form, at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at = match form.steps.get(at)? {
            Step::Fork(to) | Step::Jump(to) => *to,
            Step::Part { part, .. } => return Some(*part),
            Step::Word(_) => return None,
        };
    }
}

/// Adds the positions that are reached at a step without typing anything: `Fork` and `Jump` are followed.
fn reach(form: &Form, places: &mut Places, at: usize, how: (usize, Option<usize>)) {
    match form.steps.get(at) {
        Some(Step::Fork(to)) => {
            reach(form, places, at + 1, how);
            reach(form, places, *to, how);
        }
        Some(Step::Jump(to)) => reach(form, places, *to, how),
        Some(Step::Word(_) | Step::Part { .. }) | None => add(places, Place::At(at), how),
    }
}

fn add(places: &mut Places, place: Place, how: (usize, Option<usize>)) {
    let known = places.entry(place).or_insert(how);
    if how.0 < known.0 {
        *known = how;
    }
}

/// The positions after one more word.
fn step(form: &Form, places: &Places, kind: Kind, word: &str) -> Places {
    let mut next = Places::default();
    for (&place, &(cost, last)) in places {
        match place {
            Place::At(at) => enter(form, &mut next, at, (cost, last), kind, word),
            Place::In(at, depth) => {
                if depth == 0 {
                    let mut behind = Places::default();
                    reach(form, &mut behind, at + 1, (cost, last));
                    for (place, how) in behind {
                        if let Place::At(at) = place {
                            enter(form, &mut next, at, how, kind, word);
                        }
                    }
                }
                let takes = match form.steps.get(at) {
                    Some(Step::Part { takes, .. }) => *takes,
                    _ => Takes::Anything,
                };
                let stays = match takes {
                    _ if depth > 0 => true,
                    Takes::Values => matches!(kind, Kind::Value | Kind::Alias) || matches!(word, "," | "="),
                    Takes::Word => false,
                    Takes::Anything => true,
                };
                if let Some(within) = nested(depth, word).filter(|_| stays) {
                    let cost = if depth == 0 { cost + 1 } else { cost };
                    add(&mut next, Place::In(at, within), (cost, last));
                }
            }
        }
    }
    next
}

/// Adds the positions after a word that is typed at a step.
fn enter(
    form: &Form,
    next: &mut Places,
    at: usize,
    (cost, last): (usize, Option<usize>),
    kind: Kind,
    word: &str,
) {
    match form.steps.get(at) {
        Some(Step::Word(wanted)) if wanted == word => reach(form, next, at + 1, (cost, last)),
        Some(Step::Part { part, takes }) => {
            let begins = match takes {
                Takes::Values => kind == Kind::Value || word == "%",
                Takes::Word => kind == Kind::Word,
                Takes::Anything => !matches!(word, "," | ":" | "=" | "->"),
            };
            if let Some(depth) = nested(0, word).filter(|_| begins) {
                add(next, Place::In(at, depth), (cost, Some(*part)));
            }
        }
        _ => {}
    }
}

/// The number of open brackets after a word; `None` if the word closes a bracket that is not open.
fn nested(depth: usize, word: &str) -> Option<usize> {
    match word {
        "<" | "(" | "[" | "{" => Some(depth + 1),
        ">" | ")" | "]" | "}" => depth.checked_sub(1),
        _ => Some(depth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Language;

    #[test]
    fn the_part_that_is_typed_is_found_by_what_stands_before() {
        let cases = [
            (Language::CudaTile, "addi", " ", "%lhs"),
            (Language::CudaTile, "addi", " %a", "%lhs"),
            (Language::CudaTile, "addi", " %a, ", "%rhs"),
            (Language::CudaTile, "addi", " %a, %b overflow<", "overflow"),
            (Language::CudaTile, "addi", " %a#1, %b : ", "type of result"),
            (
                Language::CudaTile,
                "addi",
                " %a, %b overflow<no_wrap> : tile<4x",
                "type of result",
            ),
            (Language::CudaTile, "constant", " <i32", "element type"),
            (Language::CudaTile, "constant", " <i32: [1, 2", "value"),
            (Language::CudaTile, "for", " %i in (%a to ", "%upper_bound"),
            (
                Language::CudaTile,
                "for",
                " %i in (%a to %b, step %c) : tile<i32> iter_values(%s = ",
                "%value = %first",
            ),
            (Language::CudaTile, "load_view_tko", " ", "ordering"),
            (Language::CudaTile, "load_view_tko", " weak ", "%view"),
            (
                Language::CudaTile,
                "load_view_tko",
                " weak %v[%x, %y",
                "%index, ...",
            ),
            (
                Language::CudaTile,
                "load_view_tko",
                " weak %v[%x] token = ",
                "%token",
            ),
            (
                Language::CudaTile,
                "make_tensor_view",
                " %p, shape = [%n, 4], strides = [",
                "strides",
            ),
            (Language::TileAs, "arith.addi", " %1, ", "%rhs"),
            (Language::TileAs, "arith.addi", " %1, %2 {overflow = ", "..."),
            (
                Language::TileAs,
                "arith.addi",
                " %1, %2 {overflow = wraps} : ",
                "type of result",
            ),
            (Language::TileAs, "tileas.load", " %1, [%2, %3], after ", "%after"),
            (Language::TileAs, "tileas.load", " %1, [%2", "[%index, ...]"),
        ];
        for (language, op, typed, want) in cases {
            let form = Form::of(language, op).expect("a form");
            let active = active(&form, typed).and_then(|part| form.parts.get(part));
            let part = active.and_then(|(range, _)| form.text.get(range.clone()));
            assert_eq!(part, Some(want), "{op}{typed}| in {}", form.text);
        }
        let load = Form::of(Language::TileAs, "tileas.load").expect("a form");
        let part = active(&load, " %1, [%2] {steps = [1], dim_map = [");
        let doc = part
            .and_then(|part| load.parts.get(part))
            .map(|(_, doc)| doc.as_str());
        assert!(doc.is_some_and(|doc| doc.starts_with("dim_map")), "{doc:?}");
    }
}
