//! Programs for the rules of the passes within the language, with the number of remaining ops where it is known.
//! Random programs seldom cover these.

use tilewright_irs::cuda_tile::print_tile_module;

use crate::run::{Outcome, evaluated, parsed, passed, tile_pass};

/// The number of occurrences of words in the output of a pass.
type Counts<'a> = &'a [(&'a str, usize)];

/// A kernel with these lines that stores the integer `%r` and the float `%f`.
pub(crate) fn kernel(lines: &str) -> String {
    format!(
        "entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<f32>>, %a: tile<i32>, %b: tile<i32>, %x: tile<f32>, %y: tile<f32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %true = constant <i1: true> : tile<i1>
  %c = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
  %d = cmpi less_than %zero, %a, signed : tile<i32> -> tile<i1>
  %n = xori %c, %true : tile<i1>
  %f0 = addf %x, %y : tile<f32>
{lines}
  %s1 = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
  %s2 = store_ptr_tko weak %q, %f : tile<ptr<f32>>, tile<f32> -> token
  return
}}
"
    )
}

/// A kernel that stores the integer `%r`.
pub(crate) fn integers(lines: &str) -> String {
    kernel(&format!("{lines}\n  %f = addf %f0, %x : tile<f32>"))
}

/// Checks that the pass preserves the program's results, and the counts of words in its output.
pub(crate) fn keeps(pass: &str, text: &str, counts: Counts<'_>) {
    let module = parsed(text);
    let made = passed(&module, tile_pass(pass));
    let shown = print_tile_module(&made, None);
    let (before, after) = (evaluated(&module, false), evaluated(&made, false));
    assert!(
        before.iter().any(|outcome| matches!(outcome, Outcome::Did(..))),
        "{before:?}\n{text}"
    );
    assert_eq!(after, before, "{pass}\n{text}\nbecomes\n{shown}");
    for (word, count) in counts {
        assert_eq!(
            shown.matches(word).count(),
            *count,
            "{word}: {pass}\n{text}\nbecomes\n{shown}"
        );
    }
}

#[test]
fn nested_branches_become_one_on_both_conditions() {
    let nested = |inner: &str, outer: &str| {
        integers(&format!(
            "%r = if %c -> (tile<i32>) {{
    %i = if %d -> (tile<i32>) {{
      %m = muli %a, %a : tile<i32>
      yield %m : tile<i32>
    }} else {{ {inner} : tile<i32> }}
    yield %i : tile<i32>
  }} else {{ {outer} : tile<i32> }}"
        ))
    };
    keeps(
        "canonicalize",
        &nested("yield %b", "yield %b"),
        &[("if %", 1), ("andi", 1)],
    );
    // The two exits differ, or have side effects.
    keeps("canonicalize", &nested("yield %b", "yield %a"), &[("if %", 2)]);
    let more = "%t = print_tko \"else\" -> token\n yield %b";
    keeps("canonicalize", &nested("yield %b", more), &[("if %", 2)]);
    keeps("canonicalize", &nested(more, "yield %b"), &[("if %", 2)]);
    // The yielded value is not the result of the inner branch.
    let other = "if %c {
    if %d {
      %t = print_tko \"both\" -> token
    } else {
      %t = print_tko \"one\" -> token
    }
  }
  %r = addi %a, %b : tile<i32>";
    keeps("canonicalize", &integers(other), &[("if %", 2)]);
    let handed = "%h:2 = if %c -> (tile<i32>, tile<i32>) {
    %i:2 = if %d -> (tile<i32>, tile<i32>) {
      %t = print_tko \"both\" -> token
      %m = muli %a, %a : tile<i32>
      %m2 = muli %m, %a : tile<i32>
      yield %m, %m2 : tile<i32>, tile<i32>
    } else { yield %b, %b : tile<i32>, tile<i32> }
    yield %i#1, %one : tile<i32>, tile<i32>
  } else { yield %b, %b : tile<i32>, tile<i32> }
  %r = subi %h#0, %h#1 : tile<i32>";
    keeps("canonicalize", &integers(handed), &[]);
}

/// A branch with a result computed in both regions.
fn branch(name: &str, condition: &str, then: &str, otherwise: &str) -> String {
    format!(
        "{name} = if {condition} -> (tile<i32>) {{
    {then}
    yield %v : tile<i32>
  }} else {{
    {otherwise}
    yield %v : tile<i32>
  }}\n"
    )
}

