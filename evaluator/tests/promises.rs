//! Combined overflow assumptions, overflowing loop counters, and a kernel exit within a loop.

use crate::support::bodies::{legal, undefined, warned};
use tilewright_diagnostics::Code;

#[test]
fn no_wrap_promises_both() {
    let sum = |number: &str| {
        format!(
            "%x = constant <i32: {number}> : tile<i32>
             %y = addi %x, %one overflow<no_wrap> : tile<i32>"
        )
    };
    legal(&sum("3"));
    undefined(Code::BrokenPromise, "overflows i32", &sum("-1"));
    undefined(Code::BrokenPromise, "overflows i32", &sum("2147483647"));
    let cut = |number: &str| {
        format!(
            "%x = constant <i32: {number}> : tile<i32>
             %y = trunci %x overflow<no_wrap> : tile<i32> -> tile<i8>"
        )
    };
    legal(&cut("127"));
    for number in ["-1", "128", "256"] {
        undefined(Code::BrokenPromise, "does not fit i8", &cut(number));
    }
    // A shift by the width loses every bit that is set.
    let shift = |number: &str| {
        format!(
            "%x = constant <i32: {number}> : tile<i32>
             %by = constant <i32: 32> : tile<i32>
             %y = shli %x, %by overflow<no_signed_wrap> : tile<i32>"
        )
    };
    legal(&shift("0"));
    undefined(Code::BrokenPromise, "overflows i32", &shift("1"));
}

#[test]
fn overflow_of_a_loop_counter_is_reported() {
    let turns = |step: &str| {
        format!(
            "%low = constant <i8: 0> : tile<i8>
             %high = constant <i8: 127> : tile<i8>
             %step = constant <i8: {step}> : tile<i8>
             for %n in (%low to %high, step %step) : tile<i8> {{\ncontinue\n}}"
        )
    };
    legal(&turns("127"));
    warned(Code::CounterOverflow, "comes to 200", &turns("100"));
}

#[test]
fn a_return_in_a_loop_ends_the_kernel() {
    legal(
        "%false = constant <i1: false> : tile<i1>
         loop {\nreturn\n}
         assert %false, \"not here\" : tile<i1>",
    );
}

#[test]
fn assumptions_about_addresses_count_bytes() {
    // Four pointers to i32 in a row begin at a multiple of 16 and are 4 bytes apart.
    legal("%y = assume div_by<16, every 4 along 0>, %ps : tile<16xptr<i32>>");
    undefined(
        Code::BrokenPromise,
        "is assumed to be a multiple of 16",
        "%y = assume div_by<16, every 2 along 0>, %ps : tile<16xptr<i32>>",
    );
    let tensor = |by: &str| {
        format!(
            "%a = offset %p, {by} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
             %t = make_tensor_view %a, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
             %u = assume div_by<256>, %t : tensor_view<4xi32, strides=[1]>"
        )
    };
    legal(&tensor("%zero"));
    undefined(
        Code::BrokenPromise,
        "a tensor is assumed to begin at a multiple of 256",
        &tensor("%one"),
    );
}

#[test]
fn results_that_their_type_does_not_hold() {
    // As a truth value, a NaN is not zero.
    legal(
        "%x = constant <f32: 0x7FC00000> : tile<f32>
         %y = ftoi %x signed : tile<f32> -> tile<i1>
         assert %y, \"not zero\" : tile<i1>",
    );
    let extent = |ty: &str| {
        format!(
            "%t = make_tensor_view %p, shape = [300], strides = [1] : tensor_view<300xi32, strides=[1]>
             %n = get_tensor_shape %t : tensor_view<300xi32, strides=[1]> -> tile<{ty}>"
        )
    };
    legal(&extent("i16"));
    undefined(
        Code::UndefinedResult,
        "extent 0 is 300, which i8 does not hold",
        &extent("i8"),
    );
}
