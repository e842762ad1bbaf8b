//! `tilewright layout FILE --value %name`.

use std::path::{Path, PathBuf};

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Location, Span};
use tilewright_irs::core::{Value, nearest};
use tilewright_layout_gallery::picture::Picture;
use tilewright_layouts::ElementWidth;

use super::given::{Given, Place};
use super::show::Drawing;
use crate::cli::input::{CompileOptions, Input};
use crate::cli::report::{Outcome, Reporter};
use crate::ide::compiled::{Compiled, Held};
use crate::ide::functions::{Function, functions};
use crate::ide::layouts::{Placed, ValueLayout, layouts, named, open_numbers, with_numbers};
use crate::reading;

/// Which value's layout to draw.
#[derive(Debug, Args)]
pub(super) struct OfValue {
    /// A file, of whose value %NAME the layout is drawn
    #[arg(value_name = "FILE", requires = "value")]
    input: Option<PathBuf>,
    /// The value: its name, or %NAME#1 for a result of a group
    #[arg(long, value_name = "%NAME", requires = "input")]
    value: Option<String>,
    /// The kernel or function, if several have such a value
    #[arg(long, value_name = "NAME", requires = "value")]
    function: Option<String>,
    /// The numbers that the type of the value leaves open, in the order of its text
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "value"
    )]
    numbers: Vec<i64>,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    options: CompileOptions,
}

type Refusal = Diagnostic<Location>;

