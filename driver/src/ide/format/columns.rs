//! Lines whose words the author has aligned in columns.

use rustc_hash::FxHashMap;

use super::Line;

/// The column of a word, counted from the start of its line's first word, the mark that the word is or follows, and
/// whether it follows the mark.
type Column<'a> = (usize, &'a str, bool);

/// Consecutive lines that have the same [`Column`].
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    last: usize,
    /// The least and the most blanks before the word.
    least: usize,
    most: usize,
}

/// For each line, whether its words are aligned with those of its neighbours: they have a column in common, with
/// different numbers of blanks before it.
pub(super) fn aligned(text: &str, lines: &[Line<'_>]) -> Vec<bool> {
    let mut found = vec![false; lines.len()];
    let mut mark = |run: &Run| {
        if run.least != run.most {
            for line in found.iter_mut().take(run.last + 1).skip(run.first) {
                *line = true;
            }
        }
    };
    let mut running: FxHashMap<Column<'_>, Run> = FxHashMap::default();
    for (number, line) in lines.iter().enumerate() {
        let mut here = FxHashMap::default();
        for (column, blanks) in columns(text, line) {
            let run = running.remove(&column).unwrap_or(Run {
                first: number,
                last: number,
                least: blanks,
                most: blanks,
            });
            let run = Run {
                first: run.first,
                last: number,
                least: run.least.min(blanks),
                most: run.most.max(blanks),
            };
            here.insert(column, run);
        }
        running.values().for_each(&mut mark);
        running = here;
    }
    running.values().for_each(mark);
    found
}

/// The columns of a line that can be aligned, with the blanks before each.
fn columns<'a>(text: &'a str, line: &Line<'_>) -> Vec<(Column<'a>, usize)> {
    let word = |at: usize| {
        let word = line.words.get(at)?;
        text.get(word.at.clone())
    };
    let Some(first) = line.words.first() else {
        return Vec::new();
    };
    let columns = line.words.windows(2).enumerate().filter_map(|(before, pair)| {
        let [left, right] = pair else { return None };
        let blanks = right.at.start - left.at.end;
        let column = right.at.start - first.at.start;
        let own = word(before + 1).filter(|word| matches!(*word, "=" | ":" | "-"));
        let after = word(before).filter(|word| matches!(*word, "=" | ":" | "," | ">"));
        let key = match (own, after) {
            (Some(own), _) => (column, own, false),
            (None, Some(after)) => (column, after, true),
            (None, None) => return None,
        };
        (blanks > 0).then_some((key, blanks))
    });
    columns.collect()
}
