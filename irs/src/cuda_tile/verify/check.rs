//! The op under verification, and how errors are reported.

use smallvec::SmallVec;
use tilewright_diagnostics::{Code, Label, counted};

use super::unknown::Unknown;
use crate::core::{Block, Body, OpData, OpId, Operation, Origin, Part, Problems, Region, Value};
use crate::cuda_tile::declare::{TileFieldSpec, TileOpSpec};
use crate::cuda_tile::fields::{AttrRef, FieldKind, FieldRef};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::cuda_tile::types::{Tile, TileType};

/// An op under verification, with its context.
#[derive(Debug)]
pub struct Check<'a> {
    /// The body.
    pub body: &'a Body<CudaTile>,
    /// The op.
    pub op: &'a OpData<CudaTile>,
    /// The op's declaration.
    pub spec: &'static TileOpSpec,
    /// The op's fields.
    pub(super) fields: &'a [FieldRef<'a>],
    /// The ops around it, the outermost first.
    pub around: &'a [OpId],
    /// The parts of the function that could not be read, if any.
    pub unknown: Option<&'a Unknown>,
    pub(super) problems: &'a mut Problems,
}

impl<'a> Check<'a> {
    /// Reports an error about the op as a whole. The message follows the op's name.
    pub fn error(&mut self, code: Code, message: impl AsRef<str>) {
        self.error_at(Part::Op, code, message);
    }

    /// Reports an error about a part of the op. The message follows the op's name.
    pub fn error_at(&mut self, part: Part, code: Code, message: impl AsRef<str>) {
        let message = self.of_op(message.as_ref());
        self.problems.error_at(self.op.origin, part, code, message);
    }

    /// Reports an error about a part of an op in one of the op's regions that contradicts the op; both are shown.
    pub fn error_in(&mut self, inner: OpId, part: Part, label: &str, code: Code, message: impl AsRef<str>) {
        let message = self.of_op(message.as_ref());
        self.problems
            .error_at(self.body.op(inner).origin, part, code, message);
        self.show(self.op.origin, label);
    }

    fn of_op(&self, message: &str) -> String {
        format!("'cuda_tile.{}' op {message}", self.spec.name)
    }

    /// Adds a secondary location to the last error.
    pub(super) fn show(&mut self, at: Origin, label: &str) {
        if let Some(problem) = self.problems.list.last_mut() {
            problem.diagnostic.secondary.push(Label {
                at,
                message: label.to_owned(),
            });
        }
    }

    /// Adds to the last error that another op was probably meant.
    pub(super) fn meant(&mut self, name: &str) {
        if let Some(mut problem) = self.problems.list.pop() {
            problem.diagnostic = problem.diagnostic.meant(self.op.origin, name);
            self.problems.list.push(problem);
        }
    }

    /// Whether nothing has been reported since the list had `before` entries.
    pub(super) fn silent_since(&self, before: usize) -> bool {
        self.problems.list.len() == before
    }

    /// The field of this name as a part; the op as a whole if it has none.
    pub fn part(&self, name: &str) -> Part {
        self.op.part(name)
    }

    /// An entry of the field of this name as a part.
    pub fn entry(&self, name: &str, entry: usize) -> Part {
        self.part(name).entry(entry)
    }

