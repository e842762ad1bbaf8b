//! The preview features that a user enables.

/// The preview features that a file or a text may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// `simt`: external functions.
    pub simt: bool,
}

impl Features {
    /// No preview content at all.
    pub const NONE: Self = Self { simt: false };

    /// All features.
    pub const ALL: Self = Self { simt: true };

    /// The name of the only feature.
    pub const SIMT: &'static str = "simt";

    /// Parses a comma-separated list of features.
    ///
    /// # Errors
    /// A message about a name that is not a feature, with the names that are.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut features = Self::NONE;
        for name in list.split(',') {
            if name != Self::SIMT {
                return Err(format!(
                    "unknown preview feature '{name}'; supported features: {}",
                    Self::SIMT
                ));
            }
            features.simt = true;
        }
        Ok(features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_features() {
        assert_eq!(Features::parse("simt"), Ok(Features::ALL));
        assert_eq!(Features::parse("simt,simt"), Ok(Features::ALL));
        for list in ["", "SIMT", "simt,", "simt, simt", "other"] {
            assert!(Features::parse(list).is_err(), "{list:?}");
        }
    }
}
