//! Ops whose text has a form of its own: those with regions, constants, and views of tensors.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::core::{Flag, Value};
use tilewright_irs::cuda_tile::{Attr, ControlOp, ShapeOp, TileOpSpec, TileType, ViewOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::body::{Argument, BodyReader};
use super::cursor::{Cursor, Parse, fail};
use super::ops::{Made, counted, truth};
use super::types::{integer, value_type};
use super::values::{attr, dense};

/// A dimension or a stride: known, or a value.
enum Extent {
    Known,
    Dynamic(Value),
}

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Reads an op that the declarations leave to this module.
    pub(crate) fn by_hand(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
        results: usize,
        name: Span,
    ) -> Parse<Made> {
        let (op, types) = match spec.name {
            "constant" => self.constant(cursor)?,
            "make_tensor_view" => self.make_tensor_view(cursor)?,
            "for" => self.for_loop(cursor)?,
            "if" => self.branch(cursor)?,
            "loop" => self.endless_loop(cursor)?,
            "reduce" => self.fold(cursor, false)?,
            "scan" => self.fold(cursor, true)?,
            _ => {
                let message = format!("`{}` cannot be written as text", spec.name);
                return fail(Code::UnknownOp, message, name, "no text form");
            }
        };
        Ok((op, counted(spec, types, results, name)?))
    }

    fn constant(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let start = cursor.span();
        let value = dense(cursor)?;
        let at = cursor.since(start);
        cursor.expect(":")?;
        let ty = value_type(cursor)?;
        if let (Dense::Elements(_, bits), Some(tile)) = (&value, ty.as_tile())
            && tile.shape.elements() != u64::try_from(bits.len()).ok()
        {
            let message = format!("{} elements are given for a constant of type `{ty}`", bits.len());
            return fail(Code::ConstantSize, message, at, "wrong number of elements");
        }
        Ok((ShapeOp::Constant { value }.into(), vec![ty]))
    }

    fn extents(&mut self, cursor: &mut Cursor<'t, 'input>, word: &str) -> Parse<Vec<Value>> {
        cursor.expect(",")?;
        cursor.expect(word)?;
        cursor.expect("=")?;
        cursor.expect("[")?;
        let extents = cursor.list("]", |cursor| {
            if cursor.peek().starts_with('%') {
                return self.value(cursor).map(Extent::Dynamic);
            }
            integer::<u64>(cursor).map(|_| Extent::Known)
        })?;
        let dynamic = extents.into_iter().filter_map(|extent| match extent {
            Extent::Known => None,
            Extent::Dynamic(value) => Some(value),
        });
        Ok(dynamic.collect())
    }

    fn make_tensor_view(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let base = self.value(cursor)?;
        let dynamic_shape = self.extents(cursor, "shape")?;
        let dynamic_strides = self.extents(cursor, "strides")?;
        cursor.expect(":")?;
        // The types of the pointer and of the dynamic extents, where they say more than the tensor's.
        let mut types = self.type_list(cursor)?;
        if cursor.eat("->") {
            types = vec![value_type(cursor)?];
        }
        let [ty] = <[TileType; 1]>::try_from(types).or_else(|_| cursor.wrong("`->`"))?;
        let op = ViewOp::MakeTensorView {
            base,
            dynamic_shape,
            dynamic_strides,
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

    /// ` -> (types)`, or nothing.
    fn results_in_parentheses(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<TileType>> {
        if !cursor.eat("->") {
            return Ok(Vec::new());
        }
        cursor.expect("(")?;
        cursor.list(")", value_type)
    }

    /// `(%arg = %init, …)`
    fn carried(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<(Vec<Argument<'input>>, Vec<Value>)> {
        cursor.expect("(")?;
        let pairs = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect("=")?;
            let init = self.value(cursor)?;
            let ty = self.body.ty(init).clone();
            Ok((Argument { name, at, ty }, init))
        })?;
        Ok(pairs.into_iter().unzip())
    }

    fn for_loop(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let unsigned_cmp = Flag(cursor.eat("unsigned"));
        let at = cursor.span();
        let name = argument_name(cursor)?;
        cursor.expect("in")?;
        cursor.expect("(")?;
        let lower_bound = self.value(cursor)?;
        cursor.expect("to")?;
        let upper_bound = self.value(cursor)?;
        cursor.expect(",")?;
        cursor.expect("step")?;
        let step = self.value(cursor)?;
        cursor.expect(")")?;
        cursor.expect(":")?;
        let ty = value_type(cursor)?;
        let mut args = vec![Argument { name, at, ty }];
        let mut init_values = Vec::new();
        let mut types = Vec::new();
        if cursor.eat("iter_values") {
            let (carried, inits) = self.carried(cursor)?;
            args.extend(carried);
            init_values = inits;
            types = self.results_in_parentheses(cursor)?;
        }
        let body = self.region(cursor, args, Some("continue"))?;
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

    fn branch(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let condition = self.value(cursor)?;
        let types = self.results_in_parentheses(cursor)?;
        let then_region = self.region(cursor, Vec::new(), Some("yield"))?;
        let else_region = if cursor.eat("else") {
            self.region(cursor, Vec::new(), Some("yield"))?
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

    fn endless_loop(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Made> {
        let mut args = Vec::new();
        let mut init_values = Vec::new();
        let mut types = Vec::new();
        if cursor.eat("iter_values") {
            (args, init_values) = self.carried(cursor)?;
        }
        if cursor.eat(":") {
            let first = self.type_list(cursor)?;
            if init_values.is_empty() {
                types = first;
            } else if cursor.eat("->") {
                types = self.type_list(cursor)?;
            }
        }
        let body = self.region(cursor, args, Some("continue"))?;
        Ok((ControlOp::Loop { init_values, body }.into(), types))
    }

    fn fold(&mut self, cursor: &mut Cursor<'t, 'input>, scan: bool) -> Parse<Made> {
        let mut operands = vec![self.value(cursor)?];
        while cursor.eat(",") {
            operands.push(self.value(cursor)?);
        }
        cursor.expect("dim")?;
        cursor.expect("=")?;
        let dim = integer(cursor)?;
        let mut reverse = false;
        if scan {
            cursor.expect("reverse")?;
            cursor.expect("=")?;
            reverse = truth(cursor)?;
        }
        cursor.expect("identities")?;
        cursor.expect("=")?;
        cursor.expect("[")?;
        let identities: Vec<Attr> = cursor.list("]", |cursor| attr(cursor, ScalarType::I64))?;
        cursor.expect(":")?;
        self.type_list(cursor)?;
        cursor.expect("->")?;
        let types = self.type_list(cursor)?;
        cursor.expect("(")?;
        let args = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect(":")?;
            let ty = value_type(cursor)?;
            Ok(Argument { name, at, ty })
        })?;
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

/// The name of a value that is defined here.
pub(crate) fn argument_name<'input>(cursor: &mut Cursor<'_, 'input>) -> Parse<&'input str> {
    let text = cursor.peek();
    match text.strip_prefix('%') {
        Some(name) if !name.contains('#') => {
            cursor.take();
            Ok(name)
        }
        _ => cursor.wrong("the name of a value"),
    }
}
