//! Gives each allocation of shared memory its place in the kernel's dynamic shared memory.
//!
//! In: `cute`. Out: `cute` without allocations of shared memory: each is the beginning of dynamic shared memory plus a
//! constant number of bytes, [placed](shared_memory) as version 4.8.1 of the library places it. The kernel says by the
//! attribute [`SHARED_BYTES`] how many bytes a launch has to give; [`shared_bytes`](tilewright_irs::mlir::shared_bytes) reads
//! it.
//! Ill-formed: an allocation that [`shared_memory`] refuses.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::cute_types::{Kind, Pointer};
use tilewright_irs::mlir::dialects::{CuteNvgpuOp, CuteOp};
use tilewright_irs::mlir::{
    Attribute, Dictionary, Mlir, MlirOp, SHARED_BYTES, Type, shared_base, shared_memory,
};
use tilewright_layouts::cute::{Fact, Nested};

use super::emit::{Cx, Emit, Problem, carry, cute};

/// Places shared memory; see [the module](self).
///
/// # Errors
/// Allocations that cannot be placed.
pub fn place_shared_memory(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let memory = shared_memory(func).map_err(|problem| vec![problem])?;
    if memory.places.is_empty() {
        return Ok(func.clone());
    }
    let mut attrs = func.attrs.clone();
    let own = attrs.attributes.entries().iter();
    let mut entries: Vec<_> = own.filter(|(name, _)| &**name != SHARED_BYTES).cloned().collect();
    let bytes = i64::try_from(memory.bytes).unwrap_or(i64::MAX);
    entries.push((SHARED_BYTES.into(), Attribute::Integer(bytes, Type::I64)));
    attrs.attributes = Dictionary::new(entries);
    let places = memory.places.into_iter().collect();
    translate_func(func, attrs, &mut PlaceSharedMemory { places })
}

struct PlaceSharedMemory {
    /// The byte where each allocation begins.
    places: FxHashMap<OpId, u64>,
}

impl Translate<Mlir, Mlir> for PlaceSharedMemory {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let Some(&place) = self.places.get(&id) else {
            return carry(cx, id, self);
        };
        let old = cx.old(id);
        let layout = match &old.kind {
            MlirOp::Cute(CuteOp::MemrefAlloca { layout }) => layout.map(|layout| cx.one(layout)),
            _ => None,
        };
        let ty = cx.from.ty(old.result(0)).clone();
        let mut emit = Emit::at(cx);
        let value = match ty.kind() {
            Some(Kind::View(view)) => {
                let iter = pointer(&mut emit, place, &view.pointer)?;
                emit.value(CuteOp::MakeView { iter, layout }, ty)
            }
            Some(Kind::Pointer(to)) => pointer(&mut emit, place, to)?,
            _ => return Err(emit.refused(Code::OperandType, format!("`{ty}` is no shared memory"))),
        };
        cx.bind_results(id, [value]);
        Ok(())
    }
}

/// A pointer of a type to a byte of dynamic shared memory.
fn pointer(emit: &mut Emit<'_>, place: u64, to: &Pointer) -> Result<Value, Problem> {
    let base = shared_base();
    let byte = base.element().cloned();
    let src = emit.value(CuteNvgpuOp::ArchGetDynSmem {}, cute(Kind::Pointer(base)));
    let offset = CuteOp::MakeIntTuple {
        dynamic_elements: Vec::new(),
    };
    let offset = emit.value(offset, cute(Kind::IntTuple(Nested::Leaf(Fact::from(place)))));
    let mut at = emit.algebra(CuteOp::AddOffset { src, offset })?;
    // A pointer to other elements is aligned as the one it is made of, so what is known too much goes first.
    let bytes = cute(Kind::Pointer(Pointer::new(byte, to.space(), to.align(), None)));
    if *emit.ty(at) != bytes {
        at = emit.value(CuteOp::Derefine { src: at }, bytes.clone());
    }
    let elements = cute(Kind::Pointer(to.clone()));
    if bytes != elements {
        at = emit.value(CuteOp::RecastIter { src: at }, elements);
    }
    Ok(at)
}
