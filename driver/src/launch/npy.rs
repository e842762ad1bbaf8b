//! Arrays in numpy's `.npy` files: versions 1, 2 and 3, C order, little-endian numbers.

use tilewright_diagnostics::counted;

use super::dtype::DType;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Size limit of headers, in bytes.
const MAX_HEADER: usize = 1 << 16;

/// An array in memory, in C order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The type of its elements.
    pub dtype: DType,
    /// The extents, outermost first; none for a single number.
    pub shape: Vec<usize>,
    /// The elements, little-endian.
    pub data: Vec<u8>,
}

impl Array {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.data.len() / self.dtype.bytes()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The elements, each as its bytes.
    pub fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.data.chunks_exact(self.dtype.bytes())
    }

    /// The elements as numbers of a type of the same size; NaN where there is none.
    pub fn numbers(&self, dtype: DType) -> impl Iterator<Item = f64> {
        let elements = self.data.chunks_exact(dtype.bytes());
        elements.map(move |element| dtype.number(element).unwrap_or(f64::NAN))
    }

    /// The strides in elements: the stride of a dimension is the product of the extents after it.
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1usize; self.shape.len()];
        for at in (1..self.shape.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(self.shape[at]);
        }
        strides
    }

    /// Reads a file's contents.
    ///
    /// # Errors
    /// The error in the contents, as a sentence fragment.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no .npy file")?;
        let (version, rest) = rest.split_at_checked(2).ok_or("its header is cut off")?;
        let width = match version {
            [1, _] => 2,
            [2 | 3, _] => 4,
            _ => return Err("its .npy version is not known".to_owned()),
        };
        let (length, rest) = rest.split_at_checked(width).ok_or("its header is cut off")?;
        let length = length
            .iter()
            .rev()
            .fold(0usize, |sum, byte| (sum << 8) | usize::from(*byte));
        if length > MAX_HEADER {
            return Err(format!(
                "its header has {length} bytes, and at most {MAX_HEADER} are read"
            ));
        }
        let (header, data) = rest.split_at_checked(length).ok_or("its header is cut off")?;
        let header = std::str::from_utf8(header).map_err(|_| "its header is no text")?;
        let dtype = entry(header, "descr").ok_or("its header has no descr")?;
        let dtype = dtype.trim().trim_matches(['\'', '"']);
        let dtype = descr(dtype).ok_or_else(|| format!("its element type '{dtype}' is not supported"))?;
        if entry(header, "fortran_order").is_none_or(|order| !order.trim().starts_with("False")) {
            return Err("it is in Fortran order; save it with numpy.ascontiguousarray".to_owned());
        }
        let shape = shape(entry(header, "shape").ok_or("its header has no shape")?)?;
        let count = shape
            .iter()
            .try_fold(1usize, |product, &extent| product.checked_mul(extent));
        let size = count.and_then(|count| count.checked_mul(dtype.bytes()));
        if size != Some(data.len()) {
            return Err(format!(
                "its shape {shape:?} of {} does not fit its {} of data",
                dtype.name(),
                counted(data.len(), "byte")
            ));
        }
        Ok(Self {
            dtype,
            shape,
            data: data.to_vec(),
        })
    }

    /// The contents of a file that holds the array. bfloat16 is written as `u2`.
    pub fn write(&self) -> Vec<u8> {
        let descr = match self.dtype {
            DType::Bool => "|b1".to_owned(),
            DType::Int(1) => "|i1".to_owned(),
            DType::UInt(1) => "|u1".to_owned(),
            DType::Int(bytes) => format!("<i{bytes}"),
            DType::UInt(bytes) => format!("<u{bytes}"),
            DType::BF16 => "<u2".to_owned(),
            DType::F16 | DType::F32 | DType::F64 => format!("<f{}", self.dtype.bytes()),
        };
        let shape: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        let shape = match self.shape.len() {
            1 => shape.trim_end().to_owned(),
            _ => shape.trim_end_matches(", ").to_owned(),
        };
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
        // The data begins at a multiple of 64 bytes.
        let before = MAGIC.len() + 4;
        while !(before + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        // A header of version 1 holds 65,535 bytes: more than six thousand extents.
        bytes.extend(u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(&self.data);
        bytes
    }
}

/// The text after `'name':` in the header, up to where the next entry may begin.
fn entry<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let quoted = [format!("'{name}'"), format!("\"{name}\"")];
    let at = quoted
        .iter()
        .find_map(|key| header.find(key).map(|at| at + key.len()))?;
    let value = header.get(at..)?.trim_start().strip_prefix(':')?.trim_start();
    let end = match value.chars().next()? {
        '(' => value.find(')')? + 1,
        quote @ ('\'' | '"') => value.get(1..)?.find(quote)? + 2,
        _ => value.find([',', '}'])?,
    };
    value.get(..end)
}

fn descr(text: &str) -> Option<DType> {
    Some(match text {
        "|b1" | "<b1" | "?" => DType::Bool,
        "|i1" | "<i1" => DType::Int(1),
        "|u1" | "<u1" => DType::UInt(1),
        "<i2" => DType::Int(2),
        "<i4" => DType::Int(4),
        "<i8" => DType::Int(8),
        "<u2" => DType::UInt(2),
        "<u4" => DType::UInt(4),
        "<u8" => DType::UInt(8),
        "<f2" => DType::F16,
        "<f4" => DType::F32,
        "<f8" => DType::F64,
        "<V2" | "|V2" => DType::BF16,
        _ => return None,
    })
}

fn shape(text: &str) -> Result<Vec<usize>, String> {
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let extents = inner
        .split(',')
        .map(str::trim)
        .filter(|extent| !extent.is_empty());
    extents
        .map(|extent| {
            let digits = extent.trim_end_matches('L');
            digits
                .parse()
                .map_err(|_| format!("its shape has the extent '{extent}'"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(dtype: DType, shape: &[usize]) -> Array {
        let count = shape.iter().product::<usize>() * dtype.bytes();
        Array {
            dtype,
            shape: shape.to_vec(),
            data: (0..count).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect(),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for dtype in [
            DType::Bool,
            DType::Int(1),
            DType::UInt(8),
            DType::F16,
            DType::F32,
            DType::F64,
        ] {
            for shape in [&[][..], &[7], &[2, 3], &[4, 1, 5], &[0]] {
                let array = array(dtype, shape);
                let bytes = array.write();
                assert_eq!((bytes.len() - array.data.len()) % 64, 0);
                assert_eq!(Array::read(&bytes), Ok(array));
            }
        }
    }

    #[test]
    fn bfloat16_is_stored_as_raw_words() {
        let bytes = array(DType::BF16, &[3]).write();
        assert_eq!(Array::read(&bytes).map(|array| array.dtype), Ok(DType::UInt(2)));
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_an_error_or_an_array() {
        let bytes = array(DType::F32, &[2, 3]).write();
        for cut in 0..bytes.len() {
            assert!(Array::read(&bytes[..cut]).is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            for value in [0, b'9', b'(', b'\'', 0xff] {
                let mut bad = bytes.clone();
                bad[at] = value;
                let _ = Array::read(&bad);
            }
        }
    }

    #[test]
    fn strides_count_elements() {
        assert_eq!(array(DType::F32, &[4, 3, 2]).strides(), [6, 2, 1]);
        assert_eq!(array(DType::F32, &[]).strides(), [0usize; 0]);
    }
}
