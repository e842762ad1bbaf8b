//! Arithmetic on tuples, by leaf.

use super::error::{Arithmetic, CuteError, Op};
use super::layout::LayoutOf;
use super::leaf::{Leaf, integer};
use super::tiler::TilerOf;
use super::tuple::Nested;

impl<L: Leaf> Nested<L> {
    /// Adds two tuples. Modes that one of them lacks count as 0, as does an integer 0.
    ///
    /// # Errors
    /// They are not nested in the same way, or a sum overflows.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, Nested};
    /// let (a, b): (Nested<Fact>, Nested<Fact>) = ("(3,?{div=12})".parse()?, "(-5,?{div=8})".parse()?);
    /// assert_eq!(a.plus(&b)?.to_string(), "(-2,?{div=4})");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plus(&self, other: &Nested<L>) -> Result<Nested<L>, CuteError> {
        match (self, other) {
            (Nested::Leaf(zero), tuple) | (tuple, Nested::Leaf(zero)) if zero.is(0) => Ok(tuple.clone()),
            (Nested::Tuple(a), Nested::Tuple(b)) if a.len() < b.len() => other.by_leaf(self, &mut L::plus),
            _ => self.by_leaf(other, &mut L::plus),
        }
    }

    /// Subtracts two tuples. Modes that `other` lacks are unchanged.
    ///
    /// # Errors
    /// They are not nested in the same way, or a difference overflows.
    pub fn minus(&self, other: &Nested<L>) -> Result<Nested<L>, CuteError> {
        self.by_leaf(other, &mut L::minus)
    }

    /// Multiplies two tuples. Modes that `other` lacks are unchanged.
    ///
    /// # Errors
    /// They are not nested in the same way, or a product overflows.
    pub fn times(&self, other: &Nested<L>) -> Result<Nested<L>, CuteError> {
        self.by_leaf(other, &mut L::times)
    }

    /// Divides two tuples, rounded towards 0. Modes that `other` lacks are unchanged.
    ///
    /// # Errors
    /// They are not nested in the same way, a divisor is 0, or a quotient is not decided and not left to run time.
    pub fn quotient(&self, other: &Nested<L>) -> Result<Nested<L>, CuteError> {
        self.by_leaf(other, &mut |a, b| a.quotient(b).ok_or_else(|| no_quotient(a, b)))
    }

    /// The remainders of [`Nested::quotient`].
    ///
    /// # Errors
    /// Those of [`Nested::quotient`].
    pub fn remainder(&self, other: &Nested<L>) -> Result<Nested<L>, CuteError> {
        self.by_leaf(other, &mut |a, b| a.remainder(b).ok_or_else(|| no_quotient(a, b)))
    }

    /// Divides a shape by another where one divides the other, leaf by leaf: `a / b`, or 1 if `b` is
    /// a multiple of `a`. An integer is divided by the product of a tuple, and an integer for the whole
    /// divides a tuple from the left and is used up by it. (CUTLASS: `shape_div` of `int_tuple.hpp`.)
    ///
    /// # Errors
    /// A tuple within the shape has an integer as its divisor, ranks differ, or neither number divides
    /// the other.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let shape: IntTuple = "(4,(6,8))".parse()?;
    /// assert_eq!(shape.shape_div(&IntTuple::from(12))?.to_string(), "(1,(2,8))");
    /// assert_eq!(shape.shape_div(&"(2,(3,2))".parse()?)?.to_string(), "(2,(2,4))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape_div(&self, divisor: &Nested<L>) -> Result<Nested<L>, CuteError> {
        match (self, divisor) {
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b).map(|(a, b)| match (a, b) {
                    (Self::Tuple(_), Self::Leaf(_)) => Err(CuteError::NotCongruent {
                        left: Box::new(a.shown()),
                        right: Box::new(b.shown()),
                    }),
                    _ => a.shape_div(b),
                });
                parts.collect::<Result<_, _>>().map(Self::Tuple)
            }
            (Self::Tuple(a), Self::Tuple(b)) => Err(CuteError::Rank {
                op: Op::ShapeDiv,
                found: b.len(),
                limit: a.len(),
            }),
            (Self::Tuple(a), Self::Leaf(b)) => {
                let mut rest = b.clone();
                let parts = a.iter().map(|a| {
                    let part = a.shape_div(&Self::Leaf(rest.clone()))?;
                    rest = rest.shape_div(&a.product()?)?;
                    Ok(part)
                });
                parts.collect::<Result<_, CuteError>>().map(Self::Tuple)
            }
            (Self::Leaf(a), _) => a.shape_div(&divisor.product()?).map(Self::Leaf),
        }
    }

    /// The number of tiles in a shape, rounded up: in the whole of it, or with a tiler by mode in each
    /// mode. Modes without a tile are unchanged. (CUTLASS: `ceil_div` of a shape by a tiler, the shape
    /// of the tile's complement.)
    ///
    /// # Errors
    /// The tiler has more modes than the shape, or `_` for one; or those of [`LayoutOf::complement`].
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, Nested};
    /// let shape: Nested<Fact> = "(100,?,4)".parse()?;
    /// assert_eq!(shape.tiles(&"[16:1;64:1]".parse()?)?.to_string(), "(7,?,4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tiles(&self, tiler: &TilerOf<L>) -> Result<Nested<L>, CuteError> {
        match tiler {
            TilerOf::Layout(tile) => Ok(tile.complement(&Self::Leaf(self.product()?))?.shape()),
            TilerOf::Modes(tilers) if tilers.len() <= self.rank() => match (self, tilers.as_slice()) {
                (Self::Leaf(_), [tiler]) => self.tiles(tiler),
                _ => {
                    let parts = self.modes().iter().enumerate();
                    let parts = parts.map(|(number, mode)| match tilers.get(number) {
                        Some(tiler) => mode.tiles(tiler),
                        None => Ok(mode.clone()),
                    });
                    parts.collect::<Result<_, _>>().map(Self::Tuple)
                }
            },
            TilerOf::Modes(tilers) => Err(CuteError::Rank {
                op: Op::ShapeDiv,
                found: tilers.len(),
                limit: self.rank(),
            }),
            TilerOf::All => Err(CuteError::Layout {
                op: Op::ShapeDiv,
                layout: "_".to_owned(),
                needed: "a tile",
            }),
        }
    }

    /// The product of each mode, as a tuple. (CUTLASS: `product_each`.)
    ///
    /// # Errors
    /// A product overflows.
    pub fn product_each(&self) -> Result<Nested<L>, CuteError> {
        let products = self.modes().iter().map(|mode| mode.product().map(Self::Leaf));
        products.collect::<Result<_, _>>().map(Self::Tuple)
    }

    /// Combines the leaves of two tuples. Modes that `other` lacks are unchanged.
    fn by_leaf(
        &self,
        other: &Nested<L>,
        op: &mut impl FnMut(&L, &L) -> Result<L, CuteError>,
    ) -> Result<Nested<L>, CuteError> {
        match (self, other) {
            (Self::Leaf(a), Self::Leaf(b)) => op(a, b).map(Self::Leaf),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() >= b.len() => {
                let parts = a.iter().enumerate().map(|(number, a)| match b.get(number) {
                    Some(b) => a.by_leaf(b, op),
                    None => Ok(a.clone()),
                });
                parts.collect::<Result<_, _>>().map(Self::Tuple)
            }
            _ => Err(CuteError::NotCongruent {
                left: Box::new(self.shown()),
                right: Box::new(other.shown()),
            }),
        }
    }
}

