//! The text of ops with regions, and of those with lists of static and dynamic numbers.

use std::fmt::Display;

use super::op::BodyPrinter;
use super::{write_attr, write_attrs, write_dense, write_symbol};
use crate::core::{OpData, Region, Value};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, PreviewOp, ShapeOp, TileOp, ViewOp};
use crate::cuda_tile::preview::expr_list;
use crate::cuda_tile::types::TileType;
use crate::cuda_tile::write::write_number as write_natural;

impl BodyPrinter<'_> {
    pub(super) fn by_hand(&mut self, data: &OpData<CudaTile>, depth: usize) {
        match &data.kind {
            TileOp::Shape(ShapeOp::Constant { value }) => {
                let ty = data.results().next().map(|result| self.body.ty(result));
                self.out.push(' ');
                let shape = ty.and_then(TileType::as_tile).map_or(&[][..], |tile| &tile.shape);
                write_dense(self.out, value, shape);
                self.out.push_str(" : ");
                self.types(ty);
            }
            TileOp::Shape(ShapeOp::Reduce {
                operands,
                dim,
                identities,
                body,
            }) => self.fold(
                data,
                operands,
                format_args!("dim={dim}"),
                identities,
                *body,
                depth,
            ),
            TileOp::Shape(ShapeOp::Scan {
                operands,
                dim,
                reverse,
                identities,
                body,
            }) => {
                let words = format_args!("dim={dim} reverse={reverse}");
                self.fold(data, operands, words, identities, *body, depth);
            }
            TileOp::View(ViewOp::MakeTensorView {
                base,
                dynamic_shape,
                dynamic_strides,
            }) => self.make_tensor_view(data, *base, dynamic_shape, dynamic_strides),
            TileOp::Control(ControlOp::For {
                lower_bound,
                upper_bound,
                step,
                init_values,
                unsigned_cmp,
                body,
            }) => {
                let args = self.arguments(*body);
                let (index, carried) = match args.split_first() {
                    Some((index, carried)) => (Some(*index), carried),
                    None => (None, &[][..]),
                };
                self.out.push_str(if unsigned_cmp.0 { " unsigned " } else { " " });
                self.values(index.as_slice());
                self.out.push_str(" in (");
                self.value(*lower_bound);
                self.out.push_str(" to ");
                self.value(*upper_bound);
                self.out.push_str(", step ");
                self.value(*step);
                self.out.push_str(") : ");
                self.types_of([*lower_bound]);
                if !init_values.is_empty() {
                    self.iter_values(carried, init_values);
                    self.out.push_str(" -> (");
                    self.types_of(data.results());
                    self.out.push(')');
                }
                self.out.push(' ');
                self.braces(*body, depth, "continue");
            }
            TileOp::Control(ControlOp::If {
                condition,
                then_region,
                else_region,
            }) => {
                self.out.push(' ');
                self.value(*condition);
                if data.results().len() > 0 {
                    self.out.push_str(" -> (");
                    self.types_of(data.results());
                    self.out.push(')');
                }
                self.out.push(' ');
                self.braces(*then_region, depth, "yield");
                if !self.body.region(*else_region).blocks.is_empty() {
                    self.out.push_str(" else ");
                    self.braces(*else_region, depth, "yield");
                }
            }
            TileOp::Control(ControlOp::Loop { init_values, body }) => {
                if !init_values.is_empty() {
                    let args = self.arguments(*body);
                    self.iter_values(&args, init_values);
                    self.out.push_str(" : ");
                    self.types_of(init_values.iter().copied());
                }
                if data.results().len() > 0 {
                    self.out
                        .push_str(if init_values.is_empty() { " : " } else { " -> " });
                    self.types_of(data.results());
                }
                self.out.push(' ');
                self.braces(*body, depth, "continue");
            }
            TileOp::Preview(PreviewOp::Call {
                operands,
                callee,
                const_args,
                arg_attrs,
                res_attrs,
            }) => {
                self.out.push(' ');
                write_symbol(self.out, &callee.0);
                if !const_args.is_empty() {
                    self.out.push_str(&expr_list(const_args));
                }
                self.out.push('(');
                self.values(operands);
                self.out.push(')');
                self.call_attributes([("arg_attrs", arg_attrs), ("res_attrs", res_attrs)]);
                self.out.push_str(" : (");
                self.prefixed_types(operands.iter().copied());
                self.out.push_str(") -> ");
                let results = data.results();
                if results.len() == 1 {
                    self.prefixed_types(results);
                } else {
                    self.out.push('(');
                    self.prefixed_types(results);
                    self.out.push(')');
                }
            }
            // Every other op has its text in its declaration, which a test of the declarations ensures.
            _ => {}
        }
    }

    /// ` {name = […]}` with those that are present.
    fn call_attributes(&mut self, lists: [(&str, &Option<Vec<Attr>>); 2]) {
        let mut open = " {";
        for (name, list) in lists {
            let Some(list) = list else { continue };
            self.out.push_str(open);
            self.out.push_str(name);
            self.out.push_str(" = ");
            write_attr(self.out, &Attr::Array(list.clone()));
            open = ", ";
        }
        if open == ", " {
            self.out.push('}');
        }
    }

    /// Types with the dialect's prefix.
    fn prefixed_types(&mut self, values: impl IntoIterator<Item = Value>) {
        self.list(values, |this, value| {
            this.out.push_str("!cuda_tile.");
            this.types_of([value]);
        });
    }

    fn arguments(&self, region: Region) -> Vec<Value> {
        let entry = self.body.region(region).blocks.first();
        entry.map_or_else(Vec::new, |&block| self.body.block(block).args.clone())
    }

    /// ` iter_values(%arg = %init, …)`
    fn iter_values(&mut self, args: &[Value], inits: &[Value]) {
        self.out.push_str(" iter_values(");
        self.list(args.iter().zip(inits), |this, (&arg, &init)| {
            this.value(arg);
            this.out.push_str(" = ");
            this.value(init);
        });
        self.out.push(')');
    }

    fn braces(&mut self, region: Region, depth: usize, implicit: &str) {
        self.out.push_str("{\n");
        self.region(region, depth + 1, implicit);
        self.indent(depth);
        self.out.push('}');
    }

    /// The common parts of `reduce` and `scan`. The region's arguments are on a line of their own, after a space.
    fn fold(
        &mut self,
        data: &OpData<CudaTile>,
        operands: &[Value],
        words: impl Display,
        identities: &[Attr],
        body: Region,
        depth: usize,
    ) {
        self.out.push(' ');
        self.values(operands);
        self.put(format_args!(" {words} identities=["));
        write_attrs(self.out, identities);
        self.out.push_str("] : ");
        self.types_of(operands.iter().copied());
        self.out.push_str(" -> ");
        self.types_of(data.results());
        self.out.push_str(" \n");
        self.indent(depth);
        self.out.push('(');
        let args = self.arguments(body);
        self.list(args, |this, arg| {
            this.value(arg);
            this.out.push_str(": ");
            this.types_of([arg]);
        });
        self.out.push_str(") ");
        self.braces(body, depth, "");
    }

    fn make_tensor_view(&mut self, data: &OpData<CudaTile>, base: Value, shape: &[Value], strides: &[Value]) {
        let ty = data.results().next().map(|result| self.body.ty(result));
        let tensor = ty.and_then(TileType::as_tensor_view);
        self.out.push(' ');
        self.value(base);
        self.out.push_str(", shape = [");
        self.mixed(tensor.map_or(&[], |tensor| &tensor.shape), shape);
        self.out.push_str("], strides = [");
        self.mixed(tensor.map_or(&[], |tensor| &tensor.strides), strides);
        self.out.push_str("] : ");
        // A plain pointer's type follows from the tensor's.
        let pointer = self
            .body
            .ty(base)
            .as_tile()
            .and_then(|tile| tile.element.pointer());
        let kind = pointer.and_then(|pointer| pointer.attr).map(|_| base);
        let dynamic = shape.first().or(strides.first()).copied();
        if kind.is_some() || dynamic.is_some() {
            self.types_of(kind.into_iter().chain(dynamic));
            self.out.push_str(" -> ");
        }
        self.types(ty);
    }

    /// Static numbers of the type, and values for its dynamic ones.
    fn mixed(&mut self, known: &[Option<u64>], dynamic: &[Value]) {
        let mut dynamic = dynamic.iter();
        self.list(known, |this, known| match known {
            Some(number) => {
                // Writing to a string does not fail.
                let _ = write_natural(this.out, *number);
            }
            None => {
                if let Some(&value) = dynamic.next() {
                    this.value(value);
                }
            }
        });
    }
}
