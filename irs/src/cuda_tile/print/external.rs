//! Prints external functions.

use std::fmt::Write;

use super::{write_attr, write_dict, write_string, write_symbol};
use crate::cuda_tile::attrs::{Attr, Dict};
use crate::cuda_tile::preview::{
    ExternFunc, ExternImpl, External, ExternalKind, PreviewAttr, expr_list, write_const_params,
};
use crate::cuda_tile::types::AnyType;
use crate::element::ScalarType;
use crate::literal::Literal;

/// Writes a declaration, without its line end.
pub(super) fn write_external(out: &mut String, external: &External) {
    out.push_str(external.op());
    match &external.kind {
        ExternalKind::Func(func) => write_func(out, func),
        ExternalKind::Impl(implementation) => write_impl(out, implementation),
    }
}

/// Writes a name with its constant parameters.
fn write_named(out: &mut String, name: &str, params: Option<&[crate::cuda_tile::preview::ConstParam]>) {
    write_symbol(out, name);
    if let Some(params) = params {
        // Writing to a string does not fail.
        let _ = write_const_params(out, params);
    }
}

/// `(%arg0: tile<8xf32> {…}, …)`
fn write_inputs(out: &mut String, inputs: &[AnyType], dicts: &[Dict]) {
    out.push('(');
    for (i, ty) in inputs.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "%arg{i}: {ty}");
        if let Some(dict) = dicts.get(i).filter(|dict| !dict.0.is_empty()) {
            out.push(' ');
            write_dict(out, dict);
        }
    }
    out.push(')');
}

fn write_func(out: &mut String, func: &ExternFunc) {
    out.push_str(" extern ");
    let params = (!func.const_params.is_empty()).then_some(func.const_params.as_slice());
    write_named(out, &func.name, params);
    write_inputs(out, &func.inputs, &func.arg_attrs);
    match func.results.as_slice() {
        [] => {}
        [one] => _ = write!(out, " -> {one}"),
        list => {
            out.push_str(" -> (");
            for (i, ty) in list.iter().enumerate() {
                let _ = write!(out, "{}{ty}", if i > 0 { ", " } else { "" });
            }
            out.push(')');
        }
    }
    // An absent body is printed as a space.
    out.push(' ');
}

fn write_impl(out: &mut String, implementation: &ExternImpl) {
    out.push(' ');
    write_named(out, &implementation.name, implementation.const_params.as_deref());
    out.push_str(" implements ");
    write_symbol(out, &implementation.implements);
    if let Some(args) = &implementation.const_args {
        out.push_str(&expr_list(args));
    }
    out.push(' ');
    let dicts = implementation.arg_attrs.as_deref().unwrap_or_default();
    write_inputs(out, &implementation.inputs, dicts);
    if let Some(level) = implementation.synchronization {
        out.push_str(" synchronization = ");
        write_attr(out, &PreviewAttr::Synchronization(level).into());
    }
    if let Some(arch) = &implementation.arch {
        out.push_str(" arch = [");
        for (i, name) in arch.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            write_string(out, name);
        }
        out.push(']');
    }
    if let Some(scratch) = &implementation.scratch_smem {
        out.push_str(" scratch {");
        // Writing to a string does not fail.
        let _ = scratch.write_text(out);
        out.push('}');
    }
    let mut rest = Vec::new();
    let dict = |dict: &Option<Dict>| dict.clone().map(Attr::Dict);
    rest.extend(dict(&implementation.config).map(|value| ("config".to_owned(), value)));
    rest.extend(dict(&implementation.frontend_abi).map(|value| ("frontendABI".to_owned(), value)));
    rest.extend(implementation.provider_score.map(|score| {
        let score = Literal::new(ScalarType::I64, score.cast_unsigned());
        ("provider_score".to_owned(), Attr::Number(score))
    }));
    if !rest.is_empty() {
        out.push(' ');
        write_dict(out, &Dict(rest));
    }
}
