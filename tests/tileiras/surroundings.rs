//! The environment of the program: where it finds ptxas, and where it runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;

use super::place::{ASSEMBLES, Place, ended};

const ARGS: [&str; 5] = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];

/// Adds the script that assembles everything.
fn add_ptxas(place: &Place, at: &str) {
    let path = place.path(at);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, ASSEMBLES).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
}

fn succeeds(place: &Place, command: &mut Command) {
    let _ = fs::remove_file(place.path("out"));
    let end = ended(command.output().expect("it runs"));
    assert_eq!(end, (0, String::new(), String::new()));
    assert!(place.read("out").starts_with(b"\x7fELF"));
}

#[test]
fn ptxas_is_found_beside_the_program_in_an_empty_environment() {
    for at in ["ptxas", "libexec/ptxas"] {
        let place = Place::without_ptxas();
        place.example("vector_add", "13.3");
        add_ptxas(&place, at);
        // As cuTile Python sets the environment.
        let own = place.path("");
        succeeds(
            &place,
            place
                .command("tileiras", &ARGS)
                .env("PATH", &own)
                .env("LD_LIBRARY_PATH", ""),
        );
        // By its name alone, by a relative path, through another link.
        let in_folder = |program: &str| {
            let mut command = Command::new(program);
            command.args(ARGS).current_dir(&own).env_clear();
            command
        };
        succeeds(&place, &mut in_folder("./tileiras"));
        fs::create_dir(place.path("elsewhere")).expect("a folder");
        symlink(place.path("tileiras"), place.path("elsewhere/tileiras")).expect("a link");
        fs::rename(place.path("ptxas"), place.path("elsewhere/ptxas")).ok();
        fs::rename(place.path("libexec"), place.path("elsewhere/libexec")).ok();
        succeeds(&place, &mut in_folder("elsewhere/tileiras"));
        // A shell passes the name as it is, and this program looks it up on PATH.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "exec tileiras \"$@\"", "sh"]).args(ARGS);
        shell.current_dir(&own).env_clear().env("PATH", "elsewhere:/bin");
        succeeds(&place, &mut shell);
    }
}

#[test]
fn ptxas_is_found_by_variables_on_path_and_among_packages() {
    for (at, variable, value) in [
        ("some/where/ptxas", "TILEWRIGHT_PTXAS", "some/where/ptxas"),
        ("some/where/ptxas", "TILEWRIGHT_PTXAS", "some/where"),
        ("tools/ptxas", "PATH", "tools"),
        ("toolkit/bin/ptxas", "CUDA_HOME", "toolkit"),
        ("toolkit/bin/ptxas", "CUDA_PATH", "toolkit"),
        (
            "venv/lib/python3.99/site-packages/nvidia/cu13/bin/ptxas",
            "VIRTUAL_ENV",
            "venv",
        ),
        (
            "venv/lib/python3.99/site-packages/nvidia/cuda_nvcc/bin/ptxas",
            "VIRTUAL_ENV",
            "venv",
        ),
        (
            ".local/lib/python3.99/site-packages/nvidia/cu13/bin/ptxas",
            "HOME",
            "",
        ),
    ] {
        let place = Place::without_ptxas();
        place.example("vector_add", "13.3");
        add_ptxas(&place, at);
        succeeds(
            &place,
            place.command("tileiras", &ARGS).env(variable, place.path(value)),
        );
    }
}

#[test]
fn without_a_ptxas_it_is_said_what_is_missing_and_where_it_was_looked_for() {
    let toolkits = fs::read_dir("/usr/local").into_iter().flatten().flatten();
    if toolkits
        .into_iter()
        .any(|entry| entry.path().join("bin/ptxas").exists())
    {
        return;
    }
    let place = Place::without_ptxas();
    place.example("vector_add", "13.3");
    let (code, err) = place.failure(&ARGS);
    assert_eq!(code, 5);
    assert!(err.starts_with("error: no ptxas was found"), "{err}");
    for words in [
        "beside this program: ",
        "TILEWRIGHT_PTXAS (not set)",
        "on PATH: /nowhere",
        "CUDA_HOME (not set)",
        "/usr/local",
        "pip install nvidia-cuda-nvcc",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert!(
        err.ends_with("error: failed to compile Tile IR program\n"),
        "{err}"
    );
    // Before that comes what is wrong with the program.
    place.write("in.bc", b"nothing");
    assert_eq!(place.failure(&ARGS).0, 3);
}

#[test]
fn a_ptxas_that_is_not_there_is_named() {
    let place = Place::without_ptxas();
    place.example("vector_add", "13.3");
    place.write("out", b"");
    let output = place
        .command("tileiras", &ARGS)
        .env("TILEWRIGHT_PTXAS", "/no/ptxas")
        .output();
    let (code, _, err) = ended(output.expect("it runs"));
    assert_eq!(code, 5);
    assert!(
        err.starts_with("error: TILEWRIGHT_PTXAS names /no/ptxas, and there is no such file [E0707]\n"),
        "{err}"
    );
}

#[test]
fn nothing_is_written_to_the_current_folder() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let empty = place.path("empty");
    fs::create_dir(&empty).expect("a folder");
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o555)).expect("permissions");
    let (input, output) = (place.path("in.bc"), place.path("out"));
    let mut command = place.command("tileiras", &[]);
    command
        .arg(input)
        .arg("-o")
        .arg(output)
        .args(["--gpu-name=sm_90"]);
    succeeds(&place, command.current_dir(&empty));
    assert_eq!(fs::read_dir(&empty).expect("the folder").count(), 0);
}

#[test]
fn temporary_files_are_gone_afterwards() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let scratch = place.path("scratch");
    fs::create_dir(&scratch).expect("a folder");
    succeeds(&place, place.command("tileiras", &ARGS).env("TMPDIR", &scratch));
    assert_eq!(fs::read_dir(&scratch).expect("the folder").count(), 0);
    // Nowhere to put them.
    let mut command = place.command("tileiras", &ARGS);
    let (code, _, err) = ended(command.env("TMPDIR", "/no/folder").output().expect("it runs"));
    assert_eq!(code, 5);
    assert!(err.starts_with("error: /no/folder: "), "{err}");
}

#[test]
fn the_output_may_be_a_device_or_standard_output() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let to = |output: &str| {
        place
            .command("tileiras", &["in.bc", "--gpu-name=sm_90", "-o", output])
            .output()
    };
    assert_eq!(
        ended(to("/dev/null").expect("it runs")),
        (0, String::new(), String::new())
    );
    assert!(!Path::new("/dev/null").is_file());
    let output = to("-").expect("it runs");
    assert!(output.status.success() && output.stdout.starts_with(b"\x7fELF"));
}

#[test]
fn sixty_four_at_once_do_not_disturb_each_other() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let wanted = place.cubin(&ARGS);
    thread::scope(|scope| {
        for number in 0..64 {
            let (place, wanted) = (&place, &wanted);
            scope.spawn(move || {
                // Half of them write to one file.
                let name = format!("out{}", if number % 2 == 0 { 0 } else { number });
                let end = place.run(&["in.bc", "-o", &name, "--gpu-name", "sm_90"]);
                assert_eq!(end, (0, String::new(), String::new()));
                assert!(place.read(&name) == *wanted);
            });
        }
    });
    assert_eq!(place.names(".tilewright"), [""; 0]);
}
