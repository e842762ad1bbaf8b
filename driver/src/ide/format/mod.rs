//! Formatting by words: the indentation of lines, and the blanks around `=`, `,`, `:` and `->` as the printers write them.
//! Comments, names and line ends stay; so do types, labels, and lines whose words the author has aligned in columns.

mod columns;
mod spacing;

use std::ops::Range;

use super::tokens::{Token, tokens};
use crate::units::Language;
use columns::aligned;
use spacing::gaps;

/// The number of blanks by which each level is indented.
const INDENT: usize = 2;

/// A change of a part of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The number of the line, from 0.
    pub line: usize,
    /// The bytes that are replaced.
    pub at: Range<usize>,
    /// What replaces them.
    pub new: String,
}

/// A line of a text with its words.
#[derive(Clone, Debug)]
struct Line<'a> {
    /// Its bytes, without the line end.
    at: Range<usize>,
    words: &'a [Token],
}

/// The edits that format a text; none if it is PTX, or its language is unknown.
pub fn format(text: &str, language: Option<Language>, indent: Option<usize>) -> Vec<Edit> {
    match language {
        None | Some(Language::Ptx) => return Vec::new(),
        Some(_) => {}
    }
    let indent = indent.unwrap_or(INDENT);
    let words = tokens(text);
    let lines = lines(text, &words);
    let aligned = aligned(text, &lines);
    let gaps = gaps(text, &words);
    let mut gaps = gaps.iter();
    let mut open = Vec::new();
    let mut edits = Vec::new();
    for ((number, line), aligned) in lines.iter().enumerate().zip(aligned) {
        let level = level(text, line, &mut open);
        let gaps = gaps.by_ref().take(line.words.len());
        let mut new = String::with_capacity(line.at.len());
        if let Some(first) = line.words.first() {
            new.push_str(&" ".repeat(level * indent));
            let mut end = first.at.start;
            for (word, gap) in line.words.iter().zip(gaps) {
                let kept = text.get(end..word.at.start).unwrap_or_default();
                let wanted = gap.filter(|_| !aligned && word.at != first.at);
                new.push_str(wanted.unwrap_or(kept));
                new.push_str(text.get(word.at.clone()).unwrap_or_default());
                end = word.at.end;
            }
        }
        if !is_label(text, line) {
            edits.extend(change(text, number, line.at.clone(), new.trim_end()));
        }
    }
    edits
}

/// The lines of a text.
fn lines<'a>(text: &str, words: &'a [Token]) -> Vec<Line<'a>> {
    let mut rest = words;
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let count = rest.partition_point(|word| word.at.start < end);
        let (own, after) = rest.split_at(count);
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        lines.push(Line {
            at: start..start + content.len(),
            words: own,
        });
        (rest, start) = (after, end);
    }
    lines
}

/// The level of a line by the brackets around it: those that are opened on one line are one level.
fn level(text: &str, line: &Line<'_>, open: &mut Vec<usize>) -> usize {
    let word = |word: &Token| text.get(word.at.clone());
    // Brackets that close at the head of the line belong to the level of their opening.
    let closing = line
        .words
        .iter()
        .take_while(|own| matches!(word(own), Some("}" | ")" | "]")));
    let closing = closing.count();
    let level = match open.len().checked_sub(closing) {
        Some(rest) if closing > 0 => open.get(rest).copied().unwrap_or(0),
        _ => open.last().map_or(0, |level| level + 1),
    };
    // What follows a label has the level of the line that it is in.
    let inner = match is_label(text, line) {
        true => level.saturating_sub(1),
        false => level,
    };
    for own in line.words {
        match word(own) {
            Some("{" | "(" | "[") => open.push(inner),
            Some("}" | ")" | "]") => {
                open.pop();
            }
            _ => {}
        }
    }
    level
}

/// Whether a line is the label of a block, such as `^(%i: i32):`.
fn is_label(text: &str, line: &Line<'_>) -> bool {
    let content = text.get(line.at.clone()).unwrap_or_default().trim_start();
    let last = line.words.last().and_then(|last| text.get(last.at.clone()));
    content.starts_with(['^', '$']) && last == Some(":")
}

