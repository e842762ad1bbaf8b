//! Applies swizzles before offsets that do not change the bits that they exchange.
//!
//! In and out: `cute_desugared`. The swizzled address of `p + n` is that of `p`, plus `n`, where `n` is a multiple of the period of the
//! swizzle: so accesses to several places share one swizzled address, and have their offsets in the instruction.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Func, OpId, Origin, SideTable, Translate, Translated, Translation, Value, translate_func,
};
use tilewright_irs::cute_desugared::{CuteDesugared, CuteDesugaredOp, DesugaredType};
use tilewright_irs::cute_types::{CuteType, Kind, Pointer};
use tilewright_irs::dialects::cute::{AlgebraValue, CuteOp};
use tilewright_layouts::cute::{Fact, Nested};

type Cx<'a> = Translation<'a, CuteDesugared, CuteDesugared>;

/// Applies swizzles early; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_swizzles(func: &Func<CuteDesugared>) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    let swizzles = |op: &CuteDesugaredOp| matches!(op, CuteDesugaredOp::Cute(CuteOp::ApplySwizzle { .. }));
    if !func.body.ops().any(|(_, op)| swizzles(&op.kind)) {
        return Ok(func.clone());
    }
    let definitions = func.body.definitions();
    translate_func(func, func.attrs.clone(), &mut HoistSwizzles { definitions })
}

struct HoistSwizzles {
    definitions: SideTable<Value, OpId>,
}

fn pointer<'a>(cx: &Cx<'a>, value: Value) -> Option<&'a Pointer> {
    match cx.from.ty(value).algebra().map(CuteType::kind) {
        Some(Kind::Pointer(pointer)) => Some(pointer),
        _ => None,
    }
}

impl HoistSwizzles {
    fn definition<'a>(&self, cx: &Cx<'a>, value: Value) -> Option<&'a CuteOp> {
        match &cx.from.op(*self.definitions.get(value)?).kind {
            CuteDesugaredOp::Cute(op) => Some(op),
            _ => None,
        }
    }

    /// The pointer from which an address is reached by offsets that keep the bits of the swizzle, and these, the last one first.
    fn root(&self, cx: &Cx<'_>, mut at: Value, period: u64) -> (Value, Vec<Value>) {
        let mut offsets = Vec::new();
        loop {
            at = match self.definition(cx, at) {
                Some(CuteOp::AddOffset {
                    pointer: base,
                    offset,
                }) if keeps(cx, *base, *offset, period) => {
                    offsets.push(*offset);
                    *base
                }
                Some(CuteOp::GetIter { view }) => match self.definition(cx, *view) {
                    Some(CuteOp::MakeView { iter, .. }) => *iter,
                    _ => return (at, offsets),
                },
                _ => return (at, offsets),
            };
        }
    }
}

/// The distance of an offset of one integer.
fn distance(cx: &Cx<'_>, offset: Value) -> Option<Fact> {
    match cx.from.ty(offset).algebra().map(CuteType::kind) {
        Some(Kind::IntTuple(Nested::Leaf(fact))) => Some(*fact),
        _ => None,
    }
}

/// Whether an offset is a multiple of the period, in bytes.
fn keeps(cx: &Cx<'_>, base: Value, offset: Value, period: u64) -> bool {
    let bits = pointer(cx, base).map_or(0, |pointer| u64::from(pointer.element_bits()));
    distance(cx, offset).is_some_and(|fact| {
        let bits = fact.divisor().saturating_mul(bits);
        bits.is_multiple_of(8 * period)
    })
}

impl Translate<CuteDesugared, CuteDesugared> for HoistSwizzles {
    fn types(&mut self, ty: &DesugaredType) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let kind = &cx.old(id).kind;
        if let CuteDesugaredOp::Cute(CuteOp::ApplySwizzle { pointer: at }) = kind
            && let Some(swizzle) = pointer(cx, *at).and_then(Pointer::swizzle)
        {
            let (root, offsets) = self.root(cx, *at, swizzle.period());
            if let (false, Some(of)) = (offsets.is_empty(), pointer(cx, root)) {
                let mut plain = of.without_swizzle();
                let ty = |pointer: &Pointer| DesugaredType::Cute(Kind::Pointer(pointer.clone()).into());
                let from = cx.one(root);
                let mut moved = cx.value(CuteOp::ApplySwizzle { pointer: from }, ty(&plain));
                for offset in offsets.into_iter().rev() {
                    let divisor = distance(cx, offset).map_or(1, Fact::divisor);
                    plain = plain.moved(divisor.saturating_mul(u64::from(plain.element_bits())));
                    let offset = cx.one(offset);
                    moved = cx.value(
                        CuteOp::AddOffset {
                            pointer: moved,
                            offset,
                        },
                        ty(&plain),
                    );
                }
                let result = cx.old(id).result(0);
                let wanted = cx.from.ty(result).clone();
                if *cx.ty(moved) != wanted {
                    moved = cx.value(CuteOp::RecastIter { pointer: moved }, wanted);
                }
                cx.bind(result, [moved]);
                return Ok(());
            }
        }
        match kind {
            CuteDesugaredOp::Arith(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Math(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Scf(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Cute(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Algebra(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Division(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Iterator(op) => cx.carry(id, op, self),
            CuteDesugaredOp::CuteNvgpu(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Copies(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Fragment(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Pipe(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Gpu(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Grid(op) => cx.carry(id, op, self),
            CuteDesugaredOp::Target(op) => cx.carry(id, op, self),
        }
    }
}
