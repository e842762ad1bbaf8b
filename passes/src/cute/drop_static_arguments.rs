//! Drops the parameters of a kernel whose types say all there is to know of their values.
//!
//! In: `cute`. Out: `cute` in which every parameter [is passed](is_passed) at a launch; a use of one that was dropped is a
//! use of `cute.static` of its type. Which parameters are left follows from their types, so launches need no list of them.
//! The attributes of parameters (`arg_attrs`) are dropped with them.
//! Ill-formed: nothing.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, Operation, Origin, SideTable, Value};
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::{Attribute, Dictionary, Mlir, is_passed};

use crate::cleanup::substitute::Substitute;

/// Drops parameters that their types say; see [the module](self).
///
/// # Errors
/// None.
pub fn drop_static_arguments(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let Some(entry) = func.body.entry() else {
        return Ok(func);
    };
    let params = func.body.params().to_vec();
    let passed: Vec<bool> = params
        .iter()
        .map(|&param| is_passed(func.body.ty(param)))
        .collect();
    if passed.iter().all(|&passed| passed) {
        return Ok(func);
    }

    let ops = func.body.block(entry).ops.clone();
    let mut table: SideTable<Value, Value> = func.body.value_table();
    let mut order = Vec::with_capacity(ops.len() + params.len());
    for (&param, _) in params.iter().zip(&passed).filter(|(_, passed)| !**passed) {
        let ty = func.body.ty(param).clone();
        let op = func.body.add_op(
            entry,
            CuteOp::Static {}.into(),
            [ty],
            Origin::FUNCTION,
            Dictionary::default(),
        );
        table.set(param, func.body.op(op).result(0));
        order.push(op);
    }
    order.extend(ops);
    for op in func.body.walk() {
        func.body.op_mut(op).kind.remap(&mut Substitute(&table));
    }
    func.body.arrange_ops(entry, order);
    func.body.arrange_args(entry, chosen(&params, &passed));
    func.attrs.attributes = without_dropped(&func.attrs.attributes, &passed);
    func.body = func.body.renumbered();
    Ok(func)
}

/// The attributes of a kernel, without those of dropped parameters.
fn without_dropped(attributes: &Dictionary, passed: &[bool]) -> Dictionary {
    let kept = attributes.entries().iter().filter_map(|(name, value)| {
        let value = match (&**name, value) {
            ("arg_attrs", Attribute::Array(items)) => {
                let items = chosen(items, passed);
                let has_any =
                    |item: &Attribute| !matches!(item, Attribute::Dictionary(own) if own.is_empty());
                if !items.iter().any(has_any) {
                    return None;
                }
                Attribute::Array(items.into())
            }
            _ => value.clone(),
        };
        Some((name.clone(), value))
    });
    Dictionary::new(kept.collect())
}

/// The items that are marked.
fn chosen<T: Clone>(items: &[T], marks: &[bool]) -> Vec<T> {
    let marked = items.iter().zip(marks).filter(|(_, mark)| **mark);
    marked.map(|(item, _)| item.clone()).collect()
}
