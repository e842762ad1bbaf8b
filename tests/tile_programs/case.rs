//! A program with its arguments and launches, as a text that can be kept in a file.
//!
//! The text is a `cuda_tile` module after comments that describe how it is launched, one argument or launch a line:
//!
//! ```text
//! // array i32 count=300 from=4 fill=bits seed=17     an array, and the element that the pointer points to
//! // number i64 -3
//! // launch k 2 1 1                                   an entry and its grid
//! ```
//!
//! Every entry takes all arguments, and the launches run one after the other on the same arrays.

use std::fmt::Write;
use std::str::FromStr;

use super::numbers::{Fill, Ty};

/// An array in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) ty: Ty,
    pub(crate) count: usize,
    /// The element whose address is the argument.
    pub(crate) from: usize,
    pub(crate) fill: Fill,
    pub(crate) seed: u64,
}

impl Array {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.fill.bytes(self.ty, self.seed, self.count)
    }

    /// The offset of the argument, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        (self.from * self.ty.bytes()) as u64
    }
}

/// An argument of every entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    Array(Array),
    Number { ty: Ty, value: i64 },
}

/// An entry and its grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
}

/// A program, its arguments, and its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) launches: Vec<Launch>,
    /// The module.
    pub(crate) text: String,
}

impl Case {
    /// The arrays, in the order of the arguments.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Array(array) => Some(array),
            Argument::Number { .. } => None,
        })
    }

    /// The program and the comments that describe its launches.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        for argument in &self.arguments {
            let _ = match argument {
                Argument::Array(array) => writeln!(
                    out,
                    "// array {} count={} from={} fill={} seed={}",
                    array.ty.name(),
                    array.count,
                    array.from,
                    array.fill,
                    array.seed
                ),
                Argument::Number { ty, value } => writeln!(out, "// number {} {value}", ty.name()),
            };
        }
        for launch in &self.launches {
            let [x, y, z] = launch.grid;
            let _ = writeln!(out, "// launch {} {x} {y} {z}", launch.entry);
        }
        out + &self.text
    }

    /// Reads what [`Case::print`] writes; other comments are part of the text.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut case = Self {
            arguments: Vec::new(),
            launches: Vec::new(),
            text: String::new(),
        };
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["//", "array", ty, count, from, fill, seed] => case.arguments.push(Argument::Array(Array {
                    ty: ty_of(ty)?,
                    count: field(count, "count")?,
                    from: field(from, "from")?,
                    fill: field(fill, "fill")?,
                    seed: field(seed, "seed")?,
                })),
                ["//", "number", ty, value] => case.arguments.push(Argument::Number {
                    ty: ty_of(ty)?,
                    value: value.parse().map_err(|_| format!("`{value}` is no number"))?,
                }),
                ["//", "launch", entry, x, y, z] => {
                    let extent = |text: &str| text.parse().map_err(|_| format!("`{text}` is no extent"));
                    case.launches.push(Launch {
                        entry: entry.to_owned(),
                        grid: [extent(x)?, extent(y)?, extent(z)?],
                    });
                }
                _ => {
                    case.text.push_str(line);
                    case.text.push('\n');
                }
            }
        }
        Ok(case)
    }
}

fn ty_of(name: &str) -> Result<Ty, String> {
    Ty::named(name).ok_or_else(|| format!("`{name}` is no element type"))
}

/// The value of `key=value`.
fn field<T: FromStr>(word: &str, key: &str) -> Result<T, String> {
    let value = word.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
    let value = value.and_then(|value| value.parse().ok());
    value.ok_or_else(|| format!("`{word}` is not `{key}=` and a value"))
}
