//! Vectors as fragments.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Float, Kind};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::Type;
use tilewright_irs::mlir::dialects::VectorOp;
use tilewright_irs::mlir::enums::{CombiningKind, FastMath};

use tilewright_layouts::cute::{Bits, Fact, Nested};

use super::arith::flags;
use super::bits::recast;
use super::instructions::of;
use super::memory::{load_value, store_value};
use super::pointers::pointer;
use super::state::{Cx, Desugar, not_lowered};
use super::types::number;
use crate::leaf_arithmetic::{constant, resized};

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &VectorOp) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let value = match op {
        VectorOp::Extract {
            source,
            dynamic,
            position,
        } => {
            let of = cx.from.ty(*source).clone();
            let source = cx.one(*source);
            match place(pass, cx, &of, dynamic, position) {
                Some(Place::Known(from)) => match ty {
                    DesugaredType::Fragment(count, _) => {
                        let from = (from..from + count).collect();
                        cx.value(FragmentOp::Rearrange { source, from }, ty)
                    }
                    _ => cx.value(FragmentOp::Extract { source, index: from }, ty),
                },
                Some(Place::Computed(index)) => {
                    let Some(array) = array(cx, source) else {
                        return Err(not_lowered(cx, id));
                    };
                    array.store(cx, None, source)?;
                    array.load(cx, Some(index), &ty)?
                }
                None => return Err(not_lowered(cx, id)),
            }
        }
        VectorOp::Insert {
            value,
            dest,
            dynamic,
            position,
        } => {
            let of = cx.from.ty(*dest).clone();
            let (dest, value) = (cx.one(*dest), cx.one(*value));
            match place(pass, cx, &of, dynamic, position) {
                Some(Place::Known(from)) => {
                    let own = cx.ty(value).count();
                    let one = match &ty {
                        DesugaredType::Fragment(_, element) => DesugaredType::Scalar(*element),
                        _ => return Err(not_lowered(cx, id)),
                    };
                    let mut elements = Vec::new();
                    for index in 0..ty.count() {
                        elements.push(match index.checked_sub(from).filter(|at| *at < own) {
                            None => cx.value(FragmentOp::Extract { source: dest, index }, one.clone()),
                            Some(_) if !matches!(cx.ty(value), DesugaredType::Fragment(..)) => value,
                            Some(index) => {
                                cx.value(FragmentOp::Extract { source: value, index }, one.clone())
                            }
                        });
                    }
                    cx.value(FragmentOp::Make { elements }, ty)
                }
                Some(Place::Computed(index)) => {
                    let Some(array) = array(cx, dest) else {
                        return Err(not_lowered(cx, id));
                    };
                    array.store(cx, None, dest)?;
                    array.store(cx, Some(index), value)?;
                    array.load(cx, None, &ty)?
                }
                None => return Err(not_lowered(cx, id)),
            }
        }
        VectorOp::ExtractStridedSlice { source, offsets, .. } => {
            let (whole, part) = (shape(cx, *source), shape(cx, result));
            let Some(from) = slice(&whole, &offsets.0, &part) else {
                return Err(not_lowered(cx, id));
            };
            let source = cx.one(*source);
            cx.value(FragmentOp::Rearrange { source, from }, ty)
        }
        VectorOp::InsertStridedSlice {
            value, dest, offsets, ..
        } => {
            let (whole, part) = (shape(cx, *dest), shape(cx, *value));
            let first = whole.len().saturating_sub(part.len());
            let part: Vec<u64> = std::iter::repeat_n(1, first).chain(part).collect();
            let Some(places) = slice(&whole, &offsets.0, &part) else {
                return Err(not_lowered(cx, id));
            };
            let DesugaredType::Fragment(_, element) = &ty else {
                return Err(not_lowered(cx, id));
            };
            let one = DesugaredType::Scalar(*element);
            let (dest, value) = (cx.one(*dest), cx.one(*value));
            let mut elements = Vec::new();
            for index in 0..ty.count() {
                let within = (0..).zip(&places).find(|(_, place)| **place == index);
                let (source, index) = within.map_or((dest, index), |(at, _)| (value, at));
                elements.push(cx.value(FragmentOp::Extract { source, index }, one.clone()));
            }
            cx.value(FragmentOp::Make { elements }, ty)
        }
        VectorOp::ToElements { source } => {
            let source = cx.one(*source);
            let count = cx.ty(source).count();
            let elements: Vec<Value> = (0..count)
                .map(|index| cx.value(FragmentOp::Extract { source, index }, ty.clone()))
                .collect();
            cx.bind_results(id, elements);
            return Ok(());
        }
        VectorOp::Shuffle { first, second, mask } => {
            let (first, second) = (cx.one(*first), cx.one(*second));
            let count = cx.ty(first).count();
            let one = match &ty {
                DesugaredType::Fragment(_, element) => DesugaredType::Scalar(*element),
                _ => return Err(not_lowered(cx, id)),
            };
            let mut elements = Vec::new();
            for &at in mask {
                // -1 is no element at all: any will do.
                let at = u32::try_from(at).unwrap_or(0);
                let (source, index) = match at.checked_sub(count) {
                    None => (first, at),
                    Some(index) => (second, index),
                };
                elements.push(cx.value(FragmentOp::Extract { source, index }, one.clone()));
            }
            cx.value(FragmentOp::Make { elements }, ty)
        }
        VectorOp::ShapeCast { source } => cx.one(*source),
        VectorOp::Bitcast { source } => {
            let source = cx.one(*source);
            match recast(cx, source, &ty)? {
                Some(value) => value,
                None => return Err(not_lowered(cx, id)),
            }
        }
        VectorOp::OuterProduct {
            lhs,
            rhs,
            kind: CombiningKind::Add,
        } => {
            let (lhs, rhs) = (cx.one(*lhs), cx.one(*rhs));
            let (rows, columns) = (cx.ty(lhs).count(), cx.ty(rhs).count());
            let from = (0..rows).flat_map(|row| (0..columns).map(move |_| row)).collect();
            let lhs = cx.value(FragmentOp::Rearrange { source: lhs, from }, ty.clone());
            let from = (0..rows).flat_map(|_| 0..columns).collect();
            let rhs = cx.value(FragmentOp::Rearrange { source: rhs, from }, ty.clone());
            let is_float = ValueType::element(&ty).and_then(|element| element.is_float());
            let op = match is_float {
                Some(true) => ArithOp::MulF {
                    lhs,
                    rhs,
                    rounding: FloatRounding::NearestEven,
                    flush_to_zero: Flag(false),
                    fast_math: FastMathOf::NONE,
                },
                _ => ArithOp::MulI {
                    lhs,
                    rhs,
                    overflow: Overflow::Wraps,
                },
            };
            cx.value(op, ty)
        }
        VectorOp::OuterProduct { .. } => return Err(not_lowered(cx, id)),
        VectorOp::FromElements { elements } => {
            let elements = elements.iter().map(|&element| cx.one(element)).collect();
            cx.value(FragmentOp::Make { elements }, ty)
        }
        VectorOp::Broadcast { source: source_of } => {
            let source_of = *source_of;
            let source = cx.one(source_of);
            match cx.ty(source).clone() {
                DesugaredType::Fragment(..) => {
                    let (own, wide) = (shape(cx, source_of), shape(cx, result));
                    let Some(from) = stretched(&own, &wide) else {
                        return Err(not_lowered(cx, id));
                    };
                    cx.value(FragmentOp::Rearrange { source, from }, ty)
                }
                _ => cx.value(FragmentOp::Splat { source }, ty),
            }
        }
        VectorOp::MultiReduction {
            source,
            acc,
            kind,
            dims,
        } => {
            let Type::Vector(of) = cx.from.ty(*source) else {
                return Err(not_lowered(cx, id));
            };
            let shape = of.shape.clone();
            let (source, acc) = (cx.one(*source), cx.one(*acc));
            let Some(element) = ValueType::element(&ty) else {
                return Err(not_lowered(cx, id));
            };
            let one = DesugaredType::Scalar(element);
            // The elements that are combined with each of the result.
            let mut groups = vec![Vec::new(); ty.count() as usize];
            for (from, index) in (0..cx.ty(source).count()).zip(0u64..) {
                let group = left_index(&shape, dims, index).and_then(|group| groups.get_mut(group));
                let Some(group) = group else {
                    return Err(not_lowered(cx, id));
                };
                group.push(from);
            }
            let mut elements = Vec::new();
            for (index, group) in (0..).zip(groups) {
                let mut parts = vec![match ty {
                    DesugaredType::Fragment(..) => {
                        cx.value(FragmentOp::Extract { source: acc, index }, one.clone())
                    }
                    _ => acc,
                }];
                for index in group {
                    parts.push(cx.value(FragmentOp::Extract { source, index }, one.clone()));
                }
                elements.push(combined(cx, parts, *kind, FastMath::default(), &one));
            }
            match (&ty, elements.as_slice()) {
                (DesugaredType::Fragment(..), _) => cx.value(FragmentOp::Make { elements }, ty),
                (_, [only]) => *only,
                _ => return Err(not_lowered(cx, id)),
            }
        }
        VectorOp::Reduction {
            vector,
            acc,
            fastmath,
            kind,
        } => {
            let source = cx.one(*vector);
            let count = cx.ty(source).count();
            let mut parts: Vec<Value> = (0..count)
                .map(|index| cx.value(FragmentOp::Extract { source, index }, ty.clone()))
                .collect();
            if let Some(acc) = acc {
                parts.insert(0, cx.one(*acc));
            }
            combined(cx, parts, *kind, *fastmath, &ty)
        }
    };
    cx.bind(result, [value]);
    Ok(())
}

