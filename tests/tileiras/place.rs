//! A folder with the programs under their names, and files to try them on.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The versions of bytecode.
pub(crate) const VERSIONS: [&str; 5] = ["13.1", "13.2", "13.3", "13.4", "13.5"];

/// A module without kernels, by which front ends find out which versions are read.
pub(crate) const EMPTY: &str = "cuda_tile.module @empty {\n}\n";

/// A script in the place of ptxas: it writes an ELF file of its options and its input.
pub(crate) const ASSEMBLES: &str = "#!/bin/sh
PATH=/usr/bin:/bin
options=
while [ $# -gt 0 ]; do
    case \"$1\" in
        -o) output=$2; shift ;;
        -*) options=\"$options $1\" ;;
        *) input=$1 ;;
    esac
    shift
done
{ printf '\\177ELF'; echo \"$options\"; cat \"$input\"; } > \"$output\"
";

/// The repository root.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The real ptxas, if there is one.
pub(crate) fn ptxas() -> Option<PathBuf> {
    std::env::var_os("TILEWRIGHT_PTXAS").map(PathBuf::from)
}

/// A folder with `tileiras` and `tileirdisasm`, and a ptxas for them, removed when dropped.
pub(crate) struct Place {
    folder: TempDir,
    ptxas: Option<PathBuf>,
}

/// The end of a program: its exit code, standard output and standard error.
pub(crate) type Ended = (i32, String, String);

/// The end of a program that was not killed and wrote UTF-8.
pub(crate) fn ended(output: Output) -> Ended {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (code, text(output.stdout), text(output.stderr))
}

impl Place {
    /// A place with a script as ptxas.
    pub(crate) fn with_script(script: &str) -> Self {
        let mut place = Self::without_ptxas();
        let path = place.path("ptxas-script");
        fs::write(&path, script).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        place.ptxas = Some(path);
        place
    }

    /// A place where everything is assembled.
    pub(crate) fn new() -> Self {
        Self::with_script(ASSEMBLES)
    }

    /// A place with the real ptxas, if there is one.
    pub(crate) fn real() -> Option<Self> {
        let mut place = Self::without_ptxas();
        place.ptxas = Some(ptxas()?);
        Some(place)
    }

    /// A place without ptxas.
    pub(crate) fn without_ptxas() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["tileiras", "tileirdisasm"] {
            symlink(env!("CARGO_BIN_EXE_tilewright"), folder.path().join(name)).expect("a link");
        }
        Self { folder, ptxas: None }
    }

    /// The path of a name in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names in the folder that begin with a text, sorted.
    pub(crate) fn names(&self, start: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let mut names: Vec<_> = names.filter(|name| name.starts_with(start)).collect();
        names.sort();
        names
    }

    /// A file's bytes.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file")
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("written");
    }

    /// Adds the example of this name and version as `in.bc`.
    pub(crate) fn example(&self, name: &str, version: &str) -> Vec<u8> {
        let path = repository().join(format!("examples/bytecode/{name}.{version}.tileirbc"));
        let bytes = fs::read(path).expect("the example");
        self.write("in.bc", &bytes);
        bytes
    }

    /// Adds a text as bytecode.
    pub(crate) fn bytecode(&self, name: &str, version: &str, text: &str) {
        self.write("text.mlir", text.as_bytes());
        let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
            .args(["compile", "--emit", "bytecode", "--bytecode-version", version])
            .arg(self.path("text.mlir"))
            .arg("-o")
            .arg(self.path(name))
            .output();
        assert_eq!(
            ended(output.expect("the binary runs")),
            (0, String::new(), String::new())
        );
    }

    /// A command in this folder, with nothing in its environment but the ptxas.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(self.path(program));
        command.args(args).current_dir(self.folder.path()).env_clear();
        command.env("PATH", "/nowhere");
        if let Some(ptxas) = &self.ptxas {
            command.env("TILEWRIGHT_PTXAS", ptxas);
        }
        command
    }

    /// Runs a command line of `tileiras`.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        ended(self.command("tileiras", args).output().expect("it runs"))
    }

    /// Runs a command line of `tileiras` that must succeed without a word, and returns its output file, `out`.
    pub(crate) fn cubin(&self, args: &[&str]) -> Vec<u8> {
        let _ = fs::remove_file(self.path("out"));
        assert_eq!(self.run(args), (0, String::new(), String::new()), "{args:?}");
        let cubin = self.read("out");
        assert!(cubin.starts_with(b"\x7fELF"), "{args:?}");
        cubin
    }

    /// Runs a command line that must fail, and returns its exit code and standard error. The output file stays as it was.
    pub(crate) fn failure(&self, args: &[&str]) -> (i32, String) {
        self.write("out", b"");
        let (code, out, err) = self.run(args);
        assert_eq!(out, "", "{args:?}");
        assert!(code != 0 && !err.is_empty(), "{args:?}: {err}");
        assert_eq!(self.read("out"), b"", "{args:?}");
        assert_eq!(self.names(".tilewright"), [""; 0]);
        (code, err)
    }
}
