//! Incremental compilation: the number of queries that run again after an edit.
//!
//! A query that salsa answers from its cache is not counted. The list of passes comes from the pipeline, so that
//! these tests are independent of their number.

use tilewright::pipeline::{PASSES, Pass, When, leads, route};
use tilewright::{Compiler, Language, Options, Request, Source, joins};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::ptx::Target;

/// A kernel that adds a constant to each element.
fn kernel(name: &str, constant: &str) -> String {
    format!(
        "tileaa.func @{name}(%a: ptr<f32>, %n: i32) {{target = sm_90a}} body {{
  %m = tileaa.memref %a, [%n], [] : memref<?xf32, strides = [1], align = 16, class = 0>
  %x = tileaa.program_id {{axis = 0}} : i32
  %k0 = tileaa.create_mem_token : token
  %t, %k1 = tileaa.load %m, [%x], after %k0 {{dim_map = [0], steps = [128], inbounds = [false], order = weak}} : tile<128xf32>, token
  %c = arith.constant {{value = f32<{constant}>}} : tile<128xf32>
  %unused = arith.constant {{value = i32<0>}} : i32
  %s = arith.addf %t, %c {{rounding = nearest_even}} : tile<128xf32>
  %k2 = tileaa.store %m, [%x], %s, after %k1 {{dim_map = [0], steps = [128], inbounds = [false], order = weak}} : token
  scf.return
}}
"
    )
}

fn three_kernels() -> String {
    [kernel("one", "1.0"), kernel("two", "2.0"), kernel("three", "3.0")].join("\n")
}

/// A compiler that has compiled `text` to PTX.
fn compiled(text: &str) -> (Compiler, Source, Options) {
    let mut compiler = Compiler::new();
    compiler.log_executions();
    let source = compiler.add_source("kernels.tileaa", text);
    let options = compiler.options(Request::default());
    ptx(&compiler, source, options);
    compiler.take_executions();
    (compiler, source, options)
}

fn ptx(compiler: &Compiler, source: Source, options: Options) -> String {
    let (text, said) = joins::compile(compiler, source, options, Language::Ptx);
    text.unwrap_or_else(|| panic!("{said:#?}")).to_string()
}

/// The queries that run after the file becomes `edited`: query and subject, sorted.
fn runs_after_edit(text: &str, edited: &str) -> Vec<(String, String)> {
    let (mut compiler, source, options) = compiled(text);
    compiler.edit(source, edited);
    ptx(&compiler, source, options);
    runs(&compiler)
}

fn runs(compiler: &Compiler) -> Vec<(String, String)> {
    let executions = compiler.take_executions();
    for one in &executions {
        assert_eq!(one.count, 1, "{one:?}");
    }
    executions
        .into_iter()
        .map(|one| (one.query.to_owned(), one.subject))
        .collect()
}

/// What is read besides functions.
const FRAME: &str = "the frame";

/// The sorted list of these passes on these kernels, with what is read of the text and, if anything changes, the texts of
/// these kernels and the join.
fn expected(read: &[&str], passes: &[&str], kernels: &[&str], join: bool) -> Vec<(String, String)> {
    let mut list = vec![("parse".to_owned(), "kernels.tileaa".to_owned())];
    for part in read {
        let function = if *part == FRAME {
            FRAME.to_owned()
        } else {
            format!("@{part}")
        };
        list.push(("read".to_owned(), function));
    }
    for kernel in kernels {
        if join {
            list.push(("print".to_owned(), (*kernel).to_owned()));
        }
        list.extend(
            passes
                .iter()
                .map(|pass| ((*pass).to_owned(), (*kernel).to_owned())),
        );
    }
    if join {
        list.push(("join".to_owned(), "ptx".to_owned()));
    }
    list.sort();
    list
}

fn all_passes() -> Vec<&'static str> {
    route(Language::TileAa, Language::Ptx)
        .iter()
        .map(|pass| pass.name)
        .collect()
}

