//! Runs a case in the reference evaluator, and compiled in the simulator, and compares what is in memory.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tilewright::{Compiler, Language, Options, Request, Source, Stage, joins, reading};
use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_evaluator as evaluator;
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::dialects::route::ForcedRoute;
use tilewright_irs::ptx::Target;
use tilewright_simulator as simulator;

use super::case::{Argument, Array, Case};

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct How {
    pub(crate) opt_level: u8,
    pub(crate) target: &'static str,
    /// What it would not choose by itself.
    pub(crate) forced: Option<Forced>,
}

/// What is forced on a program, so that each lowering is tested on programs that would not choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forced {
    /// A route that all accesses take that can.
    Route(ForcedRoute),
    /// As many blocks in a cluster.
    Cluster(u32),
}

impl Forced {
    /// All, with their names.
    pub(crate) fn all() -> impl Iterator<Item = (String, Self)> {
        let routes = ForcedRoute::ALL.iter().copied();
        let clusters = [2, 4].into_iter();
        routes
            .map(|route| (route.word().to_owned(), Self::Route(route)))
            .chain(clusters.map(|blocks| (format!("cluster{blocks}"), Self::Cluster(blocks))))
    }

    /// The one that the environment asks for by name.
    pub(crate) fn asked() -> Option<Self> {
        let asked = std::env::var("TILEWRIGHT_FORCED").ok()?;
        let named = Self::all().find(|(name, _)| *name == asked);
        Some(
            named
                .unwrap_or_else(|| panic!("nothing is forced by `{asked}`"))
                .1,
        )
    }
}

/// What a program leaves in an array.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) bytes: Vec<u8>,
    /// For each byte whether it can be anything; empty if none can.
    pub(crate) unspecified: Vec<bool>,
}

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It has no meaning: it is not well formed, or it is undefined.
    Undefined,
    /// The compiler refuses it.
    Refused,
    /// The compiler or an interpreter panics.
    Panicked,
    /// The compiled program does what no program may.
    Faulted,
    /// It leaves something else in memory.
    Differs,
}

/// Why a program does not do what it should.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) why: String,
}

impl Failure {
    fn new(kind: Kind, why: impl Into<String>) -> Self {
        Self {
            kind,
            why: why.into(),
        }
    }

    fn said(kind: Kind, said: &[impl Saying]) -> Self {
        let said: Vec<String> = said
            .iter()
            .filter(|said| said.is_error())
            .map(Saying::text)
            .collect();
        Self::new(kind, said.join("\n"))
    }

    /// What two failures for the same reason have in common.
    pub(crate) fn sort(&self) -> (Kind, Option<String>) {
        let words = match self.kind {
            Kind::Refused | Kind::Panicked => Some(self.why.chars().take(40).collect()),
            Kind::Undefined | Kind::Faulted | Kind::Differs => None,
        };
        (self.kind, words)
    }
}

/// A diagnostic, wherever it points to.
trait Saying {
    fn is_error(&self) -> bool;
    fn text(&self) -> String;
}

impl<P: std::fmt::Debug> Saying for Diagnostic<P> {
    fn is_error(&self) -> bool {
        Self::is_error(self)
    }

    fn text(&self) -> String {
        format!(
            "{:?} {} {:?} {:?}",
            self.code, self.message, self.notes, self.primary
        )
    }
}

/// A program that is read once and compiled in several ways, each from the pass on that does not do as before.
pub(crate) struct Session {
    compiler: Compiler,
    source: Source,
    options: Options,
}

impl Session {
    pub(crate) fn new(case: &Case) -> Self {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("program", case.text.as_bytes());
        let options = compiler.options(Request::default());
        Self {
            compiler,
            source,
            options,
        }
    }

    /// What the reference evaluator leaves in the arrays.
    ///
    /// # Errors
    /// The program has no meaning.
    pub(crate) fn evaluated(&self, case: &Case) -> Result<Vec<Wanted>, Failure> {
        let undefined = |why: String| Failure::new(Kind::Undefined, why);
        let parsed = reading::parse(&self.compiler, self.source);
        if !parsed.is_sound() {
            return Err(Failure::said(Kind::Undefined, &parsed.diagnostics));
        }
        let kernels: Vec<_> = parsed
            .kernels
            .iter()
            .filter_map(|kernel| match kernel.body(&self.compiler) {
                Stage::CudaTile(kernel) => Some(kernel.clone()),
                _ => None,
            })
            .collect();
        let first = kernels
            .first()
            .ok_or_else(|| undefined("no kernels".to_owned()))?;
        let mut device =
            evaluator::Device::new(&first.module).map_err(|problem| undefined(problem.text()))?;
        device.limit_steps(400_000);
        let mut arrays = Vec::new();
        let mut args = Vec::new();
        for argument in &case.arguments {
            args.push(evaluator::Arg::Scalar(match argument {
                Argument::Array(array) => {
                    let buffer = device.allocate("array", evaluator::Init::Data(array.bytes()));
                    arrays.push(buffer);
                    device.address(buffer).unwrap_or_default() + array.offset()
                }
                Argument::Number { value, .. } => value.cast_unsigned(),
            }));
        }
        for launch in &case.launches {
            let kernel = kernels.iter().find(|kernel| kernel.func.name == launch.entry);
            let kernel = kernel.ok_or_else(|| undefined(format!("no kernel {}", launch.entry)))?;
            device
                .launch(&kernel.func, launch.grid, &args)
                .map_err(|problem| undefined(problem.text()))?;
        }
        let wanted = arrays.into_iter().map(|buffer| Wanted {
            bytes: device.read(buffer).to_vec(),
            unspecified: device.unspecified(buffer),
        });
        Ok(wanted.collect())
    }

