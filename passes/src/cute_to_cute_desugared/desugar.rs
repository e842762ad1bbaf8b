//! Lowers ops on whole layouts and tensors to integer arithmetic and accesses of elements.
//!
//! In: `cute`. Out: `cute_desugared`. Results are inferred by the layout algebra: static leaves are part of the type,
//! dynamic ones are computed from those of the operands. A part of a tensor is the part of its layout, at a pointer
//! plus the index of the part's first element.
//! Ill-formed: a composed layout with dynamic leaves is "not supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Func, OpId, Operation, Origin, Translate, Translated, Translation, Value, translate_func,
};
use tilewright_irs::cute::{Cute, CuteOp, CuteType, SugarOp, infer_sugar};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::dialects::cute::{
    AlgebraType, AlgebraValue, CuteOp as Primitive, Operands, View, layout_type, leaf_scalar,
};
use tilewright_layouts::cute::{Composed, Int, IntTuple, Layout, Nested};

use crate::cute_expressions::evaluate;

type Cx<'a> = Translation<'a, Cute, CuteDesugared>;

/// Lowers ops on layouts; see [the module](self).
///
/// # Errors
/// Unsupported constructs.
pub fn desugar(func: &Func<Cute>) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    translate_func(func, func.attrs.clone(), &mut Desugar)
}

struct Desugar;

fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

impl Translate<Cute, CuteDesugared> for Desugar {
    fn types(&mut self, ty: &CuteType) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
        Ok(vec![match ty {
            CuteType::Scalar(element) => DesugaredType::Scalar(*element),
            CuteType::Algebra(ty) => DesugaredType::Algebra(ty.clone()),
            CuteType::Pipe(ty) => DesugaredType::Pipe(*ty),
        }])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match &cx.old(id).kind {
            CuteOp::Arith(op) => cx.carry(id, op, self),
            CuteOp::Scf(op) => cx.carry(id, op, self),
            CuteOp::Cute(op) => cx.carry(id, op, self),
            CuteOp::CuteNvgpu(op) => cx.carry(id, op, self),
            CuteOp::Pipe(op) => cx.carry(id, op, self),
            CuteOp::Gpu(op) => cx.carry(id, op, self),
            CuteOp::Sugar(op) => sugar(cx, id, op),
        }
    }
}

/// Emits the values of a result.
struct Emit<'a, 'b> {
    cx: &'a mut Cx<'b>,
    origin: Origin,
    /// The dynamic leaves of each operand.
    leaves: Vec<Vec<Value>>,
}

impl Emit<'_, '_> {
    /// A value of the type, whose unknowns are expressions; `make` receives its dynamic leaves.
    fn tuple(
        &mut self,
        ty: AlgebraType,
        make: impl FnOnce(Vec<Value>) -> Primitive,
    ) -> Result<Value, Diagnostic<Origin>> {
        let expressions: Vec<Int> = ty.dynamic_leaves();
        let leaves = expressions
            .iter()
            .map(|leaf| {
                let scalar =
                    |scalar: tilewright_irs::element::ScalarType| DesugaredType::Scalar(scalar.into());
                evaluate(&mut self.cx.build(), leaf, &self.leaves, scalar)
            })
            .collect();
        let ty = self.sealed(&ty)?;
        Ok(self.cx.value(make(leaves), ty))
    }

    fn sealed(&self, ty: &AlgebraType) -> Result<DesugaredType, Diagnostic<Origin>> {
        let sealed = ty.sealed().map(DesugaredType::Algebra);
        sealed.ok_or_else(|| {
            unsupported(
                self.origin,
                "a layout of a shape and a stride that differ in nesting",
            )
        })
    }

    fn layout(&mut self, layout: &Composed) -> Result<Value, Diagnostic<Origin>> {
        let ty = layout_type(layout.clone());
        if ty.is_static() {
            let ty = self.sealed(&ty)?;
            return Ok(self.cx.value(Primitive::Static {}, ty));
        }
        let Some(plain) = layout.as_plain() else {
            let message = format!(
                "the composed layout `{layout}`, which is known only at run time, is not supported yet"
            );
            return Err(unsupported(self.origin, message));
        };
        self.plain(plain)
    }

    fn plain(&mut self, layout: &Layout) -> Result<Value, Diagnostic<Origin>> {
        let shape = self.tuple(AlgebraType::Shape(layout.shape()), |leaves| {
            Primitive::MakeShape { leaves }
        })?;
        let stride = self.tuple(AlgebraType::Stride(layout.stride()), |leaves| {
            Primitive::MakeStride { leaves }
        })?;
        let stride = Some(stride);
        let ty = self.sealed(&AlgebraType::Layout(layout.clone()))?;
        Ok(self.cx.value(Primitive::MakeLayout { shape, stride }, ty))
    }

