//! Random whole programs of every family of ops leave the same in memory in the reference evaluator and compiled, in
//! the simulator and on a GPU.
//!
//! `TILEWRIGHT_PROGRAMS=N` sets the number of programs, `TILEWRIGHT_FIRST=N` the first of them, `TILEWRIGHT_FORCED=NAME` the only
//! thing that is forced on them: a route (`tma`, `cp_async`, `staged`, `direct`) or clusters (`cluster2`, `cluster4`). A program that
//! fails is reduced and written to `target/tmp/tile_programs`, or `TILEWRIGHT_FOLDER`; kept in `tests/data/tile_programs`, it is
//! run again by every test.
//! For a GPU (the first command can also run on the machine with the GPU, which needs the test's binary only):
//!
//! ```text
//! TILEWRIGHT_PROGRAMS=500 cargo test -p tilewright-tests --test tile_programs -- --ignored write_programs
//! python3 tests/gpu/tile_programs.py target/tmp/tile_programs/gpu
//! ```

mod case;
mod generate;
mod gpu;
mod numbers;
mod reduce;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tilewright::ptxas;
use tilewright_irs::ptx::Target;
use tilewright_tests::repository;

use case::Case;
use run::{Failure, Forced, How, Kind, Session};

/// The programs of a test, unless `TILEWRIGHT_PROGRAMS` says how many.
const PROGRAMS: u64 = 900;
/// The programs that are compiled with forced routes, six ways each.
const FORCED: u64 = 200;
/// The programs of which blocks of clusters must share some.
const CLUSTERED: u64 = 60;
/// The programs that ptxas assembles for each target.
const ASSEMBLED: usize = 60;
const TARGETS: [&str; 4] = ["sm_80", "sm_89", "sm_90a", "sm_120a"];

