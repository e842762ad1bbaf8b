//! The layouts of matrix products: those that their atom takes.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpData, Origin, Value, ValueType};
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::element::ElementType;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::ProductAtom;
use tilewright_layouts::LinearLayout;

/// The layouts of a product.
#[derive(Clone, Debug)]
pub(super) struct ProductLayouts {
    /// The left multiplicand's.
    pub(super) a: LinearLayout,
    /// The right multiplicand's.
    pub(super) b: LinearLayout,
    /// That of the accumulator and the result.
    pub(super) acc: LinearLayout,
    /// The implementation.
    pub(super) atom: ProductAtom,
}

impl ProductLayouts {
    /// The layouts of a product; `None` if the op is none.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded (E0408), with the origin of the op.
    pub(super) fn of(
        body: &Body<TileAa>,
        op: &OpData<TileAa>,
        target: Target,
        num_warps: u32,
    ) -> Result<Option<Self>, Diagnostic<Origin>> {
        let TileAaOp::TileAa(TileAaDialect::Dot { a, b, acc, .. }) = &op.kind else {
            return Ok(None);
        };
        let refuse = |code: Code, message: String| Diagnostic::error(code, message).at(op.origin, "");
        let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
        let extents = extents(shape(*a), shape(*b), shape(*acc));
        let extents = extents.map_err(|(code, message)| refuse(code, message))?;
        let scalar = |value: Value| body.ty(value).element().and_then(ElementType::scalar);
        let (Some(of_a), Some(of_b), Some(of_acc)) = (scalar(*a), scalar(*b), scalar(*acc)) else {
            return Ok(None);
        };
        let atom = ProductAtom::in_registers([of_a, of_b, of_acc], &extents, target);
        let layouts = atom.layouts(&extents, num_warps);
        let layouts = layouts.map_err(|refusal| refuse(refusal.code, refusal.message))?;
        let (Some(a), Some(b), Some(acc)) = (layouts.a, layouts.b, layouts.acc) else {
            return Ok(None);
        };
        Ok(Some(Self { a, b, acc, atom }))
    }
}
