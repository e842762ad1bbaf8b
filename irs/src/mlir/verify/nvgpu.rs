//! The rules of `cute_nvgpu`: atoms, tensor maps, descriptors, tensor memory and instructions.

use tilewright_diagnostics::Code;

use super::op::{Checked, Op, integer};
use crate::core::Value;
use crate::cute_types::{CopyAtom, Descriptor, Element, Kind, Opaque, Pointer, Space, View};
use crate::mlir::atom_fields;
use crate::mlir::dialects::CuteNvgpuOp as N;
use crate::mlir::types::{FloatFormat, Type};

/// A pointer into one of these memories.
fn into<'a>(op: Op<'a>, value: Value, spaces: &[Space], what: &str) -> Checked<&'a Pointer> {
    let own = op.pointer(value)?;
    op.needs(
        value,
        &format!("a pointer to {what}"),
        spaces.contains(&own.space()),
    )?;
    Ok(own)
}

fn shared<'a>(op: Op<'a>, value: Value) -> Checked<&'a Pointer> {
    into(op, value, &[Space::Shared], "shared memory")
}

fn shared_of_cluster<'a>(op: Op<'a>, value: Value) -> Checked<&'a Pointer> {
    into(op, value, &[Space::Shared, Space::ClusterShared], "shared memory")
}

fn tensor<'a>(op: Op<'a>, value: Value) -> Checked<&'a Pointer> {
    into(op, value, &[Space::Tensor], "tensor memory")
}

/// An mbarrier in shared memory, aligned to 8 bytes.
fn barrier(op: Op<'_>, value: Value) -> Checked {
    let own = shared_of_cluster(op, value)?;
    op.needs(value, "a pointer aligned to 8 bytes", own.align().get() % 8 == 0)
}

/// A pointer to a tensor map.
fn map(op: Op<'_>, value: Value) -> Checked {
    let holds = matches!(
        op.pointer(value)?.element(),
        Some(Element::Opaque(Opaque::TiledMap | Opaque::Im2colMap))
    );
    op.needs(value, "a pointer to a tensor map", holds)
}

/// A pointer into a memory as the result.
fn gives_pointer(op: Op<'_>, what: &str, space: Space) -> Checked {
    op.gives(
        0,
        &format!("a pointer to {what}"),
        |ty| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Pointer(own) if own.space() == space)),
    )
}

fn is_map(atom: &CopyAtom) -> bool {
    matches!(
        atom,
        CopyAtom::TiledLoad(_)
            | CopyAtom::TiledStore(_)
            | CopyAtom::TiledReduce(_)
            | CopyAtom::Im2colLoad(_)
            | CopyAtom::Im2colStore(_)
            | CopyAtom::Gather(_)
            | CopyAtom::Scatter(_)
    )
}

/// A tensor map that is not executable.
fn unbound(op: Op<'_>, value: Value) -> Checked {
    let holds = matches!(op.kind(value), Some(Kind::Copy(atom)) if is_map(atom));
    op.needs(value, "a tensor map that is not executable", holds)
}

fn gives_unbound(op: Op<'_>, what: &str, holds: fn(&CopyAtom) -> bool) -> Checked {
    op.gives(
        0,
        what,
        |ty| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Copy(atom) if holds(atom))),
    )?;
    op.gives(
        1,
        "a tensor of coordinates",
        |ty| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::CoordTensor(_))),
    )
}

/// A tensor in global memory, a layout of shared memory and a layout of a block's values.
fn map_of(op: Op<'_>, tensor: Value, smem: Value, values: Value) -> Checked {
    let holds =
        matches!(op.kind(tensor), Some(Kind::View(View { pointer, .. })) if pointer.space() == Space::Global);
    op.needs(tensor, "a tensor in global memory", holds)?;
    let holds = matches!(op.kind(smem), Some(Kind::Layout(_) | Kind::Composed(_)));
    op.needs(smem, "a layout of shared memory", holds)?;
    op.needs(
        values,
        "a layout",
        matches!(op.kind(values), Some(Kind::Layout(_))),
    )
}

/// A tensor in a memory.
fn tensor_in(op: Op<'_>, value: Value, space: Space, what: &str) -> Checked {
    let holds = matches!(op.kind(value), Some(Kind::View(view)) if view.pointer.space() == space);
    op.needs(value, &format!("a tensor in {what}"), holds)
}

