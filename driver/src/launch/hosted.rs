//! Binds the command line's arguments to the parameters of a host function, and the launches of one to its arrays.

use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_evaluator::host::{HostArgument, HostLaunch, Number, Packed};
use tilewright_irs::core::Func;
use tilewright_irs::cute_types::{Element, Kind, Pointer, ViewLayout};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::{Mlir, Type};
use tilewright_layouts::cute::{Bits, Fact, Stride};

use super::arguments::{Bound, Given, ReadFile, Wanted, bad, is_array, load, scalar, split_offset, to_u64};
use super::npy::Array;
use super::{Parameter, PointerField};

/// The alignment of an array on every device, in bytes.
const ALIGNED: u64 = 256;

/// The arguments of a host function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hosted {
    /// What the function is given, one for each of its parameters.
    pub arguments: Vec<HostArgument>,
    /// The arrays.
    pub bound: Bound,
    /// For each parameter, the array whose address it has, and how far from it, in bytes.
    addresses: Vec<Option<(usize, u64)>>,
}

impl Hosted {
    /// Binds arguments to the parameters of a function, in order. The stream is none of them.
    ///
    /// # Errors
    /// A diagnostic about the first argument that does not fit its parameter, or about the number of arguments.
    pub fn bind(
        given: &[Given],
        function: &Func<Mlir>,
        seed: u64,
        read_file: &ReadFile<'_>,
    ) -> Result<Self, Diagnostic<Location>> {
        let mut hosted = Self::default();
        let params = function
            .body
            .params()
            .iter()
            .map(|param| function.body.ty(*param));
        let wanted: Vec<&Type> = params.clone().filter(|ty| **ty != Type::Stream).collect();
        if wanted.len() != given.len() {
            let types: Vec<_> = wanted
                .iter()
                .enumerate()
                .map(|(at, ty)| format!("{at}: {ty}"))
                .collect();
            let message = format!(
                "host function `{}` has {} besides the stream, and is given {}",
                function.name,
                counted(wanted.len(), "parameter"),
                counted(given.len(), "argument")
            );
            let problem = Diagnostic::error(Code::ArgumentCount, message);
            return Err(types.into_iter().fold(problem, Diagnostic::note));
        }
        let mut given = given.iter().enumerate();
        for ty in params {
            if *ty == Type::Stream {
                hosted.arguments.push(HostArgument::Stream);
                hosted.addresses.push(None);
                continue;
            }
            match given.next() {
                Some((at, Given::Arg(text))) => hosted.give(at, text, ty, seed, read_file)?,
                Some((at, Given::Array(text))) => {
                    return Err(bad(at, text, "a host function takes an array with --arg"));
                }
                None => {}
            }
        }
        Ok(hosted)
    }

    fn give(
        &mut self,
        at: usize,
        text: &str,
        ty: &Type,
        seed: u64,
        read_file: &ReadFile<'_>,
    ) -> Result<(), Diagnostic<Location>> {
        let wrong = |why: &str| bad(at, text, &format!("it is no `{ty}`: {why}"));
        let (pointer, layout) = match ty {
            Type::Cute(cute) => match cute.kind() {
                Kind::View(view) => (&view.pointer, Some(&view.layout)),
                Kind::Pointer(pointer) => (pointer, None),
                kind => {
                    let numbers = tuple(text, kind).map_err(|why| wrong(&why))?;
                    self.numbers(numbers);
                    return Ok(());
                }
            },
            _ => {
                let number = number(text, ty).map_err(|why| wrong(&why))?;
                self.numbers(vec![number]);
                return Ok(());
            }
        };
        let (array_text, order) = split_order(text).map_err(|why| wrong(&why))?;
        if !is_array(array_text) {
            return Err(wrong("it is no array"));
        }
        let (array_text, offset) = split_offset(array_text).map_err(|why| wrong(&why))?;
        let seed = seed.wrapping_add(to_u64(at));
        let buffer = load(&mut self.bound, at, array_text, seed, read_file)?;
        let Some(array) = self.bound.buffers.get(buffer) else {
            return Ok(());
        };
        let element = scalar_of(pointer);
        let dtype = array.dtype.seen_as(element);
        if let Some(element) = element
            && !dtype.holds(element)
        {
            return Err(wrong(&format!("it holds {}", array.dtype.name())));
        }
        aligned(pointer, offset).map_err(|why| wrong(&why))?;
        let numbers = match layout {
            None => Vec::new(),
            Some(ViewLayout::Composed(_)) => return Err(wrong("an array has no swizzle")),
            Some(ViewLayout::Plain(layout)) => {
                let shape: Vec<Fact> = layout.shape().leaves().copied().collect();
                let stride: Vec<Fact> = layout.stride().leaves().map(|stride| *stride.factor()).collect();
                let dimensions = dimensions(array, order.as_deref()).map_err(|why| wrong(&why))?;
                described(&shape, &stride, &dimensions).map_err(|why| wrong(&why))?
            }
        };
        self.bound.owners.push(Some((buffer, dtype)));
        self.arguments.push(HostArgument::Value {
            address: true,
            numbers: numbers.into_iter().map(Number::Integer).collect(),
        });
        self.addresses.push(Some((buffer, offset)));
        Ok(())
    }

