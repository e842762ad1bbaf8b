//! Kernels of `cute` that name instructions themselves: inline PTX, shuffles, votes, atomic accesses, pointers of `llvm`. Compiled, run
//! in the simulator, and compared with what they mean.

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Diagnostic, FileId, Location};
use tilewright_irs::isa::Target;
use tilewright_simulator::{Arg, Device, Init};

const LANES: usize = 32;

/// A kernel of one warp: thread `%t` has element `%x` of `%in`, and stores `%r` as its element of `%out`.
fn kernel(body: &str) -> String {
    format!(
        "module {{
  gpu.module @kernels {{
    cuda.kernel @k(%in: !cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, %out: !cute.memref<i32, gmem, align<16>, \"(1024):(1)\">) \
         attributes {{nvvm.reqntid = array<i32: 32, 1, 1>}} {{
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %all = arith.constant -1 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c31 = arith.constant 31 : i32
      %c32 = arith.constant 32 : i32
      %at = cute.make_coord(%t) : (i32) -> !cute.coord<\"?\">
      %x = cute.memref.load(%in, %at) : (!cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, !cute.coord<\"?\">) -> i32
      %is = cute.get_iter(%in) : !cute.memref<i32, gmem, align<16>, \"(1024):(1)\">
      %ip = builtin.unrealized_conversion_cast %is : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
      %os = cute.get_iter(%out) : !cute.memref<i32, gmem, align<16>, \"(1024):(1)\">
      %op = builtin.unrealized_conversion_cast %os : !cute.ptr<i32, gmem, align<16>> to !llvm.ptr<1>
{body}
      cute.memref.store(%out, %at, %r) : (!cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, !cute.coord<\"?\">, i32) -> ()
      return
    }}
  }}
}}
"
    )
}

