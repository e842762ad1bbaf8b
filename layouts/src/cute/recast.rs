//! Recasting: the same memory in elements of another width.

use std::cmp::Ordering;

use super::composed::Composed;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride, integer};
use crate::units::ElementWidth;

impl<L: Leaf> LayoutOf<L> {
    /// Recasts the layout to elements `factor` times as wide: the coordinates of the elements that
    /// form one wide element merge into one, whose index is that of the wide element.
    ///
    /// A leaf `s:d` with `d` a multiple of `factor` becomes `s:d/factor`; one with `d` a divisor of
    /// `factor` becomes `s/(factor/d):1`. The position of every coordinate is unchanged, which is
    /// checked: leaves that merge stay within one wide element. (CUTLASS: `upcast`, which rounds up
    /// where this method refuses, as do layouts of [types](Leaf::STRICT).)
    ///
    /// # Errors
    /// `factor` is 0; neither of `d` and `factor` divides the other for some leaf, or neither of `s`
    /// and `factor/d`; merged leaves exceed one wide element; or one of these depends on a dynamic
    /// value.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let bytes: Layout = "(8,(4,16)):(64,(1,4))".parse()?;
    /// assert_eq!(bytes.upcast(4)?.to_string(), "(8,(1,16)):(16,(1,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn upcast(&self, factor: u64) -> Result<LayoutOf<L>, CuteError> {
        let factor: L = nonzero(factor)?;
        let mut reached = L::from(0);
        let tree = self.tree().try_map(&mut |mode: &ModeOf<L>| {
            let (shape, stride) = (&mode.shape, integer::<L>(&mode.stride, Op::Recast)?);
            if stride.is(0) {
                return Ok::<_, CuteError>(mode.clone());
            }
            if let Some(stride) = stride.exact_quotient(&factor) {
                let (shape, stride) = (shape.clone(), stride.into());
                return Ok(ModeOf { shape, stride });
            }
            if !L::STRICT {
                let merged = match stride.is_static() {
                    true => factor.ceil_div(stride)?,
                    false => L::from(1),
                };
                let (shape, stride) = (shape.ceil_div(&merged)?, stride.ceil_div(&factor)?.into());
                return Ok(ModeOf { shape, stride });
            }
            let merged = quotient(&factor, stride)?;
            let (rest, part) = match shape.exact_quotient(&merged) {
                Some(rest) => (rest, merged),
                None => {
                    quotient(&merged, shape)?;
                    (L::from(1), shape.clone())
                }
            };
            reached = reached.plus(&part.minus(&L::from(1))?.times(stride)?)?;
            Ok(ModeOf {
                shape: rest,
                stride: L::from(1).into(),
            })
        })?;
        match reached.plus(&L::from(1))?.provably_le(&factor) {
            Some(true) => Ok(LayoutOf::from_tree(tree)),
            Some(false) | None => Err(CuteError::Carry {
                op: Op::Recast,
                extent: factor.shown(),
                reached: reached.shown(),
            }),
        }
    }

    /// Recasts the layout to elements `factor` times as narrow: multiplies the extent of the leaf of
    /// stride 1 by `factor`, and the strides of the others. (CUTLASS: `downcast`.)
    ///
    /// # Errors
    /// `factor` is 0; the number of leaves of stride 1, whose extent grows, is not one; or a number
    /// overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let words: Layout = "(8,16):(16,1)".parse()?;
    /// assert_eq!(words.downcast(4)?.to_string(), "(8,64):(64,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn downcast(&self, factor: u64) -> Result<LayoutOf<L>, CuteError> {
        let factor: L = nonzero(factor)?;
        let contiguous = self.tree().leaves().filter(|mode| mode.stride.is(1)).count();
        if L::STRICT && contiguous != 1 {
            return Err(CuteError::Layout {
                op: Op::Recast,
                layout: self.shown(),
                needed: "a layout with one leaf of stride 1",
            });
        }
        let tree = self.tree().try_map::<_, CuteError>(&mut |mode: &ModeOf<L>| {
            let (shape, stride) = (&mode.shape, integer::<L>(&mode.stride, Op::Recast)?);
            let (shape, stride) = match stride.is(1) {
                true => (shape.times(&factor)?, stride.clone()),
                false => (shape.clone(), stride.times(&factor)?),
            };
            let stride = stride.into();
            Ok(ModeOf { shape, stride })
        });
        tree.map(LayoutOf::from_tree)
    }

    /// Recasts the layout from elements of width `from` to elements of width `to`. (CUTLASS:
    /// `recast_layout`.)
    ///
    /// # Errors
    /// Those of [`LayoutOf::upcast`] and [`LayoutOf::downcast`].
    ///
    /// ```
    /// use tilewright_layouts::{ElementWidth, cute::Layout};
    /// let halves: Layout = "(8,64):(64,1)".parse()?;
    /// let words = halves.recast(ElementWidth::B16, ElementWidth::B32)?;
    /// assert_eq!(words.to_string(), "(8,32):(32,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recast(&self, from: ElementWidth, to: ElementWidth) -> Result<LayoutOf<L>, CuteError> {
        match Cast::between(from, to) {
            Cast::None => Ok(self.clone()),
            Cast::Up(factor) => self.upcast(factor),
            Cast::Down(factor) => self.downcast(factor),
        }
    }
}

