//! Generated arrays: `randn:f32[1024]`, `randint:i32[64,64]@7`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::dtype::DType;
use super::npy::Array;

/// Size limit of a generated array, in bytes.
const MAX_BYTES: u64 = 1 << 34;

/// Whether an array of this many elements is larger than those that are generated.
pub fn is_too_large(dtype: DType, elements: u64) -> bool {
    let most = u64::try_from(dtype.bytes()).map_or(0, |bytes| MAX_BYTES / bytes);
    elements > most
}

/// The contents of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Normally distributed, mean 0, deviation 1.
    RandN,
    /// Uniform floats from 0 to 1.
    Rand,
    /// Uniform integers: all values of types of one byte, -1000 to 1000 (0 to 1000 unsigned) of wider ones.
    RandInt,
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// 0, 1, 2 and so on.
    Iota,
    /// Uninitialised, for results. The simulator reports reads of bytes that were not written.
    Empty,
}

/// Whether a text describes an uninitialised array.
pub fn is_empty(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(name, _)| kind(name) == Some(Kind::Empty))
}

/// Whether a text names a generator, known or not, rather than a number or a file.
pub fn is_generator(text: &str) -> bool {
    let is_word = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    text.split_once(':')
        .is_some_and(|(name, rest)| kind(name).is_some() || (is_word(name) && rest.contains('[')))
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "randn" => Kind::RandN,
        "rand" => Kind::Rand,
        "randint" => Kind::RandInt,
        "zeros" => Kind::Zeros,
        "ones" => Kind::Ones,
        "iota" => Kind::Iota,
        "empty" => Kind::Empty,
        _ => return None,
    })
}

/// Generates the array that `text` describes: `KIND:TYPE[EXTENT,…]`, with `@SEED` to override `seed`.
///
/// # Errors
/// The error in the text, as a sentence fragment.
pub fn generate(text: &str, seed: u64) -> Result<Array, String> {
    let form = "a generator looks like randn:f32[1024] or randint:i32[64,64]@7";
    let (name, rest) = text.split_once(':').ok_or(form)?;
    let kind = kind(name).ok_or_else(|| {
        format!("there is no generator '{name}'; choose randn, rand, randint, zeros, ones, iota or empty")
    })?;
    let (rest, seed) = match rest.split_once('@') {
        Some((rest, seed)) => (rest, seed.parse().map_err(|_| format!("'{seed}' is no seed"))?),
        None => (rest, seed),
    };
    let (dtype, extents) = rest.split_once('[').ok_or(form)?;
    let dtype = DType::named(dtype).ok_or_else(|| format!("there is no element type '{dtype}'"))?;
    if kind == Kind::Rand && !dtype.is_float() {
        return Err("rand makes floats; randint makes integers".to_owned());
    }
    let extents = extents.strip_suffix(']').ok_or(form)?;
    let shape = extents
        .split(',')
        .filter(|extent| !extents.is_empty() && !extent.is_empty())
        .map(|extent| {
            extent
                .trim()
                .parse::<usize>()
                .map_err(|_| format!("'{extent}' is no extent"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let count = shape
        .iter()
        .try_fold(1usize, |product, &extent| product.checked_mul(extent));
    let count = count.filter(|&count| u64::try_from(count).is_ok_and(|count| !is_too_large(dtype, count)));
    let count = count.ok_or_else(|| format!("an array of shape {shape:?} is too large"))?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut data = Vec::with_capacity(count * dtype.bytes());
    for at in 0..count {
        let value = match kind {
            Kind::RandN => StandardNormal.sample(&mut random),
            Kind::Rand => random.random_range(0.0..1.0),
            Kind::RandInt => f64::from(match dtype {
                DType::Bool => random.random_range(0..=1),
                DType::Int(1) => random.random_range(-128..=127),
                DType::UInt(1) => random.random_range(0..=255),
                DType::UInt(_) => random.random_range(0..=1000),
                DType::Int(_) | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => {
                    random.random_range(-1000..=1000)
                }
            }),
            // A recognisable value for devices that do not track initialisation.
            Kind::Empty if dtype.is_float() => f64::NAN,
            Kind::Empty => 85.0,
            Kind::Zeros => 0.0,
            Kind::Ones => 1.0,
            Kind::Iota => {
                #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 elements")]
                let value = at as f64;
                value
            }
        };
        dtype.push(value, &mut data);
    }
    Ok(Array { dtype, shape, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_numbers() {
        let one = generate("randn:f32[100]@7", 0);
        assert_eq!(one, generate("randn:f32[100]", 7));
        assert_ne!(one, generate("randn:f32[100]@8", 7));
    }

    #[test]
    fn iota_counts() {
        let array = generate("iota:i16[2,3]", 0).expect("a generator");
        assert_eq!(array.shape, [2, 3]);
        let numbers: Vec<_> = array
            .elements()
            .map(|element| array.dtype.integer(element))
            .collect();
        assert_eq!(numbers, (0..6).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn errors_are_reported() {
        for (text, part) in [
            ("randn", "looks like"),
            ("random:f32[1]", "no generator 'random'"),
            ("rand:i32[1]", "randint makes integers"),
            ("ones:f9[1]", "no element type 'f9'"),
            ("ones:f32[x]", "no extent"),
            ("ones:f32[1", "looks like"),
            ("ones:f32[99999999999,99999999999]", "too large"),
            ("ones:f32[1]@x", "no seed"),
        ] {
            let problem = generate(text, 0).expect_err(text);
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }
}
