//! The summary of a launch: its arrays, and whether the results are right.

use tilewright_diagnostics::{Code, Diagnostic, Location};

use crate::launch::Launch;
use crate::launch::allowance::{Allowance, Compared};
use crate::launch::arguments::Bound;
use crate::launch::compare::{Tolerance, compare};
use crate::launch::dtype::DType;
use crate::launch::npy::Array;
use crate::units::TileKernel;

/// Elements of an array that are printed.
const SHOWN: usize = 4;

/// A line of the table.
pub(super) struct Row {
    /// The name of the argument.
    pub(super) name: String,
    /// Whether the line is printed only if the results are wrong.
    pub(super) is_quiet: bool,
    pub(super) what: What,
}

/// The value of an argument, as the table shows it.
pub(super) enum What {
    /// A number.
    Number(DType, Vec<u8>),
    /// An array, and whether the kernel writes it.
    Array { array: Compared, is_written: bool },
    /// An array with the addresses of this many others.
    List(Compared, usize),
}

/// A run of the program in the reference evaluator.
pub(super) struct Expected<'a> {
    pub(super) program: &'a TileKernel,
    /// The arrays before the launch.
    pub(super) inputs: &'a Launch,
    /// The arrays after it.
    pub(super) results: &'a Launch,
    pub(super) replicas: usize,
}

/// A finished launch, and what its results are compared with.
pub(super) struct Summary<'a> {
    pub(super) rows: &'a [Row],
    pub(super) launch: &'a Launch,
    /// The expected results; `None` if there are none to compare with.
    pub(super) expected: Option<Expected<'a>>,
    /// What elements may be off by, besides what the language leaves open.
    pub(super) tolerance: Tolerance<'static>,
}

/// The table, and whether the results are right.
pub(super) struct Judged {
    pub(super) table: String,
    /// An error if they are wrong.
    pub(super) wrong: Option<Diagnostic<Location>>,
}

impl Summary<'_> {
    /// A line for each array and number, and what is wrong.
    pub(super) fn judge(&self) -> Judged {
        let allowance = match &self.expected {
            Some(expected) => {
                let written: Vec<_> = self.rows.iter().filter_map(Row::written).collect();
                let launches = [expected.inputs, expected.results, self.launch];
                Allowance::find(expected.program, launches, &written, expected.replicas)
            }
            None => Allowance::default(),
        };
        let (mut cells, mut problems): (Vec<[String; 4]>, Vec<String>) = Default::default();
        for row in self.rows {
            let (line, problem) = self.row(row, &allowance);
            if !row.is_quiet || problem.is_some() {
                cells.push(line);
            }
            problems.extend(problem);
        }
        let width = |column: usize| {
            let cells = cells.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2)];
        let mut table = String::new();
        for [name, ty, values, verdict] in &cells {
            let line = format!(
                "  {name:<0$}  {ty:<1$}  {values:<2$}  {verdict}",
                widths[0], widths[1], widths[2]
            );
            table += line.trim_end();
            table.push('\n');
        }
        let mut problems = problems.into_iter();
        let wrong = problems.next().map(|first| {
            let message = format!("the results are not those of the reference evaluator: {first}");
            let mut problem = Diagnostic::error(Code::Mismatch, message);
            problem.notes.extend(problems);
            problem.help("--rtol and --atol allow more, and --expect compares with a file instead")
        });
        Judged { table, wrong }
    }

    /// The cells of a row, and what is wrong with it.
    fn row(&self, Row { name, what, .. }: &Row, allowance: &Allowance) -> ([String; 4], Option<String>) {
        let (Compared { buffer, dtype }, is_written) = match what {
            What::Number(dtype, bytes) => {
                let cells = [name.clone(), dtype.name(), dtype.text(bytes), String::new()];
                return (cells, None);
            }
            What::Array { array, is_written } => (*array, *is_written),
            What::List(array, _) => (*array, false),
        };
        let Some(array) = self.launch.buffers.get(buffer) else {
            return (Default::default(), None);
        };
        let extents: Vec<_> = array.shape.iter().map(ToString::to_string).collect();
        let ty = format!("{}[{}]", dtype.name(), extents.join(","));
        let elements = array.data.chunks_exact(dtype.bytes());
        let values: Vec<_> = elements.take(SHOWN).map(|one| dtype.text(one)).collect();
        let more = if array.len() > SHOWN { ", …" } else { "" };
        let values = match what {
            What::List(_, count) => format!("the addresses of {count} arrays"),
            What::Number(..) | What::Array { .. } => format!("{}{more}", values.join(", ")),
        };
        let expected = self.expected.as_ref().filter(|_| is_written);
        let Some((expected, want)) =
            expected.and_then(|expected| Some((expected, expected.results.buffers.get(buffer)?)))
        else {
            return ([name.clone(), ty, values, String::new()], None);
        };
        let unspecified = expected.results.unspecified.get(buffer);
        let unspecified = unspecified.map_or(&[][..], Vec::as_slice);
        let tolerance = Tolerance {
            elements: allowance.of(buffer),
            ..self.tolerance
        };
        let difference = Difference::of(array, want, dtype, unspecified);
        let problem = compare(array, want, dtype, tolerance, unspecified).err();
        let verdict = difference.verdict(problem.is_some(), allowance.of(buffer));
        let problem = problem.map(|lines| format!("argument {name}: {}", lines.join("; ")));
        ([name.clone(), ty, values, verdict], problem)
    }
}

