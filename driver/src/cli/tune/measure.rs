//! Times of compiled kernels on a GPU, side by side: short bursts that alternate, so that what the GPU's clock does meets all.

use std::sync::Arc;
use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, Location, Severity};

use super::Ranked;
use crate::cli::input::Input;
use crate::cli::job::Job;
use crate::cli::progress::Progress;
use crate::launch::Launch;
use crate::launch::allowance::Compared;
use crate::launch::compare::agree;
use crate::launch::gpu::{Arrays, Gpu, Loaded};
use crate::units::{Language, PtxKernel, Stage};
use crate::{joins, pipeline, reading};

type Problem = Diagnostic<Location>;

/// The length of a burst, in seconds.
const BURST: f64 = 5e-3;
/// The bursts of each kernel: at most, and also if there is no time.
const ROUNDS: usize = 20;
const LEAST_ROUNDS: usize = 3;
/// The launches at most by which the length of one is found.
const TRIED: f64 = 5.0;
/// The part of the time in which kernels are compiled and compared; the rest is for bursts.
const COMPILING: f64 = 0.5;

/// What is measured, and how much of it.
pub(super) struct Measurement<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) input: &'a Input,
    /// The index of the kernel in the file.
    pub(super) at: usize,
    /// The launch, before it has run.
    pub(super) job: &'a Job,
    /// The configurations besides the program as it is.
    pub(super) best: usize,
    pub(super) begin: Instant,
    /// The seconds that all may take.
    pub(super) budget: f64,
}

/// A configuration on the GPU.
struct Candidate<'a> {
    /// Its place in the ranking.
    place: usize,
    text: Arc<str>,
    kernel: Loaded<'a>,
}

impl Measurement<'_> {
    /// Compiles the program as it is, which is among the ranked ones, and the best configurations, and measures them. What does not
    /// compile or does not compute the same is left out, with a warning.
    ///
    /// # Errors
    /// What is wrong with the program as it is, or a fault on the GPU.
    pub(super) fn execute(
        &self,
        ranked: &mut [Ranked],
        progress: &Progress,
    ) -> Result<Vec<Problem>, Problem> {
        let launch = &self.job.launch;
        let arrays = Arrays::of(self.gpu, launch)?;
        let mut wanted = launch.clone();
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        let mut warnings = Vec::new();
        let own = ranked.iter().position(|one| one.configuration.values.is_empty());
        let others = (0..ranked.len()).filter(|&place| Some(place) != own);
        for place in own.into_iter().chain(others) {
            let first = candidates.is_empty();
            let measured = candidates.len().saturating_sub(1);
            if !first && (measured >= self.best || measured > 0 && self.is_late(COMPILING)) {
                break;
            }
            let Some(one) = ranked.get(place) else { break };
            progress.now(format!("compiled {} of {}", candidates.len(), self.best + 1));
            let loaded = self.compile(one).and_then(|(text, ptx)| {
                if candidates.iter().any(|other| other.text == text) {
                    return Ok(None);
                }
                let options = &one.configuration.request;
                let kernel = self.job.load(self.gpu, &ptx, &text, options, &arrays)?;
                Ok(Some((text, kernel)))
            });
            let (text, kernel) = match loaded {
                Ok(Some(loaded)) => loaded,
                Ok(None) => continue,
                Err(problem) if first => return Err(problem),
                Err(problem) => {
                    warnings.push(left_out(one, problem));
                    continue;
                }
            };
            arrays.fill(launch)?;
            kernel
                .run()
                .map_err(|problem| problem.note(format!("with these hints: {}", one.hints())))?;
            if first {
                arrays.take(&mut wanted)?;
            } else {
                let mut got = launch.clone();
                arrays.take(&mut got)?;
                if let Some(problem) = self.differs(&got, &wanted) {
                    warnings.push(left_out(one, problem));
                    continue;
                }
            }
            candidates.push(Candidate { place, text, kernel });
        }
        let count = candidates.len();
        let mut bursts = 0;
        let seconds = medians(
            count,
            |at, launches| {
                progress.now(format!("timed {count} kernels, {bursts} bursts"));
                bursts += 1;
                match candidates.get(at) {
                    Some(candidate) => Ok(f64::from(candidate.kernel.time(launches)?) / 1e3),
                    None => Ok(0.0),
                }
            },
            || self.is_late(1.0),
        )?;
        for (candidate, seconds) in candidates.iter().zip(seconds) {
            if let Some(one) = ranked.get_mut(candidate.place) {
                one.measured = Some(seconds);
            }
        }
        Ok(warnings)
    }

    /// Whether this part of the budget is used up.
    fn is_late(&self, part: f64) -> bool {
        self.begin.elapsed().as_secs_f64() > part * self.budget
    }

    fn compile(&self, one: &Ranked) -> Result<(Arc<str>, Arc<PtxKernel>), Problem> {
        let db = &self.input.compiler;
        let options = db.options(one.configuration.request);
        let (text, said) = joins::compile(db, self.input.source, options, Language::Ptx);
        let kernel = reading::parse(db, self.input.source).kernels.get(self.at);
        let stage = kernel.and_then(|&kernel| pipeline::stage(db, kernel, options, Language::Ptx));
        match (text, stage) {
            (Some(text), Some(Stage::Ptx(ptx))) => Ok((text, ptx)),
            _ => Err(said
                .into_iter()
                .find(Diagnostic::is_error)
                .unwrap_or_else(|| Diagnostic::error(Code::BadArgument, "it does not compile"))),
        }
    }

    /// How results differ from those of the program as it is.
    fn differs(&self, got: &Launch, wanted: &Launch) -> Option<Problem> {
        let mut arrays = self.job.compared.iter();
        arrays.find_map(|&Compared { buffer, dtype }| {
            let (have, wish) = (got.buffers.get(buffer)?, wanted.buffers.get(buffer)?);
            let lines = agree(have, wish, dtype).err()?;
            let name = got.names.get(buffer).map_or("an array", String::as_str);
            let mut lines = lines.into_iter();
            let message = format!("{name}: {}", lines.next().unwrap_or_default());
            let mut problem = Diagnostic::error(Code::Mismatch, message);
            problem.notes.extend(lines);
            Some(problem)
        })
    }
}

