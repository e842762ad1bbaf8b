//! Binds the command line's arguments to a kernel's parameters.

use half::{bf16, f16};
use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_irs::element::{ElementType, ScalarType};

use super::dtype::DType;
use super::generate;
use super::npy::Array;
use super::{Address, Parameter, PointerField, structs};

/// One argument as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// `--arg`: a scalar, or an array passed as its pointer.
    Arg(String),
    /// `--array`: an array passed as its pointer, each extent, and each stride.
    Array(String),
}

/// A kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its size in bytes.
    pub bytes: usize,
    /// Its type; `None` if the kernel's language does not record it.
    pub ty: Option<ElementType>,
}

/// The parameters of a launch, the arrays behind them, and which argument owns which array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// One entry for each of the kernel's parameters.
    pub parameters: Vec<Parameter>,
    /// The arrays.
    pub buffers: Vec<Array>,
    /// The elements of arrays that are addresses of others.
    pub addresses: Vec<Address>,
    /// The name of each array in fault messages.
    pub names: Vec<String>,
    /// The arrays that are uninitialised before the launch.
    pub empty: Vec<usize>,
    /// For each argument as given, the index of its array and how the kernel reads the elements.
    pub owners: Vec<Option<(usize, DType)>>,
    /// The files that have been loaded, with the indices of their arrays.
    files: Vec<(String, usize)>,
}

/// Reads a file for [`bind`].
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, Diagnostic<Location>> + 'a;

pub(super) fn bad(at: usize, text: &str, why: &str) -> Diagnostic<Location> {
    Diagnostic::error(Code::BadArgument, format!("argument {at} ('{text}'): {why}"))
}

/// The types of parameters, with their numbers.
pub fn list(wanted: &[Wanted]) -> String {
    let one = |(at, wanted): (usize, &Wanted)| match wanted.ty {
        Some(ElementType::Scalar(ty)) => format!("{at}: {ty}"),
        Some(ElementType::Ptr(ty)) => format!("{at}: pointer to {ty}"),
        None => format!("{at}: {} bytes", wanted.bytes),
    };
    let each: Vec<_> = wanted.iter().enumerate().map(one).collect();
    match each.is_empty() {
        true => "none".to_owned(),
        false => each.join(", "),
    }
}

/// Binds arguments to parameters, in order.
///
/// # Errors
/// A diagnostic about the first argument that cannot be used, or about the number of arguments.
pub fn bind(
    given: &[Given],
    wanted: &[Wanted],
    seed: u64,
    read_file: &ReadFile<'_>,
) -> Result<Bound, Diagnostic<Location>> {
    let mut bound = Bound::default();
    let mut taken = Vec::new();
    for (at, argument) in given.iter().enumerate() {
        let wish = wanted.get(bound.parameters.len());
        let first = bound.parameters.len();
        match argument {
            Given::Arg(text) if text.starts_with('{') => {
                let seed = seed.wrapping_add(to_u64(at));
                let parameter = passed(&mut bound, (at, text), wish, seed, read_file)?;
                bound.parameters.push(parameter);
            }
            Given::Arg(text) if is_array(text) => {
                let (text, offset) = split_offset(text).map_err(|why| bad(at, text, &why))?;
                let buffer = load(&mut bound, at, text, seed.wrapping_add(to_u64(at)), read_file)?;
                push_pointer(&mut bound, buffer, offset, wish, at, text)?;
            }
            Given::Arg(text) => {
                bound.owners.push(None);
                // An excess parameter is reported below, with the numbers.
                let bytes = match wish {
                    Some(wish) => scalar(text, *wish).map_err(|why| bad(at, text, &why))?,
                    None => Vec::new(),
                };
                bound.parameters.push(Parameter::Scalar(bytes));
            }
            Given::Array(text) => {
                let buffer = load(&mut bound, at, text, seed.wrapping_add(to_u64(at)), read_file)?;
                let numbers: Vec<_> = match bound.buffers.get(buffer) {
                    Some(array) => array.shape.iter().copied().chain(array.strides()).collect(),
                    None => Vec::new(),
                };
                push_pointer(&mut bound, buffer, 0, wish, at, text)?;
                for number in numbers {
                    let number = i32::try_from(number)
                        .map_err(|_| bad(at, text, &format!("{number} does not fit the i32 of an extent")))?;
                    if let Some(wish) = wanted.get(bound.parameters.len())
                        && wish.bytes != 4
                    {
                        let why = format!(
                            "parameter {} has {}, and an extent or a stride has 4",
                            bound.parameters.len(),
                            counted(wish.bytes, "byte")
                        );
                        return Err(bad(at, text, &why));
                    }
                    bound
                        .parameters
                        .push(Parameter::Scalar(number.to_le_bytes().to_vec()));
                }
            }
        }
        taken.push((first, bound.parameters.len()));
    }
    if bound.parameters.len() != wanted.len() {
        let message = format!(
            "the kernel has {} ({}), and the arguments make {}",
            counted(wanted.len(), "parameter"),
            list(wanted),
            bound.parameters.len()
        );
        let mut problem = Diagnostic::error(Code::ArgumentCount, message)
            .help("--array passes a pointer, every extent and every stride; --arg passes one parameter");
        for (at, (first, end)) in taken.into_iter().enumerate() {
            problem = problem.note(match end - first {
                1 => format!("argument {at} is parameter {first}"),
                _ => format!("argument {at} is parameters {first} to {}", end.saturating_sub(1)),
            });
        }
        return Err(problem);
    }
    Ok(bound)
}

