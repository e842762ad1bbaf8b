//! Errors that only bytecode can express, because the text parser infers the omitted types: operands and results of
//! unsupported type classes, invalid enum values. Each error names the operand, result or attribute, the value found
//! and the value expected.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::bytecode;
use tilewright_irs::core::{Body, Value};
use tilewright_irs::cuda_tile::{
    AttrKind, Constraint, CudaTile, DebugInfo, FieldKind, FieldValue, TileModule, TileOp, TileType, Version,
    verify_module,
};

use super::cases;
use super::fields::{Place, fields, places};
use crate::preview::{self, parse_tile_text};

/// The expected diagnostic of a changed module.
struct Wanted {
    what: String,
    code: Code,
    message: String,
}

/// Writes a module that violates one rule, reads it, and checks its diagnostics.
fn check(module: &TileModule, wanted: &Wanted, wrong: &mut Vec<String>) {
    let Wanted { what, code, message } = wanted;
    let bytes = match bytecode::write(module, &DebugInfo::default(), Version::LATEST) {
        Ok(bytes) => bytes,
        Err(problems) => {
            wrong.push(format!("{what}: not written: {}", problems[0].diagnostic.message));
            return;
        }
    };
    let read = match preview::read(&bytes, FileId(0)) {
        Ok(read) => read,
        // The elements of a constant cannot be read without their type.
        Err(_) if what == "constant: result result" => return,
        Err(problems) => {
            wrong.push(format!("{what}: not read: {}", problems[0].message));
            return;
        }
    };
    let said = verify_module(&read.module).err().unwrap_or_default();
    let found = said
        .iter()
        .any(|problem| problem.diagnostic.code == *code && problem.diagnostic.message.contains(message));
    if !found {
        let said: Vec<_> = said.iter().map(|problem| &problem.diagnostic.message).collect();
        wrong.push(format!("{what}: lacks {code} {message}\n    but says {said:?}"));
    }
}

/// The visible types outside of the constraint: the first of each kind.
fn refused(body: &Body<CudaTile>, visible: &[Value], constraint: Constraint) -> Vec<Value> {
    let mut kinds = FxHashSet::default();
    let kind = |ty: &TileType| match ty {
        TileType::Tile(tile) => (0, tile.shape.is_empty(), tile.element.scalar()),
        TileType::TensorView(_) => (1, false, None),
        TileType::PartitionView(_) => (2, false, None),
        TileType::StridedView(_) => (3, false, None),
        TileType::GatherScatterView(_) => (4, false, None),
        TileType::Token => (5, false, None),
    };
    let fits = |value: &&Value| !constraint.admits(body.ty(**value)) && kinds.insert(kind(body.ty(**value)));
    visible.iter().filter(fits).copied().collect()
}

/// The operands of a field.
fn operands(field: &FieldValue) -> Vec<Value> {
    match field {
        FieldValue::Operand(value) => vec![*value],
        FieldValue::Operands(values) => values.clone(),
        _ => Vec::new(),
    }
}

fn with_first(field: &FieldValue, value: Value) -> FieldValue {
    match field {
        FieldValue::Operands(values) => {
            let rest = values.iter().skip(1).copied();
            FieldValue::Operands(std::iter::once(value).chain(rest).collect())
        }
        _ => FieldValue::Operand(value),
    }
}

/// The module with one op changed.
fn changed(module: &TileModule, place: &Place, mut fields: Vec<FieldValue>) -> Option<TileModule> {
    let mut module = module.clone();
    let body = &mut module.funcs.first_mut()?.body;
    let build = body.op(place.op).kind.tile_spec().build;
    body.op_mut(place.op).kind = build(&mut fields)?;
    Some(module)
}

