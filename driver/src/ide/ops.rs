//! The ops of a language as an editor offers them: names, descriptions, and how they are written.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use tilewright_irs::core::{
    Attributes, FieldSpec, Keyword, Language as IrLanguage, OpSpec, Operation, TermCodec,
};
use tilewright_irs::cuda_tile::syntax::{Piece, syntax};
use tilewright_irs::cuda_tile::{
    AttrKind, CudaTile, DefaultValue, FieldKind, PaddingValue, PredicateWord, TileFieldSpec, TileOp,
    TileOpSpec, ViewPart,
};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::mlir::{Mlir, MlirOp, MlirOpSpec};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

use crate::units::Language;

/// An op that can be written in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its name, as it is written.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// How it is written, with the names of its parts.
    pub form: String,
    /// The parts of the form: the range of each in it, and its description.
    pub parts: Vec<(std::ops::Range<usize>, &'static str)>,
    /// The names of its attributes in braces.
    pub attributes: Vec<&'static str>,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field of an op, or an attribute of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// A description of its kind.
    pub kind: &'static str,
    /// A description, which may be empty.
    pub doc: &'static str,
    /// The words that it may be, if it is an enumeration.
    pub cases: Vec<Keyword>,
    /// The word that it stands for if it is left out.
    pub default: Option<&'static str>,
    /// The keywords that stand beside its value in the text.
    pub words: Vec<&'static str>,
}

/// The ops of a language, sorted by name; PTX has none that are declared by name.
pub fn ops(language: Language) -> &'static [Op] {
    const COUNT: usize = Language::ALL.len();
    static ALL: [OnceLock<Vec<Op>>; COUNT] = [const { OnceLock::new() }; COUNT];
    let at = Language::ALL
        .iter()
        .position(|&other| other == language)
        .unwrap_or(0);
    let Some(slot) = ALL.get(at) else { return &[] };
    slot.get_or_init(|| {
        let mut ops = match language {
            Language::CudaTile => tile_ops(),
            Language::TileAa => regular::<TileAa>(),
            Language::TileAs => regular::<TileAs>(),
            Language::Scheduled => regular::<Scheduled>(),
            Language::Cute => cute_ops(),
            Language::CuteDesugared => regular::<CuteDesugared>(),
            Language::Llvm => regular::<Llvm>(),
            Language::Nvvm => regular::<Nvvm>(),
            Language::Ptx => Vec::new(),
        };
        ops.sort_by_key(|op| op.name);
        ops.dedup_by_key(|op| op.name);
        ops
    })
}

/// The op of this name.
pub fn op(language: Language, name: &str) -> Option<&'static Op> {
    let name = match language {
        Language::CudaTile => name.strip_prefix("cuda_tile.").unwrap_or(name),
        _ => name,
    };
    let all = ops(language);
    all.binary_search_by_key(&name, |op| op.name)
        .ok()
        .and_then(|at| all.get(at))
}

/// The parts of the types of views in `cuda_tile`.
pub fn view_parts() -> impl Iterator<Item = Field> {
    ViewPart::ALL.iter().map(|&part| Field {
        name: part.word(),
        kind: "a part",
        doc: part.doc().trim(),
        cases: match part {
            ViewPart::Padding => PaddingValue::KEYWORDS.to_vec(),
            _ => Vec::new(),
        },
        default: None,
        words: Vec::new(),
    })
}

/// The attributes of a language's functions.
pub fn function_attributes(language: Language) -> Vec<Field> {
    let specs = match language {
        Language::CudaTile => <CudaTile as IrLanguage>::FuncAttrs::SPECS,
        Language::TileAa => <TileAa as IrLanguage>::FuncAttrs::SPECS,
        Language::TileAs => <TileAs as IrLanguage>::FuncAttrs::SPECS,
        Language::Scheduled => <Scheduled as IrLanguage>::FuncAttrs::SPECS,
        Language::Cute => <Mlir as IrLanguage>::FuncAttrs::SPECS,
        Language::CuteDesugared => <CuteDesugared as IrLanguage>::FuncAttrs::SPECS,
        Language::Llvm => <Llvm as IrLanguage>::FuncAttrs::SPECS,
        Language::Nvvm => <Nvvm as IrLanguage>::FuncAttrs::SPECS,
        Language::Ptx => &[],
    };
    specs.iter().map(regular_field).collect()
}

/// The declaration of an op of `cute`, and the dialect in which it has this name.
pub fn declared(name: &str) -> Option<(&'static MlirOpSpec, Dialect)> {
    let mut dialects = Dialect::ALL.iter();
    dialects.find_map(|&dialect| Some((MlirOp::by_mlir_name(name, dialect)?, dialect)))
}

