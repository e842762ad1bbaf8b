//! Ops of `cute` on tuples, layouts, views and atoms.
//!
//! What most ops compute is what inference of types says of their results, with the numbers of the operands. Ops whose text
//! says the type of the result, and those on other values than tuples and layouts, are evaluated here one by one.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Operation, Value};
use tilewright_irs::cute_types::infer::Computed;
use tilewright_irs::cute_types::{CuteType, Kind, Pointer, Space, ValueType};
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::{Class, Type, compute, shared_bytes};
use tilewright_layouts::cute::{Fact, Nested, Stride, Traced};

use super::frame::{Frame, Op};
use super::leaves::{field_of, has_iterator, numbered, open_leaves, open_numbers, retyped};
use super::value::{Address, Field, Integer, Runtime};
use super::{divisor, print, unknown, unsupported};
use crate::fault::{Fault, Outcome};

pub(super) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &CuteOp) -> Outcome<Vec<Runtime>> {
    let one = |fields: Vec<Field>| Ok(vec![Runtime::Fields(fields)]);
    match kind {
        CuteOp::MakeCoord {
            dynamic_elements: values,
        }
        | CuteOp::MakeIntTuple {
            dynamic_elements: values,
        }
        | CuteOp::MakeShape {
            dynamic_elements: values,
        }
        | CuteOp::MakeStride {
            dynamic_elements: values,
        }
        | CuteOp::MakeTile {
            dynamic_elements: values,
        }
        | CuteOp::MakeAtom { values } => one(gathered(frame, op, values)?),
        CuteOp::Static {} => one(gathered(frame, op, &[])?),
        CuteOp::MakeArithTupleIter { value } => one(gathered(frame, op, value.as_slice())?),
        CuteOp::MakeTiledCopy { atom } | CuteOp::MakeTiledCopyV2 { atom } | CuteOp::MakeTiledMma { atom } => {
            one(gathered(frame, op, &[*atom])?)
        }
        CuteOp::MakeView { iter, layout } => {
            let parts: Vec<Value> = [*iter].into_iter().chain(*layout).collect();
            one(gathered(frame, op, &parts)?)
        }
        CuteOp::MakeComposedLayout { inner, offset, outer } => {
            one(gathered(frame, op, &[*inner, *offset, *outer])?)
        }
        CuteOp::MakeLayout {
            shape: Some(shape),
            stride: None,
        } => one(compact(frame, op, *shape)?),
        CuteOp::MakeLayout { shape, stride } => {
            let parts: Vec<Value> = [*shape, *stride].into_iter().flatten().collect();
            one(gathered(frame, op, &parts)?)
        }
        CuteOp::GetIter { source } => match frame.cute(*source)?.kind() {
            Kind::View(_) | Kind::DescriptorView(_) => {
                one(frame.fields(*source)?.iter().take(1).cloned().collect())
            }
            _ => inferred(frame, op),
        },
        CuteOp::RecastIter { src } => one(frame.fields(*src)?.to_vec()),
        CuteOp::Assume { src } | CuteOp::Derefine { src } => one(said(frame, op, *src)?),
        CuteOp::Inttoptr { src } => one(vec![pointer(frame, op, *src)?]),
        CuteOp::Ptrtoint { src } => one(vec![Field::Integer(address(frame, op, *src)?)]),
        CuteOp::GetScalars { .. } => inferred(frame, op),
        CuteOp::ElemLess { .. } => {
            let (inputs, computed) = computed(frame, op)?;
            let pairs = computed.into_iter().next().and_then(|result| result.compared);
            let pairs = pairs.ok_or_else(|| unknown(op))?;
            let mut less = true;
            for (a, b) in pairs {
                less &= evaluated(&a, &inputs)? < evaluated(&b, &inputs)?;
            }
            Ok(vec![Integer::truth(less).into()])
        }
        CuteOp::Equal { lhs, rhs } => {
            let (a, b) = (known(frame, *lhs)?, known(frame, *rhs)?);
            Ok(vec![Integer::truth(equal(&a, &b)?).into()])
        }
        CuteOp::MmaMakeFragment { .. } => match frame.result(op)? {
            Type::Cute(ty) => match ty.kind() {
                // Where tensor memory begins is known in the kernel alone: here the fragment says its size.
                Kind::View(view) if view.pointer.space() == Space::Tensor => {
                    let start = Field::Integer(Integer::new(32, 0));
                    inferred_from(frame, op, Some((start, &view.pointer)))
                }
                _ => Err(unknown(op)),
            },
            _ => Err(unknown(op)),
        },
        CuteOp::KernelSmemSize { kernel_name } => {
            let kernel = super::launch::kernel(frame.module, kernel_name)?;
            let bytes = shared_bytes(kernel).map_err(|problem| {
                let message = format!(
                    "the shared memory of kernel `{}`: {}",
                    kernel.name, problem.message
                );
                Fault::new(problem.code, message)
            })?;
            Ok(vec![Integer::new(64, i128::from(bytes)).into()])
        }
        CuteOp::Print {
            values,
            fmt,
            operand_signed,
        } => {
            let text = print::format(
                frame,
                values,
                fmt.as_deref(),
                operand_signed.as_deref().unwrap_or_default(),
            )?;
            frame.printed.push_str(&text);
            Ok(Vec::new())
        }
        CuteOp::FastDivmodCreateDivisor { divisor } => one(divisor::create(frame.integer(*divisor)?)?),
        CuteOp::FastDivmodGetDivisor { fast_divmod_divisor } => {
            Ok(vec![divisor::parts(frame, *fast_divmod_divisor)?[0].into()])
        }
        CuteOp::FastDivmodGetAux { divisor } => {
            let [_, multiplier, first, second] = divisor::parts(frame, *divisor)?;
            Ok(vec![multiplier.into(), first.into(), second.into()])
        }
        CuteOp::FastDivmodMakeDivisor {
            divisor,
            multiplier,
            sh1,
            sh2,
        } => one(gathered(frame, op, &[*divisor, *multiplier, *sh1, *sh2])?),
        CuteOp::FastDivmodCompute { dividend, divisor } => {
            let (quotient, remainder) = divisor::divide(frame, *dividend, *divisor)?;
            Ok(vec![quotient.into(), remainder.into()])
        }
        CuteOp::FastDivmodDivide { dividend, divisor } => {
            Ok(vec![divisor::divide(frame, *dividend, *divisor)?.0.into()])
        }
        CuteOp::MemrefLoad { src, .. } if matches!(frame.cute(*src)?.kind(), Kind::CoordTensor(_)) => {
            inferred(frame, op)
        }
        _ => match op.kind.mlir_spec().class {
            Class::Algebra | Class::Checked | Class::Typing => inferred(frame, op),
            Class::Memory | Class::Helper | Class::Other => Err(unknown(op)),
        },
    }
}

