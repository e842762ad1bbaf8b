//! Ops with hand-written text: those with regions, constants, and tensor views.

use tilewright_diagnostics::{Code, Span, counted};
use tilewright_irs::core::{Flag, Part, Value};
use tilewright_irs::cuda_tile::{Attr, ControlOp, ShapeOp, TileOpSpec, TileType, ViewOp};
use tilewright_irs::element::ScalarType;

use super::alternatives::Alternative;
use super::attributes::truth;
use super::body::{Argument, BodyReader, Implicit, argument_name};
use super::completion::Around;
use super::cursor::{Cursor, Parse, fail};
use super::dense::dense;
use super::entries::dictionary;
use super::progress::{Made, as_named};
use super::types::{integer, value_type};
use super::values::attr;

/// A value with the span of its name.
type Placed = (Value, Span);

/// A static or dynamic extent or stride.
#[derive(Clone, Copy)]
enum Extent {
    Known(u64),
    Dynamic(Value),
}

/// The extents of a tensor, or its strides, as given by the op and by the type.
struct Extents {
    what: &'static str,
    given: Vec<Extent>,
    at: Span,
}

impl Extents {
    /// Checks that the op's values match the type.
    fn of(&self, ty: &[Option<u64>]) -> Parse<()> {
        let Self { what, given, at } = self;
        if given.len() != ty.len() {
            let message = format!(
                "expected an entry of the {what} for each in the tensor_view, not {} for {}",
                counted(given.len(), "entry"),
                ty.len()
            );
            return fail(Code::RankMismatch, message, *at, "wrong number of entries");
        }
        for (i, (given, wanted)) in given.iter().zip(ty).enumerate() {
            let given = match given {
                Extent::Known(n) => Some(*n),
                Extent::Dynamic(_) => None,
            };
            if given != *wanted {
                let word = |n: Option<u64>| n.map_or("dynamic".to_owned(), |n| n.to_string());
                let message = format!(
                    "the {what} of dimension {i} is {}, but the tensor_view has {}",
                    word(given),
                    word(*wanted)
                );
                return fail(Code::TypeMismatch, message, *at, "not what the type says");
            }
        }
        Ok(())
    }

