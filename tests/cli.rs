//! The command line interface: exit codes, standard output, standard error.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The repository root.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command
        .args(args)
        .current_dir(repository())
        .env_remove("NO_COLOR");
    command
}

fn run(args: &[&str]) -> (i32, String, String) {
    outcome(command(args).output().expect("the binary runs"))
}

fn outcome(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Runs the command with `input` on standard input.
fn run_on(input: &str, args: &[&str]) -> (i32, String, String) {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes())
        .expect("it reads");
    outcome(child.wait_with_output().expect("it ends"))
}

const ADD: &str = "golden/tileaa.attach_kernel_spec/vector_add.in.tileaa";
const FENCE: &str = "tests/data/fence.mlir";
const EMPTY: &str = "tileaa.func @f() {target = sm_90a} body {\n  scf.return\n}\n";

#[test]
fn help_goes_to_standard_output_and_names_every_command() {
    let (code, out, err) = run(&["--help"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for name in [
        "compile",
        "disasm",
        "pass",
        "passes",
        "check",
        "stages",
        "trace-attr",
        "schedule",
        "tune",
        "run",
        "install",
        "explain",
        "Exit codes",
    ] {
        assert!(out.contains(name), "{name}: {out}");
    }
    for name in [
        "compile",
        "disasm",
        "pass",
        "check",
        "stages",
        "trace-attr",
        "schedule",
        "tune",
        "run",
        "install",
        "explain",
    ] {
        let (code, out, _) = run(&[name, "--help"]);
        assert_eq!(code, 0);
        assert!(out.contains("Usage: tilewright"), "{out}");
    }
}

#[test]
fn an_invalid_command_line_exits_with_1() {
    for args in [
        &["frobnicate"][..],
        &["compile"],
        &["compile", "no/such/file"],
        &["compile", ADD, "--emit", "assembly"],
        &["compile", ADD, "--target", "sm_42"],
        &["compile", ADD, "-O9"],
        &["compile", ADD, "--fast-math", "nnan,nan"],
        &["compile", ADD, "--fast-math=nnan,nnan"],
        &["compile", ADD, "--fast-math="],
        &["compile", ADD, "--emit", "bytecode"],
        &["compile", ADD, "--bytecode-version", "13.1"],
        &[
            "compile",
            FENCE,
            "--emit",
            "bytecode",
            "--bytecode-version",
            "13.6",
        ],
        &["disasm", ADD],
        &["pass", "no_such_pass", ADD],
        &["pass", "emit_ptx", ADD],
        &["explain", "E9999"],
        &["run", ADD, "--grid", "0"],
        &["run", ADD, "--grid", "1,1,1,1"],
        &["run", ADD, "--on", "cpu", "--grid", "1", "--arg", "1"],
        &["run", ADD, "--on", "cpu", "--grid", "1", "--kernel", "nobody"],
        &["--error-format", "loud", "passes"],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {err}");
        assert!(err.contains("error"), "{args:?}: {err}");
    }
}

#[test]
fn a_grid_has_the_limits_of_cuda_tile_and_of_the_targets() {
    let said = |grid: &str| {
        let (code, _, err) = run(&["run", ADD, "--on", "cpu", "--grid", grid, "--kernel", "nobody"]);
        assert_eq!(code, 1, "{grid}: {err}");
        err
    };
    for (grid, message) in [
        (
            "16777216",
            "16777216 blocks along x are not between 1 and 16777215, the limit of cuda_tile",
        ),
        (
            "1,65536",
            "65536 blocks along y are not between 1 and 65535, the limit of every target",
        ),
        (
            "1,1,0",
            "0 blocks along z are not between 1 and 65535, the limit of every target",
        ),
    ] {
        assert!(said(grid).contains(message), "{}", said(grid));
    }
    // The largest grid is valid: the error is about the missing kernel.
    let largest = said("16777215,65535,65535");
    assert!(
        !largest.contains("blocks along") && largest.contains("nobody"),
        "{largest}"
    );
}

#[test]
fn refused_input_exits_with_3_and_says_why() {
    for (input, code) in [
        (
            "tileaa.func @f() {target = sm_90a} body {\n  scf.retrun\n}\n",
            "E0204",
        ),
        ("hello", "E0201"),
        ("", "E0201"),
        (
            "tileaa.func @f() {target = sm_90a} body {\n  scf.return\n",
            "E0203",
        ),
    ] {
        let (exit, out, err) = run_on(input, &["compile", "-"]);
        assert_eq!((exit, out.as_str()), (3, ""), "{input}: {err}");
        assert!(err.contains(code), "{input}: {err}");
    }
}

#[test]
fn compiling_writes_to_standard_output_or_to_a_file() {
    let (code, out, err) = run(&["compile", ADD]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with(".version 8.0\n.target sm_90a\n"), "{out}");
    let file = std::env::temp_dir().join(format!("tilewright-cli-{}.ptx", std::process::id()));
    let path = file.to_str().expect("UTF-8");
    assert_eq!(
        run(&["compile", ADD, "-o", path]),
        (0, String::new(), String::new())
    );
    assert_eq!(std::fs::read_to_string(&file).expect("written"), out);
    std::fs::remove_file(&file).expect("removed");
}

#[test]
fn a_text_that_was_emitted_is_an_input() {
    let (_, want, _) = run(&["compile", ADD]);
    for language in ["tileas", "scheduled", "cute_desugared", "llvm", "nvvm", "ptx"] {
        let (code, stage, err) = run(&["compile", ADD, "--emit", language]);
        assert_eq!(code, 0, "{err}");
        assert_eq!(run_on(&stage, &["check", "-"]).0, 0);
        assert_eq!(run_on(&stage, &["compile", "-"]).1, want, "{language}");
    }
}

#[test]
fn a_text_cannot_be_compiled_to_a_language_before_its_own() {
    let (_, stage, _) = run(&["compile", ADD, "--emit", "llvm"]);
    let (code, _, err) = run_on(&stage, &["compile", "-", "--emit", "tileas"]);
    assert_eq!(code, 1);
    assert!(err.contains("comes after"), "{err}");
}

#[test]
fn a_language_that_is_not_on_the_way_is_refused() {
    let text = "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n";
    let (code, out, err) = run_on(text, &["compile", "-", "--emit", "cute"]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(
        err.contains("`cute` is not on the way from `cuda_tile` to `ptx`"),
        "{err}"
    );
    assert!(err.contains("`scheduled`, `cute_desugared`"), "{err}");
}

#[test]
fn modules_of_cute_are_checked() {
    let text = |line: &str| {
        format!(
            "module {{\n  gpu.module @g {{\n    cuda.kernel @k(%i: i32) {{\n      {line}\n      return\n    }}\n  }}\n}}\n"
        )
    };
    let sound = text("%a = cute.make_coord(%i) : (i32) -> !cute.coord<\"?\">");
    let (code, _, err) = run_on(&sound, &["check", "-"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("cute, sound: k"), "{err}");
    let (code, _, err) = run_on(&text("%a = cute.make_cord(%i) : (i32) -> i32"), &["check", "-"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("4:12: error[E0204]"), "{err}");
}

#[test]
fn json_is_one_object_a_line() {
    let text = "tileaa.func @f() {target = sm_90a} body {\n  scf.retrun\n  arith.frob\n}\n";
    let (code, _, err) = run_on(text, &["check", "-", "--error-format", "json"]);
    assert_eq!(code, 3);
    let objects: Vec<serde_json::Value> = err
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(objects.len(), 2, "{err}");
    assert_eq!(objects[0]["code"], "E0204");
    assert_eq!(objects[0]["labels"][0]["line"], 2);
    assert_eq!(objects[1]["labels"][0]["line"], 3);
}

#[test]
fn without_a_terminal_diagnostics_are_short_and_without_colours() {
    let (_, _, err) = run_on(
        "tileaa.func @f() {target = sm_90a} body {\n  scf.retrun\n}\n",
        &["check", "-"],
    );
    assert!(err.starts_with("<stdin>:2:3: error[E0204]"), "{err}");
    let (_, _, rich) = run_on("hello", &["check", "-", "--error-format", "rich"]);
    assert!(rich.contains("error[E0201]") && !rich.contains('\x1b'), "{rich}");
}

#[test]
fn passes_are_listed_with_the_languages_they_join() {
    let (code, out, _) = run(&["passes"]);
    assert_eq!(code, 0);
    // Passes outside of the pipeline are listed separately after it.
    let pipeline = out.lines().take_while(|line| !line.is_empty());
    assert_eq!(pipeline.count(), tilewright::pipeline::PASSES.len());
    let line = out
        .lines()
        .find(|line| line.starts_with("emit_ptx"))
        .expect("a line");
    assert!(line.contains("nvvm -> ptx"), "{line}");
}

#[test]
fn one_pass_runs_alone() {
    let input = "golden/tileaa.attach_kernel_spec/saxpy.in.tileaa";
    let (code, out, err) = run(&["pass", "attach_kernel_spec", input]);
    assert_eq!((code, err.as_str()), (0, ""));
    let want = repository().join("golden/tileaa.attach_kernel_spec/saxpy.out.tileaa.snap");
    let want = std::fs::read_to_string(want).expect("the snapshot");
    assert_eq!(out, tilewright_grammar::without_snapshot_header(&want));
}

#[test]
fn a_snapshot_is_read_without_its_header_and_its_lines_are_counted_with_it() {
    let rungs = tilewright::Language::ALL
        .iter()
        .filter(|language| tilewright::pipeline::leads(tilewright::Language::CudaTile, **language));
    for (rung, language) in rungs.enumerate() {
        let path = repository().join(format!("golden/ladder/vector_add/{rung}.{language}.snap"));
        let text = std::fs::read_to_string(&path).expect("a snapshot");
        let (code, _, said) = run(&["check", &path.to_string_lossy()]);
        assert_eq!(code, 0, "{said}");
        assert!(
            said.ends_with(&format!(": {language}, sound: vector_add\n")),
            "{said}"
        );
        // An error after the last line.
        let bad = format!("{text}\u{1}\n");
        let (code, _, said) = run_on(&bad, &["check", "-"]);
        let place = format!("<stdin>:{}:1: error", bad.lines().count());
        assert!(code != 0 && said.starts_with(&place), "{language}: {said}");
    }
}

#[test]
fn stages_print_every_language_with_source_lines() {
    let (code, out, err) = run(&["stages", ADD]);
    assert_eq!((code, err.as_str()), (0, ""));
    for language in [
        "tileaa",
        "tileas",
        "scheduled",
        "cute_desugared",
        "llvm",
        "nvvm",
        "ptx",
    ] {
        assert!(out.contains(&format!("// ===== {language}: ")), "{language}");
    }
    let add = out
        .lines()
        .find(|line| line.contains("add.f32") || line.contains("add.rn.f32"));
    assert!(
        add.is_some_and(|line| line.contains("// vector_add.in.tileaa:")),
        "{add:?}"
    );
}

#[test]
fn stages_show_the_lines_of_the_sources_that_they_find() {
    let (_, out, _) = run(&["stages", ADD]);
    let place = |line: &str| line.find("  // vector_add.in.tileaa:");
    let remarks = out.lines().filter(|line| place(line).is_some());
    assert!(remarks.clone().count() > 50);
    for line in remarks {
        assert!(
            line.contains(" | %") || line.contains(" | scf.") || line.contains(" | }"),
            "{line}"
        );
    }
    let ptx = out.split("// ===== ptx").nth(1).unwrap_or_default();
    let columns: std::collections::BTreeSet<_> = ptx
        .lines()
        .filter_map(|line| {
            let tabs = line.matches('\t').count() * 7;
            place(line).map(|at| at + tabs)
        })
        .collect();
    assert_eq!(columns.len(), 1, "{columns:?}");
    let bytecode = "examples/bytecode/vector_add.13.5.tileirbc";
    let load = "vector_add.py:9:10 | ta = ct.load(a";
    let (_, out, _) = run(&["stages", bytecode]);
    assert!(out.contains("vector_add.py:9:10\n"), "{out}");
    let (_, out, _) = run(&["stages", bytecode, "--sources", "examples/kernels"]);
    assert!(out.contains(load), "{out}");
    let (_, out, _) = run(&[
        "stages",
        bytecode,
        "--sources",
        "/dev",
        "--sources",
        "no/such/folder",
    ]);
    assert!(out.contains("vector_add.py:9:10\n"), "{out}");
}

#[test]
fn line_directives_are_written_when_asked_for() {
    let (_, plain, _) = run(&["compile", ADD]);
    assert!(!plain.contains(".loc") && !plain.contains(".file"));
    let (code, lines, err) = run(&["compile", ADD, "--lineinfo"]);
    assert_eq!(code, 0, "{err}");
    assert!(lines.contains(".file") && lines.contains("vector_add.in.tileaa") && lines.contains(".loc"));
}

#[test]
fn times_are_printed_beside_the_result() {
    let (code, out, err) = run(&["compile", ADD, "--time-passes"]);
    assert_eq!(code, 0);
    assert!(out.starts_with(".version"));
    assert!(
        err.lines()
            .any(|line| line.starts_with("emit_ptx") && line.ends_with("ms")),
        "{err}"
    );
}

#[test]
fn remarks_say_what_is_missed_and_what_would_allow_it() {
    let file = std::env::temp_dir().join(format!("tilewright-remarks-{}.yaml", std::process::id()));
    let path = file.to_str().expect("UTF-8");
    let input = "golden/tileaa.choose_routes/unaligned_stays.in.tileaa";
    let (code, out, err) = run(&["compile", input, "--remarks", path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with(".version"));
    let text = std::fs::read_to_string(&file).expect("the remarks");
    std::fs::remove_file(&file).expect("removed");
    let documents: Vec<&str> = text.split_inclusive("...\n").collect();
    let of = |parts: &[&str]| {
        let has = |document: &&&str| parts.iter().all(|part| document.contains(part));
        documents.iter().filter(has).count()
    };
    // The kernels of the file, and the loads of the first one.
    let kernels = text.matches("RemarkSchedulePrediction").count();
    assert_eq!(
        of(&["--- !Analysis", "Limiter:", "Time:", "us with its launch"]),
        kernels,
        "{text}"
    );
    let stride = "the stride of axis 0 is not known to be a multiple of 16 bytes, only of 8";
    let advice = "'add `assume div_by<8>` to the stride of axis 0'";
    let missed = ["--- !Missed", "Function:        strides", advice];
    assert_eq!(
        of(&[&missed[..], &["RemarkMemoryLoadOptimized", stride]].concat()),
        2,
        "{text}"
    );
    let product = "operand B cannot be loaded to shared memory: the stride of axis 0";
    assert_eq!(
        of(&[&missed[..], &["RemarkTensorCoreWarpGroupMMA", product]].concat()),
        1,
        "{text}"
    );
    assert_eq!(of(&[input]), documents.len(), "each has a place");
}

#[test]
fn remarks_say_which_copies_round() {
    let file = std::env::temp_dir().join(format!("tilewright-rounded-{}.yaml", std::process::id()));
    let path = file.to_str().expect("UTF-8");
    let counts = |case: &str| {
        let input = format!("golden/tileaa.choose_routes/{case}.in.tileaa");
        let (code, _, err) = run(&["compile", &input, "--remarks", path]);
        assert_eq!((code, err.as_str()), (0, ""));
        let text = std::fs::read_to_string(&file).expect("the remarks");
        std::fs::remove_file(&file).expect("removed");
        [
            [
                "--- !Passed",
                "RemarkMemoryLoadOptimized",
                "the copy rounds `f32` to `tf32`",
            ],
            ["--- !Missed", "RemarkMemoryLoadRounded", "contiguous along K"],
        ]
        .map(|parts| {
            let has = |document: &&str| parts.iter().all(|part| document.contains(part));
            text.split_inclusive("...\n").filter(has).count()
        })
    };
    // Six loads; A along M and B along N.
    assert_eq!(counts("rounded"), [6, 0]);
    assert_eq!(counts("converted"), [0, 2]);
}

#[test]
fn accesses_take_the_route_that_is_forced() {
    let product = "examples/bytecode/product.13.5.tileirbc";
    let of = |route: &str| {
        let (code, out, err) = run(&["compile", product, "--route", route, "--target", "sm_90a"]);
        assert_eq!((code, err.as_str()), (0, ""), "{route}");
        let lines = |start: &str| {
            out.lines()
                .filter(|line| line.trim_start().starts_with(start))
                .count()
        };
        [
            lines("cp.async.bulk.tensor.2d.global") > 0,
            lines("cp.async.bulk.tensor.2d.shared") > 0,
            lines("cp.async.c") > 0,
            lines("wgmma.mma_async") > 0,
        ]
    };
    // Stores and loads by tensor maps, other asynchronous copies, products by warp groups.
    assert_eq!(of("tma"), [true, true, false, true]);
    assert_eq!(of("cp_async"), [false, false, true, false]);
    assert_eq!(of("staged"), [false; 4]);
    assert_eq!(of("direct"), [false; 4]);
    let (code, _, err) = run(&["compile", product, "--route", "carrier pigeon"]);
    assert_eq!(code, 1);
    assert!(err.contains("tma, cp_async, staged, direct"), "{err}");
}

#[test]
fn remarks_that_cannot_be_written_are_an_error() {
    let (code, out, err) = run(&["compile", ADD, "--remarks", "no/remarks.yaml"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("E0804"), "{err}");
}

#[test]
fn codes_and_attributes_are_explained() {
    for (topic, start) in [
        ("e0401", "E0401: tile extent is not a power of two\n\n"),
        ("attributes", "attributes: what becomes of attributes\n\n"),
        (
            "lost-order",
            "lost-order: an access without the order that it was given\n\n",
        ),
        ("latency", "latency: what becomes of `latency`\n\n"),
    ] {
        let (code, out, _) = run(&["explain", topic]);
        assert_eq!(code, 0);
        assert!(out.starts_with(start), "{out}");
    }
}

#[test]
fn running_compares_with_what_is_expected() {
    let folder = std::env::temp_dir().join(format!("tilewright-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let launch = |more: &[&str]| {
        let mut args = vec!["run", ADD, "--on", "cpu", "--grid", "3", "--kernel", "vector_add"];
        args.extend([
            "--arg",
            "iota:f32[2500]",
            "--arg",
            "ones:f32[2500]",
            "--arg",
            "empty:f32[2500]",
        ]);
        args.extend(["--arg", "2500"]);
        args.extend(more);
        run(&args)
    };
    let sum = file("sum.npy");
    let (code, _, err) = launch(&["--out", &format!("2={sum}")]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = launch(&["--expect", &format!("2={sum}")]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("2500 elements as expected"), "{out}");
    let (code, _, err) = launch(&["--expect", &format!("0={sum}")]);
    assert_eq!(code, 1);
    assert!(
        err.contains("E0831") && err.contains("2500 of 2500 elements differ"),
        "{err}"
    );
    let (code, _, err) = launch(&["--expect", &format!("3={sum}")]);
    assert_eq!(code, 1, "{err}");
    let (code, out, _) = launch(&["--time", "3"]);
    assert_eq!(code, 0);
    assert!(out.contains("median of 3 launches"), "{out}");
    // The sums, read from the file.
    let bytes = std::fs::read(folder.join("sum.npy")).expect("written");
    let data = &bytes[bytes.len() - 2500 * 4..];
    for (at, value) in data.chunks_exact(4).enumerate() {
        let value = f32::from_le_bytes(value.try_into().expect("four bytes"));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let want = at as f32 + 1.0;
        assert_eq!(value.to_bits(), want.to_bits(), "{at}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn blocks_past_the_end_of_an_array_do_nothing() {
    let data = |name: &str| format!("tests/data/numeric/vector_add/{name}.npy");
    let (a, b, out) = (data("a"), data("b"), data("out"));
    let want = format!("2={}", data("want_out"));
    let mut args = vec!["run", "examples/bytecode/vector_add.13.5.tileirbc", "--on", "cpu"];
    args.extend([
        "--kernel",
        "vector_add",
        "--array",
        &a,
        "--array",
        &b,
        "--array",
        &out,
    ]);
    args.extend(["--expect", &want, "--grid", "7"]);
    let (code, _, err) = run(&args);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_fault_in_the_simulator_names_thread_instruction_and_source_line() {
    let short = [
        "--arg",
        "zeros:f32[2000]",
        "--arg",
        "zeros:f32[2500]",
        "--arg",
        "empty:f32[2500]",
    ];
    let mut args = vec!["run", ADD, "--on", "cpu", "--grid", "3"];
    args.extend(short);
    args.extend(["--arg", "2500"]);
    let (code, _, err) = run(&args);
    assert_eq!(code, 3);
    assert!(err.contains("vector_add.in.tileaa:7:13: error[E0811]"), "{err}");
    args.extend(["--error-format", "rich"]);
    let (_, _, err) = run(&args);
    for part in ["thread (", "block (1, 0, 0)", "ld.global", "argument 0"] {
        assert!(err.contains(part), "{part}: {err}");
    }
}

#[test]
fn the_reference_evaluator_finds_what_is_undefined_at_the_line_in_python() {
    let mut args = vec![
        "run",
        "examples/bytecode/vector_add.13.5.tileirbc",
        "--on",
        "reference",
    ];
    args.extend([
        "--grid",
        "3",
        "--array",
        "randn:f32[2500]",
        "--array",
        "empty:f32[2500]",
    ]);
    args.extend(["--array", "empty:f32[2500]"]);
    let (code, _, err) = run(&args);
    assert_eq!(code, 3);
    assert!(err.contains("vector_add.py:10:10: error[E0813]"), "{err}");
    assert!(err.contains("byte 0 of argument 1"), "{err}");
    // It runs `cuda_tile` and none of the lower languages.
    let (code, _, err) = run(&["run", ADD, "--on", "reference", "--grid", "1"]);
    assert_eq!(code, 1);
    assert!(err.contains("runs cuda_tile, and the file is tileaa"), "{err}");
}

#[test]
fn unspecified_elements_are_not_compared() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unspecified");
    std::fs::create_dir_all(&folder).expect("a folder");
    let view = |extent: &str| format!("partition_view<tile=(16), tensor_view<{extent}xf32, strides=[1]>>");
    let (part, whole) = (view("?"), view("16"));
    let text = format!(
        "entry @copy(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {{
          %zero = constant <i32: 0> : tile<i32>
          %a = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
          %p = make_partition_view %a : {part}
          %x, %t = load_view_tko weak %p[%zero] : {part}, tile<i32> -> tile<16xf32>, token
          %b = make_tensor_view %to, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
          %q = make_partition_view %b : {whole}
          %u = store_view_tko weak %x, %q[%zero] : tile<16xf32>, {whole}, tile<i32> -> token
          return
        }}"
    );
    let kernel = folder.join("copy.cuda_tile");
    std::fs::write(&kernel, text).expect("written");
    let out = folder.join("out.npy").display().to_string();
    let kernel = kernel.display().to_string();
    let launch = |device: &str, n: &str, flag: &str| {
        let file = format!("1={out}");
        let mut args = vec![
            "run",
            &kernel,
            "--on",
            device,
            "--grid",
            "1",
            "--arg",
            "ones:f32[16]",
        ];
        args.extend(["--arg", "zeros:f32[16]", "--arg", n, flag, &file]);
        run(&args)
    };
    // The compiled kernel may write anything to the last four elements; the reference evaluator does not compare
    // them.
    assert_eq!(launch("cpu", "12", "--out").0, 0);
    let (code, said, err) = launch("reference", "12", "--expect");
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        said,
        "argument 1: 12 elements as expected, 4 left out of which the language says nothing\n"
    );
    assert!(
        err.contains("copy.cuda_tile:8:16: warning[E0828]: 16 bytes"),
        "{err}"
    );
    let (code, _, err) = launch("reference", "16", "--expect");
    assert_eq!(code, 1);
    assert!(err.contains("4 of 16 elements differ"), "{err}");
}

#[test]
fn a_kernel_without_an_end_is_given_up_after_a_number_of_steps() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless");
    std::fs::create_dir_all(&folder).expect("a folder");
    let kernel = folder.join("endless.cuda_tile");
    std::fs::write(&kernel, "entry @endless() {\n  loop {\n    continue\n  }\n}\n").expect("written");
    let kernel = kernel.display().to_string();
    for (device, limit) in [
        ("reference", "after 5000 steps"),
        ("cpu", "step limit of 5000 warp instructions"),
    ] {
        let (code, _, err) = run(&[
            "run",
            &kernel,
            "--on",
            device,
            "--grid",
            "1",
            "--max-steps",
            "5000",
        ]);
        assert_eq!(code, 3, "{device}: {err}");
        assert!(err.contains("E0819"), "{device}: {err}");
        assert!(err.contains(limit), "{device}: {err}");
    }
}

#[test]
fn a_store_through_a_multicast_pointer_reaches_every_replica_of_its_array() {
    let folder = std::env::temp_dir().join(format!("tilewright-replicas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let kernel = folder.join("store.cuda_tile");
    let view = "tensor_view<4xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>";
    let tiles = format!("partition_view<tile=(4), {view}>");
    let text = format!(
        "entry @store(%to: tile<ptr<i32, <multicast>>>) {{
          %zero = constant <i32: 0> : tile<i32>
          %numbers = iota : tile<4xi32>
          %view = make_tensor_view %to, shape = [4], strides = [1] : {view}
          %tiles = make_partition_view %view : {tiles}
          %done = multimem_store_view_tko weak %tiles, %numbers[%zero] : {tiles}, tile<4xi32>, tile<i32> -> token
          return
        }}"
    );
    std::fs::write(&kernel, text).expect("written");
    let out = folder.join("out.npy");
    let (kernel, out) = (kernel.to_string_lossy(), out.to_string_lossy());
    let keep = format!("0={out}");
    let mut args = vec!["run", &kernel, "--on", "reference", "--grid", "1"];
    args.extend(["--arg", "zeros:i32[8]", "--replicas", "2", "--out", &keep]);
    let (code, _, err) = run(&args);
    assert_eq!((code, err.as_str()), (0, ""));
    let bytes = std::fs::read(&*out).expect("the array");
    let numbers: Vec<u8> = [0, 1, 2, 3, 0, 1, 2, 3u32]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    assert!(bytes.ends_with(&numbers), "{bytes:?}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_missing_ptxas_is_reported() {
    let output = command(&["compile", ADD, "--emit", "cubin"])
        .env("PATH", "")
        .env_remove("CUDA_HOME")
        .env_remove("VIRTUAL_ENV")
        .env_remove("TILEWRIGHT_PTXAS")
        .output()
        .expect("the binary runs");
    let (code, out, err) = outcome(output);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("E0707"), "{err}");
    let (code, _, err) = run(&["compile", ADD, "--emit", "cubin", "--ptxas", "/no/such/ptxas"]);
    assert_eq!(code, 1);
    assert!(err.contains("/no/such/ptxas"), "{err}");
}

#[cfg(unix)]
#[test]
fn the_ptxas_of_the_pip_package_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pip");
    let programs = folder.join("lib/python3.99/site-packages/nvidia/cu13/bin");
    for (folder, name, text) in [
        (folder.join("bin"), "python3", ""),
        (programs, "ptxas", "#!/bin/sh\necho 'ptxas of pip' >&2\nexit 1\n"),
    ] {
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), text).expect("a file");
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.join(name), all).expect("a program");
    }
    let bin = folder.join("bin").into_os_string();
    for (variable, value) in [("PATH", bin), ("VIRTUAL_ENV", folder.into_os_string())] {
        let output = command(&["compile", ADD, "--emit", "cubin", "--error-format", "rich"])
            .env("PATH", "")
            .env_remove("CUDA_HOME")
            .env_remove("VIRTUAL_ENV")
            .env_remove("TILEWRIGHT_PTXAS")
            .env(variable, value)
            .output()
            .expect("the binary runs");
        let (_, _, err) = outcome(output);
        assert!(err.contains("ptxas of pip"), "{variable}: {err}");
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let mut child = command(&["stages", ADD])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let (code, _, err) = outcome(child.wait_with_output().expect("it ends"));
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn a_kernel_must_be_named_when_there_are_several() {
    let two = format!("{EMPTY}\n{}", EMPTY.replace("@f", "@g"));
    let (code, _, err) = run_on(
        &two,
        &["run", "-", "--on", "cpu", "--grid", "1", "--error-format", "rich"],
    );
    assert_eq!(code, 1);
    assert!(err.contains("f, g"), "{err}");
    assert_eq!(
        run_on(&two, &["run", "-", "--on", "cpu", "--grid", "1", "--kernel", "g"]).0,
        0
    );
}

/// The output of a command with `-o`.
fn written(args: &[&str]) -> Vec<u8> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = std::env::temp_dir().join(format!("tilewright-cli-{}-{number}", std::process::id()));
    let name = name.to_str().expect("UTF-8");
    let (code, out, err) = run(&[args, &["-o", name]].concat());
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""), "{args:?}");
    let bytes = std::fs::read(name).expect("written");
    std::fs::remove_file(name).expect("removed");
    bytes
}

#[test]
fn disasm_prints_what_nvidia_s_disassembler_prints() {
    for version in ["13.1", "13.5"] {
        let file = format!("examples/bytecode/loop_control.{version}.tileirbc");
        for (flags, end) in [(&[][..], "mlir"), (&["-g"], "debug.mlir")] {
            let wanted = repository().join(format!("tests/data/disasm/loop_control.{version}.{end}"));
            let (code, out, err) = run(&[&["disasm", &file], flags].concat());
            assert_eq!((code, err.as_str()), (0, ""), "{file} {flags:?}");
            let wanted = std::fs::read_to_string(wanted).expect("the expectation");
            assert_eq!(out, wanted, "{file} {flags:?}");
        }
    }
}

#[test]
fn bytecode_keeps_its_bytes_and_its_version_unless_told_otherwise() {
    for version in ["13.1", "13.3", "13.5"] {
        let file = format!("examples/bytecode/saxpy.{version}.tileirbc");
        let bytes = std::fs::read(repository().join(&file)).expect("the example");
        assert_eq!(
            written(&["compile", &file, "--emit", "bytecode"]),
            bytes,
            "{file}"
        );
    }
    // The same kernel through another version and back gives the same module, and so the same text.
    let (newest, oldest) = (
        "examples/bytecode/vector_add_2d.13.5.tileirbc",
        std::env::temp_dir().join(format!("tilewright-cli-{}-oldest", std::process::id())),
    );
    let bytes = written(&[
        "compile",
        newest,
        "--emit",
        "bytecode",
        "--bytecode-version",
        "13.1",
    ]);
    assert_eq!(bytes.get(8..10), Some(&[13, 1][..]));
    std::fs::write(&oldest, bytes).expect("scratch");
    let name = oldest.to_str().expect("UTF-8");
    assert_eq!(run(&["disasm", "-g", name]), run(&["disasm", "-g", newest]));
    std::fs::remove_file(&oldest).expect("removed");
}

#[test]
fn a_text_becomes_bytecode_of_the_lowest_version_that_can_hold_it() {
    let version = |args: &[&str]| {
        let bytes = written(&[args, &["--emit", "bytecode"]].concat());
        (bytes[8], bytes[9])
    };
    assert_eq!(version(&["compile", FENCE]), (13, 4));
    assert_eq!(
        version(&["compile", FENCE, "--bytecode-version", "13.5"]),
        (13, 5)
    );
    let plain = "tests/data/disasm/vector_add_2d.13.5.mlir";
    assert_eq!(version(&["compile", plain]), (13, 1));
}

#[test]
fn ops_that_a_version_lacks_are_reported_at_their_lines() {
    let args = [
        "compile",
        FENCE,
        "--emit",
        "bytecode",
        "--bytecode-version",
        "13.2",
    ];
    let (code, out, err) = run(&args);
    assert_eq!((code, out.as_str()), (3, ""));
    for wanted in [
        "fence.mlir:3:",
        "`cuda_tile.memory_fence_alias_tko`: the op needs bytecode version 13.4, but 13.2 is written",
        "fence.mlir:4:",
        "`cuda_tile.alloca`: the op needs bytecode version 13.3, but 13.2 is written",
    ] {
        assert!(err.contains(wanted), "{wanted}: {err}");
    }
}

#[test]
fn preview_content_is_read_when_it_is_asked_for() {
    let text = "tests/data/preview/calls.mlir";
    let printed = std::fs::read_to_string(repository().join(text)).expect("the text");
    for command in [
        &["check", text][..],
        &["disasm", text],
        &["compile", text],
        &["run", text, "--grid", "1"],
    ] {
        let (code, out, err) = run(command);
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        assert!(err.contains("E0503") && err.contains("--preview simt"), "{err}");
    }
    for option in [
        &["--preview", "simt"][..],
        &["--preview=simt"],
        &["--preview=simt,simt"],
    ] {
        let (code, out, err) = run(&[&["disasm", text], option].concat());
        assert_eq!((code, err.as_str()), (0, ""));
        assert_eq!(out, printed);
        let (code, _, err) = run(&[&["check", text], option].concat());
        assert_eq!(code, 0, "{err}");
    }
    // Through bytecode, whose version has the feature.
    let file = std::env::temp_dir().join(format!("tilewright-preview-{}.tileirbc", std::process::id()));
    let name = file.to_str().expect("a name");
    let emit = [
        "compile",
        text,
        "--preview=simt",
        "--emit",
        "bytecode",
        "-o",
        name,
    ];
    assert_eq!(run(&emit), (0, String::new(), String::new()));
    let (code, _, err) = run(&["disasm", name]);
    assert_eq!(code, 3);
    assert!(err.contains("E0503"), "{err}");
    assert_eq!(
        run(&["disasm", name, "--preview=simt"]),
        (0, printed, String::new())
    );
    let older = [&emit[..], &["--bytecode-version", "13.4"]].concat();
    let (code, _, err) = run(&older);
    assert_eq!(code, 3);
    assert!(
        err.contains("`cuda_tile.preview$func`, the op of `@scale`, needs bytecode version 13.5"),
        "{err}"
    );
    // The called machine code does not exist.
    for command in [
        &["compile", text, "--preview=simt"][..],
        &["run", text, "--grid", "1", "--preview=simt", "--on", "reference"],
    ] {
        let (code, _, err) = run(command);
        assert_eq!(code, 3, "{err}");
        assert!(
            err.contains("E0501") && err.contains("`@scale`") && err.contains("calls.mlir:5:"),
            "{err}"
        );
    }
    let (code, _, err) = run(&["disasm", text, "--preview=other"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("unknown preview feature 'other'; supported features: simt"),
        "{err}"
    );
    let _ = std::fs::remove_file(file);
}

#[test]
fn a_file_of_host_functions_alone_is_checked_but_not_compiled() {
    let text = "\
func.func @index(%coord: !cute.coord<\"(?,2)\">, %layout: !cute.layout<\"(4,8):(1,4)\">) -> !cute.int_tuple<\"?\"> {
  %index = cute.layout_eval(%coord, %layout) : (!cute.coord<\"(?,2)\">, !cute.layout<\"(4,8):(1,4)\">) -> !cute.int_tuple<\"?\">
  return %index : !cute.int_tuple<\"?\">
}
";
    let (code, _, err) = run_on(text, &["check", "-"]);
    assert_eq!(code, 0, "{err}");
    for args in [
        &["compile", "--emit", "ptx", "-"][..],
        &["pass", "expand_copies", "-"],
    ] {
        let (code, out, err) = run_on(text, args);
        assert!(code != 0 && out.is_empty(), "{args:?}: {out}");
        assert!(
            err.contains("1:11: error[E0209]: the file holds no kernel"),
            "{args:?}: {err}"
        );
    }
    let (code, _, err) = run_on(text, &["stages", "-"]);
    assert!(code != 0 && err.contains("- has no kernel"), "{err}");
}
