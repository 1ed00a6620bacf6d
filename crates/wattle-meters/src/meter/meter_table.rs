//! Tables of samples: Monsoon's PowerTool and its Python library, Otii, Joulescope, and any other with named columns.
//!
//! # Quirks
//! - Monsoon's Python library heads its times with `Time(ms)` and writes seconds (`sampleEngine.py`). It is seen from the rate:
//!   no meter of theirs is faster than 5 kHz.
//! - Columns without a unit are taken to be in seconds, watts, amperes and volts, unless no phone could draw that.

use std::io::Read;

use wattle_timeline::Severity;
use wattle_units::{Provenance, Volts};

use super::columns::{Column, Columns, choose};
use super::draft::Draft;
use super::meter_options::{MeterColumns, MeterOptions};
use super::meter_series::{MeterClock, Series};
use super::number::{bare, decimal};
use super::table_cells::cells;
use super::{run_totals, time_stamp};
use crate::limits::MAX_METER_SAMPLES;
use wattle_import::text::{DAY, Lines, SECOND};

/// The longest line that is read.
const LONGEST: usize = 1 << 16;
/// Lines that may stand before the header.
const PREAMBLE: usize = 64;
/// Delimiters of cells, the likelier first where a line has several.
const DELIMITERS: [char; 4] = ['\t', ';', ',', '|'];
/// Nanoseconds between samples of Monsoon's fastest rate, less a little.
const FASTEST_MONSOON: i64 = 190_000;
/// Voltage of a battery if nobody states it.
const ASSUMED_VOLTAGE: Volts = Volts::new(3.85);
/// No phone draws more: a current, voltage or power without a unit above this is in thousandths.
const MOST: f64 = 60.0;

/// The delimiter of a header.
pub(crate) fn delimiter(line: &str) -> char {
    let many = |delimiter: &&char| cells(line, **delimiter).len() > 1;
    DELIMITERS.iter().find(many).copied().unwrap_or(',')
}

/// Whether a text begins as a table of samples does.
pub(crate) fn looks_like_table(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').take(PREAMBLE);
    lines.map(String::from_utf8_lossy).any(|line| {
        let cells = cells(line.trim_end_matches('\r'), delimiter(&line));
        let is_short = cells.len() > 1 && line.len() < LONGEST;
        is_short
            && (choose(&cells, &MeterColumns::default()).is_ok() || run_totals::are_heads(&cells))
    })
}

/// Reads a table.
///
/// # Errors
/// The expected and the actual content, if no line is a header of samples.
pub(crate) fn read(
    input: impl Read,
    options: &MeterOptions,
    told: &mut dyn FnMut(u64),
) -> Result<Draft, String> {
    let mut lines = Lines::new(input, LONGEST);
    let mut reason = None;
    for _ in 0..PREAMBLE {
        let Some(line) = lines.next_line() else { break };
        let text = String::from_utf8_lossy(line.bytes).into_owned();
        let delimiter = delimiter(&text);
        let cells = cells(&text, delimiter);
        if cells.len() < 2 {
            continue;
        }
        if run_totals::are_heads(&cells) {
            return run_totals::read(&mut lines, &cells, delimiter);
        }
        match choose(&cells, &options.columns) {
            Ok(columns) => {
                return Table::new(columns, &cells, delimiter, options).read(lines, told);
            }
            Err(text) => reason = reason.or(Some(text)),
        }
    }
    Err(reason.unwrap_or_else(|| "expected a header with names of columns, found none".to_owned()))
}

struct Table<'a> {
    columns: Columns,
    delimiter: char,
    options: &'a MeterOptions,
    draft: Draft,
    series: Series,
    /// Nanoseconds of the unit of times, once it is known.
    time_unit: Option<i64>,
    currents: Mean,
    voltages: Mean,
    powers: Mean,
    bad: u64,
    /// Nanoseconds of midnights that times of day went past.
    midnights: i64,
    is_of_day: bool,
}

/// A mean of sizes.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value.abs();
            self.count += 1.0;
        }
    }

    /// Returns the scale of a column's unit in base units, and true if that was guessed from the size.
    fn scale(self, column: Option<&Column>) -> (f64, bool) {
        match column.and_then(|column| column.unit) {
            Some(unit) => (unit.scale, false),
            None if self.count > 0.0 && self.sum / self.count > MOST * 1e3 => (1e-6, true),
            None if self.count > 0.0 && self.sum / self.count > MOST => (1e-3, true),
            None => (1.0, column.is_some()),
        }
    }
}

