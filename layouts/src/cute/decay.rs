//! Parts of swizzled layouts: where the bits that a swizzle combines are not both left free, it goes over into strides.

use super::composed_type::{ComposedOf, LastOf};
use super::coord::{CoordOf, SlotOf, too_deep};
use super::error::CuteError;
use super::fact::Fact;
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride, integer};
use super::part::Part;
use super::swizzle::Swizzle;
use super::traced::RunTime;
use super::tuple::Nested;
use super::type_leaf::TypeLeaf;
use super::{Bits, Op};

/// The layout of a part of a composed layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartLayout<L: Leaf> {
    /// The swizzle has gone over into the strides.
    Plain(LayoutOf<L>),
    /// It is left.
    Composed(ComposedOf<L>),
}

/// The bits of an integer as far as they are known: those of its static part, and those that may be set at run time.
#[derive(Clone, Copy, Default)]
struct BitsOf {
    known: u64,
    dynamic: u64,
}

impl BitsOf {
    fn of(fact: Fact) -> Self {
        match fact {
            Fact::Static(value) => Self {
                known: value.cast_unsigned(),
                dynamic: 0,
            },
            Fact::Dynamic { divisor, .. } => Self {
                known: 0,
                dynamic: above(divisor.get()),
            },
        }
    }

    fn masked(self, mask: u64) -> Self {
        Self {
            known: self.known & mask,
            dynamic: self.dynamic & mask,
        }
    }

    /// The exclusive or of both. Of a sum with a dynamic offset no more is known than a divisor.
    fn combined(self, at: Self) -> Self {
        match self.dynamic {
            0 => Self {
                known: self.known ^ at.known,
                dynamic: at.dynamic,
            },
            _ => Self {
                known: 0,
                dynamic: above(self.all() | at.all()),
            },
        }
    }

    fn all(self) -> u64 {
        self.known | self.dynamic
    }

    /// What a type knows of the number.
    fn fact(self) -> Fact {
        match self.dynamic {
            0 => Fact::Static(self.known.cast_signed()),
            _ => {
                let lowest = self.all() & self.all().wrapping_neg();
                let divisor = std::num::NonZeroU64::new(lowest).unwrap_or(std::num::NonZeroU64::MIN);
                Fact::dynamic(Bits::B32, divisor)
            }
        }
    }
}

/// The lowest bit of a number and all above it.
fn above(number: u64) -> u64 {
    number
        .checked_ilog2()
        .map_or(0, |_| u64::MAX << number.trailing_zeros())
}

/// The bits that the indices of a mode have.
fn bits_of_mode<L: TypeLeaf>(mode: &ModeOf<L>) -> Result<u64, CuteError> {
    let stride = integer::<L>(&mode.stride, Op::Slice)?.fact();
    Ok(match (mode.shape.fact(), stride) {
        (Fact::Static(1), _) | (_, Fact::Static(0)) => 0,
        (Fact::Static(extent), Fact::Static(stride)) => {
            let (extent, stride) = (extent.unsigned_abs(), stride.unsigned_abs());
            let span = (extent - 1).saturating_mul(stride);
            match extent.is_power_of_two() && stride.is_power_of_two() {
                true => span,
                false => above(stride) & (u64::MAX >> span.leading_zeros()),
            }
        }
        (_, stride) => above(stride.divisor()),
    })
}

