//! `tilewright layout convert`.

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_irs::machine::Machine;
use tilewright_layout_gallery::picture::{Memory, Picture, WarpAccess, by_bank, by_element, by_thread};
use tilewright_layouts::bank::Access;
use tilewright_layouts::{
    BankCost, Conversion, Dim, ElementWidth, LaneShuffles, LinearLayout, SharedRoundTrip,
};

use super::given::{Given, Texts, Tile, width};
use super::output::Output;
use crate::cli::report::{Exit, Outcome, Reporter};
use crate::targets;

/// The arguments of `layout convert`.
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// The source layout: its text, its name, or @FILE
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The target layout, likewise
    #[arg(value_name = "WANTED")]
    wanted: String,
    /// The width of an element in bits [default: that of the named layout]
    #[arg(long, value_name = "BITS", value_parser = width)]
    width: Option<ElementWidth>,
    #[command(flatten)]
    tile: Tile,
    #[command(flatten)]
    output: Output,
}

/// The description of a plan, and its pictures.
type Plan = (Vec<(&'static str, String)>, Vec<Picture>);

impl Convert {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut texts = Texts::default();
        match self.plan(&mut texts) {
            Ok((facts, pictures)) => {
                self.output.write(&facts, &pictures)?;
                Ok(Exit::Ok)
            }
            Err(refusal) => texts.refuse(reporter, refusal),
        }
    }

    fn plan(&self, texts: &mut Texts) -> Result<Plan, Diagnostic<Location>> {
        let source = texts.read("source", &self.source)?.over(&self.tile)?;
        let wanted = texts.read("wanted", &self.wanted)?.over(&self.tile)?;
        let width = wanted.width(self.width.or(wanted.width).or(source.width))?;
        let refuse = |error: &dyn std::fmt::Display| {
            Diagnostic::error(Code::LayoutsDiffer, error.to_string())
                .at(wanted.span.into(), "the wanted layout")
                .also(source.span.into(), "the layout that the tile is in")
        };
        let Some(bytes) = whole_bytes(width) else {
            let message = format!(
                "elements of {} are not moved one by one",
                counted(width.bits(), "bit")
            );
            return Err(Diagnostic::error(Code::BadArgument, message).help("the least width is 8"));
        };
        let (from, to) = (source.registers()?, wanted.registers()?);
        let warps = from.in_size(Dim::Warp).max(to.in_size(Dim::Warp));
        let prices = Machine::of(targets::DEFAULT).costs.conversions(warps);
        let conversion = Conversion::plan(from, to, bytes, prices).map_err(|error| refuse(&error))?;
        let mut facts = vec![("from", source.text.clone()), ("to", wanted.text.clone())];
        let mut pictures = Vec::new();
        match &conversion {
            Conversion::Noop => facts.push(("plan", "nothing to do: every value is in its place".to_owned())),
            Conversion::RegisterPermutation(map) => {
                facts.push((
                    "plan",
                    "every thread moves values between its own registers".to_owned(),
                ));
                let sources: Vec<String> = map.sources().map(|source| format!("R{source}")).collect();
                facts.push(("registers", format!("R0.. are taken from {}", sources.join(" "))));
            }
            Conversion::LaneShuffles(plan) => {
                facts.push(("plan", "lanes of each warp exchange values".to_owned()));
                let (rounds, local) = (plan.rounds, plan.local_rounds);
                facts.push(("rounds", format!("{rounds}, {local} of them within lanes")));
                facts.push(("shuffles", format!("{} shfl.sync", plan.shuffles)));
                facts.push((
                    "selects",
                    format!("at most {}", counted(plan.selects, "other instruction")),
                ));
                pictures.push(self.rounds(plan));
            }
            Conversion::SharedRoundTrip(trip) => {
                facts.push(("plan", "through shared memory".to_owned()));
                round_trip(trip, &mut facts);
                pictures = self.buffers(&source, &wanted, trip, width)?;
            }
        }
        if pictures.is_empty() {
            let options = self.output.options();
            for given in [&source, &wanted] {
                pictures.push(by_element(given.registers()?, &options).subtitle(given.text.clone()));
            }
        }
        Ok((facts, pictures))
    }

    /// The buffer, and the first store and load of a warp.
    fn buffers(
        &self,
        source: &Given,
        wanted: &Given,
        trip: &SharedRoundTrip,
        width: ElementWidth,
    ) -> Result<Vec<Picture>, Diagnostic<Location>> {
        let options = self.output.options();
        let memory = Memory::from_linear(&trip.memory, width).map_err(|error| source.no_view(&error))?;
        let access = |direction, offsets: &LinearLayout, vector, given: &Given| {
            let access = WarpAccess::of_offsets(direction, offsets, vector, width);
            let access = access.map_err(|error| given.no_view(&error))?;
            Ok(access.picture(&options).subtitle(given.text.clone()))
        };
        Ok(vec![
            by_bank(&memory, &options).subtitle("the buffer"),
            access(Access::Store, &trip.store, trip.store_vector, source)?,
            access(Access::Load, &trip.load, trip.load_vector, wanted)?,
        ])
    }

    /// The source lane of each lane's value in each round.
    fn rounds(&self, plan: &LaneShuffles) -> Picture {
        let mut picture = by_thread(&plan.from, &self.output.options());
        picture.title = "Which lane each lane receives from".to_owned();
        if plan.rounds > 1 {
            picture.columns.title = "round".to_owned();
        }
        for label in &mut picture.columns.labels {
            *label = label.replace('R', "");
        }
        for cell in &mut picture.cells {
            cell.copy = false;
            cell.detail.clear();
            for part in &mut cell.parts {
                part.insert(0, 'T');
            }
        }
        picture.notes.retain(|note| note.starts_with("Only"));
        picture
    }
}

/// The costs of a round trip through shared memory.
fn round_trip(trip: &SharedRoundTrip, facts: &mut Vec<(&'static str, String)>) {
    let cost = |cost: BankCost| match cost.conflicts() {
        0 => format!("{} a warp, no bank conflicts", counted(cost.cycles, "cycle")),
        lost => format!(
            "{} a warp, {lost} lost to bank conflicts",
            counted(cost.cycles, "cycle")
        ),
    };
    facts.push(("buffer", counted(trip.bytes, "byte").to_string()));
    if trip.pieces > 1 {
        facts.push(("pieces", format!("{}, one after the other", trip.pieces)));
    }
    facts.push((
        "store",
        format!(
            "{} at a time, {}",
            counted(trip.store_vector, "element"),
            cost(trip.store_cost)
        ),
    ));
    facts.push((
        "load",
        format!(
            "{} at a time, {}",
            counted(trip.load_vector, "element"),
            cost(trip.load_cost)
        ),
    ));
}

/// The size of an element in bytes, if it is a whole number.
fn whole_bytes(width: ElementWidth) -> Option<u32> {
    width.bits().is_multiple_of(8).then_some(width.bits() / 8)
}
