//! Hints that say nothing to anybody: unknown names, values out of range.
//!
//! A hint never changes what a program computes, and the original tools accept any; so these are warnings.

use tilewright_diagnostics::{Code, Diagnostic};

use super::ModuleProblem;
use crate::core::Origin;
use crate::cuda_tile::attrs::{Attr, Hints};
use crate::cuda_tile::declare::{AttrRef, FieldRef};
use crate::cuda_tile::module::TileModule;

/// The architectures for which hints are read.
const ARCHITECTURES: &[&str] = &[
    "default", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107", "sm_110",
    "sm_120", "sm_121",
];

/// The hints of a kernel.
const OF_KERNELS: &[&str] = &["num_cta_in_cga", "num_worker_warps_per_cta", "occupancy"];

/// The hints of a memory access.
const OF_ACCESSES: &[&str] = &["allow_tma", "latency"];

/// Warns of the hints of a module that nothing can follow, each with the kernel and the op that has it.
pub fn check_hints(module: &TileModule) -> Vec<ModuleProblem> {
    let mut problems = Vec::new();
    for (index, func) in module.funcs.iter().enumerate() {
        let mut report = |origin: Origin, messages: Vec<String>| {
            problems.extend(messages.into_iter().map(|message| {
                let diagnostic = Diagnostic::warning(Code::AttributeValue, message).at(origin, "");
                ModuleProblem::new(Some(index), diagnostic)
            }));
        };
        if let Some(hints) = &func.attrs.optimization_hints {
            report(Origin::FUNCTION, wrong(hints, OF_KERNELS));
        }
        for id in func.body.walk() {
            let op = func.body.op(id);
            for field in op.kind.fields().iter() {
                if let FieldRef::Attr(Some(AttrRef::Hints(hints))) = field {
                    report(op.origin, wrong(hints, OF_ACCESSES));
                }
            }
        }
    }
    problems
}

fn wrong(hints: &Hints, known: &[&str]) -> Vec<String> {
    let mut messages = Vec::new();
    for (architecture, dict) in &hints.0 {
        if !ARCHITECTURES.contains(&architecture.as_str()) {
            messages.push(format!(
                "unknown architecture `{architecture}` as the key of a hint"
            ));
            continue;
        }
        for (name, value) in &dict.0 {
            if !known.contains(&name.as_str()) {
                messages.push(format!("`{name}` is no hint here, expected {}", known.join(", ")));
            } else if let Err(expected) = fits(architecture, name, value) {
                messages.push(format!("the hint `{architecture}.{name}` must be {expected}"));
            }
        }
    }
    messages
}

/// Whether a hint may have this value; if not, what it must be.
fn fits(architecture: &str, name: &str, value: &Attr) -> Result<(), String> {
    let number = match value {
        Attr::Number(literal) if !literal.ty.is_float() => Some(literal.signed()),
        _ => None,
    };
    let range = |least: i64, most: i64| match number {
        Some(n) if (least..=most).contains(&n) => Ok(n),
        Some(n) => Err(format!("an integer value from {least} to {most}, not {n}")),
        None => Err("an integer value".to_owned()),
    };
    let power = |most: i64| match range(1, most) {
        Ok(n) if n.count_ones() == 1 => Ok(()),
        Ok(n) => Err(format!("a power-of-two of at most {most}, not {n}")),
        Err(_) if number.is_some() => Err(format!("a power-of-two of at most {most}")),
        Err(expected) => Err(expected),
    };
    match name {
        "num_cta_in_cga" if matches!(architecture, "sm_80" | "sm_86" | "sm_87" | "sm_88" | "sm_89") => {
            match number {
                Some(1) => Ok(()),
                _ => Err("1: the architecture has no clusters".to_owned()),
            }
        }
        "num_cta_in_cga" => power(16),
        "num_worker_warps_per_cta" => power(32),
        "occupancy" => range(1, 32).map(|_| ()),
        "latency" => range(1, 10).map(|_| ()),
        _ => match value {
            Attr::Bool(_) => Ok(()),
            _ => Err("a truth value".to_owned()),
        },
    }
}
