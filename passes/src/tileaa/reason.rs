//! Why a product or an access does not take a route that would be faster, with the numbers, and which fact would allow it.
//!
//! The predicates of the passes that choose routes fail with a [`Reason`], so that what a remark says is what was decided.

use std::fmt;

use tilewright_diagnostics::{Code, counted, counted_as};
use tilewright_irs::core::{Body, OpId, Operation, Origin};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::{MemoryOrder, Memref, Padding, VectorFact, VectorLimit};
use tilewright_irs::element::ScalarType;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::atoms::{NoBoxes, NotAsync, Refusal};
use tilewright_layouts::legality::{Limit, TensorMapField, Value as Found};

/// What an explanation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A matrix product.
    Product,
    /// A load.
    Load,
    /// A store.
    Store,
}

impl Subject {
    /// The noun.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Load => "load",
            Self::Store => "store",
        }
    }
}

/// A route that is faster than what every product or access can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FasterRoute {
    /// Products by warp groups.
    Wgmma,
    /// Copies by the tensor memory accelerator.
    Tma,
    /// Copies by the tensor memory accelerator that round.
    Rounding,
    /// Asynchronous copies by threads.
    CpAsync,
    /// The widest accesses of threads.
    Vectors,
}

impl FasterRoute {
    /// The name, as in routes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wgmma => "wgmma",
            Self::Tma => "tma",
            Self::Rounding => "tma that rounds",
            Self::CpAsync => "cp_async",
            Self::Vectors => "16-byte accesses",
        }
    }
}

/// Whether a product or an access takes a faster route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The op.
    pub origin: Origin,
    /// What it is.
    pub subject: Subject,
    /// The faster route.
    pub route: FasterRoute,
    /// The route as its attribute says it, or why it is not possible.
    pub outcome: Result<String, Reason>,
}

/// An operand of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The left multiplicand.
    A,
    /// The right multiplicand.
    B,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// What a number is of that is not known to be a multiple of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The address of the array, in bytes.
    Base,
    /// The stride of an axis of the array, in elements.
    Stride(usize),
    /// The extent of an axis of the array.
    Extent(usize),
    /// The first element of the tile along one of its axes.
    Start(usize),
}

/// A number that is not known to be a multiple of what the route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    /// The number.
    pub number: Number,
    /// What it is known to be a multiple of, or the number itself if it is known.
    pub known: u64,
    /// Whether the number itself is known.
    pub is_exact: bool,
    /// What it has to be a multiple of.
    pub needed: u64,
    /// Bytes of its unit.
    pub unit: u64,
}

