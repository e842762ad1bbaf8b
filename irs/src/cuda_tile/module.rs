//! Modules, and the language itself.

use super::attrs::{Attr, Hints};
use super::ops::TileOp;
use super::preview::External;
use super::types::{Tile, TileType};
use super::verify;
use super::version::Version;
use crate::core::{Flag, Func, Language, Owned, Problems};
use crate::literal::Dense;

/// The language `cuda_tile`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaTile;

crate::attributes! {
    /// Attributes of a kernel.
    pub struct EntryAttrs {
        /// Whether the kernel is hidden from the host.
        private in Meaning: Flag,
        /// Hints for the kernel as a whole: `num_cta_in_cga`, `num_worker_warps_per_cta`, `occupancy`.
        optimization_hints in LaunchShape: Option<Hints>,
        /// A dictionary for each parameter (from 13.5 on).
        arg_attrs in Meaning: Option<Vec<Attr>>,
    }
}

impl Default for EntryAttrs {
    fn default() -> Self {
        Self {
            private: Flag(false),
            optimization_hints: None,
            arg_attrs: None,
        }
    }
}

impl Language for CudaTile {
    const NAME: &'static str = "cuda_tile";
    type Type = TileType;
    type Op = TileOp;
    type Tag = ();
    type FuncAttrs = EntryAttrs;
    const MODULE: &'static [Owned] = crate::owned! {
        "module" {
            version in Meaning: String, "The version of the bytecode.";
            producer in Meaning: String, "What wrote the file.";
        }
        "global" {
            alignment in Meaning: u64, "The alignment in bytes.";
            private in Meaning: bool, "Whether it is hidden from the host.";
            constant in Meaning: bool, "Whether the program never writes it.";
        }
    };
    const CHECKS_BROKEN: bool = true;
    const FOLLOWS_VALUES: bool = true;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        verify::verify_func(func, problems);
    }
}

/// A variable in global memory, with its initial value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Global {
    /// The symbol.
    pub name: String,
    /// The type: a tile of rank 1.
    pub ty: Tile,
    /// The elements.
    pub value: Dense,
    /// The alignment in bytes; 0 if not given.
    pub alignment: u64,
    /// Whether it is hidden from the host.
    pub private: bool,
    /// Whether the program never writes it.
    pub constant: bool,
}

/// A module: the contents of a bytecode file, without debug information.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TileModule {
    /// The version of the file that was read, or is to be written.
    pub version: Version,
    /// The producer.
    pub producer: Option<String>,
    /// The globals, in order.
    pub globals: Vec<Global>,
    /// The kernels, in order.
    pub funcs: Vec<Func<CudaTile>>,
    /// The external functions, in order.
    pub externals: Vec<External>,
}

impl TileModule {
    /// An empty module.
    pub fn new(version: Version) -> Self {
        Self {
            version,
            producer: None,
            globals: Vec::new(),
            funcs: Vec::new(),
            externals: Vec::new(),
        }
    }

    /// The external functions directly before the kernel of this index, or, for the number of kernels, those after the
    /// last one.
    pub fn externals_before(&self, kernel: usize) -> impl Iterator<Item = (usize, &External)> {
        let start = self
            .externals
            .partition_point(|external| external.before < kernel);
        let last = kernel >= self.funcs.len();
        let rest = self.externals.iter().enumerate().skip(start);
        rest.take_while(move |(_, external)| last || external.before == kernel)
    }

    /// The global of this name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.iter().find(|global| global.name == name)
    }
}
