//! Instructions that PTX has no form of, reported at the modifier that does not go with the others.

use tilewright_diagnostics::{Code, Diagnostic};

use super::TargetOp;
use super::types::write_word;
use crate::core::{
    Family, FieldSpec, Language, NamedTerm, OpData, Operation, Part, Problem, Problems, own_attributes,
    reworded, term_text,
};

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
