//! The language's rules beyond what every language shares: the types that operands take, the values that
//! attributes may have, and what each op asks for besides, in one file a group of ops.

pub(super) mod cast;
pub(super) mod control;
mod debug;
pub(super) mod float;
pub(super) mod fold;
mod hints;
pub(super) mod int;
pub(super) mod matrix;
pub(super) mod memory;
mod module;
pub(super) mod shape;
pub(super) mod view;

pub use debug::verify_debug;
pub use hints::check_hints;
pub use module::{ModuleProblem, verify_module};

use std::fmt::Display;

use tilewright_diagnostics::Code;

use super::declare::{AttrRef, DefaultValue, FieldKind, FieldRef, TileFieldSpec, TileOpSpec};
use super::enums::{MemoryOrdering, PtrAttr, RoundingMode};
use super::module::CudaTile;
use super::ops::{ControlOp, TileOp};
use super::type_rules::check_type;
use super::types::{Element, Tile, TileType};
use crate::core::{Block, Body, Func, OpData, OpId, Origin, Problems, Region, Value};
use crate::element::ScalarType;

/// An op that is being checked, and what surrounds it.
#[derive(Debug)]
pub struct Check<'a> {
    /// The body.
    pub body: &'a Body<CudaTile>,
    /// The op.
    pub op: &'a OpData<CudaTile>,
    /// The op's declaration.
    pub spec: &'static TileOpSpec,
    /// The ops around it, the outermost first.
    pub around: &'a [OpId],
    problems: &'a mut Problems,
}

impl<'a> Check<'a> {
    /// Reports an error about the op. The message follows the op's name.
    pub fn error(&mut self, code: Code, message: impl AsRef<str>) {
        let message = format!("'cuda_tile.{}' op {}", self.spec.name, message.as_ref());
        self.problems.error(self.op.origin, code, message);
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &'a TileType {
        self.body.ty(value)
    }

    /// The tile type of a value that a constraint has found to be a tile.
    pub fn tile(&self, value: Value) -> Option<&'a Tile> {
        self.body.ty(value).as_tile()
    }

    /// The types of the results.
    pub fn result_types(&self) -> impl ExactSizeIterator<Item = &'a TileType> + use<'a> {
        let body = self.body;
        self.op.results().map(|value| body.ty(value))
    }

    /// The type of the first result.
    pub fn result(&self) -> Option<&'a TileType> {
        self.result_types().next()
    }

    /// The tile type of the first result.
    pub fn result_tile(&self) -> Option<&'a Tile> {
        self.result().and_then(TileType::as_tile)
    }

    /// The only block of a region.
    pub fn block(&self, region: Region) -> Option<Block> {
        self.body.only_block(region)
    }

    /// Each operand with the field that it belongs to.
    pub fn operands(&self) -> Vec<(&'static TileFieldSpec, Value)> {
        let mut list = Vec::new();
        for (spec, field) in self.spec.fields.iter().zip(self.op.kind.fields().iter()) {
            match field {
                FieldRef::Operand(v) | FieldRef::OptionalOperand(Some(v)) => list.push((spec, *v)),
                FieldRef::Operands(values) => list.extend(values.iter().map(|&v| (spec, v))),
                FieldRef::OptionalOperand(None)
                | FieldRef::Region(_)
                | FieldRef::Flag(_)
                | FieldRef::Attr(_) => {}
            }
        }
        list
    }

    /// The field of this name.
    fn field(&self, name: &str) -> Option<FieldRef<'a>> {
        let op: &'a OpData<CudaTile> = self.op;
        op.kind.fields().get(self.spec.field(name)?).copied()
    }

    /// Reports unless the two are equal. `what` and `other` are nouns such as ``operand `lhs` ``.
    pub fn same_type(
        &mut self,
        what: impl Display,
        ty: &TileType,
        other: impl Display,
        wanted: &TileType,
    ) -> bool {
        let same = ty == wanted;
        if !same {
            self.error(
                Code::TypeMismatch,
                format!("{what} is `{ty}`, but {other} is `{wanted}`"),
            );
        }
        same
    }

    /// Reports unless the two tiles have one shape.
    pub fn same_shape(
        &mut self,
        what: impl Display,
        tile: &Tile,
        other: impl Display,
        wanted: &Tile,
    ) -> bool {
        let same = tile.shape == wanted.shape;
        if !same {
            let message = format!("{what} is `{tile}`, but {other} is `{wanted}`: expected the same shape");
            self.error(Code::TypeMismatch, message);
        }
        same
    }

    /// Reports unless the two tiles have one element type.
    pub fn same_element(&mut self, what: &str, tile: &Tile, other: &str, wanted: &Tile) -> bool {
        let same = tile.element == wanted.element;
        if !same {
            let message =
                format!("{what} is `{tile}`, but {other} is `{wanted}`: expected the same elements");
            self.error(Code::TypeMismatch, message);
        }
        same
    }

    /// Reports unless the two tiles have one rank.
    pub fn same_rank(&mut self, what: &str, tile: &Tile, other: &str, wanted: &Tile) -> bool {
        let same = tile.shape.len() == wanted.shape.len();
        if !same {
            let message = format!(
                "{what} is `{tile}` with {} dimensions, but {other} is `{wanted}` with {}",
                tile.shape.len(),
                wanted.shape.len()
            );
            self.error(Code::RankMismatch, message);
        }
        same
    }
}

