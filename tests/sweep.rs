//! `tilewright compile --sweep`: many configurations of one file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const EXAMPLE: &str = "examples/bytecode/vector_add.13.5.tileirbc";

/// A script in the place of ptxas, which reports what ptxas does.
const ASSEMBLES: &str = "#!/bin/sh
for last; do :; done
while [ \"$1\" != -o ]; do shift; done
printf '\\177ELF' > \"$2\"
cat \"$last\" >> \"$2\"
echo \"ptxas info    : Compiling entry function 'vector_add' for 'sm'\" >&2
echo '    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads' >&2
echo 'ptxas info    : Used 40 registers, used 0 barriers, 512 bytes smem, 400 bytes cmem[0]' >&2
";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder, with a ptxas in it.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("ptxas");
    fs::write(&script, ASSEMBLES).expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.args(["compile"]).args(args).current_dir(repository());
    command.env_clear().env("TILEWRIGHT_PTXAS", folder.join("ptxas"));
    command
}

fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (code, text(output.stdout), text(output.stderr))
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended(command(folder, args).output().expect("it runs"))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

fn json(text: &str) -> Vec<Value> {
    serde_json::from_str::<Vec<Value>>(text).expect("an array")
}

#[test]
fn every_configuration_is_what_a_compilation_of_its_own_makes() {
    let place = place();
    let out = place.path().join("new/out");
    let folder = out.to_str().expect("UTF-8");
    let axes = [
        "--sweep",
        "sm_80,sm_90",
        "--sweep",
        "num_worker_warps_per_cta=2,8",
        "--sweep",
        "opt_level=0,3",
    ];
    let (code, text, err) = run(
        place.path(),
        &[&[EXAMPLE, "-o", folder], axes.as_slice()].concat(),
    );
    assert_eq!((code, err.as_str()), (0, ""), "{text}");
    assert_eq!(names(&out).len(), 8);
    for target in ["sm_80", "sm_90a"] {
        for warps in ["2", "8"] {
            for level in ["0", "3"] {
                let hint = format!("num_worker_warps_per_cta={warps}");
                let level_option = format!("-O{level}");
                let args = [EXAMPLE, "--target", target, "--hint", &hint, &level_option];
                let (code, alone, err) = run(place.path(), &args);
                assert_eq!((code, err.as_str()), (0, ""));
                let name =
                    format!("vector_add.{target}.num_worker_warps_per_cta-{warps}.opt_level-{level}.ptx");
                let made = fs::read_to_string(out.join(&name)).expect("the output");
                assert!(made == alone, "{name}");
                let threads = format!(".reqntid {}, 1, 1", warps.parse::<u32>().expect("a number") * 32);
                assert!(made.contains(&threads), "{made}");
                let row = text.lines().find(|line| line.ends_with(&name)).expect("a row");
                let words: Vec<_> = row.split_whitespace().take(8).collect();
                assert_eq!(words, [target, warps, level, "vector_add", "40", "8", "4", "512"]);
            }
        }
    }
    let head = text.lines().next().expect("a head");
    assert!(
        head.starts_with("target  num_worker_warps_per_cta  opt_level  kernel"),
        "{text}"
    );
    // The same again, as cubins and without files.
    let (code, text, err) = run(
        place.path(),
        &[&[EXAMPLE, "--table", "json", "--emit", "cubin"], axes.as_slice()].concat(),
    );
    assert_eq!((code, err.as_str()), (0, ""));
    let rows = json(&text);
    assert_eq!(rows.len(), 8);
    let first = serde_json::json!({
        "target": "sm_80",
        "options": { "num_worker_warps_per_cta": "2", "opt_level": "0" },
        "compiled": true,
        "output": null,
        "kernels": [{
            "kernel": "vector_add", "registers": 40, "spill_stores": 8, "spill_loads": 4, "stack": 0, "shared": 512,
        }],
        "diagnostics": [],
    });
    assert_eq!(rows[0], first);
}

