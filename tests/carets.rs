//! What the caret of an error stands on: the operand, the entry, the hint or the attribute that is wrong.

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Code, Location};

/// A program with one mistake, around what the caret must stand on between `«` and `»`: the text, and that span.
fn marked(program: &str) -> (String, std::ops::Range<usize>) {
    let (before, rest) = program.split_once('«').expect("a mark");
    let (at, after) = rest.split_once('»').expect("its end");
    let text = format!("{before}{at}{after}");
    (text, before.len()..before.len() + at.len())
}

/// How what is said of a program differs from one problem at the mark.
fn differs(program: &str) -> Option<String> {
    let (text, wanted) = marked(program);
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text.as_str());
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::TileAa);
    let place = |location: &Location| match location {
        Location::Span(span) => span.start as usize..span.end as usize,
        Location::Source { .. } | Location::Offset { .. } => 0..0,
    };
    let found: Vec<_> = said
        .iter()
        .map(|problem| problem.primary.as_ref().map_or(0..0, |label| place(&label.at)))
        .collect();
    if found == [wanted.clone()] {
        return None;
    }
    let shown = said.iter().zip(&found).map(|(problem, at)| {
        let at = text.get(at.clone()).unwrap_or_default();
        format!("    at `{at}`: {} {}\n", problem.code, problem.message)
    });
    let wanted = text.get(wanted).unwrap_or_default();
    Some(format!(
        "{}\n  wanted at `{wanted}`, and said:\n{}",
        program.trim(),
        shown.collect::<String>()
    ))
}

/// Each program must be refused, or warned of, once and at its mark.
fn each_at_its_mark(programs: impl IntoIterator<Item = String>) {
    let programs: Vec<_> = programs.into_iter().collect();
    let wrong: Vec<_> = programs.iter().filter_map(|program| differs(program)).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        programs.len(),
        wrong.join("\n")
    );
}

/// A kernel of `cuda_tile` with these lines, among values of many types.
fn tile_kernel(body: &str) -> String {
    format!(
        "cuda_tile.module @m {{
global @g <i32: [1, 2, 3, 4]> : tile<4xi32>
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>, %l: tile<i64>) {{
  %i8 = iota : tile<8xi32>
  %i16 = iota : tile<16xi32>
  %f8 = constant <f32: 1.0> : tile<8xf32>
  %f16 = constant <f32: 1.0> : tile<16xf32>
  %h8 = constant <f16: 1.0> : tile<8xf16>
  %d8 = constant <f64: 1.0> : tile<8xf64>
  %b16 = constant <i1: true> : tile<16xi1>
  %m = constant <f32: 1.0> : tile<4x8xf32>
  %mt = constant <f32: 1.0> : tile<8x4xf32>
  %ms = constant <f32: 1.0> : tile<4x4xf32>
  %mh = constant <f16: 1.0> : tile<4x8xf16>
  %p8 = broadcast_pointer
  %tv = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %pv = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
  {body}
}}
}}
"
    )
    .replace(
        "  %p8 = broadcast_pointer\n",
        "  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n  \
         %p8 = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>\n",
    )
}

const VIEW: &str = "partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>";

