//! Contents of one test's log, whatever its form.

use std::collections::BTreeMap;

use wattle_timeline::NameId;

use super::readings::Readings;
use crate::limits::{MAX_CLOCK_COUNTS, MAX_LOG_EVENTS};

/// One end of a call.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    /// pid and tid; `None` where the log has none, or writes 0 for none.
    pub owner: Option<(u32, u32)>,
    /// When it was logged, nanoseconds of the log's clock; `None` where the log has no times.
    pub time: Option<i64>,
    pub is_entry: bool,
    pub name: NameId,
    pub readings: Option<Readings>,
}

/// A radio of which Android keeps a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Radio {
    Wifi,
    Bluetooth,
}

impl Radio {
    pub const ALL: [Self; 2] = [Self::Wifi, Self::Bluetooth];

    /// The word in names of counters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wifi => "wifi",
            Self::Bluetooth => "bluetooth",
        }
    }

    /// Returns the names of the radio's own part, by release.
    fn own(self) -> &'static [&'static str] {
        match self {
            Self::Wifi => &["wifi"],
            Self::Bluetooth => &["bt", "bluetooth", "usage"],
        }
    }
}

/// A line `Wifi:` or `Bluetooth:` of `dumpsys batterystats`: charge since the statistics began that no app is charged with, mAh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Residual {
    pub radio: Radio,
    /// When the host read it, nanoseconds of the host's clock; `None` in the oldest form, which kept one figure a test.
    pub time: Option<i64>,
    /// All of it.
    pub common: f64,
    /// Parts of the total. Android leaves parts of 0 out.
    pub parts: BTreeMap<String, f64>,
}

impl Residual {
    /// The radio's own part. Where it is not named it is what the named parts leave: Android leaves parts of 0 out, and old releases
    /// name none.
    pub fn own(&self) -> f64 {
        let named = self.radio.own().iter().find_map(|name| self.parts.get(*name));
        named.copied().unwrap_or_else(|| {
            let left = self.common - self.parts.values().sum::<f64>();
            // Figures have three digits.
            if left > self.common * 0.005 { left } else { 0.0 }
        })
    }
}

/// Losses while a log was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// Lines or records of calls that cannot be understood.
    pub calls: u64,
    /// Place of the first of them, where that is known.
    pub first: Option<u64>,
    /// Lines of the sampler without a value.
    pub empty_samples: u64,
    /// Messages that the device's shell wrote in place of values, with their counts.
    pub errors: BTreeMap<String, u64>,
    /// Lines of other programs.
    pub others: u64,
    /// Lines that the log cut before their end.
    pub cut: u64,
    /// Records, or readings, beyond those that are kept.
    pub refused: u64,
}

/// The log of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestLog {
    /// As the file has it: `Class.method`, or the class alone.
    pub name: String,
    pub calls: Vec<CallRecord>,
    pub residuals: Vec<Residual>,
    /// Utilisation of the GPU, 0 to 255, with the host's time.
    pub gpu: Vec<(i64, f64)>,
    /// From the first to the last word of the sampler, the host's time; also of those without a value.
    pub sampled: Option<(i64, i64)>,
    /// Rates of the samplers, in thousandths of a sample a second.
    pub rates: Vec<i64>,
}

/// Errors that are remembered word by word.
const MAX_ERRORS: usize = 16;

impl Lost {
    pub fn error(&mut self, text: &str) {
        let text: String = text.trim().chars().take(120).collect();
        if self.errors.len() < MAX_ERRORS || self.errors.contains_key(&text) {
            *self.errors.entry(text).or_default() += 1;
        } else {
            self.others += 1;
        }
    }
}

/// Remaining room for a file's readings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    counts: usize,
    records: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { counts: MAX_CLOCK_COUNTS, records: MAX_LOG_EVENTS }
    }
}

impl Room {
    /// Whether there is room for a record, and takes it.
    pub fn take(&mut self, readings: Option<&Readings>) -> bool {
        let counts = readings.map_or(0, |readings| readings.counts().len());
        if self.records == 0 || self.counts < counts {
            return false;
        }
        self.records -= 1;
        self.counts -= counts;
        true
    }
}

impl TestLog {
    /// The sampler spoke.
    pub fn sampled_at(&mut self, time: i64) {
        let (first, last) = self.sampled.unwrap_or((time, time));
        self.sampled = Some((first.min(time), last.max(time)));
    }

    /// A sampler of this period, or rate, was at work.
    pub fn rate(&mut self, hertz: f64) {
        let thousandths = (hertz * 1000.0).round() as i64;
        if thousandths > 0 && self.rates.len() < 64 && !self.rates.contains(&thousandths) {
            self.rates.push(thousandths);
        }
    }

    /// Whether nothing at all is in it.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.residuals.is_empty()
            && self.gpu.is_empty()
            && self.sampled.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(radio: Radio, common: f64, parts: &[(&str, f64)], own: f64) {
        let parts = parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let residual = Residual { radio, time: None, common, parts };
        assert!((residual.own() - own).abs() < 1e-12, "{residual:?}: {}", residual.own());
    }

    #[test]
    fn the_radios_own_part() {
        check(Radio::Wifi, 4.08, &[("cpu", 3.13), ("wifi", 0.956)], 0.956);
        check(Radio::Bluetooth, 7.81, &[("cpu", 4.19), ("bt", 3.62)], 3.62);
        check(Radio::Bluetooth, 0.0537, &[("usage", 0.0378), ("cpu", 0.0159)], 0.0378);
        // All of it is the CPU's: the radio's part is 0, and left out.
        check(Radio::Wifi, 0.0128, &[("cpu", 0.0128)], 0.0);
        check(Radio::Bluetooth, 0.0248, &[("cpu", 0.0247)], 0.0);
        // No parts at all.
        check(Radio::Bluetooth, 1.08, &[], 1.08);
    }
}
