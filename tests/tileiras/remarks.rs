//! Remarks: their files, and what is asked for.

use super::place::{EMPTY, Place};

/// The arguments of cuTile Python with its disk cache on.
const ARGS: [&str; 9] = [
    "in.bc",
    "-o",
    "out",
    "--gpu-name",
    "sm_90",
    "-O3",
    "--lineinfo",
    "--remark-format=yaml",
    "--remarks-output-file=remarks.yaml",
];

#[test]
fn remarks_are_documents_that_clients_can_split() {
    let place = Place::new();
    place.example("vector_add", "13.4");
    let _ = place.cubin(&[&ARGS[..], &["--remarks=all"]].concat());
    let text = String::from_utf8(place.read("remarks.yaml")).expect("UTF-8");
    let documents: Vec<_> = text.split_inclusive("...\n").collect();
    assert!(!documents.is_empty());
    assert!(
        documents[0].starts_with("--- !Analysis\nPass:            Schedule\n"),
        "{}",
        documents[0]
    );
    for document in &documents[1..] {
        let lines: Vec<_> = document.lines().collect();
        assert!(lines[0].starts_with("--- !"), "{document}");
        assert_eq!(lines[1], "Pass:            Memory");
        assert!(lines[2].starts_with("Name:            Remark"), "{document}");
        assert!(
            lines[3].starts_with("DebugLoc:        { File: 'vector_add.py', Line: "),
            "{document}"
        );
        assert_eq!(lines[4], "Function:        vector_add");
        assert_eq!(lines[5], "Args:");
        assert_eq!(lines.last(), Some(&"..."));
    }
    // Columns count from 0, as in the debug information.
    assert!(text.contains("Line: 9, Column: 9 }"), "{text}");
    assert!(
        text.contains("  - Remark:      Load instruction selected\n"),
        "{text}"
    );
}

#[test]
fn the_file_is_made_even_if_there_is_nothing_to_say() {
    let place = Place::new();
    place.bytecode("in.bc", "13.4", EMPTY);
    let _ = place.cubin(&[&ARGS[..], &["--remarks=all"]].concat());
    assert_eq!(place.read("remarks.yaml"), b"");
    place.example("vector_add", "13.4");
    let _ = place.cubin(&[&ARGS[..], &["--remarks=tensorcore"]].concat());
    assert_eq!(place.read("remarks.yaml"), b"");
}

#[test]
fn remarks_are_chosen_by_kind_and_category() {
    let place = Place::new();
    place.example("vector_add", "13.4");
    let count = |ask: &[&str]| {
        let _ = place.cubin(&[&ARGS[..], ask].concat());
        String::from_utf8(place.read("remarks.yaml"))
            .expect("UTF-8")
            .matches("---")
            .count()
    };
    let all = count(&["--remarks=all"]);
    assert_eq!(count(&["--remarks=memory"]), all - 1);
    assert_eq!(count(&["--remarks-passed=memory"]), all - 1);
    assert_eq!(count(&["--remarks-analysis=schedule"]), 1);
    assert_eq!(count(&["--remarks-analysis=memory"]), 0);
    assert_eq!(count(&["--remarks-missed=all"]), 0);
}

