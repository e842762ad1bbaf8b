//! Warnings: reported once, at the right position.

use std::path::Path;
use std::process::Command;

fn run(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("the binary runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code().expect("no signal"), said)
}

const FILE: &str = "tests/data/warnings.mlir";

const WARNINGS: [&str; 3] = [
    "2:77: warning[E0602]: the hint `sm_90.occupancy` is 99, and ignored: it must be an integer value from 1 to 32",
    "2:82: warning[E0601]: unknown architecture `sm_95` as the key of a hint, which is ignored",
    "5:21: warning[E0316]: 'cuda_tile.extract' op index 0 is 2, but `tile<4xf32>` has 2 parts of `tile<2xf32>`",
];

#[test]
fn check_and_compile_warn_alike() {
    let output = std::env::temp_dir().join(format!("tilewright-warnings-{}", std::process::id()));
    let output = output.to_str().expect("UTF-8");
    for args in [
        &["check", FILE][..],
        &["compile", FILE, "--emit", "bytecode", "-o", output],
        &["compile", FILE, "--emit", "cuda_tile", "-o", output],
        &["compile", FILE, "--emit", "tileaa", "-o", output],
    ] {
        let (code, said) = run(args);
        assert_eq!(code, 0, "{args:?}: {said}");
        for warning in WARNINGS {
            assert_eq!(said.matches(warning).count(), 1, "{args:?} {warning}: {said}");
        }
        assert_eq!(
            said.matches("warning[").count(),
            WARNINGS.len(),
            "{args:?}: {said}"
        );
    }
    let _ = std::fs::remove_file(output);
}

#[test]
fn check_takes_the_name_of_any_gpu() {
    for target in ["sm_107", "sm_121", "sm_90a"] {
        let (code, said) = run(&["check", FILE, "--target", target]);
        assert_eq!(code, 0, "{target}: {said}");
    }
    let (code, said) = run(&["check", FILE, "--target", "sm_95"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("there is no target 'sm_95'") && said.contains("sm_107a, "),
        "{said}"
    );
}

const PRODUCT: &str = "examples/bytecode/product.13.5.tileirbc";

/// What is said of the example with a hint, in lines.
fn said_of(hint: &str, target: &str, more: &[&str]) -> (i32, Vec<String>) {
    let args = ["compile", PRODUCT, "--hint", hint, "--target", target];
    let (code, said) = run(&[&args[..], &["-o", "/dev/null"], more].concat());
    (code, said.lines().map(str::to_owned).collect())
}

#[test]
fn hints_that_cannot_be_followed_are_named_once_with_what_is_used() {
    for (hint, target, used) in [
        (
            "num_worker_warps_per_cta=16",
            "sm_90a",
            "8 is used: products by `wgmma` are computed by 4 to 8 warps",
        ),
        (
            "num_worker_warps_per_cta=1",
            "sm_90a",
            "4 is used: products by `wgmma`",
        ),
        // Several passes lower it.
        (
            "occupancy=16",
            "sm_90a",
            "2 is used: the shared memory and the registers of a multiprocessor have room for 2 blocks",
        ),
        (
            "occupancy=16",
            "sm_80",
            "2 is used: the shared memory and the registers of a multiprocessor have room for 2 blocks",
        ),
        (
            "latency=10",
            "sm_90a",
            "5 is used: it asks for 11 stages of the loop's buffers, of which there are 6",
        ),
        (
            "latency=10",
            "sm_80",
            "1 is used: it asks for 11 stages of the loop's buffers, of which there are 2",
        ),
        ("allow_tma=true", "sm_80", "false is used: `tma` needs sm_90a"),
        ("num_stages=3", "sm_80", "2 is used: as many fit in shared memory"),
    ] {
        let (code, lines) = said_of(hint, target, &[]);
        assert_eq!(code, 0, "{lines:?}");
        let [line] = lines.as_slice() else {
            panic!("{hint} {target}: {lines:?}")
        };
        let name = hint.replace('=', " = ");
        let warning = format!("warning[E0605]: the hint `{name}` cannot be followed, and {used}");
        assert!(
            line.starts_with("product.py:") && line.contains(&warning),
            "{line}"
        );
        let (code, lines) = said_of(hint, target, &["--Werror"]);
        let error = warning.replace("warning[", "error[");
        assert!(code == 3 && lines[0].contains(&error), "{lines:?}");
    }
}

#[test]
fn hints_that_are_followed_are_not_named() {
    for (hint, target) in [
        ("num_worker_warps_per_cta=8", "sm_90a"),
        ("num_worker_warps_per_cta=16", "sm_80"),
        ("num_cta_in_cga=1", "sm_80"),
        ("num_cta_in_cga=4", "sm_90a"),
        ("occupancy=2", "sm_90a"),
        ("latency=4", "sm_90a"),
        ("allow_tma=true", "sm_90a"),
        ("allow_tma=false", "sm_80"),
        ("num_stages=1", "sm_90a"),
        ("num_stages=2", "sm_80"),
        ("num_stages=8", "sm_90a"),
    ] {
        assert_eq!(said_of(hint, target, &[]), (0, Vec::new()), "{hint} {target}");
    }
}

const HINTS: &str = "tests/data/hints.mlir";

const BY_THREADS: &str = "has no effect: threads load the tile to registers";
const NO_LOOP: &str = "has no effect: the access is in no loop";
const NO_COPY: &str = "has no effect: the threads of the kernel access the tile";
const STORED: &str = "has no effect: nothing waits for a store";
const GATHERED: &str =
    "cannot be followed, and false is used: each row of a gather-scatter view has an address of its own";

/// Each hint of the file, and what is said of it with optimisation and without.
const SAID: [(&str, &str, &str); 13] = [
    // Loads and stores of threads.
    ("latency = 9", NO_LOOP, NO_LOOP),
    (
        "allow_tma = true",
        "has no effect: no product reads the tile from shared memory",
        NO_COPY,
    ),
    ("latency = 7", STORED, STORED),
    (
        "allow_tma = true",
        "has no effect: no product of the kernel is by `wgmma`",
        NO_COPY,
    ),
    // Through pointers.
    ("latency = 3", BY_THREADS, BY_THREADS),
    ("latency = 2", STORED, STORED),
    // Through gather-scatter views.
    ("allow_tma = true", GATHERED, GATHERED),
    ("latency = 8", NO_LOOP, NO_LOOP),
    ("latency = 4", STORED, STORED),
    // A load that is merged with an equal one.
    (
        "latency = 6",
        "has no effect: the access is not executed",
        NO_LOOP,
    ),
    // A product.
    (
        "latency = 1",
        "has no effect, and 5 is used: the hints of all copies",
        BY_THREADS,
    ),
    ("latency = 5", "", BY_THREADS),
    (
        "allow_tma = true",
        "has no effect: threads store it as fast",
        NO_COPY,
    ),
];

#[test]
fn no_hint_of_an_access_ends_in_silence() {
    for level in ["-O0", "-O3"] {
        let args = ["compile", HINTS, "--target", "sm_90a", "-o", "/dev/null", level];
        let (code, said) = run(&args);
        assert_eq!(code, 0, "{said}");
        for (hint, optimised, plain) in SAID {
            let wanted = if level == "-O0" { plain } else { optimised };
            let about = match wanted {
                "" => format!("the hint `{hint}`"),
                wanted => format!("the hint `{hint}` {wanted}"),
            };
            assert_eq!(
                wanted.is_empty(),
                !said.contains(&about),
                "{level} {about}: {said}"
            );
        }
        // Notes are no errors.
        let (code, said) = run(&[&args[..], &["--Werror"]].concat());
        assert_eq!((code, said.matches("error[").count()), (3, 1), "{said}");
        assert!(
            said.contains("error[E0605]: the hint `allow_tma = true` cannot be followed"),
            "{said}"
        );
    }
}

#[test]
fn hints_for_all_accesses_are_named_if_no_access_follows_them() {
    let file = "tests/data/no_access.mlir";
    let said_of = |hint: &str| run(&["compile", file, "-o", "/dev/null", "--hint", hint]).1;
    for hint in ["latency = 3", "allow_tma = true"] {
        let said = said_of(&hint.replace(' ', ""));
        let wanted = format!(
            "note[E0605]: the hint `{hint}` has no effect: the kernel has no access that may have it"
        );
        assert!(said.contains(&wanted), "{said}");
    }
    assert_eq!(said_of("num_worker_warps_per_cta=4"), "");
}

#[test]
fn what_stages_below_do_not_have_is_noted_where_it_stands() {
    let file = "tests/data/ignored.mlir";
    let output = std::env::temp_dir().join(format!("tilewright-ignored-{}.ptx", std::process::id()));
    let (code, said) = run(&["compile", file, "--Werror", "-o", output.to_str().expect("UTF-8")]);
    assert_eq!(code, 0, "{said}");
    let lines: Vec<&str> = said.lines().collect();
    let wanted = [
        ":5:32: note[E0601]: the attribute `tt.divisibility` of parameter 0 is ignored: nothing reads it",
        ":6:10: note[E0604]: that the global `@table` is constant is not passed on",
    ];
    assert_eq!(lines.len(), wanted.len(), "{said}");
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.contains(wanted), "{line}");
    }
    // The host finds a public global that no kernel names.
    let text = std::fs::read_to_string(&output).expect("PTX");
    for (name, is_there) in [("table", true), ("unused", true), ("hidden", false)] {
        let variable = format!(".visible .global .align 64 .b8 {name}[8] = {{");
        assert_eq!(text.contains(&variable), is_there, "{name}: {text}");
    }
    let _ = std::fs::remove_file(output);
}

