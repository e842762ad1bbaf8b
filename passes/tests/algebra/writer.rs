//! Programs of one op, and what the ops around it need: its operands are put together from integers, its results taken apart.

use std::fmt::Write as _;
use std::num::NonZeroU64;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use tilewright_irs::cute_types::{CuteType, Dialect, Integer, Kind, ValueType, ViewLayout};
use tilewright_irs::mlir::attribute::ArrayType;
use tilewright_irs::mlir::types::Signedness;
use tilewright_irs::mlir::{Attribute, Type, compute};
use tilewright_layouts::cute::{Bits, Fact, LastOf};

/// What the number of a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Any number.
    Any,
    /// 0 or more.
    Natural,
    /// 1 or more.
    Positive,
    /// A power of two.
    Power,
}

/// A parameter of a program.
#[derive(Clone, Copy, Debug)]
struct Parameter {
    width: Bits,
    divisor: u64,
    role: Role,
}

/// A program of one op: it takes integers and returns the integers of the op's results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    parameters: Vec<Parameter>,
    ops: String,
    /// The names of the results, with their widths.
    results: Vec<(String, u32)>,
}

/// The most integers that a kernel stores.
pub(crate) const MOST_RESULTS: usize = 64;

impl Program {
    /// How many integers it returns.
    pub(crate) fn results(&self) -> usize {
        self.results.len()
    }

    /// The widths of its parameters.
    pub(crate) fn widths(&self) -> impl Iterator<Item = u32> {
        self.parameters.iter().map(|parameter| parameter.width.count())
    }

    fn signature(&self) -> Vec<String> {
        let numbered = self.widths().enumerate();
        numbered.map(|(at, width)| format!("%p{at}: i{width}")).collect()
    }

    /// As a function that returns the results.
    pub(crate) fn function(&self) -> String {
        let list = |of: Vec<String>| of.join(", ");
        let types = list(
            self.results
                .iter()
                .map(|(_, width)| format!("i{width}"))
                .collect(),
        );
        let names = list(self.results.iter().map(|(name, _)| name.clone()).collect());
        let colon = if self.results.is_empty() { "" } else { " : " };
        format!(
            "module {{\n  func.func @one({}) -> ({types}) {{\n{}    return {names}{colon}{types}\n  }}\n}}\n",
            list(self.signature()),
            self.ops
        )
    }

    /// As a kernel that stores the results, each in 64 bits.
    pub(crate) fn kernel(&self) -> String {
        let mut parameters = vec!["%to: !cute.ptr<i64, gmem>".to_owned()];
        parameters.extend(self.signature());
        let view = format!("!cute.memref<i64, gmem, \"{MOST_RESULTS}:1\">");
        let mut stores = format!("    %view = cute.make_view(%to) : {view}\n");
        for (at, (name, width)) in self.results.iter().enumerate() {
            let wide = match width {
                64 => name.clone(),
                _ => {
                    let cast = if *width == 1 { "extui" } else { "extsi" };
                    let _ = writeln!(stores, "    %wide{at} = arith.{cast} {name} : i{width} to i64");
                    format!("%wide{at}")
                }
            };
            let coord = format!("!cute.coord<\"{at}\">");
            let _ = writeln!(stores, "    %at{at} = cute.make_coord() : () -> {coord}");
            let _ = writeln!(
                stores,
                "    cute.memref.store(%view, %at{at}, {wide}) : ({view}, {coord}, i64) -> ()"
            );
        }
        format!(
            "module {{\n  gpu.module @kernels {{\n  cuda.kernel @one({}) attributes {{nvvm.reqntid = array<i32: 1, 1, 1>}} {{\n{}{stores}    return\n  }}\n  }}\n}}\n",
            parameters.join(", "),
            self.ops
        )
    }

    /// Numbers for its parameters. Those of 64 bits are often beyond those of 32.
    pub(crate) fn assignment(&self, rng: &mut ChaCha8Rng) -> Vec<i64> {
        let numbers = self.parameters.iter().map(|parameter| {
            let divisor = i64::try_from(parameter.divisor).unwrap_or(1);
            let bits = match parameter.width {
                Bits::B64 => *[3, 6, 33, 36, 42].choose(rng).unwrap_or(&6),
                _ => *[2, 4, 6, 12].choose(rng).unwrap_or(&6),
            };
            let size = rng.random_range(0..1i64 << bits) / divisor * divisor;
            match parameter.role {
                Role::Power => divisor << rng.random_range(0..bits),
                Role::Positive => size.max(divisor),
                Role::Natural => size,
                Role::Any if rng.random_bool(0.3) => -size,
                Role::Any => size,
            }
        });
        numbers.collect()
    }
}

