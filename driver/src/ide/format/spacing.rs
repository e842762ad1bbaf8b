//! The blanks between words, as the printers write them.

use crate::ide::tokens::{Kind, Token};

/// For each word, the blanks that belong before it; `None` if the text's own stay.
pub(super) fn gaps(text: &str, words: &[Token]) -> Vec<Option<&'static str>> {
    let mut spacing = Spacing {
        text,
        words,
        gaps: vec![None; words.len()],
    };
    // Angle brackets that are open, in which types and attributes have a way of their own; and the other brackets.
    let (mut angles, mut open) = (0_usize, Vec::new());
    for at in 0..words.len() {
        match spacing.mark(at) {
            Some('>') if at > 0 && spacing.is_arrow(at - 1) => {}
            Some('<') => angles += 1,
            Some('>') => angles = angles.saturating_sub(1),
            _ if angles > 0 => {}
            Some('-') if spacing.is_arrow(at) => spacing.set(at, at + 2, " ", " "),
            Some(',') => spacing.set(at, at + 1, "", " "),
            Some('=') => spacing.equals(at),
            Some(':') => spacing.colon(at, open.last().copied()),
            Some(bracket @ ('(' | '[' | '{')) => open.push(bracket),
            Some(')' | ']' | '}') => {
                open.pop();
            }
            _ => {}
        }
    }
    spacing.gaps
}

struct Spacing<'a> {
    text: &'a str,
    words: &'a [Token],
    gaps: Vec<Option<&'static str>>,
}

impl Spacing<'_> {
    /// The character of a word that is one mark.
    fn mark(&self, at: usize) -> Option<char> {
        let word = self.words.get(at).filter(|word| word.kind == Kind::Mark)?;
        self.text.get(word.at.clone())?.chars().next()
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.words.get(at).map(|word| word.kind)
    }

    /// Whether there is something between a word and the one before it.
    fn is_apart(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.words.get(before));
        before
            .zip(self.words.get(at))
            .is_none_or(|(left, right)| left.at.end < right.at.start)
    }

    /// Whether `->` begins at a word.
    fn is_arrow(&self, at: usize) -> bool {
        self.mark(at) == Some('-') && self.mark(at + 1) == Some('>') && !self.is_apart(at + 1)
    }

    /// Sets the blanks before a mark, and those before the word behind it. Those before comments stay.
    fn set(&mut self, at: usize, behind: usize, left: &'static str, right: &'static str) {
        for (at, blanks) in [(at, left), (behind, right)] {
            let is_comment = self.kind(at) == Some(Kind::Comment);
            if let Some(gap) = self.gaps.get_mut(at).filter(|_| !is_comment) {
                *gap = Some(blanks);
            }
        }
    }

    fn equals(&mut self, at: usize) {
        let beside = |at: usize| matches!(self.mark(at), Some('=' | '<' | '>' | '!' | ':'));
        let Some(before) = at.checked_sub(1) else { return };
        // Part of another mark.
        if beside(before) || beside(at + 1) {
            return;
        }
        let names = self.kind(before) == Some(Kind::Word);
        // Attributes are printed with blanks or without.
        if !names || self.is_apart(at) || self.is_apart(at + 1) {
            self.set(at, at + 1, " ", " ");
        }
    }

    fn colon(&mut self, at: usize, bracket: Option<char>) {
        let Some(before) = at.checked_sub(1) else { return };
        let names = self.kind(before) == Some(Kind::Value);
        match bracket {
            // `%results:2`
            None | Some('{') if names && self.kind(at + 1) == Some(Kind::Number) => {}
            None | Some('{') => self.set(at, at + 1, " ", " "),
            // `(%parameter: type`
            Some('(')
                if names
                    && before
                        .checked_sub(1)
                        .is_some_and(|at| matches!(self.mark(at), Some('(' | ','))) =>
            {
                self.set(at, at + 1, "", " ");
            }
            Some(_) => {}
        }
    }
}
