//! Numbers with their nouns, for messages.

use std::fmt;

/// A number with its noun, which is in the singular after 1; see [`counted`].
#[derive(Clone, Copy, Debug)]
pub struct Counted<N> {
    number: N,
    one: &'static str,
    many: Option<&'static str>,
}

/// A number with a noun in the singular, whose plural is regular: `1 byte`, `2 bytes`, `0 entries`.
pub fn counted<N>(number: N, noun: &'static str) -> Counted<N> {
    Counted {
        number,
        one: noun,
        many: None,
    }
}

/// A number with a noun whose plural is not regular: `1 axis`, `2 axes`.
pub fn counted_as<N>(number: N, one: &'static str, many: &'static str) -> Counted<N> {
    Counted {
        number,
        one,
        many: Some(many),
    }
}

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, one, many } = self;
        if *number == N::from(1) {
            return write!(f, "{number} {one}");
        }
        if let Some(many) = many {
            return write!(f, "{number} {many}");
        }
        match one.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => write!(f, "{number} {stem}ies"),
            _ => write!(f, "{number} {one}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(counted(0usize, "byte").to_string(), "0 bytes");
        assert_eq!(counted(1u64, "byte").to_string(), "1 byte");
        assert_eq!(counted(-1i64, "byte").to_string(), "-1 bytes");
        assert_eq!(counted(1u32, "entry").to_string(), "1 entry");
        assert_eq!(counted(2u32, "entry").to_string(), "2 entries");
        assert_eq!(counted(2u32, "array").to_string(), "2 arrays");
        assert_eq!(counted_as(1u32, "axis", "axes").to_string(), "1 axis");
        assert_eq!(counted_as(3u32, "axis", "axes").to_string(), "3 axes");
    }
}
