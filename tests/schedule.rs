//! The commands `tilewright schedule` and `tilewright tune`: what is drawn, and how predictions follow from a launch and from hints.
//!
//! Measured ones need a GPU: `tests/gpu/tune.py`. Here marked kernels run in the simulator.
//!
//! Expected drawings are snapshots of `insta` in `tests/data/schedules`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `tilewright schedule`; the exit code, standard output, standard error.
fn schedule(args: &[&str]) -> (i32, String, String) {
    run("schedule", args)
}

fn run(name: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(repository()).arg(name).args(args);
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn well(args: &[&str]) -> String {
    let (code, out, err) = schedule(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
    out
}

fn predicted(args: &[&str]) -> Value {
    let json: Value = serde_json::from_str(&well(&[args, &["--json"]].concat())).expect("JSON");
    json.get(0).expect("a kernel").clone()
}

fn number(value: &Value, name: &str) -> f64 {
    value.get(name).and_then(Value::as_f64).expect(name)
}

const ADD: &str = "examples/bytecode/vector_add.13.5.tileirbc";
const PRODUCT: &str = "examples/scheduled/product_warpgroups.scheduled";

#[test]
fn drawings_are_as_expected() {
    for (name, args) in [
        (
            "product_warpgroups",
            vec![PRODUCT, "--iterations", "64", "--grid", "32,16"],
        ),
        (
            "attention",
            vec!["examples/scheduled/attention_warpgroups.scheduled"],
        ),
        ("vector_add", vec![ADD, "--target", "sm_90a"]),
        (
            "product_by_cp_async",
            vec!["examples/scheduled/product_one_agent.scheduled"],
        ),
    ] {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(repository().join("tests/data/schedules"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, well(&args)));
    }
}

#[test]
fn time_grows_with_iterations_and_waves() {
    let with = |iterations, grid| predicted(&[PRODUCT, "--iterations", iterations, "--grid", grid]);
    let (one, more) = (with("64", "132"), with("164", "132"));
    // The tensor cores multiply 128 by 256 by 64 in 1024 cycles, and are always busy.
    assert_eq!(one["limit"], "tensor cores");
    assert_eq!(number(&more, "cycles") - number(&one, "cycles"), 100.0 * 1024.0);
    // One block more than there are multiprocessors takes twice the time.
    let two = with("64", "133");
    assert_eq!(number(&two, "waves"), 2.0);
    assert_eq!(number(&two, "cycles"), 2.0 * number(&one, "cycles"));
}

#[test]
fn iterations_follow_from_parameters() {
    // Three arrays, M, N and K; a step has 64 of K. The agent that multiplies does the first step before its loop.
    let iterations = |parameters: &str| {
        let found = predicted(&[PRODUCT, "--parameters", parameters]);
        [0, 1].map(|agent| found["agents"][agent]["iterations"].as_u64().expect("a loop"))
    };
    assert_eq!(iterations("_,_,_,_,_,_"), [32, 32]);
    assert_eq!(iterations("_,_,_,1024,2048,4096"), [63, 64]);
}

/// The prediction for a kernel with this body.
fn of_body(body: &str, args: &[&str]) -> Value {
    let text = format!(
        "cuda_tile.module @m {{
  entry @kernel(%x0: tile<ptr<f32>>, %y0: tile<ptr<f32>>, %lock: tile<ptr<i32>>) {{
    %x = assume div_by<16>, %x0 : tile<ptr<f32>>
    %y = assume div_by<16>, %y0 : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    {body}
    return
  }}
}}
"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.cuda_tile");
    std::fs::write(&file, text).expect("written");
    predicted(&[&[file.to_str().expect("UTF-8"), "--target", "sm_90a"], args].concat())
}

/// A tile of `SIZE` elements goes from one array to the other.
const COPY: &str = "%i = iota : tile<SIZExi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<SIZExptr<f32>>
    %from = offset %xs, %i : tile<SIZExptr<f32>>, tile<SIZExi32> -> tile<SIZExptr<f32>>
    %v, %loaded = load_ptr_tko weak %from : tile<SIZExptr<f32>> -> tile<SIZExf32>, token
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ys = broadcast %y1 : tile<1xptr<f32>> -> tile<SIZExptr<f32>>
    %to = offset %ys, %i : tile<SIZExptr<f32>>, tile<SIZExi32> -> tile<SIZExptr<f32>>
    %stored = store_ptr_tko weak %to, %v : tile<SIZExptr<f32>>, tile<SIZExf32> -> token";

