//! Product, composition and inverses of linear layouts.

use std::ops::Mul;

use super::{LinearLayout, Side, low_mask};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::span::{Span, multiply};

impl LinearLayout {
    /// The two layouts side by side: the input bits of `self` are the more minor ones of a dimension
    /// that both have, and so are its output bits, past which those of `outer` are shifted.
    ///
    /// (Not an exclusive or of overlapping values: with a shared out-dimension the product of two
    /// bijections is a bijection.) Associative; [`LinearLayout::empty`] is neutral.
    ///
    /// # Errors
    /// A dimension or a side of the result has too many bits.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let d = Dim::Axis(0);
    /// let lanes = LinearLayout::identity_1d(4, Dim::Lane, d)?;
    /// let registers = LinearLayout::identity_1d(8, Dim::Register, d)?;
    /// assert_eq!(*lanes.product(&registers)?.at(3, 2, 0, 0), [3 * 4 + 2]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn product(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let bits = |dim| self.out_bits(dim).unwrap_or(0) + outer.out_bits(dim).unwrap_or(0);
        let mut outs: Vec<Side> = Vec::new();
        for side in self.outs.iter().chain(&outer.outs) {
            if !outs.iter().any(|known| known.dim == side.dim) {
                outs.push(Side {
                    dim: side.dim,
                    bits: bits(side.dim) as u8,
                });
            }
        }
        super::check_outs(&outs)?;
        outs.sort();
        let frame = LinearLayout {
            ins: Vec::new(),
            outs: outs.clone(),
            columns: Vec::new(),
        };
        let place = |from: &LinearLayout, above: Option<&LinearLayout>, word: u64| {
            from.outs.iter().fold(0, |sum, side| {
                let part = word >> from.out_shift(side.dim) & low_mask(u32::from(side.bits));
                let past = above.and_then(|inner| inner.out_bits(side.dim)).unwrap_or(0);
                sum | part << (frame.out_shift(side.dim) + past)
            })
        };
        let mut ins: Vec<(Dim, Vec<u64>)> = Vec::new();
        for (dim, columns) in self.grouped() {
            ins.push((
                dim,
                columns
                    .into_iter()
                    .map(|column| place(self, None, column))
                    .collect(),
            ));
        }
        for (dim, columns) in outer.grouped() {
            let columns = columns.into_iter().map(|column| place(outer, Some(self), column));
            match ins.iter_mut().find(|(known, _)| *known == dim) {
                Some((_, inner)) => inner.extend(columns),
                None => ins.push((dim, columns.collect())),
            }
        }
        Self::assemble(ins, outs)
    }

    /// First `self`, then `outer`: `self.compose(outer)(x) = outer(self(x))`.
    ///
    /// The out-dimensions of `self` are the in-dimensions of `outer`; those that `outer` has and
    /// `self` does not are at 0. Associative wherever both sides are defined.
    ///
    /// # Errors
    /// An out-dimension of `self` is larger than the in-dimension of `outer` of that name.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let write = LinearLayout::identity_1d(8, Dim::Lane, Dim::Offset)?;
    /// let memory = LinearLayout::strided_1d(8, 2, Dim::Offset, Dim::Axis(0))?;
    /// assert_eq!(*write.compose(&memory)?.at(0, 3, 0, 0), [6]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn compose(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        for side in &self.outs {
            if u32::from(side.bits) > outer.in_bits(side.dim) {
                let (found, expected) = (1 << side.bits, u64::from(outer.in_size(side.dim)));
                return Err(LayoutError::SizeMismatch {
                    dim: side.dim,
                    found,
                    expected,
                });
            }
        }
        let columns = self.columns.iter().map(|column| {
            let input = self.outs.iter().fold(0, |sum, side| {
                let part = column >> self.out_shift(side.dim) & low_mask(u32::from(side.bits));
                sum | part << outer.in_shift(side.dim)
            });
            multiply(&outer.columns, input)
        });
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs: outer.outs.clone(),
            columns: columns.collect(),
        })
    }

    /// The inverse map, from out-dimensions to in-dimensions.
    ///
    /// Axes of size 1 have no bits and are therefore no in-dimensions of the result.
    ///
    /// # Errors
    /// The layout is not a bijection.
    pub fn invert(&self) -> Result<LinearLayout, LayoutError> {
        if !self.is_invertible() {
            let (in_bits, out_bits) = (self.total_in_bits() as usize, self.total_out_bits() as usize);
            return Err(LayoutError::NotInvertible {
                in_bits,
                out_bits,
                rank: self.rank(),
            });
        }
        self.pseudo_inverse()
    }

    /// A map back that is right wherever a map back can be: `G` with `L(G(y)) = y` for every output
    /// `y` that `L` reaches, and then `G(y)` is the smallest such position (in the numbering where
    /// registers are the lowest bits and blocks the highest). So replicated data is read from lane 0,
    /// warp 0, block 0. It also satisfies `G(L(G(y))) = G(y)` for every `y`.
    ///
    /// Time: (input bits + output bits) × output bits word operations.
    ///
    /// # Errors
    /// The layout has more in-dimensions than a layout can have out-dimensions.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// // Two lanes hold each element.
    /// let copies = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![0], vec![1], vec![2]])], &[4])?;
    /// let back = copies.pseudo_inverse()?;
    /// assert_eq!(*back.apply(&[(Dim::Axis(0), 3)]), [6]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn pseudo_inverse(&self) -> Result<LinearLayout, LayoutError> {
        let span = Span::of(self.columns.iter().copied());
        let solve = |word| self.position_word(span.project(word));
        let ins = self.outs.iter().map(|side| {
            let shift = self.out_shift(side.dim);
            (
                side.dim,
                (0..u32::from(side.bits))
                    .map(|bit| solve(1 << (shift + bit)))
                    .collect(),
            )
        });
        Self::assemble(ins.collect(), self.ins.clone())
    }

    /// Where in `outer` to find what `self` holds: the map `C` with `outer(C(x)) = self(x)`, from the
    /// in-dimensions of `self` to those of `outer`.
    ///
    /// Every `C(x)` is the smallest position that will do, in the numbering where registers are the
    /// lowest bits and blocks the highest; input bits of `outer` that do not matter are 0. For a bijective `outer` this is `self.compose(&outer.invert()?)`.
    /// (arXiv 2505.23819, §4: the composition with a right inverse.)
    ///
    /// # Errors
    /// The layouts have different out-dimensions, or `self` reaches an element that `outer` does not.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let values = LinearLayout::identity_1d(8, Dim::Lane, Dim::Axis(0))?;
    /// let memory = LinearLayout::from_bases(
    ///     &[(Dim::Offset, vec![vec![4], vec![1], vec![2]])],
    ///     &[(Dim::Axis(0), 8)],
    /// )?;
    /// // Lane 4 holds element 4, which memory keeps at offset 1.
    /// assert_eq!(*values.invert_and_compose(&memory)?.at(0, 4, 0, 0), [1]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn invert_and_compose(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        self.same_outs(outer)?;
        let span = Span::of(outer.columns.iter().copied());
        let mut ins = Vec::with_capacity(self.ins.len());
        for side in &self.ins {
            let mut columns = Vec::with_capacity(usize::from(side.bits));
            for (index, column) in self.columns_of(side.dim).iter().enumerate() {
                let position = span.solve(*column);
                let position = position.ok_or(LayoutError::NotCovered { dim: side.dim, index })?;
                columns.push(outer.position_word(position));
            }
            ins.push((side.dim, columns));
        }
        Self::assemble(ins, outer.ins.clone())
    }

    /// An input word as an output word of a layout whose out-dimensions are these in-dimensions.
    fn position_word(&self, input: u64) -> u64 {
        self.ins.iter().fold(0, |word, side| {
            let part = input >> self.in_shift(side.dim) & low_mask(u32::from(side.bits));
            word | part << super::shift_of(&self.ins, side.dim)
        })
    }

    /// Checks that two layouts place the same tensor.
    pub(crate) fn same_outs(&self, other: &LinearLayout) -> Result<(), LayoutError> {
        let covers = |one: &LinearLayout, two: &LinearLayout| {
            one.out_dims()
                .try_for_each(|(dim, size)| match two.out_size(dim) {
                    None => Err(LayoutError::MissingDim { dim }),
                    Some(found) if found != size => Err(LayoutError::SizeMismatch {
                        dim,
                        found: u64::from(found),
                        expected: u64::from(size),
                    }),
                    Some(_) => Ok(()),
                })
        };
        covers(self, other)?;
        covers(other, self)
    }
}

/// [`LinearLayout::product`].
impl Mul for &LinearLayout {
    type Output = Result<LinearLayout, LayoutError>;

    fn mul(self, outer: &LinearLayout) -> Self::Output {
        self.product(outer)
    }
}
