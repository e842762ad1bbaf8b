//! Lowering of views, assumptions and hints, and errors for unsupported ops.

use std::path::Path;

use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Module, Origin, print_module, verify};
use tilewright_irs::cuda_tile::{CudaTile, print_tile_module};
use tilewright_irs::ptx::Target;
use tilewright_passes::cuda_tile_to_tileaa::{check_hints, resolve_views};
use tilewright_passes::tileaa::propagate_facts;

fn kernel(text: &str) -> Func<CudaTile> {
    let mut parsed = parse_stage::<CudaTile>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let func = parsed.module.funcs.remove(0);
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    func
}

fn lowered(text: &str) -> String {
    let func = resolve_views(&kernel(text), &[], Target::sm_a(90))
        .unwrap_or_else(|problems| panic!("{problems:#?}"));
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    print_module(&Module { funcs: vec![func] })
}

fn refused(text: &str) -> Vec<Diagnostic<Origin>> {
    resolve_views(&kernel(text), &[], Target::sm_a(90)).expect_err("an error")
}

#[test]
fn the_golden_inputs_are_written_as_nvidia_s_disassembler_writes_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/cuda_tile_to_tileaa.resolve_views");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("a folder of golden texts") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "cuda_tile") {
            let text = std::fs::read_to_string(&path).expect("an input");
            let parsed = parse_tile_text(&text, FileId(0));
            assert_eq!(
                print_tile_module(&parsed.module, None),
                text,
                "{}",
                path.display()
            );
            inputs += 1;
        }
    }
    assert!(inputs >= 8, "{inputs}");
}

#[test]
fn an_assumption_in_a_branch_holds_only_inside() {
    let text = lowered(
        "cuda_tile.func @f(%0: tile<i1>, %1: tile<i32>, %2: tile<i32>) body {
  %3 = cuda_tile.assume %1 {predicate = div_by<8>} : tile<i32>
  cuda_tile.if %0 then_region {
    %4 = cuda_tile.assume %2 {predicate = div_by<16>} : tile<i32>
    %5 = cuda_tile.addi %3, %4 {overflow = none} : tile<i32>
    %6 = cuda_tile.assume %5 {predicate = bounded<0, ?>} : tile<i32>
    cuda_tile.yield []
  } else_region {
    cuda_tile.return []
  }
  %7 = cuda_tile.assume %2 {predicate = bounded<?, 9>} : tile<i32>
  cuda_tile.return []
}
",
    );
    let wanted = "tileaa.func @f(%0: i1, %1: known<i32, div = [8]>, %2: i32) {target = sm_90a} body {
  scf.if %0 then {
    %3 = tile.reshape %2 : known<i32, div = [16]>
    %4 = arith.addi %1, %3 {overflow = wraps} : known<i32, min = 0>
    scf.yield []
  } otherwise {
    scf.return
  }
  %5 = tile.reshape %2 : known<i32, max = 9>
  scf.return
}
";
    assert_eq!(text, wanted);
}

#[test]
fn groups_of_an_assumption_are_cut_to_powers_of_two() {
    let text = lowered(
        "cuda_tile.func @f(%0: tile<i32>) body {
  %1 = cuda_tile.iota : tile<16xi32>
  %2 = cuda_tile.assume %1 {predicate = div_by<16, every = 8, along = 0>} : tile<16xi32>
  %3 = cuda_tile.addi %1, %1 {overflow = none} : tile<16xi32>
  %4 = cuda_tile.assume %3 {predicate = div_by<16, every = 6, along = 0>} : tile<16xi32>
  %5 = cuda_tile.subi %1, %3 {overflow = none} : tile<16xi32>
  %6 = cuda_tile.assume %5 {predicate = same_elements<[12]>} : tile<16xi32>
  cuda_tile.return []
}
",
    );
    let types: Vec<_> = text.lines().filter_map(|line| line.split(" : ").nth(1)).collect();
    assert_eq!(
        types,
        [
            "known<tile<16xi32>, div = [16], contig = [8]>",
            "known<tile<16xi32>, div = [2], contig = [2]>",
            "known<tile<16xi32>, same = [4]>"
        ]
    );
}

