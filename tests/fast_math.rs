//! Fast-math flags on their way from an option, or from the text, to instructions.

use tilewright::pipeline::{route, stage_after};
use tilewright::printing::print_stages;
use tilewright::{Compiler, Language, Request, joins, reading};
use tilewright_irs::core::Operation;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::dialects::math::MathOp;

/// Float ops on elements, in the body of a loop and in that of a reduction.
const PROGRAM: &str = "cuda_tile.module @m {
  entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %i = iota : tile<128xi32>
    %p1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p = broadcast %p1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %q = offset %p, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %t = load_ptr_tko weak %q : tile<128xptr<f32>> -> tile<128xf32>, token
    %from = constant <i32: 0> : tile<i32>
    %to = constant <i32: 7> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %l = for %n in (%from to %to, step %step) : tile<i32> iter_values(%v = %x) -> (tile<128xf32>) {
      %m = mulf %v, %x : tile<128xf32>
      %w = addf %m, %x : tile<128xf32>
      %e = exp %w : tile<128xf32>
      %r = sqrt %e rounding<nearest_even> : tile<128xf32>
      %g = maxf %r, %x : tile<128xf32>
      continue %g : tile<128xf32>
    }
    %s = reduce %l dim=0 identities=[0.0 : f32] : tile<128xf32> -> tile<f32>
      (%h: tile<f32>, %j: tile<f32>) {
        %k = addf %h, %j : tile<f32>
        yield %k : tile<f32>
      }
    %s1 = reshape %s : tile<f32> -> tile<1xf32>
    %sb = broadcast %s1 : tile<1xf32> -> tile<128xf32>
    %d = divf %l, %sb rounding<nearest_even> : tile<128xf32>
    %c = cmpf less_than ordered %d, %x : tile<128xf32> -> tile<128xi1>
    %z = select %c, %d, %x : tile<128xi1>, tile<128xf32>
    %o1 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
    %o = broadcast %o1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %u = offset %o, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %y = store_ptr_tko weak %u, %z : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }
}
";

fn request(opt_level: u8, fast_math: FastMath) -> Request {
    Request {
        opt_level,
        fast_math,
        ..Request::default()
    }
}

/// The program in a language.
fn made(text: &str, request: Request, language: Language) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(request);
    let (made, said) = joins::compile(&compiler, source, options, language);
    made.unwrap_or_else(|| panic!("{text}\n{said:#?}")).to_string()
}

/// The names of the ops that can have flags.
fn with_flags() -> Vec<&'static str> {
    let specs = ArithOp::specs().into_iter().chain(MathOp::specs());
    let has = specs.filter(|spec| spec.fields.iter().any(|field| field.name == "fast_math"));
    has.map(|spec| spec.name).collect()
}

#[test]
fn every_pass_up_to_instructions_hands_flags_on() {
    let names = with_flags();
    let flag = FastMath::of(&[FastMathFlag::NoInfinity]);
    for opt_level in [0, 3] {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("t", PROGRAM);
        let options = compiler.options(request(opt_level, flag));
        let parsed = reading::parse(&compiler, source);
        let kernel = parsed.kernels[0];
        let mut checked = 0;
        let passes = route(Language::CudaTile, Language::Llvm);
        let after = passes.iter().skip_while(|pass| pass.name != "resolve_views");
        for pass in after.take_while(|pass| pass.name != "expand_math") {
            let stage = stage_after(&compiler, kernel, options, pass).expect(pass.name);
            let text = print_stages(&[stage], None).expect("text");
            for line in text.lines() {
                let op = line.split_once(" = ").map_or("", |(_, op)| op).split(' ').next();
                if op.is_some_and(|op| names.contains(&op)) {
                    assert!(
                        line.contains("fast_math = [ninf]"),
                        "{}: {line}\n{text}",
                        pass.name
                    );
                    checked += 1;
                }
            }
        }
        assert!(checked > 8 * 20, "{checked} ops");
    }
}

#[test]
fn a_text_of_any_language_takes_the_flags_of_the_option() {
    let flags = FastMath::of(&[FastMathFlag::Approximate]);
    let ptx = made(PROGRAM, request(3, flags), Language::Ptx);
    assert!(
        ptx.contains("sqrt.approx.f32") && ptx.contains("div.full.f32"),
        "{ptx}"
    );
    assert_ne!(ptx, made(PROGRAM, request(3, FastMath::NONE), Language::Ptx));
    for language in [
        Language::TileAa,
        Language::TileAs,
        Language::Scheduled,
        Language::CuteDesugared,
    ] {
        // With flags in the text, and with flags from the option only.
        let with = made(PROGRAM, request(3, flags), language);
        let without = made(PROGRAM, request(3, FastMath::NONE), language);
        let from_text = made(&with, request(3, FastMath::NONE), Language::Ptx);
        let from_option = made(&without, request(3, flags), Language::Ptx);
        assert!(
            from_text == ptx && from_option == ptx,
            "{language}: {from_text}\n{from_option}"
        );
    }
}
