//! Formatting by words: the indentation of lines, and the blanks between words. Comments, names and line ends stay.

use super::tokens::{Kind, tokens};

/// The blanks of one level.
const INDENT: usize = 2;

/// A text with its lines indented by the brackets around them, and without blanks at their ends.
pub fn format(text: &str, indent: Option<usize>) -> String {
    let indent = indent.unwrap_or(INDENT);
    let mut formatted = String::with_capacity(text.len());
    let mut open: Vec<usize> = Vec::new();
    let words = tokens(text);
    let mut next = words.iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut here = Vec::new();
        while let Some(token) = next.peek().filter(|token| token.at.start < end) {
            here.push((*token).clone());
            next.next();
        }
        let content = line.trim();
        let word = |at: usize| here.get(at).and_then(|token| text.get(token.at.clone()));
        // Brackets that close at the head of the line belong to the level of their opening.
        let mut closing = 0;
        while word(closing).is_some_and(|word| matches!(word, "}" | ")" | "]")) {
            closing += 1;
        }
        let level = match open.len().checked_sub(closing) {
            Some(rest) if closing > 0 => open.get(rest).copied().unwrap_or(0),
            _ => open.last().map_or(0, |level| level + 1),
        };
        // The label of a block stands beside the brace around it.
        let label = here.first().is_some_and(|token| token.kind == Kind::Block)
            && here
                .last()
                .is_some_and(|token| text.get(token.at.clone()) == Some(":"));
        let level = if label { level.saturating_sub(1) } else { level };
        if !content.is_empty() {
            formatted.push_str(&" ".repeat(level * indent));
            formatted.push_str(content);
        }
        if line.ends_with('\n') {
            formatted.push('\n');
        }
        for token in &here {
            match text.get(token.at.clone()) {
                Some("{" | "(" | "[") => {
                    let level = level + usize::from(label);
                    open.push(level);
                }
                Some("}" | ")" | "]") => {
                    open.pop();
                }
                _ => {}
            }
        }
        start = end;
    }
    formatted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_by_the_braces_around_them() {
        let text =
            "entry @k() {  \n// a { comment\n for %i in (%a) {\n%x = addi %a,\n %b\n   }\nreturn\n}\n\n";
        let want = "entry @k() {\n  // a { comment\n  for %i in (%a) {\n    %x = addi %a,\n    %b\n  }\n  return\n}\n\n";
        assert_eq!(format(text, None), want);
        assert_eq!(format(want, None), want);
    }

    #[test]
    fn brackets_that_are_opened_on_one_line_are_one_level() {
        let text = "f ({\na\n}) g\nb\n";
        assert_eq!(format(text, None), "f ({\n  a\n}) g\nb\n");
    }
}