#[test]
fn a_block_is_followed_that_stands_for_the_grid() {
    // The block with number n does n iterations, as those of attention that is causal; the loop is unrolled four times.
    let body = "%n, %by, %bz = get_tile_block_id : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      %p = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
      %q = offset %y, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %u = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
      continue
    }";
    let iterations = |grid| of_body(body, &["--grid", grid])["agents"][0]["iterations"].clone();
    // If all blocks run at a time, the kernel ends with the one that takes longest; else the mean counts.
    assert_eq!(iterations("132"), 131 / 4);
    assert_eq!(iterations("80000"), 40_000 / 4);
}

#[test]
fn a_lock_is_free() {
    let body = "%t0 = make_token : token
    %held = loop iter_values(%t = %t0) : token -> token {
      %old, %u = atomic_cas_tko acquire device %lock, %zero, %one token=%t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %taken = cmpi equal %old, %one, signed : tile<i32> -> tile<i1>
      if %taken {
      } else {
        break %u : token
      }
      continue %u : token
    }";
    let found = of_body(body, &["--iterations", "1000"]);
    assert_eq!(found["agents"][0]["iterations"], 1, "{found}");
}

#[test]
fn a_release_waits_for_what_came_before() {
    let cycles = |order: &str| {
        let body = format!(
            "%old, %t = atomic_rmw_tko {order} %lock, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
        );
        number(&of_body(&body, &["--grid", "1"]), "cycles")
    };
    let relaxed = cycles("relaxed device");
    // A fence of the GPU takes 668 cycles, during some of which the atomic itself is done.
    assert!(cycles("release device") > relaxed + 500.0);
    assert_eq!(cycles("release tl_blk"), relaxed);
    assert_eq!(cycles("acquire device"), relaxed);
}

#[test]
fn blocks_of_further_waves_begin_when_others_end() {
    let copy = COPY.replace("SIZE", "128");
    let cycles = |blocks: &str| number(&of_body(&copy, &["--grid", blocks, "--bytes", "1"]), "cycles");
    // 32 reside on each of 132 multiprocessors. While the first blocks of a wave load, the last ones of the wave before it store.
    let (one, eight) = (cycles("4224"), cycles("33792"));
    assert!(one < eight && eight < 7.5 * one, "{one} {eight}");
}

#[test]
fn a_pointer_for_each_vector_takes_registers() {
    let registers = |size| number(&of_body(&COPY.replace("SIZE", size), &[]), "registers");
    // Each of 128 threads has 24 elements more, and two pointers of two registers for each vector of four; 120 with one for each element.
    let more = registers("4096") - registers("1024");
    assert!((24.0..24.0 + 24.0).contains(&more), "{more}");
}

#[test]
fn bytes_of_memory_are_a_bound() {
    let found = predicted(&[PRODUCT, "--grid", "1", "--bytes", "3048500000"]);
    assert_eq!(found["limit"], "memory");
    // A millisecond for 3.0485 GB at 91 % of 3.35 TB/s, and the launch.
    assert!((number(&found, "seconds") - 1.0e-3).abs() < 4e-6, "{found}");
}

#[test]
fn svg_has_a_bar_for_each_op() {
    let file = std::env::temp_dir().join(format!("tilewright-schedule-{}.svg", std::process::id()));
    well(&[PRODUCT, "--svg", file.to_str().expect("UTF-8")]);
    let svg = std::fs::read_to_string(&file).expect("written");
    std::fs::remove_file(&file).expect("removed");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    for wanted in [
        "product on sm_90a",
        "<title>tileas.dot: 1024 cycles",
        "multiply 1: tensor cores",
    ] {
        assert!(svg.contains(wanted), "{wanted}: {svg}");
    }
    assert_eq!(
        svg.matches("<title>").count(),
        svg.matches("</title></rect>").count()
    );
}

#[test]
fn no_launch_is_too_large_or_too_small() {
    let most = u64::MAX.to_string();
    let grid = [most.as_str(); 3].join(",");
    for file in ["persistent", "pingpong", "fp8"] {
        let file = format!("examples/scheduled/product_{file}.scheduled");
        well(&[&file, "--iterations", &most, "--grid", &grid, "--bytes", &most]);
        well(&[&file, "--iterations", "0", "--bytes", "0"]);
    }
    let none = predicted(&[PRODUCT, "--iterations", "0"]);
    assert!(number(&none, "cycles") < 10_000.0, "{none}");
}

