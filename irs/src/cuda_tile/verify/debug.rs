//! Rules of debug information: the scopes of a function's ops belong to that function.

use tilewright_diagnostics::{Code, Diagnostic};

use super::ModuleProblem;
use crate::core::Origin;
use crate::cuda_tile::debug::{DebugAttr, DebugId, DebugInfo};
use crate::cuda_tile::module::TileModule;
use crate::cuda_tile::preview::ExternalKind;

/// Checks a module's debug information.
///
/// A function's location has no scope or that of a subprogram whose linkage name is the function's symbol; it is not
/// a call site. An op whose location has a scope is in a function with the same scope. Source: the Tile IR
/// specification, debug info.
pub fn verify_debug(module: &TileModule, debug: &DebugInfo) -> Vec<ModuleProblem> {
    let mut problems = Vec::new();
    if let Some(Err(message)) = debug.module.map(|id| is_place(debug, id)) {
        let diagnostic = Diagnostic::error(Code::MalformedDebugInfo, format!("the module: {message}"));
        problems.push(ModuleProblem::new(None, diagnostic));
    }
    for (index, (func, places)) in module.funcs.iter().zip(&debug.funcs).enumerate() {
        let mut report = |origin: Origin, message: String| {
            let diagnostic = Diagnostic::error(Code::MalformedDebugInfo, message).at(origin, "");
            problems.push(ModuleProblem::new(Some(index), diagnostic));
        };
        if let Err(message) = function(debug, places.func, &func.name) {
            report(Origin::FUNCTION, message);
            continue;
        }
        let own = places.func.and_then(|id| subprogram(debug, id));
        for (origin, place) in (0u32..).zip(&places.ops) {
            if let Err(message) = place.map_or(Ok(()), |id| is_place(debug, id)) {
                report(Origin(origin), message);
                continue;
            }
            let Some(scope) = place.and_then(|id| subprogram(debug, id)) else {
                continue;
            };
            match own {
                None => {
                    let message = format!(
                        "invalid operation debug info scope: the op is in `{}`, but its function `@{}` has no scope",
                        name(scope),
                        func.name
                    );
                    report(Origin(origin), message);
                }
                Some(own) if own != scope => {
                    let message = format!(
                        "invalid operation debug info scope: the op is in `{}`, but the scope of its function is `{}`",
                        name(scope),
                        name(own)
                    );
                    report(Origin(origin), message);
                }
                Some(_) => {}
            }
        }
    }
    for (index, (external, place)) in module.externals.iter().zip(&debug.externals).enumerate() {
        let Some(place) = *place else { continue };
        let checked = match &external.kind {
            ExternalKind::Func(func) => function(debug, Some(place), &func.name),
            // Its location may be in any function.
            ExternalKind::Impl(_) => is_place(debug, place),
        };
        if let Err(message) = checked {
            let diagnostic = Diagnostic::error(Code::MalformedDebugInfo, message).at(Origin::FUNCTION, "");
            problems.push(ModuleProblem {
                external: Some(index),
                ..ModuleProblem::new(None, diagnostic)
            });
        }
    }
    problems
}

/// Checks a function's own location.
fn function(debug: &DebugInfo, place: Option<DebugId>, symbol: &str) -> Result<(), String> {
    let Some(id) = place else { return Ok(()) };
    is_place(debug, id)?;
    if let Some(DebugAttr::CallSite { .. }) = debug.attr(id) {
        return Err(format!(
            "invalid function debug info location: the place of `@{symbol}` is a call site"
        ));
    }
    let Some(scope) = scope(debug, id).and_then(|scope| debug.attr(scope)) else {
        return Ok(());
    };
    let DebugAttr::Subprogram { linkage_name, .. } = scope else {
        return Err(format!(
            "invalid function debug info scope: that of `@{symbol}` must be a cuda_tile.di_subprogram"
        ));
    };
    if linkage_name != symbol {
        return Err(format!(
            "invalid function debug info scope: the function's name is \"{symbol}\", but the linkage name of its \
             subprogram is \"{linkage_name}\""
        ));
    }
    Ok(())
}

/// Checks that an attribute is a location.
fn is_place(debug: &DebugInfo, id: DebugId) -> Result<(), String> {
    let what = match debug.attr(id) {
        Some(
            DebugAttr::Loc { .. }
            | DebugAttr::CallSite { .. }
            | DebugAttr::Unknown
            | DebugAttr::Place { .. }
            | DebugAttr::Name { .. }
            | DebugAttr::Fused { .. },
        )
        | None => return Ok(()),
        Some(DebugAttr::CompileUnit { .. }) => "a compile unit",
        Some(DebugAttr::File { .. }) => "a file",
        Some(DebugAttr::LexicalBlock { .. }) => "a block",
        Some(DebugAttr::Subprogram { .. }) => "a subprogram",
    };
    Err(format!(
        "invalid debug info location: {what} is no place, expected a place in a file or a call site"
    ))
}

/// The scope of a location.
fn scope(debug: &DebugInfo, id: DebugId) -> Option<DebugId> {
    match debug.attr(debug.scoped(id)?) {
        Some(DebugAttr::Loc { scope, .. }) => Some(*scope),
        Some(_) | None => None,
    }
}

/// The subprogram of a location.
fn subprogram(debug: &DebugInfo, id: DebugId) -> Option<&DebugAttr> {
    let mut id = scope(debug, id)?;
    for _ in 0..=debug.attrs.len() {
        match debug.attr(id)? {
            DebugAttr::LexicalBlock { scope, .. } => id = *scope,
            found @ DebugAttr::Subprogram { .. } => return Some(found),
            DebugAttr::Unknown
            | DebugAttr::CompileUnit { .. }
            | DebugAttr::File { .. }
            | DebugAttr::Loc { .. }
            | DebugAttr::CallSite { .. }
            | DebugAttr::Place { .. }
            | DebugAttr::Name { .. }
            | DebugAttr::Fused { .. } => return None,
        }
    }
    None
}

fn name(scope: &DebugAttr) -> &str {
    match scope {
        DebugAttr::Subprogram { linkage_name, .. } => linkage_name,
        DebugAttr::Unknown
        | DebugAttr::CompileUnit { .. }
        | DebugAttr::File { .. }
        | DebugAttr::LexicalBlock { .. }
        | DebugAttr::Loc { .. }
        | DebugAttr::CallSite { .. }
        | DebugAttr::Place { .. }
        | DebugAttr::Name { .. }
        | DebugAttr::Fused { .. } => "?",
    }
}