/// The ops of `cute`, under each name that they have in a dialect.
fn cute_ops() -> Vec<Op> {
    let specs = MlirOp::specs();
    let described: FxHashMap<&str, &'static OpSpec> = specs.iter().map(|spec| (spec.name, *spec)).collect();
    let names = MlirOp::mlir_specs().flat_map(|spec| {
        let named = Dialect::ALL.iter().filter_map(|&dialect| spec.name_in(dialect));
        // No text has this name, which tells ops of the open dialect alone from others.
        let named = named.filter(|name| !name.starts_with("cute_open."));
        named.map(|name| (name, spec.name))
    });
    let ops = names.filter_map(|(name, own)| described.get(own).map(|spec| regular_op(name, spec)));
    ops.collect()
}

fn regular<L: IrLanguage>() -> Vec<Op> {
    let specs = L::Op::specs().into_iter();
    specs.map(|spec| regular_op(spec.name, spec)).collect()
}

/// `dialect.op field, field`, with the fields in their order.
fn regular_op(name: &'static str, spec: &'static OpSpec) -> Op {
    let mut form = name.to_owned();
    let mut parts = Vec::new();
    for (at, field) in spec.fields.iter().enumerate() {
        form.push_str(if at == 0 { " " } else { ", " });
        let start = form.len();
        form.push_str(field.name);
        parts.push((start..form.len(), field.doc.trim()));
    }
    Op {
        name,
        doc: spec.doc.trim(),
        form,
        parts,
        attributes: attributes(spec),
        fields: spec.fields.iter().map(regular_field).collect(),
    }
}

fn regular_field(spec: &FieldSpec) -> Field {
    Field {
        name: spec.name,
        kind: match spec.ty {
            "Value" => "an operand",
            "Option<Value>" => "an operand that may be left out",
            ty if ty.contains("Value") => "a list of operands",
            ty if ty.contains("Region") => "a region",
            ty if ty.contains("Successor") => "where the program goes on",
            "Flag" => "a flag",
            ty if ty.starts_with("Option<") => "an attribute that may be left out",
            _ => "an attribute",
        },
        doc: spec.doc.trim(),
        cases: spec.keywords.to_vec(),
        default: None,
        words: Vec::new(),
    }
}

/// The names of the fields that are written in braces: all but values, regions and blocks.
fn attributes(spec: &OpSpec) -> Vec<&'static str> {
    let is_other = |ty: &str| {
        ["Value", "Region", "Successor"]
            .iter()
            .any(|other| ty.contains(other))
    };
    let fields = spec.fields.iter().filter(|field| !is_other(field.ty));
    fields.map(|field| field.name).collect()
}

fn tile_ops() -> Vec<Op> {
    let specs = TileOp::tile_specs().filter(|spec| !spec.is_preview());
    specs
        .map(|spec| {
            let mut form = format!("{} ", spec.name);
            let mut parts = Vec::new();
            if spec.syntax == "@" {
                // Its text has a parser of its own.
                let names: Vec<_> = spec.fields.iter().map(|field| field.name).collect();
                form.push_str(&names.join(", "));
            } else {
                written(spec.syntax, &mut form, &mut parts);
            }
            Op {
                name: spec.name,
                doc: spec.doc.trim(),
                form: form.trim_end().to_owned(),
                parts,
                attributes: Vec::new(),
                fields: tile_fields(spec),
            }
        })
        .collect()
}

fn tile_fields(spec: &'static TileOpSpec) -> Vec<Field> {
    let mut fields: Vec<_> = spec.fields.iter().map(tile_field).collect();
    add_words(syntax(spec).unwrap_or_default(), None, &mut fields);
    fields
}

fn tile_field(spec: &'static TileFieldSpec) -> Field {
    let enumeration = match spec.kind {
        FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)) => {
            Some(cases)
        }
        _ => None,
    };
    let cases = enumeration.iter().flat_map(|all| all.cases);
    let allowed = cases.filter(|case| spec.allowed.is_empty() || spec.allowed.contains(&case.code));
    let case = |case| enumeration.and_then(|all| all.by_code(case));
    Field {
        name: spec.name,
        kind: match spec.kind {
            FieldKind::Operand => "an operand",
            FieldKind::OptionalOperand => "an operand that may be left out",
            FieldKind::Operands => "a list of operands",
            FieldKind::Region => "a region",
            FieldKind::Flag => "a flag",
            FieldKind::Attr(_) => "an attribute",
            FieldKind::OptionalAttr(_) => "an attribute that may be left out",
        },
        doc: match spec.doc.trim() {
            "" => enumeration.map_or("", |all| all.doc.trim()),
            doc => doc,
        },
        cases: match spec.kind {
            FieldKind::Attr(AttrKind::Predicate) => PredicateWord::KEYWORDS.to_vec(),
            _ => allowed
                .map(|case| Keyword {
                    word: case.word,
                    doc: case.doc,
                })
                .collect(),
        },
        default: match spec.default {
            Some(DefaultValue::Code(code)) => case(u64::from(code)).map(|case| case.word),
            Some(DefaultValue::AllFalse(_)) => Some("false"),
            None => None,
        },
        words: Vec::new(),
    }
}

