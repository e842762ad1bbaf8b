//! Remarks: what the compiler made of the matrix products, the memory accesses and the hints of a program. Their names and
//! texts are NVIDIA's (`Remarks.td` of NVIDIA/cuda-tile, and the output of tileiras 13.5) where it has the same remark.

use tilewright_diagnostics::Location;
use tilewright_irs::core::{Func, Origin, TermCodec, term_text};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{CopyAtom, ProductAtom, TileAs, TileAsDialect, TileAsOp};

use super::command_line::CommandLine;
use crate::database::{Compiler, Db};
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::pipeline::{self, Pass};
use crate::reading;
use crate::source_map::Places;
use crate::targets;
use crate::tuned::in_words;
use crate::units::{Language, Stage};

/// The kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An optimisation was done.
    Passed,
    /// An optimisation was not done.
    Missed,
    /// An optimisation was tried, and failed.
    Failed,
}

/// The subject of a remark, by which remarks can be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    /// Matrix products.
    TensorCore,
    /// Accesses to global memory.
    Memory,
    /// The blocks and warps of a kernel.
    Schedule,
}

impl Category {
    /// The name in remarks.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::TensorCore => "TensorCore",
            Self::Memory => "Memory",
            Self::Schedule => "Schedule",
        }
    }

    /// The word on the command line that requests it.
    const fn word(self) -> &'static str {
        match self {
            Self::TensorCore => "tensorcore",
            Self::Memory => "memory",
            Self::Schedule => "schedule",
        }
    }
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remark {
    /// The kind.
    pub(super) kind: Kind,
    /// The subject.
    pub(super) category: Category,
    /// The name.
    pub(super) name: &'static str,
    /// The file, the line and the column, as in the debug information.
    pub(super) place: Option<(String, u32, u32)>,
    /// The kernel.
    pub(super) kernel: String,
    /// The text.
    pub(super) text: String,
    /// Further facts, each with its name.
    pub(super) facts: Vec<(&'static str, String)>,
}

/// The remarks that a command line requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    any: Vec<String>,
    by_kind: [(Kind, Vec<String>); 3],
}

/// The names of the options that request remarks: of every kind, and of one kind each.
pub(super) const ASK: &str = "remarks";
pub(super) const ASK_PASSED: &str = "remarks-passed";
pub(super) const ASK_MISSED: &str = "remarks-missed";
pub(super) const ASK_FAILED: &str = "remarks-failed";
pub(super) const ASK_ANALYSIS: &str = "remarks-analysis";

impl Wanted {
    /// The remarks that the options request.
    pub(super) fn of(line: &CommandLine) -> Self {
        let words = |name: &str| line.word(name).map(str::to_owned).into_iter().collect();
        Self {
            any: words(ASK),
            by_kind: [
                (Kind::Passed, words(ASK_PASSED)),
                (Kind::Missed, words(ASK_MISSED)),
                (Kind::Failed, words(ASK_FAILED)),
            ],
        }
    }

    /// Whether no remarks are requested.
    pub(super) fn is_empty(&self) -> bool {
        let kinds = self.by_kind.iter().flat_map(|(_, words)| words);
        self.any.iter().chain(kinds).all(|word| word == NONE)
    }

    fn admits(&self, remark: &Remark) -> bool {
        let of_kind = self.by_kind.iter().filter(|(kind, _)| *kind == remark.kind);
        let words = self.any.iter().chain(of_kind.flat_map(|(_, words)| words));
        words
            .clone()
            .any(|word| word == ALL || word == remark.category.word())
    }
}

/// The words for no category and for every category.
const NONE: &str = "none";
const ALL: &str = "all";

/// The remarks on a compiled file: kernel by kernel, in the order of their ops.
pub(super) fn collect(compiler: &Compiler, source: Source, options: Options, wanted: &Wanted) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for &kernel in &reading::parse(compiler, source).kernels {
        remarks.extend(on_tuned_hints(compiler, kernel, options));
        remarks.extend(on_hints(compiler, kernel, options));
        if let Some(Stage::TileAs(func)) = pipeline::stage(compiler, kernel, options, Language::TileAs) {
            remarks.extend(on_ops(&func, kernel.places(compiler)));
        }
    }
    remarks.retain(|remark| wanted.admits(remark));
    remarks
}

