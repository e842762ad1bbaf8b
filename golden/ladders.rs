//! Whole kernels, a folder each: the text of every stage, from the user's program down to PTX.
//!
//! `ladder/KERNEL/N.LANGUAGE.snap` is what `examples/bytecode/KERNEL.13.5.tileirbc`, or what the text
//! `examples/scheduled/KERNEL.scheduled`, is in the Nth language.
//!
//! `ladder/num_warps` has the life of one attribute instead: what a hint for the number of warps is after each pass that
//! changes it.

use std::fs;
use std::path::PathBuf;

use tilewright::changes::Change;
use tilewright::pipeline::{Pass, leads, route, stage_after};
use tilewright::policy::CELLS;
use tilewright::{Compiler, Language, Request, Stage, joins, reading};
use tilewright_irs::core::{Found, attributes_in, is_named, term_text};
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_tests::repository;

use crate::{beside, golden};

/// The kernels, each with its first language: one that streams, one that converts the layout of its tile through shared
/// memory, a matrix product and attention; for Hopper, written by hand, products by two warp groups, in persistent blocks,
/// summed in two levels, by two agents in turns, and by two blocks of a cluster, attention, and a copy by
/// tensor maps that are parameters.
const KERNELS: &[(&str, Language)] = &[
    ("vector_add", Language::CudaTile),
    ("transpose", Language::CudaTile),
    ("product", Language::CudaTile),
    ("attention", Language::CudaTile),
    ("product_warpgroups", Language::Scheduled),
    ("product_persistent", Language::Scheduled),
    ("attention_warpgroups", Language::Scheduled),
    ("product_fp8", Language::Scheduled),
    ("product_pingpong", Language::Scheduled),
    ("product_multicast", Language::Scheduled),
    ("maps_of_the_host", Language::Scheduled),
];

/// The folder of a kernel's texts.
fn folder(kernel: &str) -> PathBuf {
    golden().join("ladder").join(kernel)
}

/// The languages that a program in a language goes through.
fn rungs(first: Language) -> impl Iterator<Item = Language> {
    let all = Language::ALL.iter().copied();
    all.filter(move |language| leads(first, *language))
}

/// The name of a kernel's text in a language.
fn name(language: Language) -> String {
    let rung = rungs(Language::CudaTile).position(|other| other == language);
    let rung = rung.expect("a language that cuda_tile leads to");
    format!("{rung}.{language}")
}

/// The example that a ladder starts from.
fn example(kernel: &str, first: Language) -> Vec<u8> {
    let path = match first {
        Language::CudaTile => format!("examples/bytecode/{kernel}.13.5.tileirbc"),
        first => format!("examples/{first}/{kernel}.{first}"),
    };
    fs::read(repository().join(path)).expect("the example exists")
}

/// The text of a file in a language.
fn compiled(name: &str, bytes: &[u8], language: Language) -> String {
    hinted(name, bytes, HintOverrides::default(), language)
}

/// The text of a file in a language, with these hints.
fn hinted(name: &str, bytes: &[u8], hints: HintOverrides, language: Language) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let options = compiler.options(Request {
        hints,
        verify_each: true,
        ..Request::default()
    });
    let (text, said) = joins::compile(&compiler, source, options, language);
    assert!(said.is_empty(), "{name} to {language}: {said:#?}");
    text.unwrap_or_else(|| panic!("{name}: no {language}"))
        .to_string()
}

#[test]
fn every_text_of_a_ladder_is_what_its_example_compiles_to() {
    for &(kernel, first) in KERNELS {
        let bytes = example(kernel, first);
        beside(&folder(kernel)).bind(|| {
            for language in rungs(first) {
                insta::assert_snapshot!(name(language), compiled(kernel, &bytes, language));
            }
        });
    }
}

