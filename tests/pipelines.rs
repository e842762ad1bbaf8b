//! Hand-written pipelined kernels in `scheduled`: the code for each target computes the correct product in the
//! simulator, which detects races and deadlocks.

use std::fs;

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::FileId;
use tilewright_irs::isa::Target;
use tilewright_simulator::{Arg, Device, Init};
use tilewright_tests::repository;

/// The extents of the operands, `m x k` and `k x n`.
type Extents = [usize; 3];

fn compiled(file: &str, text: &str, target: Target) -> String {
    // The text specifies its GPU.
    let text = text.replace("target = sm_80", &format!("target = {target}"));
    let mut compiler = Compiler::new();
    let source = compiler.add_source(file, text.as_bytes());
    let options = compiler.options(Request {
        verify_each: true,
        ..Request::default()
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(said.is_empty(), "{file} for {target}: {said:#?}");
    ptx.unwrap_or_else(|| panic!("{file} for {target}: no PTX"))
        .to_string()
}

/// Small integers, all sums of which are exact.
fn numbers(count: usize, seed: usize) -> Vec<i16> {
    let number = |i: usize| i16::try_from((i * 7 + i / 5 * 3 + seed) % 9).unwrap_or(0) - 4;
    (0..count).map(number).collect()
}

/// The bits of a small integer as f16.
fn half(number: i16) -> u16 {
    let magnitude = number.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let exponent = u16::try_from(magnitude.ilog2()).unwrap_or(0);
    let sign = u16::from(number < 0) << 15;
    sign | (exponent + 15) << 10 | (magnitude << (10 - exponent)) & 0x3FF
}

fn bytes(numbers: &[i16]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|&number| half(number).to_le_bytes())
        .collect()
}

fn product([m, n, k]: Extents, a: &[i16], b: &[i16]) -> Vec<f32> {
    let element = |i: usize| -> f32 {
        let (row, column) = (i / n, i % n);
        let sum: i32 = (0..k)
            .map(|j| i32::from(a[row * k + j]) * i32::from(b[j * n + column]))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let sum = sum as f32;
        sum
    };
    (0..m * n).map(element).collect()
}

/// Runs the kernel of `file` in the simulator.
fn check(file: &str, target: Target, extents: Extents) {
    let [m, n, k] = extents;
    let path = repository().join("examples/scheduled").join(file);
    let text = fs::read_to_string(&path).expect("the example exists");
    let ptx = compiled(file, &text, target);
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let (a, b) = (numbers(m * k, 1), numbers(k * n, 5));
    let mut device = Device::new();
    let left = device.alloc("a", 2 * m * k, Init::Data(bytes(&a)));
    let right = device.alloc("b", 2 * k * n, Init::Data(bytes(&b)));
    let out = device.alloc("c", 4 * m * n, Init::Poison);
    let size = |extent: usize| Arg::from(i32::try_from(extent).expect("a small extent"));
    let arguments = [left.into(), right.into(), out.into(), size(m), size(n), size(k)];
    let tiles = |extent: usize| u32::try_from(extent.div_ceil(64)).expect("few tiles");
    device
        .launch(
            &module,
            "product",
            [tiles(m), tiles(n), 1],
            [threads(&ptx), 1, 1],
            0,
            &arguments,
        )
        .unwrap_or_else(|fault| panic!("{file} for {target}: {fault}"));
    let got: Vec<f32> = device
        .read(out)
        .chunks(4)
        .map(|word| f32::from_le_bytes(<[u8; 4]>::try_from(word).expect("four bytes")))
        .collect();
    assert!(
        got == product(extents, &a, &b),
        "{file} for {target}, {extents:?}: another product"
    );
}

/// The number of threads of a block that the PTX requires.
fn threads(ptx: &str) -> u32 {
    let line = ptx.lines().find_map(|line| line.strip_prefix(".reqntid "));
    let count = line.and_then(|line| line.split(',').next()?.parse().ok());
    count.expect("a number of threads")
}

/// Whole tiles; a depth that ends within a stage; extents that end within a tile; a depth of fewer stages than the
/// pipe has.
const EXTENTS: [Extents; 4] = [[64, 64, 256], [64, 64, 200], [72, 136, 96], [64, 64, 16]];

#[test]
fn two_agents_and_a_ring_of_four_stages_multiply() {
    for target in [Target::sm(80), Target::sm_a(90)] {
        for extents in EXTENTS {
            check("product_two_agents.scheduled", target, extents);
        }
    }
}

#[test]
fn one_agent_and_groups_of_copies_multiply() {
    for target in [Target::sm(80), Target::sm_a(90)] {
        for extents in EXTENTS {
            check("product_one_agent.scheduled", target, extents);
        }
    }
}

/// The simulator's diagnostic of the one-agent product after an edit of its text.
fn fault_after(from: &str, to: &str) -> String {
    let file = "product_one_agent.scheduled";
    let text =
        fs::read_to_string(repository().join("examples/scheduled").join(file)).expect("the example exists");
    assert!(text.contains(from), "{file} has no `{from}`");
    let ptx = compiled(file, &text.replacen(from, to, 1), Target::sm(80));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let mut device = Device::new();
    let [a, b] = ["a", "b"].map(|name| device.alloc(name, 2 * 64 * 128, Init::Data(Vec::new())));
    let c = device.alloc("c", 4 * 64 * 64, Init::Poison);
    let arguments = [
        a.into(),
        b.into(),
        c.into(),
        Arg::from(64),
        Arg::from(64),
        Arg::from(128),
    ];
    let launched = device.launch(
        &module,
        "product",
        [1, 1, 1],
        [threads(&ptx), 1, 1],
        0,
        &arguments,
    );
    launched.err().map(|fault| fault.to_string()).unwrap_or_default()
}

#[test]
fn a_stage_that_is_still_under_way_is_reported_as_a_race() {
    assert_eq!(fault_after("in_flight = 2", "in_flight = 1"), "");
    let said = fault_after("in_flight = 2", "in_flight = 3");
    assert!(said.contains("asynchronous copy"), "{said}");
}

#[test]
fn a_ring_hands_an_array_over_in_turns() {
    let file = "golden/scheduled_to_cute_desugared.lower_fragments/ring.in.scheduled";
    let text = fs::read_to_string(repository().join(file)).expect("the golden input");
    let ptx = compiled(file, &text, Target::sm(80));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    for count in [128usize, 256, 1280] {
        let data: Vec<u8> = (0..4 * count)
            .map(|i| u8::try_from(i * 31 % 251).unwrap_or(0))
            .collect();
        let mut device = Device::new();
        let from = device.alloc("from", 4 * count, Init::Data(data.clone()));
        let to = device.alloc("to", 4 * count, Init::Poison);
        let arguments = [
            from.into(),
            to.into(),
            Arg::from(i32::try_from(count).expect("few")),
        ];
        device
            .launch(&module, "ring", [1, 1, 1], [threads(&ptx), 1, 1], 0, &arguments)
            .unwrap_or_else(|fault| panic!("{count}: {fault}"));
        assert!(device.read(to) == data, "{count} elements");
    }
}
