//! Instructions that PTX has no form of, reported at the modifier that does not go with the others.

use tilewright_diagnostics::{Code, Diagnostic};

use super::TargetOp;
use super::types::{Class, Immediate, write_word};
use super::visit::{SsaOperand, SsaOperands};
use super::want::Want;
use crate::core::{
    Family, FieldSpec, Language, NamedTerm, OpData, Operation, Part, Problem, Problems, Value,
    own_attributes, reworded, term_text,
};

/// In what a value is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// A register of this class.
    In(Class),
    /// A byte, in a register of 16 bits.
    Byte,
    /// What a later language decides.
    Later,
    /// No single register.
    Nowhere,
}

impl Held {
    /// Whether it can be what an instruction wants. What a later language decides is checked there.
    pub(crate) fn fits(self, want: Want) -> bool {
        match (self, want) {
            (Self::In(class), want) => want.admits(class),
            (Self::Byte, Want::Exactly(ty)) if ty.bits() == 8 => true,
            (Self::Byte, want) => want.admits(Class::B16),
            (Self::Later, _) => true,
            (Self::Nowhere, _) => false,
        }
    }
}

/// The first source of a target instruction that is not what it must be: its number, and what it must be. Those of which a
/// later language decides in what they are held are checked there.
pub(crate) fn unfit(
    own: &TargetOp,
    held: impl Fn(Value) -> Held,
    constant: impl Fn(Value) -> Option<Immediate>,
) -> Option<(usize, Want)> {
    let mut next = 0;
    let mut found = None;
    own.instruction.visit(&mut SsaOperands(&mut |operand| {
        let SsaOperand::Source(value, want) = operand else {
            return;
        };
        let held = held(value);
        let is_constant = matches!(want, Want::Constant { .. }) && held != Held::Nowhere;
        let fits = is_constant || held.fits(want);
        let fits_constant = constant(value).is_none_or(|constant| want.admits_constant(constant));
        if found.is_none() && !(fits && fits_constant) {
            found = Some((next, want));
        }
        next += 1;
    }));
    found
}

/// A source of an instruction by its number.
pub(crate) fn nth_source(op: &TargetOp, at: usize) -> Part {
    let mut parts = Vec::new();
    op.operand_parts(&mut |part, _| parts.push(part));
    parts.get(at).copied().unwrap_or(Part::Op)
}

/// Reports an instruction that PTX has no form of: at a modifier, if another one in its place would do.
pub(crate) fn check_form<L: Language>(op: &OpData<L>, own: &TargetOp, problems: &mut Problems) {
    if own.instruction.need().is_some() {
        return;
    }
    let fields = own.spec().fields.iter();
    let (types, others): (Vec<&FieldSpec>, Vec<_>) =
        fields.partition(|field| field.family == Some(Family::Meaning));
    let mut fields = others.into_iter().chain(types);
    let found = fields.find_map(|field| Some((field.name, misfit(own, op.results().len(), field)?)));
    let (part, message, label) = match found {
        Some((field, message)) => (op.part(field), message, "does not go with the others"),
        None => (Part::Op, format!("PTX has no such form of `{}`", own.name()), ""),
    };
    problems.list.push(Problem {
        diagnostic: Diagnostic::error(Code::AttributeValue, message).at(op.origin, label),
        part,
    });
}

/// What is wrong with a modifier, if the instruction exists with another one in its place or without it.
fn misfit(own: &TargetOp, results: usize, field: &FieldSpec) -> Option<String> {
    let all = own_attributes(own);
    let now = all.iter().find(|attr| attr.name.text == field.name)?;
    let exists = |attr: Option<NamedTerm>| {
        let new = reworded(own, results, field.name, attr);
        new.is_some_and(|new| new.instruction.need().is_some())
    };
    let words = field.keywords.iter().map(|keyword| keyword.word);
    let fit: Vec<&str> = words
        .filter(|word| exists(Some(NamedTerm::new(field.name, write_word(word)))))
        .collect();
    let (op, name) = (own.name(), field.name);
    let found = now.value.as_ref().map(term_text);
    match (fit.as_slice(), found) {
        ([], found) if exists(None) => {
            let found = found.map_or_else(String::new, |found| format!(" = {found}"));
            Some(format!(
                "`{op}` with these other modifiers has no `{name}{found}`"
            ))
        }
        ([], _) | (_, None) => None,
        (fit, Some(found)) => Some(format!(
            "the `{name}` of `{op}` with these other modifiers is one of {}, not {found}",
            fit.join(", ")
        )),
    }
}
