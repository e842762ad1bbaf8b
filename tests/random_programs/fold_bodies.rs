//! Reductions and scans whose bodies compute with tiles: each body here combines two numbers from 0 to 7 by their
//! maximum or their sum, in a roundabout way.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tilewright::cli::{Exit, main_with};
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Format, render};
use tilewright_irs::ptx::Target;

/// `%p` is a tile of the two elements, made of tiles of one.
const PAIR: &str = "\
    %x1 = reshape %x : tile<i32> -> tile<1xi32>\n\
    %y1 = reshape %y : tile<i32> -> tile<1xi32>\n\
    %p = cat %x1, %y1 dim = 0 : tile<1xi32>, tile<1xi32> -> tile<2xi32>\n";

/// The name of each case, and the lines of its body up to `%z`. `%v`, of 128 elements, `%zero`, `%one` and `%two` come
/// from outside.
const BODIES: &[(&str, &str)] = &[
    (
        "elementwise",
        "%x4 = broadcast %x1 : tile<1xi32> -> tile<4xi32>\n\
         %y4 = broadcast %y1 : tile<1xi32> -> tile<4xi32>\n\
         %n4 = iota : tile<4xi32>\n\
         %s4 = addi %x4, %n4 : tile<4xi32>\n\
         %t4 = addi %y4, %n4 : tile<4xi32>\n\
         %m4 = maxi %s4, %t4 signed : tile<4xi32>\n\
         %d4 = subi %m4, %n4 : tile<4xi32>\n\
         %e = extract %d4[%two] : tile<4xi32> -> tile<1xi32>\n\
         %z = reshape %e : tile<1xi32> -> tile<i32>",
    ),
    (
        "reduce_in_reduce",
        "%z = reduce %p dim=0 identities=[0 : i32] : tile<2xi32> -> tile<i32>\n\
         (%u: tile<i32>, %w: tile<i32>) {\n\
         %q = maxi %u, %w signed : tile<i32>\n\
         yield %q : tile<i32>\n\
         }",
    ),
    (
        "scan_in_reduce",
        "%k = scan %p dim=0 reverse=true identities=[0 : i32] : tile<2xi32> -> tile<2xi32>\n\
         (%u: tile<i32>, %w: tile<i32>) {\n\
         %q = addi %u, %w : tile<i32>\n\
         yield %q : tile<i32>\n\
         }\n\
         %e = extract %k[%zero] : tile<2xi32> -> tile<1xi32>\n\
         %z = reshape %e : tile<1xi32> -> tile<i32>",
    ),
    (
        "index_at_run_time",
        "%less = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n\
         %i = exti %less unsigned : tile<i1> -> tile<i32>\n\
         %e = extract %p[%i] : tile<2xi32> -> tile<1xi32>\n\
         %z = reshape %e : tile<1xi32> -> tile<i32>",
    ),
    (
        "insert_at_run_time",
        "%less = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>\n\
         %i = exti %less unsigned : tile<i1> -> tile<i32>\n\
         %none = constant <i32: [[-1, -1], [-1, -1]]> : tile<2x2xi32>\n\
         %row = reshape %p : tile<2xi32> -> tile<1x2xi32>\n\
         %k = insert %row, %none[%i, %zero] : tile<1x2xi32>, tile<2x2xi32>\n\
         %turned = permute %k [1, 0] : tile<2x2xi32> -> tile<2x2xi32>\n\
         %e = extract %turned[%i, %i] : tile<2x2xi32> -> tile<1x1xi32>\n\
         %z = reshape %e : tile<1x1xi32> -> tile<i32>",
    ),
    (
        "tile_from_outside",
        "%lowest = reduce %v dim=0 identities=[7 : i32] : tile<128xi32> -> tile<i32>\n\
         (%u: tile<i32>, %w: tile<i32>) {\n\
         %q = mini %u, %w signed : tile<i32>\n\
         yield %q : tile<i32>\n\
         }\n\
         %m = maxi %x, %y signed : tile<i32>\n\
         %z = maxi %m, %lowest signed : tile<i32>",
    ),
    (
        "element_from_outside",
        "%c7 = constant <i32: 7> : tile<i32>\n\
         %i = andi %x, %c7 : tile<i32>\n\
         %negative = extract %table[%i, %zero] : tile<8x2xi32> -> tile<1x2xi32>\n\
         %pair = reshape %negative : tile<1x2xi32> -> tile<2xi32>\n\
         %more = maxi %pair, %p signed : tile<2xi32>\n\
         %sum = reduce %more dim=0 identities=[0 : i32] : tile<2xi32> -> tile<i32>\n\
         (%u: tile<i32>, %w: tile<i32>) {\n\
         %q = addi %u, %w : tile<i32>\n\
         yield %q : tile<i32>\n\
         }\n\
         %z = addi %sum, %zero : tile<i32>",
    ),
    (
        "product",
        "%f = itof %p signed : tile<2xi32> -> tile<2xf32>\n\
         %aa = reshape %f : tile<2xf32> -> tile<1x2xf32>\n\
         %ones = constant <f32: 1.0> : tile<2x1xf32>\n\
         %none = constant <f32: 0.0> : tile<1x1xf32>\n\
         %d = mmaf %aa, %ones, %none : tile<1x2xf32>, tile<2x1xf32>, tile<1x1xf32>\n\
         %e = reshape %d : tile<1x1xf32> -> tile<f32>\n\
         %z = ftoi %e signed : tile<f32> -> tile<i32>",
    ),
    (
        "integer_product",
        "%m = maxi %x, %y signed : tile<i32>\n\
         %b = trunci %m : tile<i32> -> tile<i8>\n\
         %b1 = reshape %b : tile<i8> -> tile<1x1x1xi8>\n\
         %aa = broadcast %b1 : tile<1x1x1xi8> -> tile<2x1x4xi8>\n\
         %c = constant <i8: [[[1], [-1], [1], [0]], [[2], [0], [0], [-1]]]> : tile<2x4x1xi8>\n\
         %none = constant <i32: 0> : tile<2x1x1xi32>\n\
         %d = mmai %aa, %c, %none signed signed : tile<2x1x4xi8>, tile<2x4x1xi8>, tile<2x1x1xi32>\n\
         %e = extract %d[%one, %zero, %zero] : tile<2x1x1xi32> -> tile<1x1x1xi32>\n\
         %z = reshape %e : tile<1x1x1xi32> -> tile<i32>",
    ),
    (
        "scaled_product",
        "%m = maxi %x, %y signed : tile<i32>\n\
         %f = itof %m signed : tile<i32> -> tile<f32>\n\
         %b = ftof %f : tile<f32> -> tile<f8E4M3FN>\n\
         %b1 = reshape %b : tile<f8E4M3FN> -> tile<1x1xf8E4M3FN>\n\
         %aa = broadcast %b1 : tile<1x1xf8E4M3FN> -> tile<1x32xf8E4M3FN>\n\
         %ones = constant <f8E4M3FN: 1.0> : tile<32x1xf8E4M3FN>\n\
         %less = constant <f8E8M0FNU: 0.03125> : tile<1x1xf8E8M0FNU>\n\
         %same = constant <f8E8M0FNU: 1.0> : tile<1x1xf8E8M0FNU>\n\
         %none = constant <f32: 0.0> : tile<1x1xf32>\n\
         %d = mmaf_scaled %aa, %ones, %none, %less, %same : tile<1x32xf8E4M3FN>, tile<32x1xf8E4M3FN>, tile<1x1xf32>, tile<1x1xf8E8M0FNU>, tile<1x1xf8E8M0FNU>\n\
         %e = reshape %d : tile<1x1xf32> -> tile<f32>\n\
         %z = ftoi %e signed : tile<f32> -> tile<i32>",
    ),
    (
        "control_flow",
        "%k = for %i in (%zero to %two, step %one) : tile<i32> iter_values(%t = %p) -> (tile<2xi32>) {\n\
         %first = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>\n\
         %next = if %first -> (tile<2xi32>) {\n\
         %aa = reshape %x : tile<i32> -> tile<1xi32>\n\
         %b = broadcast %aa : tile<1xi32> -> tile<2xi32>\n\
         %m = maxi %t, %b signed : tile<2xi32>\n\
         yield %m : tile<2xi32>\n\
         } else {\n\
         %q = reshape %t : tile<2xi32> -> tile<2x1xi32>\n\
         %r = reshape %q : tile<2x1xi32> -> tile<2xi32>\n\
         yield %r : tile<2xi32>\n\
         }\n\
         continue %next : tile<2xi32>\n\
         }\n\
         %e = extract %k[%one] : tile<2xi32> -> tile<1xi32>\n\
         %z = reshape %e : tile<1xi32> -> tile<i32>",
    ),
    (
        "packed_integers",
        "%m = maxi %x, %y signed : tile<i32>\n\
         %wide = exti %m signed : tile<i32> -> tile<i64>\n\
         %wide1 = reshape %wide : tile<i64> -> tile<1xi64>\n\
         %b8 = pack %wide1 : tile<1xi64> -> tile<8xi8>\n\
         %h = unpack %b8 : tile<8xi8> -> tile<4xi16>\n\
         %b8b = pack %h : tile<4xi16> -> tile<8xi8>\n\
         %i = unpack %b8b : tile<8xi8> -> tile<2xi32>\n\
         %e = extract %i[%zero] : tile<2xi32> -> tile<1xi32>\n\
         %z = reshape %e : tile<1xi32> -> tile<i32>",
    ),
    (
        "packed_bits",
        "%m = maxi %x, %y signed : tile<i32>\n\
         %b = trunci %m : tile<i32> -> tile<i8>\n\
         %b1 = reshape %b : tile<i8> -> tile<1xi8>\n\
         %bits = unpack %b1 : tile<1xi8> -> tile<8xi1>\n\
         %c1 = pack %bits : tile<8xi1> -> tile<1xi8>\n\
         %n4 = unpack %c1 : tile<1xi8> -> tile<2xi4>\n\
         %lower = extract %n4[%zero] : tile<2xi4> -> tile<1xi4>\n\
         %upper = extract %n4[%one] : tile<2xi4> -> tile<1xi4>\n\
         %turned = cat %upper, %lower dim = 0 : tile<1xi4>, tile<1xi4> -> tile<2xi4>\n\
         %d1 = pack %turned : tile<2xi4> -> tile<1xi8>\n\
         %d = reshape %d1 : tile<1xi8> -> tile<i8>\n\
         %w32 = exti %d unsigned : tile<i8> -> tile<i32>\n\
         %c4 = constant <i32: 4> : tile<i32>\n\
         %z = shri %w32, %c4 unsigned : tile<i32>",
    ),
    (
        "packed_floats",
        "%m = maxi %p, %p signed : tile<2xi32>\n\
         %f = itof %m signed : tile<2xi32> -> tile<2xf32>\n\
         %tf = ftof %f : tile<2xf32> -> tile<2xtf32>\n\
         %b = pack %tf : tile<2xtf32> -> tile<8xi8>\n\
         %g = unpack %b : tile<8xi8> -> tile<2xf32>\n\
         %little = constant <f32: 0.00001> : tile<2xf32>\n\
         %h = addf %g, %little : tile<2xf32>\n\
         %c = pack %h : tile<2xf32> -> tile<8xi8>\n\
         %u = unpack %c : tile<8xi8> -> tile<2xtf32>\n\
         %f32s = ftof %u : tile<2xtf32> -> tile<2xf32>\n\
         %f16s = ftof %f32s : tile<2xf32> -> tile<2xf16>\n\
         %q = pack %f16s : tile<2xf16> -> tile<4xi8>\n\
         %r = unpack %q : tile<4xi8> -> tile<2xf16>\n\
         %i = ftoi %r signed : tile<2xf16> -> tile<2xi32>\n\
         %z = reduce %i dim=0 identities=[0 : i32] : tile<2xi32> -> tile<i32>\n\
         (%u0: tile<i32>, %w0: tile<i32>) {\n\
         %q0 = maxi %u0, %w0 signed : tile<i32>\n\
         yield %q0 : tile<i32>\n\
         }",
    ),
];

