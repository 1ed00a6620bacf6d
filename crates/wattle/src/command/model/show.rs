//! One model.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use wattle_power::{DeviceModel, FigureUnit, RailCorrection};
use wattle_report::clean;

use super::list::kind;
use super::lookup;
use super::printing::write;
use crate::cli::TableOutput;
use crate::command::output;
use crate::exit::Outcome;

#[derive(Serialize)]
struct Shown {
    name: String,
    kind: &'static str,
    version: u32,
    unit: &'static str,
    source: String,
    licence: String,
    socs: Vec<String>,
    devices: Vec<String>,
    boards: Vec<String>,
    systems: Vec<&'static str>,
    remarks: Vec<String>,
    policies: Vec<ShownPolicy>,
    figures: Vec<ShownFigure>,
    linear: Vec<ShownTerm>,
    rails: Vec<ShownRail>,
}

/// A rail that corrects the curves; numbers with their standard deviations in a further recording.
#[derive(Serialize)]
struct ShownRail {
    rail: String,
    policies: Vec<u32>,
    recordings: usize,
    active: [f64; 2],
    idle: [f64; 2],
    shared: [f64; 2],
    floor_mw: [f64; 2],
    awake_mw: [f64; 2],
}

#[derive(Serialize)]
struct ShownPolicy {
    id: u32,
    cpus: Vec<u32>,
    source: String,
    /// kHz; shared, active, first and second idle column.
    curve: Vec<(u64, [f64; 4])>,
}

#[derive(Serialize)]
struct ShownFigure {
    name: String,
    values: Vec<f64>,
    unit: &'static str,
    source: String,
    provenance: wattle_units::Provenance,
    error: Option<f64>,
}

#[derive(Serialize)]
struct ShownTerm {
    parameter: String,
    component: String,
    coefficient: f64,
    unit: String,
    error: Option<f64>,
    source: String,
}

/// Shows it, and writes it as a file if that is wanted.
pub fn run(name: &str, toml: Option<&Path>, to: &TableOutput) -> Outcome {
    let model = lookup::find(name)?;
    if let Some(path) = toml {
        output::write_file(path, model.to_toml().as_bytes())?;
    }
    let shown = shown(&model);
    write(to, &shown, || text(&shown))
}

fn shown(model: &DeviceModel) -> Shown {
    let policies = model.policies.iter().map(|policy| {
        let on = policy.lowest_dependency();
        let row = |clock: wattle_units::Hertz| {
            let power = policy.power(clock, on);
            let [active, idle0, idle1] = power.core;
            (
                clock.kilohertz(),
                [power.shared, active, idle0, idle1].map(|p| digits(p.milliwatts())),
            )
        };
        ShownPolicy {
            id: policy.id.0,
            cpus: policy.cpus.iter().map(|cpu| cpu.0).collect(),
            source: policy.source.clone(),
            curve: policy.frequencies().map(row).collect(),
        }
    });
    let figures = model.figures.iter().map(|(name, figure)| ShownFigure {
        name: name.to_owned(),
        values: figure.values.clone(),
        unit: figure.unit.name(),
        source: figure.source.clone(),
        provenance: figure.provenance,
        error: figure.error,
    });
    let terms = model.linear.iter().flat_map(|linear| {
        let constant = linear.intercept.iter().map(|intercept| ShownTerm {
            parameter: "constant".to_owned(),
            component: "baseline".to_owned(),
            coefficient: digits(intercept.power.milliwatts()),
            unit: "mW".to_owned(),
            error: intercept.error.map(|error| digits(error.milliwatts())),
            source: intercept.source.clone(),
        });
        constant.chain(linear.terms.iter().map(|term| ShownTerm {
            parameter: term.parameter.clone(),
            component: term.component.name().to_owned(),
            coefficient: term.coefficient,
            unit: term.unit.to_string(),
            error: term.error,
            source: term.source.clone(),
        }))
    });
    Shown {
        name: model.name.clone(),
        kind: kind(model),
        version: model.version,
        unit: if model.unit == FigureUnit::Current { "mA" } else { "mW" },
        source: model.source.clone(),
        licence: model.licence.clone(),
        socs: model.matching.socs.clone(),
        devices: model.matching.devices.clone(),
        boards: model.matching.boards.clone(),
        systems: model.matching.systems.iter().map(|system| system.title()).collect(),
        remarks: model.remarks.clone(),
        policies: policies.collect(),
        figures: figures.collect(),
        linear: terms.collect(),
        rails: model.rails.iter().map(shown_rail).collect(),
    }
}