/// Tuples of integers.
fn corners(op: Op<'_>, values: &[Value]) -> Checked {
    let holds = |value| matches!(op.kind(value), Some(Kind::IntTuple(_)));
    values
        .iter()
        .try_for_each(|&value| op.needs(value, "a tuple of integers", holds(value)))
}

/// The coordinates of a box: one to five.
fn coordinates(op: Op<'_>, values: &[Value]) -> Checked {
    op.all(values.iter().copied(), &Type::I32)?;
    match values.len() {
        1..=5 => Ok(()),
        count => op.refuse(
            Code::OperandCount,
            format_args!("it has {count} coordinates, where 1 to 5 are possible"),
        ),
    }
}

/// Extents and strides that replace those of a tensor map.
fn extents(op: Op<'_>, sizes: &[Value], strides: &[Value], upper: Option<Value>) -> Checked {
    op.all(sizes.iter().copied(), &Type::signless(16))?;
    let needed = sizes.len().saturating_sub(1);
    op.count("stride", strides.len(), needed)?;
    op.all(strides.iter().copied().chain(upper), &Type::I32)
}

/// A mask of blocks and a cache policy, where they are given.
fn options(op: Op<'_>, mask: Option<Value>, policy: Option<Value>) -> Checked {
    op.all(mask, &Type::signless(16))?;
    op.all(policy, &Type::I64)
}

fn descriptor(op: Op<'_>, own: Descriptor) -> Checked {
    op.gives(
        0,
        "a matrix descriptor",
        |ty| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Descriptor(found) if *found == own)),
    )
}

/// Checks that a value is one of a field of an atom.
fn field(op: Op<'_>, atom: Value, attribute: &crate::mlir::Attribute, ty: &Type) -> Checked {
    let Some(fields) = atom_fields(op.ty(atom)) else {
        return op.needs(atom, "an atom with fields", false);
    };
    let Some(name) = attribute.body_of(fields) else {
        return op.refuse(
            Code::AttributeValue,
            format_args!("`{attribute}` is no field of `{}`", op.ty(atom)),
        );
    };
    let pointer_in = |space| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Pointer(own) if own.space() == space));
    let (what, holds) = match name {
        "accum_c" | "neg_a" | "neg_b" => ("`i1`", *ty == Type::I1),
        "tma_bar" => ("a pointer to shared memory", pointer_in(Space::Shared)),
        "mcast_mask" => ("`i16`", *ty == Type::signless(16)),
        "cache_policy" => ("`i64`", *ty == Type::I64),
        "sf_a" | "sf_b" | "e" => ("a pointer to tensor memory", pointer_in(Space::Tensor)),
        "tma_descriptor_ptr" => (
            "a pointer to a tensor map",
            matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Pointer(_))),
        ),
        _ => return Ok(()),
    };
    match holds {
        true => Ok(()),
        false => op.refuse(
            Code::OperandType,
            format_args!("the field `{name}` is `{ty}`, where {what} is needed"),
        ),
    }
}

/// The number of blocks that take part.
fn blocks(op: Op<'_>, count: i32) -> Checked {
    match count {
        1 | 2 => Ok(()),
        _ => op.refuse(
            Code::AttributeValue,
            format_args!("{count} blocks take part, where 1 or 2 is needed"),
        ),
    }
}

/// The product in tensor memory: descriptors or tensor memory as factors, the result, and its flags.
fn umma(op: Op<'_>, a: Value, b: Value, cd: Value, idesc: Value, accum: Value) -> Checked {
    for value in [a, b] {
        let holds = matches!(op.kind(value), Some(Kind::Descriptor(_) | Kind::Pointer(_)));
        op.needs(value, "a matrix descriptor or tensor memory", holds)?;
    }
    tensor(op, cd)?;
    op.all([idesc], &Type::I32)?;
    op.all([accum], &Type::I1)
}

fn scales(op: Op<'_>, a: Value, b: Value) -> Checked {
    tensor(op, a)?;
    tensor(op, b)?;
    op.all([b], op.ty(a))
}

/// Elements of 4, 6 or 8 bits.
fn narrow(op: Op<'_>, name: &str, ty: &Type) -> Checked {
    let holds = matches!(ty, Type::Float(format) if format.bits() <= 8 && *format != FloatFormat::F8E8m0fnu);
    match holds {
        true => Ok(()),
        false => op.refuse(
            Code::AttributeValue,
            format_args!("`{name}` is `{ty}`, where a float of 4, 6 or 8 bits is needed"),
        ),
    }
}