/// A struct that is passed by value. Of its arrays, the argument owns the only one.
fn passed(
    bound: &mut Bound,
    (at, text): (usize, &str),
    wish: Option<&Wanted>,
    seed: u64,
    read_file: &ReadFile<'_>,
) -> Result<Parameter, Diagnostic<Location>> {
    let given = structs::read(text).map_err(|why| bad(at, text, &why))?;
    if let Some(wish) = wish
        && (wish.ty.is_some() || wish.bytes != given.bytes)
    {
        let why = format!(
            "the struct has {}, and the parameter is {}",
            counted(given.bytes, "byte"),
            list(std::slice::from_ref(wish)).trim_start_matches("0: ")
        );
        return Err(bad(at, text, &why));
    }
    let mut bytes = vec![0; given.bytes];
    let mut pointers = Vec::new();
    for (place, leaf) in given.leaves {
        match leaf {
            structs::Leaf::Number(ty, text) => {
                let wanted = Wanted {
                    bytes: 0,
                    ty: Some(ElementType::Scalar(ty)),
                };
                let number = scalar(text, wanted).map_err(|why| bad(at, text, &why))?;
                for (byte, new) in bytes.iter_mut().skip(place).zip(number) {
                    *byte = new;
                }
            }
            structs::Leaf::Array(text) => {
                let (text, offset) = split_offset(text).map_err(|why| bad(at, text, &why))?;
                if !is_array(text) {
                    return Err(bad(
                        at,
                        text,
                        "it is neither a number, such as i32:5, nor an array",
                    ));
                }
                let seed = seed.wrapping_add(to_u64(place));
                let buffer = load(bound, at, text, seed, read_file)?;
                pointers.push(PointerField {
                    at: place,
                    buffer,
                    offset,
                });
            }
        }
    }
    let owned = match pointers.as_slice() {
        [only] => bound
            .buffers
            .get(only.buffer)
            .map(|array| (only.buffer, array.dtype)),
        _ => None,
    };
    bound.owners.push(owned);
    Ok(Parameter::Struct { bytes, pointers })
}

pub(super) fn to_u64(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}

pub(super) fn is_array(text: &str) -> bool {
    generate::is_generator(text) || text.ends_with(".npy") || text.contains(".npy+")
}