    /// The tensor with this layout, `offset` elements after another one.
    fn part(
        &mut self,
        tensor: Value,
        of: &View,
        layout: &Composed,
        offset: &Int,
    ) -> Result<Value, Diagnostic<Origin>> {
        let ty = AlgebraType::Pointer(of.pointer.clone());
        let pointer = self
            .cx
            .value(Primitive::GetIter { view: tensor }, DesugaredType::Algebra(ty));
        let moved = of.pointer.after(offset);
        let pointer = if offset.as_static() == Some(0) {
            pointer
        } else {
            let tuple: IntTuple = Nested::Leaf(offset.clone());
            let offset = self.tuple(AlgebraType::IntTuple(tuple), |leaves| Primitive::MakeIntTuple {
                leaves,
            })?;
            let ty = DesugaredType::Algebra(AlgebraType::Pointer(moved.clone()));
            self.cx.value(Primitive::AddOffset { pointer, offset }, ty)
        };
        let view = View {
            pointer: moved,
            layout: layout.clone(),
        };
        let layout = self.layout(layout)?;
        let ty = self.sealed(&AlgebraType::Memref(view))?;
        Ok(self.cx.value(Primitive::MakeView { pointer, layout }, ty))
    }
}

fn sugar(cx: &mut Cx<'_>, id: OpId, op: &SugarOp) -> Translated {
    let (old, origin) = (cx.old(id), cx.origin());
    let operands = op.operand_list();
    let types: Option<Vec<AlgebraType>> = operands
        .iter()
        .map(|&value| cx.from.ty(value).algebra().cloned())
        .collect();
    let wrong = |why: String| unsupported(origin, why);
    let types = types
        .and_then(Operands::new)
        .ok_or_else(|| wrong("an operand that is not of the layout algebra".to_owned()))?;
    let result = infer_sugar(op, &types).map_err(wrong)?;
    let mut leaves = Vec::with_capacity(operands.len());
    for &operand in &operands {
        let source = cx.one(operand);
        let dynamic = cx.from.ty(operand).algebra().map(AlgebraType::dynamic_leaves);
        let types = dynamic.unwrap_or_default();
        let types: Vec<DesugaredType> = types
            .iter()
            .map(|leaf| DesugaredType::Scalar(leaf_scalar(leaf).into()))
            .collect();
        leaves.push(match types.is_empty() {
            true => Vec::new(),
            false => {
                let scalars = cx.build().op(Primitive::GetScalars { source }, types);
                cx.new_body().op(scalars).results().collect()
            }
        });
    }
    // The op on the layout that corresponds to the op on the tensor.
    let offset = match op {
        SugarOp::Slice { .. } => {
            let place = types.function(0).and_then(|layout| {
                let coord = types.coord(1)?;
                layout.slice(&coord).map_err(|error| error.to_string())
            });
            place.map_err(wrong)?.offset().clone()
        }
        SugarOp::LocalTile { .. } => {
            let place = types.function(0).and_then(|layout| {
                let (tiler, coord) = (types.tiler(1)?, types.coord(2)?);
                layout
                    .local_tile(&tiler, &coord)
                    .map_err(|error| error.to_string())
            });
            place.map_err(wrong)?.offset().clone()
        }
        SugarOp::Composition { .. }
        | SugarOp::Coalesce { .. }
        | SugarOp::Complement { .. }
        | SugarOp::RightInverse { .. }
        | SugarOp::LeftInverse { .. }
        | SugarOp::FilterZeros { .. }
        | SugarOp::LogicalDivide { .. }
        | SugarOp::ZippedDivide { .. }
        | SugarOp::TiledDivide { .. }
        | SugarOp::FlatDivide { .. }
        | SugarOp::LogicalProduct { .. }
        | SugarOp::GroupModes { .. }
        | SugarOp::TileToShape { .. }
        | SugarOp::MakeIdentityLayout { .. } => Int::ZERO,
    };
    let mut emit = Emit { cx, origin, leaves };
    let value = match (&result, operands.first()) {
        (AlgebraType::Memref(view), Some(&tensor)) => match emit.cx.from.ty(tensor).algebra() {
            Some(AlgebraType::Memref(of)) => {
                let tensor = emit.cx.one(tensor);
                emit.part(tensor, of, &view.layout, &offset)?
            }
            _ => return Err(wrong("a tensor of something that is none".to_owned())),
        },
        (AlgebraType::Layout(layout), _) => emit.layout(&layout.clone().into())?,
        (AlgebraType::ComposedLayout(layout), _) => emit.layout(layout)?,
        _ => return Err(wrong("a result that is neither a layout nor a tensor".to_owned())),
    };
    cx.bind(old.result(0), [value]);
    Ok(())
}
