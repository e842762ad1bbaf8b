//! The `cleanup` passes on languages of both kinds: structured control flow, and blocks with branches.

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Operation, Origin, print_module, verify};
use tilewright_irs::cuda_tile::CudaTile;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_passes::cleanup::{
    HoistPolicy, eliminate_dead_code, hoist_loop_invariants, merge_common_subexpressions,
};

type Passed<L> = Result<Func<L>, Vec<Diagnostic<Origin>>>;

/// A rule set of declarations only, which determine the code motion.
struct ByDeclaration;

impl<L: Language> HoistPolicy<L> for ByDeclaration {}

fn read<L: Language>(text: &str) -> Func<L> {
    let parsed = parse_stage::<L>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.module.funcs.into_iter().next().expect("a function")
}

fn checked<L: Language>(func: Passed<L>) -> Func<L> {
    let func = func.expect("the passes of `cleanup` refuse nothing");
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}\n{}", shown(&func)));
    func
}

fn shown<L: Language>(func: &Func<L>) -> String {
    print_module(&Module {
        funcs: vec![func.clone()],
    })
}

/// The names of the remaining ops after a pass, in textual order.
fn left<L: Language>(func: Passed<L>) -> Vec<&'static str> {
    let func = checked(func);
    let ops = func.body.walk().into_iter();
    ops.map(|id| func.body.op(id).kind.name()).collect()
}

/// The names of the ops after dead code is eliminated.
fn alive<L: Language>(text: &str) -> Vec<&'static str> {
    left(eliminate_dead_code(&read::<L>(text)))
}

/// The number of ops of a name after common subexpression elimination.
fn merged<L: Language>(text: &str, name: &str) -> usize {
    let names = left(merge_common_subexpressions(&read::<L>(text)));
    names.iter().filter(|&&other| other == name).count()
}

/// A function of `tileaa` with two integers and a memref.
fn tileaa(lines: &str) -> String {
    format!(
        "tileaa.func @f(%p: ptr<i32>, %n: i32, %m: i32, %c: i1) {{target = sm_90a, num_warps = 4, num_ctas = 1}} body {{
  %t = tileaa.create_mem_token : token
  %zero = arith.constant {{value = i32<0>}} : i32
  %one = arith.constant {{value = i32<1>}} : i32
  {lines}
}}"
    )
}

/// Stores a value, so that it is used.
fn kept(value: &str) -> String {
    format!(
        "%s = tileaa.scatter_store %p, {value}, after %t {{order = weak}} : token
  scf.return"
    )
}

/// A function of `llvm_like` with a pointer, an integer and a condition.
fn llvm(lines: &str) -> String {
    format!(
        "llvm.func @f(%p: ptr<1>, %n: i32, %c: i1) {{target = sm_90a, cute.kernel, nvvm.reqntid = 128, shared_bytes = 0}} body {{
  {lines}
}}"
    )
}

/// A function of `nvvm` with a pointer and a register.
fn nvvm(lines: &str) -> String {
    format!(
        "nvvm.func @f(%p: ptr<1>, %x: b32) {{target = sm_80, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0}} body {{
  {lines}
  nvvm.ret
}}"
    )
}

#[test]
fn regions_without_effects_are_removed() {
    let body = "%r = scf.for %zero, %n, %one, [%zero] : i32 body {
  ^turn(%i: i32, %v: i32):
    %w = arith.addi %v, %i {overflow = wraps} : i32
    LINE
    scf.continue [%w]
  }
  scf.return";
    let with = |line: &str| alive::<TileAa>(&tileaa(&body.replace("LINE", line)));
    assert_eq!(with(""), ["scf.return"]);
    // A dead load is removed too, unlike a synchronizing load or a store.
    let load =
        |order: &str| format!("%l, %lt = tileaa.gather_load %p, after %t {{order = {order}}} : i32, token");
    assert_eq!(with(&load("weak")), ["scf.return"]);
    assert!(with(&load("acquire, scope = device")).contains(&"scf.for"));
    let store = "%s = tileaa.scatter_store %p, %w, after %t {order = weak} : token";
    assert!(with(store).contains(&"scf.for"));
}

