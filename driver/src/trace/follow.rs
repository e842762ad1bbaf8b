//! Follows the attributes of a kernel from pass to pass.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use tilewright_irs::core::{AttributeSpec, Carrier, Family, Origin, Term, TermKind, term_text};

use super::in_ptx::InPtx;
use super::{Came, End, Ending, Life, Step};
use crate::changes::{Change, Fate};
use crate::pipeline::Pass;
use crate::policy::{self, Verdict};
use crate::units::{Language, Stage};

/// An attribute in a stage, of the kernel or of ops that were made of one op of the source, with one value.
#[derive(Clone, Debug)]
struct Standing {
    origin: Origin,
    carrier: Carrier,
    family: Family,
    name: &'static str,
    value: Option<String>,
    ops: BTreeSet<String>,
    /// The number of ops.
    count: usize,
    /// Lines of PTX.
    lines: Vec<u32>,
}

impl Standing {
    /// Whether another one is the same attribute, whatever its value.
    fn is_named_as(&self, other: &Self) -> bool {
        (self.origin, self.carrier, self.name) == (other.origin, other.carrier, other.name)
    }
}

/// The attributes of a stage. What has no attributes as data, PTX, has the directives of its text.
fn standings(stage: &Stage, ptx: Option<&InPtx>) -> Vec<Standing> {
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    let mut all: Vec<Standing> = Vec::new();
    for found in stage.attributes() {
        let value = found.value.as_ref().map(shown);
        let key = (found.origin, found.carrier, found.name, value.clone());
        let at = *places.entry(key).or_insert(all.len());
        if at == all.len() {
            all.push(Standing {
                origin: found.origin,
                carrier: found.carrier,
                family: found.family,
                name: found.name,
                value,
                ops: BTreeSet::new(),
                count: 0,
                lines: Vec::new(),
            });
        }
        if let Some(standing) = all.get_mut(at) {
            standing.count += 1;
            if !found.op.is_empty() {
                standing.ops.insert(found.op.to_owned());
            }
        }
    }
    let directives = ptx.into_iter().flat_map(InPtx::directives);
    all.extend(directives.map(|(name, value, line)| Standing {
        origin: Origin::FUNCTION,
        carrier: Carrier::Function,
        family: Family::LaunchShape,
        name,
        value,
        ops: BTreeSet::new(),
        count: 1,
        lines: vec![line],
    }));
    all
}

/// A value; that of a number without the type that `cuda_tile` gives it.
fn shown(value: &Term) -> String {
    match value.as_call() {
        Some((_, [number])) if matches!(number.value.kind, TermKind::Int(_)) => term_text(&number.value),
        _ => term_text(value),
    }
}

/// The attributes that a language declares, by name.
struct Declared(FxHashMap<&'static str, Vec<AttributeSpec>>);

impl Declared {
    fn of(language: Language) -> Self {
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for spec in language.declared().attributes() {
            by_name.entry(spec.name).or_default().push(spec);
        }
        Self(by_name)
    }

    /// The attributes of this name.
    fn named(&self, carrier: Carrier, name: &str) -> impl Iterator<Item = &AttributeSpec> {
        let named = self.0.get(name).into_iter().flatten();
        named.filter(move |spec| spec.carrier == carrier)
    }

    /// The declarations of an attribute, one for each op that has it.
    fn about<'a>(&'a self, standing: &'a Standing) -> impl Iterator<Item = &'a AttributeSpec> {
        let is_of = |spec: &&AttributeSpec| spec.op.is_empty() || standing.ops.contains(spec.op);
        self.named(standing.carrier, standing.name).filter(is_of)
    }

    /// Whether an op, or the kernel, may have an attribute.
    fn may_have(&self, op: &str, carrier: Carrier, name: &str) -> bool {
        let mut named = self.named(carrier, name);
        named.any(|spec| spec.op.is_empty() || spec.op == op)
    }
}

/// A stage after a pass.
struct After<'a> {
    declared: &'a Declared,
    standings: &'a [Standing],
    /// The names of the ops of each origin.
    ops: BTreeMap<Origin, BTreeSet<&'static str>>,
}

