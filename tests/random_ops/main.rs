//! Random programs with ops of every family write the same memory when the reference evaluator runs them unchanged,
//! after each pass within `cuda_tile`, and after a round trip through bytecode and text.
//!
//! `TILEWRIGHT_PROGRAMS=N` sets the number of programs.

mod control;
mod generate;
mod memory;
mod numbers;
mod tiles;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::pipeline::{PASSES, Pass, run_alone};
use tilewright::printing::print_stages;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_evaluator::{Arg, Device, Init};
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, TileOp, Version};

/// Passes that change rounding by design.
const INEXACT: &[&str] = &["fuse_multiply_add"];

/// The kernel of a file.
fn kernel(bytes: &[u8], said_of: &str) -> (Compiler, TileKernel) {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", bytes);
    let parsed = reading::parse(&compiler, source);
    assert!(
        parsed.diagnostics.is_empty(),
        "{said_of}\n{:#?}",
        parsed.diagnostics
    );
    let kernel = parsed.kernels.first().expect("a kernel");
    let Stage::CudaTile(kernel) = kernel.body(&compiler).clone() else {
        panic!("no cuda_tile")
    };
    (compiler, TileKernel::clone(&kernel))
}

/// The output of a pass on a kernel.
fn passed(pass: &Pass, compiler: &Compiler, kernel: &TileKernel) -> TileKernel {
    let options = compiler.options(Request::default());
    let stage = Stage::CudaTile(kernel.clone().into());
    let made = run_alone(compiler, options, pass, "k", &stage).expect("a kernel of its language");
    match made.stage {
        Some(Stage::CudaTile(kernel)) => TileKernel::clone(&kernel),
        Some(_) | None => panic!("{}: {:#?}", pass.name, made.diagnostics),
    }
}

/// The contents of counters and output after running the kernel.
fn results(kernel: &TileKernel, seed: u64) -> Result<[Vec<u8>; 2], String> {
    let mut device = Device::new(&kernel.module).map_err(|problem| format!("{problem:#?}"))?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| rng.random()).collect() };
    let integers = device.allocate("a", Init::Data(bytes(1024)));
    // Floats mostly close to 1.
    let near: Vec<u8> = bytes(256)
        .iter()
        .flat_map(|&byte| (f32::from(byte) / 32.0 - 3.5).to_le_bytes())
        .collect();
    let floats = device.allocate("b", Init::Data(near));
    let halves = device.allocate("c", Init::Data(bytes(512)));
    let wide = device.allocate("d", Init::Data(bytes(2048)));
    let counters = device.allocate("n", Init::Data(vec![0; 256]));
    let size = generate::RESULTS * usize::try_from(generate::SLOT).expect("small");
    let output = device.allocate("o", Init::Data(vec![0; size]));
    let args = [integers, floats, halves, wide, counters, output].map(Arg::Pointer);
    let grid = [u32::try_from(generate::BLOCKS).expect("few"), 1, 1];
    device
        .launch(&kernel.func, grid, &args)
        .map_err(|problem| format!("{problem:#?}"))?;
    if let Some(warning) = device.warnings().first() {
        return Err(format!("{warning:#?}"));
    }
    Ok([counters, output].map(|buffer| device.read(buffer).to_vec()))
}

/// Ops excluded from programs: they need memory with replicas, or have no effect on memory.
const LEFT_OUT: &[&str] = &[
    "multimem_load_reduce_view_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
    "print_tko",
    "preview$call",
];

#[test]
fn programs_hold_every_op_that_they_can() {
    let mut drawn = std::collections::BTreeSet::new();
    for seed in 0..72 {
        let program = generate::program(&mut ChaCha8Rng::seed_from_u64(seed), 24);
        let (_, kernel) = kernel(program.as_bytes(), &program);
        drawn.extend(kernel.func.body.ops().map(|(_, op)| op.kind.tile_spec().name));
    }
    let missing: Vec<_> = TileOp::tile_specs()
        .map(|spec| spec.name)
        .filter(|name| !drawn.contains(name))
        .collect();
    assert_eq!(missing, LEFT_OUT);
}

/// Compiles a program at a level; returns the errors.
fn compiled(program: &str, opt_level: u8) -> Result<(), Vec<String>> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", program.as_bytes());
    let options = compiler.options(Request {
        opt_level,
        ..Request::default()
    });
    match joins::compile(&compiler, source, options, Language::Ptx) {
        (Some(_), _) => Ok(()),
        (None, said) => Err(said.iter().map(|problem| format!("{problem:?}")).collect()),
    }
}

#[test]
fn every_level_compiles_the_same_programs() {
    let count = std::env::var("TILEWRIGHT_PROGRAMS").ok();
    let count: u64 = count.and_then(|count| count.parse().ok()).unwrap_or(100);
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..count {
        // Short programs without `pack`, so that not all contain an op that no level lowers.
        let small = |value: &generate::Known| generate::bits(value.ty) <= 8;
        let program = generate::program_keeping(&mut ChaCha8Rng::seed_from_u64(seed), 4, small);
        let best = compiled(&program, 3);
        assert_eq!(compiled(&program, 0), best, "{seed}\n{program}");
        match best {
            Ok(()) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(
        accepted > 20 && refused > 5,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn programs_mean_the_same_however_they_are_kept_and_simplified() {
    let count = std::env::var("TILEWRIGHT_PROGRAMS").ok();
    let count: u64 = count.and_then(|count| count.parse().ok()).unwrap_or(40);
    let within = |pass: &&Pass| pass.from == Language::CudaTile && pass.to == Language::CudaTile;
    let passes: Vec<&Pass> = PASSES
        .iter()
        .filter(within)
        .filter(|pass| !INEXACT.contains(&pass.name))
        .collect();
    for seed in 0..count {
        let program = generate::program(&mut ChaCha8Rng::seed_from_u64(seed), 24);
        let (compiler, original) = kernel(program.as_bytes(), &program);
        let want = results(&original, seed).unwrap_or_else(|why| panic!("{seed}: {why}\n{program}"));
        let check = |kernel: &TileKernel, how: &str| {
            let found = results(kernel, seed).unwrap_or_else(|why| panic!("{seed}, {how}: {why}\n{program}"));
            assert!(
                found == want,
                "{seed}: {how} changes what is left in memory\n{program}"
            );
        };
        let mut all = original.clone();
        for pass in &passes {
            check(&passed(pass, &compiler, &original), pass.name);
            all = passed(pass, &compiler, &all);
        }
        check(&all, "all passes");
        let mut module = TileModule::clone(&original.module);
        module.funcs = vec![original.func.clone()];
        let kept = bytecode::write(&module, &DebugInfo::default(), Version::LATEST);
        let kept = kept.unwrap_or_else(|problems| panic!("{seed}: {problems:#?}\n{program}"));
        check(&kernel(&kept, &program).1, "bytecode");
        let stage = Stage::CudaTile(original.clone().into());
        let text = print_stages(&[stage], None).expect("a text");
        check(&kernel(text.as_bytes(), &text).1, "text");
    }
}
