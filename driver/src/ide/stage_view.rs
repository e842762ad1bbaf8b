//! A stage of one kernel beside its source: the text, and which of its lines were compiled from which op.

use tilewright_irs::core::Origin;

use super::functions::Function;
use crate::annotate;
use crate::database::Compiler;
use crate::inputs::Options;
use crate::pipeline;
use crate::trace::{self, Wanted};
use crate::units::Language;

/// The text of a kernel in a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageView {
    /// The text.
    pub text: String,
    /// For each line of the text, the source op that it was compiled from.
    pub origins: Vec<Option<Origin>>,
}

impl StageView {
    /// The kernel in a stage; `None` after an error, and for a stage before the kernel's own.
    pub fn of(db: &Compiler, function: &Function<'_>, options: Options, language: Language) -> Option<Self> {
        let stage = pipeline::stage(db, function.kernel?, options, language)?;
        let (text, origins) = annotate::with_origins(&stage);
        Some(Self { text, origins })
    }

    /// The lives of a kernel's attributes; `None` for a function that has errors.
    pub fn of_attributes(db: &Compiler, function: &Function<'_>, options: Options) -> Option<Self> {
        let kernel = function.kernel?;
        let lives = trace::lives(db, kernel, options);
        let shown = trace::placed(db, kernel, None, &Wanted::All.of(lives));
        let (text, origins) = trace::to_lines(function.name, Wanted::All, &shown, lives);
        Some(Self { text, origins })
    }

    /// The lines that were compiled from an op, numbered from 0.
    pub fn lines_of(&self, origin: Origin) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.origins.iter().zip(self.text.lines()).enumerate();
        lines.filter_map(move |(at, (own, line))| (*own == Some(origin)).then_some((at, line)))
    }
}