#[test]
fn everything_that_is_not_supported_is_reported_at_once() {
    let problems = refused(
        "cuda_tile.func @f(%a: tile<f64>, %1: tile<i1>, %n: tile<i64>) body {
  %2 = cuda_tile.int_to_ptr %n : tile<ptr<f4E2M1FN>>
  %3 = cuda_tile.offset %2, %n : tile<ptr<f4E2M1FN>>
  cuda_tile.if %1 then_region {
    %4 = cuda_tile.offset %2, %n : tile<ptr<f4E2M1FN>>
    cuda_tile.yield []
  } else_region {
    cuda_tile.yield []
  }
  %5 = cuda_tile.offset %2, %n : tile<ptr<f4E2M1FN>>
  cuda_tile.return []
}
",
    );
    let found: Vec<_> = problems
        .iter()
        .map(|p| {
            (
                p.code,
                p.message.as_str(),
                p.primary.as_ref().map(|label| label.at),
            )
        })
        .collect();
    let message = "`offset` of pointers to `f4E2M1FN`, of which two share a byte, is not supported yet";
    assert_eq!(
        found,
        [1, 3, 6].map(|op| (Code::UnsupportedType, message, Some(Origin(op))))
    );
}

#[test]
fn hints_for_the_target_win_over_default_ones() {
    let func = kernel(
        "cuda_tile.func @f() {optimization_hints = {sm_90 = {num_worker_warps_per_cta = i32<8>, occupancy = i32<99>}, \
         default = {num_worker_warps_per_cta = i32<4>, num_cta_in_cga = i32<2>, tempo = i32<1>}}} body {
  cuda_tile.return []
}
",
    );
    let attrs = |target| resolve_views(&func, &[], target).expect("no errors").attrs;
    let hopper = attrs(Target::sm_a(90));
    assert_eq!(
        (hopper.num_warps, hopper.cluster_hint, hopper.occupancy),
        (Some(8), Some(2), None)
    );
    let ampere = attrs(Target::sm(80));
    assert_eq!(
        (ampere.num_warps, ampere.cluster_hint, ampere.occupancy),
        (Some(4), None, None)
    );
    // Hints that no target supports are reported by the verifier.
    assert!(check_hints(&func, Target::sm_a(90)).is_empty());
    let warnings: Vec<_> = check_hints(&func, Target::sm(80))
        .into_iter()
        .map(|w| w.diagnostic)
        .map(|w| (w.code, w.message.contains("`default.num_cta_in_cga`")))
        .collect();
    assert_eq!(warnings, [(Code::HintOutOfRange, true)]);
}

#[test]
fn assumptions_about_the_stride_of_a_unit_extent_are_not_facts() {
    let of = |extent: &str| {
        lowered(&format!(
            "cuda_tile.func @f(%0: tile<ptr<f16>>, %1: tile<i32>, %2: tile<i32>) body {{
  %3 = cuda_tile.assume %2 {{predicate = div_by<8>}} : tile<i32>
  %4 = cuda_tile.assume %3 {{predicate = bounded<0, ?>}} : tile<i32>
  %5 = cuda_tile.make_tensor_view %0, [%1], [%4] : tensor_view<?x{extent}xf16, strides = [1, ?]>
  %6 = cuda_tile.addi %1, %2 {{overflow = none}} : tile<i32>
  cuda_tile.return []
}}
"
        ))
    };
    let (one, two) = (of("1"), of("2"));
    assert!(one.contains("%2: i32)"), "{one}");
    assert!(two.contains("%2: known<i32, div = [8], min = 0>)"), "{two}");
}