#[test]
fn a_mistake_in_an_op_of_the_input_language_is_where_it_is_said_to_be() {
    let bodies = [
        // Types of operands, against the text's and against each other.
        "%x = addi %n, «%l» : tile<i32>",
        "%x = addi «%l», %n : tile<i32>",
        "%x = addf «%n», %n : tile<f32>",
        "%x = negf «%f8» : tile<16xf32>",
        "%x = fma %f8, %f8, «%f16» : tile<8xf32>",
        "%x = select «%n», %f8, %f8 : tile<8xi1>, tile<8xf32>",
        "%x = cmpi less_than «%l», %n, signed : tile<i32> -> tile<i1>",
        "assert «%n», \"text\" : tile<i1>",
        "assert «%f8», \"text\" : tile<8xf32>",
        "%x = negi «%f8» : tile<8xf32>",
        "%x = fpowi %f8, «%i16» : tile<8xf32>, tile<16xi32>",
        "%x = select «%b16», %f8, %f8 : tile<16xi1>, tile<8xf32>",
        "%x = offset %p8, «%i16» : tile<8xptr<f32>>, tile<16xi32> -> tile<8xptr<f32>>",
        // Shapes and permutations.
        "%x = reshape %m : tile<4x8xf32> -> «tile<64xf32>»",
        "%x = broadcast «%m» : tile<4x8xf32> -> tile<8x8xf32>",
        "%x = permute %m [0, «2»] : tile<4x8xf32> -> tile<8x4xf32>",
        "%x = permute %m [1, «1»] : tile<4x8xf32> -> tile<8x4xf32>",
        "%x = permute %m «[0, 1, 2]» : tile<4x8xf32> -> tile<8x4xf32>",
        "%x = cat %m, «%ms» dim = 0 : tile<4x8xf32>, tile<4x4xf32> -> tile<8x8xf32>",
        "%x = cat %m, %m dim = «2» : tile<4x8xf32>, tile<4x8xf32> -> tile<8x8xf32>",
        "%x = extract %m[«%n»] : tile<4x8xf32> -> tile<4x8xf32>",
        "%x = mmaf %mh, «%mh», %m : tile<4x8xf16>, tile<4x8xf16>, tile<4x8xf32>",
        "%x = mmaf %mh, «%h8», %m : tile<4x8xf16>, tile<8xf16>, tile<4x8xf32>",
        "%x, %y, %z = get_tile_block_id : «tile<i64>»",
        "%x = iota : «tile<4x4xi32>»",
        "%x = exti %n signed : tile<i32> -> «tile<i16>»",
        "%x = bitcast %f8 : tile<8xf32> -> «tile<8xi64>»",
        "%x = constant <i8: 1> : «tile<3xi8>»",
        "%x = constant «<i32: 1>» : tile<8xf32>",
        // Attributes.
        "%x = addf %f8, %f8 rounding<«approx»> : tile<8xf32>",
        "%x = addf %h8, %h8 «flush_to_zero» : tile<8xf16>",
        "%x = sqrt %h8 rounding<«approx»> : tile<8xf16>",
        "%x = negi %n overflow<«no_unsigned_wrap»> : tile<i32>",
        "%x = divi %n, %n unsigned rounding<«negative_inf»> : tile<i32>",
        "%x = ftoi %f8 signed rounding<«zero»> : tile<8xf32> -> tile<8xi32>",
        "%x = assume div_by<«12»>, %n : tile<i32>",
        "%x = assume div_by<4, every «9» along 0>, %i8 : tile<8xi32>",
        "%x = assume div_by<4, every 4 along «1»>, %i8 : tile<8xi32>",
        "%x = assume same_elements<[«9»]>, %i8 : tile<8xi32>",
        "%x = assume bounded<?, «4294967296»>, %n : tile<i32>",
        "%x = assume bounded<0, 1>, «%f8» : tile<8xf32>",
        "%x = get_global «@nothing» : tile<ptr<i32>>",
        "%x = print_tko «\"%d %d\"», %n : tile<i32> -> token",
        // Memory.
        "%x, %t = load_ptr_tko «release» sys %p8 : tile<8xptr<f32>> -> tile<8xf32>, token",
        "%x, %t = load_ptr_tko weak «device» %p8 : tile<8xptr<f32>> -> tile<8xf32>, token",
        "%x, %t = load_ptr_tko «relaxed» %p8 : tile<8xptr<f32>> -> tile<8xf32>, token",
        "%x, %t = load_ptr_tko weak «%p8» : tile<8xptr<f32>> -> tile<8xi32>, token",
        "%x, %t = load_ptr_tko weak %p8 : tile<8xptr<f32>> -> «tile<16xf32>», token",
        "%x, %t = load_ptr_tko weak %p8, «%b16» : tile<8xptr<f32>>, tile<16xi1> -> tile<8xf32>, token",
        "%t = store_ptr_tko weak %p8, «%f16» : tile<8xptr<f32>>, tile<16xf32> -> token",
        "%x, %t = atomic_rmw_tko relaxed device %p8, add, «%f8» : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token",
        "%x, %t = load_view_tko weak %pv[«%n»] : VIEW, tile<i32> -> tile<4x8xf32>, token",
        "%x, %t = load_view_tko weak %pv[%n, %n] : VIEW, tile<i32> -> «tile<8x8xf32>», token",
        "%t = store_view_tko weak «%mt», %pv[%n, %n] : tile<8x4xf32>, VIEW, tile<i32> -> token",
        "%x = make_partition_view %tv : «partition_view<tile=(4), tensor_view<64x64xf32, strides=[64,1]>>»",
        // Hints.
        "%x, %t = load_ptr_tko weak %p8 optimization_hints=<«sm_1» = {latency = 3}> : tile<8xptr<f32>> -> tile<8xf32>, token",
        "%x, %t = load_ptr_tko weak %p8 optimization_hints=<default = {latency = «99»}> : tile<8xptr<f32>> -> tile<8xf32>, token",
        "%x, %t = load_ptr_tko weak %p8 optimization_hints=<sm_90 = {latency = 3, «occupancy» = 2}> : tile<8xptr<f32>> -> tile<8xf32>, token",
        // Control flow.
        "for %j in (%n to «%l», step %n) : tile<i32> {\n  }",
        "%r = for %j in (%n to %n, step %n) : tile<i32> iter_values(%c = %f8) -> («tile<8xi32>») {\n    continue %i8 : tile<8xi32>\n  }",
        "%r = for %j in (%n to %n, step %n) : tile<i32> iter_values(%c = %n) -> (tile<i32>) {\n    continue «%f8» : tile<8xf32>\n  }",
        "%r = for %j in (%n to %n, step %n) : tile<i32> iter_values(%c = «%tv») -> (tensor_view<64x64xf32, strides=[64,1]>) {\n    continue %c : tensor_view<64x64xf32, strides=[64,1]>\n  }",
        "%r = if %b -> (tile<i32>) {\n    yield «%l» : tile<i64>\n  } else {\n    yield %n : tile<i32>\n  }",
        "%r = if %b -> (tile<i32>) {\n    yield %n : tile<i32>\n  } else {\n    yield %n, «%l» : tile<i32>, tile<i64>\n  }",
        "%r = if «%n» -> (tile<i32>) {\n    yield %n : tile<i32>\n  } else {\n    yield %n : tile<i32>\n  }",
        "loop {\n    break «%n» : tile<i32>\n  }",
        "%r = reduce %m dim=«2» identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>\n  (%u: tile<f32>, %v: tile<f32>) {\n    yield %u : tile<f32>\n  }",
        "%r = reduce %m dim=0 identities=[«0 : i32»] : tile<4x8xf32> -> tile<8xf32>\n  (%u: tile<f32>, %v: tile<f32>) {\n    yield %u : tile<f32>\n  }",
        "%r = reduce %m dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>\n  (%u: tile<f32>, «%v»: tile<f16>) {\n    yield %u : tile<f32>\n  }",
        "%r = reduce %m dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>\n  (%u: tile<f32>, %v: tile<f32>) {\n    yield «%h8» : tile<8xf16>\n  }",
        "%r = reduce %m dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> «tile<4xf32>»\n  (%u: tile<f32>, %v: tile<f32>) {\n    yield %u : tile<f32>\n  }",
        // The generic form.
        "%x = \"cuda_tile.addi\"(%n, «%l») : (tile<i32>, tile<i64>) -> tile<i32>",
        "%x = \"cuda_tile.negi\"(%n) : (tile<i32>) -> «tile<i64>»",
        "%x = \"cuda_tile.permute\"(%m) <{permutation = array<i32: 0, «2»>}> : (tile<4x8xf32>) -> tile<8x4xf32>",
        "%x = \"cuda_tile.assume\"(%n) <{predicate = #cuda_tile.div_by<«12»>}> : (tile<i32>) -> tile<i32>",
    ];
    each_at_its_mark(bodies.map(|body| tile_kernel(&body.replace("VIEW", VIEW))));
}

