//! Assembles PTX to a cubin with NVIDIA's `ptxas`.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_irs::ptx::Target;

use crate::child;
use crate::pip;
use crate::usage::{self, Usage};

type Problem = Diagnostic<Location>;

/// The folder, beside the links that `tilewright install` makes, for its link to ptxas, which is not to be found on `PATH`.
pub(crate) const LINKED: &str = "libexec";

/// The folders of pip packages that have a ptxas, within a folder of packages: those of CUDA 13, of CUDA 12, and Triton's own.
const IN_PACKAGES: &[&str] = &[
    "nvidia/cu13/bin",
    "nvidia/cuda_nvcc/bin",
    "triton/backends/nvidia/bin",
];

/// The name of the program.
pub(crate) fn program() -> String {
    format!("ptxas{}", env::consts::EXE_SUFFIX)
}

/// A place where ptxas is searched: its description, and its folders.
struct Place {
    words: String,
    folders: Vec<PathBuf>,
}

impl Place {
    fn new(words: impl Into<String>, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            words: words.into(),
            folders: folders.into_iter().collect(),
        }
    }
}

/// Finds `ptxas`: the path given; beside this program, and in `libexec` there; `TILEWRIGHT_PTXAS`; `PATH`; the toolkit under
/// `CUDA_HOME` or `CUDA_PATH`; the pip packages of this program's own Python environment, of `VIRTUAL_ENV`, of a `python3` on
/// `PATH` and of the user; the toolkits in `/usr/local`, newest first.
///
/// # Errors
/// A diagnostic that lists the places searched.
pub fn find(asked: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(path) = asked {
        return named("--ptxas", path);
    }
    let own = own_folders();
    let near = own
        .iter()
        .flat_map(|folder| [folder.clone(), folder.join(LINKED)]);
    let beside = Place::new("beside this program", near);
    let file = |folder: &PathBuf| Some(folder.join(program())).filter(|file| file.is_file());
    if let Some(found) = beside.folders.iter().find_map(file) {
        return Ok(found);
    }
    if let Some(path) = env::var_os("TILEWRIGHT_PTXAS") {
        return named("TILEWRIGHT_PTXAS", Path::new(&path));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let variable = |name: &str| {
        let words = match env::var_os(name) {
            Some(_) => format!("in {name}"),
            None => format!("in {name} (not set)"),
        };
        Place::new(words, env::var_os(name).map(|home| Path::new(&home).join("bin")))
    };
    let places = [
        beside,
        Place::new("by TILEWRIGHT_PTXAS (not set)", []),
        Place::new("on PATH", env::split_paths(&path)),
        variable("CUDA_HOME"),
        variable("CUDA_PATH"),
        Place::new(
            "in the pip packages of VIRTUAL_ENV, of a python3 on PATH, and of the user",
            packaged(&own),
        ),
        Place::new(
            format!("in the toolkits under {}", toolkits().display()),
            toolkit_folders(&toolkits()),
        ),
    ];
    let found = places.iter().flat_map(|place| &place.folders).find_map(file);
    found.ok_or_else(|| {
        let mut problem = Diagnostic::error(
            Code::PtxasMissing,
            "no ptxas was found, which makes a cubin of the PTX: it is part of NVIDIA's CUDA toolkit",
        );
        for place in places {
            let folders: Vec<_> = place
                .folders
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            let found = match folders.as_slice() {
                [] => String::new(),
                folders => format!(": {}", folders.join(", ")),
            };
            problem.notes.push(format!("looked for {}{found}", place.words));
        }
        problem
            .help("`pip install nvidia-cuda-nvcc` has one; TILEWRIGHT_PTXAS names one that lies elsewhere")
            .help("`tilewright compile --emit ptx` needs none: the driver assembles PTX by itself")
    })
}

/// The ptxas that an option or a variable names: a file, or the folder that it is in.
fn named(by: &str, path: &Path) -> Result<PathBuf, Problem> {
    let file = match path.is_dir() {
        true => path.join(program()),
        false => path.to_owned(),
    };
    if file.is_file() {
        return Ok(file);
    }
    let message = format!("{by} names {}, and there is no such file", file.display());
    Err(Diagnostic::error(Code::PtxasMissing, message))
}

/// The folders of this program: of the path by which it was started, which may be a link, and of its executable file.
fn own_folders() -> Vec<PathBuf> {
    let called = env::args_os().next().and_then(|name| called_folder(&name));
    let file = env::current_exe()
        .ok()
        .and_then(|file| fs::canonicalize(file).ok());
    let file = file.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut folders: Vec<PathBuf> = called.into_iter().chain(file).collect();
    folders.dedup();
    folders
}

/// The folder of the program of this name, as a shell finds it.
fn called_folder(name: &OsString) -> Option<PathBuf> {
    let name = Path::new(name);
    let parent = name.parent()?;
    if !parent.as_os_str().is_empty() {
        return Some(parent.to_owned());
    }
    let path = env::var_os("PATH")?;
    let mut folders = env::split_paths(&path);
    folders.find(|folder| folder.join(name).is_file())
}

/// The folders of pip packages that may have a ptxas: of the environment that this program is installed in, and of the others.
fn packaged(own: &[PathBuf]) -> Vec<PathBuf> {
    let here = own
        .iter()
        .filter_map(|folder| folder.parent())
        .map(Path::to_owned);
    let packages = here
        .chain(pip::environments())
        .flat_map(|prefix| pip::package_folders(&prefix));
    let folders = packages.flat_map(|packages| IN_PACKAGES.iter().map(move |inside| packages.join(inside)));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The folder where CUDA toolkits are installed.
fn toolkits() -> PathBuf {
    PathBuf::from(if cfg!(windows) {
        "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
    } else {
        "/usr/local"
    })
}

/// The program folders of the toolkits in a folder: of `cuda`, then of `cuda-13.5` and `v13.5`, newest first.
fn toolkit_folders(root: &Path) -> Vec<PathBuf> {
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        if name == "cuda" {
            return Some((u32::MAX, u32::MAX));
        }
        let rest = name
            .strip_prefix("cuda-")
            .or_else(|| name.strip_prefix(['v', 'V']))?;
        let (major, minor) = rest.split_once('.').map_or((rest, None), |(a, b)| (a, Some(b)));
        let minor = minor.map_or(Some(u32::MAX), |minor| minor.parse().ok())?;
        Some((major.parse().ok()?, minor))
    };
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| Some((version(&entry.path())?, entry.path())))
        .collect();
    found.sort();
    let newest = found.into_iter().rev();
    newest.map(|(_, path)| path.join("bin")).collect()
}

