//! The header of a snapshot file.
//!
//! The expected texts in `golden/` are snapshots of the crate `insta`: the text is preceded by lines of metadata
//! between two lines `---`. Readers skip them, so that a snapshot is valid input.

/// The length of a text's snapshot header in bytes: 0 if there is none, or if the header is not closed.
pub(crate) fn header_length(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let is_bar = |line: &str| line.trim_end() == "---";
    let Some(first) = lines.next().filter(|line| is_bar(line)) else {
        return 0;
    };
    let mut length = first.len();
    for line in lines {
        length += line.len();
        if is_bar(line) {
            return length;
        }
    }
    0
}

/// The text without its snapshot header.
pub fn without_snapshot_header(text: &str) -> &str {
    text.get(header_length(text)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::without_snapshot_header;

    #[test]
    fn what_stands_between_two_bars_is_the_header() {
        for (text, rest) in [
            ("---\nsource: a\n---\nnvvm.func", "nvvm.func"),
            ("---\r\nsource: a\r\n---\r\nnvvm.func", "nvvm.func"),
            ("---\n---\n\n---\n", "\n---\n"),
            ("---\na: b\n---", ""),
        ] {
            assert_eq!(without_snapshot_header(text), rest, "{text:?}");
        }
    }

    #[test]
    fn any_other_text_has_no_header() {
        for text in [
            "",
            "---",
            "---\nsource: a\n",
            "\n---\n---\n",
            "----\n---\n",
            "--- a\n---\n",
        ] {
            assert_eq!(without_snapshot_header(text), text, "{text:?}");
        }
    }
}
