//! What synchronises in the examples is deleted, one thing at a time: each instruction of their PTX, and each op of a pipe,
//! a product or a mutex that gives no value. The simulator reports the deletion, or the language does not accept the
//! text, or [`NEEDLESS`] says why nothing can go wrong.
//!
//! A run tries a sample; `TILEWRIGHT_DELETIONS=all` tries each.

use std::fmt;

use rayon::prelude::*;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::FileId;
use tilewright_irs::isa::Target;
use tilewright_irs::ptx::{Instruction, Module, Statement, Type};
use tilewright_simulator::{Arg, Device, FaultKind, Init, Outcome};

use super::{E4M3, F16, F16_IN_F32, bytes, compiled, example, halves, multiplies, numbers};

/// An example, and a run of its kernel on enough work that the stages of its rings are filled again, by two blocks or clusters, of
/// which the second takes over what the first has given back.
struct Example {
    file: &'static str,
    target: Target,
    /// Whether the kernel of a module gives the right result.
    run: fn(&Module) -> Outcome<bool>,
}

const EXAMPLES: [Example; 8] = [
    Example {
        file: "product_one_agent.scheduled",
        target: Target::sm(80),
        run: |module| multiplies(module, [64, 64, 256], [1, 1], &F16_IN_F32),
    },
    Example {
        file: "product_two_agents.scheduled",
        target: Target::sm(80),
        run: |module| multiplies(module, [64, 64, 256], [1, 1], &F16_IN_F32),
    },
    Example {
        file: "product_warpgroups.scheduled",
        target: Target::sm_a(90),
        run: |module| multiplies(module, [136, 256, 384], [2, 1], &F16_IN_F32),
    },
    Example {
        file: "product_fp8.scheduled",
        target: Target::sm_a(90),
        run: |module| multiplies(module, [136, 72, 912], [2, 1], &E4M3),
    },
    // Several tiles of one block.
    Example {
        file: "product_persistent.scheduled",
        target: Target::sm_a(90),
        run: |module| multiplies(module, [128, 1032, 328], [2, 1], &F16),
    },
    Example {
        file: "product_pingpong.scheduled",
        target: Target::sm_a(90),
        run: |module| multiplies(module, [128, 904, 456], [2, 1], &F16),
    },
    Example {
        file: "product_multicast.scheduled",
        target: Target::sm_a(90),
        run: |module| multiplies(module, [264, 256, 384], [2, 1], &F16_IN_F32),
    },
    Example {
        file: "attention_warpgroups.scheduled",
        target: Target::sm_a(90),
        run: attends,
    },
];

/// What may be deleted: in which example, a part of its text, how often it is there, and why.
const NEEDLESS: [(&str, &str, usize, &str); 12] = [
    (
        "product_one_agent",
        "bar.sync 0",
        1,
        "a stage is filled two ahead in a ring of four: who read it last has passed the barrier after a wait since",
    ),
    ("product_warpgroups", DRAIN, 4, GIVEN_LATE),
    ("product_fp8", DRAIN, 5, IN_ORDER),
    ("product_persistent", DRAIN, 4, GIVEN_LATE),
    ("product_pingpong", DRAIN, 6, GIVEN_LATE),
    ("product_multicast", DRAIN, 3, IN_ORDER),
    ("attention", DRAIN, 5, GIVEN_LATE),
    (
        "attention",
        "], 1; to mov.pred",
        1,
        "the first wait for room in the only stage, which begins empty",
    ),
    ("attention", "pipe.drain %queries", 1, LAST),
    (
        "attention",
        "pipe.drain %",
        2,
        "the queries are given back after all keys and values",
    ),
    ("product_persistent", "pipe.drain %store", 1, MAPS),
    ("product_pingpong", "pipe.drain %store", 2, MAPS),
];

/// A wait at the end of the agent that loads.
const DRAIN: &str = "then mbarrier.try_wait";
const IN_ORDER: &str =
    "the consumer gives its stages back in order: the last one that comes back says the same of the others";
const GIVEN_LATE: &str =
    "the consumer has a stage before it gives the one before back: of the last two, one is enough";
const LAST: &str = "the last values come after the queries, and are waited for as well";
const MAPS: &str = "an agent waits for its copies to arrays before it gives its tensor maps back";

