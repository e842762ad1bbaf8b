//! Extents along the three axes of a grid, as attributes: `128`, or `[16, 8, 1]`.

use crate::core::{Term, TermCodec, TermError, TermKind};

/// The extents of a block or a cluster along the axes of the grid. Along the first axis alone, they are one number in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extents(pub [u32; 3]);

impl Extents {
    /// So many along the first axis.
    pub const fn of(count: u32) -> Self {
        Self([count, 1, 1])
    }

    /// The number of all.
    pub fn count(self) -> u32 {
        self.0.into_iter().fold(1, u32::saturating_mul)
    }
}

impl TermCodec for Extents {
    fn write(&self) -> Term {
        match self.0 {
            [count, 1, 1] => Term::int(count),
            all => Term::list(all.map(Term::int)),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        const WANTED: &str = "a number, or three of them in brackets";
        if !matches!(term.kind, TermKind::List(_)) {
            return term.to_int(WANTED).map(Self::of);
        }
        let items = term.items(WANTED)?;
        let all: Result<Vec<u32>, _> = items.iter().map(|item| item.to_int("a number")).collect();
        <[u32; 3]>::try_from(all?)
            .map(Self)
            .map_err(|_| term.wrong(WANTED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::term_text;

    #[test]
    fn extents_along_one_axis_are_a_number() {
        for (extents, text) in [
            ([128, 1, 1], "128"),
            ([16, 8, 1], "[16, 8, 1]"),
            ([1, 1, 2], "[1, 1, 2]"),
        ] {
            let term = Extents(extents).write();
            assert_eq!(term_text(&term), text);
            assert_eq!(Extents::read(&term), Ok(Extents(extents)));
        }
        assert_eq!(
            Extents::read(&Term::list([128, 1, 1].map(Term::int))),
            Ok(Extents::of(128))
        );
        for wrong in [Term::list([2, 2].map(Term::int)), Term::word("x"), Term::int(-1)] {
            assert!(Extents::read(&wrong).is_err(), "{}", term_text(&wrong));
        }
    }
}
