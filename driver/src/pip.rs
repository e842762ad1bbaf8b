//! Python environments and the packages that pip has installed there. Python itself is not run, since it may be any program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The prefixes of the Python environments that can be found: `VIRTUAL_ENV`, those of each `python3` on `PATH`, and that of the
/// packages installed for the user.
pub(crate) fn environments() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter_map(|folder| {
        let python = folder.join(format!("python3{}", env::consts::EXE_SUFFIX));
        python.is_file().then(|| folder.parent().map(Path::to_owned))?
    });
    let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let users = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let mut found = Vec::new();
    for prefix in active.into_iter().chain(on_path).chain(users) {
        if !found.contains(&prefix) {
            found.push(prefix);
        }
    }
    found
}

/// The folders of packages of a Python environment.
pub(crate) fn package_folders(prefix: &Path) -> Vec<PathBuf> {
    let mut folders = vec![prefix.join("Lib/site-packages")];
    for lib in ["lib", "lib64", "local/lib"] {
        let Ok(entries) = fs::read_dir(prefix.join(lib)) else {
            continue;
        };
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("python3"))
        };
        let mut versions: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(named)
            .collect();
        // The order of directory entries is unspecified.
        versions.sort();
        for version in versions {
            folders.push(version.join("site-packages"));
            folders.push(version.join("dist-packages"));
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The version of a package that is installed in a folder of packages; `package` is spelled as in the name of its `.dist-info`
/// folder.
pub(crate) fn version_of(package: &str, folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let name = entry.file_name();
        let rest = name.to_str()?.strip_prefix(package)?.strip_prefix('-')?;
        rest.strip_suffix(".dist-info").map(str::to_owned)
    })
}
