//! What an op's bytes look like, worked out from its declaration once.

use std::sync::OnceLock;

use tilewright_irs::cuda_tile::{FieldKind, TileOp, TileOpSpec};

/// The layout of an op's bytes, as far as it does not depend on the version.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The fields that have a bit among the flags, in the order of the bits.
    pub(super) flagged: Vec<usize>,
    /// Whether one count of all operands comes before them.
    pub(super) together: bool,
    /// The number of operands that are always there.
    pub(super) fixed: usize,
    /// The number of regions.
    pub(super) regions: usize,
    /// Whether any field came later than the op.
    pub(super) grew: bool,
    /// Whether a count of the results comes before them.
    pub(super) variadic: bool,
}

/// The layout of a declared op.
pub(super) fn layout(spec: &TileOpSpec) -> &'static Layout {
    static TABLE: OnceLock<Vec<Layout>> = OnceLock::new();
    static NONE: Layout = Layout {
        flagged: Vec::new(),
        together: false,
        fixed: 0,
        regions: 0,
        grew: false,
        variadic: false,
    };
    let table = TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for spec in TileOp::tile_specs() {
            let index = usize::from(spec.opcode);
            if table.len() <= index {
                table.resize(index + 1, Layout::default());
            }
            if let Some(place) = table.get_mut(index) {
                *place = derive(spec);
            }
        }
        table
    });
    table.get(usize::from(spec.opcode)).unwrap_or(&NONE)
}

fn derive(spec: &TileOpSpec) -> Layout {
    let count = |kind: FieldKind| spec.fields.iter().filter(|field| field.kind == kind).count();
    let places = |wanted: fn(FieldKind) -> bool| {
        let fields = spec.fields.iter().enumerate();
        fields
            .filter(move |(_, field)| wanted(field.kind))
            .map(|(i, _)| i)
    };
    let attributes = places(|kind| matches!(kind, FieldKind::Flag | FieldKind::OptionalAttr(_)));
    Layout {
        flagged: attributes
            .chain(places(|kind| kind == FieldKind::OptionalOperand))
            .collect(),
        together: count(FieldKind::Operands) == 1 && count(FieldKind::OptionalOperand) == 0,
        fixed: count(FieldKind::Operand),
        regions: count(FieldKind::Region),
        grew: spec.fields.iter().any(|field| field.since > spec.since),
        variadic: spec.is_variadic(),
    }
}
