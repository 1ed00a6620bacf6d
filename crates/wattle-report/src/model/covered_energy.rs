//! The components and the time that the total covers, in rows and in words.

use wattle_ledger::{EnergyCoverage, Ledger};
use wattle_power::{Component, EstimatedFrom};
use wattle_table::{Column, describe};
use wattle_units::{Nanos, Provenance};

use super::ComponentRow;
use crate::cells::amount_of_time;

/// Names in a sentence before the rest is only counted.
const NAMED: usize = 6;

/// Below this part of the window, a component counts as covered in part.
const WHOLE: f64 = 0.995;

/// The components and the time that the total covers, and what is known to be left out.
#[derive(Clone, Debug)]
pub struct EnergyCoverageReport {
    /// The word before the figure: `Total`, or the name of its only component.
    pub heading: String,
    /// The statement in words: `CPU only; not estimated: GPU, display, …`.
    pub text: String,
    /// The covered components, most energy first.
    pub components: Vec<CoveredComponentRow>,
    /// Components that such a device has and whose energy was not estimated.
    pub missing: Vec<String>,
    /// Time in which any component is covered.
    pub covered: Nanos,
    /// Time in which power rails measured a component; `None` without rails in the total.
    pub by_rails: Option<Nanos>,
    /// Time in which the battery or a meter accounts for the rest of the whole device.
    pub whole_device: Nanos,
}

/// One covered component.
#[derive(Clone, Debug)]
pub struct CoveredComponentRow {
    /// The component.
    pub name: String,
    /// Time in which at least a part of its power is estimated.
    pub covered: Nanos,
    /// That part of the window.
    pub share: Option<f64>,
    /// The data that it was estimated from.
    pub parts: Vec<CoveredPartRow>,
}

/// Time in which a component was estimated from one kind of data.
#[derive(Clone, Debug)]
pub struct CoveredPartRow {
    /// The data.
    pub from: EstimatedFrom,
    /// Provenance of the energy as a whole.
    pub provenance: Provenance,
    /// The covered time.
    pub covered: Nanos,
}

describe!(
    CoveredPartRow,
    "covered_part",
    "time in which a component was estimated from one kind of data",
    [
        Column::text("from", "the data", |row: &CoveredPartRow| row.from.name()).words(&[
            "curves",
            "linear-terms",
            "totals",
            "states",
            "rails"
        ]),
        Column::word(
            "provenance",
            "of the energy as a whole",
            &["measured", "modelled", "assumed"],
            |row: &CoveredPartRow| Some(&row.provenance)
        ),
        Column::time("covered_s", "the covered time", |row: &CoveredPartRow| row.covered),
    ]
);

describe!(
    CoveredComponentRow,
    "covered_component",
    "one component of the total",
    [
        Column::text("name", "the component", |row: &CoveredComponentRow| &row.name),
        Column::time(
            "covered_s",
            "time in which at least a part of its power is estimated",
            |row: &CoveredComponentRow| row.covered
        ),
        Column::share("share", "that part of the window", |row: &CoveredComponentRow| row.share),
        Column::list::<CoveredPartRow>(
            "parts",
            "by the data that it was estimated from; parts can overlap in time",
            |row: &CoveredComponentRow| &row.parts
        ),
    ]
);

describe!(
    EnergyCoverageReport,
    "energy_coverage",
    "the components and the time that the total covers",
    [
        Column::text(
            "heading",
            "the word before the figure: Total, or the name of its only component",
            |row: &EnergyCoverageReport| &row.heading
        ),
        Column::text("text", "the statement in words", |row: &EnergyCoverageReport| &row.text),
        Column::list::<CoveredComponentRow>(
            "components",
            "the components of the total, most energy first",
            |row: &EnergyCoverageReport| &row.components
        ),
        Column::texts(
            "missing",
            "components that such a device has and whose energy was not estimated",
            |row: &EnergyCoverageReport| &row.missing
        ),
        Column::time(
            "covered_s",
            "time in which any component is covered",
            |row: &EnergyCoverageReport| row.covered
        ),
        Column::maybe_time(
            "rails_s",
            "time in which power rails measured a component; null without rails in the total",
            |row: &EnergyCoverageReport| row.by_rails
        ),
        Column::time(
            "whole_device_s",
            "time in which the battery or a meter accounts for the rest of the whole device",
            |row: &EnergyCoverageReport| row.whole_device
        ),
    ]
);

