//! Tuned hints: what `tilewright tune --save` has found to be fast, each for one kernel and one target.
//!
//! A kernel is known by a hash of its text: without its hints, which tuning replaces, and without what it does not compute with,
//! such as debug information and the version of its bytecode.

use std::env;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tilewright_diagnostics::{Code, Diagnostic, Location, Severity};
use tilewright_irs::cuda_tile::{
    HintOverrides, TileModule, Version, hint_flag, hint_number, join_tile_entries, print_tile_entry,
};
use tilewright_irs::ptx::Target;
use tilewright_passes::cuda_tile_to_tileaa::without_hints;

use crate::files::read_file;
use crate::units::TileKernel;

type Problem = Diagnostic<Location>;

/// The environment variable that names the file where the compiler stands in for NVIDIA's.
const VARIABLE: &str = "TILEWRIGHT_TUNED";

/// The version of the format.
const FORMAT: u32 = 1;

/// Hints for kernels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuned {
    kernels: Vec<(Entry, Target, HintOverrides)>,
}

/// The hints for a kernel, as they stand in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name, for people.
    pub kernel: String,
    /// The target, such as `sm_90a`.
    pub target: String,
    /// The hash of its text.
    pub key: String,
    /// The hints, by name.
    pub hints: Map<String, Value>,
    /// The time of a launch with these hints, for people.
    pub microseconds: Option<f64>,
    /// Whether the time was measured, and not predicted.
    pub measured: bool,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    tilewright_tuned: u32,
    kernels: Vec<Entry>,
}

impl Tuned {
    /// Reads a file.
    ///
    /// # Errors
    /// The system's error, or what is wrong with the file, and where.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let bytes = read_file(path)?;
        let bad = |why: String| {
            let message = format!("{}: {why}", path.display());
            Diagnostic::error(Code::TunedHints, message)
        };
        let contents: Contents = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if contents.tilewright_tuned != FORMAT {
            let found = contents.tilewright_tuned;
            return Err(bad(format!(
                "version {found} of the format, and this compiler reads version {FORMAT}"
            )));
        }
        let mut tuned = Self::default();
        for entry in contents.kernels {
            let kernel = entry.kernel.clone();
            tuned
                .set(entry)
                .map_err(|why| bad(format!("kernel `{kernel}`: {why}")))?;
        }
        Ok(tuned)
    }

    /// Reads the file of an option or of the environment. Hints do not change what a program computes: a file that cannot be used
    /// is a warning.
    pub(crate) fn asked(path: Option<&Path>) -> (Option<Self>, Vec<Problem>) {
        let read = path.map(Self::read).transpose();
        read.map(|tuned| (tuned, Vec::new()))
            .unwrap_or_else(|mut problem| {
                problem.severity = Severity::Warning;
                problem.notes.push("the hints of the program are used".to_owned());
                (None, vec![problem])
            })
    }

    /// The hints for a kernel.
    pub fn hints(&self, kernel: &TileKernel, target: Target) -> Option<HintOverrides> {
        let key = key(kernel);
        let mut kernels = self.kernels.iter();
        let found = kernels.find(|(entry, own, _)| entry.key == key && *own == target);
        found.map(|(_, _, hints)| *hints)
    }

    /// Adds the hints for a kernel, in place of those that it has.
    ///
    /// # Errors
    /// What is wrong with the target or the hints.
    pub fn set(&mut self, entry: Entry) -> Result<(), String> {
        let target = Target::parse(&entry.target).filter(|target| target.is_known());
        let target = target.ok_or_else(|| format!("there is no target '{}'", entry.target))?;
        let mut hints = HintOverrides::default();
        for (name, value) in &entry.hints {
            hints.set(name, &value.to_string())?;
        }
        hints.check(target.sm)?;
        self.kernels
            .retain(|(other, own, _)| other.key != entry.key || *own != target);
        self.kernels.push((entry, target, hints));
        Ok(())
    }

    /// The contents of its file.
    pub fn text(&self) -> String {
        let contents = Contents {
            tilewright_tuned: FORMAT,
            kernels: self.kernels.iter().map(|(entry, _, _)| entry.clone()).collect(),
        };
        serde_json::to_string_pretty(&contents).unwrap_or_default() + "\n"
    }
}

