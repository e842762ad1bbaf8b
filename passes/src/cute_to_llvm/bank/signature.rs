//! The kernel's parameters in NVIDIA's packing, which only this pattern knows.
//!
//! What is dynamic of a parameter is passed: its address and its dynamic leaves, as a struct by value that is nested as
//! [`Passing`] says; a single one by itself. A parameter of which nothing is dynamic is not passed.

use tilewright_irs::core::{Block, Translate, Translated, Value};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::cute_types::Passing;
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
                let types = dynamic_types(&packing);
                let layout = Layout::of(&ty.kind().passing(types.len()), &types);
                let param = layout.ty.map(|ty| cx.body_mut().add_arg(to, ty));
                passed.push((arg, packing, types, (param, layout.paths)));
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
    for (arg, packing, types, (param, paths)) in passed {
        let mut parts: Vec<Value> = match (param, types.as_slice()) {
            (None, _) => Vec::new(),
            (Some(param), [_]) => vec![param],
            (Some(from), all) => {
                let fields = paths.into_iter().zip(all);
                fields
                    .map(|(path, &ty)| cx.value(LlvmDialect::ExtractValue { from, path }, ty))
                    .collect()
            }
        };
        let has_address = packing.address().is_some() && !parts.is_empty();
        let address = has_address.then(|| parts.remove(0));
        let value = packing.pack(cx, address, &parts);
        cx.bind(arg, value);
    }
    Ok(())
}

/// The types of what is passed of a value.
fn dynamic_types(packing: &Packing) -> Vec<LlvmType> {
    let leaves = packing.dynamic();
    let leaves = leaves.iter().map(|place| LlvmType::Scalar(place.scalar()));
    packing.address().into_iter().chain(leaves).collect()
}

/// A parameter.
struct Layout {
    /// Its type; `None` if there is nothing to pass.
    ty: Option<LlvmType>,
    /// Where each field is in it.
    paths: Vec<Vec<u32>>,
}

impl Layout {
    /// The parameter that passes fields of these types.
    fn of(passing: &Passing, types: &[LlvmType]) -> Self {
        let mut paths = vec![Vec::new(); types.len()];
        let ty = part(passing, types, &mut Vec::new(), &mut paths);
        Self { ty, paths }
    }
}

/// The type of a part at a path, which is added to the paths of its fields. A struct of one member is that member.
fn part(
    passing: &Passing,
    types: &[LlvmType],
    path: &mut Vec<u32>,
    paths: &mut [Vec<u32>],
) -> Option<LlvmType> {
    let members = match passing {
        Passing::Field(number) => {
            paths.get_mut(*number)?.clone_from(path);
            return types.get(*number).copied();
        }
        Passing::Struct(members) => members,
    };
    let kept: Vec<&Passing> = members.iter().filter(|member| has_field(member)).collect();
    if let [only] = kept.as_slice() {
        return part(only, types, path, paths);
    }
    let mut fields = Vec::new();
    for (number, member) in (0..).zip(kept) {
        path.push(number);
        fields.extend(part(member, types, path, paths));
        path.pop();
    }
    StructType::new(&fields).map(LlvmType::Struct)
}

fn has_field(passing: &Passing) -> bool {
    match passing {
        Passing::Field(_) => true,
        Passing::Struct(members) => members.iter().any(has_field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::cute_types::CuteType;
    use tilewright_irs::element::ScalarType;
    use tilewright_irs::llvm::AddressSpace;

    #[test]
    fn structs_nest_and_those_of_one_member_are_that_member() {
        let [word, long] = [ScalarType::I32, ScalarType::I64].map(LlvmType::Scalar);
        let pointer = LlvmType::Ptr(AddressSpace::Global);
        let passed = |text: &str, types: &[LlvmType]| {
            let ty: CuteType = text.parse().expect("a type");
            let Layout { ty, paths } = Layout::of(&ty.kind().passing(types.len()), types);
            let bytes = match ty {
                Some(LlvmType::Struct(ty)) => ty.passed().map(|passed| passed.bytes),
                _ => None,
            };
            (ty, bytes, paths)
        };
        let view = "cute.memref<f32, gmem, \"(?{i64},?):(?,1)\">";
        let (_, bytes, paths) = passed(view, &[pointer, long, word, word]);
        // The extents have padding after them, as a struct of their own.
        assert_eq!(bytes, Some(32));
        assert_eq!(paths, [vec![0], vec![1, 0, 0], vec![1, 0, 1], vec![1, 1]]);
        let one = "cute.memref<f32, gmem, \"(8,4):(1,8)\">";
        assert_eq!(passed(one, &[pointer]), (Some(pointer), None, vec![vec![]]));
        assert_eq!(passed("cute.layout<\"8:1\">", &[]), (None, None, vec![]));
    }
}
