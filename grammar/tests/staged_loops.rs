//! What the verifier says of loops whose ops have stages that cannot be.

use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::verify;
use tilewright_irs::scheduled::Scheduled;

const SUMS: &str = include_str!("../../golden/scheduled.pipeline_loops/three_stages.in.scheduled");
const ATTENTION: &str = include_str!("../../golden/scheduled.pipeline_loops/attention.in.scheduled");
const TURNS: &str = include_str!("../../golden/scheduled.pipeline_loops/shared_ring.in.scheduled");

/// The messages about a text with an edit.
fn problems(text: &str, from: &str, to: &str) -> Vec<String> {
    assert!(text.contains(from), "{from}");
    let parsed = parse_stage::<Scheduled>(&text.replacen(from, to, 1), FileId(0));
    let read = parsed.diagnostics.into_iter().map(|said| said.message);
    let funcs = parsed.module.funcs.iter();
    let verified = funcs.flat_map(|func| verify(func).err().unwrap_or_default());
    read.chain(verified.map(|said| said.message.clone())).collect()
}

#[test]
fn the_loops_themselves_are_sound() {
    for text in [SUMS, ATTENTION, TURNS] {
        assert_eq!(problems(text, "", ""), Vec::<String>::new());
    }
}

#[test]
fn stages_follow_the_values() {
    for (text, from, to, message) in [
        (
            SUMS,
            ", stage = 1, slot = 1",
            "",
            "this op has no stage, other ops of the loop's body have one",
        ),
        (
            SUMS,
            "stage = 0, slot = 2",
            "stage = 2, slot = 2",
            "this op of stage 1 comes before what it uses, which is of stage 2",
        ),
        (
            SUMS,
            "stage = 1, slot = 1",
            "stage = 2, slot = 1",
            "this op of stage 2 comes before what it uses, which is of stage 2",
        ),
        (
            SUMS,
            "arith.addf %11, %11",
            "arith.addf %11, %10",
            "this op of stage 1 uses what the iteration before computes in stage 2",
        ),
        (
            SUMS,
            "scf.continue [%15]",
            "scf.continue [%7]",
            "a loop with stages hands over what an op of its body computes",
        ),
        (
            ATTENTION,
            "in_flight = 0, stage = 0",
            "in_flight = 0, stage = 1",
            "this op of stage 1 takes a product under way of stage 0: its registers stay within a stage",
        ),
        (
            TURNS,
            "pipe.advance %30 {stage = 0, slot = 2}",
            "pipe.advance %30 {stage = 1, slot = 2}",
            "several ops of an iteration take the stages of this pipe in turn: the state of each is advanced in the same \
             stage of the loop, before another one takes its own",
        ),
        (
            TURNS,
            "pipe.advance %30 {stage = 0, slot = 2}",
            "pipe.advance %30 {stage = 0, slot = 5}",
            "several ops of an iteration take the stages of this pipe in turn: the state of each is advanced in the same \
             stage of the loop, before another one takes its own",
        ),
    ] {
        assert!(
            problems(text, from, to).contains(&message.to_owned()),
            "{from} → {to}: {:?}",
            problems(text, from, to)
        );
    }
}
