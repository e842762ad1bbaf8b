//! Obtains the modules of a Python file: from a command that makes them, or from bytecode beside the file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use memchr::memmem;

use crate::child::{self, Cause};
use crate::inputs::is_bytecode;

/// Extensions of bytecode files.
pub(in crate::lsp) const EXTENSIONS: [&str; 3] = ["tileirbc", "bytecode", "bc"];

/// The most modules of a file that are read.
const MOST: usize = 256;

/// The largest module that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The environment variable that makes cuTile Python write its bytecode to a folder.
const DUMP: &str = "CUDA_TILE_DUMP_BYTECODE";

/// How to obtain the modules of a Python file.
#[derive(Clone, Debug)]
pub(in crate::lsp) struct Recipe {
    /// The Python file.
    pub(in crate::lsp) file: PathBuf,
    /// The command with its arguments. Without one, bytecode beside the file is taken.
    pub(in crate::lsp) command: Option<Vec<String>>,
    /// The folder in which the command runs.
    pub(in crate::lsp) folder: PathBuf,
    /// The time limit of the command.
    pub(in crate::lsp) limit: Duration,
    /// Kills the command when set.
    pub(in crate::lsp) stop: Arc<AtomicBool>,
}

/// The modules of a Python file, as far as they could be obtained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lsp) struct Made {
    /// The bytecode of the modules, the newest first.
    pub(in crate::lsp) modules: Vec<Vec<u8>>,
    /// Why modules may be missing.
    pub(in crate::lsp) failure: Option<Failure>,
    /// Whether some of the modules are older than the file.
    pub(in crate::lsp) older: bool,
}

/// Why a command failed to make modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lsp) struct Failure {
    /// A message for the user.
    pub(in crate::lsp) message: String,
    /// The last line of the file in its traceback, from 0.
    pub(in crate::lsp) line: Option<u32>,
}

impl Recipe {
    /// Obtains the modules. `None` if it was stopped.
    pub(in crate::lsp) fn make(&self) -> Option<Made> {
        match &self.command {
            Some(command) => self.run(command),
            None => Some(self.look()),
        }
    }

    fn run(&self, command: &[String]) -> Option<Made> {
        let failed = |message: String| Made {
            failure: Some(Failure { message, line: None }),
            ..Made::default()
        };
        let folder = match tempfile::Builder::new().prefix("tilewright-").tempdir() {
            Ok(folder) => folder,
            Err(error) => return Some(failed(format!("there is no temporary folder: {error}"))),
        };
        let (out, said, problems) = (
            folder.path().join("modules"),
            folder.path().join("stdout"),
            folder.path().join("stderr"),
        );
        let words: Vec<_> = command
            .iter()
            .map(|word| {
                word.replace("${file}", &self.file.to_string_lossy())
                    .replace("${out}", &out.to_string_lossy())
            })
            .collect();
        let shown = words.join(" ");
        let ended = self.start(&words, &out, &said, &problems);
        let (status, cause) = match ended {
            Ok(ended) => ended,
            Err(error) => return Some(failed(format!("`{shown}` cannot be run: {error}"))),
        };
        let mut modules = modules_in(&out, |_| true);
        modules.extend(module_at(&said));
        let mut made = Made {
            modules: modules.into_iter().map(|module| module.bytes).collect(),
            failure: None,
            older: false,
        };
        let problems = fs::read(&problems).unwrap_or_default();
        let problems = String::from_utf8_lossy(&problems);
        made.failure = match cause {
            Cause::Stopped => return None,
            Cause::TimedOut => Some(Failure {
                message: format!("`{shown}` took more than {} seconds", self.limit.as_secs_f64()),
                line: None,
            }),
            Cause::Itself if status.success() && made.modules.is_empty() => Some(Failure {
                message: format!(
                    "`{shown}` has made no bytecode: neither in the folder that `{DUMP}` and `${{out}}` name, \
                     nor on its standard output"
                ),
                line: None,
            }),
            Cause::Itself if status.success() => None,
            Cause::Itself => {
                let last = problems.lines().rfind(|line| !line.trim().is_empty());
                Some(Failure {
                    message: format!("`{shown}` failed ({status}): {}", last.unwrap_or_default().trim()),
                    line: line_in_traceback(&problems, &self.file),
                })
            }
        };
        Some(made)
    }

    fn start(
        &self,
        words: &[String],
        out: &Path,
        said: &Path,
        problems: &Path,
    ) -> io::Result<(std::process::ExitStatus, Cause)> {
        fs::create_dir(out)?;
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::other("the command has no words"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env(DUMP, out)
            .stdin(Stdio::null())
            .stdout(File::create(said)?)
            .stderr(File::create(problems)?);
        // What it starts is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        child::wait(&mut command.spawn()?, &self.stop, Some(self.limit))
    }

    /// Reads the bytecode files beside the file whose names contain the file's name.
    fn look(&self) -> Made {
        let (Some(folder), Some(name)) = (self.file.parent(), self.file.file_name()) else {
            return Made::default();
        };
        let name = name.as_encoded_bytes();
        let is_one = |path: &Path| {
            path.extension()
                .is_some_and(|own| EXTENSIONS.iter().any(|&known| own == known))
        };
        let mut modules = modules_in(folder, is_one);
        modules.retain(|module| memmem::find(&module.bytes, name).is_some());
        let changed = fs::metadata(&self.file).and_then(|file| file.modified()).ok();
        Made {
            older: modules.iter().any(|module| module.changed < changed),
            modules: modules.into_iter().map(|module| module.bytes).collect(),
            failure: None,
        }
    }
}

struct Module {
    bytes: Vec<u8>,
    changed: Option<SystemTime>,
}

/// The bytecode files of a folder, the newest first.
fn modules_in(folder: &Path, is_one: impl Fn(&Path) -> bool) -> Vec<Module> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| is_one(path));
    // Of files of one time, the last name is the newest.
    paths.sort_by(|a, b| b.cmp(a));
    let modules = paths.iter().filter_map(|path| module_at(path));
    let mut modules: Vec<_> = modules.take(MOST).collect();
    modules.sort_by_key(|module| std::cmp::Reverse(module.changed));
    modules
}

/// The bytecode in a file.
fn module_at(path: &Path) -> Option<Module> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() == 0 || about.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    is_bytecode(&bytes).then(|| Module {
        bytes,
        changed: about.modified().ok(),
    })
}

/// The line of the last frame of a traceback that is in a file, from 0.
fn line_in_traceback(said: &str, file: &Path) -> Option<u32> {
    let mut frames = said.lines().filter_map(|line| {
        let (path, rest) = line
            .trim_start()
            .strip_prefix("File \"")?
            .split_once("\", line ")?;
        if Path::new(path) != file {
            return None;
        }
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u32>().ok()?.checked_sub(1)
    });
    frames.next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_traceback_is_the_innermost_one_of_the_file() {
        let said = "Traceback (most recent call last):\n  File \"/k.py\", line 30, in <module>\n    main()\n  \
                    File \"/k.py\", line 12, in main\n    f()\n  File \"/lib.py\", line 3, in f\nTypeError: no\n";
        assert_eq!(line_in_traceback(said, Path::new("/k.py")), Some(11));
        assert_eq!(line_in_traceback(said, Path::new("/other.py")), None);
    }
}