/// The type of a value of `cute` with the value's numbers.
pub(super) fn known(frame: &Frame<'_>, value: Value) -> Outcome<CuteType> {
    let numbers = open_numbers(frame.ty(value), frame.fields(value)?)?;
    Ok(numbered(frame.cute(value)?, &numbers))
}

/// A value of the type of the op's result, of the fields of these operands.
fn gathered(frame: &Frame<'_>, op: &Op, parts: &[Value]) -> Outcome<Vec<Field>> {
    let mut fields = Vec::new();
    for &part in parts {
        fields.extend(frame.fields(part)?.iter().cloned());
    }
    match frame.result(op)? {
        Type::Cute(ty) => fitted(ty, fields),
        _ => Err(unknown(op)),
    }
}

/// The fields, which are what the type leaves open.
fn fitted(ty: &CuteType, fields: Vec<Field>) -> Outcome<Vec<Field>> {
    let iterator = match ty.kind() {
        // What an atom has is fixed by the op that makes it.
        Kind::Copy(_) | Kind::Mma(_) | Kind::TiledCopy(_) | Kind::TiledMma(_) | Kind::FastDivisor(_) => {
            return Ok(fields);
        }
        kind => usize::from(has_iterator(kind)),
    };
    let open = open_leaves(ty);
    if fields.len() != iterator + open.len() {
        return Err(unsupported(format_args!(
            "{} numbers for `{ty}`, which leaves {} open",
            fields.len(),
            iterator + open.len()
        )));
    }
    let mut known: Vec<Field> = fields.iter().take(iterator).cloned().collect();
    for (fact, field) in open.into_iter().zip(fields.iter().skip(iterator)) {
        let number = field.integer();
        let number = number.ok_or_else(|| unsupported(format_args!("such a number in `{ty}`")))?;
        known.extend(field_of(fact, number.signed(), ty)?);
    }
    if let Kind::Shape(_) | Kind::Layout(_) = ty.kind() {
        positive(&numbered(ty, &open_numbers(&Type::Cute(ty.clone()), &known)?))?;
    }
    Ok(known)
}

/// Checks that extents are positive.
fn positive(ty: &CuteType) -> Outcome<()> {
    let shape = match ty.kind() {
        Kind::Shape(shape) => shape.clone(),
        Kind::Layout(layout) => layout.shape(),
        _ => return Ok(()),
    };
    match shape
        .leaves()
        .filter_map(|leaf| leaf.value())
        .find(|extent| *extent < 1)
    {
        None => Ok(()),
        Some(extent) => {
            let message = format!("`{ty}` has the extent {extent}; extents are 1 or more");
            Err(Fault::new(Code::UndefinedResult, message))
        }
    }
}

