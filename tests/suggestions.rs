//! Misspelt and foreign words: each is one error, whose fix gives the text that was meant.

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Diagnostic, Location};

/// A module without mistakes.
const MODULE: &str = r#"cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %h = assume bounded<0, ?>, %n : tile<i32>
    %d = assume div_by<16>, %p : tile<ptr<f32>>
    %f = constant <f32: 1.0> : tile<64xf32>
    %v = make_tensor_view %d, shape = [%h], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %q = cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
    %t = make_token : token
    %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
      %u = addi %s, %i : tile<i32>
      continue %u : tile<i32>
    }
    %r = if %q -> (tile<i32>) {
      yield %c0 : tile<i32>
    } else {
      yield %c1 : tile<i32>
    }
    %a, %e = load_view_tko weak %w[%x] token = %t : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %b = addf %a, %f rounding<nearest_even> : tile<64xf32>
    %g = exp %b : tile<64xf32>
    %o = reduce %g dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32> (%l: tile<f32>, %m: tile<f32>) {
      %k = addf %l, %m : tile<f32>
      yield %k : tile<f32>
    }
    %j = store_view_tko weak %b, %w[%x] token = %e : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
"#;

/// The diagnostics of a text.
fn said(text: &str) -> Vec<Diagnostic<Location>> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    // As far as the language of the text.
    let to = if text.starts_with(".version") {
        Language::Ptx
    } else {
        Language::TileAa
    };
    joins::compile(&compiler, source, options, to).1
}

/// The text after the first fix of a diagnostic, if it has one.
fn fixed(text: &str, problem: &Diagnostic<Location>) -> Option<String> {
    let fix = problem.fixes.first()?;
    let Location::Span(at) = fix.at else { return None };
    let (start, end) = (usize::try_from(at.start).ok()?, usize::try_from(at.end).ok()?);
    Some(format!("{}{}{}", &text[..start], fix.replacement, &text[end..]))
}

/// What differs from one error whose fix makes `right` of `wrong`.
fn differs(right: &str, wrong: &str) -> Option<String> {
    let said = said(wrong);
    let [problem] = said.as_slice() else {
        return Some(format!("{} errors: {said:#?}", said.len()));
    };
    let suggests = problem.help.iter().any(|help| help.starts_with("did you mean `"));
    let fixed = fixed(wrong, problem);
    (!suggests || fixed.as_deref() != Some(right)).then(|| format!("{problem:#?}"))
}

