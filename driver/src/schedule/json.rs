//! Schedules as JSON.

use serde_json::{Value, json};

use super::chart::{Bar, Chart};
use super::measured::{Measured, MeasuredLoop};

/// A schedule as JSON: the prediction, and the ops of an iteration.
pub(crate) fn json(chart: &Chart, kernel: &str, target: &str) -> Value {
    let prediction = &chart.prediction;
    let busy: serde_json::Map<String, Value> = chart
        .utilisation()
        .map(|(unit, percent)| (unit.name().to_owned(), json!(percent)))
        .collect();
    let agents = prediction.agents.iter().zip(&chart.ops).map(|(agent, (_, bars))| {
        let main = agent.main_loop().and_then(|number| agent.loops.get(number));
        let op = |bar: &Bar| json!({ "op": bar.op, "unit": bar.unit.name(), "start": bar.start, "cycles": bar.length });
        json!({
            "name": agent.name,
            "warps": agent.warps,
            "iterations": main.map(|main| main.iterations),
            "interval": main.map(|main| main.interval.0),
            "ops": bars.iter().map(op).collect::<Vec<_>>(),
        })
    });
    json!({
        "kernel": kernel,
        "target": target,
        "seconds": prediction.seconds,
        "cycles": prediction.cycles.0,
        "grid": prediction.grid,
        "resident": prediction.resident,
        "registers": prediction.registers,
        "waves": prediction.waves,
        "limit": prediction.limit.name(),
        "busy_percent": busy,
        "agents": agents.collect::<Vec<_>>(),
    })
}

/// A measured schedule as JSON.
pub(crate) fn measured_json(measured: &Measured) -> Value {
    let of_loop = |each: &MeasuredLoop| {
        json!({
            "agent": each.agent,
            "iterations": each.iterations,
            "predicted": each.predicted,
            "interval": each.measured,
        })
    };
    json!({
        "gpu": measured.gpu,
        "seconds": measured.seconds,
        "block_cycles": measured.cycles,
        "predicted_block_cycles": measured.predicted,
        "loops": measured.loops.iter().map(of_loop).collect::<Vec<_>>(),
    })
}
