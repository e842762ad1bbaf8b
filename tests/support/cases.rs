//! The numeric cases: one launch each, with arguments and expected results.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::files::repository;

/// An argument of a case.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The command line flag: `--arg` or `--array`.
    pub flag: &'static str,
    /// The number, or the file's path.
    pub text: String,
    /// The file of the expected contents after the launch.
    pub want: Option<PathBuf>,
}

/// A launch.
#[derive(Clone, Debug)]
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// The bytecode files, one for each version.
    pub bytecode: Vec<PathBuf>,
    /// The blocks along x, y and z.
    pub grid: [u64; 3],
    /// The relative tolerance.
    pub rtol: f64,
    /// The absolute tolerance.
    pub atol: f64,
    /// The oldest target that the language permits the kernel for; `None` if it does for all.
    pub least_target: Option<String>,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
}

impl Case {
    /// The command line that runs the case on a device.
    pub fn command(&self, bytecode: &str, device: &str) -> Vec<String> {
        let [x, y, z] = self.grid;
        let mut line: Vec<String> = [
            "tilewright",
            "run",
            bytecode,
            "--on",
            device,
            "--kernel",
            &self.kernel,
        ]
        .map(str::to_owned)
        .to_vec();
        line.extend(["--grid".to_owned(), format!("{x},{y},{z}")]);
        line.extend(["--rtol".to_owned(), self.rtol.to_string()]);
        line.extend(["--atol".to_owned(), self.atol.to_string()]);
        for (at, argument) in self.arguments.iter().enumerate() {
            line.extend([argument.flag.to_owned(), argument.text.clone()]);
            if let Some(want) = &argument.want {
                line.extend(["--expect".to_owned(), format!("{at}={}", want.display())]);
            }
        }
        line
    }
}

/// Every case, sorted by name.
///
/// # Panics
/// If a case cannot be read.
pub fn cases() -> Vec<Case> {
    let folder = repository().join("tests/data/numeric");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut cases: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| case(&entry.path()))
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn case(folder: &std::path::Path) -> Case {
    let path = folder.join("case.json");
    let read = || -> Option<Case> {
        let value: Value = serde_json::from_str(&fs::read_to_string(&path).ok()?).ok()?;
        let grid = value["grid"].as_array()?;
        let argument = |argument: &Value| -> Option<Argument> {
            let file = |name: &str| argument[name].as_str().map(|name| folder.join(name));
            Some(match argument["kind"].as_str()? {
                "scalar" => Argument {
                    flag: "--arg",
                    text: argument["value"].to_string(),
                    want: None,
                },
                kind => Argument {
                    flag: if kind == "array" { "--array" } else { "--arg" },
                    text: file("file")?.display().to_string(),
                    want: file("want"),
                },
            })
        };
        Some(Case {
            name: folder.file_name()?.to_str()?.to_owned(),
            kernel: value["kernel"].as_str()?.to_owned(),
            bytecode: value["bytecode"]
                .as_array()?
                .iter()
                .map(|file| file.as_str().map(|file| repository().join(file)))
                .collect::<Option<_>>()?,
            grid: [
                grid.first()?.as_u64()?,
                grid.get(1)?.as_u64()?,
                grid.get(2)?.as_u64()?,
            ],
            rtol: value["rtol"].as_f64()?,
            atol: value["atol"].as_f64()?,
            least_target: value["least_target"].as_str().map(str::to_owned),
            arguments: value["arguments"]
                .as_array()?
                .iter()
                .map(argument)
                .collect::<Option<_>>()?,
        })
    };
    read().unwrap_or_else(|| panic!("{}: not a case", path.display()))
}