/// Checks a function; what every language checks has been checked before.
pub(super) fn verify_func(func: &Func<CudaTile>, problems: &mut Problems) {
    let mut walker = Walker {
        body: &func.body,
        around: Vec::new(),
        problems,
    };
    for (i, &param) in func.body.params().iter().enumerate() {
        let ty = func.body.ty(param);
        if !ty.as_tile().is_some_and(|tile| tile.shape.is_empty()) {
            let message = format!(
                "parameter {i} of `{}` is `{ty}`, expected a scalar (a tile of rank 0)",
                func.name
            );
            walker
                .problems
                .error(Origin::FUNCTION, Code::OperandType, message);
        }
    }
    walker.region(func.body.root());
    if let Some(last) = func.body.entry().and_then(|block| func.body.terminator(block)) {
        let op = func.body.op(last);
        if !matches!(op.kind, TileOp::Control(ControlOp::Return { .. })) {
            let message = format!("`{}` must end in `return`", func.name);
            walker.problems.error(op.origin, Code::MissingTerminator, message);
        }
    }
}

struct Walker<'a> {
    body: &'a Body<CudaTile>,
    around: Vec<OpId>,
    problems: &'a mut Problems,
}

impl Walker<'_> {
    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for (i, &arg) in self.body.block(block).args.iter().enumerate() {
                let origin = self
                    .around
                    .last()
                    .map_or(Origin::FUNCTION, |&op| self.body.op(op).origin);
                self.own_rules(origin, &format!("block argument {i}"), self.body.ty(arg));
            }
            for &id in &self.body.block(block).ops {
                self.op(id);
            }
        }
    }

    fn own_rules(&mut self, origin: Origin, what: &str, ty: &TileType) {
        if let Err((code, message)) = check_type(ty) {
            self.problems.error(origin, code, format!("{what}: {message}"));
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.body.op(id);
        let spec = op.kind.tile_spec();
        let before = self.problems.list.len();
        let open = spec.result_count == crate::core::ResultCount::Any;
        for (i, value) in op.results().enumerate() {
            let ty = self.body.ty(value);
            if let Err((code, message)) = check_type(ty) {
                let message = format!("'cuda_tile.{}' op result #{i}: {message}", spec.name);
                self.problems.error(op.origin, code, message);
            } else if let Some(result) = spec.results.get(if open { 0 } else { i })
                && !result.constraint.admits(ty)
            {
                let message = format!(
                    "'cuda_tile.{}' op result #{i} (`{}`) must be {}, but got `{ty}`",
                    spec.name,
                    result.name,
                    result.constraint.describe()
                );
                self.problems.error(op.origin, Code::OperandType, message);
            }
        }
        let mut check = Check {
            body: self.body,
            op,
            spec,
            around: &self.around,
            problems: self.problems,
        };
        declared(&mut check);
        // The op's own rules may rely on what its declaration says.
        if check.problems.list.len() == before {
            for rule in spec.checks {
                rule(&mut check);
            }
        }
        self.around.push(id);
        let mut regions = Vec::new();
        crate::core::Operation::regions(&op.kind, &mut |region| regions.push(region));
        for region in regions {
            self.region(region);
        }
        self.around.pop();
    }
}