/// Why a route is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The target has no such instruction.
    Target(Refusal),
    /// A hint of the access forbids it.
    Forbidden,
    /// The access has this memory order, and is not weak.
    Order(MemoryOrder),
    /// The load pads with something else than zeros.
    Padding(Padding),
    /// The load gives other values than zeros where its mask is 0.
    MaskedValues,
    /// The array is described in a loop.
    ArrayInLoop,
    /// Tiles overlap along this axis of the tile, and the index may be negative.
    Overlap(usize),
    /// It comes after a store or an atomic access.
    AfterStore,
    /// Other accesses than such stores come after the store.
    OthersWait,
    /// What it needs is computed by this op, which other warps cannot execute as well.
    NeedsOp(&'static str),
    /// An iteration of the loop around it may end early.
    IterationEndsEarly,
    /// It is in, or depends on, control flow other than counted loops and branches.
    ControlFlow,
    /// Too little is known of a number.
    Divisor(Divisor),
    /// No axis of the tile has a stride that is known to be 1.
    NoUnitStride,
    /// The array has too many dimensions.
    Rank {
        /// So many.
        rank: u64,
        /// The most.
        most: u64,
    },
    /// A row of the tile is too short.
    ShortRow {
        /// Its bytes.
        bytes: u32,
        /// The fewest.
        least: u32,
    },
    /// A box of the tile is too small.
    ShortBox {
        /// Its bytes.
        bytes: u64,
        /// The fewest.
        least: u64,
    },
    /// Elements of this type are not copied.
    Element(ScalarType),
    /// Another limit of tensor maps.
    Limit(String),
    /// Too few bytes behind pointers are known to be contiguous, aligned and masked together.
    ShortRun {
        /// So many.
        bytes: u32,
        /// The fewest.
        least: u32,
    },
    /// The program says that the access moves no more at a time.
    Written {
        /// So many bytes.
        bytes: u32,
    },
    /// An operand that has to be in shared memory is no tile that is loaded.
    NotLoaded(Operand),
    /// An operand cannot be loaded to shared memory.
    Operand(Operand, Box<Self>),
    /// The tile has another use.
    OtherUse(&'static str),
    /// No product reads the tile from shared memory.
    NoProduct,
    /// There is no product by warp groups in the kernel.
    NoGroupProducts,
    /// The product has axes beyond the matrices.
    Batched(usize),
    /// The product has too few rows.
    FewRows {
        /// So many.
        rows: u32,
        /// The fewest.
        least: u32,
    },
    /// The product adds more elements than the tensor cores add with enough precision, or its sums are not `f32`.
    OwnSum {
        /// So many elements along K.
        depth: u32,
        /// The most.
        most: u32,
    },
    /// The instruction does not exist for the operands: types, extents, layouts.
    Instruction(Refusal),
    /// The kernel returns in several places, so that its agents do not end together.
    Returns(usize),
    /// The accumulators need too many registers of a thread.
    Registers {
        /// So many.
        needed: u64,
        /// The most.
        most: u64,
    },
    /// The buffers need too much shared memory.
    SharedMemory {
        /// The stages of each buffer.
        stages: u64,
        /// The bytes of all of them.
        needed: u64,
        /// The most.
        most: u64,
    },
    /// The tile is so small that threads store it in a few instructions.
    SmallTile {
        /// Its bytes.
        bytes: u64,
        /// The fewest.
        least: u64,
    },
    /// Threads store as fast outside of loops, where nothing goes on meanwhile.
    NothingMeanwhile,
    /// The load is not directly in a counted loop with products.
    NotInLoop,
    /// Products read 32-bit numbers in shared memory along K only, and the tile is not contiguous there.
    NotAlongK,
}

impl Reason {
    /// Why copies of boxes cannot move a tile of an array.
    pub(super) fn no_boxes(array: &Memref, refused: NoBoxes) -> Self {
        match refused {
            NoBoxes::NoUnitStride => Self::NoUnitStride,
            NoBoxes::Element(element) => Self::Element(element),
            NoBoxes::Row { bytes } => Self::ShortRow {
                bytes,
                least: NoBoxes::LEAST_ROW,
            },
            NoBoxes::Box { bytes } => Self::ShortBox {
                bytes,
                least: NoBoxes::LEAST_BOX,
            },
            NoBoxes::Map(violations) => violations
                .iter()
                .find_map(|violation| Self::of_map(array, violation.field, violation.value, violation.limit))
                .unwrap_or_else(|| Self::Limit(violations.to_string().replace('\n', "; "))),
            NoBoxes::Other(refusal) => Self::refused(refusal),
        }
    }

    /// The limit of a tensor map that something else than a tile decides.
    fn of_map(array: &Memref, field: TensorMapField, found: Found, limit: Limit) -> Option<Self> {
        let Found::Number(found) = found else { return None };
        let found = u64::try_from(found).ok()?;
        match (field, limit) {
            (TensorMapField::Rank, Limit::Range { max, .. }) => Some(Self::Rank {
                rank: found,
                most: u64::try_from(max).ok()?,
            }),
            (TensorMapField::GlobalAddress, Limit::MultipleOf(unit)) => Some(Self::Divisor(Divisor {
                number: Number::Base,
                known: found,
                is_exact: false,
                needed: u64::try_from(unit).ok()?,
                unit: 1,
            })),
            (TensorMapField::GlobalStride(at), Limit::MultipleOf(unit)) => {
                let bytes = u64::from(array.element.bytes()?);
                let order = Boxes::order(array).ok()?;
                let axis = *order.get(at + 1)?;
                Some(Self::Divisor(Divisor {
                    number: Number::Stride(axis),
                    known: found / bytes,
                    is_exact: array.strides.get(axis).copied().flatten().is_some(),
                    needed: (u64::try_from(unit).ok()? / bytes).max(1),
                    unit: bytes,
                }))
            }
            _ => None,
        }
    }

    /// Why the array does not allow vectors.
    pub(super) fn vectors(array: &Memref, limit: VectorLimit) -> Self {
        let bytes = array.element.bytes().map_or(1, u64::from);
        let exact = |sizes: &[Option<u64>], axis: usize| sizes.get(axis).copied().flatten();
        let (number, exact, unit) = match limit.fact {
            VectorFact::Base => (Number::Base, None, 1),
            VectorFact::Step { axis } => (Number::Start(axis), None, bytes),
            VectorFact::Stride { axis } => {
                let axis = axis as usize;
                (Number::Stride(axis), exact(&array.strides, axis), bytes)
            }
            VectorFact::Extent { axis } => {
                let axis = axis as usize;
                (Number::Extent(axis), exact(&array.extents, axis), bytes)
            }
        };
        Self::Divisor(Divisor {
            number,
            known: exact.unwrap_or(limit.known),
            is_exact: exact.is_some(),
            needed: limit.needed,
            unit,
        })
    }

    /// Why `cp.async` cannot copy so many bytes; `array` is what is loaded, unless it is behind pointers.
    pub(super) fn not_async(array: Option<&Memref>, bytes: u32, refused: NotAsync) -> Self {
        match (refused, array) {
            (NotAsync::Target(refusal), _) => Self::Target(refusal),
            (NotAsync::Order(order), _) => Self::Order(order),
            (NotAsync::Padding(padding), _) => Self::Padding(padding),
            (NotAsync::Values, _) => Self::MaskedValues,
            (NotAsync::Element(element), _) => Self::Element(element),
            (NotAsync::NoUnitStride, _) => Self::NoUnitStride,
            (NotAsync::Short { extent, needed, .. }, _) => Self::ShortRow {
                bytes: extent * bytes / needed.max(1),
                least: bytes,
            },
            (NotAsync::Vectors(limit), Some(array)) => Self::vectors(array, limit),
            (NotAsync::Run { known }, _) => Self::ShortRun {
                bytes: known,
                least: bytes,
            },
            (refused @ NotAsync::Vectors(_), None) => Self::refused(refused.refusal(bytes)),
        }
    }

    /// What an atom refuses.
    pub(super) fn refused(refusal: Refusal) -> Self {
        match refusal.code {
            Code::TargetLacksFeature => Self::Target(refusal),
            _ => Self::Instruction(refusal),
        }
    }

    /// Another use of a tile.
    pub(super) fn other_use(body: &Body<TileAa>, user: OpId) -> Self {
        Self::OtherUse(body.op(user).kind.name())
    }

    /// Whether the target is the reason, and nothing in the program.
    pub fn is_of_target(&self) -> bool {
        match self {
            Self::Target(_) => true,
            Self::Operand(_, reason) => reason.is_of_target(),
            _ => false,
        }
    }

    /// Whether what is known of the array and the access is the reason, wherever the access stands.
    pub fn is_of_facts(&self) -> bool {
        matches!(
            self,
            Self::Order(_)
                | Self::Padding(_)
                | Self::Divisor(_)
                | Self::NoUnitStride
                | Self::Rank { .. }
                | Self::ShortRow { .. }
                | Self::ShortBox { .. }
                | Self::Element(_)
                | Self::Limit(_)
        )
    }

    /// What would allow the route, as advice.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Self::Forbidden => "remove the hint `allow_tma = false`".to_owned(),
            Self::Order(_) => "make the access `weak`".to_owned(),
            Self::Padding(_) => "pad with zeros".to_owned(),
            Self::MaskedValues => "give zeros where the mask is 0".to_owned(),
            Self::ArrayInLoop => "make the view before all loops".to_owned(),
            Self::Overlap(axis) => format!("add `assume bounded<0, ?>` to the index along axis {axis}"),
            Self::AfterStore => "give it a token of its own, if it does not read what was stored".to_owned(),
            Self::Divisor(divisor) => divisor.remedy(),
            Self::NoUnitStride => {
                "make the view with a static stride of 1 along an axis of the tile".to_owned()
            }
            Self::Rank { most, .. } => format!("make a view of at most {most} dimensions"),
            Self::ShortRow { least, .. } => format!("use a tile with rows of at least {least} bytes"),
            Self::ShortBox { least, .. } => format!("use a tile of at least {least} bytes"),
            Self::ShortRun { .. } => {
                "load through a view, or compute the addresses of a row from one aligned pointer".to_owned()
            }
            Self::Written { .. } => "leave `access` out".to_owned(),
            Self::NotLoaded(operand) => format!("load {operand} from memory"),
            Self::Operand(_, reason) => return reason.remedy(),
            Self::OtherUse(_) => "load the tile once more for its other use".to_owned(),
            Self::FewRows { least, .. } => format!("use a tile of at least {least} rows"),
            Self::OwnSum { most, .. } => {
                format!(
                    "use sums of `f32` and tiles of at most {most} elements along K, or permit fast accumulation"
                )
            }
            Self::Returns(_) => "return at the end only".to_owned(),
            Self::Registers { .. } => "use a smaller tile or more warps".to_owned(),
            Self::SharedMemory { .. } => "use smaller tiles".to_owned(),
            Self::NotAlongK => "store the array such that it is contiguous along K".to_owned(),
            Self::IterationEndsEarly => "compute under a condition, without `continue`".to_owned(),
            Self::Target(_)
            | Self::OthersWait
            | Self::NeedsOp(_)
            | Self::ControlFlow
            | Self::Element(_)
            | Self::Limit(_)
            | Self::NoProduct
            | Self::NoGroupProducts
            | Self::Batched(_)
            | Self::Instruction(_)
            | Self::SmallTile { .. }
            | Self::NothingMeanwhile
            | Self::NotInLoop => return None,
        })
    }
}