#[test]
fn a_mistake_in_the_head_of_a_kernel_is_not_at_its_name() {
    each_at_its_mark(
        [
            "entry @k(«%p»: tile<8xi32>) {",
            "entry @k(%p: tile<i32> {«name» = \"p\"}) {",
            "entry «private» @k() {",
            "entry @k() optimization_hints=<«sm_1» = {occupancy = 1}> {",
            "entry @k() optimization_hints=<sm_90 = {occupancy = 1, num_cta_in_cga = «3»}> {",
            "entry @k() optimization_hints=<sm_90 = {«latency» = 1}, sm_80 = {occupancy = 1}> {",
        ]
        .map(|head| format!("cuda_tile.module @m {{\n{head}\n  return\n}}\n}}\n")),
    );
}

/// A kernel of `tileaa` with these lines in its body.
fn inner_kernel(body: &str) -> String {
    format!(
        "tileaa.func @k(%p: ptr<f32>, %n: i32, %l: i64, %b: i1) {{target = sm_90a}} body {{
  %t0 = tileaa.create_mem_token : token
  %m = tileaa.memref %p, [%n], [] : memref<?xf32, strides = [1], align = 4, class = 0>
  %i8 = tile.iota : tile<8xi32>
  %i16 = tile.iota : tile<16xi32>
  %f8 = arith.constant {{value = f32<1.0>}} : tile<8xf32>
  {body}
  scf.return
}}
"
    )
}

