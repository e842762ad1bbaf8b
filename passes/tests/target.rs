//! The golden kernels of `llvm_like` compile to PTX for every target, and ptxas accepts it.
//!
//! If `TILEWRIGHT_PTXAS` is the path of ptxas, every PTX is assembled for each architecture with its own code.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, verify};
use tilewright_irs::isa::Features;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::ptx::{self, Target};
use tilewright_passes::llvm;
use tilewright_passes::llvm_to_nvvm::{rename_kernel_marker, select_instructions};
use tilewright_passes::nvvm_to_ptx::emit_ptx;

const TARGETS: [Target; 4] = [
    Target::sm(80),
    Target::sm_a(90),
    Target::sm_a(100),
    Target::sm_a(120),
];

fn inputs(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden")
        .join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of golden texts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn parsed<L: Language>(path: &Path, text: &str) -> Module<L> {
    let parsed = parse_stage::<L>(text, FileId(0));
    assert!(
        parsed.diagnostics.is_empty(),
        "{}: {:#?}",
        path.display(),
        parsed.diagnostics
    );
    for func in &parsed.module.funcs {
        verify(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
    }
    parsed.module
}

/// Runs ptxas on a text; returns its error, if any.
fn assemble(ptxas: &std::ffi::OsStr, module: &ptx::Module, name: &str) -> Result<(), String> {
    // Several tests assemble at once, also kernels of one name.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let text = std::env::temp_dir().join(format!("tilewright-{unique}-{name}.ptx"));
    std::fs::write(&text, module.to_string()).expect("a temporary file");
    let output = Command::new(ptxas)
        .env_remove("CUDA_HOME")
        .arg(format!("-arch={}", module.target))
        .args(["--warning-as-error", "-o"])
        .arg(if cfg!(windows) { "NUL" } else { "/dev/null" })
        .arg(&text)
        .stdin(Stdio::null())
        .output()
        .expect("ptxas runs");
    let _ = std::fs::remove_file(&text);
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{module}", String::from_utf8_lossy(&output.stderr)))
}

/// Whether a problem is that the target has no such instruction.
fn is_lacking(problem: &Diagnostic<Origin>) -> bool {
    problem.code == Code::TargetLacksFeature
}

#[test]
fn ptxas_takes_every_kernel_on_every_target() {
    let Some(ptxas) = std::env::var_os("TILEWRIGHT_PTXAS") else {
        return;
    };
    for (path, text) in inputs("llvm_to_nvvm.select_instructions", ".in.llvm") {
        for target in TARGETS {
            let mut module: Module<Llvm> = parsed(&path, &text);
            for func in &mut module.funcs {
                let own = func.attrs.target;
                func.attrs.target = target;
                let selected = select_instructions(func).expect("selected");
                match verify(&selected) {
                    Err(problems) if target != own && problems.iter().all(is_lacking) => continue,
                    verified => verified.expect("well formed"),
                }
                let emitted = emit_ptx(&selected).expect("emitted");
                if let Err(complaint) = assemble(&ptxas, &emitted, &func.name) {
                    panic!("{} for {target}: {complaint}", path.display());
                }
            }
        }
    }
}

type Pass = fn(&Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>>;

/// Output of the passes above is legalized, selected, emitted and assembled for every target.
#[test]
fn scalarized_kernels_reach_ptx_on_every_target() {
    let legalise: [(&str, Pass); 7] = [
        ("dissolve_structs", llvm::dissolve_structs),
        ("simplify", llvm::simplify),
        ("expand_float_remainder", llvm::expand_float_remainder),
        ("expand_integer_division", llvm::expand_integer_division),
        ("legalize_small_integers", llvm::legalize_small_integers),
        ("legalize_small_floats", llvm::legalize_small_floats),
        ("rename_kernel_marker", rename_kernel_marker),
    ];
    let inputs = inputs("cute_desugared_to_llvm.scalarize_fragments", ".out.llvm.snap");
    assert!(inputs.len() >= 8);
    for (path, text) in inputs {
        for target in TARGETS {
            let mut module: Module<Llvm> = parsed(&path, &text);
            for func in &mut module.funcs {
                let own = func.attrs.target;
                func.attrs.target = target;
                for (name, pass) in legalise {
                    *func = pass(func)
                        .unwrap_or_else(|problems| panic!("{} {name}: {problems:#?}", path.display()));
                }
                let selected = select_instructions(func)
                    .unwrap_or_else(|problems| panic!("{} for {target}: {problems:#?}", path.display()));
                if let Err(problems) = verify(&selected) {
                    // A kernel may use instructions that GPUs before its own lack, or, where its target names one
                    // architecture, all others.
                    let others_lack =
                        target.sm < own.sm || own.features != Features::Portable && target.sm != own.sm;
                    let lacks = problems.iter().all(is_lacking);
                    assert!(
                        others_lack && lacks,
                        "{} for {target}: {problems:#?}",
                        path.display()
                    );
                    continue;
                }
                let emitted = emit_ptx(&selected)
                    .unwrap_or_else(|problems| panic!("{} for {target}: {problems:#?}", path.display()));
                if let Some(ptxas) = std::env::var_os("TILEWRIGHT_PTXAS")
                    && let Err(complaint) = assemble(&ptxas, &emitted, &func.name)
                {
                    panic!("{} for {target}: {complaint}", path.display());
                }
            }
        }
    }
}