/// Where an attribute after a pass comes from: attributes before it, by their numbers.
struct Link {
    came: Came,
    from: Vec<usize>,
}

/// Follows the attributes of a kernel.
pub(super) struct Follower {
    declared: Declared,
    steps: Vec<(Origin, Step)>,
    /// The attributes of the last stage, each with its step.
    alive: Vec<(Standing, usize)>,
    stage: Stage,
}

impl Follower {
    /// Begins with a kernel as it was read.
    pub(super) fn new(body: &Stage) -> Self {
        let mut follower = Self {
            declared: Declared::of(body.language()),
            steps: Vec::new(),
            alive: Vec::new(),
            stage: body.clone(),
        };
        let ptx = InPtx::of_stage(body);
        for standing in standings(body, ptx.as_ref()) {
            follower.begin(
                standing,
                None,
                None,
                Link {
                    came: Came::Read,
                    from: Vec::new(),
                },
            );
        }
        follower
    }

    /// The stage that was reached.
    pub(super) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Follows what the options make of the kernel before a pass.
    pub(super) fn options(&mut self, stage: &Stage, why: &'static str) {
        if *stage == self.stage {
            return;
        }
        let old = std::mem::take(&mut self.alive);
        let new = standings(stage, None);
        let attributes: Vec<_> = old.iter().map(|(standing, _)| standing).collect();
        let links = links(None, (&self.declared, &self.declared), &attributes, &new);
        let goes_on: BTreeSet<usize> = links.iter().flat_map(|link| link.from.iter().copied()).collect();
        for (_, (_, step)) in old.iter().enumerate().filter(|(at, _)| !goes_on.contains(at)) {
            let why = "the GPU that is asked for has another value or none, or cannot honour it";
            self.end(*step, Ending::Dropped, None, Some(why.to_owned()));
        }
        for (standing, link) in new.into_iter().zip(links) {
            let from = link.from.iter().filter_map(|&at| Some(old.get(at)?.1));
            let from: Vec<_> = from.collect();
            match (link.came, from.as_slice()) {
                (Came::Kept, &[step]) => self.alive.push((standing, step)),
                (came, _) => self.begin(standing, None, Some(why), Link { came, from }),
            }
        }
        self.stage = stage.clone();
    }

