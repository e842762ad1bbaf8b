//! Expands copies into loops of one instruction of their atom.
//!
//! In: `cute`. Out: `cute` without `cute.copy`: what follows the first mode is one mode, and a loop over it that is to be
//! unrolled has `copy_atom_call` on the slices of source, destination and predicate. Where the first mode has the elements of
//! several instructions, a second loop takes them one after the other, in the order of its elements; the predicate then has
//! one element for each instruction. A universal copy whose type does not say a width, and that has no predicate, is as wide
//! as adjacent elements and the alignment of both tensors allow, up to 128 bits; its width is then in its type.
//! Ill-formed: ranks, sizes or elements that differ, a first mode that is no whole number of instructions, and copies by
//! tensor maps, bulk copies and copies of tensor memory, which are "not supported yet".

use std::num::NonZeroU32;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::cute_types::{CopyAtom, Kind, UniversalCopy, View};
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::{Mlir, MlirOp, Type};
use tilewright_layouts::cute::CopyEnd;

use super::adjacent::{gcd, together};
use super::emit::{Cx, Emit, Place, Problem, WIDEST, carry, cute, refused, size_of, translate_if};

/// Expands copies; see [the module](self).
///
/// # Errors
/// Copies that are ill-formed or not supported yet.
pub fn expand_copies(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cute(CuteOp::Copy { .. }));
    translate_if(func, concerns, &mut ExpandCopies)
}

struct ExpandCopies;

impl Translate<Mlir, Mlir> for ExpandCopies {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let MlirOp::Cute(CuteOp::Copy {
            copy_atom,
            src,
            dst,
            pred,
        }) = &old.kind
        else {
            return carry(cx, id, self);
        };
        let ([src], [dst]) = (src.as_slice(), dst.as_slice()) else {
            let message = "a copy of several tensors at once is not lowered yet";
            return Err(refused(Code::UnsupportedFeature, old.origin, message));
        };
        let (src, dst, pred) = (cx.one(*src), cx.one(*dst), pred.map(|pred| cx.one(pred)));
        let atom = cx.one(*copy_atom);
        let mut emit = Emit::at(cx);
        let atom = Atom::of(&mut emit, atom)?;
        expand(&mut emit, &atom, Tensors { src, dst, pred })
    }
}

/// The instruction of a copy.
struct Atom {
    value: Value,
    kind: CopyAtom,
}

impl Atom {
    fn of(emit: &mut Emit<'_>, value: Value) -> Result<Self, Problem> {
        let ty = emit.ty(value).clone();
        let (kind, tiled) = match ty.kind() {
            Some(Kind::Copy(atom)) => (atom.clone(), false),
            Some(Kind::TiledCopy(tiled)) => (tiled.atom.clone(), true),
            _ => return Err(emit.refused(Code::OperandType, format!("`{ty}` copies nothing"))),
        };
        match kind {
            CopyAtom::Universal(_)
            | CopyAtom::Async(_)
            | CopyAtom::LoadMatrix(_)
            | CopyAtom::StoreMatrix(_)
            | CopyAtom::GlobalLoad(_)
            | CopyAtom::GlobalStore(_)
            | CopyAtom::SharedLoad(_)
            | CopyAtom::SharedStore(_) => {}
            CopyAtom::BulkLoad(_)
            | CopyAtom::BulkStore(_)
            | CopyAtom::BulkMove(_)
            | CopyAtom::ClusterStore(_)
            | CopyAtom::TiledLoad(_)
            | CopyAtom::TiledStore(_)
            | CopyAtom::TiledReduce(_)
            | CopyAtom::Im2colLoad(_)
            | CopyAtom::Im2colStore(_)
            | CopyAtom::Gather(_)
            | CopyAtom::Scatter(_)
            | CopyAtom::TmaLoad(_)
            | CopyAtom::TmaStore(_)
            | CopyAtom::TmaReduce(_)
            | CopyAtom::TensorLoad(_)
            | CopyAtom::TensorLoadReduce(_)
            | CopyAtom::TensorLoadCompress(_)
            | CopyAtom::TensorStore(_)
            | CopyAtom::SharedToTensor(_) => {
                let message =
                    format!("copies by `{ty}` are not lowered yet: targets from sm_90a on have them");
                return Err(emit.refused(Code::UnsupportedFeature, message));
            }
        }
        Ok(match tiled && !kind.has_fields() {
            true => made(emit, kind),
            false => Self { value, kind },
        })
    }

    /// The elements of one thread in one instruction, at the source and at the destination.
    fn values(&self, emit: &Emit<'_>) -> Result<[u64; 2], Problem> {
        let layouts = match self.kind.layouts() {
            Some(Ok(layouts)) => layouts,
            Some(Err(error)) => return Err(emit.refused(Code::OperandType, error.to_string())),
            None => {
                let message = "this form of the copy is not lowered yet";
                return Err(emit.refused(Code::UnsupportedFeature, message));
            }
        };
        let count = |end| {
            layouts
                .end(end)
                .mode(&[1])
                .ok()
                .and_then(|values| size_of(&values))
        };
        match (count(CopyEnd::Source), count(CopyEnd::Destination)) {
            (Some(read), Some(written)) => Ok([read, written]),
            _ => Err(emit.refused(Code::OperandType, "the copy has no number of elements")),
        }
    }
}

