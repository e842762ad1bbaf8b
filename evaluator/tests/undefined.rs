//! Undefined behaviour is detected, and similar defined programs are accepted.

use crate::support;
use crate::support::bodies::{legal, undefined, warned};
use crate::support::launch;
use tilewright_diagnostics::Code;
use tilewright_evaluator::{Arg, Device, Init};
use tilewright_irs::core::Origin;

#[test]
fn bounds_alignment_and_what_was_written() {
    let far = |by: u32, mask: &str| {
        format!(
            "%c = constant <i32: {by}> : tile<16xi32>
             %far = offset %ps, %c : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
             %k = constant <i32: 12> : tile<16xi32>
             %m = cmpi less_than %i, %k, signed : tile<16xi32> -> tile<16xi1>
             %y, %t = load_ptr_tko weak %far{mask} -> tile<16xi32>, token"
        )
    };
    let masked = ", %m : tile<16xptr<i32>>, tile<16xi1>";
    legal(&far(4, masked));
    let problem = undefined(
        Code::OutOfBounds,
        "4 bytes are read at byte 64 of argument 0, which has 64 bytes",
        &far(4, " : tile<16xptr<i32>>"),
    );
    assert!(
        problem.notes.iter().any(|note| note.contains("at element [12]")),
        "{problem:#?}"
    );
    undefined(Code::OutOfBounds, "byte 64", &far(5, masked));
    undefined(
        Code::OutOfBounds,
        "byte -4 of argument 0",
        &far(0xffff_ffff, masked),
    );

    let odd = |by: u32| {
        format!(
            "%b = ptr_to_ptr %p : tile<ptr<i32>> -> tile<ptr<i8>>
             %c = constant <i32: {by}> : tile<i32>
             %n = offset %b, %c : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
             %w = ptr_to_ptr %n : tile<ptr<i8>> -> tile<ptr<i32>>
             %y, %t = load_ptr_tko weak %w : tile<ptr<i32>> -> tile<i32>, token"
        )
    };
    legal(&odd(4));
    undefined(Code::Misaligned, "no multiple of 4", &odd(2));

    let half = "%k = constant <i32: 8> : tile<16xi32>
         %m = cmpi less_than %i, %k, signed : tile<16xi32> -> tile<16xi1>
         %t = store_ptr_tko weak %qs, %i, %m : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token\n";
    legal(&format!(
        "{half}%y, %t2 = load_ptr_tko weak %qs, %m token=%t : tile<16xptr<i32>>, tile<16xi1> -> tile<16xi32>, token"
    ));
    undefined(
        Code::Uninitialised,
        "byte 32 of argument 1, which nothing has written",
        &format!("{half}%y, %t2 = load_ptr_tko weak %qs token=%t : tile<16xptr<i32>> -> tile<16xi32>, token"),
    );
}

