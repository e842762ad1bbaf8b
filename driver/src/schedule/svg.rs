//! Schedules as SVG.

use std::fmt::Write;

use tilewright_passes::scheduled::predict::Unit;

use super::chart::{Chart, Row, Shown};
use super::measured::Measured;

const WIDTH: f64 = 1200.0;
/// The space left of the timelines, for names.
const NAMES: f64 = 230.0;
const MARGIN: f64 = 16.0;
const LINE: f64 = 20.0;

/// The fill of a row's bars.
const fn color(shown: Shown) -> &'static str {
    match shown {
        Shown::Unit(Unit::Products) => "#4e79a7",
        Shown::Unit(Unit::Copies) => "#f28e2b",
        Shown::Unit(Unit::Accesses) => "#e15759",
        Shown::Unit(Unit::Shared) => "#76b7b2",
        Shown::Unit(Unit::Special) => "#af7aa1",
        Shown::Unit(Unit::Arithmetic) => "#59a14f",
        Shown::Unit(Unit::Waiting) => "#d3d3d3",
        Shown::Iterations => "#9c755f",
    }
}

/// Schedules as one picture, below each other; the last one may have been measured.
pub(crate) fn to_svg(charts: &[Chart], measured: Option<&Measured>) -> String {
    let mut body = String::new();
    let mut y = MARGIN;
    for chart in charts {
        draw(chart, &mut body, &mut y);
        y += LINE;
    }
    if let Some(measured) = measured {
        draw_measured(measured, &mut body, &mut y);
        y += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y}\" width=\"{WIDTH}\" height=\"{y}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

fn draw(chart: &Chart, body: &mut String, y: &mut f64) {
    line(body, y, "bold", &chart.title);
    for (name, words) in chart.facts() {
        line(body, y, "normal", &format!("{name}: {words}"));
    }
    let used: Vec<String> = chart
        .utilisation()
        .map(|(unit, percent)| format!("{} {percent:.0} %", unit.name()))
        .collect();
    line(body, y, "normal", &format!("busy: {}", used.join(", ")));
    timelines(&chart.rows, (chart.from, chart.to), body, y);
}

fn draw_measured(measured: &Measured, body: &mut String, y: &mut f64) {
    line(body, y, "bold", &format!("measured on {}", measured.gpu));
    let words = format!(
        "time: {:.1} us without marks; the first block takes {} cycles with them, predicted {}",
        measured.seconds * 1e6,
        measured.cycles,
        measured.predicted
    );
    line(body, y, "normal", &words);
    for each in &measured.loops {
        let predicted = each.predicted.map(|cycles| format!(", predicted {cycles}"));
        let words = format!(
            "{}: {} cycles an iteration{}",
            each.agent,
            each.measured,
            predicted.unwrap_or_default()
        );
        line(body, y, "normal", &words);
    }
    timelines(&measured.rows, (measured.from, measured.to), body, y);
}

/// A line of text.
fn line(body: &mut String, y: &mut f64, weight: &str, text: &str) {
    *y += LINE;
    // Writing to a string does not fail.
    let _ = writeln!(
        body,
        "<text x=\"{MARGIN}\" y=\"{}\" font-weight=\"{weight}\">{}</text>",
        *y - 5.0,
        escape(text)
    );
}

/// Rows between two cycles.
fn timelines(rows: &[Row], (from_cycle, to_cycle): (u64, u64), body: &mut String, y: &mut f64) {
    *y += LINE / 2.0;
    let cycles = (to_cycle - from_cycle).max(1) as f64;
    let scale = (WIDTH - NAMES - MARGIN) / cycles;
    for row in rows {
        let _ = writeln!(
            body,
            "<text x=\"{MARGIN}\" y=\"{}\">{}: {}</text>",
            *y + LINE - 6.0,
            escape(&row.agent),
            row.shown.name()
        );
        for bar in &row.bars {
            let from = (bar.start as f64).max(0.0);
            let to = (bar.start as f64 + bar.length as f64).min(cycles);
            // Neighbouring iterations differ in shade.
            let shade = match bar.iteration {
                Some(iteration) if iteration % 2 == 1 => 0.65,
                _ => 1.0,
            };
            let iteration = bar.iteration.map(|iteration| format!(", iteration {iteration}"));
            let _ = writeln!(
                body,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" fill-opacity=\"{shade}\" \
                 stroke=\"white\" stroke-width=\"0.5\"><title>{}: {} cycles from {}{}</title></rect>",
                NAMES + from * scale,
                *y,
                (to - from).max(0.0) * scale,
                LINE - 3.0,
                color(row.shown),
                bar.op,
                bar.length,
                signed_start(from_cycle, bar.start),
                iteration.unwrap_or_default()
            );
        }
        *y += LINE;
    }
    *y += LINE;
    let _ = writeln!(
        body,
        "<text x=\"{NAMES}\" y=\"{0}\">cycle {1}</text><text x=\"{2}\" y=\"{0}\" text-anchor=\"end\">{3}</text>",
        *y - 5.0,
        from_cycle,
        WIDTH - MARGIN,
        to_cycle
    );
}

/// The cycle at which something begins that begins so long after what is drawn.
fn signed_start(from: u64, start: i64) -> u64 {
    from.saturating_add_signed(start)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
