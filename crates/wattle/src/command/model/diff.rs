//! Two models, number by number.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;
use wattle_power::{DeviceModel, FigureUnit, Policy, RailCorrection};
use wattle_report::clean;

use super::lookup;
use super::show::digits;
use crate::exit::Failure;

/// All that either says.
#[derive(Serialize)]
pub struct Compared {
    a: String,
    b: String,
    rows: Vec<Row>,
    /// The parts that cannot be compared.
    notes: Vec<String>,
}

/// One number; a side that does not say it has none.
#[derive(Serialize)]
struct Row {
    what: String,
    unit: String,
    a: Option<f64>,
    b: Option<f64>,
    /// b over a.
    ratio: Option<f64>,
}

impl Row {
    fn new(what: String, unit: &str, a: Option<f64>, b: Option<f64>) -> Self {
        let ratio = match (a, b) {
            (Some(a), Some(b)) if a != 0.0 => Some(b / a),
            _ => None,
        };
        Self { what, unit: unit.to_owned(), a: a.map(digits), b: b.map(digits), ratio }
    }
}

/// Compares them.
pub fn compare(a: &str, b: &str) -> Result<Compared, Failure> {
    let (first, second) = (lookup::find(a)?, lookup::find(b)?);
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    if first.unit == second.unit || first.policies.is_empty() || second.policies.is_empty() {
        policies(&first, &second, &mut rows);
    } else {
        notes.push(
            "curves are in mA on one side and in mW on the other: they are not compared".to_owned(),
        );
    }
    rails(&first, &second, &mut rows);
    figures(&first, &second, &mut rows, &mut notes);
    terms(&first, &second, &mut rows);
    Ok(Compared { a: first.name, b: second.name, rows, notes })
}

fn unit(model: &DeviceModel) -> &'static str {
    if model.unit == FigureUnit::Current { "mA" } else { "mW" }
}

fn policies(a: &DeviceModel, b: &DeviceModel, rows: &mut Vec<Row>) {
    let ids: BTreeSet<_> = a.policies.iter().chain(&b.policies).map(|policy| policy.id).collect();
    for id in ids {
        let of = |model: &DeviceModel| -> Option<Policy> {
            model.policies.iter().find(|policy| policy.id == id).cloned()
        };
        let (first, second) = (of(a), of(b));
        let clocks: BTreeSet<_> =
            first.iter().chain(&second).flat_map(Policy::frequencies).collect();
        // Beyond its own clocks a table says nothing that could be compared.
        let active = |policy: &Option<Policy>, clock| {
            let policy = policy.as_ref()?;
            let (low, high) = (policy.frequencies().next()?, policy.frequencies().last()?);
            let power = policy.power(clock, policy.lowest_dependency());
            (low <= clock && clock <= high).then(|| (power.core[0] + power.shared).milliwatts())
        };
        for clock in clocks {
            let what = format!("policy {} at {} kHz, one core active", id.0, clock.kilohertz());
            rows.push(Row::new(what, unit(a), active(&first, clock), active(&second, clock)));
        }
    }
}

/// Corrections of the curves by power rails; a model without such a rail has none.
fn rails(a: &DeviceModel, b: &DeviceModel, rows: &mut Vec<Row>) {
    let names: BTreeSet<&str> = a.rails.iter().chain(&b.rails).map(|it| it.rail.as_str()).collect();
    for name in names {
        let of = |model: &'_ DeviceModel, value: &dyn Fn(&RailCorrection) -> f64| {
            model.rails.iter().find(|rail| rail.rail == name).map(value)
        };
        for (number, title) in RailCorrection::TITLES.iter().enumerate() {
            let value = |rail: &RailCorrection| rail.in_unit(number);
            let what = format!("rail {name}, {title}");
            rows.push(Row::new(what, RailCorrection::unit(number), of(a, &value), of(b, &value)));
        }
        let recordings = |rail: &RailCorrection| rail.recordings.len() as f64;
        let what = format!("rail {name}, recordings");
        rows.push(Row::new(what, "", of(a, &recordings), of(b, &recordings)));
    }
}

fn figures(a: &DeviceModel, b: &DeviceModel, rows: &mut Vec<Row>, notes: &mut Vec<String>) {
    let names: BTreeSet<&str> =
        a.figures.iter().chain(b.figures.iter()).map(|(name, _)| name).collect();
    for name in names {
        let (first, second) = (a.figures.get(name), b.figures.get(name));
        let units: BTreeSet<&str> =
            first.iter().chain(&second).map(|figure| figure.unit.name()).collect();
        if units.len() > 1 {
            notes.push(format!("figure {name} is in different units: it is not compared"));
            continue;
        }
        let count =
            first.iter().chain(&second).map(|figure| figure.values.len()).max().unwrap_or(0);
        for level in 0..count {
            let what = if count == 1 {
                format!("figure {name}")
            } else {
                format!("figure {name} [{level}]")
            };
            let value = |figure: Option<&wattle_power::Figure>| figure?.values.get(level).copied();
            let unit = units.first().copied().unwrap_or_default();
            rows.push(Row::new(what, unit, value(first), value(second)));
        }
    }
}

fn terms(a: &DeviceModel, b: &DeviceModel, rows: &mut Vec<Row>) {
    let constant =
        |model: &DeviceModel| Some(model.linear.as_ref()?.intercept.as_ref()?.power.milliwatts());
    let (first, second) = (constant(a), constant(b));
    if first.or(second).is_some() {
        rows.push(Row::new("linear constant".to_owned(), "mW", first, second));
    }
    let all = |model: &DeviceModel| -> Vec<wattle_power::LinearTerm> {
        model.linear.iter().flat_map(|linear| linear.terms.clone()).collect()
    };
    let (of_a, of_b) = (all(a), all(b));
    let names: BTreeSet<(String, String, String)> = of_a
        .iter()
        .chain(&of_b)
        .map(|term| {
            (term.component.name().to_owned(), term.parameter.clone(), term.unit.to_string())
        })
        .collect();
    for (component, parameter, unit) in names {
        let value = |terms: &[wattle_power::LinearTerm]| {
            let same = |term: &&wattle_power::LinearTerm| {
                term.component.name() == component
                    && term.parameter == parameter
                    && term.unit.to_string() == unit
            };
            terms.iter().find(same).map(|term| term.coefficient)
        };
        let what = format!("linear {parameter} of {component}");
        rows.push(Row::new(what, &unit, value(&of_a), value(&of_b)));
    }
}

/// As a table.
pub fn text(compared: &Compared) -> String {
    let mut text = format!("a: {}\nb: {}\n\n", clean(&compared.a), clean(&compared.b));
    let _ = writeln!(text, "{:<52} {:>12} {:>12} {:<8} {:>7}", "", "a", "b", "unit", "b / a");
    let value =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
    for row in &compared.rows {
        let ratio = row.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
        let _ = writeln!(
            text,
            "{:<52} {:>12} {:>12} {:<8} {ratio:>7}",
            clean(&row.what),
            value(row.a),
            value(row.b),
            clean(&row.unit)
        );
    }
    for note in &compared.notes {
        let _ = writeln!(text, "  ! {}", clean(note));
    }
    text
}
