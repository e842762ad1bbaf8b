//! `tilewright run`: made up inputs, inferred grids, and what is said of wrong arguments.

use std::path::Path;
use std::process::Command;

const SAXPY: &str = "examples/bytecode/saxpy.13.5.tileirbc";

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a command in the simulator; the exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    run_anywhere(&[&["--on", "cpu"], args].concat())
}

/// The same where the arguments say.
fn run_anywhere(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .current_dir(root())
        .arg("run")
        .args(args)
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_kernel_alone_is_run_on_inputs_that_fit_and_compared() {
    let (code, out, err) = run(&[SAXPY]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with("saxpy: grid 8,1,1, sm_90a in the simulator, seed 0\n"),
        "{out}"
    );
    assert!(out.contains("  7..8  f32[4096]  "), "{out}");
    assert!(out.contains("as the reference, bit for bit"), "{out}");
    let (_, other, _) = run(&[SAXPY, "--seed", "1"]);
    assert_ne!(out, other);
    let (_, few, _) = run(&[SAXPY, "--grid", "2"]);
    assert!(few.starts_with("saxpy: grid 2,1,1"), "{few}");
}

/// Gathers and scatters, raw pointers with a bound, products with batches, divisions, static extents.
#[test]
fn every_example_runs_without_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bytecode");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let path = path.to_str().expect("UTF-8");
        if !path.ends_with(".13.5.tileirbc") {
            continue;
        }
        let (code, out, err) = run(&[path]);
        if err.contains("name one with --kernel") {
            continue;
        }
        count += 1;
        assert_eq!((code, err.as_str()), (0, ""), "{path}: {out}");
        assert!(
            out.contains("the reference") || out.contains("right: "),
            "{path}: {out}"
        );
    }
    assert!(count >= 5, "{count} examples have one kernel");
}

#[test]
fn the_grid_follows_from_the_arguments() {
    let array = "iota:f32[1000]";
    let arguments = [
        "--arg", "2.0", "--array", array, "--array", array, "--array", array,
    ];
    let without = [&[SAXPY][..], &arguments, &["--out", "3=/dev/null"]].concat();
    let (code, _, err) = run(&without);
    assert_eq!((code, err.as_str()), (0, ""));
    let file = tempfile::tempdir().expect("a folder");
    let path = file.path().join("out.npy");
    let path = path.to_str().expect("UTF-8");
    let (code, ..) = run(&[&[SAXPY][..], &arguments, &["--out", &format!("3={path}")]].concat());
    assert_eq!(code, 0);
    // Two blocks, since the last element is right.
    let (code, out, err) = run(&[
        &[SAXPY, "--grid", "2"][..],
        &arguments,
        &["--expect", &format!("3={path}")],
    ]
    .concat());
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "argument 3: 1000 elements as expected\n", "")
    );
    let (code, ..) = run(&[
        &[SAXPY, "--grid", "1"][..],
        &arguments,
        &["--expect", &format!("3={path}")],
    ]
    .concat());
    assert_eq!(code, 1);
}

