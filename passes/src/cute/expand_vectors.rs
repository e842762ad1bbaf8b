//! Expands loads and stores of whole views into accesses of adjacent elements.
//!
//! In: `cute`. Out: `cute` without `memref.load_vec` and `memref.store_vec`: each run of adjacent elements is one `ptr.load`
//! or `ptr.store` of a vector, at the iterator plus the index of the run's first element, under the swizzle of the pointer.
//! Runs in registers are as long as the layout has them, those in memory as long as one access takes them: at most
//! 128 bits, aligned. Under a mask, each element is accessed alone, where its Boolean holds; one that is not loaded
//! is that of the vector to pass through, or 0.
//! Ill-formed: views that are no memory, of a size that is known only at run time, or of elements that are no numbers of whole
//! bytes.

use std::num::NonZeroU32;
use std::sync::Arc;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::cute_types::{Element, Kind, Number, Pointer, Space, View};
use tilewright_irs::mlir::dialects::{CuteOp, VectorOp};
use tilewright_irs::mlir::types::VectorType;
use tilewright_irs::mlir::{Attribute, Mlir, MlirOp, Type};

use super::adjacent::{gcd, run, together};
use super::emit::{Cx, Emit, Place, Problem, WIDEST, carry, cute, size_of, translate_if};

/// Expands loads and stores of views; see [the module](self).
///
/// # Errors
/// Views that cannot be accessed so.
pub fn expand_vectors(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| {
        matches!(
            op,
            MlirOp::Cute(CuteOp::MemrefLoadVec { .. } | CuteOp::MemrefStoreVec { .. })
        )
    };
    translate_if(func, concerns, &mut ExpandVectors)
}

struct ExpandVectors;

impl Translate<Mlir, Mlir> for ExpandVectors {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        match &old.kind {
            MlirOp::Cute(CuteOp::MemrefLoadVec { src, mask, pass_thru }) => {
                let [mask, otherwise] = [mask, pass_thru].map(|value| value.map(|value| cx.one(value)));
                let (src, ty) = (cx.one(*src), cx.from.ty(old.result(0)).clone());
                let mut emit = Emit::at(cx);
                let memory = Memory::of(&mut emit, src, ty.scalar().clone(), mask.is_some())?;
                let loaded = match mask {
                    Some(mask) => memory.load_some(&mut emit, mask, otherwise)?,
                    None => memory.load(&mut emit)?,
                };
                cx.bind_results(id, [loaded]);
                Ok(())
            }
            MlirOp::Cute(CuteOp::MemrefStoreVec { value, dst, mask }) => {
                let (value, dst) = (cx.one(*value), cx.one(*dst));
                let mask = mask.map(|mask| cx.one(mask));
                let mut emit = Emit::at(cx);
                let element = emit.ty(value).scalar().clone();
                let memory = Memory::of(&mut emit, dst, element, mask.is_some())?;
                match mask {
                    Some(mask) => memory.store_some(&mut emit, value, mask),
                    None => memory.store(&mut emit, value),
                }
            }
            _ => carry(cx, id, self),
        }
    }
}

/// A view that is accessed as a vector.
struct Memory {
    iter: Value,
    /// The layout, unless all elements are accessed at once.
    layout: Option<Value>,
    view: View,
    number: Number,
    /// The type of an element as a value.
    element: Type,
    /// The elements.
    size: u64,
    /// The elements of one access.
    run: u64,
}

impl Memory {
    fn of(emit: &mut Emit<'_>, tensor: Value, element: Type, masked: bool) -> Result<Self, Problem> {
        let view = emit.view(tensor)?;
        let refused = |code, message: String| Err(emit.refused(code, message));
        let Some(size) = size_of(view.layout.layout()) else {
            let layout = view.layout.layout();
            return refused(
                Code::OperandType,
                format!("{layout} has no number of elements that is known now"),
            );
        };
        let number = match view.pointer.element() {
            Some(Element::Number(number)) => *number,
            _ => {
                let ty = emit.ty(tensor);
                return refused(
                    Code::UnsupportedType,
                    format!("elements of `{ty}` are no elements of a vector yet"),
                );
            }
        };
        let bits = u64::from(number.bits());
        let run = match view.pointer.space() {
            Space::Register => run(&view),
            _ => gcd(WIDEST, together(&view)) / bits.max(1),
        };
        if bits == 1 || !(run * bits).is_multiple_of(8) {
            let ty = emit.ty(tensor);
            return refused(
                Code::UnsupportedType,
                format!("elements of `{ty}` are no whole bytes"),
            );
        }
        let iter = emit.algebra(CuteOp::GetIter { source: tensor })?;
        let layout = match masked || run < size {
            true => Some(emit.algebra(CuteOp::GetLayout { input: tensor })?),
            false => None,
        };
        Ok(Self {
            iter,
            layout,
            view,
            number,
            element,
            size,
            run: run.max(1),
        })
    }

