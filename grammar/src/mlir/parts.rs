//! What both forms of an op have in common: operands and attributes by the fields of its declaration.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::mlir::scan::Read;
use tilewright_irs::mlir::{Attribute, Dictionary, FieldKind, FieldValue, MlirOpSpec, Type};

use super::body::{BodyReader, Parts};

/// The attributes that say how many operands and results belong to each field.
const SEGMENTS: [&str; 2] = ["operandSegmentSizes", "resultSegmentSizes"];

impl BodyReader<'_, '_> {
    /// Assigns operands to the fields: by these numbers, or in order.
    pub(super) fn assign(
        &mut self,
        spec: &'static MlirOpSpec,
        parts: &mut Parts,
        operands: &[Value],
        segments: Option<&[i64]>,
        start: usize,
    ) -> Read<()> {
        let fields = spec.operands().count();
        let required = spec
            .operands()
            .filter(|(_, kind)| matches!(kind, FieldKind::Operand))
            .count();
        if let Some(segments) = segments {
            let sum = segments
                .iter()
                .try_fold(0i64, |sum, &count| sum.checked_add(count));
            let whole = sum == i64::try_from(operands.len()).ok();
            if segments.len() != fields || !whole || segments.iter().any(|&count| count < 0) {
                let message = format!(
                    "`operandSegmentSizes` does not divide the {} operands of `{}` into {fields} parts",
                    operands.len(),
                    spec.shown_in(self.text.dialect)
                );
                return self.wrong_op(start, Code::OperandCount, message, "of this op");
            }
        }
        let mut spare = operands.len().checked_sub(required);
        let mut rest = operands.iter().copied();
        for (nth, (field, kind)) in spec.operands().enumerate() {
            let given = segments.and_then(|segments| usize::try_from(*segments.get(nth)?).ok());
            let count = match (given, kind) {
                (Some(given), _) => given,
                (None, FieldKind::OptionalOperand) => spare.unwrap_or(0).min(1),
                (None, FieldKind::Operands) => spare.unwrap_or(0),
                (None, _) => 1,
            };
            match kind {
                FieldKind::Operands => {
                    spare = spare.map(|spare| spare.saturating_sub(count));
                    let values: Vec<Value> = rest.by_ref().take(count).collect();
                    parts.set(field, FieldValue::Operands(values));
                }
                _ if count == 1 => {
                    if matches!(kind, FieldKind::OptionalOperand) {
                        spare = spare.map(|spare| spare.saturating_sub(1));
                    }
                    let value = rest.next().map_or(FieldValue::Absent, FieldValue::Operand);
                    parts.set(field, value);
                }
                FieldKind::OptionalOperand if count == 0 => {}
                _ => {
                    let message = format!(
                        "`{}` has one operand where {count} are given",
                        spec.shown_in(self.text.dialect)
                    );
                    return self.wrong_op(start, Code::OperandCount, message, "of this op");
                }
            }
        }
        if rest.next().is_some() || operands.len() < required {
            let message = format!(
                "`{}` does not have {} operands",
                spec.shown_in(self.text.dialect),
                operands.len()
            );
            return self.wrong_op(start, Code::OperandCount, message, "another number of operands");
        }
        Ok(())
    }

    /// Assigns attributes to the fields. Others are kept if `discardable`; those of operands and results are returned.
    pub(super) fn entries(
        &mut self,
        spec: &'static MlirOpSpec,
        parts: &mut Parts,
        entries: &Dictionary,
        discardable: bool,
        start: usize,
    ) -> Read<Option<Vec<i64>>> {
        let mut segments = None;
        let mut others = Vec::new();
        for (name, value) in entries.entries() {
            if SEGMENTS.contains(&&**name) {
                let Attribute::Numbers(_, numbers) = value else {
                    let message = format!("`{name}` is an array of `i32`");
                    return self.wrong_op(start, Code::AttributeKind, message, "not an array");
                };
                if &**name == "operandSegmentSizes" {
                    segments = Some(numbers.to_vec());
                }
                continue;
            }
            let field = spec
                .field(name)
                .and_then(|index| Some((index, spec.fields.get(index)?)));
            let what = match field.map(|(index, field)| (index, field.kind)) {
                Some((index, FieldKind::Flag)) => {
                    if matches!(value, Attribute::Unit | Attribute::Bool(true)) {
                        parts.set(index, FieldValue::Property(Attribute::Unit));
                        continue;
                    }
                    "a flag without a value"
                }
                Some((index, FieldKind::Property(kind) | FieldKind::OptionalProperty(kind))) => {
                    if (kind.accepts)(value) {
                        parts.set(index, FieldValue::Property(value.clone()));
                        continue;
                    }
                    kind.what
                }
                _ if discardable => {
                    others.push((name.clone(), value.clone()));
                    continue;
                }
                _ => {
                    let message = format!(
                        "`{}` has no property `{name}` in this version",
                        spec.shown_in(self.text.dialect)
                    );
                    return self.wrong_op(start, Code::UnknownAttribute, message, "of this op");
                }
            };
            let message = format!(
                "`{name}` of `{}` is {what}, not `{value}`",
                spec.shown_in(self.text.dialect)
            );
            return self.wrong_op(start, Code::AttributeKind, message, "of this op");
        }
        if !others.is_empty() {
            parts.discardable = Dictionary::new(others);
        }
        Ok(segments)
    }

    /// Reads the type of a value, which must be the one that it has.
    pub(super) fn type_of(&mut self, value: Value) -> Read<()> {
        self.text.scan.skip();
        let start = self.text.scan.at();
        let ty = self.text.ty()?;
        self.has_type(value, &ty, start)
    }

    /// Checks the type that a text gives for a value.
    pub(super) fn has_type(&mut self, value: Value, ty: &Type, start: usize) -> Read<()> {
        let own = self.body.ty(value);
        if own == ty || self.is_unknown(value) {
            return Ok(());
        }
        let message = format!("an operand has the type `{own}`, not `{ty}`");
        self.text
            .scan
            .wrong_since(start, Code::TypeMismatch, message, "not its type")
    }

    /// Reads the types of values, with commas between them.
    pub(super) fn types_of(&mut self, values: &[Value]) -> Read<()> {
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.text.scan.expect(",")?;
            }
            self.type_of(value)?;
        }
        Ok(())
    }

    /// Values with commas between them, if there are any.
    pub(super) fn values(&mut self) -> Read<Vec<Value>> {
        let mut values = Vec::new();
        if self.text.scan.peek() != Some(b'%') {
            return Ok(values);
        }
        values.push(self.value()?);
        loop {
            let before = self.text.scan;
            if !self.text.scan.eat(",") {
                return Ok(values);
            }
            if self.text.scan.peek() != Some(b'%') {
                self.text.scan = before;
                return Ok(values);
            }
            values.push(self.value()?);
        }
    }
}