/// Bytes of a bulk copy: a positive multiple of 16.
fn bytes(op: Op<'_>, size: i32) -> Checked {
    match size > 0 && size % 16 == 0 {
        true => Ok(()),
        false => op.refuse(
            Code::AttributeValue,
            format_args!("it copies {size} bytes, where a positive multiple of 16 is needed"),
        ),
    }
}

/// The registers of a copy of tensor memory.
fn registers(op: Op<'_>, ty: &Type) -> bool {
    let _ = op;
    matches!(ty, Type::Vector(vector) if vector.element == Type::I32 && matches!(vector.shape.as_slice(), [1 | 2 | 4 | 8 | 16 | 32 | 64 | 128]))
}

pub(super) fn cute_nvgpu(op: Op<'_>, kind: &N) -> Checked {
    match kind {
        N::ArchMakeWarpUniform { val } => op.all([*val], &Type::I32),
        N::AtomMakeExecTma {
            input,
            r#override,
            no_fully_oob_tile,
        } => {
            unbound(op, *input)?;
            let tiled = matches!(
                op.kind(*input),
                Some(Kind::Copy(CopyAtom::TiledLoad(_) | CopyAtom::TiledStore(_)))
            );
            op.needs(
                *input,
                "a load or store of boxes, to override its extents",
                !r#override.0 || tiled,
            )?;
            match no_fully_oob_tile.0 && !r#override.0 {
                true => op.refuse(
                    Code::ConflictingAttributes,
                    "`no_fully_oob_tile` needs `override`",
                ),
                false => Ok(()),
            }
        }
        N::AtomSetValue {
            atom,
            value,
            field: name,
        } => field(op, *atom, name, op.ty(*value)),
        N::AtomGetValue { atom, field: name } => field(op, *atom, name, op.ty(op.result()?)),
        N::AtomTmaPartition { smem_tensor, .. } => {
            tensor_in(op, *smem_tensor, Space::Shared, "shared memory")
        }
        N::AtomGetCopyS2tSmemDescView { view, .. } | N::AtomSm107GetCopyS2tSmemDescView { view, .. } => {
            tensor_in(op, *view, Space::Shared, "shared memory")
        }
        N::AtomMakeTmemCopy { tmem_memref, .. } | N::AtomMakeS2tCopy { tmem_memref, .. } => {
            tensor_in(op, *tmem_memref, Space::Tensor, "tensor memory")
        }
        N::AtomMakeNonExecTiledTmaLoad { .. }
        | N::AtomMakeNonExecTiledTmaStore { .. }
        | N::AtomMakeNonExecTiledTmaReduce { .. } => Ok(()),
        N::PrefetchTmaDesc { atom } => unbound(op, *atom),
        N::ArchSm100RetrieveTmemPtr { smem_ptr } => {
            shared(op, *smem_ptr)?;
            gives_pointer(op, "tensor memory", Space::Tensor)
        }
        N::ArchSm100AllocTmem { n_cols, dst_ptr, .. } => {
            op.all([*n_cols], &Type::I32)?;
            shared(op, *dst_ptr).map(|_| ())
        }
        N::ArchSm100DeallocTmem { tmem_ptr, n_cols, .. } => {
            tensor(op, *tmem_ptr)?;
            op.all([*n_cols], &Type::I32)
        }
        N::ArchSm100RelinquishTmemAllocPermit { .. } => Ok(()),
        N::ArchCopySM100CopyS2t { src, dst, cta, .. } => {
            let holds = matches!(op.kind(*src), Some(Kind::Descriptor(_)));
            op.needs(*src, "a matrix descriptor", holds)?;
            tensor(op, *dst)?;
            blocks(op, *cta)
        }
        N::ArchCopySM100TmaLoad {
            src_desc,
            dsmem_data_addr,
            dsmem_bar_addr,
            coord,
            multicast_mask,
            offsets,
            cache_policy,
            num_cta,
            ..
        } => {
            map(op, *src_desc)?;
            shared_of_cluster(op, *dsmem_data_addr)?;
            barrier(op, *dsmem_bar_addr)?;
            coordinates(op, coord)?;
            op.all(offsets.iter().copied(), &Type::signless(16))?;
            options(op, *multicast_mask, *cache_policy)?;
            blocks(op, *num_cta)
        }
        N::ArchCopySM100TmaStore {
            dst_desc,
            src_smem_data_addr,
            coord,
            cache_policy,
            ..
        }
        | N::ArchCopySM100TmaReduce {
            dst_desc,
            src_smem_data_addr,
            coord,
            cache_policy,
            ..
        } => {
            map(op, *dst_desc)?;
            shared(op, *src_smem_data_addr)?;
            coordinates(op, coord)?;
            options(op, None, *cache_policy)
        }
        N::ArchCopySM100TmemLoad { src, .. } => {
            tensor(op, *src)?;
            op.gives(0, "a vector of 1 to 128 `i32`", |ty| registers(op, ty))
        }
        N::ArchCopySM100TmemStore { dst, src, .. } => {
            tensor(op, *dst)?;
            op.needs(*src, "a vector of 1 to 128 `i32`", registers(op, op.ty(*src)))
        }
        N::ArchCopySM107TmaLoadOverride {
            src_desc,
            dsmem_data_addr,
            dsmem_bar_addr,
            override_addr,
            tensor_size,
            lower_stride,
            upper_stride,
            coord,
            multicast_mask,
            cache_policy,
            num_cta,
            ..
        } => {
            map(op, *src_desc)?;
            shared_of_cluster(op, *dsmem_data_addr)?;
            barrier(op, *dsmem_bar_addr)?;
            op.pointer(*override_addr)?;
            extents(op, tensor_size, lower_stride, *upper_stride)?;
            coordinates(op, coord)?;
            op.all(*multicast_mask, &Type::I32)?;
            options(op, None, *cache_policy)?;
            blocks(op, *num_cta)
        }
        N::ArchCopySM107TmaStoreOverride {
            dst_desc,
            src_smem_data_addr,
            override_addr,
            tensor_size,
            lower_stride,
            upper_stride,
            coord,
            cache_policy,
            ..
        } => {
            map(op, *dst_desc)?;
            shared(op, *src_smem_data_addr)?;
            op.pointer(*override_addr)?;
            extents(op, tensor_size, lower_stride, *upper_stride)?;
            coordinates(op, coord)?;
            options(op, None, *cache_policy)
        }
        N::ArchCopySM90BulkCopyG2s {
            gmem_data_addr,
            dsmem_data_addr,
            dsmem_bar_addr,
            multicast_mask,
            cache_policy,
            size,
        } => {
            into(op, *gmem_data_addr, &[Space::Global], "global memory")?;
            shared_of_cluster(op, *dsmem_data_addr)?;
            barrier(op, *dsmem_bar_addr)?;
            options(op, *multicast_mask, *cache_policy)?;
            bytes(op, *size)
        }
        N::ArchCopySM90BulkCopyS2g {
            smem_data_addr,
            gmem_data_addr,
            byte_mask,
            cache_policy,
            size,
        } => {
            shared(op, *smem_data_addr)?;
            into(op, *gmem_data_addr, &[Space::Global], "global memory")?;
            options(op, *byte_mask, *cache_policy)?;
            bytes(op, *size)
        }
        N::ArchCopySM90BulkCopyS2s {
            smem_data_addr,
            dsmem_data_addr,
            dsmem_bar_addr,
            cta_rank,
            size,
        } => {
            shared(op, *smem_data_addr)?;
            shared_of_cluster(op, *dsmem_data_addr)?;
            barrier(op, *dsmem_bar_addr)?;
            op.all([*cta_rank], &Type::I32)?;
            bytes(op, *size)
        }
        N::ArchGetDynSmem {} => gives_pointer(op, "shared memory", Space::Shared),
        N::ArchGetDynSmemSize {} => Ok(()),
        N::ArchAllocRmem { input } => {
            let holds = integer(op.ty(*input))
                || matches!(op.ty(*input), Type::Index)
                || matches!(op.kind(*input), Some(Kind::Layout(_)));
            op.needs(*input, "an integer or a layout", holds)?;
            gives_pointer(op, "registers", Space::Register)
        }
        N::ArchAllocSmem { input } => {
            if *input < 0 {
                return op.refuse(
                    Code::AttributeValue,
                    format_args!("it allocates {input} elements"),
                );
            }
            gives_pointer(op, "shared memory", Space::Shared)
        }
        N::ArchMmaSM107Umma {
            a,
            b,
            cd,
            idesc,
            accum,
            num_cta,
            ..
        } => {
            umma(op, *a, *b, *cd, *idesc, *accum)?;
            blocks(op, *num_cta)
        }
        N::ArchMmaSM107UmmaSparse {
            a,
            b,
            cd,
            e: _,
            idesc,
            accum,
            num_cta,
            ..
        } => {
            umma(op, *a, *b, *cd, *idesc, *accum)?;
            blocks(op, *num_cta)
        }
        N::ArchMmaSM107UmmaBlockScaled {
            a,
            b,
            cd,
            sf_a,
            sf_b,
            idesc,
            accum,
            num_cta,
            a_type,
            b_type,
            ..
        }
        | N::ArchMmaSM107UmmaBlockScaledSparse {
            a,
            b,
            cd,
            sf_a,
            sf_b,
            idesc,
            accum,
            num_cta,
            a_type,
            b_type,
            ..
        } => {
            umma(op, *a, *b, *cd, *idesc, *accum)?;
            scales(op, *sf_a, *sf_b)?;
            narrow(op, "a_type", a_type)?;
            narrow(op, "b_type", b_type)?;
            blocks(op, *num_cta)
        }
        N::ArchMmaSM120BlockScaled {
            byte_id_a,
            byte_id_b,
            a_type,
            b_type,
            ..
        } => {
            op.all(
                [*byte_id_a, *byte_id_b].into_iter().flatten(),
                &Type::signless(16),
            )?;
            narrow(op, "a_type", a_type)?;
            narrow(op, "b_type", b_type)
        }
        N::ArchPrefetchTmaDesc { tma_descriptor_ptr } => map(op, *tma_descriptor_ptr),
        N::AtomGetCoordTensor { atom, shape, base } => {
            let holds = matches!(
                op.kind(*atom),
                Some(Kind::Copy(_) | Kind::TiledCopy(_) | Kind::Mma(_) | Kind::TiledMma(_))
            );
            op.needs(*atom, "an atom", holds)?;
            op.needs(*shape, "a shape", matches!(op.kind(*shape), Some(Kind::Shape(_))))?;
            match base.len() {
                0 | 2 => Ok(()),
                count => op.refuse(
                    Code::OperandCount,
                    format_args!(
                        "it has {count} further operands, where an offset and a layout are possible"
                    ),
                ),
            }
        }
        N::AtomMakeTmaResidueTensor { tma_atom, .. } => {
            let holds = matches!(op.kind(*tma_atom), Some(Kind::Copy(_)));
            op.needs(*tma_atom, "a copy by a tensor map", holds)
        }
        N::AtomMakeNonExec2dGather4TmaLoad {
            gmem_tensor,
            smem_layout,
            cta_v_map,
            ..
        } => {
            map_of(op, *gmem_tensor, *smem_layout, *cta_v_map)?;
            gives_unbound(op, "a load of four rows", |atom| {
                matches!(atom, CopyAtom::Gather(_))
            })
        }
        N::AtomMakeNonExec2dScatter4TmaStore {
            gmem_tensor,
            smem_layout,
            cta_v_map,
            ..
        } => {
            map_of(op, *gmem_tensor, *smem_layout, *cta_v_map)?;
            gives_unbound(op, "a store of four rows", |atom| {
                matches!(atom, CopyAtom::Scatter(_))
            })
        }
        N::AtomMakeNonExecIm2colTmaLoad {
            gmem_tensor,
            smem_layout,
            cta_v_map,
            lower_corner_whd,
            upper_corner_whd,
            lower_padding_whd,
            upper_padding_whd,
            stride_whd,
            lower_srt,
            stride_srt,
            ..
        } => {
            map_of(op, *gmem_tensor, *smem_layout, *cta_v_map)?;
            corners(
                op,
                &[
                    *lower_corner_whd,
                    *upper_corner_whd,
                    *lower_padding_whd,
                    *upper_padding_whd,
                    *stride_whd,
                    *lower_srt,
                    *stride_srt,
                ],
            )?;
            gives_unbound(op, "a load of pixels", |atom| {
                matches!(atom, CopyAtom::Im2colLoad(_))
            })
        }
        N::AtomMakeNonExecIm2colTmaStore {
            gmem_tensor,
            smem_layout,
            cta_v_map,
            ..
        } => {
            map_of(op, *gmem_tensor, *smem_layout, *cta_v_map)?;
            gives_unbound(op, "a store of pixels", |atom| {
                matches!(atom, CopyAtom::Im2colStore(_))
            })
        }
        N::GetTmaDescAddr { src } => {
            op.needs(*src, "a copy", matches!(op.kind(*src), Some(Kind::Copy(_))))?;
            op.gives(0, "a pointer aligned to 64 bytes", |ty| {
                matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Pointer(own) if own.align().get() % 64 == 0))
            })
        }
        N::CastTmaDescToInteger { src } => {
            op.pointer(*src)?;
            op.gives(0, "an integer", integer)
        }
        N::CopyTmaDesc { atom, tma_desc_ptr } => {
            let holds = matches!(op.kind(*atom), Some(Kind::Copy(_)));
            op.needs(*atom, "a copy by a tensor map", holds)?;
            op.pointer(*tma_desc_ptr).map(|_| ())
        }
        N::UpdateTmaDesc {
            tma_atom,
            tma_desc_ptr,
            ..
        } => {
            let holds = matches!(op.kind(*tma_atom), Some(Kind::Copy(_)));
            op.needs(*tma_atom, "a copy by a tensor map", holds)?;
            op.pointer(*tma_desc_ptr).map(|_| ())
        }
        N::GetGridConstantPointer { .. } => Ok(()),
        N::MakeGmmaSmemDesc { src, .. } => {
            shared(op, *src)?;
            descriptor(op, Descriptor::Plain)
        }
        N::MakeUmmaSmemDesc { src, next_src, .. }
        | N::Sm103MakeUmmaSmemDescCircular { src, next_src, .. } => {
            shared(op, *src)?;
            op.all(*next_src, op.ty(*src))?;
            descriptor(op, Descriptor::Plain)
        }
        N::Sm107MakeUmmaSmemDesc { src, next_src, .. }
        | N::Sm107MakeUmmaSmemDescCircular { src, next_src, .. } => {
            shared(op, *src)?;
            op.all(*next_src, op.ty(*src))?;
            descriptor(op, Descriptor::Sm107)
        }
        N::MakeTmaDescTiled {
            gmem_view,
            smem_layout,
            cta_value_tile,
            ..
        } => {
            map_of(op, *gmem_view, *smem_layout, *cta_value_tile)?;
            gives_map(op)
        }
        N::MakeTmaDescTiledAt {
            gmem_view,
            smem_layout,
            cta_value_tile,
            tma_desc_addr,
            ..
        } => {
            map_of(op, *gmem_view, *smem_layout, *cta_value_tile)?;
            op.pointer(*tma_desc_addr).map(|_| ())
        }
        N::MakeTmaDescIm2col {
            gmem_view,
            smem_layout,
            cta_value_tile,
            lower_corner_whd,
            upper_corner_whd,
            lower_padding_whd,
            upper_padding_whd,
            stride_whd,
            lower_srt,
            stride_srt,
            ..
        } => {
            map_of(op, *gmem_view, *smem_layout, *cta_value_tile)?;
            corners(
                op,
                &[
                    *lower_corner_whd,
                    *upper_corner_whd,
                    *lower_padding_whd,
                    *upper_padding_whd,
                    *stride_whd,
                    *lower_srt,
                    *stride_srt,
                ],
            )?;
            gives_map(op)
        }
        N::MakeTmaDescIm2colAt {
            gmem_view,
            smem_layout,
            cta_value_tile,
            lower_corner_whd,
            upper_corner_whd,
            lower_padding_whd,
            upper_padding_whd,
            stride_whd,
            lower_srt,
            stride_srt,
            tma_desc_addr,
            ..
        } => {
            map_of(op, *gmem_view, *smem_layout, *cta_value_tile)?;
            corners(
                op,
                &[
                    *lower_corner_whd,
                    *upper_corner_whd,
                    *lower_padding_whd,
                    *upper_padding_whd,
                    *stride_whd,
                    *lower_srt,
                    *stride_srt,
                ],
            )?;
            op.pointer(*tma_desc_addr).map(|_| ())
        }
    }
}

fn gives_map(op: Op<'_>) -> Checked {
    op.gives(
        0,
        "a pointer to a tensor map",
        |ty| matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Pointer(_))),
    )
}
