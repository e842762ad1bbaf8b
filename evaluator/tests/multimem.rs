//! Multimem ops on memory with replicas.

use crate::support::{bytes, elements, launch_on};
use tilewright_diagnostics::Code;
use tilewright_evaluator::Init;
use tilewright_irs::element::ScalarType as S;

const TENSOR: &str = "tensor_view<4xTY, strides=[1], #cuda_tile.ptr_attr<multicast>>";

/// Runs `op` on `%w`, a view over 3 of 4 elements behind a multicast address, and `%x`, the tile 1, 2, 3, 4; stores `%r`.
fn run(ty: S, memory: &[u64], replicas: usize, op: &str) -> Result<[Vec<u64>; 2], Code> {
    let tensor = TENSOR.replace("TY", &ty.to_string()).replace("<4x", "<3x");
    let view = format!("partition_view<tile=(4), padding_value = zero, {tensor}>");
    let out = format!("tensor_view<4x{ty}, strides=[1]>");
    let number = if ty.is_float() { "f" } else { "i" };
    let list = if ty.is_float() {
        "1.0, 2.0, 3.0, 4.0"
    } else {
        "1, 2, 3, 4"
    };
    let op = op
        .replace("VIEW", &view)
        .replace("TILE", &format!("tile<4x{ty}>"));
    let text = format!(
        "entry @k(%p: tile<ptr<{ty}, <multicast>>>, %q: tile<ptr<{ty}>>) {{
           %zero = constant <i32: 0> : tile<i32>
           %x = constant <{ty}: [{list}]> : tile<4x{ty}>
           %v = make_tensor_view %p, shape = [3], strides = [1] : {tensor}
           %w = make_partition_view %v : {view}
           {op}
           %o = make_tensor_view %q, shape = [4], strides = [1] : {out}
           %u = make_partition_view %o : partition_view<tile=(4), {out}>
           %s = store_view_tko weak %r, %u[%zero] : tile<4x{ty}>, partition_view<tile=(4), {out}>, tile<i32> -> token
           return
         }}"
    );
    assert!(["f", "i"].contains(&number));
    let size = 4 * ty.bytes().expect("whole bytes") as usize;
    let buffers = vec![Init::Data(bytes(ty, memory)), Init::Empty(size)];
    let (contents, _) = launch_on(&text, [1, 1, 1], buffers, replicas).map_err(|problem| problem.code)?;
    Ok([elements(ty, &contents[0]), elements(ty, &contents[1])])
}

fn load(kind: &str) -> String {
    format!(
        "%r, %t = multimem_load_reduce_view_tko weak %w[%zero] attributes {{reduction = \
         #cuda_tile.multimem_reduction_kind<{kind}>}} : VIEW, tile<i32> -> TILE, token"
    )
}

const MEMORY: [u64; 8] = [1, 2, 3, 100, 5, 0xffff_ffff, 2, 200];

#[test]
fn loads_reduce_over_all_replicas() {
    for (kind, want) in [
        ("add", [6, 1, 5, 0]),
        ("min", [1, 0xffff_ffff, 2, 0]),
        ("max", [5, 2, 3, 0]),
        ("umin", [1, 2, 2, 0]),
        ("umax", [5, 0xffff_ffff, 3, 0]),
        ("and", [1, 2, 2, 0]),
        ("or", [5, 0xffff_ffff, 3, 0]),
        ("xor", [4, 0xffff_fffd, 1, 0]),
    ] {
        let [memory, got] = run(S::I32, &MEMORY, 2, &load(kind)).expect("runs");
        assert_eq!(got, want, "{kind}");
        assert_eq!(memory, MEMORY);
    }
    // One replica is memory as ever.
    assert_eq!(
        run(S::I32, &MEMORY[..4], 1, &load("add")).expect("runs")[1],
        [1, 2, 3, 0]
    );
    let halves = [0x3c00, 0x4000, 0x7e00, 0, 0x3c00, 0xc000, 0x4200, 0];
    let [_, got] = run(S::F16, &halves, 2, &load("add")).expect("runs");
    assert_eq!(got, [0x4000, 0, 0x7fff, 0]);
    let [_, got] = run(S::F16, &halves, 2, &load("min")).expect("runs");
    assert_eq!(got, [0x3c00, 0xc000, 0x4200, 0]);
    let [_, got] = run(S::F16, &halves, 2, &load("max")).expect("runs");
    assert_eq!(got, [0x3c00, 0x4000, 0x4200, 0]);
}

#[test]
fn stores_and_reductions_reach_all_replicas() {
    let keep = "%r = addi %x, %x : TILE";
    let store =
        format!("%t = multimem_store_view_tko weak %w, %x[%zero] : VIEW, TILE, tile<i32> -> token\n{keep}");
    let [memory, _] = run(S::I32, &MEMORY, 2, &store).expect("runs");
    assert_eq!(memory, [1, 2, 3, 100, 1, 2, 3, 200]);
    let reduce = |kind: &str| {
        format!(
            "%t = multimem_reduce_view_tko relaxed device %w, %x[%zero] attributes {{reduction = \
             #cuda_tile.multimem_reduction_kind<{kind}>}} : VIEW, TILE, tile<i32> -> token\n{keep}"
        )
    };
    let [memory, _] = run(S::I32, &MEMORY, 2, &reduce("add")).expect("runs");
    assert_eq!(memory, [2, 4, 6, 100, 6, 1, 5, 200]);
    let [memory, _] = run(S::I32, &MEMORY, 2, &reduce("max")).expect("runs");
    assert_eq!(memory, [1, 2, 3, 100, 5, 2, 3, 200]);
}

#[test]
fn other_ops_cannot_use_a_multicast_address() {
    let plain = "%a = ptr_to_ptr %p : tile<ptr<i32, <multicast>>> -> tile<ptr<i32>>
        %e, %t = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
        %r = addi %x, %x : TILE";
    assert!(run(S::I32, &MEMORY[..4], 1, plain).is_ok());
    assert_eq!(run(S::I32, &MEMORY, 2, plain), Err(Code::OutOfBounds));
    assert_eq!(run(S::I32, &MEMORY, 3, plain), Err(Code::BadArgument));
}

#[test]
fn accesses_of_replicas_are_ordered_by_tokens() {
    let store = "%t = multimem_store_view_tko weak %w, %x[%zero] : VIEW, TILE, tile<i32> -> token\n";
    let keep = "\n%r = addi %x, %x : TILE";
    let kind = "attributes {reduction = #cuda_tile.multimem_reduction_kind<add>}";
    for op in [
        format!(
            "%r, %t2 = multimem_load_reduce_view_tko weak %w[%zero]AFTER {kind} : VIEW, tile<i32>TOKEN -> TILE, token"
        ),
        format!(
            "%t2 = multimem_reduce_view_tko relaxed device %w, %x[%zero]AFTER {kind} : VIEW, TILE, tile<i32>TOKEN -> token{keep}"
        ),
        format!(
            "%t2 = multimem_store_view_tko weak %w, %x[%zero]AFTER : VIEW, TILE, tile<i32>TOKEN -> token{keep}"
        ),
    ] {
        let after = |after: &str, token: &str| {
            let op = op.replace("AFTER", after).replace("TOKEN", token);
            run(S::I32, &MEMORY, 2, &format!("{store}{op}")).map(|_| ())
        };
        assert_eq!(after(" token = %t", ", token"), Ok(()), "{op}");
        assert_eq!(after("", ""), Err(Code::Race), "{op}");
    }
}