/// A remark on the hints that replace those of the program.
fn on_tuned_hints(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Option<Remark> {
    let Stage::CudaTile(program) = kernel.body(compiler) else {
        return None;
    };
    let target = options.target(compiler).unwrap_or(targets::DEFAULT);
    let hints = compiler.tuned()?.hints(program, target)?;
    Some(Remark {
        kind: Kind::Passed,
        category: Category::Schedule,
        name: "RemarkTunedHints",
        place: place(kernel.places(compiler), Origin::FUNCTION),
        kernel: kernel.name(compiler).to_owned(),
        text: format!("Tuned hints replace those of the program: {}", in_words(&hints)),
        facts: Vec::new(),
    })
}

/// A remark on the hints that could not be followed.
fn on_hints(compiler: &Compiler, kernel: Kernel<'_>, options: Options) -> Option<Remark> {
    let pass = Pass::named("resolve_views")?;
    let Some(Stage::TileAa(func)) = pipeline::stage_after(compiler, kernel, options, pass) else {
        return None;
    };
    let asked = func.attrs.num_ctas.filter(|&count| count > 1)?;
    Some(Remark {
        kind: Kind::Missed,
        category: Category::Schedule,
        name: "RemarkClusterSizeIgnored",
        place: place(kernel.places(compiler), Origin::FUNCTION),
        kernel: kernel.name(compiler).to_owned(),
        text: format!("The hint num_cta_in_cga = {asked} is ignored, and each block is a cluster of its own"),
        facts: Vec::new(),
    })
}

/// The remarks on accesses to global memory and on matrix products.
fn on_ops(func: &Func<TileAs>, places: Places<'_>) -> Vec<Remark> {
    let ops = func.body.walk().into_iter().map(|op| func.body.op(op));
    let remark = |op: &TileAsOp, origin: Origin| {
        let TileAsOp::TileAs(op) = op else { return None };
        let (kind, category, name, text, facts) = match op {
            TileAsDialect::Load { atom, route, .. } | TileAsDialect::GatherLoad { atom, route, .. } => {
                let mut said = on_copy(Direction::Load, atom);
                said.4.extend(route.map(through_registers));
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
        };
        Some(Remark {
            kind,
            category,
            name,
            place: place(places, origin),
            kernel: func.name.clone(),
            text: text.to_owned(),
            facts,
        })
    };
    ops.filter_map(|op| remark(&op.kind, op.origin)).collect()
}

type Said = (
    Kind,
    Category,
    &'static str,
    &'static str,
    Vec<(&'static str, String)>,
);

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
fn on_copy(direction: Direction, atom: &CopyAtom) -> Said {
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
        (Some(_), _, Direction::Load) => (
            (
                "RemarkMemoryLoadOptimized",
                "Load operation successfully optimized to use TMA",
            ),
            Vec::new(),
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
    (Kind::Passed, Category::Memory, name, text, facts)
}

/// The remark on a matrix product.
fn on_product(atom: &ProductAtom) -> Said {
    let name = "RemarkTensorCoreMMA";
    match atom.is_on_tensor_cores() {
        false => (
            Kind::Failed,
            Category::TensorCore,
            name,
            "MMA operation failed to optimize to use Tensor Cores, it is using FMA instructions instead",
            Vec::new(),
        ),
        true => (
            Kind::Passed,
            Category::TensorCore,
            name,
            "MMA operation successfully optimized to use Tensor Cores",
            vec![("Instruction", atom.word().to_owned())],
        ),
    }
}

fn place(places: Places<'_>, origin: Origin) -> Option<(String, u32, u32)> {
    match places.get(origin)? {
        Location::Source { path, line, column } => Some((path, line, column)),
        Location::Span(_) | Location::Offset { .. } => None,
    }
}
