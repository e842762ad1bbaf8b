//! What ops of `cuda_tile` may do beside giving a result: be undefined, never end, go elsewhere.

use tilewright_irs::core::{Body, OpId, Operation, Region, Value};
use tilewright_irs::cuda_tile::{
    CastOp, ControlOp, CudaTile, IntOp, IntegerOverflow, MemoryOp, PreviewOp, ShapeOp, Signedness, TileOp,
    ViewOp,
};
use tilewright_irs::literal::{Dense, Literal};

/// Finds the op that defines a value.
pub(super) type Find<'a> = &'a dyn Fn(Value) -> Option<&'a TileOp>;

/// The one number that every element of a value is.
pub(super) fn splat(find: Find<'_>, value: Value) -> Option<Literal> {
    match find(value)? {
        TileOp::Shape(ShapeOp::Constant {
            value: Dense::Splat(literal),
        }) => Some(*literal),
        _ => None,
    }
}

/// What a value is the negation of.
pub(super) fn negated(find: Find<'_>, value: Value) -> Option<Value> {
    match find(value)? {
        TileOp::Int(IntOp::XorI { lhs, rhs }) => (splat(find, *rhs)? == Literal::i1(true)).then_some(*lhs),
        _ => None,
    }
}

/// An integer as a number, read as signed or not.
pub(super) fn number(literal: Literal, signedness: Signedness) -> i128 {
    match signedness {
        Signedness::Unsigned => i128::from(literal.bits),
        Signedness::Signed => {
            let shift = 128 - literal.ty.bits();
            (i128::from(literal.bits) << shift) >> shift
        }
    }
}

/// How often a `for` runs, if that is known; as many turns as two are reported as two.
pub(super) fn trip_count(find: Find<'_>, op: &TileOp) -> Option<u8> {
    let TileOp::Control(ControlOp::For {
        lower_bound,
        upper_bound,
        step,
        unsigned_cmp,
        ..
    }) = op
    else {
        return None;
    };
    if lower_bound == upper_bound {
        return Some(0);
    }
    let signedness = if unsigned_cmp.0 {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    };
    let lower = number(splat(find, *lower_bound)?, signedness);
    let upper = number(splat(find, *upper_bound)?, signedness);
    if lower >= upper {
        return Some(0);
    }
    // The step is positive by the rules of the language; as a number of the counter's type it may wrap.
    let step = number(splat(find, *step)?, Signedness::Unsigned);
    Some(if step > 0 && lower + step >= upper { 1 } else { 2 })
}

/// Whether an op has a result whatever its operands are, as far as they are not known.
pub(super) fn has_result(find: Find<'_>, op: &TileOp) -> bool {
    match op {
        // Every float op has a result for all numbers, infinities and NaNs.
        TileOp::Float(_) => true,
        TileOp::Int(op) => integer_has_result(find, op),
        TileOp::Cast(op) => match op {
            CastOp::TruncI { overflow, .. } => *overflow == IntegerOverflow::None,
            CastOp::FToI { saturating, .. } => saturating.0,
            CastOp::Bitcast { .. }
            | CastOp::ExtI { .. }
            | CastOp::FToF { .. }
            | CastOp::IToF { .. }
            | CastOp::IntToPtr { .. }
            | CastOp::PtrToInt { .. }
            | CastOp::PtrToPtr { .. }
            | CastOp::Pack { .. }
            | CastOp::Unpack { .. } => true,
        },
        TileOp::Shape(op) => match op {
            ShapeOp::Constant { .. }
            | ShapeOp::Iota { .. }
            | ShapeOp::Reshape { .. }
            | ShapeOp::Broadcast { .. }
            | ShapeOp::Permute { .. }
            | ShapeOp::Cat { .. }
            | ShapeOp::Select { .. }
            | ShapeOp::MmaF { .. }
            | ShapeOp::MmaI { .. }
            | ShapeOp::MmaFScaled { .. } => true,
            // An index may lie outside, an assumption may be false, a body may be undefined.
            ShapeOp::Extract { .. }
            | ShapeOp::Insert { .. }
            | ShapeOp::Assume { .. }
            | ShapeOp::Reduce { .. }
            | ShapeOp::Scan { .. } => false,
        },
        TileOp::Memory(op) => match op {
            MemoryOp::GetGlobal { .. } | MemoryOp::MakeToken { .. } | MemoryOp::JoinTokens { .. } => true,
            // An offset must not overflow.
            MemoryOp::Offset { .. }
            | MemoryOp::LoadPtrTko { .. }
            | MemoryOp::StorePtrTko { .. }
            | MemoryOp::AtomicCasTko { .. }
            | MemoryOp::AtomicRmwTko { .. }
            | MemoryOp::Alloca { .. }
            | MemoryOp::MemoryFenceAliasTko { .. }
            | MemoryOp::GdcLaunchDependentsTko { .. }
            | MemoryOp::GdcWaitTko { .. } => false,
        },
        TileOp::View(op) => match op {
            ViewOp::MakePartitionView { .. }
            | ViewOp::MakeStridedView { .. }
            | ViewOp::MakeGatherScatterView { .. }
            | ViewOp::GetTensorShape { .. }
            | ViewOp::GetIndexSpaceShape { .. } => true,
            // Extents and strides have rules of their own.
            ViewOp::MakeTensorView { .. }
            | ViewOp::LoadViewTko { .. }
            | ViewOp::StoreViewTko { .. }
            | ViewOp::AtomicRedViewTko { .. }
            | ViewOp::MultimemLoadReduceViewTko { .. }
            | ViewOp::MultimemReduceViewTko { .. }
            | ViewOp::MultimemStoreViewTko { .. } => false,
        },
        TileOp::Control(op) => match op {
            ControlOp::GetTileBlockId {} | ControlOp::GetNumTileBlocks {} => true,
            ControlOp::For { .. }
            | ControlOp::If { .. }
            | ControlOp::Loop { .. }
            | ControlOp::Break { .. }
            | ControlOp::Continue { .. }
            | ControlOp::Yield { .. }
            | ControlOp::Return { .. }
            | ControlOp::Assert { .. }
            | ControlOp::PrintTko { .. } => false,
        },
        // What it calls may do anything.
        TileOp::Preview(PreviewOp::Call { .. }) => false,
    }
}