/// A number that the environment sets.
fn setting(name: &str, otherwise: u64) -> u64 {
    let number = std::env::var(name).ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

fn folder() -> PathBuf {
    let folder = match std::env::var_os("TILEWRIGHT_FOLDER") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("tile_programs"),
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The targets that have all types of a program.
fn targets(case: &Case) -> &'static [&'static str] {
    let has_bytes = case.text.contains("f8E") || case.text.contains("bf16");
    match (case.text.contains("f4E"), has_bytes) {
        (true, _) => &TARGETS[3..],
        (false, true) => &TARGETS[1..],
        (false, false) => &TARGETS[..],
    }
}

/// How the program of a seed is compiled: for a target that has all of its types, with and without optimisation.
fn ways(seed: u64, case: &Case) -> Vec<How> {
    let targets = targets(case);
    let at = usize::try_from(seed).unwrap_or(0);
    let way = |opt_level, at: usize| How {
        opt_level,
        target: targets[at % targets.len()],
        forced: None,
    };
    match seed % 4 {
        0 => vec![way(0, at / 4), way(3, at)],
        _ => vec![way(3, at)],
    }
}

/// How the program of a seed is compiled with forced routes and clusters: all of them, on a target that has them.
fn forced_ways(_: u64, case: &Case) -> Vec<How> {
    let target = match case.text.contains("f4E") {
        true => "sm_120a",
        false => "sm_90a",
    };
    let way = |forced| How {
        opt_level: 3,
        target,
        forced: Some(forced),
    };
    match Forced::asked() {
        Some(forced) => vec![way(forced)],
        None => Forced::all().map(|(_, forced)| way(forced)).collect(),
    }
}

/// Reduces a failing program, and writes it to a file; returns what to say.
fn reduced(seed: u64, case: &Case, ways: &[How], failure: &Failure) -> String {
    let small = reduce::reduce(case, ways, failure);
    let path = folder().join(format!("{seed}.mlir"));
    std::fs::write(&path, small.print()).expect("a file");
    let again = run::check(&small, ways).err().unwrap_or_else(|| failure.clone());
    format!(
        "seed {seed}, {ways:?}: {:?}: {}\n{}",
        again.kind,
        again.why,
        small.print()
    )
}

#[test]
fn programs_agree_with_the_simulator() {
    agree(PROGRAMS, ways);
}

/// Each lowering is tested on programs that would not choose it.
#[test]
fn programs_with_forced_routes_agree_with_the_simulator() {
    agree(FORCED, forced_ways);
}

/// Else clusters would not be tested by that.
#[test]
fn blocks_of_clusters_share_the_tiles_of_a_third_of_the_programs() {
    let how = How {
        opt_level: 3,
        target: "sm_90a",
        forced: Some(Forced::Cluster(2)),
    };
    let has_clusters = |&seed: &u64| {
        let ptx = Session::new(&generate::case(seed, "k")).compiled(how);
        ptx.is_ok_and(|ptx| run::has_clusters(&ptx))
    };
    let shared = (0..CLUSTERED).into_par_iter().filter(has_clusters).count();
    assert!(shared as u64 * 10 >= CLUSTERED * 3, "{shared} of {CLUSTERED}");
}

fn agree(count: u64, ways: fn(u64, &Case) -> Vec<How>) {
    let (first, count) = (
        setting("TILEWRIGHT_FIRST", 0),
        setting("TILEWRIGHT_PROGRAMS", count),
    );
    let outcomes: Vec<(u64, Case, Failure)> = (first..first + count)
        .into_par_iter()
        .filter_map(|seed| {
            let case = generate::case(seed, "k");
            let failure = run::check(&case, &ways(seed, &case)).err()?;
            Some((seed, case, failure))
        })
        .collect();
    let (undefined, wrong): (Vec<_>, Vec<_>) = outcomes
        .into_iter()
        .partition(|(_, _, failure)| failure.kind == Kind::Undefined);
    // One of each sort is enough to look at.
    let mut sorts = BTreeMap::new();
    for (seed, case, failure) in &wrong {
        sorts
            .entry(format!("{:?}", failure.sort()))
            .or_insert_with(Vec::new)
            .push((seed, case, failure));
    }
    let most = usize::try_from(setting("TILEWRIGHT_REDUCED", 3)).unwrap_or(3);
    let said: Vec<String> = sorts
        .iter()
        .map(|(sort, failing)| {
            let seeds: Vec<_> = failing.iter().map(|(seed, _, _)| seed).collect();
            let reduced: Vec<String> = failing
                .iter()
                .take(most)
                .map(|(seed, case, failure)| reduced(**seed, case, &ways(**seed, case), failure))
                .collect();
            format!("{sort}: {seeds:?}\n{}", reduced.join("\n"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} fail, {} are undefined:\n{}",
        wrong.len(),
        undefined.len(),
        said.join("\n\n")
    );
    // The generator avoids what is undefined as far as it can.
    let examples: Vec<_> = undefined
        .iter()
        .take(20)
        .map(|(seed, _, failure)| format!("{seed}: {}", failure.why))
        .collect();
    assert!(
        undefined.len() as u64 * 20 <= count,
        "{} of {count} are undefined:\n{}",
        undefined.len(),
        examples.join("\n")
    );
}

#[test]
fn ptxas_assembles_programs() {
    let Some(assembler) = std::env::var_os("TILEWRIGHT_PTXAS").map(PathBuf::from) else {
        return;
    };
    for (seeds, target) in (0..).step_by(ASSEMBLED).zip(TARGETS) {
        let texts: Vec<String> = (seeds..seeds + ASSEMBLED as u64)
            .into_par_iter()
            .filter_map(|seed| {
                let case = generate::case(seed, &format!("k{seed}"));
                // Types that only later targets have are refused.
                let opt_level = if seed % 4 == 0 { 0 } else { 3 };
                Session::new(&case)
                    .compiled(How {
                        opt_level,
                        target,
                        forced: None,
                    })
                    .ok()
            })
            .collect();
        assert!(texts.len() * 4 > ASSEMBLED, "{} for {target}", texts.len());
        let text = gpu::joined(&texts, target);
        let target = Target::parse(target).expect("a target");
        if let Err(problem) = ptxas::assemble(&assembler, &text, target, 0, false) {
            let path = folder().join("refused.ptx");
            std::fs::write(&path, text).expect("a file");
            panic!("{}: {} {:?}", path.display(), problem.message, problem.notes);
        }
    }
}

/// The files in a folder of the tests' data.
fn kept() -> Vec<PathBuf> {
    let folder = repository().join("tests/data/tile_programs");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn programs_that_failed_once_agree_now() {
    let files = kept();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a text");
        let case = Case::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let of_target = |&target: &&'static str| {
            [0, 3].map(|opt_level| How {
                opt_level,
                target,
                forced: None,
            })
        };
        let ways: Vec<How> = targets(&case).iter().flat_map(of_target).collect();
        run::check(&case, &ways).unwrap_or_else(|failure| panic!("{}: {failure:#?}", path.display()));
    }
}

#[test]
fn a_case_is_read_as_it_is_printed() {
    for seed in 0..20 {
        let case = generate::case(seed, "k");
        assert_eq!(Case::parse(&case.print()).as_ref(), Ok(&case), "{}", case.print());
    }
}

#[test]
#[ignore = "prints the program of TILEWRIGHT_FIRST"]
#[allow(clippy::print_stdout, reason = "that is what it is for")]
fn print_a_program() {
    println!("{}", generate::case(setting("TILEWRIGHT_FIRST", 0), "k").print());
}

#[test]
#[ignore = "writes files for a GPU"]
fn write_programs() {
    let folder = folder().join("gpu");
    gpu::write(
        &folder,
        setting("TILEWRIGHT_FIRST", 0),
        setting("TILEWRIGHT_PROGRAMS", 500),
    );
}