impl<'a> Table<'a> {
    fn new(columns: Columns, cells: &[String], delimiter: char, options: &'a MeterOptions) -> Self {
        let instrument = instrument(cells);
        let channel = columns.power.as_ref().or(columns.current.as_ref());
        let channel = channel.map_or("power", |column| column.name.as_str());
        let time_unit = columns.time.unit.map(|unit| unit.scale as i64);
        Self {
            series: Series::new(channel, instrument),
            columns,
            delimiter,
            options,
            draft: Draft::new("meter-table"),
            time_unit,
            currents: Mean::default(),
            voltages: Mean::default(),
            powers: Mean::default(),
            bad: 0,
            midnights: 0,
            is_of_day: false,
        }
    }

    fn read<R: Read>(
        mut self,
        mut lines: Lines<R>,
        told: &mut dyn FnMut(u64),
    ) -> Result<Draft, String> {
        let mut is_full = false;
        while let Some(line) = lines.next_line() {
            if line.bytes.is_empty() || line.bytes.first() == Some(&b'#') {
                continue;
            }
            if self.series.time.len() >= MAX_METER_SAMPLES {
                is_full = true;
                break;
            }
            let row = cells(&String::from_utf8_lossy(line.bytes), self.delimiter);
            self.row(&row);
            if self.series.time.len().is_multiple_of(1 << 16) {
                told(lines.offset());
            }
        }
        self.draft.quality.bytes = lines.offset();
        let failed = lines.failure.map_or(0, |_| 1);
        self.draft.note(Severity::Error, "meter-cut", failed, "broke off while it was read");
        let text = "has more samples than are kept: the rest was not read";
        self.draft.note(Severity::Error, "meter-limit", u64::from(is_full), text);
        self.finish()
    }

    fn row(&mut self, row: &[String]) {
        let cell = |column: &Column| row.get(column.index).map(|cell| bare(cell));
        let number = |column: &Option<Column>| column.as_ref().and_then(cell).and_then(decimal);
        let Some(time) = cell(&self.columns.time).and_then(|text| self.time(text)) else {
            self.bad += 1;
            return;
        };
        let (power, current, voltage) = (
            number(&self.columns.power),
            number(&self.columns.current),
            number(&self.columns.voltage),
        );
        self.powers.add(power);
        self.currents.add(current);
        self.voltages.add(voltage);
        let value = match (&self.columns.power, &self.columns.voltage) {
            (Some(_), _) => power,
            (None, Some(_)) => current.zip(voltage).map(|(current, voltage)| current * voltage),
            (None, None) => current,
        };
        self.draft.quality.records += 1;
        let time = self.past_midnight(time);
        self.series.time.push(time);
        self.series.power.push(value.unwrap_or(f64::NAN));
    }

    fn time(&mut self, text: &str) -> Option<i64> {
        let is_first = self.series.time.is_empty();
        let (time, clock) = match self.time_unit {
            Some(unit) => time_stamp::number(text, unit)?,
            None => {
                if let Some(found) = time_stamp::date(text) {
                    self.is_of_day = found.1 == MeterClock::Own;
                    found
                } else {
                    let unit = time_stamp::unit_by_size(text)?;
                    self.time_unit = Some(unit);
                    time_stamp::number(text, unit)?
                }
            }
        };
        if is_first {
            self.draft.clock = clock;
        }
        (clock == self.draft.clock).then_some(time)
    }

    /// A time of day far before the one of the row above is of the next day.
    fn past_midnight(&mut self, time: i64) -> i64 {
        let shifted = time.saturating_add(self.midnights);
        match self.series.time.last() {
            Some(last) if self.is_of_day && shifted < last.saturating_sub(DAY / 2) => {
                self.midnights = self.midnights.saturating_add(DAY);
                shifted.saturating_add(DAY)
            }
            _ => shifted,
        }
    }

