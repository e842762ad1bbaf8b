//! Rules of tensor copies, matrix descriptors and products of warp groups.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::Bytes;
use tilewright_layouts::descriptor::{Field, MatrixDescriptor, SharedOffset, WgmmaDescriptor};
use tilewright_layouts::legality::{BulkCopy, Direction};

use super::CuteDesugared;
use super::checked::{Checked, want};
use super::ops::CuteDesugaredOp;
use super::shared_addresses::SharedAddresses;
use super::types::DesugaredType;

use crate::core::{Body, Flag, OpData, Operation, Value};
use crate::dialects::copies::{CopiesOp, TmaDescriptor, TmaMode};
use crate::dialects::fragment::FragmentOp;
use crate::dialects::gpu::GpuOp;
use crate::dialects::map_table::{MOST_ENTRIES, MapEntry};
use crate::dialects::pipe::{PipeOp, PipeType, PipeValue};
use crate::dialects::product_rules::matrix_type;
use crate::dialects::warpgroup_mma::WarpgroupMma;
use crate::element::{ElementType, ScalarType};
use crate::isa::rules::forms::{self, Elements};
use crate::isa::{L2Eviction, Need, Target, WgmmaShape};
use crate::tileas::atoms::limits_of;

const I1: DesugaredType = DesugaredType::Scalar(ElementType::Scalar(ScalarType::I1));
const I16: DesugaredType = DesugaredType::Scalar(ElementType::Scalar(ScalarType::I16));
const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);
const I64: DesugaredType = DesugaredType::Scalar(ElementType::I64);

/// The dimensions of a tensor map. (PTX ISA, `cp.async.bulk.tensor`.)
const MAX_RANK: usize = 5;
/// The least dimensions of an array of pixels: channels, a row of pixels, and images.
const MIN_PIXEL_RANK: usize = 3;
/// A column and four rows.
const ROWS: usize = 5;
/// Bulk copies move units of so many bytes.
const BULK_UNIT: u32 = 16;

impl DesugaredType {
    /// The 32-bit registers that asynchronous products read and update in place of a fragment: narrow elements
    /// are packed. `None` for what is not made of such registers.
    pub fn packed(&self) -> Option<Self> {
        let Self::Fragment(count, ElementType::Scalar(scalar)) = self else {
            return None;
        };
        match scalar.bits() {
            32 => Some(self.clone()),
            _ if *scalar == ScalarType::TF32 => Some(Self::Fragment(*count, ElementType::I32)),
            bits @ (8 | 16) => {
                let bits = count.checked_mul(bits).filter(|bits| bits % 32 == 0)?;
                Some(Self::Fragment(bits / 32, ElementType::I32))
            }
            _ => None,
        }
    }
}

type Op = OpData<CuteDesugared>;

/// What a tensor copy needs. The verifier of the op says what is wrong with one that does not exist.
fn form(op: &CopiesOp, ask: fn(Elements) -> Option<Need>) -> Option<Need> {
    op.elements().and_then(ask).or_else(forms::tensor_copy)
}