    /// The program as PTX.
    ///
    /// # Errors
    /// The compiler refuses it or panics.
    pub(crate) fn compiled(&mut self, how: How) -> Result<String, Failure> {
        let (mut route, mut hints) = (None, HintOverrides::default());
        match how.forced {
            None => {}
            Some(Forced::Route(forced)) => route = Some(forced),
            Some(Forced::Cluster(blocks)) => hints
                .set("num_cta_in_cga", &blocks.to_string())
                .expect("a size of clusters"),
        }
        let request = Request {
            opt_level: how.opt_level,
            target: Target::parse(how.target),
            route,
            hints,
            ..Request::default()
        };
        self.compiler.change_options(self.options, request);
        let compile = || joins::compile(&self.compiler, self.source, self.options, Language::Ptx);
        let (ptx, said) = catch_unwind(AssertUnwindSafe(compile))
            .map_err(|panic| Failure::new(Kind::Panicked, words_of(panic.as_ref())))?;
        ptx.map(|text| text.to_string())
            .ok_or_else(|| Failure::said(Kind::Refused, &said))
    }
}

/// Whether the blocks of a program form clusters.
pub(crate) fn has_clusters(ptx: &str) -> bool {
    ptx.contains(".reqnctapercluster")
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|&words| words.to_owned()));
    words.unwrap_or_else(|| "a panic".to_owned())
}

/// What the compiled program leaves in the arrays in the simulator.
fn simulated(case: &Case, ptx: &str) -> Result<Vec<Vec<u8>>, Failure> {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let mut device = simulator::Device::new();
    let mut arrays = Vec::new();
    let mut args = Vec::new();
    for argument in &case.arguments {
        args.push(match argument {
            Argument::Array(array) => {
                let bytes = array.bytes();
                let buffer = device.alloc("array", bytes.len(), simulator::Init::Data(bytes));
                arrays.push(buffer);
                simulator::Arg::from(device.address(buffer) + array.offset())
            }
            Argument::Number { ty, value } => {
                simulator::Arg::Scalar(value.to_le_bytes()[..ty.bytes()].to_vec())
            }
        });
    }
    for launch in &case.launches {
        device
            .launch(&module, &launch.entry, launch.grid, [1, 1, 1], 0, &args)
            .map_err(|fault| Failure::new(Kind::Faulted, fault.to_string()))?;
    }
    Ok(arrays
        .into_iter()
        .map(|buffer| device.read(buffer).to_vec())
        .collect())
}

/// The bits of the elements of an array; every NaN as the same one.
pub(crate) fn elements<'a>(array: &'a Array, bytes: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
    bytes.chunks(array.ty.bytes()).map(|element| {
        let mut word = [0; 8];
        word[..element.len()].copy_from_slice(element);
        let bits = u64::from_le_bytes(word);
        match array.ty.is_nan(bits) {
            true => u64::MAX >> (64 - array.ty.bits()),
            false => bits,
        }
    })
}

impl Wanted {
    /// Whether an element of an array can be anything.
    pub(crate) fn is_unspecified(&self, array: &Array, element: usize) -> bool {
        let bytes = array.ty.bytes();
        let bytes = self.unspecified.get(element * bytes..(element + 1) * bytes);
        bytes.is_some_and(|bytes| bytes.contains(&true))
    }
}

/// The first difference between arrays.
fn difference(case: &Case, wanted: &[Wanted], found: &[Vec<u8>]) -> Option<String> {
    for (at, ((array, wanted), found)) in case.arrays().zip(wanted).zip(found).enumerate() {
        let both = elements(array, &wanted.bytes).zip(elements(array, found));
        let different: Vec<_> = both
            .enumerate()
            .filter(|&(element, (want, got))| want != got && !wanted.is_unspecified(array, element))
            .collect();
        if let Some(&(element, (want, got))) = different.first() {
            let count = different.len();
            return Some(format!(
                "array {at}, element {element}: {got:#x}, not {want:#x}; {count} differ"
            ));
        }
    }
    None
}

/// Whether a program does the same in the evaluator and compiled in these ways.
///
/// # Errors
/// How it fails.
pub(crate) fn check(case: &Case, ways: &[How]) -> Result<(), Failure> {
    let mut session = Session::new(case);
    let wanted = session.evaluated(case)?;
    let mut agreed = HashSet::new();
    for &how in ways {
        let ptx = session.compiled(how)?;
        // Not every program is another one if something is forced on it.
        if agreed.contains(&ptx) {
            continue;
        }
        let found = catch_unwind(AssertUnwindSafe(|| simulated(case, &ptx)))
            .map_err(|panic| Failure::new(Kind::Panicked, words_of(panic.as_ref())))??;
        if let Some(difference) = difference(case, &wanted, &found) {
            return Err(Failure::new(Kind::Differs, format!("{how:?}: {difference}")));
        }
        agreed.insert(ptx);
    }
    Ok(())
}
