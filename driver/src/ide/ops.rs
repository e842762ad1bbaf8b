//! The ops of a language as an editor offers them: names, descriptions, and how they are written.

use std::sync::OnceLock;

use tilewright_irs::core::{Language as IrLanguage, OpSpec, Operation};
use tilewright_irs::cuda_tile::TileOp;
use tilewright_irs::cute::Cute;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
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
    /// The parts of the form: where each lies in it, and what it is.
    pub parts: Vec<(std::ops::Range<usize>, &'static str)>,
    /// The names of its attributes in braces.
    pub attributes: Vec<&'static str>,
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
            Language::Cute => regular::<Cute>(),
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

fn regular<L: IrLanguage>() -> Vec<Op> {
    L::Op::specs().into_iter().map(regular_op).collect()
}

/// `dialect.op field, field`, with the fields in their order.
fn regular_op(spec: &'static OpSpec) -> Op {
    let mut form = spec.name.to_owned();
    let mut parts = Vec::new();
    for (at, field) in spec.fields.iter().enumerate() {
        form.push_str(if at == 0 { " " } else { ", " });
        let start = form.len();
        form.push_str(field.name);
        parts.push((start..form.len(), field.doc.trim()));
    }
    Op {
        name: spec.name,
        doc: spec.doc.trim(),
        form,
        parts,
        attributes: attributes(spec),
    }
}

/// The names of the fields that are written in braces: those that hold no value, region or block.
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
            }
        })
        .collect()
}

/// Writes a syntax of the declarations, such as `{lhs}, {rhs} : {T lhs}`, in words; what is optional is in brackets.
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
