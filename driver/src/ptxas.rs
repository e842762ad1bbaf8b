//! Assembles PTX to a cubin with NVIDIA's `ptxas`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::ptx::Target;

type Problem = Diagnostic<Location>;

/// Finds `ptxas`: the path given, `TILEWRIGHT_PTXAS`, the toolkit under `CUDA_HOME`, `PATH`, and the pip package of the Python
/// of `VIRTUAL_ENV` or of the `python3` on `PATH`.
///
/// # Errors
/// A diagnostic that lists the places searched.
pub fn find(asked: Option<&Path>) -> Result<PathBuf, Problem> {
    let name = format!("ptxas{}", env::consts::EXE_SUFFIX);
    let said = asked
        .map(|path| ("--ptxas", path.to_owned()))
        .or_else(|| env::var_os("TILEWRIGHT_PTXAS").map(|path| ("TILEWRIGHT_PTXAS", PathBuf::from(path))));
    if let Some((who, path)) = said {
        // A folder stands for the ptxas in it.
        let path = if path.is_dir() { path.join(&name) } else { path };
        return if path.is_file() {
            Ok(path)
        } else {
            let message = format!("{who} names {}, and there is no such file", path.display());
            Err(Diagnostic::error(Code::PtxasMissing, message))
        };
    }
    let home = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let pythons = env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter();
    let pythons = pythons.chain(env::split_paths(&path).filter_map(|folder| python_of(&folder)));
    let folders = home
        .into_iter()
        .chain(env::split_paths(&path))
        .chain(pythons.flat_map(|python| pip_folders(&python)));
    let found = folders
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file());
    found.ok_or_else(|| {
        Diagnostic::error(
            Code::PtxasMissing,
            "no ptxas in CUDA_HOME/bin, on PATH, or among the packages of the python3 on PATH",
        )
        .help("name it with --ptxas or TILEWRIGHT_PTXAS, or `pip install nvidia-cuda-nvcc`, which has one")
        .help("or ask for --emit ptx, which the driver assembles by itself")
    })
}

/// The installation, or virtual environment, whose `python3` is in this folder of `PATH`.
fn python_of(folder: &Path) -> Option<PathBuf> {
    let python = folder.join(format!("python3{}", env::consts::EXE_SUFFIX));
    let prefix = folder.parent()?;
    python.is_file().then(|| prefix.to_owned())
}

/// The program folders of the pip package nvidia-cuda-nvcc under the prefix of a Python. Python itself is not run, since it may
/// be any program on `PATH`.
fn pip_folders(prefix: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for lib in ["lib", "lib64", "local/lib"] {
        let Ok(entries) = fs::read_dir(prefix.join(lib)) else {
            continue;
        };
        let versions = entries.flatten().map(|entry| entry.path());
        let named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("python3"))
        };
        let mut versions: Vec<_> = versions.filter(named).collect();
        // The order of directory entries is unspecified.
        versions.sort();
        for version in versions {
            for packages in ["site-packages", "dist-packages"] {
                folders.push(version.join(packages).join("nvidia/cu13/bin"));
            }
        }
    }
    folders
}

/// Assembles PTX for a target.
///
/// # Errors
/// A diagnostic when ptxas cannot be run or refuses the PTX, with its output.
pub fn assemble(
    ptxas: &Path,
    ptx: &str,
    target: Target,
    opt_level: u8,
    lineinfo: bool,
) -> Result<Vec<u8>, Problem> {
    let folder = Scratch::new()?;
    let input = folder.0.join("kernel.ptx");
    let output = folder.0.join("kernel.cubin");
    fs::write(&input, ptx).map_err(|error| unwritable(&input, &error))?;
    let mut command = Command::new(ptxas);
    command
        .arg(format!("-arch={target}"))
        .arg(format!("-O{opt_level}"));
    if lineinfo {
        command.arg("-lineinfo");
    }
    let run = command
        .arg("-o")
        .arg(&output)
        .arg(&input)
        .output()
        .map_err(|error| {
            Diagnostic::error(
                Code::PtxasMissing,
                format!("{} cannot be run: {error}", ptxas.display()),
            )
        })?;
    if !run.status.success() {
        let words = String::from_utf8_lossy(&run.stderr).into_owned() + &String::from_utf8_lossy(&run.stdout);
        let mut problem =
            Diagnostic::error(Code::PtxasFailed, format!("{} refuses the PTX", ptxas.display()));
        problem.notes.extend(words.lines().map(str::to_owned));
        return Err(problem);
    }
    fs::read(&output).map_err(|error| {
        Diagnostic::error(
            Code::PtxasFailed,
            format!("ptxas succeeded and left no cubin: {error}"),
        )
    })
}

fn unwritable(path: &Path, error: &std::io::Error) -> Problem {
    Diagnostic::error(Code::FileNotWritable, format!("{}: {error}", path.display()))
}

/// A temporary folder, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Problem> {
        let base = env::temp_dir();
        let mut last = None;
        for attempt in 0..100 {
            let folder = base.join(format!("tilewright-{}-{attempt}", std::process::id()));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) => last = Some((folder, error)),
            }
        }
        match last {
            Some((folder, error)) => Err(unwritable(&folder, &error)),
            None => Err(Diagnostic::error(Code::FileNotWritable, "no temporary folder")),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure to remove it is ignored.
        let _ = fs::remove_dir_all(&self.0);
    }
}
