//! Product, composition and inverses of linear layouts.

use std::ops::Mul;

use super::LinearLayout;
use super::fields::{Columns, Regroup, Side, Sides, first_lowest, last_lowest, shift_of};
use crate::error::LayoutError;
use crate::span::{Span, multiply};

impl LinearLayout {
    /// The product of two layouts: the input bits of `self` are the low bits of a common
    /// in-dimension, and its output bits those of a common out-dimension; those of `outer` are
    /// shifted past them.
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
        let outs = joined(&self.outs, &outer.outs);
        super::construct::check_outs(&outs)?;
        let ins = joined(&self.ins, &outer.ins);
        let inner_place = Regroup::new(
            last_lowest(&self.outs).map(|(side, from)| (from, side.bits(), shift_of(&outs, side.dim))),
        );
        let outer_place = Regroup::new(last_lowest(&outer.outs).map(|(side, from)| {
            let past = self.out_bits(side.dim).unwrap_or(0);
            (from, side.bits(), shift_of(&outs, side.dim) + past)
        }));
        let mut columns = Columns::with_capacity(self.columns.len() + outer.columns.len());
        for side in &ins {
            let inner = self.columns_of(side.dim).iter();
            columns.extend(inner.map(|column| inner_place.apply(*column)));
            let rest = outer.columns_of(side.dim).iter();
            columns.extend(rest.map(|column| outer_place.apply(*column)));
        }
        Self::assemble(ins, columns, outs)
    }

    /// Composition: `self.compose(outer)(x) = outer(self(x))`.
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
        let input = Regroup::new(
            last_lowest(&self.outs).map(|(side, from)| (from, side.bits(), outer.in_shift(side.dim))),
        );
        let image = |column: &u64| multiply(&outer.columns, input.apply(*column));
        Ok(LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs: Sides::from_slice(&outer.outs),
            columns: self.columns.iter().map(image).collect(),
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

    /// A generalised inverse: `G` with `L(G(y)) = y` for every output `y` that `L` reaches, where
    /// `G(y)` is the smallest such position (in the numbering where registers are the lowest bits and
    /// blocks the highest). So replicated data is read from lane 0, warp 0, block 0. It also
    /// satisfies `G(L(G(y))) = G(y)` for every `y`.
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
        let position = self.positions_as_outputs();
        let columns = last_lowest(&self.outs)
            .flat_map(|(side, shift)| shift..shift + side.bits())
            .map(|bit| position.apply(span.project(1 << bit)));
        Self::assemble(
            Sides::from_slice(&self.outs),
            columns.collect(),
            Sides::from_slice(&self.ins),
        )
    }

    /// The positions in `outer` of the elements of `self`: the map `C` with `outer(C(x)) = self(x)`,
    /// from the in-dimensions of `self` to those of `outer`.
    ///
    /// Every `C(x)` is the smallest such position, in the numbering where registers are the lowest
    /// bits and blocks the highest; free input bits of `outer` are 0. For a bijective `outer` this is
    /// `self.compose(&outer.invert()?)`. (arXiv 2505.23819, §4: the composition with a right
    /// inverse.)
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
        let position = outer.positions_as_outputs();
        let mut columns = Columns::with_capacity(self.columns.len());
        for side in &self.ins {
            for (index, column) in self.columns_of(side.dim).iter().enumerate() {
                let found = span.solve(*column);
                let found = found.ok_or(LayoutError::NotCovered { dim: side.dim, index })?;
                columns.push(position.apply(found));
            }
        }
        Self::assemble(
            Sides::from_slice(&self.ins),
            columns,
            Sides::from_slice(&outer.ins),
        )
    }

    /// From input words to output words of a layout whose out-dimensions are these in-dimensions.
    fn positions_as_outputs(&self) -> Regroup {
        let ends = first_lowest(&self.ins).zip(last_lowest(&self.ins));
        Regroup::new(ends.map(|((side, from), (_, to))| (from, side.bits(), to)))
    }

    /// Checks that two layouts have the same out-dimensions.
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

/// The union of the dimensions, ascending, with the sum of their bits.
fn joined(one: &Sides, two: &Sides) -> Sides {
    let mut all = Sides::from_slice(one);
    for side in two {
        match all.iter_mut().find(|known| known.dim == side.dim) {
            // At most 31 bits each.
            Some(known) => known.bits += side.bits,
            None => all.push(Side::new(side.dim, side.bits)),
        }
    }
    all.sort();
    all
}