fn program(body: &str, scan: bool) -> String {
    let (fold, result) = match scan {
        true => ("scan %v dim=0 reverse=false", "tile<128xi32>"),
        false => ("reduce %v dim=0", "tile<i32>"),
    };
    let store = match scan {
        true => {
            "%o1 = reshape %o : tile<ptr<i32>> -> tile<1xptr<i32>>\n\
             %o2 = broadcast %o1 : tile<1xptr<i32>> -> tile<128xptr<i32>>\n\
             %o3 = offset %o2, %n : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>\n\
             %t = store_ptr_tko weak %o3, %s : tile<128xptr<i32>>, tile<128xi32> -> token"
        }
        false => "%t = store_ptr_tko weak %o, %s : tile<ptr<i32>>, tile<i32> -> token",
    };
    format!(
        "cuda_tile.module @m {{\nentry @k(%a: tile<ptr<i32>>, %o: tile<ptr<i32>>) {{\n\
         %zero = constant <i32: 0> : tile<i32>\n\
         %one = constant <i32: 1> : tile<i32>\n\
         %two = constant <i32: 2> : tile<i32>\n\
         %n = iota : tile<128xi32>\n\
         %a1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>\n\
         %a2 = broadcast %a1 : tile<1xptr<i32>> -> tile<128xptr<i32>>\n\
         %a3 = offset %a2, %n : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>\n\
         %l, %after = load_ptr_tko weak %a3 : tile<128xptr<i32>> -> tile<128xi32>, token\n\
         %seven = constant <i32: 7> : tile<128xi32>\n\
         %v = andi %l, %seven : tile<128xi32>\n\
         %low = constant <i32: [[-1], [-2], [-3], [-4], [-5], [-6], [-7], [-8]]> : tile<8x1xi32>\n\
         %table = broadcast %low : tile<8x1xi32> -> tile<8x2xi32>\n\
         %s = {fold} identities=[0 : i32] : tile<128xi32> -> {result}\n\
         (%x: tile<i32>, %y: tile<i32>) {{\n{PAIR}{body}\nyield %z : tile<i32>\n}}\n\
         {store}\nreturn\n}}\n}}\n"
    )
}

