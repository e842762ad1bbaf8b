//! The boxes in which the tensor memory accelerator copies a tile.

use tilewright_layouts::SwizzleMode;

use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::element::ScalarType;

/// The word for what is so.
const TRUE: &str = "true";

/// The boxes of a tile: `box = [128, 64], swizzle = "128B"`. A tensor map is made for them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Boxes {
    /// The extents of a box along the tile's axes; a tile may consist of several boxes.
    pub extents: Vec<u32>,
    /// The swizzle mode of a box in shared memory.
    pub swizzle: SwizzleMode,
    /// Whether the array may have no elements, which copies check.
    pub guarded: bool,
}

impl Boxes {
    /// The arguments of a term.
    pub(crate) fn write(&self) -> Vec<Arg> {
        let mut args = vec![Arg::named("box", Term::ints(&self.extents))];
        if self.swizzle != SwizzleMode::None {
            args.push(Arg::named("swizzle", self.swizzle.write()));
        }
        if self.guarded {
            args.push(Arg::named("guarded", Term::word(TRUE)));
        }
        args
    }

    /// Reads the arguments that [`write`](Self::write) gives.
    ///
    /// # Errors
    /// There is no box, or an argument is of another type.
    pub(crate) fn read(args: &mut Args<'_>) -> Result<Self, TermError> {
        let extents = args.required("box")?.to_ints("the extents of a box")?;
        let swizzle = args.named("swizzle").map(SwizzleMode::read).transpose()?;
        let guarded = match args.named("guarded") {
            Some(word) if word.kind == TermKind::Word(TRUE.to_owned()) => true,
            Some(word) => return Err(word.wrong("`true`")),
            None => false,
        };
        Ok(Self {
            extents,
            swizzle: swizzle.unwrap_or_default(),
            guarded,
        })
    }

    /// Bytes of a box.
    pub fn bytes(&self, element: ScalarType) -> u64 {
        let extents = self.extents.iter().map(|&extent| u64::from(extent));
        extents.fold(u64::from(element.bytes().unwrap_or(1)), u64::saturating_mul)
    }

    /// The alignment of a box in shared memory, in bytes.
    pub fn alignment(&self) -> u32 {
        u32::try_from(self.swizzle.alignment().0).unwrap_or(u32::MAX)
    }

    /// How many boxes a tile of these extents has, if it has whole ones only.
    pub fn count(&self, shape: &[u32]) -> u64 {
        let along = shape.iter().zip(&self.extents);
        along
            .map(|(extent, of_box)| u64::from(extent.div_ceil((*of_box).max(1))))
            .product()
    }
}
