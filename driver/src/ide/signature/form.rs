//! How an op is written, from its declaration: as text for people, and as steps to match typed text against.

use std::ops::Range;

use tilewright_irs::core::{Language as IrLanguage, OpSpec, Operation, ResultCount};
use tilewright_irs::cuda_tile::syntax::{Piece, syntax};
use tilewright_irs::cuda_tile::{AttrKind, FieldKind, TileFieldSpec, TileOp, TileOpSpec};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::mlir::{self, MlirOpSpec};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

use super::words::spelled;
use crate::ide::ops::declared;
use crate::units::Language;

/// What may be typed for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Values, with commas between them.
    Values,
    /// One word.
    Word,
    /// A type, a number, or anything else.
    Anything,
}

/// A step of an op's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// This word or mark, literally.
    Word(String),
    /// A part of the op.
    Part {
        /// The number of the part.
        part: usize,
        /// What may be typed for it.
        takes: Takes,
    },
    /// The beginning of an optional part, and the step after its end.
    Fork(usize),
    /// Continues at another step.
    Jump(usize),
}

/// How an op is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) text: String,
    pub(super) parts: Vec<(Range<usize>, String)>,
    /// What follows the op's name.
    pub(super) steps: Vec<Step>,
}

/// A piece of the text of an op that is parsed by hand-written code.
enum Own {
    Text(&'static str),
    Part(&'static str),
    Optional(&'static [Own]),
}

use Own::{Optional, Part, Text};

/// What follows the name of each op that is parsed by hand-written code.
const OWN: &[(&str, &[Own])] = &[
    (
        "constant",
        &[
            Text("<"),
            Part("element type"),
            Text(": "),
            Part("value"),
            Text("> : "),
            Part("type of result"),
        ],
    ),
    (
        "make_tensor_view",
        &[
            Part("%base"),
            Text(", shape = ["),
            Part("extents"),
            Text("], strides = ["),
            Part("strides"),
            Text("]"),
            Optional(&[Text(" : "), Part("type of dynamic extents")]),
            Text(" -> "),
            Part("type of result"),
        ],
    ),
    (
        "for",
        &[
            Part("%index"),
            Text(" in ("),
            Part("%lower_bound"),
            Text(" to "),
            Part("%upper_bound"),
            Text(", step "),
            Part("%step"),
            Text(") : "),
            Part("type of index"),
            Optional(&[
                Text(" iter_values("),
                Part("%value = %first"),
                Text(") -> ("),
                Part("types of results"),
                Text(")"),
            ]),
            Text(" {"),
        ],
    ),
    (
        "if",
        &[
            Part("%condition"),
            Optional(&[Text(" -> ("), Part("types of results"), Text(")")]),
            Text(" {"),
        ],
    ),
    (
        "loop",
        &[
            Optional(&[
                Text(" iter_values("),
                Part("%value = %first"),
                Text(") : "),
                Part("types of values"),
                Text(" -> "),
                Part("types of results"),
            ]),
            Text(" {"),
        ],
    ),
    (
        "reduce",
        &[
            Part("%operands"),
            Text(" dim="),
            Part("dim"),
            Text(" identities=["),
            Part("identities"),
            Text("] : "),
            Part("types of operands"),
            Text(" -> "),
            Part("types of results"),
        ],
    ),
    (
        "scan",
        &[
            Part("%operands"),
            Text(" dim="),
            Part("dim"),
            Text(" reverse="),
            Part("reverse"),
            Text(" identities=["),
            Part("identities"),
            Text("] : "),
            Part("types of operands"),
            Text(" -> "),
            Part("types of results"),
        ],
    ),
];

impl Form {
    /// How an op is written.
    pub(super) fn of(language: Language, name: &str) -> Option<Self> {
        match language {
            Language::CudaTile => Self::of_tile_op(TileOp::by_mnemonic(name)?),
            Language::TileAa => Self::regular::<TileAa>(name),
            Language::TileAs => Self::regular::<TileAs>(name),
            Language::Scheduled => Self::regular::<Scheduled>(name),
            Language::Cute => {
                let (spec, dialect) = declared(name)?;
                Some(Self::of_mlir_op(spec, dialect))
            }
            Language::CuteDesugared => Self::regular::<CuteDesugared>(name),
            Language::Llvm => Self::regular::<Llvm>(name),
            Language::Nvvm => Self::regular::<Nvvm>(name),
            Language::Ptx => None,
        }
    }

    fn named(name: &str) -> Self {
        Self {
            text: name.to_owned(),
            ..Self::default()
        }
    }

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.steps
            .extend(spelled(text).map(|(_, word)| Step::Word(word.to_owned())));
    }

    fn part(&mut self, text: &str, doc: String) {
        let takes = match text.starts_with('%') {
            true => Takes::Values,
            false => Takes::Anything,
        };
        self.part_that(takes, text, doc);
    }

    fn part_that(&mut self, takes: Takes, text: &str, doc: String) {
        let start = self.text.len();
        self.text.push_str(text);
        self.steps.push(Step::Part {
            part: self.parts.len(),
            takes,
        });
        self.parts.push((start..self.text.len(), doc));
    }

    /// Adds an optional part.
    fn optional(&mut self, add: impl FnOnce(&mut Self)) {
        let (fork, start) = (self.steps.len(), self.text.len());
        self.steps.push(Step::Fork(fork));
        add(self);
        let behind = self.steps.len();
        if let Some(step) = self.steps.get_mut(fork) {
            *step = Step::Fork(behind);
        }
        // The bracket stands behind a blank that the text begins with.
        let added = self.text.get(start..).unwrap_or_default();
        let blanks = added.len() - added.trim_start().len();
        self.text.insert(start + blanks, '[');
        for (range, _) in self.parts.iter_mut().filter(|(range, _)| range.start >= start) {
            *range = range.start + 1..range.end + 1;
        }
        self.text.push(']');
    }

    fn of_tile_op(spec: &'static TileOpSpec) -> Option<Self> {
        let mut form = Self::named(spec.name);
        form.text.push(' ');
        match syntax(spec) {
            Some(pieces) => form.pieces(spec, pieces, false),
            None => {
                let (_, own) = OWN.iter().find(|(name, _)| *name == spec.name)?;
                form.own(own);
            }
        }
        form.text.truncate(form.text.trim_end().len());
        Some(form)
    }

    fn own(&mut self, pieces: &[Own]) {
        for piece in pieces {
            match piece {
                Text(text) => self.text(text),
                Part(name) => self.part(name, String::new()),
                Optional(pieces) => self.optional(|form| form.own(pieces)),
            }
        }
    }

    /// Adds pieces of a declared syntax; `grouped` says whether they are optional as a group.
    fn pieces(&mut self, spec: &'static TileOpSpec, pieces: &'static [Piece], grouped: bool) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text(text),
                Piece::Field(index) => {
                    if let Some(field) = spec.fields.get(*index) {
                        self.field(field);
                    }
                }
                Piece::Types(typed) | Piece::FirstType(typed) | Piece::IndexTypes(typed) => {
                    self.part(&format!("type of {}", typed.name), String::new());
                }
                Piece::Wrapped(index, word) => {
                    let Some(field) = spec.fields.get(*index) else {
                        continue;
                    };
                    let add = |form: &mut Self| {
                        form.text(&format!("{word}<"));
                        form.field(field);
                        form.text(">");
                    };
                    match grouped {
                        true => add(self),
                        false => self.optional(add),
                    }
                }
                Piece::Group(_, pieces) => self.optional(|form| form.pieces(spec, pieces, true)),
            }
        }
    }

    fn field(&mut self, field: &TileFieldSpec) {
        let name = field.name;
        match field.kind {
            FieldKind::Operand | FieldKind::OptionalOperand => self.part(&format!("%{name}"), String::new()),
            FieldKind::Operands => self.part(&format!("%{name}, ..."), String::new()),
            FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind) => match kind {
                AttrKind::Enum(cases) => {
                    let cases = cases.cases.iter();
                    let allowed = cases
                        .filter(|case| field.allowed.is_empty() || field.allowed.contains(&case.code))
                        .map(|case| case.word);
                    let allowed: Vec<_> = allowed.collect();
                    let doc = format!("one of {}", allowed.join(", "));
                    self.part_that(Takes::Word, name, doc);
                }
                AttrKind::String => self.part(&format!("\"{name}\""), String::new()),
                AttrKind::Symbol => self.part(&format!("@{name}"), String::new()),
                AttrKind::I32s | AttrKind::Bools | AttrKind::Attrs | AttrKind::Exprs => {
                    self.part(&format!("[{name}, ...]"), String::new());
                }
                AttrKind::I64
                | AttrKind::I32
                | AttrKind::Bool
                | AttrKind::Dense
                | AttrKind::Predicate
                | AttrKind::Hints => self.part(name, String::new()),
            },
            FieldKind::Flag | FieldKind::Region => {}
        }
    }

    /// An op of `cute` in its own form, or else its operands as in the generic form.
    fn of_mlir_op(spec: &'static MlirOpSpec, dialect: Dialect) -> Self {
        let mut form = Self::named(spec.shown_in(dialect));
        match mlir::syntax::syntax(spec, dialect) {
            mlir::syntax::Syntax::Pieces(pieces, _) => form.mlir_pieces(spec, pieces),
            mlir::syntax::Syntax::ByHand | mlir::syntax::Syntax::Generic => {
                form.text("(");
                form.operands(spec);
                form.text(")");
            }
        }
        form
    }

    fn mlir_pieces(&mut self, spec: &'static MlirOpSpec, pieces: &[mlir::syntax::Piece]) {
        use mlir::syntax::Piece;
        let name = |at: usize| spec.fields.get(at).map_or("", |field| field.name);
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text(text),
                Piece::Blank => self.text.push(' '),
                Piece::Field(at) => self.mlir_field(spec, *at),
                Piece::Operands => self.operands(spec),
                Piece::Listed(at) => self.part(&format!("[%{}, ...]", name(*at)), String::new()),
                Piece::Types(at) | Piece::Body(at) => {
                    self.part(&format!("type of {}", name(*at)), String::new());
                }
                Piece::ListedTypes(at) => self.part(&format!("types of {}", name(*at)), String::new()),
                Piece::OperandTypes => self.part("types of operands", String::new()),
                Piece::Results | Piece::ResultList => self.part("types of results", String::new()),
                Piece::FirstResult | Piece::ResultBody(_) => self.part("type of result", String::new()),
                Piece::Attributes => self.optional(|form| form.part(" {...}", String::new())),
                Piece::Group(_, inner) | Piece::ResultGroup(inner) => {
                    self.optional(|form| form.mlir_pieces(spec, inner));
                }
            }
        }
    }

    fn mlir_field(&mut self, spec: &'static MlirOpSpec, at: usize) {
        let Some(field) = spec.fields.get(at) else {
            return;
        };
        let name = field.name;
        match field.kind {
            mlir::FieldKind::Operand | mlir::FieldKind::OptionalOperand => {
                self.part(&format!("%{name}"), String::new());
            }
            mlir::FieldKind::Operands => self.part(&format!("%{name}, ..."), String::new()),
            mlir::FieldKind::Flag => self.text(name),
            mlir::FieldKind::Property(kind) | mlir::FieldKind::OptionalProperty(kind) => {
                self.part(name, kind.what.to_owned());
            }
            mlir::FieldKind::Region => self.part("{...}", String::new()),
        }
    }

    /// All operands, with commas between them.
    fn operands(&mut self, spec: &'static MlirOpSpec) {
        for (number, (at, _)) in spec.operands().enumerate() {
            if number > 0 {
                self.text(", ");
            }
            self.mlir_field(spec, at);
        }
    }

    fn regular<L: IrLanguage>(name: &str) -> Option<Self> {
        let spec = L::Op::specs().into_iter().find(|spec| spec.name == name)?;
        Some(Self::of_regular_op(spec))
    }

    /// `name %operand, [%list, ...], label %named {attribute = ..., ...} : type`
    fn of_regular_op(spec: &'static OpSpec) -> Self {
        let mut form = Self::named(spec.name);
        let mut operands = 0;
        for field in spec.fields {
            let (name, doc) = (field.name, field.doc.trim().to_owned());
            let separator = if operands == 0 { " " } else { ", " };
            match field.ty {
                "Value" => {
                    form.text(separator);
                    form.part(&format!("%{name}"), doc);
                }
                "Option<Value>" => form.optional(|form| {
                    form.text(&format!("{separator}{name} "));
                    form.part(&format!("%{name}"), doc);
                }),
                ty if ty.contains("Value") => {
                    form.text(separator);
                    form.part(&format!("[%{name}, ...]"), doc);
                }
                ty if ty.contains("Successor") => {
                    form.text(separator);
                    form.part(&format!("^{name}(...)"), doc);
                }
                _ => continue,
            }
            operands += 1;
        }
        form.attributes(spec);
        if spec.results != ResultCount::Exactly(0) {
            form.text(" : ");
            form.part("type of result", String::new());
        }
        form
    }

    /// Attributes in braces, in any order.
    fn attributes(&mut self, spec: &'static OpSpec) {
        let is_attribute = |ty: &str| {
            !["Value", "Region", "Successor"]
                .iter()
                .any(|other| ty.contains(other))
        };
        let fields: Vec<_> = spec
            .fields
            .iter()
            .filter(|field| is_attribute(field.ty))
            .collect();
        if fields.is_empty() {
            return;
        }
        self.optional(|form| {
            form.text(" {");
            let first = form.steps.len();
            // For each: a fork to the next, its name, `=`, what it is, and a jump behind all of them.
            let behind = first + 5 * fields.len();
            for (number, field) in fields.iter().enumerate() {
                let next = first + 5 * (number + 1);
                form.steps.push(Step::Fork(next));
                if number > 0 {
                    form.text.push_str(", ");
                }
                form.text(&format!("{} = ", field.name));
                form.part(
                    "...",
                    format!("{} {}", field.name, field.doc.trim()).trim().to_owned(),
                );
                form.steps.push(Step::Jump(behind));
            }
            // Another one, or the end.
            form.steps.push(Step::Fork(behind + 3));
            form.steps.push(Step::Word(",".to_owned()));
            form.steps.push(Step::Jump(first));
            form.text("}");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::ops::ops;

    #[test]
    fn every_declared_op_has_a_form() {
        for &language in Language::ALL {
            for op in ops(language) {
                let form = Form::of(language, op.name).expect(op.name);
                assert!(form.text.starts_with(op.name), "{}", form.text);
                assert!(form.text.is_ascii(), "{}", form.text);
                for (range, _) in &form.parts {
                    assert!(form.text.get(range.clone()).is_some_and(|part| !part.is_empty()));
                }
                for step in &form.steps {
                    if let Step::Fork(to) | Step::Jump(to) = step {
                        assert!(*to <= form.steps.len(), "{}", form.text);
                    }
                }
            }
        }
    }

    #[test]
    fn forms_are_written_as_the_language_is() {
        let form = |language, name| Form::of(language, name).expect("a form").text;
        assert_eq!(
            form(Language::CudaTile, "addi"),
            "addi %lhs, %rhs [overflow<overflow>] : type of result"
        );
        assert_eq!(
            form(Language::CudaTile, "constant"),
            "constant <element type: value> : type of result"
        );
        assert_eq!(
            form(Language::TileAs, "arith.addi"),
            "arith.addi %lhs, %rhs [{overflow = ...}] : type of result"
        );
    }
}
