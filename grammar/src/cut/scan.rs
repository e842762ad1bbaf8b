//! The scan of a text for the words that begin functions, and for brackets.

use std::ops::Range;

use super::frame::{Frame, Item};
use super::{Cut, Piece, Syntax};

/// What a line begins.
#[derive(Clone, Copy, Debug)]
enum Head<'t> {
    Function(&'t str),
    /// A definition, with its name.
    Item(Option<&'t str>),
    /// A module, whose body begins with the next brace.
    Module,
    /// What is only of the usual form in another file.
    Unusual,
}

/// What is being scanned, and the depth of braces in it.
#[derive(Clone, Debug)]
enum Open<'t> {
    Nothing,
    Function {
        name: &'t str,
        start: usize,
        depth: usize,
        /// The end of the last brace that closed all.
        closed: Option<usize>,
        /// The braces after it that close nothing in the function: they close modules, or a brace that opens is missing.
        spare: Vec<usize>,
    },
    Item {
        name: Option<&'t str>,
        start: usize,
        depth: usize,
    },
    Module {
        start: usize,
    },
}

struct Scan<'t> {
    syntax: Syntax,
    /// The keyword of functions in the regular syntax.
    keyword: String,
    text: &'t str,
    open: Open<'t>,
    functions: Vec<Piece<'t>>,
    frame: Frame,
    /// The columns of the open modules.
    modules: Vec<usize>,
    /// Whether a module has been closed.
    closed: bool,
    /// Comments outside of functions, in textual order.
    comments: Vec<Range<usize>>,
}

/// Cuts a text, whose first bytes are skipped.
pub(super) fn cut<'t>(syntax: Syntax, language: &str, text: &'t str, skipped: usize) -> Option<Cut<'t>> {
    let mut scan = Scan {
        syntax,
        keyword: format!("{language}.func"),
        text,
        open: Open::Nothing,
        functions: Vec::new(),
        frame: Frame::default(),
        modules: Vec::new(),
        closed: false,
        comments: Vec::new(),
    };
    let first = text.get(skipped..)?;
    if first.starts_with("// Producer: ") {
        let line = first.split('\n').next().unwrap_or_default();
        scan.frame.producer = format!("{line}\n");
    }
    scan.run(skipped)?;
    scan.settle(scan.modules.len());
    scan.end(text.len());
    let Scan {
        functions,
        mut frame,
        comments,
        ..
    } = scan;
    let mut gaps = Vec::with_capacity(functions.len() + 1);
    let mut from = skipped;
    for piece in &functions {
        gaps.push(from..piece.at.start);
        from = piece.at.end;
    }
    gaps.push(from..text.len());
    if syntax == Syntax::Ptx {
        for (after, gap) in gaps.iter().enumerate() {
            let item = without(text, gap.clone(), &comments);
            if !item.is_empty() {
                frame.items.push(Item {
                    name: None,
                    text: item,
                    after,
                    inside: false,
                });
            }
        }
    }
    let mut rest = String::new();
    for gap in gaps {
        rest.push_str(text.get(gap).unwrap_or_default());
        rest.push('\n');
    }
    if frame.open_end.is_some() {
        rest.push_str(&frame.closers);
    }
    Some(Cut {
        functions,
        frame,
        rest,
    })
}