/// The least change that makes a line that text.
fn change(text: &str, line: usize, at: Range<usize>, new: &str) -> Option<Edit> {
    let old = text.get(at.clone())?;
    let head = common(old.chars().zip(new.chars()));
    let (old_rest, new_rest) = (old.get(head..)?, new.get(head..)?);
    let tail = common(old_rest.chars().rev().zip(new_rest.chars().rev()));
    let edit = Edit {
        line,
        at: at.start + head..at.end - tail,
        new: new_rest.get(..new_rest.len() - tail)?.to_owned(),
    };
    (!edit.at.is_empty() || !edit.new.is_empty()).then_some(edit)
}

/// The bytes of the characters that are the same.
fn common(pairs: impl Iterator<Item = (char, char)>) -> usize {
    let same = pairs.take_while(|(old, new)| old == new);
    same.map(|(c, _)| c.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str, language: Language) -> String {
        let mut new = text.to_owned();
        for edit in format(text, Some(language), None).into_iter().rev() {
            new.replace_range(edit.at, &edit.new);
        }
        new
    }

    #[test]
    fn texts_are_formatted_as_they_are_printed() {
        let cases = [
            (
                "lines are indented by the braces around them",
                "entry @k() {  \n// a { comment\n for %i in (%a) {\n%x = addi %a,\n %b\n   }\nreturn\n}\n\n",
                "entry @k() {\n  // a { comment\n  for %i in (%a) {\n    %x = addi %a,\n    %b\n  }\n  return\n}\n\n",
            ),
            (
                "brackets that are opened on one line are one level",
                "f ({\na\n}) g\nb\n",
                "f ({\n  a\n}) g\nb\n",
            ),
            (
                "blanks stand around marks",
                "%x=addi %a ,%b:tile<i32>->tile<4xi32>\n%s:2 =f %x#0 , %s#1  :  tile<i32>\n",
                "%x = addi %a, %b : tile<i32> -> tile<4xi32>\n%s:2 = f %x#0, %s#1 : tile<i32>\n",
            ),
            (
                "a parameter has its type close to it, and types are left alone",
                "entry @k(%a : tile< 4xi32 >,%b:tensor_view<?xf16,strides=[?,1]>)  {\n}\n",
                "entry @k(%a: tile< 4xi32 >, %b: tensor_view<?xf16,strides=[?,1]>)  {\n}\n",
            ),
            (
                "attributes keep their way, unless it is neither",
                "%x = reduce %a dim=0 token =%t shape  =  [%a,%b] : tile<i32>\n",
                "%x = reduce %a dim=0 token = %t shape = [%a, %b] : tile<i32>\n",
            ),
            (
                "columns that the author aligned are left alone",
                "entry @k(\n%a:    tile<i32>,\n %long: tile<f32>\n) {\n%x   = f %a,%a\n%abc = f %a\n\n%y   =  f\n}\n",
                "entry @k(\n  %a:    tile<i32>,\n  %long: tile<f32>\n) {\n  %x   = f %a,%a\n  %abc = f %a\n\n  %y = f\n}\n",
            ),
            (
                "strings, comments, line ends and other scripts stay",
                "%x=f \"a,b:c=d\"  // a,b=c  \r\n// \u{df},\u{1d11e}=\n",
                "%x = f \"a,b:c=d\"  // a,b=c\r\n// \u{df},\u{1d11e}=\n",
            ),
            (
                "labels are left alone",
                "f {\n ^(%x : i32,%y:i32):\ng\n}\n",
                "f {\n ^(%x : i32,%y:i32):\n  g\n}\n",
            ),
        ];
        for (what, text, want) in cases {
            assert_eq!(formatted(text, Language::CudaTile), want, "{what}");
            assert_eq!(formatted(want, Language::CudaTile), want, "{what}, again");
        }
        let ptx = "{\n.reg .b32 %r<2>;\n  add.s32 %r1,%r0,1;\n$L: ret;\n}\n";
        assert_eq!(formatted(ptx, Language::Ptx), ptx);
    }

    #[test]
    fn an_edit_replaces_what_differs() {
        let text = "entry @k() {\n  %x=addi %a, %b : tile<i32>\n  return\n}\n";
        let edits = format(text, Some(Language::CudaTile), None);
        let edit = Edit {
            line: 1,
            at: 17..18,
            new: " = ".to_owned(),
        };
        assert_eq!(edits, [edit]);
    }
}
