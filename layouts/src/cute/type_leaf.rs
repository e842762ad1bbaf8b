//! Leaves as types know them, and the maps between such leaves.

use super::basis::Scaled;
use super::composed_type::{ComposedOf, LastOf};
use super::fact::Fact;
use super::layout::{LayoutOf, ModeOf};
use super::leaf::Leaf;
use super::tiler::TilerOf;
use super::traced::{RunTime, Traced};

/// A leaf of which a type knows a [`Fact`]: the fact alone, or also how the leaf is computed.
///
/// A rule that is written over it gives the type of a result, and the computation of its leaves.
pub trait TypeLeaf: Leaf<Stride = Scaled<Self>> {
    /// What is known of it.
    fn fact(&self) -> Fact;

    /// The value from outside of that number, of which `fact` is known. A static fact is its number.
    fn input(fact: Fact, number: u32) -> Self;

    /// The result of an operation of which `fact` is known.
    #[must_use]
    fn apply(op: RunTime, a: &Self, b: &Self, fact: Fact) -> Self;

    /// The same leaf, of which this is known.
    #[must_use]
    fn known_as(&self, fact: Fact) -> Self;

    /// A number of any sign.
    fn number(value: i64) -> Self {
        Self::input(Fact::Static(value), 0)
    }
}

impl TypeLeaf for Fact {
    fn fact(&self) -> Fact {
        *self
    }
    fn input(fact: Fact, _: u32) -> Self {
        fact
    }
    fn apply(_: RunTime, _: &Self, _: &Self, fact: Fact) -> Self {
        fact
    }
    fn known_as(&self, fact: Fact) -> Self {
        fact
    }
}

impl TypeLeaf for Traced {
    fn fact(&self) -> Fact {
        Traced::fact(self)
    }
    fn input(fact: Fact, number: u32) -> Self {
        Traced::input(fact, number)
    }
    fn apply(op: RunTime, a: &Self, b: &Self, fact: Fact) -> Self {
        Traced::of(fact, op, a, b)
    }
    fn known_as(&self, fact: Fact) -> Self {
        self.with_fact(fact)
    }
}

impl<L: TypeLeaf> LayoutOf<L> {
    /// The layout with other leaves: first those of the shape, then those of the stride, each from left to right. Extents
    /// have to stay above 0.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Leaf, TypeLayout};
    /// let layout: TypeLayout = "(8,?):(?{i64},1)".parse()?;
    /// let mut leaves = Vec::new();
    /// let same: TypeLayout = layout.map_leaves(&mut |leaf| {
    ///     leaves.push(leaf.to_string());
    ///     *leaf
    /// });
    /// assert_eq!((leaves.join(" "), same), ("8 ? ?{i64} 1".into(), layout));
    /// # Ok::<(), tilewright_layouts::cute::ParseCuteError>(())
    /// ```
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> LayoutOf<M> {
        let shaped = self.tree().map(&mut |mode| (leaf(&mode.shape), &mode.stride));
        LayoutOf::from_tree(shaped.map(&mut |(shape, stride)| ModeOf {
            shape: shape.clone(),
            stride: stride.map(&mut *leaf),
        }))
    }
}

impl<L: TypeLeaf> ComposedOf<L> {
    /// The layout with other leaves, in the order of the text; see [`LayoutOf::map_leaves`].
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> ComposedOf<M> {
        let last = match self.last() {
            LastOf::Swizzle(swizzle) => LastOf::Swizzle(*swizzle),
            LastOf::Layout(layout) => LastOf::Layout(layout.map_leaves(leaf)),
        };
        let offset = self.offset().map(leaf);
        ComposedOf::of_parts(last, offset, self.layout().map_leaves(leaf))
    }
}

impl<L: TypeLeaf> TilerOf<L> {
    /// The tiler with other leaves, in the order of the text; see [`LayoutOf::map_leaves`].
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> TilerOf<M> {
        match self {
            TilerOf::All => TilerOf::All,
            TilerOf::Layout(layout) => TilerOf::Layout(layout.map_leaves(leaf)),
            TilerOf::Modes(modes) => TilerOf::Modes(modes.iter().map(|mode| mode.map_leaves(leaf)).collect()),
        }
    }
}
