//! Legal modules with one op changed at random, in ways that texts do not allow: does the tool refuse the same ones?

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tilewright_diagnostics::FileId;
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::{Body, OpId, Operation, Region, Value};
use tilewright_irs::cuda_tile::{
    AttrKind, AttrRef, CudaTile, DebugInfo, FieldKind, FieldRef, FieldValue, TileModule, verify_module,
};

use super::cases;
use super::oracle::{Verdict, ask, tool};

struct Random(TestRng);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        let random = usize::try_from(self.0.next_u32()).unwrap_or(0);
        random.checked_rem(n).unwrap_or(0)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len())).copied()
    }
}

/// A field as a reader would deliver it.
fn owned(field: FieldRef<'_>) -> FieldValue {
    match field {
        FieldRef::Operand(value) => FieldValue::Operand(value),
        FieldRef::OptionalOperand(None) | FieldRef::Attr(None) => FieldValue::Absent,
        FieldRef::OptionalOperand(Some(value)) => FieldValue::Operand(value),
        FieldRef::Operands(values) => FieldValue::Operands(values.to_vec()),
        FieldRef::Region(region) => FieldValue::Region(region),
        FieldRef::Flag(set) => FieldValue::Flag(set),
        FieldRef::Attr(Some(attr)) => match attr {
            AttrRef::Enum(code) => FieldValue::Enum(code),
            AttrRef::I64(number) => FieldValue::I64(number),
            AttrRef::I32(number) => FieldValue::I32(number),
            AttrRef::Bool(truth) => FieldValue::Bool(truth),
            AttrRef::String(text) => FieldValue::String(text.to_owned()),
            AttrRef::Symbol(name) => FieldValue::Symbol(name.to_owned()),
            AttrRef::I32s(list) => FieldValue::I32s(list.to_vec()),
            AttrRef::Bools(list) => FieldValue::Bools(list.to_vec()),
            AttrRef::Dense(dense) => FieldValue::Dense(dense.clone()),
            AttrRef::Predicate(predicate) => FieldValue::Predicate(predicate.clone()),
            AttrRef::Attrs(list) => FieldValue::Attrs(list.to_vec()),
            AttrRef::Hints(hints) => FieldValue::Hints(hints.clone()),
        },
    }
}

/// The ops of the outermost block, each with the values that it may use.
fn places(body: &Body<CudaTile>) -> Vec<(OpId, Vec<Value>)> {
    let Some(entry) = body.entry() else {
        return Vec::new();
    };
    let mut visible = body.params().to_vec();
    let mut places = Vec::new();
    for &id in &body.block(entry).ops {
        places.push((id, visible.clone()));
        visible.extend(body.op(id).results());
    }
    places
}

/// Changes one field, in a way that its kind allows; says how.
fn change(
    kind: FieldKind,
    value: &mut FieldValue,
    visible: &[Value],
    random: &mut Random,
) -> Option<&'static str> {
    let small = |random: &mut Random| random.pick(&[-2i64, -1, 0, 1, 2, 3, 4, 8, 16, 64, 1 << 40]);
    match (kind, &mut *value) {
        (FieldKind::OptionalOperand, FieldValue::Operand(_)) if random.below(2) == 0 => {
            *value = FieldValue::Absent;
            Some("without an operand")
        }
        (_, FieldValue::Operand(operand)) => {
            *operand = random.pick(visible)?;
            Some("another operand")
        }
        (FieldKind::OptionalOperand, FieldValue::Absent) => {
            *value = FieldValue::Operand(random.pick(visible)?);
            Some("with an operand")
        }
        (_, FieldValue::Operands(list)) => match random.below(3) {
            0 => list.pop().map(|_| "an operand less"),
            1 => {
                list.push(random.pick(visible)?);
                Some("an operand more")
            }
            _ => {
                let at = random.below(list.len());
                *list.get_mut(at)? = random.pick(visible)?;
                Some("another operand of a list")
            }
        },
        (_, FieldValue::Flag(set)) => {
            *set = !*set;
            Some("the other flag")
        }
        (FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)), _) => {
            let optional = matches!(kind, FieldKind::OptionalAttr(_));
            if optional && random.below(3) == 0 {
                *value = FieldValue::Absent;
            } else {
                *value = FieldValue::Enum(cases.cases.get(random.below(cases.cases.len()))?.code);
            }
            Some("another case")
        }
        (_, FieldValue::I64(number)) => {
            *number = small(random)?;
            Some("another number")
        }
        (_, FieldValue::I32(number)) => {
            *number = i32::try_from(small(random)?).ok()?;
            Some("another number")
        }
        (_, FieldValue::I32s(list)) => {
            let at = random.below(list.len());
            *list.get_mut(at)? = i32::try_from(small(random)?).ok()?;
            Some("another number in a list")
        }
        (_, FieldValue::Bools(list)) => {
            if random.below(2) == 0 {
                list.pop();
            } else {
                list.push(true);
            }
            Some("another number of truth values")
        }
        _ => None,
    }
}

