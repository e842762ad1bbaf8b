//! The settings in the editor: `tilewright.*`.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};

use crate::inputs::Request;
use crate::{ptxas, targets};

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Settings {
    /// The GPU, such as `sm_90a`.
    target: Option<String>,
    /// The optimisation level, 0 to 3.
    opt_level: Option<u8>,
    /// Whether multiplications and additions are fused.
    fmad: bool,
    /// Whether hints are shown at the ends of lines.
    inlay_hints: Option<bool>,
    /// The ptxas for the numbers in code lenses: a path, `true` for the one that is found, `false` for none.
    ptxas: Ptxas,
    /// Whether to log executed queries, for `tilewright/executions`.
    pub(super) log_executions: bool,
    /// Where the modules of Python files come from.
    pub(super) python: PythonSettings,
}

/// Where the modules of Python files come from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct PythonSettings {
    /// The command that makes the modules of a file, with its arguments: it leaves bytecode in a folder, or writes a module to
    /// its standard output. `${file}` and `${out}` stand for the file and the folder. Without a command, bytecode beside the file
    /// is used.
    command: Vec<String>,
    /// The time limit of the command, in seconds.
    timeout: Option<f64>,
}

/// The time limit of the command for a Python file, in seconds: the default, and the largest that can be set.
const PATIENCE: f64 = 30.0;
const MOST_PATIENCE: f64 = 3600.0;

impl PythonSettings {
    /// The command, if there is one.
    pub(super) fn command(&self) -> Option<&[String]> {
        (!self.command.is_empty()).then_some(&self.command)
    }

    /// The time limit of the command.
    pub(super) fn limit(&self) -> Duration {
        let seconds = self.timeout.filter(|seconds| *seconds > 0.0).unwrap_or(PATIENCE);
        Duration::from_secs_f64(seconds.min(MOST_PATIENCE))
    }
}

/// Which ptxas is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Ptxas {
    Wanted(bool),
    At(PathBuf),
}

impl Default for Ptxas {
    fn default() -> Self {
        Self::Wanted(true)
    }
}

impl Settings {
    /// Reads the editor's settings: the object `tilewright` in them, or the whole object.
    ///
    /// # Errors
    /// A message for the user that says what is wrong with them.
    pub(super) fn read(settings: Value) -> Result<Self, String> {
        let own = settings.get("tilewright").cloned().unwrap_or(settings);
        if own.is_null() {
            return Ok(Self::default());
        }
        let ignored = |why: &dyn std::fmt::Display| format!("the settings of tilewright are ignored: {why}");
        let settings: Self = serde_json::from_value(own).map_err(|error| ignored(&error))?;
        if let Some(target) = &settings.target {
            targets::parse::<()>(target).map_err(|problem| ignored(&problem.message))?;
        }
        Ok(settings)
    }

    /// The options of compilations.
    pub(super) fn request(&self) -> Request {
        let default = Request::default();
        let target = self.target.as_deref().map(targets::parse::<()>);
        Request {
            target: target.and_then(Result::ok),
            opt_level: self.opt_level.unwrap_or(default.opt_level).min(3),
            fast_math: FastMath::NONE.with(FastMathFlag::Contract, self.fmad),
            ..default
        }
    }

    /// Whether hints are shown at the ends of lines.
    pub(super) fn shows_hints(&self) -> bool {
        self.inlay_hints.unwrap_or(true)
    }

    /// The ptxas, if one is wanted and there is one.
    pub(super) fn ptxas(&self) -> Option<PathBuf> {
        match &self.ptxas {
            Ptxas::Wanted(false) => None,
            Ptxas::Wanted(true) => ptxas::find(None).ok(),
            Ptxas::At(path) => ptxas::find(Some(path)).ok(),
        }
    }
}