/// A row for each array that the user gave, by the number of its argument.
pub(super) fn arrays(bound: &Bound, is_written: impl Fn(usize) -> bool) -> Vec<Row> {
    let owners = bound.owners.iter().enumerate();
    let row = |(at, owner): (usize, &Option<(usize, DType)>)| {
        let (buffer, dtype) = (*owner)?;
        Some(Row {
            name: at.to_string(),
            is_quiet: false,
            what: What::Array {
                array: Compared { buffer, dtype },
                is_written: is_written(buffer),
            },
        })
    };
    owners.filter_map(row).collect()
}

impl Row {
    /// The array, if the kernel writes it.
    fn written(&self) -> Option<Compared> {
        match self.what {
            What::Array { array, is_written } => is_written.then_some(array),
            What::Number(..) | What::List(..) => None,
        }
    }
}

/// How two arrays differ.
struct Difference {
    /// The largest difference.
    error: f64,
    /// The largest expected element.
    largest: f64,
    /// The elements that differ.
    count: usize,
}

impl Difference {
    fn of(have: &Array, want: &Array, dtype: DType, unspecified: &[bool]) -> Self {
        let mut all = Self {
            error: 0.0,
            largest: 0.0,
            count: 0,
        };
        let pairs = have
            .data
            .chunks_exact(dtype.bytes())
            .zip(want.data.chunks_exact(dtype.bytes()));
        for (at, (have, want)) in pairs.enumerate() {
            let bytes = at * dtype.bytes()..(at + 1) * dtype.bytes();
            if unspecified.get(bytes).is_some_and(|marks| marks.contains(&true)) {
                continue;
            }
            let (Some(a), Some(b)) = (dtype.number(have), dtype.number(want)) else {
                continue;
            };
            if b.is_finite() {
                all.largest = all.largest.max(b.abs());
            }
            if have != want && !(a.is_nan() && b.is_nan()) {
                all.count += 1;
                all.error = all.error.max((a - b).abs());
            }
        }
        all
    }

    fn verdict(&self, is_wrong: bool, allowed: &[f64]) -> String {
        let largest = match self.largest {
            largest if largest < 1e6 => format!("{largest:.3}"),
            largest => format!("{largest:.2e}"),
        };
        let (count, error) = (self.count, self.error);
        let differ = format!("largest error {error:.2e}, of elements up to {largest}; {count} differ");
        let most = allowed.iter().copied().fold(0.0, f64::max);
        match (count, is_wrong) {
            (0, _) => "right: as the reference, bit for bit".to_owned(),
            (_, true) => format!("wrong: {differ}, of which rounding explains at most {most:.2e}"),
            (_, false) if most > 0.0 => {
                format!("right: {differ}, of which rounding explains up to {most:.2e}")
            }
            (_, false) => format!("right: {differ}, within --rtol and --atol"),
        }
    }
}
