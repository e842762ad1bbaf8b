//! `tilewright layout conflicts`.

use clap::Args;
use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_layout_gallery::picture::{Picture, WarpAccess};
use tilewright_layouts::ElementWidth;
use tilewright_layouts::bank::Access;

use super::given::{Texts, Tile, width};
use super::output::Output;
use crate::cli::report::{Exit, Outcome, Reporter};

/// The arguments of `layout conflicts`.
#[derive(Debug, Args)]
pub(super) struct Conflicts {
    /// The register layout: its text, its name, or @FILE
    #[arg(value_name = "REGISTERS")]
    registers: String,
    /// The layout of the tile in shared memory, likewise
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// The width of an element in bits [default: that of the named layout]
    #[arg(long, value_name = "BITS", value_parser = width)]
    width: Option<ElementWidth>,
    /// Show a store instead of a load
    #[arg(long)]
    store: bool,
    #[command(flatten)]
    tile: Tile,
    #[command(flatten)]
    output: Output,
}

impl Conflicts {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut texts = Texts::default();
        match self.picture(&mut texts) {
            Ok(picture) => {
                self.output.write(&[], &[picture])?;
                Ok(Exit::Ok)
            }
            Err(refusal) => texts.refuse(reporter, refusal),
        }
    }

    fn picture(&self, texts: &mut Texts) -> Result<Picture, Diagnostic<Location>> {
        let registers = texts.read("registers", &self.registers)?.over(&self.tile)?;
        let memory = texts.read("memory", &self.memory)?;
        let width = memory.width(self.width.or(memory.width).or(registers.width))?;
        let place = memory.memory(width)?;
        let direction = if self.store { Access::Store } else { Access::Load };
        let access = WarpAccess::first(direction, registers.registers()?, &place)
            .map_err(|error| registers.no_view(&error))?;
        let subtitle = format!("{} in {}", registers.text, memory.text);
        Ok(access.picture(&self.output.options()).subtitle(subtitle))
    }
}
