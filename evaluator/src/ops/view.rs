//! Tensors in memory, views of them, and accesses to one tile of a view.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{TensorView, ViewOp};

use super::window::Window;
use super::{multimem, pointer};
use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::memory::Memory;
use crate::tile::{Runtime, Tensor, TileValue};
use crate::unspecified::Mark;

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &ViewOp) -> Outcome<Vec<Runtime>> {
    match kind {
        ViewOp::MakeTensorView {
            base,
            dynamic_shape,
            dynamic_strides,
        } => {
            let result = op
                .results()
                .next()
                .and_then(|value| frame.body.ty(value).as_tensor_view());
            let ty = result.ok_or_else(|| Fault::broken("a tensor of no tensor type"))?;
            Ok(vec![
                tensor(frame, ty, *base, dynamic_shape, dynamic_strides)?.into(),
            ])
        }
        ViewOp::MakePartitionView { tensor_view }
        | ViewOp::MakeStridedView { tensor_view }
        | ViewOp::MakeGatherScatterView { tensor_view } => {
            Ok(vec![Runtime::Tensor(frame.tensor(*tensor_view)?)])
        }
        ViewOp::GetTensorShape { src } => {
            let tensor = frame.tensor(*src)?;
            extents(frame, op, &tensor.extents)
        }
        ViewOp::GetIndexSpaceShape { src } => {
            let window = Window::of(frame, *src)?;
            let spaces: Vec<u64> = window
                .dims
                .iter()
                .map(|dim| dim.tiles.unwrap_or(dim.extent))
                .collect();
            extents(frame, op, &spaces)
        }
        ViewOp::LoadViewTko {
            view,
            index,
            token,
            ordering,
            scope,
            optimization_hints: _,
            inbounds,
        } => {
            let access = pointer::access(frame, op, false, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            let target = window.target(frame, op, addresses.len())?;
            let read = |memory: &mut Memory, address| memory.read(address, window.element, &access);
            pointer::load_from(frame, &addresses, target, *token, access, read)
        }
        ViewOp::StoreViewTko {
            tile,
            view,
            index,
            token,
            ordering,
            scope,
            optimization_hints: _,
            inbounds,
        } => {
            let access = pointer::access(frame, op, true, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            let write = |memory: &mut Memory, address, element| {
                memory.write(address, window.element, element, &access)
            };
            pointer::store_to(frame, &addresses, *tile, *token, access, write)
        }
        ViewOp::AtomicRedViewTko {
            view,
            index,
            value,
            token,
            ordering,
            scope,
            mode,
            inbounds,
        } => {
            let access = pointer::atomic(frame, op, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            let (ty, mode) = (window.element, *mode);
            let nudge = frame.machine.nudge;
            let new = |old, argument| pointer::combine(mode, ty, nudge, old, argument);
            let results = pointer::update(
                frame,
                window.elements(&addresses),
                *value,
                *token,
                access,
                Mark::NONE,
                new,
            )?;
            // The old values are not returned.
            Ok(results.into_iter().skip(1).collect())
        }
        ViewOp::MultimemLoadReduceViewTko {
            view,
            index,
            token,
            ordering,
            scope,
            reduction,
            inbounds,
        } => {
            let access = pointer::access(frame, op, false, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            let target = window.target(frame, op, addresses.len())?;
            multimem::load_reduce(
                frame,
                &addresses,
                window.element,
                target,
                *token,
                access,
                *reduction,
            )
        }
        ViewOp::MultimemReduceViewTko {
            view,
            tile,
            index,
            token,
            ordering,
            scope,
            reduction,
            inbounds,
        } => {
            let access = pointer::atomic(frame, op, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            multimem::reduce(
                frame,
                &addresses,
                window.element,
                *tile,
                *token,
                access,
                *reduction,
            )
        }
        ViewOp::MultimemStoreViewTko {
            view,
            tile,
            index,
            token,
            ordering,
            scope,
            inbounds,
        } => {
            let access = pointer::access(frame, op, true, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, op, index, inbounds)?;
            let write = |memory: &mut Memory, address, element| {
                memory.write_all(address, window.element, element, &access)
            };
            pointer::store_to(frame, &addresses, *tile, *token, access, write)
        }
    }
}

/// `make_tensor_view`: dynamic extents and strides are unsigned.
fn tensor(
    frame: &Frame<'_>,
    ty: &TensorView,
    base: Value,
    shape: &[Value],
    strides: &[Value],
) -> Outcome<Tensor> {
    let fill = |known: &[Option<u64>], given: &[Value]| -> Outcome<Vec<u64>> {
        let mut given = given.iter();
        let missing = || Fault::broken("a tensor with an extent that is not given");
        let pick = |known: &Option<u64>| match known {
            Some(number) => Ok(*number),
            None => frame.scalar(*given.next().ok_or_else(missing)?, "an extent or a stride"),
        };
        known.iter().map(pick).collect()
    };
    Ok(Tensor {
        base: frame.scalar(base, "the address of a tensor")?,
        extents: fill(&ty.shape, shape)?,
        strides: fill(&ty.strides, strides)?,
    })
}

/// Extents as results, unsigned.
fn extents(frame: &Frame<'_>, op: &Op, extents: &[u64]) -> Outcome<Vec<Runtime>> {
    let ty = frame.result_tile(op)?;
    let scalar = ty
        .element
        .scalar()
        .ok_or_else(|| Fault::broken("an extent that is no number"))?;
    let results = extents.iter().enumerate().map(|(i, &extent)| {
        if extent & !scalar.mask() != 0 {
            let message = format!("extent {i} is {extent}, which {scalar} does not hold");
            return Err(Fault::new(Code::UndefinedResult, message));
        }
        Ok(TileValue::scalar(scalar, extent).into())
    });
    results.collect()
}
