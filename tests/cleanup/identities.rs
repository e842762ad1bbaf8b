//! Algebraic rules, each in a program of its own: zeros of both signs, flushed subnormals, boundaries of constancy.

use crate::rules::{integers, keeps, kernel};

/// Checks that each op computes `%f` from `%x` and `%y`, with the same number of ops left.
fn floats(op: &str) {
    let constants = "%pz = constant <f32: 0.0> : tile<f32>
  %nz = constant <f32: -0.0> : tile<f32>
  %unit = constant <f32: 1.0> : tile<f32>
  %nan = constant <f32: 0x7FC00000> : tile<f32>";
    for operand in ["%x", "%y"] {
        let text = format!(
            "{constants}\n  %f = {} : tile<f32>\n  %r = addi %a, %b : tile<i32>",
            op.replace("OP", operand)
        );
        keeps("canonicalize", &kernel(&text), &[]);
    }
}

#[test]
fn signs_of_zeros_and_flushed_subnormals_are_preserved() {
    let modes = [
        "",
        " rounding<zero>",
        " rounding<negative_inf>",
        " rounding<positive_inf>",
    ];
    for constant in ["%pz", "%nz", "%unit"] {
        for flush in ["", " flush_to_zero"] {
            for mode in modes {
                for op in ["addf", "subf", "mulf", "divf"] {
                    floats(&format!("{op} OP, {constant}{mode}{flush}"));
                    floats(&format!("{op} {constant}, OP{mode}{flush}"));
                }
            }
            for op in ["maxf", "minf"] {
                floats(&format!("{op} OP, {constant}{flush}"));
                floats(&format!("{op} {constant}, OP{flush} propagate_nan"));
                floats(&format!("{op} %nan, OP{flush}"));
            }
            // Both operands are constants.
            for other in ["%pz", "%nz", "%nan"] {
                for op in ["maxf", "minf"] {
                    floats(&format!("{op} {constant}, {other}{flush}"));
                }
                floats(&format!("addf {constant}, {other}{flush}"));
            }
            floats(&format!("divf OP, {constant} rounding<approx>{flush}"));
        }
        floats(&format!("remf {constant}, %unit"));
        floats(&format!("remf OP, {constant}"));
    }
    // An approximation may be inexact even here.
    let quotient = "%one_f = constant <f32: 1.0> : tile<f32>
  %f = divf %x, %one_f rounding<approx> : tile<f32>
  %r = addi %a, %b : tile<i32>";
    keeps("canonicalize", &kernel(quotient), &[("divf", 1)]);
    keeps(
        "canonicalize",
        &kernel(&quotient.replace(" rounding<approx>", "")),
        &[("divf", 0)],
    );
    // Flushing a product that is rounded up to the smallest normal number is target-dependent.
    let product = "%h = constant <f32: 0x3F7FFFFF> : tile<f32>
  %l = constant <f32: 0x00800000> : tile<f32>
  %f = mulf %h, %l flush_to_zero : tile<f32>
  %r = addi %a, %b : tile<i32>";
    keeps("canonicalize", &kernel(product), &[("mulf", 1)]);
    let product = product.replace(" flush_to_zero", "");
    keeps("canonicalize", &kernel(&product), &[("mulf", 0)]);
}