/// Without the noise of a conversion from watts.
pub fn digits(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

fn shown_rail(rail: &RailCorrection) -> ShownRail {
    let [active, idle, shared, floor, awake] =
        rail.numbers.map(|number| [number.value, number.deviation].map(digits));
    let in_milliwatts = |pair: [f64; 2]| pair.map(|watts| digits(watts * 1e3));
    ShownRail {
        rail: rail.rail.clone(),
        policies: rail.policies.iter().map(|policy| policy.0).collect(),
        recordings: rail.recordings.len(),
        active,
        idle,
        shared,
        floor_mw: in_milliwatts(floor),
        awake_mw: in_milliwatts(awake),
    }
}

fn recordings(count: usize) -> String {
    if count == 1 { "1 recording".to_owned() } else { format!("{count} recordings") }
}

fn text(shown: &Shown) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} ({}, version {})", clean(&shown.name), shown.kind, shown.version);
    for (what, value) in [("source", &shown.source), ("licence", &shown.licence)] {
        if !value.is_empty() {
            let _ = writeln!(text, "{what}: {}", clean(value));
        }
    }
    for (what, names) in
        [("SoCs", &shown.socs), ("devices", &shown.devices), ("boards", &shown.boards)]
    {
        if !names.is_empty() {
            let _ = writeln!(text, "{what}: {}", clean(&names.join(", ")));
        }
    }
    if !shown.systems.is_empty() {
        let _ = writeln!(text, "stands in for any computer with {}", shown.systems.join(", "));
    }
    for remark in &shown.remarks {
        let _ = writeln!(text, "note: {}", clean(remark));
    }
    for policy in &shown.policies {
        let cpus: Vec<String> = policy.cpus.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "\npolicy {}, CPUs {} {}",
            policy.id,
            cpus.join(" "),
            clean(&policy.source)
        );
        let heads = ["kHz", "shared", "active", "idle0", "idle1"];
        let _ = writeln!(
            text,
            "{:>10} {:>10} {:>10} {:>10} {:>10}  {}",
            heads[0], heads[1], heads[2], heads[3], heads[4], shown.unit
        );
        for (khz, [shared, active, idle0, idle1]) in &policy.curve {
            let _ = writeln!(
                text,
                "{khz:>10} {shared:>10.2} {active:>10.2} {idle0:>10.2} {idle1:>10.2}"
            );
        }
    }
    for rail in &shown.rails {
        let policies: Vec<String> = rail.policies.iter().map(ToString::to_string).collect();
        let [active, idle, shared] = [rail.active, rail.idle, rail.shared].map(|it| it[0]);
        let _ = writeln!(
            text,
            "\nrail {} of {} corrects policy {}: executing × {active:.2}, idle × {idle:.2}, shared × {shared:.2}, \
             always + {:.1} mW, while any core executes + {:.1} mW",
            clean(&rail.rail),
            recordings(rail.recordings),
            policies.join(", "),
            rail.floor_mw[0],
            rail.awake_mw[0]
        );
    }
    if !shown.figures.is_empty() {
        let _ = writeln!(text, "\n{:<44} {:>24} unit", "figure", "value");
    }
    for figure in &shown.figures {
        let values: Vec<String> = figure.values.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "{:<44} {:>24} {:<5} {}",
            clean(&figure.name),
            values.join(" "),
            figure.unit,
            clean(&figure.source)
        );
    }
    if !shown.linear.is_empty() {
        let _ = writeln!(
            text,
            "\n{:<34} {:<12} {:>12} {:<9} {:>10}",
            "linear term", "component", "coefficient", "unit", "± error"
        );
    }
    for term in &shown.linear {
        let error = term.error.map_or_else(|| "-".to_owned(), |error| format!("{error:.4}"));
        let _ = writeln!(
            text,
            "{:<34} {:<12} {:>12.4} {:<9} {error:>10} {}",
            clean(&term.parameter),
            clean(&term.component),
            term.coefficient,
            clean(&term.unit),
            clean(&term.source)
        );
    }
    text
}