fn compiled(text: &str, target: Target, opt_level: u8) -> Result<String, Vec<String>> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("kernel.mlir", text.as_bytes());
    let options = compiler.options(Request {
        target: Some(target),
        opt_level,
        ..Request::default()
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    ptx.map(|ptx| ptx.to_string()).ok_or_else(|| {
        let line = |said: &Diagnostic<Location>| {
            let start = match said.primary.as_ref().map(|label| &label.at) {
                Some(Location::Span(span)) => Some(span.start as usize),
                _ => None,
            };
            let before = start.and_then(|start| text.get(..start)).unwrap_or("");
            let line = text
                .lines()
                .nth(before.matches('\n').count())
                .unwrap_or("")
                .trim();
            format!("{} {} | {line}", said.code, said.message)
        };
        said.iter().map(line).collect()
    })
}

/// The words that the kernel leaves in `%out`, of which each is -9 before.
fn run(body: &str, input: &[u32]) -> Vec<u32> {
    run_on(Target::sm(80), body, input)
}

fn run_on(target: Target, body: &str, input: &[u32]) -> Vec<u32> {
    let text = kernel(body);
    let mut all = Vec::new();
    for opt_level in [0, 3] {
        let ptx = compiled(&text, target, opt_level).unwrap_or_else(|said| panic!("{text}\n{said:#?}"));
        let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
        let mut device = Device::new();
        let bytes = |words: &[u32]| {
            words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let given = device.alloc("in", 4096, Init::Data(bytes(input)));
        let before = vec![(-9i32).cast_unsigned(); 1024];
        let left = device.alloc("out", 4096, Init::Data(bytes(&before)));
        let args: Vec<Arg> = vec![given.into(), left.into()];
        device
            .launch(&module, "k", [1, 1, 1], [32, 1, 1], 4096, &args)
            .unwrap_or_else(|fault| panic!("{ptx}\n{fault}"));
        let words = device.read(left).chunks_exact(4);
        let words = words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        all.push(words.collect::<Vec<u32>>());
    }
    let [plain, optimised] = all.as_slice() else {
        panic!("two levels");
    };
    assert_eq!(plain, optimised, "{text}");
    plain.clone()
}

/// What each lane stores.
fn lanes(body: &str, input: &[u32]) -> Vec<u32> {
    let mut words = run(body, input);
    words.truncate(LANES);
    words
}

/// Numbers that differ.
fn numbers() -> Vec<u32> {
    (0..1024u32)
        .map(|i| i.wrapping_mul(2_654_435_761).rotate_left(7) ^ 0x55)
        .collect()
}

fn check(body: &str, expected: impl Fn(usize, &[u32]) -> u32) {
    let input = numbers();
    let want: Vec<u32> = (0..LANES).map(|lane| expected(lane, &input)).collect();
    assert_eq!(lanes(body, &input), want, "{body}");
}

#[test]
fn shuffles_take_lanes_above_below_and_across() {
    check(
        "%r = nvvm.shfl.sync up %all, %x, %c2, %c0 : i32 -> i32",
        |lane, x| x[if lane < 2 { lane } else { lane - 2 }],
    );
    check(
        "%r = nvvm.shfl.sync down %all, %x, %c3, %c31 : i32 -> i32",
        |lane, x| x[if lane + 3 < 32 { lane + 3 } else { lane }],
    );
    // Among 8 lanes: the clamp is 7, and lanes of other groups are masked.
    let within =
        "%clamp = arith.constant 6151 : i32\n%r = nvvm.shfl.sync down %all, %x, %c3, %clamp : i32 -> i32";
    check(within, |lane, x| {
        x[if lane % 8 + 3 < 8 { lane + 3 } else { lane }]
    });
    let by_number =
        "%other = arith.xori %t, %c3 : i32\n%r = nvvm.shfl.sync bfly %all, %x, %c3, %c31 : i32 -> i32";
    check(by_number, |lane, x| x[lane ^ 3]);
    check(
        "%r = nvvm.shfl.sync bfly %all, %x, %x, %c31 : i32 -> i32",
        |lane, x| x[(lane ^ x[lane] as usize) & 31],
    );
    let float = "%f = arith.bitcast %x : i32 to f32
      %g = nvvm.shfl.sync up %all, %f, %c1, %c0 : f32 -> f32
      %r = arith.bitcast %g : f32 to i32";
    check(float, |lane, x| x[lane.saturating_sub(1)]);
    let valid = "%both = nvvm.shfl.sync up %all, %x, %c2, %c0 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
      %moved = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
      %valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
      %r = arith.select %valid, %moved, %c3 : i32";
    check(valid, |lane, x| if lane < 2 { 3 } else { x[lane - 2] });
}

#[test]
fn lanes_vote_compare_and_reduce() {
    let odd = |x: &[u32]| {
        (0..32)
            .filter(|&lane| x[lane] & 1 == 1)
            .fold(0u32, |mask, lane| mask | 1 << lane)
    };
    let vote = |kind: &str, result: &str| {
        let extended = match result {
            "i1" => "%r = arith.extui %v : i1 to i32",
            _ => "%r = arith.addi %v, %c0 : i32",
        };
        format!(
            "%low = arith.andi %x, %c1 : i32
      %p = arith.cmpi ne, %low, %c0 : i32
      %v = nvvm.vote.sync {kind} %all, %p -> {result}
      {extended}"
        )
    };
    check(&vote("ballot", "i32"), |_, x| odd(x));
    check(&vote("any", "i1"), |_, x| u32::from(odd(x) != 0));
    check(&vote("all", "i1"), |_, x| u32::from(odd(x) == u32::MAX));
    check(&vote("uni", "i1"), |_, x| {
        u32::from(odd(x) == 0 || odd(x) == u32::MAX)
    });
    let reduce = |kind: &str| format!("%r = nvvm.redux.sync {kind} %x, %all : i32 -> i32");
    check(&reduce("add"), |_, x| {
        x[..32].iter().fold(0, |sum, x| x.wrapping_add(sum))
    });
    check(&reduce("xor"), |_, x| x[..32].iter().fold(0, |all, x| x ^ all));
    check(&reduce("umax"), |_, x| *x[..32].iter().max().expect("some"));
    check(&reduce("umin"), |_, x| *x[..32].iter().min().expect("some"));
    let signed = |x: &u32| x.cast_signed();
    check(&reduce("max"), |_, x| {
        x[..32].iter().map(signed).max().expect("some").cast_unsigned()
    });
    check(&reduce("min"), |_, x| {
        x[..32].iter().map(signed).min().expect("some").cast_unsigned()
    });
    let matched = "%two = arith.andi %x, %c3 : i32\n%r = nvvm.match.sync any %all, %two : i32 -> i32";
    check(matched, |lane, x| {
        (0..32)
            .filter(|&other| x[other] & 3 == x[lane] & 3)
            .fold(0, |mask, other| mask | 1 << other)
    });
}

#[test]
fn bits_are_counted() {
    for (name, count) in [
        ("ctpop", u32::count_ones as fn(u32) -> u32),
        ("ctlz", u32::leading_zeros),
        ("cttz", u32::trailing_zeros),
    ] {
        let mut input = numbers();
        input[3] = 0;
        input[4] = u32::MAX;
        input[5] = 1;
        let want: Vec<u32> = input[..LANES].iter().map(|&x| count(x)).collect();
        assert_eq!(
            lanes(&format!("%r = math.{name} %x : i32"), &input),
            want,
            "{name}"
        );
        let narrow = format!(
            "%s = arith.trunci %x : i32 to i16\n%n = math.{name} %s : i16\n%r = arith.extui %n : i16 to i32"
        );
        let want: Vec<u32> = input[..LANES]
            .iter()
            .map(|&x| match name {
                "ctpop" => (x & 0xFFFF).count_ones(),
                "ctlz" => (x & 0xFFFF).leading_zeros() - 16,
                _ => (x & 0xFFFF).trailing_zeros().min(16),
            })
            .collect();
        assert_eq!(lanes(&narrow, &input), want, "{name} of i16");
    }
}

#[test]
fn barriers_have_numbers_and_reduce() {
    let named = "%n = arith.andi %x, %c0 : i32
      %number = arith.addi %n, %c2 : i32
      nvvm.barrier id = %number number_of_threads = %c32
      nvvm.barrier id = %c3 number_of_threads = %c32
      nvvm.barrier.cta.sync %number, %c32 : i32, i32
      nvvm.barrier.cta.sync %c1 {aligned = true} : i32
      nvvm.bar.warp.sync %all : i32
      %r = arith.addi %x, %c0 : i32";
    check(named, |lane, x| x[lane]);
    for (kind, want) in [("and", 0), ("or", 1), ("popc", 20)] {
        let reduced = format!(
            "%c20 = arith.constant 20 : i32
      %p = arith.cmpi slt, %t, %c20 : i32
      %r = nvvm.barrier.cta.red %p, %c1, %c32 {{kind = #nvvm.barrier_redux_kind<{kind}>}} : i1, i32, i32 -> i32"
        );
        check(&reduced, |_, _| want);
    }
}

#[test]
fn atomic_accesses_change_what_is_there() {
    let out = (-9i32).cast_unsigned();
    let signed = |a: u32, b: u32, least: bool| {
        let (a, b) = (a.cast_signed(), b.cast_signed());
        if least { a.min(b) } else { a.max(b) }.cast_unsigned()
    };
    type OfThread = Box<dyn Fn(u32) -> u32>;
    let cases: [(&str, OfThread); 11] = [
        ("add", Box::new(move |x| out.wrapping_add(x))),
        ("sub", Box::new(move |x| out.wrapping_sub(x))),
        ("and", Box::new(move |x| out & x)),
        ("or", Box::new(move |x| out | x)),
        ("xor", Box::new(move |x| out ^ x)),
        ("exch", Box::new(move |x| x)),
        ("min", Box::new(move |x| signed(out, x, true))),
        ("max", Box::new(move |x| signed(out, x, false))),
        ("umin", Box::new(move |x| out.min(x))),
        ("umax", Box::new(move |x| out.max(x))),
        ("inc", Box::new(move |x| if out >= x { 0 } else { out + 1 })),
    ];
    let input = numbers();
    for (op, changed) in cases {
        let body = format!(
            "%i = arith.addi %t, %c32 : i32
      %p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %r = nvvm.atomicrmw {op} %p, %x : !llvm.ptr<1>, i32"
        );
        let words = run(&body, &input);
        assert_eq!(words[..32], [out; 32], "{op}");
        let want: Vec<u32> = input[..32].iter().map(|&x| changed(x)).collect();
        assert_eq!(words[32..64], want, "{op}");
    }
    // The lanes of one address have one after the other.
    let sum = "%p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      nvvm.red %p, %c3 {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>} : !llvm.ptr<1>, i32
      %r = arith.addi %x, %c0 : i32";
    assert_eq!(run(sum, &input)[32], out.wrapping_add(96));
    let swap = "%old = arith.constant -9 : i32
      %i = arith.addi %t, %c32 : i32
      %p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %low = arith.andi %t, %c1 : i32
      %expected = arith.addi %old, %low : i32
      %r = nvvm.atomicrmw cas %p, %expected, %x : !llvm.ptr<1>, i32, i32";
    let words = run(swap, &input);
    assert_eq!(words[..32], [out; 32]);
    for lane in 0..32 {
        let want = if lane % 2 == 0 { input[lane] } else { out };
        assert_eq!(words[32 + lane], want, "lane {lane}");
    }
    let float = "%f = arith.sitofp %t : i32 to f32
      %i = arith.addi %t, %c32 : i32
      %p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %f, %p : f32, !llvm.ptr<1>
      %old = nvvm.atomicrmw fadd %p, %f : !llvm.ptr<1>, f32
      %r = arith.fptosi %old : f32 to i32";
    let words = run(float, &input);
    for lane in 0..32u16 {
        assert_eq!(words[usize::from(lane)], u32::from(lane));
        assert_eq!(words[32 + usize::from(lane)], (2.0 * f32::from(lane)).to_bits());
    }
}

#[test]
fn pointers_of_llvm_are_moved_loaded_and_stored() {
    let quads = "%four = arith.constant 4 : i32
      %i = arith.muli %t, %four : i32
      %p = llvm.getelementptr %ip[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
      %w = arith.addi %v, %v : vector<4xi32>
      %o = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %wide = arith.extsi %t : i32 to i64
      %q = llvm.getelementptr %o[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi32>
      llvm.store %w, %q {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
      %b = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %byte = llvm.load %b : !llvm.ptr<1> -> i8
      %r = arith.extui %byte : i8 to i32";
    let input = numbers();
    let words = run(quads, &input);
    for at in 0..128 {
        assert_eq!(words[32 + at], input[at].wrapping_mul(2), "{at}");
    }
    for lane in 0..32 {
        let byte = input[lane / 4].to_le_bytes()[lane % 4];
        assert_eq!(words[lane], u32::from(byte), "lane {lane}");
    }
    let ordered = "%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %a = llvm.load volatile %p : !llvm.ptr<1> -> i32
      %b = llvm.load %p atomic syncscope(\"device\") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %c = nvvm.load.ext %p {cacheModifier = #nvvm.load_cache_modifier_ext<cg>} : !llvm.ptr<1> -> i32
      %d = nvvm.load.ext %p {order = #nvvm.mem_order<relaxed>, scope = #nvvm.mem_scope<gpu>} : !llvm.ptr<1> -> f32
      %e = arith.bitcast %d : f32 to i32
      %q = llvm.getelementptr %op[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %far = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %a, %far atomic syncscope(\"block\") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      llvm.fence syncscope(\"device\") acq_rel
      llvm.fence seq_cst
      %near = llvm.getelementptr %far[-32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      nvvm.store.ext %b, %near {cacheModifier = #nvvm.store_cache_modifier<cg>} : i32, !llvm.ptr<1>
      %number = llvm.ptrtoint %far : !llvm.ptr<1> to i64
      %again = llvm.inttoptr %number : i64 to !llvm.ptr<1>
      %back = llvm.load %again : !llvm.ptr<1> -> i32
      %ce = arith.addi %c, %e : i32
      %r = arith.addi %ce, %back : i32";
    let words = run(ordered, &input);
    for lane in 0..32 {
        assert_eq!(words[lane], input[lane].wrapping_mul(3));
        assert_eq!(words[32 + lane], input[lane]);
        assert_eq!(words[64 + lane], input[lane]);
    }
}

#[test]
fn masked_accesses_leave_out_elements() {
    let body = "%mask = arith.constant dense<[true, false, true, true]> : vector<4xi1>
      %other = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
      %v = llvm.intr.masked.load %ip, %mask, %other {alignment = 16 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
      %few = arith.constant dense<[false, true, false, true]> : vector<4xi1>
      %p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.intr.masked.store %v, %p, %few {alignment = 16 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr<1>
      %r = vector.extract %v[2] : i32 from vector<4xi32>";
    let input = numbers();
    let words = run(body, &input);
    let out = (-9i32).cast_unsigned();
    assert_eq!(words[32..36], [out, 2, out, input[3]]);
    assert_eq!(words[0], input[2]);
}

#[test]
fn vectors_have_computed_positions() {
    let vector = "%v = llvm.load %ip {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi32>
      %c7 = arith.constant 7 : i32
      %low = arith.andi %t, %c7 : i32
      %i = arith.index_cast %low : i32 to index\n";
    check(
        &format!("{vector}%r = vector.extract %v[%i] : i32 from vector<8xi32>"),
        |lane, x| x[lane % 8],
    );
    let inserted = format!(
        "{vector}%w = vector.insert %t, %v [%i] : i32 into vector<8xi32>
      %r = vector.reduction <add>, %w : vector<8xi32> into i32"
    );
    check(&inserted, |lane, x| {
        let sum = x[..8].iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
        sum.wrapping_sub(x[lane % 8]).wrapping_add(lane as u32)
    });
    let square = format!(
        "{vector}%s = vector.shape_cast %v : vector<8xi32> to vector<4x2xi32>
      %row = arith.andi %t, %c3 : i32
      %k = arith.index_cast %row : i32 to index
      %r = vector.extract %s[%k, 1] : i32 from vector<4x2xi32>"
    );
    check(&square, |lane, x| x[2 * (lane % 4) + 1]);
    let reduced = format!(
        "{vector}%s = vector.shape_cast %v : vector<8xi32> to vector<2x2x2xi32>
      %begin = arith.constant dense<[5, 7]> : vector<2xi32>
      %sums = vector.multi_reduction <add>, %s, %begin [0, 2] : vector<2x2x2xi32> to vector<2xi32>
      %r = vector.extract %sums[1] : i32 from vector<2xi32>"
    );
    check(&reduced, |_, x| {
        [2, 3, 6, 7]
            .iter()
            .fold(7u32, |sum, &at: &usize| sum.wrapping_add(x[at]))
    });
    let others = format!(
        "{vector}%w = vector.shuffle %v, %v [9, 0] : vector<8xi32>, vector<8xi32>
      %o = vector.outerproduct %w, %w : vector<2xi32>, vector<2xi32>
      %p = vector.insert %c3, %o [1, 0] : i32 into vector<2x2xi32>
      %a = vector.extract %p[0, 1] : i32 from vector<2x2xi32>
      %b = vector.extract %p[1, 0] : i32 from vector<2x2xi32>
      %r = arith.addi %a, %b : i32"
    );
    check(&others, |_, x| x[1].wrapping_mul(x[0]).wrapping_add(3));
}

#[test]
fn vectors_are_stretched_and_cut() {
    let vector = "%v = llvm.load %ip {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi32>
      %c15 = arith.constant 15 : i32
      %low = arith.andi %t, %c15 : i32
      %i = arith.index_cast %low : i32 to index\n";
    // What is picked of a vector of 16 elements, by lane.
    let picked = |make: &str, expected: fn(usize) -> usize| {
        let body = format!(
            "{vector}{make}
      %flat = vector.shape_cast %wide : vector<2x2x4xi32> to vector<16xi32>
      %r = vector.extract %flat[%i] : i32 from vector<16xi32>"
        );
        check(&body, |lane, x| x[expected(lane % 16)]);
    };
    let four = "%four = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>";
    let rows = format!("{four}\n%wide = vector.broadcast %four : vector<4xi32> to vector<2x2x4xi32>");
    picked(&rows, |at| 2 + at % 4);
    let columns = format!(
        "{four}
      %column = vector.shape_cast %four : vector<4xi32> to vector<2x2x1xi32>
      %wide = vector.broadcast %column : vector<2x2x1xi32> to vector<2x2x4xi32>"
    );
    picked(&columns, |at| 2 + at / 4);
    let between = "%s = vector.shape_cast %v : vector<8xi32> to vector<2x1x4xi32>
      %wide = vector.broadcast %s : vector<2x1x4xi32> to vector<2x2x4xi32>";
    picked(between, |at| at / 8 * 4 + at % 4);
    let slices = "%s = vector.shape_cast %v : vector<8xi32> to vector<2x4xi32>
      %zero = arith.constant dense<0> : vector<2x2x4xi32>
      %e = vector.insert_strided_slice %s, %zero {offsets = [0, 0, 0], strides = [1, 1]} : vector<2x4xi32> into vector<2x2x4xi32>
      %f = vector.insert_strided_slice %s, %e {offsets = [1, 0, 0], strides = [1, 1]} : vector<2x4xi32> into vector<2x2x4xi32>
      %corner = vector.extract_strided_slice %s {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x4xi32> to vector<2x2xi32>
      %wide = vector.insert_strided_slice %corner, %f {offsets = [1, 0, 2], strides = [1, 1]} : vector<2x2xi32> into vector<2x2x4xi32>";
    picked(slices, |at| {
        let (row, column) = (at / 4 % 2, at % 4);
        match at / 8 == 1 && column >= 2 {
            true => 4 * row + column - 1,
            false => 4 * row + column,
        }
    });
}

#[test]
fn carries_go_from_one_instruction_to_the_next() {
    let asm = |text: &str, operands: &str| {
        let constraints = "=r,r,r";
        format!(
            "llvm.inline_asm has_side_effects asm_dialect = att \"{text}\", \"{constraints}\" {operands} : (i32, i32) -> i32"
        )
    };
    let wide = |lane: usize, x: &[u32]| (u64::from(x[lane]), lane as u64);
    let sum = format!(
        "%lo = {}\n%hi = {}\n%r = arith.xori %lo, %hi : i32",
        asm("add.cc.u32 $0, $1, $2;", "%x, %x"),
        asm("addc.u32 $0, $1, $2;", "%t, %c3")
    );
    check(&sum, |lane, x| {
        let (x, lane) = wide(lane, x);
        let sum = 2 * x + ((lane + 3) << 32);
        (sum ^ (sum >> 32)) as u32
    });
    let difference = format!(
        "%lo = {}\n%mid = {}\n%hi = {}\n%a = arith.xori %lo, %mid : i32\n%r = arith.xori %a, %hi : i32",
        asm("sub.cc.u32 $0, $1, $2;", "%t, %x"),
        asm("subc.cc.u32 $0, $1, $2;", "%x, %t"),
        asm("subc.u32 $0, $1, $2;", "%c3, %c1")
    );
    check(&difference, |lane, x| {
        let (x, lane) = wide(lane, x);
        let number =
            |low: u64, mid: u64, high: u64| u128::from(low) | u128::from(mid) << 32 | u128::from(high) << 64;
        let left = number(lane, x, 3).wrapping_sub(number(x, lane, 1));
        (left ^ (left >> 32) ^ (left >> 64)) as u32
    });
    // The square of a number of 32 bits and the number itself, in one text; all but the last result within it.
    let product = format!(
        "%r = {}",
        asm(
            "{ .reg .b32 a; mad.lo.cc.u32 a, $1, $1, $1; madc.hi.u32 $0, $1, $1, $2; xor.b32 $0, $0, a; }",
            "%x, %t"
        )
    );
    check(&product, |lane, x| {
        let (x, lane) = wide(lane, x);
        let square = u128::from(x) * u128::from(x) + u128::from(x) + (u128::from(lane) << 32);
        (square ^ (square >> 32)) as u32
    });
}

/// `mma.sync` reads numbers of type tf32 as the bits of registers: fragments of A and B have elements of type i32. Copies move bits
/// to elements of another type.
#[test]
fn products_of_tf32_read_bits() {
    let mma = "!cute_nvgpu.sm80.mma<16x8x8, elem_type = (tf32, tf32, f32) >";
    let tiled = format!(
        "!cute.tiled_mma<{mma}, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">, permutation_MNK = <\"[_;_;_]\">>"
    );
    let copy = |element: &str| format!("!cute_nvgpu.atom.universal_copy<{element}, 32 b>");
    let memory = |of: &str, layout: &str| format!("!cute.memref<{of}, \"{layout}\">");
    let of_a = memory("tf32, gmem, align<16>", "(16,8):(8,1)");
    let of_b = memory("tf32, gmem, align<16>", "(8,8):(8,1)");
    let of_c = memory("i32, gmem, align<16>", "(16,8):(8,1)");
    let part_a = memory("tf32, gmem", "((2,2),1,1):((64,4),0,0)");
    let part_b = memory("tf32, gmem", "(2,1,1):(4,0,0)");
    let part_c = memory("i32, gmem, align<8>", "((2,2),1,1):((1,64),0,0)");
    let own_a = memory("i32, rmem, align<16>", "((2,2),1,1):((1,2),0,0)");
    let own_b = memory("i32, rmem, align<8>", "(2,1,1):(1,0,0)");
    let own_c = memory("f32, rmem, align<16>", "((2,2),1,1):((1,2),0,0)");
    let pointer = |of: &str| format!("!cute.ptr<{of}, gmem, align<16>>");
    let view = |name: &str, base: &str, offset: u32, of: &str, shape: &str, ty: &str| {
        format!(
            "%i{name} = cute.recast_iter({base}) : {from} to {to}
      %o{name} = cute.make_int_tuple() : () -> !cute.int_tuple<\"{offset}\">
      %p{name} = cute.add_offset(%i{name}, %o{name}) : ({to}, !cute.int_tuple<\"{offset}\">) -> {to}
      %s{name} = cute.make_shape() : () -> !cute.shape<\"{shape}\">
      %d{name} = cute.make_stride() : () -> !cute.stride<\"(8,1)\">
      %l{name} = cute.make_layout(%s{name}, %d{name}) : !cute.layout<\"{shape}:(8,1)\">
      %v{name} = cute.make_view(%p{name}, %l{name}) : {ty}\n",
            from = pointer("i32"),
            to = pointer(of),
        )
    };
    let body = [
        view("a", "%is", 0, "tf32", "(16,8)", &of_a),
        view("b", "%is", 128, "tf32", "(8,8)", &of_b),
        view("c", "%os", 64, "i32", "(16,8)", &of_c),
        format!("%atom = cute.make_atom() : () -> {mma}\n%m = cute.make_tiled_mma(%atom) : {tiled}\n"),
        format!(
            "%pta = cute.tiled.mma.partition A (%m, %va, %at) : ({tiled}, {of_a}, !cute.coord<\"?\">) -> {part_a}
      %ptb = cute.tiled.mma.partition B (%m, %vb, %at) : ({tiled}, {of_b}, !cute.coord<\"?\">) -> {part_b}
      %ptc = cute.tiled.mma.partition C (%m, %vc, %at) : ({tiled}, {of_c}, !cute.coord<\"?\">) -> {part_c}
      %fa = cute.mma.make_fragment A (%m, %pta) : ({tiled}, {part_a}) -> {own_a}
      %fb = cute.mma.make_fragment B (%m, %ptb) : ({tiled}, {part_b}) -> {own_b}
      %fc = cute.memref.alloca() : {own_c}
      %zeros = arith.constant dense<0.000000e+00> : vector<4xf32>
      cute.memref.store_vec(%zeros, %fc) : (vector<4xf32>, {own_c}) -> ()
      %bits = cute.make_atom() : () -> {tf32}
      cute.copy(%bits, %pta, %fa) : ({tf32}, {part_a}, {own_a})
      cute.copy(%bits, %ptb, %fb) : ({tf32}, {part_b}, {own_b})
      cute.gemm(%m, %fc, %fa, %fb, %fc) : ({tiled}, {own_c}, {own_a}, {own_b}, {own_c})
      %float = cute.make_atom() : () -> {f32}
      cute.copy(%float, %fc, %ptc) : ({f32}, {own_c}, {part_c})
      %r = arith.addi %x, %c0 : i32",
            tf32 = copy("tf32"),
            f32 = copy("f32"),
        ),
    ]
    .concat();
    // Small whole numbers, of which tf32 has all.
    let small = |at: usize| ((at * 7 + at / 5) % 23) as f32 - 11.0;
    let input: Vec<u32> = (0..1024).map(|at| small(at).to_bits()).collect();
    let words = run(&body, &input);
    for row in 0..16 {
        for column in 0..8 {
            let products = (0..8).map(|k| small(8 * row + k) * small(128 + 8 * column + k));
            let found = f32::from_bits(words[64 + 8 * row + column]);
            assert_eq!(found, products.sum::<f32>(), "row {row}, column {column}");
        }
    }
}

/// Copies of one thread say how they are ordered, and how they use the caches.
#[test]
fn copies_of_one_thread_have_orders_and_hints() {
    let tensor = |space: &str| format!("!cute.memref<i32, {space}, \"(1,1):(0,0)\">");
    let (global, own) = (tensor("gmem"), tensor("rmem, align<16>"));
    let body = |load: &str, store: &str| {
        let view = |name: &str, base: &str, offset: &str| {
            format!(
                "%o{name} = cute.make_int_tuple({offset}) : (i32) -> !cute.int_tuple<\"?\">
      %p{name} = cute.add_offset({base}, %o{name}) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<\"?\">) -> !cute.ptr<i32, gmem>
      %v{name} = cute.make_view(%p{name}, %layout) : {global}\n"
            )
        };
        let atoms = [("g2r", load), ("r2g", store)]
            .map(|(atom, how)| format!("!cute_nvgpu.atom.{atom}<i32 copy_bits = 32{how}>"));
        let [load, store] = &atoms;
        format!(
            "%shape = cute.make_shape() : () -> !cute.shape<\"(1,1)\">
      %layout = cute.make_layout(%shape) : !cute.layout<\"(1,1):(0,0)\">
      {from}%place = arith.addi %t, %c32 : i32
      {to}%f = cute.memref.alloca() : {own}
      %load = cute.make_atom() : () -> {load}
      cute.copy(%load, %vfrom, %f) : ({load}, {global}, {own})
      %store = cute.make_atom() : () -> {store}
      cute.copy(%store, %f, %vto) : ({store}, {own}, {global})
      %r = arith.addi %c0, %c0 : i32",
            from = view("from", "%is", "%t"),
            to = view("to", "%os", "%place"),
        )
    };
    for (load, store, written) in [
        ("", "", ["ld.global.b32", "st.global.b32"]),
        (
            " mem_order = acquire mem_scope = gpu",
            " mem_order = release mem_scope = sys",
            ["ld.acquire.gpu.global", "st.release.sys.global"],
        ),
        (
            " mem_order = relaxed",
            " mem_order = volatile mem_scope = gpu",
            ["ld.relaxed.cta.global", "st.relaxed.sys.global"],
        ),
        (
            " l1_cache_evict_priority = evict_last",
            " l1_cache_evict_priority = no_allocate",
            ["ld.global.L1::evict_last", "st.global.L1::no_allocate"],
        ),
        (
            " load_cache_mode = streaming",
            " store_cache_mode = write_through",
            ["ld.global.cs", "st.global.wt"],
        ),
        (
            " l2_prefetch_size = size_128b invariant = true",
            " store_cache_mode = global",
            ["ld.global.L2::128B", "st.global.cg"],
        ),
    ] {
        let body = body(load, store);
        let ptx =
            compiled(&kernel(&body), Target::sm(80), 3).unwrap_or_else(|said| panic!("{body}\n{said:#?}"));
        for word in written {
            assert!(ptx.contains(word), "{word}\n{ptx}");
        }
        let input = numbers();
        assert_eq!(run(&body, &input)[32..64], input[..32]);
    }
    for (load, said) in [
        (" mem_order = sc", "`sc`"),
        (" shared_space = cluster", "shared memory of a cluster"),
        (
            " l1_cache_evict_priority = evict_last load_cache_mode = global",
            "an eviction priority and a cache mode",
        ),
    ] {
        let refused = compiled(&kernel(&body(load, "")), Target::sm(80), 3).expect_err("a refusal");
        assert!(refused.len() == 1 && refused[0].contains(said), "{refused:#?}");
    }
}

#[test]
fn bits_of_vectors_are_elements_of_other_vectors() {
    check(
        "%f = arith.bitcast %x : i32 to f32
      %v = vector.from_elements %f, %f, %f, %f : vector<4xf32>
      %same = vector.from_elements %x, %x, %x, %x : vector<4xi32>
      %w = vector.insert %t, %same [1] : i32 into vector<4xi32>
      %d = vector.bitcast %w : vector<4xi32> to vector<2xi64>
      %e = vector.bitcast %d : vector<2xi64> to vector<4xi32>
      %a = vector.extract %e[1] : i32 from vector<4xi32>
      %h = vector.bitcast %v : vector<4xf32> to vector<8xf16>
      %i = vector.bitcast %h : vector<8xf16> to vector<16xi8>
      %j = vector.bitcast %i : vector<16xi8> to vector<4xi32>
      %b = vector.extract %j[3] : i32 from vector<4xi32>
      %r = arith.addi %a, %b : i32",
        |lane, x| x[lane].wrapping_add(u32::try_from(lane).expect("a lane")),
    );
}

#[test]
fn divisors_are_prepared_in_a_kernel() {
    let body = "%zero = cute.make_coord() : () -> !cute.coord<\"40\">
      %n = cute.memref.load(%in, %zero) : (!cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, !cute.coord<\"40\">) -> i32
      %d = cute.fast_divmod.create_divisor(%n) : i32 -> !cute.fast_divmod_divisor<32>
      %q, %m = cute.fast_divmod.compute(%x, %d) : i32, !cute.fast_divmod_divisor<32> -> i32
      %p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %m, %o : i32, !llvm.ptr<1>
      %r = arith.addi %q, %c0 : i32";
    for divisor in [
        1,
        2,
        3,
        7,
        10,
        64,
        641,
        65_537,
        0x7FFF_FFFF,
        0x8000_0000,
        0x8000_0001,
        u32::MAX,
    ] {
        let mut input = numbers();
        input[40] = divisor;
        input[0] = u32::MAX;
        input[1] = divisor;
        input[2] = divisor - 1;
        let words = run(body, &input);
        for lane in 0..32 {
            assert_eq!(words[lane], input[lane] / divisor, "{} / {divisor}", input[lane]);
            assert_eq!(
                words[32 + lane],
                input[lane] % divisor,
                "{} % {divisor}",
                input[lane]
            );
        }
    }
}

#[test]
fn inline_ptx_is_what_its_instructions_are() {
    // One instruction.
    check(
        "%r = llvm.inline_asm asm_dialect = att \"add.s32 $0, $1, $2;\", \"=r,r,r\" %x, %t : (i32, i32) -> i32",
        |lane, x| x[lane].wrapping_add(lane as u32),
    );
    // A block with registers of its own, a constant, and a truth value in a register.
    let vote = "%p = arith.cmpi slt, %t, %c3 : i32
      %r = llvm.inline_asm has_side_effects asm_dialect = att \"{\\0A .reg .pred p;\\0A setp.ne.b32 p, $1, 0;\\0A \
                vote.sync.ballot.b32 $0, p, $2;\\0A}\", \"=r,r,i\" %p, %all : (i1, i32) -> i32";
    check(vote, |_, _| 7);
    let bytes = "%h = llvm.inline_asm asm_dialect = att \"bfind.shiftamt.u32 $0, $1;\", \"=r,r\" %x : (i32) -> i32
      %m = llvm.inline_asm asm_dialect = att \"mad24.lo.u32 $0, $1, $2, $3;\", \"=r,r,r,r\" %x, %t, %h : (i32, i32, i32) -> i32
      %r = llvm.inline_asm asm_dialect = att \"dp4a.u32.u32 $0, $1, $2, $3;\", \"=r,r,r,r\" %x, %c1, %m : (i32, i32, i32) -> i32";
    check(bytes, |lane, x| {
        let low = (x[lane] & 0xFF_FFFF).wrapping_mul(lane as u32);
        low.wrapping_add(x[lane].leading_zeros())
            .wrapping_add(x[lane] & 0xFF)
    });
    // Several results, of which one is a truth value.
    let both = "%two = llvm.inline_asm asm_dialect = att \"{ .reg .pred q; setp.lt.u32 q, $2, $3; selp.b32 $0, 1, 0, q; mul.lo.u32 $1, $2, 3; }\", \
                \"=r,=r,r,r\" %x, %t : (i32, i32) -> !llvm.struct<(i1, i32)>
      %less = llvm.extractvalue %two[0] : !llvm.struct<(i1, i32)>
      %triple = llvm.extractvalue %two[1] : !llvm.struct<(i1, i32)>
      %r = arith.select %less, %t, %triple : i32";
    check(both, |lane, x| {
        if x[lane] < lane as u32 {
            lane as u32
        } else {
            x[lane].wrapping_mul(3)
        }
    });
    // Guards, and a result that begins as an operand.
    let guarded = "%r = llvm.inline_asm asm_dialect = att \"{ .reg .pred q; setp.gt.u32 q, $2, 15; @q add.u32 $0, $0, 5; @!q mov.u32 $0, 9; }\", \
                   \"=r,0,r\" %x, %t : (i32, i32) -> i32";
    check(
        guarded,
        |lane, x| if lane > 15 { x[lane].wrapping_add(5) } else { 9 },
    );
    // Memory, special registers, vectors in braces and registers of bits that hold floats.
    let memory = "%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %r = llvm.inline_asm has_side_effects asm_dialect = att \"{ .reg .b32 a, b; .reg .u32 l<2>; ld.global.b32 a, [$1+4]; \
           mov.u32 l1, %laneid; add.u32 b, a, l1; st.global.b32 [$2], b; mov.b32 $0, b; }\", \"=r,l,l,~{memory}\" %p, %op : \
           (!llvm.ptr<1>, !llvm.ptr<1>) -> i32";
    let input = numbers();
    let words = run(&memory.replace("[$2]", "[$2+256]"), &input);
    for lane in 0..32 {
        assert_eq!(words[lane], input[lane + 1].wrapping_add(lane as u32));
    }
    let floats = "%f = arith.sitofp %t : i32 to f32
      %g = llvm.inline_asm asm_dialect = att \"{ .reg .b32 a; mov.b32 a, $1; add.f32 $0, a, 0f3F800000; }\", \"=f,f\" %f : (f32) -> f32
      %r = arith.fptosi %g : f32 to i32";
    check(floats, |lane, _| lane as u32 + 1);
    let halves = "%f = arith.sitofp %t : i32 to f32
      %v = llvm.inline_asm asm_dialect = att \"cvt.rn.f16x2.f32 $0, $1, $2;\", \"=r,f,f\" %f, %f : (f32, f32) -> vector<2xf16>
      %h = vector.extract %v[1] : f16 from vector<2xf16>
      %w = arith.extf %h : f16 to f32
      %r = arith.fptosi %w : f32 to i32";
    check(halves, |lane, _| lane as u32);
    let nothing = "llvm.inline_asm has_side_effects asm_dialect = att \"\", \"~{memory}\" : () -> ()
      %r = arith.addi %x, %c0 : i32";
    check(nothing, |lane, x| x[lane]);
}

#[test]
fn shared_memory_is_reached_by_pointers() {
    let shared = |body: &str| {
        format!(
            "%s = cute.memref.alloca() {{smem.partition_id = 1 : i32}} : !cute.memref<i32, smem, align<16>, \"(64):(1)\">
      %ss = cute.get_iter(%s) : !cute.memref<i32, smem, align<16>, \"(64):(1)\">
      %sp = builtin.unrealized_conversion_cast %ss : !cute.ptr<i32, smem, align<16>> to !llvm.ptr<3>
      %mine = llvm.getelementptr %sp[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %back = arith.subi %c31, %t : i32
      %other = llvm.getelementptr %sp[%back] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
{body}"
        )
    };
    let reversed = shared(
        "llvm.store %x, %mine {alignment = 4 : i64} : i32, !llvm.ptr<3>
      nvvm.barrier.cta.sync %c0 : i32
      %r = llvm.load %other {alignment = 4 : i64} : !llvm.ptr<3> -> i32",
    );
    check(&reversed, |lane, x| x[31 - lane]);
    let summed = shared(
        "llvm.store %c0, %mine : i32, !llvm.ptr<3>
      nvvm.barrier
      nvvm.red %sp, %t {memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<cta>, op = #nvvm.red_op<add>, type = #nvvm.red_type<s32>} : !llvm.ptr<3>, i32
      nvvm.barrier
      %r = llvm.load %sp : !llvm.ptr<3> -> i32",
    );
    check(&summed, |_, _| 496);
    let copied = shared(
        "%from = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      nvvm.cp.async.shared.global %mine, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      nvvm.barrier
      %r = llvm.load %other : !llvm.ptr<3> -> i32",
    );
    check(&copied, |lane, x| x[31 - lane]);
    let matrices = shared(
        "llvm.store %x, %mine : i32, !llvm.ptr<3>
      nvvm.barrier
      %c7 = arith.constant 7 : i32
      %row = arith.andi %t, %c7 : i32
      %four = arith.muli %row, %c4 : i32
      %rows = llvm.getelementptr %sp[%four] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %r = nvvm.ldmatrix %rows {layout = #nvvm.mma_layout<row>, num = 1 : i32} : (!llvm.ptr<3>) -> i32",
    );
    let matrices = matrices
        .replace("%c4", "%c4x")
        .replace("%four =", "%c4x = arith.constant 4 : i32\n%four =");
    check(&matrices, |lane, x| x[lane]);
    let waited = shared(
        "%wide = cute.recast_iter(%ss) : !cute.ptr<i32, smem, align<16>> to !cute.ptr<i64, smem, align<16>>
      %bp = builtin.unrealized_conversion_cast %wide : !cute.ptr<i64, smem, align<16>> to !llvm.ptr<3>
      %first = arith.cmpi eq, %t, %c0 : i32
      scf.if %first {
        nvvm.mbarrier.init %bp, %c32 : !llvm.ptr<3>, i32
      }
      nvvm.barrier
      %far = llvm.getelementptr %mine[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      llvm.store %x, %far : i32, !llvm.ptr<3>
      %state = nvvm.mbarrier.arrive %bp : !llvm.ptr<3> -> i64
      scf.while : () -> () {
        %done = nvvm.mbarrier.try_wait.parity.timelimit %bp, %c0, %c32 : !llvm.ptr<3>, i32, i32 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %there = llvm.getelementptr %other[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %r = llvm.load %there : !llvm.ptr<3> -> i32",
    );
    check(&waited, |lane, x| x[31 - lane]);
}

#[test]
fn threads_in_a_line_have_parts_of_a_tensor() {
    let body = "%threads = cute.static : !cute.layout<\"32:1\">
      %part = cute.local_partition(%in, %threads, %t) : (!cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, !cute.layout<\"32:1\">, i32) -> !cute.memref<i32, gmem, \"(32):(32)\">
      %third = cute.make_coord() : () -> !cute.coord<\"3\">
      %r = cute.memref.load(%part, %third) : (!cute.memref<i32, gmem, \"(32):(32)\">, !cute.coord<\"3\">) -> i32";
    check(body, |lane, x| x[96 + lane]);
}

/// The error function by its series, which alternates: exact enough up to 4.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..120 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

fn float_of(op: &str) -> String {
    format!("%f = arith.bitcast %x : i32 to f32\n%g = {op} : f32\n%r = arith.bitcast %g : f32 to i32")
}

#[test]
fn elementary_functions_are_accurate() {
    type Case = (&'static str, fn(f64) -> f64, f64, f64);
    let cases: [Case; 7] = [
        ("math.erf %f", erf, 3.9, 2.0),
        ("math.asin %f", f64::asin, 1.0, 4.0),
        ("math.acos %f", f64::acos, 1.0, 4.0),
        ("math.atan %f", f64::atan, 40.0, 4.0),
        ("math.log10 %f", f64::log10, 90.0, 4.0),
        ("math.tan %f", f64::tan, 1.5, 4.0),
        ("math.ceil %f", f64::ceil, 50.0, 0.0),
    ];
    for (op, exact, most, allowed) in cases {
        for round in 0..12u16 {
            let input: Vec<f32> = (0..32u16)
                .map(|lane| {
                    let share = f32::from(lane * 12 + round) / 384.0;
                    let x = (2.0 * share - 1.0) * most as f32;
                    if op.contains("log") { x.abs() } else { x }
                })
                .collect();
            let bits: Vec<u32> = input.iter().map(|x| x.to_bits()).collect();
            for (x, have) in input.iter().zip(lanes(&float_of(op), &bits)) {
                let (have, want) = (f64::from(f32::from_bits(have)), exact(f64::from(*x)));
                let unit = f64::from(f32::EPSILON) * want.abs().max(f64::from(f32::MIN_POSITIVE));
                let off = match have == want {
                    true => 0.0,
                    false => (have - want).abs() / unit,
                };
                assert!(off <= allowed, "{op} of {x}: {have}, not {want}");
            }
        }
    }
    let special = [
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.0,
        -0.0,
        1e-40,
        10.0,
        -10.0,
    ];
    let bits: Vec<u32> = special.iter().map(|x| x.to_bits()).collect();
    let have = lanes(&float_of("math.erf %f"), &bits);
    let have: Vec<f32> = have.iter().map(|&bits| f32::from_bits(bits)).collect();
    assert_eq!(have[..2], [1.0, -1.0]);
    assert!(have[2].is_nan());
    assert_eq!((have[3].to_bits(), have[4].to_bits()), (0, 1 << 31));
    let small = 1e-40f32 * std::f32::consts::FRAC_2_SQRT_PI;
    assert!(
        have[5].to_bits().abs_diff(small.to_bits()) <= 2,
        "{} {small}",
        have[5]
    );
    assert_eq!(have[6..8], [1.0, -1.0]);
    let signs = [1.5f32, -2.5, 0.0, -0.0];
    let bits: Vec<u32> = signs.iter().map(|x| x.to_bits()).collect();
    let one = "%m = arith.constant 3.0 : f32\n".to_owned() + &float_of("math.copysign %m, %f");
    let have = lanes(&one, &bits);
    let want = [3.0f32, -3.0, 3.0, -3.0].map(f32::to_bits);
    assert_eq!(have[..4], want);
}

/// The error function in f64, at numbers of which the result is known to all digits.
#[test]
fn the_error_function_of_f64_is_accurate() {
    let exact = [
        (0.25, 0.276_326_390_168_236_96),
        (0.999, 0.842_285_270_206_496_9),
        (1.0, 0.842_700_792_949_714_9),
        (1.5, 0.966_105_146_475_310_8),
        (2.0, 0.995_322_265_018_952_7),
        (2.5, 0.999_593_047_982_555),
        (3.0, 0.999_977_909_503_001_4),
        (3.5, 0.999_999_256_901_627_6),
        (5.0, 0.999_999_999_998_462_6),
        (7.0, 1.0),
    ];
    for (x, want) in exact {
        for sign in [1.0f64, -1.0] {
            let body = format!(
                "%d = arith.constant {:?} : f64
      %e = math.erf %d : f64
      %p = llvm.getelementptr %op[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %e, %p : f64, !llvm.ptr<1>
      %r = arith.addi %x, %c0 : i32",
                x * sign
            );
            let words = run(&body, &numbers());
            let have = f64::from_bits(u64::from(words[33]) << 32 | u64::from(words[32]));
            let off = have.to_bits().abs_diff((want * sign).to_bits());
            assert!(off <= 2, "erf {}: {have:?}, not {want:?}", x * sign);
        }
    }
}

#[test]
fn special_registers_are_read() {
    for (name, value) in [
        ("ntid.x", (|_| 32) as fn(u32) -> u32),
        ("ntid.y", |_| 1),
        ("laneid", |lane| lane),
        ("lanemask.eq", |lane| 1 << lane),
        ("lanemask.lt", |lane| (1 << lane) - 1),
        ("warpsize", |_| 32),
        ("nwarpid", |_| 1),
        ("nsmid", |_| 1),
        ("gridid", |_| 0),
        ("dynamic.smem.size", |_| 4096),
    ] {
        let body = format!("%r = nvvm.read.ptx.sreg.{name} : i32");
        check(&body, |lane, _| value(lane as u32));
    }
}

#[test]
fn bits_are_cast() {
    check(
        "%h = llvm.bitcast %x : i32 to vector<2xf16>
      %f = vector.extract %h[1] : f16 from vector<2xf16>
      %n = llvm.bitcast %f : f16 to i16
      %r = arith.extui %n : i16 to i32",
        |lane, x| x[lane] >> 16,
    );
    check(
        "%f = llvm.bitcast %x : i32 to f32
      %v = vector.from_elements %f, %f : vector<2xf32>
      %d = llvm.bitcast %v : vector<2xf32> to i64
      %w = llvm.bitcast %d : i64 to vector<4xi16>
      %e = vector.extract %w[3] : i16 from vector<4xi16>
      %r = arith.extui %e : i16 to i32",
        |lane, x| x[lane] >> 16,
    );
}

/// Floats in `%f` and `%g`, a float of an op in `%h`.
fn of_floats(op: &str) -> String {
    format!(
        "%f = arith.bitcast %x : i32 to f32
      %there = arith.addi %t, %c32 : i32
      %next = cute.make_coord(%there) : (i32) -> !cute.coord<\"?\">
      %y = cute.memref.load(%in, %next) : (!cute.memref<i32, gmem, align<16>, \"(1024):(1)\">, !cute.coord<\"?\">) -> i32
      %g = arith.bitcast %y : i32 to f32
      {op}
      %r = arith.bitcast %h : f32 to i32"
    )
}

fn check_floats(op: &str, expected: impl Fn(f32, f32) -> f32) {
    let number = |i: u16| (f32::from(i) - 31.0) / 7.0;
    let input: Vec<u32> = (0..1024u16).map(|i| number(i % 67).to_bits()).collect();
    let have = lanes(&of_floats(op), &input);
    for (lane, have) in have.into_iter().enumerate() {
        let (f, g) = (f32::from_bits(input[lane]), f32::from_bits(input[lane + 32]));
        let want = expected(f, g);
        let have = f32::from_bits(have);
        assert!(have == want, "{op}: {f} and {g} give {want}, not {have}");
    }
}

#[test]
fn instructions_on_floats_round_as_they_say() {
    check_floats("%h = nvvm.fmin %f, %g", f32::min);
    check_floats("%h = nvvm.fmax nan %f, %g", f32::max);
    check_floats("%h = nvvm.fabs %f {ftz = true} : f32 -> f32", |f, _| f.abs());
    check_floats("%h = nvvm.addf %f, %g : f32", |f, g| f + g);
    check_floats(
        "%h = nvvm.subf %f, %g {rnd = #nvvm.fp_rnd_mode<rn>} : f32",
        |f, g| f - g,
    );
    check_floats(
        "%h = nvvm.addf %f, %g {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<sat>} : f32",
        |f, g| (f + g).clamp(0.0, 1.0),
    );
    check_floats(
        "%h = nvvm.fma %f, %g, %f {ftz = true, rnd = #nvvm.fp_rnd_mode<rn>} : f32",
        |f, g| f.mul_add(g, f),
    );
    let down = |exact: f64| {
        let nearest = exact as f32;
        if f64::from(nearest) > exact {
            nearest.next_down()
        } else {
            nearest
        }
    };
    check_floats(
        "%h = nvvm.addf %f, %g {rnd = #nvvm.fp_rnd_mode<rm>} : f32",
        move |f, g| down(f64::from(f) + f64::from(g)),
    );
    check_floats(
        "%h = llvm.call_intrinsic \"llvm.nvvm.mul.rm.f\"(%f, %g) : (f32, f32) -> f32",
        move |f, g| down(f64::from(f) * f64::from(g)),
    );
    check_floats(
        "%h = llvm.call_intrinsic \"llvm.nvvm.div.rn.f\"(%g, %f) : (f32, f32) -> f32",
        |f, g| g / f,
    );
    check_floats(
        "%a = nvvm.fabs %f : f32 -> f32\n%h = llvm.call_intrinsic \"llvm.nvvm.sqrt.rn.f\"(%a) : (f32) -> f32",
        |f, _| f.abs().sqrt(),
    );
    check_floats(
        "%d = arith.extf %f : f32 to f64
      %q = llvm.call_intrinsic \"llvm.nvvm.rcp.rn.d\"(%d) : (f64) -> f64
      %h = arith.truncf %q : f64 to f32",
        |f, _| (1.0 / f64::from(f)) as f32,
    );
    let halves = "%a = arith.truncf %f : f32 to f16
      %b = arith.truncf %g : f32 to f16
      %v = vector.from_elements %a, %b : vector<2xf16>
      %w = nvvm.fma %v, %v, %v {relu = true, rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>
      %z = vector.extract %w[1] : f16 from vector<2xf16>
      %e = arith.extf %z : f16 to f32
      %h = math.floor %e : f32";
    let input: Vec<u32> = (0..1024u16).map(|i| (f32::from(i % 8) - 4.0).to_bits()).collect();
    for (lane, have) in lanes(&of_floats(halves), &input).into_iter().enumerate() {
        let g = f32::from_bits(input[lane + 32]);
        assert_eq!(f32::from_bits(have), (g * g + g).max(0.0), "{g}");
    }
}

#[test]
fn approximate_instructions_come_near() {
    for (name, exact) in [
        ("sin.approx.f", f64::sin as fn(f64) -> f64),
        ("cos.approx.ftz.f", f64::cos),
        ("ex2.approx", f64::exp2),
        ("tanh.approx", f64::tanh),
    ] {
        let op = format!("%h = llvm.call_intrinsic \"llvm.nvvm.{name}\"(%f) : (f32) -> f32");
        let input: Vec<u32> = (0..1024u16)
            .map(|i| (f32::from(i) / 24.0 - 1.0).to_bits())
            .collect();
        for (x, have) in input.iter().zip(lanes(&of_floats(&op), &input)) {
            let (have, want) = (
                f64::from(f32::from_bits(have)),
                exact(f64::from(f32::from_bits(*x))),
            );
            assert!((have - want).abs() < 1e-3, "{name}: {have}, not {want}");
        }
    }
}

#[test]
fn inline_ptx_names_its_operands_by_roles() {
    check(
        "%r = nvvm.inline_ptx \"sub.s32 {$w0}, {$r1}, {$r0};\" ro(%t, %x : i32, i32) -> i32",
        |lane, x| x[lane].wrapping_sub(lane as u32),
    );
    check(
        "%two:2 = nvvm.inline_ptx \"setp.lt.u32 {$w0}, {$r0}, {$r1}; mov.b32 {$w1}, {$r2};\" \
            ro(%t, %c3, %x : i32, i32, i32) -> i1, i32
      %r = arith.select %two#0, %two#1, %t : i32",
        |lane, x| if lane < 3 { x[lane] } else { lane as u32 },
    );
    let guarded = "%p = arith.cmpi slt, %t, %c3 : i32
      %i = arith.addi %t, %c32 : i32
      %q = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      nvvm.inline_ptx \"st.global.b32 [{$r0}], {$r1};\" ro(%q, %x : !llvm.ptr<1>, i32), predicate = %p
      %r = arith.addi %x, %c0 : i32";
    let input = numbers();
    let words = run(guarded, &input);
    for lane in 0..32 {
        let want = if lane < 3 {
            input[lane]
        } else {
            (-9i32).cast_unsigned()
        };
        assert_eq!(words[32 + lane], want, "lane {lane}");
    }
}

#[test]
fn accesses_say_how_lines_are_cached() {
    let body = "%p = llvm.getelementptr %ip[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      nvvm.prefetch level = L1, %p : !llvm.ptr<1>
      nvvm.prefetch level = L2, evict_priority = evict_normal, %p : !llvm.ptr<1>
      %a = nvvm.load.ext %p {evict = #nvvm.evict_kind<evict_first>, prefetch = #nvvm.l2_prefetch<size_128b>} : !llvm.ptr<1> -> i32
      %b = nvvm.load.ext %p : !llvm.ptr<1> -> i8
      %w = arith.extui %b : i8 to i32
      %q = llvm.getelementptr %op[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %far = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      nvvm.store.ext %a, %far {evict = #nvvm.evict_kind<evict_no_allocate>} : i32, !llvm.ptr<1>
      nvvm.store.ext %b, %far : i8, !llvm.ptr<1>
      %r = arith.addi %a, %w : i32";
    let input = numbers();
    let words = run(body, &input);
    for lane in 0..32 {
        assert_eq!(
            words[lane],
            input[lane].wrapping_add(input[lane] & 0xFF),
            "lane {lane}"
        );
        assert_eq!(words[32 + lane], input[lane], "lane {lane}");
    }
}

#[test]
fn bytes_are_cast_together() {
    check(
        "%v = llvm.bitcast %x : i32 to vector<4xi8>
      %a = vector.extract %v[0] : i8 from vector<4xi8>
      %w = vector.insert %a, %v [3] : i8 into vector<4xi8>
      %r = llvm.bitcast %w : vector<4xi8> to i32",
        |lane, x| x[lane] & 0x00FF_FFFF | x[lane] << 24,
    );
    check(
        "%f = arith.bitcast %x : i32 to f32
      %v = vector.from_elements %f, %f : vector<2xf32>
      %u = llvm.bitcast %v : vector<2xf32> to vector<2xi32>
      %p = ub.poison : vector<2xi32>
      %q = vector.insert %t, %p [0] : i32 into vector<2xi32>
      %n = vector.extract %q[0] : i32 from vector<2xi32>
      %m = vector.extract %u[1] : i32 from vector<2xi32>
      %r = arith.addi %m, %n : i32",
        |lane, x| x[lane].wrapping_add(lane as u32),
    );
}

#[test]
fn blocks_of_a_cluster_meet() {
    let body = "nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.cluster.arrive
      nvvm.cluster.wait
      %n = nvvm.read.ptx.sreg.cluster.nctarank : i32
      %r = arith.addi %x, %n : i32";
    let input = numbers();
    let words = run_on(Target::sm_a(90), body, &input);
    for lane in 0..32 {
        assert_eq!(words[lane], input[lane].wrapping_add(1));
    }
    let said = compiled(&kernel(body), Target::sm(80), 3).expect_err("sm_80 has no clusters");
    assert!(said[0].contains("E0706"), "{said:?}");
}

#[test]
fn mbarriers_expect_bytes() {
    let body = "%s = cute.memref.alloca() {smem.partition_id = 1 : i32} : !cute.memref<i64, smem, align<16>, \"(4):(1)\">
      %ss = cute.get_iter(%s) : !cute.memref<i64, smem, align<16>, \"(4):(1)\">
      %bp = builtin.unrealized_conversion_cast %ss : !cute.ptr<i64, smem, align<16>> to !llvm.ptr<3>
      %first = arith.cmpi eq, %t, %c0 : i32
      scf.if %first {
        nvvm.mbarrier.init %bp, %c32 : !llvm.ptr<3>, i32
      }
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
      nvvm.barrier
      scf.if %first {
        nvvm.mbarrier.expect_tx %bp, %c0 : !llvm.ptr<3>, i32
        %a = nvvm.mbarrier.arrive.expect_tx %bp, %c0 : !llvm.ptr<3>, i32 -> i64
      } else {
        %b = nvvm.mbarrier.arrive %bp, %c1 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64
      }
      scf.while : () -> () {
        %done = nvvm.mbarrier.wait.parity %bp, %c0 {kind = #nvvm.mbar_wait<try>} : !llvm.ptr<3>, i32 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %r = arith.addi %x, %c1 : i32";
    let input = numbers();
    let words = run_on(Target::sm_a(90), body, &input);
    for lane in 0..32 {
        assert_eq!(words[lane], input[lane].wrapping_add(1));
    }
}

#[test]
fn two_halves_are_added_at_once() {
    let body = "%f = arith.sitofp %t : i32 to f16
      %one = arith.constant 1.0 : f16
      %v = vector.from_elements %f, %one : vector<2xf16>
      %i = arith.addi %t, %c32 : i32
      %p = llvm.getelementptr %op[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %before = llvm.bitcast %v : vector<2xf16> to i32
      llvm.store %before, %p : i32, !llvm.ptr<1>
      %old = nvvm.atomicrmw fadd %p, %v : !llvm.ptr<1>, vector<2xf16>
      %o = vector.extract %old[0] : f16 from vector<2xf16>
      %r = arith.fptosi %o : f16 to i32";
    let words = run(body, &numbers());
    assert_eq!(words[..32], (0..32).collect::<Vec<u32>>());
    // 2, as the upper half.
    assert!(
        words[32..64].iter().all(|word| word >> 16 == 0x4000),
        "{words:x?}"
    );
    // 31 + 31, as the lower.
    assert_eq!(words[63] & 0xFFFF, 0x53C0);
}

#[test]
fn composed_functions_are_accurate() {
    type Case = (&'static str, fn(f64) -> f64, f64, f64);
    let cases: [Case; 11] = [
        ("trunc", f64::trunc, 9.0, 0.0),
        ("round", f64::round, 9.0, 0.0),
        ("roundeven", f64::round_ties_even, 9.0, 0.0),
        ("sinh", f64::sinh, 9.0, 4.0),
        ("cosh", f64::cosh, 9.0, 4.0),
        ("expm1", f64::exp_m1, 9.0, 4.0),
        ("log1p", f64::ln_1p, 0.999, 4.0),
        ("asinh", f64::asinh, 9.0, 4.0),
        ("acosh", |x| (x.abs() + 1.0).acosh(), 9.0, 4.0),
        ("atanh", f64::atanh, 0.99, 4.0),
        ("cbrt", f64::cbrt, 90.0, 2.0),
    ];
    for (name, exact, most, allowed) in cases {
        // Near zero too: what is composed badly is so there.
        for scale in [1.0, 1e-2, 1e-6] {
            let input: Vec<f32> = (0..32u16)
                .map(|lane| ((f32::from(lane) / 16.0 - 0.999) * most as f32) * scale)
                .map(|x| if name == "acosh" { x.abs() + 1.0 } else { x })
                .collect();
            let bits: Vec<u32> = input.iter().map(|x| x.to_bits()).collect();
            for (x, have) in input
                .iter()
                .zip(lanes(&float_of(&format!("math.{name} %f")), &bits))
            {
                let from = if name == "acosh" {
                    f64::from(*x) - 1.0
                } else {
                    f64::from(*x)
                };
                let (have, want) = (f64::from(f32::from_bits(have)), exact(from));
                let unit = f64::from(f32::EPSILON) * want.abs().max(f64::from(f32::MIN_POSITIVE));
                let off = if have == want {
                    0.0
                } else {
                    (have - want).abs() / unit
                };
                assert!(off <= allowed, "{name} of {x}: {have}, not {want}");
            }
        }
    }
    // Halves, ends, and what is no number.
    let special = [
        0.0f32,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        2.5,
        -3.5,
        1e-40,
        -3e38,
        1e30,
        0.5,
        -1.0,
    ];
    let bits: Vec<u32> = special.iter().map(|x| x.to_bits()).collect();
    type Exact = (&'static str, fn(f64) -> f64);
    let cases: [Exact; 9] = [
        ("trunc", f64::trunc),
        ("round", f64::round),
        ("roundeven", f64::round_ties_even),
        ("expm1", f64::exp_m1),
        ("log1p", f64::ln_1p),
        ("asinh", f64::asinh),
        ("acosh", f64::acosh),
        ("atanh", f64::atanh),
        ("cbrt", f64::cbrt),
    ];
    for (name, exact) in cases {
        for (x, have) in special
            .iter()
            .zip(lanes(&float_of(&format!("math.{name} %f")), &bits))
        {
            let (have, want) = (f32::from_bits(have), exact(f64::from(*x)) as f32);
            let near = (have - want).abs() <= 4.0 * f32::EPSILON * want.abs();
            let same = have.to_bits() == want.to_bits() || have.is_nan() && want.is_nan();
            let tiny = x.abs() < 1e-30 && have.to_bits().abs_diff(want.to_bits()) <= 4;
            assert!(
                same || near && want != 0.0 || tiny,
                "{name} of {x}: {have}, not {want}"
            );
        }
    }
    let both = "%f = arith.sitofp %t : i32 to f32
      %s, %c = math.sincos %f : f32
      %q = arith.mulf %s, %s : f32
      %p = arith.mulf %c, %c : f32
      %u = arith.addf %q, %p : f32
      %k = arith.constant 1000.0 : f32
      %m = arith.mulf %u, %k : f32
      %n = math.roundeven %m : f32
      %r = arith.fptosi %n : f32 to i32";
    check(both, |_, _| 1000);
    let double = "%d = arith.constant 27.0 : f64
      %c = math.cbrt %d : f64
      %l = math.log1p %c : f64
      %e = math.expm1 %l : f64
      %k = arith.constant 1.0e9 : f64
      %m = arith.mulf %e, %k : f64
      %n = math.round %m : f64
      %r = arith.fptoui %n : f64 to i32";
    check(double, |_, _| 3_000_000_000);
}

#[test]
fn what_has_no_meaning_is_refused_at_its_line() {
    let asm = |text: &str, constraints: &str| {
        format!("%r = llvm.inline_asm asm_dialect = att \"{text}\", \"{constraints}\" %x : (i32) -> i32")
    };
    for (body, code, said) in [
        (
            asm("frob.b32 $0, $1;", "=r,r"),
            "E0501",
            "`frob.b32`: no such instruction is known",
        ),
        (asm("add.s33 $0, $1, $1;", "=r,r"), "E0501", "`.s33`"),
        (asm("add.s32 $0, $1;", "=r,r"), "E0501", "operand"),
        (asm("add.s32 $0, $1, q;", "=r,r"), "E0501", "`q` is not declared"),
        (asm("add.s32 $0, $2, $1;", "=r,r"), "E0501", "no operand `$2`"),
        (asm("L: bra L;", "=r,r"), "E0501", "branches"),
        (asm("addc.u32 $0, $1, $1;", "=r,r"), "E0501", "writes a carry"),
        (asm("add.cc.f32 $0, $1, $1;", "=r,r"), "E0501", "integers"),
        (asm("add.cc.u32 $0, $1;", "=r,r"), "E0501", "number of operands"),
        (asm("add.cc.u64 $0, $1, $1;", "=r,r"), "E0501", "64 bits"),
        (
            asm("{ .reg .pred p; setp.eq.u32 p, $1, 0; @p add.cc.u32 $0, $1, $1; }", "=r,r"),
            "E0501",
            "a guard of an instruction with a carry",
        ),
        (asm("exit;", "=r,r"), "E0501", "exits"),
        (asm("{ mov.b32 $0, $1;", "=r,r"), "E0501", "a brace is not closed"),
        (asm("mov.b32 $0, $1", "=r,x"), "E0501", "constraint `x`"),
        (asm("mov.b32 $0, $1;", "=r,n"), "E0501", "has to be a constant"),
        (asm("", "=r,r"), "E0501", "a result is not written"),
        (
            asm("{ .reg .b32 a; add.s32 $0, a, $1; }", "=r,r"),
            "E0501",
            "before it is written",
        ),
        (asm("add.f64 $0, $1, $1;", "=r,r"), "E0501", "register"),
        (asm("tanh.approx.bf16 $0, $1;", "=r,r"), "E0501", ""),
        (
            asm("wgmma.fence.sync.aligned; mov.b32 $0, $1;", "=r,r"),
            "E0706",
            "needs",
        ),
        (
            "%e = nvvm.elect.sync -> i1\n%r = arith.extui %e : i1 to i32".to_owned(),
            "E0706",
            "needs",
        ),
        (
            "%c16 = arith.constant 16 : i32\nnvvm.barrier.cta.sync %c16 : i32\n%r = arith.addi %x, %c0 : i32"
                .to_owned(),
            "E0314",
            "barriers 0 to 15",
        ),
        (
            "nvvm.barrier.cta.sync %c1, %c3 : i32, i32\n%r = arith.addi %x, %c0 : i32".to_owned(),
            "E0314",
            "whole warps",
        ),
        (
            "%r = nvvm.inline_ptx \"mov.b32 {$w1}, {$r0};\" ro(%x : i32) -> i32".to_owned(),
            "E0501",
            "no operand `{$w1}`",
        ),
        (
            "nvvm.inline_ptx \"add.s32 {$rw0}, {$rw0}, 1;\" rw(%x : i32)\n%r = arith.addi %x, %c0 : i32".to_owned(),
            "E0501",
            "read and written",
        ),
        (
            "%f = arith.bitcast %x : i32 to f32\n%g = llvm.call_intrinsic \"llvm.nvvm.sinc.f\"(%f) : (f32) -> f32\n\
             %r = arith.bitcast %g : f32 to i32"
                .to_owned(),
            "E0501",
            "`llvm.nvvm.sinc.f` is not known",
        ),
        (
            "%f = arith.bitcast %x : i32 to f32\n%g = nvvm.fma %f, %f, %f {relu = true, rnd = #nvvm.fp_rnd_mode<rn>} : f32\n\
             %r = arith.bitcast %g : f32 to i32"
                .to_owned(),
            "E0501",
            "PTX has no such form",
        ),
        (
            "nvvm.prefetch level = L1, evict_priority = evict_last, %ip : !llvm.ptr<1>\n%r = arith.addi %x, %c0 : i32"
                .to_owned(),
            "E0314",
            "`evict_last`",
        ),
        (
            "llvm.fence syncscope(\"house\") acq_rel\n%r = arith.addi %x, %c0 : i32".to_owned(),
            "E0314",
            "`house`",
        ),
    ] {
        let problems = compiled(&kernel(&body), Target::sm(80), 3).expect_err(&body);
        let [problem] = problems.as_slice() else {
            panic!("{body}: {problems:#?}");
        };
        let (message, line) = problem.split_once(" | ").expect("both");
        assert!(message.contains(said), "{body}: {problem}");
        assert!(message.contains(code), "{body}: {problem}");
        let own = body.lines().map(str::trim).any(|own| own == line);
        assert!(own, "{body}: {problem}");
    }
}
