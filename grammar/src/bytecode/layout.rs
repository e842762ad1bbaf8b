//! What an op's bytes look like, worked out from its declaration once.

use std::sync::OnceLock;

use tilewright_irs::cuda_tile::{FieldKind, TileFieldSpec, TileOp, TileOpSpec, Version};

/// Some of an op's fields, each with its position in the declaration.
pub(super) type Fields = Vec<(usize, &'static TileFieldSpec)>;

/// The layout of an op's bytes, as far as it does not depend on the version.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The fields that have a bit among the flags, in the order of the bits.
    pub(super) flagged: Fields,
    /// The attributes, flags among them, in their order.
    pub(super) attributes: Fields,
    /// The operands, in their order.
    pub(super) operands: Fields,
    /// Whether one count of all operands comes before them.
    pub(super) together: bool,
    /// The number of operands that are always there.
    pub(super) fixed: usize,
    /// The number of regions.
    pub(super) regions: usize,
    /// The version that brought the newest field or result.
    pub(super) newest: Version,
    /// Whether a count of the results comes before them.
    pub(super) variadic: bool,
}

/// The layout of a declared op.
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
