//! The sets of options that panes have asked for, each with what was compiled with it.

use std::collections::VecDeque;

use crate::database::Compiler;
use crate::inputs::{Options, Request};

/// How many sets are kept: those of all panes, and a few to come back to.
const MAX_SETS: usize = 6;

/// Sets of options, the most recently used first.
#[derive(Debug, Default)]
pub(super) struct OptionSets {
    sets: VecDeque<(Request, Options)>,
}

impl OptionSets {
    /// The database input for these options. If there are [`MAX_SETS`] already, the least recently used one is changed
    /// to them, and its results are dropped.
    pub(super) fn get(&mut self, db: &mut Compiler, request: Request) -> Options {
        let known = self.sets.iter().position(|(own, _)| *own == request);
        let options = match known.and_then(|at| self.sets.remove(at)) {
            Some((_, options)) => options,
            None if self.sets.len() < MAX_SETS => db.options(request),
            None => match self.sets.pop_back() {
                Some((_, oldest)) => {
                    db.change_options(oldest, request);
                    oldest
                }
                None => db.options(request),
            },
        };
        self.sets.push_front((request, options));
        options
    }
}

#[cfg(test)]
mod tests {
    use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};

    use super::*;

    #[test]
    fn equal_requests_share_a_set_and_the_oldest_makes_room() {
        let mut db = Compiler::new();
        let mut sets = OptionSets::default();
        let request = |opt_level, fmad| Request {
            opt_level,
            fast_math: FastMath::NONE.with(FastMathFlag::Contract, fmad),
            ..Request::default()
        };
        let first = sets.get(&mut db, request(0, false));
        assert_eq!(sets.get(&mut db, request(0, false)), first);
        let others = [(1, false), (2, false), (3, false), (0, true), (1, true)];
        for (level, fmad) in others {
            assert_ne!(sets.get(&mut db, request(level, fmad)), first);
        }
        let seventh = sets.get(&mut db, request(2, true));
        let fmad = seventh.fast_math(&db).has(FastMathFlag::Contract);
        assert_eq!((seventh, seventh.opt_level(&db), fmad), (first, 2, true));
    }
}