    /// The declaration of the field of a part.
    fn field_spec(&self, part: Part) -> Option<&'static TileFieldSpec> {
        match part {
            Part::Field(field)
            | Part::Entry(field, _)
            | Part::Key(field, _)
            | Part::Inner(field, ..)
            | Part::InnerKey(field, ..) => self.spec.fields.get(to_index(field)),
            Part::Op | Part::Result(_) | Part::Argument(_) => None,
        }
    }

    /// The name of a part in messages, such as ``operand `lhs` ``.
    pub fn noun(&self, part: Part) -> String {
        match part {
            Part::Op => "the op".to_owned(),
            Part::Argument(i) => format!("argument {i} of the body"),
            Part::Result(i) => match (self.op.results().len(), self.spec.results.get(to_index(i))) {
                (0 | 1, _) => "the result".to_owned(),
                (_, Some(result)) if self.spec.results.len() > 1 => format!("result `{}`", result.name),
                (_, _) => format!("result {i}"),
            },
            Part::Field(_) | Part::Entry(..) | Part::Key(..) | Part::Inner(..) | Part::InnerKey(..) => {
                match self.field_spec(part) {
                    None => "the op".to_owned(),
                    Some(spec) => match spec.kind {
                        FieldKind::Operand | FieldKind::OptionalOperand => format!("operand `{}`", spec.name),
                        FieldKind::Operands => match part {
                            Part::Entry(_, entry) => format!("operand {entry} of `{}`", spec.name),
                            _ => format!("operands `{}`", spec.name),
                        },
                        FieldKind::Region => format!("region `{}`", spec.name),
                        FieldKind::Flag | FieldKind::Attr(_) | FieldKind::OptionalAttr(_) => {
                            format!("attribute `{}`", spec.name)
                        }
                    },
                }
            }
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &'a TileType {
        self.body.ty(value)
    }

    /// The type of a value; `None` if its definition could not be read.
    pub fn known(&self, value: Value) -> Option<&'a TileType> {
        let unknown = self
            .unknown
            .is_some_and(|unknown| unknown.values.contains(&value));
        (!unknown).then(|| self.body.ty(value))
    }

    /// Whether an op is a placeholder for an unreadable one.
    pub fn is_unknown(&self, op: OpId) -> bool {
        self.unknown.is_some_and(|unknown| unknown.ops.contains(&op))
    }

    /// The tile type of a value that its constraint requires to be a tile.
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

    /// The tile type of a value, if known.
    pub fn known_tile(&self, value: Value) -> Option<&'a Tile> {
        self.known(value).and_then(TileType::as_tile)
    }

    /// The tile type of the first result.
    pub fn result_tile(&self) -> Option<&'a Tile> {
        self.result().and_then(TileType::as_tile)
    }

    /// The only block of a region.
    pub fn block(&self, region: Region) -> Option<Block> {
        self.body.only_block(region)
    }

    /// Each operand with its part.
    pub fn operands(&self) -> SmallVec<[(Part, Value); 8]> {
        let mut list = SmallVec::new();
        self.op
            .kind
            .operand_parts(&mut |part, value| list.push((part, value)));
        list
    }

    /// The field of this name.
    pub(super) fn field(&self, name: &str) -> Option<FieldRef<'a>> {
        self.fields.get(self.spec.field(name)?).copied()
    }

    /// The enumeration case of the field of this name.
    pub(super) fn case(&self, name: &str) -> Option<u8> {
        match self.field(name)? {
            FieldRef::Attr(Some(AttrRef::Enum(code))) => Some(code),
            FieldRef::Operand(_)
            | FieldRef::OptionalOperand(_)
            | FieldRef::Operands(_)
            | FieldRef::Region(_)
            | FieldRef::Flag(_)
            | FieldRef::Attr(_) => None,
        }
    }

    /// Whether the op's own rules can be checked: all types are known, or the rules handle unknown ones.
    pub(super) fn may_apply_rules(&self) -> bool {
        let Some(unknown) = self.unknown else { return true };
        let known = |value: Value| !unknown.values.contains(&value);
        let mut all = self.op.results().all(known);
        self.op.kind.operands(&mut |value| all &= known(value));
        all || match &self.op.kind {
            TileOp::Control(_) => true,
            TileOp::Shape(op) => matches!(op, ShapeOp::Reduce { .. } | ShapeOp::Scan { .. }),
            _ => false,
        }
    }

    /// Reports unless the two are equal, or one of them is unknown.
    pub(super) fn same_known(
        &mut self,
        part: Part,
        ty: Option<&TileType>,
        other: Part,
        wanted: Option<&TileType>,
    ) {
        if let (Some(ty), Some(wanted)) = (ty, wanted) {
            self.same_type(part, ty, other, wanted);
        }
    }

    /// Reports unless the two are equal.
    pub fn same_type(&mut self, part: Part, ty: &TileType, other: Part, wanted: &TileType) -> bool {
        let same = ty == wanted;
        if !same {
            let message = format!(
                "{} is `{ty}`, but {} is `{wanted}`",
                self.noun(part),
                self.noun(other)
            );
            self.error_at(part, Code::TypeMismatch, message);
        }
        same
    }

    /// Reports that two tiles differ in `expected`.
    fn differs(&mut self, part: Part, tile: &Tile, other: Part, wanted: &Tile, expected: &str) {
        let message = format!(
            "{} is `{tile}`, but {} is `{wanted}`: expected {expected}",
            self.noun(part),
            self.noun(other)
        );
        self.error_at(part, Code::TypeMismatch, message);
    }

    /// Reports unless the two tiles have the same shape.
    pub fn same_shape(&mut self, part: Part, tile: &Tile, other: Part, wanted: &Tile) -> bool {
        let same = tile.shape == wanted.shape;
        if !same {
            self.differs(part, tile, other, wanted, "the same shape");
        }
        same
    }

    /// Reports unless the two tiles have the same element type.
    pub fn same_element(&mut self, part: Part, tile: &Tile, other: Part, wanted: &Tile) -> bool {
        let same = tile.element == wanted.element;
        if !same {
            self.differs(part, tile, other, wanted, "the same elements");
        }
        same
    }

    /// Reports unless the two tiles have the same rank.
    pub fn same_rank(&mut self, part: Part, tile: &Tile, other: Part, wanted: &Tile) -> bool {
        let same = tile.shape.len() == wanted.shape.len();
        if !same {
            let message = format!(
                "{} is `{tile}` with {}, but {} is `{wanted}` with {}",
                self.noun(part),
                counted(tile.shape.len(), "dimension"),
                self.noun(other),
                wanted.shape.len()
            );
            self.error_at(part, Code::RankMismatch, message);
        }
        same
    }
}

/// The first result.
pub(super) const RESULT: Part = Part::Result(0);

fn to_index(i: u32) -> usize {
    usize::try_from(i).unwrap_or(usize::MAX)
}
