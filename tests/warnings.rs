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
