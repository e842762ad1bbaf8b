//! Tensor maps that a host function makes: 16 words of 64 bits, of which 8 are written.
//!
//! | word | content |
//! |---|---|
//! | 0 | the address |
//! | 1 | bit 1; the rank less 1 at bit 4; the format at 7, as the CUDA driver numbers it; the swizzle at 13; the promotion of L2 fetches to 128 bytes at 17; bit 21 for a tensor of 128 KiB or more; stride 1 in units of 16 bytes at 32 |
//! | 2 | strides 2 and 3 in units of 16 bytes, 32 bits each |
//! | 3 | stride 4; bits 36 to 39 of strides 1 to 4, in bytes, at 32, 36, 40 and 44 |
//! | 4, 5, 6 | the extents less 1, 32 bits each; that of the box along dimension 0, less 1, at bit 56 of word 6 |
//! | 7 | the other extents of the box, less 1, 8 bits each |
//!
//! Measured on version 4.8.1 of the library.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::cute_types::{CopyAtom, Kind, TmaFormat, View, ViewLayout};
use tilewright_irs::mlir::Type;
use tilewright_irs::mlir::dialects::CuteNvgpuOp;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::cute::{CuteError, LastOf, Stride, TypeLayout};
use tilewright_layouts::legality::{BoxMode, DataType, Interleave, L2Promotion, OobFill, TensorMap};

use super::frame::{Frame, Op};
use super::value::{Field, Map, Runtime};
use super::{algebra, unknown, unsupported};
use crate::fault::{Fault, Outcome};

pub(super) fn evaluate(frame: &Frame<'_>, op: &Op, kind: &CuteNvgpuOp) -> Outcome<Vec<Runtime>> {
    match kind {
        CuteNvgpuOp::AtomMakeNonExecTiledTmaLoad {
            gmem_tensor,
            smem_layout,
            num_multicast,
            ..
        } => made(frame, op, *gmem_tensor, *smem_layout, num_multicast.unwrap_or(1)),
        CuteNvgpuOp::AtomMakeNonExecTiledTmaStore {
            gmem_tensor,
            smem_layout,
            ..
        }
        | CuteNvgpuOp::AtomMakeNonExecTiledTmaReduce {
            gmem_tensor,
            smem_layout,
            ..
        } => made(frame, op, *gmem_tensor, *smem_layout, 1),
        _ => Err(unknown(op)),
    }
}

/// The map with its coordinates.
fn made(frame: &Frame<'_>, op: &Op, tensor: Value, shared: Value, multicast: i32) -> Outcome<Vec<Runtime>> {
    let mut results = algebra::inferred(frame, op)?;
    let Type::Cute(atom) = frame.result(op)? else {
        return Err(unknown(op));
    };
    let (basis, format) = match atom.kind() {
        Kind::Copy(CopyAtom::TiledLoad(map)) => (&map.basis, map.format),
        Kind::Copy(CopyAtom::TiledStore(map)) => (&map.basis, map.format),
        Kind::Copy(CopyAtom::TiledReduce(map)) => (&map.basis, map.format),
        _ => return Err(unknown(op)),
    };
    let known = algebra::known(frame, tensor)?;
    let Kind::View(view) = known.kind() else {
        return Err(unknown(op));
    };
    let data_type = data_type(format)?;
    let mut map = TensorMap {
        data_type,
        // The address is known at the launch alone; that of an array is a multiple of 16.
        global_address: 0,
        global_dim: Vec::new(),
        global_strides: Vec::new(),
        element_strides: vec![1; basis.rank()],
        interleave: Interleave::None,
        swizzle: swizzle(frame.cute(shared)?.kind())?,
        l2_promotion: L2Promotion::B128,
        oob_fill: OobFill::Zero,
        mode: BoxMode::Tiled {
            box_dim: boxes(basis, multicast)?,
        },
    };
    dimensions(&mut map, view, basis)?;
    map.check().map_err(|violations| {
        let all: Vec<_> = violations.iter().map(ToString::to_string).collect();
        Fault::new(
            Code::HardwareLimit,
            format!("no such tensor map: {}", all.join("; ")),
        )
    })?;
    let address = match frame.fields(tensor)?.first() {
        Some(Field::Address(address)) => *address,
        _ => return Err(unknown(op)),
    };
    let map = Field::Map(Box::new(Map {
        address,
        words: words(&map),
    }));
    if let Some(first) = results.first_mut() {
        *first = map.into();
    }
    Ok(results)
}