/// The extents of a vector; none of a scalar.
fn shape(cx: &Cx<'_>, vector: Value) -> Vec<u64> {
    match cx.from.ty(vector) {
        Type::Vector(vector) => vector.shape.clone(),
        _ => Vec::new(),
    }
}

/// The numbers, in row-major order, of the elements of a vector that stand in a grid of these extents, if the element at a
/// coordinate of the grid is that at `place(dimension, coordinate)` along each dimension of the vector.
fn numbers(whole: &[u64], grid: &[u64], place: impl Fn(usize, &[u64]) -> u64) -> Option<Vec<u32>> {
    let count = grid
        .iter()
        .try_fold(1u64, |count, &extent| count.checked_mul(extent))?;
    let number = |index: u64| {
        let mut rest = index;
        let mut coordinate = vec![0; grid.len()];
        for (at, &extent) in coordinate.iter_mut().zip(grid).rev() {
            *at = rest.checked_rem(extent)?;
            rest /= extent;
        }
        let places = whole.iter().enumerate();
        let number = places.fold(0, |number, (dimension, extent)| {
            number * extent + place(dimension, &coordinate)
        });
        u32::try_from(number).ok()
    };
    (0..count).map(number).collect()
}

/// Which element of a vector stands in the place of each, where it is repeated along dimensions that are added before its own,
/// and along its own of extent 1. (MLIR, `vector.broadcast`.)
fn stretched(own: &[u64], wide: &[u64]) -> Option<Vec<u32>> {
    let added = wide.len().checked_sub(own.len())?;
    numbers(own, wide, |dimension, coordinate| match own.get(dimension) {
        Some(1) | None => 0,
        Some(_) => coordinate.get(dimension + added).copied().unwrap_or(0),
    })
}

