//! The types of results that follow from operands, and the names of what an atom's type determines.

use std::sync::Arc;

use super::attribute::Attribute;
use super::declare::{Inferred, MlirOpSpec};
use super::reader::TextReader;
use super::types::{Type, VectorType};
use crate::cute_types::infer::{self, Computed, Question, Refusal};
use crate::cute_types::{CuteType, Dialect, Kind, ValueType};

/// The types of an op's results from those of its operands and from its properties; `None` where only a text says them.
///
/// # Errors
/// There are none for these operands.
pub fn result_types(
    dialect: Dialect,
    spec: &MlirOpSpec,
    operands: &[Type],
    properties: &[(&str, Attribute)],
) -> Option<Result<Vec<Type>, String>> {
    let of = |number: usize| operands.get(number).cloned().into_iter().collect();
    Some(Ok(match spec.inferred {
        Inferred::Written => {
            let known = infer::INFERRED.contains(&spec.name);
            return known.then(|| by_algebra(dialect, spec, operands, properties));
        }
        Inferred::First => of(0),
        Inferred::Second => of(1),
        Inferred::Part => match part(operands.first(), numbers(properties, "position")) {
            Some(part) => vec![part.clone()],
            None => return Some(Err("a struct has no such part".to_owned())),
        },
        Inferred::Elements => match operands.first() {
            Some(Type::Vector(vector)) => {
                let count = elements(&vector.shape).filter(|&count| count <= MOST_ELEMENTS);
                match count {
                    Some(count) => vec![vector.element.clone(); count],
                    None => return Some(Err("a vector has too many elements".to_owned())),
                }
            }
            _ => return Some(Err("only a vector has elements".to_owned())),
        },
        Inferred::Shuffled => operands
            .first()
            .map(|ty| {
                let shape = vec![numbers(properties, "mask").len() as u64];
                let element = ty.scalar().clone();
                Type::Vector(Arc::new(VectorType { shape, element }))
            })
            .into_iter()
            .collect(),
        Inferred::Outer => match operands {
            [Type::Vector(lhs), Type::Vector(rhs)] => {
                let shape = lhs.shape.iter().chain(&rhs.shape).copied().collect();
                let element = lhs.element.clone();
                vec![Type::Vector(Arc::new(VectorType { shape, element }))]
            }
            [Type::Vector(lhs), _] => vec![Type::Vector(Arc::clone(lhs))],
            _ => return Some(Err("an outer product is of vectors".to_owned())),
        },
        Inferred::Boolean if dialect == Dialect::Open && infer::INFERRED.contains(&spec.name) => {
            return Some(by_algebra(dialect, spec, operands, properties));
        }
        Inferred::Boolean => operands
            .first()
            .map(|ty| ty.with_scalar(Type::I1))
            .into_iter()
            .collect(),
        Inferred::OfValue => properties
            .iter()
            .find_map(|(_, value)| value.ty())
            .into_iter()
            .collect(),
        Inferred::Algebra => return Some(by_algebra(dialect, spec, operands, properties)),
    }))
}

/// The elements that one op gives at most.
const MOST_ELEMENTS: usize = 4096;

/// The number of elements of these extents.
fn elements(shape: &[u64]) -> Option<usize> {
    let count = shape
        .iter()
        .try_fold(1u64, |count, extent| count.checked_mul(*extent))?;
    usize::try_from(count).ok()
}

/// The numbers of a property.
fn numbers<'a>(properties: &'a [(&str, Attribute)], name: &str) -> &'a [i64] {
    let found = properties.iter().find(|(own, _)| *own == name);
    match found {
        Some((_, Attribute::Numbers(_, numbers))) => numbers,
        _ => &[],
    }
}

/// The part of a struct at a path.
fn part<'a>(whole: Option<&'a Type>, path: &[i64]) -> Option<&'a Type> {
    let mut part = whole?;
    for &number in path {
        let Type::Struct(members) = part else { return None };
        part = members.get(usize::try_from(number).ok()?)?;
    }
    (!path.is_empty()).then_some(part)
}

/// Whether a text may state a type where another follows.
pub(super) fn follows(stated: &Type, inferred: &Type) -> bool {
    match (stated, inferred) {
        (Type::Cute(stated), Type::Cute(inferred)) => {
            ValueType::Cute(inferred.clone()).allows(&ValueType::Cute(stated.clone()))
        }
        _ => stated == inferred,
    }
}

