//! The text of a struct that is passed by value: `{zeros:f32[64], i32:8, {i64:1, i32:4}}`.

use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{AddressSpace, LlvmType, StructType};

/// A part of a struct that is no struct itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf<'a> {
    /// A number, with its text.
    Number(ScalarType, &'a str),
    /// An array whose address it is.
    Array(&'a str),
}

/// A struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given<'a> {
    /// Its size in bytes.
    pub(super) bytes: usize,
    /// Its leaves, with their offsets in bytes.
    pub(super) leaves: Vec<(usize, Leaf<'a>)>,
}

/// Reads a struct. Its fields lie as in C.
///
/// # Errors
/// Why the text is none.
pub(super) fn read(text: &str) -> Result<Given<'_>, String> {
    let mut leaves = Vec::new();
    let ty = fields(text, &mut leaves)?;
    let passed = ty.passed().ok_or("it has a field that cannot be passed")?;
    let places = ty.places().unwrap_or_default();
    let at = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
    Ok(Given {
        bytes: at(passed.bytes),
        leaves: places.iter().map(|place| at(place.offset)).zip(leaves).collect(),
    })
}

fn fields<'a>(text: &'a str, leaves: &mut Vec<Leaf<'a>>) -> Result<StructType, String> {
    let wrong = || {
        "a struct is written as {FIELD, ...}, each an array, a number such as i32:5, or a struct".to_owned()
    };
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .ok_or_else(wrong)?;
    let mut types = Vec::new();
    for field in parts(inner).ok_or_else(wrong)? {
        let number = field
            .split_once(':')
            .and_then(|(ty, number)| Some((ScalarType::from_word(ty)?, number)));
        types.push(match number {
            _ if field.is_empty() => return Err(wrong()),
            _ if field.starts_with('{') => LlvmType::Struct(fields(field, leaves)?),
            Some((ty, number)) => {
                leaves.push(Leaf::Number(ty, number));
                LlvmType::Scalar(ty)
            }
            None => {
                leaves.push(Leaf::Array(field));
                LlvmType::Ptr(AddressSpace::Global)
            }
        });
    }
    StructType::new(&types).ok_or_else(wrong)
}

/// The parts between commas that are in no brackets.
fn parts(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(text.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..)?.trim());
    (depth == 0).then_some(parts)
}