#[test]
fn mistakes_are_reported() {
    for (args, wanted) in [
        (vec![ADD, "--grid", "0"], "expected one to three positive extents"),
        (vec![ADD, "--parameters", "4,x"], "expected an integer or _"),
        (vec![ADD, "--kernel", "other"], "has no kernel `other`"),
        (
            vec!["golden/ladder/product/6.nvvm.snap"],
            "the file is in `nvvm`, which comes after `scheduled`",
        ),
    ] {
        let (code, out, err) = schedule(&args);
        assert_eq!(code, 1, "{out}{err}");
        assert!(err.contains(wanted), "{err}");
    }
}

#[test]
fn hints_are_ranked_by_the_predicted_time() {
    let product = "examples/bytecode/product.13.5.tileirbc";
    let args = [
        product,
        "--target",
        "sm_90a",
        "--sweep",
        "num_worker_warps_per_cta=4,8",
        "--json",
    ];
    let (code, out, err) = run("tune", &args);
    assert_eq!((code, err.as_str()), (0, ""));
    let ranking: Value = serde_json::from_str(&out).expect("JSON");
    let ranking = ranking.as_array().expect("a list");
    let seconds: Vec<f64> = ranking.iter().map(|one| number(one, "seconds")).collect();
    assert!(seconds.is_sorted(), "{out}");
    let hints: Vec<_> = ranking
        .iter()
        .map(|one| one["hints"]["num_worker_warps_per_cta"].as_str())
        .collect();
    for wanted in [None, Some("4"), Some("8")] {
        assert!(hints.contains(&wanted), "{out}");
    }
    // All have one grid, or what does less would seem faster.
    let (_, out, _) = run(
        "tune",
        &[ADD, "--sweep", "num_worker_warps_per_cta=2,8", "--json"],
    );
    let ranking: Value = serde_json::from_str(&out).expect("JSON");
    let ranking = ranking.as_array().expect("a list");
    let of = |name| -> Vec<f64> { ranking.iter().map(|one| number(one, name)).collect() };
    let same = |numbers: Vec<f64>| numbers.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(same(of("grid")) && !same(of("resident")), "{out}");
    let (code, _, err) = run("tune", &[PRODUCT]);
    assert_eq!(code, 1);
    assert!(err.contains("hints are those of `cuda_tile`"), "{err}");
}

