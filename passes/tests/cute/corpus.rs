//! Every kernel of sm_80 that CUTLASS's library for Python has printed, in a folder that `TILEWRIGHT_CUTE_CORPUS` names, goes
//! through every pass, and what comes out is text again. Without the folder the tests pass and check nothing. What comes out
//! is written to the folder that `TILEWRIGHT_CUTE_EXPANDED` names, for `accepted.py`.

use std::path::PathBuf;

use tilewright_irs::core::Func;
use tilewright_irs::mlir::Mlir;
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_passes::cute::{
    drop_static_arguments, expand_comparisons, expand_copies, expand_fragments, expand_prints,
    expand_products, expand_vectors, place_shared_memory,
};

use super::{Pass, alone, read};

/// The passes, in order.
const PASSES: [(&str, Pass); 8] = [
    ("drop_static_arguments", drop_static_arguments),
    ("place_shared_memory", place_shared_memory),
    ("expand_fragments", expand_fragments),
    ("expand_copies", expand_copies),
    ("expand_products", expand_products),
    ("expand_vectors", expand_vectors),
    ("expand_prints", expand_prints),
    ("expand_comparisons", expand_comparisons),
];

/// Ops that none of the passes leaves.
const GONE: [&str; 6] = [
    "cute.copy(",
    "cute.gemm(",
    "cute.memref.load_vec(",
    "cute.memref.store_vec(",
    "make_fragment ",
    "smem.partition_id",
];

fn expanded(name: &str, kernel: &Func<Mlir>) -> String {
    let mut kernel = kernel.clone();
    for (pass, run) in PASSES {
        kernel = run(&kernel).unwrap_or_else(|problems| panic!("{name}: {pass}: {problems:#?}"));
    }
    let text = print_module(&alone(kernel), Form::Custom);
    assert_eq!(print_module(&read(&text), Form::Custom), text, "{name}");
    for gone in GONE {
        assert!(!text.contains(gone), "{name} has `{gone}`");
    }
    text
}

#[test]
fn kernels_of_ampere_are_expanded() {
    let Some(folder) = std::env::var_os("TILEWRIGHT_CUTE_CORPUS").map(PathBuf::from) else {
        return;
    };
    let out = std::env::var_os("TILEWRIGHT_CUTE_EXPANDED").map(PathBuf::from);
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of the corpus") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if !name.starts_with("ampere_") || !name.ends_with(".mlir") {
            continue;
        }
        let module = read(&std::fs::read_to_string(&path).expect("a text"));
        for kernel in module.kernels() {
            let text = expanded(&name, kernel);
            if let Some(out) = &out {
                std::fs::write(out.join(&name), text).expect("a folder to write to");
            }
            seen += 1;
        }
    }
    assert!(seen > 0, "the corpus has kernels of sm_80");
}
