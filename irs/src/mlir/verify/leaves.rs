//! Tuples, tiles and layouts that are made of integers known at run time.

use tilewright_diagnostics::Code;
use tilewright_layouts::cute::{
    Bits, Fact, LastOf, Leaf as _, Nested, SlotOf, Stride as _, TilerOf, TypeLayout,
};

use super::op::{Checked, Op, of};
use crate::core::Value;
use crate::cute_types::{CopyAtom, CuteType, Dialect, Kind, MmaAtom, ViewLayout};
use crate::mlir::MlirOp;
use crate::mlir::dialects::CuteOp;
use crate::mlir::property::FieldView;
use crate::mlir::types::{Signedness, Type};

/// The integers in a type, static and dynamic, from left to right; `None` for types that are not made of integers.
fn facts(kind: &Kind) -> Option<Vec<Fact>> {
    let mut facts = Vec::new();
    match kind {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) | Kind::CoordIterator(tuple) => {
            facts.extend(tuple.leaves().copied())
        }
        Kind::Stride(stride) => facts.extend(stride.leaves().map(|leaf| *leaf.factor())),
        Kind::Coord(coord) => facts.extend(coord.leaves().filter_map(|slot| match slot {
            SlotOf::At(fact) => Some(*fact),
            SlotOf::All => None,
        })),
        Kind::Tile(tiler) => of_tiler(tiler, &mut facts),
        Kind::Layout(layout) => of_layout(layout, &mut facts),
        Kind::Composed(ViewLayout::Plain(layout)) => of_layout(layout, &mut facts),
        Kind::Composed(ViewLayout::Composed(composed)) => {
            if let LastOf::Layout(layout) = composed.last() {
                of_layout(layout, &mut facts);
            }
            facts.extend(composed.offset().leaves().copied());
            of_layout(composed.layout(), &mut facts);
        }
        Kind::CoordTensor(tensor) => {
            facts.extend(tensor.origin.leaves().copied());
            of_layout(&tensor.layout, &mut facts);
        }
        Kind::Swizzle(_) => {}
        _ => return None,
    }
    Some(facts)
}

fn of_layout(layout: &TypeLayout, facts: &mut Vec<Fact>) {
    facts.extend(layout.shape().leaves().copied());
    facts.extend(layout.stride().leaves().map(|leaf| *leaf.factor()));
}

fn of_tiler(tiler: &TilerOf<Fact>, facts: &mut Vec<Fact>) {
    match tiler {
        TilerOf::All => {}
        TilerOf::Layout(layout) => of_layout(layout, facts),
        TilerOf::Modes(modes) => modes.iter().for_each(|mode| of_tiler(mode, facts)),
    }
}

/// Whether a type says every integer of its values.
pub(super) fn is_static(kind: &Kind) -> bool {
    match kind {
        Kind::TiledCopy(tiled) => is_stateless(&tiled.atom),
        Kind::TiledMma(tiled) => is_stateless_product(&tiled.atom),
        Kind::Copy(atom) => is_stateless(atom),
        Kind::Mma(atom) => is_stateless_product(atom),
        kind => facts(kind).is_some_and(|facts| facts.iter().all(Fact::is_static)),
    }
}

/// Whether a copy has no fields that are known at run time only.
fn is_stateless(atom: &CopyAtom) -> bool {
    match atom {
        CopyAtom::Universal(_)
        | CopyAtom::Async(_)
        | CopyAtom::LoadMatrix(_)
        | CopyAtom::StoreMatrix(_)
        | CopyAtom::GlobalLoad(_)
        | CopyAtom::GlobalStore(_)
        | CopyAtom::SharedLoad(_)
        | CopyAtom::SharedStore(_)
        | CopyAtom::TensorLoad(_)
        | CopyAtom::TensorLoadReduce(_)
        | CopyAtom::TensorLoadCompress(_)
        | CopyAtom::TensorStore(_)
        | CopyAtom::SharedToTensor(_) => true,
        CopyAtom::BulkLoad(_)
        | CopyAtom::BulkStore(_)
        | CopyAtom::BulkMove(_)
        | CopyAtom::ClusterStore(_)
        | CopyAtom::TiledLoad(_)
        | CopyAtom::TiledStore(_)
        | CopyAtom::TiledReduce(_)
        | CopyAtom::Im2colLoad(_)
        | CopyAtom::Im2colStore(_)
        | CopyAtom::Gather(_)
        | CopyAtom::Scatter(_)
        | CopyAtom::TmaLoad(_)
        | CopyAtom::TmaStore(_)
        | CopyAtom::TmaReduce(_) => false,
    }
}

fn is_stateless_product(atom: &MmaAtom) -> bool {
    match atom {
        MmaAtom::Fma(_) | MmaAtom::Sm80(_) | MmaAtom::Sm80Sparse(_) | MmaAtom::Sm89(_) => true,
        MmaAtom::Sm90(_)
        | MmaAtom::Sm100(_)
        | MmaAtom::Sm100BlockScaled(_)
        | MmaAtom::Sm100Sparse(_)
        | MmaAtom::Sm100BlockScaledSparse(_)
        | MmaAtom::Sm107(_)
        | MmaAtom::Sm107BlockScaled(_)
        | MmaAtom::Sm107Sparse(_)
        | MmaAtom::Sm107BlockScaledSparse(_)
        | MmaAtom::Sm120BlockScaled(_) => false,
    }
}

