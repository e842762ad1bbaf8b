//! Hints of a program that passes do not follow. Hints never change results; what is used in place of one is said, not hidden: in a
//! warning where the hint cannot be followed, in a note where the compiler does otherwise of its own accord.

use tilewright_diagnostics::{Code, Diagnostic, Severity};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::Hint;

/// What a program asks of the compiler without a change of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wish {
    /// A hint of `cuda_tile`, or the attribute that it becomes.
    Hint(Hint),
    /// That a loop shares tiles out among blocks that are resident at once.
    Persistent,
    /// The width of the vectors of an access.
    Access,
    /// The most registers of a thread, of functions of `llvm` and `nvvm`.
    MaxRegisters,
}

impl From<Hint> for Wish {
    fn from(hint: Hint) -> Self {
        Self::Hint(hint)
    }
}

impl Wish {
    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hint(hint) => hint.word(),
            Self::Persistent => "persistent",
            Self::Access => "access",
            Self::MaxRegisters => "nvvm.maxnreg",
        }
    }

    /// A value of it, as programs write it.
    pub fn value_word(self, value: u32) -> String {
        match self {
            Self::Hint(Hint::AllowTma) | Self::Persistent => (value != 0).to_string(),
            Self::Hint(_) | Self::Access | Self::MaxRegisters => value.to_string(),
        }
    }

    /// Whether several passes may lower what a kernel asks for.
    pub fn is_of_kernel(self) -> bool {
        matches!(self, Self::Hint(hint) if Hint::OF_KERNELS.contains(&hint))
    }
}

/// What a pass made of a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintUse {
    /// The op that has the hint.
    pub origin: Origin,
    /// The hint.
    pub hint: Wish,
    /// The value that it asks for, 0 or 1 for a truth value; `None` from a pass that may lower what an earlier one made of it.
    pub asked: Option<u32>,
    /// The value that is used.
    pub used: u32,
    /// Why it is another one.
    pub why: String,
    /// Whether it could be followed.
    pub cause: Cause,
}

/// Why another value than that of a hint is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The program, the target or a limit of the machine forbids what the hint asks for: a warning.
    Forbidden,
    /// The compiler is free to do otherwise, or has nothing to choose: a note.
    Free,
}

/// A hint of a program for one of its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedHint {
    /// The access.
    pub origin: Origin,
    /// Whether it stores.
    pub stores: bool,
    /// The hint.
    pub hint: Wish,
    /// The value that it asks for, 0 or 1 for a truth value.
    pub value: u32,
    /// Whether the hint is for all accesses of the kernel, and says nothing of this one.
    pub of_all: bool,
}

/// The output of a pass, and what it made of hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warned<F> {
    /// The function.
    pub func: F,
    /// The hints.
    pub hints: Vec<HintUse>,
}

impl<F> Warned<F> {
    /// A function without a word on hints.
    pub fn silent(func: F) -> Self {
        Self {
            func,
            hints: Vec::new(),
        }
    }
}

/// A hint that is not followed, with the ops that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The ops, at least one.
    pub origins: Vec<Origin>,
    /// The hint.
    pub hint: Wish,
    /// The value that it asks for.
    pub asked: u32,
    /// The value that is used.
    pub used: u32,
    /// Why.
    pub why: String,
    /// Whether it could be followed.
    pub cause: Cause,
}

impl Unmet {
    /// What is said of it.
    pub fn message(&self) -> String {
        let word = |value| self.hint.value_word(value);
        let (hint, asked, used) = (self.hint.word(), word(self.asked), word(self.used));
        let noun = match self.hint {
            Wish::Hint(_) => "hint",
            Wish::Persistent | Wish::Access | Wish::MaxRegisters => "attribute",
        };
        let outcome = match self.cause {
            Cause::Forbidden => format!("cannot be followed, and {used} is used"),
            Cause::Free if self.used > self.asked => format!("has no effect, and {used} is used"),
            Cause::Free => "has no effect".to_owned(),
        };
        format!("the {noun} `{hint} = {asked}` {outcome}: {}", self.why)
    }

    /// The warning or the note.
    pub fn diagnostic(&self) -> Diagnostic<Origin> {
        let severity = match self.cause {
            Cause::Forbidden => Severity::Warning,
            Cause::Free => Severity::Note,
        };
        let mut said = Diagnostic::new(severity, Code::HintNotFollowed, self.message());
        for (at, &origin) in self.origins.iter().enumerate() {
            said = match at {
                0 => said.at(origin, ""),
                _ => said.also(origin, "here as well"),
            };
        }
        said
    }
}