#[test]
fn regions_that_may_not_terminate_are_kept() {
    // A loop may be infinite, even if its body exits it.
    let endless = tileaa(
        "scf.loop [] body {
    scf.break []
  }
  scf.return",
    );
    assert!(alive::<TileAa>(&endless).contains(&"scf.loop"));
    // A branch that returns affects what follows.
    let leaving = tileaa(
        "scf.if %c then {
    scf.return
  } otherwise {
    scf.yield []
  }
  %s = tileaa.scatter_store %p, %n, after %t {order = weak} : token
  scf.return",
    );
    assert!(alive::<TileAa>(&leaving).contains(&"scf.if"));
    let quiet = leaving.replacen("scf.return", "scf.yield []", 1);
    assert!(!alive::<TileAa>(&quiet).contains(&"scf.if"));
    // An early end of an iteration within a loop affects only that loop.
    let inner = |last: &str| {
        tileaa(&format!(
            "scf.for %zero, %n, %one, [] body {{
  ^turn(%i: i32):
    scf.if %c then {{
      scf.continue []
    }} otherwise {{
      scf.yield []
    }}
    {last}
  }}
  scf.return"
        ))
    };
    assert_eq!(alive::<TileAa>(&inner("scf.continue []")), ["scf.return"]);
}

#[test]
fn unused_blocks_and_block_arguments_are_removed() {
    // `%a` and `%b` only use each other; `%k` counts the iterations.
    let text = llvm(
        "%zero = arith.constant {value = i32<0>} : i32
  %one = arith.constant {value = i32<1>} : i32
  llvm.br ^loop(%zero, %n, %zero)
^never(%x: i32):
  llvm.br ^loop(%x, %x, %x)
^loop(%a: i32, %b: i32, %k: i32):
  %sum = arith.addi %a, %b {overflow = wraps} : i32
  %next = arith.addi %k, %one {overflow = wraps} : i32
  %more = arith.cmpi %next, %n {predicate = lt, signedness = signed} : i1
  llvm.cond_br %more, ^loop(%b, %sum, %next), ^end()
^end:
  llvm.store %p, %n {align = 4, order = weak}
  llvm.return",
    );
    let func = checked(eliminate_dead_code(&read::<Llvm>(&text)));
    let blocks = func.body.region(func.body.root()).blocks.clone();
    let args: Vec<usize> = blocks
        .iter()
        .map(|&block| func.body.block(block).args.len())
        .collect();
    assert_eq!(args, [3, 1, 0], "{}", shown(&func));
    assert!(!shown(&func).contains("%sum") && alive::<Llvm>(&text).contains(&"llvm.store"));
    // If used, all are kept.
    let used = text.replace("llvm.store %p, %n", "llvm.store %p, %b");
    let func = checked(eliminate_dead_code(&read::<Llvm>(&used)));
    let header = func.body.region(func.body.root()).blocks[1];
    assert_eq!(func.body.block(header).args.len(), 3);
}

#[test]
fn ops_that_write_or_synchronise_are_kept() {
    let names = alive::<Llvm>(&llvm(
        "%v = llvm.load %p {align = 4, order = weak} : i32
  %w = llvm.load %p {align = 4, order = acquire, scope = device} : i32
  llvm.store %p, %n {align = 4, order = weak}
  llvm.barrier {id = 0, threads = 128}
  %b = llvm.shared_base : ptr<3>
  llvm.return",
    ));
    assert_eq!(names, ["llvm.load", "llvm.store", "llvm.barrier", "llvm.return"]);
    let names = alive::<Nvvm>(&nvvm(
        "%zero = nvvm.constant {value = i32<0>} : b32
  %y = nvvm.add %x, %x {ty = s32} : b32
  nvvm.st %p, [%x] {space = global, ty = b32}
  nvvm.bar.sync %zero",
    ));
    assert_eq!(names, ["nvvm.constant", "nvvm.st", "nvvm.bar.sync", "nvvm.ret"]);
    let names = alive::<CuteDesugared>(
        "cute_desugared.func @f(%p: ptr<i32>) {target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0} body {
  %x = gpu.thread_idx : i32
  fragment.store %p, %x {offsets = [0], vector = 1, order = weak}
  %y = fragment.load %p {offsets = [0], vector = 1, order = weak} : i32
  gpu.barrier {id = 0, threads = 128}
  scf.return
}",
    );
    assert_eq!(
        names,
        ["gpu.thread_idx", "fragment.store", "gpu.barrier", "scf.return"]
    );
}

#[test]
fn an_agent_with_a_barrier_is_kept() {
    let agent = |line: &str| {
        format!(
            "scheduled.func @f() {{target = sm_90a, kernel_spec = {{num_warps = 4, num_ctas = 1}}, shared_bytes = 0}} body {{
  scheduled.agent {{name = \"all\", first_warp = 0, warps = 4}} body {{
    {line}
    scheduled.end
  }}
  scf.return
}}"
        )
    };
    assert!(alive::<Scheduled>(&agent("tileas.barrier")).contains(&"tileas.barrier"));
    assert_eq!(
        alive::<Scheduled>(&agent("%x = tileas.program_id {axis = 0} : i32")),
        ["scf.return"]
    );
}

