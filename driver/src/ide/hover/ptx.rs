//! Descriptions of PTX: of names, of instructions and their modifiers, of directives, types and special registers.

use std::ops::Range;

use tilewright_diagnostics::{Span, counted};
use tilewright_grammar::ptx::{Declaration, Named, Names};
use tilewright_irs::core::Keyword;
use tilewright_irs::isa::{DECLARATIONS, Space, Type};
use tilewright_irs::ptx::{self as isa, Directive, Register, Special};

use crate::database::Compiler;
use crate::ide::functions::{Function, function_at, op_at};
use crate::ide::names::ptx::{declaration, find, names};
use crate::ide::names::slice;
use crate::ide::tokens::{Kind, words};
use crate::inputs::Source;
use crate::units::Stage;

/// How many of the instructions that write a register are shown.
const MOST_LINES: usize = 4;

/// The text for a name.
pub(super) fn of_name(
    db: &Compiler,
    source: Source,
    text: &str,
    offset: usize,
    own: Declaration,
) -> Option<Vec<String>> {
    let names = names(db, source);
    let declared = names.get(own)?;
    let (at, _, register) = find(names, offset)?;
    let name = slice(text, at)?;
    let line = format!("declared in line {}", line_of(text, declared.at));
    let declaration = declaration(text, declared);
    Some(match declared.what {
        Named::Entry | Named::Function | Named::Parameter => vec![format!("```\n{declaration}\n```"), line],
        Named::Variable(space) => {
            let word = space.word();
            let doc = keyword(Space::KEYWORDS, word).unwrap_or_default();
            vec![
                format!("```\n{declaration}\n```"),
                format!("`.{word}`: {doc}"),
                line,
            ]
        }
        Named::Label => {
            let jumps = uses(names, own);
            vec![
                format!("```\n{name}:\n```"),
                format!(
                    "in line {}, {}",
                    line_of(text, declared.at),
                    counted(jumps, "use")
                ),
            ]
        }
        Named::Register(class) | Named::Registers(class, _) => {
            let ty = class.declared();
            let mut parts = vec![
                format!("```\n.reg .{ty} {name}\n```"),
                of_type(ty),
                format!("{line}: `{declaration}`"),
            ];
            let function = function_at(db, source, offset);
            let register = register.or_else(|| only(names, own));
            if let Some((function, register)) = function.zip(register) {
                parts.extend(writers(text, &function, register));
            }
            parts
        }
    })
}

/// The register that a declaration of a single register declares, if it is used anywhere.
fn only(names: &Names, own: Declaration) -> Option<Register> {
    let single = matches!(names.get(own)?.what, Named::Register(_));
    let mut uses = names.uses().iter().filter(|found| found.declaration == own);
    uses.next().and_then(|found| found.register).filter(|_| single)
}

fn uses(names: &Names, own: Declaration) -> usize {
    names
        .uses()
        .iter()
        .filter(|found| found.declaration == own)
        .count()
}

/// The instructions that write a register.
fn writers(text: &str, function: &Function<'_>, register: Register) -> Option<String> {
    let Stage::Ptx(kernel) = function.body else {
        return None;
    };
    let writes = |instruction: &isa::Instruction| {
        let mut writes = false;
        instruction.registers(&mut |other, access, _| {
            writes |= other == register && access != isa::Access::Read;
        });
        writes
    };
    let spans = function.places.op_spans().map(|(_, span)| span);
    let written = kernel
        .instructions()
        .zip(spans)
        .filter(|(line, _)| writes(&line.instruction));
    let lines: Vec<_> = written
        .filter_map(|(_, span)| Some(format!("line {}: `{}`", line_of(text, span), slice(text, span)?)))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let more = match lines.len().checked_sub(MOST_LINES) {
        None | Some(0) => String::new(),
        Some(more) => format!("\n- and {more} more"),
    };
    let shown: Vec<_> = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| format!("- {line}"))
        .collect();
    Some(format!("written in\n{}{more}", shown.join("\n")))
}

