//! `tilewright layout show`.

use clap::{Args, ValueEnum};
use tilewright_diagnostics::{Code, Diagnostic, Location, Span};
use tilewright_layout_gallery::picture::{
    Picture, by_bank, by_coordinate, by_element, by_offset, by_thread, of_coordinates,
};
use tilewright_layouts::ElementWidth;
use tilewright_layouts::cute::TypeLayout;

use super::given::{Given, Place, Texts, Tile, width};
use super::output::Output;
use crate::cli::report::{Exit, Outcome, Reporter};

/// The view of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// For each element, the thread and register that hold it
    Element,
    /// For each register of each thread, the element in it
    Thread,
    /// For each element, its offset in shared memory and its bank
    Memory,
    /// For each bank of shared memory, the elements in it
    Bank,
    /// For each coordinate of a CuTe layout, its index
    Index,
}

/// The arguments of `layout show`.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// The layout: its text, its name, or @FILE
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    drawing: Drawing,
}

/// How a layout is drawn.
#[derive(Debug, Args)]
pub(super) struct Drawing {
    /// The view [default: index for CuTe layouts, memory for layouts of shared memory, else element]
    #[arg(long, value_enum)]
    view: Option<View>,
    /// The width of an element in bits, where banks are shown [default: that of the named layout]
    #[arg(long, value_name = "BITS", value_parser = width)]
    width: Option<ElementWidth>,
    #[command(flatten)]
    tile: Tile,
    #[command(flatten)]
    pub(super) output: Output,
}

impl Show {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut texts = Texts::default();
        let drawn = texts
            .read("layout", &self.layout)
            .and_then(|given| self.drawing.picture(&given));
        match drawn {
            Ok(picture) => {
                self.drawing.output.write(&[], &[picture])?;
                Ok(Exit::Ok)
            }
            Err(refusal) => texts.refuse(reporter, refusal),
        }
    }
}

impl Drawing {
    /// The picture of a layout.
    pub(super) fn picture(&self, given: &Given) -> Result<Picture, Diagnostic<Location>> {
        let given = given.clone().over(&self.tile)?;
        let options = self.output.options();
        let natural = match &given.layout {
            Place::Cute(_) => View::Index,
            Place::Linear(_) if given.is_memory() => View::Memory,
            Place::Linear(_) => View::Element,
        };
        let picture = match (self.view.unwrap_or(natural), &given.layout) {
            (View::Element, _) => by_element(given.registers()?, &options),
            (View::Thread, _) => by_thread(given.registers()?, &options),
            (View::Memory, _) => by_offset(&given.memory(given.width(self.width)?)?, &options),
            (View::Bank, _) => by_bank(&given.memory(given.width(self.width)?)?, &options),
            (View::Index, Place::Cute(layout)) => {
                by_coordinate(layout, &options).map_err(|error| given.no_view(&error))?
            }
            (View::Index, Place::Linear(_)) => {
                let message = "the layout is no CuTe layout: it has no indices";
                let refusal = Diagnostic::error(Code::NoSuchView, message);
                return Err(refusal.at(given.span.into(), "this layout"));
            }
        };
        Ok(picture.subtitle(given.text))
    }

    /// The picture of a layout whose indices are coordinates, of which there is one view.
    pub(super) fn coordinates(
        &self,
        layout: &TypeLayout,
        text: String,
        at: Span,
    ) -> Result<Picture, Diagnostic<Location>> {
        let refuse = |message: String| {
            Diagnostic::error(Code::NoSuchView, message).at(at.into(), format!("its layout is `{text}`"))
        };
        match self.view {
            None | Some(View::Index) => {}
            Some(View::Element | View::Thread | View::Memory | View::Bank) => {
                return Err(refuse(
                    "the indices of the layout are coordinates, which only the view `index` shows".to_owned(),
                ));
            }
        }
        let picture =
            of_coordinates(layout, &self.output.options()).map_err(|error| refuse(error.to_string()))?;
        Ok(picture.subtitle(text))
    }
}
