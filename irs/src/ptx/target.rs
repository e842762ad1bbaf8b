//! PTX ISA versions, GPU targets, and what an instruction form needs of both.

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
}

impl fmt::Display for IsaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Which features of a compute capability a target admits: the letter after `sm_NN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// `sm_NN`: what every later GPU also has.
    #[default]
    Portable,
    /// `sm_NNf`: what the GPUs of the same family have.
    Family,
    /// `sm_NNa`: what this architecture alone has.
    Architecture,
}

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

    /// Reads `sm_90a`; `None` when the text is no target name.
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

    /// The lowest `.version` whose `.target` directive knows this target.
    pub const fn least_version(self) -> IsaVersion {
        match self.features {
            Features::Portable => match self.sm {
                0..=70 => IsaVersion::new(6, 0),
                71..=75 => IsaVersion::new(6, 3),
                76..=80 => IsaVersion::new(7, 0),
                81..=86 => IsaVersion::new(7, 1),
                87 => IsaVersion::new(7, 4),
                88..=90 => IsaVersion::new(7, 8),
                91..=101 => IsaVersion::new(8, 6),
                102..=120 => {
                    if self.sm == 103 {
                        IsaVersion::new(8, 8)
                    } else if self.sm == 110 {
                        IsaVersion::new(9, 0)
                    } else {
                        IsaVersion::new(8, 7)
                    }
                }
                _ => IsaVersion::new(8, 8),
            },
            Features::Family => {
                if self.sm == 110 {
                    IsaVersion::new(9, 0)
                } else {
                    IsaVersion::new(8, 8)
                }
            }
            Features::Architecture => match self.sm {
                0..=90 => IsaVersion::new(8, 0),
                91..=101 => IsaVersion::new(8, 6),
                103 => IsaVersion::new(8, 8),
                110 => IsaVersion::new(9, 0),
                102..=120 => IsaVersion::new(8, 7),
                _ => IsaVersion::new(8, 8),
            },
        }
    }

    /// Whether code that needs `need` assembles for this target, given a sufficient `.version`.
    pub fn provides(self, need: Need) -> bool {
        match need.features {
            Features::Portable => self.sm >= need.sm,
            // A family shares its tens digit: 100 and 103 are one, 120 and 121 another.
            Features::Family => {
                self.features != Features::Portable && self.sm >= need.sm && self.sm / 10 == need.sm / 10
            }
            Features::Architecture => self.features == Features::Architecture && self.sm == need.sm,
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

/// The least PTX ISA version and GPU that know an instruction form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Need {
    /// The least `.version`.
    pub isa: IsaVersion,
    /// The least compute capability times ten.
    pub sm: u16,
    /// Whether the form is bound to a family or an architecture.
    pub features: Features,
}

impl Need {
    /// The form is in every PTX that this crate writes (ISA 6.0, `sm_70`).
    pub const BASE: Self = Self::new(6, 0, 70);

    /// A portable form: PTX ISA `major.minor`, `sm_<sm>` and later.
    pub const fn new(major: u8, minor: u8, sm: u16) -> Self {
        Self {
            isa: IsaVersion::new(major, minor),
            sm,
            features: Features::Portable,
        }
    }

    /// What both `self` and `other` need.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            isa: self.isa.max(other.isa),
            sm: self.sm.max(other.sm),
            features: self.features.max(other.features),
        }
    }
}
