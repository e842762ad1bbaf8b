//! The functions of a file: kernels, functions of the host, and those with errors as far as they could be read.

use tilewright_diagnostics::{Location, Span};
use tilewright_irs::core::{
    Body, Effects, Func, Language as IrLanguage, OpData, Operation, Origin, Region, TermCodec, Value,
    term_text,
};
use tilewright_irs::cuda_tile::{ShapeOp, TileOp};

use crate::database::Compiler;
use crate::inputs::Source;
use crate::kernel::Kernel;
use crate::reading;
use crate::source_map::Places;
use crate::units::Stage;

/// A function of a file.
#[derive(Clone, Copy, Debug)]
pub struct Function<'db> {
    /// Its name; `?` if it could not be read.
    pub name: &'db str,
    /// The program, in the language of the file.
    pub body: &'db Stage,
    /// The places of its ops and names.
    pub places: Places<'db>,
    /// The kernel, if it is one without errors.
    pub kernel: Option<Kernel<'db>>,
}

impl Function<'_> {
    /// The bytes of its name.
    pub fn name_span(&self) -> Option<Span> {
        match self.places.function() {
            Some(Location::Span(span)) => Some(span),
            Some(Location::Source { .. } | Location::Offset { .. }) | None => None,
        }
    }

    /// The bytes of the whole function or, if these are not known, of its name.
    pub fn whole(&self) -> Option<Span> {
        self.places.whole().or_else(|| self.name_span())
    }

    /// The type of a value, as its language writes it.
    pub fn type_of(&self, value: Value) -> Option<String> {
        fn text<L: IrLanguage>(func: &Func<L>, value: Value) -> Option<String> {
            func.body.type_of(value).map(|ty| term_text(&ty.write()))
        }
        match self.body {
            Stage::CudaTile(kernel) => kernel.func.body.type_of(value).map(ToString::to_string),
            Stage::TileAa(func) => text(func, value),
            Stage::TileAs(func) => text(func, value),
            Stage::Scheduled(func) => text(func, value),
            // In the terms of other languages its types are strings.
            Stage::Cute(kernel) => kernel.func.body.type_of(value).map(ToString::to_string),
            Stage::CuteDesugared(func) => text(func, value),
            Stage::Llvm(func) => text(func, value),
            Stage::Nvvm(func) => text(func, value),
            Stage::Ptx(_) => None,
        }
    }

    /// The op at an origin.
    pub fn op(&self, origin: Origin) -> Option<Op> {
        fn op<L: IrLanguage>(func: &Func<L>, origin: Origin) -> Option<Op> {
            let mut ops = func.body.ops();
            ops.find(|(_, op)| op.origin == origin).map(|(_, op)| Op::of(op))
        }
        match self.body {
            Stage::CudaTile(kernel) => op(&kernel.func, origin),
            Stage::TileAa(func) => op(func, origin),
            Stage::TileAs(func) => op(func, origin),
            Stage::Scheduled(func) => op(func, origin),
            Stage::Cute(kernel) => op(&kernel.func, origin),
            Stage::CuteDesugared(func) => op(func, origin),
            Stage::Llvm(func) => op(func, origin),
            Stage::Nvvm(func) => op(func, origin),
            Stage::Ptx(_) => None,
        }
    }

    /// All its ops with their origins.
    pub fn ops(&self) -> Vec<(Origin, Op)> {
        fn all<L: IrLanguage>(func: &Func<L>) -> Vec<(Origin, Op)> {
            let ops = func.body.ops();
            ops.map(|(_, op)| (op.origin, Op::of(op))).collect()
        }
        match self.body {
            Stage::CudaTile(kernel) => all(&kernel.func),
            Stage::TileAa(func) => all(func),
            Stage::TileAs(func) => all(func),
            Stage::Scheduled(func) => all(func),
            Stage::Cute(kernel) => all(&kernel.func),
            Stage::CuteDesugared(func) => all(func),
            Stage::Llvm(func) => all(func),
            Stage::Nvvm(func) => all(func),
            Stage::Ptx(_) => Vec::new(),
        }
    }

    /// Its parameters and its ops; each op has the contents of its regions.
    pub fn contents(&self) -> Vec<Content> {
        fn of_region<L: IrLanguage>(body: &Body<L>, region: Region) -> Vec<Content> {
            let mut all = Vec::new();
            for &block in &body.region(region).blocks {
                let block = body.block(block);
                all.extend(block.args.iter().map(|&value| Content::Argument(value)));
                all.extend(block.ops.iter().map(|&op| of_op(body, body.op(op))));
            }
            all
        }
        fn of_op<L: IrLanguage>(body: &Body<L>, op: &OpData<L>) -> Content {
            let regions = op.kind.region_list();
            Content::Op {
                origin: op.origin,
                results: op.results().collect(),
                inner: regions
                    .into_iter()
                    .map(|region| of_region(body, region))
                    .collect(),
            }
        }
        fn all<L: IrLanguage>(func: &Func<L>) -> Vec<Content> {
            of_region(&func.body, func.body.root())
        }
        match self.body {
            Stage::CudaTile(kernel) => all(&kernel.func),
            Stage::TileAa(func) => all(func),
            Stage::TileAs(func) => all(func),
            Stage::Scheduled(func) => all(func),
            Stage::Cute(kernel) => all(&kernel.func),
            Stage::CuteDesugared(func) => all(func),
            Stage::Llvm(func) => all(func),
            Stage::Nvvm(func) => all(func),
            Stage::Ptx(_) => Vec::new(),
        }
    }

    /// The index of a parameter, if the value is one, or is an assumption of `cuda_tile` about one.
    pub fn parameter(&self, value: Value) -> Option<usize> {
        fn index<L: IrLanguage>(func: &Func<L>, value: Value) -> Option<usize> {
            func.body.params().iter().position(|&own| own == value)
        }
        match self.body {
            Stage::CudaTile(kernel) => {
                let (body, mut value) = (&kernel.func.body, value);
                let definitions = body.definitions();
                while let Some(&id) = definitions.get(value)
                    && let TileOp::Shape(ShapeOp::Assume { value: of, .. }) = &body.op(id).kind
                {
                    value = *of;
                }
                index(&kernel.func, value)
            }
            Stage::TileAa(func) => index(func, value),
            Stage::TileAs(func) => index(func, value),
            Stage::Scheduled(func) => index(func, value),
            Stage::Cute(kernel) => index(&kernel.func, value),
            Stage::CuteDesugared(func) => index(func, value),
            Stage::Llvm(func) => index(func, value),
            Stage::Nvvm(func) => index(func, value),
            Stage::Ptx(_) => None,
        }
    }

    /// The origin of the op that defines a value; `None` for a parameter and for an argument of a region.
    pub fn origin_of(&self, value: Value) -> Option<Origin> {
        fn origin<L: IrLanguage>(func: &Func<L>, value: Value) -> Option<Origin> {
            let mut ops = func.body.ops();
            let defines = |op: &OpData<L>| op.results().any(|result| result == value);
            ops.find(|(_, op)| defines(op)).map(|(_, op)| op.origin)
        }
        match self.body {
            Stage::CudaTile(kernel) => origin(&kernel.func, value),
            Stage::TileAa(func) => origin(func, value),
            Stage::TileAs(func) => origin(func, value),
            Stage::Scheduled(func) => origin(func, value),
            Stage::Cute(kernel) => origin(&kernel.func, value),
            Stage::CuteDesugared(func) => origin(func, value),
            Stage::Llvm(func) => origin(func, value),
            Stage::Nvvm(func) => origin(func, value),
            Stage::Ptx(_) => None,
        }
    }
}

