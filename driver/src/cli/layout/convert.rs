//! `tilewright layout convert`.

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_layouts::picture::{Access, Memory, Picture, by_bank, by_element};
use tilewright_layouts::{BankCost, Conversion, ElementWidth, LinearLayout, SharedRoundTrip};

use super::given::{Given, Texts, width};
use super::output::Output;
use crate::cli::Outcome;
use crate::cli::report::{Exit, Reporter};

/// The arguments of `layout convert`.
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// The layout that the tile is in: its text, its name, or @FILE
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The layout that is wanted, likewise
    #[arg(value_name = "WANTED")]
    wanted: String,
    /// The width of an element in bits [default: what a name says]
    #[arg(long, value_name = "BITS", value_parser = width)]
    width: Option<ElementWidth>,
    #[command(flatten)]
    output: Output,
}

/// What is said about a plan, and the pictures of it.
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
        let source = texts.read("source", &self.source)?;
        let wanted = texts.read("wanted", &self.wanted)?;
        let width = wanted.width(self.width.or(wanted.width).or(source.width))?;
        let refuse = |error: &dyn std::fmt::Display| {
            Diagnostic::error(Code::LayoutsDiffer, error.to_string())
                .at(wanted.span.into(), "the wanted layout")
                .also(source.span.into(), "the layout that the tile is in")
        };
        let Some(bytes) = whole_bytes(width) else {
            let message = format!("elements of {} bits are not moved one by one", width.bits());
            return Err(Diagnostic::error(Code::BadArgument, message).help("the least width is 8"));
        };
        let conversion = Conversion::plan(source.registers()?, wanted.registers()?, bytes)
            .map_err(|error| refuse(&error))?;
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
                facts.push((
                    "rounds",
                    format!("{}, {} of them within each lane", plan.rounds, plan.local_rounds),
                ));
                facts.push((
                    "instructions",
                    format!(
                        "{} shuffles, at most {} selections and permutations",
                        plan.shuffles, plan.selects
                    ),
                ));
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
        // The elements in the order in which registers are accessed.
        let in_order = |offsets: &LinearLayout| offsets.compose(&trip.memory.invert().ok()?).ok();
        let access = |given: &Given, what: &str, offsets| -> Result<Picture, Diagnostic<Location>> {
            let access = in_order(offsets).and_then(|registers| Access::first(&registers, &memory).ok());
            let access = match access {
                Some(access) => access,
                None => Access::first(given.registers()?, &memory).map_err(|error| given.no_view(&error))?,
            };
            Ok(access
                .picture(&options)
                .subtitle(format!("{what}: {}", given.text)))
        };
        Ok(vec![
            by_bank(&memory, &options).subtitle("the buffer"),
            access(source, "store", &trip.store)?,
            access(wanted, "load", &trip.load)?,
        ])
    }
}

/// The numbers of a round trip.
fn round_trip(trip: &SharedRoundTrip, facts: &mut Vec<(&'static str, String)>) {
    let cost = |cost: BankCost| match cost.conflicts() {
        0 => format!("{} cycles a warp, no bank conflicts", cost.cycles),
        lost => format!("{} cycles a warp, {lost} lost to bank conflicts", cost.cycles),
    };
    facts.push(("buffer", format!("{} bytes", trip.bytes)));
    facts.push((
        "store",
        format!(
            "{} elements at a time, {}",
            trip.store_vector,
            cost(trip.store_cost)
        ),
    ));
    facts.push((
        "load",
        format!(
            "{} elements at a time, {}",
            trip.load_vector,
            cost(trip.load_cost)
        ),
    ));
}

/// The bytes of an element, if they are whole.
fn whole_bytes(width: ElementWidth) -> Option<u32> {
    width.bits().is_multiple_of(8).then_some(width.bits() / 8)
}