/// The file that the environment names.
pub(crate) fn variable() -> Option<PathBuf> {
    env::var_os(VARIABLE)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// The hints in words.
pub(crate) fn in_words(hints: &HintOverrides) -> String {
    let words = hints.iter().map(|(hint, value)| {
        let flag = hint_flag(&value).map(|flag| flag.to_string());
        let number = hint_number(&value).map(|number| number.to_string());
        format!("{} = {}", hint.word(), flag.or(number).unwrap_or_default())
    });
    let words: Vec<_> = words.collect();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    }
}

/// The hash by which a kernel is known.
pub(crate) fn key(kernel: &TileKernel) -> String {
    let entry = print_tile_entry(&without_hints(&kernel.func));
    let mut module = TileModule::new(Version::LATEST);
    module.globals.clone_from(&kernel.module.globals);
    let text = join_tile_entries(&module, [entry.as_str()]);
    format!("{:016x}", hash(text.as_bytes()))
}

/// A hash that is the same in every build: FNV-1a with 64 bits.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn entry(target: &str, key: &str, hints: &Value) -> Entry {
        Entry {
            kernel: "k".to_owned(),
            target: target.to_owned(),
            key: key.to_owned(),
            hints: hints.as_object().expect("an object").clone(),
            microseconds: Some(12.5),
            measured: true,
        }
    }

    fn read(text: &str) -> Result<Tuned, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), text).expect("written");
        let read = Tuned::read(file.path());
        read.map_err(|problem| {
            assert_eq!(problem.code, Code::TunedHints);
            problem.message
        })
    }

    #[test]
    fn what_is_written_is_read() {
        let mut tuned = Tuned::default();
        let hints = json!({"num_worker_warps_per_cta": 8, "allow_tma": false});
        tuned.set(entry("sm_90a", "12", &hints)).expect("hints");
        tuned.set(entry("sm_80", "12", &json!({}))).expect("hints");
        assert_eq!(read(&tuned.text()), Ok(tuned.clone()));
        assert_eq!(
            in_words(&tuned.kernels[0].2),
            "num_worker_warps_per_cta = 8, allow_tma = false"
        );
        // One for each kernel and target.
        tuned
            .set(entry("sm_90a", "12", &json!({"occupancy": 2})))
            .expect("hints");
        let words: Vec<_> = tuned
            .kernels
            .iter()
            .map(|(_, _, hints)| in_words(hints))
            .collect();
        assert_eq!(words, ["none", "occupancy = 2"]);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let with = |kernel: &Value| json!({"tilewright_tuned": 1, "kernels": [kernel]}).to_string();
        let kernel = |target, hints| serde_json::to_value(entry(target, "12", &hints)).expect("JSON");
        let mut other = kernel("sm_90a", json!({}));
        other["more"] = json!(1);
        for (text, wanted) in [
            (String::new(), "EOF while parsing a value at line 1 column 0"),
            ("[1]\n".to_owned(), "line 1 column"),
            (
                json!({"tilewright_tuned": 1}).to_string(),
                "missing field `kernels`",
            ),
            (
                json!({"tilewright_tuned": 2, "kernels": []}).to_string(),
                "version 2 of the format, and this compiler reads version 1",
            ),
            (with(&other), "unknown field `more`"),
            (
                with(&kernel("sm_9", json!({}))),
                "kernel `k`: there is no target 'sm_9'",
            ),
            (
                with(&kernel("sm_90a", json!({"warps": 4}))),
                "kernel `k`: there is no hint 'warps', expected one of num_cta_in_cga",
            ),
            (
                with(&kernel("sm_90a", json!({"occupancy": 99}))),
                "kernel `k`: hint occupancy = 99: expected an integer value from 1 to 32",
            ),
            (
                with(&kernel("sm_80", json!({"num_cta_in_cga": 2}))),
                "the architecture has no clusters",
            ),
        ] {
            let message = read(&text).expect_err("a mistake");
            assert!(message.contains(wanted), "{message}");
        }
        let missing = Tuned::read(Path::new("no/such/file")).expect_err("no file");
        assert_eq!(missing.code, Code::FileNotReadable);
        let (none, said) = Tuned::asked(Some(Path::new("no/such/file")));
        assert_eq!(none, None);
        assert_eq!(said[0].severity, Severity::Warning);
        assert_eq!(Tuned::asked(None), (None, Vec::new()));
    }
}