impl EnergyCoverageReport {
    /// The coverage of a ledger's total, whose components are given with the most energy first; `None` without energy, and for
    /// ledgers of earlier versions.
    pub(crate) fn new(ledger: &Ledger, rows: &[ComponentRow]) -> Option<Self> {
        Self::in_order(ledger, |name| rows.iter().position(|row| row.name == name))
    }

    /// The same with the components in the order of the ledger.
    pub fn of_ledger(ledger: &Ledger) -> Option<Self> {
        Self::in_order(ledger, |name| {
            ledger.rows.components.iter().position(|entry| entry.name.name() == name)
        })
    }

    fn in_order(ledger: &Ledger, order: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let has_energy = !ledger.rows.components.is_empty();
        let of = ledger.power.coverage.as_ref().filter(|_| has_energy)?;
        let window = ledger.recording.window.duration();
        let mut components: Vec<CoveredComponentRow> = of
            .components
            .iter()
            .map(|covered| CoveredComponentRow {
                name: covered.component.to_string(),
                covered: covered.covered,
                share: part_of(covered.covered, window),
                parts: covered.parts.iter().map(part_row).collect(),
            })
            .collect();
        components.sort_by_key(|row| order(&row.name).unwrap_or(usize::MAX));
        Some(Self {
            heading: heading(&components, of.whole_device),
            text: Sentence { ledger, of, rows: &components }.write(),
            missing: of.missing.iter().map(Component::to_string).collect(),
            covered: of.covered,
            by_rails: of.by_rails(),
            whole_device: of.whole_device,
            components,
        })
    }
}

/// The time by which the energy of a component is divided for its mean power; of everything that is covered, if none is given.
/// Ledgers of earlier versions do not say it: then it is the window.
pub(super) fn covered_time(ledger: &Ledger, component: Option<&Component>) -> Nanos {
    let window = ledger.recording.window.duration();
    let Some(of) = &ledger.power.coverage else { return window };
    match component {
        None => of.covered,
        // The remainder that a battery or meter measured has no tracks of its own.
        Some(component) => of.get(component).map_or_else(
            || if of.whole_device > Nanos::ZERO { of.whole_device } else { window },
            |covered| covered.covered,
        ),
    }
}

/// The statement of a ledger in words, its components in the order of the ledger; `None` where it does not say it.
pub(crate) fn covered_in_words(ledger: &Ledger) -> Option<String> {
    EnergyCoverageReport::of_ledger(ledger).map(|report| report.text)
}

fn heading(components: &[CoveredComponentRow], whole_device: Nanos) -> String {
    match components {
        [only] if whole_device == Nanos::ZERO => {
            capitalised(Component::from(only.name.as_str()).title())
        }
        _ => "Total".to_owned(),
    }
}

fn part_row(part: &wattle_ledger::CoveredTime) -> CoveredPartRow {
    CoveredPartRow { from: part.from, provenance: part.provenance, covered: part.covered }
}

