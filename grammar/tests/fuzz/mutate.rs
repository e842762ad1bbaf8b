//! Mutates bytes and texts.

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// A deterministic source of randomness.
pub(crate) struct Random(pub(crate) TestRng);

/// Edge-case numbers.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "1024",
    "65536",
    "16777216",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1.0",
    "-0.0",
    "1e999",
    "0x7FC00000",
    "0xFFFFFFFFFFFFFFFF",
    "0x",
    "nan",
    "inf",
    "?",
];

/// Parts of types, attributes and ops for mutations of texts.
const WORDS: &[&str] = &[
    "i1",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "tf32",
    "f32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "fnv8E5M3FNU",
    "tile<f32>",
    "tile<8xf32>",
    "tile<i32>",
    "tile<i1>",
    "tile<ptr<f32>>",
    "token",
    "tensor_view<64xf32, strides=[1]>",
    "nearest_even",
    "zero",
    "approx",
    "full",
    "weak",
    "relaxed",
    "acquire",
    "sys",
    "device",
    "signed",
    "unsigned",
    "->",
    ":",
    ",",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=",
    "\"",
    "%",
    "@",
    "#",
    "loc(unknown)",
    "loc(\"a\":1:2)",
    "true",
    "false",
    "dense<1.0>",
    "return",
    "yield",
    "continue",
    "break",
    "%0",
    "%1#0",
    "%a:2",
    "//",
    "\u{e9}",
    "\0",
];

impl Random {
    /// A number below `n`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let random = usize::try_from(self.0.next_u32()).unwrap_or(0);
        random.checked_rem(n).unwrap_or(0)
    }

    /// The number of changes of a mutant: mostly one, since most changes are errors.
    pub(crate) fn few(&mut self) -> usize {
        1 + usize::try_from(self.0.next_u32().trailing_zeros())
            .unwrap_or(0)
            .min(3)
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Mutates bytes at a few positions.
    pub(crate) fn bytes(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..self.few() {
            let at = self.below(bytes.len());
            let span = (self.below(16) + 1).min(bytes.len() - at);
            match self.below(11) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.pick(&[0, 1, 2, 0x7f, 0x80, 0xff]),
                2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
                3 if at < bytes.len() => bytes[at] = bytes[at].wrapping_sub(1),
                4 => drop(bytes.drain(at..at + span)),
                5 => {
                    let copy = bytes[at..at + span].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                6 => {
                    let from = self.below(other.len());
                    let end = (from + span).min(other.len());
                    bytes.splice(at..at + span, other[from..end].iter().copied());
                }
                7 => {
                    let number = self.pick(&[0u64, 1, 1 << 31, u64::MAX, 1 << 63, 1 << 24, 1 << 40]);
                    let end = (at + 8).min(bytes.len());
                    bytes.splice(at..end, number.to_le_bytes());
                }
                8 => {
                    let long: &[u8] = self.pick(&[
                        &[0xff, 0xff, 0xff, 0xff, 0x0f][..],
                        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
                        &[0x80, 0x80, 0x80, 0x08],
                        &[0x80, 0x01],
                    ]);
                    bytes.splice(at..at + usize::from(span > 0), long.iter().copied());
                }
                9 => bytes.truncate(at),
                _ if at < bytes.len() => bytes[at] = self.0.next_u32().to_le_bytes()[0],
                _ => {}
            }
        }
        bytes
    }

    /// Mutates a text at a few positions, mostly by words and lines, so that much of it is still read.
    pub(crate) fn text(&mut self, text: &[u8], other: &[u8]) -> Vec<u8> {
        let (Ok(text), Ok(other)) = (std::str::from_utf8(text), std::str::from_utf8(other)) else {
            return self.bytes(text, other);
        };
        if self.below(20) == 0 {
            return self.bytes(text.as_bytes(), other.as_bytes());
        }
        let mut text = text.to_owned();
        for _ in 0..self.few() {
            text = if self.below(3) == 0 {
                self.lines(&text, other)
            } else {
                self.words(&text, other)
            };
        }
        text.into_bytes()
    }

    fn lines(&mut self, text: &str, other: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        let others: Vec<&str> = other.lines().collect();
        let at = self.below(lines.len());
        match self.below(5) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines.insert(at, lines[at]),
            2 if at < lines.len() => {
                let to = self.below(lines.len());
                lines.swap(at, to);
            }
            _ if !others.is_empty() => lines.insert(at, self.pick(&others)),
            _ => {}
        }
        lines.join("\n") + "\n"
    }

    fn words(&mut self, text: &str, other: &str) -> String {
        let mut words = split(text);
        let places: Vec<usize> = (0..words.len())
            .filter(|&at| !words[at].trim().is_empty())
            .collect();
        if places.is_empty() {
            return text.to_owned();
        }
        let at = self.pick(&places);
        let number = words[at].starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let alike: Vec<&str> = split(if self.below(2) == 0 { text } else { other })
            .into_iter()
            .filter(|word| class(word) == class(words[at]))
            .collect();
        match self.below(8) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 => words[at] = self.pick(WORDS),
            3 => words.insert(at, self.pick(WORDS)),
            4 | 5 if number => words[at] = self.pick(NUMBERS),
            _ if !alike.is_empty() => words[at] = self.pick(&alike),
            _ => words[at] = self.pick(WORDS),
        }
        words.concat()
    }
}

fn class(word: &str) -> u8 {
    match word.chars().next() {
        Some(c) if c.is_ascii_digit() => 0,
        Some(c) if c.is_alphabetic() || c == '_' => 1,
        Some('%') => 2,
        Some(c) if c.is_whitespace() => 3,
        Some(_) | None => 4,
    }
}

/// Splits a text into words, numbers, names, spaces and signs.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '#';
        let signed = if matches!(first, '%' | '@' | '-') { 1 } else { 0 };
        let length = if signed == 1 || word(first) {
            let end = rest[signed..].find(|c| !word(c)).map(|end| end + signed);
            end.unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}
