//! Device models as text of `wattle-device-model/1`. Reading what was written gives an equal model.

mod rail_tables;

use std::fmt::{Display, Write as _};

use wattle_units::{Nanos, Provenance, Watts};

use super::policy::{Cell, Policy, Row};
use super::{DeviceModel, Figure, FigureUnit, Figures, Residual, ResidualKind, StatePower, VoteBy};
use crate::{LinearCorrection, LinearModel, LinearTable, ResidualQuantile};

/// Text that grows. Writing to a `String` does not fail.
#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: impl Display) {
        let _ = writeln!(self.0, "{line}");
    }

    fn key(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    /// A string, where it is not empty.
    fn string(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.key(key, quoted(value));
        }
    }

    fn strings(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            self.key(key, format_args!("[{}]", values.join(", ")));
        }
    }

    /// Rows of numbers, as many a line as fit.
    fn rows(&mut self, key: &str, rows: &[String]) {
        const WIDTH: usize = 118;
        self.line(format_args!("{key} = ["));
        let mut line = String::new();
        for row in rows {
            if !line.is_empty() && line.len() + row.len() + 6 > WIDTH {
                self.line(format_args!("    {line}"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            let _ = write!(line, "{row},");
        }
        if !line.is_empty() {
            self.line(format_args!("    {line}"));
        }
        self.line("]");
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A number that TOML reads as a float where one is asked for.
fn number(value: f64) -> String {
    let text = value.to_string();
    if value.fract() == 0.0 && value.abs() < 1e15 || text.contains('.') {
        text
    } else {
        format!("{value:e}")
    }
}

/// The shortest number of milliwatts that is read as this power; where there is none, the nearest.
fn milliwatts(power: Watts) -> String {
    let nearest = power.milliwatts();
    let is_read =
        |text: &str| text.parse().is_ok_and(|value: f64| Watts::from_milliwatts(value) == power);
    let short = (0..17).find_map(|digits| {
        let rounded: f64 = format!("{nearest:.digits$e}").parse().ok()?;
        Some(number(rounded)).filter(|text| is_read(text))
    });
    let around = || [nearest, nearest.next_up(), nearest.next_down()].map(number);
    short
        .or_else(|| around().into_iter().find(|text| is_read(text)))
        .unwrap_or_else(|| number(nearest))
}

fn row(values: &[String]) -> String {
    format!("[{}]", values.join(", "))
}

impl DeviceModel {
    /// The text of a `wattle-device-model/1` file that is read as this model.
    pub fn to_toml(&self) -> String {
        let mut text = Text::default();
        text.key("format", quoted(super::DEVICE_MODEL_FORMAT));
        text.key("name", quoted(&self.name));
        text.key("version", self.version);
        text.string("source", &self.source);
        text.string("licence", &self.licence);
        if self.unit == FigureUnit::Current {
            text.line("# Milliamperes; multiplied by the battery's voltage.");
            text.key("unit", quoted("mA"));
        }
        if !self.remarks.is_empty() {
            text.line("remarks = [");
            for remark in &self.remarks {
                text.line(format_args!("    {},", quoted(remark)));
            }
            text.line("]");
        }
        self.write_head(&mut text);
        for policy in &self.policies {
            write_policy(&mut text, policy);
        }
        self.write_accelerators(&mut text);
        write_figures(&mut text, &self.figures);
        if let Some(linear) = &self.linear {
            write_linear(&mut text, linear);
        }
        for residual in &self.residuals {
            write_residual(&mut text, residual);
        }
        for rail in &self.rails {
            rail_tables::write(&mut text, rail);
        }
        text.0
    }

    fn write_head(&self, text: &mut Text) {
        let matching = &self.matching;
        if !matching.is_empty() || !matching.architectures.is_empty() {
            text.line("\n[match]");
            text.strings("soc", &matching.socs);
            text.strings("devices", &matching.devices);
            text.strings("boards", &matching.boards);
            let systems = matching.systems.iter().map(|system| system.name().to_owned());
            text.strings("systems", &systems.collect::<Vec<_>>());
            let architectures = matching.architectures.iter().map(|it| it.name().to_owned());
            text.strings("architectures", &architectures.collect::<Vec<_>>());
        }
        if self.idle_states != [0, 1] {
            text.line("\n[idle_states]");
            text.key("map", format_args!("{:?}", self.idle_states));
        }
        if let Some(base) = &self.base {
            text.line("\n[base]");
            text.key("suspend", milliwatts(base.suspend));
            text.key("awake", milliwatts(base.awake));
            text.key("active", milliwatts(base.active));
            if base.floor != Watts::ZERO {
                text.key("floor", milliwatts(base.floor));
            }
        }
        if let Some(dsu) = &self.dsu {
            text.line("\n[dsu]");
            let ends: Vec<String> = dsu.devfreq.iter().map(|end| quoted(end)).collect();
            text.key("devfreq", format_args!("[{}]", ends.join(", ")));
            if let Some(guest) = dsu.guest {
                text.key("guest_khz", guest.kilohertz());
            }
        }
        if let Some(error) = &self.error {
            text.line("\n[error]");
            text.key("shared", number(error.shared));
            text.key("own", number(error.own));
            if let Some(freedom) = error.freedom {
                text.key("freedom", number(freedom));
            }
            text.string("source", &error.source);
        }
    }

    fn write_accelerators(&self, text: &mut Text) {
        if let Some(gpu) = &self.gpu {
            text.line("\n[gpu]");
            text.key("id", gpu.id);
            text.line("# kHz, mW: on, power-gated, off");
            let rows: Vec<String> = gpu
                .points
                .iter()
                .map(|point| {
                    let [off, gated, on] = point.by_state.map(milliwatts);
                    row(&[point.frequency.kilohertz().to_string(), on, gated, off])
                })
                .collect();
            text.rows("curve", &rows);
        }
        if !self.tpu.is_empty() {
            text.line("\n[tpu]");
            text.line("# cluster, clock, requests in flight, mW");
            let rows: Vec<String> = self
                .tpu
                .iter()
                .map(|point| {
                    let whole = [point.cluster.to_string(), point.clock.to_string()];
                    let [cluster, clock] = whole;
                    row(&[cluster, clock, point.requests.to_string(), milliwatts(point.power)])
                })
                .collect();
            text.rows("curve", &rows);
        }
    }
}

fn write_policy(text: &mut Text, policy: &Policy) {
    text.line("\n[[policy]]");
    text.key("id", policy.id.0);
    let cpus: Vec<u32> = policy.cpus.iter().map(|cpu| cpu.0).collect();
    text.key("cpus", format_args!("{cpus:?}"));
    text.string("source", &policy.source);
    let exits = &policy.deep_idle_exit;
    match exits.first() {
        Some(first) if exits.iter().all(|exit| exit == first) => {
            if *first != Nanos::ZERO {
                text.key("deep_idle_exit_ns", first.value());
            }
        }
        _ => {
            let exits: Vec<i64> = exits.iter().map(|exit| exit.value()).collect();
            text.key("deep_idle_exit_ns", format_args!("{exits:?}"));
        }
    }
    if policy.vote_by == VoteBy::Frequency {
        text.key("vote_by", quoted("frequency"));
    }
    // Rows of the lowest clock depended on come first: what holds without a vote is the first of them in the file.
    let mut cells: Vec<(&Row, &Cell)> =
        policy.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell))).collect();
    cells.sort_by_key(|(_, cell)| cell.on != policy.default_vote);
    let of = |power: &StatePower| {
        let [active, idle0, idle1] = power.core.map(milliwatts);
        [milliwatts(power.shared), active, idle0, idle1]
    };
    if policy.depends {
        text.line("# kHz, on policy, at kHz, mW: static, active, idle0, idle1, interconnect");
        let rows: Vec<String> = cells
            .iter()
            .map(|(at, cell)| {
                let mut values = state(at, cell);
                values.extend(of(&cell.power));
                values.push(milliwatts(cell.power.interconnect));
                row(&values)
            })
            .collect();
        text.rows("dependent_curve", &rows);
    } else {
        text.line("# kHz, static, active, idle0, idle1");
        let rows: Vec<String> = cells
            .iter()
            .map(|(at, cell)| {
                let mut values = vec![at.frequency.kilohertz().to_string()];
                values.extend(of(&cell.power));
                row(&values)
            })
            .collect();
        text.rows("curve", &rows);
    }
    let l3: Vec<String> = cells
        .iter()
        .filter(|(_, cell)| cell.power.l3 != [Watts::ZERO; 2])
        .map(|(at, cell)| {
            let mut values = state(at, cell);
            values.extend(cell.power.l3.map(|energy| number(energy.value())));
            row(&values)
        })
        .collect();
    if !l3.is_empty() {
        text.line("# kHz, on policy, at kHz, nJ: hit, miss");
        text.rows("l3", &l3);
    }
}

/// Clock, policy depended on, its clock.
fn state(row: &Row, cell: &Cell) -> Vec<String> {
    vec![
        row.frequency.kilohertz().to_string(),
        cell.on.policy.0.to_string(),
        cell.on.frequency.kilohertz().to_string(),
    ]
}

fn write_figures(text: &mut Text, figures: &Figures) {
    for (name, figure) in figures.iter() {
        let Figure { values, unit, source, provenance, error } = figure;
        text.line("\n[[figure]]");
        text.key("name", quoted(name));
        match values.as_slice() {
            [one] => text.key("value", number(*one)),
            more => {
                let more: Vec<String> = more.iter().copied().map(number).collect();
                text.key("value", row(&more));
            }
        }
        text.key("unit", quoted(unit.name()));
        text.string("source", source);
        provenance_of(text, *provenance);
        if let Some(error) = error {
            text.key("error", number(*error));
        }
    }
}

/// Modelled is what a reader takes it for if nothing is said.
fn provenance_of(text: &mut Text, provenance: Provenance) {
    match provenance {
        Provenance::Measured => text.key("provenance", quoted("measured")),
        Provenance::Modelled => {}
        Provenance::Assumed => text.key("provenance", quoted("assumed")),
    }
}

fn write_linear(text: &mut Text, linear: &LinearModel) {
    text.line("\n[linear]");
    text.string("source", &linear.source);
    if let Some(freedom) = linear.freedom {
        text.key("freedom", number(freedom));
    }
    if let Some(mean) = linear.mean {
        text.line("# mW: the mean of what was measured");
        text.key("mean", milliwatts(mean));
    }
    quantiles(text, &linear.residuals);
    if let Some(ends) = linear.interval {
        text.line("# 90 % of the rows held out are between these, relative to what is modelled");
        text.key("interval", row(&ends.map(number)));
    }
    if let Some(every) = linear.every {
        text.line("# s: the length of an observation");
        text.key("every", number(every));
    }
    if let Some(table) = &linear.table {
        write_table(text, table);
    }
    if let Some(intercept) = &linear.intercept {
        text.line("\n[linear.intercept]");
        text.key("value", milliwatts(intercept.power));
        text.key("unit", quoted("mW"));
        if let Some(error) = intercept.error {
            text.key("error", milliwatts(error));
        }
        text.string("source", &intercept.source);
        provenance_of(text, intercept.provenance);
    }
    for term in &linear.terms {
        text.line("\n[[linear.term]]");
        text.key("parameter", quoted(&term.parameter));
        text.key("component", quoted(term.component.name()));
        if let Some(knees) = term.between {
            text.key("between", row(&knees.map(number)));
        }
        text.key("coefficient", number(term.coefficient));
        text.key("unit", quoted(&term.unit.to_string()));
        if let Some(error) = term.error {
            text.key("error", number(error));
        }
        text.string("source", &term.source);
        provenance_of(text, term.provenance);
    }
    if let Some(correction) = &linear.correction {
        write_correction(text, correction);
    }
}

fn write_table(text: &mut Text, table: &LinearTable) {
    text.line("\n[linear.table]");
    text.key("target", quoted(&table.target));
    text.key("unit", quoted(&table.unit));
    if let Some(duration) = &table.duration {
        text.key("duration", quoted(duration));
    }
    text.line("# parameter, column or formula");
    let columns: Vec<String> =
        table.columns.iter().map(|(name, formula)| row(&[quoted(name), quoted(formula)])).collect();
    text.rows("columns", &columns);
    if !table.fills.is_empty() {
        text.line("# parameter, value that stands in where a cell is empty");
        let fills = table.fills.iter().map(|(name, value)| row(&[quoted(name), number(*value)]));
        text.rows("fills", &fills.collect::<Vec<_>>());
    }
}

fn write_correction(text: &mut Text, correction: &LinearCorrection) {
    text.line(
        "\n# The mean of a Gaussian process of ln(watts), used where all of its inputs are known",
    );
    text.line("[linear.correction]");
    text.key("share", number(correction.share));
    text.key("level", number(correction.level));
    quantiles(text, &correction.residuals);
    if let Some(ends) = correction.interval {
        text.key("interval", row(&ends.map(number)));
    }
    text.line("# parameter, centre, reach");
    let inputs: Vec<String> = correction
        .inputs
        .iter()
        .map(|input| row(&[quoted(&input.parameter), number(input.centre), number(input.reach)]))
        .collect();
    text.rows("inputs", &inputs);
    text.line("# weight, then the place in each input, in reaches from the centre");
    let points: Vec<String> = correction
        .points
        .iter()
        .map(|point| {
            let numbers = std::iter::once(&point.weight).chain(&point.place);
            row(&numbers.map(|value| number(*value)).collect::<Vec<_>>())
        })
        .collect();
    text.rows("points", &points);
}

fn quantiles(text: &mut Text, residuals: &[ResidualQuantile]) {
    if !residuals.is_empty() {
        text.line("# quantile, mW: measured minus modelled");
        let rows: Vec<String> =
            residuals.iter().map(|at| row(&[number(at.quantile), milliwatts(at.power)])).collect();
        text.rows("residuals", &rows);
    }
}

fn write_residual(text: &mut Text, residual: &Residual) {
    text.line("\n[[residual]]");
    text.key("policy", residual.policy.0);
    text.key("specimen", quoted(&residual.specimen));
    match residual.kind {
        ResidualKind::Active(clock) => text.key("khz", clock.kilohertz()),
        ResidualKind::Static => text.key("kind", quoted("static")),
        ResidualKind::Idle => text.key("kind", quoted("idle")),
    }
    text.key("ratio", number(residual.ratio));
}

#[cfg(test)]
mod tests;