#[test]
fn wrong_arguments_are_told_the_parameters() {
    let (code, _, err) = run(&[SAXPY, "--arg", "1.0"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("the kernel has 10 parameters (0: f32, 1: pointer to f32, 2: i32, ")
            && err.contains("make 1"),
        "{err}"
    );
    let (code, _, err) = run(&[SAXPY, "--grid", "2x2"]);
    assert_eq!(code, 1);
    assert!(err.contains("use 2,2"), "{err}");
}

/// Runs a program given as text, of which nothing is wrong; standard output.
fn run_text(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.mlir");
    std::fs::write(&path, text).expect("it is written");
    let (code, out, err) = run(&[&[path.to_str().expect("UTF-8")], options].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    out
}

/// A stride and an extent that a program assumes to be multiples of more than a dense array would have.
#[test]
fn made_up_numbers_are_multiples_of_what_the_program_assumes() {
    let out = run_text(
        r"cuda_tile.module @m {
          entry @every_eighth(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
            %stride = assume div_by<8>, %s : tile<i32>
            %extent = assume div_by<8192>, %n : tile<i32>
            %view = make_tensor_view %p, shape = [%extent], strides = [%stride]
                : tile<i32> -> tensor_view<?xf32, strides=[?]>
            %tiles = make_partition_view %view : partition_view<tile=(1024), tensor_view<?xf32, strides=[?]>>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %tile, %read = load_view_tko weak %tiles[%x]
                : partition_view<tile=(1024), tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<1024xf32>, token
            %sum = addf %tile, %tile : tile<1024xf32>
            %stored = store_view_tko weak %sum, %tiles[%x] token = %read : tile<1024xf32>,
                partition_view<tile=(1024), tensor_view<?xf32, strides=[?]>>, tile<i32> -> token
            return
          }
        }",
        &[],
    );
    assert!(out.starts_with("every_eighth: grid 8,1,1,"), "{out}");
    // 8,191 strides of 8, and the last element.
    assert!(out.contains("f32[65529]"), "{out}");
}

/// A number that is the extent of two arrays, of which the program assumes more than an array would have.
#[test]
fn what_is_assumed_of_a_number_holds_for_each_of_its_arrays() {
    let out = run_text(
        r"cuda_tile.module @m {
          entry @twice(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
            %extent = assume div_by<8192>, %n : tile<i32>
            %from = make_tensor_view %p, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %to = make_tensor_view %q, shape = [%extent], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %reads = make_partition_view %from : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
            %writes = make_partition_view %to : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %tile, %read = load_view_tko weak %reads[%x]
                : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
            %stored = store_view_tko weak %tile, %writes[%x] token = %read : tile<1024xf32>,
                partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
            return
          }
        }",
        &[],
    );
    assert!(out.starts_with("twice: grid 8,1,1,"), "{out}");
    assert_eq!(out.matches("f32[8192]").count(), 2, "{out}");
}

/// Every block stores to the first tile, which only one may.
#[test]
fn a_kernel_for_one_block_is_run_by_one() {
    let out = run_text(
        r"cuda_tile.module @m {
          entry @first(%p: tile<ptr<f32>>, %n: tile<i32>) {
            %view = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %float = itof %x signed : tile<i32> -> tile<f32>
            %one = reshape %float : tile<f32> -> tile<1xf32>
            %tile = broadcast %one : tile<1xf32> -> tile<16xf32>
            %stored = store_view_tko weak %tile, %tiles[%zero] : tile<16xf32>,
                partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
            return
          }
        }",
        &[],
    );
    assert!(out.starts_with("first: grid 1,1,1,"), "{out}");
    assert!(out.contains("bit for bit"), "{out}");
}

/// Two nested loops of as many rounds as an argument says, and a tile whose extent is that of a matrix with all its elements.
#[test]
fn made_up_inputs_are_not_too_large() {
    let out = run_text(
        r"cuda_tile.module @m {
          entry @nested(%p: tile<ptr<f32>>, %n: tile<i32>, %q: tile<ptr<f32>>, %r: tile<i32>, %c: tile<i32>, %s: tile<i32>,
                        %rounds: tile<i32>) {
            %flat = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %matrix = make_tensor_view %q, shape = [%r, %c], strides = [%s, 1]
                : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
            %reads = make_partition_view %flat : partition_view<tile=(16384), tensor_view<?xf32, strides=[1]>>
            %writes = make_partition_view %matrix
                : partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %tile, %read = load_view_tko weak %reads[%x]
                : partition_view<tile=(16384), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16384xf32>, token
            %sum = for %i in (%zero to %rounds, step %one) : tile<i32>
                iter_values(%outer = %tile) -> (tile<16384xf32>) {
              %rows = for %j in (%zero to %rounds, step %one) : tile<i32>
                  iter_values(%inner = %outer) -> (tile<16384xf32>) {
                %next = addf %inner, %inner : tile<16384xf32>
                continue %next : tile<16384xf32>
              }
              continue %rows : tile<16384xf32>
            }
            %square = reshape %sum : tile<16384xf32> -> tile<128x128xf32>
            %stored = store_view_tko weak %square, %writes[%x, %zero] token = %read : tile<128x128xf32>,
                partition_view<tile=(128x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
            return
          }
        }",
        &["--max-steps", "1000000"],
    );
    assert!(
        out.contains("f32[128,128]") && out.contains("  i32           16\n"),
        "{out}"
    );
    assert!(out.contains("bit for bit"), "{out}");
}