fn part_of(part: Nanos, whole: Nanos) -> Option<f64> {
    (whole > Nanos::ZERO).then(|| part.seconds() / whole.seconds())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Titles of components as a list: the first few, then a number.
pub(crate) fn listed(names: &[String]) -> String {
    let titles: Vec<String> =
        names.iter().map(|name| Component::from(name.as_str()).title().to_owned()).collect();
    let (named, rest) =
        if titles.len() > NAMED + 1 { titles.split_at(NAMED) } else { (&titles[..], &[][..]) };
    match (named.split_last(), rest.len()) {
        (None, _) => String::new(),
        (Some((last, [])), 0) => last.clone(),
        (Some((last, others)), 0) => format!("{} and {last}", others.join(", ")),
        (Some(_), count) => format!("{} and {count} others", named.join(", ")),
    }
}

/// The statement that is being written.
struct Sentence<'a> {
    ledger: &'a Ledger,
    of: &'a EnergyCoverage,
    /// Most energy first.
    rows: &'a [CoveredComponentRow],
}

impl Sentence<'_> {
    fn write(&self) -> String {
        let mut text = self.components();
        text.push_str(&self.missing());
        let times: Vec<String> = self.rails().into_iter().chain(self.partly()).collect();
        for time in times {
            text.push_str(". ");
            text.push_str(&capitalised(&time));
        }
        text
    }

    fn window(&self) -> Nanos {
        self.ledger.recording.window.duration()
    }

    fn components(&self) -> String {
        let names: Vec<String> = self.rows.iter().map(|row| row.name.clone()).collect();
        let list = listed(&names);
        let whole = self.of.whole_device;
        if whole > Nanos::ZERO {
            let by = self.ledger.power.battery.as_ref().map_or("battery", |from| from.by.name());
            let time = if is_whole(whole, self.window()) {
                String::new()
            } else {
                format!(" (for {} of {})", long(whole), long(self.window()))
            };
            return format!("covers the whole device: {list}, and the rest by the {by}{time}");
        }
        match names.as_slice() {
            [_] => format!("{} only", capitalised(&list)),
            _ => format!("covers {list}"),
        }
    }

    fn missing(&self) -> String {
        let missing: Vec<String> = self.of.missing.iter().map(Component::to_string).collect();
        let has_cpu = self.of.get(&Component::Cpu).is_some();
        if missing.is_empty() {
            String::new()
        } else if self.ledger.power.model.is_none() && !has_cpu {
            format!("; no device model for the rest: {}", listed(&missing))
        } else {
            format!("; not estimated: {}", listed(&missing))
        }
    }

    /// Rails that stop short of the window.
    fn rails(&self) -> Option<String> {
        let by_rails = self.of.by_rails()?;
        if is_whole(by_rails, self.window()) {
            return None;
        }
        let all: Vec<String> = self
            .rows
            .iter()
            .filter(|row| is_whole(row.covered, self.window()))
            .map(|row| row.name.clone())
            .collect();
        let rest = match all.as_slice() {
            [] => "the rest of the time is not covered".to_owned(),
            [_] => format!("in the rest of the time only {} is estimated", listed(&all)),
            _ => format!("in the rest of the time only {} are estimated", listed(&all)),
        };
        let (part, whole) = (long(by_rails), long(self.window()));
        Some(format!("power rails cover {part} of {whole}; {rest}"))
    }

    /// Components of which no rail is the reason that they are covered in part.
    fn partly(&self) -> Option<String> {
        let is_by_rails = |row: &&CoveredComponentRow| {
            row.parts.iter().all(|part| part.from == EstimatedFrom::Rails)
        };
        let partly = self
            .rows
            .iter()
            .filter(|row| !is_by_rails(row) && !is_whole(row.covered, self.window()));
        let each: Vec<String> = partly
            .map(|row| {
                let title = Component::from(row.name.as_str());
                format!("{} for {}", title.title(), long(row.covered))
            })
            .collect();
        (!each.is_empty())
            .then(|| format!("covered in part: {} of {}", each.join(", "), long(self.window())))
    }
}

fn long(time: Nanos) -> String {
    amount_of_time(time.seconds())
}

fn is_whole(part: Nanos, window: Nanos) -> bool {
    part.seconds() >= WHOLE * window.seconds()
}
