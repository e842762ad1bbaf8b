//! Numbers of which the language says nothing: what a mask or the edge of a tensor leaves out, a shift by more than the
//! width, a float that an integer type does not hold.
//!
//! Such an element has a mark, which says where it comes from. Marks go with the elements through every op and through
//! memory. Computing with them is fine; it is an error where one decides what the program does: whether it branches or
//! how often it loops, which memory it accesses, whether an assertion holds.

use tilewright_irs::core::Origin;

/// Where an element comes from that is not specified; the default: it is specified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mark(u32);

impl Mark {
    /// The element is specified.
    pub(crate) const NONE: Self = Self(0);

    /// Whether the element is not specified.
    pub(crate) fn is_set(self) -> bool {
        self != Self::NONE
    }

    /// This one, or the other if this one is not set.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_set() { self } else { other }
    }
}

/// An op that gave something unspecified.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cause {
    /// The op.
    pub(crate) origin: Origin,
    /// What it gave.
    pub(crate) what: &'static str,
    /// The op that stored it last, if it has been in memory.
    pub(crate) stored: Option<Origin>,
}

/// All ops that gave something unspecified.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes(Vec<Cause>);

impl Causes {
    /// The mark of what an op gives. An op has one for each kind of thing, however often it runs.
    pub(crate) fn mark(&mut self, origin: Origin, what: &'static str) -> Mark {
        self.of(Cause {
            origin,
            what,
            stored: None,
        })
    }

    /// The mark of what an op stores.
    pub(crate) fn stored(&mut self, mark: Mark, origin: Origin) -> Mark {
        match self.get(mark) {
            Some(cause) => self.of(Cause {
                stored: Some(origin),
                ..cause.clone()
            }),
            None => mark,
        }
    }

    fn of(&mut self, cause: Cause) -> Mark {
        let known = self.0.iter().position(|known| *known == cause);
        let at = known.unwrap_or_else(|| {
            self.0.push(cause);
            self.0.len() - 1
        });
        Mark(u32::try_from(at + 1).unwrap_or(u32::MAX))
    }

    /// Where a mark comes from.
    pub(crate) fn get(&self, mark: Mark) -> Option<&Cause> {
        let at = usize::try_from(mark.0).ok()?.checked_sub(1)?;
        self.0.get(at)
    }
}

/// The marks of elements that are given one after the other; costs nothing while none is set.
#[derive(Debug)]
pub(crate) struct MarkList {
    marks: Option<Vec<Mark>>,
    count: usize,
}

impl MarkList {
    /// The marks of so many elements, at first these.
    pub(crate) fn over(marks: &Marks, count: usize) -> Self {
        Self {
            marks: marks.0.clone(),
            count,
        }
    }

    /// Sets the mark of an element.
    pub(crate) fn set(&mut self, at: usize, mark: Mark) {
        if self.marks.is_none() && !mark.is_set() {
            return;
        }
        let marks = self.marks.get_or_insert_with(|| vec![Mark::NONE; self.count]);
        if let Some(slot) = marks.get_mut(at) {
            *slot = mark;
        }
    }

    /// The marks.
    pub(crate) fn finish(self) -> Marks {
        Marks::of(self.marks.into_iter().flatten())
    }
}

/// The marks of a tile's elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(Option<Vec<Mark>>);

impl Marks {
    /// All elements are specified.
    pub(crate) const NONE: Self = Self(None);

    /// These marks, if any is set.
    pub(crate) fn of(marks: impl Iterator<Item = Mark>) -> Self {
        let marks: Vec<Mark> = marks.collect();
        Self(marks.iter().any(|mark| mark.is_set()).then_some(marks))
    }

    /// The same mark for so many elements.
    pub(crate) fn all(mark: Mark, count: usize) -> Self {
        Self(mark.is_set().then(|| vec![mark; count]))
    }

    /// The mark of an element.
    pub(crate) fn get(&self, at: usize) -> Mark {
        let marks = self.0.as_ref();
        marks.and_then(|marks| marks.get(at).copied()).unwrap_or_default()
    }

    /// Whether all elements are specified.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The first element that is not specified.
    pub(crate) fn first(&self) -> Option<(usize, Mark)> {
        let marks = self.0.as_ref()?;
        let found = marks.iter().enumerate().find(|(_, mark)| mark.is_set());
        found.map(|(at, mark)| (at, *mark))
    }

    /// The marks, as many as there are elements.
    pub(crate) fn to_vec(&self, count: usize) -> Vec<Mark> {
        self.0.clone().unwrap_or_else(|| vec![Mark::NONE; count])
    }

    /// Where this or the other has a mark.
    pub(crate) fn union(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, None) => Self::NONE,
            (Some(_), None) => self.clone(),
            (None, Some(_)) => other.clone(),
            (Some(a), Some(b)) => Self(Some(a.iter().zip(b).map(|(a, b)| a.or(*b)).collect())),
        }
    }

    /// Marks of elements that are picked from these.
    pub(crate) fn pick(&self, positions: impl Iterator<Item = usize>) -> Self {
        match &self.0 {
            None => Self::NONE,
            Some(_) => Self::of(positions.map(|at| self.get(at))),
        }
    }

    /// Marks more elements: those of `count` for which there is a mark.
    pub(crate) fn add(&mut self, count: usize, mark: impl Fn(usize) -> Mark) {
        if (0..count).any(|at| mark(at).is_set()) {
            *self = Self::of((0..count).map(|at| self.get(at).or(mark(at))));
        }
    }
}
