//! What a drawing of a schedule shows, in whatever form.

use tilewright_diagnostics::counted;
use tilewright_irs::core::{Func, Operation};
use tilewright_irs::dialects::pipe::{PipeOp, PipeType};
use tilewright_irs::machine::Machine;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsType;
use tilewright_passes::scheduled::predict::{AgentTime, Launch, Prediction, Span, Unit, predict};

/// The iterations that are drawn.
pub(super) const DRAWN: u64 = 3;

/// A predicted schedule, and the part of it that is drawn.
#[derive(Debug)]
pub(crate) struct Chart {
    /// The name of the kernel, and its target.
    pub(crate) title: String,
    pub(crate) prediction: Prediction,
    /// The pipes, each in a line.
    pub(crate) pipes: Vec<String>,
    /// The first cycle that is drawn, and the one after the last.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// What each agent does, a row for each unit.
    pub(crate) rows: Vec<Row>,
    /// The ops of one iteration of each agent's main loop, or of all that it does.
    pub(crate) ops: Vec<(String, Vec<Bar>)>,
}

/// Something of what an agent does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) agent: String,
    pub(crate) shown: Shown,
    pub(crate) bars: Vec<Bar>,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The use of a unit.
    Unit(Unit),
    /// The iterations of its main loop.
    Iterations,
}

impl Shown {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unit(unit) => unit.name(),
            Self::Iterations => "iterations",
        }
    }
}

/// An op on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) op: &'static str,
    pub(crate) unit: Unit,
    /// Cycles from the begin of what is drawn; before it for what has begun earlier.
    pub(crate) start: i64,
    pub(crate) length: u64,
    pub(crate) iteration: Option<u64>,
}

impl Chart {
    /// The schedule of a kernel, as predicted for a launch.
    pub(crate) fn of(func: &Func<Scheduled>, name: &str, launch: &Launch) -> Self {
        let prediction = predict(func, launch);
        let target = func.attrs.target;
        let title = match launch.chip.or(Machine::of(target).chip) {
            Some(chip) => format!(
                "{name} on {target}: {} with {}",
                chip.name,
                counted(chip.multiprocessors as usize, "multiprocessor")
            ),
            None => format!("{name} on {target}"),
        };
        let (from, to) = window(&prediction.agents);
        let bar = |span: &Span| Bar {
            op: func.body.op(span.op).kind.name(),
            unit: span.unit,
            start: signed(span.start.0) - signed(from),
            length: span.length.0,
            iteration: span.iteration.map(|(_, iteration)| iteration),
        };
        let mut rows = Vec::new();
        let mut ops = Vec::new();
        for agent in &prediction.agents {
            let groups = 0..agent.groups;
            for (group, unit) in groups.flat_map(|group| Unit::ALL.map(|unit| (group, unit))) {
                let inside = agent.spans.iter().filter(|span| {
                    (span.group, span.unit) == (group, unit)
                        && span.start.0 < to
                        && span.start.0 + span.length.0 > from
                });
                let bars: Vec<Bar> = inside.map(bar).collect();
                // What takes a hundredth of the time cannot be seen.
                let all: u64 = bars.iter().map(|bar| bar.length).sum();
                if all * 100 >= to - from {
                    rows.push(Row {
                        agent: agent.group_name(group),
                        shown: Shown::Unit(unit),
                        bars,
                    });
                }
            }
            let spans = match agent.main_loop() {
                Some(number) => steady(agent, number, 1),
                None => agent.spans.iter().filter(|span| span.group == 0).collect(),
            };
            let mut listed: Vec<Bar> = spans.into_iter().map(bar).filter(|bar| bar.length > 0).collect();
            let first = listed.iter().map(|bar| bar.start).min().unwrap_or(0);
            listed.iter_mut().for_each(|bar| bar.start -= first);
            ops.push((agent.name.clone(), listed));
        }
        Self {
            title,
            pipes: pipes(func),
            prediction,
            from,
            to,
            rows,
            ops,
        }
    }

