//! The two forms of remarks: YAML, in LLVM's form of optimisation records, and text for people.

use std::fmt::Write;

use super::{Kind, Remark};

/// Remarks as a stream of YAML documents, empty if there are none.
pub(crate) fn yaml(remarks: &[Remark]) -> String {
    let mut text = String::new();
    for (at, remark) in remarks.iter().enumerate() {
        let tag = match remark.kind {
            Kind::Passed => "Passed",
            Kind::Missed => "Missed",
            Kind::Failed => "Failure",
            Kind::Analysis => "Analysis",
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "--- !{tag}");
        entry(&mut text, "", "Pass", remark.category.name());
        entry(&mut text, "", "Name", remark.name);
        if let Some((file, line, column)) = &remark.place {
            let file = match scalar(file) {
                plain if plain == *file => format!("'{file}'"),
                quoted => quoted,
            };
            let _ = writeln!(
                text,
                "{:<16} {{ File: {file}, Line: {line}, Column: {column} }}",
                "DebugLoc:"
            );
        }
        entry(&mut text, "", "Function", &remark.kernel);
        text.push_str("Args:\n");
        entry(&mut text, ARGUMENT, "RemarkId", &(at + 1).to_string());
        entry(&mut text, ARGUMENT, "Remark", &remark.text);
        for (name, fact) in &remark.facts {
            entry(&mut text, ARGUMENT, name, fact);
        }
        text.push_str("...\n");
    }
    text
}

/// The indentation of a key in `Args`.
const ARGUMENT: &str = "  - ";

/// Writes a line with a key and a value. The value begins in column 18 if the key is short enough.
fn entry(text: &mut String, before: &str, key: &str, value: &str) {
    let width = 16 - before.len();
    let key = format!("{key}:");
    // Writing to a string does not fail.
    let _ = writeln!(text, "{before}{key:<width$} {}", scalar(value));
}

/// A text as a YAML scalar: plain, in single quotes, or, if it has non-ASCII or control characters, in double quotes.
fn scalar(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-^., =".contains(c);
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_word = !matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off"
    );
    if text.chars().all(harmless) && starts && is_word && !text.ends_with(' ') {
        return text.to_owned();
    }
    if text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            // Writing to a string does not fail.
            _ => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Remarks for people, kernel by kernel.
pub(crate) fn plain(remarks: &[Remark]) -> String {
    let mut text = String::new();
    let mut before: Option<&Remark> = None;
    for remark in remarks {
        // Writing to a string does not fail.
        let same_kernel = before.is_some_and(|before| before.kernel == remark.kernel);
        if !same_kernel {
            let _ = writeln!(text, "in function: {}:\n", remark.kernel);
        }
        if !same_kernel || before.is_some_and(|before| before.category != remark.category) {
            let _ = writeln!(text, "  category: {}", remark.category.name());
        }
        let kind = match remark.kind {
            Kind::Passed => "passed",
            Kind::Missed => "missed",
            Kind::Failed => "failed",
            Kind::Analysis => "analysis",
        };
        let _ = writeln!(text, "    remark[{kind}]: {}", remark.text);
        if let Some((file, line, column)) = &remark.place {
            let _ = writeln!(text, "      --> {file:?}:{line}:{column}");
        }
        let _ = writeln!(text, "       |\n       = name: {}", remark.name);
        for (name, fact) in &remark.facts {
            let _ = writeln!(text, "       = note: {name} = {fact}");
        }
        text.push('\n');
        before = Some(remark);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Category;
    use super::*;

    fn remark() -> Remark {
        Remark {
            kind: Kind::Missed,
            category: Category::Memory,
            name: "RemarkX",
            place: Some(("dir/kernel.py".to_owned(), 31, 14)),
            kernel: "matmul".to_owned(),
            text: "too narrow: 8 bits".to_owned(),
            facts: vec![("Instruction", "it's".to_owned())],
        }
    }

    #[test]
    fn a_document_has_the_form_of_llvm() {
        let wanted = "--- !Missed\nPass:            Memory\nName:            RemarkX\n\
                      DebugLoc:        { File: 'dir/kernel.py', Line: 31, Column: 14 }\nFunction:        matmul\nArgs:\n\
                      \x20 - RemarkId:    1\n  - Remark:      'too narrow: 8 bits'\n  - Instruction: 'it''s'\n...\n";
        assert_eq!(yaml(&[remark()]), wanted);
        assert_eq!(yaml(&[]), "");
        let unplaced = Remark {
            place: None,
            ..remark()
        };
        assert!(!yaml(&[unplaced]).contains("DebugLoc"));
    }

    #[test]
    fn a_kernel_and_a_category_are_named_once() {
        let text = plain(&[remark(), remark()]);
        assert_eq!(text.matches("in function: matmul:").count(), 1);
        assert_eq!(text.matches("category: Memory").count(), 1);
        assert_eq!(text.matches("--> \"dir/kernel.py\":31:14").count(), 2);
    }

    #[test]
    fn scalars_are_quoted_where_yaml_needs_it() {
        for (text, wanted) in [
            ("Load instruction", "Load instruction"),
            ("", "''"),
            ("no", "'no'"),
            ("- a", "'- a'"),
            ("a: b", "'a: b'"),
            ("π\n\"", "\"\\U000003C0\\U0000000A\\\"\""),
        ] {
            assert_eq!(scalar(text), wanted);
        }
    }
}
