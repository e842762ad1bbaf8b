//! Random programs give the same results before and after each pass within `cuda_tile`, in the simulator.
//!
//! `TILEWRIGHT_PROGRAMS=N` tries N programs instead of a few.

mod generate;
mod regions;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tilewright::pipeline::{PASSES, Pass, run_alone};
use tilewright::{Compiler, Language, Request, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_simulator::{Arg, Device, Init};

/// Passes that are meant to change how results are rounded.
const INEXACT: &[&str] = &["fuse_multiply_add"];

/// What a pass makes of a text.
fn passed(pass: &Pass, text: &str) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.to_owned());
    let options = compiler.options(Request::default());
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let kernel = parsed.kernels.first().expect("a kernel");
    let (stage, said) =
        run_alone(&compiler, options, pass, "k", kernel.body(&compiler)).expect("a kernel of its language");
    let stage = stage.unwrap_or_else(|| panic!("{}: {said:#?}\n{text}", pass.name));
    joins::print_stages(&[stage], "", &[]).expect("a text")
}

/// The PTX of a `cuda_tile` text, no pass within `cuda_tile` having touched it.
fn ptx(text: &str) -> String {
    let resolved = passed(Pass::named("resolve_views").expect("the pass"), text);
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", resolved);
    let options = compiler.options(Request::default());
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    ptx.unwrap_or_else(|| panic!("{text}\n{said:#?}")).to_string()
}

/// The arguments that programs are run on.
const ARGUMENTS: &[(i32, i32, f32, f32)] = &[
    (0, 0, 0.0, -0.0),
    (1, 5, 1.5, -2.25),
    (-3, 6, 1.0e-39, 3.0e38),
    (i32::MAX, i32::MIN, f32::INFINITY, 0.1),
    (12345, 3, f32::NAN, 7.0),
];

/// What the program stores for each of the arguments; a NaN as any.
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

#[test]
fn every_pass_keeps_what_programs_compute() {
    let count = std::env::var("TILEWRIGHT_PROGRAMS")
        .ok()
        .and_then(|count| count.parse().ok());
    let within = |pass: &&Pass| pass.from == Language::CudaTile && pass.to == Language::CudaTile;
    let passes: Vec<&Pass> = PASSES.iter().filter(within).collect();
    assert!(passes.len() >= 5, "{passes:?}");
    let mut changed = vec![0; passes.len()];
    for seed in 0..count.unwrap_or(24u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let program = generate::program(&mut rng);
        let want = results(&ptx(&program));
        let mut all = program.clone();
        for (pass, changed) in passes.iter().zip(&mut changed) {
            let alone = passed(pass, &program);
            let again = passed(pass, &alone);
            assert!(
                pass.name == "canonicalize" || alone == again || pass.name == "split_loops",
                "{seed}: {}",
                pass.name
            );
            *changed += usize::from(alone != passed_by_none(&program));
            if INEXACT.contains(&pass.name) {
                continue;
            }
            assert_eq!(
                results(&ptx(&alone)),
                want,
                "{seed}: {}\n{program}\nbecomes\n{alone}",
                pass.name
            );
            all = passed(pass, &all);
        }
        assert_eq!(
            results(&ptx(&all)),
            want,
            "{seed}: all passes\n{program}\nbecome\n{all}"
        );
    }
    for (pass, changed) in passes.iter().zip(changed) {
        assert!(changed > 0, "{} changes none of the programs", pass.name);
    }
}

/// The text as it is printed.
fn passed_by_none(text: &str) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.to_owned());
    let options = compiler.options(Request::default());
    let (text, said) = joins::compile(&compiler, source, options, Language::CudaTile);
    text.unwrap_or_else(|| panic!("{said:#?}")).to_string()
}

#[test]
fn a_module_without_debug_information_gets_scopes_that_read_back() {
    let program = generate::program(&mut ChaCha8Rng::seed_from_u64(1));
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