#[test]
fn the_first_compilation_runs_every_pass_once_for_each_kernel() {
    let mut compiler = Compiler::new();
    compiler.log_executions();
    let source = compiler.add_source("kernels.tileaa", three_kernels());
    let options = compiler.options(Request::default());
    ptx(&compiler, source, options);
    let passes = all_passes();
    assert!(passes.len() >= 12, "{passes:?}");
    assert_eq!(
        runs(&compiler),
        expected(
            &[FRAME, "one", "two", "three"],
            &passes,
            &["one", "two", "three"],
            true
        )
    );
}

#[test]
fn nothing_runs_again_when_nothing_changed() {
    let (compiler, source, options) = compiled(&three_kernels());
    ptx(&compiler, source, options);
    assert_eq!(runs(&compiler), []);
}

#[test]
fn an_edit_of_spaces_in_all_kernels_reads_them_and_runs_no_pass() {
    let text = three_kernels();
    let edited = format!(
        "// A comment.\n\n{}\n",
        text.replace("\n  %x =", "\n\n      %x   =")
    );
    assert_ne!(text, edited);
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&[FRAME, "one", "two", "three"], &[], &[], false)
    );
}

#[test]
fn renaming_a_value_in_all_kernels_reads_them_and_runs_no_pass() {
    let text = three_kernels();
    let edited = text.replace("%s", "%sum");
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&["one", "two", "three"], &[], &[], false)
    );
}

#[test]
fn editing_one_of_three_kernels_lowers_that_one_again() {
    let text = three_kernels();
    let edited = text.replace("f32<2.0>", "f32<2.5>");
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&["two"], &all_passes(), &["two"], true)
    );
}

#[test]
fn an_edit_that_a_pass_removes_stops_there() {
    let text = three_kernels();
    let edited = text.replacen("i32<0>", "i32<7>", 1);
    // The constant is dead: the pass that eliminates it returns the same kernel as before.
    let until = PASSES
        .iter()
        .position(|pass| pass.name == "eliminate_dead_tileaa_code")
        .expect("the pass");
    let first = PASSES
        .iter()
        .position(|pass| pass.from == Language::TileAa)
        .expect("a pass of tileaa");
    let passes: Vec<_> = PASSES[first..=until].iter().map(|pass| pass.name).collect();
    assert!(passes.len() < all_passes().len());
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&["one"], &passes, &["one"], false)
    );
}

#[test]
fn adding_a_kernel_leaves_the_others_as_they_are() {
    let text = three_kernels();
    let edited = format!("{}\n{text}", kernel("zero", "0.5"));
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&[FRAME, "zero"], &all_passes(), &["zero"], true)
    );
}

#[test]
fn reordering_kernels_reruns_only_the_join() {
    let text = [kernel("one", "1.0"), kernel("two", "2.0")].join("\n");
    let edited = [kernel("two", "2.0"), kernel("one", "1.0")].join("\n");
    assert_eq!(runs_after_edit(&text, &edited), expected(&[], &[], &[], true));
}

#[test]
fn an_option_that_no_pass_reads_prints_anew_and_runs_no_pass() {
    let (mut compiler, source, options) = compiled(&three_kernels());
    let request = Request {
        lineinfo: true,
        ..Request::default()
    };
    compiler.change_options(options, request);
    let text = ptx(&compiler, source, options);
    assert!(text.contains(".loc"), "{text}");
    let mut want = expected(&[], &[], &["one", "two", "three"], true);
    want.retain(|(query, _)| query != "parse");
    assert_eq!(runs(&compiler), want);
}

#[test]
fn line_directives_follow_a_whitespace_edit_and_no_pass_runs() {
    let text = three_kernels();
    let (mut compiler, source, options) = compiled(&text);
    compiler.change_options(
        options,
        Request {
            lineinfo: true,
            ..Request::default()
        },
    );
    let before = ptx(&compiler, source, options);
    compiler.take_executions();
    compiler.edit(source, format!("\n{text}"));
    let after = ptx(&compiler, source, options);
    assert_ne!(before, after);
    let all = ["one", "two", "three"];
    assert_eq!(runs(&compiler), expected(&[FRAME], &[], &all, true));
    // Lines are added to the second kernel; the position of the first is unchanged.
    compiler.edit(source, format!("\n{}", text.replace("f32<2.0>}", "f32<2.0>\n}")));
    let last = ptx(&compiler, source, options);
    assert_ne!(after, last);
    assert_eq!(runs(&compiler), expected(&["two"], &[], &["two", "three"], true));
}

