//! `tilewright layout notation`.

use clap::Args;
use tilewright_layouts::cute::Composed;
use tilewright_layouts::{Dim, LinearLayout, bridge};

use super::given::{Place, Texts, Tile};
use super::output::TextOutput;
use crate::cli::report::{Exit, Outcome, Reporter};

/// The arguments of `layout notation`.
#[derive(Debug, Args)]
pub(super) struct Notation {
    /// The layout: its text, its name, or @FILE
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    tile: Tile,
    #[command(flatten)]
    output: TextOutput,
}

/// The layout in one notation, or the reason why it cannot be written in it.
type Said = Result<String, String>;

impl Notation {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut texts = Texts::default();
        let given = match texts
            .read("layout", &self.layout)
            .and_then(|given| given.over(&self.tile))
        {
            Ok(given) => given,
            Err(refusal) => return texts.refuse(reporter, refusal),
        };
        let (linear, cute) = match &given.layout {
            Place::Linear(linear) => (Ok(linear.clone()), to_cute(linear)),
            Place::Cute(cute) => {
                let linear = bridge::memory_to_linear(cute).map_err(|error| error.to_string());
                (linear, Ok(written(cute)))
            }
        };
        let triton = linear.as_ref().map_err(Clone::clone).and_then(to_triton);
        let lines = [
            ("linear", linear.map(|linear| linear.to_string())),
            ("Triton", triton),
            ("CuTe", cute),
        ];
        let text: String = lines.into_iter().map(|(name, said)| line(name, said)).collect();
        self.output.write(&text)?;
        Ok(Exit::Ok)
    }
}

fn line(name: &str, said: Said) -> String {
    match said {
        Ok(text) => format!("{name:<7} {text}\n"),
        Err(reason) => format!("{name:<7} cannot say it: {reason}\n"),
    }
}

fn to_triton(linear: &LinearLayout) -> Said {
    let reason = "its form is for layouts of registers, lanes, warps and blocks that reach every element";
    linear.to_triton().ok_or_else(|| reason.to_owned())
}

/// The CuTe layout that corresponds to a linear one: coordinates to offsets, or threads to elements.
fn to_cute(linear: &LinearLayout) -> Said {
    let found = if linear.in_bits(Dim::Offset) > 0 {
        let rank = u8::try_from(linear.shape().len()).unwrap_or(u8::MAX);
        match linear.invert() {
            Ok(places) => bridge::memory_from_linear(&places, rank),
            Err(error) => Err(error.into()),
        }
    } else if linear.out_size(Dim::Offset).is_some() {
        let axes = linear.in_dims().filter_map(|(dim, _)| match dim {
            Dim::Axis(axis) => Some(axis + 1),
            Dim::Register
            | Dim::Lane
            | Dim::Warp
            | Dim::Block
            | Dim::Offset
            | Dim::TmemLane
            | Dim::TmemColumn => None,
        });
        bridge::memory_from_linear(linear, axes.max().unwrap_or(0))
    } else {
        bridge::threads_from_linear(linear)
    };
    found
        .map(|layout| written(&layout))
        .map_err(|error| error.to_string())
}

/// A layout without redundant parts.
fn written(layout: &Composed) -> String {
    layout
        .as_plain()
        .map_or_else(|| layout.to_string(), ToString::to_string)
}
