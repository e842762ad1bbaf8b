//! Cuts a text into its functions and the frame around them, so that a function can be read alone.
//!
//! An editor reads a text anew with every keystroke, and only one function has changed. A [`Cut`] is made by a scan for the
//! words that begin functions and for brackets, without a lexer; [`Cut::alone`] then gives a small text that has one function
//! with the parts of the frame that it needs: the head of the module, the globals that it names, and the aliases that those and
//! it itself use. Reading that text says of the function what reading all of the text would.
//!
//! Texts whose frame is not of the usual form (MLIR's generic form, several modules) are not cut.

mod frame;
mod scan;

use std::ops::Range;
use std::sync::Arc;

pub use frame::Frame;

use crate::snapshot::header_length;

/// The syntax of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    CudaTile,
    /// The regular syntax of the internal languages.
    Stages,
    Ptx,
}

/// A function of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// The name as it is written, possibly nothing.
    pub name: &'t str,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

/// The functions of a text, and the frame around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut<'t> {
    /// The functions, in textual order.
    pub functions: Vec<Piece<'t>>,
    /// The definitions around them.
    pub frame: Frame,
    /// The text without its functions.
    pub rest: String,
}

/// A text of one function, and where the function begins in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The text.
    pub text: Arc<str>,
    /// The bytes of the function in it.
    pub at: Range<usize>,
}

