//! Random PTX programs over warp and block instructions, with the results of the simulator, for comparison with a GPU
//! by `tests/gpu/instructions.py`.
//!
//! ```text
//! cargo test -p tilewright-simulator --test programs -- --ignored
//! ```
//!
//! writes them to `target/tmp/programs`, or to the folder in `TILEWRIGHT_PROGRAMS`: PTX texts with many small kernels
//! each, the shared input bytes, the expected output bytes, the error bounds of float products, and the printed
//! lines. The programs are the same in every run.

#[path = "../support/mod.rs"]
mod support;

mod print;
mod products;
mod steps;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use support::{Numbers, read};
use tilewright_simulator::{Arg, Device, Init};

/// The comparison of results.
#[derive(Clone, Debug, PartialEq)]
enum Comparison {
    /// Bit for bit.
    Bits,
    /// Equal as numbers of this many bits: zeros of both signs are equal, and NaNs are.
    Equal(u32),
    /// Equal as numbers of this many bits within these bounds, one for each.
    Within(u32, Vec<f32>),
}

/// A kernel.
struct Program {
    /// The family of the program.
    family: String,
    /// The number of threads of its only block.
    threads: u32,
    /// The number of bytes that it writes.
    bytes: usize,
    /// The variables that it reads, declared before the kernel.
    globals: String,
    /// The body, between the braces.
    body: String,
    comparison: Comparison,
}

/// The number of kernels per text: the driver compiles texts in parallel.
const KERNELS_OF_A_TEXT: usize = 200;

/// Registers of every class, sufficient for every kernel.
const REGISTERS: &str = ".reg .pred %p<10>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<40>;\n.reg .b128 %rq<4>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<20>;\n";

fn kernel(name: &str, program: &Program) -> String {
    format!(
        "{}.visible .entry {name}(.param .u64 in, .param .u64 out)\n.reqntid {}\n{{\n{REGISTERS}{}}}\n",
        program.globals, program.threads, program.body
    )
}

fn module(kernels: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n{}{kernels}",
        print::DECLARATIONS
    )
}

/// The input bytes of all programs: random bits, then operands of each type.
fn inputs() -> (Vec<u8>, products::Pools) {
    let mut numbers = Numbers::new(11);
    let mut bytes: Vec<u8> = (0..steps::INPUT_BYTES / 8)
        .flat_map(|_| numbers.next().to_le_bytes())
        .collect();
    let pools = products::pools(&mut bytes, &mut numbers);
    (bytes, pools)
}

fn program(index: usize, pools: &products::Pools, inputs: &[u8]) -> Program {
    let mut numbers = Numbers::new(1000 + index as u64);
    // Forms of products are enumerated; the rest is random.
    if index.is_multiple_of(2) {
        products::program(index / 2, pools, inputs, &mut numbers)
    } else {
        steps::program(index, &mut numbers)
    }
}

/// The bytes that a program writes in the simulator, and its output.
fn run(text: &str, name: &str, program: &Program, inputs: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (module, _) = read(text);
    let mut device = Device::new();
    let input = device.alloc("in", inputs.len(), Init::Data(inputs.to_vec()));
    let output = device.alloc("out", program.bytes, Init::Data(vec![]));
    let args = [Arg::Pointer(input), Arg::Pointer(output)];
    device
        .launch(&module, name, [1, 1, 1], [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}\nin\n{text}"));
    (device.read(output).to_vec(), device.printed)
}

#[test]
fn programs_run_without_faults() {
    let (inputs, pools) = inputs();
    let mut families = std::collections::BTreeSet::new();
    for index in 0..400 {
        let program = program(index, &pools, &inputs);
        run(&module(&kernel("k", &program)), "k", &program, &inputs);
        families.insert(program.family);
    }
    assert!(families.len() > 50, "{families:?}");
}

fn folder() -> PathBuf {
    match std::env::var_os("TILEWRIGHT_PROGRAMS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"),
    }
}

#[test]
#[ignore = "writes files for a GPU"]
#[allow(clippy::print_stdout, reason = "says where they are")]
fn write_programs() {
    let count = 10_000;
    let folder = folder();
    std::fs::create_dir_all(&folder).expect("a folder");
    let (inputs, pools) = inputs();
    let (mut text, mut list) = (String::new(), String::new());
    let (mut expected, mut bounds, mut printed) = (Vec::new(), Vec::new(), Vec::new());
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    for index in 0..count {
        let program = program(index, &pools, &inputs);
        let name = format!("p{index}");
        let kernel = kernel(&name, &program);
        let (result, lines) = run(&module(&kernel), &name, &program, &inputs);
        let (how, width) = match &program.comparison {
            Comparison::Bits => ("bits", 8),
            Comparison::Equal(width) => ("equal", *width),
            Comparison::Within(width, _) => ("within", *width),
        };
        writeln!(
            list,
            "{name} {} {} {} {how} {width}",
            index / KERNELS_OF_A_TEXT,
            program.family,
            result.len()
        )
        .expect("a string");
        expected.extend(result);
        printed.extend(lines);
        if let Comparison::Within(_, of_each) = &program.comparison {
            bounds.extend(of_each.iter().flat_map(|bound| bound.to_le_bytes()));
        }
        text += &kernel;
        if (index + 1) % KERNELS_OF_A_TEXT == 0 || index + 1 == count {
            let file = format!("{}.ptx", index / KERNELS_OF_A_TEXT);
            write(&file, module(&text).as_bytes());
            text.clear();
        }
    }
    write("inputs.bin", &inputs);
    write("expected.bin", &expected);
    write("bounds.bin", &bounds);
    write("printed.txt", &printed);
    write("programs.txt", list.as_bytes());
    println!("{count} programs in {}", folder.display());
}