/// Splits a file name from the byte offset of the pointer.
pub(super) fn split_offset(text: &str) -> Result<(&str, u64), String> {
    match text.rsplit_once('+') {
        Some((file, offset)) if file.ends_with(".npy") => {
            let offset = offset
                .parse()
                .map_err(|_| format!("'{offset}' is no number of bytes"))?;
            Ok((file, offset))
        }
        _ => Ok((text, 0)),
    }
}

/// The index of the array that the text names. Arguments that name the same file share one array.
pub(super) fn load(
    bound: &mut Bound,
    at: usize,
    text: &str,
    seed: u64,
    read_file: &ReadFile<'_>,
) -> Result<usize, Diagnostic<Location>> {
    let array = if generate::is_generator(text) {
        generate::generate(text, seed).map_err(|why| bad(at, text, &why))?
    } else if let Some((_, buffer)) = bound.files.iter().find(|(file, _)| file == text) {
        return Ok(*buffer);
    } else {
        bound.files.push((text.to_owned(), bound.buffers.len()));
        let file = read_file(text).map_err(|problem| {
            problem.help("an array is a file, x.npy, or made up on the spot, as in randn:f32[64], zeros:i32[8,8] or empty:f16[64]")
        })?;
        Array::read(&file).map_err(|why| bad(at, text, &why))?
    };
    if generate::is_empty(text) {
        bound.empty.push(bound.buffers.len());
    }
    bound.names.push(format!("argument {at}"));
    bound.buffers.push(array);
    Ok(bound.buffers.len() - 1)
}

fn push_pointer(
    bound: &mut Bound,
    buffer: usize,
    offset: u64,
    wish: Option<&Wanted>,
    at: usize,
    text: &str,
) -> Result<(), Diagnostic<Location>> {
    if let Some(wish) = wish
        && (wish.bytes != 8 || matches!(wish.ty, Some(ElementType::Scalar(_))))
        // In the late languages an address is an integer.
        && wish.ty != Some(ElementType::Scalar(ScalarType::I64))
    {
        let number = bound.parameters.len();
        let why = format!("parameter {number} is a scalar, not a pointer");
        return Err(bad(at, text, &why));
    }
    let pointee = match wish.and_then(|wish| wish.ty) {
        Some(ElementType::Ptr(pointee)) => Some(pointee),
        Some(ElementType::Scalar(_)) | None => None,
    };
    let Some(own) = bound.buffers.get(buffer).map(|array| array.dtype) else {
        return Ok(());
    };
    let dtype = own.seen_as(pointee);
    if let Some(pointee) = pointee
        && let Some(bytes) = pointee.bytes()
        && !(dtype.holds(pointee) && usize::try_from(bytes) == Ok(dtype.bytes()))
    {
        let why = format!(
            "it holds {}, and the kernel's pointer is to {pointee}",
            own.name()
        );
        return Err(bad(at, text, &why));
    }
    bound.owners.push(Some((buffer, dtype)));
    bound.parameters.push(Parameter::Pointer { buffer, offset });
    Ok(())
}