#[test]
fn made_up_arrays_have_the_size_that_is_asked_for() {
    let (code, out, err) = run(&[SAXPY, "--size", "10000"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with("saxpy: grid 20,1,1,") && out.contains("f32[10000]"),
        "{out}"
    );
    let (code, _, err) = run(&[SAXPY, "--size", "10000", "--arg", "2.0"]);
    assert_eq!(code, 1);
    assert!(err.contains("cannot be used with"), "{err}");
    let (code, _, err) = run(&[SAXPY, "--size", "1000000000000"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("argument 1 would be an array of 1000000000000 elements, which is too large"),
        "{err}"
    );
}

/// An index of a part, which is read from an array.
#[test]
fn made_up_integers_may_be_small() {
    let out = run_text(
        r"cuda_tile.module @m {
          entry @part(%p: tile<ptr<i32>>, %n: tile<i32>, %q: tile<ptr<i32>>, %m: tile<i32>) {
            %from = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
            %to = make_tensor_view %q, shape = [%m], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
            %reads = make_partition_view %from : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
            %indices = make_partition_view %from : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
            %writes = make_partition_view %to : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
            %zero = constant <i32: 0> : tile<i32>
            %one, %t1 = load_view_tko weak %indices[%zero]
                : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
            %index = reshape %one : tile<1xi32> -> tile<i32>
            %tile, %t2 = load_view_tko weak %reads[%zero]
                : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
            %part = extract %tile[%index] : tile<64xi32> -> tile<16xi32>
            %stored = store_view_tko weak %part, %writes[%zero] : tile<16xi32>,
                partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
            return
          }
        }",
        &[],
    );
    assert!(out.contains("bit for bit"), "{out}");
}

#[test]
fn inputs_are_made_up_for_programs_alone() {
    let (code, _, err) = run(&["golden/tileaa.propagate_facts/tail_mask.in.tileaa"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("inputs are made up for programs in cuda_tile"),
        "{err}"
    );
}

/// Saves a file again and again, and reads what is said.
#[test]
fn a_watched_file_is_compiled_when_it_is_saved() {
    use std::io::{BufRead, BufReader};

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.mlir");
    let text = "entry @k(%p: tile<ptr<i32>>) {\n  %c = constant <i32: 5> : tile<i32>\n  \
                %t = store_ptr_tko weak %p, %c : tile<ptr<i32>>, tile<i32> -> token\n  return\n}\n";
    std::fs::write(&path, text).expect("it is written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .arg("watch")
        .arg(&path)
        .args(["--times", "3"])
        .env("TILEWRIGHT_PTXAS", "/nonexistent")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    assert!(line().ends_with(" steps ran"));
    let first = line();
    assert!(
        first.starts_with("  k: ") && first.contains("PTX instructions"),
        "{first}"
    );
    let save = |text: String, seconds: u64| {
        std::fs::write(&path, text).expect("it is written");
        let file = std::fs::File::options()
            .write(true)
            .open(&path)
            .expect("it opens");
        let time = std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
        file.set_modified(time).expect("a time");
    };
    save(
        text.replace(
            "  return",
            "  %u = store_ptr_tko weak %p, %c token=%t : tile<ptr<i32>>, tile<i32> -> token\n  return",
        ),
        5,
    );
    assert!(line().ends_with(" steps ran"));
    let second = line();
    assert!(second.contains(" -> "), "{second}");
    save(text.replace("%c :", "%d :"), 10);
    // An error goes to standard error; there is nothing to say of the kernel.
    assert!(line().ends_with(" steps ran"));
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("E0301"), "{said}");
}

/// A kernel that stores the sum of all elements of an array, in one order or another.
fn sum_of(ty: &str, elements: u64) -> String {
    format!(
        "entry @sum(%p: tile<ptr<{ty}>>, %q: tile<ptr<{ty}>>) {{
          %from = make_tensor_view %p, shape = [{elements}], strides = [1] : tensor_view<{elements}x{ty}, strides=[1]>
          %to = make_tensor_view %q, shape = [1], strides = [1] : tensor_view<1x{ty}, strides=[1]>
          %reads = make_partition_view %from : partition_view<tile=({elements}), tensor_view<{elements}x{ty}, strides=[1]>>
          %writes = make_partition_view %to : partition_view<tile=(1), tensor_view<1x{ty}, strides=[1]>>
          %zero = constant <i32: 0> : tile<i32>
          %tile, %read = load_view_tko weak %reads[%zero]
              : partition_view<tile=({elements}), tensor_view<{elements}x{ty}, strides=[1]>>, tile<i32>
              -> tile<{elements}x{ty}>, token
          %sum = reduce %tile dim=0 identities=[0.0 : {ty}] : tile<{elements}x{ty}> -> tile<{ty}>
              (%a: tile<{ty}>, %b: tile<{ty}>) {{
            %c = addf %a, %b : tile<{ty}>
            yield %c : tile<{ty}>
          }}
          %one = reshape %sum : tile<{ty}> -> tile<1x{ty}>
          %stored = store_view_tko weak %one, %writes[%zero] token = %read : tile<1x{ty}>,
              partition_view<tile=(1), tensor_view<1x{ty}, strides=[1]>>, tile<i32> -> token
          return
        }}"
    )
}