#[test]
fn a_mistake_in_an_op_of_an_inner_language_is_where_it_is_said_to_be() {
    let load = "{order = weak, dim_map = [0], steps = [8], inbounds = [false], padding = zero}";
    let bodies = [
        "%x = arith.addi %n, «%l» {overflow = wraps} : i32".to_owned(),
        "%x = arith.addi %n, %n {overflow = wraps} : «i64»".to_owned(),
        "%x = arith.addi «%f8», %f8 {overflow = wraps} : tile<8xf32>".to_owned(),
        "%x = arith.constant {value = «f32<1.0>»} : i32".to_owned(),
        "%x = tileaa.program_id {axis = «3»} : i32".to_owned(),
        "%x = tileaa.program_id {axis = 0} : «i64»".to_owned(),
        "%x = tile.iota : «tile<4x4xi32>»".to_owned(),
        "%x = tile.splat «%i8» : tile<8x8xi32>".to_owned(),
        "%x = tile.broadcast «%i8» : tile<16xi32>".to_owned(),
        "%x = tile.reshape %i8 : «tile<16xi32>»".to_owned(),
        "%x = tileaa.memref «%n», [%n], [] : memref<?xf32, strides = [1], align = 4, class = 0>".to_owned(),
        "%x = tileaa.memref %p, [«%b16»], [] : memref<?xf32, strides = [1], align = 4, class = 0>"
            .replace("%b16", "%i8"),
        "scf.if «%n» then {\n    scf.yield []\n  } otherwise {\n    scf.yield []\n  }".to_owned(),
        "%x = scf.if %b : i32 then {\n    scf.yield [«%l»]\n  } otherwise {\n    scf.yield [%n]\n  }"
            .to_owned(),
        "scf.for %n, «%l», %n, [] body {\n  ^(%j: i32):\n    scf.continue []\n  }".to_owned(),
        format!("%x, %t = tileaa.load %m, [«%i8»] {load} : tile<8xf32>, token"),
        format!("%x, %t = tileaa.load %m, [%n] {load} : «tile<8xi32>», token"),
        format!(
            "%x, %t = tileaa.load %m, [%n] {} : tile<8xf32>, token",
            load.replace("[8]", "[«0»]")
        ),
        format!(
            "%x, %t = tileaa.load %m, [%n] {} : tile<8xf32>, token",
            load.replace("[0]", "«[0, 1]»")
        ),
        format!("%x, %t = tileaa.load %m, [%n], after «%l» {load} : tile<8xf32>, token"),
        format!(
            "%t = tileaa.store %m, [%n], %f8 {} : token",
            load.replace("zero", "«zero»")
        ),
    ];
    each_at_its_mark(bodies.map(|body| inner_kernel(&body)));
    let without_clusters = "tileaa.func @k(%p: ptr<i32>, %n: i32) {target = sm_80} body {
  %x, %t = tileaa.atomic_rmw %p, %n {op = add, order = relaxed, scope = «cluster»} : i32, token
  scf.return\n}\n";
    each_at_its_mark([without_clusters.to_owned()]);
}

#[test]
fn a_mistake_in_the_head_of_an_inner_kernel_is_not_at_its_name() {
    let nvvm = |attrs: &str| format!("nvvm.func @f() {{{attrs}}} body {{\n  nvvm.ret\n}}\n");
    let tileaa = |attrs: &str| format!("tileaa.func @k() {{{attrs}}} body {{\n  scf.return\n}}\n");
    each_at_its_mark([
        "tileaa.func @k(%n: i32, «%a»: token) {target = sm_90a} body {\n  scf.return\n}\n".to_owned(),
        tileaa("target = «sm_90»"),
        tileaa("target = sm_90a, cluster_hint = «3»"),
        tileaa("target = sm_90a, cluster_hint = «32»"),
        tileaa("target = sm_90a, num_ctas = «0»"),
        tileaa("target = sm_80, num_ctas = «2»"),
        tileaa("target = sm_90a, cluster_hint = «4», num_ctas = 2"),
        nvvm("target = sm_90a, nvvm.kernel, nvvm.reqntid = «2048», shared_bytes = 0"),
        nvvm("target = sm_90a, nvvm.kernel, nvvm.reqntid = 128, shared_bytes = «1000000»"),
    ]);
}

