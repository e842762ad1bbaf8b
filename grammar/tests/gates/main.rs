//! The language features supported by each GPU, compared with those that NVIDIA's assembler compiles.
//!
//! Run with `TILEWRIGHT_TILEIRAS=/…/tileiras cargo test -p tilewright-grammar --test gates -- --nocapture`; without
//! the variable the test is skipped. `TILEWRIGHT_GATES_TARGETS=sm_90,sm_100` selects targets,
//! `TILEWRIGHT_GATES_FILTER=mmaf,reduce` selects programs by parts of their names. A full run takes about ten minutes
//! on one core.

mod arithmetic;
mod memory;
mod places;
mod programs;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use programs::{few_programs, programs};
use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::{ARCHITECTURES, TileModule, Version, check_target, verify_module};
use tilewright_irs::ptx::Target;
use writer::{Program, module};

/// The bytecode of a text, and its module; `None` if it is illegal.
fn written(text: &str) -> Option<(Vec<u8>, TileModule)> {
    let parsed = parse_tile_text(text, FileId(0));
    if !parsed.diagnostics.is_empty() || verify_module(&parsed.module).is_err() {
        return None;
    }
    let bytes = bytecode::write(&parsed.module, &parsed.debug, Version::LATEST).ok()?;
    Some((bytes, parsed.module))
}

/// The reason why we refuse a program for a target, if any.
fn ours(module: &TileModule, target: Target) -> Option<String> {
    let lacks = module.funcs.iter().flat_map(|func| check_target(func, target));
    lacks.map(|problem| problem.diagnostic.message).next()
}

/// The assembler's verdict on a program for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    /// The target lacks a feature.
    Gate(String),
    /// The program cannot be assembled, for another reason or without one.
    Fails(String),
}

/// NVIDIA's assembler.
struct Assembler {
    tool: PathBuf,
    calls: AtomicUsize,
}

impl Assembler {
    fn verdict(&self, bytes: &[u8], target: Target) -> Verdict {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let name = format!("tilewright-gates-{}-{call}", std::process::id());
        let input = std::env::temp_dir().join(format!("{name}.tileirbc"));
        let output = std::env::temp_dir().join(format!("{name}.cubin"));
        std::fs::write(&input, bytes).expect("a file");
        let run = Command::new("timeout")
            .arg("300")
            .arg(&self.tool)
            .args(["--gpu-name", &format!("sm_{}", target.sm), "-O0", "-o"])
            .args([&output, &input])
            .env_remove("CUDA_HOME")
            .output()
            .expect("the tool runs");
        let _ = std::fs::remove_file(&input);
        let _ = std::fs::remove_file(&output);
        if run.status.success() {
            return Verdict::Taken;
        }
        let text = String::from_utf8_lossy(&run.stderr);
        let gate = text
            .lines()
            .find(|line| line.contains("Incompatibility with architecture"));
        let line = gate.or_else(|| text.lines().find(|line| line.contains("error")));
        let line = line.unwrap_or("no message").chars().take(160).collect();
        if gate.is_some() {
            Verdict::Gate(line)
        } else {
            Verdict::Fails(line)
        }
    }

    /// The programs of a list that it refuses, tested together.
    fn not_taken(&self, list: &[Program], target: Target, found: &mut Vec<(String, Verdict)>) {
        let Some((bytes, _)) = written(&module(list)) else {
            panic!("a module of legal programs is illegal");
        };
        let verdict = self.verdict(&bytes, target);
        if verdict == Verdict::Taken {
            return;
        }
        if let [only] = list {
            found.push((only.what.clone(), verdict));
            return;
        }
        let (front, back) = list.split_at(list.len() / 2);
        self.not_taken(front, target, found);
        self.not_taken(back, target, found);
    }
}

/// Whether the assembler of CUDA 13.5 fails for a program on every target, by a crash or without a reason. These are
/// no gates.
fn fails(what: &str) -> bool {
    let fold = what
        .strip_prefix("reduce ")
        .or_else(|| what.strip_prefix("scan "));
    let small = fold
        .is_some_and(|element| element.starts_with("f8") || matches!(element, "i4" | "tf32" | "fnv8E5M3FNU"));
    let up = what.starts_with("ftof rounding<positive_inf> ");
    small || (up && (what.ends_with(" to tf32") || what.ends_with(" to bf16")))
}

/// The number of programs, without conversions, for which each GPU lacks a feature, counted when the assembler agreed
/// on every program.
const REFUSED: &[(u16, usize)] = &[
    (80, 687),
    (86, 687),
    (87, 687),
    (88, 687),
    (89, 581),
    (90, 581),
    (100, 74),
    (103, 74),
    (107, 0),
    (110, 492),
    (120, 492),
    (121, 492),
];

#[test]
fn as_many_programs_are_refused_as_when_they_were_compared() {
    let programs = few_programs();
    let legal: Vec<_> = programs
        .iter()
        .filter_map(|program| written(&program.text()))
        .collect();
    let refused = |sm: u16| {
        let lacks = |(_, module): &&(Vec<u8>, TileModule)| ours(module, Target::sm(sm)).is_some();
        legal.iter().filter(lacks).count()
    };
    let found: Vec<_> = ARCHITECTURES.iter().map(|&sm| (sm, refused(sm))).collect();
    assert_eq!(found, REFUSED);
}

