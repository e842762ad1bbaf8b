//! Named layouts of hardware and of compilers: `mma.m16n8k16.b16.a`,
//! `blocked([1,4],[8,4],[4,1],[1,0]) 64x64`.
//!
//! A name consists of a family, its variant after dots, its parameters in parentheses, and a shape if
//! the family is parametric in it. [`FAMILIES`] lists them all, each with an example.

mod matrix_move;
mod memory;
mod mma;
mod registers;
mod warpgroup;
mod words;

use std::fmt;
use std::ops::Range;

use tilewright_layouts::{ElementWidth, LayoutError, LinearLayout};

use words::Words;

/// A named layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The layout.
    pub layout: LinearLayout,
    /// The element width, if the name specifies it.
    pub width: Option<ElementWidth>,
}

/// A family of names with the same first word.
#[derive(Clone, Copy)]
pub struct Family {
    /// The first word.
    pub name: &'static str,
    /// The grammar of the rest of the name.
    pub grammar: &'static str,
    /// The names: all of them if there are no parameters, otherwise examples.
    pub names: fn() -> Vec<String>,
    /// A description of the layouts.
    pub about: &'static str,
    read: fn(&mut Words<'_>) -> Result<Named, CatalogueError>,
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family")
            .field("name", &self.name)
            .field("grammar", &self.grammar)
            .finish_non_exhaustive()
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "blocked",
        grammar: "blocked([SIZE_PER_THREAD], [THREADS_PER_WARP], [WARPS], [ORDER]) SHAPE",
        names: || vec!["blocked([1,4],[8,4],[4,1],[1,0]) 64x64".to_owned()],
        about: "threads tile the tensor with small blocks of elements",
        read: registers::blocked,
    },
    Family {
        name: "coalesced",
        grammar: "coalesced(VECTOR, WARPS, [ORDER]) SHAPE",
        names: || vec!["coalesced(4,4,[1,0]) 32x64".to_owned()],
        about: "the blocked layout whose warps read consecutive vectors of so many elements",
        read: registers::coalesced,
    },
    Family {
        name: "mma",
        grammar: "mma.SHAPE.WIDTH.a|b|c, and of a tile mma.SHAPE.WIDTH.a|b|c([WARPS], [ORDER]) SHAPE",
        names: mma::names,
        about: "a matrix of `mma.sync`: of one instruction, or of a tile that a grid of warps computes",
        read: mma::mma,
    },
    Family {
        name: "volta",
        grammar: "volta.a|b.row|col, volta.c.f16|f32",
        names: mma::volta_names,
        about: "a matrix of `mma.sync.m8n8k4` on f16, which computes four products",
        read: mma::volta,
    },
    Family {
        name: "ldmatrix",
        grammar: "ldmatrix.xCOUNT.WIDTH, ldmatrix.xCOUNT.trans.WIDTH, ldmatrix.SHAPE.xCOUNT. … .WIDTH",
        names: matrix_move::ldmatrix_names,
        about: "registers to matrix, row and column of one `ldmatrix`",
        read: matrix_move::ldmatrix,
    },
    Family {
        name: "stmatrix",
        grammar: "stmatrix.xCOUNT.WIDTH, stmatrix.xCOUNT.trans.WIDTH, stmatrix.m16n8.xCOUNT.trans.WIDTH",
        names: matrix_move::stmatrix_names,
        about: "registers to matrix, row and column of one `stmatrix`",
        read: matrix_move::stmatrix,
    },
    Family {
        name: "wgmma",
        grammar: "wgmma.m64nN.c, wgmma.m64kK.WIDTH.a",
        names: warpgroup::wgmma_names,
        about: "the accumulator of `wgmma`, or its operand A in registers",
        read: warpgroup::wgmma,
    },
    Family {
        name: "tcgen05",
        grammar: "tcgen05.SHAPE.xREPEAT, tcgen05.SHAPE.xREPEAT.pack16",
        names: warpgroup::tcgen05_names,
        about: "registers to lanes and columns of tensor memory, of one `tcgen05.ld` or `tcgen05.st`",
        read: warpgroup::tcgen05,
    },
    Family {
        name: "nvmma",
        grammar: "nvmma.SWIZZLE.ELEMENT SHAPE, nvmma.SWIZZLE.ELEMENT.col SHAPE",
        names: memory::nvmma_names,
        about: "shared memory as bulk tensor copies write it and matrix units read it",
        read: memory::nvmma,
    },
    Family {
        name: "swizzled",
        grammar: "swizzled(VEC, PER_PHASE, MAX_PHASE, [ORDER]) SHAPE",
        names: || vec!["swizzled(8,1,8,[1,0]) 64x64".to_owned()],
        about: "shared memory in which vectors of VEC elements change places from row to row",
        read: memory::swizzled,
    },
    Family {
        name: "plain",
        grammar: "plain([ORDER]) SHAPE",
        names: || vec!["plain([1,0]) 64x64".to_owned()],
        about: "shared memory in the order of the axes, fastest first",
        read: memory::plain,
    },
];