/// The bytes of a scalar.
pub(super) fn scalar(text: &str, wanted: Wanted) -> Result<Vec<u8>, String> {
    let ty = match wanted.ty {
        Some(ElementType::Scalar(ty)) => ty,
        Some(ElementType::Ptr(_)) => {
            return Err("the kernel's parameter is a pointer: give an array".to_owned());
        }
        None => match (wanted.bytes, text.contains(['.', 'n', 'e'])) {
            (1, _) => ScalarType::I8,
            (2, _) => ScalarType::I16,
            (4, false) => ScalarType::I32,
            (4, true) => ScalarType::F32,
            (8, false) => ScalarType::I64,
            (8, true) => ScalarType::F64,
            (bytes, _) => {
                return Err(format!(
                    "a parameter of {bytes} bytes cannot be given as a number"
                ));
            }
        },
    };
    let float = || {
        text.parse::<f64>()
            .map_err(|_| "the kernel's parameter is a float, and this is none".to_owned())
    };
    // Infinity is accepted if written as `inf`, not if the digits overflow.
    let fits = |infinite: bool| {
        if infinite && text.contains(|c: char| c.is_ascii_digit()) {
            Err(format!("it does not fit {ty}"))
        } else {
            Ok(())
        }
    };
    match ty {
        ScalarType::F64 => {
            let value = float()?;
            fits(value.is_infinite())?;
            Ok(value.to_le_bytes().to_vec())
        }
        // Parsed from the digits, since a conversion by way of f64 would round twice.
        ScalarType::F32 | ScalarType::TF32 => {
            float()?;
            let value: f32 = text.parse().map_err(|_| "it is no float".to_owned())?;
            fits(value.is_infinite())?;
            Ok(value.to_le_bytes().to_vec())
        }
        ScalarType::F16 => {
            let value = f16::from_f64(float()?);
            fits(value.is_infinite())?;
            Ok(value.to_le_bytes().to_vec())
        }
        ScalarType::BF16 => {
            let value = bf16::from_f64(float()?);
            fits(value.is_infinite())?;
            Ok(value.to_le_bytes().to_vec())
        }
        ScalarType::I1 => match text {
            "0" | "false" => Ok(vec![0]),
            "1" | "true" => Ok(vec![1]),
            _ => Err("the kernel's parameter is a truth value: 0, 1, true or false".to_owned()),
        },
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => integer(text, ty.bits()),
        ScalarType::I4
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F4E2M1FN
        | ScalarType::F8E5M3FNU => Err("scalars of this type cannot be passed".to_owned()),
    }
}