#[test]
fn a_sum_in_another_order_is_right() {
    for (ty, elements) in [("f16", 8192), ("bf16", 4096), ("f32", 8192)] {
        let mut differ = 0;
        for seed in ["0", "1", "2", "3"] {
            let out = run_text(&sum_of(ty, elements), &["--seed", seed]);
            assert!(out.contains("right: "), "{out}");
            differ += usize::from(out.contains(" differ, of which rounding explains up to "));
        }
        assert!(differ > 0, "{ty}: every sum was added in the same order");
    }
}

#[test]
fn what_is_given_is_judged_as_what_is_made_up() {
    let array = "rand:f32[64]";
    let (code, out, err) = run(&[
        SAXPY, "--arg", "2.0", "--array", array, "--array", array, "--array", array,
    ]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("saxpy: grid 1,1,1, sm_90a in the simulator, seed 0\n"),
        "{out}"
    );
    assert_eq!(out.matches("f32[64]").count(), 3, "{out}");
    assert!(out.contains("right: as the reference, bit for bit\n"), "{out}");
    // What an option asks for is all that is printed.
    let given = [
        SAXPY,
        "--arg",
        "2.0",
        "--array",
        array,
        "--array",
        array,
        "--array",
        array,
        "--out",
        "3=/dev/null",
    ];
    assert_eq!(run(&given), (0, String::new(), String::new()));
}

#[test]
fn arrays_that_are_none_are_told_the_forms_of_arrays() {
    for (array, want) in [
        (
            "blub:f32[64]",
            "there is no generator 'blub'; choose randn, rand, randint",
        ),
        ("rand:i32[64]", "rand makes floats; randint makes integers"),
        ("nothing", "made up on the spot, as in randn:f32[64]"),
    ] {
        let (code, _, err) = run(&[SAXPY, "--arg", "2.0", "--array", array, "--error-format", "rich"]);
        assert_eq!(code, 1, "{array}: {err}");
        assert!(err.contains(want), "{array}: {err}");
    }
}