/// A layout of a shape whose modes follow each other in memory, the first one fastest. A stride that the type says is not
/// computed.
fn compact(frame: &Frame<'_>, op: &Op, shape: Value) -> Outcome<Vec<Field>> {
    let Type::Cute(ty) = frame.result(op)? else {
        return Err(unknown(op));
    };
    let (Kind::Layout(layout), Kind::Shape(extents)) = (ty.kind(), known(frame, shape)?.kind().clone())
    else {
        return Err(unknown(op));
    };
    let mut fields = frame.fields(shape)?.to_vec();
    let mut step = Some(1i128);
    for (stride, extent) in layout.stride().leaves().zip(extents.leaves()) {
        if stride.factor().value().is_none() {
            let too_far = || Fault::new(Code::UndefinedResult, "a stride of more than 127 bits");
            fields.extend(field_of(*stride.factor(), step.ok_or_else(too_far)?, ty)?);
        }
        let extent = i128::from(extent.value().unwrap_or(0));
        step = step.and_then(|step| step.checked_mul(extent));
    }
    fitted(ty, fields)
}

/// A value of which the result's type says more or less.
fn said(frame: &Frame<'_>, op: &Op, source: Value) -> Outcome<Vec<Field>> {
    let fields = frame.fields(source)?;
    let Type::Cute(to) = frame.result(op)? else {
        return Ok(fields.to_vec());
    };
    match (frame.ty(source), to.kind()) {
        (_, Kind::Integer(known)) => {
            let number = frame.integer(source)?;
            if known.power_of_two && !number.unsigned().is_power_of_two() {
                let message = format!("{} is no power of two, as `{to}` says", number.signed());
                return Err(Fault::new(Code::BrokenPromise, message));
            }
            let fact = Fact::dynamic(known.width, known.divisor);
            Ok(field_of(fact, number.signed(), to)?.into_iter().collect())
        }
        (Type::Cute(from), _) => {
            let numbers = open_numbers(frame.ty(source), fields)?;
            let iterator = fields.iter().take(usize::from(has_iterator(to.kind()))).cloned();
            Ok(iterator.chain(retyped(to, from, &numbers)?).collect())
        }
        _ => Err(unknown(op)),
    }
}

fn is_in(ty: &CuteType, space: Space) -> bool {
    match ty.kind() {
        Kind::View(view) => view.pointer.space() == space,
        Kind::Pointer(pointer) => pointer.space() == space,
        _ => false,
    }
}

/// An integer as a pointer: in tensor memory a number of 32 bits, else an address.
fn pointer(frame: &Frame<'_>, op: &Op, source: Value) -> Outcome<Field> {
    let number = frame.integer(source)?;
    match frame.result(op)? {
        Type::Cute(ty) if is_in(ty, Space::Tensor) => Ok(Field::Integer(Integer::new(32, number.signed()))),
        _ => {
            let offset = Integer::new(64, number.unsigned().cast_signed()).signed();
            let offset = i64::try_from(offset).unwrap_or_default();
            Ok(Field::Address(Address { base: None, offset }))
        }
    }
}

/// A pointer as an integer. The address of an argument is not known before the launch.
fn address(frame: &Frame<'_>, op: &Op, source: Value) -> Outcome<Integer> {
    let width = super::frame::width_of(frame.result(op)?).ok_or_else(|| unknown(op))?;
    match frame.field(source)? {
        Field::Integer(integer) => Ok(Integer::new(width, integer.signed())),
        Field::Address(Address { base: None, offset }) => Ok(Integer::new(width, i128::from(*offset))),
        Field::Address(Address {
            base: Some(argument), ..
        }) => Err(unsupported(format_args!(
            "the address of argument {argument} as a number: it is not known before the launch"
        ))),
        Field::Float(..) | Field::Vector(_) | Field::Map(_) => Err(unknown(op)),
    }
}

/// A pointer so many elements further.
fn moved(field: &Field, pointer: &Pointer, elements: i64) -> Outcome<Field> {
    let bits = elements.checked_mul(i64::from(pointer.element_bits()));
    let bytes = bits.filter(|bits| bits % 8 == 0).map(|bits| bits / 8);
    let address = match field {
        Field::Address(address) => *address,
        _ => {
            return Err(unsupported(format_args!(
                "an offset of a pointer to {}",
                pointer.space().word()
            )));
        }
    };
    let offset = bytes.and_then(|bytes| address.offset.checked_add(bytes));
    let too_far = || {
        unsupported(format_args!(
            "an offset of {elements} elements of {} bits",
            pointer.element_bits()
        ))
    };
    Ok(Field::Address(Address {
        offset: offset.ok_or_else(too_far)?,
        ..address
    }))
}

