//! Optimisation hints, which never change the results of a program: the ops that each may be attached to, and its
//! valid values.
//!
//! Source: the Tile IR specification, optimization hints.

use super::attrs::Attr;
use super::ops::{MemoryOp, TileOp, ViewOp};
use crate::core::{Carrier, Family, Key};
use crate::literal::Literal;

/// The GPUs that the language knows, by their compute capability times ten. Source: the names that NVIDIA's assembler
/// of CUDA 13.5 takes.
pub const ARCHITECTURES: &[u16] = &[80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121];

/// The key of hints for every architecture that has none of its own.
pub const DEFAULT_HINTS: &str = "default";

crate::keywords! {
    /// A hint.
    pub enum Hint {
        /// The number of tile blocks per cluster.
        NumCtas = "num_cta_in_cga",
        /// The number of warps per tile block.
        NumWarps = "num_worker_warps_per_cta",
        /// The number of tile blocks per multiprocessor.
        Occupancy = "occupancy",
        /// Whether an access may use the tensor memory accelerator.
        AllowTma = "allow_tma",
        /// How far ahead an access should be issued, from 1 to 10.
        Latency = "latency",
        /// The stages of the rings that the copies of a loop fill, from 1 to 8. No op of the language has it: it is for all loops of
        /// a kernel, from the command line.
        NumStages = "num_stages",
    }
}

impl Hint {
    /// The hints as attributes of kernels and ops.
    pub(super) const KEYS: &'static [Key] = &[
        Self::NumCtas.key(Carrier::Function, Family::LaunchShape),
        Self::NumWarps.key(Carrier::Function, Family::KernelSpec),
        Self::Occupancy.key(Carrier::Function, Family::LaunchShape),
        Self::AllowTma.key(Carrier::Op, Family::Staging),
        Self::Latency.key(Carrier::Op, Family::Staging),
    ];

    const fn key(self, carrier: Carrier, family: Family) -> Key {
        Key {
            name: self.word(),
            family,
            carrier,
        }
    }

    /// The hints of a kernel.
    pub const OF_KERNELS: &[Self] = &[Self::NumCtas, Self::NumWarps, Self::Occupancy];
    /// The hints of an access through a view.
    pub const OF_VIEW_OPS: &[Self] = &[Self::AllowTma, Self::Latency];
    /// The hints of an access through pointers.
    pub const OF_POINTER_OPS: &[Self] = &[Self::Latency];

    /// The hints that an op may have.
    pub const fn of_op(op: &TileOp) -> &'static [Self] {
        match op {
            TileOp::View(ViewOp::LoadViewTko { .. } | ViewOp::StoreViewTko { .. }) => Self::OF_VIEW_OPS,
            TileOp::Memory(MemoryOp::LoadPtrTko { .. } | MemoryOp::StorePtrTko { .. }) => {
                Self::OF_POINTER_OPS
            }
            _ => &[],
        }
    }

    /// Checks a value, for the architecture with this number or, without one, for any.
    ///
    /// # Errors
    /// The valid values.
    pub fn admits(self, value: &Attr, architecture: Option<u16>) -> Result<(), &'static str> {
        let number = hint_number(value);
        let power = |most: u32| number.is_some_and(|n| n.is_power_of_two() && n <= most);
        let range = |most: u32| number.is_some_and(|n| (1..=most).contains(&n));
        let (fits, expected) = match self {
            Self::NumCtas if architecture.is_some_and(|sm| sm < 90) => (
                number == Some(1),
                "an integer value of 1: the architecture has no clusters",
            ),
            Self::NumCtas => (power(16), "an integer value that is a power-of-two from 1 to 16"),
            Self::NumWarps => (power(32), "an integer value that is a power-of-two from 1 to 32"),
            Self::Occupancy => (range(32), "an integer value from 1 to 32"),
            Self::AllowTma => (hint_flag(value).is_some(), "a truth value"),
            Self::Latency => (range(10), "an integer value from 1 to 10"),
            Self::NumStages => (range(8), "an integer value from 1 to 8"),
        };
        if fits { Ok(()) } else { Err(expected) }
    }
}

/// Values of hints that replace those of a program: in every kernel and every access that may have the hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HintOverrides {
    /// A number, or 0 and 1 for a truth value, by the place in [`Hint::ALL`].
    values: [Option<u32>; Hint::ALL.len()],
}

