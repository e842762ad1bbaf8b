//! Lives as text.

use std::fmt::Write;

use tilewright_irs::core::{Carrier, Family, Origin};

use super::choose::{Wanted, names};
use super::place::Placed;
use super::{Came, Ending, Life, Step, Use};
use crate::units::Language;

/// The columns of the name of a language.
const LANGUAGE: usize = 16;
/// The most columns of an attribute with its value after which what is said of it is aligned.
const WIDEST: usize = 64;

/// Lives as text, by families if all are asked for. Ops whose attributes have the same life share a text.
pub fn to_text(kernel: &str, wanted: Wanted<'_>, lives: &[Placed], all: &[Life]) -> String {
    let parts = parts(kernel, wanted, lives, all).into_iter();
    parts.map(|(_, text)| text).collect()
}

/// The lines of such a text, each with the op of the source that it is about.
pub fn to_lines(
    kernel: &str,
    wanted: Wanted<'_>,
    lives: &[Placed],
    all: &[Life],
) -> (String, Vec<Option<Origin>>) {
    let (mut text, mut origins) = (String::new(), Vec::new());
    for (origin, part) in parts(kernel, wanted, lives, all) {
        origins.extend(part.lines().map(|line| origin.filter(|_| !line.is_empty())));
        text += &part;
    }
    (text, origins)
}

/// The parts of a text: headings, and lives, each with the op of the source that it is about.
fn parts(kernel: &str, wanted: Wanted<'_>, lives: &[Placed], all: &[Life]) -> Vec<(Option<Origin>, String)> {
    let (attribute, families) = match wanted {
        Wanted::Named(name) => (format!("`{name}`"), None),
        Wanted::All => ("attributes".to_owned(), Some(Family::ALL)),
    };
    if lives.is_empty() {
        let names: Vec<_> = names(all).into_iter().map(|name| format!("`{name}`")).collect();
        let has = match names.is_empty() {
            true => "none that it was read with".to_owned(),
            false => names.join(", "),
        };
        return vec![(
            None,
            format!("kernel `{kernel}` has no {attribute}; it has {has}\n"),
        )];
    }
    let Some(families) = families else {
        return of_some(kernel, lives);
    };
    let mut parts = Vec::new();
    for family in families {
        let own = lives.iter();
        let own: Vec<_> = own
            .filter(|placed| placed.life.family() == Some(*family))
            .cloned()
            .collect();
        if !own.is_empty() {
            let gap = if parts.is_empty() { "" } else { "\n" };
            parts.push((None, format!("{gap}# {family}\n\n")));
            parts.extend(of_some(kernel, &own));
        }
    }
    parts
}

fn of_some(kernel: &str, lives: &[Placed]) -> Vec<(Option<Origin>, String)> {
    let mut groups: Vec<(&Placed, String, Vec<String>)> = Vec::new();
    for placed in lives {
        let body = body(&placed.life);
        let place = placed.at.as_ref().map(|(file, line, column)| {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{file}:{line}:{column}")
        });
        let same = groups.iter_mut().find(|(first, text, _)| {
            (first.op, title(&first.life)) == (placed.op, title(&placed.life)) && *text == body
        });
        match same {
            Some((_, _, places)) => places.extend(place.filter(|place| !places.contains(place))),
            None => groups.push((placed, body, place.into_iter().collect())),
        }
    }
    let mut parts = Vec::new();
    for (first, body, places) in groups {
        let gap = if parts.is_empty() { "" } else { "\n" };
        let names = title(&first.life);
        let of = match (first.op, is_read(&first.life)) {
            (None, _) => format!("of kernel `{kernel}`"),
            (Some(op), true) => format!("of `{op}`"),
            (Some(op), false) => format!("of what `{op}` became"),
        };
        let places = match places.is_empty() || first.op.is_none() {
            true => String::new(),
            false => format!(", {}", places.join(", ")),
        };
        let origin = Some(first.life.origin).filter(|origin| *origin != Origin::FUNCTION);
        parts.push((origin, format!("{gap}{names} {of}{places}\n{body}")));
    }
    parts
}

fn is_read(life: &Life) -> bool {
    life.steps.iter().any(|step| step.came == Came::Read)
}

/// The names that a life begins with.
fn title(life: &Life) -> String {
    let is_first = |step: &&Step| match is_read(life) {
        true => step.came == Came::Read,
        false => step.from.is_empty(),
    };
    let mut names: Vec<_> = life.steps.iter().filter(is_first).map(|step| step.name).collect();
    names.dedup();
    names.join(", ")
}

