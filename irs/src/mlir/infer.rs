//! The types of results that a text leaves out, and the names of what an atom's type determines.

use super::attribute::Attribute;
use super::reader::TextReader;
use super::types::Type;
use crate::cute_types::infer::{self, Question};
use crate::cute_types::{CuteType, Kind, ValueType};

/// The types of the results of an op of `cute` or `cute_nvgpu`, from those of its operands and from its properties.
///
/// # Errors
/// They do not follow.
pub fn infer(op: &str, operands: &[Type], properties: &[(&str, Attribute)]) -> Result<Vec<Type>, String> {
    let operands: Result<Vec<_>, _> = operands.iter().map(value_type).collect();
    let properties: Vec<_> = properties
        .iter()
        .filter_map(|(name, value)| Some((*name, asked(value)?)))
        .collect();
    let question = Question {
        operands: &operands?,
        attributes: &properties,
    };
    match infer::infer(op, &question) {
        Some(Ok(types)) => types.into_iter().map(own_type).collect(),
        Some(Err(refusal)) => Err(format!("`{op}`: {refusal}")),
        None => Err(format!(
            "the types of the results of `{op}` do not follow from its operands"
        )),
    }
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