#[test]
fn the_level_of_optimisation_runs_again_what_reads_it() {
    let (mut compiler, source, options) = compiled(&kernel("one", "1.0"));
    compiler.change_options(
        options,
        Request {
            opt_level: 1,
            ..Request::default()
        },
    );
    ptx(&compiler, source, options);
    // Level 1 is currently the same as level 3: the passes that query the level run again with unchanged results.
    let ran = runs(&compiler);
    assert!(!ran.is_empty() && ran.len() < all_passes().len(), "{ran:?}");
    assert!(
        !ran.iter().any(|(query, _)| query == "join" || query == "parse"),
        "{ran:?}"
    );
}

#[test]
fn another_target_is_refused_by_text_that_names_its_own_and_runs_no_pass() {
    let (mut compiler, source, options) = compiled(&three_kernels());
    compiler.change_options(
        options,
        Request {
            target: Some(Target::sm(80)),
            ..Request::default()
        },
    );
    let (text, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert_eq!(text, None);
    assert_eq!(said.len(), 3);
    assert_eq!(runs(&compiler), []);
}

#[test]
fn an_error_in_one_kernel_is_located_again_after_it_has_moved() {
    let text = three_kernels().replace("arith.addf %t, %c", "arith.addf %t, %x");
    let mut compiler = Compiler::new();
    let source = compiler.add_source("kernels.tileaa", text.as_str());
    let options = compiler.options(Request::default());
    let line = |compiler: &Compiler| {
        let (_, said) = joins::compile(compiler, source, options, Language::Ptx);
        tilewright_diagnostics::render(
            &said,
            &compiler.files(),
            tilewright_diagnostics::Format::Short,
            false,
        )
    };
    let before = line(&compiler);
    assert!(before.starts_with("kernels.tileaa:8:"), "{before}");
    compiler.edit(source, format!("\n\n{text}"));
    let after = line(&compiler);
    assert!(after.starts_with("kernels.tileaa:10:"), "{after}");
}

/// Three kernels of a user program, the second with hints for two targets.
fn program(constant: &str, hint: u32) -> String {
    let kernel = |name: &str, hints: &str, constant: &str| {
        format!(
            "  entry @{name}(%a: tile<ptr<f32>>, %n: tile<i32>){hints} {{
    %c = constant <f32: {constant}> : tile<128xf32>
    %v = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %k0 = make_token : token
    %t, %k1 = load_view_tko weak %p[%x] token = %k0 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %s = addf %t, %c : tile<128xf32>
    %k2 = store_view_tko weak %s, %p[%x] token = %k1 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }}
"
        )
    };
    let hints = format!(
        " optimization_hints=<sm_80 = {{occupancy = {hint}}}, sm_90 = {{occupancy = 2}}, sm_120 = {{occupancy = {hint}}}>"
    );
    format!(
        "cuda_tile.module @m {{\n{}{}{}}}\n",
        kernel("one", "", "1.0"),
        kernel("two", &hints, constant),
        kernel("three", "", "3.0")
    )
}

/// The passes from a user program to PTX that run under these conditions.
fn passes_when(conditions: &[When]) -> Vec<&'static str> {
    let route = route(Language::CudaTile, Language::Ptx).into_iter();
    let holding = route.filter(|pass| conditions.contains(&pass.when));
    holding.map(|pass| pass.name).collect()
}

/// The passes from a user program to PTX that run with default options.
fn passes_of_programs() -> Vec<&'static str> {
    passes_when(&[When::Always, When::Optimising, When::CleaningUp])
}

/// The queries that run after the program is edited; the passes from the user program to PTX.
fn runs_after_edit_of_program(edited: &str) -> Vec<(String, String)> {
    runs_after_edit(&program("2.0", 3), edited)
}