/// The bits of an index.
fn bits_at<L: TypeLeaf>(
    coord: &CoordOf<L>,
    tree: &Nested<ModeOf<L>>,
    bits: &mut BitsOf,
) -> Result<(), CuteError> {
    match (coord, tree) {
        (Nested::Leaf(SlotOf::All), _) => Ok(()),
        (Nested::Tuple(slots), Nested::Tuple(modes)) => {
            let mut parts = slots.iter().zip(modes);
            parts.try_for_each(|(slot, mode)| bits_at(slot, mode, bits))
        }
        (Nested::Leaf(SlotOf::At(place)), _) if place.is_static() => {
            let index = LayoutOf::from_tree(tree.clone()).index_of(coord)?;
            for leaf in index.leaves() {
                let part = BitsOf::of(leaf.fact());
                bits.known = bits.known.wrapping_add(part.known);
                bits.dynamic |= part.dynamic;
            }
            Ok(())
        }
        (Nested::Leaf(SlotOf::At(place)), Nested::Leaf(mode)) => {
            let step = mode.stride.scaled(place)?;
            let step = integer::<L>(&step, Op::Slice)?.fact().divisor();
            bits.dynamic |= bits_of_mode(mode)? & above(step);
            Ok(())
        }
        (Nested::Leaf(SlotOf::At(place)), Nested::Tuple(_)) => {
            let shape = tree.map(&mut |mode| mode.shape.clone());
            let parts = shape.coord_of(&Nested::Leaf(place.clone()))?;
            bits_at(&parts.map(&mut |leaf| SlotOf::At(leaf.clone())), tree, bits)
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(too_deep(tree)),
    }
}

/// The bits that a swizzle reads, and those that it changes.
fn masks(swizzle: Swizzle) -> (u64, u64) {
    let run = (1u64 << swizzle.bits()) - 1;
    let shift = swizzle.shift();
    let read = swizzle.base() + u32::try_from(shift).unwrap_or(0);
    let changed = swizzle.base() + u32::try_from(-shift).unwrap_or(0);
    (run << read, run << changed)
}

/// A bit that a swizzle reads, moved to where it changes one, or the other way round.
fn partner(swizzle: Swizzle, bit: u64, back: bool) -> u64 {
    let distance = swizzle.shift().unsigned_abs();
    match (swizzle.shift() > 0) == back {
        true => bit << distance,
        false => bit >> distance,
    }
}

/// A number with the bits flipped that a swizzle flips, of which no more than `bits` is known. It is as wide as before.
fn flipped<L: TypeLeaf>(swizzle: Swizzle, number: &L, bits: BitsOf) -> L {
    let (read, _) = masks(swizzle);
    let of_read = bits.masked(read);
    let flips = BitsOf {
        known: partner(swizzle, of_read.known, false),
        dynamic: partner(swizzle, of_read.dynamic, false),
    };
    let image = BitsOf {
        known: bits.known ^ flips.known,
        dynamic: bits.dynamic | flips.dynamic,
    };
    let mask = L::number(read.cast_signed());
    let read = L::apply(RunTime::And, number, &mask, of_read.fact());
    let shift = swizzle.shift();
    let moved = match shift > 0 {
        true => L::apply(
            RunTime::ShiftRight,
            &read,
            &L::number(i64::from(shift)),
            flips.fact(),
        ),
        false => {
            let factor = L::from(1 << shift.unsigned_abs());
            L::apply(RunTime::Product, &read, &factor, flips.fact())
        }
    };
    let image = match image.fact() {
        Fact::Dynamic { divisor, .. } => Fact::dynamic(number.fact().width(), divisor),
        known @ Fact::Static(_) => known,
    };
    L::apply(RunTime::ExclusiveOr, number, &moved, image)
}

impl<L: TypeLeaf> ComposedOf<L> {
    /// A part of the layout, and what it is away from the beginning, by which an iterator moves on.
    ///
    /// The offset's bits that the swizzle neither reads nor changes always move the iterator. The others stay in the
    /// composition if the part has both bits of a pair that the swizzle combines. Otherwise the swizzle goes over into
    /// the strides: where it flips a bit of the part by a bit that is known at run time only, the stride is so, too.
    /// (CUTLASS: `slice_and_offset` of a composed layout.)
    ///
    /// # Errors
    /// Those of [`Part::start`]; or the layout has basis vectors.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Part, PartLayout, TypeComposed};
    /// let rows: TypeComposed = "S<3,3,3> o 0 o (8,64):(64,1)".parse()?;
    /// let part = Part::slice(rows.layout(), &"(?,_)".parse()?)?;
    /// let (PartLayout::Plain(row), start) = rows.part(&part)? else { panic!() };
    /// assert_eq!(row.to_string(), "((8,2,2,2)):((1,?{div=8},?{div=16},?{div=32}))");
    /// assert_eq!(start.to_string(), "?{div=8}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn part(&self, part: &Part<L>) -> Result<(PartLayout<L>, Nested<L>), CuteError> {
        let zero = Nested::Leaf(L::from(0));
        let composed = |offset: Nested<L>| {
            let composed = ComposedOf::new(self.last().clone(), offset, part.free.clone());
            composed.map(PartLayout::Composed)
        };
        let LastOf::Swizzle(swizzle) = self.last() else {
            let offset = self.offset().plus(&part.start()?)?;
            return Ok((composed(offset)?, zero));
        };
        if part.at.leaves().all(|slot| *slot == SlotOf::All) {
            return Ok((composed(self.offset().clone())?, zero));
        }
        let (read, changed) = masks(*swizzle);
        let mask = read | changed;
        let own = self.offset().product()?;
        let mut at = BitsOf::default();
        bits_at(&part.at, part.chosen.tree(), &mut at)?;
        // What the swizzle sees of the offset, and the rest, by which the iterator moves on.
        let bits = BitsOf::of(own.fact()).combined(at.masked(mask));
        let distance = part.start()?.product()?;
        let seen = L::number(mask.cast_signed());
        let seen = L::apply(RunTime::And, &distance, &seen, at.masked(mask).fact());
        let inside = L::apply(RunTime::ExclusiveOr, &own, &seen, bits.fact());
        let outside = at.masked(!mask);
        let rest = L::apply(RunTime::Difference, &distance, &seen, outside.fact());
        let mut active = 0;
        for mode in part.free.tree().leaves() {
            active |= bits_of_mode(mode)?;
        }
        if partner(*swizzle, active & read, false) & active & changed != 0 {
            return Ok((composed(Nested::Leaf(inside))?, Nested::Leaf(rest)));
        }
        let image = BitsOf {
            known: bits.known ^ partner(*swizzle, bits.known & read, false),
            dynamic: bits.dynamic | partner(*swizzle, bits.dynamic & read, false),
        };
        let start = BitsOf {
            known: image.known.wrapping_add(outside.known),
            dynamic: image.dynamic | outside.dynamic,
        };
        let moved = flipped(*swizzle, &inside, bits);
        let start = L::apply(RunTime::Sum, &moved, &rest, start.fact());
        let free = match active & mask {
            0 => part.free.clone(),
            _ => strides(*swizzle, bits, &inside)?.composition(&part.free)?,
        };
        Ok((PartLayout::Plain(free), Nested::Leaf(start)))
    }
}

