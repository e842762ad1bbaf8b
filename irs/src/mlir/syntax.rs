//! Parses the notation of an op's text, which [`declare`](super::declare) documents.

use std::sync::{LazyLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::declare::MlirOpSpec;
use crate::cute_types::Dialect;

/// A piece of an op's text. Fields are given by their position in the declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text without blanks.
    Text(String),
    /// A blank where the text is printed.
    Blank,
    /// `{x}`
    Field(usize),
    /// `{..}`
    Operands,
    /// `{[x]}`: operands, in brackets if there is not one of them.
    Listed(usize),
    /// `{T x}`
    Types(usize),
    /// `{T [x]}`
    ListedTypes(usize),
    /// `{P x}`
    Body(usize),
    /// `{T ..}`
    OperandTypes,
    /// `{R}`
    Results,
    /// `{R ..}`
    ResultList,
    /// `{R1}`
    FirstResult,
    /// `{R cute.layout}`: the type of the one result without this word.
    ResultBody(String),
    /// `{@}`
    Attributes,
    /// `(?x:…)`
    Group(usize, Vec<Piece>),
    /// `(?->:…)`
    ResultGroup(Vec<Piece>),
}

/// Which fields have a place of their own in an op's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentioned(u32);

impl Mentioned {
    /// Whether this field has.
    pub const fn has(self, field: usize) -> bool {
        field < 32 && self.0 >> field & 1 == 1
    }

    fn of(pieces: &[Piece]) -> Self {
        let fields = pieces.iter().map(|piece| match piece {
            Piece::Field(field) | Piece::Listed(field) => 1u32 << *field,
            Piece::Group(field, inner) => 1u32 << *field | Self::of(inner).0,
            Piece::ResultGroup(inner) => Self::of(inner).0,
            _ => 0,
        });
        Self(fields.fold(0, std::ops::BitOr::bitor))
    }
}

/// How an op's text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// By its pieces, in which the fields of these positions are.
    Pieces(Vec<Piece>, Mentioned),
    /// By hand-written code.
    ByHand,
    /// In the generic form only.
    Generic,
}

impl Syntax {
    /// Whether the text says the types of the results, so that nothing is inferred.
    pub fn states_results(&self) -> bool {
        match self {
            Self::Pieces(pieces, _) => pieces.iter().any(|piece| {
                matches!(
                    piece,
                    Piece::Results | Piece::ResultList | Piece::FirstResult | Piece::ResultBody(_)
                )
            }),
            Self::ByHand | Self::Generic => false,
        }
    }
}

/// The text of an op in a dialect; its notation is parsed when it is first asked for, and kept.
pub fn syntax(spec: &'static MlirOpSpec, dialect: Dialect) -> &'static Syntax {
    type Table = FxHashMap<(&'static str, Dialect), &'static Syntax>;
    static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);
    let key = (spec.name, dialect);
    let found = |table: &Table| table.get(&key).copied();
    if let Some(syntax) = found(&TABLE.read().unwrap_or_else(PoisonError::into_inner)) {
        return syntax;
    }
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    table.entry(key).or_insert_with(|| {
        // One for each op and dialect, so the memory is bounded.
        Box::leak(Box::new(parse(spec, dialect).unwrap_or(Syntax::Generic)))
    })
}

/// Parses the notation; `None` if it is malformed, which a test rules out for every declaration.
fn parse(spec: &MlirOpSpec, dialect: Dialect) -> Option<Syntax> {
    let written = spec.text_in(dialect);
    match written {
        "!" => return Some(Syntax::ByHand),
        "" if !spec.fields.is_empty() => return Some(Syntax::Generic),
        _ => {}
    }
    let mut rest = written;
    let pieces = pieces(spec, &mut rest, false)?;
    let mentioned = Mentioned::of(&pieces);
    rest.is_empty().then_some(Syntax::Pieces(pieces, mentioned))
}

fn pieces(spec: &MlirOpSpec, rest: &mut &str, in_group: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    // The parentheses of this group that are literal and not closed yet.
    let mut open = 0usize;
    loop {
        let braces = ["{{", "}}"].into_iter().find(|braces| rest.starts_with(braces));
        if let Some(braces) = braces {
            text.push_str(braces.get(1..)?);
            *rest = rest.get(2..)?;
            continue;
        }
        let special = rest.starts_with("(?") || rest.starts_with(['{', ' ']);
        let closes = in_group && rest.starts_with(')') && open == 0;
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
        if let Some(after) = rest.strip_prefix(' ') {
            *rest = after;
            pieces.push(Piece::Blank);
        } else if let Some(after) = rest.strip_prefix("(?") {
            let (name, inner) = after.split_once(':')?;
            *rest = inner;
            let inner = self::pieces(spec, rest, true)?;
            pieces.push(match name {
                "->" => Piece::ResultGroup(inner),
                name => Piece::Group(spec.field(name)?, inner),
            });
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}')?;
            *rest = after;
            pieces.push(match inside {
                ".." => Piece::Operands,
                "T .." => Piece::OperandTypes,
                "R" => Piece::Results,
                "R .." => Piece::ResultList,
                "R1" => Piece::FirstResult,
                "@" => Piece::Attributes,
                _ if inside.starts_with("R ") => Piece::ResultBody(inside.get(2..)?.to_owned()),
                _ => {
                    let (kind, name) = inside.split_once(' ').unwrap_or(("", inside));
                    let listed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
                    let field = spec.field(listed.unwrap_or(name))?;
                    match (kind, listed) {
                        ("", None) => Piece::Field(field),
                        ("", Some(_)) => Piece::Listed(field),
                        ("T", None) => Piece::Types(field),
                        ("T", Some(_)) => Piece::ListedTypes(field),
                        ("P", None) => Piece::Body(field),
                        _ => return None,
                    }
                }
            });
        } else {
            let mut chars = rest.chars();
            let next = chars.next()?;
            match next {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            text.push(next);
            *rest = chars.as_str();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::ops::MlirOp;

    #[test]
    fn every_notation_is_well_formed() {
        for spec in MlirOp::mlir_specs() {
            for &dialect in Dialect::ALL {
                assert!(parse(spec, dialect).is_some(), "{} in {dialect:?}", spec.name);
            }
        }
    }
}