#[test]
fn the_limiter_and_the_predicted_time_are_remarked() {
    let place = Place::new();
    place.example("product", "13.5");
    let _ = place.cubin(&[&ARGS[..], &["--remarks-analysis=all"]].concat());
    let text = String::from_utf8(place.read("remarks.yaml")).expect("UTF-8");
    for line in ["--- !Analysis", "Name:            RemarkSchedulePrediction"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    for name in ["Limiter:", "Time:", "Blocks:", "Registers:"] {
        assert_eq!(text.matches(name).count(), 1, "{text}");
    }
}

#[test]
fn nothing_is_written_unless_it_is_asked_for() {
    let place = Place::new();
    place.example("vector_add", "13.4");
    for ask in [&[][..], &["--remarks=none"]] {
        let _ = place.cubin(&[&ARGS[..], ask].concat());
        assert!(!place.path("remarks.yaml").exists(), "{ask:?}");
    }
    let (code, out, err) = place.run(&["in.bc", "-o", "out", "--gpu-name=sm_90", "--remarks=memory"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("in function: vector_add:\n\n  category: Memory\n    remark[passed]: "),
        "{out}"
    );
}

#[test]
fn hints_without_effect_are_remarks_and_nothing_else() {
    let place = Place::new();
    let view = "partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>";
    let text = format!(
        "cuda_tile.module @k {{\n  entry @k(%a: tile<ptr<f32>>) {{\n    %i = constant <i32: 0> : tile<i32>\n    \
         %v = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>\n    \
         %p = make_partition_view %v : {view}\n    \
         %t, %u = load_view_tko weak %p[%i] optimization_hints = <sm_90 = {{latency = 9}}> : {view}, tile<i32> -> tile<128xf32>, token\n    \
         %w = store_view_tko weak %t, %p[%i] token = %u optimization_hints = <sm_90 = {{latency = 7}}> : tile<128xf32>, {view}, tile<i32> -> token\n    \
         return\n  }}\n}}\n"
    );
    place.bytecode("in.bc", "13.4", &text);
    let (code, out, err) = place.run(&[&ARGS[..], &["--remarks=memory", "-Werror"]].concat());
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
    let text = String::from_utf8(place.read("remarks.yaml")).expect("UTF-8");
    for (hint, why) in [
        ("latency = 9", "the access is in no loop"),
        ("latency = 7", "nothing waits for a store"),
    ] {
        let wanted = format!("The hint `{hint}` has no effect: {why}");
        assert_eq!(text.matches(&wanted).count(), 1, "{text}");
    }
    assert!(
        text.contains("--- !Missed\nPass:            Memory\nName:            RemarkHintNotFollowed\n"),
        "{text}"
    );
}

#[test]
fn a_cluster_that_is_not_made_is_remarked() {
    let place = Place::new();
    let text = "cuda_tile.module @k {\n  entry @k(%n: tile<i32>) optimization_hints=<sm_90 = {num_cta_in_cga = 2}> {\n    return\n  }\n}\n";
    place.bytecode("in.bc", "13.4", text);
    let (code, _, err) = place.run(&[&ARGS[..], &["--remarks=schedule"]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("warning: the hint `num_cta_in_cga = 2` cannot be followed"),
        "{err}"
    );
    let (code, err) = place.failure(&[&ARGS[..], &["-Werror"]].concat());
    assert_eq!(code, 5);
    assert!(
        err.contains("error: the hint `num_cta_in_cga = 2` cannot be followed"),
        "{err}"
    );
    assert!(
        err.ends_with("error: failed to compile Tile IR program\n"),
        "{err}"
    );
    let text = String::from_utf8(place.read("remarks.yaml")).expect("UTF-8");
    assert!(
        text.contains("--- !Missed\nPass:            Schedule\n"),
        "{text}"
    );
    assert!(text.contains("num_cta_in_cga = 2 is ignored"), "{text}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.example("vector_add", "13.4");
    let to = "--remarks-output-file=no/remarks.yaml";
    let (code, err) = place.failure(&[&ARGS[..], &["--remarks=all", to]].concat());
    assert_eq!(code, 1);
    assert!(
        err.starts_with("error: no/remarks.yaml: No such file or directory (os error 2) [E0804]\n"),
        "{err}"
    );
}

#[test]
fn remarks_on_loads_name_their_routes() {
    let place = Place::new();
    place.example("product", "13.5");
    let args = ARGS.map(|arg| if arg == "sm_90" { "sm_80" } else { arg });
    let _ = place.cubin(&[&args[..], &["--remarks=memory"]].concat());
    let text = String::from_utf8(place.read("remarks.yaml")).expect("UTF-8");
    let routes = text.lines().filter(|line| line.contains("Route:"));
    let routes: Vec<_> = routes.filter_map(|line| line.split('\'').nth(1)).collect();
    assert_eq!(routes, ["cp_async<16>", "cp_async<16>"], "{text}");
}
