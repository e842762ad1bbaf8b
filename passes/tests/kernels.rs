//! Complete kernels from `scheduled` to `llvm_like`, run on a reference machine.

#[allow(dead_code)]
mod machine;

use std::path::Path;

use machine::GLOBAL;
use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::mlir::read_mlir;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Origin, verify};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::isa::Target;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_passes::cute_to_cute_desugared::desugar;
use tilewright_passes::cute_to_llvm::scalarize_fragments;
use tilewright_passes::llvm::simplify;
use tilewright_passes::scheduled_to_cute::lower_fragments;

fn read<L: Language>(path: &str) -> Func<L> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parsed = parse_stage::<L>(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    checked(Ok(parsed.module.funcs.into_iter().next().expect("a function")))
}

fn checked<L: Language>(func: Result<Func<L>, Vec<Diagnostic<Origin>>>) -> Func<L> {
    let func = func.unwrap_or_else(|problems| panic!("{problems:#?}"));
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    func
}

/// The kernel in machine ops, before and after simplification.
fn lowered(name: &str) -> [Func<Llvm>; 2] {
    let func = read::<Scheduled>(&format!(
        "scheduled_to_cute_desugared.lower_fragments/{name}.in.scheduled"
    ));
    let plain = checked(scalarize_fragments(&checked(lower_fragments(&func))));
    let simple = checked(simplify(&plain));
    [plain, simple]
}

/// Consecutive arrays of 32-bit words in memory, each aligned to 16 bytes.
struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    fn new(arrays: &[&[u32]]) -> (Self, Vec<u64>) {
        let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
        for array in arrays {
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            addresses.push(GLOBAL + bytes.len() as u64);
            bytes.extend(array.iter().flat_map(|word| word.to_le_bytes()));
        }
        (Self { bytes }, addresses)
    }

    fn words(&self, address: u64, count: usize) -> Vec<u32> {
        let first = (address - GLOBAL) as usize;
        self.bytes[first..first + 4 * count]
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
            .collect()
    }
}

fn floats(count: usize) -> Vec<u32> {
    (0..count).map(|i| (i as f32 * 0.25).to_bits()).collect()
}

#[test]
fn vectors_are_added_up_to_their_end() {
    for func in lowered("vector_add") {
        let n = 3008;
        let (a, b) = (floats(n), floats(n));
        // Guard elements behind the output.
        let (mut memory, at) = Memory::new(&[&a, &b, &vec![7; n + 1024]]);
        let params = [at[0], at[1], at[2], n as u64];
        machine::run(&func, 3, &params, &mut memory.bytes);
        let out = memory.words(at[2], n + 1024);
        for (i, word) in out.iter().enumerate() {
            let want = if i < n { (i as f32 * 0.5).to_bits() } else { 7 };
            assert_eq!(*word, want, "element {i}");
        }
    }
}

#[test]
fn a_transposition_goes_through_shared_memory() {
    for func in lowered("transpose") {
        let (rows, columns) = (48usize, 32usize);
        let source: Vec<u32> = (0..rows * columns).map(|i| i as u32).collect();
        let (mut memory, at) = Memory::new(&[&source, &vec![0; rows * columns + 64]]);
        let params = [
            at[0],
            at[1],
            rows as u64,
            columns as u64,
            columns as u64,
            rows as u64,
        ];
        machine::run(&func, 1, &params, &mut memory.bytes);
        let out = memory.words(at[1], rows * columns + 64);
        for (i, word) in out.iter().enumerate() {
            let want = if i < rows * columns {
                (i % rows * columns + i / rows) as u32
            } else {
                0
            };
            assert_eq!(*word, want, "element {i}");
        }
    }
}

#[test]
fn a_row_is_added_to_every_row() {
    for func in lowered("broadcast_add") {
        let (rows, columns) = (20usize, 48usize);
        let (source, row) = (floats(rows * columns), floats(columns));
        let (mut memory, at) = Memory::new(&[&source, &vec![0; rows * columns], &row]);
        let params = [
            at[0],
            at[1],
            rows as u64,
            columns as u64,
            columns as u64,
            columns as u64,
            at[2],
        ];
        machine::run(&func, 1, &params, &mut memory.bytes);
        for (i, word) in memory.words(at[1], rows * columns).into_iter().enumerate() {
            let want = i as f32 * 0.25 + (i % columns) as f32 * 0.25;
            assert_eq!(f32::from_bits(word), want, "element {i}");
        }
    }
}

#[test]
fn copies_constants_and_agents_store_what_they_hold() {
    for func in lowered("odds") {
        let (mut memory, at) = Memory::new(&[&[9; 200], &[9; 300]]);
        machine::run(&func, 1, &[at[0], at[1], 50, 3], &mut memory.bytes);
        let strided = memory.words(at[0], 200);
        for (i, &word) in strided.iter().enumerate() {
            let want = if i % 3 == 0 && i / 3 < 50 { i as u32 / 3 } else { 9 };
            assert_eq!(word, want, "strided element {i}");
        }
        let other = memory.words(at[1], 300);
        for (i, &word) in other.iter().enumerate() {
            let want = match i {
                0..128 => i as u32 % 64,
                128..132 => i as u32 - 123,
                _ => 9,
            };
            assert_eq!(word, want, "element {i}");
        }
    }
}

