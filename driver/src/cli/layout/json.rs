//! JSON output of pictures.

use serde_json::{Map, Value, json};
use tilewright_layout_gallery::picture::{Axis, Cell, Picture};

/// One document with these facts and pictures.
///
/// Cells are listed row by row. `parts` are the components of a cell's label, `times` the number of replicas, `copy` whether it
/// replicates an earlier cell; cells with equal `hue` and `tint` have one colour.
pub(super) fn document(facts: &[(&str, String)], pictures: &[Picture]) -> String {
    let facts: Map<String, Value> = facts
        .iter()
        .map(|(name, fact)| ((*name).to_owned(), json!(fact)))
        .collect();
    let pictures: Vec<Value> = pictures.iter().map(picture).collect();
    let document = json!({ "facts": facts, "pictures": pictures });
    format!("{document:#}\n")
}

fn picture(picture: &Picture) -> Value {
    let cells: Vec<Vec<Value>> = picture
        .lines()
        .map(|line| line.iter().map(cell).collect())
        .collect();
    json!({
        "title": picture.title,
        "subtitle": picture.subtitle,
        "rows": axis(&picture.rows),
        "columns": axis(&picture.columns),
        "cells": cells,
        "notes": picture.notes,
    })
}

fn axis(axis: &Axis) -> Value {
    json!({ "title": axis.title, "labels": axis.labels })
}

fn cell(cell: &Cell) -> Value {
    json!({
        "parts": cell.parts,
        "times": cell.times,
        "copy": cell.copy,
        "detail": cell.detail,
        "hue": cell.tone.map(|tone| tone.hue()),
        "tint": cell.tone.map(|tone| tone.tint()),
    })
}