/// An atom without fields.
fn made(emit: &mut Emit<'_>, kind: CopyAtom) -> Atom {
    let op = CuteOp::MakeAtom { values: Vec::new() };
    let value = emit.value(op, cute(Kind::Copy(kind.clone())));
    Atom { value, kind }
}

/// What is copied, and where.
#[derive(Clone, Copy)]
struct Tensors {
    src: Value,
    dst: Value,
    pred: Option<Value>,
}

impl Tensors {
    fn map(self, mut change: impl FnMut(Value) -> Result<Value, Problem>) -> Result<Self, Problem> {
        Ok(Self {
            src: change(self.src)?,
            dst: change(self.dst)?,
            pred: self.pred.map(change).transpose()?,
        })
    }
}

fn expand(emit: &mut Emit<'_>, atom: &Atom, tensors: Tensors) -> Translated {
    let rank = emit.view(tensors.src)?.layout.layout().rank();
    for other in [Some(tensors.dst), tensors.pred].into_iter().flatten() {
        let own = emit.view(other)?.layout.layout().rank();
        if own != rank {
            let message = format!(
                "the source of the copy has {rank} modes, `{}` has {own}",
                emit.ty(other)
            );
            return Err(emit.refused(Code::RankMismatch, message));
        }
    }
    if rank == 1 {
        return instructions(emit, atom, tensors);
    }
    let tensors = tensors.map(|tensor| emit.grouped(tensor, 1))?;
    let count = emit.size(tensors.dst, &[1])?;
    for other in [Some(tensors.src), tensors.pred].into_iter().flatten() {
        emit.same_size([other, tensors.dst], [1, 1])?;
    }
    emit.each(count, |emit, place| {
        let coord = emit.coord(&[Place::All, place]);
        let part = tensors.map(|tensor| emit.slice(tensor, coord))?;
        instructions(emit, atom, part)
    })
}

/// Copies tensors of one mode, which is that of the values.
fn instructions(emit: &mut Emit<'_>, atom: &Atom, tensors: Tensors) -> Translated {
    let [source, destination] = [emit.view(tensors.src)?, emit.view(tensors.dst)?];
    let bits = [&source, &destination].map(|view| view.pointer.element_bits());
    if bits[0] != bits[1] {
        let message = format!(
            "the elements of the source have {} bits, those of the destination {}",
            bits[0], bits[1]
        );
        return Err(emit.refused(Code::OperandType, message));
    }
    let universal = matches!(&atom.kind, CopyAtom::Universal(UniversalCopy { bits: None, .. }));
    let wide = match (universal, tensors.pred) {
        (true, None) => widened(emit, atom, &source, &destination),
        _ => None,
    };
    let atom = wide.as_ref().unwrap_or(atom);
    let [reads, writes] = atom.values(emit)?;
    let times = calls(emit, &source, reads)?;
    let same = times == calls(emit, &destination, writes)?;
    let by = tensors.pred.map(|pred| emit.view(pred)).transpose()?;
    if !same || by.is_some_and(|by| size_of(by.layout.layout()) != Some(times)) {
        let message = format!("the first modes of the copy's tensors are not those of {times} instructions");
        return Err(emit.refused(Code::OperandType, message));
    }
    if times == 1 {
        call(emit, atom, tensors);
        return Ok(());
    }
    let tensors = Tensors {
        src: emit.divided(tensors.src, reads)?,
        dst: emit.divided(tensors.dst, writes)?,
        pred: tensors.pred.map(|pred| emit.divided(pred, 1)).transpose()?,
    };
    let count = i64::try_from(times).unwrap_or(i64::MAX);
    emit.each(Place::At(count), |emit, place| {
        let coord = emit.coord(&[Place::All, place]);
        let part = tensors.map(|tensor| emit.slice(tensor, coord))?;
        call(emit, atom, part);
        Ok(())
    })
}

/// How many instructions of so many elements copy a tensor.
fn calls(emit: &Emit<'_>, view: &View, elements: u64) -> Result<u64, Problem> {
    let layout = view.layout.layout();
    match size_of(layout) {
        Some(size) if size % elements.max(1) == 0 && size > 0 => Ok(size / elements.max(1)),
        _ => {
            let message =
                format!("the layout {layout} is not that of instructions of {elements} elements each");
            Err(emit.refused(Code::OperandType, message))
        }
    }
}

fn call(emit: &mut Emit<'_>, atom: &Atom, tensors: Tensors) {
    emit.effect(CuteOp::CopyAtomCall {
        atom: atom.value,
        src: vec![tensors.src],
        dst: vec![tensors.dst],
        pred: tensors.pred,
    });
}

/// The atom for several elements at once, where these are adjacent at both ends.
fn widened(emit: &mut Emit<'_>, atom: &Atom, source: &View, destination: &View) -> Option<Atom> {
    let CopyAtom::Universal(copy) = &atom.kind else {
        return None;
    };
    let bits = [source, destination]
        .into_iter()
        .fold(WIDEST, |bits, view| gcd(bits, together(view)));
    let element = u64::from(source.pointer.element_bits());
    let width = u32::try_from(bits).ok().and_then(NonZeroU32::new);
    let wide = UniversalCopy {
        bits: width,
        ..copy.clone()
    };
    (bits > element).then(|| made(emit, CopyAtom::Universal(wide)))
}
