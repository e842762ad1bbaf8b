//! What marks have recorded on a GPU, beside the prediction.

use tilewright_irs::machine::GROUP_WARPS;
use tilewright_passes::ptx::{Mark, NUMBER_BITS, RECORDS};
use tilewright_passes::scheduled::predict::{AgentTime, Unit};

use super::chart::{Bar, DRAWN, Row, Shown};

/// What one warp has recorded: clocks, and the marks.
pub(crate) type Records = Vec<(u64, Mark)>;

/// A measured schedule of the first block, and the part of it that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// The name of the GPU.
    pub(crate) gpu: String,
    /// The time of a launch, without marks.
    pub(crate) seconds: f64,
    /// The cycles of the block with marks, and as predicted.
    pub(crate) cycles: u64,
    pub(crate) predicted: u64,
    /// The first cycle that is drawn, and the one after the last.
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) rows: Vec<Row>,
    /// The main loops.
    pub(crate) loops: Vec<MeasuredLoop>,
}

/// The cycles of an iteration of an agent's main loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasuredLoop {
    pub(crate) agent: String,
    pub(crate) iterations: usize,
    pub(crate) predicted: Option<u64>,
    pub(crate) measured: u64,
}

/// The records of each warp, in the order of time.
pub(crate) fn records(bytes: &[u8], marks: &[Mark]) -> Vec<Records> {
    let record = |bytes: &[u8]| {
        let record = u64::from_le_bytes(bytes.try_into().ok()?);
        let number = usize::try_from(record & ((1 << NUMBER_BITS) - 1)).ok()?;
        let mark = marks.get(number.checked_sub(1)?)?;
        Some((record >> NUMBER_BITS, *mark))
    };
    let warps = bytes.chunks_exact(RECORDS as usize * 8);
    warps
        .map(|warp| warp.chunks_exact(8).map_while(record).collect())
        .collect()
}

impl Measured {
    /// The schedule that warps have recorded, whose prediction has these agents.
    pub(crate) fn of(gpu: String, seconds: f64, warps: &[Records], agents: &[AgentTime]) -> Self {
        let clocks = || warps.iter().flatten().map(|(clock, _)| *clock);
        let begin = clocks().min().unwrap_or(0);
        let parts: Vec<(String, &AgentTime, Records)> = parts(agents)
            .map(|(name, agent, warp)| {
                let own = warps.get(warp).into_iter().flatten();
                let own = own.map(|&(clock, mark)| (clock - begin, mark));
                (name, agent, own.collect())
            })
            .collect();
        let mut measured = Self {
            gpu,
            seconds,
            cycles: clocks().max().unwrap_or(begin) - begin,
            predicted: agents.iter().map(|agent| agent.end.0).max().unwrap_or(0),
            from: 0,
            to: 0,
            rows: Vec::new(),
            loops: Vec::new(),
        };
        let windows = parts.iter().filter_map(|(_, _, own)| window(own));
        (measured.from, measured.to) = windows
            .max_by_key(|(from, to)| to - from)
            .unwrap_or((0, measured.cycles));
        measured.to = measured.to.max(measured.from + 1);
        for (name, agent, own) in &parts {
            let begins = iterations(own);
            let distances: Vec<u64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
            if let Some(interval) = median(distances) {
                let main = agent.main_loop().and_then(|number| agent.loops.get(number));
                measured.loops.push(MeasuredLoop {
                    agent: name.clone(),
                    iterations: begins.len(),
                    predicted: main.map(|main| main.interval.0),
                    measured: interval,
                });
            }
            for (shown, spans) in [
                (Shown::Iterations, whole(&begins)),
                (Shown::Unit(Unit::Waiting), waits(own, &begins)),
            ] {
                let bars: Vec<Bar> = spans
                    .into_iter()
                    .filter(|span| span.start < measured.to && span.end > measured.from)
                    .map(|span| span.bar(measured.from))
                    .collect();
                if !bars.is_empty() {
                    let agent = name.clone();
                    measured.rows.push(Row { agent, shown, bars });
                }
            }
        }
        measured
    }
}

/// What goes on independently: its name, its agent, and its first warp.
fn parts(agents: &[AgentTime]) -> impl Iterator<Item = (String, &AgentTime, usize)> {
    let mut first = 0;
    agents.iter().flat_map(move |agent| {
        let begin = first;
        first += agent.warps;
        (0..agent.groups).map(move |group| {
            let warp = begin + group * GROUP_WARPS;
            (agent.group_name(group), agent, warp as usize)
        })
    })
}

/// When the iterations of the loop begin that has the most of them; of equals, of the last one in the text.
fn iterations(own: &[(u64, Mark)]) -> Vec<u64> {
    let number = |mark: &Mark| match mark {
        Mark::Iteration(number) => Some(*number),
        _ => None,
    };
    let count = |wanted: usize| {
        own.iter()
            .filter(|(_, mark)| number(mark) == Some(wanted))
            .count()
    };
    let numbers = own.iter().filter_map(|(_, mark)| number(mark));
    let main = numbers.max_by_key(|&number| (count(number), number));
    let begins = own
        .iter()
        .filter(|(_, mark)| main.is_some() && number(mark) == main);
    begins.map(|(clock, _)| *clock).collect()
}