fn integer_has_result(find: Find<'_>, op: &IntOp) -> bool {
    match op {
        IntOp::AddI { overflow, .. }
        | IntOp::SubI { overflow, .. }
        | IntOp::MulI { overflow, .. }
        | IntOp::NegI { overflow, .. } => *overflow == IntegerOverflow::None,
        IntOp::ShlI { rhs, overflow, .. } => {
            *overflow == IntegerOverflow::None && is_shift_amount(splat(find, *rhs))
        }
        IntOp::ShrI { rhs, .. } => is_shift_amount(splat(find, *rhs)),
        IntOp::DivI { rhs, .. } | IntOp::RemI { rhs, .. } => match splat(find, *rhs) {
            // The least number divided by -1 overflows.
            Some(divisor) => divisor.bits != 0 && divisor.bits != divisor.ty.mask(),
            None => false,
        },
        IntOp::AbsI { .. }
        | IntOp::MulHiI { .. }
        | IntOp::MaxI { .. }
        | IntOp::MinI { .. }
        | IntOp::AndI { .. }
        | IntOp::OrI { .. }
        | IntOp::XorI { .. }
        | IntOp::CmpI { .. } => true,
    }
}

fn is_shift_amount(amount: Option<Literal>) -> bool {
    amount.is_some_and(|amount| amount.bits < u64::from(amount.ty.bits()))
}

/// Whether what follows the op in its block is certainly executed after it.
pub(super) fn goes_on(body: &Body<CudaTile>, op: &TileOp) -> bool {
    match op {
        TileOp::Control(ControlOp::If { .. }) => {
            let stays = |&region: &Region| {
                let blocks = body.region(region).blocks.iter();
                let mut ops = blocks.flat_map(|&block| &body.block(block).ops);
                ops.all(|&id| goes_on(body, &body.op(id).kind))
            };
            op.region_list().iter().all(stays)
        }
        TileOp::Control(
            ControlOp::For { .. }
            | ControlOp::Loop { .. }
            | ControlOp::Break { .. }
            | ControlOp::Continue { .. }
            | ControlOp::Return { .. }
            | ControlOp::Assert { .. },
        )
        | TileOp::Preview(PreviewOp::Call { .. }) => false,
        TileOp::Control(
            ControlOp::Yield { .. }
            | ControlOp::GetTileBlockId {}
            | ControlOp::GetNumTileBlocks {}
            | ControlOp::PrintTko { .. },
        )
        | TileOp::Float(_)
        | TileOp::Int(_)
        | TileOp::Cast(_)
        | TileOp::Shape(_)
        | TileOp::Memory(_)
        | TileOp::View(_) => true,
    }
}

/// Whether an op with regions does nothing but give results: what it holds is pure, and control comes out of it.
pub(super) fn is_removable(body: &Body<CudaTile>, id: OpId) -> bool {
    let op = &body.op(id).kind;
    let (inside, in_loop) = match op {
        TileOp::Control(ControlOp::For { .. }) => (true, true),
        TileOp::Control(ControlOp::If { .. })
        | TileOp::Shape(ShapeOp::Reduce { .. } | ShapeOp::Scan { .. }) => (true, false),
        TileOp::Float(_)
        | TileOp::Int(_)
        | TileOp::Cast(_)
        | TileOp::Shape(_)
        | TileOp::Memory(_)
        | TileOp::View(_)
        | TileOp::Control(_)
        | TileOp::Preview(_) => (false, false),
    };
    inside
        && op
            .region_list()
            .iter()
            .all(|&region| is_quiet(body, region, in_loop))
}

/// Whether running a region does nothing that is seen outside. `in_loop`: it may go on to the next turn.
fn is_quiet(body: &Body<CudaTile>, region: Region, in_loop: bool) -> bool {
    let blocks = body.region(region).blocks.iter();
    let mut ops = blocks.flat_map(|&block| &body.block(block).ops);
    ops.all(|&id| {
        let op = &body.op(id).kind;
        match op {
            TileOp::Control(ControlOp::Yield { .. }) => true,
            TileOp::Control(ControlOp::Continue { .. }) => in_loop,
            TileOp::Control(ControlOp::If { .. }) => op
                .region_list()
                .iter()
                .all(|&region| is_quiet(body, region, in_loop)),
            TileOp::Control(ControlOp::For { .. })
            | TileOp::Shape(ShapeOp::Reduce { .. } | ShapeOp::Scan { .. }) => is_removable(body, id),
            TileOp::Float(_)
            | TileOp::Int(_)
            | TileOp::Cast(_)
            | TileOp::Shape(_)
            | TileOp::Memory(_)
            | TileOp::View(_)
            | TileOp::Control(_)
            | TileOp::Preview(_) => op.is_pure(),
        }
    })
}