/// What the declaration itself says: types of operands, cases of enumerations, lengths of lists.
fn declared(check: &mut Check<'_>) {
    let (specs, fields) = (check.spec.fields, check.op.kind.fields());
    let mut number = 0;
    let mut admit = |field: &TileFieldSpec, value: Value| {
        let ty = check.ty(value);
        if !field.constraint.admits(ty) {
            let message = format!(
                "operand #{number} (`{}`) must be {}, but got `{ty}`",
                field.name,
                field.constraint.describe()
            );
            check.error(Code::OperandType, message);
        }
        number += 1;
    };
    for (spec, field) in specs.iter().zip(fields.iter()) {
        match field {
            FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value)) => admit(spec, *value),
            FieldRef::Operands(values) => values.iter().for_each(|&value| admit(spec, value)),
            FieldRef::OptionalOperand(None) | FieldRef::Region(_) | FieldRef::Flag(_) | FieldRef::Attr(_) => {
            }
        }
    }
    for (spec, field) in specs.iter().zip(fields.iter()) {
        match (spec.kind, field) {
            (
                FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind),
                FieldRef::Attr(Some(AttrRef::Enum(code))),
            ) => {
                let super::declare::AttrKind::Enum(cases) = kind else {
                    continue;
                };
                if spec.allowed.is_empty() || spec.allowed.contains(code) {
                    continue;
                }
                let word = |code: u8| cases.by_code(code.into()).map_or("?", |case| case.word);
                let allowed: Vec<_> = spec.allowed.iter().map(|&code| word(code)).collect();
                let message = format!(
                    "attribute `{}` is {}, expected {}",
                    spec.name,
                    word(*code),
                    alternatives(&allowed)
                );
                check.error(Code::AttributeValue, message);
            }
            (_, FieldRef::Attr(Some(AttrRef::Bools(flags)))) => {
                let Some(DefaultValue::AllFalse(of)) = spec.default else {
                    continue;
                };
                let Some(FieldRef::Operands(values)) = check.field(of) else {
                    continue;
                };
                if values.len() != flags.len() {
                    let message = format!(
                        "attribute `{}` has {} entries, but there are {} operands `{of}`",
                        spec.name,
                        flags.len(),
                        values.len()
                    );
                    check.error(Code::AttributeValue, message);
                }
            }
            _ => {}
        }
    }
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// All operands but tokens, and all results, are of one type.
pub(super) fn same_types(check: &mut Check<'_>) {
    let operands = check.operands();
    let Some(&(first, value)) = operands.first() else {
        return;
    };
    let wanted = check.ty(value);
    let first = first.name;
    for (field, value) in operands.into_iter().skip(1) {
        let what = format_args!("operand `{}`", field.name);
        check.same_type(what, check.ty(value), format_args!("operand `{first}`"), wanted);
    }
    for ty in check.result_types() {
        check.same_type("the result", ty, format_args!("operand `{first}`"), wanted);
    }
}

