//! Predicted schedules as something to look at: agents over time, as text, as SVG and as JSON.

mod chart;
mod json;
mod svg;
mod text;

pub(crate) use chart::Chart;
pub(crate) use json::json;
pub(crate) use svg::to_svg;
pub(crate) use text::to_text;
