//! Suggestions for misspelt names.

/// Names of one function for which a suggestion is looked for: a text with many undefined names has another mistake.
pub const MAX_SUGGESTED: usize = 20;

/// The candidate closest to `word`, if it is close enough to be a typing error.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let close = all_nearest(word, candidates);
    close.into_iter().min()
}

/// The op closest to `word` whose first operand is a float, an integer, or of another kind: of names that are equally close and differ in a last letter
/// that stands for integers or floats, such as `addi` and `addf`, the one of the operands' kind.
pub fn nearest_op<'c>(
    word: &str,
    ops: impl Iterator<Item = &'c str>,
    is_float: Option<bool>,
) -> Option<&'c str> {
    let close = all_nearest(word, ops);
    let letter = is_float.map(|is_float| if is_float { 'f' } else { 'i' });
    let of_kind = close
        .iter()
        .copied()
        .filter(|name| letter.is_some_and(|letter| name.ends_with(letter)));
    of_kind.min().or_else(|| close.iter().copied().min())
}

/// The value that a name was meant to be. Names of one or two characters, and numbers, are too alike to tell.
pub fn nearest_value<'c>(name: &str, values: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let telling = |name: &str| name.len() > 2 && !name.bytes().all(|b| b.is_ascii_digit());
    if !telling(name) {
        return None;
    }
    nearest(name, values.filter(|value| telling(value)))
}

/// The candidates closest to `word`, if they are close enough for a typing error.
fn all_nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let limit = (word.chars().count() / 3).clamp(1, 4);
    let mut least = limit;
    let mut close = Vec::new();
    for candidate in candidates {
        // The lengths alone tell of most candidates that they are far.
        if candidate.len().abs_diff(word.len()) > 4 * least {
            continue;
        }
        let distance = edit_distance(word, candidate);
        if distance < least {
            close.clear();
        }
        if distance <= least {
            least = distance;
            close.push(candidate);
        }
    }
    close
}

/// The number of characters to insert, delete, replace, or exchange with their neighbour.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(ca != cb);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