#[test]
fn a_launch_that_no_kernel_can_have_is_refused_at_its_attribute() {
    use Code::{ConflictingAttributes, LaunchShape, MissingAttribute, Redefinition, TargetLacksFeature};
    let nvvm = |target: &str, attrs: &str| {
        format!(
            "nvvm.func @f() {{target = {target}, nvvm.kernel, shared_bytes = 0, {attrs}}} body {{\n  nvvm.ret\n}}\n"
        )
    };
    let llvm = |target: &str, attrs: &str| {
        nvvm(target, attrs)
            .replace("nvvm.func", "llvm.func")
            .replace("nvvm.ret", "llvm.return")
    };
    let ptx = |target: &str, launch: &str| {
        format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{launch}\n{{\n  ret;\n}}\n"
        )
    };
    each_says([
        (
            nvvm("sm_90a", "nvvm.reqntid = 32, nvvm.maxnreg = «9999»"),
            LaunchShape,
            &["`nvvm.maxnreg`", "9999", "1 to 255"][..],
        ),
        (
            llvm("sm_80", "nvvm.reqntid = 32, nvvm.maxnreg = «256»"),
            LaunchShape,
            &["256", "1 to 255"],
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = 128, nvvm.minctasm = «17»"),
            LaunchShape,
            &["`nvvm.minctasm`", "17", "1 to 16"],
        ),
        // A multiprocessor of sm_86 has room for 48 warps.
        (
            nvvm("sm_86", "nvvm.reqntid = 1024, nvvm.minctasm = «2»"),
            LaunchShape,
            &["2 blocks", "1 to 1"],
        ),
        (
            llvm("sm_90a", "nvvm.reqntid = 32, nvvm.cluster_dim = «17»"),
            LaunchShape,
            &["17", "1 to 16"],
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = 32, «nvvm.blocksareclusters»"),
            MissingAttribute,
            &["`nvvm.blocksareclusters`", "`nvvm.cluster_dim`"],
        ),
        (
            "tileas.func @f() {target = sm_80, kernel_spec = «{num_warps = 4, num_ctas = 2}», shared_bytes = 0} body {\n  \
             scf.return\n}\n"
                .to_owned(),
            TargetLacksFeature,
            &["`num_ctas = 2`", "sm_90", "sm_80"],
        ),
        (
            "cute_desugared.func @f() {target = sm_80, kernel_spec = «{num_warps = 4, num_ctas = 4}», shared_bytes = 0} body {\n  \
             scf.return\n}\n"
                .to_owned(),
            TargetLacksFeature,
            &["`num_ctas = 4`", "sm_90", "sm_80"],
        ),
        // One mistake, though it is two attributes.
        (
            nvvm(
                "sm_80",
                "nvvm.reqntid = 32, nvvm.cluster_dim = «2», nvvm.blocksareclusters",
            ),
            TargetLacksFeature,
            &["`nvvm.cluster_dim`", "sm_90", "sm_80"],
        ),
        (
            ptx("sm_90a", ".reqntid 32\n«.maxnreg 256»"),
            LaunchShape,
            &["`.maxnreg`", "256", "1 to 255"],
        ),
        (
            ptx("sm_90a", "«.minnctapersm 33»"),
            LaunchShape,
            &["`.minnctapersm`", "33", "1 to 32"],
        ),
        (
            ptx("sm_90a", "«.reqntid 2048»"),
            LaunchShape,
            &["`.reqntid`", "2048", "1 to 1024"],
        ),
        (
            ptx("sm_90a", "«.maxntid 64»\n.reqntid 128"),
            ConflictingAttributes,
            &["`.maxntid 64, 1, 1`", "`.reqntid 128, 1, 1`"],
        ),
        (
            ptx("sm_90a", "«.reqnctapercluster 4, 4, 2»"),
            LaunchShape,
            &["`.reqnctapercluster`", "32", "1 to 16"],
        ),
        (
            nvvm("sm_90a", "nvvm.maxntid = «64», nvvm.reqntid = 128"),
            ConflictingAttributes,
            &["`nvvm.maxntid 64, 1, 1`", "`nvvm.reqntid 128, 1, 1`"],
        ),
        (
            llvm("sm_90a", "nvvm.reqntid = 32, nvvm.cluster_dim = 4, nvvm.maxclusterrank = «2»"),
            ConflictingAttributes,
            &["`nvvm.maxclusterrank 2`", "`nvvm.cluster_dim 4, 1, 1`"],
        ),
        (
            ptx("sm_90a", "«.maxclusterrank 32»"),
            LaunchShape,
            &["`.maxclusterrank`", "32", "1 to 16"],
        ),
        (
            ptx("sm_90a", ".reqnctapercluster 2\n«.maxclusterrank 8»"),
            ConflictingAttributes,
            &["`.maxclusterrank 8`", "`.reqnctapercluster 2, 1, 1`"],
        ),
        (
            ptx("sm_90a", ".reqntid 32\n«.blocksareclusters»"),
            MissingAttribute,
            &["`.blocksareclusters`", "`.reqnctapercluster`"],
        ),
        (
            ptx("sm_80", ".reqntid 32\n«.explicitcluster»"),
            TargetLacksFeature,
            &["`.explicitcluster`", "sm_90", "sm_80"],
        ),
        (
            ptx("sm_90a", ".maxnreg 32\n«.maxnreg 64»"),
            Redefinition,
            &["`.maxnreg`", "twice"],
        ),
    ]);
}

