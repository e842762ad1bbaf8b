//! Schedules as text.

use std::fmt::Write;

use super::chart::{Bar, Chart};

/// Columns of the timeline.
const WIDTH: u64 = 96;

/// A schedule as text: facts, the timeline, the use of the units, and the ops of an iteration.
pub(crate) fn to_text(chart: &Chart) -> String {
    let mut text = format!("{}\n\n", chart.title);
    // Writing to a string does not fail.
    for (name, words) in chart.facts() {
        let _ = writeln!(text, "{name:<8}{words}");
    }
    let _ = writeln!(
        text,
        "\ncycles {} to {}; digits are iterations, # is outside of loops\n",
        chart.from, chart.to
    );
    let agents = chart.rows.iter().map(|row| row.agent.len());
    let agent = agents.max().unwrap_or(0);
    let units = chart.rows.iter().map(|row| row.unit.name().len());
    let unit = units.max().unwrap_or(0);
    let mut before = None;
    for row in &chart.rows {
        let name = if before == Some(&row.agent) {
            ""
        } else {
            row.agent.as_str()
        };
        before = Some(&row.agent);
        let line = timeline(&row.bars, chart.to - chart.from);
        let _ = writeln!(text, "{name:<agent$}  {:<unit$}  |{line}|", row.unit.name());
    }
    text.push('\n');
    for (unit, percent) in chart.utilisation() {
        let _ = writeln!(text, "{:<18}{percent:>5.0} %", unit.name());
    }
    for (agent, bars) in &chart.ops {
        let _ = writeln!(text, "\n{agent}: start, cycles, unit, op");
        for bar in bars {
            let _ = writeln!(
                text,
                "{:>8}{:>8}  {:<18}{}",
                bar.start,
                bar.length,
                bar.unit.name(),
                bar.op
            );
        }
    }
    text
}

/// A row of characters, each for an equal part of the cycles.
fn timeline(bars: &[Bar], cycles: u64) -> String {
    let mut cells = vec![' '; usize::try_from(WIDTH).unwrap_or(0)];
    let column = |cycle: i64| {
        let cycle = u64::try_from(cycle).unwrap_or(0).min(cycles);
        usize::try_from(cycle * WIDTH / cycles.max(1)).unwrap_or(usize::MAX)
    };
    for bar in bars {
        let end = bar.start.saturating_add_unsigned(bar.length);
        let (from, to) = (column(bar.start), column(end));
        let digit = bar
            .iteration
            .and_then(|iteration| char::from_digit(u32::try_from(iteration % 10).ok()?, 10));
        let to = to.max(from + 1);
        cells
            .iter_mut()
            .take(to)
            .skip(from)
            .for_each(|cell| *cell = digit.unwrap_or('#'));
    }
    cells.into_iter().collect()
}
