//! Kernels with large tiles need no stack: `ptxas -v`, if available (`TILEWRIGHT_PTXAS`), says so.

use std::path::Path;
use std::process::Command;

use tilewright::{Compiler, Language, Request, joins, targets};
use tilewright_irs::isa::Target;
use tilewright_tests::{needed, repository};

/// What `ptxas -v` says of the PTX of a kernel for a target.
fn resources(assembler: &Path, kernel: &Path, target: Target) -> Result<String, String> {
    let text = std::fs::read_to_string(kernel).map_err(|error| error.to_string())?;
    let mut compiler = Compiler::new();
    let source = compiler.add_source(kernel.display().to_string(), text.as_str());
    let request = Request {
        target: Some(target),
        ..Request::default()
    };
    let options = compiler.options(request);
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let ptx = ptx.ok_or_else(|| format!("{said:#?}"))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (input, output) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    std::fs::write(&input, ptx.as_bytes()).map_err(|error| error.to_string())?;
    let done = Command::new(assembler)
        .arg("-v")
        .arg(format!("-arch={target}"))
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.success() {
        Ok(said)
    } else {
        Err(said)
    }
}

#[test]
fn kernels_with_large_tiles_need_no_stack() {
    let folder = repository().join("tests/data/spills");
    let mut kernels: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    kernels.sort();
    assert!(!kernels.is_empty());
    let Some(assembler) = needed("TILEWRIGHT_PTXAS") else {
        return;
    };
    let mut wrong = Vec::new();
    for kernel in &kernels {
        for &target in targets::SUPPORTED {
            match resources(&assembler, kernel, target) {
                Ok(said) if said.contains(" 0 bytes stack frame") => {}
                Ok(said) | Err(said) => wrong.push(format!("{} for {target}: {said}", kernel.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
