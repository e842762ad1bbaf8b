//! The arguments of a kernel, as every command takes them that launches one.

use std::path::Path;
use std::str::FromStr;

use clap::{ArgMatches, Args};
use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_irs::cuda_tile::MAX_GRID_EXTENT;
use tilewright_irs::isa::limits::MOST_BLOCKS;

use crate::files::read_file;
use crate::launch::arguments::{self, Bound, Given, Wanted};
use crate::units::{PtxKernel, Stage};

/// The options for arguments.
#[derive(Debug, Args)]
pub(super) struct ArgumentOptions {
    /// A scalar, or an array as its pointer; see below
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    arg: Vec<String>,
    /// An array as pointer, extents and strides; see below
    #[arg(long, value_name = "ARRAY")]
    array: Vec<String>,
    /// The extent of open dimensions of arrays that are made up [default: small enough for the reference evaluator; where times
    /// are measured, at most 4096]
    #[arg(long, value_name = "N", conflicts_with_all = ["arg", "array"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) size: Option<u64>,
    /// The seed of random inputs; each argument has its own random stream
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

impl ArgumentOptions {
    /// How they are written, for the end of a command's help.
    pub(super) const HELP: &str = "\
Arguments are bound to the kernel's parameters in the order given, and counted from 0:
  --arg 2.5            a scalar, of the type that the kernel's parameter has
  --arg x.npy          an array, passed as its pointer; a file named twice is one array
  --arg x.npy+64       the same, but 64 bytes further on
  --arg randn:f32[64]  an array made up on the spot: randn, rand, randint, zeros, ones, iota, or
                       empty for a result; then TYPE[EXTENT,...], then @SEED to override --seed
  --arg {x.npy, i32:8} a struct, passed by value: arrays, numbers with their types, and structs
  --array x.npy        an array as cuTile Python passes it: pointer, each extent, each stride
                       in elements (i32)
For a host function --arg gives a tensor its address, extents and strides, or a tuple its numbers:
  --arg x.npy.transpose(1,2,0)  the tensor's first dimension is dimension 1 of the array
  --arg (5,6)                   the numbers of a tuple that its type leaves open
bf16 arrays are stored as their bits, in uint16.";

    /// Whether none is given.
    pub(super) fn is_empty(&self) -> bool {
        self.arg.is_empty() && self.array.is_empty()
    }

    /// Binds them to the kernel's parameters, in the order on the command line.
    ///
    /// # Errors
    /// A diagnostic about the first argument that cannot be used, or about the number of arguments.
    pub(super) fn bind(
        &self,
        wanted: &[Wanted],
        matches: Option<&ArgMatches>,
    ) -> Result<Bound, Diagnostic<Location>> {
        let given = self.given(matches);
        arguments::bind(&given, wanted, self.seed, &|path| read_file(Path::new(path)))
    }

    /// The arguments, in the order on the command line.
    pub(super) fn given(&self, matches: Option<&ArgMatches>) -> Vec<Given> {
        let places = |name: &str| -> Vec<usize> {
            matches
                .and_then(|own| own.indices_of(name))
                .map(Iterator::collect)
                .unwrap_or_default()
        };
        let args = places("arg")
            .into_iter()
            .zip(self.arg.iter().cloned().map(Given::Arg));
        let arrays = places("array")
            .into_iter()
            .zip(self.array.iter().cloned().map(Given::Array));
        let mut all: Vec<_> = args.chain(arrays).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, given)| given).collect()
    }
}

/// The kernel's parameters: sizes from the PTX, types from the language of the file.
pub(super) fn wanted(ptx: &PtxKernel, own: &Stage) -> Vec<Wanted> {
    let types = own.parameters();
    let known = types.len() == ptx.entry.parameters.len();
    let parameters = ptx.entry.parameters.iter().enumerate();
    parameters
        .map(|(at, parameter)| Wanted {
            bytes: usize::try_from(parameter.ty.bytes()).unwrap_or(usize::MAX),
            ty: types.get(at).copied().flatten().filter(|_| known),
        })
        .collect()
}

/// Blocks along x, y and z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid(pub(super) [u32; 3]);

impl Grid {
    /// Each axis, the most blocks along it, and what has that limit.
    const LIMITS: [(&str, u32, &str); 3] = [
        ("x", MAX_GRID_EXTENT, "cuda_tile"),
        ("y", MOST_BLOCKS[1], "every target"),
        ("z", MOST_BLOCKS[2], "every target"),
    ];

    /// A grid with these extents.
    ///
    /// # Errors
    /// The first one that is too small or too large, and the limit.
    pub(super) fn of(grid: [u64; 3]) -> Result<Self, String> {
        let mut found = [1; 3];
        for ((slot, number), (axis, most, whose)) in found.iter_mut().zip(grid).zip(Self::LIMITS) {
            let fits = |number: &u32| (1..=most).contains(number);
            *slot = u32::try_from(number).ok().filter(fits).ok_or_else(|| {
                format!("{number} blocks along {axis} are not between 1 and {most}, the limit of {whose}")
            })?;
        }
        Ok(Self(found))
    }
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::of(shape(text, "grid")?.map(u64::from))
    }
}

/// Parses `X[,Y[,Z]]`; `what` is its name in errors.
pub(super) fn shape(text: &str, what: &str) -> Result<[u32; 3], String> {
    if text.contains(['x', 'X'])
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'x' | b'X'))
    {
        return Err(format!("use {}", text.replace(['x', 'X'], ",")));
    }
    let mut shape = [1u32; 3];
    let parts: Vec<_> = text.split(',').collect();
    if parts.len() > shape.len() {
        return Err(format!("a {what} has at most three numbers"));
    }
    for (slot, part) in shape.iter_mut().zip(parts) {
        *slot = part
            .trim()
            .parse()
            .map_err(|_| format!("'{part}' is no number of blocks"))?;
    }
    Ok(shape)
}
