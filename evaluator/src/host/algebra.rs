//! Ops of `cute` on tuples, layouts, views and atoms.
//!
//! What an op computes follows from its inference of types: with the numbers of the operands put into their types, the type
//! of the result says its numbers. Ops that are not inferred so are evaluated here one by one.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Operation, Value};
use tilewright_irs::cute_types::{CuteType, Kind, Pointer, Space, View};
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::{Attribute, Class, FieldView, Type, infer};
use tilewright_layouts::cute::{CuteError, Fact, Nested, Part, SlotOf, Stride};

use super::frame::{Frame, Op};
use super::leaves::{field_of, numbers_of, with_numbers};
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
        // The value has the layout first, then the offset and what is applied last.
        CuteOp::MakeComposedLayout { inner, offset, outer } => {
            one(gathered(frame, op, &[*outer, *offset, *inner])?)
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
        CuteOp::AddOffset { src, offset } => match frame.cute(*src)?.kind() {
            Kind::Pointer(pointer) => {
                let offset = number(frame, *offset)?;
                one(vec![moved(frame.field(*src)?, pointer, offset)?])
            }
            _ => inferred(frame, op),
        },
        CuteOp::RecastIter { src } => one(frame.fields(*src)?.to_vec()),
        CuteOp::Assume { src } | CuteOp::Derefine { src } => one(retyped(frame, op, *src)?),
        CuteOp::Inttoptr { src } => one(vec![pointer(frame, op, *src)?]),
        CuteOp::Ptrtoint { src } => one(vec![Field::Integer(address(frame, op, *src)?)]),
        CuteOp::GetScalars {
            cute_value,
            only_dynamic,
        } => scalars(frame, *cute_value, only_dynamic.0),
        CuteOp::ElemLess { lhs, rhs } => {
            let (a, b) = (tuple(frame, *lhs)?, tuple(frame, *rhs)?);
            let (a, b) = congruent(&a, &b)?;
            let less = a.iter().zip(&b).all(|(a, b)| a < b);
            Ok(vec![Integer::truth(less).into()])
        }
        CuteOp::Equal { lhs, rhs } => {
            let (a, b) = (numbered(frame, *lhs)?, numbered(frame, *rhs)?);
            Ok(vec![Integer::truth(equal(&a, &b)?).into()])
        }
        CuteOp::Slice { input, coord } => match numbered(frame, *input)?.kind() {
            Kind::View(view) => {
                let coord = numbered(frame, *coord)?;
                let Kind::Coord(coord) = coord.kind() else {
                    return Err(unknown(op));
                };
                let part = Part::slice(view.layout.layout(), coord);
                one(part_of(frame, op, *input, view, part)?)
            }
            _ => inferred(frame, op),
        },
        CuteOp::LocalTile {
            input,
            tile,
            coord,
            proj: None,
        } => match numbered(frame, *input)?.kind() {
            Kind::View(view) => {
                let (tile, coord) = (numbered(frame, *tile)?, numbered(frame, *coord)?);
                let (Kind::Tile(tiler), Kind::Coord(coord)) = (tile.kind(), coord.kind()) else {
                    return Err(unknown(op));
                };
                let part = view.layout.layout().local_tile(tiler, coord);
                one(part_of(frame, op, *input, view, part)?)
            }
            _ => inferred(frame, op),
        },
        CuteOp::MmaMakeFragment { .. } => {
            let ty = frame.result(op)?;
            match ty {
                // Where tensor memory begins is known in the kernel alone: here the fragment says its size.
                Type::Cute(ty) if is_in(ty, Space::Tensor) => {
                    let start = Field::Integer(Integer::new(32, 0));
                    inferred_from(frame, op, Some(&start))
                }
                _ => Err(unknown(op)),
            }
        }
        CuteOp::KernelSmemSize { kernel_name } => {
            let kernel = super::launch::kernel(frame.module, kernel_name)?;
            let bytes = (frame.shared_bytes)(&kernel.name)
                .ok_or_else(|| unsupported(format_args!("the shared memory of kernel `{}`", kernel.name)))?;
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

/// The numbers of a value of `cute`, put into its type.
fn numbered(frame: &Frame<'_>, value: Value) -> Outcome<CuteType> {
    with_numbers(frame.cute(value)?, frame.fields(value)?)
}

/// A tuple of integers, of any kind.
fn tuple(frame: &Frame<'_>, value: Value) -> Outcome<Nested<i64>> {
    let ty = numbered(frame, value)?;
    let known = |fact: &Fact| fact.value().ok_or(());
    let numbers = match ty.kind() {
        Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => of.try_map(&mut |leaf| known(leaf)),
        Kind::Coord(of) => of.try_map(&mut |slot| match slot {
            SlotOf::At(leaf) => known(leaf),
            SlotOf::All => Err(()),
        }),
        Kind::Stride(of) => of.try_map(&mut |stride| stride.as_integer().ok_or(()).and_then(known)),
        _ => Err(()),
    };
    numbers.map_err(|()| unsupported(format_args!("`{ty}` as a tuple of integers")))
}

/// The leaves of two tuples that are nested alike.
fn congruent(a: &Nested<i64>, b: &Nested<i64>) -> Outcome<(Vec<i64>, Vec<i64>)> {
    match a.congruent(b) {
        true => Ok((a.leaves().copied().collect(), b.leaves().copied().collect())),
        false => Err(unsupported("operands that are not nested alike")),
    }
}

/// The one number of a tuple, or an integer.
fn number(frame: &Frame<'_>, value: Value) -> Outcome<i64> {
    let number = match frame.ty(value) {
        Type::Cute(ty) if !matches!(ty.kind(), Kind::Integer(_)) => match tuple(frame, value)? {
            Nested::Leaf(number) => Some(number),
            Nested::Tuple(_) => None,
        },
        _ => i64::try_from(frame.integer(value)?.signed()).ok(),
    };
    number.ok_or_else(|| unsupported(format_args!("`{}` as an integer", frame.ty(value))))
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
    let address = match ty.kind() {
        Kind::View(_) | Kind::DescriptorView(_) => fields.first().cloned(),
        // What an atom has is fixed by the op that makes it.
        Kind::Copy(_) | Kind::Mma(_) | Kind::TiledCopy(_) | Kind::TiledMma(_) | Kind::FastDivisor(_) => {
            return Ok(fields);
        }
        _ => None,
    };
    let numbers = numbers_of(ty, &with_numbers(ty, &fields)?)?;
    let known: Vec<Field> = address.into_iter().chain(numbers).collect();
    match known.len() == fields.len() {
        true => Ok(known),
        false => Err(unsupported(format_args!(
            "{} numbers for `{ty}`, which leaves {} open",
            fields.len(),
            known.len()
        ))),
    }
}

/// A layout of a shape whose modes follow each other in memory, the first one fastest. A stride that the type says is not
/// computed.
fn compact(frame: &Frame<'_>, op: &Op, shape: Value) -> Outcome<Vec<Field>> {
    let Type::Cute(ty) = frame.result(op)? else {
        return Err(unknown(op));
    };
    let Kind::Layout(layout) = ty.kind() else {
        return Err(unknown(op));
    };
    let mut fields = frame.fields(shape)?.to_vec();
    let extents: Vec<i64> = tuple(frame, shape)?.leaves().copied().collect();
    let mut step = Some(1i128);
    for (stride, extent) in layout.stride().leaves().zip(extents) {
        if stride.factor().value().is_none() {
            let step =
                step.ok_or_else(|| Fault::new(Code::UndefinedResult, "a stride of more than 127 bits"))?;
            fields.extend(field_of(*stride.factor(), step, ty)?);
        }
        step = step.and_then(|step| step.checked_mul(i128::from(extent)));
    }
    fitted(ty, fields)
}

/// A value of which the result's type says more or less.
fn retyped(frame: &Frame<'_>, op: &Op, source: Value) -> Outcome<Vec<Field>> {
    let ty = frame.result(op)?;
    let fields = frame.fields(source)?;
    match (frame.ty(source), ty) {
        (_, Type::Cute(to)) if matches!(to.kind(), Kind::Integer(_)) => {
            let number = frame.integer(source)?;
            if let Kind::Integer(known) = to.kind() {
                let fact = Fact::dynamic(known.width, known.divisor);
                if known.power_of_two && !number.unsigned().is_power_of_two() {
                    let message = format!("{} is no power of two, as `{to}` says", number.signed());
                    return Err(Fault::new(Code::BrokenPromise, message));
                }
                return Ok(field_of(fact, number.signed(), to)?.into_iter().collect());
            }
            Err(unknown(op))
        }
        (Type::Cute(from), Type::Cute(to)) => match (from.kind(), to.kind()) {
            (Kind::Pointer(_), Kind::Pointer(_)) => Ok(fields.to_vec()),
            (Kind::View(_), Kind::View(_)) => {
                let numbers = numbers_of(to, &numbered(frame, source)?)?;
                Ok(fields.iter().take(1).cloned().chain(numbers).collect())
            }
            _ => numbers_of(to, &numbered(frame, source)?),
        },
        _ => Ok(fields.to_vec()),
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
        Field::Float(..) | Field::Vector(_) => Err(unknown(op)),
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

/// A part of a view.
fn part_of(
    frame: &Frame<'_>,
    op: &Op,
    input: Value,
    view: &View,
    part: Result<Part<Fact>, CuteError>,
) -> Outcome<Vec<Field>> {
    let refused = |error: CuteError| Fault::new(Code::UndefinedResult, error.to_string());
    let (layout, start) = view.layout.part(&part.map_err(refused)?).map_err(refused)?;
    let start = match start {
        Nested::Leaf(start) => start.value(),
        Nested::Tuple(_) => None,
    };
    let start = start.ok_or_else(|| unknown(op))?;
    let first = frame.fields(input)?.first().ok_or_else(|| unknown(op))?;
    let address = moved(first, &view.pointer, start)?;
    let Type::Cute(ty) = frame.result(op)? else {
        return Err(unknown(op));
    };
    let Kind::View(result) = ty.kind() else {
        return Err(unknown(op));
    };
    let found = CuteType::from(Kind::View(View {
        pointer: result.pointer.clone(),
        layout,
    }));
    Ok([address].into_iter().chain(numbers_of(ty, &found)?).collect())
}

/// The leaves of a tuple as integers.
fn scalars(frame: &Frame<'_>, value: Value, only_dynamic: bool) -> Outcome<Vec<Runtime>> {
    let facts: Vec<Fact> = match frame.cute(value)?.kind() {
        Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => of.leaves().copied().collect(),
        Kind::Coord(of) => of
            .leaves()
            .filter_map(|slot| match slot {
                SlotOf::At(leaf) => Some(*leaf),
                SlotOf::All => None,
            })
            .collect(),
        Kind::Stride(of) => of.leaves().map(|stride| *stride.factor()).collect(),
        _ => return Err(unsupported(format_args!("the numbers of `{}`", frame.ty(value)))),
    };
    let mut fields = frame.fields(value)?.iter();
    let mut scalars = Vec::new();
    for fact in facts {
        match fact {
            Fact::Static(number) => {
                if !only_dynamic {
                    let width = super::leaves::width(fact.width());
                    scalars.push(Integer::new(width, i128::from(number)).into());
                }
            }
            Fact::Dynamic { .. } => {
                let missing = || Fault::broken("a tuple with fewer numbers than its type leaves open");
                scalars.push(fields.next().cloned().ok_or_else(missing)?.into());
            }
        }
    }
    Ok(scalars)
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
fn inferred(frame: &Frame<'_>, op: &Op) -> Outcome<Vec<Runtime>> {
    let first = op.kind.operand_list().first().copied();
    let begins = first.and_then(|value| match frame.ty(value) {
        Type::Cute(ty) if matches!(ty.kind(), Kind::View(_) | Kind::Pointer(_)) => {
            frame.fields(value).ok()?.first()
        }
        _ => None,
    });
    inferred_from(frame, op, begins.cloned().as_ref())
}

/// The same, where a result that is in memory begins at this address.
fn inferred_from(frame: &Frame<'_>, op: &Op, begins: Option<&Field>) -> Outcome<Vec<Runtime>> {
    let found = infer_with_numbers(frame, op)?;
    let mut results = Vec::new();
    for (result, found) in op.results().zip(found) {
        let (Type::Cute(ty), Type::Cute(found)) = (frame.ty(result), &found) else {
            return Err(unknown(op));
        };
        let numbers = numbers_of(ty, found)?;
        let fields = match ty.kind() {
            Kind::View(_) | Kind::Pointer(_) => {
                let begins = begins.cloned().ok_or_else(|| unknown(op))?;
                [begins].into_iter().chain(numbers).collect()
            }
            _ => numbers,
        };
        results.push(Runtime::Fields(fields));
    }
    Ok(results)
}

/// The types of an op's results, from those of its operands with their numbers.
pub(super) fn infer_with_numbers(frame: &Frame<'_>, op: &Op) -> Outcome<Vec<Type>> {
    let mut operands = Vec::new();
    for value in op.kind.operand_list() {
        operands.push(match frame.ty(value) {
            Type::Cute(ty) if !matches!(ty.kind(), Kind::Integer(_)) => {
                Type::Cute(with_numbers(ty, frame.fields(value)?)?)
            }
            _ => {
                let number = Fact::Static(number(frame, value)?);
                Type::Cute(Kind::IntTuple(Nested::Leaf(number)).into())
            }
        });
    }
    let spec = op.kind.mlir_spec();
    let views = op.kind.views();
    let properties: Vec<(&str, Attribute)> = spec
        .fields
        .iter()
        .zip(&views)
        .filter_map(|(field, view)| match view {
            FieldView::Property(value) => Some((field.name, value.clone())),
            FieldView::Absent | FieldView::Operands(_) | FieldView::Region(_) => None,
        })
        .collect();
    infer(spec.name, &operands, &properties).map_err(|why| Fault::new(Code::UndefinedResult, why))
}