/// A value of a program.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    name: String,
    pub(crate) ty: Type,
}

impl Value {
    pub(crate) fn kind(&self) -> Option<&Kind> {
        self.ty.kind()
    }
}

/// An attribute of an op.
pub(crate) type Property = (&'static str, Attribute);

/// `3 : i32`
pub(crate) fn number(value: usize) -> Attribute {
    Attribute::Integer(value as i64, Type::Integer(Signedness::Signless, 32))
}

/// `3 : si32`
pub(crate) fn signed(value: usize) -> Attribute {
    Attribute::Integer(value as i64, Type::Integer(Signedness::Signed, 32))
}

/// `array<i32: 0, 1>`
pub(crate) fn modes(modes: &[usize]) -> Attribute {
    Attribute::Numbers(ArrayType::I32, modes.iter().map(|&mode| mode as i64).collect())
}

/// Writes a program.
pub(crate) struct Writer<'a> {
    pub(crate) rng: &'a mut ChaCha8Rng,
    program: Program,
    values: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(rng: &'a mut ChaCha8Rng) -> Self {
        Self {
            rng,
            program: Program::default(),
            values: 0,
        }
    }

    /// A parameter.
    pub(crate) fn parameter(&mut self, width: Bits, divisor: u64, role: Role) -> Value {
        let name = format!("%p{}", self.program.parameters.len());
        self.program.parameters.push(Parameter { width, divisor, role });
        let ty = Type::Integer(Signedness::Signless, width.count());
        Value { name, ty }
    }

    /// An op with its results' types.
    pub(crate) fn written(
        &mut self,
        name: &str,
        operands: &[Value],
        properties: &[Property],
        results: Vec<Type>,
    ) -> Vec<Value> {
        let list = |of: Vec<String>| of.join(", ");
        let results: Vec<Value> = (self.values..)
            .zip(results)
            .map(|(at, ty)| Value {
                name: format!("%v{at}"),
                ty,
            })
            .collect();
        self.values += results.len();
        let properties = properties.iter().map(|(name, value)| match value {
            Attribute::Unit => (*name).to_owned(),
            value => format!("{name} = {value}"),
        });
        let mut properties = list(properties.collect());
        if !properties.is_empty() {
            properties = format!(" <{{{properties}}}>");
        }
        let names = |of: &[Value]| list(of.iter().map(|value| value.name.clone()).collect());
        let types = |of: &[Value]| list(of.iter().map(|value| value.ty.to_string()).collect());
        let equals = if results.is_empty() { "" } else { " = " };
        let _ = writeln!(
            self.program.ops,
            "    {}{equals}\"{name}\"({}){properties} : ({}) -> ({})",
            names(&results),
            names(operands),
            types(operands),
            types(&results),
        );
        results
    }

    /// An op whose results' types follow; none if it has no result for such operands.
    pub(crate) fn op(
        &mut self,
        name: &str,
        operands: &[Value],
        properties: &[Property],
    ) -> Option<Vec<Value>> {
        let types: Vec<Type> = operands.iter().map(|value| value.ty.clone()).collect();
        let computed = compute(Dialect::Library, name, &types, properties).ok()?;
        let results = computed.into_iter().map(|computed| match computed.ty {
            ValueType::Cute(ty) => Some(Type::Cute(ty)),
            ValueType::Machine(number) => integer(&ValueType::Machine(number).to_string()),
        });
        let results: Option<Vec<Type>> = results.collect();
        Some(self.written(name, operands, properties, results?))
    }

    /// An op with one result.
    pub(crate) fn one(&mut self, name: &str, operands: &[Value], properties: &[Property]) -> Option<Value> {
        self.op(name, operands, properties)?.into_iter().next()
    }

    /// A parameter of which as much is known as of a leaf.
    pub(crate) fn leaf(&mut self, fact: Fact, role: Role) -> Value {
        let parameter = self.parameter(fact.width(), fact.divisor(), role);
        if fact.divisor() == 1 {
            return parameter;
        }
        let divisor = NonZeroU64::new(fact.divisor()).unwrap_or(NonZeroU64::MIN);
        let known = Kind::Integer(Integer {
            width: fact.width(),
            divisor,
            power_of_two: false,
        });
        self.only("cute.assume", &[parameter], &[], known)
    }

    /// A value of a type, whose dynamic leaves are parameters; the extents of a layout are positive.
    pub(crate) fn make(&mut self, kind: Kind, role: Role) -> Value {
        if let Kind::Layout(layout) = &kind {
            let of_shape = match role {
                Role::Power => Role::Power,
                Role::Any | Role::Natural | Role::Positive => Role::Positive,
            };
            let shape = self.make(Kind::Shape(layout.shape()), of_shape);
            let stride = self.make(Kind::Stride(layout.stride()), role);
            let both = Attribute::Numbers(ArrayType::I32, vec![1, 1].into());
            let sizes = ("operandSegmentSizes", both);
            return self.only("cute.make_layout", &[shape, stride], &[sizes], kind);
        }
        let leaves = kind.dynamic_leaves();
        let leaves: Vec<Value> = leaves.into_iter().map(|fact| self.leaf(fact, role)).collect();
        let word = CuteType::from(kind.clone()).word();
        let op = word.replacen('.', ".make_", 1);
        self.only(&op, &leaves, &[], kind)
    }

    /// A value that its type says.
    pub(crate) fn fixed(&mut self, kind: Kind) -> Value {
        self.only("cute.static", &[], &[], kind)
    }

    /// An op with one result, of this type.
    pub(crate) fn only(
        &mut self,
        name: &str,
        operands: &[Value],
        properties: &[Property],
        kind: Kind,
    ) -> Value {
        let ty = Type::Cute(CuteType::from(kind));
        self.written(name, operands, properties, vec![ty]).remove(0)
    }

    /// Returns the integers of a value.
    fn take_apart(&mut self, value: Value) -> Option<()> {
        let Some(kind) = value.kind().cloned() else {
            let Type::Integer(_, width) = value.ty else {
                return None;
            };
            self.program.results.push((value.name, width));
            return Some(());
        };
        let parts: &[&str] = match &kind {
            Kind::IntTuple(_) | Kind::Shape(_) | Kind::Coord(_) | Kind::Stride(_) => {
                let leaves = kind.dynamic_leaves();
                if leaves.is_empty() {
                    return Some(());
                }
                let types = leaves
                    .iter()
                    .map(|leaf| Type::Integer(Signedness::Signless, leaf.width().count()));
                let only_dynamic = [("only_dynamic", Attribute::Unit)];
                let numbers = self.written("cute.get_scalars", &[value], &only_dynamic, types.collect());
                return numbers.into_iter().try_for_each(|number| self.take_apart(number));
            }
            Kind::Integer(integer) => {
                let ty = Type::Integer(Signedness::Signless, integer.width.count());
                let cast = self.written("builtin.unrealized_conversion_cast", &[value], &[], vec![ty]);
                return cast.into_iter().try_for_each(|number| self.take_apart(number));
            }
            Kind::Swizzle(_) => return Some(()),
            Kind::Layout(_) => &["cute.get_shape", "cute.get_stride"],
            Kind::Composed(ViewLayout::Composed(composed)) => match composed.last() {
                LastOf::Layout(_) => &[
                    "cute.composed_get_inner",
                    "cute.composed_get_offset",
                    "cute.composed_get_outer",
                ],
                LastOf::Swizzle(_) => &["cute.composed_get_offset", "cute.composed_get_outer"],
            },
            Kind::Tile(_) => &["cute.get_layouts_from_tile"],
            Kind::CoordTensor(_) => &["cute.get_iter", "cute.get_layout"],
            Kind::CoordIterator(_) => &["cute.deref_arith_tuple_iter"],
            _ => return None,
        };
        for part in parts {
            for value in self.op(part, std::slice::from_ref(&value), &[])? {
                self.take_apart(value)?;
            }
        }
        Some(())
    }

    /// The program that returns the integers of these values; none if there are too many.
    pub(crate) fn finish(mut self, values: Vec<Value>) -> Option<Program> {
        values.into_iter().try_for_each(|value| self.take_apart(value))?;
        (self.program.results.len() <= MOST_RESULTS).then_some(self.program)
    }
}

/// A machine integer.
fn integer(text: &str) -> Option<Type> {
    let width = text.strip_prefix('i')?.parse().ok()?;
    Some(Type::Integer(Signedness::Signless, width))
}
