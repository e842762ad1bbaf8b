//! Minimizes a failing input.

/// Tries that one input is worth.
const TRIES: usize = 3_000;

/// What kind of failure a description is of: what is quoted may differ, which lies between the first quote and the last,
/// and so may numbers.
pub(crate) fn kind(why: &str) -> String {
    const QUOTES: [char; 2] = ['`', '"'];
    let line = why.lines().next().unwrap_or_default();
    let (before, rest) = line.split_once(QUOTES).unwrap_or((line, ""));
    let after = rest.rsplit_once(QUOTES).map_or(rest, |(_, after)| after);
    let words = before.chars().chain(after.chars());
    words.filter(|c| !c.is_ascii_digit()).collect()
}

/// Takes pieces away from an input, ever smaller ones, as long as it fails.
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
