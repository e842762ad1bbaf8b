//! Kernels print the same text in the reference evaluator and compiled in the simulator.

use std::path::Path;
use std::process::Command;

/// What a kernel of the file prints, and whether it ends well.
fn run(kernel: &str, device: &str, more: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args([
            "run",
            "tests/data/prints.mlir",
            "--grid",
            "1",
            "--kernel",
            kernel,
            "--on",
            device,
        ])
        .args(more)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Compares the text, at several levels and for several targets, and returns it.
fn printed(kernel: &str) -> String {
    printed_as(
        kernel,
        &[&[], &["-O0"], &["--target", "sm_80"], &["--target", "sm_120a"]],
    )
}

/// Compares the text, compiled with each of these lists of options, and returns it.
fn printed_as(kernel: &str, options: &[&[&str]]) -> String {
    let (ended, want, said) = run(kernel, "reference", &[]);
    assert!(ended, "{kernel}: {said}");
    for more in options {
        let (ended, text, said) = run(kernel, "cpu", more);
        assert!(ended, "{kernel} {more:?}: {said}");
        assert_eq!(text, want, "{kernel} {more:?}");
    }
    want
}

#[test]
fn elements_of_every_type_are_printed() {
    let text = printed("every_type");
    assert!(
        text.starts_with("i1 [1, 1, 1, 0, 0, 0, 0, 0], i8 [-3, -2, -1, 0, 1, 2, 3, 4] [253, "),
        "{text}"
    );
    assert!(text.ends_with("no value and no line end"), "{text}");
}

#[test]
fn tiles_are_nested_lists() {
    let text = printed("shapes");
    assert!(
        text.starts_with("[[[0, 1]], [[2, 3]]] and [[7]] and -9\nrow -9, square [[0, 1, "),
        "{text}"
    );
    assert!(
        text.contains("deep [[[[[[0, 1], [2, 3]], [[4, 5], [6, 7]]], [[[8, 9], "),
        "{text}"
    );
}

#[test]
fn tiles_larger_than_shared_memory_are_printed_in_slices() {
    let text = printed_as("larger_than_shared_memory", &[&[]]);
    assert!(text.contains("[1fff, 5fff]"));
}

#[test]
fn prints_in_loops_and_branches_are_in_order() {
    assert_eq!(
        printed("in_loops"),
        "0: [0, 1, 2, 3]\nthe first\n1: [1, 2, 3, 4]\n2: [2, 3, 4, 5]\n"
    );
}

#[test]
fn globals_have_their_initial_values_and_can_be_written() {
    assert_eq!(
        printed("globals"),
        "[-3, 5, 700, -32768, 1, 2, 3, 4], doubled [-6, 10, 1400, 0, 2, 4, 6, 8], 1.000000\n"
    );
}

#[test]
fn a_failed_assertion_prints_one_line_and_stops_the_kernel() {
    let place = "an assertion does not hold at element [24, 9]: 100% too large";
    let whole = "an assertion does not hold: too large";
    for (kernel, more, line) in [
        ("fails_at_an_element", &[][..], place),
        ("fails_as_a_whole", &["--arg", "4"], whole),
    ] {
        let (ended, text, said) = run(kernel, "reference", more);
        assert!(!ended && said.contains(line), "{text}{said}");
        let (ended, text, said) = run(kernel, "cpu", more);
        assert!(!ended && said.contains("the kernel trapped"), "{said}");
        assert_eq!(text, format!("{line}\n"));
    }
}

#[test]
fn an_assertion_that_holds_prints_nothing() {
    for device in ["reference", "cpu"] {
        let (ended, text, said) = run("fails_as_a_whole", device, &["--arg", "3"]);
        assert!(ended, "{said}");
        assert_eq!(text, "3 is small\n");
    }
}
