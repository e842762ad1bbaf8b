//! Lives as JSON.

use serde_json::{Value, json};

use super::choose::{Wanted, names};
use super::place::Placed;
use super::{End, Life, Step, Use};

/// The lives of a kernel as JSON. Steps refer to those that they come from by their numbers.
pub fn json(kernel: &str, wanted: Wanted<'_>, lives: &[Placed], all: &[Life]) -> Value {
    let attribute = match wanted {
        Wanted::Named(name) => Some(name),
        Wanted::All => None,
    };
    let lives = lives.iter().map(|placed| {
        let at = placed
            .at
            .as_ref()
            .map(|(file, line, column)| json!({ "file": file, "line": line, "column": column }));
        json!({
            "op": placed.op,
            "at": at,
            "steps": placed.life.steps.iter().map(of_step).collect::<Vec<_>>(),
            "uses": placed.life.uses.iter().map(of_use).collect::<Vec<_>>(),
            "notes": placed.life.notes.iter().map(|note| note.words.as_str()).collect::<Vec<_>>(),
        })
    });
    json!({
        "kernel": kernel,
        "attribute": attribute,
        "lives": lives.collect::<Vec<_>>(),
        "has": names(all),
    })
}

fn of_use(one: &Use) -> Value {
    json!({
        "language": one.language.name(),
        "pass": one.pass,
        "hint": one.hint,
        "used": one.used,
        "why": Some(&one.why).filter(|why| !why.is_empty()),
    })
}

fn of_step(step: &Step) -> Value {
    let end = step
        .end
        .as_ref()
        .map(|End { how, pass, why }| json!({ "how": how.word(), "pass": pass, "why": why }));
    json!({
        "language": step.language.name(),
        "carrier": step.carrier.to_string(),
        "family": step.family.word(),
        "ops": step.ops,
        "name": step.name,
        "value": step.value,
        "lines": step.lines,
        "from": step.from,
        "came": step.came.word(),
        "pass": step.pass,
        "why": step.why,
        "end": end,
    })
}
