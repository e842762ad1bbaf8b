//! The compiler as a library: what `tilewright::compile` makes and says, from one thread or from many.

use std::thread;

use tilewright::library::{Artifact, CompileOptions, CompileResult, Emit, KernelLaunch, Severity, compile};
use tilewright::targets::SUPPORTED;
use tilewright_tests::{corpus, repository};

const FAULTY: &str =
    "cuda_tile.module @m {\n  entry @k() {\n    %a = constant <f32: 1.0> : tile<i32>\n    return\n  }\n}\n";

/// The examples of the newest bytecode version.
fn examples() -> Vec<(String, Vec<u8>)> {
    let all = corpus()
        .into_iter()
        .map(|(path, bytes)| (path.display().to_string(), bytes));
    all.filter(|(name, _)| name.ends_with(".13.5.tileirbc")).collect()
}

/// The work of a thread: programs and options that differ from thread to thread.
fn work(number: usize, examples: &[(String, Vec<u8>)]) -> Vec<CompileResult> {
    let mut results = Vec::new();
    for round in 0..6 {
        let at = number + 5 * round;
        let (name, program) = &examples[at % examples.len()];
        let mut options = CompileOptions {
            name: name.clone(),
            target: Some(SUPPORTED[at % SUPPORTED.len()].to_string()),
            opt_level: [3, 0, 2, 1][at % 4],
            lineinfo: at.is_multiple_of(3),
            fmad: at.is_multiple_of(5),
            ..CompileOptions::default()
        };
        options
            .set("hint", ["occupancy=2", "num_worker_warps_per_cta=8"][at % 2])
            .expect("a hint");
        results.push(compile(program, &options));
        options.name = format!("faulty {number}");
        results.push(compile(FAULTY.as_bytes(), &options));
    }
    results
}

