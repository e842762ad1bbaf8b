//! The encoding of each op, derived once from its declaration.

use std::sync::OnceLock;

use tilewright_irs::cuda_tile::{FieldKind, TileFieldSpec, TileOp, TileOpSpec, Version};

/// Some of an op's fields, each with its position in the declaration.
pub(super) type Fields = Vec<(usize, &'static TileFieldSpec)>;

/// The encoding of an op, as far as it does not depend on the version.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The fields with a presence bit, in the order of the bits.
    pub(super) flagged: Fields,
    /// The attributes, including flags, in their order.
    pub(super) attributes: Fields,
    /// The operands, in their order.
    pub(super) operands: Fields,
    /// Whether the operands are preceded by one common count.
    pub(super) together: bool,
    /// The number of fixed operands.
    pub(super) fixed: usize,
    /// The number of regions.
    pub(super) regions: usize,
    /// The version of the newest field or result.
    pub(super) newest: Version,
    /// Whether the results are preceded by a count.
    pub(super) variadic: bool,
}

/// The encoding of an op.
pub(super) fn layout(spec: &TileOpSpec) -> &'static Layout {
    static TABLE: OnceLock<Vec<Layout>> = OnceLock::new();
    static NONE: Layout = Layout {
        flagged: Vec::new(),
        attributes: Vec::new(),
        operands: Vec::new(),
        together: false,
        fixed: 0,
        regions: 0,
        newest: Version::V13_1,
        variadic: false,
    };
    let table = TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for spec in TileOp::tile_specs() {
            let Some(index) = TileOp::slot(spec.opcode.into()) else {
                continue;
            };
            if table.len() <= index {
                table.resize(index + 1, NONE.clone());
            }
            if let Some(place) = table.get_mut(index) {
                *place = derive(spec);
            }
        }
        table
    });
    TileOp::slot(spec.opcode.into())
        .and_then(|slot| table.get(slot))
        .unwrap_or(&NONE)
}

fn derive(spec: &'static TileOpSpec) -> Layout {
    let count = |kind: FieldKind| spec.fields.iter().filter(|field| field.kind == kind).count();
    let fields = |wanted: fn(FieldKind) -> bool| -> Fields {
        let fields = spec.fields.iter().enumerate();
        fields.filter(|(_, field)| wanted(field.kind)).collect()
    };
    let mut flagged = fields(|kind| matches!(kind, FieldKind::Flag | FieldKind::OptionalAttr(_)));
    flagged.extend(fields(|kind| kind == FieldKind::OptionalOperand));
    let since = spec.fields.iter().map(|field| field.since);
    let since = since.chain(spec.results.iter().map(|result| result.since));
    Layout {
        flagged,
        attributes: fields(|kind| {
            matches!(
                kind,
                FieldKind::Flag | FieldKind::Attr(_) | FieldKind::OptionalAttr(_)
            )
        }),
        operands: fields(|kind| {
            matches!(
                kind,
                FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands
            )
        }),
        together: count(FieldKind::Operands) == 1 && count(FieldKind::OptionalOperand) == 0,
        fixed: count(FieldKind::Operand),
        regions: count(FieldKind::Region),
        newest: since.max().unwrap_or(spec.since),
        variadic: spec.is_variadic(),
    }
}