    /// Follows a pass. Returns whether it has not refused the kernel.
    pub(super) fn advance(&mut self, pass: &'static Pass, after: Option<&Stage>) -> bool {
        let old = std::mem::take(&mut self.alive);
        let Some(after) = after else {
            for (_, step) in old {
                self.end(
                    step,
                    Ending::Refused,
                    Some(pass),
                    Some("the pass refused the kernel".to_owned()),
                );
            }
            return false;
        };
        if *after == self.stage {
            self.alive = old;
            return true;
        }
        let before = match pass.from == pass.to {
            true => None,
            false => Some(std::mem::replace(&mut self.declared, Declared::of(pass.to))),
        };
        let declared = before.as_ref().unwrap_or(&self.declared);
        let ptx = InPtx::of_stage(after);
        let new = standings(after, ptx.as_ref());
        let attributes: Vec<_> = old.iter().map(|(standing, _)| standing).collect();
        let links = links(Some(pass), (declared, &self.declared), &attributes, &new);
        let goes_on: BTreeSet<usize> = links.iter().flat_map(|link| link.from.iter().copied()).collect();
        let mut state = After {
            declared: &self.declared,
            standings: &new,
            ops: BTreeMap::new(),
        };
        for (origin, name) in after.op_names() {
            state.ops.entry(origin).or_default().insert(name);
        }
        let (mut ends, mut in_ptx) = (Vec::new(), Vec::new());
        for (at, (standing, step)) in old.iter().enumerate() {
            if goes_on.contains(&at) {
                continue;
            }
            let of_op = ptx.as_ref().filter(|_| standing.carrier != Carrier::Function);
            let lines = of_op.map(|ptx| {
                let words: Vec<&str> = match &standing.value {
                    Some(value) => vec![value.trim_matches('"')],
                    None => {
                        let words = declared.about(standing).flat_map(|spec| spec.field.keywords);
                        words.map(|word| word.word).collect()
                    }
                };
                ptx.instructions(standing.origin, &standing.ops, &words)
            });
            match lines.filter(|lines| !lines.is_empty()) {
                Some(lines) => in_ptx.push((at, lines)),
                None => ends.push((*step, ending(pass, declared, standing, &attributes, &state))),
            }
        }
        let reasons: Vec<_> = new
            .iter()
            .zip(&links)
            .map(|(standing, link)| match link.came {
                Came::Made | Came::Changed => made_from(pass, &self.declared, standing),
                Came::Read | Came::Kept | Came::Renamed => None,
            })
            .collect();
        for (step, (how, why)) in ends {
            self.end(step, how, Some(pass), why);
        }
        for ((standing, link), why) in new.into_iter().zip(links).zip(reasons) {
            match (link.came, link.from.as_slice()) {
                // Within a language it is the same step.
                (Came::Kept, &[at]) if pass.from == pass.to => {
                    if let Some(&(_, step)) = old.get(at) {
                        self.alive.push((standing, step));
                    }
                }
                _ => {
                    let from = link.from.iter().filter_map(|&at| Some(old.get(at)?.1));
                    let link = Link {
                        came: link.came,
                        from: from.collect(),
                    };
                    self.begin(standing, Some(pass), why, link);
                }
            }
        }
        for (at, lines) in in_ptx {
            if let Some((standing, step)) = old.get(at) {
                let standing = Standing {
                    ops: lines.iter().map(|(_, words)| words.clone()).collect(),
                    lines: lines.into_iter().map(|(line, _)| line).collect(),
                    ..standing.clone()
                };
                self.begin(
                    standing,
                    Some(pass),
                    None,
                    Link {
                        came: Came::Kept,
                        from: vec![*step],
                    },
                );
            }
        }
        self.stage = after.clone();
        true
    }

    fn begin(&mut self, standing: Standing, pass: Option<&Pass>, why: Option<&'static str>, link: Link) {
        let language = pass.map_or(self.stage.language(), |pass| pass.to);
        let step = Step {
            language,
            carrier: standing.carrier,
            family: standing.family,
            ops: standing.ops.clone(),
            name: standing.name,
            value: standing.value.clone(),
            lines: standing.lines.clone(),
            from: link.from,
            came: link.came,
            pass: pass.map(|pass| pass.name),
            why,
            end: None,
        };
        let at = self.steps.len();
        self.steps.push((standing.origin, step));
        if language == Language::Ptx {
            self.end(at, Ending::Ptx, None, None);
        }
        self.alive.push((standing, at));
    }

    fn end(&mut self, step: usize, how: Ending, pass: Option<&Pass>, why: Option<String>) {
        if let Some((_, step)) = self.steps.get_mut(step) {
            step.end = Some(End {
                how,
                pass: pass.map(|pass| pass.name),
                why,
            });
        }
    }

    /// The lives: steps that come from each other are of one.
    pub(super) fn lives(self) -> Vec<Life> {
        // For each step the first one of its life.
        let mut first: Vec<usize> = Vec::with_capacity(self.steps.len());
        for (at, (_, step)) in self.steps.iter().enumerate() {
            let joined: BTreeSet<usize> = step
                .from
                .iter()
                .filter_map(|&from| first.get(from).copied())
                .collect();
            let least = joined.first().copied().unwrap_or(at);
            let lives = first.iter_mut().filter(|life| joined.contains(life));
            lives.for_each(|life| *life = least);
            first.push(least);
        }
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, ((origin, _), first)) in self.steps.iter().zip(first).enumerate() {
            let key = (*origin != Origin::FUNCTION, *origin, first);
            groups.entry(key).or_default().push(at);
        }
        let life = |((_, origin, _), own): (_, Vec<usize>)| {
            let number = |old: &usize| own.iter().position(|at| at == old);
            let steps = own.iter().filter_map(|&at| self.steps.get(at));
            Life {
                origin,
                steps: steps
                    .map(|(_, step)| Step {
                        from: step.from.iter().filter_map(number).collect(),
                        ..step.clone()
                    })
                    .collect(),
                uses: Vec::new(),
                notes: Vec::new(),
            }
        };
        groups.into_iter().map(life).collect()
    }
}

