//! Type and attribute aliases, nested modules, dictionary attributes.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::print_tile_module;

use crate::corpus::good;

fn printed(text: &str) -> String {
    print_tile_module(&good(text).module, None)
}

/// The errors of a text: the code and the text of the span.
fn errors(text: &str) -> Vec<(Code, &str)> {
    let problems = parse_tile_text(text, FileId(0)).diagnostics;
    let found = problems.into_iter().map(|problem| {
        let at = problem.primary.expect("a place").at;
        (problem.code, &text[at.start as usize..at.end as usize])
    });
    found.collect()
}

#[test]
fn a_name_stands_for_a_type_or_an_attribute() {
    let written = r#"
        !f = f32
        !p = !cuda_tile.ptr<!f>
        !tile = !cuda_tile.tile<8x!f>
        #none = {}
        #kernel = #cuda_tile.optimization_hints<sm_90 = {occupancy = 2 : i32}>
        #argument = {cuda_tile.name = "p",
                     cuda_tile.list = [1, 2]}
        #hints = #cuda_tile.optimization_hints<default = {latency = 3}>
        #less = #cuda_tile.comparison_predicate<less_than>
        #div = #cuda_tile.div_by<16>
        cuda_tile.module @m {
          entry @k(%a: tile<!p> #argument, %n: tile<i32>) optimization_hints=#kernel {
            %x = constant <!f: 1.0> : !tile
            %b = addf %x, %x : !tile
            %c = cmpi #less %n, %n, signed : tile<i32> -> tile<i1>
            %d = assume #div, %a : tile<!p>
            if %c {
              %e = negf %b : !tile
            }
          }
        }
    "#;
    let plain = r#"entry @k(%arg0: tile<ptr<f32>> {cuda_tile.list = [1, 2], cuda_tile.name = "p"}, %arg1: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<8xf32>
  %0 = addf %cst_1_f32, %cst_1_f32  : tile<8xf32>
  %1 = cmpi less_than %arg1, %arg1, signed : tile<i32> -> tile<i1>
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  if %1 {
    %2 = negf %0 : tile<8xf32>
  }
  return
}
"#;
    assert_eq!(printed(written), plain);
}

#[test]
fn undefined_aliases_are_reported() {
    let kernel = "entry @k() {\n}\n";
    let undefined = |text: &str, at: &str| {
        assert_eq!(errors(text), [(Code::UndefinedValue, at)], "{text}");
    };
    undefined("entry @k(%a: !t) {\n}\n", "!t");
    undefined("entry @k(%a: !t) {\n}\n!t = tile<f32>\n", "!t");
    undefined("entry @k(%a: tile<i32> {a.b = #x}) {\n}\n", "#x");
    undefined(&format!("#y = #x\n#x = 1\n{kernel}"), "#y");
    let other = |line: &str, code: Code| {
        let text = format!("{line}\n{kernel}");
        let found = errors(&text);
        assert!(
            matches!(&found[..], [(only, _)] if *only == code),
            "{line}: {found:?}"
        );
    };
    other("!t = f32\n!t = f16", Code::Redefinition);
    other("#x =\n#y = 1", Code::UnexpectedToken);
    other("!my.t = f32", Code::Redefinition);
    // An error in an alias is reported where it is used.
    undefined("!t = tile<!u>\nentry @k(%a: !t) {\n}\n", "!t");
}

#[test]
fn aliases_do_not_grow_without_bound() {
    let mut text = "#a0 = [1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
    for i in 1..40 {
        let inner = format!("#a{}, ", i - 1).repeat(8);
        text += &format!("#a{i} = [{inner} 1]\n");
    }
    text += "entry @k(%a: tile<i32> {a.b = #a39}) {\n}\n";
    let found = errors(&text);
    assert!(
        matches!(found.first(), Some((Code::InputTooLarge, _))),
        "{:?}",
        found.first()
    );
    let mut text = "#a0 = [1]\n".to_owned();
    for i in 1..400 {
        text += &format!("#a{i} = [#a{}]\n", i - 1);
    }
    text += "entry @k() {\n}\n";
    let found = errors(&text);
    assert!(
        matches!(found.first(), Some((Code::InputTooLarge, _))),
        "{:?}",
        found.first()
    );
}

