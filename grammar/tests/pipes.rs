//! Errors in `scheduled` texts with agents and pipes: position, code and numbers.

use std::path::Path;

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Origin, verify};
use tilewright_irs::scheduled::Scheduled;

fn ring() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden/scheduled_to_cute_desugared.lower_fragments/ring.in.scheduled");
    std::fs::read_to_string(path).expect("the golden input")
}

/// The diagnostics of a text: the line of the op, the code and the message.
fn problems(text: &str) -> Vec<(String, Code, String)> {
    let parsed = parse_stage::<Scheduled>(text, FileId(0));
    let read = parsed.diagnostics.iter().map(|said| {
        let start = said.primary.as_ref().map_or(0, |label| label.at.start as usize);
        (line_at(text, start), said.code, said.message.clone())
    });
    let mut found: Vec<_> = read.collect();
    for (func, spans) in parsed.module.funcs.iter().zip(&parsed.spans) {
        for said in verify(func).err().unwrap_or_default() {
            let origin = said.primary.as_ref().map_or(Origin::FUNCTION, |label| label.at);
            let start = spans.get(origin).start as usize;
            found.push((line_at(text, start), said.code, said.message.clone()));
        }
    }
    found
}

fn line_at(text: &str, byte: usize) -> String {
    let begin = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    text[begin..].lines().next().unwrap_or_default().trim().to_owned()
}

#[test]
fn the_ring_itself_is_sound() {
    assert_eq!(problems(&ring()), []);
}

/// An edit of the ring: the replaced text, its replacement, part of the line at fault, the code, part of the message.
struct Mistake {
    from: &'static str,
    to: &'static str,
    line: &'static str,
    code: Code,
    says: &'static str,
}

const fn mistake(
    from: &'static str,
    to: &'static str,
    line: &'static str,
    code: Code,
    says: &'static str,
) -> Mistake {
    Mistake {
        from,
        to,
        line,
        code,
        says,
    }
}

