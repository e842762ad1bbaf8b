//! Facts: what is known about a value at compile time.

use crate::core::{Arg, Args, Term, TermError};

/// Facts about the elements of a value, axis by axis; a scalar has one pseudo axis.
/// For each axis `d`: elements come in aligned runs of `contiguity[d]` consecutive integers (for pointers, of
/// consecutive elements), and of `constancy[d]` equal elements; the first element of each contiguous run is a
/// multiple of `divisibility[d]` (for pointers in bytes). All are powers of two; 1 means unknown. This is the
/// analysis of Triton's `AxisInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Divisor of the first element of each contiguous run.
    pub divisibility: Vec<u64>,
    /// Length of runs of consecutive integers.
    pub contiguity: Vec<u64>,
    /// Length of runs of equal elements.
    pub constancy: Vec<u64>,
    /// No element is smaller (read as signed).
    pub min: Option<i64>,
    /// No element is larger (read as signed).
    pub max: Option<i64>,
}

/// The largest divisor that is recorded.
pub const MAX_DIVISOR: u64 = 1 << 62;

impl Facts {
    /// No facts, for a value of this rank.
    pub fn unknown(rank: usize) -> Self {
        let ones = vec![1; rank.max(1)];
        Self {
            divisibility: ones.clone(),
            contiguity: ones.clone(),
            constancy: ones,
            min: None,
            max: None,
        }
    }

    /// Whether there are no facts.
    pub fn is_unknown(&self) -> bool {
        let ones = |list: &[u64]| list.iter().all(|&n| n == 1);
        ones(&self.divisibility)
            && ones(&self.contiguity)
            && ones(&self.constancy)
            && self.min.is_none()
            && self.max.is_none()
    }

    /// Whether the number of axes matches a value of this rank.
    pub fn fits(&self, rank: usize) -> bool {
        [&self.divisibility, &self.contiguity, &self.constancy]
            .iter()
            .all(|list| {
                list.len() == rank.max(1) && list.iter().all(|&n| n.is_power_of_two() && n <= MAX_DIVISOR)
            })
            && !matches!((self.min, self.max), (Some(min), Some(max)) if min > max)
    }

    pub(super) fn write(&self, args: &mut Vec<Arg>) {
        let lists = [
            ("div", &self.divisibility),
            ("contig", &self.contiguity),
            ("same", &self.constancy),
        ];
        for (name, list) in lists {
            if list.iter().any(|&n| n != 1) {
                args.push(Arg::named(name, Term::ints(list)));
            }
        }
        for (name, bound) in [("min", self.min), ("max", self.max)] {
            if let Some(bound) = bound {
                args.push(Arg::named(name, Term::int(bound)));
            }
        }
    }

    pub(super) fn read(owner: &Term, args: &mut Args<'_>, rank: usize) -> Result<Self, TermError> {
        let mut facts = Self::unknown(rank);
        let Self {
            divisibility,
            contiguity,
            constancy,
            min,
            max,
        } = &mut facts;
        for (name, list) in [("div", divisibility), ("contig", contiguity), ("same", constancy)] {
            if let Some(term) = args.named(name) {
                *list = term.to_ints("powers of two, one an axis")?;
            }
        }
        for (name, bound) in [("min", min), ("max", max)] {
            if let Some(term) = args.named(name) {
                *bound = Some(term.to_int("a 64-bit integer")?);
            }
        }
        if facts.fits(rank) {
            Ok(facts)
        } else {
            Err(owner.wrong("facts that are powers of two, one an axis, and bounds in order"))
        }
    }
}
