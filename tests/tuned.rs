//! Files of tuned hints: `tilewright tune --save` writes them, `tilewright compile --tuned` and `tileiras` read them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

const PRODUCT: &str = "examples/bytecode/product.13.5.tileirbc";
const TARGET: [&str; 2] = ["--target", "sm_90a"];
const SWEEP: [&str; 4] = ["--sweep", "num_worker_warps_per_cta=8", "--sweep", "latency=2"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `tilewright`; the exit code, standard output, standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(repository()).args(args);
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (code, text(output.stdout), text(output.stderr))
}

fn well(args: &[&str]) -> String {
    let (code, out, err) = run(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    out
}

/// The PTX of a compilation, and what it says.
fn ptx(args: &[&str]) -> (String, String) {
    let (code, out, err) = run(&[&["compile"], args, &TARGET].concat());
    assert_eq!(code, 0, "{args:?}: {err}");
    (out, err)
}

/// A file of hints for the example, of which one differs from those of the program. It is found by the prediction.
fn saved(folder: &TempDir) -> String {
    let path = folder.path().join("tuned.json");
    let path = path.to_str().expect("UTF-8").to_owned();
    well(&[&["tune", PRODUCT, "--save", &path][..], &TARGET, &SWEEP].concat());
    // Whichever was fastest: the test is about the file.
    let mut contents: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("written")).expect("JSON");
    let kernel = &mut contents["kernels"][0];
    assert_eq!(
        (&kernel["kernel"], &kernel["target"]),
        (&"product".into(), &"sm_90a".into())
    );
    assert_eq!(kernel["measured"], false);
    assert!(kernel["microseconds"].as_f64() > Some(1.0), "{kernel}");
    kernel["hints"] = serde_json::json!({"num_worker_warps_per_cta": 8, "latency": 2});
    fs::write(&path, contents.to_string()).expect("written");
    path
}

const HINTS: [&str; 4] = ["--hint", "num_worker_warps_per_cta=8", "--hint", "latency=2"];

#[test]
fn tuned_hints_compile_as_if_they_were_given() {
    let folder = TempDir::new().expect("a folder");
    let tuned = saved(&folder);
    let (hinted, _) = ptx(&[&[PRODUCT], &HINTS[..]].concat());
    let (own, _) = ptx(&[PRODUCT]);
    assert!(hinted != own);
    let (found, said) = ptx(&[PRODUCT, "--tuned", &tuned]);
    assert!(found == hinted);
    let note = "kernel `product` has tuned hints for sm_90a: num_worker_warps_per_cta = 8, latency = 2";
    assert!(said.contains("E0806") && said.contains(note), "{said}");
    // Hints that are given are not replaced.
    let (both, _) = ptx(&[PRODUCT, "--tuned", &tuned, "--hint", "num_worker_warps_per_cta=4"]);
    let four = ["--hint", "num_worker_warps_per_cta=4", "--hint", "latency=2"];
    assert!(both == ptx(&[&[PRODUCT], &four[..]].concat()).0);
    // Of another version, as text, and with other hints, it is the same kernel.
    let text = folder.path().join("product.cuda_tile");
    let text = text.to_str().expect("UTF-8");
    let older = folder.path().join("product.tileirbc");
    let older = older.to_str().expect("UTF-8");
    well(&["compile", PRODUCT, "--emit", "cuda_tile", "-o", text]);
    let version = ["--emit", "bytecode", "--bytecode-version", "13.4"];
    well(&[&["compile", PRODUCT, "-o", older], &version[..]].concat());
    for same in [older, text] {
        assert!(ptx(&[same, "--tuned", &tuned]).0 == hinted, "{same}");
    }
    let contents = fs::read_to_string(text).expect("written");
    let other = contents.replace("<default = {}>", "<sm_90 = {occupancy = 2}>");
    assert!(other != contents);
    fs::write(text, &other).expect("written");
    let (found, said) = ptx(&[text, "--tuned", &tuned]);
    assert!(said.contains("has tuned hints"), "{said}");
    let (all, _) = ptx(&[&[text], &HINTS[..]].concat());
    assert!(found == all);
    // A changed kernel, and another target, are not meant.
    fs::write(text, contents.replace("0.000000e+00", "1.000000e+00")).expect("written");
    let (found, said) = ptx(&[text, "--tuned", &tuned]);
    assert!(
        said.contains("no kernel of the file has tuned hints for sm_90a"),
        "{said}"
    );
    assert!(found == ptx(&[text]).0);
    let (code, _, said) = run(&["compile", PRODUCT, "--target", "sm_80", "--tuned", &tuned]);
    assert_eq!(code, 0);
    assert!(
        said.contains("no kernel of the file has tuned hints for sm_80"),
        "{said}"
    );
}

#[test]
fn what_is_saved_replaces_what_was_there() {
    let folder = TempDir::new().expect("a folder");
    let tuned = saved(&folder);
    let tune = |args: &[&str]| run(&[&["tune", "--save", &tuned][..], args, &SWEEP].concat());
    let count = || {
        let contents: Value =
            serde_json::from_str(&fs::read_to_string(&tuned).expect("written")).expect("JSON");
        contents["kernels"].as_array().expect("a list").len()
    };
    for (args, kernels) in [
        (&[PRODUCT, "--target", "sm_90a"][..], 1),
        (&[PRODUCT, "--target", "sm_80"], 2),
        (&["examples/bytecode/vector_add.13.5.tileirbc"], 3),
    ] {
        let (code, _, err) = tune(args);
        assert_eq!((code, err.as_str(), count()), (0, "", kernels));
    }
    let (code, _, err) = tune(&[PRODUCT, "--sweep", "opt_level=0,3"]);
    assert_eq!(code, 1);
    assert!(err.contains("--save keeps hints, and opt_level is none"), "{err}");
    // What cannot be read is not overwritten.
    fs::write(&tuned, "damaged").expect("written");
    let (code, _, err) = tune(&[PRODUCT]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("E0806"), "{err}");
    assert_eq!(fs::read_to_string(&tuned).expect("there"), "damaged");
}

#[test]
fn a_file_that_cannot_be_used_is_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("tuned.json");
    let path = path.to_str().expect("UTF-8");
    let (own, _) = ptx(&[PRODUCT]);
    let (found, said) = ptx(&[PRODUCT, "--tuned", path]);
    assert!(found == own);
    assert!(said.contains("warning") && said.contains("E0803"), "{said}");
    fs::write(path, "{\"tilewright_tuned\": 1, \"kernels\": [{}]}").expect("written");
    let (found, said) = ptx(&[PRODUCT, "--tuned", path]);
    assert!(found == own);
    assert!(said.contains("warning") && said.contains("E0806"), "{said}");
    assert!(said.contains("missing field `kernel` at line 1"), "{said}");
}