    fn numbers(&mut self, numbers: Vec<Number>) {
        self.bound.owners.push(None);
        self.addresses.push(None);
        self.arguments.push(HostArgument::Value {
            address: false,
            numbers,
        });
    }

    /// The kernel's parameters in a launch of the function.
    pub fn parameters(&self, launch: &HostLaunch) -> Vec<Parameter> {
        launch
            .arguments
            .iter()
            .map(|packed| self.parameter(packed))
            .collect()
    }

    fn parameter(&self, packed: &Packed) -> Parameter {
        let pointers = packed.addresses.iter().filter_map(|address| {
            let (buffer, base) = self.addresses.get(address.argument).copied().flatten()?;
            Some(PointerField {
                at: address.at,
                buffer,
                offset: base.wrapping_add_signed(address.offset),
            })
        });
        Parameter::Struct {
            bytes: packed.bytes.clone(),
            pointers: pointers.collect(),
        }
    }
}

/// The number type of what a pointer points to, if it is a number.
fn scalar_of(pointer: &Pointer) -> Option<ScalarType> {
    match pointer.element()? {
        Element::Number(number) => number.scalar(),
        Element::Vector(..) | Element::Sparse(_) | Element::Address(_) | Element::Opaque(_) => None,
    }
}

/// Checks the alignment that a type says of an address so many bytes into an array.
fn aligned(pointer: &Pointer, offset: u64) -> Result<(), String> {
    let align = pointer.align().get();
    if align > ALIGNED {
        return Err(format!(
            "its address is a multiple of {ALIGNED} bytes, not of {align}"
        ));
    }
    match offset % align {
        0 => Ok(()),
        _ => Err(format!(
            "an address {offset} bytes into an array is no multiple of {align} bytes"
        )),
    }
}

/// Splits the text of an array from the order of its dimensions: `x.npy.transpose(1,0)`.
fn split_order(text: &str) -> Result<(&str, Option<Vec<usize>>), String> {
    let Some((array, order)) = text.rsplit_once(".transpose(") else {
        return Ok((text, None));
    };
    let wrong = || format!("`.transpose({order}` is no order of dimensions, such as .transpose(1,2,0)");
    let numbers = order.strip_suffix(')').ok_or_else(wrong)?;
    let numbers = numbers.split(',').map(|number| number.trim().parse().ok());
    let numbers: Option<Vec<usize>> = numbers.collect();
    Ok((array, Some(numbers.ok_or_else(wrong)?)))
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dimension {
    extent: usize,
    /// The distance between elements, in elements.
    stride: usize,
}

/// The dimensions of an array, in this order of them.
fn dimensions(array: &Array, order: Option<&[usize]>) -> Result<Vec<Dimension>, String> {
    let own: Vec<Dimension> = array
        .shape
        .iter()
        .zip(array.strides())
        .map(|(&extent, stride)| Dimension { extent, stride })
        .collect();
    let Some(order) = order else {
        return Ok(own);
    };
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..own.len()) {
        let count = counted(own.len(), "dimension");
        return Err(format!(
            "the array has {count}, each of which the order names once, from 0 on"
        ));
    }
    Ok(order.iter().filter_map(|at| own.get(*at).copied()).collect())
}

/// The numbers that a layout of this shape and stride leaves open, for these dimensions: extents, then strides.
fn described(shape: &[Fact], stride: &[Fact], dimensions: &[Dimension]) -> Result<Vec<i64>, String> {
    if shape.len() != dimensions.len() {
        return Err(format!(
            "the array has {}, and the tensor {}",
            counted(dimensions.len(), "dimension"),
            shape.len()
        ));
    }
    let (mut extents, mut strides) = (Vec::new(), Vec::new());
    for (at, ((shape, stride), dimension)) in shape.iter().zip(stride).zip(dimensions).enumerate() {
        let extent = i64::try_from(dimension.extent).unwrap_or(i64::MAX);
        if extent == 0 {
            return Err(format!("dimension {at} has no elements"));
        }
        extents.extend(fitted(*shape, extent, &format!("the extent of dimension {at}"))?);
        let own = i64::try_from(dimension.stride).unwrap_or(i64::MAX);
        // Along a dimension of one element nothing is ever a stride away.
        let own = match (extent, *stride) {
            (1, Fact::Static(number)) => number,
            (1, Fact::Dynamic { divisor, .. }) => {
                let number = dimension.stride as u64;
                i64::try_from(number.next_multiple_of(divisor.get())).unwrap_or(i64::MAX)
            }
            _ => own,
        };
        strides.extend(fitted(*stride, own, &format!("the stride of dimension {at}"))?);
    }
    extents.append(&mut strides);
    Ok(extents)
}