#[test]
fn an_edit_of_spaces_in_a_program_reads_and_runs_no_pass() {
    let edited = format!(
        "// A comment.\n{}",
        program("2.0", 3).replace("    %s =", "\n\n      %s =")
    );
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&[FRAME, "one", "two", "three"], &[], &[], false)
    );
}

#[test]
fn text_that_moves_is_not_read_again() {
    let text = program("2.0", 3);
    // A line before all functions, and one between two of them.
    let edited = text.replacen("  entry", "\n\n  entry", 2);
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&[FRAME], &[], &[], false)
    );
    let edited = format!("// A comment.\n{text}");
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&[FRAME], &[], &[], false)
    );
}

#[test]
fn a_comment_in_one_kernel_reads_that_one() {
    let edited = program("2.0 /", 3).replace("2.0 />", "2.0> // two\n    ");
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&["two"], &[], &[], false)
    );
}

/// The program with another word for one in its second kernel.
fn program_with_other_second(word: &str, new: &str) -> String {
    let text = program("2.0", 3);
    let at = text.find("@two").expect("the kernel");
    let (before, after) = text.split_at(at);
    let end = after.find("@three").expect("the next one");
    let (two, after) = after.split_at(end);
    format!("{before}{}{after}", two.replace(word, new))
}

#[test]
fn another_name_of_a_value_reads_its_kernel_and_runs_no_pass() {
    let edited = program_with_other_second("%s", "%sum");
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&["two"], &[], &[], false)
    );
}

#[test]
fn another_type_lowers_its_kernel_again() {
    let edited = program_with_other_second("128", "256");
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&["two"], &passes_of_programs(), &["two"], true)
    );
}

#[test]
fn another_name_of_a_kernel_lowers_that_one_again() {
    let edited = program("2.0", 3).replace("@two", "@deux");
    assert_eq!(
        runs_after_edit_of_program(&edited),
        expected(&["deux"], &passes_of_programs(), &["deux"], true)
    );
}

#[test]
fn an_error_in_one_kernel_reads_that_one_and_the_rest_stays() {
    let text = program("2.0", 3);
    let (mut compiler, source, _) = compiled(&text);
    for broken in ["2.0 :", "2.0> : tile<128xf32> {", "zwei"] {
        compiler.edit(source, program(broken, 3));
        let said = &tilewright::reading::parse(&compiler, source).diagnostics;
        assert!(!said.is_empty());
        let read = runs(&compiler);
        let functions = read
            .iter()
            .filter(|(query, part)| query == "read" && part.starts_with('@'));
        assert_eq!(
            functions.map(|(_, part)| part.as_str()).collect::<Vec<_>>(),
            ["@two"],
            "{broken}"
        );
    }
}

#[test]
fn editing_one_of_three_kernels_of_a_program_lowers_that_one_again() {
    assert_eq!(
        runs_after_edit_of_program(&program("2.5", 3)),
        expected(&["two"], &passes_of_programs(), &["two"], true)
    );
}

#[test]
fn an_edit_that_does_not_change_tileaa_stops_there() {
    // A hint for other targets: the pass that reads hints returns the same for this one.
    let runs = runs_after_edit_of_program(&program("2.0", 4));
    let mut passes = passes_of_programs();
    let last = passes.iter().position(|pass| *pass == "resolve_views");
    passes.truncate(last.expect("the pass") + 1);
    assert_eq!(runs, expected(&["two"], &passes, &["two"], false));
}

#[test]
fn another_target_runs_every_pass_that_may_know_it_and_neither_the_parser_nor_the_others() {
    let (mut compiler, source, options) = compiled(&program("2.0", 3));
    compiler.change_options(
        options,
        Request {
            target: Some(Target::sm(80)),
            ..Request::default()
        },
    );
    let text = ptx(&compiler, source, options);
    assert!(text.contains(".target sm_80"), "{text}");
    // The passes within `cuda_tile` are independent of the target.
    let passes: Vec<_> = route(Language::CudaTile, Language::Ptx)
        .into_iter()
        .filter(|pass| pass.to != Language::CudaTile)
        .map(|pass| pass.name)
        .collect();
    let mut want = expected(&[], &passes, &["one", "two", "three"], true);
    want.retain(|(query, _)| query != "parse");
    assert_eq!(runs(&compiler), want);
}