#[test]
fn predictions_know_the_arguments() {
    let product = "examples/bytecode/product.13.5.tileirbc";
    let sweep = ["--sweep", "num_worker_warps_per_cta=4", "--json"];
    let seconds = |args: &[&str]| {
        let (code, out, err) = run("tune", &[&[product][..], args, &sweep].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        let ranking: Value = serde_json::from_str(&out).expect("JSON");
        (number(&ranking[0], "seconds"), number(&ranking[0], "grid"))
    };
    let arrays = |k: &str| {
        let (a, b) = (format!("zeros:f16[256,{k}]"), format!("zeros:f16[{k},256]"));
        let args = ["--array", &a, "--array", &b, "--array", "empty:f32[256,256]"];
        seconds(&args)
    };
    let (short, grid) = arrays("64");
    let (long, same) = arrays("4096");
    assert!(long > 2.0 * short, "{long} {short}");
    assert_eq!(grid, same);
    let (code, _, err) = run("tune", &[product, "--array", "zeros:f16[256,64]"]);
    assert_eq!(code, 1);
    assert!(err.contains("E0802"), "{err}");
}

#[test]
fn without_a_gpu_nothing_is_measured() {
    if tilewright::launch::gpu::is_present() {
        return;
    }
    let (code, out, err) = run("tune", &[ADD, "--on", "gpu"]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("E0822"), "{err}");
    assert!(err.contains("the CUDA driver"), "{err}");
    for (option, value) in [("--best", "3"), ("--budget", "5")] {
        let (code, _, err) = run("tune", &[ADD, option, value]);
        assert_eq!(code, 1);
        assert!(err.contains("--on"), "{err}");
    }
}

/// The numbers of a file of numpy.
fn numbers<const BYTES: usize>(path: &Path) -> Vec<[u8; BYTES]> {
    let bytes = std::fs::read(path).expect("written");
    let begin = bytes.iter().position(|&byte| byte == b'\n').expect("a header") + 1;
    let (numbers, rest) = bytes[begin..].as_chunks();
    assert!(rest.is_empty());
    numbers.to_vec()
}

#[test]
fn marked_kernels_compute_the_same_and_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| path(name).to_str().expect("UTF-8").to_owned();
    let well = |name: &str, args: &[&str]| {
        let (code, out, err) = run(name, args);
        assert_eq!((code, err.as_str()), (0, ""), "{name} {args:?}: {out}");
        out
    };
    for (example, grid, arguments, result) in [
        (
            "product_two_agents",
            "2,2",
            "randn:f16[128,96] randn:f16[96,128] empty:f32[128,128] 128 128 96",
            2,
        ),
        (
            "product_warpgroups",
            "1,1",
            "randn:f16[128,256] randn:f16[256,256] empty:f32[128,256] 128 256 256",
            2,
        ),
    ] {
        let (plain, marked) = (text("plain.ptx"), text("marked.ptx"));
        let example = format!("examples/scheduled/{example}.scheduled");
        well("compile", &[&example, "-o", &plain]);
        let ptx = well("pass", &["mark_schedule", &plain]);
        // The simulator gives no access to variables: the marks become a parameter.
        let (head, tail) = ptx.split_once("\n)\n").expect("parameters");
        let ptx = format!("{head},\n    .param .u64 marks\n)\n{tail}");
        let (head, tail) = ptx.split_once(", tilewright_marks;").expect("the address");
        let (head, register) = head.rsplit_once("mov.u64 ").expect("a register");
        let ptx = format!("{head}ld.param.u64 {register}, [marks];{tail}");
        std::fs::write(&marked, ptx).expect("written");
        let mut results = Vec::new();
        for (file, marks) in [(&plain, None), (&marked, Some("zeros:i64[131072]"))] {
            let (out, records) = (text("out.npy"), text("records.npy"));
            let mut args = vec![file.as_str(), "--on", "cpu", "--grid", grid];
            let given: Vec<&str> = arguments.split(' ').chain(marks).collect();
            given.iter().for_each(|argument| args.extend(["--arg", argument]));
            let out = format!("{result}={out}");
            let records = format!("{}={records}", given.len() - 1);
            args.extend(["--out", &out]);
            if marks.is_some() {
                args.extend(["--out", &records]);
            }
            well("run", &args);
            results.push(numbers::<4>(&path("out.npy")));
        }
        assert_eq!(results[0], results[1], "{example}");
        let records: Vec<u64> = numbers::<8>(&path("records.npy"))
            .into_iter()
            .map(u64::from_le_bytes)
            .collect();
        let warps: Vec<Vec<u64>> = records
            .chunks(4096)
            .map(|warp| warp.iter().copied().take_while(|record| *record > 0).collect())
            .filter(|warp: &Vec<u64>| !warp.is_empty())
            .collect();
        let count = if example.contains("two_agents") { 8 } else { 12 };
        assert_eq!(warps.len(), count);
        for warp in warps {
            let marks: Vec<u64> = warp.iter().map(|record| record & 0x3ff).collect();
            let clocks: Vec<u64> = warp.iter().map(|record| record >> 10).collect();
            assert!(clocks.is_sorted(), "{clocks:?}");
            assert_eq!(marks[0], 1);
            // Iterations: a mark that comes three times or more.
            let most = marks
                .iter()
                .map(|mark| marks.iter().filter(|other| *other == mark).count());
            assert!(most.max() >= Some(3), "{marks:?}");
        }
    }
}

#[test]
fn measuring_needs_a_gpu_and_one_kernel() {
    if tilewright::launch::gpu::is_present() {
        return;
    }
    let (code, out, err) = schedule(&[ADD, "--measure"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("E0822"), "{err}");
}

#[test]
fn a_gpu_is_chosen_by_its_name() {
    let memory = |args: &[&str]| {
        let args = [&[PRODUCT, "--grid", "1", "--bytes", "4368000000"], args].concat();
        number(&predicted(&args), "seconds")
    };
    // A millisecond for 4.368 GB at 91 % of 4.8 TB/s, and the launch.
    for name in ["H200", "h200 sxm"] {
        assert!((memory(&["--gpu", name]) - 1.0e-3).abs() < 4e-6);
    }
    assert_eq!(memory(&["--gpu", "H100"]), memory(&[]));
    assert!(memory(&[]) > 1.4e-3);
    let (code, _, err) = schedule(&[PRODUCT, "--gpu", "A100"]);
    assert_eq!(code, 1);
    let wanted = "--gpu: there is no A100 with sm_90a, expected one of H100 SXM, H200 SXM";
    assert!(err.contains(wanted), "{err}");
}