/// The hints of a kernel that are not followed, from what passes made of them, in their order. `asked` are those of the accesses
/// of the program, if all passes that read hints have run.
pub fn unmet(uses: &[HintUse], asked: Option<&[AskedHint]>) -> Vec<Unmet> {
    let of_kernel = Hint::OF_KERNELS.iter().filter_map(|&hint| lowered(uses, hint));
    let mut all: Vec<Unmet> = of_kernel.collect();
    let of_accesses = match asked {
        Some(asked) => of_program(uses, asked),
        None => {
            let named = |one: &HintUse| {
                Some(AskedHint {
                    origin: one.origin,
                    stores: false,
                    hint: one.hint,
                    value: one.asked?,
                    of_all: false,
                })
            };
            // A limit that follows from another hint is not asked for.
            let is_occupancy = |one: &HintUse| one.hint == Hint::Occupancy.into() && one.asked.is_some();
            let occupied = uses.iter().any(is_occupancy);
            let is_asked = |one: &&HintUse| match one.hint {
                Wish::MaxRegisters => !occupied,
                hint => !hint.is_of_kernel(),
            };
            let own = uses.iter().filter(is_asked);
            let mut asked: Vec<AskedHint> = own.filter_map(named).collect();
            asked.dedup();
            asked.iter().filter_map(|one| of_access(uses, one)).collect()
        }
    };
    for one in of_accesses {
        let is_alike = |other: &&mut Unmet| {
            (other.hint, other.asked, other.used, other.cause) == (one.hint, one.asked, one.used, one.cause)
                && other.why == one.why
        };
        match all.iter_mut().find(is_alike) {
            Some(other) if other.origins.contains(&one.origins[0]) => {}
            Some(other) => other.origins.extend(one.origins),
            None => all.push(one),
        }
    }
    all
}

/// A hint of the kernel that is not followed: several passes may lower the value.
fn lowered(uses: &[HintUse], hint: Hint) -> Option<Unmet> {
    let mut asked = None;
    let mut unmet: Option<&HintUse> = None;
    let hint = hint.into();
    for one in uses.iter().filter(|one| one.hint == hint) {
        let lowest = unmet.map(|unmet| unmet.used).or(asked);
        match (one.asked, lowest) {
            (Some(value), _) if unmet.is_none() => {
                asked = Some(value);
                unmet = (one.used != value).then_some(one);
            }
            (None, Some(lowest)) if one.used < lowest => unmet = Some(one),
            _ => {}
        }
    }
    let (asked, unmet) = asked.zip(unmet)?;
    Some(Unmet {
        origins: vec![unmet.origin],
        hint,
        asked,
        used: unmet.used,
        why: unmet.why.clone(),
        cause: unmet.cause,
    })
}

/// The hints of all accesses that are not followed. Of one that is for all of them, nothing is said where it does nothing, unless
/// it does nothing anywhere.
fn of_program(uses: &[HintUse], asked: &[AskedHint]) -> Vec<Unmet> {
    let is_idle = |unmet: &Option<Unmet>| unmet.as_ref().is_some_and(|unmet| unmet.cause == Cause::Free);
    let found: Vec<(&AskedHint, Option<Unmet>)> =
        asked.iter().map(|one| (one, of_access(uses, one))).collect();
    let has_effect = |hint: Wish| {
        let mut same = found.iter().filter(|(one, _)| one.hint == hint);
        same.any(|(_, unmet)| !is_idle(unmet))
    };
    let is_said =
        |(one, unmet): &&(&AskedHint, Option<Unmet>)| !(one.of_all && is_idle(unmet) && has_effect(one.hint));
    found
        .iter()
        .filter(is_said)
        .filter_map(|(_, unmet)| unmet.clone())
        .collect()
}

