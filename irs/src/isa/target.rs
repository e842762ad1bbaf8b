//! PTX ISA versions, GPU targets, and the requirements of instruction forms.

use std::fmt;

/// A PTX ISA version, as in `.version 8.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsaVersion {
    /// The number before the dot.
    pub major: u8,
    /// The number after the dot.
    pub minor: u8,
}

impl IsaVersion {
    /// The version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// The latest supported version, that of ptxas 13.5.
    pub const LATEST: Self = Self::new(9, 5);

    /// Whether this version exists, among those from 6.0 on.
    pub const fn exists(self) -> bool {
        match self.major {
            6 => self.minor <= 5,
            7 | 8 => self.minor <= 8,
            9 => self.minor <= 5,
            _ => false,
        }
    }

    /// Whether this version is `other` or later.
    pub const fn at_least(self, other: Self) -> bool {
        self.major > other.major || (self.major == other.major && self.minor >= other.minor)
    }
}

impl fmt::Display for IsaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The feature set of a target: the letter after `sm_NN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// `sm_NN`: features of all later GPUs.
    #[default]
    Portable,
    /// `sm_NNf`: features of GPUs of the same family.
    Family,
    /// `sm_NNa`: features of this architecture only.
    Architecture,
}

/// The targets from `sm_70` on, and the lowest `.version` that supports each. (PTX ISA, release notes and `.target`;
/// ptxas 13.5 refuses the version before.)
const KNOWN: &[(Target, IsaVersion)] = &[
    (Target::sm(70), IsaVersion::new(6, 0)),
    (Target::sm(72), IsaVersion::new(6, 1)),
    (Target::sm(75), IsaVersion::new(6, 3)),
    (Target::sm(80), IsaVersion::new(7, 0)),
    (Target::sm(86), IsaVersion::new(7, 1)),
    (Target::sm(87), IsaVersion::new(7, 4)),
    (Target::sm(88), IsaVersion::new(9, 0)),
    (Target::sm(89), IsaVersion::new(7, 8)),
    (Target::sm(90), IsaVersion::new(7, 8)),
    (Target::sm_a(90), IsaVersion::new(8, 0)),
    (Target::sm(100), IsaVersion::new(8, 6)),
    (Target::sm_a(100), IsaVersion::new(8, 6)),
    (Target::sm_f(100), IsaVersion::new(8, 8)),
    (Target::sm(101), IsaVersion::new(8, 6)),
    (Target::sm_a(101), IsaVersion::new(8, 6)),
    (Target::sm_f(101), IsaVersion::new(8, 8)),
    (Target::sm(103), IsaVersion::new(8, 8)),
    (Target::sm_a(103), IsaVersion::new(8, 8)),
    (Target::sm_f(103), IsaVersion::new(8, 8)),
    (Target::sm(107), IsaVersion::new(9, 4)),
    (Target::sm_a(107), IsaVersion::new(9, 4)),
    (Target::sm_f(107), IsaVersion::new(9, 4)),
    (Target::sm(110), IsaVersion::new(9, 0)),
    (Target::sm_a(110), IsaVersion::new(9, 0)),
    (Target::sm_f(110), IsaVersion::new(9, 0)),
    (Target::sm(120), IsaVersion::new(8, 7)),
    (Target::sm_a(120), IsaVersion::new(8, 7)),
    (Target::sm_f(120), IsaVersion::new(8, 8)),
    (Target::sm(121), IsaVersion::new(8, 8)),
    (Target::sm_a(121), IsaVersion::new(8, 8)),
    (Target::sm_f(121), IsaVersion::new(8, 8)),
];

/// A GPU target, as in `.target sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// Compute capability times ten: 90 for `sm_90a`.
    pub sm: u16,
    /// The letter after the number.
    pub features: Features,
}

impl Target {
    /// The portable target `sm_NN`.
    pub const fn sm(sm: u16) -> Self {
        Self {
            sm,
            features: Features::Portable,
        }
    }

    /// The architecture-specific target `sm_NNa`.
    pub const fn sm_a(sm: u16) -> Self {
        Self {
            sm,
            features: Features::Architecture,
        }
    }

    /// The family target `sm_NNf`.
    pub const fn sm_f(sm: u16) -> Self {
        Self {
            sm,
            features: Features::Family,
        }
    }

