//! `tilewright install`, which makes the links.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::place::{Ended, Place, ended};

fn install(folder: &Path, set: impl FnOnce(&mut Command)) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.args(["install", "--as", "tileiras"]).arg(folder);
    command.env_clear().env("PATH", "/nowhere");
    set(&mut command);
    ended(command.output().expect("it runs"))
}

/// A folder with a virtual environment that has these packages.
fn environment(packages: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("lib/python3.99/site-packages");
    for package in packages {
        fs::create_dir_all(site.join(format!("{package}.dist-info"))).expect("a folder");
    }
    let programs = site.join("nvidia/cu13/bin");
    fs::create_dir_all(&programs).expect("a folder");
    for program in ["tileiras", "ptxas"] {
        fs::write(programs.join(program), "").expect("a file");
    }
    folder
}

#[test]
fn the_links_work_and_have_a_ptxas_of_their_own() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let folder = place.path("new/bin");
    for _ in 0..2 {
        let ptxas = place.path("ptxas-script");
        let (code, out, err) = install(&folder, |command| {
            command.env("TILEWRIGHT_PTXAS", ptxas);
        });
        assert_eq!((code, err.as_str()), (0, ""));
        let shown = fs::canonicalize(&folder).expect("the folder");
        for words in [
            format!("export PATH=\"{}:$PATH\"", shown.display()),
            format!("export CUTILE_TILEIRAS_PATH=\"{}/tileiras\"", shown.display()),
            format!("[cuTile]\n    tileiras = \"{}/tileiras\"", shown.display()),
        ] {
            assert!(out.contains(&words), "{words}: {out}");
        }
    }
    let mut command = Command::new(folder.join("tileiras"));
    command.args(["in.bc", "-o", "out", "--gpu-name", "sm_90"]);
    command.current_dir(place.path("")).env_clear();
    let end = ended(command.output().expect("it runs"));
    assert_eq!(end, (0, String::new(), String::new()));
    assert!(place.read("out").starts_with(b"\x7fELF"));
    let disassembler = Command::new(folder.join("tileirdisasm"))
        .arg("--version")
        .output();
    assert_eq!(ended(disassembler.expect("it runs")).0, 0);
}

#[test]
fn packages_that_beat_path_are_explained() {
    let complete = [
        "nvidia_cuda_tileiras-13.5.37",
        "nvidia_cuda_nvcc-13.5.37",
        "nvidia_nvvm-13.5.40",
    ];
    let mixed = [
        "nvidia_cuda_tileiras-13.5.37",
        "nvidia_cuda_nvcc-13.4.1",
        "nvidia_nvvm-13.5.37",
    ];
    for (packages, beats) in [(&complete[..], true), (&mixed, false), (&complete[..2], false)] {
        let environment = environment(packages);
        let folder = tempfile::tempdir().expect("a folder");
        let (code, out, err) = install(folder.path(), |command| {
            command.env("VIRTUAL_ENV", environment.path());
        });
        assert_eq!((code, err.as_str()), (0, ""));
        for words in [
            "will not look on PATH",
            "release 13.5",
            "-m pip uninstall nvidia-cuda-tileiras",
        ] {
            assert_eq!(out.contains(words), beats, "{packages:?}: {out}");
        }
    }
}

#[test]
fn a_missing_ptxas_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = install(folder.path(), |command| {
        command.env("TILEWRIGHT_PTXAS", "/no/ptxas");
    });
    assert_eq!(code, 0);
    assert!(out.contains("tileiras -> "), "{out}");
    assert!(
        err.starts_with("warning[E0707]: TILEWRIGHT_PTXAS names /no/ptxas"),
        "{err}"
    );
    assert!(!folder.path().join("libexec/ptxas").exists());
}

#[test]
fn another_program_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = folder.path().join("tileiras");
    fs::write(&theirs, "theirs").expect("written");
    let (code, out, err) = install(folder.path(), |_| ());
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("tileiras exists, and is no link that could be replaced"),
        "{err}"
    );
    assert_eq!(fs::read(&theirs).expect("read"), b"theirs");
}