#[test]
fn a_type_of_other_targets_names_the_option_and_one_that_has_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.mlir");
    let text = "entry @k(%p: tile<ptr<f4E2M1FN>>) {\n  %i = ptr_to_int %p : tile<ptr<f4E2M1FN>> -> tile<i64>\n  return\n}\n";
    std::fs::write(&path, text).expect("it is written");
    let path = path.to_str().expect("UTF-8");
    let (code, _, err) = run(&[path, "--error-format", "rich"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("help: `--target sm_100` compiles for a GPU that has it"),
        "{err}"
    );
    let (code, _, err) = run(&[path, "--target", "sm_100"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn a_kernel_without_an_end_is_given_up_after_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.mlir");
    std::fs::write(&path, "entry @endless() {\n  loop {\n    continue\n  }\n}\n").expect("it is written");
    let path = path.to_str().expect("UTF-8");
    for more in [&[][..], &["--grid", "1", "--on", "reference"]] {
        let start = std::time::Instant::now();
        let options = [&[path, "--limit", "1", "--error-format", "rich"], more].concat();
        let (code, _, err) = match more.last() {
            Some(_) => run_anywhere(&options),
            None => run(&options),
        };
        let time = start.elapsed();
        assert_eq!(code, 3, "{err}");
        assert!(
            err.contains("the kernel has not ended in the time that it has"),
            "{err}"
        );
        assert!(err.contains("more time with `--limit SECONDS`"), "{err}");
        assert!(time.as_secs() < 5, "{time:?}");
    }
}

/// Rows of an address, an extent and a stride, as cuTile passes lists of arrays; and addresses alone.
#[test]
fn the_reference_evaluator_takes_no_options_of_compiled_kernels() {
    for (option, value) in [("--cluster", "2"), ("--dynamic-shared", "64")] {
        let path = "examples/bytecode/vector_add.13.5.tileirbc";
        let (code, _, err) = run_anywhere(&[path, "--on", "reference", "--grid", "4", option, value]);
        assert_ne!(code, 0, "{err}");
        assert!(
            err.contains(&format!("{option} is for compiled kernels")) && err.matches("error[").count() == 1,
            "{err}"
        );
    }
}

#[test]
fn the_addresses_in_made_up_arrays_are_those_of_arrays() {
    let out = run_text(
        r"entry @doubled(%list: tile<ptr<i64>>, %n: tile<i32>) {
          %rows = make_tensor_view %list, shape = [%n, 3], strides = [3, 1] : tile<i32> -> tensor_view<?x3xi64, strides=[3,1]>
          %row = make_partition_view %rows : partition_view<tile=(1x4), tensor_view<?x3xi64, strides=[3,1]>>
          %zero = constant <i32: 0> : tile<i32>
          %one = constant <i32: 1> : tile<i32>
          %two = constant <i32: 2> : tile<i32>
          for %i in (%zero to %n, step %one) : tile<i32> {
            %all, %t0 = load_view_tko weak %row[%i, %zero]
                : partition_view<tile=(1x4), tensor_view<?x3xi64, strides=[3,1]>>, tile<i32> -> tile<1x4xi64>, token
            %a = extract %all[%zero, %zero] : tile<1x4xi64> -> tile<1x1xi64>
            %b = extract %all[%zero, %one] : tile<1x4xi64> -> tile<1x1xi64>
            %c = extract %all[%zero, %two] : tile<1x4xi64> -> tile<1x1xi64>
            %address = reshape %a : tile<1x1xi64> -> tile<i64>
            %wide = reshape %b : tile<1x1xi64> -> tile<i64>
            %stride = reshape %c : tile<1x1xi64> -> tile<i64>
            %extent = trunci %wide : tile<i64> -> tile<i32>
            %step = trunci %stride : tile<i64> -> tile<i32>
            %known = assume div_by<8>, %step : tile<i32>
            %p = int_to_ptr %address : tile<i64> -> tile<ptr<f32>>
            %aligned = assume div_by<16>, %p : tile<ptr<f32>>
            %array = make_tensor_view %aligned, shape = [%extent], strides = [%known]
                : tile<i32> -> tensor_view<?xf32, strides=[?]>
            %tiles = make_partition_view %array : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>
            %x, %t1 = load_view_tko weak %tiles[%one]
                : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<128xf32>, token
            %y = addf %x, %x : tile<128xf32>
            %t2 = store_view_tko weak %y, %tiles[%one] token = %t1
                : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>, tile<i32> -> token
            continue
          }
          return
        }",
        &[],
    );
    assert!(
        out.contains("  0..1  i64[3,3]    the addresses of 3 arrays\n"),
        "{out}"
    );
    for row in ["0[0]", "0[1]", "0[2]"] {
        let line = out.lines().find(|line| line.contains(row)).unwrap_or_default();
        // A stride of 8, as the program assumes.
        assert!(
            line.contains("f32[32761]") && line.contains("right: as the reference"),
            "{out}"
        );
    }
    let out = run_text(
        r"entry @gathered(%list: tile<ptr<i64>>, %q: tile<ptr<f32>>) {
          %i = iota : tile<8xi32>
          %list1 = reshape %list : tile<ptr<i64>> -> tile<1xptr<i64>>
          %lists = broadcast %list1 : tile<1xptr<i64>> -> tile<8xptr<i64>>
          %at = offset %lists, %i : tile<8xptr<i64>>, tile<8xi32> -> tile<8xptr<i64>>
          %addresses, %t0 = load_ptr_tko weak %at : tile<8xptr<i64>> -> tile<8xi64>, token
          %ps = int_to_ptr %addresses : tile<8xi64> -> tile<8xptr<f32>>
          %x, %t1 = load_ptr_tko weak %ps : tile<8xptr<f32>> -> tile<8xf32>, token
          %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
          %qs = broadcast %q1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
          %to = offset %qs, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
          %t2 = store_ptr_tko weak %to, %x : tile<8xptr<f32>>, tile<8xf32> -> token
          return
        }",
        &[],
    );
    assert!(
        out.contains("the addresses of 64 arrays\n") && !out.contains("0[4]"),
        "{out}"
    );
    assert!(out.contains("right: as the reference, bit for bit"), "{out}");
}