/// The word at an offset, and its description.
pub(super) fn of_word(
    text: &str,
    function: Option<&Function<'_>>,
    offset: usize,
) -> Option<(Range<usize>, String)> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(start..)?;
    let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
    let column = offset - start;
    let token = words(line).find(|word| word.at.start <= column && column <= word.at.end)?;
    let word = line.get(token.at.clone())?;
    let all = start + token.at.start..start + token.at.end;
    match token.kind {
        Kind::Directive => {
            let bare = word.trim_start_matches('.');
            let doc = keyword(<Directive as tilewright_irs::core::TermCodec>::KEYWORDS, bare);
            let doc = doc.or_else(|| keyword(Space::KEYWORDS, bare));
            let text = match doc {
                Some(doc) => format!("**{word}**: {doc}"),
                None => of_type(Type::from_word(bare)?),
            };
            Some((all, text))
        }
        Kind::Value => {
            let special = Special::from_word(word)?;
            let doc = keyword(Special::KEYWORDS, word)?;
            Some((
                all,
                format!(
                    "**{word}**, a special register: {doc}\n\n{}",
                    of_type(special.ty())
                ),
            ))
        }
        Kind::Word => of_instruction(function, word, offset, all),
        Kind::Comment | Kind::Str | Kind::Number | Kind::Symbol | Kind::Alias | Kind::Block | Kind::Mark => {
            None
        }
    }
}

/// The text for an instruction's name or for one of its modifiers.
fn of_instruction(
    function: Option<&Function<'_>>,
    word: &str,
    offset: usize,
    at: Range<usize>,
) -> Option<(Range<usize>, String)> {
    let parts: Vec<&str> = word.split('.').collect();
    let is_own = |mnemonic: &str| {
        let fixed: Vec<_> = mnemonic.split('.').collect();
        parts.starts_with(&fixed).then_some(fixed.len())
    };
    // The form that the reader has found, or else the first one of the longest mnemonic.
    let found = function.and_then(|function| {
        let Stage::Ptx(kernel) = function.body else {
            return None;
        };
        let origin = op_at(function, offset)?;
        let mut lines = kernel.instructions();
        let line = lines.find(|line| line.origin == Some(origin.0))?;
        Some(line.instruction.declaration()).filter(|found| is_own(found.mnemonic).is_some())
    });
    let all = || {
        DECLARATIONS
            .iter()
            .filter_map(|known| Some((is_own(known.mnemonic)?, known)))
    };
    let longest = all().map(|(length, _)| length).max();
    let known = found.or_else(|| {
        all()
            .find(|(length, _)| Some(*length) == longest)
            .map(|(_, known)| known)
    })?;
    let mut form = known.mnemonic.to_owned();
    for modifier in known.modifiers {
        form += &format!("{{.{modifier}}}");
    }
    form += &format!(" {}", known.operands.join(", "));
    let mut text = format!(
        "**{}**: {}\n\n```\n{}\n```",
        known.mnemonic,
        known.doc.trim(),
        form.trim_end()
    );
    // The modifier under the cursor.
    let before = word.get(..offset - at.start)?.matches('.').count();
    let modifier = parts
        .get(before)
        .filter(|_| is_own(known.mnemonic) <= Some(before));
    let said = modifier.and_then(|modifier| {
        let mut said = known.keywords.iter().filter_map(|words| keyword(words, modifier));
        let ty = Type::from_word(modifier).map(of_type);
        ty.or_else(|| said.next().map(|doc| format!("`.{modifier}`: {doc}")))
    });
    if let Some(said) = said {
        text = format!("{said}\n\n{text}");
    }
    Some((at, text))
}

fn keyword(words: &[Keyword], word: &str) -> Option<&'static str> {
    let found = words.iter().find(|keyword| keyword.word == word)?;
    Some(found.doc.trim())
}

fn of_type(ty: Type) -> String {
    let doc = keyword(Type::KEYWORDS, ty.word()).unwrap_or_default();
    let bits = counted(ty.bits(), "bit");
    match doc {
        "" => format!("`.{ty}`: {bits}"),
        doc => format!("`.{ty}`: {doc} {bits}"),
    }
}

/// The number of the line that a span begins in, from one.
fn line_of(text: &str, span: Span) -> usize {
    let before = usize::try_from(span.start)
        .ok()
        .and_then(|start| text.get(..start));
    1 + before.unwrap_or_default().matches('\n').count()
}