/// The number, if its leaf is open.
fn fitted(leaf: Fact, number: i64, what: &str) -> Result<Option<i64>, String> {
    match leaf {
        Fact::Static(known) if known == number => Ok(None),
        Fact::Static(known) => Err(format!("{what} is {number}, and that of the tensor {known}")),
        Fact::Dynamic { width, divisor } => {
            let fits = match width {
                Bits::B8 => i8::try_from(number).is_ok(),
                Bits::B16 => i16::try_from(number).is_ok(),
                Bits::B32 => i32::try_from(number).is_ok(),
                Bits::B64 => true,
            };
            if !fits {
                return Err(format!("{what} is {number}, which does not fit `{leaf}`"));
            }
            match number.unsigned_abs() % divisor.get() {
                0 => Ok(Some(number)),
                _ => Err(format!("{what} is {number}, which is no multiple of {divisor}")),
            }
        }
    }
}

/// The numbers that a tuple of `cute` leaves open, from a text such as `5` or `(5,6)`.
fn tuple(text: &str, kind: &Kind) -> Result<Vec<Number>, String> {
    let open = match kind {
        Kind::Integer(integer) => vec![Fact::dynamic(integer.width, integer.divisor)],
        Kind::IntTuple(_) | Kind::Shape(_) | Kind::Coord(_) | Kind::Stride(_) | Kind::Layout(_) => {
            kind.dynamic_leaves()
        }
        _ => return Err("such a value cannot be given".to_owned()),
    };
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let texts: Vec<&str> = inner
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    if texts.len() != open.len() {
        return Err(format!(
            "{} open, and {} given: write them as (5,6)",
            counted(open.len(), "number is"),
            texts.len()
        ));
    }
    let mut numbers = Vec::new();
    for (text, leaf) in texts.into_iter().zip(open) {
        let number = text.parse().map_err(|_| format!("`{text}` is no integer"))?;
        numbers.extend(fitted(leaf, number, "the number")?.map(Number::Integer));
    }
    Ok(numbers)
}