/// Whether the kernel computes the attention of the first 256 queries to 512 keys.
fn attends(module: &Module) -> Outcome<bool> {
    const HEAD: usize = 128;
    const KEYS: usize = 512;
    let inputs = [1, 5, 3].map(|seed| numbers(KEYS * HEAD, seed));
    let mut device = Device::new();
    let [q, k, v] =
        [0, 1, 2].map(|at: usize| device.alloc("operand", 2 * KEYS * HEAD, Init::Data(bytes(&inputs[at]))));
    let out = device.alloc("o", 2 * KEYS * HEAD, Init::Poison);
    let count = Arg::from(512);
    // The logits are small, so that many keys count.
    let scale = 1.0 / 256.0;
    let arguments = [
        q.into(),
        k.into(),
        v.into(),
        out.into(),
        count.clone(),
        count,
        Arg::from(scale),
    ];
    device.launch(module, "attention", [2, 1, 1], [1, 1, 1], 0, &arguments)?;
    let got = halves(device.read(out));
    let [q, k, v] = &inputs;
    let row = |numbers: &[i16], row: usize| -> Vec<f32> {
        let row = &numbers[row * HEAD..][..HEAD];
        row.iter().map(|&number| f32::from(number)).collect()
    };
    let (keys, values): (Vec<_>, Vec<_>) = (0..KEYS).map(|j| (row(k, j), row(v, j))).unzip();
    let is_right = |i: usize| {
        let query = row(q, i);
        let weight = |key: &Vec<f32>| {
            let logit: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
            (logit * scale).exp2()
        };
        let weights: Vec<f32> = keys.iter().map(weight).collect();
        let whole: f32 = weights.iter().sum();
        (0..HEAD).all(|at| {
            let sum: f32 = weights
                .iter()
                .zip(&values)
                .map(|(weight, value)| weight * value[at])
                .sum();
            (got[i * HEAD + at] - sum / whole).abs() < 1e-2
        })
    };
    Ok((0..256).all(is_right))
}

/// An example without one thing.
struct Deletion {
    example: usize,
    /// Where it is: the index of the statement, or the number of the line.
    at: usize,
    /// Its text.
    what: String,
    made: Made,
}

/// What is left.
enum Made {
    Ptx(Module),
    Scheduled(String),
}

/// What comes of a deletion.
#[derive(PartialEq, Eq)]
enum Verdict {
    /// An error of the verifier, or a fault.
    Reported,
    /// The result is right.
    Silent,
    /// The result is wrong, or the kernel cannot be run, and nobody says why.
    Wrong(String),
}

impl fmt::Display for Deletion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", EXAMPLES[self.example].file, self.at, self.what)
    }
}

impl Deletion {
    fn verdict(&self) -> Verdict {
        let example = &EXAMPLES[self.example];
        let outcome = match &self.made {
            Made::Ptx(module) => (example.run)(module),
            Made::Scheduled(text) => {
                let mut compiler = Compiler::new();
                let source = compiler.add_source(example.file, text.as_bytes());
                let options = compiler.options(Request::default());
                let (ptx, _) = joins::compile(&compiler, source, options, Language::Ptx);
                match ptx {
                    None => return Verdict::Reported,
                    Some(ptx) => (example.run)(&tilewright_grammar::ptx::parse(FileId(0), &ptx).module),
                }
            }
        };
        match outcome {
            Ok(true) => Verdict::Silent,
            Ok(false) => Verdict::Wrong("another result".to_owned()),
            Err(fault) => match fault.kind {
                FaultKind::Launch { .. }
                | FaultKind::Unsupported { .. }
                | FaultKind::StepLimit { .. }
                | FaultKind::Late => Verdict::Wrong(fault.to_string()),
                _ => Verdict::Reported,
            },
        }
    }
}

/// An instruction that synchronises, without what it does: nothing, or an instruction that gives its result at once.
fn deletions(instruction: &Instruction) -> Vec<Option<Instruction>> {
    match instruction {
        Instruction::Membar { .. }
        | Instruction::Fence { .. }
        | Instruction::FenceProxy { .. }
        | Instruction::FenceTensormapRelease { .. }
        | Instruction::FenceTensormapAcquire { .. }
        | Instruction::FenceMbarrierInit {}
        | Instruction::FenceSyncRestrict { .. }
        | Instruction::FenceProxyRestrict { .. }
        | Instruction::TensormapPublish { .. }
        | Instruction::BarSync { .. }
        | Instruction::BarArrive { .. }
        | Instruction::BarrierSync { .. }
        | Instruction::BarrierArrive { .. }
        | Instruction::ClusterArrive { .. }
        | Instruction::ClusterWait { .. }
        | Instruction::CpAsyncCommit {}
        | Instruction::CpAsyncWait { .. }
        | Instruction::CpAsyncWaitAll {}
        | Instruction::CpAsyncArrive { .. }
        | Instruction::BulkCommit {}
        | Instruction::BulkWait { .. }
        | Instruction::WgmmaFence {}
        | Instruction::WgmmaCommit {}
        | Instruction::WgmmaWait { .. }
        | Instruction::MbarrierExpectTx { .. }
        | Instruction::MbarrierArriveRemote { .. } => vec![None],
        Instruction::MbarrierArrive { mode: None, .. } => vec![None],
        // The arrival, and the bytes that it expects.
        Instruction::MbarrierArrive {
            arrival,
            order,
            scope,
            space,
            ty,
            d,
            a,
            ..
        } => {
            let arrival = Instruction::MbarrierArrive {
                arrival: *arrival,
                mode: None,
                order: *order,
                scope: *scope,
                space: *space,
                ty: *ty,
                d: *d,
                a: a.clone(),
                count: None,
            };
            vec![None, Some(arrival)]
        }
        Instruction::MbarrierTestWaitParity { d, .. } | Instruction::MbarrierTryWaitParity { d, .. } => {
            let complete = Instruction::Mov {
                ty: Type::Pred,
                d: *d,
                a: 1.into(),
            };
            vec![Some(complete)]
        }
        _ => Vec::new(),
    }
}

