//! A cumulative counter over time.

use crate::{CalibrateError, Table};
use wattle_power::Measure;

/// Readings of a counter, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterSeries {
    /// Which series (a sampling rate, a run).
    pub name: String,
    /// Seconds.
    pub time: Vec<f64>,
    /// The counter, in its own unit.
    pub value: Vec<f64>,
}

/// The unit of a counter, which decides what its slope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// mAh: the slope is a current.
    MilliampereHours,
    /// µAh: the slope is a current.
    MicroampereHours,
    /// mWh: the slope is a power.
    MilliwattHours,
    /// Joules: the slope is a power.
    Joules,
    /// Microjoules, or microwatt-seconds: the slope is a power.
    Microjoules,
}

impl CounterUnit {
    /// By its name in flags.
    pub fn named(name: &str) -> Result<Self, CalibrateError> {
        match name {
            "mAh" => Ok(Self::MilliampereHours),
            "uAh" => Ok(Self::MicroampereHours),
            "mWh" => Ok(Self::MilliwattHours),
            "J" => Ok(Self::Joules),
            "uJ" | "uWs" => Ok(Self::Microjoules),
            other => Err(CalibrateError::Request {
                what: "--target-unit",
                expected: "mAh, uAh, mWh, J, uJ or uWs, which a counter accumulates".to_owned(),
                found: format!("{other:?}"),
            }),
        }
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MilliampereHours => "mAh",
            Self::MicroampereHours => "uAh",
            Self::MilliwattHours => "mWh",
            Self::Joules => "J",
            Self::Microjoules => "uJ",
        }
    }

    /// Returns the measure of its slope.
    pub const fn slope(self) -> Measure {
        match self {
            Self::MilliampereHours | Self::MicroampereHours => Measure::Milliamperes,
            Self::MilliwattHours | Self::Joules | Self::Microjoules => Measure::Milliwatts,
        }
    }

    /// Returns the value of one unit per second, in the unit of the slope.
    pub const fn a_second(self) -> f64 {
        match self {
            Self::MilliampereHours | Self::MilliwattHours => 3600.0,
            Self::MicroampereHours => 3.6,
            Self::Joules => 1e3,
            Self::Microjoules => 1e-3,
        }
    }
}

/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Hours.
    Hours,
}

impl TimeUnit {
    /// By its name in flags.
    pub fn named(name: &str) -> Result<Self, CalibrateError> {
        match name {
            "ns" => Ok(Self::Nanoseconds),
            "ms" => Ok(Self::Milliseconds),
            "s" => Ok(Self::Seconds),
            "h" => Ok(Self::Hours),
            other => Err(CalibrateError::Request {
                what: "--time-unit",
                expected: "ns, ms, s or h".to_owned(),
                found: format!("{other:?}"),
            }),
        }
    }

    const fn seconds(self) -> f64 {
        match self {
            Self::Nanoseconds => 1e-9,
            Self::Milliseconds => 1e-3,
            Self::Seconds => 1.0,
            Self::Hours => 3600.0,
        }
    }
}

impl CounterSeries {
    /// The series of a table: one, or one a value of the group's column. Rows without a number are left out; readings are
    /// brought into order of time.
    pub fn of_table(
        table: &Table,
        time: &str,
        unit: TimeUnit,
        counter: &str,
        group: Option<&str>,
    ) -> Result<Vec<Self>, CalibrateError> {
        let (times, values) = (table.numbers(time)?, table.numbers(counter)?);
        let groups: Vec<String> = match group {
            Some(column) => table.cells(column)?.map(|(_, cell)| cell.to_owned()).collect(),
            None => vec![counter.to_owned(); times.len()],
        };
        let mut all: std::collections::BTreeMap<String, Vec<(f64, f64)>> =
            std::collections::BTreeMap::new();
        for ((time, value), group) in times.into_iter().zip(values).zip(groups) {
            if let (Some(time), Some(value)) = (time, value) {
                all.entry(group).or_default().push((time * unit.seconds(), value));
            }
        }
        let series = all.into_iter().map(|(name, mut readings)| {
            readings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (time, value) = readings.into_iter().unzip();
            Self { name, time, value }
        });
        Ok(series.collect())
    }
}