/// Where each attribute after a pass comes from.
fn links(
    pass: Option<&Pass>,
    (declared, to): (&Declared, &Declared),
    old: &[&Standing],
    new: &[Standing],
) -> Vec<Link> {
    let mut links: Vec<Link> = new
        .iter()
        .map(|_| Link {
            came: Came::Made,
            from: Vec::new(),
        })
        .collect();
    let mut by_origin: BTreeMap<Origin, Vec<usize>> = BTreeMap::new();
    for (at, standing) in new.iter().enumerate() {
        by_origin.entry(standing.origin).or_default().push(at);
    }
    // The attributes that are what they were, of no more ops.
    let mut exact = vec![false; new.len()];
    let mut moved = Vec::new();
    for (number, standing) in old.iter().enumerate() {
        let here = by_origin
            .get(&standing.origin)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let same = here.iter().find(|&&at| {
            new.get(at)
                .is_some_and(|other| standing.is_named_as(other) && standing.value == other.value)
        });
        match same {
            Some(&at) => {
                exact[at] = new[at].count <= standing.count;
                links[at] = Link {
                    came: Came::Kept,
                    from: vec![number],
                };
            }
            None => moved.push((number, *standing, here)),
        }
    }
    for (number, standing, here) in moved {
        let of = |is_it: &dyn Fn(&Standing) -> bool| -> Vec<usize> {
            let mut all: Vec<usize> = here.iter().copied().filter(|&at| is_it(&new[at])).collect();
            // One that has the value is it; what was there before is another one.
            let equal = |at: &usize| new[*at].value == standing.value;
            match all.iter().any(equal) {
                true => all.retain(equal),
                false => all.retain(|&at| !exact[at]),
            }
            all
        };
        let names = pass
            .map(|pass| new_names(pass, declared, standing))
            .unwrap_or_default();
        let renamed = of(&|other| names.contains(&(other.carrier, other.name)));
        let (came, links_to) = match renamed.is_empty() {
            false => (Came::Renamed, renamed),
            true => (
                Came::Changed,
                of(&|other| standing.is_named_as(other) && may_become(pass, declared, to, standing, other)),
            ),
        };
        for at in links_to {
            let link = &mut links[at];
            if link.from.is_empty() || came == Came::Renamed {
                link.came = came;
            }
            link.from.push(number);
        }
    }
    links
}

/// The names that a pass gives an attribute.
fn new_names(pass: &Pass, declared: &Declared, standing: &Standing) -> Vec<(Carrier, &'static str)> {
    let is_about = |change: &&Change| declared.about(standing).any(|spec| change.is_about(spec));
    let new = |change: &Change| match change.fate {
        Fate::Renames { carrier, name } => Some((carrier, name)),
        Fate::Consumes | Fate::Makes | Fate::Drops => None,
    };
    pass.changes.iter().filter(is_about).filter_map(new).collect()
}

/// Whether a pass declares that it does this to an attribute.
fn declares(pass: &Pass, declared: &Declared, standing: &Standing, fate: Fate) -> bool {
    let does = |spec: &AttributeSpec| {
        let mut changes = pass.changes.iter();
        changes.any(|change| change.fate == fate && change.is_about(spec))
    };
    declared.about(standing).any(does)
}

/// Whether an attribute with another value may be what an attribute became. Within a language it may, unless the pass declares that
/// the attribute ends, and other ops have the other one. Between two it may if the pass declares that it makes it, or if the next
/// language has no word for the value.
fn may_become(
    pass: Option<&Pass>,
    declared: &Declared,
    to: &Declared,
    standing: &Standing,
    other: &Standing,
) -> bool {
    let Some(pass) = pass else { return true };
    let ends = [Fate::Consumes, Fate::Drops];
    let ends = ends.iter().any(|&fate| declares(pass, declared, standing, fate));
    if pass.from == pass.to {
        return !ends || !standing.ops.is_disjoint(&other.ops) || standing.ops.is_empty();
    }
    if ends {
        return false;
    }
    let has_no_word = |spec: &AttributeSpec| {
        let mut words = spec.field.keywords.iter();
        !spec.field.keywords.is_empty() && !words.any(|word| Some(word.word) == standing.value.as_deref())
    };
    declares(pass, to, other, Fate::Makes) || to.about(other).any(has_no_word)
}

