//! A failing input, made smaller.

/// Tries that one input is worth.
const TRIES: usize = 3_000;

/// What kind of failure a description is of: numbers and what is quoted may differ, and so may all that follows a word
/// that itself has a quote.
pub(crate) fn kind(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default();
    let parts: Vec<&str> = line.split(['`', '"']).collect();
    let known = if parts.len().is_multiple_of(2) {
        1
    } else {
        parts.len()
    };
    let words = parts.iter().take(known).step_by(2);
    words
        .flat_map(|part| part.chars())
        .filter(|c| !c.is_ascii_digit())
        .collect()
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
