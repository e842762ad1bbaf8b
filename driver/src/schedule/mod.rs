//! Schedules, predicted and measured, as something to look at: agents over time, as text, as SVG and as JSON.

mod chart;
mod json;
mod measured;
mod svg;
mod text;

pub(crate) use chart::Chart;
pub(crate) use json::{json, measured_json};
pub(crate) use measured::{Measured, records};
pub(crate) use svg::to_svg;
pub(crate) use text::{measured_text, to_text};
