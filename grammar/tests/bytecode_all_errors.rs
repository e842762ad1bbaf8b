//! Error recovery of the bytecode reader: errors in one function hide neither those in other functions nor verifier
//! errors in what was read.

use tilewright_diagnostics::{Code, Diagnostic, FileId, Location};
use tilewright_grammar::bytecode::{FuncOffsets, read, write};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::{DebugInfo, Version, verify_module};

const TEXT: &str = "\
entry @a(%n: tile<i32>) {
  %i = iota : tile<16xi32>
  %j = addi %i, %i : tile<16xi32>
  %k = negf %i : tile<16xi32>
  %c = constant <i32: 0> : tile<i32>
  %r = for %q in (%c to %n, step %n) : tile<i32> iter_values(%s = %i) -> (tile<16xi32>) {
    %t = negf %j : tile<16xi32>
    %b = cmpi less_than %c, %n, signed : tile<i32> -> tile<i1>
    if %b {
      %u = reshape %s : tile<16xi32> -> tile<8xi32>
      continue %s : tile<16xi32>
    } else {
      %v = absf %s : tile<16xi32>
    }
    continue %s : tile<16xi32>
  }
  %w = negf %r : tile<16xi32>
  return
}
entry @b(%n: tile<i32>) {
  %i = iota : tile<16xf32>
  %j = negi %i : tile<16xf32>
  return
}
entry @c(%n: tile<i32>) {
  %i = iota : tile<16xi32>
  %m = reduce %i dim=0 identities=[0 : i32] : tile<16xi32> -> tile<i32> (%x: tile<i32>, %y: tile<i32>) {
    %z = addi %x, %y : tile<i32>
    %f = absf %z : tile<i32>
    yield %z : tile<i32>
  }
  %j = absf %i : tile<16xi32>
  return
}
";

/// A diagnostic: its byte offset and its code.
type Said = (u64, Code);

fn said(problem: &Diagnostic<Location>) -> Said {
    let at = problem.primary.as_ref().expect("a place");
    match at.at {
        Location::Offset { offset, .. } => (offset, problem.code),
        ref other => panic!("{other:?}"),
    }
}

/// A mistake: the kernel, the op, the code.
type Mistake = (usize, usize, Code);

fn unsound() -> (Vec<u8>, Vec<FuncOffsets>, Vec<Mistake>) {
    let parsed = parse_tile_text(TEXT, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let bytes = write(&parsed.module, &DebugInfo::default(), Version::LATEST).expect("written");
    let file = read(&bytes, FileId(0)).expect("read");
    let problems = verify_module(&file.module).expect_err("mistakes");
    let problems = problems.iter().map(|problem| {
        let origin = problem.diagnostic.primary.as_ref().expect("a place").at;
        (
            problem.func.expect("a kernel"),
            origin.0 as usize,
            problem.diagnostic.code,
        )
    });
    (bytes.clone(), file.offsets, problems.collect())
}

/// The expected diagnostics of a file in which these ops, by kernel and number, have an invalid opcode.
fn wanted(broken: &[(usize, usize)]) -> (Vec<Said>, Vec<Said>) {
    let (mut bytes, offsets, problems) = unsound();
    let mut wanted = Vec::new();
    for &(func, op) in broken {
        let at = offsets[func].ops[op];
        bytes[at as usize] = 0x7f;
        wanted.push((u64::from(at), Code::UnknownOpcode));
    }
    for &(func, op, code) in &problems {
        // Ops after one that could not be read are unknown.
        if broken.iter().all(|&(other, cut)| other != func || op < cut) {
            wanted.push((u64::from(offsets[func].ops[op]), code));
        }
    }
    wanted.sort_by_key(|(at, _)| *at);
    let found = read(&bytes, FileId(0)).expect_err("a file with mistakes");
    (found.iter().map(said).collect(), wanted)
}

#[test]
fn what_is_wrong_with_one_kernel_hides_nothing_of_the_others() {
    let (_, offsets, problems) = unsound();
    assert_eq!(problems.len(), 9, "{problems:?}");
    let counts: Vec<usize> = offsets.iter().map(|offsets| offsets.ops.len()).collect();
    for first in 0..counts[0] {
        for last in 0..counts[2] {
            let broken = [(0, first), (2, last)];
            let (found, wanted) = wanted(&broken);
            assert_eq!(found, wanted, "{broken:?}");
        }
        let (found, wanted) = wanted(&[(0, first)]);
        assert_eq!(found, wanted, "{first}");
    }
    for op in 0..counts[1] {
        let (found, wanted) = wanted(&[(1, op)]);
        assert_eq!(found, wanted, "{op}");
    }
}

#[test]
fn an_entry_that_is_wrong_hides_no_mistake() {
    let (mut bytes, offsets, problems) = unsound();
    // The signature type follows the entry's name, both one byte.
    let at = offsets[1].func + 1;
    bytes[at as usize] = 0;
    let mut wanted = vec![(u64::from(at), Code::MalformedType)];
    for &(func, op, code) in problems.iter().filter(|(func, ..)| *func != 1) {
        wanted.push((u64::from(offsets[func].ops[op]), code));
    }
    wanted.sort_by_key(|(at, _)| *at);
    let found = read(&bytes, FileId(0)).expect_err("a file with mistakes");
    assert_eq!(found.iter().map(said).collect::<Vec<_>>(), wanted);
}

#[test]
fn a_global_that_cannot_be_read_hides_no_mistake_of_a_kernel() {
    let text = "global @g <i32: [1, 2]> : tile<2xi32>\n\
                entry @a() {\n  %p = get_global @g : tile<ptr<i32>>\n  %i = iota : tile<16xf32>\n  return\n}\n";
    let parsed = parse_tile_text(text, FileId(0));
    let bytes = write(&parsed.module, &DebugInfo::default(), Version::LATEST).expect("written");
    // The byte of the global's visibility.
    let found = (0..bytes.len()).find_map(|at| {
        let mut bytes = bytes.clone();
        bytes[at] = 7;
        let problems = read(&bytes, FileId(0)).err()?;
        let mut codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
        codes.sort_by_key(|code| code.to_string());
        codes.contains(&Code::BadEnumValue).then_some(codes)
    });
    assert_eq!(found, Some(vec![Code::BadEnumValue, Code::OperandType]));
}
