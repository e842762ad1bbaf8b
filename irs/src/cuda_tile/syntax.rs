//! Parses the notation of an op's text, which [`declare`](super::declare) documents.

use std::sync::OnceLock;

use super::declare::TileOpSpec;
use super::ops::TileOp;
use crate::core::ResultCount;

/// A piece of an op's text. Fields are given by their position in the declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// `{x}`
    Field(usize),
    /// `{x:word}`
    Wrapped(usize, String),
    /// `{T x}`
    Types(Typed),
    /// `{T1 x}`
    FirstType(Typed),
    /// `{TI x}`
    IndexTypes(Typed),
    /// `(?x:…)`
    Group(usize, Vec<Piece>),
}

/// The values whose types are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The name of a field or of a result.
    pub name: String,
    /// The field or result.
    pub of: TypedOf,
}

/// The values whose types are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedOf {
    /// The operands of a field.
    Field(usize),
    /// One result.
    Result(usize),
    /// Every result, if their number is variable.
    Results,
}

impl Typed {
    fn new(spec: &TileOpSpec, name: &str) -> Option<Self> {
        let result = || spec.results.iter().position(|result| result.name == name);
        let of = match (spec.field(name), spec.result_count) {
            (Some(field), _) => TypedOf::Field(field),
            (None, ResultCount::Any) => TypedOf::Results,
            (None, ResultCount::Exactly(_)) => TypedOf::Result(result()?),
        };
        let name = name.to_owned();
        Some(Self { name, of })
    }
}

/// The text of an op in pieces; `None` for an op with hand-written text.
pub fn syntax(spec: &'static TileOpSpec) -> Option<&'static [Piece]> {
    // By opcode.
    static TABLE: OnceLock<Vec<Option<Vec<Piece>>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for spec in TileOp::tile_specs().filter(|spec| spec.syntax != "@") {
            let opcode = usize::from(spec.opcode);
            if table.len() <= opcode {
                table.resize(opcode + 1, None);
            }
            if let Some(place) = table.get_mut(opcode) {
                *place = parse(spec);
            }
        }
        table
    });
    table.get(usize::from(spec.opcode))?.as_deref()
}

/// Parses the notation; `None` if it is malformed, which a test rules out for every declaration.
fn parse(spec: &TileOpSpec) -> Option<Vec<Piece>> {
    let mut rest = spec.syntax;
    let pieces = parse_until(spec, &mut rest, false)?;
    rest.is_empty().then_some(pieces)
}

fn parse_until(spec: &TileOpSpec, rest: &mut &str, in_group: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    loop {
        let braces = ["{{", "}}"].into_iter().find(|b| rest.starts_with(b));
        if let Some(braces) = braces {
            text.push_str(braces.get(1..)?);
            *rest = rest.get(2..)?;
            continue;
        }
        let special = rest.starts_with("(?") || rest.starts_with('{');
        let closes = in_group && rest.starts_with(')');
        if (special || closes || rest.is_empty()) && !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        if rest.is_empty() {
            return (!in_group).then_some(pieces);
        }
        if closes {
            *rest = rest.get(1..)?;
            return Some(pieces);
        }
        if let Some(after) = rest.strip_prefix("(?") {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
            let (name, inner) = after.split_at(end);
            *rest = inner.strip_prefix(':')?;
            pieces.push(Piece::Group(spec.field(name)?, parse_until(spec, rest, true)?));
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}')?;
            *rest = after;
            pieces.push(match inside.split_once([' ', ':']) {
                None => Piece::Field(spec.field(inside)?),
                Some(("T", name)) => Piece::Types(Typed::new(spec, name)?),
                Some(("T1", name)) => Piece::FirstType(Typed::new(spec, name)?),
                Some(("TI", name)) => Piece::IndexTypes(Typed::new(spec, name)?),
                Some((name, word)) => Piece::Wrapped(spec.field(name)?, word.to_owned()),
            });
        } else {
            let mut chars = rest.chars();
            text.push(chars.next()?);
            *rest = chars.as_str();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(name: &str) -> &'static [Piece] {
        syntax(TileOp::by_mnemonic(name).expect(name)).expect(name)
    }

    #[test]
    fn a_group_is_replaced_by_its_contents() {
        let text = |s: &str| Piece::Text(s.to_owned());
        assert_eq!(
            pieces("exp2"),
            [
                Piece::Field(0),
                Piece::Group(1, vec![text(" flush_to_zero")]),
                text(" : "),
                Piece::Types(Typed {
                    name: "result".to_owned(),
                    of: TypedOf::Result(0),
                }),
            ]
        );
    }

    #[test]
    fn braces_are_doubled() {
        let group = pieces("multimem_reduce_view_tko")
            .iter()
            .find_map(|piece| match piece {
                Piece::Group(_, inner) => inner
                    .iter()
                    .find(|p| matches!(p, Piece::Text(t) if t.contains('{'))),
                _ => None,
            });
        let Some(Piece::Text(text)) = group else {
            panic!("no braces")
        };
        assert_eq!(
            text,
            " attributes {reduction = #cuda_tile.multimem_reduction_kind<"
        );
    }
}
