//! CuTe layouts as the user writes them, with a swizzle or without.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::cute::{IntTuple, Layout, Nested, ParseCuteError, Swizzle};
use tilewright_layouts::picture::{Memory, Options, Picture, PictureError, by_coordinate};

/// A layout, and what is done to its indices: an offset is added, then the swizzle.
#[derive(Clone, Debug)]
pub(super) struct Cute {
    layout: Layout,
    offset: u64,
    swizzle: Option<Swizzle>,
}

/// Why a text is no CuTe layout.
#[derive(Clone, Debug)]
pub(super) enum CuteRefusal {
    /// Something else was expected at this byte.
    Syntax {
        /// The byte.
        at: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// There is no such layout.
    Layout(String),
}

/// Whether a text means to be a CuTe layout.
pub(super) fn is_cute(text: &str) -> bool {
    text.starts_with("Sw<") || text.starts_with(|c: char| c == '(' || c == '?' || c.is_ascii_digit())
}

impl Cute {
    /// Reads `((2,4),8):((1,16),2)` or `Sw<3,4,3> o 0 o (8,64):(64,1)`.
    pub(super) fn read(text: &str) -> Result<Cute, CuteRefusal> {
        if !text.starts_with("Sw<") {
            let layout = layout(text, 0)?;
            return Ok(Cute {
                layout,
                offset: 0,
                swizzle: None,
            });
        }
        let syntax = |at, expected| CuteRefusal::Syntax { at, expected };
        let mut pieces = text.splitn(3, 'o');
        let first = pieces.next().unwrap_or_default();
        let swizzle = first.trim().parse::<Swizzle>();
        let swizzle = swizzle.map_err(|error| CuteRefusal::Layout(error.to_string()))?;
        let at = first.len();
        let second = pieces
            .next()
            .ok_or_else(|| syntax(at, "` o `, an offset, ` o ` and a layout after the swizzle"))?;
        let offset = second.trim().parse();
        let offset = offset.map_err(|_| syntax(at + 1, "the offset, a number"))?;
        let at = at + 1 + second.len();
        let third = pieces
            .next()
            .ok_or_else(|| syntax(at, "` o ` and a layout after the offset"))?;
        Ok(Cute {
            layout: layout(third, at + 1)?,
            offset,
            swizzle: Some(swizzle),
        })
    }

    /// The index of a coordinate that is given as one number.
    fn at(&self, coordinate: u64) -> Option<u64> {
        let index = self.layout.at(coordinate).ok()?.checked_add(self.offset)?;
        Some(self.swizzle.map_or(index, |swizzle| swizzle.apply(index)))
    }

    /// The picture of its indices.
    pub(super) fn picture(&self, options: &Options) -> Result<Picture, PictureError> {
        self.known()?;
        by_coordinate(&self.layout.shape(), |at| self.at(at), options)
    }

    /// The memory in which elements are at their indices; an axis for each mode.
    pub(super) fn memory(&self, width: ElementWidth) -> Result<Memory, PictureError> {
        self.known()?;
        let shape = self.layout.shape();
        let modes: Vec<&IntTuple> = match &shape {
            Nested::Leaf(_) => vec![&shape],
            Nested::Tuple(modes) => modes.iter().collect(),
        };
        let sizes: Option<Vec<u32>> = modes
            .into_iter()
            .map(|mode| u32::try_from(mode.product().ok()?.as_static()?).ok())
            .collect();
        let sizes = sizes.ok_or(PictureError::TooLarge {
            bits: u32::BITS,
            limit: Memory::MAX_BITS,
        })?;
        Memory::from_fn(&sizes, width, |at| {
            let digits = at.iter().zip(&sizes).rev();
            let flat = digits.fold(0, |flat: u64, (at, size)| {
                flat * u64::from(*size) + u64::from(*at)
            });
            self.at(flat)
        })
    }

    fn known(&self) -> Result<(), PictureError> {
        if self.layout.is_static() {
            Ok(())
        } else {
            Err(PictureError::Dynamic)
        }
    }
}

/// A layout that begins at this byte of the whole text.
fn layout(text: &str, begins: usize) -> Result<Layout, CuteRefusal> {
    text.parse().map_err(|error| match error {
        ParseCuteError::Syntax { at, expected } => CuteRefusal::Syntax {
            at: begins + at,
            expected,
        },
        ParseCuteError::Layout(error) => CuteRefusal::Layout(error.to_string()),
    })
}