/// Adds to each field the keywords that stand beside its value in the op's text. The other keywords of an optional
/// group go to the field `around`, with which the group is left out.
fn add_words(pieces: &'static [Piece], around: Option<usize>, fields: &mut [Field]) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
                let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                if let Some(field) = around.and_then(|at| fields.get_mut(at)) {
                    field.words.extend(words.filter(is_word));
                }
            }
            Piece::Wrapped(at, word) => {
                if let Some(field) = fields.get_mut(*at) {
                    field.words.push(word);
                }
            }
            Piece::Group(at, pieces) => add_words(pieces, Some(*at), fields),
            Piece::Field(_) | Piece::Types(_) | Piece::FirstType(_) | Piece::IndexTypes(_) => {}
        }
    }
}

/// Writes a declared syntax, such as `{lhs}, {rhs} : {T lhs}`, for people; optional parts are in brackets.
fn written(syntax: &str, form: &mut String, parts: &mut Vec<(std::ops::Range<usize>, &'static str)>) {
    let mut rest = syntax;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            // Braces of the text itself are doubled.
            '{' | '}' if rest.starts_with(c) => {
                rest = rest.get(1..).unwrap_or_default();
                form.push(c);
            }
            '{' => {
                let (inner, after) = rest.split_once('}').unwrap_or((rest, ""));
                rest = after;
                let start = form.len();
                match inner.split_once(' ') {
                    Some((_, name)) => form.push_str(&format!("type of {name}")),
                    None => form.push_str(inner),
                }
                parts.push((start..form.len(), ""));
            }
            '(' if rest.starts_with('?') => {
                rest = rest.get(1..).unwrap_or_default();
                // The name of the field that the part depends on.
                if let Some((_, after)) = rest.split_once(':') {
                    rest = after;
                }
                form.push_str(if form.ends_with(' ') { "[" } else { " [" });
                optional(&mut rest, form, parts);
            }
            c => form.push(c),
        }
    }
}

/// The rest of an optional part, up to its closing parenthesis.
fn optional(rest: &mut &str, form: &mut String, parts: &mut Vec<(std::ops::Range<usize>, &'static str)>) {
    let end = rest.find(')').unwrap_or(rest.len());
    let (inner, after) = rest.split_at(end);
    *rest = after.strip_prefix(')').unwrap_or(after);
    written(inner.trim(), form, parts);
    form.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_say_what_attributes_and_their_cases_mean() {
        let all = Language::ALL.iter().flat_map(|&language| ops(language));
        for (op, field) in all.flat_map(|op| op.fields.iter().map(move |field| (op, field))) {
            let (op, name) = (op.name, field.name);
            let undocumented = field.cases.iter().find(|case| case.doc.trim().is_empty());
            assert_eq!(undocumented, None, "{op}: {name}");
        }
        let is_attribute = |field: &&Field| field.kind.contains("attribute") || field.kind == "a flag";
        for op in ops(Language::CudaTile) {
            for field in op.fields.iter().filter(is_attribute) {
                assert!(!field.doc.is_empty(), "{}: {}", op.name, field.name);
            }
        }
    }

    #[test]
    fn every_language_but_ptx_has_ops_with_descriptions() {
        for &language in Language::ALL {
            let all = ops(language);
            assert_eq!(all.is_empty(), language == Language::Ptx, "{language}");
            assert!(
                all.iter()
                    .all(|op| !op.doc.is_empty() && op.form.starts_with(op.name)),
                "{language}"
            );
        }
        assert_eq!(
            op(Language::CudaTile, "cuda_tile.addi").map(|op| op.name),
            Some("addi")
        );
        let load = op(Language::CudaTile, "load_ptr_tko").expect("there is one");
        assert!(
            load.form.contains("source") && load.form.contains('['),
            "{}",
            load.form
        );
    }
}