/// What the target must have for an op, if that is more than the least target; the inner `None` where no target has it.
fn need(body: &Body<CuteDesugared>, op: &Op) -> Option<Option<Need>> {
    Some(match &op.kind {
        CuteDesugaredOp::Pipe(PipeOp::Create { .. }) => match body.ty(op.result(0)).pipe() {
            Some(PipeType::Pipe { kind, .. }) if kind.copies_tensors() => forms::tensor_copy(),
            _ => return None,
        },
        CuteDesugaredOp::Gpu(op) => match op {
            GpuOp::Elect {}
            | GpuOp::MbarrierExpectTx { .. }
            | GpuOp::MbarrierInitFence {}
            | GpuOp::FenceProxyAsync {}
            | GpuOp::BulkCommit {}
            | GpuOp::BulkWait { .. } => forms::bulk_copies(),
            GpuOp::BlockRank {}
            | GpuOp::ClusterIdx { .. }
            | GpuOp::NumClusters { .. }
            | GpuOp::MbarrierArriveAt { .. }
            | GpuOp::ClusterBarrier {} => forms::clusters(),
            GpuOp::SetMaxRegisters { registers, .. } => forms::set_max_registers(*registers),
            _ => return None,
        },
        CuteDesugaredOp::Copies(op) => match op {
            CopiesOp::TmaLoad { .. } => form(op, forms::tensor_load),
            CopiesOp::TmaStore { .. } => form(op, forms::tensor_store),
            CopiesOp::TmaReduce { .. } => form(op, forms::tensor_reduce),
            CopiesOp::TmaPrefetch { .. } => form(op, forms::tensor_prefetch),
            CopiesOp::BulkPrefetch { .. } => forms::bulk_prefetch(),
            CopiesOp::CreatePolicy { .. } => forms::create_policy(),
            CopiesOp::BulkCopyG2s { .. } | CopiesOp::BulkCopyS2g { .. } | CopiesOp::BulkCopyS2s { .. } => {
                forms::bulk_copies()
            }
            CopiesOp::FindTmaDescs { .. }
            | CopiesOp::CompleteTmaDescs { .. }
            | CopiesOp::PublishTmaDesc { .. }
            | CopiesOp::AcquireTmaDesc { .. }
            | CopiesOp::PrefetchTmaDesc { .. }
            | CopiesOp::MakeTmaDescTiledAt { .. } => forms::tensor_maps(),
            _ => return None,
        },
        CuteDesugaredOp::Fragment(op) => match op {
            FragmentOp::Wgmma { atom, .. } => {
                let [a, b] = atom.operands;
                let types = [
                    matrix_type(atom.accumulator, atom.signedness[0]),
                    matrix_type(a, atom.signedness[0]),
                    matrix_type(b, atom.signedness[1]),
                ];
                let [Some(d), Some(a), Some(b)] = types else {
                    return Some(None);
                };
                let number = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
                let shape = WgmmaShape {
                    n: number(atom.n),
                    k: number(atom.k()),
                };
                forms::wgmma(shape, [d, a, b])
            }
            FragmentOp::WgmmaFence { .. } | FragmentOp::WgmmaCommit {} | FragmentOp::WgmmaWait { .. } => {
                forms::warp_groups()
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Checks that the target has the instructions of an op.
pub(super) fn target(body: &Body<CuteDesugared>, op: &Op, target: Target) -> Checked {
    let name = op.kind.name();
    let mode = match &op.kind {
        CuteDesugaredOp::Copies(op) => op.mode(),
        _ => None,
    };
    let (of_mode, source) = match mode {
        None => (String::new(), ""),
        Some(mode) => (
            format!(" in mode `{mode}`"),
            " (PTX ISA, `cp.async.bulk.tensor`, target ISA notes)",
        ),
    };
    match need(body, op) {
        None => Ok(()),
        Some(Some(need)) => want(
            target.provides(need),
            Code::TargetLacksFeature,
            &format!("`{name}`{of_mode} needs {need}; the target is {target}{source}"),
        ),
        Some(None) => want(
            false,
            Code::TargetLacksFeature,
            &format!("no target has such a `{name}`"),
        ),
    }
}

fn is_shared(ty: &DesugaredType) -> bool {
    matches!(ty, DesugaredType::SharedPtr(_))
}

fn is_global(ty: &DesugaredType) -> bool {
    matches!(ty, DesugaredType::Scalar(ElementType::Ptr(_)))
}

/// Checks the key of an entry of a table, and its number of tensor maps.
fn table_entry<'a>(
    key: impl ExactSizeIterator<Item = &'a DesugaredType>,
    maps: u32,
) -> Result<(), (Code, String)> {
    let most = MapEntry::MOST_WORDS;
    let words = key.len();
    want(
        u32::try_from(words).is_ok_and(|words| words <= most) && (1..=most).contains(&maps),
        Code::AttributeValue,
        &format!(
            "an entry has 1 to {most} tensor maps, and a key of up to {most} words, not {maps} and {words}"
        ),
    )?;
    let mut key = key;
    want(
        key.all(|part| is_global(part) || *part == I64),
        Code::OperandType,
        "the words of a key are i64, and pointers to global memory",
    )
}

/// Checks that the op gives one value for each operand, in these pairs of types.
fn paired(
    body: &Body<CuteDesugared>,
    op: &Op,
    values: &[Value],
    of: impl Fn(&DesugaredType, &DesugaredType) -> bool,
    message: &str,
) -> Checked {
    let fits = values.len() == op.results().len()
        && values
            .iter()
            .zip(op.results())
            .all(|(&value, result)| of(body.ty(value), body.ty(result)));
    want(fits, Code::TypeMismatch, message)
}

/// Verifies the fence before products of a warp group.
pub(super) fn fence(body: &Body<CuteDesugared>, op: &Op, values: &[Value]) -> Checked {
    let message = "a fence gives the 32-bit registers of each of its fragments";
    paired(
        body,
        op,
        values,
        |from, to| from.packed().as_ref() == Some(to),
        message,
    )
}

/// Verifies the wait for products of a warp group.
pub(super) fn wait(body: &Body<CuteDesugared>, op: &Op, values: &[Value]) -> Checked {
    let message = "a wait gives the elements of each of its registers";
    paired(
        body,
        op,
        values,
        |from, to| to.packed().as_ref() == Some(from),
        message,
    )
}

/// Verifies a product of a warp group.
pub(super) fn product(
    body: &Body<CuteDesugared>,
    op: &Op,
    [a, b, c]: [Value; 3],
    atom: &WarpgroupMma,
) -> Checked {
    let registers = DesugaredType::Fragment(atom.n / 2, atom.accumulator.into()).packed();
    let message = format!(
        "the accumulator is in {} of a thread, `{}`",
        counted(atom.accumulator_registers(), "register"),
        registers.as_ref().map_or_else(String::new, |ty| {
            crate::core::term_text(&crate::core::TermCodec::write(ty))
        })
    );
    let fits = registers.as_ref() == Some(body.ty(c)) && body.ty(c) == body.ty(op.result(0));
    want(fits, Code::TypeMismatch, &message)?;
    let a_type = match atom.a {
        Some(_) => I64,
        None => DesugaredType::Fragment(4, ElementType::I32),
    };
    want(
        *body.ty(a) == a_type,
        Code::OperandType,
        match atom.a {
            Some(_) => "A is given by a matrix descriptor, an i64",
            None => "a thread has 4 registers of A, `fragment<4xi32>`",
        },
    )?;
    want(
        *body.ty(b) == I64,
        Code::OperandType,
        "B is given by a matrix descriptor, an i64",
    )
}

/// Checks the size of a bulk copy, and its addresses in shared memory where they are constants.
pub(super) fn bulk_copy(op: &Op, target: Target, addresses: &SharedAddresses<'_>) -> Checked {
    let CuteDesugaredOp::Copies(own) = &op.kind else {
        return Ok(());
    };
    let place = |pointer: Value| addresses.of(pointer).unwrap_or(0);
    let (direction, [source, destination, barrier], size) = match own {
        CopiesOp::BulkCopyG2s {
            to, barrier, size, ..
        } => (Direction::GlobalToCluster, [0, place(*to), place(*barrier)], size),
        CopiesOp::BulkCopyS2g { from, size, .. } => (Direction::SharedToGlobal, [place(*from), 0, 0], size),
        CopiesOp::BulkCopyS2s {
            from,
            to,
            barrier,
            size,
            ..
        } => (
            Direction::SharedToCluster,
            [place(*from), place(*to), place(*barrier)],
            size,
        ),
        _ => return Ok(()),
    };
    let copy = BulkCopy {
        target: limits_of(target),
        direction,
        source: source.into(),
        destination: destination.into(),
        size: *size,
        barrier,
    };
    copy.check()
        .map_err(|violations| (Code::HardwareLimit, violations.to_string().replace('\n', "; ")))
}

/// Verifies an op of `copies`.
pub(super) fn copies(body: &Body<CuteDesugared>, op: &Op, own: &CopiesOp) -> Checked {
    let ty = |value: Value| body.ty(value);
    let shared = |value: Value, what: &str| want(is_shared(ty(value)), Code::OperandType, what);
    let map = |value: Value| {
        want(
            is_global(ty(value)),
            Code::OperandType,
            "a tensor map that a kernel makes is given by a pointer to global memory",
        )
    };
    let global = |value: Value| {
        want(
            is_global(ty(value)),
            Code::OperandType,
            "a bulk copy or a prefetch has this end in global memory",
        )
    };
    let mask = |value: Option<Value>| {
        want(
            value.is_none_or(|mask| *ty(mask) == I16),
            Code::OperandType,
            "the mask of a cluster's blocks is an i16",
        )
    };
    let policy = |value: Option<Value>| {
        want(
            value.is_none_or(|policy| *ty(policy) == I64),
            Code::OperandType,
            "a cache policy is an i64",
        )
    };
    let any_map = |value: Value| {
        want(
            is_global(ty(value)) || matches!(ty(value), DesugaredType::TmaDescriptor(_)),
            Code::OperandType,
            "a tensor map is a parameter of the kernel, or given by a pointer to global memory",
        )
    };
    let map_of = |value: Value, mode: Option<TmaMode>| {
        any_map(value)?;
        let (wanted, of) = match mode {
            Some(TmaMode::Im2col) => (TmaDescriptor::Im2col, "pixels"),
            None | Some(TmaMode::TileGather4 | TmaMode::TileScatter4) => (TmaDescriptor::Tiled, "boxes"),
        };
        want(
            !matches!(ty(value), DesugaredType::TmaDescriptor(map) if *map != wanted),
            Code::TypeMismatch,
            &format!("the copy needs a tensor map of {of}, `{wanted}`"),
        )
    };
    let coordinate = |values: &[Value], mode: Option<TmaMode>| {
        let (numbers, what) = match mode {
            None => (1..=MAX_RANK, "a coordinate is 1 to 5 numbers"),
            Some(TmaMode::Im2col) => (
                MIN_PIXEL_RANK..=MAX_RANK,
                "a coordinate of pixels is 3 to 5 numbers",
            ),
            Some(TmaMode::TileGather4 | TmaMode::TileScatter4) => (
                ROWS..=ROWS,
                "the coordinate of four rows is a column and each row, 5 numbers",
            ),
        };
        want(
            numbers.contains(&values.len()) && values.iter().all(|&value| *ty(value) == I32),
            Code::OperandType,
            &format!("{what}, each an i32 (PTX ISA, `cp.async.bulk.tensor`)"),
        )
    };
    let loads = |mode: Option<TmaMode>| {
        want(
            mode != Some(TmaMode::TileScatter4),
            Code::AttributeValue,
            "rows are scattered by a store; a load gathers them: `tile_gather4` (PTX ISA, `cp.async.bulk.tensor`)",
        )
    };
    let stores = |mode: Option<TmaMode>| {
        want(
            mode != Some(TmaMode::TileGather4),
            Code::AttributeValue,
            "rows are gathered by a load; a store scatters them: `tile_scatter4` (PTX ISA, `cp.async.bulk.tensor`)",
        )
    };
    let offsets = |values: &[Value], coord: &[Value], mode: Option<TmaMode>| {
        let (count, what) = match mode {
            Some(TmaMode::Im2col) => (
                coord.len().saturating_sub(2),
                "pixels have an offset along each dimension but the first and the last, all i16",
            ),
            None | Some(TmaMode::TileGather4 | TmaMode::TileScatter4) => {
                (0, "only pixels, in mode `im2col`, have offsets")
            }
        };
        want(
            values.len() == count && values.iter().all(|&value| *ty(value) == I16),
            Code::OperandType,
            &format!("{what} (PTX ISA, `cp.async.bulk.tensor`, im2colInfo)"),
        )
    };
    match own {
        CopiesOp::MakeGmmaSmemDesc {
            pointer,
            leading,
            stride,
            swizzle,
        } => {
            shared(*pointer, "a matrix descriptor is of a matrix in shared memory")?;
            want(
                *ty(op.result(0)) == I64,
                Code::TypeMismatch,
                "a matrix descriptor is an i64",
            )?;
            for (field, bytes) in [
                (Field::LeadingByteOffset, *leading),
                (Field::StrideByteOffset, *stride),
            ] {
                SharedOffset::new(field, Bytes(u64::from(bytes)))
                    .map_err(|range| (Code::HardwareLimit, range.to_string()))?;
            }
            want(
                WgmmaDescriptor::MODES.contains(swizzle),
                Code::HardwareLimit,
                "`wgmma` reads matrices without a swizzle, or with one of 32, 64 or 128 bytes of 16-byte chunks (PTX \
                 ISA, `wgmma`, matrix descriptor format)",
            )
        }
        CopiesOp::MakeTmaDescTiledAt {
            to,
            base,
            extents,
            strides,
            box_extents,
            rounded: Flag(rounded),
            ..
        } => {
            shared(*to, "a tensor map is written to shared memory")?;
            want(
                is_global(ty(*base)),
                Code::OperandType,
                "the array of a tensor map is in global memory",
            )?;
            want(
                !rounded || *ty(*base) == DesugaredType::Scalar(ElementType::Ptr(ScalarType::F32)),
                Code::BadElementType,
                "tensor copies round numbers of type `f32`",
            )?;
            let rank = extents.len();
            let fits = (1..=MAX_RANK).contains(&rank)
                && strides.len() + 1 == rank
                && box_extents.len() == rank
                && extents.iter().chain(strides).all(|&value| *ty(value) == I64);
            want(
                fits,
                Code::OperandType,
                "an array of rank 1 to 5 has an extent and an extent of the box for each axis, and a distance for \
                 each but the innermost, all i64",
            )?;
            let extents = box_extents.iter().copied();
            want(
                extents.clone().all(|extent| (1..=256).contains(&extent)),
                Code::HardwareLimit,
                &format!(
                    "a box has 1 to 256 elements along each axis, not {} (PTX ISA, `tensormap.replace`)",
                    extents
                        .into_iter()
                        .find(|extent| !(1..=256).contains(extent))
                        .unwrap_or(0)
                ),
            )
        }
        CopiesOp::FindTmaDescs {
            at,
            key,
            maps,
            entries,
        } => {
            map(*at)?;
            let results: Vec<&DesugaredType> = op.results().map(ty).collect();
            want(
                results == [&I32, &I1, &I1],
                Code::OperandType,
                "the index of an entry is an i32; whether it is complete, and whether to fill it, are i1",
            )?;
            want(
                entries.is_power_of_two() && (2..=MOST_ENTRIES).contains(entries),
                Code::AttributeValue,
                &format!("a table has a power of two of entries, 2 to {MOST_ENTRIES}, not {entries}"),
            )?;
            table_entry(key.iter().map(|&part| ty(part)), *maps)
        }
        CopiesOp::CompleteTmaDescs { entry, key, maps } => {
            map(*entry)?;
            table_entry(key.iter().map(|&part| ty(part)), *maps)
        }
        CopiesOp::PublishTmaDesc { from, to } => {
            shared(*from, "a tensor map is published from shared memory")?;
            map(*to)
        }
        CopiesOp::AcquireTmaDesc { desc } => map(*desc),
        CopiesOp::PrefetchTmaDesc { desc } => any_map(*desc),
        CopiesOp::TmaLoad {
            desc,
            to,
            barrier,
            coord,
            multicast_mask,
            offsets: pixels,
            cache_policy,
            mode,
        } => {
            map_of(*desc, *mode)?;
            shared(*to, "a tensor copy loads to shared memory")?;
            shared(*barrier, "an mbarrier is where a pointer to shared memory points")?;
            loads(*mode)?;
            coordinate(coord, *mode)?;
            offsets(pixels, coord, *mode)?;
            policy(*cache_policy)?;
            mask(*multicast_mask)
        }
        CopiesOp::TmaStore {
            desc,
            from,
            coord,
            cache_policy,
            mode,
        } => {
            map_of(*desc, *mode)?;
            shared(*from, "a tensor copy stores from shared memory")?;
            stores(*mode)?;
            policy(*cache_policy)?;
            coordinate(coord, *mode)
        }
        CopiesOp::TmaReduce {
            desc,
            from,
            coord,
            cache_policy,
            mode,
            ..
        } => {
            map_of(*desc, *mode)?;
            shared(*from, "a tensor copy stores from shared memory")?;
            policy(*cache_policy)?;
            want(
                matches!(mode, None | Some(TmaMode::Im2col)),
                Code::AttributeValue,
                "a reduction combines a box or pixels, no rows (PTX ISA, `cp.reduce.async.bulk.tensor`)",
            )?;
            coordinate(coord, *mode)
        }
        CopiesOp::TmaPrefetch {
            desc,
            coord,
            offsets: pixels,
            cache_policy,
            mode,
        } => {
            map_of(*desc, *mode)?;
            policy(*cache_policy)?;
            loads(*mode)?;
            coordinate(coord, *mode)?;
            offsets(pixels, coord, *mode)
        }
        CopiesOp::BulkCopyG2s {
            from,
            to,
            barrier,
            multicast_mask,
            cache_policy,
            ..
        } => {
            global(*from)?;
            policy(*cache_policy)?;
            shared(*to, "the copy is to shared memory")?;
            shared(*barrier, "an mbarrier is where a pointer to shared memory points")?;
            mask(*multicast_mask)
        }
        CopiesOp::BulkCopyS2g {
            from,
            to,
            cache_policy,
            ..
        } => {
            shared(*from, "the copy is from shared memory")?;
            policy(*cache_policy)?;
            global(*to)
        }
        CopiesOp::BulkCopyS2s {
            from,
            to,
            barrier,
            cta_rank,
            ..
        } => {
            shared(*from, "the copy is from shared memory")?;
            shared(*to, "the copy is to the shared memory of a block")?;
            shared(*barrier, "an mbarrier is where a pointer to shared memory points")?;
            want(
                *ty(*cta_rank) == I32,
                Code::OperandType,
                "the rank of a block is an i32",
            )
        }
        CopiesOp::CreatePolicy {
            fraction, otherwise, ..
        } => {
            want(
                fraction.is_none_or(|part| {
                    *ty(part) == DesugaredType::Scalar(ElementType::Scalar(ScalarType::F32))
                }) && *ty(op.result(0)) == I64,
                Code::OperandType,
                "a cache policy is an i64, and applies to a part of the accesses that is an f32",
            )?;
            want(
                matches!(otherwise, None | Some(L2Eviction::First | L2Eviction::Unchanged)),
                Code::AttributeValue,
                "the other accesses are \"L2::evict_first\" or \"L2::evict_unchanged\" (PTX ISA, `createpolicy`, \
                 secondary_priority)",
            )
        }
        CopiesOp::BulkPrefetch {
            from,
            cache_policy,
            size,
        } => {
            global(*from)?;
            policy(*cache_policy)?;
            want(
                size.is_multiple_of(BULK_UNIT) && *size > 0,
                Code::HardwareLimit,
                &format!(
                    "a bulk copy has a multiple of {BULK_UNIT} bytes, not {size} (PTX ISA, `cp.async.bulk.prefetch`, size)"
                ),
            )
        }
        CopiesOp::ClaimSlot { flags, words, slots } => {
            let fits = *ty(*flags) == DesugaredType::Scalar(ElementType::Ptr(ScalarType::I32))
                && *ty(op.result(0)) == I32;
            want(
                fits,
                Code::OperandType,
                "the words of flags are i32 in global memory, and a slot is an i32",
            )?;
            want(
                words.is_power_of_two() && (1..=32).contains(slots),
                Code::AttributeValue,
                "there are 1 to 32 slots in each word, and a power of two of words",
            )
        }
        CopiesOp::ReleaseSlot { flags, slot, slots } => want(
            *ty(*flags) == DesugaredType::Scalar(ElementType::Ptr(ScalarType::I32))
                && *ty(*slot) == I32
                && (1..=32).contains(slots),
            Code::OperandType,
            "the words of flags are i32 in global memory, each of 1 to 32 slots, and a slot is an i32",
        ),
    }
}
