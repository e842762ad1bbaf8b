//! The passes within `cuda_tile`, each alone and all together, preserve the results of random programs.
//!
//! The reference evaluator runs most of them, the simulator some, compiled. `TILEWRIGHT_PROGRAMS=N` sets the number
//! of programs.

mod fusion;
mod generate;
mod identities;
mod motion;
mod regions;
mod rules;
mod run;
mod special;
mod splitting;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tilewright::pipeline::{PASSES, Pass, When, run_alone};
use tilewright::printing::print_stages;
use tilewright::{Compiler, Language, Request, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_irs::cuda_tile::print_tile_module;
use tilewright_simulator::{Arg, Device, Init};

use generate::Kind;
use run::{Outcome, TilePass, evaluated, parsed, tile_pass};

/// The output of a pass on a text.
fn passed(pass: &Pass, text: &str) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.to_owned());
    let options = compiler.options(Request::default());
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let kernel = parsed.kernels.first().expect("a kernel");
    let made =
        run_alone(&compiler, options, pass, "k", kernel.body(&compiler)).expect("a kernel of its language");
    let said = &made.diagnostics;
    let stage = made
        .stage
        .unwrap_or_else(|| panic!("{}: {said:#?}\n{text}", pass.name));
    print_stages(&[stage], None).expect("a text")
}

/// The PTX of a `cuda_tile` text without the passes within `cuda_tile`.
fn ptx(text: &str) -> String {
    let resolved = passed(Pass::named("resolve_views").expect("the pass"), text);
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", resolved);
    let options = compiler.options(Request::default());
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    ptx.unwrap_or_else(|| panic!("{text}\n{said:#?}")).to_string()
}

/// The arguments of the programs.
const ARGUMENTS: &[(i32, i32, f32, f32)] = &[
    (0, 0, 0.0, -0.0),
    (1, 5, 1.5, -2.25),
    (-3, 6, 1.0e-39, 3.0e38),
    (i32::MAX, i32::MIN, f32::INFINITY, 0.1),
    (12345, 3, f32::NAN, 7.0),
];

/// The results of the program for each of the arguments, with all NaNs equal.
fn results(ptx: &str) -> Vec<(i32, Option<u32>)> {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let run = |&(a, b, x, y): &(i32, i32, f32, f32)| {
        let mut device = Device::new();
        let integer = device.alloc("p", 4, Init::Poison);
        let float = device.alloc("q", 4, Init::Poison);
        let arguments = [
            integer.into(),
            float.into(),
            Arg::from(a),
            Arg::from(b),
            Arg::Scalar(x.to_le_bytes().to_vec()),
            Arg::Scalar(y.to_le_bytes().to_vec()),
        ];
        device
            .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &arguments)
            .unwrap_or_else(|fault| panic!("{ptx}\n{fault}"));
        let word = |buffer| <[u8; 4]>::try_from(device.read(buffer)).expect("four bytes");
        let number = f32::from_le_bytes(word(float));
        (
            i32::from_le_bytes(word(integer)),
            (!number.is_nan()).then(|| number.to_bits()),
        )
    };
    ARGUMENTS.iter().map(run).collect()
}

