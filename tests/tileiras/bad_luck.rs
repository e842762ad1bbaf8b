//! Disks that are full, assemblers that crash, and kill -9.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::place::{ASSEMBLES, Place, ended};

const ARGS: [&str; 5] = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    for (output, words) in [
        (
            "no/out",
            "error: no/out: No such file or directory (os error 2) [E0804]\n",
        ),
        (
            "/dev/full",
            "error: /dev/full: No space left on device (os error 28) [E0804]\n",
        ),
        ("/", "error: /: Is a directory (os error 21) [E0804]\n"),
    ] {
        let (code, err) = place.failure(&["in.bc", "-o", output, "--gpu-name", "sm_90"]);
        assert_eq!((code, err.as_str()), (1, words), "{output}");
    }
}

#[test]
fn a_disk_that_is_full_leaves_the_output_as_it_was() {
    // A cubin of 64 KiB, and files of at most 64 blocks of 512 bytes. ptxas's own files are not limited.
    let large = ASSEMBLES.replace("cat \"$input\"", "head -c 65536 /dev/zero");
    let place = Place::with_script(&large.replace("#!/bin/sh\n", "#!/bin/sh\nulimit -f unlimited\n"));
    place.example("vector_add", "13.3");
    place.write("out", b"before");
    let mut shell = Command::new("/bin/sh");
    shell.args([
        "-c",
        "ulimit -S -f 64; trap '' XFSZ; exec ./tileiras \"$@\"",
        "sh",
    ]);
    shell.args(ARGS).current_dir(place.path("")).env_clear();
    shell.env("TILEWRIGHT_PTXAS", place.path("ptxas-script"));
    let (code, out, err) = ended(shell.output().expect("it runs"));
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(
        err.starts_with("error: out: File too large (os error 27) [E0804]\n"),
        "{err}"
    );
    assert_eq!(place.read("out"), b"before");
    assert_eq!(place.names(".tilewright"), [""; 0]);
}

#[test]
fn an_assembler_that_fails_or_crashes_is_told_from_one_that_lies() {
    for (script, words) in [
        ("#!/bin/sh\nkill -SEGV $$\n", "signal: 11"),
        (
            "#!/bin/sh\necho 'ptxas fatal   : out of luck' >&2\nexit 7\n",
            "exit status: 7",
        ),
        ("#!/bin/sh\nexit 0\n", "left no cubin"),
        (
            "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2\"\n",
            "wrote no cubin, but 0 bytes",
        ),
        ("not a program", "cannot be run"),
    ] {
        let place = Place::with_script(script);
        place.example("vector_add", "13.3");
        let (code, err) = place.failure(&ARGS);
        assert_eq!(code, 5, "{err}");
        let first = err.lines().next().expect("a line");
        assert!(
            first.starts_with("error: ") && first.contains(words),
            "{words}: {err}"
        );
        let code = if script.starts_with("#!") {
            "[E0708]"
        } else {
            "[E0707]"
        };
        assert!(first.ends_with(code), "{err}");
        assert!(
            !script.contains("luck") || err.contains("note: ptxas fatal   : out of luck\n"),
            "{err}"
        );
    }
}

#[test]
fn an_assembler_may_say_what_is_no_text() {
    let place = Place::with_script("#!/bin/sh\nprintf 'ptxas \\377\\376 fatal\\n' >&2\nexit 1\n");
    place.example("vector_add", "13.3");
    // `failure` reads standard error as UTF-8.
    assert_eq!(place.failure(&ARGS).0, 5);
}

#[test]
fn killed_on_the_way_it_leaves_the_output_as_it_was_and_no_lock() {
    let slow = ASSEMBLES.replace("#!/bin/sh\n", "#!/bin/sh\n: > \"$MARK\"\n/bin/sleep 1\n");
    let place = Place::with_script(&slow);
    place.example("vector_add", "13.3");
    place.write("out", b"before");
    let mark = place.path("mark");
    let mut child = place.command("tileiras", &ARGS);
    child.env("MARK", &mark).env("TMPDIR", place.path(""));
    let mut child = child.stderr(Stdio::null()).spawn().expect("it runs");
    let start = Instant::now();
    while !mark.exists() && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    assert!(!child.wait().expect("ended").success());
    assert_eq!(place.read("out"), b"before");
    assert_eq!(place.names(".tilewright"), [""; 0]);
    let mut again = place.command("tileiras", &ARGS);
    let end = ended(again.env("MARK", &mark).output().expect("it runs"));
    assert_eq!(end, (0, String::new(), String::new()));
    assert!(place.read("out").starts_with(b"\x7fELF"));
    // The assembler outlives the killed compiler for a moment, and writes to the folder that it was given.
    thread::sleep(Duration::from_millis(1200));
    let left = fs::read_dir(place.path("")).expect("the folder").flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("tilewright-"));
    assert!(left.count() <= 1);
}