#[test]
fn control_flow_gives_the_same_results() {
    let func =
        read::<CuteDesugared>("cute_desugared_to_llvm.scalarize_fragments/control_flow.in.cute_desugared");
    let plain = checked(scalarize_fragments(&func));
    let simple = checked(simplify(&plain));
    let host = |n: u32| {
        let mut sum = 0u32;
        let mut i = 0;
        while i < n {
            if i > 3 {
                sum = sum.wrapping_add(i);
            }
            i = i.saturating_add(3);
        }
        let mut x = sum.cast_signed();
        loop {
            let next = x.wrapping_add(3);
            if next >= n.cast_signed() {
                return x.wrapping_add(next).cast_unsigned();
            }
            x = next.wrapping_add(next);
        }
    };
    for func in [plain, simple] {
        for n in [0, 1, 4, 9, 10, 12, 100] {
            let (mut memory, at) = Memory::new(&[&[9; 4]]);
            machine::run(&func, 1, &[at[0], u64::from(n), 0], &mut memory.bytes);
            assert_eq!(memory.words(at[0], 2), [host(n), 9], "{n}");
            let (mut memory, at) = Memory::new(&[&[9; 4]]);
            machine::run(&func, 1, &[at[0], u64::from(n), 1], &mut memory.bytes);
            assert_eq!(memory.words(at[0], 1), [9], "left early");
        }
    }
}

#[test]
fn indices_are_the_exclusive_or_of_their_bases() {
    let layouts: [&[i64]; 6] = [
        &[4, 8, 16, 32, 64],
        &[3, 6, 12, 1, 0],
        &[16, 8, 4, 2, 1],
        &[0, 1, 2, 0, 4],
        &[5, 1, -1, 7, -8],
        &[1, 3, 2, 6, 4],
    ];
    for bases in layouts {
        for ty in ["i32", "i64"] {
            let text = format!(
                "cute_desugared.func @k(%0: ptr<{ty}>) {{target = sm_90a, kernel_spec = {{num_warps = 1, num_ctas = 1}}, \
                 shared_bytes = 0}} body {{\n\
                 %1 = gpu.thread_idx : i32\n\
                 %2 = fragment.linear_index %1 {{bases = {bases:?}}} : {ty}\n\
                 %3 = fragment.add_offset %0, %1 : ptr<{ty}>\n\
                 fragment.store %3, %2 {{offsets = [0], vector = 1, order = weak}}\n\
                 scf.return\n}}\n"
            );
            let parsed = parse_stage::<CuteDesugared>(&text, FileId(0));
            assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
            let func = checked(Ok(parsed.module.funcs.into_iter().next().expect("a function")));
            let func = checked(simplify(&checked(scalarize_fragments(&func))));
            let (mut memory, at) = Memory::new(&[&[9; 64]]);
            machine::run(&func, 1, &[at[0]], &mut memory.bytes);
            let words = if ty == "i64" { 2 } else { 1 };
            let out = memory.words(at[0], 32 * words);
            for thread in 0..32usize {
                let want = (0..5)
                    .filter(|bit| thread >> bit & 1 == 1)
                    .fold(0, |sum, bit| sum ^ bases[bit]);
                let low = (want.cast_unsigned() & 0xFFFF_FFFF) as u32;
                assert_eq!(out[thread * words], low, "{bases:?}, thread {thread}");
                if words == 2 {
                    let high = (want.cast_unsigned() >> 32) as u32;
                    assert_eq!(out[thread * words + 1], high, "{bases:?}, thread {thread}");
                }
            }
        }
    }
}

/// A kernel of `cute` in machine ops.
fn desugared(name: &str) -> Func<Llvm> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden/cute_to_cute_desugared.desugar")
        .join(format!("{name}.in.cute"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let read = read_mlir(&text, FileId(0)).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let kernel = read.module.kernels().next().expect("a kernel");
    checked(scalarize_fragments(&checked(desugar(kernel, Target::sm(80)))))
}

#[test]
fn a_size_that_is_known_at_run_time_is_computed() {
    let func = desugared("algebra_of_layouts");
    for (rows, want) in [(4, 2), (16, 2), (17, 4), (64, 8), (100, 14)] {
        let (mut memory, at) = Memory::new(&[&[9; 2]]);
        machine::run(&func, 1, &[rows, 3, at[0]], &mut memory.bytes);
        assert_eq!(memory.words(at[0], 2), [want, 9], "{rows} rows");
    }
}

#[test]
fn a_loop_ends_where_its_condition_is_false() {
    let func = desugared("loops");
    let host = |n: i32| {
        let mut s = n + 6;
        while s > 4 {
            s >>= 1;
        }
        s
    };
    for n in [-6i32, -7, 0, 5, 100] {
        let (mut memory, at) = Memory::new(&[&[9; 2]]);
        machine::run(
            &func,
            1,
            &[u64::from(n.cast_unsigned()), at[0]],
            &mut memory.bytes,
        );
        let want = if host(n) == 0 { 0 } else { 9 };
        assert_eq!(memory.words(at[0], 2), [want, 9], "{n}");
    }
}
