//! Stable diagnostic codes and their explanations, for `tilewright explain`.

mod registry;

use std::fmt;
use std::str::FromStr;

pub use registry::Code;

impl Code {
    /// The code that `text` names (`E0101`, in either case).
    ///
    /// # Errors
    /// [`UnknownCode`] when there is none of that name.
    pub fn parse(text: &str) -> Result<Self, UnknownCode> {
        let text = text.trim();
        let found = Code::ALL
            .iter()
            .find(|code| code.name().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| UnknownCode {
            text: text.to_owned(),
        })
    }

    /// The long explanation: paragraphs of plain text, one blank line between two.
    pub fn explanation(self) -> String {
        let lines = self
            .raw_explanation()
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Code::parse(text)
    }
}

/// There is no code of that name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownCode {
    /// The text given.
    pub text: String,
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no error code '{}'; codes look like E0101", self.text)
    }
}

impl std::error::Error for UnknownCode {}

/// Declares the codes: the enum, their names, titles and explanations, all from one table.
macro_rules! codes {
    ($($(#[doc = $line:literal])+ $number:ident $variant:ident $title:literal;)+) => {
        /// A stable code. Its number never changes meaning; the variant's documentation is its explanation.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(
                #[doc = concat!("`", stringify!($number), "`: ", $title, ".\n\n")]
                $(#[doc = $line])+
                $variant,
            )+
        }

        impl Code {
            /// Every code, in the order of their numbers.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The name that users see, such as `E0101`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => stringify!($number)),+ }
            }

            /// One-line title.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),+ }
            }

            pub(super) fn raw_explanation(self) -> &'static str {
                match self { $(Code::$variant => concat!($($line, "\n"),+)),+ }
            }
        }
    };
}
use codes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_well_formed_and_ascending() {
        for code in Code::ALL {
            let digits = code.name().strip_prefix('E').unwrap_or_default();
            assert!(
                digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()),
                "{}",
                code.name()
            );
        }
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].name() < pair[1].name(), "{} then {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn titles_are_single_lines_and_explanations_sentences() {
        for code in Code::ALL {
            assert!(!code.title().is_empty() && !code.title().ends_with('.'), "{code}");
            let text = code.explanation();
            assert!(text.ends_with('.') && text.len() > 50, "{code}: {text}");
            assert!(
                text.lines()
                    .all(|line| !line.starts_with(' ') && line.len() <= 108),
                "{code}: {text}"
            );
        }
    }

    #[test]
    fn titles_differ() {
        let mut titles: Vec<_> = Code::ALL.iter().map(|code| code.title()).collect();
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), Code::ALL.len());
    }

    #[test]
    fn a_name_reads_back_in_either_case() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.name()), Ok(*code));
            assert_eq!(code.name().to_lowercase().parse(), Ok(*code));
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_it() {
        let error = Code::parse(" E9999 ").unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no error code 'E9999'; codes look like E0101"
        );
    }
}
