//! Which parameters of a kernel it is given at a launch.

use super::types::Type;
use crate::cute_types::{CuteType, Kind};

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
        Kind::TiledCopy(copy) => copy.atom.has_fields(),
        Kind::TiledMma(mma) => mma.atom.has_fields(),
        Kind::Copy(atom) => atom.has_fields(),
        Kind::Mma(atom) => atom.has_fields(),
        kind => !kind.has_no_address() || !kind.dynamic_leaves().is_empty(),
    }
}