/// The deletions from the PTX of an example.
fn from_ptx(number: usize, module: &Module) -> Vec<Deletion> {
    let mut found = Vec::new();
    let statements = &module.entries[0].body;
    let is_load = |statement: &Statement| matches!(statement, Statement::Instruction(line) if matches!(line.instruction, Instruction::TensorLoad { .. }));
    let last_load = statements.iter().rposition(is_load);
    for (at, statement) in statements.iter().enumerate() {
        let Statement::Instruction(line) = statement else {
            continue;
        };
        for instead in deletions(&line.instruction) {
            let mut module = module.clone();
            let body = &mut module.entries[0].body;
            let drains = last_load.is_some_and(|last| at > last);
            let what = format!("{}{}", if drains { "then " } else { "" }, line.instruction);
            let what = match instead {
                None => {
                    body.remove(at);
                    what
                }
                Some(instead) => {
                    let what = format!("{what} to {instead}");
                    if let Statement::Instruction(line) = &mut body[at] {
                        line.instruction = instead;
                    }
                    what
                }
            };
            found.push(Deletion {
                example: number,
                at,
                what,
                made: Made::Ptx(module),
            });
        }
    }
    found
}

/// The deletions from the text of an example: of the ops that give no value, so that the rest still has a meaning.
fn from_text(number: usize) -> Vec<Deletion> {
    let text = example(EXAMPLES[number].file);
    let lines: Vec<&str> = text.lines().collect();
    let is_op = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("pipe.")
            || line.starts_with("tileas.dot_wait")
            || line.starts_with("tileas.copy_wait")
    };
    let numbers = (0..lines.len()).filter(|&at| is_op(&lines[at]));
    numbers
        .map(|at| Deletion {
            example: number,
            at: at + 1,
            what: lines[at].trim().to_owned(),
            made: Made::Scheduled([&lines[..at], &lines[at + 1..]].concat().join("\n")),
        })
        .collect()
}

/// Of each so many deletions, one is tried.
const SAMPLE: usize = 24;

#[test]
fn nothing_that_synchronises_is_missed_in_silence() {
    let all = std::env::var("TILEWRIGHT_DELETIONS").is_ok_and(|word| word == "all");
    let made: Vec<Vec<Deletion>> = (0..EXAMPLES.len())
        .into_par_iter()
        .map(|number| {
            let Example { file, target, run } = &EXAMPLES[number];
            let ptx = compiled(file, &example(file), *target);
            let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
            let right = run(&module).unwrap_or_else(|fault| panic!("{file}: {fault}"));
            assert!(right, "{file}: another result");
            let mut found = from_ptx(number, &module);
            found.extend(from_text(number));
            found
        })
        .collect();
    let made: Vec<Deletion> = made.into_iter().flatten().collect();
    let step = if all { 1 } else { SAMPLE };
    let tried: Vec<&Deletion> = made.iter().step_by(step).collect();
    let verdicts: Vec<(&Deletion, Verdict)> = tried
        .into_par_iter()
        .map(|deletion| (deletion, deletion.verdict()))
        .collect();
    let mut missed = Vec::new();
    let mut needless = [0; NEEDLESS.len()];
    for (deletion, verdict) in &verdicts {
        match verdict {
            Verdict::Reported => {}
            Verdict::Wrong(why) => missed.push(format!("{deletion}: {why}")),
            Verdict::Silent => {
                let known = NEEDLESS.iter().position(|(file, what, ..)| {
                    EXAMPLES[deletion.example].file.starts_with(file) && deletion.what.contains(what)
                });
                match known {
                    Some(known) => needless[known] += 1,
                    None => missed.push(deletion.to_string()),
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "nobody reports {} of {}:\n{}",
        missed.len(),
        verdicts.len(),
        missed.join("\n")
    );
    if all {
        for ((file, what, count, _), found) in NEEDLESS.iter().zip(needless) {
            assert_eq!(*count, found, "{file}: {what}");
        }
    }
}