/// The warning that a configuration is left out.
fn left_out(one: &Ranked, mut problem: Problem) -> Problem {
    problem.severity = Severity::Warning;
    problem.message = format!("left out: {}: {}", one.hints(), problem.message);
    problem
}

/// The median seconds of a launch of each of `count` kernels. `time` launches a kernel so many times and returns the seconds of all;
/// there are fewer bursts if it gets late.
fn medians<E>(
    count: usize,
    mut time: impl FnMut(usize, usize) -> Result<f64, E>,
    is_late: impl Fn() -> bool,
) -> Result<Vec<f64>, E> {
    let launches = |seconds: f64, most: f64| (BURST / seconds.max(1e-9)).round().clamp(1.0, most) as usize;
    let mut lengths = Vec::with_capacity(count);
    for at in 0..count {
        // The first one may have to wake the GPU.
        let tried = launches(time(at, 1)?, TRIED);
        lengths.push(launches(time(at, tried)? / tried as f64, 1e5));
    }
    let mut times = vec![Vec::with_capacity(ROUNDS); count];
    for round in 0..ROUNDS {
        if round >= LEAST_ROUNDS && is_late() {
            break;
        }
        for (at, (times, &length)) in times.iter_mut().zip(&lengths).enumerate() {
            times.push(time(at, length)? / length as f64);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = values.get(middle).copied().unwrap_or(f64::NAN);
    match values.get(middle.wrapping_sub(1)) {
        Some(lower) if values.len().is_multiple_of(2) => f64::midpoint(*lower, upper),
        _ => upper,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    #[test]
    fn medians_are_the_middle_ones() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
        assert!(median(Vec::new()).is_nan());
    }

    /// Kernels that take 1 ms and 20 ms; all take three times as long in a fifth of the rounds.
    fn measured(late_after: usize) -> (Vec<f64>, Vec<(usize, usize)>) {
        let asked = RefCell::new(Vec::new());
        let bursts = Cell::new(0);
        let time = |at: usize, launches: usize| -> Result<f64, String> {
            asked.borrow_mut().push((at, launches));
            bursts.set(bursts.get() + 1);
            let round = bursts.get() / 2;
            let slow = if round % 5 == 4 { 3.0 } else { 1.0 };
            Ok([1e-3, 20e-3][at] * launches as f64 * slow)
        };
        let found = medians(2, time, || bursts.get() > late_after).expect("times");
        (found, asked.into_inner())
    }

    #[test]
    fn bursts_alternate_and_are_equally_long() {
        let (found, asked) = measured(usize::MAX);
        assert!(
            (found[0] - 1e-3).abs() < 1e-9 && (found[1] - 20e-3).abs() < 1e-9,
            "{found:?}"
        );
        // How long each takes, then bursts of 5 ms, or of one launch.
        assert_eq!(asked[..4], [(0, 1), (0, 5), (1, 1), (1, 1)]);
        assert_eq!(asked.len(), 4 + 2 * ROUNDS);
        let rounds = asked[4..].chunks(2);
        assert!(rounds.clone().all(|pair| pair == [(0, 5), (1, 1)]), "{asked:?}");
    }

    #[test]
    fn a_budget_leaves_fewer_bursts_and_never_none() {
        assert_eq!(measured(0).1.len(), 4 + 2 * LEAST_ROUNDS);
        assert_eq!(measured(13).1.len(), 4 + 10);
    }

    #[test]
    fn faults_are_handed_on() {
        let fault = medians(1, |_, _| Err("fault"), || false);
        assert_eq!(fault, Err("fault"));
    }
}
