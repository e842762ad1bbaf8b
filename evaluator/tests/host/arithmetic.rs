//! Numbers and control flow.

use tilewright_diagnostics::FileId;
use tilewright_evaluator::host::{Number, evaluate_host};
use tilewright_grammar::mlir::read_mlir;

use crate::{computed, numbers, view};

/// Values of a function of two numbers.
fn of_two(ty: &str, [a, b]: [i64; 2], body: &str, values: &[&str]) -> Vec<i64> {
    let params = format!("%a: {ty}, %b: {ty}");
    computed(&params, &[numbers(&[a]), numbers(&[b])], body, values, ty)
}

fn binary(op: &str, ty: &str, a: i64, b: i64) -> i64 {
    let body = format!("%r = arith.{op} %a, %b : {ty}");
    of_two(ty, [a, b], &body, &["%r"])[0]
}

#[test]
fn integers_of_all_widths() {
    for (op, ty, a, b, want) in [
        ("addi", "i8", 127, 1, -128),
        ("addi", "i32", i64::from(i32::MAX), 1, i64::from(i32::MIN)),
        ("addi", "i64", i64::MAX, 1, i64::MIN),
        ("muli", "i64", 1 << 40, 3, 3 << 40),
        ("subi", "i16", -32768, 1, 32767),
        ("divsi", "i32", -7, 2, -3),
        ("floordivsi", "i32", -7, 2, -4),
        ("floordivsi", "i32", 7, 2, 3),
        ("ceildivsi", "i32", -7, 2, -3),
        ("ceildivsi", "i64", (1 << 40) + 1, 1 << 20, (1 << 20) + 1),
        ("ceildivui", "i8", -1, 2, -128),
        ("remsi", "i32", -7, 2, -1),
        ("divui", "i32", -1, 2, i64::from(i32::MAX)),
        ("remui", "i8", -1, 16, 15),
        ("shli", "i32", 3, 4, 48),
        ("shrsi", "i32", -8, 1, -4),
        ("shrui", "i8", -8, 1, 124),
        ("minsi", "i32", -1, 1, -1),
        ("minui", "i32", -1, 1, 1),
        ("maxsi", "i32", -1, 1, 1),
        ("maxui", "i8", -1, 1, -1),
        ("andi", "i32", -2, 7, 6),
        ("ori", "i32", 8, 1, 9),
        ("xori", "i32", 9, 1, 8),
    ] {
        assert_eq!(binary(op, ty, a, b), want, "{op} {a}, {b} : {ty}");
    }
}

#[test]
fn integers_are_compared_chosen_and_cast() {
    let body = "%less = arith.cmpi slt, %a, %b : i32
    %below = arith.cmpi ult, %a, %b : i32
    %x = arith.select %less, %a, %b : i32
    %y = arith.select %below, %a, %b : i32
    %wide = arith.extsi %a : i32 to i64
    %plain = arith.extui %a : i32 to i64
    %z = arith.trunci %plain : i64 to i32";
    let arguments = [numbers(&[-1]), numbers(&[5])];
    let found = computed("%a: i32, %b: i32", &arguments, body, &["%x", "%y", "%z"], "i32");
    assert_eq!(found, [-1, 5, -1]);
    let found = computed("%a: i32, %b: i32", &arguments, body, &["%wide", "%plain"], "i64");
    assert_eq!(found, [-1, (1 << 32) - 1]);
}

#[test]
fn floats_are_rounded_in_their_format() {
    let body = "%f = arith.sitofp %a : i32 to f32
    %third = arith.constant 3.000000e+00 : f32
    %q = arith.divf %f, %third : f32
    %log2e = arith.constant 1.44269502 : f32
    %p = arith.mulf %q, %log2e fastmath<fast> : f32
    %less = arith.cmpf olt, %q, %p : f32
    %n = arith.fptosi %p : f32 to i32
    %l = arith.extui %less : i1 to i32";
    let found = computed("%a: i32", &[numbers(&[1000])], body, &["%n", "%l"], "i32");
    assert_eq!(found, [480, 1]);
    let found = computed("%a: i32", &[numbers(&[1000])], body, &["%q"], "f32");
    assert_eq!(found, [i64::from((1000.0f32 / 3.0).to_bits())]);
}

#[test]
fn branches_and_loops() {
    let body = "%two = arith.constant 2 : i32
    %big = arith.cmpi sgt, %a, %two : i32
    %x = scf.if %big -> (i32) {
      %more = arith.addi %a, %one : i32
      scf.yield %more : i32
    } else {
      scf.yield %two : i32
    }
    %sum = scf.for %i = %ok to %a step %two iter_args(%s = %one) -> (i32)  : i32 {
      %t = arith.addi %s, %i : i32
      scf.yield %t : i32
    }
    %p = scf.while (%q = %one) : (i32) -> i32 {
      %less = arith.cmpi slt, %q, %a : i32
      scf.condition(%less) %q : i32
    } do {
    ^bb0(%r: i32):
      %d = arith.muli %r, %two : i32
      scf.yield %d : i32
    }";
    let of = |number: i64| {
        computed(
            "%a: i32",
            &[numbers(&[number])],
            body,
            &["%x", "%sum", "%p"],
            "i32",
        )
    };
    assert_eq!(of(7), [8, 1 + 2 + 4 + 6, 8]);
    assert_eq!(of(2), [2, 1, 2]);
    assert_eq!(of(-5), [2, 1, 1]);
}

