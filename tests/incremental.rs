//! Which queries run again after an edit, counted.
//!
//! A query that salsa answers from memory is not counted. The pipeline itself says which passes there are, so that
//! these tests hold for any number of them.

use tilewright::pipeline::{PASSES, route};
use tilewright::{Compiler, Language, Options, Request, Source, joins};
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

/// What runs when the file has become `text`: query and subject, sorted.
fn runs_after_edit(text: &str, edited: &str) -> Vec<(String, String)> {
    let (mut compiler, source, options) = compiled(text);
    compiler.edit(source, edited);
    ptx(&compiler, source, options);
    runs(&compiler)
}

fn runs(compiler: &Compiler) -> Vec<(String, String)> {
    let executions = compiler.take_executions();
    let mut runs: Vec<_> = executions
        .into_iter()
        .map(|one| (one.query.to_owned(), one.subject))
        .collect();
    runs.sort();
    runs
}

/// The sorted list of these passes on these kernels, with the parser and, if anything changes, the join.
fn expected(passes: &[&str], kernels: &[&str], join: bool) -> Vec<(String, String)> {
    let mut list = vec![("parse".to_owned(), "kernels.tileaa".to_owned())];
    for kernel in kernels {
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
    let source = compiler.add_source("kernels.tileaa", three_kernels());
    let options = compiler.options(Request::default());
    ptx(&compiler, source, options);
    let passes = all_passes();
    assert!(passes.len() >= 12, "{passes:?}");
    assert_eq!(runs(&compiler), expected(&passes, &["one", "two", "three"], true));
}

#[test]
fn nothing_runs_again_when_nothing_changed() {
    let (compiler, source, options) = compiled(&three_kernels());
    ptx(&compiler, source, options);
    assert_eq!(runs(&compiler), []);
}

#[test]
fn a_whitespace_edit_runs_the_parser_and_nothing_else() {
    let text = three_kernels();
    let edited = format!(
        "// A comment.\n\n{}\n",
        text.replace("\n  %x =", "\n\n      %x   =")
    );
    assert_ne!(text, edited);
    assert_eq!(runs_after_edit(&text, &edited), expected(&[], &[], false));
}

#[test]
fn renaming_a_value_runs_the_parser_and_nothing_else() {
    let text = three_kernels();
    let edited = text.replace("%s", "%sum");
    assert_eq!(runs_after_edit(&text, &edited), expected(&[], &[], false));
}

#[test]
fn editing_one_of_three_kernels_lowers_that_one_again() {
    let text = three_kernels();
    let edited = text.replace("f32<2.0>", "f32<2.5>");
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&all_passes(), &["two"], true)
    );
}

#[test]
fn an_edit_that_a_pass_removes_stops_there() {
    let text = three_kernels();
    let edited = text.replacen("i32<0>", "i32<7>", 1);
    // The constant is dead: what eliminates it makes the same kernel as before.
    let until = PASSES
        .iter()
        .position(|pass| pass.name == "eliminate_dead_code")
        .expect("the pass");
    let first = PASSES
        .iter()
        .position(|pass| pass.from == Language::TileAa)
        .expect("a pass of tileaa");
    let passes: Vec<_> = PASSES[first..=until].iter().map(|pass| pass.name).collect();
    assert!(passes.len() < all_passes().len());
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&passes, &["one"], false)
    );
}

#[test]
fn adding_a_kernel_leaves_the_others_as_they_are() {
    let text = three_kernels();
    let edited = format!("{}\n{text}", kernel("zero", "0.5"));
    assert_eq!(
        runs_after_edit(&text, &edited),
        expected(&all_passes(), &["zero"], true)
    );
}

#[test]
fn kernels_that_change_places_are_joined_anew_and_nothing_else() {
    let text = [kernel("one", "1.0"), kernel("two", "2.0")].join("\n");
    let edited = [kernel("two", "2.0"), kernel("one", "1.0")].join("\n");
    assert_eq!(runs_after_edit(&text, &edited), expected(&[], &[], true));
}

#[test]
fn an_option_that_no_pass_reads_runs_the_join_alone() {
    let (mut compiler, source, options) = compiled(&three_kernels());
    let request = Request {
        lineinfo: true,
        ..Request::default()
    };
    compiler.change_options(options, request);
    let text = ptx(&compiler, source, options);
    assert!(text.contains(".loc"), "{text}");
    assert_eq!(runs(&compiler), [("join".to_owned(), "ptx".to_owned())]);
}

#[test]
fn line_directives_follow_a_whitespace_edit_through_the_join_alone() {
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
    assert_eq!(runs(&compiler), expected(&[], &[], true));
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
    // Level 1 does all that level 3 does, so far: the passes that ask run again, and stop there.
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

/// Three kernels of a user's program, the second with hints for two targets.
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

/// What runs when the program has been edited; the passes from the user's program to PTX.
fn runs_after_edit_of_program(edited: &str) -> Vec<(String, String)> {
    runs_after_edit(&program("2.0", 3), edited)
}

#[test]
fn a_whitespace_edit_of_a_program_runs_the_parser_and_nothing_else() {
    let edited = format!(
        "// A comment.\n{}",
        program("2.0", 3).replace("    %s =", "\n\n      %s =")
    );
    assert_eq!(runs_after_edit_of_program(&edited), expected(&[], &[], false));
}

#[test]
fn editing_one_of_three_kernels_of_a_program_lowers_that_one_again() {
    let passes: Vec<_> = route(Language::CudaTile, Language::Ptx)
        .iter()
        .map(|pass| pass.name)
        .collect();
    assert_eq!(
        runs_after_edit_of_program(&program("2.5", 3)),
        expected(&passes, &["two"], true)
    );
}

#[test]
fn an_edit_that_leaves_tileaa_as_it_was_stops_there() {
    // A hint for other targets: what the pass that reads hints makes for this one is the same.
    let runs = runs_after_edit_of_program(&program("2.0", 4));
    let passes = PASSES.iter().filter(|pass| pass.from == Language::CudaTile);
    let passes: Vec<_> = passes.map(|pass| pass.name).collect();
    assert_eq!(passes.last(), Some(&"resolve_views"));
    assert_eq!(runs, expected(&passes, &["two"], false));
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
    // The passes within `cuda_tile` know no target.
    let passes: Vec<_> = route(Language::CudaTile, Language::Ptx)
        .into_iter()
        .filter(|pass| pass.to != Language::CudaTile)
        .map(|pass| pass.name)
        .collect();
    let mut want = expected(&passes, &["one", "two", "three"], true);
    want.retain(|(query, _)| query != "parse");
    assert_eq!(runs(&compiler), want);
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
