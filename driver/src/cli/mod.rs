//! The command line.
//!
//! Exit codes: 0 success, 1 the command line is invalid or a result differs from what was expected, 3 the input was refused, 5
//! a bug of the compiler.

mod arguments;
mod bytecode;
mod check;
mod compile;
mod deferred;
mod disasm;
mod explore;
mod input;
mod install;
mod job;
mod launch_options;
mod layout;
mod lsp;
mod passes;
mod progress;
mod report;
mod run;
mod schedule;
mod source_lines;
mod stages;
mod sweep;
mod sweep_table;
mod trace_attr;
mod tune;
mod watch;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use tilewright_diagnostics::{Code, Diagnostic, Format};

use deferred::Deferred;
use report::{Outcome, Reporter};

use crate::explain::Topic;

pub use crate::exit::Exit;

/// Compiles CUDA Tile IR to PTX through eight small languages, each of which can be printed, edited and read back.
///
/// An input file is Tile IR bytecode or the text of any language, which is detected from its contents. `-` is standard input.
#[derive(Debug, Parser)]
#[command(
    name = "tilewright",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 all is well; 1 the command line cannot be followed, or a result is not what was \
                        expected; 3 the input was refused; 5 the compiler has a bug."
)]
struct Cli {
    /// The format of diagnostics [default: rich on a terminal, short elsewhere]
    #[arg(long, global = true, value_name = "FORMAT", value_parser = ["rich", "short", "json"])]
    error_format: Option<String>,
    /// Print at most N errors, and the number of the others; 0 for all [default: 20 on a terminal, all elsewhere]
    #[arg(long, global = true, value_name = "N")]
    error_limit: Option<usize>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile a file to another language, to a cubin, or to bytecode
    Compile(Deferred<compile::Compile>),
    /// Print bytecode as text, as NVIDIA's tileirdisasm does
    Disasm(Deferred<disasm::Disasm>),
    /// Run one pass on a file in the language that the pass reads
    Pass(Deferred<passes::RunPass>),
    /// List the passes with their input and output languages
    Passes,
    /// Parse and verify a file in any language
    Check(Deferred<check::Check>),
    /// Print a kernel in every language, one after the other, with the source line beside each op
    Stages(Deferred<stages::Stages>),
    /// Follow an attribute of a kernel through the languages: its names and values, the passes that change it, and how it ends
    TraceAttr(Deferred<trace_attr::TraceAttr>),
    /// Draw the schedule, predicted or also measured: agents over time, what limits them, and how long a launch takes
    Schedule(Deferred<schedule::Schedule>),
    /// Rank hints by the time of a kernel with them, as predicted or as measured on a GPU
    Tune(Deferred<tune::Tune>),
    /// Compile and launch a kernel, on a GPU or in the simulator
    Run(Deferred<run::Run>),
    /// Make links by which cuTile Python, cutile-rs and cuTile.jl find this compiler in place of NVIDIA's tileiras
    Install(Deferred<install::Install>),
    /// Show layouts as tables and pictures, with bank conflicts and conversion plans
    Layout(Deferred<layout::Layout>),
    /// Compile a file again whenever it is saved, and print what changed
    Watch(Deferred<watch::Watch>),
    /// Show a compilation in the browser: the source, its stages beside it, and what each pass did
    Explore(Deferred<explore::Explore>),
    /// Serve an editor on standard input and output by the language server protocol
    Lsp(Deferred<lsp::Lsp>),
    /// Explain an error code, or what becomes of attributes
    Explain(Deferred<Explain>),
}

#[derive(Debug, clap::Args)]
struct Explain {
    /// A code, such as E0401, a page that `attributes` lists, or the name of an attribute
    topic: String,
}

/// Runs a command line; the first argument is the program's name.
pub fn main_with(args: &[OsString]) -> Exit {
    let parsed = Cli::command().try_get_matches_from(args).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((matches, cli))
    });
    let (matches, cli) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are not errors, and go to standard output.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            // If the stream is closed, there is nowhere to report it.
            let _ = error.print();
            return exit;
        }
    };
    let asked = cli
        .error_format
        .as_deref()
        .and_then(|name| name.parse::<Format>().ok());
    let reporter = Reporter::new(asked, cli.error_limit);
    let outcome = crate::panics::caught(|| execute(&cli.command, &matches, &reporter));
    match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(problem)) => reporter.report_one(problem),
        Err(message) => {
            let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
            reporter.report_one(Diagnostic::bug(
                "driver",
                "command line",
                message,
                &words.join(" "),
            ))
        }
    }
}

fn execute(command: &Command, matches: &ArgMatches, reporter: &Reporter) -> Outcome {
    match command {
        Command::Compile(command) => command.execute(reporter),
        Command::Disasm(command) => command.execute(reporter),
        Command::Pass(command) => command.execute(reporter),
        Command::Passes => passes::list(),
        Command::Check(command) => command.execute(reporter),
        Command::Stages(command) => command.execute(reporter),
        Command::TraceAttr(command) => command.execute(reporter),
        Command::Schedule(command) => command.execute(matches.subcommand_matches("schedule"), reporter),
        Command::Tune(command) => command.execute(matches.subcommand_matches("tune"), reporter),
        Command::Run(command) => command.execute(matches.subcommand_matches("run"), reporter),
        Command::Install(command) => command.execute(reporter),
        Command::Layout(command) => command.execute(reporter),
        Command::Watch(command) => command.execute(reporter),
        Command::Explore(command) => command.execute(),
        Command::Lsp(command) => command.execute(),
        Command::Explain(command) => explain(&command.topic),
    }
}

fn explain(topic: &str) -> Outcome {
    match Topic::named(topic) {
        Ok(topic) => {
            crate::files::print(topic.text().as_bytes())?;
            Ok(Exit::Ok)
        }
        Err(unknown) => Err(Diagnostic::error(Code::BadArgument, unknown.to_string())),
    }
}