    /// What is known of the whole, as lines of a name and words.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let prediction = &self.prediction;
        let assumed = |yes: bool| if yes { " (assumed)" } else { "" };
        let mut facts = Vec::new();
        let cycles = prediction.cycles.0;
        let time = match prediction.seconds {
            Some(seconds) => format!("{:.1} us with its launch, {cycles} cycles", seconds * 1e6),
            None => format!("{cycles} cycles"),
        };
        facts.push(("time", time));
        facts.push((
            "blocks",
            format!(
                "{}{}, {} at a time on a multiprocessor, in {}",
                prediction.grid,
                assumed(prediction.grid_assumed),
                prediction.resident,
                counted(usize::try_from(prediction.waves).unwrap_or(usize::MAX), "wave")
            ),
        ));
        for agent in &prediction.agents {
            let warps = counted(agent.warps as usize, "warp");
            let mut words = format!("{} of {warps}", agent.name);
            if let Some(main) = agent.main_loop().and_then(|number| agent.loops.get(number)) {
                words += &format!(
                    ": a loop of {}{}, one every {} cycles",
                    counted(
                        usize::try_from(main.iterations).unwrap_or(usize::MAX),
                        "iteration"
                    ),
                    assumed(main.assumed),
                    main.interval.0
                );
            }
            facts.push(("agent", words));
        }
        facts.extend(self.pipes.iter().map(|pipe| ("pipe", pipe.clone())));
        facts.push(("limit", prediction.limit.name().to_owned()));
        facts
    }

    /// The units that are used, each with the part of the time for which it is busy, in percent.
    pub(crate) fn utilisation(&self) -> impl Iterator<Item = (Unit, f64)> + '_ {
        let parts = Unit::ALL.into_iter().zip(self.prediction.utilisation);
        parts
            .filter(|(unit, part)| *unit != Unit::Waiting && *part >= 0.005)
            .map(|(unit, part)| (unit, 100.0 * part))
    }
}

fn signed(cycle: u64) -> i64 {
    i64::try_from(cycle).unwrap_or(i64::MAX)
}

/// A few iterations of the loop that takes longest, in the steady state; without loops, everything.
fn window(agents: &[AgentTime]) -> (u64, u64) {
    let end = |spans: &mut dyn Iterator<Item = &Span>| spans.map(|span| span.start.0 + span.length.0).max();
    let whole = agents.iter().filter_map(|agent| end(&mut agent.spans.iter()));
    let whole = (0, whole.max().unwrap_or(0).max(1));
    let main = agents.iter().filter_map(|agent| {
        let number = agent.main_loop()?;
        let each = agent.loops.get(number)?;
        Some((each.interval.times(each.iterations), agent, number))
    });
    // Of agents that keep pace, the first one.
    let Some((_, agent, number)) = main.reduce(|one, other| if other.0 > one.0 { other } else { one }) else {
        return whole;
    };
    let inside = steady(agent, number, DRAWN);
    let start = inside.iter().map(|span| span.start.0).min();
    let stop = end(&mut inside.into_iter());
    start
        .zip(stop)
        .map_or(whole, |(start, stop)| (start, stop.max(start + 1)))
}

/// What the first warp group of an agent does in so many iterations of a loop, in the middle of those that were followed when it
/// was last executed.
fn steady(agent: &AgentTime, number: usize, count: u64) -> Vec<&Span> {
    let first = agent.loops.get(number).map_or(0, |each| each.followed / 2);
    let mut spans: Vec<&Span> = agent
        .spans
        .iter()
        .filter(|span| {
            let among = |(own, at)| own == number && (first..first.saturating_add(count)).contains(&at);
            span.group == 0 && span.iteration.is_some_and(among)
        })
        .collect();
    // Each execution begins with the same op.
    let begin = spans.first().map(|span| (span.op, span.iteration));
    let last = spans
        .iter()
        .rposition(|span| Some((span.op, span.iteration)) == begin);
    spans.split_off(last.unwrap_or(0))
}

/// The pipes and mutexes of a function, each in words.
fn pipes(func: &Func<Scheduled>) -> Vec<String> {
    let described = |(_, op): (_, &tilewright_irs::core::OpData<Scheduled>)| match &op.kind {
        ScheduledOp::Pipe(PipeOp::Create {
            producer,
            consumers,
            bytes,
            ..
        }) => {
            let TileAsType::Pipe(PipeType::Pipe { kind, stages }) = func.body.ty(op.result(0)) else {
                return None;
            };
            let of = bytes.map(|bytes| format!(" of {bytes} bytes"));
            Some(format!(
                "{producer} to {}: {kind}, {}{}",
                consumers.join(", "),
                counted(*stages as usize, "stage"),
                of.unwrap_or_default()
            ))
        }
        ScheduledOp::Pipe(PipeOp::Mutex { agents, .. }) => Some(format!("mutex of {}", agents.join(", "))),
        _ => None,
    };
    func.body.ops().filter_map(described).collect()
}