/// The elements of a vector that stand in a slice of these extents from these offsets on; the offsets of further dimensions are 0.
fn slice(whole: &[u64], offsets: &[i64], part: &[u64]) -> Option<Vec<u32>> {
    let offset = |dimension: usize| {
        offsets
            .get(dimension)
            .map_or(Some(0), |&at| u64::try_from(at).ok())
    };
    let offsets = (0..whole.len()).map(offset).collect::<Option<Vec<u64>>>()?;
    numbers(whole, part, |dimension, coordinate| {
        let [offset, at] =
            [&offsets[..], coordinate].map(|places| places.get(dimension).copied().unwrap_or(0));
        offset + at
    })
}

/// The number of an element of a vector, in row-major order, among those that are left without some dimensions.
fn left_index(shape: &[u64], dims: &[i64], mut index: u64) -> Option<usize> {
    let (mut number, mut stride) = (0, 1);
    for (at, extent) in shape.iter().enumerate().rev() {
        let place = index.checked_rem(*extent)?;
        index /= extent;
        if !i64::try_from(at).is_ok_and(|at| dims.contains(&at)) {
            number += place * stride;
            stride *= extent;
        }
    }
    usize::try_from(number).ok()
}

/// Where an element is in a vector.
enum Place {
    /// At this number.
    Known(u32),
    /// At a number of 32 bits that is computed.
    Computed(Value),
}

