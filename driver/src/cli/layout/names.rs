//! `tilewright layout names`.

use std::fmt::Write;

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_layout_gallery::catalogue::FAMILIES;

use crate::cli::report::{Exit, Outcome};
use crate::files::print;

/// The arguments of `layout names`.
#[derive(Debug, Args)]
pub(super) struct Names {
    /// Only the names that begin with this word
    #[arg(value_name = "FAMILY")]
    family: Option<String>,
}

impl Names {
    pub(super) fn execute(&self) -> Outcome {
        let asked = |name: &str| self.family.as_deref().is_none_or(|family| family == name);
        let families: Vec<_> = FAMILIES.iter().filter(|family| asked(family.name)).collect();
        if families.is_empty() {
            let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            let message = format!(
                "no layout's name begins with `{}`",
                self.family.as_deref().unwrap_or_default()
            );
            let help = format!("names begin with {}", known.join(", "));
            return Err(Diagnostic::error(Code::BadArgument, message).help(help));
        }
        let mut text = String::new();
        for family in families {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}: {}\n  {}", family.name, family.about, family.grammar);
            for name in (family.names)() {
                let _ = writeln!(text, "    {name}");
            }
        }
        print(text.as_bytes())?;
        Ok(Exit::Ok)
    }
}
