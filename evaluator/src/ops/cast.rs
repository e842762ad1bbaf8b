//! Conversions of element types.

use std::rc::Rc;

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::{CastOp, IntegerOverflow, Signedness, Tile};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::number::{convert, int, pack};
use crate::ops::float::{format, format_of};
use crate::tile::{Failed, Runtime, TileValue, count};
use crate::unspecified::{Mark, Marks};

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &CastOp) -> Outcome<Vec<Runtime>> {
    let to = frame.result_tile(op)?;
    let number = to.element.scalar();
    let number = || number.ok_or_else(|| Fault::broken("a conversion to no number"));
    let tile = match kind {
        CastOp::Bitcast { source }
        | CastOp::IntToPtr { source }
        | CastOp::PtrToInt { source }
        | CastOp::PtrToPtr { source } => {
            let mut tile = Rc::unwrap_or_clone(frame.tile(*source)?);
            tile.element = to.element;
            tile
        }
        CastOp::ExtI { from, signedness } => {
            let (source, to) = (frame.tile(*from)?, number()?);
            let ty = source.scalar_type()?;
            source.map(to, |a| int::extend(ty, to, *signedness, a))
        }
        CastOp::TruncI { from, overflow } => {
            let (source, to) = (frame.tile(*from)?, number()?);
            truncate(&source, to, *overflow)?
        }
        CastOp::FToF { from, rounding_mode } => {
            let (source, to) = (frame.tile(*from)?, number()?);
            let (from, target) = (format(&source)?, format_of(to)?);
            let overflow = convert::overflow_of(target);
            source.map(to, |a| {
                convert::float_to_float(from, target, *rounding_mode, overflow, a)
            })
        }
        CastOp::FToI {
            from,
            signedness,
            rounding_mode: _,
            saturating,
        } => {
            let (source, to) = (frame.tile(*from)?, number()?);
            let from = format(&source)?;
            if to == ScalarType::I1 {
                let tile = source.map(to, |a| u64::from(convert::float_to_truth(from, a)));
                return Ok(vec![tile.into()]);
            }
            let convert = |saturating, a| convert::float_to_int(from, to, *signedness, saturating, a);
            // An out-of-range value is an unspecified number, not undefined behaviour: the hardware saturates.
            let mut tile = source.map(to, |a| convert(true, a).unwrap_or(0));
            if !saturating.0 {
                let mark = frame.mark(op, "a float that the integer type does not hold");
                let lost = |at: usize| source.bits.get(at).is_some_and(|&a| convert(false, a).is_err());
                let marked = |at| if lost(at) { mark } else { Mark::NONE };
                tile.marks.add(source.bits.len(), marked);
            }
            tile
        }
        CastOp::IToF {
            from,
            signedness,
            rounding_mode,
        } => {
            let (source, to) = (frame.tile(*from)?, number()?);
            let (ty, target) = (source.scalar_type()?, format_of(to)?);
            source.map(to, |a| {
                convert::int_to_float(ty, *signedness, target, *rounding_mode, a)
            })
        }
        CastOp::Pack { source } => {
            let source = frame.tile(*source)?;
            let ty = source.scalar_type()?;
            let bytes = pack::pack(ty, &source.bits);
            let tile = sized(bytes.into_iter().map(u64::from).collect(), to)?;
            spread(&source, pack::packed_bits(ty), tile, 8)
        }
        CastOp::Unpack { source } => {
            let (source, ty) = (frame.tile(*source)?, number()?);
            // Elements of i8 are bytes.
            let bytes: Vec<u8> = source.bits.iter().map(|&bits| (bits & 0xff) as u8).collect();
            let tile = sized(pack::unpack(ty, &bytes), to)?;
            spread(&source, 8, tile, pack::packed_bits(ty))
        }
    };
    Ok(vec![tile.into()])
}

fn truncate(source: &TileValue, to: ScalarType, promise: IntegerOverflow) -> Outcome<TileValue> {
    let ty = source.scalar_type()?;
    let result = source.try_map(to, |a| {
        let cut = int::truncate(ty, to, a);
        if cut.keeps(promise) { Ok(cut.bits) } else { Err(a) }
    });
    result.map_err(|Failed { at, why }| {
        let value = int::value(ty, Signedness::Signed, why);
        let message = format!(
            "{value}{} does not fit {to}, and the op promises `{promise}`",
            source.place(at)
        );
        Fault::new(Code::BrokenPromise, message)
    })
}

/// Marks the elements of a packed or unpacked tile that share a bit with a marked element of the other one.
fn spread(source: &TileValue, source_bits: u32, tile: TileValue, tile_bits: u32) -> TileValue {
    if source.marks.is_none() {
        return tile;
    }
    let (from, to) = (source_bits.max(1) as usize, tile_bits.max(1) as usize);
    let mark = |at: usize| {
        let (first, last) = (at * to / from, ((at + 1) * to - 1) / from);
        let marks = (first..=last).map(|at| source.marks.get(at));
        marks.fold(Mark::NONE, Mark::or)
    };
    let marks = Marks::of((0..tile.bits.len()).map(mark));
    tile.marked(marks)
}

fn sized(bits: Vec<u64>, to: &Tile) -> Outcome<TileValue> {
    let wanted = count(&to.shape)?;
    if bits.len() != wanted {
        return Err(Fault::broken(format_args!(
            "{} elements where {wanted} belong",
            bits.len()
        )));
    }
    Ok(TileValue::new(to.element, to.shape.clone(), bits))
}
