//! Rules of matrix products, shared by the languages that have them.

use tilewright_diagnostics::Code;

use super::arith::Signedness;
use crate::element::{ElementType, ScalarType};
use crate::isa::rules::forms;
use crate::isa::{MatrixType, MmaShape, Need};

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

/// The type of a matrix's elements in the names of instructions; `None` if no warp-wide product takes it.
pub fn matrix_type(element: ScalarType, signedness: Signedness) -> Option<MatrixType> {
    Some(match (element, signedness) {
        (ScalarType::F16, _) => MatrixType::F16,
        (ScalarType::BF16, _) => MatrixType::Bf16,
        (ScalarType::TF32, _) => MatrixType::Tf32,
        (ScalarType::F32, _) => MatrixType::F32,
        (ScalarType::F64, _) => MatrixType::F64,
        (ScalarType::F8E4M3FN, _) => MatrixType::E4m3,
        (ScalarType::F8E5M2, _) => MatrixType::E5m2,
        (ScalarType::F4E2M1FN, _) => MatrixType::E2m1,
        (ScalarType::I4, Signedness::Signed) => MatrixType::S4,
        (ScalarType::I4, Signedness::Unsigned) => MatrixType::U4,
        (ScalarType::I8, Signedness::Signed) => MatrixType::S8,
        (ScalarType::I8, Signedness::Unsigned) => MatrixType::U8,
        (ScalarType::I32, _) => MatrixType::S32,
        _ => return None,
    })
}

/// The requirements of the `mma.sync` with these extents, element types of A, B and the sums, and signedness of A and
/// B; `None` if there is no such instruction.
pub fn mma_sync(extents: [u32; 3], elements: [ScalarType; 3], signedness: [Signedness; 2]) -> Option<Need> {
    let [a, b, sum] = elements;
    let [of_a, of_b] = signedness;
    let sum = matrix_type(sum, Signedness::Signed)?;
    let types = [sum, matrix_type(a, of_a)?, matrix_type(b, of_b)?, sum];
    forms::mma_sync(MmaShape::of(extents)?, types)
}

/// Checks that there are products of elements of the first two types that are accumulated in the third.
///
/// # Errors
/// There are none: the code and a message for the user.
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
