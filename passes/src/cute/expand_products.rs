//! Expands products into loops of one instruction of their atom.
//!
//! In: `cute`. Out: `cute` without `cute.gemm`: loops over the modes K, M and N, from the outermost to the innermost, that are
//! to be unrolled, with `mma_atom_call` on the slices of D, A, B and C. Tensors of multiply-adds of one thread may lack the
//! first mode, that of the values.
//! Ill-formed: ranks or sizes that differ, a first mode that is not that of the instruction, and products of warpgroups, of
//! tensor memory, of sparse matrices and of scaled blocks, which are "not supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::cute_types::{Kind, MmaAtom};
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::property::SignedInt;
use tilewright_irs::mlir::{Mlir, MlirOp, Type};
use tilewright_layouts::cute::{LayoutOf, MmaMatrix};

use super::emit::{Cx, Emit, Place, Problem, carry, cute, refused, size_of, translate_if};

/// Expands products; see [the module](self).
///
/// # Errors
/// Products that are ill-formed or not supported yet.
pub fn expand_products(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cute(CuteOp::Gemm { .. }));
    translate_if(func, concerns, &mut ExpandProducts)
}

struct ExpandProducts;

impl Translate<Mlir, Mlir> for ExpandProducts {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let MlirOp::Cute(CuteOp::Gemm { mma_atom, d, a, b, c }) = &old.kind else {
            return carry(cx, id, self);
        };
        let ([a], [b]) = (a.as_slice(), b.as_slice()) else {
            let message = "products of scaled or sparse matrices are not lowered yet";
            return Err(refused(Code::UnsupportedFeature, old.origin, message));
        };
        let matrices = Matrices {
            d: cx.one(*d),
            a: cx.one(*a),
            b: cx.one(*b),
            c: cx.one(*c),
        };
        let atom = cx.one(*mma_atom);
        let mut emit = Emit::at(cx);
        let (atom, kind) = atom_of(&mut emit, atom)?;
        expand(&mut emit, atom, &kind, matrices)
    }
}

/// The instruction of a product.
fn atom_of(emit: &mut Emit<'_>, value: Value) -> Result<(Value, MmaAtom), Problem> {
    let ty = emit.ty(value).clone();
    let (atom, tiled) = match ty.kind() {
        Some(Kind::Mma(atom)) => (atom, false),
        Some(Kind::TiledMma(tiled)) => (&tiled.atom, true),
        _ => return Err(emit.refused(Code::OperandType, format!("`{ty}` multiplies nothing"))),
    };
    let target = match atom {
        MmaAtom::Fma(_) | MmaAtom::Sm80(_) | MmaAtom::Sm89(_) => {
            let made = CuteOp::MakeAtom { values: Vec::new() };
            let value = match tiled {
                true => emit.value(made, cute(Kind::Mma(atom.clone()))),
                false => value,
            };
            return Ok((value, atom.clone()));
        }
        MmaAtom::Sm80Sparse(_) => "sm_80",
        MmaAtom::Sm90(_) => "sm_90a",
        MmaAtom::Sm100(_)
        | MmaAtom::Sm100BlockScaled(_)
        | MmaAtom::Sm100Sparse(_)
        | MmaAtom::Sm100BlockScaledSparse(_) => "sm_100a",
        MmaAtom::Sm107(_)
        | MmaAtom::Sm107BlockScaled(_)
        | MmaAtom::Sm107Sparse(_)
        | MmaAtom::Sm107BlockScaledSparse(_) => "sm_107a",
        MmaAtom::Sm120BlockScaled(_) => "sm_120a",
    };
    let message = format!("products by `{ty}`, which is of {target}, are not lowered yet");
    Err(emit.refused(Code::UnsupportedFeature, message))
}

/// `D = A B + C`
#[derive(Clone, Copy)]
struct Matrices {
    d: Value,
    a: Value,
    b: Value,
    c: Value,
}

impl Matrices {
    fn map(self, mut change: impl FnMut(Value) -> Result<Value, Problem>) -> Result<Self, Problem> {
        Ok(Self {
            d: change(self.d)?,
            a: change(self.a)?,
            b: change(self.b)?,
            c: change(self.c)?,
        })
    }
}