/// The number of the first element at a position, in row-major order.
fn place(pass: &Desugar, cx: &mut Cx<'_>, ty: &Type, dynamic: &[Value], position: &[i64]) -> Option<Place> {
    let Type::Vector(vector) = ty else { return None };
    let mut dynamic = dynamic.iter();
    let (mut known, mut computed): (u64, Option<Value>) = (0, None);
    let i32 = of(ScalarType::I32);
    let overflow = Overflow::Wraps;
    for (i, &extent) in vector.shape.iter().enumerate() {
        let own = match position.get(i).copied() {
            Some(i64::MIN) => {
                let value = *dynamic.next()?;
                pass.constant(value).ok_or(value)
            }
            at => Ok(at.unwrap_or(0)),
        };
        known = known.checked_mul(extent)?;
        if let Some(lhs) = computed {
            let rhs = constant(cx, ScalarType::I32, i64::try_from(extent).ok()?);
            computed = Some(cx.value(ArithOp::MulI { lhs, rhs, overflow }, i32.clone()));
        }
        match own {
            Ok(at) => {
                let at = u64::try_from(at).ok().filter(|at| *at < extent)?;
                known = known.checked_add(at)?;
            }
            Err(value) => {
                let value = cx.one(value);
                let own = resized(cx, value, ScalarType::I32);
                computed = Some(match computed {
                    None => own,
                    Some(lhs) => {
                        let rhs = own;
                        cx.value(ArithOp::AddI { lhs, rhs, overflow }, i32.clone())
                    }
                });
            }
        }
    }
    let known = u32::try_from(known).ok()?;
    Some(match computed {
        None => Place::Known(known),
        Some(lhs) => {
            let rhs = constant(cx, ScalarType::I32, i64::from(known));
            Place::Computed(cx.value(ArithOp::AddI { lhs, rhs, overflow }, i32))
        }
    })
}

/// An array of the thread.
struct Array {
    /// Its first element.
    pointer: Value,
    /// What it is an array of.
    element: ScalarType,
}

/// The alignment of an array of the thread.
const ALIGN: u32 = 16;

/// The public name of a float.
const fn scalar_name(scalar: ScalarType) -> Option<&'static str> {
    Some(match scalar {
        ScalarType::F16 => Float::F16.word(),
        ScalarType::BF16 => Float::BF16.word(),
        ScalarType::F32 => Float::F32.word(),
        ScalarType::F64 => Float::F64.word(),
        ScalarType::TF32 => Float::TF32.word(),
        ScalarType::F8E4M3FN => Float::F8E4M3FN.word(),
        ScalarType::F8E5M2 => Float::F8E5M2.word(),
        ScalarType::F8E8M0FNU => Float::F8E8M0FNU.word(),
        ScalarType::F4E2M1FN => Float::F4E2M1FN.word(),
        _ => return None,
    })
}

/// A new array that has room for a fragment.
fn array(cx: &mut Cx<'_>, like: Value) -> Option<Array> {
    let DesugaredType::Fragment(count, ElementType::Scalar(scalar)) = *cx.ty(like) else {
        return None;
    };
    // Truth values are bytes in memory.
    let element = match scalar {
        ScalarType::I1 => ScalarType::I8,
        scalar => scalar,
    };
    let name = match scalar_name(element) {
        Some(name) => name.to_owned(),
        None => format!("i{}", element.bits()),
    };
    let text = format!("cute.memref<{name}, rmem, align<{ALIGN}>, \"{count}:1\">");
    let view = CuteType::parse(&text).ok()?;
    let pointer = match view.kind() {
        Kind::View(view) => Kind::Pointer(view.pointer.clone()),
        _ => return None,
    };
    let array = cx.value(CuteOp::Alloca {}, DesugaredType::Cute(view));
    let pointer = cx.value(
        CuteOp::GetIter { view: array },
        DesugaredType::Cute(pointer.into()),
    );
    Some(Array { pointer, element })
}

impl Array {
    /// The pointer to an element, whose number is computed.
    fn at(&self, cx: &mut Cx<'_>, index: Option<Value>) -> Result<Value, Diagnostic<Origin>> {
        let Some(index) = index else {
            return Ok(self.pointer);
        };
        let offset: CuteType = Kind::IntTuple(Nested::Leaf(Fact::opaque(Bits::B32))).into();
        let offset = cx.value(CuteOp::Flat { leaves: vec![index] }, DesugaredType::Cute(offset));
        let of = pointer(cx, self.pointer)?;
        let ty = Kind::Pointer(of.moved(u64::from(of.element_bits()))).into();
        let pointer = self.pointer;
        Ok(cx.value(CuteOp::AddOffset { pointer, offset }, DesugaredType::Cute(ty)))
    }