/// What is known of an operand that becomes a leaf.
fn leaf(op: Op<'_>, value: Value) -> Checked<Fact> {
    let fact = match (op.ty(value), op.kind(value)) {
        (Type::Integer(Signedness::Signless, 32), _) => Some(Fact::opaque(Bits::B32)),
        (Type::Integer(Signedness::Signless, 64), _) => Some(Fact::opaque(Bits::B64)),
        (_, Some(Kind::Integer(integer))) => Some(Fact::dynamic(integer.width, integer.divisor)),
        (_, Some(Kind::IntTuple(Nested::Leaf(fact)))) => Some(*fact),
        _ => None,
    };
    fact.ok_or_else(|| op.needed(value, "an integer of 32 or 64 bits"))
}

/// Checks that the shapes of an op have extents above 0; layouts and tiles with others cannot be read. The paddings of a
/// stencil are shapes that are added to others, and may have any.
pub(super) fn positive(op: Op<'_>) -> Checked {
    if matches!(op.data.kind, MlirOp::Cute(CuteOp::StencilDivide { .. })) {
        return Ok(());
    }
    let mut types: Vec<&Type> = op
        .operands()
        .into_iter()
        .chain(op.results())
        .map(|value| op.ty(value))
        .collect();
    let views = op.data.kind.views();
    let attributes: Vec<Type> = views.iter().filter_map(shape_attribute).collect();
    types.extend(&attributes);
    while let Some(ty) = types.pop() {
        match ty {
            Type::Tuple(members) => types.extend(members.iter()),
            Type::Cute(own) => {
                let Kind::Shape(shape) = own.kind() else {
                    continue;
                };
                let wrong = shape
                    .leaves()
                    .find_map(|leaf| leaf.value().filter(|&extent| extent <= 0));
                if let Some(extent) = wrong {
                    return op.refuse(
                        Code::BadStride,
                        format_args!("the extent {extent} of `{ty}` is not above 0"),
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The type of a shape that is a property.
fn shape_attribute(view: &FieldView<'_>) -> Option<Type> {
    let FieldView::Property(attribute) = view else {
        return None;
    };
    let text = attribute.body_of("cute.shape")?;
    CuteType::parse(&format!("cute.shape<{text}>"))
        .ok()
        .map(Type::Cute)
}

/// A value whose dynamic leaves are the operands, in order, with what is known of each.
pub(super) fn made_of(op: Op<'_>, elements: &[Value], what: &str, holds: fn(&Kind) -> bool) -> Checked {
    op.gives(0, what, |ty| matches!(ty, Type::Cute(ty) if holds(ty.kind())))?;
    let result = op.result()?;
    let facts = op.kind(result).and_then(facts).unwrap_or_default();
    let dynamic: Vec<Fact> = facts.into_iter().filter(|fact| !fact.is_static()).collect();
    let given: Vec<Fact> = elements
        .iter()
        .map(|&value| leaf(op, value))
        .collect::<Checked<_>>()?;
    op.count("dynamic leaf", given.len(), dynamic.len())?;
    let mut pairs = given.iter().zip(&dynamic).zip(elements);
    // In the open dialect a tuple that is static may become a leaf that is not.
    let fits = |given: &Fact, wanted: &Fact| {
        given == wanted || op.dialect == Dialect::Open && given.is_static() && given.width() == wanted.width()
    };
    match pairs.find(|((given, wanted), _)| !fits(given, wanted)) {
        None => Ok(()),
        Some(((given, wanted), &value)) => {
            let message = format!(
                "an operand of `{}` is known to be `{given}`, and its leaf of `{}` is `{wanted}`",
                op.name(),
                op.ty(result)
            );
            Err(op.wrong(op.data.operand(value), Code::OperandType, message))
        }
    }
}

/// A layout of a shape and a stride. A stride may be left out where it is static or compact, a shape where it is static.
pub(super) fn layout_of_leaves(op: Op<'_>, shape: Option<Value>, stride: Option<Value>) -> Checked {
    let result = op.result()?;
    let Some(Kind::Layout(layout)) = op.kind(result) else {
        return op.gives(0, "a layout", |_| false);
    };
    let dynamic = |what: &str| {
        op.refuse(
            Code::OperandCount,
            format_args!(
                "the {what} of `{}` is dynamic, and no operand gives it",
                op.ty(result)
            ),
        )
    };
    match shape {
        Some(shape) => op.all([shape], &of(Kind::Shape(layout.shape())))?,
        None if stride.is_some() => return op.refuse(Code::OperandCount, "it has a stride and no shape"),
        None if layout.shape().leaves().all(Fact::is_static) => {}
        None => return dynamic("shape"),
    }
    let strides = layout.stride();
    match stride {
        Some(stride) => op.all([stride], &of(Kind::Stride(strides))),
        None if strides.leaves().all(|leaf| leaf.factor().is_static()) => Ok(()),
        None => match TypeLayout::column_major(&layout.shape()) {
            Ok(compact) if compact == *layout => Ok(()),
            _ => dynamic("stride"),
        },
    }
}

/// A value that its type says.
pub(super) fn static_type(op: Op<'_>) -> Checked {
    op.gives(
        0,
        "a type that says the value",
        |ty| matches!(ty, Type::Cute(ty) if is_static(ty.kind())),
    )
}