fn data_type(format: TmaFormat) -> Outcome<DataType> {
    Ok(match format {
        TmaFormat::U8 => DataType::U8,
        TmaFormat::U16 => DataType::U16,
        TmaFormat::U32 => DataType::U32,
        TmaFormat::S32 => DataType::S32,
        TmaFormat::U64 => DataType::U64,
        TmaFormat::S64 => DataType::S64,
        TmaFormat::F16 => DataType::F16,
        TmaFormat::F32 => DataType::F32,
        TmaFormat::F32Ftz => DataType::F32Ftz,
        TmaFormat::F64 => DataType::F64,
        TmaFormat::BF16 => DataType::BF16,
        TmaFormat::TF32 => DataType::TF32,
        TmaFormat::TF32Ftz => DataType::TF32Ftz,
        TmaFormat::U4 => DataType::U4x16Align8,
        TmaFormat::U4Unpacked | TmaFormat::U6Unpacked => {
            return Err(unsupported(format_args!("tensor maps of `{}`", format.word())));
        }
    })
}

/// The swizzle of shared memory.
fn swizzle(shared: &Kind) -> Outcome<SwizzleMode> {
    let composed = match shared {
        Kind::Composed(ViewLayout::Composed(composed)) => composed,
        _ => return Ok(SwizzleMode::None),
    };
    match composed.last() {
        LastOf::Swizzle(swizzle) => match (swizzle.bits(), swizzle.base(), swizzle.shift()) {
            (0, ..) => Ok(SwizzleMode::None),
            (1, 4, 3) => Ok(SwizzleMode::B32),
            (2, 4, 3) => Ok(SwizzleMode::B64),
            (3, 4, 3) => Ok(SwizzleMode::B128),
            (bits, base, shift) => Err(unsupported(format_args!(
                "tensor maps with the swizzle S<{bits},{base},{shift}>"
            ))),
        },
        LastOf::Layout(_) => Err(unsupported("tensor maps with a layout after a layout")),
    }
}

/// The part of a box along a mode of the tensor: its extent, and the path of the mode.
type Part = (u64, Vec<u32>);

/// The parts of a dimension of a map: of modes of the tensor that go on in memory, the first one fastest. Parts of extent 1 are
/// left out, unless there are no others.
fn parts(mode: &TypeLayout) -> Outcome<Vec<Part>> {
    let all = mode.tree().leaves().map(|leaf| {
        let extent = leaf.shape.value().and_then(|extent| u64::try_from(extent).ok())?;
        Some((extent, leaf.stride.path().to_vec()))
    });
    let all: Option<Vec<Part>> = all.collect();
    let all = all
        .filter(|all| !all.is_empty())
        .ok_or_else(|| not_a_dimension(mode))?;
    let some: Vec<Part> = all.iter().filter(|(extent, _)| *extent > 1).cloned().collect();
    Ok(match some.is_empty() {
        true => all.into_iter().take(1).collect(),
        false => some,
    })
}

fn not_a_dimension(mode: &TypeLayout) -> Box<Fault> {
    unsupported(format_args!("tensor maps with the dimension `{mode}`"))
}

/// The extents of the box, which so many blocks get together: it is divided, from its last dimension on.
fn boxes(basis: &TypeLayout, multicast: i32) -> Outcome<Vec<u32>> {
    let mut rest = u32::try_from(multicast).unwrap_or(0);
    let mut boxes = Vec::new();
    for mode in basis.modes() {
        let extents = parts(&mode)?.into_iter().map(|(extent, _)| extent);
        let product = extents.fold(1u64, u64::saturating_mul);
        boxes.push(u32::try_from(product).unwrap_or(u32::MAX));
    }
    for extent in boxes.iter_mut().rev() {
        let (mut common, mut other) = (*extent, rest);
        while other > 0 {
            (common, other) = (other, common % other);
        }
        *extent /= common.max(1);
        rest /= common.max(1);
    }
    match rest {
        1 => Ok(boxes),
        _ => Err(unsupported(format_args!(
            "a box of `{basis}` for {multicast} blocks"
        ))),
    }
}