#[test]
fn broken_promises_of_integer_ops() {
    for (op, a, b, kept) in [
        ("addi %a, %b overflow<no_signed_wrap>", "2147483647", "1", "-1"),
        ("addi %a, %b overflow<no_unsigned_wrap>", "-1", "1", "0"),
        ("subi %a, %b overflow<no_signed_wrap>", "-2147483648", "1", "-1"),
        ("subi %a, %b overflow<no_unsigned_wrap>", "3", "4", "3"),
        ("muli %a, %b overflow<no_signed_wrap>", "65536", "32768", "32767"),
        ("muli %a, %b overflow<no_wrap>", "65536", "65536", "3"),
        ("shli %a, %b overflow<no_signed_wrap>", "3", "30", "29"),
    ] {
        let body = |b: &str| {
            format!(
                "%a = constant <i32: {a}> : tile<i32>\n%b = constant <i32: {b}> : tile<i32>\n%r = {op} : tile<i32>"
            )
        };
        legal(&body(kept));
        undefined(
            Code::BrokenPromise,
            "overflows i32, and the op promises",
            &body(b),
        );
        let wraps = body(b);
        let start = wraps.find(" overflow").expect("a flag");
        let end = wraps[start..].find('>').expect("its end") + start + 1;
        legal(&wraps.replace(&wraps[start..end], ""));
    }
    let narrow = |value: i32, flag: &str| {
        format!(
            "%a = constant <i32: {value}> : tile<i32>
             %r = trunci %a overflow<{flag}> : tile<i32> -> tile<i8>"
        )
    };
    legal(&narrow(-128, "no_signed_wrap"));
    undefined(
        Code::BrokenPromise,
        "128 does not fit i8",
        &narrow(128, "no_signed_wrap"),
    );
    legal(&narrow(255, "no_unsigned_wrap"));
    undefined(
        Code::BrokenPromise,
        "256 does not fit i8",
        &narrow(256, "no_unsigned_wrap"),
    );
    let negate = |value: &str| {
        format!(
            "%a = constant <i32: {value}> : tile<i32>
             %r = negi %a overflow<no_signed_wrap> : tile<i32>"
        )
    };
    legal(&negate("-2147483647"));
    undefined(
        Code::BrokenPromise,
        "-(-2147483648) overflows i32",
        &negate("-2147483648"),
    );
}

#[test]
fn divisions_by_zero_and_overflowing_divisions() {
    let divide = |a: &str, b: &str, op: &str| {
        format!(
            "%a = constant <i32: {a}> : tile<4xi32>\n%b = constant <i32: {b}> : tile<4xi32>\n%r = {op} : tile<4xi32>"
        )
    };
    for op in [
        "divi %a, %b signed",
        "divi %a, %b unsigned",
        "remi %a, %b signed",
        "remi %a, %b unsigned",
    ] {
        legal(&divide("7", "[1, 2, 3, 4]", op));
        undefined(
            Code::UndefinedResult,
            "of 7 and 0 at element [2]: division by zero",
            &divide("7", "[1, 2, 0, 4]", op),
        );
    }
    undefined(
        Code::UndefinedResult,
        "-2147483648 and -1",
        &divide("-2147483648", "-1", "divi %a, %b signed"),
    );
    legal(&divide("-2147483648", "-1", "divi %a, %b unsigned"));
    legal(&divide("-2147483648", "-1", "remi %a, %b signed"));
}

#[test]
fn assumptions_that_do_not_hold() {
    let about = |value: &str, predicate: &str| {
        format!("%a = constant <i32: {value}> : tile<8xi32>\n%r = assume {predicate}, %a : tile<8xi32>")
    };
    let counted = "[0, 1, 2, 3, 8, 9, 10, 11]";
    legal(&about("[-8, -4, 0, 4, 8, 12, 16, 20]", "div_by<4>"));
    undefined(
        Code::BrokenPromise,
        "1 at element [1] is assumed to be a multiple of 4",
        &about(counted, "div_by<4>"),
    );
    legal(&about(counted, "div_by<8, every 4 along 0>"));
    undefined(
        Code::BrokenPromise,
        "8 at element [4] is assumed to be 4",
        &about(counted, "div_by<8, every 8 along 0>"),
    );
    legal(&about("[3, 3, 3, 3, 4, 4, 4, 4]", "same_elements<[4]>"));
    undefined(
        Code::BrokenPromise,
        "4 at element [4] is assumed to equal 3 at element [0]",
        &about("[3, 3, 3, 3, 4, 4, 4, 4]", "same_elements<[8]>"),
    );
    legal(&about(counted, "bounded<0, 11>"));
    legal(&about(counted, "bounded<?, ?>"));
    undefined(
        Code::BrokenPromise,
        "11 at element [7] is assumed to be at most 10",
        &about(counted, "bounded<0, 10>"),
    );
    undefined(
        Code::BrokenPromise,
        "0 at element [0] is assumed to be at least 1",
        &about(counted, "bounded<1, ?>"),
    );
    // Numbers of a type count up as the type does: after the greatest one comes the least.
    legal(
        "%a = constant <i8: [126, 127, -128, -127]> : tile<4xi8>\n%r = assume div_by<2, every 4 along 0>, %a : tile<4xi8>",
    );
    legal("%r = assume div_by<256>, %p : tile<ptr<i32>>");
    undefined(
        Code::BrokenPromise,
        "is assumed to be a multiple of 512",
        "%r = assume div_by<512>, %p : tile<ptr<i32>>",
    );
}