#[test]
fn cubins_are_written_where_they_are_asked_for() {
    let place = place();
    let folder = place.path().join("out");
    let out = folder.to_str().expect("UTF-8");
    let (code, _, err) = run(
        place.path(),
        &[EXAMPLE, "--emit", "cubin", "--sweep", "sm_80,sm_120a", "-o", out],
    );
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        names(&folder),
        ["vector_add.sm_120a.cubin", "vector_add.sm_80.cubin"]
    );
    let cubin = fs::read(folder.join("vector_add.sm_80.cubin")).expect("a cubin");
    assert!(cubin.starts_with(b"\x7fELF"));
}

#[test]
fn what_is_wrong_with_one_configuration_does_not_stop_the_others() {
    let place = place();
    let folder = place.path().join("out");
    let out = folder.to_str().expect("UTF-8");
    let sweep = ["--sweep", "sm_80,sm_90a", "--sweep", "num_cta_in_cga=1,2"];
    let args = [&[EXAMPLE, "-o", out, "--table", "json"], sweep.as_slice()].concat();
    let (code, text, err) = run(place.path(), &args);
    assert_eq!((code, err.as_str()), (0, ""), "{text}");
    let rows = json(&text);
    let compiled: Vec<_> = rows.iter().map(|row| row["compiled"].as_bool()).collect();
    assert_eq!(compiled, [true, false, true, true].map(Some));
    let problem = &rows[1]["diagnostics"][0];
    assert_eq!(problem["code"], "E0801");
    let wanted =
        "hint num_cta_in_cga = 2 for sm_80: expected an integer value of 1: the architecture has no clusters";
    assert_eq!(problem["message"], wanted);
    assert_eq!((&rows[1]["output"], names(&folder).len()), (&Value::Null, 3));
    // Where nothing compiles, the exit says so.
    let (code, text, _) = run(
        place.path(),
        &[EXAMPLE, "--sweep", "sm_80", "--sweep", "num_cta_in_cga=2,4"],
    );
    assert_eq!(code, 1);
    assert_eq!(text.matches("E0801: hint num_cta_in_cga").count(), 2, "{text}");
}

#[test]
fn a_ptxas_that_fails_for_some_is_reported_for_these() {
    let place = place();
    let picky = ASSEMBLES.replace(
        "#!/bin/sh\n",
        "#!/bin/sh\ncase \"$*\" in *sm_80*) echo no luck >&2; exit 1;; esac\n",
    );
    fs::write(place.path().join("ptxas"), picky).expect("written");
    let (code, text, err) = run(
        place.path(),
        &[EXAMPLE, "--table", "json", "--sweep", "sm_80,sm_90a"],
    );
    assert_eq!((code, err.as_str()), (0, ""));
    let rows = json(&text);
    assert_eq!(rows[0]["diagnostics"][0]["code"], "E0708");
    assert_eq!(rows[0]["diagnostics"][0]["notes"][0], "no luck");
    assert_eq!(rows[1]["compiled"], true);
}

