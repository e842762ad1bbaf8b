//! Random changes of an op that texts cannot express.

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tilewright_irs::core::{Operation, ResultCount, Value};
use tilewright_irs::cuda_tile::{
    Attr, AttrKind, AttrRef, FieldKind, FieldRef, FieldValue, Predicate, TileModule, TileOp, TileOpSpec,
    TileType,
};

use crate::fields::{fields, places};

pub(super) struct Random(TestRng);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        let random = usize::try_from(self.0.next_u32()).unwrap_or(0);
        random.checked_rem(n).unwrap_or(0)
    }

    pub(super) fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len())).cloned()
    }

    fn small(&mut self) -> i64 {
        let numbers = [
            -2i64,
            -1,
            0,
            1,
            2,
            3,
            4,
            8,
            16,
            64,
            256,
            1 << 31,
            1 << 40,
            1 << 62,
            i64::MIN,
        ];
        self.pick(&numbers).unwrap_or(0)
    }
}

/// Content that modules may take from each other.
#[derive(Default)]
pub(super) struct Pool {
    types: Vec<TileType>,
    attrs: Vec<Attr>,
    predicates: Vec<Predicate>,
}

impl Pool {
    /// Collects the content of these modules.
    pub(super) fn of(modules: &[TileModule]) -> Self {
        let mut pool = Self::default();
        for body in modules
            .iter()
            .flat_map(|module| &module.funcs)
            .map(|func| &func.body)
        {
            for (_, ty) in body.values() {
                if !pool.types.contains(ty) {
                    pool.types.push(ty.clone());
                }
            }
            for (_, op) in body.ops() {
                for field in op.kind.fields().iter() {
                    match field {
                        FieldRef::Attr(Some(AttrRef::Predicate(predicate))) => {
                            pool.predicates.push((*predicate).clone());
                        }
                        FieldRef::Attr(Some(AttrRef::Attrs(list))) => pool.attrs.extend(list.iter().cloned()),
                        _ => {}
                    }
                }
            }
        }
        pool
    }
}

/// Changes one field in a way that its kind allows; returns a description.
fn change(
    kind: FieldKind,
    value: &mut FieldValue,
    visible: &[Value],
    pool: &Pool,
    random: &mut Random,
) -> Option<&'static str> {
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
            *number = random.small();
            Some("another number")
        }
        (_, FieldValue::I32(number)) => {
            *number = i32::try_from(random.small()).ok()?;
            Some("another number")
        }
        (_, FieldValue::I32s(list)) => {
            match random.below(3) {
                0 => drop(list.pop()?),
                1 => list.push(0),
                _ => {
                    let at = random.below(list.len());
                    *list.get_mut(at)? = i32::try_from(random.small()).ok()?;
                }
            }
            Some("another list of numbers")
        }
        (_, FieldValue::Bools(list)) => {
            if random.below(2) == 0 {
                list.pop();
            } else {
                list.push(true);
            }
            Some("another number of truth values")
        }
        (_, FieldValue::Predicate(predicate)) => {
            *predicate = random.pick(&pool.predicates)?;
            match predicate {
                Predicate::DivBy {
                    divisor,
                    every,
                    along,
                } => match random.below(4) {
                    0 => *divisor = random.small().cast_unsigned(),
                    1 => *every = Some(random.small()),
                    2 => *along = Some(random.small()),
                    _ => {}
                },
                Predicate::SameElements(list) => match random.below(3) {
                    0 => list.push(random.small()),
                    1 => drop(list.pop()),
                    _ => {}
                },
                Predicate::Bounded { lower, upper } => match random.below(3) {
                    0 => *lower = Some(random.small()),
                    1 => *upper = Some(random.small()),
                    _ => {}
                },
            }
            Some("another predicate")
        }
        (_, FieldValue::Attrs(list)) => {
            let other = random.pick(&pool.attrs)?;
            match random.below(3) {
                0 => drop(list.pop()?),
                1 => list.push(other),
                _ => {
                    let at = random.below(list.len());
                    *list.get_mut(at)? = other;
                }
            }
            Some("another list of attributes")
        }
        (_, FieldValue::Symbol(name)) => {
            name.push('x');
            Some("another symbol")
        }
        (_, FieldValue::String(text)) => {
            text.push_str(random.pick(&[
                "%", "%d", "%%", "%lld", "%5.3f", "%z", "% d", "%\n", "x", "%*d", "%-08.3e",
            ])?);
            Some("another string")
        }
        _ => None,
    }
}

/// Another op with fields of the same kinds.
fn relative(spec: &TileOpSpec, results: usize, random: &mut Random) -> Option<&'static TileOpSpec> {
    let kinds = |spec: &TileOpSpec| spec.fields.iter().map(|field| field.kind).collect::<Vec<_>>();
    let like: Vec<_> = TileOp::tile_specs()
        .filter(|other| other.name != spec.name && kinds(other) == kinds(spec))
        .filter(|other| match other.result_count {
            ResultCount::Exactly(count) => count == results,
            ResultCount::Any => true,
        })
        .collect();
    random.pick(&like)
}

/// Changes one op of a module; returns a description.
pub(super) fn mutate(module: &mut TileModule, pool: &Pool, random: &mut Random) -> Option<String> {
    let at = random.below(module.funcs.len());
    let body = &mut module.funcs.get_mut(at)?.body;
    let places = places(body);
    let place = places.get(random.below(places.len()))?;
    let op = body.op(place.op);
    let spec = op.kind.tile_spec();
    match random.below(8) {
        0 | 1 => {
            let mut values: Vec<Value> = op.results().collect();
            op.kind.regions(&mut |region| {
                for &block in &body.region(region).blocks {
                    values.extend(&body.block(block).args);
                }
            });
            let ty = random.pick(&pool.types)?;
            let value = random.pick(&values)?;
            let what = format!("{}: `{ty}` instead of `{}`", spec.name, body.ty(value));
            body.set_ty(value, ty);
            return Some(what);
        }
        2 => {
            let mut values: Vec<FieldValue> = fields(body, place.op);
            let other = relative(spec, op.results().len(), random)?;
            let new = (other.build)(&mut values)?;
            body.op_mut(place.op).kind = new;
            return Some(format!("{}: instead of {}", other.name, spec.name));
        }
        _ => {}
    }
    let mut values: Vec<FieldValue> = fields(body, place.op);
    let field = random.below(values.len());
    let declared = spec.fields.get(field)?;
    let before = format!("{:?}", values.get(field)?);
    let how = change(
        declared.kind,
        values.get_mut(field)?,
        &place.visible,
        pool,
        random,
    )?;
    let after = values.get(field).map(|value| format!("{value:?}"))?;
    let new = (spec.build)(&mut values)?;
    body.op_mut(place.op).kind = new;
    let operands = body.op(place.op).kind.operand_list();
    let types: Vec<String> = operands.iter().map(|&v| body.ty(v).to_string()).collect();
    Some(format!(
        "{}: {how} in `{}`: {before} to {after}, operands {types:?}",
        spec.name, declared.name
    ))
}
