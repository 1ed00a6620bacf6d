//! The library.

use std::fmt::Write as _;

use serde::Serialize;
use wattle_power::{DeviceModel, FigureUnit, library};

use super::run::plain;

/// One model.
#[derive(Serialize)]
pub struct Row {
    name: String,
    kind: &'static str,
    version: u32,
    socs: Vec<String>,
    devices: Vec<String>,
    boards: Vec<String>,
    /// Number of CPUs of each policy.
    clusters: Vec<usize>,
    figures: usize,
    source: String,
    licence: String,
}

/// What kind of figures a model has.
pub fn kind(model: &DeviceModel) -> &'static str {
    match (model.policies.is_empty(), &model.linear, model.unit) {
        (true, Some(_), _) => "linear",
        (true, None, _) => "figures",
        (false, _, FigureUnit::Power) => "curves",
        (false, _, FigureUnit::Current) => "profile",
    }
}

/// All of them.
pub fn rows() -> Vec<Row> {
    let row = |model: &DeviceModel| Row {
        name: model.name.clone(),
        kind: kind(model),
        version: model.version,
        socs: model.socs.clone(),
        devices: model.devices.clone(),
        boards: model.boards.clone(),
        clusters: model.policies.iter().map(|policy| policy.cpus.len()).collect(),
        figures: model.figures.len(),
        source: model.source.clone(),
        licence: model.licence.clone(),
    };
    library().iter().map(row).collect()
}

/// As a table.
pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<30} {:<8} {:<10} {:>7} {:<11} for\n",
        "model", "kind", "clusters", "figures", "licence"
    );
    for row in rows {
        let clusters: Vec<String> = row.clusters.iter().map(ToString::to_string).collect();
        let names: Vec<&str> =
            row.socs.iter().chain(&row.devices).chain(&row.boards).map(String::as_str).collect();
        let _ = writeln!(
            text,
            "{:<30} {:<8} {:<10} {:>7} {:<11} {}",
            plain(&row.name),
            row.kind,
            clusters.join("+"),
            row.figures,
            plain(&row.licence),
            plain(&names.join(", "))
        );
    }
    text
}