/// Each program has one problem, at its mark, with this code, a label, and these words in its message.
fn each_says(programs: impl IntoIterator<Item = (String, Code, &'static [&'static str])>) {
    let mut wrong = Vec::new();
    for (program, code, words) in programs {
        if let Some(difference) = differs(&program) {
            wrong.push(difference);
            continue;
        }
        let (text, _) = marked(&program);
        let mut compiler = Compiler::new();
        let source = compiler.add_source("t", text.as_str());
        let options = compiler.options(Request::default());
        let (_, said) = joins::compile(&compiler, source, options, Language::TileAa);
        for problem in said {
            let label = problem
                .primary
                .as_ref()
                .map_or("", |label| label.message.as_str());
            let has_words = words.iter().all(|word| problem.message.contains(word));
            if problem.code != code || label.is_empty() || !has_words {
                wrong.push(format!(
                    "{program}\n  says {} {} ({label})\n",
                    problem.code, problem.message
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_order_that_an_access_does_not_have_is_refused_at_the_order() {
    const SPEC: &str = "target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0";
    let tile = "dim_map = [0], steps = [8], inbounds = [false]";
    let tileaa = |op: &str| inner_kernel(&op.replace("TILE", tile));
    let tileas = |op: &str| {
        let layout = "linear<lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], shape = [128]>";
        let tile = "dim_map = [0], steps = [128], inbounds = [true]";
        format!(
            "#l = {layout}\n#b = linear<offset = [[1], [2], [4], [8], [16], [32], [64]], shape = [128]>\n\n\
             tileas.func @f(%p: ptr<f32>, %n: i32, %x: f32) {{{SPEC}}} body {{\n  \
             %m = tileas.memref %p, [%n], [] : memref<?xf32, strides = [1], align = 16, class = 0, extent_div = [4]>\n  \
             %v = tile.splat %x : tile<128xf32, #l>\n  {}\n  scf.return\n}}\n",
            op.replace("TILE", tile)
        )
    };
    let desugared = |op: &str| {
        format!(
            "cute_desugared.func @f(%p: ptr<f32>, %x: f32) {{{SPEC}}} body {{\n  \
             %v = fragment.splat %x : fragment<1xf32>\n  {op}\n  scf.return\n}}\n"
        )
    };
    let llvm = |op: &str| {
        format!(
            "llvm.func @f(%p: ptr<1>, %n: i32, %a: i64) {{target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0}} \
             body {{\n  {op}\n  llvm.return\n}}\n"
        )
    };
    let nvvm = |op: &str| {
        format!(
            "nvvm.func @f(%p: b64, %n: b32) {{target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0}} body \
             {{\n  {op}\n  nvvm.ret\n}}\n"
        )
    };
    use Code::{AttributeValue, ConflictingAttributes, MissingAttribute};
    each_says([
        (
            tileaa(
                "%x, %t = tileaa.load %m, [%n] {TILE, order = «release», scope = device} : tile<8xf32>, token",
            ),
            AttributeValue,
            &["a load", "weak, relaxed, acquire", "not release"][..],
        ),
        (
            tileaa("%t = tileaa.store %m, [%n], %f8 {TILE, order = «acquire», scope = device} : token"),
            AttributeValue,
            &["a store", "weak, relaxed, release", "not acquire"],
        ),
        // One mistake, though there is no scope either.
        (
            tileaa("%t = tileaa.store %m, [%n], %f8 {TILE, order = «acquire»} : token"),
            AttributeValue,
            &["not acquire"],
        ),
        (
            tileaa("%x, %t = tileaa.load %m, [%n] {TILE, order = «relaxed»} : tile<8xf32>, token"),
            MissingAttribute,
            &["`relaxed`", "none"],
        ),
        (
            tileaa("%x, %t = tileaa.gather_load %p {order = weak, scope = «device»} : f32, token"),
            AttributeValue,
            &["weak", "`device`"],
        ),
        (
            tileaa("%t = tileaa.multimem_reduce %m, [%n], %f8 {TILE, op = addf, order = «weak»} : token"),
            AttributeValue,
            &["a reduction", "relaxed, release", "not weak"],
        ),
        (
            tileaa("%t = tileaa.multimem_reduce %m, [%n], %f8 {TILE, op = addf, order = «relaxed»} : token"),
            MissingAttribute,
            &["`relaxed`", "none"],
        ),
        (
            tileaa(
                "%x, %t = tileaa.gather_load %p {order = «acquire», scope = device, route = cp_async<4>} : f32, token",
            ),
            ConflictingAttributes,
            &["`cp_async`", "weak", "not acquire"],
        ),
        (
            tileas(
                "%y, %t = tileas.load %m, [%n] {TILE, order = «release», scope = device, atom = ld<32b>} : tile<128xf32, #l>, token",
            ),
            AttributeValue,
            &["a load", "not release"],
        ),
        (
            tileas(
                "%t = tileas.store %m, [%n], %v {TILE, order = «acquire», scope = block, atom = st<32b>} : token",
            ),
            AttributeValue,
            &["a store", "not acquire"],
        ),
        (
            tileas(
                "%y, %t = tileas.load %m, [%n] {TILE, order = «acquire», scope = device, atom = tma<box = [128]>} : buffer<128xf32, shared, #b>, token",
            ),
            ConflictingAttributes,
            &["`tma`", "weak", "not acquire"],
        ),
        (
            tileas(
                "%t = tileas.store %m, [%n], %v {TILE, order = «release», scope = device, atom = tma<box = [128]>} : token",
            ),
            ConflictingAttributes,
            &["`tma`", "weak", "not release"],
        ),
        (
            tileas(
                "%y, %t = tileas.load %m, [%n] {TILE, order = «acquire», scope = device, atom = cp_async<32b, #l>} : buffer<128xf32, shared, #b>, token",
            ),
            ConflictingAttributes,
            &["`cp_async`", "weak", "not acquire"],
        ),
        (
            tileas(
                "%y, %t = tileas.load %m, [%n] {TILE, order = weak, scope = «block», atom = cp_async<32b, #l>} : buffer<128xf32, shared, #b>, token",
            ),
            AttributeValue,
            &["weak", "`block`"],
        ),
        (
            desugared(
                "%y = fragment.load %p {offsets = [0], vector = 1, order = «release», scope = system} : fragment<1xf32>",
            ),
            AttributeValue,
            &["a load", "not release"],
        ),
        (
            desugared("fragment.store %p, %v {offsets = [0], vector = 1, order = «release»}"),
            MissingAttribute,
            &["`release`", "none"],
        ),
        (
            desugared(
                "fragment.multimem_reduce %p, %v {offsets = [0], vector = 1, op = addf, order = «acquire», scope = device}",
            ),
            AttributeValue,
            &["a reduction", "not acquire"],
        ),
        (
            llvm("%x = llvm.load %p {align = 4, order = «release», scope = device} : i32"),
            AttributeValue,
            &["a load", "not release"],
        ),
        (
            llvm("llvm.store %p, %n {align = 4, order = «acquire», scope = device}"),
            AttributeValue,
            &["a store", "not acquire"],
        ),
        (
            llvm("llvm.store %p, %n {align = 4, order = weak, scope = «device»}"),
            AttributeValue,
            &["weak", "`device`"],
        ),
        (
            nvvm("%x = nvvm.ld %p {order = «release», scope = gpu, space = global, ty = b32} : b32"),
            AttributeValue,
            &["a load", "not release"],
        ),
        (
            nvvm("nvvm.st %p, [%n] {order = «relaxed», space = global, ty = b32}"),
            MissingAttribute,
            &["`relaxed`", "none"],
        ),
        (
            nvvm("nvvm.st %p, [%n] {scope = «cluster», space = global, ty = b32}"),
            AttributeValue,
            &["weak", "`cluster`"],
        ),
        (
            nvvm("nvvm.red %p, [%n] {order = «acq_rel», scope = gpu, space = global, op = add, ty = u32}"),
            AttributeValue,
            &["a reduction", "not acq_rel"],
        ),
    ]);
}

#[test]
fn a_modifier_that_no_form_has_with_the_others_is_refused_at_its_place() {
    use Code::AttributeValue;
    let nvvm = |op: &str| {
        format!(
            "nvvm.func @f(%p: b64, %x: f64) {{target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0}} body {{\n  \
             {op}\n  nvvm.ret\n}}\n"
        )
    };
    let ptx = |op: &str| {
        format!(
            ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{{\n  .reg .b64 %a;\n  .reg .b32 %b;\n  \
             {op}\n  ret;\n}}\n"
        )
    };
    each_says([
        // A scope that is wider than the op allows.
        (
            nvvm(
                "%s = nvvm.mbarrier.arrive %p {arrival = arrive, order = release, scope = «gpu», space = shared, ty = b64} : b64",
            ),
            AttributeValue,
            &["the `scope` of `nvvm.mbarrier.arrive`", "cta, cluster, not gpu"][..],
        ),
        (
            nvvm("%y = nvvm.add %x, %x {«sat», ty = f64} : f64"),
            AttributeValue,
            &["`nvvm.add`", "has no `sat`"],
        ),
        (
            nvvm(
                "%y = nvvm.ld %p {order = acquire, scope = gpu, space = global, cache = «cs», ty = f64} : f64",
            ),
            AttributeValue,
            &["`nvvm.ld`", "has no `cache = cs`"],
        ),
        (
            ptx("ld.weak«.gpu».global.b32 %b, [%a];"),
            AttributeValue,
            &["`ld`"],
        ),
        (
            ptx("ld«.acquire».global.b32 %b, [%a];"),
            AttributeValue,
            &["`ld`"],
        ),
    ]);
}

#[test]
fn numbers_that_a_kernel_or_an_agent_cannot_have_are_refused_at_their_attribute() {
    let agent = |attrs: &str| {
        format!(
            "scheduled.func @f() {{target = sm_90a, kernel_spec = {{num_warps = 4, num_ctas = 1}}, shared_bytes = 0}} body {{\n  \
             scheduled.agent {{name = \"all\", {attrs}}} body {{\n    scheduled.end\n  }}\n  scf.return\n}}\n"
        )
    };
    let tileas = |spec: &str| {
        format!(
            "tileas.func @k() {{target = sm_90a, kernel_spec = {{{spec}}}, shared_bytes = 0}} body {{\n  scf.return\n}}\n"
        )
    };
    each_at_its_mark([
        agent("first_warp = 0, warps = «8»"),
        agent("first_warp = 0, warps = «3»"),
        agent("first_warp = 0, warps = «0»"),
        agent("first_warp = 0, warps = 4, registers = «300»"),
        "tileaa.func @k() {target = sm_90a, occupancy = «0»} body {\n  scf.return\n}\n".to_owned(),
        tileas("num_warps = «-4», num_ctas = 1"),
        tileas("num_warps = «64», num_ctas = 1"),
        tileas("num_warps = 4, num_ctas = 1, «occupansy» = 2"),
        tileas("num_warps = 4, num_ctas = «two»"),
    ]);
}

/// The texts of the secondary labels of the only problem of a program.
fn also(text: &str) -> Vec<(String, String)> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::TileAa);
    let [problem] = said.as_slice() else {
        panic!("{text}\nsays {said:?}");
    };
    let labels = problem.secondary.iter().map(|label| match label.at {
        Location::Span(span) => (
            text[span.start as usize..]
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            label.message.clone(),
        ),
        _ => panic!("a place in the text"),
    });
    labels.collect()
}

#[test]
fn a_value_out_of_scope_is_shown_where_it_is_defined() {
    let later = "defined here, after this use".to_owned();
    let inside = "defined here, in a region that ends before this use".to_owned();
    for (text, wanted) in [
        (
            tile_kernel("%x = addi %y, %n : tile<i32>\n  %y = addi %n, %n : tile<i32>"),
            ("%y = addi %n, %n : tile<i32>".to_owned(), later.clone()),
        ),
        (
            tile_kernel(
                "if %b {\n    %y = addi %n, %n : tile<i32>\n    yield\n  }\n  %x = addi %y, %n : tile<i32>",
            ),
            ("%y = addi %n, %n : tile<i32>".to_owned(), inside.clone()),
        ),
        (
            inner_kernel(
                "%x = arith.addi %y, %n {overflow = wraps} : i32\n  %y = arith.addi %n, %n {overflow = wraps} : i32",
            ),
            (
                "%y = arith.addi %n, %n {overflow = wraps} : i32".to_owned(),
                later,
            ),
        ),
        (
            inner_kernel(
                "scf.if %b then {\n    %y = arith.addi %n, %n {overflow = wraps} : i32\n    scf.yield []\n  } otherwise {\n    \
                 scf.yield []\n  }\n  %x = arith.addi %y, %n {overflow = wraps} : i32",
            ),
            (
                "%y = arith.addi %n, %n {overflow = wraps} : i32".to_owned(),
                inside,
            ),
        ),
    ] {
        assert_eq!(also(&text), [wanted]);
    }
}
