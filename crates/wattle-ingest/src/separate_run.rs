//! One of several recordings where one was expected, as messages list it.

use std::fmt::{self, Write as _};

use chrono::DateTime;
use wattle_timeline::DeviceFacts;

/// A recording among several that were given as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeparateRun {
    /// Its files, or its folder.
    pub name: String,
    /// When it was recorded, Unix nanoseconds; `None` where its files do not say.
    pub time: Option<i64>,
    /// Its first event by its own clock, nanoseconds, where its files do not say when that was.
    pub begins: Option<i64>,
    /// The device; `None` where its files do not say.
    pub device: Option<String>,
}

/// Clocks that count from a start of the computer show less: 1990.
const FIRST_DATE: i64 = 20 * 365 * 86_400 * 1_000_000_000;

impl fmt::Display for SeparateRun {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, time, begins, device } = self;
        write!(to, "{name}: ")?;
        let date = |time| DateTime::from_timestamp_nanos(time).format("%Y-%m-%d %H:%M:%S");
        match (*time, *begins) {
            (Some(time), _) => write!(to, "{} UTC", date(time))?,
            (None, Some(begins)) if begins >= FIRST_DATE => {
                write!(to, "{} by its clock", date(begins))?;
            }
            (None, Some(begins)) => {
                write!(to, "begins at {:.3} s of its clock", begins as f64 / 1e9)?;
            }
            (None, None) => to.write_str("time unknown")?,
        }
        write!(to, ", {}", device.as_deref().unwrap_or("device unknown"))
    }
}

/// A device's name in a sentence: its title, or its chip.
pub(crate) fn device_name(device: &DeviceFacts) -> Option<String> {
    device.title_with_code().or_else(|| device.soc_name().map(|soc| format!("SoC {soc}")))
}

/// Rows of a list that are shown.
const MOST_SHOWN: usize = 100;

/// Recordings as the rows of a message, each on a line of its own.
pub(crate) fn list(runs: &[SeparateRun]) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    for run in runs.iter().take(MOST_SHOWN) {
        let _ = write!(text, "\n  {run}");
    }
    if runs.len() > MOST_SHOWN {
        let _ = write!(text, "\n  … and {} more", runs.len() - MOST_SHOWN);
    }
    text
}
