//! Target requirements of ops and types. A program may use them for any target; code is generated only for targets
//! that support them.
//!
//! As in NVIDIA's assembler of CUDA 13.5, the operands and results of every op are checked, even if the op is dead. A
//! parameter or a global that no op uses is not.

use std::fmt;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic};

use super::enums::{AtomicRmwMode, PtrAttr};
use super::module::CudaTile;
use super::ops::{MemoryOp, TileOp, ViewOp};
use super::types::{Element, TileType};
use crate::core::{Func, Operation, Origin, Part, Problem, Problems};
use crate::element::ScalarType;
use crate::isa::Target;

/// The GPUs that have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needs {
    /// This compute capability times ten, and all later ones.
    AtLeast(u16),
    /// These alone.
    OneOf(&'static [u16]),
}

impl Needs {
    /// The first of them.
    pub fn least(self) -> u16 {
        match self {
            Self::AtLeast(least) => least,
            Self::OneOf(list) => list.first().copied().unwrap_or(u16::MAX),
        }
    }

    /// Whether the target is in the set.
    pub fn met_by(self, target: Target) -> bool {
        match self {
            Self::AtLeast(least) => target.sm >= least,
            Self::OneOf(list) => list.contains(&target.sm),
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "sm_{least} or later"),
            Self::OneOf(list) => {
                for (i, sm) in list.iter().enumerate() {
                    let between = match i {
                        0 => "",
                        i if i + 1 == list.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{between}sm_{sm}")?;
                }
                Ok(())
            }
        }
    }
}

/// A feature that not every GPU supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// Its name in messages.
    pub feature: &'static str,
    /// The GPUs that support it.
    pub needs: Needs,
}

const fn gate(feature: &'static str, needs: Needs) -> Option<Gate> {
    Some(Gate { feature, needs })
}

/// The requirement of an element type; `None` if every supported GPU has it.
pub const fn scalar_gate(scalar: ScalarType) -> Option<Gate> {
    match scalar {
        ScalarType::F8E4M3FN => gate("f8E4M3FN", Needs::AtLeast(89)),
        ScalarType::F8E5M2 => gate("f8E5M2", Needs::AtLeast(89)),
        ScalarType::F8E8M0FNU => gate("f8E8M0FNU", Needs::AtLeast(100)),
        ScalarType::F4E2M1FN => gate("f4E2M1FN", Needs::AtLeast(100)),
        ScalarType::F8E5M3FNU => gate("fnv8E5M3FNU", Needs::OneOf(&[107])),
        ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::F16
        | ScalarType::BF16
        | ScalarType::F32
        | ScalarType::TF32
        | ScalarType::F64 => None,
    }
}

/// The requirement of a kind of addresses.
pub const fn address_gate(attr: PtrAttr) -> Option<Gate> {
    match attr {
        PtrAttr::Unicast => gate("a unicast address", Needs::OneOf(&[100, 103, 107])),
        PtrAttr::Multicast => gate("a multicast address", Needs::OneOf(&[100, 103, 107])),
        PtrAttr::None => None,
    }
}

/// The requirement of an atomic op on an element type, besides that of the type.
pub const fn atomic_gate(mode: AtomicRmwMode, scalar: ScalarType) -> Option<Gate> {
    if matches!((mode, scalar), (AtomicRmwMode::AddF, ScalarType::BF16)) {
        gate("an atomic addf on bf16", Needs::AtLeast(89))
    } else {
        None
    }
}

/// The requirements of a type.
fn type_gates(ty: &TileType) -> Vec<Gate> {
    let (scalar, attr) = match ty {
        TileType::Tile(tile) => match tile.element {
            Element::Scalar(scalar) => (Some(scalar), None),
            Element::Ptr(pointer) => (Some(pointer.pointee), pointer.attr),
        },
        TileType::TensorView(tensor) => (Some(tensor.element), tensor.attr),
        TileType::PartitionView(_) | TileType::StridedView(_) | TileType::GatherScatterView(_) => {
            let tensor = ty.as_view().map(|view| view.tensor);
            (
                tensor.map(|tensor| tensor.element),
                tensor.and_then(|tensor| tensor.attr),
            )
        }
        TileType::Token => (None, None),
    };
    let gates = [scalar.and_then(scalar_gate), attr.and_then(address_gate)];
    gates.into_iter().flatten().collect()
}

/// The atomic operation of an op, and its element type.
fn atomic(func: &Func<CudaTile>, op: &TileOp) -> Option<(AtomicRmwMode, ScalarType)> {
    let (mode, value) = match op {
        TileOp::Memory(MemoryOp::AtomicRmwTko { mode, arg, .. }) => (mode, arg),
        TileOp::View(ViewOp::AtomicRedViewTko { mode, value, .. }) => (mode, value),
        _ => return None,
    };
    let scalar = func.body.ty(*value).as_tile()?.element.scalar()?;
    Some((*mode, scalar))
}

/// The requirements of a kernel that the target does not meet. Each feature is reported at its first use.
pub fn check_target(func: &Func<CudaTile>, target: Target) -> Vec<Problem> {
    let mut lacks = Lacks {
        target,
        seen: FxHashSet::default(),
        problems: Problems::default(),
    };
    for id in func.body.walk() {
        let op = func.body.op(id);
        let name = op.kind.tile_spec().name;
        let mut i = 0usize;
        op.kind.operand_parts(&mut |part, value| {
            let ty = func.body.ty(value);
            let what = || format!("'cuda_tile.{name}' op operand #{i} is `{ty}`");
            lacks.types(op.origin, part, what, ty);
            i = i.saturating_add(1);
        });
        for (i, value) in (0u32..).zip(op.results()) {
            let ty = func.body.ty(value);
            let what = || format!("'cuda_tile.{name}' op result #{i} is `{ty}`");
            lacks.types(op.origin, Part::Result(i), what, ty);
        }
        if let Some(gate) = atomic(func, &op.kind).and_then(|(mode, scalar)| atomic_gate(mode, scalar)) {
            lacks.gate(
                op.origin,
                op.part("mode"),
                || format!("'cuda_tile.{name}' op"),
                gate,
            );
        }
    }
    lacks.problems.list
}

struct Lacks {
    target: Target,
    seen: FxHashSet<Gate>,
    problems: Problems,
}

impl Lacks {
    fn types(&mut self, origin: Origin, part: Part, what: impl Fn() -> String, ty: &TileType) {
        for gate in type_gates(ty) {
            self.gate(origin, part, &what, gate);
        }
    }

    fn gate(&mut self, origin: Origin, part: Part, what: impl Fn() -> String, gate: Gate) {
        if gate.needs.met_by(self.target) || !self.seen.insert(gate) {
            return;
        }
        let message = format!(
            "{}: {} needs {}, but the target is {}",
            what(),
            gate.feature,
            gate.needs,
            self.target
        );
        let diagnostic = Diagnostic::error(Code::TargetLacksFeature, message)
            .at(origin, "")
            .help(format!(
                "`--target sm_{0}` compiles for a GPU that has it (tileiras: `--gpu-name sm_{0}`)",
                gate.needs.least()
            ));
        self.problems.list.push(Problem { diagnostic, part });
    }
}