impl HintOverrides {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// Sets the hint of a name to the value that a text says: a number, or `true` and `false`.
    ///
    /// # Errors
    /// The known names, or the valid values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let Some(at) = Hint::ALL.iter().position(|hint| hint.word() == name) else {
            let names = Hint::WORDS.join(", ");
            return Err(format!("there is no hint '{name}', expected one of {names}"));
        };
        let number = match value {
            "false" => Some(0),
            "true" => Some(1),
            digits => digits.parse().ok(),
        };
        let hint = Hint::ALL[at];
        let is_flag = matches!(value, "false" | "true");
        let attr = number
            .filter(|_| is_flag == (hint == Hint::AllowTma))
            .map(|number| hint.attr(number));
        let checked = attr.map_or(Err(hint.expected()), |attr| hint.admits(&attr, None));
        checked.map_err(|expected| format!("hint {name} = {value}: expected {expected}"))?;
        self.values[at] = number;
        Ok(())
    }

    /// The value of a hint that is replaced.
    pub fn get(&self, hint: Hint) -> Option<u32> {
        let mut pairs = Hint::ALL.iter().zip(self.values);
        pairs.find_map(|(own, value)| value.filter(|_| *own == hint))
    }

    /// These, with those of `others` in their place.
    #[must_use]
    pub fn replaced_by(mut self, others: Self) -> Self {
        for (own, other) in self.values.iter_mut().zip(others.values) {
            *own = other.or(*own);
        }
        self
    }

    /// The hints that are replaced, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Hint, Attr)> + '_ {
        let pairs = Hint::ALL.iter().copied().zip(self.values);
        pairs.filter_map(|(hint, value)| Some((hint, hint.attr(value?))))
    }

    /// Checks the values for the architecture with this number.
    ///
    /// # Errors
    /// The hint, its value and the valid ones.
    pub fn check(&self, architecture: u16) -> Result<(), String> {
        for (hint, value) in Hint::ALL.iter().copied().zip(self.values) {
            let Some(value) = value else { continue };
            hint.admits(&hint.attr(value), Some(architecture))
                .map_err(|expected| {
                    format!(
                        "hint {} = {value} for sm_{architecture}: expected {expected}",
                        hint.word()
                    )
                })?;
        }
        Ok(())
    }
}

impl Hint {
    /// The value of a hint as an attribute; a truth value is 0 or 1.
    fn attr(self, value: u32) -> Attr {
        match self {
            Self::AllowTma => Attr::Bool(value != 0),
            Self::NumCtas | Self::NumWarps | Self::Occupancy | Self::Latency | Self::NumStages => {
                Attr::Number(Literal::i32(i32::try_from(value).unwrap_or(i32::MAX)))
            }
        }
    }

    /// The valid values.
    pub fn expected(self) -> &'static str {
        self.admits(&Attr::String(String::new()), None)
            .err()
            .unwrap_or_default()
    }
}

/// The value of a numeric hint; `None` if it is not a number, or negative.
pub fn hint_number(value: &Attr) -> Option<u32> {
    let Attr::Number(literal) = value else { return None };
    let number = literal.ty.is_int().then(|| literal.signed())?;
    u32::try_from(number).ok()
}

/// The value of a Boolean hint.
pub fn hint_flag(value: &Attr) -> Option<bool> {
    let Attr::Bool(value) = value else { return None };
    Some(*value)
}

/// The architecture of a key of hints: its number, or `None` for the default key.
///
/// # Errors
/// The valid keys.
pub fn hint_key(key: &str) -> Result<Option<u16>, String> {
    if key == DEFAULT_HINTS {
        return Ok(None);
    }
    let number = key.strip_prefix("sm_").and_then(|digits| {
        let number = digits.parse::<u16>().ok().filter(|n| ARCHITECTURES.contains(n))?;
        // Rejects `sm_090` and `sm_+90`.
        (number.to_string() == digits).then_some(number)
    });
    number.map(Some).ok_or_else(|| {
        let names: Vec<_> = ARCHITECTURES.iter().map(|n| format!("sm_{n}")).collect();
        format!("{DEFAULT_HINTS}, {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_architectures_or_the_default() {
        assert_eq!(hint_key("default"), Ok(None));
        assert_eq!(hint_key("sm_107"), Ok(Some(107)));
        for key in ["sm_90a", "sm_090", "sm_+90", "sm_95", "sm_", "90", "", "Default"] {
            let known = hint_key(key).expect_err(key);
            assert!(known.starts_with("default, sm_80, "), "{known}");
        }
    }
}
