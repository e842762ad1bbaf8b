//! Sets how the program is linked, and computes what its `--version` says of the build.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    start_sooner();
    println!("cargo::rustc-env=TILEWRIGHT_BUILD={:016x}", build_hash());
}

/// Sets options of the linker by which the program starts sooner, where they can be had: half of the time that a small
/// kernel takes to compile is the start.
///
/// At a fixed address nothing is relocated; the declarations are tables full of pointers. The linker that comes with rustc
/// also merges identical functions, of which the languages have many instances of generic code, and can write the file in one
/// piece rather than through a mapping, after which Linux caches it in larger pieces and maps these sooner. (It does so with
/// `--mmap-output-file`, the opposite of what its help says.)
fn start_sooner() {
    let target = |what: &str| variable(&format!("CARGO_CFG_TARGET_{what}"));
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let chosen = !variable("RUSTC_LINKER").is_empty() || variable("CARGO_ENCODED_RUSTFLAGS").contains("link");
    let rustcs_own = target("ARCH") == "x86_64" && !chosen;
    if rustcs_own && variable("PROFILE") == "release" {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all,--mmap-output-file");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A hash of everything that the program is built from: the sources of every crate of the workspace, the versions of the
/// dependencies, the Rust compiler and its options. Caches of compiled kernels tell builds apart by it.
fn build_hash() -> u64 {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    for folder in crates(&root).into_iter().flat_map(|path| {
        let nested = crates(&path);
        [vec![path], nested].concat()
    }) {
        files.extend([folder.join("Cargo.toml"), folder.join("build.rs")]);
        collect(&folder.join("src"), &mut files);
        println!("cargo::rerun-if-changed={}", folder.join("src").display());
    }
    files.retain(|file| file.is_file());
    // The order of directory entries is unspecified.
    files.sort();
    let mut hasher = DefaultHasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.write_usize(bytes.len());
        hasher.write(bytes);
    };
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).unwrap_or(file);
        add(name.as_os_str().as_encoded_bytes());
        add(&fs::read(file).unwrap_or_default());
    }
    let compiler = Command::new(variable("RUSTC")).arg("-vV").output();
    add(&compiler.map(|output| output.stdout).unwrap_or_default());
    for name in [
        "TARGET",
        "PROFILE",
        "OPT_LEVEL",
        "DEBUG",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_LINKER",
    ] {
        println!("cargo::rerun-if-env-changed={name}");
        add(variable(name).as_bytes());
    }
    hasher.finish()
}

/// The folders in a folder that hold a crate with a library or a program.
fn crates(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    folders
        .filter(|path| path.join("Cargo.toml").is_file() && path.join("src").is_dir())
        .collect()
}

/// Adds the files in a folder and in its folders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
