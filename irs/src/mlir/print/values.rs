//! The names that values have in a text.

use std::fmt::{self, Write as _};

use crate::core::{Entity as _, Value};

/// A name: `%3`, or `%3#1` for one of several results.
#[derive(Clone, Copy, Debug, Default)]
struct Name {
    number: u32,
    result: Option<u32>,
}

/// The names of the values of a function, given in the order in which the text defines them.
#[derive(Debug)]
pub(super) struct Values {
    names: Vec<Name>,
    next: u32,
}

impl Values {
    pub(super) fn new(count: usize) -> Self {
        Self {
            names: vec![Name::default(); count],
            next: 0,
        }
    }

    /// Names values that are defined together, and returns their number.
    pub(super) fn define(&mut self, values: impl ExactSizeIterator<Item = Value>) -> u32 {
        let number = self.next;
        self.next += 1;
        let several = values.len() > 1;
        for (result, value) in (0..).zip(values) {
            if let Some(name) = self.names.get_mut(value.index()) {
                *name = Name {
                    number,
                    result: several.then_some(result),
                };
            }
        }
        number
    }

    pub(super) fn write(&self, value: Value, out: &mut String) -> fmt::Result {
        let name = self.names.get(value.index()).copied().unwrap_or_default();
        write!(out, "%{}", name.number)?;
        match name.result {
            Some(result) => write!(out, "#{result}"),
            None => Ok(()),
        }
    }
}
