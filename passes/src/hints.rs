//! Hints of a program that passes cannot follow. Hints never change results; what is used in place of one is said, not hidden.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::Hint;

/// What a pass made of a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintUse {
    /// The op that has the hint.
    pub origin: Origin,
    /// The hint.
    pub hint: Hint,
    /// The value that it asks for, 0 or 1 for a truth value; `None` from a pass that may lower what an earlier one made of it.
    pub asked: Option<u32>,
    /// The value that is used.
    pub used: u32,
    /// Why it is another one.
    pub why: String,
}

/// The output of a pass that cannot fail, and what it made of hints.
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

/// The warnings about the hints of a kernel that are not followed, one for each hint, from what all passes made of them, in their
/// order.
pub fn warnings(uses: &[HintUse]) -> Vec<Diagnostic<Origin>> {
    let of_hint = |&hint: &Hint| {
        let mut asked = None;
        let mut unmet: Option<&HintUse> = None;
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
        let word = |value: u32| match hint {
            Hint::AllowTma => (value != 0).to_string(),
            Hint::NumCtas | Hint::NumWarps | Hint::Occupancy | Hint::Latency => value.to_string(),
        };
        let message = format!(
            "the hint `{} = {}` cannot be followed, and {} is used: {}",
            hint.word(),
            word(asked),
            word(unmet.used),
            unmet.why
        );
        Some(Diagnostic::warning(Code::HintNotFollowed, message).at(unmet.origin, ""))
    };
    Hint::ALL.iter().filter_map(of_hint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(hint: Hint, asked: Option<u32>, used: u32, why: &str) -> HintUse {
        HintUse {
            origin: Origin::FUNCTION,
            hint,
            asked,
            used,
            why: why.to_owned(),
        }
    }

    fn said(uses: &[HintUse]) -> Vec<String> {
        warnings(uses)
            .into_iter()
            .map(|warning| warning.message)
            .collect()
    }

    #[test]
    fn a_hint_that_several_passes_lower_is_named_once_with_the_last_value() {
        let occupancy = [
            one(Hint::Occupancy, Some(8), 6, "registers"),
            one(Hint::Occupancy, None, 6, "nothing"),
            one(Hint::Occupancy, None, 2, "shared memory"),
        ];
        let wanted = "the hint `occupancy = 8` cannot be followed, and 2 is used: shared memory";
        assert_eq!(said(&occupancy), [wanted]);
        // It was met at first.
        let later = [one(Hint::Occupancy, Some(8), 8, ""), occupancy[2].clone()];
        assert_eq!(said(&later), [wanted]);
    }

    #[test]
    fn what_nobody_asked_for_or_what_is_followed_is_not_named() {
        assert_eq!(said(&[one(Hint::Occupancy, None, 2, "shared memory")]), [""; 0]);
        assert_eq!(said(&[one(Hint::NumWarps, Some(4), 4, "")]), [""; 0]);
    }

    #[test]
    fn of_several_accesses_with_a_hint_the_first_is_named() {
        let loads = [
            one(Hint::AllowTma, Some(1), 1, ""),
            one(Hint::AllowTma, Some(1), 0, "the stride"),
            one(Hint::AllowTma, Some(1), 0, "the base"),
        ];
        let wanted = "the hint `allow_tma = true` cannot be followed, and false is used: the stride";
        assert_eq!(said(&loads), [wanted]);
    }
}
