//! Rules of external functions and of their implementations.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic, counted};

use super::module_problem::ModuleProblem;
use crate::core::{Origin, Part};
use crate::cuda_tile::attrs::Dict;
use crate::cuda_tile::enums::{PreviewAccess, PreviewMemorySpace, PreviewSynchronization};
use crate::cuda_tile::module::TileModule;
use crate::cuda_tile::preview::{
    ACCESS, ConstParam, Expr, ExternFunc, ExternImpl, External, ExternalKind, Fragment, Known, PreviewType,
    access,
};
use crate::cuda_tile::types::{AnyType, TileType};

/// The modes of a fragment's `fragmap`: calls of the implementation, threads of a call, elements of a thread.
const INVOCATION: usize = 0;
const PARTICIPANT: usize = 1;
const FOOTPRINT: usize = 2;

/// The external functions of a module by their symbols; `None` for a symbol that names something else.
pub(super) type Externs<'a> = FxHashMap<&'a str, Option<&'a ExternFunc>>;

/// The symbols of a module, to check calls with.
pub(super) fn externs(module: &TileModule) -> Externs<'_> {
    let mut found = Externs::default();
    if module.externals.is_empty() {
        return found;
    }
    let others = module.globals.iter().map(|global| global.name.as_str());
    let others = others.chain(module.funcs.iter().map(|func| func.name.as_str()));
    found.extend(others.map(|name| (name, None)));
    for external in &module.externals {
        let func = match &external.kind {
            ExternalKind::Func(func) => Some(func),
            ExternalKind::Impl(_) => None,
        };
        found.insert(external.name(), func);
    }
    found
}

/// Checks the external functions and implementations of a module. `symbols` are those of its globals.
pub(super) fn verify_externals<'a>(
    module: &'a TileModule,
    externs: &Externs<'_>,
    symbols: &mut FxHashSet<&'a str>,
) -> Vec<ModuleProblem> {
    let mut problems = Vec::new();
    for (index, external) in module.externals.iter().enumerate() {
        let mut checked = Vec::new();
        if !symbols.insert(external.name()) {
            let message = format!("the symbol `@{}` is defined twice", external.name());
            checked.push((Code::DuplicateSymbol, message));
        }
        if let Err((code, message)) = check(external, externs) {
            checked.push((code, format!("'cuda_tile.{}' op {message}", external.op())));
        }
        problems.extend(checked.into_iter().map(|(code, message)| ModuleProblem {
            func: None,
            global: None,
            external: Some(index),
            part: Part::Op,
            diagnostic: Diagnostic::error(code, message).at(Origin::FUNCTION, ""),
        }));
    }
    problems
}

type Checked = Result<(), (Code, String)>;

fn fail(code: Code, message: impl Into<String>) -> Checked {
    Err((code, message.into()))
}

fn check(external: &External, externs: &Externs<'_>) -> Checked {
    if external.name().is_empty() {
        return fail(Code::AttributeValue, "has no name");
    }
    match &external.kind {
        ExternalKind::Func(func) => check_func(func),
        ExternalKind::Impl(implementation) => {
            check_impl(implementation)?;
            match externs.get(implementation.implements.as_str()) {
                Some(Some(func)) => check_against(implementation, func),
                Some(None) => {
                    let name = &implementation.implements;
                    fail(
                        Code::UnknownSymbol,
                        format!("implements `@{name}`, which is no extern preview$func"),
                    )
                }
                // A library may implement functions that the module does not call.
                None => Ok(()),
            }
        }
    }
}

/// The names of constant parameters, which must be distinct.
fn names(params: &[ConstParam]) -> Result<FxHashSet<&str>, (Code, String)> {
    let mut names = FxHashSet::default();
    for param in params {
        if param.name.is_empty() {
            return Err((
                Code::AttributeValue,
                "has a constant parameter without a name".to_owned(),
            ));
        }
        if !names.insert(param.name.as_str()) {
            let message = format!("has the constant parameter `{}` twice", param.name);
            return Err((Code::DuplicateSymbol, message));
        }
    }
    Ok(names)
}

