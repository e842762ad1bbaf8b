//! Tuned hints, which the environment names.

use std::process::Command;

use super::place::{Ended, Place, ended, repository};

const ARGS: [&str; 5] = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];

/// Runs a command line with a file of tuned hints.
fn run(place: &Place, args: &[&str]) -> Ended {
    let mut command = place.command("tileiras", args);
    command.env("TILEWRIGHT_TUNED", place.path("tuned.json"));
    ended(command.output().expect("it runs"))
}

/// The PTX of the example with this hint, as `tilewright compile` makes it.
fn hinted(hint: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.current_dir(repository());
    command.args([
        "compile",
        "examples/bytecode/vector_add.13.4.tileirbc",
        "--target",
        "sm_90a",
        "--hint",
        hint,
    ]);
    let (code, text, err) = ended(command.output().expect("it runs"));
    assert_eq!((code, err.as_str()), (0, ""));
    text
}

/// Has `tilewright tune` save the hints of the example, of which there is one choice.
fn save(place: &Place, hint: &str) {
    let mut command = place.command(
        "tilewright",
        &["tune", "in.bc", "--save", "tuned.json", "--target", "sm_90a"],
    );
    command.args(["--sweep", hint]);
    let (code, _, err) = ended(command.output().expect("it runs"));
    assert_eq!((code, err.as_str()), (0, ""));
    // Whether or not the hint is faster than none.
    let text = String::from_utf8(place.read("tuned.json")).expect("UTF-8");
    let (name, value) = hint.split_once('=').expect("a hint");
    let text = match text.split_once("\"hints\": {}") {
        Some((head, tail)) => format!("{head}\"hints\": {{\"{name}\": {value}}}{tail}"),
        None => text,
    };
    place.write("tuned.json", text.as_bytes());
}

#[test]
fn the_hints_of_the_file_are_used_for_its_kernel() {
    let place = Place::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tilewright"), place.path("tilewright")).expect("a link");
    place.example("vector_add", "13.4");
    let own = place.cubin(&ARGS);
    save(&place, "num_worker_warps_per_cta=16");
    assert_eq!(run(&place, &ARGS), (0, String::new(), String::new()));
    // The script in the place of ptxas keeps the text.
    let cubin = String::from_utf8_lossy(&place.read("out")).into_owned();
    let text = hinted("num_worker_warps_per_cta=16");
    assert!(text.contains(".reqntid 512"), "{text}");
    assert!(cubin.ends_with(&text), "{cubin}");
    let (code, out, err) = run(&place, &[&ARGS[..], &["--remarks=schedule"]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let remark = "Tuned hints replace those of the program: num_worker_warps_per_cta = 16";
    assert!(out.contains(remark), "{out}");
    // Another kernel has its own hints.
    place.example("saxpy", "13.4");
    let plain = place.cubin(&ARGS);
    assert_eq!(run(&place, &ARGS), (0, String::new(), String::new()));
    assert_eq!(place.read("out"), plain);
    assert_ne!(plain, own);
}

#[test]
fn a_file_that_cannot_be_used_is_a_warning() {
    let place = Place::new();
    place.example("vector_add", "13.4");
    let own = place.cubin(&ARGS);
    for (contents, wanted) in [
        (None, "tuned.json: No such file or directory (os error 2) [E0803]"),
        (
            Some(""),
            "tuned.json: EOF while parsing a value at line 1 column 0 [E0806]",
        ),
    ] {
        if let Some(contents) = contents {
            place.write("tuned.json", contents.as_bytes());
        }
        let (code, out, err) = run(&place, &ARGS);
        assert_eq!((code, out.as_str()), (0, ""), "{err}");
        assert!(err.starts_with("warning: ") && err.contains(wanted), "{err}");
        assert_eq!(place.read("out"), own);
    }
}

#[test]
fn the_version_tells_files_apart() {
    let place = Place::without_ptxas();
    let version = || run(&place, &["--version"]).1;
    let without = version();
    assert_eq!(without, place.run(&["--version"]).1);
    place.write("tuned.json", b"1");
    let with = version();
    assert!(with.starts_with(without.trim_end()) && with != without, "{with}");
    place.write("tuned.json", b"2");
    assert_ne!(version(), with);
}
