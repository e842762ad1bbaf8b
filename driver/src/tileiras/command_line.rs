//! Command lines in the style of LLVM's tools: `--option=value`, `--option value`, `-option value`, before or after the input.
//!
//! An option begins with one or two dashes. Its value follows `=` or is the next argument, whatever that looks like; the last
//! one counts. `--` ends the options. The texts of errors are LLVM's, which users search for and clients print.

use std::ffi::{OsStr, OsString};

use clap_lex::OsStrExt;

/// The value that an option takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// Nothing, or a truth value after `=`.
    Switch,
    /// A text; the help calls it by this name.
    Text(&'static str),
    /// A number; the help calls it by this name.
    Number(&'static str),
    /// One of these words, each with its meaning.
    OneOf(&'static [(&'static str, &'static str)]),
    /// An alias of the option with this name.
    Alias(&'static str),
    /// An alias of the option with this name, followed directly by the value: `-O3`.
    JoinedAlias(&'static str),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// The name, without dashes.
    pub(super) name: &'static str,
    /// What it takes.
    pub(super) takes: Takes,
    /// Its description in the help; `None` for an option that the help omits.
    pub(super) doc: Option<&'static str>,
}

impl Spec {
    /// The name with its dashes.
    pub(super) fn dashed(&self) -> String {
        dashed(self.name)
    }
}

/// The options that every program of this style has.
pub(super) const GENERIC: &[Spec] = &[
    Spec {
        name: HELP,
        takes: Takes::Nothing,
        doc: Some("Display available options"),
    },
    Spec {
        name: "h",
        takes: Takes::Alias(HELP),
        doc: None,
    },
    Spec {
        name: "help-hidden",
        takes: Takes::Alias(HELP),
        doc: None,
    },
    Spec {
        name: VERSION,
        takes: Takes::Nothing,
        doc: Some("Display the version of this program"),
    },
];

/// The names of generic options.
pub(super) const HELP: &str = "help";
pub(super) const VERSION: &str = "version";

fn dashed(name: &str) -> String {
    let dashes = if name.len() == 1 { "-" } else { "--" };
    format!("{dashes}{name}")
}

/// A parsed command line: the options, the inputs, and the errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The options in order, by their names without dashes; aliases are resolved.
    given: Vec<(&'static str, OsString)>,
    /// The other arguments.
    pub(super) inputs: Vec<OsString>,
    /// The errors, each a line without the program's name.
    pub(super) errors: Vec<String>,
}

impl CommandLine {
    /// Reads the arguments of `program`, which does not include its name.
    pub(super) fn read(program: &str, specs: &[Spec], args: &[OsString]) -> Self {
        let mut line = Self::default();
        let mut args = args.iter();
        let mut options_ended = false;
        while let Some(arg) = args.next() {
            let rest = match arg.strip_prefix("-") {
                Some(rest) if !options_ended && !rest.is_empty() => rest,
                _ => {
                    line.inputs.push(arg.clone());
                    continue;
                }
            };
            if arg == "--" {
                options_ended = true;
                continue;
            }
            let rest = rest.strip_prefix("-").unwrap_or(rest);
            let outcome = match find(specs, rest) {
                Some((spec, value)) => {
                    let value = value.map(OsStr::to_owned);
                    take(specs, spec, value, &mut || args.next().cloned())
                }
                None => Err(format!(
                    "Unknown command line argument '{}'.  Try: '{program} --help'",
                    arg.display()
                )),
            };
            match outcome {
                Ok(given) => line.given.push(given),
                Err(error) => line.errors.push(error),
            }
        }
        if let [_, _, ..] = line.inputs.as_slice() {
            line.errors.push(format!(
                "Too many positional arguments specified!\nCan specify at most 1 positional arguments: See: {program} --help"
            ));
        }
        line
    }

    /// Whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The value of an option that was given.
    pub(super) fn value(&self, name: &str) -> Option<&OsStr> {
        let mut given = self.given.iter().rev();
        given
            .find(|(given, _)| *given == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// The value of an option that takes a word or a number.
    pub(super) fn word(&self, name: &str) -> Option<&str> {
        self.value(name)?.to_str()
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.word(name).is_some_and(|value| value == TRUE)
    }
}

/// How a switch that is on is recorded.
const TRUE: &str = "true";
const FALSE: &str = "false";

/// The option that an argument, given without its dashes, names, and the value in the argument, if any.
fn find<'a>(specs: &'a [Spec], arg: &'a OsStr) -> Option<(&'a Spec, Option<&'a OsStr>)> {
    let (name, value) = match arg.split_once("=") {
        Some((name, value)) => (name, Some(value)),
        None => (arg, None),
    };
    let joined = |spec: &&Spec| matches!(spec.takes, Takes::JoinedAlias(_));
    let exact = |spec: &&Spec| name == spec.name && !joined(spec);
    specs.iter().find(exact).map(|spec| (spec, value)).or_else(|| {
        let mut joined = specs.iter().filter(joined);
        joined.find_map(|spec| {
            let value = arg.strip_prefix(spec.name)?;
            Some((spec, Some(value).filter(|value| !value.is_empty())))
        })
    })
}

/// The option with its value, checked. `next` is the next argument.
fn take(
    specs: &[Spec],
    spec: &Spec,
    value: Option<OsString>,
    next: &mut dyn FnMut() -> Option<OsString>,
) -> Result<(&'static str, OsString), String> {
    let whole = match spec.takes {
        Takes::Alias(of) | Takes::JoinedAlias(of) => specs.iter().find(|spec| spec.name == of),
        _ => None,
    };
    let whole = whole.unwrap_or(spec);
    let wrong = |name: &str, what: String| format!("for the {} option: {what}", dashed(name));
    let missing = || wrong(spec.name, "requires a value!".to_owned());
    let value = match (whole.takes, value, spec.takes) {
        (Takes::Nothing | Takes::Switch, value, _) => value,
        (_, Some(value), _) => Some(value),
        (_, None, Takes::JoinedAlias(_)) => return Err(missing()),
        (_, None, _) => Some(next().ok_or_else(missing)?),
    };
    let value = value.unwrap_or_default();
    let shown = value.display();
    let bad = |what: String| Err(wrong(whole.name, what));
    let value = match whole.takes {
        Takes::Nothing if value.is_empty() => value,
        Takes::Nothing => return bad(format!("does not allow a value! '{shown}' specified.")),
        Takes::Switch => match value.to_str() {
            Some("" | "true" | "TRUE" | "True" | "1") => TRUE.into(),
            Some("false" | "FALSE" | "False" | "0") => FALSE.into(),
            _ => {
                return bad(format!(
                    "'{shown}' is invalid value for boolean argument! Try 0 or 1"
                ));
            }
        },
        Takes::Number(_) if value.to_str().is_some_and(|text| text.parse::<u32>().is_ok()) => value,
        Takes::Number(_) => return bad(format!("'{shown}' value invalid for integer argument!")),
        Takes::OneOf(words) if words.iter().any(|(word, _)| value == *word) => value,
        Takes::OneOf(_) => return bad(format!("Cannot find option named '{shown}'!")),
        Takes::Text(_) | Takes::Alias(_) | Takes::JoinedAlias(_) => value,
    };
    Ok((whole.name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[Spec] = &[
        Spec {
            name: "gpu-name",
            takes: Takes::OneOf(&[("sm_80", "SM 80"), ("sm_90", "SM 90")]),
            doc: None,
        },
        Spec {
            name: "arch",
            takes: Takes::Alias("gpu-name"),
            doc: None,
        },
        Spec {
            name: "opt-level",
            takes: Takes::Number("N"),
            doc: None,
        },
        Spec {
            name: "O",
            takes: Takes::JoinedAlias("opt-level"),
            doc: None,
        },
        Spec {
            name: "lineinfo",
            takes: Takes::Switch,
            doc: None,
        },
        Spec {
            name: "o",
            takes: Takes::Text("file"),
            doc: None,
        },
        Spec {
            name: "help",
            takes: Takes::Nothing,
            doc: None,
        },
    ];

    fn read(args: &[&str]) -> CommandLine {
        let args: Vec<_> = args.iter().map(OsString::from).collect();
        CommandLine::read("tileiras", SPECS, &args)
    }

    #[test]
    fn values_are_joined_or_separate_and_options_stand_anywhere() {
        let wanted = read(&["in", "--gpu-name", "sm_90", "--opt-level", "2", "-o", "out"]);
        assert_eq!(wanted.errors, Vec::<String>::new());
        for args in [
            &["--gpu-name=sm_90", "--opt-level=2", "in", "-o", "out"][..],
            &["-gpu-name", "sm_90", "-O2", "-o=out", "in"],
            &["-arch=sm_90", "-opt-level=2", "--o", "out", "--", "in"],
        ] {
            let line = read(args);
            assert_eq!(line.errors, Vec::<String>::new(), "{args:?}");
            for name in ["gpu-name", "opt-level", "o"] {
                assert_eq!(line.value(name), wanted.value(name), "{args:?} {name}");
            }
            assert_eq!(line.inputs, ["in"], "{args:?}");
        }
    }

    #[test]
    fn the_last_one_counts() {
        assert_eq!(read(&["-O3", "-O1"]).word("opt-level"), Some("1"));
        assert!(!read(&["--lineinfo", "--lineinfo=false"]).is_on("lineinfo"));
        assert!(read(&["--lineinfo=1"]).is_on("lineinfo"));
        assert!(!read(&[]).is_on("lineinfo"));
    }

    #[test]
    fn a_value_may_look_like_an_option_and_an_input_like_nothing() {
        assert_eq!(read(&["-o", "-x"]).value("o"), Some(OsStr::new("-x")));
        let line = read(&["-", "--", "--help"]);
        assert_eq!(
            line.errors,
            [
                "Too many positional arguments specified!\nCan specify at most 1 positional arguments: See: tileiras --help"
            ]
        );
        assert_eq!(line.inputs, ["-", "--help"]);
    }

    #[test]
    fn errors_have_the_words_of_llvm() {
        for (args, wanted) in [
            (
                &["--gpu-name", "sm_75"][..],
                "for the --gpu-name option: Cannot find option named 'sm_75'!",
            ),
            (
                &["-arch=sm_90a"],
                "for the --gpu-name option: Cannot find option named 'sm_90a'!",
            ),
            (&["--gpu-name"], "for the --gpu-name option: requires a value!"),
            (&["-o"], "for the -o option: requires a value!"),
            (&["-O"], "for the -O option: requires a value!"),
            (
                &["-O=2"],
                "for the --opt-level option: '=2' value invalid for integer argument!",
            ),
            (
                &["--opt-level=-1"],
                "for the --opt-level option: '-1' value invalid for integer argument!",
            ),
            (
                &["--lineinfo=maybe"],
                "for the --lineinfo option: 'maybe' is invalid value for boolean argument! Try 0 or 1",
            ),
            (
                &["--help=1"],
                "for the --help option: does not allow a value! '1' specified.",
            ),
            (
                &["--bogus"],
                "Unknown command line argument '--bogus'.  Try: 'tileiras --help'",
            ),
            (
                &["---O3"],
                "Unknown command line argument '---O3'.  Try: 'tileiras --help'",
            ),
            (
                &["-oout"],
                "Unknown command line argument '-oout'.  Try: 'tileiras --help'",
            ),
        ] {
            assert_eq!(read(args).errors, [wanted], "{args:?}");
        }
    }
}
