//! The command lines that front ends send, and those that cannot be followed.

use std::time::{Duration, Instant};

use super::place::{Place, VERSIONS};

#[test]
fn every_front_end_s_command_line_makes_the_same_cubin() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let plain = place.cubin(&["--gpu-name", "sm_90", "--opt-level", "3", "-o", "out", "in.bc"]);
    for args in [
        &["in.bc", "-o", "out", "--gpu-name", "sm_90", "-O3"][..],
        &["in.bc", "-o", "out", "--gpu-name", "sm_90"],
        &["--gpu-name", "sm_90", "-o", "out", "in.bc"],
        &["--gpu-name=sm_90", "--opt-level=3", "in.bc", "-o", "out"],
        &["--gpu-name=sm_90", "--host-os=linux", "in.bc", "-o", "out"],
        &["--host-arch=x86_64", "--gpu-name=sm_90", "in.bc", "-o", "out"],
        &["-arch=sm_90", "in.bc", "-o", "out"],
        &["--arch", "sm_90", "-o", "out", "in.bc"],
        &["-gpu-name", "sm_90", "-output-file", "out", "in.bc"],
        &["--arch=sm_90", "--output-file=out", "--", "in.bc"],
        &[
            "--gpu-name=sm_80",
            "-O0",
            "in.bc",
            "-o",
            "no",
            "-o=out",
            "-O3",
            "--gpu-name=sm_90",
        ],
        &["--lineinfo=false", "--gpu-name=sm_90", "in.bc", "-o", "out"],
    ] {
        assert!(place.cubin(args) == plain, "{args:?}");
    }
    let with_lines = place.cubin(&["in.bc", "-o", "out", "--gpu-name", "sm_90", "-O3", "--lineinfo"]);
    assert!(with_lines != plain);
    let text = String::from_utf8_lossy(&with_lines).into_owned();
    assert!(
        text.contains("-lineinfo") && text.contains(".loc 1 9 10"),
        "{text}"
    );
    for flag in ["--lineinfo=true", "-lineinfo"] {
        let args = ["in.bc", "-o", "out", "--gpu-name", "sm_90", flag];
        assert!(place.cubin(&args) == with_lines, "{flag}");
    }
}

#[test]
fn a_kernel_gives_the_same_cubin_in_every_bytecode_version() {
    let place = Place::new();
    for name in ["vector_add", "loop_control"] {
        let cubins = VERSIONS.map(|version| {
            place.example(name, version);
            place.cubin(&["in.bc", "-o", "out", "--gpu-name", "sm_90"])
        });
        assert!(cubins.iter().all(|cubin| *cubin == cubins[0]), "{name}");
    }
}

#[test]
fn every_level_is_handed_on_and_debugging_means_none() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let options = |args: &[&str]| {
        let args = [&["in.bc", "-o", "out", "--gpu-name", "sm_90"], args].concat();
        let cubin = place.cubin(&args);
        let text = String::from_utf8_lossy(&cubin).into_owned();
        text.lines().next().expect("a line").replace("\u{7f}ELF", "")
    };
    for level in 0..=3 {
        let wanted = format!(" -arch=sm_90a -O{level}");
        assert_eq!(options(&[&format!("-O{level}")]), wanted);
        assert_eq!(options(&["--opt-level", &level.to_string()]), wanted);
    }
    for debug in [&["--device-debug"][..], &["-g"], &["-O0", "--device-debug"]] {
        assert_eq!(options(debug), " -arch=sm_90a -O0 -lineinfo", "{debug:?}");
    }
}

#[test]
fn an_architecture_stands_for_the_one_with_all_its_features() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    for (name, wanted) in [
        ("sm_80", "sm_80"),
        ("sm_86", "sm_86"),
        ("sm_87", "sm_87"),
        ("sm_88", "sm_88"),
        ("sm_89", "sm_89"),
        ("sm_90", "sm_90a"),
        ("sm_100", "sm_100a"),
        ("sm_103", "sm_103a"),
        ("sm_107", "sm_107a"),
        ("sm_110", "sm_110a"),
        ("sm_120", "sm_120a"),
        ("sm_121", "sm_121a"),
    ] {
        let cubin = place.cubin(&["in.bc", "-o", "out", "--gpu-name", name]);
        let text = String::from_utf8_lossy(&cubin).into_owned();
        assert!(text.contains(&format!("-arch={wanted} ")), "{name}: {text}");
        assert!(text.contains(&format!(".target {wanted}\n")), "{name}: {text}");
    }
}