/// What a function or a region contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A parameter, or an argument of a block.
    Argument(Value),
    /// An op.
    Op {
        /// Its origin.
        origin: Origin,
        /// Its results.
        results: Vec<Value>,
        /// The contents of each of its regions.
        inner: Vec<Vec<Content>>,
    },
}

/// An op of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub doc: &'static str,
    /// Its side effects.
    pub effects: Effects,
    /// Its results.
    pub results: Vec<Value>,
}

impl Op {
    fn of<L: IrLanguage>(op: &OpData<L>) -> Self {
        let spec = op.kind.spec();
        Self {
            name: spec.name,
            doc: spec.doc.trim(),
            effects: op.kind.effects(),
            results: op.results().collect(),
        }
    }
}

/// The functions of a file, in its order.
pub fn functions(db: &Compiler, source: Source) -> Vec<Function<'_>> {
    let parsed = reading::parse(db, source);
    let sound = parsed.kernels.iter().map(|&kernel| Function {
        name: kernel.name(db),
        body: kernel.body(db),
        places: kernel.places(db),
        kernel: Some(kernel),
    });
    let others = parsed.hosts.iter().chain(&parsed.broken);
    let others = others.map(|other| Function {
        name: &other.name,
        body: &other.body,
        places: other.places(),
        kernel: None,
    });
    let mut all: Vec<_> = sound.chain(others).collect();
    all.sort_by_key(|function| function.whole().map(|span| span.start));
    all
}

/// The function whose text has this offset.
pub fn function_at(db: &Compiler, source: Source, offset: usize) -> Option<Function<'_>> {
    let offset = u32::try_from(offset).ok()?;
    let contains = |function: &Function<'_>| {
        let whole = function.whole();
        whole.is_some_and(|span| span.start <= offset && offset <= span.end)
    };
    functions(db, source).into_iter().find(contains)
}

/// The op of a function whose text has this offset.
pub fn op_at(function: &Function<'_>, offset: usize) -> Option<Origin> {
    let offset = u32::try_from(offset).ok()?;
    let spans = function.places.op_spans();
    let around = spans.filter(|(_, span)| span.start <= offset && offset <= span.end);
    around
        .min_by_key(|(_, span)| span.end - span.start)
        .map(|(origin, _)| origin)
}
