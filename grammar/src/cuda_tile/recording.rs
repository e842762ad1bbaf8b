//! What the reader of a body records for completion: the types that are expected, and the values in scope.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{Constraint, TileType};

use super::alternatives::Alternative;
use super::body::BodyReader;
use super::completion::{ExpectedValue, Recorder, fits};
use super::tree::{Statement, names};

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Says which types the regions of the current op hand on, if that is recorded.
    pub(super) fn hands_on(&mut self, types: impl FnOnce(&Self) -> Vec<TileType>) {
        if self.recorder.is_none() {
            return;
        }
        let types = types(self);
        if let Some(around) = self.around.last_mut() {
            around.hands_on = types;
        }
    }

    /// The types of these values.
    pub(super) fn types_of(&self, values: &[Value]) -> Vec<TileType> {
        values.iter().map(|&value| self.body.ty(value).clone()).collect()
    }

    /// Records the values in scope, if a statement has been read at the end of the text.
    pub(super) fn record_values(&self, statement: &Statement<'input>) {
        let Some(tried) = self.recorder.and_then(Recorder::wants_values) else {
            return;
        };
        let of_name = |(name, ..): (&str, usize, usize)| self.values.get(name).map(|(value, _)| *value);
        let before = names(&statement.clauses).filter_map(of_name);
        let before: Vec<_> = before.filter_map(|value| self.known_type(value)).collect();
        // What `continue` and `yield` hand on.
        let around = self
            .around
            .iter()
            .rev()
            .find(|around| !around.hands_on.is_empty());
        let handed = around.and_then(|around| around.hands_on.get(before.len()));
        let field = tried.iter().find_map(|alternative| match alternative {
            Alternative::Operand(field) => Some(*field),
            _ => None,
        });
        let is_expected = |ty: &TileType| match field {
            Some(field) if field.constraint == Constraint::Any => handed.is_none_or(|handed| handed == ty),
            Some(field) => fits(field, &before, ty),
            None => true,
        };
        let known = self
            .values
            .iter()
            .filter(|(name, _)| !self.undefined.contains(name.as_ref()));
        let mut values: Vec<_> = known
            .map(|(name, &(value, at))| {
                let ty = self.known_type(value);
                let fits = ty.as_ref().is_some_and(is_expected);
                let name = name.to_string();
                (at.start, ExpectedValue { name, ty, fits })
            })
            .collect();
        values.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.name.cmp(&other.name)));
        if let Some(recorder) = self.recorder {
            recorder.values(values.into_iter().map(|(_, value)| value).collect());
        }
    }
}
