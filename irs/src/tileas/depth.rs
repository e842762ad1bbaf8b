//! The rings that take the places of buffers.

use crate::core::{Arg, Args, Term, TermCodec, TermError};

/// The number of stages of the ring that takes a buffer's place, and whether copies to other buffers fill stages of it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// A ring of its own: `6`.
    Own(u32),
    /// The ring of all buffers with this number, whose copies take its stages in turn: `shared<3, ring = 0>`. Copies to buffers of
    /// two rings that nothing separates fill a stage of both together.
    Shared {
        /// The number of stages.
        stages: u32,
        /// The number of the ring.
        ring: u32,
    },
}

impl Depth {
    /// The number of stages.
    pub fn stages(self) -> u32 {
        match self {
            Self::Own(stages) | Self::Shared { stages, .. } => stages,
        }
    }

    /// The number of a shared ring.
    pub fn ring(self) -> Option<u32> {
        match self {
            Self::Own(_) => None,
            Self::Shared { ring, .. } => Some(ring),
        }
    }
}

impl TermCodec for Depth {
    fn write(&self) -> Term {
        match self {
            Self::Own(stages) => stages.write(),
            Self::Shared { stages, ring } => {
                let ring = Arg::named("ring", Term::int(*ring));
                Term::call("shared", vec![Term::int(*stages).into(), ring])
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let stages = "a number of stages";
        let Some(("shared", list)) = term.as_call() else {
            let expected = "a number of stages, or `shared<…, ring = …>`";
            return Ok(Self::Own(term.to_int(expected)?));
        };
        let mut args = Args::new(term, list);
        let depth = Self::Shared {
            stages: args.next(stages)?.to_int(stages)?,
            ring: args.required("ring")?.to_int("the number of a ring")?,
        };
        args.finish()?;
        Ok(depth)
    }
}