/// The number of a machine type.
fn number(text: &str, ty: &Type) -> Result<Number, String> {
    let scalar_type = match ty {
        Type::Integer(_, 1) => Some(ScalarType::I1),
        Type::Integer(_, 8) => Some(ScalarType::I8),
        Type::Integer(_, 16) => Some(ScalarType::I16),
        Type::Integer(_, 32) => Some(ScalarType::I32),
        Type::Integer(_, 64) => Some(ScalarType::I64),
        Type::Float(format) => format.decimal(),
        _ => None,
    };
    let scalar_type = scalar_type.ok_or("such a value cannot be given")?;
    let wanted = Wanted {
        bytes: 0,
        ty: Some(ElementType::Scalar(scalar_type)),
    };
    let bytes = scalar(text, wanted)?;
    let mut all = [0; 8];
    for (slot, byte) in all.iter_mut().zip(bytes) {
        *slot = byte;
    }
    let bits = u64::from_le_bytes(all);
    Ok(match scalar_type.is_float() {
        true => Number::Float(bits),
        false => Number::Integer(bits.cast_signed()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::dtype::DType;
    use tilewright_diagnostics::FileId;
    use tilewright_evaluator::host::PackedAddress;
    use tilewright_grammar::mlir::read_mlir;

    /// Binds arguments to a function with these parameters.
    fn bind(params: &str, given: &[&str]) -> Result<Hosted, Diagnostic<Location>> {
        let text = format!(
            "module {{\n  func.func @f({params}) -> i32 {{\n    %r = arith.constant 0 : i32\n    return %r : i32\n  }}\n}}\n"
        );
        // A type of `cute` is what tells such a text.
        let read = read_mlir(&text, FileId(0)).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
        let function = read.module.functions().next().expect("a function").clone();
        let given: Vec<_> = given.iter().map(|text| Given::Arg((*text).to_owned())).collect();
        Hosted::bind(&given, &function, 0, &|path| {
            Err(Diagnostic::error(Code::FileNotReadable, path))
        })
    }

    fn numbers_of(params: &str, given: &str) -> Vec<i64> {
        let hosted = bind(params, &[given]).unwrap_or_else(|problem| panic!("{problem:#?}"));
        let [HostArgument::Value { numbers, .. }] = hosted.arguments.as_slice() else {
            panic!("{hosted:#?}");
        };
        let integer = |number: &Number| match number {
            Number::Integer(number) => *number,
            Number::Float(_) => panic!("a float"),
        };
        numbers.iter().map(integer).collect()
    }

    fn refused(params: &str, given: &str) -> String {
        let problem = bind(params, &[given]).expect_err("a refusal");
        assert_eq!(problem.code, Code::BadArgument);
        problem.message
    }

    const GEMM: &str =
        "%a: !cute.memref<f16, gmem, align<16>, \"(?,?{div=8},?):(?{i64 div=8},1,?{i64 div=8})\">";

    #[test]
    fn arrays_give_extents_and_strides() {
        assert_eq!(numbers_of(GEMM, "zeros:f16[100,64,1]"), [100, 64, 1, 64, 8]);
        let batched = "zeros:f16[3,100,64].transpose(1,2,0)";
        assert_eq!(numbers_of(GEMM, batched), [100, 64, 3, 64, 6400]);
        let fixed = "%a: !cute.memref<f32, gmem, \"(8,?):(?,1)\">";
        assert_eq!(numbers_of(fixed, "zeros:f32[8,5]"), [5, 5]);
        let one = "%a: !cute.memref<f32, gmem, \"(?,1):(1,0)\">";
        assert_eq!(numbers_of(one, "zeros:f32[7,1]"), [7]);
        assert_eq!(numbers_of("%a: !cute.ptr<f32, gmem>", "zeros:f32[7]"), [0; 0]);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused_with_the_numbers() {
        for (given, want) in [
            (
                "zeros:f16[100,60,1]",
                "the stride of dimension 0 is 60, which is no multiple of 8",
            ),
            (
                "zeros:f16[100,64]",
                "the array has 2 dimensions, and the tensor 3",
            ),
            (
                "zeros:f16[100,64,3]",
                "the stride of dimension 1 is 3, and that of the tensor 1",
            ),
            (
                "zeros:f16[64,100,1].transpose(1,0,2)",
                "the stride of dimension 0 is 1, which is no multiple of 8",
            ),
            ("zeros:f16[100,64,1].transpose(1,0)", "the array has 3 dimensions"),
            ("zeros:f32[100,64,1]", "it holds f32"),
            ("5", "it is no array"),
        ] {
            let message = refused(GEMM, given);
            assert!(message.contains(want), "{given}: {message}");
        }
        let fixed = "%a: !cute.memref<f32, gmem, \"(8,?):(?,1)\">";
        assert!(
            refused(fixed, "zeros:f32[9,5]")
                .contains("the extent of dimension 0 is 9, and that of the tensor 8")
        );
        let wide = "%a: !cute.memref<f32, gmem, align<512>, \"8:1\">";
        assert!(refused(wide, "zeros:f32[8]").contains("a multiple of 256 bytes, not of 512"));
    }

    #[test]
    fn numbers_have_the_type_of_their_parameter() {
        let hosted = bind(
            "%a: i32, %s: !cuda.stream, %b: f32, %c: !cute.int_tuple<\"(?,4,?{div=8})\">",
            &["-3", "1.5", "(7,16)"],
        )
        .expect("arguments");
        let value = |numbers: Vec<Number>| HostArgument::Value {
            address: false,
            numbers,
        };
        let want = [
            value(vec![Number::Integer(i64::from((-3i32).cast_unsigned()))]),
            HostArgument::Stream,
            value(vec![Number::Float(u64::from(1.5f32.to_bits()))]),
            value(vec![Number::Integer(7), Number::Integer(16)]),
        ];
        assert_eq!(hosted.arguments, want);
        assert_eq!(hosted.bound.owners, [None; 3]);
        assert!(refused("%a: i32", "x").contains("integer"));
        assert!(
            refused("%c: !cute.int_tuple<\"(?,?{div=8})\">", "(7,15)")
                .contains("15, which is no multiple of 8")
        );
        let problem = bind("%a: i32, %s: !cuda.stream", &[]).expect_err("a refusal");
        assert_eq!(problem.code, Code::ArgumentCount);
        assert_eq!(problem.notes, ["0: i32"]);
    }

    #[test]
    fn addresses_of_launches_are_those_of_arrays() {
        let hosted = bind("%n: i32, %a: !cute.ptr<f32, gmem>", &["1", "zeros:f32[7]"]).expect("arguments");
        assert_eq!(hosted.bound.owners, [None, Some((0, DType::F32))]);
        let packed = Packed {
            bytes: vec![0; 16],
            align: 8,
            addresses: vec![PackedAddress {
                at: 8,
                argument: 1,
                offset: -4,
            }],
        };
        let Parameter::Struct { pointers, .. } = hosted.parameter(&packed) else {
            panic!("a struct");
        };
        let [pointer] = pointers.as_slice() else {
            panic!("one pointer");
        };
        assert_eq!(
            (pointer.at, pointer.buffer, pointer.offset),
            (8, 0, 4u64.wrapping_neg())
        );
    }
}
