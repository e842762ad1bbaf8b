//! The boxes in which the tensor memory accelerator copies a tile.

use tilewright_diagnostics::Code;
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
    /// Whether the copies round numbers of type `f32` to nearest, ties to even, as numbers of type `tf32`.
    pub rounded: bool,
}

impl Boxes {
    /// The arguments of a term.
    pub(crate) fn write(&self) -> Vec<Arg> {
        let mut args = vec![Arg::named("box", Term::ints(&self.extents))];
        if self.swizzle != SwizzleMode::None {
            args.push(Arg::named("swizzle", self.swizzle.write()));
        }
        for (name, flag) in [("guarded", self.guarded), ("rounded", self.rounded)] {
            args.extend(flag.then(|| Arg::named(name, Term::word(TRUE))));
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
        let mut flag = |name: &str| match args.named(name) {
            Some(word) if word.kind == TermKind::Word(TRUE.to_owned()) => Ok(true),
            Some(word) => Err(word.wrong("`true`")),
            None => Ok(false),
        };
        Ok(Self {
            extents,
            swizzle: swizzle.unwrap_or_default(),
            guarded: flag("guarded")?,
            rounded: flag("rounded")?,
        })
    }

    /// The elements in shared memory of a tile of an array with these elements.
    pub fn element(&self, of_array: ScalarType) -> ScalarType {
        match self.rounded {
            true => ScalarType::TF32,
            false => of_array,
        }
    }

    /// Checks that copies of an array's elements can round, if they are to; `loads` says whether they load.
    ///
    /// # Errors
    /// The code, and what cannot be rounded.
    pub(crate) fn check_rounding(&self, of_array: ScalarType, loads: bool) -> Result<(), (Code, String)> {
        let message = match (self.rounded, loads) {
            (false, _) => return Ok(()),
            (true, true) if of_array == ScalarType::F32 => return Ok(()),
            (true, true) => format!("tensor copies round `f32` to `tf32`; the array holds `{of_array}`"),
            (true, false) => "tensor copies round what they load, not what they store".to_owned(),
        };
        Err((Code::BadElementType, message))
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