#[test]
fn branches_on_the_same_condition_are_merged() {
    let first = branch(
        "%g",
        "%c",
        "%v = muli %a, %a : tile<i32>",
        "%v = muli %b, %b : tile<i32>",
    );
    let again = |condition: &str| {
        branch(
            "%h",
            condition,
            "%v = subi %g, %b : tile<i32>",
            "%v = subi %b, %g : tile<i32>",
        )
    };
    let both = "%k = muli %g, %two : tile<i32>\n  %r = subi %k, %h : tile<i32>";
    keeps(
        "canonicalize",
        &integers(&format!("{first}{}{both}", again("%c"))),
        &[("if %", 1)],
    );
    keeps(
        "canonicalize",
        &integers(&format!("{first}{}{both}", again("%n"))),
        &[("if %", 1)],
    );
    keeps(
        "canonicalize",
        &integers(&format!("{first}{}{both}", again("%d"))),
        &[("if %", 2)],
    );
    // A branch on the negation without an else region: its ops belong to the other region.
    for (one, other) in [("%c", "%n"), ("%n", "%c"), ("%c", "%c")] {
        let prints = format!(
            "if {one} {{\n %t1 = print_tko \"first\" -> token\n }}
             if {other} {{\n %t2 = print_tko \"second\" -> token\n }}
             %r = addi %a, %b : tile<i32>"
        );
        keeps("canonicalize", &integers(&prints), &[("if %", 1)]);
    }
    // The second branch uses the first one's result in a nested region.
    let deep = "%v0 = if %d -> (tile<i32>) {
      %t = print_tko \"%d\", %g : tile<i32> -> token
      %w = muli %g, %g : tile<i32>
      yield %w : tile<i32>
    } else {
      yield %g : tile<i32>
    }
    %v = addi %v0, %one : tile<i32>";
    let second = branch("%h", "%c", deep, "%v = subi %b, %g : tile<i32>");
    keeps(
        "canonicalize",
        &integers(&format!("{first}{second}{both}")),
        &[("if %", 2)],
    );
    // Output between them stays between them.
    let prints = "if %c {
    %t1 = print_tko \"first\" -> token
  }
  %t2 = print_tko \"between\" -> token
  if %c {
    %t3 = print_tko \"last\" -> token
  }
  %r = addi %a, %b : tile<i32>";
    keeps("canonicalize", &integers(prints), &[("if %", 2)]);
}

#[test]
fn loops_with_exits_in_branches_stay_loops() {
    let leaving = "%r = loop iter_values(%i = %a) : tile<i32> -> tile<i32> {
    if %c {
      %m = muli %i, %i : tile<i32>
      break %m : tile<i32>
    }
    %o = addi %i, %one : tile<i32>
    break %o : tile<i32>
  }";
    keeps("canonicalize", &integers(leaving), &[("loop ", 1)]);
    let going_on =
        "%r = for %i in (%zero to %one, step %one) : tile<i32> iter_values(%v = %a) -> (tile<i32>) {
    if %c {
      if %d {
        %t = print_tko \"early\" -> token
        continue %b : tile<i32>
      }
      %t2 = print_tko \"late\" -> token
    }
    %o = addi %v, %one : tile<i32>
    continue %o : tile<i32>
  }";
    keeps("canonicalize", &integers(going_on), &[("for %", 1)]);
    let once = "%r = for %i in (%one to %two, step %one) : tile<i32> iter_values(%v = %a) -> (tile<i32>) {
    %o = addi %v, %i : tile<i32>
    continue %o : tile<i32>
  }";
    keeps("canonicalize", &integers(once), &[("for %", 0)]);
    // A second iteration starts at 1.
    keeps(
        "canonicalize",
        &integers(&once.replace("(%one to %two", "(%zero to %two")),
        &[("for %", 1)],
    );
}

#[test]
fn bodies_of_reductions_keep_their_constants() {
    let text = "%e = constant <i32: 77> : tile<i32>
  %row = iota : tile<8xi32>
  %g = reduce %row dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%i: tile<i32>, %j: tile<i32>) {
    %k = constant <i32: 77> : tile<i32>
    %l = xori %i, %k : tile<i32>
    %m = addi %l, %j : tile<i32>
    yield %m : tile<i32>
  }
  %h = muli %g, %a : tile<i32>
  %r = addi %h, %e : tile<i32>";
    keeps("canonicalize", &integers(text), &[("<i32: 77>", 2)]);
}

#[test]
fn static_extents_replace_dimension_queries() {
    let text =
        "%t = make_tensor_view %p, shape = [3, 5], strides = [5, 1] : tensor_view<3x5xi32, strides=[5,1]>
  %m, %l = get_tensor_shape %t : tensor_view<3x5xi32, strides=[5,1]> -> tile<i32>
  %o = muli %m, %a : tile<i32>
  %r = addi %o, %l : tile<i32>";
    let text = text.replace("shape = [3, 5], strides = [5, 1] ", "");
    let text = text.replace(
        "make_tensor_view %p, :",
        "make_tensor_view %p, shape = [3, 5], strides = [5, 1] :",
    );
    keeps(
        "canonicalize",
        &integers(&text),
        &[("<i32: 3>", 1), ("<i32: 5>", 1)],
    );
}
