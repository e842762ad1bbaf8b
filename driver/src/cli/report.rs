//! Output of a command: text on standard output, diagnostics on standard error, an exit code.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Files, Format, Location, counted, render_within};

pub(super) use crate::exit::Exit;

/// A command's outcome: its exit, or what stopped it.
pub(super) type Outcome = Result<Exit, Diagnostic<Location>>;

/// The exit status for a diagnostic.
pub(super) fn exit_of(diagnostic: &Diagnostic<Location>) -> Exit {
    if !diagnostic.is_error() {
        return Exit::Ok;
    }
    match diagnostic.code {
        Code::Internal | Code::InvalidStage => Exit::Failed,
        // Named by a text, not by the command line.
        Code::UnknownTarget if diagnostic.primary.is_some() => Exit::Rejected,
        Code::BadArgument
        | Code::ArgumentCount
        | Code::FileNotReadable
        | Code::FileNotWritable
        | Code::UnknownTarget
        | Code::PtxasMissing
        | Code::NoGpu
        | Code::Mismatch => Exit::Usage,
        _ => Exit::Rejected,
    }
}

/// The errors that are printed on a terminal unless another number is asked for.
const ERRORS_ON_A_TERMINAL: usize = 20;

/// The width of quoted source lines, in columns, if standard error is no terminal.
const WIDTH: usize = 100;

/// The columns of the terminal.
fn width() -> usize {
    terminal_size::terminal_size_of(io::stderr()).map_or(WIDTH, |(width, _)| usize::from(width.0))
}

/// Whether warnings are errors.
#[derive(Clone, Debug, Args)]
pub(super) struct Strictness {
    /// Treat warnings as errors; -Werror is the same
    #[arg(long = "Werror")]
    werror: bool,
    /// The word after `-W`.
    #[arg(short = 'W', value_name = "error", value_parser = ["error"], hide = true)]
    w: Option<String>,
}

impl Strictness {
    /// The diagnostics as they are reported.
    pub(super) fn apply(&self, mut said: Vec<Diagnostic<Location>>) -> Vec<Diagnostic<Location>> {
        if self.werror || self.w.is_some() {
            said.iter_mut().for_each(Diagnostic::raise);
        }
        said
    }
}

/// Renders diagnostics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reporter {
    format: Format,
    color: bool,
    /// The errors that are printed of one report.
    limit: usize,
}

impl Reporter {
    /// The format asked for, or else rich on a terminal and short elsewhere. Colours only on terminals, unless `NO_COLOR` is
    /// set. `limit` is the number of errors to print at most, 0 for all of them; by default all of them, on a terminal 20.
    pub(super) fn new(asked: Option<Format>, limit: Option<usize>) -> Self {
        let terminal = io::stderr().is_terminal();
        let default = if terminal { Format::Rich } else { Format::Short };
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            format: asked.unwrap_or(default),
            color: terminal && !plain,
            limit: match limit {
                Some(0) => usize::MAX,
                Some(limit) => limit,
                None if terminal => ERRORS_ON_A_TERMINAL,
                None => usize::MAX,
            },
        }
    }

    /// Prints diagnostics on standard error and returns the worst exit among them.
    pub(super) fn report(&self, diagnostics: &[Diagnostic<Location>], mut files: Files) -> Exit {
        if self.format == Format::Rich {
            add_sources(diagnostics, &mut files);
        }
        let (shown, hidden) = limited(diagnostics, self.limit);
        // If standard error is closed, there is nowhere to report it.
        let text = render_within(shown, &files, self.format, self.color, width());
        let _ = io::stderr().write_all(text.as_bytes());
        // Programs that read objects count them.
        if hidden > 0 && self.format != Format::Json {
            let hidden = counted(hidden, "more error");
            remark(&format!("{hidden} not shown; `--error-limit 0` shows all"));
        }
        diagnostics.iter().map(exit_of).max().unwrap_or(Exit::Ok)
    }

    /// Prints one diagnostic that concerns no file.
    pub(super) fn report_one(&self, diagnostic: Diagnostic<Location>) -> Exit {
        self.report(&[diagnostic], Files::new())
    }
}

/// The diagnostics up to the last error within a limit, and the number of errors after them.
fn limited(diagnostics: &[Diagnostic<Location>], limit: usize) -> (&[Diagnostic<Location>], usize) {
    let errors = diagnostics.iter().enumerate().filter(|(_, one)| one.is_error());
    let Some((at, _)) = errors.clone().nth(limit) else {
        return (diagnostics, 0);
    };
    let hidden = errors.count() - limit;
    (diagnostics.get(..at).unwrap_or_default(), hidden)
}

/// Adds the source files that debug information names, as far as they can be read.
fn add_sources(diagnostics: &[Diagnostic<Location>], files: &mut Files) {
    let labels = diagnostics
        .iter()
        .flat_map(|one| one.primary.iter().chain(&one.secondary));
    for label in labels {
        if let Location::Source { path, .. } = &label.at
            && files.find_text(path).is_none()
            && let Ok(text) = fs::read_to_string(path)
        {
            files.add_text(path.clone(), text);
        }
    }
}

/// Writes a line to standard error.
pub(super) fn remark(text: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr(), "{text}");
}