const MISTAKES: &[Mistake] = &[
    mistake(
        "full = 32",
        "full = 64",
        "pipe.create",
        Code::AttributeValue,
        "the full barrier of a stage is arrived at 64 times in the text; in a pipe of kind `threads` the producer, of 1 \
         warp, should arrive 32 times",
    ),
    mistake(
        "empty = 32",
        "empty = 1",
        "pipe.create",
        Code::AttributeValue,
        "the empty barrier of a stage is arrived at 1 time",
    ),
    mistake(
        "producer = \"read\"",
        "producer = \"reader\"",
        "pipe.create",
        Code::UnknownSymbol,
        "no agent \"reader\"",
    ),
    mistake(
        "consumers = [\"write\"]",
        "consumers = [\"read\"]",
        "pipe.create",
        Code::AttributeValue,
        "cannot fill the stages that it waits for",
    ),
    mistake(
        "pipe<threads, stages = 2>\n",
        "pipe<threads, stages = 3>\n",
        "pipe.create",
        Code::TypeMismatch,
        "the pipe has 3 stages, a buffer of it 2",
    ),
    mistake(
        "[%stages], barriers %barriers {",
        "[%stages] {",
        "pipe.create",
        Code::OperandCount,
        "stores 4 barriers of 8 bytes",
    ),
    mistake(
        "full = 32, empty = 32",
        "full = 32, empty = 32, bytes = 512",
        "pipe.create",
        Code::AttributeValue,
        "counts no bytes",
    ),
    mistake(
        "buffer<4xi64, shared, linear<offset = [[1], [2]], shape = [4]>>",
        "buffer<2xi64, shared, linear<offset = [[1]], shape = [2]>>",
        "pipe.create",
        Code::OperandType,
        "of at least 32 bytes",
    ),
    mistake(
        "      pipe.commit %token, []\n",
        "",
        "scf.continue",
        Code::MisplacedOp,
        "a stage is never given back",
    ),
    mistake(
        "      pipe.release %token\n",
        "      pipe.release %token\n      pipe.release %token\n",
        "pipe.release",
        Code::MisplacedOp,
        "given up twice",
    ),
    mistake(
        "      tileas.copy %x, to %stage {atom = st<128b>}\n      pipe.commit %token, []\n",
        "      pipe.commit %token, []\n      tileas.copy %x, to %stage {atom = st<128b>}\n",
        "tileas.copy %x",
        Code::MisplacedOp,
        "used without its token",
    ),
    mistake(
        "    pipe.drain %pipe, %last\n",
        "    %v = tileas.subview %stages, stage %zero {offsets = []} : #stage\n",
        "tileas.subview",
        Code::MisplacedOp,
        "uses a stage without its token: the buffer is a ring of a pipe",
    ),
    mistake(
        "pipe.acquire %pipe, %at : #stage, pipe_token<threads, producer>",
        "pipe.wait %pipe, %at : #stage, pipe_token<threads, consumer>",
        "pipe.wait",
        Code::MisplacedOp,
        "done by a consumer, agent \"write\"",
    ),
    mistake(
        "pipe.acquire %pipe, %at : #stage, pipe_token<threads, producer>",
        "pipe.acquire %pipe, %at : #stage, pipe_token<threads, consumer>",
        "pipe.acquire",
        Code::TypeMismatch,
        "`pipe_token<threads, producer>`",
    ),
    mistake(
        "      pipe.commit %token, []",
        "      pipe.release %token",
        "pipe.release",
        Code::OperandType,
        "the token of a consumer",
    ),
    mistake(
        "pipe.wait %pipe, %at :",
        "pipe.wait %pipe, %at {in_flight = 1} :",
        "pipe.wait",
        Code::AttributeValue,
        "without `in_flight`",
    ),
    mistake(
        "first_warp = 1, warps = 1",
        "first_warp = 1, warps = 2",
        "name = \"write\"",
        Code::AttributeValue,
        "has warps 1 to 2, the kernel has 2 warps",
    ),
    mistake(
        "first_warp = 1, warps = 1",
        "first_warp = 0, warps = 1",
        "name = \"write\"",
        Code::AttributeValue,
        "warp 0 belongs to agent \"read\" and to agent \"write\"",
    ),
    mistake(
        "warps = 1, barrier = 1}",
        "warps = 1, registers = 40, barrier = 1}",
        "name = \"read\"",
        Code::AttributeValue,
        "`setmaxnreg` is done by groups of 4 warps",
    ),
    mistake(
        "warps = 1, barrier = 1}",
        "warps = 1, registers = 42, barrier = 1}",
        "name = \"read\"",
        Code::Registers,
        "asks for 42 registers a thread; `setmaxnreg` gives a multiple of 8 from 24 to 256",
    ),
    mistake(
        "warps = 1, barrier = 2}",
        "warps = 1, barrier = 16}",
        "name = \"write\"",
        Code::HardwareLimit,
        "barrier 16 is not free: a block has barriers 0 to 15",
    ),
    mistake(
        "warps = 1, barrier = 2}",
        "warps = 1, barrier = 3}",
        "name = \"write\"",
        Code::HardwareLimit,
        "barrier 3 is not free",
    ),
    mistake(
        "    pipe.drain %pipe, %last\n    scheduled.end",
        "    scf.return",
        "scf.return",
        Code::MisplacedOp,
        "ends the kernel, which one of several agents cannot do",
    ),
    mistake(
        "mutex {agents = [\"read\", \"write\"], barrier = 3} : mutex<2>",
        "mutex {agents = [\"read\", \"read\"], barrier = 3} : mutex<2>",
        "pipe.mutex",
        Code::AttributeValue,
        "named twice",
    ),
    mistake(
        "mutex<2>",
        "mutex<3>",
        "pipe.mutex",
        Code::TypeMismatch,
        "`mutex<2>`",
    ),
    mistake(
        "  scf.return\n}",
        "  %late = tileas.copy %stages {atom = ld<128b>} : #tile\n  scf.return\n}",
        "%late",
        Code::MisplacedOp,
        "without its token",
    ),
    mistake(
        "pipe.commit %token, []",
        "pipe.commit %token, [%x]",
        "pipe.commit",
        Code::OperandType,
        "what a stage waits for is pending copies",
    ),
    mistake(
        "pipe<threads, stages = 2>\n",
        "pipe<tma, stages = 2>\n",
        "pipe.create",
        Code::AttributeValue,
        "a stage receives 512 bytes, `bytes` says none",
    ),
    mistake(
        "empty = 32} : pipe<threads, stages = 2>\n",
        "empty = 32, bytes = 511} : pipe<tma, stages = 2>\n",
        "pipe.create",
        Code::AttributeValue,
        "a stage receives 512 bytes, `bytes` says 511",
    ),
    mistake(
        "pipe<threads, stages = 2>\n",
        "pipe<cp_async_group, stages = 2>\n",
        "pipe.create",
        Code::OperandCount,
        "has no barriers to store",
    ),
    mistake(
        "pipe<threads, stages = 2>\n",
        "pipe<cp_async_group, stages = 2>\n",
        "pipe.create",
        Code::AttributeValue,
        "one agent is both ends of a pipe of kind `cp_async_group`",
    ),
    mistake(
        "buffer<4xi64, shared, linear<offset = [[1], [2]], shape = [4]>>",
        "buffer<8xi32, shared, linear<offset = [[1], [2], [4]], shape = [8]>>",
        "pipe.create",
        Code::OperandType,
        "the 4 barriers of 2 stages lie in a buffer of `i64`",
    ),
    mistake(
        "buffer<4xi64, shared, linear<offset = [[1], [2]], shape = [4]>>",
        "buffer<4xi64, shared, linear<offset = [[1], [2]], shape = [4]>, stages = 2>",
        "pipe.create",
        Code::OperandType,
        "the 4 barriers of 2 stages lie in a buffer of `i64`",
    ),
    mistake(
        "%stage, %token = pipe.acquire %pipe, %at : #stage,",
        "%stage, %more, %token = pipe.acquire %pipe, %at : #stage, #stage,",
        "pipe.acquire",
        Code::TypeMismatch,
        "gives one stage of each buffer of the pipe, 1 in all",
    ),
    mistake(
        "agents = [\"read\", \"write\"]",
        "agents = [\"read\", \"writer\"]",
        "pipe.mutex",
        Code::UnknownSymbol,
        "no agent \"writer\"",
    ),
    mistake(
        "agents = [\"read\", \"write\"]",
        "agents = [\"write\", \"writer\"]",
        "pipe.lock",
        Code::MisplacedOp,
        "the mutex orders agents \"write\", \"writer\"",
    ),
    mistake(
        "    pipe.lock %mutex\n",
        "    pipe.lock %pipe\n",
        "pipe.lock",
        Code::OperandType,
        "takes a `mutex<…>`",
    ),
    mistake(
        "    pipe.unlock %mutex\n    scheduled.end",
        "    pipe.unlock %mutex\n    pipe.drain %pipe, %last\n    scheduled.end",
        "pipe.drain",
        Code::MisplacedOp,
        "done by the producer, agent \"read\"",
    ),
    mistake(
        "%next = pipe.advance %at : pipe_state<2>",
        "%next = pipe.advance %at : pipe_state<3>",
        "pipe.advance",
        Code::TypeMismatch,
        "counts through 2 stages becomes one that counts through 3",
    ),
    mistake(
        "      %next = pipe.advance",
        "      %number = pipe.index %at : i64\n      %next = pipe.advance",
        "pipe.index",
        Code::TypeMismatch,
        "the number of a stage is an i32",
    ),
    mistake(
        "      pipe.commit %token, []\n",
        "      %few = arith.cmpi %i, %one {predicate = lt, signedness = unsigned} : i1\n      scf.if %few then {\n        \
         pipe.commit %token, []\n        scf.yield []\n      } otherwise {\n        scf.yield []\n      }\n",
        "scf.if",
        Code::MisplacedOp,
        "given up in one branch and not in the other",
    ),
    mistake(
        "      pipe.commit %token, []\n",
        "      scf.for %zero, %tiles, %one, [] body {\n      ^(%j: i32):\n        pipe.commit %token, []\n        \
         scf.continue []\n      }\n",
        "scf.for",
        Code::MisplacedOp,
        "given up in a loop that it was made outside of",
    ),
    mistake(
        "      %x = tileas.copy %stage {atom = ld<128b>} : #tile\n      pipe.release %token\n",
        "      %part = tileas.transpose %stage {permutation = [0]} : #stage\n      pipe.release %token\n      \
         %x = tileas.copy %part {atom = ld<128b>} : #tile\n",
        "tileas.copy %part",
        Code::MisplacedOp,
        "used without its token",
    ),
    mistake(
        "name = \"write\", first",
        "name = \"read\", first",
        "first_warp = 1",
        Code::DuplicateSymbol,
        "two agents \"read\"",
    ),
    mistake(
        "first_warp = 1, warps = 1",
        "first_warp = 1, warps = 0",
        "name = \"write\"",
        Code::AttributeValue,
        "agent \"write\" has no warps",
    ),
];