#[test]
fn what_cannot_be_followed_exits_with_1_and_the_known_words() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let complete = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];
    for (more, words) in [
        (
            &["--gpu-name", "sm_75"][..],
            "tileiras: for the --gpu-name option: Cannot find option named 'sm_75'!\n",
        ),
        (
            &["--gpu-name", "sm_90a"],
            "tileiras: for the --gpu-name option: Cannot find option named 'sm_90a'!\n",
        ),
        (
            &["--frobnicate"],
            "tileiras: Unknown command line argument '--frobnicate'.  Try: 'tileiras --help'\n",
        ),
        (
            &["--opt-level"],
            "tileiras: for the --opt-level option: requires a value!\n",
        ),
        (
            &["-O4"],
            "error: invalid optimization level: 4, expected 0 to 3 [E0801]\n",
        ),
        (
            &["other.bc"],
            "tileiras: Too many positional arguments specified!\n",
        ),
    ] {
        let (code, err) = place.failure(&[&complete[..], more].concat());
        assert_eq!(code, 1, "{more:?}");
        assert!(err.starts_with(words), "{more:?}: {err}");
    }
    for (args, words) in [
        (&[][..], "error: no input file provided [E0801]\n"),
        (
            &["in.bc", "--gpu-name", "sm_90"],
            "error: no output file provided: name one with -o [E0801]\n",
        ),
        (
            &["in.bc", "-o", "out"],
            "error: no GPU architecture provided: name one of sm_80, sm_86, ",
        ),
        (
            &["none.bc", "-o", "out", "--gpu-name", "sm_90"],
            "error: none.bc: No such file or directory (os error 2) [E0803]\n",
        ),
        // Standard input is no input.
        (
            &["-", "-o", "out", "--gpu-name", "sm_90"],
            "error: -: No such file or directory (os error 2) [E0803]\n",
        ),
    ] {
        let (code, err) = place.failure(args);
        assert_eq!(code, 1, "{args:?}");
        assert!(err.starts_with(words), "{args:?}: {err}");
    }
}

#[test]
fn the_version_has_the_release_first_and_tells_builds_apart() {
    let place = Place::without_ptxas();
    let (code, text, err) = place.run(&["--version"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<_> = text.lines().collect();
    let [first, release, build] = lines.as_slice() else {
        panic!("three lines: {text}");
    };
    assert!(first.starts_with("tileiras: ") && !first.contains('.'), "{first}");
    assert_eq!(*release, "Cuda compilation tools, release 13.4, V13.4.0");
    let build = build.strip_prefix("Build tilewright-").expect("the build");
    let (version, hash) = build.split_once('-').expect("a hash");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(
        hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()),
        "{hash}"
    );
    // Whatever else is asked for.
    assert_eq!(
        place.run(&["--frobnicate", "--version", "none.bc"]),
        (0, text, String::new())
    );
    let start = Instant::now();
    for _ in 0..5 {
        let _ = place.run(&["--version"]);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn the_help_lists_the_gpus_below_their_option() {
    let (code, text, err) = Place::without_ptxas().run(&["--help"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        text.contains("USAGE: tileiras [options] <tile bytecode file>\n"),
        "{text}"
    );
    // As clients read it.
    let mut lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| !line.starts_with("--gpu-name"));
    assert!(lines.next().is_some());
    let names: Vec<_> = lines
        .map_while(|line| line.strip_prefix('=')?.split_whitespace().next())
        .collect();
    assert_eq!(
        names,
        [
            "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107", "sm_110",
            "sm_120", "sm_121"
        ]
    );
}

#[test]
fn the_ir_after_each_pass_goes_to_standard_error() {
    let place = Place::new();
    place.example("vector_add", "13.3");
    let args = [
        "--mlir-print-ir-after-all",
        "in.bc",
        "-o",
        "/dev/null",
        "--gpu-name=sm_90",
    ];
    let (code, out, err) = place.run(&args);
    assert_eq!((code, out.as_str()), (0, ""));
    let passes = [
        "canonicalize (cuda_tile -> cuda_tile)",
        "assign_layouts (tileaa -> tileas)",
        "emit_ptx (nvvm -> ptx)",
    ];
    let at = passes.map(|pass| err.find(&format!("// -----// IR Dump After {pass} //----- //\n")));
    assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{at:?}");
}