impl<L: TypeLeaf> ComposedOf<L> {
    /// The index of a coordinate: that of the layout and the offset, and what is applied last to their sum.
    ///
    /// # Errors
    /// Those of [`LayoutOf::index_of`].
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeComposed;
    /// let rows: TypeComposed = "S<3,3,3> o 0 o (8,64):(64,1)".parse()?;
    /// assert_eq!(rows.index_of(&"(3,7)".parse()?)?.to_string(), "223");
    /// assert_eq!(rows.index_of(&"(?,0)".parse()?)?.to_string(), "?{div=8}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn index_of(&self, coord: &CoordOf<L>) -> Result<Nested<L>, CuteError> {
        let index = self.layout().index_of(coord)?.plus(self.offset())?;
        let swizzle = match self.last() {
            LastOf::Swizzle(swizzle) => *swizzle,
            LastOf::Layout(last) => return last.index_of(&index.map(&mut |leaf| SlotOf::At(leaf.clone()))),
        };
        let index = index.product()?;
        Ok(Nested::Leaf(flipped(swizzle, &index, BitsOf::of(index.fact()))))
    }
}

/// The swizzle at an offset as a layout of bits, for indices that do not have both bits of a pair.
fn strides<L: TypeLeaf>(swizzle: Swizzle, bits: BitsOf, offset: &L) -> Result<LayoutOf<L>, CuteError> {
    let (read, changed) = masks(swizzle);
    let end = 64 - (read | changed).leading_zeros();
    let leaves = (0..end).map(|place| {
        let bit = 1u64 << place;
        let stride = if bit & changed != 0 {
            // It is flipped by the bit that is read.
            turned(bit, bit, partner(swizzle, bit, true), bits, offset)
        } else if bit & read != 0 {
            // It flips the other one with it.
            let flips = partner(swizzle, bit, false);
            turned(bit + flips, flips, flips, bits, offset)
        } else {
            L::from(bit)
        };
        LayoutOf::strided(L::from(2), stride)
    });
    let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
    let rest = LayoutOf::strided(L::from(2), L::from(1u64 << end))?;
    Ok(LayoutOf::from_modes(leaves.into_iter().chain([rest])))
}

/// A stride, of which the part `turns` counts downwards where the offset has the bit `where_set`.
fn turned<L: TypeLeaf>(stride: u64, turns: u64, where_set: u64, bits: BitsOf, offset: &L) -> L {
    let (stride, twice) = (stride.cast_signed(), turns.cast_signed() << 1);
    match bits.masked(where_set) {
        BitsOf { dynamic: 0, known: 0 } => L::number(stride),
        BitsOf { dynamic: 0, .. } => L::number(stride - twice),
        _ => {
            let unknown = Fact::opaque(Bits::B32);
            let apply = |op, a: &L, b: i64| L::apply(op, a, &L::number(b), unknown);
            let set = apply(RunTime::And, offset, where_set.cast_signed());
            let set = apply(RunTime::ShiftRight, &set, i64::from(where_set.trailing_zeros()));
            let less = apply(RunTime::Product, &set, twice);
            let fact = BitsOf {
                known: 0,
                dynamic: stride.cast_unsigned(),
            };
            L::apply(RunTime::Difference, &L::number(stride), &less, fact.fact())
        }
    }
}