/// A part of a text without comments, and without spaces around it.
fn without(text: &str, part: Range<usize>, comments: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut from = part.start;
    let first = comments.partition_point(|comment| comment.end <= part.start);
    for comment in comments.get(first..).unwrap_or_default() {
        if comment.start >= part.end {
            break;
        }
        kept.push_str(text.get(from..comment.start.max(from)).unwrap_or_default());
        from = comment.end.min(part.end);
    }
    kept.push_str(text.get(from..part.end).unwrap_or_default());
    kept.trim().to_owned()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

impl<'t> Scan<'t> {
    fn run(&mut self, skipped: usize) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut marks = memchr::memchr3_iter(b'\n', b'{', b'}', bytes.get(skipped..)?).map(|at| skipped + at);
        // What is in strings and comments is not looked at.
        let mut quiet = memchr::memchr3_iter(b'"', b'/', b'#', bytes.get(skipped..)?).map(|at| skipped + at);
        let mut next_quiet = quiet.next();
        let mut next_mark = marks.next();
        self.line(skipped)?;
        while let Some(at) = next_mark {
            if let Some(begin) = next_quiet.filter(|&begin| begin < at) {
                let end = match bytes.get(begin) {
                    Some(b'"') => string_end(bytes, begin),
                    _ => self.comment_end(begin)?,
                };
                if bytes.get(begin) != Some(&b'"') && end > begin + 1 {
                    self.comments.push(begin..end);
                }
                while next_quiet.is_some_and(|at| at < end) {
                    next_quiet = quiet.next();
                }
                while next_mark.is_some_and(|at| at < end) {
                    next_mark = marks.next();
                }
                continue;
            }
            match bytes.get(at) {
                Some(b'{') => self.brace_open(at + 1),
                Some(b'}') => self.brace_close(at),
                _ => self.line(at + 1)?,
            }
            next_mark = marks.next();
        }
        Some(())
    }

    /// The end of the comment that begins with a slash or a hash; the next byte if none does. `None` for a comment that does
    /// not end. `cuda_tile` reports comments of other languages, and reads on after them.
    fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let line = || memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let hash = || rest.strip_prefix('#')?.bytes().next();
        Some(match self.syntax {
            _ if rest.starts_with("//") => at + line(),
            Syntax::Ptx if rest.starts_with("/*") => at + rest.find("*/")? + 2,
            Syntax::CudaTile if rest.starts_with("/*") => {
                at + rest.get(2..)?.find("*/").map_or_else(line, |end| end + 4)
            }
            Syntax::CudaTile if matches!(hash(), Some(b' ' | b'\t' | b'#' | b'!')) => at + line(),
            Syntax::CudaTile | Syntax::Stages | Syntax::Ptx => at + 1,
        })
    }

    /// Takes the beginning of a line.
    fn line(&mut self, at: usize) -> Option<()> {
        let spaces = self.text.as_bytes().get(at..)?.iter();
        let start = at
            + spaces
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                .count();
        let line = self.text.get(start..)?;
        let in_body = matches!(self.open, Open::Function { depth, .. } if depth > 0);
        let Some(head) = self.head(line) else {
            return Some(());
        };
        match head {
            Head::Unusual => return None,
            // Whether it belongs to the function cannot be told.
            Head::Item(name) if in_body && name.is_none_or(|name| !name.starts_with('@')) => return None,
            // What follows stands in the module, which is therefore open.
            Head::Function(_) => self.settle(0),
            Head::Item(name) if name.is_none_or(|name| name.starts_with('@')) => self.settle(0),
            Head::Item(_) | Head::Module => self.settle(self.modules.len()),
        }
        self.end(start);
        self.open = match head {
            // In no module, unlike those before it.
            Head::Function(_) if self.closed => return None,
            Head::Function(name) => Open::Function {
                name,
                start,
                depth: 0,
                closed: None,
                spare: Vec::new(),
            },
            Head::Item(name) => Open::Item {
                name,
                start,
                depth: 0,
            },
            Head::Module if self.functions.is_empty() && !self.closed => Open::Module { start },
            Head::Module | Head::Unusual => return None,
        };
        Some(())
    }

    /// What a line begins.
    fn head(&self, line: &'t str) -> Option<Head<'t>> {
        let first = *line.as_bytes().first()?;
        match (self.syntax, first) {
            (Syntax::Ptx, b'.') => ptx_head(line),
            (Syntax::Ptx, _) => None,
            (_, b'#' | b'!') => {
                let word = word(line, 1);
                let rest = line.get(word.len()..)?.trim_start_matches([' ', '\t']);
                (rest.starts_with('=')).then_some(Head::Item(Some(word)))
            }
            (Syntax::CudaTile, b'"') => {
                let name = line.get(1..)?;
                let names = [
                    "cuda_tile.module",
                    "cuda_tile.entry",
                    "cuda_tile.global",
                    "builtin.module",
                    "cuda_tile.preview$",
                ];
                let unusual = names.iter().any(|frame| name.starts_with(frame));
                unusual.then_some(Head::Unusual)
            }
            (Syntax::CudaTile, b'a'..=b'z') => {
                let own = line.strip_prefix("cuda_tile.").unwrap_or(line);
                let word = word(own, 0);
                let rest = own.get(word.len()..)?.trim_start_matches([' ', '\t']);
                if !rest.starts_with(|c: char| c == '@' || c == '{' || c.is_ascii_alphabetic()) {
                    return None;
                }
                match word {
                    "entry" => Some(Head::Function(symbol(rest).unwrap_or_default())),
                    "global" => Some(Head::Item(symbol(rest))),
                    // Any function may call it, or what it implements.
                    "preview$func" | "preview$extern_impl" => Some(Head::Item(None)),
                    "module" | "builtin.module" => Some(Head::Module),
                    "testing$func" => Some(Head::Unusual),
                    _ => None,
                }
            }
            (Syntax::Stages, b'a'..=b'z') => {
                let word = word(line, 0);
                if !word.ends_with(".func") {
                    return None;
                }
                let rest = line.get(word.len()..)?;
                match word == self.keyword {
                    true => Some(Head::Function(symbol(rest).unwrap_or_default())),
                    false => Some(Head::Unusual),
                }
            }
            _ => None,
        }
    }

    /// Takes a brace that opens and ends at `end`.
    fn brace_open(&mut self, end: usize) {
        match &mut self.open {
            Open::Function { depth, spare, .. } => {
                *depth += 1;
                spare.clear();
            }
            Open::Item { depth, .. } => *depth += 1,
            Open::Module { start } => {
                let head = self.text.get(*start..end).unwrap_or_default();
                // The braces of its attributes are part of the head.
                let words = head.trim_end_matches('{').trim_end();
                let attributes = words.ends_with("attributes");
                if attributes || head.matches('{').count() > head.matches('}').count() + 1 {
                    return;
                }
                let before = self.text.get(..*start).unwrap_or_default();
                let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
                self.frame
                    .modules
                    .push_str(&format!("{}{head}\n", " ".repeat(column)));
                let closers = std::mem::take(&mut self.frame.closers);
                self.frame.closers = format!("{}}}\n{closers}", " ".repeat(column));
                self.modules.push(column);
                self.open = Open::Nothing;
            }
            Open::Nothing => {}
        }
    }

    /// Takes a brace that closes at `at`.
    fn brace_close(&mut self, at: usize) {
        let is_within = self.is_within(at);
        match &mut self.open {
            Open::Function { depth, closed, .. } if *depth > 0 => {
                *depth -= 1;
                if *depth == 0 {
                    *closed = Some(at + 1);
                }
            }
            Open::Item { depth, .. } if *depth > 0 => *depth -= 1,
            // Of the head of a module.
            Open::Module { .. } => {}
            // A brace that opens is missing.
            Open::Function { closed, spare, .. } if is_within => {
                *closed = Some(at + 1);
                spare.clear();
            }
            Open::Function { spare, .. } => spare.push(at),
            Open::Item { .. } | Open::Nothing => {
                self.end(at);
                self.closed |= self.modules.pop().is_some();
            }
        }
    }

    /// Whether the brace at `at`, which closes nothing in the function that it follows, stands further right than what is around
    /// functions, and so closes no module.
    fn is_within(&self, at: usize) -> bool {
        let Some(&module) = self.modules.last() else {
            return true;
        };
        let before = self.text.get(..at).unwrap_or_default().as_bytes();
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = before.get(start..).unwrap_or_default();
        line.len() > module && line.iter().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Decides which of the braces after a function it has itself: all but the last `modules`, which close modules.
    fn settle(&mut self, modules: usize) {
        let Open::Function { closed, spare, .. } = &mut self.open else {
            return;
        };
        let closers = spare.split_off(spare.len().saturating_sub(modules));
        if let Some(last) = spare.last() {
            *closed = Some(last + 1);
        }
        for at in closers {
            self.end(at);
            self.closed |= self.modules.pop().is_some();
        }
    }

    /// Ends what is being scanned before `at`.
    fn end(&mut self, at: usize) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Function {
                name,
                start,
                depth,
                closed,
                ..
            } => {
                let whole = self.text.get(start..at).unwrap_or_default();
                let end = match closed.filter(|_| depth == 0) {
                    // With what else is on the line of the last brace, up to a comment.
                    Some(closed) => {
                        let rest = self.text.get(closed..at).unwrap_or_default();
                        let line = rest.split('\n').next().unwrap_or_default();
                        let line = line.split("//").next().unwrap_or_default();
                        closed + line.trim_end().len()
                    }
                    None => start + whole.trim_end().len(),
                };
                if at == self.text.len() && !self.modules.is_empty() {
                    self.frame.open_end = Some(self.functions.len());
                }
                self.functions.push(Piece { name, at: start..end });
            }
            // All of the frame of PTX is needed by each of its functions.
            Open::Item { .. } if self.syntax == Syntax::Ptx => {}
            Open::Item { name, start, .. } => {
                let text = without(self.text, start..at, &self.comments);
                self.frame.items.push(Item {
                    name: name.map(str::to_owned),
                    text,
                    after: self.functions.len(),
                    inside: !self.modules.is_empty(),
                });
            }
            Open::Module { .. } | Open::Nothing => {}
        }
    }
}

/// The end of a string that begins at `at`, or of its line.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\n' => return end,
            b'"' => return end + 1,
            b'\\' if bytes.get(end + 1) != Some(&b'\n') => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The word at the start of a text, after a sigil of `sigil` bytes.
fn word(text: &str, sigil: usize) -> &str {
    let rest = text.as_bytes().get(sigil..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
    text.get(..sigil + length).unwrap_or_default()
}

/// The first symbol on the line that a text begins with; `None` if it is quoted, or there is none.
fn symbol(text: &str) -> Option<&str> {
    let line = text.split('\n').next()?;
    let at = line.find('@')?;
    let symbol = word(line.get(at..)?, 1);
    (symbol.len() > 1).then_some(symbol)
}

/// What a directive of PTX begins.
fn ptx_head(line: &str) -> Option<Head<'_>> {
    let mut rest = line;
    loop {
        let directive = word(rest, 1);
        rest = rest.get(directive.len()..)?.trim_start();
        match directive {
            ".visible" | ".weak" | ".extern" if rest.starts_with('.') => {}
            ".entry" => return Some(Head::Function(word(rest, 0))),
            ".func" => return Some(Head::Item(Some("@"))),
            _ => return None,
        }
    }
}
