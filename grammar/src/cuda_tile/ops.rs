//! Parses ops by the notation of their declarations.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Span};
use tilewright_irs::core::{Part, ResultCount, Value};
use tilewright_irs::cuda_tile::syntax::{Piece, Typed, syntax};
use tilewright_irs::cuda_tile::{
    AttrKind, FieldKind, FieldValue, MAX_RANK, TileFieldSpec, TileOpSpec, TileResultSpec, TileType,
};

use super::alternatives::Alternative;
use super::attributes::{attribute, generic_attribute};
use super::body::BodyReader;
use super::cursor::{Cursor, Parse, fail};
use super::entries::dictionary;
use super::lexer::short;
use super::optional::{begins, first, no_other_word, words};
use super::places::Places;
use super::progress::{Made, Progress, as_named};
use super::types::{at_type, value_type};

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Parses the rest of an op after its name.
    pub(crate) fn op(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
        results: usize,
        name: Span,
    ) -> Parse<Made> {
        let Some(pieces) = syntax(spec) else {
            return self.by_hand(spec, cursor, results, name);
        };
        let mut progress = Progress {
            spec,
            values: vec![FieldValue::Absent; spec.fields.len()],
            present: vec![None; spec.fields.len()],
            types: FxHashMap::default(),
            result_types: Vec::new(),
            results,
            own_dictionary: pieces.iter().any(has_dictionary),
        };
        self.pieces(pieces, cursor, &mut progress)?;
        self.dictionary(cursor, &mut progress)?;
        for &(result, at) in &progress.result_types {
            self.place_part(Part::Result(result), at);
        }
        self.shift_operand(&mut progress);
        progress.fill_defaults();
        self.check_operand_types(&progress, name)?;
        let types = self.result_types(&progress, name)?;
        match (spec.build)(&mut progress.values) {
            Some(op) => Ok((op, types)),
            None => fail(
                Code::MissingAttribute,
                format!("`{}` lacks a part", spec.name),
                name,
                "a part is missing",
            ),
        }
    }

    fn pieces(
        &mut self,
        pieces: &'static [Piece],
        cursor: &mut Cursor<'t, 'input>,
        progress: &mut Progress,
    ) -> Parse<()> {
        for piece in pieces {
            self.dictionary(cursor, progress)?;
            match piece {
                Piece::Text(text) => words(text).try_for_each(|word| cursor.expect(word))?,
                Piece::Field(index) => {
                    self.placed_field(progress, *index, cursor)?;
                }
                Piece::Wrapped(index, word) => {
                    if cursor.eat(word) {
                        cursor.expect("<")?;
                        self.placed_field(progress, *index, cursor)?;
                        cursor.expect(">")?;
                    }
                }
                Piece::Types(Typed { name, .. }) => {
                    let count = progress.count(name);
                    self.types(name, count, cursor, progress)?;
                }
                Piece::FirstType(Typed { name, .. }) => {
                    self.types(name, 1, cursor, progress)?;
                    // One result for each dimension: a count in the text may be any number.
                    let count = progress.results.clamp(1, MAX_RANK + 1);
                    if let Some((types, _)) = progress.types.get_mut(name)
                        && let [first] = types.as_slice()
                    {
                        *types = vec![first.clone(); count];
                    }
                    if let [(first, at)] = *progress.result_types {
                        let others = (first..).skip(1).zip(1..count);
                        progress
                            .result_types
                            .extend(others.map(|(result, _)| (result, at)));
                    }
                }
                Piece::IndexTypes(Typed { name, .. }) => {
                    let mut count = progress.count(name);
                    if count == 0 && at_type(cursor) {
                        // Too few indices are reported by the verifier.
                        count = 1;
                    }
                    // One type applies to all of them.
                    self.types(name, count.min(1), cursor, progress)?;
                    let more = count > 1 && cursor.peek() == "," && short(cursor.peek_at(1)) == "tile";
                    if let Some((types, _)) = progress.types.get_mut(name) {
                        if more {
                            for _ in 1..count {
                                cursor.expect(",")?;
                                types.push(value_type(cursor)?);
                            }
                        } else if let [first] = types.as_slice() {
                            *types = vec![first.clone(); count];
                        }
                    }
                }
                Piece::Group(index, inner) => {
                    let known = progress.present.get(*index).copied().flatten();
                    let there = known.unwrap_or_else(|| begins(progress.spec, inner, cursor));
                    if let Some(present) = progress.present.get_mut(*index) {
                        *present = Some(there);
                    }
                    if there {
                        let is_flag = progress
                            .spec
                            .fields
                            .get(*index)
                            .is_some_and(|f| f.kind == FieldKind::Flag);
                        if is_flag {
                            self.place_part(Part::field(*index), cursor.span());
                            progress.set(*index, FieldValue::Flag(true));
                        }
                        self.pieces(inner, cursor, progress)?;
                    } else {
                        if let Some(first) = first(progress.spec, inner) {
                            cursor.note(first);
                        }
                        no_other_word(progress.spec, *index, inner, cursor)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `{name = value}`, if present: attributes of the op by their names, and ignored ones of other dialects.
    fn dictionary(&mut self, cursor: &mut Cursor<'t, 'input>, progress: &mut Progress) -> Parse<()> {
        match cursor.peek() {
            "{" => {}
            "attributes" if !progress.own_dictionary => {}
            _ => return Ok(()),
        }
        let mut entries = dictionary(cursor)?;
        for (index, field) in progress.spec.fields.iter().enumerate() {
            if let Some(mut value) = entries.take(field) {
                let start = value.span();
                let mut places = Places::new(Part::field(index));
                let read = match field.kind {
                    FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind) => {
                        generic_attribute(kind, &mut value, &mut places)?
                    }
                    FieldKind::Flag => FieldValue::Flag(true),
                    FieldKind::Operand
                    | FieldKind::OptionalOperand
                    | FieldKind::Operands
                    | FieldKind::Region => return cursor.wrong("attributes"),
                };
                self.place_part(places.of, value.since(start));
                self.place_entries(places);
                // It is not at its usual position in the text.
                if let Some(place) = progress.values.get_mut(index) {
                    *place = read;
                }
            }
        }
        entries.of_other_dialects(progress.spec.name)?;
        self.problems.extend(entries.ignored(&[]));
        Ok(())
    }

    fn types(
        &mut self,
        name: &str,
        count: usize,
        cursor: &mut Cursor<'t, 'input>,
        progress: &mut Progress,
    ) -> Parse<()> {
        let start = cursor.span();
        let mut types = Vec::new();
        for i in 0..count {
            if i > 0 {
                cursor.expect(",")?;
            }
            let at = cursor.span();
            types.push(value_type(cursor)?);
            if let Some(result) = progress
                .spec
                .results
                .iter()
                .position(|result| result.name == name)
                && let Ok(number) = u32::try_from(result.saturating_add(i))
            {
                progress.result_types.push((number, cursor.since(at)));
            }
        }
        progress
            .types
            .insert(name.to_owned(), (types, cursor.since(start)));
        Ok(())
    }

    /// Parses a field and records its span.
    fn placed_field(
        &mut self,
        progress: &mut Progress,
        index: usize,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<()> {
        let start = cursor.span();
        let value = self.field(progress, index, cursor)?;
        if !matches!(&value, FieldValue::Operands(values) if values.is_empty()) {
            self.place_part(Part::field(index), cursor.since(start));
        }
        progress.set(index, value);
        Ok(())
    }

    fn field(
        &mut self,
        progress: &Progress,
        index: usize,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<FieldValue> {
        let Some(field) = progress.spec.fields.get(index) else {
            return cursor.wrong("the end of the statement");
        };
        match field.kind {
            FieldKind::Operand | FieldKind::OptionalOperand => {
                if cursor.at_end() {
                    cursor.note(Alternative::Operand(field));
                }
                Ok(FieldValue::Operand(self.value(cursor)?))
            }
            FieldKind::Operands => self
                .operands(Part::field(index), cursor)
                .map(FieldValue::Operands),
            FieldKind::Region => cursor.wrong("no region"),
            FieldKind::Flag => Ok(FieldValue::Flag(true)),
            FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases))
                if cases.by_word(cursor.peek()).is_none() && !cursor.peek().starts_with("#cuda_tile.") =>
            {
                cursor.wrong(Alternative::Field(progress.spec, field))
            }
            FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind) => {
                let mut places = Places::new(Part::field(index));
                let value = attribute(kind, cursor, &mut places)?;
                self.place_entries(places);
                Ok(value)
            }
        }
    }

    /// A list of values, separated by commas.
    fn operands(&mut self, field: Part, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<Value>> {
        let mut values = Vec::new();
        let mut more = cursor.peek().starts_with('%');
        while more {
            self.place_part(field.entry(values.len()), cursor.span());
            values.push(self.value(cursor)?);
            more = cursor.peek() == "," && cursor.peek_at(1).starts_with('%');
            if more {
                cursor.take();
            }
        }
        Ok(values)
    }

    /// Of two optional operands at the same position, a single one is the first, unless its type does not match and
    /// is that of the result, as for a padding value.
    fn shift_operand(&mut self, progress: &mut Progress) {
        let fields = progress.spec.fields;
        let result = progress.spec.results.first();
        let result = result.and_then(|result| progress.types.get(result.name)?.0.first().cloned());
        for (index, pair) in fields.windows(2).enumerate() {
            let ([first, second], Some(values)) =
                (pair, progress.values.get_mut(index..index.saturating_add(2)))
            else {
                continue;
            };
            let optional = |field: &TileFieldSpec| field.kind == FieldKind::OptionalOperand;
            if let [FieldValue::Operand(value), FieldValue::Absent] = values
                && optional(first)
                && optional(second)
                && !self.is_unknown(*value)
                && !first.constraint.admits(self.body.ty(*value))
                && second.constraint.admits(self.body.ty(*value))
                && result.as_ref() == Some(self.body.ty(*value))
            {
                values.swap(0, 1);
                if let Some(types) = progress.types.remove(first.name) {
                    progress.types.insert(second.name.to_owned(), types);
                }
                let current = self.current;
                let parts = self.parts.iter_mut().rev();
                for (_, part, _) in parts.take_while(|(origin, ..)| *origin == current) {
                    if *part == Part::field(index) {
                        *part = Part::field(index.saturating_add(1));
                    }
                }
            }
        }
    }

    /// Checks that operand types in the text are correct.
    fn check_operand_types(&self, progress: &Progress, name: Span) -> Parse<()> {
        let fields = progress.spec.fields.iter().zip(&progress.values);
        for (index, (field, value)) in fields.enumerate() {
            let part = Part::field(index);
            let values: Vec<_> = match value {
                FieldValue::Operand(value) => vec![(*value, part)],
                FieldValue::Operands(values) => {
                    let values = values.iter().enumerate();
                    values.map(|(entry, &value)| (value, part.entry(entry))).collect()
                }
                _ => continue,
            };
            let place = |part| self.part_of_op(part).unwrap_or(name);
            let Some((types, at)) = progress.said(field) else {
                if let Some(only) = progress.implied(field) {
                    for (value, part) in values {
                        self.of_type(value, field.name, place(part), &only, None)?;
                    }
                }
                continue;
            };
            for ((value, part), said) in values.into_iter().zip(types) {
                self.of_type(value, field.name, place(part), said, Some(*at))?;
            }
        }
        Ok(())
    }

    fn result_types(&mut self, progress: &Progress, name: Span) -> Parse<Vec<TileType>> {
        let spec = progress.spec;
        if spec.result_count == ResultCount::Any {
            let given = spec
                .results
                .first()
                .and_then(|result| progress.types.get(result.name));
            let types = given.map(|(types, _)| types.clone()).unwrap_or_default();
            return as_named(spec, types, progress.results, name);
        }
        let mut types: Vec<TileType> = Vec::with_capacity(spec.results.len());
        for result in spec.results {
            let ty = self.result_type(progress, result, &types);
            types.push(ty);
        }
        as_named(spec, types, progress.results, name)
    }

    fn result_type(&mut self, progress: &Progress, result: &TileResultSpec, before: &[TileType]) -> TileType {
        if let Some((types, _)) = progress.types.get(result.name)
            && let Some(ty) = types.first()
        {
            return ty.clone();
        }
        let Some(like) = result.like else {
            return TileType::Token;
        };
        if let Some(index) = progress.spec.field(like)
            && let Some(FieldValue::Operand(value)) = progress.values.get(index)
        {
            self.untyped |= self.is_unknown(*value);
            return self.body.ty(*value).clone();
        }
        let at = progress.spec.results.iter().position(|other| other.name == like);
        let other = at.and_then(|at| before.get(at));
        other.cloned().unwrap_or(TileType::Token)
    }
}

/// Whether a part of an op's text is a dictionary with its keyword.
fn has_dictionary(piece: &Piece) -> bool {
    let Piece::Group(_, inner) = piece else {
        return false;
    };
    matches!(inner.first(), Some(Piece::Text(text)) if text.trim_start().starts_with("attributes"))
}