fn rank(emit: &Emit<'_>, tensor: Value) -> Result<usize, Problem> {
    Ok(emit.view(tensor)?.layout.layout().rank())
}

fn expand(emit: &mut Emit<'_>, atom: Value, kind: &MmaAtom, matrices: Matrices) -> Translated {
    let no_values = matches!(kind, MmaAtom::Fma(_)) && rank(emit, matrices.c)? == 2;
    let matrices = match no_values {
        true => matrices.map(|tensor| with_values(emit, tensor))?,
        false => matrices,
    };
    let Matrices { d, a, b, c } = matrices;
    let ranks = [rank(emit, d)?, rank(emit, a)?, rank(emit, b)?, rank(emit, c)?];
    let deep = match ranks {
        [3, 2, 2, 3] => false,
        [3, 3, 3, 3] => true,
        [d, a, b, c] => {
            let message = format!(
                "D, A, B and C have {d}, {a}, {b} and {c} modes, where 3, 2, 2 and 3 or 3, 3, 3 and 3 are needed"
            );
            return Err(emit.refused(Code::RankMismatch, message));
        }
    };
    for (tensor, matrix) in [
        (d, MmaMatrix::C),
        (a, MmaMatrix::A),
        (b, MmaMatrix::B),
        (c, MmaMatrix::C),
    ] {
        check_values(emit, kind, tensor, matrix)?;
    }
    for result in [c, d] {
        emit.same_size([a, result], [1, 1])?;
        emit.same_size([b, result], [1, 2])?;
    }
    let (rows, columns) = (emit.size(a, &[1])?, emit.size(b, &[1])?);
    let depth = match deep {
        true => {
            emit.same_size([a, b], [2, 2])?;
            emit.size(a, &[2])?
        }
        false => Place::At(1),
    };
    emit.each(depth, |emit, k| {
        emit.each(rows, |emit, m| {
            emit.each(columns, |emit, n| {
                let operand = |emit: &mut Emit<'_>, tensor, place| {
                    let whole = [Place::All, place, k];
                    let coord = emit.coord(if deep { &whole } else { &whole[..2] });
                    emit.slice(tensor, coord)
                };
                let (a, b) = (operand(emit, a, m)?, operand(emit, b, n)?);
                let coord = emit.coord(&[Place::All, m, n]);
                let (d, c) = (emit.slice(d, coord)?, emit.slice(c, coord)?);
                emit.effect(CuteOp::MmaAtomCall {
                    atom,
                    d,
                    a: vec![a],
                    b: vec![b],
                    c,
                });
                Ok(())
            })
        })
    })
}

/// A tensor with a first mode of one value.
fn with_values(emit: &mut Emit<'_>, tensor: Value) -> Result<Value, Problem> {
    let modes = i32::try_from(rank(emit, tensor)?).unwrap_or(i32::MAX - 1);
    let iter = emit.algebra(CuteOp::GetIter { source: tensor })?;
    let input = emit.algebra(CuteOp::GetLayout { input: tensor })?;
    let element = emit.layout(LayoutOf::unit());
    let layout = emit.algebra(CuteOp::PrependToRank {
        input,
        element,
        rank: SignedInt(modes + 1),
    })?;
    emit.viewed(iter, layout)
}

/// Refuses a tensor whose first mode is not that of an instruction.
fn check_values(emit: &Emit<'_>, atom: &MmaAtom, tensor: Value, matrix: MmaMatrix) -> Result<(), Problem> {
    let values = match atom.layouts() {
        Some(Ok(layouts)) => layouts
            .matrix(matrix)
            .mode(&[1])
            .ok()
            .and_then(|values| size_of(&values)),
        Some(Err(error)) => return Err(emit.refused(Code::OperandType, error.to_string())),
        None => None,
    };
    let view = emit.view(tensor)?;
    let own = view
        .layout
        .layout()
        .mode(&[0])
        .ok()
        .and_then(|mode| size_of(&mode));
    match own == values {
        true => Ok(()),
        false => {
            let ty = emit.ty(tensor);
            let values = values.unwrap_or_default();
            let message =
                format!("the first mode of `{ty}` is not that of the {values} elements of a thread");
            Err(emit.refused(Code::OperandType, message))
        }
    }
}