#[test]
fn loops_that_share_nothing_out_are_named() {
    let file = "golden/tileaa.attach_kernel_spec/no_shared_rows.in.tileaa";
    let (code, said) = run(&["pass", "attach_kernel_spec", file]);
    assert_eq!(code, 0, "{said}");
    let wanted = "warning[E0605]: the attribute `persistent = true` cannot be followed, and false is used: the counter of the loop does not begin at the index of a block";
    assert!(said.contains(&format!("10:11: {wanted}")), "{said}");
}

#[test]
fn vectors_that_are_too_wide_are_named() {
    let (code, said) = run(&[
        "pass",
        "select_atoms",
        "golden/tileaa.select_atoms/narrow.in.tileaa",
    ]);
    assert_eq!(code, 0, "{said}");
    let wanted = "9:9: warning[E0605]: the attribute `access = 16` cannot be followed, and 4 is used: facts";
    assert!(said.contains(wanted) && !said.contains("access = 2"), "{said}");
}

#[test]
fn what_serves_the_purpose_of_another_attribute_is_said() {
    let text = "tileaa.func @k(%n: i32) {target = sm_90a} body {\n  \
                %x = tileaa.program_id {axis = 0, tileas.recomputable} : i32\n  scf.return\n}\n";
    let file = std::env::temp_dir().join(format!("tilewright-foreign-{}.tileaa", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let (code, said) = run(&[
        "compile",
        file.to_str().expect("UTF-8"),
        "--error-format",
        "rich",
        "-o",
        "/dev/null",
    ]);
    assert_ne!(code, 0);
    assert!(
        said.contains("E0206") && said.contains("`place_conversions` computes again"),
        "{said}"
    );
    let _ = std::fs::remove_file(file);
}

/// A limit that a hint for the occupancy asks for is not named besides it.
#[test]
fn a_register_limit_that_is_raised_is_named() {
    let file = "golden/nvvm.raise_register_limit/less_shared_memory.in.nvvm";
    let (code, said) = run(&["compile", file, "-o", "/dev/null"]);
    assert_eq!(code, 0, "{said}");
    let wanted = "2:11: note[E0605]: the attribute `nvvm.maxnreg = 32` has no effect, and 128 is used: a block has 40000 bytes";
    assert!(said.contains(wanted), "{said}");
    let (code, said) = run(&[
        "compile",
        "golden/nvvm.raise_register_limit/one_block.in.nvvm",
        "-o",
        "/dev/null",
    ]);
    assert_eq!((code, said.as_str()), (0, ""));
}

#[test]
fn warnings_are_errors_on_request() {
    for option in ["--Werror", "-Werror"] {
        let (code, lines) = said_of("occupancy=16", "sm_90a", &[option]);
        assert_eq!(code, 3, "{lines:?}");
        assert!(
            lines[0].contains("error[E0605]: the hint `occupancy = 16`"),
            "{lines:?}"
        );
        assert_eq!(said_of("occupancy=2", "sm_90a", &[option]), (0, Vec::new()));
        let (code, said) = run(&["check", FILE, option]);
        assert_eq!(code, 3, "{said}");
        assert!(
            said.contains("error[E0602]") && !said.contains("warning["),
            "{said}"
        );
    }
}

#[test]
fn a_pass_alone_names_the_hints_that_it_does_not_follow() {
    let file = "golden/tileaa.distribute_tiles/sum.in.tileaa";
    let (code, said) = run(&["pass", "distribute_tiles", file]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("warning[E0605]: the hint `num_cta_in_cga = 2` cannot be followed, and 1 is used: no tile is stored"),
        "{said}"
    );
}