#[test]
fn mlir_s_own_module_may_stand_around() {
    let plain = "// Producer: p\nentry @k() {\n  return\n}\n";
    for around in [
        "module",
        "builtin.module",
        "module @outer attributes {gpu.container_module, a.b = dense<1> : tensor<4xi32>, c.d = 1 : i32}",
    ] {
        let text = format!(
            "{around} {{\n  cuda_tile.module @m attributes {{producer = \"p\", other.flag}} {{\n    entry @k() {{\n    }}\n  }}\n}}\n"
        );
        assert_eq!(printed(&text), plain, "{text}");
    }
    let generic = "\"builtin.module\"() ({\n  \"cuda_tile.module\"() <{sym_name = \"m\", producer = \"p\"}> ({\n    entry @k() {\n    }\n  }) : () -> ()\n}) : () -> ()\n";
    assert_eq!(printed(generic), plain);
    assert_eq!(printed("module {\n}\n"), "\n");
}

#[test]
fn a_text_has_one_module() {
    let one = "cuda_tile.module @a {\n  entry @k() {\n  }\n}\n";
    let two = "cuda_tile.module @b {\n  entry @l() {\n  }\n}\n";
    let bare = "entry @m() {\n}\n";
    let second = [(Code::MisplacedOp, "cuda_tile.module")];
    assert_eq!(errors(&format!("{one}{two}")), second);
    assert_eq!(errors(&format!("module {{\n{one}{two}}}\n")), second);
    assert_eq!(errors(&format!("{bare}{one}")), second);
    assert_eq!(errors(&format!("{one}{bare}")), [(Code::MisplacedOp, "entry")]);
    assert_eq!(errors(&format!("module {{\n{bare}}}\n{one}")), second);
    assert_eq!(
        errors("cuda_tile.module @a {\n  cuda_tile.module @b {\n    entry @k() {\n    }\n  }\n}\n"),
        second
    );
    assert_eq!(errors(&format!("{bare}{}", bare.replace("@m", "@n"))), []);
}

#[test]
fn a_producer_of_several_lines_survives() {
    for producer in ["a\nb", "a\r", "\\ \"quoted\"\n// Producer: c\n", "ä\nb"] {
        let mut module = good("entry @k() {\n}\n").module;
        module.producer = Some(producer.to_owned());
        let text = print_tile_module(&module, None);
        let again = good(&text).module;
        assert_eq!(again.producer.as_deref(), Some(producer), "{text}");
        assert_eq!(print_tile_module(&again, None), text);
    }
    let mut module = good("entry @k() {\n}\n").module;
    module.producer = Some(String::new());
    assert_eq!(print_tile_module(&module, None), "entry @k() {\n  return\n}\n");
}

#[test]
fn attributes_may_stand_in_a_dictionary() {
    let text = "entry @k(%a: tile<f32>) {\n  \
                %x = addf %a, %a {rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero} : tile<f32>\n  \
                %y = negf %a {tt.hint = [1, {a = 2}], note.flag} : tile<f32>\n}\n";
    let plain = "entry @k(%arg0: tile<f32>) {\n  \
                 %0 = addf %arg0, %arg0 rounding<zero> flush_to_zero : tile<f32>\n  \
                 %1 = negf %arg0 : tile<f32>\n  return\n}\n";
    assert_eq!(printed(text), plain);
    let text = "global @g alignment = 4 {a.b} <f32: 1.0> : tile<1xf32>\n\
                entry @k(%n: tile<i32>, %c: tile<i1>, %p: tile<ptr<f32>>) optimization_hints=<> {\n  \
                for %i in (%n to %n, step %n) : tile<i32> {\n  } {a.b = 1}\n  \
                if %c {\n  } else {\n  } {a.b = 1}\n  \
                loop {\n    break\n  } {a.b = 1} loc(unknown)\n  \
                %x, %t = load_ptr_tko weak %p attributes {a.b = 1} : tile<ptr<f32>> -> tile<f32>, token\n\
                } {a.b = {c = 2}} loc(unknown)\n";
    let plain = "global  @g alignment = 4 <f32: 1.000000e+00> : tile<1xf32>\n\
                 entry @k(%arg0: tile<i32>, %arg1: tile<i1>, %arg2: tile<ptr<f32>>) {\n  \
                 for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> {\n  }\n  \
                 if %arg1 {\n  } else {\n  }\n  \
                 loop {\n    break\n  }\n  \
                 %result, %result_token = load_ptr_tko weak %arg2 : tile<ptr<f32>> -> tile<f32>, token\n  return\n}\n";
    assert_eq!(printed(text), plain);
    let text = "entry @k(%a: tile<f32>) {\n  %y = negf %a {hint = 1} : tile<f32>\n}\n";
    assert_eq!(errors(text), [(Code::UnknownAttribute, "hint")]);
}