/// Two blocks of a cluster, one above the other: the result of products of ones is the depth everywhere.
#[test]
fn blocks_of_a_cluster_run_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.npy");
    let out = format!("2={}", path.display());
    let product = |grid: &str| {
        run(&[
            "examples/scheduled/product_multicast.scheduled",
            "--grid",
            grid,
            "--arg",
            "ones:f16[200,64]",
            "--arg",
            "ones:f16[64,256]",
            "--arg",
            "empty:f32[200,256]",
            "--arg",
            "200",
            "--arg",
            "256",
            "--arg",
            "64",
            "--out",
            &out,
        ])
    };
    let (code, said, err) = product("1,1");
    assert_eq!((code, err.as_str()), (0, ""), "{said}");
    let bytes = std::fs::read(&path).expect("it was written");
    let data = &bytes[bytes.len() - 200 * 256 * 4..];
    assert!(data.chunks(4).all(|element| element == 64f32.to_le_bytes()));
}

const RANKS: &str = "tests/data/launch/ranks.ptx";

/// The options for its clusters and its dynamic shared memory, and the grid.
fn ranks<'a>(grid: &'a str, options: &'a [&'a str]) -> Vec<&'a str> {
    [&[RANKS, "--grid", grid, "--arg", "empty:i32[4]"], options].concat()
}

#[test]
fn a_launch_gives_the_clusters_and_the_shared_memory_that_a_kernel_leaves_to_it() {
    let (code, out, err) = run(&ranks("4", &["--cluster", "2", "--dynamic-shared", "100000"]));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("i32[4]  200, 201, 200, 201"), "{out}");
    // Without another block, and with less memory than the kernel uses.
    let (_, out, _) = run(&ranks("4", &["--cluster", "1", "--dynamic-shared", "100000"]));
    assert!(out.contains("i32[4]  100, 100, 100, 100"), "{out}");
    let (code, _, err) = run(&ranks("4", &["--cluster", "2", "--dynamic-shared", "99999"]));
    assert!(code == 3 && err.contains("[E0811]"), "{err}");
}

#[test]
fn a_launch_that_its_kernel_or_the_gpu_does_not_allow_is_refused_with_the_numbers() {
    let clusters = ["--cluster", "2"];
    let shared = ["--dynamic-shared", "100000"];
    for (grid, options, code, message) in [
        (
            "4",
            shared.to_vec(),
            "E0801",
            "the kernel leaves the shape of its clusters to the launch, which does not say it",
        ),
        (
            "4",
            clusters.to_vec(),
            "E0801",
            "the kernel has dynamic shared memory, and the launch does not say how much",
        ),
        (
            "2,3",
            [&["--cluster", "2,2"], &shared[..]].concat(),
            "E0704",
            "a grid of 2,3,1 blocks is not made of clusters of 2,2,1: along y, 3 is no multiple of 2",
        ),
        (
            "32",
            [&["--cluster", "8,4"], &shared[..]].concat(),
            "E0704",
            "a cluster of 8,4,1 has 32 blocks, of 1 to 16",
        ),
        (
            "32",
            [&["--cluster", "0"], &shared[..]].concat(),
            "E0704",
            "a cluster of 0,1,1 has 0 blocks, of 1 to 16",
        ),
        (
            "4",
            [&clusters[..], &["--dynamic-shared", "232449"]].concat(),
            "E0702",
            "the kernel declares 0 bytes of shared memory, and the launch asks for 232449 more; a block on sm_90a has \
             at most 232448",
        ),
    ] {
        let (_, out, err) = run(&ranks(grid, &options));
        let start = format!("{RANKS}:9:17: error[{code}]: {message}");
        assert!(
            err.starts_with(&start) && err.matches("error[").count() == 1,
            "{err}"
        );
        assert_eq!(out, "");
    }
}

/// The driver in `tools/cuda_driver.rs`, as a library in a folder.
#[cfg(target_os = "linux")]
fn driver() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"))
        .args([
            "--edition",
            "2021",
            "--crate-type",
            "cdylib",
            "--crate-name",
            "cuda",
            "-o",
        ])
        .arg(folder.path().join("libcuda.so"))
        .arg(root().join("tests/tools/cuda_driver.rs"))
        .output()
        .expect("rustc runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    folder
}