/// The result of assembling PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The cubin.
    pub cubin: Vec<u8>,
    /// What each kernel uses, in the order of ptxas's report.
    pub usage: Vec<Usage>,
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
    run(ptxas, ptx, &options(target, opt_level, lineinfo), None).map(|(cubin, _)| cubin)
}

/// Assembles PTX for a target, and reports the registers, the spills and the shared memory of its kernels.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_and_measure(
    ptxas: &Path,
    ptx: &str,
    target: Target,
    opt_level: u8,
    lineinfo: bool,
) -> Result<Assembled, Problem> {
    measure(ptxas, ptx, options(target, opt_level, lineinfo), None)
}

/// As [`assemble_and_measure`], but ends ptxas when `stop` is set.
///
/// # Errors
/// As [`assemble`]; a ptxas that was ended has failed.
pub(crate) fn assemble_and_measure_unless(
    ptxas: &Path,
    ptx: &str,
    target: Target,
    opt_level: u8,
    stop: &AtomicBool,
) -> Result<Assembled, Problem> {
    measure(ptxas, ptx, options(target, opt_level, false), Some(stop))
}

fn measure(
    ptxas: &Path,
    ptx: &str,
    mut options: Vec<String>,
    stop: Option<&AtomicBool>,
) -> Result<Assembled, Problem> {
    options.push("-v".to_owned());
    let (cubin, said) = run(ptxas, ptx, &options, stop)?;
    let usage = usage::read(&said);
    Ok(Assembled { cubin, usage })
}

fn options(target: Target, opt_level: u8, lineinfo: bool) -> Vec<String> {
    let mut options = vec![format!("-arch={target}"), format!("-O{opt_level}")];
    options.extend(lineinfo.then(|| "-lineinfo".to_owned()));
    options
}