#[test]
fn integer_ops_on_constants_and_on_each_other() {
    for lines in [
        "%k = xori %a, %five : tile<i32>\n  %r = xori %k, %three : tile<i32>",
        "%k = addi %a, %five : tile<i32>\n  %r = addi %k, %three : tile<i32>",
        "%k = addi %a, %five : tile<i32>\n  %r = addi %k, %ones : tile<i32>",
        "%k = addi %a, %least : tile<i32>\n  %r = addi %k, %least : tile<i32>",
        "%r = ori %a, %ones : tile<i32>",
        "%r = ori %a, %most : tile<i32>",
        "%r = andi %a, %ones : tile<i32>",
        "%r = andi %a, %most : tile<i32>",
        "%r = xori %a, %ones : tile<i32>",
        "%r = muli %a, %ones : tile<i32>",
        "%r = mulhii %a, %one : tile<i32>",
        "%r = mulhii %a, %ones : tile<i32>",
        "%r = remi %a, %one signed : tile<i32>",
        "%r = divi %a, %one signed : tile<i32>",
        "%r = divi %a, %ones unsigned : tile<i32>",
        "%r = remi %a, %ones unsigned : tile<i32>",
        "%r = subi %zero, %a : tile<i32>",
        "%k = subi %zero, %a : tile<i32>\n  %r = subi %zero, %k : tile<i32>",
        "%k = negi %a : tile<i32>\n  %r = negi %k : tile<i32>",
        "%k = absi %a : tile<i32>\n  %r = absi %k : tile<i32>",
        "%r = shli %a, %zero : tile<i32>",
        "%k = cmpi less_than_or_equal %a, %a, signed : tile<i32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpi greater_than_or_equal %a, %a, unsigned : tile<i32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpi less_than %five, %a, signed : tile<i32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpi less_than_or_equal %five, %a, unsigned : tile<i32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpi less_than_or_equal %zero, %a, signed : tile<i32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = ftoi %nan signed : tile<f32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpf less_than ordered %unit, %x : tile<f32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        "%k = cmpf greater_than_or_equal unordered %unit, %x : tile<f32> -> tile<i1>\n  %r = exti %k unsigned : tile<i1> -> tile<i32>",
        // Rules for conversions.
        "%k = trunci %a : tile<i32> -> tile<i8>\n  %l = exti %k signed : tile<i8> -> tile<i64>\n  %r = trunci %l : tile<i64> -> tile<i32>",
        "%k = trunci %a : tile<i32> -> tile<i16>\n  %l = exti %k signed : tile<i16> -> tile<i64>\n  %m = trunci %l : tile<i64> -> tile<i8>\n  %r = exti %m signed : tile<i8> -> tile<i32>",
        "%k = trunci %a : tile<i32> -> tile<i8>\n  %l = exti %k signed : tile<i8> -> tile<i16>\n  %r = exti %l unsigned : tile<i16> -> tile<i32>",
        "%k = trunci %a : tile<i32> -> tile<i8>\n  %l = exti %k unsigned : tile<i8> -> tile<i16>\n  %r = exti %l signed : tile<i16> -> tile<i32>",
        "%k = trunci %a : tile<i32> -> tile<i16>\n  %l = trunci %k : tile<i16> -> tile<i8>\n  %r = exti %l signed : tile<i8> -> tile<i32>",
        // Rules for selections.
        "%r = select %c, %one, %zero : tile<i1>, tile<i32>",
        "%r = select %c, %zero, %one : tile<i1>, tile<i32>",
        "%k = select %c, %a, %b : tile<i1>, tile<i32>\n  %r = select %c, %k, %one : tile<i1>, tile<i32>",
        "%k = select %c, %a, %b : tile<i1>, tile<i32>\n  %r = select %c, %one, %k : tile<i1>, tile<i32>",
        "%k = select %c, %a, %b : tile<i1>, tile<i32>\n  %r = select %d, %one, %k : tile<i1>, tile<i32>",
        "%r = select %n, %a, %b : tile<i1>, tile<i32>",
        "%r = select %true, %a, %b : tile<i1>, tile<i32>",
        "%r = select %c, %a, %b : tile<i1>, tile<i32>",
        "%k = cmpi equal %a, %b, signed : tile<i32> -> tile<i1>\n  %r = select %k, %a, %b : tile<i1>, tile<i32>",
        "%k = cmpi not_equal %a, %b, signed : tile<i32> -> tile<i1>\n  %r = select %k, %b, %a : tile<i1>, tile<i32>",
    ] {
        let constants = "%three = constant <i32: 3> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %ones = constant <i32: -1> : tile<i32>
  %most = constant <i32: 2147483647> : tile<i32>
  %least = constant <i32: -2147483648> : tile<i32>
  %unit = constant <f32: 1.0> : tile<f32>
  %nan = constant <f32: 0x7FC00000> : tile<f32>";
        keeps("canonicalize", &integers(&format!("{constants}\n  {lines}")), &[]);
    }
    // The value of true as a signed number, 1 or -1, is unspecified.
    let truth = "%f = itof %true signed : tile<i1> -> tile<f32>\n  %r = addi %a, %b : tile<i32>";
    keeps("canonicalize", &kernel(truth), &[("itof", 1)]);
    keeps(
        "canonicalize",
        &kernel(&truth.replace(" signed", " unsigned")),
        &[("itof", 0)],
    );
}