/// The exit code, standard output and standard error of a run with this driver.
#[cfg(target_os = "linux")]
fn run_with(driver: &tempfile::TempDir, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .current_dir(root())
        .arg("run")
        .args(args)
        .env("LD_LIBRARY_PATH", driver.path())
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_gpu_is_taken_if_there_is_one_and_its_time_and_bandwidth_are_told() {
    let (code, out, err) = run_with(&driver(), &["examples/bytecode/vector_add.13.5.tileirbc"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with("vector_add: grid 4,1,1, sm_90a on the GPU, seed 0\n"),
        "{out}"
    );
    assert!(out.contains("as the reference, bit for bit"), "{out}");
    // Two arrays of 4096 floats are read, and one is written.
    let speed = "0.5000 ms, 0.1 GB/s (49152 bytes read and written)";
    assert!(out.contains(speed), "{out}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_driver_is_told_of_clusters_and_dynamic_shared_memory() {
    let driver = driver();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.ptx");
    let text = std::fs::read_to_string(root().join(RANKS)).expect("the kernel");
    std::fs::write(&path, text.replace("ranks", "empty")).expect("it is written");
    let path = path.to_str().expect("UTF-8");
    for (cluster, said) in [("2", ""), ("16", "function attribute 14 = 1\n")] {
        let options = ["--cluster", cluster, "--dynamic-shared", "100000"];
        let options = [&[path, "--grid", "32", "--arg", "empty:i32[4]"], &options[..]].concat();
        let (code, _, err) = run_with(&driver, &options);
        let want = format!(
            "function attribute 8 = 100000\n{said}launch attribute 4 = [{cluster}, 1, 1]\n\
             grid [32, 1, 1], block [1, 1, 1], 100000 bytes\n"
        );
        assert_eq!((code, err), (0, want));
    }
    // Refused before the driver hears of it.
    let options = ["--cluster", "2", "--dynamic-shared", "232449"];
    let options = [&[path, "--grid", "32", "--arg", "empty:i32[4]"], &options[..]].concat();
    let (code, _, err) = run_with(&driver, &options);
    assert!(
        code == 3 && err.contains("[E0702]") && !err.contains("attribute"),
        "{err}"
    );
}

/// The driver adds two arrays, whatever the kernel does.
#[cfg(target_os = "linux")]
#[test]
fn a_wrong_result_is_reported_where_the_program_adds_in_any_order_too() {
    let driver = driver();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.mlir");
    for (offset, is_right) in [("0.0", true), ("0.0001", false)] {
        let tensor = "tensor_view<?xf32, strides=[?]>";
        let views = ["p", "q", "r"].map(|name| {
            format!(
                "%v{name} = make_tensor_view %{name}, shape = [%n{name}], strides = [%s{name}] : tile<i32> -> {tensor}
                 %t{name} = make_partition_view %v{name} : partition_view<tile=(128), {tensor}>\n"
            )
        });
        let parameters = ["p", "q", "r"]
            .map(|name| format!("%{name}: tile<ptr<f32>>, %n{name}: tile<i32>, %s{name}: tile<i32>"));
        let load = |name: &str| {
            format!(
                "%x{name}, %d{name} = load_view_tko weak %t{name}[%i]
                   : partition_view<tile=(128), {tensor}>, tile<i32> -> tile<128xf32>, token
                 %y{name} = reshape %x{name} : tile<128xf32> -> tile<1x128xf32>\n"
            )
        };
        let text = format!(
            "entry @k({}) {{
               {}
               %i, %j, %k = get_tile_block_id : tile<i32>
               {}{}
               %both = cat %yp, %yq dim = 0 : tile<1x128xf32>, tile<1x128xf32> -> tile<2x128xf32>
               %sum = reduce %both dim=0 identities=[0.0 : f32] : tile<2x128xf32> -> tile<128xf32>
                   (%a: tile<f32>, %b: tile<f32>) {{
                 %c = addf %a, %b : tile<f32>
                 yield %c : tile<f32>
               }}
               %more = constant <f32: {offset}> : tile<128xf32>
               %all = addf %sum, %more : tile<128xf32>
               %done = store_view_tko weak %all, %tr[%i] : tile<128xf32>,
                   partition_view<tile=(128), {tensor}>, tile<i32> -> token
               return
             }}",
            parameters.join(", "),
            views.concat(),
            load("p"),
            load("q"),
        );
        std::fs::write(&path, text).expect("it is written");
        let (code, out, err) = run_with(&driver, &[path.to_str().expect("UTF-8")]);
        assert_eq!(code, i32::from(!is_right), "{out}{err}");
        let verdict = if is_right {
            "right: "
        } else {
            "wrong: largest error 1.00e-4, "
        };
        assert!(out.contains(verdict), "{out}{err}");
        assert_eq!(err.contains("E0831"), !is_right, "{err}");
    }
}

/// What a kernel on an array without elements leaves in another one is the same whatever the elements of the third are.
fn check_without_elements(name: &str, numbers: [&[&str]; 2], random: [&str; 2]) {
    let program = format!("{}/../tests/data/run/{name}.tileaa", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.npy");
    let path = path.to_str().expect("UTF-8");
    let launch = |right: &str, numbers: &[&str], result: [&str; 2]| {
        let mut args = vec![program.as_str(), "--grid", "1"];
        for arg in [random[0], right, random[1]].iter().chain(numbers) {
            args.extend(["--arg", arg]);
        }
        args.extend(result);
        run(&args)
    };
    let (code, _, err) = launch("zeros:f16[16384]", numbers[0], ["--out", &format!("2={path}")]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, out, err) = launch("randn:f16[16384]", numbers[1], ["--expect", &format!("2={path}")]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
}

#[test]
fn tensor_maps_of_arrays_without_elements_load_padding() {
    let arrays = ["randn:f16[16384]", "randn:f32[16384]"];
    check_without_elements("empty_operand", [&["128", "128"], &["128", "0"]], arrays);
}

#[test]
fn an_array_without_elements_is_loaded_and_stored_by_tensor_maps() {
    let arrays = ["randn:f16[8]", "randn:f32[16384]"];
    check_without_elements("empty_in_place", [&["128", "0", "128"]; 2], arrays);
}

/// A tensor of 16 elements: its address, its rows and its stride; to each element its place and a number are added.
const PASSED: &str = "llvm.func @k(%t: struct<ptr<1>, struct<i32, i64>>, %n: i32) {target = sm_90a, cute.kernel, nvvm.reqntid = [4, 2, 2], shared_bytes = 0} body {
  %x = llvm.read_special {register = tid.x} : i32
  %y = llvm.read_special {register = tid.y} : i32
  %z = llvm.read_special {register = tid.z} : i32
  %p = llvm.extractvalue %t {path = [0]} : ptr<1>
  %rows = llvm.extractvalue %t {path = [1, 0]} : i32
  %long = llvm.extractvalue %t {path = [1, 1]} : i64
  %stride = arith.trunci %long : i32
  %a = arith.muli %y, %stride {overflow = wraps} : i32
  %b = arith.muli %z, %rows {overflow = wraps} : i32
  %c = arith.addi %a, %b {overflow = wraps} : i32
  %d = arith.addi %c, %x {overflow = wraps} : i32
  %i = arith.exti %d {signedness = unsigned} : i64
  %q = llvm.getelementptr %p, index %i {scale = 4, offset = 0} : ptr<1>
  %e = arith.addi %d, %n {overflow = wraps} : i32
  llvm.store %q, %e {align = 4, order = weak}
  llvm.return
}
";

#[test]
fn a_struct_is_passed_by_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kernel.llvm");
    std::fs::write(&path, PASSED).expect("it is written");
    let path = path.to_str().expect("UTF-8");
    let arguments = |passed| {
        run(&[
            path,
            "--grid",
            "1",
            "--arg",
            passed,
            "--arg",
            "100",
            "--error-format",
            "rich",
        ])
    };
    let (code, out, err) = arguments("{zeros:i32[16], {i32:8, i64:4}}");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("100, 101, 102, 103"), "{out}");
    for (wrong, why) in [
        (
            "{zeros:i32[16], i32:8}",
            "the struct has 16 bytes, and the parameter is 24 bytes",
        ),
        ("{zeros:i32[16], {i32:8, i64:4}", "a struct is written as"),
        ("{zeros:i32[16], {i32:8, i64:x}}", "this is none"),
    ] {
        let (code, _, err) = arguments(wrong);
        assert!(code != 0 && err.contains(why), "{wrong}: {err}");
    }
}
