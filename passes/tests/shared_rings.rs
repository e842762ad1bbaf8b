//! Rings whose stages several tiles take in turn: both agents take them in the same order, and copies that cannot are refused.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Module, OpId, TermCodec, print_module, term_text, verify};
use tilewright_irs::dialects::pipe::{PipeOp, PipeType, PipeValue};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, agents};
use tilewright_passes::scheduled::{expand_schedule, pipeline_loops, schedule_loops};

const PROGRAM: &str = include_str!("../../golden/scheduled.schedule_loops/shared_ring.in.scheduled");
const SCHEDULED: &str = include_str!("../../golden/scheduled.expand_schedule/shared_ring.in.scheduled");
const OUT_OF_TURN: &str =
    include_str!("../../golden/scheduled.schedule_loops/two_rings_out_of_turn.in.scheduled");
const OWN: &str = include_str!("../../golden/scheduled.expand_schedule/own_slices.in.scheduled");

fn module(text: &str) -> Module<Scheduled> {
    let parsed = parse_stage::<Scheduled>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    parsed.module
}

/// A text with other texts in places of some of its own.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// What the reader and the verifier say of a text.
fn problems(text: &str) -> Vec<(Code, String)> {
    let parsed = parse_stage::<Scheduled>(text, FileId(0));
    let funcs = parsed.module.funcs.iter();
    let verified = funcs.flat_map(|func| verify(func).err().unwrap_or_default());
    let verified = verified.map(|said| (said.code, said.message));
    let read = parsed
        .diagnostics
        .into_iter()
        .map(|said| (said.code, said.message));
    read.chain(verified).collect()
}

/// The types of the tiles for which an agent takes the stages of the pipe with so many stages, in textual order.
fn taken(func: &Func<Scheduled>, agent: &str, wanted: u32) -> Vec<String> {
    let body = &func.body;
    let agents = agents(func);
    let agent = agents
        .iter()
        .find(|other| other.name == agent)
        .expect("the agent");
    let tile = |id: &OpId| match body.op(*id).kind {
        ScheduledOp::Pipe(PipeOp::Acquire { pipe, .. } | PipeOp::Wait { pipe, .. }) => {
            let is_wanted =
                matches!(body.ty(pipe).pipe(), Some(PipeType::Pipe { stages, .. }) if stages == wanted);
            is_wanted.then(|| term_text(&body.ty(body.op(*id).result(0)).write()))
        }
        _ => None,
    };
    body.walk_region(agent.body).iter().filter_map(tile).collect()
}

#[test]
fn both_agents_take_the_stages_in_the_same_order() {
    let module = module(PROGRAM);
    let scheduled = schedule_loops(&module.funcs[0]).func;
    let expanded = expand_schedule(&scheduled).expect("two agents").func;
    let pipelined = pipeline_loops(&expanded).expect("two stages");
    assert!(verify(&pipelined).is_ok(), "{:#?}", verify(&pipelined));
    for (func, tiles) in [(&expanded, 2), (&pipelined, 4)] {
        let read = taken(func, "compute", 3);
        assert_eq!(read.len(), tiles);
        assert_eq!(read, taken(func, "load", 3));
    }
    // K of the first iteration; K, and V of the iteration before; V of the last one.
    let order = taken(&pipelined, "load", 3);
    assert!(
        order[0] == order[1] && order[2] == order[3] && order[1] != order[2],
        "{order:#?}"
    );
}

#[test]
fn buffers_that_share_a_ring_are_alike() {
    let shared = "depth = shared<3, ring = 0>";
    for (from, to, code, words) in [
        (
            shared,
            "depth = shared<4, ring = 0>",
            Code::AttributeValue,
            "ring 0 has 3 stages for this buffer and 4",
        ),
        (
            "depth = 1",
            shared,
            Code::TypeMismatch,
            "this buffer has 32768 bytes of `f16`, another one of ring 0 16384",
        ),
        (shared, "depth = shared<3>", Code::AttributeKind, "ring"),
        (
            shared,
            "depth = shared<-1, ring = 0>",
            Code::AttributeKind,
            "a number of stages",
        ),
        (
            shared,
            "depth = shared<3, ring = f>",
            Code::AttributeKind,
            "the number of a ring",
        ),
        (
            shared,
            "depth = six",
            Code::AttributeKind,
            "a number of stages, or `shared<…, ring = …>`",
        ),
    ] {
        let found = problems(&edited(SCHEDULED, &[(from, to)]));
        let is_found = found.iter().any(|(of, said)| *of == code && said.contains(words));
        assert!(is_found, "{to}: {found:#?}");
    }
}

#[test]
fn copies_that_cannot_take_turns_are_refused() {
    let scheduled = schedule_loops(&module(OUT_OF_TURN).funcs[0]).func;
    let funcs = vec![scheduled];
    let mut text = print_module(&Module { funcs });
    for _ in 0..2 {
        text = edited(
            &text,
            &[("depth = 1, stage", "depth = shared<3, ring = 0>, stage")],
        );
    }
    let own = edited(OWN, &[("depth = 4", "depth = shared<4, ring = 0>")]);
    for (text, words) in [
        (
            text,
            "this copy is waited for before an earlier one to the same ring",
        ),
        (own, "the agent that reads this buffer fills it by itself"),
    ] {
        let said = expand_schedule(&module(&text).funcs[0]).expect_err("refused");
        let is_said = said
            .iter()
            .any(|said| said.code == Code::MisplacedOp && said.message.contains(words));
        assert!(is_said, "{said:#?}");
    }
}
