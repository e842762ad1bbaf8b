//! Programs that are refused, and the lines that clients parse.

use super::place::Place;

/// A kernel whose first op is in a function that was inlined, on a type that old GPUs lack.
const INLINED: &str = r#"cuda_tile.module @k {
  entry @f(%p: tile<ptr<f8E4M3FN>>) {
    %0 = reshape %p : tile<ptr<f8E4M3FN>> -> tile<1xptr<f8E4M3FN>> loc(#call)
    return loc(#outer)
  } loc(#entry)
}
#file = #cuda_tile.di_file<"kernel.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 6, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 6>
#g = #cuda_tile.di_subprogram<file = #file, line = 2, name = "g", linkageName = "g", compileUnit = #unit, scopeLine = 2>
#at = loc("/src/kernel.py":3:8)
#from = loc("/src/kernel.py":7:4)
#begin = loc("/src/kernel.py":6:0)
#inner = #cuda_tile.di_loc<#at in #g>
#outer = #cuda_tile.di_loc<#from in #f>
#entry = #cuda_tile.di_loc<#begin in #f>
#call = loc(callsite(#inner at #outer))
"#;

const ARGS: [&str; 5] = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];

#[test]
fn what_is_no_bytecode_is_refused_with_the_known_words() {
    let place = Place::new();
    let example = place.example("vector_add", "13.3");
    let text = b"cuda_tile.module @k {\n}\n";
    let magic = [b"ELF!", &example[4..]].concat();
    for bytes in [&b""[..], b"\0", text, &magic] {
        place.write("in.bc", bytes);
        let (code, err) = place.failure(&ARGS);
        assert_eq!(code, 3, "{err}");
        assert!(
            err.starts_with("error: input does not correspond to Tile IR bytecode [E0101]\n"),
            "{err}"
        );
    }
}

#[test]
fn a_file_that_ends_early_is_refused() {
    let place = Place::new();
    let example = place.example("vector_add", "13.3");
    for length in [12, 13, 100, 200, 400, example.len() - 1] {
        place.write("in.bc", &example[..length]);
        let (code, err) = place.failure(&ARGS);
        assert_eq!(code, 3, "{length}: {err}");
        assert!(err.starts_with("error: "), "{length}: {err}");
    }
}

#[test]
fn a_wrong_bit_is_refused_or_does_not_matter() {
    let place = Place::new();
    let example = place.example("vector_add", "13.3");
    for at in (0..example.len()).step_by(7) {
        let mut bytes = example.clone();
        bytes[at] ^= 1 << (at % 8);
        place.write("in.bc", &bytes);
        place.write("out", b"");
        let (code, out, err) = place.run(&ARGS);
        assert_eq!(out, "", "byte {at}");
        assert!(matches!(code, 0 | 3 | 5), "byte {at}: {code}: {err}");
        assert!(code != 5 || !err.contains("E09"), "byte {at}: a bug: {err}");
        assert_eq!(code == 0, place.read("out").starts_with(b"\x7fELF"), "byte {at}");
        assert_eq!(code != 0, err.contains("error: "), "byte {at}: {err}");
    }
}

#[test]
fn the_verifier_s_errors_have_the_user_s_line() {
    let place = Place::new();
    let mut bytes = place.example("vector_add", "13.3");
    // The dimension that a partition view is of.
    bytes[599] ^= 2;
    place.write("in.bc", &bytes);
    let (code, err) = place.failure(&ARGS);
    assert_eq!(code, 3, "{err}");
    assert!(err.starts_with("loc(\"vector_add.py\":9:9): error: "), "{err}");
}

#[test]
fn what_a_gpu_lacks_has_the_user_s_line_and_the_calls_that_led_there() {
    let place = Place::new();
    place.bytecode("in.bc", "13.3", INLINED);
    let args = ["in.bc", "-o", "out", "--gpu-name", "sm_86"];
    let (code, err) = place.failure(&args);
    assert_eq!(code, 5, "{err}");
    let lines: Vec<_> = err.lines().collect();
    let [error, call, help, last] = lines.as_slice() else {
        panic!("four lines: {err}");
    };
    assert!(error.starts_with("loc(\"/src/kernel.py\":3:8): error: "), "{err}");
    assert!(error.contains("f8E4M3FN") && error.contains("sm_86"), "{err}");
    assert_eq!(*call, "loc(\"/src/kernel.py\":7:4): note: called from here");
    assert!(
        help.starts_with("help: ") && help.contains("`--gpu-name sm_89`"),
        "{err}"
    );
    assert_eq!(*last, "error: failed to compile Tile IR program");
}

#[test]
fn ptxas_s_words_on_shared_memory_reach_autotuners() {
    let said = "ptxas error   : Entry function 'k' uses too much shared data (0x493e0 bytes, 0x38c00 max)";
    let place = Place::with_script(&format!("#!/bin/sh\necho \"{said}\" >&2\nexit 255\n"));
    place.example("vector_add", "13.3");
    let (code, err) = place.failure(&ARGS);
    assert_eq!(code, 5);
    let wanted = "error: Entry function 'k' uses too much shared data (0x493e0 bytes, 0x38c00 max) [E0702]\n";
    assert!(err.starts_with(wanted), "{err}");
    assert!(err.contains(said), "{err}");
}
