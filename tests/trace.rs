//! The command `tilewright trace-attr`.
//!
//! Expected texts are snapshots of `insta` in `tests/data/traces`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const HINTS: &str = "tests/data/traces/hints.mlir";
const ACCESSES: &str = "tests/data/hints.mlir";
const CACHING: &str = "golden/llvm_to_nvvm.select_instructions/caching.in.llvm";
const FAST: &str = "tests/data/traces/fast.cute";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `tilewright trace-attr`; the exit code, standard output, standard error.
fn trace(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(repository()).arg("trace-attr").args(args);
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn well(args: &[&str]) -> String {
    let (code, out, err) = trace(args);
    assert_eq!(code, 0, "{args:?}: {out}{err}");
    out
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository().join("tests/data/traces"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn traces_are_as_expected() {
    for (name, args) in [
        ("num_warps", vec!["num_warps", HINTS, "--kernel", "ordered"]),
        ("cluster", vec!["num_cta_in_cga", HINTS, "--kernel", "clustered"]),
        (
            "cluster_not_followed",
            vec!["cluster_hint", HINTS, "--kernel", "ordered"],
        ),
        ("occupancy", vec!["occupancy", HINTS, "--kernel", "ordered"]),
        ("order", vec!["order", HINTS, "--kernel", "ordered"]),
        ("scope", vec!["scope", HINTS, "--kernel", "ordered"]),
        ("rounding", vec!["rounding", HINTS, "--kernel", "clustered"]),
        ("latency", vec!["latency", ACCESSES, "--kernel", "products"]),
        ("allow_tma", vec!["allow_tma", ACCESSES, "--kernel", "products"]),
        (
            "latency_of_pointers",
            vec!["latency", ACCESSES, "--kernel", "pointers"],
        ),
        ("fast_math", vec!["fast_math", FAST]),
        ("fast_math_by_option", vec!["fast_math", FAST, "--fast-math=nnan"]),
        ("cache", vec!["llvm.load cache", CACHING]),
        (
            "by_option",
            vec![
                "num_warps",
                HINTS,
                "--kernel",
                "ordered",
                "--hint",
                "num_worker_warps_per_cta=16",
            ],
        ),
        (
            "other_target",
            vec!["occupancy", HINTS, "--kernel", "clustered", "--target", "sm_80"],
        ),
        ("absent", vec!["latency", FAST]),
        ("all", vec!["--all", HINTS, "--kernel", "clustered"]),
    ] {
        snapshot(name, &well(&args));
    }
    snapshot(
        "num_warps_json",
        &well(&["num_warps", HINTS, "--kernel", "ordered", "--json"]),
    );
    snapshot(
        "scope_json",
        &well(&["scope", HINTS, "--kernel", "ordered", "--json"]),
    );
}

/// One life has the same steps, by whatever name it is asked for.
#[test]
fn every_name_of_a_life_finds_it() {
    for name in [
        "num_worker_warps_per_cta",
        "num_warps",
        "kernel_spec",
        "nvvm.reqntid",
        "reqntid",
    ] {
        let text = well(&[name, HINTS, "--kernel", "ordered"]);
        for part in [
            "num_worker_warps_per_cta = 8",
            "num_warps = 8",
            "nvvm.reqntid = 256",
            ".reqntid 256, 1, 1",
        ] {
            assert!(text.contains(part), "{name}: no {part} in {text}");
        }
    }
}

/// The lines that a life names are those of the PTX.
#[test]
fn lines_are_those_of_the_ptx() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    let command = command.current_dir(repository());
    let output = command
        .args(["compile", FAST, "-O0"])
        .output()
        .expect("the binary runs");
    let ptx = String::from_utf8(output.stdout).expect("UTF-8");
    let values: Value = serde_json::from_str(&well(&["--all", FAST, "-O0", "--json"])).expect("JSON");
    let lives = values[0]["lives"].as_array().expect("lives");
    let mut seen = 0;
    for step in lives
        .iter()
        .flat_map(|life| life["steps"].as_array().expect("steps"))
    {
        for line in step["lines"].as_array().expect("lines") {
            let line = line
                .as_u64()
                .and_then(|line| usize::try_from(line).ok())
                .expect("a line");
            let text = ptx.lines().nth(line - 1).expect("the line");
            let is_said = match step["carrier"].as_str() {
                Some("function") => text.starts_with(&format!(".{}", step["name"].as_str().expect("a name"))),
                _ => {
                    let mut words = step["ops"]
                        .as_array()
                        .expect("ops")
                        .iter()
                        .filter_map(Value::as_str);
                    words.any(|word| text.contains(word))
                }
            };
            assert!(is_said, "line {line} is {text}, not {step}");
            seen += 1;
        }
    }
    assert!(seen > 3, "{values}");
}

/// JSON has each step of the text.
#[test]
fn json_says_what_the_text_says() {
    let args = ["--all", HINTS, "--kernel", "ordered"];
    let text = well(&args);
    let values: Value = serde_json::from_str(&well(&[&args[..], &["--json"]].concat())).expect("JSON");
    let lives = values[0]["lives"].as_array().expect("lives");
    for life in lives {
        let steps = life["steps"].as_array().expect("steps");
        for step in steps {
            let name = step["name"].as_str().expect("a name");
            let value = step["value"].as_str().unwrap_or_default();
            assert!(text.contains(name) && text.contains(value), "{step}");
            for key in ["pass", "why"] {
                let said = step["end"][key].as_str().unwrap_or_default();
                assert!(text.contains(said), "{step}");
            }
        }
        for one in life["uses"].as_array().expect("uses") {
            let (pass, used) = (
                one["pass"].as_str().expect("a pass"),
                one["used"].as_str().expect("a value"),
            );
            let words = format!("read by `{pass}`, which uses {used}");
            assert!(text.contains(&words), "{one}");
        }
        for note in life["notes"].as_array().expect("notes") {
            assert!(text.contains(note.as_str().expect("words")), "{note}");
        }
    }
    assert!(lives.len() > 10);
}

#[test]
fn what_cannot_be_traced_is_refused() {
    for (args, code, words) in [
        (
            &["num_warp", HINTS][..],
            1,
            "error[E0801]: no language has an attribute `num_warp`",
        ),
        (
            &["num_warps", HINTS, "--kernel", "nobody"],
            1,
            "has no kernel `nobody`",
        ),
        (&["num_warps", "nowhere.mlir"], 1, "nowhere.mlir"),
        (&[HINTS], 1, "<NAME>"),
        (&["num_warps", "--all", HINTS], 1, "unexpected argument"),
    ] {
        let (exit, out, err) = trace(args);
        assert_eq!((exit, out.as_str()), (code, ""), "{args:?}: {err}");
        assert!(err.contains(words), "{args:?}: {err}");
    }
    let (.., err) = trace(&["num_warp", HINTS, "--error-format", "rich"]);
    assert!(err.contains("did you mean `num_warps`"), "{err}");
}

/// What a language says of an attribute is the same whichever language the file is in.
#[test]
fn every_language_can_be_the_first() {
    let emitted = tempfile();
    for language in [
        "tileaa",
        "tileas",
        "scheduled",
        "cute_desugared",
        "llvm",
        "nvvm",
        "ptx",
    ] {
        let file = emitted.join(format!("k.{language}"));
        let file = file.to_str().expect("UTF-8");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
        let command = command.current_dir(repository());
        let compiled = command
            .args(["compile", HINTS, "--emit", language, "-o", file])
            .output();
        assert!(compiled.expect("the binary runs").status.success(), "{language}");
        let text = well(&["reqntid", file, "--kernel", "ordered"]);
        assert!(text.contains(".reqntid 256, 1, 1"), "{language}: {text}");
    }
    std::fs::remove_dir_all(&emitted).expect("the folder");
}

/// An empty folder.
fn tempfile() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tilewright-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
