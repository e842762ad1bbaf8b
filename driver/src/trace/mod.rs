//! The lives of attributes: where each attribute of a kernel is in each language, which pass gave it another name or value, and how
//! it ends.
//!
//! A life is what was seen: the attributes of the kernel before and after each pass ([`Found`](tilewright_irs::core::Found)). What links them are the changes
//! that the pass declares, and the reasons are the words of the [policy](crate::policy).
//!
//! | module | contents |
//! |---|---|
//! | `follow` | follows the attributes of a kernel through the passes |
//! | `in_ptx` | the directives and the modifiers that they become |
//! | `choose` | the lives that a name is about |
//! | `place` | the places of ops in the source |
//! | `text`, `json` | lives as text and as JSON |

mod choose;
mod follow;
mod in_ptx;
mod json;
mod place;
mod text;

use std::collections::BTreeSet;
use std::time::Instant;

use tilewright_irs::core::{Carrier, Family, Origin};
use tilewright_passes::hints::HintUse;

use crate::database::Db;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline::{self, Pass};
use crate::units::Language;

pub use choose::{Wanted, check_name};
pub use json::json;
pub use place::{Placed, placed};
pub use text::{body, to_lines, to_text};

/// The life of an attribute: of the kernel, or of one op of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The op of the source, or [`Origin::FUNCTION`].
    pub origin: Origin,
    /// The steps, each after those that it comes from.
    pub steps: Vec<Step>,
    /// The passes that decide on a hint.
    pub uses: Vec<Use>,
    /// What is said of hints that are not followed.
    pub notes: Vec<Note>,
}

/// What a pass made of a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The language of the pass.
    pub language: Language,
    /// The pass.
    pub pass: &'static str,
    /// The name of the hint.
    pub hint: &'static str,
    /// The value that is used.
    pub used: String,
    /// Why it is another one than the hint's; empty if it is not.
    pub why: String,
}

/// What is said of a hint that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The name of the hint.
    pub hint: &'static str,
    /// What is used, and why.
    pub words: String,
}

impl Life {
    /// The family of the attribute that it begins with.
    pub fn family(&self) -> Option<Family> {
        self.steps.first().map(|step| step.family)
    }

    /// Whether the kernel was read with it, under this name.
    fn was_read_as(&self, name: &str) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| step.came == Came::Read && step.name == name)
    }
}

/// An attribute in one language, with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The language.
    pub language: Language,
    /// What has it.
    pub carrier: Carrier,
    /// Its family.
    pub family: Family,
    /// The names of the ops that have it; in PTX, of the instructions with their modifiers.
    pub ops: BTreeSet<String>,
    /// Its name.
    pub name: &'static str,
    /// Its value; `None` for a flag.
    pub value: Option<String>,
    /// The lines of the kernel's PTX that say it.
    pub lines: Vec<u32>,
    /// The steps that it comes from, by their numbers in the life.
    pub from: Vec<usize>,
    /// How it came.
    pub came: Came,
    /// The pass that it came with; `None` in the language of the file.
    pub pass: Option<&'static str>,
    /// Why that pass made or changed it, if the policy says.
    pub why: Option<&'static str>,
    /// How it ends, if no other step comes from it.
    pub end: Option<End>,
}

/// How a step came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Came {
    /// It was read.
    Read,
    /// A pass made it.
    Made,
    /// It stays what it was.
    Kept,
    /// It has another name.
    Renamed,
    /// It has another value.
    Changed,
}

impl Came {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Made => "made",
            Self::Kept => "kept",
            Self::Renamed => "renamed",
            Self::Changed => "changed",
        }
    }
}

/// How an attribute ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How.
    pub how: Ending,
    /// The pass; `None` at the end of the pipeline.
    pub pass: Option<&'static str>,
    /// Why.
    pub why: Option<String>,
}

/// The ways in which attributes end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The PTX says it.
    Ptx,
    /// It decided what a pass made.
    Consumed,
    /// Nothing depends on it any more.
    Dropped,
    /// The op was removed, or merged with an equal one.
    Removed,
    /// The ops that its op became have no such attribute.
    Replaced,
    /// It is what holds without a word.
    Implied,
    /// A pass refused the kernel.
    Refused,
    /// No pass says what has become of it.
    Lost,
}

impl Ending {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Consumed => "consumed",
            Self::Dropped => "dropped",
            Self::Removed => "removed",
            Self::Replaced => "replaced",
            Self::Implied => "implied",
            Self::Refused => "refused",
            Self::Lost => "lost",
        }
    }
}

/// The lives of all attributes of a kernel, those of the kernel first, then by the ops of its source.
#[salsa::tracked]
pub fn lives<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> Vec<Life> {
    options.may_change(db);
    let passes = pipeline::route(kernel.language(db), Language::Ptx);
    let mut follower = follow::Follower::new(kernel.body(db));
    let mut trace_time = std::time::Duration::ZERO;
    let mut uses: Vec<(&Pass, HintUse)> = Vec::new();
    for pass in passes {
        let before = follower.stage().clone();
        follower.options(
            &pipeline::with_options(db, kernel, options, pass, &before),
            "the options",
        );
        let after = pipeline::stage_after(db, kernel, options, pass);
        let of_pass = pipeline::hint_uses(db, kernel, options, pass);
        // That hints are lowered goes without saying.
        let is_telling = |one: &HintUse| pass.from != Language::CudaTile || !one.why.is_empty();
        uses.extend(of_pass.into_iter().filter(is_telling).map(|one| (pass, one)));
        let start = Instant::now();
        let goes_on = follower.advance(pass, after.as_ref());
        trace_time += start.elapsed();
        if !goes_on {
            break;
        }
    }
    let mut lives = follower.lives();
    for (at, (pass, one)) in uses.iter().enumerate() {
        // An access may have become several; what was made of the best one counts.
        let is_better = |(other, (_, another)): (usize, &(&Pass, HintUse))| {
            (another.origin, another.hint) == (one.origin, one.hint)
                && (another.used > one.used || another.used == one.used && other < at)
        };
        if !one.hint.is_of_kernel() && uses.iter().enumerate().any(is_better) {
            continue;
        }
        let is_followed = one.asked == Some(one.used);
        let made = Use {
            language: pass.from,
            pass: pass.name,
            hint: one.hint.word(),
            used: one.hint.value_word(one.used),
            why: if is_followed {
                String::new()
            } else {
                one.why.clone()
            },
        };
        let of = lives
            .iter_mut()
            .filter(|life| life.origin == one.origin && life.was_read_as(made.hint));
        for life in of {
            if !life.uses.contains(&made) {
                life.uses.push(made.clone());
            }
        }
    }
    for unmet in pipeline::unmet_hints(db, kernel, options, Language::Ptx) {
        for life in &mut lives {
            if unmet.origins.contains(&life.origin) && life.was_read_as(unmet.hint.word()) {
                life.notes.push(Note {
                    hint: unmet.hint.word(),
                    words: unmet.message(),
                });
            }
        }
    }
    db.record("trace", kernel.name(db), trace_time);
    lives
}