/// What becomes of an attribute, in lines.
pub fn body(life: &Life) -> String {
    let mut text = String::new();
    let told = life.steps.iter().filter(|step| !note(step).is_empty());
    let widths = told.map(|step| item(step).chars().count());
    let width = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let mut languages: Vec<Language> = life.steps.iter().map(|step| step.language).collect();
    languages.sort();
    languages.dedup();
    for language in languages {
        let here: Vec<_> = life
            .steps
            .iter()
            .filter(|step| step.language == language)
            .collect();
        let mut heads = Vec::new();
        let mut ends = Vec::new();
        for step in &here {
            let said = format!("{:<width$}  {}", item(step), note(step));
            heads.push(said.trim_end().to_owned());
            ends.extend(end(step).map(|end| (heads.len(), end)));
        }
        if here.iter().all(|step| stays(life, step)) {
            heads = vec!["stays".to_owned()];
            ends.iter_mut().for_each(|(after, _)| *after = 1);
        }
        for (after, end) in ends.into_iter().rev() {
            heads.insert(after, end);
        }
        let of_hints = life.uses.iter().filter(|one| one.language == language);
        let of_hints = of_hints.map(|one| used(one, life));
        heads.splice(1..1, of_hints);
        for (at, line) in heads.iter().enumerate() {
            let first = if at == 0 { language.name() } else { "" };
            let _ = writeln!(text, "  {first:<LANGUAGE$}{line}");
        }
    }
    for note in &life.notes {
        let _ = writeln!(text, "  {}", note.words);
    }
    text
}

/// How a step ends, if the PTX does not say it.
fn end(step: &Step) -> Option<String> {
    let end = step.end.as_ref().filter(|end| end.how != Ending::Ptx)?;
    let by = end.pass.map(|pass| format!(" by `{pass}`")).unwrap_or_default();
    let why = end.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    Some(format!("{}{by}{why}", end.how.word()))
}

/// What a pass makes of a hint; the reason is left out where a note says it.
fn used(one: &Use, life: &Life) -> String {
    let Use { pass, used, why, .. } = one;
    let is_said = why.is_empty() || life.notes.iter().any(|note| note.words.contains(why));
    match is_said {
        true => format!("read by `{pass}`, which uses {used}"),
        false => format!("read by `{pass}`, which uses {used}: {why}"),
    }
}

/// Whether a step is the same as the one that it comes from.
fn stays(life: &Life, step: &Step) -> bool {
    let from = match step.from.as_slice() {
        [from] => life.steps.get(*from),
        _ => None,
    };
    step.came == Came::Kept
        && step.lines.is_empty()
        && from.is_some_and(|from| (from.name, &from.value, &from.ops) == (step.name, &step.value, &step.ops))
}

/// An attribute with what has it and its value; in PTX as it is written there.
pub(super) fn item(step: &Step) -> String {
    let ops: Vec<_> = step.ops.iter().map(String::as_str).collect();
    let ops = ops.join(", ");
    let value = step.value.as_deref();
    match (step.language, step.carrier, value) {
        (Language::Ptx, Carrier::Function, Some(value)) => format!(".{} {value}", step.name),
        (Language::Ptx, Carrier::Function, None) => format!(".{}", step.name),
        (Language::Ptx, ..) => ops,
        (_, Carrier::Function, Some(value)) => format!("{} = {value}", step.name),
        (_, Carrier::Function, None) => step.name.to_owned(),
        (.., Some(value)) => format!("{ops} {} = {value}", step.name),
        (.., None) => format!("{ops} {}", step.name),
    }
}

/// How a step came, and where it is in the PTX.
pub(super) fn note(step: &Step) -> String {
    let (by, why) = match step.pass {
        Some(pass) => (format!(" by `{pass}`"), step.why),
        None => (format!(" by {}", step.why.unwrap_or_default()), None),
    };
    let from = |word| why.map(|why| format!("{word} from {why}")).unwrap_or_default();
    let word = step.came.word();
    let came = match step.came {
        Came::Read | Came::Kept => String::new(),
        Came::Renamed => format!("{word}{by}"),
        Came::Made => format!("{word}{by}{}", from("")),
        Came::Changed => format!("{word}{by}{}", from(", made")),
    };
    let lines = match step.lines.as_slice() {
        [] => String::new(),
        [line] => format!("line {line}"),
        lines => format!("lines {}", ranges(lines)),
    };
    let parts = [lines, came].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// Numbers in ascending order, those that follow each other as ranges.
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}