    fn finish(mut self) -> Result<Draft, String> {
        self.in_base_units();
        self.slow_monsoon();
        for name in std::mem::take(&mut self.columns.unread) {
            *self.draft.quality.unread.entry(name).or_default() += 1;
        }
        let text = "rows without a time that can be read: not used";
        self.draft.note(Severity::Warning, "meter-rows", self.bad, text);
        self.draft.series.push(self.series);
        self.draft.finish()?;
        Ok(self.draft)
    }

    /// From the columns' units to watts.
    fn in_base_units(&mut self) {
        let columns = &self.columns;
        let (scale, guessed) = if columns.power.is_some() {
            self.powers.scale(columns.power.as_ref())
        } else {
            let (amperes, by_size) = self.currents.scale(columns.current.as_ref());
            let (volts, voltage_by_size) = match (&columns.voltage, self.options.voltage) {
                (Some(column), _) => self.voltages.scale(Some(column)),
                (None, Some(voltage)) => (voltage.value(), false),
                (None, None) => {
                    self.series.provenance = Provenance::Assumed;
                    (ASSUMED_VOLTAGE.value(), false)
                }
            };
            (amperes * volts, by_size || voltage_by_size)
        };
        self.series.power.iter_mut().for_each(|power| *power *= scale);
        let without = u64::from(self.series.provenance == Provenance::Assumed);
        let text = "has currents and no voltage: 3.85 V is assumed; say it with --meter-voltage";
        self.draft.note(Severity::Warning, "meter-voltage", without, text);
        let text = "a column without a unit: it was taken from the size of the values; name it with --meter-columns";
        self.draft.note(Severity::Warning, "meter-unit", u64::from(guessed), text);
    }

    /// Seconds under a head of milliseconds.
    fn slow_monsoon(&mut self) {
        let is_in_milliseconds = self.time_unit == Some(SECOND / 1000);
        let Some((first, last)) = self.series.span() else { return };
        let steps = self.series.time.len().saturating_sub(1).max(1) as i64;
        let step = last.saturating_sub(first) / steps;
        let is_monsoon = self.series.instrument == "monsoon" && self.draft.clock == MeterClock::Own;
        if is_in_milliseconds && is_monsoon && (1..FASTEST_MONSOON).contains(&step) {
            for time in &mut self.series.time {
                *time = time.saturating_mul(1000);
            }
            let text = "times are headed as milliseconds and are seconds, or the meter would be faster than it can be";
            self.draft.note(Severity::Info, "meter-seconds", 1, text);
        }
    }
}

