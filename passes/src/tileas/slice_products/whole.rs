//! Tiles that go through shared memory as their loads' routes say, but not to products that read slices: to a product that
//! takes an operand from registers as a whole (`wgmma`), or to any other op in whose threads the tile is not.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, Origin, ValueType};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::element::ElementType;
use tilewright_irs::machine::Machine;
use tilewright_irs::tileas::TileAs;

use super::copies::Loads;
use super::memory::OperandMemory;
use super::{Operand, Operands, wrong};
use crate::tileas::lower_conversions::Crossing;

/// Such tiles, by the results of the conversions that take them through shared memory, unless those are `operands`.
pub(super) fn find_whole(
    func: &Func<TileAs>,
    loads: &Loads<'_>,
    operands: &Operands,
) -> Result<Operands, Diagnostic<Origin>> {
    let body = &func.body;
    let machine = Machine::of(func.attrs.target);
    let limit = machine.multiprocessor.shared_static;
    let prices = machine.costs.conversions(func.attrs.kernel_spec.num_warps);
    let mut whole = Operands::default();
    for id in body.walk() {
        let Some(crossing) = Crossing::of(body, id) else {
            continue;
        };
        let (op, value) = (body.op(id), body.op(id).result(0));
        let asynchronous = match loads.route(crossing.source) {
            Some(ThreadRoute::Staged) => false,
            Some(ThreadRoute::CpAsync { .. }) => true,
            Some(ThreadRoute::Direct) | None => continue,
        };
        let scalar = body.ty(value).element().and_then(ElementType::scalar);
        let (Some(scalar), false) = (scalar, operands.contains_key(&value)) else {
            continue;
        };
        if crossing.bytes(body) > limit.0 || crossing.by_shuffles(body, limit, prices) {
            continue;
        }
        let (from, to) = (crossing.from, crossing.to);
        let plan =
            |along| OperandMemory::plan(from, to, scalar, along).map_err(|error| wrong(op.origin, &error));
        let found = loads.kept(id, crossing.source, None, to.shape().len(), plan)?;
        let alone = loads.conversions_of(loads.root_of(crossing.source)) == 1;
        let found = found.map(|(memory, copy)| (memory, copy.filter(|_| alone)));
        if let Some((memory, copy)) = found.filter(|(_, copy)| copy.is_some() || !asynchronous) {
            let operand = Operand {
                used_whole: true,
                ..Operand::new(memory, crossing.source, None, copy)
            };
            whole.insert(value, operand);
        }
    }
    Ok(whole)
}