/// Runs a program; its output is written to, or compared with, the file.
fn run(path: &Path, count: u32, device: &str, (flag, file): (&str, &Path), more: &[&str]) -> Exit {
    let words = ["tilewright", "run", &path.display().to_string(), "--on", device].map(str::to_owned);
    let mut line = words.to_vec();
    // The scales of block-scaled products need sm_100.
    line.extend(["--target", "sm_100a", "--grid", "1", "--seed", "3"].map(str::to_owned));
    line.extend(["--arg", "randint:i32[128]", "--arg"].map(str::to_owned));
    line.push(format!("empty:i32[{count}]"));
    line.extend([flag.to_owned(), format!("1={}", file.display())]);
    line.extend(more.iter().map(|&word| word.to_owned()));
    let args: Vec<OsString> = line.iter().map(OsString::from).collect();
    main_with(&args)
}

#[test]
fn bodies_that_compute_with_tiles_agree_with_the_simulator() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fold_bodies");
    fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str, scan: bool| -> PathBuf { folder.join(format!("{name}.{scan}")) };
    for &(name, body) in BODIES {
        for (scan, count) in [(false, 1), (true, 128)] {
            let text = program(body, scan);
            let (source, wanted) = (path(name, scan).with_extension("cuda_tile"), path(name, scan));
            fs::write(&source, &text).expect("a file");
            let judged = run(&source, count, "reference", ("--out", &wanted), &[]);
            assert_eq!(judged, Exit::Ok, "{name}\n{text}");
            for level in ["-O0", "-O3"] {
                let found = run(&source, count, "cpu", ("--expect", &wanted), &[level]);
                assert_eq!(found, Exit::Ok, "{name} at {level}\n{text}");
            }
        }
    }
}