/// Sums the elements of `%t`, `count` of them, into `%r`, each weighted by its position.
fn folded(lines: &str, shape: &str, count: u32) -> String {
    integers(&format!(
        "{lines}
  %flat = reshape %t : tile<{shape}xi32> -> tile<{count}xi32>
  %index = iota : tile<{count}xi32>
  %ones = constant <i32: 1> : tile<{count}xi32>
  %place = addi %index, %ones : tile<{count}xi32>
  %square = muli %place, %place : tile<{count}xi32>
  %weighed = muli %flat, %square : tile<{count}xi32>
  %r = reduce %weighed dim=0 identities=[0 : i32] : tile<{count}xi32> -> tile<i32>
  (%i: tile<i32>, %j: tile<i32>) {{
    %l = addi %j, %i : tile<i32>
    yield %l : tile<i32>
  }}"
    ))
}

#[test]
fn chains_of_shape_ops_keep_element_order() {
    // A constant tile, and an unknown one.
    let known = "%u = constant <i32: [[[0, 1, 2, 3], [4, 5, 6, 7]]]> : tile<1x2x4xi32>";
    let unknown = "%u0 = iota : tile<8xi32>\n  %a1 = reshape %a : tile<i32> -> tile<1xi32>
  %a8 = broadcast %a1 : tile<1xi32> -> tile<8xi32>\n  %u1 = xori %u0, %a8 : tile<8xi32>
  %u = reshape %u1 : tile<8xi32> -> tile<1x2x4xi32>";
    for source in [known, unknown] {
        for (lines, shape, count) in [
            (
                "%v = permute %u [1, 2, 0] : tile<1x2x4xi32> -> tile<2x4x1xi32>
  %t = permute %v [1, 0, 2] : tile<2x4x1xi32> -> tile<4x2x1xi32>",
                "4x2x1",
                8,
            ),
            (
                "%v = permute %u [2, 0, 1] : tile<1x2x4xi32> -> tile<4x1x2xi32>
  %t = permute %v [2, 0, 1] : tile<4x1x2xi32> -> tile<2x4x1xi32>",
                "2x4x1",
                8,
            ),
            (
                "%t = permute %u [2, 0, 1] : tile<1x2x4xi32> -> tile<4x1x2xi32>",
                "4x1x2",
                8,
            ),
            (
                "%v = reshape %u : tile<1x2x4xi32> -> tile<2x4xi32>
  %t = extract %v[%one, %one] : tile<2x4xi32> -> tile<1x2xi32>",
                "1x2",
                2,
            ),
            (
                "%v = reshape %u : tile<1x2x4xi32> -> tile<2x4xi32>
  %w = extract %v[%zero, %one] : tile<2x4xi32> -> tile<2x2xi32>
  %t = insert %w, %v[%zero, %zero] : tile<2x2xi32>, tile<2x4xi32>",
                "2x4",
                8,
            ),
            (
                "%w = constant <i32: 9> : tile<1x2x4xi32>
  %v = cat %u, %w dim = 1 : tile<1x2x4xi32>, tile<1x2x4xi32> -> tile<1x4x4xi32>
  %t = extract %v[%zero, %one, %zero] : tile<1x4x4xi32> -> tile<1x2x4xi32>",
                "1x2x4",
                8,
            ),
            (
                "%w = constant <i32: 9> : tile<1x2x4xi32>
  %v = cat %u, %w dim = 1 : tile<1x2x4xi32>, tile<1x2x4xi32> -> tile<1x4x4xi32>
  %t = extract %v[%zero, %zero, %zero] : tile<1x4x4xi32> -> tile<1x2x4xi32>",
                "1x2x4",
                8,
            ),
            (
                "%w = constant <i32: 9> : tile<1x2x4xi32>
  %v = cat %w, %u dim = 1 : tile<1x2x4xi32>, tile<1x2x4xi32> -> tile<1x4x4xi32>
  %t = extract %v[%zero, %one, %one] : tile<1x4x4xi32> -> tile<1x2x2xi32>",
                "1x2x2",
                4,
            ),
            (
                "%w = constant <i32: 9> : tile<1x2x4xi32>
  %s = constant <i32: 8> : tile<1x2x4xi32>
  %t = cat %w, %s dim = 2 : tile<1x2x4xi32>, tile<1x2x4xi32> -> tile<1x2x8xi32>",
                "1x2x8",
                16,
            ),
            (
                "%v = extract %u[%zero, %one, %zero] : tile<1x2x4xi32> -> tile<1x1x4xi32>
  %w = broadcast %v : tile<1x1x4xi32> -> tile<2x1x4xi32>
  %t = broadcast %w : tile<2x1x4xi32> -> tile<2x2x4xi32>",
                "2x2x4",
                16,
            ),
            (
                "%cube = constant <i32: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]> : tile<2x2x2xi32>
  %t = permute %cube [1, 2, 0] : tile<2x2x2xi32> -> tile<2x2x2xi32>",
                "2x2x2",
                8,
            ),
            (
                "%mask = constant <i1: [true, false, false, true]> : tile<4xi1>
  %v = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
  %w = constant <i32: [5, 6, 7, 8]> : tile<4xi32>
  %t = select %mask, %v, %w : tile<4xi1>, tile<4xi32>",
                "4",
                4,
            ),
            (
                "%i1 = iota : tile<1xi32>\n  %t = addi %i1, %i1 : tile<1xi32>",
                "1",
                1,
            ),
        ] {
            keeps(
                "canonicalize",
                &folded(&format!("{source}\n  {lines}"), shape, count),
                &[],
            );
        }
    }
}