/// An invalid layout name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueError {
    /// The invalid part, in bytes of the name.
    pub at: Range<usize>,
    /// The reason.
    pub reason: Reason,
}

/// The reason of a [`CatalogueError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// No family has this first word.
    UnknownFamily {
        /// The word.
        found: String,
        /// The most similar family name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// A part of the name is invalid.
    Unknown {
        /// The part; empty at the end of the name.
        found: String,
        /// The valid parts.
        expected: &'static str,
    },
    /// The name is well formed but denotes no valid layout.
    Layout(LayoutError),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::UnknownFamily { found, nearest } => {
                write!(f, "no layout's name begins with `{found}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; is `{nearest}` meant?"),
                    None => Ok(()),
                }
            }
            Reason::Unknown { found, expected } if found.is_empty() => {
                write!(f, "expected {expected} at the end of the name")
            }
            Reason::Unknown { found, expected } => write!(f, "expected {expected} instead of `{found}`"),
            Reason::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CatalogueError {}

/// The family of a name, by its first word.
pub fn family(name: &str) -> Option<&'static Family> {
    let word = Words::new(name).word();
    FAMILIES.iter().find(|family| family.name == word.text)
}

/// Constructs the layout of a name.
///
/// # Errors
/// No layout has the name; the error locates the invalid part.
///
/// ```
/// use tilewright_layout_gallery::catalogue;
/// use tilewright_layouts::Dim;
/// let named = catalogue::find("blocked([1,4],[8,4],[4,1],[1,0]) 64x64")?;
/// assert_eq!(named.layout.in_size(Dim::Register), 32);
/// let error = catalogue::find("blocke 64x64").unwrap_err();
/// assert_eq!(error.to_string(), "no layout's name begins with `blocke`; is `blocked` meant?");
/// assert_eq!(error.at, 0..6);
/// # Ok::<(), catalogue::CatalogueError>(())
/// ```
pub fn find(name: &str) -> Result<Named, CatalogueError> {
    let mut words = Words::new(name);
    let first = words.word();
    let Some(family) = FAMILIES.iter().find(|family| family.name == first.text) else {
        if first.text.is_empty() {
            return Err(words.expected("the name of a layout"));
        }
        let nearest = FAMILIES.iter().map(|family| family.name);
        let nearest = nearest.min_by_key(|known| distance(known, first.text));
        let like = |known: &&str| distance(known, first.text) <= known.len() / 3;
        return Err(CatalogueError {
            at: first.at,
            reason: Reason::UnknownFamily {
                found: first.text.chars().take(40).collect(),
                nearest: nearest.filter(like),
            },
        });
    };
    let named = (family.read)(&mut words)?;
    words.end()?;
    Ok(named)
}

/// The edit distance of two words. Words of more than 40 bytes count as entirely different.
fn distance(one: &str, two: &str) -> usize {
    if two.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, a) in one.bytes().enumerate() {
        let mut next = vec![at + 1];
        for ((b, pair), above) in two.bytes().zip(row.windows(2)).zip(row.iter().skip(1)) {
            let replaced = pair.first().map_or(0, |corner| corner + usize::from(a != b));
            let left = next.last().map_or(0, |left| left + 1);
            next.push(replaced.min(left).min(above + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
