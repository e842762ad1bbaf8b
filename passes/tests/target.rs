//! Golden texts from `llvm_like` to PTX, and what ptxas says of the PTX.
//!
//! With `TILEWRIGHT_BLESS=1` the expected texts are written instead of compared. With `TILEWRIGHT_PTXAS` naming a
//! ptxas, every PTX is assembled for each architecture that has its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, print_module, verify};
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx::{self, Target};
use tilewright_passes::cleanup::eliminate_dead_code;
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

/// Compares what was made of an input with the expected text beside it.
fn compare(input: &Path, from: &str, to: &str, made: &str) {
    let name = input
        .to_string_lossy()
        .replace(&format!(".in.{from}"), &format!(".out.{to}"));
    if std::env::var_os("TILEWRIGHT_BLESS").is_some() {
        std::fs::write(&name, made).expect("a place for the expected text");
    }
    let expected = std::fs::read_to_string(&name).unwrap_or_default();
    assert_eq!(made, expected, "{name} is not what the pass makes of its input");
}

fn each<A: Language, B: Language, E: std::fmt::Debug>(
    folder: &str,
    least: usize,
    pass: impl Fn(&Func<A>) -> Result<Func<B>, E>,
) {
    let ending = format!(".in.{}", A::NAME);
    let inputs = inputs(folder, &ending);
    assert!(inputs.len() >= least, "{} inputs in {folder}", inputs.len());
    for (path, text) in inputs {
        let module: Module<A> = parsed(&path, &text);
        let funcs: Vec<Func<B>> = module
            .funcs
            .iter()
            .map(|func| pass(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display())))
            .collect();
        for func in &funcs {
            verify(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
        }
        let made = print_module(&Module { funcs });
        compare(&path, A::NAME, B::NAME, &made);
        let again: Module<B> = parsed(&path, &made);
        assert_eq!(
            print_module(&again),
            made,
            "{} does not read back",
            path.display()
        );
    }
}

#[test]
fn kernel_markers_are_renamed() {
    each("llvm.rename_kernel_marker", 1, rename_kernel_marker);
}

#[test]
fn instructions_are_selected() {
    each("llvm_to_nvvm.select_instructions", 8, select_instructions);
}

#[test]
fn dead_code_is_removed() {
    each("nvvm.remove_dead_code", 1, eliminate_dead_code::<Nvvm>);
}

#[test]
fn ptx_is_emitted() {
    let inputs = inputs("nvvm_to_ptx.emit_ptx", ".in.nvvm");
    assert!(inputs.len() >= 8);
    for (path, text) in inputs {
        let module: Module<Nvvm> = parsed(&path, &text);
        let [func] = module.funcs.as_slice() else {
            panic!("{}: one kernel a file", path.display())
        };
        let made = emit_ptx(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
        compare(&path, "nvvm", "ptx", &made.to_string());
        let again = tilewright_grammar::ptx::parse(FileId(0), &made.to_string());
        assert!(
            again.diagnostics.is_empty(),
            "{}: {:#?}",
            path.display(),
            again.diagnostics
        );
        assert_eq!(again.module.to_string(), made.to_string());
    }
}

/// ptxas on a text; its complaint if it has one.
fn assemble(ptxas: &std::ffi::OsStr, module: &ptx::Module, name: &str) -> Result<(), String> {
    let text = std::env::temp_dir().join(format!("tilewright-{}-{name}.ptx", std::process::id()));
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

#[test]
fn ptxas_takes_every_kernel_on_every_target() {
    let Some(ptxas) = std::env::var_os("TILEWRIGHT_PTXAS") else {
        return;
    };
    for (path, text) in inputs("llvm_to_nvvm.select_instructions", ".in.llvm") {
        for target in TARGETS {
            let mut module: Module<Llvm> = parsed(&path, &text);
            for func in &mut module.funcs {
                func.attrs.target = target;
                let selected = select_instructions(func).expect("selected");
                verify(&selected).expect("well formed");
                let emitted = emit_ptx(&selected).expect("emitted");
                if let Err(complaint) = assemble(&ptxas, &emitted, &func.name) {
                    panic!("{} for {target}: {complaint}", path.display());
                }
            }
        }
    }
}

type Pass = fn(&Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>>;

/// What the boundary above makes is legalised, selected, emitted and assembled, whatever the target.
#[test]
fn scalarized_kernels_reach_ptx_on_every_target() {
    let legalise: [(&str, Pass); 6] = [
        ("simplify", llvm::simplify),
        ("expand_float_remainder", llvm::expand_float_remainder),
        ("expand_integer_division", llvm::expand_integer_division),
        ("legalize_small_integers", llvm::legalize_small_integers),
        ("legalize_small_floats", llvm::legalize_small_floats),
        ("rename_kernel_marker", rename_kernel_marker),
    ];
    let inputs = inputs("cute_desugared_to_llvm.scalarize_fragments", ".out.llvm");
    assert!(inputs.len() >= 8);
    for (path, text) in inputs {
        for target in TARGETS {
            let mut module: Module<Llvm> = parsed(&path, &text);
            for func in &mut module.funcs {
                func.attrs.target = target;
                for (name, pass) in legalise {
                    *func = pass(func)
                        .unwrap_or_else(|problems| panic!("{} {name}: {problems:#?}", path.display()));
                }
                let selected = select_instructions(func)
                    .unwrap_or_else(|problems| panic!("{} for {target}: {problems:#?}", path.display()));
                verify(&selected)
                    .unwrap_or_else(|problems| panic!("{} for {target}: {problems:#?}", path.display()));
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