/// From what a pass makes an attribute, if it declares that it does.
fn made_from(pass: &Pass, declared: &Declared, standing: &Standing) -> Option<&'static str> {
    let makes = |spec: &&AttributeSpec| {
        let mut changes = pass.changes.iter();
        changes.any(|change| change.fate == Fate::Makes && change.is_about(spec))
    };
    let made = declared.about(standing).find(makes)?;
    policy::source((pass.from, pass.to), made)?.verdict.why()
}

/// How an attribute ends at a pass.
fn ending(
    pass: &Pass,
    declared: &Declared,
    standing: &Standing,
    old: &[&Standing],
    after: &After<'_>,
) -> (Ending, Option<String>) {
    let stage = (pass.from, pass.to);
    let fates = || {
        let about = declared.about(standing);
        about.filter_map(|spec| policy::fate(stage, spec).ok().flatten())
    };
    let is_function = standing.carrier == Carrier::Function;
    let none = BTreeSet::new();
    let ops = after.ops.get(&standing.origin).unwrap_or(&none);
    let is_removed = !is_function && ops.is_empty() && pass.to != Language::Ptx;
    for (fate, how) in [(Fate::Consumes, Ending::Consumed), (Fate::Drops, Ending::Dropped)] {
        let is_it = |verdict: &Verdict| {
            matches!(
                (verdict, fate),
                (Verdict::Consume(_), Fate::Consumes) | (Verdict::Drop(_), Fate::Drops)
            )
        };
        let why = fates()
            .map(|cell| cell.verdict)
            .find(is_it)
            .and_then(Verdict::why);
        // Within a language each pass may do what the stage does.
        let is_done = declares(pass, declared, standing, fate) || pass.from == pass.to && why.is_some();
        // What is consumed may be so with its op.
        if is_done && (fate == Fate::Consumes || !is_removed) {
            return (how, why.map(str::to_owned));
        }
    }
    if is_removed {
        return (Ending::Removed, None);
    }
    if standing.family == Family::Meaning && pass.from != pass.to {
        return (
            Ending::Consumed,
            Some("it is a part of what the op computes".to_owned()),
        );
    }
    let mut names = new_names(pass, declared, standing);
    names.push((standing.carrier, standing.name));
    let can_have = |op: &str| {
        names
            .iter()
            .any(|(carrier, name)| after.declared.may_have(op, *carrier, name))
    };
    if !is_function && pass.to != Language::Ptx && !ops.iter().any(|op| can_have(op)) {
        let list: Vec<_> = ops.iter().map(|op| format!("`{op}`")).collect();
        let why = format!("it became {}, without such an attribute", list.join(", "));
        return (Ending::Replaced, Some(why));
    }
    let is_implied = |spec: &AttributeSpec| {
        let first = spec.field.keywords.first().map(|first| first.word);
        // A record has all of its numbers, and a cluster of one block is none.
        let first = first.or(spec.is_part().then_some("1"));
        first.is_some_and(|first| Some(first) == standing.value.as_deref())
    };
    if declared.about(standing).any(is_implied) {
        let value = standing.value.as_deref().unwrap_or_default();
        return (
            Ending::Implied,
            Some(format!("`{value}` is what holds without a word")),
        );
    }
    let count = |list: &mut dyn Iterator<Item = &Standing>| -> usize {
        list.filter(|other| standing.is_named_as(other))
            .map(|other| other.count)
            .sum()
    };
    let left = count(&mut after.standings.iter());
    if left > 0 && left < count(&mut old.iter().copied()) {
        return (Ending::Removed, None);
    }
    (Ending::Lost, None)
}
