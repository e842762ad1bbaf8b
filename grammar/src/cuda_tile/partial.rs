//! Functions with errors: they are not part of the module, and the readable part of each is verified here, so that
//! one run reports all errors of a text.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Diagnostic, Severity, Span};
use tilewright_irs::core::Func;
use tilewright_irs::cuda_tile::{
    CudaTile, DebugInfo, FuncLocations, Global, MemoryOp, ModuleProblem, PartialFunc, PreviewOp, TileModule,
    TileOp, Unknown, Version, verify_debug, verify_module, verify_rest,
};

use super::types::NO_SUCH_TYPE;
use super::{FuncSpans, TileParsed};

/// The readable parts.
#[derive(Debug, Default)]
pub(super) struct Partial {
    pub(super) funcs: Vec<PartialFunc>,
    /// The spans of each function.
    pub(super) spans: Vec<FuncSpans>,
    /// The locations of each function, unless one of them is unreadable.
    pub(super) places: Vec<Option<FuncLocations>>,
    /// Globals whose symbols are already defined, with their spans.
    pub(super) globals: Vec<(Global, Span)>,
    /// The symbols of unreadable globals.
    pub(super) symbols: FxHashSet<String>,
    /// Whether the symbol of a global is unreadable.
    pub(super) any_symbol: bool,
}

impl Partial {
    /// Verifies the readable parts.
    pub(super) fn verify(mut self, parsed: &mut TileParsed) {
        self.take_users(parsed);
        let symbols = Arc::new(std::mem::take(&mut self.symbols));
        for PartialFunc { unknown, .. } in &mut self.funcs {
            unknown.symbols = Arc::clone(&symbols);
            unknown.any_symbol = self.any_symbol;
        }
        let mut found = Vec::new();
        for problem in verify_rest(&parsed.module, &self.funcs) {
            found.extend(self.placed(problem));
        }
        for (index, (PartialFunc { func, .. }, places)) in self.funcs.iter().zip(&self.places).enumerate() {
            let Some(places) = places else { continue };
            let mut module = TileModule::new(Version::LATEST);
            module.funcs.push(func.clone());
            let info = DebugInfo {
                attrs: std::mem::take(&mut parsed.debug.attrs),
                funcs: vec![places.clone()],
                ..DebugInfo::default()
            };
            for problem in verify_debug(&module, &info) {
                let func = Some(index);
                found.extend(self.placed(ModuleProblem { func, ..problem }));
            }
            parsed.debug.attrs = info.attrs;
        }
        for (global, at) in self.globals {
            let mut module = TileModule::new(Version::LATEST);
            module.globals.push(global);
            let problems = verify_module(&module).err().unwrap_or_default();
            found.extend(
                problems
                    .into_iter()
                    .map(|problem| problem.diagnostic.map_location(|_| Some(at))),
            );
        }
        parsed.diagnostics.append(&mut found);
        let funcs = self.funcs.into_iter().map(|partial| partial.func);
        parsed.partial = funcs.zip(self.spans).collect();
    }

    /// Removes functions that refer to an unreadable global from the module.
    fn take_users(&mut self, parsed: &mut TileParsed) {
        if !self.any_symbol && self.symbols.is_empty() {
            return;
        }
        let known: FxHashSet<String> = parsed
            .module
            .globals
            .iter()
            .map(|global| global.name.clone())
            .chain(
                parsed
                    .module
                    .externals
                    .iter()
                    .map(|external| external.name().to_owned()),
            )
            .collect();
        let lost = |name: &str| !known.contains(name) && (self.any_symbol || self.symbols.contains(name));
        let uses = |op: &TileOp| match op {
            TileOp::Memory(MemoryOp::GetGlobal { name: symbol })
            | TileOp::Preview(PreviewOp::Call { callee: symbol, .. }) => lost(&symbol.0),
            _ => false,
        };
        let users = |func: &Func<CudaTile>| func.body.ops().any(|(_, op)| uses(&op.kind));
        let out: Vec<bool> = parsed.module.funcs.iter().map(users).collect();
        let funcs = std::mem::take(&mut parsed.module.funcs);
        let spans = std::mem::take(&mut parsed.spans);
        let places = std::mem::take(&mut parsed.debug.funcs);
        for (((func, spans), places), out) in funcs.into_iter().zip(spans).zip(places).zip(out) {
            if out {
                let signature = parsed.tests.iter().any(|test| test.name == func.name);
                let unknown = Unknown {
                    signature,
                    ..Unknown::default()
                };
                self.funcs.push(PartialFunc { func, unknown });
                self.spans.push(spans);
                self.places.push(Some(places));
            } else {
                parsed.module.funcs.push(func);
                parsed.spans.push(spans);
                parsed.debug.funcs.push(places);
            }
        }
    }

    /// An error of one of the functions, with its span.
    fn placed(&self, problem: ModuleProblem) -> Option<Diagnostic<Span>> {
        let spans = self.spans.get(problem.func?)?;
        let at = problem.diagnostic.primary.as_ref()?.at;
        let mut placed = problem.diagnostic.map_location(|origin| Some(spans.get(origin)));
        if let Some(label) = &mut placed.primary {
            label.at = spans.part(at, problem.part);
        }
        Some(placed)
    }
}

/// Removes duplicate errors: at the same span; about a name whose definition has the error; and, in the same
/// function, about an undefined type. Removes notes that have been given before. `functions` gives the start of each function.
pub(super) fn once(text: &str, functions: &[u32], diagnostics: &mut Vec<Diagnostic<Span>>) {
    if diagnostics.len() < 2 {
        return;
    }
    let mut seen = FxHashSet::default();
    diagnostics.retain(|problem| {
        let Some(label) = &problem.primary else {
            return true;
        };
        let (start, end) = (label.at.start, label.at.end);
        let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
        let slice = text.get(range).unwrap_or_default();
        let place = if slice.starts_with(['!', '#']) && !slice.contains('.') {
            (slice, 0, 0)
        } else if problem.severity == Severity::Note {
            ("", 0, 0)
        } else if label.message == NO_SUCH_TYPE {
            (slice, functions.partition_point(|&function| function < start), 0)
        } else {
            ("", usize::MAX, start)
        };
        seen.insert((place, problem.code, problem.message.clone()))
    });
}