    /// Stores elements, the first at a number that is computed, or at the beginning.
    fn store(&self, cx: &mut Cx<'_>, index: Option<Value>, value: Value) -> Translated {
        let at = self.at(cx, index)?;
        let own = cx.ty(value).element();
        let value = match own == Some(ElementType::Scalar(ScalarType::I1)) {
            false => value,
            true => {
                let ty = cx.ty(value).with_element(self.element.into());
                let (source, signedness) = (value, Signedness::Unsigned);
                cx.value(ArithOp::ExtI { source, signedness }, ty)
            }
        };
        store_value(cx, value, at, None)
    }

    /// Loads elements.
    fn load(
        &self,
        cx: &mut Cx<'_>,
        index: Option<Value>,
        ty: &DesugaredType,
    ) -> Result<Value, Diagnostic<Origin>> {
        let at = self.at(cx, index)?;
        let loaded = load_value(cx, at, ty.with_element(self.element.into()), None)?;
        Ok(match cx.ty(loaded) == ty {
            true => loaded,
            false => cx.value(ArithOp::TruncI { source: loaded }, ty.clone()),
        })
    }
}

/// Combines numbers: sums and products of floats in order unless they may be reordered, all others in a balanced tree.
fn combined(
    cx: &mut Cx<'_>,
    mut parts: Vec<Value>,
    kind: CombiningKind,
    fastmath: FastMath,
    ty: &DesugaredType,
) -> Value {
    let is_float = ValueType::element(ty).and_then(|element| element.is_float());
    let ordered = matches!(kind, CombiningKind::Add | CombiningKind::Mul)
        && is_float == Some(true)
        && !fastmath.has("reassoc");
    while parts.len() > 1 {
        if ordered {
            let rest = parts.split_off(2);
            let both = pair(cx, &parts, kind, fastmath, ty, is_float == Some(true));
            parts = vec![both];
            parts.extend(rest);
        } else {
            let pairs: Vec<Vec<Value>> = parts.chunks(2).map(<[Value]>::to_vec).collect();
            parts = pairs
                .iter()
                .map(|own| pair(cx, own, kind, fastmath, ty, is_float == Some(true)))
                .collect();
        }
    }
    match parts.first() {
        Some(only) => *only,
        // A vector has at least one element.
        None => cx.value(FragmentOp::Make { elements: Vec::new() }, ty.clone()),
    }
}

fn pair(
    cx: &mut Cx<'_>,
    own: &[Value],
    kind: CombiningKind,
    fastmath: FastMath,
    ty: &DesugaredType,
    is_float: bool,
) -> Value {
    let (lhs, rhs) = match own {
        [lhs, rhs] => (*lhs, *rhs),
        [one] => return *one,
        _ => {
            return cx.value(
                FragmentOp::Make {
                    elements: own.to_vec(),
                },
                ty.clone(),
            );
        }
    };
    let (rounding, flush_to_zero, overflow) = (FloatRounding::NearestEven, Flag(false), Overflow::Wraps);
    let op = match kind {
        CombiningKind::Add if is_float => ArithOp::AddF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Mul if is_float => ArithOp::MulF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Add => ArithOp::AddI { lhs, rhs, overflow },
        CombiningKind::Mul => ArithOp::MulI { lhs, rhs, overflow },
        CombiningKind::Minui => ArithOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        CombiningKind::Minsi => ArithOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Signed,
        },
        CombiningKind::Maxui => ArithOp::MaxI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        CombiningKind::Maxsi => ArithOp::MaxI {
            lhs,
            rhs,
            signedness: Signedness::Signed,
        },
        CombiningKind::And => ArithOp::AndI { lhs, rhs },
        CombiningKind::Or => ArithOp::OrI { lhs, rhs },
        CombiningKind::Xor => ArithOp::XorI { lhs, rhs },
        CombiningKind::Minnumf | CombiningKind::Minimumf => ArithOp::MinF {
            lhs,
            rhs,
            propagate_nan: Flag(matches!(kind, CombiningKind::Minimumf)),
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Maxnumf | CombiningKind::Maximumf => ArithOp::MaxF {
            lhs,
            rhs,
            propagate_nan: Flag(matches!(kind, CombiningKind::Maximumf)),
            flush_to_zero,
            fast_math: flags(fastmath),
        },
    };
    cx.value(op, ty.clone())
}