/// Runs a command with its output redirected to the file `words`; kills it when `stop` is set.
fn finish(command: &mut Command, words: File, stop: Option<&AtomicBool>) -> std::io::Result<ExitStatus> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(words.try_clone()?)
        .stderr(words)
        .spawn()?;
    match stop {
        Some(stop) => child::wait(&mut child, stop, None).map(|(status, _)| status),
        None => child.wait(),
    }
}

/// Runs ptxas, and returns the cubin and ptxas's output.
fn run(
    ptxas: &Path,
    ptx: &str,
    options: &[String],
    stop: Option<&AtomicBool>,
) -> Result<(Vec<u8>, String), Problem> {
    // Removed when dropped. Nothing relies on that: a killed compiler leaves one folder with a name of its own.
    let folder = tempfile::Builder::new().prefix("tilewright-").tempdir();
    let folder = folder.map_err(|error| unwritable(&env::temp_dir(), &error))?;
    let input = folder.path().join("kernel.ptx");
    let cubin = folder.path().join("kernel.cubin");
    fs::write(&input, ptx).map_err(|error| unwritable(&input, &error))?;
    let mut command = Command::new(ptxas);
    command.args(options).arg("-o").arg(&cubin).arg(&input);
    let said = folder.path().join("words");
    let words = File::create(&said).map_err(|error| unwritable(&said, &error))?;
    let status = finish(&mut command, words, stop).map_err(|error| {
        Diagnostic::error(
            Code::PtxasMissing,
            format!("{} cannot be run: {error}", ptxas.display()),
        )
    })?;
    let words = fs::read(&said).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).into_owned();
    if !status.success() {
        let mut problem = match too_much_shared(&words) {
            Some(words) => Diagnostic::error(Code::SharedMemory, words),
            None => Diagnostic::error(
                Code::PtxasFailed,
                format!("{} refuses the PTX: {status}", ptxas.display()),
            ),
        };
        problem.notes.extend(words.lines().map(str::to_owned));
        return Err(problem);
    }
    match fs::read(&cubin) {
        Ok(cubin) if cubin.starts_with(ELF) => Ok((cubin, words)),
        Ok(cubin) => Err(Diagnostic::error(
            Code::PtxasFailed,
            format!(
                "{} succeeded, and wrote no cubin, but {}",
                ptxas.display(),
                counted(cubin.len(), "byte")
            ),
        )),
        Err(error) => Err(Diagnostic::error(
            Code::PtxasFailed,
            format!("{} succeeded and left no cubin: {error}", ptxas.display()),
        )),
    }
}

/// The magic number of a cubin, which is an ELF file.
const ELF: &[u8] = b"\x7fELF";

/// The line in which ptxas reports too much shared memory: autotuners look for it.
fn too_much_shared(words: &str) -> Option<&str> {
    let line = words
        .lines()
        .find(|line| line.contains("uses too much shared data"))?;
    Some(line.split_once(": ").map_or(line, |(_, rest)| rest).trim())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Problem {
    Diagnostic::error(Code::FileNotWritable, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkits_are_searched_newest_first() {
        let root = tempfile::tempdir().expect("a folder");
        for name in [
            "cuda-12.9",
            "cuda-13",
            "cuda-13.10",
            "cuda-13.2",
            "v13.4",
            "cuda",
            "cuda-x",
            "lib",
        ] {
            fs::create_dir(root.path().join(name)).expect("a folder");
        }
        let folders = toolkit_folders(root.path());
        let names: Vec<_> = folders
            .iter()
            .map(|folder| {
                let toolkit = folder.parent().and_then(Path::file_name);
                toolkit.and_then(|name| name.to_str()).unwrap_or_default()
            })
            .collect();
        let wanted = ["cuda", "cuda-13", "cuda-13.10", "v13.4", "cuda-13.2", "cuda-12.9"];
        assert_eq!(names, wanted);
    }

    #[test]
    fn the_words_on_shared_memory_are_those_of_ptxas() {
        let said =
            "ptxas error   : Entry function 'k' uses too much shared data (0x493e0 bytes, 0x38c00 max)\n";
        let wanted = "Entry function 'k' uses too much shared data (0x493e0 bytes, 0x38c00 max)";
        assert_eq!(too_much_shared(said), Some(wanted));
        assert_eq!(too_much_shared("ptxas fatal   : Ptx assembly aborted\n"), None);
    }
}
