//! What concerns a module as a whole: symbols, globals, kernels.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};

use crate::core::{Origin, verify};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::module::{Global, TileModule};
use crate::cuda_tile::ops::{MemoryOp, TileOp};
use crate::cuda_tile::type_rules::{check_dense, check_type};
use crate::cuda_tile::types::{Element, TileType};
use crate::cuda_tile::version::Version;

/// Something wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleProblem {
    /// The function by its index, unless the problem is outside of all.
    pub func: Option<usize>,
    /// What is wrong, with the origin of the op within that function.
    pub diagnostic: Diagnostic<Origin>,
}

/// Checks a module with all its functions.
pub fn verify_module(module: &TileModule) -> Result<(), Vec<ModuleProblem>> {
    let mut problems = Vec::new();
    let mut report = |func: Option<usize>, origin: Origin, code: Code, message: String| {
        let diagnostic = Diagnostic::error(code, message).at(origin, "");
        problems.push(ModuleProblem { func, diagnostic });
    };
    let mut symbols: FxHashMap<&str, ()> = FxHashMap::default();
    let mut globals: FxHashMap<&str, &Global> = FxHashMap::default();
    for global in &module.globals {
        if symbols.insert(&global.name, ()).is_some() {
            let message = format!("the symbol `@{}` is defined twice", global.name);
            report(None, Origin::FUNCTION, Code::DuplicateSymbol, message);
        }
        if let Err((code, message)) = check_global(global) {
            let message = format!("global `@{}`: {message}", global.name);
            report(None, Origin::FUNCTION, code, message);
        }
        globals.entry(&global.name).or_insert(global);
    }
    for (index, func) in module.funcs.iter().enumerate() {
        if symbols.insert(&func.name, ()).is_some() {
            let message = format!("the symbol `@{}` is defined twice", func.name);
            report(Some(index), Origin::FUNCTION, Code::DuplicateSymbol, message);
        }
        if func.name.is_empty() {
            report(
                Some(index),
                Origin::FUNCTION,
                Code::AttributeValue,
                "a kernel has no name".to_owned(),
            );
        }
        if func.attrs.private.0 && module.version >= Version::V13_5 {
            let message = format!("the kernel `@{}` is private, expected a public one", func.name);
            report(Some(index), Origin::FUNCTION, Code::AttributeValue, message);
        }
        if let Some(arg_attrs) = &func.attrs.arg_attrs
            && let Some(i) = arg_attrs.iter().position(|attr| !matches!(attr, Attr::Dict(_)))
        {
            let message = format!(
                "entry {i} of the argument attributes of `@{}` is not a dictionary",
                func.name
            );
            report(Some(index), Origin::FUNCTION, Code::AttributeKind, message);
        }
        for (_, op) in func.body.ops() {
            let TileOp::Memory(MemoryOp::GetGlobal { name }) = &op.kind else {
                continue;
            };
            let Some(global) = globals.get(name.0.as_str()) else {
                let message = format!(
                    "'cuda_tile.get_global' op names `@{}`, which is no global",
                    name.0
                );
                report(Some(index), op.origin, Code::UnknownSymbol, message);
                continue;
            };
            let pointee = op.results().next().and_then(|v| func.body.ty(v).as_tile());
            let pointee = pointee
                .and_then(|tile| tile.element.pointer())
                .map(|pointer| pointer.pointee);
            if let Some(pointee) = pointee
                && Element::Scalar(pointee) != global.ty.element
            {
                let message = format!(
                    "'cuda_tile.get_global' op gives a `ptr<{pointee}>`, whose pointee is no element of `@{}`, `{}`",
                    name.0, global.ty
                );
                report(Some(index), op.origin, Code::TypeMismatch, message);
            }
        }
    }
    for (index, func) in module.funcs.iter().enumerate() {
        if let Err(list) = verify(func) {
            problems.extend(list.into_iter().map(|diagnostic| ModuleProblem {
                func: Some(index),
                diagnostic,
            }));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn check_global(global: &Global) -> Result<(), (Code, String)> {
    if global.name.is_empty() {
        return Err((Code::AttributeValue, "the name is empty".to_owned()));
    }
    check_type(&TileType::Tile(global.ty.clone()))?;
    if global.ty.shape.len() != 1 || global.ty.element.scalar().is_none() {
        let message = format!(
            "the type is `{}`, expected a tile of numbers with one dimension",
            global.ty
        );
        return Err((Code::OperandType, message));
    }
    check_dense(&global.ty, &global.value)
}