/// The violations covered so far, by op and field.
type Seen = FxHashSet<(&'static str, String)>;

/// Violates the constraints of each operand, result and enum of an op that are not covered yet.
fn break_op(module: &TileModule, place: &Place, seen: &mut Seen, wrong: &mut Vec<String>) -> Option<usize> {
    let body = &module.funcs.first()?.body;
    let op = body.op(place.op);
    let spec = op.kind.tile_spec();
    let own = fields(body, place.op);
    let mut count = 0;
    let mut number = 0;
    for (i, (declared, field)) in spec.fields.iter().zip(&own).enumerate() {
        let first = number;
        number += operands(field).len();
        if !operands(field).is_empty() && !seen.contains(&(spec.name, declared.name.to_owned())) {
            for value in refused(body, &place.visible, declared.constraint) {
                let mut list = own.clone();
                list[i] = with_first(field, value);
                let message = format!(
                    "'cuda_tile.{}' op operand #{first} (`{}`) must be {}, but got `{}`",
                    spec.name,
                    declared.name,
                    declared.constraint.describe(),
                    body.ty(value)
                );
                let wanted = Wanted {
                    what: format!("{}: {}", spec.name, declared.name),
                    code: Code::OperandType,
                    message,
                };
                check(&changed(module, place, list)?, &wanted, wrong);
                seen.insert((spec.name, declared.name.to_owned()));
                count += 1;
            }
        }
        if let FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)) =
            declared.kind
            && !declared.allowed.is_empty()
            && seen.insert((spec.name, declared.name.to_owned()))
        {
            for case in cases
                .cases
                .iter()
                .filter(|case| !declared.allowed.contains(&case.code))
            {
                let mut list = own.clone();
                list[i] = FieldValue::Enum(case.code);
                let wanted = Wanted {
                    what: format!("{}: {} {}", spec.name, declared.name, case.word),
                    code: Code::AttributeValue,
                    message: format!("attribute `{}` is {}, expected ", declared.name, case.word),
                };
                check(&changed(module, place, list)?, &wanted, wrong);
                count += 1;
            }
        }
    }
    for (i, value) in op.results().enumerate() {
        let declared = spec.results.get(i).or(spec.results.first())?;
        let name = format!("result {}", declared.name);
        if seen.contains(&(spec.name, name.clone())) {
            continue;
        }
        for other in refused(body, &place.visible, declared.constraint) {
            let mut module = module.clone();
            let ty = body.ty(other).clone();
            let message = format!(
                "'cuda_tile.{}' op result #{i} (`{}`) must be {}, but got `{ty}`",
                spec.name,
                declared.name,
                declared.constraint.describe()
            );
            module.funcs.first_mut()?.body.set_ty(value, ty);
            let wanted = Wanted {
                what: format!("{}: {name}", spec.name),
                code: Code::OperandType,
                message,
            };
            check(&module, &wanted, wrong);
            seen.insert((spec.name, name.clone()));
            count += 1;
        }
    }
    Some(count)
}

#[test]
fn a_token_of_print_is_newer_than_13_1() {
    let text = |operand: &str| {
        format!(
            "entry @k(%n: tile<i32>) {{\n  %t = make_token : token\n  %u = print_tko \"%i\", %n{operand} : tile<i32> -> token\n}}\n"
        )
    };
    let write = |operand: &str, version: Version| {
        let parsed = parse_tile_text(&text(operand), FileId(0));
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        bytecode::write(&parsed.module, &DebugInfo::default(), version)
    };
    assert!(write("", Version::V13_1).is_ok());
    assert!(write(" token=%t", Version::V13_2).is_ok());
    let problems = write(" token=%t", Version::V13_1).expect_err("a token too early");
    assert!(problems[0].diagnostic.message.contains("token"), "{problems:?}");
}

#[test]
fn each_operand_result_and_case_is_refused_in_bytecode_too() {
    let (mut seen, mut wrong, mut count) = (Seen::default(), Vec::new(), 0usize);
    for case in cases() {
        let text = case.with_only(None);
        let parsed = parse_tile_text(&text, FileId(0));
        if !parsed.diagnostics.is_empty() || parsed.module.funcs.len() != 1 {
            continue;
        }
        let body = &parsed.module.funcs[0].body;
        for place in places(body) {
            count += break_op(&parsed.module, &place, &mut seen, &mut wrong).unwrap_or(0);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let unseen: Vec<String> = TileOp::tile_specs()
        .flat_map(|spec| {
            let operands = spec.fields.iter().filter(|field| match field.kind {
                FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands => {
                    field.constraint != Constraint::Any
                }
                FieldKind::Attr(AttrKind::Enum(_)) | FieldKind::OptionalAttr(AttrKind::Enum(_)) => {
                    !field.allowed.is_empty()
                }
                _ => false,
            });
            let operands = operands.map(|field| field.name.to_owned());
            let results = spec
                .results
                .iter()
                .filter(|result| result.constraint != Constraint::Any);
            let results = results.map(|result| format!("result {}", result.name));
            let all: Vec<_> = operands.chain(results).map(|name| (spec.name, name)).collect();
            all
        })
        .filter(|field| !seen.contains(field))
        .map(|(op, field)| format!("{op}: {field}"))
        .collect();
    assert_eq!(unseen, [""; 0], "{count} modules");
}
