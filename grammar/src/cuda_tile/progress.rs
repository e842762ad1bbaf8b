//! The state of parsing an op.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Span, counted};
use tilewright_irs::core::ResultCount;
use tilewright_irs::cuda_tile::{
    Constraint, DefaultValue, FieldKind, FieldValue, TileFieldSpec, TileOp, TileOpSpec, TileType,
};
use tilewright_irs::element::ScalarType;

use super::cursor::{Parse, fail};

/// A parsed op, with the types of its results.
pub(crate) type Made = (TileOp, Vec<TileType>);

/// The state of parsing an op.
pub(super) struct Progress {
    pub(super) spec: &'static TileOpSpec,
    pub(super) values: Vec<FieldValue>,
    /// Whether each field is present; `None` if not known yet.
    pub(super) present: Vec<Option<bool>>,
    /// The types in the text, by the name of the operand or result, with their spans.
    pub(super) types: FxHashMap<String, (Vec<TileType>, Span)>,
    /// The span of each type of a result, by its index.
    pub(super) result_types: Vec<(u32, Span)>,
    /// The number of named results.
    pub(super) results: usize,
    /// Whether a dictionary is a part of the op's own text.
    pub(super) own_dictionary: bool,
}

impl Progress {
    pub(super) fn set(&mut self, index: usize, value: FieldValue) {
        if let Some(place) = self.values.get_mut(index) {
            *place = value;
        }
        if let Some(present) = self.present.get_mut(index) {
            *present = Some(true);
        }
    }

    /// The types in the text for an operand. If it has none, those of the only operand or result with the same
    /// constraint that has one.
    pub(super) fn said(&self, field: &TileFieldSpec) -> Option<&(Vec<TileType>, Span)> {
        let given = self.types.get(field.name);
        if given.is_some() || field.kind != FieldKind::Operand || field.constraint == Constraint::Any {
            return given;
        }
        let operands = self
            .spec
            .fields
            .iter()
            .map(|other| (other.name, other.constraint));
        let results = self
            .spec
            .results
            .iter()
            .map(|other| (other.name, other.constraint));
        operands
            .chain(results)
            .filter(|(_, constraint)| *constraint == field.constraint)
            .find_map(|(name, _)| self.types.get(name))
    }

    /// The inferred type of an operand without one in the text: the only one that its constraint allows, or that of
    /// the tensor of the resulting view.
    pub(super) fn implied(&self, field: &TileFieldSpec) -> Option<TileType> {
        if field.constraint != Constraint::TensorView {
            return only_type(field.constraint);
        }
        let result = self.spec.results.first()?;
        let (types, _) = self.types.get(result.name)?;
        let view = types.first()?.as_view()?;
        Some(TileType::TensorView(Arc::new(view.tensor.clone())))
    }

    /// The number of types of an operand or a result of this name.
    pub(super) fn count(&self, name: &str) -> usize {
        match self.spec.field(name).and_then(|index| self.values.get(index)) {
            Some(FieldValue::Operands(values)) => values.len(),
            Some(_) => 1,
            None if self.spec.result_count == ResultCount::Any => self.results.max(1),
            None => 1,
        }
    }

    /// Sets absent fields to their defaults.
    pub(super) fn fill_defaults(&mut self) {
        for index in 0..self.values.len() {
            let Some(field) = self.spec.fields.get(index) else {
                continue;
            };
            if !matches!(self.values.get(index), Some(FieldValue::Absent)) {
                continue;
            }
            let value = match (field.default, field.kind) {
                (_, FieldKind::Operands) => FieldValue::Operands(Vec::new()),
                (Some(DefaultValue::Code(code)), FieldKind::Attr(_)) => FieldValue::Enum(code),
                (Some(DefaultValue::AllFalse(of)), _) => FieldValue::Bools(vec![false; self.count(of)]),
                _ => continue,
            };
            if let Some(place) = self.values.get_mut(index) {
                *place = value;
            }
        }
    }
}

/// The single type that a constraint allows, if there is one.
fn only_type(constraint: Constraint) -> Option<TileType> {
    let ty = [
        TileType::scalar(ScalarType::I1),
        TileType::scalar(ScalarType::I32),
        TileType::Token,
    ];
    let single = matches!(
        constraint,
        Constraint::I1Scalar | Constraint::I32Scalar | Constraint::Token
    );
    ty.into_iter().find(|ty| single && constraint.admits(ty))
}

/// The result types of an op; their number must match that of the names, if there are any.
pub(super) fn as_named(
    spec: &TileOpSpec,
    types: Vec<TileType>,
    named: usize,
    at: Span,
) -> Parse<Vec<TileType>> {
    if named != 0 && named != types.len() {
        let message = format!(
            "`{}` has {}, and is given {}",
            spec.name,
            counted(types.len(), "result"),
            counted(named, "name")
        );
        return fail(Code::ResultCount, message, at, "wrong number of results");
    }
    Ok(types)
}
