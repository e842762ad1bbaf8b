//! The server in editors that people use. Without the editor there is nothing to run, unless `TILEWRIGHT_EDITORS` says that it must
//! be there.

use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Whether a program answers; panics if it must.
fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    let wanted = std::env::var_os("TILEWRIGHT_EDITORS").is_some();
    assert!(found || !wanted, "{program} is not on PATH");
    if !found {
        // Past the capture of `cargo test`; nobody need read it.
        let _ = writeln!(std::io::stderr(), "skipped: {program} is not on PATH");
    }
    found
}

/// Runs a script in Neovim, which fails if anything is not as it should be. The script finds in its environment the program, the
/// plugin's folder, a kernel and bytecode.
fn run_in_neovim(script: &str) {
    if !is_there("nvim") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = folder.path().join("k.cuda_tile");
    std::fs::write(&kernel, super::TEXT).expect("it is written");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let script = repository.join("tests/lsp").join(script);
    let bytecode = repository.join("examples/bytecode/saxpy.13.5.tileirbc");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .arg("-c")
        .arg(format!("luafile {}", script.display()))
        .env("TILEWRIGHT", env!("CARGO_BIN_EXE_tilewright"))
        .env("PLUGIN", repository.join("editors/nvim"))
        .env("KERNEL", &kernel)
        .env("BYTECODE", bytecode)
        .env("XDG_STATE_HOME", folder.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn neovims_own_client_edits_hovers_and_renames() {
    run_in_neovim("neovim.lua");
}

#[test]
fn the_plugin_for_neovim_shows_lenses_stages_and_explanations() {
    run_in_neovim("neovim_plugin.lua");
}
