//! `tileirdisasm`.

use std::fs;

use super::place::{EMPTY, Ended, Place, ended, repository};

fn run(place: &Place, args: &[&str]) -> Ended {
    ended(place.command("tileirdisasm", args).output().expect("it runs"))
}

#[test]
fn it_prints_what_nvidia_s_program_prints() {
    let place = Place::without_ptxas();
    for version in ["13.1", "13.5"] {
        place.example("loop_control", version);
        for (flags, end) in [
            (&[][..], "mlir"),
            (&["-g"], "debug.mlir"),
            (&["--print-debug-info"], "debug.mlir"),
        ] {
            let wanted = repository().join(format!("tests/data/disasm/loop_control.{version}.{end}"));
            let wanted = fs::read_to_string(wanted).expect("the expectation");
            let args = [flags, &["in.bc"]].concat();
            assert_eq!(
                run(&place, &args),
                (0, wanted, String::new()),
                "{version} {flags:?}"
            );
        }
    }
}

#[test]
fn its_version_is_the_compiler_s() {
    let place = Place::without_ptxas();
    let (code, text, err) = run(&place, &["--version"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, compiler, _) = place.run(&["--version"]);
    let after_the_name = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(after_the_name(&text), after_the_name(&compiler));
    assert!(text.starts_with("tileirdisasm: "), "{text}");
}

#[test]
fn its_errors_are_the_compiler_s() {
    let place = Place::without_ptxas();
    place.bytecode("in.bc", "13.5", EMPTY);
    let bytes = place.read("in.bc");
    for (name, bytes, wanted, words) in [
        (
            "text.bc",
            &b"hello"[..],
            3,
            "error: input does not correspond to Tile IR bytecode",
        ),
        ("short.bc", &bytes[..bytes.len() - 3], 3, "error: "),
    ] {
        place.write(name, bytes);
        let (code, out, err) = run(&place, &[name]);
        assert_eq!((code, out.as_str()), (wanted, ""), "{name}");
        assert!(err.starts_with(words), "{err}");
    }
    for (args, words) in [
        (&[][..], "error: no input file provided"),
        (&["none.bc"], "error: none.bc: No such file"),
        (
            &["--loud", "in.bc"],
            "tileirdisasm: Unknown command line argument '--loud'.",
        ),
    ] {
        let (code, out, err) = run(&place, args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}");
        assert!(err.starts_with(words), "{err}");
    }
}