#[test]
fn sixteen_threads_with_different_programs_and_options_do_not_disturb_each_other() {
    let examples = examples();
    let wanted: Vec<_> = (0..16).map(|number| work(number, &examples)).collect();
    let made: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|number| {
                scope.spawn({
                    let examples = &examples;
                    move || work(number, examples)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    for (number, (made, wanted)) in made.iter().zip(&wanted).enumerate() {
        assert_eq!(made, wanted, "thread {number}");
        assert!(
            made.iter().step_by(2).all(|result| result.artifact.is_some()),
            "{made:#?}"
        );
        let name = format!("faulty {number}");
        for result in made.iter().skip(1).step_by(2) {
            let error = &result.diagnostics[0];
            assert_eq!(
                (error.file.as_deref(), error.line),
                (Some(name.as_str()), Some(3)),
                "{error:?}"
            );
        }
    }
}

#[test]
fn options_change_what_is_made() {
    let examples = examples();
    let (_, program) = examples
        .iter()
        .find(|(name, _)| name.contains("vector_add."))
        .expect("an example");
    let made = |set: &[(&str, &str)]| {
        let mut options = CompileOptions::default();
        for (name, value) in set {
            options.set(name, value).expect("an option");
        }
        match compile(program, &options).artifact {
            Some(Artifact::Ptx(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    let plain = made(&[]);
    assert!(plain.contains(".target sm_90a") && !plain.contains(".loc"));
    assert!(made(&[("target", "sm_80")]).contains(".target sm_80"));
    assert!(made(&[("lineinfo", "true")]).contains(".loc"));
    assert!(made(&[("hint", "num_worker_warps_per_cta=8")]).contains(".reqntid 256, 1, 1"));
    assert!(made(&[("hint", "occupancy=3")]).contains(".maxnreg "));
    assert_ne!(made(&[("opt_level", "0")]), plain);
    assert_eq!(made(&[("verify_each", "true"), ("emit", "ptx")]), plain);
}

#[test]
fn every_mistake_is_a_diagnostic_with_a_code() {
    let mut options = CompileOptions::default();
    for (name, value, wanted) in [
        (
            "color",
            "red",
            "there is no option 'color', expected one of name, emit, ",
        ),
        ("emit", "elf", "option emit = elf: expected ptx or cubin"),
        (
            "opt_level",
            "4",
            "there is no optimisation level 4, expected 0 to 3",
        ),
        ("opt_level", "x", "option opt_level = x: expected 0 to 3"),
        ("fmad", "on", "option fmad = on: expected true or false"),
        (
            "fast_math",
            "nan",
            "option fast_math: there is no flag 'nan', expected all, ",
        ),
        (
            "fast_math",
            "afn,afn",
            "option fast_math: 'afn' stands there twice",
        ),
        (
            "hint",
            "occupancy",
            "option hint = occupancy: expected NAME=VALUE",
        ),
        (
            "hint",
            "warps=4",
            "there is no hint 'warps', expected one of num_cta_in_cga, ",
        ),
        (
            "hint",
            "latency=11",
            "hint latency = 11: expected an integer value from 1 to 10",
        ),
        (
            "target",
            "sm_75",
            "there is no target 'sm_75', expected one of sm_80, ",
        ),
        ("preview", "tea", ""),
    ] {
        let problem = options.clone().set(name, value).expect_err(name);
        assert_eq!(problem.severity, Severity::Error);
        assert!(
            problem.code.starts_with("E0") && problem.message.starts_with(wanted),
            "{problem:?}"
        );
    }
    let said = |program: &[u8], options: &CompileOptions| {
        let CompileResult {
            artifact,
            diagnostics,
            ..
        } = compile(program, options);
        assert_eq!(artifact, None);
        let first = diagnostics
            .into_iter()
            .find(|one| one.severity == Severity::Error);
        first.expect("an error")
    };
    // A field may be set to anything.
    options.opt_level = 9;
    assert_eq!(said(b"", &options).code, "E0801");
    options.opt_level = 3;
    let bytes = examples()[0].1.clone();
    let error = said(&bytes[..bytes.len() / 2], &options);
    assert_eq!(
        (error.file.as_deref(), error.line),
        (Some("<program>"), None),
        "{error:?}"
    );
    assert_eq!(said(b"", &options).file.as_deref(), Some("<program>"));
    // Four blocks in a cluster, where there are no clusters.
    options.set("target", "sm_80").expect("a target");
    options.set("hint", "num_cta_in_cga=4").expect("a hint");
    let error = said(&bytes, &options);
    assert!(
        error.code == "E0801" && error.message.starts_with("hint num_cta_in_cga = 4 for sm_80"),
        "{error:?}"
    );
    let text = "tileaa.func @f() {target = sm_90a} body {\n  scf.return\n}\n";
    options.target = None;
    let error = said(text.as_bytes(), &options);
    assert!(error.message.contains("the file is in `tileaa`"), "{error:?}");
    let options = CompileOptions {
        emit: Emit::Cubin,
        ptxas: Some("/no/such/ptxas".into()),
        ..CompileOptions::default()
    };
    assert_eq!(said(&bytes, &options).code, "E0707");
}

#[test]
fn a_result_says_how_its_kernels_are_launched() {
    let kernels = |text: &str| {
        let result = compile(text.as_bytes(), &CompileOptions::default());
        assert!(result.artifact.is_some(), "{:?}", result.diagnostics);
        result.kernels
    };
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).expect("a program");
    let plain = KernelLaunch {
        name: "product".to_owned(),
        threads: Some([384, 1, 1]),
        cluster: Some([2, 1, 1]),
        needs_large_clusters: false,
        leaves_cluster_to_launch: false,
        grid_counts_clusters: true,
        shared_bytes: 196_928,
        has_dynamic_shared: false,
    };
    assert_eq!(
        kernels(&read("examples/scheduled/product_multicast.scheduled")),
        std::slice::from_ref(&plain)
    );
    let ranks = KernelLaunch {
        name: "ranks".to_owned(),
        threads: Some([32, 1, 1]),
        cluster: None,
        leaves_cluster_to_launch: true,
        grid_counts_clusters: false,
        shared_bytes: 0,
        has_dynamic_shared: true,
        ..plain
    };
    let text = read("tests/data/launch/ranks.ptx");
    assert_eq!(kernels(&text), std::slice::from_ref(&ranks));
    let counted = text
        .replace(
            ".explicitcluster",
            ".reqnctapercluster 16, 1, 1\n.blocksareclusters",
        )
        .replace(".version 8.0", ".version 9.0");
    let counted = kernels(&counted);
    let large = KernelLaunch {
        cluster: Some([16, 1, 1]),
        needs_large_clusters: true,
        leaves_cluster_to_launch: false,
        grid_counts_clusters: true,
        ..ranks
    };
    assert_eq!(counted, [large]);
    // Nothing was made.
    let result = compile(b"cuda_tile.module @m {\n  entry\n}\n", &CompileOptions::default());
    assert_eq!(result.kernels, []);
}
