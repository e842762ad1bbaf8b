//! The frames of the protocol: a header with the length of the message in bytes, and the message.

use std::fmt;
use std::io::{self, BufRead, Read};

/// The largest message that is accepted, in bytes. Texts of more than 64 MB are not compiled, and JSON may escape a byte of a
/// text as several.
pub(super) const LARGEST: u64 = 256 << 20;

/// The longest header that is accepted, in bytes.
const LONGEST_HEADER: u64 = 4 << 10;

/// Why no further frame can be read.
#[derive(Debug)]
pub(super) enum Broken {
    /// The message is larger than [`LARGEST`]; its length, as the header has it.
    TooLarge(String),
    /// The header is malformed.
    Header(String),
    /// The stream ends in the middle of a frame.
    Cut,
    /// Reading the stream failed.
    Stream(io::Error),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(length) => {
                write!(f, "a message of {length} bytes, and at most {LARGEST} are taken")
            }
            Self::Header(header) => write!(f, "`{}` is no header of the protocol", header.escape_debug()),
            Self::Cut => f.write_str("the input ends in the middle of a message"),
            Self::Stream(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

/// The bytes of the next message; `None` at the end of the stream.
///
/// # Errors
/// The frame is broken, so that the start of the next one is unknown.
pub(super) fn read(stream: &mut impl BufRead) -> Result<Option<Vec<u8>>, Broken> {
    let mut length = None;
    let mut header = stream.take(LONGEST_HEADER);
    loop {
        let mut line = Vec::new();
        header.read_until(b'\n', &mut line)?;
        let first = header.limit() == LONGEST_HEADER - u64::try_from(line.len()).unwrap_or(u64::MAX);
        if line.is_empty() && first {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        if !text.ends_with('\n') {
            return Err(match header.limit() {
                0 => Broken::Header(text.into_owned()),
                _ => Broken::Cut,
            });
        }
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| Broken::Header(text.to_owned()))?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(length_of(text, value.trim())?);
        }
    }
    let length = length.ok_or_else(|| Broken::Header("Content-Length is missing".to_owned()))?;
    // What a header promises is not allocated before it is there.
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    match u64::try_from(body.len()) == Ok(length) {
        true => Ok(Some(body)),
        false => Err(Broken::Cut),
    }
}

/// The length that a header states.
fn length_of(header: &str, value: &str) -> Result<u64, Broken> {
    if value.is_empty() || !value.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(Broken::Header(header.to_owned()));
    }
    let length = value.parse().ok().filter(|length| *length <= LARGEST);
    length.ok_or_else(|| Broken::TooLarge(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(input: &[u8]) -> String {
        match read(&mut &*input) {
            Ok(None) => "the end".to_owned(),
            Ok(Some(body)) => String::from_utf8(body).expect("text"),
            Err(broken) => broken.to_string(),
        }
    }

    #[test]
    fn a_frame_has_as_many_bytes_as_its_header_says() {
        let cases = [
            ("", "the end"),
            ("Content-Length: 2\r\n\r\n{}rest", "{}"),
            ("content-length:2\nContent-Type: text\n\n{}", "{}"),
            (
                "Content-Length: 3\r\n\r\n{}",
                "the input ends in the middle of a message",
            ),
            (
                "Content-Length: 3\r\n",
                "the input ends in the middle of a message",
            ),
            (
                "Content-Length: -1\r\n\r\n",
                "`Content-Length: -1` is no header of the protocol",
            ),
            ("hello\r\n\r\n", "`hello` is no header of the protocol"),
            (
                "Content-Type: text\r\n\r\n{}",
                "`Content-Length is missing` is no header of the protocol",
            ),
            (
                "Content-Length: 99999999999\r\n\r\n{}",
                "a message of 99999999999 bytes, and at most 268435456 are taken",
            ),
            (
                "Content-Length: 99999999999999999999999\r\n\r\n{}",
                "a message of 99999999999999999999999 bytes, and at most 268435456 are taken",
            ),
        ];
        for (input, want) in cases {
            assert_eq!(said(input.as_bytes()), want, "{input}");
        }
    }

    #[test]
    fn a_header_without_an_end_is_refused() {
        let endless = "x".repeat(1 << 20);
        assert!(said(endless.as_bytes()).ends_with("is no header of the protocol"));
    }
}