/// Edits that keep the ring valid.
const SOUND: &[(&str, &str)] = &[
    (
        "      %x = tileas.copy %stage {atom = ld<128b>} : #tile\n",
        "      %part = tileas.transpose %stage {permutation = [0]} : #stage\n      \
         %x = tileas.copy %part {atom = ld<128b>} : #tile\n",
    ),
    (
        "      %next = pipe.advance",
        "      %number = pipe.index %at : i32\n      %next = pipe.advance",
    ),
    (
        "      pipe.commit %token, []\n",
        "      %few = arith.cmpi %i, %one {predicate = lt, signedness = unsigned} : i1\n      scf.if %few then {\n        \
         pipe.commit %token, []\n        scf.yield []\n      } otherwise {\n        pipe.commit %token, []\n        \
         scf.yield []\n      }\n",
    ),
    (
        "      pipe.commit %token, []\n",
        "      scf.for %zero, %tiles, %one, [] body {\n      ^(%j: i32):\n        scf.continue []\n      }\n      \
         pipe.commit %token, []\n",
    ),
];

#[test]
fn tokens_may_be_given_up_on_every_path() {
    let ring = ring();
    for (from, to) in SOUND {
        assert!(ring.contains(from), "the ring has no `{from}`");
        let text = ring.replacen(from, to, 1);
        assert_eq!(problems(&text), [], "{text}");
    }
}

