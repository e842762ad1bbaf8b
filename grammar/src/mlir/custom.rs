//! Ops in their own form, by the notation of their declarations.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{ResultCount, Value};
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::mlir::scan::Read;
use tilewright_irs::mlir::syntax::{Piece, Syntax, syntax};
use tilewright_irs::mlir::{Attribute, FieldKind, FieldValue, Inferred, MlirOpSpec, Type, result_types};

use super::body::{BodyReader, Parts};

impl BodyReader<'_, '_> {
    /// The op after its name; `named` results are named before it.
    pub(super) fn custom(&mut self, spec: &'static MlirOpSpec, start: usize, named: usize) -> Read<Parts> {
        let mut parts = Parts::of(spec);
        let syntax = syntax(spec, self.text.dialect);
        match syntax {
            Syntax::Generic => {
                let message = format!(
                    "`{}` has no text of its own: it is written `\"{}\"(…)`",
                    spec.shown_in(self.text.dialect),
                    spec.shown_in(self.text.dialect)
                );
                return self.wrong_op(start, Code::UnexpectedToken, message, "not in quotes");
            }
            Syntax::ByHand => self.by_hand(spec, &mut parts, start)?,
            Syntax::Pieces(pieces, _) => self.pieces(spec, &mut parts, pieces, start, named)?,
        }
        if !syntax.states_results() {
            self.infer(spec, &mut parts, start)?;
        }
        Ok(parts)
    }

    fn pieces(
        &mut self,
        spec: &'static MlirOpSpec,
        parts: &mut Parts,
        pieces: &[Piece],
        start: usize,
        named: usize,
    ) -> Read<()> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => tokens(text).try_for_each(|token| self.token(token))?,
                Piece::Blank => {}
                Piece::Field(field) => self.field(spec, parts, *field)?,
                Piece::Operands => {
                    let operands = self.values()?;
                    self.assign(spec, parts, &operands, None, start)?;
                }
                Piece::OperandTypes => self.types_of(&parts.operands(spec))?,
                Piece::Types(field) => {
                    let values: Vec<Value> = parts.operands_of(*field).to_vec();
                    self.types_of(&values)?;
                }
                Piece::Listed(field) => {
                    let values = match self.text.scan.eat("[") {
                        true => {
                            let values = self.values()?;
                            self.text.scan.expect("]")?;
                            values
                        }
                        false => vec![self.value()?],
                    };
                    parts.set(*field, FieldValue::Operands(values));
                }
                Piece::ListedTypes(field) => {
                    let values: Vec<Value> = parts.operands_of(*field).to_vec();
                    let listed = self.text.scan.eat("[");
                    self.types_of(&values)?;
                    if listed {
                        self.text.scan.expect("]")?;
                    }
                }
                Piece::Body(field) => self.type_body(parts, *field)?,
                Piece::Results => parts.results = self.text.result_types()?,
                Piece::ResultList => {
                    parts.results = vec![self.text.ty()?];
                    while self.text.scan.eat(",") {
                        parts.results.push(self.text.ty()?);
                    }
                }
                Piece::FirstResult => {
                    let ty = self.text.ty()?;
                    let count = match spec.results {
                        ResultCount::Exactly(count) => count,
                        ResultCount::Any => named,
                    };
                    parts.results = vec![ty; count];
                }
                Piece::ResultBody(word) => parts.results = vec![self.type_after(word)?],
                Piece::Attributes => self.attributes(spec, parts, start)?,
                Piece::Group(field, inner) => {
                    if self.begins(spec, inner) {
                        if matches!(
                            spec.fields.get(*field).map(|field| field.kind),
                            Some(FieldKind::Flag)
                        ) {
                            parts.set(*field, FieldValue::Property(Attribute::Unit));
                        }
                        self.pieces(spec, parts, inner, start, named)?;
                    }
                }
                Piece::ResultGroup(inner) => {
                    if self.begins(spec, inner) {
                        self.pieces(spec, parts, inner, start, named)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `{…}`, if present.
    pub(super) fn attributes(
        &mut self,
        spec: &'static MlirOpSpec,
        parts: &mut Parts,
        start: usize,
    ) -> Read<()> {
        if self.text.scan.peek() == Some(b'{') {
            let attributes = self.text.dictionary()?;
            self.entries(spec, parts, &attributes, true, start)?;
        }
        Ok(())
    }

    /// Takes a word or a mark.
    fn token(&mut self, token: &str) -> Read<()> {
        match token.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            true => self.text.expect_word(token),
            false => self.text.scan.expect(token),
        }
    }

    /// Whether the contents of a group are next.
    fn begins(&mut self, spec: &'static MlirOpSpec, pieces: &[Piece]) -> bool {
        match pieces.iter().find(|piece| **piece != Piece::Blank) {
            Some(Piece::Text(text)) => match tokens(text).next() {
                Some(token) if token.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                    self.text.scan.peek_word() == token
                }
                Some(token) => {
                    let mut ahead = self.text.scan;
                    ahead.eat(token)
                }
                None => false,
            },
            Some(Piece::Field(field)) => match spec.fields.get(*field).map(|field| field.kind) {
                Some(FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands) => {
                    self.text.scan.peek() == Some(b'%')
                }
                _ => self.text.scan.peek() == Some(b'"'),
            },
            _ => false,
        }
    }