    /// Parses `sm_90a`; `None` if the text is not a target name.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("sm_")?;
        let (digits, features) = if let Some(digits) = rest.strip_suffix('a') {
            (digits, Features::Architecture)
        } else if let Some(digits) = rest.strip_suffix('f') {
            (digits, Features::Family)
        } else {
            (rest, Features::Portable)
        };
        if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(Self {
            sm: digits.parse().ok()?,
            features,
        })
    }

    /// The targets that some `.version` supports.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|&(target, _)| target)
    }

    /// Whether a `.version` supports this target.
    pub fn is_known(self) -> bool {
        Self::known().any(|known| known == self)
    }

    /// The lowest `.version` whose `.target` directive supports this target; the latest one for an unknown target.
    pub const fn least_version(self) -> IsaVersion {
        let mut at = 0;
        while at < KNOWN.len() {
            let (known, version) = KNOWN[at];
            if known.sm == self.sm && known.features as u8 == self.features as u8 {
                return version;
            }
            at += 1;
        }
        IsaVersion::LATEST
    }

    /// Whether code with these requirements assembles for this target, given a sufficient `.version`.
    pub fn provides(self, need: Need) -> bool {
        need.version_on(self).is_some()
    }

    /// Whether this target has the features that came with the target `sm_<sm>` with this feature set.
    const fn has(self, sm: u16, features: Features) -> bool {
        match features {
            Features::Portable => self.sm >= sm,
            // A family shares its tens digit: 100 and 103 are one, 120 and 121 another.
            Features::Family => {
                !matches!(self.features, Features::Portable) && self.sm >= sm && self.sm / 10 == sm / 10
            }
            Features::Architecture => matches!(self.features, Features::Architecture) && self.sm == sm,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.features {
            Features::Portable => "",
            Features::Family => "f",
            Features::Architecture => "a",
        };
        write!(f, "sm_{}{letter}", self.sm)
    }
}

/// One alternative of a requirement: a PTX ISA version, and the GPUs from this one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Since {
    /// The lowest `.version`.
    pub isa: IsaVersion,
    /// The first GPU. Its feature set says which others there are: all later ones, those of its family, or none.
    pub target: Target,
}

impl Since {
    /// Both requirements together; `None` if no target satisfies both.
    const fn and(self, other: Self) -> Option<Self> {
        let isa = if self.isa.at_least(other.isa) {
            self.isa
        } else {
            other.isa
        };
        // The narrower of the two sets of targets, if one contains the other.
        let target = if other.target.covers(self.target) {
            self.target
        } else if self.target.covers(other.target) {
            other.target
        } else {
            return None;
        };
        Some(Self { isa, target })
    }
}

impl Target {
    /// Whether every GPU that satisfies `other` also satisfies `self`.
    const fn covers(self, other: Self) -> bool {
        match (self.features, other.features) {
            (Features::Portable, _) => other.sm >= self.sm,
            (Features::Family, Features::Family | Features::Architecture) => {
                other.sm >= self.sm && other.sm / 10 == self.sm / 10
            }
            (Features::Architecture, Features::Architecture) => other.sm == self.sm,
            (Features::Family, Features::Portable)
            | (Features::Architecture, Features::Portable | Features::Family) => false,
        }
    }
}

/// The maximum number of alternatives.
const WAYS: usize = 8;

/// The requirements of an instruction form: a disjunction of alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Need {
    ways: [Option<Since>; WAYS],
}

impl Need {
    /// No requirement: satisfied by every PTX version that this crate writes (ISA 6.0, `sm_70`).
    pub const BASE: Self = Self::new(6, 0, 70);

    /// A portable form: PTX ISA `major.minor`, `sm_<sm>` and later.
    pub const fn new(major: u8, minor: u8, sm: u16) -> Self {
        Self { ways: [None; WAYS] }.or(major, minor, Target::sm(sm))
    }

    /// A form of one architecture or family: PTX ISA `major.minor` and this target.
    pub const fn on(major: u8, minor: u8, target: Target) -> Self {
        Self { ways: [None; WAYS] }.or(major, minor, target)
    }

    /// Adds an alternative. Panics if there are too many, in a constant at compile time.
    #[must_use]
    pub const fn or(mut self, major: u8, minor: u8, target: Target) -> Self {
        let mut at = 0;
        while self.ways[at].is_some() {
            at += 1;
        }
        self.ways[at] = Some(Since {
            isa: IsaVersion::new(major, minor),
            target,
        });
        self
    }

    /// The alternatives.
    pub fn ways(&self) -> impl Iterator<Item = Since> + '_ {
        self.ways.iter().flatten().copied()
    }

    /// The conjunction of two requirements.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut ways = [None; WAYS];
        let both = self
            .ways()
            .flat_map(|a| other.ways().filter_map(move |b| a.and(b)));
        for (place, way) in ways.iter_mut().zip(both) {
            *place = Some(way);
        }
        Self { ways }
    }

    /// The targets that have the form, in words: "sm_80 or later", "sm_90a".
    pub fn targets(&self) -> String {
        let words = self.ways().map(|way| match way.target.features {
            Features::Portable => format!("{} or later", way.target),
            Features::Family | Features::Architecture => way.target.to_string(),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// The lowest `.version` with which the form assembles for a target; `None` if the target lacks it.
    pub fn version_on(&self, target: Target) -> Option<IsaVersion> {
        self.ways()
            .filter(|way| target.has(way.target.sm, way.target.features))
            .map(|way| way.isa)
            .min()
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, way) in self.ways().enumerate() {
            let separator = if at == 0 { "" } else { " or " };
            let later = match way.target.features {
                Features::Portable => " and later",
                Features::Family => " and its family",
                Features::Architecture => "",
            };
            write!(f, "{separator}{}{later} (PTX ISA {})", way.target, way.isa)?;
        }
        Ok(())
    }
}
