//! The list of PTX forms, and modules of them.

use tilewright_diagnostics::FileId;
use tilewright_grammar::ptx::parse;
use tilewright_irs::ptx::{IsaVersion, Module, Target};

/// Patterns of instructions: `<a,b>` is either alternative; `~` is a comma in an alternative.
const FORMS: &str = include_str!("../ptx_forms.txt");

/// Expands a pattern.
pub(crate) fn expand(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('<') else {
        return vec![pattern.to_owned()];
    };
    let close = open + pattern[open..].find('>').expect("a closing bracket");
    let (head, tail) = (&pattern[..open], &pattern[close + 1..]);
    let tails = expand(tail);
    choices(&pattern[open + 1..close])
        .iter()
        .flat_map(|choice| tails.iter().map(move |tail| format!("{head}{choice}{tail}")))
        .collect()
}

fn choices(text: &str) -> Vec<String> {
    text.split(',').map(|choice| choice.replace('~', ",")).collect()
}

/// The patterns in a text: its lines but comments.
pub(crate) fn patterns_of(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The patterns of the list.
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    patterns_of(FORMS)
}

/// All forms.
pub(crate) fn forms() -> Vec<String> {
    patterns().flat_map(expand).collect()
}

/// A module of one entry whose instructions are these forms and a final return.
pub(crate) fn module(target: Target, version: IsaVersion, forms: &[&String]) -> String {
    let mut text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .extern .func (.param .b32 vprintf_result) vprintf(.param .b64 vprintf_format, .param .b64 vprintf_arguments);\n\
         .visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n\
         .shared .align 16 .b8 tile[64];\n.local .align 16 .b8 mine[64];\n\
         .param .b64 passed0;\n.param .b64 passed1;\n.param .b32 back;\n"
    );
    // Older versions lack these registers.
    if version >= IsaVersion::new(8, 3) {
        text.push_str(".reg .b128 %rq<9>;\n");
    } else {
        text.push_str(".reg .b32 %unused<2>;\n");
    }
    for form in forms {
        text.push_str(form);
        text.push('\n');
    }
    text.push_str("$L_0:\nret;\n}\n");
    text
}

/// Parses a text without errors.
pub(crate) fn read(text: &str) -> Module {
    let parsed = parse(FileId(0), text);
    let told: Vec<_> = (parsed.diagnostics.iter())
        .filter_map(|diagnostic| {
            let span = diagnostic.primary.as_ref()?.at;
            let at = text.get(span.start as usize..span.end as usize)?;
            Some(format!("{}: {} `{at}`", diagnostic.code, diagnostic.message))
        })
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    parsed.module
}
