//! Instructions of NVIDIA's GPUs.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Precision};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::ShuffleKind;

use super::state::{Cx, Desugar, not_lowered};
use super::types::number;

const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);

/// The clamp of a shuffle among all lanes of a warp. (PTX ISA, `shfl.sync`, operand `c`.)
const WHOLE_WARP: i64 = 31;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    let index = match op {
        NvvmOp::TidX { .. } => Some(GpuOp::ThreadIdx { axis: None }),
        NvvmOp::TidY { .. } => Some(GpuOp::ThreadIdx { axis: Some(1) }),
        NvvmOp::TidZ { .. } => Some(GpuOp::ThreadIdx { axis: Some(2) }),
        NvvmOp::CtaidX { .. } => Some(GpuOp::BlockIdx { axis: 0 }),
        NvvmOp::CtaidY { .. } => Some(GpuOp::BlockIdx { axis: 1 }),
        NvvmOp::CtaidZ { .. } => Some(GpuOp::BlockIdx { axis: 2 }),
        NvvmOp::NctaidX { .. } => Some(GpuOp::GridDim { axis: 0 }),
        NvvmOp::NctaidY { .. } => Some(GpuOp::GridDim { axis: 1 }),
        NvvmOp::NctaidZ { .. } => Some(GpuOp::GridDim { axis: 2 }),
        NvvmOp::ClusteridX { .. } => Some(GpuOp::ClusterIdx { axis: 0 }),
        NvvmOp::ClusteridY { .. } => Some(GpuOp::ClusterIdx { axis: 1 }),
        NvvmOp::ClusteridZ { .. } => Some(GpuOp::ClusterIdx { axis: 2 }),
        NvvmOp::NclusteridX { .. } => Some(GpuOp::NumClusters { axis: 0 }),
        NvvmOp::NclusteridY { .. } => Some(GpuOp::NumClusters { axis: 1 }),
        NvvmOp::NclusteridZ { .. } => Some(GpuOp::NumClusters { axis: 2 }),
        NvvmOp::ClusterCtarank { .. } => Some(GpuOp::BlockRank {}),
        _ => None,
    };
    if let Some(index) = index {
        let value = cx.value(index, I32);
        cx.bind(cx.old(id).result(0), [value]);
        return Ok(());
    }
    match op {
        NvvmOp::Barrier {
            id: None,
            threads: None,
            predicate: None,
            ..
        } => {
            let threads = pass.threads;
            cx.build().effect(GpuOp::Barrier { id: 0, threads });
            Ok(())
        }
        NvvmOp::Barrier {
            id: number,
            threads,
            predicate: None,
            ..
        } => {
            let known = |value: &Option<Value>, default: u32| match value {
                None => Some(default),
                Some(value) => pass.constant(*value).and_then(|value| u32::try_from(value).ok()),
            };
            match (known(number, 0), known(threads, pass.threads)) {
                (Some(id), Some(threads)) => {
                    cx.build().effect(GpuOp::Barrier { id, threads });
                    Ok(())
                }
                _ => Err(not_lowered(cx, id)),
            }
        }
        NvvmOp::CpAsyncCommit {} => {
            cx.build().effect(GpuOp::AsyncCommit {});
            Ok(())
        }
        NvvmOp::CpAsyncWait { n } => match u32::try_from(*n) {
            Ok(in_flight) => {
                cx.build().effect(GpuOp::AsyncWait { in_flight });
                Ok(())
            }
            Err(_) => Err(not_lowered(cx, id)),
        },
        NvvmOp::ShflSync {
            mask,
            value,
            offset,
            clamp,
            kind,
            with_predicate: Flag(false),
        } => {
            let whole = pass.constant(*mask) == Some(-1) && pass.constant(*clamp) == Some(WHOLE_WARP);
            let source = cx.one(*value);
            let ty = cx.ty(source).clone();
            let distance = pass
                .constant(*offset)
                .and_then(|offset| u32::try_from(offset).ok());
            let op = match (kind, distance, whole) {
                (ShuffleKind::Bfly, Some(mask), true) => GpuOp::ShuffleXor { value: source, mask },
                (ShuffleKind::Idx, _, true) => {
                    let lane = cx.one(*offset);
                    GpuOp::ShuffleIdx { value: source, lane }
                }
                _ => return Err(not_lowered(cx, id)),
            };
            let moved = cx.value(op, ty);
            cx.bind(cx.old(id).result(0), [moved]);
            Ok(())
        }
        NvvmOp::Fmax {
            a,
            b,
            c,
            abs: Flag(false),
            ftz,
            nan,
        } => {
            let result = cx.old(id).result(0);
            let Some(ty) = number(cx.from.ty(result)) else {
                return Err(not_lowered(cx, id));
            };
            let mut greatest = cx.one(*a);
            for other in [Some(*b), *c].into_iter().flatten() {
                let op = ArithOp::MaxF {
                    lhs: greatest,
                    rhs: cx.one(other),
                    propagate_nan: *nan,
                    flush_to_zero: *ftz,
                    fast_math: FastMathOf::NONE,
                };
                greatest = cx.value(op, ty.clone());
            }
            cx.bind(result, [greatest]);
            Ok(())
        }
        NvvmOp::RcpApprox { arg } => {
            let ty = DesugaredType::Scalar(ScalarType::F32.into());
            let one = Dense::Splat(Literal::new(ScalarType::F32, u64::from(1f32.to_bits())));
            let lhs = cx.value(ArithOp::Constant { value: one }, ty.clone());
            let op = ArithOp::DivF {
                lhs,
                rhs: cx.one(*arg),
                precision: Precision::Approx,
                flush_to_zero: Flag(true),
                fast_math: FastMathOf::NONE,
            };
            let value = cx.value(op, ty);
            cx.bind(cx.old(id).result(0), [value]);
            Ok(())
        }
        NvvmOp::Laneid { .. } => {
            // The lane of a block along one axis.
            let thread = cx.value(GpuOp::ThreadIdx { axis: None }, I32);
            let mask = cx.value(
                ArithOp::Constant {
                    value: Dense::Splat(Literal::new(ScalarType::I32, 31)),
                },
                I32,
            );
            let lane = cx.value(
                ArithOp::AndI {
                    lhs: thread,
                    rhs: mask,
                },
                I32,
            );
            cx.bind(cx.old(id).result(0), [lane]);
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}
