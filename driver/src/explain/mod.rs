//! What `tilewright explain` tells: of codes, of attributes, and of what would go wrong without them.
//!
//! Pages on attributes are written from the matrix, [`CELLS`], so that they name each attribute that ends somewhere and say why.

mod attributes;
mod families;
mod hazards;

use std::fmt;

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Family, nearest};

use crate::policy::CELLS;
use crate::units::Language;

pub use hazards::{Check, HAZARDS, Hazard, Program};

/// What can be explained.
#[derive(Clone, Copy, Debug)]
pub enum Topic {
    /// A code of diagnostics.
    Code(Code),
    /// What there is about attributes.
    Attributes,
    /// Attributes that end before PTX, and why.
    Drops,
    /// A family of attributes.
    Family(Family),
    /// What would go wrong without an attribute.
    Hazard(&'static Hazard),
    /// The attributes of a name.
    Attribute(&'static str),
}

impl Topic {
    /// The pages that are no codes and about more than one attribute.
    pub fn pages() -> impl Iterator<Item = Self> {
        let families = Family::ALL.iter().copied().map(Self::Family);
        let hazards = HAZARDS.iter().map(Self::Hazard);
        [Self::Attributes, Self::Drops]
            .into_iter()
            .chain(families)
            .chain(hazards)
    }

    /// The topic of this name: a code, a page, or an attribute.
    ///
    /// # Errors
    /// [`UnknownTopic`] when there is none of that name.
    pub fn named(name: &str) -> Result<Self, UnknownTopic> {
        let name = name.trim();
        if let Ok(code) = Code::parse(name) {
            return Ok(Self::Code(code));
        }
        let page = name.to_lowercase().replace([' ', '_'], "-");
        if let Some(page) = Self::pages().find(|topic| topic.name() == page) {
            return Ok(page);
        }
        let attribute = attributes::names().into_iter().find(|own| *own == name);
        attribute.map(Self::Attribute).ok_or_else(|| {
            let pages: Vec<String> = Self::pages().map(Self::name).collect();
            let all = pages.iter().map(String::as_str).chain(attributes::names());
            UnknownTopic {
                text: name.to_owned(),
                meant: nearest(name, all).map(str::to_owned),
            }
        })
    }

    /// The name that asks for it.
    pub fn name(self) -> String {
        match self {
            Self::Code(code) => code.name().to_owned(),
            Self::Attributes => "attributes".to_owned(),
            Self::Drops => "drops".to_owned(),
            Self::Family(family) => family.to_string().replace(' ', "-"),
            Self::Hazard(hazard) => hazard.name.to_owned(),
            Self::Attribute(name) => name.to_owned(),
        }
    }

    /// What it is about, in a line.
    pub fn title(self) -> String {
        match self {
            Self::Code(code) => code.title().to_owned(),
            Self::Attributes => "what becomes of attributes".to_owned(),
            Self::Drops => "attributes that end before PTX, and why".to_owned(),
            Self::Family(family) => format!("what becomes of attributes of the family {family}"),
            Self::Hazard(hazard) => hazard.title.to_owned(),
            Self::Attribute(name) => format!("what becomes of `{name}`"),
        }
    }

    /// The explanation: paragraphs, lists and indented programs, with a blank line between two.
    pub fn body(self) -> String {
        match self {
            Self::Code(code) => code.explanation(),
            Self::Attributes => attributes::overview(),
            Self::Drops => attributes::drops(),
            Self::Family(family) => attributes::of_family(family),
            Self::Hazard(hazard) => hazard.body(),
            Self::Attribute(name) => attributes::of_name(name),
        }
    }

    /// The page as plain text.
    pub fn text(self) -> String {
        format!("{}: {}\n\n{}\n", self.name(), self.title(), self.body())
    }

    /// The page in Markdown.
    pub fn markdown(self) -> String {
        format!("# {}", self.text())
    }
}

/// There is nothing to explain by that name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTopic {
    /// The text given.
    pub text: String,
    /// A name that is much like it.
    pub meant: Option<String>,
}

impl fmt::Display for UnknownTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, meant } = self;
        write!(
            f,
            "there is no error code '{text}', nor a page of that name; codes look like E0101, and `tilewright explain attributes` \
             lists the pages"
        )?;
        match meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownTopic {}
