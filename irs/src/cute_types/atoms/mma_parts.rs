//! What the types of products have in common.

use std::fmt;
use std::num::NonZeroU32;

use crate::cute_types::element::Number;
use crate::cute_types::reader::{Part, Reader, TypeError, part, words};

/// The extents of one instruction: `16x8x16`, M by N by K.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaShape {
    /// Rows of A and C.
    pub m: NonZeroU32,
    /// Columns of B and C.
    pub n: NonZeroU32,
    /// Columns of A, rows of B.
    pub k: NonZeroU32,
}

impl MmaShape {
    /// M, N and K.
    pub fn extents(self) -> [u64; 3] {
        [self.m, self.n, self.k].map(|extent| u64::from(extent.get()))
    }
}

impl Part for MmaShape {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let m = reader.number("the extent M")?;
        reader.mark('x')?;
        let n = reader.number("the extent N")?;
        reader.mark('x')?;
        let k = reader.number("the extent K")?;
        Ok(Self { m, n, k })
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.m, self.n, self.k)
    }
}

part! {
    /// The elements of A, B and C: `(f16, f16, f32)`.
    pub struct Elements {
        /// Of A.
        a: Number,
        /// Of B.
        b: Number,
        /// Of C and of the result.
        c: Number,
    }
    "(" a ", " b ", " c ")"
}

words! {
    /// The mode of a matrix in shared memory whose elements are neighbours.
    pub enum Major {
        /// K.
        K = "k",
        /// M of A, N of B.
        Mn = "mn",
    }

    /// Where A and B are.
    pub enum FragmentKind {
        /// Both in shared memory.
        SharedShared = "ss",
        /// A in registers.
        RegisterShared = "rs",
        /// A in tensor memory.
        TensorShared = "ts",
    }

    /// What becomes of a sum of integers that is too large.
    pub enum IntOverflow {
        /// It wraps.
        Wrapped = "wrapped",
        /// It is the nearest number.
        Saturated = "satfinite",
    }

    /// What is done with a matrix that stays near the tensor cores.
    pub enum Collector {
        /// It does not stay.
        Discard = "discard",
        /// It is used for the last time.
        LastUse = "lastuse",
        /// It is brought.
        Fill = "fill",
        /// It is used.
        Use = "use",
    }
}

part! {
    /// The modes of A and B whose elements are neighbours: `(k, mn)`.
    pub struct Majors {
        /// Of A.
        a: Major,
        /// Of B.
        b: Major,
    }
    "(" a ", " b ")"
}

part! {
    /// What is done with A and B that stay near the tensor cores: `(discard, use)`.
    pub struct Collectors {
        /// With A.
        a: Collector,
        /// With B.
        b: Collector,
    }
    "(" a ", " b ")"
}