#[test]
fn strides_of_one_element_may_be_promised_anything() {
    let body = |extents: &str, more: &str| {
        let tensor = format!("tensor_view<{extents}xi32, strides=[?,1]>");
        let shape = extents.replace('x', ", ");
        format!(
            "%s = constant <i32: 3> : tile<i32>
             %a = assume div_by<4>, %s : tile<i32>
             %v = make_tensor_view %p, shape = [{shape}], strides = [%a, 1] : tile<i32> -> {tensor}{more}"
        )
    };
    legal(&body("1x8", ""));
    let twice = body("1x8", "").replace("%v =", "%c = assume bounded<0, ?>, %a : tile<i32>\n%v =");
    legal(&twice.replace("strides = [%a,", "strides = [%c,"));
    // Of two elements the second one's address depends on it, and another use may mean anything.
    undefined(
        Code::BrokenPromise,
        "3 is assumed to be a multiple of 4",
        &body("2x8", ""),
    );
    let used = "\n%b = addi %a, %a : tile<i32>";
    undefined(
        Code::BrokenPromise,
        "3 is assumed to be a multiple of 4",
        &body("1x8", used),
    );
}

#[test]
fn indices_of_views_and_parts() {
    let load = |index: u32, inbounds: &str| {
        format!(
            "%v = make_tensor_view %p, shape = [13], strides = [1] : tensor_view<13xi32, strides=[1]>
             %w = make_partition_view %v : partition_view<tile=(8), padding_value = zero, tensor_view<13xi32, strides=[1]>>
             %n = constant <i32: {index}> : tile<i32>
             %y, %t = load_view_tko weak %w[%n]{inbounds} : partition_view<tile=(8), padding_value = zero, \
               tensor_view<13xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token"
        )
    };
    legal(&load(1, ""));
    // A tile outside of the view is one whose elements all lie outside of the tensor; that is worth a warning.
    let outside = warned(
        Code::OutsideOfView,
        "index 0 is 2, and the view has 2 tiles",
        &load(2, ""),
    );
    assert_eq!(outside.primary.expect("a place").at, Origin(12));
    warned(Code::OutsideOfView, "index 0 is -1", &load(0xffff_ffff, ""));
    undefined(
        Code::BrokenPromise,
        "promises `inbounds`",
        &load(2, " inbounds = [true]"),
    );
    legal(&load(0, " inbounds = [true]"));
    undefined(
        Code::BrokenPromise,
        "promises `inbounds`",
        &load(1, " inbounds = [true]"),
    );
    let part = |index: u32| {
        format!("%n = constant <i32: {index}> : tile<i32>\n%e = extract %i[%n] : tile<16xi32> -> tile<4xi32>")
    };
    legal(&part(3));
    undefined(Code::IndexOutOfRange, "index 0 is 4, with 4 parts", &part(4));
}

