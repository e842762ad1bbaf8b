//! Verifies the readable parts of a file with errors, so that one run reports all errors.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::{
    DebugInfo, Global, ModuleProblem, PartialFunc, TileModule, Unknown, Version, verify_debug, verify_module,
    verify_rest,
};

use super::cursor::Fault;
use super::functions::{Functions, Partial};
use super::{FileReader, FuncOffsets};

impl FileReader {
    /// Verifies the readable parts. `any_symbol` tells that the globals are unknown.
    pub(super) fn verify(
        &mut self,
        functions: &mut Functions,
        globals: &[Global],
        debug: &DebugInfo,
        any_symbol: bool,
    ) {
        let mut module = TileModule::new(Version::LATEST);
        module.globals = globals.to_vec();
        module.externals = std::mem::take(&mut functions.externals);
        for problem in verify_module(&module).err().unwrap_or_default() {
            self.problems.push((0, problem.diagnostic.map_location(|_| None)));
        }
        let whole = std::mem::take(&mut functions.funcs).into_iter();
        let whole = whole.zip(std::mem::take(&mut functions.offsets));
        let whole = whole.zip(std::mem::take(&mut functions.locations));
        let whole = whole.map(|((func, offsets), locations)| Partial {
            func: PartialFunc {
                func,
                unknown: Unknown::default(),
            },
            offsets,
            locations,
        });
        let mut info = DebugInfo {
            attrs: debug.attrs.clone(),
            ..DebugInfo::default()
        };
        let mut all: Vec<_> = whole.chain(std::mem::take(&mut functions.partial)).collect();
        all.sort_by_key(|partial| partial.offsets.func);
        let mut names: FxHashSet<String> = globals.iter().map(|global| global.name.clone()).collect();
        let (mut funcs, mut offsets) = (Vec::new(), Vec::new());
        for mut partial in all {
            let name = &partial.func.func.name;
            if !name.is_empty() && !names.insert(name.clone()) {
                let fault = Fault {
                    offset: usize::try_from(partial.offsets.func).unwrap_or(usize::MAX),
                    code: Code::DuplicateSymbol,
                    message: format!("the symbol `@{name}` is defined twice"),
                };
                self.report(fault, None);
            }
            partial.func.unknown.any_symbol = any_symbol || functions.cut;
            info.funcs.push(partial.locations);
            offsets.push(partial.offsets);
            funcs.push(partial.func);
        }
        let mut problems = verify_rest(&module, &funcs);
        module.funcs = funcs.into_iter().map(|partial| partial.func).collect();
        problems.extend(verify_debug(&module, &info));
        for problem in problems {
            self.place(problem, &offsets, &info);
        }
    }

    /// Reports an error of a function at the source line of its op, or at its byte offset.
    fn place(&mut self, problem: ModuleProblem, offsets: &[FuncOffsets], info: &DebugInfo) {
        let Some((index, offsets)) = problem.func.and_then(|at| Some((at, offsets.get(at)?))) else {
            return;
        };
        let offset = |origin: Origin| {
            let op = usize::try_from(origin.0).ok().and_then(|at| offsets.ops.get(at));
            op.copied().unwrap_or(offsets.func)
        };
        let at = problem
            .diagnostic
            .primary
            .as_ref()
            .map_or(offsets.func, |label| offset(label.at));
        let file = self.file;
        let placed: Diagnostic<Location> = problem.diagnostic.map_location(|origin| {
            let place = info.location(index, origin);
            Some(match place {
                Some(place) => Location::source(place.file, place.line, place.column),
                None => Location::Offset {
                    file,
                    offset: u64::from(offset(origin)),
                },
            })
        });
        self.problems
            .push((usize::try_from(at).unwrap_or(usize::MAX), placed));
    }
}
