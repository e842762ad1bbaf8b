//! `tilewright install`: links under whose names front ends find this program.

use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Location, Severity};

use super::report::{Exit, Outcome, Reporter};
use crate::files::print;
use crate::tileiras::Program;
use crate::{pip, ptxas};

/// The arguments of `install`.
#[derive(Debug, Args)]
pub(super) struct Install {
    /// The program to stand in for
    #[arg(long = "as", value_name = "PROGRAM", value_parser = [Program::Tileiras.name()])]
    _program: String,
    /// The folder for the links, which is created; for the front ends to find them, it comes first on PATH
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The ptxas that makes the cubins [default: the one that `compile --emit cubin` finds]
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
}

impl Install {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let ptxas = ptxas::find(self.ptxas.as_deref());
        let own = env::current_exe().and_then(fs::canonicalize);
        let own = own.map_err(|error| {
            let message = format!("the path of this program: {error}");
            Diagnostic::error(Code::FileNotReadable, message)
        })?;
        let libexec = self.folder.join(ptxas::LINKED);
        fs::create_dir_all(&libexec).map_err(|error| unwritable(&libexec, &error))?;
        let folder = fs::canonicalize(&self.folder).map_err(|error| unwritable(&self.folder, &error))?;
        let mut text = String::new();
        for program in Program::ALL {
            let name = format!("{}{}", program.name(), env::consts::EXE_SUFFIX);
            add_link(&own, &folder.join(name), &mut text)?;
        }
        if let Ok(ptxas) = &ptxas {
            let ptxas = fs::canonicalize(ptxas).map_err(|error| unwritable(ptxas, &error))?;
            // Beside the links, and not on PATH.
            let link = folder.join(ptxas::LINKED).join(ptxas::program());
            if fs::canonicalize(&link).ok().as_ref() != Some(&ptxas) {
                add_link(&ptxas, &link, &mut text)?;
            }
        }
        text += &how_to_use(&folder);
        for trio in pip::environments().iter().filter_map(|prefix| Trio::of(prefix)) {
            text += &trio.explained();
        }
        print(text.as_bytes())?;
        // Without ptxas the links work, and say the same whenever a cubin is asked of them.
        if let Err(mut problem) = ptxas {
            problem.severity = Severity::Warning;
            reporter.report_one(problem);
        }
        Ok(Exit::Ok)
    }
}

/// What to do for each front end.
fn how_to_use(folder: &Path) -> String {
    let tileiras = folder.join(format!("{}{}", Program::Tileiras.name(), env::consts::EXE_SUFFIX));
    let (folder, tileiras) = (folder.display(), tileiras.display());
    format!(
        "\ncuTile Python finds it on PATH:\n    export PATH=\"{folder}:$PATH\"\n\
         cutile-rs, by a variable:\n    export CUTILE_TILEIRAS_PATH=\"{tileiras}\"\n\
         cuTile.jl, in LocalPreferences.toml:\n    [cuTile]\n    tileiras = \"{tileiras}\"\n"
    )
}

/// Makes a link to `file` at `at`, replacing a link that is there, and adds a line about it to `said`.
fn add_link(file: &Path, at: &Path, said: &mut String) -> Result<(), Diagnostic<Location>> {
    match fs::symlink_metadata(at) {
        Ok(found) if found.is_symlink() => fs::remove_file(at).map_err(|error| unwritable(at, &error))?,
        Ok(_) => {
            let message = format!("{} exists, and is no link that could be replaced", at.display());
            return Err(Diagnostic::error(Code::FileNotWritable, message).help("choose another folder"));
        }
        Err(_) => {}
    }
    link(file, at).map_err(|error| unwritable(at, &error))?;
    // Writing to a string does not fail.
    let _ = writeln!(said, "{} -> {}", at.display(), file.display());
    Ok(())
}

#[cfg(unix)]
fn link(file: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(file, at)
}

/// Makes a hard link, or else a copy: symbolic links need privileges on this system.
#[cfg(not(unix))]
fn link(file: &Path, at: &Path) -> io::Result<()> {
    fs::hard_link(file, at).or_else(|_| fs::copy(file, at).map(drop))
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic<Location> {
    Diagnostic::error(Code::FileNotWritable, format!("{}: {error}", path.display()))
}

/// cuTile Python prefers the `tileiras` of these pip packages to the one on `PATH` if all three are installed in one
/// release.
const PACKAGES: [&str; 3] = ["nvidia_cuda_tileiras", "nvidia_cuda_nvcc", "nvidia_nvvm"];

/// A Python environment that has all of [`PACKAGES`].
#[derive(Debug)]
struct Trio {
    prefix: PathBuf,
    tileiras: PathBuf,
    release: String,
}

impl Trio {
    fn of(prefix: &Path) -> Option<Self> {
        let release = |version: &str| {
            let mut parts = version.split('.');
            Some(format!("{}.{}", parts.next()?, parts.next()?))
        };
        pip::package_folders(prefix).into_iter().find_map(|folder| {
            let mut releases = PACKAGES
                .iter()
                .map(|package| release(&pip::version_of(package, &folder)?));
            let first = releases.next()??;
            let tileiras = folder.join("nvidia/cu13/bin").join(format!(
                "{}{}",
                Program::Tileiras.name(),
                env::consts::EXE_SUFFIX
            ));
            let complete = releases.all(|other| other.as_ref() == Some(&first)) && tileiras.is_file();
            complete.then(|| Self {
                prefix: prefix.to_owned(),
                tileiras,
                release: first,
            })
        })
    }

    fn explained(&self) -> String {
        let python = self
            .prefix
            .join("bin")
            .join(format!("python3{}", env::consts::EXE_SUFFIX));
        let python = match python.is_file() {
            true => python,
            false => PathBuf::from("python3"),
        };
        format!(
            "\nIn {} cuTile Python will not look on PATH: it prefers the tileiras of its packages {}, all of release {}:\n    \
             {}\nRemove the first package to have the one on PATH used; the others stay, and so does their ptxas:\n    \
             {} -m pip uninstall nvidia-cuda-tileiras\n",
            self.prefix.display(),
            PACKAGES.map(|name| name.replace('_', "-")).join(", "),
            self.release,
            self.tileiras.display(),
            python.display(),
        )
    }
}
