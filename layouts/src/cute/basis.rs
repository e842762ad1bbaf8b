//! Strides that are multiples of basis vectors.

use std::fmt;
use std::num::NonZeroU64;

use super::error::{CuteError, Op};
use super::expr::gcd;
use super::leaf::{Leaf, Stride};

/// A stride: an integer, or a multiple `v@m` of the basis vector of a mode.
///
/// A layout with such strides maps coordinates to coordinates: `(i,j)` by `(4,2):(2@0,1@1)` is
/// `(2i,j)`. A nested mode is named from the inside out: `1@1@0` is mode 1 of mode 0. The multiple may
/// be a ratio of two numbers, as in `1/2@0`, where elements are smaller than the unit of the
/// coordinate. (CUTLASS: `ScaledBasis`; documentation: *CuTe Algebra Types*, scaled-basis strides.)
///
/// ```
/// use tilewright_layouts::cute::TypeLayout;
/// let grid: TypeLayout = "(128,64):(1@0,1@1)".parse()?;
/// let tile = grid.zipped_divide(&"[16:1;8:1]".parse()?)?;
/// assert_eq!(tile.to_string(), "((16,8),(8,8)):((1@0,1@1),(16@0,8@1))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scaled<L> {
    factor: L,
    /// The denominator of a ratio; 1 for an integer.
    below: NonZeroU64,
    path: Vec<u32>,
}

impl<L: Leaf> Scaled<L> {
    /// The multiple `factor` of the basis vector at a path of modes, the innermost first.
    pub fn new(factor: L, path: Vec<u32>) -> Self {
        Self {
            factor,
            below: NonZeroU64::MIN,
            path,
        }
    }

    /// The multiple divided by a number.
    #[must_use]
    pub fn over(self, below: NonZeroU64) -> Self {
        Self { below, ..self }
    }

    /// The denominator of a ratio; 1 for an integer.
    pub fn below(&self) -> NonZeroU64 {
        self.below
    }

    /// The same stride with another leaf.
    pub fn map<M: Leaf>(&self, leaf: impl FnOnce(&L) -> M) -> Scaled<M> {
        Scaled {
            factor: leaf(&self.factor),
            below: self.below,
            path: self.path.clone(),
        }
    }
}

impl<L: Leaf> From<L> for Scaled<L> {
    fn from(factor: L) -> Self {
        Self::new(factor, Vec::new())
    }
}

impl<L: Leaf> Stride<L> for Scaled<L> {
    fn as_integer(&self) -> Option<&L> {
        let whole = self.path.is_empty() && self.below == NonZeroU64::MIN;
        whole.then_some(&self.factor)
    }

    fn path(&self) -> &[u32] {
        &self.path
    }

    fn scaled(&self, by: &L) -> Result<Self, CuteError> {
        let factor = self.factor.times(by)?;
        let path = self.path.clone();
        if self.below == NonZeroU64::MIN {
            return Ok(Self::new(factor, path));
        }
        let below = L::from(self.below.get());
        match factor.known() {
            Some(above) => {
                let common = gcd(above, i128::from(self.below.get()));
                let common = u64::try_from(common).unwrap_or(1).max(1);
                let reduced = factor.exact_quotient(&L::from(common)).unwrap_or(factor);
                let below = NonZeroU64::new(self.below.get() / common).unwrap_or(NonZeroU64::MIN);
                Ok(Self::new(reduced, path).over(below))
            }
            None => match factor.quotient(&below) {
                Some(quotient) => Ok(Self::new(quotient, path)),
                None => Err(CuteError::Divisibility {
                    op: Op::Index,
                    left: factor.shown(),
                    right: below.shown(),
                }),
            },
        }
    }

    fn exact_quotient(&self, by: &L) -> Option<Self> {
        let factor = self.factor.exact_quotient(by)?;
        Some(Self::new(factor, self.path.clone()).over(self.below))
    }

    fn same(&self, other: &Self) -> bool {
        self.factor.same(&other.factor) && self.below == other.below && self.path == other.path
    }

    fn factor(&self) -> &L {
        &self.factor
    }

    fn along(&self, path: &[u32]) -> Option<Self> {
        let path = path.to_vec();
        Some(Self { path, ..self.clone() })
    }
}

impl<L: fmt::Display> fmt::Display for Scaled<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.factor)?;
        if self.below != NonZeroU64::MIN {
            write!(f, "/{}", self.below)?;
        }
        self.path.iter().try_for_each(|mode| write!(f, "@{mode}"))
    }
}
