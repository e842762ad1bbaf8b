//! Schedules as text.

use std::fmt::Write;

use super::chart::{Bar, Chart, Row};
use super::measured::Measured;

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
    rows(&mut text, &chart.rows, chart.to - chart.from);
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

/// A measured schedule as text.
pub(crate) fn measured_text(measured: &Measured) -> String {
    let mut text = format!(
        "measured on {}: {:.1} us a launch without marks; the first block takes {} cycles with them, predicted {}\n\n",
        measured.gpu,
        measured.seconds * 1e6,
        measured.cycles,
        measured.predicted
    );
    let _ = writeln!(text, "cycles {} to {}\n", measured.from, measured.to);
    rows(&mut text, &measured.rows, measured.to - measured.from);
    if !measured.loops.is_empty() {
        text += "\ncycles of an iteration: measured, predicted\n";
    }
    for each in &measured.loops {
        let predicted = each
            .predicted
            .map_or_else(|| "-".to_owned(), |cycles| cycles.to_string());
        let _ = writeln!(
            text,
            "{:>8}{predicted:>8}  {} of {}",
            each.measured, each.agent, each.iterations
        );
    }
    text
}

/// The timelines of rows, below each other.
fn rows(text: &mut String, rows: &[Row], cycles: u64) {
    let agents = rows.iter().map(|row| row.agent.len());
    let agent = agents.max().unwrap_or(0);
    let names = rows.iter().map(|row| row.shown.name().len());
    let name = names.max().unwrap_or(0);
    let mut before = None;
    for row in rows {
        let of = match before == Some(&row.agent) {
            true => "",
            false => row.agent.as_str(),
        };
        before = Some(&row.agent);
        let line = timeline(&row.bars, cycles);
        let _ = writeln!(text, "{of:<agent$}  {:<name$}  |{line}|", row.shown.name());
    }
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