impl Composed {
    /// Applies [`LayoutOf::upcast`] and recasts the swizzle and the offset to wide elements too.
    ///
    /// # Errors
    /// As [`LayoutOf::upcast`]; the swizzle splits wide elements; or the offset is not a multiple of
    /// `factor`.
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let bytes: Composed = "Sw<3,4,3> o 128 o (8,128):(128,1)".parse()?;
    /// assert_eq!(bytes.upcast(2)?.to_string(), "Sw<3,3,3> o 64 o (8,64):(64,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn upcast(&self, factor: u64) -> Result<Composed, CuteError> {
        let swizzle = self.swizzle().upcast(factor)?;
        let offset = quotient(self.offset(), &Int::Static(factor))?;
        Ok(Composed::new(swizzle, offset, self.layout().upcast(factor)?))
    }

    /// Applies [`LayoutOf::downcast`] and recasts the swizzle and the offset to narrow elements too.
    ///
    /// # Errors
    /// As [`LayoutOf::downcast`], or the recast swizzle is invalid.
    pub fn downcast(&self, factor: u64) -> Result<Composed, CuteError> {
        let swizzle = self.swizzle().downcast(factor)?;
        let offset = self.offset().times(&Int::Static(factor))?;
        Ok(Composed::new(swizzle, offset, self.layout().downcast(factor)?))
    }

    /// Applies [`LayoutOf::recast`] and recasts the swizzle and the offset too.
    ///
    /// # Errors
    /// Those of [`Composed::upcast`] and [`Composed::downcast`].
    pub fn recast(&self, from: ElementWidth, to: ElementWidth) -> Result<Composed, CuteError> {
        match Cast::between(from, to) {
            Cast::None => Ok(self.clone()),
            Cast::Up(factor) => self.upcast(factor),
            Cast::Down(factor) => self.downcast(factor),
        }
    }
}

/// A change of element width. Widths are powers of two, so that one divides the other.
enum Cast {
    None,
    Up(u64),
    Down(u64),
}

impl Cast {
    fn between(from: ElementWidth, to: ElementWidth) -> Cast {
        let (old, new) = (u64::from(from.bits()), u64::from(to.bits()));
        match new.cmp(&old) {
            Ordering::Equal => Cast::None,
            Ordering::Greater => Cast::Up(new / old),
            Ordering::Less => Cast::Down(old / new),
        }
    }
}

fn nonzero<L: Leaf>(factor: u64) -> Result<L, CuteError> {
    match factor {
        0 => Err(CuteError::ZeroFactor),
        factor => Ok(L::from(factor)),
    }
}

/// `left / right`, which has to be exact.
fn quotient<L: Leaf>(left: &L, right: &L) -> Result<L, CuteError> {
    left.exact_quotient(right).ok_or_else(|| CuteError::Divisibility {
        op: Op::Recast,
        left: left.shown(),
        right: right.shown(),
    })
}
