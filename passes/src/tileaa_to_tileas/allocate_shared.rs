//! Gives layout conversions their bytes of shared memory. `tileas` to `tileas`.
//!
//! In: any function. Out: the same function, where the conversions through shared memory have new offsets and
//! `shared_bytes` is what they need together. More than a block can have on the target gets E0702.
//!
//! A conversion holds its bytes only while it runs: its lowering writes, waits, reads, and waits again before anybody
//! can write to the same bytes. No two of them run at once, as all warps are of one agent. So all of them begin at the
//! first byte, and the largest one says how many there are.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, Operation, Origin, ValueType};
use tilewright_irs::tileas::{Exchange, TileAs, TileAsDialect, TileAsOp};

/// Allocates shared memory.
///
/// # Errors
/// A conversion needs more than the target has (E0702), with the conversion's origin.
pub fn allocate_shared(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let limit = func.attrs.target.shared_limit();
    let mut most: u32 = 0;
    let mut problems = Vec::new();
    for id in func.body.walk() {
        let TileAsOp::TileAs(TileAsDialect::ConvertLayout {
            through: Exchange::Shared,
            ..
        }) = &func.body.op(id).kind
        else {
            continue;
        };
        let op = func.body.op(id);
        let ty = func.body.ty(op.result(0));
        let bits = ty.element().map_or(64, |element| element.bits());
        let elements = ty.layout().map_or(0, |layout| layout.total_out_bits());
        let bytes = u64::from(bits.div_ceil(8).next_power_of_two()) << elements.min(56);
        match u32::try_from(bytes).ok().filter(|&bytes| bytes <= limit) {
            Some(bytes) => most = most.max(bytes),
            None => {
                let message = format!(
                    "`{}` needs {bytes} bytes of shared memory; a block on {} has at most {limit}",
                    op.kind.name(),
                    func.attrs.target
                );
                problems.push(
                    Diagnostic::error(Code::SharedMemory, message)
                        .at(op.origin, "")
                        .help("use smaller tiles or a smaller element type"),
                );
            }
        }
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { offset, .. }) = &mut func.body.op_mut(id).kind
        {
            *offset = Some(0);
        }
    }
    func.attrs.shared_bytes = most;
    if problems.is_empty() {
        Ok(func)
    } else {
        Err(problems)
    }
}