#[test]
fn views_are_lowered_to_loads_and_stores() {
    let text = lowered(
        "cuda_tile.func @f(%0: tile<ptr<f16>>, %1: tile<i32>, %2: tile<i32>) body {
  %3 = cuda_tile.make_tensor_view %0, [%1], [%2] : tensor_view<?x40xf16, strides = [1, ?]>
  %4 = cuda_tile.assume %3 {predicate = div_by<32>} : tensor_view<?x40xf16, strides = [1, ?]>
  %5 = cuda_tile.make_strided_view %4 : strided_view<tensor_view<?x40xf16, strides = [1, ?]>, tile = [4, 8], \
         traversal_strides = [3, 8], dim_map = [1, 0], padding_value = zero>
  %6, %7 = cuda_tile.load_view_tko %5, [%1, %2] {ordering = acquire, scope = device, inbounds = [false, true], \
         optimization_hints = {sm_90 = {latency = i32<3>, allow_tma = false}}} : tile<4x8xf16>, token
  %8, %9 = cuda_tile.get_index_space_shape %5 : tile<i64>, tile<i64>
  %10, %11 = cuda_tile.get_tensor_shape %4 : tile<i16>, tile<i16>
  %12 = cuda_tile.make_partition_view %3 : partition_view<tensor_view<?x40xf16, strides = [1, ?]>, tile = [4, 8], \
         dim_map = [0, 1]>
  %13 = cuda_tile.store_view_tko %6, %12, [%1, %2], token %7 {ordering = weak, inbounds = [false, false]} : token
  cuda_tile.return []
}
",
    );
    let wanted = "tileaa.func @f(%0: ptr<f16>, %1: i32, %2: i32) {target = sm_90a} body {
  %3 = tileaa.memref %0, [%1], [%2] : memref<?x40xf16, strides = [1, ?], align = 2, class = 0>
  %4 = tileaa.memref %0, [%1], [%2] : memref<?x40xf16, strides = [1, ?], align = 32, class = 0>
  %5, %6 = tileaa.load %4, [%1, %2] {dim_map = [1, 0], steps = [3, 8], padding = zero, inbounds = [false, true], \
         order = acquire, scope = device, latency = 3, allow_tma = false} : tile<4x8xf16>, token
  %7 = arith.constant {value = i64<14>} : i64
  %8 = arith.exti %1 {signedness = unsigned} : i64
  %9 = arith.constant {value = i64<8>} : i64
  %10 = arith.divi %8, %9 {signedness = unsigned, rounding = up} : i64
  %11 = arith.trunci %1 : i16
  %12 = arith.constant {value = i16<40>} : i16
  %13 = tileaa.store %3, [%1, %2], %5, after %6 {dim_map = [0, 1], steps = [4, 8], inbounds = [false, false], \
         order = weak} : token
  scf.return
}
";
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(joined(&text), joined(wanted));
}

#[test]
fn what_combines_computes_with_single_elements() {
    let text = |body: &str| {
        format!(
            "cuda_tile.func @f(%0: tile<i32>) body {{\n  %1 = cuda_tile.reshape %0 : tile<1xi32>\n  \
             %2 = cuda_tile.iota : tile<4xi32>\n  %3 = cuda_tile.reduce [%2] \
             {{dim = 0, identities = [i32<0>]}} : tile<i32> body {{\n  ^(%4: tile<i32>, %5: tile<i32>):\n    \
             %6 = cuda_tile.addi %4, %5 {{overflow = none}} : tile<i32>\n    {body}\n    \
             cuda_tile.yield [%6]\n  }}\n  cuda_tile.return []\n}}\n"
        )
    };
    let found = refused(&text("%7 = cuda_tile.reshape %1 : tile<i32>"));
    let [problem] = found.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!(problem.code, Code::UnsupportedFeature);
    assert!(
        problem
            .message
            .starts_with("`reshape` on a tile in the body of `reduce`"),
        "{}",
        problem.message
    );
    // The accumulated value is the first argument.
    let made = lowered(&text(""));
    assert!(
        made.contains("^(%4: i32, %5: i32):\n    %6 = arith.addi %4, %5"),
        "{made}"
    );
}

#[test]
fn every_example_is_lowered_at_every_version() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bytecode");
    let mut kernels = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("bytecode");
        let read = tilewright_grammar::bytecode::read(&bytes, FileId(0))
            .unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
        for func in &read.module.funcs {
            for target in [
                Target::sm(80),
                Target::sm_a(90),
                Target::sm_a(100),
                Target::sm_a(120),
            ] {
                let place = || format!("{} @{}", path.display(), func.name);
                let lowered = resolve_views(func, &read.module.globals, target)
                    .unwrap_or_else(|e| panic!("{}: {e:#?}", place()));
                verify(&lowered).unwrap_or_else(|e| panic!("{}: {e:#?}", place()));
                let known = propagate_facts(&lowered).unwrap_or_else(|e| panic!("{}: {e:#?}", place()));
                verify(&known).unwrap_or_else(|e| panic!("{}: {e:#?}", place()));
                kernels += 1;
            }
        }
    }
    assert!(kernels > 100, "{kernels} kernels");
}