fn by_algebra(
    dialect: Dialect,
    spec: &MlirOpSpec,
    operands: &[Type],
    properties: &[(&str, Attribute)],
) -> Result<Vec<Type>, String> {
    let question = Question {
        dialect,
        operands: &value_types(operands)?,
        attributes: &attributes(properties),
    };
    let types = answered(spec.shown_in(dialect), infer::infer(spec.name, &question))?;
    types.into_iter().map(own_type).collect()
}

/// How the results of such an op are computed from the integers of its operands; see [`infer::compute`].
///
/// # Errors
/// They do not follow.
pub fn compute(
    dialect: Dialect,
    op: &str,
    operands: &[Type],
    properties: &[(&str, Attribute)],
) -> Result<Vec<Computed>, String> {
    let question = Question {
        dialect,
        operands: &value_types(operands)?,
        attributes: &attributes(properties),
    };
    answered(op, infer::compute(op, &question))
}

fn answered<T>(op: &str, answer: Option<Result<T, Refusal>>) -> Result<T, String> {
    match answer {
        Some(answer) => answer.map_err(|refusal| format!("`{op}`: {refusal}")),
        None => Err(format!(
            "the types of the results of `{op}` do not follow from its operands"
        )),
    }
}

fn value_types(types: &[Type]) -> Result<Vec<ValueType>, String> {
    types.iter().map(value_type).collect()
}

fn attributes<'a>(properties: &[(&'a str, Attribute)]) -> Vec<(&'a str, infer::Attribute)> {
    let known = properties.iter();
    known
        .filter_map(|(name, value)| Some((*name, asked(value)?)))
        .collect()
}

fn value_type(ty: &Type) -> Result<ValueType, String> {
    match ty {
        Type::Cute(ty) => Ok(ValueType::Cute(ty.clone())),
        other => {
            ValueType::parse(&other.to_string()).map_err(|error| format!("`{other}`: {}", error.message))
        }
    }
}

fn own_type(ty: ValueType) -> Result<Type, String> {
    match ty {
        ValueType::Cute(ty) => Ok(Type::Cute(ty)),
        ValueType::Machine(_) => {
            let text = ty.to_string();
            TextReader::whole(&text, TextReader::ty).map_err(|wrong| wrong.message)
        }
    }
}

/// A property as inference asks for it.
fn asked(attribute: &Attribute) -> Option<infer::Attribute> {
    match attribute {
        Attribute::Unit => Some(infer::Attribute::Unit),
        Attribute::Integer(value, _) => Some(infer::Attribute::Int(*value)),
        Attribute::Numbers(_, values) => Some(infer::Attribute::Ints(values.to_vec())),
        Attribute::Dialect(text) if text.starts_with("cute.coord<") => {
            match CuteType::parse(text).ok()?.kind() {
                Kind::Coord(coord) => Some(infer::Attribute::Coord(coord.clone())),
                _ => None,
            }
        }
        Attribute::Dialect(text) => {
            let word = text.split_once('<')?.1.strip_suffix('>')?;
            Some(infer::Attribute::Word(word.to_owned()))
        }
        _ => None,
    }
}

/// The attribute that names the fields of an atom of this type, or of what is made of one.
pub fn atom_fields(ty: &Type) -> Option<&'static str> {
    let Type::Cute(ty) = ty else {
        return None;
    };
    let text = ty.to_string();
    let atom = ["cute.tiled_copy<!", "cute.tiled_mma<!"]
        .into_iter()
        .find_map(|tiled| text.strip_prefix(tiled))
        .unwrap_or(&text);
    let name = atom.split('<').next()?.strip_prefix("cute_nvgpu.")?;
    Some(match name {
        "atom.tma_load" => "cute_nvgpu.atom_copy_field_tmaload",
        "atom.tma_store" => "cute_nvgpu.atom_copy_field_tmastore",
        "atom.tma_reduce" => "cute_nvgpu.atom_copy_field_tmareduce",
        "sm90.mma" => "cute_nvgpu.atom_mma_field_sm90",
        "sm100.mma" => "cute_nvgpu.atom_mma_field_sm100",
        "sm100.mma_bs" => "cute_nvgpu.atom_mma_field_sm100_block_scaled",
        _ => return None,
    })
}