#[test]
fn every_text_of_a_ladder_compiles_to_the_same_ptx() {
    for &(kernel, first) in KERNELS {
        let want = compiled(kernel, &example(kernel, first), Language::Ptx);
        for language in rungs(first) {
            let path = folder(kernel).join(format!("{}.snap", name(language)));
            let bytes = fs::read(&path).expect("every rung");
            let name = path.display().to_string();
            let made = compiled(&name, &bytes, Language::Ptx);
            assert!(made == want, "{name} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn every_text_of_a_kernel_with_hints_compiles_to_the_same_ptx() {
    let mut hints = HintOverrides::default();
    for (name, value) in [
        ("num_cta_in_cga", "2"),
        ("num_worker_warps_per_cta", "4"),
        ("occupancy", "2"),
    ] {
        hints.set(name, value).expect("a hint");
    }
    let kernels = KERNELS.iter().filter(|(_, first)| *first == Language::CudaTile);
    for &(kernel, first) in kernels {
        let bytes = example(kernel, first);
        let want = hinted(kernel, &bytes, hints, Language::Ptx);
        assert!(
            want.contains(".reqnctapercluster 2"),
            "{kernel} has no clusters:\n{want}"
        );
        for language in rungs(first).skip(1) {
            let text = hinted(kernel, &bytes, hints, language);
            let made = compiled(language.name(), text.as_bytes(), Language::Ptx);
            assert!(made == want, "{kernel} in {language} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn a_ladder_has_one_text_for_each_language() {
    for &(kernel, first) in KERNELS {
        let mut files: Vec<_> = fs::read_dir(folder(kernel))
            .expect("the ladder exists")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.ends_with(".snap.new"))
            .collect();
        files.sort();
        let want: Vec<_> = rungs(first)
            .map(|language| format!("{}.snap", name(language)))
            .collect();
        assert_eq!(files, want, "{kernel}");
    }
}

/// What an entry's hint for the number of warps becomes, down to the directive.
const CARRIERS: [&str; 7] = [
    "num_worker_warps_per_cta",
    "num_warps",
    "kernel_spec.num_warps",
    "first_warp",
    "warps",
    "nvvm.reqntid",
    "reqntid",
];

/// The carriers that a kernel has, with their values, and the names of its agents.
fn carried(stage: &Stage) -> Vec<String> {
    let found = match stage {
        Stage::CudaTile(kernel) => attributes_in(&kernel.func),
        Stage::TileAa(func) => attributes_in(func),
        Stage::TileAs(func) => attributes_in(func),
        Stage::Scheduled(func) => attributes_in(func),
        Stage::Cute(kernel) => attributes_in(&kernel.func),
        Stage::CuteDesugared(func) => attributes_in(func),
        Stage::Llvm(func) => attributes_in(func),
        Stage::Nvvm(func) => attributes_in(func),
        Stage::Ptx(kernel) => {
            let text = kernel.module().to_string();
            let directives = text.lines().filter(|line| line.starts_with(".reqntid"));
            return directives.map(str::to_owned).collect();
        }
    };
    let mut lines: Vec<String> = Vec::new();
    for Found { op, name, value, .. } in found {
        let value = value.map(|value| term_text(&value)).unwrap_or_default();
        match (op, name) {
            ("scheduled.agent", "name") => lines.push(format!("agent {value}")),
            ("scheduled.agent", "first_warp" | "warps") => {
                if let Some(agent) = lines.last_mut() {
                    agent.push_str(&format!(", {name} = {value}"));
                }
            }
            ("", name) if CARRIERS.contains(&name) => lines.push(format!("{name} = {value}")),
            _ => {}
        }
    }
    lines
}

/// What the policy says of a pass that changes a carrier.
fn words(pass: &Pass) -> Vec<String> {
    let is_about = |change: &&Change| {
        CARRIERS
            .iter()
            .any(|carrier| is_named("scheduled.agent", carrier, change.name))
    };
    let about = pass.changes.iter().filter(is_about);
    let said = about.filter_map(|change| {
        let cell = CELLS.iter().find(|cell| cell.grants(pass, change))?;
        Some(format!("{}: {}", change.name, cell.verdict))
    });
    let mut all: Vec<String> = said.collect();
    all.dedup();
    all
}

/// The passes that change a carrier, each with the words of its cell, and what there is after it.
fn life_of_num_warps(text: &[u8]) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("k.cuda_tile", text);
    let options = compiler.options(Request::default());
    let parsed = reading::parse(&compiler, source);
    let [kernel] = parsed.kernels.as_slice() else {
        panic!("one kernel, not {:#?}", parsed.diagnostics);
    };
    let mut last = carried(kernel.body(&compiler));
    let mut life = format!("cuda_tile\n  {}\n", last.join("\n  "));
    for pass in route(Language::CudaTile, Language::Ptx) {
        let stage = stage_after(&compiler, *kernel, options, pass).expect(pass.name);
        let (now, words) = (carried(&stage), words(pass));
        if now == last && words.is_empty() {
            continue;
        }
        life.push_str(&format!("\n{}, {}\n", pass.name, pass.to));
        words
            .iter()
            .for_each(|word| life.push_str(&format!("  ({word})\n")));
        now.iter().for_each(|line| life.push_str(&format!("  {line}\n")));
        last = now;
    }
    life
}

/// In a kernel whose warps all compute, a block has 32 threads for each warp of the hint. Where the schedule adds warps that
/// load, the hint counts those that compute, and a block has 32 threads for each warp of an agent.
#[test]
fn the_warps_of_a_hint_become_the_threads_of_a_block() {
    for (name, agents, threads) in [("plain", 1, 32 * 8), ("specialised", 2, 32 * (8 + 4))] {
        let folder = folder("num_warps");
        let text = fs::read(folder.join(format!("{name}.cuda_tile"))).expect("the kernel");
        let life = life_of_num_warps(&text);
        let rungs: Vec<&str> = life.split("\n\n").collect();
        let scheduled = rungs.iter().find(|rung| rung.starts_with("expand_schedule"));
        assert_eq!(
            scheduled.map(|rung| rung.matches("agent ").count()),
            Some(agents),
            "{life}"
        );
        assert!(rungs[0].ends_with("num_worker_warps_per_cta = i32<8>"), "{life}");
        let directive = format!(".reqntid {threads}, 1, 1\n");
        assert!(life.ends_with(&directive), "{life}");
        beside(&folder).bind(|| insta::assert_snapshot!(format!("{name}.life"), life));
    }
}
