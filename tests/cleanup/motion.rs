//! Loop-invariant code motion: ops that are hoisted, and ops that must not be.

use tilewright_irs::cuda_tile::print_tile_module;

use crate::rules::{integers, keeps};
use crate::run::{parsed, passed, tile_pass};

/// A loop of `%b` iterations with these lines in its body.
fn turns(lines: &str) -> String {
    integers(&format!(
        "%r = for %i in (%zero to %turns, step %one) : tile<i32> iter_values(%v = %a) -> (tile<i32>) {{
    {lines}
    %o = xori %v, %w : tile<i32>
    continue %o : tile<i32>
  }}"
    ))
    .replace(
        "%r = for",
        "%seven = constant <i32: 7> : tile<i32>\n  %turns = andi %b, %seven : tile<i32>\n  %r = for",
    )
}

#[test]
fn ops_with_undefined_behaviour_stay_in_loops_that_may_not_run() {
    let pass = "hoist_tile_invariants";
    for lines in [
        // With one of the arguments the loop has no iteration, and the op is undefined.
        "%w = addi %most, %seven overflow<no_signed_wrap> : tile<i32>",
        "%w = subi %least, %seven overflow<no_signed_wrap> : tile<i32>",
        "%w = muli %most, %seven overflow<no_wrap> : tile<i32>",
        "%w = negi %least overflow<no_signed_wrap> : tile<i32>",
        "%w = divi %a, %turns unsigned : tile<i32>",
        "%w = remi %a, %turns unsigned : tile<i32>",
        "%row = iota : tile<8xi32>
    %part = extract %row[%b] : tile<8xi32> -> tile<1xi32>
    %w = reshape %part : tile<1xi32> -> tile<i32>",
        "%w = assume bounded<0, 7>, %b : tile<i32>",
        "%w = trunci %wide overflow<no_signed_wrap> : tile<i64> -> tile<i32>",
    ] {
        let text = turns(lines).replace(
            "%seven = ",
            "%m0 = constant <i32: 2147483647> : tile<i32>
  %l0 = constant <i32: -2147483648> : tile<i32>
  %z0 = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>
  %most = select %z0, %m0, %zero : tile<i1>, tile<i32>
  %least = select %z0, %l0, %zero : tile<i1>, tile<i32>
  %w0 = exti %least signed : tile<i32> -> tile<i64>
  %wide = addi %w0, %w0 : tile<i64>
  %seven = ",
        );
        keeps(pass, &text, &[]);
    }
    // Ops with a defined result are hoisted; ops that may be undefined are hoisted only if the first iteration always
    // executes.
    for (lines, word) in [
        ("%w = addi %a, %b : tile<i32>", "addi"),
        ("%w = mulhii %a, %b : tile<i32>", "mulhii"),
    ] {
        let text = turns(lines);
        let made = passed(&parsed(&text), tile_pass(pass));
        let shown = print_tile_module(&made, None);
        let (at, head) = (shown.find(word), shown.find("for %"));
        assert!(at.is_some() && at < head, "{shown}");
        keeps(pass, &text, &[]);
    }
}

#[test]
fn nothing_is_hoisted_past_an_exit_of_the_loop() {
    let pass = "hoist_tile_invariants";
    // Where `%c` is false, the divisor may be 0.
    let leaving = "%r = loop iter_values(%i = %a) : tile<i32> -> tile<i32> {
    if %e {
      break %i : tile<i32>
    }
    %m = remi %a, %b unsigned : tile<i32>
    %o = addi %i, %m : tile<i32>
    break %o : tile<i32>
  }";
    let text = format!("%e = cmpi equal %b, %zero, signed : tile<i32> -> tile<i1>\n  {leaving}");
    keeps(pass, &integers(&text), &[]);
    // A failing assertion is reported, and not what would follow it.
    let asserts = text.replace(
        "if %e {\n      break %i : tile<i32>\n    }",
        "%g = xori %e, %true : tile<i1>\n    assert %g, \"no divisor\" : tile<i1>",
    );
    assert!(asserts.contains("assert"));
    keeps(pass, &integers(&asserts), &[]);
}

#[test]
fn cheap_ops_are_hoisted_only_with_their_users() {
    let text = |use_of: &str| {
        integers(&format!(
            "%z1 = reshape %b : tile<i32> -> tile<1xi32>
  %all = broadcast %z1 : tile<1xi32> -> tile<256xi32>
  %r = for %i in (%zero to %two, step %one) : tile<i32> iter_values(%v = %a) -> (tile<i32>) {{
    %sum = addi %all, %all : tile<256xi32>
    {use_of}
    %g = reduce %w dim=0 identities=[0 : i32] : tile<256xi32> -> tile<i32>
    (%j: tile<i32>, %k: tile<i32>) {{
      %l = addi %j, %k : tile<i32>
      yield %l : tile<i32>
    }}
    %o = xori %v, %g : tile<i32>
    continue %o : tile<i32>
  }}"
        ))
    };
    let place = |text: &str| {
        let made = passed(&parsed(text), tile_pass("hoist_tile_invariants"));
        let shown = print_tile_module(&made, None);
        let sum = shown.match_indices("addi").next().map(|(at, _)| at);
        sum < shown.find("for %")
    };
    // A quotient is worth hoisting, together with the sum that it needs.
    let dear =
        text("%seven = constant <i32: 7> : tile<256xi32>\n    %w = divi %sum, %seven signed : tile<256xi32>");
    assert!(place(&dear));
    keeps("hoist_tile_invariants", &dear, &[]);
    // The sum alone is not worth hoisting: it would occupy registers throughout the loop.
    let cheap = text(
        "%i1 = reshape %i : tile<i32> -> tile<1xi32>\n    %i2 = broadcast %i1 : tile<1xi32> -> tile<256xi32>\n    %w = addi %sum, %i2 : tile<256xi32>",
    );
    assert!(!place(&cheap));
    keeps("hoist_tile_invariants", &cheap, &[]);
}