    fn field(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, index: usize) -> Read<()> {
        let Some(field) = spec.fields.get(index) else {
            return Ok(());
        };
        let value = match field.kind {
            FieldKind::Operand | FieldKind::OptionalOperand => FieldValue::Operand(self.value()?),
            FieldKind::Operands => FieldValue::Operands(self.values()?),
            FieldKind::Flag => {
                self.text.expect_word(field.name)?;
                FieldValue::Property(Attribute::Unit)
            }
            FieldKind::Property(kind) | FieldKind::OptionalProperty(kind) => {
                FieldValue::Property((kind.read)(self.text)?)
            }
            FieldKind::Region => FieldValue::Region(self.region(Vec::new(), false)?),
        };
        parts.set(index, value);
        Ok(())
    }

    /// The type of a result: the text of one of `cute` after its word, or a whole type.
    fn type_after(&mut self, word: &str) -> Read<Type> {
        if self.text.scan.peek() != Some(b'<') {
            return self.text.ty();
        }
        let start = self.text.scan.at();
        self.text.scan.brackets()?;
        match CuteType::parse_body(word, self.text.scan.since(start)) {
            Ok((ty, _)) => self.text.admitted(ty, start),
            Err(wrong) => {
                let at = start + wrong.offset;
                let message = format!("this is not the text of a `!{word}`: {}", wrong.message);
                self.text
                    .scan
                    .wrong_since(at, Code::UnknownType, message, "malformed")
            }
        }
    }

    /// `<f32, gmem>`: the type of an operand without its name, or all of it.
    fn type_body(&mut self, parts: &Parts, field: usize) -> Read<()> {
        self.text.scan.skip();
        let start = self.text.scan.at();
        if self.text.scan.here() == Some(b'!') {
            let values: Vec<Value> = parts.operands_of(field).to_vec();
            return self.types_of(&values);
        }
        if self.text.scan.here() != Some(b'<') {
            return self.text.scan.wrong("`<`");
        }
        self.text.scan.brackets()?;
        let text = self.text.scan.since(start);
        let Some(&value) = parts.operands_of(field).first() else {
            return Ok(());
        };
        let own = self.body.ty(value);
        let same = match own {
            Type::Cute(ty) => CuteType::parse_body(ty.word(), text).is_ok_and(|(read, _)| read == *ty),
            _ => false,
        };
        if same || self.is_unknown(value) {
            return Ok(());
        }
        let message = format!("an operand has the type `{own}`, which does not end with `{text}`");
        self.text
            .scan
            .wrong_since(start, Code::TypeMismatch, message, "not its type")
    }

    /// The types of the results that the text leaves out.
    fn infer(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        if spec.inferred == Inferred::Written {
            return Ok(());
        }
        let operands = parts.operands(spec);
        if operands.iter().any(|&value| self.is_unknown(value)) {
            parts.unknown = true;
            return Ok(());
        }
        let types: Vec<Type> = operands
            .iter()
            .map(|&value| self.body.ty(value).clone())
            .collect();
        let fields = spec.fields.iter().zip(&parts.fields);
        let properties: Vec<(&str, Attribute)> = fields
            .filter_map(|(field, value)| match value {
                FieldValue::Property(attribute) => Some((field.name, attribute.clone())),
                _ => None,
            })
            .collect();
        match result_types(self.text.dialect, spec, &types, &properties) {
            Some(Ok(types)) => parts.results = types,
            Some(Err(message)) => return self.wrong_op(start, Code::OperandType, message, "of this op"),
            None => {}
        }
        Ok(())
    }
}

/// The words and marks of a literal text.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let length = match rest.find(|c| !is_word(c)).unwrap_or(rest.len()) {
            0 if rest.starts_with("->") => 2,
            0 => rest.chars().next()?.len_utf8(),
            length => length,
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}
