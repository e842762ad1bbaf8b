//! Atoms: the instruction that implements an op, with its parameters.
//!
//! An op carries its atom from the pass that selects it to the pass that lowers it. An atom knows which layouts its
//! operands may have, which targets support it, its hardware limits, and its cost. There are three kinds, each an
//! enum with one file for each family, whose atoms answer through a trait:
//!
//! | kind | asked through | families |
//! |---|---|---|
//! | [`CopyAtom`] | [`Copying`] | `ld`, `st`; `cp_async`; `tma`; `ldmatrix`, `stmatrix`; `tcgen05_ld`, `tcgen05_st`, `tcgen05_cp` |
//! | [`ProductAtom`] | [`Multiplying`] | `fma`; `mma_sync`; `wgmma`; `tcgen05` |
//! | [`ReduceAtom`] | | `thread`, `shuffle`, `shared`, `cluster` |

mod async_load;
mod boxes;
mod cp_async;
mod fma;
mod map_parameter;
mod matrix_move;
mod mma_sync;
mod product;
mod reduce;
mod tcgen05;
mod tensor_memory;
mod thread;
mod tma;
mod wgmma;

use std::fmt;
use std::ops::Deref;

use tilewright_diagnostics::Code;
use tilewright_layouts::bank::BankCost;
use tilewright_layouts::legality;
use tilewright_layouts::{Dim, LinearLayout};

use super::buffer::{Buffer, Space};
use super::types::TileAsType;
use crate::core::{Term, TermCodec, TermError, ValueType};
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::Memref;
use crate::dialects::pipe::PipeKind;
use crate::dialects::product_rules::Extents;
use crate::element::{ElementType, ScalarType};
use crate::isa::{Need, Target};
use crate::machine::Cost;

pub use crate::dialects::map_table::MAP_BYTES;
pub use crate::dialects::memory::{LoadPolicy, PrefetchSize, StorePolicy};
pub use async_load::{AsyncLoad, AsyncSource, NotAsync};
pub use boxes::NoBoxes;
pub(crate) use boxes::TensorPlace;
pub use cp_async::CpAsync;
pub use fma::Fma;
pub use matrix_move::{LdMatrix, StMatrix};
pub use mma_sync::MmaSyncAtom;
pub use product::{DESCRIBED_ALIGN, OperandLayouts, ProductUse, WarpGrid};
pub use reduce::ReduceAtom;
pub use tcgen05::{Blocks as Tcgen05Blocks, Tcgen05};
pub use tensor_memory::{TensorCopyShape, TensorCp, TensorLd, TensorSt};
pub use thread::{Ld, St, load_weight, ordering_weight, store_weight};
pub use tma::Tma;
pub use wgmma::{RowOrder, WgmmaAtom};

/// The reason why an atom cannot implement an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the error.
    pub code: Code,
    /// The requested and the permitted numbers.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// An unsupported layout.
    pub fn layout(message: impl Into<String>) -> Self {
        Self::new(Code::BadLayout, message)
    }

    /// An exceeded hardware limit.
    pub(crate) fn limit(atom: &str, violations: impl fmt::Display) -> Self {
        let violations = violations.to_string().replace('\n', "; ");
        Self::new(Code::HardwareLimit, format!("`{atom}`: {violations}"))
    }
}

/// Whether an atom supports an op.
pub type Allowed = Result<(), Refusal>;

/// Refuses a target that lacks the atom's instruction. `need` is the instruction's requirement, by the rules of the instruction
/// set.
fn needs(atom: &str, target: Target, need: Option<Need>) -> Allowed {
    match need {
        Some(need) if target.provides(need) => Ok(()),
        Some(need) => Err(lacking(atom, target, &need.targets())),
        None => Err(lacking(atom, target, "an instruction that there is not")),
    }
}

/// The error for a target that lacks the atom's instruction.
fn lacking(atom: &str, target: Target, wanted: &str) -> Refusal {
    let message = format!("`{atom}` needs {wanted}; the target is {target}");
    Refusal::new(Code::TargetLacksFeature, message)
}

