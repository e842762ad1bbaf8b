//! Minimizes a failing input.

/// The number of attempts per input.
const TRIES: usize = 3_000;

/// The kind of a failure: its description without the text from the first quote to the last, and without numbers.
pub(crate) fn kind(why: &str) -> String {
    const QUOTES: [char; 2] = ['`', '"'];
    let line = why.lines().next().unwrap_or_default();
    let (before, rest) = line.split_once(QUOTES).unwrap_or((line, ""));
    let after = rest.rsplit_once(QUOTES).map_or(rest, |(_, after)| after);
    let words = before.chars().chain(after.chars());
    words.filter(|c| !c.is_ascii_digit()).collect()
}

/// Removes ever smaller pieces from an input as long as it fails.
pub(crate) fn shrink(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut input = input.to_vec();
    let mut tries = 0usize;
    let mut size = input.len().div_ceil(2);
    while size > 0 && tries < TRIES {
        let mut at = 0;
        let mut shorter = false;
        while at < input.len() && tries < TRIES {
            let end = (at + size).min(input.len());
            let candidate = [&input[..at], &input[end..]].concat();
            tries += 1;
            if fails(&candidate) {
                input = candidate;
                shorter = true;
            } else {
                at = end;
            }
        }
        if !shorter {
            size /= 2;
        }
    }
    input
}