#[test]
fn every_level_runs_the_passes_that_the_table_says() {
    use When::{Always, CleaningUp, Fusing, Optimising};
    for (opt_level, fmad, conditions) in [
        (0, false, &[Always][..]),
        (0, true, &[Always, Fusing]),
        (1, false, &[Always, Optimising, CleaningUp]),
        (2, false, &[Always, Optimising, CleaningUp]),
        (3, true, &[Always, Optimising, CleaningUp, Fusing]),
    ] {
        let request = Request {
            opt_level,
            fast_math: FastMath::NONE.with(FastMathFlag::Contract, fmad),
            ..Request::default()
        };
        for mut compiler in [Compiler::new(), Compiler::once()] {
            compiler.log_executions();
            let source = compiler.add_source("kernels.mlir", program("2.0", 3));
            let options = compiler.options(request);
            ptx(&compiler, source, options);
            let mut runs = runs(&compiler);
            runs.retain(|(query, _)| Pass::named(query).is_some());
            let mut want = expected(&[], &passes_when(conditions), &["one", "two", "three"], false);
            want.retain(|(query, _)| query != "parse");
            assert_eq!(runs, want, "-O{opt_level}, fmad = {fmad}");
        }
    }
}

/// A kernel with an op without lowering, whose result is unused.
const WITHOUT_LOWERING: &str = "cuda_tile.module @m {
  entry @one() {
    %a = constant <i64: 0> : tile<i64>
    %b = int_to_ptr %a : tile<i64> -> tile<ptr<f4E2M1FN>>
    %c = offset %b, %a : tile<ptr<f4E2M1FN>>, tile<i64> -> tile<ptr<f4E2M1FN>>
    return
  }
}
";

#[test]
fn without_optimisation_lowering_is_tried_once_for_each_kernel() {
    let request = Request {
        opt_level: 0,
        target: Some(Target::sm(100)),
        ..Request::default()
    };
    for (text, kernels, lowered) in [
        (program("2.0", 3), 3, true),
        (WITHOUT_LOWERING.to_owned(), 1, false),
    ] {
        for mut compiler in [Compiler::new(), Compiler::once()] {
            compiler.log_executions();
            let source = compiler.add_source("kernels.mlir", text.as_str());
            let options = compiler.options(request);
            ptx(&compiler, source, options);
            let runs = runs(&compiler);
            let count = |name: &str| runs.iter().filter(|(query, _)| query == name).count();
            assert_eq!(count("stays_as_written"), kernels, "{runs:?}");
            // Ops without lowering pass through the complete clean-up.
            for pass in PASSES.iter().filter(|pass| pass.to == Language::CudaTile) {
                let expected = match pass.when {
                    When::Always => kernels,
                    When::CleaningUp => usize::from(!lowered),
                    When::Optimising | When::Fusing | When::Checking | When::Unchecked | When::Asked => 0,
                };
                assert_eq!(count(pass.name), expected, "{}: {runs:?}", pass.name);
            }
        }
    }
}

/// Three kernels; the first two use their own globals, the third uses none.
fn with_globals(first: &str, second: &str) -> String {
    let reading = |name: &str, global: &str| {
        format!("entry @{name}() {{\n  %0 = get_global @{global} : tile<ptr<f32>>\n  return\n}}\n")
    };
    format!(
        "global @a <f32: {first}> : tile<1xf32>\nglobal @b <f32: {second}> : tile<1xf32>\n{}{}entry @three() {{\n  return\n}}\n",
        reading("one", "a"),
        reading("two", "b")
    )
}