/// Checks the dictionaries of parameters.
fn check_dicts(dicts: &[Dict], inputs: usize) -> Checked {
    if dicts.len() != inputs {
        let message = format!(
            "has attributes for {}, expected {inputs}, one dictionary each",
            counted(dicts.len(), "argument")
        );
        return fail(Code::OperandCount, message);
    }
    for (i, dict) in dicts.iter().enumerate() {
        if access(dict).is_none() {
            let message = format!(
                "argument {i} has no `{ACCESS}`: expected `{ACCESS} = #cuda_tile<preview$access<…>>` with `in`, `out` \
                 or `inout`"
            );
            return fail(Code::MissingAttribute, message);
        }
        for (key, _) in &dict.0 {
            if key.split_once('.').is_none_or(|(dialect, _)| dialect.is_empty()) {
                let message = format!(
                    "the attribute `{key}` of argument {i} names no dialect, expected `dialect.{key}`"
                );
                return fail(Code::AttributeValue, message);
            }
        }
    }
    Ok(())
}

fn check_func(func: &ExternFunc) -> Checked {
    if func.inputs.is_empty() {
        return fail(Code::OperandCount, "has no inputs, expected at least one");
    }
    let params = names(&func.const_params)?;
    for (what, list) in [("input", &func.inputs), ("result", &func.results)] {
        for (i, ty) in list.iter().enumerate() {
            check_tile(ty, &params, &format!("{what} {i}"))?;
        }
    }
    check_dicts(&func.arg_attrs, func.inputs.len())?;
    let written = func
        .arg_attrs
        .iter()
        .zip(&func.inputs)
        .filter(|(dict, _)| matches!(access(dict), Some(PreviewAccess::Out | PreviewAccess::InOut)));
    for (i, (_, ty)) in written.enumerate() {
        match func.results.get(i) {
            None => {
                let message = format!(
                    "writes more arguments than it has results, which are {}: each of them is a result",
                    func.results.len()
                );
                return fail(Code::ResultCount, message);
            }
            Some(result) if result != ty => {
                let message = format!(
                    "result {i} is `{result}`, but the argument of number {i} that is written is `{ty}`: expected the \
                     same type"
                );
                return fail(Code::TypeMismatch, message);
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Checks the type of a parameter or a result, which must be a tile.
fn check_tile(ty: &AnyType, params: &FxHashSet<&str>, what: &str) -> Checked {
    let mut undeclared = None;
    ty.vars(&mut |name| {
        if undeclared.is_none() && !params.contains(name) {
            undeclared = Some(name);
        }
    });
    if let Some(name) = undeclared {
        let message = format!("{what} depends on `{name}`, which is no constant parameter of the function");
        return fail(Code::UndefinedValue, message);
    }
    let is_tile = match ty {
        AnyType::Value(TileType::Tile(_)) => true,
        AnyType::Preview(ty) => matches!(**ty, PreviewType::Tile(_)),
        AnyType::Value(_) | AnyType::Scalar(_) | AnyType::Ptr(_) | AnyType::Func(_) => false,
    };
    if is_tile {
        return Ok(());
    }
    let message = format!("{what} is `{ty}`, expected a tile");
    fail(Code::OperandType, message)
}

/// The parameter types of an implementation, which must be fragments.
fn fragments(implementation: &ExternImpl) -> Result<Vec<&Fragment>, (Code, String)> {
    let mut list = Vec::new();
    for (i, ty) in implementation.inputs.iter().enumerate() {
        match ty {
            AnyType::Preview(inner) if let PreviewType::Fragment(fragment) = inner.as_ref() => {
                list.push(fragment);
            }
            _ => {
                let message = format!("input {i} is `{ty}`, expected a preview$fragment");
                return Err((Code::OperandType, message));
            }
        }
    }
    if list.is_empty() {
        return Err((
            Code::OperandCount,
            "has no inputs, expected at least one".to_owned(),
        ));
    }
    Ok(list)
}

fn check_impl(implementation: &ExternImpl) -> Checked {
    if implementation.config.is_some() {
        return fail(
            Code::AttributeValue,
            "has the attribute `config`, which no implementation may have",
        );
    }
    if !implementation.results.is_empty() {
        let message = format!(
            "has {}, expected none: what it writes are its arguments",
            counted(implementation.results.len(), "result")
        );
        return fail(Code::ResultCount, message);
    }
    let fragments = fragments(implementation)?;
    let params = names(implementation.const_params.as_deref().unwrap_or_default())?;
    if let Some(dicts) = implementation
        .res_attrs
        .as_ref()
        .filter(|dicts| !dicts.is_empty())
    {
        let message = format!(
            "has attributes for {}, expected none",
            counted(dicts.len(), "result")
        );
        return fail(Code::ResultCount, message);
    }
    match &implementation.arg_attrs {
        Some(dicts) => check_dicts(dicts, fragments.len())?,
        None => {
            let message = format!("argument 0 has no `{ACCESS}`: there are no attributes of arguments");
            return fail(Code::MissingAttribute, message);
        }
    }
    for (i, fragment) in fragments.iter().enumerate() {
        check_fragment(i, fragment, &params)?;
    }
    for (mode, what) in [(INVOCATION, "invocation"), (PARTICIPANT, "participant")] {
        let sizes = fragments.iter().map(|fragment| fragment.fragmap.mode_size(mode));
        let mut known = sizes
            .enumerate()
            .filter_map(|(i, size)| Some((i, size.number()?)));
        let Some((first, size)) = known.next() else {
            continue;
        };
        if let Some((i, other)) = known.find(|(_, other)| *other != size) {
            let message = format!(
                "the fragmap of argument {i} has {}, but that of argument {first} has {size}: all arguments of one call have \
                 the same",
                counted(other, what)
            );
            return fail(Code::BadLayout, message);
        }
    }
    let unit = match implementation.synchronization {
        None | Some(PreviewSynchronization::None | PreviewSynchronization::Cta) => return Ok(()),
        Some(PreviewSynchronization::Warp) => 32,
        Some(PreviewSynchronization::Warpgroup) => 128,
    };
    for (i, fragment) in fragments.iter().enumerate() {
        if let Known::Number(threads) = fragment.fragmap.mode_size(PARTICIPANT)
            && threads % unit != 0
        {
            let message = format!(
                "the fragmap of argument {i} has {threads} participants, expected a multiple of {unit}, the threads \
                 that are synchronised together"
            );
            return fail(Code::BadLayout, message);
        }
    }
    Ok(())
}

fn check_fragment(i: usize, fragment: &Fragment, params: &FxHashSet<&str>) -> Checked {
    let fields: [(&str, &[Expr]); 6] = [
        ("shape", &fragment.shape),
        ("mem_layout", &fragment.mem_layout.shape),
        ("mem_layout", &fragment.mem_layout.stride),
        ("fragmap", &fragment.fragmap.shape),
        ("fragmap", &fragment.fragmap.stride),
        ("alignment", std::slice::from_ref(&fragment.alignment)),
    ];
    for (what, list) in fields {
        if let Some(name) = list.iter().find_map(|expr| expr.undeclared(params)) {
            let message = format!(
                "the {what} of argument {i} depends on `{name}`, which is no constant parameter of the implementation"
            );
            return fail(Code::UndefinedValue, message);
        }
    }
    let modes = fragment.fragmap.shape.len();
    if modes != FOOTPRINT + 1 {
        let message = format!(
            "the fragmap of argument {i} has {}, expected 3: invocations, participants, footprint",
            counted(modes, "mode")
        );
        return fail(Code::BadLayout, message);
    }
    for mode in [INVOCATION, PARTICIPANT, FOOTPRINT] {
        if fragment.fragmap.mode_size(mode) == Known::TooLarge {
            let message = format!("mode {mode} of the fragmap of argument {i} needs more than 64 bits");
            return fail(Code::BadLayout, message);
        }
    }
    if fragment.space == PreviewMemorySpace::Smem && fragment.fragmap.moves(PARTICIPANT) {
        let message = format!(
            "the fragmap of argument {i} gives each participant other elements, but the fragment is in shared memory, \
             where all have the same: expected strides of 0"
        );
        return fail(Code::BadLayout, message);
    }
    if let (Known::Number(footprint), Known::Number(elements)) =
        (fragment.fragmap.mode_size(FOOTPRINT), fragment.size())
        && footprint != elements
    {
        let message = format!(
            "the fragmap of argument {i} has a footprint of {}, but the fragment has {elements}",
            counted(footprint, "element")
        );
        return fail(Code::BadLayout, message);
    }
    Ok(())
}

/// Checks an implementation against the function that it implements.
fn check_against(implementation: &ExternImpl, func: &ExternFunc) -> Checked {
    let name = &func.name;
    let args = implementation.const_args.as_deref().unwrap_or_default();
    if args.len() != func.const_params.len() {
        let message = format!(
            "has {}, but `@{name}` has {}",
            counted(args.len(), "constant argument"),
            counted(func.const_params.len(), "constant parameter")
        );
        return fail(Code::OperandCount, message);
    }
    let params = implementation.const_params.as_deref().unwrap_or_default();
    // NVIDIA's tools let an implementation of a function without parameters have some.
    if !func.const_params.is_empty() && params.len() != func.const_params.len() {
        let message = format!(
            "has {}, but `@{name}` has {}: expected the same",
            counted(params.len(), "constant parameter"),
            func.const_params.len()
        );
        return fail(Code::OperandCount, message);
    }
    for (i, ((own, its), arg)) in params.iter().zip(&func.const_params).zip(args).enumerate() {
        if own != its {
            let message = format!(
                "constant parameter {i} is `{}` ({}), but that of `@{name}` is `{}` ({}): expected the same",
                own.name, own.kind, its.name, its.kind
            );
            return fail(Code::TypeMismatch, message);
        }
        if !matches!(arg, Expr::Var(name) if *name == own.name) {
            let message = format!("constant argument {i} is not the parameter `{}` itself", own.name);
            return fail(Code::AttributeValue, message);
        }
    }
    if implementation.inputs.len() != func.inputs.len() {
        let message = format!(
            "has {}, but `@{name}` has {}",
            counted(implementation.inputs.len(), "input"),
            func.inputs.len()
        );
        return fail(Code::OperandCount, message);
    }
    let own = implementation.arg_attrs.as_deref().unwrap_or_default();
    for (i, (own, its)) in own.iter().zip(&func.arg_attrs).enumerate() {
        if let (Some(own), Some(its)) = (access(own), access(its))
            && own != its
        {
            let message = format!("the access of argument {i} is `{own}`, but that of `@{name}` is `{its}`");
            return fail(Code::TypeMismatch, message);
        }
    }
    for (i, (fragment, tile)) in fragments(implementation)?
        .into_iter()
        .zip(&func.inputs)
        .enumerate()
    {
        covers(i, fragment, tile)?;
    }
    Ok(())
}

/// Checks that the fragments of all threads together hold as many elements as the argument's tile.
fn covers(i: usize, fragment: &Fragment, tile: &AnyType) -> Checked {
    let map = &fragment.fragmap;
    let (calls, threads) = (map.distinct(INVOCATION), map.distinct(PARTICIPANT));
    let footprint = map.mode_size(FOOTPRINT);
    let elements = match tile {
        AnyType::Value(TileType::Tile(tile)) => tile.shape.elements(),
        _ => None,
    };
    if let (Known::Number(all), Some(elements)) = (calls.times(threads).times(footprint), elements)
        && u64::try_from(all) != Ok(elements)
    {
        let number = |known: Known| known.number().unwrap_or_default();
        let message = format!(
            "the fragmap of argument {i} covers {}, {} and {} of each, {} in all, but the tile has {elements}",
            counted(number(calls), "invocation"),
            counted(number(threads), "participant"),
            counted(number(footprint), "element"),
            counted(all, "element")
        );
        return fail(Code::BadLayout, message);
    }
    Ok(())
}