/// Fills in the extents and strides of the tensor along the dimensions of the map.
fn dimensions(map: &mut TensorMap, view: &View, basis: &TypeLayout) -> Outcome<()> {
    let refused = |error: CuteError| Fault::new(Code::UndefinedResult, error.to_string());
    let layout = view.layout.layout();
    let (wide, narrow) = (map.data_type.bits(), view.pointer.element_bits());
    let memory = match wide >= narrow {
        true => layout.upcast(u64::from(wide / narrow.max(1))),
        false => layout.downcast(u64::from(narrow / wide.max(1))),
    };
    let memory = memory.map_err(refused)?;
    let identity = TypeLayout::identity(&layout.shape()).map_err(refused)?;
    // The extent and the stride of the mode of the tensor at a path.
    let along = |path: &[u32]| {
        let mut both = memory.tree().leaves().zip(identity.tree().leaves());
        let (own, _) = both.find(|(_, vector)| vector.stride.path() == path)?;
        let extent = u64::try_from(own.shape.value()?).ok()?;
        let stride = u64::try_from(own.stride.factor().value()?).ok()?;
        Some((extent, stride))
    };
    for (at, mode) in basis.modes().enumerate() {
        let mut known: Option<(u64, u64)> = None;
        let mut is_whole = true;
        for (part, path) in parts(&mode)? {
            let (extent, stride) = along(&path).ok_or_else(|| not_a_dimension(&mode))?;
            known = match known {
                None => Some((extent, stride)),
                // The box has all of the modes before, which this one goes on with.
                Some((before, first)) => {
                    let next = before
                        .checked_mul(first)
                        .filter(|next| is_whole && *next == stride);
                    let all = next.and_then(|_| before.checked_mul(extent));
                    Some((all.ok_or_else(|| not_a_dimension(&mode))?, first))
                }
            };
            is_whole &= part == extent;
        }
        let (extent, stride) = known.ok_or_else(|| not_a_dimension(&mode))?;
        map.global_dim.push(extent);
        if at == 0 {
            if extent > 1 && stride != 1 {
                let message = format!(
                    "the elements of a tensor map are {stride} apart along its first dimension, not 1"
                );
                return Err(Fault::new(Code::HardwareLimit, message));
            }
            continue;
        }
        let bits = stride.checked_mul(u64::from(wide));
        let bytes = bits.ok_or_else(|| not_a_dimension(&mode))? / 8;
        // Along a dimension of one element nothing is ever a stride away.
        map.global_strides.push(match extent {
            1 => bytes - bytes % 16,
            _ => bytes,
        });
    }
    Ok(())
}

/// The words after the address.
fn words(map: &TensorMap) -> [u64; 15] {
    let stride = |at: usize| map.global_strides.get(at).copied().unwrap_or(0);
    let low = |number: u64| number & 0xFFFF_FFFF;
    let unit = |at: usize| low(stride(at) / 16);
    let high = |at: usize| (stride(at) >> 36) & 0xF;
    let extent = |at: usize| {
        low(map
            .global_dim
            .get(at)
            .map_or(0, |extent| extent.saturating_sub(1)))
    };
    let boxed = |at: usize| match &map.mode {
        BoxMode::Tiled { box_dim } => box_dim
            .get(at)
            .map_or(0, |extent| u64::from(extent.saturating_sub(1)) & 0xFF),
        BoxMode::Im2col { .. } | BoxMode::Im2colWide { .. } => 0,
    };
    let format = DataType::ALL.iter().position(|own| *own == map.data_type);
    let format = format.and_then(|format| u64::try_from(format).ok()).unwrap_or(0);
    let swizzle = match map.swizzle {
        SwizzleMode::None => 0,
        SwizzleMode::B32 => 1,
        SwizzleMode::B64 => 2,
        SwizzleMode::B128
        | SwizzleMode::B128Atom32
        | SwizzleMode::B128Atom32Flip8
        | SwizzleMode::B128Atom64 => 3,
    };
    let rank = u64::try_from(map.rank().saturating_sub(1)).unwrap_or(0);
    let row = map.global_dim.first().copied().unwrap_or(0);
    let row = row.saturating_mul(u64::from(map.data_type.bits())) / 8;
    let rest = map.global_strides.iter().zip(map.global_dim.iter().skip(1));
    let rest = rest.map(|(stride, extent)| stride.saturating_mul(extent.saturating_sub(1)));
    let is_large = rest.fold(row, u64::saturating_add) >= 1 << 17;
    let mut words = [0; 15];
    words[0] =
        2 | rank << 4 | format << 7 | swizzle << 13 | 2 << 17 | u64::from(is_large) << 21 | unit(0) << 32;
    words[1] = unit(1) | unit(2) << 32;
    words[2] = unit(3) | high(0) << 32 | high(1) << 36 | high(2) << 40 | high(3) << 44;
    words[3] = extent(0) | extent(1) << 32;
    words[4] = extent(2) | extent(3) << 32;
    words[5] = extent(4) | boxed(0) << 56;
    words[6] = boxed(1) | boxed(2) << 8 | boxed(3) << 16 | boxed(4) << 24;
    words
}
