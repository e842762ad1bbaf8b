//! Rules of matrix products, shared by the languages that have them.

use tilewright_diagnostics::Code;

use crate::element::{ElementType, ScalarType};

/// The extents of a product: batch axes, then M, N and K.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents {
    /// The batch axes.
    pub batch: Vec<u32>,
    /// M, N and K.
    pub matrix: [u32; 3],
}

impl From<[u32; 3]> for Extents {
    /// The extents of one product: M, N and K.
    fn from(matrix: [u32; 3]) -> Self {
        let batch = Vec::new();
        Self { batch, matrix }
    }
}

/// The extents of a product of `a`, `m x k`, and `b`, `k x n`, added to `acc`, `m x n`, all with the same leading batch
/// axes.
///
/// # Errors
/// The shapes do not match: the code and a message for the user.
pub fn extents(a: &[u32], b: &[u32], acc: &[u32]) -> Result<Extents, (Code, String)> {
    if let ([batch_a @ .., m, k], [batch_b @ .., k_b, n], [batch @ .., m_acc, n_acc]) = (a, b, acc)
        && batch_a == batch
        && batch_b == batch
        && (k, m, n) == (k_b, m_acc, n_acc)
    {
        return Ok(Extents {
            batch: batch.to_vec(),
            matrix: [*m, *n, *k],
        });
    }
    Err((Code::TypeMismatch, format!("{a:?} times {b:?} is not {acc:?}")))
}

/// Checks that elements of the first two types are multiplied into sums of the third.
///
/// # Errors
/// They are not: the code and a message for the user.
pub fn check_elements(elements: [Option<ElementType>; 3]) -> Result<(), (Code, String)> {
    use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I4, I8, I32, TF32};
    let scalars = elements.map(|element| element.and_then(ElementType::scalar));
    let [Some(a), Some(b), Some(acc)] = scalars else {
        return Err((
            Code::OperandType,
            "a product is about tiles of numbers".to_owned(),
        ));
    };
    let exists = a == b
        && match a {
            F16 | F8E4M3FN | F8E5M2 => matches!(acc, F16 | F32),
            BF16 | TF32 | F32 => acc == F32,
            F64 => acc == F64,
            I4 | I8 | I32 => acc == I32,
            _ => false,
        };
    if exists {
        return Ok(());
    }
    let message = format!("`{a}` times `{b}` is not accumulated in `{acc}`");
    Err((Code::BadElementType, message))
}
