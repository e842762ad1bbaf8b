//! `tilewright layout`: pictures of layouts, and the cost of accesses and conversions.

mod conflicts;
mod convert;
mod descriptor;
mod given;
mod json;
mod names;
mod notation;
mod output;
mod show;
mod value;

use clap::{Args, Subcommand};

use super::report::{Outcome, Reporter};

/// The arguments of `layout`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_long_help = "A LAYOUT is one of
  a linear layout    'linear<register = [[0, 1]], lane = [[0, 2], [1, 0]], shape = [2, 4]>'
  a CuTe layout      '((2,4),8):((1,16),2)', 'Sw<3,4,3> o 0 o (8,64):(64,1)'
  a name             mma.m16n8k16.b16.a, 'coalesced(4,4,[1,0]) 32x64'; `tilewright layout names` lists them
  @FILE              any of these in a file
A CuTe layout of (thread, value) to element says who holds a tile whose shape is given with --tile.

Examples:
  tilewright layout show mma.m16n8k16.b16.c
  tilewright layout gemm.cute --value %tile
  tilewright layout show mma.m16n8k16.b16.a --view thread -o a.svg
  tilewright layout convert 'coalesced(4,4,[1,0]) 64x64' 'coalesced(4,4,[0,1]) 64x64' --width 16"
)]
pub(super) struct Layout {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    of_value: value::OfValue,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the thread and register of each element, or its bank
    Show(show::Show),
    /// Plan the conversion between two register layouts, with its cost
    Convert(convert::Convert),
    /// Show the bank conflicts of an access to a tile in shared memory
    Conflicts(conflicts::Conflicts),
    /// Write a layout in every notation
    Notation(notation::Notation),
    /// Compute the matrix descriptors of an operand in shared memory
    Descriptor(descriptor::Descriptor),
    /// List the named layouts
    Names(names::Names),
}

impl Layout {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        match &self.command {
            Some(Command::Show(command)) => command.execute(reporter),
            Some(Command::Convert(command)) => command.execute(reporter),
            Some(Command::Conflicts(command)) => command.execute(reporter),
            Some(Command::Notation(command)) => command.execute(reporter),
            Some(Command::Descriptor(command)) => command.execute(reporter),
            Some(Command::Names(command)) => command.execute(),
            None => self.of_value.execute(reporter),
        }
    }
}