    fn dynamic(self) -> Vec<Value> {
        let dynamic = self.given.into_iter().filter_map(|extent| match extent {
            Extent::Known(_) => None,
            Extent::Dynamic(value) => Some(value),
        });
        dynamic.collect()
    }
}

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Parses an op whose declaration has no text.
    pub(crate) fn by_hand(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
        results: usize,
        name: Span,
    ) -> Parse<Made> {
        self.other_attributes(cursor)?;
        self.around.push(Around {
            op: spec.name,
            hands_on: Vec::new(),
        });
        let made = match spec.name {
            "constant" => self.constant(spec, cursor),
            "make_tensor_view" => self.make_tensor_view(spec, cursor),
            "for" => self.for_loop(spec, cursor),
            "if" => self.branch(spec, cursor),
            "loop" => self.endless_loop(spec, cursor),
            "reduce" => self.fold(spec, cursor, false),
            "scan" => self.fold(spec, cursor, true),
            "preview$call" => self.preview_call(spec, cursor),
            _ => {
                let message = format!("`{}` cannot be written as text", spec.name);
                fail(Code::UnknownOp, message, name, "no text form")
            }
        };
        self.around.pop();
        let (op, types) = made?;
        self.other_attributes(cursor)?;
        Ok((op, as_named(spec, types, results, name)?))
    }

    /// `{name = value}`, if present: undeclared attributes, which are ignored.
    fn other_attributes(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let entries = dictionary(cursor)?;
        self.problems.extend(entries.ignored(&[]));
        Ok(())
    }

    /// A value of a field, or of an entry of a list, with its span recorded.
    fn placed(
        &mut self,
        spec: &'static TileOpSpec,
        field: &str,
        entry: Option<usize>,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<Value> {
        match entry {
            None => self.place_field(spec, field, cursor.span()),
            Some(entry) => self.place_entry(spec, field, entry, cursor.span()),
        }
        if cursor.at_end()
            && let Some(field) = spec.field(field).and_then(|at| spec.fields.get(at))
        {
            cursor.note(Alternative::Operand(field));
        }
        self.value(cursor)
    }

    /// The type of a result, with its span recorded.
    fn placed_type(&mut self, result: usize, cursor: &mut Cursor<'t, 'input>) -> Parse<TileType> {
        let start = cursor.span();
        let ty = value_type(cursor)?;
        if let Ok(result) = u32::try_from(result) {
            self.place_part(Part::Result(result), cursor.since(start));
        }
        Ok(ty)
    }

    /// The types of all results, with their spans recorded.
    fn placed_types(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<TileType>> {
        let mut types = vec![self.placed_type(0, cursor)?];
        while cursor.eat(",") {
            types.push(self.placed_type(types.len(), cursor)?);
        }
        Ok(types)
    }

    fn constant(&mut self, spec: &'static TileOpSpec, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let start = cursor.span();
        let literal = dense(cursor)?;
        let at = cursor.since(start);
        self.place_field(spec, "value", at);
        cursor.expect(":")?;
        let ty = self.placed_type(0, cursor)?;
        let value = literal.of_shape(ty.as_tile().map_or(&[][..], |tile| &tile.shape), at)?;
        Ok((ShapeOp::Constant { value }.into(), vec![ty]))
    }

    fn extents(
        &mut self,
        spec: &'static TileOpSpec,
        field: &str,
        what: &'static str,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<Extents> {
        cursor.expect(",")?;
        cursor.expect(if what == "stride" { "strides" } else { what })?;
        cursor.expect("=")?;
        let start = cursor.span();
        cursor.expect("[")?;
        let mut dynamic = 0usize;
        let given = cursor.list("]", |cursor| {
            if cursor.peek().starts_with('%') {
                let value = self.placed(spec, field, Some(dynamic), cursor)?;
                dynamic = dynamic.saturating_add(1);
                return Ok(Extent::Dynamic(value));
            }
            if !cursor
                .peek()
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
            {
                return cursor.wrong("an integer or a value");
            }
            integer::<u64>(cursor).map(Extent::Known)
        })?;
        let at = cursor.since(start);
        self.place_field(spec, field, at);
        Ok(Extents { what, given, at })
    }

    fn make_tensor_view(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<Made> {
        let base = self.placed(spec, "base", None, cursor)?;
        let shape = self.extents(spec, "dynamic_shape", "shape", cursor)?;
        let strides = self.extents(spec, "dynamic_strides", "stride", cursor)?;
        self.other_attributes(cursor)?;
        cursor.expect(":")?;
        // The types of the pointer and of the dynamic extents, where they do not follow from the tensor's.
        let start = cursor.span();
        let mut types = self.type_list(cursor)?;
        if cursor.eat("->") {
            types = vec![self.placed_type(0, cursor)?];
        } else {
            self.place_part(Part::Result(0), cursor.since(start));
        }
        let [ty] = <[TileType; 1]>::try_from(types).or_else(|_| cursor.expect("->").and(Err(None)))?;
        if let TileType::TensorView(tensor) = &ty {
            shape.of(&tensor.shape)?;
            strides.of(&tensor.strides)?;
        }
        let op = ViewOp::MakeTensorView {
            base,
            dynamic_shape: shape.dynamic(),
            dynamic_strides: strides.dynamic(),
        };
        Ok((op.into(), vec![ty]))
    }

    fn type_list(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<TileType>> {
        let mut types = vec![value_type(cursor)?];
        while cursor.eat(",") {
            types.push(value_type(cursor)?);
        }
        Ok(types)
    }

    /// One type for each value, equal to the value's.
    fn of_types(&self, values: &[Placed], types: &[TileType], what: &str, at: Span) -> Parse<()> {
        if values.len() != types.len() {
            let message = format!(
                "expected a type for each of the {what}, not {} for {}",
                counted(types.len(), "type"),
                values.len()
            );
            return fail(Code::TypeMismatch, message, at, "wrong number of types");
        }
        let mut pairs = values.iter().zip(types);
        pairs.try_for_each(|(&(value, place), ty)| self.of_type(value, what, place, ty, Some(at)))
    }

    /// ` -> (types)`, or nothing.
    fn results_in_parentheses(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<TileType>> {
        if !cursor.eat("->") {
            return Ok(Vec::new());
        }
        cursor.expect("(")?;
        let mut number = 0usize;
        cursor.list(")", |cursor| {
            let ty = self.placed_type(number, cursor)?;
            number = number.saturating_add(1);
            Ok(ty)
        })
    }

    /// `(%arg = %init, …)`
    fn carried(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<(Vec<Argument<'input>>, Vec<Placed>)> {
        let start = cursor.span();
        cursor.expect("(")?;
        let mut number = 0usize;
        let pairs = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect("=")?;
            let init_at = cursor.span();
            let init = self.placed(spec, "init_values", Some(number), cursor)?;
            number = number.saturating_add(1);
            let ty = self.known_type(init);
            Ok((Argument { name, at, ty }, (init, init_at)))
        })?;
        self.place_field(spec, "init_values", cursor.since(start));
        Ok(pairs.into_iter().unzip())
    }

    fn for_loop(&mut self, spec: &'static TileOpSpec, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let unsigned_cmp = Flag(cursor.eat("unsigned"));
        let at = cursor.span();
        let name = argument_name(cursor)?;
        cursor.expect("in")?;
        cursor.expect("(")?;
        let lower_at = cursor.span();
        let lower_bound = self.placed(spec, "lower_bound", None, cursor)?;
        cursor.expect("to")?;
        let upper_at = cursor.span();
        let upper_bound = self.placed(spec, "upper_bound", None, cursor)?;
        cursor.expect(",")?;
        cursor.expect("step")?;
        let step_at = cursor.span();
        let step = self.placed(spec, "step", None, cursor)?;
        cursor.expect(")")?;
        cursor.expect(":")?;
        let said = cursor.span();
        let ty = value_type(cursor)?;
        let said = cursor.since(said);
        for (value, name, at) in [
            (lower_bound, "lower_bound", lower_at),
            (upper_bound, "upper_bound", upper_at),
            (step, "step", step_at),
        ] {
            self.of_type(value, name, at, &ty, Some(said))?;
        }
        let mut args = vec![Argument {
            name,
            at,
            ty: Some(ty),
        }];
        let mut init_values = Vec::new();
        let mut types = Vec::new();
        if cursor.eat("iter_values") {
            let (carried, inits) = self.carried(spec, cursor)?;
            args.extend(carried);
            init_values = inits.into_iter().map(|(value, _)| value).collect();
            types = self.results_in_parentheses(cursor)?;
        }
        self.hands_on(|reader| reader.types_of(&init_values));
        let body = self.region(cursor, args, Some(Implicit::Continue(init_values.len())))?;
        let op = ControlOp::For {
            lower_bound,
            upper_bound,
            step,
            init_values,
            unsigned_cmp,
            body,
        };
        Ok((op.into(), types))
    }

    fn branch(&mut self, spec: &'static TileOpSpec, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let at = cursor.span();
        let condition = self.placed(spec, "condition", None, cursor)?;
        let truth = TileType::scalar(ScalarType::I1);
        self.of_type(condition, "condition", at, &truth, None)?;
        let types = self.results_in_parentheses(cursor)?;
        let end = Some(Implicit::Yield(types.len()));
        self.hands_on(|_| types.clone());
        let then_region = self.region(cursor, Vec::new(), end)?;
        let else_region = if cursor.eat("else") {
            self.region(cursor, Vec::new(), end)?
        } else if cursor.region_follows_word() {
            return cursor.unexpected();
        } else {
            self.body.add_region()
        };
        let op = ControlOp::If {
            condition,
            then_region,
            else_region,
        };
        Ok((op.into(), types))
    }

    fn endless_loop(&mut self, spec: &'static TileOpSpec, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let mut args = Vec::new();
        let mut inits = Vec::new();
        let mut types = Vec::new();
        if cursor.eat("iter_values") {
            (args, inits) = self.carried(spec, cursor)?;
        }
        let init_values: Vec<_> = inits.iter().map(|&(value, _)| value).collect();
        if cursor.eat(":") {
            if init_values.is_empty() {
                types = self.placed_types(cursor)?;
            } else {
                let at = cursor.span();
                let first = self.type_list(cursor)?;
                self.of_types(&inits, &first, "iter_values", cursor.since(at))?;
                if cursor.eat("->") {
                    types = self.placed_types(cursor)?;
                }
            }
        }
        self.hands_on(|reader| reader.types_of(&init_values));
        let body = self.region(cursor, args, Some(Implicit::Continue(init_values.len())))?;
        Ok((ControlOp::Loop { init_values, body }.into(), types))
    }

    fn fold(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
        scan: bool,
    ) -> Parse<Made> {
        let mut placed = Vec::new();
        let start = cursor.span();
        while placed.is_empty() && cursor.peek() != "dim" || cursor.eat(",") {
            let at = cursor.span();
            placed.push((self.placed(spec, "operands", Some(placed.len()), cursor)?, at));
        }
        self.place_field(spec, "operands", cursor.since(start));
        cursor.expect("dim")?;
        cursor.expect("=")?;
        self.place_field(spec, "dim", cursor.span());
        let dim = integer(cursor)?;
        let mut reverse = false;
        if scan {
            cursor.expect("reverse")?;
            cursor.expect("=")?;
            reverse = truth(cursor)?;
        }
        cursor.expect("identities")?;
        cursor.expect("=")?;
        let start = cursor.span();
        cursor.expect("[")?;
        let mut number = 0usize;
        let identities: Vec<Attr> = cursor.list("]", |cursor| {
            let start = cursor.span();
            let identity = attr(cursor, ScalarType::I64)?;
            self.place_entry(spec, "identities", number, cursor.since(start));
            number = number.saturating_add(1);
            Ok(identity)
        })?;
        self.place_field(spec, "identities", cursor.since(start));
        cursor.expect(":")?;
        let at = cursor.span();
        let said = self.type_list(cursor)?;
        let name = if scan {
            "operands of `scan`"
        } else {
            "operands of `reduce`"
        };
        self.of_types(&placed, &said, name, cursor.since(at))?;
        cursor.expect("->")?;
        let types = self.placed_types(cursor)?;
        cursor.expect("(")?;
        let args = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect(":")?;
            let ty = Some(value_type(cursor)?);
            Ok(Argument { name, at, ty })
        })?;
        let operands = placed.into_iter().map(|(value, _)| value).collect();
        // The arguments are two of each type, of which one is handed on.
        self.hands_on(|_| args.iter().step_by(2).filter_map(|arg| arg.ty.clone()).collect());
        let body = self.region(cursor, args, None)?;
        let op = if scan {
            ShapeOp::Scan {
                operands,
                dim,
                reverse,
                identities,
                body,
            }
        } else {
            ShapeOp::Reduce {
                operands,
                dim,
                identities,
                body,
            }
        };
        Ok((op.into(), types))
    }
}
