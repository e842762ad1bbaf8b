//! Versions of the bytecode.

use std::fmt;

/// A bytecode version that this compiler reads and writes. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 13.1
    V13_1,
    /// 13.2
    V13_2,
    /// 13.3
    V13_3,
    /// 13.4
    V13_4,
    /// 13.5
    V13_5,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: &'static [Self] = &[Self::V13_1, Self::V13_2, Self::V13_3, Self::V13_4, Self::V13_5];

    /// The newest version.
    pub const LATEST: Self = Self::V13_5;

    /// The major and minor number.
    pub const fn numbers(self) -> (u8, u8) {
        match self {
            Self::V13_1 => (13, 1),
            Self::V13_2 => (13, 2),
            Self::V13_3 => (13, 3),
            Self::V13_4 => (13, 4),
            Self::V13_5 => (13, 5),
        }
    }

    /// The version with these numbers.
    pub fn from_numbers(major: u8, minor: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|v| v.numbers() == (major, minor))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.numbers();
        write!(f, "{major}.{minor}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_and_ascend() {
        for &version in Version::ALL {
            let (major, minor) = version.numbers();
            assert_eq!(Version::from_numbers(major, minor), Some(version));
        }
        assert!(Version::ALL.is_sorted());
        assert_eq!(Version::from_numbers(13, 6), None);
        assert_eq!(Version::LATEST.to_string(), "13.5");
    }
}