/// Cuts a text of a language; `None` if its frame is not of the usual form.
pub fn cut<'t>(language: &str, text: &'t str) -> Option<Cut<'t>> {
    let syntax = match language {
        "cuda_tile" => Syntax::CudaTile,
        "ptx" => Syntax::Ptx,
        _ => Syntax::Stages,
    };
    scan::cut(syntax, language, text, header_length(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "// A comment.
!t = tile<4xf32>
#loc = loc(unknown)
module {
  cuda_tile.module @m { // }
    global @g <f32: 1.0> : tile<1xf32>
    global @h alignment = 4 <f32: 1.0> : tile<1xf32>
    // Adds.
    entry @one(%a: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
      %g = get_global @g : tile<ptr<f32>>
      print \"}\" : token
      return
    } loc(#loc)

    entry @two() { return }
  }
} loc(#loc1)
#loc1 = loc(\"a\":1:2)
";

    fn names<'t>(cut: &Cut<'t>) -> Vec<&'t str> {
        cut.functions.iter().map(|piece| piece.name).collect()
    }

    #[test]
    fn a_function_is_cut_out_with_what_it_uses() {
        let cut = cut("cuda_tile", PROGRAM).expect("it can be cut");
        assert_eq!(names(&cut), ["@one", "@two"]);
        let texts: Vec<_> = cut
            .functions
            .iter()
            .map(|piece| &PROGRAM[piece.at.clone()])
            .collect();
        assert!(
            texts[0].starts_with("entry @one(") && texts[0].ends_with("} loc(#loc)"),
            "{}",
            texts[0]
        );
        assert_eq!(texts[1], "entry @two() { return }");
        let one = cut.frame.alone(texts[0], 0);
        assert_eq!(&one.text[one.at.clone()], texts[0]);
        let wanted = [
            ("global @g", true),
            ("global @h", false),
            ("#loc =", true),
            ("#loc1 =", false),
            ("!t", false),
        ];
        for (part, there) in wanted {
            assert_eq!(one.text.contains(part), there, "{part} in {}", one.text);
        }
        let two = cut.frame.alone(texts[1], 1);
        assert!(
            two.text.starts_with("module {\n") && !two.text.contains("global"),
            "{}",
            two.text
        );
        let frame = &cut.rest;
        assert!(
            !frame.contains("entry") && frame.contains("global @h") && frame.contains("#loc1 ="),
            "{frame}"
        );
    }

    #[test]
    fn comments_and_spaces_between_functions_are_in_no_function() {
        let before = cut("cuda_tile", PROGRAM).expect("it can be cut");
        let moved = PROGRAM
            .replace("// Adds.", "// Adds one.\n\n")
            .replace("// A comment.\n", "");
        let after = cut("cuda_tile", &moved).expect("it can be cut");
        for (at, (old, new)) in before.functions.iter().zip(&after.functions).enumerate() {
            let old = before.frame.alone(&PROGRAM[old.at.clone()], at);
            let new = after.frame.alone(&moved[new.at.clone()], at);
            assert_eq!(old, new);
        }
    }

    #[test]
    fn a_function_whose_brace_is_missing_ends_where_the_next_one_begins() {
        let text =
            "cuda_tile.module @m {\n  entry @one() {\n    return\n  entry @two() {\n    return\n  }\n}\n";
        let first = cut("cuda_tile", text).expect("it can be cut");
        let texts: Vec<_> = first
            .functions
            .iter()
            .map(|piece| &text[piece.at.clone()])
            .collect();
        assert_eq!(
            texts,
            ["entry @one() {\n    return", "entry @two() {\n    return\n  }"]
        );

        let text = "cuda_tile.module @m {\n  entry @one() {\n    if %c {\n      return\n  }\n}\n";
        let last = cut("cuda_tile", text).expect("it can be cut");
        let texts: Vec<_> = last
            .functions
            .iter()
            .map(|piece| &text[piece.at.clone()])
            .collect();
        // It has the module's brace.
        assert_eq!(texts, ["entry @one() {\n    if %c {\n      return\n  }\n}"]);
        assert_eq!(last.frame.alone(texts[0], 0).text.matches('}').count(), 2);
        assert_eq!(last.rest.matches('}').count(), 1);
    }

    #[test]
    fn a_function_whose_opening_brace_is_missing_keeps_the_one_that_closes_it() {
        let module = "cuda_tile.module @m {
  entry @one() {
    if %c {
      return
    }
  }

  entry @two() optimization_hints=<sm_90 = {occupancy = 2}> {
    return
  }
}
";
        let plain = module
            .replace("cuda_tile.module @m {\n", "")
            .replace("\n}\n", "\n");
        let flat = module.replace("\n  ", "\n");
        for text in [module, &plain, &flat] {
            let openings = [
                "entry @one() {",
                "if %c {",
                "entry @two() optimization_hints=<sm_90 = {",
                "occupancy = 2}> {",
            ];
            for opening in openings {
                let broken = text.replace(opening, opening.trim_end_matches('{'));
                let whole = cut("cuda_tile", text).expect("it can be cut");
                let parts = cut("cuda_tile", &broken).expect("it can be cut");
                assert_eq!(names(&parts), ["@one", "@two"], "{broken}");
                assert_eq!(parts.rest, whole.rest, "{broken}");
            }
        }
    }

    #[test]
    fn the_regular_syntax_and_ptx_are_cut() {
        let text = "#l = layout<[1]>\n\n// c\ntileas.func @f(%a: i32) {x = #l} body {\n  scf.return\n}\ntileas.func @g() {} body {\n}\n";
        let stage = cut("tileas", text).expect("it can be cut");
        assert_eq!(names(&stage), ["@f", "@g"]);
        let texts: Vec<_> = stage
            .functions
            .iter()
            .map(|piece| &text[piece.at.clone()])
            .collect();
        assert!(
            stage
                .frame
                .alone(texts[0], 0)
                .text
                .starts_with("#l = layout<[1]>\n")
        );
        assert_eq!(
            &*stage.frame.alone(texts[1], 1).text,
            "tileas.func @g() {} body {\n}\n"
        );

        let text = ".version 8.0\n.target sm_80\n.address_size 64\n/* { */\n.global .b32 a;\n\n.visible .entry f()\n{\n  ret; // }\n}\n.entry g(\n  .param .u32 p\n)\n.maxntid 32, 1, 1\n{\n  ret;\n}\n";
        let ptx = cut("ptx", text).expect("it can be cut");
        assert_eq!(names(&ptx), ["f", "g"]);
        let texts: Vec<_> = ptx
            .functions
            .iter()
            .map(|piece| &text[piece.at.clone()])
            .collect();
        let g = ptx.frame.alone(texts[1], 1);
        assert!(
            g.text.starts_with(".version 8.0\n.target sm_80\n")
                && g.text.contains("a;")
                && !g.text.contains("/*")
        );
        assert!(!g.text.contains("entry f") && g.text.trim_end().ends_with("ret;\n}"));
        // The end of a comment may be missing, and is looked for once.
        let open = format!("{text}{}", "/*\n".repeat(100_000));
        assert!(cut("ptx", &open).is_none());
        let closed = format!("{text}{}", "/* */ /\n".repeat(10));
        assert!(cut("ptx", &closed).is_some());
    }

    #[test]
    fn unusual_frames_are_not_cut() {
        for text in [
            "\"cuda_tile.module\"() <{sym_name = \"m\"}> ({\n}) : () -> ()\n",
            "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\ncuda_tile.module @n {\n}\n",
        ] {
            assert_eq!(cut("cuda_tile", text), None, "{text}");
        }
    }
}