/// A line above the pictures: its heading, and what it says.
type Fact = (&'static str, String);

/// A value that was asked for.
struct Found {
    name: String,
    at: Span,
    held: Held,
}

impl OfValue {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let (Some(path), Some(value)) = (&self.input, &self.value) else {
            let message = "a subcommand, or a file and a value, is missing";
            return Err(
                Diagnostic::error(Code::BadArgument, message).help("`tilewright layout --help` lists both")
            );
        };
        let input = Input::read(path, self.options.request()?)?;
        let parsed = reading::parse(&input.compiler, input.source);
        let exit = reporter.report(&parsed.diagnostics, input.compiler.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        let drawn = self
            .found(&input, path, value)
            .and_then(|found| self.draw(&found));
        match drawn {
            Ok((facts, pictures)) => {
                self.drawing.output.write(&facts, &pictures)?;
                Ok(exit)
            }
            Err(refusal) => Ok(exit.max(reporter.report(&[refusal], input.compiler.files()))),
        }
    }

    /// The values of this name in the only function that has any; a name may stand for several, as a group of results does.
    fn found(&self, input: &Input, path: &Path, asked: &str) -> Result<Vec<Found>, Refusal> {
        let db = &input.compiler;
        let text = std::str::from_utf8(input.source.bytes(db)).unwrap_or_default();
        let all = functions(db, input.source);
        let within: Vec<&Function<'_>> = match &self.function {
            None => all.iter().collect(),
            Some(name) => {
                let bare = name.trim_start_matches('@');
                let found: Vec<_> = all.iter().filter(|function| function.name == bare).collect();
                if found.is_empty() {
                    let names: Vec<_> = all.iter().map(|function| function.name).collect();
                    let message = format!("{} has no function `{bare}`", path.display());
                    let help = format!("its functions are {}", names.join(", "));
                    return Err(Diagnostic::error(Code::BadArgument, message).help(help));
                }
                found
            }
        };
        let asked = asked.trim_start_matches('%');
        let (base, number) = match asked.split_once('#') {
            Some((base, number)) => (base, number.parse::<usize>().ok()),
            None => (asked, None),
        };
        let having: Vec<_> = within
            .iter()
            .map(|function| (*function, defined(function, text)))
            .filter(|(_, names)| names.iter().any(|(name, _, _)| *name == base))
            .collect();
        let (function, names) = match having.as_slice() {
            [one] => one,
            [] => {
                let known: Vec<_> = within
                    .iter()
                    .flat_map(|function| defined(function, text))
                    .collect();
                let message = format!("{} has no value `%{asked}`", path.display());
                let problem = Diagnostic::error(Code::BadArgument, message);
                let like = nearest(base, known.iter().map(|(name, _, _)| *name));
                return Err(match like {
                    Some(like) => problem.help(format!("did you mean `%{like}`?")),
                    None => problem,
                });
            }
            several => {
                let names: Vec<_> = several.iter().map(|(function, _)| function.name).collect();
                let message = format!("`%{base}` is a value of {}", names.join(" and of "));
                let problem = Diagnostic::error(Code::BadArgument, message);
                return Err(problem.help("say with --function which one is meant"));
            }
        };
        let compiled = Compiled::of(db, **function, input.options);
        let mut found: Vec<Found> = Vec::new();
        for (_, at, value) in names.iter().filter(|(name, _, _)| *name == base) {
            let group = names.iter().filter(|(_, other, _)| other == at).count();
            let place = found.iter().filter(|other| other.at == *at).count();
            let name = match group {
                1 => format!("%{base}"),
                _ => format!("%{base}#{place}"),
            };
            let held = compiled.held(*value).unwrap_or_default();
            found.push(Found { name, at: *at, held });
        }
        if let Some(number) = number {
            let count = found.len();
            let suffix = format!("#{number}");
            found.retain(|one| one.name.ends_with(&suffix) || count == 1 && number == 0);
            if found.is_empty() {
                let message = format!("`%{base}` has {count} results, and no result {number}");
                return Err(Diagnostic::error(Code::BadArgument, message));
            }
        }
        Ok(found)
    }

    /// What is said of values, and the pictures of their layouts.
    fn draw(&self, found: &[Found]) -> Result<(Vec<Fact>, Vec<Picture>), Refusal> {
        let mut facts = Vec::new();
        let mut pictures = Vec::new();
        for one in found {
            let mut held = one.held.clone();
            facts.push(("value", format!("{}: {}", one.name, held.ty)));
            if let Some(ty) = held.cute.as_mut().filter(|_| !self.numbers.is_empty()) {
                *ty = with_numbers(ty, &self.numbers).map_err(|message| {
                    let problem = Diagnostic::error(Code::BadArgument, format!("--numbers: {message}"));
                    problem.at(one.at.into(), format!("its type is `{}`", one.held.ty))
                })?;
            }
            let all = layouts(&held);
            if all.is_empty() {
                let message = format!("the type of `{}` says no layout", one.name);
                let problem = Diagnostic::error(Code::NoSuchView, message);
                return Err(problem.at(one.at.into(), format!("its type is `{}`", held.ty)));
            }
            for layout in &all {
                facts.push(("layout", said(layout)));
                match (place(layout), &layout.layout) {
                    (Some(place), _) => {
                        let given = Given {
                            text: said(layout),
                            span: one.at,
                            layout: place,
                            width: layout.bits.and_then(ElementWidth::of_bits),
                        };
                        pictures.push(self.drawing.picture(&given)?);
                    }
                    (None, Placed::Coordinates(coordinates)) => {
                        pictures.push(self.drawing.coordinates(coordinates, said(layout), one.at)?);
                    }
                    (None, Placed::Open) => {
                        let ty = held.cute.iter();
                        facts.extend(ty.flat_map(open_numbers).map(|number| ("open", number)));
                        facts.push(("help", "give them with --numbers to draw the layout".to_owned()));
                    }
                    (None, _) => {
                        facts.push(("note", "its indices are no numbers, and are not drawn".to_owned()))
                    }
                }
            }
        }
        if pictures.is_empty()
            && self.drawing.output.is_image()
            && let Some(one) = found.first()
        {
            let problem = Diagnostic::error(Code::NoSuchView, "the layout cannot be drawn");
            return Err(problem
                .at(one.at.into(), format!("its type is `{}`", one.held.ty))
                .help("without an image as the output, what is known of it is printed"));
        }
        Ok((facts, pictures))
    }
}

/// Each name that a function defines, without its sigil and the number of its results, with its place and its value.
fn defined<'t>(function: &Function<'_>, text: &'t str) -> Vec<(&'t str, Span, Value)> {
    let names = function.places.names().filter(|name| name.at == name.defined);
    let named = names.filter_map(|name| {
        let range = usize::try_from(name.at.start).ok()?..usize::try_from(name.at.end).ok()?;
        let word = text.get(range)?.trim_start_matches('%');
        Some((word.split(':').next()?, name.at, name.value))
    });
    named.collect()
}

/// A layout as text, with its role and with names for its open numbers.
fn said(layout: &ValueLayout) -> String {
    let text = named(&layout.text);
    match layout.role {
        "" => text,
        role => format!("{role}: {text}"),
    }
}

fn place(layout: &ValueLayout) -> Option<Place> {
    match &layout.layout {
        Placed::Linear(layout) => Some(Place::Linear(layout.clone())),
        Placed::Cute(layout) => Some(Place::Cute(layout.clone())),
        Placed::Coordinates(_) | Placed::Open | Placed::NoNumbers => None,
    }
}
