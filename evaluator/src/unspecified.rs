//! Unspecified values: elements that a mask or a tensor's edge leaves out, shifts by more than the width, conversions
//! of floats out of the range of an integer type.
//!
//! Such an element has a mark, which records its origin. Marks propagate with the elements through every op and
//! through memory. Computing with them is allowed; it is an error if control flow, an address or an assertion depends
//! on one.

use tilewright_irs::core::Origin;

/// The origin of an unspecified element; by default it is specified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mark(u32);

impl Mark {
    /// The element is specified.
    pub(crate) const NONE: Self = Self(0);

    /// Whether the element is unspecified.
    pub(crate) fn is_set(self) -> bool {
        self != Self::NONE
    }

    /// This one, or the other if this one is not set.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_set() { self } else { other }
    }
}

/// An op with an unspecified result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cause {
    /// The op.
    pub(crate) origin: Origin,
    /// The kind of result.
    pub(crate) what: &'static str,
    /// The op that stored it last, if it has been in memory.
    pub(crate) stored: Option<Origin>,
}

/// All ops with unspecified results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes(Vec<Cause>);

impl Causes {
    /// The mark of an op's result. An op has one for each kind of result, however often it runs.
    pub(crate) fn mark(&mut self, origin: Origin, what: &'static str) -> Mark {
        self.of(Cause {
            origin,
            what,
            stored: None,
        })
    }

    /// The mark of a value stored by an op.
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

    /// The origin of a mark.
    pub(crate) fn get(&self, mark: Mark) -> Option<&Cause> {
        let at = usize::try_from(mark.0).ok()?.checked_sub(1)?;
        self.0.get(at)
    }
}

/// The marks of elements that are produced one after the other; not allocated while none is set.
#[derive(Debug)]
pub(crate) struct MarkList {
    marks: Option<Vec<Mark>>,
    count: usize,
}

impl MarkList {
    /// The marks of this many elements, initially these.
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

    /// The first unspecified element.
    pub(crate) fn first(&self) -> Option<(usize, Mark)> {
        let marks = self.0.as_ref()?;
        let found = marks.iter().enumerate().find(|(_, mark)| mark.is_set());
        found.map(|(at, mark)| (at, *mark))
    }

    /// The marks of all elements.
    pub(crate) fn to_vec(&self, count: usize) -> Vec<Mark> {
        self.0.clone().unwrap_or_else(|| vec![Mark::NONE; count])
    }

    /// The elements marked in either.
    pub(crate) fn union(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, None) => Self::NONE,
            (Some(_), None) => self.clone(),
            (None, Some(_)) => other.clone(),
            (Some(a), Some(b)) => Self(Some(a.iter().zip(b).map(|(a, b)| a.or(*b)).collect())),
        }
    }

    /// The marks of elements gathered from these.
    pub(crate) fn pick(&self, positions: impl Iterator<Item = usize>) -> Self {
        match &self.0 {
            None => Self::NONE,
            Some(_) => Self::of(positions.map(|at| self.get(at))),
        }
    }

    /// Adds the marks of the first `count` elements for which the function returns one.
    pub(crate) fn add(&mut self, count: usize, mark: impl Fn(usize) -> Mark) {
        if (0..count).any(|at| mark(at).is_set()) {
            *self = Self::of((0..count).map(|at| self.get(at).or(mark(at))));
        }
    }
}
