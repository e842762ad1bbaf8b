//! Variants of texts with other field values and other types.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::FileId;
use tilewright_irs::core::{Body, OpId, Origin, Value};
use tilewright_irs::cuda_tile::{
    Attr, AttrKind, CudaTile, DebugInfo, Dict, FieldKind, FieldValue, Hints, Predicate, TileFieldSpec,
    TileModule, TileOp, verify_module,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;

use super::Case;
use super::owned::owned;
use super::salvage::sound;
use crate::preview::parse_tile_text;

/// Strings that are hard to print.
pub(crate) const STRINGS: &[&str] = &[
    "",
    "plain",
    "it \"holds\" %5d\\%%\n\ttab",
    "\u{0}\u{1}\u{7f}",
    "ä 語 🙂",
    "// no remark",
    "a\\0Ab",
];

/// Hints with keys in alphabetical order, as in texts.
fn hints() -> Vec<Hints> {
    let number = |ty, bits| Attr::Number(Literal::new(ty, bits));
    let one = |key: &str, list: Vec<(&str, Attr)>| {
        let list = list.into_iter().map(|(key, value)| (key.to_owned(), value));
        (key.to_owned(), Dict(list.collect()))
    };
    let latency = number(ScalarType::I32, 3);
    let list = Attr::Array(vec![number(ScalarType::I8, 0x80), Attr::String("s".to_owned())]);
    let inner = Attr::Dict(Dict(vec![("k".to_owned(), number(ScalarType::F64, 0))]));
    vec![
        Hints(vec![one("sm_90", vec![("latency", latency.clone())])]),
        Hints(vec![one(
            "sm_100",
            vec![("allow_tma", Attr::Bool(false)), ("latency", latency.clone())],
        )]),
        Hints(vec![
            one("default", vec![("latency", latency)]),
            one("sm_107", Vec::new()),
            one("sm_90", vec![("allow_tma", Attr::Bool(true))]),
        ]),
        // Unknown hints are kept.
        Hints(vec![one(
            "unheard_of",
            vec![
                ("a", Attr::String("\"".to_owned())),
                ("more", inner),
                ("types", list),
            ],
        )]),
    ]
}

fn predicates() -> Vec<Predicate> {
    let mut list = Vec::new();
    for divisor in [1, 16, 1 << 62] {
        for every in [None, Some(4)] {
            for along in [None, Some(0), Some(1)] {
                list.push(Predicate::DivBy {
                    divisor,
                    every,
                    along,
                });
            }
        }
    }
    for groups in [vec![], vec![2], vec![1, 4], vec![4, 4, 4]] {
        list.push(Predicate::SameElements(groups));
    }
    for bound in [None, Some(-3), Some(0), Some(i64::MAX)] {
        for lower in [None, Some(i64::MIN), Some(-5)] {
            list.push(Predicate::Bounded { lower, upper: bound });
        }
    }
    list
}

/// The other values of a field; `visible` are the values available as operands, of which one of each type is tried.
fn values_of(
    field: &TileFieldSpec,
    value: &FieldValue,
    body: &Body<CudaTile>,
    visible: &[Value],
) -> Vec<FieldValue> {
    let kind = field.kind;
    match kind {
        FieldKind::Operand | FieldKind::Region | FieldKind::Operands => Vec::new(),
        FieldKind::OptionalOperand => {
            let mut types = FxHashSet::default();
            let operands = visible.iter().rev().copied().filter(|&value| {
                let ty = body.ty(value);
                field.constraint.admits(ty) && types.insert(ty.clone())
            });
            let operands = operands.map(FieldValue::Operand);
            std::iter::once(FieldValue::Absent).chain(operands).collect()
        }
        FieldKind::Flag => vec![FieldValue::Flag(false), FieldValue::Flag(true)],
        FieldKind::Attr(attr) | FieldKind::OptionalAttr(attr) => {
            let mut list = attribute_values(attr, value);
            if matches!(kind, FieldKind::OptionalAttr(_)) {
                list.push(FieldValue::Absent);
            }
            list
        }
    }
}

fn attribute_values(kind: AttrKind, value: &FieldValue) -> Vec<FieldValue> {
    match kind {
        AttrKind::Enum(cases) => cases
            .cases
            .iter()
            .map(|case| FieldValue::Enum(case.code))
            .collect(),
        AttrKind::I64 => [1, 2, 4, 16, 64, 1 << 20].map(FieldValue::I64).to_vec(),
        AttrKind::I32 => [0, 1, 2].map(FieldValue::I32).to_vec(),
        AttrKind::Bool => vec![FieldValue::Bool(false), FieldValue::Bool(true)],
        AttrKind::String => STRINGS
            .iter()
            .map(|&text| FieldValue::String(text.to_owned()))
            .collect(),
        AttrKind::Bools => match value {
            FieldValue::Bools(list) => {
                let bits = |pattern: usize| (0..list.len()).map(|i| pattern >> i & 1 == 1).collect();
                (0..8).map(|pattern| FieldValue::Bools(bits(pattern))).collect()
            }
            _ => Vec::new(),
        },
        AttrKind::Predicate => predicates().into_iter().map(FieldValue::Predicate).collect(),
        AttrKind::Hints => hints().into_iter().map(FieldValue::Hints).collect(),
        AttrKind::Attrs => match value {
            FieldValue::Attrs(list) => {
                let with = |bits: u64| {
                    let items = list.iter().map(|item| match item {
                        Attr::Number(number) => {
                            Attr::Number(Literal::new(number.ty, bits & number.ty.mask()))
                        }
                        other => other.clone(),
                    });
                    FieldValue::Attrs(items.collect())
                };
                // Zeros, NaN, infinities, the largest and the smallest numbers of most types.
                [
                    0,
                    u64::MAX,
                    0x8000_0000_8000_8080,
                    0x7FF0_0000_7F80_7C7C,
                    0x3FF0_0000_3F80_3C38,
                ]
                .map(with)
                .to_vec()
            }
            _ => Vec::new(),
        },
        // Constants are generated separately; the rest refers to values or dimensions.
        AttrKind::Dense | AttrKind::Symbol | AttrKind::I32s | AttrKind::Exprs => Vec::new(),
    }
}

/// The op with other values in its fields: first each field alone, then combined with the others.
fn variants_of(body: &Body<CudaTile>, id: OpId, visible: &[Value]) -> Vec<TileOp> {
    let op = &body.op(id).kind;
    let spec = op.tile_spec();
    let base: Vec<FieldValue> = op.fields().iter().copied().map(owned).collect();
    let lists: Vec<Vec<FieldValue>> = spec
        .fields
        .iter()
        .zip(&base)
        .map(|(field, value)| values_of(field, value, body, visible))
        .collect();
    let mut found = Vec::new();
    let mut add = |mut values: Vec<FieldValue>| {
        if let Some(new) = (spec.build)(&mut values)
            && new != *op
        {
            found.push(new);
        }
    };
    for (field, list) in lists.iter().enumerate() {
        for value in list {
            let mut values = base.clone();
            if let Some(place) = values.get_mut(field) {
                *place = value.clone();
            }
            add(values.clone());
            // Pairs of short lists.
            for (other, list) in lists.iter().enumerate().skip(field + 1) {
                for value in list.iter().filter(|_| list.len() <= 8) {
                    let mut values = values.clone();
                    if let Some(place) = values.get_mut(other) {
                        *place = value.clone();
                    }
                    add(values);
                }
            }
        }
    }
    found
}

/// The ops of a body with the values available to each, and those of the variants that the verifier accepts.
fn accepted(module: &TileModule, func: usize) -> Vec<(OpId, Vec<TileOp>)> {
    let Some(body) = module.funcs.get(func).map(|func| &func.body) else {
        return Vec::new();
    };
    let mut visible = body.params().to_vec();
    let mut list = Vec::new();
    let entry = body
        .entry()
        .map(|entry| body.block(entry).ops.clone())
        .unwrap_or_default();
    for id in body.walk() {
        let variants = variants_of(body, id, &visible);
        list.push((id, variants));
        if entry.contains(&id) {
            visible.extend(body.op(id).results());
        }
    }
    // Tries all first values at once, then all second ones, and so on; refused ones are dropped. Most are tried with
    // the neighbours that they have in the end, since many are refused.
    let mut kept: Vec<(OpId, Vec<TileOp>)> = list.iter().map(|(id, _)| (*id, Vec::new())).collect();
    let most = list.iter().map(|(_, variants)| variants.len()).max().unwrap_or(0);
    for round in 0..most {
        let mut trial = module.clone();
        let Some(body) = trial.funcs.get_mut(func).map(|func| &mut func.body) else {
            continue;
        };
        for (id, variants) in &list {
            if let Some(variant) = variants.get(round) {
                body.op_mut(*id).kind = variant.clone();
            }
        }
        let problems = verify_module(&trial).err().unwrap_or_default();
        let refused: FxHashSet<Origin> = problems
            .iter()
            .filter_map(|problem| problem.diagnostic.primary.as_ref().map(|label| label.at))
            .collect();
        if refused.contains(&Origin::FUNCTION) {
            continue;
        }
        for ((id, variants), (_, kept)) in list.iter().zip(&mut kept) {
            let origin = module.funcs.get(func).map(|func| func.body.op(*id).origin);
            if let Some(variant) = variants.get(round)
                && !origin.is_some_and(|origin| refused.contains(&origin))
                && !kept.contains(variant)
            {
                kept.push(variant.clone());
            }
        }
    }
    kept
}

/// The module of a text, with other field values in each round.
pub(crate) fn rounds(name: &str, text: &str, most: usize) -> Vec<Case> {
    let module = parse_tile_text(text, FileId(0)).module;
    let lists: Vec<_> = (0..module.funcs.len())
        .map(|func| accepted(&module, func))
        .collect();
    let needed = lists
        .iter()
        .flatten()
        .map(|(_, variants)| variants.len())
        .max()
        .unwrap_or(0);
    let mut cases = vec![case(format!("{name} as it is"), module.clone())];
    for round in 0..needed.min(most) {
        let mut changed = module.clone();
        for (func, list) in changed.funcs.iter_mut().zip(&lists) {
            for (id, variants) in list {
                // Ops with fewer values repeat them.
                if let Some(variant) = round.checked_rem(variants.len()).and_then(|at| variants.get(at)) {
                    func.body.op_mut(*id).kind = variant.clone();
                }
            }
        }
        // Two changes that are valid alone may be invalid together: those of one op of a pair are reverted.
        if verify_module(&changed).is_err() {
            revert(&mut changed, &module);
        }
        if verify_module(&changed).is_ok() {
            cases.push(case(format!("{name}, round {round}"), changed));
        }
    }
    cases
}

/// Reverts the changes of refused ops.
fn revert(changed: &mut TileModule, module: &TileModule) {
    for _ in 0..20 {
        let Err(problems) = verify_module(changed) else {
            return;
        };
        for problem in problems {
            let at = problem.diagnostic.primary.as_ref().map(|label| label.at);
            let funcs = problem
                .func
                .and_then(|func| Some((changed.funcs.get_mut(func)?, module.funcs.get(func)?)));
            if let (Some((func, old)), Some(at)) = (funcs, at) {
                let ids: Vec<OpId> = old
                    .body
                    .ops()
                    .filter(|(_, op)| op.origin == at)
                    .map(|(id, _)| id)
                    .collect();
                for id in ids {
                    func.body.op_mut(id).kind = old.body.op(id).kind.clone();
                }
            }
        }
    }
}

fn case(name: String, module: TileModule) -> Case {
    Case {
        name,
        module,
        debug: DebugInfo::default(),
    }
}

/// The module of a text with one element type replaced by another, as far as it is valid.
pub(crate) fn types(name: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut seen = FxHashSet::default();
    let common = [ScalarType::F32, ScalarType::I32, ScalarType::F16, ScalarType::I8];
    for from in &common {
        for to in ScalarType::ALL {
            let changed = exchanged(text, &from.to_string(), &to.to_string());
            if from == to || changed == *text {
                continue;
            }
            let Some(sound) = sound(changed) else { continue };
            if seen.insert(sound.clone()) {
                let module = parse_tile_text(&sound, FileId(0)).module;
                cases.push(case(format!("{name}, {to} for {from}"), module));
            }
        }
    }
    cases
}

/// Replaces one word by another where it is alone or follows extents; numbers get a decimal point if a float type
/// replaces an integer type, and lose it in the other direction.
fn exchanged(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let tail = after.get(from.len()..).unwrap_or_default();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let alone = !tail.starts_with(word)
            && (!before.ends_with(|c: char| word(c) || c == '%') || before.ends_with('x'));
        out.push_str(if alone { to } else { from });
        rest = tail;
    }
    out.push_str(rest);
    let number = |ty: &str| !ty.starts_with('i');
    match (number(from), number(to)) {
        (true, false) => out.replace(&format!("<{to}: 1.0>"), &format!("<{to}: 1>")),
        (false, true) => out.replace(&format!("<{to}: 1>"), &format!("<{to}: 1.0>")),
        _ => out,
    }
}