#[test]
fn without_a_ptxas_there_is_ptx_and_no_measure() {
    let place = place();
    let mut command = command(place.path(), &[EXAMPLE, "--sweep", "sm_80,sm_90a"]);
    command.env_remove("TILEWRIGHT_PTXAS").env("PATH", "/nowhere");
    // A toolkit of the machine may be found nevertheless.
    let (code, text, err) = ended(command.output().expect("it runs"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(text.lines().count(), 3, "{text}");
    let absent = place.path().join("absent");
    let args = [
        EXAMPLE,
        "--sweep",
        "sm_80",
        "--ptxas",
        absent.to_str().expect("UTF-8"),
    ];
    let (code, text, err) = run(place.path(), &args);
    assert_eq!((code, text.as_str()), (1, ""));
    assert!(err.contains("[E0707]") && err.contains("absent"), "{err}");
}

#[test]
fn mistakes_are_reported_once_and_nothing_is_written() {
    let place = place();
    let out = place.path().join("out");
    let bad = place.path().join("bad.mlir");
    fs::write(
        &bad,
        "cuda_tile.module @m {\n  entry @k() {\n    retrun\n  }\n}\n",
    )
    .expect("written");
    fs::write(place.path().join("file"), "").expect("written");
    let below_a_file = place.path().join("file/out");
    let (out, bad) = (out.to_str().expect("UTF-8"), bad.to_str().expect("UTF-8"));
    let file = below_a_file.to_str().expect("UTF-8");
    for (args, code, words) in [
        (
            &[bad, "--sweep", "sm_80,sm_90a", "-o", out][..],
            3,
            "bad.mlir:3:5: error[E",
        ),
        (
            &[EXAMPLE, "--sweep", "sm_1", "-o", out],
            1,
            "there is no target 'sm_1'",
        ),
        (
            &[EXAMPLE, "--sweep", "warps=4", "-o", out],
            1,
            "there is no hint 'warps'",
        ),
        (
            &[EXAMPLE, "--sweep", "occupancy=", "-o", out],
            1,
            "expected values with commas between",
        ),
        (
            &[EXAMPLE, "--sweep", "sm_80", "--emit", "tileas"],
            1,
            "--sweep makes PTX or cubins, not tileas",
        ),
        (
            &[EXAMPLE, "--table", "json"],
            1,
            "the following required arguments were not provided:\n  --sweep",
        ),
        (&[EXAMPLE, "--sweep", "sm_80", "-o", file], 1, "error[E0804]"),
        (&["no/such/file", "--sweep", "sm_80"], 1, "[E0803]"),
    ] {
        let (found, text, err) = run(place.path(), args);
        assert_eq!((found, text.as_str()), (code, ""), "{args:?}: {err}");
        assert_eq!(err.matches(words).count(), 1, "{args:?}: {err}");
    }
    let left = names(place.path());
    assert!(left.iter().all(|name| !name.contains("vector_add")), "{left:?}");
    assert!(!Path::new(out).join("bad.sm_80.ptx").exists());
}

#[test]
fn a_full_disk_is_reported_for_each_and_leaves_no_part_of_a_file() {
    let place = place();
    let out = place.path().join("out");
    let mut shell = Command::new("/bin/sh");
    let script = "ulimit -S -f 1; trap '' XFSZ; exec \"$0\" compile \"$@\"";
    shell.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_tilewright"),
        EXAMPLE,
        "--table",
        "json",
    ]);
    shell.args(["--sweep", "sm_80,sm_90a", "-o"]).arg(&out);
    shell
        .current_dir(repository())
        .env_clear()
        .env("PATH", "/nowhere");
    let (code, text, err) = ended(shell.output().expect("it runs"));
    assert_eq!((code, err.as_str()), (1, ""), "{text}");
    for row in json(&text) {
        assert_eq!(row["diagnostics"][0]["code"], "E0804", "{row}");
        assert_eq!(row["output"], Value::Null);
    }
    assert_eq!(names(&out), [""; 0]);
}

#[test]
fn a_hint_is_set_in_every_access_that_may_have_it() {
    let place = place();
    let lowered = |more: &[&str]| {
        let args = [&[EXAMPLE, "--emit", "tileaa"], more].concat();
        let (code, text, err) = run(place.path(), &args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        text
    };
    let plain = lowered(&[]);
    assert!(
        !plain.contains("latency") && !plain.contains("allow_tma"),
        "{plain}"
    );
    let hinted = lowered(&[
        "--hint",
        "latency=7",
        "--hint",
        "allow_tma=false",
        "--hint",
        "occupancy=3",
    ]);
    let accesses = hinted.matches("tileaa.load ").count() + hinted.matches("tileaa.store ").count();
    assert!(accesses >= 3, "{hinted}");
    for hint in ["latency = 7", "allow_tma = false"] {
        assert_eq!(hinted.matches(hint).count(), accesses, "{hinted}");
    }
    assert_eq!(hinted.matches("occupancy = 3").count(), 1, "{hinted}");
    for (hint, words) in [
        ("latency", "--hint: 'latency': expected NAME=VALUE"),
        (
            "latency=0",
            "--hint: hint latency = 0: expected an integer value from 1 to 10",
        ),
    ] {
        let (code, _, err) = run(place.path(), &[EXAMPLE, "--hint", hint]);
        assert!(
            code == 1 && err.contains(words) && err.contains("[E0801]"),
            "{err}"
        );
    }
}
