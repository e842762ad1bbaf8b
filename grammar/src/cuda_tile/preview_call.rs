//! Parses calls of external functions.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::Part;
use tilewright_irs::cuda_tile::{Attr, PreviewOp, Symbol, TileOpSpec, TileType};
use tilewright_irs::element::ScalarType;

use super::body::BodyReader;
use super::cursor::{Cursor, Parse, fail};
use super::entries::dictionary;
use super::literals::symbol;
use super::places::Places;
use super::preview::constants;
use super::progress::Made;
use super::types::value_type;
use super::values::attr;

impl<'t, 'input> BodyReader<'t, 'input> {
    /// `@f<[3, f32]>(%a, %b) {arg_attrs = […], res_attrs = […]} : (!cuda_tile.tile<8xf32>, …) -> !cuda_tile.tile<8xf32>`
    pub(super) fn preview_call(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<Made> {
        let start = cursor.span();
        let callee = Symbol(symbol(cursor)?);
        self.place_field(spec, "callee", cursor.since(start));
        let start = cursor.span();
        let mut places = Places::new(spec.field("const_args").map_or(Part::Op, Part::field));
        let const_args = constants(cursor, &mut places)?.unwrap_or_default();
        self.place_field(spec, "const_args", cursor.since(start));
        self.place_entries(places);
        cursor.expect("(")?;
        let mut operands = Vec::new();
        cursor.list(")", |cursor| {
            let at = cursor.span();
            self.place_entry(spec, "operands", operands.len(), at);
            operands.push((self.value(cursor)?, at));
            Ok(())
        })?;
        let start = cursor.span();
        let entries = dictionary(cursor)?;
        let at = cursor.since(start);
        let known = ["arg_attrs", "res_attrs"];
        if let Some(name) = entries
            .names()
            .find(|name| !known.contains(name) && !name.contains('.'))
        {
            let message = format!("`{}` has no attribute `{name}`", spec.name);
            return fail(Code::UnknownAttribute, message, at, "an attribute of no dialect");
        }
        let list = |name: &str| -> Parse<Option<Vec<Attr>>> {
            let Some(mut value) = entries.get(name) else {
                return Ok(None);
            };
            value.expect("[")?;
            value.list("]", |cursor| attr(cursor, ScalarType::I64)).map(Some)
        };
        let (arg_attrs, res_attrs) = (list("arg_attrs")?, list("res_attrs")?);
        for name in known {
            self.place_field(spec, name, at);
        }
        cursor.expect(":")?;
        cursor.expect("(")?;
        let start = cursor.span();
        let mut given = 0usize;
        cursor.list(")", |cursor| {
            let at = cursor.span();
            let ty = value_type(cursor)?;
            if let Some(&(value, place)) = operands.get(given) {
                self.of_type(value, "operands", place, &ty, Some(cursor.since(at)))?;
            }
            given = given.saturating_add(1);
            Ok(())
        })?;
        if given != operands.len() {
            let message = format!(
                "expected a type for each operand, not {} for {}",
                counted(given, "type"),
                counted(operands.len(), "operand")
            );
            return fail(
                Code::OperandCount,
                message,
                cursor.since(start),
                "another number of types",
            );
        }
        cursor.expect("->")?;
        let types = if cursor.eat("(") {
            let mut types = Vec::new();
            cursor.list(")", |cursor| self.result(&mut types, cursor))?;
            types
        } else {
            let mut types = Vec::new();
            self.result(&mut types, cursor)?;
            types
        };
        let call = PreviewOp::Call {
            operands: operands.into_iter().map(|(value, _)| value).collect(),
            callee,
            const_args,
            arg_attrs,
            res_attrs,
        };
        Ok((call.into(), types))
    }

    /// Parses the type of the next result, and records its span.
    fn result(&mut self, types: &mut Vec<TileType>, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let at = cursor.span();
        let ty = value_type(cursor)?;
        if let Ok(number) = u32::try_from(types.len()) {
            self.place_part(Part::Result(number), cursor.since(at));
        }
        types.push(ty);
        Ok(())
    }
}