#[test]
fn an_edit_of_a_global_concerns_the_kernels_that_use_it() {
    let mut compiler = Compiler::new();
    compiler.log_executions();
    let source = compiler.add_source("globals.mlir", with_globals("1.0", "2.0"));
    let options = compiler.options(Request::default());
    let text = |compiler: &Compiler| {
        ptx(compiler, source, options);
        let (text, said) = joins::compile(compiler, source, options, Language::CudaTile);
        text.unwrap_or_else(|| panic!("{said:#?}")).to_string()
    };
    let before = text(&compiler);
    compiler.take_executions();
    compiler.edit(source, with_globals("1.0", "3.0"));
    let after = text(&compiler);
    assert_ne!(after, before);
    assert_eq!(after, before.replace("2.000000e+00", "3.000000e+00"));
    let runs = runs(&compiler);
    let kernels: Vec<_> = runs.iter().map(|(_, subject)| subject.as_str()).collect();
    assert!(runs.iter().any(|(query, _)| query == "canonicalize"), "{runs:?}");
    assert!(
        kernels.contains(&"two") && !kernels.contains(&"one") && !kernels.contains(&"three"),
        "{runs:?}"
    );
}

#[test]
fn an_edit_prints_one_kernel_in_every_language() {
    let edited = program("2.5", 3);
    let languages = Language::ALL
        .iter()
        .filter(|language| leads(Language::TileAa, **language));
    for &language in languages {
        let mut compiler = Compiler::new();
        compiler.log_executions();
        let source = compiler.add_source("kernels.tileaa", program("2.0", 3));
        let options = compiler.options(Request::default());
        let text = |compiler: &Compiler| {
            joins::compile(compiler, source, options, language)
                .0
                .expect("a text")
        };
        let before = text(&compiler);
        compiler.take_executions();
        compiler.edit(source, edited.as_str());
        let after = text(&compiler);
        assert_ne!(before, after, "{language}");
        let mut printed = runs(&compiler);
        printed.retain(|(query, _)| query == "print");
        assert_eq!(printed, [("print".to_owned(), "two".to_owned())], "{language}");
        // The join of old and new parts equals the text of a fresh compilation.
        let mut fresh = Compiler::new();
        let source = fresh.add_source("kernels.tileaa", edited.as_str());
        let options = fresh.options(Request::default());
        let (want, _) = joins::compile(&fresh, source, options, language);
        assert_eq!(Some(after), want, "{language}");
    }
}

#[test]
fn a_compiler_for_one_use_runs_each_pass_once_and_makes_the_same() {
    let edited = program("2.5", 3);
    for lineinfo in [false, true] {
        let request = Request {
            lineinfo,
            ..Request::default()
        };
        let compile = |mut compiler: Compiler| {
            compiler.log_executions();
            let source = compiler.add_source("kernels.tileaa", edited.as_str());
            let options = compiler.options(request);
            (ptx(&compiler, source, options), runs(&compiler))
        };
        let (kept, once) = (compile(Compiler::new()), compile(Compiler::once()));
        assert_eq!(kept, once);
        assert_eq!(
            once.1,
            expected(
                &[FRAME, "one", "two", "three"],
                &passes_of_programs(),
                &["one", "two", "three"],
                true
            )
        );
    }
}

#[test]
fn executions_are_summed_and_only_when_they_are_logged() {
    let (mut compiler, source, options) = compiled(&kernel("one", "1.0"));
    for constant in ["2.0", "3.0", "4.0"] {
        compiler.edit(source, kernel("one", constant));
        ptx(&compiler, source, options);
    }
    let executions = compiler.take_executions();
    assert!(executions.len() <= all_passes().len() + 4, "{executions:?}");
    assert!(
        executions
            .iter()
            .any(|one| one.query == "emit_ptx" && one.count == 3)
    );
    assert_eq!(compiler.take_executions(), []);
    let mut silent = Compiler::new();
    let source = silent.add_source("kernels.tileaa", three_kernels());
    let options = silent.options(Request::default());
    ptx(&silent, source, options);
    assert_eq!(silent.take_executions(), []);
}

#[test]
fn the_default_target_asked_for_by_name_changes_nothing_after_the_first_pass() {
    let (mut compiler, source, options) = compiled(&program("2.0", 3));
    compiler.change_options(
        options,
        Request {
            target: Some(Target::sm_a(90)),
            ..Request::default()
        },
    );
    ptx(&compiler, source, options);
    let ran = runs(&compiler);
    assert!(ran.iter().all(|(query, _)| query == "resolve_views"), "{ran:?}");
}