#[test]
fn assertions_steps_and_loops_without_end() {
    let check = |bound: u32| {
        format!(
            "%c = constant <i32: {bound}> : tile<16xi32>
             %ok = cmpi less_than %i, %c, signed : tile<16xi32> -> tile<16xi1>
             assert %ok, \"too many\" : tile<16xi1>"
        )
    };
    legal(&check(16));
    undefined(
        Code::AssertionFailed,
        "does not hold at element [9]: too many",
        &check(9),
    );
    let step = |by: i32| {
        format!(
            "%n = constant <i32: 4> : tile<i32>\n%s = constant <i32: {by}> : tile<i32>
             for %k in (%zero to %n, step %s) : tile<i32> {{\ncontinue\n}}"
        )
    };
    legal(&step(3));
    undefined(Code::UndefinedResult, "the step of a `for` is 0", &step(0));
    undefined(Code::UndefinedResult, "the step of a `for` is -1", &step(-1));
    let endless = |out: &str| format!("loop {{\n{out}\n}}");
    legal(&endless("break"));
    undefined(Code::StepLimit, "has not ended after", &endless("continue"));
}

#[test]
fn memory_allocated_by_the_kernel() {
    let body = |write: &str| {
        format!(
            "%a = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
             %t = make_token : token
             {write}
             %y, %u = load_ptr_tko weak %a token=%t2 : tile<ptr<i32>> -> tile<i32>, token"
        )
    };
    legal(&body(
        "%t2 = store_ptr_tko weak %a, %one token=%t : tile<ptr<i32>>, tile<i32> -> token",
    ));
    undefined(
        Code::Uninitialised,
        "an `alloca` of 4 elements of i32",
        &body("%t2 = join_tokens %t, %t : token"),
    );
}

#[test]
fn memory_allocated_by_the_kernel_ends_with_its_region() {
    let body = |global: &str, inside: &str| {
        format!(
            "%always = constant <i1: true> : tile<i1>
             %a, %t = if %always -> (tile<ptr<i32>>, token) {{
               %own = alloca num_elem = 4, alignment = 16{global} : tile<ptr<i32>>
               %s = store_ptr_tko weak %own, %one : tile<ptr<i32>>, tile<i32> -> token
               {inside}
               yield %own, %s : tile<ptr<i32>>, token
             }} else {{
               %n = make_token : token
               yield %p, %n : tile<ptr<i32>>, token
             }}"
        )
    };
    let load = |pointer: &str, token: &str| {
        format!(
            "%y{token}, %u{token} = load_ptr_tko weak {pointer} token=%{token} : tile<ptr<i32>> -> tile<i32>, token"
        )
    };
    legal(&body("", &load("%own", "s")));
    let after = format!("{}\n{}", body("", ""), load("%a", "t"));
    undefined(
        Code::OutOfBounds,
        "4 bytes are read in an `alloca` of 4 elements of i32 after its end",
        &after,
    );
}

#[test]
fn constants_are_not_written() {
    for (word, fails) in [("", false), (" constant", true)] {
        let text = format!(
            "global{word} @g <i32: [1, 2]> : tile<2xi32>
             entry @k() {{
               %p = get_global @g : tile<ptr<i32>>
               %one = constant <i32: 1> : tile<i32>
               %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
               return
             }}"
        );
        let result = launch(&text, [1, 1, 1], Vec::new());
        match result {
            Ok(_) => assert!(!fails),
            Err(problem) => {
                assert!(fails, "{problem:#?}");
                assert_eq!(problem.code, Code::BrokenPromise);
                assert!(problem.message.contains("global `g` is constant"), "{problem:#?}");
            }
        }
    }
}

#[test]
fn arguments_must_fit() {
    let module = support::module("entry @k(%a: tile<i32>) {\nreturn\n}");
    let mut device = Device::new(&module).expect("no globals");
    let buffer = device.allocate("a buffer", Init::Empty(4));
    let kernel = &module.funcs[0];
    assert!(device.launch(kernel, [1, 1, 1], &[Arg::Scalar(3)]).is_ok());
    let problem = device.launch(kernel, [1, 1, 1], &[]).expect_err("none");
    assert_eq!(problem.code, Code::ArgumentCount);
    let problem = device
        .launch(kernel, [1, 1, 1], &[Arg::Pointer(buffer)])
        .expect_err("a pointer");
    assert_eq!(problem.code, Code::BadArgument);
}
