//! Texts with one mistake.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Language, verify};

/// Checks that a text is legal, and that with `from` replaced by `to` it has one mistake, of this code.
pub(crate) fn check<L: Language>(text: &str, mistakes: &[(&str, &str, Code)]) {
    let problems = |text: &str| {
        let parsed = parse_stage::<L>(text, FileId(0));
        let mut codes: Vec<(Code, String)> = parsed
            .diagnostics
            .into_iter()
            .map(|problem| (problem.code, problem.message))
            .collect();
        for func in &parsed.module.funcs {
            if let Err(found) = verify(func) {
                codes.extend(found.into_iter().map(|problem| (problem.code, problem.message)));
            }
        }
        codes
    };
    assert_eq!(problems(text), [], "{text}");
    for (from, to, code) in mistakes {
        assert!(text.contains(from), "{from}");
        let wrong = text.replacen(from, to, 1);
        let found = problems(&wrong);
        let [(have, message)] = found.as_slice() else {
            panic!("{} problems: {found:#?}\n{wrong}", found.len());
        };
        assert_eq!(have, code, "{message}\n{wrong}");
    }
}