/// The diagnostics for a body, in short form.
fn refused(name: &str, body: &str) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", program(body, false));
    let options = compiler.options(Request {
        target: Target::parse("sm_100a"),
        ..Request::default()
    });
    let (made, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(made.is_none(), "{name}");
    render(&said, &compiler.files(), Format::Short, false)
}

#[test]
fn what_no_thread_can_hold_is_refused() {
    let large = "%b = broadcast %x1 : tile<1xi32> -> tile<16384xi32>\n\
        %z = reduce %b dim=0 identities=[0 : i32] : tile<16384xi32> -> tile<i32>\n\
        (%u: tile<i32>, %w: tile<i32>) {\n%q = addi %u, %w : tile<i32>\nyield %q : tile<i32>\n}";
    let said = refused("large", large);
    assert!(
        said.contains("E0503") && said.contains("at most 16384 are supported"),
        "{said}"
    );
    let small = "%f = itof %p signed : tile<2xi32> -> tile<2xf32>\n\
        %t4 = ftof %f : tile<2xf32> -> tile<2xf4E2M1FN>\n\
        %b = pack %t4 : tile<2xf4E2M1FN> -> tile<1xi8>\n\
        %u = reshape %b : tile<1xi8> -> tile<i8>\n\
        %z = exti %u unsigned : tile<i8> -> tile<i32>";
    let said = refused("small", small);
    assert!(said.contains("E0503") && said.contains("f4E2M1FN"), "{said}");
}
