//! Single-op kernels with operands and results that `tests/tools/diff_ops` has compared with numpy, ml_dtypes, MPFR
//! and Python's integers (`--record`).

use crate::support::launch_on;
use tilewright_evaluator::Init;

/// A record: a kernel, its buffers before, and after where it writes them.
struct Record<'a> {
    name: &'a str,
    grid: u32,
    replicas: usize,
    before: Vec<Vec<u8>>,
    after: Vec<Option<Vec<u8>>>,
    text: String,
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = (0..hex.len()).step_by(2);
    let parse = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
    digits.map(parse).collect()
}

impl<'a> Record<'a> {
    fn read(text: &'a str) -> Self {
        let mut lines = text.lines();
        let name = lines.next().expect("a name");
        let numbers: Vec<&str> = lines.next().expect("numbers").split(' ').collect();
        let mut record = Record {
            name,
            grid: numbers[1].parse().expect("a number"),
            replicas: numbers[3].parse().expect("a number"),
            before: Vec::new(),
            after: Vec::new(),
            text: String::new(),
        };
        for line in lines {
            let Some(buffer) = line.strip_prefix("buffer ") else {
                record.text += line;
                record.text.push('\n');
                continue;
            };
            let (before, after) = buffer
                .split_once(' ')
                .map_or((buffer, None), |(before, after)| (before, Some(after)));
            record.before.push(bytes(before));
            record.after.push(after.map(bytes));
        }
        record
    }

    fn check(self) {
        let buffers = self.before.into_iter().map(Init::Data).collect();
        let launched = launch_on(&self.text, [self.grid, 1, 1], buffers, self.replicas);
        let (found, _) =
            launched.unwrap_or_else(|problem| panic!("{}\n{}{problem:#?}", self.name, self.text));
        for (at, (found, after)) in found.into_iter().zip(self.after).enumerate() {
            if let Some(after) = after {
                assert_eq!(found, after, "{}, buffer {at}\n{}", self.name, self.text);
            }
        }
    }
}

#[test]
fn every_op_gives_what_was_recorded() {
    let records: Vec<&str> = include_str!("recorded/ops.txt").split("\n# ").collect();
    assert!(records.len() >= 200, "{} records", records.len());
    for record in records {
        Record::read(record).check();
    }
}
