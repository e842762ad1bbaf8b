//! Reductions and scans. The body's arguments, the accumulated value and an element for each operand, become all
//! accumulated values, then all elements.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Operation, Region, Value, ValueType};
use tilewright_irs::cuda_tile::Attr;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Literal;

use super::pass::{Lowering, Pass, Problem};
use super::types;

/// The parts of a reduction or a scan in `tileaa`.
pub(super) struct Folded {
    pub(super) operands: Vec<Value>,
    pub(super) axis: u32,
    pub(super) identities: Vec<Literal>,
    pub(super) body: Region,
}

impl Pass<'_> {
    /// Lowers the parts of a reduction or a scan. Its body may compute with single elements only: the elements of a
    /// tile that each thread combined differently could not be exchanged between threads.
    pub(super) fn fold(
        &mut self,
        cx: &mut Lowering<'_>,
        operands: &[Value],
        dim: i32,
        identities: &[Attr],
        body: Region,
        name: &str,
    ) -> Result<Folded, Problem> {
        only_elements(cx, body, name)?;
        let broken = || {
            Problem::error(
                Code::AttributeValue,
                format!("`{name}` has a wrong dimension or body"),
            )
        };
        let block = cx.from.only_block(body).ok_or_else(broken)?;
        self.fold_ends.extend(cx.from.terminator(block));
        let args = &cx.from.block(block).args;
        let halves = [0, 1].map(|from| args.iter().copied().skip(from).step_by(2));
        let args: Vec<Value> = halves.into_iter().flatten().collect();
        let mut types = Vec::with_capacity(args.len());
        for &arg in &args {
            types.push(types::value(cx.from.ty(arg))?);
        }
        let (region, new, new_args) = cx.build().region(types);
        for (arg, new) in args.into_iter().zip(new_args) {
            cx.bind(arg, [new]);
        }
        let origin = cx.origin();
        self.dominated_from = cx.new_body().value_count();
        cx.within(new, |cx| cx.block_ops(block, self))?;
        self.dominated_from = cx.new_body().value_count();
        cx.set_origin(origin);
        let operands: Vec<Value> = operands.iter().map(|&operand| cx.one(operand)).collect();
        let elements = operands.iter().map(|&operand| cx.ty(operand).element());
        let identities: Option<Vec<Literal>> = identities
            .iter()
            .zip(elements)
            .map(|(identity, element)| literal(identity, element.and_then(ElementType::scalar)?))
            .collect();
        Ok(Folded {
            operands,
            axis: u32::try_from(dim).map_err(|_| broken())?,
            identities: identities.ok_or_else(broken)?,
            body: region,
        })
    }
}

/// Checks that a body computes with tiles of rank 0, which
/// [`scalarize_fold_bodies`](crate::cuda_tile::scalarize_fold_bodies()) leaves of others.
fn only_elements(cx: &Lowering<'_>, body: Region, name: &str) -> Result<(), Problem> {
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        for &block in &cx.from.region(region).blocks {
            for &id in &cx.from.block(block).ops {
                let op = cx.from.op(id);
                op.kind.regions(&mut |region| regions.push(region));
                let values = op.kind.operand_list().into_iter().chain(op.results());
                let single = |value| {
                    cx.from
                        .ty(value)
                        .as_tile()
                        .is_some_and(|tile| tile.shape.is_empty())
                };
                if !values.into_iter().all(single) {
                    let what = format!("`{}` on a tile in the body of `{name}`", op.kind.tile_spec().name);
                    return Err(types::unsupported(Code::UnsupportedFeature, what).at(op.origin, ""));
                }
            }
        }
    }
    Ok(())
}

/// An identity as an element of this type. Of f16 and bf16, one may stand for the other.
fn literal(identity: &Attr, ty: ScalarType) -> Option<Literal> {
    match identity {
        Attr::Bool(value) => Some(Literal::i1(*value)),
        Attr::Number(number) if number.ty == ty => Some(*number),
        Attr::Number(number) => Literal::of_float(ty, number.float()?),
        Attr::Type(_)
        | Attr::String(_)
        | Attr::Array(_)
        | Attr::Dense(..)
        | Attr::Predicate(_)
        | Attr::Dict(_)
        | Attr::Hints(_)
        | Attr::Reduction(_)
        | Attr::Preview(_) => None,
    }
}
