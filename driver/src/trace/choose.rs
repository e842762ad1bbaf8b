//! The lives that a name is about.

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::{Carrier, Family, is_named, nearest};

use super::{Came, Life, Step};
use crate::units::Language;

/// The most names of the same kind that an unknown name is compared with.
const MOST_ALIKE: usize = 5;

/// The attributes that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// The one that some language calls so, alone or after the name of an op; or all parts of the record that it calls so.
    Named(&'a str),
    /// All, except for what ops compute.
    All,
}

impl Wanted<'_> {
    /// The lives, each with what it has to do with the attribute: what it comes from, and what becomes of it.
    pub fn of(self, lives: &[Life]) -> Vec<Life> {
        match self {
            Self::All => {
                let is_meant = |life: &&Life| life.steps.iter().any(|step| step.family != Family::Meaning);
                lives.iter().filter(is_meant).cloned().collect()
            }
            Self::Named(name) => lives.iter().filter_map(|life| part(life, name)).collect(),
        }
    }
}

/// The names that the attributes of a kernel have in the language that it was read in.
pub(super) fn names(lives: &[Life]) -> BTreeSet<&'static str> {
    let steps = lives.iter().flat_map(|life| &life.steps);
    let is_own = |step: &&Step| step.came == Came::Read && step.family != Family::Meaning;
    steps.filter(is_own).map(|step| step.name).collect()
}

/// Checks that some language has an attribute of this name.
///
/// # Errors
/// A diagnostic with the names that are like it.
pub fn check_name(name: &str) -> Result<(), Diagnostic<Location>> {
    let languages = Language::ALL.iter();
    let all: Vec<_> = languages
        .flat_map(|language| language.declared().attributes())
        .collect();
    let mut named = all
        .iter()
        .filter(|spec| is_named(spec.op, spec.name, name) || spec.is_called(name))
        .peekable();
    if named.peek().is_some() {
        // Of types and modules the tables say what becomes of them, and no kernel has them.
        return match named.find(|spec| !matches!(spec.carrier, Carrier::Type | Carrier::Module)) {
            Some(_) => Ok(()),
            None => {
                let message = format!("`{name}` is an attribute of types or modules, and no kernel has it");
                Err(Diagnostic::error(Code::BadArgument, message))
            }
        };
    }
    let names: BTreeSet<&str> = all.iter().map(|spec| spec.name).collect();
    let alike = |own: &&&str| name.len() > 2 && (own.contains(name) || own.len() > 2 && name.contains(**own));
    let mut close: Vec<&str> = nearest(name, names.iter().copied()).into_iter().collect();
    close.extend(names.iter().filter(alike).take(MOST_ALIKE));
    close.dedup();
    let problem = Diagnostic::error(
        Code::BadArgument,
        format!("no language has an attribute `{name}`"),
    );
    let list: Vec<_> = close.iter().map(|name| format!("`{name}`")).collect();
    Err(match list.is_empty() {
        true => problem.help("`tilewright trace-attr --all` shows the attributes that a file has"),
        false => problem.help(format!("did you mean {}?", list.join(" or "))),
    })
}

/// The steps of a life that an attribute of this name comes from, and those that come from it; `None` if it has no such name.
fn part(life: &Life, name: &str) -> Option<Life> {
    let is_part = |own: &str| own.strip_prefix(name).is_some_and(|part| part.starts_with('.'));
    let is_it = |step: &Step| match step.ops.is_empty() {
        true => step.name == name || is_part(step.name),
        false => step.ops.iter().any(|op| is_named(op, step.name, name)),
    };
    let own: BTreeSet<usize> = (0..)
        .zip(&life.steps)
        .filter(|(_, step)| is_it(step))
        .map(|(at, _)| at)
        .collect();
    if own.is_empty() {
        return None;
    }
    let mut before = own.clone();
    for (at, step) in life.steps.iter().enumerate().rev() {
        if before.contains(&at) {
            before.extend(&step.from);
        }
    }
    let mut after = own;
    for (at, step) in life.steps.iter().enumerate() {
        if step.from.iter().any(|from| after.contains(from)) {
            after.insert(at);
        }
    }
    let kept: Vec<usize> = before.union(&after).copied().collect();
    let number = |old: &usize| kept.iter().position(|at| at == old);
    let steps = kept.iter().filter_map(|&at| life.steps.get(at)).map(|step| Step {
        from: step.from.iter().filter_map(number).collect(),
        ..step.clone()
    });
    let steps: Vec<Step> = steps.collect();
    let is_of = |hint: &str| steps.iter().any(|step| step.name == hint);
    let uses = life.uses.iter().filter(|one| is_of(one.hint));
    let notes = life.notes.iter().filter(|note| is_of(note.hint));
    Some(Life {
        origin: life.origin,
        uses: uses.cloned().collect(),
        notes: notes.cloned().collect(),
        steps,
    })
}
