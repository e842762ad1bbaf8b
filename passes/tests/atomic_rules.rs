//! Texts with atomic accesses, agreements and fences in each language: a legal one, and each mistake with its code.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Language;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

mod mistakes;
use mistakes::check;

#[test]
fn tileaa() {
    check::<TileAa>(
        "tileaa.func @f(%p: ptr<f32>, %q: ptr<i64>, %x: f32, %n: i64, %m: i1) {target = sm_90a} body {
  %k = tileaa.create_mem_token : token
  %a, %ka = tileaa.atomic_rmw %p, %x, mask %m, after %k {op = addf, order = relaxed, scope = device} : f32, token
  %b, %kb = tileaa.atomic_cas %q, %n, %n, after %ka {order = acq_rel, scope = system} : i64, token
  %r = tileaa.memref %q, [], [] : memref<64xi64, strides = [1], align = 8, class = 0>
  %t = tile.splat %n : tile<16xi64>
  %ks = tileaa.atomic_scatter %p, %x, mask %m, after %kb {op = maxf, order = acq_rel, scope = block} : token
  %kt = tileaa.atomic_tile %r, [%n], %t, after %ks {dim_map = [0], steps = [16], inbounds = [true], op = min_signed, order = relaxed, scope = block} : token
  %kf = tileaa.fence after %kt {kind = alias} : token
  scf.return
}
",
        &[
            ("op = addf", "op = xor", Code::BadElementType),
            ("op = min_signed", "op = addf", Code::BadElementType),
            ("%p, %x", "%q, %x", Code::TypeMismatch),
            ("%q, %n, %n", "%q, %x, %n", Code::TypeMismatch),
            ("mask %m", "mask %n", Code::TypeMismatch),
            ("after %kb", "after %n", Code::OperandType),
            ("op = maxf", "op = add", Code::BadElementType),
            ("atomic_scatter %p, %x", "atomic_scatter %q, %x", Code::TypeMismatch),
            ("after %kt", "after %n", Code::OperandType),
            ("steps = [16]", "steps = [0]", Code::AttributeValue),
            ("dim_map = [0]", "dim_map = [1]", Code::BadDimMap),
            ("} : f32, token", "} : i32, token", Code::TypeMismatch),
        ],
    );
}

#[test]
fn tileas_and_scheduled() {
    let text = "tileas.func @f(%p: ptr<f32>, %x: f32) {target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0} body {
  %a, %k = tileas.atomic_rmw %p, %x {op = addf, order = relaxed, scope = device} : f32, token
  %b = tileas.agree %a : f32
  scf.return
}
";
    check::<TileAs>(
        text,
        &[
            ("agree %a : f32", "agree %a : i32", Code::TypeMismatch),
            ("agree %a : f32", "agree %k : token", Code::OperandType),
        ],
    );
    // In `scheduled` elements go to other threads through buffers.
    let body = text.lines().nth(1).expect("a line");
    check::<Scheduled>(
        &format!(
            "{}\n  scheduled.agent {{name = \"all\", first_warp = 0, warps = 4}} body {{\n{body}\n    scheduled.end\n  }}\n  scf.return\n}}\n",
            text.lines()
                .next()
                .expect("a line")
                .replace("tileas.func", "scheduled.func")
        ),
        &[(
            "    scheduled.end",
            "    %b = tileas.agree %a : f32\n    scheduled.end",
            Code::BadLayout,
        )],
    );
}

#[test]
fn cute_desugared() {
    check::<CuteDesugared>(
        "cute_desugared.func @f(%p: ptr<f32>, %x: f32, %m: i1) {target = sm_90a, kernel_spec = {num_warps = 1, num_ctas = 1}, shared_bytes = 0} body {
  %v = fragment.splat %x : fragment<2xf32>
  %ps = fragment.splat %p : fragment<2xptr<f32>>
  %a = fragment.atomic_rmw %p, %v, pred %m {offsets = [0, 7], vector = 1, op = addf, order = relaxed, scope = device} : fragment<2xf32>
  %b = fragment.atomic_cas %ps, %a, %v, pred %m {order = acquire, scope = block} : fragment<2xf32>
  gpu.fence {kind = wait_for_grids}
  scf.return
}
",
        &[
            ("op = addf", "op = and", Code::BadElementType),
            ("offsets = [0, 7]", "offsets = [0]", Code::AttributeValue),
            ("vector = 1", "vector = 2", Code::AttributeValue),
            ("%p, %v", "%x, %v", Code::TypeMismatch),
            ("%ps, %a, %v", "%ps, %x, %v", Code::TypeMismatch),
            ("%b = fragment.atomic_cas %ps, %a, %v, pred %m {order = acquire, scope = block} : fragment<2xf32>",
             "%b = fragment.atomic_cas %ps, %a, %v, pred %m {order = acquire, scope = block} : fragment<2xi32>", Code::TypeMismatch),
        ],
    );
}

