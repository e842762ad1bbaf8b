//! Warnings about hints without effect: unknown names, values out of range.
//!
//! A hint never changes the results of a program, and NVIDIA's tools accept any; so these are warnings.

use tilewright_diagnostics::{Code, Diagnostic};

use super::ModuleProblem;
use crate::core::{Attributes, Origin, Part};
use crate::cuda_tile::attrs::{Attr, Hints};
use crate::cuda_tile::fields::{AttrRef, FieldRef};
use crate::cuda_tile::hints::{Hint, hint_key};
use crate::cuda_tile::module::{EntryAttrs, TileModule};
use crate::literal::Literal;

/// Warns of the hints of a module that no target can honour, each with its kernel and op.
pub fn check_hints(module: &TileModule) -> Vec<ModuleProblem> {
    let mut problems = Vec::new();
    for (index, func) in module.funcs.iter().enumerate() {
        let mut report = |origin: Origin, field: Part, hints: &Hints, allowed: &[Hint]| {
            let found = wrong(hints, allowed, field).into_iter();
            problems.extend(found.map(|(part, warning)| ModuleProblem {
                part,
                ..ModuleProblem::new(Some(index), warning.at(origin, ""))
            }));
        };
        if let Some(hints) = &func.attrs.optimization_hints {
            report(
                Origin::FUNCTION,
                EntryAttrs::part("optimization_hints"),
                hints,
                Hint::OF_KERNELS,
            );
        }
        for (_, op) in func.body.ops() {
            for (i, field) in op.kind.fields().iter().enumerate() {
                if let FieldRef::Attr(Some(AttrRef::Hints(hints))) = field {
                    report(op.origin, Part::field(i), hints, Hint::of_op(&op.kind));
                }
            }
        }
    }
    problems
}

/// The warnings about hints in a field, each with the key, name or value that it is about.
fn wrong(hints: &Hints, allowed: &[Hint], field: Part) -> Vec<(Part, Diagnostic<Origin>)> {
    let mut found = Vec::new();
    for (i, (key, dict)) in hints.0.iter().enumerate() {
        let architecture = match hint_key(key) {
            Ok(architecture) => architecture,
            Err(known) => {
                let message = format!("unknown architecture `{key}` as the key of a hint, which is ignored");
                let help = format!("the keys are {known}");
                let warning = Diagnostic::warning(Code::UnknownHint, message).help(help);
                found.push((field.key(i), warning));
                continue;
            }
        };
        for (j, (name, value)) in dict.0.iter().enumerate() {
            let own = field.entry(i);
            let Some(hint) = allowed.iter().find(|hint| hint.word() == name) else {
                let names: Vec<_> = allowed.iter().map(|hint| format!("`{}`", hint.word())).collect();
                let message = format!("`{name}` is no hint here, and is ignored");
                let help = format!("the hints here are {}", names.join(", "));
                let warning = Diagnostic::warning(Code::UnknownHint, message).help(help);
                found.push((own.key(j), warning));
                continue;
            };
            if let Err(expected) = hint.admits(value, architecture) {
                let message = format!(
                    "the hint `{key}.{name}` is {}, and ignored: it must be {expected}",
                    written(value)
                );
                found.push((own.entry(j), Diagnostic::warning(Code::HintOutOfRange, message)));
            }
        }
    }
    found
}

/// A hint's value, for messages.
fn written(value: &Attr) -> String {
    match value {
        Attr::Number(literal) if literal.ty.is_int() => literal.signed().to_string(),
        Attr::Number(Literal { ty, .. }) => format!("a number of type {ty}"),
        Attr::Bool(truth) => truth.to_string(),
        Attr::Type(_) => "a type".to_owned(),
        Attr::String(text) => format!("the string {text:?}"),
        Attr::Array(_) | Attr::Dense(..) => "a list".to_owned(),
        Attr::Dict(_) | Attr::Hints(_) => "a dictionary".to_owned(),
        Attr::Predicate(_) => "a predicate".to_owned(),
        Attr::Reduction(_) => "a reduction".to_owned(),
        Attr::Preview(attr) => attr.describe().to_owned(),
    }
}