/// Checks that one place of [`MODULE`], misspelt, is one error with the right word.
fn each_is_suggested(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (right, misspelt) in table {
        assert!(MODULE.contains(right), "{right}");
        if let Some(difference) = differs(MODULE, &MODULE.replacen(right, misspelt, 1)) {
            wrong += &format!("{misspelt}: {difference}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_module_has_no_mistakes() {
    assert_eq!(said(MODULE), []);
}

#[test]
fn a_misspelt_op_is_one_error_with_the_right_one() {
    each_is_suggested(&[
        ("yield %c0", "yeild %c0"),
        ("yield %k", "yeild %k"),
        ("continue %u", "contineu %u"),
        ("return\n", "retrun\n"),
        ("= constant", "= contant"),
        ("= make_tensor_view", "= make_tensor_veiw"),
        ("= make_partition_view", "= make_partion_view"),
        ("= for", "= fro"),
        ("= if", "= fi"),
        ("= reduce", "= redcue"),
        ("entry @k", "entyr @k"),
    ]);
}

#[test]
fn a_misspelt_keyword_is_one_error_with_the_right_one() {
    each_is_suggested(&[
        ("step %c1", "stpe %c1"),
        (" in (", " on ("),
        ("%c0 to", "%c0 ot"),
        ("iter_values", "iter_value"),
        ("else {", "esle {"),
        ("rounding<", "ruonding<"),
        ("shape = [", "shpae = ["),
        ("strides = [1]", "stirdes = [1]"),
        ("strides=[1]>>\n", "stride=[1]>>\n"),
        ("token = %t", "tokne = %t"),
        ("dim=0", "dmi=0"),
        ("identities", "identites"),
    ]);
}

#[test]
fn a_misspelt_type_is_one_error_with_the_right_one() {
    each_is_suggested(&[
        ("> : tile<64xf32>\n", "> : tlie<64xf32>\n"),
        ("%n: tile<i32>", "%n: tlie<i32>"),
        ("tile<ptr<f32>>", "tile<prt<f32>>"),
        ("constant <f32", "constant <f23"),
        ("tile<64xf32>\n", "tile<64xf23>\n"),
        ("tensor_view<?xf32", "tensor_view<?xf23"),
        (": partition_view<", ": partiton_view<"),
        ("<tile=(64)", "<tlie=(64)"),
        ("-> tensor_view<", "-> tesnor_view<"),
        ("make_token : token", "make_token : tokne"),
    ]);
}

#[test]
fn a_misspelt_case_or_predicate_is_one_error_with_the_right_one() {
    each_is_suggested(&[
        ("weak %w", "week %w"),
        ("less_than", "lesser_than"),
        ("signed :", "singed :"),
        ("nearest_even", "nearest_evn"),
        ("bounded<", "bounde<"),
        ("div_by<", "dib_by<"),
    ]);
}

#[test]
fn a_region_that_ends_with_the_wrong_op_names_the_right_one() {
    each_is_suggested(&[
        ("continue %u", "yield %u"),
        ("yield %k", "continue %k"),
        ("yield %c0", "continue %c0"),
    ]);
}

#[test]
fn an_op_for_values_of_another_kind_names_the_one_for_these() {
    each_is_suggested(&[
        ("addi %s", "addf %s"),
        ("addf %l", "addi %l"),
        ("addf %a", "addi %a"),
        ("cmpi", "cmpf"),
    ]);
    let pairs = [
        ("subi", "subf"),
        ("muli", "mulf"),
        ("maxi", "maxf"),
        ("mini", "minf"),
        ("divi", "divf"),
        ("remi", "remf"),
    ];
    for (int, float) in pairs {
        for (right, wrong, constant) in [(int, float, "i32: 7"), (float, int, "f32: 7.0")] {
            let ty = &constant[..3];
            let signed = if matches!(right, "maxi" | "mini" | "divi" | "remi") {
                " signed"
            } else {
                ""
            };
            let text = |op: &str| {
                format!(
                    "cuda_tile.module @m {{\n  entry @k() {{\n    %a = constant <{constant}> : tile<{ty}>\n    \
                     %b = {op} %a, %a{signed} : tile<{ty}>\n    return\n  }}\n}}\n"
                )
            };
            assert_eq!(said(&text(right)), [], "{right}");
            assert_eq!(differs(&text(right), &text(wrong)), None, "{wrong}");
        }
    }
}

#[test]
fn an_op_of_another_dialect_names_the_one_of_this_dialect() {
    each_is_suggested(&[
        ("addf %a", "arith.addf %a"),
        ("exp %b", "math.exp %b"),
        ("for %i", "scf.for %i"),
        ("yield %c0", "scf.yield %c0"),
        ("return\n", "func.return\n"),
        ("= constant", "= arith.constant"),
    ]);
}

#[test]
fn a_comment_of_another_language_is_one_error() {
    for comment in [
        "# a note",
        "## a note",
        "/* a note */",
        "/* a\n note */",
        "/* a note",
    ] {
        for place in ["    %t = make_token", "    return\n"] {
            let wrong = MODULE.replacen(place, &format!("    {comment}\n{place}"), 1);
            let said_of_it = said(&wrong);
            let [problem] = said_of_it.as_slice() else {
                panic!("{comment}: {said_of_it:#?}")
            };
            assert!(
                problem.message.contains("a comment begins with `//`"),
                "{problem:#?}"
            );
            let fixed = fixed(&wrong, problem).expect("a fix");
            assert_eq!(said(&fixed), [], "{fixed}");
        }
    }
    // What follows the comment on its line is not lost.
    let wrong = MODULE.replacen("%t = make_token", "/* a note */ %t = make_token", 1);
    let said_of_it = said(&wrong);
    assert!(
        matches!(said_of_it.as_slice(), [problem] if problem.fixes.is_empty()),
        "{said_of_it:#?}"
    );
    // Without a space it is an alias.
    for (place, comment) in [
        ("    return\n", "    #note this\n    return\n"),
        ("-> tile<i1>\n", "-> tile<i1> #note this\n"),
    ] {
        let wrong = MODULE.replacen(place, comment, 1);
        let said_of_it = said(&wrong);
        let [problem] = said_of_it.as_slice() else {
            panic!("{comment}: {said_of_it:#?}")
        };
        assert_eq!(problem.help, ["a comment begins with `//`"], "{comment}");
        assert_eq!(said(&fixed(&wrong, problem).expect("a fix")), [], "{comment}");
    }
}

#[test]
fn a_misspelt_word_of_an_inner_language_is_one_error_with_the_right_one() {
    let module = "tileaa.func @k(%a: i32, %f: ptr<f32>) {target = sm_90a} body {
  %x = tileaa.program_id {axis = 0} : i32
  %y = arith.addi %x, %a {overflow = wraps} : i32
  scf.return
}
";
    assert_eq!(said(module), []);
    let mut wrong = Vec::new();
    for (right, misspelt) in [
        ("arith.addi", "arith.adid"),
        ("scf.return", "scf.retrun"),
        ("overflow", "overflw"),
        ("wraps", "warps"),
        ("axis", "axsi"),
        ("ptr<f32>", "ptr<f23>"),
    ] {
        let text = module.replacen(right, misspelt, 1);
        wrong.extend(differs(module, &text).map(|difference| format!("{misspelt}: {difference}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n  .reg .b32 %r<3>;\n  mov.u32 %r1, 1;\n  ret;\n}\n";
    assert_eq!(said(ptx), []);
    assert_eq!(differs(ptx, &ptx.replace("mov", "mvo")), None);
}