impl Divisor {
    fn remedy(&self) -> String {
        let Self {
            number,
            needed,
            unit,
            is_exact,
            ..
        } = self;
        match (number, is_exact) {
            (Number::Base, _) => format!("add `assume div_by<{needed}>` to the pointer"),
            (Number::Stride(axis), false) => {
                format!("add `assume div_by<{needed}>` to the stride of axis {axis}")
            }
            (Number::Extent(axis), false) => {
                format!("add `assume div_by<{needed}>` to the extent of axis {axis}")
            }
            (Number::Stride(_), true) => {
                format!(
                    "pad the rows of the array to a multiple of {} bytes",
                    needed * unit
                )
            }
            (Number::Extent(axis), true) => {
                format!("use an array whose extent along axis {axis} is a multiple of {needed}")
            }
            (Number::Start(axis), _) => {
                format!("use tiles that begin at a multiple of {needed} elements along axis {axis}")
            }
        }
    }
}

impl fmt::Display for Divisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Number::Base => f.write_str("the address of the array")?,
            Number::Stride(axis) => write!(f, "the stride of axis {axis}")?,
            Number::Extent(axis) => write!(f, "the extent of axis {axis}")?,
            Number::Start(axis) => write!(f, "the first element of the tile along axis {axis}")?,
        }
        let (known, needed) = (self.known * self.unit, self.needed * self.unit);
        match self.is_exact {
            true => write!(f, " is {known} bytes, not a multiple of {needed}"),
            false => write!(
                f,
                " is not known to be a multiple of {needed} bytes, only of {known}"
            ),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(refusal) | Self::Instruction(refusal) => f.write_str(&refusal.message),
            Self::Forbidden => f.write_str("the hint `allow_tma = false` forbids it"),
            Self::Order(order) => write!(f, "the access is `{order}`, and copies are weak"),
            Self::Padding(padding) => write!(f, "the load pads with `{padding}`, and copies pad with zeros"),
            Self::MaskedValues => f.write_str(
                "the load gives other values than zeros where its mask is 0, and copies give zeros",
            ),
            Self::Overlap(axis) => write!(
                f,
                "tiles overlap along axis {axis}, and the index there is not known to be at least 0"
            ),
            Self::ArrayInLoop => f.write_str("the view is made in a loop"),
            Self::AfterStore => f.write_str("it comes after a store or an atomic access"),
            Self::OthersWait => f.write_str("other accesses than tensor stores come after it"),
            Self::NeedsOp(name) => write!(
                f,
                "what it needs is computed by `{name}`, which only the warps that compute can execute"
            ),
            Self::IterationEndsEarly => f.write_str("an iteration of the loop around it may end early"),
            Self::ControlFlow => {
                f.write_str("it is in, or depends on, control flow other than counted loops and branches")
            }
            Self::Divisor(divisor) => divisor.fmt(f),
            Self::NoUnitStride => f.write_str("no axis of the tile has a stride that is known to be 1"),
            Self::Rank { rank, most } => {
                write!(
                    f,
                    "the array has {rank} dimensions, and a tensor map at most {most}"
                )
            }
            Self::ShortRow { bytes, least } => {
                write!(
                    f,
                    "a row of the tile has {bytes} bytes, and a copy at least {least}"
                )
            }
            Self::ShortBox { bytes, least } => {
                write!(
                    f,
                    "the tile has boxes of {bytes} bytes, and a copy at least {least}"
                )
            }
            Self::Element(element) => write!(f, "elements of type `{element}` are not copied"),
            Self::Limit(text) => f.write_str(text),
            Self::ShortRun { bytes, least } => write!(
                f,
                "{} are known to be contiguous, aligned and masked together, not {least}",
                counted(*bytes, "byte")
            ),
            Self::Written { bytes } => write!(
                f,
                "its `access` was written, and is of {}, though more are possible",
                counted(*bytes, "byte")
            ),
            Self::NotLoaded(operand) => {
                write!(
                    f,
                    "operand {operand} is computed, and has to be loaded to shared memory"
                )
            }
            Self::Operand(operand, reason) => {
                write!(f, "operand {operand} cannot be loaded to shared memory: {reason}")
            }
            Self::OtherUse(name) => write!(f, "the tile is used by `{name}`, too"),
            Self::NoProduct => f.write_str("no product reads the tile from shared memory"),
            Self::NoGroupProducts => f.write_str("no product of the kernel is by `wgmma`"),
            Self::Batched(axes) => write!(
                f,
                "the product has {}",
                counted_as(*axes, "batch axis", "batch axes")
            ),
            Self::FewRows { rows, least } => {
                write!(
                    f,
                    "the product has {}, and the instruction {least}",
                    counted(*rows, "row")
                )
            }
            Self::OwnSum { depth, most } => write!(
                f,
                "the product adds {depth} products of 8-bit floats, and tensor cores add at most {most} with enough precision, \
                 to sums of `f32`"
            ),
            Self::Returns(count) => write!(
                f,
                "the kernel returns in {count} places, so that its agents would not end together"
            ),
            Self::Registers { needed, most } => write!(
                f,
                "the accumulators need {needed} registers of each thread, of at most {most}"
            ),
            Self::SharedMemory { stages, needed, most } => write!(
                f,
                "{} of the buffers need {needed} bytes of shared memory, of {most}",
                counted(*stages, "stage")
            ),
            Self::SmallTile { bytes, least } => {
                write!(
                    f,
                    "the tile has {bytes} bytes, and threads copy less than {least} as fast"
                )
            }
            Self::NothingMeanwhile => {
                f.write_str("threads store it as fast, since it is in no loop that would go on meanwhile")
            }
            Self::NotInLoop => f.write_str("the load is not directly in a counted loop with products"),
            Self::NotAlongK => f.write_str(
                "the product reads numbers of 32 bits in shared memory only where they are contiguous along K, so that \
                 threads round the tile and turn it",
            ),
        }
    }
}