#[test]
fn each_mistake_is_refused_at_its_line_with_its_numbers() {
    let ring = ring();
    for wrong in MISTAKES {
        assert!(ring.contains(wrong.from), "the ring has no `{}`", wrong.from);
        let found = problems(&ring.replacen(wrong.from, wrong.to, 1));
        let hit = found.iter().any(|(line, code, message)| {
            line.contains(wrong.line) && *code == wrong.code && message.contains(wrong.says)
        });
        assert!(hit, "`{}` instead of `{}` gives {found:#?}", wrong.to, wrong.from);
    }
}

/// A function of `count` agents.
fn agents(count: u32, warps: u32, attrs: &str) -> String {
    let agents: String = (0..count)
        .map(|i| {
            format!(
                "  scheduled.agent {{name = \"a{i}\", first_warp = {}, warps = {warps}{attrs}}} body {{\n    \
                 scheduled.end\n  }}\n",
                i * warps
            )
        })
        .collect();
    format!(
        "scheduled.func @f(%n: i32) {{target = sm_90a, kernel_spec = {{num_warps = 32, num_ctas = 1}}, shared_bytes = 0}} \
         body {{\n{agents}  scf.return\n}}\n"
    )
}

#[test]
fn a_block_has_sixteen_named_barriers() {
    assert_eq!(problems(&agents(15, 1, "")), []);
    let found = problems(&agents(16, 1, ""));
    let says = "17 named barriers are needed: 1 for all warps, 16 for agents, 0 for mutexes; a block has 16";
    assert!(
        matches!(found.as_slice(), [(line, Code::HardwareLimit, message)] if line.contains("a15") && message == says),
        "{found:#?}"
    );
}