/// A hint of an access that is not followed. An op may have become several; what was made of the best one counts.
fn of_access(uses: &[HintUse], asked: &AskedHint) -> Option<Unmet> {
    let mut best: Option<&HintUse> = None;
    for one in uses
        .iter()
        .filter(|one| (one.origin, one.hint) == (asked.origin, asked.hint))
    {
        if best.is_none_or(|best| one.used > best.used) {
            best = Some(one);
        }
    }
    let (used, why, cause) = match (asked.hint, best) {
        // What is forbidden is not done.
        (Wish::Hint(Hint::AllowTma), _) if asked.value == 0 => return None,
        (Wish::Hint(Hint::Latency), _) if asked.stores => (0, "nothing waits for a store", Cause::Free),
        (_, Some(one)) if one.used == asked.value => return None,
        (_, Some(one)) => (one.used, one.why.as_str(), one.cause),
        (_, None) => (
            0,
            "the access is not executed: nothing needs its tile, or an equal access loads it, which takes over the hint",
            Cause::Free,
        ),
    };
    Some(Unmet {
        origins: vec![asked.origin],
        hint: asked.hint,
        asked: asked.value,
        used,
        why: why.to_owned(),
        cause,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(hint: Hint, asked: Option<u32>, used: u32, why: &str) -> HintUse {
        HintUse {
            origin: Origin::FUNCTION,
            hint: hint.into(),
            asked,
            used,
            why: why.to_owned(),
            cause: Cause::Forbidden,
        }
    }

    fn at(origin: u32, asked: u32, used: u32, why: &str) -> HintUse {
        HintUse {
            origin: Origin(origin),
            ..one(Hint::Latency, Some(asked), used, why)
        }
    }

    fn asks(origin: u32, value: u32) -> AskedHint {
        AskedHint {
            origin: Origin(origin),
            stores: false,
            hint: Hint::Latency.into(),
            value,
            of_all: false,
        }
    }

    fn said(uses: &[HintUse], asked: Option<&[AskedHint]>) -> Vec<String> {
        unmet(uses, asked).iter().map(Unmet::message).collect()
    }

    #[test]
    fn a_hint_that_several_passes_lower_is_named_once_with_the_last_value() {
        let occupancy = [
            one(Hint::Occupancy, Some(8), 6, "registers"),
            one(Hint::Occupancy, None, 6, "nothing"),
            one(Hint::Occupancy, None, 2, "shared memory"),
        ];
        let wanted = "the hint `occupancy = 8` cannot be followed, and 2 is used: shared memory";
        assert_eq!(said(&occupancy, None), [wanted]);
        assert_eq!(said(&occupancy, Some(&[])), [wanted]);
        // It was met at first.
        let later = [one(Hint::Occupancy, Some(8), 8, ""), occupancy[2].clone()];
        assert_eq!(said(&later, None), [wanted]);
    }

    #[test]
    fn what_nobody_asked_for_or_what_is_followed_is_not_named() {
        assert_eq!(
            said(&[one(Hint::Occupancy, None, 2, "shared memory")], None),
            [""; 0]
        );
        assert_eq!(said(&[one(Hint::NumWarps, Some(4), 4, "")], None), [""; 0]);
        assert_eq!(said(&[at(1, 4, 4, "")], Some(&[asks(1, 4)])), [""; 0]);
    }

    #[test]
    fn each_access_is_named_and_those_for_one_reason_together() {
        let uses = [
            at(1, 9, 2, "room"),
            at(2, 9, 9, ""),
            at(3, 9, 2, "room"),
            at(4, 8, 2, "room"),
        ];
        let asked = [asks(1, 9), asks(2, 9), asks(3, 9), asks(4, 8)];
        for found in [unmet(&uses, None), unmet(&uses, Some(&asked))] {
            let origins: Vec<_> = found.iter().map(|one| one.origins.clone()).collect();
            assert_eq!(origins, [vec![Origin(1), Origin(3)], vec![Origin(4)]]);
            let said = found[0].diagnostic();
            assert_eq!((said.severity, said.secondary.len()), (Severity::Warning, 1));
        }
    }

    #[test]
    fn of_an_access_that_became_several_the_best_one_counts() {
        let uses = [at(1, 4, 0, "threads"), at(1, 4, 4, ""), at(1, 4, 0, "threads")];
        assert_eq!(said(&uses, Some(&[asks(1, 4)])), [""; 0]);
        // What an equal access asks for is more.
        let more = [HintUse {
            cause: Cause::Free,
            ..at(1, 4, 4, "a ring")
        }];
        let wanted = "the hint `latency = 2` has no effect, and 4 is used: a ring";
        assert_eq!(said(&more, Some(&[asks(1, 2)])), [wanted]);
    }

    #[test]
    fn what_no_pass_has_read_is_a_note() {
        let found = unmet(
            &[],
            Some(&[
                asks(1, 4),
                AskedHint {
                    stores: true,
                    ..asks(2, 4)
                },
            ]),
        );
        let words: Vec<_> = found.iter().map(Unmet::message).collect();
        assert!(
            words[0].contains("`latency = 4` has no effect: the access is not executed"),
            "{words:?}"
        );
        assert!(
            words[1].contains("`latency = 4` has no effect: nothing waits for a store"),
            "{words:?}"
        );
        assert_eq!(found[0].diagnostic().severity, Severity::Note);
        // An access that must not use it does not.
        let denied = AskedHint {
            hint: Hint::AllowTma.into(),
            ..asks(1, 0)
        };
        assert_eq!(said(&[], Some(&[denied])), [""; 0]);
    }

    #[test]
    fn a_hint_for_all_accesses_is_named_where_it_is_idle_only_if_it_is_everywhere() {
        let all = |origin: u32| AskedHint {
            of_all: true,
            ..asks(origin, 4)
        };
        let store = AskedHint {
            stores: true,
            ..all(2)
        };
        assert_eq!(said(&[at(1, 4, 4, "")], Some(&[all(1), store])), [""; 0]);
        assert_eq!(said(&[], Some(&[store])).len(), 1);
        assert_eq!(said(&[at(1, 4, 2, "room")], Some(&[all(1), store])).len(), 1);
    }
}