#[test]
fn common_subexpressions_are_merged_where_the_first_is_always_executed() {
    let text = tileaa(&format!(
        "%a = arith.addi %n, %m {{overflow = wraps}} : i32
  %r = scf.if %c : i32 then {{
    %b = arith.addi %m, %n {{overflow = wraps}} : i32
    %x = arith.muli %b, %n {{overflow = wraps}} : i32
    scf.yield [%x]
  }} otherwise {{
    %y = arith.muli %a, %n {{overflow = wraps}} : i32
    scf.yield [%y]
  }}
  {}",
        kept("%r")
    ));
    // The sum is available in both regions, in either order; of the products, neither dominates the other.
    assert_eq!(merged::<TileAa>(&text, "arith.addi"), 1);
    assert_eq!(merged::<TileAa>(&text, "arith.muli"), 2);
    // A difference does not commute, other flags make a different op, and of two NaNs the first is the result.
    let apart = text.replace("%b = arith.addi", "%b = arith.subi");
    assert_eq!(merged::<TileAa>(&apart, "arith.subi"), 1);
    let promised = text.replace("%m, %n {overflow = wraps}", "%m, %n {overflow = no_signed}");
    assert_eq!(merged::<TileAa>(&promised, "arith.addi"), 2);
}

#[test]
fn operands_that_may_be_nan_are_not_commuted() {
    let text = |second: &str| {
        tileaa(&format!(
            "%u = arith.itof %n {{signedness = signed, rounding = nearest_even}} : f32
  %v = arith.itof %m {{signedness = signed, rounding = nearest_even}} : f32
  %a = arith.addf %u, %v {{rounding = nearest_even}} : f32
  %b = arith.addf {second} {{rounding = nearest_even}} : f32
  %d = arith.mulf %a, %b {{rounding = nearest_even}} : f32
  %e = arith.ftoi %d {{signedness = signed, saturating}} : i32
  {}",
            kept("%e")
        ))
    };
    assert_eq!(merged::<TileAa>(&text("%u, %v"), "arith.addf"), 1);
    assert_eq!(merged::<TileAa>(&text("%v, %u"), "arith.addf"), 2);
}

#[test]
fn loads_are_not_merged() {
    let load = "tileaa.gather_load %p, after %t {order = weak} : i32, token";
    let text = tileaa(&format!(
        "%a, %ta = {load}
  %b, %tb = {load}
  %d = arith.addi %a, %b {{overflow = wraps}} : i32
  {}",
        kept("%d")
    ));
    assert_eq!(merged::<TileAa>(&text, "tileaa.gather_load"), 2);
}

#[test]
fn convergent_ops_are_not_merged() {
    // The active threads may differ between two positions; a sum does not depend on them.
    let text = nvvm(
        "%a = nvvm.activemask {ty = b32} : b32
  %b = nvvm.activemask {ty = b32} : b32
  %c = nvvm.add %a, %b {ty = s32} : b32
  %d = nvvm.add %b, %a {ty = s32} : b32
  %e = nvvm.add %c, %d {ty = s32} : b32
  nvvm.st %p, [%e] {space = global, ty = b32}",
    );
    assert_eq!(merged::<Nvvm>(&text, "nvvm.activemask"), 2);
    assert!(!alive::<Nvvm>(&text.replace("[%e]", "[%x]")).contains(&"nvvm.activemask"));
}

#[test]
fn common_subexpressions_are_merged_along_dominating_blocks() {
    let text = llvm(
        "%a = arith.muli %n, %n {overflow = wraps} : i32
  llvm.cond_br %c, ^then(), ^other()
^then:
  %b = arith.muli %n, %n {overflow = wraps} : i32
  %x = arith.xori %b, %n : i32
  llvm.br ^end(%x)
^other:
  %y = arith.xori %a, %n : i32
  llvm.br ^end(%y)
^end(%r: i32):
  %z = arith.xori %n, %a : i32
  %o = arith.ori %r, %z : i32
  llvm.store %p, %o {align = 4, order = weak}
  llvm.return",
    );
    assert_eq!(merged::<Llvm>(&text, "arith.muli"), 1);
    // Neither branch, nor the code after both, is dominated by another.
    assert_eq!(merged::<Llvm>(&text, "arith.xori"), 3);
}