/// Refuses a target without tensor memory.
fn needs_tensor_memory(atom: &str, target: Target) -> Allowed {
    if limits_of(target).has_tcgen05() {
        return Ok(());
    }
    Err(lacking(
        atom,
        target,
        "tensor memory: sm_100a, sm_103a or sm_110a",
    ))
}

/// The target in terms of `layouts::legality`.
pub(crate) fn limits_of(target: Target) -> legality::Target {
    match target.sm {
        0..90 => legality::Target::Sm80,
        90..100 => legality::Target::Sm90a,
        100..103 => legality::Target::Sm100a,
        103..110 => legality::Target::Sm103a,
        110..120 => legality::Target::Sm110a,
        120.. => legality::Target::Sm120a,
    }
}

/// The source or destination of a copy.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A tile of an array in global memory.
    Global(&'a Memref),
    /// One global address per element.
    Pointers,
    /// A buffer in shared or tensor memory.
    Buffer(&'a Buffer),
    /// Registers: of a tile, or of a single element.
    Registers(&'a TileAsType),
}

impl<'a> Place<'a> {
    /// The place of a value of this type.
    pub fn of(ty: &'a TileAsType) -> Option<Self> {
        match ty {
            TileAsType::Scalar(_) | TileAsType::Tile { .. } => Some(Self::Registers(ty)),
            TileAsType::Memref(memref) => Some(Self::Global(memref)),
            TileAsType::Buffer(buffer) => Some(Self::Buffer(buffer)),
            TileAsType::Pending(_)
            | TileAsType::TensorMap
            | TileAsType::MapParameter(_)
            | TileAsType::Token
            | TileAsType::Pipe(_) => None,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Global(_) => "an array in global memory",
            Self::Pointers => "pointers to global memory",
            Self::Buffer(buffer) => match buffer.space {
                Space::Shared => "a buffer in shared memory",
                Space::Tensor => "a buffer in tensor memory",
            },
            Self::Registers(_) => "registers",
        }
    }

    fn buffer_in(self, space: Space) -> Option<&'a Buffer> {
        match self {
            Self::Buffer(buffer) if buffer.space == space => Some(buffer),
            Self::Buffer(_) | Self::Global(_) | Self::Pointers | Self::Registers(_) => None,
        }
    }

    fn registers(self) -> Option<(ElementType, Option<&'a LinearLayout>)> {
        match self {
            Self::Registers(ty) => ty.element().map(|element| (element, ty.layout())),
            Self::Buffer(_) | Self::Global(_) | Self::Pointers => None,
        }
    }
}

/// A copy and its operands, for an atom's check.
#[derive(Clone, Copy, Debug)]
pub struct CopyUse<'a> {
    /// The GPU.
    pub target: Target,
    /// The number of participating warps.
    pub warps: u32,
    /// The source.
    pub from: Place<'a>,
    /// The destination.
    pub to: Place<'a>,
    /// For a tile of an array, the array's axis for each axis of the tile.
    pub dim_map: &'a [u32],
}

impl CopyUse<'_> {
    /// The atom does not support this source and destination.
    fn wrong_way(&self, atom: &str, way: &str) -> Refusal {
        let message = format!(
            "`{atom}` copies {way}, not from {} to {}",
            self.from.noun(),
            self.to.noun()
        );
        Refusal::new(Code::OperandType, message)
    }
}

/// Whether an op with this atom is synchronous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Complete when the op returns.
    Synchronous,
    /// Complete after a wait.
    Asynchronous,
}

