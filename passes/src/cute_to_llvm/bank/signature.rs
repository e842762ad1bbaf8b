//! The kernel's parameters in NVIDIA's packing, which only this pattern knows.
//!
//! What is dynamic of a parameter is passed: its address, then its dynamic leaves in the order of the type's text, as a struct by
//! value; a single one by itself. A parameter of which nothing is dynamic is not passed.

use tilewright_irs::core::{Block, Translate, Translated, Value};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmType, StructType};

use super::structs::Packing;
use crate::cute_to_llvm::emit::Cx;

/// Adds the parameters and packs the values of CuTe's algebra from them.
pub(in super::super) fn parameters(
    pass: &mut impl Translate<CuteDesugared, Llvm>,
    cx: &mut Cx<'_>,
    entry: Block,
) -> Translated {
    let (from, to) = (cx.from, cx.current());
    // All parameters come before the first op.
    let mut passed = Vec::new();
    for &arg in &from.block(entry).args {
        match from.ty(arg) {
            DesugaredType::Cute(ty) => {
                let packing = Packing::of(ty)?;
                let types = dynamic_types(ty, &packing);
                let param = param(&types).map(|ty| cx.body_mut().add_arg(to, ty));
                passed.push((arg, packing, has_address(ty), types, param));
            }
            ty => {
                let types = pass.types(ty)?;
                let args: Vec<Value> = types
                    .into_iter()
                    .map(|ty| cx.body_mut().add_arg(to, ty))
                    .collect();
                cx.bind(arg, args);
            }
        }
    }
    for (arg, packing, has_address, types, param) in passed {
        let mut parts: Vec<Value> = match (param, types.as_slice()) {
            (None, _) => Vec::new(),
            (Some(param), [_]) => vec![param],
            (Some(from), all) => {
                let fields = (0..).zip(all);
                fields
                    .map(|(field, &ty)| {
                        let path = vec![field];
                        cx.value(LlvmDialect::ExtractValue { from, path }, ty)
                    })
                    .collect()
            }
        };
        let address = (has_address && !parts.is_empty()).then(|| parts.remove(0));
        let value = packing.pack(cx, address, &parts);
        cx.bind(arg, value);
    }
    Ok(())
}

fn has_address(ty: &CuteType) -> bool {
    !ty.kind().has_no_address()
}

/// The types of what is passed of a value.
fn dynamic_types(ty: &CuteType, packing: &Packing) -> Vec<LlvmType> {
    let address = match packing.ty {
        Some(LlvmType::Struct(all)) if has_address(ty) => all.fields().first().copied(),
        ty @ Some(LlvmType::Ptr(_)) => ty,
        _ => None,
    };
    let leaves = packing.dynamic();
    let leaves = leaves.iter().map(|place| LlvmType::Scalar(place.scalar()));
    address.into_iter().chain(leaves).collect()
}

/// The parameter that passes them.
fn param(types: &[LlvmType]) -> Option<LlvmType> {
    match types {
        [] => None,
        [one] => Some(*one),
        all => StructType::new(all).map(LlvmType::Struct),
    }
}
