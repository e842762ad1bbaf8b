//! What becomes of the attribute under the cursor.

use tilewright_irs::core::Origin;

use crate::database::Compiler;
use crate::ide::functions::Function;
use crate::inputs::Options;
use crate::trace::{self, Came, Life, Step, Wanted};

/// The life of the attribute that a word names or is the value of, at an offset of a function.
pub(super) fn of_word(
    db: &Compiler,
    options: Options,
    function: &Function<'_>,
    offset: usize,
    word: &str,
) -> Option<String> {
    let kernel = function.kernel?;
    let offset = u32::try_from(offset).ok()?;
    // The attributes of an op follow its name; those of the kernel come before all ops.
    let before = function
        .places
        .op_spans()
        .filter(|(_, span)| span.start <= offset);
    let last = before.max_by_key(|(_, span)| span.start);
    let origin = last.map_or(Origin::FUNCTION, |(origin, _)| origin);
    let is_it =
        |step: &Step| step.came == Came::Read && (step.name == word || step.value.as_deref() == Some(word));
    let lives = trace::lives(db, kernel, options).iter();
    let own: Vec<&Life> = lives.filter(|life| life.origin == origin).collect();
    let step = own.iter().flat_map(|life| &life.steps).find(|step| is_it(step))?;
    let own = own
        .into_iter()
        .filter(|life| life.steps.iter().any(is_it))
        .cloned();
    let shown = Wanted::Named(step.name).of(&own.collect::<Vec<_>>());
    let texts: Vec<_> = shown.iter().map(trace::body).collect();
    Some(format!("```\n{}```", texts.join("\n")))
}