#[test]
fn each_missing_feature_is_reported_once() {
    let programs = few_programs();
    for (what, sm, features) in [
        ("partition view weak f8E4M3FN", 80, &["f8E4M3FN"][..]),
        (
            "atomic_rmw_tko relaxed device addf bf16",
            80,
            &["an atomic addf on bf16"],
        ),
        (
            "mmaf_scaled f4E2M1FN by f8E4M3FN in blocks of 16",
            80,
            &["f4E2M1FN", "f8E4M3FN"],
        ),
        (
            "multimem_store_view_tko multicast f32",
            90,
            &["a multicast address"],
        ),
    ] {
        let program = programs.iter().find(|program| program.what == what).expect(what);
        let (_, module) = written(&program.text()).expect(what);
        let func = module.funcs.first().expect("a kernel");
        let messages: Vec<_> = check_target(func, Target::sm(sm))
            .into_iter()
            .map(|problem| problem.diagnostic.message)
            .collect();
        let said = |feature: &&str| {
            messages
                .iter()
                .any(|message| message.contains(&format!("{feature} needs")))
        };
        assert!(
            messages.len() == features.len() && features.iter().all(said),
            "{what}: {messages:#?}"
        );
    }
}

/// The number of programs assembled at once.
const BATCH: usize = 32;

#[test]
#[allow(clippy::print_stdout)]
fn gates_are_those_of_the_assembler() {
    let Some(tool) = std::env::var_os("TILEWRIGHT_TILEIRAS") else {
        return;
    };
    let chosen = std::env::var("TILEWRIGHT_GATES_TARGETS").unwrap_or_default();
    let filter = std::env::var("TILEWRIGHT_GATES_FILTER").unwrap_or_default();
    let assembler = Assembler {
        tool: Path::new(&tool).to_owned(),
        calls: AtomicUsize::new(0),
    };
    let all = programs();
    let names: BTreeSet<_> = all.iter().map(|program| &program.what).collect();
    assert_eq!(names.len(), all.len(), "each program has a name of its own");
    let legal: Vec<_> = all
        .iter()
        .filter(|program| filter.split(',').any(|part| program.what.contains(part)))
        .filter_map(|program| Some((program, written(&program.text())?)))
        .collect();
    println!("{} programs, {} of them legal", all.len(), legal.len());
    assert!(!filter.is_empty() || legal.len() > 2000);
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut asked, mut failures) = (0usize, Vec::new());
    for &sm in ARCHITECTURES {
        if !chosen.is_empty() && !chosen.split(',').any(|name| name == format!("sm_{sm}")) {
            continue;
        }
        let target = Target::sm(sm);
        let (mut refused, mut taken) = (Vec::new(), Vec::new());
        for (program, (bytes, module)) in &legal {
            match ours(module, target) {
                Some(why) => refused.push((*program, bytes, why)),
                None => taken.push((*program).clone()),
            }
        }
        asked += refused.len() + taken.len();
        println!("sm_{sm}: {} taken, {} refused", taken.len(), refused.len());
        let mut differ = |what: String| wrong.entry(what).or_default().push(format!("sm_{sm}"));
        for (program, bytes, why) in refused {
            match assembler.verdict(bytes, target) {
                Verdict::Gate(_) => {}
                Verdict::Taken => differ(format!("{}: only we refuse it: {why}", program.what)),
                Verdict::Fails(how) => {
                    differ(format!(
                        "{}: we refuse it: {why}, and the assembler fails: {how}",
                        program.what
                    ));
                }
            }
        }
        // Programs known to fail are tested alone, so that the rest can be tested together.
        let (alone, taken): (Vec<_>, Vec<_>) = taken.into_iter().partition(|program| fails(&program.what));
        for batch in taken.chunks(BATCH).chain(alone.chunks(1)) {
            let mut found = Vec::new();
            assembler.not_taken(batch, target, &mut found);
            for (what, verdict) in found {
                match verdict {
                    Verdict::Gate(why) => differ(format!("{what}: only the assembler refuses it: {why}")),
                    Verdict::Fails(how) if fails(&what) => {
                        failures.push(format!("{what} for sm_{sm}: {how}"))
                    }
                    Verdict::Fails(how) => differ(format!("{what}: the assembler fails: {how}")),
                    Verdict::Taken => {}
                }
            }
        }
    }
    let calls = assembler.calls.load(Ordering::Relaxed);
    println!("{asked} pairs of program and target, {calls} calls of the assembler");
    println!("{} failures of it that are known", failures.len());
    let lines: Vec<_> = wrong
        .iter()
        .map(|(what, targets)| format!("{what} ({})", targets.join(" ")))
        .collect();
    assert!(
        lines.is_empty(),
        "{} differences:\n{}",
        lines.len(),
        lines.join("\n")
    );
}
