//! Which parameters of a kernel it is given at a launch.

use tilewright_layouts::cute::{
    CoordOf, Fact, LastOf, Leaf, Nested, Scaled, SlotOf, Stride, TilerOf, TypeLayout,
};

use super::types::Type;
use crate::cute_types::{CuteType, Kind, ViewLayout};

/// Whether a kernel is given a parameter of this type. It is not if the type says all there is to know of its values:
/// static layouts and tuples, and instructions without anything to set.
///
/// The pass that drops the others and whoever launches the kernel agree by this; it is what version 4.8.1 of the library does.
///
/// ```
/// use tilewright_irs::mlir::{Type, is_passed};
/// let ty = |text: &str| text.parse().map(Type::Cute);
/// assert!(!is_passed(&ty("cute.layout<\"(8,4):(4,1)\">")?));
/// assert!(is_passed(&ty("cute.layout<\"(8,?):(?,1)\">")?));
/// assert!(is_passed(&ty("cute.memref<f32, gmem, \"8:1\">")?));
/// assert!(is_passed(&Type::I32));
/// # Ok::<(), tilewright_irs::cute_types::TypeError>(())
/// ```
pub fn is_passed(ty: &Type) -> bool {
    match ty {
        Type::Cute(ty) => has_dynamic_parts(ty),
        Type::Integer(..)
        | Type::Float(_)
        | Type::Index
        | Type::None
        | Type::Vector(_)
        | Type::Tuple(_)
        | Type::Function(_)
        | Type::Pointer(_)
        | Type::Struct(_)
        | Type::Stream
        | Type::LaunchResult
        | Type::LaunchConfig(_) => true,
    }
}

fn has_dynamic_parts(ty: &CuteType) -> bool {
    match ty.kind() {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) | Kind::CoordIterator(tuple) => in_tuple(tuple),
        Kind::Coord(coord) => in_coord(coord),
        Kind::Stride(stride) => in_stride(stride),
        Kind::Tile(tiler) => in_tiler(tiler),
        Kind::Layout(layout) => in_layout(layout),
        Kind::Composed(layout) => match layout {
            ViewLayout::Plain(layout) => in_layout(layout),
            ViewLayout::Composed(composed) => {
                let in_last = match composed.last() {
                    LastOf::Swizzle(_) => false,
                    LastOf::Layout(layout) => in_layout(layout),
                };
                in_last || in_tuple(composed.offset()) || in_layout(composed.layout())
            }
        },
        Kind::Swizzle(_) => false,
        Kind::CoordTensor(tensor) => in_tuple(&tensor.origin) || in_layout(&tensor.layout),
        Kind::TiledCopy(copy) => copy.atom.has_fields(),
        Kind::TiledMma(mma) => mma.atom.has_fields(),
        Kind::Copy(atom) => atom.has_fields(),
        Kind::Mma(atom) => atom.has_fields(),
        Kind::Pointer(_)
        | Kind::View(_)
        | Kind::FastDivisor(_)
        | Kind::Sparse(_)
        | Kind::DescriptorView(_)
        | Kind::Integer(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => true,
    }
}

fn in_tuple(tuple: &Nested<Fact>) -> bool {
    tuple.leaves().any(|leaf| !leaf.is_static())
}

fn in_coord(coord: &CoordOf<Fact>) -> bool {
    coord.leaves().any(|slot| match slot {
        SlotOf::At(leaf) => !leaf.is_static(),
        SlotOf::All => false,
    })
}

fn in_stride(stride: &Nested<Scaled<Fact>>) -> bool {
    stride.leaves().any(|stride| !stride.factor().is_static())
}

fn in_layout(layout: &TypeLayout) -> bool {
    !layout.is_static()
}

fn in_tiler(tiler: &TilerOf<Fact>) -> bool {
    match tiler {
        TilerOf::All => false,
        TilerOf::Layout(layout) => in_layout(layout),
        TilerOf::Modes(modes) => modes.iter().any(in_tiler),
    }
}