/// Whose header it is.
fn instrument(cells: &[String]) -> &'static str {
    let has = |what: &str| cells.iter().any(|cell| bare(cell).eq_ignore_ascii_case(what));
    let begins = |what: &str| cells.iter().any(|cell| bare(cell).starts_with(what));
    if begins("Main Avg ") || begins("USB Avg ") || has("Time(ms)") && begins("Main(") {
        "monsoon"
    } else if has("Timestamp") && (begins("Main ") || begins("Arc ") || begins("Ace ")) {
        "otii"
    } else if begins("#time") {
        "joulescope"
    } else {
        "csv"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table; its instrument, clock, and (nanoseconds, watts) of its samples.
    #[track_caller]
    fn check(table: &str, asked: &str, expected: (&str, MeterClock), samples: &[(i64, f64)]) {
        let options = MeterOptions { columns: asked.parse().unwrap(), ..MeterOptions::default() };
        let draft = read(table.as_bytes(), &options, &mut |_| ()).unwrap();
        let series = &draft.series[0];
        assert_eq!((series.instrument, draft.clock), expected, "{table}");
        let found: Vec<_> = series.time.iter().copied().zip(series.power.iter().copied()).collect();
        assert_eq!(found.len(), samples.len(), "{found:?}");
        for (found, expected) in found.iter().zip(samples) {
            assert_eq!(found.0, expected.0, "{table}");
            let is_near = (found.1 - expected.1).abs() < 1e-12;
            assert!(is_near || found.1.is_nan() && expected.1.is_nan(), "{found:?} {expected:?}");
        }
    }

    const OWN: MeterClock = MeterClock::Own;

    #[test]
    fn makers_tables_are_read() {
        check(
            "Time (s),Main Avg Current (mA),Main Avg Power (mW),Main Avg Voltage (V)\r\n\
             0,100,370,3.7\r\n0.0002,200,740,3.7\r\n",
            "",
            ("monsoon", OWN),
            &[(0, 0.37), (200_000, 0.74)],
        );
        // Three samples of one packet, then the next; the library heads seconds as milliseconds.
        check(
            "Time(ms),Main(mA),USB(mA),Aux(mA),Main Voltage(V),USB Voltage(V),\n\
             0.0006,100.0,0.0,0.0,4.0,0.0,\n0.0006,200.0,0,0,4.0,0,\n0.0012,50.0,0,0,4.0,0,\n",
            "",
            ("monsoon", OWN),
            &[(600_000, 0.6), (1_200_000, 0.2)],
        );
        check(
            "Timestamp,Main Current (A),Main Voltage (V)\n0.00025,0.1,3.8\n0.0005,0.2,3.8\n",
            "",
            ("otii", OWN),
            &[(250_000, 0.38), (500_000, 0.76)],
        );
        check(
            "#time,current,voltage,power\n0.000000,0.001,3,0.003\n0.000001,0.001,3,0.003\n",
            "",
            ("joulescope", OWN),
            &[(0, 0.003), (1_000, 0.003)],
        );
    }

    #[test]
    fn any_table_with_names_is_read() {
        check(
            "\"Zeit [ms]\";\"I [µA]\";\"U [mV]\"\n0;1000,5;4000\n10;;4000\n20;2000;4000\n",
            "time=zeit",
            ("csv", OWN),
            &[(0, 0.004_002), (10_000_000, f64::NAN), (20_000_000, 0.008)],
        );
        check(
            "made by hand\n\ntimestamp\tpower_mW\n1750000000.25\t10\n1750000000.5\t20\n",
            "",
            ("csv", MeterClock::Unix),
            &[(1_750_000_000_250_000_000, 0.01), (1_750_000_000_500_000_000, 0.02)],
        );
        check(
            "date,power (W)\n2026-11-22T10:15:00Z,1\n2026-11-22T10:15:01Z,2\nx,3\n",
            "",
            ("csv", MeterClock::Unix),
            &[(1_795_342_500_000_000_000, 1.0), (1_795_342_501_000_000_000, 2.0)],
        );
        check(
            "time,power (W)\n23:59:59,1\n00:00:01,2\n",
            "",
            ("csv", OWN),
            &[(86_399 * SECOND, 1.0), (86_401 * SECOND, 2.0)],
        );
    }

    #[test]
    fn missing_units_come_from_sizes() {
        check("t,i,v\n0,350,4100\n1,350,4100\n", "", ("csv", OWN), &[(0, 1.435), (SECOND, 1.435)]);
        check("t,p\n0,2.5\n1,2.5\n", "", ("csv", OWN), &[(0, 2.5), (SECOND, 2.5)]);
    }

    #[test]
    fn a_voltage_is_assumed_and_said() {
        let table = "time (s),current (mA)\n0,100\n1,200\n";
        check(table, "", ("csv", OWN), &[(0, 0.385), (SECOND, 0.77)]);
        let draft = read(table.as_bytes(), &MeterOptions::default(), &mut |_| ()).unwrap();
        assert_eq!(draft.series[0].provenance, Provenance::Assumed);
        assert_eq!(draft.quality.notes[0].code, "meter-voltage");
        let options = MeterOptions { voltage: Some(Volts::new(4.0)), ..MeterOptions::default() };
        let draft = read(table.as_bytes(), &options, &mut |_| ()).unwrap();
        assert_eq!(draft.series[0].power, [0.4, 0.8]);
        assert_eq!(draft.series[0].provenance, Provenance::Measured);
    }

    #[test]
    fn what_is_no_table_is_said() {
        for (text, expected) in [
            ("", "expected a header"),
            ("hello\nworld\n", "expected a header"),
            ("a,b,c\n1,2,3\n", "found the columns a, b, c"),
            ("time (s),power (W)\n", "found none"),
            ("time (s),power (W)\n1,\n", "found none"),
        ] {
            let found = read(text.as_bytes(), &MeterOptions::default(), &mut |_| ()).unwrap_err();
            assert!(found.contains(expected), "{text:?}: {found}");
        }
    }
}