#[test]
fn addresses_and_tokens_are_preserved() {
    let moved = "%four = constant <i64: 4> : tile<i64>
  %n0 = ptr_to_int %p : tile<ptr<i32>> -> tile<i64>
  %back = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %n1 = ptr_to_int %back : tile<ptr<i32>> -> tile<i64>
  %n2 = subi %n1, %n0 : tile<i64>
  %r = trunci %n2 : tile<i64> -> tile<i32>";
    keeps("canonicalize", &integers(moved), &[("offset", 1)]);
    let nowhere = moved.replace("offset %p, %one", "offset %p, %zero");
    keeps("canonicalize", &integers(&nowhere), &[("offset", 0)]);
    // Both stores have to precede the load.
    let joined = "%s0 = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  %pi = ptr_to_ptr %q : tile<ptr<f32>> -> tile<ptr<i32>>
  %s3 = store_ptr_tko weak %pi, %b : tile<ptr<i32>>, tile<i32> -> token
  %j = join_tokens %s0, %s3 : token
  %l, %k = load_ptr_tko weak %pi token=%j : tile<ptr<i32>> -> tile<i32>, token
  %m, %o = load_ptr_tko weak %p token=%j : tile<ptr<i32>> -> tile<i32>, token
  %all = join_tokens %k, %o : token
  %s4 = store_ptr_tko weak %p, %l token=%all : tile<ptr<i32>>, tile<i32> -> token
  %s5 = store_ptr_tko weak %pi, %m token=%all : tile<ptr<i32>>, tile<i32> -> token
  %h, %g = load_ptr_tko weak %p token=%s4 : tile<ptr<i32>> -> tile<i32>, token
  %r = addi %h, %m : tile<i32>";
    let text = integers(joined)
        .replace("weak %p, %r :", "weak %p, %r token=%g :")
        .replace("weak %q, %f :", "weak %q, %f token=%s5 :");
    keeps("canonicalize", &text, &[("join_tokens", 2)]);
    let assumed = "%m = assume bounded<-64, 100>, %seven : tile<i32>
  %l = assume div_by<8>, %m : tile<i32>
  %r = addi %l, %a : tile<i32>";
    let seven = "%s7 = select %c, %zero, %zero : tile<i1>, tile<i32>\n  %seven = addi %s7, %s7 : tile<i32>";
    keeps(
        "canonicalize",
        &integers(&format!("{seven}\n  {assumed}")),
        &[("= assume", 2)],
    );
}

#[test]
fn operands_are_put_in_canonical_order() {
    // As defined.
    keeps(
        "canonicalize",
        &integers("%r = muli %b, %a : tile<i32>"),
        &[("muli %arg2, %arg3", 1)],
    );
    // A product on the left, but in f64, where the sum of two NaNs reveals the operand order.
    let wide = |ty: &str| {
        integers(&format!(
            "%u = ftof %x : tile<f32> -> tile<{ty}>
  %w = ftof %y : tile<f32> -> tile<{ty}>
  %m = mulf %u, %w : tile<{ty}>
  %sum = addf %u, %m : tile<{ty}>
  %o = ftoi %sum signed saturating : tile<{ty}> -> tile<i32>
  %r = addi %o, %a : tile<i32>"
        ))
    };
    keeps("canonicalize", &wide("f16"), &[("addf %6, %4", 1)]);
    keeps("canonicalize", &wide("f64"), &[("addf %4, %6", 1)]);
}
