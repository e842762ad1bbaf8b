//! Which preview features are asked for.

/// The preview features that a file or a text may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// `simt`: functions that are implemented outside of the module.
    pub simt: bool,
}

impl Features {
    /// No preview content at all.
    pub const NONE: Self = Self { simt: false };

    /// All that there is.
    pub const ALL: Self = Self { simt: true };

    /// The name of the only feature.
    pub const SIMT: &'static str = "simt";

    /// The features of a list with commas between them.
    ///
    /// # Errors
    /// A name that stands for no feature, with those that there are.
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