fn no_quotient<L: Leaf>(a: &L, b: &L) -> CuteError {
    CuteError::Overflow {
        op: Arithmetic::Quotient,
        left: a.shown(),
        right: b.shown(),
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// The compact layout of the shape whose modes are in the order of the strides, where strides of
    /// 0 stay 0. Strides that are not static count as larger than those that are, from left to right.
    /// (CUTLASS: `make_layout_like`.)
    ///
    /// # Errors
    /// A stride is a multiple of a basis vector, or the size overflows; with
    /// [`Leaf::STRICT`], two strides are equal or one is dynamic.
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeLayout;
    /// let layout: TypeLayout = "(4,3,(8,2)):(?,0,(16,2))".parse()?;
    /// assert_eq!(layout.compact_like()?.to_string(), "(4,3,(8,2)):(16,0,(2,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compact_like(&self) -> Result<LayoutOf<L>, CuteError> {
        let order = self.integer_strides()?;
        let strides = LayoutOf::ordered(&self.filter_zeros().shape(), &order)?.stride();
        LayoutOf::new(self.shape(), strides)
    }

    /// The layout of registers for a tensor of this layout: the first mode is compact, the others
    /// follow in the order of their strides. A dynamic or flat shape is compact as a whole. (CUTLASS:
    /// `make_fragment_like`.)
    ///
    /// # Errors
    /// Those of [`LayoutOf::compact_like`] and of [`LayoutOf::tiled_product`].
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeLayout;
    /// let layout: TypeLayout = "((4,2),8,3):((2,1),32,8)".parse()?;
    /// assert_eq!(layout.fragment_like()?.to_string(), "((4,2),8,3):((1,4),24,8)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fragment_like(&self) -> Result<LayoutOf<L>, CuteError> {
        let shape = self.shape();
        if self.rank() < 2 || !shape.is_static() {
            return LayoutOf::column_major(&shape);
        }
        let first = self.mode(&[0])?;
        let strides = LayoutOf::column_major(&first.filter_zeros().shape())?.stride();
        let first = LayoutOf::new(first.shape(), strides)?;
        let rest = self.take(1..self.rank())?;
        let rest = LayoutOf::ordered(&rest.shape(), &rest.integer_strides()?)?;
        first.tiled_product(&TilerOf::Layout(rest))
    }

    fn integer_strides(&self) -> Result<Nested<L>, CuteError> {
        self.stride()
            .try_map(&mut |stride| integer::<L>(stride, Op::Order).cloned())
    }
}