/// A few iterations in the middle; `None` if there are fewer.
fn window(own: &[(u64, Mark)]) -> Option<(u64, u64)> {
    let begins = iterations(own);
    let drawn = usize::try_from(DRAWN).ok()?;
    let first = begins.len().checked_sub(drawn + 1)? / 2;
    begins.get(first).copied().zip(begins.get(first + drawn).copied())
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// Something between two cycles.
struct Between {
    what: &'static str,
    start: u64,
    end: u64,
    iteration: Option<u64>,
}

impl Between {
    fn bar(self, from: u64) -> Bar {
        Bar {
            op: self.what,
            unit: Unit::Waiting,
            start: self.start.wrapping_sub(from).cast_signed(),
            length: self.end - self.start,
            iteration: self.iteration,
        }
    }
}

/// Each iteration but the last, which has no end.
fn whole(begins: &[u64]) -> Vec<Between> {
    let pairs = (0..).zip(begins.windows(2));
    pairs
        .map(|(iteration, pair)| Between {
            what: "iteration",
            start: pair[0],
            end: pair[1],
            iteration: Some(iteration),
        })
        .collect()
}

/// Each wait, with the iteration that it is in.
fn waits(own: &[(u64, Mark)], begins: &[u64]) -> Vec<Between> {
    let pairs = own.iter().zip(own.iter().skip(1));
    pairs
        .filter_map(|(&(start, mark), &(end, after))| {
            let Mark::Wait(what) = mark else { return None };
            let begun = begins.iter().filter(|&&begin| begin <= start).count();
            (after == Mark::Waited).then(|| Between {
                what,
                start,
                end,
                iteration: begun.checked_sub(1).map(|iteration| iteration as u64),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tilewright_irs::machine::Cycles;

    use super::*;

    fn agent(name: &str, warps: u32, groups: u32) -> AgentTime {
        AgentTime {
            name: name.to_owned(),
            warps,
            groups,
            loops: Vec::new(),
            spans: Vec::new(),
            end: Cycles(1000),
        }
    }

    /// Eight iterations of 100 cycles from `begin` on, in each of which it waits for 30 cycles after 10.
    fn warp(begin: u64) -> Records {
        let mut records = vec![(begin, Mark::Begin), (begin + 20, Mark::Iteration(0))];
        for iteration in 0..8 {
            let at = begin + 50 + 100 * iteration;
            records.extend([
                (at, Mark::Iteration(1)),
                (at + 10, Mark::Wait("copies")),
                (at + 40, Mark::Waited),
            ]);
        }
        records.push((begin + 900, Mark::End));
        records
    }

    #[test]
    fn records_are_read_up_to_the_first_that_is_empty() {
        let marks = [Mark::Begin, Mark::End];
        let mut bytes = vec![0; 2 * RECORDS as usize * 8];
        let mut put = |at: usize, clock: u64, number: u64| {
            let record = (clock << NUMBER_BITS) | number;
            bytes[8 * at..8 * at + 8].copy_from_slice(&record.to_le_bytes());
        };
        put(0, 70, 1);
        put(1, 90, 2);
        put(3, 95, 2);
        put(RECORDS as usize, 80, 1);
        let read = records(&bytes, &marks);
        assert_eq!(
            read,
            [vec![(70, Mark::Begin), (90, Mark::End)], vec![(80, Mark::Begin)]]
        );
    }

    #[test]
    fn the_middle_of_the_main_loop_is_drawn_for_each_group() {
        let agents = [agent("multiply", 8, 2), agent("load", 4, 1)];
        let mut warps = vec![Vec::new(); 12];
        (warps[0], warps[4], warps[8]) = (warp(1000), warp(1005), warp(1000));
        let measured = Measured::of("GPU".to_owned(), 1e-3, &warps, &agents);
        assert_eq!((measured.cycles, measured.predicted), (905, 1000));
        assert_eq!((measured.from, measured.to), (250, 550));
        let loops: Vec<_> = measured
            .loops
            .iter()
            .map(|each| (each.agent.as_str(), each.iterations, each.measured))
            .collect();
        assert_eq!(
            loops,
            [("multiply 0", 8, 100), ("multiply 1", 8, 100), ("load", 8, 100)]
        );
        assert_eq!(measured.rows.len(), 6);
        let waiting = &measured.rows[1];
        assert_eq!(
            (waiting.agent.as_str(), waiting.shown.name()),
            ("multiply 0", "waiting")
        );
        let bars: Vec<_> = waiting
            .bars
            .iter()
            .map(|bar| (bar.start, bar.length, bar.iteration))
            .collect();
        assert_eq!(bars, [(10, 30, Some(2)), (110, 30, Some(3)), (210, 30, Some(4))]);
    }

    #[test]
    fn what_has_no_loop_is_drawn_as_a_whole() {
        let records = vec![
            (7, Mark::Begin),
            (9, Mark::Wait("other warps")),
            (19, Mark::Waited),
            (27, Mark::End),
        ];
        let measured = Measured::of("GPU".to_owned(), 1e-3, &[records], &[agent("main", 4, 1)]);
        assert_eq!((measured.from, measured.to, measured.loops.len()), (0, 20, 0));
        assert_eq!(measured.rows.len(), 1);
        let nothing = Measured::of("GPU".to_owned(), 1e-3, &[], &[agent("main", 4, 1)]);
        assert_eq!((nothing.cycles, nothing.rows.len()), (0, 0));
    }
}