/// Changes one op of a module; says which and how.
fn mutate(module: &mut TileModule, random: &mut Random) -> Option<String> {
    let at = random.below(module.funcs.len());
    let body = &mut module.funcs.get_mut(at)?.body;
    let places = places(body);
    let (id, visible) = places.get(random.below(places.len()))?;
    let op = body.op(*id);
    let spec = op.kind.tile_spec();
    let mut regions: Vec<Region> = Vec::new();
    op.kind.regions(&mut |region| regions.push(region));
    if random.below(4) == 0 {
        let results: Vec<Value> = op.results().collect();
        let types: Vec<_> = body.values().map(|(_, ty)| ty.clone()).collect();
        let ty = types.get(random.below(types.len()))?.clone();
        let result = random.pick(&results)?;
        let what = format!(
            "{}: the result `{ty}` instead of `{}`",
            spec.name,
            body.ty(result)
        );
        body.set_ty(result, ty);
        return Some(what);
    }
    let mut values: Vec<FieldValue> = op.kind.fields().iter().copied().map(owned).collect();
    let field = random.below(values.len());
    let declared = spec.fields.get(field)?;
    let before = format!("{:?}", values.get(field)?);
    let how = change(declared.kind, values.get_mut(field)?, visible, random)?;
    let after = values.get(field).map(|value| format!("{value:?}"))?;
    let new = (spec.build)(&mut values)?;
    body.op_mut(*id).kind = new;
    let types: Vec<String> = body
        .op(*id)
        .kind
        .operand_list()
        .iter()
        .map(|&v| body.ty(v).to_string())
        .collect();
    Some(format!(
        "{}: {how} in `{}`: {before} to {after}, operands {types:?}",
        spec.name, declared.name
    ))
}

/// `TILEWRIGHT_TILEIRDISASM=… TILEWRIGHT_MUTANTS=10000 cargo test -p tilewright-grammar --test verifier mutants`
#[test]
fn mutants_are_refused_by_both_or_by_none() {
    let Some(tool) = tool() else { return };
    let count = std::env::var("TILEWRIGHT_MUTANTS")
        .ok()
        .and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(500);
    let seed = std::env::var("TILEWRIGHT_FUZZ_SEED")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut random = Random(TestRng::from_seed(
        RngAlgorithm::ChaCha,
        &[seed.unwrap_or(7u8); 32],
    ));
    let modules: Vec<TileModule> = cases()
        .iter()
        .filter_map(|case| case.variants().into_iter().find(|(line, _)| line.is_none()))
        .map(|(_, text)| parse_tile_text(&text, FileId(0)).module)
        .filter(|module| !module.funcs.is_empty())
        .collect();
    let (mut asked, mut refused) = (0usize, 0usize);
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for _ in 0..count {
        let Some(module) = modules.get(random.below(modules.len())) else {
            continue;
        };
        let mut module = module.clone();
        let Some(what) = mutate(&mut module, &mut random) else {
            continue;
        };
        let ours = verify_module(&module).err();
        let theirs = ask(Path::new(&tool), &module, &DebugInfo::default());
        asked += usize::from(theirs != Verdict::NotWritten);
        refused += usize::from(ours.is_some());
        let agree = match &theirs {
            Verdict::NotWritten => true,
            Verdict::Accepted => ours.is_none(),
            Verdict::Refused(_) => ours.is_some(),
        };
        if !agree {
            let op = what
                .split(" in `")
                .next()
                .unwrap_or_default()
                .chars()
                .take(60)
                .collect();
            let ours = ours
                .and_then(|list| list.into_iter().next())
                .map(|problem| problem.diagnostic.message);
            wrong
                .entry(op)
                .or_default()
                .push(format!("{what}\n    tool: {theirs:?}\n    ours: {ours:?}"));
        }
    }
    let shown: Vec<String> = wrong
        .iter()
        .flat_map(|(op, list)| {
            std::iter::once(format!("{op} ({}):", list.len())).chain(list.iter().take(2).cloned())
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{asked} mutants compared, {refused} refused by us, {} differ:\n{}",
        wrong.values().map(Vec::len).sum::<usize>(),
        shown.join("\n")
    );
    assert!(asked * 2 > count);
}
