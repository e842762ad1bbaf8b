//! Host functions: the part of a module of `cute` that is evaluated when its kernels are launched, and is not compiled.

use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_grammar::mlir::read_mlir;
use tilewright_grammar::stages::FuncSpans;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::mlir::{Item, Mlir, MlirModule};

use crate::database::Db;
use crate::inputs::Source;
use crate::units::Language;

/// A module with its host functions.
#[derive(Clone, Debug)]
pub struct HostModule {
    /// The module.
    pub module: MlirModule,
    /// The places of each kernel and function, in the order of the text.
    places: Vec<FuncSpans>,
}

impl HostModule {
    /// The host functions, each with its number among kernels and functions.
    pub fn functions(&self) -> impl Iterator<Item = (usize, &Func<Mlir>)> {
        let mut next = 0;
        self.module.items.iter().filter_map(move |item| {
            let number = next;
            match item {
                Item::Gpu(gpu) => {
                    next += gpu.kernels.len();
                    None
                }
                Item::Function(function) => {
                    next += 1;
                    Some((number, function))
                }
            }
        })
    }

    /// A problem of the function of that number, at its place in the text.
    pub fn place(&self, number: usize, problem: Diagnostic<Origin>) -> Diagnostic<Location> {
        let ops = self.places.get(number).map_or(&[][..], |places| &places.ops);
        problem.map_location(|origin| {
            let at = usize::try_from(origin.0).ok()?;
            ops.get(at).copied().map(Location::Span)
        })
    }
}

/// The module of a file with host functions; `None` for another file, and for one with errors, which
/// [`parse`](super::parse) reports.
pub fn host_module(db: &dyn Db, source: Source) -> Option<HostModule> {
    if super::language(db, source) != Some(Language::Cute) {
        return None;
    }
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let read = read_mlir(text, source.file(db)).ok()?;
    let has_function = read.module.functions().next().is_some();
    has_function.then_some(HostModule {
        module: read.module,
        places: read.places,
    })
}