#[test]
fn operands_of_back_edges_are_replaced() {
    let text = llvm(
        "%zero = arith.constant {value = i32<0>} : i32
  llvm.br ^loop(%zero)
^loop(%k: i32):
  %a = arith.addi %k, %n {overflow = wraps} : i32
  %b = arith.addi %n, %k {overflow = wraps} : i32
  %more = arith.cmpi %a, %zero {predicate = lt, signedness = signed} : i1
  llvm.cond_br %more, ^loop(%b), ^end()
^end:
  llvm.store %p, %b {align = 4, order = weak}
  llvm.return",
    );
    assert_eq!(merged::<Llvm>(&text, "arith.addi"), 1);
}

/// The ops within the loops of a function after loop-invariant code motion.
fn in_loops(lines: &str) -> Vec<&'static str> {
    let text = tileaa(&format!(
        "%r = scf.for %zero, %n, %one, [%zero] : i32 body {{
  ^outer(%i: i32, %v: i32):
    %q = scf.for %zero, %m, %one, [%v] : i32 body {{
    ^inner(%j: i32, %w: i32):
      {lines}
      %next = arith.xori %w, %x : i32
      scf.continue [%next]
    }}
    scf.continue [%q]
  }}
  {}",
        kept("%r")
    ));
    let func = checked(hoist_loop_invariants(&read::<TileAa>(&text), &ByDeclaration));
    let mut names = Vec::new();
    for id in func.body.walk() {
        for region in func.body.op(id).kind.region_list() {
            for &block in &func.body.region(region).blocks {
                let ops = func.body.block(block).ops.iter();
                names.extend(ops.map(|&id| func.body.op(id).kind.name()));
            }
        }
    }
    names.retain(|name| !name.starts_with("scf.") && *name != "arith.xori");
    names
}

#[test]
fn invariants_are_hoisted_out_of_every_loop_that_they_do_not_depend_on() {
    let none: [&str; 0] = [];
    assert_eq!(in_loops("%x = arith.muli %n, %m {overflow = wraps} : i32"), none);
    // Ops that depend on the outer counter stay in the outer loop, those that depend on the inner one in the inner
    // loop.
    let outer = "%x = arith.muli %i, %m {overflow = wraps} : i32";
    assert_eq!(in_loops(outer), ["arith.muli"]);
    assert_eq!(in_loops(&outer.replace("%i", "%j")), ["arith.muli"]);
}

#[test]
fn free_ops_are_hoisted_only_with_their_users() {
    let none: [&str; 0] = [];
    let constant = "%x = arith.constant {value = i32<7>} : i32";
    assert_eq!(in_loops(constant), ["arith.constant"]);
    let needed = "%k = arith.constant {value = i32<7>} : i32
      %x = arith.muli %n, %k {overflow = wraps} : i32";
    assert_eq!(in_loops(needed), none);
}

#[test]
fn ops_with_undefined_behaviour_or_reads_are_not_hoisted() {
    for line in [
        "%x = arith.divi %n, %m {signedness = signed, rounding = zero} : i32",
        "%x = arith.remi %n, %m {signedness = signed} : i32",
        "%x = arith.addi %n, %m {overflow = no_signed} : i32",
        "%x, %y = tileaa.gather_load %p, after %t {order = weak} : i32, token",
    ] {
        assert_eq!(in_loops(line).len(), 1, "{line}");
    }
}

#[test]
fn kernels_of_cuda_tile_are_cleaned_up_alike() {
    let text = "entry @f(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t = make_token : token
  %a = addi %n, %n : tile<i32>
  %b = addi %n, %n : tile<i32>
  assert %c, \"positive\" : tile<i1>
  %d = muli %a, %b : tile<i32>
  print_tko \"%d\", %n : tile<i32> -> token
  %s = store_ptr_tko weak %p, %b token=%t : tile<ptr<i32>>, tile<i32> -> token
  return
}"
    .replace(
        "  assert",
        "  %zero = constant <i32: 0> : tile<i32>
  %c = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
  assert",
    );
    let parsed = parse_tile_text(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let func: &Func<CudaTile> = parsed.module.funcs.first().expect("a function");
    let names = left(eliminate_dead_code(&checked(merge_common_subexpressions(func))));
    assert_eq!(
        names,
        [
            "cuda_tile.make_token",
            "cuda_tile.addi",
            "cuda_tile.constant",
            "cuda_tile.cmpi",
            "cuda_tile.assert",
            "cuda_tile.print_tko",
            "cuda_tile.store_ptr_tko",
            "cuda_tile.return"
        ]
    );
}