#[test]
fn agents_share_the_registers_that_their_threads_begin_with() {
    let text = |registers: u32, more: &str| {
        let text = agents(4, 4, &format!(", registers = {registers}"));
        text.replace("num_ctas = 1", &format!("num_ctas = 1{more}"))
    };
    assert_eq!(problems(&text(64, "")), []);
    let found = problems(&text(72, ""));
    let says = "the agents' threads have 128 x 72 + 128 x 72 + 128 x 72 + 128 x 72 together, 4096 more than they begin \
                with, 64 a thread";
    assert!(
        matches!(found.as_slice(), [(_, Code::Registers, message)] if message == says),
        "{found:#?}"
    );
    // Two blocks share the register file.
    assert_eq!(problems(&text(32, ", occupancy = 2")), []);
    let found = problems(&text(40, ", occupancy = 2"));
    let says = "the agents' threads have 128 x 40 + 128 x 40 + 128 x 40 + 128 x 40 together, 4096 more than they begin \
                with, 32 a thread";
    assert!(
        matches!(found.as_slice(), [(_, Code::Registers, message)] if message == says),
        "{found:#?}"
    );
}

#[test]
fn consumers_that_take_turns_arrive_alike() {
    let with = |third: u32, empty: u32| {
        let pipe = format!(
            "  %barriers = tileas.alloc {{align = 8}} : buffer<2xi64, shared, linear<offset = [[1]], shape = [2]>>\n  \
             %stages = tileas.alloc {{align = 16}} : buffer<2xi64, shared, linear<offset = [[1]], shape = [2]>>\n  \
             %pipe = pipe.create [%stages], barriers %barriers {{producer = \"a0\", consumers = [\"a1\", \"a2\"], in_turns, \
             full = 64, empty = {empty}}} : pipe<threads, stages = 1>\n"
        );
        let text = agents(3, 2, "").replacen("body {\n", &format!("body {{\n{pipe}"), 1);
        text.replace(
            "first_warp = 4, warps = 2",
            &format!("first_warp = 4, warps = {third}"),
        )
    };
    assert_eq!(problems(&with(2, 64)), []);
    for (third, empty, says) in [
        (4, 64, "the same number of warps"),
        (2, 128, "should arrive 64 times"),
    ] {
        let found = problems(&with(third, empty));
        assert!(
            matches!(found.as_slice(), [(line, Code::AttributeValue, message)]
                if line.contains("pipe.create") && message.contains(says)),
            "{found:#?}"
        );
    }
}

#[test]
fn tiles_go_from_one_agent_to_another_through_buffers_alone() {
    let outside = ring()
        .replacen(
            "  %mutex = pipe.mutex",
            "  %outer = arith.constant {value = f32<0.0>} : #tile\n  %mutex = pipe.mutex",
            1,
        )
        .replacen("tileas.copy %x, to %stage", "tileas.copy %outer, to %stage", 1);
    let found = problems(&outside);
    assert!(
        matches!(found.as_slice(), [(line, Code::MisplacedOp, message)]
            if line.contains("tileas.copy %outer") && message.contains("agent \"read\" uses a tile that is made outside of it")),
        "{found:#?}"
    );
}
