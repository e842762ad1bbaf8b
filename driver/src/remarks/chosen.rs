//! What was chosen for each access to global memory and each product.

use tilewright_irs::core::{Origin, TermCodec, term_text};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{CopyAtom, ProductAtom, TileAsDialect, TileAsOp};

use super::{Category, Kind, Remark, remark};
use crate::database::Compiler;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::{Language, Stage};

/// The remarks on the ops of a kernel, each with its op.
pub(super) fn remarks(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Vec<(Origin, Remark)> {
    let Some(Stage::TileAs(func)) = pipeline::stage(compiler, kernel, options, Language::TileAs) else {
        return Vec::new();
    };
    let ops = func.body.walk().into_iter().map(|op| func.body.op(op));
    ops.filter_map(|op| Some((op.origin, on_op(&op.kind)?))).collect()
}

fn on_op(op: &TileAsOp) -> Option<Remark> {
    let TileAsOp::TileAs(op) = op else { return None };
    Some(match op {
        TileAsDialect::Load { atom, route, .. } | TileAsDialect::GatherLoad { atom, route, .. } => {
            let mut said = on_copy(Direction::Load, atom);
            said.facts.extend(route.map(through_registers));
            said
        }
        TileAsDialect::CopyIn { atom, .. } | TileAsDialect::GatherIn { atom, .. } => {
            on_copy(Direction::Load, atom)
        }
        TileAsDialect::Store { atom, .. }
        | TileAsDialect::ScatterStore { atom, .. }
        | TileAsDialect::CopyOut { atom, .. } => on_copy(Direction::Store, atom),
        TileAsDialect::Dot { atom, .. } => on_product(atom),
        _ => return None,
    })
}

/// The fact about the route of a load to registers: an asynchronous copy was not possible, or nothing was to be copied to other
/// threads.
fn through_registers(route: ThreadRoute) -> (&'static str, String) {
    let text = match route {
        ThreadRoute::Direct | ThreadRoute::Staged => route_text(route),
        ThreadRoute::CpAsync { .. } => format!("through registers, not {}", route_text(route)),
    };
    ("Route", text)
}

fn route_text(route: ThreadRoute) -> String {
    term_text(&route.write())
}

enum Direction {
    Load,
    Store,
}

/// The remark on an access to global memory.
fn on_copy(direction: Direction, atom: &CopyAtom) -> Remark {
    let (selected, instruction) = match direction {
        Direction::Load => (
            ("RemarkMemoryLoadInstructionSelected", "Load instruction selected"),
            "Global-memory load instruction",
        ),
        Direction::Store => (
            (
                "RemarkMemoryStoreInstructionSelected",
                "Store instruction selected",
            ),
            "Global-memory store instruction",
        ),
    };
    let ((name, text), facts) = match (atom.boxes(), atom.completion(), direction) {
        (Some(boxes), _, Direction::Load) => (
            (
                "RemarkMemoryLoadOptimized",
                "Load operation successfully optimized to use TMA",
            ),
            boxes
                .rounded
                .then(|| ("Conversion", "the copy rounds `f32` to `tf32`".to_owned()))
                .into_iter()
                .collect(),
        ),
        (Some(_), _, Direction::Store) => (
            (
                "RemarkMemoryStoreOptimized",
                "Store operation successfully optimized to use TMA",
            ),
            Vec::new(),
        ),
        (None, Completion::Asynchronous, _) => {
            let instruction = "Asynchronous copy to shared memory instruction".to_owned();
            let route = atom.bits().map(|bits| ThreadRoute::CpAsync { bytes: bits / 8 });
            let route = route.map(|route| ("Route", route_text(route)));
            (
                selected,
                [("Instruction", instruction)].into_iter().chain(route).collect(),
            )
        }
        (None, Completion::Synchronous, _) => {
            let bits = atom.bits().map(|bits| format!("{bits} bits in each thread"));
            let width = bits.map(|bits| ("Width", bits));
            let instruction = ("Instruction", instruction.to_owned());
            (selected, [instruction].into_iter().chain(width).collect())
        }
    };
    Remark {
        facts,
        ..remark(Kind::Passed, Category::Memory, name, text)
    }
}

/// The remark on a matrix product.
fn on_product(atom: &ProductAtom) -> Remark {
    let name = "RemarkTensorCoreMMA";
    let (kind, text, facts) = match atom.is_on_tensor_cores() {
        false => (
            Kind::Failed,
            "MMA operation failed to optimize to use Tensor Cores, it is using FMA instructions instead",
            Vec::new(),
        ),
        true => (
            Kind::Passed,
            "MMA operation successfully optimized to use Tensor Cores",
            vec![("Instruction", atom.word().to_owned())],
        ),
    };
    Remark {
        facts,
        ..remark(kind, Category::TensorCore, name, text)
    }
}