#[test]
fn llvm_like() {
    check::<Llvm>(
        "llvm.func @f(%p: ptr<1>, %x: bf16, %h: i16, %m: i1, %i: i8) {target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, nvvm.minctasm = 1, shared_bytes = 16} body {
  %s = llvm.shared_base : ptr<3>
  %a = llvm.atomicrmw %p, %x, mask %m {op = addf, order = relaxed, scope = device} : bf16
  %b = llvm.cmpxchg %p, %h, %h, mask %m {order = release, scope = system} : i16
  %v = llvm.build_vector [%x, %x, %x, %x] : vector<4xbf16>
  %c = llvm.atomicrmw %p, %v {op = maxf, order = release, scope = device} : vector<4xbf16>
  llvm.return
}
",
        &[
            ("op = addf", "op = exchange", Code::BadElementType),
            ("op = maxf", "op = and", Code::BadElementType),
            ("scope = device} : vector<4xbf16>", "scope = device} : bf16", Code::TypeMismatch),
            ("atomicrmw %p", "atomicrmw %s", Code::OperandType),
            ("cmpxchg %p, %h, %h", "cmpxchg %p, %x, %h", Code::TypeMismatch),
            ("atomicrmw %p, %x, mask %m", "atomicrmw %p, %x, mask %h", Code::OperandType),
            ("cmpxchg %p, %h, %h, mask %m {order = release, scope = system} : i16",
             "cmpxchg %p, %i, %i, mask %m {order = release, scope = system} : i8", Code::BadElementType),
        ],
    );
}

#[test]
fn the_scope_of_clusters_needs_a_target_that_has_them() {
    let spec = "kernel_spec = {num_warps = 1, num_ctas = 1}, shared_bytes = 0";
    let head = |language: &str, params: &str, attrs: &str, body: &str| {
        format!("{language}.func @f({params}) {{target = sm_90a{attrs}}} body {{\n{body}}}\n")
    };
    let tiles = |language: &str, atom: &str| {
        format!(
            "  %r, %k = {language}.gather_load %p {{order = acquire, scope = device{atom}}} : f32, token
  %a, %l = {language}.atomic_rmw %p, %r, after %k {{op = addf, order = relaxed, scope = device}} : f32, token
"
        )
    };
    let fragments =
        "  %r = fragment.load %p {offsets = [0], vector = 1, order = acquire, scope = device} : f32
  %a = fragment.atomic_rmw %p, %r {offsets = [0], vector = 1, op = addf, order = relaxed, scope = device} : f32
  scf.return
";
    let scalars = "  %r = llvm.load %p {align = 4, order = acquire, scope = device} : f32
  %a = llvm.atomicrmw %p, %r {op = addf, order = relaxed, scope = device} : f32
  llvm.return
";
    let scheduled = format!(
        "  scheduled.agent {{name = \"all\", first_warp = 0, warps = 1}} body {{\n{}    scheduled.end\n  }}\n  scf.return\n",
        tiles("tileas", ", atom = ld<32b>")
    );
    let ended = |body: String| body + "  scf.return\n";
    let spec_after = format!(", {spec}");
    let kernel = ", nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0";
    of_clusters::<TileAa>(&head("tileaa", "%p: ptr<f32>", "", &ended(tiles("tileaa", ""))));
    let text = head(
        "tileas",
        "%p: ptr<f32>",
        &spec_after,
        &ended(tiles("tileas", ", atom = ld<32b>")),
    );
    of_clusters::<TileAs>(&text);
    of_clusters::<Scheduled>(&head("scheduled", "%p: ptr<f32>", &spec_after, &scheduled));
    of_clusters::<CuteDesugared>(&head("cute_desugared", "%p: ptr<f32>", &spec_after, fragments));
    of_clusters::<Llvm>(&head("llvm", "%p: ptr<1>", kernel, scalars));
}

/// Checks that both accesses of a text may have the scope of a cluster, and neither of them before sm_90.
fn of_clusters<L: Language>(text: &str) {
    check::<L>(&text.replace("scope = device", "scope = cluster"), &[]);
    let old = text.replace("sm_90a", "sm_80");
    let wrong = ["acquire", "relaxed"].map(|order| format!("order = {order}, scope = device"));
    let clusters = wrong.each_ref().map(|from| from.replace("device", "cluster"));
    let mistakes = wrong.iter().zip(&clusters);
    let mistakes: Vec<_> = mistakes
        .map(|(from, to)| (from.as_str(), to.as_str(), Code::TargetLacksFeature))
        .collect();
    check::<L>(&old, &mistakes);
}
