//! The library.

use std::fmt::Write as _;

use serde::Serialize;
use wattle_power::{ApiCosts, ApiTable, DeviceModel, FigureUnit, library};
use wattle_report::clean;
use wattle_timeline::OperatingSystem;
use wattle_units::Provenance;

/// One model.
#[derive(Serialize)]
pub struct Row {
    name: String,
    kind: &'static str,
    version: u32,
    socs: Vec<String>,
    devices: Vec<String>,
    boards: Vec<String>,
    systems: Vec<OperatingSystem>,
    /// Number of CPUs of each policy.
    clusters: Vec<usize>,
    figures: usize,
    source: String,
    licence: String,
}

/// One table of API costs.
#[derive(Serialize)]
pub struct TableRow {
    name: String,
    kind: &'static str,
    methods: usize,
    provenance: Provenance,
    error: f64,
    /// Joules a call above which a method is energy-greedy.
    greedy_above: Option<f64>,
    source: String,
}

/// The models and tables of the library.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Listed {
    Model(Row),
    Table(TableRow),
}

/// The kind of tables of API costs.
pub const API_COSTS: &str = "api-costs";

/// The kinds of figures in a model.
pub fn kind(model: &DeviceModel) -> &'static str {
    match (model.policies.is_empty(), &model.linear, model.unit) {
        (true, Some(_), _) => "linear",
        (true, None, _) => "figures",
        (false, _, FigureUnit::Power) => "curves",
        (false, _, FigureUnit::Current) => "profile",
    }
}

/// All of them, tables of API costs last.
pub fn rows() -> Vec<Listed> {
    let row = |model: &DeviceModel| Row {
        name: model.name.clone(),
        kind: kind(model),
        version: model.version,
        socs: model.matching.socs.clone(),
        devices: model.matching.devices.clone(),
        boards: model.matching.boards.clone(),
        systems: model.matching.systems.clone(),
        clusters: model.policies.iter().map(|policy| policy.cpus.len()).collect(),
        figures: model.figures.len(),
        source: model.source.clone(),
        licence: model.licence.clone(),
    };
    let table = |table: &ApiTable| TableRow {
        name: table.name.clone(),
        kind: API_COSTS,
        methods: table.methods,
        provenance: table.provenance,
        error: table.error,
        greedy_above: table.greedy_above.map(wattle_units::Joules::value),
        source: table.source.clone(),
    };
    let models = library().iter().map(|model| Listed::Model(row(model)));
    models.chain(ApiCosts::library().tables().iter().map(|of| Listed::Table(table(of)))).collect()
}

/// As two tables.
pub fn text(rows: &[Listed]) -> String {
    let mut text = format!(
        "{:<30} {:<8} {:<10} {:>7} {:<11} for\n",
        "model", "kind", "clusters", "figures", "licence"
    );
    let mut tables = format!(
        "\n{:<30} {:>8} {:<11} {:>7} {:>14} from\n",
        "API costs", "methods", "provenance", "error", "greedy above"
    );
    for row in rows {
        match row {
            Listed::Model(row) => {
                let clusters: Vec<String> = row.clusters.iter().map(ToString::to_string).collect();
                let names: Vec<&str> = row
                    .socs
                    .iter()
                    .chain(&row.devices)
                    .chain(&row.boards)
                    .map(String::as_str)
                    .chain(row.systems.iter().map(|system| system.title()))
                    .collect();
                let _ = writeln!(
                    text,
                    "{:<30} {:<8} {:<10} {:>7} {:<11} {}",
                    clean(&row.name),
                    row.kind,
                    clusters.join("+"),
                    row.figures,
                    clean(&row.licence),
                    clean(&names.join(", "))
                );
            }
            Listed::Table(row) => {
                let greedy = row.greedy_above.map(|joules| format!("{:.4} mJ", joules * 1e3));
                let _ = writeln!(
                    tables,
                    "{:<30} {:>8} {:<11} {:>6.0}% {:>14} {}",
                    clean(&row.name),
                    row.methods,
                    row.provenance,
                    row.error * 100.0,
                    greedy.as_deref().unwrap_or("-"),
                    clean(&row.source)
                );
            }
        }
    }
    text + &tables
}
