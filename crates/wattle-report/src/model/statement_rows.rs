//! Energies that the input itself states, beside the estimate for the same time.

use wattle_power::{InputStatement, StatementSource};
use wattle_table::{Column, describe};
use wattle_units::{Interval, Joules, Nanos, Provenance};

use crate::Figure;
use crate::cells::{amount_of_time, bounds, small_percent};

/// Two energies that differ by a smaller part are the same to three digits.
const SAME: f64 = 0.0005;

/// One energy that the input states.
#[derive(Clone, Debug)]
pub struct StatementRow {
    /// Its origin.
    pub source: StatementSource,
    /// The stated energy.
    pub joules: Joules,
    /// Its 90 % interval; `None` where no error is known.
    pub interval: Option<Interval>,
    /// Measured, modelled by Android, or assumed where the voltage is not known.
    pub provenance: Provenance,
    /// The time that it is about.
    pub time: Nanos,
    /// The estimate for the same time.
    pub estimate: Figure,
    /// The estimate as a multiple of the stated energy.
    pub ratio: Option<f64>,
}

describe!(
    StatementRow,
    "statement",
    "an energy that the input itself states",
    [
        Column::text("source", "its origin", |row: &StatementRow| row.source.name()).words(&[
            "rails",
            "discharge",
            "android-estimate",
            "power-meter"
        ]),
        Column::joules("joules", "the stated energy", |row: &StatementRow| row.joules.value()),
        Column::pair(
            "interval_joules",
            "its 90 % interval; null where no error is known",
            |row: &StatementRow| {
                row.interval.map(|interval| [interval.low.value(), interval.high.value()])
            }
        ),
        Column::word(
            "provenance",
            "measured, modelled by Android, or assumed where the battery's voltage is not known",
            &["measured", "modelled", "assumed"],
            |row: &StatementRow| Some(&row.provenance)
        ),
        Column::time("covered_s", "the time that it is about", |row: &StatementRow| row.time),
        Column::flag(
            "whole_device",
            "whether it is about the whole device, whatever components the estimate covers",
            |row: &StatementRow| row.source.is_whole_device()
        ),
        Column::energy("estimate", "the estimate for the same time", |row: &StatementRow| {
            row.estimate.0
        }),
        Column::maybe_number(
            "ratio",
            "the estimate as a multiple of the stated energy",
            |row: &StatementRow| row.ratio
        ),
    ]
);

impl StatementRow {
    /// The row of a statement.
    pub(crate) fn new(of: &InputStatement) -> Self {
        Self {
            source: of.source,
            joules: of.joules,
            interval: of.interval,
            provenance: of.provenance,
            time: of.time,
            estimate: Figure(of.estimate),
            ratio: of.ratio(),
        }
    }

    /// The statement as a line: `battery discharge 2.10 J in 1.80 s, whole device; …`.
    pub fn text(&self) -> String {
        let whole = if self.source.is_whole_device() { ", whole device" } else { "" };
        let interval = self.interval.map(|interval| wattle_units::Estimate {
            joules: self.joules,
            interval,
            provenance: self.provenance,
        });
        format!(
            "{} {}{} in {}{whole}{}",
            self.source.title(),
            self.joules,
            bounds(Figure(interval), ""),
            amount_of_time(self.time.seconds()),
            self.beside(),
        )
    }

    /// The estimate of the same time.
    fn beside(&self) -> String {
        let (Some(joules), Some(ratio)) = (self.estimate.joules(), self.ratio) else {
            return String::new();
        };
        let percent = small_percent(ratio);
        if (ratio - 1.0).abs() < SAME {
            "; the estimate is the same".to_owned()
        } else if self.source.is_whole_device() && ratio < 1.0 {
            format!("; {joules} of it, {percent}, is estimated by component")
        } else {
            format!("; the estimate of that time is {joules}, {percent} of it")
        }
    }
}
