//! The ops, grouped by subject; one declaration each.

mod cast;
mod control;
mod float;
mod int;
mod memory;
mod preview;
mod shape;
mod view;

pub use cast::CastOp;
pub use control::ControlOp;
pub use float::FloatOp;
pub use int::IntOp;
pub use memory::MemoryOp;
pub use preview::PreviewOp;
pub use shape::ShapeOp;
pub use view::ViewOp;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::declare::{FieldRefs, TileOpSpec};

/// The first opcode of preview content.
pub(super) const FIRST_PREVIEW: u64 = 0x4000;
const LAST_PREVIEW: u64 = 0x40FF;

crate::language_ops! {
    /// An op of `cuda_tile`.
    pub enum TileOp {
        /// Float arithmetic and functions.
        Float(FloatOp),
        /// Integer arithmetic and bits.
        Int(IntOp),
        /// Conversions of element types.
        Cast(CastOp),
        /// Tiles as a whole.
        Shape(ShapeOp),
        /// Memory accesses through pointers, and tokens.
        Memory(MemoryOp),
        /// Tensors and views.
        View(ViewOp),
        /// Control flow, block ids, debugging.
        Control(ControlOp),
        /// Preview content.
        Preview(PreviewOp),
    }
}

impl TileOp {
    const GROUPS: &'static [&'static [TileOpSpec]] = &[
        FloatOp::TILE_SPECS,
        IntOp::TILE_SPECS,
        CastOp::TILE_SPECS,
        ShapeOp::TILE_SPECS,
        MemoryOp::TILE_SPECS,
        ViewOp::TILE_SPECS,
        ControlOp::TILE_SPECS,
        PreviewOp::TILE_SPECS,
    ];

    /// Every declaration.
    pub fn tile_specs() -> impl Iterator<Item = &'static TileOpSpec> {
        Self::GROUPS.iter().copied().flatten()
    }

    /// The op's declaration.
    pub fn tile_spec(&self) -> &'static TileOpSpec {
        match self {
            Self::Float(op) => op.tile_spec(),
            Self::Int(op) => op.tile_spec(),
            Self::Cast(op) => op.tile_spec(),
            Self::Shape(op) => op.tile_spec(),
            Self::Memory(op) => op.tile_spec(),
            Self::View(op) => op.tile_spec(),
            Self::Control(op) => op.tile_spec(),
            Self::Preview(op) => op.tile_spec(),
        }
    }

    /// The op's fields, in the order of its declaration.
    pub fn fields(&self) -> FieldRefs<'_> {
        match self {
            Self::Float(op) => op.fields(),
            Self::Int(op) => op.fields(),
            Self::Cast(op) => op.fields(),
            Self::Shape(op) => op.fields(),
            Self::Memory(op) => op.fields(),
            Self::View(op) => op.fields(),
            Self::Control(op) => op.fields(),
            Self::Preview(op) => op.fields(),
        }
    }

    /// The index of an opcode in a table of all ops; those of preview content follow the public ones.
    #[inline]
    pub fn slot(opcode: u64) -> Option<usize> {
        /// An upper bound of the number of either kind.
        const ROOM: u64 = 0x100;
        let slot = match opcode {
            ..ROOM => opcode,
            FIRST_PREVIEW..=LAST_PREVIEW => opcode - FIRST_PREVIEW + ROOM,
            _ => return None,
        };
        usize::try_from(slot).ok()
    }

    /// The declaration of the op with this opcode.
    pub fn by_opcode(opcode: u64) -> Option<&'static TileOpSpec> {
        static TABLE: OnceLock<Vec<Option<&'static TileOpSpec>>> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let mut table = Vec::new();
            for spec in TileOp::tile_specs() {
                let Some(slot) = Self::slot(spec.opcode.into()) else {
                    continue;
                };
                if table.len() <= slot {
                    table.resize(slot + 1, None);
                }
                table[slot] = Some(spec);
            }
            table
        });
        table.get(Self::slot(opcode)?).copied().flatten()
    }

    /// The declaration of the op with this mnemonic, without a dialect.
    pub fn by_mnemonic(name: &str) -> Option<&'static TileOpSpec> {
        static TABLE: OnceLock<FxHashMap<&'static str, &'static TileOpSpec>> = OnceLock::new();
        let table = TABLE.get_or_init(|| TileOp::tile_specs().map(|spec| (spec.name, spec)).collect());
        table.get(name).copied()
    }

    /// The declaration of the op with this name in texts: its mnemonic, or the one before 13.5.
    pub fn by_name_in_text(name: &str) -> Option<&'static TileOpSpec> {
        Self::by_mnemonic(match name {
            "pow" => "fpowf",
            name => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Operation, ResultCount};
    use crate::cuda_tile::syntax::{Piece, syntax};
    use crate::cuda_tile::{DefaultValue, FieldKind};

    #[test]
    fn every_op_is_declared_once() {
        assert_eq!(TileOp::tile_specs().count(), 106);
        assert_eq!(TileOp::specs().len(), 106);
        for spec in TileOp::tile_specs() {
            let by_opcode = TileOp::by_opcode(spec.opcode.into()).expect(spec.name);
            let by_name = TileOp::by_mnemonic(spec.name).expect(spec.name);
            assert_eq!((by_opcode.name, by_name.opcode), (spec.name, spec.opcode));
        }
        assert!(TileOp::by_opcode(0x19).is_none() && TileOp::by_opcode(0x7E).is_none());
        assert!(TileOp::by_mnemonic("addx").is_none());
    }

    #[test]
    fn declarations_are_consistent() {
        for spec in TileOp::tile_specs() {
            match spec.result_count {
                ResultCount::Exactly(n) => assert_eq!(n, spec.results.len(), "{}", spec.name),
                ResultCount::Any => assert_eq!(spec.results.len(), 1, "{}", spec.name),
            }
            for field in spec.fields {
                assert!(field.since >= spec.since, "{}", spec.name);
                let newer = field.since > spec.since;
                let absent = matches!(
                    field.kind,
                    FieldKind::Flag | FieldKind::OptionalAttr(_) | FieldKind::OptionalOperand
                );
                assert!(
                    !newer || absent || field.default.is_some(),
                    "{}.{}",
                    spec.name,
                    field.name
                );
                if let Some(DefaultValue::AllFalse(of)) = field.default {
                    assert!(spec.field(of).is_some(), "{}.{}", spec.name, field.name);
                }
            }
            for result in spec.results {
                let like = result.like.unwrap_or(result.name);
                assert!(
                    spec.field(like).is_some() || spec.results.iter().any(|r| r.name == like),
                    "{}",
                    spec.name
                );
            }
            let pieces = syntax(spec);
            if spec.syntax != "@" {
                mentions_exist(spec, pieces.expect(spec.name));
            }
        }
    }

    fn mentions_exist(spec: &TileOpSpec, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Field(_) | Piece::Wrapped(..) => {}
                Piece::Types(typed) | Piece::FirstType(typed) | Piece::IndexTypes(typed) => {
                    let name = typed.name.as_str();
                    assert!(
                        spec.field(name).is_some() || spec.results.iter().any(|r| r.name == name),
                        "{}: {name}",
                        spec.name
                    );
                }
                Piece::Group(_, inner) => mentions_exist(spec, inner),
            }
        }
    }
}