#[test]
fn products_in_two_halves() {
    let body = "%low, %high = arith.mului_extended %a, %b : i32
    %size = math.absi %a : i32";
    let of = |a, b| of_two("i32", [a, b], body, &["%low", "%high", "%size"]);
    assert_eq!(of(1 << 20, 3 << 20), [0, 3 << 8, 1 << 20]);
    assert_eq!(of(-1, -1), [1, -2, 1]);
}

/// A function without a kernel: the numbers that it returns, an address among them.
#[test]
fn results_are_numbers() {
    let text = "module {
  func.func @numbers(%a: i64, %p: !cute.ptr<f32, gmem>) -> (!cute.shape<\"(?{i64},4,?)\">, i1, !cute.ptr<f32, gmem>) {
    %b = arith.trunci %a : i64 to i32
    %shape = cute.make_shape(%a, %b) : (i64, i32) -> !cute.shape<\"(?{i64},4,?)\">
    %same = arith.cmpi eq, %b, %b : i32
    return %shape, %same, %p : !cute.shape<\"(?{i64},4,?)\">, i1, !cute.ptr<f32, gmem>
  }
}
";
    let read = read_mlir(text, FileId(0)).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let function = read.module.functions().next().expect("a function");
    let found = evaluate_host(
        &read.module,
        function,
        &[numbers(&[(3 << 32) + 7]), view(&[])],
        100,
    );
    let integer = |number| Some(Number::Integer(number));
    assert_eq!(
        found.returned,
        [integer((3 << 32) + 7), integer(7), integer(1), None]
    );
}

#[test]
fn tuples_of_64_bits() {
    let body = "%t = cute.make_int_tuple(%a, %b) : (i64, i32) -> !cute.int_tuple<\"(?{i64},?)\">
    %n = cute.size(%t) : (!cute.int_tuple<\"(?{i64},?)\">) -> !cute.int_tuple<\"?{i64}\">
    %p = cute.get_scalars(%n) : !cute.int_tuple<\"?{i64}\">
    %five = cute.make_int_tuple() : () -> !cute.int_tuple<\"5\">
    %m = cute.tuple_mul(%n, %five) : (!cute.int_tuple<\"?{i64}\">, !cute.int_tuple<\"5\">) -> !cute.int_tuple<\"?{i64 div=5}\">
    %q = cute.get_scalars(%m) : !cute.int_tuple<\"?{i64 div=5}\">
    %d = cute.tuple_div(%m, %five) : (!cute.int_tuple<\"?{i64 div=5}\">, !cute.int_tuple<\"5\">) -> !cute.int_tuple<\"?{i64}\">
    %r = cute.get_scalars(%d) : !cute.int_tuple<\"?{i64}\">";
    let arguments = [numbers(&[3_000_000_000]), numbers(&[7])];
    let found = computed("%a: i64, %b: i32", &arguments, body, &["%p", "%q", "%r"], "i64");
    assert_eq!(found, [21_000_000_000, 105_000_000_000, 21_000_000_000]);
}

/// The strides of a layout that is made of a shape alone, and the numbers of a stride.
#[test]
fn layouts_are_compact_unless_a_stride_is_given() {
    let body = "%shape = cute.make_shape(%a, %b) : (i32, i32) -> !cute.shape<\"(?,4,?)\">
    %lay = cute.make_layout(%shape) : !cute.layout<\"(?,4,?):(1,?,?{div=4})\">
    %stride = cute.get_stride(%lay) : (!cute.layout<\"(?,4,?):(1,?,?{div=4})\">) -> !cute.stride<\"(1,?,?{div=4})\">
    %x, %y, %z = cute.get_scalars(%stride) : !cute.stride<\"(1,?,?{div=4})\">
    %coord = cute.make_coord(%one, %one, %one) : (i32, i32, i32) -> !cute.coord<\"(?,?,?)\">
    %idx = cute.crd2idx(%coord, %lay) : (!cute.coord<\"(?,?,?)\">, !cute.layout<\"(?,4,?):(1,?,?{div=4})\">) -> !cute.int_tuple<\"?\">
    %i = cute.get_scalars(%idx) : !cute.int_tuple<\"?\">";
    let arguments = [numbers(&[10]), numbers(&[3])];
    let found = computed(
        "%a: i32, %b: i32",
        &arguments,
        body,
        &["%x", "%y", "%z", "%i"],
        "i32",
    );
    assert_eq!(found, [1, 10, 40, 51]);
}

#[test]
fn tuples_are_compared() {
    let body = "%x = cute.make_coord(%a, %b) : (i32, i32) -> !cute.coord<\"(?,?)\">
    %y = cute.make_shape(%b, %b) : (i32, i32) -> !cute.shape<\"(?,?)\">
    %z = cute.make_coord(%a, %a) : (i32, i32) -> !cute.coord<\"(?,?)\">
    %l = cute.elem_less(%x, %y) : !cute.coord<\"(?,?)\">, !cute.shape<\"(?,?)\">
    %m = cute.elem_less(%z, %y) : !cute.coord<\"(?,?)\">, !cute.shape<\"(?,?)\">
    %e = cute.equal(%x, %z) : !cute.coord<\"(?,?)\">, !cute.coord<\"(?,?)\">
    %l32 = arith.extui %l : i1 to i32
    %m32 = arith.extui %m : i1 to i32
    %e32 = arith.extui %e : i1 to i32";
    let of = |a, b| of_two("i32", [a, b], body, &["%l32", "%m32", "%e32"]);
    assert_eq!(of(1, 2), [0, 1, 0]);
    assert_eq!(of(2, 2), [0, 0, 1]);
}