/// Whether two values are equal: in nesting, and in each number.
fn equal(a: &CuteType, b: &CuteType) -> Outcome<bool> {
    Ok(match (a.kind(), b.kind()) {
        (Kind::IntTuple(a) | Kind::Shape(a), Kind::IntTuple(b) | Kind::Shape(b)) => a == b,
        (Kind::Coord(a), Kind::Coord(b)) => a == b,
        (Kind::Stride(a), Kind::Stride(b)) => a == b,
        (Kind::Layout(a), Kind::Layout(b)) => a == b,
        (Kind::Composed(a), Kind::Composed(b)) => a == b,
        (Kind::Tile(a), Kind::Tile(b)) => a == b,
        _ => return Err(unsupported(format_args!("the comparison of `{a}` and `{b}`"))),
    })
}

/// The results of an op whose types follow from those of its operands.
pub(super) fn inferred(frame: &Frame<'_>, op: &Op) -> Outcome<Vec<Runtime>> {
    let mut operands = op.kind.operand_list().into_iter();
    let begins = operands.find_map(|value| match frame.ty(value) {
        Type::Cute(ty) => match ty.kind() {
            Kind::View(view) => Some((value, &view.pointer)),
            Kind::Pointer(pointer) => Some((value, pointer)),
            _ => None,
        },
        _ => None,
    });
    let begins = match begins {
        Some((value, pointer)) => frame.fields(value)?.first().map(|field| (field.clone(), pointer)),
        None => None,
    };
    inferred_from(frame, op, begins)
}

/// The same, where a result that is in memory begins there, or so far from it as inference says.
fn inferred_from(frame: &Frame<'_>, op: &Op, begins: Option<(Field, &Pointer)>) -> Outcome<Vec<Runtime>> {
    let (inputs, computed) = computed(frame, op)?;
    let mut results = Vec::new();
    for (result, computed) in op.results().zip(computed) {
        let ty = frame.ty(result);
        let leaves = computed.leaves.iter();
        let numbers: Vec<i64> = leaves
            .map(|leaf| evaluated(leaf, &inputs))
            .collect::<Outcome<_>>()?;
        results.push(Runtime::Fields(match (ty, &computed.ty) {
            (Type::Cute(ty), ValueType::Cute(found)) => {
                let iterator = match ty.kind() {
                    Kind::View(_) | Kind::Pointer(_) => {
                        let (begins, pointer) = begins.as_ref().ok_or_else(|| unknown(op))?;
                        Some(start(begins, pointer, computed.start.as_ref(), &inputs)?)
                    }
                    Kind::DescriptorView(_) | Kind::Descriptor(_) => return Err(unknown(op)),
                    _ => None,
                };
                iterator
                    .into_iter()
                    .chain(retyped(ty, found, &numbers)?)
                    .collect()
            }
            (Type::Integer(_, width), _) => match numbers.as_slice() {
                [number] => vec![Field::Integer(Integer::new(*width, i128::from(*number)))],
                _ => return Err(unknown(op)),
            },
            _ => return Err(unknown(op)),
        }));
    }
    Ok(results)
}

/// Where a result begins.
fn start(
    begins: &Field,
    pointer: &Pointer,
    start: Option<&Nested<Traced>>,
    inputs: &[i64],
) -> Outcome<Field> {
    match start {
        None => Ok(begins.clone()),
        Some(Nested::Leaf(start)) => match evaluated(start, inputs)? {
            0 => Ok(begins.clone()),
            elements => moved(begins, pointer, elements),
        },
        Some(Nested::Tuple(_)) => Err(unsupported("an offset of several numbers in memory")),
    }
}

/// The numbers of an op's operands, and how its results are computed from these.
fn computed(frame: &Frame<'_>, op: &Op) -> Outcome<(Vec<i64>, Vec<Computed>)> {
    let (mut inputs, mut operands) = (Vec::new(), Vec::new());
    for value in op.kind.operand_list() {
        let ty = frame.ty(value);
        inputs.extend(open_numbers(ty, frame.fields(value)?)?);
        operands.push(ty.clone());
    }
    let computed = compute(
        frame.dialect,
        op.kind.mlir_spec().name,
        &operands,
        &op.kind.properties(),
    );
    computed
        .map(|computed| (inputs, computed))
        .map_err(|why| Fault::new(Code::UndefinedResult, why))
}

/// The value of a leaf for the numbers of the inputs.
fn evaluated(leaf: &Traced, inputs: &[i64]) -> Outcome<i64> {
    let input = |number: u32| {
        let known = usize::try_from(number).ok().and_then(|number| inputs.get(number));
        known.copied().unwrap_or_default()
    };
    let overflow = || {
        Fault::new(
            Code::UndefinedResult,
            format!("a number `{leaf}` is divided by 0, or has more than 64 bits"),
        )
    };
    leaf.evaluate(&input).ok_or_else(overflow)
}