/// An integer of `bits` bits, signed or unsigned, decimal or hexadecimal.
fn integer(text: &str, bits: u32) -> Result<Vec<u8>, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let size = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let size = size.map_err(|_| "the kernel's parameter is an integer, and this is none".to_owned())?;
    let value = if negative { size.checked_neg() } else { Some(size) };
    let value = value.unwrap_or(i128::MAX);
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    if value < low || value > high {
        return Err(format!("it does not fit {bits} bits ({low} to {high})"));
    }
    let bytes = value.to_le_bytes();
    Ok(bytes.into_iter().zip(0..bits / 8).map(|(byte, _)| byte).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_files(name: &str) -> Result<Vec<u8>, Diagnostic<Location>> {
        Err(Diagnostic::error(Code::FileNotReadable, name))
    }

    fn wanted(types: &[ElementType]) -> Vec<Wanted> {
        let bytes = |ty: ElementType| match ty {
            ElementType::Ptr(_) => 8,
            ElementType::Scalar(ty) => usize::try_from(ty.bytes().unwrap_or(0)).unwrap_or(0),
        };
        types
            .iter()
            .map(|&ty| Wanted {
                bytes: bytes(ty),
                ty: Some(ty),
            })
            .collect()
    }

    const F32: ElementType = ElementType::Scalar(ScalarType::F32);
    const I32: ElementType = ElementType::Scalar(ScalarType::I32);
    const PTR: ElementType = ElementType::Ptr(ScalarType::F32);

    #[test]
    fn an_array_is_its_pointer_extents_and_strides() {
        let given = [Given::Arg("2.5".into()), Given::Array("zeros:f32[3,5]".into())];
        let bound = bind(&given, &wanted(&[F32, PTR, I32, I32, I32, I32]), 0, &no_files).expect("bound");
        let scalar = |value: i32| Parameter::Scalar(value.to_le_bytes().to_vec());
        assert_eq!(
            bound.parameters,
            [
                Parameter::Scalar(2.5f32.to_le_bytes().to_vec()),
                Parameter::Pointer { buffer: 0, offset: 0 },
                scalar(3),
                scalar(5),
                scalar(5),
                scalar(1)
            ]
        );
        assert_eq!(bound.owners, [None, Some((0, DType::F32))]);
    }

    #[test]
    fn a_file_named_twice_is_one_array_and_may_be_entered_further_on() {
        let file = Array {
            dtype: DType::F32,
            shape: vec![4],
            data: vec![0; 16],
        };
        let read = |_: &str| Ok(file.write());
        let given = ["a.npy", "b.npy", "a.npy+8"].map(|text| Given::Arg(text.into()));
        let bound = bind(&given, &wanted(&[PTR, PTR, PTR]), 0, &read).expect("bound");
        let pointer = |buffer, offset| Parameter::Pointer { buffer, offset };
        assert_eq!(bound.parameters, [pointer(0, 0), pointer(1, 0), pointer(0, 8)]);
        assert_eq!(bound.buffers.len(), 2);
        assert!(bind(&[Given::Arg("a.npy+x".into())], &wanted(&[PTR]), 0, &read).is_err());
    }

    #[test]
    fn a_struct_has_its_fields_where_c_has_them() {
        let given = [Given::Arg("{i32:7, {zeros:f32[2,2], i8:-1}, i32:9}".into())];
        let wanted = |bytes| [Wanted { bytes, ty: None }];
        let bound = bind(&given, &wanted(32), 0, &no_files).expect("bound");
        let mut bytes = vec![0; 32];
        (bytes[0], bytes[16], bytes[24]) = (7, 0xff, 9);
        let pointers = vec![PointerField {
            at: 8,
            buffer: 0,
            offset: 0,
        }];
        assert_eq!(bound.parameters, [Parameter::Struct { bytes, pointers }]);
        assert_eq!(bound.owners, [Some((0, DType::F32))]);
        let on_device = bound.parameters[0].bytes_on(|_| Some(0x1234)).expect("bytes");
        assert_eq!(on_device[8..16], 0x1234u64.to_le_bytes());
        assert!(bind(&given, &wanted(24), 0, &no_files).is_err());
        for wrong in ["{}", "{i32:7", "{i32:7}}", "{i32:x}", "{x}", "{i32:7,}", "{i4:1}"] {
            assert!(
                bind(&[Given::Arg(wrong.into())], &wanted(4), 0, &no_files).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn too_few_arguments_are_counted() {
        let problem =
            bind(&[Given::Arg("1".into())], &wanted(&[I32, I32]), 0, &no_files).expect_err("too few");
        assert_eq!(problem.code, Code::ArgumentCount);
        assert_eq!(
            problem.message,
            "the kernel has 2 parameters (0: i32, 1: i32), and the arguments make 1"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (text, ty) in [
            ("4294967296", I32),
            ("-2147483649", I32),
            ("1.5", I32),
            ("x", F32),
            ("1e39", F32),
            ("-1e400", ElementType::Scalar(ScalarType::F64)),
            ("65520", ElementType::Scalar(ScalarType::F16)),
            ("ones:i32[4]", PTR),
            ("ones:f16[4]", ElementType::Ptr(ScalarType::BF16)),
            ("1", PTR),
            ("ones:f64[4]", PTR),
            ("ones:f32[4]", F32),
            ("a.npy", PTR),
        ] {
            assert!(
                bind(&[Given::Arg(text.into())], &wanted(&[ty]), 0, &no_files).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn infinities_are_floats_when_they_are_meant() {
        for text in ["inf", "-inf", "nan", "3.4028235e38"] {
            assert!(
                bind(&[Given::Arg(text.into())], &wanted(&[F32]), 0, &no_files).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn integers_are_signed_or_unsigned_decimal_or_hexadecimal() {
        for (text, want) in [
            ("-1", [0xff; 4]),
            ("4294967295", [0xff; 4]),
            ("0x10", [16, 0, 0, 0]),
        ] {
            let bound = bind(&[Given::Arg(text.into())], &wanted(&[I32]), 0, &no_files).expect(text);
            assert_eq!(bound.parameters, [Parameter::Scalar(want.to_vec())]);
        }
    }
}