/// What is asked of an atom of copies.
pub trait Copying {
    /// Checks whether the atom supports this copy.
    ///
    /// # Errors
    /// The reason, with the numbers.
    fn check(&self, copy: &CopyUse<'_>) -> Allowed;

    /// The cost of the copy for one warp or, if one thread copies for the whole block, for the block. A store has no latency,
    /// since nothing waits for it.
    fn cost(&self, copy: &CopyUse<'_>) -> Cost;

    /// Whether the copy needs a wait.
    fn completion(&self) -> Completion {
        Completion::Synchronous
    }

    /// The bits that a thread moves at a time, if each thread moves its own elements.
    fn bits(&self) -> Option<u32> {
        None
    }

    /// The elements that each thread copies, if the atom says so: neither end of the copy is in registers.
    fn threads(&self) -> Option<&LinearLayout> {
        None
    }

    /// The bank conflicts of one warp's accesses to a buffer in shared memory, from or to registers with this layout; `None` if
    /// the copy is not done by threads, or the layouts do not fit.
    fn bank_cost(&self, _registers: Option<&LinearLayout>, _buffer: &Buffer) -> Option<BankCost> {
        None
    }

    /// The boxes of the tensor map by which it copies, if it does.
    fn boxes(&self) -> Option<&Boxes> {
        None
    }

    /// Mask of the cluster's blocks that load the same tile together, if they do.
    fn multicast(&self) -> Option<u32> {
        None
    }

    /// The kind of the pipe whose stages such copies fill. Where its stages have barriers, another agent issues the copies than
    /// the one that uses them.
    fn pipe(&self) -> PipeKind {
        PipeKind::CpAsyncGroup
    }
}

/// What is asked of an atom of matrix products.
pub trait Multiplying {
    /// Checks whether the atom supports this product.
    ///
    /// # Errors
    /// The reason, with the numbers.
    fn check(&self, product: &ProductUse<'_>) -> Allowed;

    /// The register layouts that the atom needs for products of `m x k` by `k x n` (of each batch) on `warps` warps, which are in
    /// this grid if the atom leaves the choice. Operands that are not in registers have none.
    ///
    /// # Errors
    /// The product is smaller than the instruction, or not a power of two.
    fn layouts_in(&self, grid: WarpGrid, extents: &Extents, warps: u32) -> Result<OperandLayouts, Refusal>;

    /// The cost of a product of `m x k` by `k x n` on one multiprocessor, by all its units that execute such products.
    fn cost(&self, elements: [ScalarType; 3], extents: [u32; 3], target: Target) -> Cost;

    /// As [`layouts_in`](Self::layouts_in), with the warps in the default grid.
    ///
    /// # Errors
    /// Those of [`layouts_in`](Self::layouts_in).
    fn layouts(&self, extents: &Extents, warps: u32) -> Result<OperandLayouts, Refusal> {
        self.layouts_in(WarpGrid::default(), extents, warps)
    }

    /// Whether the product needs a wait.
    fn completion(&self) -> Completion {
        Completion::Synchronous
    }

    /// The extent along K of one instruction on fragments in registers, if it is one.
    fn depth(&self) -> Option<u32> {
        None
    }

    /// Whether tensor cores multiply.
    fn is_on_tensor_cores(&self) -> bool {
        true
    }

    /// Whether whole warp groups execute the instruction.
    fn is_by_warp_groups(&self) -> bool {
        false
    }
}

/// Declares a kind of atoms: the enum, its text, and a macro that gives what is inside, whichever atom it is. The `$` is for that
/// macro.
macro_rules! atoms {
    (($d:tt) $(#[$doc:meta])* pub enum $sum:ident: $asked:ident, $each:ident, $expected:literal {
        $($(#[$vdoc:meta])* $variant:ident($atom:ty) = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $sum { $($(#[$vdoc])* $variant($atom)),+ }

        impl $sum {
            /// The atom's keyword.
            pub fn word(&self) -> &'static str {
                match self { $(Self::$variant(_) => $word),+ }
            }
        }

        /// Evaluates an expression with the atom that is inside, whichever it is.
        #[macro_export]
        macro_rules! $each {
            ($d atom:expr, $d inside:ident => $d value:expr) => {
                match $d atom { $($crate::tileas::atoms::$sum::$variant($d inside) => $d value),+ }
            };
        }

        impl Deref for $sum {
            type Target = dyn $asked;
            fn deref(&self) -> &Self::Target {
                match self { $(Self::$variant(atom) => atom),+ }
            }
        }

        impl TermCodec for $sum {
            const FAMILY: crate::core::Family = crate::core::Family::Layout;
            fn write(&self) -> Term {
                match self { $(Self::$variant(atom) => atom.write()),+ }
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                match term.as_call().map(|(word, _)| word) {
                    $(Some($word) => <$atom>::read(term).map(Self::$variant),)+
                    _ => Err(term.wrong($expected)),
                }
            }
        }

        $(impl From<$atom> for $sum {
            fn from(atom: $atom) -> Self {
                Self::$variant(atom)
            }
        })+

        crate::attribute_field!($sum);
    };
}

atoms! {
    ($)
    /// The implementation of a copy.
    pub enum CopyAtom: Copying, with_copy_atom, "a copy atom, such as `ld<128b>`" {
        /// Each thread loads its elements.
        Ld(Ld) = "ld",
        /// Each thread stores its elements.
        St(St) = "st",
        /// Each thread has elements copied from global to shared memory.
        CpAsync(CpAsync) = "cp_async",
        /// The tensor memory accelerator copies a box.
        Tma(Tma) = "tma",
        /// A warp loads matrices from shared memory.
        LdMatrix(LdMatrix) = "ldmatrix",
        /// A warp stores matrices to shared memory.
        StMatrix(StMatrix) = "stmatrix",
        /// A warp group loads from tensor memory.
        TensorLd(TensorLd) = "tcgen05_ld",
        /// A warp group stores to tensor memory.
        TensorSt(TensorSt) = "tcgen05_st",
        /// Shared memory is copied to tensor memory.
        TensorCp(TensorCp) = "tcgen05_cp",
    }
}

impl CopyAtom {
    /// The atom that copies in these boxes instead; `None` if it copies no boxes.
    pub fn with_boxes(&self, boxes: &Boxes) -> Option<Self> {
        let Self::Tma(atom) = self else { return None };
        let boxes = boxes.clone();
        Some(
            Tma {
                boxes,
                ..atom.clone()
            }
            .into(),
        )
    }

    /// The atom with which the blocks of this mask load a tile together; `None` if it copies no boxes.
    pub fn by_blocks(&self, mask: u32) -> Option<Self> {
        let Self::Tma(atom) = self else { return None };
        let multicast = Some(mask);
        Some(
            Tma {
                multicast,
                ..atom.clone()
            }
            .into(),
        )
    }

    /// The atom that copies a tile in these boxes.
    pub fn of_boxes(boxes: &Boxes) -> Self {
        Tma::from(boxes.clone()).into()
    }
}

atoms! {
    ($)
    /// The implementation of a matrix product.
    pub enum ProductAtom: Multiplying, with_product_atom, "a product atom, such as `mma_sync<m16n8k16>`" {
        /// Each thread multiplies and adds scalars.
        Fma(Fma) = "fma",
        /// A warp multiplies fragments in registers.
        MmaSync(MmaSyncAtom) = "mma_sync",
        /// A warp group multiplies matrices in shared memory, asynchronously.
        Wgmma(WgmmaAtom) = "wgmma",
        /// One thread issues the product of matrices in shared memory into tensor memory.
        Tcgen05(Tcgen05) = "tcgen05",
    }
}

impl ProductAtom {
    /// The atom of a product of tiles in registers: `mma_sync` if the target has an instruction for these types whose K is not
    /// larger than the product's, else `fma`.
    pub fn in_registers(elements: [ScalarType; 3], extents: &Extents, target: Target) -> Self {
        match MmaSyncAtom::of(elements, extents.matrix, target) {
            Some(atom) => atom.into(),
            None => Fma.into(),
        }
    }
}

/// The number of distinct elements of a layout per thread.
fn distinct_registers(layout: &LinearLayout) -> u32 {
    layout.in_size(Dim::Register) >> layout.free_mask(Dim::Register).count_ones()
}