    /// Where so many elements from the `first` on are.
    fn at(&self, emit: &mut Emit<'_>, first: u64, count: u64) -> Result<Value, Problem> {
        let mut at = self.iter;
        if let Some(layout) = self.layout {
            let coord = emit.coord(&[Place::At(i64::try_from(first).unwrap_or(i64::MAX))]);
            let offset = emit.algebra(CuteOp::Crd2idx { coord, layout })?;
            at = emit.algebra(CuteOp::AddOffset { src: at, offset })?;
        }
        let swizzle = self.view.pointer.swizzle();
        if swizzle.is_some() {
            at = emit.algebra(CuteOp::ApplySwizzle {
                ptr: at,
                swizzle: None,
            })?;
        }
        let element = match u32::try_from(count).ok().and_then(NonZeroU32::new) {
            Some(count) if count.get() > 1 => Element::Vector(count, self.number),
            _ if swizzle.is_none() => return Ok(at),
            _ => Element::Number(self.number),
        };
        let (space, align) = (self.view.pointer.space(), emit.pointer(at)?.align());
        let to = Pointer::new(Some(element), space, align, None);
        Ok(emit.value(CuteOp::RecastIter { src: at }, cute(Kind::Pointer(to))))
    }

    /// The first elements of the runs.
    fn runs(&self) -> impl Iterator<Item = u64> + use<> {
        let run = self.run;
        (0..self.size / run).map(move |nth| nth * run)
    }

    fn vector(&self, count: u64) -> Type {
        Type::Vector(Arc::new(VectorType {
            shape: vec![count],
            element: self.element.clone(),
        }))
    }

    fn load(&self, emit: &mut Emit<'_>) -> Result<Value, Problem> {
        let mut elements = Vec::new();
        for first in self.runs() {
            let ptr = self.at(emit, first, self.run)?;
            let loaded = emit.algebra(CuteOp::PtrLoad { ptr })?;
            match self.run {
                1 => elements.push(loaded),
                run if run == self.size => return Ok(loaded),
                run => elements.extend((0..run).map(|nth| emit.element(loaded, nth, &self.element))),
            }
        }
        Ok(emit.value(VectorOp::FromElements { elements }, self.vector(self.size)))
    }

    fn load_some(
        &self,
        emit: &mut Emit<'_>,
        mask: Value,
        otherwise: Option<Value>,
    ) -> Result<Value, Problem> {
        let mut elements = Vec::new();
        for nth in 0..self.size {
            let condition = emit.element(mask, nth, &Type::I1);
            let other = match otherwise {
                Some(vector) => emit.element(vector, nth, &self.element),
                None => {
                    let zero = self.zero();
                    let zero = zero.ok_or_else(|| {
                        let element = &self.element;
                        emit.refused(
                            Code::UnsupportedType,
                            format!("there is no constant of type `{element}`"),
                        )
                    })?;
                    emit.literal(zero, self.element.clone())
                }
            };
            let load = |emit: &mut Emit<'_>| {
                let ptr = self.at(emit, nth, 1)?;
                Ok(vec![emit.algebra(CuteOp::PtrLoad { ptr })?])
            };
            let types = std::slice::from_ref(&self.element);
            elements.extend(emit.choose(condition, types, load, |_| Ok(vec![other]))?);
        }
        Ok(emit.value(VectorOp::FromElements { elements }, self.vector(self.size)))
    }

    fn zero(&self) -> Option<Attribute> {
        match &self.element {
            ty @ Type::Integer(..) => Some(Attribute::Integer(0, ty.clone())),
            Type::Float(format) => Some(Attribute::Float(0, *format)),
            _ => None,
        }
    }

    fn store(&self, emit: &mut Emit<'_>, vector: Value) -> Translated {
        for first in self.runs() {
            let value = match self.run {
                1 => emit.element(vector, first, &self.element),
                run if run == self.size => vector,
                run => {
                    let own = (first..first + run).map(|nth| emit.element(vector, nth, &self.element));
                    let elements = own.collect();
                    emit.value(VectorOp::FromElements { elements }, self.vector(run))
                }
            };
            let ptr = self.at(emit, first, self.run)?;
            emit.effect(CuteOp::PtrStore { value, ptr });
        }
        Ok(())
    }

    fn store_some(&self, emit: &mut Emit<'_>, vector: Value, mask: Value) -> Translated {
        for nth in 0..self.size {
            let condition = emit.element(mask, nth, &Type::I1);
            emit.when(condition, |emit| {
                let value = emit.element(vector, nth, &self.element);
                let ptr = self.at(emit, nth, 1)?;
                emit.effect(CuteOp::PtrStore { value, ptr });
                Ok(())
            })?;
        }
        Ok(())
    }
}
