//! Arguments of a subcommand that are declared when the subcommand is asked for: declaring those of every command would
//! take about 4 % of the instructions that compile a small kernel.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments `T` of a subcommand.
#[derive(Debug)]
pub(super) struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Declares the arguments. The subcommand has its description already, which that of `T` must not replace.
fn declare<T: Args>(command: Command) -> Command {
    let about = Resettable::from(command.get_about().cloned());
    let long_about = Resettable::from(command.get_long_about().cloned());
    T::augment_args(command).about(about).long_about(long_about)
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(declare::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Parser};

    use super::Deferred;

    /// About the arguments.
    #[derive(Debug, Args)]
    struct Arguments {
        #[arg(long)]
        flag: bool,
    }

    #[derive(Debug, Parser)]
    #[command(name = "program")]
    enum Program {
        /// About the command
        Command(Deferred<Arguments>),
    }

    #[test]
    fn arguments_are_declared_when_their_command_is_asked_for() {
        let mut program = <Program as clap::CommandFactory>::command();
        let command = program.find_subcommand_mut("command").expect("a subcommand");
        assert_eq!(command.get_arguments().count(), 0);
        let Ok(Program::Command(arguments)) = Program::try_parse_from(["program", "command", "--flag"])
        else {
            panic!("the command line is right");
        };
        assert!(arguments.flag);
    }

    #[test]
    fn the_description_of_the_command_is_kept() {
        let help = Program::try_parse_from(["program", "command", "--help"]).expect_err("help");
        let help = help.to_string();
        assert!(help.starts_with("About the command\n"), "{help}");
        assert!(help.contains("--flag"), "{help}");
    }
}
