//! Detects the language of a text from its first word.

use crate::snapshot::without_snapshot_header;

/// The languages of the regular syntax, in lowering order.
const STAGES: &[&str] = &["tileaa", "tileas", "scheduled", "cute_desugared", "llvm", "nvvm"];

/// The language of a text: one of the regular syntax by its `language.func`, `cuda_tile` by its module, `ptx` by its
/// version, `cute` by a module, or functions without one, with a kernel, a function of the host or a type of `cute`. `None` if the
/// beginning matches none of them.
pub fn detect_language(text: &str) -> Option<&'static str> {
    let mut rest = without_snapshot_header(text);
    loop {
        rest = rest.trim_start();
        if rest.starts_with("//") {
            rest = rest.split_once('\n')?.1;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
        } else if rest.starts_with(['#', '!']) {
            rest = skip_alias(rest)?;
        } else {
            break;
        }
    }
    // Quoted in the generic form.
    let word = rest
        .strip_prefix('"')
        .unwrap_or(rest)
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
        .next()?;
    match word {
        ".version" | ".target" | ".address_size" => Some("ptx"),
        "module" | "builtin.module" | "func.func" if is_cute(text) => Some("cute"),
        "cuda_tile.module" | "module" | "builtin.module" | "cuda_tile.entry" | "entry"
        | "cuda_tile.global" | "global" => Some("cuda_tile"),
        // Followed by the dollar sign of all names of preview content.
        "cuda_tile.preview" | "preview" => Some("cuda_tile"),
        _ => {
            let language = word.strip_suffix(".func")?;
            STAGES.iter().copied().find(|stage| *stage == language)
        }
    }
}

/// Whether a module is one of MLIR with `cute`, not one of `cuda_tile`.
fn is_cute(text: &str) -> bool {
    ["cuda.kernel", "func.func", "!cute.", "!cute_nvgpu."]
        .iter()
        .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// The text after an alias definition, whose brackets may span several lines.
fn skip_alias(text: &str) -> Option<&str> {
    let mut depth = 0i64;
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' | '[' | '(' | '{' if !quoted => depth += 1,
            '>' | ']' | ')' | '}' if !quoted => depth -= 1,
            '\n' if depth <= 0 => return text.get(at + 1..),
            '\n' => quoted = false,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::detect_language;

    #[test]
    fn each_language_is_known_by_its_first_word() {
        assert_eq!(detect_language("tileas.func @f() body {\n}\n"), Some("tileas"));
        assert_eq!(
            detect_language("// c\n#a = linear<\"#>\", [\n[1]\n]>\n\n  nvvm.func @f"),
            Some("nvvm")
        );
        assert_eq!(detect_language("cuda_tile.module @m {\n}"), Some("cuda_tile"));
        assert_eq!(
            detect_language("#loc = loc(unknown)\nmodule @m {\n}"),
            Some("cuda_tile")
        );
        assert_eq!(detect_language("entry @k() { return }"), Some("cuda_tile"));
        assert_eq!(
            detect_language("!l = !cute.layout<\"4:1\">\nmodule {\n}"),
            Some("cute")
        );
        assert_eq!(
            detect_language("\"builtin.module\"() ({ \"gpu.module\"() ({ \"cuda.kernel\"()"),
            Some("cute")
        );
        assert_eq!(
            detect_language("func.func @f(%a: !cute.shape<\"4\">) {\n}"),
            Some("cute")
        );
        assert_eq!(
            detect_language("module {\n  func.func @f(%a: i32) -> i32 {"),
            Some("cute")
        );
        assert_eq!(
            detect_language("!t = !cuda_tile.tile<\n4xf32>\nbuiltin.module {\n}"),
            Some("cuda_tile")
        );
        assert_eq!(detect_language("/* c */ // d\n\t.version 8.5\n"), Some("ptx"));
        assert_eq!(
            detect_language("---\nsource: a\n---\n.version 8.5\n"),
            Some("ptx")
        );
    }

    #[test]
    fn other_texts_are_no_language() {
        for text in ["", "//", "#a", "hello", "other.func @f", "/* open", ".func"] {
            assert_eq!(detect_language(text), None, "{text}");
        }
    }
}
