//! Golden kernels of `llvm_like` in the simulator: control flow, memory and moves between blocks.

use std::path::Path;

use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::llvm::Llvm;
use tilewright_passes::llvm_to_nvvm::select_instructions;
use tilewright_passes::nvvm_to_ptx::emit_ptx;
use tilewright_simulator::{Arg, Buffer, Device, Init};

/// Runs one block of a golden kernel.
fn run(name: &str, device: &mut Device, args: &[Arg]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden/llvm_to_nvvm.select_instructions")
        .join(format!("{name}.in.llvm"));
    let text = std::fs::read_to_string(path).expect("a golden kernel");
    let parsed = parse_stage::<Llvm>(&text, FileId(0));
    let selected = select_instructions(&parsed.module.funcs[0]).expect("selected");
    let text = emit_ptx(&selected).expect("PTX").to_string();
    let mut module = tilewright_grammar::ptx::parse(FileId(0), &text).module;
    // No kernel looks at the index of its block: each runs alone, without the others of its cluster.
    for entry in &mut module.entries {
        entry.launch.required_cluster = None;
        entry.launch.blocks_are_clusters = false;
    }
    device
        .launch(&module, name, [1, 1, 1], [1, 1, 1], 0, args)
        .unwrap_or_else(|fault| panic!("{text}\n{fault}"));
}

fn bytes<T: Copy, const N: usize>(items: &[T], encode: impl Fn(T) -> [u8; N]) -> Init {
    Init::Data(items.iter().flat_map(|&item| encode(item)).collect())
}

fn i32s(device: &Device, buffer: Buffer) -> Vec<i32> {
    let words = device.read(buffer).chunks_exact(4);
    words
        .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn swapped_block_arguments() {
    for (n, fibonacci, sum) in [(0, 0, 0), (1, 1, 0), (2, 1, 1), (10, 55, 3025)] {
        let mut device = Device::new();
        let out = device.alloc("out", 8, Init::Poison);
        run("loop_swap", &mut device, &[out.into(), Arg::from(n)]);
        let mut numbers = (0i32, 1i32, 0i32);
        for _ in 0..n {
            numbers = (
                numbers.1,
                numbers.0 + numbers.1,
                numbers.2 + numbers.0 * numbers.1,
            );
        }
        assert_eq!((numbers.0, numbers.2), (fibonacci, sum), "the test's own numbers");
        assert_eq!(i32s(&device, out), [fibonacci, sum], "n = {n}");
    }
}

#[test]
fn moves_on_both_edges_of_a_branch() {
    // The flag matters only if the loop exits immediately; any nonzero byte is true.
    for (n, flag, want) in [(50, 0u8, 55), (1, 0, 1), (1, 0x80, 1), (0, 1, 1), (0, 0, 0)] {
        let mut device = Device::new();
        let out = device.alloc("out", 4, Init::Poison);
        run(
            "critical_edges",
            &mut device,
            &[out.into(), Arg::from(n), Arg::Scalar(vec![flag])],
        );
        assert_eq!(i32s(&device, out), [want], "n = {n}, flag = {flag}");
    }
}

#[test]
fn exchange_through_shared_memory() {
    let input: Vec<i32> = (0..128).map(|i| i * i - 7).collect();
    let mut device = Device::new();
    let buffer = device.alloc("p", 512, bytes(&input, i32::to_le_bytes));
    // Barrier 1 is for two warps; all four pass it, two at a time.
    run("shared_exchange", &mut device, &[buffer.into()]);
    let reversed: Vec<i32> = input.into_iter().rev().collect();
    assert_eq!(i32s(&device, buffer), reversed);
}

#[test]
fn masked_loads_give_the_other_value() {
    let n = 20;
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let y: Vec<f32> = (0..200u16).map(|i| f32::from(i) * 0.5).collect();
    let mut device = Device::new();
    let px = device.alloc("x", 4000, bytes(&x, f32::to_le_bytes));
    let py = device.alloc("y", 800, bytes(&y, f32::to_le_bytes));
    // y is addressed from 16 bytes before its pointer.
    let base = device.memory.address(py) + 16;
    let args = [Arg::from(n), Arg::from(2.0f32), px.into(), Arg::from(base)];
    run("masked_tail", &mut device, &args);
    let have: Vec<f32> = device
        .read(py)
        .chunks_exact(4)
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    for i in 0..200 {
        let inside = i / 2 < usize::try_from(n).expect("positive");
        let want = if inside { 2.0 * x[256 + i] + y[i] } else { y[i] };
        assert_eq!(have[i].to_bits(), want.to_bits(), "element {i}");
    }
}

#[test]
fn vectors_of_narrow_elements() {
    let halves: Vec<u16> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.5]
        .iter()
        .map(|&x| half_bits(x))
        .collect();
    let small: Vec<u8> = (0..16).map(|i| 250u8.wrapping_add(i * 3)).collect();
    let mut device = Device::new();
    let h = device.alloc("h", 16, bytes(&halves, u16::to_le_bytes));
    let b = device.alloc("b", 16, Init::Data(small.clone()));
    let m = device.alloc("m", 2, Init::Data(vec![7, 0]));
    run(
        "narrow_vectors",
        &mut device,
        &[h.into(), b.into(), m.into(), Arg::Scalar(vec![0x5A])],
    );
    let (sum, last, first) = (half_bits(1.5), halves[7], halves[0]);
    let want: Vec<u8> = [sum, last, sum, first, sum, last, sum, first]
        .iter()
        .flat_map(|half| half.to_le_bytes())
        .collect();
    assert_eq!(device.read(h), want);
    let (b1, b14) = (small[1], small[14]);
    let bs = b1.wrapping_add(b14);
    let mut want = vec![bs, 0x5A, b1, b14, bs, 0x5A, b1, b14];
    want.extend(&small[8..]);
    assert_eq!(device.read(b), want);
    assert_eq!(device.read(m), [1, 1]);
}

/// The bits of a number that is exact and normal as f16.
fn half_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) + 15 - 127;
    u16::try_from(exponent << 10 | (bits >> 13 & 0x3FF)).expect("a half")
}