/// The number of programs.
fn count(usual: u64) -> u64 {
    let asked = std::env::var("TILEWRIGHT_PROGRAMS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// The passes within the language that make code better, in the order of the pipeline. `random_programs` tries what lowers with
/// programs of its own.
fn passes() -> Vec<(&'static str, TilePass)> {
    let within = PASSES.iter().filter(|pass| {
        pass.from == Language::CudaTile && pass.to == Language::CudaTile && pass.when != When::Always
    });
    within.map(|pass| (pass.name, tile_pass(pass.name))).collect()
}

/// Checks each pass alone, and all in order, on programs of this kind; counts the programs that each pass changed.
fn keep_results(kind: Kind, seeds: std::ops::Range<u64>, inexact: &[&str]) {
    let passes = passes();
    assert!(passes.len() >= 5);
    let mut changed = vec![0; passes.len()];
    let mut defined = 0;
    let tried = seeds.end - seeds.start;
    for seed in seeds {
        let text = generate::program(&mut ChaCha8Rng::seed_from_u64(seed), kind);
        let module = parsed(&text);
        let want = evaluated(&module, kind.whole);
        // Undefined behaviour may become anything.
        if want
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Undefined(_)))
        {
            continue;
        }
        defined += 1;
        let mut all = module.clone();
        for ((name, pass), changed) in passes.iter().zip(&mut changed) {
            if inexact.contains(name) {
                continue;
            }
            let alone = run::passed(&module, *pass);
            *changed += usize::from(alone != module);
            let shown = || print_tile_module(&alone, None);
            assert_eq!(
                evaluated(&alone, kind.whole),
                want,
                "{seed}: {name}\n{text}\nbecomes\n{}",
                shown()
            );
            all = run::passed(&all, *pass);
        }
        let shown = print_tile_module(&all, None);
        assert_eq!(
            evaluated(&all, kind.whole),
            want,
            "{seed}: all passes\n{text}\nbecome\n{shown}"
        );
    }
    assert!(
        defined * 4 > tried * 3,
        "{defined} of {tried} programs are defined"
    );
    for ((name, _), changed) in passes.iter().zip(changed) {
        assert!(
            changed > 0 || inexact.contains(name),
            "{name} changes none of the programs"
        );
    }
}

#[test]
fn every_pass_preserves_results_prints_and_assumptions() {
    let kind = Kind {
        effects: true,
        whole: false,
    };
    keep_results(kind, 0..count(96), &["fuse_multiply_add"]);
}

/// Where sums of products are exact, fusion preserves results too.
#[test]
fn every_pass_preserves_unrounded_results() {
    let kind = Kind {
        effects: true,
        whole: true,
    };
    keep_results(kind, 1_000_000..1_000_000 + count(48), &[]);
}

#[test]
fn canonical_programs_are_unchanged() {
    let pass = tile_pass("canonicalize");
    for seed in 0..count(40) {
        let text = generate::program(&mut ChaCha8Rng::seed_from_u64(seed), Kind::default());
        let once = run::passed(&parsed(&text), pass);
        let twice = run::passed(&once, pass);
        let (once, twice) = (print_tile_module(&once, None), print_tile_module(&twice, None));
        assert_eq!(once, twice, "{seed}:\n{text}");
    }
}

/// Compiled programs have the same results with the passes as without.
#[test]
fn programs_compute_the_same_when_compiled_after_all_passes() {
    for seed in 2_000_000..2_000_000 + count(8) {
        let program = generate::program(&mut ChaCha8Rng::seed_from_u64(seed), Kind::default());
        let want = results(&ptx(&program));
        let mut all = program.clone();
        for pass in PASSES {
            let within = pass.from == Language::CudaTile && pass.to == Language::CudaTile;
            if within && pass.when != When::Fusing {
                all = passed(pass, &all);
            }
        }
        assert_eq!(results(&ptx(&all)), want, "{seed}:\n{program}\nbecomes\n{all}");
    }
}

#[test]
fn a_module_without_debug_information_gets_scopes_that_read_back() {
    let program = generate::program(&mut ChaCha8Rng::seed_from_u64(1), Kind::default());
    let folder = std::env::temp_dir().join(format!("tilewright-scopes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a new folder");
    let (input, output) = (folder.join("in.mlir"), folder.join("out.mlir"));
    std::fs::write(&input, &program).expect("a place for the program");
    let run = |from: &std::path::Path, to: &std::path::Path| {
        let pass = ["tilewright", "pass", "synthesize_debug_scopes"].map(std::ffi::OsString::from);
        let mut line = pass.to_vec();
        line.extend([from.into(), "-o".into(), to.into()]);
        assert_eq!(tilewright::cli::main_with(&line), tilewright::cli::Exit::Ok);
        std::fs::read_to_string(to).expect("the output")
    };
    let once = run(&input, &output);
    assert!(
        once.contains("#cuda_tile.di_subprogram<") && once.contains("name = \"k\""),
        "{once}"
    );
    let twice = run(&output, &folder.join("again.mlir"));
    assert_eq!(once, twice);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