/// The operand and the result have one shape.
pub(super) fn same_shapes(check: &mut Check<'_>) {
    let Some(&(field, value)) = check.operands().first() else {
        return;
    };
    if let (Some(source), Some(result)) = (check.tile(value), check.result_tile()) {
        let operand = format_args!("operand `{}`", field.name);
        check.same_shape("the result", result, operand, source);
    }
}

/// Two operands of one type give truth values in their shape.
pub(super) fn compare(check: &mut Check<'_>) {
    let operands = check.operands();
    let [(_, lhs), (_, rhs)] = operands.as_slice() else {
        return;
    };
    check.same_type("operand `rhs`", check.ty(*rhs), "operand `lhs`", check.ty(*lhs));
    if let (Some(lhs), Some(result)) = (check.tile(*lhs), check.result_tile()) {
        check.same_shape("the result", result, "operand `lhs`", lhs);
    }
}

fn result_is_f32(check: &Check<'_>) -> bool {
    check
        .result_tile()
        .is_some_and(|tile| tile.element == Element::Scalar(ScalarType::F32))
}

/// Subnormals can be flushed to zero in f32 only.
pub(super) fn flush_needs_f32(check: &mut Check<'_>) {
    if let (Some(FieldRef::Flag(true)), Some(ty)) = (check.field("flush_to_zero"), check.result())
        && !result_is_f32(check)
    {
        check.error(
            Code::AttributeValue,
            format!("attribute `flush_to_zero` needs f32 elements, but the type is `{ty}`"),
        );
    }
}

fn rounding_needs_f32(check: &mut Check<'_>, modes: &[RoundingMode]) {
    if let (Some(FieldRef::Attr(Some(AttrRef::Enum(code)))), Some(ty)) =
        (check.field("rounding_mode"), check.result())
        && let Some(mode) = RoundingMode::from_code(code)
        && modes.contains(&mode)
        && !result_is_f32(check)
    {
        check.error(
            Code::AttributeValue,
            format!("attribute `rounding_mode` is {mode}, which needs f32 elements, but the type is `{ty}`"),
        );
    }
}

/// There are approximations for f32 only.
pub(super) fn approx_needs_f32(check: &mut Check<'_>) {
    rounding_needs_f32(check, &[RoundingMode::Approx]);
}

/// There are approximations for f32 only, the good one included.
pub(super) fn approx_and_full_need_f32(check: &mut Check<'_>) {
    rounding_needs_f32(check, &[RoundingMode::Approx, RoundingMode::Full]);
}

/// A weak access has no scope, every other one has one.
pub(super) fn ordering_and_scope(check: &mut Check<'_>) {
    let (Some(FieldRef::Attr(Some(AttrRef::Enum(code)))), Some(FieldRef::Attr(scope))) =
        (check.field("ordering"), check.field("scope"))
    else {
        return;
    };
    let Some(ordering) = MemoryOrdering::from_code(code) else {
        return;
    };
    match (ordering == MemoryOrdering::Weak, scope) {
        (true, Some(_)) => check.error(
            Code::AttributeValue,
            "attribute `scope` is given, but a weak access has none",
        ),
        (false, None) => check.error(
            Code::MissingAttribute,
            format!("attribute `scope` is missing: the ordering is {ordering}"),
        ),
        (true, None) | (false, Some(_)) => {}
    }
}

/// Addresses of multicast mappings are for the multimem ops alone.
pub(super) fn no_multicast(check: &mut Check<'_>) {
    for (field, value) in check.operands() {
        let attr = match check.ty(value) {
            TileType::Tile(tile) => tile.element.pointer().and_then(|pointer| pointer.attr),
            other => other.as_view().and_then(|view| view.tensor.attr),
        };
        if attr == Some(PtrAttr::Multicast) {
            let message = format!(
                "operand `{}` is `{}`; only multimem ops take multicast addresses",
                field.name,
                check.ty(value)
            );
            check.error(Code::OperandType, message);
        }
    }
}
